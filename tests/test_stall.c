// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that stall on the caller's own memory, on page faults that a userfaultfd(2) leaves
 * unresolved: no other user of the group waits for them, and their results are not lost.
 */
#include "cgroup.h"

#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>

#define CPU	1
#define PAGES	16

static struct grp_snap snap;
static struct grp_members members;

/* ---- memory that stalls ----------------------------------------------------- */

/* Memory to which all accesses, or only writes, stall until trap_open(). */
struct trap {
	char *memory;
	size_t size;
	int uffd;
	bool writes;
};

static void trap_range(const struct trap *t, struct uffdio_range *range)
{
	range->start = (uintptr_t)t->memory;
	range->len = t->size;
}

static void trap_protect(const struct trap *t, bool on)
{
	struct uffdio_writeprotect protect = {
		.mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};

	trap_range(t, &protect.range);
	REQUIRE(ioctl(t->uffd, UFFDIO_WRITEPROTECT, &protect) == 0);
}

/* WRITES: only writes stall; the memory is present and write-protected. */
static struct trap trap_set(bool writes)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.mode = writes ? UFFDIO_REGISTER_MODE_WP : UFFDIO_REGISTER_MODE_MISSING,
	};
	struct trap t = { .size = PAGES * sysconf(_SC_PAGESIZE), .writes = writes };

	t.uffd = syscall(__NR_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (t.uffd < 0)
		skip("no userfaultfd (errno %d)", errno);
	if (writes)
		api.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP;
	if (ioctl(t.uffd, UFFDIO_API, &api))
		skip("userfaultfd cannot protect from writing here");
	t.memory = fresh_pages(PAGES);
	if (writes)
		touch_pages(t.memory, PAGES);
	trap_range(&t, &reg.range);
	REQUIRE(ioctl(t.uffd, UFFDIO_REGISTER, &reg) == 0);
	if (writes)
		trap_protect(&t, true);
	return t;
}

/* Waits until a thread stalls on the memory. */
static void trap_wait(const struct trap *t)
{
	struct pollfd p = { .fd = t->uffd, .events = POLLIN };
	struct uffd_msg msg;

	REQUIRE_EQ(poll(&p, 1, 10000), 1);
	REQUIRE_EQ(read(t->uffd, &msg, sizeof(msg)), sizeof(msg));
	REQUIRE_EQ(msg.event, UFFD_EVENT_PAGEFAULT);
}

static bool trap_is_empty(const struct trap *t)
{
	struct pollfd p = { .fd = t->uffd, .events = POLLIN };

	return poll(&p, 1, 0) == 0;
}

/* Lets stalled threads continue; memory that was not present is filled with zeros. */
static void trap_open(const struct trap *t)
{
	struct uffdio_zeropage zero = {};

	if (t->writes) {
		trap_protect(t, false);
		return;
	}
	trap_range(t, &zero.range);
	REQUIRE(ioctl(t->uffd, UFFDIO_ZEROPAGE, &zero) == 0);
}

/* Fills one page that was not present with zeros, and lets threads that stall on it continue. */
static void trap_fill(const struct trap *t, unsigned int nr)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct uffdio_zeropage zero = {
		.range = { .start = (uintptr_t)t->memory + nr * page, .len = page },
	};

	REQUIRE(ioctl(t->uffd, UFFDIO_ZEROPAGE, &zero) == 0);
}

/* ---- calls that stall -------------------------------------------------------- */

/* A call on FD that writes its results to TO, in a thread of its own. */
struct call {
	int (*make)(struct call *call);
	int fd;
	char *to;
	int ret;
	bool done;
	union {
		struct perfgrp_snapshot snapshot;
		struct perfgrp_query query;
		struct perfgrp_add add;
	} arg;
	pthread_t thread;
};

