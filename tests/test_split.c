// SPDX-License-Identifier: GPL-2.0
/*
 * Groups of CPUs that are split by cgroup (PERFGRP_CREATE_SPLIT_BY_CGROUP): which cgroup is charged
 * what, that everything is charged to some row, and what happens to cgroups created and removed.
 */
#include "caps.h"
#include "cgroup.h"
#include "pmu.h"

#include <pthread.h>
#include <stdatomic.h>

#define CPU		1	/* goes offline */
#define MAX_SPLIT_ROWS	40000
#define SPECIAL		(PERFGRP_ROW_OUTSIDE | PERFGRP_ROW_REMOVED | PERFGRP_ROW_OVERFLOW)

static struct cpus cpus;
static struct cgroup base;	/* parent of all others in a test */

/* Prepares for making cgroups; there are none except the base. */
static void arrange(void)
{
	NEED_FEATURE(SPLIT_BY_CGROUP);
	cgroup2_mount();
	cgroups_sweep();
	snprintf(base.path, sizeof(base.path), "%s/" CGROUP_BASE, cgroup_root);
	cgroup_mkdir(&base);
	cpus_online(&cpus);
}

static void need_two_cpus(void)
{
	if (cpus.nr < 2)
		skip("there is one CPU");
}

static int split_like(struct perfgrp_create want)
{
	want.flags |= PERFGRP_CREATE_SPLIT_BY_CGROUP;
	if (!want.target)
		want.target = PERFGRP_TARGET_ALL_CPUS;
	return grp_create_like(want);
}

/* An enabled group on all CPUs, split below the base. */
static int split_base(__u32 depth, __u32 max)
{
	int fd = split_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED, .target_fd = base.fd, .split_depth = depth,
		.split_max = max });

	REQUIRE_GE(fd, 0);
	return fd;
}

/* Adds a counter of page faults in user mode. */
static __u32 add_faults(int fd)
{
	int id = grp_add_with(fd, PERFGRP_SW_PAGE_FAULTS, PERFGRP_COUNTER_EXCLUDE_KERNEL);

	REQUIRE_GT(id, 0);
	return id;
}

/* Adds two counters that count the same. */
static void add_faults_twice(int fd)
{
	add_faults(fd);
	REQUIRE_GT(grp_add_with(fd, PERFGRP_SW_MINOR_FAULTS, PERFGRP_COUNTER_EXCLUDE_KERNEL), 0);
}

/* ---- snapshots ------------------------------------------------------------------- */

static struct {
	struct perfgrp_snapshot hdr;
	struct perfgrp_row row[MAX_SPLIT_ROWS];
	struct perfgrp_value value[MAX_SPLIT_ROWS];
} snap;

static int take(int fd, __u32 flags)
{
	snap.hdr = (struct perfgrp_snapshot){
		.size = sizeof(snap.hdr), .flags = flags,
		.rows = to_u64(snap.row), .row_size = sizeof(snap.row[0]),
		.nr_rows = ARRAY_SIZE(snap.row), .values = to_u64(snap.value),
		.value_size = sizeof(snap.value[0]), .nr_values = ARRAY_SIZE(snap.value),
	};
	return grp_ioctl(fd, PERFGRP_SNAPSHOT, &snap.hdr);
}

static void take_totals(int fd)
{
	REQUIRE_EQ(take(fd, PERFGRP_SNAPSHOT_TOTALS), 0);
}

/* Finds a row of the last snapshot: a cgroup's or, if id is 0, that with FLAG; NULL if none. */
static const struct perfgrp_row *find_row(__u64 id, __u32 flag, int cpu)
{
	__u32 i;

	for (i = 0; i < snap.hdr.nr_rows; i++) {
		if (snap.row[i].cgroup_id == id && (snap.row[i].flags & SPECIAL) == flag &&
		    snap.row[i].cpu == cpu)
			return &snap.row[i];
	}
	return NULL;
}

static const struct perfgrp_row *row_of(const struct cgroup *cg)
{
	return find_row(cgroup_ino(cg), 0, -1);
}

/* The value of the first member in the totals of a cgroup. */
static const struct perfgrp_value *value_of(const struct cgroup *cg)
{
	const struct perfgrp_row *row = row_of(cg);

	if (!row) {
		fail("%s has no row", cg->path);
		test_end();
	}
	return &snap.value[row->first_value];
}

static __u64 raw_of(const struct cgroup *cg)
{
	return value_of(cg)->raw;
}

static const struct perfgrp_value *special(__u32 flag)
{
	const struct perfgrp_row *row = find_row(0, flag, -1);

	REQUIRE(row);
	return &snap.value[row->first_value];
}

/* The sum of a member over all rows of CPU. */
static struct perfgrp_value sum_of(int cpu, __u32 member)
{
	struct perfgrp_value sum = {};
	const struct perfgrp_value *v;
	__u32 i;

	for (i = 0; i < snap.hdr.nr_rows; i++) {
		if (snap.row[i].cpu != cpu)
			continue;
		v = &snap.value[snap.row[i].first_value + member];
		sum.raw += v->raw;
		sum.time_enabled += v->time_enabled;
		sum.time_running += v->time_running;
	}
	return sum;
}

static void expect_near(__u64 a, __u64 b, __u64 within)
{
	if ((a > b ? a - b : b - a) > within)
		fail("%llu and %llu are more than %llu apart", a, b, within);
}

/* ---- C10: which rows there are --------------------------------------------------- */

TEST(rows, "C10: rows of the directory, of each cgroup below it, and of what is in none")
{
	struct cgroup a, b, deep;
	__u32 i;
	int fd;

	arrange();
	a = cgroup_make("a");
	b = cgroup_make("b");
	deep = cgroup_make("a/deep");
	fd = split_base(0, 0);
	add_faults(fd);
	take_totals(fd);
	EXPECT_EQ(snap.hdr.nr_rows, 7);
	EXPECT_EQ(snap.row[0].cgroup_id, cgroup_ino(&base));
	for (i = 0; i < snap.hdr.nr_rows; i++) {
		EXPECT_EQ(snap.row[i].flags & ~SPECIAL, PERFGRP_ROW_TOTAL);
		EXPECT_EQ(snap.row[i].nr_cpus, cpus.nr);
		EXPECT_EQ(snap.row[i].nr_values, 1);
		EXPECT_EQ(snap.row[i].first_value, i);
		EXPECT(!snap.row[i].cgroup_id == !!(snap.row[i].flags & SPECIAL));
		EXPECT(snap.row[i].time_before <= snap.row[i].time_after);
	}
	EXPECT(row_of(&a) && row_of(&b) && row_of(&deep));
	EXPECT(find_row(0, PERFGRP_ROW_OUTSIDE, -1));
	EXPECT(find_row(0, PERFGRP_ROW_REMOVED, -1));
	EXPECT(find_row(0, PERFGRP_ROW_OVERFLOW, -1));

	/* The same rows for each CPU. */
	REQUIRE_EQ(take(fd, 0), 0);
	EXPECT_EQ(snap.hdr.nr_rows, 7 * cpus.nr);
	EXPECT_EQ(snap.hdr.nr_values, 7 * cpus.nr);
	for (i = 0; i < cpus.nr; i++) {
		EXPECT(find_row(cgroup_ino(&deep), 0, cpus.cpu[i]));
		EXPECT(find_row(0, PERFGRP_ROW_OUTSIDE, cpus.cpu[i]));
	}
}

TEST(row_times, "S7 C10: a row's times are from before and after its reads")
{
	unsigned int longer = 0, turn;
	__u32 i;
	int fd;

	arrange();
	fd = split_base(0, 0);
	add_faults(fd);
	/* The clock may be a coarse one. */
	for (turn = 0; turn < 1000 && !longer; turn++) {
		REQUIRE_EQ(take(fd, 0), 0);
		for (i = 0; i < snap.hdr.nr_rows; i++) {
			EXPECT_LE(snap.row[i].time_before, snap.row[i].time_after);
			longer += snap.row[i].time_before < snap.row[i].time_after;
		}
	}
	EXPECT_GT(longer, 0);
}

