// SPDX-License-Identifier: GPL-2.0
/*
 * Bad input, ioctl by ioctl (A4): every size, flag bit, reserved byte, pointer,
 * CPU, pid and event that must be refused. Each refusal is tried with every kind
 * of error pointer, and after it the group must be as before: the same members,
 * the same count to the last event, and counting on.
 *
 * Also built for 32 bits.
 */
#include "program.h"

#include <stddef.h>

#define FILL	0xa5
#define ROOM	4096	/* for an argument and what a too long one trails */

/* ---- the group that is asked bad things ------------------------------------ */

#define NR_MEMBERS 3
#define SELDOM	   (1ULL << 40)	/* a sample period that no test lives to see */

static int dev = -1;
static int grp = -1;
/* Not the kernel's own faults: it takes one at every bad pointer. */
static struct perfgrp_counter member[NR_MEMBERS] = {
	{ .event = PERFGRP_SW_PAGE_FAULTS, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
	  .sample_period = SELDOM },
	{ .event = PERFGRP_SW_DUMMY },
	{ .event = PERFGRP_SW_MINOR_FAULTS, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL },
};

static struct cpus cpus;
static struct perfgrp_info info;
static __u32 taken;		/* page faults that the group must have counted */
static __u64 seen_enabled[NR_MEMBERS];
static char *hole;		/* a page that cannot be accessed, after one that can */
static char *readonly;
static size_t page;

static struct grp_snap snap;
static struct grp_members members;

/* What good arguments point to. */
static struct perfgrp_counter one_counter[4];
static struct perfgrp_counter out_counters[16];
static struct perfgrp_row out_rows[4];
static struct perfgrp_value out_values[32];

static void take_fault(unsigned int nr)
{
	fault_in(nr);
	taken += nr;
}

static int program = -1;	/* that returns 0 */

static void arrange(void)
{
	page = sysconf(_SC_PAGESIZE);
	memset(out_counters, FILL, sizeof(out_counters));
	memset(out_rows, FILL, sizeof(out_rows));
	memset(out_values, FILL, sizeof(out_values));
	info = grp_info();
	cpus_online(&cpus);
	hole = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	readonly = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(hole != MAP_FAILED && readonly != MAP_FAILED);
	memset(hole, FILL, 2 * page);
	memset(readonly, 0, page);
	hole += page;
	REQUIRE(mprotect(hole, page, PROT_NONE) == 0);
	dev = grp_device();
	settle_memory();
	grp = grp_create_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED,
		.target = PERFGRP_TARGET_TASK,
		.buffer_size = 8192,
	});
	REQUIRE_GE(grp, 0);
	REQUIRE_EQ(grp_add_counters(grp, member, NR_MEMBERS), 0);
	program = load_program();
	REQUIRE_GE(program, 0);
	take_fault(5);
}

/* The group has what it had, and counts on. */
static void expect_as_before(const char *what)
{
	const struct perfgrp_value *v;
	bool same;
	int i;

	REQUIRE_EQ(grp_query(grp, &members), 0);
	same = members.hdr.nr_counters == NR_MEMBERS && members.hdr.enabled == 1;
	for (i = 0; same && i < NR_MEMBERS; i++)
		same = members.counter[i].id == member[i].id;
	if (!same)
		fail("%s changed the members or the enabled state", what);

	take_fault(1);
	REQUIRE_EQ(grp_snapshot(grp, 0, &snap), 0);
	for (i = 0; i < NR_MEMBERS; i++) {
		v = snap_value(&snap, -1, member[i].id);
		if (v->raw != (i == 1 ? 0 : taken))
			fail("%s: member %u counts %llu, expected %u", what, v->id, v->raw,
			     i == 1 ? 0 : taken);
		if (v->time_enabled < seen_enabled[i])
			fail("%s: time_enabled of member %u went from %llu to %llu", what,
			     v->id, seen_enabled[i], v->time_enabled);
		seen_enabled[i] = v->time_enabled;
	}
}

/* ---- the ioctls ---------------------------------------------------------------- */

static void good_create(void *arg)
{
	struct perfgrp_create *create = arg;

	create->target = PERFGRP_TARGET_TASK;
}

static void good_add(void *arg)
{
	struct perfgrp_add *add = arg;

	memset(one_counter, 0, sizeof(one_counter));
	one_counter[0].event = PERFGRP_SW_PAGE_FAULTS;
	add->counters = to_u64(one_counter);
	add->counter_size = sizeof(one_counter[0]);
	add->nr_counters = 1;
}

static void good_remove(void *arg)
{
	struct perfgrp_remove *remove = arg;

	remove->id = member[NR_MEMBERS - 1].id;
}

static void good_query(void *arg)
{
	struct perfgrp_query *query = arg;

	memset(out_counters, FILL, sizeof(out_counters));
	query->counters = to_u64(out_counters);
	query->counter_size = sizeof(out_counters[0]);
	query->nr_counters = ARRAY_SIZE(out_counters);
}

static void good_snapshot(void *arg)
{
	struct perfgrp_snapshot *s = arg;

	memset(out_rows, FILL, sizeof(out_rows));
	memset(out_values, FILL, sizeof(out_values));
	s->rows = to_u64(out_rows);
	s->row_size = sizeof(out_rows[0]);
	s->nr_rows = ARRAY_SIZE(out_rows);
	s->values = to_u64(out_values);
	s->value_size = sizeof(out_values[0]);
	s->nr_values = ARRAY_SIZE(out_values);
}

static void good_period(void *arg)
{
	struct perfgrp_period *period = arg;

	period->id = member[0].id;
	period->sample_period = SELDOM;
}

static void attach_program(void)
{
	struct perfgrp_bpf_attach attach = { .size = sizeof(attach), .id = member[0].id,
					     .prog_fd = program };

	ioctl(grp, PERFGRP_BPF_ATTACH, &attach);
}

static void detach_program(void)
{
	struct perfgrp_bpf_detach detach = { .size = sizeof(detach), .id = member[0].id };

	ioctl(grp, PERFGRP_BPF_DETACH, &detach);
}

static void good_attach(void *arg)
{
	struct perfgrp_bpf_attach *attach = arg;

	detach_program();
	attach->id = member[0].id;
	attach->prog_fd = program;
}

static void good_replace(void *arg)
{
	struct perfgrp_bpf_attach *replace = arg;

	attach_program();
	replace->id = member[0].id;
	replace->prog_fd = program;
}

static void good_detach(void *arg)
{
	struct perfgrp_bpf_detach *detach = arg;

	attach_program();
	detach->id = member[0].id;
}

static void good_bpf_query(void *arg)
{
	struct perfgrp_bpf_query *query = arg;

	attach_program();
	query->id = member[0].id;
}

static void good_nothing(void *arg __maybe_unused)
{
}

enum { SIZE, FLAGS, NOT_ZERO, MISALIGNED, POINTER, READONLY, WRONG_FD, NR_SHAPES };

struct call {
	const char *name;
	unsigned long nr;
	bool on_device;
	bool writes;		/* it returns something in its struct */
	size_t size;
	size_t first_size;	/* if it has grown since */
	__u32 known_flags;
	size_t reserved, reserved_size;
	__u64 needs;		/* a feature */
	void (*good)(void *arg);
	char line[NR_SHAPES][120];
};