static void *call_run(void *arg)
{
	struct call *call = arg;

	call->ret = call->make(call);
	__atomic_store_n(&call->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void call_begin(struct call *call)
{
	REQUIRE_EQ(pthread_create(&call->thread, NULL, call_run, call), 0);
}

static int call_end(struct call *call)
{
	REQUIRE_EQ(pthread_join(call->thread, NULL), 0);
	return call->ret;
}

static bool call_is_done(const struct call *call)
{
	return __atomic_load_n(&call->done, __ATOMIC_ACQUIRE);
}

static int take_snapshot(struct call *call, __u32 flags, void *rows, void *values)
{
	call->arg.snapshot = (struct perfgrp_snapshot){
		.size = sizeof(call->arg.snapshot),
		.flags = flags,
		.rows = to_u64(rows),
		.values = to_u64(values),
		.row_size = sizeof(snap.row[0]),
		.nr_rows = MAX_ROWS,
		.value_size = sizeof(snap.value[0]),
		.nr_values = MAX_ROWS,
	};
	return grp_ioctl(call->fd, PERFGRP_SNAPSHOT, &call->arg.snapshot);
}

static int snapshot_rows(struct call *call)
{
	return take_snapshot(call, 0, call->to, snap.value);
}

static int snapshot_values(struct call *call)
{
	return take_snapshot(call, 0, snap.row, call->to);
}

static int snapshot_reset(struct call *call)
{
	return take_snapshot(call, PERFGRP_SNAPSHOT_RESET, snap.row, call->to);
}

static int snapshot_totals(struct call *call)
{
	return take_snapshot(call, PERFGRP_SNAPSHOT_TOTALS, call->to, snap.value);
}

/* With rows that are longer than the kernel's, which fills them up with zeros. */
static int snapshot_long_rows(struct call *call)
{
	call->arg.snapshot = (struct perfgrp_snapshot){
		.size = sizeof(call->arg.snapshot),
		.rows = to_u64(call->to),
		.values = to_u64(snap.value),
		.row_size = sizeof(snap.row[0]) + 8,
		.nr_rows = MAX_ROWS,
		.value_size = sizeof(snap.value[0]),
		.nr_values = MAX_ROWS,
	};
	return grp_ioctl(call->fd, PERFGRP_SNAPSHOT, &call->arg.snapshot);
}

static int query(struct call *call)
{
	call->arg.query = (struct perfgrp_query){
		.size = sizeof(call->arg.query),
		.counters = to_u64(call->to),
		.counter_size = sizeof(members.counter[0]),
		.nr_counters = PAGES,
	};
	return grp_ioctl(call->fd, PERFGRP_QUERY, &call->arg.query);
}

static int add(struct call *call)
{
	call->arg.add = (struct perfgrp_add){
		.size = sizeof(call->arg.add),
		.counters = to_u64(call->to),
		.counter_size = sizeof(struct perfgrp_counter),
		.nr_counters = 1,
	};
	return grp_ioctl(call->fd, PERFGRP_ADD, &call->arg.add);
}

static int read_records(struct call *call)
{
	ssize_t ret = read(call->fd, call->to, 4096);

	return ret < 0 ? -errno : (int)ret;
}

static int read_two_pages(struct call *call)
{
	ssize_t ret = read(call->fd, call->to, 2 * sysconf(_SC_PAGESIZE));

	return ret < 0 ? -errno : (int)ret;
}

/* ---- what others do meanwhile ------------------------------------------------- */

/* A group on all CPUs that counts and samples page faults, with 20 records waiting. */
static int busy_group(int *id)
{
	struct perfgrp_counter counter = { .event = PERFGRP_SW_PAGE_FAULTS, .sample_period = 1 };
	int fd = grp_create_like((struct perfgrp_create){ .flags = PERFGRP_CREATE_ENABLED,
							  .target = PERFGRP_TARGET_ALL_CPUS,
							  .buffer_size = 65536 });

	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &counter, 1), 0);
	*id = counter.id;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	fault_in(20);
	return fd;
}

static int read_fdinfo(int fd)
{
	char path[64], buf[4096];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	return read_file(path, buf, sizeof(buf));
}

static bool cpu_row_is(int fd, bool offline)
{
	const struct perfgrp_row *row;

	REQUIRE_EQ(grp_snapshot(fd, 0, &grp_last), 0);
	row = snap_row(&grp_last, CPU);
	return row && !!(row->flags & PERFGRP_ROW_OFFLINE) == offline;
}

/* Does everything that the owner, the kernel and root can do with a group. */
static void use_group(int fd, int id)
{
	struct perfgrp_stream_stats stats = { .size = sizeof(stats) };
	int more;

	EXPECT_EQ(grp_snapshot(fd, 0, &grp_last), 0);
	EXPECT_EQ(grp_query(fd, &members), 0);
	EXPECT_GT(read_fdinfo(fd), 0);
	EXPECT_EQ(grp_ioctl(fd, PERFGRP_GET_STREAM_STATS, &stats), 0);
	EXPECT_EQ(grp_disable(fd), 0);
	EXPECT_EQ(grp_enable(fd), 0);
	more = grp_add(fd, PERFGRP_SW_CPU_CLOCK);
	EXPECT_GT(more, 0);
	EXPECT_EQ(grp_remove(fd, more, 0), 0);
	EXPECT_EQ(grp_reset(fd), 0);
	fault_in(7);
	EXPECT_EQ(grp_snapshot(fd, PERFGRP_SNAPSHOT_TOTALS, &grp_last), 0);
	EXPECT_GE(snap_value(&grp_last, -1, id)->raw, 7);
	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		return;
	REQUIRE_EQ(cpu_set_online(CPU, false), 0);
	EXPECT(BECOMES_TRUE(cpu_row_is(fd, true), 5000));
	REQUIRE_EQ(cpu_set_online(CPU, true), 0);
	EXPECT(BECOMES_TRUE(cpu_row_is(fd, false), 5000));
}