TEST(root, "C10: below the root nothing is outside")
{
	struct cgroup root, a;
	struct child child;
	int fd;

	arrange();
	a = cgroup_make("a");
	child = child_in(&a);
	snprintf(root.path, sizeof(root.path), "%s", cgroup_root);
	root.fd = open(cgroup_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	REQUIRE_GE(root.fd, 0);
	fd = split_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED, .target_fd = root.fd });
	REQUIRE_GE(fd, 0);
	add_faults(fd);
	child_do_all(&child, ORDER_FAULT, 30);
	take_totals(fd);
	EXPECT(!find_row(0, PERFGRP_ROW_OUTSIDE, -1));
	EXPECT_EQ(snap.row[0].cgroup_id, cgroup_ino(&root));
	EXPECT_EQ(raw_of(&a), 30);
	EXPECT_EQ(special(PERFGRP_ROW_OVERFLOW)->raw, 0);
}

TEST(charged, "C10: each cgroup is charged what its own tasks do, and who is outside for the rest")
{
	struct child in_a, in_deep, in_base, out;
	struct cgroup a, deep;
	int fd;

	arrange();
	a = cgroup_make("a");
	deep = cgroup_make("a/deep");
	in_a = child_in(&a);
	in_deep = child_in(&deep);
	in_base = child_in(&base);
	out = child_start();
	fd = split_base(0, 0);
	add_faults(fd);
	child_do_all(&in_a, ORDER_FAULT, 10);
	child_do_all(&in_deep, ORDER_FAULT, 20);
	child_do_all(&in_base, ORDER_FAULT, 40);
	child_do_all(&out, ORDER_FAULT, 80);
	child_do_all(&in_a, ORDER_FAULT, 1);
	take_totals(fd);
	EXPECT_EQ(raw_of(&a), 11);
	EXPECT_EQ(raw_of(&deep), 20);
	EXPECT_EQ(raw_of(&base), 40);
	EXPECT_GE(special(PERFGRP_ROW_OUTSIDE)->raw, 80);
	EXPECT_EQ(special(PERFGRP_ROW_OVERFLOW)->raw, 0);
}

TEST(depth, "C10: what is deeper than asked for is part of its ancestor's row")
{
	struct child in_a, in_mid, in_deep;
	struct cgroup a, mid, deep;
	int one, two, most;

	arrange();
	a = cgroup_make("a");
	mid = cgroup_make("a/mid");
	deep = cgroup_make("a/mid/deep");
	in_a = child_in(&a);
	in_mid = child_in(&mid);
	in_deep = child_in(&deep);
	one = split_base(1, 0);
	add_faults(one);
	two = split_base(2, 0);
	add_faults(two);
	most = split_base(0xffffffff, 0);
	add_faults(most);
	child_do_all(&in_a, ORDER_FAULT, 10);
	child_do_all(&in_mid, ORDER_FAULT, 20);
	child_do_all(&in_deep, ORDER_FAULT, 40);
	take_totals(one);
	EXPECT_EQ(raw_of(&a), 70);
	EXPECT(!row_of(&mid) && !row_of(&deep));
	take_totals(two);
	EXPECT_EQ(raw_of(&a), 10);
	EXPECT_EQ(raw_of(&mid), 60);
	EXPECT(!row_of(&deep));
	take_totals(most);
	EXPECT_EQ(raw_of(&a), 10);
	EXPECT_EQ(raw_of(&mid), 20);
	EXPECT_EQ(raw_of(&deep), 40);
}

TEST(created_later, "C10: a cgroup that is created later has its row before anybody can enter it")
{
	struct cgroup cg[40], deep;
	struct child child;
	char name[16];
	int fd, i;

	arrange();
	fd = split_base(1, 0);
	add_faults(fd);
	for (i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "later%d", i);
		cg[i] = cgroup_make(name);
		child = child_in(&cg[i]);
		child_do_all(&child, ORDER_FAULT, 10 + i);
		child_exit(&child);
		child_reap(&child);
	}
	deep = cgroup_make("later0/deep");
	child = child_in(&deep);
	child_do_all(&child, ORDER_FAULT, 5);
	take_totals(fd);
	EXPECT_GE(raw_of(&cg[0]), 15);
	EXPECT_LE(raw_of(&cg[0]), 17);
	for (i = 1; i < 40; i++) {
		/* The child may touch another page when it exits. */
		EXPECT_GE(raw_of(&cg[i]), 10 + i);
		EXPECT_LE(raw_of(&cg[i]), 12 + i);
	}
	EXPECT_EQ(special(PERFGRP_ROW_OVERFLOW)->raw, 0);
	EXPECT_EQ(snap.hdr.nr_rows, 44);
}

TEST(beside, "C10: cgroups that are created later beside the directory are outside")
{
	struct cgroup dir, a, b, deep;
	struct child child;
	int fd;

	arrange();
	dir = cgroup_make("dir");
	fd = split_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED, .target_fd = dir.fd });
	REQUIRE_GE(fd, 0);
	add_faults(fd);
	a = cgroup_make("dir/a");
	b = cgroup_make("b");
	deep = cgroup_make("b/deep");
	child = child_in(&b);
	child_do_all(&child, ORDER_FAULT, 10);
	cgroup_enter(&deep, child.pid);
	wait_until_asleep(child.pid);
	child_do_all(&child, ORDER_FAULT, 20);
	take_totals(fd);
	EXPECT_EQ(snap.hdr.nr_rows, 5);
	EXPECT(row_of(&a) && !row_of(&b) && !row_of(&deep));
	EXPECT_GE(special(PERFGRP_ROW_OUTSIDE)->raw, 30);
	EXPECT_EQ(special(PERFGRP_ROW_OVERFLOW)->raw, 0);
}

TEST(removed, "C10: a removed cgroup is in one more snapshot, and then in the sum of those removed")
{
	struct perfgrp_snapshot small = { .size = sizeof(small) };
	struct cgroup a, b;
	struct child child;
	int fd, later;
	__u64 id_a;

	arrange();
	a = cgroup_make("a");
	b = cgroup_make("b");
	id_a = cgroup_ino(&a);
	child = child_in(&a);
	fd = split_base(0, 0);
	add_faults_twice(fd);
	child_do_all(&child, ORDER_FAULT, 10);
	cgroup_enter(&b, child.pid);
	wait_until_asleep(child.pid);
	child_do_all(&child, ORDER_FAULT, 20);
	take_totals(fd);
	EXPECT_EQ(row_of(&a)->flags, PERFGRP_ROW_TOTAL);
	cgroup_remove(&a);

	/* A snapshot that fails does not count as the one that reports the removal. */
	small.row_size = sizeof(snap.row[0]);
	small.value_size = sizeof(snap.value[0]);
	EXPECT_EQ(grp_ioctl(fd, PERFGRP_SNAPSHOT, &small), -EMSGSIZE);
	EXPECT_EQ(small.nr_rows, 6 * cpus.nr);

	/* It is still there for the group that has its counts, but not for a new one. */
	later = split_base(0, 0);
	add_faults(later);
	take_totals(later);
	EXPECT(!find_row(id_a, 0, -1));
	EXPECT(row_of(&b));

	take_totals(fd);
	EXPECT_EQ(row_of(&a)->flags, PERFGRP_ROW_TOTAL | PERFGRP_ROW_EXITED);
	EXPECT(value_of(&a)->flags & PERFGRP_VALUE_EXITED);
	EXPECT_EQ(value_of(&a)[0].raw, 10);
	EXPECT_EQ(value_of(&a)[1].raw, 10);
	EXPECT_EQ(raw_of(&b), 20);
	EXPECT_EQ(special(PERFGRP_ROW_REMOVED)->raw, 0);

	take_totals(fd);
	EXPECT(!find_row(id_a, 0, -1));
	EXPECT_EQ(raw_of(&b), 20);
	EXPECT_EQ(special(PERFGRP_ROW_REMOVED)[0].raw, 10);
	EXPECT_EQ(special(PERFGRP_ROW_REMOVED)[1].raw, 10);
	EXPECT_EQ(find_row(0, PERFGRP_ROW_REMOVED, -1)->flags,
		  PERFGRP_ROW_TOTAL | PERFGRP_ROW_REMOVED);
	EXPECT_EQ(snap.hdr.nr_rows, 5);
}

