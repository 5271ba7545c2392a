// SPDX-License-Identifier: GPL-2.0
/*
 * perf.data, as perf report and perf script read it.
 *
 *	file		header, records, features, ids, attributes
 *	for pipes	header, attributes with their ids and features as records, records
 *
 * perf keeps a member's last value for each id and takes the difference for what a
 * sample stands for. So an id in the file is one counter: a member on one CPU, or of
 * one thread, while the module's ids are the same on all of them.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd.h"
#include "perf_data.h"
#include "util.h"

/* What perfs from Linux 5.13 on read. None of what came later is used. */
#define ATTR_SIZE		PERF_ATTR_SIZE_VER7

#define MAGIC			"PERFILE2"
/* Strings of features are padded to this. */
#define STRING_ALIGN		64
/* Records of perf's own making. */
#define RECORD_HEADER_ATTR	64
#define RECORD_FINISHED_ROUND	68
#define RECORD_HEADER_FEATURE	80

struct section {
	__u64 offset, size;
};

struct file_header {
	char magic[8];
	__u64 size;
	__u64 attr_size;
	struct section attrs, data, event_types;
	__u64 features[4];
};

struct pipe_header {
	char magic[8];
	__u64 size;
};

/* ---- attributes ----------------------------------------------------------- */

static __u64 file_id(size_t event, __u32 instance)
{
	return (__u64)instance << 32 | (event + 1);
}

static const struct event *event_at(const struct perf_data *data, size_t index)
{
	size_t i;

	for (i = 0; index >= data->list->groups[i].nr; i++)
		index -= data->list->groups[i].nr;
	return &data->list->groups[i].events[index];
}

static void make_attr(const struct perf_data *data, size_t index, struct perf_event_attr *attr)
{
	const struct perfgrp_counter *counter = &data->counters[index];
	const __u32 flags = counter->flags;

	memset(attr, 0, sizeof(*attr));
	attr->size = ATTR_SIZE;
	attr->type = perfgrp_counter_type(counter);
	attr->config = perfgrp_counter_config(counter);
	attr->config1 = counter->config1;
	attr->config2 = counter->config2;
	if (counter->bp_type)
		attr->bp_type = counter->bp_type;
	/*
	 * For a tracepoint perf wants the format of what it left in each record, and
	 * here that is nothing. It has its name.
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
	/* The first event is who all records that are no samples belong to. */
	if (!index) {
		attr->mmap = 1;
		attr->mmap2 = 1;
		attr->comm = 1;
		attr->comm_exec = 1;
		attr->task = 1;
		attr->ksymbol = 1;
		attr->bpf_event = 1;
		attr->build_id = 1;
	}
}

/* ---- writing -------------------------------------------------------------- */

/* Any number of bytes, which need not be a record. */
static void put(struct perf_data *data, const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, data->out) != size)
		data->failed = true;
	data->bytes += size;
}

/**
 * perf_data_write - add a record as it is
 * @data: the file
 * @record: the record, in the form in which it is to be
 * @size: its size
 *
 * perf_data_end() tells of failures.
 */
void perf_data_write(struct perf_data *data, const void *record, size_t size)
{
	put(data, record, size);
}

/**
 * perf_data_finish_round - everything up to some moment has been added
 * @data: the file
 *
 * perf sorts records by time. Those that are added from now on are later than all that
 * were added before the call before this one.
 */
void perf_data_finish_round(struct perf_data *data)
{
	const struct perf_event_header round = {
		.type = RECORD_FINISHED_ROUND,
		.size = sizeof(round),
	};

	put(data, &round, sizeof(round));
}

/* ---- which counter -------------------------------------------------------- */

/**
 * struct thread - a thread of a source that inherits
 * @first_event: the source's
 * @tid: its number, which another may get when it is gone
 * @instance: of its counters
 * @time: of its latest sample
 * @value: of the first member then
 */
struct thread {
	size_t first_event;
	__u32 tid;
	__u32 instance;
	__u64 time;
	__u64 value;
};

