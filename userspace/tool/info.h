/* SPDX-License-Identifier: GPL-2.0 */
/* Checks for what prevents or limits counting on this machine. */
#ifndef PERFGRP_INFO_H
#define PERFGRP_INFO_H

#include <stdbool.h>
#include <stddef.h>

#include "perfgrp.h"

/* Result of a check. */
#define FINDING_OK	"ok"
#define FINDING_NOTE	"note"	/* counting works, with the limitation in the text */
#define FINDING_MISSING	"no"	/* nothing can be counted */

/**
 * struct finding - the result of one check
 * @what: what was checked, in a word
 * @how: FINDING_*
 * @text: description of the result
 * @help: how to fix it, or NULL
 */
struct finding {
	const char *what;
	const char *how;
	char *text;
	char *help;
};

/**
 * struct findings - the results of all checks
 * @findings: the findings
 * @nr: how many
 * @room: how many @findings has room for
 */
struct findings {
	struct finding *findings;
	size_t nr;
	size_t room;
};

bool info_check(void);
bool check_privilege(struct findings *list, const struct perfgrp_info *info);
void check_paranoid(struct findings *list);
void check_counters(struct findings *list);
void check_watchdog(struct findings *list);
void findings_print(const struct findings *list);
void findings_free(struct findings *list);

#endif /* PERFGRP_INFO_H */
