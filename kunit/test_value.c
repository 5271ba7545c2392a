// SPDX-License-Identifier: GPL-2.0
/*
 * The arithmetic of values, against a slow reference that is exact by sight.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "harness.h"
#include "suites.h"

/* ---- the reference ------------------------------------------------------- */

/* raw * enabled / running by subtraction, and whether it is above 64 bits. */
static u64 reference(u64 raw, u64 enabled, u64 running, bool *saturated)
{
	unsigned __int128 rest = (unsigned __int128)raw * enabled;
	u64 quotient = 0;
	int bit;

	*saturated = rest >= (unsigned __int128)running << 64;
	if (*saturated)
		return U64_MAX;
	for (bit = 63; bit >= 0; bit--) {
		unsigned __int128 step = (unsigned __int128)running << bit;

		if (rest >= step) {
			rest -= step;
			quotient |= BIT_ULL(bit);
		}
	}
	return quotient;
}

static void expect_scale(struct kunit *test, u64 raw, u64 enabled, u64 running)
{
	bool saturated, expected_saturated;
	u64 scaled, expected;

	scaled = perfgrp_scale(raw, enabled, running, &saturated);
	expected = reference(raw, enabled, running, &expected_saturated);
	KUNIT_ASSERT_EQ_MSG(test, scaled, expected, "%llu * %llu / %llu", raw, enabled, running);
	KUNIT_ASSERT_EQ_MSG(test, saturated, expected_saturated, "%llu * %llu / %llu", raw,
			    enabled, running);
}

/* xorshift64: the same numbers in each run. */
static u64 random_state;

static u64 random64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Any number of bits is as likely as any other. */
static u64 random_width(void)
{
	unsigned int bits = random64() % 65;

	return bits ? random64() >> (64 - bits) : 0;
}

static int value_init(struct kunit *test)
{
	random_state = 0x9e3779b97f4a7c15ULL;
	return 0;
}

/* ---- perfgrp_scale ------------------------------------------------------- */

/* [S5] No time running, no value: whatever the others are. */
static void zero_running_gives_zero(struct kunit *test)
{
	static const u64 numbers[] = { 0, 1, 1000, U64_MAX };
	unsigned int i, j;
	bool saturated;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		for (j = 0; j < ARRAY_SIZE(numbers); j++) {
			saturated = true;
			KUNIT_EXPECT_EQ(test,
					perfgrp_scale(numbers[i], numbers[j], 0, &saturated), 0ULL);
			KUNIT_EXPECT_FALSE(test, saturated);
		}
	}
}

/* [S5] Equal times: exactly the raw value, for every width of either. */
static void equal_times_give_raw(struct kunit *test)
{
	bool saturated;
	u64 raw, time;
	int i;

	for (i = 0; i < 10000; i++) {
		raw = random_width();
		time = random_width() | 1;
		saturated = true;
		KUNIT_ASSERT_EQ(test, perfgrp_scale(raw, time, time, &saturated), raw);
		KUNIT_ASSERT_FALSE(test, saturated);
	}
	KUNIT_EXPECT_EQ(test, perfgrp_scale(U64_MAX, U64_MAX, U64_MAX, &saturated), U64_MAX);
	KUNIT_EXPECT_FALSE(test, saturated);
}

/* [S5] Rounded down. */
static void truncates(struct kunit *test)
{
	bool saturated;

	KUNIT_EXPECT_EQ(test, perfgrp_scale(10, 2, 3, &saturated), 6ULL);
	KUNIT_EXPECT_EQ(test, perfgrp_scale(1, 999, 1000, &saturated), 0ULL);
	KUNIT_EXPECT_EQ(test, perfgrp_scale(1000, 1000, 999, &saturated), 1001ULL);
	KUNIT_EXPECT_EQ(test, perfgrp_scale(999, 3, 2, &saturated), 1498ULL);
}

/* [S5] One ns on the PMU, where a plain 128-bit division traps. */
static void running_one(struct kunit *test)
{
	bool saturated;

	KUNIT_EXPECT_EQ(test, perfgrp_scale(3, 5, 1, &saturated), 15ULL);
	KUNIT_EXPECT_FALSE(test, saturated);
	KUNIT_EXPECT_EQ(test, perfgrp_scale(U64_MAX, U64_MAX, 1, &saturated), U64_MAX);
	KUNIT_EXPECT_TRUE(test, saturated);
	KUNIT_EXPECT_EQ(test, perfgrp_scale(1ULL << 32, 1ULL << 31, 1, &saturated), 1ULL << 63);
	KUNIT_EXPECT_FALSE(test, saturated);
	KUNIT_EXPECT_EQ(test, perfgrp_scale(1ULL << 32, 1ULL << 32, 1, &saturated), U64_MAX);
	KUNIT_EXPECT_TRUE(test, saturated);
}

