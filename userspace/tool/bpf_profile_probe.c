// SPDX-License-Identifier: GPL-2.0
/*
 * The programs of profile.bpf.c: loading them for the profiled and for an empty program, attaching
 * them to one of the two, and reading their totals.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf_profile.h"

/* The kernel returns it for what is not implemented, but userspace headers lack it. */
#ifndef ENOTSUPP
#define ENOTSUPP	524
#endif

/* Enough for the verifier's log of these programs. */
#define LOG_SIZE	65536

/* Size of an Ethernet header, the smallest packet. */
#define PACKET_SIZE	14

static const char *const begins[] = { "profile_begin", "empty_begin" };
static const char *const ends[] = { "profile_end", "empty_end" };

/* The first warning of libbpf; others follow from it. */
static char complaint[256];

static int keep_complaint(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (level == LIBBPF_WARN && !*complaint) {
		vsnprintf(complaint, sizeof(complaint), fmt, ap);
		complaint[strcspn(complaint, "\n")] = '\0';
	}
	return 0;
}

/* ---- loading ----------------------------------------------------------------- */

static struct bpf_program *find_program(const struct profile_probe *probe, const char *name)
{
	return xcheck(bpf_object__find_program_by_name(probe->object, name));
}

static int map_fd(const struct profile_probe *probe, const char *name)
{
	return bpf_object__find_map_fd_by_name(probe->object, name);
}

static int set_config(const struct profile_probe *probe, __u64 handle)
{
	const struct profile_config config = { .handle = handle, .nr = probe->nr_events };
	struct bpf_map *map = bpf_object__find_map_by_name(probe->object, ".rodata");

	return bpf_map__set_initial_value(xcheck(map), &config, sizeof(config));
}

/* Returns the last line of the verifier's log before its statistics, or "". */
static const char *last_line(char *log)
{
	char *line, *rest, *last = "";

	for (line = strtok_r(log, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (strncmp(line, "processed ", strlen("processed ")))
			last = line;
	return last;
}

/* Prints the verifier's or libbpf's message, which is more specific than the errno. */
static void say_why_not_loaded(const struct bpf_info *info, char *log, int err)
{
	const char *why = last_line(log);

	if (!*why && err == -EPERM)
		why = "this needs CAP_BPF and CAP_PERFMON, and a kernel that is not locked down";
	if (!*why)
		why = *complaint ? complaint : strerror(-err);
	error("cannot profile program %u (type %s): %s", info->id, bpf_info_type(info), why);
}

/* The empty program must be loaded before programs can be loaded to attach to it. */
static int load_empty(int *fd)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "empty");
	struct bpf_object *object;
	struct bpf_program *prog;
	int err;

	object = bpf_object__open_mem(profile_object, profile_object_end - profile_object, &opts);
	if (!object)
		return -errno;
	prog = xcheck(bpf_object__find_program_by_name(object, "empty"));
	bpf_program__set_autoload(prog, true);
	err = bpf_object__load(object);
	if (!err) {
		*fd = dup(bpf_program__fd(prog));
		err = *fd < 0 ? -errno : 0;
	}
	bpf_object__close(object);
	return err;
}

static int load_for(const struct profile_probe *probe, const char *name, int prog_fd,
		    const char *function, char *log)
{
	struct bpf_program *prog = find_program(probe, name);
	int err;

	bpf_program__set_autoload(prog, true);
	err = bpf_program__set_attach_target(prog, prog_fd, function);
	return err ? err : bpf_program__set_log_buf(prog, log, LOG_SIZE);
}

/**
 * profile_probe_load - load the programs for the profiled and for an empty program
 * @probe: filled in; must be closed even on failure
 * @handle: of the group
 * @nr_events: its events
 * @prog_fd: the program
 * @info: the program
 *
 * Return: 0, or a negative errno after printing an error
 */
int profile_probe_load(struct profile_probe *probe, __u64 handle, unsigned int nr_events,
		       int prog_fd, const struct bpf_info *info)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "profile");
	char *function, *log, *empty_log;
	int err;

	memset(probe, 0, sizeof(*probe));
	probe->empty_fd = -1;
	function = bpf_main_function(prog_fd);
	if (!function) {
		error("cannot profile program %u: it has no BTF, which is needed to attach to it (compile it with -g)",
		      info->id);
		return -EINVAL;
	}
	libbpf_set_print(keep_complaint);
	log = xcalloc(2, LOG_SIZE);
	empty_log = log + LOG_SIZE;
	probe->nr_events = nr_events;
	probe->nr_cpus = libbpf_num_possible_cpus();
	probe->per_cpu = xcalloc(probe->nr_cpus, sizeof(*probe->per_cpu));
	probe->object = bpf_object__open_mem(profile_object, profile_object_end - profile_object,
					     &opts);
	err = probe->object ? set_config(probe, handle) : -errno;
	if (!err)
		err = load_empty(&probe->empty_fd);
	if (!err)
		err = load_for(probe, "profile_begin", prog_fd, function, log);
	if (!err)
		err = load_for(probe, "profile_end", prog_fd, function, log);
	if (!err)
		err = load_for(probe, "empty_begin", probe->empty_fd, "empty", empty_log);
	if (!err)
		err = load_for(probe, "empty_end", probe->empty_fd, "empty", empty_log);
	if (!err)
		err = bpf_object__load(probe->object);
	if (err)
		say_why_not_loaded(info, *log ? log : empty_log, err);
	free(function);
	free(log);
	return err;
}

