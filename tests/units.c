/* SPDX-License-Identifier: BSD-2-Clause */
/* Run the unit test that the argument names: the path of its file below tests/unit without ".c". */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "own/child.h"

#define UNIT(function, name) int function(void);
#include "units.inc"
#undef UNIT

static const struct {
	const char *name;
	int (*run)(void);
} units[] = {
#define UNIT(function, name) { name, function },
#include "units.inc"
};

/* Loads of our own programs have a limit of half a second, which they reach on a machine that is busy with other tests.
 */
int __real_child_prog_load(union bpf_attr *attr, size_t size, const int *keep, size_t n, int limit);
int __wrap_child_prog_load(union bpf_attr *attr, size_t size, const int *keep, size_t n, int limit);
int __wrap_child_prog_load(union bpf_attr *attr, size_t size, const int *keep, size_t n, int limit)
{
	return __real_child_prog_load(attr, size, keep, n, limit * 60);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(units[i].name, argv[1]))
			return units[i].run();
	fprintf(stderr, "usage: %s UNIT\n", argv[0]);
	return 2;
}
