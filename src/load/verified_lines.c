/* SPDX-License-Identifier: BSD-2-Clause */
#include "load/rejection.h"
#include "load/verdict.h"

/*
 * In a log of level 2 each instruction that the verifier processes has a line: "12: (79) r1 = ..", or "12: safe" and
 * "from 7 to 12: safe" where it meets a state that it knows. The line of source precedes them when it changes. An
 * instruction that is one too many, or reached again without progress, is counted, and a message is its line.
 */
#define TEXT_MOST 512
struct lines_reading {
	struct arena *a;
	const struct verified_func *funcs;
	uint32_t nfuncs;
	struct verified_line **of;  /* of each instruction; NULL: not seen yet */
	struct verified_line *last; /* of the last instruction; NULL: none yet */
	size_t n, room;
	const char *now; /* the text before the next instructions; NULL: unknown */
	struct hash texts, lines;
	size_t nlines;
	uint64_t total;
};

static const char *text_keep(struct lines_reading *r, const char *text)
{
	void **at = hash_put(&r->texts, hash_text(HASH_TEXT, text));

	*at = *at ? *at : arena_str(r->a, text, SIZE_MAX);
	return *at;
}

/* Functions may have lines in common, of what is inlined. */
static struct verified_line *spent_of(struct lines_reading *r, unsigned long insn, const char *text)
{
	const size_t after = ARRAY_LOWER(r->nfuncs, i, r->funcs[i].start <= insn);
	const char *func = after ? r->funcs[after - 1].name : NULL;
	struct verified_line **at =
		(struct verified_line **)hash_put(&r->lines, hash_text(hash_text(HASH_TEXT, func ? func : ""), text));

	if (!*at) {
		*at = arena_alloc(r->a, sizeof(**at));
		(*at)->func = func;
		source_split(r->a, arena_str(r->a, text, SIZE_MAX), &(*at)->source, &(*at)->at);
		r->nlines++;
	}
	return *at;
}

static void text_copy(char buf[TEXT_MOST], const char *p, size_t n)
{
	n = n < TEXT_MOST ? n : TEXT_MOST - 1;
	memcpy(buf, p, n);
	buf[n] = '\0';
}

/* Without a line of source the instruction is its own. */
static void insn_count(struct lines_reading *r, unsigned long insn, const char *text, size_t n)
{
	struct verified_line **of;
	char buf[TEXT_MOST];

	if (insn >= 1u << 20) /* no program has as many (BPF_COMPLEXITY_LIMIT_INSNS) */
		return;
	while (r->n <= insn) {
		ARENA_MORE(r->a, r->of, r->n, r->room);
		r->of[r->n++] = NULL;
	}
	of = &r->of[insn];
	if (!*of && !r->now)
		text_copy(buf, text, n);
	if (!*of)
		*of = spent_of(r, insn, r->now ? r->now : buf);
	r->last = *of;
	r->last->insns++;
	r->total++;
}

/* "12: (", "12: <" of libbpf, "12: safe", "from 7 to 12: safe", and the two messages */
static void log_line_read(struct lines_reading *r, const char *p, size_t n)
{
	static const char from[] = "from ", loop[] = "infinite loop detected at insn ";
	char buf[TEXT_MOST], *end;
	unsigned long insn;
	const char *at = p;

	if (n > 2 && !memcmp(p, "; ", 2)) {
		text_copy(buf, p + 2, n - 2);
		r->now = text_keep(r, buf);
		return;
	}
	text_copy(buf, p, n);
	if (str_starts(buf, "BPF program is too large. ") && r->last) { /* the next instruction is not named */
		r->last->insns++;
		r->total++;
		return;
	}
	if (str_starts(buf, from)) {
		at = strstr(buf, " to ");
		at = at ? p + (at - buf) + strlen(" to ") : NULL;
	} else if (str_starts(buf, loop)) {
		at += strlen(loop);
	}
	if (!at || !isdigit((unsigned char)*at))
		return;
	insn = strtoul(buf + (at - p), &end, 10);
	if (str_starts(end, ": safe") || (!*end && str_starts(buf, loop)) ||
	    (at == p && (str_starts(end, ": (") || str_starts(end, ": <"))))
		insn_count(r, insn, p, strcspn(buf, ";"));
}

static int lines_order(const void *a, const void *b)
{
	const struct verified_line *x = a, *y = b;

	if (x->insns != y->insns)
		return (x->insns < y->insns) - (x->insns > y->insns);
	return strcmp(x->source ? x->source : "", y->source ? y->source : "") ?:
		       strcmp(x->func ? x->func : "", y->func ? y->func : "");
}

/* All that were counted, in their order, with their shares. */
static uint32_t lines_sort(const struct hash *h, uint64_t total, struct arena *a, const struct verified_line **ret)
{
	struct verified_line *lines = arena_array(a, h->n, sizeof(*lines));
	uint32_t n = 0;

	for (size_t i = 0; i < h->cap; i++)
		if (h->slots[i].used && ((struct verified_line *)h->slots[i].val)->insns)
			lines[n++] = *(struct verified_line *)h->slots[i].val;
	for (uint32_t i = 0; i < n; i++)
		lines[i].share = (double)(1000 * lines[i].insns / total) / 10;
	if (n)
		qsort(lines, n, sizeof(*lines), lines_order);
	*ret = lines;
	return n;
}

uint64_t verified_lines_read(const char *log, const struct verified_funcs *funcs, struct arena *a,
			     struct verified_lines *ret)
{
	struct lines_reading r = { .a = a, .funcs = funcs->v, .nfuncs = funcs->n };
	struct hash of_func;

	hash_init(&r.texts, a);
	hash_init(&r.lines, a);
	hash_init(&of_func, a);
	for (const char *end; *log; log = *end ? end + 1 : end) {
		end = strchrnul(log, '\n');
		log_line_read(&r, log, (size_t)(end - log));
	}
	ret->nlines = lines_sort(&r.lines, r.total, a, &ret->lines);
	for (uint32_t i = 0; i < ret->nlines; i++) {
		const char *func = ret->lines[i].func;
		struct verified_line **at =
			func ? (struct verified_line **)hash_put(&of_func, hash_text(HASH_TEXT, func)) : NULL;

		if (!at)
			continue;
		*at = *at ? *at : arena_alloc(a, sizeof(**at));
		(*at)->func = func;
		(*at)->insns += ret->lines[i].insns;
	}
	ret->nfuncs = lines_sort(&of_func, r.total, a, &ret->funcs);
	return r.total;
}
