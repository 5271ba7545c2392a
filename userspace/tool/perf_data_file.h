/* SPDX-License-Identifier: GPL-2.0 */
/* The file format; shared by the files that implement perf_data.h. */
#ifndef PERFGRP_PERF_DATA_FILE_H
#define PERFGRP_PERF_DATA_FILE_H

#include "perf_data.h"

/* Read by perf since Linux 5.13. No later fields are used. */
#define PERF_DATA_ATTR_SIZE	PERF_ATTR_SIZE_VER7

/* Record types that perf itself writes, not the kernel. */
#define RECORD_HEADER_ATTR	64
#define RECORD_FINISHED_ROUND	68
#define RECORD_HEADER_FEATURE	80
#define RECORD_COMPRESSED	81

/* Size of perf's buffer for a decompressed record. */
#define COMPRESSION_ROOM	(64U << 10)

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

/* perf_data.c */
void perf_data_put(struct perf_data *data, const void *bytes, size_t size);

/* perf_data_add.c */
void perf_data_begin_values(struct perf_data *data);
void perf_data_free_values(struct perf_data *data);

/* perf_data_attr.c */
__u64 perf_data_file_id(size_t event, __u32 instance);
const struct event *perf_data_event(const struct perf_data *data, size_t index);
void perf_data_make_attr(const struct perf_data *data, size_t index, struct perf_event_attr *attr);

/* perf_data_features.c */
void perf_data_put_features(struct perf_data *data, struct file_header *header);
void perf_data_put_feature_records(struct perf_data *data);

/* perf_data_compress.c */
int perf_data_begin_compression(struct perf_data *data);
void perf_data_compress(struct perf_data *data, const void *bytes, size_t size);
void perf_data_flush(struct perf_data *data);
void perf_data_end_compression(struct perf_data *data);

#endif /* PERFGRP_PERF_DATA_FILE_H */
