/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fuzzer: threads of several processes make calls that mostly make sense on fds that they
 * share, while tasks and CPUs come and go; what comes back is held against what
 * <linux/perfgrp.h> promises.
 *
 *	main.c		options, processes, tasks, CPUs, the report
 *	step.c		threads, and the steps that they take
 *	call.c		arguments, and what is wrong with them
 *	oracle.c	what must hold
 *	kcov.c		which inputs found code that none had found before
 *
 * What a step does follows from the seed, the process, its life, the thread and the step's
 * number, and from nothing that came back before; only which fd, task or member a number
 * stands for depends on the others. (Inputs that KCOV has kept are an exception.)
 */
#ifndef FUZZ_H
#define FUZZ_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <linux/perfgrp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define NR_PROCESSES	3	/* root; root with 32 bits, if there is such a program; nobody */
#define MAX_THREADS	16
#define NR_SLOTS	16	/* fds of groups that a process has; */
#define NR_OWN_SLOTS	12	/* of these, such as can change the group, mostly */
#define NR_TARGETS	12	/* tasks to count */
#define NR_CGROUPS	4	/* that they may be in; they come and go */
#define CGROUP_PATH	"/sys/fs/cgroup/fuzz%u"
#define NR_GROUPS	8192	/* that are known at a time */
#define NR_RECENT	64	/* ids that are remembered of a group */
#define MAX_MEMBERS	32
#define MAX_ERRNO	134
#define PC_BITS		20	/* places in the map of code that was found */
#define FILL		0xa5

#define read_once(x)	 __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define write_once(x, v) __atomic_store_n(&(x), v, __ATOMIC_RELAXED)
#define add_one(x)	 __atomic_add_fetch(&(x), 1, __ATOMIC_RELAXED)

/* ---- what all processes share --------------------------------------------- */

/* What is known of a group; the same layout for 32 and 64 bits, as all of struct shared. */
struct known {
	__u32 stamp;		/* another one each time that this place is used */
	__u32 flags;
	__u32 target;
	__s32 clockid;
	__u32 buffer;
	bool callchains;
	__u32 clock_period;	/* a clock in it has a period, which must stay long */
	__u32 newest;		/* the highest id that ADD has returned */
	__u32 recent[NR_RECENT];
};

enum ioctl_index {
	I_INFO,
	I_CREATE,
	I_ADD,
	I_REMOVE,
	I_ENABLE,
	I_DISABLE,
	I_RESET,
	I_SNAPSHOT,
	I_QUERY,
	I_READER,
	I_PERIOD,
	I_STATS,
	I_EVENTS_ON,
	I_EVENTS_OFF,
	I_ATTACH,
	I_REPLACE,
	I_DETACH,
	I_BPF_QUERY,
	I_HANDLE,
	I_WRONG,		/* no ioctl, or none of this fd's */
	/* No ioctls, but counted beside them. */
	I_READ,
	I_POLL,
	I_MMAP,
	I_FDINFO,
	NR_CALLS,
};

struct shared {
	__u64 seed;
	__u64 features;
	__u32 threads;
	__u32 steps;		/* of each thread; 0: until stop */
	__u32 verbose;
	__u32 faults;		/* allocations can be made to fail */
	__u32 nr_cpus;
	__u32 stop;
	__u32 violations;
	__u32 next_group;
	__s32 target[NR_TARGETS];
	__u32 life[NR_PROCESSES];
	__u32 done;		/* steps, of all */
	__u32 calls[NR_CALLS];
	__u32 wrong[NR_CALLS];	/* with something wrong on purpose */
	__u32 injected[NR_CALLS]; /* with an allocation or copy that failed */
	__u32 errors[NR_CALLS][MAX_ERRNO];
	__u32 kept;		/* inputs that found code */
	__u8 found[(1 << PC_BITS) / 8];
	struct known known[NR_GROUPS];
};

extern struct shared *shared;

/* ---- fds ------------------------------------------------------------------ */

enum kind {
	KIND_NONE,		/* anything */
	KIND_DEVICE,
	KIND_GROUP,
	KIND_READER,		/* read-only, with the right to read records */
	KIND_VIEWER,		/* without */
};

/* An fd and what is known of it; what goes with it through a socket. */
struct handle {
	__s32 fd;
	__u32 kind;
	__u32 group;		/* index into shared->known */
	__u32 stamp;
};

/* ---- a thread ------------------------------------------------------------- */

#define MAX_ROWS	72
#define MAX_VALUES	(MAX_ROWS * MAX_MEMBERS)

/* A group that is looked at again and again. */
struct watch {
	struct handle handle;
	bool valid;		/* what follows has been read */
	struct perfgrp_snapshot hdr;
	struct perfgrp_row row[MAX_ROWS];
	struct perfgrp_value value[MAX_VALUES];
	struct perfgrp_stream_stats stats;
};

/* Memory of a thread for one purpose; at its end nothing is mapped. */
struct area {
	char *start, *end;
};

#define KEPT		256	/* inputs */
#define ARG_ROOM	128

