// SPDX-License-Identifier: GPL-2.0
/*
 * PERFGRP_BACKEND=perf: the library's groups without the module, and where it can be beside those
 * with it. Both are made by the same calls.
 */
#include "cgroup.h"
#include "machine.h"
#include "pmu.h"

#include "perfgrp.h"
#include <pthread.h>
#include <sys/resource.h>

#define HARDWARE	PERFGRP_HW_CPU_CYCLES
#define FAULTS		PERFGRP_SW_PAGE_FAULTS

static struct perfgrp_snap *snap;

/* ---- groups ----------------------------------------------------------------------- */

static struct perfgrp_dev *without_module(void)
{
	struct perfgrp_dev *dev = perfgrp_open_perf();

	REQUIRE(dev);
	REQUIRE_EQ(perfgrp_is_perf(dev), 1);
	snap = perfgrp_snap_new();
	REQUIRE(snap);
	return dev;
}

/* Adds a counter, and returns its id; 0 if it is refused. */
static __u32 add(struct perfgrp_group *group, __u64 event)
{
	struct perfgrp_counter counter = { .event = event };

	return perfgrp_add_counters(group, &counter, sizeof(counter), 1) ? 0 : counter.id;
}

/*
 * A counter of a PMU, whose members are one scheduling group: of hardware, or where there is none,
 * of x86's msr, which any machine has.
 */
static struct perfgrp_counter of_pmu(__u64 event)
{
	long type = read_number("/sys/bus/event_source/devices/msr/type");

	if (has_pmu())
		return (struct perfgrp_counter){ .event = event };
	if (type < 0)
		skip("there is no PMU");
	return (struct perfgrp_counter){ .flags = PERFGRP_COUNTER_RAW, .type = type };
}

static __u32 add_of_pmu(struct perfgrp_group *group, __u64 event)
{
	struct perfgrp_counter counter = of_pmu(event);

	return perfgrp_add_counters(group, &counter, sizeof(counter), 1) ? 0 : counter.id;
}

static struct perfgrp_group *on_task(struct perfgrp_dev *dev, pid_t pid, __u32 flags)
{
	struct perfgrp_group *group = perfgrp_create_task(dev, pid, flags);

	REQUIRE(group);
	return group;
}

static const struct perfgrp_row *take_row(struct perfgrp_group *group, __u32 flags, int cpu)
{
	const struct perfgrp_row *row;

	REQUIRE_EQ(perfgrp_take_snap(group, flags, snap), 0);
	row = perfgrp_snap_cpu(snap, cpu);
	REQUIRE(row);
	return row;
}

static struct perfgrp_value value_on(struct perfgrp_group *group, __u32 flags, int cpu, __u32 id)
{
	const struct perfgrp_row *row = take_row(group, flags, cpu);
	const struct perfgrp_value *value = perfgrp_snap_value(snap, row, id);

	REQUIRE(value);
	return *value;
}

static struct perfgrp_value value_of(struct perfgrp_group *group, __u32 id)
{
	return value_on(group, 0, -1, id);
}

static void refused(int ret, const struct perfgrp_error *why, int err, __u32 reason,
		    const char *text)
{
	EXPECT_EQ(ret, -err);
	EXPECT_EQ(why->error, err);
	EXPECT_EQ(why->reason, reason);
	if (!strstr(why->text, text))
		fail("'%s' does not say '%s'", why->text, text);
}

/* ---- beside the module ------------------------------------------------------------ */

/* The numbers of scheduling groups are ids, which are the same if members are added alike. */
static void expect_alike(const struct perfgrp_value *ours, const struct perfgrp_value *modules)
{
	EXPECT_EQ(ours->id, modules->id);
	EXPECT_EQ(ours->sched_group, modules->sched_group);
	EXPECT_EQ(ours->state, modules->state);
	EXPECT_EQ(ours->flags, modules->flags);
	EXPECT_EQ(ours->pmu, modules->pmu);
}

TEST(beside, "L4: on a task the values are those of the module")
{
	const __u64 events[] = {
		FAULTS, HARDWARE, PERFGRP_HW_INSTRUCTIONS, PERFGRP_SW_MINOR_FAULTS,
	};
	struct perfgrp_dev *devs[] = { without_module(), perfgrp_open() };
	struct perfgrp_group *groups[2];
	struct perfgrp_value values[2][ARRAY_SIZE(events)];
	unsigned int i, j;

	REQUIRE(devs[1]);
	for (i = 0; i < 2; i++) {
		groups[i] = on_task(devs[i], 0, 0);
		for (j = 0; j < ARRAY_SIZE(events); j++)
			if (has_pmu() || (events[j] != HARDWARE && events[j] != events[2]))
				REQUIRE_GT(add(groups[i], events[j]), 0);
	}
	settle_memory();
	for (i = 0; i < 2; i++)
		REQUIRE_EQ(perfgrp_enable(groups[i]), 0);
	fault_in(100);
	spin(100000);
	/* The other way round, so that what one counts the other does, too. */
	for (i = 2; i-- > 0;)
		REQUIRE_EQ(perfgrp_disable(groups[i]), 0);
	for (i = 0; i < 2; i++) {
		const struct perfgrp_row *row = take_row(groups[i], 0, -1);

		REQUIRE_EQ(row->nr_values, has_pmu() ? 4 : 2);
		EXPECT_EQ(row->nr_cpus, 1);
		for (j = 0; j < row->nr_values; j++)
			values[i][j] = *perfgrp_snap_value_at(snap, row, j);
	}
	EXPECT_EQ(values[0][0].raw, 100);
	EXPECT_EQ(values[1][0].raw, 100);
	for (j = 0; j < (has_pmu() ? 4 : 2); j++) {
		expect_alike(&values[0][j], &values[1][j]);
		EXPECT_GE(values[0][j].raw, values[1][j].raw);
		EXPECT_LT(values[0][j].raw, values[1][j].raw + values[1][j].raw / 5 + 10000000);
	}
}

