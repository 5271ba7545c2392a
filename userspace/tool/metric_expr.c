// SPDX-License-Identifier: GPL-2.0
/*
 * The expressions of perf's metrics:
 *
 *	choice	expr | expr "if" expr "else" choice
 *	expr	operands of | ^ & < > + - * / %, with increasing precedence in the order
 *		|, ^, &, < >, + -, * / %; then the sign
 *	operand	number | event or metric | #literal | ( choice ) | min(expr, expr) |
 *		max(expr, expr) | d_ratio(expr, expr) | source_count(event) | has_event(event) |
 *		strcmp_cpuid_str(number)
 *
 * In the name of an event '@' stands for '/', and '-', ',' and '=' have a backslash before them. An
 * operand without a value (NAN) makes the whole expression NAN, and so does a division by zero,
 * because such a ratio has no value rather than 0.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metric_expr.h"
#include "util.h"

/* Nesting of parentheses; the tables have a dozen levels at most. */
#define MAX_DEPTH	200

enum kind {
	NUMBER, ID, LITERAL, SOURCE_COUNT, HAS_EVENT, IS_CPU,
	NEGATE, OR, XOR, AND, LESS, GREATER, ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER,
	D_RATIO, MIN, MAX, IF,
};

/**
 * struct metric_expr - a node of an expression's tree
 * @kind: what it is
 * @number: value of a NUMBER
 * @name: name of an ID, LITERAL, SOURCE_COUNT, HAS_EVENT or IS_CPU
 * @args: operands; for IF the value if true, the condition, and the value if false
 */
struct metric_expr {
	enum kind kind;
	double number;
	char *name;
	struct metric_expr *args[3];
};

/**
 * struct scanner - a text and its current token
 * @text: the text
 * @s: end of the token
 * @start: start of the token
 * @len: its length; 0 at the end of the text
 * @is_number: it is a number
 * @number: its value
 * @depth: nesting of parentheses
 * @why: where to store an error message
 */
struct scanner {
	const char *text;
	const char *s;
	const char *start;
	size_t len;
	bool is_number;
	double number;
	unsigned int depth;
	char **why;
};

static struct metric_expr *parse_choice(struct scanner *sc);

static struct metric_expr *fail(struct scanner *sc, const char *what)
{
	if (!*sc->why)
		*sc->why = xasprintf("%s at column %zu", what, (size_t)(sc->start - sc->text + 1));
	return NULL;
}

/* ---- tokens ----------------------------------------------------------------- */

static size_t digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* Returns the length of the number at @s: digits with a decimal point, and an exponent. */
static size_t number_length(const char *s)
{
	size_t len = digits(s), power;

	if (s[len] == '.' && (len || isdigit((unsigned char)s[1])))
		len += 1 + digits(s + len + 1);
	if (len && (s[len] == 'e' || s[len] == 'E')) {
		power = len + 1 + (s[len + 1] == '-');
		if (digits(s + power))
			len = power + digits(s + power);
	}
	return len;
}

static size_t name_length(const char *s)
{
	size_t len = 0;

	for (;;) {
		if (s[len] == '\\' && s[len + 1] && strchr("-,=", s[len + 1]))
			len += 2;
		else if (isalnum((unsigned char)s[len]) || (s[len] && strchr("_.:@?", s[len])))
			len++;
		else
			return len;
	}
}

/* Parses a number in the C locale, which strtod() does not do in other locales. */
static double read_number(const char *s, size_t len)
{
	double number = 0, unit = 1;
	size_t i = 0;
	long power = 0;

	for (; i < len && isdigit((unsigned char)s[i]); i++)
		number = number * 10 + (s[i] - '0');
	if (i < len && s[i] == '.')
		for (i++; i < len && isdigit((unsigned char)s[i]); i++) {
			number = number * 10 + (s[i] - '0');
			unit *= 10;
		}
	if (i < len)
		power = strtol(s + i + 1, NULL, 10);
	return power < 0 ? number / unit / pow(10, -power) : number / unit * pow(10, power);
}

