// SPDX-License-Identifier: GPL-2.0
/*
 * Programs on counters that change a map, of each type that they may use, while system
 * calls on the same CPUs change it too: in NMIs, interrupts, faults and the scheduler.
 * If two of them take the same lock, the CPU deadlocks, and the test exceeds its time limit.
 *
 * NMIs hit while a map's lock is held: on x86 from a breakpoint on a word that is written
 * under the lock, on arm64 from a cycles counter that overflows often enough.
 *
 * With BPF_MAPS_PEER=1 in the environment the same is done with perf_event_open(2).
 */
#include "maps.h"

enum context {
	IN_NMI,
	IN_TRACEPOINT,
	IN_OTHERS,
};

/* ---- the object -------------------------------------------------------------------- */

static bool peer;

/* Loads only what KIND needs: loading a program takes long on a debug kernel. */
static void load_object(const struct kind *kind)
{
	char on[64], find[64];
	/* The addresses to watch are needed only if breakpoints replace the PMU. */
	const bool places = !has_pmu();
	const char *programs[] = {
		on, kind->also, places ? find : NULL, places ? "find_active" : NULL };
	const char *maps[] = { kind->map, kind->changed, "task_anchor", "maps.bss" };
	struct bpf_program *prog;
	struct bpf_map *map;

	snprintf(on, sizeof(on), "on_%s", kind->map);
	snprintf(find, sizeof(find), "find_%s", kind->map);
	libbpf_set_print(bpf_say);
	object = bpf_object__open_file(OBJECT, NULL);
	REQUIRE(object);
	bpf_object__for_each_program(prog, object)
		bpf_program__set_autoload(prog, is_one_of(bpf_program__name(prog), programs,
							  ARRAY_SIZE(programs)));
	bpf_object__for_each_map(map, object)
		bpf_map__set_autocreate(map, bpf_map__is_internal(map) ||
					is_one_of(bpf_map__name(map), maps, ARRAY_SIZE(maps)));
	REQUIRE_EQ(bpf_object__load(object), 0);
	REQUIRE(map_state());
}

/* ---- the test ----------------------------------------------------------------------- */

static bool read_tracepoint(const char *event, char *id, size_t size)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", event);
	return read_file(path, id, size) > 0;
}

/*
 * With lockdep, the tracepoint of each lock that is released, which is hit while it is still held;
 * otherwise that of allocated memory. A program that takes locks or allocates itself would recurse
 * without end: the kernel refills its memory after the program has ended. It runs at each tick
 * instead.
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
	bool guarded = true;
	struct cpus cpus;

	if (!peer) {
		need_bpf();
		guarded = grp_info().features & PERFGRP_FEATURE_BPF_KERNEL;
	}
	keep_sample_rate();
	choose_cpus(&cpus);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	REQUIRE(shared != MAP_FAILED);
	current_kind = kind;
	load_object(kind);
	prepare_hammer(kind, &h, cpus.cpu[0]);

	if (kind->also && !strcmp(kind->also, "tail")) {
		__u32 key = 0, tail = prog_fd("", "tail");

		REQUIRE_EQ(bpf_map_update_elem(map_fd("prog_array"), &key, &tail, BPF_ANY), 0);
	}

	if (context == IN_NMI) {
		if (kernel_version() < kind->kmalloc)
			skip("this kernel's map calls kmalloc() in an NMI");
		nmi_source(kind, h.map, &source, &cpus);
	} else if (context == IN_TRACEPOINT) {
		tracepoint_source(kind, &source);
	} else {
		add_others(kind, &source, 200000);
	}
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
	/* Without the guard, programs run only if user mode is interrupted: spend time there. */
	if (!peer && !guarded)
		spin(1000000);
	for (i = 1; i < cpus.nr; i++)
		REQUIRE(waitpid(pid[i], &status, 0) == pid[i] && status == 0);
	if (!peer) {
		REQUIRE_EQ(grp_disable(group), 0);
		/* A tracepoint interrupts only the kernel. */
		check_group(group, &source, &cpus, guarded || context != IN_TRACEPOINT,
			    /* Breakpoints on words that system calls write to change the map. */
			    context == IN_NMI && !has_pmu());
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
