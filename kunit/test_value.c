// SPDX-License-Identifier: GPL-2.0
/*
 * The arithmetic of values, compared with references that are slow but obviously right.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "harness.h"
#include "suites.h"

/* ---- the reference ------------------------------------------------------- */

/* raw * enabled / running by subtraction, and whether it needs more than 64 bits. */
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

/* [S5] Without running time the result is 0, whatever the other numbers are. */
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

/* [S5] With equal times the result is exactly raw, for any width of raw and of the times. */
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

/* [S5] One ns on the PMU, for which a plain 128-bit division traps. */
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

/* [S5] The last result that fits and the first that does not, for all widths. */
static void saturates_at_the_edge(struct kunit *test)
{
	bool saturated;

	/* U64_MAX is also a valid result, without saturation. */
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

/* [S5] Realistic times: running is below enabled, by little or by much. */
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
		enabled = max(enabled, running);
		expect_scale(test, U64_MAX - (random_width() >> 32), enabled, running);
	}
}

/* ---- perfgrp_value_fill -------------------------------------------------- */

static struct perfgrp_value fill(u64 count, u64 enabled, u64 running)
{
	struct perfgrp_count from = { .count = count, .enabled = enabled, .running = running };
	/* The old contents must not matter. */
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

	/* The event was on the PMU, but there was nothing to count. */
	value = fill(0, 40, 40);
	KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);

	value = fill(1ULL << 63, 8, 2);
	KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_SATURATED);
	KUNIT_EXPECT_EQ(test, value.scaled, U64_MAX);
	KUNIT_EXPECT_EQ(test, value.raw, 1ULL << 63);

	/* These fields must stay unchanged. */
	KUNIT_EXPECT_EQ(test, value.id, 7U);
	KUNIT_EXPECT_EQ(test, value.sched_group, 3U);
	KUNIT_EXPECT_EQ(test, value.pmu, 5U);
}

/* [S2] Never ran is not 0: it has its own state and no scaled value. */
static void fill_never_ran(struct kunit *test)
{
	/* Never enabled; enabled, never on the PMU; counts without running time, which are void. */
	static const u64 cases[][2] = { { 0, 0 }, { 0, 1000 }, { 5, 0 }, { 5, 1000 } };
	struct perfgrp_value value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		value = fill(cases[i][0], cases[i][1], 0);
		KUNIT_EXPECT_EQ(test, value.state, (u32)PERFGRP_STATE_NEVER_RAN);
		KUNIT_EXPECT_EQ(test, value.flags, 0U);
		KUNIT_EXPECT_EQ(test, value.raw, 0ULL);
		KUNIT_EXPECT_EQ(test, value.scaled, 0ULL);
		KUNIT_EXPECT_EQ(test, value.time_enabled, cases[i][1]);
		KUNIT_EXPECT_EQ(test, value.time_running, 0ULL);
	}
}

/* [S2] [S5] More time running than enabled is not multiplexed; the formula stays the same. */
static void fill_running_above_enabled(struct kunit *test)
{
	static const struct {
		u64 enabled;
		u64 running;
		u64 scaled;
		u32 state;
	} cases[] = {
		{ 10, 20, 50, PERFGRP_STATE_COUNTED },
		{ 0, 20, 0, PERFGRP_STATE_COUNTED },
		{ 19, 20, 95, PERFGRP_STATE_COUNTED },
		{ 20, 19, 105, PERFGRP_STATE_MULTIPLEXED },
	};
	struct perfgrp_value value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		value = fill(100, cases[i].enabled, cases[i].running);
		KUNIT_EXPECT_EQ(test, value.state, cases[i].state);
		KUNIT_EXPECT_EQ(test, value.flags, PERFGRP_VALUE_SCALED);
		KUNIT_EXPECT_EQ(test, value.raw, 100ULL);
		KUNIT_EXPECT_EQ(test, value.scaled, cases[i].scaled);
	}
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

/* [S5] [S11] A sum of more than 64 bits is U64_MAX, and SATURATED. */
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

