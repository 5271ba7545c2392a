/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A wrapper for each ioctl of <linux/perfgrp.h>. They return 0, a positive
 * fd or id, or -errno; the kernel's struct perfgrp_error for a failure is in
 * grp_error of the calling thread.
 */
#ifndef TESTS_GROUP_H
#define TESTS_GROUP_H

#include "machine.h"

#include <linux/perfgrp.h>

#define DEVICE		"/dev/perfgrp"
#define MODULE		"/sys/module/perfgrp"
#define MAX_ROWS	16
#define MAX_VALUES	(MAX_ROWS * 64)

static __thread struct perfgrp_error grp_error;

/* The fields that all arguments begin with. */
struct grp_head {
	__u32 size;
	__u32 flags;
	__aligned_u64 error;
};

static inline __u64 to_u64(const volatile void *p)
{
	return (uintptr_t)p;
}

/* The size and flags of ARG are set by the caller. */
static inline int grp_ioctl(int fd, unsigned long nr, void *arg)
{
	struct grp_head *head = arg;

	memset(&grp_error, 0, sizeof(grp_error));
	grp_error.size = sizeof(grp_error);
	head->error = to_u64(&grp_error);
	return ioctl(fd, nr, arg) < 0 ? -errno : 0;
}

/* ---- the device ------------------------------------------------------------- */

static inline int grp_device(void)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

	REQUIRE(fd >= 0);
	return fd;
}

static inline struct perfgrp_info grp_info(void)
{
	struct perfgrp_info info = { .size = sizeof(info) };
	int dev = grp_device();

	REQUIRE_EQ(grp_ioctl(dev, PERFGRP_GET_INFO, &info), 0);
	close(dev);
	return info;
}

static inline void need_feature(__u64 feature, const char *name)
{
	if (!(grp_info().features & feature))
		skip("the module has no %s", name);
}

#define NEED_FEATURE(name) need_feature(PERFGRP_FEATURE_##name, #name)

/* A group on the open device; fd or -errno. */
static inline int grp_create_on(int dev, __u32 flags, __u32 target, __s32 pid, const __u32 *cpus,
				__u32 nr_cpus)
{
	struct perfgrp_create create = {
		.size = sizeof(create),
		.flags = flags,
		.target = target,
		.pid = pid,
		.cpus = to_u64(cpus),
		.nr_cpus = nr_cpus,
		.fd = -1,
	};
	int ret = grp_ioctl(dev, PERFGRP_CREATE, &create);

	return ret ? ret : create.fd;
}

static inline int grp_create(__u32 flags, __u32 target, __s32 pid, const __u32 *cpus,
			     __u32 nr_cpus)
{
	int dev = grp_device();
	int ret = grp_create_on(dev, flags, target, pid, cpus, nr_cpus);

	close(dev);
	return ret;
}

static inline int grp_on_task(__u32 flags, pid_t pid)
{
	return grp_create(flags, PERFGRP_TARGET_TASK, pid, NULL, 0);
}

static inline int grp_on_task_cpu(__u32 flags, pid_t pid, __u32 cpu)
{
	return grp_create(flags, PERFGRP_TARGET_TASK, pid, &cpu, 1);
}

static inline int grp_on_cpu(__u32 flags, __u32 cpu)
{
	return grp_create(flags, PERFGRP_TARGET_CPUS, 0, &cpu, 1);
}

static inline int grp_on_cpus(__u32 flags, const struct cpus *cpus)
{
	return grp_create(flags, PERFGRP_TARGET_CPUS, 0, cpus->cpu, cpus->nr);
}

static inline int grp_on_all_cpus(__u32 flags)
{
	return grp_create(flags, PERFGRP_TARGET_ALL_CPUS, 0, NULL, 0);
}

/* A group as described by WANT; size and fd are filled in here. fd or -errno. */
static inline int grp_create_like(struct perfgrp_create want)
{
	int dev = grp_device(), ret;

	want.size = sizeof(want);
	want.fd = -1;
	ret = grp_ioctl(dev, PERFGRP_CREATE, &want);
	close(dev);
	return ret ? ret : want.fd;
}

/* ---- the group --------------------------------------------------------------- */

static inline int grp_add_counters(int fd, struct perfgrp_counter *counters, __u32 nr)
{
	struct perfgrp_add add = {
		.size = sizeof(add),
		.counters = to_u64(counters),
		.counter_size = sizeof(*counters),
		.nr_counters = nr,
	};

	return grp_ioctl(fd, PERFGRP_ADD, &add);
}

/* Fills NR counters with the same event. */
static inline void fill_counters(struct perfgrp_counter *counters, __u32 nr, __u64 event)
{
	__u32 i;

	for (i = 0; i < nr; i++)
		counters[i] = (struct perfgrp_counter){ .event = event };
}

