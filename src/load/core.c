/* SPDX-License-Identifier: BSD-2-Clause */

#include "types/types_ref.h"
#include "load/steps.h"
#include "object/core.h"
#include "object/file.h"

/*
 * "failed to resolve CO-RE relocation <byte_off> [8] struct task_struct.state (0:1 @ offset 16)", for an enumerator
 * "[8] enum e::NAME = 1", for a type only its name: libbpf writes it into the verifier's log since 1.0.
 */
struct asked_for {
	uint32_t type;
	const char *text, *access;
};

static bool sentence_read(const char *message, struct asked_for *ret)
{
	const char *at = strstr(message, "CO-RE relocation <"), *id = at ? strchr(at, '[') : NULL,
		   *access = id ? strrchr(id, '(') : NULL;

	if (!id || sscanf(id, "[%u]", &ret->type) != 1)
		return false;
	ret->text = id;
	ret->access = access && strstr(access, " @ ") ? access + 1 : NULL;
	return true;
}

static bool is_asked_for(const struct btf_types *local, const struct core_reloc *r, const struct asked_for *q)
{
	const size_t n = strlen(r->access);
	const char *enumerator;

	if (r->type != q->type)
		return false;
	if (q->access)
		return !strncmp(q->access, r->access, n) && q->access[n] == ' ';
	enumerator = r->kind == CORE_ENUMVAL_VALUE ? core_enumerator(local, r) : NULL;
	return r->kind > CORE_RSHIFT && (!enumerator || strstr(q->text, enumerator));
}

const char *load_core_missing(const struct load *l, const char *message)
{
	const struct types_ref from = { .by = l->q.kernel_btf ? TYPES_FILE : TYPES_NONE, .path = l->q.kernel_btf };
	const struct object_path path = { .path = l->q.path };
	const struct btf_types *types;
	struct core_found found;
	struct core_target t;
	struct asked_for q;
	struct object *o;

	/* If the file or the types cannot be read, the error to report is still the rejection. */
	if (!sentence_read(message, &q) || object_open(l->env, &path, &o, NULL) || !o->btf ||
	    btf_types_get(l->env, &from, &types, NULL))
		return NULL;
	core_target_init(&t, types, o->btf, l->env->keep);
	for (uint32_t s = 1; o->ext[EXT_CORE] && s < o->elf.nsects; s++)
		for (uint32_t i = 0; i < o->ext[EXT_CORE][s].n; i++) {
			const struct core_reloc r = core_reloc(o, &o->ext[EXT_CORE][s], i);

			if (is_asked_for(o->btf, &r, &q) && !core_find(&t, &r, 0, &found))
				return core_missing(&t, &r);
		}
	return NULL;
}
