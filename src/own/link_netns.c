/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/link_netns.h"

#include "base/base.h"
#include "own/bpf/link_netns.bpf.h"
#include "own/own.h"

#include "own/bpf/link_netns.bpf.inc"
static const struct own_program program = OWN_PROGRAM(link_netns);

int link_netns_collect(struct own *own, struct str *ret)
{
	STR raw = { 0 };
	struct link_netns e;
	int err = own_iter(own, &program, NULL, -1, NULL, &raw);

	for (size_t at = 0; !err && own_record(&raw, &at, &e, sizeof(e));)
		str_fmt(ret, "%u %u\n", e.id, e.ino);
	return err;
}
