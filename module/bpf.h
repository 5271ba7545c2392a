/* SPDX-License-Identifier: GPL-2.0 */
/* BPF programs on members: bpf.c attaches them, bpf_run.c runs them. */
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
 * struct perfgrp_attachment_cpu - statistics of an attachment, per CPU
 * @runs: how often the program ran
 * @nsecs: ns spent in runs that were measured
 * @misses: overflows at which it could not run
 * @dropped: runs that returned 0
 *
 * Written by overflow handlers with this_cpu_*() only, because an NMI may interrupt them;
 * read from any CPU without a lock.
 */
struct perfgrp_attachment_cpu {
	u64 runs;
	u64 nsecs;
	u64 misses;
	u64 dropped;
};

/**
 * struct perfgrp_attachment - a BPF program on a member
 * @prog: the program, with a reference
 * @cookie: what bpf_get_attach_cookie() returns
 * @flags: PERFGRP_BPF_*
 * @unpublished: RCU cookie from when it left the event arrays (perfgrp_group.lock)
 * @id: of the member from which it was detached
 * @next: the next one in perfgrp_group.detached, or NULL
 * @cpu: statistics
 *
 * Constant once attached, except for @cpu, and for what is set when it is detached or replaced.
 */
struct perfgrp_attachment {
	struct bpf_prog *prog;
	u64 cookie;
	u32 flags;
	unsigned long unpublished;
	u32 id;
	struct perfgrp_attachment *next;
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
struct perfgrp_attachment *perfgrp_bpf_take_detached(struct perfgrp_group *group);
void perfgrp_bpf_drop_detached(const struct perfgrp_group *group,
			       struct perfgrp_attachment *detached);
int perfgrp_bpf_query(struct perfgrp_group *group, struct perfgrp_bpf_query *query,
		      struct perfgrp_error *err);

#endif /* PERFGRP_BPF_H */
