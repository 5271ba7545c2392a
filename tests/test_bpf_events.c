// SPDX-License-Identifier: GPL-2.0
/*
 * Records of BPF programs that are loaded and unloaded, however their last reference is
 * dropped: B9 and B10. Nothing else in the guest uses BPF meanwhile. The clock of an
 * emulated x86 can stand still for a tick, so that times may be equal.
 */
#include "bpf.h"
#include "caps.h"

#include <linux/filter.h>
#include <linux/unistd.h>
#include <pthread.h>
#include <sys/socket.h>

#define LOAD	PERF_BPF_EVENT_PROG_LOAD
#define UNLOAD	PERF_BPF_EVENT_PROG_UNLOAD
#define PIN	"/sys/fs/bpf/perfgrp_test"
#define LIST	"/sys/kernel/debug/kprobes/list"

/* Time limit for effects that are delayed by RCU or a worker. */
#define LATER_MS	20000

static struct cpus cpus;

/* ---- programs ----------------------------------------------------------------------- */

struct prog {
	int fd;
	__u32 id;
	__u8 tag[8];
};

/*
 * bpf(2): returns its result or -errno. libbpf's functions would load additional programs to
 * probe the kernel's features, but only the test's own programs may be loaded.
 */
static int bpf_call(int cmd, union bpf_attr *attr)
{
	long ret = syscall(__NR_bpf, cmd, attr, sizeof(*attr));

	return ret < 0 ? -errno : (int)ret;
}

/* Loads a program that returns VALUE, on which its tag depends. Returns its fd or -errno. */
static int try_to_load(enum bpf_prog_type type, int value)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = value },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = type,
		.insns = to_u64(insns),
		.insn_cnt = ARRAY_SIZE(insns),
		.license = to_u64("GPL"),
	};

	return bpf_call(BPF_PROG_LOAD, &attr);
}

static struct prog load_as(enum bpf_prog_type type, int value)
{
	struct bpf_prog_info info = { 0 };
	union bpf_attr attr = {
		.info.info_len = sizeof(info),
		.info.info = to_u64(&info),
	};
	struct prog prog = { .fd = try_to_load(type, value) };

	REQUIRE_GE(prog.fd, 0);
	attr.info.bpf_fd = prog.fd;
	REQUIRE_EQ(bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attr), 0);
	prog.id = info.id;
	memcpy(prog.tag, info.tag, sizeof(prog.tag));
	REQUIRE(prog.id != 0);
	return prog;
}

static struct prog load(void)
{
	return load_as(BPF_PROG_TYPE_SOCKET_FILTER, 0);
}

/* Loads and unloads a program. */
static struct prog load_and_close(void)
{
	struct prog prog = load();

	close(prog.fd);
	return prog;
}

/* ---- groups with these records ------------------------------------------------------ */

/* Creates a group that gets records of BPF programs; nothing has been read yet. */
static int ask(__u32 flags, __u32 target, __u32 buffer_size)
{
	int fd;

	NEED_FEATURE(BPF_EVENTS);
	fd = stream_create(flags | PERFGRP_CREATE_BPF_EVENTS, target, 0, buffer_size);
	REQUIRE_GE(fd, 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	stream_start(&records);
	stream_forget(&records);
	return fd;
}

/* Reads all records that there are, and adds them to those read before. */
static void read_on(int fd)
{
	while (stream_more(fd, 65536) > 0)
		;
}

static __u32 how_many(__u16 type, __u32 id)
{
	__u32 i, nr = 0;

	for (i = 0; i < records.nr_bpf; i++)
		nr += records.bpf[i]->type == type && records.bpf[i]->prog_id == id;
	return nr;
}

static __u32 nr_loaded(void)
{
	__u32 i, nr = 0;

	for (i = 0; i < records.nr_bpf; i++)
		nr += records.bpf[i]->type == LOAD;
	return nr;
}

/*
 * Drops what was read of programs but A and B, and returns how many records that were. A program of
 * an earlier test whose last reference is dropped in a softirq is unloaded by the task that the
 * softirq interrupts.
 */
static __u32 forget_others(const struct prog *a, const struct prog *b)
{
	__u32 i, nr = 0, nr_all = records.nr_bpf;

	for (i = 0; i < nr_all; i++)
		if (records.bpf[i]->prog_id == a->id || records.bpf[i]->prog_id == b->id)
			records.bpf[nr++] = records.bpf[i];
	records.nr_bpf = nr;
	return nr_all - nr;
}

static const struct perfgrp_record_bpf_event *first_of(__u16 type, __u32 id)
{
	__u32 i;

	for (i = 0; i < records.nr_bpf; i++)
		if (records.bpf[i]->type == type && records.bpf[i]->prog_id == id)
			return records.bpf[i];
	fail("no record of type %u and program %u", type, id);
	test_end();
	return NULL;
}

static bool is_unloaded(int fd, __u32 id)
{
	read_on(fd);
	return how_many(UNLOAD, id) > 0;
}

/* There are exactly one load and one unload of PROG, in this order, and no later records. */
static void expect_one_each(int fd, const struct prog *prog)
{
	const struct perfgrp_record_bpf_event *in, *out;
	struct prog other;

	REQUIRE(BECOMES_TRUE(is_unloaded(fd, prog->id), LATER_MS));
	other = load_and_close();
	REQUIRE(BECOMES_TRUE(is_unloaded(fd, other.id), LATER_MS));
	EXPECT_EQ(how_many(LOAD, prog->id), 1);
	EXPECT_EQ(how_many(UNLOAD, prog->id), 1);
	in = first_of(LOAD, prog->id);
	out = first_of(UNLOAD, prog->id);
	EXPECT_LE(in->sample_id.time, out->sample_id.time);
	EXPECT_EQ(memcmp(in->tag, prog->tag, sizeof(in->tag)), 0);
	EXPECT_EQ(memcmp(out->tag, prog->tag, sizeof(out->tag)), 0);
	EXPECT_EQ(in->sample_id.id, 0);
	EXPECT_EQ(out->sample_id.id, 0);
}

static struct perfgrp_stream_stats stream_stat(int fd)
{
	struct perfgrp_stream_stats stream = { .size = sizeof(stream) };

	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_GET_STREAM_STATS, &stream), 0);
	return stream;
}

/* ---- B9: what is in a record -------------------------------------------------------- */

