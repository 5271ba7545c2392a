/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine's hardware counters, as found by perf_event_open(2).
 */
#ifndef TESTS_PMU_H
#define TESTS_PMU_H

#include "machine.h"

#define PMU_MANY	32

static inline bool has_hardware_event(uint64_t config)
{
	int fd = peer_open(PERF_TYPE_HARDWARE, config, 0, -1, -1);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static inline bool has_pmu(void)
{
	return has_hardware_event(PERF_COUNT_HW_CPU_CYCLES);
}

/* How many counters of cycles one perf group can have. */
static inline unsigned int pmu_size(void)
{
	unsigned int nr = 0, i;
	int fd[PMU_MANY];

	do {
		fd[nr] = peer_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1,
				   nr ? fd[0] : -1);
		/* The arm driver ignores a disabled leader when it checks whether a group fits. */
		if (nr == 0 && fd[0] >= 0)
			peer_enable(fd[0]);
	} while (fd[nr] >= 0 && ++nr < PMU_MANY);
	for (i = 0; i < nr; i++)
		close(fd[i]);
	REQUIRE_GT(nr, 0);
	return nr;
}

/*
 * Opens NR perf events that need a hardware counter each. They stay until the caller
 * closes FD[], or with FD NULL until the process exits.
 */
static inline void pmu_load(unsigned int nr, pid_t pid, int cpu, int *fd)
{
	unsigned int i;
	int one;

	for (i = 0; i < nr; i++) {
		one = peer_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, pid, cpu, -1);
		REQUIRE_GE(one, 0);
		peer_enable(one);
		if (fd)
			fd[i] = one;
	}
}

/* Opens NR pinned counters on CPU, in FD, disabled. */
static inline void pmu_open_pinned(unsigned int nr, int cpu, int fd[PMU_MANY])
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .pinned = 1,
					.config = PERF_COUNT_HW_CPU_CYCLES };
	unsigned int i;

	for (i = 0; i < nr; i++) {
		fd[i] = peer_open_attr(&attr, -1, cpu, -1);
		REQUIRE_GE(fd[i], 0);
	}
}

static inline void pmu_enable(unsigned int nr, const int fd[PMU_MANY])
{
	while (nr--)
		peer_enable(fd[nr]);
}

static inline void pmu_close(unsigned int nr, const int fd[PMU_MANY])
{
	while (nr--)
		close(fd[nr]);
}

/*
 * Sets the maximum sample rate and keeps the kernel from lowering it. In an emulator, where the
 * time of other CPUs is added to that of an interrupt, the kernel lowers it until little is
 * sampled. It cannot be set while the percentage is 0 or 100.
 */
static inline void set_sample_rate(const char *rate)
{
	write_file("/proc/sys/kernel/perf_cpu_time_max_percent", "50");
	REQUIRE_EQ(write_file("/proc/sys/kernel/perf_event_max_sample_rate", rate), 0);
	write_file("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
}

/* The default. */
static inline void keep_sample_rate(void)
{
	set_sample_rate("100000");
}

#endif /* TESTS_PMU_H */
