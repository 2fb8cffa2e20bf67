/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include <linux/bpf.h>

#include "base/bytes.h"
#include "types/btf.h"
#include "cli/command.h"
#include "cli/select.h"
#include "map/elem/print.h"
#include "map/view/stacks.h"
#include "map/types.h"
#include "map/elem/walk.h"
#include "render/render.h"
#include "source/info.h"
#include "source/facts.h"

struct stacks_opts {
	struct object_ref map, counts;
	bool folded;
};

static const struct arg stacks_args[] = {
	ONE_MAP_ARG(struct stacks_opts, "a map of stack traces"),
	ARG("--counts", ARG_OBJECT, struct stacks_opts, counts,
	    "a map with counts, whose keys contain the numbers of stacks", .metavar = "MAP"),
	ARG("--folded", ARG_FLAG, struct stacks_opts, folded, "each stack on a line, for flame graphs"),
};

/* Stacks in a key of the map of counts: the kernel's and, after it in the output, the user's. */
enum { IDS = 2 };
struct tally {
	uint64_t count;
	size_t at; /* in the order of the map */
	uint32_t id[IDS], n;
};
struct stacks {
	struct env *env;
	const struct stacks_opts *opts;
	struct abi_map_info info;
	bool build_ids;
	struct hash values; /* number -> value, if there are counts */
	struct render render;
	struct elem_form counts; /* form of the map of counts */
	uint32_t at[IDS], ids;	 /* offsets of the stack numbers in its key */
	struct tally *tallies;	 /* one for each of its elements */
	size_t ntallies, cap;
	bool printed; /* at least one stack */
};

static int each(struct stacks *s, const struct abi_map_info *info, walk_fn *fn, struct err *e)
{
	struct walk w;
	int err;

	walk_init(&w, s->env, info);
	err = walk_begin(&w, e);
	return err ? err : walk_each(&w, fn, s, e);
}

static void stack_rec_print(struct stacks *s, struct stack_rec *rec)
{
	stack_fold(rec, s->env->arena);
	s->printed = true;
	if (!s->opts->folded || s->render.ops != &render_plain) {
		render_record(&s->render, rec);
	} else if (rec->nframes) {
		out_text(s->env->report->out, rec->folded);
		out_fmt(s->env->report->out, " %" PRIu64 "\n", rec->count);
	}
}

static uint32_t stack_u32(const struct stacks *s, const unsigned char *p)
{
	return (uint32_t)load_uint(p, sizeof(uint32_t), machine_is_big(s->env->machine));
}

static void value_add(struct stacks *s, struct stack_rec *rec, const unsigned char *value)
{
	stack_add(rec, value, s->info.value_size, s->build_ids, machine_is_big(s->env->machine),
		  facts_symbols(s->env->machine), s->env->arena);
}

static bool stack_print(void *ctx, const unsigned char *key, int err)
{
	struct stacks *s = ctx;
	struct stack_rec rec = { .id = stack_u32(s, key), .count = 1 };

	if (err)
		return true;
	value_add(s, &rec, key + sizeof(uint32_t));
	stack_rec_print(s, &rec);
	return true;
}

static bool stack_keep(void *ctx, const unsigned char *key, int err)
{
	struct stacks *s = ctx;

	if (!err)
		*hash_put(&s->values, stack_u32(s, key)) =
			arena_dup(s->env->keep, key + sizeof(uint32_t), s->info.value_size);
	return true;
}

static uint64_t count_of(const struct elem_form *f, const unsigned char *value)
{
	uint32_t cpu, cpus = f->cpus ? f->cpus : 1;
	uint64_t sum = 0;

	for (cpu = 0; cpu < cpus; cpu++, value += 8)
		sum += load_uint(value, f->value_size, f->big);
	return sum;
}

static void tally_add(struct stacks *s, const struct tally *t)
{
	ARRAY_MORE(s->tallies, s->ntallies, s->cap);
	s->tallies[s->ntallies++] = *t;
}

static bool count_keep(void *ctx, const unsigned char *key, int err)
{
	struct stacks *s = ctx;
	struct tally t = { .at = s->ntallies };
	uint32_t i;

	if (err)
		return true;
	t.count = count_of(&s->counts, key + s->counts.key_size);
	for (i = 0; i < s->ids; i++) {
		uint32_t id = stack_u32(s, key + s->at[i]);

		if (hash_get(&s->values, id))
			t.id[t.n++] = id;
	}
	if (t.n)
		tally_add(s, &t);
	return true;
}

/* The most frequent first; equal ones in the order found. */
static int tally_cmp(const void *pa, const void *pb)
{
	const struct tally *a = pa, *b = pb;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return NUM_CMP(a->at, b->at);
}

static int counts_print(struct stacks *s, struct walk *w, struct err *e)
{
	struct arena *a = s->env->arena;
	int err = walk_each(w, count_keep, s, e);

	if (s->ntallies)
		qsort(s->tallies, s->ntallies, sizeof(*s->tallies), tally_cmp);
	for (size_t i = 0; i < s->ntallies && !err; i++) {
		const struct tally *t = &s->tallies[i];
		struct stack_rec rec = { .id = t->id[0], .count = t->count };
		ARENA_SCOPE(a);

		for (uint32_t k = 0; k < t->n; k++)
			value_add(s, &rec, hash_get(&s->values, t->id[k]));
		stack_rec_print(s, &rec);
	}
	free(s->tallies);
	return err;
}

