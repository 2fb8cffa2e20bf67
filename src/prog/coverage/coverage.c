/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/coverage/coverage.h"

#include <linux/bpf.h>

#include "base/bytes.h"
#include "cli/env.h"
#include "map/map.h"
#include "prog/coverage/blocks.h"
#include "source/elems.h"
#include "source/info.h"
#include "types/btf.h"

#define COUNTER sizeof(uint64_t)

/* A map of a program. */
struct cover_map {
	uint32_t id, size; /* size: of the counters, in bytes; 0: it has none */
	int err;	   /* they could not be read: */
	struct err why;
	const unsigned char *value;
	bool *used; /* by counter */
};

void coverage_begin(struct coverage *c, struct env *env)
{
	*c = (struct coverage){ .env = env };
	hash_init(&c->asked, env->keep);
	hash_init(&c->maps, env->keep);
	hash_init(&c->strings, env->keep);
}

/* Loaders name the map as its section, ".data.coverage", perhaps after the name of the object. */
static bool is_counters(const struct coverage *c, const struct abi_map_info *info)
{
	const size_t n = sizeof(info->name);

	return info->type == BPF_MAP_TYPE_ARRAY && info->key_size == sizeof(uint32_t) && info->max_entries == 1 &&
	       info->value_size >= COUNTER &&
	       (hash_get(&c->asked, info->id) || memmem(info->name, n, ".data.cov", strlen(".data.cov")));
}

static int counters_read(struct coverage *c, struct cover_map *m, const struct abi_map_info *info, struct err *e)
{
	struct env *env = c->env;
	struct elems batch = { .cursor = "" };
	int err = elems_get(env->machine, env->arena, m->id, info->key_size, info->value_size, &batch);

	if (!err)
		err = batch.head.count ? elems_err(batch.elems) : -EBADMSG;
	if (err)
		return map_elems_error(m->id, err < 0 ? err : -EBADMSG, e);
	m->size = info->value_size;
	m->value = arena_dup(env->keep, elems_key(batch.elems) + info->key_size, m->size);
	m->used = arena_array(env->keep, m->size / COUNTER, sizeof(*m->used));
	ARENA_MORE(env->keep, c->each, c->nmaps, c->maps_cap);
	c->each[c->nmaps++] = m;
	return 0;
}

static struct cover_map *cover_map(struct coverage *c, uint32_t id)
{
	struct cover_map *m = hash_get(&c->maps, id);
	struct abi_map_info info;

	if (m)
		return m;
	m = arena_alloc(c->env->keep, sizeof(*m));
	m->id = id;
	*hash_put(&c->maps, id) = m;
	if (map_info(c->env->machine, c->env->arena, id, &info, NULL))
		return m;
	info.id = id;
	if (is_counters(c, &info))
		m->err = counters_read(c, m, &info, &m->why);
	return m;
}

static bool has_counter(void *ctx, uint32_t map, uint64_t off)
{
	const struct cover_map *m = cover_map(ctx, map);

	return off % COUNTER == 0 && off < m->size && m->size - off >= COUNTER;
}

static uint64_t runs_read(struct coverage *c, const struct counted_block *b)
{
	struct cover_map *m = cover_map(c, b->map);

	m->used[b->off / COUNTER] = true;
	return load_uint(m->value + b->off, COUNTER, machine_is_big(c->env->machine));
}

/* A copy that stays when the types of the program leave the cache; equal ones are one. */
static const char *string_keep(struct coverage *c, const char *s)
{
	void **slot = hash_put(&c->strings, hash_text(HASH_TEXT, s));

	if (*slot && strcmp(*slot, s))
		return arena_str(c->env->keep, s, SIZE_MAX);
	if (!*slot)
		*slot = arena_str(c->env->keep, s, SIZE_MAX);
	return *slot;
}

static void cover_item_add(struct coverage *c, struct cover_item item)
{
	ARENA_MORE(c->env->keep, c->items, c->n, c->cap);
	c->items[c->n++] = item;
}

/* The functions of the program, with the line at the start of each. */
static struct cover_func *cover_funcs_read(struct coverage *c, const char *prog, const struct code_info *src)
{
	const size_t n = src->funcs.n;
	struct cover_func *ret = arena_array(c->env->keep, n ? n : 1, sizeof(*ret));

