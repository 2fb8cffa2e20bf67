/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/btf.h"
#include "cli/env.h"
#include "link/link.h"
#include "render/jsonw.h"
#include "source/facts.h"
#include "source/machine.h"
#include "kernel/hooks.h"

/* Links with several places: a header line and a line for each function. */
#define FUNC_FIELD_COOKIE FIELD(link_func, cookie, "cookie", "value that the program reads with bpf_get_attach_cookie")
#define FUNC_FIELD_NAME FIELD_IF(link_func, func, has_func, "func", "the function, in the kernel", .role = ROLE_NAME)
#define LINK_FIELD_FUNCS(rows) \
	FIELD_ROWS(link_rec, funcs, nfuncs, rows, "funcs", "places it is attached to", .plain = "%", \
		   .flags = FIELD_EACH, FIELD_WHEN(link_rec, has_bufs), .need = NEED_SYMBOLS, .line = 2)

static uint64_t buf_u64(const struct blob *b, size_t i)
{
	uint64_t v = 0;

	if (i < b->n / sizeof(v))
		memcpy(&v, b->p + i * sizeof(v), sizeof(v));
	return v;
}

/* The kernel's own limit; a damaged file may contain more, and a row is larger than the data it is made from. */
#define FUNCS_MAX (1u << 20)

/* @n: number of elements in the first buffer, because the kernel's count is not trusted. */
static void funcs_alloc(struct env *env, struct arena *a, struct link_rec *r, size_t n)
{
	if (n > FUNCS_MAX) {
		r->has_bufs = AVAIL_UNKNOWN;
		n = 0;
	}
	r->nfuncs = (uint32_t)n;
	r->funcs = arena_array(a, n, sizeof(*r->funcs));
}

static const char *funcs_summary(struct env *env, struct arena *a, const struct link_rec *r, const char *first)
{
	if (!first)
		return arena_fmt(a, "%u functions", r->nfuncs);
	return r->nfuncs < 2 ? first : arena_fmt(a, "%s and %u more", first, r->nfuncs - 1);
}

/* Returns the name of function @i, and its place in the words of `ls`. */
typedef const char *func_words(struct arena *a, const struct link_rec *r, uint32_t i, const char **ret_place);

/* The place is the first function, and how many others there are. */
static void funcs_place(struct arena *a, struct link_rec *r, func_words *words)
{
	const char **names, **at;

	if (!r->nfuncs)
		return;
	names = arena_array(a, r->nfuncs, sizeof(*names));
	at = arena_array(a, r->nfuncs, sizeof(*at));
	for (uint32_t i = 0; i < r->nfuncs; i++)
		names[i] = words(a, r, i, &at[i]);
	r->at.where = at[0];
	r->at.cookie = r->funcs[0].cookie;
	if (r->nfuncs < 2)
		return;
	r->at.where = arena_fmt(a, "%s,+%u", at[0], r->nfuncs - 1);
	r->at.funcs = names;
	r->at.func_places = at;
	r->at.nfuncs = r->nfuncs;
}

/* uprobe_multi: the buffers are path, offsets, offsets of reference counters, cookies. */

static const char *uprobe_words(struct arena *a, const struct link_rec *r, uint32_t i, const char **ret_place)
{
	const struct link_func *f = &r->funcs[i];
	const char *path = r->file ? r->file : r->text ? r->text : "?";

	*ret_place = arena_fmt(a, "%s:%#llx", path, llu(f->addr));
	return f->symbol ? arena_fmt(a, "%s:%s", path, f->symbol) : *ret_place;
}

