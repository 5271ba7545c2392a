// SPDX-License-Identifier: GPL-2.0
/*
 * Call chains of samples. The expected chains are known: functions note their return addresses,
 * and perf samples the same overflows.
 */
#include "stream.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#pragma GCC optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")

#define MAX_STACK	"/proc/sys/kernel/perf_event_max_stack"
#define CALLCHAIN	(PERFGRP_SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN)
#define SIZE		65536

/* ---- programs that are sampled ------------------------------------------------ */

/* The return addresses of touch(), or sleep_a_little(), its caller and the caller's caller. */
static __u64 returns[3];

#define NOTE_RETURN(i)	(returns[i] = to_u64(__builtin_return_address(0)))
#define noinline	__attribute__((noinline, noclone))

static noinline void nothing_at_all(void)
{
	asm volatile("" ::: "memory");
}

/* One page fault. It calls a function, so that it has a frame. */
static noinline void touch(volatile char *page)
{
	nothing_at_all();
	NOTE_RETURN(0);
	*page = 1;
	nothing_at_all();
}

/*
 * A context switch, without the C library, which has no frame pointers. On a slow machine the time
 * may be over before the task sleeps, and interrupts may cause switches, too.
 */
static noinline void sleep_a_little(volatile char *unused __maybe_unused)
{
	const struct timespec time = { .tv_nsec = 20000000 };
#ifdef __x86_64__
	long ret = SYS_nanosleep;

	nothing_at_all();
	NOTE_RETURN(0);
	asm volatile("syscall" : "+a"(ret) : "D"(&time), "S"(0) : "rcx", "r11", "memory");
#else
	register long nr asm("x8") = SYS_nanosleep;
	register const void *ret asm("x0") = &time;
	register long left asm("x1") = 0;

	nothing_at_all();
	NOTE_RETURN(0);
	asm volatile("svc 0" : "+r"(ret) : "r"(nr), "r"(left) : "memory");
#endif
	nothing_at_all();
}

static noinline void call_it(void (*it)(volatile char *), volatile char *page)
{
	NOTE_RETURN(1);
	it(page);
	nothing_at_all();
}

static noinline void call_deeply(void (*it)(volatile char *), volatile char *page)
{
	NOTE_RETURN(2);
	call_it(it, page);
	nothing_at_all();
}

/* Takes a page fault below @depth nested functions. */
static noinline void fault_at_depth(unsigned int depth, char *page)
{
	if (depth)
		fault_at_depth(depth - 1, page);
	else
		touch(page);
	nothing_at_all();
}

static void sleep_five_times(void)
{
	unsigned int i;

	for (i = 0; i < 5; i++)
		call_deeply(sleep_a_little, NULL);
}

static void fault_deeply(unsigned int nr)
{
	char *pages = fresh_pages(nr);
	unsigned int i;

	for (i = 0; i < nr; i++)
		call_deeply(touch, pages + i * sysconf(_SC_PAGESIZE));
	munmap(pages, nr * sysconf(_SC_PAGESIZE));
}

/* ---- groups, and their chains ---------------------------------------------------- */

static struct perfgrp_counter faults(void)
{
	return (struct perfgrp_counter){
		.event = PERFGRP_SW_PAGE_FAULTS,
		.flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
		.sample_period = 1,
	};
}

static struct perfgrp_counter switches(void)
{
	return (struct perfgrp_counter){
		.event = PERFGRP_SW_CONTEXT_SWITCHES,
		.sample_period = 1,
	};
}

static struct perfgrp_create asking(__u32 max_stack)
{
	return (struct perfgrp_create){
		.target = PERFGRP_TARGET_TASK,
		.buffer_size = SIZE,
		.sample_type = CALLCHAIN,
		.sample_max_stack = max_stack,
	};
}

static int group_like(struct perfgrp_create create, struct perfgrp_counter *counters, __u32 nr)
{
	int fd;

	NEED_FEATURE(CALLCHAIN);
	records.callchains = true;
	settle_memory();
	fd = grp_create_like(create);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, counters, nr), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static int group(struct perfgrp_counter *counter, __u32 max_stack)
{
	return group_like(asking(max_stack), counter, 1);
}

