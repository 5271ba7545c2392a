// SPDX-License-Identifier: GPL-2.0
/* perf.data: the events, as perf_event_attr, and their ids. */
#include <string.h>

#include "perf_data_file.h"

__u64 perf_data_file_id(size_t event, __u32 instance)
{
	return (__u64)instance << 32 | (event + 1);
}

const struct event *perf_data_event(const struct perf_data *data, size_t index)
{
	size_t i;

	for (i = 0; index >= data->list->groups[i].nr; i++)
		index -= data->list->groups[i].nr;
	return &data->list->groups[i].events[index];
}

void perf_data_make_attr(const struct perf_data *data, size_t index, struct perf_event_attr *attr)
{
	const struct perfgrp_counter *counter = &data->counters[index];
	const __u32 flags = counter->flags;

	memset(attr, 0, sizeof(*attr));
	attr->size = PERF_DATA_ATTR_SIZE;
	attr->type = perfgrp_counter_type(counter);
	attr->config = perfgrp_counter_config(counter);
	attr->config1 = counter->config1;
	attr->config2 = counter->config2;
	if (counter->bp_type)
		attr->bp_type = counter->bp_type;
	/*
	 * For a tracepoint perf needs the format of its raw data in each record. Samples here have
	 * no raw data, so store it as a dummy event with the tracepoint's name.
	 */
	if (attr->type == PERF_TYPE_TRACEPOINT) {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_DUMMY;
	}
	attr->sample_period = counter->sample_period;
	attr->freq = !!(flags & PERFGRP_COUNTER_FREQ);
	attr->sample_type = PERFGRP_SAMPLE_TYPE;
	attr->read_format = PERFGRP_READ_FORMAT;
	if (data->no_values) {
		attr->sample_type &= ~(__u64)PERF_SAMPLE_READ;
		attr->read_format = 0;
	}
	attr->sample_id_all = 1;
	attr->exclude_user = !!(flags & PERFGRP_COUNTER_EXCLUDE_USER);
	attr->exclude_kernel = !!(flags & PERFGRP_COUNTER_EXCLUDE_KERNEL);
	attr->exclude_hv = !!(flags & PERFGRP_COUNTER_EXCLUDE_HV);
	attr->exclude_idle = !!(flags & PERFGRP_COUNTER_EXCLUDE_IDLE);
	attr->exclude_host = !!(flags & PERFGRP_COUNTER_EXCLUDE_HOST);
	attr->exclude_guest = !!(flags & PERFGRP_COUNTER_EXCLUDE_GUEST);
	attr->precise_ip = counter->precise_ip;
	if (data->max_stack) {
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr->sample_max_stack = data->max_stack;
		attr->exclude_callchain_kernel = attr->exclude_kernel;
	}
	/* All records that are not samples belong to the first event. */
	if (!index) {
		attr->mmap = 1;
		attr->mmap2 = 1;
		attr->comm = 1;
		attr->comm_exec = 1;
		attr->task = 1;
		attr->ksymbol = 1;
		attr->bpf_event = 1;
		attr->build_id = !data->no_build_ids;
	}
}
