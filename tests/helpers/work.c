// SPDX-License-Identifier: GPL-2.0
/*
 * A workload of known size for the tests that count a command:
 *	work [TURNS [PAGES [ROUNDS]]]
 * takes TURNS turns of a loop of two instructions and faults PAGES pages in, once
 * or ROUNDS times.
 */
#include "machine.h"

/* For call chains. */
#pragma GCC optimize("no-omit-frame-pointer")

int main(int argc, char **argv)
{
	uint64_t turns = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
	unsigned int pages = argc > 2 ? strtoul(argv[2], NULL, 0) : 100;
	unsigned int rounds_left = argc > 3 ? strtoul(argv[3], NULL, 0) : 1;
	size_t size = (size_t)pages * sysconf(_SC_PAGESIZE) + 1;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return 1;
	madvise(p, size, MADV_NOHUGEPAGE);
	while (rounds_left--) {
		touch_pages(p, pages);
		spin(turns);
		madvise(p, size, MADV_DONTNEED);
	}
	return 0;
}
