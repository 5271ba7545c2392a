// SPDX-License-Identifier: GPL-2.0
/*
 * Each ioctl with its first, second, third... allocation, or copy from or to user
 * memory, failing, until none is left to fail. The ioctl fails with a reason and
 * changes nothing. kmemleak finds leaks at the end of the guest.
 *
 * Needs a kernel with fault injection (CONFIG_FAULT_INJECTION and related options).
 */
#include "cgroup.h"
#include "faults.h"
#include "pmu.h"
#include "program.h"

#define MAX_NTH		5000
#define SECONDS		400

/* ---- trials -------------------------------------------------------------------- */

#define SELDOM	   (1ULL << 40)	/* a sample period that never ends during a test */

/* A group that counts page faults, and its CPU's clock, on all CPUs. */
struct scene {
	int dev;
	int fd;
	int made;		/* a group created by the trial */
	int cpu;		/* where this process runs */
	int ids[3];
	__u64 raw;
	int program;		/* attached nowhere */
	int dir;		/* a cgroup's, or -1 */
};

struct trial {
	const char *name;
	int (*run)(struct scene *s);
	/* Extends the scene before the trial; how many members that adds. */
	void (*prepare)(struct scene *s);
	int extra;
	/* Looks, after the trial, at what check_scene() does not know. */
	void (*check)(struct scene *s, int ret);
	/* The call itself retries after a failure, and has no struct perfgrp_error. */
	bool tries_again;
	/* How many members it adds if it succeeds. */
	int more;
	/* If it succeeds: the counts restart from zero; the group stops counting. */
	bool restarts;
	bool stops;
	/* A program is attached before the trial; after it, if it succeeds. */
	bool attached, attaches;
	bool needs_kfunc;
	bool needs_pmu;
};

static int change_program(const struct scene *s, unsigned long nr)
{
	struct perfgrp_bpf_attach attach = { .size = sizeof(attach), .id = s->ids[0],
					     .prog_fd = s->program };

	return grp_ioctl(s->fd, nr, &attach);
}

static int detach_program(const struct scene *s)
{
	struct perfgrp_bpf_detach detach = { .size = sizeof(detach), .id = s->ids[0] };

	return grp_ioctl(s->fd, PERFGRP_BPF_DETACH, &detach);
}

static int query_program(const struct scene *s)
{
	struct perfgrp_bpf_query query = { .size = sizeof(query), .id = s->ids[0] };

	return grp_ioctl(s->fd, PERFGRP_BPF_QUERY, &query);
}

static struct scene make_scene(const struct trial *t)
{
	struct perfgrp_counter faults = { .event = PERFGRP_SW_PAGE_FAULTS,
					  .sample_period = SELDOM };
	struct scene s = { .dev = grp_device(), .made = -1, .program = load_program(), .dir = -1 };
	struct cpus cpus;

	cpus_online(&cpus);
	s.cpu = cpus.cpu[0];
	s.fd = grp_create_like((struct perfgrp_create){ .flags = PERFGRP_CREATE_ENABLED,
							.target = PERFGRP_TARGET_ALL_CPUS,
							.buffer_size = 8192 });
	REQUIRE_GE(s.fd, 0);
	REQUIRE_GE(s.program, 0);
	REQUIRE_EQ(grp_add_counters(s.fd, &faults, 1), 0);
	s.ids[0] = faults.id;
	s.ids[1] = grp_add(s.fd, PERFGRP_SW_CPU_CLOCK);
	REQUIRE_GT(s.ids[0], 0);
	REQUIRE_GT(s.ids[1], 0);
	if (t->attached)
		REQUIRE_EQ(change_program(&s, PERFGRP_BPF_ATTACH), 0);
	if (t->prepare)
		t->prepare(&s);
	fault_in(100);
	s.raw = grp_value_on(s.fd, s.cpu, s.ids[0]).raw;
	return s;
}

static struct grp_members members;

