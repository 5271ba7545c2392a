// SPDX-License-Identifier: GPL-2.0
/*
 * A simulated /dev/perfgrp: a shared library for LD_PRELOAD that implements the ioctls of
 * <linux/perfgrp.h> as a script specifies. With it the real tool runs on a machine without
 * the module, with counts that the test chooses.
 *
 * FAKE_DEVICE names the script. It has one directive per line; "#" begins a comment. Of several
 * "value" lines that apply the last one is used. The directives:
 *
 *	open errno=E			the device cannot be opened
 *	info [features=N] [max_groups=N]
 *	cpus N				CPUs that are online
 *	slots N				hardware members that fit the PMU at once; one more is
 *					refused with PMU_FULL
 *	free N [cpu=N]			how many of them NO_MUX groups can use now; one more is
 *					refused with PMU_BUSY when the group is enabled
 *	pmu cpu=N type=T		the PMU that counts hardware events on that CPU
 *	fail CALL [nth=N] [from=N] [event=E] [reason=R] errno=E [text=...]
 *					CALL fails the N-th time (nth=), from the N-th time on
 *					(from=), when it adds E (event=). The text is the rest
 *					of the line
 *	fail SIDEBAND | SIDEBAND_MMAP [nth=N] [from=N] errno=E
 *					the same for perf events that count nothing, with which
 *					record gets records of mappings and tasks; there are none
 *	value [event=E] [group=N] [member=N] [snap=N] [cpu=N] [cgroup=N]
 *	      [raw=N] [enabled=N] [running=N] [sched=N] [flags=N] [pmu=N]
 *					the value in snapshots of event E, of the N-th group
 *					created, of the member with id N, in the group's N-th
 *					snapshot, on CPU N, in the row of cgroup N
 *	row [cgroup=N] [flags=N] [snap=N]
 *					a group that is split has rows for that cgroup, or rows
 *					with these PERFGRP_ROW_* flags, in its N-th snapshot
 *	samples N [pid=N] [ip=N]	a group that samples has N records when it is enabled, by
 *					default of the tool itself
 *	program N			the only BPF program has the id N, and can be attached; each
 *					sample, in a buffer or not, is a run of it
 *	lost N				it says that it has lost N more,
 *	filtered N			and that programs have filtered N samples
 *	time N				CLOCK_MONOTONIC of the tool and of rows only advances when
 *					the tool waits: each poll(2) without timeout adds N ns. The
 *					tool's CPU time is a thousandth of it. 0: the real clock
 *	tick N				the same, and each time that it is read it advances by N ns
 *	date N [from=K]			the tool's CLOCK_REALTIME is N ns since 1970 and stands
 *					still, from the K-th time on that it is read
 *	map [cpu=N] [group=N] [snap=N] [age=N] [rest=N] [epoch=N]
 *					in mapped groups, or in the N-th group created: the row of
 *					CPU N is N ns old, it is at rest if rest=1, the CPU has come
 *					back online N times. Each poll(2) without timeout begins a
 *					new "snap" of the rows
 *	offline cpu=N [snap=N]		the CPU is offline in the group's N-th snapshot
 *	exit [group=N] [snap=N]		the task has exited, or the cgroup was removed, by the
 *					group's N-th snapshot; a stream ends after its records
 *
 * Events are TYPE:CONFIG, or one of the names below; errnos and reasons are given by name.
 *
 * With FAKE_OPTIONS set, the tool prints the options that it is about to parse, and exits.
 *
 * FAKE_LOG names a file that gets a line for each call. Files below FAKE_ROOT replace those of the
 * same name below / that the tool reads. A file without any permission bit is inaccessible to every
 * user.
 *
 * Group fds are real ones: an eventfd, or the read end of a pipe for a group with a buffer or on a
 * cgroup, so that poll(2), read(2), fcntl(2) and limits need no simulation. Any directory is
 * accepted as a cgroup; the log shows its last component.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/perf_event.h>
#include <linux/perfgrp.h>

#define DEVICE		"/dev/perfgrp"
#define MAX_FDS		65536
#define MAX_MEMBERS	32
#define MAX_ROWS	64
#define MAX_LINES	256
#define MAX_CPUS	16
#define NONE		(~0ULL)
#define NSEC_PER_SEC	1000000000ULL

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* libc's own function, which the one here overrides. */
#define REAL(name)								\
({										\
	static typeof(name) *real;						\
										\
	if (!real)								\
		real = (typeof(name) *)dlsym(RTLD_NEXT, #name);			\
	real;									\
})

/* ---- the script ------------------------------------------------------------ */

/* One directive; fields that it does not set are NONE. */
struct line {
	char word[16];
	char call[24];
	char text[160];
	__u64 event;
	__u64 group, member, snap, cpu, cgroup, nth, from;
	__u64 raw, enabled, running, sched, flags, pmu;
	__u64 number, error, reason, type, features, max_groups;
	__u64 age, rest, epoch, pid, ip;
};

static struct line lines[MAX_LINES];
static size_t nr_lines;
static bool loaded;

struct name {
	const char *name;
	__u64 value;
};

#define NAME(n)		{ #n, n }
#define REASON(n)	{ #n, PERFGRP_REASON_##n }

static const struct name events[] = {
	{ "cycles", PERFGRP_HW_CPU_CYCLES },
	{ "instructions", PERFGRP_HW_INSTRUCTIONS },
	{ "cache-references", PERFGRP_HW_CACHE_REFERENCES },
	{ "cache-misses", PERFGRP_HW_CACHE_MISSES },
	{ "branches", PERFGRP_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERFGRP_HW_BRANCH_MISSES },
	{ "cpu-clock", PERFGRP_SW_CPU_CLOCK },
	{ "task-clock", PERFGRP_SW_TASK_CLOCK },
	{ "page-faults", PERFGRP_SW_PAGE_FAULTS },
	{ "context-switches", PERFGRP_SW_CONTEXT_SWITCHES },
	{ "stalled-cycles-frontend", PERFGRP_HW_STALLED_CYCLES_FRONTEND },
};

static const struct name errnos[] = {
	NAME(EACCES), NAME(EBADF), NAME(EBUSY), NAME(EINVAL), NAME(EMFILE), NAME(ENODEV),
	NAME(ENOENT), NAME(ENOMEM), NAME(ENOSPC), NAME(EOPNOTSUPP), NAME(ESRCH), NAME(EINTR),
	NAME(EPERM),
};

static const struct name reasons[] = {
	REASON(NONE), REASON(EVENT), REASON(EVENT_OPTION), REASON(PMU_FULL), REASON(PMU_BUSY),
	REASON(PID), REASON(LIMIT), REASON(PRIVILEGE), REASON(MEMORY), REASON(FEATURE),
	REASON(CGROUP),
};

__attribute__((noreturn, format(printf, 1, 2)))
static void die(const char *fmt, ...)
{
	va_list ap;

	fputs("fake device: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	_exit(99);
}

static __u64 find(const struct name *names, size_t nr, const char *text)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(names[i].name, text))
			return names[i].value;
	die("'%s' is no name", text);
}

