/* SPDX-License-Identifier: GPL-2.0 */
/* Letting the kernel's allocations, and copies from and to user memory, fail. */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H

#include "machine.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define DEBUGFS		"/sys/kernel/debug/"

static int fail_nth = -1;

/* Needs CONFIG_FAULT_INJECTION and related options. */
static inline bool can_fail(void)
{
	return !access(FAIL_NTH, W_OK) && !access(DEBUGFS "failslab", F_OK) &&
	       !access(DEBUGFS "fail_page_alloc", F_OK) && !access(DEBUGFS "fail_usercopy", F_OK);
}

/* All allocations may fail, including those that may sleep, and failures are not logged. */
static inline void prepare_faults(void)
{
	static const char *const zero[] = {
		"failslab/ignore-gfp-wait", "failslab/verbose",
		"fail_page_alloc/ignore-gfp-wait", "fail_page_alloc/ignore-gfp-highmem",
		"fail_page_alloc/min-order", "fail_page_alloc/verbose",
		"fail_usercopy/verbose",
	};
	char path[128];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(zero); i++) {
		snprintf(path, sizeof(path), DEBUGFS "%s", zero[i]);
		REQUIRE_EQ(write_file(path, "0"), 0);
	}
	fail_nth = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	REQUIRE(fail_nth >= 0);
}

/* The NTH allocation or copy of the thread that called prepare_faults(), from here, fails. */
static inline void faults_on(unsigned int nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", nth);

	REQUIRE_EQ(pwrite(fail_nth, text, length, 0), length);
}

/* Returns whether it has failed. */
static inline bool faults_off(void)
{
	char text[16] = "";
	ssize_t length = pread(fail_nth, text, sizeof(text) - 1, 0);
	unsigned int tries = 0;

	/* Reading and writing the file are copies, too, and may be the one that fails. */
	while (pwrite(fail_nth, "0", 1, 0) != 1)
		REQUIRE(++tries < 10);
	return length > 0 && atoi(text) == 0;
}

#endif /* TESTS_FAULTS_H */
