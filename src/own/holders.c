/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/holders.h"

#include <bpf/btf.h>
#include <fcntl.h>
#include <linux/bpf.h>

#include "kernel/bpf.h"
#include "own/bpf/holders.bpf.h"
#include "own/iter.h"
#include "own/own.h"

_Static_assert(HOLDERS_KINDS == (int)OBJECT_KINDS, "one list of kinds");

#include "own/bpf/holders_tasks.bpf.inc"
#include "own/bpf/holders.bpf.inc"
static const struct own_program programs[HOLDERS_WAYS] = {
	[HOLDERS_BY_TASKS] = OWN_PROGRAM(holders_tasks),
	[HOLDERS_BY_FILES] = OWN_PROGRAM(holders),
};

static void btf_close(struct btf **b)
{
	btf__free(*b);
}

/* Any BTF object, only to have a descriptor of that kind; a new one if there is none. */
static int btf_any(struct own *own)
{
	__attribute__((cleanup(btf_close))) struct btf *btf = NULL;
	union bpf_attr attr;
	int fd = -ENOENT;

	memset(&attr, 0, sizeof(attr));
	if (!sys_object_next_id(OBJECT_BTF, 0, &attr.btf_id))
		fd = sys_bpf(BPF_BTF_GET_FD_BY_ID, &attr, sizeof(attr));
	if (fd >= 0)
		return fd;
	btf = btf__new_empty();
	fd = btf ? btf__add_int(btf, "int", sizeof(int), BTF_INT_SIGNED) : -errno;
	if (fd >= 0)
		fd = btf__load_into_kernel(btf);
	if (fd >= 0)
		fd = own_note(own, OBJECT_BTF, btf__fd(btf)) ?: fcntl(btf__fd(btf), F_DUPFD_CLOEXEC, 0);
	return fd;
}

/* Append what the program put into its variables to what it wrote. */
static int out_take(void *ctx, struct str *ret)
{
	struct holders_state *state = ctx;
	const uint32_t n = state->count;

	state->count = 0;
	if (n > HOLDERS_ROOM)
		return -EBADMSG;
	str_add(ret, state->out, n * sizeof(state->out[0]));
	return 0;
}

static int holders_walk(const struct own_loaded *l, int link, struct str *ret)
{
	return iter_run(link, out_take, l->shared, ret);
}

static int learn(const struct own_loaded *l, int link)
{
	struct holders_state *state = l->shared;
	STR none = { 0 };
	int err;

	state->learning = 1;
	err = holders_walk(l, link, &none);
	state->learning = 0;
	return err;
}

/* Learn the release function of each of our own descriptors. */
static int learn_kinds(struct own *own, const struct own_loaded *l, int link)
{
	CLEAN_FD btf = btf_any(own);
	struct holders_state *state = l->shared;
	int err;

	if (btf < 0)
		return btf;
	state->fd[OBJECT_PROG] = l->prog;
	state->fd[OBJECT_MAP] = l->bss;
	state->fd[OBJECT_LINK] = link;
	state->fd[OBJECT_BTF] = btf;
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

int holders_by(struct own *own, enum holders_way way, const struct holders_of *of, struct str *ret)
{
	const struct own_const only[] = { { "only", of ? (uint32_t)of->kind : HOLDERS_KINDS }, { 0 } };
	OWN_LOADED l = { 0 };
	CLEAN_FD self = -1;
	CLEAN_FD all = -1;
	int err = own_load(own, &programs[way], only, -1, &l);

	if (err)
		return err;
	if (l.shared_size < sizeof(struct holders_state))
		return -EBADMSG;
	self = iter_link(l.prog, &(struct iter_walk){ .of = ITER_TASK, .tid = (uint32_t)gettid() });
	err = self < 0 ? self : own_note(own, OBJECT_LINK, self);
	if (!err)
		err = of ? learn_object(&l, self, of) : learn_kinds(own, &l, self);
	if (err)
		return err;
	all = iter_link(l.prog, NULL);
	err = all < 0 ? all : own_note(own, OBJECT_LINK, all);
	return err ? err : holders_walk(&l, all, ret);
}

int holders_by_iterator(struct own *own, const struct holders_of *of, uint64_t files, struct str *ret)
{
	int err = files < HOLDERS_MANY ? -ENOENT : holders_by(own, HOLDERS_BY_TASKS, of, ret);

	return err ? holders_by(own, HOLDERS_BY_FILES, of, ret) : 0;
}
