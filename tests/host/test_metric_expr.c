// SPDX-License-Identifier: GPL-2.0
/*
 * Expressions of metrics: their values, the events that they use, and syntax errors. If the
 * arguments name tables made by scripts/pmu-events: each of their expressions can be parsed and
 * evaluated. TAP on standard output; exits with anything but 0 if a test has failed.
 */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "metric_expr.h"
#include "metric_list.h"
#include "tap.h"
#include "util.h"

#define NO_VALUE	NAN

/* ---- values of expressions -------------------------------------------------- */

/* Events: e2 counts 2, e10 counts 10, zero 0, and none was not counted. */
static double value(void *arg, const char *id)
{
	(void)arg;
	if (!strcmp(id, "zero"))
		return 0;
	if (*id == 'e' && strspn(id + 1, "0123456789") == strlen(id + 1))
		return atoi(id + 1);
	if (!strcmp(id, "A.B") || !strcmp(id, "4x"))
		return 40;
	if (!strcmp(id, "cpu/UOPS.ANY,cmask=1/"))
		return 50;
	if (!strcmp(id, "topdown-retiring"))
		return 60;
	if (!strcmp(id, "iffy") || !strcmp(id, "minimum"))
		return 70;
	return NAN;
}

static double source_count(void *arg, const char *id)
{
	(void)arg;
	return !strcmp(id, "e2") ? 8 : NAN;
}

static double literal(void *arg, const char *name)
{
	(void)arg;
	return !strcmp(name, "smt_on") ? 1 : !strcmp(name, "core_wide") ? 0 :
	       !strcmp(name, "num_cpus") ? 4 : NAN;
}

static bool has_event(void *arg, const char *id)
{
	(void)arg;
	return !strcmp(id, "cycles-t");
}

static bool is_cpu(void *arg, const char *number)
{
	(void)arg;
	return !strcmp(number, "0x410fd493");
}

static const struct metric_env env = {
	.value = value,
	.source_count = source_count,
	.literal = literal,
	.has_event = has_event,
	.is_cpu = is_cpu,
};

static const struct {
	const char *text;
	double value;
} values[] = {
	/* Numbers. */
	{ "7", 7 }, { "2.5", 2.5 }, { ".5", .5 }, { "1e9", 1e9 }, { "1e-3", .001 },
	{ "6.1e-5", .000061 }, { "3.", 3 }, { "NaN", NO_VALUE },
	/* Precedence and associativity. */
	{ "1 + 2 * 3", 7 }, { "(1 + 2) * 3", 9 }, { "10 - 3 - 2", 5 }, { "16 / 4 / 2", 2 },
	{ "7 % 4 * 2", 6 }, { "2 * -3", -6 }, { "-2 + 5", 3 }, { "- -4", 4 }, { "1-2", -1 },
	{ "1 < 2 + 3", 1 }, { "5 > 2 > 3", 0 }, { "1 | 0 & 0", 1 }, { "1 ^ 1 | 1", 1 },
	{ "1 | 1 ^ 1", 1 }, { "0 & 1 ^ 1", 1 }, { "0 & 1 < 2", 0 }, { "2 & 4", 1 },
	{ "2 ^ 4", 0 }, { "0 | 8", 1 }, { "-7 % 4", -3 },
	/* Functions and choices. */
	{ "min(e2, e10)", 2 }, { "max(e2, e10)", 10 }, { "max(min(5, 3), 1 + 1)", 3 },
	{ "d_ratio(e10, e2)", 5 }, { "e2 if 1 else e10", 2 }, { "e2 if 0 else e10", 10 },
	{ "e2 if e10 > 5 else e10", 2 }, { "1 if 0 else 2 if 0 else 3", 3 },
	{ "(1 if 0 else 2) * 3", 6 }, { "2 * 3 if 1 else 4", 6 },
	{ "e2 if 1 else none", 2 }, { "none if 0 else e2", 2 },
	{ "e2 if none else e2", NO_VALUE },
	{ "max((1 if 0 else 2), 1)", 2 }, { "min(1 if 0 else 2, 5)", 2 },
	/* Names. */
	{ "A.B", 40 }, { "4x + 0", 40 }, { "cpu@UOPS.ANY\\,cmask\\=1@ / 2", 25 },
	{ "topdown\\-retiring - 1", 59 }, { "iffy + minimum", 140 },
	{ "source_count(e2)", 8 }, { "has_event(cycles\\-t)", 1 }, { "has_event(other)", 0 },
	{ "strcmp_cpuid_str(0x410fd493) | strcmp_cpuid_str(0x1)", 1 },
	{ "strcmp_cpuid_str(0x1)", 0 }, { "#smt_on", 1 },
	{ "e10 / 2 if #core_wide < 1 else e2", 5 },
	{ "#num_cpus * 2", 8 }, { "#system_tsc_freq + 1", NO_VALUE },
	/* Operands without a value: the result mostly has none, but may have one. */
	{ "none", NO_VALUE }, { "none + 1", NO_VALUE }, { "max(none, 1)", NO_VALUE },
	{ "min(1, none)", NO_VALUE }, { "none < 1", NO_VALUE }, { "-none", NO_VALUE },
	{ "none ^ 1", NO_VALUE }, { "none & 1", NO_VALUE }, { "none | 0", NO_VALUE },
	{ "none & 0", 0 }, { "0 & none", 0 }, { "none | 1", 1 }, { "1 | none", 1 },
	{ "1 / zero", NO_VALUE }, { "zero / zero", NO_VALUE }, { "0 * (1 / zero)", NO_VALUE },
	{ "d_ratio(1, zero)", NO_VALUE }, { "1 % zero", NO_VALUE }, { "1 % 0.5", NO_VALUE },
	{ "1 - 1 / zero", NO_VALUE }, { "zero / e2", 0 },
};

