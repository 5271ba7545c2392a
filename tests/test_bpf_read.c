// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs that read groups, with the kfunc bpf_perfgrp_read(). If kernel or module
 * lack it, only the refusal is tested.
 */
#include "bpf.h"
#include "caps.h"
#include "pmu.h"
#include "../bpf/read.h"

#include <sys/syscall.h>
#include <sys/resource.h>

static struct bpf_object *object;

static int get_handle_with(int fd, __u32 flags, __u64 *handle)
{
	struct perfgrp_bpf_handle arg = { .size = sizeof(arg), .flags = flags };
	int ret = grp_ioctl(fd, PERFGRP_GET_BPF_HANDLE, &arg);

	*handle = arg.handle;
	return ret;
}

static int get_handle(int fd, __u64 *handle)
{
	return get_handle_with(fd, 0, handle);
}

static __u64 handle_of(int fd)
{
	__u64 handle;

	REQUIRE_EQ(get_handle(fd, &handle), 0);
	EXPECT_NE(handle, 0);
	return handle;
}

static void load(void)
{
	NEED_FEATURE(KFUNC);
	object = bpf_load("read");
}

static void set_job(struct job job)
{
	__u32 zero = 0;

	REQUIRE_EQ(bpf_map_update_elem(bpf_map(object, "job"), &zero, &job, BPF_ANY), 0);
}

static struct job get_job(void)
{
	struct job job;
	__u32 zero = 0;

	REQUIRE_EQ(bpf_map_lookup_elem(bpf_map(object, "job"), &zero, &job), 0);
	return job;
}

/* Runs a job at each of some page faults of this task, on CPU 0. */
static struct job do_jobs(struct job job, unsigned int nr)
{
	struct perfgrp_counter c = {
		.event = PERFGRP_SW_PAGE_FAULTS,
		.flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
		.sample_period = 1,
	};
	int fd;

	need_bpf();
	run_on(0);
	if (!job.value_size)
		job.value_size = sizeof(job.value[0]);
	set_job(job);
	settle_memory();
	fd = stream_on_task(0, 0, 65536);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	REQUIRE_EQ(grp_bpf_attach(fd, c.id, bpf_prog(object, "on_overflow"), 0), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(nr);
	REQUIRE_EQ(grp_disable(fd), 0);
	close(fd);
	job = get_job();
	EXPECT_EQ(job.runs, nr);
	return job;
}

static struct job do_job(struct job job)
{
	return do_jobs(job, 1);
}

TEST(needs_btf, "B13 E6: without the kfunc a handle is refused, and info says that it is not there")
{
	int fd = grp_on_task(0, 0);
	__u64 handle;

	REQUIRE_GE(fd, 0);
	if (grp_info().features & PERFGRP_FEATURE_KFUNC)
		EXPECT_EQ(get_handle(fd, &handle), 0);
	else
		EXPECT_REFUSED(get_handle(fd, &handle), EOPNOTSUPP, FEATURE);
}

TEST(same_handle, "B13: a group's handle is its own, and stays")
{
	int a, b;

	NEED_FEATURE(KFUNC);
	a = grp_on_task(0, 0);
	b = grp_on_all_cpus(0);
	EXPECT_EQ(handle_of(a), handle_of(a));
	EXPECT_NE(handle_of(a), handle_of(b));
}

#define NR_HANDLES	64

TEST(random_handles, "B17: handles are random: all distinct, none 0, no two near each other")
{
	__u64 handle[NR_HANDLES], apart;
	int fd[NR_HANDLES], i, j;

	NEED_FEATURE(KFUNC);
	for (i = 0; i < NR_HANDLES; i++) {
		fd[i] = grp_on_task(0, 0);
		REQUIRE_GE(fd[i], 0);
		handle[i] = handle_of(fd[i]);
		for (j = 0; j < i; j++) {
			apart = handle[i] > handle[j] ? handle[i] - handle[j] :
							handle[j] - handle[i];
			if (apart < 1ULL << 32)
				fail("handles %#llx and %#llx", (unsigned long long)handle[j],
				     (unsigned long long)handle[i]);
		}
	}
	for (i = 0; i < NR_HANDLES; i++)
		EXPECT_EQ(handle_of(fd[i]), handle[i]);
}

TEST(refused_handles, "B13 A2: a handle needs CAP_PERFMON, and a group that is not inherited")
{
	int fd, inherit;
	__u64 handle;

	NEED_FEATURE(KFUNC);
	fd = grp_on_task(0, 0);
	inherit = grp_on_task(PERFGRP_CREATE_INHERIT, 0);
	EXPECT_REFUSED(get_handle(inherit, &handle), EOPNOTSUPP, FEATURE);
	EXPECT_REFUSED(get_handle_with(inherit, PERFGRP_BPF_HANDLE_NEW, &handle), EOPNOTSUPP,
		       FEATURE);
	keep_caps(0);
	EXPECT_REFUSED(get_handle(fd, &handle), EACCES, PRIVILEGE);
	EXPECT_REFUSED(get_handle_with(fd, PERFGRP_BPF_HANDLE_NEW, &handle), EACCES, PRIVILEGE);
}

TEST(told_or_kept, "B18 A4: a handle is not replaced if its successor cannot be written")
{
	const size_t page = sysconf(_SC_PAGESIZE);
	struct perfgrp_bpf_handle *call;
	__u64 before;
	char *pages;
	int fd;

	NEED_FEATURE(KFUNC);
	fd = grp_on_task(0, 0);
	before = handle_of(fd);
	pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(pages != MAP_FAILED);
	REQUIRE(mprotect(pages + page, page, PROT_READ) == 0);
	call = (void *)(pages + page - offsetof(struct perfgrp_bpf_handle, handle));
	call->size = sizeof(*call);
	call->flags = PERFGRP_BPF_HANDLE_NEW;
	EXPECT(ioctl(fd, PERFGRP_GET_BPF_HANDLE, call) < 0 && errno == EFAULT);
	EXPECT_EQ(handle_of(fd), before);
}

TEST(revoked, "B18: by its old handle no program finds a group that has a new one")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_DUMMY };
	__u64 old, handle, first;
	unsigned int i;
	int fd, other;

	load();
	fd = grp_on_all_cpus(0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	other = grp_on_all_cpus(0);
	/* Also if it is the first handle requested. */
	REQUIRE_EQ(get_handle_with(fd, PERFGRP_BPF_HANDLE_NEW, &first), 0);
	old = first;
	for (i = 0; i < 10; i++) {
		EXPECT_EQ(do_job((struct job){ .handle = old }).ret, 1);
		REQUIRE_EQ(get_handle_with(fd, PERFGRP_BPF_HANDLE_NEW, &handle), 0);
		EXPECT_NE(handle, old);
		EXPECT_EQ(handle_of(fd), handle);
		EXPECT_EQ(do_job((struct job){ .handle = old }).ret, -ENOENT);
		old = handle;
	}
	EXPECT_EQ(do_job((struct job){ .handle = first }).ret, -ENOENT);
	/* Other groups keep their handles. */
	first = handle_of(other);
	REQUIRE_EQ(get_handle_with(fd, PERFGRP_BPF_HANDLE_NEW, &handle), 0);
	EXPECT_EQ(handle_of(other), first);
	EXPECT_EQ(do_job((struct job){ .handle = first }).ret, 0);
	close(fd);
	EXPECT_EQ(do_job((struct job){ .handle = handle }).ret, -ENOENT);
}

