/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "own/capture/capture.bpf.h"
#include "own/bpf/number.bpf.h"
#include "own/bpf/program.bpf.h"

/*
 * For the *.bpf.c files: copy a program into the ring, in the context of its loader. Loops are in global functions,
 * because the verifier checks a global function only once. Linux 5.10 accepts only numbers as their arguments.
 */
OFFSET(bpf_prog, len);
OFFSET(bpf_prog, jited_len);
OFFSET(bpf_prog, type);
OFFSET(bpf_prog, pages);
OFFSET(bpf_prog, tag);
OFFSET(bpf_prog, bpf_func);
OFFSET(bpf_prog, insnsi);
OFFSET(bpf_prog, aux);
OFFSET_BIT(bpf_prog, gpl_compatible);
OFFSET(bpf_prog_aux, id);
OFFSET(bpf_prog_aux, name);
OFFSET(bpf_prog_aux, func);
OFFSET(bpf_prog_aux, func_cnt);
OFFSET(bpf_prog_aux, linfo);
OFFSET(bpf_prog_aux, nr_linfo);
OFFSET(bpf_prog_aux, jited_linfo);
OFFSET(bpf_prog_aux, func_info);
OFFSET(bpf_prog_aux, func_info_cnt);
OFFSET(bpf_prog_aux, used_maps);
OFFSET(bpf_prog_aux, used_map_cnt);
OFFSET(bpf_prog_aux, btf);
OFFSET(bpf_prog_aux, load_time);
OFFSET(bpf_prog_aux, user);
OFFSET(bpf_prog_aux, attach_btf_id);
OFFSET(bpf_prog_aux, attach_btf) __weak;
OFFSET(bpf_prog_aux, dst_prog) __weak;
OFFSET(bpf_prog_aux, verified_insns) __weak;
OFFSET(bpf_prog_aux, offload) __weak;
OFFSET(user_struct, uid);
OFFSET(btf, id);
OFFSET(btf, data);
OFFSET(btf, data_size);
OFFSET(bpf_map, id);
OFFSET(bpf_map, map_type);
OFFSET(bpf_map, key_size);
OFFSET(bpf_map, value_size);
OFFSET(bpf_map, max_entries);
OFFSET(bpf_map, map_flags);
OFFSET(bpf_map, btf_key_type_id);
OFFSET(bpf_map, btf_value_type_id);
OFFSET(bpf_map, btf);
OFFSET(bpf_map, name);
OFFSET(bpf_array, value);

GIVEN_MAP(ring);
GIVEN_MAP(seen);		       /* struct capture_seen by program id */
GIVEN_MAP(btfs);		       /* struct capture_sent of the BTF objects that were sent */
GIVEN_MAP(scratch);		       /* a struct capture_piece for each CPU and hook */
const volatile __u32 slot, cpus, wake; /* wake: bytes in the ring that wake its reader */
struct capture_state state;

enum { FIRST_COPY = 1, EXISTS = -17, ARRAY = 2, FUNCS_SOME = 32, MAPS_SOME = 8 };
#ifndef GLOBAL /* the unit test has its own */
#define GLOBAL __attribute__((noinline))
#endif

static __always_inline struct capture_piece *room(void)
{
	__u32 at = slot * cpus + bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&scratch, &at);
}

static __always_inline void head_set(struct capture_head *h, __u32 record, __u32 index, __u32 id, __u64 time)
{
	*h = (struct capture_head){
		.id = id, .cpu = bpf_get_smp_processor_id(), .time = time, .record = record, .index = index
	};
}

/* Argument @what of the functions below: record, index, offset of the first byte. */
#define WHAT(record, index, at) ((record) | (__u64)(index) << 8 | (__u64)(at) << 32)
#define WHAT_RECORD(what) ((what)&0xff)
#define WHAT_INDEX(what) ((__u32)(what) >> 8 & 0xffffff)
#define WHAT_AT(what) ((__u32)((what) >> 32))