static __u64 number(const char *text)
{
	char *end;
	__u64 n = strtoull(text, &end, 0);

	if (end == text || *end)
		die("'%s' is no number", text);
	return n;
}

static __u64 parse_event(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon ? PERFGRP_EVENT(strtoul(text, NULL, 0), number(colon + 1)) :
		       find(events, ARRAY_SIZE(events), text);
}

static void parse_word(struct line *line, const char *key, const char *value)
{
	const struct {
		const char *key;
		__u64 *value;
	} numbers[] = {
		{ "group", &line->group }, { "member", &line->member }, { "snap", &line->snap },
		{ "cpu", &line->cpu }, { "cgroup", &line->cgroup },
		{ "nth", &line->nth }, { "from", &line->from },
		{ "raw", &line->raw }, { "enabled", &line->enabled },
		{ "running", &line->running }, { "sched", &line->sched },
		{ "flags", &line->flags }, { "pmu", &line->pmu }, { "type", &line->type },
		{ "features", &line->features }, { "max_groups", &line->max_groups },
		{ "age", &line->age }, { "rest", &line->rest }, { "epoch", &line->epoch },
		{ "pid", &line->pid }, { "ip", &line->ip },
	};
	size_t i;

	if (!strcmp(key, "event")) {
		line->event = parse_event(value);
	} else if (!strcmp(key, "errno")) {
		line->error = find(errnos, ARRAY_SIZE(errnos), value);
	} else if (!strcmp(key, "reason")) {
		line->reason = find(reasons, ARRAY_SIZE(reasons), value);
	} else {
		for (i = 0; i < ARRAY_SIZE(numbers); i++)
			if (!strcmp(key, numbers[i].key))
				break;
		if (i == ARRAY_SIZE(numbers))
			die("'%s' is no key", key);
		*numbers[i].value = number(value);
	}
}

static void parse_line(char *s)
{
	static const char *const words[] = {
		"open", "info", "cpus", "slots", "free", "pmu", "fail", "value", "row", "samples",
		"lost", "filtered", "exit", "time", "tick", "date", "map", "offline", "program",
	};
	struct line *line = &lines[nr_lines];
	char *text = strstr(s, " text="), *word, *rest;
	size_t i;

	s[strcspn(s, "#\n")] = '\0';
	/* All ones: NONE. */
	memset(line, 0xff, sizeof(*line));
	line->text[0] = '\0';
	line->call[0] = '\0';
	if (text) {
		*text = '\0';
		snprintf(line->text, sizeof(line->text), "%s", text + strlen(" text="));
	}
	word = strtok_r(s, " \t", &rest);
	if (!word)
		return;
	for (i = 0; i < ARRAY_SIZE(words) && strcmp(words[i], word); i++)
		;
	if (i == ARRAY_SIZE(words))
		die("'%s' is no directive", word);
	if (nr_lines++ == MAX_LINES - 1)
		die("more than %d lines", MAX_LINES - 1);
	snprintf(line->word, sizeof(line->word), "%s", word);
	while ((word = strtok_r(NULL, " \t", &rest))) {
		char *equals = strchr(word, '=');

		if (equals) {
			*equals = '\0';
			parse_word(line, word, equals + 1);
		} else if (!strcmp(line->word, "fail")) {
			snprintf(line->call, sizeof(line->call), "%s", word);
		} else {
			line->number = number(word);
		}
	}
}

static void load(void)
{
	const char *path = getenv("FAKE_DEVICE");
	char text[512];
	FILE *f;

	if (loaded)
		return;
	loaded = true;
	if (!path)
		die("FAKE_DEVICE is not set");
	f = fopen(path, "re");
	if (!f)
		die("cannot read %s", path);
	while (fgets(text, sizeof(text), f))
		parse_line(text);
	fclose(f);
}

/* The last line that begins with a word, or NULL. */
static const struct line *setting(const char *word)
{
	size_t i;

	load();
	for (i = nr_lines; i-- > 0;)
		if (!strcmp(lines[i].word, word))
			return &lines[i];
	return NULL;
}

static __u64 setting_number(const char *word, __u64 otherwise)
{
	const struct line *line = setting(word);

	return line ? line->number : otherwise;
}

/* ---- the log --------------------------------------------------------------- */

__attribute__((format(printf, 1, 2)))
static void log_call(const char *fmt, ...)
{
	const char *path = getenv("FAKE_LOG");
	static FILE *f;
	va_list ap;

	if (!path)
		return;
	/* Opened once: a test may leave no file descriptor free. */
	if (!f)
		f = fopen(path, "ae");
	if (!f)
		die("cannot write to %s", path);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fputc('\n', f);
	fflush(f);
}

/* ---- groups ---------------------------------------------------------------- */

struct group {
	unsigned int nr;		/* groups are numbered from 1 */
	struct perfgrp_create create;
	__u32 cpus[MAX_CPUS];
	__u32 nr_cpus;			/* 0: a task */
	struct perfgrp_counter members[MAX_MEMBERS];
	__u32 nr_members;
	unsigned int snaps;
	bool enabled;
	int records;			/* the write end, or -1 */
	__u64 sampled;			/* records so far; each member has counted as many */
	__u64 overflows;		/* the same, also without a buffer */
	struct perfgrp_bpf_attach programs[MAX_MEMBERS];
	struct perfgrp_map *map;	/* the rows, once they are mapped */
	char cgroup[64];		/* its name in the log */
};

static struct group *groups[MAX_FDS];
static __u64 fake_time;
static unsigned int nr_creations, nr_created, nr_open;
static int device_fd = -1;

static int refuse(void *arg, int error, __u32 reason, __u32 member, const char *text)
{
	/* All arguments begin with the same fields. */
	const struct perfgrp_control *head = arg;
	struct perfgrp_error *out = (void *)(unsigned long)head->error;

	if (out) {
		memset((char *)out + sizeof(out->size), 0, sizeof(*out) - sizeof(out->size));
		out->error = error;
		out->reason = reason;
		out->member = member;
		out->cpu = -1;
		snprintf(out->text, sizeof(out->text), "%s", text);
	}
	errno = error;
	return -1;
}

/* A wrong size, or a field that is not zero, is a bug of the tool, not a case to be tested. */
static void check_size(const char *call, __u32 size, size_t expected)
{
	if (size != expected)
		die("%s: size is %u, not %zu", call, size, expected);
}

/* A "fail" line for this call, the nth of its kind. */
static const struct line *find_failure(const char *call, unsigned int nth, __u64 event)
{
	size_t i;

	load();
	for (i = 0; i < nr_lines; i++) {
		const struct line *line = &lines[i];

		if (strcmp(line->word, "fail") || strcmp(line->call, call))
			continue;
		if (line->nth != NONE && line->nth != nth)
			continue;
		if (line->from != NONE && nth < line->from)
			continue;
		if (line->event == event)
			return line;
	}
	return NULL;
}

