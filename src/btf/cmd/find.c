/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/near.h"
#include "types/btf.h"
#include "btf/cmd/commands.h"
#include "types/declare.h"
#include "types/layout.h"
#include "types/types_ref.h"
#include "cli/records.h"
#include "record/field.h"

#define CHAIN 64  /* chained pointers, arrays and qualifiers */
#define NESTED 64 /* nested types */

struct type_hit {
	uint32_t id;
	const char *kind, *name, *member, *as;
	uint64_t offset, size, times;
	uint32_t bits, depth;
	uint8_t has_offset, has_times; /* enum avail */
};
#define OFFSET FIELD_WHEN(type_hit, has_offset), .flags = FIELD_DEFAULT
static const struct field found_fields[] = {
	FIELD(type_hit, id, "id", "number of the type that contains it", .also = "type_id", .flags = FIELD_DEFAULT),
	FIELD(type_hit, kind, "kind", "kind: struct, union, typedef (of an anonymous type), func or var",
	      .role = ROLE_KIND, .flags = FIELD_DEFAULT),
	FIELD(type_hit, name, "name", "name of the type that contains it", .role = ROLE_NAME, .flags = FIELD_DEFAULT),
	FIELD(type_hit, member, "member",
	      "member, with the names of the members that contain it; for a function the parameter", .role = ROLE_NAME,
	      .flags = FIELD_DEFAULT),
	FIELD(type_hit, as, "type", "type of the member, or signature of the function", .role = ROLE_KIND,
	      .flags = FIELD_DEFAULT),
	FIELD(type_hit, offset, "offset", "offset in bytes, for a bit field that of its unit", OFFSET),
	FIELD(type_hit, size, "size", "size in bytes, for a bit field that of its unit", OFFSET),
	FIELD(type_hit, bits, "bits", "size of a bit field in bits", .flags = FIELD_NONZERO),
	FIELD_IF(type_hit, times, has_times, "times",
		 "how often the type contains it, including all elements of arrays"),
	FIELD_IF(type_hit, depth, has_times, "depth", "number of types in between, on the path to the first"),
};
static const struct schema found_schema = SCHEMA("found", type_hit, found_fields);

enum find_by { FIND_MEMBER, FIND_TYPE, FIND_CONTAINS, FIND_FUNCTION };
static const char *const what_words[] = { "member", "type", "contains", "function" };
static const struct names what_names = NAMES(what_words);

struct find_opts {
	int what;
	const char *name;
	struct types_ref from;
	struct records_opts records;
};

struct finder {
	struct env *env;
	const struct btf_types *t;
	struct layouts layouts;
	unsigned char *wanted; /* by type id: true if it is searched for */
	struct inside *inside; /* by type id: how it contains a wanted type */
	struct records *ret;
};

static struct type_hit *type_found(struct finder *f, uint32_t id, const char *kind)
{
	struct type_hit *r = records_add(f->ret, f->env);

	*r = (struct type_hit){ .id = id, .kind = kind, .name = btf_name(f->t, id) };
	return r;
}

static const char *kind_word(const struct btf_types *t, uint32_t id)
{
	unsigned kind = btf_kind_of(btf_type(t, id));

	return kind == BTF_KIND_TYPEDEF ? "typedef" : kind == BTF_KIND_STRUCT ? "struct" : "union";
}

/* True for a wanted type, a pointer to one, or an array of one. */
static bool refers(const struct finder *f, uint32_t id)
{
	const struct btf_type *type;
	unsigned i;

	for (i = 0; i < CHAIN && (type = btf_type(f->t, id)); i++) {
		if (f->wanted[id])
			return true;
		switch (btf_kind_of(type)) {
		case BTF_KIND_PTR:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = type->type;
			break;
		case BTF_KIND_ARRAY:
			id = btf_array_of(type)->type;
			break;
		default:
			return false;
		}
	}
	return false;
}

/* Finds members of one type, also in anonymous types: by name, or by type. */
static void members_find(struct finder *f, uint32_t id, const char *name)
{
	struct arena *a = f->env->arena;
	ARENA_SCOPE(a);
	struct layout l;
	uint32_t i;

	layout_read(&f->layouts, id, a, &l);
	for (i = 0; i < l.listed; i++) {
		const struct layout_member *m = &l.members[i];
		struct type_hit *r;

		if (name ? strcmp(m->name, name) : !refers(f, m->type_id))
			continue;
		r = type_found(f, id, kind_word(f->t, id));
		r->member = layout_path(&l, i, f->env->keep);
		r->as = btf_type_text(f->t, m->type_id, f->env->keep);
		r->offset = m->offset;
		r->size = m->size;
		r->bits = m->bits;
		r->has_offset = AVAIL_YES;
	}
}

