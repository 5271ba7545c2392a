// SPDX-License-Identifier: GPL-2.0
/*
 * Proof that the tests detect a leak: leaks memory when it is loaded. Nothing
 * else may ever load this.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

/* Not inlined, so that no register or stack slot still points to the memory. */
static noinline void forget_some(void)
{
	unsigned int i;
	void *memory;

	for (i = 0; i < 16; i++) {
		memory = kmalloc(200 + i, GFP_KERNEL);
		if (memory)
			memset(memory, 0x11, 200 + i);
	}
}

static int __init proof_leak_init(void)
{
	forget_some();
	return 0;
}

static void __exit proof_leak_exit(void)
{
}

module_init(proof_leak_init);
module_exit(proof_leak_exit);

MODULE_DESCRIPTION("A leak on purpose, for perfgrp's tests");
MODULE_LICENSE("GPL");
