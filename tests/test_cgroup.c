// SPDX-License-Identifier: GPL-2.0
/*
 * Groups on cgroups (PERFGRP_TARGET_CGROUP): what they count, beside perf's own counters on the
 * same cgroups, and what becomes of them when the cgroup is removed.
 */
#include "caps.h"
#include "cgroup.h"
#include "pmu.h"
#include "ring.h"

#include <linux/hw_breakpoint.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#define CPU		1	/* that goes off line */
#define WAKE_MS		(is_debug_kernel() ? 10000 : 1000)

static struct grp_snap snap;
static struct grp_members members;
static struct cpus cpus;

static void arrange(void)
{
	need_cgroups();
	cpus_online(&cpus);
}

static void need_two_cpus(void)
{
	if (cpus.nr < 2)
		skip("there is one CPU");
}

/* Samples each page fault of user mode. */
static struct perfgrp_counter sampled_faults(void)
{
	return (struct perfgrp_counter){
		.event = PERFGRP_SW_PAGE_FAULTS,
		.flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
		.sample_period = 1,
	};
}

/* A group on the cgroup and all CPUs, with one member, its page faults. */
static int faults_of(__u32 flags, const struct cgroup *cg, int *id)
{
	int fd = grp_on_cgroup(flags, cg->fd, NULL, 0);

	REQUIRE_GE(fd, 0);
	*id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(*id, 0);
	return fd;
}

static struct perfgrp_value total(int fd, __u32 id)
{
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_rows, 1);
	return *snap_value(&snap, -1, id);
}

static bool is_absent(int fd, int cpu, __u32 id)
{
	return grp_value_on(fd, cpu, id).flags & PERFGRP_VALUE_ABSENT;
}

/* A member that counts zero because the cgroup has not run here. */
static void expect_absent(const struct perfgrp_value *v)
{
	EXPECT_EQ(v->state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(v->flags, PERFGRP_VALUE_ABSENT | PERFGRP_VALUE_SCALED);
	EXPECT_EQ(v->raw, 0);
	EXPECT_EQ(v->scaled, 0);
	EXPECT_EQ(v->time_enabled, 0);
	EXPECT_EQ(v->time_running, 0);
}

/* Member ID in all rows, and in the totals. */
static void expect_absent_everywhere(int fd, __u32 id)
{
	struct perfgrp_value v = total(fd, id);
	__u32 i;

	expect_absent(&v);
	for (i = 0; i < cpus.nr; i++) {
		v = grp_value_on(fd, cpus.cpu[i], id);
		expect_absent(&v);
	}
}

/* ---- perf's own counters on all CPUs --------------------------------------------- */

struct peers {
	int fd[MAX_CPUS];
};

static struct peers peers_open(const struct cgroup *cg, __u64 config)
{
	struct peers p;
	__u32 i;

	for (i = 0; i < cpus.nr; i++) {
		p.fd[i] = peer_on_cgroup(PERF_TYPE_SOFTWARE, config, cg->fd, cpus.cpu[i]);
		REQUIRE_GE(p.fd[i], 0);
	}
	return p;
}

static void peers_enable(const struct peers *p)
{
	__u32 i;

	for (i = 0; i < cpus.nr; i++)
		peer_enable(p->fd[i]);
}

static void peers_disable(const struct peers *p)
{
	__u32 i;

	for (i = 0; i < cpus.nr; i++)
		peer_disable(p->fd[i]);
}

static struct peer_value peers_sum(const struct peers *p)
{
	struct peer_value sum = {}, v;
	__u32 i;

	for (i = 0; i < cpus.nr; i++) {
		v = peer_read(p->fd[i]);
		sum.value += v.value;
		sum.enabled += v.enabled;
		sum.running += v.running;
	}
	return sum;
}

/* Two times of the same thing, each switched on and off a little apart from the other. */
static void expect_close_ns(__u64 ours, __u64 theirs)
{
	__u64 apart = ours > theirs ? ours - theirs : theirs - ours;

	if (apart > theirs / 50 + 2000000)
		fail("%llu ns are not close to perf's %llu ns", ours, theirs);
}

/* ---- C1: targets ----------------------------------------------------------------- */

/* What fdinfo says of the group: its cgroup, and what is @behind that. */
static void expect_target(int fd, const struct cgroup *cg, const char *behind)
{
	char path[64], text[4096], want[256];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	REQUIRE_GT(read_file(path, text, sizeof(text)), 0);
	snprintf(want, sizeof(want), "\ntarget:\tcgroup %llu %s%s\n",
		 (unsigned long long)cgroup_ino(cg), cg->path, behind);
	if (!strstr(text, want))
		fail("no '%s' in the fdinfo:\n%s", want, text);
}

TEST(rows, "C1 A13 G22: a group on a cgroup has a row for each CPU, and QUERY says what it is of")
{
	struct perfgrp_query old = { .size = PERFGRP_QUERY_SIZE_VER0, .cgroup_id = 77 };
	struct cgroup cg;
	int fd, id;
	__u32 i;

	arrange();
	cg = cgroup_make("a");
	fd = faults_of(0, &cg, &id);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_rows, cpus.nr);
	for (i = 0; i < cpus.nr; i++)
		EXPECT(snap_row(&snap, cpus.cpu[i]));
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.target, PERFGRP_TARGET_CGROUP);
	EXPECT_EQ(members.hdr.cgroup_id, cgroup_ino(&cg));
	EXPECT_EQ(members.hdr.pid, 0);
	EXPECT_EQ(members.hdr.task_state, PERFGRP_TASK_NONE);
	expect_target(fd, &cg, "");
	/* What was armed to find the cgroup, and for its counters. */
	EXPECT(BECOMES_TRUE(!probe_is_armed(), 5000));

	/* Who knows the struct as it was is not written to behind it. */
	old.counters = to_u64(members.counter);
	old.counter_size = sizeof(members.counter[0]);
	old.nr_counters = ARRAY_SIZE(members.counter);
	EXPECT_EQ(grp_ioctl(fd, PERFGRP_QUERY, &old), 0);
	EXPECT_EQ(old.target, PERFGRP_TARGET_CGROUP);
	EXPECT_EQ(old.cgroup_id, 77);

	fd = grp_on_all_cpus(0);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.cgroup_id, 0);
	fd = grp_on_task(0, 0);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.cgroup_id, 0);
	cgroup_remove(&cg);
}

TEST(path_in_fdinfo, "C1 G22: in fdinfo a cgroup's path is one word, whatever its name")
{
	char path[64], text[4096];
	struct cgroup cg;
	int fd, id;

	arrange();
	cg = cgroup_make("a b\tc");
	fd = faults_of(0, &cg, &id);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	REQUIRE_GT(read_file(path, text, sizeof(text)), 0);
	EXPECT(strstr(text, "/" CGROUP_BASE "/a\\040b\\011c\n"));
	cgroup_remove(&cg);
}

TEST(listed, "C1 G22: on a list of CPUs it has their rows, and counts the cgroup there only")
{
	struct child child;
	char behind[32];
	struct cgroup cg;
	int fd, id;

	arrange();
	need_two_cpus();
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[0]);
	fd = grp_on_cgroup(PERFGRP_CREATE_ENABLED, cg.fd, &cpus.cpu[1], 1);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	child_do(&child, ORDER_FAULT, 30);
	child_do(&child, ORDER_RUN_ON, cpus.cpu[1]);
	child_do(&child, ORDER_FAULT, 70);
	EXPECT_EQ(grp_value_on(fd, cpus.cpu[1], id).raw, 70);
	EXPECT_EQ(grp_last.hdr.nr_rows, 1);
	EXPECT_EQ(total(fd, id).raw, 70);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.cgroup_id, cgroup_ino(&cg));
	snprintf(behind, sizeof(behind), " cpus %u", cpus.cpu[1]);
	expect_target(fd, &cg, behind);
}

TEST(capability, "C1 A2: it takes CAP_PERFMON, and no more")
{
	struct child child;
	struct cgroup cg;
	int fd, id;

	arrange();
	cg = cgroup_make("a");
	child = child_in(&cg);
	keep_caps(1ULL << CAP_PERFMON);
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	child_do(&child, ORDER_FAULT, 10);
	EXPECT_EQ(total(fd, id).raw, 10);
	keep_caps(0);
	EXPECT_REFUSED(grp_on_cgroup(0, cg.fd, NULL, 0), EACCES, PRIVILEGE);
	EXPECT_EQ(total(fd, id).raw, 10);
}

TEST(directory_closed, "C1: the directory can be closed, and its number used again, before ADD")
{
	struct child child;
	struct cgroup cg, other;
	int fd, id;

	arrange();
	cg = cgroup_make("a");
	other = cgroup_make("b");
	child = child_in(&cg);
	fd = grp_on_cgroup(PERFGRP_CREATE_ENABLED, cg.fd, NULL, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(dup3(other.fd, cg.fd, O_CLOEXEC), cg.fd);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	child_do(&child, ORDER_FAULT, 10);
	EXPECT_EQ(total(fd, id).raw, 10);
	close(cg.fd);
	REQUIRE_GT(grp_add(fd, PERFGRP_SW_CONTEXT_SWITCHES), 0);
	child_do(&child, ORDER_FAULT, 20);
	/* Adding began from zero. */
	EXPECT_EQ(total(fd, id).raw, 20);
}

static void *wait_for_end(void *arg)
{
	pthread_barrier_wait(arg);
	return NULL;
}

TEST(no_fds, "C1: adding takes no fd from the caller, with threads or without, and needs none")
{
	struct rlimit limit, none;
	pthread_barrier_t end;
	struct cgroup cg;
	pthread_t thread;
	unsigned int before;
	int fd, threads;

	arrange();
	cg = cgroup_make("a");
	REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	none = limit;
	none.rlim_cur = 0;
	pthread_barrier_init(&end, NULL, 2);
	for (threads = 0; threads < 2; threads++) {
		if (threads)
			REQUIRE_EQ(pthread_create(&thread, NULL, wait_for_end, &end), 0);
		fd = grp_on_cgroup(PERFGRP_CREATE_ENABLED, cg.fd, NULL, 0);
		REQUIRE_GE(fd, 0);
		before = nr_open_fds();
		EXPECT_GT(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), 0);
		EXPECT_EQ(nr_open_fds(), before);

		REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
		EXPECT_EQ(open("/dev/null", O_RDWR), -1);
		EXPECT_GT(grp_add(fd, PERFGRP_SW_CONTEXT_SWITCHES), 0);
		REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
		EXPECT_EQ(nr_open_fds(), before);
	}
	pthread_barrier_wait(&end);
	pthread_join(thread, NULL);
}

