/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A test program is a list of tests, each a function that arranges, acts and
 * compares. Every test runs in a child process of its own with a time limit, so
 * its files are closed at the end, and a crash or a hang is one "not ok".
 *
 * Output is TAP. A test has one line; the values that were not as expected follow as
 * "# " lines. EXPECT_* notes a failure and goes on, REQUIRE_* ends the test. Both work
 * in threads and in children of the test.
 *
 * Arguments of a test program: a number multiplies the number of rounds (see
 * rounds()), anything else selects the tests whose name contains it.
 * TEST_ROUNDS_DIVISOR in the environment divides the number of rounds.
 */
#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define __maybe_unused	__attribute__((unused))

#define MAX_TESTS		512
#define TEST_SECONDS		30
#define MAX_DIAG_LINES		24

struct test {
	const char *name;
	void (*run)(const void *arg);
	const void *arg;
	unsigned int seconds;
};

/* What the process of a test reports to the harness, in shared memory. */
struct verdict {
	int failed;
	int skipped;
	int finished;
	unsigned int lines;
	char reason[160];
	char diag[MAX_DIAG_LINES][320];
};

static struct test tests[MAX_TESTS];
static unsigned int nr_tests;
static struct verdict *verdict;
static unsigned int effort = 1;
static unsigned int divisor = 1;

static inline void test_add(const char *name, void (*run)(const void *), const void *arg,
			    unsigned int seconds)
{
	if (nr_tests == MAX_TESTS)
		abort();
	tests[nr_tests++] = (struct test){ name, run, arg, seconds };
}

/* TEST(function, "G12: removing the leader with members is EBUSY") { ... } */
#define TEST_LIMIT(fn, secs, text)						\
	static void fn(const void *arg);					\
	__attribute__((constructor)) static void test_##fn(void)		\
	{									\
		test_add(text, fn, NULL, secs);				\
	}									\
	static void fn(const void *arg __maybe_unused)
#define TEST(fn, text) TEST_LIMIT(fn, TEST_SECONDS, text)

/* Number of repetitions for something that is done N times by default. */
static inline unsigned int rounds(unsigned int n)
{
	return (n * effort + divisor - 1) / divisor;
}

__attribute__((format(printf, 1, 2)))
static inline void diag(const char *fmt, ...)
{
	unsigned int line = __atomic_fetch_add(&verdict->lines, 1, __ATOMIC_RELAXED);
	va_list ap;

	if (line >= MAX_DIAG_LINES)
		return;
	va_start(ap, fmt);
	vsnprintf(verdict->diag[line], sizeof(verdict->diag[line]), fmt, ap);
	va_end(ap);
}

#define fail(fmt, ...) do {							\
	diag("%s:%d: " fmt, __FILE__, __LINE__, ##__VA_ARGS__);			\
	__atomic_store_n(&verdict->failed, 1, __ATOMIC_RELAXED);		\
} while (0)

/* Ends the test, from anywhere in it. */
static inline void test_end(void)
{
	__atomic_store_n(&verdict->finished, 1, __ATOMIC_RELAXED);
	_exit(0);
}

__attribute__((format(printf, 1, 2)))
static inline void skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(verdict->reason, sizeof(verdict->reason), fmt, ap);
	va_end(ap);
	verdict->skipped = 1;
	test_end();
}

#define COMPARE(got, op, want) ({						\
	long long got_ = (long long)(got), want_ = (long long)(want);		\
	bool holds_ = got_ op want_;						\
	if (!holds_)								\
		fail("%s is %lld, expected " #op " %lld (%s)", #got, got_,	\
		     want_, #want);						\
	holds_;									\
})

#define EXPECT(cond) do {							\
	if (!(cond))								\
		fail("not so: %s", #cond);					\
} while (0)
#define EXPECT_EQ(got, want)	((void)COMPARE(got, ==, want))
#define EXPECT_NE(got, want)	((void)COMPARE(got, !=, want))
#define EXPECT_GE(got, want)	((void)COMPARE(got, >=, want))
#define EXPECT_GT(got, want)	((void)COMPARE(got, >, want))
#define EXPECT_LE(got, want)	((void)COMPARE(got, <=, want))
#define EXPECT_LT(got, want)	((void)COMPARE(got, <, want))

#define REQUIRE(cond) do {							\
	if (!(cond)) {								\
		fail("not so: %s (errno %d)", #cond, errno);			\
		test_end();							\
	}									\
} while (0)
#define REQUIRE_OP(got, op, want) do {						\
	if (!COMPARE(got, op, want))						\
		test_end();							\
} while (0)
#define REQUIRE_EQ(got, want)	REQUIRE_OP(got, ==, want)
#define REQUIRE_GE(got, want)	REQUIRE_OP(got, >=, want)
#define REQUIRE_GT(got, want)	REQUIRE_OP(got, >, want)
#define REQUIRE_LT(got, want)	REQUIRE_OP(got, <, want)

