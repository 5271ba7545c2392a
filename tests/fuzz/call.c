// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments: plausible ones first, of which something is then made wrong.
 *
 * How many random numbers are drawn depends on numbers drawn before and on nothing else.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

long breakpoint_here;
unsigned int tracepoint;

/* Of all ioctls. */
static const __u8 common_errors[] = { EFAULT, EINVAL, E2BIG, EOPNOTSUPP };

#define IOCTL(nr, type)	.cmd = PERFGRP_##nr, .size = sizeof(struct type)

const struct ioctl_info ioctls[I_WRONG] = {
	[I_INFO] = { IOCTL(GET_INFO, perfgrp_info), .device = true, .out = true },
	[I_CREATE] = { IOCTL(CREATE, perfgrp_create), .device = true, .out = true,
		.first_size = PERFGRP_CREATE_SIZE_VER0,
		.errors = { EACCES, EBADF, EBUSY, ENODEV, ENOENT, ESRCH, EMFILE, ENFILE, ENOSPC,
			    ENOMEM, EINTR } },
	[I_ADD] = { IOCTL(ADD, perfgrp_add), .changes = true,
		.errors = { EACCES, ENOENT, ENODEV, EBUSY, ENOSPC, ESRCH, ENOMEM, EINTR } },
	[I_REMOVE] = { IOCTL(REMOVE, perfgrp_remove), .changes = true,
		.errors = { EACCES, ENOENT, ENODEV, EBUSY, ENOSPC, ESRCH, ENOMEM, EINTR } },
	[I_ENABLE] = { IOCTL(ENABLE, perfgrp_control), .changes = true,
		.errors = { EACCES, EBUSY, EINTR } },
	[I_DISABLE] = { IOCTL(DISABLE, perfgrp_control), .changes = true,
		.errors = { EACCES, EINTR } },
	[I_RESET] = { IOCTL(RESET, perfgrp_control), .changes = true,
		.errors = { EACCES, ENOMEM, EINTR } },
	[I_SNAPSHOT] = { IOCTL(SNAPSHOT, perfgrp_snapshot), .out = true,
		.first_size = PERFGRP_SNAPSHOT_SIZE_VER0,
		.errors = { EACCES, EMSGSIZE, ENOMEM, EINTR } },
	[I_QUERY] = { IOCTL(QUERY, perfgrp_query), .out = true,
		.first_size = PERFGRP_QUERY_SIZE_VER0,
		.errors = { EMSGSIZE, ENOMEM, EINTR } },
	[I_READER] = { IOCTL(OPEN_READER, perfgrp_reader), .out = true,
		.errors = { EACCES, EMFILE, ENFILE, ENOMEM } },
	[I_PERIOD] = { IOCTL(SET_PERIOD, perfgrp_period), .changes = true,
		.errors = { EACCES, ENOENT, EINTR } },
	[I_STATS] = { IOCTL(GET_STREAM_STATS, perfgrp_stream_stats), .out = true,
		.first_size = PERFGRP_STREAM_STATS_SIZE_VER0,
		.errors = { EINTR } },
	[I_EVENTS_ON] = { IOCTL(BPF_EVENTS_ON, perfgrp_control), .changes = true,
		.errors = { EACCES, EBUSY, ENOMEM } },
	[I_EVENTS_OFF] = { IOCTL(BPF_EVENTS_OFF, perfgrp_control), .changes = true,
		.errors = { EACCES } },
	[I_ATTACH] = { IOCTL(BPF_ATTACH, perfgrp_bpf_attach), .changes = true,
		.errors = { EACCES, ENOENT, EBADF, EEXIST, EPROTO, ENOMEM, EINTR } },
	[I_REPLACE] = { IOCTL(BPF_REPLACE, perfgrp_bpf_attach), .changes = true,
		.errors = { EACCES, ENOENT, EBADF, ESTALE, EPROTO, ENOMEM, EINTR } },
	[I_DETACH] = { IOCTL(BPF_DETACH, perfgrp_bpf_detach), .changes = true,
		.errors = { EACCES, ENOENT, ESTALE, EINTR } },
	[I_BPF_QUERY] = { IOCTL(BPF_QUERY, perfgrp_bpf_query), .out = true,
		.errors = { ENOENT, EINTR } },
	[I_HANDLE] = { IOCTL(GET_BPF_HANDLE, perfgrp_bpf_handle), .changes = true, .out = true,
		.errors = { EACCES, ENOMEM, EINTR } },
};

/**
 * errno_is_documented - whether an ioctl may fail so
 * @index: the ioctl
 * @err: its errno
 */
