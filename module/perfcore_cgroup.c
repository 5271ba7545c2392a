// SPDX-License-Identifier: GPL-2.0
/*
 * Events that count the tasks of a cgroup.
 *
 * perf_event_alloc() finds the cgroup by a file descriptor in the table of the task that creates
 * the event. The probe of perfcore_link.c supplies the fd. The fd that the user passed for a group
 * may be closed by the time an event is created, or the task may be a worker. So a group holds the
 * directory's file, and installs an fd for it during each creation. A worker does that, in the
 * kernel threads' table: in the user's own table other threads could use the fd, a fork could
 * inherit it, its limit might be reached, and closing it would drop the user's fcntl() locks and
 * dnotify watches of the directory.
 *
 * The times of such an event are the cgroup's on the event's CPU (struct perf_cgroup_info) instead
 * of the context's: perf_cgroup_event_time() and perf_cgroup_event_time_now() of 6.1.192,
 * 6.12.117 and 7.3.4.
 *
 * While an event of any cgroup is enabled on a CPU, perf_cpu_context.cgrp is the cgroup that runs
 * there; otherwise it is NULL. perf_cgroup_info.active should agree with it, but
 *
 *	- it stays set for the running cgroup when a CPU's last cgroup event is disabled. From then
 *	  on the cgroup's time seems to pass whatever runs, and perf_event_disable() adds that to
 *	  it permanently: update_cgrp_time_from_event();
 *	- it is not set when the first event is enabled (in 6.1 it is), and the time since the last
 *	  update, perhaps since boot, is added at the next switch: perf_cgroup_set_timestamp() is
 *	  not called if ctx_time_freeze() has kept EVENT_TIME;
 *	- it is cleared for a cgroup that keeps running when the CPU's events are rescheduled:
 *	  ctx_sched_out() treats each reschedule as if the last event had gone.
 *
 * So the CPU corrects it before and after an event is enabled and before one is disabled, and
 * readers look at perf_cpu_context.cgrp instead. perf_event_open()'s counts have these errors.
 *
 * When a cgroup is removed, cgroup_destroy_locked() of the same kernels clears CSS_ONLINE of its
 * own css (cgroup.self) first; from then on it cannot be found by its directory.
 *
 * Process context, unless a function says otherwise.
 */
#define pr_fmt(fmt) "perfgrp: " fmt

#include <linux/cgroup.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernfs.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "perfcore.h"

/* Set by perfgrp_core_cgroup_init(), before the device exists. */
static bool can_cgroup;

/* Creates events for user tasks. Its own queue, so as not to wait for unrelated work. */
static struct workqueue_struct *create_queue;

/* ---- creating -------------------------------------------------------------- */

/**
 * struct call - a function that a worker is to call
 * @work: runs call_work()
 * @fn: to be called
 * @info: its argument
 * @cred: credentials to call it with
 * @done: it has returned
 *
 * On the stack of the task that waits for it.
 */
struct call {
	struct work_struct work;
	void (*fn)(void *info);
	void *info;
	const struct cred *cred;
	struct completion done;
};

static void call_work(struct work_struct *work)
{
	struct call *call = container_of(work, struct call, work);
	const struct cred *cred = override_creds(call->cred);

	call->fn(call->info);
	revert_creds(cred);
	complete(&call->done);
}

/**
 * perfgrp_core_cgroup_call - call a function in a worker, and wait until it returns
 * @fn: creates events in cgroups; called with the caller's credentials
 * @info: passed to @fn
 *
 * perfgrp_core_create_in_cgroup() needs a kernel thread. If @fn creates several events, the caller
 * need not hand each to a worker by itself. May sleep.
 */
void perfgrp_core_cgroup_call(void (*fn)(void *info), void *info)
{
	struct call call = { .fn = fn, .info = info, .cred = current_cred() };

	init_completion(&call.done);
	INIT_WORK_ONSTACK(&call.work, call_work);
	queue_work(create_queue, &call.work);
	/* Not flush_work(): to lockdep, @fn takes locks that the caller may hold for it. */
	wait_for_completion(&call.done);
	destroy_work_on_stack(&call.work);
}

/**
 * struct creation - an event that is to be created in a cgroup
 * @request: what is to be created
 * @event: the result
 */
struct creation {
	const struct perfgrp_core_request *request;
	struct perf_event *event;
};

