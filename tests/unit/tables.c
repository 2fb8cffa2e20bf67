/* SPDX-License-Identifier: BSD-2-Clause */
#include "test.h"

#include <ctype.h>
#include <elf.h>
#include <link.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "cli/command.h"
#include "cli/kind.h"
#include "link/link.h"
#include "record/column.h"
#include "record/edge.h"
#include "record/field.h"
#include "record/filter.h"
#include "kernel/names.h"

/* The tables describe the product; these are rules for every row of them. */

/* All rows of all schemas, with their place for messages. */
struct row {
	const char *where;		    /* the kind, or the name of a schema without a kind */
	const struct schema *schema, *base; /* base: the record that has the size, and the fixed part */
	const struct field *f;
	enum { OBJECT, NESTED, OTHER } role; /* of a kind; in an FT_ROWS field of one; of any other schema */
};
#define MAX_ROWS 2048
static struct row rows[MAX_ROWS];
static size_t nrows;
static const struct schema *worded[64]; /* those with different words in text */
static size_t nworded;

static bool collected(const struct schema *s)
{
	for (const struct row *r = rows; r < rows + nrows; r++)
		if (r->schema == s)
			return true;
	return false;
}

static void collect(const char *where, const struct schema *s, const struct schema *base, unsigned depth)
{
	assert_true(depth < 4);
	if (s->nwords) {
		assert_true(nworded < ARRAY_SIZE(worded));
		worded[nworded++] = s;
	}
	for (size_t i = 0; i < s->n; i++) {
		assert_true(nrows < MAX_ROWS);
		rows[nrows++] = (struct row){ where, s, depth || !base ? s : base, &s->fields[i],
					      depth ? NESTED :
					      base  ? OBJECT :
						      OTHER };
	}
	for (size_t i = 0; base && i < s->n; i++) /* all others are found by themselves */
		if (s->fields[i].type == FT_ROWS && s->fields[i].rows && !collected(s->fields[i].rows))
			collect(where, s->fields[i].rows, base, depth + 1);
}

static int first_module(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uintptr_t *)base = info->dlpi_addr;
	return 1;
}

/* Calls @fn for each schema that is an object in this program, including static ones: all symbols with its size and a
 * name like a schema's. */
static unsigned schemas_linked(void (*fn)(const struct schema *s))
{
	uintptr_t base = 0;
	unsigned n = 0;
	STR file = { 0 };
	const ElfW(Ehdr) * h;
	const ElfW(Shdr) * section;

	dl_iterate_phdr(first_module, &base);
	assert_int_equal(str_read_file(&file, "/proc/self/exe", 64 << 20), 0);
	h = (const void *)file.p;
	section = (const void *)(file.p + h->e_shoff);
	for (unsigned i = 0; i < h->e_shnum; i++) {
		const ElfW(Sym) *sym = (const void *)(file.p + section[i].sh_offset);
		const char *names =
			section[i].sh_type == SHT_SYMTAB ? file.p + section[section[i].sh_link].sh_offset : NULL;

		for (size_t j = 0; names && j < section[i].sh_size / sizeof(*sym); j++) {
			const char *name = names + sym[j].st_name;

			/* ELF32_ST_TYPE is the same */
			if (ELF64_ST_TYPE(sym[j].st_info) != STT_OBJECT || sym[j].st_size != sizeof(struct schema) ||
			    !strstr(name, "schema"))
				continue;
			fn((const struct schema *)(base + sym[j].st_value));
			n++;
		}
	}
	return n;
}

static void collect_other(const struct schema *s)
{
	if (!collected(s))
		collect(s->name, s, NULL, 0);
}

/* Groups refer to all commands, commands to all schemas. */
static int setup(void **state)
{
	(void)state;
	for (const struct kind *const *k = kinds; *k; k++) {
		collect((*k)->name, (*k)->schema, (*k)->schema, 0);
		for (const struct schema *const *p = (*k)->parts; p && *p; p++)
			collect((*k)->name, *p, (*k)->schema, 0);
	}
	return groups[0].name && schemas_linked(collect_other) ? 0 : -1;
}

