/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "../unit/types/build.h"
#include "machine.h"
#include "code/labels.h"
#include "code/both.h"
#include "code/disasm.h"
#include "cli/records.h"
#include "code/jited.h"
#include "prog/coverage/coverage.h"
#include "prog/prog.h"
#include "code/visual.h"
#include "code/xlated.h"
#include "render/doc.h"
#include "render/jsonw.h"
#include "render/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A program on a machine with wrong answers: all except its BTF is from the input. */
static const char *const keys[] = {
	"prog/1/info",
	"prog/1/xlated",
	"prog/1/func_info",
	"prog/1/line_info",
	"prog/1/jited_ksyms",
	"prog/1/map_ids",
	"prog/1/fdinfo",
	"map/1/info",
	"map/1/elems/start",
	"sys/kallsyms",
	"prog/1/jited",
	"prog/1/jited_func_lens",
	"prog/1/jited_line_info",
	"sys/uname",
};
static const struct blob *types(void)
{
	static struct btf_build b;
	static struct blob ret;
	uint32_t integer, proto, var;

	if (ret.n)
		return &ret;
	build_init(&b);
	integer = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	proto = build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 1, 0, integer);
	build_pair(&b, "  arg", integer);
	build_type(&b, "function", BTF_KIND_FUNC, 0, 0, proto);
	var = build_var(&b, "bpf_metadata_v", integer);
	build_type(&b, ".rodata", BTF_KIND_DATASEC, 2, 0, 8);
	build_secinfo(&b, var, 0, 4);
	build_secinfo(&b, var, 0xfffffffc, 4);
	build_done(&b);
	ret = (struct blob){ b.out, b.out_n };
	return &ret;
}

static int machine_other(const char *key, struct blob *ret)
{
	static const unsigned char btf_info[32];

	if (!strcmp(key, "btf/1/info"))
		*ret = (struct blob){ btf_info, sizeof(btf_info) };
	else if (!strcmp(key, "btf/1/data"))
		*ret = *types();
	else
		return -ENODATA;
	return 0;
}

static void print_jited(struct env *env, const struct abi_prog_info *info, struct out *o)
{
	struct jited_style style = { .opcodes = true, .linum = true };
	struct jited x;
	struct jsonw w;
	struct doc text, json;
	struct err e = { 0 };

	if (jited_read(env, 1, info, &x, &e)) {
		if (!e.code || !*e.msg)
			abort();
		return;
	}
	doc_init(&text, o, NULL, env->keep);
	jited_write(&x, &style, &text, NULL);
	err_clear(&e);
	if (disasm_open(&style.disasm, jited_machine(env), &e) && !*e.msg)
		abort();
	style.labels = env->arena;
	jsonw_init(&w, o, true);
	doc_init(&json, o, &w, env->keep);
	jited_write(&x, &style, &json, NULL);
	jited_write(&x, &style, &text, NULL);
	disasm_close(&style.disasm);
	if (w.depth)
		abort();
}

static void print_both(struct env *env, const struct xlated *x, const struct abi_prog_info *info, struct out *o)
{
	struct xlated_style xlated = { .opcodes = true, .linum = true };
	struct jited_style jited = { .opcodes = true };
	struct jited j;
	struct both b = { .x = x, .xlated = &xlated, .j = &j, .jited = &jited };
	struct err e = { 0 };
	struct jsonw w;
	struct doc text, json;

	if (jited_read(env, 1, info, &j, &e))
		return;
	jsonw_init(&w, o, true);
	doc_init(&json, o, &w, env->keep);
	doc_init(&text, o, NULL, env->keep);
	both_write(&b, env->arena, &text, NULL);
	both_write(&b, env->arena, &json, NULL);
	b.columns = 80;
	both_write(&b, env->arena, &text, NULL);
	if (w.depth)
		abort();
}

/* Map 1 has the counters, whatever it is. */
static void print_coverage(struct env *env, struct out *o)
{
	struct records recs = { .s = &coverage_schema };
	struct coverage c;
	struct err e = { 0 };
	int ret;

	coverage_begin(&c, env);
	*hash_put(&c.asked, 1) = &c;
	ret = coverage_read(&c, 1, &e);
	if (ret < 0 && !*e.msg)
		abort();
	coverage_end(&c);
	if (c.unused > c.counters || (ret > 0) != (c.n > 0))
		abort();
	coverage_sum(env, c.items, c.n, &recs);
	coverage_write_lcov((const struct cover_rec *)recs.rec, recs.n, o);
	coverage_write_page(env, (const struct cover_rec *)recs.rec, recs.n, o);
}

static void print(struct env *env, struct out *o)
{
	struct xlated_style style = { .opcodes = true, .linum = true };
	struct labels labels;
	struct prog_rec rec = { 0 };
	struct xlated x;
	struct jsonw w;
	struct doc text, json;
	struct err e = { 0 };
	size_t unknown = 0;

	jsonw_init(&w, o, false);
	if (prog_read(env, env->arena, 1, ~0u, &rec, &e)) {
		if (!e.code || !*e.msg)
			abort();
		return;
	}
	jsonw_object(&w);
	render_json_fields(&w, &schema_prog, &rec, 0, &unknown);
	jsonw_end(&w);
	render_plain_headline(o, &schema_prog, &rec);
	print_jited(env, &rec.info, o);
	if (xlated_read(env, 1, &rec.info, &x, &e)) {
		if (!e.code || !*e.msg)
			abort();
		return;
	}
	jsonw_init(&w, o, true);
	doc_init(&json, o, &w, env->keep);
	doc_init(&text, o, NULL, env->keep);
	xlated_write(&x, &style, &json, NULL);
	xlated_write(&x, &style, &text, NULL);
	xlated_labels(&x, env->arena, &labels);
	style.labels = &labels;
	xlated_write(&x, &style, &text, NULL);
	visual_write(&x, &style, false, &visual_dot, NULL, env->arena, o);
	visual_write(&x, &style, true, &visual_dot, NULL, env->arena, o);
	visual_write(&x, &style, true, &visual_mermaid, NULL, env->arena, o);
	print_both(env, &x, &rec.info, o);
	print_coverage(env, o);
	if (w.depth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct globals opts = { .from = "fuzz" };
	struct scripted m = { .keys = keys, .nkeys = sizeof(keys) / sizeof(keys[0]), .other = machine_other };
	struct env env = { .opts = &opts };
	struct out o;

	scripted_open(&m, &env, &data, &size);
	out_init(&o, -1);
	print(&env, &o);
	out_close(&o, NULL);
	scripted_close(&env);
	return 0;
}
