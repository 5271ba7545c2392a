// SPDX-License-Identifier: GPL-2.0
/*
 * Programs on counters that change a map, of each type that they may have, while system
 * calls on the same CPUs change it too: in NMIs, interrupts, faults and the scheduler.
 * Where two of them want one lock the CPU stands still, and the time limit tells.
 *
 * An NMI that comes while a map's lock is held: on x86 from a breakpoint on a word that is
 * written under it, on arm64 from a cycles counter, often enough to hit it.
 *
 * With BPF_MAPS_PEER=1 in the environment the same is done with perf_event_open(2).
 */
#include "bpf.h"
#include "pmu.h"

#include <linux/hw_breakpoint.h>

#include "../bpf/maps.h"

#define OBJECT		"/tests/maps.bpf.o"
#define MAX_VALUES_CPU	64
#define NR_CPUS_USED	2
#define BATCH		16
#define MAX_MEMBERS	4

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
	const char *changed;	/* the map that is, where it is another */
	const char *also;	/* a program that is needed, too */
	__u32 keys;		/* how many of them are used: of LRUs more than they hold */
	bool forgets;		/* entries that others put in */
	bool allocates;		/* memory for each entry */
	unsigned int kmalloc;	/* by kmalloc(), in kernels before this kernel_version() */
	unsigned int unguarded;	/* system calls or programs take its lock unguarded, before this */
	void (*hammer)(const struct hammer *h, unsigned int i);
	void (*check)(const struct kind *kind, const struct hammer *h, __u32 cpu,
		      const struct maps_counts *c);
};

enum context {
	IN_NMI,
	IN_TRACEPOINT,
	IN_OTHERS,
};

/* Shared by the processes. */
static struct shared {
	__u64 seen;		/* entries that system calls saw */
	__u64 from[MAPS_CPUS];	/* records from the programs on that CPU */
	__u64 wrong;
} *shared;

static __thread __u64 values[BATCH * MAX_VALUES_CPU];
static const struct kind *current_kind;

/* ---- what the system calls do ------------------------------------------------- */

static void hammer_keys(const struct hammer *h, unsigned int i)
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

static void hammer_trie(const struct hammer *h, unsigned int i)
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

static void saw(const struct maps_entry *entry)
{
	if (entry->cpu && entry->cpu <= MAPS_CPUS)
		__atomic_add_fetch(&shared->from[entry->cpu - 1], 1, __ATOMIC_RELAXED);
}

static void hammer_entries(const struct hammer *h, unsigned int i)
{
	struct maps_entry entry = { 0, i };

	bpf_map_update_elem(h->map, NULL, &entry, BPF_ANY);
	bpf_map_lookup_elem(h->map, NULL, &entry);
	if (i % 2 == 0 && !bpf_map_lookup_and_delete_elem(h->map, NULL, &entry))
		saw(&entry);
}

static void hammer_stacks(const struct hammer *h, unsigned int i)
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

static void hammer_ring(const struct hammer *h, unsigned int i)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	bpf_prog_test_run_opts(h->run, &opts);
	/* It has none, and says so. */
	bpf_map_lookup_elem(h->map, NULL, values);
	if (h->ring && i % 16 == 0)
		ring_buffer__consume(h->ring);
}

static void hammer_events(const struct hammer *h, unsigned int i)
{
	__u32 key = h->cpu;

	/* It is the same event again, so that the program always has one. */
	if (bpf_map_update_elem(h->map, &key, &h->output, BPF_ANY))
		__atomic_add_fetch(&shared->wrong, 1, __ATOMIC_RELAXED);
	if (i % 16 == 0)
		bpf_map_get_next_key(h->map, NULL, &key);
}

static void hammer_tasks(const struct hammer *h, unsigned int i)
{
	values[0] = i;
	bpf_map_update_elem(h->map, &h->pidfd, values, BPF_ANY);
	bpf_map_lookup_elem(h->map, &h->pidfd, values);
	if (i % 3 == 0)
		bpf_map_delete_elem(h->map, &h->pidfd);
}