TEST(removed_and_reset, "C10 S13: a removed cgroup is in one more snapshot also if they reset")
{
	struct child child;
	struct cgroup a;
	__u64 id;
	int fd;

	arrange();
	a = cgroup_make("a");
	id = cgroup_ino(&a);
	child = child_in(&a);
	fd = split_base(0, 0);
	add_faults(fd);
	child_do_all(&child, ORDER_FAULT, 10);
	cgroup_leave(child.pid);
	cgroup_remove(&a);
	REQUIRE_EQ(take(fd, PERFGRP_SNAPSHOT_TOTALS | PERFGRP_SNAPSHOT_RESET), 0);
	EXPECT_EQ(row_of(&a)->flags, PERFGRP_ROW_TOTAL | PERFGRP_ROW_EXITED);
	EXPECT_EQ(raw_of(&a), 10);
	REQUIRE_EQ(take(fd, PERFGRP_SNAPSHOT_TOTALS | PERFGRP_SNAPSHOT_RESET), 0);
	EXPECT(!find_row(id, 0, -1));
	EXPECT_EQ(special(PERFGRP_ROW_REMOVED)->raw, 0);
}

static void make_cgroups(struct cgroup *cg, unsigned int nr, const char *prefix)
{
	char name[16];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%s%u", prefix, i);
		cg[i] = cgroup_make(name);
	}
}

TEST(limit, "C10: cgroups that find no room are in the overflow row, until there is some")
{
	struct child child[4];
	struct cgroup cg[4];
	int fd, i, had = 0, without = -1;
	__u64 sum = 0;

	arrange();
	make_cgroups(cg, 3, "");
	fd = split_base(0, 2);
	add_faults(fd);
	cg[3] = cgroup_make("3");
	for (i = 0; i < 4; i++) {
		child[i] = child_in(&cg[i]);
		child_do_all(&child[i], ORDER_FAULT, 10);
	}
	take_totals(fd);
	for (i = 0; i < 4; i++) {
		if (row_of(&cg[i])) {
			EXPECT_EQ(raw_of(&cg[i]), 10);
			sum += raw_of(&cg[i]);
			had++;
		} else {
			without = i;
		}
	}
	EXPECT_EQ(had, 2);
	EXPECT_EQ(special(PERFGRP_ROW_OVERFLOW)->raw, 20);
	REQUIRE(without == 3 && row_of(&cg[0]));

	/* When one is removed another gets its place, once snapshots have reported the removal. */
	child_exit(&child[0]);
	child_reap(&child[0]);
	cgroup_remove(&cg[0]);
	EXPECT(BECOMES_TRUE((take_totals(fd), row_of(&cg[2]) || row_of(&cg[3])), 20000));
	i = row_of(&cg[2]) ? 2 : 3;
	child_do_all(&child[i], ORDER_FAULT, 7);
	take_totals(fd);
	EXPECT_EQ(raw_of(&cg[i]), 7);
	EXPECT_EQ(special(PERFGRP_ROW_OVERFLOW)->raw, 20);
	EXPECT_EQ(special(PERFGRP_ROW_REMOVED)->raw, sum_of(-1, 0).raw - 37 - raw_of(&base) -
		  special(PERFGRP_ROW_OUTSIDE)->raw);
}

TEST(many, "C10: hundreds of cgroups, before and after the group was created")
{
	enum { NR = 300 };
	static struct cgroup cg[NR];
	struct child child;
	int fd, i;

	arrange();
	make_cgroups(cg, NR / 2, "before");
	fd = split_base(0, 0);
	add_faults(fd);
	make_cgroups(cg + NR / 2, NR / 2, "after");
	/* Cgroups may be created faster than the worker makes room for them. */
	EXPECT(BECOMES_TRUE((take_totals(fd), snap.hdr.nr_rows == NR + 4), 10000));
	child = child_start();
	for (i = 0; i < NR; i += 7) {
		cgroup_enter(&cg[i], child.pid);
		wait_until_asleep(child.pid);
		child_do_all(&child, ORDER_FAULT, 1 + i);
	}
	take_totals(fd);
	for (i = 0; i < NR; i++)
		EXPECT_EQ(raw_of(&cg[i]), i % 7 ? 0 : 1 + i);
	EXPECT_EQ(special(PERFGRP_ROW_OVERFLOW)->raw, 0);
	for (i = 0; i < NR; i++)
		close(cg[i].fd);
}

