/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/bytes.h"
#include "object/reach.h"

#include "object/file.h"
#include "code/xlated.h"

#define REGS 16		  /* registers that an instruction can name; there are 11 */
#define SLOTS_MAX 100000u /* of a function; in a longer one, all slots are taken as reached */
#define CLASS(code) ((code)&7)
#define OP(code) ((code)&0xf0)
#define IS_REG(code) ((code)&8)
#define IS_MEM(code) (((code)&0xe0) == 0x60)
#define IS_ATOMIC(code) (((code)&0xe0) == 0xc0)
enum {
	ADD = 0x00,
	SUB = 0x10,
	MUL = 0x20,
	OR = 0x40,
	AND = 0x50,
	LSH = 0x60,
	RSH = 0x70,
	NEG = 0x80,
	XOR = 0xa0,
	MOV = 0xb0,
	ARSH = 0xc0
};
enum {
	JEQ = 0x10,
	JGT = 0x20,
	JGE = 0x30,
	JSET = 0x40,
	JNE = 0x50,
	JSGT = 0x60,
	JSGE = 0x70,
	JLT = 0xa0,
	JLE = 0xb0,
	JSLT = 0xc0,
	JSLE = 0xd0
};

/* What is known about a register: nothing; a number; an address in constant data, or in a variable of .kconfig. */
struct val {
	enum { VAL_ANY, VAL_NUMBER, VAL_DATA, VAL_KCONFIG } kind;
	uint32_t section;
	const struct elf_symbol *symbol;
	uint64_t v; /* the number; offset in the section or variable */
};
struct reach_state {
	struct val r[REGS];
	bool seen, queued;
};

struct reach_walk {
	const struct object *o;
	const struct object_func *f;
	const struct reach_ask *ask;
	size_t n; /* slots */
	bool *reached;
	uint32_t *leader; /* by slot: number of the state at this jump target, from 1; 0: not a jump target */
	struct reach_state *states;
	uint32_t *todo; /* slots */
	size_t ntodo;
	bool loops, lost; /* lost: there is a jump with an unknown target */
};

static bool val_is(const struct val *a, const struct val *b)
{
	return a->kind == b->kind && a->section == b->section && a->symbol == b->symbol && a->v == b->v;
}

static void come_to(struct reach_walk *w, size_t at, const struct reach_state *s)
{
	struct reach_state *there = at < w->n && w->leader[at] ? &w->states[w->leader[at] - 1] : NULL;
	bool news = there && !there->seen;

	if (!there)
		return;
	for (unsigned i = 0; i < REGS; i++) {
		if (!there->seen) {
			there->r[i] = s->r[i];
		} else if (there->r[i].kind != VAL_ANY && !val_is(&there->r[i], &s->r[i])) {
			there->r[i] = (struct val){ .kind = VAL_ANY };
			news = true;
		}
	}
	there->seen = true;
	if (!news || there->queued)
		return;
	there->queued = true;
	w->todo[w->ntodo++] = (uint32_t)at;
}

static struct val load_number(const struct reach_walk *w, const struct val *from, const struct insn *i)
{
	static const uint8_t sizes[] = { 4, 2, 1, 8 };
	const uint32_t size = sizes[i->code >> 3 & 3];
	const uint64_t at = from->v + (uint64_t)(int64_t)i->off;
	struct val ret = { .kind = VAL_ANY };

	if (!IS_MEM(i->code))
		return ret;
	if (from->kind == VAL_KCONFIG && !at && w->ask->kconfig(w->ask->ctx, from->symbol, &ret.v))
		ret.kind = VAL_NUMBER;
	if (from->kind == VAL_DATA) {
		const struct elf_sect *s = &w->o->elf.sects[from->section];
		const unsigned char *p = s->p ? s->p + at : NULL;

		if (!p || at > s->size || s->size - at < size)
			return ret;
		ret.kind = VAL_NUMBER;
		ret.v = load_uint(p, size, w->o->elf.big);
	}
	return ret;
}

/* A 64-bit load of a symbol's address. */
static struct val load_address(const struct reach_walk *w, const struct insn *i, uint64_t off)
{
	const struct code_ref t = object_code_ref(w->o, w->f->section, off);
	struct val ret = { .kind = VAL_NUMBER, .v = (uint64_t)(uint32_t)i->imm2 << 32 | (uint32_t)i->imm };
	const char *kind, *section;

