// SPDX-License-Identifier: GPL-2.0
/*
 * The workloads of "perf test -w", under the same names. Debian's perf is stripped, and perf's own
 * tests look for these functions in the recording.
 *	perf_workload noploop [SECONDS]
 *	perf_workload thloop [SECONDS [THREADS]]
 *	perf_workload brstack [LOOPS]
 */
#include "machine.h"

#include <pthread.h>

/* For call chains. */
#pragma GCC optimize("no-omit-frame-pointer")

/* perf's default is a second. Emulation is slow, and this is enough for some 200 samples. */
#define SECONDS		0.05
#define THREADS		2
#define LOOPS		100000

static double end;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static __attribute__((noipa)) void noploop(void)
{
	while (now() < end)
		spin(10000);
}

static __attribute__((noipa)) void test_loop(void)
{
	while (now() < end)
		for (volatile int i = 0; i < 10000; i++)
			;
}

static __attribute__((noipa)) void brstack(unsigned int loops)
{
	for (volatile unsigned int i = 0; i < loops; i++)
		;
}

static void *run_thread(void *arg)
{
	(void)arg;
	test_loop();
	return NULL;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	double number = argc > 2 ? atof(argv[2]) : 0;
	int threads = argc > 3 ? atoi(argv[3]) : THREADS;
	pthread_t thread[16];
	int i;

	end = now() + (number > 0 ? number : SECONDS);
	if (!strcmp(name, "noploop")) {
		noploop();
	} else if (!strcmp(name, "brstack")) {
		brstack(number > 0 ? number : LOOPS);
	} else if (!strcmp(name, "thloop") && threads > 0 && threads <= 16) {
		for (i = 1; i < threads; i++)
			pthread_create(&thread[i], NULL, run_thread, NULL);
		test_loop();
		for (i = 1; i < threads; i++)
			pthread_join(thread[i], NULL);
	} else {
		fprintf(stderr, "perf_workload: there is no '%s'\n", name);
		return 1;
	}
	return 0;
}
