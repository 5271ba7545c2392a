// SPDX-License-Identifier: GPL-2.0
/* Records as JSON, an object a line. */
#include <errno.h>

#include "json.h"
#include "record.h"

static const char *name_of(const struct record_group *group, __u64 id)
{
	size_t i;

	for (i = 0; i < group->source.nr; i++)
		if (group->source.ids[i] == id)
			return group->events->events[i].name;
	return "";
}

/* Addresses have more digits than most readers' numbers. */
static void add_address(struct json_object *to, const char *key, __u64 address)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	json_add_string(to, key, text);
}

static const char *mode_of(__u16 misc)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return "kernel";
	case PERF_RECORD_MISC_USER:
		return "user";
	}
	return "other";
}

static struct json_object *sample_object(const struct record_group *group, __u16 misc,
					 const struct perfgrp_sample *sample)
{
	struct json_object *to = json_object_new_object();
	struct json_object *values = json_object_new_array();
	__u64 i;

	json_add_string(to, "record", "sample");
	json_add_u64(to, "time", sample->time);
	json_add_u64(to, "cpu", sample->cpu);
	json_add_u64(to, "pid", sample->pid);
	json_add_u64(to, "tid", sample->tid);
	json_add_string(to, "event", name_of(group, sample->id));
	json_add_u64(to, "period", sample->period);
	json_add_string(to, "mode", mode_of(misc));
	add_address(to, "ip", sample->ip);
	json_add_u64(to, "time-enabled", sample->time_enabled);
	json_add_u64(to, "time-running", sample->time_running);
	for (i = 0; i < sample->nr; i++) {
		struct json_object *value = json_object_new_object();

		json_add_string(value, "event", name_of(group, sample->values[i].id));
		json_add_u64(value, "raw", sample->values[i].value);
		json_object_array_add(values, value);
	}
	json_object_object_add(to, "values", values);
	return to;
}

static struct json_object *notice_object(const struct record_group *group, __u32 type,
					 const struct perfgrp_notice *notice)
{
	struct json_object *to = json_object_new_object();

	json_add_string(to, "record", type == PERF_RECORD_LOST ? "lost" :
				      type == PERF_RECORD_THROTTLE ? "throttle" : "unthrottle");
	json_add_u64(to, "time", notice->time);
	json_add_u64(to, "cpu", notice->cpu);
	if (type == PERF_RECORD_LOST)
		json_add_u64(to, "lost", notice->lost);
	else
		json_add_string(to, "event", name_of(group, notice->id));
	return to;
}

static const char *what_of(__u16 type)
{
	switch (type) {
	case PERF_BPF_EVENT_PROG_LOAD:
		return "load";
	case PERF_BPF_EVENT_PROG_UNLOAD:
		return "unload";
	case PERFGRP_BPF_EVENT_ATTACH:
		return "attach";
	case PERFGRP_BPF_EVENT_REPLACE:
		return "replace";
	case PERFGRP_BPF_EVENT_DETACH:
		return "detach";
	}
	return "other";
}

static struct json_object *bpf_event_object(const struct record_group *group,
					    const struct perfgrp_bpf_event *event)
{
	struct json_object *to = json_object_new_object();
	char tag[2 * sizeof(event->tag) + 1];
	size_t i;

	for (i = 0; i < sizeof(event->tag); i++)
		snprintf(tag + 2 * i, 3, "%02x", event->tag[i]);
	json_add_string(to, "record", "bpf-event");
	json_add_u64(to, "time", event->time);
	json_add_u64(to, "cpu", event->cpu);
	json_add_u64(to, "pid", event->pid);
	json_add_u64(to, "tid", event->tid);
	json_add_string(to, "what", what_of(event->type));
	json_add_u64(to, "prog-id", event->prog_id);
	json_add_string(to, "tag", tag);
	if (event->id)
		json_add_string(to, "event", name_of(group, event->id));
	return to;
}

/**
 * record_json_print - print one record
 * @out: where to
 * @group: the group that it comes from
 * @record: the record
 *
 * Return: 0, or -EBADMSG where it is none of those that the module has
 */
int record_json_print(FILE *out, const struct record_group *group,
		      const struct perf_event_header *record)
{
	struct perfgrp_sample sample;
	struct perfgrp_bpf_event bpf_event;
	struct perfgrp_notice notice;

	if (!perfgrp_decode_sample(record, &sample))
		json_print(out, sample_object(group, record->misc, &sample), 0);
	else if (!perfgrp_decode_notice(record, &notice))
		json_print(out, notice_object(group, record->type, &notice), 0);
	else if (!perfgrp_decode_bpf_event(record, &bpf_event))
		json_print(out, bpf_event_object(group, &bpf_event), 0);
	else
		return -EBADMSG;
	return 0;
}