/* ---- what the map must hold afterwards ------------------------------------------ */

/* The value of an entry, on CPU where each has its own. */
static void check_value(const struct kind *kind, const struct hammer *h, const void *key, __u32 cpu,
			const struct maps_counts *c)
{
	bool percpu = strstr(kind->map, "percpu");

	if (bpf_map_lookup_elem(h->map, key, values)) {
		if (!kind->forgets)
			fail("the entry of CPU %u is not in the map (errno %d)", cpu, errno);
		return;
	}
	EXPECT_EQ(values[percpu ? cpu : 0], c->value);
}

static void check_key(const struct kind *kind, const struct hammer *h, __u32 cpu,
		      const struct maps_counts *c)
{
	__u32 key = OWN_KEY + cpu;

	check_value(kind, h, &key, cpu, c);
}

static void check_index(const struct kind *kind, const struct hammer *h, __u32 cpu,
			const struct maps_counts *c)
{
	__u32 key = HAMMERED_KEYS + cpu % MAPS_CPUS;

	check_value(kind, h, &key, cpu, c);
}

static void check_trie(const struct kind *kind, const struct hammer *h, __u32 cpu,
		       const struct maps_counts *c)
{
	struct { __u32 prefixlen, data; } key = { 32, OWN_KEY + cpu };

	check_value(kind, h, &key, cpu, c);
}

/* A full queue drops its oldest entry, a full stack the one at the top. */
static void check_entries(const struct kind *kind __maybe_unused, const struct hammer *h,
			  __u32 cpu, const struct maps_counts *c)
{
	struct maps_entry entry;

	while (!bpf_map_lookup_and_delete_elem(h->map, NULL, &entry)) {
		saw(&entry);
		if (entry.cpu == cpu + 1)
			EXPECT_LE(entry.value, c->value);
	}
	EXPECT_GT(shared->from[cpu], 0);
	EXPECT_LE(shared->from[cpu], c->done);
}

static void check_filter(const struct kind *kind __maybe_unused, const struct hammer *h,
			 __u32 cpu, const struct maps_counts *c)
{
	struct maps_entry entry = { cpu + 1, c->value };

	EXPECT_EQ(bpf_map_lookup_elem(h->map, NULL, &entry), 0);
}

static void check_ring(const struct kind *kind __maybe_unused, const struct hammer *h,
		       __u32 cpu, const struct maps_counts *c)
{
	ring_buffer__consume(h->ring);
	EXPECT_EQ(shared->from[cpu], c->done);
}

static void check_seen(const struct kind *kind __maybe_unused,
		       const struct hammer *h __maybe_unused, __u32 cpu __maybe_unused,
		       const struct maps_counts *c __maybe_unused)
{
	EXPECT_GT(shared->seen, 0);
}

static void check_output(const struct kind *kind __maybe_unused,
			 const struct hammer *h __maybe_unused, __u32 cpu,
			 const struct maps_counts *c)
{
	EXPECT_EQ(shared->from[cpu], c->done);
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
	{ "task_storage", .hammer = hammer_tasks, .allocates = true, .kmalloc = 6004 },
	{ "prog_array", .changed = "lru_hash", .also = "tail", LRU },
};

/* ---- the object -------------------------------------------------------------------- */

static struct bpf_object *object;
static struct maps_state *state;
static bool peer;

static int say_nothing(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char line[256];

	if (level != LIBBPF_WARN)
		return 0;
	vsnprintf(line, sizeof(line), fmt, ap);
	line[strcspn(line, "\n")] = 0;
	diag("libbpf: %s", line);
	return 0;
}

static bool is_one_of(const char *name, const char *const names[], unsigned int nr)
{
	while (nr--)
		if (names[nr] && !strcmp(name, names[nr]))
			return true;
	return false;
}

