/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/verify.h"

#include "code/xlated.h"
#include "load/rejection.h"
#include "object/dump.h"
#include "object/file.h"

/* BPF_COMPLEXITY_LIMIT_INSNS and BPF_MAX_SUBPROGS of the kernel: no program has more. */
#define INSNS_MAX 1000000u
#define FUNCS_MAX 256u

/* The instructions of a log, by number, "(79) r1 = ..."; NULL: the log does not have it. */
struct logged {
	const char **text;
	size_t n, cap;
};
/* A program with the functions that it calls, as libbpf links them, and other loaders perhaps in another order. */
struct linked_prog {
	const struct object *o;
	struct data_names places;
	const struct object_func *func[FUNCS_MAX];
	struct xlated *code[FUNCS_MAX]; /* NULL: not converted yet */
	size_t start[FUNCS_MAX + 1];	/* numbers of their first instructions, and the end */
	uint32_t nfuncs;
};

static void logged_read(struct logged *l, const char *log, struct arena *a)
{
	char *text = arena_str(a, log, SIZE_MAX), *line, *end;

	while ((line = strsep(&text, "\n"))) {
		const unsigned long insn = strtoul(line, &end, 10);

		if (end == line || !str_starts(end, ": (") || insn >= INSNS_MAX)
			continue;
		while (l->n <= insn) {
			ARENA_MORE(a, l->text, l->n, l->cap);
			l->text[l->n++] = NULL;
		}
		l->text[insn] = end + 2;
	}
}

static void func_link(struct linked_prog *p, struct object_func *f)
{
	if (f->seen || p->nfuncs == FUNCS_MAX || p->start[p->nfuncs] >= INSNS_MAX)
		return;
	f->seen = true;
	p->func[p->nfuncs++] = f;
	p->start[p->nfuncs] = p->start[p->nfuncs - 1] + f->size / INSN_SIZE;
	for (uint64_t at = 0; at < f->size; at += INSN_SIZE) {
		const struct code_ref to = object_code_ref(p->o, f->section, f->off + at);

		if (to.kind == CODE_REF_FUNC)
			func_link(p, to.func);
	}
}

static void prog_link(struct linked_prog *p, const struct object *o, const struct data_names *places,
		      struct object_func *main)
{
	*p = (struct linked_prog){ .o = o, .places = *places };
	func_link(p, main);
	for (uint32_t i = 0; i < o->nfuncs; i++)
		o->funcs[i].seen = false;
}

/* Loaders put such a call in place of an instruction that refers to something the kernel does not have. */
static bool is_replaced(const char *text)
{
	return str_starts(text, "(85) call unknown#");
}

/* Has the program these instructions? If those of called functions are at other places, only its own are known. */
static bool prog_fits(struct linked_prog *p, const struct logged *l)
{
	uint32_t k = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct object_func *f;

		while (k < p->nfuncs && p->start[k + 1] <= i)
			k++;
		f = k < p->nfuncs ? p->func[k] : NULL;
		if (!l->text[i] || is_replaced(l->text[i]) ||
		    (f && p->o->elf.sects[f->section].p[f->off + (i - p->start[k]) * INSN_SIZE] ==
				  strtoul(l->text[i] + 1, NULL, 16)))
			continue;
		if (!k || p->nfuncs == 1)
			return false;
		p->nfuncs = 1;
		return true;
	}
	return true;
}

static const struct xlated *func_code(struct linked_prog *p, uint32_t k)
{
	if (!p->code[k]) {
		p->code[k] = arena_alloc(p->o->arena, sizeof(*p->code[k]));
		object_code(p->o, &p->places, p->func[k], p->code[k]);
	}
	return p->code[k];
}

/* How many of its own instructions have the same text in the log. */
static size_t prog_same(struct linked_prog *p, const struct logged *l)
{
	XLATED_WALK walk = { .x = func_code(p, 0) };
	size_t ret = 0;

	while (xlated_next(&walk))
		ret += walk.i < l->n && l->text[walk.i] && str_starts(l->text[walk.i], walk.text);
	return ret;
}

/* Fill in what is not known of one of its instructions. @code: NULL, or the text to fill in. */
static void insn_fill(struct linked_prog *p, uint32_t insn, const char **code, const char **source, const char **at)
{
	struct arena *a = p->o->arena;
	XLATED_WALK walk = { 0 };
	struct source_line line;
	uint32_t k = 0;

	while (k < p->nfuncs && p->start[k + 1] <= insn)
		k++;
	if (k == p->nfuncs || ((!code || *code) && *source && *at))
		return;
	walk.x = func_code(p, k);
	if (!xlated_seek(&walk, insn - p->start[k]))
		return;
	if (code && !*code)
		*code = arena_str(a, walk.text, SIZE_MAX);
	line = xlated_source(&walk);
	if (!line.text || (*source && (*at || strcmp(*source, line.text))))
		return;
	*source = line.text;
	*at = arena_fmt(a, "%s:%u", strrchr(line.file, '/') ? strrchr(line.file, '/') + 1 : line.file, line.num);
}

/* A program may be rejected before the verifier follows it: then only the message has a number. */
static void insn_of_message(struct rejection *r)
{
	for (uint32_t i = 0; i < r->nmessages && !r->has_insn; i++) {
		const char *at = strstr(r->messages[i], "insn ");
		char *end = NULL;
		const unsigned long insn = at ? strtoul(at + strlen("insn "), &end, 10) : 0;

		if (!at || end == at + strlen("insn ") || insn >= INSNS_MAX)
			continue;
		r->insn = (uint32_t)insn;
		r->has_insn = AVAIL_YES;
	}
}

uint32_t verify_log_complete(const struct object *o, const char *log, struct rejection *r)
{
	struct reject_branch *branches = (struct reject_branch *)r->branches;
	struct linked_prog *p = arena_alloc(o->arena, 2 * sizeof(*p)), *best = p + 1;
	struct logged logged = { 0 };
	struct data_names places;
	size_t most = 0;
	uint32_t ret = 0;

	logged_read(&logged, log, o->arena);
	object_data_names(o, &places);
	for (uint32_t i = 0; i < o->nfuncs; i++) {
		size_t same;

		if (!o->funcs[i].program || (r->prog && strcmp(r->prog, o->funcs[i].name)))
			continue;
		prog_link(p, o, &places, &o->funcs[i]);
		if (!prog_fits(p, &logged))
			continue;
		same = prog_same(p, &logged);
		ret = !ret || same > most ? 1 : ret + (same == most);
		if (ret == 1 && (same > most || !best->o)) {
			*best = *p;
			most = same;
		}
	}
	if (ret != 1)
		return ret;
	r->prog = best->func[0]->name;
	r->section = o->elf.sects[best->func[0]->section].name;
	insn_of_message(r);
	if (r->has_insn)
		insn_fill(best, r->insn, &r->code, &r->source, &r->at);
	for (uint32_t i = 0; i < r->nbranches; i++)
		insn_fill(best, branches[i].insn, NULL, &branches[i].source, &branches[i].at);
	return ret;
}