struct kept {
	unsigned int index;
	__u8 arg[ARG_ROOM];
	struct perfgrp_counter counter[4];
};

struct thread {
	unsigned int process, life, number;
	unsigned int step;
	bool forked;		/* alone in a child; locks may be held for good */
	uint64_t random;
	struct area arg, rows, values, counters, error;
	char *readonly;
	int fail_nth;		/* fd; -1 if there is no such file */
	struct watch watch;
	struct perf_event_mmap_page *mapped;	/* a ring, or NULL */
	size_t mapped_size;
	/* kcov.c */
	int kcov;
	uint64_t *pcs;
	struct kept *kept;
	unsigned int nr_kept;
};

/* ---- a call --------------------------------------------------------------- */

union argument {
	struct {
		__u32 size;
		__u32 flags;
		__aligned_u64 error;
	};
	struct perfgrp_info info;
	struct perfgrp_create create;
	struct perfgrp_add add;
	struct perfgrp_remove remove;
	struct perfgrp_control control;
	struct perfgrp_query query;
	struct perfgrp_reader reader;
	struct perfgrp_snapshot snapshot;
	struct perfgrp_period period;
	struct perfgrp_stream_stats stats;
	struct perfgrp_bpf_attach attach;
	struct perfgrp_bpf_detach detach;
	struct perfgrp_bpf_query bpf_query;
	struct perfgrp_bpf_handle bpf_handle;
	__u8 bytes[ARG_ROOM];
};

#define MAX_SIZE	4096	/* of an argument that is longer than the kernel's */

struct call {
	unsigned int index;
	unsigned long cmd;
	struct handle handle;	/* made on this */
	bool pinned;		/* which cannot become another meanwhile */
	union argument arg;
	size_t size;		/* of the struct, without a tail */
	__u8 tail;		/* what bytes beyond it are */
	char *at;		/* where the argument is */
	char *error;		/* where the error struct is; NULL if not in the thread's area */
	__u32 error_size;
	unsigned int wrong;	/* how much is wrong on purpose */
	bool arg_wrong;		/* perhaps even the pointer to the argument */
	bool array_wrong;	/* arrays or their elements are elsewhere, or of another size */
	unsigned int nth;	/* this allocation or copy fails; 0: none */
	int target_fd;		/* to be closed */
	int ret;		/* 0 or an errno */
	uint64_t began;		/* on the group's clock; 0 if that is not known */
	__u32 newest;		/* the highest id of the group before it was made */
	char before[MAX_SIZE + 64]; /* the argument, as it was */
};

struct ioctl_info {
	unsigned long cmd;
	size_t size;
	size_t first_size;	/* if it has grown since */
	bool device;
	bool changes;		/* refused on read-only fds */
	bool out;
	__u8 errors[20];	/* that the header has for it, beside those of all */
};

extern const struct ioctl_info ioctls[I_WRONG];
extern const char *const call_names[NR_CALLS];

/* ---- step.c --------------------------------------------------------------- */

extern int device;
extern int own_programs[];
#define NR_PROGRAMS	6

/* How processes are told who they are. */
struct life {
	unsigned int process, life;
	int from, to;		/* sockets for fds that are passed on */
};

int run_process(const struct life *life);
bool read_text(const char *path, char *text, size_t room);
bool write_text(const char *path, const char *text);
int load_program(unsigned int which);
uint64_t draw(struct thread *t);
unsigned int below(struct thread *t, unsigned int n);
bool one_in(struct thread *t, unsigned int n);
uint64_t mix(uint64_t x);
int any_fd(struct thread *t);

/* ---- call.c --------------------------------------------------------------- */

extern long breakpoint_here;
extern unsigned int tracepoint;

bool errno_is_documented(unsigned int index, int err);
bool make_areas(struct thread *t);
void make_call(struct thread *t, struct call *c, unsigned int index, const struct handle *h);
void make_wrong(struct thread *t, struct call *c);
void do_call(struct thread *t, struct call *c);

/* ---- oracle.c ------------------------------------------------------------- */

void violation(const struct thread *t, const struct call *c, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void check_call(struct thread *t, struct call *c);
void check_snapshot(struct thread *t, struct call *c, const struct perfgrp_snapshot *hdr,
		    const struct perfgrp_row *rows, const struct perfgrp_value *values);
void check_progress(struct thread *t, struct call *c, const struct watch *w,
		    const struct perfgrp_snapshot *hdr, const struct perfgrp_row *rows,
		    const struct perfgrp_value *values);
void check_records(struct thread *t, const struct handle *h, const char *from, size_t size,
		   size_t room);
struct known *known_of(const struct handle *h);
uint64_t time_of(const struct handle *h);

/* ---- kcov.c --------------------------------------------------------------- */

void kcov_begin(struct thread *t);
void kcov_reset(struct thread *t);
void kcov_keep(struct thread *t, const struct call *c);
bool kcov_recall(struct thread *t, struct call *c);

#endif /* FUZZ_H */
