// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on counters: attach, replace, detach, query. With page faults and other
 * software events, which every machine has; test_bpf_maps.c has events that overflow in
 * NMIs, and what happens to maps then.
 */
#include "bpf.h"
#include "caps.h"
#include "../bpf/overflow.h"

#include <linux/hw_breakpoint.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static struct bpf_object *object;

static void load(__u32 answer)
{
	__u32 zero = 0;

	need_bpf();
	object = bpf_load("overflow");
	REQUIRE_EQ(bpf_map_update_elem(bpf_map(object, "verdict"), &zero, &answer, BPF_ANY), 0);
}

static struct seen seen(__u32 cookie)
{
	struct seen seen;

	REQUIRE_EQ(bpf_map_lookup_elem(bpf_map(object, "seen_by_cookie"), &cookie, &seen), 0);
	return seen;
}

/* Samples each NR-th page fault of user mode. */
static struct perfgrp_counter faults(__u64 nr)
{
	return (struct perfgrp_counter){
		.event = PERFGRP_SW_PAGE_FAULTS,
		.flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
		.sample_period = nr,
	};
}

/* A disabled group on this task with these counters. */
static int group(struct perfgrp_counter *counters, __u32 nr)
{
	int fd;

	settle_memory();
	fd = stream_on_task(0, 0, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, counters, nr), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static void faults_while_enabled(int fd, unsigned int nr)
{
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(nr);
	REQUIRE_EQ(grp_disable(fd), 0);
}

static struct perfgrp_stream_stats stream_state(int fd)
{
	struct perfgrp_stream_stats stream = { .size = sizeof(stream) };

	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_GET_STREAM_STATS, &stream), 0);
	return stream;
}

/* Closes a program that was refused; nobody else holds it. */
static void expect_let_go(int prog)
{
	__u32 id = bpf_id(prog);

	close(prog);
	if (!bpf_is_gone(id))
		fail("program %u was refused, and is not let go", id);
}

/* ---- B1: which programs can be attached to which counters ---------------------- */

TEST(attaches, "B1 B6: a perf_event program runs at each overflow, and the query tells it")
{
	struct perfgrp_counter c = faults(1);
	struct perfgrp_bpf_query query;
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int fd, prog;

	load(1);
	prog = bpf_prog(object, "note");
	fd = group(&c, 1);
	REQUIRE_EQ(bpf_obj_get_info_by_fd(prog, &info, &len), 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, prog, 5), 0);
	query = grp_attached(fd, c.id);
	EXPECT_EQ(query.runs, 0);
	faults_while_enabled(fd, 20);
	query = grp_attached(fd, c.id);
	EXPECT_EQ(query.attach_flags, 0);
	EXPECT_EQ(query.id, c.id);
	EXPECT_EQ(query.prog_id, info.id);
	EXPECT_EQ(memcmp(query.tag, info.tag, sizeof(query.tag)), 0);
	EXPECT_EQ(query.cookie, 5);
	EXPECT_EQ(query.runs, 20);
	EXPECT_EQ(query.misses, 0);
	EXPECT_EQ(query.dropped, 0);
	EXPECT_EQ(query.nsecs, 0);
	EXPECT_EQ(seen(5).runs, 20);
	EXPECT_EQ(seen(0).runs, 0);
}

TEST(unused_fields, "A4 B1: ATTACH has no use for a prog_id, and refuses it")
{
	struct perfgrp_counter c = faults(1);
	struct perfgrp_bpf_attach call = { .size = sizeof(call) };
	int fd, prog;

	load(1);
	prog = bpf_prog(object, "other");
	fd = group(&c, 1);
	call.id = c.id;
	call.prog_fd = prog;
	call.prog_id = bpf_id(prog);
	EXPECT_REFUSED_MEMBER(grp_ioctl(fd, PERFGRP_BPF_ATTACH, &call), EOPNOTSUPP, RESERVED, c.id);
	EXPECT(strcmp(grp_error.field, "prog_id") == 0);
	EXPECT_REFUSED_MEMBER(grp_bpf_detach(fd, c.id, 0), ENOENT, BPF_NONE, c.id);
}

