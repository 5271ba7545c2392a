// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel addresses in samples: an interrupt that comes late may hit the kernel although the event
 * excludes it. The cases act as the PMU's driver, and call the handler with such registers.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "../module/group.h"
#include "../module/group_file.h"
#include "harness.h"
#include "suites.h"

#define USER_IP	  0x12345678UL
#define KERNEL_IP ((unsigned long)&init_regs)

static void init_regs(struct pt_regs *regs, bool user)
{
	memset(regs, 0, sizeof(*regs));
	instruction_pointer_set(regs, user ? USER_IP : KERNEL_IP);
#ifdef CONFIG_X86
	regs->cs = user ? __USER_CS : __KERNEL_CS;
#elif defined(CONFIG_ARM64)
	regs->pstate = user ? PSR_MODE_EL0t : PSR_MODE_EL1h;
#endif
}

static void overflow(struct perf_event *event, bool user, bool exact)
{
	struct perf_sample_data data;
	struct pt_regs regs;
	unsigned long flags;

	init_regs(&regs, user);
#ifdef PERF_EFLAGS_EXACT
	if (exact)
		regs.flags |= PERF_EFLAGS_EXACT;
#endif
	perf_sample_data_init(&data, 0, 1);
	local_irq_save(flags);
	event->overflow_handler(event, &data, &regs);
	local_irq_restore(flags);
}

/* PERF_RECORD_MISC_EXACT_IP, if drivers of this architecture can report it. */
static u16 exact_misc(bool exact)
{
	return exact && IS_ENABLED(CONFIG_X86) ? PERF_RECORD_MISC_EXACT_IP : 0;
}

/* Reads the next record. Return: true if it is a sample, and was read completely. */
static bool read_sample(struct file *file, struct perfgrp_record_sample *sample)
{
	void __user *user = harness_user_begin();
	ssize_t length = file->f_op->read(file, user, PAGE_SIZE, &file->f_pos);
	bool copied = length >= (ssize_t)sizeof(*sample) &&
		      !copy_from_user(sample, user, sizeof(*sample));

	harness_user_end();
	return copied && sample->header.type == PERF_RECORD_SAMPLE && sample->header.size == length;
}

/* While in_guest is true perf_misc_flags() returns what it would if KVM ran a guest's kernel. */
static struct kretprobe guest;
static bool in_guest;

static int report_guest(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	unsigned long misc = regs_return_value(regs) & ~PERF_RECORD_MISC_CPUMODE_MASK;

	regs_set_return_value(regs, misc | PERF_RECORD_MISC_GUEST_KERNEL);
	return 0;
}

static u16 mode_misc(bool user)
{
	if (in_guest)
		return PERF_RECORD_MISC_GUEST_KERNEL;
	return user ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
}

static void try_sample(struct kunit *test, u32 flags, bool user, bool exact, u64 ip)
{
	struct perfgrp_create arg = {
		.target = PERFGRP_TARGET_CPUS,
		.nr_cpus = 1,
		.buffer_size = PAGE_SIZE,
	};
	struct perfgrp_counter desc = EVENT(PERFGRP_SW_PAGE_FAULTS);
	struct perfgrp_error err = harness_error();
	struct perfgrp_record_sample sample = {};
	struct perfgrp_group *group = NULL;
	const u32 cpus[] = { 0 };
	struct file *file;
	bool is_sample;

	desc.flags = flags;
	desc.sample_period = 1ULL << 40;
	KUNIT_ASSERT_EQ_MSG(test, harness_create(&arg, cpus, &err, &group), 0, "%s", err.text);
	KUNIT_ASSERT_EQ_MSG(test, harness_add(group, &desc, 1, &err), 0, "%s", err.text);
	file = perfgrp_group_file_create(group);
	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	harness_forget(group);
	file->f_flags |= O_NONBLOCK;

	overflow(group->members[0]->instances[0].event, user, exact);
	is_sample = read_sample(file, &sample);
	__fput_sync(file);
	KUNIT_ASSERT_TRUE(test, is_sample);
	KUNIT_EXPECT_EQ(test, sample.ip, ip);
	KUNIT_EXPECT_EQ(test, sample.header.misc & PERF_RECORD_MISC_CPUMODE_MASK, mode_misc(user));
	KUNIT_EXPECT_EQ(test, sample.header.misc & ~PERF_RECORD_MISC_CPUMODE_MASK,
			exact_misc(exact));
}

static void try_ip(struct kunit *test, u32 flags, bool user, u64 ip)
{
	try_sample(test, flags, user, false, ip);
	try_sample(test, flags, user, true, ip);
}

/*
 * [O3] [A2] Only samples of events that count the kernel have kernel addresses. EXACT_IP is set if
 * the PMU knows the address.
 */
static void ip_of_the_kernel(struct kunit *test)
{
	harness_pin_to(test, 0);
	try_ip(test, 0, false, KERNEL_IP);
	try_ip(test, PERFGRP_COUNTER_EXCLUDE_KERNEL, false, 0);
	try_ip(test, PERFGRP_COUNTER_EXCLUDE_KERNEL | PERFGRP_COUNTER_EXCLUDE_HV, false, 0);
	try_ip(test, PERFGRP_COUNTER_EXCLUDE_HV, false, KERNEL_IP);
	try_ip(test, PERFGRP_COUNTER_EXCLUDE_KERNEL, true, USER_IP);
	try_ip(test, 0, true, USER_IP);
}

/*
 * [O20] [A2] The same for a guest's kernel. The registers stand for the guest's. They are in user
 * mode, as from 7.x on the perf core itself hides the ip of those that are not.
 */
static void ip_of_a_guests_kernel(struct kunit *test)
{
	int ret;

	harness_pin_to(test, 0);
	guest = (struct kretprobe){
		.kp.symbol_name = "perf_misc_flags",
		.handler = report_guest,
	};
	ret = register_kretprobe(&guest);
	if (ret == -EOPNOTSUPP)
		kunit_skip(test, "this kernel has no kretprobes");
	KUNIT_ASSERT_EQ(test, ret, 0);
	in_guest = true;
	try_ip(test, 0, true, USER_IP);
	try_ip(test, PERFGRP_COUNTER_EXCLUDE_KERNEL, true, 0);
	try_ip(test, PERFGRP_COUNTER_EXCLUDE_HV, true, USER_IP);
}

static void sample_ip_exit(struct kunit *test)
{
	if (in_guest)
		unregister_kretprobe(&guest);
	in_guest = false;
	harness_exit(test);
}

static struct kunit_case sample_ip_cases[] = {
	KUNIT_CASE(ip_of_the_kernel),
	KUNIT_CASE(ip_of_a_guests_kernel),
	{}
};

struct kunit_suite perfgrp_sample_ip_suite = {
	.name = "perfgrp_sample_ip",
	.suite_init = harness_suite_init,
	.suite_exit = harness_suite_exit,
	.exit = sample_ip_exit,
	.test_cases = sample_ip_cases,
};
