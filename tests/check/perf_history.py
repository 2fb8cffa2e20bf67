#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""report --inject: programs come and go at a few addresses, perf and the recorder are told one after the other, clocks differ, records are lost: in
what is written each sample is in the program that was there, also where perf reads /proc/kcore. HISTORIES of them, BPFLENS_RULES=all: 2000."""
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, HERE + "/tools")
import checks  # noqa: E402
import kcore  # noqa: E402
import mkarchives  # noqa: E402
import perfdata  # noqa: E402
from checks import ok  # noqa: E402

LENS = os.environ.get("BPFLENS", "build/bpflens")
HISTORIES = 2000 if os.environ.get("BPFLENS_RULES") == "all" else 60
BASE, START, LEN = 0xffffffffc0001000, 1000 * 10**9, 64
TEXT, TEXT_LEN = 0xffffffff81000000, 0x10000
CPUS, THREADS, PROGRAMS = 2, 3, 16
PERFS = 20 if HISTORIES > 60 else 3  # of them also read by perf, which takes longer
READERS = (None, "ip", "chain")  # perf without /proc/kcore, and with it
SAMPLE = perfdata.IP | perfdata.TID | perfdata.TIME | perfdata.CPU | perfdata.CALLCHAIN


class History:
    """What happened, in ns since boot, and what perf and the recorder know about it."""

    def __init__(self, rnd, lossy):
        self.rnd, self.lossy = rnd, lossy
        self.unload_ids = rnd.random() < 0.7  # 6.1 does not say whose an unload is
        self.offset, self.drift = rnd.choice((0, -5 * 10**11, 3 * 10**8)), rnd.uniform(-1e-5, 1e-5)
        self.skew = [0] + [rnd.choice((0, rnd.randint(-3000, 3000))) for _ in range(CPUS - 1)]
        self.perf_first = rnd.random() < 0.5
        self.records, self.samples, self.progs = [], [], {}
        self.free = {BASE + LEN * i: 0 for i in range(rnd.randint(2, 5))}  # address: since when nothing is there
        self.lost = set()  # names whose load perf does not have
        threads = [START + 10**6 * (1 + i) for i in range(THREADS)]
        for number in range(5, 5 + PROGRAMS):
            i = min(range(THREADS), key=threads.__getitem__)
            threads[i] = self.life(number, 70 + i, threads[i]) or threads[i]
        self.end = max(threads + [t for t, *_ in self.records]) + 10**6
        # In the kernel's own code; callers are also there.
        self.samples += [(rnd.randint(START, self.end), TEXT + rnd.randrange(TEXT_LEN), 7, None) for _ in range(rnd.randint(0, 6))]

    def clock(self, time, cpu):
        """perf's."""
        return int((time - START) * (1 + self.drift)) + START + self.offset + self.skew[cpu]

    def gap(self):
        """Between two listeners, or two records."""
        return self.rnd.randint(300, 4000) if self.rnd.random() < 0.95 else self.rnd.randint(10**5, 6 * 10**6)

    def tell(self, time, tid, cpu, what):
        """To both; the time when both know, and when the recorder did."""
        first, second = time, time + self.gap()
        perf, recorder = (first, second) if self.perf_first else (second, first)
        if not self.lossy or self.rnd.random() > 0.04:
            self.records.append((self.clock(perf, cpu), tid, cpu, what))
        elif what[0] == "code" and not what[3]:
            self.lost.add(what[2])
        return second, recorder

    def announce(self, prog, time, tid, gone):
        cpu = self.rnd.randrange(CPUS)
        for addr, name in prog["funcs"]:
            time = self.tell(time, tid, cpu, ("code", addr, name, gone))[0] + self.rnd.randint(50, 500)
        return self.tell(time, tid, cpu, ("prog", 0 if gone and not self.unload_ids else prog["id"], gone))

    def life(self, number, tid, time):
        rnd = self.rnd
        prog = {"id": number, "tag": bytes([number] * 8), "load": time, "gone": None, "known": not self.lossy or rnd.random() > 0.1}
        time += rnd.randint(20000, 3 * 10**6)  # verification
        places = [a for a, since in self.free.items() if since <= time]
        if not places:
            return time
        places = sorted(rnd.sample(places, min(len(places), rnd.choice((1, 1, 1, 2)))))
        tags = [prog["tag"]] if len(places) == 1 else [bytes([number, i] * 4) for i in range(len(places))]
        prog["funcs"] = [(a, "bpf_prog_%s_p%d" % (t.hex(), number)) for a, t in zip(places, tags)]
        prog["tags"] = tags
        for a in places:
            self.free[a] = 1 << 63
        self.progs[number] = prog
        time = self.announce(prog, time, tid, 0)[0] + 1000
        stays = rnd.random() < 0.1
        until = time + rnd.randint(10**4, 4 * 10**6)
        for _ in range(rnd.randint(1, 5)):
            addr, name = rnd.choice(prog["funcs"])
            self.samples.append((rnd.randint(time, until), addr + rnd.randrange(LEN - 4), tid, name))
        if stays:
            return until
        time, prog["gone"] = self.announce(prog, until + 5000, rnd.choice((tid, 9)), 1)
        if self.lossy and rnd.random() < 0.05:
            prog["gone"] = 0
        for a in places:
            self.free[a] = time + rnd.randint(5000, 10**5)
        return time if rnd.random() < 0.5 else until + 6000

    def perf_file(self):
        def record(kind, body):
            return struct.pack("=IHH", kind, 1, 8 + len(body)) + body

        def told(time, tid, cpu, what):
            if what[0] == "code":
                name = what[2].encode() + b"\0"
                kind, body = 17, struct.pack("=QIHH", what[1], LEN, 1, what[3]) + name + bytes(-len(name) % 8)
            else:
                kind, body = 18, struct.pack("=HHI", 1 + what[2], 0, what[1]) + bytes(8)
            return time, record(kind, body + struct.pack("=IIQII", 7, tid, time, cpu, 0))
        made = [told(*r) for r in self.records]
        for time, addr, tid, _ in self.samples:
            cpu = self.rnd.randrange(CPUS)
            time = self.clock(time, cpu)
            chain = [-128 & (1 << 64) - 1, addr] + [TEXT + 5] * self.rnd.randint(0, 1)
            made.append((time, record(9, struct.pack("=QIIQIIQ%dQ" % len(chain), addr, 7, tid, time, cpu, 0, len(chain), *chain))))
        kernel = struct.pack("=iIQQQ", -1, 0, TEXT, TEXT_LEN, TEXT) + b"[kernel.kallsyms]_text\0\0"
        data = record(1, kernel + struct.pack("=IIQII", 0, 0, 0, 0, 0)) + b"".join(r for _, r in sorted(made))
        event = struct.pack("=IIQQQQQ", 1, 96, 0, 1000000, SAMPLE, 0, 1 << 18) + bytes(48) + struct.pack("=QQ", 0, 0)
        return b"PERFILE2" + struct.pack("=8Q", 104, 112, 104, 112, 216, len(data), 0, 0) + bytes(32) + event + data

    def symbols(self):
        return "%x T _text\n%x T _stext\n%x T _etext\n" % (TEXT, TEXT, TEXT + TEXT_LEN)

    def recording(self):
        u32, pack = mkarchives.u32, mkarchives.pack
        known = sorted(p["id"] for p in self.progs.values() if p["known"])
        lives = "recorded %d %d\n" % (START, self.end) + "".join("%d %d %s 7 0 copied - a\n" % (
            i, self.progs[i]["load"], {None: "-", 0: "?"}.get(self.progs[i]["gone"], self.progs[i]["gone"])) for i in known)
        members = [("prog/ids", u32(*known)), ("map/ids", b""), ("link/ids", b""), ("btf/ids", b""), ("sys/lives", lives)]
        for i in known:
            p = self.progs[i]
            n = len(p["funcs"])
            members += [("prog/%d/info" % i, mkarchives.prog(i, 1, "p%d" % i, jited=LEN * n, load=p["load"], tag=p["tag"], jited_funcs=n, tags=n)),
                        ("prog/%d/jited_ksyms" % i, pack("%dQ" % n, *[a for a, _ in p["funcs"]])), ("prog/%d/jited_func_lens" % i, u32(*[LEN] * n)),
                        ("prog/%d/prog_tags" % i, b"".join(p["tags"])), ("prog/%d/jited" % i, bytes(LEN * n))]
        members.append(("sys/kallsyms", self.symbols()))
        return mkarchives.archive([m for m in mkarchives.SYSTEM if m[0] != "sys/kallsyms"] + members)


