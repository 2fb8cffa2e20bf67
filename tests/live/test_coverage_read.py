#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""prog coverage: counts of functions, blocks and source lines that are known, summed over programs and loads; tracefiles and pages."""
import json
import os
import re
import shutil
import struct
import subprocess

from world import BPFLENS, BUILD, Run, World, finish, isolate, ok, skip

isolate()
OBJ = BUILD + "/tests/live/coverage.bpf.o"
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "coverage.bpf.c")) as f:
    SOURCE = f.read().splitlines()


def lens(*args):
    return Run([BPFLENS] + [str(a) for a in args], timeout=60)


def number(text, nth=1):
    """Of the nth line of the source that has the text."""
    return [i for i, line in enumerate(SOURCE, 1) if text in line][nth - 1]


def functions(*args):
    r = lens("-j", "prog", "coverage", *args)
    return r, {f["func"]: f for f in r.json or []}


with World() as w:
    def load(name):
        r = lens("-j", "prog", "loadall", OBJ, w.pins + "/" + name)
        if not ok(r.status == 0, "loads", r):
            finish()
        return {p: lens("-j", "prog", "show", "pinned", "%s/%s/%s" % (w.pins, name, p)).json for p in ("lens_covered", "lens_covered_too")}

    def run(prog, n, odd, times):
        with open(w.dir + "/ctx", "wb") as f:
            f.write(struct.pack("=II", n, odd))
        for _ in range(times):
            r = lens("prog", "run", "id", prog["id"], "ctx_in", w.dir + "/ctx")
            if r.status:
                ok(False, "runs", r)

    one, two = load("one"), load("two")
    ids = [str(p["id"]) for p in list(one.values()) + list(two.values())]
    of_map = [m for m in one["lens_covered"]["map_ids"] if lens("-j", "map", "show", "id", m).json.get("name", "").startswith(".data.cov")]
    ok(len(of_map) == 1, "the map of counters", of_map)

    r, f = functions("id", ids[0])
    ok(r.status == 0 and f["lens_covered"]["hits"] == 0 and f["lens_covered"]["blocks_hit"] == 0 and f["lens_covered"]["blocks_total"] == 4 and
       f["lens_covered"]["lines_percent"] == 0 and f["lens_half"]["blocks_total"] == 3, "nothing ran", r)
    ok("counters are not in these programs" in r.errors, "counters of others", r)

    run(one["lens_covered"], 5, 8, 3)     # else; even
    run(one["lens_covered"], 500, 9, 2)   # if; odd
    run(one["lens_covered_too"], 7, 0, 1)  # odd
    r, f = functions("map", "id", of_map[0], "--lines")
    ok(r.status == 0 and {n: (x.get("hits"), x.get("blocks_hit"), x.get("blocks_total")) for n, x in f.items()} ==
       {"lens_covered": (5, 4, 4), "lens_half": (6, 3, 3), "lens_covered_too": (1, 1, 1), "lens_uncounted": (None, None, None)}, "counts of one load, with a function of both programs once", r)

    def line_runs(func, num):
        return [x["hits"] for x in f[func]["source_lines"] if x["line_num"] == num]

    known = {("lens_covered", number("n > 100")): 5, ("lens_covered", number("lens_large++")): 2, ("lens_covered", number("lens_small++")): 3,
             ("lens_half", number("lens_odd++")): 3, ("lens_half", number("n / 2")): 6, ("lens_half", number("n & 1")): 6,
             ("lens_covered_too", number("lens_uncounted(in->n)")): 1}
    wrong = {k: line_runs(*k) for k, n in known.items() if line_runs(*k) != [n]}
    ok(not wrong, "each line has its count", "%s\n%s" % (wrong, r.out))
    ok(all(x["src"] == SOURCE[x["line_num"] - 1].strip() and x["file"].endswith("coverage.bpf.c") for y in f.values() for x in y.get("source_lines", [])), "text and file of lines", r)
    ok(all(y["lines_total"] == len(y["source_lines"]) and y["lines_hit"] == sum(x["hits"] > 0 for x in y["source_lines"]) for y in f.values() if "hits" in y), "numbers of lines", r)

    run(two["lens_covered"], 5, 8, 4)
    r, f = functions(*[x for i in ids for x in ("id", i)], "--lines")
    ok(f["lens_covered"]["hits"] == 9 and f["lens_half"]["hits"] == 10 and line_runs("lens_covered", number("lens_small++")) == [7] and
       f["lens_covered"]["blocks_total"] == 4, "two loads are added", r)
    r, f = functions("map", "name", ".data.coverage")
    ok(r.status in (0, 5) and f["lens_covered"]["hits"] >= 9, "all maps of the name", r)
    r, f = functions("id", ids[2])
    ok(f["lens_covered"]["blocks_hit"] == 3 and f["lens_covered"]["hits"] == 4 and f["lens_half"]["blocks_hit"] == 2, "one load alone", r)

    text = lens("prog", "coverage", "id", ids[2], "--lines").out.decode()
    ok(re.search(r"^lens_covered: lines \d+ of \d+  blocks 3 of 4  hits 4 .*coverage.bpf.c:\d+$", text, re.M) and
       re.search(r"^\t +0 +%d  lens_large\+\+;$" % number("lens_large++"), text, re.M), "lines as text", text)
    rows = lens("--ndjson", "prog", "coverage", "id", ids[2]).out.decode().splitlines()
    ok(len(rows) == 2 and all("func" in json.loads(x) for x in rows), "NDJSON", rows)

    info, page = w.dir + "/lens.info", w.dir + "/lens.html"
    r = lens("prog", "coverage", "id", ids[0], "id", ids[1], "--lcov", info, "--html", "--output", page)
    with open(info) as f:
        trace = f.read()
    ok(r.status == 0 and trace.count("SF:") == 1 and "\nFNDA:5,lens_covered\n" in trace and "\nFNF:3\nFNH:3\n" in trace and
       "\nDA:%d,3\n" % number("lens_small++") in trace and trace.endswith("end_of_record\n"), "the tracefile", trace)
    with open(page) as f:
        html = f.read()
    ok("lens_small++;" in html and html.count("<section") == 4 and html.rstrip().endswith("</html>"), "the page", html[-500:])
    for tool, args, want in (("lcov", ["--summary", info], r"lines\.*: *[0-9.]+% \(\d+ of \d+ lines\)"),
                             ("genhtml", [info, "-o", w.dir + "/html"], r"lines\.*: *[0-9.]+% \(\d+ of \d+ lines\)")):
        if not shutil.which(tool):
            skip(tool + " is not installed")
            continue
        with open(info, "w") as f:
            f.write(re.sub(r"SF:.*", "SF:" + os.path.join(os.path.dirname(os.path.abspath(__file__)), "coverage.bpf.c"), trace))
        done = subprocess.run([tool] + args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, text=True)
        ok(done.returncode == 0 and re.search(want, done.stdout) and "functions" in done.stdout, tool + " reads it", done.stdout)

    saved = w.dir + "/saved.tar.gz"
    ok(lens("save", saved, "--map-data").status == 0, "saves")
    live, old = lens("-j", "prog", "coverage", "id", ids[0], "--lines"), lens("-j", "--from", saved, "prog", "coverage", "id", ids[0], "--lines")
    ok(live.out == old.out and live.status == old.status == 0, "an archive", old)
    bare = w.dir + "/bare.tar.gz"
    ok(lens("save", bare).status == 0, "saves without contents")
    r = lens("--from", bare, "prog", "coverage", "id", ids[0])
    ok(r.status and "its contents were not saved" in r.errors and "--map-data" in r.errors, "an archive without contents", r)

    # An object that was not written for it. Lines of code that the verifier removed are not known, and hit no other block.
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "covered.bpf.c")) as f:
        SOURCE = f.read().splitlines()
    r = lens("gen", "object", w.dir + "/counted.o", BUILD + "/tests/live/covered.bpf.o", "--coverage")
    ok(r.status == 0 and lens("prog", "load", w.dir + "/counted.o", w.pins + "/counted").status == 0, "an object with counters loads", r)
    for n, times in ((1, 3), (5, 2), (6, 1)):
        run(lens("-j", "prog", "show", "pinned", w.pins + "/counted").json, n, 1, times)
    r, f = functions("pinned", w.pins + "/counted", "--lines")
    f = f["lens_removed"]
    runs = {x["line_num"]: x["hits"] for x in f["source_lines"]}
    ok(f["hits"] == 6 and {t: runs.get(number(t)) for t in ("n == 5", "n == 6", "n < 4", "lens_small++", "lens_sum += 5", "lens_sum += 9")} ==
       {"n == 5": 6, "n == 6": 6, "n < 4": 5, "lens_small++": 3, "lens_sum += 5": None, "lens_sum += 9": None} and "verifier removed" in r.errors,
       "lines of an object with counters", r)

    other = lens("-j", "prog", "loadall", BUILD + "/tests/live/run.bpf.o", w.pins + "/other")
    r = lens("prog", "coverage", "pinned", w.pins + "/other/lens_xdp")
    ok(other.status == 0 and r.status and "has no counters" in r.errors and "--coverage" in r.errors, "a program without counters", r)
    r = lens("prog", "coverage", "map", "name", "no_such_map_here")
    ok(r.status == 3, "no such map", r)
    r = lens("prog", "coverage", "id", ids[0], "--lcov", w.dir + "/none/x.info")
    ok(r.status and w.dir + "/none" in r.errors, "a file that cannot be written", r)
finish()
