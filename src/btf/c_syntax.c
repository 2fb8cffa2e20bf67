/* SPDX-License-Identifier: BSD-2-Clause */
#include "btf/c_syntax.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clean.h"
#include "base/err.h"
#include "base/out.h"
#include "btf/library.h"
#include "btf/nesting.h"
#include "btf/order.h"
#include "btf/types.h"

static const char prologue[] =
	"#ifndef __VMLINUX_H__\n"
	"#define __VMLINUX_H__\n"
	"\n"
	"#ifndef BPF_NO_PRESERVE_ACCESS_INDEX\n"
	"#pragma clang attribute push (__attribute__((preserve_access_index)), apply_to = record)\n"
	"#endif\n"
	"\n"
	"#ifndef __ksym\n"
	"#define __ksym __attribute__((section(\".ksyms\")))\n"
	"#endif\n"
	"\n"
	"#ifndef __weak\n"
	"#define __weak __attribute__((weak))\n"
	"#endif\n"
	"\n"
	"#ifndef __bpf_fastcall\n"
	"#if __has_attribute(bpf_fastcall)\n"
	"#define __bpf_fastcall __attribute__((bpf_fastcall))\n"
	"#else\n"
	"#define __bpf_fastcall\n"
	"#endif\n"
	"#endif\n"
	"\n";
static const char epilogue[] =
	"#ifndef BPF_NO_PRESERVE_ACCESS_INDEX\n"
	"#pragma clang attribute pop\n"
	"#endif\n"
	"\n"
	"#endif /* __VMLINUX_H__ */\n";

#define ATTRIBUTES 64
#define TYPE_TAG "btf_type_tag(\""

#define EACH_BYTE 0x0101010101010101ull

/* Printable ASCII, line breaks and tabs: eight at a time, because all of the output comes through here. */
static bool is_clean(const char *s, size_t n)
{
	size_t i = 0;
	uint64_t v;

	for (; n - i >= sizeof(v); i += sizeof(v)) {
		memcpy(&v, s + i, sizeof(v));
		/* A byte below ' ' borrows, one above '~' carries into its highest bit. */
		if (((v - ' ' * EACH_BYTE) | (v + EACH_BYTE) | v) & 0x80 * EACH_BYTE)
			break;
	}
	for (; i < n; i++)
		if (((unsigned char)s[i] < ' ' && s[i] != '\n' && s[i] != '\t') || (unsigned char)s[i] >= 0x7f)
			return false;
	return true;
}

/* Line breaks are the library's; what else cannot be shown came from a name. */
static void put(struct out *o, const char *s, size_t n)
{
	size_t len;

	if (is_clean(s, n)) {
		out_bytes(o, s, n);
		return;
	}
	for (; n; s += len, n -= len) {
		len = s[0] == '\n' ? 1 : strcspn(s, "\n");
		if (s[0] == '\n')
			out_char(o, '\n');
		else
			out_textn(o, s, len);
	}
}

__attribute__((format(printf, 2, 0))) static void put_formatted(struct out *o, const char *fmt, va_list args)
{
	char small[256], *large = NULL;
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(small, sizeof(small), fmt, args);
	if (n >= (int)sizeof(small)) {
		n = vasprintf(&large, fmt, again);
		if (n < 0)
			arena_die(sizeof(small));
	}
	va_end(again);
	if (n > 0)
		put(o, large ? large : small, (size_t)n);
	free(large);
}

/*
 * What the library prints goes to @out. Attributes are type tags with their flag set (6.14): libbpf before 1.6 takes them
 * for tags, which would be other types.
 */
struct printer {
	struct out *out;
	const struct btf_types *types;
	const uint32_t *attributes;	/* offsets of their names */
	size_t nattributes;
	bool open;			/* the last that was printed is an opening parenthesis */
};

static bool str_ends(const char *s, size_t n, const char *end)
{
	return n >= strlen(end) && !memcmp(s + n - strlen(end), end, strlen(end));
}

