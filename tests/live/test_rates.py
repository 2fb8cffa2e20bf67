#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Two programs run at known rates while others come and go: top, prog stats, metrics and a recording agree on rates and shares of the CPU, and no
program is counted twice or under another's name.
"""
import json
import mmap
import os
import signal
import struct
import subprocess
import sys
import threading
import time

from rawbpf import ENABLE_STATS, bpf, counted, object_id, opens, prog_load, test_run
from recordings import begun, recorder
from world import World, finish, isolate, number, ok, patience, skip, until

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from openmetrics import parse  # noqa: E402

isolate()
RUNS, TICK = {"rate_fast": 100, "rate_slow": 10}, 0.01  # each tick, in seconds
SLICE = 50  # programs that come and go together: not too many are freed at once
SECONDS = 8  # at least


class Load:
    """A process that runs the two programs at a steady rate: what it is late, it makes up for."""

    def __init__(self, fds):
        self.ticks = mmap.mmap(-1, 8)
        self.pid = os.fork()
        if not self.pid:
            self.work(fds)

    def work(self, fds):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        except OSError:
            pass  # it is more often late
        due, n, parent, wake = time.monotonic(), 0, os.getppid(), threading.Event()
        while os.getppid() == parent:
            for name, times in RUNS.items():
                test_run(fds[name], times)
            n += 1
            struct.pack_into("<Q", self.ticks, 0, n)
            due += TICK
            wake.wait(max(0, due - time.monotonic()))
        os._exit(0)

    def count(self):
        return struct.unpack_from("<Q", self.ticks, 0)[0]

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


class Stream:
    """A command that prints an object for each program after each interval, read as it comes."""

    def __init__(self, w, *words):
        self.p = subprocess.Popen([w.lens, "--ndjson"] + list(words) + ["-Q", "name =~ '^(rate|churn)_'"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.records, self.runs = [], {}
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        for line in self.p.stdout:
            r = json.loads(line)
            self.records.append(r)
            self.runs[r["id"]] = self.runs.get(r["id"], 0) + r.get("runs", 0)

    def end(self):
        self.p.send_signal(signal.SIGINT)
        self.thread.join(patience(30))
        return self.p.wait(patience(10)) in (0, 5)


def costs(records):
    """name -> runs in a second, and the part of a CPU that they take."""
    sums = {name: [0, 0, 0] for name in RUNS}
    for r in records:
        if r["name"] in sums and "runs" in r:
            sums[r["name"]] = [a + b for a, b in zip(sums[r["name"]], (r["runs"], r["runs_ns"], r["lapse_ns"]))]
    return {name: (runs * 1e9 / lapse, ns / lapse) if lapse else (0, 0) for name, (runs, ns, lapse) in sums.items()}


class Reading:
    """A moment's counters: of the test, of the kernel itself, and of metrics."""

    def __init__(self, w, fds, load=None):
        self.at, self.ticks = time.monotonic(), load and load.count()
        self.kernel = {name: counted(fd) for name, fd in fds.items()}
        started = time.monotonic()
        self.values = parse(w.run("metrics", "--limit", "1000000").out)
        self.read_at = (started + time.monotonic()) / 2

    def value(self, metric, name):
        return [v for (what, labels), v in self.values.items() if what == metric and dict(labels).get("name") == name]

    def kernel_costs(self, before):
        return {name: tuple((b - a) / s / (self.at - before.at) for a, b, s in zip(before.kernel[name], self.kernel[name], (1, 1e9))) for name in RUNS}

    def metrics_costs(self, before):
        return {name: tuple((sum(self.value(m, name)) - sum(before.value(m, name))) / (self.read_at - before.read_at)
                            for m in ("bpf_prog_runs_total", "bpf_prog_run_seconds_total")) for name in RUNS}


