/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "base/base.h"
#include "../types/parsed.h"
#include "object/core.h"

/* The types of an object, and those of a kernel in which many have other names. */
struct lab {
	struct btf_build local, there;
	struct btf_types *mine, *kernel;
	struct core_target t;
	struct arena *arena;
	uint32_t task, gone, flags, pair, table;
};

static void local_build(struct lab *l)
{
	struct btf_build *b = &l->local;
	uint32_t i, l64, array;

	build_init(b);
	i = build_int(b, "int", 4, BTF_INT_SIGNED, 0, 32);
	l64 = build_int(b, "long", 8, BTF_INT_SIGNED, 0, 64);
	array = build_array(b, i, i, 8);
	l->task = build_type(b, "task_struct___old", BTF_KIND_STRUCT, 5, 0, 64);
	build_member(b, "state", l64, 0);
	build_member(b, "pid", array, 64);
	build_member(b, "weight", i, 320);
	build_member(b, "slots", array, 352);
	build_member(b, "tgid", i, 608);
	l->gone = build_type(b, "request_queu", BTF_KIND_STRUCT, 0, 0, 0);
	l->flags = build_type(b, "flags", BTF_KIND_ENUM, 1, 0, 4);
	build_pair(b, "FLAG_ONE___v2", 1);
	l->pair = build_type(b, "pair", BTF_KIND_STRUCT, 1, 0, 8);
	build_member(b, "a", i, 0);
}

static void kernel_build(struct lab *l)
{
	struct btf_build *b = &l->there;
	uint32_t i, array, inner;

	build_init(b);
	i = build_int(b, "int", 4, BTF_INT_SIGNED, 0, 32);
	array = build_array(b, i, i, 2);
	inner = build_type(b, NULL, BTF_KIND_STRUCT, 1, 0, 4);
	build_member(b, "load", i, 0);
	build_type(b, "task_struct", BTF_KIND_STRUCT, 4, 0, 24);
	build_member(b, "__state", i, 0);
	build_member(b, "pid", i, 32);
	build_member(b, NULL, inner, 64);
	build_member(b, "slots", array, 96);
	build_type(b, "request_queue", BTF_KIND_STRUCT, 0, 0, 0);
	build_type(b, "flags", BTF_KIND_ENUM, 2, 0, 4);
	build_pair(b, "NO_FLAG_ONE", 1);
	build_pair(b, "OTHER", 2);
	build_type(b, "pair", BTF_KIND_STRUCT, 1, 0, 8);
	build_member(b, "a", i, 0);
	build_type(b, "pair", BTF_KIND_STRUCT, 1, 0, 8);
	build_member(b, "a", i, 32);
}

static void lab_open(struct lab *l)
{
	local_build(l);
	kernel_build(l);
	l->mine = parsed(&l->local, NULL);
	l->kernel = parsed(&l->there, NULL);
	l->arena = arena_new();
	core_target_init(&l->t, l->kernel, l->mine, l->arena);
}

static void lab_close(struct lab *l)
{
	arena_free(l->arena);
	btf_release(&l->mine);
	btf_release(&l->kernel);
}

static const char *missing(struct lab *l, uint32_t kind, uint32_t type, const char *access)
{
	const struct core_reloc r = { .kind = kind, .type = type, .access = access };

	return core_missing(&l->t, &r);
}

static void members(void **state)
{
	struct lab l = { .arena = NULL };

	(void)state;
	lab_open(&l);
	assert_string_equal(missing(&l, CORE_BYTE_OFF, l.task, "0:0"),
			    "struct task_struct has no member `state`; it has `__state`");
	assert_string_equal(missing(&l, CORE_BYTE_OFF, l.task, "0:1:0"),
			    "`pid` of struct task_struct is int, not int [8]");
	assert_string_equal(
		missing(&l, CORE_BYTE_SIZE, l.task, "0:2"),
		"struct task_struct has no member `weight`; members of that type are `__state`, `pid` and `load`");
	assert_string_equal(missing(&l, CORE_BYTE_OFF, l.task, "0:3:5"), "int [2] has no element 5");
	assert_string_equal(missing(&l, CORE_BYTE_OFF, l.task, "nonsense"),
			    "its access string does not fit its own types");
	lab_close(&l);
}

static void others(void **state)
{
	struct lab l = { .arena = NULL };
	struct core_reloc r;

	(void)state;
	lab_open(&l);
	assert_string_equal(missing(&l, CORE_TYPE_SIZE, l.gone, "0"),
			    "the kernel has no struct request_queu; similar: `request_queue`");
	assert_string_equal(missing(&l, CORE_ENUMVAL_VALUE, l.flags, "0"),
			    "enum flags has no enumerator `FLAG_ONE`; it has `NO_FLAG_ONE`");
	assert_string_equal(missing(&l, CORE_ENUMVAL_VALUE, l.flags, "7"),
			    "its access string does not fit its own types");
	r = (struct core_reloc){ .kind = CORE_BYTE_OFF, .type = l.pair, .access = "0:0" };
	assert_true(core_is_ambiguous(&l.t, &r));
	assert_string_equal(core_missing(&l.t, &r),
			    "the kernel has several types named struct pair, which differ in this");
	r.kind = CORE_TYPE_EXISTS;
	assert_false(core_is_ambiguous(&l.t, &r));
	lab_close(&l);
}

/* Each of 60 structs contains the next one twice, without a name: the search ends nevertheless. */
static void many_members(void **state)
{
	struct lab l = { .arena = arena_new() };
	uint32_t i, inner, local;

	(void)state;
	build_init(&l.local);
	i = build_int(&l.local, "int", 4, BTF_INT_SIGNED, 0, 32);
	local = build_type(&l.local, "twice", BTF_KIND_STRUCT, 1, 0, 4);
	build_member(&l.local, "wanted", i, 0);
	build_init(&l.there);
	inner = build_type(&l.there, NULL, BTF_KIND_STRUCT, 0, 0, 0);
	for (unsigned depth = 60; depth-- > 0;) {
		const uint32_t outer = build_type(&l.there, depth ? NULL : "twice", BTF_KIND_STRUCT, 2, 0, 0);

		build_member(&l.there, NULL, inner, 0);
		build_member(&l.there, NULL, inner, 0);
		inner = outer;
	}
	l.mine = parsed(&l.local, NULL);
	l.kernel = parsed(&l.there, NULL);
	core_target_init(&l.t, l.kernel, l.mine, l.arena);
	assert_string_equal(missing(&l, CORE_BYTE_OFF, local, "0:0"), "struct twice has no member `wanted`");
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(members), cmocka_unit_test(others),
					    cmocka_unit_test(many_members) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