static void attributes_find(struct printer *pr, struct arena *a)
{
	uint32_t *list = NULL;
	size_t i;

	for (uint32_t id = 1; id < btf_count(pr->types); id++) {
		const struct btf_type *type = btf_type(pr->types, id);

		if (btf_kind_of(type) != BTF_KIND_TYPE_TAG || !BTF_INFO_KFLAG(type->info))
			continue;
		if (!list)
			pr->attributes = list = arena_array(a, ATTRIBUTES, sizeof(*list));
		for (i = 0; i < pr->nattributes && list[i] != type->name_off; i++)
			;
		if (i == pr->nattributes && i < ATTRIBUTES)
			list[pr->nattributes++] = type->name_off;
	}
}

static bool is_attribute(const struct printer *pr, const char *name)
{
	for (size_t i = 0; i < pr->nattributes; i++)
		if (!strcmp(btf_str(pr->types, pr->attributes[i]), name))
			return true;
	return false;
}

/* Formats are short: strchr() would take longer. */
static bool only_strings(const char *fmt)
{
	for (; *fmt; fmt++)
		if (*fmt == '%' && *++fmt != 's')
			return false;
	return true;
}

/* Nearly all that the library prints are strings between other strings; printf takes longer than all the rest. */
__attribute__((format(printf, 2, 0))) static void on_print(void *ctx, const char *fmt, va_list args)
{
	struct printer *pr = ctx;
	struct out *o = pr->out;
	const char *p, *percent;

	/* libbpf before 1.2 leaves the list of a function without arguments empty, which in C says that nothing is known. */
	if (pr->open && !strcmp(fmt, ")"))
		out_str(o, "void");
	pr->open = *fmt && fmt[strlen(fmt) - 1] == '(';
	if (!only_strings(fmt)) {
		put_formatted(o, fmt, args);
		return;
	}
	for (p = fmt; *p; p = percent + 2) {
		size_t n;
		const char *s;

		for (percent = p; *percent && *percent != '%'; percent++)
			;
		n = (size_t)(percent - p);
		s = *percent ? va_arg(args, const char *) : "";
		if (pr->nattributes && str_ends(p, n, TYPE_TAG) && is_attribute(pr, s)) {
			out_bytes(o, p, n - strlen(TYPE_TAG));
			put(o, s, strlen(s));
			out_str(o, "))");
			return;
		}
		out_bytes(o, p, n);
		if (!*percent)
			return;
		put(o, s, strlen(s));
	}
}

static void dump_freep(struct btf_dump **d)
{
	btf_dump__free(*d);
}

static int put_types(const struct btf_types *t, struct btf_dump *d, const uint32_t *ids, size_t n, struct out *o, struct err *e)
{
	for (size_t i = 0; i < n && !out_dead(o); i++) {
		uint32_t id = ids ? ids[i] : btf_start(t) + (uint32_t)i;
		int err = id ? btf_dump__dump_type(d, id) : 0;

		if (err)
			return err_sys(e, err, "BTF type %u cannot be written as C", id);
	}
	return 0;
}

struct kfunc {
	const char *name;
	uint32_t func;
	bool fastcall;
};

static int kfunc_cmp(const void *pa, const void *pb)
{
	const struct kfunc *a = pa, *b = pb;
	int cmp = strcmp(a->name, b->name);

	return cmp ? cmp : (a->func > b->func) - (a->func < b->func);
}

static int by_func(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return (a > b) - (a < b);
}

/* A tag on a function as a whole, with a prototype that can be written: its type id, else 0. */
static uint32_t tagged_func(const struct btf_types *t, const struct btf_type *type)
{
	const struct btf_decl_tag *decl = (const void *)(type + 1);
	const struct btf_type *func, *proto;

	if (decl->component_idx != -1)
		return 0;
	func = btf_type(t, type->type);
	proto = func && btf_kind_of(func) == BTF_KIND_FUNC ? btf_type(t, func->type) : NULL;
	return proto && btf_kind_of(proto) == BTF_KIND_FUNC_PROTO ? type->type : 0;
}