static int fail(void *arg, const struct line *line, __u32 member)
{
	return refuse(arg, line->error, line->reason == NONE ? PERFGRP_REASON_NONE : line->reason,
		      line->member == NONE ? member : line->member,
		      *line->text ? line->text : strerror(line->error));
}

static __u64 event_of(const struct perfgrp_counter *counter)
{
	return counter->flags & PERFGRP_COUNTER_RAW ?
	       PERFGRP_EVENT(counter->type, counter->config) : counter->event;
}

static bool is_software(const struct perfgrp_counter *counter)
{
	switch (PERFGRP_EVENT_TYPE(event_of(counter))) {
	case PERF_TYPE_SOFTWARE:
	case PERF_TYPE_TRACEPOINT:
		return true;
	}
	return false;
}

static __u32 pmu_of(const struct perfgrp_counter *counter, int cpu)
{
	__u32 type = PERFGRP_EVENT_TYPE(event_of(counter)), pmu = PERF_TYPE_RAW;
	size_t i;

	if (type != PERF_TYPE_HARDWARE && type != PERF_TYPE_HW_CACHE)
		return type;
	for (i = 0; i < nr_lines; i++)
		if (!strcmp(lines[i].word, "pmu") && (int)lines[i].cpu == cpu)
			pmu = lines[i].type;
	return pmu;
}

/* ---- the device's ioctls --------------------------------------------------- */

static int get_info(struct perfgrp_info *info)
{
	const struct line *line = setting("info");

	check_size("GET_INFO", info->size, sizeof(*info));
	info->features = PERFGRP_FEATURE_SCHED_GROUP | PERFGRP_FEATURE_INHERIT |
			 PERFGRP_FEATURE_NO_MUX | PERFGRP_FEATURE_HOTPLUG |
			 PERFGRP_FEATURE_SAMPLING | PERFGRP_FEATURE_BPF_EVENTS |
			 PERFGRP_FEATURE_PIDFD | PERFGRP_FEATURE_CGROUP |
			 PERFGRP_FEATURE_SPLIT_BY_CGROUP;
	if (setting("program"))
		info->features |= PERFGRP_FEATURE_BPF;
	info->max_groups = 4096;
	info->max_buffer = 1U << 26;
	if (line && line->features != NONE)
		info->features = line->features;
	if (line && line->max_groups != NONE)
		info->max_groups = line->max_groups;
	info->max_members = MAX_MEMBERS;
	info->nr_cpu_ids = MAX_CPUS;
	info->max_buffer = 64U << 20;
	info->abi_version = PERFGRP_ABI_VERSION;
	snprintf(info->version, sizeof(info->version), "fake");
	return 0;
}

static void log_create(const struct group *group)
{
	static const char *const targets[] = {
		[PERFGRP_TARGET_TASK] = "TASK", [PERFGRP_TARGET_CPUS] = "CPUS",
		[PERFGRP_TARGET_ALL_CPUS] = "ALL_CPUS", [PERFGRP_TARGET_PIDFD] = "PIDFD",
		[PERFGRP_TARGET_CGROUP] = "CGROUP",
	};
	char cpus[4 * MAX_CPUS + 1] = "";
	__u32 i;

	for (i = 0; i < group->create.nr_cpus; i++)
		snprintf(cpus + strlen(cpus), 5, "%s%u", i ? "," : "", group->cpus[i]);
	log_call("CREATE group=%u target=%s%s pid=%d cpus=%s%s%s%s%s%s%s%s%s%s buffer=%u",
		 group->nr, targets[group->create.target], group->cgroup, group->create.pid, cpus,
		 group->create.flags & PERFGRP_CREATE_ENABLED ? " ENABLED" : "",
		 group->create.flags & PERFGRP_CREATE_INHERIT ? " INHERIT" : "",
		 group->create.flags & PERFGRP_CREATE_ENABLE_ON_EXEC ? " ENABLE_ON_EXEC" : "",
		 group->create.flags & PERFGRP_CREATE_NO_MUX ? " NO_MUX" : "",
		 group->create.flags & PERFGRP_CREATE_EXCLUSIVE ? " EXCLUSIVE" : "",
		 group->create.flags & PERFGRP_CREATE_OVERWRITE ? " OVERWRITE" : "",
		 group->create.flags & PERFGRP_CREATE_BPF_EVENTS ? " BPF_EVENTS" : "",
		 group->create.flags & PERFGRP_CREATE_SPLIT_BY_CGROUP ? " SPLIT" : "",
		 group->create.flags & PERFGRP_CREATE_MAPPED ? " MAPPED" : "",
		 group->create.buffer_size);
}

static void set_all_cpus(struct group *group)
{
	__u32 i;

	group->nr_cpus = setting_number("cpus", 2);
	for (i = 0; i < group->nr_cpus; i++)
		group->cpus[i] = i;
}

static void set_cpu_list(struct group *group)
{
	const struct perfgrp_create *create = &group->create;

	if (create->nr_cpus > MAX_CPUS)
		die("CREATE: %u CPUs", create->nr_cpus);
	group->nr_cpus = create->nr_cpus;
	memcpy(group->cpus, (void *)(unsigned long)create->cpus,
	       create->nr_cpus * sizeof(*group->cpus));
}

static void set_cpus(struct group *group)
{
	const struct perfgrp_create *create = &group->create;

	switch (create->target) {
	case PERFGRP_TARGET_ALL_CPUS:
		set_all_cpus(group);
		break;
	case PERFGRP_TARGET_CPUS:
		if (!create->nr_cpus)
			die("CREATE: no CPUs");
		set_cpu_list(group);
		break;
	case PERFGRP_TARGET_CGROUP:
		if (create->nr_cpus)
			set_cpu_list(group);
		else
			set_all_cpus(group);
		break;
	case PERFGRP_TARGET_TASK:
	case PERFGRP_TARGET_PIDFD:
		if (create->nr_cpus)
			die("CREATE: a task on a CPU is not simulated");
		break;
	default:
		die("CREATE: target %u", create->target);
	}
}

/* Sets the cgroup's name for the log; returns false if the fd is not that of a directory. */
static bool name_cgroup(int fd, char *text, size_t size)
{
	char link[32], path[PATH_MAX];
	struct stat st;
	ssize_t len;

	if (fstat(fd, &st) || !S_ISDIR(st.st_mode))
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (len < 0)
		return false;
	path[len] = '\0';
	snprintf(text, size, " cgroup=%s", strrchr(path, '/') + 1);
	return true;
}

