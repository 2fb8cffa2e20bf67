#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""verify.py VERISTAT BPFLENS FILE...: `prog verify` gives each program of each object file the verdict and the figures that the kernel's veristat gives
it, its lines add up, and it takes no longer than 1.5 times as long. A line for each program that differs, and a summary; status 1: some differ."""
import collections
import csv
import io
import json
import os
import subprocess
import sys
import time

LIMIT = 300  # seconds for one file on an emulated machine
UNVERIFIED = (False, 0, 0, 0)  # veristat gives maps of sizes that some types do not have
FIGURES = {"total_insns": "insns", "total_states": "states", "peak_states": "peak_states"}


def timed(*words):
    """The output, and the seconds; None: too slow."""
    began = time.monotonic()
    try:
        r = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=LIMIT, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, LIMIT
    return r, time.monotonic() - began


def theirs(tool, path):
    r, seconds = timed(tool, "-o", "csv", "-e", "file,prog,verdict," + ",".join(FIGURES), path)
    rows = csv.DictReader(io.StringIO(r.stdout[max(r.stdout.find("file_name,"), 0):])) if r and "file_name," in r.stdout else []
    return {row["prog_name"]: (row["verdict"] == "success", *(int(row[f]) for f in FIGURES)) for row in rows}, seconds


def ours(tool, path):
    r, seconds = timed(tool, "-j", "prog", "verify", path)
    rows = json.loads(r.stdout) if r and r.stdout.startswith("[") else []
    return {row["prog_name"]: (row["verification"] == "accepted", *(row.get(f, 0) for f in FIGURES.values())) for row in rows if "prog_name" in row}, seconds


def sums_of_lines(tool, path):
    r, _ = timed(tool, "-j", "prog", "verify", path, "--lines")
    rows = json.loads(r.stdout) if r and r.stdout.startswith("[") else []
    return {row["prog_name"]: sum(line["insns"] for line in row.get("lines", [])) for row in rows if "prog_name" in row}


def main(veristat, bpflens, *paths):
    tally, spent = collections.Counter(), collections.Counter()
    for path in paths:
        (a, slow_a), (b, slow_b) = theirs(veristat, path), ours(bpflens, path)
        spent.update(theirs=slow_a, ours=slow_b)
        for name in sorted(a.keys() | b.keys()):
            how = "same" if a.get(name) == b.get(name) else "only ours" if name not in a else "DIFFERS"
            if how == "DIFFERS" and a[name] == UNVERIFIED and b.get(name, UNVERIFIED) != UNVERIFIED:
                how = "veristat fails before the verifier"
            tally["%s: %s" % (how, "accepted" if b.get(name, (0,))[0] else "not accepted")] += 1
            if how != "same":
                print("%s\t%s\t%s\t%s\t%s" % (how, os.path.basename(path), name, a.get(name), b.get(name)), flush=True)
        sums = sums_of_lines(bpflens, path)
        for name, (_, insns, *_) in b.items():
            if insns:
                tally["lines add up" if sums.get(name) == insns else "DIFFERS: lines do not add up"] += 1
                if sums.get(name) != insns:
                    print("DIFFERS\t%s\t%s\tlines\t%s\t%s" % (os.path.basename(path), name, insns, sums.get(name)), flush=True)
    for how, n in sorted(tally.items()):
        print("# %d\t%s" % (n, how))
    print("# %d files: %.1f s, veristat %.1f s: %.2f times" % (len(paths), spent["ours"], spent["theirs"], spent["ours"] / max(spent["theirs"], 0.001)))
    return 1 if not tally or any(how.startswith("DIFFERS") for how in tally) or spent["ours"] > 1.5 * spent["theirs"] else 0


sys.exit(main(*sys.argv[1:]))
