/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/classic.h"

#include <linux/filter.h>

/* Facts about a packet that loads at SKF_AD_OFF read; the kernel's assembler bpf_asm calls them so. */
static const char *const facts[] = {
	[SKF_AD_PROTOCOL] = "proto",
	[SKF_AD_PKTTYPE] = "type",
	[SKF_AD_IFINDEX] = "ifidx",
	[SKF_AD_NLATTR] = "nla",
	[SKF_AD_NLATTR_NEST] = "nlan",
	[SKF_AD_MARK] = "mark",
	[SKF_AD_QUEUE] = "queue",
	[SKF_AD_HATYPE] = "hatype",
	[SKF_AD_RXHASH] = "rxhash",
	[SKF_AD_CPU] = "cpu",
	[SKF_AD_ALU_XOR_X] = "xor_x",
	[SKF_AD_VLAN_TAG] = "vlan_tci",
	[SKF_AD_VLAN_TAG_PRESENT] = "vlan_avail",
	[SKF_AD_PAY_OFFSET] = "poff",
	[SKF_AD_RANDOM] = "rand",
	[SKF_AD_VLAN_TPID] = "vlan_tpid",
};
static const char *const alu[] = {
	[BPF_ADD >> 4] = "add", [BPF_SUB >> 4] = "sub", [BPF_MUL >> 4] = "mul", [BPF_DIV >> 4] = "div",
	[BPF_OR >> 4] = "or",	[BPF_AND >> 4] = "and", [BPF_LSH >> 4] = "lsh", [BPF_RSH >> 4] = "rsh",
	[BPF_NEG >> 4] = "neg", [BPF_MOD >> 4] = "mod", [BPF_XOR >> 4] = "xor",
};
static const char *const jumps[] = {
	[BPF_JA >> 4] = "ja",	[BPF_JEQ >> 4] = "jeq",	  [BPF_JGT >> 4] = "jgt",
	[BPF_JGE >> 4] = "jge", [BPF_JSET >> 4] = "jset",
};
static const char *const sizes[] = { [BPF_W >> 3] = "", [BPF_H >> 3] = "h", [BPF_B >> 3] = "b" };

static bool load_print(const struct sock_filter *f, struct str *ret)
{
	const uint32_t fact = f->k - (uint32_t)SKF_AD_OFF;
	const char *to = BPF_CLASS(f->code) == BPF_LDX ? "ldx" : "ld", *size;

	if (BPF_SIZE(f->code) >> 3 >= ARRAY_SIZE(sizes))
		return false;
	size = sizes[BPF_SIZE(f->code) >> 3];
	switch (BPF_MODE(f->code)) {
	case BPF_IMM:
		str_fmt(ret, "%s #%#x", to, f->k);
		return true;
	case BPF_MEM:
		str_fmt(ret, "%s M[%u]", to, f->k);
		return true;
	case BPF_LEN:
		str_fmt(ret, "%s #pktlen", to);
		return true;
	case BPF_MSH:
		str_fmt(ret, "%s%s 4*([%u]&0xf)", to, size, f->k);
		return true;
	case BPF_IND:
		str_fmt(ret, "%s%s [x + %d]", to, size, (int)f->k);
		return true;
	case BPF_ABS:
		if (fact < ARRAY_SIZE(facts) && facts[fact])
			str_fmt(ret, "%s%s %s", to, size, facts[fact]);
		else
			str_fmt(ret, "%s%s [%d]", to, size, (int)f->k);
		return true;
	}
	return false;
}

/* The operand of an arithmetic instruction or a conditional jump. */
static void operand_print(const struct sock_filter *f, struct str *ret)
{
	if (BPF_SRC(f->code) == BPF_X)
		str_puts(ret, " x");
	else
		str_fmt(ret, " #%#x", f->k);
}

static bool alu_print(const struct sock_filter *f, struct str *ret)
{
	const unsigned op = BPF_OP(f->code) >> 4;

	if (op >= ARRAY_SIZE(alu) || !alu[op])
		return false;
	str_puts(ret, alu[op]);
	if (op != BPF_NEG >> 4)
		operand_print(f, ret);
	return true;
}

static bool jump_print(const struct sock_filter *f, unsigned at, struct str *ret)
{
	const unsigned op = BPF_OP(f->code) >> 4;

	if (op >= ARRAY_SIZE(jumps) || !jumps[op])
		return false;
	str_puts(ret, jumps[op]);
	if (op == BPF_JA) {
		str_fmt(ret, " %u", at + 1 + f->k);
		return true;
	}
	operand_print(f, ret);
	str_fmt(ret, " jt %u jf %u", at + 1 + f->jt, at + 1 + f->jf);
	return true;
}

static bool insn_print(const struct sock_filter *f, unsigned at, struct str *ret)
{
	switch (BPF_CLASS(f->code)) {
	case BPF_LD:
	case BPF_LDX:
		return load_print(f, ret);
	case BPF_ST:
		str_fmt(ret, "st M[%u]", f->k);
		return true;
	case BPF_STX:
		str_fmt(ret, "stx M[%u]", f->k);
		return true;
	case BPF_ALU:
		return alu_print(f, ret);
	case BPF_JMP:
		return jump_print(f, at, ret);
	case BPF_RET:
		if (BPF_RVAL(f->code) == BPF_K)
			str_fmt(ret, "ret #%u", f->k);
		else
			str_puts(ret, BPF_RVAL(f->code) == BPF_A ? "ret a" : "ret x");
		return true;
	default: /* BPF_MISC */
		if (BPF_MISCOP(f->code) != BPF_TAX && BPF_MISCOP(f->code) != BPF_TXA)
			return false;
		str_puts(ret, BPF_MISCOP(f->code) == BPF_TXA ? "txa" : "tax");
		return true;
	}
}

void classic_print(const struct sock_filter *f, unsigned at, struct str *ret)
{
	str_fmt(ret, "%u: ", at);
	if (f->code > UINT8_MAX || !insn_print(f, at, ret))
		str_fmt(ret, "unknown(%#x) #%#x", f->code, f->k);
}
