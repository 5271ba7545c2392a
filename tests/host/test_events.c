// SPDX-License-Identifier: GPL-2.0
/*
 * The library's event parser, against a sysfs and a tracefs of our own making, and what the tool
 * does with its groups. TAP on standard output; anything but 0 at the end if a test has failed.
 */
#include <errno.h>
#include <ftw.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "events.h"
#include "tap.h"
#include "util.h"

static char root[] = "/tmp/perfgrp-test.XXXXXX";
static char *pmus, *tracing;

/* ---- the harness ---------------------------------------------------------- */

static void put(const char *path, const char *text)
{
	char *full = xasprintf("%s/%s", root, path), *slash = full + strlen(root);
	FILE *f;

	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	f = fopen(full, "w");
	if (!f || fputs(text, f) < 0 || fclose(f)) {
		printf("Bail out! cannot write %s\n", full);
		exit(1);
	}
	free(full);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_root(void)
{
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void make_root(void)
{
	if (!mkdtemp(root)) {
		puts("Bail out! no temporary directory");
		exit(1);
	}
	atexit(remove_root);
	pmus = xasprintf("%s/pmus", root);
	tracing = xasprintf("%s/tracing", root);

	put("pmus/core/type", "8\n");
	put("pmus/core/format/event", "config:0-7,32-35\n");
	put("pmus/core/format/umask", "config:8-15\n");
	put("pmus/core/format/edge", "config:18\n");
	put("pmus/core/format/ldlat", "config1:0-15\n");
	put("pmus/core/format/match", "config2:0-63\n");
	put("pmus/core/format/broken", "config9:0\n");
	put("pmus/core/format/beyond", "config:60-64\n");
	put("pmus/core/format/torn", "config:0-7;8-15\n");
	put("pmus/core/format/turned", "config:9-8\n");
	put("pmus/core/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	put("pmus/core/events/inst_retired", "event=0x08\n");
	put("pmus/core/events/open", "event=0x1,umask=?\n");
	put("pmus/power/type", "12\n");
	put("pmus/power/cpumask", "0,4\n");
	put("pmus/power/format/event", "config:0-7\n");
	put("pmus/power/events/energy-pkg", "event=0x02\n");
	put("pmus/power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
	put("pmus/power/events/energy-pkg.unit", "Joules\n");
	put("pmus/power/events/energy-pkg.per-pkg", "1\n");
	put("pmus/power/events/energy-pkg.snapshot", "1\n");
	put("pmus/uncore_imc_2/type", "20\n");
	put("pmus/uncore_imc_2/format/event", "config:0-7\n");
	put("pmus/uncore_imc_2/events/ticks", "event=0x1\n");
	put("pmus/uncore_imc_10/type", "21\n");
	put("pmus/uncore_imc_10/format/event", "config:0-7\n");
	put("pmus/uncore_imc_10/events/ticks", "event=0x1\n");
	put("tracing/events/sched/sched_switch/id", "316\n");
	put("tracing/events/sched/sched_wakeup/id", "318\n");
	put("tracing/events/sched/enable", "0\n");
}

/* ---- what is expected ----------------------------------------------------- */

#define CACHE(cache, op, result)						\
	PERFGRP_HW_CACHE(PERF_COUNT_HW_CACHE_##cache, PERF_COUNT_HW_CACHE_OP_##op,	\
			 PERF_COUNT_HW_CACHE_RESULT_##result)

static struct perfgrp_events *new_events(void)
{
	return xcheck(perfgrp_events_new_at(pmus, tracing));
}

/* Flags that the text has asked for: guests are left out where it has not. */
static __u32 asked_for(const struct perfgrp_event *event)
{
	__u32 flags = event->counter->flags & ~PERFGRP_COUNTER_RAW;

	return event->flags & PERFGRP_EVENT_MACHINES ? flags :
						      flags & ~PERFGRP_COUNTER_EXCLUDE_GUEST;
}

/* The only event of a text that names one; NULL after saying what is wrong. */
static const struct perfgrp_event *one(struct perfgrp_events *events, const char *text)
{
	const struct perfgrp_events_error *why = perfgrp_events_error(events);
	int err = perfgrp_parse_events(events, text);

	if (!err && perfgrp_events_nr_groups(events) == 1 &&
	    perfgrp_events_group(events, 0)->nr == 1)
		return perfgrp_events_at(events, 0, 0);
	printf("# %s: %d column %u: %s\n", text, err, why->column, why->text);
	return NULL;
}

/* One event with nothing about it but its constant. */
static void names(const char *text, __u64 event)
{
	struct perfgrp_events *events = new_events();
	const struct perfgrp_event *e = one(events, text);

	result(e && e->counter->event == event && !asked_for(e) && !e->flags &&
	       !strcmp(e->name, text), "E1 E2 E3 E4 %s is 0x%llx", text,
	       (unsigned long long)event);
	perfgrp_events_free(events);
}

/* One event in the raw form. */
static void raw(const char *text, __u32 type, __u64 config, __u64 config1, __u64 config2)
{
	struct perfgrp_events *events = new_events();
	const struct perfgrp_event *e = one(events, text);
	const struct perfgrp_counter *c = e ? e->counter : NULL;

	result(c && c->flags & PERFGRP_COUNTER_RAW && c->type == type && c->config == config &&
	       c->config1 == config1 && c->config2 == config2 && !c->event, "E5 %s", text);
	if (c && c->config != config)
		printf("# config 0x%llx\n", (unsigned long long)c->config);
	perfgrp_events_free(events);
}

/* One event, of which only the flags matter. */
static void flags(const char *text, __u32 wanted, __u32 create, __u32 precise)
{
	struct perfgrp_events *events = new_events();
	const struct perfgrp_event *e = one(events, text);

	result(e && asked_for(e) == wanted &&
	       perfgrp_events_group(events, 0)->create_flags == create &&
	       e->counter->precise_ip == precise, "E6 modifiers of %s", text);
	perfgrp_events_free(events);
}

/* Whether it leaves guests out where the text does not say so. */
static void guests(const char *text, bool left_out)
{
	struct perfgrp_events *events = new_events();
	const struct perfgrp_event *e = one(events, text);

	result(e && !(e->flags & PERFGRP_EVENT_MACHINES) &&
	       !(e->counter->flags & PERFGRP_COUNTER_EXCLUDE_GUEST) == !left_out,
	       "E6 %s %s guests", text, left_out ? "leaves out" : "has no");
	perfgrp_events_free(events);
}

/* A fault at a column, with a word that the message must have. */
static void refused(const char *text, unsigned int column, const char *word)
{
	struct perfgrp_events *events = new_events();
	const struct perfgrp_events_error *why = perfgrp_events_error(events);
	int ret = perfgrp_parse_events(events, text);
	bool ok = ret == -EINVAL && !perfgrp_events_nr_groups(events) &&
		  why->column == column && strstr(why->text, word);

	result(ok, "L1 '%s' is refused", text);
	if (!ok)
		printf("# %d column %u: %s\n", ret, why->column, why->text);
	perfgrp_events_free(events);
}

/* Groups, written down as the names of their events: "a|b c" for {a,b},c. */
static void shape(const char *text, const char *wanted)
{
	struct perfgrp_events *events = new_events();
	char got[512] = "";
	__u32 i, j;
	int ret = perfgrp_parse_events(events, text);

	for (i = 0; i < perfgrp_events_nr_groups(events); i++)
		for (j = 0; j < perfgrp_events_group(events, i)->nr; j++) {
			strcat(got, j ? "|" : i ? " " : "");
			strcat(got, perfgrp_events_at(events, i, j)->name);
		}
	result(!ret && !strcmp(got, wanted), "groups of %s", text);
	if (ret || strcmp(got, wanted))
		printf("# '%s' %s\n", got, perfgrp_events_error(events)->text);
	perfgrp_events_free(events);
}

/* ---- tests ---------------------------------------------------------------- */

static void test_names(void)
{
	names("cycles", PERFGRP_HW_CPU_CYCLES);
	names("cpu-cycles", PERFGRP_HW_CPU_CYCLES);
	names("instructions", PERFGRP_HW_INSTRUCTIONS);
	names("cache-references", PERFGRP_HW_CACHE_REFERENCES);
	names("cache-misses", PERFGRP_HW_CACHE_MISSES);
	names("branches", PERFGRP_HW_BRANCH_INSTRUCTIONS);
	names("branch-instructions", PERFGRP_HW_BRANCH_INSTRUCTIONS);
	names("branch-misses", PERFGRP_HW_BRANCH_MISSES);
	names("bus-cycles", PERFGRP_HW_BUS_CYCLES);
	names("stalled-cycles-frontend", PERFGRP_HW_STALLED_CYCLES_FRONTEND);
	names("idle-cycles-frontend", PERFGRP_HW_STALLED_CYCLES_FRONTEND);
	names("stalled-cycles-backend", PERFGRP_HW_STALLED_CYCLES_BACKEND);
	names("ref-cycles", PERFGRP_HW_REF_CYCLES);

	names("context-switches", PERFGRP_SW_CONTEXT_SWITCHES);
	names("cs", PERFGRP_SW_CONTEXT_SWITCHES);
	names("page-faults", PERFGRP_SW_PAGE_FAULTS);
	names("faults", PERFGRP_SW_PAGE_FAULTS);
	names("minor-faults", PERFGRP_SW_MINOR_FAULTS);
	names("major-faults", PERFGRP_SW_MAJOR_FAULTS);
	names("cpu-migrations", PERFGRP_SW_CPU_MIGRATIONS);
	names("migrations", PERFGRP_SW_CPU_MIGRATIONS);
	names("cpu-clock", PERFGRP_SW_CPU_CLOCK);
	names("task-clock", PERFGRP_SW_TASK_CLOCK);
	names("alignment-faults", PERFGRP_SW_ALIGNMENT_FAULTS);
	names("emulation-faults", PERFGRP_SW_EMULATION_FAULTS);
	names("dummy", PERFGRP_SW_DUMMY);
	names("bpf-output", PERFGRP_SW_BPF_OUTPUT);
	names("cgroup-switches", PERFGRP_SW_CGROUP_SWITCHES);

	names("L1-dcache-loads", CACHE(L1D, READ, ACCESS));
	names("L1-dcache-load-misses", CACHE(L1D, READ, MISS));
	names("L1-dcache-stores", CACHE(L1D, WRITE, ACCESS));
	names("L1-dcache-prefetch-misses", CACHE(L1D, PREFETCH, MISS));
	names("L1-icache-load-misses", CACHE(L1I, READ, MISS));
	names("LLC-loads", CACHE(LL, READ, ACCESS));
	names("LLC-store-misses", CACHE(LL, WRITE, MISS));
	names("dTLB-load-misses", CACHE(DTLB, READ, MISS));
	names("dTLB-stores", CACHE(DTLB, WRITE, ACCESS));
	names("iTLB-load-misses", CACHE(ITLB, READ, MISS));
	names("branch-loads", CACHE(BPU, READ, ACCESS));
	names("branch-load-misses", CACHE(BPU, READ, MISS));
	names("node-loads", CACHE(NODE, READ, ACCESS));
	names("node-prefetch-misses", CACHE(NODE, PREFETCH, MISS));
}

static void test_raw(void)
{
	raw("r1a8", PERF_TYPE_RAW, 0x1a8, 0, 0);
	raw("r0x1a8", PERF_TYPE_RAW, 0x1a8, 0, 0);
	raw("rffffffffffffffff:u", PERF_TYPE_RAW, ~0ULL, 0, 0);
	raw("core/event=0x8/", 8, 0x8, 0, 0);
	raw("core/event=0x8,umask=0x12,edge/", 8, 0x41208, 0, 0);
	raw("core/event=0xfab/", 8, 0xf000000abULL, 0, 0);
	raw("core/event=010/", 8, 010, 0, 0);
	raw("core/config=0x123456789abcdef0,config1=7,config2=8/", 8, 0x123456789abcdef0ULL, 7, 8);
	raw("core/match=0xffffffffffffffff/", 8, 0, 0, ~0ULL);
	raw("core/mem-loads/", 8, 0x1cd, 3, 0);
	raw("core/mem-loads,ldlat=30/", 8, 0x1cd, 30, 0);
	raw("core/open,umask=0x40/", 8, 0x4001, 0, 0);
	raw("core/inst_retired/k", 8, 8, 0, 0);
	raw("core/inst_retired/:k", 8, 8, 0, 0);
	raw("inst_retired", 8, 8, 0, 0);
	raw("inst_retired:u", 8, 8, 0, 0);
	raw("mem-loads", 8, 0x1cd, 3, 0);
	raw("imc_10/event=3/", 21, 3, 0, 0);
	raw("sched:sched_switch", PERF_TYPE_TRACEPOINT, 316, 0, 0);
	raw("sched:sched_wakeup:k", PERF_TYPE_TRACEPOINT, 318, 0, 0);
	raw("sched:*_wakeup", PERF_TYPE_TRACEPOINT, 318, 0, 0);
	raw("mem:0x1000", PERF_TYPE_BREAKPOINT, 0, 0x1000, 4);
	raw("mem:0x1000/8", PERF_TYPE_BREAKPOINT, 0, 0x1000, 8);
	raw("mem:0x1000:x", PERF_TYPE_BREAKPOINT, 0, 0x1000, sizeof(long));
	raw("mem:4096/1:w:u", PERF_TYPE_BREAKPOINT, 0, 4096, 1);
}

static void breakpoint(const char *text, __u32 type)
{
	struct perfgrp_events *events = new_events();
	const struct perfgrp_event *e = one(events, text);

	result(e && e->counter->bp_type == type, "E5 bp_type of %s", text);
	perfgrp_events_free(events);
}

static void test_modifiers(void)
{
	const __u32 u = PERFGRP_COUNTER_EXCLUDE_USER;
	const __u32 k = PERFGRP_COUNTER_EXCLUDE_KERNEL;
	const __u32 h = PERFGRP_COUNTER_EXCLUDE_HV;

	flags("cycles:u", k | h, 0, 0);
	flags("cycles:k", u | h, 0, 0);
	flags("cycles:uk", h, 0, 0);
	flags("cycles:h", u | k, 0, 0);
	flags("cycles:ukh", 0, 0, 0);
	flags("cycles:I", PERFGRP_COUNTER_EXCLUDE_IDLE, 0, 0);
	flags("cycles:pp", 0, 0, 2);
	flags("cycles:upp", k | h, 0, 2);
	flags("cycles:S", 0, 0, 0);
	flags("cycles:D", 0, PERFGRP_CREATE_NO_MUX, 0);
	flags("cycles:ue", k | h, PERFGRP_CREATE_EXCLUSIVE, 0);
	flags("cycles:H", PERFGRP_COUNTER_EXCLUDE_GUEST, 0, 0);
	flags("cycles:G", PERFGRP_COUNTER_EXCLUDE_HOST, 0, 0);
	flags("cycles:GH", 0, 0, 0);
	flags("{cycles:G}:H", 0, 0, 0);
	flags("cycles:uG", k | h | PERFGRP_COUNTER_EXCLUDE_HOST, 0, 0);
	flags("r8:k", u | h, 0, 0);
	flags("core/event=8/uD", k | h, PERFGRP_CREATE_NO_MUX, 0);
	flags("{cycles:k}:u", h, 0, 0);
	flags("{cycles}:u", k | h, 0, 0);
	flags("{cycles}:D", 0, PERFGRP_CREATE_NO_MUX, 0);
	flags("sched:sched_switch:u", k | h, 0, 0);
	flags("page-faults:u", k | h, 0, 0);

	guests("cycles", true);
	guests("core/event=1/", true);
	guests("r8:u", true);
	guests("cs", false);
	guests("sched:sched_switch", false);
	guests("mem:0x1000", false);

	breakpoint("mem:0x1000", HW_BREAKPOINT_RW);
	breakpoint("mem:0x1000:w", HW_BREAKPOINT_W);
	breakpoint("mem:0x1000:x", HW_BREAKPOINT_X);
	breakpoint("mem:0x1000/2:rw:k", HW_BREAKPOINT_RW);
}

static void test_groups(void)
{
	shape("cycles,instructions", "cycles instructions");
	shape("{cycles,instructions}", "cycles|instructions");
	shape("{cycles,instructions},cs", "cycles|instructions cs");
	shape("cs,{cycles,page-faults}:u,{r8}", "cs cycles|page-faults r8");
	shape("{core/event=1,umask=2/,cycles}", "core/event=1,umask=2/|cycles");
	shape("core/event=1,name=mine/", "mine");
	shape("{mem:0x1000/4:w,cs}", "mem:0x1000/4:w|cs");
	shape("{cs,mem:0x1000/4:w},faults", "cs|mem:0x1000/4:w faults");
	shape("imc/event=1/", "uncore_imc_2/event=1/ uncore_imc_10/event=1/");
	shape("uncore_imc_*/event=1/,cs", "uncore_imc_2/event=1/ uncore_imc_10/event=1/ cs");
	shape("ticks", "ticks ticks");
	shape("sched:*", "sched:sched_switch sched:sched_wakeup");
	shape("{sched:sched_switch,sched:sched_wakeup}", "sched:sched_switch|sched:sched_wakeup");
}

static void test_units(void)
{
	struct perfgrp_events *events = new_events();
	const struct perfgrp_event *e;

	if (perfgrp_parse_events(events, "power/energy-pkg/,task-clock") ||
	    perfgrp_events_nr_groups(events) != 2) {
		result(false, "scale, unit and CPUs");
		return;
	}
	e = perfgrp_events_at(events, 0, 0);
	result(e->scale == 0x1p-32 && !strcmp(e->unit, "Joules"), "scale and unit of sysfs");
	result(e->cpus && !strcmp(e->cpus, "0,4"), "CPUs of an uncore PMU");
	e = perfgrp_events_at(events, 1, 0);
	result(e->scale == 1e-6 && !strcmp(e->unit, "msec"), "a clock is in msec");
	result(!e->cpus, "no CPUs of a software event");
	result(!perfgrp_events_at(events, 1, 1) && !perfgrp_events_at(events, 2, 0) &&
	       !perfgrp_events_group(events, 2), "there is nothing behind the last");
	perfgrp_events_free(events);
}

/* sysfs has a decimal point everywhere. tests/host/test_events makes the locale. */
static void test_units_in_german(void)
{
	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
		result(true, "L1 scale and unit where numbers have a comma # SKIP no such locale");
		return;
	}
	result(strtod("0,5", NULL) == 0.5, "L1 where numbers have a comma:");
	test_units();
	setlocale(LC_NUMERIC, "C");
}

/* Names of sums over PMUs, "-" where the text names the PMU or is no event of one. */
static void sums(const char *text, const char *wanted)
{
	struct perfgrp_events *events = new_events();
	const struct perfgrp_event *e;
	char got[512] = "";
	__u32 i;

	perfgrp_parse_events(events, text);
	for (i = 0; (e = perfgrp_events_at(events, i, 0)); i++) {
		strcat(got, i ? " " : "");
		strcat(got, e->sum_name ? e->sum_name : "-");
	}
	result(!strcmp(got, wanted), "sums of %s", text);
	if (strcmp(got, wanted))
		printf("# '%s'\n", got);
	perfgrp_events_free(events);
}

static void test_sums(void)
{
	sums("imc/event=1/", "imc/event=1/ imc/event=1/");
	sums("uncore_imc_*/event=1/u", "uncore_imc_*/event=1/u uncore_imc_*/event=1/u");
	sums("imc/event=1,name=mine/", "mine mine");
	sums("ticks,mem-loads", "ticks ticks mem-loads");
	sums("cor?/event=1/", "cor?/event=1/");
	sums("uncore_imc_2/event=1/,core/mem-loads,name=mine/", "- -");
	sums("mem-loads/name=mine/,cycles,r1,sched:*", "- - - - -");
}

/* What the tool does with groups. */
static void test_cut(void)
{
	struct perfgrp_events *parsed = new_events();
	struct event_list list = { 0 };

	result(!events_parse(&list, "cs,{cycles,instructions}:W,faults", parsed) &&
	       list.nr == 3 && list.groups[1].weak && list.groups[1].braces, "a weak group");
	events_cut(&list, 1, 1);
	result(list.nr == 4 && list.groups[2].weak && !list.groups[1].braces &&
	       list.groups[1].nr == 1 && list.groups[2].nr == 1 &&
	       !strcmp(list.groups[0].events[0].name, "cs") &&
	       !strcmp(list.groups[1].events[0].name, "cycles") &&
	       !strcmp(list.groups[2].events[0].name, "instructions") &&
	       !strcmp(list.groups[3].events[0].name, "faults"), "a group taken apart");
	result(events_parse(&list, "cs,nope", parsed) && list.nr == 4,
	       "a failure leaves earlier groups alone");
	result(!events_parse(&list, "dummy", parsed) && list.nr == 5, "a list that grows");
	events_free(&list);
	perfgrp_events_free(parsed);
}

/* ---- one object, many texts; no memory ----------------------------------------- */

static void test_many(void)
{
	struct perfgrp_events *events = new_events();
	const struct perfgrp_events_error *why = perfgrp_events_error(events);
	const struct perfgrp_event *first = NULL;
	char name[32];
	bool ok = true;
	__u32 i;

	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "{r%x,cs}", i);
		ok &= !perfgrp_parse_events(events, name) && !*why->text && !why->column;
		ok &= perfgrp_parse_events(events, "cs,{cycles,nope}") == -EINVAL && *why->text &&
		      why->column == 11;
		if (!i)
			first = perfgrp_events_at(events, 0, 0);
	}
	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "r%x", i);
		ok &= !strcmp(perfgrp_events_at(events, i, 0)->name, name) &&
		      perfgrp_events_at(events, i, 0)->counter->config == i;
	}
	result(ok && perfgrp_events_nr_groups(events) == 100,
	       "L1 one object takes many texts, and of one with a fault nothing");
	result(first == perfgrp_events_at(events, 0, 0) && !strcmp(first->name, "r0"),
	       "L1 events stay where they are while others come");
	perfgrp_events_free(events);
}

