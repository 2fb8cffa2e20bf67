/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/bytes.h"
#include "code/insn.h"

#include "kernel/names.h"

/* Parts of the code byte. ALU and jumps: operation in the upper four bits; bit 3: register or immediate. */
#define CLASS(code) ((code)&0x07)
#define OP(code) ((code) >> 4)
#define IS_REG(code) ((code)&0x08)
/* Loads and stores: mode in the upper three bits, then two bits of size. */
#define MODE(code) ((code)&0xe0)
#define SIZE(code) (((code) >> 3) & 3)

enum { MODE_IMM = 0x00, MODE_ABS = 0x20, MODE_IND = 0x40, MODE_MEM = 0x60, MODE_MEMSX = 0x80, MODE_ATOMIC = 0xc0 };
/*
 * The verifier replaces the modes above by these where a fault must be survived; the image of a loaded program may have
 * them (filter.h).
 */
enum {
	MODE_PROBE_MEM = 0x20,
	MODE_PROBE_MEMSX = 0x40,
	MODE_PROBE_MEM32 = 0xa0,
	MODE_PROBE_MEM32SX = 0xc0,
	MODE_PROBE_ATOMIC = 0xe0
};
enum { SIZE_DW = 3 };
enum { OP_DIV = 0x3, OP_NEG = 0x8, OP_MOD = 0x9, OP_MOV = 0xb, OP_END = 0xd };
enum { JUMP_JA = 0x0, JUMP_CALL = 0x8, JUMP_EXIT = 0x9, JUMP_JCOND = 0xe };
enum { OFF_ADDR_SPACE_CAST = 1, OFF_PERCPU = -1 };

static const char *const alu_words[16] = {
	[0x0] = "+=",  [0x1] = "-=",  [0x2] = "*=", [0x3] = "/=", [0x4] = "|=", [0x5] = "&=",
	[0x6] = "<<=", [0x7] = ">>=", [0x9] = "%=", [0xa] = "^=", [0xb] = "=",	[0xc] = "s>>=",
};

static const char *const jump_words[16] = {
	[0x1] = "==",  [0x2] = ">", [0x3] = ">=", [0x4] = "&",	[0x5] = "!=",  [0x6] = "s>",
	[0x7] = "s>=", [0xa] = "<", [0xb] = "<=", [0xc] = "s<", [0xd] = "s<=",
};

static const char *const size_words[4] = { "u32", "u16", "u8", "u64" };
static const char *const signed_size_words[4] = { "s32", "s16", "s8", NULL };

/* Atomics: the operation is the immediate. */
enum { FETCH = 0x01, ATOMIC_XCHG = 0xe1, ATOMIC_CMPXCHG = 0xf1, LOAD_ACQUIRE = 0x100, STORE_RELEASE = 0x110 };
static const struct {
	int32_t imm;
	const char *op, *name;
} atomics[] = {
	{ 0x00, "+=", "add" },
	{ 0x40, "|=", "or" },
	{ 0x50, "&=", "and" },
	{ 0xa0, "^=", "xor" },
};

void insn_decode(struct insn *ret, const unsigned char *p, size_t n_left, bool big)
{
	memset(ret, 0, sizeof(*ret));
	ret->code = p[0];
	/* Two bit fields share the byte; their order depends on the byte order of the machine. */
	ret->dst = big ? p[1] >> 4 : p[1] & 0xf;
	ret->src = big ? p[1] & 0xf : p[1] >> 4;
	ret->off = (int16_t)load_uint(p + 2, sizeof(ret->off), big);
	ret->imm = (int32_t)load_uint(p + 4, sizeof(ret->imm), big);
	ret->slots = 1;
	if (ret->code == INSN_LDIMM64 && n_left > 1) {
		ret->imm2 = (int32_t)load_uint(p + INSN_SIZE + 4, sizeof(ret->imm2), big);
		ret->slots = 2;
	}
}

struct text {
	char *buf;
	size_t size;
	uint8_t code;
};

/* Writes "(code) " and the formatted text. */
PRINTF(2, 3) static size_t put(const struct text *t, const char *fmt, ...)
{
	const char *digits = num_hex2[t->code];
	char head[] = { '(', digits[0], digits[1], ')', ' ', '\0' };
	size_t n = sizeof(head) - 1;
	bool fits = t->size > n;
	va_list ap;

	if (t->size)
		memcpy(t->buf, head, fits ? n : t->size - 1);
	if (t->size && !fits)
		t->buf[t->size - 1] = '\0';
	va_start(ap, fmt);
	int more = vsnprintf(fits ? t->buf + n : NULL, fits ? t->size - n : 0, fmt, ap);
	va_end(ap);
	return n + (more > 0 ? (size_t)more : 0);
}

