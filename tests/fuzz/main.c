// SPDX-License-Identifier: GPL-2.0
/*
 * The fuzzer as a whole: processes that make calls, tasks that they count, CPUs that go and
 * come back, and what it has come to in the end.
 */
#include "fuzz.h"

#include <ctype.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SHARED_FD	100	/* inherited by all processes */
#define TO_FD		101
#define FROM_FD		102
#define STUCK_SECONDS	60	/* within which a process ends that is told to */
#define DEBUGFS		"/sys/kernel/debug/"
#define UNPRIVILEGED	"/sys/module/perfgrp/parameters/allow_unprivileged"
#define TIME_PERCENT	"/proc/sys/kernel/perf_cpu_time_max_percent"
#define SAMPLE_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"

struct shared *shared;

const char *const call_names[NR_CALLS] = {
	"GET_INFO", "CREATE", "ADD", "REMOVE", "ENABLE", "DISABLE", "RESET", "SNAPSHOT", "QUERY",
	"OPEN_READER", "SET_PERIOD", "GET_STREAM_STATS", "BPF_EVENTS_ON", "BPF_EVENTS_OFF",
	"BPF_ATTACH", "BPF_REPLACE", "BPF_DETACH", "BPF_QUERY", "GET_BPF_HANDLE",
	"(no such ioctl)", "read(2)", "poll(2)", "mmap(2)", "fdinfo",
};

static const char usage[] =
	"usage: fuzz [-s SEED] [-t SECONDS] [-n STEPS] [-p PROCESSES] [-j THREADS] [-w] [-v]\n"
	"  -s  a run with the same seed makes the same calls (default: a random one)\n"
	"  -t  how long (default 60)\n"
	"  -n  at most so many steps a thread\n"
	"  -p  processes: root; root with 32 bits; nobody (default 3)\n"
	"  -j  threads of each (default 6)\n"
	"  -w  without a world: no CPU goes, no task is there, no process is killed\n"
	"  -v  tells of each call\n"
	"  Exit status: 1 if something was not as it must be, 2 if the fuzzer itself failed\n";

static char self[256];
static unsigned int seconds = 60, nr_processes = NR_PROCESSES;
static bool world = true;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void nap_ms(unsigned int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* ---- cgroups to count ----------------------------------------------------- */

static void cgroup_file(char *path, size_t size, unsigned int nr, const char *file)
{
	int n = snprintf(path, size, CGROUP_PATH, nr);

	snprintf(path + n, size - n, "/%s", file);
}

static void make_cgroup(unsigned int nr)
{
	char path[64];

	cgroup_file(path, sizeof(path), nr, "");
	mkdir(path, 0755);
}

/* With its tasks. While they exit it cannot be removed; another time it can. */
static void remove_cgroup(unsigned int nr)
{
	char path[64];

	cgroup_file(path, sizeof(path), nr, "cgroup.kill");
	write_text(path, "1");
	cgroup_file(path, sizeof(path), nr, "");
	rmdir(path);
}

static void make_cgroups(void)
{
	unsigned int i;

	/* It is mounted already where there is a test before this one, perhaps. */
	mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, NULL);
	/* perf_event is in the root's children once the root's list of controllers was changed. */
	write_text("/sys/fs/cgroup/cgroup.subtree_control", "+pids");
	for (i = 0; i < NR_CGROUPS; i++)
		make_cgroup(i);
}

/* Or none, if there is no such cgroup. */
static void join_cgroup(unsigned int nr)
{
	char path[64];

	cgroup_file(path, sizeof(path), nr, "cgroup.procs");
	write_text(path, "0");
}

/* ---- tasks to count ------------------------------------------------------- */

static void touch_pages(unsigned int nr)
{
	size_t size = nr * 4096UL;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	if (p == MAP_FAILED)
		return;
	for (i = 0; i < size; i += 4096)
		((volatile char *)p)[i] = 1;
	munmap(p, size);
}