#define CALL(nr_, struct_, writes_, flags_, good_, ...)				\
	{ .name = #nr_, .nr = PERFGRP_##nr_, .writes = writes_,			\
	  .size = sizeof(struct struct_), .known_flags = flags_, .good = good_,	\
	  ##__VA_ARGS__ }
/* Of a struct with a reserved field. */
#define RESERVED(struct_)							\
	.reserved = offsetof(struct struct_, reserved),				\
	.reserved_size = sizeof(((struct struct_ *)0)->reserved)

static struct call calls[] = {
	CALL(GET_INFO, perfgrp_info, true, 0, good_nothing, .on_device = true),
	CALL(CREATE, perfgrp_create, true, 0x7ff, good_create, RESERVED(perfgrp_create),
	     .first_size = PERFGRP_CREATE_SIZE_VER0),
	CALL(ADD, perfgrp_add, false, 0, good_add),
	CALL(REMOVE, perfgrp_remove, false, PERFGRP_REMOVE_CASCADE, good_remove,
	     RESERVED(perfgrp_remove)),
	CALL(ENABLE, perfgrp_control, false, 0, good_nothing),
	CALL(DISABLE, perfgrp_control, false, 0, good_nothing),
	CALL(RESET, perfgrp_control, false, 0, good_nothing),
	CALL(SNAPSHOT, perfgrp_snapshot, true, 0xf, good_snapshot,
	     .first_size = PERFGRP_SNAPSHOT_SIZE_VER0),
	CALL(QUERY, perfgrp_query, true, 0, good_query, .first_size = PERFGRP_QUERY_SIZE_VER0),
	CALL(OPEN_READER, perfgrp_reader, true, PERFGRP_READER_RECORDS, good_nothing,
	     RESERVED(perfgrp_reader)),
	CALL(SET_PERIOD, perfgrp_period, false, 0, good_period, RESERVED(perfgrp_period)),
	CALL(GET_STREAM_STATS, perfgrp_stream_stats, true, 0, good_nothing,
	     RESERVED(perfgrp_stream_stats), .first_size = PERFGRP_STREAM_STATS_SIZE_VER0),
	CALL(BPF_EVENTS_ON, perfgrp_control, false, 0, good_nothing,
	     .needs = PERFGRP_FEATURE_BPF_EVENTS),
	CALL(BPF_EVENTS_OFF, perfgrp_control, false, 0, good_nothing),
	CALL(BPF_ATTACH, perfgrp_bpf_attach, false, PERFGRP_BPF_TIMED, good_attach,
	     RESERVED(perfgrp_bpf_attach), .needs = PERFGRP_FEATURE_BPF),
	CALL(BPF_REPLACE, perfgrp_bpf_attach, false, PERFGRP_BPF_TIMED, good_replace,
	     RESERVED(perfgrp_bpf_attach), .needs = PERFGRP_FEATURE_BPF),
	CALL(BPF_DETACH, perfgrp_bpf_detach, false, 0, good_detach,
	     .needs = PERFGRP_FEATURE_BPF),
	CALL(BPF_QUERY, perfgrp_bpf_query, true, 0, good_bpf_query,
	     RESERVED(perfgrp_bpf_query), .needs = PERFGRP_FEATURE_BPF),
	CALL(GET_BPF_HANDLE, perfgrp_bpf_handle, true, PERFGRP_BPF_HANDLE_NEW, good_nothing,
	     .needs = PERFGRP_FEATURE_KFUNC),
};

static bool is_missing(const struct call *call)
{
	return call->needs && !(info.features & call->needs);
}

static void arrange_for(const struct call *call)
{
	arrange();
	if (is_missing(call))
		skip("the module has no %s", call->name);
}

static int fd_of(const struct call *call)
{
	return call->on_device || call->nr == PERFGRP_CREATE ? dev : grp;
}

/* A good argument of CALL in BUF, with nothing but FILL behind it. */
static void *good_argument(const struct call *call, unsigned char *buf)
{
	struct grp_head *head = (void *)buf;

	memset(buf, FILL, ROOM);
	memset(buf, 0, call->size);
	head->size = call->size;
	call->good(buf);
	return buf;
}

/* ---- a bad call, with every kind of error pointer ---------------------------------- */

enum error_pointer { GOOD, ODD_ADDRESS, LONG, NONE, SHORT, UNMAPPED, IN_KERNEL, NR_POINTERS };

static union {
	struct perfgrp_error e;
	unsigned char byte[sizeof(struct perfgrp_error) + 64];
} room;

static bool is_filled(const void *p, size_t size)
{
	const unsigned char *byte = p;

	while (size && *byte == FILL) {
		byte++;
		size--;
	}
	return size == 0;
}

/* The error pointer of KIND; its struct is prepared. */
static __u64 error_pointer(enum error_pointer kind)
{
	struct perfgrp_error *e = &room.e;

	memset(&room, FILL, sizeof(room));
	if (kind == ODD_ADDRESS)
		e = (void *)(room.byte + 1);
	e->size = sizeof(*e);
	switch (kind) {
	case LONG:
		e->size = sizeof(room);
		break;
	case NONE:
		return 0;
	case SHORT:
		e->size = sizeof(*e) - 1;
		break;
	case UNMAPPED:
		return to_u64(hole);
	case IN_KERNEL:
		return ~0ULL - 0xfff;
	default:
		break;
	}
	return to_u64(e);
}

/* What stands where error_pointer(KIND) pointed is as documented. */
static void expect_error_struct(const char *what, enum error_pointer kind, int ret,
				const struct refusal *want)
{
	struct perfgrp_error e;
	__u32 size;

	switch (kind) {
	case GOOD:
	case LONG:
		e = room.e;
		if (kind == LONG) {
			if (e.size != sizeof(room))
				fail("%s: the size of a longer error struct became %u", what,
				     e.size);
			e.size = sizeof(e);
		}
		if (!is_filled(room.byte + sizeof(e), sizeof(room) - sizeof(e)))
			fail("%s: something was written behind the error struct", what);
		break;
	case ODD_ADDRESS:
		memcpy(&e, room.byte + 1, sizeof(e));
		break;
	case SHORT:
		size = sizeof(e) - 1;
		if (memcmp(&room, &size, sizeof(size)) ||
		    !is_filled(room.byte + sizeof(size), sizeof(room) - sizeof(size)))
			fail("%s: an error struct that is too short was written to", what);
		return;
	default:
		return;
	}
	expect_refusal(__FILE__, __LINE__, what, ret, &e, want);
}

/* Bytes of an argument that a failing call may write. */
struct range {
	size_t from, to;
};

static const struct range nothing;

/* The kinds of error pointer to try: up to this one. */
static int last_kind = NR_POINTERS - 1;

/*
 * The call of number NR on FD with the argument ARG of ROOM bytes is refused as
 * WANT says, writes no byte of it outside of MAY, opens no fd, and leaves the
 * group as it was.
 */
static void expect_refused_call(const char *what, int fd, unsigned long nr, void *arg,
				const struct refusal *want, struct range may)
{
	static unsigned char before[ROOM];
	struct grp_head *head = arg;
	unsigned int fds = nr_open_fds();
	unsigned char *byte = arg;
	size_t i;
	int kind, ret;

	memcpy(before, arg, ROOM);
	for (kind = GOOD; kind <= last_kind && !verdict->failed; kind++) {
		memcpy(arg, before, ROOM);
		head->error = error_pointer(kind);
		memcpy(before + offsetof(struct grp_head, error), &head->error, 8);
		ret = ioctl(fd, nr, arg) < 0 ? -errno : 0;
		if (ret != -want->err && (!want->or_err || ret != -want->or_err))
			fail("%s with error pointer %d returned %d, expected -%d", what, kind,
			     ret, want->err);
		else
			expect_error_struct(what, kind, ret, want);
		for (i = 0; i < ROOM && memcmp(byte, before, ROOM); i++) {
			if (byte[i] != before[i] && (i < may.from || i >= may.to)) {
				fail("%s with error pointer %d wrote byte %zu of its argument",
				     what, kind, i);
				break;
			}
		}
	}
	if (nr_open_fds() != fds)
		fail("%s left an fd open", what);
	expect_as_before(what);
}

/* The same for a call of the table with a good argument that was then spoiled. */
static void expect_refused(const struct call *call, const char *what, void *arg,
			   const struct refusal *want)
{
	char line[120];

	snprintf(line, sizeof(line), "%s %s", call->name, what);
	expect_refused_call(line, fd_of(call), call->nr, arg, want, nothing);
}

#define EXPECT_UNTOUCHED(array) EXPECT(is_filled(array, sizeof(array)))

/* ---- what holds for every ioctl ------------------------------------------------------ */

static unsigned char arg_room[ROOM + 8] __attribute__((aligned(16)));

static void sizes(const void *which)
{
	const struct call *call = which;
	static const size_t more[] = { 1, 8, 100, 1024 };
	struct refusal too_short = refusal(EINVAL, PERFGRP_REASON_SIZE);
	struct refusal too_long = refusal(E2BIG, PERFGRP_REASON_SIZE);
	struct refusal tail = refusal(E2BIG, PERFGRP_REASON_TAIL);
	unsigned char *buf = arg_room;
	struct grp_head *head = (void *)buf;
	char what[120];
	size_t i, end;
	int ret;

	arrange_for(call);
	too_short.field = "size";

	/* Long enough to hold the error pointer: the error struct is written. */
	i = (call->first_size ?: call->size) - 1;
	for (; i >= sizeof(*head); i -= i > sizeof(*head) + 4 ? 4 : 1) {
		good_argument(call, buf);
		head->size = i;
		snprintf(what, sizeof(what), "of size %zu", i);
		expect_refused(call, what, buf, &too_short);
	}
	/* Too short for that: the errno is what counts. */
	for (i = 0; i < sizeof(*head); i++) {
		good_argument(call, buf);
		head->size = i;
		head->error = error_pointer(GOOD);
		ret = ioctl(fd_of(call), call->nr, buf) < 0 ? -errno : 0;
		EXPECT_EQ(ret, -EINVAL);
		if (!is_filled(room.byte + 4, sizeof(room.e) - 4))
			expect_refusal(__FILE__, __LINE__, call->name, ret, &room.e, &too_short);
		expect_as_before(call->name);
	}
	/* Longer than known, and not zero, at either end of the tail. */
	for (i = 0; i < ARRAY_SIZE(more); i++) {
		for (end = 0; end < 2; end++) {
			good_argument(call, buf);
			memset(buf + call->size, 0, more[i]);
			buf[call->size + (end ? more[i] - 1 : 0)] = 1;
			head->size = call->size + more[i];
			snprintf(what, sizeof(what), "%s with %zu bytes more, not zero",
				 call->name, more[i]);
			expect_refused_call(what, fd_of(call), call->nr, buf, &tail,
					    (struct range){ 0, sizeof(head->size) });
			if (head->size != call->size)
				fail("%s: size is %u, expected the kernel's, %zu", what,
				     head->size, call->size);
		}
	}
	/* More than a page, though the rest is zero. */
	REQUIRE(page <= ROOM);
	memset(buf + call->size, 0, page + 1 - call->size);
	good_argument(call, buf);
	head->size = page + 1;
	snprintf(what, sizeof(what), "%s with a byte more than a page", call->name);
	expect_refused_call(what, fd_of(call), call->nr, buf, &too_long,
			    (struct range){ 0, sizeof(head->size) });
	if (head->size != call->size)
		fail("%s: size is %u, expected the kernel's, %zu", what, head->size, call->size);
	/* Beyond any memory. */
	good_argument(call, buf);
	head->size = 0xffffffff;
	ret = grp_ioctl(fd_of(call), call->nr, buf);
	EXPECT(ret == -E2BIG || ret == -EFAULT);
	expect_as_before("of size 0xffffffff");

	/* Longer than known, and zero: as if it were not longer. */
	for (i = 0; i < ARRAY_SIZE(more); i++) {
		if (call->nr == PERFGRP_REMOVE && i > 0)
			break;
		good_argument(call, buf);
		memset(buf + call->size, 0, more[i]);
		head->size = call->size + more[i];
		ret = grp_ioctl(fd_of(call), call->nr, buf);
		if (ret)
			fail("%s with %zu bytes more, all zero: %d", call->name, more[i], ret);
	}
}

static void flags(const void *which)
{
	const struct call *call = which;
	struct refusal unknown = refusal(EOPNOTSUPP, PERFGRP_REASON_FLAGS);
	unsigned char *buf = arg_room;
	struct grp_head *head = (void *)buf;
	char what[40];
	int bit;

	arrange_for(call);
	unknown.field = "flags";
	for (bit = 0; bit < 32; bit++) {
		if (call->known_flags & (1U << bit))
			continue;
		good_argument(call, buf);
		head->flags = 1U << bit;
		snprintf(what, sizeof(what), "with flag bit %d", bit);
		expect_refused(call, what, buf, &unknown);
	}
	good_argument(call, buf);
	head->flags = ~call->known_flags;
	expect_refused(call, "with all unknown flags", buf, &unknown);
	EXPECT_UNTOUCHED(out_counters);
	EXPECT_UNTOUCHED(out_rows);
	EXPECT_UNTOUCHED(out_values);
}

static void reserved(const void *which)
{
	const struct call *call = which;
	struct refusal not_zero = refusal(EOPNOTSUPP, PERFGRP_REASON_RESERVED);
	unsigned char *buf = arg_room;
	char what[60];
	size_t i;

	arrange_for(call);
	not_zero.field = "reserved";
	for (i = 0; i < call->reserved_size; i++) {
		good_argument(call, buf);
		buf[call->reserved + i] = i & 1 ? 0x80 : 1;
		snprintf(what, sizeof(what), "with byte %zu of reserved set", i);
		expect_refused(call, what, buf, &not_zero);
	}
}

static void misaligned(const void *which)
{
	const struct call *call = which;
	unsigned char *buf = arg_room;
	int shift, ret;

	arrange_for(call);
	for (shift = 1; shift < 8; shift += 3) {
		if (call->nr == PERFGRP_REMOVE && shift > 1)
			break;
		good_argument(call, buf);
		memmove(buf + shift, buf, call->size);
		ret = ioctl(fd_of(call), call->nr, buf + shift) < 0 ? -errno : 0;
		if (ret)
			fail("%s at an address of %d mod 8 returned %d", call->name, shift, ret);
	}
}

static void pointers(const void *which)
{
	const struct call *call = which;
	unsigned char *buf = arg_room;
	void *const bad[] = {
		NULL, (void *)1, hole, (void *)(uintptr_t)-4096L, (void *)(uintptr_t)-8L,
	};
	size_t i, fits;
	int ret;

	arrange_for(call);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		void *p = i == 2 ? hole : bad[i];

		ret = ioctl(fd_of(call), call->nr, p) < 0 ? -errno : 0;
		if (ret != -EFAULT)
			fail("%s with argument %p returned %d, expected %d", call->name, p, ret,
			     -EFAULT);
		expect_as_before(call->name);
	}
	/* All but its end can be read. */
	for (fits = 1; fits < call->size; fits += fits < 16 ? 1 : 7) {
		good_argument(call, buf);
		memcpy(hole - fits, buf, fits);
		ret = ioctl(fd_of(call), call->nr, hole - fits) < 0 ? -errno : 0;
		if (ret != -EFAULT)
			fail("%s of which %zu bytes can be read returned %d, expected %d",
			     call->name, fits, ret, -EFAULT);
		expect_as_before(call->name);
	}
}

