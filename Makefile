# SPDX-License-Identifier: GPL-2.0
#
# perfgrp: module, library, tool.
#
#	make				the module, the library and the tool, for this machine
#	make modules KDIR=...		the module for another kernel; ARCH and CROSS_COMPILE as in kbuild
#	make install			the tool, the library and man pages (PREFIX, DESTDIR)
#	make uninstall			removes what make install has installed
#	make modules_install		the module, for the running kernel
#	make dkms_install		the module's sources, for DKMS, which then builds it for each kernel:
#					dkms install perfgrp/VERSION
#	make dkms_uninstall		removes the sources, after dkms remove perfgrp/VERSION --all
#	make deb [RELEASE=bookworm] [ARCH=arm64]
#					Debian packages, for a Debian release
#	make demo [KERNEL=newest]	see it work in a guest with hardware counters
#	make check [T=PATTERN]		a subset of the tests, for use while working; with T those whose
#					name contains PATTERN
#	make kunit			the KUnit suites
#	make test			all tests on an old and a new kernel, and of the other kernels those
#					that depend on the kernel most
#	make test-all			the same with the long lists of the other kernels
#	make test-install [RELEASE=...]	the Debian packages on a machine that boots from a disk: installed,
#					used, upgraded, purged
#	make kernels			all tests on every kernel, and the table of what works
#	make kernels-latest		the same for newer kernels, which scripts/lib.sh lacks
#	make configs			whether it builds for kernels without some of Debian's options
#	make behaviours			behaviours that no test names, and wrong (planned) marks
#	make coverage			which lines of the module the tests run
#	make mutants			whether the tests notice when the module is broken
#	make soak			everything at once, for hours
#	make fuzz [SEED=N] [TIME=SECONDS] [FLAVOUR=...]
#					random calls, good and bad, checked against the header
#	make bench			speed compared with perf_event_open(2), in instructions
#	make clean
#
# deb, demo, check, kunit, test, test-install, kernels, kernels-latest, configs, coverage, mutants, soak,
# fuzz and bench install what they need with apt-get (Debian, as root) and keep kernels and other
# downloads in $PERFGRP_CACHE, outside this directory.

KDIR ?= /lib/modules/$(shell uname -r)/build

all: modules userspace

modules modules_install:
	$(MAKE) -C $(KDIR) M=$(CURDIR) $@

userspace:
	$(MAKE) -C userspace

install uninstall:
	$(MAKE) -C userspace $@

# The version is that of dkms.conf.
dkms_source = $(DESTDIR)/usr/src/perfgrp-$(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

# Only sources: build results here are for one kernel only.
dkms_install:
	install -d $(dkms_source)
	cp --parents COPYING LICENSES/* Kbuild Makefile dkms.conf include/uapi/linux/*.h \
		module/*.[ch] $(dkms_source)

dkms_uninstall:
	rm -rf $(dkms_source)

deb:
	scripts/setup
	scripts/deb $(if $(ARCH),--arch $(ARCH)) $(RELEASE)

demo:
	scripts/setup
	scripts/demo $(KERNEL)

check:
	scripts/setup
	scripts/check $(T)

kunit:
	scripts/setup
	scripts/run-tests -t test_kunit amd64-debug-newest

test:
	scripts/setup
	scripts/run-tests

test-all:
	scripts/setup
	scripts/run-tests -a

test-install:
	scripts/setup
	scripts/test-install $(RELEASE)

kernels:
	scripts/setup
	scripts/matrix

kernels-latest:
	scripts/setup
	scripts/kernels-latest

configs:
	scripts/setup
	scripts/configs

behaviours:
	scripts/behaviours

coverage:
	scripts/setup
	scripts/coverage

mutants:
	scripts/setup
	scripts/mutants

soak:
	scripts/setup
	scripts/soak

fuzz:
	scripts/setup
	scripts/fuzz $(if $(SEED),-s $(SEED)) $(if $(TIME),-t $(TIME)) $(FLAVOUR)

bench:
	scripts/setup
	scripts/bench

clean:
	[ ! -e $(KDIR) ] || $(MAKE) -C $(KDIR) M=$(CURDIR) clean
	rm -rf build

.PHONY: all modules modules_install userspace install uninstall dkms_install dkms_uninstall \
	deb demo check kunit test test-all test-install kernels \
	kernels-latest configs behaviours coverage mutants soak fuzz bench clean
