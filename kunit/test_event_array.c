// SPDX-License-Identifier: GPL-2.0
/*
 * Event arrays: what lockless readers see of a group, and for how long.
 */
#include <linux/bpf.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "../module/bpf.h"
#include "../module/clock.h"
#include "../module/event_array.h"
#include "../module/group.h"
#include "../module/tracepoint.h"
#include "harness.h"
#include "suites.h"

#define SLOTS 8

static const u32 cpus[] = { 0, 1 };

/* The published array. The case holds the only reference, so it is valid until a change. */
static const struct perfgrp_event_array *array_of(const struct perfgrp_group *group,
						  unsigned int instance)
{
	const struct perfgrp_event_array *array;

	rcu_read_lock();
	array = perfgrp_event_array_get(group->event_arrays, instance);
	rcu_read_unlock();
	return array;
}

static struct perfgrp_member_instance *counter_of(const struct perfgrp_group *group,
						  unsigned int member)
{
	return &group->members[member]->instances[0];
}

static void publish(struct perfgrp_group *group)
{
	down_write(&group->lock);
	perfgrp_event_arrays_publish(group);
	up_write(&group->lock);
}

static struct perfgrp_group *sampling_group(struct kunit *test, u32 nr_cpus)
{
	const struct perfgrp_create arg = { .target = PERFGRP_TARGET_CPUS, .nr_cpus = nr_cpus };

	if (nr_cpus > 1 && !cpu_online(1))
		kunit_skip(test, "one CPU only");
	harness_pin_to(test, 0);
	return harness_sampling_group(test, arg, cpus);
}

/* ---- what is there --------------------------------------------------------- */

/* The array has each member's event and numbers, leader first. */
static void expect_members(struct kunit *test, int line, struct perfgrp_group *group)
{
	const struct perfgrp_event_array_entry *entry;
	const struct perfgrp_member_instance *counter;
	const struct perfgrp_event_array *array;
	unsigned int i, m;
	bool filters = false;

	for (i = 0; i < group->nr_instances; i++) {
		array = array_of(group, i);
		KUNIT_ASSERT_EQ_MSG(test, array->nr, group->nr_members, "line %d", line);
		for (m = 0; m < array->nr; m++) {
			entry = &array->entries[m];
			counter = &group->members[m]->instances[i];
			KUNIT_EXPECT_EQ_MSG(test, entry->id, group->members[m]->id, "line %d",
					    line);
			KUNIT_EXPECT_TRUE_MSG(test, entry->event, "line %d", line);
			KUNIT_EXPECT_TRUE_MSG(test, entry->event == counter->event, "line %d",
					      line);
			KUNIT_EXPECT_EQ_MSG(test, entry->event->cpu, group->instances[i].cpu,
					    "line %d", line);
			KUNIT_EXPECT_TRUE_MSG(test,
					      entry->overflow_state == &counter->overflow_state,
					      "line %d", line);
			KUNIT_EXPECT_EQ_MSG(test, entry->base.count, counter->base.count,
					    "line %d", line);
			KUNIT_EXPECT_EQ_MSG(test, entry->base.enabled, counter->base.enabled,
					    "line %d", line);
			KUNIT_EXPECT_EQ_MSG(test, entry->base.running, counter->base.running,
					    "line %d", line);
			KUNIT_EXPECT_EQ_MSG(test, entry->pmu, counter->pmu, "line %d", line);
			KUNIT_EXPECT_EQ_MSG(test, entry->sched_group, counter->sched_group,
					    "line %d", line);
			KUNIT_EXPECT_EQ_MSG(test, entry->min_delta,
					    group->members[m]->desc.min_delta, "line %d", line);
			filters |= entry->min_delta;
		}
		KUNIT_EXPECT_EQ_MSG(test, array->filters, filters, "line %d", line);
	}
}

#define EXPECT_MEMBERS(test, group) expect_members(test, __LINE__, group)

