/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/value/named.h"
#include "types/value/plan.h"

#include "types/btf.h"
#include "types/value/quote.h"

#define EMPTY_REPEATS 256u /* for elements of size 0: nothing else limits their number */

struct compiler {
	const struct btf_types *t;
	struct arena *arena;
	struct out quoted; /* scratch memory for names */
	struct step *step;
	uint32_t n;
	size_t cap;
	uint32_t repeats; /* product of the counts of the enclosing arrays of size 0 */
	bool full, funcs, flat, flow;
	enum value_view view;
	struct hash tags; /* member_key() -> enum format */
};

/* The position of a value that is compiled, and its container. */
struct plan_place {
	const char *name;   /* NULL: an element or the top */
	uint64_t bit, room; /* offset in bits; bytes of the enclosing type */
	unsigned bits;	    /* width of a bit field, or 0 */
	unsigned depth;
};

static void compile(struct compiler *c, uint32_t type, struct plan_place at);

static struct step *step_add(struct compiler *c, enum step_op op, const struct plan_place *at)
{
	struct step *s;

	c->step = array_more(c->step, c->n, &c->cap, sizeof(*s));
	s = &c->step[c->n++];
	/* The end brackets are added after that: at most PLAN_DEPTH of them. */
	c->full = c->n >= PLAN_STEPS;
	*s = (struct step){ .op = (uint8_t)op, .flags = btf_is_big(c->t) ? STEP_BIG : 0 };
	if (!at)
		return s;
	s->off = at->bit / 8;
	if (at->name)
		s->name = quote_text(&c->quoted, c->arena, at->name, &s->name_len);
	return s;
}

/* Writes the opening bracket; returns it for finish(). */
static uint32_t begin(struct compiler *c, enum step_op op, const struct plan_place *at, uint64_t size)
{
	step_add(c, op, at)->size = size;
	return c->n - 1;
}

static void finish(struct compiler *c, uint32_t opened)
{
	step_add(c, STEP_END, NULL);
	c->step[opened].end = c->n;
}

static void null_add(struct compiler *c, const struct plan_place *at)
{
	step_add(c, STEP_NULL, at);
}

static bool place_fits(const struct plan_place *at, uint64_t size)
{
	return at->bit / 8 <= at->room && size <= at->room - at->bit / 8;
}

static void scalar_add(struct compiler *c, enum step_op op, uint64_t size, const struct plan_place *at)
{
	if (at->bit % 8 || !place_fits(at, size))
		return null_add(c, at);
	step_add(c, op, at)->size = size;
}

static struct step *bits_add(struct compiler *c, unsigned bits, const struct plan_place *at)
{
	unsigned shift = at->bit % 8, size = (shift + bits + 7) / 8;
	struct step *s;

	if (!bits || bits > 128 || !place_fits(at, size))
		return step_add(c, STEP_NULL, at);
	s = step_add(c, STEP_BITS, at);
	s->size = size;
	s->bits = (uint8_t)bits;
	s->shift = (uint8_t)shift;
	if (c->view != VIEW_BPFTOOL && bits <= 64)
		s->flags |= STEP_OWN;
	return s;
}

static void int_add(struct compiler *c, const struct btf_type *type, struct plan_place at)
{
	static const uint8_t s_ops[] = { [1] = STEP_S8, [2] = STEP_S16, [4] = STEP_S32, [8] = STEP_S64 };
	static const uint8_t u_ops[] = { [1] = STEP_U8, [2] = STEP_U16, [4] = STEP_U32, [8] = STEP_U64 };
	uint32_t word, encoding, size = type->size;
	struct step *s;

	memcpy(&word, type + 1, sizeof(word));
	encoding = BTF_INT_ENCODING(word);
	at.bit += BTF_INT_OFFSET(word);
	if (at.bits || at.bit % 8 || BTF_INT_BITS(word) != size * 8u || size > 8 || (size & (size - 1)) || !size) {
		s = bits_add(c, at.bits ? at.bits : BTF_INT_BITS(word), &at);
		if (encoding & BTF_INT_SIGNED)
			s->flags |= STEP_SIGNED;
		return;
	}
	if (encoding == BTF_INT_BOOL)
		scalar_add(c, STEP_BOOL, size, &at);
	else if (encoding == BTF_INT_CHAR && size == 1)
		scalar_add(c, STEP_CHAR, size, &at);
	else
		scalar_add(c, (encoding & BTF_INT_SIGNED ? s_ops : u_ops)[size], size, &at);
}

