// SPDX-License-Identifier: GPL-2.0
/*
 * Programs on counters that change a map while other programs and system calls on the same CPUs
 * change it too: tp_btf programs, those on kprobes and on kprobe.multi, and those on perf's own
 * events. The counters overflow in NMIs where the machine has them, in interrupts, faults and
 * the scheduler.
 *
 * bpf_prog_active is incremented while all of these run, except tp_btf programs. A tp_btf program
 * may be interrupted by a program on a counter, of perfgrp or perf, while it holds a lock of the
 * map. Only an NMI can do that, because the locks are held with interrupts disabled. Whether that
 * is safe depends on the map; combinations that a kernel does not protect are left out here, see
 * tp_btf_nmi below. The opposite does not happen: overflow handlers run with interrupts disabled,
 * and what they call has no tracepoints except those of locks and memory.
 *
 * The maps are those that have locks, and per-CPU arrays. Of the others in test_bpf_maps, arrays,
 * bloom filters, stack traces and arrays of events have no locks, queues and stacks take their lock
 * like ring buffers, and programs of other types cannot share an array of programs.
 */
#include "maps.h"

#include <sys/param.h>

#define BIT(nr)		(1U << (nr))
/* With fewer rounds some programs would not run, or not access the map at the same time. */
#define MIN_ROUNDS	40U
#define CLOCK_NS	2000000
/*
 * If breakpoints replace the PMU, the programs that run at a tick hit them. In an emulator on a
 * busy machine that may take longer than the time to the next tick, and then nothing else runs.
 */
#define SLOW_CLOCK_NS	10000000

static const struct other {
	const char *name;
	unsigned int who;	/* a bit for each program */
	bool is_counted;	/* run with bpf_prog_active incremented */
} others[] = {
	{ "tp_btf", BIT(MAPS_SWITCH) | BIT(MAPS_SYSCALL) | BIT(MAPS_TIMER), false },
	{ "kprobe", BIT(MAPS_KPROBE), true },
	{ "kprobe.multi", BIT(MAPS_MULTI), true },
	{ "perf's own", BIT(MAPS_PERF), true },
};

/* May an NMI interrupt a tp_btf program that has a map's lock? */
enum tp_btf_nmi {
	/* There is no lock, or it is only tried, or a per-CPU counter of the map prevents it. */
	ANY_CPUS,
	/*
	 * Hashes before 6.15: there is a per-CPU counter, but two CPUs may still wait for each
	 * other's bucket in NMIs. So use the event on one CPU only.
	 */
	ONE_CPU_6_15,
	/*
	 * The same for preallocated hashes. In addition, in all kernels, an update takes the CPU's
	 * spare element and leaves the old one in its place; an NMI between these two steps that
	 * updates an element of another bucket takes the same spare element. That element is then
	 * in two buckets, and walking the map does not end, or the kernel faults. Breakpoints do
	 * not hit between these steps.
	 */
	NO_PMU,
	/* LPM tries before 6.15: the NMI waits for the interrupted program. */
	NONE_6_15,
	/* The same for LRU lists. They have an rqspinlock in 7.3, but not in 6.12. */
	NONE_7_3,
};

static const struct beside {
	const char *map;
	enum maps_kind kind;
	enum tp_btf_nmi tp_btf_nmi;
	/* A function, if it can be probed, that bpf(2) calls with bpf_prog_active incremented. */
	const char *inner;
} maps[] = {
	{ "hash", MAPS_HASH, NO_PMU, "htab_map_update_elem" },
	{ "hash_malloc", MAPS_HASH_MALLOC, ONE_CPU_6_15, "htab_map_update_elem" },
	{ "percpu_hash", MAPS_PERCPU_HASH, ONE_CPU_6_15, "bpf_percpu_hash_update" },
	{ "lru_hash", MAPS_LRU_HASH, NONE_7_3, "htab_lru_map_update_elem" },
	{ "lru_percpu_hash", MAPS_LRU_PERCPU_HASH, NONE_7_3, "bpf_percpu_hash_update" },
	{ "percpu_array", MAPS_PERCPU_ARRAY, ANY_CPUS, "bpf_percpu_array_update" },
	{ "lpm_trie", MAPS_LPM_TRIE, NONE_6_15, NULL },
	{ "ringbuf", MAPS_RINGBUF, ANY_CPUS, NULL },
	{ "task_storage", MAPS_TASK_STORAGE, ANY_CPUS, NULL },
	{ "array_of_hashes", MAPS_ARRAY_OF_HASHES, NO_PMU, "htab_map_update_elem" },
	{ "hash_of_lrus", MAPS_HASH_OF_LRUS, NONE_7_3, "htab_lru_map_update_elem" },
};