TEST(wrong_programs, "B1: what is no perf_event program is refused, with its type, and let go")
{
	static const struct {
		enum bpf_prog_type type;
		const char *name;
	} wrong[] = {
		{ BPF_PROG_TYPE_SOCKET_FILTER, "socket_filter" },
		{ BPF_PROG_TYPE_KPROBE, "kprobe" },
		{ BPF_PROG_TYPE_SCHED_CLS, "sched_cls" },
		{ BPF_PROG_TYPE_SCHED_ACT, "sched_act" },
		{ BPF_PROG_TYPE_TRACEPOINT, "tracepoint" },
		{ BPF_PROG_TYPE_XDP, "xdp" },
		{ BPF_PROG_TYPE_CGROUP_SKB, "cgroup_skb" },
		{ BPF_PROG_TYPE_CGROUP_SOCK, "cgroup_sock" },
		{ BPF_PROG_TYPE_LWT_IN, "lwt_in" },
		{ BPF_PROG_TYPE_LWT_OUT, "lwt_out" },
		{ BPF_PROG_TYPE_LWT_XMIT, "lwt_xmit" },
		{ BPF_PROG_TYPE_SOCK_OPS, "sock_ops" },
		{ BPF_PROG_TYPE_SK_SKB, "sk_skb" },
		{ BPF_PROG_TYPE_CGROUP_DEVICE, "cgroup_device" },
		{ BPF_PROG_TYPE_SK_MSG, "sk_msg" },
		{ BPF_PROG_TYPE_RAW_TRACEPOINT, "raw_tracepoint" },
		{ BPF_PROG_TYPE_LWT_SEG6LOCAL, "lwt_seg6local" },
		{ BPF_PROG_TYPE_LIRC_MODE2, "lirc_mode2" },
		{ BPF_PROG_TYPE_SK_REUSEPORT, "sk_reuseport" },
		{ BPF_PROG_TYPE_FLOW_DISSECTOR, "flow_dissector" },
		{ BPF_PROG_TYPE_CGROUP_SYSCTL, "cgroup_sysctl" },
		{ BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE, "raw_tracepoint_writable" },
		{ BPF_PROG_TYPE_SYSCALL, "syscall" },
	};
	struct perfgrp_counter c = faults(1);
	struct perfgrp_bpf_query query;
	char type[48];
	int fd, prog, null;
	size_t i;

	load(1);
	fd = group(&c, 1);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		prog = bpf_trivial(wrong[i].type, 0);
		if (prog < 0)
			continue;
		EXPECT_REFUSED_MEMBER(grp_bpf_attach(fd, c.id, prog, 0), EINVAL, BPF_TYPE, c.id);
		snprintf(type, sizeof(type), " %s (%d);", wrong[i].name, wrong[i].type);
		EXPECT(strstr(grp_error.text, type));
		expect_let_go(prog);
	}
	null = open("/dev/null", O_RDWR);
	EXPECT_REFUSED_MEMBER(grp_bpf_attach(fd, c.id, null, 0), EINVAL, BPF_FD, c.id);
	close(null);
	EXPECT_REFUSED_MEMBER(grp_bpf_attach(fd, c.id, null, 0), EBADF, BPF_FD, c.id);
	EXPECT_REFUSED_MEMBER(grp_bpf_attach(fd, c.id, -1, 0), EBADF, BPF_FD, c.id);
	EXPECT_REFUSED_MEMBER(grp_bpf_attach(fd, c.id, bpf_map(object, "verdict"), 0), EINVAL,
			      BPF_FD, c.id);
	EXPECT_REFUSED_MEMBER(grp_bpf_query(fd, c.id, &query), ENOENT, BPF_NONE, c.id);
}

TEST(wrong_members, "B1: a member that does not sample, or is not there, takes no program")
{
	struct perfgrp_counter c[2] = { faults(0), faults(1) };
	int fd, prog, plain;

	load(1);
	prog = bpf_prog(object, "other");
	fd = group(c, 2);
	EXPECT_REFUSED_MEMBER(grp_bpf_attach(fd, c[0].id, prog, 0), EINVAL, BPF_COUNTER, c[0].id);
	EXPECT_REFUSED_MEMBER(grp_bpf_attach(fd, 77, prog, 0), ENOENT, MEMBER, 77);
	EXPECT_REFUSED_MEMBER(grp_bpf_attach(fd, 0, prog, 0), ENOENT, MEMBER, 0);
	plain = grp_on_task(0, 0);
	REQUIRE_GE(plain, 0);
	REQUIRE_EQ(grp_add(plain, PERFGRP_SW_DUMMY), 1);
	EXPECT_REFUSED_MEMBER(grp_bpf_attach(plain, 1, prog, 0), EINVAL, BPF_COUNTER, 1);
	REQUIRE_EQ(grp_bpf_attach(fd, c[1].id, prog, 0), 0);
}

TEST(attach_twice, "B1 B4: a second program is refused; so is replacing what is not there")
{
	struct perfgrp_counter c[2] = { faults(1), faults(1) };
	__u32 id;
	int fd;

	load(1);
	fd = group(c, 2);
	id = bpf_id(bpf_prog(object, "note"));
	REQUIRE_EQ(grp_bpf_attach(fd, c[0].id, bpf_prog(object, "note"), 1), 0);
	EXPECT_REFUSED_MEMBER(grp_bpf_attach(fd, c[0].id, bpf_prog(object, "note"), 2), EEXIST,
			      BPF_ATTACHED, c[0].id);
	EXPECT(text_has_number(grp_error.text, id));
	EXPECT_REFUSED_MEMBER(grp_bpf_replace(fd, c[0].id, bpf_prog(object, "other"), 2, id + 1),
			      ESTALE, BPF_ATTACHED, c[0].id);
	EXPECT(text_has_number(grp_error.text, id));
	EXPECT_REFUSED_MEMBER(grp_bpf_detach(fd, c[0].id, id + 1), ESTALE, BPF_ATTACHED, c[0].id);
	EXPECT_REFUSED_MEMBER(grp_bpf_replace(fd, c[1].id, bpf_prog(object, "other"), 2, 0),
			      ENOENT, BPF_NONE, c[1].id);
	EXPECT_REFUSED_MEMBER(grp_bpf_detach(fd, c[1].id, 0), ENOENT, BPF_NONE, c[1].id);
	faults_while_enabled(fd, 10);
	EXPECT_EQ(grp_attached(fd, c[0].id).prog_id, id);
	EXPECT_EQ(seen(1).runs, 10);
	EXPECT_EQ(seen(2).runs + seen(2).other_runs, 0);
}

TEST(needs_privilege,
     "B1 A2: attaching and replacing need CAP_PERFMON and no more; asking and detaching do not")
{
	struct perfgrp_counter c[2] = { faults(1), faults(1) };
	int fd;

	load(1);
	fd = group(c, 2);
	keep_caps(1ULL << CAP_PERFMON);
	REQUIRE_EQ(grp_bpf_attach(fd, c[0].id, bpf_prog(object, "other"), 1), 0);
	REQUIRE_EQ(grp_bpf_replace(fd, c[0].id, bpf_prog(object, "note"), 1, 0), 0);
	keep_caps(0);
	EXPECT_REFUSED_MEMBER(grp_bpf_attach(fd, c[1].id, bpf_prog(object, "note"), 1), EACCES,
			      PRIVILEGE, c[1].id);
	EXPECT_REFUSED_MEMBER(grp_bpf_replace(fd, c[0].id, bpf_prog(object, "other"), 1, 0), EACCES,
			      PRIVILEGE, c[0].id);
	EXPECT_EQ(grp_attached(fd, c[0].id).cookie, 1);
	EXPECT_EQ(grp_bpf_detach(fd, c[0].id, 0), 0);
}

