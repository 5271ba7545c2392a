// SPDX-License-Identifier: GPL-2.0
/*
 * Plots as SVG. An interval has one value, the mean of its time, so that a line has steps. Where
 * there is no value there is no line.
 */
#include <math.h>
#include <stdlib.h>

#include "report.h"

/* Maximum number of columns of a plot; more could not be distinguished. */
#define MAX_COLUMNS		600
#define MAX_COLUMNS_SMALL	200

/**
 * struct frame - geometry of a plot, in SVG user units
 * @width: width of the image
 * @height: height of the image
 * @left: x of the axis of values
 * @right: x of the end of the axis of time
 * @top: y of the highest value
 * @bottom: y of the axis of time
 * @first: value at @bottom
 * @last: value at @top
 * @length: seconds from @left to @right
 */
struct frame {
	double width;
	double height;
	double left;
	double right;
	double top;
	double bottom;
	double first;
	double last;
	double length;
};

/**
 * struct column - one or more intervals, drawn as one step
 * @start: in seconds
 * @end: likewise
 * @kind: the worst kind of the values; REPORT_NOT_COUNTED if there is no value
 * @gaps: at least one interval has no value
 * @mean: mean of the values, weighted by time
 * @least: minimum of the values
 * @most: maximum of the values
 */
struct column {
	double start;
	double end;
	enum report_kind kind;
	bool gaps;
	double mean;
	double least;
	double most;
};

static double x_of(const struct frame *frame, double time)
{
	return frame->left + time / frame->length * (frame->right - frame->left);
}

static double y_of(const struct frame *frame, double value)
{
	return frame->bottom - (value - frame->first) / (frame->last - frame->first) *
			       (frame->bottom - frame->top);
}

/* Adds the value of an interval of @length seconds to a column. */
static void add_to_column(struct column *column, const struct report_point *point, double value,
			  double length, double *time)
{
	if (*time == 0) {
		column->kind = REPORT_COUNTED;
		column->least = value;
		column->most = value;
	}
	if (point->kind == REPORT_ESTIMATED)
		column->kind = REPORT_ESTIMATED;
	column->least = fmin(column->least, value);
	column->most = fmax(column->most, value);
	*time += length;
	column->mean += (value - column->mean) * length / *time;
}

/* Returns columns of @per intervals each, to be freed. */
static struct column *make_columns(const struct report *report,
				   const struct report_series *series, size_t per, size_t *nr)
{
	struct column *columns;
	size_t i, j, next = 0;

	*nr = (report->nr + per - 1) / per;
	columns = xcalloc(*nr, sizeof(*columns));
	for (i = 0; i < *nr; i++) {
		struct column *column = &columns[i];
		size_t end = (i + 1) * per < report->nr ? (i + 1) * per : report->nr;
		double time = 0;

		column->start = report->intervals[i * per].start;
		column->end = report->intervals[end - 1].end;
		column->kind = REPORT_NOT_COUNTED;
		for (j = i * per; j < end; j++) {
			const struct report_interval *interval = &report->intervals[j];
			const struct report_point *point = &series->points[next];

			if (next == series->nr || point->interval != j) {
				column->gaps = true;
				continue;
			}
			next++;
			if (point->kind == REPORT_NOT_COUNTED)
				column->gaps = true;
			else
				add_to_column(column, point, report_value(report, series, point),
					      interval->end - interval->start, &time);
		}
	}
	return columns;
}

/* ---- axes ---------------------------------------------------------------------- */

static void print_values_axis(FILE *out, const struct frame *frame, double step)
{
	double value;
	long i;

	for (i = lround(frame->first / step); i <= lround(frame->last / step); i++) {
		double y;
		char *text;

		value = i * step;
		y = y_of(frame, value);
		text = report_number(value, "");
		fprintf(out, "<path class=\"%s\" d=\"M%.1f,%.1fH%.1f\"/>", i ? "grid" : "axis",
			frame->left, y, frame->right);
		fprintf(out, "<text class=\"value\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
			frame->left - 6, y + 4, text);
		free(text);
	}
}

/* Chooses the distance of ticks: full seconds, minutes or hours if possible. */
static double choose_time_step(double length, unsigned int most)
{
	static const double steps[] = {
		10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
	};
	size_t i;

	if (length / most < 5)
		return report_nice_step(length, most);
	for (i = 0; i < ARRAY_SIZE(steps); i++)
		if (steps[i] * most >= length)
			return steps[i];
	return 86400 * ceil(length / most / 86400);
}

static void print_time_axis(FILE *out, const struct frame *frame, unsigned int most)
{
	const double step = choose_time_step(frame->length, most);
	const char *unit = step < 60 ? "s" : step < 3600 ? "min" : "h";
	const double second = step < 60 ? 1 : step < 3600 ? 60 : 3600;
	long i;

	for (i = 0; i * step <= frame->length * 1.0001; i++) {
		double x = x_of(frame, i * step);

		fprintf(out, "<path class=\"axis\" d=\"M%.1f,%.1fv4\"/>", x, frame->bottom);
		fprintf(out, "<text class=\"time\" x=\"%.1f\" y=\"%.1f\">%.6g %s</text>\n", x,
			frame->bottom + 17, i * step / second, unit);
	}
}

/* ---- what was counted ------------------------------------------------------------ */

static bool is_gap(const struct column *column)
{
	return column->gaps;
}

static bool is_estimated(const struct column *column)
{
	return column->kind == REPORT_ESTIMATED;
}