/* Create it with an fd in the table of kernel threads, of which the current task is one. */
static void create(void *info)
{
	struct creation *creation = info;
	int fd = get_unused_fd_flags(O_CLOEXEC);

	if (fd < 0) {
		creation->event = ERR_PTR(fd);
		return;
	}
	fd_install(fd, get_file(creation->request->cgroup->dir));
	creation->event = perfgrp_core_create_supplied(creation->request, fd);
	close_fd(fd);
}

/**
 * perfgrp_core_create_in_cgroup - create an event in a cgroup
 * @request: what is to be created; it has a cgroup
 *
 * For perfgrp_core_create(). May sleep.
 *
 * Return: the event, which may not be in the cgroup if the probe did not run; or an ERR_PTR():
 * -EBADF if the file is not the directory of a cgroup, -ENOENT if the cgroup was removed, or is
 * not in perf_event's hierarchy.
 */
struct perf_event *perfgrp_core_create_in_cgroup(const struct perfgrp_core_request *request)
{
	struct creation creation = { .request = request };

	if (current->flags & PF_KTHREAD)
		create(&creation);
	else
		perfgrp_core_cgroup_call(create, &creation);
	return creation.event;
}

/* ---- cgroups --------------------------------------------------------------- */

static struct perf_event *create_dummy(const struct perfgrp_core_cgroup *cgroup, int cpu,
				       enum perf_sw_ids config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
	};
	const struct perfgrp_core_request request = {
		.attr = &attr,
		.cpu = cpu,
		.cgroup = cgroup,
	};

	return perfgrp_core_create_in_cgroup(&request);
}

/* Return: true if @dir is the directory of @perf, the cgroup that perf has found for it. */
static bool is_dir_of(const struct file *dir, const struct perf_cgroup *perf)
{
	return file_inode(dir)->i_ino == kernfs_id_ino(cgroup_id(perf->css.cgroup));
}

/**
 * perfgrp_core_cgroup_get - find the cgroup of a directory
 * @cgroup: set; to be released with perfgrp_core_cgroup_put()
 * @dir: a file
 *
 * perfgrp_core_can_cgroup() is true, and perfgrp_core_link_begin() has succeeded. May sleep.
 *
 * Return: 0; -EBADF or -ENOENT as perfgrp_core_create_in_cgroup(); -EXDEV if the probe did not
 * run, or perf has found another cgroup; or another error from creating a dummy event.
 */
int perfgrp_core_cgroup_get(struct perfgrp_core_cgroup *cgroup, struct file *dir)
{
	struct perf_event *event = ERR_PTR(-ENODEV);
	int cpu, ret = -EXDEV;

	cgroup->dir = dir;
	/* A CPU may be about to go offline. */
	for_each_online_cpu(cpu) {
		event = create_dummy(cgroup, cpu, PERF_COUNT_SW_DUMMY);
		if (event != ERR_PTR(-ENODEV))
			break;
	}
	if (IS_ERR(event))
		return PTR_ERR(event);
	if (event->cgrp && is_dir_of(dir, event->cgrp)) {
		get_file(dir);
		css_get(&event->cgrp->css);
		cgroup->perf = event->cgrp;
		ret = 0;
	}
	perf_event_release_kernel(event);
	return ret;
}

/**
 * perfgrp_core_cgroup_put - release what perfgrp_core_cgroup_get() has found
 * @cgroup: the cgroup
 */
void perfgrp_core_cgroup_put(struct perfgrp_core_cgroup *cgroup)
{
	css_put(&cgroup->perf->css);
	fput(cgroup->dir);
}

/**
 * perfgrp_core_cgroup_of - the struct cgroup, as tracepoints pass it
 * @cgroup: the cgroup
 *
 * Return: to be compared only.
 */
const struct cgroup *perfgrp_core_cgroup_of(const struct perfgrp_core_cgroup *cgroup)
{
	return cgroup->perf->css.cgroup;
}

/**
 * perfgrp_core_cgroup_id - the number of a cgroup
 * @cgroup: the cgroup
 *
 * Return: as bpf_get_current_cgroup_id().
 */
u64 perfgrp_core_cgroup_id(const struct perfgrp_core_cgroup *cgroup)
{
	return cgroup_id(cgroup->perf->css.cgroup);
}

