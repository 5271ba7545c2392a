/* SPDX-License-Identifier: GPL-2.0 */
/* The perf events of one instance: created, started, stopped, replaced, released. */
#ifndef PERFGRP_COUNTER_H
#define PERFGRP_COUNTER_H

#include <linux/types.h>
#include <uapi/linux/perfgrp.h>

struct perfgrp_count;
struct perfgrp_group;
struct perfgrp_member;
struct perfgrp_member_instance;

int perfgrp_counter_create(struct perfgrp_group *group, unsigned int instance, unsigned int index,
			   struct perfgrp_error *err);
void perfgrp_counter_release(const struct perfgrp_group *group,
			     struct perfgrp_member_instance *counter);
void perfgrp_counter_rebase(const struct perfgrp_group *group,
			    struct perfgrp_member_instance *counter, struct perfgrp_count from);
void perfgrp_counter_reset(const struct perfgrp_group *group,
			   struct perfgrp_member_instance *counter);
bool perfgrp_counter_read_inherited(const struct perfgrp_member_instance *counter, bool peek,
				    struct perfgrp_count *count);
void perfgrp_counters_start(struct perfgrp_group *group, unsigned int instance,
			    unsigned int first, unsigned int nr);
bool perfgrp_counter_has_siblings(const struct perfgrp_member_instance *counter);
bool perfgrp_counter_failed(const struct perfgrp_member_instance *counter);
bool perfgrp_counter_dead(const struct perfgrp_member_instance *counter);

int perfgrp_instance_prepare(struct perfgrp_group *group, unsigned int instance,
			     const struct perfgrp_member *leaving, struct perfgrp_error *err);
void perfgrp_instance_abort(struct perfgrp_group *group, unsigned int instance);
void perfgrp_instance_accumulate(struct perfgrp_group *group, unsigned int instance,
				 const struct perfgrp_member *leaving);
void perfgrp_instance_commit(struct perfgrp_group *group, unsigned int instance,
			     const struct perfgrp_member *leaving);
void perfgrp_instance_stop_siblings(struct perfgrp_group *group, unsigned int instance,
				    const struct perfgrp_member *leaving);
void perfgrp_instance_release_retired(struct perfgrp_group *group, unsigned int instance);
void perfgrp_instance_start(struct perfgrp_group *group, unsigned int instance);
void perfgrp_instance_stop(struct perfgrp_group *group, unsigned int instance);

#endif /* PERFGRP_COUNTER_H */
