#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""headers.py BPFTOOL BPFLENS FILE...: for each object file for which bpftool makes a skeleton, a subskeleton or a light skeleton, bpflens
also makes one, with the same maps, programs, links and sizes of variables; its linked files do not change if they are linked again. A line
for each that differs, and a summary; status 1: some differ. Nothing is loaded."""
import collections
import filecmp
import os
import re
import subprocess
import sys
import tempfile

FORMS = (("skeleton",), ("subskeleton",), ("skeleton", "-L"))


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=60)


def linked(tool, path, out):
    """Link twice, as the kernel's Makefile does, and use the result."""
    names = [out + str(n) for n in range(3)]
    for source, name in zip([path] + names, names):
        r = run(tool, "gen", "object", name, source)
        if r.returncode:
            return r.stderr
    return "" if filecmp.cmp(names[1], names[2], shallow=False) else "linking it again changes it"


def declares(text):
    """The names that users of a header use."""
    parts = [re.findall(r"struct bpf_%s (\*?\w+);" % kind, text) for kind in ("map", "program", "link", "map_desc", "prog_desc")]
    return parts + [re.findall(r"sizeof\(s->([\w.\[\]]+)\) == (\d+)", text)]


def main(bpftool, bpflens, *paths):
    tally, bad = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as d:
        for path in paths:
            name = re.sub(r"\W", "_", os.path.basename(path).split(".")[0])
            said = linked(bpflens, path, d + "/ours."), linked(bpftool, path, d + "/theirs.")
            tally["linked"] += not said[0]
            if said[0] and not said[1]:
                bad += 1
                print("%s: gen object: %s" % (path, said[0].strip()))
            if any(said):
                continue
            for form in FORMS:
                theirs, ours = (run(t, "gen", *form, "%s/%s.2" % (d, who), "name", name) for t, who in ((bpftool, "theirs"), (bpflens, "ours")))
                word = " ".join(form)
                made = not theirs.returncode and theirs.stdout != ""  # it succeeds on arenas, without a message
                tally["%s: bpftool" % word] += made
                tally["%s: bpflens" % word] += not ours.returncode
                if not made:
                    continue
                if ours.returncode:
                    what = ours.stderr.strip().splitlines()[-1:]
                else:
                    what = [(a, b) for a, b in zip(declares(ours.stdout), declares(theirs.stdout)) if sorted(a) != sorted(b)]
                if what:
                    bad += 1
                    print("%s: %s: %s" % (path, word, what))
    for k, n in sorted(tally.items()):
        print("# %d\t%s" % (n, k))
    return 1 if bad else 0


sys.exit(main(*sys.argv[1:]))