/* The next but so many allocations of this program fail; of those in libraries none does. */
static int allocations_left = -1;

void *__real_calloc(size_t nr, size_t size);
void *__wrap_calloc(size_t nr, size_t size);

void *__wrap_calloc(size_t nr, size_t size)
{
	if (!allocations_left) {
		errno = ENOMEM;
		return NULL;
	}
	if (allocations_left > 0)
		allocations_left--;
	return __real_calloc(nr, size);
}

/* Whatever cannot be allocated, the text is not taken for another one, and nothing changes. */
static void no_memory(const char *text)
{
	struct perfgrp_events *events = new_events();
	const struct perfgrp_events_error *why = perfgrp_events_error(events);
	int err = perfgrp_parse_events(events, "cs"), n;

	for (n = 0; !err && n < 10000; n++) {
		allocations_left = n;
		err = perfgrp_parse_events(events, text);
		allocations_left = -1;
		if (!err)
			break;
		if (err == -ENOMEM && perfgrp_events_nr_groups(events) == 1 &&
		    !strcmp(perfgrp_events_at(events, 0, 0)->name, "cs") && !why->column &&
		    !strcmp(why->text, "out of memory"))
			err = 0;
	}
	result(!err && n > 3 && perfgrp_events_nr_groups(events) > 1,
	       "L1 %s wants memory %d times, which may not be there", text, n);
	if (err)
		printf("# the %dth time: %d, %s\n", n, err, why->text);
	perfgrp_events_free(events);
}

