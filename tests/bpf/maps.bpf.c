// SPDX-License-Identifier: GPL-2.0
/*
 * For each type of map that programs on counters may have: a program that changes a map
 * of it at each overflow, and one that tells where in the kernel's memory that map has a
 * lock, or another place that is written to while one is held. And programs of all kinds
 * that change the same map.
 */
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "maps.h"

#define EBUSY		16
#define EDEADLK		35

struct maps_state state;

extern const int bpf_prog_active __ksym __weak;

static __always_inline struct maps_counts *my_counts(void)
{
	return &state.counts[bpf_get_smp_processor_id() & (MAPS_CPUS - 1)];
}

static __always_inline void note(struct maps_counts *c, long error)
{
	if (!error) {
		c->done++;
	} else if (error == -EBUSY || error == -EDEADLK) {
		c->busy++;
	} else {
		c->failed++;
		c->error = error;
	}
}

/* Every fourth sample goes on. */
static __always_inline int verdict(const struct maps_counts *c)
{
	return !(c->runs & 3);
}

/* ---- maps with keys --------------------------------------------------------- */

#define MAP(name_, type_, key_, entries_, flags_)			\
	struct {							\
		__uint(type, type_);					\
		__uint(max_entries, entries_);				\
		__uint(map_flags, flags_);				\
		__type(key, key_);					\
		__type(value, __u64);					\
	} name_ SEC(".maps")

/*
 * Puts a value into an entry of its own, and takes it out again; and does to one that
 * the system calls use what they do.
 */
static __always_inline int change_keys(void *map, struct maps_counts *c, __u32 writer)
{
	__u64 value = ++c->runs, *found;
	__u32 key = OWN_KEY + writer;
	long error;

	error = bpf_map_update_elem(map, &key, &value, BPF_ANY);
	note(c, error);
	if (!error) {
		c->value = value;
		found = bpf_map_lookup_elem(map, &key);
		if (!found || *found != value)
			c->wrong++;
	}
	key = value % HAMMERED_KEYS;
	if (value & 1)
		bpf_map_delete_elem(map, &key);
	else
		bpf_map_update_elem(map, &key, &value, BPF_ANY);
	return verdict(c);
}

#define KEYED(name_, type_, flags_)					\
	MAP(name_, type_, __u32, MAPS_ENTRIES, flags_);			\
	SEC("perf_event") int on_##name_(void *ctx)			\
	{								\
		return change_keys(&name_, my_counts(),			\
				   bpf_get_smp_processor_id());		\
	}

KEYED(hash, BPF_MAP_TYPE_HASH, 0)
KEYED(hash_malloc, BPF_MAP_TYPE_HASH, BPF_F_NO_PREALLOC)
KEYED(percpu_hash, BPF_MAP_TYPE_PERCPU_HASH, 0)
KEYED(percpu_hash_malloc, BPF_MAP_TYPE_PERCPU_HASH, BPF_F_NO_PREALLOC)
KEYED(lru_hash, BPF_MAP_TYPE_LRU_HASH, 0)
KEYED(lru_percpu_hash, BPF_MAP_TYPE_LRU_PERCPU_HASH, 0)
/* At least an entry a CPU. */
KEYED(lru_own, BPF_MAP_TYPE_LRU_HASH, BPF_F_NO_COMMON_LRU)

static __always_inline int change_array(void *map, struct maps_counts *c, __u32 writer)
{
	__u64 value = ++c->runs, *found;
	__u32 key = HAMMERED_KEYS + (writer & (MAPS_WRITERS - 1));
	long error;

	error = bpf_map_update_elem(map, &key, &value, BPF_ANY);
	note(c, error);
	if (!error) {
		c->value = value;
		found = bpf_map_lookup_elem(map, &key);
		if (!found || *found != value)
			c->wrong++;
	}
	key = value % HAMMERED_KEYS;
	bpf_map_update_elem(map, &key, &value, BPF_ANY);
	return verdict(c);
}

