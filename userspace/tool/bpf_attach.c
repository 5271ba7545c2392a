// SPDX-License-Identifier: GPL-2.0
/*
 * perfgrp bpf attach, replace, detach: on groups of other processes, which keep the program, and
 * on groups of our own, which exist until we exit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf.h"
#include "cmd.h"
#include "ending.h"
#include "events.h"

/* Nobody reads the records, so use the smallest buffer; the module rounds it up to two pages. */
#define BUFFER_SIZE	1

/* ---- groups of others ------------------------------------------------------ */

static char *event_of(struct perfgrp_group *group, __u32 id)
{
	struct perfgrp_members *members = xcheck(perfgrp_members_new());
	const struct perfgrp_counter *counter = NULL;
	char *event;

	if (!perfgrp_get_members(group, members))
		counter = perfgrp_members_find(members, id);
	event = counter ? event_name(counter) : xstrdup("?");
	perfgrp_members_free(members);
	return event;
}

/* Prints one line, @done in text and @what in JSON. */
static void tell(const struct bpf_options *opt, struct perfgrp_group *group, const char *what,
		 const char *done, const struct bpf_info *info)
{
	char *event = event_of(group, opt->member);

	if (opt->json) {
		struct json_object *to = json_object_new_object();

		json_add_u64(to, "member", opt->member);
		json_add_string(to, "event", event);
		json_add_string(to, "what", what);
		json_add_u64(to, "prog-id", info->id);
		if (info->known == BPF_KNOWN)
			json_add_string(to, "name", info->name);
		json_print(stdout, to, 0);
	} else {
		printf("member %u (%s): %s program %u%s%s\n", opt->member, event, done, info->id,
		       info->name[0] ? " " : "", info->name);
	}
	free(event);
}

/**
 * bpf_attach_other - attach a program to a member of another process's group
 * @opt: which member, and how
 * @prog_fd: the program
 * @replace: replace the attached program
 *
 * Return: the exit status
 */
int bpf_attach_other(const struct bpf_options *opt, int prog_fd, bool replace)
{
	struct bpf_groups groups = { 0 };
	struct perfgrp_group *group;
	struct bpf_info info;
	int err;

	if (bpf_groups_take(&groups, &opt->holder))
		return EXIT_FAILED;
	group = groups.groups[0].group;
	if (replace)
		err = perfgrp_replace_bpf(group, opt->member, prog_fd, opt->cookie, opt->flags,
					  opt->expected);
	else
		err = perfgrp_attach_bpf(group, opt->member, prog_fd, opt->cookie, opt->flags);
	if (err)
		error("%s", perfgrp_group_error(group)->text);
	if (!err && opt->pin) {
		err = bpf_pin(prog_fd, opt->pin);
		if (err)
			perfgrp_detach_bpf(group, opt->member, bpf_info_id(prog_fd));
	}
	if (!err) {
		bpf_info_get(bpf_info_id(prog_fd), &info);
		tell(opt, group, replace ? "replace" : "attach",
		     replace ? "replaced by" : "attached", &info);
	}
	bpf_groups_free(&groups);
	return err ? EXIT_FAILED : 0;
}

/**
 * bpf_detach_other - detach the program of a member of another process's group
 * @opt: which member
 *
 * Return: the exit status
 */
int bpf_detach_other(const struct bpf_options *opt)
{
	struct bpf_groups groups = { 0 };
	struct perfgrp_bpf_query before = { 0 };
	struct perfgrp_group *group;
	struct bpf_info info;
	int err;

	if (bpf_groups_take(&groups, &opt->holder))
		return EXIT_FAILED;
	group = groups.groups[0].group;
	/* Get the name first: the detach may unload the program. */
	perfgrp_query_bpf(group, opt->member, &before, sizeof(before));
	bpf_info_get(before.prog_id, &info);
	err = perfgrp_detach_bpf(group, opt->member,
				 opt->expected ? opt->expected : before.prog_id);
	if (err)
		error("%s", perfgrp_group_error(group)->text);
	else
		tell(opt, group, "detach", "detached", &info);
	bpf_groups_free(&groups);
	return err ? EXIT_FAILED : 0;
}

/* ---- groups of our own ----------------------------------------------------- */

/**
 * struct run - a program on groups of our own
 * @opt: the command line
 * @rec: the groups
 * @prog_fd: the program
 * @ending: when to end
 * @out: where statistics go
 */
struct run {
	struct bpf_options *opt;
	struct record *rec;
	int prog_fd;
	struct ending ending;
	FILE *out;
};

/* Should this event have the program? Only that of --member, or else all that sample. */
static bool is_wanted(const struct run *run, size_t event)
{
	if (run->opt->has_member)
		return event + 1 == run->opt->member;
	return run->rec->counters[event].sample_period;
}

static int attach_group(const struct run *run, const struct record_group *group)
{
	size_t i, nr = group->source.nr;
	int err;

	for (i = 0; i < nr; i++) {
		if (!is_wanted(run, group->source.first_event + i))
			continue;
		err = perfgrp_attach_bpf(group->fd, group->source.ids[i], run->prog_fd,
					 run->opt->cookie, run->opt->flags);
		if (err) {
			error("cannot attach to '%s': %s", group->events->events[i].name,
			      perfgrp_group_error(group->fd)->text);
			return err;
		}
	}
	return 0;
}

static int attach_all(const struct run *run)
{
	size_t i;
	int err = 0;

	for (i = 0; i < run->rec->nr_groups && !err; i++)
		err = attach_group(run, &run->rec->groups[i]);
	return err;
}