static void test_memory(void)
{
	struct perfgrp_counter counter = { .event = PERFGRP_HW_CPU_CYCLES };
	char *name = NULL;
	int n;

	no_memory("cycles,{instructions,cs}:u,r8,mem:0x1000/4:w");
	no_memory("core/event=0x8,mem-loads,name=mine/,inst_retired,power/energy-pkg/");
	no_memory("imc/event=1/,sched:*,cycles/period=5/");
	for (n = 0; !name; n++) {
		allocations_left = n;
		name = perfgrp_event_name(NULL, &counter, sizeof(counter));
		allocations_left = -1;
	}
	result(n > 2 && (!strcmp(name, "cycles") || !strcmp(name, "cpu-cycles")),
	       "L3 a counter's name wants memory %d times", n - 1);
	free(name);
}

/* ---- what there is -------------------------------------------------------------- */

static int take(void *arg, const struct perfgrp_listed_event *event)
{
	char *all = arg;

	/* Of the many generic ones this stands for all. */
	if (event->kind != PERFGRP_LIST_GENERIC ||
	    (!strcmp(event->name, "cycles") && event->counter->event == PERFGRP_HW_CPU_CYCLES))
		sprintf(all + strlen(all), "%s,", event->name);
	return 0;
}

static void lists(__u32 kinds, const char *expected)
{
	struct perfgrp_events *events = new_events();
	char all[512] = "";
	int err = perfgrp_list_events(events, kinds, take, all);

	result(!err && !strcmp(all, expected), "L3 listed: %s", expected);
	if (err || strcmp(all, expected))
		printf("# %d %s\n", err, all);
	perfgrp_events_free(events);
}