/* The scene is as expected after a trial that returned RET, and usable. */
static void check_scene(struct scene *s, const struct trial *t, int ret)
{
	int wanted = 2 + t->extra + (ret ? 0 : t->more);
	__u64 before, after;

	REQUIRE_EQ(grp_query(s->fd, &members), 0);
	EXPECT_EQ(members.hdr.nr_counters, wanted);
	EXPECT_EQ(members.counter[0].id, s->ids[0]);
	EXPECT_EQ(members.hdr.enabled, ret || !t->stops);

	EXPECT_EQ(query_program(s), (ret ? t->attached : t->attaches) ? 0 : -ENOENT);
	before = grp_value_on(s->fd, s->cpu, s->ids[0]).raw;
	if (ret || !t->restarts)
		EXPECT_GE(before, s->raw);
	else
		EXPECT_LT(before, s->raw);
	REQUIRE_EQ(grp_enable(s->fd), 0);
	fault_in(5);
	after = grp_value_on(s->fd, s->cpu, s->ids[0]).raw;
	EXPECT_GE(after, before + 5);
}

static void check_refusal(const struct trial *t, unsigned int nth, int ret)
{
	bool good = error_is_sane(&grp_error, -ret);

	if (ret == -EFAULT)
		good = good && grp_error.reason == PERFGRP_REASON_POINTER;
	else
		good = good && ret == -ENOMEM && grp_error.reason == PERFGRP_REASON_MEMORY;
	if (good)
		return;
	fail("%s: failure %u: returned %d", t->name, nth, ret);
	diag_error(&grp_error);
}

static void try_all(const struct trial *t)
{
	unsigned int nth, hits = 0, refusals = 0;
	unsigned int fds = nr_open_fds();
	struct cpus cpus;
	bool hit = true;

	if ((t->attached || t->attaches) && !(grp_info().features & PERFGRP_FEATURE_BPF))
		skip("the module has no BPF");
	if (t->needs_kfunc && !(grp_info().features & PERFGRP_FEATURE_KFUNC))
		skip("the module has no KFUNC");
	if (t->needs_pmu && !has_pmu())
		skip("no hardware counters");
	prepare_faults();
	settle_memory();
	cpus_online(&cpus);
	run_on(cpus.cpu[0]);
	for (nth = 1; hit && !verdict->failed; nth++) {
		struct scene s = make_scene(t);
		int ret;

		REQUIRE(nth < MAX_NTH);
		faults_on(nth);
		ret = t->run(&s);
		hit = faults_off();
		hits += hit;
		refusals += ret < 0;
		if (ret < 0)
			check_refusal(t, nth, ret);
		if (!hit)
			EXPECT_EQ(ret, 0);
		check_scene(&s, t, ret);
		if (t->check)
			t->check(&s, ret);
		close(s.fd);
		close(s.program);
		if (s.made >= 0)
			close(s.made);
		if (s.dir >= 0)
			close(s.dir);
		close(s.dev);
		if (verdict->failed)
			diag("%s: at failure %u, returned %d", t->name, nth, ret);
	}
	close(fail_nth);
	EXPECT_EQ(nr_open_fds(), fds);
	if (t->tries_again)
		EXPECT_EQ(refusals, 0);
	else
		EXPECT_GT(refusals, 0);
	diag("%s: %u failures, of which it could not do without %u", t->name, hits, refusals);
}

#define TRIAL(fn, text, ...)							\
	static int run_##fn(struct scene *s);					\
	TEST_LIMIT(fn, SECONDS, text)					\
	{									\
		static const struct trial trial = {				\
			.name = #fn, .run = run_##fn, ##__VA_ARGS__		\
		};								\
		try_all(&trial);						\
	}									\
	static int run_##fn(struct scene *s)

TRIAL(info, "A5: GET_INFO")
{
	struct perfgrp_info info = { .size = sizeof(info) };

	return grp_ioctl(s->dev, PERFGRP_GET_INFO, &info);
}

static int made(struct scene *s, int ret)
{
	s->made = ret;
	return ret < 0 ? ret : 0;
}

TRIAL(create_on_all_cpus, "A5: CREATE on all CPUs")
{
	return made(s, grp_create_on(s->dev, PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_ALL_CPUS, 0,
				     NULL, 0));
}

TRIAL(create_on_cpu, "A5: CREATE on a list of CPUs")
{
	__u32 cpu = s->cpu;

	return made(s, grp_create_on(s->dev, PERFGRP_CREATE_NO_MUX, PERFGRP_TARGET_CPUS, 0, &cpu,
				     1));
}

