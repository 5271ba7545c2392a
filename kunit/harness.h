/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites share: groups, events and PMUs that are released at the end of a case, and
 * a function for each ioctl, which does its work under the group's lock.
 *
 * The comment above a case begins with the rows of Documentation/behaviours.md that it covers,
 * in square brackets.
 */
#ifndef PERFGRP_HARNESS_H
#define PERFGRP_HARNESS_H

#include <kunit/test.h>

#include "../module/group.h"
#include "../module/snapshot.h"
#include "fake_pmu.h"

int harness_suite_init(struct kunit_suite *suite);
void harness_suite_exit(struct kunit_suite *suite);
void harness_exit(struct kunit *test);

/* Memory of a process, for the pointers that an ioctl takes. */
#define HARNESS_USER_SIZE (16 * PAGE_SIZE)
void __user *harness_user_begin(void);
void harness_user_end(void);

struct perfgrp_error harness_error(void);
int harness_create(const struct perfgrp_create *arg, const u32 *cpus, struct perfgrp_error *err,
		   struct perfgrp_group **group);
struct perfgrp_group *harness_group(struct kunit *test, u32 target, u32 flags);
struct perfgrp_group *harness_cpu_group(struct kunit *test, int cpu, u32 flags);
struct perfgrp_group *harness_sampling_group(struct kunit *test, struct perfgrp_create arg,
					     const u32 *cpus);
void harness_destroy(struct perfgrp_group *group);
void harness_forget(struct perfgrp_group *group);

int harness_add(struct perfgrp_group *group, struct perfgrp_counter *descs, unsigned int nr,
		struct perfgrp_error *err);
u32 harness_add_one(struct kunit *test, struct perfgrp_group *group, struct perfgrp_counter desc);
unsigned int harness_add_breakpoints(struct perfgrp_group *group);
int harness_remove(struct perfgrp_group *group, u32 id, bool cascade, struct perfgrp_error *err);
int harness_set_period(struct perfgrp_group *group, u32 id, u64 period, struct perfgrp_error *err);
int harness_enable(struct perfgrp_group *group, struct perfgrp_error *err);
void harness_disable(struct perfgrp_group *group);
int harness_reset(struct perfgrp_group *group);
int harness_snapshot(struct perfgrp_group *group, u32 flags, struct perfgrp_snap *snap);
struct perfgrp_row *harness_row(struct perfgrp_snap *snap, int cpu);
struct perfgrp_value harness_value(struct kunit *test, struct perfgrp_group *group, int cpu,
				   u32 id);

/**
 * struct harness_stream - records as read(2) returns them
 * @bytes: the data
 * @nr: number of records
 * @at: each of them
 */
struct harness_stream {
	u64 bytes[2048];
	unsigned int nr;
	const struct perf_event_header *at[256];
};

ssize_t harness_read(struct perfgrp_group *group, void *to, size_t room);
const struct harness_stream *harness_read_stream(struct kunit *test, struct perfgrp_group *group);
struct perfgrp_stream_stats harness_stats(struct perfgrp_group *group);

struct fake_pmu *harness_pmu(struct kunit *test, unsigned int slots, unsigned int rotation_ms);
struct perfgrp_counter harness_two_kinds(struct kunit *test, struct fake_pmu *kinds[2]);
struct perf_event *harness_event(struct kunit *test, struct perf_event_attr *attr, int cpu,
				 perf_overflow_handler_t handler, void *context);
struct perf_event *harness_fake_event(struct kunit *test, struct fake_pmu *fake, u64 config,
				      int cpu, bool pinned);
void harness_pin_to(struct kunit *test, int cpu);
void harness_expect_refused(struct kunit *test, int line, long ret, int error, u32 reason,
			    const char *field, const struct perfgrp_error *err);
void harness_expect_text(struct kunit *test, int line, const struct perfgrp_error *err,
			 const char *part);

/* A counter in the short form, and one of a fake PMU in the raw form. */
#define EVENT(constant) ((struct perfgrp_counter){ .event = (constant) })
#define FAKE(fake, what)                                                                           \
	((struct perfgrp_counter){                                                                 \
		.flags = PERFGRP_COUNTER_RAW,                                                      \
		.type = (fake)->pmu.type,                                                          \
		.config = (what),                                                                  \
	})

/* Expect that a call failed, and that its error has errno, reason, field, and one line of text. */
#define EXPECT_REFUSED(test, ret, error, reason, field, err)                                       \
	harness_expect_refused(test, __LINE__, ret, error, reason, field, &(err))

#define EXPECT_TEXT(test, err, part) harness_expect_text(test, __LINE__, &(err), part)

#endif /* PERFGRP_HARNESS_H */
