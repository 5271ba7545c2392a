// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Event names from libpfm4. */
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Must come first, or libpfm4 uses its own copy of this header. */
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>

#include "pfm.h"

/* libpfm4's PMU of the generic events (and of tracepoints, if tracefs is mounted). */
#define GENERIC		"perf"

/*
 * Software events that perf has names for but libpfm4 (4.13) does not. Nothing else belongs here.
 */
static const struct {
	const char *name;
	const char *desc;
	__u64 event;
} missing[] = {
	{ "alignment-faults", "alignment faults", PERFGRP_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", "emulation faults", PERFGRP_SW_EMULATION_FAULTS },
	{ "bpf-output", "output of BPF programs", PERFGRP_SW_BPF_OUTPUT },
	{ "dummy", "counts nothing", PERFGRP_SW_DUMMY },
};

static int init_err;

static void init(void)
{
	init_err = pfm_initialize();
}

/* Initialises libpfm4 once. After that it only reads its own data, so that needs no lock. */
static int ready(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init);
	return init_err;
}

static int encode(const char *text, struct pfm_event *event)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg), .cpu = -1 };
	struct perfgrp_counter *counter = &event->counter;
	__u64 configs[NR_CONFIGS];
	int err;

	memset(event, 0, sizeof(*event));
	err = ready();
	if (err == PFM_SUCCESS)
		err = pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3,
						PFM_OS_PERF_EVENT_EXT, &arg);
	if (err != PFM_SUCCESS)
		return err;
	if (arg.cpu >= 0)
		return PFM_ERR_NOTSUPP;

	configs[CONFIG] = attr.config;
	configs[CONFIG1] = attr.config1;
	configs[CONFIG2] = attr.config2;
	configs[CONFIG3] = 0;
	perfgrp_counter_set(counter, attr.type, configs);
	if (attr.exclude_user)
		counter->flags |= PERFGRP_COUNTER_EXCLUDE_USER;
	if (attr.exclude_kernel)
		counter->flags |= PERFGRP_COUNTER_EXCLUDE_KERNEL;
	if (attr.exclude_hv)
		counter->flags |= PERFGRP_COUNTER_EXCLUDE_HV;
	/* Excluding guests is the default, which finish_group() sets. */
	if (!attr.exclude_guest) {
		event->flags |= PERFGRP_EVENT_MACHINES;
		if (attr.exclude_host)
			counter->flags |= PERFGRP_COUNTER_EXCLUDE_HOST;
	}
	counter->precise_ip = attr.precise_ip;
	event->sample = attr.sample_period;
	if (attr.freq)
		event->flags |= PERFGRP_EVENT_FREQ;
	event->pinned = attr.pinned;
	event->exclusive = attr.exclusive;
	return PFM_SUCCESS;
}

static bool is_generic(const struct perfgrp_counter *counter)
{
	return !(counter->flags & PERFGRP_COUNTER_RAW);
}

/**
 * perfgrp_pfm_generic_event - find one of perf's generic events
 * @pool: scratch memory
 * @name: its name, upper or lower case
 * @counter: zeroed; filled in
 *
 * Return: 0, or -1 with @counter unchanged if there is no such event
 */
int perfgrp_pfm_generic_event(struct pool *pool, const char *name,
			      struct perfgrp_counter *counter)
{
	struct pfm_event event;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(missing); i++) {
		if (!strcasecmp(name, missing[i].name)) {
			counter->event = missing[i].event;
			return 0;
		}
	}
	if (encode(perfgrp_pool_printf(pool, GENERIC "::%s", name), &event) != PFM_SUCCESS ||
	    !is_generic(&event.counter))
		return -1;
	*counter = event.counter;
	return 0;
}

/**
 * perfgrp_pfm_native_event - find an event in libpfm4's tables
 * @text: in libpfm4's syntax: [PMU::]EVENT[:ATTRIBUTE]...
 * @event: filled in
 * @why: set to libpfm4's error message
 *
 * Return: 0; -ENOENT if there is no such event; -EOPNOTSUPP if an attribute is not supported
 */
int perfgrp_pfm_native_event(const char *text, struct pfm_event *event, const char **why)
{
	int err = encode(text, event);

	*why = pfm_strerror(err);
	if (err == PFM_ERR_NOTSUPP) {
		*why = "attribute 'cpu' is not supported; use -C to select CPUs";
		return -EOPNOTSUPP;
	}
	return err == PFM_SUCCESS ? 0 : -ENOENT;
}

/*
 * libpfm4 spells the generic events in capitals, perf in lower case except for L1, LLC, dTLB, iTLB.
 */
