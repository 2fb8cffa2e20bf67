/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <string.h>

/* Functions of libelf, which has no header for them: host/elf/tree.c. */
struct tree {
	void *root;
	void *room[32]; /* libelf may have a lock there */
};
typedef int compare(const void *a, const void *b);
void eu_search_tree_init(struct tree *t);
void eu_search_tree_fini(struct tree *t, void (*drop)(void *node));
void *eu_tsearch(const void *key, struct tree *t, compare *cmp);
void *eu_tfind(const void *key, struct tree *t, compare *cmp);
void *eu_tdelete(const void *key, struct tree *t, compare *cmp);

static unsigned dropped;

static void drop(void *node)
{
	(void)node;
	dropped++;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void test_tree(void **state)
{
	static const char one[] = "one", two[] = "two", again[] = "one";
	struct tree t;

	(void)state;
	memset(&t, 0xff, sizeof(t));
	eu_search_tree_init(&t);
	assert_null(eu_tfind(one, &t, by_text));
	assert_ptr_equal(*(const char **)eu_tsearch(one, &t, by_text), one);
	assert_ptr_equal(*(const char **)eu_tsearch(two, &t, by_text), two);
	assert_ptr_equal(*(const char **)eu_tsearch(again, &t, by_text), one);
	assert_ptr_equal(*(const char **)eu_tfind(again, &t, by_text), one);
	assert_non_null(eu_tdelete(again, &t, by_text));
	assert_null(eu_tfind(one, &t, by_text));
	assert_ptr_equal(*(const char **)eu_tfind(two, &t, by_text), two);
	dropped = 0;
	eu_search_tree_fini(&t, drop);
	assert_int_equal(dropped, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_tree) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
