/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/bpf/ksym.bpf.h"
#include "own/bpf/program.bpf.h"

const char format[] = "%pS", base[] = "__bpf_call_base";
struct ksym_run run;

/* Returns the result of the helper. */
SEC("syscall") int ksym(void *ctx)
{
	__u64 addr = run.addr;
	int err;

	(void)ctx;
	if (addr)
		return bpf_snprintf(run.text, sizeof(run.text), format, &addr, sizeof(addr));
	err = bpf_kallsyms_lookup_name(base, sizeof(base), 0, &addr);
	run.call_base = addr;
	return err;
}
