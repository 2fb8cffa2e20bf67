/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "types/c/syntax.h"
#include "../parsed.h"

#define KFUNCS "\n/* BPF kfuncs */\n#ifndef BPF_NO_KFUNC_PROTOTYPES\n#endif\n\n"

/* The text between prologue and epilogue. */
static char body[16384];
static inline const char *written(const struct btf_types *t, const uint32_t *ids, size_t n, bool unsorted)
{
	static const char begin[] = "#define __bpf_fastcall\n#endif\n#endif\n\n",
			  end[] = "#ifndef BPF_NO_PRESERVE_ACCESS_INDEX\n#pragma clang attribute pop";
	struct err e = { 0 };
	const char *from, *to;
	struct out o;

	out_init(&o, -1);
	if (c_syntax(t, ids, n, unsorted, &o, &e))
		fail_msg("%s", e.msg);
	assert_memory_equal(out_cstr(&o), "#ifndef __VMLINUX_H__\n", 22);
	from = strstr(o.buf, begin);
	to = strstr(o.buf, end);
	assert_non_null(from);
	assert_non_null(to);
	from += strlen(begin);
	assert_true((size_t)(to - from) < sizeof(body));
	memcpy(body, from, (size_t)(to - from));
	body[to - from] = '\0';
	out_close(&o, NULL);
	return body;
}