TEST(found_meanwhile, "B18 B13: while groups get new handles programs find all others by theirs")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_DUMMY };
	int fd, renewed[64];
	struct cpus cpus;
	__u64 handle;
	pid_t pid;
	size_t i;

	load();
	cpus_online(&cpus);
	fd = grp_on_all_cpus(0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	for (i = 0; i < ARRAY_SIZE(renewed); i++) {
		renewed[i] = grp_on_task(0, 0);
		REQUIRE_GE(renewed[i], 0);
	}
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run_on(cpus.cpu[cpus.nr - 1]);
		for (i = 0;; i++)
			REQUIRE_EQ(get_handle_with(renewed[i % ARRAY_SIZE(renewed)],
						   PERFGRP_BPF_HANDLE_NEW, &handle), 0);
	}
	for (i = 0; i < rounds(20); i++)
		EXPECT_EQ(do_jobs((struct job){ .handle = handle_of(fd) }, 1000).failed, 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(reads_cpu,
     "B13 S1 S3: a program reads the group's members on its CPU, as a snapshot shows them")
{
	struct perfgrp_counter c[3] = { { .event = PERFGRP_SW_DUMMY },
					{ .event = PERFGRP_SW_CPU_CLOCK },
					{ .event = PERFGRP_SW_PAGE_FAULTS } };
	const struct perfgrp_value *v;
	struct grp_snap *snap;
	struct job job;
	int fd, i;

	load();
	snap = calloc(1, sizeof(*snap));
	REQUIRE(snap);
	fd = grp_on_all_cpus(0);
	REQUIRE_EQ(grp_add_counters(fd, c, 3), 0);
	run_on(0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(10);
	REQUIRE_EQ(grp_reset(fd), 0);
	fault_in(10);
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE_EQ(grp_snapshot(fd, 0, snap), 0);
	job = do_job((struct job){ .handle = handle_of(fd) });
	REQUIRE_EQ(job.ret, 3);
	for (i = 0; i < 3; i++) {
		v = snap_value(snap, 0, c[i].id);
		EXPECT_EQ(memcmp(v, &job.value[i], sizeof(*v)), 0);
		expect_plausible(&job.value[i]);
	}
	EXPECT_GE(job.value[2].raw, 10);
	EXPECT_EQ(job.value[3].id, 0);
}

TEST(reads_in_kprobe, "B13: a program on a kprobe reads the same")
{
	struct perfgrp_counter c[2] = { { .event = PERFGRP_SW_DUMMY },
					{ .event = PERFGRP_SW_PAGE_FAULTS } };
	struct bpf_program *program;
	struct bpf_link *link;
	struct job job;
	__u64 faults;
	int fd;

	NEED_FEATURE(KFUNC);
	object = bpf_object__open_file("/tests/read.bpf.o", NULL);
	REQUIRE(object);
	program = bpf_object__find_program_by_name(object, "on_getppid");
	REQUIRE(program);
	bpf_program__set_autoload(program, true);
	REQUIRE_EQ(bpf_object__load(object), 0);
	run_on(0);
	fd = grp_on_task(0, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	fault_in(10);
	REQUIRE_EQ(grp_disable(fd), 0);
	faults = grp_raw(fd, c[1].id);

	set_job((struct job){ .handle = handle_of(fd), .value_size = sizeof(job.value[0]) });
	link = bpf_program__attach(program);
	REQUIRE(link);
	syscall(SYS_getppid);
	bpf_link__destroy(link);
	job = get_job();
	EXPECT_EQ(job.runs, 1);
	REQUIRE_EQ(job.ret, 2);
	EXPECT_EQ(job.value[0].id, c[0].id);
	EXPECT_EQ(job.value[1].id, c[1].id);
	EXPECT_EQ(job.value[1].raw, faults);
}

TEST(reads_running,
     "B13 S1: values of a group that counts lie between those of the snapshots around it")
{
	struct perfgrp_counter c[2] = { { .event = PERFGRP_SW_CPU_CLOCK },
					{ .event = PERFGRP_SW_PAGE_FAULTS } };
	struct perfgrp_value before[2], after[2];
	struct job job;
	int fd, i;

	load();
	run_on(0);
	fd = grp_on_cpu(PERFGRP_CREATE_ENABLED, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	for (i = 0; i < 2; i++)
		before[i] = grp_value_on(fd, 0, c[i].id);
	job = do_job((struct job){ .handle = handle_of(fd) });
	for (i = 0; i < 2; i++)
		after[i] = grp_value_on(fd, 0, c[i].id);
	REQUIRE_EQ(job.ret, 2);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(job.value[i].state, PERFGRP_STATE_COUNTED);
		EXPECT_GE(job.value[i].raw, before[i].raw);
		EXPECT_LE(job.value[i].raw, after[i].raw);
		EXPECT_GE(job.value[i].time_enabled, before[i].time_enabled);
		EXPECT_LE(job.value[i].time_enabled, after[i].time_enabled);
	}
}

TEST(reads_task, "B13 S1: of a task's group a program reads the task that runs, and no other")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_PAGE_FAULTS };
	struct child child;
	struct cpus cpus;
	struct job job;
	__u32 i;
	int fd;

	load();
	fd = grp_on_task(PERFGRP_CREATE_ENABLED, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	fault_in(5);
	job = do_job((struct job){ .handle = handle_of(fd) });
	EXPECT_EQ(job.ret, 1);
	EXPECT_GE(job.value[0].raw, 5);
	EXPECT_LE(job.value[0].raw, grp_raw(fd, c.id));
	/* The program runs on CPU 0. */
	cpus_online(&cpus);
	for (i = 0; i < cpus.nr; i++) {
		fd = grp_on_task_cpu(PERFGRP_CREATE_ENABLED, 0, cpus.cpu[i]);
		c.id = 0;
		REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
		job = do_job((struct job){ .handle = handle_of(fd) });
		EXPECT_EQ(job.ret, cpus.cpu[i] ? -ENODATA : 1);
	}
	child = child_start();
	fd = grp_on_task(PERFGRP_CREATE_ENABLED, child.pid);
	c.id = 0;
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	job = do_job((struct job){ .handle = handle_of(fd) });
	EXPECT_EQ(job.ret, -ENODATA);
	child_exit(&child);
}

TEST(reads_task_on_cpu, "B13 G6: of a task on one CPU a program reads values that are not scaled")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_PAGE_FAULTS };
	struct cpus cpus;
	struct job job;
	int fd;

	load();
	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("there is one CPU");
	/* The program runs on CPU 0. */
	fd = grp_on_task_cpu(PERFGRP_CREATE_ENABLED, 0, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	here_and_there(&cpus, 3);
	job = do_job((struct job){ .handle = handle_of(fd) });
	REQUIRE_EQ(job.ret, 1);
	expect_not_scaled(&job.value[0]);
	EXPECT_GE(job.value[0].raw, 3 * 10);
	EXPECT_LE(job.value[0].raw, grp_value_on(fd, 0, c.id).raw);
}

TEST(errors, "B13: what cannot be read is an error, and never a fault")
{
	struct perfgrp_counter c[2] = { { .event = PERFGRP_SW_DUMMY },
					{ .event = PERFGRP_SW_PAGE_FAULTS } };
	struct cpus cpus;
	__u64 handle;
	int fd;

	load();
	cpus_online(&cpus);
	fd = grp_on_cpu(0, 0);
	handle = handle_of(fd);
	EXPECT_EQ(do_job((struct job){ .handle = handle }).ret, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	EXPECT_EQ(do_job((struct job){ .handle = handle }).ret, 2);
	EXPECT_EQ(do_job((struct job){ .handle = handle, .small = 1 }).ret, -EMSGSIZE);
	EXPECT_EQ(do_job((struct job){ .handle = handle, .flags = 1 }).ret, -EINVAL);
	EXPECT_EQ(do_job((struct job){ .handle = handle, .value_size = 40 }).ret, -EINVAL);
	EXPECT_EQ(do_job((struct job){ .handle = handle, .value_size = ~0U }).ret, -EMSGSIZE);
	EXPECT_EQ(do_job((struct job){ .handle = handle + 1 }).ret, -ENOENT);
	EXPECT_EQ(do_job((struct job){ .handle = 0 }).ret, -ENOENT);
	EXPECT_EQ(do_job((struct job){ .handle = ~0ULL }).ret, -ENOENT);
	close(fd);
	EXPECT_EQ(do_job((struct job){ .handle = handle }).ret, -ENOENT);
	if (cpus.nr > 1) {
		fd = grp_on_cpu(0, cpus.cpu[1]);
		EXPECT_EQ(do_job((struct job){ .handle = handle_of(fd) }).ret, -ENODATA);
	}
}

TEST(verifier,
     "B13: the verifier refuses to read into what is not there, and other types of programs")
{
	static const char *const wrong[] = { "too_long", "nowhere", "maybe_null", "into_context",
					     "unbounded", "socket", "xdp", "row_too_long" };
	struct bpf_program *program;
	struct bpf_object *other;
	size_t i;

	NEED_FEATURE(KFUNC);
	libbpf_set_print(NULL);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		other = bpf_object__open_file("/tests/read.bpf.o", NULL);
		REQUIRE(other);
		bpf_object__for_each_program(program, other)
			bpf_program__set_autoload(program, false);
		program = bpf_object__find_program_by_name(other, wrong[i]);
		REQUIRE(program);
		bpf_program__set_autoload(program, true);
		if (bpf_object__load(other) != -EACCES && bpf_object__load(other) != -EINVAL)
			fail("%s was not refused", wrong[i]);
		bpf_object__close(other);
	}
}

TEST(longer_values, "B13: a program that knows longer values gets zeros at their ends")
{
	struct perfgrp_counter c[2] = { { .event = PERFGRP_SW_DUMMY },
					{ .event = PERFGRP_SW_PAGE_FAULTS } };
	const __u32 size = 64;
	unsigned char *value;
	__u32 id, i, k;
	struct job job;
	int fd;

	load();
	fd = grp_on_cpu(0, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	job = (struct job){ .handle = handle_of(fd), .value_size = size };
	memset(job.value, 0xa5, sizeof(job.value));
	job = do_job(job);
	REQUIRE_EQ(job.ret, 2);
	for (i = 0; i < 2; i++) {
		value = (unsigned char *)job.value + i * size;
		memcpy(&id, value, sizeof(id));
		EXPECT_EQ(id, c[i].id);
		for (k = sizeof(struct perfgrp_value); k < size; k++)
			EXPECT_EQ(value[k], 0);
	}
	EXPECT_EQ(((unsigned char *)job.value)[2 * size], 0xa5);
}

/* ---- mapped rows -------------------------------------------------------------------- */

static int mapped_on_cpus(__u32 buffer_size)
{
	int fd;

	NEED_FEATURE(MAPPED);
	fd = grp_create_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_MAPPED | PERFGRP_CREATE_ENABLED,
		.target = PERFGRP_TARGET_ALL_CPUS, .buffer_size = buffer_size });
	REQUIRE_GE(fd, 0);
	return fd;
}