/* The new member's id or -errno. */
static inline int grp_add_with(int fd, __u64 event, __u32 flags)
{
	struct perfgrp_counter counter = { .event = event, .flags = flags };
	int ret = grp_add_counters(fd, &counter, 1);

	return ret ? ret : (int)counter.id;
}

static inline int grp_add(int fd, __u64 event)
{
	return grp_add_with(fd, event, 0);
}

static inline int grp_remove(int fd, __u32 id, __u32 flags)
{
	struct perfgrp_remove remove = { .size = sizeof(remove), .flags = flags, .id = id };

	return grp_ioctl(fd, PERFGRP_REMOVE, &remove);
}

static inline int grp_control(int fd, unsigned long nr)
{
	struct perfgrp_control control = { .size = sizeof(control) };

	return grp_ioctl(fd, nr, &control);
}

static inline int grp_enable(int fd)
{
	return grp_control(fd, PERFGRP_ENABLE);
}

static inline int grp_disable(int fd)
{
	return grp_control(fd, PERFGRP_DISABLE);
}

static inline int grp_reset(int fd)
{
	return grp_control(fd, PERFGRP_RESET);
}

struct grp_members {
	struct perfgrp_query hdr;
	struct perfgrp_counter counter[64];
};

static inline int grp_query(int fd, struct grp_members *m)
{
	memset(m, 0, sizeof(*m));
	m->hdr.size = sizeof(m->hdr);
	m->hdr.counters = to_u64(m->counter);
	m->hdr.counter_size = sizeof(m->counter[0]);
	m->hdr.nr_counters = ARRAY_SIZE(m->counter);
	return grp_ioctl(fd, PERFGRP_QUERY, &m->hdr);
}

/* A read-only fd on the group, or -errno. */
static inline int grp_open_reader(int fd, __u32 flags)
{
	struct perfgrp_reader reader = { .size = sizeof(reader), .flags = flags, .fd = -1 };
	int ret = grp_ioctl(fd, PERFGRP_OPEN_READER, &reader);

	return ret ? ret : reader.fd;
}

struct grp_snap {
	struct perfgrp_snapshot hdr;
	struct perfgrp_row row[MAX_ROWS];
	struct perfgrp_value value[MAX_VALUES];
};

static inline int grp_snapshot(int fd, __u32 flags, struct grp_snap *s)
{
	s->hdr = (struct perfgrp_snapshot){
		.size = sizeof(s->hdr),
		.flags = flags,
		.rows = to_u64(s->row),
		.values = to_u64(s->value),
		.row_size = sizeof(s->row[0]),
		.nr_rows = ARRAY_SIZE(s->row),
		.value_size = sizeof(s->value[0]),
		.nr_values = ARRAY_SIZE(s->value),
	};
	return grp_ioctl(fd, PERFGRP_SNAPSHOT, &s->hdr);
}

/* The row of CPU, or NULL. */
static inline const struct perfgrp_row *snap_row(const struct grp_snap *s, int cpu)
{
	__u32 i;

	for (i = 0; i < s->hdr.nr_rows; i++) {
		if (s->row[i].cpu == cpu)
			return &s->row[i];
	}
	return NULL;
}

/* The member ID in ROW, or NULL. */
static inline const struct perfgrp_value *snap_find(const struct grp_snap *s,
						    const struct perfgrp_row *row, __u32 id)
{
	__u32 i;

	for (i = 0; row && i < row->nr_values && row->first_value + i < MAX_VALUES; i++) {
		if (s->value[row->first_value + i].id == id)
			return &s->value[row->first_value + i];
	}
	return NULL;
}

/* The member ID in the row of CPU (-1: the task's or the total's); it must exist. */
static inline const struct perfgrp_value *snap_value(const struct grp_snap *s, int cpu, __u32 id)
{
	const struct perfgrp_value *v = snap_find(s, snap_row(s, cpu), id);

	if (!v) {
		fail("the snapshot has no member %u of CPU %d", id, cpu);
		test_end();
	}
	return v;
}

static struct grp_snap grp_last;

/* Member ID of a new snapshot: in the task's row or the total's. */
static inline struct perfgrp_value grp_value(int fd, __u32 id)
{
	REQUIRE_EQ(grp_snapshot(fd, 0, &grp_last), 0);
	return *snap_value(&grp_last, -1, id);
}

/* The same in the row of CPU. */
static inline struct perfgrp_value grp_value_on(int fd, int cpu, __u32 id)
{
	REQUIRE_EQ(grp_snapshot(fd, 0, &grp_last), 0);
	return *snap_value(&grp_last, cpu, id);
}

static inline __u64 grp_raw(int fd, __u32 id)
{
	return grp_value(fd, id).raw;
}

/* ---- fdinfo -------------------------------------------------------------------- */

