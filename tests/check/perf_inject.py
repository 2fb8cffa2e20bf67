#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""report --inject: whatever the bytes of perf's file are, what is written is valid, by a second reader of the format, or nothing is. INPUTS files with
wrong bytes, BPFLENS_RULES=all: 2000."""
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, HERE + "/tools")
import checks  # noqa: E402
import perfdata  # noqa: E402
from checks import ok  # noqa: E402

LENS = os.environ.get("BPFLENS", "build/bpflens")
INPUTS, PERF_ONE_IN = (2000, 1) if os.environ.get("BPFLENS_RULES") == "all" else (150, 5)
REC = HERE + "/archives/sampled.tar.gz"
IP, START = 0xffffffffc0001000, 1000 * 10**9
SAMPLE = perfdata.IP | perfdata.TID | perfdata.TIME | perfdata.ID | perfdata.CPU | perfdata.IDENTIFIER


def record(kind, body, misc=1):
    return struct.pack("=IHH", kind, misc, 8 + len(body)) + body


def trailer(after, number, extra=b""):
    return struct.pack("=IIQQQQ", 7, 7, START + after if after else 0, number, 0, number) + extra


def ksymbol(addr, text, after, gone=0, extra=b"", length=64):
    name = text.encode() + b"\0"
    return record(17, struct.pack("=QIHH", addr, length, 1, gone) + name + bytes(-len(name) % 8) + trailer(after, 71, extra))


def event(config, ids):
    attr = struct.pack("=IIQQQQQ", 1, 96, config, 1000000, SAMPLE, 0, 1 << 18 | 1 << 25) + bytes(44) + struct.pack("=i", 7)
    return attr + struct.pack("=QQ", *ids)


def sample(addr, after, number=71):
    return record(9, struct.pack("=QQIIQQQ", number, addr, 7, 7, START + after, number, 0))


def prog(number):
    arrays = struct.pack("=Q", IP + 0x9000) + struct.pack("=I4x", 64) + b"\x09" * 8
    info = struct.pack("=II8sII", 1, number, b"\x09" * 8, 0, 0).ljust(208, b"\0")
    info = info[:104] + struct.pack("=IIQQ", 1, 1, 0, 8) + info[128:180] + struct.pack("=IQ", 1, 16) + info[192:]
    return struct.pack("=IIQ", 208, len(arrays), 1 << 3 | 1 << 4 | 1 << 8) + info + arrays


def perf_file():
    """Two events, records that perf made before it began, two rounds, a record with garbage, sections; program 1 and one that is not in the recording."""
    records = b"".join([
        record(1, struct.pack("=iIQQQ", -1, 0, 0xffffffff81000000, 0x1000000, 0xffffffff81000000) + b"[kernel.kallsyms]_text\0\0" + trailer(0, 0)),
        ksymbol(IP + 0x9000, "bpf_prog_0909090909090909_other", 0), ksymbol(IP - 0x80, "bpf_trampoline_6442487015", 0, length=4096), record(68, b""),
        ksymbol(IP - 0x40, "bpf_trampoline_6442487015", 1, length=4096), ksymbol(IP - 0x80, "bpf_trampoline_6442487015", 1, 1, length=4096),
        record(3, struct.pack("=II", 7, 7) + b"work er\0" + trailer(1, 72)),
        ksymbol(IP, "bpf_prog_0101010101010101_main_prog", 5), sample(IP + 2, 40), sample(IP + 0x9004, 41, 72), record(68, b""),
        record(18, struct.pack("=HHI", 1, 0, 1) + b"\x01" * 8 + trailer(6, 71)), ksymbol(IP + 0x9000, "bpf_prog_0909090909090909_other", 50, 1, b"\xa5" * 16),
        sample(IP + 0x9004, 60), sample(0x401000, 61, 72), record(68, b""), sample(IP + 4, 62)])
    front = 104 + 16 + 2 * 112
    events = struct.pack("=QQ", 71, 72) + event(0, (104, 8)) + event(9, (112, 8))
    host, progs = struct.pack("=I8s", 8, b"machine"), struct.pack("=I", 1) + prog(9)
    at = front + len(records) + 3 * 16
    table = struct.pack("=6Q", at, len(host), at + len(host), len(progs), at + len(host) + len(progs), 4)
    head = b"PERFILE2" + struct.pack("=8Q", 104, 112, 120, 224, front, len(records), 0, 0) + struct.pack("=4Q", 1 << 3 | 1 << 25 | 1 << 26, 0, 0, 0)
    return head + events + records + table + host + progs + bytes(4)


def inject(data, d):
    with open(d + "/in", "wb") as f:
        f.write(data)
    if os.path.exists(d + "/out"):
        os.unlink(d + "/out")
    return subprocess.run([LENS, "report", REC, "--perf", d + "/in", "--inject", d + "/out"], stdin=subprocess.DEVNULL, capture_output=True, text=True)


def whole(d):
    data = perf_file()
    r = inject(data, d)
    if not ok(os.path.exists(d + "/out"), "two events, a record with garbage, sections: written", r):
        return
    out = perfdata.check(d + "/out")
    names = [n for s, n in perfdata.named(out)]
    ok(names == ["bpf_prog_0101010101010101_main_prog", "bpf_prog_0909090909090909_other", None, None, "bpf_prog_0101010101010101_main_prog"],
       "each sample is in the program that was there", names)
    ok({1, 9} <= set(out.prog) and out.features == [3, 25, 26], "programs of both are in the sections, and the sections are kept", out.prog.keys(), out.features)
    ok(sum(r.kind == 17 and r.name.endswith("main_prog") and not r.flags for r in out.records) == 1, "a load that both have is there once")
    ok([r.len for r in out.records if r.kind == 17 and "trampoline" in r.name] == [0x40, 0x40, 4096],
       "trampolines that are said to be a page long end where other code begins", [r.len for r in out.records if r.kind == 17])
    ok(not perfdata.late(out), "perf gets every record in time")
    ok(all(data.count(r.raw) for r in out.records if r.kind == 9), "samples are not changed")


def accepts(path):
    """Does perf itself read the samples and the header? A signal that ends it is a no."""
    return not any(subprocess.run(["perf"] + words + ["-i", path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
                   for words in (["script"], ["report", "--header-only"]))


def mutated(d):
    data, rnd, written, refused, read = perf_file(), random.Random(29), 0, 0, 0
    perf = shutil.which("perf")
    for i in range(INPUTS):
        wrong = bytearray(data)
        for _ in range(rnd.choice((1, 1, 2, 8))):
            wrong[rnd.choice((rnd.randrange(len(wrong)), rnd.randrange(344)))] = rnd.choice((0, 1, 8, 0x7f, 0xff, rnd.randrange(256)))
        if not i % 5:
            del wrong[rnd.randrange(len(wrong)):]
        r = inject(bytes(wrong), d)
        if r.returncode not in (0, 1, 5):
            return ok(False, "file %d" % i, r.returncode, r.stderr)
        if not os.path.exists(d + "/out"):
            refused += 1
            if not r.stderr:
                return ok(False, "file %d is refused with a sentence" % i, r)
            continue
        written += 1
        try:
            out = perfdata.check(d + "/out", ours=False)
            perfdata.check_prog(out.prog[1])
        except (perfdata.Bad, struct.error, KeyError) as e:
            return ok(False, "file %d: what is written is valid" % i, repr(e), r.stderr)
        if not perf or written % PERF_ONE_IN:
            continue
        if accepts(d + "/out"):
            read += 1
        elif accepts(d + "/in"):
            return ok(False, "file %d: perf reads what is written, as it reads the input" % i, r.stderr)
    print("skip - perf is not installed (linux-perf)" if not perf else "ok - perf reads %d of them, and no others whose input it reads" % read)
    return ok(written > INPUTS / 4 and refused, "%d files with wrong bytes: %d are refused with a sentence, what is written for %d is valid" %
              (INPUTS, refused, written))


if sys.byteorder == "little":
    with tempfile.TemporaryDirectory() as top:
        whole(top)
        mutated(top)
else:
    print("skip - the recording is of a little-endian machine")
sys.exit(checks.failures > 0)