/* Does the run end when all groups have hung up? Other groups than these hang up at once. */
static bool ends_with_groups(const struct run *run)
{
	const struct record *rec = run->rec;
	size_t i;

	/* If there is a command, the run ends with that. */
	if (run->ending.w.pid)
		return false;
	for (i = 0; i < rec->nr_groups; i++)
		if (rec->target.kind != TARGET_TASKS && !cgroup_of(rec->groups[i].events))
			return false;
	return true;
}

/* The column that tells apart several attachments to the same event. */
static const char *place_column(const struct record *rec)
{
	if (cgroups_named(&rec->cgroups))
		return "CGROUP";
	return rec->target.kind == TARGET_TASKS ? "TASK" : NULL;
}

static char *place_of(const struct record *rec, const struct record_group *group)
{
	const struct cgroup *cgroup = cgroup_of(group->events);

	if (cgroup)
		return xstrdup(cgroup->name);
	if (rec->target.kind == TARGET_TASKS)
		return xasprintf("%u", rec->target.tasks.n[group->source.task]);
	return NULL;
}

/* Prints the statistics so far: at the end, and for --control snapshot. */
static int report(void *arg)
{
	const struct run *run = arg;
	const struct record *rec = run->rec;
	struct bpf_attachments list = { .place = place_column(rec) };
	size_t i, j;
	int err;

	if (rec->opt.quiet)
		return 0;
	for (i = 0; i < rec->nr_groups; i++) {
		const struct record_group *group = &rec->groups[i];

		for (j = 0; j < group->source.nr; j++) {
			struct perfgrp_bpf_query query;
			struct bpf_attachment *a;

			if (!is_wanted(run, group->source.first_event + j))
				continue;
			/* Another process may have detached the program. */
			if (perfgrp_query_bpf(group->fd, group->source.ids[j], &query,
					      sizeof(query)))
				query = (struct perfgrp_bpf_query){ .id = group->source.ids[j] };
			a = bpf_attachments_add(&list, group->events->events[j].name, &query);
			a->place = place_of(rec, group);
		}
	}
	bpf_attachments_print(&list, run->out, run->opt->json);
	err = flush_output(run->out, run->opt->file ? run->opt->file : "standard error");
	bpf_attachments_free(&list);
	return err;
}

/* Waits until the command or the target ends, the time is over, or a signal or stop comes. */
static int wait_for_end(struct run *run)
{
	struct record *rec = run->rec;
	/* The exit of a task does not wake poll(2), so check for it regularly. */
	const bool watch = rec->target.kind == TARGET_TASKS;
	bool timing = false;
	int gone, err = 0;

	record_set_polls(rec, &run->ending, 0);
	for (;;) {
		const bool delayed = rec->enable_at != ENDING_NEVER;

		/* The time begins after the delay. */
		if (!timing && !delayed) {
			ending_set_time(&run->ending, run->opt->duration);
			timing = true;
		}
		gone = record_poll(rec, watch || delayed ? record_timeout(rec->enable_at) : -1);
		if (gone < 0)
			return gone;
		if (ending_has_come(&run->ending) || (gone && ends_with_groups(run)))
			return 0;
		if (record_obey(rec, report, run, &err))
			return err;
		err = record_enable_if_due(rec);
		if (err)
			return err;
	}
}

static int run_all(struct run *run)
{
	struct record *rec = run->rec;
	int err;

	err = control_begin_run(&rec->control);
	if (err)
		return err;
	run->ending.other_fd = rec->control.fd;
	err = ending_prepare_command(&run->ending, &rec->target, STDOUT_FILENO);
	if (err)
		return err;
	err = record_open(rec);
	if (!err)
		err = attach_all(run);
	if (!err && run->opt->pin)
		err = bpf_pin(run->prog_fd, run->opt->pin);
	if (!err)
		err = record_begin(rec);
	if (err) {
		workload_cancel(&run->ending.w);
		return err;
	}
	err = ending_start_command(&run->ending);
	if (err)
		return err;
	record_begin_delay(rec);
	err = wait_for_end(run);
	if (!err)
		err = record_each_group(rec, perfgrp_disable);
	control_end_run(&rec->control);
	ending_stop_command(&run->ending);
	return err ? err : report(run);
}

/**
 * bpf_attach_own - sample events with a program attached, until the end
 * @opt: what to sample, and how
 * @prog_fd: the program
 *
 * Return: the exit status. If a signal ended the run, the process kills itself with it instead.
 */
int bpf_attach_own(struct bpf_options *opt, int prog_fd)
{
	struct run run = { .opt = opt, .rec = &opt->rec, .prog_fd = prog_fd, .out = stderr };
	int err;

	opt->rec.dev = cmd_open_device(&opt->rec.info, PERFGRP_FEATURE_BPF, "bpf");
	if (!opt->rec.dev)
		return EXIT_FAILED;
	if (opt->file)
		run.out = fopen(opt->file, "we");
	if (!run.out) {
		error("cannot write to %s: %s", opt->file, strerror(errno));
		return EXIT_FAILED;
	}
	/* poll(2) reports the exit of a task only for groups with a buffer. */
	run.rec->opt.programs_only = opt->rec.target.kind != TARGET_TASKS;
	run.rec->opt.buffer_size = BUFFER_SIZE;
	if (ending_begin(&run.ending))
		return EXIT_FAILED;
	err = run_all(&run);
	record_close(run.rec);
	if (opt->file && fclose(run.out)) {
		error("cannot write to %s", opt->file);
		err = -EIO;
	}
	if (err)
		return EXIT_FAILED;
	ending_finish(&run.ending);
	return ending_status(&run.ending, &run.rec->target);
}
