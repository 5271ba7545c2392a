// SPDX-License-Identifier: GPL-2.0
/* Event names from libpfm4. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* First: libpfm4 leaves out its own copy of this header only if it has been included. */
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>

#include "events.h"
#include "pfm.h"
#include "util.h"

/* libpfm4's PMU of the generic events (and, where tracefs is, of tracepoints). */
#define GENERIC		"perf"

/*
 * Software events that perf has names for and libpfm4 (4.13) has none. Nothing
 * else belongs here.
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

static int ready(void)
{
	static int err = PFM_ERR_NOINIT;

	if (err == PFM_ERR_NOINIT)
		err = pfm_initialize();
	return err;
}

static int encode(const char *text, struct pfm_event *event)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg), .cpu = -1 };
	struct perfgrp_counter *counter = &event->counter;
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

	event_set(counter, attr.type, attr.config, attr.config1, attr.config2, 0);
	if (attr.exclude_user)
		counter->flags |= PERFGRP_COUNTER_EXCLUDE_USER;
	if (attr.exclude_kernel)
		counter->flags |= PERFGRP_COUNTER_EXCLUDE_KERNEL;
	if (attr.exclude_hv)
		counter->flags |= PERFGRP_COUNTER_EXCLUDE_HV;
	/* Guests are left out where neither mh nor mg is named; that is counters_make()'s to do. */
	if (!attr.exclude_guest) {
		event->machines_named = true;
		if (attr.exclude_host)
			counter->flags |= PERFGRP_COUNTER_EXCLUDE_HOST;
	}
	counter->precise_ip = attr.precise_ip;
	event->sample = attr.sample_period;
	event->freq = attr.freq;
	event->pinned = attr.pinned;
	event->exclusive = attr.exclusive;
	return PFM_SUCCESS;
}

static bool is_generic(const struct perfgrp_counter *counter)
{
	return !(counter->flags & PERFGRP_COUNTER_RAW);
}

/**
 * pfm_generic_event - find one of perf's generic events
 * @name: its name, in any case
 * @counter: zeros; filled in
 *
 * Return: 0, or -1 if there is no such event and @counter is zeros
 */
int pfm_generic_event(const char *name, struct perfgrp_counter *counter)
{
	struct pfm_event event;
	char *text;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(missing); i++) {
		if (!strcasecmp(name, missing[i].name)) {
			counter->event = missing[i].event;
			return 0;
		}
	}
	text = xasprintf(GENERIC "::%s", name);
	err = encode(text, &event);
	free(text);
	if (err != PFM_SUCCESS || !is_generic(&event.counter))
		return -1;
	*counter = event.counter;
	return 0;
}

/**
 * pfm_native_event - find an event in libpfm4's tables
 * @text: what libpfm4 takes: [PMU::]EVENT[:ATTRIBUTE]...
 * @event: filled in
 * @why: set to libpfm4's word for the fault
 *
 * Return: 0; -ENOENT if there is no such event; -EOPNOTSUPP if an attribute asks for what cannot be
 */
int pfm_native_event(const char *text, struct pfm_event *event, const char **why)
{
	int err = encode(text, event);

	*why = pfm_strerror(err);
	if (err == PFM_ERR_NOTSUPP) {
		*why = "the attribute 'cpu' is not for an event; -C names CPUs";
		return -EOPNOTSUPP;
	}
	return err == PFM_SUCCESS ? 0 : -ENOENT;
}

/*
 * libpfm4 spells the generic events in capitals. perf does not, but for a few
 * words: L1, LLC, dTLB, iTLB.
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

/* Calls @fn for an event if it can be named so. */
static void list_event(const pfm_pmu_info_t *pmu, const char *name, const char *desc,
		       pfm_list_fn fn, void *arg)
{
	char *text = xasprintf("%s::%s", pmu->name, name);
	struct pfm_event event;

	if (encode(text, &event) == PFM_SUCCESS)
		fn(arg, pmu->name, name, desc ? desc : "", &event.counter);
	free(text);
}

/* An event by itself, and with each of its unit masks. */
static void list_native_event(const pfm_pmu_info_t *pmu, const pfm_event_info_t *info,
			      pfm_list_fn fn, void *arg)
{
	int i;

	list_event(pmu, info->name, info->desc, fn, arg);
	for (i = 0; i < info->nattrs; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };
		char *name;

		if (pfm_get_event_attr_info(info->idx, i, PFM_OS_PERF_EVENT_EXT, &attr) !=
		    PFM_SUCCESS || attr.type != PFM_ATTR_UMASK)
			continue;
		name = xasprintf("%s:%s", info->name, attr.name);
		list_event(pmu, name, attr.desc, fn, arg);
		free(name);
	}
}

static void list_pmu(const pfm_pmu_info_t *pmu, pfm_list_fn fn, void *arg)
{
	bool generic = !strcmp(pmu->name, GENERIC);
	int i;

	for (i = pmu->first_event; i != -1; i = pfm_get_event_next(i)) {
		pfm_event_info_t info = { .size = sizeof(info) };
		struct perfgrp_counter counter = { 0 };
		char name[128];

		if (pfm_get_event_info(i, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS)
			continue;
		if (!generic) {
			list_native_event(pmu, &info, fn, arg);
			continue;
		}
		/* Names with underscores are C's constants, which perf does not take. */
		if (strchr(info.name, '_') || pfm_generic_event(info.name, &counter))
			continue;
		spell(name, sizeof(name), info.name);
		fn(arg, pmu->name, name, info.desc ? info.desc : "", &counter);
	}
}

/**
 * pfm_list - go through all events that libpfm4 knows on this machine
 * @fn: called for each
 * @arg: given to @fn
 */
void pfm_list(pfm_list_fn fn, void *arg)
{
	size_t i;
	int pmu;

	for (i = 0; i < ARRAY_SIZE(missing); i++) {
		const struct perfgrp_counter counter = { .event = missing[i].event };

		fn(arg, GENERIC, missing[i].name, missing[i].desc, &counter);
	}
	if (ready() != PFM_SUCCESS)
		return;
	pfm_for_all_pmus(pmu) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (pfm_get_pmu_info(pmu, &info) != PFM_SUCCESS || !info.is_present ||
		    info.nevents == 0)
			continue;
		/* rNNN is syntax, not an event. */
		if (!strcmp(info.name, "perf_raw"))
			continue;
		list_pmu(&info, fn, arg);
	}
}
