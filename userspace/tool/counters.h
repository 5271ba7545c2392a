/* SPDX-License-Identifier: GPL-2.0 */
/* From events to the counters of a group of the module. */
#ifndef PERFGRP_COUNTERS_H
#define PERFGRP_COUNTERS_H

#include "events.h"
#include "target.h"

struct perfgrp_counter *counters_make(const struct event_group *events, bool all_user,
				      bool all_kernel);
bool counters_count_guests(struct perfgrp_counter *counters, const struct event_group *events,
			   const struct perfgrp_error *why);
int counters_cpus(const struct event_group *events, const struct target *target,
		  struct numbers *cpus);
bool counters_allow_more(void);

#endif /* PERFGRP_COUNTERS_H */
