/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The maps of maps.bpf.c: system calls that change them while programs do the same, and checks of
 * their contents afterwards.
 */
#ifndef TESTS_MAPS_H
#define TESTS_MAPS_H

#include "bpf.h"
#include "pmu.h"

#include <linux/hw_breakpoint.h>

#include "../bpf/maps.h"

#define MAX_VALUES_CPU	64
#define NR_CPUS_USED	2
#define BATCH		16
#define MAX_MEMBERS	6

/* A process that changes the map. */
struct hammer {
	int map;
	__u32 cpu;
	int pidfd;
	int output;		/* perf event that programs write to */
	int run;		/* program that writes to the ring buffer */
	struct ring_buffer *ring;
};

struct kind {
	const char *map;
	const char *changed;	/* the map that is changed, if it is another one */
	const char *also;	/* another program that is needed */
	__u32 keys;		/* number of keys that are used; for LRUs more than they hold */
	bool forgets;		/* evicts entries */
	bool allocates;		/* allocates memory for each entry */
	unsigned int kmalloc;	/* by kmalloc(), in kernels before this kernel_version() */
	bool frees_late;	/* frees by call_rcu_tasks_trace(), which takes locks */
	unsigned int unguarded;	/* before this its lock is taken without a recursion guard */
	void (*hammer)(const struct hammer *h, unsigned int i);
	void (*check)(const struct kind *kind, const struct hammer *h, __u32 writer,
		      const struct maps_counts *c);
};

#define OBJECT		"/tests/maps.bpf.o"

static struct bpf_object *object;
static struct maps_state *state;

/* Shared by the processes. */
static struct shared {
	__u64 seen;		/* entries that system calls saw */
	__u64 from[MAPS_WRITERS];	/* records from each writer */
	__u64 wrong;
} *shared;

static __thread __u64 values[BATCH * MAX_VALUES_CPU];
static const struct kind *current_kind;

/* ---- system calls ------------------------------------------------------------- */

static inline void hammer_keys(const struct hammer *h, unsigned int i)
{
	__u32 key = i % current_kind->keys, keys[BATCH], count, token, j;
	LIBBPF_OPTS(bpf_map_batch_opts, opts);

	values[0] = i;
	bpf_map_update_elem(h->map, &key, values, BPF_ANY);
	bpf_map_lookup_elem(h->map, &key, values);
	if (i % 3 == 0)
		bpf_map_delete_elem(h->map, &key);
	if (i % 5 == 0)
		bpf_map_lookup_and_delete_elem(h->map, &key, values);
	if (i % 16)
		return;
	for (j = 0; j < BATCH; j++)
		keys[j] = (i + j) % current_kind->keys;
	count = BATCH;
	bpf_map_update_batch(h->map, keys, values, &count, &opts);
	count = BATCH;
	bpf_map_lookup_batch(h->map, NULL, &token, keys, values, &count, &opts);
	for (j = 0; j < BATCH; j++)
		keys[j] = (i + j) % current_kind->keys;
	count = BATCH;
	bpf_map_delete_batch(h->map, keys, &count, &opts);
}

static inline void hammer_trie(const struct hammer *h, unsigned int i)
{
	struct { __u32 prefixlen, data; } key = { 32 - i % 4, i % HAMMERED_KEYS }, next;

	values[0] = i;
	bpf_map_update_elem(h->map, &key, values, BPF_ANY);
	bpf_map_lookup_elem(h->map, &key, values);
	if (i % 3 == 0)
		bpf_map_delete_elem(h->map, &key);
	if (i % 16 == 0)
		bpf_map_get_next_key(h->map, &key, &next);
}

static inline void saw(const struct maps_entry *entry)
{
	if (entry->writer && entry->writer <= MAPS_WRITERS)
		__atomic_add_fetch(&shared->from[entry->writer - 1], 1, __ATOMIC_RELAXED);
}

