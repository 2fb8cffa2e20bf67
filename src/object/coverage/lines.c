/* SPDX-License-Identifier: BSD-2-Clause */
#include "object/coverage/cover.h"

#include "base/bytes.h"

/* Words of .BTF.ext (object/ext.c): the length of its head; offset, from there, and length of each table. */
enum { WORD_HEAD = 1, WORD_TABLES = 2, WORDS_HEAD_CORE = 8 };
/* Of a table: bytes of a record, then of each section its name, number of records, and these. */
enum { BLOCK_HEAD = 2 * sizeof(uint32_t) };

static uint32_t word(const unsigned char *p, size_t i)
{
	return (uint32_t)load_uint(p + i * sizeof(uint32_t), sizeof(uint32_t), BIG_HERE);
}

static void word_set(unsigned char *p, size_t i, uint64_t v)
{
	store_uint(p + i * sizeof(uint32_t), sizeof(uint32_t), v, BIG_HERE);
}

/* A line without number and text, as compilers mark code of no line, in the file of the record at @before. */
static unsigned char *line_put(unsigned char *p, size_t size, uint64_t off, const unsigned char *before)
{
	memset(p, 0, size);
	word_set(p, 0, off);
	word_set(p, 1, before ? word(before, 1) : 0);
	return p + size;
}

/* The lines of a section's code, moved, with one at each counter. Returns the end. */
static unsigned char *lines_put(unsigned char *to, const unsigned char *from, const struct ext_part *part,
				const struct cover_slot *slots, size_t insns)
{
	const size_t size = part->size;
	const unsigned char *last = NULL;
	uint32_t k = 0;

	for (size_t i = 0; i < insns; i++) {
		const uint64_t off = (uint64_t)slot_line(&slots[i]) * INSN_SIZE;

		if (!slots[i].counted)
			continue;
		for (; k < part->n && word(from + k * size, 0) <= off; k++, to += size)
			last = memcpy(to, from + k * size, size);
		if (!last || word(last, 0) != off)
			to = line_put(to, size, off, last);
	}
	memcpy(to, from + k * size, (part->n - k) * size);
	return to + (part->n - k) * size;
}

static uint32_t block_section(const struct cover *c, const unsigned char *records)
{
	for (uint32_t i = 1; i < c->o->elf.nsects; i++)
		if (c->slots[i] && c->o->ext[EXT_LINES][i].n && c->o->ext[EXT_LINES][i].p == records)
			return i;
	return 0;
}

/* The table at @at of @was, of @len bytes; its records are moved in @now. Returns the end. */
static unsigned char *table_put(const struct cover *c, unsigned char *to, const unsigned char *was,
				const unsigned char *now, uint32_t len)
{
	const uint32_t size = word(was, 0);

	to = mempcpy(to, now, sizeof(uint32_t));
	for (uint32_t at = sizeof(uint32_t); at < len;) {
		const uint32_t n = word(was + at, 1), section = block_section(c, was + at + BLOCK_HEAD);
		unsigned char *head = to, *end;

		to = mempcpy(to, now + at, BLOCK_HEAD);
		at += BLOCK_HEAD;
		if (section)
			end = lines_put(to, now + at, &c->o->ext[EXT_LINES][section], c->slots[section],
					cover_insns(c, section));
		else
			end = mempcpy(to, now + at, (size_t)n * size);
		word_set(head, 1, (uint64_t)(end - to) / size);
		at += n * size;
		to = end;
	}
	return to;
}

void cover_lines(struct cover *c, uint32_t ext)
{
	const unsigned char *was = c->o->elf.sects[ext].p, *now = c->sects[ext].p;
	const size_t size = c->sects[ext].size, lines = WORD_TABLES + 2 * EXT_LINES;
	const uint32_t head = word(was, WORD_HEAD), off = word(was, lines), len = word(was, lines + 1);
	const uint32_t tables = head / sizeof(uint32_t) < WORDS_HEAD_CORE ? EXT_CORE : EXT_KINDS;
	unsigned char *p, *end;
	uint32_t more;

	p = arena_room(c->arena, size + (size_t)c->counters * word(was + head + off, 0));
	memcpy(p, now, head + off);
	end = table_put(c, p + head + off, was + head + off, now + head + off, len);
	more = (uint32_t)(end - (p + head + off)) - len;
	end = mempcpy(end, now + head + off + len, size - head - off - len);
	word_set(p, lines + 1, len + more);
	for (uint32_t i = 0; i < tables; i++)
		if (word(was, WORD_TABLES + 2 * i) > off)
			word_set(p, WORD_TABLES + 2 * i, word(was, WORD_TABLES + 2 * i) + more);
	c->sects[ext].p = p;
	c->sects[ext].size = (size_t)(end - p);
}