/* [O3] [O11] [S4] Every change of the group is published: additions, removals and resets. */
static void follows_the_members(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = sampling_group(test, 2);
	struct perfgrp_counter filter = FAKE(fake, FAKE_TICKS(5));
	struct perfgrp_error err = harness_error();
	u32 ids[4];

	KUNIT_EXPECT_EQ(test, array_of(group, 0)->nr, 0U);
	KUNIT_EXPECT_EQ(test, array_of(group, 1)->nr, 0U);
	ids[0] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(1)));
	EXPECT_MEMBERS(test, group);
	ids[1] = harness_add_one(test, group, FAKE(fake, FAKE_TICKS(2)));
	EXPECT_MEMBERS(test, group);
	KUNIT_EXPECT_FALSE(test, array_of(group, 0)->filters);
	filter.min_delta = 9;
	ids[2] = harness_add_one(test, group, filter);
	ids[3] = harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	EXPECT_MEMBERS(test, group);
	KUNIT_EXPECT_TRUE(test, array_of(group, 0)->filters);
	KUNIT_EXPECT_TRUE(test, array_of(group, 1)->filters);

	fake_pmu_tick(fake, 10);
	KUNIT_ASSERT_EQ(test, harness_reset(group), 0);
	EXPECT_MEMBERS(test, group);
	KUNIT_EXPECT_EQ(test, array_of(group, 0)->entries[0].base.count, -10ULL);
	KUNIT_EXPECT_EQ(test, array_of(group, 1)->entries[2].base.count, -50ULL);

	KUNIT_ASSERT_EQ_MSG(test, harness_remove(group, ids[2], false, &err), 0, "%s", err.text);
	EXPECT_MEMBERS(test, group);
	KUNIT_EXPECT_FALSE(test, array_of(group, 0)->filters);
	KUNIT_ASSERT_EQ_MSG(test, harness_remove(group, ids[0], true, &err), 0, "%s", err.text);
	KUNIT_EXPECT_EQ(test, array_of(group, 0)->nr, 0U);
	KUNIT_EXPECT_EQ(test, array_of(group, 1)->nr, 0U);
}

/* [S1] A group that needs no event arrays has none. */
static void only_where_needed(struct kunit *test)
{
	struct perfgrp_group *group = harness_cpu_group(test, 0, PERFGRP_CREATE_ENABLED);
	struct perfgrp_event_arrays *arrays;
	int ret;

	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	KUNIT_EXPECT_NULL(test, group->event_arrays);
	publish(group);
	down_write(&group->lock);
	ret = perfgrp_event_arrays_create(group);
	up_write(&group->lock);
	KUNIT_ASSERT_EQ(test, ret, 0);
	EXPECT_MEMBERS(test, group);
	publish(group);
	EXPECT_MEMBERS(test, group);
	/* A second time changes nothing. */
	arrays = group->event_arrays;
	down_write(&group->lock);
	ret = perfgrp_event_arrays_create(group);
	up_write(&group->lock);
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_PTR_EQ(test, group->event_arrays, arrays);
	EXPECT_MEMBERS(test, group);
}

/* ---- readers --------------------------------------------------------------- */

/* [O10] [S10] A reader's array stays unchanged when the next one is published. */
static void old_and_new(struct kunit *test)
{
	struct perfgrp_group *group = sampling_group(test, 1);
	const struct perfgrp_event_array *arrays[3];
	struct perfgrp_count *base;
	unsigned int i;

	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	base = &counter_of(group, 0)->base;
	for (i = 0; i < ARRAY_SIZE(arrays); i++) {
		/* The set before the last one can be reused after its grace period. */
		synchronize_rcu();
		base->count = 100 + i;
		publish(group);
		arrays[i] = array_of(group, 0);
		KUNIT_EXPECT_EQ(test, arrays[i]->entries[0].base.count, 100ULL + i);
		if (i)
			KUNIT_EXPECT_EQ(test, arrays[i - 1]->entries[0].base.count, 99ULL + i);
	}
	KUNIT_EXPECT_PTR_NE(test, arrays[0], arrays[1]);
	KUNIT_EXPECT_PTR_EQ(test, arrays[0], arrays[2]);
	base->count = 0;
	publish(group);
}

