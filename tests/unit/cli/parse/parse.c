/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "cli/parse/parse.h"
#include "cli/parse/parser.h"
#include "cli/parse/usage.h"
#include "record/field.h"

static const char *const form_words[] = { "raw", "c" };
static const struct names forms = NAMES(form_words);

struct opts {
	struct object_ref object, map;
	struct object_refs objects;
	bool opcodes, linum, dry;
	int form;
	uint32_t n;
	uint64_t big, least;
	int part;
	const char *file, *sort;
	struct arg_list rest, many;
	struct arg_numbers roots;
};
#define ROW(m, ...) \
	{ \
		.off = offsetof(struct opts, m), __VA_ARGS__ \
	}
enum { A_FORM, A_OBJECT, A_OPCODES, A_LINUM, A_FILE, A_MAP, A_N, A_BIG, A_SORT, A_LEAST, A_DRY, A_MANY };
static const struct arg dump_args[] = {
	[A_FORM] = ROW(form, .name = "FORM", .type = ARG_WORD, .words = &forms, .flags = ARG_POSITIONAL | ARG_REQUIRED),
	[A_OBJECT] = ROW(object, .type = ARG_OBJECT, .flags = ARG_POSITIONAL | ARG_REQUIRED),
	[A_OPCODES] = ROW(opcodes, .name = "opcodes", .type = ARG_FLAG),
	[A_LINUM] = ROW(linum, .name = "linum", .type = ARG_FLAG),
	[A_FILE] = ROW(file, .name = "file", .type = ARG_PATH, .rejects = "opcodes linum"),
	[A_MAP] = ROW(map, .name = "map", .type = ARG_OBJECT),
	[A_N] = ROW(n, .name = "number", .type = ARG_U32, .metavar = "COUNT"),
	[A_BIG] = ROW(big, .name = "big", .type = ARG_U64),
	[A_SORT] = ROW(sort, .name = "--sort", .alias = "-s", .type = ARG_STR),
	[A_LEAST] = ROW(least, .name = "--least", .type = ARG_U64, .flags = ARG_NONZERO),
	[A_DRY] = ROW(dry, .name = "--dry-run", .type = ARG_FLAG),
	[A_MANY] = ROW(many, .name = "with", .type = ARG_STR, .flags = ARG_REPEAT),
};
static const struct command dump = { .name = "dump", ARGS(dump_args, struct opts) };
/* "dump {PROG | map MAP [raw|c] | file PATH...} [form {raw|c}] [root N]..." */
enum { S_PROG, S_MAP, S_PART, S_FILE, S_FORM, S_ROOT };
static const struct arg source_args[] = {
	[S_PROG] = ROW(object, .type = ARG_OBJECT, .flags = ARG_CHOICE | ARG_POSITIONAL),
	[S_MAP] = ROW(map, .name = "map", .type = ARG_OBJECT, .flags = ARG_CHOICE),
	[S_PART] = ROW(part, .name = "part", .type = ARG_WORD, .words = &forms, .flags = ARG_FOLLOWS),
	[S_FILE] = ROW(rest, .name = "file", .type = ARG_PATH, .flags = ARG_CHOICE | ARG_REPEAT),
	[S_FORM] = ROW(form, .name = "form", .type = ARG_WORD, .words = &forms),
	[S_ROOT] = ROW(roots, .name = "root", .type = ARG_U32, .flags = ARG_REPEAT),
	ROW(dry, .name = "--dry-run", .type = ARG_FLAG),
};
static const struct command sources = { .name = "dump", ARGS(source_args, struct opts) };
static const struct arg show_args[] = { ROW(object, .type = ARG_OBJECT, .flags = ARG_POSITIONAL) };
static const struct command show = { .name = "show", ARGS(show_args, struct opts) };
static const struct arg shows_args[] = {
	ROW(objects, .type = ARG_OBJECT, .flags = ARG_POSITIONAL | ARG_REPEAT),
	ROW(linum, .name = "linum", .type = ARG_FLAG),
	ROW(dry, .name = "--dry-run", .type = ARG_FLAG),
};
static const struct command shows = { .name = "show", ARGS(shows_args, struct opts) };
static const struct arg rest_args[] = {
	ROW(rest, .name = "PATH", .type = ARG_REST, .flags = ARG_REQUIRED),
	ROW(dry, .name = "--dry-run", .type = ARG_FLAG),
};
static const struct command unpin = { .name = "unpin", ARGS(rest_args, struct opts) };
static const struct arg update_args[] = {
	ROW(object, .type = ARG_OBJECT, .flags = ARG_POSITIONAL | ARG_REQUIRED),
	ROW(dry, .name = "--dry-run", .type = ARG_FLAG),
	ROW(rest, .name = "[key DATA] [value VALUE]", .type = ARG_REST),
};
static const struct command update = { .name = "update", ARGS(update_args, struct opts) };
static const struct arg create_args[] = {
	ROW(file, .name = "PATH", .type = ARG_PATH, .flags = ARG_POSITIONAL | ARG_REQUIRED),
	ROW(sort, .name = "name", .metavar = "NAME", .type = ARG_STR, .flags = ARG_REQUIRED),
	ROW(n, .name = "key", .type = ARG_U32),
};
static const struct command create = { .name = "create", ARGS(create_args, struct opts) };
/* "run {FILE | map MAP} [form {raw|c}]" */
static const struct arg run_args[] = {
	ROW(file, .name = "FILE", .type = ARG_PATH, .flags = ARG_CHOICE | ARG_POSITIONAL),
	ROW(map, .name = "map", .type = ARG_OBJECT, .flags = ARG_CHOICE),
	ROW(form, .name = "form", .type = ARG_WORD, .words = &forms),
};
static const struct command run = { .name = "run", ARGS(run_args, struct opts) };
static const struct kind prog = { .name = "prog",
				  .noun = "program",
				  .selectors = SEL_ID | SEL_NAME | SEL_TAG | SEL_PINNED };

