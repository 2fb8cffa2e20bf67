/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "types/c/syntax.h"
#include "parsed.h"

/* Random types as C, compared with libbpf, which bpftool also uses. Versions from 1.1 to 1.7 write the same text. */
#define OLDEST 1
#define NEWEST 7
#define ATTRIBUTES 6 /* from this version on, a tag may be any attribute */
#define GRAPHS 4000
#define MAX_TYPES 40

static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 32) % n;
}

/* Facts about a type that others are built from. */
struct made {
	uint32_t size, align;
	bool complete, array, integer, tag;
	bool expands; /* a member without a name, which libbpf leaves to the extensions of Microsoft */
};
struct graph {
	struct btf_build b;
	struct made made[MAX_TYPES * 2];
	uint32_t last; /* highest id that pointers may refer to */
	uint32_t ptr;  /* bytes of a pointer */
};

static const char *any_name(void)
{
	static const char *const names[] = { "a", "b", "c", "d", "longer_name", "e" };

	return names[rnd(6)];
}

static const char *maybe_name(void)
{
	return rnd(3) ? any_name() : NULL;
}

/* An earlier type that has a size; 0: none found. */
static uint32_t sized(const struct graph *g)
{
	for (unsigned i = 0; i < 16; i++) {
		uint32_t id = 1 + rnd(g->b.next - 1);

		if (g->made[id].complete)
			return id;
	}
	return 1;
}

/* For a result or a parameter: not an array or function, perhaps void. */
static uint32_t passed(const struct graph *g)
{
	uint32_t id = sized(g);

	return !rnd(5) || g->made[id].array ? 0 : id;
}

static uint32_t up(uint32_t v, uint32_t step)
{
	return (v + step - 1) / step * step;
}

static void add_struct(struct graph *g)
{
	const char *name = maybe_name();
	bool is_union = !rnd(4), packed = !rnd(4), bits = rnd(2);
	unsigned i, n = rnd(6);
	uint32_t id = g->b.next, at = 0, end = 0, words[6][3], align = 1;

	for (i = 0; i < n; i++) {
		uint32_t type = sized(g), width = 0;
		const struct made *m = &g->made[type];

		if (bits && m->integer && rnd(2))
			width = 1 + rnd(m->size * 8 < 32 ? m->size * 8 : 32);
		if (!rnd(6))
			at += rnd(200);
		if (!rnd(12))
			at += 8 * rnd(40);
		if (is_union)
			at = 0;
		if (!width || (width && at / (m->size * 8) != (at + width - 1) / (m->size * 8) && !packed))
			at = up(at, packed ? 8 : m->align * 8);
		words[i][0] = type;
		words[i][1] = at;
		words[i][2] = width;
		at += width ? width : m->size * 8;
		end = at > end ? at : end;
		align = !packed && m->align > align ? m->align : align;
	}
	if (!rnd(6))
		end += 8 * rnd(20);
	end = up(up(end, 8) / 8, rnd(20) ? align : 1);
	build_type(&g->b, name, is_union ? BTF_KIND_UNION : BTF_KIND_STRUCT, n, bits, end);
	for (i = 0; i < n; i++)
		build_member(&g->b, rnd(8) || g->made[words[i][0]].expands ? any_name() : NULL, words[i][0],
			     words[i][2] << 24 | words[i][1]);
	g->made[id] = (struct made){ .complete = true, .size = end, .align = align, .expands = name };
}

static void add_enum(struct graph *g)
{
	/* libbpf does not write other sizes: 2, and 8 if a pointer has 4 bytes. */
	static const uint32_t sizes[] = { 1, 4, 4, 4, 8 };
	bool wide = !rnd(4), narrow = rnd(2);
	unsigned n = rnd(4);
	uint32_t id = g->b.next, size = wide ? 8 : sizes[rnd(g->ptr == 8 ? 5 : 4)];

	build_type(&g->b, maybe_name(), wide ? BTF_KIND_ENUM64 : BTF_KIND_ENUM, n, rnd(2), size);
	for (unsigned i = 0; i < n; i++) {
		build_word(&g->b, build_str(&g->b, any_name()));
		build_word(&g->b, rnd(2) ? rnd(100) : (uint32_t)-1 - rnd(100));
		if (wide)
			build_word(&g->b, g->ptr == 8 && narrow ? 0 : (uint32_t)-2 - rnd(2));
	}
	g->made[id] = (struct made){
		.complete = true, .size = size, .align = size < g->ptr ? size : g->ptr, .integer = true
	};
}