TEST(cpus, "L4: rows and totals of all CPUs are those of the module")
{
	struct perfgrp_dev *devs[] = { without_module(), perfgrp_open() };
	const __u32 flags[] = { 0, PERFGRP_SNAPSHOT_TOTALS };
	struct perfgrp_value values[2][2][MAX_CPUS];
	struct perfgrp_group *groups[2];
	struct cpus cpus;
	unsigned int i, f, r;
	__u64 sum = 0, scaled = 0;

	REQUIRE(devs[1]);
	cpus_online(&cpus);
	for (i = 0; i < 2; i++) {
		groups[i] = perfgrp_create_all_cpus(devs[i], 0);
		REQUIRE(groups[i]);
		REQUIRE_EQ(add(groups[i], has_pmu() ? HARDWARE : FAULTS), 1);
		REQUIRE_EQ(perfgrp_enable(groups[i]), 0);
	}
	for (r = 0; r < cpus.nr; r++) {
		run_on(cpus.cpu[r]);
		fault_in(50);
		spin(20000);
	}
	for (i = 2; i-- > 0;)
		REQUIRE_EQ(perfgrp_disable(groups[i]), 0);
	for (i = 0; i < 2; i++) {
		for (f = 0; f < 2; f++) {
			REQUIRE_EQ(perfgrp_take_snap(groups[i], flags[f], snap), 0);
			REQUIRE_EQ(perfgrp_snap_nr_rows(snap), f ? 1 : cpus.nr);
			for (r = 0; r < perfgrp_snap_nr_rows(snap); r++) {
				const struct perfgrp_row *row = perfgrp_snap_row(snap, r);

				EXPECT_EQ(row->cpu, f ? -1 : (int)cpus.cpu[r]);
				EXPECT_EQ(row->nr_cpus, f ? cpus.nr : 1);
				EXPECT_EQ(row->flags, f ? PERFGRP_ROW_TOTAL : 0);
				EXPECT_LE(row->time_before, row->time_after);
				values[i][f][r] = *perfgrp_snap_value_at(snap, row, 0);
			}
		}
	}
	for (f = 0; f < 2; f++)
		for (r = 0; r < (f ? 1 : cpus.nr); r++) {
			expect_alike(&values[0][f][r], &values[1][f][r]);
			EXPECT_GE(values[0][f][r].raw, values[1][f][r].raw);
		}
	for (i = 0; i < 2; i++) {
		__u64 enabled = 0, running = 0;

		for (r = 0; r < cpus.nr; r++) {
			enabled += values[i][0][r].time_enabled;
			running += values[i][0][r].time_running;
		}
		EXPECT_EQ(values[i][1][0].time_enabled, enabled);
		EXPECT_EQ(values[i][1][0].time_running, running);
	}
	for (r = 0; r < cpus.nr; r++) {
		EXPECT_GE(values[0][0][r].raw, 50);
		sum += values[0][0][r].raw;
		scaled += values[0][0][r].scaled;
	}
	EXPECT_EQ(values[0][1][0].raw, sum);
	EXPECT_EQ(values[0][1][0].scaled, scaled);
}

TEST(cgroups, "L4: on a cgroup the values are those of the module, also where it did not run")
{
	struct perfgrp_dev *devs[] = { without_module(), perfgrp_open() };
	struct perfgrp_members *members = perfgrp_members_new();
	struct perfgrp_value values[2][MAX_CPUS];
	struct perfgrp_group *groups[2];
	unsigned int i, r, counted = 0;
	struct child child;
	struct cgroup cg;
	struct cpus cpus;

	need_cgroups();
	REQUIRE(devs[1]);
	cpus_online(&cpus);
	cg = cgroup_make("backend");
	child = child_in_on(&cg, cpus.cpu[cpus.nr - 1]);
	for (i = 0; i < 2; i++) {
		groups[i] = perfgrp_create_cgroup(devs[i], cg.fd, NULL, 0, PERFGRP_CREATE_ENABLED);
		REQUIRE(groups[i]);
		REQUIRE_EQ(add(groups[i], FAULTS), 1);
	}
	child_do_all(&child, ORDER_FAULT, 70);
	for (i = 0; i < 2; i++) {
		REQUIRE_EQ(perfgrp_take_snap(groups[i], 0, snap), 0);
		REQUIRE_EQ(perfgrp_snap_nr_rows(snap), cpus.nr);
		for (r = 0; r < cpus.nr; r++)
			values[i][r] = *perfgrp_snap_value_at(snap, perfgrp_snap_row(snap, r), 0);
	}
	for (r = 0; r < cpus.nr; r++) {
		expect_alike(&values[0][r], &values[1][r]);
		EXPECT_EQ(values[0][r].raw, values[1][r].raw);
		EXPECT_EQ(values[0][r].raw, r == cpus.nr - 1 ? 70 : 0);
		counted += !(values[0][r].flags & PERFGRP_VALUE_ABSENT);
	}
	EXPECT_EQ(counted, 1);
	/* It is absent also when the group is off. */
	for (i = 0; i < 2; i++) {
		REQUIRE_EQ(perfgrp_disable(groups[i]), 0);
		REQUIRE_EQ(perfgrp_take_snap(groups[i], 0, snap), 0);
		for (r = 0; r < cpus.nr; r++)
			values[i][r] = *perfgrp_snap_value_at(snap, perfgrp_snap_row(snap, r), 0);
	}
	for (r = 0; r < cpus.nr; r++)
		expect_alike(&values[0][r], &values[1][r]);
	child_exit(&child);
	child_reap(&child);
	cgroup_remove(&cg);
	for (i = 0; i < 2; i++) {
		REQUIRE_EQ(perfgrp_get_members(groups[i], members), 0);
		EXPECT_EQ(perfgrp_members_group(members)->cgroup_id, cgroup_ino(&cg));
	}
}

/* ---- what groups do --------------------------------------------------------------- */

