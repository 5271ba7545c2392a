/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User copies with constant sizes, for the sizes that a snapshot of a few counters has.
 *
 * With CONFIG_HARDENED_USERCOPY each copy whose size is not a compile-time constant looks up
 * the kernel object and checks it. Measured on arm64 (make bench), that is about 150 of the
 * 2,100 instructions of the smallest snapshot for each of its four copies, and with it
 * snapshots on one CPU would take longer than perf's read(2) of the same group. So these sizes
 * are made constant; every other size is copied and checked as usual.
 */
#ifndef PERFGRP_USERCOPY_H
#define PERFGRP_USERCOPY_H

#include <linux/minmax.h>
#include <linux/uaccess.h>
#include <uapi/linux/perfgrp.h>

/**
 * perfgrp_copy_arg_from_user - copy_struct_from_user(), for an ioctl's argument
 * @arg: the kernel's struct
 * @ksize: its size
 * @user: the caller's struct
 * @usize: its size
 *
 * Return: 0, -EFAULT or -E2BIG.
 */
static __always_inline int perfgrp_copy_arg_from_user(void *arg, size_t ksize,
						      const void __user *user, size_t usize)
{
	if (usize == ksize && usize == sizeof(struct perfgrp_snapshot))
		return copy_from_user(arg, user, sizeof(struct perfgrp_snapshot)) ? -EFAULT : 0;
	return copy_struct_from_user(arg, ksize, user, usize);
}

/**
 * perfgrp_copy_arg_to_user - copy_to_user(), for an ioctl's argument
 * @user: the caller's struct
 * @arg: the kernel's struct
 * @size: bytes
 *
 * Return: bytes that were not copied.
 */
static __always_inline unsigned long perfgrp_copy_arg_to_user(void __user *user, const void *arg,
							      size_t size)
{
	if (size == sizeof(struct perfgrp_snapshot))
		return copy_to_user(user, arg, sizeof(struct perfgrp_snapshot));
	return copy_to_user(user, arg, size);
}

/**
 * perfgrp_copy_array_to_user - copy_to_user(), for a snapshot's rows or values
 * @to: user memory
 * @from: kernel memory
 * @size: bytes
 *
 * Return: bytes that were not copied.
 */
static __always_inline unsigned long perfgrp_copy_array_to_user(void __user *to, const void *from,
								size_t size)
{
	const size_t value = sizeof(struct perfgrp_value);

	static_assert(sizeof(struct perfgrp_row) == sizeof(struct perfgrp_value));
	switch (size) {
	/* A row is as long as a value. */
	case 1 * sizeof(struct perfgrp_value):
		return copy_to_user(to, from, 1 * value);
	case 2 * sizeof(struct perfgrp_value):
		return copy_to_user(to, from, 2 * value);
	case 3 * sizeof(struct perfgrp_value):
		return copy_to_user(to, from, 3 * value);
	case 4 * sizeof(struct perfgrp_value):
		return copy_to_user(to, from, 4 * value);
	case 5 * sizeof(struct perfgrp_value):
		return copy_to_user(to, from, 5 * value);
	case 6 * sizeof(struct perfgrp_value):
		return copy_to_user(to, from, 6 * value);
	case 7 * sizeof(struct perfgrp_value):
		return copy_to_user(to, from, 7 * value);
	case 8 * sizeof(struct perfgrp_value):
		return copy_to_user(to, from, 8 * value);
	}
	return copy_to_user(to, from, size);
}

/**
 * perfgrp_copy_element_to_user - copy an array element to a caller that may know another size
 * @to: the caller's element
 * @user_size: its size
 * @from: the kernel's element
 * @size: its size
 *
 * If the caller's element is shorter it is truncated, if it is longer it is padded with zeros.
 *
 * Return: 0 or -EFAULT.
 */
static inline int perfgrp_copy_element_to_user(void __user *to, size_t user_size,
					       const void *from, size_t size)
{
	if (copy_to_user(to, from, min(user_size, size)))
		return -EFAULT;
	if (user_size > size && clear_user(to + size, user_size - size))
		return -EFAULT;
	return 0;
}

/**
 * perfgrp_copy_elements_to_user - copy an array to a caller that may know another element size
 * @pointer: user memory
 * @user_size: bytes of an element in user memory
 * @array: kernel memory
 * @size: bytes of an element in kernel memory
 * @nr: elements
 *
 * Inline, so that the sizes of a snapshot's elements are known.
 *
 * Return: 0 or -EFAULT.
 */
static __always_inline int perfgrp_copy_elements_to_user(u64 pointer, u32 user_size,
							 const void *array, size_t size,
							 unsigned int nr)
{
	void __user *to = u64_to_user_ptr(pointer);
	unsigned int i;

	if (user_size == size)
		return perfgrp_copy_array_to_user(to, array, nr * size) ? -EFAULT : 0;
	for (i = 0; i < nr; i++, to += user_size, array += size)
		if (perfgrp_copy_element_to_user(to, user_size, array, size))
			return -EFAULT;
	return 0;
}

#endif /* PERFGRP_USERCOPY_H */