static size_t bug(const struct text *t, const char *where)
{
	return str_snprintf(t->buf, t->size, "BUG_%s%02x", where, t->code);
}

static size_t text_swap(const struct text *t, const struct insn *i)
{
	if (CLASS(i->code) == INSN_ALU64)
		return put(t, "r%d = bswap%d r%d", i->dst, i->imm, i->dst);
	return put(t, "r%d = %s%d r%d", i->dst, IS_REG(i->code) ? "be" : "le", i->imm, i->dst);
}

static const char *move_extension(int16_t off)
{
	return off == 8 ? "(s8)" : off == 16 ? "(s16)" : off == 32 ? "(s32)" : "";
}

static size_t text_alu(const struct text *t, const struct insn *i)
{
	unsigned op = OP(i->code);
	bool wide = CLASS(i->code) == INSN_ALU64;
	char r = wide ? 'r' : 'w';
	const char *word = alu_words[op];

	if (op == OP_END)
		return text_swap(t, i);
	if (op == OP_NEG)
		return put(t, "%c%d = -%c%d", r, i->dst, r, i->dst);
	if (!word)
		return bug(t, "alu_");
	if ((op == OP_DIV || op == OP_MOD) && i->off == 1)
		word = op == OP_DIV ? "s/=" : "s%=";
	if (!IS_REG(i->code))
		return put(t, "%c%d %s %d", r, i->dst, word, i->imm);
	if (wide && op == OP_MOV && i->off == OFF_ADDR_SPACE_CAST)
		return put(t, "r%d = addr_space_cast(r%d, %u, %u)", i->dst, i->src, (uint32_t)i->imm >> 16,
			   (uint32_t)i->imm & 0xffff);
	if (wide && op == OP_MOV && i->off == OFF_PERCPU)
		return put(t, "r%d = &(void __percpu *)(r%d)", i->dst, i->src);
	return put(t, "%c%d %s %s%c%d", r, i->dst, word, op == OP_MOV ? move_extension(i->off) : "", r, i->src);
}

static size_t text_atomic(const struct text *t, const struct insn *i)
{
	const char *type = size_words[SIZE(i->code)];
	const char *bits = SIZE(i->code) == SIZE_DW ? "64" : "";

	switch (i->imm) {
	case LOAD_ACQUIRE:
		return put(t, "r%d = load_acquire((%s *)(r%d %+d))", i->dst, type, i->src, i->off);
	case STORE_RELEASE:
		return put(t, "store_release((%s *)(r%d %+d), r%d)", type, i->dst, i->off, i->src);
	case ATOMIC_CMPXCHG:
		return put(t, "r0 = atomic%s_cmpxchg((%s *)(r%d %+d), r0, r%d)", bits, type, i->dst, i->off, i->src);
	case ATOMIC_XCHG:
		return put(t, "r%d = atomic%s_xchg((%s *)(r%d %+d), r%d)", i->src, bits, type, i->dst, i->off, i->src);
	}
	for (size_t k = 0; k < ARRAY_SIZE(atomics); k++) {
		if (i->imm == atomics[k].imm)
			return put(t, "lock *(%s *)(r%d %+d) %s r%d", type, i->dst, i->off, atomics[k].op, i->src);
		if (i->imm == (atomics[k].imm | FETCH))
			return put(t, "r%d = atomic%s_fetch_%s((%s *)(r%d %+d), r%d)", i->src, bits, atomics[k].name,
				   type, i->dst, i->off, i->src);
	}
	return bug(t, "");
}

static size_t text_store(const struct text *t, const struct insn *i)
{
	const char *type = size_words[SIZE(i->code)];
	bool reg = CLASS(i->code) == INSN_STX;

	switch (MODE(i->code)) {
	case MODE_MEM:
	case MODE_PROBE_MEM32:
		if (reg)
			return put(t, "*(%s *)(r%d %+d) = r%d", type, i->dst, i->off, i->src);
		return put(t, "*(%s *)(r%d %+d) = %d", type, i->dst, i->off, i->imm);
	case MODE_ATOMIC:
		return reg ? text_atomic(t, i) : put(t, "nospec");
	case MODE_PROBE_ATOMIC:
		return reg ? text_atomic(t, i) : bug(t, "st_");
	}
	return bug(t, reg ? "" : "st_");
}