/* Is the key new? Before Linux 6.4 the result has 32 bits if the verifier replaced the helper by the map's function. */
static __always_inline int is_new(void *map, const void *key, const void *value)
{
	return (int)bpf_map_update_elem(map, key, value, 1 /* BPF_NOEXIST */) != EXISTS;
}

/* Another process may have opened and closed it before its load returns. Copy it again, to know its loader. */
static __always_inline int is_again(__u32 id, __u32 way)
{
	struct capture_seen *copied = way == CAPTURE_LOADED ? bpf_map_lookup_elem(&seen, &id) : 0;

	if (!copied || copied->way != CAPTURE_CLOSED)
		return 0;
	copied->way = way;
	return 1;
}

/*
 * How much to send next, at most @most, a power of two: first what is left over by parts of that size. The verifier
 * follows both sides of a branch through all later rounds of a loop, so there is none here and in pieces().
 */
static __always_inline __u32 next_part(__u32 left, __u32 most)
{
	return ((left - 1) & (most - 1)) + 1;
}

/* Send the pieces of one block. Returns 1: some were lost. */
GLOBAL int pieces(__u64 what, __u64 addr, __u32 size, __u32 id, __u64 time)
{
	struct capture_piece *p = room();

	if (!p)
		return 1;
	head_set(&p->head, WHAT_RECORD(what), WHAT_INDEX(what), id, time);
	p->of_block = size;
	p->lost = 0;
	for (__u32 i = 0; i < CAPTURE_BLOCK; i++) {
		const __u32 left = *(volatile __u32 *)&p->of_block;
		const __u64 n = next_part(left, CAPTURE_PIECE);
		__u32 err;

		if (!left)
			break;
		err = bpf_probe_read_kernel(p->data, n, (const void *)(addr + size - left));
		/* If it could not be read, the reader drops it, because it does not belong there. */
		p->head.at = (WHAT_AT(what) + size - left) | err;
		p->lost |= bpf_ringbuf_output(&ring, p, sizeof(p->head) + n, 1 /* BPF_RB_NO_WAKEUP */) | err;
		p->of_block = left - n;
	}
	return p->lost != 0;
}

/* Send memory of any size, piece by piece. Not 0: some were lost. */
GLOBAL int send(__u64 what, __u64 addr, __u32 size, __u32 id, __u64 time)
{
	struct capture_piece *p = room();
	int lost = 0;

	if (!p)
		return 1;
	p->of_all = size;
	for (__u32 b = 0; b < CAPTURE_BLOCKS; b++) {
		const __u32 left = *(volatile __u32 *)&p->of_all, n = next_part(left, CAPTURE_BLOCK * CAPTURE_PIECE);

		if (!left)
			break;
		lost += pieces(what + ((__u64)(size - left) << 32), addr + size - left, n, id, time);
		p->of_all = left - n;
	}
	return lost + (p->of_all != 0);
}

static __always_inline int send_record(void *p, __u64 size)
{
	return bpf_ringbuf_output(&ring, p, size, 1) ? 1 : 0;
}

/* Send one function, which the kernel keeps as a struct bpf_prog. */
GLOBAL int function(__u64 prog_, __u32 index, __u32 id, __u64 time)
{
	const char *prog = (const char *)prog_;
	struct capture_piece *p = room();
	struct capture_func *f;
	int lost;

	if (!p)
		return 1;
	f = (void *)p->data;
	f->pad = 0;
	head_set(&p->head, CAPTURE_FUNC, index, id, time);
	PROBE(f->addr, prog, bpf_prog, bpf_func);
	PROBE(f->jited_len, prog, bpf_prog, jited_len);
	PROBE(f->tag, prog, bpf_prog, tag);
	lost = send_record(p, sizeof(p->head) + sizeof(*f));
	return lost + send(WHAT(CAPTURE_JITED, index, 0), f->addr, f->jited_len, id, time);
}

/* Send @n functions from number @first on, at most FUNCS_SOME. */
GLOBAL int functions(__u64 func, __u32 first, __u32 n, __u32 id, __u64 time)
{
	int lost = 0;

	for (__u32 i = 0; i < FUNCS_SOME; i++) {
		__u64 prog = 0;

		if (i >= n)
			break;
		bpf_probe_read_kernel(&prog, sizeof(prog), (const void *)(func + i * sizeof(prog)));
		lost += function(prog, first + i, id, time);
	}
	return lost;
}

