/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What maps.bpf.c and the test that loads it share.
 */
#ifndef TESTS_BPF_MAPS_H
#define TESTS_BPF_MAPS_H

#define MAPS_CPUS	16
#define MAPS_ENTRIES	64
#define MAPS_STACKS	4
/* Keys below are those of the system calls, and those of a program are from OWN_KEY on. */
#define HAMMERED_KEYS	48
#define OWN_KEY		1000

/**
 * struct maps_counts - what the programs did on a CPU
 * @runs: how often a program ran
 * @done: how often it could do what it does to the map
 * @busy: how often the map was busy (EBUSY)
 * @failed: how often it could not for another reason
 * @wrong: how often it did not find what it had just put in
 * @value: what it put in last
 * @error: why it failed last
 */
struct maps_counts {
	unsigned long long runs;
	unsigned long long done;
	unsigned long long busy;
	unsigned long long failed;
	unsigned long long wrong;
	unsigned long long value;
	long long error;
	unsigned long long unused;
};

/**
 * struct maps_state - what the programs tell the test
 * @counts: of each CPU
 * @place: an address that is written to while the map's lock is held
 * @active: each CPU's word that every system call that changes a map writes to, and with
 *	no lock held
 */
struct maps_state {
	struct maps_counts counts[MAPS_CPUS];
	unsigned long long place;
	unsigned long long active[MAPS_CPUS];
};

/* An entry of the maps that are written one after the other. */
struct maps_entry {
	unsigned long long cpu;
	unsigned long long value;
};

#endif /* TESTS_BPF_MAPS_H */
