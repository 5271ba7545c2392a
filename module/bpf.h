/* SPDX-License-Identifier: GPL-2.0 */
/* An attachment: what bpf.c makes of a BPF program and bpf_run.c runs. */
#ifndef PERFGRP_BPF_H
#define PERFGRP_BPF_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

struct bpf_prog;
struct perf_event;
struct perf_sample_data;
struct perfgrp_group;
struct perfgrp_member;
struct pt_regs;

/**
 * enum perfgrp_locks - what the locks of a map do where what was interrupted holds them
 * @PERFGRP_LOCKS_NONE: there are none
 * @PERFGRP_LOCKS_TRIED: an NMI only tries them
 * @PERFGRP_LOCKS_BUSY: one that is held on this CPU is refused (EBUSY). But one that another CPU
 *	holds is waited for, and if each of two NMIs wants what the other's CPU holds,
 *	forever. Who holds one is in a system call or in a program, and so cannot be
 *	migrated, or is in an interrupt.
 * @PERFGRP_LOCKS_WAIT: they are waited for, forever
 * @PERFGRP_LOCKS_ALLOC: the same, and memory is allocated, which an NMI must not; and which
 *	wakes tasks, so not with the run queue locked either
 * @PERFGRP_LOCKS_UNKNOWN: nobody has looked; refused
 */
enum perfgrp_locks {
	PERFGRP_LOCKS_NONE,
	PERFGRP_LOCKS_TRIED,
	PERFGRP_LOCKS_BUSY,
	PERFGRP_LOCKS_WAIT,
	PERFGRP_LOCKS_ALLOC,
	PERFGRP_LOCKS_UNKNOWN,
};

/**
 * struct perfgrp_attachment_cpu - what has become of an attachment's overflows on a CPU
 * @runs: the program ran
 * @nsecs: how long, as far as that was measured
 * @misses: it could not run
 * @dropped: runs that returned 0
 *
 * Written by handlers, which an NMI's may interrupt: with this_cpu_*() alone.
 */
struct perfgrp_attachment_cpu {
	u64 runs;
	u64 nsecs;
	u64 misses;
	u64 dropped;
};

/**
 * struct perfgrp_attachment - a BPF program on a member
 * @prog: with a reference
 * @cookie: what bpf_get_attach_cookie() returns
 * @flags: PERFGRP_BPF_*
 * @locks: the worst that its maps have
 * @map_type: of the map that has them
 * @unpublished: RCU's state when no handler could find it any more
 * @cpu: counts
 *
 * Fixed once it is attached, but for the counts and @unpublished.
 */
struct perfgrp_attachment {
	struct bpf_prog *prog;
	u64 cookie;
	u32 flags;
	enum perfgrp_locks locks;
	u32 map_type;
	unsigned long unpublished;
	struct perfgrp_attachment_cpu __percpu *cpu;
};

bool perfgrp_bpf_is_supported(void);
bool perfgrp_bpf_run(const struct perfgrp_attachment *attachment, struct perf_event *event,
		     struct perf_sample_data *data, struct pt_regs *regs);
struct perfgrp_attachment *perfgrp_bpf_prepare(const struct perfgrp_bpf_attach *arg,
					       struct perfgrp_error *err);
void perfgrp_bpf_abort(struct perfgrp_attachment *attachment);
int perfgrp_bpf_attach(struct perfgrp_group *group, const struct perfgrp_bpf_attach *arg,
		       struct perfgrp_attachment **attachment, struct perfgrp_error *err);
int perfgrp_bpf_replace(struct perfgrp_group *group, const struct perfgrp_bpf_attach *arg,
			struct perfgrp_attachment **attachment, struct perfgrp_error *err);
void perfgrp_bpf_drop(struct perfgrp_attachment *attachment);
int perfgrp_bpf_detach(struct perfgrp_group *group, const struct perfgrp_bpf_detach *arg,
		       struct perfgrp_error *err);
void perfgrp_bpf_release(struct perfgrp_group *group, struct perfgrp_member *member);
int perfgrp_bpf_query(struct perfgrp_group *group, struct perfgrp_bpf_query *query,
		      struct perfgrp_error *err);

#endif /* PERFGRP_BPF_H */