static void func_find(struct finder *f, uint32_t id)
{
	const struct btf_type *proto = btf_type(f->t, btf_type(f->t, id)->type);
	unsigned i, n = proto && btf_kind_of(proto) == BTF_KIND_FUNC_PROTO ? btf_vlen_of(proto) : 0;
	struct type_hit *r;

	for (i = 0; i < n; i++) {
		if (!refers(f, btf_params_of(proto)[i].type))
			continue;
		r = type_found(f, id, "func");
		r->member = btf_str(f->t, btf_params_of(proto)[i].name_off);
		r->as = btf_type_text(f->t, btf_params_of(proto)[i].type, f->env->keep);
	}
	if (proto && btf_kind_of(proto) == BTF_KIND_FUNC_PROTO && refers(f, proto->type)) {
		r = type_found(f, id, "func");
		r->member = "return";
		r->as = btf_type_text(f->t, proto->type, f->env->keep);
	}
}

/* A function whose name contains the word; NULL: any. */
static void function_find(struct finder *f, uint32_t id, const char *word)
{
	STR text = { 0 };

	if (btf_kind_of(btf_type(f->t, id)) != BTF_KIND_FUNC || (word && !strstr(btf_name(f->t, id), word)) ||
	    btf_signature(f->t, id, &text))
		return;
	type_found(f, id, "func")->as = arena_str(f->env->keep, text.p, text.n);
}

static void uses_find(struct finder *f, uint32_t id)
{
	const struct btf_type *type = btf_type(f->t, id);

	if (btf_kind_of(type) == BTF_KIND_FUNC)
		func_find(f, id);
	else if (btf_kind_of(type) == BTF_KIND_VAR && refers(f, type->type))
		type_found(f, id, "var")->as = btf_type_text(f->t, type->type, f->env->keep);
	else if (layout_struct(f->t, id))
		members_find(f, id, NULL);
}

/* How a struct or union contains the wanted type: how often, and the path to the first. */
struct inside {
	uint64_t times, offset;
	uint32_t member, next, depth; /* next: the type of that member; 0: that is the wanted type */
	uint8_t state;		      /* INSIDE_NEW and following */
};
enum { INSIDE_NEW, INSIDE_BUSY, INSIDE_DONE };

/*
 * Skips arrays and qualifiers up to a struct, union or wanted type; *times is multiplied. 0: another type. Typedefs are
 * skipped one by one, because one of them may be wanted.
 */
static uint32_t embedded(const struct finder *f, uint32_t id, uint64_t *times)
{
	const struct btf_type *type;
	unsigned i;

	for (i = 0; i < CHAIN && (type = btf_type(f->t, id)); i++) {
		if (f->wanted[id])
			return id;
		switch (btf_kind_of(type)) {
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_TYPE_TAG:
		case BTF_KIND_TYPEDEF:
			id = type->type;
			break;
		case BTF_KIND_ARRAY:
			if (__builtin_mul_overflow(*times, (uint64_t)btf_array_of(type)->nelems, times))
				*times = UINT64_MAX;
			id = btf_array_of(type)->type;
			break;
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
			return id;
		default:
			return 0;
		}
	}
	return 0;
}

static uint64_t times_product(uint64_t a, uint64_t b)
{
	uint64_t r;

	return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}

/* A type that contains itself, or is nested too deeply, contains nothing. */
static const struct inside *inside_find(struct finder *f, uint32_t id, unsigned depth)
{
	const struct btf_type *type = btf_type(f->t, id);
	unsigned i, n = btf_vlen_of(type);
	bool kflag = BTF_INFO_KFLAG(type->info);
	struct inside *in = &f->inside[id];

	if (in->state != INSIDE_NEW || depth > NESTED)
		return in;
	in->state = INSIDE_BUSY;
	for (i = 0; i < n; i++) {
		const struct btf_member *m = &btf_members_of(type)[i];
		uint64_t at = (kflag ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset) / 8, times = 1;
		uint32_t child = embedded(f, m->type, &times);
		const struct inside *deeper = child && !f->wanted[child] ? inside_find(f, child, depth + 1) : NULL;

		times = !child ? 0 : deeper ? times_product(times, deeper->times) : times;
		if (!times || (deeper && deeper->state != INSIDE_DONE))
			continue;
		if (!in->times) {
			in->member = i;
			in->next = deeper ? child : 0;
			in->offset = at + (deeper ? deeper->offset : 0);
			in->depth = deeper ? deeper->depth + 1 : 0;
		}
		if (__builtin_add_overflow(in->times, times, &in->times))
			in->times = UINT64_MAX;
	}
	in->state = INSIDE_DONE;
	return in;
}

static void contains_find(struct finder *f, uint32_t id)
{
	uint32_t at = layout_struct(f->t, id), type_id = 0;
	const struct inside *in = at && !f->wanted[id] && !f->wanted[at] ? inside_find(f, at, 0) : NULL;
	const char *path = "";
	struct type_hit *r;
	unsigned i;

	if (!in || !in->times)
		return;
	r = type_found(f, id, kind_word(f->t, id));
	r->has_offset = r->has_times = AVAIL_YES;
	r->offset = in->offset;
	r->times = in->times;
	r->depth = in->depth;
	for (i = 0; at && i <= NESTED; i++) {
		const struct btf_member *m = &btf_members_of(btf_type(f->t, at))[f->inside[at].member];
		const char *name = btf_str(f->t, m->name_off);

		if (*name)
			path = *path ? arena_fmt(f->env->keep, "%s.%s", path, name) : name;
		type_id = m->type;
		at = f->inside[at].next;
	}
	r->member = path;
	r->as = btf_type_text(f->t, type_id, f->env->keep);
	btf_size(f->t, type_id, &r->size);
}

