#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""report --inject and --perf-data: perf(1) names the programs of a recording, each at its time. A second reader of the format checks each file.
PERFS="perf /path/to/another/perf" names the programs to read them with."""
import hashlib
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections import Counter

from world import BPFLENS, BUILD, Run, finish, isolate, lock, number, ok, patience, skip

import kcore
import perfdata

PROGRAMS = number("PERF_PROGRAMS", 500)
HOT = "lens_heat"
TRIES = 4  # a busy machine may not copy a program before it is gone
PERFS = [p for p in os.environ.get("PERFS", "perf").split() if shutil.which(p)]


def perf(tool, *args):
    return subprocess.run([tool] + list(args), capture_output=True, timeout=patience(200), stdin=subprocess.DEVNULL)


def script(tool, path, *words):
    """The names of what the samples in the kernel were in, from `perf script`: Counter, and the addresses in their stacks without a name."""
    found, unknown, depth = Counter(), set(), 0
    for line in perf(tool, "script", "-i", path, "-F", "tid,time,ip,sym", *words).stdout.decode(errors="replace").splitlines():
        words = line.split()
        if line.endswith(": "):
            depth = 0
        elif words and depth >= 0 and words[0].startswith("ffff") and len(words[0]) == 16:
            name, depth = " ".join(words[1:]), depth + 1
            found.update([name] if depth == 1 else ())
            unknown.update([int(words[0], 16)] if name.startswith("[unknown]") else ())
        else:
            depth = -1  # user space, where the stack has any values
    return found, unknown


def expected(report):
    """{name: samples} of `report`; programs with the same code and name are one for perf."""
    ret = Counter()
    for p in report["programs"]:
        ret["bpf_prog_%s_%s" % (p["tag"], p.get("name", ""))] += p["samples"]
    return ret


def moments(report):
    """Ids; others come and go on the machine."""
    return {p["id"] for p in report["programs"] if p.get("name", "").startswith("moment_")}


def of_ours(names):
    return Counter({n: c for n, c in names.items() if c and n and re.match("bpf_prog_[0-9a-f]{16}_moment_", n)})


def same(what, names, want):
    got = of_ours(names)
    return ok(got == want, what, "samples in %s, by report in %s" % (got - want, want - got))


def is_lossless(data):
    """Of a machine that is busy, perf may have lost records, so that it does not know what was where; the recording does."""
    return not os.path.exists(data) or not os.path.getsize(data) or not perfdata.kinds(open(data, "rb").read())[perfdata.LOST]


def checked(what, path):
    try:
        d = perfdata.check(path)
    except perfdata.Bad as e:
        ok(False, what + ": each record and section is valid", e)
        return None
    ok(not perfdata.late(d, (perfdata.KSYMBOL, perfdata.BPF_EVENT)), what + ": valid; perf gets each load and unload in time")
    ok(stat.S_IMODE(os.stat(path).st_mode) == 0o600, what + ": mode 0600")
    return d


def with_kcore(what, tool, path, d, want):
    """As perf reads the file on a machine that has /proc/kcore, which covers the addresses of programs."""
    symbols = open("/proc/kallsyms").read()
    at = {name: int(a, 16) for a, name in re.findall(r"(?m)^([0-9a-f]+) \w (_stext|_etext)$", symbols)}
    codes = [r.addr for r in d.records if r.kind == perfdata.KSYMBOL]
    if not all(at.get(n) for n in ("_stext", "_etext")):
        return skip(what + ": the kernel's symbols are hidden")
    with tempfile.TemporaryDirectory() as files:
        modules = open("/proc/modules").read() if os.path.exists("/proc/modules") else ""
        spans = [(at["_stext"], at["_etext"]), (min(codes) >> 24 << 24, (max(codes) >> 24) + 1 << 24)]
        found = script(tool, path, "--kallsyms", kcore.write(files, symbols, spans, modules))[0]
    return same(what + ": the same with /proc/kcore", found, want)


def read_by(what, tool, before, after, want, ids):
    """With and without injection."""
    version = perf(tool, "version").stdout.decode().strip()
    what = "%s, %s" % (what, version)
    had = sum(of_ours(script(tool, before)[0]).values()) if before else 0
    found, unknown = script(tool, after)
    same("%s: %d samples in %d programs, as in report; %d without injection" % (what, sum(want.values()), len(want), had), found, want)
    listed = perf(tool, "report", "-i", after, "--header-only").stdout.decode()
    listed = {int(n) for n in re.findall(r"(?m)^# bpf_prog_info (\d+):", listed)}
    ok(ids <= listed, "%s: the header lists %d programs" % (what, len(listed)), sorted(ids - listed)[:10])
    report = perf(tool, "report", "-i", after, "--stdio", "--sort", "sym", "-g", "none")
    shown = set(re.findall(r"\[k\] (bpf_prog_\S+)", report.stdout.decode()))
    ok(set(want) <= shown, what + ": report shows them", (set(want) - shown, report.stderr))
    return unknown


def lines_shown(what, tool, path, symbol):
    """Needs a perf with the disassembler of binutils, which distributions may not link (make BUILD_NONDISTRO=1). perf 6.12 gives back the code of a
    program with each jump in it, and ends at the use of what it freed."""
    r = perf(tool, "annotate", "-i", path, "--stdio", "-l", "-s", symbol)
    version, text = perf(tool, "version").stdout.decode().strip(), r.stdout.decode(errors="replace")
    if b"libopcode" in r.stderr or b"libopcode" in r.stdout or not re.search("libbfd: .*on ", perf(tool, "version", "--build-options").stdout.decode()):
        return skip("%s: %s disassembles no BPF programs" % (what, version))
    if r.returncode == -signal.SIGSEGV and version.startswith("perf version 6.12."):
        return skip("%s: %s ends with a segmentation fault at programs with jumps" % (what, version))
    return ok("/* hot */" in text, "%s, %s: annotate shows the source lines" % (what, version), text[-600:] + r.stderr.decode())


def is_whole(r, rec):
    """Programs of others may be gone before they are copied."""
    lost = {int(n) for n in re.findall(r"of program (\d+)", r.errors)}
    return r.status == 0 or (r.status == 5 and lost and not lost & moments(Run([BPFLENS, "-j", "report", rec, "--all"]).json))


def injected(what, rec, data, out):
    before = hashlib.sha256(open(data, "rb").read()).digest()
    r = Run([BPFLENS, "report", rec, "--perf", data, "--inject", out])
    if not ok(is_whole(r, rec) and not r.out and os.path.exists(out), what + ": report --inject", r):
        return
    ok(hashlib.sha256(open(data, "rb").read()).digest() == before, what + ": the input is not changed")
    report = Run([BPFLENS, "-j", "report", rec, "--perf", data, "--all"]).json
    ids, want = moments(report), of_ours(expected(report))
    d = checked(what, out)
    if not d:
        return
    ok(ids <= set(d.prog), "%s: %d programs with their code" % (what, len(d.prog)), sorted(ids - set(d.prog)))
    for reader in "ip", "chain", None:
        names = Counter(n for s, n in perfdata.named(d, reader))
        same("%s: by its records each sample is in the program of report%s" % (what, ", with /proc/kcore: " + reader if reader else ""), names, want)
    places = Counter(r.addr for r in d.records if r.kind == perfdata.KSYMBOL and not r.flags and "_moment_" in r.name)
    lives = [n for n in places.values() if n > 1]
    ok(sum(lives) >= min(20, len(ids) / 4), "%s: %d of %d programs share %d addresses" % (what, sum(lives), len(ids), len(lives)), places)
    hot = next((n for n in names if n and re.fullmatch("bpf_prog_[0-9a-f]{16}_%s" % HOT, n)), None)
    for tool in PERFS:
        unknown = read_by(what, tool, data, out, want, ids)
        with_kcore(what, tool, out, d, want)
        ours = [a for a in unknown if any(r.addr <= a < r.addr + r.len for r in d.records if r.kind == perfdata.KSYMBOL and "_moment_" in r.name)]
        ok(not ours, what + ": no address in them is unknown", ours)
        if ok(hot, what + ": samples in the program with source lines"):
            lines_shown(what, tool, out, hot)


def both(what, d, first, second, data):
    """Short-lived programs, then one with source lines."""
    pin = "/sys/fs/bpf/inject_%d" % os.getpid()
    lines = "%s prog load %s/tests/live/heat.bpf.o %s only %s && %s prog run pinned %s data %s repeat 100; rm -f %s" % (
        BPFLENS, BUILD, pin, HOT, BPFLENS, pin, "45" * 64, pin)
    work = "%s %s/moments.py 60 %d; %s" % (sys.executable, os.path.dirname(os.path.abspath(__file__)), PROGRAMS, lines)
    for _ in range(TRIES):
        made = subprocess.run(first + ["--"] + second + ["--", "sh", "-c", work], capture_output=True, text=True, timeout=patience(300))
        if " 0 lost" in made.stderr and is_lossless(data):
            break
        os.path.exists(d + "/r") and os.unlink(d + "/r")
    else:
        return skip("%s: the recording or perf lost something: %s" % (what, made.stderr.strip().splitlines()[-2:]))
    if not os.path.exists(data) or not os.path.getsize(data):
        return skip("%s: perf record: %s" % (what, made.stderr.strip().splitlines()[-1:]))
    return injected(what, d + "/r", data, d + "/out")


def exported(d):
    """Our own samples."""
    r = Run([BPFLENS, "record", "-F", "999", "-o", d + "/own", "--", sys.executable, os.path.dirname(os.path.abspath(__file__)) + "/moments.py", "2"],
            timeout=100)
    if r.status not in (0, 5):
        return skip("record -F: " + r.errors)
    r = Run([BPFLENS, "report", d + "/own", "--perf-data", d + "/own.data"])
    if not ok(is_whole(r, d + "/own") and not r.out, "report --perf-data", r):
        return None
    report = Run([BPFLENS, "-j", "report", d + "/own", "--all"]).json
    want, data = of_ours(expected(report)), checked("--perf-data", d + "/own.data")
    if data:
        same("--perf-data: each sample is in the program of report", Counter(n for s, n in perfdata.named(data)), want)
    for tool in PERFS:
        read_by("--perf-data", tool, None, d + "/own.data", want, moments(report))
        with_kcore("--perf-data", tool, d + "/own.data", data, want)
        text = perf(tool, "script", "-i", d + "/own.data", "-F", "comm,tid,time").stdout.decode(errors="replace")
        ok(re.search(r"(?m)^ *python3 ", text), "--perf-data: and in its thread", text[:500])
    return None


def refused(d, rec):
    """Each with a sentence, and without an output."""
    def no(what, data, words, *more):
        r = Run([BPFLENS, "report", rec, "--perf", data, "--inject", d + "/no"] + list(more))
        ok(r.status in (1, 2) and words in r.errors and not os.path.exists(d + "/no"), what, r)
    with open(d + "/pipe", "wb") as f:
        subprocess.run(["perf", "record", "-e", "cpu-clock", "-o", "-", "--", "true"], stdout=f, stderr=subprocess.DEVNULL, timeout=patience(60))
    no("the output of a pipe is refused", d + "/pipe", "written to a pipe")
    perf("perf", "record", "-z", "-a", "-e", "cpu-clock", "-o", d + "/z", "--", "true")
    no("a compressed file is refused", d + "/z", "compressed")
    os.mkdir(d + "/dir")
    no("a directory is refused", d + "/dir", "is a directory")
    perf("perf", "record", "-a", "-e", "cpu-clock", "-o", d + "/late", "--", "true")
    no("a file of another time is refused", d + "/late", "")
    r = Run([BPFLENS, "report", rec, "--perf", d + "/late", "--inject", d + "/late"])
    ok(r.status == 2 and "both the output and an input" in r.errors, "the input is not replaced", r)
    r = Run([BPFLENS, "report", rec, "--perf", d + "/late", "--inject", "/dev/stdout"])
    ok(r.status in (1, 2) and not r.out, "a stream is refused", r)


isolate()
lock("moments.py")  # its programs are found by name, and perf and the recording see those of the whole machine
if not shutil.which("perf"):
    skip("perf is not installed (linux-perf)")
    finish()
with tempfile.TemporaryDirectory() as top:
    record, sampling = [BPFLENS, "record", "-o", top + "/r"], ["perf", "record", "-e", "cpu-clock", "-F", "4000", "-a", "-g", "-o"]
    both("perf last", top, record, sampling + [top + "/p2"], top + "/p2")
    os.unlink(top + "/r")
    both("perf first", top, sampling + [top + "/p1"], record, top + "/p1")
    exported(top)
    refused(top, top + "/r")
finish()