TEST(states, "L4: multiplexed, never ran, together or not at all, as the perf core says")
{
	struct perfgrp_group *group, *off;
	struct perfgrp_value a, b;
	struct perfgrp_dev *dev;
	unsigned int size;
	__u32 ids[3];

	if (!has_pmu())
		skip("there is no PMU");
	size = pmu_size();
	dev = without_module();
	group = on_task(dev, 0, PERFGRP_CREATE_ENABLED);
	off = on_task(dev, 0, 0);
	pmu_load(size, 0, -1, NULL);
	ids[0] = add(group, HARDWARE);
	ids[1] = add(group, PERFGRP_HW_INSTRUCTIONS);
	ids[2] = add(group, FAULTS);
	REQUIRE_GT(add(off, HARDWARE), 0);
	burn_us(200000);
	take_row(group, 0, -1);
	a = *perfgrp_snap_value(snap, perfgrp_snap_row(snap, 0), ids[0]);
	b = *perfgrp_snap_value(snap, perfgrp_snap_row(snap, 0), ids[1]);
	EXPECT_EQ(a.state, PERFGRP_STATE_MULTIPLEXED);
	EXPECT_EQ(a.sched_group, ids[0]);
	EXPECT_EQ(b.sched_group, ids[0]);
	EXPECT_EQ(a.time_running, b.time_running);
	EXPECT_GT(a.time_enabled, a.time_running);
	EXPECT_GT(a.scaled, a.raw);
	b = *perfgrp_snap_value(snap, perfgrp_snap_row(snap, 0), ids[2]);
	EXPECT_EQ(b.state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(b.sched_group, ids[2]);
	a = value_of(off, 1);
	EXPECT_EQ(a.state, PERFGRP_STATE_NEVER_RAN);
	EXPECT_EQ(a.flags, 0);
	EXPECT_EQ(a.raw, 0);
}

TEST(excluded, "L4 E6: a member does not count what it excludes, or is refused")
{
	struct perfgrp_counter counters[] = {
		{ .event = FAULTS },
		{ .event = FAULTS, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL },
		{ .event = FAULTS, .flags = PERFGRP_COUNTER_EXCLUDE_USER },
	};
	const __u32 flags[] = {
		PERFGRP_COUNTER_EXCLUDE_USER, PERFGRP_COUNTER_EXCLUDE_KERNEL,
		PERFGRP_COUNTER_EXCLUDE_HV, PERFGRP_COUNTER_EXCLUDE_IDLE,
		PERFGRP_COUNTER_EXCLUDE_HOST, PERFGRP_COUNTER_EXCLUDE_GUEST,
	};
	struct perfgrp_group *group = on_task(without_module(), 0, 0);
	long msr = read_number("/sys/bus/event_source/devices/msr/type");
	unsigned int i;

	REQUIRE_EQ(perfgrp_add_counters(group, counters, sizeof(*counters), 3), 0);
	settle_memory();
	REQUIRE_EQ(perfgrp_enable(group), 0);
	fault_in(30);
	fault_in_kernel(20);
	REQUIRE_EQ(perfgrp_disable(group), 0);
	EXPECT_EQ(value_of(group, 1).raw, 50);
	EXPECT_EQ(value_of(group, 2).raw, 30);
	EXPECT_EQ(value_of(group, 3).raw, 20);
	/* x86's msr can exclude nothing. */
	for (i = 0; msr >= 0 && i < ARRAY_SIZE(flags); i++) {
		struct perfgrp_counter counter = {
			.flags = PERFGRP_COUNTER_RAW | flags[i], .type = msr,
		};

		refused(perfgrp_add_counters(group, &counter, sizeof(counter), 1),
			perfgrp_group_error(group), EINVAL, PERFGRP_REASON_EVENT_OPTION, "msr");
	}
}

TEST(exclusive, "L4 E6: an EXCLUSIVE group shares the PMU with nobody")
{
	struct perfgrp_group *group;

	if (!has_pmu())
		skip("there is no PMU");
	REQUIRE_GT(pmu_size(), 1);
	group = on_task(without_module(), 0, PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_EXCLUSIVE);
	pmu_load(1, 0, -1, NULL);
	REQUIRE_EQ(add(group, HARDWARE), 1);
	burn_us(200000);
	EXPECT_EQ(value_of(group, 1).state, PERFGRP_STATE_MULTIPLEXED);
}

TEST(too_many, "L4: what does not fit is refused whole, with the counter; the group goes on")
{
	struct perfgrp_counter counters[PMU_MANY + 1];
	struct perfgrp_group *group;
	struct perfgrp_value before;
	unsigned int size, files, i;
	int err;

	if (!has_pmu())
		skip("there is no PMU");
	size = pmu_size();
	group = on_task(without_module(), 0, PERFGRP_CREATE_ENABLED);
	REQUIRE_EQ(add(group, FAULTS), 1);
	fault_in(10);
	before = value_of(group, 1);
	EXPECT_GE(before.raw, 10);
	files = nr_open_fds();
	memset(counters, 0, sizeof(counters));
	for (i = 0; i <= size; i++)
		counters[i].event = HARDWARE;
	err = perfgrp_add_counters(group, counters, sizeof(*counters), size + 1);
	refused(err, perfgrp_group_error(group), EINVAL, PERFGRP_REASON_PMU_FULL, "cycles: the PMU");
	EXPECT_EQ(perfgrp_group_error(group)->member, size);
	EXPECT_EQ(nr_open_fds(), files);
	EXPECT_GE(value_of(group, 1).raw, before.raw);
	EXPECT_EQ(take_row(group, 0, -1)->nr_values, 1);
	REQUIRE_EQ(perfgrp_add_counters(group, counters, sizeof(*counters), size), 0);
	EXPECT_EQ(counters[0].id, 2);
	/* All begin again. */
	EXPECT_LT(value_of(group, 1).raw, 10);

	/* Drivers may forget those that are off. */
	group = on_task(perfgrp_open_perf(), 0, 0);
	REQUIRE_EQ(add(group, HARDWARE), 1);
	memset(counters, 0, sizeof(counters));
	for (i = 0; i <= size; i++)
		counters[i].event = HARDWARE;
	err = perfgrp_add_counters(group, counters, sizeof(*counters), size);
	refused(err, perfgrp_group_error(group), EINVAL, PERFGRP_REASON_PMU_FULL, "cycles: the PMU");
	EXPECT_EQ(perfgrp_group_error(group)->member, size - 1);
	EXPECT_EQ(value_of(group, 1).state, PERFGRP_STATE_NEVER_RAN);
}

TEST(off, "L4: while a group is off members that are refused, or not, leave its counts alone")
{
	struct perfgrp_group *group = on_task(without_module(), 0, 0);
	struct perfgrp_value before, after;

	REQUIRE_EQ(add(group, has_pmu() ? HARDWARE : PERFGRP_SW_CPU_CLOCK), 1);
	spin(10000);
	EXPECT_EQ(value_of(group, 1).state, PERFGRP_STATE_NEVER_RAN);
	REQUIRE_EQ(perfgrp_enable(group), 0);
	spin(10000);
	REQUIRE_EQ(perfgrp_disable(group), 0);
	before = value_of(group, 1);
	EXPECT_EQ(before.state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(add(group, PERFGRP_EVENT(PERF_TYPE_SOFTWARE, 77)), 0);
	spin(10000);
	after = value_of(group, 1);
	EXPECT_EQ(after.raw, before.raw);
	EXPECT_EQ(after.time_enabled, before.time_enabled);
	EXPECT_EQ(after.time_running, before.time_running);
	REQUIRE_EQ(add(group, FAULTS), 2);
	EXPECT_EQ(value_of(group, 1).state, PERFGRP_STATE_NEVER_RAN);
	EXPECT_EQ(value_of(group, 2).state, PERFGRP_STATE_NEVER_RAN);
}

TEST(no_mux, "L5: NO_MUX without room is EBUSY, not a zero")
{
	struct perfgrp_members *members = perfgrp_members_new();
	struct perfgrp_group *groups[2];
	struct perfgrp_dev *dev;
	unsigned int size, i, j;
	const __u32 cpu = 0;

	if (!has_pmu())
		skip("there is no PMU");
	size = pmu_size();
	dev = without_module();
	for (i = 0; i < 2; i++) {
		groups[i] = perfgrp_create_cpus(dev, &cpu, 1, PERFGRP_CREATE_NO_MUX);
		REQUIRE(groups[i]);
		for (j = 0; j < size; j++)
			REQUIRE_GT(add(groups[i], HARDWARE), 0);
	}
	REQUIRE_EQ(perfgrp_enable(groups[0]), 0);
	refused(perfgrp_enable(groups[1]), perfgrp_group_error(groups[1]), EBUSY,
		PERFGRP_REASON_PMU_BUSY, "CPU 0");
	REQUIRE_EQ(perfgrp_get_members(groups[1], members), 0);
	EXPECT_EQ(perfgrp_members_group(members)->enabled, 0);
	EXPECT_EQ(value_on(groups[0], 0, 0, 1).state, PERFGRP_STATE_COUNTED);
	REQUIRE_EQ(perfgrp_disable(groups[0]), 0);
	EXPECT_EQ(perfgrp_enable(groups[1]), 0);
	nap_ns(10000000);
	EXPECT_EQ(value_on(groups[1], 0, 0, 1).state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(value_on(groups[1], 0, 0, 1).flags, PERFGRP_VALUE_SCALED);
}

TEST(reset, "L4: a reset begins from zero, and with snapshots nothing is lost in between")
{
	struct perfgrp_group *group = on_task(without_module(), 0, PERFGRP_CREATE_ENABLED);
	int peer = peer_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, -1, -1);
	struct perfgrp_value value;
	__u64 sum = 0, generation;
	unsigned int i;

	REQUIRE_GE(peer, 0);
	settle_memory();
	take_row(group, 0, -1);
	REQUIRE_EQ(add(group, FAULTS), 1);
	peer_enable(peer);
	for (i = 0; i < 20; i++) {
		fault_in(i + 1);
		sum += value_on(group, PERFGRP_SNAPSHOT_RESET, -1, 1).raw;
	}
	REQUIRE_EQ(perfgrp_disable(group), 0);
	peer_disable(peer);
	sum += value_of(group, 1).raw;
	EXPECT_GE(sum, 210);
	EXPECT_EQ(sum, peer_read(peer).value);
	generation = perfgrp_snap_generation(snap);
	REQUIRE_EQ(perfgrp_reset(group), 0);
	value = value_of(group, 1);
	EXPECT_GT(perfgrp_snap_generation(snap), generation);
	EXPECT_EQ(value.raw, 0);
	EXPECT_EQ(value.time_enabled, 0);
	EXPECT_EQ(value.state, PERFGRP_STATE_NEVER_RAN);
}

TEST(removed, "L4: the others go on when a member is removed, the first of a PMU too")
{
	struct perfgrp_group *group = on_task(without_module(), 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_value before, after;
	__u32 leader, first, second;
	__u64 begin;

	leader = add(group, FAULTS);
	first = add_of_pmu(group, HARDWARE);
	/* So that their own clocks differ. */
	burn_us(1000);
	second = add_of_pmu(group, PERFGRP_HW_INSTRUCTIONS);
	REQUIRE(leader && first && second);
	burn_us(20000);
	begin = now_ns();
	before = value_of(group, second);
	EXPECT_EQ(before.sched_group, first);
	refused(perfgrp_remove_counter(group, leader, 0), perfgrp_group_error(group), EBUSY,
		PERFGRP_REASON_LEADER, "leader");
	refused(perfgrp_remove_counter(group, 99, 0), perfgrp_group_error(group), ENOENT,
		PERFGRP_REASON_MEMBER, "99");
	REQUIRE_EQ(perfgrp_remove_counter(group, first, 0), 0);
	after = value_of(group, second);
	EXPECT_EQ(after.sched_group, second);
	EXPECT_GE(after.raw, before.raw);
	EXPECT_GE(after.time_enabled, before.time_enabled);
	EXPECT_EQ(after.state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(after.time_running, after.time_enabled);
	/* Not so much as if its own clock were added to that of its leader. */
	EXPECT_LE(after.time_enabled - before.time_enabled, now_ns() - begin + 1000000);
	burn_us(20000);
	EXPECT_GT(value_of(group, second).raw, after.raw);
	REQUIRE_EQ(perfgrp_remove_counter(group, leader, PERFGRP_REMOVE_CASCADE), 0);
	EXPECT_EQ(take_row(group, 0, -1)->nr_values, 0);
	EXPECT_GT(add(group, FAULTS), second);
}

static void *exit_when_told(void *arg)
{
	int *fds = arg;
	char byte;
	int tid = syscall(SYS_gettid);

	REQUIRE_EQ(write(fds[1], &tid, sizeof(tid)), sizeof(tid));
	REQUIRE_EQ(read(fds[2], &byte, 1), 1);
	return NULL;
}

TEST(thread, "L4: the end of a thread is seen, which no pidfd may name")
{
	struct perfgrp_group *group;
	pthread_t thread;
	int fds[4], tid;

	REQUIRE_EQ(pipe(fds), 0);
	REQUIRE_EQ(pipe(fds + 2), 0);
	REQUIRE_EQ(pthread_create(&thread, NULL, exit_when_told, fds), 0);
	REQUIRE_EQ(read(fds[0], &tid, sizeof(tid)), sizeof(tid));
	group = on_task(without_module(), tid, PERFGRP_CREATE_ENABLED);
	REQUIRE_EQ(add(group, FAULTS), 1);
	EXPECT_EQ(take_row(group, 0, -1)->flags, 0);
	REQUIRE_EQ(write(fds[3], "", 1), 1);
	REQUIRE_EQ(pthread_join(thread, NULL), 0);
	EXPECT(BECOMES_TRUE(take_row(group, 0, -1)->flags == PERFGRP_ROW_EXITED, 1000));
}

TEST(removed_off, "L4: a member whose leader is removed stays off in a group that is off")
{
	struct perfgrp_group *group = on_task(without_module(), 0, 0);
	__u32 second;

	if (!has_pmu())
		skip("there is no PMU");
	REQUIRE_EQ(add(group, HARDWARE), 1);
	REQUIRE_EQ(add(group, FAULTS), 2);
	/* Not the group's leader, but that of the PMU's members. */
	REQUIRE_EQ(perfgrp_remove_counter(group, 1, PERFGRP_REMOVE_CASCADE), 0);
	REQUIRE_EQ(add(group, FAULTS), 3);
	REQUIRE_EQ(add(group, HARDWARE), 4);
	second = add(group, PERFGRP_HW_INSTRUCTIONS);
	REQUIRE_EQ(perfgrp_remove_counter(group, 4, 0), 0);
	spin(100000);
	EXPECT_EQ(value_of(group, second).state, PERFGRP_STATE_NEVER_RAN);
	REQUIRE_EQ(perfgrp_enable(group), 0);
	spin(100000);
	EXPECT_GT(value_of(group, second).raw, 100000);
}

TEST(children, "L4: children are counted, from the exec on, and the end is seen")
{
	struct perfgrp_members *members = perfgrp_members_new();
	struct perfgrp_dev *dev = without_module();
	struct perfgrp_group *group, *on_exec;
	struct child child = child_start();
	struct perfgrp_value value;
	int go[2];
	char byte;
	pid_t pid;

	group = on_task(dev, child.pid, PERFGRP_CREATE_ENABLED);
	REQUIRE_EQ(add(group, FAULTS), 1);
	REQUIRE_EQ(perfgrp_get_members(group, members), 0);
	EXPECT_EQ(perfgrp_members_group(members)->task_state, PERFGRP_TASK_ALIVE);
	EXPECT_EQ(perfgrp_members_group(members)->pid, child.pid);
	EXPECT_EQ(perfgrp_members_group(members)->cgroup_id, 0);
	child_do(&child, ORDER_FAULT, 30);
	value = value_of(group, 1);
	EXPECT_EQ(value.raw, 30);
	EXPECT_EQ(value.flags, PERFGRP_VALUE_SCALED);
	child_exit(&child);
	value = value_of(group, 1);
	EXPECT_EQ(value.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_EXITED);
	EXPECT_EQ(perfgrp_snap_row(snap, 0)->flags, PERFGRP_ROW_EXITED);
	REQUIRE_EQ(perfgrp_get_members(group, members), 0);
	EXPECT_EQ(perfgrp_members_group(members)->task_state, PERFGRP_TASK_EXITED);
	EXPECT_EQ(perfgrp_members_group(members)->pid, 0);
	EXPECT_EQ(add(group, FAULTS), 0);
	EXPECT_EQ(perfgrp_group_error(group)->reason, PERFGRP_REASON_PID);
	child_reap(&child);

	group = on_task(dev, 0, PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_INHERIT);
	REQUIRE_EQ(add(group, FAULTS), 1);
	pid = fork();
	REQUIRE(pid >= 0);
	if (!pid) {
		fault_in(300);
		_exit(0);
	}
	REQUIRE_EQ(waitpid(pid, NULL, 0), pid);
	value = value_of(group, 1);
	EXPECT_GE(value.raw, 300);
	EXPECT_EQ(value.flags, PERFGRP_VALUE_SCALED);

	REQUIRE_EQ(pipe(go), 0);
	pid = fork();
	REQUIRE(pid >= 0);
	if (!pid) {
		REQUIRE_EQ(read(go[0], &byte, 1), 1);
		fault_in(50);
		execl("/bin/sh", "sh", "-c", "(:); exit 0", NULL);
		_exit(1);
	}
	on_exec = on_task(dev, pid, PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLE_ON_EXEC);
	REQUIRE_EQ(add(on_exec, FAULTS), 1);
	EXPECT_EQ(value_of(on_exec, 1).state, PERFGRP_STATE_NEVER_RAN);
	EXPECT_EQ(add(on_exec, FAULTS), 0);
	EXPECT_EQ(perfgrp_group_error(on_exec)->reason, PERFGRP_REASON_FEATURE);
	REQUIRE_EQ(write(go[1], "", 1), 1);
	REQUIRE_EQ(waitpid(pid, NULL, 0), pid);
	value = value_of(on_exec, 1);
	EXPECT_GT(value.raw, 10);
	EXPECT_EQ(value.state, PERFGRP_STATE_COUNTED);
	/* Nobody tells whether its children have exited. */
	EXPECT_EQ(value.flags, PERFGRP_VALUE_SCALED);
}

/* perf_event_open(2) cannot take back that an exec enables an event. */
static void enabled_by_exec(bool enable, bool disable)
{
	struct perfgrp_members *members = perfgrp_members_new();
	struct perfgrp_dev *dev = without_module();
	struct perfgrp_group *group;
	__u64 before;
	pid_t pid;
	int go;

	pid = shell_when_told("while :; do :; done", &go);
	group = on_task(dev, pid, PERFGRP_CREATE_ENABLE_ON_EXEC);
	REQUIRE_EQ(add(group, PERFGRP_SW_TASK_CLOCK), 1);
	if (enable)
		REQUIRE_EQ(perfgrp_enable(group), 0);
	if (disable)
		REQUIRE_EQ(perfgrp_disable(group), 0);
	REQUIRE_EQ(perfgrp_get_members(group, members), 0);
	EXPECT_EQ(perfgrp_members_group(members)->enabled, 0);
	before = value_of(group, 1).raw;
	REQUIRE_EQ(write(go, "", 1), 1);
	EXPECT(BECOMES_TRUE(value_of(group, 1).raw > before, 5000));
	REQUIRE_EQ(perfgrp_get_members(group, members), 0);
	EXPECT_EQ(perfgrp_members_group(members)->enabled, 1);
	REQUIRE_EQ(add(group, PERFGRP_SW_CPU_CLOCK), 2);
	EXPECT(BECOMES_TRUE(value_of(group, 1).raw > 0 && value_of(group, 2).raw > 0, 5000));
	perfgrp_group_close(group);
	perfgrp_members_free(members);
	kill(pid, SIGKILL);
	REQUIRE_EQ(waitpid(pid, NULL, 0), pid);
	close(go);
}

/* What it counted before it was disabled is not taken for what an exec has enabled. */
static void disabled_without_exec(void)
{
	struct perfgrp_members *members = perfgrp_members_new();
	struct perfgrp_group *group;

	group = on_task(without_module(), 0, PERFGRP_CREATE_ENABLE_ON_EXEC);
	REQUIRE_EQ(add(group, PERFGRP_SW_TASK_CLOCK), 1);
	REQUIRE_EQ(perfgrp_enable(group), 0);
	burn_us(1000);
	REQUIRE_EQ(perfgrp_disable(group), 0);
	REQUIRE_EQ(perfgrp_get_members(group, members), 0);
	EXPECT_EQ(perfgrp_members_group(members)->enabled, 0);
	perfgrp_group_close(group);
	perfgrp_members_free(members);
}

TEST(after_exec, "L4: what an exec has enabled is enabled, and stays so when members are added")
{
	enabled_by_exec(false, false);
	enabled_by_exec(false, true);
	enabled_by_exec(true, true);
	disabled_without_exec();
}

TEST(leaders, "L4: a leader that others need is not removed, whatever it is that needs it")
{
	const __u32 flags[] = {
		PERFGRP_CREATE_INHERIT, PERFGRP_CREATE_ENABLE_ON_EXEC, PERFGRP_CREATE_NO_MUX,
		PERFGRP_CREATE_EXCLUSIVE, PERFGRP_CREATE_ONE_SCHED_GROUP, 0,
	};
	struct perfgrp_dev *dev = without_module();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		struct perfgrp_counter counters[] = {
			{ .event = FAULTS }, of_pmu(HARDWARE), of_pmu(PERFGRP_HW_INSTRUCTIONS),
		};
		struct perfgrp_group *group = on_task(dev, 0, flags[i]);

		REQUIRE_EQ(perfgrp_add_counters(group, counters, sizeof(*counters), 3), 0);
		if (flags[i])
			refused(perfgrp_remove_counter(group, 2, 0), perfgrp_group_error(group),
				EBUSY, PERFGRP_REASON_LEADER, "scheduling leader");
		else
			EXPECT_EQ(perfgrp_remove_counter(group, 2, 0), 0);
		EXPECT_EQ(perfgrp_remove_counter(group, 3, 0), 0);
		if (flags[i])
			EXPECT_EQ(perfgrp_remove_counter(group, 2, 0), 0);
		perfgrp_group_close(group);
	}
}

TEST(together, "L4: software does not split a group, and who joins one wants room as it does")
{
	struct perfgrp_group *group;
	struct perfgrp_dev *dev;
	unsigned int size, i;
	const __u32 cpu = 0;

	if (!has_pmu())
		skip("there is no PMU");
	size = pmu_size();
	dev = without_module();
	group = on_task(dev, 0, PERFGRP_CREATE_ONE_SCHED_GROUP);
	REQUIRE_EQ(add(group, FAULTS), 1);
	REQUIRE_EQ(add(group, HARDWARE), 2);
	REQUIRE_EQ(add(group, PERFGRP_HW_INSTRUCTIONS), 3);

	/* One that is added to a NO_MUX group wants room as the others do. */
	pmu_load(size, -1, 0, NULL);
	group = perfgrp_create_cpus(dev, &cpu, 1, PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_ENABLED);
	REQUIRE(group);
	for (i = 0; i < size; i++)
		REQUIRE_GT(add(group, HARDWARE), 0);
	perfgrp_group_close(group);
	group = perfgrp_create_cpus(dev, &cpu, 1, PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_ENABLED);
	REQUIRE(group);
	for (i = 0; i < size; i++)
		REQUIRE_GT(add(group, HARDWARE), 0);
	group = perfgrp_create_cpus(dev, &cpu, 1, PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_ENABLED);
	REQUIRE(group);
	EXPECT_EQ(add(group, HARDWARE), 0);
	EXPECT_EQ(perfgrp_group_error(group)->reason, PERFGRP_REASON_PMU_BUSY);
	EXPECT_EQ(perfgrp_group_error(group)->member, PERFGRP_NONE);
	EXPECT_EQ(take_row(group, 0, 0)->nr_values, 0);
	/* While it is off it has not failed. */
	group = perfgrp_create_cpus(dev, &cpu, 1, PERFGRP_CREATE_NO_MUX);
	REQUIRE(group);
	REQUIRE_GT(add(group, HARDWARE), 0);
	EXPECT_EQ(take_row(group, 0, 0)->flags, 0);
}

TEST(offline, "L5: what a CPU that was offline does not count any more is marked, for good")
{
	struct perfgrp_group *group = perfgrp_create_all_cpus(without_module(), 0);
	struct perfgrp_value value;
	struct cpus cpus;
	int cpu;

	cpus_online(&cpus);
	cpu = cpus.cpu[cpus.nr - 1];
	if (cpus.nr < 2 || cpu_set_online(cpu, true))
		skip("no CPU can be taken away");
	REQUIRE(group);
	REQUIRE_EQ(add(group, FAULTS), 1);
	REQUIRE_EQ(perfgrp_enable(group), 0);
	run_on(cpu);
	fault_in(20);
	run_on(cpus.cpu[0]);
	nap_ns(10000000);
	value = value_on(group, 0, cpu, 1);
	EXPECT_GE(value.raw, 20);
	EXPECT_EQ(value.flags, PERFGRP_VALUE_SCALED);
	REQUIRE_EQ(cpu_set_online(cpu, false), 0);
	nap_ns(10000000);
	value_on(group, 0, cpu, 1);
	nap_ns(10000000);
	value = value_on(group, 0, cpu, 1);
	EXPECT_GE(value.raw, 20);
	EXPECT_EQ(value.flags,
		  PERFGRP_VALUE_SCALED | PERFGRP_VALUE_FAILED | PERFGRP_VALUE_OFFLINE);
	EXPECT_EQ(value_on(group, PERFGRP_SNAPSHOT_TOTALS, -1, 1).flags,
		  PERFGRP_VALUE_SCALED | PERFGRP_VALUE_FAILED);
	REQUIRE_EQ(cpu_set_online(cpu, true), 0);
	EXPECT_EQ(value_on(group, 0, cpu, 1).flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_FAILED);
	EXPECT_EQ(value_on(group, 0, cpus.cpu[0], 1).flags, PERFGRP_VALUE_SCALED);
	EXPECT_EQ(value_on(group, PERFGRP_SNAPSHOT_TOTALS, -1, 1).flags,
		  PERFGRP_VALUE_SCALED | PERFGRP_VALUE_FAILED);
}

TEST(add_offline, "L4 L5: members are added while a CPU is offline, and marked there")
{
	struct perfgrp_dev *devs[] = { without_module(), perfgrp_open() };
	struct perfgrp_value values[2][2], other, total;
	struct perfgrp_group *groups[2], *named;
	struct cpus cpus;
	unsigned int i, j;
	__u32 cpu;

	cpus_online(&cpus);
	cpu = cpus.cpu[cpus.nr - 1];
	if (cpus.nr < 2 || cpu_set_online(cpu, true))
		skip("no CPU can be taken away");
	REQUIRE(devs[1]);
	for (i = 0; i < 2; i++) {
		groups[i] = perfgrp_create_all_cpus(devs[i], PERFGRP_CREATE_NO_MUX);
		REQUIRE(groups[i]);
		REQUIRE_EQ(add(groups[i], has_pmu() ? HARDWARE : FAULTS), 1);
	}
	named = perfgrp_create_cpus(devs[0], &cpu, 1, 0);
	REQUIRE(named);
	REQUIRE_EQ(cpu_set_online(cpu, false), 0);
	for (i = 0; i < 2; i++) {
		REQUIRE_EQ(add(groups[i], has_pmu() ? PERFGRP_HW_INSTRUCTIONS : FAULTS), 2);
		REQUIRE_EQ(perfgrp_enable(groups[i]), 0);
		nap_ns(10000000);
		for (j = 0; j < 2; j++)
			values[i][j] = value_on(groups[i], 0, cpu, j + 1);
		EXPECT_EQ(take_row(groups[i], 0, cpu)->flags & PERFGRP_ROW_OFFLINE,
			  PERFGRP_ROW_OFFLINE);
		other = value_on(groups[i], 0, cpus.cpu[0], 2);
		EXPECT_EQ(other.flags, PERFGRP_VALUE_SCALED);
		EXPECT_EQ(other.state, PERFGRP_STATE_COUNTED);
		total = value_on(groups[i], PERFGRP_SNAPSHOT_TOTALS, -1, 2);
		EXPECT_EQ(total.flags & ~PERFGRP_VALUE_FAILED,
			  PERFGRP_VALUE_SCALED | PERFGRP_VALUE_PARTIAL);
	}
	for (j = 0; j < 2; j++) {
		EXPECT_EQ(values[0][j].raw, 0);
		EXPECT_EQ(values[0][j].flags, values[1][j].flags | PERFGRP_VALUE_FAILED);
		EXPECT_EQ(values[0][j].flags, PERFGRP_VALUE_FAILED | PERFGRP_VALUE_OFFLINE);
		values[0][j].flags = values[1][j].flags;
		expect_alike(&values[0][j], &values[1][j]);
	}
	/* A CPU that was asked for by its number, or none that is online: that is refused. */
	EXPECT_EQ(add(named, FAULTS), 0);
	EXPECT_EQ(perfgrp_group_error(named)->error, ENODEV);
	EXPECT_EQ(perfgrp_group_error(named)->reason, PERFGRP_REASON_CPU_OFFLINE);
	EXPECT_EQ(perfgrp_group_error(named)->cpu, cpu);
	REQUIRE_EQ(cpu_set_online(cpu, true), 0);
	/* The module counts there again. Here the events would have to be opened again. */
	for (j = 0; j < 2; j++)
		EXPECT_EQ(value_on(groups[0], 0, cpu, j + 1).flags, PERFGRP_VALUE_FAILED);
	REQUIRE_EQ(perfgrp_remove_counter(groups[0], 2, 0), 0);
	EXPECT_EQ(value_on(groups[0], 0, cpus.cpu[0], 1).flags, PERFGRP_VALUE_SCALED);
}

TEST(empty, "L5: where there was nothing to count nothing has been lost")
{
	struct perfgrp_group *group;

	group = perfgrp_create_all_cpus(without_module(), PERFGRP_CREATE_ENABLED);
	REQUIRE(group);
	take_row(group, 0, 0);
	nap_ns(5000000);
	EXPECT_EQ(take_row(group, 0, 0)->flags, 0);
	REQUIRE_EQ(add(group, PERFGRP_SW_CPU_CLOCK), 1);
	nap_ns(5000000);
	EXPECT_EQ(value_on(group, 0, 0, 1).flags, PERFGRP_VALUE_SCALED);
	REQUIRE_EQ(perfgrp_disable(group), 0);
	nap_ns(5000000);
	value_on(group, 0, 0, 1);
	REQUIRE_EQ(perfgrp_enable(group), 0);
	nap_ns(5000000);
	EXPECT_EQ(value_on(group, 0, 0, 1).flags, PERFGRP_VALUE_SCALED);
}

/* ---- what is refused -------------------------------------------------------------- */

#define CREATE(...) (&(const struct perfgrp_create){ __VA_ARGS__ })

static void create_refused(struct perfgrp_dev *dev, const struct perfgrp_create *how, int err,
			   __u32 reason, const char *text)
{
	struct perfgrp_group *group = perfgrp_create_with(dev, how, sizeof(*how));

	REQUIRE(!group);
	refused(-errno, perfgrp_dev_error(dev), err, reason, text);
}

TEST(only_module, "L4: what only the module can do says that it is the module's")
{
	struct perfgrp_counter sampling = { .event = FAULTS, .sample_period = 1 };
	struct perfgrp_dev *dev = without_module();
	struct perfgrp_info info;
	struct perfgrp_group *group;
	const char *module = "needs the module";

	REQUIRE_EQ(perfgrp_get_info(dev, &info, sizeof(info)), 0);
	EXPECT(!(info.features & (PERFGRP_FEATURE_SAMPLING | PERFGRP_FEATURE_BPF |
				  PERFGRP_FEATURE_MAPPED | PERFGRP_FEATURE_HOTPLUG)));
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_TASK, .buffer_size = 65536),
		       EOPNOTSUPP, PERFGRP_REASON_FEATURE, module);
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_ALL_CPUS,
				   .flags = PERFGRP_CREATE_MAPPED),
		       EOPNOTSUPP, PERFGRP_REASON_FEATURE, module);
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_ALL_CPUS,
				   .flags = PERFGRP_CREATE_SPLIT_BY_CGROUP),
		       EOPNOTSUPP, PERFGRP_REASON_FEATURE, module);
	group = on_task(dev, 0, 0);
	refused(perfgrp_add_counters(group, &sampling, sizeof(sampling), 1),
		perfgrp_group_error(group), EOPNOTSUPP, PERFGRP_REASON_FEATURE, module);
	refused(perfgrp_attach_bpf(group, 1, -1, 0, 0), perfgrp_group_error(group), EOPNOTSUPP,
		PERFGRP_REASON_FEATURE, module);
	refused(perfgrp_take_cached_snap(group, 0, 0, snap), perfgrp_group_error(group),
		EOPNOTSUPP, PERFGRP_REASON_FEATURE, module);
	EXPECT(!perfgrp_open_reader(group, 0));
	refused(perfgrp_read_records(group, NULL, 0), perfgrp_group_error(group), EOPNOTSUPP,
		PERFGRP_REASON_FEATURE, module);
	EXPECT(!perfgrp_map_rows(group));
	EXPECT_EQ(perfgrp_group_error(group)->reason, PERFGRP_REASON_FEATURE);
	EXPECT_EQ(perfgrp_group_fd(group), -1);
}

