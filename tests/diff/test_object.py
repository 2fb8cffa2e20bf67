#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Object files of this machine's compiler, compared with bpftool: its skeletons have the same programs, maps and variables,
and libbpf's debug messages have the same CO-RE relocations."""
import json
import os
import re
import shutil
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "live"))
from world import BPFLENS, BUILD, finish, isolate, ok, skip  # noqa: E402

FIXTURES = ["maps", "ops", "progs", "trace", "object", "core"]


def run(*words):
    p = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, errors="replace")
    return p.returncode, p.stdout


def ours(*words):
    return json.loads(subprocess.run([BPFLENS, "-j", "object"] + list(words), stdout=subprocess.PIPE, check=True).stdout)


def members(text, head, tail):
    """Names of the members of the skeleton's structs between lines that match."""
    parts = re.findall(r"^\t%s \{\n((?:\t\t.*\n)*)\t\} \*?%s;" % (head, tail), text, re.M)
    lines = [line for part in parts for line in part.splitlines() if re.match(r"\t\t[^\t}]", line) or line.startswith("\t\t}")]
    names = [re.search(r"(\w+)(?:\[\w*\])*;", line) for line in lines]
    return sorted(m.group(1) for m in names if m and not m.group(1).startswith("__pad"))


def check_skeleton(name, path):
    status, text = run("bpftool", "gen", "skeleton", path)
    if status:
        skip("bpftool cannot make a skeleton of " + name)
        return
    rec = ours("show", path)
    prefix = name + "."
    maps = [m["name"] for m in rec["maps"]]
    maps = [re.sub(r"\W", "_", (m[len(prefix):] if m.startswith(prefix) else m).lstrip(".")) for m in maps]
    theirs = members(text, "struct", "maps")
    ok(sorted(maps) == theirs, name + ": the skeleton's maps", "%s\n%s" % (sorted(maps), theirs))
    progs, theirs = sorted(p["name"] for p in rec["programs"]), members(text, "struct", "progs")
    ok(progs == theirs, name + ": the skeleton's programs", "%s\n%s" % (progs, theirs))
    data = sorted([v["name"] for v in rec["variables"] if v["global"]] + [e["name"] for e in rec["externs"] if e["kind"] == "kconfig"])
    theirs = members(text, r"struct \w+__\w+", r"\w+")
    ok(data == theirs, name + ": the skeleton's variables", "%s\n%s" % (data, theirs))


def check_relocations(path):
    """The load may fail on a kernel without these types, after libbpf has printed the relocations."""
    _, text = run("bpftool", "-d", "prog", "loadall", path, "/sys/fs/bpf/lens_core")
    theirs = [(m.group(1), m.group(2), re.sub(r" @ [^)]*| = \d+$", "", m.group(3))) for m in re.finditer(
        r"prog '(\w+)': relo #\d+: <(\w+)> \[\d+\] (.*)$", text, re.M)]
    insns = {}
    for n, i in [(int(n), int(i)) for n, i in re.findall(r"relo #(\d+): [a-z].* insn #(\d+) ", text)]:
        # Relocations of the first program; for a wide instruction that is made invalid, libbpf prints the second half first.
        if n not in insns or i == insns[n] - 1:
            insns[n] = i
    if not theirs:
        skip("libbpf does not print CO-RE relocations here")
        return
    recs = ours("relocations", path)
    mine = []
    for r in recs:
        enum, place = r["kind"].startswith("enumval"), r["type"]
        if "member" in r:
            place += ("::" if enum else ".") + r["member"]
        if not enum and not r["kind"].startswith("type"):
            place += " (%s)" % r["access"]
        mine.append((r["program"], r["kind"], place))
    ok(mine == theirs, "the CO-RE relocations that libbpf prints", "%s\n%s" % (mine, theirs))
    wrong = [(r["insn"], insns[i]) for i, r in enumerate(recs) if i in insns and insns[i] != r["insn"]]
    ok(insns and not wrong, "of the same instructions", wrong)


def main():
    isolate()
    if not shutil.which("bpftool"):
        skip("bpftool is not installed")
        sys.exit(77)
    for name in FIXTURES:
        check_skeleton(name, "%s/tests/live/%s.bpf.o" % (BUILD, name))
    # Pins of a successful load are removed with this mount.
    if subprocess.run(["mount", "-t", "bpf", "bpf", "/sys/fs/bpf"], stderr=subprocess.DEVNULL).returncode:
        skip("a bpffs cannot be mounted here")
    else:
        check_relocations("%s/tests/live/core.bpf.o" % BUILD)
    finish()


main()
