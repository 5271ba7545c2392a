// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots: rows and values, their layout, their totals, the buffer sizes that they
 * need, and that a snapshot is of one moment.
 */
#include "group.h"

static struct grp_snap snap, snap2;
static struct cpus cpus;

#define NR_MEMBERS 4

static struct perfgrp_counter member[NR_MEMBERS] = {
	{ .event = PERFGRP_SW_DUMMY },
	{ .event = PERFGRP_SW_PAGE_FAULTS },
	{ .event = PERFGRP_SW_CPU_CLOCK },
	{ .event = PERFGRP_SW_PAGE_FAULTS },
};

static void add_members(int fd)
{
	int i;

	REQUIRE_GE(fd, 0);
	for (i = 0; i < NR_MEMBERS; i++)
		member[i].id = 0;
	REQUIRE_EQ(grp_add_counters(fd, member, NR_MEMBERS), 0);
}

/* An enabled group of NR_MEMBERS; each CPU has faulted in 10 pages, and this one some more. */
static int all_cpus_group(void)
{
	int fd = grp_on_all_cpus(0);
	__u32 i;

	settle_memory();
	cpus_online(&cpus);
	add_members(fd);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (i = 0; i < cpus.nr; i++) {
		run_on(cpus.cpu[i]);
		fault_in(10 + i);
	}
	return fd;
}

static int task_group(void)
{
	int fd = grp_on_task(0, 0);

	settle_memory();
	add_members(fd);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(10);
	return fd;
}

/* ---- S1 to S4: layout -------------------------------------------------------------- */

/* Every row has all members, in order, in values of its own. */
static void expect_layout(const struct grp_snap *s, __u32 nr_rows)
{
	bool used[MAX_VALUES] = { false };
	__u32 i, j, at;

	EXPECT_EQ(s->hdr.nr_rows, nr_rows);
	EXPECT_EQ(s->hdr.nr_values, nr_rows * NR_MEMBERS);
	EXPECT_GT(s->hdr.generation, 0);
	for (i = 0; i < s->hdr.nr_rows; i++) {
		EXPECT_EQ(s->row[i].nr_values, NR_MEMBERS);
		for (j = 0; j < s->row[i].nr_values; j++) {
			at = s->row[i].first_value + j;
			REQUIRE(at < s->hdr.nr_values);
			EXPECT(!used[at]);
			used[at] = true;
			EXPECT_EQ(s->value[at].id, member[j].id);
			expect_plausible(&s->value[at]);
		}
	}
}

TEST(rows_of_all_cpus, "S1 S4: a row a CPU, each with all members, leader first")
{
	int fd = all_cpus_group();
	__u32 i;

	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	expect_layout(&snap, cpus.nr);
	for (i = 0; i < cpus.nr; i++) {
		const struct perfgrp_row *row = snap_row(&snap, cpus.cpu[i]);

		REQUIRE(row);
		EXPECT_EQ(row->flags, 0);
		EXPECT_EQ(row->epoch, 0);
		EXPECT_EQ(row->nr_cpus, 1);
		EXPECT_EQ(snap.value[row->first_value].sched_group, member[0].id);
		EXPECT_EQ(snap_value(&snap, cpus.cpu[i], member[0].id)->raw, 0);
		EXPECT_GE(snap_value(&snap, cpus.cpu[i], member[1].id)->raw, 10 + i);
		EXPECT_EQ(snap_value(&snap, cpus.cpu[i], member[1].id)->raw,
			  snap_value(&snap, cpus.cpu[i], member[3].id)->raw);
		EXPECT_GT(snap_value(&snap, cpus.cpu[i], member[2].id)->raw, 0);
	}
}

TEST(row_of_task, "S1 S3: a task has one row of CPU -1; each id has its own value there")
{
	int fd = task_group();

	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	expect_layout(&snap, 1);
	EXPECT_EQ(snap.row[0].cpu, -1);
	EXPECT_EQ(snap.row[0].flags, 0);
	EXPECT_EQ(snap.row[0].epoch, 0);
	/* The leader counted nothing, and the other members do not return its value. */
	EXPECT_EQ(snap_value(&snap, -1, member[0].id)->raw, 0);
	EXPECT_EQ(snap_value(&snap, -1, member[1].id)->raw, 10);
	EXPECT_GT(snap_value(&snap, -1, member[2].id)->raw, 10);
	EXPECT_EQ(snap_value(&snap, -1, member[3].id)->raw, 10);
}