static int create_group(struct perfgrp_create *create)
{
	const struct line *line;
	struct perfgrp_info info = { .size = sizeof(info) };
	const bool on_cgroup = create->target == PERFGRP_TARGET_CGROUP ||
			       create->flags & PERFGRP_CREATE_SPLIT_BY_CGROUP;
	char cgroup[sizeof(((struct group *)0)->cgroup)] = "";
	struct group *group;
	int fds[2] = { -1, -1 };

	check_size("CREATE", create->size, sizeof(*create));
	line = find_failure("CREATE", ++nr_creations, NONE);
	if (line)
		return fail(create, line, PERFGRP_NONE);
	get_info(&info);
	if (nr_open >= info.max_groups)
		return refuse(create, ENOSPC, PERFGRP_REASON_LIMIT, PERFGRP_NONE,
			      "a user can have no more groups open");
	if (create->fd || create->reserved || create->reserved2)
		die("CREATE: fd or reserved is not 0");
	if (create->flags & PERFGRP_CREATE_INHERIT && create->flags & PERFGRP_CREATE_NO_MUX)
		die("CREATE: INHERIT and NO_MUX");
	if (!(create->flags & PERFGRP_CREATE_SPLIT_BY_CGROUP) &&
	    (create->split_depth || create->split_max))
		die("CREATE: split_depth or split_max, and it is not split");

	if (on_cgroup && !name_cgroup(create->target_fd, cgroup, sizeof(cgroup)))
		return refuse(create, EBADF, PERFGRP_REASON_CGROUP, PERFGRP_NONE,
			      "it is not the directory of a cgroup");

	if (!create->buffer_size && !on_cgroup)
		fds[0] = eventfd(0, EFD_CLOEXEC);
	else if (pipe2(fds, O_CLOEXEC))
		fds[0] = -1;
	if (fds[0] < 0)
		return refuse(create, errno, PERFGRP_REASON_NONE, PERFGRP_NONE, "no file");
	if (fds[0] >= MAX_FDS)
		die("more than %d files", MAX_FDS);

	group = calloc(1, sizeof(*group));
	group->nr = ++nr_created;
	group->create = *create;
	group->records = fds[1];
	memcpy(group->cgroup, cgroup, sizeof(cgroup));
	set_cpus(group);
	nr_open++;
	groups[fds[0]] = group;
	create->fd = fds[0];
	log_create(group);
	return 0;
}

/* ---- the groups' ioctls ---------------------------------------------------- */

static void check_counter(const struct perfgrp_counter *c)
{
	const bool raw = c->flags & PERFGRP_COUNTER_RAW;

	if (c->id || c->pmu || raw == !!c->event || !(c->event >> 63) != raw ||
	    (!raw && (c->type || c->config || c->config1 || c->config2 || c->config3 ||
		      c->bp_type)))
		die("ADD: a counter has fields that are not zero, or no event");
}

static __u32 nr_hardware(const struct group *group)
{
	__u32 nr = 0, i;

	for (i = 0; i < group->nr_members; i++)
		nr += !is_software(&group->members[i]);
	return nr;
}

static int add(struct group *group, struct perfgrp_add *arg)
{
	struct perfgrp_counter *counters = (void *)(unsigned long)arg->counters;
	const __u64 slots = setting_number("slots", MAX_MEMBERS);
	static unsigned int calls;
	const struct line *line;
	__u32 hardware = nr_hardware(group), i;

	check_size("ADD", arg->size, sizeof(*arg));
	check_size("ADD: a counter", arg->counter_size, sizeof(*counters));
	calls++;
	line = find_failure("ADD", calls, NONE);
	if (line)
		return fail(arg, line, 0);
	if (!arg->nr_counters)
		die("ADD: no counters");
	if (group->nr_members + arg->nr_counters > MAX_MEMBERS)
		return refuse(arg, ENOSPC, PERFGRP_REASON_LIMIT, MAX_MEMBERS - group->nr_members,
			      "a group has at most 32 members");
	for (i = 0; i < arg->nr_counters; i++) {
		struct perfgrp_counter *c = &counters[i];

		check_counter(c);
		log_call("ADD group=%u event=%u:0x%llx flags=0x%x precise=%u period=%llu config1=0x%llx",
			 group->nr, PERFGRP_EVENT_TYPE(event_of(c)),
			 c->flags & PERFGRP_COUNTER_RAW ? (unsigned long long)c->config :
			 (unsigned long long)PERFGRP_EVENT_CONFIG(c->event), c->flags,
			 c->precise_ip, (unsigned long long)c->sample_period,
			 (unsigned long long)c->config1);
		line = find_failure("ADD", calls, event_of(c));
		if (line)
			return fail(arg, line, i);
		hardware += !is_software(c);
		if (hardware > slots)
			return refuse(arg, EINVAL, PERFGRP_REASON_PMU_FULL, i,
				      "the PMU cannot count it at the same time");
		if (c->sample_period && !group->create.buffer_size && !setting("program"))
			die("ADD: it samples, and there is no buffer");
	}
	for (i = 0; i < arg->nr_counters; i++) {
		counters[i].id = group->nr_members + 1;
		group->members[group->nr_members++] = counters[i];
	}
	return 0;
}

/* The task has exited, or the cgroup was removed. */
static bool has_ended(const struct group *group)
{
	size_t i;

	for (i = 0; i < nr_lines; i++) {
		const struct line *line = &lines[i];

		if (!strcmp(line->word, "exit") &&
		    (line->group == NONE || line->group == group->nr) &&
		    (line->snap == NONE || group->snaps >= line->snap))
			return true;
	}
	return false;
}

/* If it has ended, closes the write end, so that poll(2) returns POLLHUP. */
static void hang_up(struct group *group)
{
	if (group->records < 0 || !has_ended(group))
		return;
	REAL(close)(group->records);
	group->records = -1;
}

static size_t sample_size(const struct group *group)
{
	return sizeof(struct perfgrp_record_sample) +
	       group->nr_members * sizeof(struct perfgrp_sample_value);
}

static void write_samples(struct group *group)
{
	const struct line *line = setting("samples");
	const __u64 n = line ? line->number : 0;
	const __u32 pid = line && line->pid != NONE ? line->pid : (__u32)getpid();
	__u64 i;
	__u32 j;

	group->overflows += n;
	if (group->records < 0 || !group->create.buffer_size)
		return;
	for (i = 0; i < n && group->nr_members; i++) {
		const __u64 count = ++group->sampled;
		struct {
			struct perfgrp_record_sample sample;
			struct perfgrp_sample_value values[MAX_MEMBERS];
		} record = {
			.sample = {
				.header = {
					.type = PERF_RECORD_SAMPLE,
					.misc = PERF_RECORD_MISC_USER,
					.size = sample_size(group),
				},
				.ip = line->ip != NONE ? line->ip : 0x1000,
				.pid = pid,
				.tid = pid,
				.time = count,
				.id = 1,
				.period = 1,
				.nr = group->nr_members,
				.time_enabled = count,
				.time_running = count,
			},
		};

		for (j = 0; j < group->nr_members; j++)
			record.values[j] = (struct perfgrp_sample_value){ count, j + 1 };
		if (write(group->records, &record, record.sample.header.size) < 0)
			die("too many samples for a pipe");
	}
}

static bool counts_on(const struct group *group, __u32 cpu)
{
	__u32 i;

	for (i = 0; i < group->nr_cpus && group->cpus[i] != cpu; i++)
		;
	return i < group->nr_cpus;
}

