#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`object needs FILE... DIR` compared with real loads. On each kernel, `needs.py load BPFLENS DIR FILE...` saves an archive of it in DIR/kernels and
what loading each file gave in DIR/loads; then anywhere `needs.py compare BPFLENS DIR FILE...` prints a line for each file on each kernel, and
a summary; status 1: the table says that something is missing and the file loads, or the other way round."""
import collections
import json
import os
import platform
import subprocess
import sys

# Causes of rejections if the kernel lacks something; for any other cause the verifier rejects the code, which needs does not check.
LACKING = {"core_relocation", "helper_not_allowed", "unknown_kfunc", "missing_target", "missing_symbol", "missing_btf", None}
NOTHING = "nothing"  # is loaded by default
LIMIT = 300  # seconds for one command on an emulated machine


def lens(tool, *words):
    return subprocess.run([tool, "-j"] + list(words), capture_output=True, text=True, errors="replace", timeout=LIMIT, stdin=subprocess.DEVNULL)


def loaded(tool, path):
    """{} if all programs of a file that are loaded by default are, else why not."""
    r = lens(tool, "prog", "loadall", path, "/sys/fs/bpf/needs", "--dry-run")
    if not r.returncode:
        return {}
    said = json.loads(r.stdout) if r.stdout.startswith("{") else {}
    if "no program that is loaded by default" in said.get("error", ""):
        return {"cause": NOTHING}
    return {"cause": said.get("because", {}).get("cause"), "message": said.get("error") or " ".join(r.stderr.split())}


def load(tool, d, paths):
    for part in ("kernels", "loads"):
        os.makedirs(d + "/" + part, exist_ok=True)
    name = platform.release()
    saved = lens(tool, "save", d + "/kernels/" + name + ".tar.gz")
    print("# %s: save ended with status %d: %s" % (name, saved.returncode, saved.stderr.strip()[-300:]))
    results = {os.path.basename(path): loaded(tool, path) for path in paths}
    with open(d + "/loads/" + name + ".json", "w") as f:
        json.dump(results, f, indent=1)
    print("# %s: %d of %d files load" % (name, sum(not r for r in results.values()), len(results)))
    return 0


def judged(row, result):
    """How a row of the table fits the result of loading."""
    if result.get("cause") == NOTHING:
        return "agree: nothing to load"
    if row["state"] == "unknown":
        return "unknown: %s" % ("loads" if not result else "does not load")
    if not result:
        return "DIFFERS: loads" if row["state"] == "missing" else "agree: loads"
    if row["state"] == "missing":
        return "agree: does not load"
    if result["cause"] not in LACKING:
        return "the verifier rejects the code"
    return "agree: needs its loader" if row["loader"] else "DIFFERS: does not load"


def compare(tool, d, paths):
    results = {n[:-len(".json")]: json.load(open(d + "/loads/" + n)) for n in os.listdir(d + "/loads")}
    tally = collections.Counter()
    for row in json.loads(lens(tool, "object", "needs", *paths, d + "/kernels").stdout):
        file, kernel = os.path.basename(row["file"]), os.path.basename(row["kernel_file"])[:-len(".tar.gz")]
        result = results[kernel][file]
        how = judged(row, result)
        tally[how] += 1
        print("%s\t%s\t%s\t%s\t%s" % (how, file, kernel, ", ".join(row.get("lacks", [])) or row.get("why", ""), result.get("message", "")))
    for how, n in sorted(tally.items()):
        print("# %d\t%s" % (n, how))
    return 1 if not tally or any(how.startswith("DIFFERS") for how in tally) else 0


if __name__ == "__main__":
    sys.exit({"load": load, "compare": compare}[sys.argv[1]](sys.argv[2], sys.argv[3], sys.argv[4:]))
