/* SPDX-License-Identifier: BSD-2-Clause */
/* The code that copies a program in the kernel, compiled for this machine: the helpers that it calls are here. */
#include "../../test.h"

#include <string.h>

/* In place of libbpf's, whose helpers are numbers. */
#define __BPF_HELPERS__
#define GLOBAL static
#define SEC(name)
#define __uint(name, val) int name[1 + ((val) < 0)]
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#ifndef __weak
#define __weak __attribute__((weak))
#endif
#pragma GCC diagnostic ignored "-Wint-to-pointer-cast"
#pragma GCC diagnostic ignored "-Wpointer-to-int-cast"
#pragma GCC diagnostic ignored "-Wunused-function"

/* The records that were sent, and where the next one has no room. */
static unsigned records, no_room;

static void *bpf_map_lookup_elem(void *map, const void *key)
{
	static unsigned char piece[1 << 16];

	(void)map, (void)key;
	return piece;
}

static long bpf_map_update_elem(void *map, const void *key, const void *value, uint64_t flags)
{
	(void)map, (void)key, (void)value, (void)flags;
	return 0;
}

static long bpf_map_delete_elem(void *map, const void *key)
{
	(void)map, (void)key;
	return 0;
}

static long bpf_probe_read_kernel(void *to, uint32_t n, const void *from)
{
	memcpy(to, from, n);
	return 0;
}

static long bpf_ringbuf_output(void *ring, void *p, uint64_t n, uint64_t flags)
{
	(void)ring, (void)p, (void)n, (void)flags;
	return ++records == no_room ? -EAGAIN : 0;
}

static uint64_t bpf_ringbuf_query(void *ring, uint64_t flags)
{
	(void)ring, (void)flags;
	return 0;
}

static uint32_t bpf_get_smp_processor_id(void)
{
	return 0;
}

static uint64_t bpf_get_current_task(void)
{
	return 0;
}

static uint64_t bpf_get_current_pid_tgid(void)
{
	return 0;
}

static uint64_t bpf_get_current_uid_gid(void)
{
	return 0;
}

static long bpf_get_current_comm(void *p, uint32_t n)
{
	memset(p, 0, n);
	return 0;
}

static uint64_t bpf_ktime_get_boot_ns(void)
{
	return 0;
}

#include "own/capture/copy.bpf.h"

/* Every function is sent, up to the most that there is room for; only more are lost. */
static void test_functions(void **unused)
{
	static const unsigned counts[] = {
		0, 1, 31, 32, 33, CAPTURE_FUNCS - 1, CAPTURE_FUNCS, CAPTURE_FUNCS + 1, 5000
	};
	static const unsigned char prog[64];
	static uint64_t func[5000];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(func); i++)
		func[i] = (uintptr_t)prog;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		const unsigned n = counts[i];

		records = no_room = 0;
		assert_int_equal(functions_all((uintptr_t)func, n, 1, 2) != 0, n > CAPTURE_FUNCS);
		assert_int_equal(records, n < CAPTURE_FUNCS ? n : CAPTURE_FUNCS);
	}
	records = 0;
	no_room = 40;
	assert_int_equal(functions_all((uintptr_t)func, 64, 1, 2), 1);
	assert_int_equal(records, 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_functions) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