static struct job job_of_row(int fd, __s32 cpu)
{
	return (struct job){ .handle = handle_of(fd), .mapped = 1, .cpu = cpu };
}

/* Reads a row; returns the program's result if the row is at rest. */
static int job_of_rest(int fd, __s32 cpu, struct job *job)
{
	*job = do_job(job_of_row(fd, cpu));
	return job->slot.at_rest ? job->ret : -1;
}

/* A child on the last CPU, while the jobs are done on the first. */
static struct child child_apart(int *cpu)
{
	struct child child;
	struct cpus cpus;

	cpus_online(&cpus);
	if (cpus.nr < 2)
		skip("there is one CPU");
	*cpu = cpus.cpu[cpus.nr - 1];
	child = child_start();
	child_do(&child, ORDER_RUN_ON, *cpu);
	return child;
}

TEST(reads_row, "M9: a program reads the row of a CPU that is idle, and does not wake it")
{
	struct perfgrp_counter c[2] = { { .event = PERFGRP_SW_DUMMY },
					{ .event = PERFGRP_SW_PAGE_FAULTS,
					  .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL } };
	static struct grp_snap snap;
	struct child child;
	struct job job;
	int fd, cpu;
	__u32 seq;

	load();
	child = child_apart(&cpu);
	fd = mapped_on_cpus(0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	run_on(0);
	child_do(&child, ORDER_FAULT, 7);
	REQUIRE(BECOMES_TRUE(job_of_rest(fd, cpu, &job) == 2, 5000));
	EXPECT_EQ(job.slot.row.cpu, cpu);
	EXPECT_EQ(job.slot.row.nr_values, 2);
	EXPECT_EQ(job.value[0].id, c[0].id);
	EXPECT_EQ(job.value[1].id, c[1].id);
	EXPECT_GE(job.value[1].raw, 7);
	/* A CPU writes its row when it is woken. Others wake it, too, but not a thousand times. */
	seq = job.slot.seq;
	job = do_jobs(job_of_row(fd, cpu), 1000);
	EXPECT_LT(job.slot.seq - seq, 2 * 500);
	REQUIRE_EQ(grp_snapshot(fd, 0, &snap), 0);
	EXPECT_EQ(job.slot.generation, snap.hdr.generation);
	EXPECT_EQ(job.value[1].raw, snap_value(&snap, cpu, c[1].id)->raw);
	/* A row of its own CPU, which is not idle, is as old as it says. */
	job = do_job(job_of_row(fd, 0));
	EXPECT_EQ(job.ret, 2);
	EXPECT_EQ(job.slot.row.cpu, 0);
	EXPECT_EQ(job.slot.at_rest, 0);
}

TEST(row_errors, "M9: a row that is not there is an error, and so is no room for it")
{
	struct perfgrp_counter c[2] = { { .event = PERFGRP_SW_DUMMY },
					{ .event = PERFGRP_SW_DUMMY } };
	struct job job;
	__s32 wrong[] = { -1, -2, 1 << 30, -1 - (1 << 30) }, i;
	int fd;

	load();
	fd = grp_on_all_cpus(0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	EXPECT_EQ(do_job(job_of_row(fd, 0)).ret, -ENODATA);
	fd = mapped_on_cpus(0);
	EXPECT_EQ(do_job(job_of_row(fd, 0)).ret, 0);
	c[0].id = 0;
	c[1].id = 0;
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	EXPECT_EQ(do_job(job_of_row(fd, 0)).ret, 2);
	for (i = 0; i < (int)ARRAY_SIZE(wrong); i++)
		EXPECT_EQ(do_job(job_of_row(fd, wrong[i])).ret, -ENODATA);
	job = job_of_row(fd, 0);
	job.small = 1;
	EXPECT_EQ(do_job(job).ret, -EMSGSIZE);
	job.small = 2;
	EXPECT_EQ(do_job(job).ret, -EINVAL);
	job = job_of_row(fd, 0);
	job.value_size = 40;
	EXPECT_EQ(do_job(job).ret, -EINVAL);
	job.value_size = ~0U;
	EXPECT_EQ(do_job(job).ret, -EMSGSIZE);
	job.handle++;
	job.value_size = 0;
	EXPECT_EQ(do_job(job).ret, -ENOENT);
	/* With values that are longer than the module's. */
	job = job_of_row(fd, 0);
	job.value_size = 64;
	memset(job.value, 0xa5, sizeof(job.value));
	job = do_job(job);
	EXPECT_EQ(job.ret, 2);
	EXPECT_EQ(*(__u32 *)((char *)job.value + 64), c[1].id);
	EXPECT_EQ(*(__u64 *)((char *)job.value + 56), 0);
	EXPECT_EQ(((unsigned char *)job.value)[128], 0xa5);
}

TEST(row_never_written, "M9 G19: a CPU that was never there has no row until it comes")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_DUMMY };
	int fd;

	load();
	NEED_FEATURE(MAPPED);
	if (cpu_set_online(1, true))
		skip("CPU 1 cannot be taken off and on line");
	REQUIRE_EQ(cpu_set_online(1, false), 0);
	fd = mapped_on_cpus(0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	EXPECT_EQ(do_job(job_of_row(fd, 0)).ret, 1);
	EXPECT_EQ(do_job(job_of_row(fd, 1)).ret, -ENODATA);
	REQUIRE_EQ(cpu_set_online(1, true), 0);
	EXPECT(BECOMES_TRUE(do_job(job_of_row(fd, 1)).ret == 1, 10000));
}

TEST(reads_task_row, "M9: of a task the row is that of its CPU, or of any")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_PAGE_FAULTS,
				     .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL };
	struct child child = child_start();
	struct job job;
	int fd;

	load();
	NEED_FEATURE(MAPPED);
	fd = grp_create_like((struct perfgrp_create){
		.flags = PERFGRP_CREATE_MAPPED | PERFGRP_CREATE_ENABLED,
		.target = PERFGRP_TARGET_TASK, .pid = child.pid });
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	child_do(&child, ORDER_FAULT, 7);
	REQUIRE(BECOMES_TRUE(job_of_rest(fd, -1, &job) == 1, 5000));
	EXPECT_EQ(job.value[0].raw, 7);
	EXPECT_EQ(do_job(job_of_row(fd, 0)).ret, -ENODATA);
}

