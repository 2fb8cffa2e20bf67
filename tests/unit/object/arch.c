/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "base/base.h"
#include "../types/parsed.h"
#include "object/file.h"
#include "object/refusals.h"

/* The architecture of an object whose only struct @name has a member @member in an unnamed one of this kind. */
static void assert_arch(const char *name, const char *member, unsigned kind, const char *arch)
{
	struct object o = { 0 };
	BTF t = NULL;
	struct btf_build b;
	uint32_t word, inner;

	build_init(&b);
	word = build_int(&b, "int", 4, BTF_INT_SIGNED, 0, 32);
	inner = kind == BTF_KIND_INT ? word : build_type(&b, NULL, kind, 1, 0, 4);
	if (kind != BTF_KIND_INT)
		build_member(&b, member, word, 0);
	build_type(&b, name, BTF_KIND_STRUCT, 1, 0, 4);
	build_member(&b, NULL, inner, 0);
	o.btf = t = parsed(&b, NULL);
	assert_true(!object_arch(&o) == !arch);
	if (arch)
		assert_string_equal(object_arch(&o), arch);
}

static void test_registers(void **state)
{
	(void)state;
	assert_arch("pt_regs", "r15", BTF_KIND_STRUCT, "x86");
	assert_arch("pt_regs", "orig_eax", BTF_KIND_UNION, "x86");
	assert_arch("user_pt_regs", "pstate", BTF_KIND_STRUCT, "arm64");
	assert_arch("pt_regs", "rip", BTF_KIND_STRUCT, NULL);
	assert_arch("regs", "r15", BTF_KIND_STRUCT, NULL);
	assert_arch("pt_regs", NULL, BTF_KIND_INT, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_registers) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
