/* SPDX-License-Identifier: GPL-2.0 */
/* The style sheet of a report. */
#ifndef PERFGRP_REPORT_CSS_H
#define PERFGRP_REPORT_CSS_H

extern const char report_css[];

#endif /* PERFGRP_REPORT_CSS_H */