/*
 * The functions with probes: bpf(2) calls the first one before and after it changes a map; the
 * others are called while it does so, and also by programs on counters.
 */
static const char *const functions[] = {
	"kvfree", "htab_map_update_elem", "htab_lru_map_update_elem",
	"htab_percpu_map_update_elem", "htab_lru_percpu_map_update_elem",
	"bpf_percpu_hash_update", "bpf_percpu_array_update",
};

static const char *const names[MAPS_NR_WHO] = {
	[MAPS_OURS] = "beside_ours",
	[MAPS_SWITCH] = "beside_switch",
	[MAPS_SYSCALL] = "beside_syscall",
	[MAPS_TIMER] = "beside_timer",
	[MAPS_KPROBE] = "beside_kprobe",
	[MAPS_MULTI] = "beside_multi",
	[MAPS_PERF] = "beside_perf",
};

/* A bit for each program that this kernel can have. */
static unsigned int there;

/* ---- the object, which all tests share ------------------------------------------------ */

static int say(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (level != LIBBPF_WARN)
		return 0;
	printf("# libbpf: ");
	return vprintf(fmt, ap);
}

/* Is NAME that of a map, with PREFIX and SUFFIX? */
static bool is_of_map(const char *name, const char *prefix, const char *suffix)
{
	char full[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(maps); i++) {
		snprintf(full, sizeof(full), "%s%s%s", prefix, maps[i].map, suffix);
		if (!strcmp(name, full))
			return true;
	}
	return false;
}

static bool is_wanted(const char *program)
{
	/* As in test_bpf_maps. */
	const bool places = !has_pmu();
	unsigned int i;

	for (i = 0; i < MAPS_NR_WHO; i++)
		if (names[i] && !strcmp(program, names[i]))
			return there & BIT(i);
	return !strcmp(program, "hammer_ringbuf") ||
	       (places && (!strcmp(program, "find_active") || is_of_map(program, "find_", "")));
}

/* Our own kernels have no tracepoints at system calls. */
static bool has_tracepoint(const char *name)
{
	return libbpf_find_vmlinux_btf_id(name, BPF_TRACE_RAW_TP) > 0;
}

static bool attach_probes(void)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts,
		    .syms = (const char **)functions, .cnt = ARRAY_SIZE(functions));
	struct bpf_program *prog;
	unsigned int i;

	prog = bpf_object__find_program_by_name(object, names[MAPS_KPROBE]);
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		if (!bpf_program__attach_kprobe(prog, false, functions[i]))
			return false;
	prog = bpf_object__find_program_by_name(object, names[MAPS_MULTI]);
	libbpf_set_print(NULL);
	if (bpf_program__attach_kprobe_multi_opts(prog, NULL, &opts))
		return true;
	there &= ~BIT(MAPS_MULTI);
	return errno == EOPNOTSUPP;
}

/* Loads all programs and attaches the others; they wait for their turns. */
static bool start_programs(void)
{
	struct bpf_program *prog;
	struct bpf_map *map;
	unsigned int i;

	there = BIT(ARRAY_SIZE(names)) - 1;
	if (!has_tracepoint("sys_enter"))
		there &= ~BIT(MAPS_SYSCALL);
	libbpf_set_print(say);
	object = bpf_object__open_file(OBJECT, NULL);
	if (!object)
		return false;
	bpf_object__for_each_program(prog, object)
		bpf_program__set_autoload(prog, is_wanted(bpf_program__name(prog)));
	bpf_object__for_each_map(map, object) {
		const char *name = bpf_map__name(map);

		bpf_map__set_autocreate(map, bpf_map__is_internal(map) ||
					is_of_map(name, "", "") || is_of_map(name, "", "_inner") ||
					!strcmp(name, "task_anchor"));
	}
	if (bpf_object__load(object) || !map_state())
		return false;
	for (i = MAPS_SWITCH; i <= MAPS_TIMER; i++) {
		prog = bpf_object__find_program_by_name(object, names[i]);
		if (there & BIT(i) && !bpf_program__attach(prog))
			return false;
	}
	return attach_probes();
}

