/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include <stdlib.h>
#include <string.h>

#include "base/json/jsonr.h"
#include "types/value/format.h"
#include "types/value/value.h"
#include "lab.h"
#include "render/jsonw.h"

/* Random types: every kind, nested. */
static uint64_t seed;
static unsigned rnd(unsigned n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(seed >> 33) % n;
}

struct made {
	uint32_t id;
	unsigned size;
};

static struct made make_type(struct btf_build *b, unsigned depth);

static struct made make_int(struct btf_build *b)
{
	static const unsigned encodings[] = { 0, BTF_INT_SIGNED, BTF_INT_CHAR };
	unsigned size = 1u << rnd(5);

	if (size == 1 && !rnd(3))
		return (struct made){ build_int(b, "bool", 1, BTF_INT_BOOL, 0, 8), 1 };
	return (struct made){ build_int(b, "i", size, encodings[rnd(size == 1 ? 3 : 2)], 0, size * 8), size };
}

static struct made make_enum(struct btf_build *b)
{
	bool wide = rnd(2);
	unsigned i, n = rnd(4), size = wide ? 8 : 4;
	uint32_t id = build_type(b, "e", wide ? BTF_KIND_ENUM64 : BTF_KIND_ENUM, n, rnd(2), size);
	char name[8] = "W0";

	for (i = 0; i < n; i++, name[1]++) {
		if (wide)
			build_member(b, name, rnd(3), rnd(2) ? 0 : ~0u);
		else
			build_pair(b, name, rnd(2) ? rnd(5) : ~0u - rnd(3));
	}
	return (struct made){ id, size };
}

static struct made make_array(struct btf_build *b, unsigned depth)
{
	struct made e =
		rnd(3) ? make_type(b, depth + 1) : (struct made){ build_int(b, "char", 1, BTF_INT_SIGNED, 0, 8), 1 };
	unsigned n = e.size > 64 ? 1 : rnd(6);

	return (struct made){ build_array(b, e.id, e.id, n), e.size * n };
}

static struct made make_struct(struct btf_build *b, unsigned depth)
{
	bool is_union = !rnd(3), kflag = rnd(2);
	unsigned i, n = rnd(5), bit = 0, size = 0;
	struct {
		struct made t;
		unsigned bit, bits;
	} m[5];
	char name[8] = "m0";
	uint32_t id;

	for (i = 0; i < n; i++) {
		m[i].bits = 0;
		if (kflag && rnd(2)) {
			m[i].t = rnd(3) ? (struct made){ build_int(b, "f", 8, rnd(2) ? BTF_INT_SIGNED : 0, 0, 64), 8 } :
					  make_enum(b);
			m[i].bits = 1 + rnd(m[i].t.size * 8);
			m[i].bit = is_union ? 0 : bit;
		} else {
			m[i].t = make_type(b, depth + 1);
			bit = (bit + 7) / 8 * 8 + (rnd(3) ? 0 : 8 * rnd(4));
			m[i].bit = is_union ? 0 : bit;
		}
		bit = m[i].bit + (m[i].bits ? m[i].bits : m[i].t.size * 8);
		size = (bit + 7) / 8 > size ? (bit + 7) / 8 : size;
	}
	id = build_type(b, "s", is_union ? BTF_KIND_UNION : BTF_KIND_STRUCT, n, kflag, size);
	for (i = 0; i < n; i++, name[1]++) {
		unsigned kind = b->n ? rnd(3) : 0;

		build_member(b, kind || m[i].bits ? name : NULL, m[i].t.id, (kflag ? m[i].bits << 24 : 0) | m[i].bit);
	}
	return (struct made){ id, size };
}

static struct made make_type(struct btf_build *b, unsigned depth)
{
	static const unsigned quals[] = { BTF_KIND_TYPEDEF, BTF_KIND_CONST, BTF_KIND_VOLATILE, BTF_KIND_RESTRICT };
	struct made t;
	unsigned size;

	switch (rnd(depth < 4 ? 10 : 5)) {
	case 0:
		return make_enum(b);
	case 1:
		return (struct made){ build_ref(b, BTF_KIND_PTR, NULL, 0), 8 };
	case 2:
		size = rnd(2) ? 4 : 8;
		return (struct made){ build_type(b, "fl", BTF_KIND_FLOAT, 0, 0, size), size };
	case 5:
	case 6:
		return make_struct(b, depth);
	case 7:
		return make_array(b, depth);
	case 8:
		t = make_type(b, depth + 1);
		size = quals[rnd(4)];
		t.id = build_ref(b, size, size == BTF_KIND_TYPEDEF ? "td" : NULL, t.id);
		return t;
	default:
		return make_int(b);
	}
}

static struct made make_section(struct btf_build *b)
{
	struct made a = make_type(b, 1), c = make_type(b, 1);
	uint32_t va = build_var(b, "va", a.id), vc = build_var(b, "vc", c.id), id;