/**
 * struct reader - a reader on another CPU that holds rcu_read_lock() until @leave, or for @ms
 * @group: the group that it reads
 * @ms: how long it stays at most
 * @leave: it may leave
 * @entered: it has the array
 * @leaving: it is about to leave
 * @left_at: when, by the group's clock
 * @first: the first base count that it has read
 * @last: the last base count that it has read
 */
struct reader {
	struct perfgrp_group *group;
	unsigned int ms;
	bool leave;
	bool entered;
	bool leaving;
	u64 left_at;
	u64 first;
	u64 last;
};

static int read_slowly(void *data)
{
	const struct perfgrp_event_array *array;
	struct reader *reader = data;
	ktime_t end = ktime_add_ms(ktime_get(), reader->ms);

	rcu_read_lock();
	array = perfgrp_event_array_get(reader->group->event_arrays, 0);
	reader->first = READ_ONCE(array->entries[0].base.count);
	/* Pairs with the load in leaves_readers_alone(). */
	smp_store_release(&reader->entered, true);
	while (!READ_ONCE(reader->leave) && ktime_before(ktime_get(), end))
		cpu_relax();
	reader->last = READ_ONCE(array->entries[0].base.count);
	reader->left_at = perfgrp_clock_now(reader->group->clockid);
	/* Pairs with the load in leaves_readers_alone(). */
	smp_store_release(&reader->leaving, true);
	rcu_read_unlock();
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static struct task_struct *start_reader(struct kunit *test, struct reader *reader)
{
	struct task_struct *task = kthread_create(read_slowly, reader, "perfgrp_reader");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, 1);
	wake_up_process(task);
	/* Pairs with the store in read_slowly(). */
	while (!smp_load_acquire(&reader->entered))
		schedule_timeout_uninterruptible(1);
	return task;
}

static bool has_left(const struct reader *reader)
{
	/* Pairs with the store in read_slowly(). */
	return smp_load_acquire(&reader->leaving);
}

/* [O10] [S10] Publishing does not wait for readers, and their arrays stay unchanged. */
static void leaves_readers_alone(struct kunit *test)
{
	struct perfgrp_group *group = sampling_group(test, 1);
	struct reader reader = { .group = group, .ms = 5000 };
	struct task_struct *task;
	struct perfgrp_count *base;
	bool left;

	if (!cpu_online(1))
		kunit_skip(test, "one CPU only");
	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	base = &counter_of(group, 0)->base;
	base->count = 1;
	publish(group);
	synchronize_rcu();
	task = start_reader(test, &reader);

	base->count = 2;
	publish(group);
	base->count = 3;
	publish(group);
	base->count = 4;
	publish(group);
	left = has_left(&reader);
	WRITE_ONCE(reader.leave, true);
	kthread_stop(task);
	KUNIT_EXPECT_FALSE(test, left);
	KUNIT_EXPECT_EQ(test, reader.first, 1ULL);
	KUNIT_EXPECT_EQ(test, reader.last, 1ULL);
	KUNIT_EXPECT_EQ(test, array_of(group, 0)->entries[0].base.count, 4ULL);
	base->count = 0;
	publish(group);
}

/* A program that nothing runs, and that has a reference more than the attachment's. */
static struct perfgrp_attachment *idle_attachment(struct kunit *test)
{
	struct bpf_prog_aux *aux = kunit_kzalloc(test, sizeof(*aux), GFP_KERNEL);
	struct bpf_prog *prog = kunit_kzalloc(test, sizeof(*prog), GFP_KERNEL);
	struct perfgrp_attachment *attachment = kzalloc(sizeof(*attachment), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, aux);
	KUNIT_ASSERT_NOT_NULL(test, prog);
	KUNIT_ASSERT_NOT_NULL(test, attachment);
	atomic64_set(&aux->refcnt, 2);
	prog->aux = aux;
	attachment->prog = prog;
	return attachment;
}

