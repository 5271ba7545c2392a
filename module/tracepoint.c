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

/* Protects perfgrp_tracepoint.registered and .nr_users. */
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

static bool register_handler(struct perfgrp_tracepoint *tracepoint)
{
	struct tracepoint *found;

	lockdep_assert_held(&register_lock);

	if (!tracepoint->registered) {
		found = perfgrp_tracepoint_find(tracepoint->name);
		if (found && !tracepoint_probe_register(found, tracepoint->handler, NULL))
			tracepoint->registered = found;
	}
	return tracepoint->registered;
}

static void unregister_handler(struct perfgrp_tracepoint *tracepoint)
{
	lockdep_assert_held(&register_lock);

	if (tracepoint->registered)
		tracepoint_probe_unregister(tracepoint->registered, tracepoint->handler, NULL);
	tracepoint->registered = NULL;
}

/**
 * perfgrp_tracepoint_register - register a handler for good, unless it is registered already
 * @tracepoint: the tracepoint and the handler; perfgrp_tracepoint_get() is not called with it
 *
 * May sleep.
 *
 * Return: false if there is no such tracepoint, or no memory.
 */
bool perfgrp_tracepoint_register(struct perfgrp_tracepoint *tracepoint)
{
	bool registered;

	mutex_lock(&register_lock);
	registered = register_handler(tracepoint);
	mutex_unlock(&register_lock);
	return registered;
}

/**
 * perfgrp_tracepoint_unregister - undo perfgrp_tracepoint_register(), if it was called
 * @tracepoint: as for perfgrp_tracepoint_register()
 *
 * May sleep. The handler may still run, until perfgrp_tracepoint_exit() returns.
 */
void perfgrp_tracepoint_unregister(struct perfgrp_tracepoint *tracepoint)
{
	mutex_lock(&register_lock);
	unregister_handler(tracepoint);
	mutex_unlock(&register_lock);
}

/**
 * perfgrp_tracepoint_get - register a handler for one more user
 * @tracepoint: the tracepoint and the handler
 *
 * May sleep.
 *
 * Return: false if there is no such tracepoint, or no memory.
 */
bool perfgrp_tracepoint_get(struct perfgrp_tracepoint *tracepoint)
{
	bool registered;

	mutex_lock(&register_lock);
	registered = register_handler(tracepoint);
	tracepoint->nr_users += registered;
	mutex_unlock(&register_lock);
	return registered;
}

/**
 * perfgrp_tracepoint_put - undo perfgrp_tracepoint_get(); the last user's unregisters the handler
 * @tracepoint: as for perfgrp_tracepoint_get()
 *
 * May sleep, but does not wait for handlers that run, which find no user: each user is hidden
 * from them, and an RCU grace period passes, before this is called.
 */
void perfgrp_tracepoint_put(struct perfgrp_tracepoint *tracepoint)
{
	mutex_lock(&register_lock);
	if (!--tracepoint->nr_users)
		unregister_handler(tracepoint);
	mutex_unlock(&register_lock);
}

/**
 * perfgrp_tracepoint_exit - wait until no handler runs
 *
 * All have been unregistered. May sleep.
 */
void perfgrp_tracepoint_exit(void)
{
	tracepoint_synchronize_unregister();
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

bool perfgrp_tracepoint_get(struct perfgrp_tracepoint *tracepoint)
{
	return false;
}

void perfgrp_tracepoint_put(struct perfgrp_tracepoint *tracepoint)
{
}

void perfgrp_tracepoint_exit(void)
{
}

#endif /* CONFIG_TRACEPOINTS */
