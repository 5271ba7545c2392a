// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoint handlers. Most of the kernel's tracepoints are not exported, but
 * for_each_kernel_tracepoint() finds them by name.
 *
 * Process context. Takes register_lock.
 */
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "tracepoint.h"

#ifdef CONFIG_TRACEPOINTS

/* Protects perfgrp_tracepoint.registered. */
static DEFINE_MUTEX(register_lock);

struct search {
	const char *name;
	struct tracepoint *found;
};

static void compare_name(struct tracepoint *tp, void *data)
{
	struct search *search = data;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

/**
 * perfgrp_tracepoint_find - find one of the kernel's own tracepoints
 * @name: name of the tracepoint
 *
 * Return: the tracepoint, or NULL.
 */
struct tracepoint *perfgrp_tracepoint_find(const char *name)
{
	struct search search = { .name = name };

	for_each_kernel_tracepoint(compare_name, &search);
	return search.found;
}

/**
 * perfgrp_tracepoint_register - register a handler, unless it is registered already
 * @tracepoint: the tracepoint and the handler
 *
 * May sleep.
 *
 * Return: false if there is no such tracepoint, or no memory.
 */
bool perfgrp_tracepoint_register(struct perfgrp_tracepoint *tracepoint)
{
	struct tracepoint *found;
	bool registered;

	mutex_lock(&register_lock);
	if (!tracepoint->registered) {
		found = perfgrp_tracepoint_find(tracepoint->name);
		if (found && !tracepoint_probe_register(found, tracepoint->handler, NULL))
			tracepoint->registered = found;
	}
	registered = tracepoint->registered;
	mutex_unlock(&register_lock);
	return registered;
}

/**
 * perfgrp_tracepoint_unregister - undo perfgrp_tracepoint_register(), if it was called
 * @tracepoint: as for perfgrp_tracepoint_register(); nobody needs the handler any more
 *
 * May sleep. When this returns the handler no longer runs.
 */
void perfgrp_tracepoint_unregister(struct perfgrp_tracepoint *tracepoint)
{
	if (!tracepoint->registered)
		return;
	tracepoint_probe_unregister(tracepoint->registered, tracepoint->handler, NULL);
	tracepoint_synchronize_unregister();
	tracepoint->registered = NULL;
}

#else /* CONFIG_TRACEPOINTS */

struct tracepoint *perfgrp_tracepoint_find(const char *name)
{
	return NULL;
}

bool perfgrp_tracepoint_register(struct perfgrp_tracepoint *tracepoint)
{
	return false;
}

void perfgrp_tracepoint_unregister(struct perfgrp_tracepoint *tracepoint)
{
}

#endif /* CONFIG_TRACEPOINTS */