/* ---- the test ------------------------------------------------------------------------- */

struct run {
	const struct beside *map;
	const struct other *other;
};

static const struct kind *kind_of(const char *map)
{
	unsigned int i;

	for (i = 0; strcmp(kinds[i].map, map); i++)
		;
	return &kinds[i];
}

/* May programs run in NMIs? Reduces CPUS to one if they may only on one CPU. */
static bool may_nmi(const struct run *run, const struct kind *kind, struct cpus *cpus)
{
	if (kernel_version() < kind->kmalloc)
		return false;
	if (run->other->is_counted)
		return true;
	switch (run->map->tp_btf_nmi) {
	case NO_PMU:
	case ONE_CPU_6_15:
		if (run->map->tp_btf_nmi == NO_PMU && has_pmu())
			return false;
		if (kernel_version() < 6015)
			cpus->nr = 1;
		return true;
	case NONE_6_15:
		return kernel_version() >= 6015;
	case NONE_7_3:
		return kernel_version() >= 7003;
	case ANY_CPUS:
		break;
	}
	return true;
}

/* Empties the map: the programs that search for the map's address have used its only entry. */
static void empty(const struct kind *kind, int map)
{
	__u32 key[2];

	if (kind->hammer != hammer_keys || kind->check == check_index)
		return;
	while (!bpf_map_get_next_key(map, NULL, key))
		REQUIRE_EQ(bpf_map_delete_elem(map, key), 0);
}

/* Walks the map: each key that it returns must exist, and be one that a program writes. */
static void walk(const struct kind *kind, int map)
{
	struct { __u32 prefixlen, data; } trie_key;
	__u32 key, nr = 0;
	void *next = &key;
	const __u32 *number = &key;
	bool more;

	if (kind->hammer == hammer_trie) {
		next = &trie_key;
		number = &trie_key.data;
	} else if (kind->hammer != hammer_keys || kind->check == check_index) {
		return;
	}
	for (more = !bpf_map_get_next_key(map, NULL, next); more;
	     more = !bpf_map_get_next_key(map, next, next)) {
		if (bpf_map_lookup_elem(map, next, values))
			fail("key %u is no key of the map", *number);
		if (*number >= (kind->keys ?: HAMMERED_KEYS) &&
		    (*number < OWN_KEY || *number >= OWN_KEY + MAPS_WRITERS))
			fail("key %u is nobody's", *number);
		if (++nr > 2 * MAPS_ENTRIES) {
			fail("there is no end of the keys");
			return;
		}
	}
	EXPECT_GT(nr, 0);
}

static void check_writers(const struct kind *kind, const struct hammer *h, unsigned int whose,
			  const struct cpus *cpus, bool guarded)
{
	unsigned int who, i;

	for (who = 0; who < MAPS_NR_WHO; who++) {
		__u64 done = 0;

		if (!(whose & BIT(who)))
			continue;
		for (i = 0; i < cpus->nr; i++) {
			__u32 writer = who * MAPS_CPUS + cpus->cpu[i];
			const struct maps_counts *c = &state->counts[writer];

			diag("%s, CPU %u: %llu runs, %llu done, %llu busy, %llu failed (%lld), %llu wrong",
			     names[who], cpus->cpu[i], c->runs, c->done, c->busy, c->failed,
			     c->error, c->wrong);
			done += c->done;
			if (!kind->forgets)
				EXPECT_EQ(c->wrong, 0);
			if (guarded)
				EXPECT_EQ(c->nested, 0);
			if (c->done && kind->check)
				kind->check(kind, h, writer, c);
		}
		EXPECT_GT(done, 0);
	}
}

static __u64 missed(unsigned int who)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	REQUIRE_EQ(bpf_obj_get_info_by_fd(prog_fd("", names[who]), &info, &len), 0);
	return info.recursion_misses;
}

/* Ends the turns and waits until no program runs that still saw its turn. */
static void end_turns(void)
{
	state->turn = 0;
	REQUIRE_EQ(syscall(SYS_membarrier, 1 /* MEMBARRIER_CMD_GLOBAL */, 0, 0), 0);
}