static void spell(char *to, size_t size, const char *name)
{
	static const char *const words[] = { "L1", "LLC", "dTLB", "iTLB" };
	size_t i;

	for (i = 0; i + 1 < size && name[i]; i++)
		to[i] = tolower((unsigned char)name[i]);
	to[i] = '\0';
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncasecmp(to, words[i], strlen(words[i])))
			memcpy(to, words[i], strlen(words[i]));
}

/**
 * struct listing - a walk through libpfm4's tables
 * @pool: scratch memory
 * @fn: called for each event, until it returns non-zero
 * @arg: passed to @fn
 * @pmu: libpfm4's name of the PMU
 */
struct listing {
	struct pool *pool;
	perfgrp_list_event_fn fn;
	void *arg;
	const char *pmu;
};

static int list_counter(const struct listing *l, __u32 kind, const char *name, const char *desc,
			const struct perfgrp_counter *counter)
{
	const struct perfgrp_listed_event event = {
		.kind = kind,
		.name = name,
		.desc = desc ? desc : "",
		.counter = counter,
	};

	return l->fn(l->arg, &event);
}

/* Lists an event if libpfm4 can encode it from this name. */
static int list_native_name(const struct listing *l, const char *name, const char *desc)
{
	const char *text = perfgrp_pool_printf(l->pool, "%s::%s", l->pmu, name);
	struct pfm_event event;

	if (encode(text, &event) != PFM_SUCCESS)
		return 0;
	return list_counter(l, PERFGRP_LIST_LIBPFM4, text, desc, &event.counter);
}

/* Lists an event by itself, and with each of its unit masks. */
static int list_native_event(const struct listing *l, const pfm_event_info_t *info)
{
	int err, i;

	err = list_native_name(l, info->name, info->desc);
	for (i = 0; i < info->nattrs && !err; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (pfm_get_event_attr_info(info->idx, i, PFM_OS_PERF_EVENT_EXT, &attr) !=
		    PFM_SUCCESS || attr.type != PFM_ATTR_UMASK)
			continue;
		err = list_native_name(l, perfgrp_pool_printf(l->pool, "%s:%s", info->name,
							      attr.name), attr.desc);
	}
	return err;
}

/* Skips names with underscores: those are the kernel's constants, which perf does not accept. */
static int list_generic_event(const struct listing *l, const pfm_event_info_t *info)
{
	struct perfgrp_counter counter = { 0 };
	char name[128];

	if (strchr(info->name, '_') || perfgrp_pfm_generic_event(l->pool, info->name, &counter))
		return 0;
	spell(name, sizeof(name), info->name);
	return list_counter(l, PERFGRP_LIST_GENERIC, name, info->desc, &counter);
}

/* Lists the events of one PMU; @generic: it is libpfm4's PMU of the generic events. */
static int list_pmu(struct listing *l, const pfm_pmu_info_t *pmu, bool generic)
{
	int err = 0, i;

	l->pmu = pmu->name;
	for (i = pmu->first_event; i != -1 && !err; i = pfm_get_event_next(i)) {
		pfm_event_info_t info = { .size = sizeof(info) };

		if (pfm_get_event_info(i, PFM_OS_PERF_EVENT_EXT, &info) == PFM_SUCCESS)
			err = generic ? list_generic_event(l, &info) : list_native_event(l, &info);
	}
	return err;
}

/**
 * perfgrp_pfm_list - walk all events that libpfm4 knows on this machine
 * @pool: scratch memory
 * @kinds: PERFGRP_LIST_GENERIC, PERFGRP_LIST_LIBPFM4 or both
 * @fn: called for each, until it returns non-zero
 * @arg: passed to @fn
 *
 * Return: 0, or the non-zero return value of @fn
 */
int perfgrp_pfm_list(struct pool *pool, __u32 kinds, perfgrp_list_event_fn fn, void *arg)
{
	struct listing l = { .pool = pool, .fn = fn, .arg = arg };
	int err = 0, pmu;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(missing) && kinds & PERFGRP_LIST_GENERIC && !err; i++) {
		const struct perfgrp_counter counter = { .event = missing[i].event };

		err = list_counter(&l, PERFGRP_LIST_GENERIC, missing[i].name, missing[i].desc,
				   &counter);
	}
	if (ready() != PFM_SUCCESS)
		return err;
	pfm_for_all_pmus(pmu) {
		pfm_pmu_info_t info = { .size = sizeof(info) };
		bool generic;

		if (err)
			break;
		if (pfm_get_pmu_info(pmu, &info) != PFM_SUCCESS || !info.is_present ||
		    info.nevents == 0)
			continue;
		/* The PMU of rNNN has no events to list. */
		if (!strcmp(info.name, "perf_raw"))
			continue;
		generic = !strcmp(info.name, GENERIC);
		if (kinds & (generic ? PERFGRP_LIST_GENERIC : PERFGRP_LIST_LIBPFM4))
			err = list_pmu(&l, &info, generic);
	}
	return err;
}
