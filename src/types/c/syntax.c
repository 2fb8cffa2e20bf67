/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/c/syntax.h"

#include "types/c/writer.h"
#include "types/nesting.h"
#include "types/order.h"
#include "types/types.h"

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

struct kfunc {
	const char *name;
	uint32_t func;
	bool fastcall;
};

static int kfunc_cmp(const void *pa, const void *pb)
{
	const struct kfunc *a = pa, *b = pb;
	int cmp = strcmp(a->name, b->name);

	return cmp ?: NUM_CMP(a->func, b->func);
}

/* For a tag on a whole function with a prototype: the type id of the function, else 0. */
static uint32_t tagged_func(const struct btf_types *t, const struct btf_type *type)
{
	const struct btf_decl_tag *decl = (const void *)(type + 1);
	const struct btf_type *func, *proto;

	if (decl->component_idx != -1)
		return 0;
	func = type_at(t, type->type);
	proto = func && btf_kind_of(func) == BTF_KIND_FUNC ? type_at(t, func->type) : NULL;
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
		tags += btf_kind_of(type_at(t, id)) == BTF_KIND_DECL_TAG;
	for (i = 0; i < n; i++)
		lists[i].func = arena_array(a, tags, sizeof(*lists[i].func));
	for (id = btf_start(t); tags && id < btf_count(t); id++) {
		const struct btf_type *type = type_at(t, id);

		if (btf_kind_of(type) != BTF_KIND_DECL_TAG)
			continue;
		func = tagged_func(t, type);
		for (i = 0; func && i < n; i++)
			if (!strcmp(str_at(t, type->name_off), lists[i].tag))
				lists[i].func[lists[i].n++] = func;
	}
	for (i = 0; i < n; i++)
		qsort(lists[i].func, lists[i].n, sizeof(*lists[i].func), num_order_u32);
}

static void put_kfuncs(struct c_writer *w, struct arena *a)
{
	struct tagged tagged[] = { { .tag = "bpf_kfunc" }, { .tag = "bpf_fastcall" } }, *funcs = &tagged[0],
		      *fast = &tagged[1];
	const struct btf_types *t = w->d.t;
	struct out *o = w->d.out;
	struct kfunc *list;
	size_t n;

	tagged_find(t, tagged, ARRAY_SIZE(tagged), a);
	n = funcs->n;
	list = arena_array(a, n, sizeof(*list));
	for (size_t i = 0; i < n; i++)
		list[i] = (struct kfunc){ btf_name(t, funcs->func[i]), funcs->func[i],
					  bsearch(&funcs->func[i], fast->func, fast->n, sizeof(*fast->func),
						  num_order_u32) };
	qsort(list, n, sizeof(*list), kfunc_cmp);
	out_str(o, "\n/* BPF kfuncs */\n#ifndef BPF_NO_KFUNC_PROTOTYPES\n");
	for (size_t i = 0; i < n && !out_dead(o); i++) {
		out_str(o, list[i].fastcall ? "extern __bpf_fastcall " : "extern ");
		declare(&w->d, type_at(t, list[i].func)->type, list[i].name);
		out_str(o, " __weak __ksym;\n");
	}
	out_str(o, "#endif\n\n");
}

int c_syntax(const struct btf_types *t, const uint32_t *ids, size_t n, bool unsorted, struct out *o, struct err *e)
{
	ARENA a = arena_new();
	struct c_writer w;
	bool all = !ids;
	int err = nesting_check(t, e);

	if (err)
		return err;
	c_writer_init(&w, t, a, o);
	if (all && unsorted)
		n = btf_count(t) - btf_start(t);
	else if (all)
		ids = order_by_name(t, a, &n);
	out_str(o, prologue);
	for (size_t i = 0; i < n && !out_dead(o); i++)
		c_write(&w, ids ? ids[i] : btf_start(t) + (uint32_t)i);
	if (all)
		put_kfuncs(&w, a);
	out_str(o, epilogue);
	return 0;
}