	if (w->ask->number(w->ask->ctx, w->f->section, off, &ret.v))
		return ret;
	if (t.kind == CODE_REF_NONE)
		return i->src ? (struct val){ .kind = VAL_ANY } : ret;
	if (t.kind != CODE_REF_SYMBOL)
		return (struct val){ .kind = VAL_ANY };
	if (t.symbol->undefined)
		return (struct val){ .kind = VAL_KCONFIG, .symbol = t.symbol };
	section = w->o->elf.sects[t.symbol->section].name;
	kind = object_data_kind(section);
	if (!kind || strcmp(kind, ".rodata"))
		return (struct val){ .kind = VAL_ANY };
	return (struct val){ .kind = VAL_DATA, .section = t.symbol->section, .v = t.off };
}

static bool calculate(unsigned op, uint64_t a, uint64_t b, bool wide, uint64_t *ret)
{
	const unsigned bits = wide ? 64 : 32;

	b = op == LSH || op == RSH || op == ARSH ? b % bits : b;
	a = wide ? a : (uint32_t)a;
	switch (op) {
	case ADD:
		*ret = a + b;
		break;
	case SUB:
		*ret = a - b;
		break;
	case MUL:
		*ret = a * b;
		break;
	case OR:
		*ret = a | b;
		break;
	case AND:
		*ret = a & b;
		break;
	case LSH:
		*ret = a << b;
		break;
	case RSH:
		*ret = a >> b;
		break;
	case NEG:
		*ret = -a;
		break;
	case XOR:
		*ret = a ^ b;
		break;
	case MOV:
		*ret = b;
		break;
	case ARSH:
		*ret = wide ? (uint64_t)((int64_t)a >> b) : (uint64_t)((int32_t)a >> b);
		break;
	default:
		return false;
	}
	if (!wide)
		*ret = (uint32_t)*ret;
	return true;
}

static struct val alu(const struct reach_walk *w, const struct reach_state *s, const struct insn *i, uint64_t off)
{
	const struct val *dst = &s->r[i->dst], *src = &s->r[i->src];
	const bool wide = CLASS(i->code) == INSN_ALU64;
	const unsigned op = OP(i->code);
	struct val ret = { .kind = VAL_NUMBER };
	uint64_t b = (uint64_t)(int64_t)i->imm;

	if (!IS_REG(i->code) && op == MOV && w->ask->number(w->ask->ctx, w->f->section, off, &ret.v))
		return ret;
	if (i->off)
		return (struct val){ .kind = VAL_ANY };
	if (IS_REG(i->code)) {
		if (op == MOV && wide)
			return *src;
		if (src->kind != VAL_NUMBER)
			return (struct val){ .kind = VAL_ANY };
		b = src->v;
	} else if (wide && op == ADD && (dst->kind == VAL_DATA || dst->kind == VAL_KCONFIG)) {
		ret = *dst;
		ret.v += b;
		return ret;
	}
	if ((op != MOV && dst->kind != VAL_NUMBER) || !calculate(op, dst->v, b, wide, &ret.v))
		ret.kind = VAL_ANY;
	return ret;
}

static void insn_step(const struct reach_walk *w, struct reach_state *s, const struct insn *i, uint64_t off)
{
	const struct val any = { .kind = VAL_ANY };

	switch (CLASS(i->code)) {
	case INSN_LD:
		if (i->code == INSN_LDIMM64)
			s->r[i->dst] = load_address(w, i, off);
		else
			for (unsigned r = 0; r <= 5; r++)
				s->r[r] = any;
		break;
	case INSN_LDX:
		s->r[i->dst] = load_number(w, &s->r[i->src], i);
		break;
	case INSN_STX:
		if (IS_ATOMIC(i->code))
			s->r[i->src] = s->r[0] = any;
		break;
	case INSN_ALU:
	case INSN_ALU64:
		s->r[i->dst] = alu(w, s, i, off);
		break;
	default:
		for (unsigned r = 0; i->code == INSN_CALL && r <= 5; r++)
			s->r[r] = any;
	}
}

