/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../keys.h"
#include "../test.h"
#include "../../tools/fake_source.h"

#include <errno.h>

#include "source/counted.h"
#include "source/machine.h"
#include "source/source.h"

static int read_text(const char *text, struct counted *ret, struct machine **m, struct arena *a)
{
	const struct fake_answer answers[] = { { "sys/counted", 0, text, strlen(text) }, { 0 } };
	struct source *s = NULL;
	int err;

	assert_int_equal(source_fake(&s, answers), 0);
	*m = machine_new(s);
	err = counted_read(ret, *m, a);
	return err;
}

static void both_ways(void **state)
{
	ARENA a = arena_new();
	struct machine *m;
	struct counted c;

	(void)state;
	assert_int_equal(
		read_text(
			"before prog 90\nlisted prog 7\nlisted prog 5\nlisted map 4294967295\nwalked prog 95\nwalked prog 5\n"
			"walked prog 5\n? walked link 1\n? walked btf 2\nlisted process 1\nwalked process 1\nwalked process 30\n",
			&c, &m, a),
		0);
	assert_int_equal(c.listed[OBJECT_PROG].n, 2);
	assert_int_equal(c.listed[OBJECT_PROG].ids[0], 5);
	assert_true(counted_has(&c.listed[OBJECT_PROG], 7));
	assert_false(counted_has(&c.listed[OBJECT_PROG], 6));
	assert_false(counted_has(&c.listed[OBJECT_LINK], 1));
	/* Objects that were created after the list are ignored: only older ones are compared. */
	assert_int_equal(c.before[OBJECT_PROG], 90);
	assert_int_equal(c.before[OBJECT_MAP], UINT32_MAX);
	assert_int_equal(c.before[OBJECT_LINK], 0);
	assert_int_equal(c.walked[OBJECT_PROG].n, 2);
	assert_true(counted_has(&c.listed[COUNTED_PROCESS], 1));
	assert_false(counted_has(&c.listed[COUNTED_PROCESS], 30));
	assert_true(counted_has(&c.walked[COUNTED_PROCESS], 30));
	assert_int_equal(c.walked[OBJECT_LINK].why, -EPERM);
	assert_int_equal(c.walked[OBJECT_BTF].why, -ENOENT);
	assert_int_equal(c.listed[OBJECT_LINK].why, 0);
	/* A missing iterator is not a refusal. */
	assert_int_equal(machine_refusals(m), 1);
	machine_free(&m);
}

static void refused_list(void **state)
{
	ARENA a = arena_new();
	struct machine *m;
	struct counted c;

	(void)state;
	assert_int_equal(read_text("? listed link 2\n", &c, &m, a), 0);
	assert_int_equal(c.listed[OBJECT_LINK].why, -ENOENT);
	assert_int_equal(machine_refusals(m), 1);
	machine_free(&m);
}

static void damaged(void **state)
{
	static const char *const texts[] = { "listed prog x\n",
					     "listed prog\n",
					     "listed cat 5\n",
					     "seen prog 5\n",
					     "listed prog 0\n",
					     "? before prog 5\n",
					     "? listed prog 4096\n",
					     "listed prog 4294967296\n",
					     "\n",
					     "listed prog 5" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		ARENA a = arena_new();
		struct machine *m;
		struct counted c;

		assert_int_equal(read_text(texts[i], &c, &m, a), -EBADMSG);
		assert_int_equal(machine_refusals(m), 1);
		machine_free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(both_ways), cmocka_unit_test(refused_list),
					    cmocka_unit_test(damaged) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