static __always_inline int functions_all(__u64 func, __u32 n, __u32 id, __u64 time)
{
	int lost = 0;

	for (__u32 first = 0; first < CAPTURE_FUNCS; first += FUNCS_SOME) {
		if (first >= n)
			return lost;
		lost += functions(func + first * sizeof(func), first, n - first, id, time);
	}
	return lost + (n > CAPTURE_FUNCS);
}

GLOBAL int map(__u64 map_, __u32 index, __u32 id, __u64 time)
{
	const char *map = (const char *)map_, *types = 0;
	struct {
		struct capture_head head;
		struct capture_map m;
	} r = { 0 };

	head_set(&r.head, CAPTURE_MAP, index, id, time);
	r.m.addr = map_;
	PROBE(r.m.id, map, bpf_map, id);
	PROBE(r.m.type, map, bpf_map, map_type);
	PROBE(r.m.key_size, map, bpf_map, key_size);
	PROBE(r.m.value_size, map, bpf_map, value_size);
	PROBE(r.m.max_entries, map, bpf_map, max_entries);
	PROBE(r.m.flags, map, bpf_map, map_flags);
	PROBE(r.m.btf_key_type_id, map, bpf_map, btf_key_type_id);
	PROBE(r.m.btf_value_type_id, map, bpf_map, btf_value_type_id);
	PROBE(r.m.name, map, bpf_map, name);
	PROBE(types, map, bpf_map, btf);
	if (types)
		PROBE(r.m.btf_id, types, btf, id);
	if (r.m.type == ARRAY)
		r.m.value = (__u64)FIELD(map, bpf_array, value);
	return send_record(&r, sizeof(r));
}

/* Send @n used maps from number @first on, at most MAPS_SOME. */
GLOBAL int maps(__u64 used, __u32 first, __u32 n, __u32 id, __u64 time)
{
	int lost = 0;

	for (__u32 i = 0; i < MAPS_SOME; i++) {
		__u64 one = 0;

		if (i >= n)
			break;
		bpf_probe_read_kernel(&one, sizeof(one), (const void *)(used + i * sizeof(one)));
		lost |= map(one, first + i, id, time);
	}
	return lost;
}

static __always_inline int maps_all(__u64 used, __u32 n, __u32 id, __u64 time)
{
	int lost = 0;

	for (__u32 first = 0; first < CAPTURE_MAPS; first += MAPS_SOME) {
		if (first >= n)
			return lost;
		lost |= maps(used + first * sizeof(used), first, n - first, id, time);
	}
	return lost | (n > CAPTURE_MAPS);
}

static __always_inline void meta_types(struct capture_meta *m, const char *aux, __u32 batch, int again)
{
	struct capture_sent sent = { .batch = batch };
	const char *types = 0, *target = 0;
	const __u32 one = 1;

	PROBE(types, aux, bpf_prog_aux, btf);
	if (types) {
		PROBE(m->btf_id, types, btf, id);
		PROBE(m->btf_size, types, btf, data_size);
		sent.btf = m->btf_id;
		m->btf_sent = is_new(&btfs, &sent, &one) || again;
	}
	PROBE(m->attach_btf_id, aux, bpf_prog_aux, attach_btf_id);
	types = 0;
	if (at__bpf_prog_aux__attach_btf >= 0)
		PROBE(types, aux, bpf_prog_aux, attach_btf);
	if (at__bpf_prog_aux__dst_prog >= 0)
		PROBE(target, aux, bpf_prog_aux, dst_prog);
	if (target) {
		PROBE(target, target, bpf_prog, aux);
		PROBE(types, target, bpf_prog_aux, btf);
	}
	if (types)
		PROBE(m->attach_btf_obj_id, types, btf, id);
}