TEST(absent, "C10 C3: a cgroup that has not run has zero as its count, and a flag")
{
	const struct perfgrp_value *v;
	struct cgroup a, b;
	struct child child;
	int fd;

	arrange();
	a = cgroup_make("a");
	b = cgroup_make("b");
	child = child_in(&a);
	fd = split_base(0, 0);
	add_faults(fd);
	child_do_all(&child, ORDER_FAULT, 10);
	take_totals(fd);
	v = value_of(&b);
	EXPECT_EQ(v->state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(v->flags, PERFGRP_VALUE_ABSENT | PERFGRP_VALUE_SCALED);
	EXPECT_EQ(v->raw, 0);
	v = value_of(&a);
	EXPECT_EQ(v->state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(v->flags, PERFGRP_VALUE_SCALED);
	EXPECT_EQ(v->scaled, 10);
	expect_plausible(v);
}

/* ---- C11: everything is charged exactly once ---------------------------------------- */

/* Moves itself to the cgroup, and takes faults without sleeping in between. */
static void move_and_fault(const struct cgroup *to, unsigned int nr)
{
	char name[PATH_MAX], *pages = fresh_pages(nr);
	int fd;

	snprintf(name, sizeof(name), "%s/cgroup.procs", to->path);
	fd = open(name, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		_exit(1);
	touch_pages(pages, nr);
}

TEST(idle_outside, "C11 C10: a CPU that is idle is charged to none of the cgroups")
{
	int fd;

	arrange();
	fd = split_base(0, 0);
	REQUIRE_GT(grp_add(fd, PERFGRP_SW_CPU_CLOCK), 0);
	nap_ns(50000000);
	take_totals(fd);
	EXPECT_EQ(value_of(&base)->raw, 0);
	EXPECT_GE(special(PERFGRP_ROW_OUTSIDE)->raw, 50000000);
}

TEST(many_later, "C10: so many are created later, one after the other, and each is charged its own")
{
	enum { MANY = 100 };
	static struct cgroup cg[MANY];
	struct child child;
	char name[16];
	int fd, i;

	arrange();
	child = child_start();
	fd = split_base(0, 0);
	add_faults_twice(fd);
	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "later%d", i);
		cg[i] = cgroup_make(name);
		cgroup_enter(&cg[i], child.pid);
		wait_until_asleep(child.pid);
		child_do_all(&child, ORDER_FAULT, i + 1);
	}
	take_totals(fd);
	for (i = 0; i < MANY; i++) {
		EXPECT_EQ(value_of(&cg[i])[0].raw, i + 1);
		EXPECT_EQ(value_of(&cg[i])[1].raw, i + 1);
	}
	EXPECT_EQ(special(PERFGRP_ROW_OVERFLOW)->raw, 0);
	REQUIRE_EQ(grp_reset(fd), 0);
	take_totals(fd);
	for (i = 0; i < MANY; i++) {
		EXPECT_EQ(value_of(&cg[i])[0].raw, 0);
		EXPECT_EQ(value_of(&cg[i])[1].raw, 0);
	}
}

TEST(replaced, "C10: cgroups take the room of those that were removed, and all is charged as ever")
{
	enum { STAY = 150, GO = 100 };
	static struct cgroup stay[STAY], go[GO];
	struct child child;
	int fd, i;

	arrange();
	fd = split_base(0, STAY + GO);
	add_faults(fd);
	make_cgroups(stay, STAY, "stay");
	make_cgroups(go, GO, "go");
	EXPECT(BECOMES_TRUE((take_totals(fd), snap.hdr.nr_rows == STAY + GO + 4), 10000));
	for (i = 0; i < GO; i++) {
		close(go[i].fd);
		cgroup_remove(&go[i]);
	}
	EXPECT(BECOMES_TRUE((take_totals(fd), snap.hdr.nr_rows == STAY + 4), 20000));
	make_cgroups(go, GO, "new");
	EXPECT(BECOMES_TRUE((take_totals(fd), snap.hdr.nr_rows == STAY + GO + 4), 20000));
	child = child_start();
	for (i = 0; i < STAY; i++) {
		cgroup_enter(&stay[i], child.pid);
		wait_until_asleep(child.pid);
		child_do_all(&child, ORDER_FAULT, i + 1);
	}
	take_totals(fd);
	for (i = 0; i < STAY; i++)
		EXPECT_EQ(raw_of(&stay[i]), i + 1);
	for (i = 0; i < GO; i++)
		EXPECT_EQ(raw_of(&go[i]), 0);
	EXPECT_EQ(special(PERFGRP_ROW_OVERFLOW)->raw, 0);
	for (i = 0; i < STAY; i++)
		close(stay[i].fd);
}

TEST(moved, "C11 C2: what a task does in a cgroup is charged to that, when it moves itself")
{
	struct cgroup a, b;
	int fd, status;
	unsigned int i;
	pid_t pid;

	arrange();
	a = cgroup_make("a");
	b = cgroup_make("b");
	fd = split_base(0, 0);
	add_faults(fd);
	for (i = 0; i < rounds(20); i++) {
		REQUIRE_EQ(grp_reset(fd), 0);
		pid = fork();
		REQUIRE_GE(pid, 0);
		if (!pid) {
			run_on(cpus.cpu[cpus.nr - 1]);
			settle_memory();
			move_and_fault(&a, 1);
			move_and_fault(&b, 1);
			move_and_fault(&a, 100);
			move_and_fault(&b, 200);
			move_and_fault(&a, 1);
			_exit(0);
		}
		REQUIRE(waitpid(pid, &status, 0) == pid);
		REQUIRE_EQ(status, 0);
		take_totals(fd);
		/* Some more are pages of its stack and of the functions that it calls. */
		expect_near(raw_of(&a), 102, 8);
		expect_near(raw_of(&b), 201, 8);
	}
}

TEST(moved_by_others, "C11 C2: and when another moves it while it runs")
{
	struct cgroup a, b;
	struct child child;
	__u64 wall;
	int fd;

	arrange();
	need_two_cpus();
	run_on(cpus.cpu[0]);
	a = cgroup_make("a");
	b = cgroup_make("b");
	child = child_in_on(&a, cpus.cpu[1]);
	fd = split_base(0, 0);
	REQUIRE_GT(grp_add(fd, PERFGRP_SW_CPU_CLOCK), 0);
	child_tell(&child, ORDER_BURN, 400000);
	nap_ns(50000000);
	cgroup_enter(&b, child.pid);
	/* The move has charged to a what the child did before. */
	take_totals(fd);
	wall = value_of(&a)->time_enabled;
	EXPECT_GT(wall, 0);
	nap_ns(50000000);
	take_totals(fd);
	EXPECT_EQ(value_of(&a)->time_enabled, wall);
	child_wait(&child);
	take_totals(fd);
	EXPECT_EQ(value_of(&a)->time_enabled, wall);
	/* The scheduler updates a task's time a little before the tracepoint. */
	EXPECT_GE(value_of(&b)->time_enabled + wall, 380000000);
}

/* Waits until a task has used NS more of CPU time. */
static bool runs_for(pid_t pid, uint64_t ns)
{
	uint64_t end = task_time_ns(pid) + ns;

	return BECOMES_TRUE(task_time_ns(pid) >= end, 5000);
}

TEST(runs_on, "C11: a task that never sleeps is charged to its cgroup from the first snapshot on")
{
	struct child child;
	struct cgroup a;
	__u64 before;
	int fd, i;

	arrange();
	need_two_cpus();
	run_on(cpus.cpu[0]);
	a = cgroup_make("a");
	child = child_in_on(&a, cpus.cpu[1]);
	child_tell(&child, ORDER_BURN, 600000000);
	wait_until_running(child.pid);
	/* Several times, as something else may run on that CPU, and then the child again. */
	for (i = 0; i < 10; i++) {
		fd = split_base(0, 0);
		REQUIRE_GT(grp_add(fd, PERFGRP_SW_CPU_CLOCK), 0);
		take_totals(fd);
		before = value_of(&a)->time_enabled;
		REQUIRE(runs_for(child.pid, 10000000));
		take_totals(fd);
		EXPECT_GT(value_of(&a)->time_enabled, before);
		close(fd);
	}
}

static void *burn_on_last(void *arg)
{
	run_on(cpus.cpu[cpus.nr - 1]);
	for (;;)
		burn_us(100000);
	return arg;
}

/* Starts a process whose second thread keeps the last CPU busy until it is killed. */
static pid_t start_two_threads(const struct cgroup *in)
{
	pthread_t thread;
	pid_t pid = fork();

	REQUIRE_GE(pid, 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	cgroup_enter(in, 0);
	pthread_create(&thread, NULL, burn_on_last, NULL);
	pthread_join(thread, NULL);
	_exit(0);
}

TEST(moved_with_threads, "C11 C2: and so it is with all threads of a process")
{
	struct cgroup a, b;
	__u64 before, moved;
	pid_t pid;
	int fd;

	arrange();
	need_two_cpus();
	run_on(cpus.cpu[0]);
	a = cgroup_make("a");
	b = cgroup_make("b");
	fd = split_base(0, 0);
	REQUIRE_GT(grp_add(fd, PERFGRP_SW_CPU_CLOCK), 0);
	pid = start_two_threads(&a);
	REQUIRE(BECOMES_TRUE((take_totals(fd), value_of(&a)->time_enabled > 50000000), 5000));
	/*
	 * What the thread does after the move is charged to b, although the thread does not leave
	 * its CPU and no snapshot is taken.
	 */
	moved = now_ns();
	take_totals(fd);
	before = value_of(&a)->time_enabled;
	cgroup_enter(&b, pid);
	moved = now_ns() - moved;
	nap_ns(500000000);
	take_totals(fd);
	EXPECT_LT(value_of(&a)->time_enabled - before, moved + 100000000);
	EXPECT_GE(value_of(&b)->time_enabled, 200000000);
	kill(pid, SIGKILL);
	REQUIRE(waitpid(pid, NULL, 0) == pid);
}

TEST(moved_thread, "C11 C2: and with one thread that moves within a threaded cgroup")
{
	struct cgroup domain, a, b;
	__u64 before, moved;
	struct child child;
	int fd;

	arrange();
	need_two_cpus();
	domain = cgroup_make("domain");
	a = cgroup_make("domain/a");
	b = cgroup_make("domain/b");
	if (cgroup_write(&a, "cgroup.type", "threaded") ||
	    cgroup_write(&b, "cgroup.type", "threaded"))
		skip("no threaded cgroups");
	run_on(cpus.cpu[0]);
	child = child_in_on(&domain, cpus.cpu[1]);
	cgroup_enter_thread(&a, child.pid);
	fd = split_base(0, 0);
	REQUIRE_GT(grp_add(fd, PERFGRP_SW_CPU_CLOCK), 0);
	child_tell(&child, ORDER_BURN, 600000000);
	REQUIRE(BECOMES_TRUE((take_totals(fd), value_of(&a)->time_enabled > 50000000), 5000));
	moved = now_ns();
	take_totals(fd);
	before = value_of(&a)->time_enabled;
	cgroup_enter_thread(&b, child.pid);
	moved = now_ns() - moved;
	nap_ns(500000000);
	take_totals(fd);
	EXPECT_LT(value_of(&a)->time_enabled - before, moved + 100000000);
	EXPECT_GE(value_of(&b)->time_enabled, 200000000);
}

TEST(threads, "C11: threads of a threaded cgroup are charged to theirs")
{
	struct cgroup domain, a;
	struct child child;
	int fd;

	arrange();
	domain = cgroup_make("domain");
	a = cgroup_make("domain/a");
	if (cgroup_write(&a, "cgroup.type", "threaded"))
		skip("no threaded cgroups");
	child = child_in(&domain);
	cgroup_enter_thread(&a, child.pid);
	wait_until_asleep(child.pid);
	fd = split_base(0, 0);
	add_faults(fd);
	child_do_all(&child, ORDER_FAULT, 10);
	take_totals(fd);
	EXPECT_EQ(raw_of(&a), 10);
	EXPECT_EQ(raw_of(&domain), 0);
}

TEST(conserved, "C11: rows add up to what the CPU has counted, exactly, with perf's own as witness")
{
	struct child child[3];
	struct cgroup cg[2];
	int fd, peer, plain;
	__u64 expect = 0;
	unsigned int i;
	__u32 id;

	arrange();
	need_two_cpus();
	run_on(cpus.cpu[0]);
	cg[0] = cgroup_make("a");
	cg[1] = cgroup_make("b");
	child[0] = child_in_on(&cg[0], cpus.cpu[1]);
	child[1] = child_in_on(&cg[1], cpus.cpu[1]);
	child[2] = child_start();
	child_do_all(&child[2], ORDER_RUN_ON, cpus.cpu[1]);
	fd = split_base(0, 0);
	add_faults(fd);
	plain = grp_on_cpu(PERFGRP_CREATE_ENABLED, cpus.cpu[1]);
	id = add_faults(plain);
	peer = peer_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, -1, cpus.cpu[1], -1);
	REQUIRE_GE(peer, 0);
	peer_enable(peer);
	for (i = 0; i < rounds(200); i++) {
		child_tell(&child[i % 3], ORDER_FAULT, 1 + i);
		child_tell(&child[(i + 1) % 3], ORDER_FAULT, 2);
		child_wait(&child[i % 3]);
		child_wait(&child[(i + 1) % 3]);
		expect += 3 + i;
	}
	for (i = 0; i < 3; i++)
		wait_until_asleep(child[i].pid);
	REQUIRE_EQ(take(fd, 0), 0);
	EXPECT_EQ(sum_of(cpus.cpu[1], 0).raw, expect);
	EXPECT_EQ(sum_of(cpus.cpu[1], 0).raw, grp_value_on(plain, cpus.cpu[1], id).raw);
	EXPECT_GE(peer_read(peer).value, expect);
}

TEST(span, "C11 S7: a snapshot's times are the span of all its rows', whoever is first and last")
{
	__u64 before, after;
	unsigned int i;
	__u32 nr;
	int fd;

	arrange();
	need_two_cpus();
	fd = split_base(0, 0);
	add_faults(fd);
	/* As a rule the CPU that takes it is read first. */
	for (i = 0; i < 20 * cpus.nr; i++) {
		run_on(cpus.cpu[i % cpus.nr]);
		REQUIRE_EQ(take(fd, 0), 0);
		before = snap.row[0].time_before;
		after = snap.row[0].time_after;
		for (nr = 1; nr < snap.hdr.nr_rows; nr++) {
			if (snap.row[nr].time_before < before)
				before = snap.row[nr].time_before;
			if (snap.row[nr].time_after > after)
				after = snap.row[nr].time_after;
		}
		EXPECT_EQ(snap.hdr.time_before, before);
		EXPECT_EQ(snap.hdr.time_after, after);
	}
}

TEST(times, "C11 C12: times of the rows add up to the CPU's, and are those that its tasks had")
{
	struct perfgrp_value before, after, plain;
	struct child child[2];
	struct cgroup cg[2];
	int fd, other, peer[2], i;
	__u32 id;

	arrange();
	need_two_cpus();
	cgroup2_spread_perf();
	if (!perf_counts_cgroup(&base))
		skip("perf_event is not on cgroup2");
	run_on(cpus.cpu[0]);
	cg[0] = cgroup_make("a");
	cg[1] = cgroup_make("b");
	fd = split_base(0, 0);
	REQUIRE_GT(grp_add(fd, PERFGRP_SW_CPU_CLOCK), 0);
	for (i = 0; i < 2; i++) {
		child[i] = child_in_on(&cg[i], cpus.cpu[1]);
		/* The perf core switches cgroup events right after the tracepoint. */
		peer[i] = peer_on_cgroup(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, cg[i].fd,
					 cpus.cpu[1]);
		REQUIRE_GE(peer[i], 0);
		peer_enable(peer[i]);
	}
	REQUIRE_EQ(grp_reset(fd), 0);
	other = grp_on_cpu(PERFGRP_CREATE_ENABLED, cpus.cpu[1]);
	id = grp_add(other, PERFGRP_SW_CPU_CLOCK);
	REQUIRE_GT(id, 0);
	/* Both children at the same time, so that they take turns on the CPU. */
	for (i = 0; i < 2; i++)
		child_tell(&child[i], ORDER_BURN, 200000);
	before = grp_value_on(other, cpus.cpu[1], id);
	REQUIRE_EQ(take(fd, 0), 0);
	after = grp_value_on(other, cpus.cpu[1], id);
	plain = sum_of(cpus.cpu[1], 0);
	/* The split group was enabled before the other. */
	EXPECT_GE(plain.time_enabled, before.time_enabled);
	for (i = 0; i < 2; i++)
		child_wait(&child[i]);
	before = grp_value_on(other, cpus.cpu[1], id);
	REQUIRE_EQ(take(fd, 0), 0);
	EXPECT_GE(sum_of(cpus.cpu[1], 0).time_enabled - plain.time_enabled,
		  before.time_enabled - after.time_enabled);
	after = grp_value_on(other, cpus.cpu[1], id);
	EXPECT_LE(sum_of(cpus.cpu[1], 0).time_enabled, after.time_enabled + 1000000000);
	EXPECT_EQ(sum_of(cpus.cpu[1], 0).time_enabled, sum_of(cpus.cpu[1], 0).time_running);
	for (i = 0; i < 2; i++) {
		const struct perfgrp_row *row = find_row(cgroup_ino(&cg[i]), 0, cpus.cpu[1]);
		const struct perfgrp_value *v = &snap.value[row->first_value];
		__u64 theirs = peer_read(peer[i]).enabled;

		EXPECT_GE(theirs, 150000000);
		/* The host may preempt the CPU just between the two switches. */
		expect_near(v->time_enabled, theirs, 50000000);
		expect_plausible(v);
		/* The clock's count is its time. */
		expect_near(v->raw, v->time_running, v->time_running / 20 + 1000000);
	}
}

TEST(pmu, "C11 C12: cycles and instructions of a loop are charged to the cgroup that runs it")
{
	struct perfgrp_counter c[2] = {
		{ .event = PERFGRP_HW_INSTRUCTIONS, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL },
		{ .event = PERFGRP_HW_CPU_CYCLES },
	};
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .exclude_kernel = 1,
					.config = PERF_COUNT_HW_INSTRUCTIONS };
	const struct perfgrp_value *v;
	struct child child[2];
	struct cgroup cg[2];
	int fd, peer[2], i;

	if (!has_pmu())
		skip("no hardware counters");
	arrange();
	need_two_cpus();
	for (i = 0; i < 2; i++) {
		cg[i] = cgroup_make(i ? "b" : "a");
		child[i] = child_in_on(&cg[i], cpus.cpu[1]);
		/* A perf event of the task, in whatever cgroup it is. */
		peer[i] = peer_open_attr(&attr, child[i].pid, -1, -1);
		REQUIRE_GE(peer[i], 0);
		peer_enable(peer[i]);
	}
	fd = split_base(0, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	child_tell(&child[0], ORDER_SPIN, 20000000);
	child_tell(&child[1], ORDER_SPIN, 10000000);
	for (i = 0; i < 2; i++)
		child_wait(&child[i]);
	take_totals(fd);
	for (i = 0; i < 2; i++) {
		v = value_of(&cg[i]);
		EXPECT_GE(v[0].raw, (i ? 1 : 2) * 20000000);
		expect_near(v[0].raw, peer_read(peer[i]).value, 2000);
		EXPECT_EQ(v[0].state, PERFGRP_STATE_COUNTED);
		EXPECT_GE(v[1].raw, v[0].raw / 2);
		expect_plausible(&v[0]);
		expect_plausible(&v[1]);
		EXPECT_EQ(v[0].sched_group, v[1].sched_group);
	}
}

TEST(multiplexed, "C12: where the PMU is shared times say so, by cgroup, and the sum stays right")
{
	struct perfgrp_counter c = { .event = PERFGRP_HW_INSTRUCTIONS,
				     .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL };
	const struct perfgrp_value *v;
	struct perfgrp_value sum;
	struct child child;
	struct cgroup cg;
	int fd;

	if (!has_pmu())
		skip("no hardware counters");
	arrange();
	need_two_cpus();
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	fd = split_base(0, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	pmu_load(2 * pmu_size(), -1, cpus.cpu[1], NULL);
	child_do_all(&child, ORDER_BURN, 500000);
	REQUIRE_EQ(take(fd, 0), 0);
	sum = sum_of(cpus.cpu[1], 0);
	EXPECT_LT(sum.time_running, sum.time_enabled);
	v = &snap.value[find_row(cgroup_ino(&cg), 0, cpus.cpu[1])->first_value];
	EXPECT_EQ(v->state, PERFGRP_STATE_MULTIPLEXED);
	EXPECT_LT(v->time_running, v->time_enabled);
	EXPECT_GE(v->time_enabled, 490000000);
	expect_plausible(v);
}

TEST(thrown_off, "C12 G15: a NO_MUX group that is thrown off a CPU's PMU reads as failed there")
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .pinned = 1,
					.config = PERF_COUNT_HW_CPU_CYCLES };
	struct perfgrp_counter c = { .event = PERFGRP_HW_INSTRUCTIONS };
	const struct perfgrp_row *row;
	unsigned int nr, i;
	int fd, peer[PMU_MANY];
	struct child child;
	struct cgroup cg;

	if (!has_pmu())
		skip("no hardware counters");
	NEED_FEATURE(NO_MUX);
	arrange();
	need_two_cpus();
	cg = cgroup_make("a");
	child = child_in_on(&cg, cpus.cpu[1]);
	/* Pinned counters of a CPU have priority in the order in which they were opened. */
	nr = pmu_size();
	for (i = 0; i < nr; i++) {
		peer[i] = peer_open_attr(&attr, -1, cpus.cpu[1], -1);
		REQUIRE_GE(peer[i], 0);
	}
	fd = split_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED | PERFGRP_CREATE_NO_MUX, .target_fd = base.fd });
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	child_do_all(&child, ORDER_SPIN, 1000000);
	REQUIRE_EQ(take(fd, 0), 0);
	row = find_row(cgroup_ino(&cg), 0, cpus.cpu[1]);
	REQUIRE(row);
	EXPECT_EQ(row->flags & PERFGRP_ROW_FAILED, 0);
	EXPECT_EQ(snap.value[row->first_value].state, PERFGRP_STATE_COUNTED);

	for (i = 0; i < nr; i++)
		peer_enable(peer[i]);
	REQUIRE_EQ(take(fd, 0), 0);
	row = find_row(cgroup_ino(&cg), 0, cpus.cpu[1]);
	REQUIRE(row);
	EXPECT(row->flags & PERFGRP_ROW_FAILED);
	EXPECT(snap.value[row->first_value].flags & PERFGRP_VALUE_FAILED);
	EXPECT_GE(snap.value[row->first_value].raw, 2000000);
	row = find_row(cgroup_ino(&cg), 0, cpus.cpu[0]);
	REQUIRE(row);
	EXPECT_EQ(row->flags & PERFGRP_ROW_FAILED, 0);
}