TEST(one_program, "B9: a program's load and unload have its id and tag, and who, when and where")
{
	int fd = ask(0, PERFGRP_TARGET_TASK, 65536), i;
	__u32 nr_others;
	struct prog a, b;

	run_on(0);
	a = load();
	b = load_as(BPF_PROG_TYPE_SOCKET_FILTER, 7);
	close(b.fd);
	close(a.fd);
	read_on(fd);
	nr_others = forget_others(&a, &b);
	REQUIRE_EQ(records.nr, 4 + nr_others);
	REQUIRE_EQ(records.nr_bpf, 4);
	EXPECT_EQ(records.bpf[0]->type, LOAD);
	EXPECT_EQ(records.bpf[0]->prog_id, a.id);
	EXPECT_EQ(records.bpf[1]->type, LOAD);
	EXPECT_EQ(records.bpf[1]->prog_id, b.id);
	EXPECT_EQ(records.bpf[2]->type, UNLOAD);
	EXPECT_EQ(records.bpf[2]->prog_id, b.id);
	EXPECT_EQ(records.bpf[3]->type, UNLOAD);
	EXPECT_EQ(records.bpf[3]->prog_id, a.id);
	for (i = 0; i < 4; i++) {
		const struct perfgrp_record_bpf_event *e = records.bpf[i];
		const struct prog *prog = i == 0 || i == 3 ? &a : &b;

		EXPECT_EQ(memcmp(e->tag, prog->tag, sizeof(e->tag)), 0);
		EXPECT_EQ(e->sample_id.pid, getpid());
		EXPECT_EQ(e->sample_id.tid, getpid());
		EXPECT_EQ(e->sample_id.cpu, 0);
		EXPECT_EQ(e->sample_id.id, 0);
		if (i)
			EXPECT_GE(e->sample_id.time, records.bpf[i - 1]->sample_id.time);
	}
	EXPECT_NE(memcmp(a.tag, b.tag, sizeof(a.tag)), 0);
	EXPECT_EQ(stream_stat(fd).produced, 4 + nr_others);
	EXPECT_EQ(stream_stat(fd).read, 4 + nr_others);
}

TEST(blocking_reader, "B9: a record wakes a reader that sleeps")
{
	int fd = ask(0, PERFGRP_TARGET_ALL_CPUS, 65536);
	struct prog prog;
	int status;
	pid_t pid;

	fcntl(fd, F_SETFL, 0);
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (pid == 0) {
		/* A program of an earlier test may be unloaded only now, by a worker. */
		while (!nr_loaded() && stream_more(fd, 65536) > 0)
			;
		_exit(nr_loaded() == 1 ? 0 : 1);
	}
	wait_until_asleep(pid);
	prog = load();
	REQUIRE(waitpid(pid, &status, 0) == pid);
	EXPECT_EQ(status, 0);
	close(prog.fd);
}

TEST(no_programs, "B9: what is refused, and classic filters, which have no id, are no programs")
{
	struct sock_filter insn = { .code = BPF_RET | BPF_K, .k = 1 };
	struct sock_fprog filter = { .len = 1, .filter = &insn };
	int fd = ask(0, PERFGRP_TARGET_ALL_CPUS, 65536), sock[2];
	__u32 i, without_id = 0;
	struct prog prog;

	/* The verifier refuses it: its return value is out of range. */
	EXPECT_LT(try_to_load(BPF_PROG_TYPE_CGROUP_SKB, 77), 0);
	REQUIRE(socketpair(AF_UNIX, SOCK_DGRAM, 0, sock) == 0);
	REQUIRE(setsockopt(sock[0], SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) == 0);
	close(sock[0]);
	close(sock[1]);
	prog = load_and_close();
	expect_one_each(fd, &prog);
	/*
	 * This program, and the one that expect_one_each() has loaded. A program of an earlier test
	 * may be unloaded only now, by a worker.
	 */
	for (i = 0; i < records.nr_bpf; i++)
		without_id += !records.bpf[i]->prog_id;
	EXPECT_EQ(nr_loaded(), 2);
	EXPECT_EQ(without_id, 0);
}

/* ---- B9: how programs are unloaded -------------------------------------------------- */

/*
 * hold() takes a reference to the program besides that of its fd; let_go() drops it. SIGKILL
 * drops it, too, unless @outlives is set.
 */
struct way {
	const char *line;
	enum bpf_prog_type type;
	void (*hold)(const struct prog *prog);
	void (*let_go)(void);
	bool outlives;
};

static int held = -1;

static void close_held(void)
{
	close(held);
}

static void hold_fd(const struct prog *prog)
{
	held = dup(prog->fd);
	REQUIRE_GE(held, 0);
}

static void hold_pin(const struct prog *prog)
{
	union bpf_attr attr = { .pathname = to_u64(PIN), .bpf_fd = prog->fd };

	unlink(PIN);
	REQUIRE_EQ(bpf_call(BPF_OBJ_PIN, &attr), 0);
}

static void remove_pin(void)
{
	REQUIRE(unlink(PIN) == 0);
}

static void hold_in_array(const struct prog *prog)
{
	union bpf_attr map = { .map_type = BPF_MAP_TYPE_PROG_ARRAY, .key_size = 4,
			       .value_size = 4, .max_entries = 1 };
	__u32 key = 0;
	union bpf_attr set = { .key = to_u64(&key), .value = to_u64(&prog->fd) };

	held = bpf_call(BPF_MAP_CREATE, &map);
	REQUIRE_GE(held, 0);
	set.map_fd = held;
	REQUIRE_EQ(bpf_call(BPF_MAP_UPDATE_ELEM, &set), 0);
}

static void clear_array(void)
{
	__u32 key = 0;
	union bpf_attr attr = { .map_fd = held, .key = to_u64(&key) };

	REQUIRE_EQ(bpf_call(BPF_MAP_DELETE_ELEM, &attr), 0);
}

static void hold_by_socket(const struct prog *prog)
{
	held = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	REQUIRE_GE(held, 0);
	REQUIRE(setsockopt(held, SOL_SOCKET, SO_ATTACH_BPF, &prog->fd, sizeof(prog->fd)) == 0);
}

static void hold_by_link(const struct prog *prog)
{
	union bpf_attr attr = { .raw_tracepoint = { .name = to_u64("sched_switch"),
						    .prog_fd = prog->fd } };

	held = bpf_call(BPF_RAW_TRACEPOINT_OPEN, &attr);
	REQUIRE_GE(held, 0);
}