TEST(needs_callchain, "B1: a program that walks stacks needs what a precise counter does not take")
{
	struct perfgrp_counter c = { .event = PERFGRP_HW_CPU_CYCLES, .sample_period = 1000000,
				     .precise_ip = 1 };
	int fd;

	load(1);
	settle_memory();
	fd = stream_on_task(0, 0, 65536);
	REQUIRE_GE(fd, 0);
	if (grp_add_counters(fd, &c, 1))
		skip("no precise counter: %s", grp_error.text);
	EXPECT_REFUSED_MEMBER(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 0), EPROTO,
			      BPF_CALLCHAIN, c.id);
	EXPECT_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "other"), 0), 0);
}

/* A program that does nothing but refer to a map. */
static int names_map(int map)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_FD, .imm = map },
		{ .imm = 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "names_map", "GPL", insns,
			     ARRAY_SIZE(insns), NULL);
}

TEST(any_map, "B1 B8: a program may have any map that the verifier lets through, on any counter")
{
	LIBBPF_OPTS(bpf_map_create_opts, no_prealloc, .map_flags = BPF_F_NO_PREALLOC);
	struct perfgrp_counter c[] = {
		{ .event = PERFGRP_SW_CONTEXT_SWITCHES, .sample_period = 1 },
		faults(1),
		{ .event = PERFGRP_HW_CPU_CYCLES, .sample_period = 1000000 },
		{ .event = PERFGRP_HW_CPU_CYCLES, .sample_period = 1000000, .precise_ip = 1 },
	};
	int map[] = {
		bpf_map_create(BPF_MAP_TYPE_LRU_HASH, NULL, 4, 4, 1, NULL),
		bpf_map_create(BPF_MAP_TYPE_LPM_TRIE, NULL, 8, 4, 1, &no_prealloc),
		bpf_map_create(BPF_MAP_TYPE_CPUMAP, NULL, 4, 4, 1, NULL),
	};
	unsigned int i, j, attached = 0;
	int fd, prog;

	load(1);
	fd = stream_on_task(0, 0, 65536);
	REQUIRE_GE(fd, 0);
	for (i = 0; i < ARRAY_SIZE(c); i++)
		if (grp_add_counters(fd, &c[i], 1))
			c[i].id = 0;
	for (j = 0; j < ARRAY_SIZE(map); j++) {
		prog = map[j] < 0 ? -1 : names_map(map[j]);
		for (i = 0; prog >= 0 && i < ARRAY_SIZE(c); i++) {
			if (!c[i].id)
				continue;
			EXPECT_EQ(grp_bpf_attach(fd, c[i].id, prog, 0), 0);
			EXPECT_EQ(grp_bpf_detach(fd, c[i].id, 0), 0);
			attached++;
		}
	}
	EXPECT_GE(attached, 4);
}

/* ---- B2: as under perf ----------------------------------------------------------- */

/* Attaches the program to an event of perf's own, with COOKIE. */
static int perf_with_program(struct perf_event_attr *attr, int prog, __u64 cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	int fd = peer_open_attr(attr, 0, -1, -1);

	REQUIRE_GE(fd, 0);
	REQUIRE_GE(bpf_link_create(prog, fd, BPF_PERF_EVENT, &opts), 0);
	return fd;
}

TEST(as_under_perf,
     "B2: a program sees what it sees under perf: registers, period, address, value, cookie, stack")
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 3,
		.disabled = 1,
		.exclude_kernel = 1,
	};
	struct perfgrp_counter c = faults(3);
	struct seen ours, theirs;
	int fd, perf;

	load(1);
	fd = group(&c, 1);
	perf = perf_with_program(&attr, bpf_prog(object, "note"), 2);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	peer_enable(perf);
	fault_in(300);
	peer_disable(perf);
	REQUIRE_EQ(grp_disable(fd), 0);
	ours = seen(1);
	theirs = seen(2);
	EXPECT_EQ(ours.runs, 100);
	EXPECT_EQ(theirs.runs, 100);
	EXPECT_EQ(ours.failed_reads, 0);
	EXPECT_NE(ours.ip, 0);
	EXPECT_EQ(ours.ip, theirs.ip);
	EXPECT_EQ(ours.sp, theirs.sp);
	EXPECT_EQ(ours.sample_period, 3);
	EXPECT_EQ(theirs.sample_period, 3);
	EXPECT_NE(ours.addr, 0);
	EXPECT_EQ(ours.addr, theirs.addr);
	EXPECT_EQ(ours.value, 300);
	EXPECT_EQ(ours.value, theirs.value);
	EXPECT_EQ(ours.enabled, ours.running);
	EXPECT_EQ(ours.pid_tgid, (__u64)getpid() << 32 | getpid());
	EXPECT_GE(ours.stack, 0);
	EXPECT_EQ(ours.stack, theirs.stack);
}

