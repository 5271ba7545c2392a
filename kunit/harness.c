// SPDX-License-Identifier: GPL-2.0
/*
 * What the suites share; see harness.h.
 *
 * Cases run one after the other, each in its own kthread, so what a case creates is kept in
 * plain static arrays. harness_exit() releases it even if an assertion ended the case. No
 * function here may assert while it holds a group's lock.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hw_breakpoint.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include "../module/away.h"
#include "../module/control.h"
#include "../module/error.h"
#include "../module/group.h"
#include "../module/group_create.h"
#include "../module/mapped.h"
#include "../module/member.h"
#include "../module/records.h"
#include "../module/sampling.h"
#include "../module/snapshot.h"
#include "harness.h"

#define SLOTS 8

static struct perfgrp_group *groups[8];
static struct perf_event *events[8];
static struct fake_pmu *pmus[4];

/* ---- memory of a process ------------------------------------------------- */

/* The process that loads this module; its init function returns when all suites have run. */
static struct mm_struct *user_mm;
static unsigned long user_memory;

int harness_suite_init(struct kunit_suite *suite)
{
	user_mm = get_task_mm(current);
	if (!user_mm)
		return -ESRCH;
	user_memory = vm_mmap(NULL, 0, HARNESS_USER_SIZE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (!IS_ERR_VALUE(user_memory))
		return 0;
	mmput(user_mm);
	return (int)user_memory;
}

void harness_suite_exit(struct kunit_suite *suite)
{
	if (!user_mm)
		return;
	vm_munmap(user_memory, HARNESS_USER_SIZE);
	mmput(user_mm);
	user_mm = NULL;
}

/* No assertion between these two: the case would end with the mm in use. */
void __user *harness_user_begin(void)
{
	kthread_use_mm(user_mm);
	return (void __user *)user_memory;
}

void harness_user_end(void)
{
	kthread_unuse_mm(user_mm);
}

/* ---- groups -------------------------------------------------------------- */

struct perfgrp_error harness_error(void)
{
	return (struct perfgrp_error)PERFGRP_ERROR_INIT;
}

/* As device.c does: check first, then create a group on a mask of the given CPUs. */
static struct perfgrp_group *check_and_create(const struct perfgrp_create *arg, const u32 *cpus,
					      struct perfgrp_error *err)
{
	struct perfgrp_group *group;
	cpumask_var_t mask;
	unsigned int i;
	int ret;

	ret = perfgrp_group_check(arg, err);
	if (ret)
		return ERR_PTR(ret);
	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return ERR_PTR(-ENOMEM);
	for (i = 0; cpus && i < arg->nr_cpus; i++)
		cpumask_set_cpu(cpus[i], mask);
	group = perfgrp_group_create(arg, mask, err);
	free_cpumask_var(mask);
	return group;
}

/**
 * harness_create - create a group, as PERFGRP_CREATE does
 * @arg: the argument of PERFGRP_CREATE
 * @cpus: arg->nr_cpus CPUs, which exist; or NULL
 * @err: filled in on failure
 * @group: set to the group; harness_exit() drops it
 *
 * Return: 0 or a negative errno.
 */
int harness_create(const struct perfgrp_create *arg, const u32 *cpus, struct perfgrp_error *err,
		   struct perfgrp_group **group)
{
	struct perfgrp_group *created = check_and_create(arg, cpus, err);
	unsigned int i;

	if (IS_ERR(created))
		return PTR_ERR(created);

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		if (!groups[i]) {
			groups[i] = created;
			*group = created;
			return 0;
		}
	}
	perfgrp_group_put(created);
	return -ENFILE;
}

struct perfgrp_group *harness_group(struct kunit *test, u32 target, u32 flags)
{
	struct perfgrp_create arg = { .target = target, .flags = flags };
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group = NULL;

	KUNIT_ASSERT_EQ_MSG(test, harness_create(&arg, NULL, &err, &group), 0, "%s", err.text);
	return group;
}