static int take_pmu(void *arg, const struct perfgrp_pmu *pmu)
{
	char *all = arg;

	sprintf(all + strlen(all), "%s %u %s,", pmu->name, pmu->type,
		pmu->cpus ? pmu->cpus : "all");
	return 0;
}

static int take_one(void *arg, const struct perfgrp_listed_event *event)
{
	(void)event;
	++*(int *)arg;
	return 7;
}

static int take_first(void *arg, const struct perfgrp_pmu *pmu)
{
	return strcmp(pmu->name, arg) ? 8 : 9;
}

static void test_lists(void)
{
	struct perfgrp_events *events = new_events();
	const char *expected = "core 8 all,power 12 0,4,uncore_imc_2 20 all,uncore_imc_10 21 all,";
	int ended = 0, nr = 0;
	char all[512] = "";
	__u32 kind;

	lists(PERFGRP_LIST_GENERIC, "cycles,");
	lists(PERFGRP_LIST_PMU,
	      "core/inst_retired/,core/mem-loads/,core/open/,power/energy-pkg/,uncore_imc_2/ticks/,uncore_imc_10/ticks/,");
	lists(PERFGRP_LIST_TRACEPOINT, "sched:sched_switch,sched:sched_wakeup,");
	lists(PERFGRP_LIST_GENERIC | PERFGRP_LIST_TRACEPOINT,
	      "cycles,sched:sched_switch,sched:sched_wakeup,");
	result(!perfgrp_list_pmus(events, take_pmu, all) && !strcmp(all, expected),
	       "L3 PMUs are listed, with their CPUs");
	for (kind = PERFGRP_LIST_GENERIC; kind <= PERFGRP_LIST_TRACEPOINT; kind <<= 1)
		if (kind != PERFGRP_LIST_LIBPFM4)
			ended += perfgrp_list_events(events, kind, take_one, &nr) == 7;
	result(ended == 3 && nr == 3 && perfgrp_list_pmus(events, take_first, "core") == 9,
	       "L3 a list ends where its reader has had enough");
	perfgrp_events_free(events);
}

