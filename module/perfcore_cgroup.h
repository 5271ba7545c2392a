/* SPDX-License-Identifier: GPL-2.0 */
/* Events of cgroups: see perfcore_cgroup.c. Without CONFIG_CGROUP_PERF there are none. */
#ifndef PERFGRP_PERFCORE_CGROUP_H
#define PERFGRP_PERFCORE_CGROUP_H

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/types.h>

struct cgroup;
struct file;
struct perf_cgroup;
struct perfgrp_core_request;

/**
 * struct perfgrp_core_cgroup - a cgroup whose tasks are counted
 * @dir: its directory, with a reference
 * @perf: its perf_event state, with a reference
 *
 * Constant.
 */
struct perfgrp_core_cgroup {
	struct file *dir;
	struct perf_cgroup *perf;
};

#ifdef CONFIG_CGROUPS
/**
 * perfgrp_core_is_removed - has a cgroup been removed?
 * @cgroup: the cgroup
 *
 * Any context.
 *
 * Return: true if its directory has been removed; then only exiting tasks can be in it.
 */
static inline bool perfgrp_core_is_removed(const struct cgroup *cgroup)
{
	return !(READ_ONCE(cgroup->self.flags) & CSS_ONLINE);
}
#endif

#ifdef CONFIG_CGROUP_PERF

void perfgrp_core_cgroup_init(int cpu);
void perfgrp_core_cgroup_exit(void);
bool perfgrp_core_can_cgroup(void);
int perfgrp_core_cgroup_get(struct perfgrp_core_cgroup *cgroup, struct file *dir);
void perfgrp_core_cgroup_put(struct perfgrp_core_cgroup *cgroup);
const struct cgroup *perfgrp_core_cgroup_of(const struct perfgrp_core_cgroup *cgroup);
u64 perfgrp_core_cgroup_id(const struct perfgrp_core_cgroup *cgroup);
bool perfgrp_core_cgroup_is_removed(const struct perfgrp_core_cgroup *cgroup);
void perfgrp_core_cgroup_begin(struct perf_event *event);
void perfgrp_core_cgroup_settle(struct perf_event *event);
void perfgrp_core_cgroup_call(void (*fn)(void *info), void *info);
struct perf_event *perfgrp_core_create_in_cgroup(const struct perfgrp_core_request *request);
u64 perfgrp_core_cgroup_time_at(const struct perf_cgroup *cgroup, const struct perf_event *event,
				u64 clock);
u64 perfgrp_core_cgroup_now(const struct perf_cgroup *cgroup, const struct perf_event *event,
			    u64 clock);

/**
 * perfgrp_core_event_cgroup - the cgroup that an event counts
 * @event: the event
 *
 * When the perf core frees the event, which lockless readers may still use (event_array.c), it
 * sets event->cgrp to NULL and drops its reference. The cgroup itself is freed an RCU grace period
 * later: css_release_work_fn(). So read the pointer once. Any context, inside rcu_read_lock() if
 * the event may be released.
 *
 * Return: the cgroup, or NULL.
 */
static __always_inline const struct perf_cgroup *
perfgrp_core_event_cgroup(const struct perf_event *event)
{
	return READ_ONCE(event->cgrp);
}

/* @cgroup may be NULL. */
static inline bool perfgrp_core_is_in_cgroup(const struct perf_event *event,
					     const struct perfgrp_core_cgroup *cgroup)
{
	return event->cgrp == (cgroup ? cgroup->perf : NULL);
}

#else /* CONFIG_CGROUP_PERF */

static inline void perfgrp_core_cgroup_init(int cpu)
{
}

static inline void perfgrp_core_cgroup_exit(void)
{
}

static inline bool perfgrp_core_can_cgroup(void)
{
	return false;
}

static inline int perfgrp_core_cgroup_get(struct perfgrp_core_cgroup *cgroup, struct file *dir)
{
	return -EOPNOTSUPP;
}

static inline void perfgrp_core_cgroup_put(struct perfgrp_core_cgroup *cgroup)
{
}

static inline const struct cgroup *perfgrp_core_cgroup_of(const struct perfgrp_core_cgroup *cgroup)
{
	return NULL;
}

static inline u64 perfgrp_core_cgroup_id(const struct perfgrp_core_cgroup *cgroup)
{
	return 0;
}

static inline bool perfgrp_core_cgroup_is_removed(const struct perfgrp_core_cgroup *cgroup)
{
	return false;
}

static inline void perfgrp_core_cgroup_begin(struct perf_event *event)
{
}

static inline void perfgrp_core_cgroup_settle(struct perf_event *event)
{
}

static inline void perfgrp_core_cgroup_call(void (*fn)(void *info), void *info)
{
	fn(info);
}

static inline struct perf_event *
perfgrp_core_create_in_cgroup(const struct perfgrp_core_request *request)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline u64 perfgrp_core_cgroup_time_at(const struct perf_cgroup *cgroup,
					      const struct perf_event *event, u64 clock)
{
	return 0;
}

static inline u64 perfgrp_core_cgroup_now(const struct perf_cgroup *cgroup,
					  const struct perf_event *event, u64 clock)
{
	return 0;
}

static inline const struct perf_cgroup *perfgrp_core_event_cgroup(const struct perf_event *event)
{
	return NULL;
}

static inline bool perfgrp_core_is_in_cgroup(const struct perf_event *event,
					     const struct perfgrp_core_cgroup *cgroup)
{
	return true;
}

#endif /* CONFIG_CGROUP_PERF */

#endif /* PERFGRP_PERFCORE_CGROUP_H */
