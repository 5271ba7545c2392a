/* SPDX-License-Identifier: GPL-2.0 */
/* What read.bpf.c and the test that loads it both know. */
#ifndef TESTS_BPF_READ_H
#define TESTS_BPF_READ_H

#define READ_VALUES	4

/* What to read, and what came of it: the one element of the map "job". */
struct job {
	__u64 handle;
	__u64 flags;
	__u32 value_size;
	__u32 small;		/* room for one value only; if 2, not even for a slot */
	__u32 mapped;		/* the mapped row of @cpu */
	__s32 cpu;
	__s32 ret;
	__u32 failed;		/* how many runs had a negative one */
	__u32 odd;		/* which was not -EAGAIN */
	__u32 torn;		/* and in how many of several the first two differed */
	__u64 runs;
	struct perfgrp_map_slot slot;
	struct perfgrp_value value[READ_VALUES];
};

/* What a task was charged with: the map "charged", by its number. */
struct charge {
	__u64 count[READ_VALUES];
	__u64 switches;
	__u64 flags;		/* that the first value had at any switch */
};

#endif /* TESTS_BPF_READ_H */