/* Only what KIND needs of it: a kernel that checks all takes its time for each program. */
static void load_object(const struct kind *kind)
{
	char on[64], find[64];
	/* Places matter where there is nothing better than breakpoints. */
	const bool places = !has_pmu();
	const char *programs[] = {
		on, kind->also, places ? find : NULL, places ? "find_active" : NULL };
	const char *maps[] = { kind->map, kind->changed, "task_anchor", "maps.bss" };
	struct bpf_program *prog;
	struct bpf_map *map;

	snprintf(on, sizeof(on), "on_%s", kind->map);
	snprintf(find, sizeof(find), "find_%s", kind->map);
	libbpf_set_print(say_nothing);
	object = bpf_object__open_file(OBJECT, NULL);
	REQUIRE(object);
	bpf_object__for_each_program(prog, object)
		bpf_program__set_autoload(prog, is_one_of(bpf_program__name(prog), programs,
							  ARRAY_SIZE(programs)));
	bpf_object__for_each_map(map, object)
		bpf_map__set_autocreate(map, bpf_map__is_internal(map) ||
					is_one_of(bpf_map__name(map), maps, ARRAY_SIZE(maps)));
	REQUIRE_EQ(bpf_object__load(object), 0);
	map = bpf_object__find_map_by_name(object, ".bss");
	REQUIRE(map);
	REQUIRE_GE(bpf_map__value_size(map), sizeof(*state));
	state = mmap(NULL, bpf_map__value_size(map), PROT_READ | PROT_WRITE, MAP_SHARED,
		     bpf_map__fd(map), 0);
	REQUIRE(state != MAP_FAILED);
}

static int map_fd(const char *name)
{
	int fd = bpf_object__find_map_fd_by_name(object, name);

	REQUIRE_GE(fd, 0);
	return fd;
}

static int prog_fd(const char *prefix, const char *name)
{
	struct bpf_program *prog;
	char full[64];

	snprintf(full, sizeof(full), "%s%s", prefix, name);
	prog = bpf_object__find_program_by_name(object, full);
	REQUIRE(prog);
	return bpf_program__fd(prog);
}

static void run_prog(int fd)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	REQUIRE_EQ(bpf_prog_test_run_opts(fd, &opts), 0);
}

/* ---- counters --------------------------------------------------------------------- */

struct source {
	__u32 nr;
	struct perfgrp_counter counter[MAX_MEMBERS];
};

static struct perfgrp_counter breakpoint(__u64 address)
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

static int attach(int group, __u32 id, int prog)
{
	struct perfgrp_bpf_attach attach = { .size = sizeof(attach), .id = id, .prog_fd = prog };

	return grp_ioctl(group, PERFGRP_BPF_ATTACH, &attach);
}

/* A group on CPUS with the program on all its members. */
static int make_group(struct source *source, const struct cpus *cpus, int prog)
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

/* The same with the peer, on; nobody closes them. */
static void make_peers(const struct source *source, const struct cpus *cpus, int prog)
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
			REQUIRE_EQ(ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog), 0);
			peer_enable(fd);
		}
	}
}

/* ---- the test ----------------------------------------------------------------------- */

static int count_record(void *ctx __maybe_unused, void *data, size_t size __maybe_unused)
{
	saw(data);
	return 0;
}

/* An event on CPU for programs to write to; what it gets overwrites what it got. */
static int open_output(__u32 cpu, const struct perf_event_mmap_page **page)
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

/* Changes the map, and now and then faults and gives up the CPU. */
static void hammer(const struct kind *kind, struct hammer *h, unsigned int nr)
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
			nap_ns(1000);
	}
	/* 16 bytes, with their size, and the header: 32 in all. */
	if (page) {
		__u32 key = h->cpu;

		bpf_map_delete_elem(h->map, &key);
		shared->from[h->cpu] = page->data_head / 32;
	}
}

