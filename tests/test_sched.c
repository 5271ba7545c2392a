// SPDX-License-Identifier: GPL-2.0
/*
 * Members of one PMU are on it together or not at all, whoever else uses it:
 * perf's counters, other groups, perf stat. As a control, each group is compared
 * with as many ungrouped counters, which are read in the same way: if these had
 * equal times as well, the test would show nothing.
 */
#include "group.h"
#include "pmu.h"

#include <dirent.h>

#define NR_MEMBERS	3
#define NR_LOOKS	1000
#define TURNS		25000

/* What is counted: this task, or CPU 0, on which it runs. */
struct target {
	pid_t pid;
	int cpu;
};

static const struct target this_task = { .pid = 0, .cpu = -1 };
static const struct target first_cpu = { .pid = -1, .cpu = 0 };

static struct grp_snap snap;

/* NR_MEMBERS cycles counters: ids of one group's members, or a group each. */
struct counters {
	unsigned int nr_groups;
	int fd[NR_MEMBERS];
	__u32 id[NR_MEMBERS];
};

/* The values of all counters, and the time from the first to the last read. */
struct look {
	struct perfgrp_value value[NR_MEMBERS];
	uint64_t span;
};

static int open_group(struct target target)
{
	int fd = target.cpu < 0 ? grp_on_task(0, target.pid) : grp_on_cpu(0, target.cpu);

	REQUIRE_GE(fd, 0);
	return fd;
}

static struct counters one_group(struct target target)
{
	struct perfgrp_counter spec[NR_MEMBERS];
	struct counters c = { .nr_groups = 1, .fd = { open_group(target) } };
	unsigned int i;

	fill_counters(spec, NR_MEMBERS, PERFGRP_HW_CPU_CYCLES);
	REQUIRE_EQ(grp_add_counters(c.fd[0], spec, NR_MEMBERS), 0);
	for (i = 0; i < NR_MEMBERS; i++)
		c.id[i] = spec[i].id;
	return c;
}

static struct counters a_group_each(struct target target)
{
	struct counters c = { .nr_groups = NR_MEMBERS };
	unsigned int i;
	int id;

	for (i = 0; i < NR_MEMBERS; i++) {
		c.fd[i] = open_group(target);
		id = grp_add(c.fd[i], PERFGRP_HW_CPU_CYCLES);
		REQUIRE_GT(id, 0);
		c.id[i] = id;
	}
	return c;
}

static void enable(const struct counters *c)
{
	unsigned int i;

	for (i = 0; i < c->nr_groups; i++)
		REQUIRE_EQ(grp_enable(c->fd[i]), 0);
}

static struct look look_at(const struct counters *c, struct target target)
{
	uint64_t first = 0;
	struct look look;
	unsigned int i;

	for (i = 0; i < NR_MEMBERS; i++) {
		if (i < c->nr_groups)
			REQUIRE_EQ(grp_snapshot(c->fd[i], 0, &snap), 0);
		if (i == 0)
			first = snap.row[0].time_before;
		look.value[i] = *snap_value(&snap, target.cpu, c->id[i]);
	}
	look.span = snap.row[0].time_after - first;
	return look;
}

/* The difference between the greatest and the least time on the PMU. */
static uint64_t spread(const struct look *look)
{
	uint64_t least = UINT64_MAX, most = 0;
	unsigned int i;

	for (i = 0; i < NR_MEMBERS; i++) {
		least = look->value[i].time_running < least ? look->value[i].time_running : least;
		most = look->value[i].time_running > most ? look->value[i].time_running : most;
	}
	return most - least;
}

/* Waits until the counters are multiplexed. */
static void await_fight(const struct counters *c, struct target target)
{
	struct look look;
	unsigned int i;

	for (i = 0; i < 100000; i++) {
		spin(TURNS);
		look = look_at(c, target);
		if (look.value[0].state == PERFGRP_STATE_MULTIPLEXED)
			return;
	}
	fail("nobody wants the PMU");
	test_end();
}