/* The lock on a cgroup's directory that another process is told of: F_RDLCK or F_UNLCK. */
static int lock_seen_by_another(const struct cgroup *cg)
{
	int status;
	pid_t pid = fork();

	REQUIRE_GE(pid, 0);
	if (pid == 0) {
		struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

		_exit(fcntl(cg->fd, F_GETLK, &lock) ? 255 : lock.l_type);
	}
	REQUIRE(waitpid(pid, &status, 0) == pid);
	return WEXITSTATUS(status);
}

TEST(locks, "C1: creating and adding leave the caller's locks on the directory alone")
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	struct cgroup cg;
	int fd;

	arrange();
	cg = cgroup_make("a");
	REQUIRE(fcntl(cg.fd, F_SETLK, &lock) == 0);
	REQUIRE_EQ(lock_seen_by_another(&cg), F_RDLCK);
	fd = grp_on_cgroup(PERFGRP_CREATE_ENABLED, cg.fd, NULL, 0);
	REQUIRE_GE(fd, 0);
	EXPECT_GT(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), 0);
	EXPECT_EQ(lock_seen_by_another(&cg), F_RDLCK);
}

TEST(worker_credentials, "A11 C1: what a caller may not add the worker does not add for it")
{
	/* On a kernel address, which takes CAP_SYS_ADMIN. Nobody writes there. */
	struct perfgrp_counter c = {
		.flags = PERFGRP_COUNTER_RAW, .type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_W, .config1 = -4096UL, .config2 = HW_BREAKPOINT_LEN_4,
	};
	struct cgroup cg;
	int fd;

	arrange();
	cg = cgroup_make("a");
	fd = grp_on_cgroup(0, cg.fd, NULL, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	REQUIRE_EQ(grp_remove(fd, c.id, 0), 0);
	keep_caps(1ULL << CAP_PERFMON);
	c.id = 0;
	EXPECT_EQ(grp_add_counters(fd, &c, 1), -EACCES);
	EXPECT_EQ(grp_error.reason, PERFGRP_REASON_PRIVILEGE);
	EXPECT_GT(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), 0);
}

static volatile bool stop;

/* Opens and closes, always by the same number, and finds nobody else behind it. */
static void *open_and_close(void *arg)
{
	struct stat null, st;
	int fd, first = -1;

	(void)arg;
	REQUIRE(stat("/dev/null", &null) == 0);
	while (!stop) {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
		REQUIRE_GE(fd, 0);
		if (first < 0)
			first = fd;
		EXPECT_EQ(fd, first);
		REQUIRE(fstat(fd, &st) == 0);
		EXPECT_EQ(st.st_rdev, null.st_rdev);
		EXPECT_EQ(close(fd), 0);
	}
	return NULL;
}

TEST(fds_of_threads, "C1: threads that open and close files are not disturbed by ADD")
{
	unsigned int i, nr = rounds(is_debug_kernel() ? 5 : 50);
	struct cgroup cg;
	pthread_t thread;
	int fd, id;

	arrange();
	cg = cgroup_make("a");
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	REQUIRE_EQ(pthread_create(&thread, NULL, open_and_close, NULL), 0);
	for (i = 0; i < nr; i++) {
		id = grp_add(fd, PERFGRP_SW_CONTEXT_SWITCHES);
		REQUIRE_GT(id, 0);
		REQUIRE_EQ(grp_remove(fd, id, 0), 0);
	}
	stop = true;
	pthread_join(thread, NULL);
}

TEST(scheduling_group, "C1 G10 G15: a NO_MUX group in one scheduling group counts a cgroup")
{
	struct perfgrp_counter c[2] = { { .event = PERFGRP_HW_CPU_CYCLES },
					{ .event = PERFGRP_HW_INSTRUCTIONS } };
	const struct perfgrp_value *v;
	struct child child;
	struct cgroup cg;
	int fd, i;

	if (!has_pmu() || !has_hardware_event(PERF_COUNT_HW_INSTRUCTIONS))
		skip("no hardware counters");
	NEED_FEATURE(SCHED_GROUP);
	NEED_FEATURE(NO_MUX);
	arrange();
	need_two_cpus();
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	fd = grp_on_cgroup(PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_ONE_SCHED_GROUP, cg.fd, NULL, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	child_do_all(&child, ORDER_SPIN, 1000000);
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	for (i = 0; i < 2; i++) {
		v = snap_value(&snap, cpus.cpu[1], c[i].id);
		expect_not_scaled(v);
		EXPECT_EQ(v->sched_group, c[0].id);
		EXPECT_EQ(v->flags & (PERFGRP_VALUE_FAILED | PERFGRP_VALUE_ABSENT), 0);
		EXPECT_GT(v->raw, 0);
		/* It did not fail where the cgroup was not. */
		v = snap_value(&snap, cpus.cpu[0], c[i].id);
		expect_absent(v);
	}
	EXPECT_GE(snap_value(&snap, cpus.cpu[1], c[1].id)->raw, 2000000);
}

static void need_hotplug(void)
{
	NEED_FEATURE(HOTPLUG);
	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		skip("CPU 1 cannot be taken down");
	REQUIRE_EQ(cpu_set_online(CPU, true), 0);
	arrange();
	need_two_cpus();
	run_on(0);
}

static bool row_is(int fd, int cpu, bool offline, __u32 epoch)
{
	const struct perfgrp_row *row;

	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	row = snap_row(&snap, cpu);
	return row && !!(row->flags & PERFGRP_ROW_OFFLINE) == offline && row->epoch == epoch;
}

TEST(hotplug, "C1 G19: a CPU goes and comes back while a cgroup runs, and nothing is lost")
{
	struct child child, busy;
	struct cgroup cg;
	int fd, id;

	need_hotplug();
	cg = cgroup_make("a");
	child = child_in_on(&cg, CPU);
	busy = child_in(&cg);
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	child_tell(&busy, ORDER_BURN, 300000);
	child_do(&child, ORDER_FAULT, 100);
	EXPECT_EQ(grp_value_on(fd, CPU, id).raw, 100);

	REQUIRE_EQ(cpu_set_online(CPU, false), 0);
	EXPECT(BECOMES_TRUE(row_is(fd, CPU, true, 0), 10000));
	EXPECT_EQ(snap_value(&snap, CPU, id)->raw, 100);
	EXPECT(snap_value(&snap, CPU, id)->flags & PERFGRP_VALUE_OFFLINE);
	child_do(&child, ORDER_FAULT, 50);
	EXPECT_EQ(total(fd, id).raw, 150);

	REQUIRE_EQ(cpu_set_online(CPU, true), 0);
	EXPECT(BECOMES_TRUE(row_is(fd, CPU, false, 1), 10000));
	child_do(&child, ORDER_RUN_ON, CPU);
	child_do(&child, ORDER_FAULT, 25);
	EXPECT_EQ(grp_value_on(fd, CPU, id).raw, 125);
	EXPECT_EQ(total(fd, id).raw, 175);
	child_wait(&busy);
}

TEST(hotplug_outside, "C1 C5 G19: what a CPU counts that came back is still the cgroup's only")
{
	struct child child, outside;
	struct cgroup cg;
	int fd, id;

	need_hotplug();
	cg = cgroup_make("a");
	REQUIRE_EQ(cpu_set_online(CPU, false), 0);
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	REQUIRE_EQ(cpu_set_online(CPU, true), 0);
	REQUIRE(BECOMES_TRUE(row_is(fd, CPU, false, 0), 10000));
	outside = child_start();
	child_do(&outside, ORDER_RUN_ON, CPU);
	child_do(&outside, ORDER_FAULT, 100);
	EXPECT(is_absent(fd, CPU, id));
	child = child_in_on(&cg, CPU);
	child_do(&child, ORDER_FAULT, 10);
	EXPECT_EQ(grp_value_on(fd, CPU, id).raw, 10);
}

TEST(probes_off,
     "C3 S2 G19 A13: a CPU that is back has failed while kprobes are disarmed, then it counts")
{
	struct perfgrp_value v = {}, sum = {};
	struct child child;
	struct cgroup cg;
	int fd, id;
	bool back;

	need_hotplug();
	if (access(KPROBES_ENABLED, W_OK))
		skip("there is no " KPROBES_ENABLED);
	cg = cgroup_make("a");
	child = child_in_on(&cg, 0);
	REQUIRE_EQ(cpu_set_online(CPU, false), 0);
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	child_do_all(&child, ORDER_FAULT, 10);
	REQUIRE_EQ(write_file(KPROBES_ENABLED, "0"), 0);
	back = cpu_set_online(CPU, true) == 0 && BECOMES_TRUE(row_is(fd, CPU, false, 0), 10000);
	if (back) {
		v = *snap_value(&snap, CPU, id);
		sum = total(fd, id);
	}
	REQUIRE_EQ(write_file(KPROBES_ENABLED, "1"), 0);
	REQUIRE(back);
	/* It has no counter, so that its zero says nothing of the cgroup. */
	EXPECT_EQ(v.state, PERFGRP_STATE_NEVER_RAN);
	EXPECT_EQ(v.flags, PERFGRP_VALUE_FAILED);
	EXPECT_EQ(sum.raw, 10);
	EXPECT_EQ(sum.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_FAILED | PERFGRP_VALUE_PARTIAL);

	REQUIRE(BECOMES_TRUE(!(grp_value_on(fd, CPU, id).flags & PERFGRP_VALUE_FAILED), 10000));
	child_do(&child, ORDER_RUN_ON, CPU);
	child_do(&child, ORDER_FAULT, 25);
	EXPECT_EQ(grp_value_on(fd, CPU, id).raw, 25);
	EXPECT_EQ(total(fd, id).raw, 35);
}

TEST(probes_off_at_creation, "C5 A13: a group is refused while kprobes are disarmed, and says so")
{
	struct perfgrp_error error;
	struct cgroup cg;
	int ret;

	arrange();
	if (access(KPROBES_ENABLED, W_OK))
		skip("there is no " KPROBES_ENABLED);
	cg = cgroup_make("a");
	/* Those of earlier tests: CREATE itself is to arm it. */
	REQUIRE(BECOMES_TRUE(!probe_is_armed(), 10000));
	REQUIRE_EQ(write_file(KPROBES_ENABLED, "0"), 0);
	ret = grp_on_cgroup(0, cg.fd, NULL, 0);
	error = grp_error;
	REQUIRE_EQ(write_file(KPROBES_ENABLED, "1"), 0);
	EXPECT_EQ(ret, -EBUSY);
	EXPECT(error_is_sane(&error, EBUSY));
	EXPECT_EQ(error.reason, PERFGRP_REASON_KERNEL);
	EXPECT(strcmp(error.field, "target") == 0);
	EXPECT(strstr(error.text, "kprobes"));
	EXPECT_GE(grp_on_cgroup(0, cg.fd, NULL, 0), 0);
}

TEST(samples, "C1 O1: records are of the cgroup's tasks only, each page fault one")
{
	struct perfgrp_counter c = sampled_faults();
	struct child child, outside;
	struct cgroup cg;
	__u32 i;
	int fd;

	arrange();
	cg = cgroup_make("a");
	child = child_in(&cg);
	outside = child_start();
	fd = stream_on_cgroup(PERFGRP_CREATE_ENABLED, cg.fd, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	child_tell(&outside, ORDER_FAULT, 200);
	child_do(&child, ORDER_FAULT, 100);
	child_wait(&outside);
	stream_start(&records);
	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, 100);
	EXPECT_EQ(records.lost, 0);
	for (i = 0; i < records.nr_samples; i++) {
		EXPECT_EQ(records.sample[i]->pid, child.pid);
		EXPECT_EQ(records.sample[i]->tid, child.pid);
		EXPECT_EQ(records.sample[i]->id, c.id);
		EXPECT_EQ(records.sample[i]->nr, 1);
	}
}

TEST(rings, "C1 O13: each CPU of a group on a cgroup has a ring that can be mapped and read")
{
	struct perfgrp_counter c = sampled_faults();
	struct perf_event_mmap_page *ring[2];
	struct child child;
	struct cgroup cg;
	__u32 i, k;
	int fd;

	arrange();
	need_two_cpus();
	cg = cgroup_make("a");
	child = child_in(&cg);
	fd = grp_create_like((struct perfgrp_create){
		.target = PERFGRP_TARGET_CGROUP, .target_fd = cg.fd, .cpus = to_u64(cpus.cpu),
		.nr_cpus = 2, .buffer_size = 65536 });
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	EXPECT_EQ(stats_of(fd).nr_rings, 3);
	for (i = 0; i < 2; i++)
		ring[i] = map_ring(fd, i);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (i = 0; i < 2; i++) {
		child_do(&child, ORDER_RUN_ON, cpus.cpu[i]);
		child_do(&child, ORDER_FAULT, 20 + i);
	}
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(read_ring(ring[i]), 20 + i);
		EXPECT_EQ(records.nr_samples, 20 + i);
		for (k = 0; k < records.nr_samples; k++) {
			EXPECT_EQ(records.sample[k]->cpu, cpus.cpu[i]);
			EXPECT_EQ(records.sample[k]->pid, child.pid);
		}
	}
}