/* [S2] [S11] If one value never ran, the sum is that of the others, and PARTIAL. */
static void add_partial(struct kunit *test)
{
	struct perfgrp_value values[] = { fill(10, 50, 50), fill(0, 50, 0) };
	struct perfgrp_value total = total_of(values, 2);

	KUNIT_EXPECT_EQ(test, total.raw, 10ULL);
	KUNIT_EXPECT_EQ(test, total.state, (u32)PERFGRP_STATE_COUNTED);
	KUNIT_EXPECT_EQ(test, total.flags, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_PARTIAL);

	/* If none ran, the sum never ran either. */
	total = total_of(&values[1], 1);
	KUNIT_EXPECT_EQ(test, total.state, (u32)PERFGRP_STATE_NEVER_RAN);
	KUNIT_EXPECT_EQ(test, total.flags, PERFGRP_VALUE_PARTIAL);
}

/* [S11] The PMU of a sum is that of its parts, if they have the same. */
static void add_pmus(struct kunit *test)
{
	struct perfgrp_value values[] = { fill(1, 1, 1), fill(1, 1, 1), fill(1, 1, 1) };

	KUNIT_EXPECT_EQ(test, total_of(values, 3).pmu, 5U);
	values[0].pmu = PERFGRP_NONE;
	KUNIT_EXPECT_EQ(test, total_of(values, 3).pmu, 5U);
	KUNIT_EXPECT_FALSE(test, total_of(values, 3).flags & PERFGRP_VALUE_MIXED_PMUS);
	values[1].pmu = 6;
	KUNIT_EXPECT_EQ(test, total_of(values, 3).pmu, PERFGRP_NONE);
	KUNIT_EXPECT_TRUE(test, total_of(values, 3).flags & PERFGRP_VALUE_MIXED_PMUS);
	/* Once two differ it stays unknown, whatever follows. */
	values[0].pmu = 5;
	KUNIT_EXPECT_EQ(test, total_of(values, 3).pmu, PERFGRP_NONE);
}

/* Expect whether a sum of two values has @flag if one of them has it, and if both have it. */
static void expect_flag(struct kunit *test, u32 flag, bool if_one, bool if_both)
{
	struct perfgrp_value values[] = { fill(1, 1, 1), fill(1, 1, 1) };

	KUNIT_EXPECT_FALSE(test, total_of(values, 2).flags & flag);
	values[0].flags |= flag;
	KUNIT_EXPECT_TRUE(test, total_of(values, 1).flags & flag);
	KUNIT_EXPECT_EQ(test, !!(total_of(values, 2).flags & flag), if_one);
	values[1].flags |= flag;
	KUNIT_EXPECT_EQ(test, !!(total_of(values, 2).flags & flag), if_both);
	values[0].flags &= ~flag;
	KUNIT_EXPECT_EQ(test, !!(total_of(values, 2).flags & flag), if_one);
	KUNIT_EXPECT_EQ(test, total_of(values, 2).state, (u32)PERFGRP_STATE_COUNTED);
}

/* [S2] [G15] [G18] [G19] A sum has failed if any part has; it is offline or exited if all are. */
static void add_flags(struct kunit *test)
{
	expect_flag(test, PERFGRP_VALUE_FAILED, true, true);
	expect_flag(test, PERFGRP_VALUE_THROTTLED, true, true);
	expect_flag(test, PERFGRP_VALUE_SATURATED, true, true);
	expect_flag(test, PERFGRP_VALUE_OFFLINE, false, true);
	expect_flag(test, PERFGRP_VALUE_EXITED, false, true);
}