static void add_ref(struct graph *g)
{
	static const unsigned kinds[] = {
		BTF_KIND_CONST,	  BTF_KIND_VOLATILE, BTF_KIND_RESTRICT,
		BTF_KIND_TYPEDEF, BTF_KIND_TYPEDEF,  BTF_KIND_TYPE_TAG,
	};
	unsigned kind = kinds[rnd(6)];
	uint32_t id = g->b.next, to = rnd(8) ? sized(g) : 1 + rnd(id - 1);
	bool attribute;

	/* libbpf writes the qualifier of a tag without a blank. */
	if (g->made[to].tag && kind != BTF_KIND_TYPE_TAG)
		kind = BTF_KIND_TYPEDEF;
	attribute = kind == BTF_KIND_TYPE_TAG && libbpf_minor_version() >= ATTRIBUTES && rnd(2);
	build_type(&g->b, kind == BTF_KIND_TYPEDEF || kind == BTF_KIND_TYPE_TAG ? any_name() : NULL, kind, 0, attribute,
		   to);
	g->made[id] = g->made[to];
	g->made[id].tag = kind == BTF_KIND_TYPE_TAG;
	g->made[id].expands |= kind == BTF_KIND_TYPEDEF;
}

static void add_proto(struct graph *g)
{
	unsigned n = rnd(4);

	build_type(&g->b, NULL, BTF_KIND_FUNC_PROTO, n, 0, passed(g));
	for (unsigned i = 0; i < n; i++)
		build_pair(&g->b, rnd(2) ? any_name() : NULL, i + 1 == n && !rnd(3) ? 0 : sized(g));
}

static void add_type(struct graph *g)
{
	uint32_t id = g->b.next, elem;

	switch (rnd(12)) {
	case 0:
	case 1:
	case 2:
		build_ref(&g->b, BTF_KIND_PTR, NULL, rnd(10) ? 1 + rnd(g->last) : 0);
		g->made[id] = (struct made){ .complete = true, .size = g->ptr, .align = g->ptr };
		break;
	case 3:
		elem = sized(g);
		build_array(&g->b, elem, 3, rnd(5));
		g->made[id] = g->made[elem];
		g->made[id].array = true;
		g->made[id].integer = false;
		g->made[id].size *= g->b.words[g->b.n - 1];
		break;
	case 4:
		add_proto(g);
		break;
	case 5:
		add_enum(g);
		break;
	case 6:
	case 7:
		add_ref(g);
		break;
	case 8:
		build_type(&g->b, any_name(), BTF_KIND_FWD, 0, rnd(2), 0);
		break;
	default:
		add_struct(g);
	}
}

static void graph_make(struct graph *g)
{
	static const struct {
		const char *name;
		uint32_t size, encoding;
	} ints[] = {
		{ "char", 1, BTF_INT_CHAR },  { "short int", 2, BTF_INT_SIGNED },
		{ "int", 4, BTF_INT_SIGNED }, { "long int", 0, BTF_INT_SIGNED },
		{ "_Bool", 1, BTF_INT_BOOL }, { "__int128", 16, BTF_INT_SIGNED },
		{ "__Poly8_t", 1, 0 },
	};
	size_t n = sizeof(ints) / sizeof(ints[0]);

	memset(g->made, 0, sizeof(g->made));
	build_init(&g->b);
	g->ptr = rnd(4) ? 8 : 4;
	for (size_t i = 0; i < n; i++) {
		uint32_t size = ints[i].size ? ints[i].size : g->ptr;

		build_int(&g->b, ints[i].name, size, ints[i].encoding, 0, size * 8);
		g->made[i + 1] = (struct made){ .complete = true, .size = size, .integer = true };
		g->made[i + 1].align = size < g->ptr ? size : g->ptr;
	}
	g->last = (uint32_t)n + 1 + rnd(MAX_TYPES - (uint32_t)n);
	while (g->b.next <= g->last)
		add_type(g);
	/* These are not referred to. */
	build_type(&g->b, "f", BTF_KIND_FUNC, 1, 0, build_type(&g->b, NULL, BTF_KIND_FUNC_PROTO, 0, 0, 0));
	build_var(&g->b, "v", sized(g));
	build_type(&g->b, "section", BTF_KIND_DATASEC, 1, 0, 4);
	build_secinfo(&g->b, g->b.next - 2, 0, 4);
}

