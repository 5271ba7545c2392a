/* SPDX-License-Identifier: GPL-2.0 */
/* Add the events of a command line to perfgrp groups. */
#ifndef PERFGRP_COUNTERS_H
#define PERFGRP_COUNTERS_H

#include "events.h"
#include "perfgrp.h"
#include "target.h"

struct perfgrp_counter *counters_make(const struct event_group *events,
				      const struct target *target);
int counters_add(struct perfgrp_group *fd, struct perfgrp_counter *counters,
		 const struct event_group *events);
void counters_say_why(const char *what, const struct event_group *events,
		      const struct perfgrp_error *why);
int counters_cpus(const struct event_group *events, const struct target *target,
		  struct numbers *cpus);

#endif /* PERFGRP_COUNTERS_H */
