// SPDX-License-Identifier: GPL-2.0
/*
 * Mapped rings of records: a reader of perf's rings can read them, and userspace cannot damage
 * them.
 */
#include "bpf.h"
#include "pmu.h"
#include "ring.h"
#include "uring.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <poll.h>
#include <sys/wait.h>

#define SIZE 65536

static size_t page;

/* Samples each NR-th page fault of user mode. */
static struct perfgrp_counter faults(__u64 nr)
{
	return (struct perfgrp_counter){
		.event = PERFGRP_SW_PAGE_FAULTS,
		.flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
		.sample_period = nr,
	};
}

/* A group on this task that samples each of its page faults. */
static int task_group(struct perfgrp_counter *counter, __u32 size)
{
	int fd;

	page = sysconf(_SC_PAGESIZE);
	*counter = faults(1);
	settle_memory();
	fd = stream_on_task(0, 0, size);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, counter, 1), 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

TEST(as_perfs, "O13: who reads perf's ring reads a group's, and finds the same")
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .disabled = 1,
		.config = PERF_COUNT_SW_PAGE_FAULTS, .sample_period = 1, .exclude_kernel = 1,
		.exclude_hv = 1, .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
	};
	struct perfgrp_counter c;
	int fd = task_group(&c, SIZE), perf;
	struct perf_event_mmap_page *ring = map_ring(fd, 0), *perfs;
	struct sample {
		struct perf_event_header header;
		__u64 ip;
		__u32 pid, tid;
	} theirs;
	__u32 i;

	perf = peer_open_attr(&attr, 0, -1, -1);
	REQUIRE_GE(perf, 0);
	perfs = mmap(NULL, page + SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, perf, 0);
	REQUIRE(perfs != MAP_FAILED);
	REQUIRE_EQ(grp_enable(fd), 0);
	peer_enable(perf);
	fault_in(50);
	peer_disable(perf);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(ring->data_size, perfs->data_size);
	EXPECT_EQ(ring->size, perfs->size);
	EXPECT_EQ(read_ring(ring), 50);
	for (i = 0; i < 50; i++) {
		REQUIRE(next_record(perfs, &theirs));
		EXPECT_EQ(records.sample[i]->ip, theirs.ip);
		EXPECT_EQ(records.sample[i]->tid, theirs.tid);
		EXPECT_EQ(records.sample[i]->header.misc, theirs.header.misc);
		EXPECT_EQ(sample_values(records.sample[i])[0].value, i + 1);
	}
	EXPECT_EQ(read_ring(ring), 0);
	EXPECT(!next_record(perfs, &theirs));
}

TEST(around, "O13: around the end of the ring, and around, no record is lost or torn")
{
	struct perfgrp_counter c;
	int fd = task_group(&c, 1);
	struct perf_event_mmap_page *ring = map_ring(fd, 0);
	__u32 round, i, nr = 0;

	REQUIRE_EQ(ring->data_size, 2 * page);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (round = 0; round < 60; round++) {
		fault_in(37);
		read_ring(ring);
		for (i = 0; i < records.nr_samples; i++)
			EXPECT_EQ(sample_values(records.sample[i])[0].value, ++nr);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_GE(nr, 60 * 37);
	EXPECT_EQ(nr, grp_raw(fd, c.id));
	EXPECT_EQ(stats_of(fd).lost, 0);
	EXPECT_EQ(stats_of(fd).produced, nr);
}

TEST(full, "O13 O6: a full ring loses, and tells in a record once there is room")
{
	struct perfgrp_counter c;
	int fd = task_group(&c, 1);
	struct perf_event_mmap_page *ring = map_ring(fd, 0);
	__u64 seen, lost;

	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(200);
	seen = read_ring(ring);
	EXPECT_EQ(records.nr_lost, 0);
	EXPECT_LT(seen, 200);
	EXPECT_GT(seen, 50);
	fault_in(1);
	REQUIRE_EQ(grp_disable(fd), 0);
	lost = stats_of(fd).lost;
	EXPECT_GE(read_ring(ring), 2);
	EXPECT_EQ(records.nr_lost, 1);
	EXPECT_EQ(((struct perf_event_header *)records.record[0])->type, PERF_RECORD_LOST);
	EXPECT_EQ(((struct perfgrp_record_lost *)records.record[0])->lost, lost);
	EXPECT_EQ(seen + lost + records.nr_samples, grp_raw(fd, c.id));
}

/* The ring of each CPU has that CPU's faults; the last ring is that of BPF programs. */
TEST(each_cpu, "O13: each CPU has its ring, and what is said of programs has one of its own")
{
	struct perfgrp_counter c = faults(1);
	struct perf_event_mmap_page *ring[MAX_CPUS + 1];
	struct bpf_object *object;
	struct cpus cpus;
	__u32 i, k, nr;
	int fd;

	need_bpf();
	cpus_online(&cpus);
	page = sysconf(_SC_PAGESIZE);
	object = bpf_load("overflow");
	fd = grp_create_like((struct perfgrp_create){
		.target = PERFGRP_TARGET_CPUS, .cpus = to_u64(cpus.cpu), .nr_cpus = cpus.nr,
		.buffer_size = SIZE });
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	nr = stats_of(fd).nr_rings;
	REQUIRE_EQ(nr, cpus.nr + 1);
	for (i = 0; i < nr; i++)
		ring[i] = map_ring(fd, i);
	REQUIRE_EQ(grp_enable(fd), 0);
	for (i = 0; i < cpus.nr; i++) {
		run_on(cpus.cpu[i]);
		fault_in(20);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "note"), 1), 0);
	for (i = 0; i < cpus.nr; i++) {
		EXPECT_GE(read_ring(ring[i]), 20);
		EXPECT_EQ(records.nr, records.nr_samples);
		for (k = 0; k < records.nr_samples; k++)
			EXPECT_EQ(records.sample[k]->cpu, cpus.cpu[i]);
	}
	EXPECT_EQ(read_ring(ring[cpus.nr]), 1);
	EXPECT_EQ(records.nr_attach, 1);
	EXPECT_EQ(map(fd, SIZE, nr, PROT_READ), MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
}