static void read_only(const void *which)
{
	const struct call *call = which;
	struct refusal fault = refusal(EFAULT, PERFGRP_REASON_POINTER);
	unsigned int fds;
	struct grp_head *head;
	int ret;

	arrange_for(call);
	fds = nr_open_fds();
	head = (void *)readonly;
	good_argument(call, arg_room);
	memcpy(readonly, arg_room, call->size);
	memset(&room, 0, sizeof(room));
	room.e.size = sizeof(room.e);
	head->error = to_u64(&room.e);
	REQUIRE(mprotect(readonly, page, PROT_READ) == 0);
	ret = ioctl(fd_of(call), call->nr, readonly) < 0 ? -errno : 0;
	if (call->writes)
		expect_refusal(__FILE__, __LINE__, call->name, ret, &room.e, &fault);
	else
		EXPECT_EQ(ret, 0);
	if (nr_open_fds() != fds)
		fail("%s left an fd open", call->name);
	if (call->writes)
		expect_as_before(call->name);
}

static void wrong_fd(const void *which)
{
	const struct call *call = which;
	unsigned char *buf = arg_room;
	int null = open("/dev/null", O_RDWR);
	int ret;

	arrange_for(call);
	ret = ioctl(fd_of(call) == dev ? grp : dev, call->nr, good_argument(call, buf)) < 0 ?
	      -errno : 0;
	EXPECT_EQ(ret, -ENOTTY);
	ret = ioctl(null, call->nr, good_argument(call, buf)) < 0 ? -errno : 0;
	EXPECT_EQ(ret, -ENOTTY);
	/* The number with a size and a direction in it is another number. */
	ret = ioctl(fd_of(call), _IOC(_IOC_READ | _IOC_WRITE, PERFGRP_IOC_TYPE,
				      _IOC_NR(call->nr), call->size),
		    good_argument(call, buf)) < 0 ? -errno : 0;
	EXPECT_EQ(ret, -ENOTTY);
	expect_as_before(call->name);
}