TEST(any_number, "S1: any number of values is written whole")
{
	enum { MOST = 9 };
	struct perfgrp_value value[MOST + 1], untouched;
	struct perfgrp_row row;
	int fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0);
	__u32 nr, id;

	REQUIRE_GE(fd, 0);
	memset(&untouched, 0xaa, sizeof(untouched));
	for (nr = 1; nr <= MOST; nr++) {
		struct perfgrp_snapshot snapshot = {
			.size = sizeof(snapshot), .rows = to_u64(&row), .row_size = sizeof(row),
			.nr_rows = 1, .values = to_u64(value), .value_size = sizeof(value[0]),
			.nr_values = MOST + 1,
		};

		id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
		memset(value, 0xaa, sizeof(value));
		REQUIRE_EQ(grp_ioctl(fd, PERFGRP_SNAPSHOT, &snapshot), 0);
		EXPECT_EQ(snapshot.nr_values, nr);
		EXPECT_EQ(value[nr - 1].id, id);
		EXPECT_EQ(value[nr - 1].state, PERFGRP_STATE_COUNTED);
		EXPECT(!memcmp(&value[nr], &untouched, sizeof(untouched)));
	}
}

TEST(row_of_task_on_cpu, "S1: a task on one CPU has one row, of that CPU")
{
	int fd;

	cpus_online(&cpus);
	fd = grp_on_task_cpu(0, 0, cpus.cpu[cpus.nr - 1]);
	add_members(fd);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	expect_layout(&snap, 1);
	EXPECT_EQ(snap.row[0].cpu, cpus.cpu[cpus.nr - 1]);
}

TEST(rows_of_some_cpus, "S1: a list of CPUs has a row for each of them and no other")
{
	static const int pick[] = { 2, 0 };
	__u32 list[2], i;
	int fd;

	cpus_online(&cpus);
	if (cpus.nr < 3)
		skip("%u CPUs", cpus.nr);
	for (i = 0; i < 2; i++)
		list[i] = cpus.cpu[pick[i]];
	fd = grp_create(0, PERFGRP_TARGET_CPUS, 0, list, 2);
	add_members(fd);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	expect_layout(&snap, 2);
	EXPECT(snap_row(&snap, list[0]) && snap_row(&snap, list[1]));
}

TEST(never_ran, "S2: what was never enabled never ran: no value, which is not 0")
{
	int fd = grp_on_all_cpus(0);
	__u32 i;

	add_members(fd);
	fault_in(10);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	for (i = 0; i < snap.hdr.nr_values; i++) {
		EXPECT_EQ(snap.value[i].state, PERFGRP_STATE_NEVER_RAN);
		EXPECT_EQ(snap.value[i].flags & PERFGRP_VALUE_SCALED, 0);
		EXPECT_EQ(snap.value[i].raw, 0);
		EXPECT_EQ(snap.value[i].scaled, 0);
		EXPECT_EQ(snap.value[i].time_enabled, 0);
		EXPECT_EQ(snap.value[i].time_running, 0);
	}
	/* And so do their totals. */
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	EXPECT_EQ(snap.hdr.nr_rows, 1);
	for (i = 0; i < snap.hdr.nr_values; i++)
		EXPECT_EQ(snap.value[i].state, PERFGRP_STATE_NEVER_RAN);
}

TEST(pmu_of_value, "S2: values name their PMU as QUERY does")
{
	static struct grp_members members;
	int fd = task_group();
	__u32 i;

	REQUIRE_EQ(grp_query(fd, &members), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	for (i = 0; i < NR_MEMBERS; i++)
		EXPECT_EQ(snap.value[i].pmu, members.counter[i].pmu);
}

/* ---- S5: scaled ----------------------------------------------------------------------- */

TEST(scaled, "S5 S6: scaled is raw where the times are equal, and software is never multiplexed")
{
	int fd = all_cpus_group(), i;
	__u32 j;

	for (i = 0; i < 20; i++) {
		fault_in(3);
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
		for (j = 0; j < snap.hdr.nr_values; j++) {
			const struct perfgrp_value *v = &snap.value[j];

			expect_plausible(v);
			EXPECT_EQ(v->state, PERFGRP_STATE_COUNTED);
			EXPECT_EQ(v->time_running, v->time_enabled);
			EXPECT_EQ(v->scaled, v->raw);
			EXPECT_EQ(v->flags & PERFGRP_VALUE_SATURATED, 0);
		}
	}
}

/* ---- S6: one moment ---------------------------------------------------------------------- */

TEST(one_interrupt, "S6: a snapshot costs a CPU at most one interrupt, however many members")
{
	struct perfgrp_counter many[12] = { { 0 } };
	__u64 before[MAX_CPUS], taken;
	const __u32 snapshots = 200;
	__u32 i;
	int fd;

	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("one CPU");
	for (i = 0; i < ARRAY_SIZE(many); i++)
		many[i].event = i & 1 ? PERFGRP_SW_PAGE_FAULTS : PERFGRP_SW_CPU_CLOCK;
	run_on(cpus.cpu[0]);
	fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, many, ARRAY_SIZE(many)), 0);
	for (i = 0; i < cpus.nr; i++)
		before[i] = function_call_interrupts(i);
	for (i = 0; i < snapshots; i++)
		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	for (i = 1; i < cpus.nr; i++) {
		taken = function_call_interrupts(i) - before[i];
		/* Others may cause some, too; one interrupt per member would make 2,400. */
		EXPECT_LT(taken, 2 * snapshots);
	}
}

