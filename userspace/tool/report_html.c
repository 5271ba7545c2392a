// SPDX-License-Identifier: GPL-2.0
/*
 * The page of a report. It needs nothing but itself: no script, and nothing from elsewhere. All
 * that comes from the input goes through report_text().
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "report.h"
#include "report_css.h"
#include "utf8.h"

/**
 * report_text - print a text from outside, escaped for HTML
 * @out: where to
 * @text: of any bytes
 *
 * Characters that are not allowed in HTML are printed as "\x01".
 */
void report_text(FILE *out, const char *text)
{
	static const char *const escapes[] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;",
		['\''] = "&#39;",
	};
	char *printable = utf8_printable(text);
	const unsigned char *s;

	for (s = (unsigned char *)printable; *s; s++) {
		if (*s < ARRAY_SIZE(escapes) && escapes[*s])
			fputs(escapes[*s], out);
		else
			fputc(*s, out);
	}
	free(printable);
}

/* Prints a name in <bdi>, so that right-to-left names do not reorder the text around them. */
void report_print_name(FILE *out, const char *before, const char *name, const char *behind)
{
	fprintf(out, "%s<bdi>", before);
	report_text(out, name);
	fprintf(out, "</bdi>%s", behind);
}

/* ---- the head ------------------------------------------------------------------ */

static const char *find_title(const struct report *report)
{
	if (report->title)
		return report->title;
	if (report->command)
		return report->command;
	return report->input;
}

static void print_fact(FILE *out, const char *name, const char *value, bool code)
{
	fprintf(out, "<dt>%s</dt><dd>", name);
	report_print_name(out, code ? "<code>" : "", value, code ? "</code>" : "");
	fputs("</dd>\n", out);
}

static double typical_length(const struct report *report)
{
	double *lengths = xcalloc(report->nr, sizeof(*lengths)), typical;
	size_t i;

	for (i = 0; i < report->nr; i++)
		lengths[i] = report->intervals[i].end - report->intervals[i].start;
	typical = report_median(lengths, report->nr);
	free(lengths);
	return typical;
}

static void print_intervals(FILE *out, const struct report *report)
{
	char *typical, *all;

	if (!report->nr) {
		print_fact(out, "Intervals", "none", false);
		return;
	}
	typical = report_number(typical_length(report), "");
	all = report_number(report->intervals[report->nr - 1].end, "");
	fprintf(out, "<dt>Intervals</dt><dd>%zu, of about %s s, %s s together</dd>\n", report->nr,
		typical, all);
	free(typical);
	free(all);
}

static void print_head(FILE *out, const struct report *report)
{
	size_t i;

	fputs("<header>\n", out);
	report_print_name(out, "<h1>", find_title(report), "</h1>\n<dl>\n");
	for (i = 0; i < report->nr_facts; i++)
		print_fact(out, report->facts[i].name, report->facts[i].value,
			   !strcmp(report->facts[i].name, "Command"));
	print_fact(out, "Input", report->input, true);
	print_intervals(out, report);
	fputs("</dl>\n", out);
	if (!report->has_head && !report->exported)
		fputs("<p class=\"note\">The input does not say what was counted, on which machine and when:\n"
		      "<code>perfgrp stat --header</code> writes it.</p>\n", out);
	if (report->no_interval)
		fprintf(out, "<p class=\"note\">%zu lines of no interval, such as sums at the end, are left out.</p>\n",
			report->no_interval);
	fputs("</header>\n", out);
}

/* ---- names ---------------------------------------------------------------------- */

/* Returns the place, with a number if the same event was counted more than once. */
char *report_series_name(const struct report_series *series)
{
	if (series->number == 1)
		return xstrdup(series->place);
	return xasprintf("%s%s(%u)", series->place, *series->place ? " " : "", series->number);
}

void report_print_counter_name(FILE *out, const struct report_counter *counter)
{
	report_print_name(out, "", counter->name, "");
	if (*counter->event)
		report_print_name(out, " <small>beside ", counter->event, "</small>");
}

/* Prints a note if not all places are shown. */
void report_print_left_out(FILE *out, size_t shown, size_t all, const char *before,
			   const char *behind)
{
	if (shown < all)
		fprintf(out, "%sThe %zu highest of %zu places are shown; <code>--places</code> says how many.%s\n",
			before, shown, all, behind);
}

/* ---- plots --------------------------------------------------------------------- */

static void print_sample(FILE *out, const char *drawn, const char *meaning)
{
	fprintf(out, "<li><svg viewBox=\"0 0 40 16\" aria-hidden=\"true\">%s</svg>%s</li>\n", drawn,
		meaning);
}

static void print_key(FILE *out, const struct report *report)
{
	fputs("<ul class=\"key\">\n", out);
	print_sample(out, "<path class=\"line\" d=\"M0,8H40\"/>", "counted all the time");
	print_sample(out, "<rect class=\"estimated\" width=\"40\" height=\"16\"/>\n"
		     "<path class=\"line estimated\" d=\"M0,8H40\"/>", "multiplexed: an estimate");
	print_sample(out, "<rect class=\"gap\" width=\"40\" height=\"16\"/>",
		     "not counted, which is not 0");
	if (report_intervals_per_step(report, true) > 1)
		print_sample(out, "<path class=\"band\" d=\"M0,2H40V14H0Z\"/>\n"
			     "<path class=\"line\" d=\"M0,8H40\"/>",
			     "mean of several intervals, from the lowest to the highest");
	fputs("</ul>\n", out);
}