TEST(row_not_torn, "M9 M3: a row that is written meanwhile is refused, or whole")
{
	/* Each fault writes the row when the first counter overflows, which counts last. */
	struct perfgrp_counter c[2] = {
		{ .event = PERFGRP_SW_PAGE_FAULTS, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL,
		  .sample_period = 1 },
		{ .event = PERFGRP_SW_PAGE_FAULTS, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL },
	};
	unsigned int i, failed = 0, odd = 0, torn = 0, nr = rounds(10);
	struct child child;
	struct job job;
	int fd, cpu;

	load();
	child = child_apart(&cpu);
	fd = mapped_on_cpus(8192);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	for (i = 0; i < nr; i++) {
		child_tell(&child, ORDER_FAULT, 10000);
		job = do_jobs(job_of_row(fd, cpu), 1000);
		child_wait(&child);
		failed += job.failed;
		odd += job.odd;
		torn += job.torn;
	}
	EXPECT_LT(failed, nr * 900);
	EXPECT_EQ(odd, 0);
	EXPECT_EQ(torn, 0);
}

/* ---- charging tasks --------------------------------------------------------------- */

static bool is_charged(pid_t pid, struct charge *charge)
{
	__u32 key = pid;

	return !bpf_map_lookup_elem(bpf_map(object, "charged"), &key, charge);
}

