/* SPDX-License-Identifier: GPL-2.0 */
/* From a counter back to an event's name. */
#ifndef PERFGRP_EVENT_NAME_H
#define PERFGRP_EVENT_NAME_H

#include "events.h"

char *event_name(const struct perfgrp_counter *counter, const struct event_sources *sources);

#endif /* PERFGRP_EVENT_NAME_H */
