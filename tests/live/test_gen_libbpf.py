#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""gen for objects that an old libbpf does not know: the linked libbpf makes a header that is complete and compiles, or gen says that it
cannot. Nothing is left out with status 0."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from rawbpf import TYPES
from world import BPFLENS, BUILD, Run, finish, isolate, ok, skip

isolate()
COMPILERS = [c for c in ("gcc", "clang", "g++", "clang++") if shutil.which(c)]
BIG = {"little": "bpfeb", "big": "bpfel"}[sys.byteorder]
VERSION = tuple(int(n) for n in Run([BPFLENS, "-j", "version"]).json["libbpf_version"].split("."))
NEW = VERSION >= (1, 5)
# The libbpf that bpflens is linked with.
OWN = os.path.exists(BUILD + "/libbpf/libbpf.a")
INCLUDE = ["-isystem", BUILD + "/libbpf/include", "-isystem", BUILD + "/libbpf/source/include/uapi"] if OWN else []
LIBRARY = ["-xnone", BUILD + "/libbpf/libbpf.a", "-lelf", "-lz"] if OWN else ["-lbpf"]
GPL = 'char l[] __attribute__((section("license"))) = "GPL";\n'
KINDS = {"a skeleton": ["skeleton"], "a light skeleton": ["skeleton", "-L"], "a subskeleton": ["subskeleton"]}


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def compiled(name, source, target="bpf"):
    write(name + ".bpf.c", source)
    subprocess.run(["clang", "-target", target, "-O2", "-g", "-c", name + ".bpf.c", "-o", name + ".o"], check=True)
    return name + ".o"


def cc(compiler, name, source, *more):
    """The compiler's messages, or an empty text."""
    write(name, source)
    p = subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-I.", "-x", "c++" if "++" in compiler else "c",
                        name] + INCLUDE + list(more), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    return p.stdout if p.returncode or p.stdout else ""


def header(path, *args):
    """The header, which gcc accepts as C and C++; "" if gen fails."""
    r = Run([BPFLENS, "gen"] + list(args[:1]) + [path] + list(args[1:]), timeout=60)
    write("x.h", r.text)
    said = "".join(cc(c, "x.c", '#include "x.h"\nint main(void) { return 0; }\n', "-fsyntax-only") for c in COMPILERS if c in ("gcc", "g++")) if not r.status else ""
    ok(not said, "gcc accepts %s of %s" % (" ".join(args), path), said)
    return r


def either(r, good, words, what):
    """A new libbpf can; an old one cannot, and the message says what."""
    if NEW:
        ok(r.status == 0 and good, what, r)
    else:
        ok(r.status == 1 and not r.text and words in r.errors and "hint: " in r.errors, what + ": not with this libbpf", r)


def byte_order():
    path = compiled("order", 'int x = 0x01020304, y[3];\n__attribute__((section("socket"))) int f(void *c) { return x + y[1]; }\n' + GPL, BIG)
    for what, args in KINDS.items():
        r = header(path, *args)
        either(r, "int x;" in r.text or "int *x;" in r.text, "endian machines, this one is", what + " of an object of the other byte order")
    r = Run([BPFLENS, "gen", "object", "linked.o", path], timeout=60)
    if not NEW:
        return ok(r.status == 1 and not os.path.exists("linked.o"), "and a linked object: not with this libbpf", r)
    with open(path, "rb") as a, open("linked.o", "rb") as b:
        ok(r.status == 0 and a.read(6) == b.read(6), "a linked object has that byte order", r)
    names = [Run([BPFLENS, "-j", "object", "variables", p]).text for p in (path, "linked.o")]
    ok(names[0] == names[1] and '"y"' in names[0], "and its variables", names)


def struct_ops():
    path = compiled("ops", 'struct lens_ops { int (*f)(void); int flags; };\n__attribute__((section("struct_ops/f"))) int f(void *c) { return 0; }\n' + "".join(
        '__attribute__((section("%s"))) struct lens_ops %s = { .f = (void *)f, .flags = 3 };\n' % row
        for row in ((".struct_ops", "plain"), (".struct_ops.link", "linked"))) + GPL)
    for what in ("a skeleton", "a subskeleton"):
        r = header(path, *KINDS[what])
        either(r, all("struct bpf_map *%s;" % n in r.text and "obj->struct_ops.%s = " % n in r.text for n in ("plain", "linked")),
               "libbpf %d.%d, which has no section .struct_ops.link" % VERSION, what + " has the struct_ops maps of both sections")


def arenas():
    path = compiled("ar", 'struct { int (*type)[33]; int (*map_flags)[1024]; int (*max_entries)[10]; enum { AT = 1ull << 44 } map_extra; } arena\n'
                    '__attribute__((section(".maps")));\nint counter __attribute__((section(".addr_space.1"))) = 5, plain = 3;\n'
                    '__attribute__((section("syscall"))) int f(void *c) { return plain; }\n' + GPL)
    for what in ("a skeleton", "a subskeleton"):
        r = header(path, *KINDS[what])
        either(r, re.search(r"(?s)struct ar__arena \{\s*int \*?counter;", r.text), "which has no __ulong() in maps", what + " has the variables in an arena")
    r = header(path, *KINDS["a light skeleton"])
    ok(r.status == 1 and not r.text and "arena" in r.errors, "a light skeleton cannot have them", r)
    if not NEW:
        return
    header(path, "skeleton")
    out = cc("gcc", "use.c", '#include "x.h"\nint main(void) { struct ar *s = ar__open(); if (!s || s->arena->counter != 5) return 1;\n'
             's->arena->counter = 6; if (ar__load(s)) return 77; return s->arena->counter != 6; }\n', "-o", "use", *LIBRARY)
    r = Run(["./use"], timeout=60) if not out else None
    if r and r.status == 77:
        return skip("gen_libbpf: this kernel does not load an object with an arena")
    ok(r and r.status == 0, "a program sets them before it loads the object", out or r)


