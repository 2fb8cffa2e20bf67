/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/names.h"

#include "types/btf.h"
#include "cli/env.h"
#include "kernel/abi.h"
#include "source/facts.h"
#include "source/lives.h"

#define TAG 8

#define PREFIX "bpf_prog_"
#define NAME_AT (sizeof(PREFIX) - 1 + 2 * TAG)

const char *code_name_make(struct arena *a, const unsigned char *tag, const struct abi_prog_info *info,
			   const struct code_info *s, size_t i)
{
	const char *name = i < s->funcs.n ? btf_name(s->btf, code_info_func(s, i).type_id) : "";
	char hex[2 * TAG + 1] = "";

	for (unsigned b = 0; b < TAG; b++)
		memcpy(hex + 2 * b, num_hex2[tag ? tag[b] : info->tag[b]], 2);
	if (!*name)
		name = i ? "F" : arena_str(a, info->name, strnlen(info->name, sizeof(info->name)));
	return arena_fmt(a, PREFIX "%s%s%s", hex, *name ? "_" : "", name);
}

bool code_name_is(const char *symbol)
{
	return str_starts(symbol, PREFIX) && strspn(symbol + sizeof(PREFIX) - 1, "0123456789abcdef") >= 2 * TAG &&
	       (!symbol[NAME_AT] || symbol[NAME_AT] == '_');
}

const char *code_name_short(const char *symbol)
{
	return code_name_is(symbol) && symbol[NAME_AT] && symbol[NAME_AT + 1] ? symbol + NAME_AT + 1 : symbol;
}

void code_names_read(struct env *env, uint32_t id, const struct abi_prog_info *info, const struct code_info *s,
		     struct code_names *ret)
{
	const struct life *life = facts_life(env->machine, id);
	struct info_array ksyms, lens, tags;
	struct symbol *own;

	*ret = (struct code_names){ .machine = env->machine, .gone = life && (life->gone || life->open) };
	if (!ret->gone)
		return;
	ksyms = info_array_read(env, id, Q_PROG_JITED_KSYMS, info->nr_jited_ksyms, sizeof(uint64_t), sizeof(uint64_t));
	lens = info_array_read(env, id, Q_PROG_JITED_FUNC_LENS, info->nr_jited_func_lens, sizeof(uint32_t),
			       sizeof(uint32_t));
	tags = info_array_read(env, id, Q_PROG_PROG_TAGS, info->nr_prog_tags, TAG, TAG);
	own = arena_array(env->arena, ksyms.n, sizeof(*own));
	for (; ret->n < ksyms.n && ret->n < tags.n && ret->n < lens.n; ret->n++) {
		struct symbol *sym = &own[ret->n];

		memcpy(&sym->addr, ksyms.p + ret->n * ksyms.size, sizeof(sym->addr));
		sym->name = code_name_make(env->arena, ret->n ? tags.p + ret->n * tags.size : NULL, info, s, ret->n);
		sym->module = "bpf";
	}
	ret->own = own;
	ret->lens = arena_dup(env->arena, lens.p, ret->n * sizeof(*ret->lens));
}

const struct symbol *code_names_at(const struct code_names *names, uint64_t addr)
{
	const struct symbol *s;

	for (size_t i = 0; i < names->n; i++)
		if (addr - names->own[i].addr < names->lens[i])
			return &names->own[i];
	s = names->machine && addr ? facts_symbol(names->machine, addr) : NULL;
	return s && names->gone && s->module && !strcmp(s->module, "bpf") ? NULL : s;
}
