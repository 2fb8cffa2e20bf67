#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Each heading that a table prints is accepted by its -o, --sort and -Q: of every command with --columns, on archives."""
import glob
import os
import re
import subprocess
import sys

LENS = os.environ.get("BPFLENS", "build/bpflens")
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OBJECT = sorted(glob.glob(HERE + "/objects/*.o"))[0]
env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "BPFLENS_PAGER", "PAGER", "BPFLENS_FROM")}
env["LC_ALL"] = "C.UTF-8"

# The commands with the archive that has something for them; those that only print while they run are not there.
TABLES = [("sample", [k, "list"]) for k in ("prog", "map", "link", "btf", "struct_ops")]
TABLES += [("attachments", [k, "list"]) for k in ("net", "perf", "cgroup")] + [("iterators", ["iter", "list"]), ("tokens", ["token", "list"])]
TABLES += [("relations", ["pin", "list"]), ("attachments", ["ls"]), ("sample", ["mem"]), ("sample", ["mem", "--by", "type"]), ("doctor", ["doctor", "-o", "state,check,fact,consequence,remedy"]),
           ("sample", ["orphans"]), ("audited", ["audit"]), (None, ["report", HERE + "/archives/sampled.tar.gz"]),
           (None, ["diff", "--growth"] + [HERE + "/archives/growth_%d.tar.gz" % i for i in (1, 2, 3)]), ("sample", ["schema"]),
           ("tasks", ["btf", "sizes", "from", "map", "fw_flows"]), ("tasks", ["btf", "find", "member", "packets", "from", "map", "fw_flows"]),
           ("attachable", ["attach", "--list", "kprobe"]), ("coverage", ["prog", "coverage"])]
TABLES += [(None, ["object", k, OBJECT]) for k in ("programs", "maps", "variables", "externs", "relocations", "sections")]
TABLES += [(None, ["object", "usdt", HERE + "/objects/probed"])]
ELEMENTS = [("tasks", ["fw_flows"]), ("tasks", ["fw_sizes"]), ("tasks", ["fw_routes", "fw_sizes"]), ("sample", ["ty_pcpu_hash"]), ("sample", ["ty_struct"])]
RUNNING = {"prog stats", "prog verify", "events", "addr", "top"}


def run(archive, words):
    source = ["--from", HERE + "/archives/%s.tar.gz" % archive] if archive else []
    return subprocess.run([LENS, "--color=never", "--no-pager"] + source + words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=env, universal_newlines=True, errors="replace")


def headings(text):
    """The words of the lines that are headings: nothing but capitals."""
    found = [x for line in text.split("\n") if re.fullmatch(r" *[A-Z][A-Z0-9_.\[\] ]*", line) for x in line.split()]
    return sorted(set(found))


def refused(archive, words, got, base):
    """The options that do not accept the headings; @base: the words without -o."""
    options = [(base, ["-o", ",".join(got)]), (words, ["-Q", " || ".join(got)])] + [(words, ["--sort", h]) for h in got + ["-" + h for h in got[:1]]]
    return [(" ".join(o), r.stderr) for w, o in options for r in [run(archive, w + o)] if r.returncode == 2]


def commands():
    """All commands with columns."""
    groups = re.findall(r"(?m)^(\w+)", run(None, ["__complete", "help", ""]).stdout)
    alone = re.findall(r"[a-z]+", run(None, ["__doc", "words"]).stdout.split("\n")[2])
    pages = [[g, x.split()[0]] for g in groups if g not in alone for x in run(None, [g, "help"]).stdout.split("\n") if x[:2] == "  " and x[2:3].islower()]
    pages += [[w] for w in alone]
    return {" ".join(p) for p in pages if p[-1] != "show" and "--list-columns" in run(None, ["help"] + p).stdout}


def main():
    failed = tried = 0
    for archive, words in TABLES + [(a, ["map", "dump"] + m + ["-o", "+"]) for a, m in ELEMENTS]:
        base = words[:words.index("-o")] if "-o" in words else words
        got = headings(run(archive, words).stdout)
        if len(got) < 2:
            print("not ok - %s of %s has no headings" % (" ".join(words), archive))
            failed += 1
        tried += len(got)
        for option, why in refused(archive, words, got, base):
            print("not ok - %s: %s: %s" % (" ".join(words), option, why.split("\n")[0]))
            failed += 1
    missing = commands() - RUNNING - {" ".join(w[:1 if w[0] in ("ls", "mem", "doctor", "orphans", "audit", "report", "schema", "diff", "attach") else 2]) for _, w in TABLES} - {"map dump"}
    if missing:
        print("not ok - commands with columns that are not tried: %s" % ", ".join(sorted(missing)))
        failed += 1
    if not failed:
        print("ok - %d headings are accepted by -o, --sort and -Q" % tried)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