/* Works, forks, execs itself again, and ends by itself; what it does follows from SEED. */
static int run_target(uint64_t seed, unsigned int lives)
{
	struct thread t = { .random = seed };
	char text[2][32];
	volatile unsigned int spin;
	unsigned int rounds = 5 + below(&t, 60);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	join_cgroup(below(&t, 2 * NR_CGROUPS));
	while (rounds--) {
		switch (below(&t, 8)) {
		case 0:
			touch_pages(1 + below(&t, 30));
			break;
		case 1:
			for (spin = 1000 + below(&t, 100000); spin; spin--)
				;
			break;
		case 2:
			if (fork() == 0) {
				touch_pages(5);
				_exit(0);
			}
			break;
		case 3:
			while (waitpid(-1, NULL, WNOHANG) > 0)
				;
			break;
		default:
			nap_ms(below(&t, 40));
		}
	}
	if (lives && one_in(&t, 3)) {
		snprintf(text[0], sizeof(text[0]), "%llu", (unsigned long long)draw(&t));
		snprintf(text[1], sizeof(text[1]), "%u", lives - 1);
		execl(self, "fuzz", "--target", text[0], text[1], NULL);
	}
	return 0;
}

static void start_target(struct thread *t, unsigned int slot)
{
	uint64_t seed = draw(t);
	pid_t pid;

	if (shared->target[slot])
		return;
	pid = fork();
	if (pid == 0)
		_exit(run_target(seed, 3));
	if (pid > 0)
		write_once(shared->target[slot], pid);
}

/* The number stays: of a task that has exited, and of another one perhaps. */
static void reap_targets(void)
{
	unsigned int i;

	for (i = 0; i < NR_TARGETS; i++)
		if (shared->target[i] && waitpid(shared->target[i], NULL, WNOHANG) != 0)
			write_once(shared->target[i], 0);
}

/* ---- processes that make calls -------------------------------------------- */

static pid_t process[NR_PROCESSES];
static bool killed[NR_PROCESSES];

static void start_process(unsigned int i)
{
	char path[300], who[32], alive[32];

	snprintf(path, sizeof(path), "%s%s", self, i == 1 ? "32" : "");
	snprintf(who, sizeof(who), "%u", i);
	snprintf(alive, sizeof(alive), "%u", shared->life[i]);
	killed[i] = false;
	process[i] = fork();
	if (process[i])
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execl(path, "fuzz", "--process", who, alive, NULL);
	/* No program for 32 bits here. */
	execl(self, "fuzz", "--process", who, alive, NULL);
	_exit(2);
}

static void tell_end(unsigned int i, int status)
{
	struct thread t = { .process = i, .life = shared->life[i] };

	process[i] = 0;
	if (WIFSIGNALED(status) && !(killed[i] && WTERMSIG(status) == SIGKILL))
		violation(&t, NULL, "the process was killed by signal %d", WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status))
		violation(&t, NULL, "the process ended with status %d", WEXITSTATUS(status));
}

/* Whether any is left. */
static bool reap_processes(void)
{
	unsigned int i;
	bool left = false;
	int status;

	for (i = 0; i < nr_processes; i++) {
		if (process[i] && waitpid(process[i], &status, WNOHANG) == process[i]) {
			tell_end(i, status);
			if (killed[i] && !read_once(shared->stop)) {
				shared->life[i]++;
				start_process(i);
			}
		}
		left |= process[i];
	}
	return left;
}

static void print_file(const char *path)
{
	char text[4096];

	if (read_text(path, text, sizeof(text)))
		printf("%s:\n%s\n", path, text);
}

/* It has been told to end, or killed, and does not. */
static void tell_stuck(unsigned int i)
{
	struct thread t = { .process = i, .life = shared->life[i] };
	char path[64];
	pid_t task;

	violation(&t, NULL, "still there after %u s", STUCK_SECONDS);
	/* Threads have the next numbers, as a rule. */
	for (task = process[i]; task < process[i] + 40; task++) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d/stack", process[i], task);
		print_file(path);
	}
	kill(process[i], SIGKILL);
}