static __always_inline __u32 loader_pid(void)
{
	const char *leader = 0;

	PROBE(leader, bpf_get_current_task(), task_struct, group_leader);
	return number_in(leader, &state.numbers);
}

static __always_inline void meta_loader(struct capture_meta *m)
{
	m->pid = loader_pid();
	m->tid = bpf_get_current_pid_tgid();
	m->loader_uid = bpf_get_current_uid_gid();
	bpf_get_current_comm(m->comm, sizeof(m->comm));
}

static __always_inline void meta_program(struct capture_meta *m, const char *prog, const char *aux)
{
	const char *user = 0, *lines = 0, *offload = 0;
	__u16 pages = 0;
	__u8 bits = 0;

	PROBE(m->type, prog, bpf_prog, type);
	PROBE(m->len, prog, bpf_prog, len);
	PROBE(m->jited_len, prog, bpf_prog, jited_len);
	PROBE(pages, prog, bpf_prog, pages);
	m->pages = pages;
	PROBE(m->tag, prog, bpf_prog, tag);
	PROBE(m->bpf_func, prog, bpf_prog, bpf_func);
	bpf_probe_read_kernel(&bits, sizeof(bits), prog + BIT_BYTE(bpf_prog, gpl_compatible));
	m->gpl_compatible = bits >> BIT_SHIFT(bpf_prog, gpl_compatible) & 1;
	PROBE(m->name, aux, bpf_prog_aux, name);
	PROBE(m->load_time, aux, bpf_prog_aux, load_time);
	PROBE(m->funcs, aux, bpf_prog_aux, func_cnt);
	PROBE(m->nr_line_info, aux, bpf_prog_aux, nr_linfo);
	PROBE(m->nr_func_info, aux, bpf_prog_aux, func_info_cnt);
	PROBE(m->nr_maps, aux, bpf_prog_aux, used_map_cnt);
	PROBE(lines, aux, bpf_prog_aux, jited_linfo);
	m->jited_lines = lines != 0;
	PROBE(user, aux, bpf_prog_aux, user);
	PROBE(m->uid, user, user_struct, uid);
	if (at__bpf_prog_aux__verified_insns >= 0)
		PROBE(m->verified_insns, aux, bpf_prog_aux, verified_insns);
	if (at__bpf_prog_aux__offload >= 0)
		PROBE(offload, aux, bpf_prog_aux, offload);
	m->offloaded = offload != 0;
}

/* An array that a member of aux points to. */
#define SEND_ARRAY(record, member, size) \
	do { \
		const char *array_ = 0; \
		PROBE(array_, aux, bpf_prog_aux, member); \
		lost += send(record, (__u64)array_, size, id, time); \
	} while (0)

GLOBAL int arrays(__u64 prog_, __u64 aux_, __u32 id, __u64 time)
{
	const char *prog = (const char *)prog_, *aux = (const char *)aux_;
	__u32 insns = 0, lines = 0, infos = 0;
	const char *jited = 0;
	int lost = 0;

	PROBE(insns, prog, bpf_prog, len);
	PROBE(lines, aux, bpf_prog_aux, nr_linfo);
	PROBE(infos, aux, bpf_prog_aux, func_info_cnt);
	PROBE(jited, aux, bpf_prog_aux, jited_linfo);
	lost += send(CAPTURE_XLATED, (__u64)FIELD(prog, bpf_prog, insnsi), insns * 8, id, time);
	SEND_ARRAY(CAPTURE_FUNC_INFO, func_info, infos * 8);
	SEND_ARRAY(CAPTURE_LINE_INFO, linfo, lines * 16);
	if (jited)
		SEND_ARRAY(CAPTURE_JITED_LINE_INFO, jited_linfo, lines * 8);
	return lost;
}

/* Send the BTF object. If a piece is lost, the next copy sends it again. */
GLOBAL int types(__u64 aux_, __u32 id, __u64 time, __u32 batch)
{
	struct capture_sent sent = { .batch = batch };
	const char *aux = (const char *)aux_, *types = 0, *data = 0;
	__u32 size = 0;
	int lost;

	PROBE(types, aux, bpf_prog_aux, btf);
	PROBE(sent.btf, types, btf, id);
	PROBE(data, types, btf, data);
	PROBE(size, types, btf, data_size);
	lost = send(CAPTURE_BTF, (__u64)data, size, id, time);
	if (lost)
		bpf_map_delete_elem(&btfs, &sent);
	return lost;
}

