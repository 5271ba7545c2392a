/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Event names from libpfm4. */
#ifndef PERFGRP_PFM_H
#define PERFGRP_PFM_H

#include "parse.h"

/**
 * struct pfm_event - an event as libpfm4 encodes it, and its attributes
 * @counter: the counter
 * @flags: PERFGRP_EVENT_MACHINES if the attributes mh and mg select guests,
 *	PERFGRP_EVENT_FREQ if @sample is a frequency
 * @sample: attribute period or freq, or 0
 * @pinned: attribute pinned
 * @exclusive: attribute excl
 */
struct pfm_event {
	struct perfgrp_counter counter;
	__u32 flags;
	__u64 sample;
	bool pinned;
	bool exclusive;
};

/* The generic events that perf has names for: cycles, page-faults, LLC-loads... */
int perfgrp_pfm_generic_event(struct pool *pool, const char *name,
			      struct perfgrp_counter *counter);

/* An event of this machine's own PMUs, with libpfm4's attributes and modifiers. */
int perfgrp_pfm_native_event(const char *text, struct pfm_event *event, const char **why);

int perfgrp_pfm_list(struct pool *pool, __u32 kinds, perfgrp_list_event_fn fn, void *arg);

#endif /* PERFGRP_PFM_H */