/* While MAKE stalls on a read-only fd of the group, others can use the group; then it completes. */
static void stall_reader(int (*make)(struct call *), __u32 flags)
{
	struct trap trap = trap_set(false);
	int id, fd = busy_group(&id), more;
	struct call call = { .make = make, .to = trap.memory };

	run_on(0);
	call.fd = grp_open_reader(fd, flags);
	REQUIRE_GE(call.fd, 0);
	call_begin(&call);
	trap_wait(&trap);
	use_group(fd, id);
	/* Another reader of the group does not wait for it. */
	more = grp_open_reader(fd, 0);
	EXPECT_EQ(grp_snapshot(more, 0, &grp_last), 0);
	EXPECT(!call_is_done(&call));
	trap_open(&trap);
	EXPECT_GE(call_end(&call), 0);
}

TEST(rows, "S16: nobody waits for a snapshot that stalls on its rows")
{
	stall_reader(snapshot_rows, 0);
}

TEST(values, "S16: nobody waits for a snapshot that stalls on its values")
{
	stall_reader(snapshot_values, 0);
}

TEST(long_rows, "S16: nobody waits for a snapshot that stalls on longer rows")
{
	stall_reader(snapshot_long_rows, 0);
}

TEST(counters, "S16: nobody waits for a QUERY that stalls on its counters")
{
	stall_reader(query, 0);
}

TEST(records_read, "S16 O5: nobody waits for a read(2) that stalls")
{
	stall_reader(read_records, PERFGRP_READER_RECORDS);
}

/* A snapshot that notes which cgroups have been removed, but fails. */
static void fail_snapshot(int fd)
{
	struct perfgrp_snapshot small = {
		.size = sizeof(small),
		.row_size = sizeof(snap.row[0]),
		.value_size = sizeof(snap.value[0]),
	};

	EXPECT_EQ(grp_ioctl(fd, PERFGRP_SNAPSHOT, &small), -EMSGSIZE);
}

TEST(removed_meanwhile, "S16 C10: a cgroup's removal is not reported by a snapshot from before it")
{
	struct call call = { .make = snapshot_totals };
	const struct perfgrp_row *row;
	struct cgroup cg;
	struct trap trap;
	__u64 ino;

	call.fd = cgroup_split_group(&cg);
	ino = cgroup_ino(&cg);
	trap = trap_set(false);
	call.to = trap.memory;
	call_begin(&call);
	trap_wait(&trap);
	cgroup_remove(&cg);
	fail_snapshot(call.fd);
	trap_open(&trap);
	EXPECT_EQ(call_end(&call), 0);
	row = cgroup_row(call.fd, ino);
	REQUIRE(row);
	EXPECT(row->flags & PERFGRP_ROW_EXITED);
	EXPECT(!cgroup_row(call.fd, ino));
}

TEST(reported_meanwhile, "S16 C10: a removal is reported once, though another snapshot fails then")
{
	struct call call = { .make = snapshot_totals };
	const struct perfgrp_row *row;
	struct cgroup cg;
	struct trap trap;
	__u64 ino;

	call.fd = cgroup_split_group(&cg);
	ino = cgroup_ino(&cg);
	trap = trap_set(false);
	call.to = trap.memory;
	cgroup_remove(&cg);
	call_begin(&call);
	trap_wait(&trap);
	fail_snapshot(call.fd);
	trap_open(&trap);
	EXPECT_EQ(call_end(&call), 0);
	row = cgroup_find_row((const void *)trap.memory, call.arg.snapshot.nr_rows, ino);
	REQUIRE(row);
	EXPECT(row->flags & PERFGRP_ROW_EXITED);
	EXPECT(!cgroup_row(call.fd, ino));
}

/* ---- readers of records ---------------------------------------------------------- */

