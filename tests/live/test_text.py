#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""report --text: with its images, libipt decodes what recorded programs did, also after their tail calls changed; objdump, addr2line and gdb read its ELF file."""
import os
import random
import re
import shutil
import signal
import struct
import time

from rawbpf import TYPES, code_load, map_create, map_update, object_id, prog_load
from recordings import begun, lives_in, members, recorder, text_index
from world import BUILD, Run, World, finish, isolate, number, ok, patience, skip, until

isolate()
PROGRAMS, POKED = number("TEXTS", 50), 10
HERE = os.path.dirname(os.path.abspath(__file__))


def insn(code, dst=0, src=0, off=0, imm=0):
    return struct.pack("<BBhi", code, src << 4 | dst, off, imm)


def branching(seed):
    """A program of random arithmetic and jumps, without helpers, with a loop."""
    rnd = random.Random(seed)
    body = [insn(0x61, 0, 1)] + [insn(0xb7, r, imm=rnd.getrandbits(16)) for r in range(2, 9)] + [insn(0xb7, 9, imm=rnd.randint(2, 3))]
    loop = len(body)
    for _ in range(5):
        body += [insn(rnd.choice((0x0f, 0xaf, 0x1f, 0x2f)), rnd.randint(2, 8), rnd.randint(2, 8)) for _ in range(rnd.randint(1, 4))]
        skipped = rnd.randint(1, 4)
        body.append(insn(rnd.choice((0x15, 0x25, 0x45, 0x55, 0x65, 0xb5)), rnd.choice((0, 0, 2, 3)), off=skipped, imm=rnd.getrandbits(rnd.choice((3, 10, 30)))))
        body += [insn(rnd.choice((0x07, 0xa7, 0x57)), rnd.choice((0, 2, 3, 4)), imm=rnd.getrandbits(20)) for _ in range(skipped)]
    body += [insn(0x07, 9, imm=-1), insn(0x55, 9, off=loop - len(body) - 2), insn(0xbf, 0, 2), insn(0x95)]
    return b"".join(body)


def now():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def decoded(w, text, ran, at, addr, length):
    r = Run([w.dir + "/ipt", text, str(ran), str(at), hex(addr), str(length)])
    return r.status, r.text + r.errors


def poke(w, maps, leaves, slot):
    for m in maps:
        map_update(m, bytes(4), struct.pack("<I", leaves[slot]))
    return now()


def elf_read(w, path, recording, at, begin):
    """Each line of a program is where `prog dump jited` has it."""
    elf, checked, bad = path + "/text.elf", 0, []
    where = ["--from", recording, "--at", at]
    for f in w.of("prog"):
        docs = w.run("-j", *where, "prog", "dump", "jited", "id", f["id"], "linum").json
        for doc in docs or []:
            start, lines = int(doc["start"], 16) if "start" in doc else 0, {}
            for i in doc["insns"]:
                if "line_num" in i:
                    lines[start + int(i["pc"], 16)] = (i["file"], i["line_num"])
            if not start or not lines:
                continue
            said = Run(["addr2line", "-f", "-e", elf] + [hex(a) for a in lines]).text.splitlines()
            for (addr, (name, num)), func, line in zip(lines.items(), said[::2], said[1::2]):
                checked += 1
                if func != doc["name"] or re.sub(r" \(discriminator.*", "", line) != "%s:%d" % (name, num):
                    bad.append((hex(addr), name, num, func, line))
    ok(checked and not bad, "addr2line: %d lines of programs" % checked, bad[:3])
    return lines, doc["name"]


def debuggers(path, lines, name):
    elf, addr = path + "/text.elf", sorted(lines)[0]
    r = Run(["objdump", "-d", "--no-show-raw-insn", "--start-address=%#x" % addr, "--stop-address=%#x" % (addr + 16), elf])
    ok("<%s>:" % name in r.text, "objdump finds the function", r)
    if not shutil.which("gdb"):
        return skip("gdb is not installed")
    r = Run(["gdb", "-nx", "-batch", "-ex", "info line *%#x" % addr, elf])
    ok("Line %d of" % lines[addr][1] in r.text and name in r.text, "gdb finds the line", r)


