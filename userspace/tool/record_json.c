// SPDX-License-Identifier: GPL-2.0
/* Records as JSON, one object on each line. */
#include <errno.h>

#include <linux/bpf.h>

#include "bpf.h"
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

/* Addresses are strings, since they exceed the precision of numbers in most JSON parsers. */
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

/* Innermost function first; each has the mode of the last PERF_CONTEXT_* before it. */
static struct json_object *callchain_array(const struct perfgrp_sample *sample)
{
	struct json_object *to = json_object_new_array();
	const char *mode = "other";
	__u64 i;

	for (i = 0; i < sample->nr_ips; i++) {
		const __u64 ip = sample->ips[i];
		struct json_object *object;

		if (ip >= (__u64)PERF_CONTEXT_MAX) {
			mode = ip == (__u64)PERF_CONTEXT_KERNEL ? "kernel" :
			       ip == (__u64)PERF_CONTEXT_USER	? "user" : "other";
			continue;
		}
		object = json_object_new_object();
		json_add_string(object, "mode", mode);
		add_address(object, "ip", ip);
		json_object_array_add(to, object);
	}
	return to;
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
	if (cgroup_of(group->events))
		json_add_string(to, "cgroup", cgroup_of(group->events)->name);
	json_add_u64(to, "period", sample->period);
	json_add_string(to, "mode", mode_of(misc));
	add_address(to, "ip", sample->ip);
	json_add_u64(to, "time-enabled", sample->time_enabled);
	json_add_u64(to, "time-running", sample->time_running);
	for (i = 0; i < sample->nr; i++) {
		const struct perfgrp_sample_value value = perfgrp_sample_value_at(sample, i);
		struct json_object *object = json_object_new_object();

		json_add_string(object, "event", name_of(group, value.id));
		json_add_u64(object, "raw", value.value);
		json_object_array_add(values, object);
	}
	json_object_object_add(to, "values", values);
	if (group->source.layout.sample_type & PERF_SAMPLE_CALLCHAIN)
		json_object_object_add(to, "callchain", callchain_array(sample));
	return to;
}

static struct json_object *new_object(const char *record, const struct perfgrp_sample_id *sample_id)
{
	struct json_object *to = json_object_new_object();

	json_add_string(to, "record", record);
	json_add_u64(to, "time", sample_id->time);
	/* Lost records of BPF programs have no CPU. */
	if (sample_id->cpu != (__u32)-1)
		json_add_u64(to, "cpu", sample_id->cpu);
	return to;
}

static struct json_object *lost_object(const struct perfgrp_record_lost *lost)
{
	struct json_object *to = new_object("lost", &lost->sample_id);

	json_add_u64(to, "lost", lost->lost);
	return to;
}

static struct json_object *throttle_object(const struct record_group *group,
					   const struct perfgrp_record_throttle *throttle)
{
	const bool begins = throttle->header.type == PERF_RECORD_THROTTLE;
	struct json_object *to = new_object(begins ? "throttle" : "unthrottle",
					    &throttle->sample_id);

	json_add_string(to, "event", name_of(group, throttle->id));
	return to;
}

static struct json_object *bpf_object(const struct perfgrp_sample_id *sample_id, const char *what,
				      __u32 prog_id, const __u8 *tag)
{
	struct json_object *to = new_object("bpf-event", sample_id);
	char text[2 * BPF_TAG_SIZE + 1];

	bpf_tag_text(text, tag);
	json_add_u64(to, "pid", sample_id->pid);
	json_add_u64(to, "tid", sample_id->tid);
	json_add_string(to, "what", what);
	json_add_u64(to, "prog-id", prog_id);
	json_add_string(to, "tag", text);
	return to;
}

static struct json_object *bpf_event_object(const struct perfgrp_record_bpf_event *event)
{
	const char *what = event->type == PERF_BPF_EVENT_PROG_LOAD ? "load" :
			   event->type == PERF_BPF_EVENT_PROG_UNLOAD ? "unload" : "other";

	return bpf_object(&event->sample_id, what, event->prog_id, event->tag);
}

static struct json_object *bpf_attach_object(const struct record_group *group,
					     const struct perfgrp_record_bpf_attach *attach)
{
	const char *what = attach->header.type == PERFGRP_RECORD_BPF_ATTACH ? "attach" :
			   attach->header.type == PERFGRP_RECORD_BPF_REPLACE ? "replace" : "detach";
	struct json_object *to = bpf_object(&attach->sample_id, what, attach->prog_id, attach->tag);

	json_add_string(to, "event", name_of(group, attach->id));
	return to;
}

/* Returns NULL if it is not a record of the module. */
static struct json_object *other_object(const struct record_group *group,
					const union perfgrp_record *record)
{
	switch (record->header.type) {
	case PERF_RECORD_LOST:
		return lost_object(&record->lost);
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return throttle_object(group, &record->throttle);
	case PERF_RECORD_BPF_EVENT:
		return bpf_event_object(&record->bpf_event);
	case PERFGRP_RECORD_BPF_ATTACH:
	case PERFGRP_RECORD_BPF_REPLACE:
	case PERFGRP_RECORD_BPF_DETACH:
		return bpf_attach_object(group, &record->bpf_attach);
	}
	return NULL;
}

/**
 * record_json_print - print one record
 * @out: where to
 * @group: the group that it comes from
 * @record: the record
 *
 * Return: 0, or -EBADMSG if it is not a record of the module
 */
int record_json_print(FILE *out, const struct record_group *group,
		      const struct perf_event_header *record)
{
	const struct perfgrp_layout *layout = &group->source.layout;
	struct json_object *object = NULL;
	struct perfgrp_sample sample;
	union perfgrp_record other;

	if (!perfgrp_decode_sample(layout, record, &sample, sizeof(sample)))
		object = sample_object(group, record->misc, &sample);
	else if (!perfgrp_decode_record(layout, record, &other, sizeof(other)))
		object = other_object(group, &other);
	if (!object)
		return -EBADMSG;
	json_print(out, object, 0);
	return 0;
}
