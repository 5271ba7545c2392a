/* SPDX-License-Identifier: GPL-2.0 */
/* Errors: why a call fails. */
#ifndef PERFGRP_ERROR_H
#define PERFGRP_ERROR_H

#include <linux/compiler_attributes.h>
#include <uapi/linux/perfgrp.h>

/* The error of a call that has not failed yet. */
#define PERFGRP_ERROR_INIT                                                                         \
	{                                                                                          \
		.size = sizeof(struct perfgrp_error), .member = PERFGRP_NONE, .cpu = -1            \
	}

__printf(5, 6) int perfgrp_fail(struct perfgrp_error *err, int ret, enum perfgrp_reason reason,
				const char *field, const char *fmt, ...);
int perfgrp_fail_memory(struct perfgrp_error *err);
int perfgrp_fail_task_event(struct perfgrp_error *err, int ret, const char *field,
			    const char *what);

#endif /* PERFGRP_ERROR_H */