struct perfgrp_group *harness_cpu_group(struct kunit *test, int cpu, u32 flags)
{
	struct perfgrp_create arg = {
		.target = PERFGRP_TARGET_CPUS,
		.flags = flags,
		.nr_cpus = 1,
	};
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group = NULL;
	u32 list = cpu;

	KUNIT_ASSERT_EQ_MSG(test, harness_create(&arg, &list, &err, &group), 0, "%s", err.text);
	return group;
}

/* An enabled group with a buffer, of two pages unless @arg says otherwise; the case reads it. */
struct perfgrp_group *harness_sampling_group(struct kunit *test, struct perfgrp_create arg,
					     const u32 *cpus)
{
	struct perfgrp_error err = harness_error();
	struct perfgrp_group *group = NULL;

	arg.flags |= PERFGRP_CREATE_ENABLED;
	if (!arg.buffer_size)
		arg.buffer_size = 2 * PAGE_SIZE;
	KUNIT_ASSERT_EQ_MSG(test, harness_create(&arg, cpus, &err, &group), 0, "%s", err.text);
	return group;
}

/* Have harness_exit() leave the group alone, because a file has its reference now. */
void harness_forget(struct perfgrp_group *group)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(groups); i++)
		if (groups[i] == group)
			groups[i] = NULL;
}

void harness_destroy(struct perfgrp_group *group)
{
	harness_forget(group);
	perfgrp_group_put(group);
}

/* ---- what the ioctls do -------------------------------------------------- */

int harness_add(struct perfgrp_group *group, struct perfgrp_counter *descs, unsigned int nr,
		struct perfgrp_error *err)
{
	int ret;

	down_write(&group->lock);
	ret = perfgrp_group_prepare_add(group, descs, nr, err);
	if (!ret)
		perfgrp_group_commit_add(group, nr);
	perfgrp_mapped_refresh(group);
	up_write(&group->lock);
	return ret;
}

/* Return: the member's id. */
u32 harness_add_one(struct kunit *test, struct perfgrp_group *group, struct perfgrp_counter desc)
{
	struct perfgrp_error err = harness_error();

	KUNIT_ASSERT_EQ_MSG(test, harness_add(group, &desc, 1, &err), 0, "%s", err.text);
	return desc.id;
}

static u32 watched[16];

/* Adds breakpoints until the CPUs have no more. Return: how many. */
unsigned int harness_add_breakpoints(struct perfgrp_group *group)
{
	struct perfgrp_error err = harness_error();
	struct perfgrp_counter desc;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(watched); i++) {
		desc = (struct perfgrp_counter){
			.flags = PERFGRP_COUNTER_RAW,
			.type = PERF_TYPE_BREAKPOINT,
			.config1 = (u64)(uintptr_t)&watched[i],
			.config2 = HW_BREAKPOINT_LEN_4,
			.bp_type = HW_BREAKPOINT_W,
		};
		if (harness_add(group, &desc, 1, &err))
			break;
	}
	return i;
}

int harness_remove(struct perfgrp_group *group, u32 id, bool cascade, struct perfgrp_error *err)
{
	int ret;

	down_write(&group->lock);
	ret = perfgrp_group_remove(group, id, cascade, err);
	up_write(&group->lock);
	return ret;
}

int harness_set_period(struct perfgrp_group *group, u32 id, u64 period, struct perfgrp_error *err)
{
	struct perfgrp_error own = harness_error();
	int ret;

	down_write(&group->lock);
	ret = perfgrp_group_set_period(group, id, period, err ?: &own);
	up_write(&group->lock);
	return ret;
}

int harness_enable(struct perfgrp_group *group, struct perfgrp_error *err)
{
	struct perfgrp_error own = harness_error();
	int ret;

	down_write(&group->lock);
	ret = perfgrp_group_enable(group, err ?: &own);
	up_write(&group->lock);
	return ret;
}

void harness_disable(struct perfgrp_group *group)
{
	struct perfgrp_error err = harness_error();

	down_write(&group->lock);
	perfgrp_group_disable(group, &err);
	up_write(&group->lock);
}

