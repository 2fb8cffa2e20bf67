/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Linked to every fuzz target with --wrap: counts the bytes of all inputs, prints the count at the end, and
 * ends the run after FUZZ_BYTES bytes (environment), because libFuzzer only has limits of runs and seconds.
 */
int __real_LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static unsigned long long bytes, runs, limit;

static void report(void)
{
	fprintf(stderr, "\nfuzzed: %llu bytes in %llu inputs\n", bytes, runs);
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	if (!runs++) {
		const char *s = getenv("FUZZ_BYTES");

		limit = s ? strtoull(s, NULL, 0) : 0;
		atexit(report);
	}
	bytes += n;
	if (limit && bytes >= limit) {
		report();
		_Exit(0); /* libFuzzer takes a plain exit() for a crash */
	}
	return __real_LLVMFuzzerTestOneInput(p, n);
}