static void hold_by_perf(const struct prog *prog)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1000000 };

	held = peer_open_attr(&attr, 0, -1, -1);
	REQUIRE_GE(held, 0);
	REQUIRE(ioctl(held, PERF_EVENT_IOC_SET_BPF, prog->fd) == 0);
}

static __u32 member;

static void hold_by_member(const struct prog *prog)
{
	struct perfgrp_counter counter = { .event = PERFGRP_SW_CPU_CLOCK,
					   .sample_period = 1000000 };

	need_bpf();
	held = stream_on_task(0, 0, 65536);
	REQUIRE_GE(held, 0);
	REQUIRE_EQ(grp_add_counters(held, &counter, 1), 0);
	member = counter.id;
	REQUIRE_EQ(grp_bpf_attach(held, member, prog->fd, 0), 0);
}

static void detach_member(void)
{
	REQUIRE_EQ(grp_bpf_detach(held, member, 0), 0);
}

#define SOCKET	BPF_PROG_TYPE_SOCKET_FILTER
#define PERF	BPF_PROG_TYPE_PERF_EVENT
#define RAW_TP	BPF_PROG_TYPE_RAW_TRACEPOINT

static const struct way ways[] = {
	{ "B9: a program goes once, with its last fd", SOCKET, hold_fd, close_held, false },
	{ "B9: a program goes with its last pin", SOCKET, hold_pin, remove_pin, true },
	{ "B9: a program goes with its program array", SOCKET, hold_in_array, close_held, false },
	{ "B9: a program goes when its array drops it", SOCKET, hold_in_array, clear_array,
	  false },
	{ "B9: a program goes with its socket", SOCKET, hold_by_socket, close_held, false },
	{ "B9: a program goes with its link", RAW_TP, hold_by_link, close_held, false },
	{ "B9: a program goes with its perf event", PERF, hold_by_perf, close_held, false },
	{ "B9: a program goes when its member of a group drops it", PERF, hold_by_member,
	  detach_member, false },
	{ "B9: a program goes with the group that it is attached in", PERF, hold_by_member,
	  close_held, false },
};

/* A process that holds a program only in this way, until it is told to let go. */
struct holder {
	pid_t pid;
	int orders;
	struct prog prog;
};

static struct holder start_holder(const struct way *way)
{
	struct holder holder;
	int orders[2], answer[2];
	char byte;

	REQUIRE(pipe(orders) == 0 && pipe(answer) == 0);
	holder.pid = fork();
	REQUIRE_GE(holder.pid, 0);
	if (holder.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		holder.prog = load_as(way->type, 0);
		way->hold(&holder.prog);
		close(holder.prog.fd);
		REQUIRE(write(answer[1], &holder.prog, sizeof(holder.prog)) ==
			sizeof(holder.prog));
		REQUIRE(read(orders[0], &byte, 1) == 1);
		way->let_go();
		/* That was the last reference: it is unloaded now, not when the process exits. */
		pause();
	}
	close(orders[0]);
	close(answer[1]);
	if (read(answer[0], &holder.prog, sizeof(holder.prog)) != sizeof(holder.prog))
		test_end();
	close(answer[0]);
	holder.orders = orders[1];
	return holder;
}

static void end_holder(struct holder *holder)
{
	REQUIRE(kill(holder->pid, SIGKILL) == 0);
	REQUIRE(waitpid(holder->pid, NULL, 0) == holder->pid);
	close(holder->orders);
}

/* The program is still loaded after another one was loaded and unloaded. */
static void expect_held(int fd, const struct prog *prog)
{
	struct prog other = load_and_close();

	REQUIRE(BECOMES_TRUE(is_unloaded(fd, other.id), LATER_MS));
	EXPECT_EQ(how_many(LOAD, prog->id), 1);
	EXPECT_EQ(how_many(UNLOAD, prog->id), 0);
}

static void goes_this_way(const void *arg)
{
	int fd = ask(0, PERFGRP_TARGET_ALL_CPUS, 65536);
	const struct way *way = arg;
	struct holder holder = start_holder(way);

	expect_held(fd, &holder.prog);
	EXPECT_EQ(first_of(LOAD, holder.prog.id)->sample_id.pid, holder.pid);
	REQUIRE(write(holder.orders, "", 1) == 1);
	expect_one_each(fd, &holder.prog);
	end_holder(&holder);
	if (way->outlives)
		return;

	holder = start_holder(way);
	expect_held(fd, &holder.prog);
	end_holder(&holder);
	expect_one_each(fd, &holder.prog);
}

__attribute__((constructor)) static void test_ways(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		test_add(ways[i].line, goes_this_way, &ways[i], 120);
}

/* ---- B9: any group, any CPU --------------------------------------------------------- */

TEST(any_target, "B9: a group is told whatever its target, without members, enabled or not")
{
	static const __u32 target[] = { PERFGRP_TARGET_TASK, PERFGRP_TARGET_ALL_CPUS };
	struct prog prog;
	size_t i;
	int fd;

	for (i = 0; i < 2 * ARRAY_SIZE(target); i++) {
		fd = ask(i & 1 ? PERFGRP_CREATE_ENABLED : 0, target[i / 2], 8192);
		prog = load_and_close();
		expect_one_each(fd, &prog);
		REQUIRE_EQ(grp_add(fd, PERFGRP_SW_DUMMY) > 0, 1);
		REQUIRE_EQ(grp_disable(fd), 0);
		prog = load_and_close();
		expect_one_each(fd, &prog);
		close(fd);
	}
}