static struct arena *arena;

static int parse_as(bool bpftool, const struct command *c, const char *line, struct opts *o, struct err *e)
{
	const char *argv[32];
	char *text = arena_fmt(arena, "%s", line), *p, *save;
	int argc = 0;

	for (p = strtok_r(text, " ", &save); p; p = strtok_r(NULL, " ", &save))
		argv[argc++] = p;
	*o = (struct opts){ 0 };
	return command_parse(c, &prog, bpftool, argc, argv, arena, o, e);
}

static int parse(const struct command *c, const char *line, struct opts *o, struct err *e)
{
	return parse_as(false, c, line, o, e);
}

static void good(const struct command *c, const char *line, struct opts *o)
{
	struct err e = { 0 };

	if (parse(c, line, o, &e))
		fail_msg("%s: %s", line, e.msg);
}

static void test_objects(void **state)
{
	struct opts o;

	(void)state;
	good(&show, "", &o);
	assert_int_equal(o.object.by, 0);
	good(&show, "id 0x10", &o);
	assert_true(o.object.by == SEL_ID && o.object.id == 16);
	good(&show, "n x", &o);
	assert_int_equal(o.object.by, SEL_NAME);
	assert_string_equal(o.object.text, "x");
	good(&show, "tag ABCDEF0123456789", &o);
	assert_string_equal(o.object.text, "abcdef0123456789");
	good(&show, "pin /x", &o);
	assert_int_equal(o.object.by, SEL_PINNED);
	assert_string_equal(o.object.text, "/x");
}

