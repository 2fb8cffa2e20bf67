/* SPDX-License-Identifier: BSD-2-Clause */
#include "object/coverage/cover.h"

#include "base/bytes.h"

uint32_t slot_lead(const struct cover_slot *s)
{
	return s->lead;
}

uint64_t cover_moved(const struct cover *c, uint32_t section, uint64_t off, slot_place *where)
{
	if (!c->slots[section] || off / INSN_SIZE > cover_insns(c, section))
		return off;
	return (uint64_t)where(&c->slots[section][off / INSN_SIZE]) * INSN_SIZE + off % INSN_SIZE;
}

static unsigned char *insn_encode(unsigned char *p, uint8_t code, unsigned dst, unsigned src, int off, uint32_t imm)
{
	p[0] = code;
	p[1] = (unsigned char)(BIG_HERE ? dst << 4 | src : src << 4 | dst);
	store_uint(p + 2, 2, (uint16_t)off, BIG_HERE);
	store_uint(p + 4, 4, imm, BIG_HERE);
	return p + INSN_SIZE;
}

/* A counter of @s, as plan.h has it. */
static unsigned char *counter_put(unsigned char *p, const struct cover_slot *s, uint32_t number)
{
	const uint8_t regs[] = { s->one, s->address };

	for (int i = 0; i < s->saved; i++)
		p = insn_encode(p, INSN_STX_DW, INSN_FP, regs[i], -(s->frame + 8 * (i + 1)), 0);
	p = insn_encode(p, INSN_LDIMM64, s->address, 0, 0, number * (uint32_t)sizeof(uint64_t));
	p = insn_encode(p, 0, 0, 0, 0, 0);
	p = insn_encode(p, INSN_MOV64_IMM, s->one, 0, 0, 1);
	p = insn_encode(p, INSN_ATOMIC_DW, s->address, s->one, 0, 0);
	for (int i = 0; i < s->saved; i++)
		p = insn_encode(p, INSN_LDX_DW, regs[i], INSN_FP, -(s->frame + 8 * (i + 1)), 0);
	return p;
}

/* The distance between two slots of a section, counted from @from + @more, after the move. */
static int64_t distance_moved(const struct cover_slot *slots, size_t from, unsigned more, int64_t distance)
{
	return (int64_t)slots[(int64_t)(from + more) + distance].lead - (int64_t)slot_own(&slots[from]) - more;
}

static bool is_inside(const struct cover *c, uint32_t section, int64_t slot)
{
	return slot >= 0 && (uint64_t)slot <= cover_insns(c, section);
}

/* The number in an instruction that calls or loads a function by a symbol: what is added to it, in units of @unit
 * bytes, of which @bias are added anyway. */
static int64_t addend_moved(const struct cover *c, const struct elf_symbol *to, int64_t imm, unsigned unit, int bias)
{
	const int64_t off = (int64_t)to->value + (imm + bias) * unit;

	if (!c->slots[to->section] || !is_inside(c, to->section, off / INSN_SIZE) || off < 0)
		return imm;
	return (int64_t)(cover_moved(c, to->section, (uint64_t)off, slot_lead) -
			 cover_moved(c, to->section, to->value, slot_lead)) /
		       unit -
	       bias;
}

/* A call or load of code, at slot @at; the number that it has after the move. */
static int64_t reference_moved(const struct cover *c, uint32_t section, size_t at, const struct insn *n)
{
	const struct object *o = c->o;
	const uint32_t symbol = o->relocs[section] ? o->relocs[section][at] : 0;
	const bool call = n->code == INSN_CALL;
	const unsigned src = call ? INSN_CALL_SUBPROG : (unsigned)INSN_SRC_FUNC;

	if (symbol)
		return addend_moved(c, &o->elf.symbols[symbol - 1], n->imm, call ? INSN_SIZE : 1, call);
	if (n->src == src && is_inside(c, section, (int64_t)at + 1 + n->imm))
		return distance_moved(c->slots[section], at, 1, n->imm);
	return n->imm;
}

static unsigned char *insn_move(struct cover *c, uint32_t section, size_t at, unsigned char *p, size_t *ret_slots)
{
	const unsigned char *from = c->o->elf.sects[section].p + at * INSN_SIZE;
	int64_t distance;
	enum insn_flow flow;
	struct insn n;

	insn_decode(&n, from, cover_insns(c, section) - at, BIG_HERE);
	memcpy(p, from, n.slots * INSN_SIZE);
	flow = insn_flow(&n, &distance);
	if ((flow == FLOW_JUMP || flow == FLOW_BRANCH) && is_inside(c, section, (int64_t)at + 1 + distance)) {
		distance = distance_moved(c->slots[section], at, 1, distance);
		if (n.code == INSN_GOTOL)
			store_uint(p + 4, 4, (uint64_t)distance, BIG_HERE);
		else
			store_uint(p + 2, 2, (uint64_t)distance, BIG_HERE);
		c->too_long |= n.code != INSN_GOTOL && distance != (int16_t)distance;
	} else if (n.code == INSN_CALL || n.code == INSN_LDIMM64) {
		store_uint(p + 4, 4, (uint64_t)reference_moved(c, section, at, &n), BIG_HERE);
	}
	*ret_slots = n.slots;
	return p + n.slots * INSN_SIZE;
}

void cover_code(struct cover *c, uint32_t section, uint32_t *number)
{
	const struct elf_sect *was = &c->o->elf.sects[section];
	const struct cover_slot *slots = c->slots[section];
	const size_t insns = cover_insns(c, section), rest = was->size % INSN_SIZE;
	struct elf_sect *s = &c->sects[section];
	uint64_t *uses = arena_array(c->arena, insns, sizeof(*uses));
	unsigned char *p;

	s->size = (uint64_t)slots[insns].lead * INSN_SIZE + rest;
	s->p = p = arena_room(c->arena, s->size);
	c->uses[section] = uses;
	for (size_t i = 0, n; i < insns; i += n) {
		if (slots[i].counted) {
			uses[c->nuses[section]++] = (uint64_t)slot_line(&slots[i]) * INSN_SIZE;
			p = counter_put(p, &slots[i], (*number)++);
		}
		p = insn_move(c, section, i, p, &n);
	}
	memcpy(p, was->p + insns * INSN_SIZE, rest);
}
