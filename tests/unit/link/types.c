/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <linux/bpf.h>
#include <string.h>

#include "cli/kind.h"
#include "../kernel/kernel_enum.h"
#include "kernel/names.h"
#include "link/link.h"

static void check_offset(const struct link_kind *k, uint16_t off)
{
	if (off % 4 || off + sizeof(uint32_t) > sizeof(struct abi_link_info))
		fail_msg("link kind %s: offset %u", k->part.name, off);
}

static void test_link_kinds(void **state)
{
	size_t n = 0;

	(void)state;
	for (const struct link_kind *const *p = link_kinds; *p; p++, n++) {
		const struct link_kind *k = *p;

		assert_ptr_equal(kind_link.parts[n], &k->part);
		assert_true(k->part.name && k->part.name[0]);
		assert_true(k->type && k->type < ABI_LINK_TYPES);
		assert_true(k->nbufs <= INFO_BUFS);
		check_offset(k, k->attach_type);
		check_offset(k, k->ifindex);
		for (unsigned i = 0; i < k->nbufs; i++) {
			check_offset(k, k->bufs[i].len);
			assert_true(k->bufs[i].ptr % 8 == 0 &&
				    k->bufs[i].ptr + sizeof(uint64_t) <= sizeof(struct abi_link_info));
		}
		for (size_t i = 0; i < n; i++) {
			assert_string_not_equal(link_kinds[i]->part.name, k->part.name);
			if (link_kinds[i]->type == k->type &&
			    (!link_kinds[i]->subtypes || link_kinds[i]->subtypes & k->subtypes))
				fail_msg("link kind %s can never be met", k->part.name);
		}
	}
	assert_null(kind_link.parts[n]);
	for (uint32_t type = 1; type < ABI_LINK_TYPES; type++) {
		assert_non_null(names_of(&names_link_type, type));
		assert_non_null(link_kind_of(&(struct abi_link_info){ .type = type }));
	}
}

static void check_link_type(const char *name, unsigned value)
{
	if (!value || strstr(name, "max"))
		return;
	if (!link_kind_of(&(struct abi_link_info){ .type = value }))
		fail_msg("link type %s (%u) of the running kernel has no kind: add one to src/link/", name, value);
}

/* The running kernel may be newer than this program: then the test fails. */
static void test_link_types_of_the_kernel(void **state)
{
	(void)state;
	if (kernel_enum("bpf_link_type", "BPF_LINK_TYPE_", check_link_type) < 0)
		skip_because("the kernel has no BTF");
}

/* Every value in the headers of the build, and in kernel/abi.h, has its name. */
static void test_uapi(void **state)
{
	(void)state;
	for (unsigned i = 0; i < MAX_BPF_LINK_TYPE; i++)
		assert_non_null(names_of(&names_link_type, i));
	for (unsigned i = 0; i < __MAX_BPF_ATTACH_TYPE; i++)
		assert_non_null(names_of(&names_attach_type, i));
	for (unsigned i = 0; i <= ABI_PROG_NETFILTER; i++)
		assert_non_null(names_of(&names_prog_type, i));
	for (unsigned i = 0; i <= ABI_MAP_RHASH; i++)
		assert_non_null(names_of(&names_map_type, i));
	/* Values after these are in no header: another name means that the enums above end too early. */
	assert_null(names_of(&names_prog_type, ABI_PROG_NETFILTER + 1));
	assert_null(names_of(&names_map_type, ABI_MAP_RHASH + 1));
	assert_null(names_of(&names_link_type, ABI_LINK_TYPES));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_link_kinds),
		cmocka_unit_test(test_link_types_of_the_kernel),
		cmocka_unit_test(test_uapi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
