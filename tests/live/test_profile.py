#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""prog profile: runs are counted exactly, nothing stays attached whichever way it ends, and missing support of the kernel or CPU is reported."""
import re
import signal

from measuring import Measuring, run
from world import BUILD, World, finish, isolate, ok, skip, strict_json, until

isolate()
PROGRAMS = 'name == profile_entry || name == profile_exit'


def pinned(w):
    return ["pinned", w.pins + "/x"]


def ours(w):
    """Programs of a profile that are loaded."""
    return w.run("-j", "prog", "list", "-Q", PROGRAMS).json


def profile(w, *words, options=("-j",)):
    return Measuring(w, *options, "prog", "profile", *pinned(w), *words)


def gone(w):
    return until(lambda: not ours(w))


def counts(w):
    with profile(w, "cpu_clock", "page") as p:
        for n in (1, 1000, 77):
            run(w, "x", n)
        status, out, err = p.end()
    recs = strict_json(out)
    ok(status == 0 and not err and [r["metric"] for r in recs] == ["cpu_clock", "page_faults"] and all(r["run_cnt"] == 1078 for r in recs),
       "as many runs as there were", (status, out, err))
    ok(recs[0]["value"] > 1078 and abs(recs[0]["derived"] - recs[0]["value"] / 1078) < 1e-6 and recs[0]["derived_unit"] == "ns per run" and
       recs[0]["enabled"] == recs[0]["running"], "time in total and per run", recs)
    with profile(w, "task_clock", "duration", "1.5", options=()) as p:
        run(w, "x", 9)
        out, err = p.p.communicate(timeout=20)
    ok(p.p.returncode == 0 and re.fullmatch(rb"\n {17}9 run_cnt {13}\n *\d+ task_clock {10}# +[\d.]+ ns per run {20}\n", out),
       "with a duration, and bpftool's rows", (out, err))
    ok(gone(w), "nothing is left")
    for how in (signal.SIGTERM, signal.SIGKILL):
        with profile(w, "cpu_clock") as p:
            ok(len(ours(w)) == 2, "attached")
            p.end(how)
        ok(gone(w), "nothing is left after %s" % how.name)


def hardware(w):
    """The CPU counts cycles, or there is a message."""
    with profile(w, "cycles", "cpu_clock") as p:
        run(w, "x", 5)
        status, out, err = p.end()
    cycles, clock = strict_json(out)
    if status:
        ok(status == 5 and cycles["value"] is None and b"does not count cycles on this CPU" in err and clock["value"] > 0 and clock["run_cnt"] == 5,
           "the CPU does not count cycles: the others are counted", (out, err))
        r = w.run("prog", "profile", *pinned(w), "duration", 1, "instructions", "llc", timeout=20)
        ok(r.status == 1 and "does not count instructions, llc_misses" in r.errors and "cpu_clock" in r.errors and not r.out,
           "none of the given events can be counted", r)
    else:
        ok(cycles["value"] > 0 and cycles["run_cnt"] == 5, "cycles", out)


def refusals(w):
    for words, sentence in (([], "needs at least one metric"), (["cycles", "ins", "l1", "llc", "cpu"], "too many (5) metrics"),
                            (["nonsense"], "unexpected argument 'nonsense'"), (["duration", "0", "cycles"], "is not an interval"),
                            (["cycles", "cycles"], "given twice")):
        r = w.run("prog", "profile", *pinned(w), *words, timeout=20)
        ok(r.status == 2 and sentence in r.errors and not r.out, "refused: " + " ".join(words), r)
    r = w.run("prog", "profile", "id", 4294967295, "cpu_clock", timeout=20)
    ok(r.status == 3 and "no program" in r.errors, "no such program", r)
    bare = [p for p in w.run("-j", "prog", "show").json if p["id"] in w.ids("prog") and not p.get("btf_id") and p.get("jited")]
    if ok(bare, "a program without BTF"):
        r = w.run("prog", "profile", "id", bare[0]["id"], "cpu_clock", timeout=20)
        ok(r.status == 1 and "has no type information (BTF)" in r.errors and "compile it with -g" in r.errors, "has nothing to attach to", r)
    r = w.run("--no-load", "prog", "profile", *pinned(w), "cpu_clock", timeout=20)
    ok(r.status == 1 and "--no-load forbids" in r.errors and "prog stats id" in r.errors, "--no-load", r)


with World() as w:
    w.make()
    made = w.run("prog", "load", BUILD + "/tests/live/run.bpf.o", w.pins + "/x", "only", "lens_socket")
    ok(made.status == 0, "load", made)
    refusals(w)
    probe = w.run("prog", "profile", *pinned(w), "duration", 0.1, "cpu_clock", timeout=20)
    if probe.status:
        ok("fentry, fexit" in probe.errors and "`prog stats id" in probe.errors and probe.status == (4 if "EPERM" in probe.errors else 1) and
           not probe.out and not ours(w), "a kernel that does not attach programs to programs: the reason and the remedy", probe)
        skip("profiles: this kernel does not attach programs to programs")
    else:
        counts(w)
        hardware(w)
finish()
