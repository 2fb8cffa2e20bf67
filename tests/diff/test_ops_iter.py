#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`iter pin` and `struct_ops register` compared with the distribution's bpftool: the created objects are the same.

Differences: register and unregister report what they did on standard output, and in JSON with ids, where bpftool reports it on
standard error and prints null; `iter pin` refuses unknown words, and prints null in JSON, not an empty line."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from world import BPFLENS, BUILD, Run, finish, isolate, lock, ok, skip, until  # noqa: E402

isolate()
if not shutil.which("bpftool"):
    skip("bpftool is not installed")
    sys.exit(77)
TOOLS = ("bpftool", BPFLENS)
LIVE = BUILD + "/tests/live/"


def iterators(d):
    lock("iters.bpf.o")
    made = []
    Run(["bpftool", "map", "create", d + "/m", "type", "hash", "key", "4", "value", "4", "entries", "4", "name", "beside"])
    for i, tool in enumerate(TOOLS):
        for words in ([], ["map", "pinned", d + "/m"]):
            r = Run([tool, "iter", "pin", LIVE + "iters.bpf.o", "%s/i%d%d" % (d, i, bool(words))] + words)
            if tool == "bpftool" and r.status and "'say_elems': failed to load: -1" in r.errors:
                return skip("iter pin: bpftool loads all programs of a file, and the kernel refuses one of them here")
            made.append((r.status == 0, r.out, re.sub(r"\d+", "N", Run(["bpftool", "link", "show", "pinned", "%s/i%d%d" % (d, i, bool(words))]).text)))
    ok(made[0] == made[2] and made[0][0], "iter pin", made)
    ok(made[1][0] and not made[3][0], "iter pin: bpftool accepts a map that the iterator does not use, bpflens does not", made)
    Run(["bpftool", "map", "delete", "pinned", d + "/m"])


def tables():
    lock("lensreg")
    found = []
    for tool in TOOLS:
        until(lambda: Run([BPFLENS, "struct_ops", "show", "name", "lensreg_a"]).status == 3)  # the kernel frees the previous one a moment later
        r = Run([tool, "struct_ops", "register", LIVE + "cc_plain.bpf.o"])
        dump = Run(["bpftool", "struct_ops", "dump", "name", "lensreg_a"]).text
        gone = Run([TOOLS[tool == "bpftool"], "struct_ops", "unregister", "name", "lensreg_a"])
        found.append((r.status, gone.status, re.sub(r'(?<=prog_id:)\d+|(?<="id": )\d+|(?<="btf_id": )\d+', "N", dump)))
        ok(re.sub(r"\d+", "N", r.text + r.errors) == "Registered tcp_congestion_ops lensreg_a id N\n", "the same text: register", r)
        ok(re.sub(r"\d+", "N", gone.text + gone.errors) == "Unregistered tcp_congestion_ops lensreg_a id N\n", "the same text: unregister", gone)
    ok(found[0] == found[1] and found[0][:2] == (0, 0), "struct_ops register, unregister", found)


with tempfile.TemporaryDirectory() as tmp:
    if subprocess.run(["mount", "-t", "bpf", "bpf", tmp]).returncode:
        skip("cannot mount a bpffs here")
        sys.exit(77)
    try:
        iterators(tmp)
        tables()
    finally:
        subprocess.run(["umount", "-l", tmp])
finish()
