/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/perf_progs.h"

#include "cli/env.h"
#include "code/info.h"
#include "kernel/perf/data_write.h"
#include "prog/samples/code_at.h"
#include "source/info.h"

/* The bits of struct perf_bpil.arrays, and the order of the arrays (tools/perf/util/bpf-utils.h); those that perf has.
 */
static const enum question perf_arrays[] = {
	[0] = Q_PROG_JITED,	[3] = Q_PROG_JITED_KSYMS,     [4] = Q_PROG_JITED_FUNC_LENS, [5] = Q_PROG_FUNC_INFO,
	[6] = Q_PROG_LINE_INFO, [7] = Q_PROG_JITED_LINE_INFO, [8] = Q_PROG_PROG_TAGS,
};
/* The struct of Linux 5.1, the first with these arrays: perf refuses one that is longer than its own. */
#define PERF_INFO_LEN offsetof(struct abi_prog_info, recursion_misses)
struct perf_bpil {
	uint32_t info_len, data_len;
	uint64_t arrays;
	unsigned char info[PERF_INFO_LEN];
};
struct perf_btf {
	uint32_t id, data_size;
};

struct perf_progs {
	struct env *env;
	struct perf_writer *w;
	struct hash progs, btfs; /* ids that were written, or are to be */
	uint32_t *btf;
	size_t nbtfs, cap;
	struct str data;
};

static uint32_t bpil_u32(const struct perf_bpil *b, uint16_t off)
{
	uint32_t v;

	memcpy(&v, b->info + off, sizeof(v));
	return v;
}

/* Appends an array; its pointer becomes the offset of its data. */
static void array_add(struct perf_progs *x, uint32_t id, unsigned bit, struct perf_bpil *b)
{
	const struct prog_array *w = &prog_arrays[perf_arrays[bit] - Q_PROG_XLATED];
	const uint32_t size = w->elem ? w->elem : bpil_u32(b, w->rec_size), count = bpil_u32(b, w->count);
	const struct info_array a = info_array_read(x->env, id, perf_arrays[bit], count, size, 1);
	const uint32_t n = a.n < count ? (uint32_t)a.n : count;
	const uint64_t offset = n ? x->data.n : 0;

	memcpy(b->info + w->count, &n, sizeof(n));
	memcpy(b->info + w->ptr, &offset, sizeof(offset));
	if (!n)
		return;
	str_add(&x->data, a.p, (size_t)n * size);
	str_add(&x->data, (const char[sizeof(uint64_t)]){ 0 }, -x->data.n & (sizeof(uint64_t) - 1));
	b->arrays |= 1ull << bit;
}

static void btf_note(struct perf_progs *x, uint32_t id)
{
	void **slot = id ? hash_put(&x->btfs, id) : NULL;

	if (!slot || *slot)
		return;
	*slot = x;
	ARRAY_MORE(x->btf, x->nbtfs, x->cap);
	x->btf[x->nbtfs++] = id;
}

/* perf expects that each function has an address, a length and a tag. */
static void prog_put(struct perf_progs *x, uint32_t id)
{
	ARENA_SCOPE(x->env->arena);
	struct abi_prog_info info;
	struct perf_bpil b = { .info_len = sizeof(b.info) };

	if (prog_info(x->env->machine, x->env->arena, id, &info, &(struct err){ 0 }))
		return;
	memcpy(b.info, &info, sizeof(b.info));
	str_reset(&x->data);
	for (unsigned bit = 0; bit < ARRAY_SIZE(perf_arrays); bit++)
		if (perf_arrays[bit])
			array_add(x, id, bit, &b);
	memcpy(&info, b.info, sizeof(b.info));
	if (x->data.n > UINT32_MAX || !info.nr_jited_ksyms || info.nr_jited_func_lens != info.nr_jited_ksyms ||
	    info.nr_prog_tags != info.nr_jited_ksyms)
		return;
	b.data_len = (uint32_t)x->data.n;
	*hash_put(&x->progs, id) = x;
	btf_note(x, info.btf_id);
	perf_write_entry(x->w, PERF_DATA_BPF_PROGS, &b, sizeof(b));
	perf_write_raw(x->w, x->data.p, x->data.n);
}

static void types_put(struct perf_progs *x)
{
	for (size_t i = 0; i < x->nbtfs; i++) {
		ARENA_SCOPE(x->env->arena);
		struct blob data;

		if (ask(x->env->machine, x->env->arena, &data, Q_BTF_DATA, x->btf[i]) || data.n > UINT32_MAX)
			continue;
		perf_write_entry(x->w, PERF_DATA_BPF_BTF, &(const struct perf_btf){ x->btf[i], (uint32_t)data.n },
				 sizeof(struct perf_btf));
		perf_write_raw(x->w, data.p, data.n);
	}
}

/* The size of an entry of another file, and its id; 0: damaged. */
static uint64_t entry_size(enum perf_data_feature f, const unsigned char *p, size_t left, uint32_t *ret_id)
{
	const size_t head = offsetof(struct perf_bpil, info);
	struct perf_bpil b;
	struct perf_btf t;
	uint64_t size;

	if (f == PERF_DATA_BPF_BTF) {
		if (left < sizeof(t))
			return 0;
		memcpy(&t, p, sizeof(t));
		*ret_id = t.id;
		size = sizeof(t) + (uint64_t)t.data_size;
	} else {
		if (left < head + offsetof(struct abi_prog_info, tag))
			return 0;
		memcpy(&b, p, head);
		memcpy(ret_id, p + head + offsetof(struct abi_prog_info, id), sizeof(*ret_id));
		size = head + (uint64_t)b.info_len + b.data_len;
	}
	return size <= left ? size : 0;
}

static void others_copy(struct perf_progs *x, const struct perf_data *more, enum perf_data_feature f,
			const struct hash *known)
{
	size_t left = 0;
	const unsigned char *p = more ? perf_data_section(more, f, &left) : NULL;
	struct err why = { 0 };
	uint32_t count = 0, id;
	uint64_t size;

	if (p && left >= sizeof(count)) {
		memcpy(&count, p, sizeof(count));
		p += sizeof(count);
		left -= sizeof(count);
	}
	for (; count && (size = entry_size(f, p, left, &id)); count--, p += size, left -= size)
		if (!hash_get(known, id))
			perf_write_entry(x->w, f, p, size);
	if (!count)
		return;
	err_set(&why, -EBADMSG, "perf's list of BPF programs is damaged: %u entr%s left out", count,
		count == 1 ? "y is" : "ies are");
	report_unread(x->env->report, &why);
}

void perf_progs_write(struct env *env, const struct code_index *index, const struct perf_data *more,
		      struct perf_writer *w)
{
	struct perf_progs x = { .env = env, .w = w };

	hash_init(&x.progs, env->keep);
	hash_init(&x.btfs, env->keep);
	perf_write_section(w, PERF_DATA_BPF_PROGS);
	for (size_t i = 0; i < index->n; i++)
		prog_put(&x, index->id[i]);
	others_copy(&x, more, PERF_DATA_BPF_PROGS, &x.progs);
	perf_write_section(w, PERF_DATA_BPF_BTF);
	types_put(&x);
	others_copy(&x, more, PERF_DATA_BPF_BTF, &x.btfs);
	str_release(&x.data);
	free(x.btf);
}
