#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""prog stats: counts are exact, programs come and go, and the kernel stops counting when the command ends in any way."""
import json
import os
import re
import shlex
import signal
import subprocess

from recordings import counts
from runs import load, run
from world import World, finish, isolate, ok, skip, until

isolate()
SYSCTL = "/proc/sys/kernel/bpf_stats_enabled"


def others_count():
    return any(counts(pid) for pid in filter(str.isdigit, os.listdir("/proc")))


class Stats:
    def __init__(self, w, *words, options=("--ndjson",)):
        self.p = subprocess.Popen([w.lens] + list(options) + ["prog", "stats"] + [str(word) for word in words], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, bufsize=0)
        self.records = []

    def __enter__(self):
        until(lambda: counts(self.p.pid) or self.p.poll() is not None)
        return self

    def __exit__(self, *unused):
        if self.p.poll() is None:
            self.p.kill()
        self.p.communicate()

    def first(self):
        """The first line: the reading before it is complete then."""
        return json.loads(self.p.stdout.readline() or b"null")

    def wait(self, done):
        """Read lines until @done(records)."""
        for line in iter(self.p.stdout.readline, b""):
            self.records.append(json.loads(line))
            if done(self.records):
                break

    def end(self, how=signal.SIGINT):
        self.p.send_signal(how)
        out, err = self.p.communicate(timeout=10)
        return self.records + [json.loads(line) for line in out.splitlines()], err


def total(w, name):
    return w.run("-j", "prog", "show", "pinned", w.pins + "/" + name).json.get("run_cnt", 0)


def runs(recs, prog):
    return sum(r.get("runs", 0) for r in recs if r["id"] == prog)


def exact(w):
    prog, other = load(w, "a"), load(w, "b")
    with Stats(w, "interval", 0.3) as s:
        s.first()
        before = total(w, "a")
        for n in (1, 1000, 77):
            run(w, "a", n)
        run(w, "b", 5)
        s.wait(lambda recs: runs(recs, prog) == 1078 and runs(recs, other) == 5)
        grown = total(w, "a") - before
        run(w, "a", 3)  # which only the last reading, after the interrupt, has
        recs, err = s.end()
    mine = [r for r in recs if r["id"] == prog]
    ok(s.p.returncode == 0 and not err, "an interrupt ends it with status 0", (s.p.returncode, err))
    ok(grown == 1078 and sum(r["runs"] for r in mine) == 1081 and sum(r["runs"] for r in recs if r["id"] == other) == 5,
       "as many runs as there were", (grown, mine))
    ok(all(r["runs_ns"] > 0 and r["run_avg_ns"] == r["runs_ns"] // r["runs"] and
           abs(r["runs_per_sec"] - r["runs"] * 1e9 / r["lapse_ns"]) < 1e-3 and
           abs(r["cpu_percent"] - r["runs_ns"] * 100 / r["lapse_ns"]) < 1e-3 and r["name"] == "lens_socket"
           for r in mine if r["runs"]), "time, average, rate and share", mine)
    ok(all("run_avg_ns" not in r and r["runs_per_sec"] == 0 for r in mine if not r["runs"]), "without runs there is no average", mine)
    for words in (("id", prog), ("name", "lens_socket"), ("pinned", w.pins + "/a")):
        r = w.run("-j", "prog", "stats", *words, "interval", 0.1, "--count", 2)
        want = {prog, other} if words[0] == "name" else {prog}
        shown = [rec["id"] for rec in r.json if rec["id"] in (prog, other) or words[0] != "name"]  # others may have the name
        ok(r.status == 0 and sorted(shown) == sorted(2 * list(want)), "only " + words[0], r)


