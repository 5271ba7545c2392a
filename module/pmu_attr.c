// SPDX-License-Identifier: GPL-2.0
/*
 * The CPU lists in a PMU's sysfs directory /sys/bus/event_source/devices/PMU: the file "cpus" (it
 * counts on these CPUs only) and the file "cpumask" (it counts for several CPUs at once; these are
 * the ones to count on). struct pmu has no field for them, but it has the sysfs attributes.
 *
 * Process context.
 */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "pmu_attr.h"

static struct attribute *find_in_group(const struct pmu *pmu, const struct attribute_group *group,
				       const char *name)
{
	int i;

	for (i = 0; group->attrs && group->attrs[i]; i++) {
		if (strcmp(group->attrs[i]->name, name))
			continue;
		if (group->is_visible && !group->is_visible(&pmu->dev->kobj, group->attrs[i], i))
			return NULL;
		return group->attrs[i];
	}
	return NULL;
}

/* Groups with a name are subdirectories (events, format). */
static struct attribute *find_attr(const struct pmu *pmu,
				   const struct attribute_group *const *groups, const char *name)
{
	struct attribute *attr = NULL;

	for (; groups && *groups && !attr; groups++)
		if (!(*groups)->name)
			attr = find_in_group(pmu, *groups, name);
	return attr;
}

/**
 * perfgrp_pmu_attr_cpus - the CPUs in a sysfs file of a PMU
 * @pmu: the PMU; it is registered
 * @name: the file's name
 * @cpus: set
 *
 * May sleep.
 *
 * Return: false if it has no such file, or there is no memory to read it.
 */
bool perfgrp_pmu_attr_cpus(const struct pmu *pmu, const char *name, struct cpumask *cpus)
{
	struct device_attribute *attr;
	struct attribute *found;
	bool ok = false;
	char *text;

	/* NULL before the bus is registered; an error pointer if the PMU is to have no device. */
	if (IS_ERR_OR_NULL(pmu->dev))
		return false;
	found = find_attr(pmu, pmu->attr_groups, name);
	if (!found)
		found = find_attr(pmu, pmu->attr_update, name);
	if (!found && pmu->dev->bus)
		found = find_attr(pmu, pmu->dev->bus->dev_groups, name);
	if (!found)
		return false;
	attr = container_of(found, struct device_attribute, attr);
	/* show() may assume a whole page. */
	text = (char *)get_zeroed_page(GFP_KERNEL);
	if (!text)
		return false;
	if (attr->show && attr->show(pmu->dev, attr, text) > 0)
		ok = !cpulist_parse(text, cpus);
	free_page((unsigned long)text);
	return ok;
}