/* ---- members, resets, states ------------------------------------------------------- */

TEST(reset, "C11 S9: a reset begins at zero, and resets of snapshots lose nothing")
{
	struct cgroup a, b;
	struct child child;
	__u64 sum = 0;
	int fd, i;

	arrange();
	a = cgroup_make("a");
	b = cgroup_make("b");
	child = child_in(&a);
	fd = split_base(0, 0);
	add_faults(fd);
	for (i = 0; i < 10; i++) {
		child_tell(&child, ORDER_FAULT, 100);
		REQUIRE_EQ(take(fd, PERFGRP_SNAPSHOT_TOTALS | PERFGRP_SNAPSHOT_RESET), 0);
		sum += raw_of(&a);
		child_wait(&child);
	}
	wait_until_asleep(child.pid);
	take_totals(fd);
	EXPECT_EQ(sum + raw_of(&a), 1000);
	REQUIRE_EQ(grp_reset(fd), 0);
	take_totals(fd);
	EXPECT_EQ(raw_of(&a), 0);
	EXPECT_EQ(value_of(&a)->time_enabled, 0);
	EXPECT_EQ(value_of(&a)->flags, PERFGRP_VALUE_ABSENT | PERFGRP_VALUE_SCALED);
	EXPECT_EQ(raw_of(&b), 0);
	child_do_all(&child, ORDER_FAULT, 5);
	take_totals(fd);
	EXPECT_EQ(raw_of(&a), 5);
}

