/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/addr/code.h"

#include "types/btf.h"
#include "cli/env.h"
#include "code/disasm.h"
#include "code/insn.h"
#include "code/info.h"
#include "source/source.h"
#include "kernel/abi.h"

struct code_part { /* a function of the machine code */
	const char *name;
	uint64_t addr;	       /* 0: unknown */
	size_t off, len;       /* in the image */
	size_t line, line_end; /* its lines; later ones are not in it */
	size_t insn;	       /* offset of the instruction that was found last */
};

struct addr_code {
	struct env *env;
	uint32_t id, btf_id;
	size_t bpf_insns;
	struct code_info src; /* its btf may have been dropped from the cache, which is small */
	struct code_part *parts;
	size_t nparts;
	uint64_t *reach;	  /* by line: its offset in the function, or that of the farthest line before it */
	struct addr_line **lines; /* by line; NULL: not read yet */
	struct info_array places;
	struct blob image;
	bool image_tried;
	uint64_t image_len;
};

static uint64_t place_read(const struct info_array *places, size_t i)
{
	uint64_t ret;

	memcpy(&ret, places->p + i * places->size, sizeof(ret));
	return ret;
}

/* The first line outside of the function ends its lines, as in the dump. */
static void lines_place(struct addr_code *c, struct code_part *f, size_t end)
{
	uint64_t before = 0;
	size_t i;

	for (i = f->line; i < end; i++) {
		uint64_t off = place_read(&c->places, i) - f->addr;

		if (!f->addr || off >= f->len)
			break;
		before = off > before ? off : before;
		c->reach[i] = before;
	}
	f->line_end = i;
}

static void parts_lines(struct addr_code *c)
{
	size_t n = c->src.lines.n < c->places.n ? c->src.lines.n : c->places.n, line = 0;

	c->reach = arena_array(c->env->keep, n, sizeof(*c->reach));
	c->lines = arena_array(c->env->keep, n, sizeof(*c->lines));
	for (size_t i = 0; i < c->nparts && i < c->src.funcs.n; i++) {
		bool last = i + 1 >= c->src.funcs.n;
		uint32_t end = last ? UINT32_MAX : code_info_func(&c->src, i + 1).insn_off;

		c->parts[i].line = line;
		while (line < n && code_info_line(&c->src, line).insn_off < end)
			line++;
		lines_place(c, &c->parts[i], line);
	}
}

static void code_parts_read(struct addr_code *c, const struct abi_prog_info *info)
{
	struct info_array lens = info_array_read(c->env, c->id, Q_PROG_JITED_FUNC_LENS, info->nr_jited_func_lens, 4, 4);
	struct info_array ksyms = info_array_read(c->env, c->id, Q_PROG_JITED_KSYMS, info->nr_jited_ksyms, 8, 8);
	size_t off = 0;

	c->nparts = c->src.funcs.n > ksyms.n ? c->src.funcs.n : ksyms.n;
	c->parts = arena_array(c->env->keep, c->nparts, sizeof(*c->parts));
	for (size_t i = 0; i < c->nparts; i++) {
		struct code_part *f = &c->parts[i];
		size_t left = (size_t)c->image_len - off;
		uint32_t len = 0;

		if (i < ksyms.n)
			memcpy(&f->addr, ksyms.p + i * sizeof(f->addr), sizeof(f->addr));
		if (i < lens.n)
			memcpy(&len, lens.p + i * sizeof(len), sizeof(len));
		f->off = off;
		f->len = len && len < left ? len : left;
		off += f->len;
		if (i < c->src.funcs.n)
			f->name =
				arena_fmt(c->env->keep, "%s", btf_name(c->src.btf, code_info_func(&c->src, i).type_id));
	}
}

struct addr_code *addr_code_new(struct env *env, uint32_t id, const struct abi_prog_info *info)
{
	struct addr_code *c = arena_alloc(env->keep, sizeof(*c));