/* What is wrong with a CPU's event says which CPU, and what was opened for others is closed. */
static void wrong_on_cpus(struct perfgrp_dev *dev)
{
	struct perfgrp_group *group, *other;
	struct rlimit limit, few;
	struct cpus cpus;
	int next;

	cpus_online(&cpus);
	group = perfgrp_create_cpus(dev, &cpus.cpu[cpus.nr - 1], 1, 0);
	REQUIRE(group);
	EXPECT_EQ(add(group, PERFGRP_EVENT(PERF_TYPE_SOFTWARE, 77)), 0);
	EXPECT_EQ(perfgrp_group_error(group)->cpu, cpus.cpu[cpus.nr - 1]);
	REQUIRE_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
	/* The number that is the next one. */
	next = dup(0);
	REQUIRE_GE(next, 0);
	close(next);
	few = limit;
	few.rlim_cur = next;
	REQUIRE_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
	EXPECT_EQ(add(group, FAULTS), 0);
	EXPECT_EQ(perfgrp_group_error(group)->error, EMFILE);
	EXPECT_EQ(perfgrp_group_error(group)->reason, PERFGRP_REASON_LIMIT);
	/* The CPU is there all the same. */
	other = perfgrp_create_cpus(dev, &cpus.cpu[0], 1, 0);
	EXPECT(other);
	perfgrp_group_close(other);
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_ALL_CPUS),
		       EMFILE, PERFGRP_REASON_LIMIT, "cpu/online");
	REQUIRE_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	EXPECT_GT(add(group, FAULTS), 0);
	perfgrp_group_close(group);
}

