// SPDX-License-Identifier: GPL-2.0
/*
 * A group's lines in /proc/PID/fdinfo: number, target, members, records and BPF programs.
 *
 * Process context. Takes perfgrp_group.lock for reading.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/proc_fs.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#include "bpf.h"
#include "cgroup.h"
#include "error.h"
#include "event.h"
#include "exec.h"
#include "group.h"
#include "group_fdinfo.h"
#include "records.h"
#include "sampling.h"
#include "snapshot.h"
#include "split.h"

static const char *state_name(u32 state)
{
	static const char *const names[] = {
		[PERFGRP_STATE_COUNTED] = "counted",
		[PERFGRP_STATE_MULTIPLEXED] = "multiplexed",
		[PERFGRP_STATE_NEVER_RAN] = "never ran",
	};

	return state < ARRAY_SIZE(names) && names[state] ? names[state] : "unknown";
}

static void show_flags(struct seq_file *seq, u32 flags)
{
	if (flags & PERFGRP_VALUE_FAILED)
		seq_puts(seq, " failed");
	if (flags & PERFGRP_VALUE_OFFLINE)
		seq_puts(seq, " offline");
	if (flags & PERFGRP_VALUE_EXITED)
		seq_puts(seq, " exited");
	if (flags & PERFGRP_VALUE_THROTTLED)
		seq_puts(seq, " throttled");
	if (flags & PERFGRP_VALUE_ABSENT)
		seq_puts(seq, " absent");
}

static void show_members(struct seq_file *seq, struct perfgrp_group *group)
{
	const u32 flags = PERFGRP_SNAPSHOT_TOTALS | PERFGRP_SNAPSHOT_MIX_PMUS | PERFGRP_SNAP_PEEK;
	struct perfgrp_error err = PERFGRP_ERROR_INIT;
	char buf[PERFGRP_EVENT_NAME_LEN];
	struct perfgrp_snap snap;
	unsigned int i;

	/* lsof(8) reads this for all files, so do not interrupt CPUs for it. */
	if (perfgrp_snapshot_take(group, flags, 0, &snap, &err))
		return;
	for (i = 0; i < snap.nr_values; i++) {
		seq_printf(seq, "member:\t%u %s %s", snap.values[i].id,
			   perfgrp_event_name(&group->members[i]->desc, buf),
			   state_name(snap.values[i].state));
		show_flags(seq, snap.values[i].flags);
		seq_puts(seq, i ? "\n" : " leader\n");
	}
	/* The PMU is -1 if it differs between CPUs. */
	for (i = 0; i < snap.nr_values; i++)
		seq_printf(seq, "times:\tmember %u pmu %d enabled %llu running %llu\n",
			   snap.values[i].id, (int)snap.values[i].pmu, snap.values[i].time_enabled,
			   snap.values[i].time_running);
	perfgrp_snapshot_free(&snap);
}

static void show_programs(struct seq_file *seq, struct perfgrp_group *group)
{
	struct perfgrp_error err = PERFGRP_ERROR_INIT;
	struct perfgrp_bpf_query query;
	unsigned int i;

	for (i = 0; i < group->nr_members; i++) {
		query.id = group->members[i]->id;
		if (!group->members[i]->attachment || perfgrp_bpf_query(group, &query, &err))
			continue;
		seq_printf(seq,
			   "bpf:\tmember %u prog %u tag %*phN runs %llu misses %llu dropped %llu\n",
			   query.id, query.prog_id, (int)sizeof(query.tag), query.tag, query.runs,
			   query.misses, query.dropped);
	}
}

static void show_records(struct seq_file *seq, struct perfgrp_group *group)
{
	struct perfgrp_stream_stats stats = {};

	if (group->sampling)
		perfgrp_records_get_stats(group->sampling->records, &stats);
	if (group->sampling)
		seq_printf(seq, "buffers:\t%lu\n",
			   group->sampling->records->nr_pages << PAGE_SHIFT);
	seq_printf(seq, "records:\t%llu produced %llu read %llu lost %llu filtered\n",
		   stats.produced, stats.read, stats.lost, stats.filtered);
}

static void show_cpus(struct seq_file *seq, const struct perfgrp_group *group)
{
	unsigned int i;

	seq_puts(seq, "cpus ");
	for (i = 0; i < group->nr_instances; i++)
		seq_printf(seq, "%s%d", i ? "," : "", group->instances[i].cpu);
}

/**
 * perfgrp_group_show_fdinfo - print a group's lines in /proc/PID/fdinfo
 * @seq: to print to
 * @file: the group's file
 *
 * May sleep. Prints nothing if a fatal signal comes while it waits for the lock.
 */
void perfgrp_group_show_fdinfo(struct seq_file *seq, struct file *file)
{
	struct perfgrp_group *group = file->private_data;

	if (down_read_killable(&group->lock))
		return;
	seq_printf(seq, "id:\t%llu\n", group->nr);
	switch (group->target) {
	case PERFGRP_TARGET_TASK:
		seq_printf(seq, "target:\ttask %d",
			   task_pid_nr_ns(group->task, proc_pid_ns(file_inode(seq->file)->i_sb)));
		if (group->instances[0].cpu >= 0)
			seq_printf(seq, " cpu %d", group->instances[0].cpu);
		seq_putc(seq, '\n');
		break;
	case PERFGRP_TARGET_ALL_CPUS:
		seq_puts(seq, "target:\tall cpus\n");
		break;
	case PERFGRP_TARGET_CGROUP:
		seq_printf(seq, "target:\tcgroup %llu ",
			   perfgrp_core_cgroup_id(&group->cgroup->core));
		seq_file_path(seq, group->cgroup->core.dir, " \t\n\\");
		if (group->nr_instances < num_possible_cpus()) {
			seq_putc(seq, ' ');
			show_cpus(seq, group);
		}
		seq_putc(seq, '\n');
		break;
	default:
		seq_puts(seq, "target:\t");
		show_cpus(seq, group);
		seq_putc(seq, '\n');
	}
	if (group->split)
		seq_printf(seq, "split:\tcgroup %llu\n", perfgrp_split_cgroup_id(group));
	seq_printf(seq, "create_flags:\t%#x\n", perfgrp_group_create_flags(group));
	seq_printf(seq, "enabled:\t%d\n", perfgrp_group_is_enabled(group));
	seq_printf(seq, "members:\t%u\n", group->nr_members);
	show_records(seq, group);
	show_members(seq, group);
	show_programs(seq, group);
	up_read(&group->lock);
}