static struct charge charge_of(pid_t pid)
{
	struct charge charge;

	REQUIRE(is_charged(pid, &charge));
	return charge;
}

/* What a child on CPU 0 that does WORK is charged, and its CPU time according to the kernel. */
static struct charge charge_child(int fd, void (*work)(void), struct rusage *usage)
{
	struct bpf_link *link;
	int go[2], status;
	pid_t pid;
	char c;

	set_job((struct job){ .handle = handle_of(fd) });
	REQUIRE_EQ(pipe(go), 0);
	pid = fork();
	if (!pid) {
		run_on(0);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		work();
		_exit(0);
	}
	wait_until_asleep(pid);
	link = bpf_program__attach(bpf_object__find_program_by_name(object, "on_switch"));
	REQUIRE(link);
	/* The first switch on a CPU charges everything before it. */
	run_on(0);
	nap_ns(20000000);
	REQUIRE_EQ(write(go[1], "x", 1), 1);
	REQUIRE_EQ(wait4(pid, &status, 0, usage), pid);
	bpf_link__destroy(link);
	EXPECT_EQ(status, 0);
	return charge_of(pid);
}

/* From now on the program on sched_switch reads a group. */
static struct bpf_link *read_at_switches(int fd)
{
	struct bpf_link *link;

	set_job((struct job){ .handle = handle_of(fd) });
	link = bpf_program__attach(bpf_object__find_program_by_name(object, "on_switch"));
	REQUIRE(link);
	return link;
}

