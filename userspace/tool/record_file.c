// SPDX-License-Identifier: GPL-2.0
/* The file that records are written to. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record.h"

/* Keeps one old file, as perf does. */
static void keep_old(const char *file)
{
	struct stat st;
	char *old;

	if (stat(file, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	old = xasprintf("%s.old", file);
	rename(file, old);
	free(old);
}

/* Like perf's files, samples are readable by their owner only. */
static FILE *create(const char *file)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !out)
		close(fd);
	return out;
}

/**
 * record_open_output - open the file; call this only when it is clear that there will be records
 * @rec: its file is opened
 *
 * Return: 0, or a negative errno after printing an error
 */
int record_open_output(struct record *rec)
{
	FILE *out = stdout;

	if (rec->file) {
		keep_old(rec->file);
		out = create(rec->file);
	}
	if (!out) {
		error("cannot write to %s: %s", rec->file, strerror(errno));
		return -errno;
	}
	if (!rec->opt.json && isatty(fileno(out))) {
		error("not writing perf.data to a terminal; use -o FILE");
		return -EINVAL;
	}
	rec->data.out = out;
	rec->data.pipe = !rec->file || fseek(out, 0, SEEK_SET);
	return 0;
}

/**
 * record_close_output - close the file, if one is open
 * @rec: its file is closed, except standard output
 *
 * Return: 0, or -EIO after printing an error
 */
int record_close_output(struct record *rec)
{
	FILE *out = rec->data.out;

	rec->data.out = NULL;
	if (!out || out == stdout || !fclose(out))
		return 0;
	error("cannot write to %s", rec->file);
	return -EIO;
}
