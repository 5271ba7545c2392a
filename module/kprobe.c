// SPDX-License-Identifier: GPL-2.0
/*
 * Kprobes that are armed only while they are used. Arming patches kernel text, which is
 * slow on large machines and disturbs every CPU; a probe that is not armed costs nothing. So a
 * probe that may be used often stays armed for a while.
 *
 * Process context. Takes perfgrp_kprobe.lock.
 */
#include <linux/container_of.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "kprobe.h"

static bool has_exit(const struct perfgrp_kprobe *probe)
{
	return probe->kretprobe.entry_handler;
}

/**
 * perfgrp_kprobe_register - register a probe, not armed
 * @probe: from PERFGRP_KPROBE() or PERFGRP_KRETPROBE()
 *
 * May sleep.
 *
 * Return: 0; -EOPNOTSUPP without kprobes or if perfgrp_kprobe_arg() does not know this
 * architecture; or an errno of register_kprobe(). After 0 perfgrp_kprobe_unregister() must
 * follow.
 */
int perfgrp_kprobe_register(struct perfgrp_kprobe *probe)
{
	if (!PERFGRP_KPROBE_HAS_ARGS)
		return -EOPNOTSUPP;
	if (!has_exit(probe))
		return register_kprobe(&probe->kretprobe.kp);
	/*
	 * A call whose return is hooked uses one instance until it returns, any other only while
	 * the entry handler runs. If none is left the entry handler is not called.
	 */
	probe->kretprobe.maxactive = max_t(unsigned int, 10, 2 * num_possible_cpus());
	return register_kretprobe(&probe->kretprobe);
}

/**
 * perfgrp_kprobe_unregister - unregister a probe
 * @probe: a registered probe without users
 *
 * May sleep. When it returns the handler no longer runs.
 */
void perfgrp_kprobe_unregister(struct perfgrp_kprobe *probe)
{
	cancel_delayed_work_sync(&probe->disarm);
	probe->armed = false;
	if (has_exit(probe))
		unregister_kretprobe(&probe->kretprobe);
	else
		unregister_kprobe(&probe->kretprobe.kp);
}

/**
 * perfgrp_kprobe_arm - arm a probe, or take one more reference if it is armed
 * @probe: a registered probe
 *
 * While an administrator has disarmed all kprobes (debugfs kprobes/enabled)
 * enable_kprobe() returns 0, and the handler does not run. No flag of @probe shows that
 * reliably: the kernel may call the handler through an aggregate probe, to optimize it or
 * because somebody else probes the function, too. So the caller must test whether it runs.
 *
 * May sleep.
 *
 * Return: 0 or a negative errno; after 0 perfgrp_kprobe_disarm() must follow.
 */
int perfgrp_kprobe_arm(struct perfgrp_kprobe *probe)
{
	int ret;

	mutex_lock(&probe->lock);
	/* Even if @armed: all kprobes may have been disarmed when this was called before. */
	ret = enable_kprobe(&probe->kretprobe.kp);
	if (!ret) {
		probe->armed = true;
		probe->users++;
	}
	mutex_unlock(&probe->lock);
	return ret;
}

static void disarm_unused(struct perfgrp_kprobe *probe)
{
	lockdep_assert_held(&probe->lock);

	if (probe->users || !probe->armed)
		return;
	disable_kprobe(&probe->kretprobe.kp);
	probe->armed = false;
}

/* perfgrp_kprobe.disarm */
void perfgrp_kprobe_disarm_work(struct work_struct *work)
{
	struct perfgrp_kprobe *probe =
		container_of(to_delayed_work(work), struct perfgrp_kprobe, disarm);

	mutex_lock(&probe->lock);
	disarm_unused(probe);
	mutex_unlock(&probe->lock);
}

/**
 * perfgrp_kprobe_disarm - drop a reference, and disarm the probe after the last one
 * @probe: the probe; perfgrp_kprobe_arm() has succeeded
 *
 * May sleep. It is disarmed after @probe->linger_ms, unless it is armed again. When this returns
 * the handler may still be running.
 */
void perfgrp_kprobe_disarm(struct perfgrp_kprobe *probe)
{
	mutex_lock(&probe->lock);
	probe->users--;
	if (!probe->linger_ms)
		disarm_unused(probe);
	else if (!probe->users)
		mod_delayed_work(compat_unbound_wq, &probe->disarm,
				 msecs_to_jiffies(probe->linger_ms));
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
 * May sleep. The function must be called through a static call: see pidfd.c.
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