/* [S5] The last result that fits and the first that does not, all the way up. */
static void saturates_at_the_edge(struct kunit *test)
{
	bool saturated;

	/* U64_MAX is a value of its own, too. */
	KUNIT_EXPECT_EQ(test, perfgrp_scale(U64_MAX, 7, 7, &saturated), U64_MAX);
	KUNIT_EXPECT_FALSE(test, saturated);
	KUNIT_EXPECT_EQ(test, perfgrp_scale(U64_MAX / 3, 3, 1, &saturated), U64_MAX);
	KUNIT_EXPECT_FALSE(test, saturated);
	KUNIT_EXPECT_EQ(test, perfgrp_scale(U64_MAX / 3 + 1, 3, 1, &saturated), U64_MAX);
	KUNIT_EXPECT_TRUE(test, saturated);
	KUNIT_EXPECT_EQ(test, perfgrp_scale(U64_MAX, U64_MAX, U64_MAX - 1, &saturated), U64_MAX);
	KUNIT_EXPECT_TRUE(test, saturated);
	KUNIT_EXPECT_EQ(test, perfgrp_scale(U64_MAX - 1, U64_MAX, U64_MAX - 1, &saturated),
			U64_MAX);
	KUNIT_EXPECT_FALSE(test, saturated);
	KUNIT_EXPECT_EQ(test, perfgrp_scale(U64_MAX, U64_MAX - 1, U64_MAX, &saturated),
			U64_MAX - 1);
	KUNIT_EXPECT_FALSE(test, saturated);
}

/* [S5] Powers of two and their neighbours in all three places. */
static void edges_against_reference(struct kunit *test)
{
	static const int shifts[] = { 1, 2, 31, 32, 33, 62, 63 };
	u64 numbers[3 * ARRAY_SIZE(shifts) + 3];
	unsigned int nr = 0, i, j, k;

	for (i = 0; i < ARRAY_SIZE(shifts); i++) {
		numbers[nr++] = BIT_ULL(shifts[i]) - 1;
		numbers[nr++] = BIT_ULL(shifts[i]);
		numbers[nr++] = BIT_ULL(shifts[i]) + 1;
	}
	numbers[nr++] = 0;
	numbers[nr++] = U64_MAX - 1;
	numbers[nr++] = U64_MAX;
	for (i = 0; i < nr; i++)
		for (j = 0; j < nr; j++)
			for (k = 0; k < nr; k++)
				if (numbers[k])
					expect_scale(test, numbers[i], numbers[j], numbers[k]);
}

/* [S5] Numbers of any width; most of these saturate or vanish. */
static void random_against_reference(struct kunit *test)
{
	int i;

	for (i = 0; i < 20000; i++)
		expect_scale(test, random_width(), random_width(), random_width() ?: 1);
}

/* [S5] As it happens: running below enabled, by little or by much. */
static void random_multiplexed_against_reference(struct kunit *test)
{
	u64 enabled, running;
	int i;

	for (i = 0; i < 20000; i++) {
		enabled = random_width() ?: 1;
		running = random64() % enabled ?: 1;
		if (i % 2)
			running = enabled - min(running >> (random64() % 64), enabled - 1);
		expect_scale(test, random_width(), enabled, running);
	}
}

/* [S5] Within a few of the largest value, on both sides. */
static void random_near_saturation(struct kunit *test)
{
	u64 enabled, running;
	int i;

	for (i = 0; i < 20000; i++) {
		running = random_width() ?: 1;
		enabled = running + (random64() % 8);
		expect_scale(test, U64_MAX - (random_width() >> 32), max(enabled, running), running);
	}
}

/* ---- perfgrp_value_fill -------------------------------------------------- */

static struct perfgrp_value fill(u64 count, u64 enabled, u64 running)
{
	struct perfgrp_count from = { .count = count, .enabled = enabled, .running = running };
	/* What was there before does not show. */
	struct perfgrp_value value = {
		.id = 7, .sched_group = 3, .state = 99, .flags = U16_MAX, .pmu = 5, .raw = 1,
		.scaled = 2, .time_enabled = 3, .time_running = 4,
	};

	perfgrp_value_fill(&value, &from);
	return value;
}

/* [S2] [S5] */
static void fill_states(struct kunit *test)
{
	struct perfgrp_value value;

	value = fill(100, 40, 40);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);
	KUNIT_EXPECT_EQ(test, value.raw, 100ULL);
	KUNIT_EXPECT_EQ(test, value.scaled, 100ULL);
	KUNIT_EXPECT_EQ(test, value.time_enabled, 40ULL);
	KUNIT_EXPECT_EQ(test, value.time_running, 40ULL);

	value = fill(100, 40, 10);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_MULTIPLEXED);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);
	KUNIT_EXPECT_EQ(test, value.scaled, 400ULL);

	/* It counted, and there was nothing to count. */
	value = fill(0, 40, 40);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);

	value = fill(1ULL << 63, 8, 2);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_SATURATED);
	KUNIT_EXPECT_EQ(test, value.scaled, U64_MAX);
	KUNIT_EXPECT_EQ(test, value.raw, 1ULL << 63);

	/* Not the numbers' business. */
	KUNIT_EXPECT_EQ(test, value.id, 7U);
	KUNIT_EXPECT_EQ(test, value.pmu, 5U);
}