/* Prints a rectangle over each run of columns for which @is returns true. */
static void print_stretches(FILE *out, const struct frame *frame, const struct column *columns,
			    size_t nr, const char *class, bool (*is)(const struct column *column))
{
	size_t i, end;

	for (i = 0; i < nr; i = end) {
		end = i + 1;
		if (!is(&columns[i]))
			continue;
		while (end < nr && is(&columns[end]))
			end++;
		fprintf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
			class, x_of(frame, columns[i].start), frame->top,
			x_of(frame, columns[end - 1].end) - x_of(frame, columns[i].start),
			frame->bottom - frame->top);
	}
}

/* Returns the end of the run of columns with values, or with values of the same kind. */
static size_t find_end(const struct column *columns, size_t nr, size_t first, bool any_kind)
{
	size_t end = first + 1;

	while (end < nr && columns[end].kind != REPORT_NOT_COUNTED &&
	       (any_kind || columns[end].kind == columns[first].kind))
		end++;
	return end;
}

/* Prints the band from the minimum to the maximum of each column. */
static void print_band(FILE *out, const struct frame *frame, const struct column *columns,
		       size_t first, size_t end)
{
	size_t i;

	fprintf(out, "<path class=\"band\" d=\"M%.1f,%.1f", x_of(frame, columns[first].start),
		y_of(frame, columns[first].most));
	for (i = first; i < end; i++)
		fprintf(out, "V%.1fH%.1f", y_of(frame, columns[i].most),
			x_of(frame, columns[i].end));
	for (i = end; i-- > first;)
		fprintf(out, "V%.1fH%.1f", y_of(frame, columns[i].least),
			x_of(frame, columns[i].start));
	fputs("Z\"/>\n", out);
}

static void print_area(FILE *out, const struct frame *frame, const struct column *columns,
		       size_t first, size_t end)
{
	size_t i;

	fprintf(out, "<path class=\"area\" d=\"M%.1f,%.1f", x_of(frame, columns[first].start),
		y_of(frame, 0));
	for (i = first; i < end; i++)
		fprintf(out, "V%.1fH%.1f", y_of(frame, columns[i].mean),
			x_of(frame, columns[i].end));
	fprintf(out, "V%.1fZ\"/>\n", y_of(frame, 0));
}

/* Prints the line of a run of one kind; it begins where the line before it ends. */
static void print_line(FILE *out, const struct frame *frame, const struct column *columns,
		       size_t nr, size_t first)
{
	const size_t end = find_end(columns, nr, first, false);
	const bool joined = first && columns[first - 1].kind != REPORT_NOT_COUNTED;
	size_t i;

	fprintf(out, "<path class=\"%s\" d=\"M%.1f,%.1f",
		columns[first].kind == REPORT_ESTIMATED ? "line estimated" : "line",
		x_of(frame, columns[first].start),
		y_of(frame, columns[joined ? first - 1 : first].mean));
	for (i = first; i < end; i++) {
		if (i > first || joined)
			fprintf(out, "V%.1f", y_of(frame, columns[i].mean));
		fprintf(out, "H%.1f", x_of(frame, columns[i].end));
	}
	fputs("\"/>\n", out);
}

static void print_values(FILE *out, const struct frame *frame, const struct column *columns,
			 size_t nr, bool bands)
{
	size_t i, end;

	for (i = 0; i < nr; i = end) {
		end = i + 1;
		if (columns[i].kind == REPORT_NOT_COUNTED)
			continue;
		end = find_end(columns, nr, i, true);
		if (bands)
			print_band(out, frame, columns, i, end);
		else
			print_area(out, frame, columns, i, end);
	}
	for (i = 0; i < nr; i = end) {
		end = i + 1;
		if (columns[i].kind == REPORT_NOT_COUNTED)
			continue;
		end = find_end(columns, nr, i, false);
		print_line(out, frame, columns, nr, i);
	}
}

/* Returns how many intervals are combined into one step of a plot. */
size_t report_intervals_per_step(const struct report *report, bool small)
{
	const size_t most = small ? MAX_COLUMNS_SMALL : MAX_COLUMNS;

	return (report->nr + most - 1) / most;
}

/**
 * report_print_plot - print a plot of a series
 * @out: the output
 * @report: the run, with at least one interval
 * @plot: the plot
 * @title: name of the plot
 * @description: description for screen readers
 */
void report_print_plot(FILE *out, const struct report *report, const struct report_plot *plot,
		       const char *title, const char *description)
{
	const size_t per = report_intervals_per_step(report, plot->small);
	struct frame frame = {
		.width = plot->small ? 320 : 640, .height = plot->small ? 120 : 200,
		.left = plot->small ? 44 : 52, .top = 8,
		.length = report->intervals[report->nr - 1].end,
	};
	struct column *columns;
	double step;
	size_t nr;

	frame.right = frame.width - 16;
	frame.bottom = frame.height - 24;
	step = plot->most > plot->least ?
	       report_nice_step(plot->most - plot->least, plot->small ? 3 : 5) : 1;
	frame.first = floor(plot->least / step) * step;
	frame.last = fmax(ceil(plot->most / step) * step, frame.first + step);

	fprintf(out, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-labelledby=\"t%u d%u\">\n",
		frame.width, frame.height, plot->id, plot->id);
	fprintf(out, "<title id=\"t%u\">", plot->id);
	report_text(out, title);
	fprintf(out, "</title>\n<desc id=\"d%u\">", plot->id);
	report_text(out, description);
	fputs("</desc>\n", out);
	columns = make_columns(report, plot->series, per, &nr);
	print_stretches(out, &frame, columns, nr, "estimated", is_estimated);
	print_stretches(out, &frame, columns, nr, "gap", is_gap);
	print_values_axis(out, &frame, step);
	print_time_axis(out, &frame, plot->small ? 3 : 8);
	print_values(out, &frame, columns, nr, per > 1);
	free(columns);
	fputs("</svg>\n", out);
}
