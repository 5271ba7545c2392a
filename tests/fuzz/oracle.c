// SPDX-License-Identifier: GPL-2.0
/*
 * What must hold, whatever was called: <linux/perfgrp.h> and perfgrp(4) say so.
 */
#include "fuzz.h"

#include <ctype.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define MAX_REPORTS	40

/* How far clocks that are read in different ways may be apart, in ns. */
#define CLOCK_SLACK	1000000

/* ---- telling -------------------------------------------------------------- */

static int describe(char *to, size_t room, const struct call *c)
{
	static const char *const kinds[] = { "an fd", "the device", "a group", "a reader",
					     "a viewer" };

	if (!c)
		return 0;
	return snprintf(to, room, "  %s (%#lx) on %s, size %u flags %#x, %u wrong%s%s, failure %u: %s\n",
			call_names[c->index], c->cmd, kinds[c->handle.kind], c->arg.size,
			c->arg.flags, c->wrong, c->arg_wrong ? " (argument)" : "",
			c->array_wrong ? " (array)" : "", c->nth,
			c->ret ? strerror(c->ret) : "succeeded");
}

static int describe_error(char *to, size_t room, const struct call *c)
{
	const struct perfgrp_error *e = c ? (void *)c->error : NULL;

	if (!e || !c->ret)
		return 0;
	return snprintf(to, room, "  error %d reason %u member %d cpu %d field '%.32s' text '%.204s'\n",
			e->error, e->reason, (int)e->member, e->cpu, e->field, e->text);
}

/* Whatever is not as promised. The call may be NULL. */
void violation(const struct thread *t, const struct call *c, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	int n;

	if (add_one(shared->violations) > MAX_REPORTS)
		return;
	n = snprintf(text, sizeof(text) - 600, "VIOLATION: seed %llu process %u.%u thread %u step %u: ",
		     (unsigned long long)shared->seed, t->process, t->life, t->number, t->step);
	va_start(ap, fmt);
	n += vsnprintf(text + n, sizeof(text) - 600 - n, fmt, ap);
	va_end(ap);
	n = strnlen(text, sizeof(text) - 600);
	text[n++] = '\n';
	n += describe(text + n, sizeof(text) - n, c);
	n += describe_error(text + n, sizeof(text) - n, c);
	if (write(STDOUT_FILENO, text, strnlen(text, sizeof(text))) < 0)
		return;
}

#define EXPECT(t, c, cond) do {							\
	if (!(cond))								\
		violation(t, c, "not so: %s", #cond);				\
} while (0)

/* ---- groups --------------------------------------------------------------- */

/* What is known of the handle's group, or NULL. */
struct known *known_of(const struct handle *h)
{
	struct known *g = &shared->known[h->group];

	return h->kind >= KIND_GROUP && read_once(g->stamp) == h->stamp ? g : NULL;
}