static void end_processes(void)
{
	uint64_t limit = STUCK_SECONDS * 1000000000ULL, end;
	unsigned int i;

	if (access("/proc/lockdep_stats", F_OK) == 0)
		limit *= 5;
	write_once(shared->stop, 1);
	end = now_ns() + limit;
	while (reap_processes() && now_ns() < end)
		nap_ms(20);
	for (i = 0; i < nr_processes; i++)
		if (process[i])
			tell_stuck(i);
}

/* ---- the world ------------------------------------------------------------ */

static void set_cpu(unsigned int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	write_text(path, online ? "1" : "0");
}

/* One change. All of it is drawn in any case, so that the next one is the same. */
static void change_world(struct thread *t)
{
	unsigned int what = below(t, 64), target = below(t, NR_TARGETS), i = below(t, nr_processes);
	unsigned int cpu = below(t, shared->nr_cpus);
	bool on = one_in(t, 2);

	if (what < 3) {
		if (cpu)
			set_cpu(cpu, on);
	} else if (what < 6) {
		if (shared->target[target])
			kill(shared->target[target], SIGKILL);
	} else if (what < 8) {
		write_text(UNPRIVILEGED, cpu ? "1" : "0");
	} else if (what == 9) {
		remove_cgroup(target % NR_CGROUPS);
	} else if (what == 10 || what == 11) {
		make_cgroup(target % NR_CGROUPS);
	} else if (what == 8 && on) {
		if (process[i] && !killed[i]) {
			killed[i] = true;
			kill(process[i], SIGKILL);
		}
	} else {
		start_target(t, target);
	}
}

static void end_world(void)
{
	unsigned int i;

	for (i = 0; i < NR_TARGETS; i++) {
		if (shared->target[i])
			kill(shared->target[i], SIGKILL);
	}
	for (i = 1; i < shared->nr_cpus; i++)
		set_cpu(i, true);
	write_text(UNPRIVILEGED, "0");
	while (waitpid(-1, NULL, 0) > 0)
		;
	for (i = 0; i < NR_CGROUPS; i++)
		remove_cgroup(i);
}

static void run_world(void)
{
	struct thread t = { .process = NR_PROCESSES };
	uint64_t end = now_ns() + seconds * 1000000000ULL;
	unsigned int i;

	make_cgroups();
	write_text(UNPRIVILEGED, "1");
	/* Short periods on all counters leave no time for anything else, unless the kernel acts. */
	write_text(TIME_PERCENT, "25");
	write_text(SAMPLE_RATE, "100000");
	for (i = 0; i < NR_TARGETS && world; i++) {
		t.random = mix(mix(shared->seed) + i);
		start_target(&t, i);
	}
	for (i = 0; i < nr_processes; i++)
		start_process(i);
	for (t.step = 0; now_ns() < end && reap_processes(); t.step++) {
		t.random = mix(mix(shared->seed + NR_PROCESSES) + t.step);
		if (world)
			change_world(&t);
		reap_targets();
		nap_ms(20);
	}
	end_processes();
	end_world();
}

/* ---- the machine ---------------------------------------------------------- */

/* All allocations count, also those that may sleep, and none is logged. */
static bool prepare_faults(void)
{
	static const char *const zero[] = {
		"failslab/ignore-gfp-wait", "failslab/verbose", "fail_page_alloc/ignore-gfp-wait",
		"fail_page_alloc/ignore-gfp-highmem", "fail_page_alloc/min-order",
		"fail_page_alloc/verbose", "fail_usercopy/verbose",
	};
	char path[128];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(zero); i++) {
		snprintf(path, sizeof(path), DEBUGFS "%s", zero[i]);
		if (!write_text(path, "0"))
			return false;
	}
	return access("/proc/self/fail-nth", W_OK) == 0;
}

static bool ask_module(void)
{
	struct perfgrp_info info = { .size = sizeof(info) };
	int fd = open("/dev/perfgrp", O_RDWR | O_CLOEXEC);
	bool answered = fd >= 0 && !ioctl(fd, PERFGRP_GET_INFO, &info);

	if (fd >= 0)
		close(fd);
	shared->features = info.features;
	shared->nr_cpus = info.nr_cpu_ids;
	return answered;
}