TEST(one_moment, "S6: members that count the same are read the same, while they count")
{
	static struct perfgrp_counter same[3] = {
		{ .event = PERFGRP_SW_PAGE_FAULTS }, { .event = PERFGRP_SW_PAGE_FAULTS },
		{ .event = PERFGRP_SW_PAGE_FAULTS },
	};
	unsigned int i, moved = 0;
	__u64 last = 0;
	pid_t pid;
	int fd, cpu;

	cpus_online(&cpus);
	cpu = cpus.cpu[cpus.nr - 1];
	fd = grp_on_cpu(PERFGRP_CREATE_ENABLED, cpu);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, same, 3), 0);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run_on(cpu);
		for (;;) {
			char *p = fresh_pages(64);

			touch_pages(p, 64);
			munmap(p, 64 * sysconf(_SC_PAGESIZE));
		}
	}
	run_on(cpus.cpu[0]);
	/* Wait until all three count; there may be a fault or two between their starts. */
	while (grp_value_on(fd, cpu, same[2].id).raw < 100)
		nap_ns(100000);
	REQUIRE_EQ(grp_reset(fd), 0);
	/* Snapshots between which nothing was counted show nothing, so count those that differ. */
	for (i = 0; i < rounds(500) || moved <= 10; i++) {
		__u64 min = ~0ULL, max = 0;
		__u32 j;

		REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
		for (j = 0; j < 3; j++) {
			__u64 raw = snap.value[j].raw;

			min = raw < min ? raw : min;
			max = raw > max ? raw : max;
		}
		/* The interrupt may hit while a fault is being counted. */
		if (max - min > 1)
			fail("snapshot %u: %llu, %llu, %llu", i, snap.value[0].raw,
			     snap.value[1].raw, snap.value[2].raw);
		moved += max != last;
		last = max;
	}
	kill(pid, SIGKILL);
}

/* ---- S7: times ------------------------------------------------------------------------------ */

static void expect_times(const struct grp_snap *s, __u64 before, __u64 after)
{
	__u64 first = ~0ULL, last = 0;
	__u32 i;

	for (i = 0; i < s->hdr.nr_rows; i++) {
		EXPECT_LE(s->row[i].time_before, s->row[i].time_after);
		if (s->row[i].time_before < first)
			first = s->row[i].time_before;
		if (s->row[i].time_after > last)
			last = s->row[i].time_after;
	}
	EXPECT_EQ(s->hdr.time_before, first);
	EXPECT_EQ(s->hdr.time_after, last);
	EXPECT_GE(s->hdr.time_before, before);
	EXPECT_LE(s->hdr.time_after, after);
}

TEST(times, "S7: rows and header carry the times around the reads, in CLOCK_MONOTONIC")
{
	int all = all_cpus_group(), task = task_group(), i, j;
	static const __u32 flags[] = { 0, PERFGRP_SNAPSHOT_TOTALS };
	__u64 before;

	for (i = 0; i < 50; i++) {
		for (j = 0; j < 2; j++) {
			before = now_ns();
			REQUIRE_EQ(grp_snapshot(all, flags[j], &snap), 0);
			expect_times(&snap, before, now_ns());
			before = now_ns();
			REQUIRE_EQ(grp_snapshot(task, flags[j], &snap), 0);
			expect_times(&snap, before, now_ns());
		}
	}
	REQUIRE_EQ(grp_disable(all), 0);
	before = now_ns();
	REQUIRE_EQ(grp_snapshot(all, 0, &snap), 0);
	expect_times(&snap, before, now_ns());
}