static size_t text_load(const struct text *t, const struct insn *i)
{
	static const char *const *const words[8] = {
		[MODE_MEM >> 5] = size_words,
		[MODE_PROBE_MEM >> 5] = size_words,
		[MODE_PROBE_MEM32 >> 5] = size_words,
		[MODE_MEMSX >> 5] = signed_size_words,
		[MODE_PROBE_MEMSX >> 5] = signed_size_words,
		[MODE_PROBE_MEM32SX >> 5] = signed_size_words,
	};
	const char *const *types = words[MODE(i->code) >> 5];

	if (!types || !types[SIZE(i->code)])
		return bug(t, "ldx_");
	return put(t, "r%d = *(%s *)(r%d %+d)", i->dst, types[SIZE(i->code)], i->src, i->off);
}

static size_t text_ldimm64(const struct text *t, const struct insn *i, const struct insn_names *names)
{
	if (names && names->target)
		return put(t, "r%d = %s", i->dst, names->target);
	switch (i->src) {
	case INSN_SRC_MAP_FD:
		return put(t, "r%d = map[id:%u]", i->dst, (uint32_t)i->imm);
	case INSN_SRC_MAP_IDX:
		return put(t, "r%d = map[idx:%u]", i->dst, (uint32_t)i->imm);
	case INSN_SRC_MAP_VALUE:
		return put(t, "r%d = map[id:%u][0]+%u", i->dst, (uint32_t)i->imm, (uint32_t)i->imm2);
	case INSN_SRC_MAP_IDX_VALUE:
		return put(t, "r%d = map[idx:%u]+%u", i->dst, (uint32_t)i->imm, (uint32_t)i->imm2);
	case INSN_SRC_FUNC:
		return put(t, "r%d = subprog[%+d]", i->dst, i->imm);
	}
	return put(t, "r%d = 0x%llx", i->dst, llu((uint32_t)i->imm2) << 32 | (uint32_t)i->imm);
}

static size_t text_ld(const struct text *t, const struct insn *i, const struct insn_names *names)
{
	const char *type = size_words[SIZE(i->code)];

	if (i->code == INSN_LDIMM64)
		return text_ldimm64(t, i, names);
	if (MODE(i->code) == MODE_ABS)
		return put(t, "r0 = *(%s *)skb[%d]", type, i->imm);
	if (MODE(i->code) == MODE_IND)
		return put(t, "r0 = *(%s *)skb[r%d + %d]", type, i->src, i->imm);
	return bug(t, "ld_");
}

static size_t text_call(const struct text *t, const struct insn *i, const struct insn_names *names)
{
	char name[INSN_TEXT_MAX - 48];
	const char *helper = i->src == INSN_CALL_HELPER && i->imm >= 0 ? names_helper((uint32_t)i->imm) : NULL;
	bool known = !helper && names && names->call && names->call(names->ctx, i, name, sizeof(name));

	if (names && names->target)
		return put(t, "call %s", names->target);
	if (i->src == INSN_CALL_SUBPROG)
		return known ? put(t, "call pc%s", name) : put(t, "call pc%+d", i->off);
	if (!helper && !known)
		return put(t, "call unknown#%d", i->imm);
	return put(t, "call %s#%d", helper ? helper : name, i->imm);
}

static size_t text_jump(const struct text *t, const struct insn *i, const struct insn_names *names)
{
	bool wide = CLASS(i->code) == INSN_JMP;
	char r = wide ? 'r' : 'w', to[32];
	const char *word = jump_words[OP(i->code)];
	int64_t distance = OP(i->code) == JUMP_JA && !wide ? i->imm : i->off;

	if (!names || !names->jump || !names->jump(names->jump_ctx, i, distance, to, sizeof(to)))
		snprintf(to, sizeof(to), "pc%+d", (int)distance);
	switch (OP(i->code)) {
	case JUMP_JA:
		if (IS_REG(i->code))
			return wide ? put(t, "gotox r%d", i->dst) : bug(t, "");
		return put(t, wide ? "goto %s" : "gotol %s", to);
	case JUMP_CALL:
		return i->code == INSN_CALL ? text_call(t, i, names) : bug(t, "");
	case JUMP_EXIT:
		return wide && !IS_REG(i->code) ? put(t, "exit") : bug(t, "");
	case JUMP_JCOND:
		return wide && !IS_REG(i->code) ? put(t, "may_goto %s", to) : bug(t, "");
	}
	if (!word)
		return bug(t, "");
	if (IS_REG(i->code))
		return put(t, "if %c%d %s %c%d goto %s", r, i->dst, word, r, i->src, to);
	return put(t, "if %c%d %s 0x%x goto %s", r, i->dst, word, (uint32_t)i->imm, to);
}

