// SPDX-License-Identifier: GPL-2.0
/*
 * load_failing MODULE: loads perfgrp, which is not loaded, with one of its last allocations
 * failing, then with an earlier one, and so on, until loading has failed a few times. The last
 * allocations are those of the device. Whatever the module leaves registered with the kernel is
 * then in memory that is freed.
 *
 * Needs a kernel with fault injection, as test_faults.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define DEBUGFS		"/sys/kernel/debug/"
#define STATES		"/sys/devices/system/cpu/hotplug/states"
#define MANY		1000000
#define FAILURES	3
/* Making a device takes dozens of allocations: one in five will do. */
#define STEP		5
#define MAX_LOADS	60

static void require(int condition, const char *what)
{
	if (condition)
		return;
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_file(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	require(fd >= 0, path);
	return fd;
}

/* All slab allocations may fail, and failures are not logged. */
static void prepare_faults(void)
{
	static const char *const zero[] = {
		DEBUGFS "failslab/ignore-gfp-wait",
		DEBUGFS "failslab/verbose",
		DEBUGFS "fail_page_alloc/verbose",
		DEBUGFS "fail_usercopy/verbose",
	};
	unsigned int i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(zero); i++) {
		fd = open_file(zero[i], O_WRONLY);
		require(write(fd, "0", 1) == 1, zero[i]);
		close(fd);
	}
}

static void *read_module(const char *path, size_t *size)
{
	int fd = open_file(path, O_RDONLY);
	struct stat stat;
	ssize_t length;
	char *image;

	require(!fstat(fd, &stat), path);
	image = malloc(stat.st_size);
	require(!!image, path);
	for (*size = 0; *size < (size_t)stat.st_size; *size += length) {
		length = read(fd, image + *size, stat.st_size - *size);
		require(length > 0, path);
	}
	close(fd);
	return image;
}

/*
 * Loads the module, with the NTH allocation or copy of this thread failing. Returns 0 or an errno,
 * and in LEFT how many more there should have been; 0 if one has failed.
 */
static int load(const void *image, size_t size, int nth, int *left)
{
	int fd = open_file(FAIL_NTH, O_RDWR), error = 0, tries = 0, length;
	char text[16] = "";

	length = snprintf(text, sizeof(text), "%d", nth);
	require(pwrite(fd, text, length, 0) == length, FAIL_NTH);
	if (syscall(SYS_init_module, image, size, ""))
		error = errno;
	length = pread(fd, text, sizeof(text) - 1, 0);
	/* Reading and writing the file are copies, too, and may be the one that fails. */
	while (pwrite(fd, "0", 1, 0) != 1)
		require(++tries < 10, FAIL_NTH);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	*left = atoi(text);
	return error;
}

static void unload(void)
{
	require(!syscall(SYS_delete_module, "perfgrp", O_NONBLOCK), "unload");
}

/* The kernel reads the names of the states, which are in the module's memory. */
static void check_states(void)
{
	FILE *file = fopen(STATES, "re");
	char line[256];

	require(!!file, STATES);
	while (fgets(line, sizeof(line), file)) {
		if (!strstr(line, "perfgrp"))
			continue;
		printf("left behind: %s", line);
		exit(1);
	}
	fclose(file);
}

int main(int argc, char **argv)
{
	int nth, left, error, failures = 0, loads = 0;
	size_t size;
	void *image;

	if (argc != 2)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	prepare_faults();
	image = read_module(argv[1], &size);
	errno = load(image, size, MANY, &left);
	require(!errno, "load");
	unload();
	for (nth = MANY - left; failures < FAILURES && nth > 0; nth -= STEP) {
		require(loads++ < MAX_LOADS, "not enough failures");
		error = load(image, size, nth, &left);
		if (!error) {
			unload();
			continue;
		}
		printf("allocation %d: %s\n", nth, strerror(error));
		failures++;
		check_states();
	}
	return failures == FAILURES ? 0 : 1;
}