def sections():
    """A loader gives programs the types of sections that the linked libbpf does not know."""
    names = ("cgroup/connect_unix", "netfilter", "uprobe.session//bin/sh:main", "tcx/ingress")
    path = compiled("sec", "".join('__attribute__((section("%s"), used)) int p%d(void *c) { return 1; }\n' % (name, i) for i, name in enumerate(names)) + GPL)
    if Run([BPFLENS, "prog", "loadall", path, "--dry-run"]).status:
        return skip("gen_libbpf: this kernel has not all of " + ", ".join(names))
    r = header(path, *KINDS["a light skeleton"])
    out = cc("gcc", "use.c", '#include "x.h"\nint main(void) { struct sec *s = sec__open_and_load(); int i, types[] = { %s };\n'
             "struct { int *fd; } p[] = { %s }; for (i = 0; s && i < 4; i++) { struct bpf_prog_info info; union bpf_attr a; memset(&info, 0, sizeof(info)); memset(&a, 0, sizeof(a));\n"
             "a.info.bpf_fd = *p[i].fd; a.info.info_len = sizeof(info); a.info.info = (long)&info;\n"
             "if (skel_sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &a, sizeof(a)) || info.type != (unsigned)types[i]) return 2 + i; } return !s; }\n" %
             (", ".join(str(TYPES[t]) for t in ("cgroup_sock_addr", "netfilter", "kprobe", "sched_cls")), ", ".join("{ &s->progs.p%d.prog_fd }" % i for i in range(4))), "-o", "use")
    used = Run(["./use"], timeout=60) if not out else None
    ok(r.status == 0 and used and used.status == 0, "a light skeleton loads programs in " + ", ".join(names), out or used or r)


def targets():
    """The number of a function is that of the machine on which the loader runs."""
    path = compiled("tgt", '__attribute__((section("fsession/bpf_fentry_test1"), used)) int p(void *c) { return 0; }\n' + GPL)
    r = header(path, *KINDS["a light skeleton"])
    if VERSION >= (1, 7):
        ok(r.status == 0 and re.search(r'\\0bpf_fentry_test1\\0', r.text.replace('"\n\t\t"', "")), "a loader has the name of its function", r)
    else:
        ok(r.status == 1 and not r.text and "does not know section fsession/bpf_fentry_test1" in r.errors, "a loader that cannot have the name of its function", r)


def keywords():
    path = compiled("kw", 'struct { int (*type)[2]; int (*key_size)[4]; int (*value_size)[4]; int (*max_entries)[4]; } delete\n'
                    '__attribute__((section(".maps")));\nint class = 4, new, nullptr, this = 7;\n'
                    '__attribute__((section("socket"))) int template(void *c) { return class + new + nullptr + this; }\n' + GPL)
    for what, args in KINDS.items():
        ok(header(path, *args).status == 0, what + " with keywords of C++")
    header(path, "skeleton")
    for c in COMPILERS:
        own = "_" if "++" in c else ""
        out = cc(c, "use.c", '#include "x.h"\n' + ('int main(void) { struct kw *s = kw__open();\n'
                 'return !(s && s->data->class# == 4 && s->data->this# == 7 && s->maps.delete# && s->progs.template# && !s->links.template#); }\n').replace("#", own), "-o", "use", *LIBRARY)
        r = Run(["./use"], timeout=60) if not out else None
        ok(r and r.status == 0, "%s: a name with %s" % (c, "an underscore" if own else "nothing more"), out or r)


def functions():
    """Functions in .text, without a program."""
    path = compiled("text", "int x;\nint f(void *c) { return x; }\nint g(void *c) { return x + 1; }\n")
    for what, args in KINDS.items():
        ok(header(path, *args).status == 0, what + " of an object that only has functions in .text")


def errors():
    path = compiled("pin", 'struct { int (*type)[2]; int (*key_size)[4]; int (*value_size)[4]; int (*max_entries)[4]; int (*pinning)[100]; } m\n'
                    '__attribute__((section(".maps")));\n' + GPL)
    r = Run([BPFLENS, "gen", "skeleton", path], timeout=60)
    ok(r.status == 1 and "invalid pinning value 100" in r.errors and "compiled by clang" not in r.errors, "an object of clang that libbpf refuses", r)


where = tempfile.mkdtemp()
try:
    os.chdir(where)
    if shutil.which("clang"):
        for test in (byte_order, struct_ops, arenas, sections, targets, keywords, functions, errors):
            test()
    else:
        skip("gen_libbpf: clang is not installed")
finally:
    shutil.rmtree(where)
finish()