TEST_LIMIT(other_cpus, 120, "B9: a group on one CPU is told of all, and has room for them")
{
	struct perfgrp_create create = {
		.flags = PERFGRP_CREATE_BPF_EVENTS,
		.target = PERFGRP_TARGET_CPUS,
		.nr_cpus = 1,
		.buffer_size = 65536,
	};
	__u32 i, nr = 0, c;
	int fd;

	NEED_FEATURE(BPF_EVENTS);
	cpus_online(&cpus);
	create.cpus = to_u64(cpus.cpu);
	fd = grp_create_like(create);
	REQUIRE_GE(fd, 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	/* More records than fit into two pages, but fewer than fit into the requested size. */
	for (c = 0; c < cpus.nr; c++) {
		run_on(cpus.cpu[c]);
		for (i = 0; i < 100; i++, nr++)
			load_and_close();
	}
	stream_start(&records);
	stream_drain(fd);
	EXPECT_EQ(records.nr_bpf, 2 * nr);
	EXPECT_EQ(records.lost, 0);
	EXPECT_EQ(stream_stat(fd).produced, 2 * nr);
}

TEST(among_samples, "B9: records of programs stand among a group's samples in order of time")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_PAGE_FAULTS, .sample_period = 1,
				     .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL };
	int fd = ask(0, PERFGRP_TARGET_TASK, 65536);
	struct prog prog;
	__u64 time = 0;
	__u32 i;

	run_on(0);
	prog = load_and_close();
	settle_memory();
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	stream_drain(fd);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(2);
	prog = load();
	fault_in(3);
	close(prog.fd);
	fault_in(1);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	REQUIRE_EQ(records.nr, 8);
	for (i = 0; i < records.nr; i++) {
		const struct perf_event_header *h = records.record[i];
		bool bpf = i == 2 || i == 6;

		REQUIRE_EQ(h->type, bpf ? PERF_RECORD_BPF_EVENT : PERF_RECORD_SAMPLE);
		EXPECT_GE(record_time(h), time);
		time = record_time(h);
	}
	REQUIRE_EQ(records.nr_bpf, 2);
	EXPECT_EQ(records.bpf[0]->type, LOAD);
	EXPECT_EQ(records.bpf[1]->type, UNLOAD);
}

static void wait_for_records(int fd, __u64 nr)
{
	unsigned int ms;

	for (ms = 0; stream_stat(fd).produced < nr && ms < LATER_MS; ms++)
		nap_ns(1000000);
	EXPECT_EQ(stream_stat(fd).produced, nr);
}

TEST(lost_apart, "B14 O6: samples push out no records of programs, nor these them; LOST says which")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_PAGE_FAULTS, .sample_period = 1,
				     .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL };
	int fd = ask(0, PERFGRP_TARGET_TASK, 8192);
	unsigned int nr = 100, i;
	__u64 faults;

	settle_memory();
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	stream_start(&records);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(500);
	REQUIRE_EQ(grp_disable(fd), 0);
	faults = grp_raw(fd, c.id);
	load_and_close();
	wait_for_records(fd, faults + 2);
	stream_drain(fd);
	EXPECT_EQ(records.nr_bpf, 2);
	EXPECT_GT(records.lost, 0);
	EXPECT_EQ(records.lost_of_bpf, 0);
	EXPECT_EQ(records.nr_samples + records.lost, faults);

	stream_start(&records);
	for (i = 0; i < nr; i++)
		load_and_close();
	wait_for_records(fd, faults + 2 + 2 * nr);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(3);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	EXPECT_EQ(records.nr_samples, grp_raw(fd, c.id) - faults);
	EXPECT_GT(records.lost_of_bpf, 0);
	EXPECT_EQ(records.lost_of_bpf, records.lost);
	EXPECT_EQ(records.nr_bpf + records.lost, 2 * nr);
}

/* ---- B9: many ----------------------------------------------------------------------- */

#define BURST	250	/* programs per process: more than fit into a small buffer */
/* Loading a program takes 30 ms on a debug kernel. */
#define MANY	(is_debug_kernel() ? 80 : BURST)

/* The processes of a burst; the number and the ids of the programs that each loads. */
static pid_t bursting[MAX_CPUS];
static unsigned int burst_size;
static struct burst {
	__u32 id[MAX_CPUS][BURST];
} *burst;

static void start_burst(unsigned int size)
{
	unsigned int c, i;

	cpus_online(&cpus);
	burst_size = size;
	burst = mmap(NULL, sizeof(*burst), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	REQUIRE(burst != MAP_FAILED);
	for (c = 0; c < cpus.nr; c++) {
		bursting[c] = fork();
		REQUIRE_GE(bursting[c], 0);
		if (bursting[c])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run_on(cpus.cpu[c]);
		for (i = 0; i < burst_size; i++)
			burst->id[c][i] = load_and_close().id;
		_exit(0);
	}
}

static bool burst_is_over(void)
{
	bool over = true;
	unsigned int c;

	for (c = 0; c < cpus.nr; c++) {
		if (bursting[c] && waitpid(bursting[c], NULL, WNOHANG) == bursting[c])
			bursting[c] = 0;
		over &= !bursting[c];
	}
	return over;
}

static void expect_all_accounted(int fd)
{
	struct perfgrp_stream_stats stream = stream_stat(fd);
	__u64 all = 2ULL * burst_size * cpus.nr;

	EXPECT_EQ(stream.produced, all);
	EXPECT_EQ(stream.read, records.nr_bpf);
	EXPECT_EQ(stream.lost, records.lost);
	EXPECT_EQ(records.lost_of_bpf, records.lost);
	EXPECT_EQ(records.nr_bpf + records.lost, all);
}

static void burst_unread(__u32 flags)
{
	int fd = ask(flags, PERFGRP_TARGET_ALL_CPUS, 8192);

	start_burst(BURST);
	while (!burst_is_over())
		nap_ns(1000000);
	read_on(fd);
	EXPECT_GT(records.lost, 0);
	EXPECT_GT(records.nr_bpf, 0);
	expect_all_accounted(fd);
}

TEST_LIMIT(small_buffer, 300, "B9 O6: of hundreds in a small buffer each is read or told lost")
{
	burst_unread(0);
}

TEST_LIMIT(small_overwriting, 300, "B9 O6: the same in a buffer that overwrites")
{
	burst_unread(PERFGRP_CREATE_OVERWRITE);
}

static int by_id(const void *a, const void *b)
{
	const struct perfgrp_record_bpf_event *const *first = a, *const *second = b;
	const struct perfgrp_record_bpf_event *x = *first, *y = *second;

	if (x->prog_id != y->prog_id)
		return x->prog_id < y->prog_id ? -1 : 1;
	return x->type < y->type ? -1 : x->type > y->type;
}

TEST_LIMIT(many_read, 300, "B9: of hundreds on all CPUs a reader gets each once")
{
	int fd = ask(0, PERFGRP_TARGET_ALL_CPUS, 1 << 20);
	__u64 time[MAX_CPUS] = { 0 };
	unsigned int c, i;

	start_burst(MANY);
	while (!burst_is_over()) {
		read_on(fd);
		nap_ns(1000000);
	}
	read_on(fd);
	EXPECT_EQ(records.lost, 0);
	expect_all_accounted(fd);
	for (i = 0; i < records.nr_bpf; i++) {
		const struct perfgrp_record_bpf_event *e = records.bpf[i];

		REQUIRE_LT(e->sample_id.cpu, MAX_CPUS);
		EXPECT_GE(e->sample_id.time, time[e->sample_id.cpu]);
		time[e->sample_id.cpu] = e->sample_id.time;
	}
	qsort(records.bpf, records.nr_bpf, sizeof(records.bpf[0]), by_id);
	for (i = 0; i + 1 < records.nr_bpf; i += 2) {
		const struct perfgrp_record_bpf_event *in = records.bpf[i];
		const struct perfgrp_record_bpf_event *out = records.bpf[i + 1];

		REQUIRE_EQ(in->type, LOAD);
		REQUIRE_EQ(out->type, UNLOAD);
		REQUIRE_EQ(in->prog_id, out->prog_id);
		EXPECT_LE(in->sample_id.time, out->sample_id.time);
	}
	/* The number is right and no id occurs twice, so check only that each id is known. */
	for (c = 0; c < cpus.nr; c++)
		for (i = 0; i < burst_size; i++) {
			struct perfgrp_record_bpf_event key = { .prog_id = burst->id[c][i],
								.type = LOAD };
			const struct perfgrp_record_bpf_event *want = &key;

			REQUIRE(bsearch(&want, records.bpf, records.nr_bpf,
					sizeof(records.bpf[0]), by_id) != NULL);
		}
}

/* ---- B9: compared with perf --------------------------------------------------------- */

#define WITNESS_PAGES	16

struct witness {
	char *ring;
	__u64 at;
};

/* A perf event on one CPU, whose records have the same layout as ours. */
static struct witness call_witness(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			       PERF_SAMPLE_CPU,
		.sample_id_all = 1,
		.bpf_event = 1,
	};
	size_t page = sysconf(_SC_PAGESIZE);
	struct witness witness = { 0 };
	int fd = peer_open_attr(&attr, -1, cpu, -1);

	REQUIRE_GE(fd, 0);
	witness.ring = mmap(NULL, (1 + WITNESS_PAGES) * page, PROT_READ | PROT_WRITE, MAP_SHARED,
			    fd, 0);
	REQUIRE(witness.ring != MAP_FAILED);
	peer_enable(fd);
	return witness;
}