TEST(reads_exited, "B13 G18: a program that runs when a task is gone reads its final values")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_PAGE_FAULTS };
	struct bpf_link *link;
	struct child child;
	int fd;

	load();
	child = child_start();
	fd = grp_on_task(PERFGRP_CREATE_ENABLED, child.pid);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	link = read_at_switches(fd);
	child_do(&child, ORDER_FAULT, 10);
	wait_until_asleep(child.pid);
	EXPECT(!(charge_of(child.pid).flags & PERFGRP_VALUE_EXITED));
	child_exit(&child);
	EXPECT(BECOMES_TRUE(charge_of(child.pid).flags & PERFGRP_VALUE_EXITED, 5000));
	EXPECT_GE(charge_of(child.pid).count[0], 10);
	bpf_link__destroy(link);
}

TEST(reads_throttled, "B13 O8 S2: a program reads which counter the perf core has stopped")
{
	struct perfgrp_counter c = { .event = PERFGRP_SW_CPU_CLOCK, .sample_period = 50000 };
	unsigned int i, nr = 0;
	struct charge charge;
	struct bpf_link *link;
	int fd;

	load();
	set_sample_rate("1000");
	run_on(0);
	fd = grp_on_cpu(PERFGRP_CREATE_ENABLED, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	link = read_at_switches(fd);
	for (i = 0; i < 1000 && !nr; i++) {
		spin(100000);
		nap_ns(137000 * (1 + i % 20));
		/* No switch yet if the timer expired before the test slept. */
		nr += is_charged(getpid(), &charge) && charge.flags & PERFGRP_VALUE_THROTTLED;
	}
	EXPECT_GT(nr, 0);
	bpf_link__destroy(link);
	keep_sample_rate();
}

/* A program reads the NR members of a group on this task: have all of them failed, or none? */
static void expect_read(int fd, int nr, bool failed)
{
	struct job job = do_job((struct job){ .handle = handle_of(fd) });
	int i;

	REQUIRE_EQ(job.ret, nr);
	for (i = 0; i < nr; i++)
		EXPECT_EQ(!!(job.value[i].flags & PERFGRP_VALUE_FAILED), failed);
}

TEST(reads_thrown_off, "B13 G15: a program reads that a NO_MUX group was thrown off the PMU")
{
	struct perfgrp_counter c[3];
	int fd, pinned[PMU_MANY];
	unsigned int nr;

	load();
	if (!has_pmu())
		skip("no hardware counters");
	NEED_FEATURE(SCHED_GROUP);
	NEED_FEATURE(NO_MUX);
	run_on(0);
	/* They leave room for two. */
	nr = pmu_size() - ARRAY_SIZE(c) + 1;
	fill_counters(c, ARRAY_SIZE(c), PERFGRP_HW_CPU_CYCLES);
	fd = grp_on_task(PERFGRP_CREATE_NO_MUX, 0);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, ARRAY_SIZE(c)), 0);
	REQUIRE_EQ(grp_enable(fd), 0);
	expect_read(fd, ARRAY_SIZE(c), false);
	/* Pinned counters of a CPU have priority over those of a task. */
	pmu_open_pinned(nr, 0, pinned);
	pmu_enable(nr, pinned);
	spin(100000);
	expect_read(fd, ARRAY_SIZE(c), true);
	pmu_close(nr, pinned);
	REQUIRE_EQ(grp_enable(fd), 0);
	expect_read(fd, ARRAY_SIZE(c), false);
}