TEST(clock_as_under_perf, "B2: so it does in an interrupt, where there is no address")
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.disabled = 1,
	};
	struct perfgrp_counter c = { .event = PERFGRP_SW_CPU_CLOCK, .sample_period = 1000000 };
	struct seen ours, theirs;
	int fd, perf;

	load(1);
	fd = group(&c, 1);
	perf = peer_open_attr(&attr, 0, -1, -1);
	REQUIRE_GE(perf, 0);
	REQUIRE_EQ(ioctl(perf, PERF_EVENT_IOC_SET_BPF, bpf_prog(object, "note")), 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	peer_enable(perf);
	spin(50000000);
	peer_disable(perf);
	REQUIRE_EQ(grp_disable(fd), 0);
	ours = seen(1);
	theirs = seen(0);
	EXPECT_GT(ours.runs, 10);
	EXPECT_GT(theirs.runs, 10);
	EXPECT_EQ(ours.failed_reads, 0);
	EXPECT_EQ(ours.sample_period, theirs.sample_period);
	EXPECT_EQ(ours.addr, 0);
	EXPECT_EQ(ours.pid_tgid, theirs.pid_tgid);
}

/* ---- B3: what it returns ------------------------------------------------------------ */

TEST(drops,
     "B3 G22: what a program returns 0 for is dropped and counted, the rest goes to the stream")
{
	struct perfgrp_counter c = faults(1);
	__u32 zero = 0, keep = 1;
	struct perfgrp_stream_stats stream;
	char path[64], text[4096];
	int fd;

	load(0);
	fd = group(&c, 1);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 0), 0);
	stream_drain(fd);
	faults_while_enabled(fd, 30);
	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, 0);
	stream = stream_state(fd);
	EXPECT_EQ(stream.filtered, 30);
	EXPECT_EQ(grp_attached(fd, c.id).dropped, 30);

	REQUIRE_EQ(bpf_map_update_elem(bpf_map(object, "verdict"), &zero, &keep, BPF_ANY), 0);
	faults_while_enabled(fd, 12);
	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, 12);
	EXPECT_EQ(sample_values(records.sample[0])[0].value, 31);
	stream = stream_state(fd);
	EXPECT_EQ(stream.filtered, 30);
	EXPECT_EQ(grp_attached(fd, c.id).dropped, 30);
	EXPECT_EQ(grp_attached(fd, c.id).runs, 42);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	REQUIRE_GT(read_file(path, text, sizeof(text)), 0);
	EXPECT(strstr(text, " runs 42 misses 0 dropped 30"));
	/* Attaching it is a record, too. */
	EXPECT(strstr(text, "\nrecords:\t13 produced 13 read 0 lost 30 filtered\n"));
}

TEST(before_min_delta, "B3 O11: a program sees what min_delta filters, too")
{
	struct perfgrp_counter c = faults(1);
	int fd;

	load(1);
	c.min_delta = 10;
	fd = group(&c, 1);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 0), 0);
	stream_drain(fd);
	faults_while_enabled(fd, 50);
	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, 5);
	EXPECT_EQ(grp_attached(fd, c.id).runs, 50);
	EXPECT_EQ(stream_state(fd).filtered, 45);
}

/* ---- B4: replaced -------------------------------------------------------------------- */

TEST(replaces, "B4: replace puts another program in place, with its own cookie and statistics")
{
	struct perfgrp_counter c = faults(1);
	__u32 note, other;
	int fd;

	load(1);
	fd = group(&c, 1);
	note = bpf_id(bpf_prog(object, "note"));
	other = bpf_id(bpf_prog(object, "other"));
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	faults_while_enabled(fd, 10);
	REQUIRE_EQ(grp_bpf_replace(fd, c.id, bpf_prog(object, "other"), 2, note), 0);
	EXPECT_EQ(grp_attached(fd, c.id).prog_id, other);
	EXPECT_EQ(grp_attached(fd, c.id).cookie, 2);
	EXPECT_EQ(grp_attached(fd, c.id).runs, 0);
	faults_while_enabled(fd, 7);
	EXPECT_EQ(grp_attached(fd, c.id).runs, 7);
	EXPECT_EQ(seen(1).runs, 10);
	EXPECT_EQ(seen(2).other_runs, 7);
	/* Replace it with the same program, but another cookie. */
	REQUIRE_EQ(grp_bpf_replace(fd, c.id, bpf_prog(object, "other"), 3, 0), 0);
	faults_while_enabled(fd, 4);
	EXPECT_EQ(seen(3).other_runs, 4);
}

struct replacer {
	int fd;
	__u32 id;
	unsigned int times;
	int failed;
};

static void *replace_on_and_on(void *arg)
{
	struct replacer *r = arg;
	unsigned int i;

	for (i = 0; i < r->times && !r->failed; i++)
		r->failed = grp_bpf_replace(r->fd, r->id,
					    bpf_prog(object, i % 2 ? "note" : "other"), 1, 0);
	return NULL;
}

TEST_LIMIT(replace_under_load, 100,
	   "B4: no overflow is unseen by both, however often one program replaces the other")
{
	struct replacer r = { .times = rounds(is_debug_kernel() ? 20 : 100) };
	struct perfgrp_counter c = faults(1);
	pthread_t thread;
	__u64 counted;
	int fd;

	load(0);
	fd = group(&c, 1);
	r.fd = fd;
	r.id = c.id;
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	REQUIRE_EQ(pthread_create(&thread, NULL, replace_on_and_on, &r), 0);
	while (pthread_tryjoin_np(thread, NULL))
		fault_in(50);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(r.failed, 0);
	counted = grp_raw(fd, c.id);
	EXPECT_GT(seen(1).runs, 0);
	EXPECT_GT(seen(1).other_runs, 0);
	EXPECT_EQ(seen(1).runs + seen(1).other_runs, counted);
}

/* ---- B5: detached --------------------------------------------------------------------- */