static struct perfgrp_stream_stats stats_of(int fd)
{
	struct perfgrp_stream_stats stats = { .size = sizeof(stats) };

	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_GET_STREAM_STATS, &stats), 0);
	return stats;
}

TEST(two_readers, "S16 O6: while a reader stalls another one reads, and each record is read once")
{
	struct trap trap = trap_set(false);
	int id, fd = busy_group(&id);
	struct call call = { .make = read_records, .to = trap.memory };
	struct perfgrp_stream_stats stats;

	REQUIRE_EQ(grp_disable(fd), 0);
	call.fd = grp_open_reader(fd, PERFGRP_READER_RECORDS);
	REQUIRE_GE(call.fd, 0);
	fcntl(call.fd, F_SETFL, O_NONBLOCK);
	call_begin(&call);
	trap_wait(&trap);
	stream_start(&records);
	stream_drain(fd);
	EXPECT_GE(records.nr_samples, 20);
	stats = stats_of(fd);
	EXPECT_EQ(stats.read, stats.produced);
	EXPECT_EQ(stats.read, records.total);
	trap_open(&trap);
	/* No records are left for the call that stalled. */
	EXPECT_EQ(call_end(&call), -EAGAIN);
	EXPECT_EQ(stats_of(fd).read, stats.produced);
}

TEST(reader_gets_on, "S16 O5: a read(2) that stalled delivers what it found, oldest record first")
{
	struct trap trap = trap_set(false);
	int id, fd = busy_group(&id);
	struct call call = { .make = read_records, .to = trap.memory, .fd = fd };
	const struct perf_event_header *first;
	struct perfgrp_stream_stats stats;

	REQUIRE_EQ(grp_disable(fd), 0);
	call_begin(&call);
	trap_wait(&trap);
	trap_open(&trap);
	EXPECT_GT(call_end(&call), 0);
	first = (const void *)trap.memory;
	EXPECT_EQ(first->type, PERF_RECORD_SAMPLE);
	stream_start(&records);
	stream_drain(fd);
	stats = stats_of(fd);
	EXPECT_EQ(stats.produced, stats.read);
	EXPECT_EQ(stats.lost, 0);
	EXPECT_LT(records.total, stats.produced);
}