TEST(members_known, "L4 S14 S15: QUERY has the clock, and a generation that changes with members")
{
	struct perfgrp_members *members = perfgrp_members_new();
	struct perfgrp_dev *dev = without_module();
	struct perfgrp_create how = {
		.target = PERFGRP_TARGET_TASK,
		.flags = PERFGRP_CREATE_USE_CLOCKID,
		.clockid = CLOCK_BOOTTIME,
	};
	struct perfgrp_group *group;
	__u64 last = 0;
	__u32 id[3], i;

	group = perfgrp_create_with(dev, &how, sizeof(how));
	REQUIRE(group);
	for (i = 0; i < 3; i++) {
		id[i] = add(group, FAULTS);
		REQUIRE_GT(id[i], 0);
	}
	for (i = 0; i < 3; i++) {
		REQUIRE_EQ(perfgrp_get_members(group, members), 0);
		EXPECT_EQ(perfgrp_members_group(members)->clockid, CLOCK_BOOTTIME);
		EXPECT_GT(perfgrp_members_group(members)->generation, last);
		last = perfgrp_members_group(members)->generation;
		/* The last one, and then the first and what it leads. */
		if (i < 2)
			EXPECT_EQ(perfgrp_remove_counter(group, i ? id[0] : id[2],
							 PERFGRP_REMOVE_CASCADE), 0);
	}
	perfgrp_group_close(group);
	perfgrp_members_free(members);
}

