// SPDX-License-Identifier: GPL-2.0
/* perfgrp bpf watch: prints each load and unload of a BPF program. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bpf/bpf.h>

#include "bpf.h"
#include "cmd.h"
#include "ending.h"

/* Room for more than a thousand records of a CPU between two reads. */
#define BUFFER_SIZE	(64 << 10)

/**
 * struct bpf_watcher - state of "perfgrp bpf watch"
 * @group: records loads and unloads
 * @layout: of its records
 * @known: programs that are loaded
 * @nr: how many
 * @room: how many @known has room for
 * @json: JSON in place of text
 * @buf: PERFGRP_RECORD_MAX bytes for records
 */
struct bpf_watcher {
	struct perfgrp_group *group;
	struct perfgrp_layout layout;
	struct bpf_info *known;
	size_t nr;
	size_t room;
	bool json;
	char *buf;
};

/* ---- programs -------------------------------------------------------------- */

static struct bpf_info *find(struct bpf_watcher *watch, __u32 id)
{
	size_t i;

	for (i = 0; i < watch->nr; i++)
		if (watch->known[i].id == id)
			return &watch->known[i];
	return NULL;
}

static void learn(struct bpf_watcher *watch, const struct bpf_info *info)
{
	struct bpf_info *old = find(watch, info->id);

	if (!old) {
		GROW(watch->known, watch->nr, watch->room);
		old = &watch->known[watch->nr++];
	}
	*old = *info;
}

static void forget(struct bpf_watcher *watch, __u32 id)
{
	struct bpf_info *old = find(watch, id);

	if (old)
		*old = watch->known[--watch->nr];
}

/* Gets the programs that are already loaded, whose info is gone when they are unloaded. */
static void learn_all(struct bpf_watcher *watch)
{
	struct bpf_info info;
	__u32 id = 0;

	while (!bpf_prog_get_next_id(id, &id)) {
		bpf_info_get(id, &info);
		if (info.known == BPF_KNOWN)
			learn(watch, &info);
	}
	if (errno != ENOENT)
		error("cannot get the names of the loaded BPF programs: %s", strerror(errno));
}

/* ---- output ---------------------------------------------------------------- */

static void print_heading(void)
{
	printf("%16s  %-6s  %7s  %-16s  %-16s  %-16s  %-19s  %9s  %s\n", "TIME", "WHAT", "ID",
	       "TYPE", "NAME", "TAG", "LOADED", "MEMLOCK", "USER");
}

static void print_time(__u64 ns)
{
	printf("%9llu.%06llu", (unsigned long long)ns / 1000000000,
	       (unsigned long long)ns / 1000 % 1000000);
}

static void loaded_text(char *text, size_t size, __u64 seconds)
{
	time_t loaded = seconds;
	struct tm tm;

	*text = '\0';
	if (localtime_r(&loaded, &tm))
		strftime(text, size, "%Y-%m-%d %H:%M:%S", &tm);
}

/* Prints a user id, with the user's name if it has one. */
static void print_user(__u32 uid)
{
	const struct passwd *user = getpwuid(uid);

	if (user)
		printf("%u (%s)\n", uid, user->pw_name);
	else
		printf("%u\n", uid);
}

static void print_event_text(const struct perfgrp_record_bpf_event *event, const char *what,
			     const char *tag, const struct bpf_info *info)
{
	const char *missing = info->known == BPF_GONE ? "gone" : "-";
	char loaded[32];

	print_time(event->sample_id.time);
	printf("  %-6s  %7u  ", what, event->prog_id);
	if (info->known != BPF_KNOWN) {
		printf("%-16s  %-16s  %-16s  %-19s  %9s  %s\n", missing, missing, tag, missing,
		       missing, missing);
		return;
	}
	loaded_text(loaded, sizeof(loaded), info->loaded);
	printf("%-16s  %-16s  %-16s  %-19s  %9llu  ", bpf_info_type(info),
	       info->name[0] ? info->name : "-", tag, loaded, (unsigned long long)info->memlock);
	print_user(info->uid);
}

static void print_event_json(const struct perfgrp_record_bpf_event *event, const char *what,
			     const char *tag, const struct bpf_info *info)
{
	struct json_object *to = json_object_new_object();

	json_add_string(to, "record", "bpf-event");
	json_add_u64(to, "time", event->sample_id.time);
	json_add_u64(to, "cpu", event->sample_id.cpu);
	json_add_string(to, "what", what);
	json_add_u64(to, "prog-id", event->prog_id);
	json_add_string(to, "tag", tag);
	json_add_bool(to, "gone", info->known == BPF_GONE);
	if (info->known == BPF_KNOWN) {
		const struct passwd *user = getpwuid(info->uid);

		json_add_string(to, "type", bpf_info_type(info));
		json_add_string(to, "name", info->name);
		json_add_u64(to, "loaded-at", info->loaded);
		json_add_u64(to, "uid", info->uid);
		if (user)
			json_add_string(to, "user", user->pw_name);
		json_add_u64(to, "memlock", info->memlock);
		json_add_u64(to, "xlated", info->xlated);
		json_add_u64(to, "jited", info->jited);
	}
	json_print(stdout, to, 0);
}