def wrong(h, d):
    """Samples that are in another program, or none, in what is written."""
    for name, data in ("r", h.recording()), ("in", h.perf_file()):
        with open(d + "/" + name, "wb") as f:
            f.write(data)
    r = subprocess.run([LENS, "report", d + "/r", "--perf", d + "/in", "--inject", d + "/out"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if r.returncode not in (0, 5):
        return [r.stderr] * len(h.samples) * len(READERS)
    truth = {(h.clock(t, c), a): n for t, a, _, n in h.samples for c in range(CPUS)}
    out = perfdata.check(d + "/out")
    found = [(truth[(s.time, s.ip)], name) for kcore in READERS for s, name in perfdata.named(out, kcore)]
    unknown = {n for n in h.lost if not h.progs[of(n)]["known"]}  # neither has it
    return [(is_, said) for is_, said in found if of(is_) != of(said) and is_ not in unknown]


def names_of_perf(path, *words):
    """[(address, name)] in the order of time."""
    said = subprocess.run(["perf", "script", "-i", path, "-F", "time,ip,sym", "-G"] + list(words), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    found = re.findall(r"(?m)^ *[0-9.]+: +([0-9a-f]+) (\S+)", said.stdout)
    return [(int(a, 16), None if n == "[unknown]" else n) for a, n in found if int(a, 16) >= BASE]


def same_as_perf(d):
    """perf names what the second reader does, without and with what it reads of /proc/kcore."""
    if not shutil.which("perf"):
        print("skip - perf is not installed (linux-perf)")
        return
    symbols = kcore.write(d, History.symbols(None), [(TEXT, TEXT + TEXT_LEN), kcore.MODULES])
    shutil.copy(symbols, d + "/symbols")  # without a kcore beside it
    for what, words, reader in ("without", [d + "/symbols"], None), ("with", [symbols], "ip"):
        differ, samples = [], 0
        for seed in range(PERFS):
            h = History(random.Random(seed), True)
            wrong(h, d)
            ours = [(s.ip, n) for s, n in perfdata.named(perfdata.check(d + "/out"), reader) if s.ip >= BASE]
            theirs = names_of_perf(d + "/out", "--kallsyms", *words)
            samples += len(theirs)
            differ += [(seed, a, b) for a, b in zip(ours, theirs) if a != b] + ([(seed, len(ours), len(theirs))] if len(ours) != len(theirs) else [])
        ok(samples and not differ, "perf %s /proc/kcore names %d samples as the second reader does" % (what, samples), differ[:10])


def of(name):
    """The number of a program, from its tag or that of a function."""
    return None if name in (None, "bpf_prog_unknown") else int(name[9:11], 16)


def told(d):
    for lossy, most in (False, 0.001), (True, 0.02):  # of few unloads, half late, the clocks are not known; nor is an end that all lost
        bad, samples = [], 0
        for seed in range(HISTORIES):
            h = History(random.Random(seed), lossy)
            samples += len(h.samples) * len(READERS)
            bad += [(seed,) + tuple(w) for w in wrong(h, d)] if h.samples else []
        ok(len(bad) <= most * samples, "%s: %d of %d samples in short-lived programs are not in the program that was there" % (
            "one record in 25 and one program in 10 lost" if lossy else "nothing lost", len(bad), samples), bad[:10])


if sys.byteorder == "little":
    with tempfile.TemporaryDirectory() as top:
        told(top)
        same_as_perf(top)
else:
    print("skip - the recordings are of a little-endian machine")
sys.exit(checks.failures > 0)