static struct perfgrp_attachment *attach_idle(struct kunit *test, struct perfgrp_group *group)
{
	struct perfgrp_attachment *attachment = idle_attachment(test);

	group->members[0]->attachment = attachment;
	publish(group);
	return attachment;
}

/* Whether only the reference of idle_attachment() is left, or is soon. */
static bool is_dropped(const struct bpf_prog *prog)
{
	ktime_t end = ktime_add_ms(ktime_get(), 10000);

	while (atomic64_read(&prog->aux->refcnt) > 1 && ktime_before(ktime_get(), end))
		schedule_timeout_uninterruptible(1);
	return atomic64_read(&prog->aux->refcnt) == 1;
}

/*
 * [B5] [O16] REMOVE and close do not wait, with the lock held, for handlers that may run the
 * program. Who drops the program does.
 */
static void drops_programs_later(struct kunit *test)
{
	struct perfgrp_group *removed = sampling_group(test, 1), *closed;
	struct reader reader = { .group = removed, .ms = 3000 };
	struct perfgrp_attachment *attachment, *detached;
	struct perfgrp_error err = harness_error();
	struct bpf_prog *progs[2];
	struct task_struct *task;
	bool left;
	u32 id;

	if (!IS_ENABLED(CONFIG_BPF_SYSCALL))
		kunit_skip(test, "this kernel has no BPF programs");
	if (!cpu_online(1))
		kunit_skip(test, "one CPU only");
	id = harness_add_one(test, removed, EVENT(PERFGRP_SW_DUMMY));
	attachment = attach_idle(test, removed);
	progs[0] = attachment->prog;
	closed = sampling_group(test, 1);
	harness_add_one(test, closed, EVENT(PERFGRP_SW_DUMMY));
	progs[1] = attach_idle(test, closed)->prog;
	synchronize_rcu();
	task = start_reader(test, &reader);

	KUNIT_EXPECT_EQ(test, harness_remove(removed, id, false, &err), 0);
	down_write(&removed->lock);
	detached = perfgrp_bpf_take_detached(removed);
	up_write(&removed->lock);
	harness_destroy(closed);
	left = has_left(&reader);
	perfgrp_bpf_drop_detached(removed, detached);
	KUNIT_EXPECT_TRUE(test, has_left(&reader));
	kthread_stop(task);
	KUNIT_EXPECT_PTR_EQ(test, detached, attachment);
	/* With PREEMPT_RT the perf core itself waits for readers when it releases an event. */
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		KUNIT_EXPECT_FALSE(test, left);
	KUNIT_EXPECT_TRUE(test, is_dropped(progs[0]));
	KUNIT_EXPECT_TRUE(test, is_dropped(progs[1]));
}

/*
 * [B4] [B5] [B11] DETACH and REPLACE wait for handlers that may run the program, without the lock.
 * DETACH is recorded after that.
 */
