// SPDX-License-Identifier: GPL-2.0
/*
 * Handlers on tracepoints. Most of the kernel's tracepoints are not exported, but
 * for_each_kernel_tracepoint() finds them by their names. A handler stays from the first time on
 * that somebody wants it until the module is unloaded.
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
 * perfgrp_tracepoint_register - have a handler called from now on, unless it is already
 * @tracepoint: which, and the handler
 *
 * May sleep.
 *
 * Return: false if there is no such tracepoint, or no memory.
 */
bool perfgrp_tracepoint_register(struct perfgrp_tracepoint *tracepoint)
{
	struct search search = { .name = tracepoint->name };
	bool registered;

	mutex_lock(&register_lock);
	if (!tracepoint->registered) {
		for_each_kernel_tracepoint(compare_name, &search);
		if (search.found &&
		    !tracepoint_probe_register(search.found, tracepoint->handler, NULL))
			tracepoint->registered = search.found;
	}
	registered = tracepoint->registered;
	mutex_unlock(&register_lock);
	return registered;
}

/**
 * perfgrp_tracepoint_unregister - undo perfgrp_tracepoint_register(), if it was called
 * @tracepoint: as there; nobody wants it any more
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

bool perfgrp_tracepoint_register(struct perfgrp_tracepoint *tracepoint)
{
	return false;
}

void perfgrp_tracepoint_unregister(struct perfgrp_tracepoint *tracepoint)
{
}

#endif /* CONFIG_TRACEPOINTS */
