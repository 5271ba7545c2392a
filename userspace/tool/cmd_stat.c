// SPDX-License-Identifier: GPL-2.0
/* perfgrp stat: count events of a command, of tasks or of CPUs. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "pmu.h"
#include "stat.h"
#include "workload.h"

/* As perf's where the command cannot be run, or counting cannot. */
#define EXIT_FAILED	255

#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL
/* How often to look whether tasks that are not our children have exited. */
#define EXIT_CHECK	(100 * NSEC_PER_MSEC)
#define NEVER		(~0ULL)
#define MAX_RUNS	100

static __u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static __u64 earlier(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

/**
 * struct run - one run of counting
 * @st: what is counted
 * @signals: the signals to wait for, which are blocked
 * @w: the command
 * @start: when counting began, in ns of CLOCK_MONOTONIC
 * @last: when the last interval ended
 * @intervals: how many intervals have been printed
 * @signal: the last signal that asks to end, or 0
 * @killed: the command was ended by us
 */
struct run {
	struct stat *st;
	sigset_t signals;
	struct workload w;
	__u64 start;
	__u64 last;
	unsigned int intervals;
	int signal;
	bool killed;
};

/* Reads and prints what was counted since the last time. */
static int print_interval(struct run *run, __u64 time)
{
	struct stat *st = run->st;
	int err = stat_collect(st);

	if (err)
		return err;
	st->timestamp = time - run->start;
	st->elapsed = time - run->last;
	run->last = time;
	run->intervals++;
	stat_print(st);
	return 0;
}

/*
 * A signal: returns true if it ends counting. One from the terminal has gone to the
 * command as well, and counting ends when the command does; unless it comes twice.
 */
static bool ends(struct run *run, const siginfo_t *info)
{
	bool again = run->signal;

	if (info->si_signo == SIGCHLD) {
		workload_reap(&run->w, false);
		return run->w.exited;
	}
	run->signal = info->si_signo;
	return !run->w.pid || again || info->si_code <= 0;
}

/* Sleeps until some time, or until a signal; returns the signal or a negative value. */
static int wait_for_signal(const struct run *run, __u64 until, siginfo_t *info)
{
	struct timespec ts = { 0 };
	__u64 time = now();

	if (until == NEVER)
		return sigwaitinfo(&run->signals, info);
	if (until > time) {
		ts.tv_sec = (until - time) / NSEC_PER_SEC;
		ts.tv_nsec = (until - time) % NSEC_PER_SEC;
	}
	return sigtimedwait(&run->signals, info, &ts);
}

/* Sleeps before counting begins; returns true if that is the end already. */
static bool delay(struct run *run, unsigned int ms)
{
	__u64 until = run->start + ms * NSEC_PER_MSEC;

	while (now() < until) {
		siginfo_t info;

		if (wait_for_signal(run, until, &info) > 0 && ends(run, &info))
			return true;
	}
	return false;
}

/* Counts until the command, the tasks, the time or the user's patience is at its end. */
static int count(struct run *run)
{
	const struct stat_options *opt = &run->st->opt;
	bool watch = run->st->target.kind == TARGET_TASKS && !run->w.pid;
	__u64 interval = opt->interval * NSEC_PER_MSEC;
	__u64 next = interval ? run->start + interval : NEVER;
	__u64 end = opt->timeout ? run->start + opt->timeout * NSEC_PER_MSEC : NEVER;

	for (;;) {
		__u64 until = earlier(next, end), time;
		siginfo_t info;
		int err;

		if (watch)
			until = earlier(until, now() + EXIT_CHECK);
		if (wait_for_signal(run, until, &info) > 0 && ends(run, &info))
			return 0;
		if (watch && stat_tasks_exited(run->st))
			return 0;

		time = now();
		if (time >= end)
			return 0;
		if (time < next)
			continue;
		err = print_interval(run, time);
		if (err || run->intervals == opt->interval_count)
			return err;
		/* Intervals that have been missed altogether are one long one. */
		next += (time - next) / interval * interval + interval;
	}
}

/* The command is to end, if it has not done so by itself. */
static void end_workload(struct run *run)
{
	struct stat *st = run->st;

	if (!run->w.pid)
		return;
	workload_reap(&run->w, false);
	if (!run->w.exited) {
		kill(run->w.pid, SIGTERM);
		run->killed = true;
	}
	workload_reap(&run->w, true);
	if (st->target.kind == TARGET_COMMAND && st->opt.runs == 1) {
		st->user = run->w.usage.ru_utime.tv_sec + run->w.usage.ru_utime.tv_usec / 1e6;
		st->sys = run->w.usage.ru_stime.tv_sec + run->w.usage.ru_stime.tv_usec / 1e6;
	}
}

/* Makes the groups and lets everything start. */
static int begin(struct run *run, const sigset_t *mask)
{
	struct stat *st = run->st;
	int err;

	if (st->target.command) {
		err = workload_prepare(&run->w, st->target.command, mask);
		if (err) {
			error("cannot make a process: %s", strerror(-err));
			return err;
		}
		if (st->target.kind == TARGET_COMMAND) {
			numbers_free(&st->target.tasks);
			numbers_add(&st->target.tasks, run->w.pid);
		}
	}
	err = stat_open(st);
	if (err)
		goto cancel;
	if (!st->opt.delay && !stat_enables_on_exec(st)) {
		err = stat_enable(st);
		if (err)
			goto close;
	}
	run->start = now();
	run->last = run->start;
	if (run->w.pid) {
		err = workload_start(&run->w);
		if (err) {
			fprintf(stderr, "Workload failed: %s\n", strerror(-err));
			workload_reap(&run->w, true);
			stat_close(st);
			return err;
		}
	}
	return 0;

close:
	stat_close(st);
cancel:
	workload_cancel(&run->w);
	return err;
}

/* One run from beginning to end; returns 0 or a negative errno. */
static int run_once(struct run *run, const sigset_t *mask)
{
	struct stat *st = run->st;
	bool ended = false;
	__u64 end;
	int err, ret;

	memset(&run->w, 0, sizeof(run->w));
	err = begin(run, mask);
	if (err)
		return err;
	if (st->opt.delay) {
		ended = delay(run, st->opt.delay);
		err = stat_enable(st);
		run->start = now();
		run->last = run->start;
	}
	if (!err && !ended)
		err = count(run);

	ret = stat_disable(st);
	end = now();
	if (!err)
		err = ret;
	end_workload(run);
	st->elapsed = end - run->start;
	if (!err && !st->opt.interval)
		err = stat_collect(st);
	else if (!err && (!run->intervals || run->intervals != st->opt.interval_count))
		err = print_interval(run, end);
	stat_close(st);
	return err;
}

/* What the command ended with is what we end with; 128 and more for a signal, as sh. */
static int exit_status(const struct run *run, char **command)
{
	if (!run->w.pid || run->killed)
		return 0;
	if (WIFSIGNALED(run->w.status)) {
		psignal(WTERMSIG(run->w.status), command[0]);
		return 128 + WTERMSIG(run->w.status);
	}
	return WEXITSTATUS(run->w.status);
}

static int run_all(struct stat *st)
{
	struct run run = { .st = st };
	sigset_t mask;
	unsigned int i;
	int status = 0;

	/* Whoever ignores it gets none. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&run.signals);
	sigaddset(&run.signals, SIGINT);
	sigaddset(&run.signals, SIGTERM);
	sigaddset(&run.signals, SIGHUP);
	sigaddset(&run.signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &run.signals, &mask);

	for (i = 0; i < st->opt.runs && !run.signal; i++) {
		if (run_once(&run, &mask))
			return EXIT_FAILED;
		status = exit_status(&run, st->target.command);
		stat_add_run(st);
	}
	if (!st->opt.interval)
		stat_print(st);
	if (run.signal) {
		/* Whoever has sent it is to see that it was heeded. */
		fclose(st->out);
		signal(run.signal, SIG_DFL);
		raise(run.signal);
		sigprocmask(SIG_UNBLOCK, &run.signals, NULL);
	}
	return status;
}