def comes_and_goes(w):
    old = load(w, "c")
    with Stats(w, "interval", 0.3) as s:
        s.first()
        new = load(w, "d")
        run(w, "d", 9)
        s.wait(lambda recs: runs(recs, new) == 9)
        os.unlink(w.pins + "/c")
        s.wait(lambda recs: any(r["id"] == old and r.get("change") == "gone" for r in recs))
        recs, _ = s.end()
    mine = [r for r in recs if r["id"] == new]
    ok([r.get("change") for r in mine].count("new") == 1 and sum(r["runs"] for r in mine) == 9, "a program that is loaded meanwhile", mine)
    mine = [r for r in recs if r["id"] == old]
    ok(mine and mine[-1].get("change") == "gone" and "runs" not in mine[-1] and not any("change" in r for r in mine[:-1]), "one that is unloaded meanwhile", mine)
    prog = load(w, "e")
    with Stats(w, "id", prog, "interval", 0.2) as s:
        s.first()
        os.unlink(w.pins + "/e")
        out, err = s.p.communicate(timeout=10)
    ok(s.p.returncode == 0 and json.loads(out.splitlines()[-1]).get("change") == "gone" and not err, "the only program is unloaded: the command ends", (out, err))


def leaves_nothing(w):
    was = open(SYSCTL).read()
    for how in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with Stats(w, "interval", 60, "--count", 1) as s:
            ok(counts(s.p.pid) and open(SYSCTL).read() == was, "the kernel counts, but the setting is off")
            before = total(w, "a")
            run(w, "a", 4)
            ok(total(w, "a") == before + 4, "so runs are counted", (before, total(w, "a")))
            s.end(how)
        before = total(w, "a")
        run(w, "a", 4)
        if was.strip() == "0" and not others_count():
            ok(total(w, "a") == before, "and not after %s" % how.name)
    ok(open(SYSCTL).read() == was, "the setting is unchanged")


def text(w):
    r = w.run("prog", "stats", "id", w.run("-j", "prog", "show", "pinned", w.pins + "/a").json["id"], "interval", 0.1, "--count", 1)
    lines = r.text.splitlines()
    ok(r.status == 0 and len(lines) == 3 and " 1 program in 0.1" in lines[0] and lines[1].split()[:3] == ["ID", "TYPE", "NAME"], "a table", r)
    r = w.run("prog", "stats", "interval", 0.1, "--count", 1, "-o", "name,cpu_percent", "--sort", "name", "-Q", "cpu_percent < 0.5 && name == lens_socket")
    ok(r.status == 0 and r.text.splitlines()[1].split() == ["NAME", "CPU%"] and "lens_socket" in r.text, "columns and a filter", r)
    for words, status, sentence in ((["id", 4294967295], 3, "no program with id 4294967295"), (["interval", "0"], 2, "is not an interval"),
                                    (["-Q", "nonsense"], 2, "nonsense"), (["name", "no_such_program"], 3, "no program with name")):
        r = w.run("prog", "stats", *words)
        ok(r.status == status and sentence in r.errors and not r.out, "refused: %s" % words[0], r)
    r = w.as_user("prog", "stats", "--count", 1)
    ok(r.status == 4 and "the kernel refuses to count" in r.errors, "without privilege", r)


def on_terminal(w, *words):
    line = shlex.join([w.lens, "prog", "stats", "interval", "0.1", "--count", "1"] + list(words))
    return subprocess.run(["script", "-qec", line, "/dev/null"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, universal_newlines=True,
                          env=dict(os.environ, TERM="xterm", BPFLENS_COLORS="heading=91:kind=92:id=93:name=94")).stdout


def idle(w):
    """On a terminal, programs that do not run are only counted, unless they are asked for."""
    name = w.run("-j", "prog", "show", "pinned", w.pins + "/a").json["name"]
    shown, asked, chosen = on_terminal(w), on_terminal(w, "pinned", w.pins + "/a"), on_terminal(w, "-Q", "name == " + name)
    ok(re.search(r"\d+ programs?(, \d+ (new|gone))*, \d+ idle in ", shown) and name not in shown, "idle programs are counted", shown)
    ok(name in asked and name in chosen and " idle" not in asked + chosen, "and listed if they are asked for", asked + chosen)
    ok("\033[91m" in asked and re.search("\033\\[93m *\\d+\033\\[0m *\033\\[92m\\w+\033\\[0m *\033\\[94m" + name, asked), "headings, ids, types and names have their colours", asked)


with World() as w:
    probe = w.run("prog", "stats", "interval", 0.1, "--count", 1)
    if "Linux 5.8" in probe.errors:
        skip("this kernel can count by the setting only")
        finish()
    exact(w)
    comes_and_goes(w)
    leaves_nothing(w)
    text(w)
    idle(w)
finish()
