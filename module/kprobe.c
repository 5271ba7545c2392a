// SPDX-License-Identifier: GPL-2.0
/*
 * Kprobes that are armed only while they are used. Arming patches kernel text, which is
 * slow on large machines; a probe that is not armed costs nothing.
 *
 * Process context. Takes perfgrp_kprobe.lock.
 */
#include <linux/kprobes.h>
#include <linux/mutex.h>

#include "kprobe.h"

/**
 * perfgrp_kprobe_register - register a probe, not armed
 * @probe: from PERFGRP_KPROBE()
 *
 * May sleep.
 *
 * Return: 0; -EOPNOTSUPP without kprobes or if perfgrp_kprobe_arg() does not know this
 * architecture; or an errno of register_kprobe(). After 0 perfgrp_kprobe_unregister() must
 * follow.
 */
int perfgrp_kprobe_register(struct perfgrp_kprobe *probe)
{
	return PERFGRP_KPROBE_HAS_ARGS ? register_kprobe(&probe->kprobe) : -EOPNOTSUPP;
}

/**
 * perfgrp_kprobe_unregister - unregister a probe
 * @probe: a registered probe that is not armed
 *
 * May sleep. When it returns the handler no longer runs.
 */
void perfgrp_kprobe_unregister(struct perfgrp_kprobe *probe)
{
	unregister_kprobe(&probe->kprobe);
}

/**
 * perfgrp_kprobe_arm - arm a probe, or take one more reference if it is armed
 * @probe: a registered probe
 *
 * May sleep.
 *
 * Return: 0; -EBUSY if an administrator has disarmed all kprobes (debugfs
 * kprobes/enabled); or another negative errno. After 0 perfgrp_kprobe_disarm() must
 * follow.
 */
int perfgrp_kprobe_arm(struct perfgrp_kprobe *probe)
{
	int ret = 0;

	mutex_lock(&probe->lock);
	if (!probe->users) {
		ret = enable_kprobe(&probe->kprobe);
		/* With all kprobes disarmed it stays disabled, even when they are armed again. */
		if (!ret && kprobe_disabled(&probe->kprobe))
			ret = -EBUSY;
	}
	if (!ret)
		probe->users++;
	mutex_unlock(&probe->lock);
	return ret;
}

/**
 * perfgrp_kprobe_disarm - drop a reference, and disarm the probe with the last one
 * @probe: the probe; perfgrp_kprobe_arm() has succeeded
 *
 * May sleep. When it returns the handler may still be running.
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
 * perfgrp_kprobe_find - find the address of a kernel function that is not exported
 * @name: of the function
 *
 * May sleep. The function must be called by a static call: see pidfd.c.
 *
 * Return: the address, on x86 after the ENDBR; NULL if there is no such function or the
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
