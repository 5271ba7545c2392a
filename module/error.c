// SPDX-License-Identifier: GPL-2.0
/*
 * Errors: why a call fails, for its struct perfgrp_error.
 *
 * No state, no locks. Process context.
 */
#include <linux/kernel.h>
#include <linux/stdarg.h>
#include <linux/string.h>

#include "error.h"

/**
 * perfgrp_fail - note why a call fails
 * @err: filled in; its member and cpu are the caller's to set
 * @ret: a negative errno
 * @reason: enum perfgrp_reason
 * @field: the field that is wrong, or ""
 * @fmt: a line of English, without a newline
 *
 * Return: @ret
 */
int perfgrp_fail(struct perfgrp_error *err, int ret, enum perfgrp_reason reason, const char *field,
		 const char *fmt, ...)
{
	va_list args;
	int length;

	err->error = -ret;
	err->reason = reason;
	strscpy_pad(err->field, field, sizeof(err->field));
	va_start(args, fmt);
	length = vscnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	memset(err->text + length, 0, sizeof(err->text) - length);
	return ret;
}

/**
 * perfgrp_fail_memory - note that a call fails for lack of memory
 * @err: filled in
 *
 * Return: -ENOMEM
 */
int perfgrp_fail_memory(struct perfgrp_error *err)
{
	return perfgrp_fail(err, -ENOMEM, PERFGRP_REASON_MEMORY, "", "out of memory");
}

/**
 * perfgrp_fail_task_event - note that the perf core refused an event of a task that is no member
 * @err: filled in
 * @ret: the errno
 * @field: the field that asked for the event, or ""
 * @what: what the event is for
 *
 * Return: @ret
 */
int perfgrp_fail_task_event(struct perfgrp_error *err, int ret, const char *field, const char *what)
{
	if (ret == -ENOMEM)
		return perfgrp_fail_memory(err);
	if (ret == -ESRCH)
		return perfgrp_fail(err, ret, PERFGRP_REASON_PID, "pid", "the task has exited");
	return perfgrp_fail(err, ret, PERFGRP_REASON_KERNEL, field,
			    "the perf core refused the event that %s (errno %d)", what, -ret);
}
