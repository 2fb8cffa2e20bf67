#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""prog stats --histogram: each run is counted once with its time, nothing stays attached whichever way it ends, and what cannot be measured is
reported."""
import json
import re
import signal
import subprocess

from measuring import Measuring, run
from world import BUILD, World, finish, isolate, ok, skip, strict_json, until

isolate()
PROGRAMS = 'name == times_entry || name == times_exit'


def pinned(w, name):
    return ["pinned", w.pins + "/" + name]


def ours(w):
    return w.run("-j", "prog", "list", "-Q", PROGRAMS).json


def histogram(w, name, *words, options=("-j",)):
    return Measuring(w, *options, "prog", "stats", *pinned(w, name), "--histogram", *words)


def measured(w, name, *runs):
    """The record of these runs: pairs of a number and the size of the packet."""
    with histogram(w, name) as m:
        for times, size in runs:
            run(w, name, times, size)
        status, out, err = m.end()
    recs = strict_json(out)
    return recs[0] if ok(status == 0 and not err and len(recs) == 1, "one record, at the interrupt", (status, out, err)) else finish()


def counts(w):
    r = measured(w, "lens_tail", (1, 64), (1000, 64), (77, 64))
    rows = r["buckets"]
    ok(r["runs"] == 1078 and "untimed" not in r and sum(b["count"] for b in rows) == 1078, "as many runs as there were", r)
    ok(0 < r["p50_ns"] <= r["p99_ns"] <= r["max_ns"] and r["run_avg_ns"] <= r["max_ns"] and r["max_ns"] <= r["lapse_ns"], "times", r)
    ok(all(b["hi"] == 2 * b["lo"] - 1 for b in rows if b["lo"]) and rows[-1]["lo"] <= r["max_ns"] <= rows[-1]["hi"], "powers of two", r)
    ok(r["name"] == "lens_tail" and r["type"] == "socket_filter" and r["id"] == w.run("-j", "prog", "show", *pinned(w, "lens_tail")).json["id"],
       "which program", r)


def times(w):
    """The loop of a long packet takes 25 times as long as that of a short one."""
    short, long, mixed = (measured(w, "lens_tail", *runs) for runs in (((1000, 60),), ((1000, 1500),), ((700, 60), (300, 1500))))
    ok(long["p50_ns"] > 3 * short["p50_ns"], "longer runs take longer", (short, long))
    ok(mixed["runs"] == 1000 and mixed["p50_ns"] < long["p50_ns"] / 2 and mixed["p99_ns"] > long["p50_ns"] / 2, "percentiles of a mixture", (short, long, mixed))


def beside(w):
    """Runs of several processes at once."""
    line = [w.lens, "prog", "run", *pinned(w, "lens_tail"), "data", "00" * 200, "repeat", "2000"]
    with histogram(w, "lens_tail") as m:
        for p in [subprocess.Popen(line, stdout=subprocess.DEVNULL) for _ in range(6)]:
            ok(p.wait(60) == 0, "runs beside others")
        _, out, _ = m.end()
    r = strict_json(out)[0]
    ok(r["runs"] + r.get("untimed", 0) == 12000 and r["runs"] > 11900, "all are counted", r)


def intervals(w):
    with histogram(w, "lens_tail", "interval", "0.5", options=("--ndjson",)) as m:
        recs = [json.loads(m.p.stdout.readline())]
        run(w, "lens_tail", 300)
        while sum(r["runs"] for r in recs) < 300:
            recs.append(json.loads(m.p.stdout.readline()))
        run(w, "lens_tail", 5)  # which the last reading has, or the one before
        status, out, err = m.end()
    recs += [json.loads(line) for line in out.splitlines()]
    ok(status == 0 and not err and sum(r["runs"] for r in recs) == 305, "each record has the runs since the previous one", recs)
    ok(all("p50_ns" not in r and r["buckets"] == [] for r in recs if not r["runs"]), "without runs there are no times", recs)
    r = w.run("prog", "stats", *pinned(w, "lens_tail"), "--histogram", "interval", 0.1, "--count", 2, timeout=20)
    ok(r.status == 0 and len(re.findall(r"(?m)^\d+: socket_filter  name lens_tail  0 runs in 0\.\d\ds\n\(nothing counted\)$", r.text)) == 2,
       "text, as often as wanted", r)
    with histogram(w, "lens_tail", options=()) as m:
        for how in (signal.SIGSTOP, signal.SIGCONT, signal.SIGWINCH):
            m.p.send_signal(how)
        run(w, "lens_tail", 1)
        _, out, _ = m.end(signal.SIGTERM)
    ok(re.fullmatch(rb"\d+: socket_filter  name lens_tail  1 run in [\d.]+s\n\taverage (\d+)ns  p50 \d+ns  p99 \d+ns  max \1ns\n\[.*\) +1 \|@+\|\n", out),
       "text of one run", out)


def tail_calls(w):
    r = measured(w, "lens_head", (100, 1500))
    inner = measured(w, "lens_tail", (100, 1500))
    ok(r["runs"] == 100 and r["p50_ns"] > inner["p50_ns"] / 2, "the program of a tail call is part of the time", (r, inner))
    with histogram(w, "lens_tail") as m:
        run(w, "lens_head", 100, 1500)
        _, out, _ = m.end()
    ok(strict_json(out)[0]["runs"] == 0, "and has no runs of its own", out)


def ends(w):
    for how in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with histogram(w, "lens_tail") as m:
            ok(len(ours(w)) == 2, "attached")
            m.end(how)
        ok(until(lambda: not ours(w)), "nothing is left after %s" % how.name)


def refusals(w):
    for words, sentence in (([], "--histogram is of one program: name it"), (["id", 1, "--count", 0], "parse 0 as N"),
                            (pinned(w, "lens_tail") + ["-o", "runs"], "mutually exclusive"), (pinned(w, "lens_tail") + ["interval", 0], "is not an interval")):
        r = w.run("prog", "stats", "--histogram", *words, timeout=20)
        ok(r.status == 2 and sentence in r.errors and not r.out, "refused: %s" % words, r)
    r = w.run("prog", "stats", "id", 4294967295, "--histogram", timeout=20)
    ok(r.status == 3 and "no program" in r.errors, "no such program", r)
    bare = [p for p in w.run("-j", "prog", "show").json if p["id"] in w.ids("prog") and not p.get("btf_id") and p.get("jited")]
    if ok(bare, "a program without BTF"):
        r = w.run("prog", "stats", "id", bare[0]["id"], "--histogram", timeout=20)
        ok(r.status == 1 and "has no type information (BTF)" in r.errors and "compile it with -g" in r.errors, "has nothing to attach to", r)
    r = w.run("--no-load", "prog", "stats", *pinned(w, "lens_tail"), "--histogram", timeout=20)
    ok(r.status == 1 and "--no-load forbids" in r.errors and "prog stats id" in r.errors, "--no-load", r)


with World() as w:
    w.make()
    made = w.run("prog", "loadall", BUILD + "/tests/live/times.bpf.o", w.pins, "pinmaps", w.pins)
    ok(made.status == 0, "load", made)
    refusals(w)
    probe = w.run("prog", "stats", *pinned(w, "lens_tail"), "--histogram", "interval", 0.1, "--count", 1, timeout=20)
    if probe.status:
        ok("fentry, fexit" in probe.errors and "`prog stats id" in probe.errors and probe.status == (4 if "EPERM" in probe.errors else 1) and
           not probe.out and not ours(w), "a kernel that does not attach programs to programs: the reason and the remedy", probe)
        skip("histograms: this kernel does not attach programs to programs")
    else:
        counts(w)
        times(w)
        beside(w)
        intervals(w)
        tail_calls(w)
        ends(w)
finish()