	c->env = env;
	c->id = id;
	c->btf_id = info->btf_id;
	c->bpf_insns = info->xlated_prog_len / INSN_SIZE;
	c->image_len = info->jited_prog_len;
	code_info_read(env, id, info, &c->src);
	code_parts_read(c, info);
	if (c->src.lines.n)
		c->places = info_array_read(env, id, Q_PROG_JITED_LINE_INFO, info->nr_jited_line_info,
					    info->jited_line_info_rec_size, sizeof(uint64_t));
	parts_lines(c);
	return c;
}

const char *addr_code_func(const struct addr_code *c, uint32_t i)
{
	return i < c->nparts && c->parts[i].name && *c->parts[i].name ? c->parts[i].name : NULL;
}

bool addr_code_is_unplaced(const struct addr_code *c)
{
	return c->src.lines.n && !c->places.n;
}

/* The last line of the function that begins at or before @off; SIZE_MAX: none. */
static size_t line_find(const struct addr_code *c, const struct code_part *f, uint64_t off)
{
	const size_t n = ARRAY_LOWER(f->line_end - f->line, i, c->reach[f->line + i] <= off);

	return n ? f->line + n - 1 : SIZE_MAX;
}

static struct addr_line *line_new(struct addr_code *c, size_t i)
{
	struct addr_line *ret = arena_alloc(c->env->keep, sizeof(*ret));
	struct line_record l = code_info_line(&c->src, i);
	size_t next = i + 1 < c->src.lines.n ? code_info_line(&c->src, i + 1).insn_off : c->bpf_insns;
	struct source_line s;

	ret->insn = l.insn_off;
	ret->insns = next > l.insn_off && next <= c->bpf_insns ? (uint32_t)(next - l.insn_off) : 1;
	if (btf_get(c->env->machine, c->btf_id, &c->src.btf, NULL))
		return ret;
	s = source_line_of(&c->src, &l);
	ret->file = arena_fmt(c->env->keep, "%s", s.file);
	ret->src = arena_fmt(c->env->keep, "%s", s.text);
	if (*s.file || s.num)
		ret->place = arena_fmt(c->env->keep, "%s:%u:%u", s.file, s.num, s.col);
	ret->num = s.num;
	ret->col = s.col;
	return ret;
}

const struct addr_line *addr_code_line(struct addr_code *c, uint32_t i, uint64_t off)
{
	size_t line = i < c->nparts && off < c->parts[i].len ? line_find(c, &c->parts[i], off) : SIZE_MAX;

	if (line == SIZE_MAX)
		return NULL;
	if (!c->lines[line])
		c->lines[line] = line_new(c, line);
	return c->lines[line];
}

/*
 * Instructions can only be decoded from a known start: that of the function, of a line, or of the instruction found
 * last.
 */
static size_t insn_begin(const struct addr_code *c, const struct code_part *f, uint64_t off)
{
	size_t line = line_find(c, f, off), begin = line == SIZE_MAX ? 0 : (size_t)c->reach[line];

	return f->insn <= off && f->insn > begin ? f->insn : begin;
}

bool addr_code_insn(struct addr_code *c, struct disasm *d, uint32_t i, uint64_t off, uint64_t *ret_start, char *buf,
		    size_t size)
{
	struct code_part *f = i < c->nparts ? &c->parts[i] : NULL;
	struct disasm_insn insn;
	size_t at;

	if (!c->image_tried && ask(c->env->machine, c->env->arena, &c->image, Q_PROG_JITED, c->id))
		c->image.n = 0;
	c->image_tried = true;
	if (!f || off >= f->len || f->off + f->len > c->image.n)
		return false;
	for (at = insn_begin(c, f, off);; at += insn.size) {
		disasm_insn(d, c->image.p + f->off + at, f->len - at, f->addr + at, &insn);
		if (off - at < insn.size)
			break;
	}
	f->insn = at;
	*ret_start = at;
	snprintf(buf, size, "%s", insn.text);
	return true;
}
