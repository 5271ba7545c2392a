/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What maps.bpf.c and the test that loads it share.
 */
#ifndef TESTS_BPF_MAPS_H
#define TESTS_BPF_MAPS_H

#define MAPS_CPUS	16
/* A writer is a program on a CPU: number who * MAPS_CPUS + cpu. */
#define MAPS_WRITERS	(MAPS_NR_WHO * MAPS_CPUS)
#define MAPS_ENTRIES	64
#define MAPS_STACKS	4
/* Keys below are those of the system calls, and a writer has one of its own from OWN_KEY on. */
#define HAMMERED_KEYS	48
#define OWN_KEY		1000
/* What a writer puts into a task's storage. System calls put numbers below 2^32 there. */
#define TASK_VALUE(writer, nr)	(((writer) + 1ULL) << 32 | ((nr) & 0xffffffff))

/* Whose a program is. The order matters: from MAPS_KPROBE on bpf_prog_active keeps them apart. */
enum maps_who {
	MAPS_OURS,
	MAPS_SWITCH,		/* tp_btf/sched_switch */
	MAPS_SYSCALL,		/* tp_btf/sys_enter */
	MAPS_TIMER,		/* tp_btf/hrtimer_expire_entry */
	MAPS_KPROBE,
	MAPS_MULTI,		/* kprobe.multi */
	MAPS_PERF,		/* on perf's own events */
	MAPS_NR_WHO = 8,	/* or fewer: a power of 2 */
};

/* The maps that programs of all of these change. */
enum maps_kind {
	MAPS_NONE,
	MAPS_HASH,
	MAPS_HASH_MALLOC,
	MAPS_PERCPU_HASH,
	MAPS_LRU_HASH,
	MAPS_LRU_PERCPU_HASH,
	MAPS_PERCPU_ARRAY,
	MAPS_LPM_TRIE,
	MAPS_RINGBUF,
	MAPS_TASK_STORAGE,
	MAPS_ARRAY_OF_HASHES,
	MAPS_HASH_OF_LRUS,
};

/**
 * struct maps_counts - what a writer did
 * @runs: how often a program ran
 * @done: how often it could do what it does to the map
 * @busy: how often the map was busy (EBUSY)
 * @failed: how often it could not for another reason
 * @wrong: how often it did not find what it had just put in
 * @value: what it put in last
 * @error: why it failed last
 * @nested: how often it interrupted another that is not to be interrupted by it
 */
struct maps_counts {
	unsigned long long runs;
	unsigned long long done;
	unsigned long long busy;
	unsigned long long failed;
	unsigned long long wrong;
	unsigned long long value;
	long long error;
	unsigned long long nested;
};

/**
 * struct maps_state - what the programs tell the test
 * @counts: of each writer; those of programs on counters are the first, at their CPU's number
 * @place: an address that is written to while the map's lock is held
 * @active: each CPU's word that every system call that changes a map writes to, and with
 *	no lock held
 * @running: of each CPU, a bit for each program that is changing the map there
 * @turn: a bit for each program that is to, of those that are always there
 * @cpus: a bit for each CPU where they are to
 * @kind: the map
 * @keep: programs delete nothing from a task's storage
 */
struct maps_state {
	struct maps_counts counts[MAPS_WRITERS];
	unsigned long long place;
	unsigned long long active[MAPS_CPUS];
	unsigned int running[MAPS_CPUS];
	unsigned int turn;
	unsigned int cpus;
	unsigned int kind;
	unsigned int keep;
};

/* An entry of the maps that are written one after the other. */
struct maps_entry {
	unsigned long long writer;	/* and 1; 0 is a system call */
	unsigned long long value;
};

#endif /* TESTS_BPF_MAPS_H */
