/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mapping and reading rings of records.
 */
#ifndef TESTS_RING_H
#define TESTS_RING_H

#include "stream.h"

#include <sys/mman.h>

static inline struct perfgrp_stream_stats stats_of(int fd)
{
	struct perfgrp_stream_stats stats = { .size = sizeof(stats) };

	REQUIRE_EQ(grp_ioctl(fd, PERFGRP_GET_STREAM_STATS, &stats), 0);
	return stats;
}

static inline void *map(int fd, size_t size, __u32 nr, int prot)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return mmap(NULL, page + size, prot, MAP_SHARED, fd,
		    (off_t)nr * (page + stats_of(fd).buffer_size));
}

static inline struct perf_event_mmap_page *map_ring(int fd, __u32 nr)
{
	struct perfgrp_stream_stats stats = stats_of(fd);
	struct perf_event_mmap_page *ring;

	ring = map(fd, nr == stats.nr_rings - 1 ? stats.last_ring_size : stats.buffer_size, nr,
		   PROT_READ | PROT_WRITE);
	REQUIRE(ring != MAP_FAILED);
	EXPECT_EQ(ring->data_offset, sysconf(_SC_PAGESIZE));
	return ring;
}

/*
 * Copies the next record of a ring, perf's or perfgrp's, to @to, as perf_event_open(2) describes.
 * Returns false if there is none.
 */
static inline bool next_record(struct perf_event_mmap_page *ring, void *to)
{
	__u64 head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE), tail = ring->data_tail;
	const char *data = (const char *)ring + ring->data_offset;
	const struct perf_event_header *header;
	size_t at = tail % ring->data_size, till_end = ring->data_size - at;

	if (tail == head)
		return false;
	header = (const void *)(data + at);
	REQUIRE(header->size >= sizeof(*header) && header->size <= head - tail);
	if (header->size <= till_end) {
		memcpy(to, header, header->size);
	} else {
		memcpy(to, header, till_end);
		memcpy((char *)to + till_end, data, header->size - till_end);
	}
	__atomic_store_n(&ring->data_tail, tail + ((struct perf_event_header *)to)->size,
			 __ATOMIC_RELEASE);
	return true;
}

/* Reads all records in a ring of a group; returns their number. */
static inline __u32 read_ring(struct perf_event_mmap_page *ring)
{
	stream_forget(&records);
	while (next_record(ring, records.buf + records.used)) {
		const struct perf_event_header *header = (void *)(records.buf + records.used);

		check_record(header, header->size);
		stream_note(header);
		records.used += header->size;
	}
	return records.nr;
}

#endif /* TESTS_RING_H */