	id = build_type(b, ".data", BTF_KIND_DATASEC, 2, 0, a.size + c.size);
	build_secinfo(b, va, 0, a.size);
	build_secinfo(b, vc, a.size, c.size);
	return (struct made){ id, a.size + c.size };
}

static void print(const struct value_plan *p, const void *bytes, size_t n, enum value_form form, struct out *o)
{
	struct jsonw w;

	out_init(o, -1);
	jsonw_init(&w, o, form == VALUE_TYPED);
	value_print(p, &w, bytes, n);
}

/* Printed values are read, and then print the same. */
static unsigned assert_round_trip(struct lab *l, struct made t, enum value_form form, enum value_view view)
{
	struct value_plan *p = value_plan_tagged(l->t, t.id, form, view, NULL, l->a);
	unsigned char *bytes = malloc(t.size + 1), *back = malloc(t.size + 1);
	bool exact = value_exact(p, t.size);
	struct err e = { 0 };
	struct out a, b;
	struct jsonr r;

	assert_false(value_exact(p, t.size + 1));
	for (unsigned i = 0; i < t.size; i++)
		bytes[i] = (unsigned char)(rnd(3) ? rnd(256) : rnd(2) ? 0 : 'a' + rnd(3));
	memset(back, 0xcc, t.size + 1);
	print(p, bytes, t.size, form, &a);
	out_cstr(&a);
	jsonr_init(&r, "value", form == VALUE_TYPED ? JSONR_HEX : 0, a.buf, a.n);
	if (value_read(p, &r, back, t.size, &e))
		fail_msg("%.*s: %s", (int)a.n, a.buf, e.msg);
	assert_int_equal(jsonr_next(&r), JSONR_END);
	print(p, back, t.size, form, &b);
	if (strcmp(a.buf, out_cstr(&b)) != 0)
		fail_msg("%s\nbecame\n%s", a.buf, b.buf);
	if (exact)
		assert_memory_equal(bytes, back, t.size);
	out_close(&a, NULL);
	out_close(&b, NULL);
	free(bytes);
	free(back);
	return exact;
}

static void test_random(void **state)
{
	unsigned exact = 0, tried = 0;
	struct lab l;
	struct made t;

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		seed = i;
		rnd(2);
		build_init(&l.b);
		t = i % 10 ? make_type(&l.b, 0) : make_section(&l.b);
		if (t.size > 4000 || l.b.n > 3500)
			continue;
		lab_done(&l);
		for (unsigned k = 0; k < 4; k++, tried++)
			exact += assert_round_trip(&l, t, k & 1 ? VALUE_TYPED : VALUE_FORMATTED,
						   k & 2 ? VIEW_OWN : VIEW_BPFTOOL);
		lab_free(&l);
	}
	/* The test was not empty. */
	assert_true(tried > 8000);
	assert_true(exact > 1000 && exact < tried / 2 + tried / 4);
}

/* The output of --format is also read without it, except numbers in network order, which need the format. */
static void test_formats(void **state)
{
	static const struct {
		const char *path;
		enum format format;
		bool alone;
	} rows[] = {
		{ ".word", FORMAT_IP, true },	 { ".word", FORMAT_HEX, true }, { ".word", FORMAT_BE32, false },
		{ ".half", FORMAT_BE16, false }, { ".half", FORMAT_HEX, true }, { ".four", FORMAT_IP, true },
		{ ".mac", FORMAT_MAC, true },	 { ".mac", FORMAT_HEX, false }, { ".wide", FORMAT_IP, true },
		{ ".wide", FORMAT_HEX, false },
	};
	struct lab l = { 0 };
	uint32_t v;

	(void)state;
	v = lab_of(&l, build_addresses);
	for (unsigned i = 0; i < 2000; i++) {
		const struct value_plan *alone = value_plan(l.t, v, VALUE_FORMATTED, l.a), *p = alone;
		unsigned row = rnd(sizeof(rows) / sizeof(rows[0]));
		unsigned char bytes[ADDRESSES], got[ADDRESSES];
		struct err e = { 0 };
		struct out text;

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (unsigned char)(rnd(3) ? rnd(256) : 0);
		assert_int_equal(format_apply(&p, "value", rows[row].path, rows[row].format, NULL, l.a, &e), 0);
		print(p, bytes, sizeof(bytes), VALUE_FORMATTED, &text);
		out_cstr(&text);
		for (unsigned k = 0; k < 1u + rows[row].alone; k++) {
			struct jsonr r;

			jsonr_init(&r, "value", 0, text.buf, text.n);
			if (value_read(k ? alone : p, &r, got, sizeof(got), &e))
				fail_msg("%s: %s", text.buf, e.msg);
			assert_memory_equal(got, bytes, sizeof(bytes));
		}
		out_close(&text, NULL);
	}
	lab_free(&l);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
