/* SPDX-License-Identifier: BSD-2-Clause */
#include "load/rejection.h"
#include "load/verdict.h"

/*
 * In a log of level 2 each instruction that the verifier processes has a line: "12: (79) r1 = ..", or "12: safe" and
 * "from 7 to 12: safe" where it meets a state that it knows. The line of source precedes them when it changes.
 */
#define TEXT_MOST 512
struct lines_reading {
	struct arena *a;
	struct verified_line **of; /* of each instruction; NULL: not seen yet */
	size_t n, room;
	struct verified_line *now; /* of the next instructions; NULL: unknown */
	struct hash texts;
	size_t nlines;
	uint64_t total;
};

static struct verified_line *line_named(struct lines_reading *r, const char *text)
{
	struct verified_line **at = (struct verified_line **)hash_put(&r->texts, hash_text(HASH_TEXT, text));

	if (!*at) {
		*at = arena_alloc(r->a, sizeof(**at));
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
		*of = r->now ? r->now : line_named(r, buf);
	(*of)->insns++;
	r->total++;
}

/* "12: (", "12: <" of libbpf, "12: safe", "from 7 to 12: safe" */
static void log_line_read(struct lines_reading *r, const char *p, size_t n)
{
	static const char from[] = "from ";
	char buf[TEXT_MOST], *end;
	unsigned long insn;
	const char *at = p;

	if (n > 2 && !memcmp(p, "; ", 2)) {
		text_copy(buf, p + 2, n - 2);
		r->now = line_named(r, buf);
		return;
	}
	text_copy(buf, p, n);
	if (str_starts(buf, from)) {
		at = strstr(buf, " to ");
		at = at ? p + (at - buf) + strlen(" to ") : NULL;
	}
	if (!at || !isdigit((unsigned char)*at))
		return;
	insn = strtoul(buf + (at - p), &end, 10);
	if (str_starts(end, ": safe") || (at == p && (str_starts(end, ": (") || str_starts(end, ": <"))))
		insn_count(r, insn, p, strcspn(buf, ";"));
}

static int lines_order(const void *a, const void *b)
{
	const struct verified_line *x = a, *y = b;

	return x->insns != y->insns ? (x->insns < y->insns) - (x->insns > y->insns) :
				      strcmp(x->source ? x->source : "", y->source ? y->source : "");
}

uint64_t verified_lines_read(const char *log, struct arena *a, const struct verified_line **ret, uint32_t *n)
{
	struct lines_reading r = { .a = a };
	struct verified_line *lines;
	size_t k = 0;

	hash_init(&r.texts, a);
	for (const char *end; *log; log = *end ? end + 1 : end) {
		end = strchrnul(log, '\n');
		log_line_read(&r, log, (size_t)(end - log));
	}
	lines = arena_array(a, r.nlines, sizeof(*lines));
	for (size_t i = 0; i < r.texts.cap; i++)
		if (r.texts.slots[i].used && ((struct verified_line *)r.texts.slots[i].val)->insns)
			lines[k++] = *(struct verified_line *)r.texts.slots[i].val;
	for (size_t i = 0; i < k; i++)
		lines[i].share = (double)(1000 * lines[i].insns / r.total) / 10;
	if (k)
		qsort(lines, k, sizeof(*lines), lines_order);
	*ret = lines;
	*n = (uint32_t)k;
	return r.total;
}