static pid_t start_hammer(const struct kind *kind, struct hammer h, unsigned int nr)
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

static void check_group(int group, const struct source *source, const struct cpus *cpus,
			enum context context)
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
	/* A tracepoint interrupts nothing but the kernel. */
	if (context == IN_TRACEPOINT && !(grp_info().features & PERFGRP_FEATURE_BPF_KERNEL))
		EXPECT_EQ(runs, 0);
	else
		EXPECT_GT(runs, 0);
	EXPECT_EQ(did, runs);
	/* Breakpoints on what system calls write while they change the map. */
	if (context == IN_NMI && !has_pmu())
		EXPECT_GT(misses, 0);
	REQUIRE_EQ(grp_ioctl(group, PERFGRP_GET_STREAM_STATS, &stream), 0);
	EXPECT_EQ(stream.filtered, dropped + misses);
}

/* Two, so that each can hold a lock that the other wants; not the first, which does much. */
static void choose_cpus(struct cpus *cpus)
{
	cpus_online(cpus);
	if (cpus->nr > NR_CPUS_USED) {
		cpus->cpu[0] = cpus->cpu[cpus->nr - 2];
		cpus->cpu[1] = cpus->cpu[cpus->nr - 1];
		cpus->nr = NR_CPUS_USED;
	}
	REQUIRE_LT(cpus->cpu[cpus->nr - 1], MAPS_CPUS);
}

static void nmi_source(const struct kind *kind, int map, struct source *source,
		       const struct cpus *cpus)
{
	__u64 cycles = is_debug_kernel() ? 30011 : 5003;
	__u32 key = 0, i;

	if (kernel_version() < kind->kmalloc)
		skip("this kernel's map calls kmalloc() in an NMI");
	if (has_pmu()) {
		source->nr = 1;
		source->counter[0] = (struct perfgrp_counter){
			.event = PERFGRP_HW_CPU_CYCLES, .sample_period = cycles };
		return;
	}
	/* Where the entry is that this CPU puts in. */
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

static void other_sources(struct source *source)
{
	static const struct perfgrp_counter counters[] = {
		{ .event = PERFGRP_SW_CPU_CLOCK, .sample_period = 200000 },
		{ .event = PERFGRP_SW_PAGE_FAULTS, .sample_period = 1 },
		{ .event = PERFGRP_SW_CONTEXT_SWITCHES, .sample_period = 1 },
	};

	source->nr = ARRAY_SIZE(counters);
	memcpy(source->counter, counters, sizeof(counters));
}

static bool read_tracepoint(const char *event, char *id, size_t size)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", event);
	return read_file(path, id, size) > 0;
}

/*
 * Where lockdep is there each lock that is given back, while it is still held; else memory
 * that is allocated. A program that does either itself would never come to an end: the
 * kernel gets its memory later, when the program has ended. It runs at each tick instead.
 */
static void tracepoint_source(const struct kind *kind, struct source *source)
{
	char id[32];

	if (!(kind->allocates ? read_tracepoint("timer/hrtimer_expire_entry", id, sizeof(id)) :
	      (kernel_version() >= kind->unguarded &&
	       read_tracepoint("lock/lock_release", id, sizeof(id))) ||
	      read_tracepoint("kmem/kmalloc", id, sizeof(id))))
		skip("there is no such tracepoint");
	source->nr = 1;
	source->counter[0] = (struct perfgrp_counter){
		.event = PERFGRP_EVENT(PERF_TYPE_TRACEPOINT, atoi(id)), .sample_period = 1 };
}