static inline void read_fdinfo_of(int fd, char *text, size_t size)
{
	char path[64];

	REQUIRE_GE(fd, 0);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	REQUIRE(read_file(path, text, size) > 0);
}

static inline bool is_in_fdinfo(int fd, const char *want)
{
	char text[4096];

	read_fdinfo_of(fd, text, sizeof(text));
	return strstr(text, want);
}

static inline void expect_in_fdinfo(int fd, const char *want)
{
	char text[4096];

	read_fdinfo_of(fd, text, sizeof(text));
	if (!strstr(text, want))
		fail("no '%s' in the fdinfo:\n%s", want, text);
}

/* A number in the fdinfo of a file; REQUIREs that it is there, once. */
static inline unsigned long long fdinfo_number(int fd, const char *before)
{
	char text[4096], *at;

	read_fdinfo_of(fd, text, sizeof(text));
	at = strstr(text, before);
	if (!at || strstr(at + 1, before))
		fail("'%s' is not there once in the fdinfo:\n%s", before, text);
	return strtoull(at + strlen(before), NULL, 10);
}

/* ---- refusals ------------------------------------------------------------------ */

struct refusal {
	int err;		/* the errno */
	int or_err;		/* another errno that is also accepted, or 0 */
	__u32 reason;
	__u32 member;
	__s32 cpu;
	const char *field;	/* NULL: any */
};

/* A refusal that concerns no member and no CPU. */
static inline struct refusal refusal(int err, __u32 reason)
{
	return (struct refusal){ .err = err, .reason = reason, .member = PERFGRP_NONE,
				 .cpu = -1 };
}

/* Length of a text in SIZE bytes; SIZE if the bytes after it are not zero. */
static inline size_t clean_length(const char *text, size_t size)
{
	size_t length = strnlen(text, size), i;

	for (i = length; i < size; i++)
		if (text[i])
			return size;
	return length;
}

/* Is E, written by a call that failed with ERR, complete and consistent? */
static inline bool error_is_sane(const struct perfgrp_error *e, int err)
{
	size_t length = clean_length(e->text, sizeof(e->text));

	return e->size == sizeof(*e) && e->error == err &&
	       length > 0 && length < sizeof(e->text) && !memchr(e->text, '\n', length) &&
	       clean_length(e->field, sizeof(e->field)) < sizeof(e->field);
}

static inline void diag_error(const struct perfgrp_error *e)
{
	diag("  error struct: size %u error %d reason %u member %d cpu %d field '%.32s' text '%.204s'",
	     e->size, e->error, e->reason, (int)e->member, e->cpu, e->field, e->text);
}

/* Checks that a call returned RET and wrote E as described by WANT. */
static inline void expect_refusal(const char *file, int line, const char *what, int ret,
				  const struct perfgrp_error *e, const struct refusal *want)
{
	bool good = ret < 0 && (ret == -want->err || (want->or_err && ret == -want->or_err)) &&
		    error_is_sane(e, -ret) && e->reason == want->reason &&
		    e->member == want->member && e->cpu == want->cpu &&
		    (!want->field || strcmp(e->field, want->field) == 0);

	if (good)
		return;
	__atomic_store_n(&verdict->failed, 1, __ATOMIC_RELAXED);
	diag("%s:%d: %s returned %d, expected -%d, reason %u member %d cpu %d field '%s'", file,
	     line, what, ret, want->err, want->reason, (int)want->member, want->cpu,
	     want->field ? want->field : "(any)");
	diag_error(e);
}

