/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab.h"

#include "cli/place.h"
#include "kernel/hooks.h"

/* The hint if a kernel of this release returns @code for a hook. */
static const char *hint(const char *release, const char *word, int code)
{
	static char text[sizeof(((struct err *)0)->hint)];
	const struct fake_answer answers[] = {
		{ "sys/uname", release ? 0 : -EPERM, release, release ? strlen(release) : 0 }, { 0 }
	};
	struct err e = { 0 };
	struct lab l;

	lab_start(&l, (struct globals){ .from = "x" }, answers);
	err_set(&e, code, "refused");
	place_explain(&l.env, hook_find(word, ~0u), &e);
	memcpy(text, e.hint, sizeof(text));
	lab_end(&l);
	return text;
}

static void test_old_kernel(void **state)
{
	(void)state;
	assert_string_equal(hint("Linux 5.10.0-8-amd64 x86_64\n", "tcx_ingress", -EINVAL),
			    "tcx_ingress needs Linux 6.6, this is 5.10.0-8-amd64");
	assert_string_equal(hint("Linux 6.18.44 x86_64\n", "tcx_ingress", -EINVAL), "");
	assert_string_equal(hint("Linux 5.10.0 x86_64\n", "tcx_ingress", -EBUSY), "");
	assert_string_equal(hint("Linux 5.10.0 x86_64\n", "no_such_hook", -EINVAL), "");
	assert_string_equal(hint("Linux\n", "tcx_ingress", -EINVAL), "");
	assert_string_equal(hint(NULL, "tcx_ingress", -EINVAL), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_old_kernel) };

	(void)lab_answers;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
