#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""For 200 programs of 2 to 5,000 instructions, every address of the JITed image resolves with `addr` to the line that
`prog dump jited linum` shows: every byte of every image, in one call per program. The same from an archive, by symbol, and in a
trace."""
import json
import os
import random
import subprocess
import sys
import tempfile
import time

from world import BPFLENS, BUILD, Run, finish, isolate, ok, sanitized, skip, strict_json

isolate()
PROGRAMS, SEED = int(os.environ.get("ADDR_PROGRAMS", "200")), 20261121
COLUMNS = "address,file,line_num,line_col,src"
random.seed(SEED)


def lens(*args, **kw):
    return Run([BPFLENS] + [str(a) for a in args], **kw)


def functions(insns):
    """[(address, [(bytes, line or None)])] of each function, from the dump."""
    ret = []
    for f in insns:
        line, runs = None, []
        for i in f["insns"]:
            if "src" in i:
                line = {k: i[k] for k in ("file", "line_num", "line_col", "src") if k in i}
            runs.append((len(i["opcodes"]), line))
        ret.append((int(f["start"], 16), runs))
    return ret


def dumped():
    """The functions of every program, by program id."""
    r = lens("-j", "prog", "dump", "jited", "name", "lines_main", "linum", "opcodes")
    return {str(p["id"]): functions(p["insns"]) for p in json.loads(r.out)} if r.status in (0, 5) else {}


def expected(funcs):
    """The document that addr should print for every byte, and the addresses."""
    addresses, objects = [], []
    for at, runs in funcs:
        for size, line in runs:
            rest = "," + json.dumps(line, separators=(",", ":"), ensure_ascii=False)[1:] if line else "}"
            for _ in range(size):
                addresses.append("%016x" % at)
                objects.append('{"address":"0x%016x"%s' % (at, rest))
                at += 1
    return addresses, "[" + ",".join(objects) + "]\n"


def first_difference(doc, r):
    for want, got in zip(json.loads(doc), strict_json(r.out) if r.out else []):
        if want != got:
            return "want %s\ngot  %s" % (want, got)
    return r


def every_address(progs):
    bad, total, spent, started = [], 0, 0.0, time.monotonic()
    for ident in progs:
        funcs = dumps[ident]
        addresses, doc = expected(funcs)
        before = time.monotonic()
        r = lens("-j", "addr", *addresses, "-o", COLUMNS)
        spent += time.monotonic() - before
        total += len(addresses)
        if not addresses or r.text != doc or r.status:
            bad.append("program %s: %s" % (ident, first_difference(doc, r)))
    ok(not bad, "every byte of %d programs, %d addresses: the line of prog dump jited linum" % (len(progs), total),
       "\n".join(bad[:3]))
    print("# %d addresses in %d calls: %.1f s in addr, %.1f s with the comparison" %
          (total, len(progs), spent, time.monotonic() - started))


def together(progs):
    """Addresses of many programs in one call, in random order: more BTF than is kept at a time."""
    pairs = []
    for ident in progs[2:62]:
        funcs = dumps[ident]
        addresses, doc = expected(funcs)
        pairs += random.sample(list(zip(addresses, json.loads(doc))), min(20, len(addresses)))
    random.shuffle(pairs)
    r = lens("-j", "addr", *[a for a, _ in pairs], "-o", COLUMNS)
    ok(r.json == [want for _, want in pairs], "addresses of 60 programs, mixed", r)


def by_symbol(progs):
    """Symbols as the kernel prints them, including subprograms: the answer is the same as for the address."""
    symbols = [line.split() for line in open("/proc/kallsyms") if " bpf_prog_" in line]
    known = {int(s[0], 16): s[2] for s in symbols}
    bad, n, parts = [], 0, 0
    for ident in progs[:40]:
        funcs = dumps[ident]
        for at, runs in funcs:
            size = sum(n for n, _ in runs)
            off = random.randrange(size)
            asked = "%s+%#x/%#x" % (known.get(at, "none"), off, size)
            r, plain = lens("-j", "addr", asked), lens("-j", "addr", "%x" % (at + off))
            mine = [x for x in r.json if x.get("prog_id") == int(ident)] if r.status == 0 else []
            want = dict(plain.json[0], asked=asked)
            n += 1
            parts += "part_" in asked
            if mine != [want]:
                bad.append("%s: %s\n%s" % (asked, mine, want))
    ok(not bad and n and parts, "%d symbols, %d of subprograms: the same as for their addresses" % (n, parts), "\n".join(bad[:3]))


def calls(progs, kinds):
    """A return address in a trace belongs to the call: the line of the byte before it. An address after RIP is taken as it is."""
    bad, n = [], 0
    for ident in progs:
        if kinds[ident] < 2 or n >= 20:
            continue
        funcs = dumps[ident]
        places = [(size, line) for size, line in funcs[0][1]]
        at, text, want = funcs[0][0], "", []
        for (size, line), (_, after) in zip(places, places[1:]):
            at += size
            text += "RIP: 0010:%016x\n [<%016x>] x\n" % (at, at)
            want += [after, line]
        r = lens("-j", "addr", "-", input=text.encode())
        got = [{k: x[k] for k in ("file", "line_num", "line_col", "src") if k in x} for x in r.json]
        n += 1
        if got != [w or {} for w in want]:
            bad.append("program %s: %s" % (ident, r))
    ok(not bad and n, "calls and addresses in traces of %d programs" % n, "\n".join(bad[:2]))


def archived(progs, directory):
    path = directory + "/saved.tar.gz"
    saved = lens("save", path)
    if saved.status not in (0, 5):
        return ok(False, "save", saved)
    bad = []
    for ident in [progs[0], progs[1]] + random.sample(progs[2:], 4):
        addresses = [a for a in expected(dumps[ident])[0]][:3000]
        live, then = lens("-j", "addr", *addresses), lens("--from", path, "-j", "addr", *addresses)
        if live.out != then.out or live.status or then.status:
            bad.append("program %s: %s" % (ident, then))
        symbol = "bpf_prog_%s_lines_main+0x3" % live.json[0]["tag"]
        if lens("addr", symbol).out != lens("--from", path, "addr", symbol).out:
            bad.append(symbol)
    ok(not bad, "the same from an archive", "\n".join(bad))


def typed():
    """Answers line by line while a user types."""
    p = subprocess.Popen([BPFLENS, "addr", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    for text in (b"RIP: 0010:bpf_prog_0000000000000000_x+0x1/0x2\n", b"nothing\n"):
        p.stdin.write(text)
        got = p.stdout.readline()
        if b"bpf_prog" in text:
            got += p.stdout.readline()
        ok(got.startswith(text) and (b"^" in got) == (b"bpf_prog" in text), "a line is answered at once", got)
    p.stdin.close()
    ok(p.wait() == 3, "no program of the trace is loaded: status 3")


def huge():
    """Constant memory for any input."""
    blob = os.urandom(1 << 20)
    noise = blob * 16 + b"x" * (1 << 22) + b"\n" + b"bpf_prog_0123456789abcdef_y+0x1/0x2 " * 100000
    with tempfile.NamedTemporaryFile() as f:
        f.write(noise)
        f.flush()
        f.seek(0)
        limit = "" if sanitized() else "ulimit -v 200000; "  # the sanitizers reserve terabytes
        p = subprocess.run(["sh", "-c", limit + 'exec "$0" addr -', BPFLENS], stdin=f, stdout=subprocess.PIPE)
    ok(p.stdout.startswith(noise[:1000]) and p.returncode in (0, 3) and len(p.stdout) >= len(noise), "20 MB of noise", p.returncode)


# Its own session: an interrupt from the keyboard must not end it, because it would free all its programs at once.
maker = subprocess.Popen([BUILD + "/tests/live/lines", str(PROGRAMS), str(SEED)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, universal_newlines=True, start_new_session=True)
try:
    kinds = {}
    for row in maker.stdout:
        if row.startswith("ready"):
            break
        kinds[row.split()[0]] = int(row.split()[2])
    if len(kinds) < PROGRAMS:
        skip("only %d programs could be loaded: %s" % (len(kinds), maker.stderr.readline().strip()))
        sys.exit(77)
    progs = list(kinds)
    started = time.monotonic()
    dumps = dumped()
    if not dumps:
        skip("the JIT compiler is off here")
        sys.exit(77)
    print("# %.1f s for the dumps" % (time.monotonic() - started))
    with tempfile.TemporaryDirectory(prefix="bpflens-live-") as directory:
        every_address(progs)
        together(progs)
        by_symbol(progs)
        calls(progs, kinds)
        archived(progs, directory)
        typed()
        huge()
finally:
    maker.stdin.close()
    maker.wait()
finish()