/* Counters of a CPU that enabled NO_MUX groups use. */
static __u32 nr_taken(__u32 cpu)
{
	__u32 nr = 0;
	size_t i;

	for (i = 0; i < MAX_FDS; i++)
		if (groups[i] && groups[i]->enabled && counts_on(groups[i], cpu) &&
		    groups[i]->create.flags & PERFGRP_CREATE_NO_MUX)
			nr += nr_hardware(groups[i]);
	return nr;
}

/* Returns a CPU that has no room for a NO_MUX group, or -1. */
static int find_full_cpu(const struct group *group)
{
	const __u32 nr = nr_hardware(group);
	__u32 i;
	size_t j;

	if (!(group->create.flags & PERFGRP_CREATE_NO_MUX) || group->enabled || !nr)
		return -1;
	for (i = 0; i < group->nr_cpus; i++)
		for (j = 0; j < nr_lines; j++)
			if (!strcmp(lines[j].word, "free") &&
			    (lines[j].cpu == NONE || lines[j].cpu == group->cpus[i]) &&
			    nr_taken(group->cpus[i]) + nr > lines[j].number)
				return group->cpus[i];
	return -1;
}

static int control(struct group *group, const char *call, struct perfgrp_control *arg, bool enable)
{
	static unsigned int calls[2];
	const struct line *line;

	check_size(call, arg->size, sizeof(*arg));
	log_call("%s group=%u", call, group->nr);
	line = find_failure(call, ++calls[enable], NONE);
	if (line)
		return fail(arg, line, PERFGRP_NONE);
	if (enable && find_full_cpu(group) >= 0) {
		struct perfgrp_error *out = (void *)(unsigned long)arg->error;

		refuse(arg, EBUSY, PERFGRP_REASON_PMU_BUSY, group->members[0].id,
		       "the PMU has no room now");
		out->cpu = find_full_cpu(group);
		return -1;
	}
	if (enable && !group->enabled)
		write_samples(group);
	if (enable)
		hang_up(group);
	group->enabled = enable;
	return 0;
}

/* Members of one PMU are one scheduling group, led by the first of them. */
static __u32 find_sched_group(const struct group *group, __u32 index, int cpu)
{
	const struct perfgrp_counter *member = &group->members[index];
	__u32 i;

	for (i = 0; i < index && !is_software(member); i++)
		if (!is_software(&group->members[i]) &&
		    pmu_of(&group->members[i], cpu) == pmu_of(member, cpu))
			return group->members[i].id;
	return member->id;
}

static bool applies(const struct line *line, const struct group *group, __u32 index, int cpu,
		    __u64 cgroup)
{
	const struct perfgrp_counter *member = &group->members[index];

	return !strcmp(line->word, "value") &&
	       (line->event == NONE || line->event == event_of(member)) &&
	       (line->group == NONE || line->group == group->nr) &&
	       (line->member == NONE || line->member == member->id) &&
	       (line->snap == NONE || line->snap == group->snaps) &&
	       (line->cpu == NONE || (int)line->cpu == cpu) &&
	       (line->cgroup == NONE || line->cgroup == cgroup);
}

static void set_value(const struct group *group, __u32 index, int cpu, __u64 cgroup,
		      struct perfgrp_value *v)
{
	const struct perfgrp_counter *member = &group->members[index];
	const struct line *line = NULL;
	size_t i;

	for (i = 0; i < nr_lines; i++)
		if (applies(&lines[i], group, index, cpu, cgroup))
			line = &lines[i];
	memset(v, 0, sizeof(*v));
	v->id = member->id;
	v->raw = line && line->raw != NONE ? line->raw : 1000;
	v->time_enabled = line && line->enabled != NONE ? line->enabled : 1000000;
	v->time_running = line && line->running != NONE ? line->running : v->time_enabled;
	v->sched_group = line && line->sched != NONE ? line->sched :
			 find_sched_group(group, index, cpu);
	v->pmu = line && line->pmu != NONE ? line->pmu : pmu_of(member, cpu);
	v->flags = line && line->flags != NONE ? line->flags : 0;
	if (v->flags & PERFGRP_VALUE_ABSENT) {
		v->state = PERFGRP_STATE_COUNTED;
		v->flags |= PERFGRP_VALUE_SCALED;
		v->raw = 0;
		v->time_enabled = 0;
		v->time_running = 0;
		return;
	}
	if (!v->time_running) {
		v->state = PERFGRP_STATE_NEVER_RAN;
		return;
	}
	v->state = v->time_running < v->time_enabled ? PERFGRP_STATE_MULTIPLEXED :
						       PERFGRP_STATE_COUNTED;
	v->scaled = (__uint128_t)v->raw * v->time_enabled / v->time_running;
	v->flags |= PERFGRP_VALUE_SCALED;
}

static void add_value(struct perfgrp_value *sum, const struct perfgrp_value *v)
{
	/* A cgroup that has not run there adds nothing, and nothing is missing. */
	if (v->flags & PERFGRP_VALUE_ABSENT)
		return;
	if (sum->flags & PERFGRP_VALUE_ABSENT) {
		*sum = *v;
		return;
	}
	sum->raw += v->raw;
	sum->scaled += v->scaled;
	sum->time_enabled += v->time_enabled;
	sum->time_running += v->time_running;
	if (sum->sched_group != v->sched_group)
		sum->sched_group = 0;
	if (sum->pmu != v->pmu) {
		sum->pmu = PERFGRP_NONE;
		sum->flags |= PERFGRP_VALUE_MIXED_PMUS;
	}
	if (!(v->flags & PERFGRP_VALUE_SCALED) || !(sum->flags & PERFGRP_VALUE_SCALED))
		sum->flags |= PERFGRP_VALUE_PARTIAL;
	sum->flags |= v->flags;
	sum->state = !sum->time_running ? PERFGRP_STATE_NEVER_RAN :
		     sum->time_running < sum->time_enabled ? PERFGRP_STATE_MULTIPLEXED :
		     PERFGRP_STATE_COUNTED;
}

static bool same_pmus(const struct perfgrp_value *a, const struct perfgrp_value *b, __u32 nr)
{
	__u32 i;

	for (i = 0; i < nr; i++)
		if (a[i].pmu != b[i].pmu)
			return false;
	return true;
}

/* Fills in the rows, or the sums, of one cgroup if the group is split, otherwise of all. */
static __u32 make_cpu_rows(const struct group *group, __u32 flags, __u64 cgroup,
			   struct perfgrp_row *rows, struct perfgrp_value (*values)[MAX_MEMBERS])
{
	__u32 nr = 0, i, j, r;