TEST(fresh_buffer, "O5: a buffer that was never touched is filled as one that was")
{
	struct perfgrp_counter counter = {
		.event = PERFGRP_SW_PAGE_FAULTS,
		.flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
		.sample_period = 1,
	};
	int fd = stream_on_task(0, 0, 1 << 20);
	size_t size = 512 * 1024, page = sysconf(_SC_PAGESIZE);
	char *to = fresh_pages(size / page);
	ssize_t length;

	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &counter, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	run_on(0);
	settle_memory();
	REQUIRE_EQ(munlockall(), 0);
	REQUIRE_EQ(madvise(to, size, MADV_DONTNEED), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(2000);
	REQUIRE_EQ(grp_disable(fd), 0);
	length = read(fd, to, size);
	EXPECT_GT(length, (ssize_t)(4 * page));
	/* One call has read all records. */
	EXPECT_EQ(read(fd, to, size), -1);
	EXPECT_EQ(errno, EAGAIN);
	EXPECT_EQ(stats_of(fd).read, stats_of(fd).produced);
	EXPECT_GE(stats_of(fd).read, 2000);
}

TEST(read_fault, "O5: memory that cannot be written is EFAULT, and every record stays")
{
	int id, fd = busy_group(&id);
	__u64 produced;
	size_t page = sysconf(_SC_PAGESIZE);
	char *to = fresh_pages(2);

	REQUIRE_EQ(grp_disable(fd), 0);
	produced = stats_of(fd).produced;
	REQUIRE(mprotect(to, page, PROT_READ) == 0);
	EXPECT_EQ(read(fd, to, 2 * page), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(stats_of(fd).read, 0);
	/* Reads as much as there is writable memory for. */
	REQUIRE(mprotect(to, page, PROT_READ | PROT_WRITE) == 0);
	REQUIRE(mprotect(to + page, page, PROT_NONE) == 0);
	EXPECT_GT(read(fd, to, 2 * page), 0);
	REQUIRE(mprotect(to + page, page, PROT_READ | PROT_WRITE) == 0);
	while (read(fd, to, 2 * page) > 0)
		;
	EXPECT_EQ(errno, EAGAIN);
	EXPECT_EQ(stats_of(fd).read, produced);
}

static void nothing(int signal __maybe_unused)
{
}

TEST(read_signal, "O5: a signal ends a read(2) that stalls with EINTR, and every record stays")
{
	struct sigaction action = { .sa_handler = nothing };
	struct trap trap = trap_set(false);
	int id, fd = busy_group(&id);
	struct call call = { .make = read_two_pages, .to = trap.memory, .fd = fd };
	struct perfgrp_stream_stats stats;

	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
	call_begin(&call);
	/*
	 * While it waits for the second page the first one is paged out again. So with the signal
	 * pending it finds memory that is not present.
	 */
	trap_wait(&trap);
	trap_fill(&trap, 0);
	trap_wait(&trap);
	REQUIRE(madvise(trap.memory, sysconf(_SC_PAGESIZE), MADV_DONTNEED) == 0);
	REQUIRE_EQ(pthread_kill(call.thread, SIGUSR1), 0);
	trap_fill(&trap, 1);
	EXPECT_EQ(call_end(&call), -EINTR);
	EXPECT_EQ(stats_of(fd).read, 0);
	stream_start(&records);
	stream_drain(fd);
	stats = stats_of(fd);
	EXPECT_EQ(stats.read, stats.produced);
	EXPECT_EQ(stats.lost, 0);
}

/* ---- calls that change the group ----------------------------------------------------- */

TEST(reset, "S16 S13: nobody waits for a snapshot with RESET that stalls, and it loses no count")
{
	struct call call = { .make = snapshot_reset };
	const struct perfgrp_value *value;
	struct trap trap;
	int id;

	/* Before the trap is set, because it touches all memory. */
	settle_memory();
	trap = trap_set(false);
	call.to = trap.memory;
	value = (const void *)trap.memory;
	call.fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0);
	REQUIRE_GE(call.fd, 0);
	id = grp_add_with(call.fd, PERFGRP_SW_PAGE_FAULTS, PERFGRP_COUNTER_EXCLUDE_KERNEL);
	REQUIRE_GT(id, 0);
	fault_in(1);
	REQUIRE_EQ(grp_reset(call.fd), 0);
	fault_in(11);
	call_begin(&call);
	trap_wait(&trap);
	fault_in(13);
	/* The counts are not reset before they are delivered. */
	EXPECT_GE(grp_raw(call.fd, id), 24);
	EXPECT_EQ(grp_disable(call.fd), 0);
	EXPECT_GT(read_fdinfo(call.fd), 0);
	EXPECT_EQ(grp_enable(call.fd), 0);
	trap_open(&trap);
	EXPECT_EQ(call_end(&call), 0);
	/* Creating the thread takes faults, too, but not a known number. */
	EXPECT_EQ(value->id, id);
	EXPECT_GE(value->raw, 24);
	EXPECT_LT(grp_raw(call.fd, id), 24);
}

TEST(add_ids, "S16 G8: nobody waits for an ADD that stalls on the ids it writes")
{
	struct trap trap = trap_set(true);
	struct call call = { .make = add, .to = trap.memory };
	struct perfgrp_counter *counter = (void *)trap.memory;
	int id;

	/* Write the argument of ADD. */
	trap_protect(&trap, false);
	*counter = (struct perfgrp_counter){ .event = PERFGRP_SW_DUMMY };
	trap_protect(&trap, true);
	call.fd = busy_group(&id);
	run_on(0);
	call_begin(&call);
	trap_wait(&trap);
	EXPECT(!call_is_done(&call));
	use_group(call.fd, id);
	EXPECT_EQ(grp_query(call.fd, &members), 0);
	EXPECT_EQ(members.hdr.nr_counters, 1);
	trap_open(&trap);
	EXPECT_EQ(call_end(&call), 0);
	EXPECT_EQ(grp_query(call.fd, &members), 0);
	EXPECT_EQ(members.hdr.nr_counters, 2);
	EXPECT_GT(counter->id, (unsigned int)id);
	EXPECT_EQ(members.counter[1].id, counter->id);
}

/* The perf core reads the name of a function to probe from the caller's memory itself. */
TEST(kprobe_name, "S16 E5: nobody waits for an ADD that names a function in memory that stalls")
{
	struct trap trap = trap_set(false);
	struct perfgrp_counter counter = { .flags = PERFGRP_COUNTER_RAW };
	int id, fd = busy_group(&id), ret;
	long type = read_number("/sys/bus/event_source/devices/kprobe/type");

	if (type < 0)
		skip("there is no kprobe PMU");
	counter.type = type;
	counter.config1 = to_u64(trap.memory);
	ret = grp_add_counters(fd, &counter, 1);
	EXPECT_EQ(ret, -EOPNOTSUPP);
	EXPECT_EQ(grp_error.reason, PERFGRP_REASON_EVENT);
	EXPECT(trap_is_empty(&trap));
	use_group(fd, id);
}

/* ---- memory that is discarded again and again -------------------------------------------- */

static char *vanishing;
static unsigned int discarded;
static bool stop;

static void *discard(void *unused __maybe_unused)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		discarded += !madvise(vanishing, sysconf(_SC_PAGESIZE), MADV_DONTNEED);
	return NULL;
}