static void print_lost(const struct bpf_watcher *watch, const struct perfgrp_record_lost *lost)
{
	if (watch->json) {
		struct json_object *to = json_object_new_object();

		json_add_string(to, "record", "lost");
		json_add_u64(to, "time", lost->sample_id.time);
		json_add_u64(to, "lost", lost->lost);
		json_print(stdout, to, 0);
		return;
	}
	print_time(lost->sample_id.time);
	printf("  lost %llu records\n", (unsigned long long)lost->lost);
}

/* ---- records --------------------------------------------------------------- */

static void take_event(struct bpf_watcher *watch, const struct perfgrp_record_bpf_event *event)
{
	const bool load = event->type == PERF_BPF_EVENT_PROG_LOAD;
	const char *what = load ? "load" : "unload";
	char tag[2 * sizeof(event->tag) + 1];
	const struct bpf_info *old;
	struct bpf_info info;

	if (!load && event->type != PERF_BPF_EVENT_PROG_UNLOAD)
		return;
	bpf_tag_text(tag, event->tag);
	old = find(watch, event->prog_id);
	if (old)
		info = *old;
	else if (load)
		bpf_info_get(event->prog_id, &info);
	else
		info = (struct bpf_info){ .id = event->prog_id, .known = BPF_GONE };
	/* The id may have been reused by another program. */
	if (info.known == BPF_KNOWN && strcmp(info.tag, tag))
		info.known = BPF_GONE;

	if (watch->json)
		print_event_json(event, what, tag, &info);
	else
		print_event_text(event, what, tag, &info);
	if (load && info.known == BPF_KNOWN)
		learn(watch, &info);
	else
		forget(watch, event->prog_id);
}

static int take_records(struct bpf_watcher *watch, size_t len)
{
	const struct perf_event_header *record;
	size_t offset = 0;
	int ret;

	while ((ret = perfgrp_next_record(watch->buf, len, &offset, &record)) > 0) {
		union perfgrp_record decoded;

		ret = perfgrp_decode_record(&watch->layout, record, &decoded, sizeof(decoded));
		if (ret)
			break;
		if (decoded.header.type == PERF_RECORD_BPF_EVENT)
			take_event(watch, &decoded.bpf_event);
		else if (decoded.header.type == PERF_RECORD_LOST)
			print_lost(watch, &decoded.lost);
	}
	if (ret) {
		error("cannot decode the kernel's records");
		return ret;
	}
	return flush_output(stdout, "standard output");
}

/* Reads and prints all available records, if any. */
static int take_all(struct bpf_watcher *watch)
{
	ssize_t len;
	int err;

	for (;;) {
		len = perfgrp_read_records(watch->group, watch->buf,
					   PERFGRP_RECORD_MAX);
		if (len == -EAGAIN || len == -EINTR || !len)
			return 0;
		if (len < 0) {
			error("cannot read records: %s", perfgrp_group_error(watch->group)->text);
			return len;
		}
		err = take_records(watch, len);
		if (err)
			return err;
	}
}

static int watch_until_end(struct bpf_watcher *watch, struct ending *ending)
{
	struct pollfd polls[] = {
		{ .fd = ending->signal_fd, .events = POLLIN },
		{ .fd = ending->timer_fd, .events = POLLIN },
		{ .fd = perfgrp_group_fd(watch->group), .events = POLLIN },
	};
	bool end;
	int err;

	do {
		if (poll(polls, ARRAY_SIZE(polls), -1) < 0) {
			err = -errno;
			error("poll: %s", strerror(errno));
			return err;
		}
		end = ending_has_come(ending);
		err = take_all(watch);
	} while (!err && !end);
	return err;
}

static int open_group(struct bpf_watcher *watch, struct perfgrp_dev *dev)
{
	int err;

	watch->group = perfgrp_create_bpf_events(dev, BUFFER_SIZE);
	if (!watch->group) {
		error("%s", perfgrp_dev_error(dev)->text);
		return -errno;
	}
	err = perfgrp_get_layout(watch->group, &watch->layout);
	if (err) {
		error("%s", perfgrp_group_error(watch->group)->text);
		return err;
	}
	fcntl(perfgrp_group_fd(watch->group), F_SETFL, O_NONBLOCK);
	return 0;
}

/**
 * bpf_watch - print loads and unloads of programs until the end
 * @opt: the command line
 *
 * Return: the exit status. If a signal ended the run, the process kills itself with it instead.
 */
int bpf_watch(const struct bpf_options *opt)
{
	struct bpf_watcher watch = {
		.json = opt->json,
		.buf = xcalloc(PERFGRP_RECORD_MAX, 1),
	};
	int status = EXIT_FAILED;
	struct perfgrp_info info;
	struct perfgrp_dev *dev;
	struct ending ending;

	dev = cmd_open_device(&info, PERFGRP_FEATURE_BPF_EVENTS, "bpf-events");
	if (!dev || open_group(&watch, dev) || ending_begin(&ending))
		goto out;
	/* Recording is already on, so no load is missed between this list and the records. */
	learn_all(&watch);
	if (!watch.json)
		print_heading();
	if (flush_output(stdout, "standard output"))
		goto out;
	ending_set_time(&ending, opt->duration);
	if (watch_until_end(&watch, &ending))
		goto out;
	status = 0;
	ending_finish(&ending);
out:
	perfgrp_group_close(watch.group);
	perfgrp_close(dev);
	free(watch.known);
	free(watch.buf);
	return status;
}
