// SPDX-License-Identifier: GPL-2.0
/*
 * Create an event: alone, under a leader, or in a cgroup. See perfcore_link.c and perfcore_cgroup.c
 * for the last two.
 *
 * Process context.
 */
#include <linux/err.h>
#include <linux/perf_event.h>

#include "perfcore.h"

/**
 * perfgrp_core_create - create a perf event
 * @request: what is to be created
 *
 * May sleep. Must not be called from a CPU hotplug callback.
 *
 * Return: the event, or an ERR_PTR() from the perf core; ERR_PTR(-EXDEV) if the event was
 * created, but not in the cgroup, or not under the leader (because they have different PMUs, for
 * example).
 */
struct perf_event *perfgrp_core_create(const struct perfgrp_core_request *request)
{
	struct perf_event *event;

	if (request->cgroup)
		event = perfgrp_core_create_in_cgroup(request);
	else if (request->leader)
		event = perfgrp_core_create_supplied(request, -1);
	else
		event = perf_event_create_kernel_counter(request->attr, request->cpu,
							 request->task, request->handler,
							 request->context);
	if (IS_ERR(event) ||
	    ((!request->leader || event->group_leader == request->leader) &&
	     perfgrp_core_is_in_cgroup(event, request->cgroup)))
		return event;
	perf_event_release_kernel(event);
	return ERR_PTR(-EXDEV);
}