TEST(version_1, "C1 C4: a cgroup of the v1 hierarchy with perf_event is counted, and its end seen")
{
	struct child child, outside;
	struct cgroup cg;
	int fd, id, ret;

	arrange();
	ret = cgroup_v1_mount("perf_event");
	if (ret)
		skip("perf_event cannot be mounted by itself (errno %d)", -ret);
	cg = cgroup_v1_make("a");
	child = child_in(&cg);
	outside = child_start();
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	child_do(&outside, ORDER_FAULT, 50);
	child_do_all(&child, ORDER_FAULT, 30);
	EXPECT_EQ(total(fd, id).raw, 30);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.target, PERFGRP_TARGET_CGROUP);
	EXPECT_NE(members.hdr.cgroup_id, 0);
	cgroup_put(CGROUP_V1, "cgroup.procs", child.pid);
	child_do(&child, ORDER_FAULT, 5);
	EXPECT_EQ(total(fd, id).raw, 30);
	cgroup_remove(&cg);
	EXPECT(BECOMES_TRUE(total(fd, id).flags & PERFGRP_VALUE_EXITED, WAKE_MS));
	EXPECT_EQ(total(fd, id).raw, 30);
	close(cg.fd);
	close(fd);
	/* They have the directory open, too. */
	child_exit(&child);
	child_exit(&outside);
	EXPECT(BECOMES_TRUE(cgroup_v1_gave_perf_back(), 10000));
}

/* ---- C2: who is counted ---------------------------------------------------------- */

TEST(inside, "C2: page faults of the cgroup's tasks are counted exactly, and nobody else's")
{
	struct child child[2], outside;
	struct cgroup cg;
	int fd, id;

	arrange();
	cg = cgroup_make("a");
	child[0] = child_in(&cg);
	child[1] = child_in(&cg);
	outside = child_start();
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	child_tell(&child[0], ORDER_FAULT, 123);
	child_tell(&child[1], ORDER_FAULT, 77);
	child_do(&outside, ORDER_FAULT, 500);
	fault_in(50);
	child_wait(&child[0]);
	child_wait(&child[1]);
	EXPECT_EQ(total(fd, id).raw, 200);
}

TEST(nested, "C2: a cgroup counts its descendants' tasks, and these not their ancestors'")
{
	static const unsigned int want[] = { 111, 110, 100 };
	struct child child[3];
	struct cgroup cg[3];
	int fd[3], id[3], i;

	arrange();
	cg[0] = cgroup_make("a");
	cg[1] = cgroup_make("a/b");
	cg[2] = cgroup_make("a/b/c");
	for (i = 0; i < 3; i++) {
		child[i] = child_in(&cg[i]);
		fd[i] = faults_of(PERFGRP_CREATE_ENABLED, &cg[i], &id[i]);
	}
	child_do(&child[0], ORDER_FAULT, 1);
	child_do(&child[1], ORDER_FAULT, 10);
	child_do(&child[2], ORDER_FAULT, 100);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(total(fd[i], id[i]).raw, want[i]);
	/* One that is made afterwards belongs to it as well. */
	cg[1] = cgroup_make("a/d");
	cgroup_enter(&cg[1], child[2].pid);
	child_do(&child[2], ORDER_FAULT, 1000);
	EXPECT_EQ(total(fd[0], id[0]).raw, 1111);
	EXPECT_EQ(total(fd[1], id[1]).raw, 110);
}

TEST(moves, "C2: of a task that moves in and out only what it did inside is counted")
{
	struct cgroup cg, other;
	struct child child;
	int fd, id, i;

	arrange();
	cg = cgroup_make("a");
	other = cgroup_make("b");
	child = child_start();
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	for (i = 0; i < 5; i++) {
		child_do(&child, ORDER_FAULT, 10);
		cgroup_enter(&cg, child.pid);
		child_do(&child, ORDER_FAULT, 7);
		cgroup_enter(&other, child.pid);
		child_do(&child, ORDER_FAULT, 100);
		cgroup_leave(child.pid);
	}
	EXPECT_EQ(total(fd, id).raw, 5 * 7);
}

/*
 * An interrupt that moves the task may hit do_perf_sw_event() between two events, and takes the
 * second one away before it counts.
 */
static void expect_as_many(__u64 ours, __u64 theirs, __u64 nr_moves)
{
	if ((ours > theirs ? ours - theirs : theirs - ours) > nr_moves)
		fail("%llu faults, perf has %llu, at %llu moves", ours, theirs, nr_moves);
}

TEST(moves_running, "C2: of a task that is moved while it faults, perf counts as many and as long")
{
	struct peer_value theirs;
	struct perfgrp_value v;
	struct peers faults;
	struct child child;
	struct cgroup cg;
	int fd, id, i;

	arrange();
	cg = cgroup_make("a");
	child = child_start();
	fd = faults_of(0, &cg, &id);
	faults = peers_open(&cg, PERF_COUNT_SW_PAGE_FAULTS);
	peers_enable(&faults);
	REQUIRE_EQ(grp_enable(fd), 0);
	child_tell(&child, ORDER_FAULT, 10000);
	for (i = 0; i < 20; i++) {
		cgroup_enter(&cg, child.pid);
		nap_ns(500000);
		cgroup_leave(child.pid);
	}
	child_wait(&child);
	peers_disable(&faults);
	REQUIRE_EQ(grp_disable(fd), 0);
	theirs = peers_sum(&faults);
	v = total(fd, id);
	expect_as_many(v.raw, theirs.value, 2 * i);
	EXPECT_LE(v.raw, 10000);
	expect_close_ns(v.time_enabled, theirs.enabled);
}