TEST(detaches, "B5: after detach the counter counts and samples on, without the program")
{
	struct perfgrp_counter c = faults(1);
	struct perfgrp_bpf_query query;
	int fd;

	load(0);
	fd = group(&c, 1);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	faults_while_enabled(fd, 10);
	REQUIRE_EQ(grp_bpf_detach(fd, c.id, bpf_id(bpf_prog(object, "note"))), 0);
	stream_drain(fd);
	EXPECT_REFUSED_MEMBER(grp_bpf_query(fd, c.id, &query), ENOENT, BPF_NONE, c.id);
	faults_while_enabled(fd, 5);
	EXPECT_EQ(seen(1).runs, 10);
	EXPECT_EQ(grp_raw(fd, c.id), 15);
	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, 5);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 2), 0);
	faults_while_enabled(fd, 3);
	EXPECT_EQ(seen(2).runs, 3);
}

enum end { END_DETACH, END_REPLACE, END_REMOVE, END_CASCADE, END_CLOSE, END_EXIT, NR_ENDS };

static void end_attachment(enum end end, int fd, __u32 id)
{
	switch (end) {
	case END_DETACH:
		REQUIRE_EQ(grp_bpf_detach(fd, id, 0), 0);
		break;
	case END_REPLACE:
		REQUIRE_EQ(grp_bpf_replace(fd, id, bpf_prog(object, "other"), 0, 0), 0);
		break;
	case END_REMOVE:
		REQUIRE_EQ(grp_remove(fd, id, 0), 0);
		break;
	case END_CASCADE:
		REQUIRE_EQ(grp_remove(fd, 1, PERFGRP_REMOVE_CASCADE), 0);
		break;
	default:
		close(fd);
	}
}

/* Attaches a new program, so that only the member holds it; returns its id. */
static __u32 attach_last(int fd, __u32 id)
{
	int prog = bpf_trivial(BPF_PROG_TYPE_PERF_EVENT, 0);
	__u32 prog_id;

	REQUIRE_GE(prog, 0);
	prog_id = bpf_id(prog);
	REQUIRE_EQ(grp_bpf_attach(fd, id, prog, 0), 0);
	close(prog);
	prog = bpf_prog_get_fd_by_id(prog_id);
	EXPECT_GE(prog, 0);
	close(prog);
	return prog_id;
}

TEST_LIMIT(lets_go, 60, "B5: detach, replace, remove, close and exit all let the program go")
{
	enum end end;

	load(0);
	for (end = 0; end < NR_ENDS; end++) {
		struct perfgrp_counter c[2] = { faults(0), faults(1) };
		int fd = group(c, 2), status, ids[2];
		__u32 id = 0;

		REQUIRE_EQ(grp_enable(fd), 0);
		if (end == END_EXIT) {
			REQUIRE_EQ(pipe(ids), 0);
			if (!fork()) {
				id = attach_last(fd, c[1].id);
				if (write(ids[1], &id, sizeof(id)) != sizeof(id))
					_exit(1);
				_exit(0);
			}
			REQUIRE_EQ(read(ids[0], &id, sizeof(id)), sizeof(id));
			close(fd);
			wait(&status);
		} else {
			id = attach_last(fd, c[1].id);
			fault_in(3);
			end_attachment(end, fd, c[1].id);
		}
		if (!bpf_is_gone(id))
			fail("end %d does not let the program go", end);
		close(fd);
	}
}

TEST(refused_let_go, "B1 B4 B5: a program that is refused by ATTACH or REPLACE is let go, too")
{
	struct perfgrp_counter c[2] = { faults(0), faults(1) };
	int fd, prog;
	__u32 note;

	load(1);
	fd = group(c, 2);
	note = bpf_id(bpf_prog(object, "note"));
	REQUIRE_EQ(grp_bpf_attach(fd, c[1].id, bpf_prog(object, "note"), 0), 0);
	prog = bpf_trivial(BPF_PROG_TYPE_PERF_EVENT, 0);
	EXPECT_REFUSED_MEMBER(grp_bpf_attach(fd, c[0].id, prog, 0), EINVAL, BPF_COUNTER, c[0].id);
	expect_let_go(prog);
	prog = bpf_trivial(BPF_PROG_TYPE_PERF_EVENT, 0);
	EXPECT_REFUSED_MEMBER(grp_bpf_replace(fd, c[1].id, prog, 0, note + 1), ESTALE, BPF_ATTACHED,
			      c[1].id);
	expect_let_go(prog);
}

TEST(attach_under_load, "B5: programs come and go while the counter overflows all the time")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_CPU_CLOCK, .sample_period = 100000 };
	unsigned int i, times = rounds(is_debug_kernel() ? 10 : 50);
	int fd;

	load(0);
	fd = stream_create(PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_ALL_CPUS, 0, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	for (i = 0; i < times; i++) {
		__u32 id = attach_last(fd, c.id);

		spin(100000);
		REQUIRE_EQ(grp_bpf_detach(fd, c.id, id), 0);
		if (!bpf_is_gone(id))
			fail("detach does not let the program go");
	}
}

/* ---- B6: what the query returns ---------------------------------------------------------- */

TEST(timed, "B6: nanoseconds are counted where the group asks, or kernel.bpf_stats_enabled is 1")
{
	static const char path[] = "/proc/sys/kernel/bpf_stats_enabled";
	struct perfgrp_counter c[2] = { faults(1), faults(1) };
	__u64 before, begin;
	int fd;

	load(0);
	fd = group(c, 2);
	REQUIRE_EQ(grp_bpf_attach_flags(fd, c[0].id, bpf_prog(object, "note"), 0,
					PERFGRP_BPF_TIMED), 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c[1].id, bpf_prog(object, "note"), 0), 0);
	begin = now_ns();
	faults_while_enabled(fd, 20);
	EXPECT_EQ(grp_attached(fd, c[0].id).attach_flags, PERFGRP_BPF_TIMED);
	before = grp_attached(fd, c[0].id).nsecs;
	EXPECT_GT(before, 0);
	EXPECT_LE(before, now_ns() - begin);
	EXPECT_EQ(grp_attached(fd, c[1].id).nsecs, 0);
	if (access(path, F_OK))
		return;
	REQUIRE_EQ(write_file(path, "1"), 0);
	faults_while_enabled(fd, 20);
	REQUIRE_EQ(write_file(path, "0"), 0);
	EXPECT_GT(grp_attached(fd, c[0].id).nsecs, before);
	EXPECT_GT(grp_attached(fd, c[1].id).nsecs, 0);
}