static void uprobe_multi_derive(struct env *env, struct arena *a, unsigned need, struct link_rec *r)
{
	const char *first = NULL, *file;

	r->retprobe = r->info.uprobe_multi.flags & ABI_PROBE_MULTI_RETURN;
	funcs_alloc(env, a, r, r->buf[1].n / sizeof(uint64_t));
	for (uint32_t i = 0; i < r->nfuncs; i++) {
		r->funcs[i].addr = buf_u64(&r->buf[1], i);
		r->funcs[i].ref_ctr_offset = buf_u64(&r->buf[2], i);
		r->funcs[i].cookie = buf_u64(&r->buf[3], i);
		r->funcs[i].symbol = link_symbol(env, a, need, r, r->funcs[i].addr);
	}
	r->at.what = hook_at(ABI_ATTACH_UPROBE_MULTI, r->retprobe ? ABI_PROBE_MULTI_RETURN : 0)->word;
	funcs_place(a, r, uprobe_words);
	if (!r->text)
		return;
	file = r->file ? r->file : r->text;
	if (r->nfuncs)
		first = r->funcs[0].symbol ? arena_fmt(a, "%s:%s", file, r->funcs[0].symbol) :
					     arena_fmt(a, "%s+%#llx", file, llu(r->funcs[0].addr));
	r->attach_to = funcs_summary(env, a, r, first ? first : file);
}

static size_t uprobe_text(const void *row, char *buf, size_t size)
{
	const struct link_func *f = row;

	return str_snprintf(buf, size, "0x%-16llx 0x%-16llx 0x%-16llx", llu(f->addr), llu(f->ref_ctr_offset),
			    llu(f->cookie));
}

static const struct field uprobe_rows[] = {
	FIELD(link_func, addr, "offset", "offset in bytes, from the start of the function or file", .unit = FU_HEX),
	FIELD(link_func, ref_ctr_offset, "ref_ctr_offset", "offset of the reference counter in the file",
	      .unit = FU_HEX),
	FUNC_FIELD_COOKIE,
	FIELD(link_func, symbol, "symbol", "function, in the file, and the offset in it", .flags = FIELD_NONZERO),
};
static const struct schema uprobe_schema = SCHEMA("uprobe", link_func, uprobe_rows, .text = uprobe_text,
						  .head = "offset             ref_ctr_offset     cookies         ");

static const struct field uprobe_multi_fields[] = {
	LINK_FIELD_RETPROBE("uretprobe.multi  |uprobe.multi  "),
	LINK_FIELD(text, "path", "file with the functions", .role = ROLE_PLACE, .plain = "path %  ",
		   FIELD_WHEN(link_rec, has_bufs)),
	LINK_FIELD_FUNC_CNT(uprobe_multi.count),
	LINK_FIELD(info.uprobe_multi.pid, "pid", "the only process in which it runs, 0: all", .unit = FU_PID,
		   .plain = "pid %  ", .flags = FIELD_PLAIN_NZ),
	LINK_FIELD(info.uprobe_multi.flags, "flags", "flags it is created with", .unit = FU_HEX,
		   .flags = FIELD_NOPLAIN),
	LINK_FIELD_FUNCS(&uprobe_schema),
};
const struct link_kind link_uprobe_multi = {
	.type = ABI_LINK_UPROBE_MULTI, .part = LINK_PART("uprobe_multi", uprobe_multi_fields),
	.derive = uprobe_multi_derive, .nbufs = 4,
	.bufs = {
		LINK_BUF(uprobe_multi.path, uprobe_multi.path_size, 0),
		LINK_BUF(uprobe_multi.offsets, uprobe_multi.count, 8),
		LINK_BUF(uprobe_multi.ref_ctr_offsets, uprobe_multi.count, 8),
		LINK_BUF(uprobe_multi.cookies, uprobe_multi.count, 8),
	},
};

/* kprobe_multi: the buffers are addresses and cookies. */

static int by_func_addr(const void *a, const void *b)
{
	const struct link_func *x = a, *y = b;

	return NUM_CMP(x->addr, y->addr);
}

/* With indirect branch tracking, a probe is after the first instruction of the function. */
#define ENDBR_BYTES 4

