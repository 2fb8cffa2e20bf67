/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/btf.h"
#include "cli/env.h"
#include "link/link.h"
#include "kernel/hooks.h"

static const struct field raw_tracepoint_fields[] = {
	LINK_FIELD(text, "tp_name", "tracepoint it is attached to", .also = "tracepoint", .plain = "tp '%'  ",
		   FIELD_WHEN(link_rec, has_bufs)),
	LINK_COOKIE(raw_tracepoint.cookie),
};
const struct link_kind link_raw_tracepoint = {
	.type = ABI_LINK_RAW_TRACEPOINT,
	.part = LINK_PART("raw_tracepoint", raw_tracepoint_fields),
	.bufs = { LINK_BUF(raw_tracepoint.tp_name, raw_tracepoint.tp_name_len, 0) },
	.nbufs = 1,
	.cookie = offsetof(struct abi_link_info, raw_tracepoint.cookie),
};

static bool link_prog_info(struct env *env, struct arena *a, uint32_t id, struct abi_prog_info *ret)
{
	uint32_t len;

	return id && !info_get(env->machine, a, OBJECT_PROG, id, ret, sizeof(*ret), &len);
}

/*
 * The kernel reports the id of a program or of a BTF object, but not which. What the link's own program was loaded for
 * decides: an extension extends a program; any other names the BTF object it was loaded for, which is the target unless
 * the target is a program (the kernel then drops that object when the program is attached).
 */
static bool target_is_prog(const struct link_rec *r, const struct abi_prog_info *prog)
{
	return prog->type == ABI_PROG_EXT ||
	       (prog->attach_btf_id && prog->attach_btf_obj_id != r->info.tracing.target_obj_id);
}

static void tracing_derive(struct env *env, struct arena *a, unsigned need, struct link_rec *r)
{
	uint32_t obj = r->info.tracing.target_obj_id, func = r->info.tracing.target_btf_id;
	struct abi_prog_info prog = { 0 }, target = { 0 };
	const struct btf_types *types;
	struct err e = { 0 };

	r->at.where = arena_fmt(a, "type:%u", func);
	if (!r->info.tracing.attach_type) /* extensions have no attach type of their own */
		r->at.what = hook_of(HOOK_EXT, 0)->word;
	if (!(need & NEED_TARGET) || !obj)
		return;
	if (link_prog_info(env, a, r->info.prog_id, &prog) && target_is_prog(r, &prog)) {
		r->own.tracing.target_prog_id = r->at.target_prog = obj;
		obj = link_prog_info(env, a, obj, &target) ? target.btf_id : 0;
	}
	r->own.tracing.has_target = AVAIL_UNKNOWN;
	if (obj && !btf_get(env->machine, obj, &types, &e) && btf_name(types, func)[0]) {
		r->own.tracing.has_target = AVAIL_YES;
		r->own.tracing.target_name = arena_str(a, btf_name(types, func), SIZE_MAX); /* must outlive the cache */
	}
	r->attach_to = r->own.tracing.target_name ? r->own.tracing.target_name : arena_fmt(a, "type %u", func);
	if (r->own.tracing.target_name)
		r->at.where = r->own.tracing.target_name;
	if (r->own.tracing.target_prog_id) {
		r->at.where = arena_fmt(a, "prog:%u:%s", r->own.tracing.target_prog_id, r->at.where);
		r->attach_to = arena_fmt(a, "%s of prog %u", r->attach_to, r->own.tracing.target_prog_id);
	}
}

/* bpftool's text prints the program type only for these links. */
static const struct wording tracing_words[] = { { "prog_type", "prog_type %  ", 1, 0 } };

static const struct field tracing_fields[] = {
	LINK_FIELD_ATTACH_TYPE,
	LINK_FIELD_AT(2, info.tracing.target_obj_id, "target_obj_id", "BTF object or program that holds the function",
		      .plain = "target_obj_id %  ", .flags = FIELD_PLAIN_NZ | FIELD_OTHERWISE),
	LINK_FIELD_AT(2, info.tracing.target_btf_id, "target_btf_id", "type number of the function",
		      .plain = "target_btf_id %  ", .flags = FIELD_PLAIN_NZ | FIELD_OTHERWISE),
	LINK_COOKIE_AT(3, tracing.cookie),
	LINK_FIELD(own.tracing.target_prog_id, "target_prog_id", "program that holds the function", .unit = FU_PROG,
		   .need = NEED_TARGET, .flags = FIELD_NONZERO | FIELD_NOPLAIN),
	LINK_FIELD(own.tracing.target_name, "target_name", "what the iterator walks, or the function of a tracing link",
		   .need = NEED_TARGET, .flags = FIELD_NOPLAIN, FIELD_WHEN(link_rec, own.tracing.has_target)),
};
const struct link_kind link_tracing = {
	.type = ABI_LINK_TRACING,
	.part = LINK_PART("tracing", tracing_fields, .words = tracing_words, .nwords = ARRAY_SIZE(tracing_words)),
	.derive = tracing_derive,
	.attach_type = offsetof(struct abi_link_info, tracing.attach_type),
	.cookie = offsetof(struct abi_link_info, tracing.cookie),
};
