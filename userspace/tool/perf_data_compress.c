// SPDX-License-Identifier: GPL-2.0
/*
 * perf.data: records compressed by zstd, as perf record -z writes them.
 *
 * All records are one stream of bytes. A slice of it, compressed and flushed, becomes a
 * PERF_RECORD_COMPRESSED. The slices of a file are one zstd frame. perf requires each of these
 * records to decompress to at least one byte, so a slice always fits into one record, even if it
 * cannot be compressed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "perf_data_file.h"
#include "util.h"

/* Bytes to compress at once; leaves room in a record for zstd's worst-case overhead. */
#define SLICE		65024
/* perf_event_header.size has 16 bits. */
#define RECORD_MAX	65535

/**
 * struct perf_data_compressor - state of the compression
 * @stream: state of zstd
 * @slice: bytes that have not been compressed yet
 * @nr: how many
 * @bytes: compressed so far in this file: uncompressed size
 * @compressed: compressed size
 * @record: the compressed record
 */
struct perf_data_compressor {
	ZSTD_CCtx *stream;
	char slice[SLICE];
	size_t nr;
	__u64 bytes;
	__u64 compressed;
	struct {
		struct perf_event_header header;
		char bytes[RECORD_MAX - sizeof(struct perf_event_header)];
	} record;
};

/* A file's first slice begins a frame. */
int perf_data_begin_compression(struct perf_data *data)
{
	struct perf_data_compressor *to = data->compressor;

	if (!to) {
		to = xcalloc(1, sizeof(*to));
		to->stream = xcheck(ZSTD_createCCtx());
		data->compressor = to;
	}
	to->nr = 0;
	to->bytes = 0;
	to->compressed = 0;
	ZSTD_CCtx_reset(to->stream, ZSTD_reset_session_and_parameters);
	if (ZSTD_isError(ZSTD_CCtx_setParameter(to->stream, ZSTD_c_compressionLevel,
						data->compression_level)))
		return -EINVAL;
	return 0;
}

/* Compresses and writes the slice, full or not. */
void perf_data_flush(struct perf_data *data)
{
	struct perf_data_compressor *to = data->compressor;
	ZSTD_outBuffer out;
	ZSTD_inBuffer in;

	if (!to || !to->nr)
		return;
	in = (ZSTD_inBuffer){ .src = to->slice, .size = to->nr };
	out = (ZSTD_outBuffer){ .dst = to->record.bytes, .size = sizeof(to->record.bytes) };
	/* A result other than 0 is an error, or the number of bytes that did not fit. */
	if (ZSTD_compressStream2(to->stream, &out, &in, ZSTD_e_flush) && !data->error)
		data->error = -EIO;
	to->record.header = (struct perf_event_header){
		.type = RECORD_COMPRESSED,
		.size = sizeof(to->record.header) + out.pos,
	};
	perf_data_put(data, &to->record, to->record.header.size);
	to->bytes += to->nr;
	to->compressed += out.pos;
	to->nr = 0;
}

void perf_data_compress(struct perf_data *data, const void *bytes, size_t size)
{
	struct perf_data_compressor *to = data->compressor;

	while (size) {
		const size_t room = SLICE - to->nr, part = size < room ? size : room;

		memcpy(to->slice + to->nr, bytes, part);
		to->nr += part;
		bytes = (const char *)bytes + part;
		size -= part;
		if (to->nr == SLICE)
			perf_data_flush(data);
	}
}

/* Compression ratio, rounded; 0 if it is not known yet. */
unsigned int perf_data_compression_ratio(const struct perf_data *data)
{
	const struct perf_data_compressor *to = data->compressor;

	return to && to->compressed ? (to->bytes + to->compressed / 2) / to->compressed : 0;
}

/* Size that the file would have without compression. */
__u64 perf_data_uncompressed_bytes(const struct perf_data *data)
{
	const struct perf_data_compressor *to = data->compressor;

	return to ? data->bytes - to->compressed + to->bytes : data->bytes;
}

void perf_data_end_compression(struct perf_data *data)
{
	if (data->compressor)
		ZSTD_freeCCtx(data->compressor->stream);
	free(data->compressor);
	data->compressor = NULL;
}