static int compare_threads(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	if (x->first_event != y->first_event)
		return x->first_event < y->first_event ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static struct thread *get_thread(struct perf_data *data, size_t first_event, __u32 tid)
{
	const struct thread key = { .first_event = first_event, .tid = tid };
	struct thread *thread, **node;

	node = tfind(&key, &data->threads, compare_threads);
	if (node)
		return *node;
	thread = xcalloc(1, sizeof(*thread));
	*thread = key;
	thread->instance = data->nr_instances++;
	tsearch(thread, &data->threads, compare_threads);
	return thread;
}

/* Return: false if the sample has no value of the source's first member. */
static bool get_first_value(const struct perf_data_source *source,
			    const struct perfgrp_sample *sample, __u64 *first)
{
	struct perfgrp_sample_value value;
	__u64 i;

	for (i = 0; i < sample->nr; i++) {
		value = perfgrp_sample_value_at(sample, i);
		if (value.id == source->ids[0]) {
			*first = value.value;
			return true;
		}
	}
	return false;
}

static __u32 instance_of(struct perf_data *data, const struct perf_data_source *source,
			 const struct perfgrp_sample *sample)
{
	struct thread *thread;
	__u64 value;

	if (source->on_cpus)
		return sample->cpu;
	if (!source->inherits || !sample->nr)
		return source->task;
	thread = get_thread(data, source->first_event, sample->tid);
	if (sample->time < thread->time || !get_first_value(source, sample, &value))
		return thread->instance;
	/* Counts do not go back: another thread with that number. With more it is not noticed. */
	if (value < thread->value)
		thread->instance = data->nr_instances++;
	thread->time = sample->time;
	thread->value = value;
	return thread->instance;
}

static __u64 renumber(const struct perf_data_source *source, __u64 id, __u32 instance)
{
	size_t i;

	for (i = 0; i < source->nr; i++)
		if (source->ids[i] == id)
			return file_id(source->first_event + i, instance);
	return 0;
}

/* ---- records -------------------------------------------------------------- */

static void put_values(struct perf_data *data, const struct perf_data_source *source,
		       const struct perfgrp_sample *sample, __u32 instance)
{
	__u64 i;

	for (i = 0; i < sample->nr; i++) {
		struct perfgrp_sample_value value = perfgrp_sample_value_at(sample, i);

		value.id = renumber(source, value.id, instance);
		put(data, &value, sizeof(value));
	}
}

static void put_callchain(struct perf_data *data, const struct perfgrp_sample *sample)
{
	put(data, &sample->nr_ips, sizeof(sample->nr_ips));
	if (sample->nr_ips)
		put(data, sample->ips, sample->nr_ips * sizeof(*sample->ips));
}

static int add_sample(struct perf_data *data, const struct perf_data_source *source,
		      const struct perf_event_header *record)
{
	const size_t without_values = offsetof(struct perfgrp_record_sample, nr);
	struct perfgrp_record_sample to;
	struct perfgrp_sample from;
	__u32 instance;
	size_t size;
	int err;

	err = perfgrp_decode_sample(&source->layout, record, &from, sizeof(from));
	if (err)
		return err;
	instance = instance_of(data, source, &from);
	if (data->nr_ids && instance >= data->nr_ids) {
		data->left_out++;
		return 0;
	}
	size = sizeof(to) + from.nr * sizeof(struct perfgrp_sample_value);
	if (data->no_values)
		size = without_values;
	if (data->max_stack)
		size += (1 + from.nr_ips) * sizeof(*from.ips);
	if (size >= PERFGRP_RECORD_MAX)
		return -EBADMSG;
	to = (struct perfgrp_record_sample){
		.header = { .type = record->type, .misc = record->misc, .size = size },
		.ip = from.ip,
		.pid = from.pid,
		.tid = from.tid,
		.time = from.time,
		.id = renumber(source, from.id, instance),
		.cpu = from.cpu,
		.period = from.period,
		.nr = from.nr,
		.time_enabled = from.time_enabled,
		.time_running = from.time_running,
	};
	put(data, &to, data->no_values ? without_values : sizeof(to));
	if (!data->no_values)
		put_values(data, source, &from, instance);
	if (data->max_stack)
		put_callchain(data, &from);
	if (!data->first_time || from.time < data->first_time)
		data->first_time = from.time;
	if (from.time > data->last_time)
		data->last_time = from.time;
	return 0;
}

/* Records that are no samples, with the ids of the file. */
static int add_other(struct perf_data *data, const struct perf_data_source *source,
		     const struct perf_event_header *record)
{
	struct perfgrp_sample_id *sample_id;
	union perfgrp_record to;
	int err;

	err = perfgrp_decode_record(&source->layout, record, &to, sizeof(to));
	if (err)
		return err;
	switch (to.header.type) {
	case PERF_RECORD_LOST:
		sample_id = &to.lost.sample_id;
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		sample_id = &to.throttle.sample_id;
		break;
	case PERF_RECORD_BPF_EVENT:
		sample_id = &to.bpf_event.sample_id;
		break;
	default:
		/* perf refuses a file with records that are not its own. */
		return 0;
	}
	sample_id->id = renumber(source, sample_id->id,
				 source->on_cpus ? sample_id->cpu : source->task);
	if (to.header.type == PERF_RECORD_THROTTLE || to.header.type == PERF_RECORD_UNTHROTTLE) {
		to.throttle.id = sample_id->id;
		to.throttle.stream_id = sample_id->id;
	}
	put(data, &to, to.header.size);
	return 0;
}

/**
 * perf_data_add - add a record of the module
 * @data: the file
 * @source: the group that it comes from
 * @record: the record
 *
 * Records of types from PERFGRP_RECORD_FIRST on are left out.
 *
 * Return: 0, or -EBADMSG if it is none of those that the module has
 */
int perf_data_add(struct perf_data *data, const struct perf_data_source *source,
		  const struct perf_event_header *record)
{
	int err;

	if (record->type == PERF_RECORD_SAMPLE)
		err = add_sample(data, source, record);
	else
		err = add_other(data, source, record);
	return err ? -EBADMSG : 0;
}

/* ---- features ------------------------------------------------------------- */

/* A feature's bytes before they are written: in a file they follow their size. */
struct blob {
	char *bytes;
	size_t nr;
	size_t room;
};

static void blob_add(struct blob *blob, const void *bytes, size_t nr)
{
	if (!nr)
		return;
	while (blob->room < blob->nr + nr) {
		blob->room = blob->room ? 2 * blob->room : 256;
		blob->bytes = xrealloc(blob->bytes, blob->room, 1);
	}
	memcpy(blob->bytes + blob->nr, bytes, nr);
	blob->nr += nr;
}

static void blob_add_u32(struct blob *blob, __u32 value)
{
	blob_add(blob, &value, sizeof(value));
}

static void blob_add_u64(struct blob *blob, __u64 value)
{
	blob_add(blob, &value, sizeof(value));
}

static void blob_add_string(struct blob *blob, const char *s)
{
	static const char zeros[STRING_ALIGN];
	size_t len = strlen(s) + 1;
	size_t padding = -len % STRING_ALIGN;

	blob_add_u32(blob, len + padding);
	blob_add(blob, s, len);
	blob_add(blob, zeros, padding);
}

static void host_name(const struct perf_data *data, struct blob *blob)
{
	struct utsname name;

	(void)data;
	if (!uname(&name))
		blob_add_string(blob, name.nodename);
}

static void os_release(const struct perf_data *data, struct blob *blob)
{
	struct utsname name;

	(void)data;
	if (!uname(&name))
		blob_add_string(blob, name.release);
}

static void version(const struct perf_data *data, struct blob *blob)
{
	(void)data;
	blob_add_string(blob, "perfgrp " PERFGRP_TOOL_VERSION);
}

static void architecture(const struct perf_data *data, struct blob *blob)
{
	struct utsname name;

	(void)data;
	if (!uname(&name))
		blob_add_string(blob, name.machine);
}

static void cpus(const struct perf_data *data, struct blob *blob)
{
	(void)data;
	blob_add_u32(blob, sysconf(_SC_NPROCESSORS_CONF));
	blob_add_u32(blob, sysconf(_SC_NPROCESSORS_ONLN));
}

/* What x86 calls the model; arm64 does not name it. */
static void cpu_description(const struct perf_data *data, struct blob *blob)
{
	char *text = read_file("/proc/cpuinfo");
	char *model = text ? strstr(text, "model name") : NULL;
	char *name = model ? strchr(model, ':') : NULL;

	(void)data;
	if (name) {
		name++;
		name += strspn(name, " \t");
		name[strcspn(name, "\n")] = '\0';
		blob_add_string(blob, name);
	}
	free(text);
}

static void memory(const struct perf_data *data, struct blob *blob)
{
	struct sysinfo info;

	(void)data;
	if (!sysinfo(&info))
		blob_add_u64(blob, (__u64)info.totalram * info.mem_unit / 1024);
}

static void command_line(const struct perf_data *data, struct blob *blob)
{
	__u32 nr = 0, i;

	while (data->command_line[nr])
		nr++;
	blob_add_u32(blob, nr);
	for (i = 0; i < nr; i++)
		blob_add_string(blob, data->command_line[i]);
}

static void events(const struct perf_data *data, struct blob *blob)
{
	struct perf_event_attr attr;
	__u32 instance;
	size_t i;

	blob_add_u32(blob, data->nr_events);
	blob_add_u32(blob, ATTR_SIZE);
	for (i = 0; i < data->nr_events; i++) {
		make_attr(data, i, &attr);
		blob_add(blob, &attr, ATTR_SIZE);
		blob_add_u32(blob, data->nr_instances);
		blob_add_string(blob, event_at(data, i)->name);
		for (instance = 0; instance < data->nr_instances; instance++)
			blob_add_u64(blob, file_id(i, instance));
	}
}

static void groups(const struct perf_data *data, struct blob *blob)
{
	const struct event_list *list = data->list;
	__u32 nr = 0, first = 0;
	size_t i;

	for (i = 0; i < list->nr; i++)
		nr += list->groups[i].nr > 1;
	if (!nr)
		return;
	blob_add_u32(blob, nr);
	for (i = 0; i < list->nr; first += list->groups[i++].nr) {
		if (list->groups[i].nr < 2)
			continue;
		blob_add_string(blob, "{anon_group}");
		blob_add_u32(blob, first);
		blob_add_u32(blob, list->groups[i].nr);
	}
}

static void times(const struct perf_data *data, struct blob *blob)
{
	if (!data->last_time)
		return;
	blob_add_u64(blob, data->first_time);
	blob_add_u64(blob, data->last_time);
}

/* By their bits in the header, in rising order. One that fills nothing in is left out. */
static const struct {
	unsigned int bit;
	void (*fill)(const struct perf_data *data, struct blob *blob);
} features[] = {
	{ 3, host_name },
	{ 4, os_release },
	{ 5, version },
	{ 6, architecture },
	{ 7, cpus },
	{ 8, cpu_description },
	{ 10, memory },
	{ 11, command_line },
	{ 12, events },
	{ 17, groups },
	{ 21, times },
};

/* Behind the data: a table of where they are, then they themselves. */
static void put_features(struct perf_data *data, struct file_header *header)
{
	struct section sections[ARRAY_SIZE(features)];
	struct blob blob = { 0 };
	size_t nr = 0, i;
	__u64 offset;

	for (i = 0; i < ARRAY_SIZE(features); i++) {
		size_t before = blob.nr;

		features[i].fill(data, &blob);
		if (blob.nr == before)
			continue;
		header->features[0] |= 1ULL << features[i].bit;
		sections[nr++] = (struct section){ before, blob.nr - before };
	}
	offset = header->data.offset + header->data.size + nr * sizeof(*sections);
	for (i = 0; i < nr; i++)
		sections[i].offset += offset;
	put(data, sections, nr * sizeof(*sections));
	put(data, blob.bytes, blob.nr);
	free(blob.bytes);
}

/* A record each, where there is room in one for it. */
static void put_feature_records(struct perf_data *data)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(features); i++) {
		struct {
			struct perf_event_header header;
			__u64 feature;
		} record = { .feature = features[i].bit };
		static const char zeros[8];
		struct blob blob = { 0 };
		size_t size;

		features[i].fill(data, &blob);
		blob_add(&blob, zeros, -blob.nr % 8);
		size = sizeof(record) + blob.nr;
		if (blob.nr && size < PERFGRP_RECORD_MAX) {
			record.header.type = RECORD_HEADER_FEATURE;
			record.header.size = size;
			put(data, &record, sizeof(record));
			put(data, blob.bytes, blob.nr);
		}
		free(blob.bytes);
	}
}

