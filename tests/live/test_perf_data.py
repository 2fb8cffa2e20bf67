#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""report --perf: with `perf record -a` at the same time, addresses in short-lived programs, which perf cannot name, are named from the recording;
whichever of the two is started first."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

from world import BPFLENS, Run, finish, isolate, lock, ok, patience, skip


def frames(text):
    """{(thread, address): names} of frames in the kernel, from `perf script`."""
    found, thread = {}, None
    for line in text.splitlines():
        m = re.match(r"\t *([0-9a-f]{16}) (.*)", line)
        if m and m.group(1).startswith("ffff"):
            # perf has another tag for programs that were loaded before.
            found.setdefault((thread, m.group(1)), []).append(re.sub("^bpf_prog_[0-9a-f]{16}_", "bpf_prog: ", m.group(2).split("+0x")[0]))
        elif line and line[0] not in "\t ":
            m = re.search(r" -?\d+/(-?\d+) +\[\d+\] ", line)
            thread = int(m.group(1)) & 0xffffffff if m else None
    return found


def annotated(what, rec, data, prog):
    """annotate --perf shows each instruction of a program with perf's samples in it."""
    r = Run([BPFLENS, "-j", "annotate", rec, "id", str(prog["id"]), "--perf", data])
    a = json.loads(r.out) if r.status == 0 else {}
    counts = [i["samples"] for f in a.get("funcs", []) for i in f["insns"]]
    ok(a and a["perf_event"] == "cpu-clock" and a["samples"] == prog["samples"] == sum(counts) > 0 and a["hottest_insns"][0]["samples"] == max(counts),
       "%s: annotate --perf: %d samples at instructions" % (what, sum(counts)), (prog, r))
    ok("addresses in BPF programs" in r.errors, what + ": and the number of known addresses", r.errors)
    r = Run([BPFLENS, "annotate", rec, "id", str(prog["id"])])
    ok(r.status == 1 and "record -F" in r.errors, what + ": a recording without samples of its own", r)


def compared(what, rec, data):
    r = Run([BPFLENS, "-j", "report", rec, "--perf", data])
    if not ok(r.status == 0, what + ": report --perf", r):
        return
    all_, resolved = r.json["addresses_bpf"], r.json["addresses_resolved"]
    moments = [p for p in r.json["programs"] if p.get("name", "").startswith("moment_")]
    ok(all_ >= 200 and resolved >= all_ * 0.99, "%s: %d addresses in BPF programs, %d resolved" % (what, all_, resolved), r.errors)
    ok("%d addresses in BPF programs, %d of them resolved, %d not" % (all_, resolved, all_ - resolved) in r.errors, what + ": and it reports the numbers", r.errors)
    ok(len(moments) >= 10 and all(p["gone"] for p in moments), "%s: %d programs that are gone" % (what, len(moments)))
    annotated(what, rec, data, max(moments, key=lambda p: p["samples"]))
    ours = frames(Run([BPFLENS, "report", rec, "--perf", data, "--perf-script"]).text)
    # perf may stop early at records that it cannot read: addresses that it did not print are not compared.
    script = subprocess.run(["perf", "script", "-i", data, "-F", "comm,pid,tid,cpu,time,event,ip,sym,symoff,dso"], capture_output=True, timeout=patience(200))
    theirs, unnamed, named, same = frames(script.stdout.decode(errors="replace")), 0, 0, Counter()
    for key, names in ours.items():
        known = [n for n in theirs.get(key, []) if not n.startswith("[unknown]")]
        if not any(re.match(r"bpf_prog: |\[unknown", n) for n in names):
            continue
        left = len(names) - len(known)
        unnamed += left
        named += min(left, sum(not n.startswith("[unknown") for n in names))
        same.update(n in names for n in known)
    ok(unnamed == 0 or named >= unnamed * 0.99, "%s: of %d addresses that perf left unknown, %d are named" % (what, unnamed, named), script.stderr.decode()[-300:])
    # The kernel extends records for each listener: if perf was started first, it reads wrong times of programs.
    if what == "perf last":
        ok(same[True] >= same[False] * 99, "%s: addresses that perf names have the same name" % what, same)
    folded = Run([BPFLENS, "report", rec, "--perf", data, "--folded"])
    ok(folded.status == 0 and re.search(r"(?m)^python3;.*;bpf_prog_[0-9a-f]{16}_moment_\d+ \d+$", folded.text), what + ": folded", folded)


def both(what, d, first, second, data):
    made = subprocess.run(first + ["--"] + second + ["--", sys.executable, os.path.dirname(os.path.abspath(__file__)) + "/moments.py", "3"], capture_output=True, text=True, timeout=patience(200))
    if not os.path.exists(data) or not os.path.getsize(data):
        return skip("%s: perf record: %s" % (what, made.stderr.strip().splitlines()[-1:]))
    compared(what, d + "/r", data)


def refused(d):
    Run(["perf", "record", "-a", "-e", "cpu-clock", "-o", d + "/alone", "--", "sleep", "0.2"])
    r = Run([BPFLENS, "report", d + "/r", "--perf", d + "/alone"])
    ok(r.status == 1 and ("cannot be compared" in r.errors or "of the time of the recording" in r.errors), "perf at another time", r)
    with open(d + "/pipe", "wb") as f:
        subprocess.run(["perf", "record", "-e", "cpu-clock", "-o", "-", "--", "true"], stdout=f, stderr=subprocess.DEVNULL, timeout=patience(60))
    r = Run([BPFLENS, "report", d + "/r", "--perf", d + "/pipe"])
    ok(r.status == 1 and "written to a pipe" in r.errors and "-o FILE" in r.errors, "perf output of a pipe", r)


isolate()
lock("moments.py")  # its programs are found by name, and perf and the recording see those of the whole machine
if not shutil.which("perf"):
    skip("perf is not installed (linux-perf)")
    finish()
with tempfile.TemporaryDirectory() as top:
    record, perf = [BPFLENS, "record", "-o", top + "/r"], ["perf", "record", "-e", "cpu-clock", "-F", "4000", "-a", "-g", "-o"]
    both("perf first", top, perf + [top + "/p1"], record, top + "/p1")
    os.unlink(top + "/r")
    both("perf last", top, record, perf + [top + "/p2"], top + "/p2")
    refused(top)
finish()
