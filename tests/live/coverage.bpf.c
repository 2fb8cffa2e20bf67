/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs with a counter at the beginning of each basic block, for `prog coverage`. */
#include "types.bpf.h"
#include "coverage.bpf.h"

volatile __u64 lens_odd, lens_small;
volatile __u32 lens_large; /* of another size, so that the compiler does not merge the branches */

struct lens_input {
	__u32 n, odd;
};

__attribute__((noinline)) static long lens_half(__u64 n)
{
	COUNTS(4);
	if (n & 1) {
		COUNTS(5);
		lens_odd++;
	}
	COUNTS(6);
	return (long)(n / 2);
}

SEC("syscall") int lens_covered(struct lens_input *in)
{
	COUNTS(0);
	__u32 n = in->n;

	if (n > 100) {
		COUNTS(1);
		lens_large++;
	} else {
		COUNTS(2);
		lens_small++;
	}
	COUNTS(3);
	return (int)lens_half(in->odd);
}

/* Its counters did not fit. */
__attribute__((noinline)) static int lens_uncounted(__u64 n)
{
	return n > 3 ? (int)lens_half(n) : 0;
}

SEC("syscall") int lens_covered_too(struct lens_input *in)
{
	COUNTS(7);
	return lens_uncounted(in->n);
}