TEST(members_change, "C10 G11 G12: members are added and removed while it counts")
{
	struct cgroup a;
	struct child child;
	__u32 first, second;
	int fd;

	arrange();
	a = cgroup_make("a");
	child = child_in(&a);
	fd = split_base(0, 0);
	first = grp_add(fd, PERFGRP_SW_CPU_CLOCK);
	REQUIRE_GT(first, 0);
	child_do_all(&child, ORDER_FAULT, 10);
	/* Adding restarts the whole group. */
	second = add_faults(fd);
	take_totals(fd);
	EXPECT_EQ(row_of(&a)->nr_values, 2);
	EXPECT_EQ(value_of(&a)[0].time_enabled, 0);
	EXPECT_EQ(value_of(&a)[0].raw, 0);
	EXPECT_EQ(value_of(&a)[1].raw, 0);
	child_do_all(&child, ORDER_FAULT, 20);
	add_faults(fd);
	child_do_all(&child, ORDER_FAULT, 30);
	REQUIRE_EQ(grp_remove(fd, second, 0), 0);
	child_do_all(&child, ORDER_FAULT, 40);
	take_totals(fd);
	EXPECT_EQ(row_of(&a)->nr_values, 2);
	EXPECT_EQ(value_of(&a)[0].id, first);
	EXPECT_GT(value_of(&a)[0].time_enabled, 0);
	EXPECT_EQ(value_of(&a)[1].raw, 70);
	REQUIRE_EQ(grp_remove(fd, first, PERFGRP_REMOVE_CASCADE), 0);
	take_totals(fd);
	EXPECT_EQ(row_of(&a)->nr_values, 0);
	EXPECT_EQ(snap.hdr.nr_values, 0);
}