/* A line of TAP for each ioctl and each shape. */
__attribute__((constructor)) static void add_shapes(void)
{
	static const struct {
		void (*run)(const void *call);
		const char *line;
	} shapes[NR_SHAPES] = {
		[SIZE] = { sizes, "too short EINVAL, longer E2BIG unless zero" },
		[FLAGS] = { flags, "each unknown flag is EOPNOTSUPP" },
		[NOT_ZERO] = { reserved, "each reserved byte is EOPNOTSUPP" },
		[MISALIGNED] = { misaligned, "any address will do" },
		[POINTER] = { pointers, "an argument that cannot be read is EFAULT" },
		[READONLY] = { read_only, "an argument that cannot be written is EFAULT" },
		[WRONG_FD] = { wrong_fd, "the wrong fd, and the number with a size, ENOTTY" },
	};
	size_t i, shape;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		struct call *call = &calls[i];

		for (shape = 0; shape < NR_SHAPES; shape++) {
			if (shape == NOT_ZERO && !call->reserved_size)
				continue;
			snprintf(call->line[shape], sizeof(call->line[shape]), "A4: %s: %s",
				 call->name, shape == READONLY && !call->writes ?
				 "an argument that cannot be written will do" :
				 shapes[shape].line);
			test_add(call->line[shape], shapes[shape].run, call, 60);
		}
	}
}

/*
 * Leaves FILL where the kernel keeps its copy of an argument: the call is refused once all of it
 * was copied. Several times, because RANDOMIZE_KSTACK_OFFSET moves the copy.
 */
static void leave_fill_on_stack(const struct call *call)
{
	struct grp_head *head = (void *)arg_room;
	int i;

	memset(arg_room, FILL, ROOM);
	head->size = call->size;
	head->error = 0;
	for (i = 0; i < 8; i++)
		EXPECT(ioctl(fd_of(call), call->nr, arg_room) == -1 && errno == EOPNOTSUPP);
}

static void try_earlier_size(const struct call *call, size_t size)
{
	struct grp_head *head = good_argument(call, arg_room);
	int ret;

	head->size = size;
	memset(arg_room + size, FILL, ROOM - size);
	ret = grp_ioctl(fd_of(call), call->nr, arg_room);
	if (ret) {
		fail("%s of size %zu returned %d", call->name, size, ret);
		diag_error(&grp_error);
		return;
	}
	if (call->nr == PERFGRP_CREATE)
		close(((struct perfgrp_create *)head)->fd);
	if (head->size != size || !is_filled(arg_room + size, ROOM - size))
		fail("%s of size %zu changed its size, or wrote behind it", call->name, size);
}

TEST(earlier_sizes, "A4: an argument as short as an earlier version's is as if zeros followed")
{
	unsigned int i, n;
	size_t size;

	arrange();
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		size = calls[i].first_size ?: calls[i].size;
		for (; size < calls[i].size; size += 8) {
			for (n = 0; n < rounds(20) && !verdict->failed; n++) {
				leave_fill_on_stack(&calls[i]);
				try_earlier_size(&calls[i], size);
			}
		}
	}
}

TEST(unknown_numbers, "A4: unknown ioctl numbers are ENOTTY")
{
	unsigned char *buf = arg_room;
	size_t i;
	int nr, on;

	arrange();
	for (nr = 0; nr < 256; nr++) {
		for (on = 0; on < 2; on++) {
			bool known = false;
			int ret;

			for (i = 0; i < ARRAY_SIZE(calls); i++)
				known |= _IOC_NR(calls[i].nr) == (unsigned int)nr &&
					 fd_of(&calls[i]) == (on ? dev : grp);
			memset(buf, 0, ROOM);
			((struct grp_head *)buf)->size = 64;
			if (!known) {
				ret = ioctl(on ? dev : grp, _IO(PERFGRP_IOC_TYPE, nr), buf);
				if (ret != -1 || errno != ENOTTY)
					fail("number %#x on the %s: %d, errno %d", nr,
					     on ? "device" : "group", ret, errno);
			}
			ret = ioctl(on ? dev : grp, _IO(PERFGRP_IOC_TYPE + 1, nr), buf);
			if (ret != -1 || errno != ENOTTY)
				fail("type 0xbe number %#x on the %s: %d, errno %d", nr,
				     on ? "device" : "group", ret, errno);
		}
	}
	expect_as_before("an unknown number");
}

/* ---- CREATE ------------------------------------------------------------------------ */

static const struct call *call_of(unsigned long nr)
{
	size_t i;

	for (i = 0; calls[i].nr != nr; i++)
		;
	return &calls[i];
}

/* CREATE with these fields is refused; the text of it names NUMBER, unless -1. */
static void expect_no_group(const char *what, const struct perfgrp_create *fields,
			    const struct refusal *want, long number)
{
	const struct call *call = call_of(PERFGRP_CREATE);
	struct perfgrp_create *create = good_argument(call, arg_room);

	*create = *fields;
	create->size = sizeof(*create);
	create->fd = -77;
	expect_refused(call, what, create, want);
	if (number >= 0) {
		grp_ioctl(dev, PERFGRP_CREATE, create);
		if (!text_has_number(grp_error.text, number))
			fail("CREATE %s: no %ld in '%s'", what, number, grp_error.text);
	}
}

TEST_LIMIT(targets, 60, "A4: CREATE: no target, an unknown one, fields it has no use for")
{
	struct refusal want = refusal(EINVAL, PERFGRP_REASON_TARGET);

	arrange();
	want.field = "target";
	expect_no_group("with no target", &(struct perfgrp_create){ .target = 0 }, &want, -1);
	want.or_err = EOPNOTSUPP;
	expect_no_group("with target 6", &(struct perfgrp_create){ .target = 6 }, &want, -1);
	expect_no_group("with target 0xffffffff",
			&(struct perfgrp_create){ .target = 0xffffffff }, &want, -1);
	want.or_err = 0;

	want.field = "pid";
	expect_no_group("on CPUs and a task",
			&(struct perfgrp_create){ .target = PERFGRP_TARGET_CPUS, .pid = getpid(),
						  .cpus = to_u64(cpus.cpu), .nr_cpus = 1 },
			&want, -1);
	expect_no_group("on all CPUs and a task",
			&(struct perfgrp_create){ .target = PERFGRP_TARGET_ALL_CPUS, .pid = 1 },
			&want, -1);
	want.field = NULL;
	expect_no_group("on all CPUs and one of them",
			&(struct perfgrp_create){ .target = PERFGRP_TARGET_ALL_CPUS,
						  .cpus = to_u64(cpus.cpu), .nr_cpus = 1 },
			&want, -1);
	expect_no_group("on all CPUs with a pointer to none",
			&(struct perfgrp_create){ .target = PERFGRP_TARGET_ALL_CPUS,
						  .cpus = to_u64(cpus.cpu) },
			&want, -1);
	expect_no_group("on a task on two CPUs",
			&(struct perfgrp_create){ .target = PERFGRP_TARGET_TASK,
						  .cpus = to_u64(cpus.cpu), .nr_cpus = 2 },
			&want, -1);
}