TEST(replaced_timed, "B4 B6: REPLACE says anew whether nanoseconds are counted")
{
	struct perfgrp_counter c[2] = { faults(1), faults(1) };
	int fd, note;

	load(0);
	note = bpf_prog(object, "note");
	fd = group(c, 2);
	REQUIRE_EQ(grp_bpf_attach(fd, c[0].id, note, 0), 0);
	REQUIRE_EQ(grp_bpf_attach_flags(fd, c[1].id, note, 0, PERFGRP_BPF_TIMED), 0);
	REQUIRE_EQ(grp_bpf_replace_flags(fd, c[0].id, note, 0, 0, PERFGRP_BPF_TIMED), 0);
	REQUIRE_EQ(grp_bpf_replace(fd, c[1].id, note, 0, 0), 0);
	faults_while_enabled(fd, 20);
	EXPECT_EQ(grp_attached(fd, c[0].id).attach_flags, PERFGRP_BPF_TIMED);
	EXPECT_GT(grp_attached(fd, c[0].id).nsecs, 0);
	EXPECT_EQ(grp_attached(fd, c[1].id).attach_flags, 0);
	EXPECT_EQ(grp_attached(fd, c[1].id).nsecs, 0);
}

TEST(on_all_cpus, "B6: what ran on all CPUs is counted")
{
	struct perfgrp_counter c = faults(1);
	struct cpus cpus;
	int fd;
	__u32 i;

	load(1);
	fd = group(&c, 1);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 0), 0);
	cpus_online(&cpus);
	for (i = 0; i < cpus.nr; i++) {
		run_on(cpus.cpu[i]);
		faults_while_enabled(fd, 3);
		EXPECT_EQ(grp_attached(fd, c.id).runs, 3 * (i + 1));
	}
}

TEST(misses, "B6: an overflow while a program runs is a miss of the other one")
{
	long id = read_number("/sys/kernel/tracing/events/bpf_trace/bpf_trace_printk/id");
	/* Not page faults: a tracepoint does not count inside the overflow of a software event. */
	struct perfgrp_counter c[2] = {
		{ .event = PERFGRP_SW_CPU_CLOCK, .sample_period = 1000000 },
		{ .flags = PERFGRP_COUNTER_RAW, .type = PERF_TYPE_TRACEPOINT, .sample_period = 1 },
	};
	struct perfgrp_bpf_query query;
	__u64 runs, misses, in_kernel;
	int fd;

	load(1);
	if (id < 0)
		skip("no tracepoint bpf_trace_printk");
	c[1].config = id;
	fd = group(c, 2);
	REQUIRE_EQ(grp_bpf_attach(fd, c[0].id, bpf_prog(object, "prints"), 1), 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c[1].id, bpf_prog(object, "other"), 2), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	while (grp_attached(fd, c[0].id).runs < 10)
		spin(1000000);
	REQUIRE_EQ(grp_disable(fd), 0);
	query = grp_attached(fd, c[0].id);
	runs = query.runs;
	in_kernel = query.misses;
	/* Nothing runs under the clock's program. It is missed in the kernel if that is unsafe. */
	if (grp_info().features & PERFGRP_FEATURE_BPF_KERNEL)
		EXPECT_EQ(in_kernel, 0);
	query = grp_attached(fd, c[1].id);
	EXPECT_EQ(query.runs, 0);
	misses = query.misses;
	/* The clock may tick before the tracepoint is enabled, or after it is disabled. */
	EXPECT_GT(misses, 0);
	EXPECT_LE(misses, runs);
	EXPECT_EQ(query.dropped, 0);
	EXPECT_EQ(grp_raw(fd, c[1].id), misses);
	EXPECT_EQ(seen(2).other_runs, 0);
	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, runs);
	EXPECT_EQ(stream_state(fd).filtered, misses + in_kernel);
}

TEST(on_tracepoint, "B1 B8: a program on a tracepoint runs, whatever maps it has")
{
	long id = read_number("/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id");
	struct perfgrp_counter c = { .flags = PERFGRP_COUNTER_RAW, .type = PERF_TYPE_TRACEPOINT,
				     .sample_period = 1 };
	int fd;

	load(1);
	if (id < 0)
		skip("no tracepoint sys_enter_getppid");
	c.config = id;
	fd = group(&c, 1);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "other"), 1), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	getppid();
	getppid();
	EXPECT_EQ(seen(1).other_runs, 2);
	/* This program has a stack_trace map. */
	REQUIRE_EQ(grp_bpf_replace(fd, c.id, bpf_prog(object, "note"), 1, 0), 0);
	getppid();
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(seen(1).other_runs, 2);
	EXPECT_EQ(grp_attached(fd, c.id).runs, 1);
}

/* ---- B7: several counters --------------------------------------------------------------- */

