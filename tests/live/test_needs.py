#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What an object needs of this kernel: nothing is missing if the verifier sees the guards of a program; without guards, all is."""
import os
import re

from world import BPFLENS, BUILD, Run, World, finish, isolate, ok, skip

isolate()
FILE = BUILD + "/tests/live/guarded.bpf.o"
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guarded.bpf.c")
MISSES = {"unguarded_member": ("member", "struct task_struct.no_such_member"), "unguarded_helper": ("helper", "helper 9999"),
          "unguarded_kfunc": ("kfunc", "no_such_kfunc")}


HEAD = """
#define SEC(name) __attribute__((section(name), used))
#define U(name, value) int (*name)[value]
char licence[] SEC("license") = "GPL";
"""
# What libbpf, or an old one, does not load: the code, the line of needs, and the first version that loads it.
REFUSED = {
    "legacy": ('struct { int type, key, value, max, flags; } flows SEC("maps") = { 1, 4, 4, 4, 0 };\nSEC("xdp") int p(void *c) { return 2; }', "maps", None),
    "static": ('SEC("xdp") static int p(void *c) { return 2; }\nSEC("xdp") int q(void *c) { return 2; }', "function p", None),
    "inner": ('struct { U(type, 12); U(max_entries, 2); int *key, *value; } outer SEC(".maps");\nSEC("xdp") int p(void *c) { return 2; }', "outer", None),
    "section": ('SEC("lens_unknown") int p(void *c) { return 2; }', "lens_unknown", None),
    "arena": ("""struct { U(type, 33); U(map_flags, 1 << 10); U(max_entries, 1); enum { at = 1 << 28 } map_extra; } arena SEC(".maps");
SEC("syscall") int p(void *c) { return 0; }""", "arena", (1, 5)),
    "plain": ('SEC("xdp") int p(void *c) { return 2; }', None, (1, 0)),
}


# Refused by kernels older than the named helper, also where it is never reached: the code, and what needs it.
CALLBACK = """static int (*loop)(int n, int (*f)(int i, void *x), void *x, long flags) = (void *)181;
static __attribute__((noinline)) int each(int i, void *x) { return i > 3; }
static const volatile int some;
SEC("xdp") int p(void *c) { if (some) loop(4, each, 0, 0); return 2; }"""
FETCH = """long n; static const volatile int some;
SEC("xdp") int p(void *c) { return some ? __sync_fetch_and_add(&n, 1) : 2; }"""
SWAP = """static const volatile int some;
SEC("xdp") int p(void *c) { if (some) asm volatile(".byte 0xd7, 0, 0, 0, 16, 0, 0, 0"); return 2; }"""
ACQUIRE = """SEC("xdp") int p(void *c) { asm volatile("r0 = 2\\n *(u64 *)(r10 - 8) = r0\\n .byte 0xdb, 0xa0, 0xf8, 0xff, 0, 1, 0, 0" ::: "r0"); return 2; }"""
SLEEP = """static long (*copy)(void *to, int n, const void *from) = (void *)148;
SEC("%s/x") int p(void *c) { char b[8]; return copy(b, 8, c); }"""
KFUNC = """extern int tcp_reno_ssthresh(void *sk) __attribute__((section(".ksyms")));
SEC("struct_ops/x") int p(void *c) { return tcp_reno_ssthresh(c); }"""
SIZE = """struct not_there { int x; } __attribute__((preserve_access_index));
SEC("xdp") int p(void *c) { return __builtin_preserve_type_info(*(struct not_there *)0, 1); }"""
NEWER = {"callback functions": (CALLBACK, "for_each_map_elem"), "atomic operations other than addition": (FETCH, "check_mtu")}


def compiled(path, code):
    with open(path + ".c", "w") as f:
        f.write(HEAD + code)
    return Run(["clang", "-target", "bpf", "-mcpu=v3", "-O2", "-g", "-c", path + ".c", "-o", path + ".o"]).status == 0


