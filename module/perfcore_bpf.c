// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's guard for BPF programs: the per-CPU counter bpf_prog_active.
 *
 * An overflow may interrupt code that holds the lock of a BPF map: a system call that changes
 * the map, or another program. The kernel's guard does not depend on the map: bpf_prog_active is
 * incremented by system calls while they change a map (bpf_disable_instrumentation()) and around
 * programs on perf events, kprobes and tracepoints, and such a program is skipped if the counter
 * was not 0 (the perf core does so in bpf_overflow_handler()). This module uses the counter in the
 * same way, so its programs interrupt none of these, and are interrupted by none.
 *
 * bpf_prog_active is not exported. kallsyms_lookup_name() finds it if the kernel has
 * CONFIG_KALLSYMS_ALL; that is not exported either, and is called as pidfd.c says. Without
 * it (Debian's 6.1 for arm64) a counter of this module keeps its own programs from interrupting
 * each other, and a program is run only if the overflow has interrupted user mode, where no map
 * is being changed on this CPU. There is no PERFGRP_FEATURE_BPF_KERNEL then, and nothing keeps
 * the kernel's other programs from interrupting one of this module's.
 *
 * Assumed: bpf_prog_active is a per-CPU int, used as above. Checked in the sources of 6.1.192,
 * 6.12.117 and 7.3.4. perfgrp_core_bpf_init() checks that it has plausible values.
 */
#define pr_fmt(fmt) "perfgrp: " fmt

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/static_call.h>

#include "kprobe.h"
#include "perfcore.h"

/* Upper limit of nesting on a CPU: task, softirq, hard IRQ and NMI, each with a program or two. */
#define MAX_NESTING 16

static DEFINE_PER_CPU(int, own_active);

/* bpf_prog_active if it was found. Set by perfgrp_core_bpf_init() only. */
static int __percpu *prog_active = &own_active;

static unsigned long no_lookup(const char *name)
{
	return 0;
}

DEFINE_STATIC_CALL(perfgrp_kallsyms_lookup_name, no_lookup);

/**
 * perfgrp_core_bpf_enter - may a BPF program run at this overflow?
 * @event: the event that overflowed
 * @regs: registers at the overflow
 *
 * Any context, with interrupts disabled. perfgrp_core_bpf_leave() must follow, whatever
 * this returns.
 *
 * Return: true if no other program runs, and no map is being changed, on this CPU.
 */
bool perfgrp_core_bpf_enter(const struct perf_event *event, struct pt_regs *regs)
{
	if (this_cpu_inc_return(*prog_active) != 1)
		return false;
	/* With precise_ip @regs are those of the sampled instruction. */
	return perfgrp_core_has_bpf_guard() || (!event->attr.precise_ip && user_mode(regs));
}

/**
 * perfgrp_core_bpf_leave - undo perfgrp_core_bpf_enter()
 */
void perfgrp_core_bpf_leave(void)
{
	this_cpu_dec(*prog_active);
}

/**
 * perfgrp_core_has_bpf_guard - was bpf_prog_active found?
 *
 * Any context.
 *
 * Return: true if programs can also run when the overflow has interrupted the kernel.
 */
bool perfgrp_core_has_bpf_guard(void)
{
	return prog_active != &own_active;
}

static bool is_plausible(int __percpu *counter)
{
	int cpu, value;

	for_each_possible_cpu(cpu) {
		value = READ_ONCE(*per_cpu_ptr(counter, cpu));
		if (value < 0 || value > MAX_NESTING)
			return false;
	}
	return true;
}

/**
 * perfgrp_core_bpf_init - find bpf_prog_active
 *
 * Process context, at module load. Failure only restricts BPF programs to user mode.
 */
void perfgrp_core_bpf_init(void)
{
	int __percpu *found = NULL;
	void *lookup;

	if (!IS_ENABLED(CONFIG_BPF_EVENTS))
		return;
	lookup = perfgrp_kprobe_find("kallsyms_lookup_name");
	if (lookup) {
		static_call_update(perfgrp_kallsyms_lookup_name, lookup);
		found = (int __percpu __force *)static_call(perfgrp_kallsyms_lookup_name)("bpf_prog_active");
	}
	if (!found)
		pr_info("BPF programs run only at overflows in user mode: bpf_prog_active cannot be found\n");
	else if (!is_plausible(found))
		pr_warn("BPF programs run only at overflows in user mode: bpf_prog_active does not look as expected\n");
	else
		prog_active = found;
}