TEST_LIMIT(bad_cpus, 60, "A4 G20: CREATE: impossible CPUs and repeated ones, with their number")
{
	struct refusal want = refusal(ENODEV, PERFGRP_REASON_CPU);
	__u32 list[MAX_CPUS], last, i;
	struct perfgrp_create on_list = { .target = PERFGRP_TARGET_CPUS, .cpus = to_u64(list) };
	struct perfgrp_create on_task = { .target = PERFGRP_TARGET_TASK, .cpus = to_u64(list),
					  .nr_cpus = 1 };

	arrange();
	want.field = "cpus";
	memcpy(list, cpus.cpu, sizeof(list));
	last = cpus.nr - 1;

	list[last] = info.nr_cpu_ids;
	on_list.nr_cpus = cpus.nr;
	want.cpu = info.nr_cpu_ids;
	expect_no_group("on a CPU one too high", &on_list, &want, info.nr_cpu_ids);
	list[last] = 0x7fffffff;
	want.cpu = 0x7fffffff;
	expect_no_group("on CPU 2147483647", &on_list, &want, 0x7fffffff);
	list[last] = 0xffffffff;
	want.cpu = -1;
	expect_no_group("on CPU 4294967295", &on_list, &want, -1);

	list[0] = info.nr_cpu_ids;
	want.cpu = info.nr_cpu_ids;
	expect_no_group("on a task on a CPU one too high", &on_task, &want, info.nr_cpu_ids);

	memcpy(list, cpus.cpu, sizeof(list));
	want.err = EINVAL;
	for (i = 0; i < last; i++) {
		list[last] = cpus.cpu[i];
		want.cpu = cpus.cpu[i];
		expect_no_group("on a CPU twice", &on_list, &want, cpus.cpu[i]);
	}
}

TEST_LIMIT(cpu_lists, 60, "A4: CREATE: CPU lists that are empty, too long, unmapped")
{
	struct refusal empty = refusal(EINVAL, PERFGRP_REASON_EMPTY);
	struct refusal fault = refusal(EFAULT, PERFGRP_REASON_POINTER);
	struct perfgrp_create on = { .target = PERFGRP_TARGET_CPUS };
	int ret;

	arrange();
	empty.field = "nr_cpus";
	fault.field = "cpus";
	expect_no_group("on no CPUs", &on, &empty, -1);
	on.cpus = to_u64(cpus.cpu);
	expect_no_group("on a list of length 0", &on, &empty, -1);

	on.nr_cpus = 1;
	on.cpus = 0;
	expect_no_group("on a NULL list", &on, &fault, -1);
	on.cpus = to_u64(hole);
	expect_no_group("on an unmapped list", &on, &fault, -1);
	on.cpus = 0xffffffff80000000ULL;
	expect_no_group("on a list in the kernel", &on, &fault, -1);
	on.cpus = to_u64(hole - 4);
	on.nr_cpus = 2;
	memcpy(hole - 4, cpus.cpu, 4);
	expect_no_group("on a list of which half is mapped", &on, &fault, -1);
	on.target = PERFGRP_TARGET_TASK;
	on.nr_cpus = 1;
	on.cpus = 0;
	expect_no_group("on a task with a NULL list", &on, &fault, -1);

	/* More CPUs than there can be: at least one is wrong, or twice. */
	ret = grp_create_on(dev, 0, PERFGRP_TARGET_CPUS, 0, cpus.cpu, 0xffffffff);
	EXPECT(ret < 0 && error_is_sane(&grp_error, -ret));
	EXPECT(ret != -ENOMEM);
	ret = grp_create_on(dev, 0, PERFGRP_TARGET_CPUS, 0, cpus.cpu, info.nr_cpu_ids + 1);
	EXPECT(ret < 0 && error_is_sane(&grp_error, -ret));
	expect_as_before("a CPU list that is too long");
}

TEST_LIMIT(bad_pids, 60, "A4: CREATE: a pid that is negative, of nobody, of a zombie")
{
	struct refusal want = refusal(ESRCH, PERFGRP_REASON_PID);
	struct perfgrp_create on = { .target = PERFGRP_TARGET_TASK };
	struct child child;

	/* First, so that what fork() costs us is not counted. */
	child = child_start();
	child_exit(&child);
	arrange();
	want.field = "pid";
	on.pid = child.pid;
	expect_no_group("on a zombie", &on, &want, child.pid);
	child_reap(&child);
	expect_no_group("on nobody", &on, &want, child.pid);
	on.pid = 0x7fffffff;
	expect_no_group("on pid 2147483647", &on, &want, -1);
	want.or_err = EINVAL;
	on.pid = -1;
	expect_no_group("on pid -1", &on, &want, -1);
	on.pid = -getpid();
	expect_no_group("on the negative of our pid", &on, &want, -1);
}

TEST_LIMIT(missing_features, 60, "A4: CREATE: a flag whose feature is missing is EOPNOTSUPP")
{
	static const struct {
		__u32 flag;
		__u64 feature;
	} flag[] = {
		{ PERFGRP_CREATE_INHERIT, PERFGRP_FEATURE_INHERIT },
		{ PERFGRP_CREATE_ENABLE_ON_EXEC, PERFGRP_FEATURE_INHERIT },
		{ PERFGRP_CREATE_NO_MUX, PERFGRP_FEATURE_NO_MUX },
		{ PERFGRP_CREATE_EXCLUSIVE, PERFGRP_FEATURE_NO_MUX },
		{ PERFGRP_CREATE_ONE_SCHED_GROUP, PERFGRP_FEATURE_SCHED_GROUP },
		{ PERFGRP_CREATE_BPF_EVENTS, PERFGRP_FEATURE_BPF_EVENTS },
	};
	struct refusal want = refusal(EOPNOTSUPP, PERFGRP_REASON_FEATURE);
	unsigned int tried = 0;
	char what[40];
	size_t i;

	arrange();
	want.field = "flags";
	for (i = 0; i < ARRAY_SIZE(flag); i++) {
		if (info.features & flag[i].feature)
			continue;
		snprintf(what, sizeof(what), "with flag %#x", flag[i].flag);
		expect_no_group(what, &(struct perfgrp_create){ .target = PERFGRP_TARGET_TASK,
								.flags = flag[i].flag },
				&want, -1);
		tried++;
	}
	if (!tried)
		skip("the module has all these features");
}

TEST(inherit_on_cpus, "A4 G16: CREATE: inherit and exec on a CPU target are refused")
{
	static const __u32 flag[] = { PERFGRP_CREATE_INHERIT, PERFGRP_CREATE_ENABLE_ON_EXEC };
	size_t i;
	int ret;

	arrange();
	for (i = 0; i < ARRAY_SIZE(flag); i++) {
		ret = grp_create_on(dev, flag[i], PERFGRP_TARGET_ALL_CPUS, 0, NULL, 0);
		if (info.features & PERFGRP_FEATURE_INHERIT)
			EXPECT_EQ(ret, -EINVAL);
		else
			EXPECT_EQ(ret, -EOPNOTSUPP);
		EXPECT(ret < 0 && error_is_sane(&grp_error, -ret));
	}
}

/* ---- ADD --------------------------------------------------------------------------- */

/* Adding BAD, after want->member good counters, is refused and writes no id. */
static void expect_no_counter(const char *what, const struct perfgrp_counter *bad,
			      const struct refusal *want)
{
	static struct perfgrp_counter before[ARRAY_SIZE(one_counter)];
	const struct call *call = call_of(PERFGRP_ADD);
	struct perfgrp_add *add = good_argument(call, arg_room);
	__u32 i;

	for (i = 1; i < want->member; i++)
		one_counter[i] = one_counter[0];
	one_counter[want->member] = *bad;
	add->nr_counters = want->member + 1;
	memcpy(before, one_counter, sizeof(before));
	expect_refused(call, what, add, want);
	if (memcmp(before, one_counter, sizeof(before)))
		fail("ADD %s wrote to the counters", what);
}

static struct refusal counter_refusal(int err, __u32 reason, const char *field)
{
	struct refusal r = refusal(err, reason);

	r.member = 0;
	r.field = field;
	return r;
}