static void next(struct scanner *sc)
{
	size_t number, name;

	sc->s += strspn(sc->s, " \t\n");
	sc->start = sc->s;
	number = number_length(sc->s);
	name = name_length(sc->s);
	/* 1e9 is a number, 4x_event is a name. */
	sc->is_number = number && number >= name;
	if (sc->is_number)
		sc->number = read_number(sc->s, number);
	sc->len = sc->is_number ? number : name;
	if (*sc->s == '#')
		sc->len = 1 + name_length(sc->s + 1);
	else if (!sc->len && *sc->s)
		sc->len = 1;
	sc->s += sc->len;
}

static bool is(const struct scanner *sc, const char *token)
{
	return sc->len == strlen(token) && !strncmp(sc->start, token, sc->len);
}

static bool expect(struct scanner *sc, const char *token)
{
	char what[32];

	if (is(sc, token)) {
		next(sc);
		return true;
	}
	snprintf(what, sizeof(what), "'%s' is missing", token);
	fail(sc, what);
	return false;
}

/* ---- the tree --------------------------------------------------------------- */

static struct metric_expr *new_node(enum kind kind, struct metric_expr *a, struct metric_expr *b)
{
	struct metric_expr *node = xcalloc(1, sizeof(*node));

	node->kind = kind;
	node->args[0] = a;
	node->args[1] = b;
	return node;
}

/* Makes a node with the token as the name of an event. */
static struct metric_expr *take_name(struct scanner *sc, enum kind kind)
{
	struct metric_expr *node;
	char *to;
	size_t i;

	if (sc->is_number || !name_length(sc->start))
		return fail(sc, "a name is missing");
	node = new_node(kind, NULL, NULL);
	node->name = xstrndup(sc->start, sc->len);
	for (to = node->name, i = 0; i < sc->len; i++) {
		if (sc->start[i] == '\\')
			i++;
		*to++ = sc->start[i] == '@' ? '/' : sc->start[i];
	}
	*to = '\0';
	next(sc);
	return node;
}

static struct metric_expr *parse_named(struct scanner *sc, enum kind kind)
{
	struct metric_expr *node;

	next(sc);
	if (!expect(sc, "("))
		return NULL;
	node = take_name(sc, kind);
	if (node && !expect(sc, ")")) {
		metric_expr_free(node);
		return NULL;
	}
	return node;
}

static struct metric_expr *parse_function(struct scanner *sc, enum kind kind)
{
	struct metric_expr *node = new_node(kind, NULL, NULL);

	next(sc);
	if (expect(sc, "(")) {
		node->args[0] = parse_choice(sc);
		if (node->args[0] && expect(sc, ",")) {
			node->args[1] = parse_choice(sc);
			if (node->args[1] && expect(sc, ")"))
				return node;
		}
	}
	metric_expr_free(node);
	return NULL;
}

static struct metric_expr *parse_literal(struct scanner *sc)
{
	struct metric_expr *node;

	if (sc->len == 1)
		return fail(sc, "a name is missing after '#'");
	node = new_node(LITERAL, NULL, NULL);
	node->name = xstrndup(sc->start + 1, sc->len - 1);
	next(sc);
	return node;
}

static struct metric_expr *parse_operand(struct scanner *sc)
{
	static const struct {
		const char *word;
		enum kind kind;
	} functions[] = {
		{ "min", MIN }, { "max", MAX }, { "d_ratio", D_RATIO },
	}, named[] = {
		{ "source_count", SOURCE_COUNT }, { "has_event", HAS_EVENT },
		{ "strcmp_cpuid_str", IS_CPU },
	};
	struct metric_expr *node;
	size_t i;