/* ---- S8: room ------------------------------------------------------------ */

#define FILL 0x5a
#define ROOM 16384

static unsigned char row_room[ROOM], value_room[ROOM];

static bool is_filled(const unsigned char *p, size_t size)
{
	while (size && *p == FILL) {
		p++;
		size--;
	}
	return size == 0;
}

/* Takes a snapshot into buffers with a fill pattern; returns the header in *S. */
static int snapshot_into(int fd, struct perfgrp_snapshot *s, __u32 nr_rows, __u32 row_size,
			 __u32 nr_values, __u32 value_size)
{
	REQUIRE((size_t)nr_rows * row_size <= ROOM && (size_t)nr_values * value_size <= ROOM);
	memset(row_room, FILL, ROOM);
	memset(value_room, FILL, ROOM);
	*s = (struct perfgrp_snapshot){
		.size = sizeof(*s),
		.rows = to_u64(row_room), .nr_rows = nr_rows, .row_size = row_size,
		.values = to_u64(value_room), .nr_values = nr_values, .value_size = value_size,
	};
	return grp_ioctl(fd, PERFGRP_SNAPSHOT, s);
}

TEST(too_small, "S8: too little room: EMSGSIZE, the numbers needed, nothing written")
{
	const __u32 rs = sizeof(struct perfgrp_row), vs = sizeof(struct perfgrp_value);
	struct perfgrp_snapshot s;
	int fd = all_cpus_group();
	__u32 rows = cpus.nr, values = rows * NR_MEMBERS, i;
	const struct {
		__u32 rows, values;
	} room[] = {
		{ 0, 0 }, { rows, 0 }, { 0, values }, { rows - 1, values }, { rows, values - 1 },
		{ rows - 1, values - 1 }, { 1, 1 }, { rows + 9, values - 1 },
		{ rows - 1, values + 9 },
	};

	for (i = 0; i < ARRAY_SIZE(room); i++) {
		EXPECT_REFUSED(snapshot_into(fd, &s, room[i].rows, rs, room[i].values, vs),
			       EMSGSIZE, BUFFER);
		EXPECT_EQ(s.nr_rows, rows);
		EXPECT_EQ(s.nr_values, values);
		EXPECT_EQ(s.time_before, 0);
		EXPECT_EQ(s.time_after, 0);
		EXPECT(is_filled(row_room, ROOM));
		EXPECT(is_filled(value_room, ROOM));
	}
	/* Without buffers no pointers are needed. */
	s = (struct perfgrp_snapshot){ .size = sizeof(s), .row_size = rs, .value_size = vs };
	EXPECT_REFUSED(grp_ioctl(fd, PERFGRP_SNAPSHOT, &s), EMSGSIZE, BUFFER);
	EXPECT_EQ(s.nr_rows, rows);
	EXPECT_EQ(s.nr_values, values);
}

TEST(exact_room, "S8: exact room and more: what was there is counted, what is behind is left alone")
{
	const __u32 rs = sizeof(struct perfgrp_row), vs = sizeof(struct perfgrp_value);
	struct perfgrp_snapshot s;
	int fd = all_cpus_group();
	__u32 rows = cpus.nr, values = rows * NR_MEMBERS, more;

	for (more = 0; more < 20; more += 7) {
		REQUIRE_EQ(snapshot_into(fd, &s, rows + more, rs, values + more, vs), 0);
		EXPECT_EQ(s.nr_rows, rows);
		EXPECT_EQ(s.nr_values, values);
		EXPECT(is_filled(row_room + rows * rs, ROOM - rows * rs));
		EXPECT(is_filled(value_room + values * vs, ROOM - values * vs));
		EXPECT(!is_filled(row_room + (rows - 1) * rs, rs));
		EXPECT(!is_filled(value_room + (values - 1) * vs, vs));
	}
}