TEST(several, "B7: one program on several counters has a cookie and statistics for each")
{
	struct perfgrp_counter c[3];
	int fd[2], g;
	__u32 i;

	load(0);
	for (g = 0; g < 2; g++) {
		c[0] = faults(1);
		c[1] = faults(2);
		c[2] = faults(5);
		fd[g] = group(c, 3);
		for (i = 0; i < 3; i++)
			REQUIRE_EQ(grp_bpf_attach(fd[g], c[i].id, bpf_prog(object, "note"),
						  g * 3 + i + 1), 0);
	}
	faults_while_enabled(fd[0], 20);
	faults_while_enabled(fd[1], 40);
	for (g = 0; g < 2; g++)
		for (i = 0; i < 3; i++) {
			__u64 want = (g + 1) * 20 / c[i].sample_period;

			EXPECT_EQ(grp_attached(fd[g], c[i].id).runs, want);
			EXPECT_EQ(grp_attached(fd[g], c[i].id).cookie, g * 3 + i + 1);
			EXPECT_EQ(seen(g * 3 + i + 1).runs, want);
		}
}

TEST(members_come_and_go, "B7 G11: a program stays when other members come and go")
{
	struct perfgrp_counter c = faults(1), more = faults(1);
	int fd;

	load(0);
	fd = group(&c, 1);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	faults_while_enabled(fd, 10);
	REQUIRE_EQ(grp_add_counters(fd, &more, 1), 0);
	faults_while_enabled(fd, 10);
	REQUIRE_EQ(grp_remove(fd, more.id, 0), 0);
	faults_while_enabled(fd, 10);
	EXPECT_EQ(grp_attached(fd, c.id).runs, 30);
	EXPECT_EQ(seen(1).runs, 30);
}

TEST_LIMIT(hotplug, 60, "B5 G19: a program runs again on a CPU that has come back")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_CPU_CLOCK, .sample_period = 1000000 };
	__u64 runs;
	int fd;

	load(0);
	if (cpu_set_online(1, true))
		skip("CPU 1 cannot be taken off and on line");
	fd = stream_create(PERFGRP_CREATE_ENABLED, PERFGRP_TARGET_ALL_CPUS, 0, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	REQUIRE_EQ(cpu_set_online(1, false), 0);
	REQUIRE_EQ(cpu_set_online(1, true), 0);
	run_on(1);
	do {
		nap_ns(10000000);
		REQUIRE_EQ(grp_snapshot(fd, 0, &grp_last), 0);
	} while (snap_value(&grp_last, 1, c.id)->flags & PERFGRP_VALUE_OFFLINE ||
		 !snap_row(&grp_last, 1)->epoch);
	/* From here on only this CPU runs the program. */
	runs = seen(1).runs;
	while (seen(1).runs < runs + 20)
		spin(1000000);
	EXPECT_EQ(grp_bpf_detach(fd, c.id, 0), 0);
}

TEST(runs_of_offline, "B6 G19: what a program has run stays in the sum when its CPU goes offline")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_CPU_CLOCK, .sample_period = 1000000 };
	const __u32 cpu = 1;
	__u64 runs;
	int fd;

	load(0);
	if (cpu_set_online(cpu, true))
		skip("CPU 1 cannot be taken off and on line");
	fd = grp_create_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_ENABLED, .target = PERFGRP_TARGET_CPUS,
		.cpus = to_u64(&cpu), .nr_cpus = 1, .buffer_size = 65536 });
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	run_on(cpu);
	while (seen(cpu).runs < 20)
		spin(1000000);
	run_on(0);
	runs = grp_attached(fd, c.id).runs;
	REQUIRE_GE(runs, 20);
	REQUIRE_EQ(cpu_set_online(cpu, false), 0);
	EXPECT_GE(grp_attached(fd, c.id).runs, runs);
	REQUIRE_EQ(cpu_set_online(cpu, true), 0);
}

/* ---- B11: in the stream -------------------------------------------------------------------- */

static void expect_record(__u32 i, __u32 type, __u32 member, int prog)
{
	const struct perfgrp_record_bpf_attach *r = records.attach[i];
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	REQUIRE_EQ(bpf_obj_get_info_by_fd(prog, &info, &len), 0);
	EXPECT_EQ(r->header.type, type);
	EXPECT_GE(r->header.type, PERFGRP_RECORD_FIRST);
	EXPECT_EQ(r->header.misc, 0);
	EXPECT_EQ(r->header.size, sizeof(*r));
	EXPECT_EQ(r->id, member);
	EXPECT_EQ(r->prog_id, info.id);
	EXPECT_EQ(r->reserved, 0);
	EXPECT_EQ(memcmp(r->tag, info.tag, sizeof(r->tag)), 0);
	EXPECT_EQ(r->sample_id.pid, getpid());
	EXPECT_EQ(r->sample_id.tid, getpid());
	EXPECT_EQ(r->sample_id.id, member);
	EXPECT_EQ(r->sample_id.cpu, 0);
	EXPECT_EQ(r->sample_id.reserved, 0);
}

