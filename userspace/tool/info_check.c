// SPDX-License-Identifier: GPL-2.0
/* perfgrp info --check: what hinders counting on this machine, and what helps. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "info.h"
#include "pmu.h"
#include "util.h"

#define BIT_CAP_SYS_ADMIN	21
#define BIT_CAP_PERFMON		38

/* What stands in front of a line. */
#define OK	"ok"
#define NOTE	"note"	/* counting works, but for what the line says */
#define MISSING	"no"	/* nothing can be counted */

/* One line: what was looked at, how it is, and under it what helps, if anything does. */
__attribute__((format(printf, 4, 5)))
static void tell(const char *what, const char *how, const char *help, const char *fmt, ...)
{
	va_list ap;

	printf("%-6s%-12s", how, what);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	if (help)
		printf("%18s%s\n", "", help);
}

static bool file_is(const char *path, const char *is)
{
	char *text = read_file("%s", path);
	bool yes = text && !strcmp(text, is);

	free(text);
	return yes;
}

static bool file_has(const char *path, const char *has)
{
	char *text = read_file("%s", path);
	bool yes = text && strstr(text, has);

	free(text);
	return yes;
}

/* ---- the module --------------------------------------------------------------- */

static bool module_is_installed(const char *release)
{
	char *deps = xasprintf("/lib/modules/%s/modules.dep", release);
	bool yes = file_has(deps, "/perfgrp.ko");

	free(deps);
	return yes;
}

/* Kernels that are locked down load nothing that is not signed. */
static bool wants_signature(void)
{
	return file_has("/sys/kernel/security/lockdown", "[integrity]") ||
	       file_has("/sys/kernel/security/lockdown", "[confidentiality]") ||
	       file_is("/sys/module/module/parameters/sig_enforce", "Y");
}

static void tell_how_to_load(void)
{
	struct utsname uts;
	char *headers, *help;

	uname(&uts);
	headers = xasprintf("/lib/modules/%s/build", uts.release);
	if (module_is_installed(uts.release)) {
		tell("module", MISSING, "modprobe perfgrp", "it is installed, but not loaded");
	} else if (access(headers, F_OK)) {
		help = xasprintf("apt install linux-headers-%s, or what your system calls it",
				 uts.release);
		tell("module", MISSING, help,
		     "not loaded, not installed, and the kernel's headers to build it are missing");
		free(help);
	} else {
		tell("module", MISSING, "make && insmod perfgrp.ko; or by DKMS, as the README says",
		     "not loaded, and not installed for Linux %s", uts.release);
	}
	free(headers);
	if (wants_signature())
		tell("signature", NOTE, "sign it with a key that is enrolled (mokutil --import)",
		     "this kernel loads only modules that are signed (Secure Boot)");
}

static struct perfgrp_dev *check_module(struct perfgrp_info *info)
{
	struct perfgrp_dev *dev = perfgrp_open();

	if (!dev && (errno == EACCES || errno == EPERM)) {
		tell("module", OK, NULL, "loaded");
		tell("device", MISSING, "run it as root, or give the device to a group (perfgrp(4))",
		     "%s is not yours", PERFGRP_DEVICE);
	} else if (!dev) {
		tell_how_to_load();
	} else if (perfgrp_get_info(dev, info, sizeof(*info))) {
		tell("module", MISSING, NULL, "%s", perfgrp_dev_error(dev)->text);
		perfgrp_close(dev);
		dev = NULL;
	} else {
		tell("module", OK, NULL, "perfgrp %s", info->version);
	}
	return dev;
}

/* ---- the caller ---------------------------------------------------------------- */

static bool is_privileged(void)
{
	char *status = read_file("/proc/self/status");
	const char *line = status ? strstr(status, "\nCapEff:") : NULL;
	unsigned long long caps = line ? strtoull(line + strlen("\nCapEff:"), NULL, 16) : 0;

	free(status);
	return caps & (1ULL << BIT_CAP_PERFMON | 1ULL << BIT_CAP_SYS_ADMIN);
}

static bool check_privilege(const struct perfgrp_info *info)
{
	static const char help[] =
		"run it as root, or setcap cap_perfmon+ep $(command -v perfgrp)";

	if (is_privileged()) {
		tell("privilege", OK, NULL, "CAP_PERFMON");
		return true;
	}
	if (info->features & PERFGRP_FEATURE_UNPRIVILEGED) {
		tell("privilege", NOTE, help,
		     "without CAP_PERFMON: your own tasks, in user mode, can be counted");
		return true;
	}
	tell("privilege", MISSING, help, "CAP_PERFMON is missing");
	return false;
}

/* ---- the machine ---------------------------------------------------------------- */

static bool is_hardware(const char *pmu)
{
	return !strcmp(pmu, "cpu") || !strncmp(pmu, "cpu_", strlen("cpu_")) ||
	       !strncmp(pmu, "armv", strlen("armv"));
}

static void check_counters(void)
{
	const char *found = NULL;
	struct pmu_list list;
	size_t i;

	pmu_list_open(&list);
	for (i = 0; i < list.nr && !found; i++)
		if (is_hardware(list.pmus[i].name))
			found = list.pmus[i].name;
	if (found)
		tell("counters", OK, NULL, "PMU %s", found);
	else if (file_has("/proc/cpuinfo", " hypervisor"))
		tell("counters", NOTE, "give it one: QEMU's -cpu host, libvirt's <pmu state='on'/>",
		     "this virtual machine has no PMU: only software events");
	else
		tell("counters", NOTE, NULL, "the kernel has found no PMU: only software events");
	if (found && file_is("/proc/sys/kernel/nmi_watchdog", "1"))
		tell("watchdog", NOTE, "sysctl kernel.nmi_watchdog=0",
		     "the NMI watchdog has one of the counters for itself");
	pmu_list_close(&list);
}

/* Features that depend on how the kernel was built, and what of. */
static void check_features(const struct perfgrp_info *info)
{
	if (info->features & PERFGRP_FEATURE_SCHED_GROUP)
		tell("groups", OK, NULL, "members of one PMU are on it together");
	else
		tell("groups", NOTE, "dmesg | grep perfgrp says why (kprobes are needed)",
		     "members are scheduled one by one");
	if (info->features & PERFGRP_FEATURE_KFUNC)
		tell("BPF", OK, NULL, "programs on counters, and programs that read groups");
	else if (access("/sys/kernel/btf/vmlinux", F_OK))
		tell("BPF", NOTE, NULL, "programs cannot read groups: this kernel has no BTF");
	else if (access("/sys/kernel/btf/perfgrp", F_OK))
		tell("BPF", NOTE, "install pahole, put vmlinux beside the headers, and build it again",
		     "programs cannot read groups: the module was built without BTF");
	else
		tell("BPF", NOTE, "dmesg | grep perfgrp says why",
		     "programs cannot read groups on this kernel");
}

/**
 * info_check - say what hinders counting, and what helps
 *
 * Return: whether anything can be counted
 */
bool info_check(void)
{
	struct perfgrp_info info = {};
	struct perfgrp_dev *dev;
	bool works;

	dev = check_module(&info);
	works = dev && check_privilege(&info);
	check_counters();
	if (dev)
		check_features(&info);
	perfgrp_close(dev);
	return works;
}
