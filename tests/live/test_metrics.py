#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""metrics: valid text whose values are those of `prog list` and `map list`; runs only where they are counted; the file for a collector; live and saved."""
import collections
import os
import shutil
import stat
import subprocess
import sys

from rawbpf import bpf
from world import Run, World, finish, isolate, ok, skip

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from openmetrics import as_json, parse  # noqa: E402

isolate()
ENABLE_STATS = 32
PROG = {"run_time_ns": "bpf_prog_run_seconds_total", "run_cnt": "bpf_prog_runs_total", "recursion_misses": "bpf_prog_recursion_misses_total",
        "verified_insns": "bpf_prog_verified_instructions", "bytes_memlock": "bpf_prog_memory_bytes"}
MAP = {"entries": "bpf_map_entries", "max_entries": "bpf_map_max_entries", "bytes_memlock": "bpf_map_memory_bytes"}


def read(r, what, old=False):
    """The samples of an output; an empty one is a failure."""
    try:
        values = parse(r.out, old)
    except ValueError as e:
        values, r.out = {}, ("%s\n" % e).encode() + r.out
    ok(values and r.status in (0, 5), what + ": valid text", r)
    return values


def expected(docs, names, labels):
    """The samples of these records: equal label sets are summed."""
    found = collections.defaultdict(int)
    for d in docs:
        have = frozenset((k, str(d[k])) for k in labels if d.get(k) not in (None, ""))
        for key, name in names.items():
            if d.get(key) is not None and (d[key] or key != "verified_insns"):
                found[name, have] += d[key]
        if "recursion_misses" in names:
            found["bpf_prog_recursion_misses_total", have] += 0  # a counter begins with 0
    return {k: v / 1e9 if "seconds" in k[0] else v for k, v in found.items()}


def differ(want, values):
    return ["%s: %s, not %s" % (k, values.get(k), v) for k, v in want.items() if values.get(k) is None or abs(values[k] - v) > 1e-6 * (v if "seconds" in k[0] else 0)]


def live(w):
    values = read(w.run("metrics", "--ids", "--entries"), "live")
    steady = {k: v for k, v in PROG.items() if k not in ("run_time_ns", "run_cnt", "recursion_misses")}
    progs = [d for d in w.run("-j", "prog", "list").json if d["id"] in w.ids("prog")]
    maps = [d for d in w.run("-j", "map", "list", "-o", "id,name,type,max_entries,entries,bytes_memlock").json if d["id"] in w.ids("map") and d["name"] != "exits"]
    want = expected(progs, steady, ("name", "type", "tag", "id"))
    want.update(expected(maps, MAP, ("name", "type", "id")))
    wrong = differ(want, values)
    ok(not wrong and len(progs) > 20 and len(maps) > 20, "%d programs and %d maps have the values of the lists" % (len(progs), len(maps)), "\n".join(wrong))
    kinds = {dict(labels)["kind"] for name, labels in values if name == "bpf_objects"}
    ok({"prog", "map", "link"} <= kinds, "objects of all kinds", kinds)


def saved(w):
    """All that is in an archive, so that nothing changes meanwhile."""
    path = w.dir + "/state.tar.gz"
    w.run("save", path)
    docs = {kind: Run([w.lens, "-j", "--from", path, kind, "list", "-o", columns]).json for kind, columns in
            (("prog", "id,name,type,tag,run_time_ns,run_cnt,recursion_misses,verified_insns,bytes_memlock"), ("map", "id,name,type,max_entries,bytes_memlock"))}
    values = read(Run([w.lens, "--from", path, "metrics"]), "saved")
    want = expected(docs["prog"], PROG, ("name", "type", "tag"))
    want.update(expected(docs["map"], {k: v for k, v in MAP.items() if k != "entries"}, ("name", "type")))
    wrong = differ(want, values) + ["%s: not in the lists" % (k,) for k in values if k[0].startswith(("bpf_prog_", "bpf_map_")) and k not in want]
    ok(not wrong and len(want) < 5 * len(docs["prog"]) + 3 * len(docs["map"]), "saved: sums of equal labels, and nothing else", "\n".join(wrong))
    ls = collections.Counter((d["place"], d["what"]) for d in Run([w.lens, "-j", "--from", path, "ls", "-o", "place,what"]).json)
    got = {(dict(labels)["place"], dict(labels)["what"]): v for (name, labels), v in values.items() if name == "bpf_attachments"}
    ok(got == dict(ls), "saved: attachments are counted as ls lists them", (got, ls))
    ok(as_json(Run([w.lens, "-j", "--from", path, "metrics"]).json) == values, "saved: JSON has the same samples")
    ok(read(Run([w.lens, "--from", path, "metrics", "--format", "prometheus"]), "the older format", True) == values, "saved: the older format has the same samples")


def runs(w):
    """Runs are there of programs that ran while they were counted; others have no series, unless the setting is on."""
    ran, idle = (w.one("prog", name)["id"] for name in ("l_tc", "l_not_gpl"))
    with open("/proc/sys/kernel/bpf_stats_enabled") as f:
        enabled = int(f.read())

    def counted():
        values = parse(w.run("metrics", "--ids").out)
        ok(values.get(("bpf_stats_enabled", frozenset())) == enabled, "the setting", enabled)
        return {int(dict(labels)["id"]): v for (name, labels), v in values.items() if name == "bpf_prog_runs_total"}
    try:
        fd = bpf(ENABLE_STATS, b"\0" * 4)
    except OSError as e:
        return skip("the kernel cannot count runs: %s" % e)
    try:
        before = counted()
        r = w.run("prog", "run", "id", ran, "repeat", 10, "data", "00" * 64)
        after = counted()
    finally:
        os.close(fd)
    listed = {d["id"]: d.get("run_cnt") for d in w.run("-j", "prog", "list", "-o", "id,run_cnt").json}
    got = (before.get(ran, 0), after.get(ran), listed.get(ran))
    ok(r.status == 0 and got[1] is not None and got[0] + 10 <= got[1] <= got[2], "ten runs are counted", got)
    ok(after.get(idle, "none") == (0 if enabled else "none"), "a program that did not run", after.get(idle))


def output(w):
    path = w.dir + "/bpf.prom"
    with open(path, "w") as f:
        f.write("old\n")
    r = w.run("metrics", "--format", "prometheus", "--output", path, preexec_fn=lambda: os.umask(0o022))
    with open(path, "rb") as f:
        text = f.read()
    r.out = text
    values = read(r, "the file", True)
    ok(stat.S_IMODE(os.stat(path).st_mode) == 0o644 and ("bpf_unread_lists", frozenset()) in values, "a collector may read it", oct(os.stat(path).st_mode))
    ok([n for n in os.listdir(w.dir) if n.startswith("bpf.prom")] == ["bpf.prom"], "nothing else is left", os.listdir(w.dir))
    if not shutil.which("promtool"):
        return skip("promtool is not installed")
    p = subprocess.run(["promtool", "check", "metrics"], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    ok(p.returncode == 0, "promtool check metrics", p.stdout.decode())


with World() as w:
    w.make()
    live(w)
    saved(w)
    runs(w)
    output(w)
finish()