struct chain {
	__u64 nr;
	const __u64 *ips;
};

static struct chain chain_of(const struct perfgrp_record_sample *s)
{
	const __u64 *at = (const void *)(sample_values(s) + s->nr);

	return (struct chain){ at[0], at + 1 };
}

static void diag_chain(const char *whose, const struct chain *chain)
{
	__u64 i;

	for (i = 0; i < chain->nr && i < 24; i++)
		diag("%s %llu: %#llx", whose, (unsigned long long)i,
		     (unsigned long long)chain->ips[i]);
}

/*
 * From @at on @chain has user mode: @ip and @nr callers. Anything may follow, because functions
 * beyond these have no frame pointers.
 */
static void expect_user(const struct chain *chain, __u64 at, __u64 ip, unsigned int nr)
{
	unsigned int i;

	if (chain->nr < at + 2 + nr || chain->ips[at] != PERF_CONTEXT_USER) {
		fail("no %u callers in user mode from %llu on", nr, (unsigned long long)at);
		diag_chain("chain", chain);
		return;
	}
	if (ip)
		EXPECT_EQ(chain->ips[at + 1], ip);
	for (i = 0; i < nr; i++)
		EXPECT_EQ(chain->ips[at + 2 + i], returns[i]);
}

/* Was the chain taken in touch() or sleep_a_little(), or in the kernel called from there? */
static bool is_of_work(const struct chain *chain)
{
	__u64 i;

	for (i = 0; i < chain->nr; i++)
		if (chain->ips[i] == returns[0])
			return true;
	return false;
}

/* The next sample from *@i on that was taken there, with its chain; NULL if there is none. */
static const struct perfgrp_record_sample *next_of_work(__u32 *i, struct chain *chain)
{
	while (*i < records.nr_samples) {
		const struct perfgrp_record_sample *sample = records.sample[(*i)++];

		*chain = chain_of(sample);
		if (is_of_work(chain))
			return sample;
	}
	return NULL;
}

/* The number of entries before user mode: PERF_CONTEXT_KERNEL and kernel addresses. */
static __u64 kernel_part(const struct chain *chain)
{
	__u64 i;

	if (!chain->nr || chain->ips[0] != PERF_CONTEXT_KERNEL)
		return 0;
	for (i = 1; i < chain->nr && chain->ips[i] != PERF_CONTEXT_USER; i++)
		EXPECT(chain->ips[i] >> 63 && chain->ips[i] < PERF_CONTEXT_MAX);
	return i;
}

/* ---- what is in a chain -------------------------------------------------------- */

TEST(user, "O14: a sample of user mode has the function that was interrupted, and its callers")
{
	struct perfgrp_counter c = faults();
	struct perfgrp_stream_stats stats = { .size = sizeof(stats) };
	const struct perfgrp_record_sample *s;
	int fd = group(&c, 0);
	struct chain chain;
	__u32 i = 0, faulted = 0;

	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_GET_STREAM_STATS, &stats), 0);
	EXPECT_EQ(stats.sample_type, CALLCHAIN);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_deeply(20);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	while ((s = next_of_work(&i, &chain))) {
		faulted++;
		expect_user(&chain, 0, s->ip, 3);
		EXPECT_EQ(s->nr, 1);
		EXPECT_EQ(sample_values(s)[0].id, c.id);
	}
	EXPECT_EQ(faulted, 20);
}

TEST(kernel, "O14: one of the kernel has the kernel's functions, and who called the kernel")
{
	struct perfgrp_counter c = switches();
	int fd = group(&c, 0);
	__u32 i, slept = 0;

	REQUIRE_EQ(grp_enable(fd), 0);
	sleep_five_times();
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	for (i = 0; i < records.nr_samples; i++) {
		struct chain chain = chain_of(records.sample[i]);
		__u64 user = kernel_part(&chain);

		EXPECT_GE(user, 4);
		EXPECT_EQ(chain.ips[1], records.sample[i]->ip);
		if (!is_of_work(&chain))
			continue;
		slept++;
		expect_user(&chain, user, 0, 3);
	}
	EXPECT_GE(slept, 1);
}

