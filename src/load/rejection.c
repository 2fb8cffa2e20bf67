/* SPDX-License-Identifier: BSD-2-Clause */

#include "load/rejection.h"
#include "record/field.h"

/*
 * Read the log in one pass. The verifier follows one path through the program to its end, then goes back to the branch
 * that it noted last ("from 12 to 20:"), and continues there. What remains after each step back is the path that
 * failed.
 */
#define REGISTERS 11
#define MESSAGES 16
#define PATH_MAX_STEPS 1000000u
struct verdict_step {
	uint32_t insn;
	const char *code, *source;
};
struct reading {
	struct arena *a;
	struct verdict_step *path;
	size_t n, room;
	const char *source; /* source line of the instructions that follow */
	const char *reg[REGISTERS];
	const char *message[MESSAGES];
	uint32_t nmessages;
	uint32_t processed;
};

static void path_add(struct reading *r, uint32_t insn, const char *code)
{
	ARENA_MORE(r->a, r->path, r->n, r->room);
	r->path[r->n++] = (struct verdict_step){ insn, code, r->source };
}

/* Cut the path back to the last time it was at @insn. */
static void path_back(struct reading *r, uint32_t insn)
{
	size_t n = r->n;

	while (n && r->path[n - 1].insn != insn)
		n--;
	if (n)
		r->n = n;
}

/* " R0_w=map_value(off=0,ks=4) R10=fp0 fp-8=mmmm": the state of each register. Values have no blanks outside of
 * brackets. */
static void registers_read(struct reading *r, const char *p)
{
	while ((p = strchr(p, 'R'))) {
		char *end;
		unsigned long nr = strtoul(++p, &end, 10);
		unsigned depth = 0;
		const char *value;

		if (end == p || nr >= REGISTERS)
			continue;
		value = strchr(end, '=');
		if (!value || (size_t)(value - end) > 4)
			continue;
		for (p = value; *p && (depth || *p != ' '); p++)
			depth += *p == '(' ? 1 : *p == ')' && depth ? -1u : 0;
		r->reg[nr] = arena_fmt(r->a, "R%lu%.*s", nr, (int)(p - value), value);
	}
}

/* After the text of an instruction: " ; R0=.." for the registers it changed, or " 8: R0=.." for all before the next
 * one. */
static char *verdict_state_find(char *code)
{
	char *p = strstr(code, " ; "), *at;

	if (p)
		return p;
	for (at = code; (at = strstr(at, ": R")); at++) {
		for (p = at; p > code && isdigit((unsigned char)p[-1]); p--)
			;
		if (p < at && p > code && p[-1] == ' ')
			return p - 1;
	}
	return NULL;
}

/* "12: (79) r1 = *(u64 *)(r0 +0)   ; R1_w=scalar()". False: the line is not an instruction. */
static bool insn_read(struct reading *r, char *line)
{
	char *end, *state, *code;
	unsigned long insn = strtoul(line, &end, 10);

	/* libbpf since 1.0 prints <invalid CO-RE relocation> instead of the instruction that it replaced. */
	if (end == line || (strncmp(end, ": (", 3) && strncmp(end, ": <", 3)) || insn > UINT32_MAX)
		return false;
	code = end + 2;
	state = verdict_state_find(code);
	if (state)
		*state = '\0';
	for (end = code + strlen(code); end > code && end[-1] == ' '; end--)
		end[-1] = '\0';
	if (r->n < PATH_MAX_STEPS)
		path_add(r, (uint32_t)insn, code);
	if (state)
		registers_read(r, state + 1);
	r->nmessages = 0;
	return true;
}

/* "from 12 to 20: R0=0 R10=fp0" */
static bool back_read(struct reading *r, const char *line)
{
	char *end;
	unsigned long from = strncmp(line, "from ", 5) ? 0 : strtoul(line + 5, &end, 10);

	if (strncmp(line, "from ", 5) || strncmp(end, " to ", 4))
		return false;
	path_back(r, (uint32_t)from);
	memset(r->reg, 0, sizeof(r->reg));
	registers_read(r, end);
	r->source = NULL;
	r->nmessages = 0;
	return true;
}

/* The verifier appends this message to the instruction's line: make it a message. */
static void take_apart(struct reading *r)
{
	char *at = r->n ? strstr((char *)r->path[r->n - 1].code, " infinite loop detected") : NULL;

	if (!at || r->nmessages == MESSAGES)
		return;
	*at = '\0';
	memmove(r->message + 1, r->message, r->nmessages++ * sizeof(*r->message));
	r->message[0] = at + 1;
}

