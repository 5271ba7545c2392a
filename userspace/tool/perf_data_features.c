// SPDX-License-Identifier: GPL-2.0
/* perf.data: the features, which describe the machine and what was recorded. */
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd.h"
#include "perf_data_file.h"
#include "util.h"

/* Strings are padded to this. */
#define STRING_ALIGN		64
/* perf's numbers. */
#define COMPRESSION_VERSION	1
#define COMPRESSION_ZSTD	1

/* A feature's bytes, kept in memory because in a file its size is written first. */
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

/* "model name" is x86's; arm64 has none. */
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
	blob_add_u32(blob, PERF_DATA_ATTR_SIZE);
	for (i = 0; i < data->nr_events; i++) {
		perf_data_make_attr(data, i, &attr);
		blob_add(blob, &attr, PERF_DATA_ATTR_SIZE);
		blob_add_u32(blob, data->nr_instances);
		blob_add_string(blob, perf_data_event(data, i)->name);
		for (instance = 0; instance < data->nr_instances; instance++)
			blob_add_u64(blob, perf_data_file_id(i, instance));
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

/* How records are compressed. In a pipe the feature is written before the ratio is known. */
static void compression(const struct perf_data *data, struct blob *blob)
{
	if (!data->compressor)
		return;
	blob_add_u32(blob, COMPRESSION_VERSION);
	blob_add_u32(blob, COMPRESSION_ZSTD);
	blob_add_u32(blob, data->compression_level);
	blob_add_u32(blob, perf_data_compression_ratio(data));
	blob_add_u32(blob, COMPRESSION_ROOM);
}

/* In ascending order of their bits in the header. Features that fill nothing in are left out. */
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
	{ 27, compression },
};

/* Written after the data: a table of the features' sections, then the features. */
void perf_data_put_features(struct perf_data *data, struct file_header *header)
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
	perf_data_put(data, sections, nr * sizeof(*sections));
	perf_data_put(data, blob.bytes, blob.nr);
	free(blob.bytes);
}

/* Writes each feature as a record, unless it is too large for one. */
void perf_data_put_feature_records(struct perf_data *data)
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
			perf_data_put(data, &record, sizeof(record));
			perf_data_put(data, blob.bytes, blob.nr);
		}
		free(blob.bytes);
	}
}