TEST_LIMIT(counter_flags, 60, "A4: ADD: each unknown flag of a counter is EOPNOTSUPP")
{
	struct refusal want = counter_refusal(EOPNOTSUPP, PERFGRP_REASON_FLAGS, "flags");
	struct perfgrp_counter bad = { .event = PERFGRP_SW_DUMMY };
	char what[40];
	int bit;

	arrange();
	last_kind = GOOD;
	for (bit = 8; bit < 32; bit++) {
		bad.flags = 1U << bit;
		snprintf(what, sizeof(what), "of a counter with flag bit %d", bit);
		expect_no_counter(what, &bad, &want);
	}
	for (want.member = 1; want.member < ARRAY_SIZE(one_counter); want.member++)
		expect_no_counter("of good counters and one with flag bit 31", &bad, &want);
}

TEST_LIMIT(counter_unused, 60, "A4: ADD: each byte of a counter's unused fields is EINVAL")
{
	static const struct {
		const char *name;
		size_t from, size;
		__u32 flags;		/* of the counter that has no use for the field */
	} field[] = {
#define FIELD(name, flags) { #name, offsetof(struct perfgrp_counter, name), \
			     sizeof(((struct perfgrp_counter *)0)->name), flags }
		FIELD(id, 0),
		FIELD(pmu, 0),
		FIELD(type, 0),
		FIELD(config, 0),
		FIELD(config1, 0),
		FIELD(config2, 0),
		FIELD(bp_type, 0),
		FIELD(id, PERFGRP_COUNTER_RAW),
		FIELD(pmu, PERFGRP_COUNTER_RAW),
		FIELD(event, PERFGRP_COUNTER_RAW),
	};
	struct refusal want = counter_refusal(EINVAL, PERFGRP_REASON_RESERVED, NULL);
	struct perfgrp_counter bad;
	char what[60];
	size_t i, b;

	arrange();
	last_kind = GOOD;
	for (i = 0; i < ARRAY_SIZE(field); i++) {
		want.field = field[i].name;
		for (b = 0; b < field[i].size; b++) {
			memset(&bad, 0, sizeof(bad));
			bad.flags = field[i].flags;
			if (bad.flags & PERFGRP_COUNTER_RAW) {
				bad.type = PERF_TYPE_SOFTWARE;
				bad.config = PERF_COUNT_SW_DUMMY;
			} else {
				bad.event = PERFGRP_SW_DUMMY;
			}
			((unsigned char *)&bad)[field[i].from + b] |= 1;
			snprintf(what, sizeof(what), "of a %scounter with byte %zu of %s set",
				 field[i].flags ? "raw " : "", b, field[i].name);
			expect_no_counter(what, &bad, &want);
		}
	}
}

TEST(unused_config3, "A4: ADD: config3 beside an event is refused")
{
	struct perfgrp_counter bad = { .event = PERFGRP_SW_DUMMY, .config3 = 1 };
	int ret;

	arrange();
	ret = grp_add_counters(grp, &bad, 1);
	/* Kernels before 6.3 do not know it at all. */
	if (ret == -EOPNOTSUPP)
		EXPECT_EQ(grp_error.reason, PERFGRP_REASON_FEATURE);
	else
		EXPECT_REFUSED_MEMBER(ret, EINVAL, RESERVED, 0);
	EXPECT(strcmp(grp_error.field, "config3") == 0);
	expect_as_before("config3");
}

TEST_LIMIT(counter_sampling, 60, "A4: ADD: sampling without the feature, and without sense")
{
	struct refusal want = counter_refusal(EOPNOTSUPP, PERFGRP_REASON_FEATURE,
					      "sample_period");
	struct perfgrp_counter bad = { .event = PERFGRP_SW_CPU_CLOCK, .sample_period = 1000000 };
	struct perfgrp_counter one = { .event = PERFGRP_SW_CPU_CLOCK,
				       .flags = PERFGRP_COUNTER_FREQ };
	int ret;

	arrange();
	if (!(info.features & PERFGRP_FEATURE_SAMPLING)) {
		expect_no_counter("of a counter with a period", &bad, &want);
		bad.sample_period = 1;
		expect_no_counter("of a counter with period 1", &bad, &want);
		bad.flags = PERFGRP_COUNTER_FREQ;
		want.field = NULL;
		expect_no_counter("of a counter with a frequency", &bad, &want);
	}
	ret = grp_add_counters(grp, &one, 1);
	EXPECT(ret == -EINVAL || ret == -EOPNOTSUPP);
	EXPECT(error_is_sane(&grp_error, -ret));
	EXPECT_EQ(grp_error.member, 0);
	one = (struct perfgrp_counter){ .event = PERFGRP_SW_CPU_CLOCK, .precise_ip = 1 };
	ret = grp_add_counters(grp, &one, 1);
	EXPECT(ret == -EINVAL || ret == -EOPNOTSUPP);
	EXPECT(error_is_sane(&grp_error, -ret));
	one.precise_ip = 4;
	ret = grp_add_counters(grp, &one, 1);
	EXPECT(ret == -EINVAL || ret == -EOPNOTSUPP);
	EXPECT(error_is_sane(&grp_error, -ret));
	expect_as_before("a frequency without a value");
}

TEST_LIMIT(unknown_events, 60, "A4 E7: ADD: events and types that do not exist, by name")
{
	struct refusal want = counter_refusal(ENOENT, PERFGRP_REASON_EVENT, NULL);
	struct perfgrp_counter bad = { .event = PERFGRP_EVENT(0x7ffffffe, 3) };

	arrange();
	expect_no_counter("of type 2147483646", &bad, &want);
	bad.event = PERFGRP_EVENT(PERF_TYPE_SOFTWARE, 4711);
	want.or_err = EOPNOTSUPP;
	expect_no_counter("of software event 4711", &bad, &want);

	/* The refusal names it. */
	EXPECT_EQ(grp_add(grp, PERFGRP_EVENT(0x7ffffffe, 3)), -ENOENT);
	EXPECT(text_has_number(grp_error.text, 0x7ffffffe));
	EXPECT(grp_add(grp, PERFGRP_EVENT(PERF_TYPE_SOFTWARE, 4711)) < 0);
	EXPECT(text_has_number(grp_error.text, 4711));

	bad = (struct perfgrp_counter){ .flags = PERFGRP_COUNTER_RAW, .type = 0x7ffffffe };
	want.or_err = 0;
	expect_no_counter("of a raw type that no PMU has", &bad, &want);
	bad.type = 0xffffffff;
	expect_no_counter("of raw type 4294967295", &bad, &want);
	expect_as_before("an event that does not exist");
}

TEST_LIMIT(no_event, 60, "E8: ADD: a counter that names no event is EINVAL, and the text says so")
{
	static const __u64 unmarked[] = {
		0, PERFGRP_SW_PAGE_FAULTS & ~PERFGRP_EVENT_VALID,
		PERFGRP_HW_CPU_CYCLES & ~PERFGRP_EVENT_VALID, ~PERFGRP_EVENT_VALID,
	};
	struct refusal want = counter_refusal(EINVAL, PERFGRP_REASON_EVENT, "event");
	struct perfgrp_counter bad = { 0 };
	char what[60];
	size_t i;

	arrange();
	last_kind = GOOD;
	for (i = 0; i < ARRAY_SIZE(unmarked); i++) {
		bad.event = unmarked[i];
		snprintf(what, sizeof(what), "of event %#llx", (unsigned long long)bad.event);
		want.member = i % ARRAY_SIZE(one_counter);
		expect_no_counter(what, &bad, &want);
	}
	/* In the raw form 0 is what it must be, and type 0, config 0 are cycles. */
	bad = (struct perfgrp_counter){ .flags = PERFGRP_COUNTER_RAW,
					.type = PERF_TYPE_SOFTWARE };
	EXPECT_EQ(grp_add_counters(grp, &bad, 1), 0);
}

