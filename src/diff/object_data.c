/* SPDX-License-Identifier: BSD-2-Clause */
#include <elf.h>

#include "cli/env.h"
#include "diff/compared.h"
#include "object/file.h"
#include "render/jsonw.h"

#define SHOWN 8u /* most bytes of a difference */

/* The bytes of a section; if it has variables, those that none of them shows, and that are not 0. */
struct data_bytes {
	const unsigned char *p;
	size_t n;
};

static struct data_bytes bytes_read(struct objects *c, unsigned side, uint32_t section, const struct object_var *vars,
				    uint32_t n)
{
	const struct elf_sect *s = &c->o[side]->elf.sects[section];
	struct data_bytes ret = { .p = s->p, .n = s->p ? s->size : 0 };
	unsigned char *left = NULL;
	size_t to = 0;

	for (uint32_t i = 0; ret.n && i < n; i++) {
		const struct object_var *v = &vars[i];

		if (strcmp(v->section, s->name) || v->offset > s->size || v->size > s->size - v->offset)
			continue;
		left = left ? left : arena_dup(c->env->keep, s->p, s->size);
		if (v->value)
			memset(left + v->offset, 0, v->size);
	}
	if (!left)
		return ret;
	for (size_t i = 0; i < ret.n; i++)
		if (left[i])
			left[to++] = left[i];
	return (struct data_bytes){ left, to };
}

/* The bytes from @at on, in hex. */
static const char *bytes_json(struct objects *c, const struct data_bytes *b, size_t at)
{
	STR text = { 0 };

	str_fmt(&text, "%zu bytes", b->n);
	for (size_t i = at; i < b->n && i - at < SHOWN; i++)
		str_fmt(&text, "%s%02x", i == at ? ", from " : " ", b->p[i]);
	return jsonw_text_str(text.p, c->env->keep);
}

static void section_compare(struct objects *c, const char *name, const struct data_bytes b[2], const bool has[2])
{
	struct object_difference d = { "section", NULL, name, has[0], has[1] };
	size_t at = 0;

	while (at < b[0].n && at < b[1].n && b[0].p[at] == b[1].p[at])
		at++;
	if (at == b[0].n && at == b[1].n)
		return;
	if (has[0] && has[1]) {
		d.field = "data";
		d.before = bytes_json(c, &b[0], at);
		d.after = bytes_json(c, &b[1], at);
	}
	c->fn(c->ctx, &d);
}

/* Texts of string sections are shown where instructions refer to them. */
static bool has_data(const struct elf_sect *s)
{
	return (object_data_kind(s->name) || strstr(s->name, ".struct_ops")) && s->type == SHT_PROGBITS &&
	       s->flags & SHF_ALLOC && !(s->flags & SHF_STRINGS);
}

void object_data_compare(struct objects *c, const struct object_var *const vars[2], const uint32_t n[2])
{
	for (unsigned side = 0; side < 2; side++)
		for (uint32_t i = 1; i < c->o[side]->elf.nsects; i++) {
			const struct elf_sect *s = &c->o[side]->elf.sects[i];
			const uint32_t other = object_section(c->o[!side], s->name);
			struct data_bytes b[2] = { 0 };

			/* Sections of both are compared once. */
			if (!has_data(s) || (side && other))
				continue;
			b[side] = bytes_read(c, side, i, vars[side], n[side]);
			if (other)
				b[!side] = bytes_read(c, !side, other, vars[!side], n[!side]);
			section_compare(c, s->name, b, (const bool[]){ !side || other, side || other });
		}
}
