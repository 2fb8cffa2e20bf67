/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/ksym.h"

#include "base/base.h"
#include "own/bpf/ksym.bpf.h"

#include "own/bpf/ksym.bpf.inc"
static const struct own_program program = OWN_PROGRAM(ksym);

/* Returns the helper's result, or -errno. */
static int ksym_program_run(const struct ksym *k, uint64_t addr)
{
	struct ksym_run *r = k->loaded.shared;
	int value, err;

	r->addr = addr;
	err = own_run(&k->loaded, NULL, 0, &value);
	return err ? err : value;
}

int ksym_open(struct ksym *k, struct own *own)
{
	int err;

	*k = (struct ksym){ 0 };
	err = own_load(own, &program, NULL, -1, &k->loaded);
	if (err)
		return err;
	err = ksym_program_run(k, 0);
	k->call_base = ((const struct ksym_run *)k->loaded.shared)->call_base;
	if (err)
		ksym_close(k);
	return err;
}

void ksym_close(struct ksym *k)
{
	own_close(&k->loaded);
	k->call_base = 0;
}

int ksym_at(const struct ksym *k, uint64_t addr, char ret[KSYM_TEXT_MAX])
{
	const struct ksym_run *r = k->loaded.shared;
	int n = addr ? ksym_program_run(k, addr) : -ENOENT;

	if (n < 0)
		return n;
	if (n > KSYM_TEXT_MAX || !strncmp(r->text, "0x", 2))
		return -ENOENT;
	memcpy(ret, r->text, KSYM_TEXT_MAX);
	ret[KSYM_TEXT_MAX - 1] = '\0';
	return 0;
}