/* ---- the file as a whole --------------------------------------------------- */

static void put_ids(struct perf_data *data, size_t event, __u32 nr)
{
	__u32 instance;

	for (instance = 0; instance < nr; instance++) {
		const __u64 id = file_id(event, instance);

		put(data, &id, sizeof(id));
	}
}

static int put_attr_records(struct perf_data *data)
{
	size_t size = sizeof(struct perf_event_header) + ATTR_SIZE +
		      data->nr_ids * sizeof(__u64);
	const struct perf_event_header header = {
		.type = RECORD_HEADER_ATTR,
		.size = size,
	};
	struct perf_event_attr attr;
	size_t i;

	if (size >= PERFGRP_RECORD_MAX) {
		error("too many counters for a pipe; write to a file");
		return -E2BIG;
	}
	for (i = 0; i < data->nr_events; i++) {
		make_attr(data, i, &attr);
		put(data, &header, sizeof(header));
		put(data, &attr, ATTR_SIZE);
		put_ids(data, i, data->nr_ids);
	}
	return 0;
}

static int begin_pipe(struct perf_data *data)
{
	struct pipe_header header = { .size = sizeof(header) };
	int err;

	data->nr_ids = data->nr_instances + (data->inherits ? PERF_DATA_PIPE_THREADS : 0);
	memcpy(header.magic, MAGIC, sizeof(header.magic));
	put(data, &header, sizeof(header));
	err = put_attr_records(data);
	if (!err)
		put_feature_records(data);
	return err;
}

