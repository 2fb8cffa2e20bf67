/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/holders.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/str.h"
#include "kernel/object.h"
#include "own/holders.bpf.h"
#include "own/iter.h"
#include "own/own.h"

_Static_assert(HOLDERS_KINDS == (int)OBJECT_KINDS, "one list of kinds");

static const unsigned char holders[] = {
#include "own/holders.bpf.inc"
};
static const struct own_program program = OWN_PROGRAM(holders);

static void btf_close(struct btf **b)
{
	btf__free(*b);
}

/* Some type information, only to have a descriptor of that kind. */
static int btf_make(struct own *own, struct btf **ret)
{
	int err;

	*ret = btf__new_empty();
	err = *ret ? btf__add_int(*ret, "int", sizeof(int), BTF_INT_SIGNED) : -errno;
	if (err >= 0)
		err = btf__load_into_kernel(*ret);
	return err < 0 ? err : own_note(own, OBJECT_BTF, btf__fd(*ret));
}

static int learn(const struct own_loaded *l, int link)
{
	struct holders_state *state = l->shared;
	STR none = { 0 };
	int err;

	state->learning = 1;
	err = iter_run(link, &none);
	state->learning = 0;
	return err;
}

/* What release function has each of our own descriptors? */
static int learn_kinds(struct own *own, const struct own_loaded *l, int link)
{
	__attribute__((cleanup(btf_close))) struct btf *btf = NULL;
	struct holders_state *state = l->shared;
	int err = btf_make(own, &btf);

	if (err)
		return err;
	state->fd[OBJECT_PROG] = l->prog;
	state->fd[OBJECT_MAP] = l->bss;
	state->fd[OBJECT_LINK] = link;
	state->fd[OBJECT_BTF] = btf__fd(btf);
	err = learn(l, link);
	for (int k = 0; !err && k < OBJECT_KINDS; k++)
		if (!state->release[k])
			err = -ESRCH;
	return err;
}

static int learn_object(const struct own_loaded *l, int link, const struct holders_of *of)
{
	struct holders_state *state = l->shared;
	int err;

	for (int k = 0; k < OBJECT_KINDS; k++)
		state->fd[k] = k == (int)of->kind ? of->fd : -1;
	err = learn(l, link);
	return err ? err : state->object && state->release[of->kind] ? 0 : -ESRCH;
}

int holders_by_iterator(struct own *own, const struct holders_of *of, struct str *ret)
{
	const struct own_const only[] = { { "only", of ? (uint32_t)of->kind : HOLDERS_KINDS }, { 0 } };
	OWN_LOADED l = { 0 };
	CLEAN_FD link = -1;
	int err = own_load(own, &program, only, -1, &l);

	if (err)
		return err;
	if (l.shared_size < sizeof(struct holders_state))
		return -EBADMSG;
	link = iter_link(l.prog, &(struct iter_walk){ .of = ITER_TASK, .tid = (uint32_t)gettid() });
	err = link < 0 ? link : own_note(own, OBJECT_LINK, link);
	if (!err)
		err = of ? learn_object(&l, link, of) : learn_kinds(own, &l, link);
	return err ? err : own_walk(own, &l, NULL, ret);
}