/* Gets the next record that the perf event has; false at the end. */
static bool ask_witness(struct witness *witness, struct perfgrp_record_bpf_event *event)
{
	size_t page = sysconf(_SC_PAGESIZE), size = WITNESS_PAGES * page, i;
	struct perf_event_mmap_page *head = (void *)witness->ring;
	const char *data = witness->ring + page;
	struct perf_event_header header;
	char *to = (char *)event;

	while (witness->at < __atomic_load_n(&head->data_head, __ATOMIC_ACQUIRE)) {
		for (i = 0; i < sizeof(header); i++)
			((char *)&header)[i] = data[(witness->at + i) % size];
		if (header.type == PERF_RECORD_BPF_EVENT) {
			REQUIRE_EQ(header.size, sizeof(*event));
			for (i = 0; i < sizeof(*event); i++)
				to[i] = data[(witness->at + i) % size];
		}
		REQUIRE(header.type != PERF_RECORD_LOST);
		witness->at += header.size;
		if (header.type == PERF_RECORD_BPF_EVENT)
			return true;
	}
	return false;
}

TEST_LIMIT(witness, 300, "B9: a group is told what perf is, of the same tasks and on the same CPUs")
{
	static struct witness witness[MAX_CPUS];
	static struct perfgrp_record_bpf_event seen[MAX_RECORDS];
	unsigned int c, i, k, way;
	struct holder holder[ARRAY_SIZE(ways)];
	struct perfgrp_record_bpf_event next;
	const struct perfgrp_record_bpf_event *theirs;
	__u32 nr_seen = 0;
	int fd;

	NEED_FEATURE(BPF_EVENTS);
	/* On perf's clock, because times are compared with perf's. */
	fd = grp_create_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_BPF_EVENTS | PERFGRP_CREATE_USE_CLOCKID,
		.target = PERFGRP_TARGET_ALL_CPUS,
		.buffer_size = 1 << 20,
		.clockid = PERFGRP_CLOCK_PERF,
	});
	REQUIRE_GE(fd, 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	stream_start(&records);
	stream_forget(&records);
	cpus_online(&cpus);
	for (c = 0; c < cpus.nr; c++)
		witness[c] = call_witness(cpus.cpu[c]);
	for (c = 0; c < cpus.nr; c++) {
		run_on(cpus.cpu[c]);
		for (i = 0; i < 50; i++)
			load_and_close();
	}
	for (way = 0; way < ARRAY_SIZE(ways); way++)
		holder[way] = start_holder(&ways[way]);
	for (way = 0; way < ARRAY_SIZE(ways); way++)
		REQUIRE(write(holder[way].orders, "", 1) == 1);
	for (way = 0; way < ARRAY_SIZE(ways); way++) {
		REQUIRE(BECOMES_TRUE(is_unloaded(fd, holder[way].prog.id), LATER_MS));
		end_holder(&holder[way]);
	}
	/* The group's record is written a little before perf's. */
	nap_ns(200000000);
	for (c = 0; c < cpus.nr; c++)
		while (ask_witness(&witness[c], &next)) {
			REQUIRE_LT(nr_seen, MAX_RECORDS);
			EXPECT_EQ(next.sample_id.cpu, cpus.cpu[c]);
			seen[nr_seen++] = next;
		}
	EXPECT_EQ(nr_seen, records.nr_bpf);
	/* perf may have two simultaneous records in the opposite order. */
	for (i = 0; i < records.nr_bpf; i++) {
		const struct perfgrp_record_bpf_event *ours = records.bpf[i];

		theirs = NULL;
		for (k = 0; k < nr_seen && !theirs; k++)
			if (seen[k].prog_id == ours->prog_id && seen[k].type == ours->type)
				theirs = &seen[k];
		REQUIRE(theirs);
		EXPECT_EQ(ours->header.size, theirs->header.size);
		EXPECT_EQ(ours->flags, theirs->flags);
		EXPECT_EQ(memcmp(ours->tag, theirs->tag, sizeof(ours->tag)), 0);
		EXPECT_EQ(ours->sample_id.pid, theirs->sample_id.pid);
		EXPECT_EQ(ours->sample_id.tid, theirs->sample_id.tid);
		EXPECT_EQ(ours->sample_id.cpu, theirs->sample_id.cpu);
		EXPECT_LE(ours->sample_id.time, theirs->sample_id.time);
	}
	EXPECT_GE(nr_seen, 100 * cpus.nr + 2 * ARRAY_SIZE(ways));
}