static __always_inline int meta(const char *prog, const char *aux, __u32 way, __u32 id, __u64 time, __u32 batch,
				int again, __u32 *ret_btf)
{
	struct capture_piece *p = room();
	struct capture_meta *m;

	if (!p)
		return 1;
	m = (void *)p->data;
	__builtin_memset(m, 0, sizeof(*m));
	head_set(&p->head, CAPTURE_META, 0, id, time);
	p->head.batch = batch;
	m->way = way;
	meta_program(m, prog, aux);
	meta_loader(m);
	meta_types(m, aux, batch, again);
	*ret_btf = m->btf_sent;
	return send_record(p, sizeof(p->head) + sizeof(*m));
}

static __always_inline void end(const char *aux, __u32 id, __u64 time, int lost)
{
	struct {
		struct capture_head head;
		struct capture_end e;
	} r = { 0 };
	struct capture_seen *copied;
	__u32 now = 0;

	head_set(&r.head, CAPTURE_END, 0, id, time);
	/* The kernel clears the id before it frees anything. */
	PROBE(now, aux, bpf_prog_aux, id);
	r.e.changed = now != id;
	r.e.lost = lost;
	lost += bpf_ringbuf_output(&ring, &r, sizeof(r),
				   bpf_ringbuf_query(&ring, 0) > wake ? 2 /* BPF_RB_FORCE_WAKEUP */ : 1) != 0;
	if (!lost)
		return;
	copied = bpf_map_lookup_elem(&seen, &id);
	if (copied)
		copied->lost = 1;
	__sync_fetch_and_add(&state.lost, 1);
}

/* Note a program that is to be copied. 0: it is not, because it was already; else FIRST_COPY, or -1 for another copy.
 */
GLOBAL int see(__u64 prog_, __u32 id, __u32 way, __u32 batch, __u64 time)
{
	struct capture_seen this = { .batch = batch, .way = way, .time = time };
	const char *prog = (const char *)prog_;

	PROBE(this.tag, prog, bpf_prog, tag);
	this.pid = way == CAPTURE_CLOSED ? 0 : loader_pid();
	return is_new(&seen, &id, &this) ? FIRST_COPY : -is_again(id, way);
}

/* Copy a program: one with an id only once, or twice if its load returns after another process closed it. */
GLOBAL int copy(__u64 prog_, __u32 way)
{
	const char *prog = (const char *)prog_, *aux = 0, *array = 0;
	/* In this order: the time of a copy in a batch is not before the batch began. */
	const __u32 batch = *(volatile __u32 *)&state.batch;
	const __u64 time = bpf_ktime_get_boot_ns();
	__u32 id = 0, n = 0, btf = 0;
	int lost, first = FIRST_COPY;

	PROBE(aux, prog, bpf_prog, aux);
	PROBE(id, aux, bpf_prog_aux, id);
	if (way < CAPTURE_SOCKET ? !id : !aux || id)
		return 0;
	if (id)
		first = see(prog_, id, way, batch, time);
	if (!first)
		return 0;
	lost = meta(prog, aux, way, id, time, batch, first != FIRST_COPY, &btf);
	PROBE(n, aux, bpf_prog_aux, func_cnt);
	PROBE(array, aux, bpf_prog_aux, func);
	lost += n && array ? functions_all((__u64)array, n, id, time) : function((__u64)prog, 0, id, time);
	lost += arrays((__u64)prog, (__u64)aux, id, time);
	PROBE(n, aux, bpf_prog_aux, used_map_cnt);
	PROBE(array, aux, bpf_prog_aux, used_maps);
	lost += maps_all((__u64)array, n, id, time);
	if (btf)
		lost += types((__u64)aux, id, time, batch);
	end(aux, id, time, lost);
	return 0;
}
