/* SPDX-License-Identifier: BSD-2-Clause */
#include <bpf/libbpf.h>

#include "kernel/abi.h"
#include "kernel/hooks.h"
#include "kernel/secname.h"
#include "load/load.h"

void load_type_set(struct bpf_program *p, const struct secname_guess *as)
{
	bpf_program__set_type(p, (enum bpf_prog_type)as->hook->progs[0]);
	bpf_program__set_expected_attach_type(p, (enum bpf_attach_type)as->attach_type);
	bpf_program__set_flags(p, bpf_program__flags(p) | as->flags);
}

/* Functions of the kernel whose BTF id a program is loaded with. */
static bool has_btf_target(const struct secname_guess *as)
{
	return as->target && (as->attach_type == ABI_ATTACH_FSESSION || as->attach_type == ABI_ATTACH_RAW_TP);
}

/* Libbpf knows neither its section nor a type that the user gave. */
static bool is_untyped(const struct bpf_program *p, const struct secname_guess *as)
{
	return bpf_program__type(p) == BPF_PROG_TYPE_UNSPEC && as->hook && bpf_program__autoload(p);
}

bool load_target_is_ours(const struct bpf_program *p)
{
	const struct secname_guess as = secname_guess(bpf_program__section_name(p));

	return is_untyped(p, &as) && has_btf_target(&as);
}

int load_sections(struct bpf_object *obj, struct err *e)
{
	struct bpf_program *p;

	bpf_object__for_each_program(p, obj) {
		const struct secname_guess as = secname_guess(bpf_program__section_name(p));
		int err;

		if (!is_untyped(p, &as))
			continue;
		load_type_set(p, &as);
		err = has_btf_target(&as) ? bpf_program__set_attach_target(p, 0, as.target) : 0;
		if (err)
			return err_sys(e, err, "cannot find what program %s attaches to, by its section %s",
				       bpf_program__name(p), bpf_program__section_name(p));
	}
	return 0;
}
