#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Object files that libbpf does not open, link or load: the message names the part and what is wrong with it, not libbpf's errno,
and the exit status is not that of a file that does not exist."""
import os
import shutil
import subprocess
import sys
import tempfile

from world import BPFLENS, Run, finish, isolate, ok, skip

isolate()
HEAD = r'''
#define SEC(name) __attribute__((section(name), used))
#define __uint(name, val) int (*name)[val]
#define __type(name, val) typeof(val) *name
static void *(*lookup)(void *map, const void *key) = (void *)1;
char LICENSE[] SEC("license") = "GPL";
'''
USE = "SEC(\"socket\") int p(void *c) { int k = 0; return !!lookup(&m, &k); }\n"
MAP = "struct { __uint(type, %d); __uint(max_entries, 1); __uint(key_size, 4); __uint(value_size, 4); %s } m SEC(\".maps\");\n" + USE
REGS = r'''#define core __attribute__((preserve_access_index))
struct user_pt_regs { unsigned long regs[31], sp, pc, pstate; } core;
SEC("kprobe/vfs_read") int p(struct user_pt_regs *r) { return r->pstate != 0; }
'''
LOAD, OPEN, LINK = ("prog", "load"), ("gen", "skeleton"), ("gen", "object")
# Source, the commands that fail, the message. FLAGS: of the compiler; EDIT: bytes that are replaced where they occur last.
CASES = {
    "a function of a library": dict(source="extern int get_nprocs(void);\nSEC(\"socket\") int p(void *c) { return get_nprocs(); }",
                                    verbs=(LOAD, OPEN), says="extern get_nprocs: it is neither a symbol nor an option of the kernel"),
    "an extern without types": dict(source="extern int undefined(void);\nSEC(\"socket\") int p(void *c) { return undefined(); }", flags="-g0",
                                    verbs=(LOAD, OPEN), says="extern undefined: the file has no types (section .BTF)"),
    "an option that is not set": dict(source="extern int CONFIG_NOT_THERE SEC(\".kconfig\");\nSEC(\"socket\") int p(void *c) { return CONFIG_NOT_THERE; }",
                                      verbs=(LOAD,), says="the kernel does not have CONFIG_NOT_THERE"),
    "an option in a struct": dict(source="extern struct { int a; } CONFIG_HZ SEC(\".kconfig\");\nSEC(\"socket\") int p(void *c) { return CONFIG_HZ.a; }",
                                  verbs=(LOAD, OPEN), says="extern CONFIG_HZ: a variable of its type cannot hold an option"),
    "an option that does not exist": dict(source="extern int OTHER __attribute__((weak)) SEC(\".kconfig\");\nSEC(\"socket\") int p(void *c) { return OTHER; }",
                                          verbs=(LOAD,), says="extern OTHER: libbpf knows no option of that name"),
    "events without sizes": dict(source=(MAP % (4, "")).replace("__uint(key_size, 4); __uint(value_size, 4);", ""), verbs=(LOAD,),
                                 says="map m: its keys and values must have 4 bytes"),
    "the other byte order": dict(source="SEC(\"socket\") int p(void *c) { return 0; }", target={"little": "bpfeb", "big": "bpfel"}[sys.byteorder],
                                 verbs=(LOAD,), says=": byte order %s-endian: this machine has the other one" % {"little": "big", "big": "little"}[sys.byteorder]),
    "another loader's pinning": dict(source=MAP % (1, "__uint(pinning, 100);"), verbs=(LOAD, OPEN), says="map m: its pinning is neither"),
    "maps in section maps": dict(source="struct { int d[5]; } m SEC(\"maps\") = {{ 1, 4, 4, 1, 0 }};\n" + USE, verbs=(LOAD, OPEN),
                                 says="section maps: libbpf since 1.0 does not read maps"),
    "a static program": dict(source="SEC(\"socket\") static int p(void *c) { return 0; }", verbs=(LOAD, OPEN), says="function p: it is static"),
    "a called function outside of .text": dict(source="__attribute__((noinline)) SEC(\".text.more\") int f(int x) { asm volatile(\"\"); return x; }\n"
                                               "SEC(\"socket\") int p(void *c) { return f((long)c); }", verbs=(LOAD, OPEN),
                                               says="function f: other functions call it, and it is not in .text"),
    "no inner map": dict(source=MAP % (13, ""), verbs=(LOAD,), says="map m: it is a map of maps, and the file does not define its inner maps"),
    "a variable without a symbol": dict(source="int variable = 3;\nSEC(\"socket\") int p(void *c) { return variable; }", edit=(b"variable\0", b"variabl_\0"),
                                        verbs=(LOAD, OPEN), says="variable variable: its types name it, but it has no symbol"),
    "no types to link": dict(source="SEC(\"socket\") int p(void *c) { return 0; }", flags="-g0", verbs=(LINK,), says="it has no types (section .BTF)"),
    "an object for arm64": dict(source=REGS, verbs=(LOAD,), says="it is compiled for arm64", arch="arm64"),
}


def build(name, case):
    with open("x.c", "w", encoding="utf-8") as f:
        f.write(HEAD + case["source"] + "\n")
    done = subprocess.run(["clang", "-target", case.get("target", "bpf"), "-O2", case.get("flags", "-g"), "-c", "x.c", "-o", "x.o"], stderr=subprocess.PIPE)
    if done.returncode:
        return ok(False, name + ": it compiles", done.stderr.decode())
    if "edit" in case:
        was, now = case["edit"]
        with open("x.o", "rb+") as f:
            text = f.read()
            f.seek(text.rfind(was))
            f.write(now)
    return True


def check(name, case):
    for verb in case["verbs"]:
        words = {LOAD: ["x.o", "/sys/fs/bpf/lens_refused", "--dry-run"], OPEN: ["x.o"], LINK: ["y.o", "x.o"]}[verb]
        r = Run([BPFLENS, *verb, *words])
        first = next((line for line in r.errors.splitlines() if line.startswith("bpflens: ")), "")
        ok(r.status == 1 and case["says"] in first and "\nhint: " in r.errors and "No such" not in first, "%s: %s" % (" ".join(verb), name), r)
    arch = Run([BPFLENS, "-j", "object", "show", "x.o"]).json.get("arch")
    ok(arch == case.get("arch"), name + ": its architecture", arch)


def functions():
    if build("functions", dict(source="int add(int a, int b) { return a + b; }\nint sub(int a, int b) { return a - b; }")):
        r = Run([BPFLENS, "object", "programs", "x.o"])
        ok(r.status == 0 and "all its functions are in .text" in r.errors and "add:" not in r.text, "an object without programs", r)
        r = Run([BPFLENS, "object", "dump", "x.o"])
        ok(r.status == 0 and r.text.startswith(".text: add\n"), "its functions are printed", r)


def main():
    if not shutil.which("clang"):
        return skip("test_refusals: needs clang")
    with tempfile.TemporaryDirectory() as d:
        os.chdir(d)
        for name, case in CASES.items():
            if case.get("arch") != {"aarch64": "arm64"}.get(os.uname().machine, "x86") and build(name, case):
                check(name, case)
        functions()
        os.chdir("/")
    return None


main()
finish()