TEST(larger_elements, "S8: elements larger than the kernel's: in their places, the rest zero")
{
	const __u32 rs = sizeof(struct perfgrp_row), vs = sizeof(struct perfgrp_value);
	static const __u32 more[][2] = { { 8, 8 }, { 1, 3 }, { 0, 64 }, { 100, 0 } };
	static const unsigned char zero[100];
	struct perfgrp_snapshot s;
	int fd = all_cpus_group();
	__u32 rows = cpus.nr, values = rows * NR_MEMBERS, i, j;

	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	for (i = 0; i < ARRAY_SIZE(more); i++) {
		__u32 row_size = rs + more[i][0], value_size = vs + more[i][1];

		REQUIRE_EQ(snapshot_into(fd, &s, rows, row_size, values, value_size), 0);
		for (j = 0; j < rows; j++) {
			struct perfgrp_row row;

			memcpy(&row, row_room + j * row_size, rs);
			EXPECT_EQ(row.cpu, snap.row[j].cpu);
			EXPECT_EQ(row.first_value, snap.row[j].first_value);
			EXPECT(memcmp(row_room + j * row_size + rs, zero, more[i][0]) == 0);
		}
		for (j = 0; j < values; j++) {
			EXPECT(memcmp(value_room + j * value_size, &snap.value[j], vs) == 0);
			EXPECT(memcmp(value_room + j * value_size + vs, zero, more[i][1]) == 0);
		}
		EXPECT(is_filled(row_room + rows * row_size, ROOM - rows * row_size));
		EXPECT(is_filled(value_room + values * value_size, ROOM - values * value_size));
	}
}

TEST(smaller_elements, "S8: elements smaller than version 1's are EINVAL")
{
	const __u32 rs = PERFGRP_ROW_SIZE_VER0, vs = PERFGRP_VALUE_SIZE_VER0;
	struct refusal size = refusal(EINVAL, PERFGRP_REASON_SIZE);
	struct perfgrp_snapshot s;
	int fd = task_group();

	size.field = "row_size";
	EXPECT_REFUSED_AS(snapshot_into(fd, &s, 4, rs - 1, 16, vs), size);
	EXPECT_REFUSED_AS(snapshot_into(fd, &s, 4, 0, 16, vs), size);
	size.field = "value_size";
	EXPECT_REFUSED_AS(snapshot_into(fd, &s, 4, rs, 16, vs - 1), size);
	EXPECT_REFUSED_AS(snapshot_into(fd, &s, 4, rs, 16, 0), size);
	EXPECT(is_filled(row_room, ROOM));
	EXPECT(is_filled(value_room, ROOM));
}

/* ---- S11: totals --------------------------------------------------------- */

TEST(totals, "S11: the totals of a disabled group are the sums of its rows")
{
	int fd = all_cpus_group();
	__u32 i, j;

	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap2), 0);
	EXPECT_EQ(snap2.hdr.nr_rows, 1);
	EXPECT_EQ(snap2.hdr.nr_values, NR_MEMBERS);
	EXPECT_EQ(snap2.row[0].cpu, -1);
	EXPECT_EQ(snap2.row[0].flags, PERFGRP_ROW_TOTAL);
	EXPECT_EQ(snap2.row[0].nr_cpus, cpus.nr);
	EXPECT_EQ(snap2.row[0].first_value, 0);
	EXPECT_EQ(snap2.row[0].nr_values, NR_MEMBERS);
	for (j = 0; j < NR_MEMBERS; j++) {
		const struct perfgrp_value *v, *sum = &snap2.value[j];
		__u64 raw = 0, enabled = 0, running = 0;

		EXPECT_EQ(sum->id, member[j].id);
		for (i = 0; i < snap.hdr.nr_rows; i++) {
			v = snap_value(&snap, snap.row[i].cpu, member[j].id);
			raw += v->raw;
			enabled += v->time_enabled;
			running += v->time_running;
			EXPECT_EQ(v->pmu, sum->pmu);
		}
		EXPECT_EQ(sum->raw, raw);
		EXPECT_EQ(sum->time_enabled, enabled);
		EXPECT_EQ(sum->time_running, running);
		EXPECT_EQ(sum->scaled, raw);
		EXPECT_EQ(sum->state, PERFGRP_STATE_COUNTED);
		EXPECT_EQ(sum->flags & (PERFGRP_VALUE_PARTIAL | PERFGRP_VALUE_SATURATED), 0);
	}
}

TEST(totals_of_task, "S11: the totals of a task are its row")
{
	int fd = task_group();
	__u32 j;

	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap2), 0);
	EXPECT_EQ(snap2.hdr.nr_rows, 1);
	EXPECT_EQ(snap2.hdr.nr_values, NR_MEMBERS);
	EXPECT_EQ(snap2.row[0].cpu, -1);
	for (j = 0; j < NR_MEMBERS; j++)
		expect_same_value(&snap.value[j], &snap2.value[j]);
}

