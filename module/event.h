/* SPDX-License-Identifier: GPL-2.0 */
/* Events: names and encodings, without state. */
#ifndef PERFGRP_EVENT_H
#define PERFGRP_EVENT_H

#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

struct perf_event_attr;

/* Longest name of an event, with its NUL. */
#define PERFGRP_EVENT_NAME_LEN 64

int perfgrp_event_to_attr(const struct perfgrp_counter *desc, struct perf_event_attr *attr,
			  struct perfgrp_error *err);
const char *perfgrp_event_name(const struct perfgrp_counter *desc,
			       char name[PERFGRP_EVENT_NAME_LEN]);
const char *perfgrp_event_sample_field(const struct perfgrp_counter *desc);
bool perfgrp_event_is_software(const struct perf_event_attr *attr);

#endif /* PERFGRP_EVENT_H */