/* ---- B9: what the probe misses ------------------------------------------------------ */

/* Programs that are unloaded in a softirq, when RCU frees the socket that they are attached to. */
static void lose_sockets(unsigned int nr)
{
	struct prog prog;

	while (nr--) {
		prog = load();
		hold_by_socket(&prog);
		close(prog.fd);
		close_held();
	}
}

/* A kprobe's handler that takes long, so that the softirq interrupts it. */
static void slow_down_getpgid(void)
{
	unsigned int turns = 20000;
	struct bpf_object *object;
	struct bpf_program *program;

	libbpf_set_print(NULL);
	object = bpf_object__open_file("/tests/bpf_events.bpf.o", NULL);
	REQUIRE(object);
	program = bpf_object__find_program_by_name(object, "take_long");
	REQUIRE(program);
	REQUIRE(bpf_map__set_initial_value(bpf_object__find_map_by_name(object, ".rodata"), &turns,
					   sizeof(turns)) == 0);
	REQUIRE(bpf_object__load(object) == 0);
	if (!bpf_program__attach(program))
		skip("no kprobe on a system call (errno %d)", errno);
}

static void call_getpgid(void)
{
	unsigned int i;

	for (i = 0; i < 20; i++)
		getpgid(0);
}

TEST_LIMIT(missed, 300, "B9: what is missed while another kprobe's handler runs is told lost")
{
	unsigned int round, nr = 0;
	__u64 lost = 0;
	struct perfgrp_stream_stats stream;
	int fd;

	slow_down_getpgid();
	run_on(0);
	fd = ask(0, PERFGRP_TARGET_ALL_CPUS, 65536);
	for (round = 0; round < rounds(40); round++) {
		lose_sockets(10);
		nr += 10;
		call_getpgid();
		/* Several were lost at once, which one record must report. */
		stream = stream_stat(fd);
		if (stream.lost > lost + 1)
			break;
		lost = stream.lost;
	}
	REQUIRE(BECOMES_TRUE(stream_stat(fd).produced >= 2 * nr, LATER_MS));
	read_on(fd);
	stream = stream_stat(fd);
	EXPECT_EQ(stream.produced, 2 * nr);
	EXPECT_EQ(stream.lost, records.lost);
	EXPECT_EQ(records.nr_bpf + records.lost, 2 * nr);
	diag("%u programs, %llu calls missed", nr, stream.lost);
	if (!records.lost)
		skip("no call was missed");
}

TEST_LIMIT(missed_order, 300, "B9 O6: what is missed is told lost before the next record")
{
	const struct perf_event_header *last;
	unsigned int round, turn, nr = 0;
	int fd, other;

	slow_down_getpgid();
	run_on(0);
	fd = ask(0, PERFGRP_TARGET_ALL_CPUS, 65536);
	/* Shows what has been unloaded; stream_stat() of FD would count what it has missed. */
	other = ask(0, PERFGRP_TARGET_ALL_CPUS, 65536);
	for (round = 0; round < 10; round++) {
		lose_sockets(10);
		nr += 10;
		for (turn = 0; stream_stat(other).produced < 2 * nr; turn++) {
			REQUIRE_LT(turn, 1000);
			call_getpgid();
		}
	}
	/* Of this one nothing is missed. */
	lose_sockets(1);
	nr++;
	REQUIRE(BECOMES_TRUE(stream_stat(other).produced == 2 * nr, LATER_MS));
	read_on(fd);
	EXPECT_EQ(records.nr_bpf + records.lost, 2 * nr);
	if (!records.lost)
		skip("no call was missed");
	last = records.record[records.nr - 1];
	EXPECT_EQ(last->type, PERF_RECORD_BPF_EVENT);
}

TEST_LIMIT(last_missed, 300, "B9: so is what is missed last before BPF_EVENTS_OFF")
{
	unsigned int round, turn, nr = 0;
	__u64 lost = 0;
	int fd, other;

	slow_down_getpgid();
	run_on(0);
	/* Shows when all have been unloaded; stream_stat() of FD would count what it has missed. */
	other = ask(0, PERFGRP_TARGET_ALL_CPUS, 65536);
	for (round = 0; round < 10; round++) {
		fd = ask(0, PERFGRP_TARGET_ALL_CPUS, 65536);
		lose_sockets(10);
		nr += 10;
		for (turn = 0; stream_stat(other).produced < 2 * nr; turn++) {
			REQUIRE_LT(turn, 1000);
			call_getpgid();
		}
		REQUIRE_EQ(grp_control(fd, PERFGRP_BPF_EVENTS_OFF), 0);
		EXPECT_EQ(stream_stat(fd).produced, 20);
		lost += stream_stat(fd).lost;
		close(fd);
	}
	diag("%u programs, %llu calls missed", nr, lost);
	if (!lost)
		skip("no call was missed");
}

/* ---- B10: which groups get the records ---------------------------------------------- */

enum state { ABSENT, DISARMED, ARMED };

static enum state probe_state(void)
{
	static char line[256];
	FILE *f = fopen(LIST, "re");
	enum state state = ABSENT;

	if (!f)
		skip("there is no " LIST);
	while (fgets(line, sizeof(line), f))
		if (strstr(line, "perf_event_bpf_event") && state != ARMED)
			state = strstr(line, "[DISABLED]") ? DISARMED : ARMED;
	fclose(f);
	return state;
}

TEST(armed, "B10: the probe is armed from the first group that asks to the last, and no longer")
{
	int a, b, c;

	NEED_FEATURE(BPF_EVENTS);
	EXPECT_EQ(probe_state(), DISARMED);
	c = stream_on_task(0, 0, 65536);
	REQUIRE_GE(c, 0);
	EXPECT_EQ(probe_state(), DISARMED);
	a = ask(0, PERFGRP_TARGET_TASK, 65536);
	EXPECT_EQ(probe_state(), ARMED);
	b = ask(0, PERFGRP_TARGET_ALL_CPUS, 65536);
	EXPECT_EQ(probe_state(), ARMED);
	close(a);
	EXPECT_EQ(probe_state(), ARMED);
	close(b);
	EXPECT_EQ(probe_state(), DISARMED);
	a = ask(0, PERFGRP_TARGET_TASK, 65536);
	EXPECT_EQ(probe_state(), ARMED);
	close(a);
	EXPECT_EQ(probe_state(), DISARMED);
	close(c);
}