/* Members of the key that are named after a stack; that of the user's stack comes after that of the kernel's. */
static void ids_find(struct stacks *s, const struct btf_types *t, uint32_t key_type)
{
	const struct btf_type *type = btf_resolved(t, key_type);
	const struct btf_member *m;
	unsigned i;

	if (!type || btf_kind_of(type) != BTF_KIND_STRUCT)
		return;
	m = btf_members_of(type);
	for (i = 0; i < btf_vlen_of(type) && s->ids < IDS; i++) {
		const char *name = btf_str(t, m[i].name_off);
		uint64_t size;

		if (!strstr(name, "stack") || btf_size(t, m[i].type, &size) || size != 4 || m[i].offset % 8 ||
		    m[i].offset / 8 + 4 > s->counts.key_size)
			continue;
		s->at[s->ids++] = m[i].offset / 8;
		if (s->ids == IDS && !strchr(name, 'u')) {
			s->at[1] = s->at[0];
			s->at[0] = m[i].offset / 8;
		}
	}
}

/* The keys of bpftrace have no type: the lower half is the number; the upper half is the process of a user stack. */
static void packed_find(struct stacks *s)
{
	s->at[0] = s->counts.big ? sizeof(uint32_t) : 0;
	s->ids = 1;
}

static int counts_find(struct stacks *s, struct abi_map_info *info, struct err *e)
{
	const struct btf_types *t;
	uint32_t id;
	int err = select_one(s->env, &kind_map, &s->opts->counts, &id, e);

	if (!err)
		err = map_info(s->env->machine, s->env->arena, id, info, e);
	if (err)
		return err;
	info->id = id;
	elem_form_ask(&s->counts, info, s->env->machine);
	if (info->value_size != 4 && info->value_size != 8)
		return err_set(e, -EINVAL, "map %u does not have counts: its values have %u byte%s, not 4 or 8", id,
			       info->value_size, plural(info->value_size));
	if (info->key_size == sizeof(uint32_t))
		s->ids = 1;
	else if (info->btf_id && !btf_get(s->env->machine, info->btf_id, &t, NULL))
		ids_find(s, t, info->btf_key_type_id);
	else if (info->key_size == sizeof(uint64_t))
		packed_find(s);
	if (s->ids)
		return 0;
	err_set(e, -EINVAL, "map %u: cannot find the numbers of stacks in its keys", id);
	return err_hint(
		e,
		"its keys must have 4 bytes, 8 as those of bpftrace, or a type with members such as kern_stack_id and user_stack_id");
}

static int stacks_open(struct stacks *s, struct err *e)
{
	uint32_t id, step;
	int err = select_one(s->env, &kind_map, &s->opts->map, &id, e);

	if (!err)
		err = map_info(s->env->machine, s->env->arena, id, &s->info, e);
	if (!err)
		err = map_can(id, s->info.type, VERB_STACKS, e);
	if (err)
		return err;
	s->info.id = id;
	s->build_ids = s->info.map_flags & BPF_F_STACK_BUILD_ID;
	step = s->build_ids ? sizeof(struct bpf_stack_build_id) : sizeof(uint64_t);
	if (s->info.key_size != sizeof(uint32_t) || s->info.value_size % step)
		return err_set(e, -EBADMSG, "map %u: keys and values of %u and %u bytes are not stack traces", id,
			       s->info.key_size, s->info.value_size);
	return 0;
}

static int stacks_run(struct env *env, const void *opts, struct err *e)
{
	struct stacks s = { .env = env, .opts = opts };
	struct abi_map_info counts;
	struct walk w;
	int err = stacks_open(&s, e);

	if (!err && s.opts->counts.by)
		err = counts_find(&s, &counts, e);
	if (err)
		return err;
	facts_symbols(env->machine);
	hash_init(&s.values, env->keep);
	if (s.opts->counts.by)
		err = each(&s, &s.info, stack_keep, e);
	if (err)
		return err;
	walk_init(&w, env, s.opts->counts.by ? &counts : &s.info);
	err = walk_begin(&w, e);
	if (err)
		return err;
	env_render(env, &s.render);
	render_begin(&s.render);
	render_section(&s.render, &schema_stack, NULL);
	err = s.opts->counts.by ? counts_print(&s, &w, e) : walk_each(&w, stack_print, &s, e);
	report_render_end(env->report, &s.render);
	if (!err && !s.printed && s.render.ops == &render_plain)
		report_none(env->report, 0);
	return err;
}

const struct command map_stacks = {
	.name = "stacks",
	.summary = "print the stacks in a map of stack traces, with symbols",
	.help = "Addresses in the kernel and in BPF programs are resolved; those of processes are printed as they are, or as build id and offset "
		"if the map stores these. With --counts, each element of that map is a line: its value is the count, and its key has the number of "
		"one stack, or of a kernel stack and a user stack. The highest count comes first.",
	.example = "map stacks name traces",
	.schema = &schema_stack,
	ARGS(stacks_args, struct stacks_opts),
	.flags = CMD_READ | CMD_OURS,
	.run = stacks_run,
};
