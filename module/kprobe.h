/* SPDX-License-Identifier: GPL-2.0 */
/* Kprobes that are armed only while they are used, or a little longer. */
#ifndef PERFGRP_KPROBE_H
#define PERFGRP_KPROBE_H

#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/workqueue.h>

/**
 * struct perfgrp_kprobe - a probe
 * @kretprobe: the kernel's part; constant, except that arming it changes its flags (@lock). Only
 *	its kprobe is used unless it has an entry_handler.
 * @linger_ms: how long it stays armed after its last user; constant
 * @lock: protects @users and @armed; held while the probe is armed or disarmed
 * @users: how often perfgrp_kprobe_arm() was called and not undone (@lock)
 * @armed: it is armed (@lock)
 * @disarm: disarms it, after @linger_ms
 */
struct perfgrp_kprobe {
	struct kretprobe kretprobe;
	unsigned int linger_ms;
	struct mutex lock; /* protects users and armed */
	unsigned int users;
	bool armed;
	struct delayed_work disarm;
};

#define PERFGRP_PROBE(name, function, linger, ...)		\
	static struct perfgrp_kprobe name = {			\
		.kretprobe = {					\
			.kp.symbol_name = #function,		\
			.kp.flags = KPROBE_FLAG_DISABLED,	\
			__VA_ARGS__				\
		},						\
		.linger_ms = linger,				\
		.lock = __MUTEX_INITIALIZER(name.lock),		\
		.disarm = __DELAYED_WORK_INITIALIZER(name.disarm, perfgrp_kprobe_disarm_work, 0), \
	}

/**
 * PERFGRP_KPROBE - define a probe on a function's entry
 * @name: name of the variable
 * @function: the kernel function
 * @handler: runs before each call of @function, with preemption off or in an exception. It
 *	must be a NOKPROBE_SYMBOL() and return 0.
 * @linger: ms for which the probe stays armed after its last user, so that arming it often does
 *	not patch kernel text each time
 */
#define PERFGRP_KPROBE(name, function, handler, linger)	\
	PERFGRP_PROBE(name, function, linger, .kp.pre_handler = handler)

/**
 * PERFGRP_KRETPROBE - define a probe on a function's entry and its return
 * @name: name of the variable
 * @function: the kernel function
 * @entry: as the handler of PERFGRP_KPROBE(), but it may return non-zero: then @exit does not run
 *	for this call
 * @exit: runs when the call returns, with preemption off or in an exception. It must be a
 *	NOKPROBE_SYMBOL() and return 0.
 * @linger: as in PERFGRP_KPROBE()
 *
 * If @exit could not run for a call, @entry is not called for it either.
 */
#define PERFGRP_KRETPROBE(name, function, entry, exit, linger)	\
	PERFGRP_PROBE(name, function, linger, .entry_handler = entry, .handler = exit)

void perfgrp_kprobe_disarm_work(struct work_struct *work);
int perfgrp_kprobe_register(struct perfgrp_kprobe *probe);
void perfgrp_kprobe_unregister(struct perfgrp_kprobe *probe);
int perfgrp_kprobe_arm(struct perfgrp_kprobe *probe);
void perfgrp_kprobe_disarm(struct perfgrp_kprobe *probe);
void *perfgrp_kprobe_find(const char *name);

/**
 * perfgrp_kprobe_missed - number of calls that the handler did not see
 * @probe: the probe, from PERFGRP_KPROBE()
 *
 * The kernel does not call the handler if the probe is hit while another kprobe's handler runs.
 * The count is not atomic: two CPUs that miss at the same time may count one.
 *
 * Any context.
 *
 * Return: the number; it wraps.
 */
static inline unsigned long perfgrp_kprobe_missed(const struct perfgrp_kprobe *probe)
{
	return READ_ONCE(probe->kretprobe.kp.nmissed);
}

/* The architectures whose argument registers are known here. */
#if defined(CONFIG_X86_64) || defined(CONFIG_ARM64)

#define PERFGRP_KPROBE_HAS_ARGS true

static inline unsigned long perfgrp_kprobe_arg(struct pt_regs *regs, unsigned int nr)
{
	return regs_get_kernel_argument(regs, nr);
}

static inline void perfgrp_kprobe_set_arg3(struct pt_regs *regs, unsigned long value)
{
#ifdef CONFIG_X86_64
	regs->cx = value;
#else
	regs->regs[3] = value;
#endif
}

/* On x86-64 argument 7 is on the stack, after the return address and argument 6. */
static inline void perfgrp_kprobe_set_arg7(struct pt_regs *regs, unsigned long value)
{
#ifdef CONFIG_X86_64
	unsigned long *arg = regs_get_kernel_stack_nth_addr(regs, 2);

	if (arg)
		*arg = value;
#else
	regs->regs[7] = value;
#endif
}

#else

#define PERFGRP_KPROBE_HAS_ARGS false

static inline unsigned long perfgrp_kprobe_arg(struct pt_regs *regs, unsigned int nr)
{
	return 0;
}

static inline void perfgrp_kprobe_set_arg3(struct pt_regs *regs, unsigned long value)
{
}

static inline void perfgrp_kprobe_set_arg7(struct pt_regs *regs, unsigned long value)
{
}

#endif

#endif /* PERFGRP_KPROBE_H */