#define INDEXED(name_, type_)						\
	MAP(name_, type_, __u32, HAMMERED_KEYS + MAPS_WRITERS, 0);	\
	SEC("perf_event") int on_##name_(void *ctx)			\
	{								\
		return change_array(&name_, my_counts(),		\
				    bpf_get_smp_processor_id());	\
	}								\
	SEC("raw_tp") int find_##name_(void *ctx)			\
	{								\
		__u32 key = 0;						\
									\
		state.place = (__u64)bpf_map_lookup_elem(&name_, &key);	\
		return 0;						\
	}

INDEXED(array, BPF_MAP_TYPE_ARRAY)
INDEXED(percpu_array, BPF_MAP_TYPE_PERCPU_ARRAY)

struct trie_key {
	__u32 prefixlen;
	__u32 data;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 2 * MAPS_ENTRIES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct trie_key);
	__type(value, __u64);
} lpm_trie SEC(".maps");

static __always_inline int change_trie(struct maps_counts *c, __u32 writer)
{
	__u64 value = ++c->runs, *found;
	struct trie_key key = { 32, OWN_KEY + writer };
	long error;

	error = bpf_map_update_elem(&lpm_trie, &key, &value, BPF_ANY);
	note(c, error);
	if (!error) {
		c->value = value;
		found = bpf_map_lookup_elem(&lpm_trie, &key);
		if (!found || *found != value)
			c->wrong++;
	}
	key.data = value % HAMMERED_KEYS;
	if (value & 1)
		bpf_map_delete_elem(&lpm_trie, &key);
	else
		bpf_map_update_elem(&lpm_trie, &key, &value, BPF_ANY);
	return verdict(c);
}

SEC("perf_event")
int on_lpm_trie(void *ctx)
{
	return change_trie(my_counts(), bpf_get_smp_processor_id());
}

/* ---- maps in maps ------------------------------------------------------------ */

struct inner_hash {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAPS_ENTRIES);
	__type(key, __u32);
	__type(value, __u64);
};

struct inner_lru {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MAPS_ENTRIES);
	__type(key, __u32);
	__type(value, __u64);
};

static __always_inline int change_inner(void *outer, struct maps_counts *c, __u32 writer)
{
	__u32 key = 0;
	void *inner = bpf_map_lookup_elem(outer, &key);

	return inner ? change_keys(inner, c, writer) : 0;
}

#define OUTER(name_, type_, inner_)					\
	struct inner_ name_##_inner SEC(".maps");			\
	struct {							\
		__uint(type, type_);					\
		__uint(max_entries, 1);					\
		__type(key, __u32);					\
		__array(values, struct inner_);				\
	} name_ SEC(".maps") = {					\
		.values = { [0] = (void *)&name_##_inner },		\
	};								\
	SEC("perf_event") int on_##name_(void *ctx)			\
	{								\
		return change_inner(&name_, my_counts(),		\
				    bpf_get_smp_processor_id());	\
	}

OUTER(array_of_hashes, BPF_MAP_TYPE_ARRAY_OF_MAPS, inner_hash)
OUTER(array_of_lrus, BPF_MAP_TYPE_ARRAY_OF_MAPS, inner_lru)
OUTER(hash_of_hashes, BPF_MAP_TYPE_HASH_OF_MAPS, inner_hash)
OUTER(hash_of_lrus, BPF_MAP_TYPE_HASH_OF_MAPS, inner_lru)

/* ---- maps without keys -------------------------------------------------------- */

#define PUSHED(name_, type_, flags_)					\
	struct {							\
		__uint(type, type_);					\
		__uint(max_entries, MAPS_ENTRIES);			\
		__type(value, struct maps_entry);			\
	} name_ SEC(".maps");						\
	SEC("perf_event") int on_##name_(void *ctx)			\
	{								\
		struct maps_counts *c = my_counts();			\
		struct maps_entry entry = {				\
			bpf_get_smp_processor_id() + 1, ++c->runs	\
		};							\
		long error;						\
									\
		error = bpf_map_push_elem(&name_, &entry, flags_);	\
		note(c, error);						\
		if (!error)						\
			c->value = entry.value;				\
		/* 7.3's verifier believes that a filter's value is written, too. */ \
		if (type_ != BPF_MAP_TYPE_BLOOM_FILTER)			\
			bpf_map_peek_elem(&name_, &entry);		\
		return verdict(c);					\
	}

PUSHED(queue, BPF_MAP_TYPE_QUEUE, BPF_EXIST)
PUSHED(stack, BPF_MAP_TYPE_STACK, BPF_EXIST)
PUSHED(bloom_filter, BPF_MAP_TYPE_BLOOM_FILTER, BPF_ANY)

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 * 1024);
} ringbuf SEC(".maps");