/* Functions by tag, ascending. */
struct tagged {
	const char *tag;
	uint32_t *func;
	size_t n;
};

static void tagged_find(const struct btf_types *t, struct tagged *lists, size_t n, struct arena *a)
{
	size_t tags = 0, i;
	uint32_t id, func;

	for (id = btf_start(t); id < btf_count(t); id++)
		tags += btf_kind_of(btf_type(t, id)) == BTF_KIND_DECL_TAG;
	for (i = 0; i < n; i++)
		lists[i].func = arena_array(a, tags, sizeof(*lists[i].func));
	for (id = btf_start(t); tags && id < btf_count(t); id++) {
		const struct btf_type *type = btf_type(t, id);

		if (btf_kind_of(type) != BTF_KIND_DECL_TAG)
			continue;
		func = tagged_func(t, type);
		for (i = 0; func && i < n; i++)
			if (!strcmp(btf_str(t, type->name_off), lists[i].tag))
				lists[i].func[lists[i].n++] = func;
	}
	for (i = 0; i < n; i++)
		qsort(lists[i].func, lists[i].n, sizeof(*lists[i].func), by_func);
}

static int put_kfuncs(const struct btf_types *t, struct btf_dump *d, struct arena *a, struct out *o, struct err *e)
{
	struct tagged tagged[] = { { .tag = "bpf_kfunc" }, { .tag = "bpf_fastcall" } }, *funcs = &tagged[0], *fast = &tagged[1];
	struct kfunc *list;
	size_t n;

	tagged_find(t, tagged, ARRAY_SIZE(tagged), a);
	n = funcs->n;
	list = arena_array(a, n, sizeof(*list));
	for (size_t i = 0; i < n; i++)
		list[i] = (struct kfunc){ btf_name(t, funcs->func[i]), funcs->func[i],
					  bsearch(&funcs->func[i], fast->func, fast->n, sizeof(*fast->func), by_func) };
	qsort(list, n, sizeof(*list), kfunc_cmp);
	out_str(o, "\n/* BPF kfuncs */\n#ifndef BPF_NO_KFUNC_PROTOTYPES\n");
	for (size_t i = 0; i < n && !out_dead(o); i++) {
		LIBBPF_OPTS(btf_dump_emit_type_decl_opts, opts, .field_name = list[i].name);
		int err;

		out_str(o, list[i].fastcall ? "extern __bpf_fastcall " : "extern ");
		err = btf_dump__emit_type_decl(d, btf_type(t, list[i].func)->type, &opts);
		if (err)
			return err_sys(e, err, "BTF type %u cannot be written as C", list[i].func);
		out_str(o, " __weak __ksym;\n");
	}
	out_str(o, "#endif\n\n");
	return 0;
}

int c_syntax(const struct btf_types *t, const uint32_t *ids, size_t n, bool unsorted, struct out *o, struct err *e)
{
	__attribute__((cleanup(dump_freep))) struct btf_dump *d = NULL;
	struct printer printer = { .out = o, .types = t };
	LIBRARY lib = { 0 };
	ARENA a = arena_new();
	bool all = !ids;
	int err = nesting_check(t, e);

	if (!err)
		err = library_load(&lib, t, e);
	if (err)
		return err;
	d = btf_dump__new(lib.btf, on_print, &printer, NULL);
	err = (int)libbpf_get_error(d);
	if (err) {
		d = NULL;
		return err_sys(e, err, "BTF cannot be written as C");
	}
	attributes_find(&printer, a);
	if (all && unsorted)
		n = btf_count(t) - btf_start(t);
	else if (all)
		ids = order_by_name(t, a, &n);
	out_str(o, prologue);
	err = put_types(t, d, ids, n, o, e);
	if (!err && all)
		err = put_kfuncs(t, d, a, o, e);
	if (!err)
		out_str(o, epilogue);
	return err;
}