bool errno_is_documented(unsigned int index, int err)
{
	return memchr(common_errors, err, sizeof(common_errors)) ||
	       memchr(ioctls[index].errors, err, sizeof(ioctls[index].errors));
}

/* ---- random numbers ------------------------------------------------------- */

/* splitmix64 */
uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

uint64_t draw(struct thread *t)
{
	t->random += 0x9e3779b97f4a7c15ULL;
	return mix(t->random);
}

unsigned int below(struct thread *t, unsigned int n)
{
	return draw(t) % n;
}

bool one_in(struct thread *t, unsigned int n)
{
	return below(t, n) == 0;
}

static uint64_t any_number(struct thread *t)
{
	static const uint64_t numbers[] = {
		0, 1, 2, 7, 8, 31, 32, 33, 255, 4095, 4096, 4097, 0xffff, 0x10000, 0x7fffffff,
		0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
		0xfffffffffffff000, 0xffffffffffffffff,
	};
	uint64_t number = numbers[below(t, ARRAY_SIZE(numbers))];
	uint64_t bit = 1ULL << below(t, 64);

	return one_in(t, 3) ? bit : number;
}

/* ---- memory --------------------------------------------------------------- */

static bool make_area(struct area *area, size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *p;

	size = (size + page - 1) / page * page;
	p = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || mprotect(p + size, page, PROT_NONE))
		return false;
	area->start = p;
	area->end = p + size;
	return true;
}

/* With room for elements of a page each. */
bool make_areas(struct thread *t)
{
	t->readonly = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
	return t->readonly != MAP_FAILED && make_area(&t->arg, 3 * MAX_SIZE) &&
	       make_area(&t->error, 4096) && make_area(&t->rows, MAX_ROWS * 4096) &&
	       make_area(&t->values, 16 * MAX_MEMBERS * 4096) &&
	       make_area(&t->counters, 2 * MAX_MEMBERS * 4096);
}

static __u64 to_u64(const volatile void *p)
{
	return (uintptr_t)p;
}

/* ---- plausible arguments -------------------------------------------------- */

static __u32 any_id(struct thread *t, const struct handle *h)
{
	const struct known *g = known_of(h);
	__u32 newest = g ? read_once(g->newest) : 0;
	__u32 back = below(t, 6), low = 1 + below(t, 4);

	return newest > back ? newest - back : low;
}