/* ---- what to count -------------------------------------------------------- */

static int add_events(struct event_list *list, const char *text)
{
	struct event_error err;

	if (!events_parse(list, text, NULL, &err))
		return 0;
	fprintf(stderr, "event syntax error: '%s'\n%*s\\___ %s\n", text,
		(int)(strlen("event syntax error: '") + err.column), "", err.text);
	fputs("\nRun 'perfgrp list' for a list of valid events\n", stderr);
	return -EINVAL;
}

static bool machine_has(const char *name)
{
	struct strings pmus = { 0 };
	bool has = false;
	size_t i;

	pmu_names(&pmus, NULL);
	for (i = 0; i < pmus.nr && !has; i++) {
		struct pmu pmu;

		if (pmu_open(&pmu, NULL, pmus.s[i]))
			continue;
		has = pmu_has_event(&pmu, name);
		pmu_close(&pmu);
	}
	strings_free(&pmus);
	return has;
}

/* What perf stat counts if it is not told what to count. */
static int add_default_events(struct stat *st, unsigned int detail)
{
	static const char *const detailed[] = {
		"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
		"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,"
		"iTLB-loads,iTLB-load-misses",
		"L1-dcache-prefetches,L1-dcache-prefetch-misses",
	};
	unsigned int i;
	char *text;
	int err;

	text = xasprintf("%s,context-switches,cpu-migrations,page-faults,cycles%s%s,"
			 "instructions,branches,branch-misses",
			 target_has_cpus(&st->target) ? "cpu-clock" : "task-clock",
			 machine_has("stalled-cycles-frontend") ? ",stalled-cycles-frontend" : "",
			 machine_has("stalled-cycles-backend") ? ",stalled-cycles-backend" : "");
	err = add_events(&st->list, text);
	free(text);
	for (i = 0; i < detail && i < ARRAY_SIZE(detailed) && !err; i++)
		err = add_events(&st->list, detailed[i]);
	return err;
}