static void *look_on(void *data)
{
	int fd = *(int *)data;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		grp_snapshot(fd, 0, &snap);
	return NULL;
}

TEST_LIMIT(vanishing_rows, 60, "S13 S16: memory that goes away again and again loses no count")
{
	struct perfgrp_value value[2];
	struct perfgrp_snapshot call;
	pthread_t threads[2];
	__u64 sum = 0, done = 0;
	unsigned int i, tries = rounds(50), failed = 0;
	int fd, id;

	settle_memory();
	vanishing = fresh_pages(1);
	fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(pthread_create(&threads[0], NULL, discard, NULL), 0);
	REQUIRE_EQ(pthread_create(&threads[1], NULL, look_on, &fd), 0);
	settle_memory();
	REQUIRE_EQ(munlockall(), 0);
	fault_in(1);
	id = grp_add_with(fd, PERFGRP_SW_PAGE_FAULTS, PERFGRP_COUNTER_EXCLUDE_KERNEL);
	REQUIRE_GT(id, 0);
	for (i = 0; i < tries; i++) {
		int ret;

		fault_in(5);
		done += 5;
		call = (struct perfgrp_snapshot){
			.size = sizeof(call),
			.flags = PERFGRP_SNAPSHOT_RESET,
			.rows = to_u64(vanishing),
			.values = to_u64(value),
			.row_size = sizeof(struct perfgrp_row),
			.nr_rows = 2,
			.value_size = sizeof(value[0]),
			.nr_values = 2,
		};
		ret = grp_ioctl(fd, PERFGRP_SNAPSHOT, &call);
		if (ret == 0)
			sum += value[0].raw;
		else
			failed++;
		if (ret)
			EXPECT_EQ(ret, -EFAULT);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < 2; i++)
		REQUIRE_EQ(pthread_join(threads[i], NULL), 0);
	/* This thread's faults in pthread_join() are counted, too. */
	sum += grp_raw(fd, id);
	EXPECT_GE(sum, done);
	EXPECT_LE(sum, done + 64);
	EXPECT_GT(discarded, 0);
	diag("%u of %u were EFAULT", failed, tries);
}

TEST(reset_fault, "S13: values that cannot be written are EFAULT, and nothing is reset")
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct perfgrp_value *bad;
	struct call call = {};
	int id;

	settle_memory();
	call.fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0);
	REQUIRE_GE(call.fd, 0);
	id = grp_add_with(call.fd, PERFGRP_SW_PAGE_FAULTS, PERFGRP_COUNTER_EXCLUDE_KERNEL);
	REQUIRE_GT(id, 0);
	bad = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(bad != MAP_FAILED);
	fault_in(11);
	EXPECT_REFUSED(take_snapshot(&call, PERFGRP_SNAPSHOT_RESET, snap.row, bad), EFAULT,
		       POINTER);
	EXPECT(strcmp(grp_error.field, "values") == 0);
	EXPECT_GE(grp_raw(call.fd, id), 11);
	EXPECT_REFUSED(take_snapshot(&call, PERFGRP_SNAPSHOT_RESET, bad, snap.value), EFAULT,
		       POINTER);
	EXPECT(strcmp(grp_error.field, "rows") == 0);
	EXPECT_GE(grp_raw(call.fd, id), 11);
}

TEST(reset_fresh_rows, "S13: rows in memory that was never touched are written like others")
{
	struct call call = {};
	char *rows;

	/* take_snapshot() has room for MAX_ROWS rows, but there is one. */
	rows = fresh_pages(1);
	call.fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0);
	REQUIRE_GE(call.fd, 0);
	REQUIRE_GT(grp_add(call.fd, PERFGRP_SW_PAGE_FAULTS), 0);
	EXPECT_EQ(take_snapshot(&call, PERFGRP_SNAPSHOT_RESET, rows, snap.value), 0);
	EXPECT_EQ(((struct perfgrp_row *)rows)->nr_values, 1);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