void profile_probe_close(struct profile_probe *probe)
{
	profile_probe_detach(probe);
	bpf_object__close(probe->object);
	if (probe->empty_fd >= 0)
		close(probe->empty_fd);
	free(probe->per_cpu);
	memset(probe, 0, sizeof(*probe));
	probe->empty_fd = -1;
}

/* ---- attaching --------------------------------------------------------------- */

static void say_why_not_attached(int err)
{
	if (err == -ENOTSUPP || err == -EOPNOTSUPP)
		error("this kernel cannot attach to BPF programs: it has no BPF trampolines on this architecture");
	else if (err == -E2BIG)
		error("too many programs are attached to that program already");
	else if (err == -EBUSY)
		error("that program has been replaced by another (freplace)");
	else
		error("cannot attach to the program: %s", strerror(-err));
}

/**
 * profile_probe_attach - attach the programs
 * @probe: loaded
 * @empty: attach to the empty program instead of the profiled one
 *
 * Return: 0, or a negative errno after printing an error
 */
int profile_probe_attach(struct profile_probe *probe, bool empty)
{
	const char *const names[] = { begins[empty], ends[empty] };
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		probe->links[i] = bpf_program__attach(find_program(probe, names[i]));
		if (probe->links[i])
			continue;
		err = -errno;
		say_why_not_attached(err);
		profile_probe_detach(probe);
		return err;
	}
	return 0;
}

void profile_probe_detach(struct profile_probe *probe)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probe->links); i++) {
		bpf_link__destroy(probe->links[i]);
		probe->links[i] = NULL;
	}
}

/**
 * profile_probe_run_empty - run the empty program
 * @probe: attached to the empty program
 * @times: how often
 *
 * Return: 0, or a negative errno after printing an error
 */
int profile_probe_run_empty(const struct profile_probe *probe, unsigned int times)
{
	char packet[PACKET_SIZE] = "";
	struct bpf_test_run_opts opts = {
		.sz = sizeof(opts),
		.data_in = packet,
		.data_size_in = sizeof(packet),
		.repeat = times,
	};
	int err = bpf_prog_test_run_opts(probe->empty_fd, &opts);

	if (err)
		error("cannot run an empty BPF program: %s", strerror(-err));
	return err;
}

/* ---- counting ---------------------------------------------------------------- */

/**
 * profile_probe_count - start or stop counting
 * @probe: loaded
 * @on: count runs that begin from now on
 *
 * Return: 0, or a negative errno after printing an error
 */
int profile_probe_count(const struct profile_probe *probe, bool on)
{
	const __u32 zero = 0, value = on;
	int err = bpf_map_update_elem(map_fd(probe, "counting"), &zero, &value, BPF_ANY);

	if (err)
		error("cannot start or stop counting in the BPF program: %s", strerror(-err));
	return err;
}

static void add_totals(struct profile_totals *to, const struct profile_totals *from,
		       unsigned int nr_events)
{
	unsigned int i;

	to->unmatched += from->unmatched;
	to->elsewhere += from->elsewhere;
	to->failed += from->failed;
	if (from->error)
		to->error = from->error;
	for (i = 0; i < nr_events && from->runs; i++) {
		struct profile_sum *sum = &to->sum[i];

		if (!to->runs)
			sum->sched_group = from->sum[i].sched_group;
		else if (sum->sched_group != from->sum[i].sched_group)
			sum->sched_group = 0;
		sum->raw += from->sum[i].raw;
		sum->enabled += from->sum[i].enabled;
		sum->running += from->sum[i].running;
		sum->flags |= from->sum[i].flags;
	}
	to->runs += from->runs;
}

/**
 * profile_probe_read - read the totals of all CPUs
 * @probe: loaded
 * @totals: filled in
 *
 * A run that ends just now may be included in part.
 *
 * Return: 0, or a negative errno after printing an error
 */
int profile_probe_read(const struct profile_probe *probe, struct profile_totals *totals)
{
	const __u32 zero = 0;
	int err, i;

	memset(totals, 0, sizeof(*totals));
	err = bpf_map_lookup_elem(map_fd(probe, "totals"), &zero, probe->per_cpu);
	if (err) {
		error("cannot read what was counted: %s", strerror(-err));
		return err;
	}
	for (i = 0; i < probe->nr_cpus; i++)
		add_totals(totals, &probe->per_cpu[i], probe->nr_events);
	return 0;
}

/**
 * profile_probe_missed - how often the kernel skipped the exit program
 * @probe: loaded
 * @missed: set to the number of its recursion misses
 *
 * Return: 0, or a negative errno after printing an error
 */
int profile_probe_missed(const struct profile_probe *probe, __u64 *missed)
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(find_program(probe, ends[0])), &info, &len)) {
		error("cannot read how many runs the BPF program missed: %s", strerror(errno));
		return -errno;
	}
	*missed = info.recursion_misses;
	return 0;
}
