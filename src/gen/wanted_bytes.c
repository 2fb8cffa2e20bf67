/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/btf.h>

#include "types/btf.h"
#include "gen/wanted.h"

#define AT(word) (1u << (word))
#define WORDS_MAX 3u

/* What follows a type: entries of @words words, some of which are strings or types. */
static const struct shape {
	uint8_t words, strings, types;
	bool many;   /* vlen entries, else one */
	bool refers; /* its size member is a type id */
} shapes[] = {
	[BTF_KIND_INT] = { .words = 1 },
	[BTF_KIND_PTR] = { .refers = true },
	[BTF_KIND_ARRAY] = { .words = 3, .types = AT(0) | AT(1) },
	[BTF_KIND_STRUCT] = { .words = 3, .strings = AT(0), .types = AT(1), .many = true },
	[BTF_KIND_UNION] = { .words = 3, .strings = AT(0), .types = AT(1), .many = true },
	[BTF_KIND_ENUM] = { .words = 2, .strings = AT(0), .many = true },
	[BTF_KIND_TYPEDEF] = { .refers = true },
	[BTF_KIND_VOLATILE] = { .refers = true },
	[BTF_KIND_CONST] = { .refers = true },
	[BTF_KIND_RESTRICT] = { .refers = true },
	[BTF_KIND_FUNC_PROTO] = { .words = 2, .strings = AT(0), .types = AT(1), .many = true, .refers = true },
	[BTF_KIND_TYPE_TAG] = { .refers = true },
	[BTF_KIND_ENUM64] = { .words = 3, .strings = AT(0), .many = true },
};

struct writer {
	const struct wanted *w;
	uint32_t *id;	     /* new id, by old id; 0: void, also if it is not wanted */
	struct hash strings; /* offset + 1 in strs, by hash */
	struct str types, strs;
};

static uint32_t string_put(struct writer *wr, uint32_t off)
{
	const char *s = btf_str(wr->w->t, off);

	for (uint64_t salt = 0;; salt++) {
		void **at = hash_put(&wr->strings, hash_text(HASH_TEXT ^ salt, s));

		if (!*at) {
			*at = (void *)(uintptr_t)(wr->strs.n + 1);
			str_add(&wr->strs, s, strlen(s) + 1);
		}
		if (!strcmp(wr->strs.p + (uintptr_t)*at - 1, s))
			return (uint32_t)((uintptr_t)*at - 1);
	}
}

static void entry_put(struct writer *wr, const struct shape *shape, const uint32_t *entry)
{
	uint32_t word[WORDS_MAX];

	for (unsigned i = 0; i < shape->words; i++)
		word[i] = shape->strings & AT(i) ? string_put(wr, entry[i]) :
			  shape->types & AT(i)	 ? wr->id[entry[i]] :
						   entry[i];
	str_add(&wr->types, word, shape->words * sizeof(*word));
}

static bool is_member_wanted(const struct wanted *w, uint32_t id, const struct btf_type *type, unsigned i)
{
	bool members = btf_kind_of(type) == BTF_KIND_STRUCT || btf_kind_of(type) == BTF_KIND_UNION;

	return !members || (w->members[id] && w->members[id][i]);
}

static void type_put(struct writer *wr, uint32_t id)
{
	const struct btf_type *type = btf_type(wr->w->t, id);
	unsigned kind = btf_kind_of(type), n = 0;
	const struct shape none = { 0 }, *shape = kind < ARRAY_SIZE(shapes) ? &shapes[kind] : &none;
	const uint32_t *entry = (const uint32_t *)(type + 1);
	struct btf_type copy = *type;
	size_t at = wr->types.n;

	copy.name_off = string_put(wr, type->name_off);
	if (shape->refers)
		copy.type = wr->id[type->type];
	str_add(&wr->types, &copy, sizeof(copy));
	for (unsigned i = 0; shape->words && i < (shape->many ? btf_vlen_of(type) : 1); i++)
		if (is_member_wanted(wr->w, id, type, i)) {
			entry_put(wr, shape, entry + i * shape->words);
			n++;
		}
	if (!shape->many)
		return;
	copy.info = (type->info & ~0xffffu) | n;
	memcpy(wr->types.p + at, &copy, sizeof(copy));
}

void wanted_bytes(const struct wanted *w, struct arena *a, struct str *ret)
{
	struct writer wr = { .w = w, .id = arena_array(a, btf_count(w->t), sizeof(*wr.id)) };
	struct btf_header h = { .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(h) };
	uint32_t n = 0;

	hash_init(&wr.strings, a);
	string_put(&wr, 0);
	for (uint32_t id = 1; id < btf_count(w->t); id++)
		if (w->state[id])
			wr.id[id] = ++n;
	for (uint32_t id = 1; id < btf_count(w->t); id++)
		if (w->state[id])
			type_put(&wr, id);
	h.type_len = h.str_off = (uint32_t)wr.types.n;
	h.str_len = (uint32_t)wr.strs.n;
	str_add(ret, &h, sizeof(h));
	str_add(ret, wr.types.p, wr.types.n);
	str_add(ret, wr.strs.p, wr.strs.n);
	str_release(&wr.types);
	str_release(&wr.strs);
}
