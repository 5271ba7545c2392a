// SPDX-License-Identifier: GPL-2.0
/* --switch-output and --max-size: when a file ends, and how it is then renamed and kept. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record.h"

#define NSEC_PER_10MS	10000000L

/* Parses a number followed by one of @letters. */
static int parse_unit(const char *text, const char *letters, const __u64 *units, __u64 *value)
{
	const char *letter;
	char *end;
	__u64 n;

	if (parse_u64(text, 10, &end, &n) || !n || !*end || end[1])
		return -EINVAL;
	letter = strchr(letters, *end);
	if (!letter || __builtin_mul_overflow(n, units[letter - letters], value))
		return -EINVAL;
	return 0;
}

static int parse_bytes(const char *text, __u64 *size)
{
	static const __u64 units[] = { 1, 1 << 10, 1 << 20, 1 << 30 };

	return parse_unit(text, "BKMG", units, size);
}

static int parse_time(const char *text, __u64 *ns)
{
	static const __u64 units[] = {
		NSEC_PER_SEC, 60 * NSEC_PER_SEC, 3600 * NSEC_PER_SEC, 86400 * NSEC_PER_SEC,
	};

	return parse_unit(text, "smhd", units, ns);
}

/**
 * record_parse_max_size - parse the argument of --max-size
 * @text: a size
 * @size: filled in
 *
 * Return: 0, or a negative errno after printing an error
 */
int record_parse_max_size(const char *text, __u64 *size)
{
	if (!parse_bytes(text, size))
		return 0;
	error("--max-size: '%s' is not a size such as 512K: a number and B, K, M or G", text);
	return -EINVAL;
}

/**
 * record_parse_switch - parse the argument of --switch-output
 * @text: when to switch; NULL: at SIGUSR2
 * @to: filled in
 *
 * Return: 0, or a negative errno after printing an error
 */
int record_parse_switch(const char *text, struct record_switch *to)
{
	to->on = true;
	to->on_signal = !text || !strcmp(text, "signal");
	if (to->on_signal || !parse_bytes(text, &to->size) || !parse_time(text, &to->period))
		return 0;
	error("--switch-output: '%s' is not \"signal\", a size such as 512K, or a time such as 30s",
	      text);
	return -EINVAL;
}

/* perf's names for files: FILE.YYYYMMDDhhmmss and hundredths of the second. */
static char *new_name(const char *file)
{
	struct timespec now;
	char text[32] = "";
	unsigned int n = 1;
	struct tm tm;
	char *name;

	clock_gettime(CLOCK_REALTIME, &now);
	if (localtime_r(&now.tv_sec, &tm))
		strftime(text, sizeof(text), "%Y%m%d%H%M%S", &tm);
	name = xasprintf("%s.%s%02ld", file, text, now.tv_nsec / NSEC_PER_10MS);
	/* In perf, a second file in the same hundredth replaces the first. */
	while (!access(name, F_OK)) {
		free(name);
		name = xasprintf("%s.%s%02ld-%u", file, text, now.tv_nsec / NSEC_PER_10MS, ++n);
	}
	return name;
}

/* Remembers a file's name, and removes the oldest file if there are more than max_files. */
static void keep(struct record_switch *to, char *name)
{
	char **oldest;

	if (!to->max_files) {
		free(name);
		return;
	}
	oldest = &to->names[to->nr++ % to->max_files];
	if (*oldest && unlink(*oldest))
		error("cannot remove %s: %s", *oldest, strerror(errno));
	free(*oldest);
	*oldest = name;
}

/**
 * record_switch_begin - start with the first file
 * @to: --switch-output
 * @now: in ns of CLOCK_MONOTONIC
 */
void record_switch_begin(struct record_switch *to, __u64 now)
{
	if (to->max_files)
		to->names = xcalloc(to->max_files, sizeof(*to->names));
	to->next = to->period ? now + to->period : ENDING_NEVER;
}

/**
 * record_switch_due - whether it is time for another file
 * @to: after record_switch_begin()
 * @now: in ns of CLOCK_MONOTONIC
 * @bytes: number of bytes recorded into the file so far
 *
 * Return: true if so; if the period was over, the next one begins
 */
bool record_switch_due(struct record_switch *to, __u64 now, __u64 bytes)
{
	if (now >= to->next) {
		to->next = now + to->period;
		return true;
	}
	return to->size && bytes >= to->size;
}

/**
 * record_switch_rename - rename a complete file
 * @to: after record_switch_begin()
 * @file: its current name
 *
 * Return: 0 after printing its name, or a negative errno after printing an error
 */
int record_switch_rename(struct record_switch *to, const char *file)
{
	char *name = new_name(file);

	if (rename(file, name)) {
		error("cannot rename %s to %s: %s", file, name, strerror(errno));
		free(name);
		return -EIO;
	}
	fprintf(stderr, "[ perfgrp record: Dump %s ]\n", name);
	keep(to, name);
	return 0;
}

void record_switch_free(struct record_switch *to)
{
	unsigned int i;

	for (i = 0; to->names && i < to->max_files; i++)
		free(to->names[i]);
	free(to->names);
}