static int wanted_mark(struct finder *f, const char *name, struct err *e)
{
	const uint32_t *ids;
	size_t i, n;
	int err = btf_types_find(f->env, f->t, name, &ids, &n, e);

	if (err)
		return err;
	f->wanted = arena_alloc(f->env->keep, btf_count(f->t));
	f->inside = arena_array(f->env->keep, btf_count(f->t), sizeof(*f->inside));
	for (i = 0; i < n; i++)
		f->wanted[ids[i]] = 1;
	return 0;
}

static int near_members(const struct finder *f, const char *word, struct err *e)
{
	struct near near = { 0 };

	for (uint32_t id = 1; id < btf_count(f->t); id++) {
		const struct btf_type *t = btf_type(f->t, id);

		if (!t || (btf_kind_of(t) != BTF_KIND_STRUCT && btf_kind_of(t) != BTF_KIND_UNION))
			continue;
		for (unsigned i = 0; i < btf_vlen_of(t); i++)
			near_offer(&near, word, btf_str(f->t, btf_members_of(t)[i].name_off));
	}
	return near_hint(&near, e);
}

static int nothing_found(const struct finder *f, const struct find_opts *o, struct err *e)
{
	static const char *const nothing[] = {
		[FIND_MEMBER] = "no struct or union has a member",
		[FIND_TYPE] = "nothing has type",
		[FIND_CONTAINS] = "no struct or union contains",
		[FIND_FUNCTION] = "no function's name contains",
	};

	if (btf_whole(f->t, e))
		return err_in(e, "no match for '%s' in the types that can be used", o->name ? o->name : "function");
	if (!o->name)
		return err_set(e, -ENOENT, "these types have no functions");
	err_set(e, -ENOENT, "%s '%s'", nothing[o->what], o->name);
	return o->what == FIND_MEMBER ? near_members(f, o->name, e) : e->code;
}

static int types_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	const struct find_opts *o = opts;
	struct finder f = { .env = env, .ret = ret };
	uint32_t id = 1;
	int err = o->name || o->what == FIND_FUNCTION ? btf_types_get(env, &o->from, &f.t, e) :
							err_usage(e, "'find %s' needs NAME", what_words[o->what]);

	if (!err && (o->what == FIND_TYPE || o->what == FIND_CONTAINS))
		err = wanted_mark(&f, o->name, e);
	if (err)
		return err;
	btf_types_whole(env, f.t);
	layouts_init(&f.layouts, f.t, env->keep);
	if (o->what == FIND_FUNCTION) /* a module's, without the kernel's */
		id = btf_start(f.t);
	for (; id < btf_count(f.t); id++) {
		if (o->what == FIND_MEMBER && layout_struct(f.t, id))
			members_find(&f, id, o->name);
		else if (o->what == FIND_TYPE)
			uses_find(&f, id);
		else if (o->what == FIND_CONTAINS)
			contains_find(&f, id);
		else if (o->what == FIND_FUNCTION)
			function_find(&f, id, o->name);
	}
	if (ret->n)
		return 0;
	return nothing_found(&f, o, e);
}

static void find_offer(struct env *env, const struct arg_list *before, const char *typed, arg_offer *offer, void *ctx)
{
	if (before->n && str_starts("function", before->word[before->n - 1]))
		btf_offer_functions(env, typed, offer, ctx);
	else
		btf_offer_types(env, before, typed, offer, ctx);
}

static const struct arg find_args[] = {
	OPERAND("WHAT", ARG_WORD, struct find_opts, what,
		"a member with that name, anything of that type, types that contain that type, or functions",
		.words = &what_names),
	ARG("NAME", ARG_STR, struct find_opts, name,
	    "name of the member or type, for a type also its number; for functions a part of their names, '' or nothing for all",
	    .flags = ARG_POSITIONAL, .offers = find_offer),
	FROM_ARG(struct find_opts, from),
	RECORDS_ARGS(struct find_opts, records),
};

const struct command btf_cmd_find = {
	.name = "find",
	.summary = "find functions, or the uses of a member or type",
	.help = "`member` lists structs and unions with a member of that name, also in anonymous types. `type` lists "
		"members, parameters, results and variables of that type, pointers to it and arrays of it. "
		"`contains` lists structs and unions that contain that type, directly or in others: how often, and "
		"the path to the first. `function` lists functions with their signatures.",
	.example = "btf find member value from map name counters",
	.schema = &found_schema,
	ARGS(find_args, struct find_opts),
	.flags = CMD_READ | CMD_OURS,
	COLLECT(types_collect, struct find_opts),
};