static inline void hammer_entries(const struct hammer *h, unsigned int i)
{
	struct maps_entry entry = { 0, i };

	bpf_map_update_elem(h->map, NULL, &entry, BPF_ANY);
	bpf_map_lookup_elem(h->map, NULL, &entry);
	if (i % 2 == 0 && !bpf_map_lookup_and_delete_elem(h->map, NULL, &entry))
		saw(&entry);
}

static inline void hammer_stacks(const struct hammer *h, unsigned int i)
{
	__u64 stack[16];
	__u32 id = i % MAPS_STACKS, next;

	if (!bpf_map_lookup_elem(h->map, &id, stack))
		__atomic_add_fetch(&shared->seen, 1, __ATOMIC_RELAXED);
	if (i % 3 == 0)
		bpf_map_delete_elem(h->map, &id);
	if (i % 16 == 0)
		bpf_map_get_next_key(h->map, NULL, &next);
}

static inline void hammer_ring(const struct hammer *h, unsigned int i)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	bpf_prog_test_run_opts(h->run, &opts);
	/* A ring buffer has no lookup: this returns an error. */
	bpf_map_lookup_elem(h->map, NULL, values);
	if (h->ring && i % 16 == 0)
		ring_buffer__consume(h->ring);
}

static inline void hammer_events(const struct hammer *h, unsigned int i)
{
	__u32 key = h->cpu;

	/* Store the same event again, so that the program always has one. */
	if (bpf_map_update_elem(h->map, &key, &h->output, BPF_ANY))
		__atomic_add_fetch(&shared->wrong, 1, __ATOMIC_RELAXED);
	if (i % 16 == 0)
		bpf_map_get_next_key(h->map, NULL, &key);
}

static inline void hammer_tasks(const struct hammer *h, unsigned int i)
{
	values[0] = i;
	bpf_map_update_elem(h->map, &h->pidfd, values, BPF_ANY);
	bpf_map_lookup_elem(h->map, &h->pidfd, values);
	if (i % 3 == 0)
		bpf_map_delete_elem(h->map, &h->pidfd);
}

/* ---- checks of the contents ----------------------------------------------------- */

/* Checks the value of a writer's entry; in per-CPU maps, on the writer's CPU. */
static inline void check_value(const struct kind *kind, const struct hammer *h, const void *key,
			       __u32 writer, const struct maps_counts *c)
{
	bool percpu = strstr(kind->map, "percpu");

	if (bpf_map_lookup_elem(h->map, key, values)) {
		if (!kind->forgets)
			fail("the entry of writer %u is not in the map (errno %d)", writer, errno);
		return;
	}
	EXPECT_EQ(values[percpu ? writer % MAPS_CPUS : 0], c->value);
}

static inline void check_key(const struct kind *kind, const struct hammer *h, __u32 writer,
			     const struct maps_counts *c)
{
	__u32 key = OWN_KEY + writer;

	check_value(kind, h, &key, writer, c);
}

static inline void check_index(const struct kind *kind, const struct hammer *h, __u32 writer,
			       const struct maps_counts *c)
{
	__u32 key = HAMMERED_KEYS + writer;

	check_value(kind, h, &key, writer, c);
}

static inline void check_trie(const struct kind *kind, const struct hammer *h, __u32 writer,
			      const struct maps_counts *c)
{
	struct { __u32 prefixlen, data; } key = { 32, OWN_KEY + writer };

	check_value(kind, h, &key, writer, c);
}

/* A full queue drops its oldest entry, a full stack the one at the top. */
static inline void check_entries(const struct kind *kind __maybe_unused, const struct hammer *h,
				 __u32 writer, const struct maps_counts *c)
{
	struct maps_entry entry;

	while (!bpf_map_lookup_and_delete_elem(h->map, NULL, &entry)) {
		saw(&entry);
		if (entry.writer == writer + 1)
			EXPECT_LE(entry.value, c->value);
	}
	EXPECT_GT(shared->from[writer], 0);
	EXPECT_LE(shared->from[writer], c->done);
}