struct thread {
	pthread_t handle;
	pthread_barrier_t *step;
	pid_t tid;
	unsigned int faults;
};

static void *fault_as_told(void *arg)
{
	struct thread *thread = arg;

	thread->tid = syscall(SYS_gettid);
	fault_in(1);
	pthread_barrier_wait(thread->step);
	pthread_barrier_wait(thread->step);
	fault_in(thread->faults);
	pthread_barrier_wait(thread->step);
	pthread_barrier_wait(thread->step);
	return NULL;
}

TEST(threads, "C2: threads of one process in different cgroups are counted each in its own")
{
	struct thread thread[2] = { { .faults = 30 }, { .faults = 500 } };
	pthread_barrier_t step;
	struct cgroup cg[2], both;
	int fd[2], id[2], all, all_id, i;
	pthread_attr_t attr;

	arrange();
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	both = cgroup_make("a");
	cg[0] = cgroup_make("a/one");
	cg[1] = cgroup_make("a/two");
	pthread_barrier_init(&step, NULL, 3);
	for (i = 0; i < 2; i++) {
		REQUIRE_EQ(cgroup_write(&cg[i], "cgroup.type", "threaded"), 0);
		thread[i].step = &step;
		REQUIRE_EQ(pthread_create(&thread[i].handle, &attr, fault_as_told,
					  &thread[i]), 0);
	}
	pthread_barrier_wait(&step);
	/* Of the threads' stacks, too. */
	settle_memory();
	cgroup_enter(&both, 0);
	for (i = 0; i < 2; i++) {
		cgroup_enter_thread(&cg[i], thread[i].tid);
		fd[i] = faults_of(PERFGRP_CREATE_ENABLED, &cg[i], &id[i]);
	}
	all = faults_of(PERFGRP_CREATE_ENABLED, &both, &all_id);
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(total(fd[i], id[i]).raw, thread[i].faults);
	EXPECT_GE(total(all, all_id).raw, 530);
	pthread_barrier_wait(&step);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i].handle, NULL);
	cgroup_leave(0);
}

#define NR_FORKS	20