/* [S12] The sched_group that all CPUs have, else 0. Offline CPUs are ignored if some are online. */
static void add_sched_groups(struct kunit *test)
{
	struct perfgrp_value values[] = { fill(1, 1, 1), fill(1, 1, 1), fill(1, 1, 1) };

	KUNIT_EXPECT_EQ(test, total_of(values, 3).sched_group, 3U);
	values[2].sched_group = 4;
	KUNIT_EXPECT_EQ(test, total_of(values, 3).sched_group, 0U);
	values[2].flags |= PERFGRP_VALUE_OFFLINE;
	KUNIT_EXPECT_EQ(test, total_of(values, 3).sched_group, 3U);
	values[1].flags |= PERFGRP_VALUE_OFFLINE;
	values[0].sched_group = 4;
	KUNIT_EXPECT_EQ(test, total_of(values, 3).sched_group, 4U);
	/* Online, but without an event. */
	values[0].sched_group = 0;
	KUNIT_EXPECT_EQ(test, total_of(values, 3).sched_group, 0U);
	/* All offline. */
	values[0].sched_group = 4;
	values[0].flags |= PERFGRP_VALUE_OFFLINE;
	KUNIT_EXPECT_EQ(test, total_of(values, 3).sched_group, 0U);
	values[0].flags &= ~PERFGRP_VALUE_OFFLINE;
	/* Two that differ, and a third that has the number of one of them. */
	values[0].sched_group = 4;
	values[1].flags &= ~PERFGRP_VALUE_OFFLINE;
	values[2].flags &= ~PERFGRP_VALUE_OFFLINE;
	KUNIT_EXPECT_EQ(test, total_of(values, 3).sched_group, 0U);
}

/* ---- sums of any values in any order ------------------------------------- */

/* The kinds of values that a row can have. */
static const struct perfgrp_value kinds[] = {
#define KIND(state_, flags_, group_, pmu_, raw_)                                                   \
	{                                                                                          \
		.id = 7, .sched_group = (group_), .state = PERFGRP_STATE_##state_,                 \
		.flags = (flags_), .pmu = (pmu_), .raw = (raw_),                                   \
		.time_enabled = 9, .time_running = 8                                               \
	}
	KIND(COUNTED, PERFGRP_VALUE_SCALED, 5, 1, 10),
	KIND(COUNTED, PERFGRP_VALUE_SCALED, 6, 1, 20),
	KIND(COUNTED, PERFGRP_VALUE_SCALED, 5, 2, 40),
	KIND(COUNTED, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_FAILED, 5, 1, 80),
	KIND(COUNTED, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_EXITED, 5, 1, 160),
	KIND(COUNTED, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_OFFLINE, 5, 1, 320),
	KIND(MULTIPLEXED, PERFGRP_VALUE_SCALED, 5, 1, 640),
	KIND(MULTIPLEXED, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_OFFLINE, 6, 2, 1280),
	KIND(MULTIPLEXED, PERFGRP_VALUE_SCALED | PERFGRP_VALUE_THROTTLED, 5, 1, U64_MAX - 700),
	KIND(NEVER_RAN, 0, 5, 1, 0),
	KIND(NEVER_RAN, PERFGRP_VALUE_FAILED, 0, PERFGRP_NONE, 0),
	KIND(NEVER_RAN, PERFGRP_VALUE_OFFLINE, 5, 1, 0),
	KIND(NEVER_RAN, PERFGRP_VALUE_EXITED, 6, 1, 0),
};

static bool any_state(const struct perfgrp_value *values, u32 state)
{
	return values[0].state == state || values[1].state == state || values[2].state == state;
}

static u32 sched_group_of_three(const struct perfgrp_value *values)
{
	u32 all_flags = values[0].flags & values[1].flags & values[2].flags;
	u32 ignored = all_flags & PERFGRP_VALUE_OFFLINE ? 0 : PERFGRP_VALUE_OFFLINE;
	u32 group = PERFGRP_NONE;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (values[i].flags & ignored)
			continue;
		if (group != PERFGRP_NONE && group != values[i].sched_group)
			return 0;
		group = values[i].sched_group;
	}
	return group;
}

static u32 pmu_of_three(const struct perfgrp_value *values, bool *mixed)
{
	u32 pmu = PERFGRP_NONE;
	unsigned int i;

	*mixed = false;
	for (i = 0; i < 3; i++) {
		if (values[i].pmu == PERFGRP_NONE)
			continue;
		*mixed |= pmu != PERFGRP_NONE && pmu != values[i].pmu;
		pmu = values[i].pmu;
	}
	return *mixed ? PERFGRP_NONE : pmu;
}