static void touch_2000(void)
{
	touch_pages(fresh_pages(2000), 2000);
}

TEST(charges_faults,
     "B13 S1: a program on sched_switch charges page faults to the task that had them")
{
	struct perfgrp_counter c[2] = { { .event = PERFGRP_SW_PAGE_FAULTS },
					{ .event = PERFGRP_SW_CPU_CLOCK } };
	struct charge charge;
	struct rusage usage;
	int fd;

	load();
	fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	charge = charge_child(fd, touch_2000, &usage);
	EXPECT_GE(charge.count[0], 2000);
	EXPECT_LE(charge.count[0], usage.ru_minflt + usage.ru_majflt);
	EXPECT_GT(charge.count[1], 0);
	EXPECT_GE(charge.switches, 1);
}

static void spin_long(void)
{
	spin(20000000);
}

TEST(charges_instructions, "B13 S1: it charges cycles and instructions, too")
{
	/* Only user mode: the kernel's part varies. */
	struct perfgrp_counter c[2] = {
		{ .event = PERFGRP_HW_CPU_CYCLES, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL },
		{ .event = PERFGRP_HW_INSTRUCTIONS, .flags = PERFGRP_COUNTER_EXCLUDE_KERNEL },
	};
	__u64 alone = ~0ULL, charged = ~0ULL;
	unsigned int i;
	int fd, self;

	load();
	fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
	REQUIRE_GE(fd, 0);
	if (grp_add_counters(fd, c, 2))
		skip("no PMU: %s", grp_error.text);
	/* The same work, counted on the task itself. */
	self = grp_on_task(0, 0);
	c[0].id = 0;
	c[1].id = 0;
	REQUIRE_EQ(grp_add_counters(self, c, 2), 0);
	/*
	 * An emulated CPU also counts what the other CPUs execute meanwhile, which varies: so
	 * compare the least of each.
	 */
	for (i = 0; i < 3; i++) {
		struct charge charge;
		struct rusage usage;
		__u64 count;

		REQUIRE_EQ(grp_reset(self), 0);
		REQUIRE_EQ(grp_enable(self), 0);
		spin_long();
		REQUIRE_EQ(grp_disable(self), 0);
		count = grp_raw(self, c[1].id);
		alone = count < alone ? count : alone;
		charge = charge_child(fd, spin_long, &usage);
		EXPECT_GT(charge.count[0], 0);
		count = charge.count[1];
		charged = count < charged ? count : charged;
	}
	diag("charged %llu instructions, alone %llu", charged, alone);
	/* Besides its work the child only waits for the start, and exits. */
	EXPECT_GE(charged, alone * 95 / 100);
	EXPECT_LE(charged, alone * 105 / 100);
}

