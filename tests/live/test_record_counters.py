#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""record: the counters of all programs every second. What a recording says of a program of known runs agrees with what the kernel counted; after a kill
they are there up to the last second, and the kernel counts no more."""
import json
import os
import signal
import tempfile

from recordings import begun, counts, recorder
from runs import load, run
from world import BPFLENS, Run, World, finish, isolate, ok, patience, until

isolate()


def saved(path, *words):
    r = Run([BPFLENS, "--ndjson", "--from", path, "prog", "stats"] + [str(word) for word in words])
    return [json.loads(line) for line in r.text.splitlines()], r


def runs(path, prog, *words):
    return sum(rec.get("runs", 0) for rec in saved(path, *words)[0] if rec["id"] == prog)


def has(path, want):
    """Wait until the file has these runs of these programs."""
    return until(lambda: all(runs(path, prog) == n for prog, n in want.items()), patience(20))


def agrees(w, d):
    path, now = d + "/a", d + "/a.partial"
    old, idle = load(w, "a"), load(w, "b")
    run(w, "a", 5)
    r = recorder("-o", path)
    ok(begun(r, now) and counts(r.pid), "the kernel counts while it records")
    kernel = w.run("-j", "prog", "show", "pinned", w.pins + "/a").json.get("run_cnt", 0)
    for n in (1, 1000, 100000):
        run(w, "a", n)
    ok(has(now, {old: 101001, idle: 0}), "a file that is being written has them", saved(now)[1])
    new = load(w, "c")
    run(w, "c", 9)
    ok(has(now, {new: 9}), "and those of a new program", saved(now)[1])
    os.unlink(w.pins + "/c")
    run(w, "a", 3)
    shown = w.run("-j", "prog", "show", "pinned", w.pins + "/a").json
    r.send_signal(signal.SIGINT)
    r.communicate(timeout=patience(60))
    recs, got = saved(path)
    mine = {rec["id"]: rec for rec in recs if rec["id"] in (old, idle, new)}
    ok(got.status in (0, 5) and mine[old]["runs"] == 101004 and not mine[idle]["runs"], "all runs, to the last", got)
    ok(mine[old]["runs"] == shown["run_cnt"] - kernel and mine[old]["runs_ns"] <= shown["run_time_ns"] and mine[old]["name"] == "lens_socket",
       "as the kernel counted", (mine[old], shown))
    ok(abs(mine[old]["runs_per_sec"] - 101004e9 / mine[old]["lapse_ns"]) < 1e-3, "rate", mine[old])
    each, got = saved(path, "interval", 1)
    laps = {rec["time"]: rec["lapse_ns"] for rec in each}
    ok(len(laps) > 1 and all(lapse >= 1e9 for lapse in list(laps.values())[:-1]) and runs(path, old, "interval", 1) == 101004, "intervals have the same sum", got)
    life = [rec for rec in each if rec["id"] == new]
    ok(sum(rec.get("runs", 0) for rec in life) == 9 and life[0]["change"] == "new" and (len(life) == 1 or life[-1].get("change") == "gone" or life[-1]["time"] == max(laps)),
       "a program that came and went", life)
    at = Run([BPFLENS, "--from", path, "--at", "now", "-j", "prog", "stats", "interval", "3600"])
    ok(at.status in (0, 5) and not [rec for rec in at.json if rec["id"] == new] and sum(rec["runs"] for rec in at.json if rec["id"] == old) == 101004,
       "--at: the interval before", at)


def killed(w, d):
    path, prog = d + "/k", load(w, "d")
    r = recorder("-o", path)
    begun(r, path + ".partial")
    run(w, "d", 77)
    ok(has(path + ".partial", {prog: 77}), "before the kill", saved(path + ".partial")[1])
    r.kill()
    r.communicate()
    recs, got = saved(path + ".partial")
    ok(got.status in (0, 5) and runs(path + ".partial", prog) == 77, "after a kill, the runs are in the file", got)


def without(d):
    r = recorder("-o", d + "/n", "--no-counters")
    ok(begun(r, d + "/n.partial") and not counts(r.pid), "--no-counters: the kernel does not count")
    r.send_signal(signal.SIGINT)
    r.communicate(timeout=patience(60))
    recs, got = saved(d + "/n")
    ok(got.status == 3 and not recs and "no counters" in got.errors and "record" in got.errors, "a file without counters says so", got)


with World() as w, tempfile.TemporaryDirectory() as d:
    agrees(w, d)
    killed(w, d)
    without(d)
finish()