/* Check the sum of three values in a way that does not depend on their order. */
static void expect_total(struct kunit *test, const struct perfgrp_value *values)
{
	const u32 of_any = PERFGRP_VALUE_SCALED | PERFGRP_VALUE_THROTTLED | PERFGRP_VALUE_FAILED;
	const u32 of_all = PERFGRP_VALUE_OFFLINE | PERFGRP_VALUE_EXITED;
	unsigned __int128 sum = (unsigned __int128)values[0].raw + values[1].raw + values[2].raw;
	struct perfgrp_value total = total_of(values, 3);
	u32 state, flags, pmu;
	bool mixed;

	if (any_state(values, PERFGRP_STATE_MULTIPLEXED))
		state = PERFGRP_STATE_MULTIPLEXED;
	else if (any_state(values, PERFGRP_STATE_COUNTED))
		state = PERFGRP_STATE_COUNTED;
	else
		state = PERFGRP_STATE_NEVER_RAN;
	pmu = pmu_of_three(values, &mixed);
	flags = (values[0].flags | values[1].flags | values[2].flags) & of_any;
	flags |= values[0].flags & values[1].flags & values[2].flags & of_all;
	if (any_state(values, PERFGRP_STATE_NEVER_RAN))
		flags |= PERFGRP_VALUE_PARTIAL;
	if (sum > U64_MAX)
		flags |= PERFGRP_VALUE_SATURATED;
	if (mixed)
		flags |= PERFGRP_VALUE_MIXED_PMUS;

	KUNIT_EXPECT_EQ(test, total.id, 7U);
	KUNIT_EXPECT_EQ(test, total.state, state);
	KUNIT_EXPECT_EQ(test, total.flags, flags);
	KUNIT_EXPECT_EQ(test, total.pmu, pmu);
	KUNIT_EXPECT_EQ(test, total.sched_group, sched_group_of_three(values));
	KUNIT_EXPECT_EQ(test, total.raw, sum > U64_MAX ? U64_MAX : (u64)sum);
	KUNIT_EXPECT_EQ(test, total.scaled, total.raw);
	KUNIT_EXPECT_EQ(test, total.time_enabled, 27ULL);
	KUNIT_EXPECT_EQ(test, total.time_running, 24ULL);
}

/* [S2] [S11] [S12] All triples of kinds, so each set of three is added up in every order. */
static void add_in_any_order(struct kunit *test)
{
	struct perfgrp_value values[3];
	unsigned int i, j, k, m;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		for (j = 0; j < ARRAY_SIZE(kinds); j++) {
			for (k = 0; k < ARRAY_SIZE(kinds); k++) {
				values[0] = kinds[i];
				values[1] = kinds[j];
				values[2] = kinds[k];
				for (m = 0; m < 3; m++)
					values[m].scaled = values[m].raw;
				expect_total(test, values);
			}
		}
	}
}

/* [S1] time_running is never longer than time_enabled, even around zero: bases may be negative. */
static void settled_times(struct kunit *test)
{
	struct perfgrp_count count = { .count = 3, .enabled = 5, .running = 7 };

	perfgrp_count_settle(&count);
	KUNIT_EXPECT_EQ(test, count.enabled, 7ULL);
	KUNIT_EXPECT_EQ(test, count.running, 7ULL);
	KUNIT_EXPECT_EQ(test, count.count, 3ULL);
	count = (struct perfgrp_count){ .enabled = 9, .running = 7 };
	perfgrp_count_settle(&count);
	KUNIT_EXPECT_EQ(test, count.enabled, 9ULL);
	count = (struct perfgrp_count){ .enabled = -2ULL, .running = 1 };
	perfgrp_count_settle(&count);
	KUNIT_EXPECT_EQ(test, count.enabled, 1ULL);
}

static struct kunit_case value_cases[] = {
	KUNIT_CASE(settled_times),
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
	KUNIT_CASE(fill_running_above_enabled),
	KUNIT_CASE(add_sums),
	KUNIT_CASE(add_saturates),
	KUNIT_CASE(add_partial),
	KUNIT_CASE(add_pmus),
	KUNIT_CASE(add_flags),
	KUNIT_CASE(add_sched_groups),
	KUNIT_CASE(add_in_any_order),
	{}
};

struct kunit_suite perfgrp_value_suite = {
	.name = "perfgrp_value",
	.init = value_init,
	.test_cases = value_cases,
};