TEST_LIMIT(closed_while_read, 60, "B13 G13: a group is closed while programs on all CPUs read it")
{
	unsigned int i, times = rounds(is_debug_kernel() ? 10 : 50);
	struct perfgrp_counter c;
	struct bpf_link *link;
	int fd;

	load();
	link = bpf_program__attach(bpf_object__find_program_by_name(object, "on_switch"));
	REQUIRE(link);
	for (i = 0; i < times; i++) {
		c = (struct perfgrp_counter){ .event = PERFGRP_SW_CPU_CLOCK };
		fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
		REQUIRE_GE(fd, 0);
		set_job((struct job){ .handle = handle_of(fd) });
		REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
		nap_ns(1000000);
		close(fd);
	}
	bpf_link__destroy(link);
}

/* The flags of the first member in all that the program on sched_switch has read. */
static __u32 charged_flags(void)
{
	int map = bpf_map__fd(bpf_object__find_map_by_name(object, "charged"));
	__u32 pid, flags = 0, *last = NULL;
	struct charge charge;

	while (!bpf_map_get_next_key(map, last, &pid)) {
		if (!bpf_map_lookup_elem(map, &pid, &charge))
			flags |= charge.flags;
		last = &pid;
	}
	return flags;
}

TEST_LIMIT(cpu_leaves_while_read, 100,
	   "B13 G19: a CPU goes and comes back while programs on all CPUs read the group")
{
	unsigned int i, times = rounds(5);
	struct perfgrp_counter c[2] = { { .event = PERFGRP_SW_CPU_CLOCK },
					{ .event = PERFGRP_SW_PAGE_FAULTS } };
	struct bpf_link *link;
	int fd;

	load();
	if (cpu_set_online(1, true))
		skip("CPU 1 cannot be taken off and on line");
	fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, c, 2), 0);
	set_job((struct job){ .handle = handle_of(fd) });
	link = bpf_program__attach(bpf_object__find_program_by_name(object, "on_switch"));
	REQUIRE(link);
	for (i = 0; i < times; i++) {
		REQUIRE_EQ(cpu_set_online(1, false), 0);
		REQUIRE_EQ(cpu_set_online(1, true), 0);
		run_on(1);
		nap_ns(10000000);
		run_on(0);
	}
	bpf_link__destroy(link);
	/* Before its events were created again the CPU was as good as offline; none has failed. */
	EXPECT_EQ(charged_flags() & PERFGRP_VALUE_FAILED, 0);
}

TEST_LIMIT(members_change_while_read, 100,
	   "B13 G11 G12: members come and go while programs on all CPUs read the group")
{
	unsigned int i, times = rounds(is_debug_kernel() ? 10 : 50);
	struct perfgrp_counter c[3];
	struct bpf_link *link;
	bool pmu;
	int fd;

	load();
	fd = grp_on_all_cpus(PERFGRP_CREATE_ENABLED);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add(fd, PERFGRP_SW_CPU_CLOCK), 1);
	set_job((struct job){ .handle = handle_of(fd) });
	link = bpf_program__attach(bpf_object__find_program_by_name(object, "on_switch"));
	REQUIRE(link);
	for (i = 0; i < times; i++) {
		c[0] = (struct perfgrp_counter){ .event = PERFGRP_HW_CPU_CYCLES };
		c[1] = c[0];
		c[2] = c[0];
		pmu = grp_add_counters(fd, c, 3) == 0;
		if (!pmu) {
			c[0] = (struct perfgrp_counter){ .event = PERFGRP_SW_PAGE_FAULTS };
			c[1] = c[0];
			c[2] = c[0];
			REQUIRE_EQ(grp_add_counters(fd, c, 3), 0);
		}
		/* The first one leads the others on the PMU, which are recreated. */
		REQUIRE_EQ(grp_remove(fd, c[0].id, 0), 0);
		REQUIRE_EQ(grp_remove(fd, c[2].id, 0), 0);
		REQUIRE_EQ(grp_remove(fd, c[1].id, 0), 0);
	}
	bpf_link__destroy(link);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
