/* SPDX-License-Identifier: GPL-2.0 */
/* Records of BPF programs that are loaded and unloaded. */
#ifndef PERFGRP_BPF_EVENTS_H
#define PERFGRP_BPF_EVENTS_H

#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

struct perfgrp_group;

void perfgrp_bpf_events_init(void);
void perfgrp_bpf_events_exit(void);
bool perfgrp_bpf_events_available(void);
int perfgrp_bpf_events_check(bool has_buffer, const char *field, struct perfgrp_error *err);
int perfgrp_bpf_events_subscribe(struct perfgrp_group *group, const char *field,
				 struct perfgrp_error *err);
void perfgrp_bpf_events_unsubscribe(struct perfgrp_group *group);
bool perfgrp_bpf_events_subscribed(const struct perfgrp_group *group);
void perfgrp_bpf_events_count_missed(struct perfgrp_group *group);

#endif /* PERFGRP_BPF_EVENTS_H */
