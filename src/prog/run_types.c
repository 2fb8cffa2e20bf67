/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/run.h"

#include "types/btf.h"
#include "types/declare.h"
#include "types/value/value.h"
#include "cli/env.h"
#include "code/info.h"
#include "render/doc.h"

#define TYPE(t) (1ull << ABI_PROG_##t)
/* The type that the kernel writes (net/bpf/test_run.c), by program type. */
struct kernel_type {
	uint64_t types;
	const char *name;
};
static const struct kernel_type contexts[] = {
	{ TYPE(XDP), "xdp_md" },
	{ TYPE(SK_LOOKUP), "bpf_sk_lookup" },
	{ TYPE(SOCKET_FILTER) | TYPE(SCHED_CLS) | TYPE(SCHED_ACT) | TYPE(CGROUP_SKB) | TYPE(LWT_IN) | TYPE(LWT_OUT) |
		  TYPE(LWT_XMIT) | TYPE(LWT_SEG6LOCAL),
	  "__sk_buff" },
};
static const struct kernel_type outputs[] = { { TYPE(FLOW_DISSECTOR), "bpf_flow_keys" } };

static void type_fill(struct env *env, const struct btf_types *t, uint32_t id, struct run_type *ret)
{
	uint64_t size;

	if (!id || btf_size(t, id, &size) || !size || size > UINT32_MAX)
		return;
	*ret = (struct run_type){ btf_type_text(t, id, env->keep),
				  value_plan_unique(value_plan_flat(t, id, value_form_of(env), env->keep), env->keep) };
}

static void kernel_type(struct env *env, const struct kernel_type *list, size_t n, uint32_t type, struct run_type *ret)
{
	const struct btf_types *t;
	bool file;

	for (size_t i = 0; i < n; i++)
		if (type < 64 && list[i].types >> type & 1 && !btf_get_default(env->machine, &t, &file, NULL))
			type_fill(env, t, btf_find(t, list[i].name, BTF_KIND_STRUCT), ret);
}

/* The type that the first argument of its function points to. */
static void argument_type(struct env *env, uint32_t id, const struct abi_prog_info *info, struct run_type *ret)
{
	const struct btf_type *t;
	struct code_info src;

	if (!info->btf_id || !info->nr_func_info)
		return;
	code_info_read(env, id, info, &src);
	t = src.funcs.n ? btf_type(src.btf, code_info_func(&src, 0).type_id) : NULL;
	if (t && btf_kind_of(t) == BTF_KIND_FUNC)
		t = btf_type(src.btf, t->type);
	if (!t || btf_kind_of(t) != BTF_KIND_FUNC_PROTO || !btf_vlen_of(t))
		return;
	t = btf_resolved(src.btf, btf_params_of(t)[0].type);
	if (t && btf_kind_of(t) == BTF_KIND_PTR)
		type_fill(env, src.btf, t->type, ret);
}

void run_types(struct env *env, uint32_t id, const struct abi_prog_info *info, struct run_type *ret_data,
	       struct run_type *ret_ctx)
{
	*ret_data = *ret_ctx = (struct run_type){ 0 };
	kernel_type(env, outputs, ARRAY_SIZE(outputs), info->type, ret_data);
	kernel_type(env, contexts, ARRAY_SIZE(contexts), info->type, ret_ctx);
	if (!ret_ctx->plan)
		argument_type(env, id, info, ret_ctx);
}

void run_put_typed(struct doc *d, const char *member, const struct run_type *t, const void *p, uint32_t n)
{
	doc_text(d, t->name);
	doc_text(d, ": ");
	value_print(t->plan, doc_value(d, member), p, n);
	doc_text(d, "\n");
}