static inline void check_filter(const struct kind *kind __maybe_unused, const struct hammer *h,
				__u32 writer, const struct maps_counts *c)
{
	struct maps_entry entry = { writer + 1, c->value };

	EXPECT_EQ(bpf_map_lookup_elem(h->map, NULL, &entry), 0);
}

static inline void check_ring(const struct kind *kind __maybe_unused, const struct hammer *h,
			      __u32 writer, const struct maps_counts *c)
{
	ring_buffer__consume(h->ring);
	EXPECT_EQ(shared->from[writer], c->done);
}

static inline void check_seen(const struct kind *kind __maybe_unused,
			      const struct hammer *h __maybe_unused, __u32 writer __maybe_unused,
			      const struct maps_counts *c __maybe_unused)
{
	EXPECT_GT(shared->seen, 0);
}

/* All writers write to the same value: who wrote last is in the upper half. */
static inline void check_task(const struct kind *kind __maybe_unused, const struct hammer *h,
			      __u32 writer __maybe_unused,
			      const struct maps_counts *c __maybe_unused)
{
	__u32 by;

	if (bpf_map_lookup_elem(h->map, &h->pidfd, values))
		return;
	by = values[0] >> 32;
	EXPECT_LE(by, MAPS_WRITERS);
	if (by && by <= MAPS_WRITERS)
		EXPECT_LE((__u32)values[0], state->counts[by - 1].runs);
}

static inline void check_output(const struct kind *kind __maybe_unused,
				const struct hammer *h __maybe_unused, __u32 writer,
				const struct maps_counts *c)
{
	EXPECT_EQ(shared->from[writer], c->done);
	EXPECT_EQ(shared->wrong, 0);
}

static const struct kind kinds[] = {
#define KEYS .hammer = hammer_keys, .check = check_key, .keys = HAMMERED_KEYS
#define LRU .hammer = hammer_keys, .check = check_key, .keys = 4 * MAPS_ENTRIES, .forgets = true
	{ "hash", KEYS },
	{ "hash_malloc", KEYS, .allocates = true },
	{ "percpu_hash", KEYS },
	{ "percpu_hash_malloc", KEYS, .allocates = true },
	{ "lru_hash", LRU },
	{ "lru_own", LRU },
	{ "lru_percpu_hash", LRU },
	{ "array", .hammer = hammer_keys, .check = check_index, .keys = HAMMERED_KEYS },
	{ "percpu_array", .hammer = hammer_keys, .check = check_index, .keys = HAMMERED_KEYS },
	{ "lpm_trie", .hammer = hammer_trie, .check = check_trie, .allocates = true,
	  .kmalloc = 6013 },
	{ "array_of_hashes", .changed = "array_of_hashes_inner", KEYS },
	{ "array_of_lrus", .changed = "array_of_lrus_inner", LRU },
	{ "hash_of_hashes", .changed = "hash_of_hashes_inner", KEYS },
	{ "hash_of_lrus", .changed = "hash_of_lrus_inner", LRU },
	{ "queue", .hammer = hammer_entries, .check = check_entries, .unguarded = 6016 },
	{ "stack", .hammer = hammer_entries, .check = check_entries, .unguarded = 6016 },
	{ "bloom_filter", .hammer = hammer_entries, .check = check_filter },
	{ "ringbuf", .also = "hammer_ringbuf", .hammer = hammer_ring, .check = check_ring,
	  .unguarded = 6016 },
	{ "stack_trace", .hammer = hammer_stacks, .check = check_seen },
	{ "perf_event_array", .hammer = hammer_events, .check = check_output },
	{ "task_storage", .hammer = hammer_tasks, .check = check_task, .allocates = true,
	  .kmalloc = 6004, .frees_late = true },
	{ "prog_array", .changed = "lru_hash", .also = "tail", LRU },
};

/* ---- the object -------------------------------------------------------------------- */

static inline bool is_one_of(const char *name, const char *const names[], unsigned int nr)
{
	while (nr--)
		if (names[nr] && !strcmp(name, names[nr]))
			return true;
	return false;
}

