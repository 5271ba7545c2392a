/* SPDX-License-Identifier: GPL-2.0 */
/* Groups for BPF programs: handles and kfuncs. */
#ifndef PERFGRP_BPF_KFUNC_H
#define PERFGRP_BPF_KFUNC_H

#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

struct perfgrp_group;

void perfgrp_bpf_kfunc_init(void);
bool perfgrp_bpf_kfunc_supported(void);
int perfgrp_bpf_kfunc_get_handle(struct perfgrp_group *group, bool renew, u64 *number,
				 struct perfgrp_error *err);
void perfgrp_bpf_kfunc_free_handle(struct perfgrp_group *group);

/* Called by BPF programs only. */
int bpf_perfgrp_read(u64 handle, struct perfgrp_value *values, u32 values__sz, u32 value_size,
		     u64 flags);
int bpf_perfgrp_read_row(u64 handle, s32 cpu, struct perfgrp_map_slot *slot, u32 slot__sz,
			 u32 value_size);

#endif /* PERFGRP_BPF_KFUNC_H */
