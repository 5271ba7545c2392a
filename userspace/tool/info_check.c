// SPDX-License-Identifier: GPL-2.0
/* perfgrp info --check: what prevents or limits counting on this machine, and how to fix it. */
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

/* Where Debian's DKMS has the certificate of the key that it signs with. */
#define DKMS_KEY		"/var/lib/dkms/mok.pub"

#define OK	FINDING_OK
#define NOTE	FINDING_NOTE
#define MISSING	FINDING_MISSING

/* Adds the result of a check; @help is how to fix it, or NULL. */
__attribute__((format(printf, 5, 6)))
static void tell(struct findings *list, const char *what, const char *how, const char *help,
		 const char *fmt, ...)
{
	struct finding *finding;
	va_list ap;

	GROW(list->findings, list->nr, list->room);
	finding = &list->findings[list->nr++];
	*finding = (struct finding){ .what = what, .how = how };
	finding->help = help ? xstrdup(help) : NULL;
	va_start(ap, fmt);
	finding->text = xvasprintf(fmt, ap);
	va_end(ap);
}

/**
 * findings_print - print each finding on a line, followed by its help text
 * @list: the findings
 */
void findings_print(const struct findings *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		const struct finding *finding = &list->findings[i];

		printf("%-6s%-12s%s\n", finding->how, finding->what, finding->text);
		if (finding->help)
			printf("%18s%s\n", "", finding->help);
	}
}

void findings_free(struct findings *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++) {
		free(list->findings[i].text);
		free(list->findings[i].help);
	}
	free(list->findings);
	memset(list, 0, sizeof(*list));
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

/* A kernel in lockdown mode only loads signed modules. */
static bool wants_signature(void)
{
	return file_has("/sys/kernel/security/lockdown", "[integrity]") ||
	       file_has("/sys/kernel/security/lockdown", "[confidentiality]") ||
	       file_is("/sys/module/module/parameters/sig_enforce", "Y");
}

static void tell_how_to_load(struct findings *list)
{
	struct utsname uts;
	char *headers, *help;

	uname(&uts);
	headers = xasprintf("/lib/modules/%s/build", uts.release);
	if (module_is_installed(uts.release)) {
		tell(list, "module", MISSING, "modprobe perfgrp", "it is installed, but not loaded");
	} else if (access(headers, F_OK)) {
		help = xasprintf("apt install linux-headers-%s, or what your system calls it",
				 uts.release);
		tell(list, "module", MISSING, help,
		     "not loaded, not installed, and the kernel's headers to build it are missing");
		free(help);
	} else if (!access("/var/lib/dkms/perfgrp", F_OK)) {
		help = xasprintf("dkms autoinstall -k %s (log: /var/lib/dkms/perfgrp/*/build/make.log)",
				 uts.release);
		tell(list, "module", MISSING, help,
		     "not loaded, and DKMS has not built it for Linux %s", uts.release);
		free(help);
	} else {
		tell(list, "module", MISSING, "make && insmod perfgrp.ko, or the package perfgrp-dkms",
		     "not loaded, and not installed for Linux %s", uts.release);
	}
	free(headers);
	if (!wants_signature())
		return;
	tell(list, "signature", NOTE,
	     access(DKMS_KEY, F_OK) ? "sign it with a key that is enrolled (mokutil --import)" :
	     "DKMS signs it; enroll its key, and boot: mokutil --import " DKMS_KEY,
	     "this kernel loads only modules that are signed (Secure Boot)");
}

static struct perfgrp_dev *check_module(struct findings *list, struct perfgrp_info *info)
{
	struct perfgrp_dev *dev = perfgrp_open();