TEST(totals_mixed, "S11: asked to mix PMUs, a machine with one kind of CPU answers the same")
{
	int fd = all_cpus_group();
	__u32 j;

	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS | PERFGRP_SNAPSHOT_MIX_PMUS, &snap2),
		   0);
	EXPECT_EQ(snap2.hdr.nr_rows, 1);
	for (j = 0; j < NR_MEMBERS; j++)
		expect_same_value(&snap.value[j], &snap2.value[j]);
	/* Rows are not added up, so there is nothing to mix. */
	EXPECT_REFUSED_FIELD(grp_snapshot(fd, PERFGRP_SNAPSHOT_MIX_PMUS, &snap), EINVAL, "flags");
}

/* ---- S13: read and reset ------------------------------------------------- */

TEST(read_and_reset, "S13: counts of snapshots that reset add up to all that happened")
{
	struct child child = child_start();
	int fd = grp_on_task(PERFGRP_CREATE_ENABLED, child.pid), id, ret;
	unsigned int i, parts = 0;
	__u64 sum = 0;

	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	ret = grp_snapshot(fd, PERFGRP_SNAPSHOT_RESET, &snap);
	if (ret == -EOPNOTSUPP)
		skip("%s", grp_error.text);
	REQUIRE_EQ(ret, 0);
	for (i = 0; i < 10; i++)
		child_tell(&child, ORDER_FAULT, 500);
	child_tell(&child, ORDER_EXIT, 0);
	do {
		REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_RESET, &snap), 0);
		sum += snap.value[0].raw;
		parts += snap.value[0].raw != 0;
		sched_yield();
	} while (!(snap.row[0].flags & PERFGRP_ROW_EXITED));
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_RESET, &snap), 0);
	sum += snap.value[0].raw;
	EXPECT_EQ(sum, 5000);
	diag("read in %u parts", parts);
}

TEST(read_and_reset_totals, "S13: totals that reset are the same as rows that do")
{
	int fd = all_cpus_group(), ret;
	__u32 j;

	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	ret = grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS | PERFGRP_SNAPSHOT_RESET, &snap2);
	if (ret == -EOPNOTSUPP)
		skip("%s", grp_error.text);
	REQUIRE_EQ(ret, 0);
	for (j = 0; j < NR_MEMBERS; j++)
		expect_same_value(&snap.value[j], &snap2.value[j]);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	for (j = 0; j < snap.hdr.nr_values; j++) {
		EXPECT_EQ(snap.value[j].state, PERFGRP_STATE_NEVER_RAN);
		EXPECT_EQ(snap.value[j].raw, 0);
		EXPECT_EQ(snap.value[j].time_enabled, 0);
	}
	/* A snapshot that fails because a buffer is too small resets nothing. */
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(10);
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap), 0);
	memset(&snap2.hdr, 0, sizeof(snap2.hdr));
	snap2.hdr.size = sizeof(snap2.hdr);
	snap2.hdr.flags = PERFGRP_SNAPSHOT_RESET;
	snap2.hdr.row_size = sizeof(snap2.row[0]);
	snap2.hdr.value_size = sizeof(snap2.value[0]);
	EXPECT_EQ(grp_ioctl(fd, PERFGRP_SNAPSHOT, &snap2.hdr), -EMSGSIZE);
	REQUIRE_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &snap2), 0);
	for (j = 0; j < NR_MEMBERS; j++)
		expect_same_value(&snap.value[j], &snap2.value[j]);
}

TEST(reset_unwritable, "S13 A4: a snapshot that cannot be told takes nothing away")
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct perfgrp_snapshot *take;
	struct perfgrp_row row;
	struct perfgrp_value value;
	int fd, id;

	settle_memory();
	take = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(take != MAP_FAILED);
	*take = (struct perfgrp_snapshot){
		.size = sizeof(*take),
		.flags = PERFGRP_SNAPSHOT_RESET,
		.rows = to_u64(&row),
		.values = to_u64(&value),
		.row_size = sizeof(row),
		.nr_rows = 1,
		.value_size = sizeof(value),
		.nr_values = 1,
	};
	REQUIRE(mprotect(take, page, PROT_READ) == 0);
	fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0);
	REQUIRE_GE(fd, 0);
	id = grp_add(fd, PERFGRP_SW_PAGE_FAULTS);
	REQUIRE_GT(id, 0);
	fault_in(13);
	EXPECT_EQ(ioctl(fd, PERFGRP_SNAPSHOT, take), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_GE(grp_raw(fd, id), 13);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
