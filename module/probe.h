/* SPDX-License-Identifier: GPL-2.0 */
/* A kprobe at the entry of a function of the kernel, armed while someone wants it. */
#ifndef PERFGRP_PROBE_H
#define PERFGRP_PROBE_H

#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>

/**
 * struct perfgrp_probe - a probe
 * @kprobe: the function and what runs at each call of it
 * @lock: protects @users, and is held while that arms or disarms
 * @users: how many want it armed
 */
struct perfgrp_probe {
	struct kprobe kprobe;
	struct mutex lock;
	unsigned int users;
};

/**
 * PERFGRP_PROBE - define a probe, which is to be registered
 * @name: of the variable
 * @function: of the kernel
 * @handler: runs before each call, with preemption off or as an exception; it is to be
 *	a NOKPROBE_SYMBOL() and to return 0
 */
#define PERFGRP_PROBE(name, function, handler)			\
	static struct perfgrp_probe name = {			\
		.kprobe = {					\
			.symbol_name = #function,		\
			.pre_handler = handler,			\
			.flags = KPROBE_FLAG_DISABLED,		\
		},						\
		.lock = __MUTEX_INITIALIZER(name.lock),		\
	}

int perfgrp_probe_register(struct perfgrp_probe *probe);
void perfgrp_probe_unregister(struct perfgrp_probe *probe);
int perfgrp_probe_arm(struct perfgrp_probe *probe);
void perfgrp_probe_disarm(struct perfgrp_probe *probe);

/**
 * perfgrp_probe_missed - how many calls it has not seen
 * @probe: the probe
 *
 * The kernel does not run a handler where it has interrupted another one. CPUs that
 * miss at the same time may count one.
 *
 * Return: the number, which wraps.
 */
static inline unsigned long perfgrp_probe_missed(const struct perfgrp_probe *probe)
{
	return READ_ONCE(probe->kprobe.nmissed);
}

/* Where arguments are passed in registers that are known here. */
#if defined(CONFIG_X86_64) || defined(CONFIG_ARM64)

#define PERFGRP_PROBE_ARGUMENTS true

static inline unsigned long perfgrp_probe_argument(struct pt_regs *regs, unsigned int nr)
{
	return regs_get_kernel_argument(regs, nr);
}

static inline void perfgrp_probe_set_fourth_argument(struct pt_regs *regs, unsigned long value)
{
#ifdef CONFIG_X86_64
	regs->cx = value;
#else
	regs->regs[3] = value;
#endif
}

#else

#define PERFGRP_PROBE_ARGUMENTS false

static inline unsigned long perfgrp_probe_argument(struct pt_regs *regs, unsigned int nr)
{
	return 0;
}

static inline void perfgrp_probe_set_fourth_argument(struct pt_regs *regs, unsigned long value)
{
}

#endif

#endif /* PERFGRP_PROBE_H */