	for (i = 0; i < group->nr_cpus || i < 1; i++) {
		int cpu = group->nr_cpus ? (int)group->cpus[i] : -1;

		for (j = 0; j < group->nr_members; j++)
			set_value(group, j, cpu, cgroup, &values[nr][j]);
		for (r = 0; flags & PERFGRP_SNAPSHOT_TOTALS && r < nr; r++)
			if (flags & PERFGRP_SNAPSHOT_MIX_PMUS ||
			    same_pmus(values[r], values[nr], group->nr_members))
				break;
		if (flags & PERFGRP_SNAPSHOT_TOTALS && r < nr) {
			for (j = 0; j < group->nr_members; j++)
				add_value(&values[r][j], &values[nr][j]);
			rows[r].nr_cpus++;
			continue;
		}
		rows[nr] = (struct perfgrp_row){
			.cpu = flags & PERFGRP_SNAPSHOT_TOTALS ? -1 : cpu,
			.flags = flags & PERFGRP_SNAPSHOT_TOTALS ? PERFGRP_ROW_TOTAL : 0,
			.nr_values = group->nr_members,
			.nr_cpus = group->nr_cpus ? 1 : 0,
			.first_value = nr * group->nr_members,
			.cgroup_id = cgroup,
		};
		nr++;
	}
	return nr;
}

static __u32 make_split_rows(const struct group *group, __u32 flags, struct perfgrp_row *rows,
			     struct perfgrp_value (*values)[MAX_MEMBERS])
{
	__u32 nr = 0, first, r;
	__u64 cgroup;
	size_t i;

	for (i = 0; i < nr_lines; i++) {
		const struct line *line = &lines[i];

		if (strcmp(line->word, "row") ||
		    (line->snap != NONE && line->snap != group->snaps))
			continue;
		if (nr + group->nr_cpus > MAX_ROWS)
			die("more than %d rows", MAX_ROWS);
		first = nr;
		cgroup = line->cgroup == NONE ? 0 : line->cgroup;
		nr += make_cpu_rows(group, flags, cgroup, rows + nr, values + nr);
		for (r = first; r < nr; r++) {
			rows[r].first_value = r * group->nr_members;
			if (line->flags != NONE)
				rows[r].flags |= line->flags;
		}
	}
	return nr;
}

/* Fills in one row per CPU, or for the task, or sums; returns the number of rows. */
static __u32 make_rows(const struct group *group, __u32 flags, struct perfgrp_row *rows,
		       struct perfgrp_value (*values)[MAX_MEMBERS])
{
	if (group->create.flags & PERFGRP_CREATE_SPLIT_BY_CGROUP)
		return make_split_rows(group, flags, rows, values);
	return make_cpu_rows(group, flags, 0, rows, values);
}

/* A line about a CPU in this snapshot, or NULL. */
static const struct line *line_of_cpu(const struct group *group, const char *word, int cpu)
{
	const struct line *found = NULL;
	size_t i;

	for (i = 0; i < nr_lines; i++)
		if (!strcmp(lines[i].word, word) &&
		    (lines[i].cpu == NONE || (int)lines[i].cpu == cpu) &&
		    (lines[i].group == NONE || lines[i].group == group->nr) &&
		    (lines[i].snap == NONE || lines[i].snap == group->snaps))
			found = &lines[i];
	return found;
}

static __u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* Sets a row's flags, epoch and times. */
static void set_row(const struct group *group, struct perfgrp_row *row)
{
	const struct line *map = line_of_cpu(group, "map", row->cpu);

	if (has_ended(group))
		row->flags |= PERFGRP_ROW_EXITED;
	if (line_of_cpu(group, "offline", row->cpu))
		row->flags |= PERFGRP_ROW_OFFLINE;
	if (map && map->epoch != NONE)
		row->epoch = map->epoch;
	row->time_after = now() - (map && map->age != NONE ? map->age : 0);
	row->time_before = row->time_after;
}

static int snapshot(struct group *group, struct perfgrp_snapshot *arg)
{
	struct perfgrp_value values[MAX_ROWS][MAX_MEMBERS];
	struct perfgrp_value *to = (void *)(unsigned long)arg->values;
	struct perfgrp_row rows[MAX_ROWS], *to_rows = (void *)(unsigned long)arg->rows;
	const struct line *line;
	static unsigned int calls;
	__u32 nr, nr_values, i;

	check_size("SNAPSHOT", arg->size, sizeof(*arg));
	check_size("SNAPSHOT: a row", arg->row_size, sizeof(*rows));
	check_size("SNAPSHOT: a value", arg->value_size, sizeof(**values));
	/* Only successful snapshots count. */
	group->snaps++;
	nr = make_rows(group, arg->flags, rows, values);
	nr_values = nr * group->nr_members;
	if (arg->nr_rows < nr || arg->nr_values < nr_values) {
		group->snaps--;
		arg->nr_rows = nr;
		arg->nr_values = nr_values;
		return refuse(arg, EMSGSIZE, PERFGRP_REASON_BUFFER, PERFGRP_NONE, "no room");
	}
	if (arg->flags & PERFGRP_SNAPSHOT_CACHED &&
	    (!(group->create.flags & PERFGRP_CREATE_MAPPED) ||
	     arg->flags & PERFGRP_SNAPSHOT_RESET))
		die("SNAPSHOT: CACHED with RESET, or of a group that is not mapped");
	log_call("SNAPSHOT group=%u%s%s%s%s", group->nr,
		 arg->flags & PERFGRP_SNAPSHOT_TOTALS ? " TOTALS" : "",
		 arg->flags & PERFGRP_SNAPSHOT_MIX_PMUS ? " MIX_PMUS" : "",
		 arg->flags & PERFGRP_SNAPSHOT_RESET ? " RESET" : "",
		 arg->flags & PERFGRP_SNAPSHOT_CACHED ? " CACHED" : "");
	line = find_failure("SNAPSHOT", ++calls, NONE);
	if (line) {
		group->snaps--;
		return fail(arg, line, PERFGRP_NONE);
	}
	arg->nr_rows = nr;
	arg->nr_values = nr_values;
	for (i = 0; i < nr; i++) {
		set_row(group, &rows[i]);
		to_rows[i] = rows[i];
		memcpy(&to[i * group->nr_members], values[i], group->nr_members * sizeof(*to));
	}
	arg->time_before = setting("time") ? now() : 1000;
	arg->time_after = setting("time") ? now() : 3000;
	arg->generation = 1;
	hang_up(group);
	return 0;
}

static int query(struct group *group, struct perfgrp_query *arg)
{
	check_size("QUERY", arg->size, sizeof(*arg));
	if (arg->counter_size != sizeof(struct perfgrp_counter))
		die("QUERY: a counter has %u bytes", arg->counter_size);
	if (arg->nr_counters < group->nr_members) {
		arg->nr_counters = group->nr_members;
		errno = EMSGSIZE;
		return -1;
	}
	arg->nr_counters = group->nr_members;
	memcpy((void *)(unsigned long)arg->counters, group->members,
	       group->nr_members * sizeof(*group->members));
	arg->create_flags = group->create.flags;
	arg->target = group->create.target;
	arg->enabled = group->enabled;
	return 0;
}