int harness_reset(struct perfgrp_group *group)
{
	struct perfgrp_error err = harness_error();
	struct perfgrp_snap snap;
	int ret;

	down_write(&group->lock);
	ret = perfgrp_snapshot_take(group, 0, 0, &snap, &err);
	if (!ret) {
		perfgrp_snapshot_reset(group, &snap);
		perfgrp_snapshot_free(&snap);
	}
	up_write(&group->lock);
	return ret;
}

int harness_snapshot(struct perfgrp_group *group, u32 flags, struct perfgrp_snap *snap)
{
	struct perfgrp_error err = harness_error();
	int ret;

	if (flags & PERFGRP_SNAPSHOT_RESET) {
		down_write(&group->lock);
		ret = perfgrp_snapshot_take(group, flags, 0, snap, &err);
		if (!ret)
			perfgrp_snapshot_reset(group, snap);
		up_write(&group->lock);
		return ret;
	}
	down_read(&group->lock);
	ret = perfgrp_snapshot_take(group, flags, 0, snap, &err);
	up_read(&group->lock);
	return ret;
}

/* Return: the row of @cpu; NULL if there is none. */
struct perfgrp_row *harness_row(struct perfgrp_snap *snap, int cpu)
{
	unsigned int i;

	for (i = 0; i < snap->nr_rows; i++)
		if (snap->rows[i].cpu == cpu)
			return &snap->rows[i];
	return NULL;
}

/* Takes a snapshot. Return: a copy of the value of member @id in the row of @cpu. */
struct perfgrp_value harness_value(struct kunit *test, struct perfgrp_group *group, int cpu, u32 id)
{
	struct perfgrp_value value = {};
	struct perfgrp_snap snap;
	struct perfgrp_row *row;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, harness_snapshot(group, 0, &snap), 0);
	row = harness_row(&snap, cpu);
	for (i = 0; row && i < row->nr_values; i++)
		if (snap.values[row->first_value + i].id == id)
			value = snap.values[row->first_value + i];
	perfgrp_snapshot_free(&snap);
	KUNIT_ASSERT_EQ_MSG(test, value.id, id, "no value of member %u on CPU %d", id, cpu);
	return value;
}

/* ---- records ------------------------------------------------------------- */

/* Does not wait. Return: as read(2). */
ssize_t harness_read(struct perfgrp_group *group, void *to, size_t room)
{
	void __user *user = harness_user_begin();
	ssize_t ret;

	ret = perfgrp_records_read(group->sampling->records, user, room, false);
	if (ret > 0 && copy_from_user(to, user, ret))
		ret = -EIO;
	harness_user_end();
	return ret;
}

/* Read all records. Return: the records, valid until the next call. */
const struct harness_stream *harness_read_stream(struct kunit *test, struct perfgrp_group *group)
{
	static struct harness_stream stream;
	const void *record = stream.bytes;
	const struct perf_event_header *header;
	ssize_t length;

	stream.nr = 0;
	length = harness_read(group, stream.bytes, sizeof(stream.bytes));
	if (length == -EAGAIN)
		return &stream;
	KUNIT_ASSERT_GT(test, length, (ssize_t)0);
	while (record < (void *)stream.bytes + length) {
		header = record;
		KUNIT_ASSERT_GE(test, (size_t)header->size, sizeof(*header));
		KUNIT_ASSERT_LT(test, stream.nr, (unsigned int)ARRAY_SIZE(stream.at));
		stream.at[stream.nr++] = header;
		record += header->size;
	}
	KUNIT_ASSERT_PTR_EQ(test, record, (const void *)stream.bytes + length);
	return &stream;
}

struct perfgrp_stream_stats harness_stats(struct perfgrp_group *group)
{
	struct perfgrp_stream_stats stats = {};

	perfgrp_records_get_stats(group->sampling->records, &stats);
	return stats;
}

/* ---- PMUs and events outside the module ----------------------------------- */