/* ---- the command line ----------------------------------------------------- */

enum {
	OPT_APPEND = 256,
	OPT_ALL_USER,
	OPT_ALL_KERNEL,
	OPT_INTERVAL_COUNT,
	OPT_LOG_FD,
	OPT_MERGE,
	OPT_NO_BIG_NUM,
	OPT_NO_MERGE,
	OPT_NO_SCALE,
	OPT_PER_CORE,
	OPT_PER_DIE,
	OPT_PER_NODE,
	OPT_PER_SOCKET,
	OPT_PER_THREAD,
	OPT_RAW,
	OPT_TIMEOUT,
};

static const struct option options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "per-core", no_argument, NULL, OPT_PER_CORE },
	{ "per-die", no_argument, NULL, OPT_PER_DIE },
	{ "per-socket", no_argument, NULL, OPT_PER_SOCKET },
	{ "per-node", no_argument, NULL, OPT_PER_NODE },
	{ "per-thread", no_argument, NULL, OPT_PER_THREAD },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "all-user", no_argument, NULL, OPT_ALL_USER },
	{ "all-kernel", no_argument, NULL, OPT_ALL_KERNEL },
	{ "delay", required_argument, NULL, 'D' },
	{ "detailed", no_argument, NULL, 'd' },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "repeat", required_argument, NULL, 'r' },
	{ "null", no_argument, NULL, 'n' },
	{ "interval-print", required_argument, NULL, 'I' },
	{ "interval-count", required_argument, NULL, OPT_INTERVAL_COUNT },
	{ "raw", no_argument, NULL, OPT_RAW },
	{ "no-scale", no_argument, NULL, OPT_NO_SCALE },
	{ "no-merge", no_argument, NULL, OPT_NO_MERGE },
	{ "hybrid-merge", no_argument, NULL, OPT_MERGE },
	{ "big-num", no_argument, NULL, 'B' },
	{ "no-big-num", no_argument, NULL, OPT_NO_BIG_NUM },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json-output", no_argument, NULL, 'j' },
	{ "output", required_argument, NULL, 'o' },
	{ "append", no_argument, NULL, OPT_APPEND },
	{ "log-fd", required_argument, NULL, OPT_LOG_FD },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static void usage(FILE *out)
{
	fputs("usage: perfgrp stat [OPTION]... [--] [COMMAND [ARGUMENT]...]\n"
	      "\n"
	      "Counts events while COMMAND runs, or until interrupted.\n"
	      "\n"
	      "What to count:\n"
	      "  -e, --event EVENTS       events by perf's names; {a,b} is a group; may be repeated\n"
	      "  -d, --detailed           more events, up to three times\n"
	      "  -a, --all-cpus           all CPUs (the default without COMMAND)\n"
	      "  -C, --cpu LIST           some CPUs: 0,2-3\n"
	      "  -p, --pid LIST           processes, with all their threads\n"
	      "  -t, --tid LIST           threads\n"
	      "  -i, --no-inherit         not the children\n"
	      "      --all-user           user mode only\n"
	      "      --all-kernel         kernel mode only\n"
	      "  -n, --null               nothing, but the time\n"
	      "When:\n"
	      "  -D, --delay MS           from so many ms after the start\n"
	      "      --timeout MS         for so many ms\n"
	      "  -r, --repeat N           COMMAND N times, with the mean and its deviation\n"
	      "  -I, --interval-print MS  a report every so many ms\n"
	      "      --interval-count N   N such reports\n"
	      "What to print:\n"
	      "  -A, --no-aggr            a row a CPU\n"
	      "      --per-core, --per-die, --per-socket, --per-node, --per-thread\n"
	      "                           a row for each of these\n"
	      "      --raw                raw and scaled counts, times, state, who ran together\n"
	      "      --no-scale           raw counts in place of scaled ones\n"
	      "      --hybrid-merge       one sum over CPUs of different kinds\n"
	      "      --no-big-num         no separators between thousands\n"
	      "  -x, --field-separator S  CSV, with S between columns\n"
	      "  -j, --json-output        JSON, an object a line\n"
	      "  -o, --output FILE        into FILE, not to standard error\n"
	      "      --append             behind what FILE has already\n"
	      "      --log-fd FD          to a file descriptor\n"
	      "  -v, --verbose            say more about what cannot be counted\n"
	      "  -h, --help               this\n", out);
}