static int stream_stats(struct group *group, struct perfgrp_stream_stats *arg)
{
	int unread = 0;

	check_size("GET_STREAM_STATS", arg->size, sizeof(*arg));
	if (group->create.buffer_size && group->records >= 0)
		REAL(ioctl)(group->records, FIONREAD, &unread);
	arg->read = setting_number("samples", 0) - unread / sample_size(group);
	arg->lost = setting_number("lost", 0);
	arg->filtered = setting_number("filtered", 0);
	arg->produced = setting_number("samples", 0) + arg->lost;
	arg->sample_type = PERFGRP_SAMPLE_TYPE;
	arg->read_format = PERFGRP_READ_FORMAT;
	arg->buffer_size = group->create.buffer_size;
	arg->nr_rings = 2;
	arg->last_ring_size = arg->buffer_size;
	return 0;
}

static int bpf_handle(struct group *group, struct perfgrp_bpf_handle *arg)
{
	const struct line *line;
	static unsigned int calls;

	check_size("GET_BPF_HANDLE", arg->size, sizeof(*arg));
	log_call("GET_BPF_HANDLE group=%u", group->nr);
	line = find_failure("GET_BPF_HANDLE", ++calls, NONE);
	if (line)
		return fail(arg, line, PERFGRP_NONE);
	arg->handle = group->nr;
	return 0;
}

static int bpf_attach(struct group *group, struct perfgrp_bpf_attach *arg)
{
	static unsigned int calls;
	const struct line *line;

	check_size("BPF_ATTACH", arg->size, sizeof(*arg));
	if (arg->id < 1 || arg->id > group->nr_members || arg->prog_id || arg->reserved)
		die("BPF_ATTACH: no such member, or prog_id or reserved is not 0");
	log_call("BPF_ATTACH group=%u member=%u cookie=%llu", group->nr, arg->id,
		 (unsigned long long)arg->cookie);
	line = find_failure("BPF_ATTACH", ++calls, NONE);
	if (line)
		return fail(arg, line, arg->id);
	arg->prog_id = setting_number("program", 0);
	group->programs[arg->id - 1] = *arg;
	return 0;
}

static int bpf_query(const struct group *group, struct perfgrp_bpf_query *arg)
{
	const struct perfgrp_bpf_attach *attached = &group->programs[arg->id - 1];

	check_size("BPF_QUERY", arg->size, sizeof(*arg));
	log_call("BPF_QUERY group=%u member=%u", group->nr, arg->id);
	if (!attached->prog_id)
		return refuse(arg, ENOENT, PERFGRP_REASON_BPF_NONE, arg->id, "no program");
	arg->prog_id = attached->prog_id;
	arg->cookie = attached->cookie;
	arg->attach_flags = attached->flags;
	arg->runs = group->overflows;
	return 0;
}

static int group_ioctl(struct group *group, unsigned long nr, void *arg)
{
	switch (nr) {
	case PERFGRP_ADD:
		return add(group, arg);
	case PERFGRP_ENABLE:
		return control(group, "ENABLE", arg, true);
	case PERFGRP_DISABLE:
		return control(group, "DISABLE", arg, false);
	case PERFGRP_RESET:
		log_call("RESET group=%u", group->nr);
		return 0;
	case PERFGRP_SNAPSHOT:
		return snapshot(group, arg);
	case PERFGRP_QUERY:
		return query(group, arg);
	case PERFGRP_GET_STREAM_STATS:
		return stream_stats(group, arg);
	case PERFGRP_GET_BPF_HANDLE:
		return bpf_handle(group, arg);
	case PERFGRP_BPF_ATTACH:
		return bpf_attach(group, arg);
	case PERFGRP_BPF_QUERY:
		return bpf_query(group, arg);
	}
	die("ioctl 0x%lx of a group is not simulated", nr);
}

/* ---- mapped rows ------------------------------------------------------------- */

#define SLOT_SIZE	(64 + MAX_MEMBERS * sizeof(struct perfgrp_value))

/* Updates all rows: adds the script's values to the counts. */
static void write_slots(struct group *group)
{
	struct perfgrp_value values[MAX_ROWS][MAX_MEMBERS];
	struct perfgrp_row rows[MAX_ROWS];
	__u32 nr, i, j;

	group->snaps++;
	nr = make_rows(group, 0, rows, values);
	for (i = 0; i < nr && i < MAX_CPUS; i++) {
		struct perfgrp_map_slot *slot = (void *)((char *)group->map +
							 group->map->slot_offset + i * SLOT_SIZE);
		struct perfgrp_value *to = (void *)((char *)slot + group->map->values_offset);
		const struct line *map = line_of_cpu(group, "map", rows[i].cpu);

		set_row(group, &rows[i]);
		slot->generation = group->map->generation;
		slot->at_rest = map && map->rest == 1;
		rows[i].first_value = 0;
		slot->row = rows[i];
		for (j = 0; j < group->nr_members; j++) {
			const struct perfgrp_value before = to[j];

			to[j] = values[i][j];
			to[j].raw += before.raw;
			to[j].scaled += before.scaled;
			to[j].time_enabled += before.time_enabled;
			to[j].time_running += before.time_running;
		}
		slot->seq += 2;
	}
}