	if (!sc->len)
		return fail(sc, "an operand is missing");
	if (sc->is_number || is(sc, "NaN")) {
		node = new_node(NUMBER, NULL, NULL);
		node->number = sc->is_number ? sc->number : NAN;
		next(sc);
		return node;
	}
	if (is(sc, "(")) {
		next(sc);
		node = parse_choice(sc);
		if (node && !expect(sc, ")")) {
			metric_expr_free(node);
			return NULL;
		}
		return node;
	}
	if (is(sc, "-")) {
		if (++sc->depth > MAX_DEPTH)
			return fail(sc, "too many signs");
		next(sc);
		node = parse_operand(sc);
		sc->depth--;
		return node ? new_node(NEGATE, node, NULL) : NULL;
	}
	if (*sc->start == '#')
		return parse_literal(sc);
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		if (is(sc, functions[i].word))
			return parse_function(sc, functions[i].kind);
	for (i = 0; i < ARRAY_SIZE(named); i++)
		if (is(sc, named[i].word))
			return parse_named(sc, named[i].kind);
	if (is(sc, "if") || is(sc, "else"))
		return fail(sc, "an operand is missing");
	return take_name(sc, ID);
}

/* Returns the precedence of an operator, from 1; 0 if the token is not an operator. */
static unsigned int binding(const struct scanner *sc, enum kind *kind)
{
	static const struct {
		char sign;
		unsigned char binding;
		enum kind kind;
	} operators[] = {
		{ '|', 1, OR }, { '^', 2, XOR }, { '&', 3, AND }, { '<', 4, LESS },
		{ '>', 4, GREATER }, { '+', 5, ADD }, { '-', 5, SUBTRACT }, { '*', 6, MULTIPLY },
		{ '/', 6, DIVIDE }, { '%', 6, REMAINDER },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(operators); i++)
		if (sc->len == 1 && *sc->start == operators[i].sign) {
			*kind = operators[i].kind;
			return operators[i].binding;
		}
	return 0;
}

/* Parses operands of operators with a higher precedence than @min. */
static struct metric_expr *parse_operators(struct scanner *sc, unsigned int min)
{
	struct metric_expr *left = parse_operand(sc), *right;
	unsigned int tight;
	enum kind kind;

	while (left && (tight = binding(sc, &kind)) > min) {
		next(sc);
		right = parse_operators(sc, tight);
		if (!right) {
			metric_expr_free(left);
			return NULL;
		}
		left = new_node(kind, left, right);
	}
	return left;
}

static struct metric_expr *parse_choice(struct scanner *sc)
{
	struct metric_expr *node, *what;

	if (++sc->depth > MAX_DEPTH)
		return fail(sc, "too many parentheses");
	what = parse_operators(sc, 0);
	if (what && is(sc, "if")) {
		node = new_node(IF, what, NULL);
		next(sc);
		node->args[1] = parse_operators(sc, 0);
		if (node->args[1] && expect(sc, "else"))
			node->args[2] = parse_choice(sc);
		if (!node->args[2]) {
			metric_expr_free(node);
			return NULL;
		}
		what = node;
	}
	sc->depth--;
	return what;
}

/**
 * metric_expr_parse - parse an expression
 * @text: the expression
 * @why: set to the reason on failure, to be freed; else to NULL
 *
 * Return: the expression, for metric_expr_free(), or NULL
 */
struct metric_expr *metric_expr_parse(const char *text, char **why)
{
	struct scanner sc = { .text = text, .s = text, .why = why };
	struct metric_expr *expr;

	*why = NULL;
	next(&sc);
	expr = parse_choice(&sc);
	if (expr && sc.len) {
		fail(&sc, "an operator is missing");
		metric_expr_free(expr);
		return NULL;
	}
	return expr;
}

void metric_expr_free(struct metric_expr *expr)
{
	size_t i;

	if (!expr)
		return;
	for (i = 0; i < ARRAY_SIZE(expr->args); i++)
		metric_expr_free(expr->args[i]);
	free(expr->name);
	free(expr);
}

/* ---- values ----------------------------------------------------------------- */

static double choose(const struct metric_expr *expr, const struct metric_env *env)
{
	const double condition = metric_expr_value(expr->args[1], env);

	if (isnan(condition))
		return NAN;
	return metric_expr_value(expr->args[condition ? 0 : 2], env);
}