/**
 * struct command_line - what becomes of options only when all have been read
 * @events: there was a -e
 * @detail: number of -d
 * @file: of -o
 * @append: --append
 * @fd: of --log-fd, or -1
 */
struct command_line {
	bool events;
	unsigned int detail;
	const char *file;
	bool append;
	int fd;
};

static int parse_uint(const char *what, const char *text, unsigned int min, unsigned int max,
		      unsigned int *value)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || n < min || n > max) {
		error("%s: '%s' is not a number from %u to %u", what, text, min, max);
		return -EINVAL;
	}
	*value = n;
	return 0;
}

static int parse_option(struct stat *st, struct command_line *line, int c)
{
	const unsigned int max = 1U << 30;
	struct stat_options *opt = &st->opt;
	unsigned int fd;
	int err = 0;

	switch (c) {
	case 'e':
		line->events = true;
		return add_events(&st->list, optarg);
	case 'a':
		st->target.all_cpus = true;
		break;
	case 'C':
		st->target.cpu_list = optarg;
		break;
	case 'p':
		st->target.pids = optarg;
		break;
	case 't':
		st->target.tids = optarg;
		break;
	case 'A':
		st->aggr.mode = AGGR_CPU;
		break;
	case OPT_PER_CORE:
		st->aggr.mode = AGGR_CORE;
		break;
	case OPT_PER_DIE:
		st->aggr.mode = AGGR_DIE;
		break;
	case OPT_PER_SOCKET:
		st->aggr.mode = AGGR_SOCKET;
		break;
	case OPT_PER_NODE:
		st->aggr.mode = AGGR_NODE;
		break;
	case OPT_PER_THREAD:
		st->aggr.mode = AGGR_THREAD;
		break;
	case 'i':
		opt->no_inherit = true;
		break;
	case OPT_ALL_USER:
		opt->all_user = true;
		break;
	case OPT_ALL_KERNEL:
		opt->all_kernel = true;
		break;
	case 'D':
		return parse_uint("--delay", optarg, 0, max, &opt->delay);
	case 'd':
		line->detail++;
		break;
	case OPT_TIMEOUT:
		return parse_uint("--timeout", optarg, 10, max, &opt->timeout);
	case 'r':
		return parse_uint("--repeat", optarg, 1, MAX_RUNS, &opt->runs);
	case 'n':
		opt->null = true;
		break;
	case 'I':
		return parse_uint("--interval-print", optarg, 1, max, &opt->interval);
	case OPT_INTERVAL_COUNT:
		return parse_uint("--interval-count", optarg, 1, max, &opt->interval_count);
	case OPT_RAW:
		opt->raw = true;
		break;
	case OPT_NO_SCALE:
		opt->no_scale = true;
		break;
	case OPT_NO_MERGE:
		opt->merge = false;
		break;
	case OPT_MERGE:
		opt->merge = true;
		break;
	case 'B':
		opt->big_num = true;
		break;
	case OPT_NO_BIG_NUM:
		opt->big_num = false;
		break;
	case 'x':
		opt->separator = strcmp(optarg, "\\t") ? optarg : "\t";
		break;
	case 'j':
		opt->json = true;
		break;
	case 'o':
		line->file = optarg;
		break;
	case OPT_APPEND:
		line->append = true;
		break;
	case OPT_LOG_FD:
		err = parse_uint("--log-fd", optarg, 0, max, &fd);
		line->fd = fd;
		break;
	case 'v':
		opt->verbose = true;
		break;
	default:
		err = -EINVAL;
	}
	return err;
}