static bool make_shared(void)
{
	int fd = syscall(SYS_memfd_create, "fuzz", 0);
	int sockets[2];

	if (fd < 0 || ftruncate(fd, sizeof(*shared)) || dup2(fd, SHARED_FD) < 0 ||
	    socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) || dup2(sockets[0], TO_FD) < 0 ||
	    dup2(sockets[1], FROM_FD) < 0)
		return false;
	close(fd);
	close(sockets[0]);
	close(sockets[1]);
	return true;
}

static bool map_shared(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FD, 0);
	return shared != MAP_FAILED;
}

/* ---- the report ----------------------------------------------------------- */

static void print_call(unsigned int i)
{
	const __u32 *errors = shared->errors[i];
	unsigned int e;

	printf("  %-16s %8u %8u %8u ", call_names[i], shared->calls[i], shared->wrong[i],
	       shared->injected[i]);
	for (e = 1; e < MAX_ERRNO; e++) {
		if (errors[e])
			printf(" %s %u", strerrorname_np(e) ?: "?", errors[e]);
	}
	printf("\n");
}

static void report(void)
{
	unsigned int i;

	printf("  %-16s %8s %8s %8s  errnos\n", "call", "calls", "wrong", "failures");
	for (i = 0; i < NR_CALLS; i++)
		print_call(i);
	printf("seed %llu: %u steps, %u groups, ", (unsigned long long)shared->seed, shared->done,
	       shared->next_group);
	if (access(DEBUGFS "kcov", F_OK) == 0)
		printf("%u inputs kept, ", shared->kept);
	else
		printf("no KCOV, ");
	printf("%s, %u violations\n", shared->faults ? "with failures" : "no fault injection",
	       shared->violations);
}

static uint64_t random_seed(void)
{
	uint32_t seed = 0;

	syscall(SYS_getrandom, &seed, sizeof(seed), 0);
	return seed;
}

static int run_fuzzer(void)
{
	shared->faults = prepare_faults();
	if (!ask_module()) {
		fprintf(stderr, "fuzz: /dev/perfgrp: %s\n", strerror(errno));
		return 2;
	}
	printf("fuzz: seed %llu\n", (unsigned long long)shared->seed);
	fflush(stdout);
	run_world();
	/* What is on its way between processes ends here. */
	close(TO_FD);
	close(FROM_FD);
	report();
	return shared->violations ? 1 : 0;
}

static bool parse(int argc, char **argv)
{
	int opt;

	shared->seed = random_seed();
	shared->threads = 6;
	while ((opt = getopt(argc, argv, "s:t:n:p:j:wv")) != -1) {
		switch (opt) {
		case 's':
			shared->seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			seconds = atoi(optarg);
			break;
		case 'n':
			shared->steps = atoi(optarg);
			break;
		case 'p':
			nr_processes = atoi(optarg);
			break;
		case 'j':
			shared->threads = atoi(optarg);
			break;
		case 'w':
			world = false;
			break;
		case 'v':
			shared->verbose = 1;
			break;
		default:
			return false;
		}
	}
	return optind == argc && seconds && nr_processes && nr_processes <= NR_PROCESSES &&
	       shared->threads && shared->threads <= MAX_THREADS;
}

int main(int argc, char **argv)
{
	struct life life = { .to = TO_FD, .from = FROM_FD };
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return 2;
	if (argc == 4 && strcmp(argv[1], "--target") == 0)
		return run_target(strtoull(argv[2], NULL, 0), atoi(argv[3]));
	if (argc == 4 && strcmp(argv[1], "--process") == 0) {
		life.process = atoi(argv[2]);
		life.life = atoi(argv[3]);
		return map_shared() ? run_process(&life) : 2;
	}
	if (!make_shared() || !map_shared()) {
		fprintf(stderr, "fuzz: no shared memory: %s\n", strerror(errno));
		return 2;
	}
	if (!parse(argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	return run_fuzzer();
}
