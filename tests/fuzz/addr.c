/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "base/base.h"
#include "../unit/types/build.h"
#include "machine.h"
#include "prog/addr/addr.h"
#include "prog/addr/trace.h"
#include "record/field.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A program on a machine with wrong answers, and a trace with addresses in it. Only the BTF is fixed. */
static const char *const keys[] = {
	"prog/1/info",	    "prog/1/jited_ksyms",     "prog/1/jited_func_lens", "prog/1/prog_tags", "prog/1/func_info",
	"prog/1/line_info", "prog/1/jited_line_info", "prog/1/jited",		"sys/kallsyms",
};
static const struct blob *types(void)
{
	static struct btf_build b;
	static struct blob ret;
	uint32_t integer, proto;

	if (ret.n)
		return &ret;
	build_init(&b);
	integer = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	proto = build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 0, 0, integer);
	build_type(&b, "main_prog", BTF_KIND_FUNC, 0, 0, proto);
	build_type(&b, "helper", BTF_KIND_FUNC, 0, 0, proto);
	build_str(&b, "\treturn helper();");
	build_done(&b);
	ret = (struct blob){ b.out, b.out_n };
	return &ret;
}

static int machine_other(const char *key, struct blob *ret)
{
	static const unsigned char btf_info[32];
	static const uint32_t ids[] = { 1 };

	if (!strcmp(key, "prog/ids"))
		*ret = (struct blob){ (const unsigned char *)ids, sizeof(ids) };
	else if (!strcmp(key, "sys/uname"))
		*ret = (struct blob){ (const unsigned char *)"Linux 6.18 x86_64\n", 18 };
	else if (!strncmp(key, "btf/", 4) && strstr(key, "/info"))
		*ret = (struct blob){ btf_info, sizeof(btf_info) };
	else if (!strncmp(key, "btf/", 4) && strstr(key, "/data"))
		*ret = *types();
	else
		return -ENODATA;
	return 0;
}

static void place(struct addr_index *x, const struct trace_frame *f)
{
	struct addr_want want = { .how = f->how, .disasm = true };
	const struct addr_func *const *funcs;
	size_t n = addr_resolve(x, f, &funcs);
	char text[TRACE_TEXT_MAX];
	struct trace_frame again;

	trace_frame_text(f, text, sizeof(text));
	if (!trace_frame_parse(text, &again) || !trace_frame_same(f, &again))
		abort();
	for (size_t i = 0; i < n; i++) {
		struct addr_rec r = { 0 };

		want.off = addr_off(funcs[i], f);
		addr_describe(x, funcs[i], &want, &r);
		if (r.prog_id != 1 || !r.func || !memchr(r.disasm, 0, sizeof(r.disasm)) ||
		    (r.has_disasm == AVAIL_YES && r.insn_offset > want.off))
			abort();
	}
	if (!n) {
		struct addr_rec r = { 0 };

		addr_describe_other(x, f->addr, &r);
	}
}

/* Lines, long ones in parts, as `addr -` reads them. */
static void read_trace(struct addr_index *x, const char *p, size_t n)
{
	struct trace t = { 0 };
	struct trace_frame f;

	while (n) {
		const char *nl = memchr(p, '\n', n), *end = nl ? nl + 1 : p + n, *pos = p;
		size_t part = trace_part(p, (size_t)(end - p) / 2);

		trace_line(&t, p, (size_t)(end - p));
		while (pos < p + part && trace_next(&t, &pos, p + part, &f))
			place(x, &f);
		for (pos = p + part; trace_next(&t, &pos, end, &f);)
			place(x, &f);
		n -= (size_t)(end - p);
		p = end;
	}
}

/* The trace follows the answers. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct globals opts = { .from = "fuzz" };
	struct scripted m = { .keys = keys, .nkeys = sizeof(keys) / sizeof(keys[0]), .other = machine_other };
	struct env env = { .opts = &opts };
	struct addr_index *x;
	struct err e = { 0 };

	scripted_open(&m, &env, &data, &size);
	if (addr_index_new(&env, &x, &e))
		abort();
	read_trace(x, (const char *)data, size);
	scripted_close(&env);
	return 0;
}
