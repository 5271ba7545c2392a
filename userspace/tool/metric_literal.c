// SPDX-License-Identifier: GPL-2.0
/* Literals in the expressions of metrics, which describe the machine, such as #smt_on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aggr.h"
#include "metric_list.h"
#include "pmu.h"
#include "util.h"

static double file_number(const char *path, int base)
{
	char *text = read_file("%s", path), *end;
	__u64 n;
	double value = NAN;

	if (text && !parse_u64(text, base, &end, &n))
		value = n;
	free(text);
	return value;
}

static bool smt_is_on(void)
{
	return file_number("/sys/devices/system/cpu/smt/active", 10) == 1;
}

/* Returns the number of places (cores, dies, ...) of all CPUs. */
static double count_places(enum aggr_mode mode)
{
	struct aggr aggr = { .mode = mode };
	struct numbers cpus = { 0 };
	double nr;
	size_t i;

	cpus_online(&cpus);
	for (i = 0; i < cpus.nr; i++)
		aggr_of_cpu(&aggr, cpus.n[i]);
	nr = aggr.nr;
	aggr_clear(&aggr);
	numbers_free(&cpus);
	return nr;
}

static double count_cpus(const char *path)
{
	struct numbers cpus = { 0 };
	char *text = read_file("%s", path);
	double nr = NAN;

	if (text && !numbers_parse(&cpus, text, true) && cpus.nr)
		nr = cpus.nr;
	numbers_free(&cpus);
	free(text);
	return nr;
}

/* In Hz. The kernel does not export tsc_khz; Intel's model name has the nominal frequency. */
static double tsc_frequency(void)
{
	char *text = read_file("/proc/cpuinfo"), *line, *at;
	double ghz = NAN;

	line = text ? strstr(text, "model name") : NULL;
	if (line) {
		line[strcspn(line, "\n")] = '\0';
		at = strrchr(line, '@');
		if (at && strstr(at, "GHz"))
			ghz = strtod(at + 1, NULL);
	}
	free(text);
	return ghz * 1e9;
}

/* The PMU's caps/slots on arm64. */
static double pmu_slots(void)
{
	struct pmu_list pmus;
	double slots = NAN;
	size_t i;

	pmu_list_open(&pmus);
	for (i = 0; i < pmus.nr && isnan(slots); i++) {
		char *path = xasprintf("/sys/bus/event_source/devices/%s/caps/slots",
				       pmus.pmus[i].name);

		slots = file_number(path, 16);
		free(path);
	}
	pmu_list_close(&pmus);
	return slots;
}

enum literal {
	NUM_CPUS, NUM_CPUS_ONLINE, NUM_CORES, NUM_DIES, NUM_PACKAGES, SMT_ON, CORE_WIDE, SLOTS,
	TSC_FREQ, HAS_PMEM,
};

static const char *const names[] = {
	[NUM_CPUS] = "num_cpus", [NUM_CPUS_ONLINE] = "num_cpus_online",
	[NUM_CORES] = "num_cores", [NUM_DIES] = "num_dies", [NUM_PACKAGES] = "num_packages",
	[SMT_ON] = "smt_on", [CORE_WIDE] = "core_wide", [SLOTS] = "slots",
	[TSC_FREQ] = "system_tsc_freq", [HAS_PMEM] = "has_pmem",
};

/* Ignores case: the tables have some of them in capitals. */
static int find(const char *name)
{
	int i;

	for (i = 0; i < (int)ARRAY_SIZE(names); i++)
		if (!strcasecmp(names[i], name))
			return i;
	return -1;
}

/* Is there a literal of that name? */
bool metric_is_literal(const char *name)
{
	return find(name) >= 0;
}

/**
 * metric_literal - get the value of a literal
 * @list: the metrics
 * @name: the literal, without '#'
 *
 * Return: the value; NAN if it is not known
 */
double metric_literal(const struct metric_list *list, const char *name)
{
	switch (find(name)) {
	case NUM_CPUS:
		return count_cpus("/sys/devices/system/cpu/present");
	case NUM_CPUS_ONLINE:
		return count_cpus("/sys/devices/system/cpu/online");
	case NUM_CORES:
		return count_places(AGGR_CORE);
	case NUM_DIES:
		return count_places(AGGR_DIE);
	case NUM_PACKAGES:
		return count_places(AGGR_SOCKET);
	case SMT_ON:
		return smt_is_on();
	case CORE_WIDE:
		return list->core_wide;
	case SLOTS:
		return pmu_slots();
	case TSC_FREQ:
		return tsc_frequency();
	case HAS_PMEM:
		return !access("/sys/firmware/acpi/tables/NFIT", F_OK);
	}
	return NAN;
}

/* Is this one of the times in seconds that are not counted by an event? */
bool metric_is_time(const char *name)
{
	return !strcmp(name, "duration_time") || !strcmp(name, "user_time") ||
	       !strcmp(name, "system_time");
}