static unsigned int nr_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned int nr = 0;
	char line[512];

	REQUIRE(maps);
	while (fgets(line, sizeof(line), maps))
		nr += !!strstr(line, "[perfgrp]");
	fclose(maps);
	return nr;
}

TEST(mapped, "M1 M6: rows are mapped once, and stay so until they are unmapped")
{
	const struct perfgrp_map *map;
	struct perfgrp_dev *dev;
	struct perfgrp_group *group;

	NEED_FEATURE(MAPPED);
	dev = perfgrp_open();
	REQUIRE(dev);
	group = perfgrp_create_all_cpus(dev, PERFGRP_CREATE_MAPPED);
	REQUIRE(group);
	map = perfgrp_map_rows(group);
	REQUIRE(map);
	EXPECT_EQ(nr_mappings(), 1);
	perfgrp_group_close(group);
	perfgrp_close(dev);
	EXPECT_EQ(nr_mappings(), 1);
	perfgrp_unmap_rows(map);
	EXPECT_EQ(nr_mappings(), 0);
}

TEST(unmapped, "M1: a group whose rows cannot be mapped says why")
{
	struct perfgrp_dev *dev = perfgrp_open();
	struct perfgrp_group *group;

	REQUIRE(dev);
	group = on_task(dev, 0, 0);
	EXPECT(!perfgrp_map_rows(group));
	refused(-errno, perfgrp_group_error(group), EINVAL, PERFGRP_REASON_NONE,
		"without PERFGRP_CREATE_MAPPED");
	perfgrp_group_close(group);
	perfgrp_close(dev);
}