/* Now, on the clock of the handle's group; 0 if that cannot be known. */
uint64_t time_of(const struct handle *h)
{
	const struct known *g = known_of(h);
	struct timespec now;

	if (!g || g->clockid < 0 || clock_gettime(g->clockid, &now))
		return 0;
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* ---- refusals ------------------------------------------------------------- */

static bool is_filled(const char *from, size_t size)
{
	while (size && *(const __u8 *)from == FILL) {
		from++;
		size--;
	}
	return !size;
}

static bool error_untouched(const struct call *c)
{
	__u32 size;

	memcpy(&size, c->error, sizeof(size));
	return size == c->error_size &&
	       is_filled(c->error + sizeof(size), 2 * sizeof(struct perfgrp_error) - sizeof(size));
}

static bool is_one_line(const char *text, size_t room)
{
	size_t length = strnlen(text, room), i;

	for (i = 0; i < length; i++)
		if (!isprint((unsigned char)text[i]))
			return false;
	return length < room;
}

/* Of what the perf core says the text has the errno. A failure may come at any place. */
static bool errno_is_good(const struct call *c, __u32 reason)
{
	return c->index == I_WRONG || errno_is_documented(c->index, c->ret) ||
	       reason == PERFGRP_REASON_KERNEL || (c->nth && c->ret == ENOMEM);
}

static void check_error(struct thread *t, struct call *c)
{
	const struct perfgrp_error *e = (void *)c->error;

	EXPECT(t, c, e->size == c->error_size);
	EXPECT(t, c, e->error == c->ret);
	EXPECT(t, c, e->reason != PERFGRP_REASON_NONE || c->ret == EINTR);
	EXPECT(t, c, e->reason <= PERFGRP_REASON_CGROUP);
	EXPECT(t, c, e->text[0] && is_one_line(e->text, sizeof(e->text)));
	EXPECT(t, c, is_one_line(e->field, sizeof(e->field)));
	/* The one that was asked for may be any number. */
	if (c->index != I_CREATE && c->index != I_WRONG)
		EXPECT(t, c, e->cpu >= -1 && e->cpu < (__s32)shared->nr_cpus);
	if (c->index == I_ADD && e->member != PERFGRP_NONE)
		EXPECT(t, c, e->member < c->arg.add.nr_counters);
	EXPECT(t, c, is_filled((char *)(e + 1), sizeof(*e)));
}

/* The argument is as it was, but for what the header says. */
static void check_argument_kept(struct thread *t, struct call *c)
{
	const union argument *now = (void *)c->at, *before = (void *)c->before;
	size_t size = c->arg.size < c->size ? c->arg.size : c->size;
	union argument want;

	if (c->arg_wrong || c->nth)
		return;
	want = *before;
	if (c->ret == E2BIG && size >= sizeof(want.size))
		want.size = now->size == c->size ? now->size : want.size;
	if (c->ret == EMSGSIZE && c->index == I_SNAPSHOT) {
		want.snapshot.nr_rows = now->snapshot.nr_rows;
		want.snapshot.nr_values = now->snapshot.nr_values;
	}
	if (c->ret == EMSGSIZE && c->index == I_QUERY)
		want.query.nr_counters = now->query.nr_counters;
	if (c->index != I_WRONG && memcmp(now, &want, size))
		violation(t, c, "a call that failed wrote to its argument");
}

static void check_arrays_kept(struct thread *t, struct call *c)
{
	const struct perfgrp_snapshot *s = &c->arg.snapshot;
	const struct perfgrp_query *query = &c->arg.query;

	if (c->ret == EFAULT || c->array_wrong || c->arg_wrong || c->nth)
		return;
	if (c->index == I_SNAPSHOT) {
		EXPECT(t, c, is_filled(t->rows.start, s->nr_rows * s->row_size));
		EXPECT(t, c, is_filled(t->values.start, s->nr_values * s->value_size));
	}
	if (c->index == I_QUERY)
		EXPECT(t, c, is_filled(t->counters.start,
				       query->nr_counters * query->counter_size));
}

/* The numbers that EMSGSIZE leaves are enough, unless the group has changed meanwhile. */
static void check_too_small(struct thread *t, struct call *c)
{
	union argument *arg = (void *)c->at, again;
	struct perfgrp_snapshot *s = &again.snapshot;
	bool more;

	if (c->arg_wrong || !c->pinned)
		return;
	memcpy(&again, arg, c->size);
	more = c->index == I_SNAPSHOT ? arg->snapshot.nr_rows > c->arg.snapshot.nr_rows ||
					arg->snapshot.nr_values > c->arg.snapshot.nr_values :
					arg->query.nr_counters > c->arg.query.nr_counters;
	if (!more)
		violation(t, c, "EMSGSIZE, but the arrays were large enough");
	if (c->array_wrong)
		return;
	again.error = 0;
	again.size = c->size;
	again.flags = 0;
	if (c->index == I_SNAPSHOT)
		again.flags = c->arg.flags & ~PERFGRP_SNAPSHOT_RESET;
	if (!ioctl(c->handle.fd, c->cmd, &again) || errno != EMSGSIZE)
		return;
	more = c->index == I_SNAPSHOT ? s->nr_rows > arg->snapshot.nr_rows ||
					s->nr_values > arg->snapshot.nr_values :
					again.query.nr_counters > arg->query.nr_counters;
	if (!more)
		violation(t, c, "EMSGSIZE again with the numbers that EMSGSIZE returned");
}

static bool is_of_other_kind(const struct call *c)
{
	if (c->index == I_WRONG || !c->pinned)
		return true;
	return ioctls[c->index].device != (c->handle.kind == KIND_DEVICE);
}

static void check_refusal(struct thread *t, struct call *c)
{
	const struct perfgrp_error *e = (void *)c->error;
	bool written;

	/* A number that others have closed meanwhile. */
	if (c->ret == EBADF && c->handle.kind == KIND_NONE)
		return;
	if (c->ret == ENOTTY) {
		EXPECT(t, c, is_of_other_kind(c));
		EXPECT(t, c, !c->error || error_untouched(c));
		return;
	}
	if (c->ret == EINTR)
		violation(t, c, "interrupted, though nobody kills this process");
	written = c->error && !error_untouched(c);
	if (written)
		check_error(t, c);
	else if (c->error && c->error_size >= PERFGRP_ERROR_SIZE_VER0 && c->arg.size >= 16 &&
		 !c->arg_wrong && !c->nth && c->handle.kind != KIND_NONE)
		violation(t, c, "no reason was given");
	if (written && (c->error_size < PERFGRP_ERROR_SIZE_VER0 || c->arg.size < 16))
		violation(t, c, "an error struct was written that was too small");
	if (!errno_is_good(c, written ? e->reason : PERFGRP_REASON_NONE) &&
	    (written || c->nth == 0) && c->handle.kind != KIND_NONE)
		violation(t, c, "errno %d is not one of this ioctl's", c->ret);
	check_argument_kept(t, c);
	check_arrays_kept(t, c);
	if (c->ret == EMSGSIZE && (c->index == I_SNAPSHOT || c->index == I_QUERY))
		check_too_small(t, c);
}

/* ---- snapshots ------------------------------------------------------------ */

static const char *wrong_with_value(const struct perfgrp_value *v, const struct perfgrp_row *row)
{
	bool total = row->flags & PERFGRP_ROW_TOTAL, absent = v->flags & PERFGRP_VALUE_ABSENT;
	bool never;

	if (!v->id)
		return "id is 0";
	if (v->state < PERFGRP_STATE_COUNTED || v->state > PERFGRP_STATE_NEVER_RAN)
		return "no such state";
	if (v->flags & ~0x1ffU || (!total && v->flags & (PERFGRP_VALUE_PARTIAL |
							PERFGRP_VALUE_MIXED_PMUS)))
		return "no such flag here";
	if (v->time_running > v->time_enabled)
		return "ran longer than it was enabled";
	if (absent && (v->time_enabled || v->state != PERFGRP_STATE_COUNTED))
		return "ABSENT, but it was there";
	if (!!(v->flags & PERFGRP_VALUE_SCALED) != (v->time_running || absent))
		return "SCALED does not go with time_running";
	never = v->state == PERFGRP_STATE_NEVER_RAN;
	if (never != !(v->time_running || absent))
		return "NEVER_RAN does not go with time_running";
	if (!v->time_running && (v->raw || v->scaled))
		return "a count in no time";
	if (row->flags & PERFGRP_ROW_OFFLINE && !(v->flags & PERFGRP_VALUE_OFFLINE))
		return "the row is offline, the value is not";
	if (row->flags & PERFGRP_ROW_EXITED && !(v->flags & PERFGRP_VALUE_EXITED))
		return "the row's task has exited, the value's not";
	if (total)
		return NULL;
	if (v->flags & PERFGRP_VALUE_OFFLINE && !(row->flags & PERFGRP_ROW_OFFLINE))
		return "the value is offline, the row is not";
	if (v->state == PERFGRP_STATE_COUNTED && v->time_running != v->time_enabled)
		return "COUNTED, but not all the time";
	if (v->state == PERFGRP_STATE_MULTIPLEXED && v->time_running >= v->time_enabled)
		return "MULTIPLEXED, but counted all the time";
	if (v->time_running == v->time_enabled && v->scaled != v->raw)
		return "scaled, though it counted all the time";
#ifdef __SIZEOF_INT128__
	if (v->time_running) {
		unsigned __int128 scaled = (unsigned __int128)v->raw * v->time_enabled /
					   v->time_running;
		bool saturated = scaled > ~0ULL;

		if (saturated != !!(v->flags & PERFGRP_VALUE_SATURATED) ||
		    v->scaled != (saturated ? ~0ULL : (uint64_t)scaled))
			return "not scaled as promised";
	}
#endif
	return NULL;
}

static void tell_value(struct thread *t, struct call *c, const struct perfgrp_row *row,
		       const struct perfgrp_value *v, const char *what)
{
	violation(t, c, "%s: cpu %d row flags %#x, member %u state %u flags %#x raw %llu scaled %llu enabled %llu running %llu",
		  what, row->cpu, row->flags, v->id, v->state, v->flags, v->raw, v->scaled,
		  v->time_enabled, v->time_running);
}

/* Of a group that is split: rows of no single cgroup. */
#define SPECIAL (PERFGRP_ROW_OUTSIDE | PERFGRP_ROW_REMOVED | PERFGRP_ROW_OVERFLOW)

static const char *wrong_with_row(const struct perfgrp_snapshot *hdr,
				  const struct perfgrp_row *rows,
				  const struct perfgrp_row *row, const struct perfgrp_value *values)
{
	bool failed = false;
	__u32 i;

	if (row->flags & ~(0xfU | SPECIAL))
		return "no such flag";
	if (row->cgroup_id && row->flags & SPECIAL)
		return "it is a cgroup's, and of none";
	if (!!(row->flags & PERFGRP_ROW_TOTAL) != !!(hdr->flags & PERFGRP_SNAPSHOT_TOTALS))
		return "TOTAL does not go with what was asked for";
	if (row->first_value > hdr->nr_values ||
	    row->nr_values > hdr->nr_values - row->first_value)
		return "its values are beyond the array";
	if (row->nr_values != rows[0].nr_values)
		return "another number of values than the first";
	if (row->time_before > row->time_after || row->time_before < hdr->time_before ||
	    row->time_after > hdr->time_after)
		return "its times are not between the snapshot's";
	if (!row->nr_cpus || row->nr_cpus > shared->nr_cpus)
		return "nr_cpus is wrong";
	if (row->cpu < -1 || row->cpu >= (__s32)shared->nr_cpus)
		return "no such cpu";
	for (i = 0; i < row->nr_values; i++) {
		const struct perfgrp_value *v = &values[row->first_value + i];

		failed |= v->flags & PERFGRP_VALUE_FAILED;
		if (v->id != values[rows[0].first_value + i].id)
			return "other members than the first";
		if (i && v->id <= v[-1].id)
			return "members are not in the order in which they were added";
	}
	if (failed != !!(row->flags & PERFGRP_ROW_FAILED))
		return "FAILED does not go with its values";
	return NULL;
}

/**
 * check_snapshot - what holds for any snapshot
 * @t: the thread
 * @c: the call that returned it; or NULL
 * @hdr: the struct, as it came back; flags as they were
 * @rows: what it points to
 * @values: what it points to
 */
void check_snapshot(struct thread *t, struct call *c, const struct perfgrp_snapshot *hdr,
		    const struct perfgrp_row *rows, const struct perfgrp_value *values)
{
	const char *wrong = NULL;
	__u32 i, v;

	if ((hdr->nr_rows > shared->nr_cpus && !rows[0].cgroup_id) ||
	    hdr->nr_values > hdr->nr_rows * MAX_MEMBERS ||
	    hdr->time_before > hdr->time_after) {
		violation(t, c, "%u rows, %u values, from %llu to %llu", hdr->nr_rows,
			  hdr->nr_values, hdr->time_before, hdr->time_after);
		return;
	}
	for (i = 0; i < hdr->nr_rows; i++) {
		wrong = wrong_with_row(hdr, rows, &rows[i], values);
		if (wrong) {
			violation(t, c, "row %u: %s: cpu %d flags %#x values %u+%u nr_cpus %u from %llu to %llu (all: from %llu to %llu)",
				  i, wrong, rows[i].cpu, rows[i].flags, rows[i].first_value,
				  rows[i].nr_values, rows[i].nr_cpus, rows[i].time_before,
				  rows[i].time_after, hdr->time_before, hdr->time_after);
			return;
		}
		for (v = 0; v < rows[i].nr_values; v++) {
			wrong = wrong_with_value(&values[rows[i].first_value + v], &rows[i]);
			if (wrong) {
				tell_value(t, c, &rows[i], &values[rows[i].first_value + v], wrong);
				return;
			}
		}
	}
}

static const struct perfgrp_row *row_like(const struct perfgrp_row *rows, __u32 nr,
					  const struct perfgrp_row *like)
{
	__u32 i;

	for (i = 0; i < nr; i++)
		if (rows[i].cpu == like->cpu && rows[i].cgroup_id == like->cgroup_id &&
		    (rows[i].flags & SPECIAL) == (like->flags & SPECIAL))
			return &rows[i];
	return NULL;
}

static void check_value_progress(struct thread *t, struct call *c, const struct known *g,
				 const struct perfgrp_row *row, const struct perfgrp_row *old_row,
				 const struct perfgrp_value *old, const struct perfgrp_value *now)
{
	/* Tasks may still be exiting when their cgroup has been removed. */
	bool cgroup = g && !row->cgroup_id ? g->target == PERFGRP_TARGET_CGROUP : row->cpu >= 0;
	bool final = old->flags & PERFGRP_VALUE_EXITED;

	if (now->raw >= old->raw && now->time_enabled >= old->time_enabled &&
	    now->time_running >= old->time_running &&
	    (!final || now->flags & PERFGRP_VALUE_EXITED) &&
	    (!final || cgroup ||
	     (now->raw == old->raw && now->time_running == old->time_running)))
		return;
	violation(t, c, "%s: cpu %d member %u: raw %llu to %llu, enabled %llu to %llu, running %llu to %llu, flags %#x to %#x; row flags %#x to %#x, epoch %u to %u, %lld ns between; target %d, created with %#x",
		  final ? "a final value changed" : "went back", row->cpu, now->id, old->raw,
		  now->raw, old->time_enabled, now->time_enabled, old->time_running,
		  now->time_running, old->flags, now->flags, old_row->flags, row->flags,
		  old_row->epoch, row->epoch, (long long)(row->time_after - old_row->time_after),
		  g ? (int)g->target : -1, g ? g->flags : 0);
}

/**
 * check_progress - what holds for two snapshots of a group, one after the other
 * @t: the thread
 * @c: the call that returned the second; or NULL
 * @w: the first, without totals
 * @hdr: the second; of no totals
 * @rows: what it points to
 * @values: what it points to
 */
void check_progress(struct thread *t, struct call *c, const struct watch *w,
		    const struct perfgrp_snapshot *hdr, const struct perfgrp_row *rows,
		    const struct perfgrp_value *values)
{
	const struct known *g = known_of(&w->handle);
	const struct perfgrp_row *old, *now;
	__u32 i, v;

	if (hdr->generation < w->hdr.generation) {
		violation(t, c, "the generation went from %llu to %llu", w->hdr.generation,
			  hdr->generation);
		return;
	}
	if (hdr->generation > w->hdr.generation)
		return;
	for (i = 0; i < w->hdr.nr_rows; i++) {
		old = &w->row[i];
		now = row_like(rows, hdr->nr_rows, old);
		/* The cgroup was removed, and somebody knows. */
		if (!now && old->cgroup_id)
			continue;
		if (!now || now->nr_values != old->nr_values || now->epoch < old->epoch) {
			violation(t, c, "the row of cpu %d is gone, or another, in the same generation",
				  old->cpu);
			return;
		}
		for (v = 0; v < now->nr_values; v++) {
			const struct perfgrp_value *was = &w->value[old->first_value + v];
			const struct perfgrp_value *is = &values[now->first_value + v];

			if (was->id != is->id) {
				violation(t, c, "other members in the same generation");
				return;
			}
			check_value_progress(t, c, g, now, old, was, is);
		}
	}
}

static void check_snapshot_call(struct thread *t, struct call *c)
{
	struct perfgrp_snapshot hdr = { 0 };
	uint64_t now = time_of(&c->handle);

	if (c->array_wrong || c->arg_wrong)
		return;
	memcpy(&hdr, c->at, c->size);
	hdr.flags = c->arg.flags;
	EXPECT(t, c, is_filled(t->rows.start + hdr.nr_rows * hdr.row_size, hdr.row_size));
	EXPECT(t, c, is_filled(t->values.start + hdr.nr_values * hdr.value_size, hdr.value_size));
	check_snapshot(t, c, &hdr, (void *)t->rows.start, (void *)t->values.start);
	if (c->began && now && c->pinned &&
	    ((hdr.time_before + CLOCK_SLACK < c->began && !(hdr.flags & PERFGRP_SNAPSHOT_CACHED)) ||
	     hdr.time_after > now + CLOCK_SLACK))
		violation(t, c, "called from %llu to %llu, read from %llu to %llu",
			  (unsigned long long)c->began, (unsigned long long)now, hdr.time_before,
			  hdr.time_after);
}

/* ---- other ioctls --------------------------------------------------------- */

static void check_info(struct thread *t, struct call *c)
{
	const struct perfgrp_info *info = (void *)c->at;
	__u64 changing = PERFGRP_FEATURE_UNPRIVILEGED;

	EXPECT(t, c, info->abi_version == PERFGRP_ABI_VERSION);
	EXPECT(t, c, (info->features | changing) == (shared->features | changing));
	EXPECT(t, c, info->nr_cpu_ids == shared->nr_cpus);
}

static void note_id(struct thread *t, struct call *c, struct known *g, __u32 id)
{
	__u32 *recent = &g->recent[id % NR_RECENT];
	__u32 newest = read_once(g->newest);

	if (id <= c->newest || __atomic_exchange_n(recent, id, __ATOMIC_RELAXED) == id)
		violation(t, c, "id %u was used before; the last was %u", id, c->newest);
	while (newest < id && !__atomic_compare_exchange_n(&g->newest, &newest, id, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void check_ids(struct thread *t, struct call *c)
{
	const struct perfgrp_add *add = &c->arg.add;
	struct known *g = known_of(&c->handle);
	__u32 id, last = 0, i;

	if (c->array_wrong || c->arg_wrong)
		return;
	for (i = 0; i < add->nr_counters; i++) {
		memcpy(&id, t->counters.start + i * add->counter_size +
		       offsetof(struct perfgrp_counter, id), sizeof(id));
		if (id <= last)
			violation(t, c, "member %u has id %u after %u", i, id, last);
		last = id;
		if (g && c->pinned && known_of(&c->handle) == g)
			note_id(t, c, g, id);
	}
}

static void check_query(struct thread *t, struct call *c)
{
	const struct perfgrp_query *query = (void *)c->at;
	const struct known *g = known_of(&c->handle);
	struct perfgrp_counter counter;
	__u32 last = 0, i;

	if (c->arg_wrong)
		return;
	EXPECT(t, c, query->enabled <= 1);
	EXPECT(t, c, query->nr_counters <= MAX_MEMBERS);
	EXPECT(t, c, query->task_state <= PERFGRP_TASK_HIDDEN);
	if (query->target == PERFGRP_TARGET_TASK)
		EXPECT(t, c, query->task_state != PERFGRP_TASK_NONE);
	else
		EXPECT(t, c, query->task_state == PERFGRP_TASK_NONE);
	if (query->task_state == PERFGRP_TASK_ALIVE)
		EXPECT(t, c, query->pid > 0);
	else
		EXPECT(t, c, query->pid == 0);
	if (c->arg.size >= PERFGRP_QUERY_SIZE_VER1)
		EXPECT(t, c, (query->target == PERFGRP_TARGET_CGROUP ||
			      query->create_flags & PERFGRP_CREATE_SPLIT_BY_CGROUP) ==
			     (query->cgroup_id != 0));
	if (g && c->pinned) {
		EXPECT(t, c, !((query->create_flags ^ g->flags) & ~PERFGRP_CREATE_BPF_EVENTS));
		EXPECT(t, c, query->clockid == g->clockid);
		EXPECT(t, c, query->target == g->target);
	}
	for (i = 0; !c->array_wrong && i < query->nr_counters; i++) {
		memcpy(&counter, t->counters.start + i * query->counter_size, sizeof(counter));
		if (counter.id <= last)
			violation(t, c, "member %u has id %u after %u", i, counter.id, last);
		last = counter.id;
	}
	if (!c->array_wrong)
		EXPECT(t, c, is_filled(t->counters.start + query->nr_counters *
				       query->counter_size, query->counter_size));
}

static void check_stats(struct thread *t, struct call *c)
{
	const struct perfgrp_stream_stats *stats = (void *)c->at;

	EXPECT(t, c, (stats->sample_type & ~(__u64)PERF_SAMPLE_CALLCHAIN) == PERFGRP_SAMPLE_TYPE);
	EXPECT(t, c, stats->read_format == PERFGRP_READ_FORMAT);
	EXPECT(t, c, stats->buffer_size >= 8192 && !(stats->buffer_size & 4095));
}

/* An fd that nobody wanted. */
static void close_unwanted(const struct call *c)
{
	if (c->cmd == PERFGRP_OPEN_READER)
		close(((const struct perfgrp_reader *)c->at)->fd);
	if (c->cmd == PERFGRP_CREATE)
		close(((const struct perfgrp_create *)c->at)->fd);
}

static void check_success(struct thread *t, struct call *c)
{
	bool readonly = c->pinned && c->handle.kind >= KIND_READER;

	if (c->error)
		EXPECT(t, c, error_untouched(c));
	if (c->index == I_WRONG) {
		close_unwanted(c);
		return;
	}
	if (c->pinned && is_of_other_kind(c))
		violation(t, c, "an ioctl of another kind of fd");
	if (readonly && (ioctls[c->index].changes ||
			 (c->index == I_SNAPSHOT && c->arg.flags & PERFGRP_SNAPSHOT_RESET)))
		violation(t, c, "a read-only fd changed the group");
	if (c->arg.size < (ioctls[c->index].first_size ?: c->size) || c->arg.size > MAX_SIZE)
		violation(t, c, "no such size is accepted");
	if (c->arg.size > c->size && c->tail)
		violation(t, c, "the tail is not zero");
	if (c->arg.size > c->size && c->arg.size <= MAX_SIZE && !c->arg_wrong &&
	    memcmp(c->at + c->size, c->before + c->size, c->arg.size - c->size))
		violation(t, c, "something was written behind the struct");

	switch (c->index) {
	case I_INFO:
		check_info(t, c);
		break;
	case I_ADD:
		check_ids(t, c);
		break;
	case I_SNAPSHOT:
		check_snapshot_call(t, c);
		break;
	case I_QUERY:
		check_query(t, c);
		break;
	case I_STATS:
		check_stats(t, c);
		break;
	case I_HANDLE:
		EXPECT(t, c, ((struct perfgrp_bpf_handle *)c->at)->handle);
		break;
	}
}

/**
 * check_call - what holds for a call that has been made
 * @t: the thread
 * @c: the call
 */
void check_call(struct thread *t, struct call *c)
{
	char text[1024];
	int n;

	if (shared->verbose) {
		n = snprintf(text, sizeof(text), "%u.%u thread %u step %u:\n", t->process, t->life,
			     t->number, t->step);
		n += describe(text + n, sizeof(text) - n, c);
		if (c->error && !error_untouched(c))
			n += describe_error(text + n, sizeof(text) - n, c);
		if (write(STDOUT_FILENO, text, n) < 0)
			return;
	}
	if (c->ret)
		check_refusal(t, c);
	else
		check_success(t, c);
}

/* ---- records -------------------------------------------------------------- */

/* Whether a sample's size goes with its values and its call chain, if it can have one. */
static bool sample_size_is_right(const struct perfgrp_record_sample *sample,
				 const struct known *g)
{
	size_t size = sizeof(*sample) + sample->nr * sizeof(struct perfgrp_sample_value);
	const __u64 *nr_ips = (const void *)((const char *)sample + size);

	if (sample->nr > MAX_MEMBERS || sample->header.size < size)
		return false;
	if (g ? g->callchains : sample->header.size > size) {
		if (sample->header.size < size + sizeof(*nr_ips) || *nr_ips > 140 + 8)
			return false;
		size += (1 + *nr_ips) * sizeof(*nr_ips);
	}
	return sample->header.size == size;
}

static const char *wrong_with_record(const struct perf_event_header *h, size_t left,
				     const struct known *g)
{
	const struct perfgrp_record_sample *sample = (const void *)h;
	const struct perfgrp_sample_id *id;

	if (h->size > left || h->size % 8 || h->size < sizeof(*h) + sizeof(*id))
		return "its size is wrong";
	id = (const void *)((const char *)h + h->size - sizeof(*id));
	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		if (!sample_size_is_right(sample, g))
			return "its size does not go with nr";
		if (g && sample->id > (1ULL << 32))
			return "no such member";
		if (sample->cpu >= shared->nr_cpus || sample->reserved)
			return "no such cpu";
		return sample->time_running > sample->time_enabled ? "its times are wrong" : NULL;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		if (h->size != sizeof(struct perfgrp_record_throttle))
			return "its size is wrong";
		break;
	case PERF_RECORD_LOST:
		if (h->size != sizeof(struct perfgrp_record_lost))
			return "its size is wrong";
		if (!((const struct perfgrp_record_lost *)h)->lost)
			return "nothing was lost";
		/* They were records of programs. */
		if (id->cpu == (__u32)-1)
			return id->reserved ? "its reserved field is set" : NULL;
		break;
	case PERF_RECORD_BPF_EVENT:
		if (h->size != sizeof(struct perfgrp_record_bpf_event))
			return "its size is wrong";
		break;
	case PERFGRP_RECORD_BPF_ATTACH:
	case PERFGRP_RECORD_BPF_REPLACE:
	case PERFGRP_RECORD_BPF_DETACH:
		if (h->size != sizeof(struct perfgrp_record_bpf_attach))
			return "its size is wrong";
		break;
	default:
		return "no such type";
	}
	return id->cpu >= shared->nr_cpus || id->reserved ? "no such cpu" : NULL;
}

/**
 * check_records - what holds for what read(2) returns
 * @t: the thread
 * @h: of this fd
 * @from: what it has read
 * @size: how much that is
 * @room: how much it could have been
 */
void check_records(struct thread *t, const struct handle *h, const char *from, size_t size,
		   size_t room)
{
	const struct perf_event_header *header;
	const char *wrong;
	size_t at;

	if (size > room)
		violation(t, NULL, "read(2) returned %zu of %zu bytes", size, room);
	for (at = 0; at < size; at += header->size) {
		header = (const void *)(from + at);
		wrong = size - at < sizeof(*header) ? "it is cut" :
			wrong_with_record(header, size - at, known_of(h));
		if (wrong) {
			violation(t, NULL, "a record at %zu of %zu: %s (type %u size %u)", at, size,
				  wrong, header->type, header->size);
			return;
		}
	}
}