static inline int map_fd(const char *name)
{
	int fd = bpf_object__find_map_fd_by_name(object, name);

	REQUIRE_GE(fd, 0);
	return fd;
}

static inline int prog_fd(const char *prefix, const char *name)
{
	struct bpf_program *prog;
	char full[64];

	snprintf(full, sizeof(full), "%s%s", prefix, name);
	prog = bpf_object__find_program_by_name(object, full);
	REQUIRE(prog);
	return bpf_program__fd(prog);
}

/* Maps the programs' state once the object is loaded; returns false on failure. */
static inline bool map_state(void)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".bss");

	if (!map || bpf_map__value_size(map) < sizeof(*state))
		return false;
	state = mmap(NULL, bpf_map__value_size(map), PROT_READ | PROT_WRITE, MAP_SHARED,
		     bpf_map__fd(map), 0);
	return state != MAP_FAILED;
}

static inline void run_prog(int fd)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	REQUIRE_EQ(bpf_prog_test_run_opts(fd, &opts), 0);
}

/* ---- the processes ---------------------------------------------------------------- */

static inline int count_record(void *ctx __maybe_unused, void *data, size_t size __maybe_unused)
{
	saw(data);
	return 0;
}

/* An event on CPU for programs to write to; new records overwrite old ones. */
static inline int open_output(__u32 cpu, const struct perf_event_mmap_page **page)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = PERF_SAMPLE_RAW,
	};
	int fd = peer_open_attr(&attr, -1, cpu, -1);

	REQUIRE_GE(fd, 0);
	*page = mmap(NULL, 9 * sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	REQUIRE(*page != MAP_FAILED);
	peer_enable(fd);
	return fd;
}

/* Changes the map, and from time to time takes a page fault and gives up the CPU. */
static inline void hammer(const struct kind *kind, struct hammer *h, unsigned int nr)
{
	const size_t page_size = sysconf(_SC_PAGESIZE);
	const struct perf_event_mmap_page *page = NULL;
	char *pages = fresh_pages(64);
	unsigned int i;

	run_on(h->cpu);
	h->pidfd = syscall(SYS_pidfd_open, getpid(), 0);
	REQUIRE_GE(h->pidfd, 0);
	if (kind->hammer == hammer_events)
		h->output = open_output(h->cpu, &page);
	for (i = 0; i < nr; i++) {
		kind->hammer(h, i);
		if (i % 64 == 0)
			madvise(pages, 64 * page_size, MADV_DONTNEED);
		((volatile char *)pages)[i % 64 * page_size] = 1;
		if (i % 16 == 0)
			give_up_cpu();
	}
	/* A record has 32 bytes: the header, the size, and 16 bytes of data. */
	if (page) {
		__u32 key = h->cpu;

		bpf_map_delete_elem(h->map, &key);
		shared->from[h->cpu] = page->data_head / 32;
	}
}

/* Prepares the hammer that runs in this process, on CPU. */
static inline void prepare_hammer(const struct kind *kind, struct hammer *h, int cpu)
{
	int pidfd;

	h->map = map_fd(kind->changed ? kind->changed : kind->map);
	h->cpu = cpu;
	run_on(cpu);
	if (kind->hammer == hammer_ring) {
		h->run = prog_fd("hammer_", "ringbuf");
		h->ring = ring_buffer__new(h->map, count_record, NULL, NULL);
		REQUIRE(h->ring);
	}
	if (kind->hammer == hammer_tasks) {
		pidfd = syscall(SYS_pidfd_open, getpid(), 0);
		REQUIRE_EQ(bpf_map_update_elem(map_fd("task_anchor"), &pidfd, values, BPF_ANY), 0);
	}
}

static inline pid_t start_hammer(const struct kind *kind, struct hammer h, unsigned int nr)
{
	pid_t pid = fork();

	REQUIRE(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		hammer(kind, &h, nr);
		_exit(0);
	}
	return pid;
}

