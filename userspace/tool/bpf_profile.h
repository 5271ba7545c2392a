/* SPDX-License-Identifier: GPL-2.0 */
/* Structs and functions shared by the files of "perfgrp bpf profile". */
#ifndef PERFGRP_BPF_PROFILE_H
#define PERFGRP_BPF_PROFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "bpf.h"
#include "events.h"
#include "profile.h"
#include "target.h"

/* profile_object.c */
extern const char profile_object[], profile_object_end[];

/* ---- bpf_profile_probe.c: the programs at entry and exit of a program ------- */

struct bpf_object;
struct bpf_link;
struct ending;

/**
 * struct profile_probe - the entry and exit programs, for the profiled and for an empty program
 * @object: the object file with all of them
 * @empty_fd: the empty program, or -1
 * @links: links of the attached entry and exit program
 * @per_cpu: buffer for the totals of each CPU
 * @nr_cpus: number of CPUs in @per_cpu
 * @nr_events: events of the group
 */
struct profile_probe {
	struct bpf_object *object;
	int empty_fd;
	struct bpf_link *links[2];
	struct profile_totals *per_cpu;
	int nr_cpus;
	unsigned int nr_events;
};

int profile_probe_load(struct profile_probe *probe, __u64 handle, unsigned int nr_events,
		       int prog_fd, const struct bpf_info *info);
int profile_probe_attach(struct profile_probe *probe, bool empty);
void profile_probe_detach(struct profile_probe *probe);
int profile_probe_run_empty(const struct profile_probe *probe, unsigned int times);
int profile_probe_count(const struct profile_probe *probe, bool on);
int profile_probe_read(const struct profile_probe *probe, struct profile_totals *totals);
int profile_probe_missed(const struct profile_probe *probe, __u64 *missed);
void profile_probe_close(struct profile_probe *probe);

/* ---- bpf_profile.c ---------------------------------------------------------- */

/**
 * struct profile - one "perfgrp bpf profile"
 * @program: the program to profile
 * @events: what to count, all in one perfgrp group
 * @events_named: -e was given
 * @target: on which CPUs, and the command
 * @separator: CSV with this between the columns; NULL for no CSV
 * @json: one JSON object per line
 * @interval: ms between two outputs; 0: print once, at the end
 * @interval_count: end after this number of intervals; 0: no limit
 * @timeout: end after this number of ms; 0: no limit
 * @delay: ms to wait before counting
 * @file: name of the output file; NULL: standard error
 * @out: the opened output file
 * @info: the kernel's information about the program
 * @dev: the device
 * @group: the group
 * @probe: the programs that read it
 * @empty: what a run of an empty program counts; NAN if not known
 * @printed: number of intervals printed
 * @last: totals at the end of the last interval
 * @last_missed: missed runs at the end of the last interval
 * @start: when counting began, in ns of CLOCK_MONOTONIC
 * @end: end of the interval that is printed
 * @last_end: end of the interval before
 */
struct profile {
	struct bpf_choice program;
	struct event_list events;
	bool events_named;
	struct target target;
	const char *separator;
	bool json;
	unsigned int interval;
	unsigned int interval_count;
	unsigned int timeout;
	unsigned int delay;
	const char *file;
	FILE *out;
	struct bpf_info info;
	struct perfgrp_dev *dev;
	struct perfgrp_group *group;
	struct profile_probe probe;
	double empty[PROFILE_EVENTS];
	unsigned int printed;
	struct profile_totals last;
	__u64 last_missed;
	__u64 start;
	__u64 end;
	__u64 last_end;
};

void profile_keep_empty(double *empty, const struct profile_totals *a,
			const struct profile_totals *b, unsigned int nr);
int profile_run_until_end(struct profile *profile, struct ending *ending);
int profile_run(struct profile *profile);

/* ---- bpf_profile_group.c: the group ------------------------------------------ */

int profile_events(struct profile *profile, unsigned int left_out);
int profile_group_open(struct profile *profile, __u64 *handle);

/* ---- bpf_profile_print.c ------------------------------------------------------ */

void profile_print(const struct profile *profile, const struct profile_totals *totals,
		   __u64 missed);

#endif /* PERFGRP_BPF_PROFILE_H */
