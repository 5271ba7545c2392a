// SPDX-License-Identifier: GPL-2.0
/*
 * Inputs that found code: where the kernel has KCOV, arguments of calls that ran code that no
 * call had run before are kept, and others are made from them. Elsewhere nothing is kept.
 *
 * The map of code is shared by all processes, what is kept belongs to a thread.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <linux/kcov.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define NR_PCS	65536

/* From here on what this thread runs in the kernel is recorded. */
void kcov_begin(struct thread *t)
{
	t->kcov = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (t->kcov < 0)
		return;
	if (ioctl(t->kcov, KCOV_INIT_TRACE, NR_PCS))
		goto close;
	t->pcs = mmap(NULL, NR_PCS * sizeof(*t->pcs), PROT_READ | PROT_WRITE, MAP_SHARED, t->kcov,
		      0);
	if (t->pcs == MAP_FAILED)
		goto close;
	t->kept = calloc(KEPT, sizeof(*t->kept));
	if (t->kept && !ioctl(t->kcov, KCOV_ENABLE, KCOV_TRACE_PC))
		return;
close:
	close(t->kcov);
	t->kcov = -1;
}

/* A call begins. */
void kcov_reset(struct thread *t)
{
	if (t->kcov >= 0)
		write_once(t->pcs[0], 0);
}

static bool found_code(const struct thread *t)
{
	uint64_t nr = read_once(t->pcs[0]), i;
	bool found = false;
	__u32 place;
	__u8 bit;

	for (i = 1; i <= nr && i < NR_PCS; i++) {
		place = mix(t->pcs[i]) >> (64 - PC_BITS);
		bit = 1U << place % 8;
		if (!(read_once(shared->found[place / 8]) & bit) &&
		    !(__atomic_fetch_or(&shared->found[place / 8], bit, __ATOMIC_RELAXED) & bit))
			found = true;
	}
	return found;
}

/* A call has ended. */
void kcov_keep(struct thread *t, const struct call *c)
{
	struct kept *kept;

	if (t->kcov < 0 || c->index >= I_WRONG || !found_code(t))
		return;
	kept = &t->kept[t->nr_kept++ % KEPT];
	kept->index = c->index;
	memcpy(kept->arg, c->arg.bytes, sizeof(kept->arg));
	memcpy(kept->counter, t->counters.start, sizeof(kept->counter));
	add_one(shared->kept);
}

/* Sizes, pointers and how much memory they point to are the new call's. */
static void take_argument(struct call *c, const struct kept *kept)
{
	union argument mine = c->arg;

	memcpy(c->arg.bytes, kept->arg, sizeof(kept->arg));
	c->arg.size = mine.size;
	c->arg.error = mine.error;
	switch (c->index) {
	case I_CREATE:
		c->arg.create.cpus = mine.create.cpus;
		c->arg.create.nr_cpus = mine.create.nr_cpus;
		c->arg.create.target = mine.create.target;
		c->arg.create.pid = mine.create.pid;
		c->arg.create.target_fd = mine.create.target_fd;
		break;
	case I_ADD:
		c->arg.add.counters = mine.add.counters;
		c->arg.add.counter_size = mine.add.counter_size;
		c->arg.add.nr_counters = mine.add.nr_counters;
		break;
	case I_SNAPSHOT:
		mine.snapshot.flags = c->arg.flags;
		c->arg.snapshot = mine.snapshot;
		break;
	case I_QUERY:
		c->arg.query = mine.query;
		break;
	}
}

/**
 * kcov_recall - make a call like one that was kept
 * @t: the thread
 * @c: a call that makes sense, of the same ioctl
 *
 * Return: whether there was one.
 */
bool kcov_recall(struct thread *t, struct call *c)
{
	unsigned int which = below(t, KEPT), i;
	const struct kept *kept = NULL;

	for (i = 0; t->kcov >= 0 && i < KEPT && i < t->nr_kept && !kept; i++)
		if (t->kept[(which + i) % KEPT].index == c->index)
			kept = &t->kept[(which + i) % KEPT];
	if (!kept)
		return false;
	take_argument(c, kept);
	if (c->index == I_ADD && c->arg.add.counter_size == sizeof(kept->counter[0]))
		for (i = 0; i < c->arg.add.nr_counters && i < ARRAY_SIZE(kept->counter); i++) {
			memcpy(t->counters.start + i * sizeof(kept->counter[0]), &kept->counter[i],
			       sizeof(kept->counter[0]));
			memset(t->counters.start + i * sizeof(kept->counter[0]) +
			       offsetof(struct perfgrp_counter, id), 0, sizeof(__u32));
		}
	return true;
}