/* The header comes last: it says how long the data is, and where the attributes are. */
static void begin_file(struct perf_data *data)
{
	const struct file_header header = { 0 };

	put(data, &header, sizeof(header));
}

/* After all records, when it is known how many ids there are. */
static struct section put_attrs(struct perf_data *data)
{
	const size_t ids_size = data->nr_instances * sizeof(__u64);
	const __u64 first_ids = data->bytes;
	struct section attrs = { .size = data->nr_events * (ATTR_SIZE + sizeof(attrs)) };
	struct perf_event_attr attr;
	size_t i;

	for (i = 0; i < data->nr_events; i++)
		put_ids(data, i, data->nr_instances);
	attrs.offset = data->bytes;
	for (i = 0; i < data->nr_events; i++) {
		const struct section ids = { first_ids + i * ids_size, ids_size };

		make_attr(data, i, &attr);
		put(data, &attr, ATTR_SIZE);
		put(data, &ids, sizeof(ids));
	}
	return attrs;
}

/**
 * perf_data_begin - write what comes before all records
 * @data: @out, @pipe, @list, @counters, @nr_events, @nr_instances, @inherits, @no_values,
 *	@max_stack and @command_line are set, the rest is zero
 *
 * Return: 0 or a negative errno
 */
int perf_data_begin(struct perf_data *data)
{
	int err = 0;

	if (data->pipe)
		err = begin_pipe(data);
	else
		begin_file(data);
	data->data_start = data->bytes;
	return err;
}

/**
 * perf_data_end - write what comes after all records
 * @data: the file, which is left open
 *
 * Return: 0, or -EIO if something could not be written, now or before
 */
int perf_data_end(struct perf_data *data)
{
	struct file_header header = {
		.size = sizeof(header),
		.attr_size = ATTR_SIZE + sizeof(struct section),
		.data = { data->data_start, data->bytes - data->data_start },
	};

	if (!data->pipe) {
		memcpy(header.magic, MAGIC, sizeof(header.magic));
		put_features(data, &header);
		header.attrs = put_attrs(data);
		if (fseek(data->out, 0, SEEK_SET) ||
		    fwrite(&header, sizeof(header), 1, data->out) != 1)
			data->failed = true;
	}
	if (fflush(data->out))
		data->failed = true;
	tdestroy(data->threads, free);
	data->threads = NULL;
	return data->failed ? -EIO : 0;
}