TEST_LIMIT(counter_arrays, 60, "A4: ADD: counter arrays that are empty, too long, unmapped")
{
	const struct call *call = call_of(PERFGRP_ADD);
	struct refusal empty = refusal(EINVAL, PERFGRP_REASON_EMPTY);
	struct refusal fault = refusal(EFAULT, PERFGRP_REASON_POINTER);
	struct refusal limit = refusal(ENOSPC, PERFGRP_REASON_LIMIT);
	static const __u64 bad[] = { 0, 1, 0xffffffff80000000ULL, 0x8000000000000000ULL };
	struct perfgrp_add *add;
	char what[60];
	size_t i;
	int ret;

	arrange();
	empty.field = "nr_counters";
	fault.field = "counters";
	add = good_argument(call, arg_room);
	add->nr_counters = 0;
	expect_refused(call, "of no counters", add, &empty);

	/* About the first one that cannot be read. */
	fault.member = 0;
	for (i = 0; i < ARRAY_SIZE(bad) + 2; i++) {
		add = good_argument(call, arg_room);
		add->counters = i < ARRAY_SIZE(bad) ? bad[i] :
				to_u64(i & 1 ? hole : hole - sizeof(one_counter[0]) + 1);
		snprintf(what, sizeof(what), "of counters at %#llx", add->counters);
		expect_refused(call, what, add, &fault);
	}
	/* The ids cannot be written back. */
	fault.member = PERFGRP_NONE;
	good_argument(call, arg_room);
	memcpy(readonly, one_counter, sizeof(one_counter));
	REQUIRE(mprotect(readonly, page, PROT_READ) == 0);
	add->counters = to_u64(readonly);
	expect_refused(call, "of counters that cannot be written", add, &fault);

	add = good_argument(call, arg_room);
	add->nr_counters = 0xffffffff;
	limit.field = "nr_counters";
	expect_refused(call, "of 4294967295 counters", add, &limit);
	ret = grp_ioctl(grp, PERFGRP_ADD, add);
	EXPECT_EQ(ret, -ENOSPC);
	EXPECT(text_has_number(grp_error.text, info.max_members));
}

static unsigned char long_counter[ROOM + 1];

TEST_LIMIT(counter_sizes, 60, "A4: ADD: counter_size too short EINVAL, longer E2BIG unless zero")
{
	const struct call *call = call_of(PERFGRP_ADD);
	struct refusal too_short = refusal(EINVAL, PERFGRP_REASON_SIZE);
	struct refusal too_long = refusal(E2BIG, PERFGRP_REASON_SIZE);
	struct refusal tail = refusal(E2BIG, PERFGRP_REASON_TAIL);
	static const __u32 small[] = { 0, 1, 8, PERFGRP_COUNTER_SIZE_VER0 - 1 };
	static struct {
		struct perfgrp_counter c;
		__u64 more;
	} big[2];
	struct perfgrp_add *add;
	char what[60];
	size_t i;
	int ret;

	arrange();
	too_short.field = "counter_size";
	for (i = 0; i < ARRAY_SIZE(small); i++) {
		add = good_argument(call, arg_room);
		add->counter_size = small[i];
		snprintf(what, sizeof(what), "of counters of size %u", small[i]);
		expect_refused(call, what, add, &too_short);
	}

	big[0].c.event = PERFGRP_SW_DUMMY;
	big[1].c.event = PERFGRP_SW_DUMMY;
	big[1].more = 1ULL << 63;
	tail.member = 1;
	add = good_argument(call, arg_room);
	add->counters = to_u64(big);
	add->counter_size = sizeof(big[0]);
	add->nr_counters = 2;
	expect_refused_call("ADD of longer counters, not zero", grp, PERFGRP_ADD, add, &tail,
			    (struct range){ 0, call->size });
	EXPECT_EQ(big[0].c.id, 0);
	EXPECT_EQ(big[1].c.id, 0);

	/* More than a page, though the rest is zero. */
	too_long.field = "counter_size";
	REQUIRE(page <= ROOM);
	memset(long_counter, 0, page + 1);
	memcpy(long_counter, &big[0].c, sizeof(big[0].c));
	add = good_argument(call, arg_room);
	add->counters = to_u64(long_counter);
	add->counter_size = page + 1;
	add->nr_counters = 1;
	expect_refused(call, "of counters of a byte more than a page", add, &too_long);

	add = good_argument(call, arg_room);
	add->counter_size = 0xfffffff0;
	ret = grp_ioctl(grp, PERFGRP_ADD, add);
	EXPECT(ret == -E2BIG || ret == -EFAULT || ret == -EINVAL);
	EXPECT(error_is_sane(&grp_error, -ret));
	expect_as_before("ADD of counters of size 0xfffffff0");

	/* Longer and zero is as good as not longer; ids go to the right places. */
	big[1].more = 0;
	add = good_argument(call, arg_room);
	add->counters = to_u64(big);
	add->counter_size = sizeof(big[0]);
	add->nr_counters = 2;
	EXPECT_EQ(grp_ioctl(grp, PERFGRP_ADD, add), 0);
	EXPECT_NE(big[0].c.id, 0);
	EXPECT_GT(big[1].c.id, big[0].c.id);
	EXPECT_EQ(big[0].more, 0);
}

TEST(misaligned_counters, "A4: ADD: counters at any address will do")
{
	static unsigned char odd[sizeof(struct perfgrp_counter) + 1];
	struct perfgrp_add add = { .size = sizeof(add), .counters = to_u64(odd + 1),
				   .counter_size = sizeof(struct perfgrp_counter),
				   .nr_counters = 1 };
	struct perfgrp_counter c = { .event = PERFGRP_SW_DUMMY };

	arrange();
	memcpy(odd + 1, &c, sizeof(c));
	EXPECT_EQ(grp_ioctl(grp, PERFGRP_ADD, &add), 0);
	memcpy(&c, odd + 1, sizeof(c));
	EXPECT_GT(c.id, member[NR_MEMBERS - 1].id);
}

/* ---- REMOVE -------------------------------------------------------------------------- */

TEST_LIMIT(bad_ids, 60, "A4 G11 G12: REMOVE: unknown ids ENOENT, the leader EBUSY")
{
	const struct call *call = call_of(PERFGRP_REMOVE);
	const __u32 none[] = { 0, 4711, 0x80000000, PERFGRP_NONE };
	struct refusal want = refusal(ENOENT, PERFGRP_REASON_MEMBER);
	struct perfgrp_remove *remove;
	char what[40];
	size_t i;

	arrange();
	want.field = "id";
	for (i = 0; i < 2 * ARRAY_SIZE(none); i++) {
		remove = good_argument(call, arg_room);
		remove->flags = i & 1 ? PERFGRP_REMOVE_CASCADE : 0;
		remove->id = none[i / 2];
		want.member = remove->id;
		snprintf(what, sizeof(what), "of id %u", remove->id);
		expect_refused(call, what, remove, &want);
	}
	want = refusal(EBUSY, PERFGRP_REASON_LEADER);
	remove = good_argument(call, arg_room);
	remove->id = member[0].id;
	want.member = remove->id;
	expect_refused(call, "of the leader", remove, &want);
}

/* ---- QUERY and SNAPSHOT ----------------------------------------------------------------- */

TEST_LIMIT(query_arrays, 60, "A4: QUERY: arrays too small EMSGSIZE, unmapped EFAULT, sizes")
{
	const struct call *call = call_of(PERFGRP_QUERY);
	struct refusal small = refusal(EMSGSIZE, PERFGRP_REASON_BUFFER);
	struct refusal fault = refusal(EFAULT, PERFGRP_REASON_POINTER);
	struct refusal size = refusal(EINVAL, PERFGRP_REASON_SIZE);
	const struct range count = { offsetof(struct perfgrp_query, nr_counters),
				     offsetof(struct perfgrp_query, create_flags) };
	struct perfgrp_query *query;
	__u32 nr;

	arrange();
	small.field = "nr_counters";
	fault.field = "counters";
	size.field = "counter_size";
	for (nr = 0; nr < NR_MEMBERS; nr++) {
		query = good_argument(call, arg_room);
		query->nr_counters = nr;
		expect_refused_call("QUERY with too little room", grp, PERFGRP_QUERY, query,
				    &small, count);
		EXPECT_EQ(query->nr_counters, NR_MEMBERS);
		EXPECT_UNTOUCHED(out_counters);
	}
	query = good_argument(call, arg_room);
	query->counters = 0;
	query->nr_counters = 0;
	expect_refused_call("QUERY with no room", grp, PERFGRP_QUERY, query, &small, count);
	EXPECT_EQ(query->nr_counters, NR_MEMBERS);

	query = good_argument(call, arg_room);
	query->counters = 0;
	expect_refused(call, "into NULL", query, &fault);
	query->counters = to_u64(hole);
	expect_refused(call, "into nowhere", query, &fault);
	query->counters = to_u64(hole - sizeof(struct perfgrp_counter));
	expect_refused(call, "into too few mapped bytes", query, &fault);

	query = good_argument(call, arg_room);
	query->counter_size = PERFGRP_COUNTER_SIZE_VER0 - 1;
	expect_refused(call, "with a counter_size one too small", query, &size);
	query->counter_size = 0;
	expect_refused(call, "with counter_size 0", query, &size);
	EXPECT_UNTOUCHED(out_counters);
}