static __always_inline long produce(__u64 writer, __u64 value)
{
	struct maps_entry *entry = bpf_ringbuf_reserve(&ringbuf, sizeof(*entry), 0);

	if (!entry)
		return -EBUSY;
	entry->writer = writer;
	entry->value = value;
	bpf_ringbuf_submit(entry, 0);
	return 0;
}

static __always_inline int change_ring(struct maps_counts *c, __u32 writer)
{
	long error;

	c->runs++;
	error = produce(writer + 1, c->runs);
	note(c, error);
	if (!error)
		c->value = c->runs;
	return verdict(c);
}

SEC("perf_event")
int on_ringbuf(void *ctx)
{
	return change_ring(my_counts(), bpf_get_smp_processor_id());
}

/* System calls cannot write to a ring buffer, but for running this. */
SEC("raw_tp")
int hammer_ringbuf(void *ctx)
{
	produce(0, 0);
	return 0;
}

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, MAPS_STACKS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 16 * sizeof(__u64));
} stack_trace SEC(".maps");

SEC("perf_event")
int on_stack_trace(void *ctx)
{
	struct maps_counts *c = my_counts();
	long id;

	c->runs++;
	id = bpf_get_stackid(ctx, &stack_trace, BPF_F_REUSE_STACKID);
	note(c, id < 0 ? id : 0);
	return verdict(c);
}

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, MAPS_CPUS);
	__type(key, __u32);
	__type(value, __u32);
} perf_event_array SEC(".maps");

SEC("perf_event")
int on_perf_event_array(void *ctx)
{
	struct maps_counts *c = my_counts();
	struct maps_entry entry = { bpf_get_smp_processor_id() + 1, ++c->runs };
	long error;

	error = bpf_perf_event_output(ctx, &perf_event_array, BPF_F_CURRENT_CPU, &entry,
				      sizeof(entry));
	note(c, error);
	if (!error)
		c->value = entry.value;
	return verdict(c);
}

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} task_storage SEC(".maps");

/* Keeps the lock that all of a task's storage has where it is. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} task_anchor SEC(".maps");

static __always_inline int change_task(struct maps_counts *c, __u32 writer)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 *value;

	c->runs++;
	if (c->runs % 3 == 0 && !state.keep)
		bpf_task_storage_delete(&task_storage, task);
	value = bpf_task_storage_get(&task_storage, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	note(c, value ? 0 : -EBUSY);
	if (value) {
		c->value = c->runs;
		*value = TASK_VALUE(writer, c->runs);
	}
	return verdict(c);
}

SEC("perf_event")
int on_task_storage(void *ctx)
{
	return change_task(my_counts(), bpf_get_smp_processor_id());
}

/* ---- tail calls ---------------------------------------------------------------- */

SEC("perf_event")
int tail(void *ctx)
{
	return change_keys(&lru_hash, my_counts(), bpf_get_smp_processor_id());
}

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} prog_array SEC(".maps");

SEC("perf_event")
int on_prog_array(void *ctx)
{
	struct maps_counts *c = my_counts();

	bpf_tail_call(ctx, &prog_array, 0);
	c->runs++;
	note(c, -1);
	return verdict(c);
}

/* ---- all at once ------------------------------------------------------------------ */

static __always_inline int change(struct maps_counts *c, __u32 writer)
{
	switch (state.kind) {
	case MAPS_HASH:
		return change_keys(&hash, c, writer);
	case MAPS_HASH_MALLOC:
		return change_keys(&hash_malloc, c, writer);
	case MAPS_PERCPU_HASH:
		return change_keys(&percpu_hash, c, writer);
	case MAPS_LRU_HASH:
		return change_keys(&lru_hash, c, writer);
	case MAPS_LRU_PERCPU_HASH:
		return change_keys(&lru_percpu_hash, c, writer);
	case MAPS_PERCPU_ARRAY:
		return change_array(&percpu_array, c, writer);
	case MAPS_LPM_TRIE:
		return change_trie(c, writer);
	case MAPS_RINGBUF:
		return change_ring(c, writer);
	case MAPS_TASK_STORAGE:
		return change_task(c, writer);
	case MAPS_ARRAY_OF_HASHES:
		return change_inner(&array_of_hashes, c, writer);
	case MAPS_HASH_OF_LRUS:
		return change_inner(&hash_of_lrus, c, writer);
	}
	return 0;
}

