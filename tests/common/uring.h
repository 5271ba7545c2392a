/* SPDX-License-Identifier: GPL-2.0 */
/*
 * io_uring's multishot poll: it calls a file's poll once, and from then on relies on wakeups.
 */
#ifndef TESTS_URING_H
#define TESTS_URING_H

#include "harness.h"

#include <linux/io_uring.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>

struct uring {
	int fd;
	char *ring;
	struct io_uring_params params;
};

/* Starts a multishot poll, which completes each time that FD becomes readable. */
static inline struct uring uring_poll(int fd)
{
	struct uring u = { 0 };
	struct io_uring_sqe *sqe;

	u.fd = syscall(SYS_io_uring_setup, 4, &u.params);
	if (u.fd < 0)
		skip("this kernel has no io_uring");
	REQUIRE(u.params.features & IORING_FEAT_SINGLE_MMAP);
	u.ring = mmap(NULL, u.params.cq_off.cqes +
		      u.params.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_POPULATE, u.fd, IORING_OFF_SQ_RING);
	sqe = mmap(NULL, u.params.sq_entries * sizeof(*sqe), PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_POPULATE, u.fd, IORING_OFF_SQES);
	REQUIRE(u.ring != MAP_FAILED && sqe != MAP_FAILED);
	*sqe = (struct io_uring_sqe){ .opcode = IORING_OP_POLL_ADD, .fd = fd,
				      .len = IORING_POLL_ADD_MULTI, .poll32_events = POLLIN };
	*(__u32 *)(u.ring + u.params.sq_off.array) = 0;
	__atomic_store_n((__u32 *)(u.ring + u.params.sq_off.tail), 1, __ATOMIC_RELEASE);
	REQUIRE_EQ(syscall(SYS_io_uring_enter, u.fd, 1, 0, 0, NULL, 0), 1);
	return u;
}

/* Sleeps until there is a completion. */
static inline void uring_wait(const struct uring *u)
{
	__u32 *head = (__u32 *)(u->ring + u->params.cq_off.head);
	__u32 *tail = (__u32 *)(u->ring + u->params.cq_off.tail);

	REQUIRE_EQ(syscall(SYS_io_uring_enter, u->fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0), 0);
	__atomic_store_n(head, __atomic_load_n(tail, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
}

#endif /* TESTS_URING_H */