static void kprobe_name(struct env *env, struct arena *a, struct link_func *f)
{
	const struct symbol *s = f->addr ? facts_symbol(env->machine, f->addr) : NULL;

	f->has_func = s && (f->addr == s->addr || f->addr == s->addr + ENDBR_BYTES) ? AVAIL_YES : AVAIL_UNKNOWN;
	if (f->has_func != AVAIL_YES)
		return;
	f->func = s->name;
	f->module = s->module;
	if (s->module)
		f->module_json = jsonw_text_str(s->module, a);
}

static const char *kernel_words(struct arena *a, const struct link_rec *r, uint32_t i, const char **ret_place)
{
	const struct link_func *f = &r->funcs[i];

	*ret_place = f->func   ? f->func :
		     f->btf_id ? arena_fmt(a, "btf_id:%u", f->btf_id) :
				 arena_fmt(a, "%#llx", llu(f->addr));
	return *ret_place;
}

/* Without the right to see addresses, all of them are 0. */
static void hidden_report(struct env *env, struct arena *a, struct link_rec *r)
{
	struct err why = { .code = -EACCES };

	note_refused(env->machine, why.code, Q_KALLSYMS);
	facts_hint_hidden(env->machine, &why);
	report_note(env->report, "the kernel hides the addresses of functions: %s", why.hint);
	r->at.detail = arena_fmt(a, "%u functions, whose addresses the kernel hides", r->nfuncs);
}

static void kprobe_multi_derive(struct env *env, struct arena *a, unsigned need, struct link_rec *r)
{
	const char *first;

	r->retprobe = r->info.kprobe_multi.flags & ABI_PROBE_MULTI_RETURN;
	funcs_alloc(env, a, r, r->buf[0].n / sizeof(uint64_t));
	for (uint32_t i = 0; i < r->nfuncs; i++) {
		r->funcs[i].addr = buf_u64(&r->buf[0], i);
		r->funcs[i].cookie = buf_u64(&r->buf[1], i);
		r->funcs[i].module_json = "null";
		r->funcs[i].has_addr = r->funcs[i].addr ? AVAIL_YES : AVAIL_UNKNOWN;
	}
	if (r->nfuncs && r->funcs[0].addr) /* otherwise the kernel hides them, and its order stays */
		qsort(r->funcs, r->nfuncs, sizeof(*r->funcs), by_func_addr);
	for (uint32_t i = 0; i < r->nfuncs && (need & NEED_SYMBOLS); i++)
		kprobe_name(env, a, &r->funcs[i]);
	first = r->nfuncs ? r->funcs[0].func : NULL;
	r->at.what = hook_at(ABI_ATTACH_KPROBE_MULTI, r->retprobe ? ABI_PROBE_MULTI_RETURN : 0)->word;
	if (r->nfuncs && r->funcs[0].has_addr == AVAIL_YES)
		funcs_place(a, r, kernel_words);
	else if (r->nfuncs && (need & NEED_SYMBOLS))
		hidden_report(env, a, r);
	r->attach_to = funcs_summary(env, a, r, first);
}

static size_t kprobe_text(const void *row, char *buf, size_t size)
{
	const struct link_func *f = row;

	char addr[17] = "?";

	if (f->has_addr == AVAIL_YES)
		snprintf(addr, sizeof(addr), "%016llx", llu(f->addr));
	return str_snprintf(buf, size, "%-16s %-16llx %s%s%s%s  ", addr, llu(f->cookie), f->func ? f->func : "?",
			    f->module ? " [" : "", f->module ? f->module : "", f->module ? "]" : "");
}

static const struct field kprobe_rows[] = {
	FIELD_IF(link_func, addr, has_addr, "addr", "address of the code", .unit = FU_ADDR),
	FUNC_FIELD_NAME,
	FIELD_AS(link_func, module_json, FT_JSON, "module", "kernel module of the function, or null"),
	FUNC_FIELD_COOKIE,
};
static const struct schema kprobe_schema = SCHEMA("kprobe", link_func, kprobe_rows, .text = kprobe_text,
						  .head = "addr             cookie           func [module]");