static void enum_add(struct compiler *c, const struct btf_type *type, const struct plan_place *at)
{
	uint32_t size = type->size;
	struct step *s;

	if (!at->bits && (at->bit % 8 || !place_fits(at, size) || (size != 1 && size != 2 && size != 4 && size != 8))) {
		null_add(c, at);
		return;
	}
	s = at->bits ? bits_add(c, at->bits, at) : step_add(c, STEP_ENUM, at);
	if (s->op == STEP_NULL)
		return;
	if (s->op == STEP_ENUM)
		s->size = size;
	if (btf_kind_of(type) == BTF_KIND_ENUM || BTF_INFO_KFLAG(type->info))
		s->flags |= STEP_SIGNED;
	s->n = quote_enum(&c->quoted, c->arena, c->t, type, &s->words);
}

/* True for "char" itself, with or without qualifiers: as in bpftool, neither unsigned char nor a typedef is text. */
static bool is_char(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type = btf_type(t, id);
	uint32_t word;
	unsigned i;

	for (i = 0; type && i < PLAN_DEPTH; i++) {
		unsigned kind = btf_kind_of(type);

		if (kind != BTF_KIND_CONST && kind != BTF_KIND_VOLATILE && kind != BTF_KIND_RESTRICT)
			break;
		type = btf_type(t, type->type);
	}
	if (!type || btf_kind_of(type) != BTF_KIND_INT || type->size != 1)
		return false;
	memcpy(&word, type + 1, sizeof(word));
	return BTF_INT_ENCODING(word) == BTF_INT_CHAR || !strcmp(btf_str(t, type->name_off), "char");
}

static void list_add(struct compiler *c, const struct btf_type *type, const struct plan_place *at)
{
	const struct btf_array *arr = btf_array_of(type);
	uint32_t list, text = UINT32_MAX, repeats = c->repeats;
	uint64_t stride = 0, size = 0;
	struct step *s;

	if (!arr->nelems) {
		step_add(c, STEP_EMPTY, at);
		return;
	}
	if (btf_size(c->t, arr->type, &stride) || __builtin_mul_overflow(stride, (uint64_t)arr->nelems, &size) ||
	    at->bit % 8 || !place_fits(at, size))
		return null_add(c, at);
	if (!stride && (arr->nelems > EMPTY_REPEATS || repeats * arr->nelems > EMPTY_REPEATS))
		return null_add(c, at);
	if (is_char(c->t, arr->type)) {
		text = c->n;
		s = step_add(c, STEP_TEXT, at);
		s->size = size;
		s->n = arr->nelems;
	}
	list = c->n;
	s = step_add(c, STEP_LIST, at);
	s->size = size;
	s->n = arr->nelems;
	s->stride = stride;
	if (!stride)
		c->repeats = repeats * arr->nelems;
	compile(c, arr->type, (struct plan_place){ .room = stride, .depth = at->depth + 1 });
	c->repeats = repeats;
	c->step[list].end = c->n;
	if (text != UINT32_MAX)
		c->step[text].end = c->n;
}