TRIAL(create_mapped, "A5 M6: CREATE of a group whose rows can be mapped")
{
	struct perfgrp_create create = {
		.size = sizeof(create), .flags = PERFGRP_CREATE_MAPPED,
		.target = PERFGRP_TARGET_ALL_CPUS, .map_interval = 1000000, .fd = -1,
	};
	int ret = grp_ioctl(s->dev, PERFGRP_CREATE, &create);

	return made(s, ret ? ret : create.fd);
}

TRIAL(create_mapped_with_records, "A5 M6 B9: CREATE of one that gets records of BPF programs")
{
	struct perfgrp_create create = {
		.size = sizeof(create), .flags = PERFGRP_CREATE_MAPPED | PERFGRP_CREATE_BPF_EVENTS,
		.target = PERFGRP_TARGET_ALL_CPUS, .buffer_size = 8192, .fd = -1,
	};
	int ret = grp_ioctl(s->dev, PERFGRP_CREATE, &create);

	return made(s, ret ? ret : create.fd);
}

TRIAL(create_on_task, "A5: CREATE on a task")
{
	return made(s, grp_create_on(s->dev, PERFGRP_CREATE_INHERIT, PERFGRP_TARGET_TASK, 0, NULL,
				     0));
}

TRIAL(create_until_exec, "A5 G24: CREATE with ENABLE_ON_EXEC")
{
	return made(s, grp_create_on(s->dev, PERFGRP_CREATE_ENABLE_ON_EXEC, PERFGRP_TARGET_TASK, 0,
				     NULL, 0));
}

/* The root, of cgroup2. */
static void open_root(struct scene *s)
{
	s->dir = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0)
		skip("no cgroups");
}

static int create_on_dir(struct scene *s, __u32 flags, __u32 target)
{
	struct perfgrp_create create = {
		.size = sizeof(create), .flags = PERFGRP_CREATE_ENABLED | flags, .target = target,
		.target_fd = s->dir, .fd = -1,
	};
	int ret = grp_ioctl(s->dev, PERFGRP_CREATE, &create);

	return made(s, ret ? ret : create.fd);
}

TRIAL(create_on_cgroup, "A5 C1: CREATE on a cgroup", .prepare = open_root)
{
	return create_on_dir(s, 0, PERFGRP_TARGET_CGROUP);
}

TRIAL(create_split, "A5 C10: CREATE that splits by cgroup", .prepare = open_root)
{
	return create_on_dir(s, PERFGRP_CREATE_SPLIT_BY_CGROUP, PERFGRP_TARGET_ALL_CPUS);
}

static int add_to_made(struct scene *s)
{
	struct perfgrp_counter counters[2] = {
		{ .event = PERFGRP_SW_CONTEXT_SWITCHES },
		{ .event = PERFGRP_SW_MINOR_FAULTS },
	};

	return grp_add_counters(s->made, counters, 2);
}

static void make_cgroup_group(struct scene *s)
{
	open_root(s);
	REQUIRE_EQ(create_on_dir(s, 0, PERFGRP_TARGET_CGROUP), 0);
}

static void make_split_group(struct scene *s)
{
	open_root(s);
	REQUIRE_EQ(create_on_dir(s, PERFGRP_CREATE_SPLIT_BY_CGROUP, PERFGRP_TARGET_ALL_CPUS), 0);
}

static void fill_split_group(struct scene *s)
{
	make_split_group(s);
	REQUIRE_EQ(add_to_made(s), 0);
}

TRIAL(add_on_cgroup, "A5 C1: ADD to a group on a cgroup", .prepare = make_cgroup_group)
{
	return add_to_made(s);
}

TRIAL(add_split, "A5 C10: ADD to a group that is split", .prepare = make_split_group)
{
	return add_to_made(s);
}

TRIAL(snapshot_split, "A5 C10: SNAPSHOT of a group that is split", .prepare = fill_split_group)
{
	static struct grp_snap split;

	return grp_snapshot(s->made, PERFGRP_SNAPSHOT_TOTALS, &split);
}

static __u64 removed;	/* the inode of a cgroup */

static void remove_cgroup(struct scene *s)
{
	struct cgroup cg;

	s->made = cgroup_split_group(&cg);
	removed = cgroup_ino(&cg);
	cgroup_remove(&cg);
	close(cg.fd);
}

