#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""prog load: programs in sections of every name that the hook table has are loaded with the type, attach type and flags of their section,
whatever the linked libbpf knows; so are programs of other sections with `type NAME`. What is asked of the kernel is seen by strace."""
import os
import re
import shutil
import subprocess
import sys

from rawbpf import TYPES
from world import BPFLENS, STRACE, Run, World, finish, isolate, ok, skip

isolate()
# Sections whose programs cannot be loaded without a function to attach to.
TARGETS = {"tp_btf": "sys_enter", "fentry": "bpf_fentry_test1", "fexit": "bpf_fentry_test1", "fmod_ret": "bpf_modify_return_test", "lsm": "file_open",
           "lsm_cgroup": "socket_bind", "iter": "task", "fsession": "bpf_fentry_test1"}
NEEDS_MORE = {"freplace": "a program to replace a function of", "struct_ops": "a table of functions that it is in"}
SLEEPABLE, FRAGS = 1 << 4, 1 << 5


def lens(*args):
    return Run([BPFLENS] + list(args), timeout=60)


def attach_types():
    """The kernel's numbers of attach types."""
    r = lens("btf", "dump", "file", "/sys/kernel/btf/vmlinux", "format", "raw")
    block = re.search(r"ENUM 'bpf_attach_type'.*\n((?:\t.*\n)*)", r.text)
    return {name.lower(): int(value) for name, value in re.findall(r"'BPF_(\w+)' val=(\d+)", block[1] if block else "")}


def asked(trace, name):
    """The last attempt to load a program of this name: type, attach type, flags, and whether it succeeded."""
    with open(trace) as f:
        found = re.findall(r'bpf\(0x5, \{prog_type=(\w+),.* prog_flags=(\w+), prog_name="%s",.* expected_attach_type=(\w+)[,}].*= (-?\d+)' % name, f.read())
    return [int(word, 0) for word in found[-1][:3]] + [int(found[-1][3]) >= 0] if found else None


def compiled(d, sections):
    with open(d + "/s.c", "w") as f:
        for i, name in enumerate(sections):
            base = re.sub(r"\.s$", "", name)
            f.write('__attribute__((section("%s"), used)) int p%d(void *ctx) { return %d; }\n' %
                    (name + "/" + TARGETS[base] if base in TARGETS else name, i, base not in TARGETS))
        f.write('char licence[] __attribute__((section("license"), used)) = "GPL";\n')
    done = subprocess.run(["clang", "-target", "bpf", "-O2", "-g", "-c", d + "/s.c", "-o", d + "/s.o"], stderr=subprocess.PIPE)
    return None if done.returncode else d + "/s.o"


def each(d, sections, file, words):
    """Load each program alone; @words: what is added to the command for a section."""
    numbers, failed, refused, loaded = attach_types(), [], [], 0
    want = {p["name"]: p for p in lens("-j", "object", "programs", compiled(d, sections)).json}
    for i, name in enumerate(sections):
        p, base = want["p%d" % i], re.sub(r"\.s$", "", name)
        program = p["name"] if file == d + "/s.o" else "p0"
        if base in NEEDS_MORE or (words(name) and base in TARGETS):
            continue
        r = Run(STRACE + ["-X", "raw", "-f", "-e", "trace=bpf", "-o", d + "/trace", BPFLENS, "prog", "load", file,
                 "only", program, "--dry-run"] + words(name), timeout=60)
        saw = asked(d + "/trace", program)
        attach = p.get("attach_type")
        if attach and attach not in numbers:
            if r.status != 1 or "is newer than this kernel" not in r.errors or "it needs Linux " not in r.errors:
                failed.append((name, "newer than this kernel, and it does not say so", str(r)))
            refused.append(name + " (attach type newer than this kernel)")
            continue
        flags = (SLEEPABLE if p.get("sleepable") else 0) | (FRAGS if name.startswith("xdp.frags") else 0)
        types = {numbers[attach] if attach else 0}
        if base == "usdt":  # libbpf since 1.6 uses a multi-uprobe where the kernel has it
            types |= {numbers.get("trace_uprobe_multi")}
        if saw and saw[:2] == [TYPES[p["type"]], flags] and saw[2] in types:
            ok(saw[3] == (r.status == 0), "as the kernel: " + name, r) if saw[3] != (r.status == 0) else None
            loaded += saw[3]
            refused += [] if saw[3] else [name]
        elif not saw and base in TARGETS and r.status in (1, 3, 4):
            refused.append("%s (no %s)" % (name, TARGETS[base]))
        else:
            failed.append((name, saw, p["type"], flags, attach, str(r)))
    return loaded, refused, failed


def run(d):
    sections = [line.split("\t")[0] for line in lens("__complete", "prog", "load", "FILE", "PATH", "type", "").text.splitlines()]
    ok(len(sections) > 100 and len(set(sections)) == len(sections), "names of sections", sections)
    if not compiled(d, sections):
        return skip("clang cannot compile for bpf")
    loaded, refused, failed = each(d, sections, d + "/s.o", lambda name: [])
    ok(not failed, "the kernel is asked for what the section says: %d programs" % (loaded + len(refused)), failed)
    ok(loaded > 50, "%d are loaded" % loaded, refused)
    if refused:
        skip("this kernel refuses programs in: " + ", ".join(refused))
    other = d + "/other"
    os.mkdir(other)
    file = compiled(other, ["lens_unknown"])
    r = lens("prog", "load", file, "--dry-run")
    ok(r.status == 1, "a section of no known name has no type", r)
    loaded, refused, failed = each(d, sections, file, lambda name: ["type", name])
    ok(not failed and loaded > 50, "`type NAME` asks for the same: %d are loaded" % loaded, failed)


with World() as w:
    if not shutil.which("strace") or not shutil.which("clang"):
        skip("test_sections: needs strace and clang")
        sys.exit(77)
    run(w.dir)
finish()