/* "; WHAT in 2 of 60 intervals", or nothing for none. */
static char *describe_part(const char *what, size_t nr, size_t all)
{
	return nr ? xasprintf("; %s in %zu of %zu intervals", what, nr, all) : xstrdup("");
}

/* Describes a plot in words; the text must be freed. */
static char *describe(const struct report *report, const struct report_series *series)
{
	const struct report_counter *counter = &report->counters[series->counter];
	struct report_summary sum = report_sum_up(report, series);
	char *middle, *least, *most, *estimated, *gaps, *text;

	if (!sum.counted)
		return xstrdup("not counted in any interval");
	middle = report_rate(counter, sum.middle);
	least = report_rate(counter, sum.least);
	most = report_rate(counter, sum.most);
	estimated = describe_part("multiplexed", sum.estimated, report->nr);
	gaps = describe_part("not counted", report->nr - sum.counted, report->nr);
	text = xasprintf("%s %s, from %s to %s%s%s", counter->is_metric ? "median" : "mean",
			 middle, least, most, estimated, gaps);
	free(middle);
	free(least);
	free(most);
	free(estimated);
	free(gaps);
	return text;
}

static void print_figure(FILE *out, const struct report *report, struct report_plot *plot,
			 const char *name)
{
	const struct report_counter *counter = &report->counters[plot->series->counter];
	char *description = describe(report, plot->series), *title;

	title = xasprintf("%s%s%s over time", counter->name, *name ? ", " : "", name);
	fputs("<figure>\n<figcaption>", out);
	if (plot->small) {
		report_print_name(out, "", name, "");
	} else {
		fputs("<h3>", out);
		report_print_counter_name(out, counter);
		if (plot->series->number > 1)
			fprintf(out, " (%u)", plot->series->number);
		if (*plot->series->place)
			report_print_name(out, ", ", plot->series->place, "");
		fputs("</h3>", out);
	}
	fputs(plot->small ? "<br><small>" : "<p class=\"note\">", out);
	report_text(out, description);
	fprintf(out, "%s</figcaption>\n", plot->small ? "</small>" : "</p>");
	report_print_plot(out, report, plot, title, description);
	fputs("</figure>\n", out);
	free(description);
	free(title);
	plot->id++;
}

/* Prints the plots of a counter, all with the same axis of values. */
static void print_counter_plots(FILE *out, const struct report *report,
				const struct report_counter *counter, unsigned int *id)
{
	struct report_plot plot = { .id = *id };
	size_t *chosen, nr, i;
	char *name;

	chosen = report_choose_series(report, counter, &nr);
	plot.small = nr > 1;
	for (i = 0; i < nr; i++) {
		struct report_summary sum = report_sum_up(report, report->series[chosen[i]]);

		plot.most = fmax(plot.most, sum.most);
		plot.least = fmin(plot.least, sum.least);
	}
	if (plot.small) {
		fputs("<section class=\"many\">\n<h3>", out);
		report_print_counter_name(out, counter);
		fputs("</h3>\n", out);
		report_print_left_out(out, nr, counter->nr, "<p class=\"note\">", "</p>");
		fputs("<div class=\"places\">\n", out);
	}
	for (i = 0; i < nr; i++) {
		plot.series = report->series[chosen[i]];
		name = report_series_name(plot.series);
		print_figure(out, report, &plot, !*name && plot.small ? "(1)" : name);
		free(name);
	}
	if (plot.small)
		fputs("</div>\n</section>\n", out);
	*id = plot.id;
	free(chosen);
}

static void print_plots(FILE *out, const struct report *report)
{
	unsigned int id = 0;
	size_t i;

	fputs("<section>\n<h2>Over time</h2>\n", out);
	print_key(out, report);
	fputs("<div class=\"plots\">\n", out);
	for (i = 0; i < report->nr_counters; i++)
		print_counter_plots(out, report, &report->counters[i], &id);
	fputs("</div>\n</section>\n", out);
}

/* ---- all of it ----------------------------------------------------------------- */

static bool have(const struct report *report, bool metrics)
{
	size_t i;

	for (i = 0; i < report->nr_counters; i++)
		if (report->counters[i].is_metric == metrics)
			return true;
	return false;
}

static void print_body(FILE *out, const struct report *report)
{
	print_head(out, report);
	fputs("<main>\n", out);
	if (!report->nr)
		fputs("<p><strong>No interval was reported:</strong>\n"
		      "the run was over before the first one, or nothing was to be counted.</p>\n",
		      out);
	if (have(report, false))
		report_print_table(out, report, false);
	if (have(report, true))
		report_print_table(out, report, true);
	if (report->nr_counters)
		print_plots(out, report);
	fputs("</main>\n", out);
}

/**
 * report_page - make the page
 * @report: the run
 * @len: set to its length
 *
 * Return: the page, to be freed
 */
char *report_page(const struct report *report, size_t *len)
{
	char *text = NULL;
	FILE *out = xcheck(open_memstream(&text, len));

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\"\n"
	      " content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"generator\" content=\"perfgrp " PERFGRP_TOOL_VERSION "\">\n<title>",
	      out);
	report_text(out, find_title(report));
	fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", report_css);
	fputs("<svg class=\"defs\" aria-hidden=\"true\"><defs>\n"
	      "<pattern id=\"gap\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"\n"
	      " patternTransform=\"rotate(45)\"><path d=\"M0,0V6\"/></pattern>\n"
	      "</defs></svg>\n", out);
	print_body(out, report);
	fputs("</body>\n</html>\n", out);
	if (fclose(out))
		xcheck(NULL);
	return text;
}