TEST(records_of_changes, "B11: attach, replace and detach are records, in order with the samples")
{
	struct perfgrp_counter c[2] = { faults(0), faults(1) };
	__u64 before, after, time = 0;
	int fd, note, other;
	__u32 i;

	load(1);
	run_on(0);
	note = bpf_prog(object, "note");
	other = bpf_prog(object, "other");
	fd = group(c, 2);
	before = now_ns();
	REQUIRE_EQ(grp_bpf_attach(fd, c[1].id, note, 1), 0);
	faults_while_enabled(fd, 2);
	REQUIRE_EQ(grp_bpf_replace(fd, c[1].id, other, 1, 0), 0);
	faults_while_enabled(fd, 2);
	REQUIRE_EQ(grp_bpf_detach(fd, c[1].id, 0), 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c[1].id, note, 1), 0);
	EXPECT_REFUSED_MEMBER(grp_bpf_attach(fd, c[1].id, note, 1), EEXIST, BPF_ATTACHED, c[1].id);
	REQUIRE_EQ(grp_remove(fd, c[1].id, 0), 0);
	after = now_ns();
	stream_drain(fd);
	REQUIRE_EQ(records.nr_attach, 5);
	EXPECT_EQ(records.nr_bpf, 0);
	EXPECT_EQ(records.nr_samples, 4);
	REQUIRE_EQ(records.nr, 9);
	expect_record(0, PERFGRP_RECORD_BPF_ATTACH, c[1].id, note);
	expect_record(1, PERFGRP_RECORD_BPF_REPLACE, c[1].id, other);
	expect_record(2, PERFGRP_RECORD_BPF_DETACH, c[1].id, other);
	expect_record(3, PERFGRP_RECORD_BPF_ATTACH, c[1].id, note);
	expect_record(4, PERFGRP_RECORD_BPF_DETACH, c[1].id, note);
	for (i = 0; i < 9; i++) {
		bool is_change = i == 0 || i == 3 || i > 5;
		const struct perf_event_header *h = records.record[i];

		EXPECT_EQ(h->type >= PERFGRP_RECORD_FIRST, is_change);
		if (!is_change)
			EXPECT_EQ(h->type, PERF_RECORD_SAMPLE);
		EXPECT_GE(record_time(h), time);
		time = record_time(h);
	}
	EXPECT_GE(record_time(records.record[0]), before);
	EXPECT_LE(time, after);
	EXPECT_EQ(stream_state(fd).produced, 9);
}

/*
 * The counter overflows where the record is about to be written. No other code runs in between that
 * could overflow.
 */
TEST(recorded_first, "B11 B4: ATTACH and REPLACE are recorded before the new program can run")
{
	struct perfgrp_counter c = {
		.flags = PERFGRP_COUNTER_RAW,
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_X,
		.config1 = kernel_address("perfgrp_records_output_bpf_attach", "[perfgrp]"),
		.config2 = sizeof(long),
		.sample_period = 1,
	};
	int fd, other;

	load(1);
	REQUIRE(c.config1);
	other = bpf_prog(object, "other");
	fd = stream_on_task(0, 0, 65536);
	REQUIRE_GE(fd, 0);
	if (grp_add_counters(fd, &c, 1))
		skip("no breakpoints: %s", grp_error.text);
	REQUIRE_EQ(grp_enable(fd), 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, other, 1), 0);
	REQUIRE_EQ(grp_bpf_replace(fd, c.id, other, 2, 0), 0);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(seen(1).other_runs, 1);
	EXPECT_EQ(seen(2).other_runs, 0);
}

/* A child that sleeps until there is a record to read; it exits with 7 if that is of this TYPE. */
static pid_t start_reader(int fd, __u32 type)
{
	pid_t reader = fork();

	REQUIRE_GE(reader, 0);
	if (!reader) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		stream_read(fd, 4096);
		_exit(records.nr == 1 && records.nr_attach == 1 &&
		      records.attach[0]->header.type == type ? 7 : 8);
	}
	wait_until_asleep(reader);
	return reader;
}

TEST(changes_wake, "B11 O5: attach, replace and detach each wake a reader that sleeps")
{
	struct perfgrp_counter c = faults(1);
	pid_t reader;
	int fd;

	load(1);
	fd = group(&c, 1);
	fcntl(fd, F_SETFL, 0);
	reader = start_reader(fd, PERFGRP_RECORD_BPF_ATTACH);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	EXPECT_EQ(WEXITSTATUS(end_of_child(reader, 10000)), 7);
	reader = start_reader(fd, PERFGRP_RECORD_BPF_REPLACE);
	REQUIRE_EQ(grp_bpf_replace(fd, c.id, bpf_prog(object, "other"), 1, 0), 0);
	EXPECT_EQ(WEXITSTATUS(end_of_child(reader, 10000)), 7);
	reader = start_reader(fd, PERFGRP_RECORD_BPF_DETACH);
	REQUIRE_EQ(grp_bpf_detach(fd, c.id, 0), 0);
	EXPECT_EQ(WEXITSTATUS(end_of_child(reader, 10000)), 7);
}

TEST(fdinfo, "B6 G22: fdinfo shows what is attached")
{
	struct perfgrp_counter c = faults(1);
	char path[64], text[4096], want[64];
	int fd;

	load(1);
	fd = group(&c, 1);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 0), 0);
	faults_while_enabled(fd, 6);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	REQUIRE_GT(read_file(path, text, sizeof(text)), 0);
	snprintf(want, sizeof(want), "bpf:\tmember %u prog %u tag ", c.id,
		 bpf_id(bpf_prog(object, "note")));
	EXPECT(strstr(text, want));
	EXPECT(strstr(text, " runs 6 misses 0 dropped 0"));
}

TEST(no_feature, "B1: where the kernel has no such programs attaching is refused, with the reason")
{
	struct perfgrp_counter c = faults(1);
	int fd;

	if (grp_info().features & PERFGRP_FEATURE_BPF)
		skip("programs can be attached");
	fd = group(&c, 1);
	EXPECT_REFUSED_MEMBER(grp_bpf_attach(fd, c.id, bpf_trivial(BPF_PROG_TYPE_PERF_EVENT, 0), 0),
			      EOPNOTSUPP, FEATURE, c.id);
	EXPECT(strstr(grp_error.text, "cannot run BPF programs"));
	EXPECT_REFUSED_MEMBER(grp_bpf_replace(fd, c.id, bpf_trivial(BPF_PROG_TYPE_PERF_EVENT, 0), 0,
					      0), EOPNOTSUPP, FEATURE, c.id);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
