/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/counts.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <string.h>

#include "base/clean.h"
#include "base/str.h"
#include "own/code.h"
#include "own/kbtf.h"

/* Members of the kernel's structs, and its function; 0: it has none. */
struct places {
	unsigned id, type, counter, entries, head, tail, size;
	bool has_counter, has_entries, has_queue;
	uint32_t iter, sum;
};

/* What the program writes for each map. Of a queue the places of the next to go in and out, in an array of size. */
struct count {
	uint32_t id, type;
	uint64_t counter;		/* 0: none */
	int64_t sum;
	uint64_t entries;
	uint32_t head, tail, size, pad;
};
_Static_assert(sizeof(struct count) == 48, "as the program lays it out");
#define AT(m) ((int16_t)((int)offsetof(struct count, m) - (int)sizeof(struct count)))

/* Beyond struct bpf_map only of a map of that type, which r8 is: other ones may end before. */
static void probe_of(struct code *c, enum bpf_map_type type, unsigned off, int16_t to, unsigned size)
{
	unsigned skip = code_add(c, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_8, 0, 0, type);

	code_probe(c, BPF_REG_7, off, to, size);
	code_lands(c, skip);
}

/* r6 = ctx, r7 = ctx->map, r8 = its type. */
static void program(struct code *c, const struct places *p)
{
	unsigned out;

	code_add(c, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0);
	code_add(c, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_7, BPF_REG_6, 8, 0);
	out = code_add(c, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_7, 0, 0, 0);
	for (int16_t at = -(int16_t)sizeof(struct count); at < 0; at += 8)
		code_add(c, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, at, 0);
	code_add(c, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_1, BPF_REG_7, (int16_t)p->id, 0);
	code_add(c, BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, BPF_REG_1, AT(id), 0);
	code_add(c, BPF_LDX | BPF_MEM | BPF_W, BPF_REG_8, BPF_REG_7, (int16_t)p->type, 0);
	code_add(c, BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, BPF_REG_8, AT(type), 0);
	if (p->sum && p->has_counter) {
		code_probe(c, BPF_REG_7, p->counter, AT(counter), sizeof(uint64_t));
		code_add(c, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_7, 0, 0);
		code_add(c, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, (int32_t)p->sum);
		code_add(c, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_10, BPF_REG_0, AT(sum), 0);
	}
	if (p->has_entries)
		probe_of(c, BPF_MAP_TYPE_LPM_TRIE, p->entries, AT(entries), sizeof(uint64_t));
	if (p->has_queue) {
		probe_of(c, BPF_MAP_TYPE_QUEUE, p->head, AT(head), 3 * sizeof(uint32_t));
		probe_of(c, BPF_MAP_TYPE_STACK, p->head, AT(head), 3 * sizeof(uint32_t));
	}
	code_write(c, -(int)sizeof(struct count), sizeof(struct count));
	code_lands(c, out);
	code_return(c);
}

static int places_find(struct places *p)
{
	const struct kbtf_want want[] = {
		{ "bpf_map", false, { { "id", &p->id }, { "map_type", &p->type } } },
		{ "bpf_map", true, { { "elem_count", &p->counter } } },
		{ "lpm_trie", true, { { "n_entries", &p->entries } } },
		{ "bpf_queue_stack", true, { { "head", &p->head }, { "tail", &p->tail }, { "size", &p->size } } },
	};
	KBTF btf = { 0 };
	uint32_t missing;
	int err = kbtf_open(&btf);

	if (!err)
		err = kbtf_find(btf.p, btf.n, want, ARRAY_SIZE(want), "bpf_iter_bpf_map", &p->iter, &missing);
	if (err)
		return err;
	p->has_counter = !(missing & 1u << 1);
	p->has_entries = !(missing & 1u << 2);
	p->has_queue = !(missing & 1u << 3) && p->tail == p->head + 4 && p->size == p->tail + 4;
	if (kbtf_find(btf.p, btf.n, NULL, 0, "bpf_map_sum_elem_count", &p->sum, &missing))
		p->sum = 0;
	return 0;
}

static void count_add(const struct places *p, const struct count *c, struct str *ret)
{
	uint64_t n;

	if (c->counter)
		n = c->sum > 0 ? (uint64_t)c->sum : 0;	/* summed up while CPUs count: may be less than none for a moment */
	else if (p->has_entries && c->type == BPF_MAP_TYPE_LPM_TRIE)
		n = c->entries;
	else if (p->has_queue && c->size && (c->type == BPF_MAP_TYPE_QUEUE || c->type == BPF_MAP_TYPE_STACK))
		n = (c->head + (uint64_t)c->size - c->tail) % c->size;
	else
		return;
	str_fmt(ret, "%u %llu\n", c->id, (unsigned long long)n);
}

int counts_collect(struct str *ret)
{
	struct places p = { 0 };
	struct code code = { .n = 0 };
	STR raw = { 0 };
	struct count c;
	int err = places_find(&p);

	if (err)
		return err;
	program(&code, &p);
	err = code_run(&code, p.iter, "map_counts", &raw);
	for (size_t i = 0; !err && i + sizeof(c) <= raw.n; i += sizeof(c)) {
		memcpy(&c, raw.p + i, sizeof(c));
		count_add(&p, &c, ret);
	}
	return err;
}
