// SPDX-License-Identifier: GPL-2.0
/*
 * Proof that the tests detect a use after free (KASAN): reads memory that it has
 * freed when it is loaded. Nothing else may ever load this.
 */
#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/slab.h>

static int __init proof_uaf_init(void)
{
	unsigned int *memory = kzalloc(64, GFP_KERNEL);
	unsigned int *stale = memory;

	if (!memory)
		return -ENOMEM;
	/* Keep the compiler from seeing that this memory is freed. */
	OPTIMIZER_HIDE_VAR(stale);
	kfree(memory);
	pr_info("perfgrp_proof_uaf: %u\n", READ_ONCE(*stale));
	return 0;
}

static void __exit proof_uaf_exit(void)
{
}

module_init(proof_uaf_init);
module_exit(proof_uaf_exit);

MODULE_DESCRIPTION("A use after free on purpose, for perfgrp's tests");
MODULE_LICENSE("GPL");
