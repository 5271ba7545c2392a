/* SPDX-License-Identifier: GPL-2.0 */
/* Capabilities of the test's own process. */
#ifndef TESTS_CAPS_H
#define TESTS_CAPS_H

#include "harness.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Drops all other capabilities. */
static inline void keep_caps(__u64 caps)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = (__u32)caps, .permitted = (__u32)caps },
		{ .effective = (__u32)(caps >> 32), .permitted = (__u32)(caps >> 32) },
	};

	REQUIRE(syscall(SYS_capset, &header, data) == 0);
}

#endif /* TESTS_CAPS_H */