/**
 * perfgrp_core_cgroup_is_removed - has a cgroup been removed?
 * @cgroup: the cgroup
 *
 * Any context.
 *
 * Return: true if its directory has been removed; then only exiting tasks can be in it.
 */
bool perfgrp_core_cgroup_is_removed(const struct perfgrp_core_cgroup *cgroup)
{
	return perfgrp_core_is_removed(cgroup->perf->css.cgroup);
}

/* ---- times ------------------------------------------------------------------ */

/* The cgroup that runs on the event's CPU; NULL if no event of a cgroup is enabled there. */
static const struct perf_cgroup *running_there(const struct perf_event *event)
{
	/* The context of a cgroup's event is a CPU's. */
	return READ_ONCE(container_of(event->ctx, struct perf_cpu_context, ctx)->cgrp);
}

static bool is_below(const struct perf_cgroup *cgroup, const struct perf_cgroup *ancestor)
{
	return cgroup_is_descendant(cgroup->css.cgroup, ancestor->css.cgroup);
}

/* IPI. With no event of a cgroup enabled on this CPU, the perf core does not update the time. */
static void begin_time(void *data)
{
	const struct perf_event *event = data;
	struct perf_cgroup_info *info = this_cpu_ptr(event->cgrp->info);

	lockdep_assert_irqs_disabled();

	if (running_there(event))
		return;
	compat_cgroup_stamp(info, perfgrp_core_clock());
	/* After the offset, as in perf_cgroup_set_timestamp(). */
	smp_store_release(&info->active, is_below(perf_cgroup_from_task(current, NULL),
						  event->cgrp));
}

/**
 * perfgrp_core_cgroup_begin - start the time of an event's cgroup on the event's CPU
 * @event: an event of a cgroup, which is to be enabled
 *
 * Call perfgrp_core_cgroup_settle() once it is enabled. See the top of this file. May sleep.
 */
void perfgrp_core_cgroup_begin(struct perf_event *event)
{
	/* Before 6.2 a CPU's contexts share the times, so another one may be keeping them. */
	if (COMPAT_ONE_CPU_CONTEXT && !running_there(event))
		smp_call_function_single(event->cpu, begin_time, event, true);
}

static bool is_settled(const struct perf_event *event)
{
	const struct perf_cgroup *running = running_there(event);
	const struct perf_cgroup_info *info = per_cpu_ptr(event->cgrp->info, event->cpu);

	return !running || !!READ_ONCE(info->active) == is_below(running, event->cgrp);
}

/* IPI: the perf core switches cgroups with interrupts off, so this does not run meanwhile. */
static void settle(void *data)
{
	const struct perf_event *event = data;
	struct perf_cgroup_info *info = this_cpu_ptr(event->cgrp->info);

	lockdep_assert_irqs_disabled();

	if (!is_settled(event))
		WRITE_ONCE(info->active, !info->active);
}

/**
 * perfgrp_core_cgroup_settle - correct perf_cgroup_info.active of an event's cgroup
 * @event: an event of a cgroup, which is enabled
 *
 * See the top of this file. May sleep.
 */
void perfgrp_core_cgroup_settle(struct perf_event *event)
{
	bool settled;

	rcu_read_lock();
	settled = is_settled(event);
	rcu_read_unlock();
	if (!settled)
		smp_call_function_single(event->cpu, settle, event, true);
}

/*
 * perf_cgroup_switch() changes perf_cpu_context.cgrp before it updates the time, and
 * perf_cgroup_info.active is clear in between. Only an NMI, or another CPU, can see that.
 */
static bool may_switch_now(const struct perf_event *event)
{
	return in_nmi() || event->cpu != raw_smp_processor_id();
}

static u64 time_at(const struct perf_cgroup_info *info, const struct perf_event *event, u64 clock)
{
	u64 time = clock + compat_cgroup_timeoffset(info);

	return event->attr.exclude_guest ? time - compat_cgroup_guest_time(info) : time;
}

/**
 * perfgrp_core_cgroup_time_at - the time of an event's cgroup at a moment
 * @cgroup: perfgrp_core_event_cgroup()
 * @event: the event, PERF_EVENT_STATE_ACTIVE on this CPU
 * @clock: the moment, in perfgrp_core_clock()'s time
 *
 * Any context.
 *
 * Return: ns, on the time base of event->tstamp.
 */