TEST_LIMIT(snapshot_arrays, 60,
	   "A4 S8: SNAPSHOT: arrays too small EMSGSIZE, unmapped EFAULT, sizes")
{
	const struct call *call = call_of(PERFGRP_SNAPSHOT);
	struct refusal small = refusal(EMSGSIZE, PERFGRP_REASON_BUFFER);
	struct refusal fault = refusal(EFAULT, PERFGRP_REASON_POINTER);
	struct refusal size = refusal(EINVAL, PERFGRP_REASON_SIZE);
	const struct range counts = { offsetof(struct perfgrp_snapshot, row_size),
				      offsetof(struct perfgrp_snapshot, time_before) };
	static const __u32 too_small[] = { 0, 1, PERFGRP_ROW_SIZE_VER0 - 1 };
	struct perfgrp_snapshot *s;
	__u32 nr, reset;
	size_t i;
	__u64 place[3];

	arrange();
	for (nr = 0; nr < NR_MEMBERS; nr++) {
		s = good_argument(call, arg_room);
		s->nr_values = nr;
		expect_refused_call("SNAPSHOT with room for too few values", grp,
				    PERFGRP_SNAPSHOT, s, &small, counts);
		EXPECT_EQ(s->nr_rows, 1);
		EXPECT_EQ(s->nr_values, NR_MEMBERS);
	}
	EXPECT_UNTOUCHED(out_rows);
	EXPECT_UNTOUCHED(out_values);

	/* With RESET as well: what fails resets nothing. */
	place[0] = 0;
	place[1] = to_u64(hole);
	place[2] = to_u64(hole) - 8;
	for (reset = 0; reset <= PERFGRP_SNAPSHOT_RESET; reset += PERFGRP_SNAPSHOT_RESET) {
		for (i = 0; i < ARRAY_SIZE(place); i++) {
			fault.field = "rows";
			s = good_argument(call, arg_room);
			s->flags = reset;
			if (reset && i == 0) {
				/* Where the flag is refused this has been shown. */
				grp_ioctl(grp, PERFGRP_SNAPSHOT, s);
				if (grp_error.error == EOPNOTSUPP)
					return;
				taken = 0;
				s = good_argument(call, arg_room);
				s->flags = reset;
				memset(seen_enabled, 0, sizeof(seen_enabled));
			}
			s->rows = place[i];
			expect_refused(call, "into rows that are not there", s, &fault);
			fault.field = "values";
			s = good_argument(call, arg_room);
			s->flags = reset;
			s->values = place[i];
			expect_refused(call, "into values that are not there", s, &fault);
		}
	}

	for (i = 0; i < ARRAY_SIZE(too_small); i++) {
		size.field = "row_size";
		s = good_argument(call, arg_room);
		s->row_size = too_small[i];
		expect_refused(call, "with a row_size too small", s, &size);
		size.field = "value_size";
		s = good_argument(call, arg_room);
		s->value_size = too_small[i] + 8;
		expect_refused(call, "with a value_size too small", s, &size);
		EXPECT_UNTOUCHED(out_rows);
		EXPECT_UNTOUCHED(out_values);
	}

	size = refusal(E2BIG, PERFGRP_REASON_SIZE);
	size.field = "row_size";
	s = good_argument(call, arg_room);
	s->row_size = page + 1;
	expect_refused(call, "with a row_size of a byte more than a page", s, &size);
	size.field = "value_size";
	s = good_argument(call, arg_room);
	s->value_size = page + 1;
	expect_refused(call, "with a value_size of a byte more than a page", s, &size);
	EXPECT_UNTOUCHED(out_rows);
	EXPECT_UNTOUCHED(out_values);
}

/* ---- the error struct itself ------------------------------------------------------------- */

/* An error struct of another size: REMOVE of no member with it. */
static int fail_with_error_size(void *error, __u32 size)
{
	struct perfgrp_remove remove = { .size = sizeof(remove), .error = to_u64(error),
					 .id = 4711 };

	memcpy(error, &size, sizeof(size));
	return ioctl(grp, PERFGRP_REMOVE, &remove) < 0 ? -errno : 0;
}

TEST(longer_error, "A12: of a longer error struct the kernel fills in what it knows")
{
	static const __u32 size[] = { PERFGRP_ERROR_SIZE_VER0, PERFGRP_ERROR_SIZE_VER0 + 1,
				      PERFGRP_ERROR_SIZE_VER0 + 8, 4096, 0xffffffff };
	static unsigned char buf[8192];
	struct refusal want = refusal(ENOENT, PERFGRP_REASON_MEMBER);
	struct perfgrp_error e;
	size_t i;
	int ret;

	arrange();
	want.member = 4711;
	want.field = "id";
	for (i = 0; i < ARRAY_SIZE(size); i++) {
		memset(buf, FILL, sizeof(buf));
		ret = fail_with_error_size(buf, size[i]);
		memcpy(&e, buf, sizeof(e));
		EXPECT_EQ(e.size, size[i]);
		e.size = sizeof(e);
		expect_refusal(__FILE__, __LINE__, "REMOVE", ret, &e, &want);
		EXPECT(is_filled(buf + sizeof(e), sizeof(buf) - sizeof(e)));
	}
}

TEST(shorter_error, "A12: an error struct shorter than version 1's is left alone")
{
	static const __u32 size[] = { 0, 4, 20, PERFGRP_ERROR_SIZE_VER0 - 1 };
	static unsigned char buf[1024];
	__u32 left;
	size_t i;

	arrange();
	for (i = 0; i < ARRAY_SIZE(size); i++) {
		memset(buf, FILL, sizeof(buf));
		EXPECT_EQ(fail_with_error_size(buf, size[i]), -ENOENT);
		memcpy(&left, buf, sizeof(left));
		EXPECT_EQ(left, size[i]);
		EXPECT(is_filled(buf + sizeof(left), sizeof(buf) - sizeof(left)));
	}
}

TEST(success_is_silent, "A4: a call that succeeds leaves the error struct alone")
{
	unsigned char *buf = arg_room;
	struct grp_head *head = (void *)buf;
	size_t i;

	arrange();
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (is_missing(&calls[i]))
			continue;
		good_argument(&calls[i], buf);
		memset(&room, FILL, sizeof(room));
		room.e.size = sizeof(room.e);
		head->error = to_u64(&room.e);
		EXPECT(ioctl(fd_of(&calls[i]), calls[i].nr, buf) == 0);
		if (room.e.size != sizeof(room.e) || !is_filled(room.byte + 4, sizeof(room) - 4))
			fail("%s wrote to the error struct", calls[i].name);
	}
}

TEST(error_without_effect, "A4: a call that succeeds does so with any error pointer")
{
	unsigned char *buf = arg_room;
	struct grp_head *head = (void *)buf;
	int kind;
	size_t i;

	arrange();
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		for (kind = GOOD; kind < NR_POINTERS; kind++) {
			if ((calls[i].nr == PERFGRP_REMOVE && kind != UNMAPPED) ||
			    is_missing(&calls[i]))
				continue;
			good_argument(&calls[i], buf);
			head->error = error_pointer(kind);
			if (ioctl(fd_of(&calls[i]), calls[i].nr, buf))
				fail("%s with error pointer %d: errno %d", calls[i].name, kind,
				     errno);
		}
	}
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
