// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the rate of this machine's time-stamp counter in kHz. An emulated x86 has the
 * same counter, but its kernel can calibrate it only with an emulated timer, which is
 * often late on a busy machine.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define NS_PER_SEC	1000000000
#define INTERVAL_NS	100000000
#define TRIES		16

struct moment {
	int64_t ns;
	uint64_t tsc;
};

static int64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

/* Read both clocks at the same time: return the try that took least time. */
static struct moment look(void)
{
	struct moment best = { 0 };
	int64_t least = INT64_MAX;
	int i;

	for (i = 0; i < TRIES; i++) {
		int64_t before = monotonic_ns();
		uint64_t tsc = __rdtsc();
		int64_t after = monotonic_ns();

		if (after - before >= least)
			continue;
		least = after - before;
		best = (struct moment){ .ns = before + least / 2, .tsc = tsc };
	}
	return best;
}

int main(void)
{
	struct timespec interval = { .tv_nsec = INTERVAL_NS };
	struct moment begin = look(), end;

	nanosleep(&interval, NULL);
	end = look();
	printf("%.0f\n", 1e6 * (double)(end.tsc - begin.tsc) / (double)(end.ns - begin.ns));
	return 0;
}