static void keep_beside(const void *arg)
{
	const struct run *run = arg;
	const struct kind *kind = kind_of(run->map->map);
	const bool guarded = grp_info().features & PERFGRP_FEATURE_BPF_KERNEL;
	const unsigned int clock_ns = has_pmu() ? CLOCK_NS : SLOW_CLOCK_NS;
	unsigned int nr = MAX(rounds(MIN_ROUNDS), MIN_ROUNDS), i;
	unsigned int probe = run->other->who & BIT(MAPS_MULTI) ? MAPS_MULTI : MAPS_KPROBE;
	unsigned int who = run->other->who & there;
	struct source source = { 0 }, perfs = { 0 };
	pid_t pid[NR_CPUS_USED] = { 0 };
	struct hammer h = { 0 };
	int group, status;
	struct cpus cpus;
	__u64 misses;
	bool nmi;

	need_bpf();
	if (!may_run_in_switches(kind))
		who &= ~BIT(MAPS_SWITCH);
	if (!who)
		skip("this kernel has no %s", run->other->name);
	keep_sample_rate();
	choose_cpus(&cpus);
	nmi = may_nmi(run, kind, &cpus);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	REQUIRE(shared != MAP_FAILED);
	current_kind = kind;
	memset(state, 0, sizeof(*state));
	prepare_hammer(kind, &h, cpus.cpu[0]);
	empty(kind, h.map);
	if (nmi)
		nmi_source(kind, h.map, &source, &cpus);
	/*
	 * x86 has four breakpoints: perf's own events get the last one. Not with lockdep, which
	 * warns of any map lock that perf's own programs take in an NMI.
	 */
	if (nmi && !is_debug_kernel())
		perfs.counter[perfs.nr++] = source.counter[0];
	/* Two counters that always overflow at the same time would leave time for nothing else. */
	if (perfs.nr && has_pmu())
		perfs.counter[0].sample_period *= 7;
	add_others(kind, &perfs, clock_ns);
	add_others(kind, &source, clock_ns);
	misses = missed(probe);

	state->kind = run->map->kind;
	for (i = 0; i < cpus.nr; i++)
		state->cpus |= BIT(cpus.cpu[i]);
	state->turn = who | BIT(MAPS_OURS);
	group = make_group(&source, &cpus, prog_fd("", names[MAPS_OURS]));
	if (who & BIT(MAPS_PERF))
		make_peers(&perfs, &cpus, prog_fd("", names[MAPS_PERF]));
	REQUIRE_EQ(grp_enable(group), 0);
	for (i = 1; i < cpus.nr; i++) {
		struct hammer other = h;

		other.cpu = cpus.cpu[i];
		other.ring = NULL;
		pid[i] = start_hammer(kind, other, nr);
	}
	hammer(kind, &h, nr);
	/* Without the guard, programs run only if user mode is interrupted: spend time there. */
	if (!guarded)
		spin(1000000);
	for (i = 1; i < cpus.nr; i++)
		REQUIRE(waitpid(pid[i], &status, 0) == pid[i] && status == 0);
	REQUIRE_EQ(grp_disable(group), 0);
	end_turns();

	check_group(group, &source, &cpus, true, nmi && !has_pmu());
	check_writers(kind, &h, who | BIT(MAPS_OURS), &cpus, guarded);
	walk(kind, h.map);
	/* Kernels count these misses since 6.7. */
	if (who & BIT(probe) && run->map->inner && kernel_version() >= 6007)
		EXPECT_GT(missed(probe), misses);
}

int main(int argc, char **argv)
{
	static char lines[ARRAY_SIZE(others)][ARRAY_SIZE(maps)][160];
	static struct run runs[ARRAY_SIZE(others)][ARRAY_SIZE(maps)];
	unsigned int i, j;

	if (!start_programs()) {
		printf("Bail out! the programs cannot be loaded and attached (errno %d)\n", errno);
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		for (j = 0; j < ARRAY_SIZE(maps); j++) {
			runs[i][j] = (struct run){ &maps[j], &others[i] };
			snprintf(lines[i][j], sizeof(lines[i][j]),
				 "B16: a program changes map %s while %s programs do",
				 maps[j].map, others[i].name);
			/* LRU lists are slow with breakpoints: each hit makes them search on. */
			test_add(lines[i][j], keep_beside, &runs[i][j], 2 * TEST_SECONDS);
		}
	}
	return run_tests(argc, argv);
}