/* [S2] Never ran is not 0: it has a state of its own and no scaled value. */
static void fill_never_ran(struct kunit *test)
{
	struct perfgrp_value value;

	value = fill(0, 1000, 0);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_NEVER_RAN);
	KUNIT_EXPECT_EQ(test, value.flags, 0U);
	KUNIT_EXPECT_EQ(test, value.time_enabled, 1000ULL);
	value = fill(0, 0, 0);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_NEVER_RAN);
	KUNIT_EXPECT_EQ(test, value.flags, 0U);
}

/* ---- perfgrp_value_add --------------------------------------------------- */

static struct perfgrp_value total_of(const struct perfgrp_value *values, unsigned int nr)
{
	struct perfgrp_value total = { .id = values[0].id, .pmu = values[0].pmu };
	unsigned int i;

	for (i = 0; i < nr; i++)
		perfgrp_value_add(&total, &values[i]);
	return total;
}

/* [S11] Sums; scaled values are scaled a CPU at a time and then added. */
static void add_sums(struct kunit *test)
{
	struct perfgrp_value values[] = { fill(10, 100, 50), fill(30, 100, 100), fill(1, 9, 3) };
	struct perfgrp_value total = total_of(values, ARRAY_SIZE(values));

	KUNIT_EXPECT_EQ(test, total.raw, 41ULL);
	KUNIT_EXPECT_EQ(test, total.scaled, 20ULL + 30 + 3);
	KUNIT_EXPECT_EQ(test, total.time_enabled, 209ULL);
	KUNIT_EXPECT_EQ(test, total.time_running, 153ULL);
	KUNIT_EXPECT_EQ(test, total.state, (u32)PERFGRP_STATE_MULTIPLEXED);
	KUNIT_EXPECT_EQ(test, total.flags, PERFGRP_VALUE_SCALED);
	KUNIT_EXPECT_EQ(test, total.id, 7U);
	KUNIT_EXPECT_EQ(test, total.pmu, 5U);
}

/* [S5] [S11] A sum above 64 bits is the largest, and says so. */
static void add_saturates(struct kunit *test)
{
	struct perfgrp_value values[] = { fill(U64_MAX, 1, 1), fill(1, 1, 1) };
	struct perfgrp_value total = total_of(values, 1);

	KUNIT_EXPECT_EQ(test, total.raw, U64_MAX);
	KUNIT_EXPECT_FALSE(test, total.flags & PERFGRP_VALUE_SATURATED);
	total = total_of(values, 2);
	KUNIT_EXPECT_EQ(test, total.raw, U64_MAX);
	KUNIT_EXPECT_EQ(test, total.scaled, U64_MAX);
	KUNIT_EXPECT_TRUE(test, total.flags & PERFGRP_VALUE_SATURATED);
	KUNIT_EXPECT_EQ(test, total.time_enabled, 2ULL);
}

/* [S2] [S11] One without a value: the sum is of the others, and says so. */
static void add_partial(struct kunit *test)
{
	struct perfgrp_value values[] = { fill(10, 50, 50), fill(0, 50, 0) };
	struct perfgrp_value total = total_of(values, 2);

	KUNIT_EXPECT_EQ(test, total.raw, 10ULL);
	KUNIT_EXPECT_EQ(test, total.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, total.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_PARTIAL);

	/* Of none: still never ran. */
	total = total_of(&values[1], 1);
	KUNIT_EXPECT_EQ(test, total.state, (u32)PERFGRP_STATE_NEVER_RAN);
	KUNIT_EXPECT_EQ(test, total.flags, PERFGRP_VALUE_PARTIAL);
}

/* [S11] The PMU of a sum is known where it is one. */
static void add_pmus(struct kunit *test)
{
	struct perfgrp_value values[] = { fill(1, 1, 1), fill(1, 1, 1) };

	KUNIT_EXPECT_EQ(test, total_of(values, 2).pmu, 5U);
	values[1].pmu = 6;
	KUNIT_EXPECT_EQ(test, total_of(values, 2).pmu, PERFGRP_NONE);
}

static struct kunit_case value_cases[] = {
	KUNIT_CASE(zero_running_gives_zero),
	KUNIT_CASE(equal_times_give_raw),
	KUNIT_CASE(truncates),
	KUNIT_CASE(running_one),
	KUNIT_CASE(saturates_at_the_edge),
	KUNIT_CASE(edges_against_reference),
	KUNIT_CASE(random_against_reference),
	KUNIT_CASE(random_multiplexed_against_reference),
	KUNIT_CASE(random_near_saturation),
	KUNIT_CASE(fill_states),
	KUNIT_CASE(fill_never_ran),
	KUNIT_CASE(add_sums),
	KUNIT_CASE(add_saturates),
	KUNIT_CASE(add_partial),
	KUNIT_CASE(add_pmus),
	{}
};

struct kunit_suite perfgrp_value_suite = {
	.name = "perfgrp_value",
	.init = value_init,
	.test_cases = value_cases,
};