	ret[0] = (struct cover_func){ "", string_keep(c, prog), 0 };
	for (size_t i = 0; i < n; i++) {
		const struct func_record f = code_info_func(src, i);
		const size_t at = ARRAY_LOWER(src->lines.n, k, code_info_line(src, k).insn_off < f.insn_off);
		struct source_line line = { .file = "" };

		if (at < src->lines.n) {
			const struct line_record l = code_info_line(src, at);

			if (l.insn_off == f.insn_off)
				line = source_line_of(src, &l);
		}
		ret[i] = (struct cover_func){ string_keep(c, line.file), string_keep(c, btf_name(src->btf, f.type_id)),
					      line.num };
	}
	return ret;
}

static struct cover_item item_of(struct coverage *c, const struct cover_func *funcs, const struct counted_block *b)
{
	return (struct cover_item){
		.of = &funcs[b->func],
		.file = "",
		.src = "",
		.block = b->off - b->entry,
		.copy = (uint64_t)b->map << 32 | b->entry,
		.runs = runs_read(c, b),
	};
}

/* Blocks are in the order of functions. */
static bool func_is_counted(const struct counted_block *v, size_t n, size_t func)
{
	const size_t i = ARRAY_LOWER(n, k, v[k].func < func);

	return i < n && v[i].func == func;
}

static void items_add(struct coverage *c, const char *prog, const struct xlated *x, const struct counted_block *v,
		      size_t n)
{
	const struct cover_func *funcs = cover_funcs_read(c, prog, &x->src);

	for (size_t i = 0; i < x->src.funcs.n; i++)
		if (!func_is_counted(v, n, i))
			cover_item_add(c, (struct cover_item){ .of = &funcs[i], .file = "", .src = "" });
	for (size_t i = 0; i < n; i++)
		cover_item_add(c, item_of(c, funcs, &v[i]));
	for (size_t i = 0; i < x->src.lines.n; i++) {
		const struct line_record l = code_info_line(&x->src, i);
		const struct counted_block *b = counted_block_at(v, n, l.insn_off);
		const struct source_line line = source_line_of(&x->src, &l);
		struct cover_item item;

		if (!b || !line.num || !*line.file || !*funcs[b->func].file)
			continue;
		item = item_of(c, funcs, b);
		item.file = string_keep(c, line.file);
		item.src = string_keep(c, line.text);
		item.num = line.num;
		cover_item_add(c, item);
	}
}

/* 1: one of its maps has counters; 0: none has; -errno: one could not be read. */
static int maps_look(struct coverage *c, uint32_t prog, const struct abi_prog_info *info, struct err *e)
{
	const uint32_t *ids;
	uint32_t n;
	int ret = 0;

	if (prog_maps(c->env->machine, c->env->arena, prog, info, &ids, &n))
		return 0; /* the machine has noted it */
	for (uint32_t i = 0; i < n; i++) {
		const struct cover_map *m = cover_map(c, ids[i]);

		if (m->err) {
			*e = m->why;
			return m->err;
		}
		ret |= m->size > 0;
	}
	return ret;
}

int coverage_read(struct coverage *c, uint32_t prog, struct err *e)
{
	struct env *env = c->env;
	ARENA_SCOPE(env->arena);
	const struct counted_block *blocks;
	struct abi_prog_info info;
	struct xlated x;
	size_t n;
	int err = prog_info(env->machine, env->arena, prog, &info, e);

	if (!err)
		err = maps_look(c, prog, &info, e);
	if (err <= 0)
		return err;
	err = xlated_read(env, prog, &info, &x, e);
	if (err)
		return err;
	n = counted_blocks_find(&x, has_counter, c, env->arena, &blocks);
	if (n)
		items_add(c, arena_str(env->arena, info.name, sizeof(info.name)), &x, blocks, n);
	return n > 0;
}

void coverage_end(struct coverage *c)
{
	for (size_t i = 0; i < c->nmaps; i++) {
		const size_t n = c->each[i]->size / COUNTER;

		c->counters += n;
		for (size_t k = 0; k < n; k++)
			c->unused += !c->each[i]->used[k];
	}
}
