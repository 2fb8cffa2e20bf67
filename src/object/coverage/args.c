/* SPDX-License-Identifier: BSD-2-Clause */
#include "object/coverage/cover.h"

#include <linux/btf.h>

#include "base/bytes.h"
#include "kernel/names.h"
#include "types/btf.h"

#define ARGS_MAX 5

/* Registers that arguments of a function type need; a struct of 16 bytes is in two. */
static unsigned proto_args(const struct btf_types *t, uint32_t func)
{
	const struct btf_type *f = btf_type(t, func);
	const struct btf_type *proto = f && btf_kind_of(f) == BTF_KIND_FUNC ? btf_type(t, f->type) : NULL;
	const unsigned n = proto && btf_kind_of(proto) == BTF_KIND_FUNC_PROTO ? btf_vlen_of(proto) : ARGS_MAX;

	for (unsigned i = 0; i < n && n < ARGS_MAX; i++) {
		uint64_t size;

		if (btf_size(t, btf_params_of(proto)[i].type, &size) || size > sizeof(uint64_t))
			return ARGS_MAX;
	}
	return n < ARGS_MAX ? n : ARGS_MAX;
}

static unsigned call_args(const struct object *o, const struct object_func *f, size_t at, const struct insn *n)
{
	const struct code_ref to = object_code_ref(o, f->section, f->off + at * INSN_SIZE);
	struct ext_part types;

	if (to.kind == CODE_REF_NONE && n->src == INSN_CALL_HELPER)
		return names_helper_args((uint32_t)n->imm);
	if (!o->btf || to.kind == CODE_REF_NONE)
		return ARGS_MAX;
	if (to.kind == CODE_REF_SYMBOL)
		return proto_args(o->btf, btf_find(o->btf, to.symbol->name, BTF_KIND_FUNC));
	types = object_ext(o, EXT_FUNCS, to.func->section, to.func->off, INSN_SIZE);
	return types.n ? proto_args(o->btf, ext_u32(&types, 0, 1)) : ARGS_MAX;
}

uint8_t *cover_args(const struct object *o, const struct object_func *f, struct arena *a)
{
	const size_t insns = f->size / INSN_SIZE;
	uint8_t *ret = arena_alloc(a, insns);
	struct insn n;

	for (size_t i = 0; i < insns; i += n.slots) {
		insn_decode(&n, o->elf.sects[f->section].p + f->off + i * INSN_SIZE, insns - i, BIG_HERE);
		ret[i] = (uint8_t)(n.code == INSN_CALL ? call_args(o, f, i, &n) : 0);
	}
	return ret;
}
