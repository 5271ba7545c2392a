// SPDX-License-Identifier: GPL-2.0
/* The machine's PMUs. */
#include <stdlib.h>
#include <string.h>

#include "pmu.h"

static int add_pmu(void *arg, const struct perfgrp_pmu *pmu)
{
	struct pmu_list *list = arg;
	struct pmu *to;

	GROW(list->pmus, list->nr, list->room);
	to = &list->pmus[list->nr++];
	to->name = xstrdup(pmu->name);
	to->cpus = pmu->cpus ? xstrdup(pmu->cpus) : NULL;
	to->type = pmu->type;
	return 0;
}

/**
 * pmu_list_open - list all PMUs
 * @list: filled in; end with pmu_list_close()
 */
void pmu_list_open(struct pmu_list *list)
{
	memset(list, 0, sizeof(*list));
	if (perfgrp_list_pmus(NULL, add_pmu, list))
		xcheck(NULL);
}

void pmu_list_close(struct pmu_list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		free(list->pmus[i].name);
		free(list->pmus[i].cpus);
	}
	free(list->pmus);
	memset(list, 0, sizeof(*list));
}

/* Returns the name of the PMU with a type, or "pmu TYPE"; to be freed. */
char *pmu_find_name(__u32 type)
{
	struct pmu_list list;
	char *name = NULL;
	size_t i;

	pmu_list_open(&list);
	for (i = 0; i < list.nr && !name; i++)
		if (list.pmus[i].type == type)
			name = xstrdup(list.pmus[i].name);
	pmu_list_close(&list);
	return name ? name : xasprintf("pmu %u", type);
}

static bool is_of_cpus(const char *pmu)
{
	return !strcmp(pmu, "cpu") || !strncmp(pmu, "cpu_", strlen("cpu_")) ||
	       !strncmp(pmu, "armv", strlen("armv"));
}

/* Returns the name of a CPU PMU, to be freed; NULL if there is none. */
char *pmu_find_cpus(void)
{
	struct pmu_list list;
	char *name = NULL;
	size_t i;

	pmu_list_open(&list);
	for (i = 0; i < list.nr && !name; i++)
		if (is_of_cpus(list.pmus[i].name))
			name = xstrdup(list.pmus[i].name);
	pmu_list_close(&list);
	return name;
}