static void keep_map(const struct kind *kind, enum context context)
{
	unsigned int nr = rounds(is_debug_kernel() ? 60 : 400), i;
	pid_t pid[NR_CPUS_USED] = { 0 };
	struct source source = { 0 };
	struct hammer h = { 0 };
	int group = -1, status;
	struct cpus cpus;

	if (!peer)
		need_bpf();
	keep_sample_rate();
	choose_cpus(&cpus);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	REQUIRE(shared != MAP_FAILED);
	current_kind = kind;
	load_object(kind);
	h.map = map_fd(kind->changed ? kind->changed : kind->map);
	h.cpu = cpus.cpu[0];
	run_on(h.cpu);
	if (kind->hammer == hammer_ring) {
		h.run = prog_fd("hammer_", "ringbuf");
		h.ring = ring_buffer__new(h.map, count_record, NULL, NULL);
		REQUIRE(h.ring);
	}
	if (kind->hammer == hammer_tasks) {
		int pidfd = syscall(SYS_pidfd_open, getpid(), 0);

		REQUIRE_EQ(bpf_map_update_elem(map_fd("task_anchor"), &pidfd, values, BPF_ANY), 0);
	}

	if (kind->also && !strcmp(kind->also, "tail")) {
		__u32 key = 0, tail = prog_fd("", "tail");

		REQUIRE_EQ(bpf_map_update_elem(map_fd("prog_array"), &key, &tail, BPF_ANY), 0);
	}

	if (context == IN_NMI)
		nmi_source(kind, h.map, &source, &cpus);
	else if (context == IN_TRACEPOINT)
		tracepoint_source(kind, &source);
	else
		other_sources(&source);
	if (peer) {
		make_peers(&source, &cpus, prog_fd("on_", kind->map));
	} else {
		group = make_group(&source, &cpus, prog_fd("on_", kind->map));
		REQUIRE_EQ(grp_enable(group), 0);
	}

	for (i = 1; i < cpus.nr; i++) {
		struct hammer other = h;

		other.cpu = cpus.cpu[i];
		other.ring = NULL;
		pid[i] = start_hammer(kind, other, nr);
	}
	hammer(kind, &h, nr);
	/* Without the guard programs run where user mode is interrupted, which those rarely are. */
	if (!peer && !(grp_info().features & PERFGRP_FEATURE_BPF_KERNEL))
		spin(1000000);
	for (i = 1; i < cpus.nr; i++)
		REQUIRE(waitpid(pid[i], &status, 0) == pid[i] && status == 0);
	if (!peer) {
		REQUIRE_EQ(grp_disable(group), 0);
		check_group(group, &source, &cpus, context);
	}

	for (i = 0; i < cpus.nr; i++) {
		const struct maps_counts *c = &state->counts[cpus.cpu[i]];

		diag("CPU %u: %llu runs, %llu done, %llu busy, %llu failed (%lld), %llu wrong",
		     cpus.cpu[i], c->runs, c->done, c->busy, c->failed, c->error, c->wrong);
		if (!kind->forgets)
			EXPECT_EQ(c->wrong, 0);
		if (c->done && kind->check && !peer)
			kind->check(kind, &h, cpus.cpu[i], c);
	}
}

static void keep_nmi(const void *kind)
{
	keep_map(kind, IN_NMI);
}

static void keep_tracepoint(const void *kind)
{
	keep_map(kind, IN_TRACEPOINT);
}

static void keep_others(const void *kind)
{
	keep_map(kind, IN_OTHERS);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(const void *kind);
	} contexts[] = {
		{ "NMI, or what the PMU has", keep_nmi },
		{ "tracepoint", keep_tracepoint },
		{ "clock, faults, switches", keep_others },
	};
	static char lines[ARRAY_SIZE(kinds)][ARRAY_SIZE(contexts)][160];
	unsigned int i, j;

	peer = getenv("BPF_MAPS_PEER");
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		for (j = 0; j < ARRAY_SIZE(contexts); j++) {
			snprintf(lines[i][j], sizeof(lines[i][j]),
				 "B8: a program changes map %s while system calls do: %s",
				 kinds[i].map, contexts[j].name);
			test_add(lines[i][j], contexts[j].run, &kinds[i], TEST_SECONDS);
		}
	}
	return run_tests(argc, argv);
}
