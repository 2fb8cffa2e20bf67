/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/target.h"

#include <linux/bpf.h>

#include "code/info.h"
#include "host/caps.h"
#include "source/info.h"

int target_find(struct env *env, uint32_t id, int fd, struct own_target *ret, struct err *e)
{
	struct code_info src;
	struct abi_prog_info info;
	int err = prog_info(env->machine, env->arena, id, &info, e);

	if (err)
		return err;
	if (info.type == BPF_PROG_TYPE_TRACING) {
		err_set(e, -EINVAL, "program %u is a tracing program, to which the kernel cannot attach others", id);
		return err_hint(e, "`prog stats id %u` counts its runs and run time", id);
	}
	if (!info.jited_prog_len && !caps_bpf()) {
		err_sys(e, -EPERM, "cannot attach to program %u", id);
		caps_explain(e);
		return e->code;
	}
	if (!info.jited_prog_len) {
		err_set(e, -EINVAL, "program %u is not compiled to machine code, so nothing can be attached to it", id);
		return err_hint(e, "set net.core.bpf_jit_enable to 1 before it is loaded; or use `prog stats id %u`",
				id);
	}
	if (info.btf_id && info.nr_func_info)
		code_info_read(env, id, &info, &src);
	if (!info.btf_id || !info.nr_func_info || !src.funcs.n) {
		err_set(e, -EINVAL, "program %u has no %s, so nothing can be attached to it", id,
			info.btf_id ? "names of functions (func_info)" : "type information (BTF)");
		return err_hint(e, "compile it with -g; or use `prog stats id %u`", id);
	}
	*ret = (struct own_target){ fd, code_info_func(&src, 0).type_id };
	return 0;
}

int target_refused(int err, uint32_t id, const char *doing, struct err *e)
{
	if (!err)
		return 0;
	if (err == -ECANCELED)
		err_set(e, err, "%s loads programs, which --no-load forbids", doing);
	else
		err_sys(e, err,
			"the kernel does not allow attaching to the entry and exit (fentry, fexit) of program %u", id);
	return err_hint(e, "`prog stats id %u` counts its runs and run time without loading a program", id);
}
