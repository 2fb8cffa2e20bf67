# SPDX-License-Identifier: BSD-2-Clause
"""BPF programs that a seed makes, and what their code does, without bpflens and the kernel: an interpreter of the instructions in an object file that
counts how often each basic block begins (Documentation/bpf/standardization/instruction-set.rst). No helpers and no data but stack and context."""
import random
import struct

U64 = (1 << 64) - 1
STACK, CONTEXT = 0x10000000, 0x20000000
FRAME = 512
HEAD = """#define SEC(name) __attribute__((section(name), used))
#define ALONE __attribute__((noinline))
#define LOOP _Pragma("clang loop unroll(disable)")
typedef unsigned int u32;
typedef unsigned long long u64;
struct in { u32 v[32]; };
__attribute__((weak)) char LICENSE[] SEC("license") = "GPL";
"""


def source(seed, programs):
    """C of an object file with these programs, p0_SEED and so on, of type syscall: they read and write their context of 128 bytes."""
    rnd = random.Random(seed)
    lines = []

    def value(names):
        return rnd.choice(names) if rnd.random() < 0.8 else str(rnd.randrange(1, 1000))

    def expression(names):
        a, b = value(names), value(names)
        return rnd.choice(["%s + %s", "%s - %s", "%s * %s", "%s ^ %s", "%s & %s", "%s | %s", "(%s << 3) + %s", "(%s >> 2) + %s", "(u32)%s / ((u32)%s | 1)",
                           "(u32)%s %% ((u32)%s | 1)", "(int)%s + (short)%s"]) % (a, b)

    def statement(names, depth, call, loops):
        pad = "\t" * (3 - depth)
        kind = rnd.choice(["set"] * 3 + ["if"] * 3 + ["loop"] * loops + ["array", "switch", "call"])
        body = lambda: "".join(statement(names, depth - 1, call, 0) for _ in range(rnd.randrange(1, 3)))  # noqa: E731
        if kind == "if" and depth:
            op = rnd.choice(["<", ">", "==", "!=", ">=", "<="])
            other = "%s} else {\n%s" % (pad, body()) if rnd.random() < 0.5 else ""
            return "%sif ((%s)%s %s (%s)%s) {\n%s%s%s}\n" % (pad, rnd.choice(["u32", "int", "u64"]), value(names), op, "u32", value(names), body(), other, pad)
        if kind == "loop" and depth:
            return "%sLOOP for (u32 i%d = 0; i%d < (%s & 3); i%d++) {\n%s%s}\n" % (pad, depth, depth, value(names), depth, body(), pad)
        if kind == "switch" and depth:
            cases = "".join("%scase %d: %s ^= %s; break;\n" % (pad, i, rnd.choice(names), expression(names)) for i in range(4))
            return "%sswitch (%s & 7) {\n%s%s}\n" % (pad, value(names), cases, pad)
        if kind == "array":
            return "%sa[%s & 3] += %s;\n%s%s ^= a[%s & 3];\n" % (pad, value(names), expression(names), pad, rnd.choice(names), value(names))
        if kind == "call" and call:
            return "%s%s += %s(%s, %s);\n" % (pad, rnd.choice(names), rnd.choice(call), value(names), value(names))
        return "%s%s = %s;\n" % (pad, rnd.choice(names), expression(names))

    def function(head, names, setup, call, end):
        lines.append("%s\n{\n\tvolatile u64 a[4];\n\tfor (int k = 0; k < 4; k++)\n\t\ta[k] = k;\n%s" % (head, setup))
        lines.extend(statement(names, 2, call, 1) for _ in range(rnd.randrange(4, 9)))
        lines.append("%s}\n" % end)

    for i in range(programs):
        for k in range(2):
            call = [] if k == 0 else ["f%d_0_%d" % (i, seed)]
            function("%sALONE u64 f%d_%d_%d(u64 x, u64 y)" % (rnd.choice(["static ", ""]), i, k, seed), ["x", "y", "z"], "\tu64 z = x ^ 5;\n", call, "\treturn x + y + z + a[1];\n")
        names = ["x%d" % k for k in range(rnd.randrange(4, 14))]
        setup = "".join("\tu64 %s = c->v[%d];\n" % (n, k) for k, n in enumerate(names))
        end = "".join("\tc->v[%d] = %s;\n" % (k + 16, n) for k, n in enumerate(names)) + "\treturn (int)(%s);\n" % " ^ ".join(names)
        function('SEC("syscall") int p%d_%d(struct in *c)' % (i, seed), names, setup, ["f%d_0_%d" % (i, seed), "f%d_1_%d" % (i, seed)], end)
    return HEAD + "".join(lines)