static void expect_removal_told_once(struct scene *s, int ret)
{
	const struct perfgrp_row *row = cgroup_row(s->made, removed);

	EXPECT_EQ(!!row, ret < 0);
	if (row)
		EXPECT(!cgroup_row(s->made, removed));
}

TRIAL(snapshot_removed, "A5 C10: SNAPSHOT that tells of a removed cgroup",
      .prepare = remove_cgroup, .check = expect_removal_told_once)
{
	static struct grp_snap split;

	return grp_snapshot(s->made, PERFGRP_SNAPSHOT_TOTALS, &split);
}

static void make_mapped_group(struct scene *s)
{
	s->made = grp_create_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_MAPPED,
		.target = PERFGRP_TARGET_ALL_CPUS, .map_interval = 1000000 });
	REQUIRE_GE(s->made, 0);
	REQUIRE_EQ(add_to_made(s), 0);
}

TRIAL(snapshot_cached, "A5 M4: SNAPSHOT with CACHED", .prepare = make_mapped_group)
{
	static struct grp_snap cached;

	cached.hdr = (struct perfgrp_snapshot){
		.size = sizeof(cached.hdr), .flags = PERFGRP_SNAPSHOT_CACHED,
		.rows = to_u64(cached.row), .row_size = sizeof(cached.row[0]),
		.nr_rows = MAX_ROWS, .values = to_u64(cached.value),
		.value_size = sizeof(cached.value[0]), .nr_values = MAX_VALUES,
	};
	return grp_ioctl(s->made, PERFGRP_SNAPSHOT, &cached.hdr);
}

TRIAL(add_two, "A5 G8: ADD, all or none", .more = 2, .restarts = true)
{
	struct perfgrp_counter counters[2] = {
		{ .event = PERFGRP_SW_CONTEXT_SWITCHES },
		{ .event = PERFGRP_SW_MINOR_FAULTS },
	};

	return grp_add_counters(s->fd, counters, 2);
}

TRIAL(remove_member, "A5: REMOVE", .more = -1)
{
	return grp_remove(s->fd, s->ids[1], 0);
}

/* Adds three counters that are one scheduling group on each CPU; the first leads it. */
static void add_set(struct scene *s)
{
	struct perfgrp_counter counters[3] = {
		{ .event = PERFGRP_HW_CPU_CYCLES }, { .event = PERFGRP_HW_CPU_CYCLES },
		{ .event = PERFGRP_HW_INSTRUCTIONS },
	};

	REQUIRE_EQ(grp_add_counters(s->fd, counters, 3), 0);
	s->ids[2] = counters[0].id;
}

TRIAL(remove_leader_of_set, "A5 G11: REMOVE that creates other members' events again", .more = -1,
      .prepare = add_set, .extra = 3, .needs_pmu = true)
{
	return grp_remove(s->fd, s->ids[2], 0);
}

TRIAL(enable, "A5: ENABLE")
{
	return grp_enable(s->fd);
}

TRIAL(disable, "A5: DISABLE", .stops = true)
{
	return grp_disable(s->fd);
}

TRIAL(reset, "A5: RESET", .restarts = true)
{
	return grp_reset(s->fd);
}

static struct grp_snap snap;

TRIAL(snapshot, "A5: SNAPSHOT")
{
	return grp_snapshot(s->fd, 0, &snap);
}

TRIAL(totals, "A5: SNAPSHOT of totals")
{
	return grp_snapshot(s->fd, PERFGRP_SNAPSHOT_TOTALS, &snap);
}

TRIAL(snapshot_reset, "A5 S13: SNAPSHOT with RESET", .restarts = true)
{
	return grp_snapshot(s->fd, PERFGRP_SNAPSHOT_RESET, &snap);
}

TRIAL(query, "A5: QUERY")
{
	return grp_query(s->fd, &members);
}

TRIAL(create_with_buffer, "A5: CREATE with a buffer, and records of BPF programs")
{
	struct perfgrp_create create = {
		.size = sizeof(create),
		.flags = PERFGRP_CREATE_BPF_EVENTS,
		.target = PERFGRP_TARGET_ALL_CPUS,
		.buffer_size = 8192,
	};
	int ret = grp_ioctl(s->dev, PERFGRP_CREATE, &create);

	return made(s, ret ? ret : create.fd);
}

static struct cpus listed;

static void list_cpus(struct scene *s __maybe_unused)
{
	cpus_online(&listed);
}

