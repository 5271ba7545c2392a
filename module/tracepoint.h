/* SPDX-License-Identifier: GPL-2.0 */
/* Handlers on the kernel's tracepoints that are not exported. */
#ifndef PERFGRP_TRACEPOINT_H
#define PERFGRP_TRACEPOINT_H

#include <linux/types.h>

struct tracepoint;

/**
 * struct perfgrp_tracepoint - a tracepoint and its handler
 * @name: name of the tracepoint; constant
 * @handler: a function with the tracepoint's parameters, after a void *; constant
 * @registered: the tracepoint, while @handler is registered (tracepoint.c's lock)
 * @nr_users: of perfgrp_tracepoint_get() (tracepoint.c's lock)
 */
struct perfgrp_tracepoint {
	const char *name;
	void *handler;
	struct tracepoint *registered;
	unsigned int nr_users;
};

struct tracepoint *perfgrp_tracepoint_find(const char *name);
bool perfgrp_tracepoint_register(struct perfgrp_tracepoint *tracepoint);
void perfgrp_tracepoint_unregister(struct perfgrp_tracepoint *tracepoint);
bool perfgrp_tracepoint_get(struct perfgrp_tracepoint *tracepoint);
void perfgrp_tracepoint_put(struct perfgrp_tracepoint *tracepoint);
void perfgrp_tracepoint_exit(void);

#endif /* PERFGRP_TRACEPOINT_H */
