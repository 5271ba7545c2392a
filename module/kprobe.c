// SPDX-License-Identifier: GPL-2.0
/*
 * Kprobes that are armed while someone wants them. Arming patches kernel text, which is
 * slow on large machines; one that is not armed costs its function nothing.
 */
#include <linux/kprobes.h>
#include <linux/mutex.h>

#include "kprobe.h"

/**
 * perfgrp_kprobe_register - find the function
 * @probe: of PERFGRP_KPROBE(); it is not armed
 *
 * Return: 0, and then perfgrp_kprobe_unregister() must follow; -EOPNOTSUPP without kprobes
 * or on an architecture whose arguments are not known here; what register_kprobe() says.
 */
int perfgrp_kprobe_register(struct perfgrp_kprobe *probe)
{
	return PERFGRP_KPROBE_HAS_ARGS ? register_kprobe(&probe->kprobe) : -EOPNOTSUPP;
}

/**
 * perfgrp_kprobe_unregister - let go of the function
 * @probe: nobody wants it armed
 *
 * When it returns the handler does not run any more.
 */
void perfgrp_kprobe_unregister(struct perfgrp_kprobe *probe)
{
	unregister_kprobe(&probe->kprobe);
}

/**
 * perfgrp_kprobe_arm - want the handler to run
 * @probe: a registered one
 *
 * May sleep.
 *
 * Return: 0, and then perfgrp_kprobe_disarm() must follow; -EBUSY while an administrator
 * has all kprobes switched off (debugfs), or another negative errno.
 */
int perfgrp_kprobe_arm(struct perfgrp_kprobe *probe)
{
	int ret = 0;

	mutex_lock(&probe->lock);
	if (!probe->users) {
		ret = enable_kprobe(&probe->kprobe);
		/* It would stay off for good. */
		if (!ret && kprobe_disabled(&probe->kprobe))
			ret = -EBUSY;
	}
	if (!ret)
		probe->users++;
	mutex_unlock(&probe->lock);
	return ret;
}

/**
 * perfgrp_kprobe_disarm - want it no more
 * @probe: of perfgrp_kprobe_arm()
 *
 * May sleep. The handler may still run for others, or be under way.
 */
void perfgrp_kprobe_disarm(struct perfgrp_kprobe *probe)
{
	mutex_lock(&probe->lock);
	if (!--probe->users)
		disable_kprobe(&probe->kprobe);
	mutex_unlock(&probe->lock);
}

static int ignore_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	return 0;
}

NOKPROBE_SYMBOL(ignore_hit);

/**
 * perfgrp_kprobe_find - find a function of the kernel that is not exported
 * @name: of the function
 *
 * To be called through a static call: see pidfd.c.
 *
 * Return: its address; on x86 behind its ENDBR. NULL if there is no such function or the
 * kernel has no kprobes.
 */
void *perfgrp_kprobe_find(const char *name)
{
	struct kprobe kprobe = {
		.symbol_name = name,
		.pre_handler = ignore_hit,
		.flags = KPROBE_FLAG_DISABLED,
	};
	void *address;

	if (register_kprobe(&kprobe))
		return NULL;
	address = kprobe.addr;
	unregister_kprobe(&kprobe);
	return address;
}
