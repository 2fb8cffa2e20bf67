/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>

#include "base/base.h"
#include "types/btf.h"
#include "build.h"

struct ids {
	uint32_t i, chr, ch, arr, arr2, td, st, un, en, fwd, pst;
};

static void common_types(struct btf_build *b, struct ids *x)
{
	build_init(b);
	x->i = build_int(b, "int", 4, BTF_INT_SIGNED, 0, 32);
	x->ch = build_int(b, "char", 1, BTF_INT_SIGNED, 0, 8);
	x->chr = build_ref(b, BTF_KIND_PTR, NULL, build_ref(b, BTF_KIND_CONST, NULL, x->ch));
	x->arr = build_array(b, x->i, x->i, 3);
	x->arr2 = build_array(b, x->arr, x->i, 2);
	x->td = build_ref(b, BTF_KIND_TYPEDEF, "myint", x->i);
	x->st = build_type(b, "arr", BTF_KIND_STRUCT, 0, 0, 0);
	x->pst = build_ref(b, BTF_KIND_PTR, NULL, x->st);
	x->un = build_type(b, "uux", BTF_KIND_UNION, 0, 0, 0);
	x->en = build_type(b, NULL, BTF_KIND_ENUM, 0, 0, 4);
	x->fwd = build_type(b, "fwdd", BTF_KIND_FWD, 0, 1, 0);
}

static void assert_signature(struct btf_build *b, uint32_t func, const char *want)
{
	struct btf_types *t = NULL;
	struct err e = { 0 };
	STR text = { 0 };

	build_done(b);
	if (btf_parse(&t, b->out, b->out_n, NULL, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(btf_signature(t, func, &text), 0);
	assert_string_equal(text.p, want);
	btf_release(&t);
}

/* The text that bpftool prints for the same functions. */
static void test_as_bpftool(void **state)
{
	struct btf_build b;
	struct ids x;
	uint32_t p, inner, fn, pun, pa2, pfwd, rst;

	(void)state;
	common_types(&b, &x);
	pun = build_ref(&b, BTF_KIND_PTR, NULL, x.un);
	pfwd = build_ref(&b, BTF_KIND_PTR, NULL, x.fwd);
	p = build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 5, 0, x.i);
	build_pair(&b, "a", x.chr);
	build_pair(&b, "c", x.td);
	build_pair(&b, "u", pun);
	build_pair(&b, "w", pfwd);
	build_pair(&b, "d", x.en);
	fn = build_ref(&b, BTF_KIND_FUNC, "f1", p);
	assert_signature(&b, fn, "int f1(const char * a, myint c, union uux * u, union fwdd * w, enum  d)");

	common_types(&b, &x);
	p = build_ref(&b, BTF_KIND_PTR, NULL, 0);
	p = build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 0, 0, p);
	fn = build_ref(&b, BTF_KIND_FUNC, "f4", p);
	assert_signature(&b, fn, "void * f4()");

	common_types(&b, &x);
	inner = build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 2, 0, x.i);
	build_pair(&b, NULL, x.pst);
	build_pair(&b, NULL, 0);
	inner = build_ref(&b, BTF_KIND_PTR, NULL, inner);
	pa2 = build_ref(&b, BTF_KIND_PTR, NULL, x.arr2);
	rst = build_ref(&b, BTF_KIND_RESTRICT, NULL, x.chr);
	p = build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 3, 0, 0);
	build_pair(&b, "a", inner);
	build_pair(&b, "b", pa2);
	build_pair(&b, "c", rst);
	assert_signature(&b, build_ref(&b, BTF_KIND_FUNC, "f7", p),
			 "void f7(int (struct arr *, ...)* a, int [3][2]* b, restrict const char * c)");
}

static void test_refused(void **state)
{
	struct btf_types *t = NULL;
	struct btf_build b;
	struct ids x;
	STR text = { 0 };

	(void)state;
	common_types(&b, &x);
	build_done(&b);
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, NULL), 0);
	assert_int_equal(btf_signature(t, x.i, &text), -EINVAL);
	assert_int_equal(btf_signature(t, 0, &text), -EINVAL);
	assert_int_equal(btf_signature(t, 999, &text), -EINVAL);
	btf_release(&t);
}

/* The signature of a function with a pointer to itself as parameter, doubled at each level, must end. */
static void test_endless(void **state)
{
	struct btf_types *t = NULL;
	struct btf_build b;
	STR text = { 0 };
	uint32_t p;

	(void)state;
	build_init(&b);
	p = build_type(&b, NULL, BTF_KIND_FUNC_PROTO, 2, 0, 0);
	build_pair(&b, "a", p);
	build_pair(&b, "b", p);
	build_done(&b);
	assert_int_equal(btf_parse(&t, b.out, b.out_n, NULL, NULL), 0);
	assert_int_equal(btf_signature(t, p, &text), 0);
	assert_true(text.n < 100000);
	btf_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_bpftool),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_endless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