def come_and_go(w, streams, n):
    """
    Programs, each with a name and a number of runs of its own, that stay until both streams have seen their runs, and others that go at once.
    Returns id -> (name, runs, whether it stays).
    """
    known, bad = {}, []
    for first in range(0, n, SLICE):
        for i in range(first, first + SLICE, 10):
            fd = prog_load("socket_filter", "churn_b%d" % i, i)
            test_run(fd, 9)
            known[object_id(fd)] = ("churn_b%d" % i, 9, False)
            os.close(fd)
        fds = [prog_load("socket_filter", "churn_%d" % i, i) for i in range(first, min(first + SLICE, n))]
        here = {object_id(fd): ("churn_%d" % i, i % 7 + 1, True) for i, fd in enumerate(fds, first)}
        for fd, (_, runs, _) in zip(fds, here.values()):
            test_run(fd, runs)
        known.update(here)
        until(lambda: all(s.runs.get(i) == here[i][1] for s in streams for i in here), patience(20))
        if not first:
            m = Reading(w, {})
            bad += [name for name, runs, _ in here.values() if m.value("bpf_prog_runs_total", name) != [runs]]
        while fds:
            os.close(fds.pop())
        until(lambda: not any(opens("prog", i) for i in here))
    ok(not bad, "metrics: each of the first %d has its runs and its name" % min(n, SLICE), bad)
    return known


def own_counts(what, records, known, whole):
    runs, wrong = {}, []
    for r in records:
        if r["id"] in known:
            runs[r["id"]] = runs.get(r["id"], 0) + r.get("runs", 0)
        if r.get("name", "").startswith("churn_") and known.get(r["id"], ("",))[0] != r["name"]:
            wrong.append(r)
    wrong += [(i, known[i], n) for i, n in runs.items() if n > known[i][1] or (whole and known[i][2] and n < known[i][1])]
    stayed = sum(stays for _, _, stays in known.values())
    seen = sum(known[i][2] for i in runs)
    ok(not wrong and (seen == stayed if whole else seen), "%s: %d of %d programs that came and went have their own runs and names" % (what, seen, stayed), wrong[:5])


def agree(found, load_rate):
    """The kernel's counters, read by the test, are the measure."""
    kernel = found.pop("kernel")
    # In an emulated machine, metrics takes seconds, and no two runs as long.
    rates, shares = (0.2, 0.5) if patience(1) > 15 else (0.02, 0.05)
    for name, times in RUNS.items():
        rate, share = kernel[name]
        ok(abs(rate / (times * load_rate) - 1) < rates, "%s: %.0f runs/s, as the test makes them" % (name, rate), times * load_rate)
        for what, got in found.items():
            off = [x / y - 1 for x, y in zip(got[name], (rate, share))]
            ok(abs(off[0]) < rates and abs(off[1]) < shares, "%s, %s: %.0f runs/s (%+.1f %%), %.2f %% of a CPU (%+.1f %%)" %
               (name, what, got[name][0], 100 * off[0], 100 * got[name][1], 100 * off[1]), (name, kernel, got))


def measure(w, fds):
    path = w.dir + "/rates.rec"
    keep = bpf(ENABLE_STATS, b"\0" * 4)  # metrics reads what is counted
    load = Load(fds)
    try:
        r = recorder("-o", path)
        if not ok(begun(r, path + ".partial"), "a recording has begun"):
            return
        streams = [Stream(w, "top", "--interval", "1"), Stream(w, "prog", "stats", "interval", "1")]
        until(lambda: all(s.records for s in streams), patience(20))
        before = Reading(w, fds, load)
        known = come_and_go(w, streams, number("PROGRAMS", 200))
        until(lambda: time.monotonic() - before.at > SECONDS)
        after = Reading(w, fds, load)
        ok(all(s.end() for s in streams), "both end by an interrupt")
        r.send_signal(signal.SIGINT)
        r.communicate(timeout=patience(60))
    finally:
        load.end()
        os.close(keep)
    saved = [json.loads(line) for line in w.run("--ndjson", "--from", path, "top", "-Q", "name =~ '^(rate|churn)_'").text.splitlines()]
    agree({"kernel": after.kernel_costs(before), "top": costs(streams[0].records), "prog stats": costs(streams[1].records),
           "metrics": after.metrics_costs(before), "recording": costs(saved)}, (after.ticks - before.ticks) / (after.at - before.at))
    own_counts("top", streams[0].records, known, True)
    own_counts("prog stats", streams[1].records, known, True)
    own_counts("recording", saved, known, False)
    ok(not any(dict(labels).get("name", "").startswith("churn_") for _, labels in after.values), "metrics: they are gone")


with World() as w:
    try:
        fds = {"rate_fast": prog_load("socket_filter", "rate_fast", 0, 0, 3000), "rate_slow": prog_load("socket_filter", "rate_slow", 0, 0, 60000)}
        os.close(bpf(ENABLE_STATS, b"\0" * 4))
    except OSError as e:
        skip("programs cannot be made or counted here: %s" % e)
        finish()
    measure(w, fds)
finish()
