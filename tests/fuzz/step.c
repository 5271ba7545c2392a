// SPDX-License-Identifier: GPL-2.0
/*
 * A process and its threads: they share fds, and at each step do one thing with one of them.
 */
#include "fuzz.h"
#include "../../userspace/lib/perfgrp.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOBODY		65534
#define PAGE		4096UL
#define WAKE_NS		5000000	/* how often a thread that waits for records is interrupted */

int device = -1;
int own_programs[NR_PROGRAMS];

static struct life life;

/* ---- small files ---------------------------------------------------------- */

bool read_text(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, room - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	text[n] = '\0';
	return true;
}

bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return written;
}

/* ---- programs ------------------------------------------------------------- */

static long bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int make_map(enum bpf_map_type type)
{
	union bpf_attr attr = {
		.map_type = type,
		.key_size = type == BPF_MAP_TYPE_LPM_TRIE ? 8 : 4,
		.value_size = 8,
		.max_entries = 4,
		.map_flags = type == BPF_MAP_TYPE_LPM_TRIE ? BPF_F_NO_PREALLOC : 0,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

#define INSN(c, d, s, o, i) { .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }

/* Returns RET after it has written to the map, if there is one; an fd, or -1. */
static int load(enum bpf_prog_type type, int map, int ret)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 0),
		INSN(BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -16, 1),
		INSN(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, -8),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_3, BPF_REG_10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_3, 0, 0, -16),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_4, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_update_elem),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, ret),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	unsigned int first = map < 0 ? ARRAY_SIZE(insns) - 2 : 0;
	union bpf_attr attr = {
		.prog_type = type,
		.insns = (uintptr_t)(insns + first),
		.insn_cnt = ARRAY_SIZE(insns) - first,
		.license = (uintptr_t)"GPL",
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

/* Before 6.13, also in an NMI, of which the kernel complains: see test_bpf_maps. */
static bool tries_call_kmalloc(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	uname(&name);
	if (sscanf(name.release, "%u.%u", &major, &minor) != 2)
		return true;
	return major < 6 || (major == 6 && minor < 13);
}

/* One of NR_PROGRAMS: most can be attached to some counters, one to none. */
int load_program(unsigned int which)
{
	static const enum bpf_map_type types[] = { BPF_MAP_TYPE_ARRAY, BPF_MAP_TYPE_HASH,
						   BPF_MAP_TYPE_LPM_TRIE };
	enum bpf_map_type type;
	int map, fd;

	if (which < 2)
		return load(BPF_PROG_TYPE_PERF_EVENT, -1, which);
	if (which == 2)
		return load(BPF_PROG_TYPE_SOCKET_FILTER, -1, 0);
	type = types[which - 3];
	if (type == BPF_MAP_TYPE_LPM_TRIE && tries_call_kmalloc())
		type = BPF_MAP_TYPE_LRU_HASH;
	map = make_map(type);
	if (map < 0)
		return -1;
	fd = load(BPF_PROG_TYPE_PERF_EVENT, map, 1);
	close(map);
	return fd;
}

/* ---- fds that threads share ----------------------------------------------- */

static struct slot {
	pthread_mutex_t lock;
	struct handle handle;
} slots[NR_SLOTS];

/* Puts it there and closes what was there. */
static void put_handle(unsigned int slot, const struct handle *h)
{
	struct handle old;

	pthread_mutex_lock(&slots[slot].lock);
	old = slots[slot].handle;
	slots[slot].handle = *h;
	pthread_mutex_unlock(&slots[slot].lock);
	if (old.fd >= 0)
		close(old.fd);
}

static const struct handle no_handle = { .fd = -1 };

/* An fd of the caller's own on the same file. */
static struct handle pin_handle(unsigned int slot)
{
	struct handle h;

	pthread_mutex_lock(&slots[slot].lock);
	h = slots[slot].handle;
	if (h.fd >= 0)
		h.fd = fcntl(h.fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&slots[slot].lock);
	return h.fd >= 0 ? h : no_handle;
}

/* Its number, which others may close at any time. */
int any_fd(struct thread *t)
{
	unsigned int kind = below(t, 6), slot = below(t, NR_SLOTS), number = below(t, 40);

	switch (kind) {
	case 0:
		return device;
	case 1:
		return own_programs[number % NR_PROGRAMS];
	case 2:
	case 3:
		return (int)number - 1;
	default:
		return read_once(slots[slot].handle.fd);
	}
}

/* ---- groups --------------------------------------------------------------- */

static void note_group(const struct call *c, struct handle *h)
{
	const struct perfgrp_create *create = &c->arg.create;
	struct known *g;

	h->group = add_one(shared->next_group) % NR_GROUPS;
	g = &shared->known[h->group];
	h->stamp = add_one(g->stamp);
	g->flags = create->flags;
	g->target = create->target == PERFGRP_TARGET_PIDFD ? PERFGRP_TARGET_TASK : create->target;
	g->clockid = create->flags & PERFGRP_CREATE_USE_CLOCKID ? create->clockid :
								  CLOCK_MONOTONIC;
	g->buffer = create->buffer_size;
	g->callchains = create->sample_type & PERF_SAMPLE_CALLCHAIN;
	g->clock_period = 0;
	g->newest = 0;
	memset(g->recent, 0, sizeof(g->recent));
}

static void check_new_fd(struct thread *t, struct call *c, int fd)
{
	int flags = fcntl(fd, F_GETFD);

	if (flags < 0 || !(flags & FD_CLOEXEC))
		violation(t, c, "fd %d is not open, or not close-on-exec", fd);
}

static struct call *new_call(struct thread *t, unsigned int index, const struct handle *h)
{
	static __thread struct call call;

	make_call(t, &call, index, h);
	call.pinned = true;
	if (one_in(t, 4))
		kcov_recall(t, &call);
	while (one_in(t, 4))
		make_wrong(t, &call);
	return &call;
}

static void step_create(struct thread *t, unsigned int slot)
{
	struct handle h = { .fd = device, .kind = KIND_DEVICE };
	struct call *c = new_call(t, I_CREATE, &h);

	do_call(t, c);
	if (c->ret || c->index != I_CREATE)
		return;
	h.fd = ((const struct perfgrp_create *)c->at)->fd;
	h.kind = KIND_GROUP;
	check_new_fd(t, c, h.fd);
	note_group(c, &h);
	put_handle(slot, &h);
}

static void take_reader(struct thread *t, struct call *c)
{
	unsigned int slot = NR_OWN_SLOTS + below(t, NR_SLOTS - NR_OWN_SLOTS);
	struct handle h = c->handle;

	h.fd = ((const struct perfgrp_reader *)c->at)->fd;
	h.kind = c->arg.flags & PERFGRP_READER_RECORDS ? KIND_READER : KIND_VIEWER;
	check_new_fd(t, c, h.fd);
	if (c->handle.kind == KIND_VIEWER && h.kind == KIND_READER)
		violation(t, c, "who may not read records gave that right away");
	if (c->handle.kind < KIND_GROUP || t->forked) {
		close(h.fd);
		return;
	}
	put_handle(slot, &h);
}

static __u64 generation(const struct handle *h)
{
	struct perfgrp_counter counters[MAX_MEMBERS];
	struct perfgrp_query query = {
		.size = sizeof(query),
		.counters = (uintptr_t)counters,
		.counter_size = sizeof(counters[0]),
		.nr_counters = MAX_MEMBERS,
	};

	return ioctl(h->fd, PERFGRP_QUERY, &query) ? 0 : query.generation;
}

static void step_call(struct thread *t, struct handle *h)
{
	/* ADD more often than what takes away. */
	static const __u8 weights[] = {
		I_ADD, I_ADD, I_ADD, I_ADD, I_ADD, I_REMOVE, I_ENABLE, I_ENABLE, I_DISABLE, I_RESET,
		I_SNAPSHOT, I_SNAPSHOT, I_SNAPSHOT, I_SNAPSHOT, I_QUERY, I_QUERY, I_READER,
		I_PERIOD, I_PERIOD, I_STATS, I_ATTACH, I_ATTACH, I_REPLACE, I_DETACH, I_BPF_QUERY,
		I_HANDLE, I_INFO, I_EVENTS_ON, I_EVENTS_OFF,
	};
	unsigned int index = weights[below(t, ARRAY_SIZE(weights))];
	bool look = one_in(t, 4) && (index == I_ADD || index == I_REMOVE || index == I_RESET);
	struct handle on_device = { .fd = device, .kind = KIND_DEVICE };
	__u64 before, after;
	struct call *c;

	/* Some on the wrong kind of fd. */
	if (one_in(t, 40) ? index != I_INFO : index == I_INFO)
		h = &on_device;
	c = new_call(t, index, h);
	before = look ? generation(h) : 0;
	do_call(t, c);
	if (!c->ret && c->index == I_READER)
		take_reader(t, c);
	after = before ? generation(h) : 0;
	if (after && (after < before || (after == before && !c->ret && c->index != I_WRONG)))
		violation(t, c, "the generation went from %llu to %llu", before, after);
}

/* On a number that others close, and that may be another file's by then. */
static void step_race(struct thread *t, unsigned int slot)
{
	struct handle h = { .kind = KIND_NONE };
	unsigned int index = I_INFO + below(t, I_WRONG);
	struct call *c;

	h.fd = read_once(slots[slot].handle.fd);
	if (h.fd < 0)
		return;
	c = new_call(t, index, &h);
	c->pinned = false;
	do_call(t, c);
	if (!c->ret && c->index == I_READER)
		take_reader(t, c);
	if (!c->ret && c->index == I_CREATE)
		close(((const struct perfgrp_create *)c->at)->fd);
}

/* ---- a group that is looked at again and again ---------------------------- */

static void watch_another(struct thread *t, unsigned int slot)
{
	if (t->watch.handle.fd >= 0)
		close(t->watch.handle.fd);
	t->watch.handle = pin_handle(slot);
	t->watch.valid = false;
	memset(&t->watch.stats, 0, sizeof(t->watch.stats));
}

static void watch_stats(struct thread *t)
{
	struct perfgrp_stream_stats *old = &t->watch.stats, now = { .size = sizeof(now) };

	if (ioctl(t->watch.handle.fd, PERFGRP_GET_STREAM_STATS, &now))
		return;
	if (now.produced < old->produced || now.read < old->read || now.lost < old->lost ||
	    now.filtered < old->filtered)
		violation(t, NULL, "stream statistics went back: produced %llu to %llu, read %llu to %llu, lost %llu to %llu, filtered %llu to %llu",
			  old->produced, now.produced, old->read, now.read, old->lost, now.lost,
			  old->filtered, now.filtered);
	*old = now;
}

static void step_watch(struct thread *t, unsigned int slot)
{
	struct watch *w = &t->watch;
	static __thread struct call c;
	struct perfgrp_snapshot hdr = { 0 };
	bool change = one_in(t, 24), reset = one_in(t, 30);

	if (w->handle.fd < 0 || change)
		watch_another(t, slot);
	if (w->handle.fd < 0)
		return;
	make_call(t, &c, I_SNAPSHOT, &w->handle);
	if (c.array_wrong)
		return;
	c.pinned = true;
	c.arg.flags = reset ? PERFGRP_SNAPSHOT_RESET : 0;
	c.arg.snapshot.max_age = 0;
	do_call(t, &c);
	if (c.ret)
		return;
	memcpy(&hdr, c.at, c.size);
	hdr.flags = 0;
	if (w->valid)
		check_progress(t, &c, w, &hdr, (void *)t->rows.start, (void *)t->values.start);
	w->valid = hdr.nr_rows <= MAX_ROWS && hdr.nr_values <= MAX_VALUES;
	if (!w->valid)
		return;
	w->hdr = hdr;
	memcpy(w->row, t->rows.start, hdr.nr_rows * sizeof(w->row[0]));
	memcpy(w->value, t->values.start, hdr.nr_values * sizeof(w->value[0]));
	watch_stats(t);
}

/* ---- what is no ioctl ----------------------------------------------------- */

static void note_call(unsigned int index, int err)
{
	add_one(shared->calls[index]);
	if (err > 0 && err < MAX_ERRNO)
		add_one(shared->errors[index][err]);
}

static void step_read(struct thread *t, const struct handle *h)
{
	static const int known[] = { EAGAIN, EINTR, EINVAL, EMSGSIZE, EFAULT, EACCES,
				     EBUSY };
	bool nonblock = !one_in(t, 4), wrong = one_in(t, 8);
	size_t room = 1UL << below(t, 18), some = below(t, 200);
	char *to = wrong ? t->values.end - some : t->values.start;
	unsigned int i;
	ssize_t n;
	int err;

	/* Whoever shares the file is affected as well. */
	fcntl(h->fd, F_SETFL, nonblock ? O_NONBLOCK : 0);
	n = read(h->fd, to, room);
	err = n < 0 ? errno : 0;
	note_call(I_READ, err);
	if (n > 0)
		check_records(t, h, to, n, room);
	if (n >= 0 && h->kind == KIND_VIEWER)
		violation(t, NULL, "read(2) on an fd that may not read records returned %zd", n);
	for (i = 0; err && i < ARRAY_SIZE(known) && known[i] != err; i++)
		;
	if (i == ARRAY_SIZE(known))
		violation(t, NULL, "read(2) failed with errno %d", err);
}

static void step_poll(struct thread *t, const struct handle *h)
{
	struct pollfd pollfd = { .fd = h->fd, .events = POLLIN | POLLOUT };
	int ret = poll(&pollfd, 1, below(t, 3));

	note_call(I_POLL, ret < 0 ? errno : 0);
	if (ret < 0 && errno != EINTR)
		violation(t, NULL, "poll(2) failed with errno %d", errno);
	if (ret > 0 && pollfd.revents & ~(POLLIN | POLLERR | POLLHUP))
		violation(t, NULL, "poll(2) returned %#x", pollfd.revents);
}

/* What must hold of a ring that has just been mapped, whoever writes to it. */
static void check_ring(struct thread *t, const struct perf_event_mmap_page *page, size_t size)
{
	if (page->data_offset != PAGE || page->data_size != size - PAGE)
		violation(t, NULL, "a ring has its data at %#llx+%#llx, its pages are %zu bytes",
			  (unsigned long long)page->data_offset,
			  (unsigned long long)page->data_size, size);
}

/* A mapping is kept until the next one, and so may be all that is left of its group. */
static void step_mmap(struct thread *t, const struct handle *h)
{
	static const int known[] = { EINVAL, EACCES, EOPNOTSUPP, ENXIO, ENOMEM, ENODEV };
	const struct known *g = known_of(h);
	unsigned int ring = below(t, shared->nr_cpus + 2), pages = 1 + below(t, 8);
	bool writes = one_in(t, 3), wrong = one_in(t, 4);
	size_t size = PAGE, i;
	__u64 tail = draw(t);
	int err;

	if (t->mapped)
		munmap(t->mapped, t->mapped_size);
	t->mapped = NULL;
	while (g && size < read_once(g->buffer))
		size *= 2;
	size = PAGE + (size == PAGE ? 2 * PAGE : size);
	if (wrong)
		size = pages * PAGE;
	t->mapped = mmap(NULL, size, writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
			 h->fd, ring * size);
	err = t->mapped == MAP_FAILED ? errno : 0;
	note_call(I_MMAP, err);
	if (err) {
		t->mapped = NULL;
		for (i = 0; i < ARRAY_SIZE(known) && known[i] != err; i++)
			;
		if (i == ARRAY_SIZE(known))
			violation(t, NULL, "mmap(2) failed with errno %d", err);
		return;
	}
	t->mapped_size = size;
	check_ring(t, t->mapped, size);
	/* As a good reader does, or what nobody should. */
	if (writes)
		write_once(t->mapped->data_tail,
			   tail & 1 ? read_once(t->mapped->data_head) : tail);
}

/* All slots as one snapshot; false if the group was changed meanwhile. */
static bool read_map(const struct perfgrp_map *map, struct perfgrp_snapshot *hdr,
		     struct perfgrp_row *rows, struct perfgrp_value *values)
{
	__u64 generation;
	__u32 i;
	int nr;

	*hdr = (struct perfgrp_snapshot){
		.time_before = ~0ULL, .generation = read_once(map->generation) };
	for (i = 0; i < map->nr_slots && hdr->nr_rows < MAX_ROWS; i++) {
		nr = perfgrp_map_read_slot(map, i, &rows[hdr->nr_rows], values + hdr->nr_values,
					   MAX_VALUES - hdr->nr_values, &generation);
		if (nr < 0)
			continue;
		if (generation != hdr->generation)
			return false;
		rows[hdr->nr_rows].first_value = hdr->nr_values;
		if (hdr->time_before > rows[hdr->nr_rows].time_before)
			hdr->time_before = rows[hdr->nr_rows].time_before;
		if (hdr->time_after < rows[hdr->nr_rows].time_after)
			hdr->time_after = rows[hdr->nr_rows].time_after;
		hdr->nr_rows++;
		hdr->nr_values += nr;
	}
	return hdr->nr_rows && read_once(map->generation) == hdr->generation;
}

/* Rows that are mapped: what holds for a snapshot holds for them. */
static void step_map_rows(struct thread *t, const struct handle *h)
{
	static const int known[] = { EINVAL, EACCES, ENOMEM, ENODEV };
	static __thread struct perfgrp_value values[MAX_VALUES];
	static __thread struct perfgrp_row rows[MAX_ROWS];
	bool writes = one_in(t, 8), twice = one_in(t, 2);
	const struct perfgrp_map *map;
	struct perfgrp_snapshot hdr;
	size_t size = PAGE, i;
	int err;

	map = mmap(NULL, size, writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, h->fd,
		   PERFGRP_MMAP_ROWS);
	err = map == MAP_FAILED ? errno : 0;
	note_call(I_MMAP, err);
	if (err) {
		for (i = 0; i < ARRAY_SIZE(known) && known[i] != err; i++)
			;
		if (i == ARRAY_SIZE(known))
			violation(t, NULL, "mmap(2) of rows failed with errno %d", err);
		return;
	}
	if (writes)
		violation(t, NULL, "rows can be written");
	size = map->map_size;
	munmap((void *)map, PAGE);
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, h->fd, PERFGRP_MMAP_ROWS);
	note_call(I_MMAP, map == MAP_FAILED ? errno : 0);
	if (map == MAP_FAILED)
		return;
	for (i = 0; i < 1 + (size_t)twice; i++)
		if (read_map(map, &hdr, rows, values))
			check_snapshot(t, NULL, &hdr, rows, values);
	munmap((void *)map, size);
}