static bool same(double a, double b)
{
	return isnan(a) ? isnan(b) : fabs(a - b) <= fabs(b) / 1e12;
}

static void test_values(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		char *why;
		struct metric_expr *expr = metric_expr_parse(values[i].text, &why);
		double got = expr ? metric_expr_value(expr, &env) : -12345;

		result(expr && same(got, values[i].value), "%s is %g", values[i].text,
		       values[i].value);
		if (!expr || !same(got, values[i].value))
			printf("# %s: %g\n", why ? why : "got", got);
		metric_expr_free(expr);
		free(why);
	}
}

/* ---- errors ----------------------------------------------------------------- */

static const struct {
	const char *text;
	const char *why;
} faults[] = {
	{ "", "an operand is missing at column 1" },
	{ "1 +", "an operand is missing at column 4" },
	{ "(1 + 2", "')' is missing at column 7" },
	{ "1 2", "an operator is missing at column 3" },
	{ "1 + 2)", "an operator is missing at column 6" },
	{ "a if b", "'else' is missing at column 7" },
	{ "a if", "an operand is missing at column 5" },
	{ "if", "an operand is missing at column 1" },
	{ "max(1)", "',' is missing at column 6" },
	{ "max(1, 2", "')' is missing at column 9" },
	{ "min 1", "'(' is missing at column 5" },
	{ "source_count(7)", "a name is missing at column 14" },
	{ "has_event()", "a name is missing at column 11" },
	{ "#", "a name is missing after '#' at column 1" },
	{ "a ! b", "an operator is missing at column 3" },
	{ "1 + $", "a name is missing at column 5" },
	{ "1 = 2", "an operator is missing at column 3" },
};

static void test_faults(void)
{
	char *why, deep[2001];
	struct metric_expr *expr;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		expr = metric_expr_parse(faults[i].text, &why);
		result(!expr && why && !strcmp(why, faults[i].why), "'%s': %s", faults[i].text,
		       faults[i].why);
		if (expr || !why || strcmp(why, faults[i].why))
			printf("# %s\n", why ? why : "it was taken");
		metric_expr_free(expr);
		free(why);
	}
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	expr = metric_expr_parse(deep, &why);
	result(!expr && why && strstr(why, "too many"), "a thousand parentheses are too many");
	free(why);
	memset(deep, '-', sizeof(deep) - 1);
	expr = metric_expr_parse(deep, &why);
	result(!expr && why && strstr(why, "too many"), "and so are as many signs");
	free(why);
}

/* ---- events that an expression uses ----------------------------------------- */

static const struct {
	const char *text;
	const char *ids;
} dependencies[] = {
	{ "e1 + e2 * e1", "e1 e2 e1 " },
	{ "e1 if #smt_on else e2", "e1 " },
	{ "e1 if #core_wide else e2", "e2 " },
	{ "e1 if #core_wide < 1 else e2", "e1 " },
	{ "e1 if e2 > 1 else e3", "e1 e2 e3 " },
	{ "e1 if has_event(cycles\\-t) else e2", "e1 " },
	{ "e1 if strcmp_cpuid_str(0x7) else e2", "e2 " },
	{ "(e1 & #core_wide) + e2", "e2 " },
	{ "e1 | e2 & e3", "e1 e2 e3 " },
	{ "max(e1, d_ratio(e2, -e3))", "e1 e2 e3 " },
	{ "e1 / source_count(e2)", "e1 e2 " },
	{ "1 + #num_cpus", "" },
};

static void add_id(void *arg, const char *id)
{
	strcat(arg, id);
	strcat(arg, " ");
}