TEST(depth, "O14: chains are as long as asked for, contexts aside")
{
	struct perfgrp_counter c = faults();
	const struct perfgrp_record_sample *s;
	int fd = group(&c, 2);
	struct chain chain;
	__u32 i = 0, faulted = 0;

	REQUIRE_EQ(grp_enable(fd), 0);
	fault_deeply(5);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	while ((s = next_of_work(&i, &chain))) {
		faulted++;
		EXPECT_EQ(chain.nr, 3);
		expect_user(&chain, 0, s->ip, 1);
	}
	EXPECT_EQ(faulted, 5);
}

TEST(not_asked_for, "O14 O17: who does not ask for chains has none, and is told so")
{
	struct perfgrp_counter c = faults();
	struct perfgrp_stream_stats stats = { .size = sizeof(stats) };
	int fd;

	settle_memory();
	fd = stream_on_task(0, 0, SIZE);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_GET_STREAM_STATS, &stats), 0);
	EXPECT_EQ(stats.sample_type, PERFGRP_SAMPLE_TYPE);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_deeply(3);
	REQUIRE_EQ(grp_disable(fd), 0);
	/* check_record() compares sizes. */
	stream_drain(fd);
	EXPECT_GE(records.nr_samples, 3);
}

TEST(children, "O14 O12: samples of children have the children's chains")
{
	struct perfgrp_counter c = faults();
	struct perfgrp_create create = asking(0);
	const struct perfgrp_record_sample *s;
	struct chain chain;
	__u32 i = 0, nr = 0;
	pid_t pid;
	int fd;

	create.flags = PERFGRP_CREATE_INHERIT;
	fd = group_like(create, &c, 1);
	/* The child has the same code at the same addresses, and so the same return addresses. */
	call_deeply(touch, fresh_pages(1));
	REQUIRE_EQ(grp_enable(fd), 0);
	pid = fork();
	if (!pid) {
		fault_deeply(10);
		_exit(0);
	}
	REQUIRE(pid > 0);
	waitpid(pid, NULL, 0);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	while ((s = next_of_work(&i, &chain)))
		nr += s->pid == (__u32)pid;
	EXPECT_EQ(nr, 10);
}

/* ---- compared with perf --------------------------------------------------------- */

/**
 * struct peer - an event of perf_event_open(2) that samples its call chain
 * @fd: its file descriptor
 * @page: its ring
 * @at: position up to which the ring was read
 */
struct peer {
	int fd;
	struct perf_event_mmap_page *page;
	__u64 at;
};

#define PEER_PAGES 16

static struct peer peer_sampling(__u64 config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = config,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_CALLCHAIN,
		.exclude_kernel = config == PERF_COUNT_SW_PAGE_FAULTS,
	};
	struct peer peer = { .fd = peer_open_attr(&attr, 0, -1, -1) };

	REQUIRE_GE(peer.fd, 0);
	peer.page = mmap(NULL, (1 + PEER_PAGES) * sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			 MAP_SHARED, peer.fd, 0);
	REQUIRE(peer.page != MAP_FAILED);
	peer_enable(peer.fd);
	return peer;
}

/* The next sample's chain, copied; nr 0 if there is none. */
static struct chain peer_next(struct peer *peer)
{
	static __u64 copy[2][256];
	static unsigned int which;
	const __u64 size = PEER_PAGES * sysconf(_SC_PAGESIZE);
	const char *data = (const char *)peer->page + sysconf(_SC_PAGESIZE);
	__u64 head = __atomic_load_n(&peer->page->data_head, __ATOMIC_ACQUIRE);
	struct perf_event_header header;
	__u64 *to = copy[which ^= 1];
	size_t i;

	while (peer->at < head) {
		/* Records and the ring consist of whole words. */
		memcpy(&header, data + peer->at % size, sizeof(header));
		for (i = 0; i + 1 < header.size / sizeof(__u64) && i < ARRAY_SIZE(copy[0]); i++)
			memcpy(&to[i], data + (peer->at + (i + 1) * sizeof(__u64)) % size,
			       sizeof(__u64));
		peer->at += header.size;
		if (header.type != PERF_RECORD_SAMPLE)
			continue;
		EXPECT_EQ(header.size, sizeof(header) + (1 + to[0]) * sizeof(__u64));
		return (struct chain){ to[0], to + 1 };
	}
	return (struct chain){ 0, NULL };
}