static void line_read(struct reading *r, char *line)
{
	if (insn_read(r, line) || back_read(r, line))
		return;
	if (!strncmp(line, "; ", 2)) {
		if (line[2] && line[2] != ' ')
			r->source = line + 2;
	} else if (!strncmp(line, "processed ", 10)) {
		r->processed = (uint32_t)strtoul(line + 10, NULL, 10);
	} else if (isdigit((unsigned char)line[0]) && strstr(line, ": R")) {
		registers_read(r, strstr(line, ": R"));
	} else if (isdigit((unsigned char)line[0]) && strstr(line, ": safe")) { /* of level 2 */
		return;
	} else if (*line && strncmp(line, "mark_precise: ", 14) && strncmp(line, "cur state: ", 11) &&
		   strncmp(line, "old state: ", 11) && strncmp(line, "verification time", 17) &&
		   strncmp(line, "stack depth ", 12) && strncmp(line, "safe", 5) && strncmp(line, "func#", 5) &&
		   strncmp(line, "Func#", 5) && strncmp(line, "Validating ", 11) && r->nmessages < MESSAGES) {
		r->message[r->nmessages++] = line;
	}
}

void source_split(struct arena *a, const char *line, const char **ret_source, const char **ret_at)
{
	const char *at = NULL;

	for (const char *p = line; p && (p = strstr(p, " @ ")); p++)
		at = p;
	*ret_source = !line ? NULL : at ? arena_str(a, line, (size_t)(at - line)) : line;
	*ret_at = at ? at + 3 : NULL;
}

#define TURN_MOST 64u /* branches in a turn of a loop that is folded */

/* Fold the last branches into those before them if they are another turn of a loop. Returns how many are left. */
static uint32_t turn_fold(struct reject_branch *b, uint32_t n)
{
	for (uint32_t turn = 1; turn <= TURN_MOST && 2 * turn <= n; turn++) {
		struct reject_branch *last = &b[n - turn], *before = last - turn;
		uint32_t same = 0;

		while (same < turn && last[same].insn == before[same].insn && last[same].to == before[same].to)
			same++;
		if (same < turn)
			continue;
		for (uint32_t i = 0; i < turn; i++)
			before[i].times += last[i].times;
		return n - turn;
	}
	return n;
}

static void branches_find(const struct reading *r, struct rejection *ret)
{
	struct reject_branch *b = arena_array(r->a, r->n ? r->n : 1, sizeof(*b));
	uint32_t n = 0;

	for (size_t i = 0; i + 1 < r->n; i++) {
		const struct verdict_step *s = &r->path[i];
		uint32_t to = s[1].insn;

		if (!strstr(s->code, ") if "))
			continue;
		b[n] = (struct reject_branch){ .insn = s->insn, .to = to, .taken = to != s->insn + 1, .times = 1 };
		b[n].source = s->source;
		n = turn_fold(b, n + 1);
	}
	for (uint32_t i = 0; i < n; i++)
		source_split(r->a, b[i].source, &b[i].source, &b[i].at);
	ret->branches = b;
	ret->nbranches = n;
}

/* The registers that the instruction or the messages name; a call reads its arguments. */
static void registers_choose(const struct reading *r, struct rejection *ret)
{
	const char **list = arena_array(r->a, REGISTERS, sizeof(*list));

	for (unsigned i = 0; i < REGISTERS; i++) {
		char low[8] = { 'r', (char)('0' + i % 10) }, up[8] = { 'R', (char)('0' + i % 10), ' ' };
		bool named = ret->code && strstr(ret->code, low);

		if (i == 10)
			continue;
		for (uint32_t m = 0; m < r->nmessages; m++)
			named |= strstr(r->message[m], up) != NULL;
		if (ret->code && strstr(ret->code, ") call "))
			named |= i >= 1 && i <= 5;
		if (named && r->reg[i])
			list[ret->nregisters++] = r->reg[i];
	}
	ret->registers = list;
}

void rejection_read(struct rejection *ret, const char *log, struct arena *a)
{
	struct reading r = { .a = a };
	const struct reject_cause *cause;
	char *text = arena_str(a, log, SIZE_MAX), *line;

	*ret = (struct rejection){ 0 };
	while ((line = strsep(&text, "\n")))
		line_read(&r, line);
	take_apart(&r);
	ret->messages = memcpy(arena_array(a, MESSAGES, sizeof(*r.message)), r.message, sizeof(r.message));
	ret->nmessages = r.nmessages;
	ret->processed = r.processed;
	if (r.n) {
		ret->insn = r.path[r.n - 1].insn;
		ret->code = r.path[r.n - 1].code;
		ret->has_insn = AVAIL_YES;
		source_split(a, r.path[r.n - 1].source, &ret->source, &ret->at);
	}
	branches_find(&r, ret);
	registers_choose(&r, ret);
	cause = reject_cause(ret->messages, ret->nmessages);
	if (cause) {
		ret->cause = cause->word;
		ret->meaning = cause->meaning;
		ret->remedy = cause->remedy;
	}
}
