/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/base.h"
#include "build.h"

/* The built BTF, parsed by btf_parse(); a refusal fails the test. For files that include cmocka. */
#define BTF __attribute__((cleanup(btf_release))) struct btf_types *

static inline struct btf_types *parsed(struct btf_build *b, const struct btf_types *base)
{
	struct btf_types *t = NULL;
	struct err e = { 0 };

	build_done(b);
	if (btf_parse(&t, b->out, b->out_n, base, &e))
		fail_msg("%s", e.msg);
	return t;
}