	if (!dev && (errno == EACCES || errno == EPERM)) {
		tell(list, "module", OK, NULL, "loaded");
		tell(list, "device", MISSING, "run it as root, or give the device to a group (perfgrp(4))",
		     "no permission to open %s", PERFGRP_DEVICE);
	} else if (!dev && (errno == ENOENT || errno == ENODEV || errno == ENXIO)) {
		tell_how_to_load(list);
	} else if (!dev) {
		tell(list, "device", MISSING, NULL, "cannot open %s: %s", PERFGRP_DEVICE,
		     perfgrp_open_error(errno));
	} else if (perfgrp_get_info(dev, info, sizeof(*info))) {
		tell(list, "module", MISSING, NULL, "%s", perfgrp_dev_error(dev)->text);
		perfgrp_close(dev);
		dev = NULL;
	} else {
		tell(list, "module", OK, NULL, "perfgrp %s", info->version);
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

/**
 * check_privilege - check what the caller may count
 * @list: the finding is added
 * @info: of the module
 *
 * Return: true if the caller may count anything
 */
bool check_privilege(struct findings *list, const struct perfgrp_info *info)
{
	static const char help[] =
		"run it as root, or give a group a copy of it with CAP_PERFMON (perfgrp(4))";

	if (is_privileged()) {
		tell(list, "privilege", OK, NULL, "CAP_PERFMON");
		return true;
	}
	if (info->features & PERFGRP_FEATURE_UNPRIVILEGED) {
		tell(list, "privilege", NOTE, help,
		     "without CAP_PERFMON: your own tasks can be counted, in user mode (:u, --all-user)");
		return true;
	}
	tell(list, "privilege", MISSING, help, "CAP_PERFMON is missing");
	return false;
}

/**
 * check_paranoid - check what perf_event_paranoid allows without CAP_PERFMON
 * @list: the finding is added if the caller lacks CAP_PERFMON
 */
void check_paranoid(struct findings *list)
{
	char *level = read_file("/proc/sys/kernel/perf_event_paranoid");

	if (level && !is_privileged())
		tell(list, "paranoid", NOTE, NULL,
		     "kernel.perf_event_paranoid is %s: 2 leaves user mode of own tasks, 1 their kernel mode, 0 CPUs",
		     level);
	free(level);
}

/* ---- the machine ---------------------------------------------------------------- */

/**
 * check_counters - check whether there are hardware counters
 * @list: the finding is added
 */
void check_counters(struct findings *list)
{
	const bool guest = file_has("/proc/cpuinfo", " hypervisor");
	char *found = pmu_find_cpus();

	if (found)
		tell(list, "counters", OK, NULL, "PMU %s", found);
	else if (guest)
		tell(list, "counters", NOTE, "give it one: QEMU's -cpu host, libvirt's <pmu state='on'/>",
		     "this virtual machine has no PMU: only software events");
	else
		tell(list, "counters", NOTE, NULL, "the kernel has found no PMU: only software events");
	if (found && guest)
		tell(list, "hypervisor", NOTE, NULL,
		     "this is a virtual machine: its PMU may lack counters that the machine's has");
	free(found);
}

/**
 * check_watchdog - check whether the NMI watchdog occupies a counter
 * @list: the finding is added if it does
 */
void check_watchdog(struct findings *list)
{
	char *found = pmu_find_cpus();

	if (found && file_is("/proc/sys/kernel/nmi_watchdog", "1"))
		tell(list, "watchdog", NOTE, "sysctl kernel.nmi_watchdog=0",
		     "the NMI watchdog uses one of the counters");
	free(found);
}

/* Features that depend on the kernel and on how the module was built. */
static void check_features(struct findings *list, const struct perfgrp_info *info)
{
	if (info->features & PERFGRP_FEATURE_SCHED_GROUP)
		tell(list, "groups", OK, NULL, "members of one PMU are on it together");
	else
		tell(list, "groups", NOTE, "dmesg | grep perfgrp says why (kprobes are needed)",
		     "members are scheduled one by one");
	if (info->features & PERFGRP_FEATURE_KFUNC)
		tell(list, "BPF", OK, NULL, "programs on counters, and programs that read groups");
	else if (access("/sys/kernel/btf/vmlinux", F_OK))
		tell(list, "BPF", NOTE, NULL, "programs cannot read groups: this kernel has no BTF");
	else if (access("/sys/kernel/btf/perfgrp", F_OK))
		tell(list, "BPF", NOTE, "install pahole, put vmlinux beside the headers, and build it again",
		     "programs cannot read groups: the module was built without BTF");
	else
		tell(list, "BPF", NOTE, "dmesg | grep perfgrp says why",
		     "programs cannot read groups on this kernel");
}

/**
 * info_check - print what prevents or limits counting, and how to fix it
 *
 * Return: true if anything can be counted
 */
bool info_check(void)
{
	struct perfgrp_info info = {};
	struct findings list = {};
	struct perfgrp_dev *dev;
	bool works;

	dev = check_module(&list, &info);
	works = dev && check_privilege(&list, &info);
	check_counters(&list);
	check_watchdog(&list);
	if (dev)
		check_features(&list, &info);
	perfgrp_close(dev);
	findings_print(&list);
	findings_free(&list);
	return works;
}
