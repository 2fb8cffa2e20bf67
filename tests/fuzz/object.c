/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "object/coverage/coverage.h"
#include "object/dump.h"
#include "object/file.h"
#include "object/read.h"
#include "code/xlated.h"
#include "render/doc.h"
#include "render/jsonw.h"
#include "render/render.h"
#include "host/elf/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

/* The same rows in text and in JSON. */
static void rows_print(struct arena *a, struct out *o, const struct schema *s, const void *rows, uint32_t n)
{
	struct jsonw w;
	struct render table = { .ops = &render_table, .out = o, .arena = a, .headings = true };
	struct render json = { .ops = &render_json, .out = o, .jw = &w, .arena = a };

	jsonw_init(&w, o, false);
	render_begin(&table);
	render_begin(&json);
	render_section(&table, s, NULL);
	render_section(&json, s, NULL);
	for (uint32_t i = 0; i < n; i++) {
		render_record(&table, (const char *)rows + (size_t)i * s->rec_size);
		render_record(&json, (const char *)rows + (size_t)i * s->rec_size);
	}
	render_end(&table);
	render_end(&json);
	if (w.depth)
		abort();
	o->n = 0;
}

static void parts_print(const struct object *o, struct arena *a, struct out *out)
{
	struct object_rec r = { 0 };
	struct err e = { 0 };

	for (int brief = 0; brief < 2; brief++) {
		object_sections(o, brief, &r.sections, &r.nsections);
		object_vars(o, brief, &r.variables, &r.nvariables);
		rows_print(a, out, &object_section_schema, r.sections, r.nsections);
		rows_print(a, out, &object_var_schema, r.variables, r.nvariables);
	}
	object_maps(o, &r.maps, &r.nmaps);
	object_externs(o, &r.externs, &r.nexterns);
	object_cores(o, &r.relocations, &r.nrelocations);
	if (object_progs(o, &r.programs, &r.nprograms, &e) && (!e.code || !*e.msg))
		abort();
	rows_print(a, out, &object_map_schema, r.maps, r.nmaps);
	rows_print(a, out, &object_extern_schema, r.externs, r.nexterns);
	rows_print(a, out, &object_core_schema, r.relocations, r.nrelocations);
	rows_print(a, out, &object_prog_schema, r.programs, r.nprograms);
	license_gpl_compatible(object_license(o));
	object_version(o);
}

static void code_print(const struct object *o, struct arena *a, struct out *out)
{
	const struct xlated_style style = { .opcodes = true, .linum = true };
	struct data_names places;
	struct doc text, json;
	struct xlated x;
	struct jsonw w;

	object_data_names(o, &places);
	for (uint32_t i = 0; i < o->nfuncs; i++) {
		object_code(o, &places, &o->funcs[i], &x);
		doc_init(&text, out, NULL, a);
		xlated_write(&x, &style, &text, NULL);
		jsonw_init(&w, out, false);
		doc_init(&json, out, &w, a);
		xlated_write(&x, &style, &json, NULL);
		if (w.depth)
			abort();
		out->n = 0;
	}
}

/* What gets counters is an object with the same functions and as many counters. */
static void counters_add(const struct object *o, const uint8_t *p, size_t n, struct arena *a)
{
	const struct str bytes = { .p = (char *)(size_t)p, .n = n };
	STR counted = { 0 };
	struct covered covered;
	struct err e = { 0 };
	struct object new;

	if (coverage_add(&counted, &covered, &(struct coverage_ask){ "fuzz.bpf.o" }, &bytes, a, &e)) {
		if (!e.code || !*e.msg)
			abort();
		return;
	}
	if (object_read(&new, "fuzz.bpf.o", counted.p, counted.n, a, &e) || new.nfuncs != o->nfuncs)
		abort();
	for (uint32_t i = 0; i < o->nfuncs; i++)
		if (new.funcs[i].size != o->funcs[i].size + (uint64_t)covered.funcs[i].added * 8)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	ARENA a = arena_new();
	struct object o;
	struct err e = { 0 };
	struct out out;

	if (elf_bpf_extent(p, n) > n)
		abort();
	if (object_read(&o, "dir/fuzz.bpf.o", p, n, a, &e)) {
		if (!e.code || !*e.msg)
			abort();
		return 0;
	}
	out_init(&out, -1);
	parts_print(&o, a, &out);
	code_print(&o, a, &out);
	counters_add(&o, p, n, a);
	out_close(&out, NULL);
	return 0;
}
