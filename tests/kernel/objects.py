#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""objects.py [--load-only] BPFTOOL BPFLENS FILE...: bpflens loads and attaches from each object file what bpftool does, and shows,
dumps and unpins it; otherwise it refuses with a message; nothing is left in either case. Attaching needs its own machine, because
objects of the kernel's selftests attach anywhere. BPFLENS is called by the name bpftool. A line per file, and a summary; status 1: they differ."""
import collections
import json
import os
import sys
import tempfile

from loading import NEXT_ID, ids, load, pins, run


def seen(tool, tally):
    """What bpflens loaded is shown, listed, dumped and unpinned."""
    for path in pins()[:3]:  # a process is slow in an emulated machine
        for kind, words in (("prog", ("show",)), ("link", ("show",)), ("prog", ("dump", "xlated"))):
            r = run(tool, "-j", kind, *words, "pinned", path)
            if r and not r.returncode:
                json.loads(r.stdout)
                tally[kind + " " + words[0]] += 1
    for kind in NEXT_ID:
        for _ in range(25):  # what a command loads for itself is freed a moment after it
            before = ids(kind)
            r = run(tool, "-j", kind, "list")
            there = before & ids(kind)
            fits = r and r.returncode == 0 and there <= {(kind, x["id"]) for x in json.loads(r.stdout)}
            if fits:
                break
        tally[kind + " list" if fits else "a list of %ss that is not whole" % kind] += 1


def main(*words):
    ways = ((),) if words[0] == "--load-only" else ((), ("autoattach",))
    bpftool, bpflens, *paths = words[len(ways) == 1:]
    with tempfile.TemporaryDirectory() as d:
        os.symlink(os.path.abspath(bpflens), d + "/bpftool")
        return compare(bpftool, d + "/bpftool", ways, paths)


def compare(bpftool, bpflens, ways, paths):
    tally, shown, bad = collections.Counter(), collections.Counter(), 0
    for path in paths:
        name = os.path.basename(path)
        for words in ways:
            theirs, theirs_left, _ = load(bpftool, path, words)
            if theirs is None:
                tally["slow"] += 1
                print("slow\t%s\t%s" % (name, " ".join(("loadall",) + words)), flush=True)
                break
            ours, left, named = load(bpflens, path, words, lambda: seen(bpflens, shown))
            what = "loadall" + "".join(" " + w for w in words)
            refused = ours is not None and not ours.startswith(("ok", "no sentence"))
            fits = not left and (ours == theirs if theirs.startswith("ok") else refused or ours.startswith("ok"))
            tally["%s: theirs %s, ours %s" % (what, *(how if how and how.startswith("ok") else "refused" for how in (theirs, ours)))] += 1
            for who, n in (("theirs", theirs_left), ("ours", left), ("arrays of programs, others' objects", named)):
                tally["%s: left by %s" % (what, who)] += len(n)
            bad += not fits
            print("%s\t%s\t%s\t%s\t%s\t%s" % ("same" if fits else "DIFFERS", name, what, theirs, ours, "; ".join(left + named)), flush=True)
    for k, n in sorted(tally.items()) + sorted(shown.items()):
        print("# %d\t%s" % (n, k))
    return 1 if bad or any("not whole" in k for k in shown) else 0


sys.exit(main(*sys.argv[1:]))
