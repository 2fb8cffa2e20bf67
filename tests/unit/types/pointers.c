/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "types/btf.h"
#include "parsed.h"

enum { LONG_NONE, LONG_4 = 4, LONG_8 = 8 };

/* struct n { struct n *next; int l; int *both[2]; } of a machine with pointers of @bytes. */
static void node_build(struct btf_build *b, uint32_t bytes, uint32_t size_of_long)
{
	uint32_t i, next, p, both;

	build_init(b);
	i = build_int(b, "int", 4, BTF_INT_SIGNED, 0, 32);
	if (size_of_long)
		build_int(b, "long unsigned int", size_of_long, 0, 0, size_of_long * 8);
	p = build_ref(b, BTF_KIND_PTR, NULL, i);
	both = build_array(b, p, i, 2);
	next = build_ref(b, BTF_KIND_PTR, NULL, b->next + 1);
	build_type(b, "n", BTF_KIND_STRUCT, 3, 0, 4 * bytes);
	build_member(b, "next", next, 0);
	build_member(b, "l", i, bytes * 8);
	build_member(b, "both", both, bytes * 8 * 2);
}

static void assert_pointers(uint32_t bytes, uint32_t size_of_long, uint32_t wanted, bool guessed)
{
	struct btf_build b;

	node_build(&b, bytes, size_of_long);
	BTF t = parsed(&b, NULL);

	assert_int_equal(btf_pointer_size(t), wanted);
	assert_int_equal(btf_guesses_pointers(t), guessed);
}

static void test_size(void **state)
{
	(void)state;
	assert_pointers(8, LONG_8, 8, false);
	assert_pointers(4, LONG_4, 4, false);
	assert_pointers(8, LONG_NONE, 8, false);
	assert_pointers(4, LONG_NONE, 4, true);
}

/* What overlaps with both sizes says nothing. */
static void test_undecided(void **state)
{
	struct btf_build b;
	uint32_t i, p;

	(void)state;
	build_init(&b);
	i = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	p = build_ref(&b, BTF_KIND_PTR, NULL, i);
	build_type(&b, "odd", BTF_KIND_STRUCT, 2, 0, 4);
	build_member(&b, "a", p, 0);
	build_member(&b, "b", p, 16);
	BTF t = parsed(&b, NULL);

	assert_int_equal(btf_pointer_size(t), 8);
	assert_false(btf_guesses_pointers(t));
}

/* A base decides for the types on it; the user of an ELF file decides for all. */
static void test_given(void **state)
{
	struct btf_build b, m;
	uint32_t p;

	(void)state;
	node_build(&b, 4, LONG_4);
	BTF base = parsed(&b, NULL);
	build_init_split(&m, btf_count(base), b.strs_n);
	p = build_ref(&m, BTF_KIND_PTR, NULL, 1);
	BTF t = parsed(&m, base);
	uint64_t size;

	assert_int_equal(btf_size(t, p, &size), 0);
	assert_int_equal(size, 4);
	btf_pointers_set(t, 8);
	assert_int_equal(btf_size(t, p, &size), 0);
	assert_int_equal(size, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_undecided),
		cmocka_unit_test(test_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