TEST(no_sysfs, "L4: without sysfs its error is reported, not that there is no CPU")
{
	struct perfgrp_dev *dev = without_module();
	const __u32 cpu = 0;

	REQUIRE_EQ(chroot("/dev"), 0);
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_ALL_CPUS),
		       ENOENT, PERFGRP_REASON_KERNEL, "/sys/devices/system/cpu/online: No such");
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_CPUS, .nr_cpus = 1,
				   .cpus = (unsigned long)&cpu),
		       ENOENT, PERFGRP_REASON_KERNEL, "/sys/devices/system/cpu/cpu0: No such");
	EXPECT_EQ(perfgrp_dev_error(dev)->cpu, cpu);
}

TEST(wrong, "L4: wrong calls get the reason and leave nothing open")
{
	struct perfgrp_counter odd = { .event = FAULTS, .flags = 1U << 20 };
	const __u32 twice[] = { 0, 0 }, missing = 4095;
	struct perfgrp_dev *dev = without_module();
	struct perfgrp_group *group;
	unsigned int files = nr_open_fds(), i;
	pid_t pid;

	create_refused(dev, CREATE(0),
		       EINVAL, PERFGRP_REASON_TARGET, "target");
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_CPUS),
		       EINVAL, PERFGRP_REASON_TARGET, "CPUs");
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_TASK, .nr_cpus = 2,
				   .cpus = (unsigned long)twice),
		       EINVAL, PERFGRP_REASON_TARGET, "2 CPUs");
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_ALL_CPUS, .nr_cpus = 1,
				   .cpus = (unsigned long)twice),
		       EINVAL, PERFGRP_REASON_TARGET, "1 CPUs");
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_CPUS, .nr_cpus = 2,
				   .cpus = (unsigned long)twice),
		       EINVAL, PERFGRP_REASON_CPU, "twice");
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_CGROUP, .target_fd = -1),
		       EBADF, PERFGRP_REASON_CGROUP, "target_fd");
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_ALL_CPUS,
				   .flags = PERFGRP_CREATE_INHERIT),
		       EINVAL, PERFGRP_REASON_FLAGS, "INHERIT");
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_TASK,
				   .flags = PERFGRP_CREATE_ENABLED |
					    PERFGRP_CREATE_ENABLE_ON_EXEC),
		       EINVAL, PERFGRP_REASON_FLAGS, "together");
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_CPUS, .nr_cpus = 1,
				   .cpus = (unsigned long)&missing),
		       ENODEV, PERFGRP_REASON_CPU, "no CPU 4095");
	EXPECT_EQ(perfgrp_dev_error(dev)->cpu, missing);
	/* On a CPU it would be all that runs there. */
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_TASK, .pid = -1, .nr_cpus = 1,
				   .cpus = (unsigned long)twice),
		       ESRCH, PERFGRP_REASON_PID, "no task -1");
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_TASK, .clockid = 999,
				   .flags = PERFGRP_CREATE_USE_CLOCKID),
		       EINVAL, PERFGRP_REASON_RESERVED, "clockid");
	create_refused(dev, CREATE(.target = PERFGRP_TARGET_TASK, .split_max = 1),
		       EINVAL, PERFGRP_REASON_RESERVED, "not zero");
	group = on_task(dev, 0, 0);
	EXPECT_EQ(add(group, 0), 0);
	EXPECT_EQ(perfgrp_group_error(group)->reason, PERFGRP_REASON_EVENT);
	refused(perfgrp_add_counters(group, &odd, sizeof(odd), 1), perfgrp_group_error(group),
		EOPNOTSUPP, PERFGRP_REASON_FLAGS, "0x100000");
	odd.flags = 0;
	odd.config1 = 1;
	refused(perfgrp_add_counters(group, &odd, sizeof(odd), 1), perfgrp_group_error(group),
		EINVAL, PERFGRP_REASON_RESERVED, "raw form");
	odd.config1 = 0;
	odd.id = 7;
	refused(perfgrp_add_counters(group, &odd, sizeof(odd), 1), perfgrp_group_error(group),
		EINVAL, PERFGRP_REASON_RESERVED, "id");
	odd.id = 0;
	odd.flags = PERFGRP_COUNTER_RAW;
	refused(perfgrp_add_counters(group, &odd, sizeof(odd), 1), perfgrp_group_error(group),
		EINVAL, PERFGRP_REASON_EVENT, "event");
	refused(perfgrp_take_snap(group, 1U << 20, snap), perfgrp_group_error(group), EOPNOTSUPP,
		PERFGRP_REASON_FLAGS, "flags 0x100000");
	refused(perfgrp_take_snap(group, PERFGRP_SNAPSHOT_MIX_PMUS, snap),
		perfgrp_group_error(group), EINVAL, PERFGRP_REASON_FLAGS, "TOTALS");
	refused(perfgrp_remove_counter(group, 1, 1U << 20), perfgrp_group_error(group), EOPNOTSUPP,
		PERFGRP_REASON_FLAGS, "flags 0x100000");
	EXPECT_EQ(add(group, PERFGRP_EVENT(PERF_TYPE_SOFTWARE, 77)), 0);
	EXPECT_EQ(perfgrp_group_error(group)->reason, PERFGRP_REASON_EVENT);
	perfgrp_group_close(group);
	pid = fork();
	REQUIRE(pid >= 0);
	if (!pid)
		_exit(0);
	REQUIRE_EQ(waitpid(pid, NULL, 0), pid);
	group = on_task(dev, pid, 0);
	EXPECT_EQ(add(group, FAULTS), 0);
	EXPECT_EQ(perfgrp_group_error(group)->reason, PERFGRP_REASON_PID);
	perfgrp_group_close(group);
	wrong_on_cpus(dev);
	for (i = 0; i < 20; i++) {
		group = perfgrp_create_all_cpus(dev, PERFGRP_CREATE_ENABLED);
		REQUIRE(group);
		REQUIRE_GT(add(group, FAULTS), 0);
		REQUIRE_GT(add(group, PERFGRP_SW_CPU_CLOCK), 0);
		take_row(group, 0, 0);
		perfgrp_group_close(group);
	}
	EXPECT_EQ(nr_open_fds(), files);
}

int main(int argc, char **argv)
{
	int ret = run_tests(argc, argv);

	if (is_cgroup2(cgroup_root))
		cgroups_sweep();
	return ret;
}