def encoded(d):
    """What the kernel checks in all instructions; its types show which helpers it has."""
    for feature, (code, helper) in NEWER.items():
        if not compiled(d + "/code", code):
            return skip("clang cannot compile for bpf")
        for kernel, state in (("BPF_FUNC_" + helper, "there"), ("BPF_FUNC_other", "missing")):
            compiled(d + "/types", "enum bpf_func_id { BPF_FUNC_map_lookup_elem = 1, %s } id;" % kernel)
            r = Run([BPFLENS, "-j", "object", "needs", d + "/code.o", d + "/types.o"], timeout=60)
            said = [(n["state"], "optional" in n) for n in r.json["needs"] if n["name"] == feature]
            ok(said == [(state, False)], "%s: %s in a kernel with %s" % (feature, state, kernel), r)
    compiled(d + "/types", "enum bpf_func_id { BPF_FUNC_map_lookup_elem = 1, BPF_FUNC_copy_from_user = 148 } id;")
    for section, state in (("kprobe", "missing"), ("uprobe.s", "unknown")):
        compiled(d + "/code", SLEEP % section)
        r = Run([BPFLENS, "-j", "object", "needs", d + "/code.o", d + "/types.o"], timeout=60)
        ok([n["state"] for n in r.json["needs"] if n["name"] == "bpf_copy_from_user"] == [state], "a helper that sleeps, in %s: %s" % (section, state), r)
    compiled(d + "/code", SIZE)
    r = Run([BPFLENS, "-j", "object", "needs", d + "/code.o", d + "/types.o"], timeout=60)
    said = [n for n in r.json["needs"] if n["name"] == "struct not_there"]
    ok([n["state"] for n in said] == ["unknown"] and "libbpf puts 0 there" in said[0]["why"], "the size of a type that is missing", r)
    compiled(d + "/code", ACQUIRE)
    for types, state in (("void bpf_res_spin_lock(void) {}", "there"), ("int x;", "missing")):
        compiled(d + "/types", types)
        r = Run([BPFLENS, "-j", "object", "needs", d + "/code.o", d + "/types.o"], timeout=60)
        ok([n["state"] for n in r.json["needs"] if n["name"] == "load-acquire and store-release"] == [state], "load-acquire: " + state, r)
    compiled(d + "/code", KFUNC)
    for member, state in (("kfunc_tab", "there"), ("other", "missing")):
        compiled(d + "/types", "struct bpf_prog_aux { void *%s; } *aux; void tcp_reno_ssthresh(void) {}" % member)
        r = Run([BPFLENS, "-j", "object", "needs", d + "/code.o", d + "/types.o"], timeout=60)
        ok([n["state"] for n in r.json["needs"] if n["kind"] == "kfunc"] == [state], "a call of a kernel function: %s in a kernel with %s" % (state, member), r)
    ok(compiled(d + "/code", SWAP), "an opcode of the instruction set v4 is assembled")
    r = Run([BPFLENS, "-j", "object", "needs", d + "/code.o"], timeout=60)
    ok([n for n in r.json["needs"] if n["name"] == "instruction set v4" and "optional" not in n], "its opcode is needed wherever it is", r)


def loader(d):
    """What the loader refuses is missing as well: needs and `prog load` agree."""
    version = tuple(int(n) for n in re.search(r"libbpf v(\d+)\.(\d+)", Run([BPFLENS, "version"]).text).groups())
    for name, (code, missing, since) in REFUSED.items():
        path = "%s/%s" % (d, name)
        if not compiled(path, code):
            return skip("clang cannot compile for bpf")
        r = Run([BPFLENS, "-j", "object", "needs", path + ".o"], timeout=60)
        said = [n["name"] for n in r.json["needs"] if n["state"] == "missing" and n["kind"] in ("libbpf", "prog_type")]
        load = Run([BPFLENS, "prog", "load", path + ".o", "--dry-run"], timeout=60)
        if since and since <= version:
            ok(not said, "%s: libbpf does not lack it" % name, r)
            if r.status == 0:
                ok(load.status == 0, "and loads it", load)
        else:
            ok(r.status == 1 and any(missing in n for n in said) and load.status, "%s: refused by the loader, and said" % name, "%s\n%s" % (r, load))
            ok(since is None or "has no %s" % name in load.errors and "build with %d.%d or newer" % since in load.errors, "the version that loads it", load)


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
    loader(w.dir)
    encoded(w.dir)
finish()