TEST(polled, "O13 O7: poll tells of new records, and not of those that were read")
{
	struct perfgrp_counter c = faults(1);
	struct perf_event_mmap_page *ring;
	struct pollfd p = { .events = POLLIN };
	int fd;

	page = sysconf(_SC_PAGESIZE);
	settle_memory();
	fd = grp_create_like((struct perfgrp_create){
		.target = PERFGRP_TARGET_TASK, .buffer_size = SIZE, .wakeup_records = 10 });
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	ring = map_ring(fd, 0);
	p.fd = fd;
	EXPECT_EQ(poll(&p, 1, 0), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(5);
	EXPECT_EQ(poll(&p, 1, 0), 0);
	fault_in(5);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(poll(&p, 1, 0), 1);
	EXPECT_EQ(p.revents, POLLIN);
	EXPECT_GE(read_ring(ring), 10);
	EXPECT_EQ(poll(&p, 1, 0), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(10);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(poll(&p, 1, 0), 1);
	EXPECT_GE(read_ring(ring), 10);
	EXPECT_EQ(poll(&p, 1, 0), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(20);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_GE(read_ring(ring), 20);
	EXPECT_EQ(poll(&p, 1, 0), 0);
	/* One more is not enough, as those that were read no longer count. */
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(1);
	EXPECT_EQ(poll(&p, 1, 0), 0);
	fault_in(9);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(poll(&p, 1, 0), 1);
	EXPECT_GE(read_ring(ring), 10);
}

TEST(epolled, "O13 O7: epoll goes on to tell until the records are read, whoever else asks")
{
	struct epoll_event event = { .events = EPOLLIN };
	struct perfgrp_counter c;
	int fd = task_group(&c, SIZE), ep = epoll_create1(0), i;
	struct perf_event_mmap_page *ring = map_ring(fd, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	REQUIRE_GE(ep, 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(3);
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event), 0);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(epoll_wait(ep, &event, 1, 0), 1);
		EXPECT_EQ(poll(&p, 1, 0), 1);
	}
	EXPECT_GE(read_ring(ring), 3);
	EXPECT_EQ(epoll_wait(ep, &event, 1, 0), 0);
	EXPECT_EQ(poll(&p, 1, 0), 0);
}

TEST(uring_wakes, "O13 O7: io_uring's poll tells again after each read, without asking again")
{
	struct perfgrp_counter c;
	int fd = task_group(&c, SIZE), i;
	struct perf_event_mmap_page *ring = map_ring(fd, 0);
	struct uring u = uring_poll(fd);

	for (i = 0; i < 20; i++) {
		REQUIRE_EQ(grp_enable(fd), 0);
		fault_in(3);
		REQUIRE_EQ(grp_disable(fd), 0);
		uring_wait(&u);
		EXPECT_GE(read_ring(ring), 3);
	}
}

TEST(one_reader, "O13 O5: who maps a ring reads it, and read(2) says EBUSY")
{
	struct perfgrp_counter c;
	int fd = task_group(&c, SIZE), reader;
	struct perfgrp_reader open = { .size = sizeof(open), .flags = PERFGRP_READER_RECORDS };
	struct perf_event_mmap_page *looking;
	char byte[1024];

	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_OPEN_READER, &open), 0);
	reader = open.fd;
	EXPECT_EQ(map(reader, SIZE, 0, PROT_READ | PROT_WRITE), MAP_FAILED);
	EXPECT_EQ(errno, EACCES);
	looking = map(reader, SIZE, 0, PROT_READ);
	REQUIRE(looking != MAP_FAILED);
	EXPECT_EQ(mprotect(looking, page, PROT_READ | PROT_WRITE), -1);
	EXPECT_EQ(errno, EACCES);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(3);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_GT(looking->data_head, 0);
	EXPECT_EQ(looking->data_tail, 0);
	EXPECT_EQ(read(fd, byte, sizeof(byte)), (ssize_t)looking->data_head);
	EXPECT_EQ(looking->data_tail, looking->data_head);

	map_ring(fd, 0);
	EXPECT_EQ(read(fd, byte, sizeof(byte)), -1);
	EXPECT_EQ(errno, EBUSY);
	EXPECT_EQ(read(reader, byte, sizeof(byte)), -1);
	EXPECT_EQ(errno, EBUSY);
}