/*
 * Which of the others WHO may not interrupt. Those that bpf_prog_active is counted up for are
 * kept from each other; nobody keeps a tp_btf program from anything but itself.
 */
#define NOT_TO_NEST(who)						\
	(((who) == MAPS_OURS || (who) >= MAPS_KPROBE) ?			\
	 1 << MAPS_OURS | 1 << MAPS_KPROBE | 1 << MAPS_MULTI | 1 << MAPS_PERF : 1 << (who))

/* What interrupts this ends before it goes on, and leaves state.running as it was. */
static __always_inline int take_turn(enum maps_who who)
{
	__u32 cpu = bpf_get_smp_processor_id() & (MAPS_CPUS - 1);
	__u32 writer = who * MAPS_CPUS + cpu;
	struct maps_counts *c = &state.counts[writer];
	volatile unsigned int *running = &state.running[cpu];
	int ret;

	if (!(state.turn & 1 << who) || !(state.cpus & 1 << cpu))
		return 0;
	if (*running & NOT_TO_NEST(who))
		c->nested++;
	*running |= 1 << who;
	ret = change(c, writer);
	*running &= ~(1 << who);
	return ret;
}

SEC("perf_event")
int beside_ours(void *ctx)
{
	return take_turn(MAPS_OURS);
}

SEC("perf_event")
int beside_perf(void *ctx)
{
	return take_turn(MAPS_PERF);
}

SEC("kprobe")
int beside_kprobe(void *ctx)
{
	return take_turn(MAPS_KPROBE);
}

SEC("kprobe.multi")
int beside_multi(void *ctx)
{
	return take_turn(MAPS_MULTI);
}

SEC("tp_btf/sched_switch")
int beside_switch(void *ctx)
{
	return take_turn(MAPS_SWITCH);
}

SEC("tp_btf/sys_enter")
int beside_syscall(void *ctx)
{
	return take_turn(MAPS_SYSCALL);
}

SEC("tp_btf/hrtimer_expire_entry")
int beside_timer(void *ctx)
{
	return take_turn(MAPS_TIMER);
}

/* ---- where the locks are --------------------------------------------------------- */

#define PART	__attribute__((preserve_access_index))

struct raw_spinlock {
	int unused;
};

struct bucket {
	struct raw_spinlock raw_lock;
} PART;

struct bpf_htab {
	struct bucket *buckets;
} PART;

struct bpf_lru_node {
	__u8 type;
} PART;

struct htab_elem {
	struct bpf_lru_node lru_node;
} PART;

struct lpm_trie {
	struct raw_spinlock lock;
} PART;

struct bpf_queue_stack {
	struct raw_spinlock lock;
} PART;

struct bpf_ringbuf {
	struct raw_spinlock spinlock;
} PART;

struct bpf_ringbuf_map {
	struct bpf_ringbuf *rb;
} PART;

struct bpf_bloom_filter {
	unsigned long bitset[1];
} PART;

struct bpf_stack_map {
	void *buckets[1];
} PART;

struct bpf_array {
	void *ptrs[1];
} PART;

struct bpf_local_storage {
	struct raw_spinlock lock;
} PART;

struct task_struct {
	struct bpf_local_storage *bpf_storage;
} PART;

/* A map's address, which the verifier lets nobody calculate with before it was stored. */
static __always_inline void *address_of(void *map)
{
	*(volatile __u64 *)&state.place = (__u64)map;
	return (void *)*(volatile __u64 *)&state.place;
}