TRIAL(create_on_cpus_with_buffer, "A5: CREATE with a buffer on a list of CPUs",
      .prepare = list_cpus)
{
	struct perfgrp_create create = {
		.size = sizeof(create),
		.target = PERFGRP_TARGET_CPUS,
		.cpus = (uintptr_t)listed.cpu,
		.nr_cpus = listed.nr < 2 ? listed.nr : 2,
		.buffer_size = 8192,
	};
	int ret = grp_ioctl(s->dev, PERFGRP_CREATE, &create);

	return made(s, ret ? ret : create.fd);
}

TRIAL(set_period, "A5: SET_PERIOD")
{
	struct perfgrp_period period = { .size = sizeof(period), .id = s->ids[0],
					 .sample_period = SELDOM / 2 };

	return grp_ioctl(s->fd, PERFGRP_SET_PERIOD, &period);
}

TRIAL(stream_stats, "A5: GET_STREAM_STATS")
{
	struct perfgrp_stream_stats stream = { .size = sizeof(stream) };

	return grp_ioctl(s->fd, PERFGRP_GET_STREAM_STATS, &stream);
}

/* Makes a few records, and no more. */
static void make_records(struct scene *s)
{
	struct perfgrp_period period = { .size = sizeof(period), .id = s->ids[0],
					 .sample_period = 1 };

	REQUIRE_EQ(grp_ioctl(s->fd, PERFGRP_SET_PERIOD, &period), 0);
	fault_in(5);
	period.sample_period = SELDOM;
	REQUIRE_EQ(grp_ioctl(s->fd, PERFGRP_SET_PERIOD, &period), 0);
}

TRIAL(read_records, "A5 O5: read(2)", .prepare = make_records, .tries_again = true)
{
	static char buf[65536];

	return read(s->fd, buf, sizeof(buf)) > 0 ? 0 : -errno;
}

TRIAL(bpf_attach, "A5: BPF_ATTACH", .attaches = true)
{
	return change_program(s, PERFGRP_BPF_ATTACH);
}

TRIAL(bpf_replace, "A5: BPF_REPLACE", .attached = true, .attaches = true)
{
	return change_program(s, PERFGRP_BPF_REPLACE);
}

TRIAL(bpf_detach, "A5: BPF_DETACH", .attached = true)
{
	return detach_program(s);
}

TRIAL(bpf_query, "A5: BPF_QUERY", .attached = true, .attaches = true)
{
	return query_program(s);
}

/* A process has room for 64 files before the kernel must allocate more. */
#define LAST_FILE	63

static int files[LAST_FILE + 1];
static unsigned int nr_files;

static void fill_files(struct scene *s)
{
	int fd;

	nr_files = 0;
	do {
		fd = dup(s->dev);
		REQUIRE_GE(fd, 0);
		files[nr_files++] = fd;
	} while (fd < LAST_FILE);
}

static void close_files(struct scene *s, int ret)
{
	if (!ret)
		EXPECT_GT(s->made, LAST_FILE);
	while (nr_files)
		close(files[--nr_files]);
}

TRIAL(open_reader, "A5: OPEN_READER", .prepare = fill_files, .check = close_files)
{
	struct perfgrp_reader reader = { .size = sizeof(reader) };
	int ret = grp_ioctl(s->fd, PERFGRP_OPEN_READER, &reader);

	return made(s, ret ? ret : reader.fd);
}

TRIAL(bpf_events, "A5: BPF_EVENTS_ON and _OFF")
{
	struct perfgrp_control control = { .size = sizeof(control) };
	int ret = grp_ioctl(s->fd, PERFGRP_BPF_EVENTS_ON, &control);

	/* The second call must not overwrite the reason why the first failed. */
	return ret ? ret : grp_ioctl(s->fd, PERFGRP_BPF_EVENTS_OFF, &control);
}

TRIAL(bpf_handle, "A5: GET_BPF_HANDLE", .needs_kfunc = true)
{
	struct perfgrp_bpf_handle handle = { .size = sizeof(handle) };

	return grp_ioctl(s->fd, PERFGRP_GET_BPF_HANDLE, &handle);
}

int main(int argc, char **argv)
{
	if (!can_fail())
		skip_all("this kernel cannot let allocations fail");
	return run_tests(argc, argv);
}
