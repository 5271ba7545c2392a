/* SPDX-License-Identifier: GPL-2.0 */
/* Event names from libpfm4. */
#ifndef PERFGRP_PFM_H
#define PERFGRP_PFM_H

#include <stdbool.h>

#include <linux/perfgrp.h>

/**
 * struct pfm_event - an event as libpfm4 encodes it, with what its attributes ask for
 * @counter: the counter
 * @machines_named: mh and mg have said whether to count the host or guests
 * @sample: period or freq, or 0
 * @freq: @sample is a frequency
 * @pinned: pinned
 * @exclusive: excl
 */
struct pfm_event {
	struct perfgrp_counter counter;
	bool machines_named;
	__u64 sample;
	bool freq;
	bool pinned;
	bool exclusive;
};

/* The generic events that perf has names for: cycles, page-faults, LLC-loads... */
int pfm_generic_event(const char *name, struct perfgrp_counter *counter);

/* An event of this machine's own PMUs, with libpfm4's attributes and modifiers. */
int pfm_native_event(const char *text, struct pfm_event *event, const char **why);

/**
 * typedef pfm_list_fn - called for each event that libpfm4 knows on this machine
 * @arg: as given to pfm_list()
 * @pmu: name of the event's PMU in libpfm4; "perf" for generic events
 * @name: the event's name, as perf spells it where it is a generic one, with its unit mask
 * @desc: what it counts
 * @counter: its encoding
 */
typedef void (*pfm_list_fn)(void *arg, const char *pmu, const char *name, const char *desc,
			    const struct perfgrp_counter *counter);

void pfm_list(pfm_list_fn fn, void *arg);

#endif /* PERFGRP_PFM_H */
