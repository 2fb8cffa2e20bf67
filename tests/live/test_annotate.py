#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""prog annotate: the instruction and source line in which a program spends its time are named."""
import os
import re
import shutil
import signal
import subprocess
import tempfile

from world import BUILD, World, blocked, finish, isolate, lock, ok, patience, skip, strict_json

isolate()
lock("moments.py")  # test_perf_inject.py loads heat.bpf.o, too
HOT = "sum = ~sum / by + 12345; /* hot */"
LOOP = "for (int i = 0; i < 4096; i++) {"
# QEMU without KVM checks for interrupts at jumps only.
EMULATED = "QEMU TCG" in open("/proc/cpuinfo").read()
PLACES = (HOT, LOOP) if EMULATED else (HOT,)


class Running:
    """Run the program in a loop."""
    def __init__(self, w, path):
        self.words = [w.lens, "prog", "run", "pinned", path, "data", "00" * 64, "repeat", "20000"]
        self.sh = None

    def __enter__(self):
        self.sh = subprocess.Popen(["sh", "-c", 'while "$@"; do :; done', "sh"] + self.words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        return self

    def __exit__(self, *unused):
        os.killpg(self.sh.pid, signal.SIGKILL)
        self.sh.wait()


def insns(a):
    return [i for f in a["funcs"] for i in f["insns"]]


def hot(w, path):
    with Running(w, path):
        r = w.run("-j", "prog", "annotate", "pinned", path, "--seconds", 2, timeout=60)
        plain = w.run("--color", "never", "prog", "annotate", "pinned", path, "--seconds", 1, "-F", 499, "linum", timeout=60)
        painted = w.run("--color", "always", "prog", "annotate", "pinned", path, "--seconds", 1, timeout=60)
        drawn = w.run("prog", "annotate", "pinned", path, "--seconds", 1, "visual", timeout=60)
    text, painted = plain.out.decode(), painted.out.decode()
    a = strict_json(r.out)
    if not ok(r.status == 0 and a["samples"] >= 20 and a["samples_all"] >= a["samples"] and a["hz"] == 999 and a["samples_lost"] == 0 and
              a["perf_event"] in ("cycles", "cpu-clock") and 1.9e9 < a["duration_ns"] < patience(6) * 1e9, "samples of two seconds", (r.status, r.errors, a)):
        return
    ok(a["hottest_lines"][0]["src"] in PLACES and a["hottest_lines"][0]["percent"] > 60, "the hottest line", a["hottest_lines"])
    first, code = a["hottest_insns"][0], insns(a)
    counts = [i["samples"] for i in code]
    ok(first["src"] in PLACES and first["samples"] == max(counts) and sum(counts) == a["samples"] and
       sum(i.get("line_samples") or 0 for i in code) == a["samples"], "the instructions have all samples", (first, a["samples"], counts))
    ok(all(x["samples"] >= y["samples"] for x, y in zip(a["hottest_insns"], a["hottest_insns"][1:])), "hottest first", a["hottest_insns"])
    if EMULATED:
        skip("the hottest instruction: this CPU is emulated, and interrupted at jumps only")
    elif "disasm" in first:
        at = [i["pc"] for i in code].index(first["pc"])
        # A timer interrupts after the slow instruction.
        ok(any(re.match(r"u?div", i["disasm"]) for i in code[max(at - 1, 0):at + 1]), "the division, or the instruction after it", first)
    else:
        skip("the hottest instruction: no disassembler")
    ok(plain.status == 0 and " at 499 Hz" in text and "\nhottest instructions:\n" in text and "\nhottest lines:\n" in text and "\x1b" not in text,
       "plain text", (plain.status, text))
    ok(re.search(r"(?m)^ *\d+ +\d+\.\d% ##########  ", text) and re.search(r"(?m)^ *\d+ +\d+\.\d% {12}; sum = .*line_num:\d+", text),
       "figures, bars, lines", text)
    dot = drawn.out.decode()
    fills = dict(re.findall(r'(?m)^\t(fn_\d+_bb_\d+) \[fillcolor="(#\w+)"\];$', dot))
    hot_nodes = re.findall(r'(?s)\t(fn_\d+_bb_\d+) \[shape=record,style=filled,label="\{(?:up to )?([\d.]+)% of the samples\\l[^"]*?; sum\\ =', dot)
    if EMULATED:
        skip("the block of the hottest line: this CPU is emulated")
    else:
        ok(drawn.status == 0 and hot_nodes and float(hot_nodes[0][1]) > 60 and fills[hot_nodes[0][0]] == "#f16c4b" and len(set(fills.values())) > 1,
           "the block of the hottest line is red", (drawn.status, drawn.errors, dot[:3000]))
    if shutil.which("dot"):
        ok(subprocess.run(["dot", "-Tsvg"], input=drawn.out, stdout=subprocess.DEVNULL).returncode == 0, "Graphviz draws it")
    ok("\x1b[" in painted and re.sub(r"\x1b\[[\d;]*m", "", painted).count("##########") >= 1, "colour", painted[:500])


def cold(w, path):
    """The program does not run, and an interrupt ends the command."""
    p = subprocess.Popen([w.lens, "-j", "prog", "annotate", "pinned", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    blocked(p)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=patience(30))
    a = strict_json(out)
    ok(p.returncode == 0 and a["samples"] == 0 and a["hottest_insns"] == [] and insns(a) and b"has no samples" in err, "a program that does not run",
       (p.returncode, out[:300], err))


def refused(w, path):
    r = w.run("prog", "annotate", "pinned", path, "--seconds", 1, "-F", 100000000, timeout=20)
    ok(r.status == 1 and "EINVAL" in r.errors and "perf_event_max_sample_rate" in r.errors and not r.out, "too many samples", r)
    r = w.run("prog", "annotate", "id", 4294967295, "--seconds", 1, timeout=20)
    ok(r.status == 3 and "no program" in r.errors, "no such program", r)
    bare = [p["id"] for p in w.run("-j", "prog", "show").json if not p["jited"]]
    if bare:
        r = w.run("prog", "annotate", "id", bare[0], "--seconds", 1, timeout=20)
        ok(r.status == 5 and "not compiled to machine code" in r.errors and b": (95) exit" in r.out, "a program that is interpreted", r)


def recorded(w):
    """From the recording, as an ordinary user: the same for a program that was unloaded before the end."""
    path, rec, work = w.pins + "/gone", tempfile.mkdtemp() + "/r.rec", '"$0" prog load %s "$1" only lens_heat && "$0" prog run pinned "$1" data %s repeat 60000; rm "$1"'
    r = w.run("record", "-o", rec, "-F", 999, "--", "sh", "-c", work % (BUILD + "/tests/live/heat.bpf.o", "00" * 64), w.lens, path, timeout=100)
    # 5: programs of others may be incomplete.
    if not ok(r.status in (0, 5) and " samples" in r.errors, "record -F", r):
        return
    os.chmod(os.path.dirname(rec), 0o755)
    os.chmod(rec, 0o644)
    as_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all", w.lens]

    def user(*words):
        return subprocess.run(as_user + list(words), capture_output=True, timeout=patience(60))
    top = user("-j", "report", rec)
    # While others count runs, programs without samples are listed too, as the one that is pinned.
    rows = [p for p in strict_json(top.stdout)["programs"] if p.get("name") == "lens_heat" and p["gone"]]
    if not ok(top.returncode in (0, 5) and len(rows) == 1 and rows[0]["samples"] >= 20 and rows[0]["life_ns"] > 0,
              "report, as an ordinary user", (top.returncode, top.stdout[-1500:], top.stderr)):
        return
    a = strict_json(user("-j", "annotate", rec, "id", str(rows[0]["id"])).stdout)
    ok(a["samples"] == rows[0]["samples"] and a["hottest_lines"][0]["src"] in PLACES and a["hottest_lines"][0]["percent"] > 60 and
       a["hottest_insns"][0]["src"] in PLACES, "annotate, as an ordinary user", a["hottest_insns"])
    folded = user("report", rec, "--folded").stdout.decode()
    counts = [int(line.rsplit(" ", 1)[1]) for line in folded.splitlines() if re.search(r";bpf_prog_[0-9a-f]{16}_lens_heat \d+$", line)]
    ok(sum(counts) == a["samples"] and sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines()) == a["samples_all"], "all samples are in the stacks",
       (counts, a["samples"]))
    script = user("report", rec, "--perf-script").stdout.decode()
    ok(script.count("\n\n") == a["samples_all"] and re.search(r"(?m)^\t[0-9a-f]{16} bpf_prog_[0-9a-f]{16}_lens_heat\+0x", script), "as perf script", script[:300])
    shutil.rmtree(os.path.dirname(rec))


with World() as w:
    w.make()
    for name in ("lens_heat", "lens_cold"):
        made = w.run("prog", "load", BUILD + "/tests/live/heat.bpf.o", w.pins + "/" + name, "only", name)
        ok(made.status == 0, "load", made)
    refused(w, w.pins + "/lens_heat")
    hot(w, w.pins + "/lens_heat")
    cold(w, w.pins + "/lens_cold")
    recorded(w)
finish()