TEST(not_asked, "B10: a group that does not ask is told nothing, nor is one of what was before")
{
	int silent, fd;
	struct prog before, prog;

	silent = stream_create(0, PERFGRP_TARGET_ALL_CPUS, 0, 65536);
	REQUIRE_GE(silent, 0);
	before = load();
	load_and_close();
	fd = ask(0, PERFGRP_TARGET_ALL_CPUS, 65536);
	read_on(fd);
	EXPECT_EQ(records.nr, 0);
	close(before.fd);
	prog = load_and_close();
	expect_one_each(fd, &prog);
	EXPECT_EQ(how_many(LOAD, before.id), 0);
	EXPECT_EQ(how_many(UNLOAD, before.id), 1);
	EXPECT_EQ(stream_stat(silent).produced, 0);
}

TEST_LIMIT(many_ask, 120, "B10: of any number of groups that ask each gets every record once")
{
	int fd[40];
	struct prog prog[20];
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(fd); i++)
		fd[i] = ask(0, i & 1 ? PERFGRP_TARGET_TASK : PERFGRP_TARGET_ALL_CPUS, 8192);
	for (k = 0; k < ARRAY_SIZE(prog); k++)
		prog[k] = load_and_close();
	for (i = 0; i < ARRAY_SIZE(fd); i++) {
		stream_drain(fd[i]);
		EXPECT_EQ(records.nr, 2 * ARRAY_SIZE(prog));
		for (k = 0; k < ARRAY_SIZE(prog); k++) {
			EXPECT_EQ(how_many(LOAD, prog[k].id), 1);
			EXPECT_EQ(how_many(UNLOAD, prog[k].id), 1);
		}
	}
}

/* ---- B19: switched on and off ------------------------------------------------------- */

static struct grp_members members;

static bool is_asking(int fd)
{
	char flags[64];

	REQUIRE_EQ(grp_query(fd, &members), 0);
	snprintf(flags, sizeof(flags), "\ncreate_flags:\t0x%x\n", members.hdr.create_flags);
	expect_in_fdinfo(fd, flags);
	return members.hdr.create_flags & PERFGRP_CREATE_BPF_EVENTS;
}

TEST(on_and_off, "B19: a group that exists asks, and no longer, and asks again; its samples go on")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_PAGE_FAULTS, .sample_period = 1 };
	struct prog before, prog[3], after;
	int fd, i;

	NEED_FEATURE(BPF_EVENTS);
	fd = stream_on_task(PERFGRP_CREATE_ENABLED, 0, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	stream_start(&records);
	stream_forget(&records);
	for (i = 0; i < 3; i++) {
		EXPECT(!is_asking(fd));
		before = load();
		/* Switching it on twice has no further effect. */
		REQUIRE_EQ(grp_control(fd, PERFGRP_BPF_EVENTS_ON), 0);
		REQUIRE_EQ(grp_control(fd, PERFGRP_BPF_EVENTS_ON), 0);
		EXPECT(is_asking(fd));
		EXPECT_EQ(probe_state(), ARMED);
		prog[i] = load_and_close();
		expect_one_each(fd, &prog[i]);
		REQUIRE_EQ(grp_control(fd, PERFGRP_BPF_EVENTS_OFF), 0);
		REQUIRE_EQ(grp_control(fd, PERFGRP_BPF_EVENTS_OFF), 0);
		EXPECT_EQ(probe_state(), DISARMED);
		close(before.fd);
		after = load_and_close();
		fault_in(7);
		read_on(fd);
		EXPECT_EQ(how_many(LOAD, before.id), 0);
		EXPECT_EQ(how_many(UNLOAD, before.id), 0);
		EXPECT_EQ(how_many(LOAD, after.id), 0);
		EXPECT_EQ(how_many(UNLOAD, after.id), 0);
	}
	EXPECT_GE(records.nr_samples, 21);
	EXPECT_EQ(stream_stat(fd).lost, 0);
}

TEST(off_and_on, "B19: a group that has asked at its creation does so no longer, and asks again")
{
	int fd = ask(0, PERFGRP_TARGET_ALL_CPUS, 65536);
	struct prog prog;

	EXPECT(is_asking(fd));
	REQUIRE_EQ(grp_control(fd, PERFGRP_BPF_EVENTS_OFF), 0);
	EXPECT(!is_asking(fd));
	EXPECT_EQ(probe_state(), DISARMED);
	load_and_close();
	read_on(fd);
	EXPECT_EQ(records.nr, 0);
	REQUIRE_EQ(grp_control(fd, PERFGRP_BPF_EVENTS_ON), 0);
	prog = load_and_close();
	expect_one_each(fd, &prog);
	/* It is still on when the group is closed. */
	close(fd);
	EXPECT_EQ(probe_state(), DISARMED);
}