static inline void skip_all(const char *reason)
{
	printf("1..0 # SKIP %s\n", reason);
	exit(0);
}

/* Waits for PID, at most SECONDS; returns false if it is still alive then. */
static inline bool wait_for_child(pid_t pid, unsigned int seconds, int *status)
{
	struct timespec end, now, left;
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += seconds;
	for (;;) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > end.tv_sec ||
		    (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec))
			return false;
		left.tv_sec = end.tv_sec - now.tv_sec;
		left.tv_nsec = end.tv_nsec - now.tv_nsec;
		if (left.tv_nsec < 0) {
			left.tv_sec--;
			left.tv_nsec += 1000000000;
		}
		sigtimedwait(&chld, NULL, &left);
	}
}

static inline void print_file(const char *fmt, pid_t pid)
{
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), fmt, (int)pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		printf("# %s", line);
	if (f)
		fclose(f);
}

/* Prints a backtrace of each CPU by NMI, to the console, where it is sure to arrive. */
static inline void show_cpus(void)
{
	int fd = open("/proc/sysrq-trigger", O_WRONLY);

	if (fd < 0 || write(fd, "l", 1) != 1)
		printf("# and the CPUs cannot be asked: errno %d\n", errno);
	if (fd >= 0)
		close(fd);
}

/* Debug kernels are many times slower: tests repeat less there, and wait longer. */
static inline bool is_debug_kernel(void)
{
	return access("/proc/lockdep_stats", F_OK) == 0;
}

/* A test that failed may have left CPUs offline, and those after it need them. */
static inline void bring_cpus_back(void)
{
	char path[64];
	int cpu, fd;

	for (cpu = 1; cpu < 64; cpu++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
		fd = open(path, O_WRONLY);
		if (fd < 0)
			continue;
		if (write(fd, "1", 1) != 1)
			printf("# CPU %d stays offline: errno %d\n", cpu, errno);
		close(fd);
	}
}

/* Runs one test and prints its line; false if it failed. */
static inline bool test_run(unsigned int nr, const struct test *p)
{
	unsigned int seconds = p->seconds * (is_debug_kernel() ? 10 : 1);
	int status = 0;
	unsigned int i;
	bool good;
	pid_t pid;

	memset(verdict, 0, sizeof(*verdict));
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		sigset_t none;

		setpgid(0, 0);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		p->run(p->arg);
		test_end();
	}
	if (pid < 0) {
		printf("not ok %u - %s\n# fork: errno %d\n", nr, p->name, errno);
		return false;
	}
	if (!wait_for_child(pid, seconds, &status)) {
		fail("still running after %u s", seconds);
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
		if (!wait_for_child(pid, 5, &status)) {
			printf("not ok %u - %s\n# cannot be killed: stuck in the kernel\n",
			       nr, p->name);
			print_file("/proc/%d/stack", pid);
			show_cpus();
			printf("Bail out! a process is stuck in the kernel\n");
			exit(1);
		}
	} else if (WIFSIGNALED(status)) {
		fail("killed by signal %d", WTERMSIG(status));
	} else if (!verdict->finished) {
		fail("exited with %d before its end", WEXITSTATUS(status));
	}
	kill(-pid, SIGKILL);

	good = !verdict->failed;
	if (verdict->skipped && good)
		printf("ok %u - %s # SKIP %s\n", nr, p->name, verdict->reason);
	else
		printf("%s %u - %s\n", good ? "ok" : "not ok", nr, p->name);
	for (i = 0; i < verdict->lines && i < MAX_DIAG_LINES; i++)
		printf("# %s\n", verdict->diag[i]);
	if (verdict->lines > MAX_DIAG_LINES)
		printf("# and %u lines more\n", verdict->lines - MAX_DIAG_LINES);
	if (!good)
		bring_cpus_back();
	fflush(stdout);
	return good;
}

static inline int run_tests(int argc, char **argv)
{
	unsigned int i, nr = 0, wanted = 0, failed = 0;
	const char *select = "", *divide = getenv("TEST_ROUNDS_DIVISOR");
	sigset_t chld;

	if (divide && atoi(divide) > 0)
		divisor = atoi(divide);
	for (i = 1; i < (unsigned int)argc; i++) {
		if (atoi(argv[i]) > 0)
			effort = atoi(argv[i]);
		else
			select = argv[i];
	}
	verdict = mmap(NULL, sizeof(*verdict), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (verdict == MAP_FAILED)
		return 1;
	/* Block SIGCHLD, so that sigtimedwait() can accept it. */
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);

	for (i = 0; i < nr_tests; i++)
		if (strstr(tests[i].name, select))
			wanted++;
	printf("1..%u\n", wanted);
	for (i = 0; i < nr_tests; i++) {
		if (strstr(tests[i].name, select))
			failed += !test_run(++nr, &tests[i]);
	}
	return failed ? 1 : 0;
}

#endif /* TESTS_HARNESS_H */