/* Of all buckets, the one that has an entry, when there is no other. */
static __always_inline void *used_bucket(void *map, void **entry)
{
	struct bpf_htab *htab = address_of(map);
	void *bucket = BPF_CORE_READ(htab, buckets);
	int i;

	for (i = 0; i < MAPS_ENTRIES; i++) {
		/* What ends a list is odd. */
		if (!bpf_probe_read_kernel(entry, sizeof(*entry), bucket) &&
		    !((__u64)*entry & 1))
			return bucket;
		bucket += bpf_core_type_size(struct bucket);
	}
	return (void *)0;
}

static __always_inline void find_bucket(void *map)
{
	void *entry, *bucket = used_bucket(map, &entry);

	state.place = bucket ? (__u64)bucket + bpf_core_field_offset(struct bucket, raw_lock) : 0;
}

/*
 * What an entry says of the list that it is in, which the locks of LRUs protect. Not its links:
 * 7.3 writes one in a loop, without a lock, until no program has changed the list meanwhile, and
 * with a program run by each of these writes that loop has no end.
 */
static __always_inline void find_lru(void *map)
{
	void *entry;

	state.place = used_bucket(map, &entry) ?
		(__u64)entry + bpf_core_field_offset(struct htab_elem, lru_node) +
		bpf_core_field_offset(struct bpf_lru_node, type) : 0;
}

#define FIND(name_, how_)						\
	SEC("raw_tp") int find_##name_(void *ctx)			\
	{								\
		how_(&name_);						\
		return 0;						\
	}

#define FIND_INNER(name_, how_)					\
	SEC("raw_tp") int find_##name_(void *ctx)			\
	{								\
		__u32 key = 0;						\
		void *inner = bpf_map_lookup_elem(&name_, &key);	\
									\
		if (inner)						\
			how_(inner);					\
		return 0;						\
	}

#define FIND_FIELD(name_, type_, field_)				\
	SEC("raw_tp") int find_##name_(void *ctx)			\
	{								\
		state.place = (__u64)address_of(&name_) +			\
			bpf_core_field_offset(type_, field_);		\
		return 0;						\
	}

FIND(hash, find_bucket)
FIND(hash_malloc, find_bucket)
FIND(percpu_hash, find_bucket)
FIND(percpu_hash_malloc, find_bucket)
FIND(lru_hash, find_lru)
FIND(lru_percpu_hash, find_lru)
FIND(lru_own, find_lru)
FIND_INNER(array_of_hashes, find_bucket)
FIND_INNER(array_of_lrus, find_lru)
FIND_INNER(hash_of_hashes, find_bucket)
FIND_INNER(hash_of_lrus, find_lru)
FIND_FIELD(lpm_trie, struct lpm_trie, lock)
FIND_FIELD(queue, struct bpf_queue_stack, lock)
FIND_FIELD(stack, struct bpf_queue_stack, lock)
FIND_FIELD(bloom_filter, struct bpf_bloom_filter, bitset)
FIND_FIELD(stack_trace, struct bpf_stack_map, buckets)

SEC("raw_tp")
int find_perf_event_array(void *ctx)
{
	state.place = (__u64)address_of(&perf_event_array) +
		bpf_core_field_offset(struct bpf_array, ptrs) +
		bpf_get_smp_processor_id() * sizeof(void *);
	return 0;
}

SEC("raw_tp")
int find_prog_array(void *ctx)
{
	find_lru(&lru_hash);
	return 0;
}

SEC("raw_tp")
int find_ringbuf(void *ctx)
{
	struct bpf_ringbuf_map *map = address_of(&ringbuf);

	state.place = (__u64)BPF_CORE_READ(map, rb) +
		bpf_core_field_offset(struct bpf_ringbuf, spinlock);
	return 0;
}

SEC("raw_tp")
int find_task_storage(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct bpf_local_storage *storage = BPF_CORE_READ(task, bpf_storage);

	state.place = storage ? (__u64)storage +
		bpf_core_field_offset(struct bpf_local_storage, lock) : 0;
	return 0;
}

SEC("raw_tp")
int find_active(void *ctx)
{
	int cpu;

	for (cpu = 0; cpu < MAPS_CPUS; cpu++)
		state.active[cpu] = (__u64)bpf_per_cpu_ptr(&bpf_prog_active, cpu);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