u64 perfgrp_core_cgroup_time_at(const struct perf_cgroup *cgroup, const struct perf_event *event,
				u64 clock)
{
	return time_at(per_cpu_ptr(cgroup->info, event->cpu), event, clock);
}

/**
 * perfgrp_core_cgroup_now - the time of an event's cgroup now
 * @cgroup: perfgrp_core_event_cgroup()
 * @event: the event
 * @clock: perfgrp_core_clock()
 *
 * What perf_cgroup_event_time_now() should return. Any context.
 *
 * Return: ns, on the time base of event->tstamp. The time stands still while no task of the cgroup
 * is on the event's CPU.
 */
u64 perfgrp_core_cgroup_now(const struct perf_cgroup *cgroup, const struct perf_event *event,
			    u64 clock)
{
	const struct perf_cgroup_info *info = per_cpu_ptr(cgroup->info, event->cpu);
	const struct perf_cgroup *running = running_there(event);
	u64 time;

	if (running && is_below(running, cgroup) &&
	    /* update_cgrp_time_from_cpuctx() clears it after it has changed the time. */
	    (smp_load_acquire(&info->active) || !may_switch_now(event)))
		return time_at(info, event, clock);
	time = compat_cgroup_time(info);
	return event->attr.exclude_guest ? time - compat_cgroup_guest_time(info) : time;
}

/* ---- self-test -------------------------------------------------------------- */

/* Compare perfgrp_core_read() of a clock event with the perf core's own read. */
static int try_reading(const struct perfgrp_core_cgroup *cgroup, int cpu)
{
	struct perf_event *event = create_dummy(cgroup, cpu, PERF_COUNT_SW_CPU_CLOCK);
	int ret;

	if (IS_ERR(event))
		return PTR_ERR(event);
	perfgrp_core_enable(event);
	/* All tasks are below the root, so its time always passes. */
	ret = perfgrp_core_test_reads(event, cpu);
	perf_event_release_kernel(event);
	return ret;
}

static int try_cgroup(struct file *dir, int cpu)
{
	struct perfgrp_core_cgroup cgroup;
	int ret;

	ret = perfgrp_core_cgroup_get(&cgroup, dir);
	if (ret)
		return ret;
	ret = try_reading(&cgroup, cpu);
	perfgrp_core_cgroup_put(&cgroup);
	return ret;
}

/*
 * Try the root of perf_event's hierarchy, cgroup2 or v1. If neither is mounted at its usual place
 * there is nothing to test, which is no failure.
 */
static int self_test(int cpu)
{
	static const char *const paths[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/perf_event" };
	struct file *dir;
	unsigned int i;
	int ret;

	ret = perfgrp_core_link_begin();
	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		dir = filp_open(paths[i], O_RDONLY | O_DIRECTORY, 0);
		if (IS_ERR(dir))
			continue;
		ret = try_cgroup(dir, cpu);
		fput(dir);
		if (ret != -EBADF && ret != -ENOENT)
			break;
		/* Another filesystem, or a v1 hierarchy without perf_event. */
		ret = 0;
	}
	perfgrp_core_link_end();
	return ret;
}

/**
 * perfgrp_core_cgroup_init - see whether events can be created in cgroups
 * @cpu: a CPU that is online
 *
 * If no hierarchy is mounted yet, perfgrp_core_cgroup_get() finds out later. Process context,
 * at module load.
 */
void perfgrp_core_cgroup_init(int cpu)
{
	int ret;

	if (!perfgrp_core_has_probe()) {
		pr_info("cgroups cannot be counted: the probe of perf_event_alloc is missing\n");
		return;
	}
	create_queue = alloc_workqueue("perfgrp_create", WQ_UNBOUND, 0);
	if (!create_queue)
		return;
	ret = self_test(cpu);
	if (ret)
		pr_warn("cgroups cannot be counted: the self-test failed (%d)\n", ret);
	can_cgroup = !ret;
}

/**
 * perfgrp_core_cgroup_exit - undo perfgrp_core_cgroup_init()
 *
 * No group exists.
 */
void perfgrp_core_cgroup_exit(void)
{
	if (create_queue)
		destroy_workqueue(create_queue);
}

/**
 * perfgrp_core_can_cgroup - can events be created in cgroups?
 *
 * Return: false if there is no probe for perf_event_alloc(), or the self-test failed.
 */
bool perfgrp_core_can_cgroup(void)
{
	return can_cgroup;
}
