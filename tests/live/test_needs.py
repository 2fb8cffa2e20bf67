#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What an object needs of this kernel: programs with guards the verifier sees through have all, those without miss what they miss."""
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
    ok(r.status == 1 and r.json["verdict"] == "missing" and missing == MISSES, "what is missing, and where", r)
    for name in progs:
        load = Run([BPFLENS, "prog", "load", FILE, d + "/x", "only", name, "--dry-run"], timeout=60)
        ok((load.status == 0) == (name not in MISSES), "%s: as the kernel says" % name, load)
    optional = {(n["kind"], n["name"]): n["optional"] for n in r.json["needs"] if "optional" in n}
    ok("tests" in optional[("type", "struct no_such_struct")] and "weak" in optional[("kconfig", "CONFIG_NO_SUCH_OPTION")], "why it may be missing", optional)
    same = [Run([BPFLENS, "-j", "object"] + words, timeout=60) for words in (["needs", FILE], ["needs", FILE, "live"], [FILE, "--needs", "live"])]
    ok(all(s.out == r.out and s.status == 1 for s in same), "four ways to ask")
    if os.path.exists("/sys/kernel/btf/vmlinux"):
        types = Run([BPFLENS, "-j", "object", FILE, "--needs", "/sys/kernel/btf/vmlinux"], timeout=60)
        ok(types.status == 1 and {n["name"] for n in types.json["needs"] if n["state"] == "missing" and "optional" not in n} >= {"no_such_kfunc"} and
           types.json["unknown"], "types alone know less", types)
    r = Run([BPFLENS, "--no-load", "-j", "object", FILE, "--needs"], timeout=60)
    ok(r.status == 2 and r.json["unknown"] and "feature" in r.errors or "what the kernel can do" in r.errors, "a kernel that is not asked", r)
    r = Run([BPFLENS, "object", "needs", FILE, d + "/none"], timeout=60)
    ok(r.status == 3 and "No such file" in r.errors and not r.out, "no such kernel", r)


with World() as w:
    main(w.pins)
finish()
