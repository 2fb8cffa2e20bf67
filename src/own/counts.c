/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/counts.h"

#include "base/base.h"
#include "own/bpf/counts.bpf.h"
#include "own/own.h"

#include "own/bpf/counts.bpf.inc"
static const struct own_program program = OWN_PROGRAM(counts);

int counts_collect(struct own *own, struct str *ret)
{
	STR raw = { 0 };
	struct count c;
	int err = own_iter(own, &program, NULL, -1, NULL, &raw);

	for (size_t at = 0; !err && own_record(&raw, &at, &c, sizeof(c));)
		str_fmt(ret, "%u %llu\n", c.id, llu(c.n));
	return err;
}