static void drops_programs_of_the_living(struct kunit *test)
{
	struct perfgrp_group *group = sampling_group(test, 1);
	struct reader reader = { .group = group, .ms = 2000 };
	const struct perfgrp_record_bpf_attach *record;
	struct perfgrp_attachment *attachment, *old;
	struct perfgrp_error err = harness_error();
	const struct harness_stream *stream;
	struct bpf_prog *progs[2];
	struct task_struct *task;
	bool left;
	int ret;

	if (!IS_ENABLED(CONFIG_BPF_SYSCALL))
		kunit_skip(test, "this kernel has no BPF programs");
	if (!cpu_online(1))
		kunit_skip(test, "one CPU only");
	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	/* Programs are for members that overflow. */
	group->members[0]->desc.sample_period = 1;
	old = attach_idle(test, group);
	attachment = idle_attachment(test);
	progs[0] = old->prog;
	progs[1] = attachment->prog;
	synchronize_rcu();
	task = start_reader(test, &reader);
	down_write(&group->lock);
	ret = perfgrp_bpf_replace(group, &(struct perfgrp_bpf_attach){
		.id = group->members[0]->id }, &attachment, &err);
	up_write(&group->lock);
	left = has_left(&reader);
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_PTR_EQ(test, attachment, old);
	perfgrp_bpf_drop(attachment);
	KUNIT_EXPECT_TRUE(test, has_left(&reader));
	kthread_stop(task);
	KUNIT_EXPECT_FALSE(test, left);
	KUNIT_EXPECT_TRUE(test, is_dropped(progs[0]));

	reader = (struct reader){ .group = group, .ms = 2000 };
	task = start_reader(test, &reader);
	down_write(&group->lock);
	ret = perfgrp_bpf_detach(group, &(struct perfgrp_bpf_detach){
		.id = group->members[0]->id }, &err);
	attachment = perfgrp_bpf_take_detached(group);
	up_write(&group->lock);
	left = has_left(&reader);
	KUNIT_EXPECT_EQ(test, ret, 0);
	perfgrp_bpf_drop_detached(group, attachment);
	KUNIT_EXPECT_TRUE(test, has_left(&reader));
	kthread_stop(task);
	KUNIT_EXPECT_FALSE(test, left);
	KUNIT_EXPECT_TRUE(test, is_dropped(progs[1]));

	stream = harness_read_stream(test, group);
	KUNIT_ASSERT_EQ(test, stream->nr, 2U);
	record = (const struct perfgrp_record_bpf_attach *)stream->at[1];
	KUNIT_ASSERT_EQ(test, record->header.type, (u32)PERFGRP_RECORD_BPF_DETACH);
	KUNIT_EXPECT_GE(test, record->sample_id.time, reader.left_at);
}

/*
 * [B4] With precise_ip the kernel's functions read stacks from a sample's call chain, and fail
 * without one. So a program that calls them is refused, also one that replaces another.
 */
static void precise_needs_callchain(struct kunit *test)
{
	struct perfgrp_group *group = sampling_group(test, 1);
	struct perfgrp_attachment *old, *attachment, *refused;
	struct perfgrp_error err = harness_error();
	const struct bpf_prog *prog;
	unsigned int precise;
	u32 id;

	if (!IS_ENABLED(CONFIG_BPF_SYSCALL))
		kunit_skip(test, "this kernel has no BPF programs");
	id = harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	group->members[0]->desc.sample_period = 1;
	attachment = idle_attachment(test);
	attachment->prog->call_get_stack = 1;
	refused = attachment;
	for (precise = 1; precise <= 3; precise++) {
		group->members[0]->attr.precise_ip = precise;
		down_write(&group->lock);
		EXPECT_REFUSED(test, perfgrp_bpf_attach(group, &(struct perfgrp_bpf_attach){
			.id = id }, &attachment, &err), EPROTO, PERFGRP_REASON_BPF_CALLCHAIN,
			"prog_fd", err);
		up_write(&group->lock);
		KUNIT_EXPECT_NULL(test, group->members[0]->attachment);
	}
	old = attach_idle(test, group);
	down_write(&group->lock);
	EXPECT_REFUSED(test, perfgrp_bpf_replace(group, &(struct perfgrp_bpf_attach){ .id = id },
						 &attachment, &err),
		       EPROTO, PERFGRP_REASON_BPF_CALLCHAIN, "prog_fd", err);
	up_write(&group->lock);
	KUNIT_EXPECT_PTR_EQ(test, group->members[0]->attachment, old);
	KUNIT_EXPECT_PTR_EQ(test, attachment, refused);
	prog = old->prog;
	harness_destroy(group);
	KUNIT_EXPECT_TRUE(test, is_dropped(prog));

	/* Call chains without the kernel's part will not do either. */
	prog = attachment->prog;
	group = sampling_group(test, 1);
	id = harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	group->members[0]->desc.sample_period = 1;
	group->members[0]->attr.precise_ip = 1;
	group->members[0]->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	group->members[0]->attr.exclude_callchain_kernel = 1;
	down_write(&group->lock);
	EXPECT_REFUSED(test, perfgrp_bpf_attach(group, &(struct perfgrp_bpf_attach){
		.id = id }, &attachment, &err), EPROTO, PERFGRP_REASON_BPF_CALLCHAIN,
		"prog_fd", err);
	group->members[0]->attr.exclude_callchain_kernel = 0;
	KUNIT_EXPECT_EQ(test, perfgrp_bpf_attach(group, &(struct perfgrp_bpf_attach){ .id = id },
						 &attachment, &err), 0);
	up_write(&group->lock);
	harness_destroy(group);
	KUNIT_EXPECT_TRUE(test, is_dropped(prog));

	/* A program that reads no stack needs none. */
	group = sampling_group(test, 1);
	id = harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	group->members[0]->desc.sample_period = 1;
	group->members[0]->attr.precise_ip = 1;
	attachment = idle_attachment(test);
	prog = attachment->prog;
	down_write(&group->lock);
	KUNIT_EXPECT_EQ(test, perfgrp_bpf_attach(group, &(struct perfgrp_bpf_attach){ .id = id },
						 &attachment, &err), 0);
	up_write(&group->lock);
	harness_destroy(group);
	KUNIT_EXPECT_TRUE(test, is_dropped(prog));
}

