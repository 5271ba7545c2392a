// SPDX-License-Identifier: GPL-2.0
/* Rates and statistics of series, and formatting of numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/**
 * report_value - get the value of a point
 * @report: the run
 * @series: the series of the point
 * @point: it has a value
 *
 * Return: the value of a metric; of a counter events per second
 */
double report_value(const struct report *report, const struct report_series *series,
		    const struct report_point *point)
{
	const struct report_interval *interval = &report->intervals[point->interval];

	if (report->counters[series->counter].is_metric)
		return point->value;
	return point->value / (interval->end - interval->start);
}

static int compare_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/**
 * report_median - compute the median
 * @values: the values, which this function sorts
 * @nr: how many, not 0
 *
 * Return: the median
 */
double report_median(double *values, size_t nr)
{
	qsort(values, nr, sizeof(*values), compare_doubles);
	return (values[(nr - 1) / 2] + values[nr / 2]) / 2;
}

/**
 * report_sum_up - compute the statistics of a series
 * @report: the run
 * @series: the series
 *
 * Return: the numbers; without a value (&struct report_summary.counted) the others are 0
 */
struct report_summary report_sum_up(const struct report *report,
				    const struct report_series *series)
{
	struct report_summary sum = { 0 };
	double *values = xcalloc(series->nr + 1, sizeof(*values)), events = 0, time = 0;
	size_t i;

	for (i = 0; i < series->nr; i++) {
		const struct report_point *point = &series->points[i];
		const struct report_interval *interval = &report->intervals[point->interval];
		double value;

		if (point->kind == REPORT_NOT_COUNTED)
			continue;
		value = report_value(report, series, point);
		sum.least = sum.counted ? fmin(sum.least, value) : value;
		sum.most = sum.counted ? fmax(sum.most, value) : value;
		sum.last = value;
		sum.has_last = point->interval == report->nr - 1;
		sum.estimated += point->kind == REPORT_ESTIMATED;
		values[sum.counted++] = value;
		events += point->value;
		time += interval->end - interval->start;
	}
	/* The mean of ratios is not the ratio of the sums. */
	if (sum.counted && report->counters[series->counter].is_metric)
		sum.middle = report_median(values, sum.counted);
	else if (sum.counted)
		sum.middle = events / time;
	free(values);
	return sum;
}

/**
 * struct rank - a series, for sorting by mean
 * @series: its index
 * @place: its position in the counter
 * @counted: it has a value
 * @middle: as of &struct report_summary
 */
struct rank {
	size_t series;
	size_t place;
	bool counted;
	double middle;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->counted != y->counted)
		return x->counted ? -1 : 1;
	if (x->middle != y->middle)
		return x->middle > y->middle ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

static int compare_places(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

/**
 * report_choose_series - choose the series of a counter that are shown
 * @report: the run
 * @counter: the counter
 * @nr: set to how many there are
 *
 * Return: indexes of those with the highest mean, in input order; must be freed
 */
size_t *report_choose_series(const struct report *report, const struct report_counter *counter,
			     size_t *nr)
{
	struct rank *ranks = xcalloc(counter->nr, sizeof(*ranks));
	size_t *chosen = xcalloc(counter->nr, sizeof(*chosen)), i;

	for (i = 0; i < counter->nr; i++) {
		size_t number = counter->series[i];
		struct report_summary sum = report_sum_up(report, report->series[number]);

		ranks[i] = (struct rank){ number, i, sum.counted, sum.middle };
	}
	*nr = counter->nr;
	if (*nr > report->most_places) {
		qsort(ranks, *nr, sizeof(*ranks), compare_ranks);
		*nr = report->most_places;
		qsort(ranks, *nr, sizeof(*ranks), compare_places);
	}
	for (i = 0; i < *nr; i++)
		chosen[i] = ranks[i].series;
	free(ranks);
	return chosen;
}

/**
 * report_number - format a number with four significant digits
 * @value: the number
 * @unit: unit to append, or ""
 *
 * Return: a text such as "1.235 G/s", which must be freed
 */
char *report_number(double value, const char *unit)
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P", "E" };
	size_t i = 0;

	/* Up to four digits need no prefix. */
	if (fabs(value) >= 9999.5) {
		while (fabs(value) >= 999.95 && i + 1 < ARRAY_SIZE(prefixes)) {
			value /= 1000;
			i++;
		}
	}
	/* No exponent where four digits are not enough. */
	return xasprintf(fabs(value) >= 1000 ? "%.0f%s%s%s" : "%.4g%s%s%s", value,
			 i || *unit ? " " : "", prefixes[i], unit);
}

/* Formats a value of a counter with its unit. Units of events get no SI prefix. */
char *report_rate(const struct report_counter *counter, double value)
{
	char *unit, *text;

	if (counter->is_metric)
		return report_number(value, "");
	if (!*counter->unit)
		return report_number(value, "/s");
	unit = xasprintf("%s/s", counter->unit);
	if (fabs(value) >= 9999.5)
		text = xasprintf("%.0f %s", value, unit);
	else
		text = report_number(value, unit);
	free(unit);
	return text;
}

/**
 * report_nice_step - choose the distance of ticks at round numbers
 * @span: length of the axis, > 0
 * @most: maximum number of ticks
 *
 * Return: 1, 2 or 5 times a power of ten
 */
double report_nice_step(double span, unsigned int most)
{
	double step = pow(10, floor(log10(span / most)));

	if (step * most >= span)
		return step;
	if (2 * step * most >= span)
		return 2 * step;
	return 5 * step * most >= span ? 5 * step : 10 * step;
}
