/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/subset.h"

#include <bpf/btf.h>

#include "types/btf.h"
#include "types/library.h"

/* found[]: wanted types; the parts of those before done are in it too. */
struct subset {
	const struct btf_types *t;
	uint32_t *id; /* by id in t: id in the subset; 0: not wanted */
	uint32_t *found, n, done;
};

static void want(struct subset *s, uint32_t id)
{
	if (!id || s->id[id])
		return;
	s->id[id] = 1;
	s->found[s->n++] = id;
}

static int parts_want(struct subset *s, uint32_t id, struct err *e)
{
	const struct btf_type *type = btf_type(s->t, id);
	unsigned i;

	switch (btf_kind_of(type)) {
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FLOAT:
	case BTF_KIND_PTR:
		return 0;
	case BTF_KIND_ARRAY:
		want(s, btf_array_of(type)->type);
		want(s, btf_array_of(type)->index_type);
		return 0;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		for (i = 0; i < btf_vlen_of(type); i++)
			want(s, btf_members_of(type)[i].type);
		return 0;
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		want(s, type->type);
		return 0;
	default:
		return err_set(e, -EINVAL, "type %u, %s, cannot be the type of a value", id, btf_name(s->t, id));
	}
}

static void tags_want(struct subset *s)
{
	for (uint32_t i = 1; i < btf_count(s->t); i++) {
		const struct btf_type *type = btf_type(s->t, i);

		if (btf_kind_of(type) == BTF_KIND_DECL_TAG && s->id[type->type])
			want(s, i);
	}
}

/* The copy still has the ids of its source. */
static void renumber(const struct subset *s, struct btf_type *type)
{
	struct btf_member *m = (struct btf_member *)(type + 1);
	struct btf_array *array = (struct btf_array *)(type + 1);

	switch (btf_kind_of(type)) {
	case BTF_KIND_PTR:
		type->type = 0;
		return;
	case BTF_KIND_ARRAY:
		array->type = s->id[array->type];
		array->index_type = s->id[array->index_type];
		return;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		for (unsigned i = 0; i < btf_vlen_of(type); i++)
			m[i].type = s->id[m[i].type];
		return;
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FLOAT:
		return;
	default:
		type->type = s->id[type->type];
	}
}

static int copy(struct subset *s, struct btf *to, const struct btf *from)
{
	for (uint32_t i = 0; i < s->n; i++) {
		int id = btf__add_type(to, from, btf__type_by_id(from, s->found[i]));

		if (id < 0)
			return id;
		s->id[s->found[i]] = (uint32_t)id;
	}
	for (uint32_t i = 0; i < s->n; i++)
		renumber(s, (struct btf_type *)btf__type_by_id(to, s->id[s->found[i]]));
	return 0;
}

static int bytes_make(struct subset *s, struct arena *a, const void **ret, size_t *ret_n, struct err *e)
{
	struct btf *to = btf__new_empty();
	LIBRARY lib = { 0 };
	int err = library_load(&lib, s->t, e);
	const void *p;
	uint32_t n;

	if (!err) {
		err = copy(s, to, lib.btf);
		p = err ? NULL : btf__raw_data(to, &n);
		if (p)
			*ret = arena_dup(a, p, *ret_n = n);
		else
			err = err_sys(e, err ? err : -ENOMEM, "cannot copy these types");
	}
	btf__free(to);
	return err;
}

int btf_subset(const struct btf_types *t, uint32_t *ids, unsigned n_ids, struct arena *a, const void **ret,
	       size_t *ret_n, struct err *e)
{
	struct subset s = { .t = t,
			    .id = arena_array(a, btf_count(t), sizeof(*s.id)),
			    .found = arena_array(a, btf_count(t), sizeof(*s.found)) };
	int err = 0;
	unsigned i;

	for (i = 0; i < n_ids; i++)
		want(&s, ids[i]);
	while (s.done < s.n && !err)
		err = parts_want(&s, s.found[s.done++], e);
	if (err)
		return err;
	tags_want(&s);
	err = bytes_make(&s, a, ret, ret_n, e);
	for (i = 0; i < n_ids && !err; i++)
		ids[i] = s.id[ids[i]];
	return err;
}