TEST(could_read, "O13 O5: so it does if a read-only mapping can become writable by mprotect(2)")
{
	struct perfgrp_counter c;
	int fd = task_group(&c, SIZE);
	struct perf_event_mmap_page *ring;
	char byte[1024];

	EXPECT_EQ(read(fd, byte, sizeof(byte)), -1);
	EXPECT_EQ(errno, EAGAIN);
	ring = map(fd, SIZE, 0, PROT_READ);
	REQUIRE(ring != MAP_FAILED);
	EXPECT_EQ(read(fd, byte, sizeof(byte)), -1);
	EXPECT_EQ(errno, EBUSY);
	EXPECT_EQ(mprotect(ring, page, PROT_READ | PROT_WRITE), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(3);
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_GE(read_ring(ring), 3);
	EXPECT_EQ(read(fd, byte, sizeof(byte)), -1);
	EXPECT_EQ(errno, EBUSY);
}

/* Writes to a byte of the mapping; returns the signal that kills the writer, or 0. */
static int write_to(volatile char *at)
{
	int status;
	pid_t pid = fork();

	REQUIRE_GE(pid, 0);
	if (!pid) {
		*at = 1;
		_exit(0);
	}
	REQUIRE_EQ(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(read_only, "O13 A9: records cannot be written, the tail can, and what it says harms nobody")
{
	struct perfgrp_counter c;
	int fd = task_group(&c, 1), i;
	struct perf_event_mmap_page *ring = map_ring(fd, 0);
	char *at = (char *)ring;

	EXPECT_EQ(write_to(at + offsetof(struct perf_event_mmap_page, data_tail)), 0);
	for (i = 1; i <= 2; i++)
		EXPECT_EQ(write_to(at + i * page), SIGBUS);
	EXPECT_EQ(mprotect(at + page, page, PROT_READ), 0);
	EXPECT_EQ(mprotect(at + page, page, PROT_READ | PROT_WRITE), 0);
	EXPECT_EQ(write_to(at + page), SIGBUS);

	REQUIRE_EQ(grp_enable(fd), 0);
	for (i = 0; i < 2000; i++) {
		ring->data_tail = i % 3 ? (__u64)rand() << (i % 40) : ring->data_head;
		ring->data_head = i % 7 ? ring->data_head : (__u64)rand();
		fault_in(1);
	}
	REQUIRE_EQ(grp_disable(fd), 0);
	EXPECT_EQ(stats_of(fd).produced, grp_raw(fd, c.id));
	EXPECT_LE(stats_of(fd).lost, stats_of(fd).produced);
}

TEST(refused, "O13 A4: what cannot be mapped, and why")
{
	struct perfgrp_counter c;
	int fd = task_group(&c, SIZE), none, over;

	EXPECT_EQ(map(fd, SIZE / 2, 0, PROT_READ), MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(map(fd, SIZE + page, 0, PROT_READ), MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(mmap(NULL, page + SIZE, PROT_READ, MAP_SHARED, fd, page), MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(mmap(NULL, page + SIZE, PROT_READ, MAP_PRIVATE, fd, 0), MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(read(fd, &c, sizeof(c)), -1);
	EXPECT_EQ(errno, EAGAIN);
	none = grp_on_task(0, 0);
	REQUIRE_GE(none, 0);
	EXPECT_EQ(mmap(NULL, page + SIZE, PROT_READ, MAP_SHARED, none, 0), MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	over = stream_on_task(PERFGRP_CREATE_OVERWRITE, 0, SIZE);
	REQUIRE_GE(over, 0);
	EXPECT_EQ(map(over, SIZE, 0, PROT_READ), MAP_FAILED);
	EXPECT_EQ(errno, EOPNOTSUPP);
}

TEST(outlives, "O13 G13: a mapping holds its ring, also when the fd is closed")
{
	struct perfgrp_counter c;
	int fd = task_group(&c, SIZE), i;
	struct perf_event_mmap_page *ring = map_ring(fd, 0);

	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(5);
	close(fd);
	fault_in(5);
	EXPECT_GE(read_ring(ring), 10);
	munmap(ring, page + SIZE);
	for (i = 0; i < 50; i++) {
		fd = task_group(&c, SIZE);
		ring = map_ring(fd, 0);
		REQUIRE_EQ(grp_enable(fd), 0);
		fault_in(2);
		close(fd);
		munmap(ring, page + SIZE);
	}
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