/* One side may decide the result even if the other side has no value. */
static double combine(enum kind kind, double a, double b)
{
	const double decides = kind == OR;

	if ((!isnan(a) && !a == !decides) || (!isnan(b) && !b == !decides))
		return decides;
	return isnan(a) || isnan(b) ? NAN : !decides;
}

static double remainder_of(double a, double b)
{
	const double limit = 9.2e18;

	if (fabs(a) > limit || fabs(b) > limit || !(long long)b)
		return NAN;
	/* LLONG_MIN % -1 overflows; the remainder of -1 is always 0. */
	return (long long)b == -1 ? 0 : (long long)a % (long long)b;
}

static double operate(enum kind kind, double a, double b)
{
	if (kind == OR || kind == AND)
		return combine(kind, a, b);
	if (isnan(a) || isnan(b))
		return NAN;
	switch (kind) {
	case XOR:
		return !a != !b;
	case LESS:
		return a < b;
	case GREATER:
		return a > b;
	case ADD:
		return a + b;
	case SUBTRACT:
		return a - b;
	case MULTIPLY:
		return a * b;
	case DIVIDE:
	case D_RATIO:
		return b ? a / b : NAN;
	case REMAINDER:
		return remainder_of(a, b);
	case MIN:
		return a < b ? a : b;
	case MAX:
		return a > b ? a : b;
	default:
		return NAN;
	}
}

/**
 * metric_expr_value - evaluate an expression
 * @expr: the expression
 * @env: functions for the values that it depends on
 *
 * Return: the value; NAN if it has none
 */
double metric_expr_value(const struct metric_expr *expr, const struct metric_env *env)
{
	switch (expr->kind) {
	case NUMBER:
		return expr->number;
	case ID:
		return env->value(env->arg, expr->name);
	case LITERAL:
		return env->literal(env->arg, expr->name);
	case SOURCE_COUNT:
		return env->source_count(env->arg, expr->name);
	case HAS_EVENT:
		return env->has_event(env->arg, expr->name);
	case IS_CPU:
		return env->is_cpu(env->arg, expr->name);
	case NEGATE:
		return -metric_expr_value(expr->args[0], env);
	case IF:
		return choose(expr, env);
	default:
		return operate(expr->kind, metric_expr_value(expr->args[0], env),
			       metric_expr_value(expr->args[1], env));
	}
}

/* ---- what a value depends on ------------------------------------------------ */

static double no_value(void *arg, const char *id)
{
	(void)arg;
	(void)id;
	return NAN;
}

/**
 * metric_expr_ids - find the events and metrics that an expression's value depends on
 * @expr: the expression
 * @env: value and source_count are not used, because nothing has been counted yet
 * @fn: called for each, perhaps several times
 * @arg: passed to @fn
 *
 * Ignores branches that are never taken because their condition does not depend on counts.
 */
void metric_expr_ids(const struct metric_expr *expr, const struct metric_env *env,
		     void (*fn)(void *arg, const char *id), void *arg)
{
	struct metric_env constant = *env;
	double condition;
	size_t i;

	constant.value = no_value;
	constant.source_count = no_value;
	switch (expr->kind) {
	case ID:
	case SOURCE_COUNT:
		fn(arg, expr->name);
		return;
	case LITERAL:
		/* Call it, so that the caller notices an unknown literal. */
		env->literal(env->arg, expr->name);
		return;
	case IF:
		condition = metric_expr_value(expr->args[1], &constant);
		if (!isnan(condition)) {
			metric_expr_ids(expr->args[condition ? 0 : 2], env, fn, arg);
			return;
		}
		break;
	case AND:
	case OR:
		if (!isnan(metric_expr_value(expr, &constant)))
			return;
		break;
	default:
		break;
	}
	for (i = 0; i < ARRAY_SIZE(expr->args); i++)
		if (expr->args[i])
			metric_expr_ids(expr->args[i], env, fn, arg);
}