/* Enters the cgroup and, when told to, forks children that fault and fork once more. */
static pid_t start_forks(const struct cgroup *cg, int go)
{
	pid_t pid = fork();
	char byte;
	int i;

	REQUIRE_GE(pid, 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	cgroup_enter(cg, 0);
	if (read(go, &byte, 1) != 1)
		_exit(1);
	for (i = 0; i < NR_FORKS; i++) {
		pid = fork();
		if (pid == 0) {
			if (fork() >= 0)
				fault_in(10);
			while (wait(NULL) > 0)
				;
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	_exit(0);
}

TEST(forks, "C2: children and their children are counted from their first instruction, as by perf")
{
	struct perfgrp_value v;
	struct peers faults;
	struct cgroup cg;
	int fd, id, go[2], status;
	pid_t pid;

	arrange();
	cg = cgroup_make("a");
	REQUIRE(pipe2(go, O_CLOEXEC) == 0);
	pid = start_forks(&cg, go[0]);
	wait_until_asleep(pid);
	fd = faults_of(0, &cg, &id);
	faults = peers_open(&cg, PERF_COUNT_SW_PAGE_FAULTS);
	peers_enable(&faults);
	REQUIRE_EQ(grp_enable(fd), 0);
	REQUIRE(write(go[1], "", 1) == 1);
	REQUIRE(waitpid(pid, &status, 0) == pid);
	EXPECT_EQ(status, 0);
	peers_disable(&faults);
	REQUIRE_EQ(grp_disable(fd), 0);
	v = total(fd, id);
	EXPECT_EQ(v.raw, peers_sum(&faults).value);
	EXPECT_GE(v.raw, 2 * NR_FORKS * 10);
}

TEST(beside_perf, "C2 C3 C7: faults and switches are perf's, the clocks and the times close to it")
{
	static const __u64 config[] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES,
		PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_CPU_CLOCK,
	};
	struct perfgrp_counter c[ARRAY_SIZE(config)];
	struct peers peers[ARRAY_SIZE(config)];
	struct perfgrp_value v;
	struct peer_value theirs;
	struct child child[2];
	struct cgroup cg, below;
	unsigned int i, k;
	int fd;

	arrange();
	cg = cgroup_make("a");
	below = cgroup_make("a/b");
	child[0] = child_in_on(&cg, cpus.cpu[0]);
	child[1] = child_in_on(&below, cpus.cpu[cpus.nr - 1]);
	fd = grp_on_cgroup(0, cg.fd, NULL, 0);
	REQUIRE_GE(fd, 0);
	for (i = 0; i < ARRAY_SIZE(config); i++) {
		c[i] = (struct perfgrp_counter){
			.event = PERFGRP_EVENT(PERF_TYPE_SOFTWARE, config[i]) };
		peers[i] = peers_open(&cg, config[i]);
	}
	REQUIRE_EQ(grp_add_counters(fd, c, ARRAY_SIZE(config)), 0);
	for (i = 0; i < ARRAY_SIZE(config); i++)
		peers_enable(&peers[i]);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (k = 0; k < 10; k++) {
		child_tell(&child[0], ORDER_BURN, 5000);
		child_tell(&child[1], ORDER_BURN, 2000);
		child_wait(&child[1]);
		child_do(&child[1], ORDER_FAULT, 20);
		child_wait(&child[0]);
		child_do_all(&child[0], ORDER_RUN_ON, cpus.cpu[k % cpus.nr]);
	}
	wait_until_asleep(child[1].pid);
	REQUIRE_EQ(grp_disable(fd), 0);
	for (i = 0; i < ARRAY_SIZE(config); i++)
		peers_disable(&peers[i]);
	for (i = 0; i < ARRAY_SIZE(config); i++) {
		theirs = peers_sum(&peers[i]);
		v = total(fd, c[i].id);
		EXPECT_EQ(v.flags & (PERFGRP_VALUE_PARTIAL | PERFGRP_VALUE_ABSENT), 0);
		if (i < 2)
			EXPECT_EQ(v.raw, theirs.value);
		else
			expect_close_ns(v.raw, theirs.value);
		expect_close_ns(v.time_enabled, theirs.enabled);
		expect_close_ns(v.time_running, theirs.running);
		EXPECT_EQ(v.state, PERFGRP_STATE_COUNTED);
	}
	EXPECT_EQ(total(fd, c[0].id).raw, 200);
	for (i = 0; i < cpus.nr; i++) {
		theirs = peer_read(peers[0].fd[i]);
		v = grp_value_on(fd, cpus.cpu[i], c[0].id);
		EXPECT_EQ(v.raw, theirs.value);
		expect_close_ns(v.time_enabled, theirs.enabled);
		EXPECT_EQ(!!(v.flags & PERFGRP_VALUE_ABSENT), theirs.enabled == 0);
	}
}

/* ---- C3: times, and where the cgroup has not run --------------------------------- */

TEST(absent,
     "C3 S11 G22: where the cgroup has not run, zero is the count, and no total is partial")
{
	struct perfgrp_value v;
	struct child child;
	struct cgroup cg;
	int fd, id;
	__u32 i;

	arrange();
	need_two_cpus();
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	expect_absent_everywhere(fd, id);

	child_do_all(&child, ORDER_FAULT, 10);
	for (i = 0; i < cpus.nr; i++) {
		v = grp_value_on(fd, cpus.cpu[i], id);
		expect_plausible(&v);
		if (i != 1) {
			expect_absent(&v);
			continue;
		}
		EXPECT_EQ(v.state, PERFGRP_STATE_COUNTED);
		EXPECT_EQ(v.flags, PERFGRP_VALUE_SCALED);
		EXPECT_EQ(v.raw, 10);
	}
	v = total(fd, id);
	expect_not_scaled(&v);
	EXPECT_EQ(v.flags, PERFGRP_VALUE_SCALED);
	EXPECT_EQ(v.raw, 10);
	/* A total over CPUs of which it was on none. */
	fd = grp_on_cgroup(PERFGRP_CREATE_ENABLED, cg.fd, cpus.cpu, 1);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	child_do_all(&child, ORDER_FAULT, 10);
	v = total(fd, id);
	expect_absent(&v);
	expect_in_fdinfo(fd, " page-faults counted absent leader\n");
}

TEST(never_enabled, "C3 S2: of a group that was never enabled nothing ever ran, absent or not")
{
	struct perfgrp_value v;
	struct child child;
	struct cgroup cg;
	int fd, id;
	__u32 i;

	arrange();
	cg = cgroup_make("a");
	child = child_in(&cg);
	fd = faults_of(0, &cg, &id);
	child_do_all(&child, ORDER_FAULT, 10);
	v = total(fd, id);
	EXPECT_EQ(v.state, PERFGRP_STATE_NEVER_RAN);
	EXPECT_EQ(v.flags & (PERFGRP_VALUE_ABSENT | PERFGRP_VALUE_SCALED), 0);
	for (i = 0; i < cpus.nr; i++) {
		v = grp_value_on(fd, cpus.cpu[i], id);
		EXPECT_EQ(v.state, PERFGRP_STATE_NEVER_RAN);
		EXPECT_EQ(v.flags, 0);
	}
	REQUIRE_EQ(grp_enable(fd), 0);
	expect_absent_everywhere(fd, id);
}

TEST(while_disabled, "C3 G9: what is absent stays so while the group is disabled")
{
	struct child child;
	struct cgroup cg;
	int fd, id;

	arrange();
	need_two_cpus();
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	child_do_all(&child, ORDER_FAULT, 10);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT(is_absent(fd, cpus.cpu[0], id));
	child_do(&child, ORDER_RUN_ON, cpus.cpu[0]);
	child_do_all(&child, ORDER_FAULT, 5);
	EXPECT(is_absent(fd, cpus.cpu[0], id));
	EXPECT(!is_absent(fd, cpus.cpu[1], id));
	EXPECT_EQ(total(fd, id).raw, 10);
	EXPECT_EQ(total(fd, id).flags & PERFGRP_VALUE_PARTIAL, 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	child_do_all(&child, ORDER_FAULT, 5);
	EXPECT(!is_absent(fd, cpus.cpu[0], id));
	EXPECT_EQ(total(fd, id).raw, 15);
}

TEST(after_reset, "C3 G9 S13: after a reset the cgroup has not run yet")
{
	struct perfgrp_value v;
	struct child child;
	struct cgroup cg;
	int fd, id;

	arrange();
	need_two_cpus();
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	child_do_all(&child, ORDER_FAULT, 10);
	REQUIRE_EQ(grp_reset(fd), 0);
	expect_absent_everywhere(fd, id);
	child_do_all(&child, ORDER_FAULT, 20);
	EXPECT_EQ(grp_value_on(fd, cpus.cpu[1], id).raw, 20);

	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_RESET, &snap), 0);
	v = *snap_value(&snap, cpus.cpu[1], id);
	EXPECT_EQ(v.raw, 20);
	EXPECT_EQ(v.flags & PERFGRP_VALUE_ABSENT, 0);
	expect_absent_everywhere(fd, id);
	child_do_all(&child, ORDER_FAULT, 30);
	v = grp_value_on(fd, cpus.cpu[1], id);
	EXPECT_EQ(v.raw, 30);
	EXPECT_EQ(v.flags & PERFGRP_VALUE_ABSENT, 0);
}

/*
 * The perf core takes a cgroup to be on a CPU until it sees it leave, and does not look any more
 * once the last event of a cgroup has been disabled there.
 */
static void stop_last_while_it_runs(struct child *child, const struct cgroup *cg)
{
	int fd, id;

	fd = faults_of(PERFGRP_CREATE_ENABLED, cg, &id);
	child_tell(child, ORDER_BURN, 100000);
	REQUIRE(BECOMES_TRUE(!is_absent(fd, cpus.cpu[1], id), 5000));
	REQUIRE_EQ(grp_disable(fd), 0);
	close(fd);
	child_wait(child);
	wait_until_asleep(child->pid);
}

/* To read an event of the cgroup brings the cgroup's time up to date, on the CPU that reads. */
static void read_as_perf(const struct cgroup *cg)
{
	int fd = peer_on_cgroup(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, cg->fd,
				cpus.cpu[1]);

	REQUIRE_GE(fd, 0);
	peer_enable(fd);
	run_on(cpus.cpu[1]);
	peer_read(fd);
	run_on(cpus.cpu[0]);
	close(fd);
}

TEST(stopped_while_it_ran, "C3: no time passes for what ran when another group was stopped")
{
	struct perfgrp_value v;
	struct child child;
	struct cgroup cg;
	int fd, id, i;
	__u64 ran;

	arrange();
	need_two_cpus();
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	stop_last_while_it_runs(&child, &cg);
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	nap_ns(50000000);
	expect_absent_everywhere(fd, id);
	/* The perf core brings a cgroup's time up to date when an event is disabled. */
	for (i = 0; i < 3; i++) {
		REQUIRE_EQ(grp_disable(fd), 0);
		expect_absent_everywhere(fd, id);
		stop_last_while_it_runs(&child, &cg);
		REQUIRE_EQ(grp_enable(fd), 0);
		nap_ns(50000000);
		read_as_perf(&cg);
		expect_absent_everywhere(fd, id);
	}
	ran = task_time_ns(child.pid);
	child_do_all(&child, ORDER_FAULT, 10);
	v = grp_value_on(fd, cpus.cpu[1], id);
	ran = task_time_ns(child.pid) - ran;
	EXPECT_EQ(v.state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(v.raw, 10);
	EXPECT_GT(v.time_enabled, 0);
	/* Not the 50 ms for which it was stopped. */
	EXPECT_LT(v.time_enabled, ran + 30000000);
}

/*
 * The second CPU's clock for times of events, by an event of perf's. Where the TSC is not stable it
 * stops when a tick is late, and then catches up, so CLOCK_MONOTONIC is no measure.
 */
static __u64 perf_now(void)
{
	static int fd = -1;

	if (fd < 0) {
		fd = peer_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, -1, cpus.cpu[1], -1);
		REQUIRE_GE(fd, 0);
		peer_enable(fd);
	}
	return peer_read(fd).enabled;
}

static __u64 enabled_for(int fd, __u32 id)
{
	return grp_value_on(fd, cpus.cpu[1], id).time_enabled;
}

/* The group is enabled, and has been since BEGIN; before that for BEFORE. */
static void expect_time_since(__u64 begin, int fd, __u32 id, __u64 before)
{
	__u64 time;

	nap_ns(50000000);
	EXPECT_EQ(grp_value_on(fd, cpus.cpu[1], id).state, PERFGRP_STATE_COUNTED);
	time = enabled_for(fd, id) - before;
	EXPECT_GE(time, 10000000);
	EXPECT_LE(time, perf_now() - begin);
}

TEST(enabled_while_it_runs, "C3: times begin when a group is enabled, also while its cgroup runs")
{
	struct child child;
	__u64 begin, time;
	struct cgroup cg;
	int fd, id, i;

	arrange();
	need_two_cpus();
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	child_tell(&child, ORDER_BURN, 600000000);
	nap_ns(100000000);
	for (i = 0; i < 3; i++) {
		begin = perf_now();
		fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
		expect_time_since(begin, fd, id, 0);
		time = enabled_for(fd, id);
		REQUIRE_EQ(grp_disable(fd), 0);
		EXPECT_GE(enabled_for(fd, id), time);
		EXPECT_LE(enabled_for(fd, id), perf_now() - begin);
		time = enabled_for(fd, id);
		nap_ns(100000000);
		EXPECT_EQ(enabled_for(fd, id), time);
		begin = perf_now();
		REQUIRE_EQ(grp_enable(fd), 0);
		expect_time_since(begin, fd, id, time);
		if (i < 2)
			close(fd);
	}
	/* The perf core brings its time up to date when it leaves. */
	kill(child.pid, SIGSTOP);
	nap_ns(50000000);
	EXPECT_LE(enabled_for(fd, id) - time, perf_now() - begin);
}

TEST(disturbed, "C3: time goes on for a cgroup that runs, whatever else is enabled there")
{
	struct child child;
	struct cgroup cg;
	int fd, id, other, i;
	__u64 time;

	arrange();
	need_two_cpus();
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	child_tell(&child, ORDER_BURN, 600000000);
	REQUIRE(BECOMES_TRUE(!is_absent(fd, cpus.cpu[1], id), 5000));
	for (i = 0; i < 10; i++) {
		if (i % 2)
			other = grp_on_cpu(PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_NO_MUX,
					   cpus.cpu[1]);
		else
			other = grp_on_task(PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_NO_MUX,
					    child.pid);
		REQUIRE_GT(grp_add(other, PERFGRP_SW_PAGE_FAULTS), 0);
		time = enabled_for(fd, id);
		nap_ns(30000000);
		EXPECT_GE(enabled_for(fd, id) - time, 5000000);
		time = enabled_for(fd, id);
		close(other);
		EXPECT_GE(enabled_for(fd, id), time);
	}
	time = enabled_for(fd, id);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_GE(enabled_for(fd, id), time);
}

TEST(times, "C3: time_enabled goes on while the cgroup runs on the CPU, and stands still else")
{
	uint64_t wall, ran;
	struct perfgrp_value v, again;
	struct child child;
	struct cgroup cg;
	int fd, id;

	arrange();
	need_two_cpus();
	run_on(cpus.cpu[0]);
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	wall = now_ns();
	ran = task_time_ns(child.pid);
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	child_do_all(&child, ORDER_BURN, 50000);
	v = grp_value_on(fd, cpus.cpu[1], id);
	nap_ns(150000000);
	again = grp_value_on(fd, cpus.cpu[1], id);
	wall = now_ns() - wall;
	ran = task_time_ns(child.pid) - ran;
	expect_not_scaled(&again);
	EXPECT_EQ(again.time_enabled, v.time_enabled);
	EXPECT_GE(again.time_enabled, ran * 9 / 10);
	EXPECT_LE(again.time_enabled, ran * 12 / 10 + 5000000);
	EXPECT_LT(again.time_enabled, wall - 100000000);
	EXPECT_EQ(total(fd, id).time_enabled, again.time_enabled);
}

TEST(asks_nobody, "C3 S6: a snapshot interrupts only CPUs on which a task of the cgroup runs")
{
	struct child child;
	__u64 before[2];
	struct cgroup cg;
	__u32 i;
	int fd, id;

	arrange();
	need_two_cpus();
	run_on(cpus.cpu[0]);
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	child_do(&child, ORDER_FAULT, 10);
	wait_until_asleep(child.pid);
	before[0] = function_call_interrupts(cpus.cpu[1]);
	for (i = 0; i < 200; i++)
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	/* Others may need one as well. */
	EXPECT_LT(function_call_interrupts(cpus.cpu[1]) - before[0], 50);
	EXPECT_EQ(total(fd, id).raw, 10);

	/* While it runs it is asked. */
	child_tell(&child, ORDER_BURN, 200000);
	REQUIRE(BECOMES_TRUE(task_state(child.pid) == 'R', 5000));
	before[1] = function_call_interrupts(cpus.cpu[1]);
	while (task_state(child.pid) == 'R' && function_call_interrupts(cpus.cpu[1]) == before[1])
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_GT(function_call_interrupts(cpus.cpu[1]), before[1]);
	child_wait(&child);
}

/* ---- C4: the cgroup is removed --------------------------------------------------- */

/* All rows of FD say that the cgroup was removed. */
static bool says_removed(int fd)
{
	bool all = true;
	__u32 i;

	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	for (i = 0; i < snap.hdr.nr_rows; i++)
		all = all && snap.row[i].flags & PERFGRP_ROW_EXITED;
	for (i = 0; i < snap.hdr.nr_values; i++)
		all = all && snap.value[i].flags & PERFGRP_VALUE_EXITED;
	return all;
}

static void expect_removed(int fd)
{
	EXPECT(BECOMES_TRUE(says_removed(fd), WAKE_MS));
}

TEST(removed, "C4: rmdir works while a group counts; then rows say so, and the values stay")
{
	static struct grp_snap before;
	struct child child;
	struct cgroup cg;
	int fd, id;
	__u32 i;

	arrange();
	need_two_cpus();
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	child_do_all(&child, ORDER_FAULT, 40);
	cgroup_leave(child.pid);
	REQUIRE_EQ(grp_snapshot(fd, 0, &before), 0);
	EXPECT_EQ(before.row[0].flags & PERFGRP_ROW_EXITED, 0);
	EXPECT_EQ(rmdir(cg.path), 0);
	expect_removed(fd);
	child_do(&child, ORDER_FAULT, 9);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	REQUIRE_EQ(snap.hdr.nr_values, before.hdr.nr_values);
	for (i = 0; i < snap.hdr.nr_values; i++) {
		EXPECT_EQ(snap.value[i].flags, before.value[i].flags | PERFGRP_VALUE_EXITED);
		EXPECT_EQ(snap.value[i].state, before.value[i].state);
		EXPECT_EQ(snap.value[i].raw, before.value[i].raw);
		EXPECT_EQ(snap.value[i].time_enabled, before.value[i].time_enabled);
		EXPECT_EQ(snap.value[i].time_running, before.value[i].time_running);
	}
	EXPECT_EQ(snap_value(&snap, cpus.cpu[1], id)->raw, 40);
	EXPECT_EQ(total(fd, id).raw, 40);
	EXPECT(total(fd, id).flags & PERFGRP_VALUE_EXITED);
	EXPECT(snap.row[0].flags & PERFGRP_ROW_EXITED);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.cgroup_id, cgroup_ino(&cg));
}