/* Its directory, or -1 while it does not exist. */
static int open_cgroup(unsigned int nr)
{
	char path[64];

	snprintf(path, sizeof(path), CGROUP_PATH, nr);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Below the root, or a cgroup that has none below it. */
static int open_top(unsigned int nr)
{
	return nr ? open_cgroup(nr) : open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void make_create(struct thread *t, struct call *c)
{
	static const __s32 clocks[] = { CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME,
					CLOCK_REALTIME, CLOCK_TAI, PERFGRP_CLOCK_PERF };
	static const __u8 targets[] = { PERFGRP_TARGET_TASK, PERFGRP_TARGET_TASK,
					PERFGRP_TARGET_TASK, PERFGRP_TARGET_CPUS,
					PERFGRP_TARGET_CPUS, PERFGRP_TARGET_ALL_CPUS,
					PERFGRP_TARGET_ALL_CPUS, PERFGRP_TARGET_PIDFD,
					PERFGRP_TARGET_CGROUP, PERFGRP_TARGET_CGROUP };
	__u32 task_only = PERFGRP_CREATE_INHERIT | PERFGRP_CREATE_ENABLE_ON_EXEC;
	__s32 pid = read_once(shared->target[below(t, NR_TARGETS)]);
	struct perfgrp_create *create = &c->arg.create;
	__u32 *cpus = (__u32 *)t->counters.start;
	unsigned int first = below(t, shared->nr_cpus), cgroup, i;
	bool split = one_in(t, 3);
	__u32 flags = 0;

	for (i = 0; i < 9; i++)
		flags |= (__u32)one_in(t, i ? 7 : 2) << i;
	if (one_in(t, 2))
		flags &= ~(__u32)PERFGRP_CREATE_NO_MUX;
	create->target = targets[below(t, ARRAY_SIZE(targets))];
	create->pid = one_in(t, 3) ? 0 : pid;
	create->nr_cpus = one_in(t, 6);
	create->buffer_size = 2048U << below(t, 7);
	if (!one_in(t, t->process == 2 ? 8 : 2))
		create->buffer_size = 0;
	if (one_in(t, 1000))
		create->buffer_size = 64 << 20;
	create->wakeup_records = one_in(t, 3) ? below(t, 100) : 0;
	create->wakeup_bytes = one_in(t, 4) ? below(t, 8192) : 0;
	if (one_in(t, 3)) {
		create->sample_type = PERFGRP_SAMPLE_TYPE;
		if (one_in(t, 2)) {
			create->sample_type |= PERF_SAMPLE_CALLCHAIN;
			create->sample_max_stack = one_in(t, 2) ? below(t, 140) : 0;
		}
	}
	create->clockid = clocks[below(t, ARRAY_SIZE(clocks))];
	i = 1 + below(t, shared->nr_cpus);
	if (create->target == PERFGRP_TARGET_CPUS ||
	    (create->target == PERFGRP_TARGET_CGROUP && create->nr_cpus))
		create->nr_cpus = i;
	if (create->target == PERFGRP_TARGET_ALL_CPUS)
		create->nr_cpus = 0;
	if (create->target != PERFGRP_TARGET_TASK)
		create->pid = 0;
	cgroup = below(t, NR_CGROUPS);
	if (create->target == PERFGRP_TARGET_PIDFD)
		c->target_fd = syscall(SYS_pidfd_open, pid, 0);
	if (create->target == PERFGRP_TARGET_CGROUP)
		c->target_fd = open_cgroup(cgroup);
	split &= create->target == PERFGRP_TARGET_CPUS || create->target == PERFGRP_TARGET_ALL_CPUS;
	if (split) {
		c->target_fd = open_top(cgroup);
		flags |= PERFGRP_CREATE_SPLIT_BY_CGROUP;
		create->split_depth = below(t, 3);
		create->split_max = below(t, 5);
		create->buffer_size = 0;
	}
	if (create->target == PERFGRP_TARGET_PIDFD || create->target == PERFGRP_TARGET_CGROUP ||
	    split)
		create->target_fd = c->target_fd;
	if (create->nr_cpus)
		create->cpus = to_u64(cpus);
	for (i = 0; i < create->nr_cpus; i++)
		cpus[i] = (first + i) % shared->nr_cpus;

	if (one_in(t, 3)) {
		flags |= PERFGRP_CREATE_MAPPED;
		create->map_interval = one_in(t, 2) ? (1 + below(t, 20)) * 1000000ULL : 0;
	}
	/* What excludes one another is left to what makes calls wrong, mostly. */
	if (!one_in(t, 30)) {
		if (split || flags & PERFGRP_CREATE_INHERIT) {
			flags &= ~PERFGRP_CREATE_MAPPED;
			create->map_interval = 0;
		}
		if (create->target != PERFGRP_TARGET_TASK && create->target != PERFGRP_TARGET_PIDFD)
			flags &= ~task_only;
		if (flags & PERFGRP_CREATE_ENABLE_ON_EXEC)
			flags &= ~PERFGRP_CREATE_ENABLED;
		if (flags & PERFGRP_CREATE_INHERIT)
			flags &= ~PERFGRP_CREATE_NO_MUX;
		if (!create->buffer_size) {
			flags &= ~(PERFGRP_CREATE_OVERWRITE | PERFGRP_CREATE_BPF_EVENTS);
			create->wakeup_records = 0;
			create->wakeup_bytes = 0;
		}
		if (create->wakeup_bytes > create->buffer_size / 2)
			create->wakeup_bytes = 0;
		if (!(flags & PERFGRP_CREATE_USE_CLOCKID))
			create->clockid = 0;
		flags &= ~PERFGRP_CREATE_EXCLUSIVE | (one_in(t, 4) ? ~0U : 0);
	}
	/* What nobody may do: count itself. */
	if (t->process == 2 && !one_in(t, 4)) {
		flags &= ~(PERFGRP_CREATE_NO_MUX | PERFGRP_CREATE_EXCLUSIVE |
			   PERFGRP_CREATE_BPF_EVENTS | PERFGRP_CREATE_SPLIT_BY_CGROUP |
			   PERFGRP_CREATE_MAPPED);
		create->map_interval = 0;
		create->target = PERFGRP_TARGET_TASK;
		create->pid = 0;
		create->target_fd = 0;
		create->split_depth = 0;
		create->split_max = 0;
		create->cpus = 0;
		create->nr_cpus = 0;
	}
	create->flags = flags;
	create->fd = -1;
}

#define CLOCK_PERIOD	(1ULL << 24)	/* ns: more often is too much work for a guest */

static void make_counter(struct thread *t, const struct handle *h, bool user_only,
			 struct perfgrp_counter *counter)
{
	const struct known *g = known_of(h);
	unsigned int kind = below(t, 16), which = below(t, 12), bits = below(t, 32);
	__u64 period = 1 + below(t, 3000), number = draw(t);

	memset(counter, 0, sizeof(*counter));
	switch (kind) {
	case 0:
		counter->event = PERFGRP_EVENT(0, which);
		break;
	case 1:
		counter->event = PERFGRP_HW_CACHE(which % 7, bits % 3, bits % 2);
		break;
	case 2:
		counter->flags = PERFGRP_COUNTER_RAW;
		counter->type = PERF_TYPE_TRACEPOINT;
		counter->config = tracepoint;
		break;
	case 3:
		counter->flags = PERFGRP_COUNTER_RAW;
		counter->type = PERF_TYPE_BREAKPOINT;
		counter->config1 = to_u64(&breakpoint_here);
		counter->config2 = HW_BREAKPOINT_LEN_4;
		counter->bp_type = bits & 1 ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW;
		break;
	case 4:
		/* Whatever PMU that is. */
		counter->flags = PERFGRP_COUNTER_RAW;
		counter->type = below(t, 20);
		counter->config = number & 0xff;
		counter->config1 = one_in(t, 4) ? number >> 32 : 0;
		break;
	default:
		counter->event = PERFGRP_EVENT(1, which);
	}
	if (one_in(t, 6))
		counter->flags |= bits & (PERFGRP_COUNTER_EXCLUDE_USER |
					  PERFGRP_COUNTER_EXCLUDE_KERNEL |
					  PERFGRP_COUNTER_EXCLUDE_IDLE);
	if (user_only) {
		counter->flags &= ~PERFGRP_COUNTER_EXCLUDE_USER;
		counter->flags |= PERFGRP_COUNTER_EXCLUDE_KERNEL | PERFGRP_COUNTER_EXCLUDE_HV;
	}
	if (one_in(t, 12))
		counter->precise_ip = 1 + below(t, 3);
	if (one_in(t, g && g->buffer ? 2 : 8)) {
		counter->sample_period = period;
		if (one_in(t, 4)) {
			counter->flags |= PERFGRP_COUNTER_FREQ;
			counter->sample_freq = 1 + period % 40;
		}
	}
	if (one_in(t, 10) && g && g->buffer)
		counter->min_delta = period;
}

static bool is_clock(const struct perfgrp_counter *counter)
{
	__u32 type = PERFGRP_EVENT_TYPE(counter->event);
	__u64 config = PERFGRP_EVENT_CONFIG(counter->event);

	if (counter->flags & PERFGRP_COUNTER_RAW) {
		type = counter->type;
		config = counter->config;
	}
	return type == PERF_TYPE_SOFTWARE && config <= PERF_COUNT_SW_TASK_CLOCK;
}

/* Clocks that tick as often as they are told leave an emulated machine no time. */
static void slow_clocks(const struct handle *h, struct perfgrp_counter *counter)
{
	struct known *g = known_of(h);

	if (!is_clock(counter) || !counter->sample_period)
		return;
	if (counter->flags & PERFGRP_COUNTER_FREQ) {
		if (counter->sample_freq < 1ULL << 32)
			counter->sample_freq %= 40;
		return;
	}
	counter->sample_period |= CLOCK_PERIOD;
	if (g)
		write_once(g->clock_period, 1);
}

/* Most callers know what the kernel knows; some a longer struct. */
static __u32 element_size(struct thread *t, __u32 size, struct call *c)
{
	__u32 more = 8 * (1 + below(t, 20));

	if (!one_in(t, 12))
		return size;
	c->array_wrong = true;
	return size + more;
}

static void make_add(struct thread *t, struct call *c)
{
	struct perfgrp_add *add = &c->arg.add;
	/* All that callers without privileges may do. */
	bool user_only = t->process == 2 && !one_in(t, 4);
	struct perfgrp_counter counter;
	unsigned int i;

	add->nr_counters = 1 + below(t, 4);
	if (one_in(t, 40))
		add->nr_counters = 1 + below(t, MAX_MEMBERS + 2);
	add->counter_size = element_size(t, sizeof(counter), c);
	add->counters = to_u64(t->counters.start);
	memset(t->counters.start, 0, (size_t)add->nr_counters * add->counter_size);
	for (i = 0; i < add->nr_counters; i++) {
		make_counter(t, &c->handle, user_only, &counter);
		memcpy(t->counters.start + i * add->counter_size, &counter, sizeof(counter));
	}
}

static void make_snapshot(struct thread *t, struct call *c)
{
	const struct known *g = known_of(&c->handle);
	struct perfgrp_snapshot *s = &c->arg.snapshot;
	unsigned int few_rows = below(t, shared->nr_cpus + 1), few_values = below(t, 20);

	s->flags = one_in(t, 3) ? PERFGRP_SNAPSHOT_TOTALS : 0;
	if (one_in(t, 4) && s->flags)
		s->flags |= PERFGRP_SNAPSHOT_MIX_PMUS;
	if (one_in(t, 12)) {
		s->flags |= PERFGRP_SNAPSHOT_RESET;
	} else if (g && g->flags & PERFGRP_CREATE_MAPPED && one_in(t, 2)) {
		s->flags |= PERFGRP_SNAPSHOT_CACHED;
		s->max_age = one_in(t, 2) ? below(t, 20) * 1000000ULL : 0;
	}
	s->row_size = element_size(t, sizeof(struct perfgrp_row), c);
	s->value_size = element_size(t, sizeof(struct perfgrp_value), c);
	s->rows = to_u64(t->rows.start);
	s->values = to_u64(t->values.start);
	s->nr_rows = shared->nr_cpus + 1;
	if (g && g->flags & PERFGRP_CREATE_SPLIT_BY_CGROUP)
		s->nr_rows = MAX_ROWS;
	s->nr_values = s->nr_rows * MAX_MEMBERS;
	if (one_in(t, 6)) {
		s->nr_rows = few_rows;
		s->nr_values = few_values;
	}
	memset(t->rows.start, FILL, (s->nr_rows + 1) * s->row_size);
	memset(t->values.start, FILL, (s->nr_values + 1) * s->value_size);
}

static void make_query(struct thread *t, struct call *c)
{
	struct perfgrp_query *query = &c->arg.query;

	query->counter_size = element_size(t, sizeof(struct perfgrp_counter), c);
	query->nr_counters = one_in(t, 5) ? below(t, 8) : MAX_MEMBERS + below(t, 3);
	query->counters = to_u64(t->counters.start);
	memset(t->counters.start, FILL, (query->nr_counters + 1) * query->counter_size);
}

/* The kernel refuses what is out of range; a clock gets no period that is too short. */
static void make_period(struct thread *t, struct call *c)
{
	struct perfgrp_period *period = &c->arg.period;
	const struct known *g = known_of(&c->handle);
	__u64 wild = any_number(t);

	period->id = any_id(t, &c->handle);
	period->sample_period = 1 + below(t, 40);
	if (one_in(t, 10))
		period->sample_period = wild | 1ULL << 32;
	if (g && read_once(g->clock_period))
		period->sample_period |= CLOCK_PERIOD;
}

static void make_attach(struct thread *t, struct call *c)
{
	struct perfgrp_bpf_attach *attach = &c->arg.attach;

	attach->flags = one_in(t, 4) ? PERFGRP_BPF_TIMED : 0;
	attach->id = any_id(t, &c->handle);
	attach->prog_fd = own_programs[below(t, NR_PROGRAMS)];
	attach->cookie = draw(t);
	if (one_in(t, 4) && c->index == I_REPLACE)
		attach->prog_id = 1 + below(t, 20);
}

/**
 * make_call - a call that makes sense
 * @t: the thread
 * @c: filled in
 * @index: which ioctl
 * @h: on this fd
 */
void make_call(struct thread *t, struct call *c, unsigned int index, const struct handle *h)
{
	static const struct call none = { .target_fd = -1 };

	/* Without the large arrays. */
	memcpy(c, &none, offsetof(struct call, before));
	c->index = index;
	c->handle = *h;
	c->cmd = ioctls[index].cmd;
	c->size = ioctls[index].size;
	c->at = t->arg.start + 8 * below(t, 16);
	c->error = t->error.start;
	c->error_size = sizeof(struct perfgrp_error);
	switch (index) {
	case I_CREATE:
		make_create(t, c);
		break;
	case I_ADD:
		make_add(t, c);
		break;
	case I_REMOVE:
		c->arg.remove.id = any_id(t, h);
		c->arg.remove.flags = one_in(t, 8) ? PERFGRP_REMOVE_CASCADE : 0;
		break;
	case I_SNAPSHOT:
		make_snapshot(t, c);
		break;
	case I_QUERY:
		make_query(t, c);
		break;
	case I_READER:
		c->arg.reader.flags = one_in(t, 2) ? PERFGRP_READER_RECORDS : 0;
		break;
	case I_PERIOD:
		make_period(t, c);
		break;
	case I_ATTACH:
	case I_REPLACE:
		make_attach(t, c);
		break;
	case I_DETACH:
		c->arg.detach.id = any_id(t, h);
		break;
	case I_BPF_QUERY:
		c->arg.bpf_query.id = any_id(t, h);
		break;
	}
	c->arg.size = c->size;
	c->arg.error = to_u64(c->error);
	if (one_in(t, 10)) {
		c->arg.error = 0;
		c->error = NULL;
	}
	/* A caller that knows a longer struct. */
	if (one_in(t, 16))
		c->arg.size += 8 * (1 + below(t, 40));
	if (shared->faults && one_in(t, 8))
		c->nth = 1 + below(t, one_in(t, 3) ? 200 : 20);
}

/* ---- what is wrong with them ---------------------------------------------- */

enum field_type { POINTER, COUNT, ELEMENT_SIZE, ID, FD, VALUE, RESERVED };

struct field {
	__u8 index;
	__u8 offset;
	__u8 size;
	__u8 type;
};

#define FIELD(i, s, f, t)	{ i, offsetof(struct s, f), sizeof(((struct s *)NULL)->f), t }

static const struct field fields[] = {
	FIELD(I_CREATE, perfgrp_create, target, VALUE),
	FIELD(I_CREATE, perfgrp_create, pid, VALUE),
	FIELD(I_CREATE, perfgrp_create, cpus, POINTER),
	FIELD(I_CREATE, perfgrp_create, nr_cpus, COUNT),
	FIELD(I_CREATE, perfgrp_create, target_fd, FD),
	FIELD(I_CREATE, perfgrp_create, buffer_size, VALUE),
	FIELD(I_CREATE, perfgrp_create, wakeup_records, VALUE),
	FIELD(I_CREATE, perfgrp_create, wakeup_bytes, VALUE),
	FIELD(I_CREATE, perfgrp_create, sample_type, VALUE),
	FIELD(I_CREATE, perfgrp_create, clockid, VALUE),
	FIELD(I_CREATE, perfgrp_create, reserved, RESERVED),
	FIELD(I_CREATE, perfgrp_create, sample_max_stack, VALUE),
	FIELD(I_CREATE, perfgrp_create, reserved2, RESERVED),
	FIELD(I_CREATE, perfgrp_create, split_depth, VALUE),
	FIELD(I_CREATE, perfgrp_create, split_max, VALUE),
	FIELD(I_CREATE, perfgrp_create, map_interval, VALUE),
	FIELD(I_ADD, perfgrp_add, counters, POINTER),
	FIELD(I_ADD, perfgrp_add, counter_size, ELEMENT_SIZE),
	FIELD(I_ADD, perfgrp_add, nr_counters, COUNT),
	FIELD(I_REMOVE, perfgrp_remove, id, ID),
	FIELD(I_REMOVE, perfgrp_remove, reserved, RESERVED),
	FIELD(I_SNAPSHOT, perfgrp_snapshot, rows, POINTER),
	FIELD(I_SNAPSHOT, perfgrp_snapshot, values, POINTER),
	FIELD(I_SNAPSHOT, perfgrp_snapshot, row_size, ELEMENT_SIZE),
	FIELD(I_SNAPSHOT, perfgrp_snapshot, value_size, ELEMENT_SIZE),
	FIELD(I_SNAPSHOT, perfgrp_snapshot, nr_rows, COUNT),
	FIELD(I_SNAPSHOT, perfgrp_snapshot, nr_values, COUNT),
	FIELD(I_SNAPSHOT, perfgrp_snapshot, max_age, VALUE),
	FIELD(I_QUERY, perfgrp_query, counters, POINTER),
	FIELD(I_QUERY, perfgrp_query, counter_size, ELEMENT_SIZE),
	FIELD(I_QUERY, perfgrp_query, nr_counters, COUNT),
	FIELD(I_READER, perfgrp_reader, reserved, RESERVED),
	FIELD(I_PERIOD, perfgrp_period, id, ID),
	FIELD(I_PERIOD, perfgrp_period, reserved, RESERVED),
	FIELD(I_STATS, perfgrp_stream_stats, reserved, RESERVED),
	FIELD(I_ATTACH, perfgrp_bpf_attach, id, ID),
	FIELD(I_ATTACH, perfgrp_bpf_attach, prog_fd, FD),
	FIELD(I_ATTACH, perfgrp_bpf_attach, prog_id, VALUE),
	FIELD(I_ATTACH, perfgrp_bpf_attach, reserved, RESERVED),
	FIELD(I_REPLACE, perfgrp_bpf_attach, id, ID),
	FIELD(I_REPLACE, perfgrp_bpf_attach, prog_fd, FD),
	FIELD(I_REPLACE, perfgrp_bpf_attach, prog_id, VALUE),
	FIELD(I_DETACH, perfgrp_bpf_detach, id, ID),
	FIELD(I_DETACH, perfgrp_bpf_detach, prog_id, VALUE),
	FIELD(I_BPF_QUERY, perfgrp_bpf_query, id, ID),
	FIELD(I_BPF_QUERY, perfgrp_bpf_query, reserved, RESERVED),
};

/* Memory that cannot be used, or not all of it; SIZE bytes of @area are needed. */
static __u64 wrong_pointer(struct thread *t, const struct area *area, size_t size)
{
	unsigned int kind = below(t, 8), some = below(t, size + 1);

	switch (kind) {
	case 0:
		return 0;
	case 1:
		return to_u64(area->end);
	case 2:
		return to_u64(t->readonly);
	case 3:
		return 0xffff888000000000ULL + some * 8;
	case 4:
		return 0xdeadbeef00000000ULL;
	case 5:
		return to_u64(area->start + 256 + some % 8);
	default:
		return to_u64(area->end - some);
	}
}

/* The argument itself: a copy of it stands where the kernel is told to look. */
static void wrong_place(struct thread *t, struct call *c)
{
	unsigned int kind = below(t, 6), some = below(t, c->size + 64);

	c->arg_wrong = true;
	switch (kind) {
	case 0:
		c->at = NULL;
		break;
	case 1:
		c->at = t->arg.end;
		break;
	case 2:
		c->at = t->readonly;
		break;
	case 3:
		c->at = t->arg.start + 1 + some % 7;
		break;
	default:
		c->at = t->arg.end - some;
	}
}

static void wrong_size(struct thread *t, struct call *c)
{
	const __u32 sizes[] = { 0, 4, 8, 15, 16, c->size - 8, c->size - 1, c->size + 1,
				c->size + 8, MAX_SIZE - 8, MAX_SIZE, MAX_SIZE + 1, 65536,
				0x80000000U, ~0U };

	c->arg.size = sizes[below(t, ARRAY_SIZE(sizes))];
	c->tail = one_in(t, 2) ? 1 + below(t, 255) : 0;
}

static void wrong_error(struct thread *t, struct call *c)
{
	static const __u32 sizes[] = { 0, 8, 255, 257, 512, 4096, ~0U };
	__u32 size = sizes[below(t, ARRAY_SIZE(sizes))];
	__u64 pointer = wrong_pointer(t, &t->error, sizeof(struct perfgrp_error));
	unsigned int kind = below(t, 3);

	if (kind == 0) {
		if (c->error)
			c->error_size = size;
		return;
	}
	c->error = NULL;
	c->arg.error = pointer;
	/* In the midst of the argument. */
	if (kind == 1) {
		c->arg.error = to_u64(c->at) + 8;
		c->arg_wrong = true;
	}
}

static struct perfgrp_counter *counter_at(struct thread *t, const struct call *c, unsigned int i)
{
	return (void *)(t->counters.start + (size_t)i * c->arg.add.counter_size);
}

static void wrong_counter(struct thread *t, struct call *c)
{
	unsigned int i = below(t, c->arg.add.nr_counters ?: 1);
	unsigned int word = below(t, c->arg.add.counter_size / 8 ?: 1);
	__u64 number = any_number(t);

	/* Unless the array itself has become wrong. */
	if (c->arg.add.counters == to_u64(t->counters.start) && i < 2 * MAX_MEMBERS &&
	    c->arg.add.counter_size <= 4096)
		memcpy((char *)counter_at(t, c, i) + 8 * word, &number, sizeof(number));
}

static void wrong_cmd(struct thread *t, struct call *c)
{
	unsigned int nr = below(t, 256), type = below(t, 4), bit = 8 + below(t, 24);

	c->index = I_WRONG;
	c->cmd = type ? _IO(PERFGRP_IOC_TYPE, nr) : c->cmd ^ 1U << bit;
}

static void put_field(struct call *c, const struct field *f, __u64 number)
{
	memcpy(c->arg.bytes + f->offset, &number, f->size);
}

static void wrong_field(struct thread *t, struct call *c)
{
	static const __s32 steps[] = { -1, 1, -2, 8, 100 };
	const struct field *f = &fields[below(t, ARRAY_SIZE(fields))];
	__u64 number = any_number(t), old = 0;
	struct area *area = &t->counters;
	int fd = any_fd(t);
	unsigned int way = below(t, 3), some = below(t, ARRAY_SIZE(steps));

	if (f->index != c->index)
		return;
	memcpy(&old, c->arg.bytes + f->offset, f->size);
	switch (f->type) {
	case POINTER:
		if (f->index == I_SNAPSHOT)
			area = f->offset == offsetof(struct perfgrp_snapshot, rows) ? &t->rows :
										      &t->values;
		put_field(c, f, wrong_pointer(t, area, 128));
		c->array_wrong = true;
		break;
	case COUNT:
		/* The array is long enough, or has nothing behind it. */
		put_field(c, f, way ? old + steps[some] : number);
		c->array_wrong = true;
		break;
	case ELEMENT_SIZE:
		put_field(c, f, way ? old + steps[some] : number);
		c->array_wrong = true;
		break;
	case FD:
		put_field(c, f, way ? (unsigned int)fd : number);
		break;
	default:
		put_field(c, f, number);
	}
}

/**
 * make_wrong - make something wrong with a call
 * @t: the thread
 * @c: the call
 */
void make_wrong(struct thread *t, struct call *c)
{
	unsigned int kind = below(t, 16), bit = below(t, 32);

	if (c->index == I_WRONG)
		return;
	c->wrong++;
	switch (kind) {
	case 0:
	case 1:
		wrong_size(t, c);
		break;
	case 2:
		c->arg.flags ^= 1U << bit;
		break;
	case 3:
		wrong_error(t, c);
		break;
	case 4:
	case 5:
		wrong_place(t, c);
		break;
	case 6:
		wrong_cmd(t, c);
		break;
	case 7:
	case 8:
		if (c->index == I_ADD) {
			wrong_counter(t, c);
			break;
		}
		wrong_field(t, c);
		break;
	default:
		/* Of another ioctl, most likely. */
		for (bit = 0; bit < 12; bit++)
			wrong_field(t, c);
	}
}

/* ---- the call ------------------------------------------------------------- */

/* The argument with its tail, as far as there is memory for it. */
static void put_argument(struct thread *t, struct call *c)
{
	size_t size = c->arg.size > MAX_SIZE + 8 ? c->size : c->arg.size;

	if (size < c->size)
		size = c->size;
	memset(c->before, c->tail, sizeof(c->before));
	memcpy(c->before, c->arg.bytes, c->size);
	if (c->at >= t->arg.start && c->at < t->arg.end) {
		if (size > (size_t)(t->arg.end - c->at))
			size = t->arg.end - c->at;
		memcpy(c->at, c->before, size);
	}
}

static void put_error(struct thread *t, struct call *c)
{
	memset(t->error.start, FILL, 2 * sizeof(struct perfgrp_error));
	memcpy(t->error.start, &c->error_size, sizeof(c->error_size));
}

/* A signal's frame is a copy, too; who cannot get or leave it is killed. */
static void hold_signals(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(how, &set, NULL);
}

/* The NTH allocation or copy of this thread fails from here on. */
static bool faults_on(struct thread *t, unsigned int nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", nth);

	if (t->fail_nth < 0)
		return false;
	hold_signals(SIG_BLOCK);
	if (pwrite(t->fail_nth, text, length, 0) == length)
		return true;
	hold_signals(SIG_UNBLOCK);
	return false;
}

/* Whether it has failed; to read and to write that are copies, too, and may be the one. */
static bool faults_off(struct thread *t)
{
	char text[16] = "";
	bool failed = pread(t->fail_nth, text, sizeof(text) - 1, 0) <= 0 || text[0] == '0';
	unsigned int tries;

	for (tries = 0; tries < 10 && pwrite(t->fail_nth, "0", 1, 0) != 1; tries++)
		;
	hold_signals(SIG_UNBLOCK);
	return failed;
}

/**
 * do_call - make the call, and check what comes back
 * @t: the thread
 * @c: the call
 */
void do_call(struct thread *t, struct call *c)
{
	const struct known *g = known_of(&c->handle);
	unsigned int i;
	bool failing;

	if (c->index == I_ADD && c->arg.add.counters == to_u64(t->counters.start) &&
	    c->arg.add.counter_size <= 4096) {
		for (i = 0; i < c->arg.add.nr_counters && i < 2 * MAX_MEMBERS; i++)
			slow_clocks(&c->handle, counter_at(t, c, i));
	}
	put_argument(t, c);
	put_error(t, c);
	c->newest = g ? read_once(g->newest) : 0;
	kcov_reset(t);
	c->began = c->index == I_SNAPSHOT && c->pinned ? time_of(&c->handle) : 0;
	failing = c->nth && faults_on(t, c->nth);
	c->ret = ioctl(c->handle.fd, c->cmd, c->at) < 0 ? errno : 0;
	if (failing && !faults_off(t))
		failing = false;
	if (!failing)
		c->nth = 0;
	kcov_keep(t, c);

	add_one(shared->calls[c->index]);
	if (c->wrong)
		add_one(shared->wrong[c->index]);
	if (failing)
		add_one(shared->injected[c->index]);
	if (c->ret > 0 && c->ret < MAX_ERRNO)
		add_one(shared->errors[c->index][c->ret]);
	check_call(t, c);
	if (c->target_fd >= 0)
		close(c->target_fd);
}
