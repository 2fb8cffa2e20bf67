/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/capture/call.bpf.h"
#include "own/capture/calls.bpf.h"
#include "own/bpf/file.bpf.h"
#include "own/bpf/number.bpf.h"

/*
 * Each bpf(2) at its end, before the caller can change anything: its attributes, the objects of its descriptors, and
 * the object it created; of the calls on a chosen map also the element. Raw tracepoints also see the calls of 32-bit
 * programs.
 */
const volatile __u32 nr_bpf, nr_bpf_compat;
GIVEN_MAP(begun);
GIVEN_MAP(ring);
GIVEN_MAP(scratch); /* a struct calls_elem for each CPU */
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

/* Is it a call on the chosen map? A descriptor of it may also have been refused. */
static __always_inline int is_of_map(const struct calls_record *r)
{
	const struct calls_command *of = &state.command[r->cmd & (CALLS_COMMANDS - 1)];
	const __u32 id = state.map.id;
	__u32 asked = 0;

	if (r->cmd >= CALLS_COMMANDS)
		return 0;
	if (of->map_id)
		bpf_probe_read_kernel(&asked, sizeof(asked), r->attr + of->map_id - 1);
	if (asked == id || (r->made.kind == MAP && r->made.id == id))
		return 1;
	for (int i = 0; i < (int)CALLS_FDS; i++)
		if (r->object[i].kind == MAP && r->object[i].id == id)
			return 1;
	return 0;
}

/* The bytes that member @member of the attributes points to; returns how many were copied: all or none. */
static __always_inline __u32 bytes_copy(struct calls_elem *to, __u64 at, __u32 member, __u64 n)
{
	__u64 from = 0;

	if (!member || at > CALLS_KEY)
		return 0;
	bpf_probe_read_kernel(&from, sizeof(from), to->call.attr + (__u8)(member - 1));
	KEEP(n);
	if (!from || n > CALLS_VALUE)
		return 0;
	return bpf_probe_read_user(to->bytes + at, n, (const void *)from) ? 0 : n;
}

/* If values are descriptors when they are written, the last object is that of the value. */
static __always_inline void value_object(const struct calls_elem *to, __u32 at, struct calls_object *ret)
{
	const struct fds fds = fds_mine();
	__u32 fd = 0;

	if (at > CALLS_KEY)
		return;
	bpf_probe_read_kernel(&fd, sizeof(fd), to->bytes + at);
	object_of(&fds, fd, ret);
}

static __always_inline void element(struct calls_elem *to)
{
	struct calls_record *r = &to->call;
	const struct calls_command *of = &state.command[r->cmd & (CALLS_COMMANDS - 1)];
	const __u32 key_size = state.map.key_size;
	const int written = r->result >= 0 || (!of->answers && !of->next_key) || state.map.asks_values;
	__u64 flags = 0;

	if (r->cmd >= CALLS_COMMANDS)
		return;
	if (key_size <= CALLS_KEY)
		r->key_bytes = bytes_copy(to, 0, of->key, key_size);
	if (!written)
		return;
	if (of->next_key && key_size <= CALLS_KEY)
		r->value_bytes = bytes_copy(to, r->key_bytes, of->next_key, key_size);
	if (!of->value)
		return;
	bpf_probe_read_kernel(&flags, sizeof(flags), r->attr + CALLS_FLAGS_AT);
	r->value_bytes = bytes_copy(to, r->key_bytes, of->value,
				    flags & CALLS_ONE_CPU ? state.map.value_size : state.map.value_bytes);
	if (r->value_bytes && state.map.holds_fds && !of->answers)
		value_object(to, r->key_bytes, &r->object[CALLS_FDS - 1]);
}

static __always_inline void tell(const struct call *c, __s64 result, __u64 begin)
{
	const char *task = (const char *)bpf_get_current_task(), *leader = 0;
	const __u32 cpu = bpf_get_smp_processor_id(), cmd = c->arg[0];
	struct calls_elem *to = bpf_map_lookup_elem(&scratch, &cpu);
	struct calls_record *r = &to->call;
	__u64 n = sizeof(*r);

	if (cmd < CALLS_COMMANDS && state.command[cmd & (CALLS_COMMANDS - 1)].skip)
		return;
	if (!to)
		return;
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
	if (state.map.id && !is_of_map(r))
		return;
	if (state.map.id)
		element(to);
	n += r->key_bytes + r->value_bytes;
	KEEP(n);
	if (n > sizeof(*to) || bpf_ringbuf_output(&ring, to, n, 0))
		__sync_fetch_and_add(&state.lost, 1);
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