static void expect_equal(const struct chain *ours, const struct chain *theirs)
{
	if (ours->nr == theirs->nr && ours->nr &&
	    !memcmp(ours->ips, theirs->ips, ours->nr * sizeof(__u64)))
		return;
	fail("the chains differ");
	diag_chain("ours", ours);
	diag_chain("perf's", theirs);
}

static struct chain peer_next_of_work(struct peer *peer)
{
	struct chain chain;

	do {
		chain = peer_next(peer);
	} while (chain.nr && !is_of_work(&chain));
	return chain;
}

/* Both have the same samples of the work, with the same chains, and no others. */
static void compare(struct peer *peer)
{
	struct chain ours, theirs;
	__u32 i = 0, nr = 0;

	while (next_of_work(&i, &ours)) {
		nr++;
		theirs = peer_next_of_work(peer);
		expect_equal(&ours, &theirs);
	}
	EXPECT_GE(nr, 1);
	EXPECT_EQ(peer_next_of_work(peer).nr, 0);
}

static void fault_five_times(void)
{
	fault_deeply(5);
}

static void beside_perf(struct perfgrp_counter c, __u64 config, void (*work)(void))
{
	struct peer peer;
	int fd = group(&c, 0);

	peer = peer_sampling(config);
	REQUIRE_EQ(grp_enable(fd), 0);
	work();
	peer_disable(peer.fd);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	compare(&peer);
}

TEST(as_perf_user, "O14: perf has the same chains of page faults")
{
	beside_perf(faults(), PERF_COUNT_SW_PAGE_FAULTS, fault_five_times);
}

TEST(as_perf_kernel, "O14: perf has the same chains of context switches")
{
	beside_perf(switches(), PERF_COUNT_SW_CONTEXT_SWITCHES, sleep_five_times);
}

/*
 * The perf core passes the same sample data to the handlers of all software events that are hit at
 * the same time. The event created last is hit first. One of ours has a chain and one has none.
 */
TEST(limits_are_kept, "O14: each of two events that are hit at once has the chain that it asks for")
{
	struct perfgrp_counter c = switches(), plain = switches();
	struct peer before, between, after;
	struct chain chain;
	int fd, other;
	__u32 i;

	NEED_FEATURE(CALLCHAIN);
	before = peer_sampling(PERF_COUNT_SW_CONTEXT_SWITCHES);
	fd = group(&c, 1);
	REQUIRE_EQ(grp_enable(fd), 0);
	between = peer_sampling(PERF_COUNT_SW_CONTEXT_SWITCHES);
	other = stream_on_task(PERFGRP_CREATE_ENABLED, 0, SIZE);
	REQUIRE_EQ(grp_add_counters(other, &plain, 1), 0);
	after = peer_sampling(PERF_COUNT_SW_CONTEXT_SWITCHES);
	sleep_five_times();
	peer_disable(before.fd);
	peer_disable(between.fd);
	peer_disable(after.fd);
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);

	EXPECT_GE(records.nr_samples, 1);
	for (i = 0; i < records.nr_samples; i++) {
		chain = chain_of(records.sample[i]);
		EXPECT_LE(chain.nr, 3);
	}
	for (i = 0; (chain = peer_next(&before)).nr; i++)
		EXPECT_GT(chain.nr, 4);
	EXPECT_GE(i, 1);
	for (i = 0; (chain = peer_next(&between)).nr; i++)
		EXPECT_GT(chain.nr, 4);
	EXPECT_GE(i, 1);
	for (i = 0; (chain = peer_next(&after)).nr; i++)
		EXPECT_GT(chain.nr, 4);
	EXPECT_GE(i, 1);
}

/* ---- what is refused ------------------------------------------------------------------ */