static void test_faults(void)
{
	refused("", 0, "missing");
	refused("cycles,", 7, "missing");
	refused("cycles,,cs", 7, "missing");
	refused("nope", 0, "no such event");
	refused("cycles,nope", 7, "no such event");
	refused("cycles:q", 7, "unknown modifier 'q'");
	refused("cycles:uq", 8, "unknown modifier 'q'");
	refused("cycles:", 7, "missing");
	refused("cycles:pppp", 10, "three times");
	refused("cycles:P", 7, "not supported");
	refused("{cycles", 0, "no '}'");
	refused("cs,{cycles,faults", 3, "no '}'");
	refused("{}", 1, "missing");
	refused("{cycles,{cs}}", 8, "missing");
	refused("cycles}", 6, "unexpected '}'");
	refused("{cycles}x", 8, "unexpected 'x'");
	refused("{cycles}:q", 9, "unknown modifier 'q'");
	refused("{cycles,cs:D}", 11, "whole group");
	refused("{cycles,cs:ue}", 12, "whole group can be exclusive");
	refused("{cycles,cs:W}", 11, "whole group can be weak");
	refused("cycles:uu", 7, "twice");
	refused("cycles:pup,cycles:kIk", 18, "twice");
	refused("{cycles}:WuW", 9, "twice");
	refused("mem:0x10:rwr", 9, "twice");
	refused("cycles,  ", 9, "missing");
	refused("cycles instructions", 0, "no such event");
	refused("nope/event=1/", 0, "no event or PMU 'nope'");
	refused("nope:u/event=1/", 0, "no such event");
	refused("cycles:D/period=x/", 16, "not a number");
	refused("core/event=1", 12, "'/' is missing");
	refused("core/nope=1/", 5, "unknown term 'nope' for pmu 'core'; valid terms: beyond,broken,edge");
	refused("core/event=1,nope/", 13, "unknown term");
	refused("core/event=xyz/", 11, "not a number");
	refused("core/event=-1/", 11, "not a number");
	refused("core/event= 1/", 11, "not a number");
	refused("core/event=\t-1/", 11, "not a number");
	refused("core/event=+1/", 11, "not a number");
	refused("core/match=0x10000000000000000/", 11, "not a number");
	refused("core/event=0x1000/", 5, "does not fit");
	refused("core/umask=0x100/", 5, "does not fit");
	refused("core/broken=1/", 5, "no sense");
	refused("core/beyond=1/", 5, "no sense");
	refused("core/torn=1/", 5, "no sense");
	refused("core/turned=1/", 5, "no sense");
	refused("core/config/", 5, "needs a value");
	refused("core//", 5, "a term is missing");
	refused("core/event=1/q", 13, "unknown modifier");
	refused("{imc/event=1/,cs}", 1, "more than one PMU");
	refused("{ticks,cs}", 1, "more than one PMU");
	refused("ticks/period=100/", 0, "more than one PMU has 'ticks'");
	refused("r10000000000000000/period=100/", 0, "64 bits");
	refused("{sched:*}", 1, "more than one tracepoint");
	refused("sched:nope", 0, "no such event");
	refused("nope:sched_switch", 0, "no such event");
	refused("r10000000000000000", 0, "64 bits");
	refused("mem:", 4, "address");
	refused("mem:x", 4, "address");
	refused("mem: 5", 4, "address");
	refused("mem:5/+4", 6, "length");
	refused("mem:0x1000/", 11, "length");
	refused("mem:0x1000/0", 11, "length");
	refused("mem:0x1000:rwq", 13, "unexpected 'q'");
	refused("cs,mem:0x1000:q", 14, "unknown modifier");
}