static void test_dependencies(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(dependencies); i++) {
		char *why, ids[256] = "";
		struct metric_expr *expr = metric_expr_parse(dependencies[i].text, &why);

		if (expr)
			metric_expr_ids(expr, &env, add_id, ids);
		result(!strcmp(ids, dependencies[i].ids), "%s depends on %s",
		       dependencies[i].text, dependencies[i].ids);
		if (strcmp(ids, dependencies[i].ids))
			printf("# %s\n", ids);
		metric_expr_free(expr);
		free(why);
	}
}

/* ---- perf's tables ---------------------------------------------------------- */

/**
 * struct census - statistics of the tables of an architecture
 * @metrics: number of metrics
 * @read: metrics whose expression can be parsed
 * @finite: metrics that have a value if all counts are 1
 * @infinite: expressions that are infinite if all counts are 0
 * @thresholds: expressions of thresholds
 * @thresholds_read: those of @thresholds that can be parsed
 * @unknown: unknown literals
 * @longest: the greatest length of a metric's unit and name
 */
struct census {
	unsigned int metrics;
	unsigned int read;
	unsigned int finite;
	unsigned int infinite;
	unsigned int thresholds;
	unsigned int thresholds_read;
	unsigned int unknown;
	size_t longest;
};

static double one(void *arg, const char *id)
{
	(void)arg;
	(void)id;
	return 1;
}

static double zero(void *arg, const char *id)
{
	(void)arg;
	(void)id;
	return 0;
}

static double known(void *arg, const char *name)
{
	struct census *census = arg;

	census->unknown += !metric_is_literal(name);
	return 1;
}

static bool yes(void *arg, const char *id)
{
	(void)arg;
	(void)id;
	return true;
}

static void ignore(void *arg, const char *id)
{
	(void)arg;
	(void)id;
}

static bool try(const char *text, struct census *census, unsigned int *finite)
{
	const struct metric_env ones = {
		.value = one, .source_count = one, .literal = known, .has_event = yes,
		.is_cpu = yes, .arg = census,
	};
	struct metric_env zeros = ones;
	char *why;
	struct metric_expr *expr = metric_expr_parse(text, &why);

	if (!expr) {
		printf("# %s: %s\n", text, why);
		free(why);
		return false;
	}
	metric_expr_ids(expr, &ones, ignore, NULL);
	*finite += isfinite(metric_expr_value(expr, &ones));
	zeros.value = zero;
	census->infinite += isinf(metric_expr_value(expr, &zeros));
	metric_expr_free(expr);
	return true;
}

static void count_metric(char *line, struct census *census)
{
	char *column[9] = { line };
	unsigned int ignored = 0;
	size_t i;

	line[strcspn(line, "\n")] = '\0';
	for (i = 1; i < ARRAY_SIZE(column); i++) {
		column[i] = strchr(column[i - 1], '\t');
		if (!column[i])
			return;
		*column[i]++ = '\0';
	}
	census->metrics++;
	census->read += try(column[6], census, &census->finite);
	if (*column[7]) {
		census->thresholds++;
		census->thresholds_read += try(column[7], census, &ignored);
	}
	if (strlen(column[1]) + strlen(column[4]) + 2 > census->longest)
		census->longest = strlen(column[1]) + strlen(column[4]) + 2;
}

static void test_tables(char **files, const char *arch)
{
	struct census census = { 0 };
	static char line[1 << 16];

	for (; *files; files++) {
		const char *name = strrchr(*files, '/');
		gzFile in;

		if (strncmp(name ? name + 1 : *files, arch, strlen(arch)))
			continue;
		in = gzopen(*files, "rb");
		while (in && gzgets(in, line, sizeof(line)))
			if (*line == 'm')
				count_metric(line, &census);
		if (in)
			gzclose(in);
	}
	printf("# %s: %u metrics, %u read, %u with a value where all counts are 1; %u thresholds, %u read\n",
	       arch, census.metrics, census.read, census.finite, census.thresholds,
	       census.thresholds_read);
	result(census.metrics && census.read == census.metrics,
	       "each of %s's expressions can be read", arch);
	result(census.thresholds_read == census.thresholds, "so can the thresholds");
	result(!census.unknown, "each #literal is known");
	/* With all counts 1 a difference in a divisor may be 0; those metrics have no value. */
	result(census.finite * 100 >= census.metrics * 98, "nearly all have a value");
	result(!census.infinite, "none is infinite where nothing was counted");
	result(census.longest < 128, "there is room for each unit and name");
}

int main(int argc, char **argv)
{
	/* Numbers have a decimal point in every locale. */
	setlocale(LC_ALL, "");
	test_values();
	test_faults();
	test_dependencies();
	if (argc > 1) {
		test_tables(argv + 1, "x86");
		test_tables(argv + 1, "arm64");
	}
	printf("1..%u\n", tests);
	return failures != 0;
}