with World() as w:
    if not Run(["cc", "-std=gnu11", "-D_GNU_SOURCE", "-o", w.dir + "/ipt", HERE + "/ipt.c", "-lipt"]).status == 0:
        skip("libipt is not installed")
    rec = w.dir + "/text.rec"
    r = recorder("-o", rec)
    ok(begun(r, rec + ".partial"), "record began")
    w.make(BUILD + "/tests/live/annotated.bpf.o")
    fds = [code_load("socket_filter", "walks_%d" % i, branching(i)) for i in range(PROGRAMS - POKED)]
    leaves = [code_load("socket_filter", "leaf_%d" % i, branching(1000 + i)) for i in range(2)]
    maps = [map_create(3, 4, 4, 1, "lens_jumps") for _ in range(POKED)]
    jumping = [prog_load("socket_filter", "jumps_%d" % i, 7, additions=i, calls=m) for i, m in enumerate(maps)]
    before = poke(w, maps, leaves, 0)
    after = poke(w, maps, leaves, 1)
    ids = [object_id(fd) for fd in fds + jumping]
    until(lambda: any(l[0] == str(ids[-1]) for l in lives_in(members(rec + ".partial"))), patience(20))
    r.send_signal(signal.SIGINT)
    _, err = r.communicate()
    begin = int(lives_in(members(rec))[0][1])
    text = w.dir + "/text"
    r = w.run("-j", "report", rec, "--text", text)
    rows = text_index(text)
    ok(r.json["images"] == len(rows) == len(os.listdir(text)) - 1 and sum(x.size for x in rows) == r.json["image_bytes"] and
       all(os.path.getsize(x.path) == x.size for x in rows), "report --text: %d images" % len(rows), r)
    starts = {name: next(x.addr for x in rows if x.name.endswith("_" + name)) for name in
              ["walks_%d" % i for i in range(len(fds))] + ["jumps_%d" % i for i in range(POKED)]}
    there = sorted((x for x in rows if x.begin <= after < x.end), key=lambda x: x.addr)
    twice = [(a.name, hex(a.addr), a.size, a.begin, a.end, b.name, hex(b.addr), b.begin, b.end) for a, b in zip(there, there[1:]) if a.addr + a.size > b.addr]
    ok(not twice, "one image at an address at a time", twice)
    announced = not r.json["images_uncertain"]
    if os.path.exists(w.dir + "/ipt") and os.uname().machine == "x86_64":
        same = [decoded(w, text, after, after, starts["walks_%d" % i], length) for i in range(len(fds)) for length in (i, 1 << 20)]
        ok(all(s == 0 for s, _ in same), "libipt decodes %d runs of %d programs" % (len(same), len(fds)), [x for x in same if x[0]][:3])
        if announced:
            for ran, at, want, what in ((before, before, 0, "before a tail call changes"), (after, after, 0, "after it"), (after, before, 1, "after it with images of before: refused")):
                got = [decoded(w, text, ran, at, starts["jumps_%d" % i], 5) for i in range(POKED)]
                ok(all(s == want for s, _ in got), "libipt decodes %d programs %s" % (len(got), what), got[:3])
        else:
            skip("tail calls: this kernel does not announce changes of code")
    at = "%.9f" % ((after - begin) / 1e9)
    moment = w.dir + "/moment"
    r = w.run("-j", "--at", at, "report", rec, "--text", moment)
    ok(all(x.begin <= after < x.end for x in text_index(moment)) and r.json["images"] < len(rows) + (not announced), "report --text --at: the images of a moment", r)
    lines, name = elf_read(w, moment, rec, at, begin)
    if lines:
        debuggers(moment, lines, name)
    r = w.run("report", rec, "--text", moment)
    ok(r.status != 0 and "does not exist yet" in r.errors, "a directory that exists is refused", r)
finish()