static void on_rmdir(void *data, struct cgroup *cgroup, const char *path)
{
}

/*
 * [O16] [M7] [C14] The last user of a tracepoint's handler unregisters it, and does not wait for
 * handlers that run.
 */
static void puts_handlers_without_waiting(struct kunit *test)
{
	static struct perfgrp_tracepoint rmdir = { .name = "cgroup_rmdir", .handler = on_rmdir };
	struct perfgrp_group *group = sampling_group(test, 1);
	struct reader reader = { .group = group, .ms = 5000 };
	struct task_struct *task;
	bool left;

	if (!cpu_online(1))
		kunit_skip(test, "one CPU only");
	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	KUNIT_ASSERT_TRUE(test, perfgrp_tracepoint_get(&rmdir));
	KUNIT_EXPECT_TRUE(test, perfgrp_tracepoint_get(&rmdir));
	perfgrp_tracepoint_put(&rmdir);
	KUNIT_EXPECT_NOT_NULL(test, rmdir.registered);
	synchronize_rcu();
	task = start_reader(test, &reader);

	perfgrp_tracepoint_put(&rmdir);
	left = has_left(&reader);
	WRITE_ONCE(reader.leave, true);
	kthread_stop(task);
	KUNIT_EXPECT_FALSE(test, left);
	KUNIT_EXPECT_NULL(test, rmdir.registered);
}

/*
 * [A6] Publishing does wait for readers if too much memory cannot be freed because of them. [O16]
 * Once it has waited that memory is free, and it does not wait again until there is as much.
 */
static void waits_with_much_memory(struct kunit *test)
{
	struct perfgrp_group *group = sampling_group(test, 1);
	struct perfgrp_event_array_set *set;
	unsigned long max = PERFGRP_EVENT_ARRAYS_RETIRED_MAX / struct_size(set, arrays, 1), nr;
	struct task_struct *task;
	struct reader reader;
	unsigned int i;

	if (!cpu_online(1))
		kunit_skip(test, "one CPU only");
	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	for (i = 0; i < 2; i++) {
		synchronize_rcu();
		reader = (struct reader){ .group = group, .ms = 2000 };
		task = start_reader(test, &reader);
		for (nr = 0; !has_left(&reader); nr++)
			publish(group);
		kthread_stop(task);
		/* One set is the spare, and publishing the last one waits. */
		KUNIT_EXPECT_LE(test, nr, max + 2);
		KUNIT_EXPECT_GT(test, nr, 2UL);
		kunit_info(test, "%lu published of %lu", nr, max);
	}
}