TEST(some_fit, "B19: a hundred records fit where the group has asked only later")
{
	int fd, i;

	NEED_FEATURE(BPF_EVENTS);
	fd = stream_on_task(0, 0, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_control(fd, PERFGRP_BPF_EVENTS_ON), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	for (i = 0; i < 100; i++)
		load_and_close();
	wait_for_records(fd, 200);
	stream_drain(fd);
	EXPECT_GE(records.nr_bpf, 100);
	EXPECT_GT(records.lost, 0);
	EXPECT_EQ(records.nr_bpf + records.lost, 200);
}

static bool storm_is_over;

static void *on_and_off_again(void *arg)
{
	unsigned int nr = 0;
	int fd = *(int *)arg;

	while (!__atomic_load_n(&storm_is_over, __ATOMIC_RELAXED)) {
		REQUIRE_EQ(grp_control(fd, PERFGRP_BPF_EVENTS_ON), 0);
		REQUIRE_EQ(grp_control(fd, PERFGRP_BPF_EVENTS_OFF), 0);
		nr++;
	}
	*(int *)arg = nr;
	return NULL;
}

static void *come_and_go(void *arg)
{
	static const __u32 target[] = { PERFGRP_TARGET_TASK, PERFGRP_TARGET_ALL_CPUS };
	unsigned int *nr = arg;
	int dev = grp_device();

	while (!__atomic_load_n(&storm_is_over, __ATOMIC_RELAXED)) {
		struct perfgrp_create create = {
			.size = sizeof(create),
			.flags = PERFGRP_CREATE_BPF_EVENTS,
			.target = target[*nr & 1],
			.buffer_size = 8192,
		};

		REQUIRE_EQ(grp_ioctl(dev, PERFGRP_CREATE, &create), 0);
		close(create.fd);
		++*nr;
	}
	close(dev);
	return NULL;
}

TEST_LIMIT(storm, 300,
	   "B10 B19: groups that come and go, or ask for a while, cost others no record")
{
	int fd = ask(0, PERFGRP_TARGET_ALL_CPUS, 1 << 20);
	unsigned int nr[2] = { 0 }, i;
	pthread_t thread[2], other[2];
	int one = stream_on_task(0, 0, 8192), toggled[2] = { one, one };

	REQUIRE_GE(one, 0);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		REQUIRE(pthread_create(&thread[i], NULL, come_and_go, &nr[i]) == 0);
	for (i = 0; i < ARRAY_SIZE(other); i++)
		REQUIRE(pthread_create(&other[i], NULL, on_and_off_again, &toggled[i]) == 0);
	start_burst(rounds(MANY) < BURST ? rounds(MANY) : BURST);
	while (!burst_is_over()) {
		read_on(fd);
		nap_ns(1000000);
	}
	__atomic_store_n(&storm_is_over, true, __ATOMIC_RELAXED);
	for (i = 0; i < ARRAY_SIZE(thread); i++) {
		pthread_join(thread[i], NULL);
		EXPECT_GT(nr[i], 0);
	}
	for (i = 0; i < ARRAY_SIZE(other); i++) {
		pthread_join(other[i], NULL);
		EXPECT_GT(toggled[i], 0);
	}
	read_on(fd);
	EXPECT_EQ(records.lost, 0);
	expect_all_accounted(fd);
	close(one);
	close(fd);
	EXPECT_EQ(probe_state(), DISARMED);
}

/* ---- refusals ----------------------------------------------------------------------- */

TEST(on_refused, "B19: asking later is refused for the same reasons")
{
	int fd = grp_on_task(0, 0), with_buffer = stream_on_task(0, 0, 65536);

	REQUIRE_GE(fd, 0);
	REQUIRE_GE(with_buffer, 0);
	NEED_FEATURE(BPF_EVENTS);
	EXPECT_REFUSED(grp_control(fd, PERFGRP_BPF_EVENTS_ON), EINVAL, FLAGS);
	EXPECT_EQ(grp_control(fd, PERFGRP_BPF_EVENTS_OFF), 0);
	if (write_file(KPROBES_ENABLED, "0"))
		skip("there is no " KPROBES_ENABLED);
	EXPECT_REFUSED(grp_control(with_buffer, PERFGRP_BPF_EVENTS_ON), EBUSY, KERNEL);
	REQUIRE_EQ(write_file(KPROBES_ENABLED, "1"), 0);
	EXPECT(!is_asking(with_buffer));
	EXPECT_EQ(probe_state(), DISARMED);
	keep_caps(0);
	EXPECT_REFUSED(grp_control(with_buffer, PERFGRP_BPF_EVENTS_ON), EACCES, PRIVILEGE);
}

TEST(no_buffer, "B9: asking without a buffer is refused")
{
	struct refusal want = refusal(EINVAL, PERFGRP_REASON_FLAGS);

	NEED_FEATURE(BPF_EVENTS);
	want.field = "flags";
	EXPECT_REFUSED_AS(grp_on_task(PERFGRP_CREATE_BPF_EVENTS, 0), want);
	EXPECT_REFUSED_AS(grp_on_all_cpus(PERFGRP_CREATE_BPF_EVENTS), want);
	EXPECT_EQ(probe_state(), DISARMED);
}

static void expect_refused_while_probes_are_off(void)
{
	struct prog prog;
	int fd;

	if (write_file(KPROBES_ENABLED, "0"))
		skip("there is no " KPROBES_ENABLED);
	fd = stream_on_task(PERFGRP_CREATE_BPF_EVENTS, 0, 65536);
	REQUIRE_EQ(write_file(KPROBES_ENABLED, "1"), 0);
	EXPECT_EQ(fd, -EBUSY);
	EXPECT_EQ(grp_error.reason, PERFGRP_REASON_KERNEL);
	EXPECT(error_is_sane(&grp_error, EBUSY));
	EXPECT(strstr(grp_error.text, KPROBES_ENABLED));
	EXPECT_EQ(probe_state(), DISARMED);
	fd = ask(0, PERFGRP_TARGET_TASK, 65536);
	EXPECT_EQ(probe_state(), ARMED);
	prog = load_and_close();
	expect_one_each(fd, &prog);
	close(fd);
	/* The one that was refused is no user of the probe. */
	EXPECT_EQ(probe_state(), DISARMED);
}

TEST(probes_off, "B9: while all kprobes are disarmed asking is refused, and works afterwards")
{
	NEED_FEATURE(BPF_EVENTS);
	expect_refused_while_probes_are_off();
}

TEST(probes_off_and_another, "B9: the same where somebody else probes the kernel's function, too")
{
	NEED_FEATURE(BPF_EVENTS);
	probe_too("perf_event_bpf_event");
	expect_refused_while_probes_are_off();
	probe_no_longer();
}

TEST(no_feature, "B9: where there is no probe asking is refused, with the reason")
{
	struct refusal want = refusal(EOPNOTSUPP, PERFGRP_REASON_FEATURE);
	int fd;

	if (grp_info().features & PERFGRP_FEATURE_BPF_EVENTS)
		skip("there is a probe");
	want.field = "flags";
	EXPECT_REFUSED_AS(stream_on_task(PERFGRP_CREATE_BPF_EVENTS, 0, 65536), want);
	EXPECT(strstr(grp_error.text, "parameter bpf_events") ||
	       strstr(grp_error.text, "perf_event_bpf_event"));
	fd = stream_on_task(0, 0, 65536);
	REQUIRE_GE(fd, 0);
	EXPECT_REFUSED(grp_control(fd, PERFGRP_BPF_EVENTS_ON), EOPNOTSUPP, FEATURE);
	EXPECT_EQ(probe_state(), ABSENT);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
