/* SPDX-License-Identifier: GPL-2.0 */
/* Event names from libpfm4. */
#ifndef PERFGRP_PFM_H
#define PERFGRP_PFM_H

#include <linux/perfgrp.h>

/* The generic events that perf has names for: cycles, page-faults, LLC-loads... */
int pfm_generic_event(const char *name, struct perfgrp_counter *counter);

/* An event of this machine's own PMUs, with libpfm4's attributes and modifiers. */
int pfm_native_event(const char *text, struct perfgrp_counter *counter, const char **why);

/**
 * typedef pfm_list_fn - called for each event that libpfm4 knows on this machine
 * @arg: as given to pfm_list()
 * @pmu: name of the event's PMU in libpfm4; "perf" for generic events
 * @name: the event's name, as perf spells it where it is a generic one
 * @desc: what it counts
 * @counter: its encoding; NULL where it has none of its own (it needs a unit mask)
 */
typedef void (*pfm_list_fn)(void *arg, const char *pmu, const char *name, const char *desc,
			    const struct perfgrp_counter *counter);

void pfm_list(pfm_list_fn fn, void *arg);

#endif /* PERFGRP_PFM_H */