TEST(refused, "O14 E3: what cannot be is refused at creation, by the field's name")
{
	struct perfgrp_create create;

	NEED_FEATURE(CALLCHAIN);
	create = asking(4097);
	create.buffer_size = 1 << 20;
	EXPECT_REFUSED_FIELD(grp_create_like(create), EINVAL, "sample_max_stack");
	EXPECT(text_has_number(grp_error.text, 4096));
	create = asking(16);
	create.sample_type = PERFGRP_SAMPLE_TYPE;
	EXPECT_REFUSED_FIELD(grp_create_like(create), EINVAL, "sample_max_stack");
	create.sample_type = 0;
	EXPECT_REFUSED_FIELD(grp_create_like(create), EINVAL, "sample_max_stack");
	create = asking(0);
	create.sample_type = PERF_SAMPLE_CALLCHAIN;
	EXPECT_REFUSED_FIELD(grp_create_like(create), EOPNOTSUPP, "sample_type");
	create = asking(0);
	create.reserved2 = 1;
	EXPECT_REFUSED_FIELD(grp_create_like(create), EOPNOTSUPP, "reserved2");
	/* A record of 32 kB. */
	create = asking(4096);
	create.buffer_size = 65536;
	EXPECT_REFUSED_FIELD(grp_create_like(create), EINVAL, "buffer_size");
	create.buffer_size = 65537;
	EXPECT_GE(grp_create_like(create), 0);
	create.buffer_size = 0;
	EXPECT_GE(grp_create_like(create), 0);
	create = asking(0);
	create.buffer_size = 1;
	EXPECT_GE(grp_create_like(create), 0);
}

TEST(sysctl, "O14 E3: chains longer than the administrator allows are refused; the group stays")
{
	struct perfgrp_counter c = faults();
	char text[32], was[32];
	unsigned int i;
	int fd;

	NEED_FEATURE(CALLCHAIN);
	REQUIRE_GT(read_file(MAX_STACK, was, sizeof(was)), 0);
	/* Programs and events of the previous test may not be freed yet. */
	for (i = 0; i < 100 && write_file(MAX_STACK, "16"); i++)
		nap_ns(50000000);
	fd = grp_create_like(asking(0));
	EXPECT_REFUSED_FIELD(grp_add_counters(fd, &c, 1), ENOSPC, "sample_max_stack");
	EXPECT(text_has_number(grp_error.text, 127));
	EXPECT(strstr(grp_error.text, "perf_event_max_stack"));
	/* A counter that does not sample has no chains. */
	EXPECT_GT(grp_add(fd, PERFGRP_SW_PAGE_FAULTS), 0);
	close(fd);
	fd = grp_create_like(asking(16));
	EXPECT_EQ(grp_add_counters(fd, &c, 1), 0);
	/* The sysctl cannot be changed while events with call chains exist. */
	EXPECT_EQ(write_file(MAX_STACK, was), -EBUSY);
	close(fd);
	EXPECT_EQ(write_file(MAX_STACK, was), 0);
	REQUIRE_GT(read_file(MAX_STACK, text, sizeof(text)), 0);
	EXPECT(!strcmp(text, was));
}

TEST(longest, "O14 O6: chains as long as there can be; what has no room is told")
{
	struct perfgrp_stream_stats stats = { .size = sizeof(stats) };
	const unsigned int page = sysconf(_SC_PAGESIZE);
	struct perfgrp_create create = asking(0);
	struct perfgrp_counter c = faults();
	__u32 i, n, nr = 0;
	char *pages;
	int fd;

	create.buffer_size = 8192;
	fd = group_like(create, &c, 1);
	stream_start(&records);
	/* Let the stack grow before counting. */
	fault_at_depth(200, fresh_pages(1));
	REQUIRE_EQ(grp_enable(fd), 0);
	for (i = 0; i < rounds(50); i++) {
		/* Sometimes all fit into the buffer, sometimes there are too many. */
		n = 1 + i % 16;
		pages = fresh_pages(n);
		while (n--)
			fault_at_depth(200, pages + n * page);
		stream_drain(fd);
		for (n = 0; n < records.nr_samples; n++)
			nr += chain_of(records.sample[n]).nr == 1 + 127;
		munmap(pages, (1 + i % 16) * page);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	stream_drain(fd);
	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_GET_STREAM_STATS, &stats), 0);
	EXPECT_GT(nr, 0);
	EXPECT_GT(stats.lost, 0);
	EXPECT_EQ(stats.produced, stats.read + stats.lost);
	EXPECT_EQ(stats.read, records.total);
	EXPECT_EQ(stats.lost, records.lost);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
