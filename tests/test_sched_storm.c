// SPDX-License-Identifier: GPL-2.0
/*
 * The module links its groups in a kprobe in the perf core, which is hit for every
 * event of every task. Here other processes open and close events as fast as they can
 * while groups are created: both get the groups that they asked for.
 *
 * If a foreign event were linked to one of our leaders, or one of ours to a foreign
 * leader, a read of the foreign group would return a wrong number of events.
 */
#include "group.h"
#include "pmu.h"

#define NR_STRANGERS	4
#define NR_MAKERS	2
#define NR_MEMBERS	4
#define PAUSE_NS	20000

/* Shared by all processes of a test. */
static struct {
	unsigned long opened;
	bool stop;
} *shared;

static uint32_t event_type;
static uint64_t event_config;

static void choose_event(void)
{
	bool hardware = has_pmu();

	event_type = hardware ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	event_config = hardware ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	REQUIRE(shared != MAP_FAILED);
}

/* ---- the others ------------------------------------------------------------- */

/* What read(2) returns with PERF_FORMAT_GROUP | PERF_FORMAT_ID. */
struct group_read {
	uint64_t nr;
	struct {
		uint64_t value;
		uint64_t id;
	} event[16];
};

static int open_event(pid_t pid, int cpu, int leader)
{
	struct perf_event_attr attr = {
		.type = event_type,
		.size = sizeof(attr),
		.config = event_config,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	};
	int fd = syscall(__NR_perf_event_open, &attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	REQUIRE_GE(fd, 0);
	return fd;
}

static uint64_t event_id(int fd)
{
	uint64_t id = 0;

	REQUIRE(ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0);
	return id;
}

/* The events of FD's group are the NR of MEMBER and no other, leader first. */
static void expect_group(int fd, const int *member, unsigned int nr)
{
	struct group_read r = { .nr = 0 };
	unsigned int i;

	REQUIRE_GT(read(fd, &r, sizeof(r)), 0);
	EXPECT_EQ(r.nr, nr);
	for (i = 0; i < nr && r.nr == nr; i++)
		EXPECT_EQ(r.event[i].id, event_id(member[i]));
}

/*
 * Opens and closes a group of three events and a single event until stop, on this task or on CPU 0.
 * Pauses, because emulated CPUs take turns: the others wait for an answer of a CPU that is never
 * idle until the end of its turn.
 */
static void be_stranger(bool on_cpu)
{
	pid_t pid = on_cpu ? -1 : 0;
	int cpu = on_cpu ? 0 : -1, member[3], alone, i;

	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
		member[0] = open_event(pid, cpu, -1);
		member[1] = open_event(pid, cpu, member[0]);
		alone = open_event(pid, cpu, -1);
		member[2] = open_event(pid, cpu, member[0]);
		for (i = 0; i < 3; i++)
			expect_group(member[i], member, 3);
		expect_group(alone, &alone, 1);
		close(alone);
		for (i = 0; i < 3; i++)
			close(member[i]);
		__atomic_fetch_add(&shared->opened, 4, __ATOMIC_RELAXED);
		nap_ns(PAUSE_NS);
	}
}

static void start_strangers(pid_t *pid)
{
	int i;

	for (i = 0; i < NR_STRANGERS; i++) {
		pid[i] = fork();
		REQUIRE(pid[i] >= 0);
		if (pid[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			be_stranger(i % 2);
			_exit(0);
		}
	}
}

static void join(const pid_t *pid, unsigned int nr)
{
	unsigned int i;
	int status;

	for (i = 0; i < nr; i++) {
		REQUIRE(waitpid(pid[i], &status, 0) == pid[i]);
		EXPECT_EQ(status, 0);
	}
}

/* ---- ours --------------------------------------------------------------------- */

/* Each row has the members that were added, in the right scheduling groups. */
static void expect_members(int fd, const struct perfgrp_counter *c)
{
	static struct grp_snap s;
	const struct perfgrp_value *v;
	__u32 i, j;

	REQUIRE_EQ(grp_snapshot(fd, 0, &s), 0);
	REQUIRE_GT(s.hdr.nr_rows, 0);
	for (i = 0; i < s.hdr.nr_rows; i++) {
		REQUIRE_EQ(s.row[i].nr_values, NR_MEMBERS);
		for (j = 0; j < NR_MEMBERS; j++) {
			v = &s.value[s.row[i].first_value + j];
			EXPECT_EQ(v->id, c[j].id);
			EXPECT_EQ(v->flags & PERFGRP_VALUE_FAILED, 0);
			EXPECT_EQ(v->sched_group,
				  c[event_type == PERF_TYPE_HARDWARE ? 0 : j].id);
		}
	}
}

/* Creates groups on all CPUs and on this task; adds members at once and one by one. */
static void make_groups(unsigned int nr)
{
	struct perfgrp_counter c[NR_MEMBERS];
	unsigned int i, j;
	int fd;

	for (i = 0; i < nr; i++) {
		memset(c, 0, sizeof(c));
		for (j = 0; j < NR_MEMBERS; j++)
			c[j].event = PERFGRP_EVENT(event_type, event_config);
		fd = i % 2 ? grp_on_all_cpus(PERFGRP_CREATE_ENABLED) :
			     grp_on_task(PERFGRP_CREATE_ENABLED, 0);
		REQUIRE_GE(fd, 0);
		if (i % 4 < 2) {
			REQUIRE_EQ(grp_add_counters(fd, c, NR_MEMBERS), 0);
		} else {
			for (j = 0; j < NR_MEMBERS; j++)
				REQUIRE_EQ(grp_add_counters(fd, &c[j], 1), 0);
		}
		expect_members(fd, c);
		close(fd);
	}
}

TEST_LIMIT(storm, 90,
	   "G4 G21: groups made in a storm of perf_event_open are right, theirs and ours")
{
	pid_t stranger[NR_STRANGERS], maker[NR_MAKERS];
	unsigned int nr = rounds(100), i;

	choose_event();
	if (event_type == PERF_TYPE_HARDWARE)
		NEED_FEATURE(SCHED_GROUP);
	start_strangers(stranger);
	REQUIRE(BECOMES_TRUE(__atomic_load_n(&shared->opened, __ATOMIC_RELAXED) > 0, 10000));
	for (i = 0; i < NR_MAKERS; i++) {
		maker[i] = fork();
		REQUIRE(maker[i] >= 0);
		if (maker[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			make_groups(nr);
			_exit(0);
		}
	}
	join(maker, NR_MAKERS);
	/* Otherwise nobody interfered. */
	EXPECT_GT(shared->opened, nr);
	diag("%lu events opened by others while %u groups were made", shared->opened,
	     NR_MAKERS * nr);
	__atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);
	join(stranger, NR_STRANGERS);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