/* One event, and how it is to be sampled. */
static void samples(const char *text, const char *name, __u64 sample, bool freq, __u64 min_delta)
{
	struct perfgrp_events *events = new_events();
	const struct perfgrp_event *e = one(events, text);

	result(e && !strcmp(e->name, name) && e->sample == sample &&
	       !(e->flags & PERFGRP_EVENT_FREQ) == !freq && e->min_delta == min_delta &&
	       !e->counter->sample_period && !e->counter->min_delta,
	       "E6 %s is sampled", text);
	perfgrp_events_free(events);
}

static void test_sampling(void)
{
	samples("cycles", "cycles", 0, false, 0);
	samples("cycles/period=1000/", "cycles/period=1000/", 1000, false, 0);
	samples("cycles/freq=99/u", "cycles/freq=99/u", 99, true, 0);
	samples("cpu-clock/period=5,name=clock/", "clock", 5, false, 0);
	samples("r1a8/period=6/u", "r1a8/period=6/u", 6, false, 0);
	samples("sched:sched_switch/period=1/", "sched:sched_switch/period=1/", 1, false, 0);
	samples("sched:*_switch/period=1/", "sched:sched_switch/period=1/", 1, false, 0);
	samples("core/event=1,period=7,name=x/", "x", 7, false, 0);
	samples("core/freq=7,inst_retired,min-delta=9/", "core/freq=7,inst_retired,min-delta=9/", 7,
		true, 9);
	refused("cycles/period=0/", 14, "not a number above 0");
	refused("cycles/period=many/", 14, "not a number above 0");
	refused("cycles/period=\t-1/", 14, "not a number above 0");
	refused("cycles/period/", 7, "unknown term 'period'");
	refused("cycles/period=1,freq=1/", 16, "only one period= or freq=");
	refused("cycles/umask=1/", 7, "unknown term 'umask'");
	refused("core/event=1,freq=x/", 18, "not a number above 0");
	refused("cycles/period=1", 15, "second '/'");
	refused("{cs,cycles:D/period=1/}", 11, "whole group");
}

int main(void)
{
	make_root();
	test_names();
	test_raw();
	test_modifiers();
	test_groups();
	test_units();
	test_units_in_german();
	test_sums();
	test_cut();
	test_faults();
	test_sampling();
	test_many();
	test_memory();
	test_lists();
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}