/* Without the word before it. */
static void test_bare(void **state)
{
	static const struct {
		const struct command *c;
		const char *line;
		enum selector by;
		uint32_t id;
		const char *text;
	} cases[] = {
		{ &show, "40478", SEL_ID, 40478, NULL },
		{ &show, "007", SEL_ID, 7, NULL },
		{ &show, "flows", SEL_NAME, 0, "flows" },
		{ &show, "7z", SEL_NAME, 0, "7z" },
		{ &show, "0x10", SEL_NAME, 0, "0x10" },
		{ &show, "/sys/fs/bpf/x", SEL_PINNED, 0, "/sys/fs/bpf/x" },
		{ &show, "./x", SEL_PINNED, 0, "./x" },
		{ &show, "names", SEL_NAME, 0, "names" },
		{ &show, "-- flows", SEL_NAME, 0, "flows" },
		/* bpftool's words have priority. */
		{ &show, "i 5", SEL_ID, 5, NULL },
		{ &show, "name 5", SEL_NAME, 0, "5" },
		{ &show, "name id", SEL_NAME, 0, "id" },
		{ &update, "keys", SEL_NAME, 0, "keys" },
		{ &update, "name key key 1", SEL_NAME, 0, "key" },
		{ &show, "name a/b", SEL_NAME, 0, "a/b" },
		{ &dump, "raw file_", SEL_NAME, 0, "file_" },
		{ &dump, "raw name file", SEL_NAME, 0, "file" },
		{ &dump, "raw op op", SEL_NAME, 0, "op" },
		{ &dump, "c 5 map m", SEL_ID, 5, NULL },
		{ &sources, "7 form c", SEL_ID, 7, NULL },
		{ &sources, "flows root 1", SEL_NAME, 0, "flows" },
		{ &sources, "m flows", 0, 0, NULL },
	};
	struct err e = { 0 };
	struct opts o;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		good(cases[i].c, cases[i].line, &o);
		if (o.object.by != cases[i].by || o.object.id != cases[i].id)
			fail_msg("%s: by %u, id %u", cases[i].line, o.object.by, o.object.id);
		if (cases[i].text)
			assert_string_equal(o.object.text, cases[i].text);
	}
	assert_string_equal(o.map.text, "flows");
	assert_int_equal(parse(&show, "4294967296", &o, &e), -EINVAL);
	assert_string_equal(e.msg, "can't parse 4294967296 as ID");
}

static void test_several(void **state)
{
	struct object_refs *l;
	struct err e = { 0 };
	struct opts o;

	(void)state;
	good(&shows, "", &o);
	assert_int_equal(o.objects.n, 0);
	good(&shows, "id 5 name x 7 y linum z --dry-run /p", &o);
	l = &o.objects;
	assert_int_equal(l->n, 6);
	assert_true(l->v[0].by == SEL_ID && l->v[0].id == 5 && l->v[1].by == SEL_NAME && l->v[2].id == 7 &&
		    l->v[5].by == SEL_PINNED);
	assert_string_equal(l->v[3].text, "y");
	assert_string_equal(l->v[4].text, "z");
	assert_true(o.linum && o.dry);
	/* An abbreviated keyword is a keyword. */
	good(&shows, "5 li", &o);
	assert_true(o.objects.n == 1 && o.linum);
	assert_int_equal(parse(&shows, "5 name", &o, &e), -EINVAL);
	assert_string_equal(e.msg, "'name' needs a value: NAME");
}

