#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What an object needs of this kernel: nothing is missing if the verifier sees the guards of a program; without guards, all is."""
import os
import re

from world import BPFLENS, BUILD, Run, World, finish, isolate, ok

isolate()
FILE = BUILD + "/tests/live/guarded.bpf.o"
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guarded.bpf.c")
MISSES = {"unguarded_member": ("member", "struct task_struct.no_such_member"), "unguarded_helper": ("helper", "helper 9999"),
          "unguarded_kfunc": ("kfunc", "no_such_kfunc")}


def main(d):
    progs = re.findall(r'^SEC\(".*"\) int (\w+)\(', open(SOURCE).read(), re.M)
    r = Run([BPFLENS, "-j", "object", FILE, "--needs"], timeout=60)
    missing = {p: (n["kind"], n["name"]) for n in r.json["needs"] if n["state"] == "missing" and "optional" not in n for p in n["programs"]}
    ok(r.status == 1 and r.json["state"] == "missing" and missing == MISSES, "the missing requirements, and their places", r)
    for name in progs:
        load = Run([BPFLENS, "prog", "load", FILE, d + "/x", "only", name, "--dry-run"], timeout=60)
        ok((load.status == 0) == (name not in MISSES), "%s: the same as in the kernel" % name, load)
    optional = {(n["kind"], n["name"]): n["optional"] for n in r.json["needs"] if "optional" in n}
    ok("tests" in optional[("type", "struct no_such_struct")] and "weak" in optional[("kconfig", "CONFIG_NO_SUCH_OPTION")], "why it may be missing", optional)
    same = [Run([BPFLENS, "-j", "object"] + words, timeout=60) for words in (["needs", FILE], ["needs", FILE, "live"], [FILE, "--needs", "live"])]
    ok(all(s.out == r.out and s.status == 1 for s in same), "four forms of the command")
    if os.path.exists("/sys/kernel/btf/vmlinux"):
        types = Run([BPFLENS, "-j", "object", FILE, "--needs", "/sys/kernel/btf/vmlinux"], timeout=60)
        ok(types.status == 1 and {n["name"] for n in types.json["needs"] if n["state"] == "missing" and "optional" not in n} >= {"no_such_kfunc"} and
           types.json["unknown"], "types only: less is known", types)
    r = Run([BPFLENS, "--no-load", "-j", "object", FILE, "--needs"], timeout=60)
    ok(r.status == 2 and r.json["unknown"] and "feature" in r.errors or "what the kernel can do" in r.errors, "--no-load: the features of the kernel are unknown", r)
    r = Run([BPFLENS, "object", "needs", FILE, d + "/none"], timeout=60)
    ok(r.status == 3 and "No such file" in r.errors and not r.out, "no such file for the kernel", r)


with World() as w:
    main(w.pins)
finish()