enum insn_flow insn_flow(const struct insn *i, int64_t *ret_distance)
{
	bool wide = CLASS(i->code) == INSN_JMP;

	*ret_distance = 0;
	if (CLASS(i->code) != INSN_JMP && CLASS(i->code) != INSN_JMP32)
		return FLOW_NEXT;
	if (OP(i->code) == JUMP_EXIT)
		return wide ? FLOW_EXIT : FLOW_NEXT;
	if (OP(i->code) == JUMP_JA && IS_REG(i->code))
		return wide ? FLOW_INDIRECT : FLOW_NEXT;
	if (OP(i->code) == JUMP_JA) {
		*ret_distance = wide ? i->off : i->imm;
		return FLOW_JUMP;
	}
	if (!jump_words[OP(i->code)] && OP(i->code) != JUMP_JCOND)
		return FLOW_NEXT;
	*ret_distance = i->off;
	return FLOW_BRANCH;
}

size_t insn_text(const struct insn *i, const struct insn_names *names, char *buf, size_t size)
{
	struct text t = { .buf = buf, .size = size, .code = i->code };

	switch (CLASS(i->code)) {
	case INSN_LD:
		return text_ld(&t, i, names);
	case INSN_LDX:
		return text_load(&t, i);
	case INSN_ST:
	case INSN_STX:
		return text_store(&t, i);
	case INSN_ALU:
	case INSN_ALU64:
		return text_alu(&t, i);
	default:
		return text_jump(&t, i, names);
	}
}

#define REG(n) ((uint16_t)(1u << (n)))
enum { REGS_CALLER = 0x3f, REGS_ARGS = 0x3e };

static struct insn_regs regs_atomic(const struct insn *i)
{
	struct insn_regs ret = { .reads = REG(i->dst) | REG(i->src) };

	if (i->imm == LOAD_ACQUIRE)
		return (struct insn_regs){ .reads = REG(i->src), .writes = REG(i->dst) };
	if (i->imm == ATOMIC_CMPXCHG)
		return (struct insn_regs){ .reads = ret.reads | REG(0), .writes = REG(0) };
	ret.writes = i->imm != STORE_RELEASE && i->imm & FETCH ? REG(i->src) : 0;
	return ret;
}

static struct insn_regs regs_alu(const struct insn *i)
{
	const unsigned op = OP(i->code);
	struct insn_regs ret = { .writes = REG(i->dst) };

	if (op != OP_MOV)
		ret.reads = REG(i->dst);
	if (IS_REG(i->code) && op != OP_END && op != OP_NEG)
		ret.reads |= REG(i->src);
	return ret;
}

static struct insn_regs regs_jump(const struct insn *i)
{
	const uint16_t src = IS_REG(i->code) ? REG(i->src) : 0;

	switch (OP(i->code)) {
	case JUMP_JA:
		return (struct insn_regs){ .reads = src ? REG(i->dst) : 0 };
	case JUMP_JCOND:
		return (struct insn_regs){ 0 };
	case JUMP_CALL:
		return (struct insn_regs){ src ? REG(i->dst) : 0, REGS_ARGS, REGS_CALLER };
	case JUMP_EXIT:
		return (struct insn_regs){ .implied = REG(0) };
	}
	return (struct insn_regs){ .reads = REG(i->dst) | src };
}

struct insn_regs insn_regs(const struct insn *i)
{
	switch (CLASS(i->code)) {
	case INSN_LD:
		if (i->code == INSN_LDIMM64)
			return (struct insn_regs){ .writes = REG(i->dst) };
		/* Loads from packets are calls, with the context in r6. */
		return (struct insn_regs){ .reads = REG(6) | (MODE(i->code) == MODE_IND ? REG(i->src) : 0),
					   .writes = REGS_CALLER };
	case INSN_LDX:
		return (struct insn_regs){ .reads = REG(i->src), .writes = REG(i->dst) };
	case INSN_ST:
		return (struct insn_regs){ .reads = REG(i->dst) };
	case INSN_STX:
		if (MODE(i->code) == MODE_ATOMIC)
			return regs_atomic(i);
		return (struct insn_regs){ .reads = REG(i->dst) | REG(i->src) };
	case INSN_ALU:
	case INSN_ALU64:
		return regs_alu(i);
	default:
		return regs_jump(i);
	}
}
