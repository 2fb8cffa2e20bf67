/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/elf/symbols.h"

#define NAME_MAX_LEN 512 /* KSYM_NAME_LEN; longer names are truncated */

/* Open addressing: a slot holds a position plus one, 0: empty. */
struct index {
	uint32_t *slot; /* the first symbol of a name */
	uint32_t *same; /* for each symbol, another one of the same name, in the same form */
	size_t mask;
};

struct symbols {
	struct symbol *sym;
	size_t n;
	struct arena *arena;
	struct index *names;
};

struct symbol_line {
	uint64_t addr;
	const char *name, *module;
	size_t name_len, module_len; /* module_len 0: none */
};

/* Parse "ADDR TYPE NAME" or "ADDR TYPE NAME\t[MODULE]" at [p, end). */
static bool symbol_parse(const char *p, const char *end, struct symbol_line *ret)
{
	const char *start = p, *tab;
	uint64_t addr = 0;
	int d;

	while (p < end && (d = num_hex_digit(*p)) >= 0) {
		if (p - start == 16)
			return false;
		addr = addr << 4 | (unsigned)d;
		p++;
	}
	if (!addr || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	p += 3;
	tab = memchr(p, '\t', (size_t)(end - p));
	ret->addr = addr;
	ret->name = p;
	ret->name_len = (size_t)((tab ? tab : end) - p);
	ret->module = end;
	ret->module_len = 0;
	if (tab && end - tab > 3 && tab[1] == '[' && end[-1] == ']') {
		ret->module = tab + 2;
		ret->module_len = (size_t)(end - 1 - ret->module);
	}
	if (ret->name_len > NAME_MAX_LEN)
		ret->name_len = NAME_MAX_LEN;
	if (ret->module_len > NAME_MAX_LEN)
		ret->module_len = NAME_MAX_LEN;
	return ret->name_len && !memchr(ret->name, 0, ret->name_len) &&
	       !(ret->module_len && memchr(ret->module, 0, ret->module_len));
}

static size_t count_lines(const char *text, size_t n)
{
	const char *end = text + n, *p = text;
	size_t lines = 0;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		lines++;
		p = nl ? nl + 1 : end;
	}
	return lines;
}

static const char *name_copy(char **pos, const char *s, size_t n)
{
	char *start = *pos;

	memcpy(start, s, n);
	start[n] = 0;
	*pos = start + n + 1;
	return start;
}

/* Names were copied one after the other, so among equal addresses the order of their pointers is that of the text. */
static int by_symbol_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return NUM_CMP(x->addr, y->addr) ?: NUM_CMP(x->name, y->name);
}

/*
 * The kernel's own symbols are already sorted; those of modules and BPF programs, which follow, are not. Only these are
 * sorted.
 */
static void sort(struct symbols *s, size_t sorted)
{
	size_t n = s->n - sorted, out = s->n;
	struct symbol *tail = arena_dup(s->arena, s->sym + sorted, n * sizeof(*tail));

	qsort(tail, n, sizeof(*tail), by_symbol_addr);
	while (n) {
		if (sorted && by_symbol_addr(&s->sym[sorted - 1], &tail[n - 1]) > 0)
			s->sym[--out] = s->sym[--sorted];
		else
			s->sym[--out] = tail[--n];
	}
}

struct symbols *symbols_parse(const char *text, size_t n, struct arena *a)
{
	struct symbols *s = arena_alloc(a, sizeof(*s));
	const char *p = text, *end = text + n, *module = NULL;
	size_t module_len = 0, sorted = 0;
	char *pos;

	s->arena = a;
	s->names = arena_alloc(a, sizeof(*s->names));
	s->sym = arena_array(a, count_lines(text, n), sizeof(*s->sym));
	/* A line is longer than the names copied from it: by at least five bytes, while the names need two NULs. */
	pos = arena_alloc(a, n + 1);
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		struct symbol_line l;

		if (symbol_parse(p, nl ? nl : end, &l)) {
			struct symbol *sym = &s->sym[s->n++];

			sym->addr = l.addr;
			sym->name = name_copy(&pos, l.name, l.name_len);
			if (l.module_len) {
				if (l.module_len != module_len || memcmp(module, l.module, module_len)) {
					module = name_copy(&pos, l.module, l.module_len);
					module_len = l.module_len;
				}
				sym->module = module;
			}
			if (sorted == s->n - 1 && (!sorted || sym[-1].addr <= l.addr))
				sorted++;
		}
		p = nl ? nl + 1 : end;
	}
	if (sorted < s->n)
		sort(s, sorted);
	return s;
}

const struct symbol *symbols_find(const struct symbols *s, uint64_t addr)
{
	size_t end = ARRAY_LOWER(s->n, i, s->sym[i].addr <= addr);

	while (end > 1 && s->sym[end - 2].addr == s->sym[end - 1].addr)
		end--;
	return end ? &s->sym[end - 1] : NULL;
}

/* The slot of the name, or the free one where it belongs. */
static uint32_t *index_slot(const struct symbols *s, const char *name)
{
	const struct index *x = s->names;
	const uint64_t key = hash_text(HASH_TEXT, name);
	size_t h = (size_t)(key ^ key >> 32) & x->mask;

	while (x->slot[h] && strcmp(s->sym[x->slot[h] - 1].name, name) != 0)
		h = (h + 1) & x->mask;
	return &x->slot[h];
}

static void index_build(const struct symbols *s)
{
	size_t cap = 16;

	while (cap < 2 * s->n)
		cap *= 2;
	s->names->slot = arena_array(s->arena, cap, sizeof(*s->names->slot));
	s->names->same = arena_array(s->arena, s->n, sizeof(*s->names->same));
	s->names->mask = cap - 1;
	for (size_t i = 0; i < s->n && i < UINT32_MAX; i++) {
		uint32_t *first = index_slot(s, s->sym[i].name), *to = *first ? &s->names->same[*first - 1] : first;

		s->names->same[i] = *to;
		*to = (uint32_t)i + 1;
	}
}

const struct symbol *symbols_find_named(const struct symbols *s, const char *name)
{
	uint32_t first;

	if (!s->names->slot)
		index_build(s);
	first = *index_slot(s, name);
	return first ? &s->sym[first - 1] : NULL;
}

const struct symbol *symbols_only(const struct symbols *s, const char *name, const char *module)
{
	const struct symbol *found = NULL;

	if (!symbols_find_named(s, name))
		return NULL;
	for (uint32_t i = *index_slot(s, name); i; i = s->names->same[i - 1]) {
		const struct symbol *sym = &s->sym[i - 1];

		if (!sym->module != !module || (module && strcmp(sym->module, module)))
			continue;
		if (found)
			return NULL;
		found = sym;
	}
	return found;
}

size_t symbols_count(const struct symbols *s)
{
	return s->n;
}

const struct symbol *symbols_at(const struct symbols *s, size_t i)
{
	return &s->sym[i];
}