class Code:
    """The code of an object file of 64 bits, little-endian."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        at, size, n = struct.unpack_from("<Q", self.data, 40)[0], 64, struct.unpack_from("<H", self.data, 60)[0]
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, at + i * size) for i in range(n)]
        table = next(s for s in self.sections if s[1] == 2)
        names = self.sections[table[6]]
        self.symbols = []
        for i in range(table[5] // 24):
            name, info, _, section, value, length = struct.unpack_from("<IBBHQQ", self.data, table[4] + i * 24)
            text = self.data[names[4] + name:self.data.index(b"\0", names[4] + name)].decode()
            self.symbols.append((text, info & 15, section, value, length))
        self.insns = {i: [struct.unpack_from("<BBhi", self.data, s[4] + k) for k in range(0, s[5], 8)] for i, s in enumerate(self.sections) if s[1] == 1 and s[2] & 4}
        self.calls = {}
        for s in (s for s in self.sections if s[1] == 9 and s[7] in self.insns):
            for k in range(0, s[5], 16):
                off, info = struct.unpack_from("<QQ", self.data, s[4] + k)
                self.calls[s[7], off // 8] = self.symbols[info >> 32]
        self.functions = sorted((section, value // 8, length // 8, name) for name, kind, section, value, length in self.symbols if kind == 2 and section in self.insns)
        self.blocks = [(section, b, name) for section, start, n, name in self.functions for b in self.leaders(section, start, n)]

    def jump(self, section, at):
        """The target of a jump; None: no jump."""
        code, _, off, imm = self.insns[section][at]
        if code & 7 not in (5, 6) or code in (0x85, 0x95):
            return None
        return at + 1 + (imm if code == 0x06 else off)

    def leaders(self, section, start, n):
        found = {start}
        at = start
        while at < start + n:
            to = self.jump(section, at)
            ends = to is not None or self.insns[section][at][0] == 0x95
            found |= {to} if to is not None else set()
            at += 2 if self.insns[section][at][0] == 0x18 else 1
            if ends and at < start + n:
                found.add(at)
        return sorted(found)

    def run(self, name, context):
        """The result, the context after the run, and how often each block began, by the names of functions."""
        section, start = next((s, b) for s, b, _, n in self.functions if n == name)
        counts = {(s, b): 0 for s, b, _ in self.blocks}
        memory = {STACK: bytearray(8 * FRAME), CONTEXT: bytearray(context)}
        r = self.call(section, start, [0, CONTEXT, 0, 0, 0, 0], 1, memory, counts)
        return r & 0xffffffff, bytes(memory[CONTEXT]), [(f, counts[s, b]) for s, b, f in self.blocks]

    def target(self, section, at):
        imm = self.insns[section][at][3]
        symbol = self.calls.get((section, at))
        return (symbol[2], symbol[3] // 8 + imm + 1) if symbol else (section, at + imm + 1)

    def call(self, section, at, args, depth, memory, counts):
        r = args + [0] * 4 + [STACK + depth * FRAME]
        while True:
            if (section, at) in counts:
                counts[section, at] += 1
            code, regs, off, imm = self.insns[section][at]
            dst, src, kind = regs & 15, regs >> 4, code & 7
            if code == 0x95:
                return r[0]
            if code == 0x85:
                r[0] = self.call(*self.target(section, at), r[:6], depth + 1, memory, counts)
            elif code == 0x18:
                r[dst] = imm & 0xffffffff | (self.insns[section][at + 1][3] & 0xffffffff) << 32
                at += 1
            elif kind in (5, 6):
                if taken(code, r[dst], r[src] if code & 8 else imm & U64):
                    at = self.jump(section, at) - 1
            elif kind in (4, 7):
                r[dst] = alu(code, r[dst], r[src] if code & 8 else imm & U64, off, imm)
            else:
                access(code, r, dst, src, off, imm, memory)
            at += 1


def signed(v, bits):
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> (bits - 1) else v


def taken(code, a, b):
    bits = 64 if code & 7 == 5 else 32
    a, b = a & ((1 << bits) - 1), b & ((1 << bits) - 1)
    sa, sb = signed(a, bits), signed(b, bits)
    return [True, a == b, a > b, a >= b, a & b != 0, a != b, sa > sb, sa >= sb, None, None, a < b, a <= b, sa < sb, sa <= sb][code >> 4]


def alu(code, a, b, off, imm):
    bits, op = (64 if code & 7 == 7 else 32), code >> 4
    mask = (1 << bits) - 1
    a, b = a & mask, b & mask
    if op == 0xd:  # le, be, bswap
        size = imm // 8
        low = (a if bits == 32 else a) & ((1 << imm) - 1)
        return int.from_bytes(low.to_bytes(size, "little"), "big") if code & 8 or bits == 64 else low
    if op == 0xb and off:
        b = signed(b, off)
    shift = b & (bits - 1)
    if op in (3, 9) and off == 1:
        sa, sb = signed(a, bits), signed(b, bits)
        quotient = 0 if not sb else abs(sa) // abs(sb) * (1 if (sa < 0) == (sb < 0) else -1)
        v = quotient if op == 3 else sa - quotient * sb
    else:
        v = {0: lambda: a + b, 1: lambda: a - b, 2: lambda: a * b, 3: lambda: a // b if b else 0, 4: lambda: a | b, 5: lambda: a & b, 6: lambda: a << shift,
             7: lambda: a >> shift, 8: lambda: -a, 9: lambda: a % b if b else a, 0xa: lambda: a ^ b, 0xb: lambda: b, 0xc: lambda: signed(a, bits) >> shift}[op]()
    return v & mask


def access(code, r, dst, src, off, imm, memory):
    size = {0: 4, 1: 2, 2: 1, 3: 8}[code >> 3 & 3]
    kind, mode = code & 7, code & 0xe0
    address = (r[src if kind == 1 else dst] + off) & U64
    base = STACK if address < CONTEXT else CONTEXT
    at = address - base
    if at + size > len(memory[base]) or mode not in (0x60, 0x80):
        raise ValueError("access of %d bytes at %x, code %x" % (size, address, code))
    if kind == 1:
        v = int.from_bytes(memory[base][at:at + size], "little")
        r[dst] = signed(v, size * 8) & U64 if mode == 0x80 else v
    else:
        v = (imm if kind == 2 else r[src]) & ((1 << size * 8) - 1)
        memory[base][at:at + size] = v.to_bytes(size, "little")