/* Options that have no sense together. */
static int check_options(const struct stat *st, const struct command_line *line)
{
	const struct stat_options *opt = &st->opt;

	if (opt->separator && opt->json)
		error("CSV (-x) and JSON (-j) exclude one another");
	else if (opt->separator && !*opt->separator)
		error("-x needs a separator");
	else if (line->file && line->fd >= 0)
		error("--output and --log-fd exclude one another");
	else if (opt->all_user && opt->all_kernel)
		error("--all-user and --all-kernel exclude one another");
	else if (opt->timeout && opt->interval)
		error("--timeout and --interval-print exclude one another");
	else if (opt->interval_count && !opt->interval)
		error("--interval-count needs --interval-print");
	else if (opt->runs > 1 && (!st->target.command || opt->interval))
		error("--repeat needs a command, and no intervals");
	else if (opt->null && line->events)
		error("--null and --event exclude one another");
	else
		return 0;
	return -EINVAL;
}

static int open_output(struct stat *st, const struct command_line *line)
{
	const char *mode = line->append ? "ae" : "we";
	time_t t = time(NULL);

	if (line->file) {
		st->out = fopen(line->file, mode);
		if (st->out)
			fprintf(st->out, "# started on %s\n", ctime(&t));
	} else if (line->fd >= 0) {
		st->out = fdopen(line->fd, mode);
	} else {
		st->out = stderr;
	}
	if (st->out)
		return 0;
	error("cannot write to %s: %s", line->file ? line->file : "that file descriptor",
	      strerror(errno));
	return -errno;
}

/* Opens the device and asks what the module can do. */
static int open_device(struct stat *st)
{
	struct perfgrp_info info;

	st->dev = cmd_open_device();
	if (!st->dev)
		return -ENODEV;
	if (perfgrp_get_info(st->dev, &info)) {
		error("%s", perfgrp_dev_error(st->dev)->text);
		return -ENODEV;
	}
	st->features = info.features;
	if (!(st->features & PERFGRP_FEATURE_INHERIT) && !target_has_cpus(&st->target) &&
	    !st->opt.no_inherit && st->opt.verbose)
		error("this module lacks 'inherit': children are not counted");
	return 0;
}

/* What can be shown apart depends on what is counted. */
static int check_aggr(struct stat *st)
{
	const bool cpus = target_has_cpus(&st->target);

	switch (st->aggr.mode) {
	case AGGR_CORE:
	case AGGR_DIE:
	case AGGR_SOCKET:
	case AGGR_NODE:
		if (cpus)
			return 0;
		error("cores, dies, sockets and nodes can be told apart with -a or -C only");
		return -EINVAL;
	case AGGR_THREAD:
		if (st->target.kind == TARGET_TASKS)
			return 0;
		error("--per-thread needs -p, -t or -a");
		return -EINVAL;
	case AGGR_GLOBAL:
	case AGGR_CPU:
		break;
	}
	return 0;
}

static int run_stat(struct stat *st, const struct command_line *line)
{
	int status, failed;

	st->target.all_threads = st->target.all_cpus && st->aggr.mode == AGGR_THREAD;
	if (check_options(st, line))
		return EXIT_USAGE;
	if (target_resolve(&st->target) || check_aggr(st))
		return EXIT_USAGE;
	if (!line->events && !st->opt.null && add_default_events(st, line->detail))
		return EXIT_USAGE;
	if (st->list.nr && open_device(st))
		return EXIT_FAILED;
	if (open_output(st, line))
		return EXIT_FAILED;
	status = run_all(st);
	failed = ferror(st->out);
	if (st->out != stderr && (fclose(st->out) || failed)) {
		error("cannot write to %s", line->file ? line->file : "that file descriptor");
		status = EXIT_FAILED;
	}
	return status;
}

int cmd_stat(int argc, char **argv)
{
	struct command_line line = { .fd = -1 };
	struct stat st = {
		.opt = { .big_num = true, .runs = 1 },
		.user = -1,
	};
	int c, status = 0;

	while ((c = getopt_long(argc, argv, "+e:aC:p:t:AiD:dr:nI:Bx:jo:vh", options, NULL)) != -1) {
		if (c == 'h') {
			usage(stdout);
			goto out;
		}
		if (parse_option(&st, &line, c)) {
			status = EXIT_USAGE;
			goto out;
		}
	}
	if (optind < argc)
		st.target.command = &argv[optind];
	status = run_stat(&st, &line);
out:
	stat_free(&st);
	return status;
}
