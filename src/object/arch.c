/* SPDX-License-Identifier: BSD-2-Clause */

#include "types/btf.h"
#include "object/file.h"
#include "object/refusals.h"

#define DEPTH_MAX 4 /* of unnamed structs and unions in each other */
#define MEMBERS_MAX 4096

/* The structs with registers that bpf_tracing.h uses, by a member that only one architecture has. */
static const struct {
	const char *type, *member, *arch;
} marks[] = {
	{ "user_pt_regs", "pstate", "arm64" },
	{ "pt_regs", "pstate", "arm64" },
	{ "user_pt_regs", "csr_era", "loongarch" },
	{ "pt_regs", "csr_era", "loongarch" },
	{ "user_pt_regs", "psw", "s390" },
	{ "pt_regs", "psw", "s390" },
	{ "user_pt_regs", "gpr", "powerpc" },
	{ "pt_regs", "gpr", "powerpc" },
	{ "pt_regs", "uregs", "arm" },
	{ "user_regs_struct", "a0", "riscv" },
	{ "pt_regs", "epc", "riscv" },
	{ "pt_regs", "cp0_status", "mips" },
	{ "pt_regs", "r15", "x86" },
	{ "pt_regs", "orig_eax", "x86" },
};

const char *object_arch_here(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return "x86";
#elif defined(__aarch64__)
	return "arm64";
#elif defined(__arm__)
	return "arm";
#elif defined(__powerpc__)
	return "powerpc";
#elif defined(__s390__)
	return "s390";
#elif defined(__riscv)
	return "riscv";
#elif defined(__loongarch__)
	return "loongarch";
#elif defined(__mips__)
	return "mips";
#else
	return NULL;
#endif
}

static bool has_member(const struct btf_types *t, uint32_t id, const char *name, unsigned depth, unsigned *left)
{
	const struct btf_type *type = btf_resolved(t, id);
	const unsigned kind = type ? btf_kind_of(type) : 0;

	if (kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION)
		return false;
	for (unsigned i = 0; i < btf_vlen_of(type) && *left; i++, --*left) {
		const struct btf_member *m = &btf_members_of(type)[i];
		const char *member = btf_str(t, m->name_off);

		if (*member ? !strcmp(member, name) : depth && has_member(t, m->type, name, depth - 1, left))
			return true;
	}
	return false;
}

const char *object_arch(const struct object *o)
{
	for (size_t i = 0; o->btf && i < ARRAY_SIZE(marks); i++) {
		const uint32_t id = btf_find(o->btf, marks[i].type, BTF_KIND_STRUCT);
		const uint32_t alias = id ? 0 : btf_find(o->btf, marks[i].type, BTF_KIND_TYPEDEF);
		unsigned left = MEMBERS_MAX;

		if ((id || alias) && has_member(o->btf, id ? id : alias, marks[i].member, DEPTH_MAX, &left))
			return marks[i].arch;
	}
	return NULL;
}

bool object_is_foreign(const struct object *o, const char **ret_arch)
{
	*ret_arch = object_arch(o);
	return *ret_arch && object_arch_here() && strcmp(*ret_arch, object_arch_here()) != 0;
}