/* EXPECT_REFUSED(grp_remove(fd, 77, 0), refusal) */
#define EXPECT_REFUSED_AS(call, want_refusal) do {				\
	struct refusal want_ = (want_refusal);					\
	int ret_ = (call);							\
	expect_refusal(__FILE__, __LINE__, #call, ret_, &grp_error, &want_);	\
} while (0)
#define EXPECT_REFUSED(call, err, why)						\
	EXPECT_REFUSED_AS(call, refusal(err, PERFGRP_REASON_##why))
#define EXPECT_REFUSED_MEMBER(call, err, why, about) do {			\
	struct refusal member_ = refusal(err, PERFGRP_REASON_##why);		\
	member_.member = (about);						\
	EXPECT_REFUSED_AS(call, member_);					\
} while (0)
#define EXPECT_REFUSED_CPU(call, err, why, about) do {				\
	struct refusal cpu_ = refusal(err, PERFGRP_REASON_##why);		\
	cpu_.cpu = (about);							\
	EXPECT_REFUSED_AS(call, cpu_);						\
} while (0)

/* EXPECT_REFUSED_FIELD(call, EINVAL, "clockid"): any reason. */
#define EXPECT_REFUSED_FIELD(call, err, name) do {				\
	int field_ret_ = (call);						\
	if (field_ret_ != -(err) || !error_is_sane(&grp_error, err) ||		\
	    strcmp(grp_error.field, name) != 0 ||				\
	    grp_error.reason == PERFGRP_REASON_NONE) {				\
		fail("%s returned %d, expected -%d about '%s'", #call, field_ret_, \
		     err, name);						\
		diag_error(&grp_error);						\
	}									\
} while (0)

/* Does the text have the number N, not as a part of another number? */
static inline bool text_has_number(const char *text, unsigned long n)
{
	char *end;

	while (*text) {
		if ((*text >= '0' && *text <= '9') &&
		    strtoul(text, &end, 0) == n)
			return true;
		if (*text >= '0' && *text <= '9') {
			strtoul(text, &end, 0);
			text = end;
		} else {
			text++;
		}
	}
	return false;
}

/* ---- values --------------------------------------------------------------------- */

/* Flags for what has become of a counter, in addition to the state of its value. */
#define VALUE_FATE	(PERFGRP_VALUE_FAILED | PERFGRP_VALUE_OFFLINE | PERFGRP_VALUE_EXITED)

/* Checks that a value's state, times, flags and scaled value are consistent (S2, S5). */
static inline void expect_plausible(const struct perfgrp_value *v)
{
	EXPECT_NE(v->id, 0);
	EXPECT(v->state >= PERFGRP_STATE_COUNTED && v->state <= PERFGRP_STATE_NEVER_RAN);
	EXPECT_LE(v->time_running, v->time_enabled);
	/* A cgroup that has not run has a count of zero (C3). */
	if (v->flags & PERFGRP_VALUE_ABSENT) {
		EXPECT_EQ(v->state, PERFGRP_STATE_COUNTED);
		EXPECT(v->flags & PERFGRP_VALUE_SCALED);
		EXPECT_EQ(v->raw, 0);
		EXPECT_EQ(v->scaled, 0);
		EXPECT_EQ(v->time_enabled, 0);
		return;
	}
	EXPECT_EQ(!!(v->flags & PERFGRP_VALUE_SCALED), v->time_running != 0);
	if (v->state == PERFGRP_STATE_COUNTED) {
		EXPECT_GT(v->time_running, 0);
		EXPECT_EQ(v->time_running, v->time_enabled);
	}
	if (v->state == PERFGRP_STATE_MULTIPLEXED) {
		EXPECT_GT(v->time_running, 0);
		EXPECT_LT(v->time_running, v->time_enabled);
	}
	if (v->state == PERFGRP_STATE_NEVER_RAN)
		EXPECT_EQ(v->time_running, 0);
	if (v->time_running == 0) {
		EXPECT_EQ(v->raw, 0);
		EXPECT_EQ(v->scaled, 0);
	} else if (v->time_running == v->time_enabled) {
		EXPECT_EQ(v->scaled, v->raw);
	}
#ifdef __SIZEOF_INT128__
	if (v->time_running) {
		unsigned __int128 scaled = (unsigned __int128)v->raw * v->time_enabled /
					   v->time_running;

		if (v->flags & PERFGRP_VALUE_SATURATED)
			EXPECT_EQ(v->scaled, ~0ULL);
		else
			EXPECT_EQ(v->scaled, (uint64_t)scaled);
	}
#endif
}

/* Checks that two values have the same counts and times. */
static inline void expect_same_value(const struct perfgrp_value *a, const struct perfgrp_value *b)
{
	EXPECT_EQ(a->id, b->id);
	EXPECT_EQ(a->state, b->state);
	EXPECT_EQ(a->flags & VALUE_FATE, b->flags & VALUE_FATE);
	EXPECT_EQ(a->raw, b->raw);
	EXPECT_EQ(a->scaled, b->scaled);
	EXPECT_EQ(a->time_enabled, b->time_enabled);
	EXPECT_EQ(a->time_running, b->time_running);
}

/*
 * Moves between two CPUs, so that a group on one of them counts only part of the work: NR times
 * 10 page faults and a spin on the first, and 90 page faults and a longer spin on the second.
 */
static inline void here_and_there(const struct cpus *cpus, unsigned int nr)
{
	while (nr--) {
		run_on(cpus->cpu[0]);
		fault_in(10);
		spin(20000);
		run_on(cpus->cpu[1]);
		fault_in(90);
		spin(200000);
	}
}

/* Checks that the value was counted all the time, so that nothing is scaled. */
static inline void expect_not_scaled(const struct perfgrp_value *v)
{
	expect_plausible(v);
	EXPECT_EQ(v->state, PERFGRP_STATE_COUNTED);
	EXPECT_EQ(v->time_enabled, v->time_running);
	EXPECT_EQ(v->scaled, v->raw);
}

#endif /* TESTS_GROUP_H */
