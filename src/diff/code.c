/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff/code.h"

#include "cli/env.h"
#include "diff/side.h"
#include "prog/prog.h"
#include "code/labels.h"
#include "code/xlated.h"

#define MAP "map[id:"
#define KERNEL_ADDRESS "0xffff" /* prefix of kernel addresses on 64-bit machines */
#define ADDRESS_DIGITS 16u
#define SYMBOL "bpf_prog_"
#define TAG_DIGITS 16u

/* Returns the text after the number of a helper or the tag of a function, which differ between kernels. */
static const char *after_hash(const char *p)
{
	const size_t digits = strspn(p, "0123456789");

	if (digits && !p[digits])
		return p + digits;
	if (str_starts(p, SYMBOL) && strspn(p + strlen(SYMBOL), "0123456789abcdef") == TAG_DIGITS)
		return p + strlen(SYMBOL) + TAG_DIGITS;
	return NULL;
}

/* Replaces a word of an instruction that differs between machines by a name. Returns the text after it; NULL: the word
 * does not differ. */
static const char *word_name(const struct side *s, const char *p, struct str *to)
{
	const struct diff_item *o;
	char *end;

	if (s && str_starts(p, MAP)) {
		o = side_find(s, OBJECT_MAP, (uint32_t)strtoul(p + strlen(MAP), &end, 10));
		str_fmt(to, "map[%s", o && *o->name ? o->name : "?");
		return end;
	}
	/* "call bpf_ktime_get_ns#247040", "call pc+1#bpf_prog_0eb5405ba529d7d5_F" */
	if (*p == '#')
		return after_hash(p + 1);
	if (!str_starts(p, KERNEL_ADDRESS) || strspn(p + 2, "0123456789abcdef") != ADDRESS_DIGITS)
		return NULL;
	str_puts(to, "(address)");
	return p + 2 + ADDRESS_DIGITS;
}

static char *line_of(const struct side *s, const char *text, struct arena *a)
{
	STR line = { 0 };

	for (const char *p = text; *p;) {
		const char *next = word_name(s, p, &line);

		if (!next)
			str_add(&line, p, 1);
		p = next ? next : p + 1;
	}
	return arena_str(a, line.n ? line.p : "", line.n);
}

/*
 * An instruction that is adapted to the kernel's types: the number in it, an offset, size or id in those of the file,
 * has no meaning. "; byte_off struct task_struct.pid (0:35)": nor have the indexes of members.
 */
static const char *relocated_key(const struct insn *insn, const char *relocation, struct arena *a)
{
	const char *indexes = strrchr(relocation, '(');
	const unsigned class = insn->code & 7;
	char text[INSN_TEXT_MAX];
	struct insn i = *insn;

	if (class == INSN_LDX || class == INSN_ST || class == INSN_STX)
		i.off = 0;
	else
		i.imm = i.imm2 = 0;
	insn_text(&i, NULL, text, sizeof(text));
	return arena_fmt(a, "%s; %.*s", text, (int)(indexes ? (size_t)(indexes - relocation) : strlen(relocation)),
			 relocation);
}

static void edit_line_set(const struct xlated_walk *k, const struct side *s, struct arena *a, struct edit_line *to)
{
	const char *relocation = k->x->relocations ? k->x->relocations[k->i] : NULL;
	int64_t distance;
	const enum insn_flow flow = insn_flow(&k->insn, &distance);
	size_t label = 0;
	char *text;

	if (flow == FLOW_JUMP || flow == FLOW_BRANCH)
		label = k->i + k->insn.slots + (size_t)distance;
	to->text = text = line_of(s, k->text, a);
	if (label && labels_at(k->labels, label)) {
		text[strlen(text) - strlen(arena_fmt(a, "L%zu", labels_at(k->labels, label)))] = '\0';
		to->to = label + 1;
	}
	if (relocation) {
		to->text = arena_fmt(a, "%s  ; %s", text, relocation);
		to->key = relocated_key(&k->insn, relocation, a);
	}
}

void code_text(const struct xlated *x, const struct side *s, struct arena *a, struct edit_lines *ret)
{
	size_t *line = arena_array(a, x->insns, sizeof(*line));
	struct labels labels;
	const char *source = NULL;
	XLATED_WALK k = { .x = x, .labels = &labels };

	xlated_labels(x, a, &labels);
	/* At most three lines for each instruction: function, source line, instruction. */
	*ret = (struct edit_lines){ .v = arena_array(a, 3 * x->insns, sizeof(*ret->v)) };
	while (xlated_next(&k)) {
		if (k.signature.n)
			ret->v[ret->n++].text = arena_fmt(a, "%s:", k.signature.p);
		if (k.source.text && (!source || strcmp(source, k.source.text) != 0))
			ret->v[ret->n++] =
				(struct edit_line){ .text = arena_fmt(a, "; %s", k.source.text), .quiet = true };
		source = k.source.text ? k.source.text : source;
		edit_line_set(&k, s, a, &ret->v[ret->n++]);
		line[k.i] = ret->n;
	}
	for (size_t i = 0; i < ret->n; i++)
		if (ret->v[i].to)
			ret->v[i].to = line[ret->v[i].to - 1];
}

static bool code_lines(const struct side *s, const struct diff_item *o, struct edit_lines *ret)
{
	const struct prog_rec *rec = o->rec;
	struct err why = { 0 };
	struct xlated x;

	if (xlated_read(s->env, o->id, &rec->info, &x, &why)) {
		report_unread(s->env->report, &why);
		return false;
	}
	code_text(&x, s, s->env->keep, ret);
	return true;
}

bool code_same(const struct side *sa, const struct diff_item *a, const struct side *sb, const struct diff_item *b,
	       struct text_lines *ret)
{
	struct edit_lines old = { 0 }, new = { 0 };

	*ret = (struct text_lines){ 0 };
	if (!code_lines(sa, a, &old) || !code_lines(sb, b, &new))
		return false;
	edits_find(&old, &new, sb->env->keep, ret);
	return !ret->n;
}
