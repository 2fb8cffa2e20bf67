#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What record costs: calls of bpf(2) that load or create something, CPU time, and what it leaves out for that: features, a second copy of the symbols,
elements of maps while samples are taken, run counts that nobody took."""
import json
import os
import re
import resource
import signal
import sys
import tarfile
import tempfile

from rawbpf import map_create, prog_load
from recordings import LOADER, begun, lists, members, recorder, unpacked
from world import BPFLENS, STRACE, Run, finish, isolate, ok, patience, sanitized, skip, until

isolate(alone="what others load is in the recording")
MOST_CALLS = 40
MOST_MS = 60
MOST_WHOLE_MS = 300  # besides that of the command, and 1 for each program and map of others
# The CPU time of its parent from its beginning to its end, and its own, in ms.
TIMES = """
import os, resource, subprocess
def ms():
    with open("/proc/%d/schedstat" % os.getppid()) as f:
        return int(f.read().split()[0]) / 1e6
a = ms()
subprocess.run(["sleep", "1"])
print("meanwhile %.1f" % (ms() - a))
own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print("own %.1f" % (1000 * sum(u.ru_utime + u.ru_stime for u in own)))
"""


def calls(d):
    path = d + "/calls"
    left = [m["id"] for m in json.loads(Run([BPFLENS, "-j", "map", "list"]).out)]
    r = Run(STRACE + ["-f", "-e", "trace=bpf", "-e", "signal=none", "-o", path, BPFLENS, "record", "-o", d + "/traced", "--", "sleep", "1"])
    if not os.path.exists(path) or "bpf(" not in open(path, errors="replace").read():
        return skip("calls of bpf(2): strace cannot trace here")
    text = open(path, errors="replace").read()
    n = {name: len(re.findall(r"\bbpf\(BPF_%s\b" % name, text)) for name in ("PROG_LOAD", "MAP_CREATE", "BTF_LOAD", "LINK_CREATE", "RAW_TRACEPOINT_OPEN", "ITER_CREATE")}
    print("# " + ", ".join("%d %s" % (count, name) for name, count in n.items()))
    ok(r.status in (0, 5) and sum(n[name] for name in ("PROG_LOAD", "MAP_CREATE", "BTF_LOAD", "LINK_CREATE")) <= MOST_CALLS,
       "at most %d calls of bpf(2) load or create something" % MOST_CALLS, (n, r))
    # Some kernels keep an array of programs for ever whose last descriptor was closed while another process listed it.
    made = [[m["id"] for m in json.loads(Run([BPFLENS, "--from", d + "/traced", "-j", kind, "list", "-Q", what]).out) if m["id"] not in left]
            for kind, what in (("prog", "name == poke"), ("map", 'name =~ "^bpflens.slots"'))]
    ok(made == [[], []], "what the recorder tries by itself is not in the recording", made)


def cpu(d):
    if sanitized():
        return skip("CPU time: not with sanitizers")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = Run([BPFLENS, "record", "-o", d + "/timed", "--", sys.executable, "-c", TIMES])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    m = re.search(r"meanwhile ([\d.]+)", r.text)
    own = re.search(r"own ([\d.]+)", r.text)
    whole = 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) - float(own.group(1) if own else 0)
    objects = sum(len(json.loads(Run([BPFLENS, "--from", d + "/timed", "-j", kind, "list"]).out)) for kind in ("prog", "map"))
    print("# CPU time beside the command: %d ms, with %d programs and maps" % (whole, objects))
    ok(own and whole <= (MOST_WHOLE_MS + objects) * patience(1), "the whole recording: at most %d ms of CPU, and 1 for each object" % MOST_WHOLE_MS, r)
    if not os.path.exists("/proc/self/schedstat"):
        return skip("CPU time while the command runs: not in /proc")
    return ok(m and float(m.group(1)) <= MOST_MS * patience(1), "while the command sleeps: %s ms of CPU" % (m and m.group(1)), r)


def features(d):
    r = Run([BPFLENS, "--from", d + "/timed", "feature"])
    ok(r.status == 5 and "record --features" in r.errors, "a recording does not have features, and says how it would", r)
    made = Run([BPFLENS, "record", "--features", "-o", d + "/features", "--", "true"])
    saved, live = (Run([BPFLENS] + words + ["-j", "feature"]) for words in (["--from", d + "/features"], []))
    ok(made.status in (0, 5) and json.loads(saved.out)["program_types"] == json.loads(live.out)["program_types"], "--features: they are those of the kernel", (made, saved))


def written(path, name):
    """How often an answer is in a file."""
    with unpacked(path) as f, tarfile.open(fileobj=f, mode="r:") as t:
        return sum(m.name == name for m in t)


def symbols(d):
    r = Run([BPFLENS, "record", "-o", d + "/quiet", "--", "true"])
    if "0 programs loaded" in r.errors and not bytes(members(d + "/quiet").get("sys/code", b"")):
        ok(written(d + "/quiet", "sys/kallsyms") == 1, "the symbols are written once if none was added", r)
    else:
        skip("symbols: others loaded programs")
    r = recorder("-o", d + "/busy")
    begun(r, d + "/busy.partial")
    fd = prog_load("socket_filter", "stays", 1)
    tag = re.search(r"^prog_tag:\s*(\w+)", open("/proc/self/fdinfo/%d" % fd).read(), re.M).group(1)
    until(lambda: lists(d + "/busy.partial") > 2, patience(20))
    r.send_signal(signal.SIGINT)
    r.communicate(timeout=patience(60))
    os.close(fd)
    ok("bpf_prog_%s_stays" % tag in bytes(members(d + "/busy")["sys/kallsyms"]).decode() or not jit_symbols(), "a program that stays is among them")


def jit_symbols():
    with open("/proc/sys/net/core/bpf_jit_kallsyms") as f:
        return f.read() == "1\n"


def sampled(d):
    """Several files: elements are counted for the last one only."""
    hash_map = map_create(1, 4, 4, 8, "counted")
    Run([BPFLENS, "record", "-F", "99", "-o", d + "/s", "--max-size", "1M", "--", LOADER, "500", "2", "30"])
    os.close(hash_map)
    with_counts = ["sys/map_counts" in members(d + "/" + name) for name in sorted(os.listdir(d)) if re.fullmatch(r"s(\.\d+)?", name)]
    ok(len(with_counts) > 1 and with_counts == [False] * (len(with_counts) - 1) + [True], "while samples are taken, elements of maps are not counted", with_counts)


def counts(d):
    fd = prog_load("socket_filter", "uncounted", 1)
    ident = re.search(r"^prog_id:\s*(\d+)", open("/proc/self/fdinfo/%d" % fd).read(), re.M).group(1)
    for words, want in ((["--no-counters"], None), ([], 0)):
        Run([BPFLENS, "record", "-o", d + "/counts"] + words + ["--", "sleep", "0.1"])
        r = Run([BPFLENS, "--from", d + "/counts", "-j", "report", "--all", "-Q", "id == " + ident])
        rows = json.loads(r.out)["programs"]
        ok(len(rows) == 1 and rows[0]["run_cnt"] is want, "runs %s: %s" % (" ".join(words) or "with counters", want), r)
    os.close(fd)


with tempfile.TemporaryDirectory() as where:
    tried = Run([BPFLENS, "record", "-o", where + "/try", "--", "true"])
    if tried.status == 4:
        skip("record: " + tried.errors.strip())
        finish()
    calls(where)
    cpu(where)
    features(where)
    symbols(where)
    counts(where)
    sampled(where)
finish()
