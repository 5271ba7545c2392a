// SPDX-License-Identifier: GPL-2.0
/* The tables of a report: a row for each counter, or for each of its places. */
#include <math.h>
#include <stdlib.h>

#include "report.h"

/* A percentage that is 100 but for errors of rounding; shares have two decimal places. */
#define ALL	99.999999999

static bool have_places(const struct report *report)
{
	size_t i;

	for (i = 0; i < report->nr_series; i++)
		if (*report->series[i]->place)
			return true;
	return false;
}

/* Does any event or metric have states? */
static bool have_states(const struct report *report, bool metrics)
{
	size_t i;

	for (i = 0; i < report->nr_series; i++)
		if (report->counters[report->series[i]->counter].is_metric == metrics &&
		    report->series[i]->states.nr)
			return true;
	return false;
}

static void print_rate(FILE *out, const struct report_counter *counter, double value)
{
	char *text = report_rate(counter, value);

	fputs("<td class=\"n\">", out);
	report_text(out, text);
	fputs("</td>", out);
	free(text);
}

/* Prints why no interval has a value. */
static void print_missing(FILE *out, const struct report_series *series)
{
	fputs("<td class=\"none\" colspan=\"4\">", out);
	report_text(out, series->states.nr ? series->states.s[0] : "not counted");
	fputs("</td>", out);
}

static void print_values(FILE *out, const struct report_counter *counter,
			 const struct report_summary *sum)
{
	if (sum->has_last)
		print_rate(out, counter, sum->last);
	else
		fputs("<td class=\"n none\">not counted</td>", out);
	print_rate(out, counter, sum->middle);
	print_rate(out, counter, sum->least);
	print_rate(out, counter, sum->most);
}

static void print_share(FILE *out, const struct report_series *series)
{
	const double percent = series->known ? 100 * series->on_pmu / series->known : 0;

	if (!series->known)
		fputs("<td class=\"n none\">unknown</td>", out);
	else if (percent > ALL)
		fputs("<td class=\"n\">100 %</td>", out);
	else	/* Do not round it up to 100 %. */
		fprintf(out, "<td class=\"n part\">%.2f %%</td>", fmin(percent, 99.99));
}

static void print_states(FILE *out, const struct report_series *series)
{
	size_t i;

	fputs("<td>", out);
	for (i = 0; i < series->states.nr; i++) {
		fputs(i ? ", " : "", out);
		report_text(out, series->states.s[i]);
	}
	fputs("</td>", out);
}

static void print_row(FILE *out, const struct report *report, const struct report_series *series,
		      bool places, bool states)
{
	const struct report_counter *counter = &report->counters[series->counter];
	struct report_summary sum = report_sum_up(report, series);
	char *name;

	if (places) {
		name = report_series_name(series);
		report_print_name(out, "<th scope=\"row\" class=\"place\">", *name ? name : "all", "</th>");
		free(name);
	}
	if (sum.counted)
		print_values(out, counter, &sum);
	else
		print_missing(out, series);
	if (!counter->is_metric)
		print_share(out, series);
	fprintf(out, "<td class=\"n%s\">%zu of %zu</td>",
		sum.counted < report->nr ? " part" : "", sum.counted, report->nr);
	if (states)
		print_states(out, series);
	fputs("</tr>\n", out);
}

static void print_counter_rows(FILE *out, const struct report *report,
			       const struct report_counter *counter, bool places, bool states)
{
	size_t *chosen, nr, i;

	chosen = report_choose_series(report, counter, &nr);
	fputs("<tbody>\n", out);
	for (i = 0; i < nr; i++) {
		fputs("<tr>", out);
		if (!i || !places) {
			fprintf(out, "<th scope=\"%s\" rowspan=\"%zu\">",
				places ? "rowgroup" : "row", places ? nr : 1);
			report_print_counter_name(out, counter);
			if (!places && report->series[chosen[i]]->number > 1)
				fprintf(out, " (%u)", report->series[chosen[i]]->number);
			report_print_left_out(out, nr, counter->nr, "<br><small>", "</small>");
			fputs("</th>", out);
		}
		print_row(out, report, report->series[chosen[i]], places, states);
	}
	fputs("</tbody>\n", out);
	free(chosen);
}

static void print_heading(FILE *out, const char *text, bool number)
{
	fprintf(out, "<th scope=\"col\"%s>%s</th>", number ? " class=\"n\"" : "", text);
}

static void print_table_head(FILE *out, bool places, bool states, bool metrics)
{
	fputs("<thead><tr>", out);
	print_heading(out, metrics ? "Metric" : "Counter", false);
	if (places)
		print_heading(out, "Place", false);
	print_heading(out, "Last", true);
	print_heading(out, metrics ? "Median" : "Mean", true);
	print_heading(out, "Min", true);
	print_heading(out, "Max", true);
	if (!metrics)
		print_heading(out, "Running", true);
	print_heading(out, "Counted", true);
	if (states)
		print_heading(out, metrics ? "Verdicts" : "States", false);
	fputs("</tr></thead>\n", out);
}

/* Prints the table of all counters, or that of all metrics. */
void report_print_table(FILE *out, const struct report *report, bool metrics)
{
	const bool places = have_places(report), states = have_states(report, metrics);
	const char *id = metrics ? "metrics" : "counters";
	size_t i;

	fprintf(out, "<section>\n<h2 id=\"%s\">%s</h2>\n"
		"<div class=\"table\" tabindex=\"0\" role=\"region\" aria-labelledby=\"%s\">\n"
		"<table>\n",
		id, metrics ? "Metrics" : "Counters", id);
	fprintf(out, "<caption>%s</caption>\n", metrics ?
		"Values of intervals." :
		"Events per second, of intervals. The mean is of all time in which there was a count.");
	print_table_head(out, places, states, metrics);
	for (i = 0; i < report->nr_counters; i++)
		if (report->counters[i].is_metric == metrics)
			print_counter_rows(out, report, &report->counters[i], places, states);
	fputs("</table>\n</div>\n</section>\n", out);
}
