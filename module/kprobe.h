/* SPDX-License-Identifier: GPL-2.0 */
/* A kprobe at the entry of a function of the kernel, armed while someone wants it. */
#ifndef PERFGRP_KPROBE_H
#define PERFGRP_KPROBE_H

#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>

/**
 * struct perfgrp_kprobe - a probe
 * @kprobe: the function and what runs at each call of it
 * @lock: protects @users, and is held while that arms or disarms
 * @users: how many want it armed
 */
struct perfgrp_kprobe {
	struct kprobe kprobe;
	struct mutex lock;
	unsigned int users;
};

/**
 * PERFGRP_KPROBE - define a probe, which is to be registered
 * @name: of the variable
 * @function: of the kernel
 * @handler: runs before each call, with preemption off or as an exception; it is to be
 *	a NOKPROBE_SYMBOL() and to return 0
 */
#define PERFGRP_KPROBE(name, function, handler)			\
	static struct perfgrp_kprobe name = {			\
		.kprobe = {					\
			.symbol_name = #function,		\
			.pre_handler = handler,			\
			.flags = KPROBE_FLAG_DISABLED,		\
		},						\
		.lock = __MUTEX_INITIALIZER(name.lock),		\
	}

int perfgrp_kprobe_register(struct perfgrp_kprobe *probe);
void perfgrp_kprobe_unregister(struct perfgrp_kprobe *probe);
int perfgrp_kprobe_arm(struct perfgrp_kprobe *probe);
void perfgrp_kprobe_disarm(struct perfgrp_kprobe *probe);
void *perfgrp_kprobe_find(const char *name);

/**
 * perfgrp_kprobe_missed - how many calls it has not seen
 * @probe: the probe
 *
 * The kernel does not run a handler where it has interrupted another one. CPUs that
 * miss at the same time may count one.
 *
 * Return: the number, which wraps.
 */
static inline unsigned long perfgrp_kprobe_missed(const struct perfgrp_kprobe *probe)
{
	return READ_ONCE(probe->kprobe.nmissed);
}

/* Where arguments are passed in registers that are known here. */
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

#else

#define PERFGRP_KPROBE_HAS_ARGS false

static inline unsigned long perfgrp_kprobe_arg(struct pt_regs *regs, unsigned int nr)
{
	return 0;
}

static inline void perfgrp_kprobe_set_arg3(struct pt_regs *regs, unsigned long value)
{
}

#endif

#endif /* PERFGRP_KPROBE_H */