TEST(disabled, "C10 G7: while it is disabled nothing is charged")
{
	struct cgroup a;
	struct child child;
	__u64 enabled;
	int fd;

	arrange();
	a = cgroup_make("a");
	child = child_in(&a);
	fd = split_base(0, 0);
	add_faults(fd);
	child_do_all(&child, ORDER_FAULT, 10);
	REQUIRE_EQ(grp_disable(fd), 0);
	take_totals(fd);
	enabled = value_of(&a)->time_enabled;
	child_do_all(&child, ORDER_FAULT, 20);
	take_totals(fd);
	EXPECT_EQ(raw_of(&a), 10);
	EXPECT_EQ(value_of(&a)->time_enabled, enabled);
	REQUIRE_EQ(grp_enable(fd), 0);
	child_do_all(&child, ORDER_FAULT, 40);
	take_totals(fd);
	EXPECT_EQ(raw_of(&a), 50);
	EXPECT_GT(value_of(&a)->time_enabled, enabled);

	/* A cgroup in a group that was never enabled is not absent. */
	fd = split_like((struct perfgrp_create){ .target_fd = base.fd });
	add_faults(fd);
	take_totals(fd);
	EXPECT_EQ(value_of(&a)->state, PERFGRP_STATE_NEVER_RAN);
	EXPECT(!(value_of(&a)->flags & PERFGRP_VALUE_ABSENT));
}

TEST(listed, "C10 C1: on a list of CPUs it has their rows, and charges what is done there")
{
	struct child child;
	struct cgroup a;
	int fd;

	arrange();
	need_two_cpus();
	a = cgroup_make("a");
	child = child_in_on(&a, cpus.cpu[0]);
	fd = split_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED, .target = PERFGRP_TARGET_CPUS,
		.target_fd = base.fd, .cpus = to_u64(&cpus.cpu[1]), .nr_cpus = 1 });
	REQUIRE_GE(fd, 0);
	add_faults(fd);
	child_do_all(&child, ORDER_FAULT, 30);
	child_do_all(&child, ORDER_RUN_ON, cpus.cpu[1]);
	child_do_all(&child, ORDER_FAULT, 70);
	take_totals(fd);
	EXPECT_EQ(raw_of(&a), 70);
	EXPECT_EQ(row_of(&a)->nr_cpus, 1);
	REQUIRE_EQ(take(fd, 0), 0);
	EXPECT_EQ(snap.hdr.nr_rows, 5);
	EXPECT_EQ(snap.row[0].cpu, (int)cpus.cpu[1]);
}

TEST(query, "C10: QUERY and fdinfo say by which directory's cgroups a group is split")
{
	static struct grp_members members;
	char path[64], text[2048], want[64];
	int fd;

	arrange();
	fd = split_base(0, 0);
	add_faults(fd);
	REQUIRE_EQ(grp_query(fd, &members), 0);
	EXPECT_EQ(members.hdr.target, PERFGRP_TARGET_ALL_CPUS);
	EXPECT(members.hdr.create_flags & PERFGRP_CREATE_SPLIT_BY_CGROUP);
	EXPECT_EQ(members.hdr.cgroup_id, cgroup_ino(&base));
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	REQUIRE_GT(read_file(path, text, sizeof(text)), 0);
	snprintf(want, sizeof(want), "split:\tcgroup %llu\n", cgroup_ino(&base));
	EXPECT(strstr(text, want));
	EXPECT(strstr(text, "page-faults"));
}

TEST(old_rows, "C10: who knows rows as they were gets them without the cgroup's id")
{
	struct perfgrp_snapshot s = { .size = sizeof(s), .flags = PERFGRP_SNAPSHOT_TOTALS };
	char rows[8 * PERFGRP_ROW_SIZE_VER0 + 8];
	struct perfgrp_value values[8];
	size_t i;
	int fd;

	arrange();
	fd = split_base(0, 0);
	add_faults(fd);
	memset(rows, 0x5a, sizeof(rows));
	s.rows = to_u64(rows);
	s.row_size = PERFGRP_ROW_SIZE_VER0;
	s.nr_rows = 8;
	s.values = to_u64(values);
	s.value_size = sizeof(values[0]);
	s.nr_values = 8;
	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_SNAPSHOT, &s), 0);
	REQUIRE_EQ(s.nr_rows, 4);
	EXPECT_EQ(((struct perfgrp_row *)&rows[PERFGRP_ROW_SIZE_VER0])->flags,
		  PERFGRP_ROW_TOTAL | PERFGRP_ROW_OUTSIDE);
	for (i = 4 * PERFGRP_ROW_SIZE_VER0; i < sizeof(rows); i++)
		EXPECT_EQ(rows[i], 0x5a);
}

/* ---- errors ------------------------------------------------------------------------ */

TEST(refused, "C10: what it cannot be is refused, with the field")
{
	struct perfgrp_counter sampled = { .event = PERFGRP_SW_PAGE_FAULTS, .sample_period = 1 };
	struct perfgrp_bpf_handle handle = { .size = sizeof(handle) };
	const __u32 flag = PERFGRP_CREATE_SPLIT_BY_CGROUP;
	int fd, pipes[2];

	arrange();
	EXPECT_REFUSED(grp_create_like((struct perfgrp_create){
		.flags = flag, .target = PERFGRP_TARGET_TASK, .target_fd = base.fd }),
		EINVAL, FLAGS);
	EXPECT_REFUSED(grp_create_like((struct perfgrp_create){
		.flags = flag, .target = PERFGRP_TARGET_CGROUP, .target_fd = base.fd }),
		EINVAL, FLAGS);
	EXPECT_REFUSED_FIELD(split_like((struct perfgrp_create){
		.target_fd = base.fd, .buffer_size = 65536 }), EINVAL, "buffer_size");
	EXPECT_REFUSED_FIELD(split_like((struct perfgrp_create){
		.target_fd = base.fd, .split_max = PERFGRP_SPLIT_MAX + 1 }), EINVAL, "split_max");
	EXPECT_REFUSED_FIELD(grp_create_like((struct perfgrp_create){
		.target = PERFGRP_TARGET_ALL_CPUS, .split_max = 1 }), EINVAL, "split_max");
	EXPECT_REFUSED_FIELD(grp_create_like((struct perfgrp_create){
		.target = PERFGRP_TARGET_ALL_CPUS, .split_depth = 1 }), EINVAL, "split_depth");
	EXPECT_REFUSED(split_like((struct perfgrp_create){ .target_fd = -1 }), EBADF, CGROUP);
	REQUIRE(pipe(pipes) == 0);
	EXPECT_REFUSED(split_like((struct perfgrp_create){ .target_fd = pipes[0] }), EBADF, CGROUP);
	fd = open("/", O_RDONLY | O_CLOEXEC);
	EXPECT_REFUSED(split_like((struct perfgrp_create){ .target_fd = fd }), EBADF, CGROUP);

	fd = split_like((struct perfgrp_create){
		.target_fd = base.fd, .split_depth = 0xffffffff, .split_max = PERFGRP_SPLIT_MAX });
	REQUIRE_GE(fd, 0);
	EXPECT_REFUSED_FIELD(grp_add_counters(fd, &sampled, 1), EINVAL, "sample_period");
	if (grp_info().features & PERFGRP_FEATURE_KFUNC)
		EXPECT_REFUSED(grp_ioctl(fd, PERFGRP_GET_BPF_HANDLE, &handle), EOPNOTSUPP, FEATURE);
	cgroup_remove(&base);
	EXPECT_REFUSED(split_like((struct perfgrp_create){ .target_fd = base.fd }), ENOENT, CGROUP);
	/* The existing group continues; there are no cgroups below its directory any more. */
	add_faults(fd);
	take_totals(fd);
	take_totals(fd);
	EXPECT_EQ(snap.row[0].flags, PERFGRP_ROW_TOTAL | PERFGRP_ROW_EXITED);
}

