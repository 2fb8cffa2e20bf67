/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/capture/call.bpf.h"
#include "own/capture/calls.bpf.h"
#include "own/bpf/file.bpf.h"
#include "own/bpf/number.bpf.h"

/*
 * Each bpf(2) at its end, before the caller can change anything: its attributes, the objects of its descriptors, and
 * the object it created. Raw tracepoints also see the calls of 32-bit programs.
 */
const volatile __u32 nr_bpf, nr_bpf_compat;
GIVEN_MAP(begun);
GIVEN_MAP(ring);
struct calls_state state;

OFFSET(bpf_prog, aux);
OFFSET(bpf_prog_aux, id);
OFFSET(bpf_map, id);
OFFSET(bpf_link, id);
OFFSET(btf, id);
enum { PROG = 1, MAP, LINK, BTF }; /* enum object_kind + 1 */

static __always_inline void object_of(const struct fds *fds, __u32 fd, struct calls_object *ret)
{
	const char *file = file_of(fds, fd), *p = 0;
	char word[8];

	if (!file || !is_nameless(file))
		return;
	file_word(file, word);
	PROBE(p, file, file, private_data);
	if (word[0] != 'b' || word[2] != 'f')
		return;
	if (word[1] == 't' && !word[3]) {
		ret->kind = BTF;
		PROBE(ret->id, p, btf, id);
	} else if (word[1] == 'p' && word[4] == 'p' && word[5] == 'r') {
		ret->kind = PROG;
		PROBE(p, p, bpf_prog, aux);
		PROBE(ret->id, p, bpf_prog_aux, id);
	} else if (word[1] == 'p' && word[4] == 'm' && word[5] == 'a') {
		ret->kind = MAP;
		PROBE(ret->id, p, bpf_map, id);
	} else if (word[1] == 'p' && word[4] == 'l' && word[5] == 'i') {
		ret->kind = LINK;
		PROBE(ret->id, p, bpf_link, id);
	}
}

static __always_inline void attributes(const struct call *c, struct calls_record *r)
{
	__u64 n = (__u32)c->arg[2];

	r->size = n;
	if (n > CALLS_ATTR)
		n = CALLS_ATTR;
	KEEP(n);
	if (n > CALLS_ATTR)
		return;
	r->got = bpf_probe_read_user(r->attr, n, (const void *)c->arg[1]) ? 0 : n;
}

static __always_inline void members(struct calls_record *r)
{
	const struct fds fds = fds_mine();
	const struct calls_command *of = &state.command[r->cmd & (CALLS_COMMANDS - 1)];

	if (r->cmd >= CALLS_COMMANDS)
		return;
	if (of->makes && r->result >= 0)
		object_of(&fds, r->result, &r->made);
	for (int i = 0; i < (int)CALLS_FDS; i++) {
		__u32 fd = 0, at = of->fd[i];

		if (!at--)
			break;
		bpf_probe_read_kernel(&fd, sizeof(fd), r->attr + at);
		object_of(&fds, fd, &r->object[i]);
	}
	if (of->text) {
		__u64 text = 0;
		__u32 at = of->text - 1;

		bpf_probe_read_kernel(&text, sizeof(text), r->attr + at);
		bpf_probe_read_user_str(r->text, sizeof(r->text), (const void *)text);
	}
}

static __always_inline void tell(const struct call *c, __s64 result, __u64 begin)
{
	const char *task = (const char *)bpf_get_current_task(), *leader = 0;
	const __u32 cmd = c->arg[0];
	struct calls_record *r;

	if (cmd < CALLS_COMMANDS && state.command[cmd & (CALLS_COMMANDS - 1)].skip)
		return;
	r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);
	if (!r) {
		__sync_fetch_and_add(&state.lost, 1);
		return;
	}
	__builtin_memset(r, 0, sizeof(*r));
	r->begin = begin;
	r->end = bpf_ktime_get_boot_ns();
	r->result = result;
	r->cmd = cmd;
	PROBE(leader, task, task_struct, group_leader);
	r->pid = number_in(leader, &state.numbers);
	r->tid = number_in(task, &state.numbers);
	bpf_get_current_comm(r->comm, sizeof(r->comm));
	attributes(c, r);
	members(r);
	bpf_ringbuf_submit(r, 0);
}

/* Not called by the tracepoint, but by the reader. */
SEC("raw_tp/sys_exit") int calls_exit(const __u64 *ctx)
{
	const char *regs = (const char *)ctx[0];
	const __u32 tid = bpf_get_current_pid_tgid();
	struct call c = { 0 };
	__u64 *begin;
	int compat;

	if (!regs)
		return numbers_learn(&state.numbers);
	c.nr = call_number(regs);
	if (c.nr != (__s32)nr_bpf && c.nr != (__s32)nr_bpf_compat)
		return 0;
	begin = bpf_map_lookup_elem(&begun, &tid);
	if (!begin)
		return 0;
	compat = call_is_compat();
	call_args(regs, compat, &c);
	if (c.nr == (__s32)(compat ? nr_bpf_compat : nr_bpf))
		tell(&c, ctx[1], *begin);
	bpf_map_delete_elem(&begun, &tid);
	return 0;
}