/* Chooses two CPUs, so that each can hold a lock that the other wants; not the busy first one. */
static inline void choose_cpus(struct cpus *cpus)
{
	cpus_online(cpus);
	if (cpus->nr > NR_CPUS_USED) {
		cpus->cpu[0] = cpus->cpu[cpus->nr - 2];
		cpus->cpu[1] = cpus->cpu[cpus->nr - 1];
		cpus->nr = NR_CPUS_USED;
	}
	REQUIRE_LT(cpus->cpu[cpus->nr - 1], MAPS_CPUS);
}

/* ---- counters --------------------------------------------------------------------- */

struct source {
	__u32 nr;
	struct perfgrp_counter counter[MAX_MEMBERS];
};

static inline struct perfgrp_counter breakpoint(__u64 address)
{
	return (struct perfgrp_counter){
		.flags = PERFGRP_COUNTER_RAW,
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_W,
		.config1 = address,
		.config2 = HW_BREAKPOINT_LEN_4,
		.sample_period = 1,
	};
}

static inline int attach(int group, __u32 id, int prog)
{
	struct perfgrp_bpf_attach attach = { .size = sizeof(attach), .id = id, .prog_fd = prog };

	return grp_ioctl(group, PERFGRP_BPF_ATTACH, &attach);
}

/* Does the PMU interrupt code that runs with interrupts disabled? */
static inline bool pmu_is_nmi(void)
{
	char line[4096];

#ifdef __x86_64__
	return has_pmu();
#endif
	return has_pmu() && read_file("/proc/cmdline", line, sizeof(line)) > 0 &&
	       strstr(line, "pseudo_nmi=1");
}

/*
 * Sets the counters that overflow while MAP is being changed, in NMIs if the machine has them.
 * Without a PMU these are breakpoints on an address in the map, and on the variable that system
 * calls and programs write on each of CPUS before they change it.
 */
static inline void nmi_source(const struct kind *kind, int map, struct source *source,
			      const struct cpus *cpus)
{
	__u64 cycles = is_debug_kernel() ? 30011 : 5003;
	__u32 key = 0, i;

	if (has_pmu()) {
		/*
		 * call_rcu_tasks_trace() waits for a lock that the interrupted code may hold, which
		 * is a deadlock (seen on 6.12, in one of some fifty runs).
		 */
		state->keep = kind->frees_late && pmu_is_nmi();
		source->counter[source->nr++] = (struct perfgrp_counter){
			.event = PERFGRP_HW_CPU_CYCLES, .sample_period = cycles };
		return;
	}
	/* Add an entry, so that find_* can find its address. */
	if (kind->hammer == hammer_keys)
		REQUIRE_EQ(bpf_map_update_elem(map, &key, values, BPF_ANY), 0);
	run_prog(prog_fd("find_", kind->map));
	run_prog(prog_fd("", "find_active"));
	if (!state->place || !state->active[cpus->cpu[0]])
		skip("the kernel does not tell where the map is");
	source->counter[source->nr++] = breakpoint(state->place & ~3ULL);
	for (i = 0; i < cpus->nr; i++)
		source->counter[source->nr++] = breakpoint(state->active[cpus->cpu[i]]);
}

/*
 * May a program that changes the map run at each context switch, without using up the CPU? A
 * program that allocates has BPF's irq_work refill the free list when it is short. With PREEMPT_RT
 * a thread does that, and the switch to that thread and back runs the program again. If the program
 * frees as much as it allocates, the thread finds the list long enough and changes nothing, and
 * this goes on for ever. Programs on perf's own events behave the same.
 */
static inline bool may_run_in_switches(const struct kind *kind)
{
	return !(kind->allocates && is_rt());
}

/* Adds a clock, page faults and, if possible, context switches. */
static inline void add_others(const struct kind *kind, struct source *source, __u64 clock_ns)
{
	const struct perfgrp_counter counters[] = {
		{ .event = PERFGRP_SW_CPU_CLOCK, .sample_period = clock_ns },
		{ .event = PERFGRP_SW_PAGE_FAULTS, .sample_period = 1 },
		{ .event = PERFGRP_SW_CONTEXT_SWITCHES, .sample_period = 1 },
	};

	memcpy(source->counter + source->nr, counters, sizeof(counters));
	source->nr += ARRAY_SIZE(counters);
	if (!may_run_in_switches(kind)) {
		diag("context switches are left out");
		source->nr--;
	}
}

