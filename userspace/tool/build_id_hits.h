/* SPDX-License-Identifier: GPL-2.0 */
/* Which mapped files have been sampled, and perf's cache of such files. */
#ifndef PERFGRP_BUILD_ID_HITS_H
#define PERFGRP_BUILD_ID_HITS_H

#include <stdbool.h>

#include "synth.h"

struct build_id_hits;

/* build_id_hits.c */
struct build_id_hits *build_id_hits_new(void);
void build_id_hits_add_mapping(struct build_id_hits *hits, const struct mmap2_record *record,
			       const char *path);
void build_id_hits_add_record(struct build_id_hits *hits, const struct perf_event_header *record);
void build_id_hits_add_sample(struct build_id_hits *hits, __u32 pid, __u64 ip);
void build_id_hits_cache(struct build_id_hits *hits, bool verbose);
void build_id_hits_free(struct build_id_hits *hits);

/* build_id_cache.c */
char *build_id_cache_dir(void);
int build_id_cache_add(const char *dir, __u32 pid, const char *path, const __u8 *id, size_t size);

#endif /* PERFGRP_BUILD_ID_HITS_H */