/* ---- the state of overflows ------------------------------------------------ */

/*
 * [O11] [O8] A new event and a reset set overflow_state.last so that the next comparison is with
 * zero; other changes keep it. Only a new event clears overflow_state.throttled.
 */
static void overflow_state(struct kunit *test)
{
	struct fake_pmu *fake = harness_pmu(test, SLOTS, FAKE_NO_ROTATION);
	struct perfgrp_group *group = sampling_group(test, 1);
	struct perfgrp_counter desc = FAKE(fake, FAKE_TICKS(1));
	struct perfgrp_error err = harness_error();
	struct perfgrp_overflow_state *state;
	const struct perf_event *event;
	u32 leader;

	desc.sample_period = 1000;
	harness_add_one(test, group, EVENT(PERFGRP_SW_DUMMY));
	leader = harness_add_one(test, group, desc);
	harness_add_one(test, group, desc);
	state = &counter_of(group, 2)->overflow_state;
	KUNIT_EXPECT_PTR_EQ(test, state->event, counter_of(group, 2)->event);
	KUNIT_EXPECT_EQ(test, state->last, 0ULL);
	KUNIT_EXPECT_FALSE(test, state->throttled);

	/* As a handler would leave it. */
	state->last = 55;
	state->throttled = true;
	publish(group);
	KUNIT_EXPECT_EQ(test, state->last, 55ULL);
	KUNIT_EXPECT_TRUE(test, state->throttled);

	fake_pmu_tick(fake, 70);
	KUNIT_ASSERT_EQ(test, harness_reset(group), 0);
	KUNIT_EXPECT_EQ(test, state->last, 70ULL);
	KUNIT_EXPECT_EQ(test, state->base, -70ULL);
	KUNIT_EXPECT_TRUE(test, state->throttled);
	state->last = 80;
	publish(group);
	KUNIT_EXPECT_EQ(test, state->last, 80ULL);

	/* Its scheduling group's leader is removed, so it gets a new event, and keeps its count. */
	event = counter_of(group, 2)->event;
	fake_pmu_tick(fake, 5);
	KUNIT_ASSERT_EQ_MSG(test, harness_remove(group, leader, false, &err), 0, "%s", err.text);
	if (counter_of(group, 1)->event == event)
		kunit_skip(test, "this kernel's counters cannot be linked");
	KUNIT_EXPECT_PTR_EQ(test, state->event, counter_of(group, 1)->event);
	KUNIT_EXPECT_EQ(test, counter_of(group, 1)->base.count, 5ULL);
	/* The last record was made at a count of 80 - 70, of which the base has 5. */
	KUNIT_EXPECT_EQ(test, state->last, 5ULL);
	KUNIT_EXPECT_FALSE(test, state->throttled);
}

static struct kunit_case event_array_cases[] = {
	KUNIT_CASE(follows_the_members),
	KUNIT_CASE(only_where_needed),
	KUNIT_CASE(old_and_new),
	KUNIT_CASE(leaves_readers_alone),
	KUNIT_CASE(drops_programs_later),
	KUNIT_CASE(drops_programs_of_the_living),
	KUNIT_CASE(precise_needs_callchain),
	KUNIT_CASE(puts_handlers_without_waiting),
	KUNIT_CASE(waits_with_much_memory),
	KUNIT_CASE(overflow_state),
	{}
};

struct kunit_suite perfgrp_event_array_suite = {
	.name = "perfgrp_event_array",
	.suite_init = harness_suite_init,
	.suite_exit = harness_suite_exit,
	.exit = harness_exit,
	.test_cases = event_array_cases,
};