/* A group on CPUS with the program on all its members. */
static inline int make_group(struct source *source, const struct cpus *cpus, int prog)
{
	struct perfgrp_create create = {
		.target = PERFGRP_TARGET_CPUS,
		.cpus = to_u64(cpus->cpu),
		.nr_cpus = cpus->nr,
		.buffer_size = 1 << 16,
	};
	int fd = grp_create_like(create);
	__u32 i;

	REQUIRE_GE(fd, 0);
	if (grp_add_counters(fd, source->counter, source->nr)) {
		diag("%s", grp_error.text);
		REQUIRE(!"the counters can be added");
	}
	for (i = 0; i < source->nr; i++)
		REQUIRE_EQ(attach(fd, source->counter[i].id, prog), 0);
	return fd;
}

/* The same with perf events, enabled, some attached by a link. They are closed by exit. */
static inline void make_peers(const struct source *source, const struct cpus *cpus, int prog)
{
	__u32 i, j;

	for (i = 0; i < cpus->nr; i++) {
		for (j = 0; j < source->nr; j++) {
			const struct perfgrp_counter *c = &source->counter[j];
			bool raw = c->flags & PERFGRP_COUNTER_RAW;
			struct perf_event_attr attr = {
				.type = raw ? c->type : PERFGRP_EVENT_TYPE(c->event),
				.config = raw ? c->config : PERFGRP_EVENT_CONFIG(c->event),
				.config1 = c->config1,
				.config2 = c->config2,
				.bp_type = c->bp_type,
				.sample_period = c->sample_period,
			};
			int fd;

			fd = peer_open_attr(&attr, -1, cpus->cpu[i], -1);
			REQUIRE_GE(fd, 0);
			if (j & 1)
				REQUIRE_GE(bpf_link_create(prog, fd, BPF_PERF_EVENT, NULL), 0);
			else
				REQUIRE_EQ(ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog), 0);
			peer_enable(fd);
		}
	}
}

static inline void check_group(int group, const struct source *source, const struct cpus *cpus,
			       bool may_run, bool must_miss)
{
	__u64 runs = 0, misses = 0, dropped = 0, did = 0, raw;
	struct perfgrp_stream_stats stream = { .size = sizeof(stream) };
	__u32 i, j;

	for (i = 0; i < source->nr; i++) {
		struct perfgrp_bpf_query query = {
			.size = sizeof(query), .id = source->counter[i].id };

		raw = 0;
		for (j = 0; j < cpus->nr; j++)
			raw += grp_value_on(group, cpus->cpu[j], query.id).raw;
		REQUIRE_EQ(grp_ioctl(group, PERFGRP_BPF_QUERY, &query), 0);
		diag("member %u: %llu counted, %llu runs, %llu misses, %llu dropped", i,
		     (unsigned long long)raw, query.runs, query.misses, query.dropped);
		if (source->counter[i].sample_period == 1)
			EXPECT_EQ(query.runs + query.misses, raw);
		EXPECT_GT(query.runs + query.misses, 0);
		runs += query.runs;
		misses += query.misses;
		dropped += query.dropped;
	}
	for (i = 0; i < MAPS_CPUS; i++)
		did += state->counts[i].runs;
	if (may_run)
		EXPECT_GT(runs, 0);
	else
		EXPECT_EQ(runs, 0);
	EXPECT_EQ(did, runs);
	if (must_miss)
		EXPECT_GT(misses, 0);
	REQUIRE_EQ(grp_ioctl(group, PERFGRP_GET_STREAM_STATS, &stream), 0);
	EXPECT_EQ(stream.filtered, dropped + misses);
}

#endif /* TESTS_MAPS_H */