/* Members that user space cannot write (kernel/bpf/btf.c, btf_get_field_type()). */
static bool is_kernel_field(const char *name)
{
	static const char *const names[] = {
		"bpf_spin_lock", "bpf_res_spin_lock", "bpf_timer",   "bpf_wq",	    "bpf_task_work",
		"bpf_list_head", "bpf_list_node",     "bpf_rb_root", "bpf_rb_node", "bpf_refcount",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* The members of a type follow it in memory, so each has a unique key. */
static uint64_t member_key(const struct btf_type *type, uint32_t member)
{
	return (uintptr_t)type + 1 + member;
}

static void tags_find(struct compiler *c)
{
	for (uint32_t id = 1; id < btf_count(c->t); id++) {
		const struct btf_type *tag = btf_type(c->t, id), *of;
		const char *word = tag && btf_kind_of(tag) == BTF_KIND_DECL_TAG ? btf_str(c->t, tag->name_off) : "";
		uint32_t member;

		if (!str_starts(word, FORMAT_TAG))
			continue;
		word += strlen(FORMAT_TAG);
		of = btf_type(c->t, tag->type);
		memcpy(&member, tag + 1, sizeof(member));
		if (of && (btf_kind_of(of) == BTF_KIND_STRUCT || btf_kind_of(of) == BTF_KIND_UNION) &&
		    member < btf_vlen_of(of))
			*hash_put(&c->tags, member_key(of, member)) =
				(void *)(uintptr_t)format_parse(word, strlen(word));
	}
}

/* NULL: it does not fit. */
static struct step *step_for(struct step *step, uint32_t i, enum format f)
{
	struct step *s = &step[i];

	while (s->op == STEP_LIST && !format_fits(f, s->size))
		s++;
	return s->op == STEP_NULL || s->op == STEP_BITS || s->op == STEP_EMPTY || !format_fits(f, s->size) ? NULL : s;
}

bool step_format(struct step *step, uint32_t i, enum format f)
{
	struct step *s = step_for(step, i, f);

	if (!s)
		return false;
	if (!s->end)
		s->end = (uint32_t)(s - step) + 1;
	if (s->op != STEP_FORMAT)
		s->plain = s->op;
	s->op = STEP_FORMAT;
	s->format = (uint8_t)f;
	s->flags &= (uint8_t)~STEP_IMPLIED;
	return true;
}

/* What the name of a member of @type, compiled to step @i, implies. */
static void step_imply(struct compiler *c, uint32_t i, uint32_t type, const char *name)
{
	const enum format sure = named_format(c->t, type, name),
			  f = sure ? sure : named_guess(c->t, type, name, c->flow);
	struct step *s = f ? step_for(c->step, i, f) : NULL;

	if (!s)
		return;
	s->format = (uint8_t)f;
	if (sure && c->view == VIEW_NAMED && step_format(c->step, i, f))
		s->flags |= STEP_IMPLIED;
}

static void struct_add(struct compiler *c, const struct btf_type *type, const struct plan_place *at)
{
	const struct btf_member *m = btf_members_of(type);
	bool kflag = BTF_INFO_KFLAG(type->info), anonymous = c->flat && at->name && !at->name[0], flow = c->flow;
	uint32_t object = 0;
	enum format f;
	unsigned i;

	if (at->bit % 8 || !place_fits(at, type->size)) {
		null_add(c, at);
		return;
	}
	if (!anonymous)
		object = begin(c, STEP_OBJECT, at, type->size);
	if (btf_kind_of(type) == BTF_KIND_UNION && !anonymous)
		c->step[object].flags |= STEP_UNION;
	else if (!anonymous && is_kernel_field(btf_str(c->t, type->name_off)))
		c->step[object].flags |= STEP_KERNEL;
	c->flow = flow || named_is_flow(c->t, type);
	for (i = 0; i < btf_vlen_of(type) && !c->full; i++) {
		uint32_t bit = kflag ? BTF_MEMBER_BIT_OFFSET(m[i].offset) : m[i].offset, first = c->n;

		compile(c, m[i].type,
			(struct plan_place){
				.name = btf_str(c->t, m[i].name_off),
				.bit = at->bit + bit,
				.room = at->bit / 8 + type->size,
				.bits = kflag ? BTF_MEMBER_BITFIELD_SIZE(m[i].offset) : 0,
				.depth = at->depth + 1,
			});
		/* A format that does not fit is ignored. */
		f = c->tags.n ? (enum format)(uintptr_t)hash_get(&c->tags, member_key(type, i)) : FORMAT_NONE;
		if (f)
			step_format(c->step, first, f);
		else
			step_imply(c, first, m[i].type, btf_str(c->t, m[i].name_off));
	}
	c->flow = flow;
	if (!anonymous)
		finish(c, object);
}

static void datasec_add(struct compiler *c, const struct btf_type *type, const struct plan_place *at)
{
	const struct btf_var_secinfo *v = btf_vars_of(type);
	struct plan_place section = { .name = btf_str(c->t, type->name_off) };
	uint32_t object, array, around;
	unsigned i;

	object = begin(c, STEP_OBJECT, at, type->size);
	array = begin(c, STEP_ARRAY, &section, type->size);
	for (i = 0; i < btf_vlen_of(type) && !c->full; i++) {
		const struct btf_type *var = btf_type(c->t, v[i].type);

		if (!var || btf_kind_of(var) != BTF_KIND_VAR)
			continue;
		around = begin(c, STEP_OBJECT, NULL, 0);
		compile(c, var->type,
			(struct plan_place){
				.name = btf_str(c->t, var->name_off),
				.bit = at->bit + (uint64_t)v[i].offset * 8,
				.room = at->room,
				.depth = at->depth + 3,
			});
		finish(c, around);
	}
	finish(c, array);
	finish(c, object);
}

/* Adds a pointer, or with c->funcs the program that is in the place of the function. */
static void pointer_add(struct compiler *c, const struct btf_type *type, const struct plan_place *at)
{
	uint32_t proto = btf_resolve(c->t, type->type);
	STR text = { 0 };
	struct step_word *w;
	struct step *s;

	if (!c->funcs || btf_signature(c->t, proto, &text))
		return scalar_add(c, STEP_PTR, btf_pointer_size(c->t), at);
	if (at->bit % 8 || !place_fits(at, btf_pointer_size(c->t)))
		return null_add(c, at);
	w = arena_alloc(c->arena, sizeof(*w));
	w->text = arena_str(c->arena, text.p, text.n);
	s = step_add(c, STEP_FUNC, at);
	s->size = btf_pointer_size(c->t);
	s->n = 1;
	s->words = w;
}

static void compile(struct compiler *c, uint32_t id, struct plan_place at)
{
	const struct btf_type *type = btf_resolved(c->t, id);
	unsigned kind = type ? btf_kind_of(type) : BTF_KIND_UNKN;

	if (at.depth > PLAN_DEPTH)
		return null_add(c, &at);
	switch (kind) {
	case BTF_KIND_INT:
		return int_add(c, type, at);
	case BTF_KIND_PTR:
		return pointer_add(c, type, &at);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return enum_add(c, type, &at);
	case BTF_KIND_FLOAT:
		if (type->size == sizeof(float) || type->size == sizeof(double))
			return scalar_add(c, type->size == sizeof(float) ? STEP_FLOAT : STEP_DOUBLE, type->size, &at);
		bits_add(c, type->size > 16 ? 0 : type->size * 8, &at);
		return;
	case BTF_KIND_ARRAY:
		return list_add(c, type, &at);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return struct_add(c, type, &at);
	case BTF_KIND_DATASEC:
		if (at.depth) /* it cannot be inside another type */
			return null_add(c, &at);
		return datasec_add(c, type, &at);
	case BTF_KIND_VAR:
		at.depth++;
		return compile(c, type->type, at);
	default:
		return null_add(c, &at);
	}
}

static struct value_plan *plan_make(struct compiler *c, uint32_t type, enum value_form form)
{
	struct value_plan *p = arena_alloc(c->arena, sizeof(*p));

	out_init(&c->quoted, -1);
	/* The size of the bytes is checked when a value is printed. */
	compile(c, type, (struct plan_place){ .room = UINT64_MAX / 16 });
	if (c->n)
		step_imply(c, 0, type, "");
	p->form = form;
	p->n = c->n;
	p->step = arena_dup(c->arena, c->step, c->n * sizeof(*c->step));
	out_close(&c->quoted, NULL);
	free(c->step);
	return p;
}

struct value_plan *value_plan(const struct btf_types *t, uint32_t type, enum value_form form, struct arena *a)
{
	return plan_make(&(struct compiler){ .t = t, .arena = a, .repeats = 1 }, type, form);
}

struct value_plan *value_plan_flat(const struct btf_types *t, uint32_t type, enum value_form form, struct arena *a)
{
	return plan_make(&(struct compiler){ .t = t, .arena = a, .repeats = 1, .flat = true }, type, form);
}

struct value_plan *value_plan_tagged(const struct btf_types *t, uint32_t type, enum value_form form,
				     enum value_view view, struct machine *machine, struct arena *a)
{
	struct compiler c = { .t = t, .arena = a, .repeats = 1, .view = view };
	struct value_plan *p;

	hash_init(&c.tags, a);
	tags_find(&c);
	p = plan_make(&c, type, form);
	p->machine = machine;
	return p;
}

struct value_plan *value_plan_funcs(const struct btf_types *t, uint32_t type, enum value_form form,
				    const struct value_funcs *funcs, struct arena *a)
{
	struct value_plan *p =
		plan_make(&(struct compiler){ .t = t, .arena = a, .repeats = 1, .funcs = true }, type, form);

	p->funcs = funcs;
	return p;
}

struct value_plan *value_plan_untyped(uint32_t size, bool big, struct arena *a)
{
	const struct step one = {
		.op = size == 1 ? STEP_U8 :
		      size == 2 ? STEP_U16 :
		      size == 4 ? STEP_U32 :
				  STEP_U64,
		.flags = big ? STEP_BIG : 0,
		.size = size,
	};
	const struct step list[] = {
		{ .op = STEP_LIST, .size = size, .n = size, .end = 2, .stride = 1 },
		{ .op = STEP_U8, .size = 1 },
	};
	bool is_int = size == 1 || size == 2 || size == 4 || size == 8;
	struct value_plan *p;

	if (!size)
		return NULL;
	p = arena_alloc(a, sizeof(*p));
	p->form = VALUE_FORMATTED;
	p->n = is_int ? 1 : 2;
	p->step = is_int ? arena_dup(a, &one, sizeof(one)) : arena_dup(a, list, sizeof(list));
	return p;
}