/* 1: it jumps; 0: it does not; -1: it may. */
static int decide(const struct reach_state *s, const struct insn *i)
{
	const struct val *dst = &s->r[i->dst], *src = &s->r[i->src];
	const bool wide = CLASS(i->code) == INSN_JMP;
	uint64_t a = dst->v, b = IS_REG(i->code) ? src->v : (uint64_t)(int64_t)i->imm;
	int64_t sa, sb;

	if (dst->kind != VAL_NUMBER || (IS_REG(i->code) && src->kind != VAL_NUMBER))
		return -1;
	sa = wide ? (int64_t)a : (int32_t)a;
	sb = wide ? (int64_t)b : (int32_t)b;
	a = wide ? a : (uint32_t)a;
	b = wide ? b : (uint32_t)b;
	switch (OP(i->code)) {
	case JEQ:
		return a == b;
	case JGT:
		return a > b;
	case JGE:
		return a >= b;
	case JSET:
		return (a & b) != 0;
	case JNE:
		return a != b;
	case JSGT:
		return sa > sb;
	case JSGE:
		return sa >= sb;
	case JLT:
		return a < b;
	case JLE:
		return a <= b;
	case JSLT:
		return sa < sb;
	case JSLE:
		return sa <= sb;
	default:
		return -1;
	}
}

static struct insn insn_at(const struct reach_walk *w, size_t at)
{
	struct insn i;

	insn_decode(&i, w->o->elf.sects[w->f->section].p + w->f->off + at * INSN_SIZE, w->n - at, w->o->elf.big);
	return i;
}

/* Follow a path from @at to the next jump target. */
static void way_follow(struct reach_walk *w, size_t at)
{
	struct reach_state s = w->states[w->leader[at] - 1];

	do {
		const struct insn i = insn_at(w, at);
		int64_t distance;
		const enum insn_flow flow = insn_flow(&i, &distance);
		const int jumps = flow == FLOW_BRANCH ? decide(&s, &i) : flow == FLOW_JUMP;
		const size_t to = (size_t)((int64_t)(at + i.slots) + distance);

		w->reached[at] = true;
		w->lost |= flow == FLOW_INDIRECT;
		if (jumps) {
			w->loops |= to <= at;
			come_to(w, to, &s);
		}
		if (jumps == 1 || flow == FLOW_EXIT || flow == FLOW_INDIRECT)
			return;
		insn_step(w, &s, &i, w->f->off + at * INSN_SIZE);
		at += i.slots;
	} while (at < w->n && !w->leader[at]);
	come_to(w, at, &s);
}

static void leaders_find(struct reach_walk *w, struct arena *a)
{
	uint32_t n = 1;

	w->leader[0] = 1;
	for (size_t at = 0; at < w->n;) {
		const struct insn i = insn_at(w, at);
		int64_t distance;
		const enum insn_flow flow = insn_flow(&i, &distance);
		const int64_t to = (int64_t)(at + i.slots) + distance;

		if ((flow == FLOW_BRANCH || flow == FLOW_JUMP) && to >= 0 && (uint64_t)to < w->n && !w->leader[to])
			w->leader[to] = ++n;
		at += i.slots;
	}
	w->states = arena_array(a, n, sizeof(*w->states));
	w->todo = arena_array(a, n, sizeof(*w->todo));
}

const bool *reach_func(const struct object *o, const struct object_func *f, const struct reach_ask *ask,
		       struct arena *a, bool *ret_loops)
{
	struct reach_walk w = {
		.o = o, .f = f, .ask = ask, .n = f->size / INSN_SIZE, .lost = f->size / INSN_SIZE > SLOTS_MAX
	};
	const struct reach_state start = { .seen = true };
	ARENA scratch = arena_new();

	w.reached = arena_array(a, w.n, sizeof(*w.reached));
	if (!w.lost) {
		w.leader = arena_array(scratch, w.n, sizeof(*w.leader));
		leaders_find(&w, scratch);
		come_to(&w, 0, &start);
	}
	while (w.ntodo && !w.lost) {
		const size_t at = w.todo[--w.ntodo];

		w.states[w.leader[at] - 1].queued = false;
		way_follow(&w, at);
	}
	if (w.lost)
		memset(w.reached, true, w.n * sizeof(*w.reached));
	*ret_loops = w.loops || w.lost;
	return w.reached;
}
