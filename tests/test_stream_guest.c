// SPDX-License-Identifier: GPL-2.0
/*
 * Samples that hit a guest of KVM: O20. The machine that runs the tests emulates AMD's
 * virtualization; its guest is a loop of one instruction.
 */
#include "stream.h"

#include <linux/kvm.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define MODULES		"/lib/modules/kvm/"
#define GUEST_ADDRESS	0x5000

/* In the order in which they are loaded. Those built into the kernel have no file. */
static const char *const modules[] = { "irqbypass", "kvm", "ccp", "kvm_amd" };

static void load_kvm(void)
{
	char path[64];
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(modules); i++) {
		snprintf(path, sizeof(path), MODULES "%s.ko", modules[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		syscall(SYS_finit_module, fd, "", 0);
		close(fd);
	}
}

static void unload_kvm(void)
{
	size_t i = ARRAY_SIZE(modules);

	while (i--)
		syscall(SYS_delete_module, modules[i], O_NONBLOCK);
}

/* Before 6.8 KVM knows a guest's mode only if the guest was preempted; else it reports user. */
static bool is_in_guest(const struct perfgrp_record_sample *sample)
{
	switch (sample->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return true;
	case PERF_RECORD_MISC_GUEST_USER:
		return kernel_version() < 6008;
	}
	return false;
}

#ifdef __x86_64__
/* Runs in the child: a guest in real mode that executes an endless loop. */
static void run_guest(void)
{
	static const uint8_t code[] = { 0xeb, 0xfe };
	struct kvm_userspace_memory_region memory = {
		.guest_phys_addr = GUEST_ADDRESS,
		.memory_size = 4096,
	};
	struct kvm_regs regs = { .rip = GUEST_ADDRESS, .rflags = 2 };
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int vm = ioctl(kvm, KVM_CREATE_VM, 0), cpu;
	struct kvm_sregs sregs;
	uint8_t *page;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memcpy(page, code, sizeof(code));
	memory.userspace_addr = to_u64(page);
	if (ioctl(vm, KVM_SET_USER_MEMORY_REGION, &memory))
		_exit(1);
	cpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	if (cpu < 0 || ioctl(cpu, KVM_GET_SREGS, &sregs))
		_exit(2);
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	if (ioctl(cpu, KVM_SET_SREGS, &sregs) || ioctl(cpu, KVM_SET_REGS, &regs))
		_exit(3);
	ioctl(cpu, KVM_RUN, 0);
	_exit(4);
}
#else
static void run_guest(void)
{
	_exit(5);
}
#endif

TEST_LIMIT(guest, 120, "O20: a sample that hits a guest says so, with the ip there; no other does")
{
	struct perfgrp_counter c = {
		.event = PERFGRP_SW_CPU_CLOCK,
		.sample_period = 1000000,
	};
	__u32 in_guest = 0, in_host = 0, i;
	pid_t pid;
	int fd;

	load_kvm();
	if (access("/dev/kvm", R_OK | W_OK)) {
		unload_kvm();
		skip("there is no /dev/kvm");
	}
	pid = fork();
	REQUIRE_GE(pid, 0);
	if (pid == 0)
		run_guest();
	fd = stream_on_task(PERFGRP_CREATE_ENABLED, pid, 1 << 20);
	REQUIRE_GE(fd, 0);
	REQUIRE_EQ(grp_add_counters(fd, &c, 1), 0);
	nap_ns(2000000000);
	REQUIRE_EQ(grp_disable(fd), 0);
	REQUIRE(waitpid(pid, NULL, WNOHANG) == 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unload_kvm();
	stream_drain(fd);
	for (i = 0; i < records.nr_samples; i++) {
		const struct perfgrp_record_sample *sample = records.sample[i];

		if (is_in_guest(sample)) {
			EXPECT_EQ(sample->ip, GUEST_ADDRESS);
			in_guest++;
		} else {
			EXPECT_NE(sample->ip, GUEST_ADDRESS);
			in_host++;
		}
	}
	diag("%u in the guest, %u in the host", in_guest, in_host);
	/* The child only runs the guest; creating it takes less than half of the time. */
	EXPECT_GT(in_guest, in_host);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv);
}
