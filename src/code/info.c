/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/info.h"

#include "types/btf.h"
#include "cli/env.h"
#include "source/source.h"
#include "kernel/abi.h"

struct info_array info_array_read(struct env *env, uint32_t id, enum question q, uint32_t count, uint32_t size,
				  size_t least)
{
	struct info_array ret = { .size = size };
	struct blob b;

	if (!count || size < least || ask(env->machine, env->arena, &b, q, id))
		return ret;
	/* An array that the kernel hides is empty. */
	if (b.n && b.n / size < count)
		note_refused(env->machine, -EBADMSG, q, id);
	ret.p = b.p;
	ret.n = b.n / size;
	return ret;
}

void code_info_read(struct env *env, uint32_t id, const struct abi_prog_info *info, struct code_info *ret)
{
	struct err why = { 0 };

	*ret = (struct code_info){ 0 };
	if (!info->btf_id)
		return;
	if (btf_get(env->machine, info->btf_id, &ret->btf, &why)) {
		err_in(&why, "program %u", id);
		report_unread(env->report, &why);
		return;
	}
	if (btf_whole(ret->btf, &why))
		report_unread(env->report, &why);
	ret->funcs = info_array_read(env, id, Q_PROG_FUNC_INFO, info->nr_func_info, info->func_info_rec_size,
				     sizeof(struct func_record));
	ret->lines = info_array_read(env, id, Q_PROG_LINE_INFO, info->nr_line_info, info->line_info_rec_size,
				     sizeof(struct line_record));
}

struct func_record code_info_func(const struct code_info *s, size_t i)
{
	struct func_record ret;

	memcpy(&ret, s->funcs.p + i * s->funcs.size, sizeof(ret));
	return ret;
}

struct line_record code_info_line(const struct code_info *s, size_t i)
{
	struct line_record ret;

	memcpy(&ret, s->lines.p + i * s->lines.size, sizeof(ret));
	return ret;
}

bool code_info_has_moved(const struct code_info *s)
{
	size_t line = 0;

	for (size_t i = 0; i < s->funcs.n && s->lines.n; i++) {
		uint32_t start = code_info_func(s, i).insn_off;

		while (line < s->lines.n && code_info_line(s, line).insn_off < start)
			line++;
		if (line == s->lines.n || code_info_line(s, line).insn_off != start)
			return true;
	}
	return false;
}

struct source_line source_line_of(const struct code_info *s, const struct line_record *l)
{
	struct source_line ret = {
		.text = btf_str(s->btf, l->line_off),
		.file = btf_str(s->btf, l->file_off),
		.num = l->line_col >> 10,
		.col = l->line_col & 0x3ff,
	};

	while (isspace((unsigned char)*ret.text))
		ret.text++;
	if (s->folded && !*ret.text)
		ret.text = NULL;
	return ret;
}

static bool line_same(const struct source_line *a, const struct source_line *b, bool columns)
{
	return a->num == b->num && (!columns || a->col == b->col) && !strcmp(a->text, b->text) &&
	       !strcmp(a->file, b->file);
}

static struct info_array info_array_copy(const struct info_array *r, struct arena *a)
{
	return (struct info_array){ r->n ? arena_dup(a, r->p, r->n * r->size) : NULL, 0, r->size };
}

static void info_array_keep(struct info_array *to, const struct info_array *from, size_t i)
{
	if (i < from->n)
		memcpy((unsigned char *)to->p + to->n++ * to->size, from->p + i * from->size, from->size);
}

void code_info_fold(struct code_info *s, struct info_array *places, bool columns, struct arena *a)
{
	struct info_array none = { .size = 1 }, *codes = places ? places : &none;
	struct info_array lines = info_array_copy(&s->lines, a), kept = info_array_copy(codes, a);
	struct source_line last = { .text = "", .file = "" };

	if (code_info_has_moved(s))
		return;
	for (size_t i = 0, func = 0; i < s->lines.n; i++) {
		const struct line_record r = code_info_line(s, i);
		const struct source_line l = source_line_of(s, &r);

		while (func < s->funcs.n && code_info_func(s, func).insn_off < r.insn_off)
			func++;
		if ((func == s->funcs.n || code_info_func(s, func).insn_off != r.insn_off) &&
		    (!*l.text || line_same(&l, &last, columns)))
			continue;
		info_array_keep(&lines, &s->lines, i);
		info_array_keep(&kept, codes, i);
		last = l;
	}
	s->lines = lines;
	*codes = kept;
	s->folded = true;
}