struct fake_pmu *harness_pmu(struct kunit *test, unsigned int slots, unsigned int rotation_ms)
{
	struct fake_pmu *fake;
	char name[16];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pmus) && pmus[i]; i++)
		;
	KUNIT_ASSERT_LT(test, i, (unsigned int)ARRAY_SIZE(pmus));
	snprintf(name, sizeof(name), "perfgrp_fake%u", i);
	fake = fake_pmu_create(name, slots, rotation_ms);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, fake);
	pmus[i] = fake;
	return fake;
}

/* Return: an event that @kinds[0] counts on CPU 0, and @kinds[1] on the other CPUs. */
struct perfgrp_counter harness_two_kinds(struct kunit *test, struct fake_pmu *kinds[2])
{
	static struct cpumask others;

	cpumask_andnot(&others, cpu_online_mask, cpumask_of(0));
	kinds[0] = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	kinds[0]->cpus = cpumask_of(0);
	kinds[1] = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	kinds[1]->cpus = &others;
	return (struct perfgrp_counter){
		.flags = PERFGRP_COUNTER_RAW,
		.type = PERF_TYPE_RAW,
		.config = FAKE_TICKS(1),
		.config1 = FAKE_RAW,
	};
}

/* An event outside the module, disabled. */
struct perf_event *harness_event(struct kunit *test, struct perf_event_attr *attr, int cpu,
				 perf_overflow_handler_t handler, void *context)
{
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events) && events[i]; i++)
		;
	KUNIT_ASSERT_LT(test, i, (unsigned int)ARRAY_SIZE(events));
	attr->size = sizeof(*attr);
	attr->disabled = 1;
	event = perf_event_create_kernel_counter(attr, cpu, NULL, handler, context);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	events[i] = event;
	return event;
}

struct perf_event *harness_fake_event(struct kunit *test, struct fake_pmu *fake, u64 config,
				      int cpu, bool pinned)
{
	struct perf_event_attr attr = {
		.type = fake->pmu.type,
		.config = config,
		.pinned = pinned,
	};

	return harness_event(test, &attr, cpu, NULL, NULL);
}

/* Bind the case to @cpu. */
void harness_pin_to(struct kunit *test, int cpu)
{
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
	KUNIT_ASSERT_EQ(test, (int)raw_smp_processor_id(), cpu);
}

void harness_expect_refused(struct kunit *test, int line, long ret, int error, u32 reason,
			    const char *field, const struct perfgrp_error *err)
{
	size_t length = strnlen(err->text, sizeof(err->text));

	KUNIT_EXPECT_EQ_MSG(test, ret, (long)-error, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, err->error, error, "line %d", line);
	KUNIT_EXPECT_EQ_MSG(test, err->reason, reason, "line %d: %s", line, err->text);
	KUNIT_EXPECT_STREQ_MSG(test, err->field, field, "line %d", line);
	KUNIT_EXPECT_GT_MSG(test, length, (size_t)0, "line %d", line);
	KUNIT_EXPECT_LT_MSG(test, length, sizeof(err->text), "line %d", line);
	KUNIT_EXPECT_NULL_MSG(test, strchr(err->text, '\n'), "line %d", line);
}

void harness_expect_text(struct kunit *test, int line, const struct perfgrp_error *err,
			 const char *part)
{
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(err->text, part), "line %d: no \"%s\" in \"%s\"",
				  line, part, err->text);
}

/* Release what the case has created, however it ended. */
void harness_exit(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		if (groups[i])
			perfgrp_group_put(groups[i]);
		groups[i] = NULL;
	}
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (events[i])
			perf_event_release_kernel(events[i]);
		events[i] = NULL;
	}
	/* Before 6.2 PMUs share their contexts with this one: see find_pmu_context(). */
	perfgrp_away_exit();
	for (i = 0; i < ARRAY_SIZE(pmus); i++) {
		if (pmus[i])
			fake_pmu_destroy(pmus[i]);
		pmus[i] = NULL;
	}
}