static struct {
	char text[1 << 20];
	size_t n;
} theirs;

/* libbpf writes nothing where C requires void. */
__attribute__((format(printf, 2, 0))) static void on_print(void *ctx, const char *fmt, va_list args)
{
	(void)ctx;
	if (!strcmp(fmt, ")") && theirs.n && theirs.text[theirs.n - 1] == '(')
		theirs.n += (size_t)sprintf(theirs.text + theirs.n, "void");
	theirs.n += (size_t)vsnprintf(theirs.text + theirs.n, sizeof(theirs.text) - theirs.n, fmt, args);
	assert_true(theirs.n < sizeof(theirs.text));
}

static void their_text(const struct btf_build *b, const uint32_t *ids, size_t n)
{
	struct btf *btf = btf__new(b->out, (uint32_t)b->out_n);
	struct btf_dump *d = btf_dump__new(btf, on_print, NULL, NULL);

	assert_int_equal(libbpf_get_error(btf), 0);
	assert_int_equal(libbpf_get_error(d), 0);
	theirs.n = 0;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(btf_dump__dump_type(d, ids[i]), 0);
	theirs.text[theirs.n] = '\0';
	btf_dump__free(d);
	btf__free(btf);
}

static size_t some_ids(const struct graph *g, uint32_t *ids)
{
	size_t n = 0;
	bool all = rnd(2);

	for (uint32_t id = 1; id < g->b.next; id++)
		if (all || !rnd(4))
			ids[n++] = id;
	for (size_t i = 1; !all && i < n; i++) {
		size_t j = rnd((uint32_t)i + 1);
		uint32_t was = ids[i];

		ids[i] = ids[j];
		ids[j] = was;
	}
	return n;
}

static void same(uint64_t i, const char *us, const char *them)
{
	const char *line = us;

	for (; *us && *us == *them; us++, them++)
		if (*us == '\n')
			line = us + 1;
	if (*us != *them)
		fail_msg("graph %llu: '%.300s'\nis not '%.300s'", (unsigned long long)i, line, them - (us - line));
}

static void test_random(void **state)
{
	static const char begin[] = "#define __bpf_fastcall\n#endif\n#endif\n\n";
	static const char end[] = "#ifndef BPF_NO_PRESERVE_ACCESS_INDEX\n#pragma clang attribute pop";
	static struct graph g;
	uint32_t ids[MAX_TYPES * 2];
	unsigned compared = 0;

	(void)state;
	if (libbpf_major_version() != 1 || libbpf_minor_version() < OLDEST || libbpf_minor_version() > NEWEST)
		skip_because("this version of libbpf may write other C");
	libbpf_set_print(NULL);
	for (uint64_t i = 1; i <= GRAPHS; i++) {
		struct err e = { 0 };
		char *from, *to;
		struct out o;
		size_t n;

		seed = i * 0x9e3779b97f4a7c15ull;
		graph_make(&g);
		BTF t = parsed(&g.b, NULL);
		n = some_ids(&g, ids);
		out_init(&o, -1);
		/* Some graphs are endless. */
		if (!c_syntax(t, ids, n, false, &o, &e)) {
			out_cstr(&o);
			from = strstr(o.buf, begin) + strlen(begin);
			to = strstr(o.buf, end);
			*to = '\0';
			their_text(&g.b, ids, n);
			same(i, from, theirs.text);
			compared++;
		}
		out_close(&o, NULL);
	}
	assert_true(compared > GRAPHS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