TEST(changed_later, "C4: of a cgroup that was removed all can be asked, but for new counters")
{
	struct refusal gone = refusal(ENOENT, PERFGRP_REASON_CGROUP);
	struct perfgrp_counter c[2] = { { .event = PERFGRP_SW_PAGE_FAULTS },
					{ .event = PERFGRP_SW_CONTEXT_SWITCHES } };
	struct child child;
	struct cgroup cg;
	int fd, empty, ret;

	arrange();
	cg = cgroup_make("a");
	child = child_in(&cg);
	fd = grp_on_cgroup(PERFGRP_CREATE_ENABLED, cg.fd, NULL, 0);
	empty = grp_on_cgroup(PERFGRP_CREATE_ENABLED, cg.fd, NULL, 0);
	REQUIRE(fd >= 0 && empty >= 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	child_do_all(&child, ORDER_FAULT, 40);
	cgroup_leave(child.pid);
	cgroup_remove(&cg);
	expect_removed(fd);

	/* Whichever member it names, if any. */
	ret = grp_add(fd, PERFGRP_SW_CPU_CLOCK);
	gone.member = grp_error.member;
	gone.cpu = grp_error.cpu;
	expect_refusal(__FILE__, __LINE__, "ADD", ret, &grp_error, &gone);
	ret = grp_add(empty, PERFGRP_SW_CPU_CLOCK);
	gone.member = grp_error.member;
	gone.cpu = grp_error.cpu;
	expect_refusal(__FILE__, __LINE__, "ADD to an empty group", ret, &grp_error, &gone);

	EXPECT_EQ(total(fd, c[0].id).raw, 40);
	EXPECT_EQ(grp_disable(fd), 0);
	EXPECT_EQ(grp_enable(fd), 0);
	EXPECT_EQ(total(fd, c[0].id).raw, 40);
	EXPECT_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS | PERFGRP_SNAPSHOT_RESET, &snap), 0);
	EXPECT_EQ(snap_value(&snap, -1, c[0].id)->raw, 40);
	EXPECT_EQ(total(fd, c[0].id).raw, 0);
	EXPECT_EQ(grp_reset(fd), 0);
	EXPECT_EQ(grp_remove(fd, c[1].id, 0), 0);
	expect_removed(fd);
}

static int polled(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	REQUIRE(poll(&p, 1, 0) >= 0);
	return p.revents;
}

TEST(poll_at_end, "C4 O5: poll says when the cgroup was removed, and a read ends after the rest")
{
	struct perfgrp_counter c = sampled_faults();
	struct child child;
	struct cgroup cg;
	int fd, plain, id;

	arrange();
	cg = cgroup_make("a");
	child = child_in(&cg);
	plain = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	fd = stream_on_cgroup(PERFGRP_CREATE_ENABLED, cg.fd, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	EXPECT_EQ(polled(fd), 0);
	EXPECT_EQ(polled(plain), 0);
	child_do_all(&child, ORDER_FAULT, 12);
	EXPECT_EQ(polled(fd), POLLIN);
	EXPECT_EQ(polled(plain), 0);
	cgroup_leave(child.pid);
	cgroup_remove(&cg);
	EXPECT(BECOMES_TRUE(polled(fd) == (POLLIN | POLLHUP), WAKE_MS));
	EXPECT(BECOMES_TRUE(polled(plain) & POLLHUP, WAKE_MS));
	EXPECT_EQ(polled(plain) & POLLERR, 0);
	stream_read(fd, 65536);
	EXPECT_EQ(records.nr_samples, 12);
	EXPECT_EQ(stream_read(fd, 65536), 0);
	EXPECT_EQ(stream_read(fd, 65536), 0);
	EXPECT(polled(fd) & POLLHUP);
}

/* Sleeps on FD in one of four ways until the cgroup is gone, and NR samples were read. */
static bool sees_end(int fd, int way, unsigned int nr)
{
	struct pollfd p = { .fd = fd, .events = way == 0 ? POLLIN : 0 };
	struct epoll_event event = { .events = EPOLLPRI };
	unsigned int seen = 0;
	int ep;

	switch (way) {
	case 0:
	case 1:
		return poll(&p, 1, -1) == 1 && p.revents & POLLHUP;
	case 2:
		ep = epoll_create1(EPOLL_CLOEXEC);
		return ep >= 0 && !epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event) &&
		       epoll_wait(ep, &event, 1, -1) == 1 && event.events & EPOLLHUP;
	default:
		while (stream_read(fd, 65536) > 0)
			seen += records.nr_samples;
		return seen == nr && stream_read(fd, 65536) == 0;
	}
}

/* A child that sleeps on FD in one of the ways. */
static pid_t start_waiter(int fd, int way, unsigned int nr)
{
	pid_t pid = fork();

	REQUIRE_GE(pid, 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(sees_end(fd, way, nr) ? 7 : 8);
	}
	wait_until_asleep(pid);
	return pid;
}

static void expect_woken(pid_t waiter, int way)
{
	int status = end_of_child(waiter, WAKE_MS);

	if (WEXITSTATUS(status) != 7)
		fail("way %d ended with %#x", way, status);
}

/* The first ways, with groups that have a buffer or none. */
static void check_wakes(__u32 buffer_size, int nr_ways)
{
	struct perfgrp_counter c = sampled_faults();
	struct child child;
	struct cgroup cg;
	int fd, way;
	pid_t waiter;

	arrange();
	if (!buffer_size)
		c.sample_period = 0;
	child = child_start();
	for (way = 0; way < nr_ways; way++) {
		cg = cgroup_make("a");
		fd = stream_on_cgroup(PERFGRP_CREATE_ENABLED, cg.fd, buffer_size);
		REQUIRE_GE(fd, 0);
		c.id = 0;
		REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
		if (way == 3) {
			cgroup_enter(&cg, child.pid);
			child_do_all(&child, ORDER_FAULT, 6);
			cgroup_leave(child.pid);
		}
		waiter = start_waiter(fd, way, 6);
		cgroup_remove(&cg);
		close(cg.fd);
		expect_woken(waiter, way);
		close(fd);
	}
}

TEST(removal_wakes, "C4 O15: who sleeps in poll, epoll or read wakes when the cgroup is removed")
{
	check_wakes(65536, 4);
}

TEST(removal_wakes_plain, "C4: so does who polls a group without a buffer")
{
	check_wakes(0, 3);
}

TEST(removal_wakes_all, "C4: of several groups on a cgroup each wakes those that sleep on it")
{
	enum { NR = 3 };
	struct cgroup cg;
	pid_t waiter[NR];
	int way, fd, id;

	arrange();
	cg = cgroup_make("a");
	for (way = 0; way < NR; way++) {
		fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
		waiter[way] = start_waiter(fd, way, 0);
	}
	cgroup_remove(&cg);
	for (way = 0; way < NR; way++)
		expect_woken(waiter[way], way);
}

TEST(hotplug_later, "C4 G19: a CPU that goes and comes back after the cgroup does no harm")
{
	struct child child;
	struct cgroup cg;
	int fd, id;

	need_hotplug();
	cg = cgroup_make("a");
	child = child_in_on(&cg, CPU);
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	child_do_all(&child, ORDER_FAULT, 40);
	cgroup_leave(child.pid);
	cgroup_remove(&cg);
	expect_removed(fd);
	REQUIRE_EQ(cpu_set_online(CPU, false), 0);
	EXPECT_EQ(total(fd, id).raw, 40);
	REQUIRE_EQ(cpu_set_online(CPU, true), 0);
	EXPECT_EQ(total(fd, id).raw, 40);
	child_do(&child, ORDER_RUN_ON, CPU);
	child_do(&child, ORDER_FAULT, 9);
	EXPECT_EQ(grp_value_on(fd, CPU, id).raw, 40);
	expect_removed(fd);
	EXPECT(polled(fd) & POLLHUP);
}

