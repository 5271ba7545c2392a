// SPDX-License-Identifier: GPL-2.0
/*
 * Kprobes that are armed while someone wants them. Arming patches kernel text, which is
 * slow on large machines; one that is not armed costs its function nothing.
 */
#include <linux/kprobes.h>
#include <linux/mutex.h>

#include "probe.h"

/**
 * perfgrp_probe_register - find the function
 * @probe: of PERFGRP_PROBE(); it is not armed
 *
 * Return: 0, and then perfgrp_probe_unregister() must follow; -EOPNOTSUPP without kprobes
 * or on an architecture whose arguments are not known here; what register_kprobe() says.
 */
int perfgrp_probe_register(struct perfgrp_probe *probe)
{
	return PERFGRP_PROBE_ARGUMENTS ? register_kprobe(&probe->kprobe) : -EOPNOTSUPP;
}

/**
 * perfgrp_probe_unregister - let go of the function
 * @probe: nobody wants it armed
 *
 * When it returns the handler does not run any more.
 */
void perfgrp_probe_unregister(struct perfgrp_probe *probe)
{
	unregister_kprobe(&probe->kprobe);
}

/**
 * perfgrp_probe_arm - want the handler to run
 * @probe: a registered one
 *
 * May sleep.
 *
 * Return: 0, and then perfgrp_probe_disarm() must follow; -EBUSY while an administrator
 * has all kprobes switched off (debugfs), or another negative errno.
 */
int perfgrp_probe_arm(struct perfgrp_probe *probe)
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
 * perfgrp_probe_disarm - want it no more
 * @probe: of perfgrp_probe_arm()
 *
 * May sleep. The handler may still run for others, or be under way.
 */
void perfgrp_probe_disarm(struct perfgrp_probe *probe)
{
	mutex_lock(&probe->lock);
	if (!--probe->users)
		disable_kprobe(&probe->kprobe);
	mutex_unlock(&probe->lock);
}
