// SPDX-License-Identifier: GPL-2.0
/*
 * Proof that the tests detect a lock inversion (lockdep): takes two mutexes in
 * one order and then in the other when it is loaded. Nothing else may ever load
 * this.
 */
#include <linux/module.h>
#include <linux/mutex.h>

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);

static int __init proof_lock_init(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);

	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
	return 0;
}

static void __exit proof_lock_exit(void)
{
}

module_init(proof_lock_init);
module_exit(proof_lock_exit);

MODULE_DESCRIPTION("A lock inversion on purpose, for perfgrp's tests");
MODULE_LICENSE("GPL");
