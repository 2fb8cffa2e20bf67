/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"
#include "../directory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/complete.h"
#include "cli/output.h"

struct opts {
	const char *in, *out;
	struct arg_list many, rest;
};
static const struct arg args[] = {
	ARG("IN", ARG_PATH, struct opts, in, ""),
	ARG("OUT", ARG_PATH, struct opts, out, "", .output = true),
	ARG("more", ARG_PATH, struct opts, many, "", .flags = ARG_REPEAT),
	ARG("OBJ", ARG_REST, struct opts, rest, "", .offers = complete_files),
};
static const struct command made = { .name = "made", ARGS(args, struct opts) };

static void make(const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fclose(f);
}

/* The output under another name, in every place where an input can be. */
static void test_same(void **state)
{
	char dir[] = "/tmp/bpflens-output-XXXXXX", out[64], link[64], other[64];
	const char *same[2], *different[1] = { other };
	struct opts good = { .in = other, .out = out, .many = { different, 1 } };
	struct globals none = { .from = other };

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(out, sizeof(out), "%s/out", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	same[0] = other;
	same[1] = link;
	assert_int_equal(symlink("out", link), 0);
	make(other);
	/* It does not exist yet. */
	assert_int_equal(output_check(&made, &(struct opts){ .in = link, .out = out }, &none, NULL), 0);
	make(out);
	assert_int_equal(output_check(&made, &good, &none, NULL), 0);
	for (int i = 0; i < 5; i++) {
		struct opts bad = good;
		struct globals g = none;
		struct err e = { 0 };

		if (i == 0)
			bad.in = link;
		else if (i == 1)
			bad.many = (struct arg_list){ same, 2 };
		else if (i == 2)
			bad.rest = (struct arg_list){ same, 2 };
		else if (i == 3)
			g.from = link;
		else
			g = (struct globals){ .from = other, .froms = { link, other }, .nfroms = 2 };
		assert_int_equal(output_check(&made, &bad, &g, &e), -EINVAL);
		assert_non_null(strstr(e.msg, "/link is both the output and an input"));
	}
	/* Nothing is lost. */
	assert_int_equal(output_check(&made, &(struct opts){ .in = "/dev/null", .out = "/dev/null" }, &none, NULL), 0);
	assert_int_equal(output_check(&made, &(struct opts){ .in = link }, &none, NULL), 0);
	unlink(out), unlink(link), unlink(other);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_same) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