/* The caller has started the load. */
static void expect_together(struct target target)
{
	struct counters grouped = one_group(target), single = a_group_each(target);
	unsigned int i, j, nr = rounds(NR_LOOKS), apart = 0;
	uint64_t widest = 0;
	struct look look;

	enable(&grouped);
	enable(&single);
	await_fight(&single, target);
	await_fight(&grouped, target);
	for (i = 0; i < nr; i++) {
		spin(TURNS);
		look = look_at(&single, target);
		apart += spread(&look) > look.span;
		widest = spread(&look) > widest ? spread(&look) : widest;

		look = look_at(&grouped, target);
		EXPECT_EQ(spread(&look), 0);
		for (j = 0; j < NR_MEMBERS; j++) {
			EXPECT_EQ(look.value[j].state, PERFGRP_STATE_MULTIPLEXED);
			EXPECT_EQ(look.value[j].time_enabled, look.value[0].time_enabled);
			EXPECT_EQ(look.value[j].sched_group, grouped.id[0]);
			expect_plausible(&look.value[j]);
		}
	}
	/* They have counted the same, except for the time to read one after the other. */
	for (j = 1; j < NR_MEMBERS; j++) {
		EXPECT_GE(look.value[j].raw, look.value[j - 1].raw);
		EXPECT_LE(look.value[j].raw - look.value[j - 1].raw, look.span);
	}
	/* The ungrouped counters, read in the same way, are not on the PMU together. */
	EXPECT_GT(apart, nr / 4);
	diag("%u of %u looks at single counters saw them apart, by %llu ns at most", apart, nr,
	     (unsigned long long)widest);
}

/* The size of a load with which twice as many counters are wanted as the PMU has. */
static unsigned int load_size(void)
{
	unsigned int size = pmu_size();

	NEED_FEATURE(SCHED_GROUP);
	if (size <= NR_MEMBERS)
		skip("the PMU has no room for more than %u members", NR_MEMBERS);
	return 2 * size - 2 * NR_MEMBERS;
}

TEST_LIMIT(beside_perf_task, 60, "G4: a task's members stay together among perf's counters")
{
	pmu_load(load_size(), 0, -1, NULL);
	expect_together(this_task);
}

TEST_LIMIT(beside_perf_cpu, 60, "G4: a CPU's members stay together among perf's counters")
{
	run_on(0);
	pmu_load(load_size(), -1, 0, NULL);
	expect_together(first_cpu);
}

static void group_load(struct target target)
{
	unsigned int nr = load_size(), i;

	for (i = 0; i < nr; i += NR_MEMBERS) {
		struct counters c = one_group(target);

		enable(&c);
	}
}

TEST_LIMIT(beside_groups_task, 60, "G4 G21: a task's members stay together among other groups")
{
	group_load(this_task);
	expect_together(this_task);
}

TEST_LIMIT(beside_groups_cpu, 60, "G4 G21: a CPU's members stay together among other groups")
{
	run_on(0);
	group_load(first_cpu);
	expect_together(first_cpu);
}

/* The number of perf event fds that a process has open. */
static unsigned int nr_perf_events(pid_t pid)
{
	char path[64], target[64];
	unsigned int nr = 0;
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	REQUIRE(dir);
	while ((entry = readdir(dir))) {
		ssize_t length = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target));

		nr += length > 0 && memmem(target, length, "perf_event", 10);
	}
	closedir(dir);
	return nr;
}

/*
 * Starts a perf stat that counts cycles, often enough to fill the PMU twice, until it is killed.
 * Waits for it asleep: with --icount an emulated CPU that spins can starve the others.
 */
static void perf_stat_load(const char *option, int number)
{
	unsigned int nr = load_size(), i;
	char events[PMU_MANY * 2 * sizeof("cycles")] = "cycles", text[16];
	pid_t pid;
	int null;

	if (access("/usr/bin/perf", X_OK))
		skip("no perf on this machine");
	for (i = 1; i < nr; i++)
		strcat(events, ",cycles");
	snprintf(text, sizeof(text), "%d", number);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execl("/usr/bin/perf", "perf", "stat", "-e", events, option, text, (char *)NULL);
		_exit(127);
	}
	while (nr_perf_events(pid) < nr)
		nap_ns(10000000);
	/* perf stat enables them next. */
	nap_ns(100000000);
}

TEST_LIMIT(beside_perf_stat_task, 60, "G4: a task's members stay together beside perf stat -t")
{
	perf_stat_load("-t", getpid());
	expect_together(this_task);
}

TEST_LIMIT(beside_perf_stat_cpu, 60, "G4: a CPU's members stay together beside perf stat -C")
{
	perf_stat_load("-C", 0);
	run_on(0);
	expect_together(first_cpu);
}

int main(int argc, char **argv)
{
	if (!has_pmu())
		skip_all("no hardware counters");
	return run_tests(argc, argv);
}