/* ---- C5: the right cgroup -------------------------------------------------------- */

TEST(feature, "C5: where cgroups cannot be counted CREATE says so, and there is a feature bit")
{
	if (grp_info().features & PERFGRP_FEATURE_CGROUP)
		EXPECT_REFUSED(grp_on_cgroup(0, -1, NULL, 0), EBADF, CGROUP);
	else
		EXPECT_REFUSED(grp_on_cgroup(0, -1, NULL, 0), EOPNOTSUPP, FEATURE);
}

TEST(right_cgroup, "C5 G11 G12: every counter has its group's cgroup, whenever it was made")
{
	enum { NR = 4 };
	struct perfgrp_counter c[3];
	struct child child[NR];
	struct cgroup cg[NR];
	int fd[NR], i, k;
	char name[8];

	arrange();
	for (i = 0; i < NR; i++) {
		snprintf(name, sizeof(name), "%d", i);
		cg[i] = cgroup_make(name);
		child[i] = child_in(&cg[i]);
		fd[i] = grp_on_cgroup(PERFGRP_CREATE_ENABLED, cg[i].fd, NULL, 0);
		REQUIRE_GE(fd[i], 0);
	}
	/* Member by member, so that those of different cgroups are made in turns. */
	for (k = 0; k < 3; k++) {
		for (i = 0; i < NR; i++)
			REQUIRE_EQ(grp_add(fd[i], PERFGRP_SW_PAGE_FAULTS), k + 1);
	}
	for (i = 0; i < NR; i++)
		child_do(&child[i], ORDER_FAULT, 10 + i);
	for (i = 0; i < NR; i++) {
		for (k = 0; k < 3; k++)
			EXPECT_EQ(total(fd[i], k + 1).raw, 10 + i);
	}
	/* And made anew. */
	for (i = 0; i < NR; i++) {
		REQUIRE_EQ(grp_remove(fd[i], 1, PERFGRP_REMOVE_CASCADE), 0);
		fill_counters(c, 3, PERFGRP_SW_PAGE_FAULTS);
		REQUIRE_EQ(grp_add_counters(fd[i], c, 3), 0);
	}
	for (i = 0; i < NR; i++)
		child_do(&child[i], ORDER_FAULT, 20 + i);
	for (i = 0; i < NR; i++) {
		for (k = 0; k < 3; k++)
			EXPECT_EQ(total(fd[i], c[k].id).raw, 20 + i);
	}
}

/* ---- C6: what is no cgroup ------------------------------------------------------- */

static struct refusal no_cgroup(int err)
{
	struct refusal want = refusal(err, PERFGRP_REASON_CGROUP);

	want.field = "target_fd";
	return want;
}

TEST(not_a_cgroup, "C6: an fd that is closed, or of anything but a cgroup's directory, is EBADF")
{
	char path[224];
	int fd[8], pipes[2], closed;
	struct cgroup cg;
	unsigned int nr = 0, i;

	arrange();
	cg = cgroup_make("a");
	REQUIRE(pipe2(pipes, O_CLOEXEC) == 0);
	snprintf(path, sizeof(path), "%s/cgroup.procs", cg.path);
	fd[nr++] = open(path, O_RDONLY | O_CLOEXEC);
	fd[nr++] = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	fd[nr++] = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd[nr++] = open("/sys/kernel", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd[nr++] = open("/dev/null", O_RDWR | O_CLOEXEC);
	fd[nr++] = grp_device();
	fd[nr++] = grp_on_task(0, 0);
	fd[nr++] = pipes[0];
	for (i = 0; i < nr; i++) {
		REQUIRE_GE(fd[i], 0);
		EXPECT_REFUSED_AS(grp_on_cgroup(0, fd[i], NULL, 0), no_cgroup(EBADF));
	}
	closed = dup(cg.fd);
	REQUIRE_GE(closed, 0);
	close(closed);
	EXPECT_REFUSED_AS(grp_on_cgroup(0, closed, NULL, 0), no_cgroup(EBADF));
	EXPECT_REFUSED_AS(grp_on_cgroup(0, -1, NULL, 0), no_cgroup(EBADF));
	EXPECT_REFUSED_AS(grp_on_cgroup(0, 0x7fffffff, NULL, 0), no_cgroup(EBADF));
}

TEST(removed_before, "C6: a cgroup that was removed before is ENOENT, though its name is there")
{
	struct cgroup cg, again;
	int fd;

	arrange();
	cg = cgroup_make("a");
	cgroup_remove(&cg);
	EXPECT_REFUSED_AS(grp_on_cgroup(0, cg.fd, NULL, 0), no_cgroup(ENOENT));
	EXPECT(strstr(grp_error.text, "was removed"));
	again = cgroup_make("a");
	EXPECT_REFUSED_AS(grp_on_cgroup(0, cg.fd, NULL, 0), no_cgroup(ENOENT));
	fd = grp_on_cgroup(0, again.fd, NULL, 0);
	EXPECT_GE(fd, 0);
}

TEST(refused_late, "C6 C4: a group that is refused after its cgroup was found does not watch it")
{
	const struct rlimit none = {};
	struct refusal no = refusal(ENOSPC, PERFGRP_REASON_LIMIT);
	struct cgroup cg;
	pid_t pid;
	int fd;

	arrange();
	cg = cgroup_make("a");
	no.field = "buffer_size";
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		REQUIRE(setrlimit(RLIMIT_MEMLOCK, &none) == 0);
		keep_caps(1ULL << CAP_PERFMON);
		EXPECT_REFUSED_AS(stream_on_cgroup(0, cg.fd, 1 << 20), no);
		_exit(0);
	}
	REQUIRE(waitpid(pid, NULL, 0) == pid);
	fd = grp_on_cgroup(0, cg.fd, NULL, 0);
	EXPECT_GE(fd, 0);
	close(fd);
	cgroup_remove(&cg);
}

TEST(without_perf_event, "C6: a cgroup of a v1 hierarchy without perf_event is ENOENT")
{
	struct cgroup cg;
	int ret;

	arrange();
	ret = cgroup_v1_mount("none,name=perfgrp");
	if (ret)
		skip("no hierarchy of version 1 (errno %d)", -ret);
	cg = cgroup_v1_make("a");
	EXPECT_REFUSED_AS(grp_on_cgroup(0, cg.fd, NULL, 0), no_cgroup(ENOENT));
	EXPECT(strstr(grp_error.text, "no perf_event controller"));
	close(cg.fd);
	rmdir(cg.path);
	umount2(CGROUP_V1, MNT_DETACH);
}

TEST(unused_fields, "C6 A4: flags of tasks, and fields that the target has no use for, are EINVAL")
{
	struct refusal want = refusal(EINVAL, PERFGRP_REASON_TARGET);
	struct perfgrp_create c[] = {
		{ .target = PERFGRP_TARGET_TASK },
		{ .target = PERFGRP_TARGET_CPUS, .cpus = to_u64(cpus.cpu), .nr_cpus = 1 },
		{ .target = PERFGRP_TARGET_ALL_CPUS },
	};
	struct cgroup cg;
	size_t i;

	arrange();
	cg = cgroup_make("a");
	EXPECT_REFUSED(grp_on_cgroup(PERFGRP_CREATE_INHERIT, cg.fd, NULL, 0), EINVAL, FLAGS);
	EXPECT_REFUSED(grp_on_cgroup(PERFGRP_CREATE_ENABLE_ON_EXEC, cg.fd, NULL, 0), EINVAL, FLAGS);
	want.field = "pid";
	EXPECT_REFUSED_AS(grp_create_like((struct perfgrp_create){
				.target = PERFGRP_TARGET_CGROUP, .target_fd = cg.fd,
				.pid = getpid() }), want);
	want.field = "target_fd";
	for (i = 0; i < ARRAY_SIZE(c); i++) {
		c[i].target_fd = cg.fd;
		EXPECT_REFUSED_AS(grp_create_like(c[i]), want);
	}
}

TEST(bad_cpus, "C6 G20: impossible CPUs and repeated ones are refused as on other targets")
{
	__u32 list[2], beyond = grp_info().nr_cpu_ids;
	struct cgroup cg;

	arrange();
	cg = cgroup_make("a");
	list[0] = cpus.cpu[0];
	list[1] = cpus.cpu[0];
	EXPECT_REFUSED_CPU(grp_on_cgroup(0, cg.fd, list, 2), EINVAL, CPU, list[0]);
	list[1] = beyond;
	EXPECT_REFUSED_CPU(grp_on_cgroup(0, cg.fd, list, 2), ENODEV, CPU, (int)beyond);
}

TEST(other_namespace, "C6: a cgroup outside the caller's cgroup namespace is as good as any")
{
	struct cgroup own, other;
	struct child child;
	int fd, id;

	arrange();
	own = cgroup_make("a");
	other = cgroup_make("b");
	child = child_in(&other);
	cgroup_enter(&own, 0);
	if (unshare(CLONE_NEWCGROUP)) {
		cgroup_leave(0);
		skip("no cgroup namespaces (errno %d)", errno);
	}
	fd = faults_of(PERFGRP_CREATE_ENABLED, &other, &id);
	child_do(&child, ORDER_FAULT, 40);
	fault_in(10);
	EXPECT_EQ(total(fd, id).raw, 40);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.cgroup_id, cgroup_ino(&other));
}

/* ---- C7: times from elsewhere ---------------------------------------------------- */