static const struct field kprobe_multi_fields[] = {
	LINK_FIELD_RETPROBE("kretprobe.multi  |kprobe.multi  "),
	LINK_FIELD_FUNC_CNT(kprobe_multi.count),
	LINK_FIELD(info.kprobe_multi.missed, "missed", "hits that did not run the program", .unit = FU_COUNTER,
		   .plain = "missed %  ", .flags = FIELD_PLAIN_NZ),
	LINK_FIELD(info.kprobe_multi.flags, "flags", "flags it is created with", .unit = FU_HEX,
		   .flags = FIELD_NOPLAIN),
	LINK_FIELD_FUNCS(&kprobe_schema),
};
const struct link_kind link_kprobe_multi = {
	.type = ABI_LINK_KPROBE_MULTI,
	.part = LINK_PART("kprobe_multi", kprobe_multi_fields),
	.derive = kprobe_multi_derive,
	.nbufs = 2,
	.bufs = { LINK_BUF(kprobe_multi.addrs, kprobe_multi.count, 8),
		  LINK_BUF(kprobe_multi.cookies, kprobe_multi.count, 8) },
};

/* tracing_multi: the buffers are type ids in the kernel's BTF, and cookies. */

static void tracing_multi_derive(struct env *env, struct arena *a, unsigned need, struct link_rec *r)
{
	const struct btf_types *types = NULL;
	struct err e = { 0 };

	funcs_alloc(env, a, r, r->buf[0].n / sizeof(uint32_t));
	if (r->nfuncs && (need & NEED_SYMBOLS) && btf_get_vmlinux(env->machine, &types, NULL, &e))
		types = NULL;
	for (uint32_t i = 0; i < r->nfuncs; i++) {
		struct link_func *f = &r->funcs[i];

		memcpy(&f->btf_id, r->buf[0].p + i * sizeof(f->btf_id), sizeof(f->btf_id));
		f->cookie = buf_u64(&r->buf[1], i);
		if (types && btf_name(types, f->btf_id)[0])
			f->func = btf_name(types, f->btf_id);
		if (need & NEED_SYMBOLS)
			f->has_func = f->func ? AVAIL_YES : AVAIL_UNKNOWN;
	}
	funcs_place(a, r, kernel_words);
	r->attach_to = funcs_summary(env, a, r, r->nfuncs ? r->funcs[0].func : NULL);
}

static size_t tracing_text(const void *row, char *buf, size_t size)
{
	const struct link_func *f = row;

	return str_snprintf(buf, size, "%-16u %-16llx %s  ", f->btf_id, llu(f->cookie), f->func ? f->func : "?");
}

static const struct field tracing_rows[] = {
	FIELD(link_func, btf_id, "target_btf_id", "type number of the function", .flags = FIELD_OTHERWISE),
	FUNC_FIELD_NAME,
	FUNC_FIELD_COOKIE,
};
static const struct schema tracing_schema = SCHEMA("tracing", link_func, tracing_rows, .text = tracing_text,
						   .head = "target_btf_id    cookie           func");

static const struct field tracing_multi_fields[] = {
	LINK_FIELD_ATTACH_TYPE,
	LINK_FIELD_FUNC_CNT(tracing_multi.count),
	LINK_FIELD_FUNCS(&tracing_schema),
};
const struct link_kind link_tracing_multi = {
	.type = ABI_LINK_TRACING_MULTI,
	.part = LINK_PART("tracing_multi", tracing_multi_fields),
	.derive = tracing_multi_derive,
	.nbufs = 2,
	.attach_type = offsetof(struct abi_link_info, tracing_multi.attach_type),
	.bufs = { LINK_BUF(tracing_multi.ids, tracing_multi.count, 4),
		  LINK_BUF(tracing_multi.cookies, tracing_multi.count, 8) },
};