TEST(capability, "C10 A2: it takes CAP_PERFMON, and no more")
{
	struct child child;
	struct cgroup a;
	int fd;

	arrange();
	a = cgroup_make("a");
	child = child_in(&a);
	keep_caps(1ULL << CAP_PERFMON);
	fd = split_base(0, 0);
	add_faults(fd);
	child_do_all(&child, ORDER_FAULT, 10);
	take_totals(fd);
	EXPECT_EQ(raw_of(&a), 10);
	keep_caps(0);
	EXPECT_REFUSED(split_like((struct perfgrp_create){ .target_fd = base.fd }), EACCES,
		       PRIVILEGE);
}

/* ---- C15: hotplug, and removal under load --------------------------------------------- */

TEST(hotplug, "C15 G19: a CPU goes and comes back, and nothing is lost or charged twice")
{
	struct cgroup a, b;
	struct child child;
	__u64 sum;
	int fd;

	arrange();
	if (cpus.nr <= CPU || cpu_set_online(CPU, true))
		skip("no CPU can go off line");
	a = cgroup_make("a");
	b = cgroup_make("b");
	child = child_in_on(&a, CPU);
	fd = split_base(0, 0);
	add_faults(fd);
	child_do_all(&child, ORDER_FAULT, 10);
	REQUIRE_EQ(cpu_set_online(CPU, false), 0);
	REQUIRE_EQ(take(fd, 0), 0);
	EXPECT_EQ(find_row(cgroup_ino(&a), 0, CPU)->flags, PERFGRP_ROW_OFFLINE);
	EXPECT_EQ(snap.value[find_row(cgroup_ino(&a), 0, CPU)->first_value].raw, 10);
	sum = sum_of(CPU, 0).raw;
	/* No count has become negative, either. */
	EXPECT_GE(sum, 10);
	EXPECT_LT(sum, 1000000);
	EXPECT_LT(snap.value[find_row(0, PERFGRP_ROW_OUTSIDE, CPU)->first_value].raw, 1000000);
	take_totals(fd);
	EXPECT_EQ(raw_of(&a), 10);
	/* The child was moved to another CPU. */
	child_do_all(&child, ORDER_FAULT, 20);
	cgroup_enter(&b, child.pid);
	wait_until_asleep(child.pid);
	child_do_all(&child, ORDER_FAULT, 40);
	REQUIRE_EQ(take(fd, 0), 0);
	EXPECT_EQ(sum_of(CPU, 0).raw, sum);
	REQUIRE_EQ(cpu_set_online(CPU, true), 0);
	EXPECT(BECOMES_TRUE((take(fd, 0),
			     !(find_row(cgroup_ino(&a), 0, CPU)->flags & PERFGRP_ROW_OFFLINE)),
			    5000));
	EXPECT_EQ(find_row(cgroup_ino(&a), 0, CPU)->epoch, 1);
	child_do_all(&child, ORDER_RUN_ON, CPU);
	child_do_all(&child, ORDER_FAULT, 80);
	take_totals(fd);
	EXPECT_EQ(raw_of(&a), 30);
	EXPECT_EQ(raw_of(&b), 120);
}

static atomic_bool stop;
static atomic_ulong faulted;

/*
 * Makes cgroups, runs a child that faults in each, and removes them. Not on the CPU that goes
 * offline and online: it runs tasks before the worker has created events there.
 */
static void *churn(void *arg)
{
	unsigned long n = (unsigned long)arg, i;
	struct cgroup cg;
	struct child child;
	char name[32];

	for (i = 0; !atomic_load(&stop); i++) {
		snprintf(name, sizeof(name), "churn%lu-%lu", n, i);
		cg = cgroup_make(name);
		child = child_in_on(&cg, cpus.cpu[0]);
		child_do_all(&child, ORDER_FAULT, 10);
		atomic_fetch_add(&faulted, 10);
		child_exit(&child);
		child_reap(&child);
		cgroup_remove(&cg);
		close(cg.fd);
	}
	return NULL;
}

static void *snapshots(void *arg)
{
	struct perfgrp_snapshot small = { .size = sizeof(small), .row_size = sizeof(snap.row[0]),
					  .value_size = sizeof(snap.value[0]) };
	int fd = *(int *)arg;

	while (!atomic_load(&stop)) {
		small.nr_rows = 0;
		small.nr_values = 0;
		small.rows = 0;
		small.values = 0;
		if (grp_ioctl(fd, PERFGRP_SNAPSHOT, &small) != -EMSGSIZE)
			fail("a snapshot without room was taken");
	}
	return NULL;
}

TEST(offline_at_creation, "C15 G19: a CPU that was not there at CREATE has rows once it is online")
{
	enum { SPECIALS = 4 };
	int fd;

	arrange();
	if (cpus.nr <= CPU || cpu_set_online(CPU, true))
		skip("no CPU can go off line");
	REQUIRE_EQ(cpu_set_online(CPU, false), 0);
	fd = split_base(0, 0);
	add_faults(fd);
	REQUIRE_EQ(take(fd, 0), 0);
	EXPECT_EQ(snap.hdr.nr_rows, SPECIALS * (cpus.nr - 1));
	EXPECT(!find_row(0, PERFGRP_ROW_OUTSIDE, CPU));
	REQUIRE_EQ(cpu_set_online(CPU, true), 0);
	EXPECT(BECOMES_TRUE((take(fd, 0), snap.hdr.nr_rows == SPECIALS * cpus.nr), 5000));
	EXPECT(find_row(0, PERFGRP_ROW_OUTSIDE, CPU));
}

TEST(storm, "C15 C10: cgroups come and go while snapshots are taken and CPUs come and go")
{
	pthread_t thread[4];
	unsigned long i;
	__u64 sum;
	int fd, two;

	arrange();
	fd = split_base(0, 0);
	add_faults(fd);
	/* Another group with few places, so that rows are reused, and some cgroups get none. */
	two = split_base(0, 3);
	add_faults(two);
	for (i = 0; i < 3; i++)
		REQUIRE(pthread_create(&thread[i], NULL, churn, (void *)i) == 0);
	REQUIRE(pthread_create(&thread[3], NULL, snapshots, &fd) == 0);
	for (i = 0; i < rounds(60); i++) {
		take_totals(fd);
		take_totals(two);
		if (cpus.nr > CPU && i % 8 == 4)
			cpu_set_online(CPU, i % 16 == 12);
		nap_ns(10000000);
	}
	if (cpus.nr > CPU)
		cpu_set_online(CPU, true);
	atomic_store(&stop, true);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	/* All faults are in rows of removed cgroups; pages touched on exit add some. */
	take_totals(fd);
	sum = sum_of(-1, 0).raw - raw_of(&base) - special(PERFGRP_ROW_OUTSIDE)->raw;
	EXPECT_GE(sum, atomic_load(&faulted));
	EXPECT_LE(sum, atomic_load(&faulted) * 14 / 10);
	EXPECT_EQ(special(PERFGRP_ROW_OVERFLOW)->raw, 0);
	take_totals(two);
	EXPECT_GE(sum_of(-1, 0).raw - raw_of(&base) - special(PERFGRP_ROW_OUTSIDE)->raw,
		  atomic_load(&faulted));
}

TEST(close_under_load, "C15 C13: groups are created and closed while tasks of cgroups take turns")
{
	struct child child[2];
	struct cgroup cg[2];
	unsigned int i;
	int fd;

	arrange();
	need_two_cpus();
	for (i = 0; i < 2; i++) {
		cg[i] = cgroup_make(i ? "b" : "a");
		child[i] = child_in_on(&cg[i], cpus.cpu[1]);
		child_tell(&child[i], ORDER_BURN, 1000000);
	}
	for (i = 0; i < rounds(100); i++) {
		fd = split_base(0, 0);
		REQUIRE_GT(grp_add(fd, PERFGRP_SW_CPU_CLOCK), 0);
		REQUIRE_GT(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), 0);
		take_totals(fd);
		close(fd);
	}
	for (i = 0; i < 2; i++)
		child_wait(&child[i]);
}

int main(int argc, char **argv)
{
	int ret = run_tests(argc, argv);

	if (is_cgroup2(cgroup_root))
		cgroups_sweep();
	return ret;
}