/* Calls that none of our fds supports. */
static void step_others(struct thread *t, const struct handle *h)
{
	if (write(h->fd, "", 1) >= 0)
		violation(t, NULL, "write(2) succeeded");
	lseek(h->fd, 0, SEEK_SET);
}

static void step_fdinfo(struct thread *t, const struct handle *h)
{
	char path[64], text[8192];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", h->fd);
	if (read_text(path, text, sizeof(text))) {
		note_call(I_FDINFO, 0);
		if (!strstr(text, "flags:"))
			violation(t, NULL, "fdinfo is '%.200s'", text);
	} else {
		note_call(I_FDINFO, errno);
	}
}

/* ---- fds that go elsewhere ------------------------------------------------ */

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

static void step_send(const struct handle *h)
{
	struct handle told = *h;
	struct iovec iov = { .iov_base = &told, .iov_len = sizeof(told) };
	union control control = {};
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&msg);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &h->fd, sizeof(int));
	sendmsg(life.to, &msg, MSG_DONTWAIT);
}

static void step_receive(unsigned int slot)
{
	struct handle h;
	struct iovec iov = { .iov_base = &h, .iov_len = sizeof(h) };
	union control control = {};
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *header;

	if (recvmsg(life.from, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != sizeof(h))
		return;
	header = CMSG_FIRSTHDR(&msg);
	if (!header || header->cmsg_type != SCM_RIGHTS)
		return;
	memcpy(&h.fd, CMSG_DATA(header), sizeof(int));
	put_handle(h.kind == KIND_GROUP ? slot % NR_OWN_SLOTS : slot, &h);
}

/* A child that has the same fds, uses one, and dies in one way or another. */
static void step_fork(struct thread *t, struct handle *h)
{
	unsigned int end = below(t, 4);
	pid_t pid = fork();
	unsigned int i;

	if (pid == 0) {
		/* Its own, not the parent's. */
		t->forked = true;
		t->fail_nth = -1;
		t->kcov = -1;
		t->random = mix(t->random + 1);
		for (i = 0; i < 3; i++)
			step_call(t, h);
		if (end == 0)
			raise(SIGKILL);
		if (end == 1)
			execl("/bin/true", "true", NULL);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* ---- threads -------------------------------------------------------------- */

static void step(struct thread *t)
{
	unsigned int slot = below(t, NR_SLOTS), other = below(t, NR_SLOTS), kind = below(t, 128);
	struct handle h = no_handle;

	if (t->step < 4 || kind < 8) {
		step_create(t, slot % NR_OWN_SLOTS);
		return;
	}
	if (kind < 14) {
		step_race(t, slot);
		return;
	}
	if (kind < 40) {
		step_watch(t, slot);
		return;
	}
	if (kind == 40) {
		put_handle(slot, &no_handle);
		return;
	}
	if (kind < 44) {
		step_receive(slot);
		return;
	}
	if (kind == 44) {
		int fd = load_program(other % NR_PROGRAMS);

		if (fd >= 0)
			close(fd);
		return;
	}
	if (kind == 45) {
		breakpoint_here++;
		sched_yield();
		return;
	}
	h = pin_handle(slot);
	if (h.fd < 0)
		return;
	if (kind < 50)
		step_read(t, &h);
	else if (kind < 53)
		step_poll(t, &h);
	else if (kind == 53)
		step_mmap(t, &h);
	else if (kind == 54)
		step_map_rows(t, &h);
	else if (kind == 55)
		step_others(t, &h);
	else if (kind < 57)
		step_fdinfo(t, &h);
	else if (kind < 60)
		step_send(&h);
	else if (kind == 60)
		step_fork(t, &h);
	else
		step_call(t, &h);
	/* It becomes another slot's, now and then. */
	if (one_in(t, 32) && (h.kind == KIND_GROUP || other >= NR_OWN_SLOTS))
		put_handle(other, &h);
	else
		close(h.fd);
}

static void open_fail_nth(struct thread *t)
{
	char path[64];

	t->fail_nth = -1;
	if (!shared->faults)
		return;
	snprintf(path, sizeof(path), "/proc/self/task/%ld/fail-nth", syscall(SYS_gettid));
	t->fail_nth = open(path, O_RDWR | O_CLOEXEC);
}

static volatile unsigned int threads_left;

static void *run_thread(void *arg)
{
	struct thread *t = arg;
	uint64_t seed = mix(mix(mix(shared->seed + t->process) + t->life) + t->number);

	t->watch.handle = no_handle;
	open_fail_nth(t);
	if (!make_areas(t)) {
		violation(t, NULL, "no memory");
		goto out;
	}
	kcov_begin(t);
	for (t->step = 0; !read_once(shared->stop); t->step++) {
		if (shared->steps && t->step >= shared->steps)
			break;
		t->random = mix(seed + t->step);
		step(t);
		add_one(shared->done);
	}
	if (t->watch.handle.fd >= 0)
		close(t->watch.handle.fd);
out:
	__atomic_sub_fetch(&threads_left, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* All known fds are closed; is there one that nobody knows? */
static void check_fds(const struct thread *t)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	char path[300], to[64];
	ssize_t n;

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		n = readlink(path, to, sizeof(to) - 1);
		if (n <= 0)
			continue;
		to[n] = '\0';
		if (strstr(to, "[perfgrp]"))
			violation(t, NULL, "fd %s is a group that no call has returned",
				  entry->d_name);
	}
	if (dir)
		closedir(dir);
}

static void interrupted(int signal)
{
	(void)signal;
}

/* As nobody, where the module lets them; what root has opened stays open. */
static bool become_nobody(void)
{
	return !setgid(NOBODY) && !setuid(NOBODY) && !prctl(PR_SET_DUMPABLE, 1);
}

static void prepare_process(void)
{
	struct sigaction action = { .sa_handler = interrupted };
	char text[32];
	unsigned int i;

	sigaction(SIGALRM, &action, NULL);
	device = open("/dev/perfgrp", O_RDWR | O_CLOEXEC);
	for (i = 0; i < NR_PROGRAMS; i++)
		own_programs[i] = load_program(i);
	if (read_text("/sys/kernel/tracing/events/sched/sched_switch/id", text, sizeof(text)))
		tracepoint = atoi(text);
	for (i = 0; i < NR_SLOTS; i++) {
		pthread_mutex_init(&slots[i].lock, NULL);
		slots[i].handle = no_handle;
	}
}

/**
 * run_process - the life of one process
 * @l: which one
 *
 * Return: its exit status.
 */
int run_process(const struct life *l)
{
	static const struct timespec nap = { .tv_nsec = WAKE_NS };
	pthread_t threads[MAX_THREADS];
	struct thread *all;
	unsigned int i, nr = shared->threads;

	life = *l;
	prepare_process();
	all = calloc(nr, sizeof(*all));
	if (device < 0 || !all || (life.process == 2 && !become_nobody()))
		return 2;
	threads_left = nr;
	for (i = 0; i < nr; i++) {
		all[i].process = life.process;
		all[i].life = life.life;
		all[i].number = i;
		if (pthread_create(&threads[i], NULL, run_thread, &all[i]))
			return 2;
	}
	for (i = 0; __atomic_load_n(&threads_left, __ATOMIC_ACQUIRE); i++) {
		nanosleep(&nap, NULL);
		pthread_kill(threads[i % nr], SIGALRM);
	}
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < NR_SLOTS; i++)
		put_handle(i, &no_handle);
	check_fds(&all[0]);
	return 0;
}