/* All mappings share the same pages; the first page says how many there are. */
static void *map_rows(struct group *group, size_t len)
{
	const size_t size = (64 + MAX_CPUS * SLOT_SIZE + 4095) & ~4095UL;

	if (!(group->create.flags & PERFGRP_CREATE_MAPPED))
		die("mmap: the group is not MAPPED");
	if (!group->map) {
		group->map = REAL(mmap)(NULL, size, PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		*group->map = (struct perfgrp_map){
			.size = sizeof(*group->map), .map_size = size, .slot_offset = 64,
			.slot_size = SLOT_SIZE, .nr_slots = MAX_CPUS,
			.values_offset = sizeof(struct perfgrp_map_slot),
			.value_size = sizeof(struct perfgrp_value), .generation = 1,
		};
		write_slots(group);
	}
	log_call("MMAP group=%u", group->nr);
	/* Creates another mapping of the same pages. */
	return mremap(group->map, 0, len, MREMAP_MAYMOVE);
}

/* Advances the clock and the mapped rows after the tool has waited. */
static void let_time_pass(void)
{
	size_t i;

	fake_time += setting_number("time", 0);
	for (i = 0; i < MAX_FDS; i++)
		if (groups[i] && groups[i]->map)
			write_slots(groups[i]);
}

/* ---- perf events that only output records ---------------------------------- */

static int sideband_fd = -1;

static bool is_sideband(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY &&
	       attr->task;
}

/* Opens an event; its ring is mapped next. */
static int open_sideband(void)
{
	static unsigned int nr;
	const struct line *line = find_failure("SIDEBAND", ++nr, NONE);

	if (line) {
		errno = line->error;
		return -1;
	}
	sideband_fd = eventfd(0, EFD_CLOEXEC);
	return sideband_fd;
}

/* Maps a ring that stays empty. */
static void *map_sideband(size_t len)
{
	static unsigned int nr;
	const struct line *line = find_failure("SIDEBAND_MMAP", ++nr, NONE);

	if (line) {
		errno = line->error;
		return MAP_FAILED;
	}
	return REAL(mmap)(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* ---- functions that override libc's ---------------------------------------- */

long syscall(long nr, ...)
{
	long args[6];
	va_list ap;
	size_t i;

	va_start(ap, nr);
	for (i = 0; i < ARRAY_SIZE(args); i++)
		args[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == SYS_perf_event_open && is_sideband((const void *)args[0]))
		return open_sideband();
	return REAL(syscall)(nr, args[0], args[1], args[2], args[3], args[4], args[5]);
}

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	if (fd >= 0 && fd == sideband_fd)
		return map_sideband(len);
	if (fd >= 0 && fd < MAX_FDS && groups[fd] && offset == (off_t)PERFGRP_MMAP_ROWS)
		return map_rows(groups[fd], len);
	return REAL(mmap)(addr, len, prot, flags, fd, offset);
}

int poll(struct pollfd *fds, nfds_t nr, int timeout)
{
	int ret = REAL(poll)(fds, nr, timeout);

	if (timeout < 0)
		let_time_pass();
	return ret;
}

/* Sets the time of CLOCK_REALTIME; returns false if it is the real one. */
static bool set_date(struct timespec *ts)
{
	static unsigned int reads;
	const struct line *date = NULL;
	size_t i;

	load();
	reads++;
	for (i = 0; i < nr_lines; i++)
		if (!strcmp(lines[i].word, "date") &&
		    (lines[i].from == NONE || reads >= lines[i].from))
			date = &lines[i];
	if (!date)
		return false;
	ts->tv_sec = date->number / NSEC_PER_SEC;
	ts->tv_nsec = date->number % NSEC_PER_SEC;
	return true;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	__u64 time;

	if (id == CLOCK_REALTIME && set_date(ts))
		return 0;
	if (id == CLOCK_REALTIME || (!setting_number("time", 0) && !setting_number("tick", 0)))
		return REAL(clock_gettime)(id, ts);
	/* Not 0, which would disarm a timer. */
	if (!fake_time)
		fake_time = setting_number("time", 1);
	if (id == CLOCK_MONOTONIC)
		fake_time += setting_number("tick", 0);
	time = id == CLOCK_MONOTONIC ? fake_time : fake_time / 1000;
	ts->tv_sec = time / NSEC_PER_SEC;
	ts->tv_nsec = time % NSEC_PER_SEC;
	return 0;
}

/* Returns the name of the file below FAKE_ROOT that replaces @path, or @path itself. */
static const char *redirect(const char *path, char *buf, size_t size)
{
	const char *root = getenv("FAKE_ROOT");

	if (!root || *path != '/')
		return path;
	snprintf(buf, size, "%s%s", root, path);
	return faccessat(AT_FDCWD, buf, F_OK, AT_SYMLINK_NOFOLLOW) ? path : buf;
}

FILE *fopen(const char *path, const char *mode)
{
	char buf[PATH_MAX];

	return REAL(fopen)(redirect(path, buf, sizeof(buf)), mode);
}

DIR *opendir(const char *path)
{
	char buf[PATH_MAX];

	return REAL(opendir)(redirect(path, buf, sizeof(buf)));
}

int access(const char *path, int mode)
{
	const char *target;
	char buf[PATH_MAX];
	struct stat st;

	target = redirect(path, buf, sizeof(buf));
	if (target == buf && mode != F_OK && !stat(target, &st) && !(st.st_mode & 0777)) {
		errno = EACCES;
		return -1;
	}
	return REAL(access)(target, mode);
}

ssize_t readlink(const char *path, char *to, size_t size)
{
	char buf[PATH_MAX];

	return REAL(readlink)(redirect(path, buf, sizeof(buf)), to, size);
}

int open(const char *path, int flags, ...)
{
	const struct line *line;
	mode_t mode = 0;

	if (flags & (O_CREAT | O_TMPFILE)) {
		va_list ap;

		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		va_end(ap);
	}
	if (strcmp(path, DEVICE))
		return REAL(open)(path, flags, mode);
	line = setting("open");
	if (line) {
		errno = line->error;
		return -1;
	}
	device_fd = REAL(open)("/dev/null", flags);
	return device_fd;
}

int close(int fd)
{
	if (fd >= 0 && fd == sideband_fd)
		sideband_fd = -1;
	if (fd >= 0 && fd == device_fd) {
		device_fd = -1;
	} else if (fd >= 0 && fd < MAX_FDS && groups[fd]) {
		log_call("CLOSE group=%u", groups[fd]->nr);
		if (groups[fd]->records >= 0)
			REAL(close)(groups[fd]->records);
		if (groups[fd]->map)
			munmap(groups[fd]->map, groups[fd]->map->map_size);
		free(groups[fd]);
		groups[fd] = NULL;
		nr_open--;
	}
	return REAL(close)(fd);
}

int ioctl(int fd, unsigned long nr, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, nr);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (fd >= 0 && fd == device_fd) {
		if (nr == PERFGRP_GET_INFO)
			return get_info(arg);
		if (nr == PERFGRP_CREATE)
			return create_group(arg);
		die("ioctl 0x%lx of the device is not simulated", nr);
	}
	if (fd >= 0 && fd < MAX_FDS && groups[fd])
		return group_ioctl(groups[fd], nr, arg);
	return REAL(ioctl)(fd, nr, arg);
}

/* ---- functions that override libbpf's -------------------------------------- */

int bpf_prog_get_fd_by_id(__u32 id)
{
	if (!setting("program"))
		return REAL(bpf_prog_get_fd_by_id)(id);
	if (id == setting_number("program", 0))
		return REAL(open)("/dev/null", O_RDONLY | O_CLOEXEC);
	errno = ENOENT;
	return -1;
}

int bpf_obj_get_info_by_fd(int fd, void *to, __u32 *len)
{
	struct bpf_prog_info *info = to;

	if (!setting("program"))
		return REAL(bpf_obj_get_info_by_fd)(fd, to, len);
	info->id = setting_number("program", 0);
	info->type = BPF_PROG_TYPE_PERF_EVENT;
	snprintf(info->name, sizeof(info->name), "sampler");
	return 0;
}

/* ---- options --------------------------------------------------------------- */

/* Prints "-x" and "--name" of all options, with " VALUE" if they require one. */
static void print_options(const char *letters, const struct option *table)
{
	for (; *letters; letters++)
		if (*letters != ':' && *letters != '+')
			printf("-%c%s\n", *letters,
			       letters[1] == ':' && letters[2] != ':' ? " VALUE" : "");
	for (; table->name; table++)
		printf("--%s%s\n", table->name,
		       table->has_arg == required_argument ? " VALUE" : "");
}

int getopt_long(int argc, char *const *argv, const char *letters, const struct option *table,
		int *index)
{
	if (!getenv("FAKE_OPTIONS") || strcmp(program_invocation_short_name, "perfgrp"))
		return REAL(getopt_long)(argc, argv, letters, table, index);
	print_options(letters, table);
	exit(0);
}
