#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every form of instruction that this kernel accepts: the text is the same as in the verifier's log. The same for
all programs in the object files of the fixtures, and for rewritten instructions on an arena."""
import ctypes
import errno
import glob
import os
import re
import struct
import sys

import verifier_log
from world import BUILD, World, finish, isolate, ok, skip

isolate()
if sys.byteorder != "little":
    skip("the instructions here are those of a little-endian machine")
    sys.exit(77)
SYSCALL = {"x86_64": 321, "aarch64": 280, "riscv64": 280}.get(os.uname().machine)
MAP_CREATE, PROG_LOAD = 0, 5
SOCKET_FILTER, SYSCALL_PROG, ARENA = 1, 31, 33
libc = ctypes.CDLL(None, use_errno=True)


def bpf(cmd, *parts):
    """bpf(2) with these bytes; returns a descriptor or -errno."""
    attr = b"".join(parts).ljust(144, b"\0")
    ret = libc.syscall(SYSCALL, cmd, ctypes.c_char_p(attr), len(attr))
    return ret if ret >= 0 else -ctypes.get_errno()


def load(insns, kind=SOCKET_FILTER, flags=0):
    """Return (descriptor or -errno, log)."""
    image, license, log = ctypes.create_string_buffer(insns, len(insns)), ctypes.create_string_buffer(b"GPL"), ctypes.create_string_buffer(1 << 16)
    fd = bpf(PROG_LOAD, struct.pack("<IIQQIIQII", kind, len(insns) // 8, ctypes.addressof(image), ctypes.addressof(license), 2, len(log),
                                    ctypes.addressof(log), 0, flags))
    return fd, log.value.decode("utf-8", "replace")


def insn(code, dst=0, src=0, off=0, imm=0):
    return struct.pack("<BBhi", code, src << 4 | dst, off, imm)


EXIT = insn(0xb7) + insn(0x95)
# r6 is the packet, r0 to r5 are numbers, so are the first two words of the stack.
START = insn(0xbf, 6, 1) + b"".join(insn(0xb7, r, 0, 0, 7) for r in range(6)) + insn(0x7a, 10, 0, -8, 7) + insn(0x7a, 10, 0, -16, 7)
# add, or, and, xor, each with and without fetch; xchg, cmpxchg, store_release
ATOMICS = (0, 1, 0x40, 0x41, 0x50, 0x51, 0xa0, 0xa1, 0xe1, 0xf1, 0x110)
LOAD_ACQUIRE = 0x100
SIZES = (0x00, 0x08, 0x10, 0x18)


def forms():
    """All forms; every current kernel rejects some of them, older ones reject more."""
    for cls in (4, 7):
        for op in range(0, 0xe0, 0x10):
            for off in (0, 1, 8, 16, 32):
                yield insn(cls | op, 2, 0, off, 16)
                yield insn(cls | op | 8, 2, 3, off, 0)
            yield insn(cls | op, 2, 0, 0, -5)
        for imm in (16, 32, 64):
            yield insn(cls | 0xd0, 2, 0, 0, imm)
            yield insn(cls | 0xd8, 2, 0, 0, imm)
    for cls in (5, 6):
        for op in range(0, 0xf0, 0x10):
            if op in (0x80, 0x90):
                continue
            for off, imm in ((1, 0), (1, 1), (1, -1), (0, 7)):
                yield insn(cls | op, 2, 0, off, imm) + insn(0xb7, 0)
                yield insn(cls | op | 8, 2, 3, off, 0) + insn(0xb7, 0)
    yield insn(0xe5, 0, 0, 0) + insn(0xb7, 0)
    yield insn(0x0d, 2)
    for size in SIZES:
        for mode in range(0, 0x100, 0x20):
            yield insn(1 | size | mode, 2, 10, -8)
            yield insn(3 | size | mode, 10, 2, -8)
            yield insn(2 | size | mode, 10, 0, -8, -9)
        for op in ATOMICS:
            yield insn(0xc3 | size, 10, 2, -8, op)
        yield insn(0xc3 | size, 2, 10, -8, LOAD_ACQUIRE)
        yield insn(0x20 | size, 0, 0, 0, 4)
        yield insn(0x40 | size, 0, 3, 0, -2)
    for imm, high in ((0x55667788, 0x11223344), (-1, 0), (0, -1)):
        yield insn(0x18, 2, 0, 0, imm) + insn(0, 0, 0, 0, high)
    for helper in (5, 7, 8, 15, 28, 42, 118):
        yield insn(0x85, 0, 0, 0, helper)
    yield insn(0x85, 0, 1, 0, 2) + EXIT + insn(0xb7) + insn(0x95)


def every_form(w):
    pairs, taken, refused = {}, 0, 0
    for form in forms():
        insns = START + form + EXIT
        fd, log = load(insns)
        if fd < 0:
            refused += 1
            continue
        os.close(fd)
        taken += 1
        pairs.update(verifier_log.walked(insns, log))
    bad = verifier_log.differences(w, pairs)
    ok(taken > 150 and len(pairs) > 150 and not bad, "every form of instruction as in the verifier's log", "%d taken\n%s" % (taken, bad[:8]))
    print("# %d forms taken, %d refused; %d different instructions compared" % (taken, refused, len(pairs)))


def objects(w):
    """The programs of the fixtures, from their objects."""
    logs = w.dir + "/logs"
    os.mkdir(logs)
    w.make(*sorted(glob.glob(BUILD + "/tests/live/*.bpf.o")), env=dict(os.environ, MKOBJ_LOGS=logs))
    pairs = verifier_log.kept(logs)
    bad = verifier_log.differences(w, pairs)
    ok(len(pairs) > 50 and not bad, "programs of the fixtures as in the verifier's log", "%d: %s" % (len(pairs), bad[:8]))


def on_arena(w):
    """The verifier rewrites loads, stores and atomics on an arena to other codes, which have the same text."""
    arena = bpf(MAP_CREATE, struct.pack("<IIIII44xQ", ARENA, 0, 0, 1, 1 << 10, 1 << 44))  # mappable, at this address
    if arena < 0:
        return skip("arenas cannot be created here: " + errno.errorcode[-arena])
    refused = []
    start = insn(0x18, 1, 1, 0, arena) + insn(0) + insn(0xb7) + insn(0xb7, 2, 0, 0, 64) + insn(0xbf, 1, 2, 1, 1)
    for form in [insn(0x61 | size, 3, 1, 8) for size in SIZES] + [insn(0x81 | size, 3, 1, 8) for size in SIZES[:3]] + \
                [insn(0x63 | size, 1, 2, 8) for size in SIZES] + [insn(0x62 | size, 1, 0, 8, 5) for size in SIZES] + \
                [insn(0xc3 | size, 1, 2, 8, op) for size in (0, 0x18) for op in ATOMICS] + \
                [insn(0xc3, 3, 1, 8, LOAD_ACQUIRE), insn(0xbf, 2, 1, 1, 0x10000)]:
        insns = start + form + EXIT
        fd, log = load(insns, SYSCALL_PROG, 1 << 4)
        text = verifier_log.walked(insns, log).get(form)
        if fd < 0:
            refused.append(text or form.hex())
            continue
        with open("/proc/self/fdinfo/%d" % fd) as f:
            ident = re.search(r"prog_id:\s*(\d+)", f.read()).group(1)
        r = w.run("prog", "dump", "xlated", "id", ident)
        os.close(fd)
        words = text[5:] if text else "?"
        ok(words in r.text and "BUG" not in r.text, "on an arena: " + words, "%s\n%s" % (text, r))
    os.close(arena)
    if refused:
        skip("this kernel rejects %d forms on an arena: %s" % (len(refused), ", ".join(refused)))


with World() as w:
    if not SYSCALL:
        skip("bpf(2) has no number for this machine in the table")
    elif load(EXIT)[0] < 0:
        skip("BPF programs cannot be loaded here")
    else:
        every_form(w)
        on_arena(w)
        objects(w)
finish()