#define BAD(r, fmt, ...) \
	fail_msg("%s: schema %s, field %s: " fmt, (r)->where, (r)->schema->name, (r)->f->name, ##__VA_ARGS__)

static bool is_name(const char *s)
{
	if (!s || !islower((unsigned char)*s))
		return false;
	for (; *s; s++)
		if (!islower((unsigned char)*s) && !isdigit((unsigned char)*s) && *s != '_')
			return false;
	return true;
}

static void test_names(void **state)
{
	(void)state;
	for (struct row *r = rows; r < rows + nrows; r++) {
		if (!is_name(r->f->name))
			BAD(r, "not a name");
		for (size_t i = 0; i < r->schema->n; i++)
			if (&r->schema->fields[i] != r->f && !strcmp(r->schema->fields[i].name, r->f->name))
				BAD(r, "twice in its schema");
		for (size_t i = 0; r->base != r->schema && i < r->base->n; i++)
			if (!strcmp(r->base->fields[i].name, r->f->name))
				BAD(r, "also in the fixed part");
	}
}

static void test_help(void **state)
{
	(void)state;
	for (struct row *r = rows; r < rows + nrows; r++) {
		const char *help = r->f->help;
		size_t n = help ? strlen(help) : 0;

		if (n < 3 || n > 120 || isspace((unsigned char)help[0]) || isspace((unsigned char)help[n - 1]))
			BAD(r, "needs help of one sentence");
		if (help[n - 1] == '.' || strstr(help, ". ") || strpbrk(help, "\n\t"))
			BAD(r, "help is one sentence without a full stop: %s", help);
	}
}

static bool is_int_size(size_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

static bool size_fits(enum field_type type, uint32_t flags, size_t size)
{
	switch (type) {
	case FT_BOOL:
		return size == sizeof(bool);
	case FT_UINT:
	case FT_INT:
	case FT_ENUM:
		return is_int_size(size);
	case FT_TIME:
		return size == 8;
	case FT_REAL:
		return size == sizeof(double);
	case FT_STR:
		return flags & FIELD_INLINE ? size > 1 : size == sizeof(char *);
	case FT_BYTES:
		return size > 0;
	case FT_JSON:
	case FT_LIST:
	case FT_ROWS:
		return size == sizeof(void *);
	}
	return false;
}

static void test_offsets(void **state)
{
	(void)state;
	for (struct row *r = rows; r < rows + nrows; r++) {
		const struct field *f = r->f;
		size_t size = r->base->rec_size;

		if (!size || r->schema->rec_size != size)
			BAD(r, "schema of %zu bytes for a record of %zu", r->schema->rec_size, size);
		if ((size_t)f->off + f->size > size || f->when >= size)
			BAD(r, "outside its record");
		if (!size_fits(f->type, f->flags, f->size))
			BAD(r, "%u bytes for its type", f->size);
		if (f->also_is && (f->type != FT_STR || (size_t)f->also_is + sizeof(void *) > size || !f->nalso_is ||
				   (size_t)f->nalso_is + sizeof(uint32_t) > size))
			BAD(r, "stands for texts outside its record");
		if (f->type != FT_LIST && f->type != FT_ROWS)
			continue;
		if (!f->count || (size_t)f->count + sizeof(uint32_t) > size)
			BAD(r, "count outside its record");
		if (f->type == FT_LIST &&
		    (f->elem == FT_LIST || f->elem == FT_ROWS || !size_fits(f->elem, f->flags, f->elem_size)))
			BAD(r, "%u bytes for its elements", f->elem_size);
		if (f->type == FT_ROWS && (!f->rows || !f->rows->n || !f->rows->rec_size))
			BAD(r, "rows without a schema");
	}
}

static void test_info(void **state)
{
	(void)state;
	for (const struct kind *const *k = kinds; *k; k++) {
		const struct schema *s = (*k)->schema;

		if (s->info_size) {
			assert_true((size_t)s->info_off + s->info_size <= s->rec_size);
			assert_true((size_t)s->info_len + sizeof(uint32_t) <= s->rec_size);
		}
	}
}

/* The JSON type of a value. */
static enum field_type json_type(enum field_type type)
{
	switch (type) {
	case FT_INT:
	case FT_TIME:
		return FT_UINT;
	case FT_ENUM:
	case FT_BYTES:
		return FT_STR;
	case FT_ROWS:
		return FT_LIST;
	default:
		return type;
	}
}

/* Words that were released with two types, or have them in bpftool. */
static const char *const two_types[] = { "address", "flags", "member", "members", "netns", "type", "value" };

static bool means_the_same(const struct row *r, const struct row *o)
{
	const struct field *a = r->f, *b = o->f;

	if (strcmp(a->name, b->name) || r->role != o->role)
		return true;
	if (r->role == OTHER) {
		for (size_t i = 0; i < ARRAY_SIZE(two_types); i++)
			if (!strcmp(a->name, two_types[i]))
				return true;
		return json_type(a->type) == json_type(b->type);
	}
	return a->type == b->type && a->elem == b->elem && (a->unit == b->unit || !strcmp(a->name, "id"));
}

/*
 * A word has one meaning everywhere; only the unit of an id is its kind. Rows inside a field are separate, and
 * other lists (an offset in a file, in a function, in a struct): there a word has one type in JSON.
 */
static void test_meaning(void **state)
{
	unsigned bad = 0;

	(void)state;
	for (struct row *r = rows; r < rows + nrows; r++) {
		for (struct row *o = rows; o < r; o++) {
			if (means_the_same(r, o))
				continue;
			print_error("%s: another type or unit in schema %s of %s than in %s of %s\n", r->f->name,
				    r->schema->name, r->where, o->schema->name, o->where);
			bad++;
		}
	}
	assert_int_equal(bad, 0);
}

static void test_templates(void **state)
{
	(void)state;
	for (struct row *r = rows; r < rows + nrows; r++) {
		const char *plain = r->f->plain, *first = plain ? strchr(plain, '%') : NULL;

		if (!plain)
			continue;
		if (strpbrk(plain, "\n\r"))
			BAD(r, "template with a line of its own");
		if (first && strchr(first + 1, '%'))
			BAD(r, "two values in one template");
		if (r->f->type == FT_BOOL && (first || (strchr(plain, '|') && strchr(strchr(plain, '|') + 1, '|'))))
			BAD(r, "a yes or no is \"yes|no\"");
	}
}

/* The heading of a column in a table can be typed as its name: it selects this column, or one with the same heading
 * that is before it. */
static void test_headings(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	for (struct row *r = rows; r < rows + nrows; r++) {
		const struct schema *const parts[] = { r->schema != r->base ? r->schema : NULL, NULL };
		const char *heading = r->f->title ? r->f->title : r->f->name;
		char *upper = arena_str(a, heading, strlen(heading));
		const struct field *found;
		struct filter *filter;
		struct err e = { 0 };

		for (char *p = upper; *p; p++)
			*p = (char)toupper((unsigned char)*p);
		found = column_find(r->base, parts, upper, NULL);
		if (!found || (found != r->f && strcmp(found->title ? found->title : found->name, heading) &&
			       strcasecmp(found->name, heading)))
			BAD(r, "its heading %s names %s", upper, found ? found->name : "nothing");
		if (filter_parse(&filter, r->base, parts, upper, NULL, a, &e))
			BAD(r, "its heading in a filter: %s", e.msg);
	}
	arena_free(a);
}

/* A field that is not in the text by itself. */
static bool has_unworded(const char *name, size_t rec_size)
{
	for (const struct row *r = rows; r < rows + nrows; r++)
		if (r->base->rec_size == rec_size && !strcmp(r->f->name, name) && (r->f->flags & FIELD_NOPLAIN))
			return true;
	return false;
}

/* A fact has one row: different words in text are not a second row. */
static void test_one_row_a_fact(void **state)
{
	unsigned bad = 0;

	(void)state;
	for (struct row *r = rows; r < rows + nrows; r++)
		for (const struct field *f = r->schema->fields; f < r->f; f++)
			if (f->off == r->f->off && f->size == r->f->size && f->type == r->f->type) {
				print_error("%s: schema %s: %s and %s are one fact\n", r->where, r->schema->name,
					    f->name, r->f->name);
				bad++;
			}
	assert_int_equal(bad, 0);
}

/* Words show fields that text does not show otherwise. */
static void test_words(void **state)
{
	(void)state;
	assert_true(nworded > 1);
	for (size_t i = 0; i < nworded; i++) {
		const struct schema *s = worded[i];

		for (const struct wording *w = s->words; w < s->words + s->nwords; w++) {
			if (!has_unworded(w->field, s->rec_size))
				fail_msg("schema %s: words for %s, which is not a field, or is in text by itself",
					 s->name, w->field);
			if (!w->plain || !strchr(w->plain, '%') || strchr(strchr(w->plain, '%') + 1, '%'))
				fail_msg("schema %s: words for %s without its value", s->name, w->field);
		}
	}
}

static void test_flags(void **state)
{
	(void)state;
	for (struct row *r = rows; r < rows + nrows; r++) {
		const struct field *f = r->f;

		if ((f->flags & FIELD_EACH) && f->type != FT_LIST && f->type != FT_ROWS)
			BAD(r, "one line for each of a single value");
		if ((f->flags & (FIELD_SINGLE | FIELD_KEYED)) && f->type != FT_ROWS)
			BAD(r, "flag of rows");
		if ((f->flags & FIELD_KEYED) && f->rows->n < 2)
			BAD(r, "keyed rows need a key and a value");
		if ((f->flags & FIELD_INLINE) && f->type != FT_STR)
			BAD(r, "only text stands in the record");
		if (f->names ? f->type != FT_ENUM && f->type != FT_STR : f->type == FT_ENUM)
			BAD(r, "words and type do not belong together");
		if (f->among && f->type != FT_STR)
			BAD(r, "names of a kernel are text");
		if (f->names && (!f->names->n || !f->names->word))
			BAD(r, "no words");
		if ((f->flags & FIELD_DEFAULT) && (r->role == NESTED || r->schema != r->base))
			BAD(r, "a default column that not every object has");
	}
}

static const char *edge(enum field_unit unit)
{
	return unit == FU_PROG ? "prog" :
	       unit == FU_MAP  ? "map" :
	       unit == FU_BTF  ? "btf" :
	       unit == FU_LINK ? "link" :
				 NULL;
}

static unsigned depth(const struct schema *s)
{
	unsigned most = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->fields[i].type == FT_ROWS && depth(s->fields[i].rows) > most)
			most = depth(s->fields[i].rows);
	return most + 1;
}

/* An edge of the graph refers to a kind, and has one or several ids. */
static void test_edges(void **state)
{
	(void)state;
	for (struct row *r = rows; r < rows + nrows; r++) {
		const struct field *f = r->f;
		const char *to = edge(f->unit);
		const enum field_type type = f->type == FT_LIST ? f->elem : f->type;
		bool found = false;

		assert_true(depth(r->schema) <= EDGE_DEPTH);
		for (const struct kind *const *k = kinds; to && *k; k++)
			found |= !strcmp((*k)->name, to);
		if (to && !found)
			BAD(r, "does not refer to a kind");
		if (f->unit == FU_PIN && type != FT_STR)
			BAD(r, "is not a path");
		if ((f->unit == FU_PID || f->unit == FU_IFINDEX || f->unit == FU_NETNS || f->unit == FU_CGROUP) &&
		    type != FT_UINT)
			BAD(r, "is not a number");
		if (to &&
		    (f->type == FT_LIST ? f->elem != FT_UINT || f->elem_size != 4 : f->type != FT_UINT || f->size != 4))
			BAD(r, "is not an id");
	}
}

static void test_kinds(void **state)
{
	unsigned objects = 0;

	(void)state;
	for (const struct kind *const *p = kinds; *p; p++) {
		const struct kind *k = *p;
		unsigned defaults = 0;

		assert_true(is_name(k->name) && k->noun && k->help && k->schema && k->read && k->label && k->commands);
		assert_string_equal(k->name, object_kind_names[k->object]);
		assert_string_equal(k->name, k->schema->name);
		assert_false(objects & 1u << k->object);
		objects |= 1u << k->object;
		assert_true(k->selectors & SEL_ID);
		assert_string_equal(k->schema->fields[0].name, "id");
		assert_true(k->schema->fields[0].type == FT_UINT && k->schema->fields[0].size == 4);
		assert_string_equal(edge(k->schema->fields[0].unit), k->name);
		for (size_t i = 0; i < k->schema->n; i++)
			defaults += !!(k->schema->fields[i].flags & FIELD_DEFAULT);
		assert_true(defaults > 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {

		cmocka_unit_test(test_names),	  cmocka_unit_test(test_help),	  cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_info),	  cmocka_unit_test(test_meaning), cmocka_unit_test(test_headings),
		cmocka_unit_test(test_templates), cmocka_unit_test(test_words),	  cmocka_unit_test(test_one_row_a_fact),
		cmocka_unit_test(test_flags),	  cmocka_unit_test(test_edges),	  cmocka_unit_test(test_kinds),

	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
