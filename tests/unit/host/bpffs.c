/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "host/bpffs.h"

static int error; /* of readdir(3); 0: the one of libc is called */

struct dirent *readdir(DIR *dir)
{
	static struct dirent *(*next)(DIR * dir);

	if (error) {
		errno = error;
		return NULL;
	}
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "readdir64");
	return next(dir);
}

/* Mount namespaces are found through the processes in /proc. If that cannot be listed, some are missing. */
static void test_processes(void **state)
{
	STR whole = { 0 };
	STR part = { 0 };

	(void)state;
	assert_int_equal(bpffs_collect(&whole), 0);
	error = EIO;
	assert_int_equal(bpffs_collect(&part), 0);
	error = 0;
	assert_true(!whole.n || !strstr(whole.p, "? processes 5\n"));
	assert_non_null(strstr(part.p, "? processes 5\n"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_processes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