static void test_bpftool(void **state)
{
	static const struct {
		const struct command *c;
		const char *line, *says;
	} cases[] = {
		{ &show, "foo", "expected 'id', 'tag', 'name' or 'pinned', got: 'foo'?" },
		{ &show, "5", "expected 'id', 'tag', 'name' or 'pinned', got: '5'?" },
		{ &dump, "raw /sys/fs/bpf/x", "expected 'id', 'tag', 'name' or 'pinned', got: '/sys/fs/bpf/x'?" },
		{ &shows, "id 5 id 6", "unexpected argument 'id'" },
		{ &shows, "id 5 6", "unexpected argument '6'" },
		{ &dump, "", "'dump' needs at least 3 arguments, 0 found" },
		{ &dump, "raw id", "'id' needs a value: N" },
		{ &sources, "5", "expected 'id', 'tag', 'name', 'pinned', 'map' or 'file', got: '5'?" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { 0 };
		struct opts o;

		assert_int_not_equal(parse_as(true, cases[i].c, cases[i].line, &o, &e), 0);
		assert_string_equal(e.msg, cases[i].says);
	}
}

static void test_all(void **state)
{
	struct opts o;

	(void)state;
	good(&dump, "r id 5 linum number 7 op --sort=-x big 0xffffffffffffffff --dry with a map name m with b with c",
	     &o);
	assert_int_equal(o.form, 0);
	assert_int_equal(o.object.id, 5);
	assert_true(o.opcodes && o.linum && o.dry);
	assert_int_equal(o.n, 7);
	assert_true(o.big == UINT64_MAX);
	assert_string_equal(o.sort, "-x");
	assert_string_equal(o.map.text, "m");
	assert_int_equal(o.many.n, 3);
	assert_string_equal(o.many.word[0], "a");
	assert_string_equal(o.many.word[2], "c");
	good(&dump, "-s -y c id 1", &o);
	assert_string_equal(o.sort, "-y");
	assert_int_equal(o.form, 1);
	good(&dump, "-sy,z c id 1", &o);
	assert_string_equal(o.sort, "y,z");
	good(&dump, "c id 1 -s=", &o);
	assert_string_equal(o.sort, "=");
	good(&unpin, "/a /b --dry-run /c -- -d", &o);
	assert_int_equal(o.rest.n, 4);
	assert_string_equal(o.rest.word[3], "-d");
	assert_true(o.dry);
}

/* Words with their own grammar, including negative numbers. */
static void test_grammar(void **state)
{
	struct group g = { .name = "prog", .kind = &prog };
	struct opts o;

	(void)state;
	good(&update, "id 5 key -5 --dry-run value 0x7", &o);
	assert_int_equal(o.rest.n, 4);
	assert_string_equal(o.rest.word[1], "-5");
	assert_true(o.dry);
	assert_string_equal(command_usage(&g, &update, arena), "prog update PROG [--dry-run] [key DATA] [value VALUE]");
}

static void test_refuse(void **state)
{
	static const struct {
		const struct command *c;
		const char *line, *says;
	} cases[] = {
		{ &show, "id 5 foo", "unexpected argument 'foo'" },
		{ &show, "id x", "can't parse x as ID" },
		{ &show, "id -1", "can't parse -1 as ID" },
		{ &show, "id 4294967296", "can't parse 4294967296 as ID" },
		{ &show, "id", "'id' needs a value: N" },
		{ &show, "tag 12", "can't parse 12 as tag: a tag has 16 hexadecimal digits" },
		{ &show, "--bogus", "unknown option '--bogus'" },
		{ &show, "-x", "unknown option '-x'" },
		{ &dump, "raw id 1 --linum linum", "'linum' is given twice" },
		{ &dump, "raw id 1 --linum=1", "option 'linum' takes no argument" },
		{ &sources, "--form c", "unknown option '--form'" },
		{ &dump, "-xy", "unknown option '-xy'" },
		{ &dump, "raw id 1 -sa -sb", "'-s | --sort' is given twice" },
		{ &dump, "", "'dump' needs at least 2 arguments, 0 found" },
		{ &dump, "raw", "'dump' needs a program: its id, name or pin" },
		/* A keyword is not a name: the word before it is missing. */
		{ &dump, "raw file x", "expected 'id', 'tag', 'name' or 'pinned', got: 'file'?" },
		{ &update, "key 1", "'update' needs PROG before 'key'" },
		{ &update, "value 1", "'update' needs PROG before 'value'" },
		{ &sources, "file x flows", "unexpected argument 'flows'" },
		{ &dump, "raw -s a", "'dump' needs a program: its id, name or pin" },
		{ &dump, "asm id 1", "expected {raw|c}, got: 'asm'?" },
		{ &dump, "raw id 1 linum linum", "'linum' is given twice" },
		{ &dump, "raw id 1 linum file x", "'file' and 'linum' are mutually exclusive" },
		{ &dump, "raw id 1 number", "'number' needs a value: COUNT" },
		{ &dump, "raw id 1 number 1x", "can't parse 1x as COUNT" },
		{ &dump, "raw id 1 big 18446744073709551616", "can't parse 18446744073709551616 as N" },
		{ &dump, "raw id 1 --dry-run=1", "option '--dry-run' takes no argument" },
		{ &dump, "raw id 1 map", "'map' needs a value: PROG" },
		{ &dump, "raw id 1 what", "unexpected argument 'what'" },
		{ &create, "/p key 4", "'create' needs 'name NAME'" },
		{ &create, "/p", "'create' needs at least 3 arguments, 1 found" },
		{ &unpin, "", "'unpin' needs at least 1 argument, 0 found" },
		{ &sources, "", "'dump' needs 'id', 'tag', 'name', 'pinned', 'map' or 'file'" },
		{ &sources, "form c", "expected 'id', 'tag', 'name', 'pinned', 'map' or 'file', got: 'form'?" },
		{ &sources, "map id 1 file x", "unexpected argument 'file'" },
		{ &sources, "file x id 1", "unexpected argument 'id'" },
		{ &sources, "file x raw", "unexpected argument 'raw'" },
		{ &dump, "raw id 1 --least 0", "can't parse 0 as N" },
		{ &dump, "raw id 1 --least 0x0", "can't parse 0x0 as N" },
		{ &sources, "id 1 root x", "can't parse x as N" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { 0 };
		struct opts o;

		if (!parse(cases[i].c, cases[i].line, &o, &e))
			fail_msg("accepted: %s %s", cases[i].c->name, cases[i].line);
		assert_string_equal(e.msg, cases[i].says);
		assert_int_equal(err_exit_status(&e), EXIT_USAGE);
	}
}

/* An empty word, as of a variable that is not set, is neither a file nor an abbreviation. */
static void test_empty(void **state)
{
	static const struct {
		const struct command *c;
		const char *words[4];
		int n;
		const char *says;
	} cases[] = {
		{ &create, { "", "key", "4", "name" }, 4, "PATH: the name is empty" },
		{ &sources, { "file", "" }, 2, "file: the name is empty" },
		{ &show, { "", "5" }, 2, "expected 'id', 'tag', 'name' or 'pinned', got: ''?" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { 0 };
		struct opts o = { 0 };

		assert_int_equal(command_parse(cases[i].c, &prog, false, cases[i].n, cases[i].words, arena, &o, &e),
				 -EINVAL);
		assert_string_equal(e.msg, cases[i].says);
	}
}

static void test_choice(void **state)
{
	struct err e = { 0 };
	struct opts o;

	(void)state;
	assert_int_equal(parse(&sources, "id 7 form c root 1 root 2 root 3", &o, &e), 0);
	assert_int_equal(o.object.id, 7);
	assert_int_equal(o.form, 1);
	assert_int_equal(o.roots.n, 3);
	assert_int_equal(o.roots.v[2], 3);
	assert_int_equal(parse(&sources, "m id 5 c f raw", &o, &e), 0);
	assert_int_equal(o.map.id, 5);
	assert_int_equal(o.part, 1);
	assert_int_equal(o.form, 0);
	/* Until an alternative is chosen, "f" is a file; a word after another one is its value. */
	assert_int_equal(parse(&sources, "--dry-run f a file b fo c", &o, &e), 0);
	assert_int_equal(o.rest.n, 2);
	assert_string_equal(o.rest.word[1], "b");
	assert_true(o.dry);
}

/* Any word is the first alternative, except the keywords of the others. */
static void test_choice_any(void **state)
{
	struct err e = { 0 };
	struct opts o;

	(void)state;
	good(&run, "x.o form c", &o);
	assert_string_equal(o.file, "x.o");
	assert_int_equal(o.form, 1);
	good(&run, "map id 3", &o);
	assert_int_equal(o.map.id, 3);
	assert_null(o.file);
	good(&run, "ma", &o);
	assert_string_equal(o.file, "ma");
	good(&run, "form form c", &o);
	assert_string_equal(o.file, "form");
	assert_int_equal(parse(&run, "", &o, &e), -EINVAL);
	assert_string_equal(e.msg, "'run' needs FILE or 'map'");
	err_clear(&e);
	assert_int_equal(parse(&run, "map id 3 x.o", &o, &e), -EINVAL);
	assert_string_equal(e.msg, "unexpected argument 'x.o'");
}

static void test_usage(void **state)
{
	const struct group g = { .name = "prog", .kind = &prog }, alone = { .name = "unpin", .alone = &unpin };

	(void)state;
	assert_string_equal(command_usage(&g, &dump, arena),
			    "prog dump {raw|c} PROG [opcodes] [linum] [file PATH] [map PROG] "
			    "[number COUNT] [big N] [-s | --sort TEXT] [--least N] [--dry-run] [with TEXT]...");
	assert_string_equal(command_usage(&g, &sources, arena),
			    "prog dump {PROG | map PROG [raw|c] | file PATH...} "
			    "[form {raw|c}] [root N]... [--dry-run]");
	assert_string_equal(command_usage(&alone, &unpin, arena), "unpin PATH ... [--dry-run]");
}

static void test_may(void **state)
{
	struct parser p = { .c = &dump, .kind = &prog, .arena = arena };
	static const char *const words[] = { "raw", "id", "1", "linum", "with", "x" };
	struct err e = { 0 };
	size_t i;

	(void)state;
	assert_ptr_equal(parser_positional(&p), &dump_args[A_FORM]);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		assert_int_equal(parser_word(&p, words[i], &e), 0);
	assert_null(parser_positional(&p));
	assert_false(parser_may(&p, &dump_args[A_LINUM]));
	assert_false(parser_may(&p, &dump_args[A_FILE]));
	assert_false(parser_may(&p, &dump_args[A_OBJECT]));
	assert_true(parser_may(&p, &dump_args[A_OPCODES]));
	assert_true(parser_may(&p, &dump_args[A_MANY]));
}

static void test_may_choose(void **state)
{
	struct parser p = { .c = &sources, .kind = &prog, .arena = arena };
	static const char *const words[] = { "map", "id", "1" };
	struct err e = { 0 };
	size_t i;

	(void)state;
	assert_true(parser_choice(&p));
	assert_ptr_equal(parser_positional(&p), &source_args[S_PROG]);
	assert_true(parser_may(&p, &source_args[S_FILE]));
	assert_false(parser_may(&p, &source_args[S_FORM]));
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		assert_null(parser_following(&p));
		assert_int_equal(parser_word(&p, words[i], &e), 0);
	}
	assert_ptr_equal(parser_following(&p), &source_args[S_PART]);
	assert_null(parser_positional(&p));
	assert_false(parser_choice(&p));
	assert_false(parser_may(&p, &source_args[S_FILE]));
	assert_true(parser_may(&p, &source_args[S_FORM]));
	assert_int_equal(parser_word(&p, "form", &e), 0);
	assert_null(parser_following(&p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects),	   cmocka_unit_test(test_bare),	  cmocka_unit_test(test_several),
		cmocka_unit_test(test_bpftool),	   cmocka_unit_test(test_all),	  cmocka_unit_test(test_grammar),
		cmocka_unit_test(test_refuse),	   cmocka_unit_test(test_empty),  cmocka_unit_test(test_usage),
		cmocka_unit_test(test_may),	   cmocka_unit_test(test_choice), cmocka_unit_test(test_choice_any),
		cmocka_unit_test(test_may_choose),
	};
	int failed;

	arena = arena_new();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(arena);
	return failed;
}
