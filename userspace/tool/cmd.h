/* SPDX-License-Identifier: GPL-2.0 */
/* The commands of the tool. */
#ifndef PERFGRP_CMD_H
#define PERFGRP_CMD_H

#include "events.h"
#include "perfgrp.h"

#define PERFGRP_TOOL_VERSION	"0.1"

/* What a command line that makes no sense ends with, as perf's. */
#define EXIT_USAGE	129

/* As perf's where counting, or the command, cannot be started. */
#define EXIT_FAILED	255

int cmd_bpf(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_stat(int argc, char **argv);

struct perfgrp_dev *cmd_open_device(struct perfgrp_info *info, __u64 feature, const char *name);
int cmd_add_events(struct event_list *list, const char *text);
int cmd_parse_uint(const char *what, const char *text, unsigned int min, unsigned int max,
		   unsigned int *value);

#endif /* PERFGRP_CMD_H */
