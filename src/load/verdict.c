/* SPDX-License-Identifier: BSD-2-Clause */
#include "load/verdict.h"

#include <bpf/libbpf.h>

#include "code/insn.h"
#include "object/file.h"
#include "record/field.h"

/* The last line of the log that begins with @start; after it. NULL: none. */
static const char *line_last(const char *log, const char *start)
{
	const char *ret = NULL;

	for (const char *p = log; p && (p = strstr(p, start)); p++)
		if (p == log || p[-1] == '\n')
			ret = p + strlen(start);
	return ret;
}

/* The number after a word of the line at @p; 0: it is not there. */
static uint64_t figure_in(const char *p, const char *word)
{
	const char *end = strchrnul(p, '\n'), *at = strstr(p, word);

	return at && at < end ? strtoull(at + strlen(word), NULL, 10) : 0;
}

/* "40+0+16" */
static void stacks_read(struct verifier_stats *ret, const char *p, struct arena *a)
{
	uint32_t *stacks = NULL;
	size_t n = 0, cap = 0;

	for (char *end; *p >= '0' && *p <= '9'; p = *end == '+' ? end + 1 : end) {
		unsigned long bytes = strtoul(p, &end, 10);

		ARENA_MORE(a, stacks, n, cap);
		stacks[n++] = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
	}
	ret->stacks = stacks;
	ret->nstacks = (uint32_t)n;
}

void verifier_stats_read(struct verifier_stats *ret, const char *log, struct arena *a)
{
	const size_t n = strlen(log);
	const char *tail = n > 64 << 10 ? log + n - (64 << 10) : log; /* the rest is about instructions */
	const char *p = line_last(tail, "processed "), *time = line_last(tail, "verification time "),
		   *stack = line_last(tail, "stack depth ");

	*ret = (struct verifier_stats){ 0 };
	if (!p)
		return;
	ret->has = AVAIL_YES;
	ret->insns = strtoull(p, NULL, 10);
	ret->insns_most = figure_in(p, "(limit ");
	ret->per_insn = figure_in(p, "max_states_per_insn ");
	ret->states = figure_in(p, "total_states ");
	ret->peak_states = figure_in(p, "peak_states ");
	if (time) {
		ret->has_nsec = AVAIL_YES;
		ret->nsec = strtoull(time, NULL, 10) * 1000;
	}
	if (stack)
		stacks_read(ret, stack, a);
}

/* The function that an instruction calls or takes the address of, by its first instruction; false: none. */
static bool callee(const struct bpf_insn *insn, size_t i, size_t n, size_t *ret)
{
	const bool calls = insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL,
		   takes = insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg == BPF_PSEUDO_FUNC;
	const int64_t to = (int64_t)i + insn->imm + 1;

	*ret = (size_t)to;
	return (calls || takes) && to >= 0 && to < (int64_t)n;
}

void verified_funcs_find(const struct load *l, struct arena *a, struct verified_funcs *ret)
{
	const struct object *o = l->object;
	const struct bpf_program *p = l->progs[0].prog;
	const struct bpf_insn *insns = bpf_program__insns(p);
	const size_t n = bpf_program__insn_cnt(p);
	const struct object_func **func = arena_array(a, n + 1, sizeof(*func)); /* by first instruction */
	size_t *todo = arena_array(a, n + 1, sizeof(*todo)), ntodo = 0, to;
	struct verified_func *all;

	*ret = (struct verified_funcs){ 0 };
	for (uint32_t i = 0; o && n && i < o->nfuncs; i++)
		if (o->funcs[i].program && !strcmp(o->funcs[i].name, bpf_program__name(p)))
			func[0] = &o->funcs[i];
	ntodo += func[0] != NULL;
	/* libbpf appends the functions that are called, and changes no number of instructions. */
	while (ntodo) {
		const size_t start = todo[--ntodo];
		const struct object_func *f = func[start];

		for (size_t i = 0; i < f->size / INSN_SIZE && start + i < n; i++) {
			struct code_ref ref;

			if (!callee(&insns[start + i], start + i, n, &to) || func[to])
				continue;
			ref = object_code_ref(o, f->section, f->off + i * INSN_SIZE);
			if (ref.kind != CODE_REF_FUNC)
				continue;
			func[to] = ref.func;
			todo[ntodo++] = to;
		}
	}
	ret->v = all = arena_array(a, n, sizeof(*all));
	for (size_t i = 0; i < n; i++)
		if (func[i])
			all[ret->n++] = (struct verified_func){ i, arena_str(a, func[i]->name, SIZE_MAX) };
}

bool verified_chain(const struct bpf_program *p, const struct verifier_stats *s, uint32_t *ret)
{
	const struct bpf_insn *insns = bpf_program__insns(p);
	const size_t n = bpf_program__insn_cnt(p);
	CLEAN_PTR uint32_t *func = calloc(n + 1, sizeof(*func)); /* of each instruction, from 1 */
	CLEAN_PTR uint32_t *deep = calloc(s->nstacks + 1, sizeof(*deep));
	uint32_t nfuncs = 0;
	size_t to;

	if (!func || !deep || !n)
		return false;
	func[0] = 1;
	for (size_t i = 0; i < n; i++)
		if (callee(&insns[i], i, n, &to))
			func[to] = 1;
	for (size_t i = 0; i < n; i++)
		func[i] = nfuncs += func[i];
	if (nfuncs != s->nstacks)
		return false;
	/* A chain has at most 8 frames (MAX_CALL_FRAMES), and no circle. */
	for (int frames = 0; frames < 8; frames++)
		for (size_t i = 0; i < n; i++) {
			uint32_t *at = &deep[func[i] - 1],
				 below = callee(&insns[i], i, n, &to) ? deep[func[to] - 1] : 0;

			if (s->stacks[func[i] - 1] + below > *at)
				*at = s->stacks[func[i] - 1] + below;
		}
	*ret = deep[0];
	return true;
}