TEST(time_passes, "C7: the time of a cgroup that runs goes on although nobody else reads it")
{
	struct perfgrp_value v[2];
	struct child child;
	struct cgroup cg;
	int fd, id;

	arrange();
	need_two_cpus();
	run_on(cpus.cpu[0]);
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	fd = faults_of(PERFGRP_CREATE_ENABLED, &cg, &id);
	child_tell(&child, ORDER_BURN, 200000);
	wait_until_running(child.pid);
	v[0] = grp_value_on(fd, cpus.cpu[1], id);
	nap_ns(50000000);
	v[1] = grp_value_on(fd, cpus.cpu[1], id);
	/* Others have that CPU for a moment at most. */
	EXPECT_GE(v[1].time_enabled - v[0].time_enabled, 25000000);
	EXPECT_GE(v[1].time_running - v[0].time_running, 25000000);
	child_wait(&child);
}

TEST(between_perfs, "C7: snapshots from another CPU have times between those perf reads around")
{
	struct peer_value before, after;
	struct perfgrp_value v = {};
	unsigned int i, nr = rounds(200);
	struct child child;
	struct cgroup cg;
	__u64 first = 0;
	int fd, id, peer;

	arrange();
	need_two_cpus();
	run_on(cpus.cpu[0]);
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	fd = faults_of(0, &cg, &id);
	peer = peer_on_cgroup(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, cg.fd, cpus.cpu[1]);
	REQUIRE_GE(peer, 0);
	/* The cgroup sleeps meanwhile: its time stands still, and both begin at zero. */
	peer_enable(peer);
	REQUIRE_EQ(grp_enable(fd), 0);
	child_tell(&child, ORDER_BURN, 200000);
	REQUIRE(BECOMES_TRUE(grp_value_on(fd, cpus.cpu[1], id).time_enabled, 5000));
	/* Longer while another task has the CPU, as where the guest's CPU waits for the host's. */
	for (i = 0; i < nr || (v.time_enabled == first && i < 1000 * nr); i++) {
		before = peer_read(peer);
		v = grp_value_on(fd, cpus.cpu[1], id);
		after = peer_read(peer);
		/*
		 * perf_event_read() gives what it read last while the event is going off the CPU:
		 * oncpu is -1 already, and the state not yet INACTIVE.
		 */
		if (after.enabled < v.time_enabled || after.running < v.time_running)
			after = peer_read(peer);
		EXPECT_GE(v.time_enabled, before.enabled);
		EXPECT_LE(v.time_enabled, after.enabled);
		EXPECT_GE(v.time_running, before.running);
		EXPECT_LE(v.time_running, after.running);
		if (i == 0)
			first = v.time_enabled;
	}
	EXPECT_GT(v.time_enabled, first);
	child_wait(&child);
	wait_until_asleep(child.pid);
	v = grp_value_on(fd, cpus.cpu[1], id);
	after = peer_read(peer);
	EXPECT_EQ(v.time_enabled, after.enabled);
	EXPECT_EQ(v.time_running, after.running);
	EXPECT_GE(v.time_enabled, 150000000);
}

/*
 * Samples of EVENT with the PERIOD while a task of the cgroup and another one share a CPU; false
 * where there is no such event.
 */
static bool check_sample_times(__u64 event, __u64 period, __u32 at_least)
{
	struct perfgrp_counter c = { .event = event, .sample_period = period };
	const struct perfgrp_record_sample *s;
	__u64 enabled = 0, running = 0;
	struct child child, outside;
	struct perfgrp_value v;
	struct peer_value theirs;
	struct cgroup cg;
	int fd, peer;
	__u32 i;

	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	outside = child_start();
	child_do(&outside, ORDER_RUN_ON, cpus.cpu[1]);
	fd = stream_on_cgroup(0, cg.fd, 1 << 20);
	REQUIRE_GE(fd, 0);
	if (grp_add_counters(fd, &c, 1)) {
		close(fd);
		return false;
	}
	fcntl(fd, F_SETFL, O_NONBLOCK);
	peer = peer_on_cgroup(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, cg.fd, cpus.cpu[1]);
	REQUIRE_GE(peer, 0);
	peer_enable(peer);
	REQUIRE_EQ(grp_enable(fd), 0);
	child_tell(&outside, ORDER_BURN, 60000);
	child_do(&child, ORDER_BURN, 30000);
	child_do(&child, ORDER_FAULT, 50);
	child_wait(&outside);
	wait_until_asleep(child.pid);
	v = grp_value_on(fd, cpus.cpu[1], c.id);
	theirs = peer_read(peer);
	stream_start(&records);
	stream_drain(fd);
	EXPECT_GE(records.nr_samples, at_least);
	for (i = 0; i < records.nr_samples; i++) {
		s = records.sample[i];
		EXPECT_EQ(s->cpu, cpus.cpu[1]);
		/* The perf core puts the events on before the kernel leaves the other task. */
		if ((pid_t)s->pid != outside.pid || s->header.misc != PERF_RECORD_MISC_KERNEL)
			EXPECT_EQ(s->pid, child.pid);
		EXPECT_GE(s->time_enabled, enabled);
		EXPECT_GE(s->time_running, running);
		enabled = s->time_enabled;
		running = s->time_running;
	}
	EXPECT_LE(enabled, v.time_enabled);
	EXPECT_LE(running, v.time_running);
	EXPECT_LE(enabled, theirs.enabled);
	/* The faults come last, after all that it burnt. */
	if (event == PERFGRP_SW_PAGE_FAULTS)
		EXPECT_GE(enabled, 25000000);
	close(fd);
	close(peer);
	close(cg.fd);
	return true;
}

TEST(fault_sample_times, "C7 O3: samples of page faults have the cgroup's times")
{
	arrange();
	need_two_cpus();
	REQUIRE(check_sample_times(PERFGRP_SW_PAGE_FAULTS, 1, 50));
}

TEST(clock_sample_times, "C7 O3: so have those of a timer's interrupts")
{
	arrange();
	need_two_cpus();
	keep_sample_rate();
	REQUIRE(check_sample_times(PERFGRP_SW_CPU_CLOCK, 1000000, 3));
}

TEST(pmu_sample_times, "C7 O3: so have those of the PMU's interrupts, NMIs where there are such")
{
	arrange();
	need_two_cpus();
	if (!has_pmu())
		skip("no hardware counters");
	keep_sample_rate();
	REQUIRE(check_sample_times(PERFGRP_HW_CPU_CYCLES, 1000000, 1));
}

/* ---- C9: many -------------------------------------------------------------------- */

TEST(many, "C9: twenty cgroups are one fd each, made, read and closed")
{
	static const __u64 config[] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES,
		PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_CPU_MIGRATIONS,
	};
	enum { NR = 20, EVENTS = ARRAY_SIZE(config) };
	static struct peers peers[NR][EVENTS];
	struct perfgrp_counter c[EVENTS];
	uint64_t made, took, closed, theirs[3];
	unsigned int before, fds, k;
	__u32 first[NR], cpu;
	struct cgroup cg[NR];
	struct rlimit limit;
	struct child child;
	int fd[NR], i;
	char name[8];

	arrange();
	REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	limit.rlim_cur = limit.rlim_max;
	REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	child = child_start();
	for (i = 0; i < NR; i++) {
		snprintf(name, sizeof(name), "%d", i);
		cg[i] = cgroup_make(name);
	}
	before = nr_open_fds();
	made = now_ns();
	for (i = 0; i < NR; i++) {
		for (k = 0; k < EVENTS; k++)
			c[k] = (struct perfgrp_counter){
				.event = PERFGRP_EVENT(PERF_TYPE_SOFTWARE, config[k]) };
		fd[i] = grp_on_cgroup(PERFGRP_CREATE_ENABLED, cg[i].fd, NULL, 0);
		REQUIRE_GE(fd[i], 0);
		REQUIRE_EQ(grp_add_counters(fd[i], c, EVENTS), 0);
		first[i] = c[0].id;
	}
	made = now_ns() - made;
	EXPECT_EQ(nr_open_fds(), before + NR);
	for (i = 0; i < NR; i++) {
		cgroup_enter(&cg[i], child.pid);
		child_do(&child, ORDER_FAULT, i + 1);
	}
	took = now_ns();
	for (i = 0; i < NR; i++)
		REQUIRE_EQ(grp_snapshot(fd[i], 0, &snap), 0);
	took = now_ns() - took;
	for (i = 0; i < NR; i++) {
		EXPECT_EQ(total(fd[i], first[i]).raw, i + 1);
		EXPECT_EQ(snap.hdr.nr_values, EVENTS);
	}
	closed = now_ns();
	for (i = 0; i < NR; i++)
		close(fd[i]);
	closed = now_ns() - closed;
	EXPECT_EQ(nr_open_fds(), before);

	theirs[0] = now_ns();
	for (i = 0; i < NR; i++) {
		for (k = 0; k < EVENTS; k++) {
			peers[i][k] = peers_open(&cg[i], config[k]);
			peers_enable(&peers[i][k]);
		}
	}
	theirs[0] = now_ns() - theirs[0];
	fds = nr_open_fds() - before;
	theirs[1] = now_ns();
	for (i = 0; i < NR; i++) {
		for (k = 0; k < EVENTS; k++)
			peers_sum(&peers[i][k]);
	}
	theirs[1] = now_ns() - theirs[1];
	theirs[2] = now_ns();
	for (i = 0; i < NR; i++) {
		for (k = 0; k < EVENTS; k++) {
			for (cpu = 0; cpu < cpus.nr; cpu++)
				close(peers[i][k].fd[cpu]);
		}
	}
	theirs[2] = now_ns() - theirs[2];
	diag("perfgrp: %u fds, made in %llu us, read in %llu us, closed in %llu us", NR,
	     made / 1000ULL, took / 1000ULL, closed / 1000ULL);
	diag("perf: %u fds, made in %llu us, read in %llu us, closed in %llu us", fds,
	     theirs[0] / 1000ULL, theirs[1] / 1000ULL, theirs[2] / 1000ULL);
}

int main(int argc, char **argv)
{
	int ret = run_tests(argc, argv);

	if (is_cgroup2(cgroup_root))
		cgroups_sweep();
	return ret;
}
