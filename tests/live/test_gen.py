#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""gen: headers that every compiler accepts without a warning, with the structs of this libbpf and of 1.5, and that programs can use;
with bpftool's names; files are written completely or not at all."""
import glob
import os
import re
import resource
import shutil
import struct
import subprocess
import tempfile

from world import BPFLENS, BUILD, Run, finish, isolate, ok, skip

isolate()
OBJECTS = BUILD + "/tests/live/"
COMPILERS = [c for c in ("gcc", "clang", "g++", "clang++") if shutil.which(c)]
# What the kernel's tools add to a header, for C.
KERNEL = "-Wbad-function-cast -Wdeclaration-after-statement -Wformat-security -Winit-self -Wmissing-declarations -Wmissing-prototypes " \
         "-Wnested-externs -Wold-style-definition -Wredundant-decls -Wstrict-prototypes -Wswitch-default -Wundef -Wwrite-strings -Wshadow".split()
STRICT = ["-O2", "-Wall", "-Wextra", "-Werror", "-I."]
POINT = "#ifndef POINT\n#define POINT\ntypedef unsigned char byte;\nstruct point { int x, y; };\nenum colour { RED, GREEN = 5 };\n" \
        "struct tight { char c; long l; } __attribute__((packed));\n#endif\n"
# Types of variables, which the headers take from the program.
TYPES = {"skel": POINT, "object": "enum state { IDLE, BUSY = 7 };\n", "load": "struct limits { int min, max; };\n", "ops": "", "shadow": "",
         "cc": "", "trace": "", "progs": "", "net": "", "iters": "", "core": "", "cc_plain": ""}
PROGRAM = POINT + r'''
#include "skel.skel.h"
#include <stdio.h>
#include <unistd.h>
#include <sys/syscall.h>
#define CHECK(x) do { if (!(x)) { fprintf(stderr, "line %d: %s\n", __LINE__, #x); return 1; } } while (0)
#ifdef __cplusplus
#define CALL(f) skel_bpf::f
#else
#define CALL(f) skel_bpf__##f
#endif
static int silent(enum libbpf_print_level l, const char *f, va_list a) { (void)l; (void)f; (void)a; return 0; }
int main(int argc, char **argv)
{
	size_t size;
	struct skel_bpf *s;
	(void)argc;
	libbpf_set_print(silent);
	CHECK(CALL(elf_bytes)(&size));
	FILE *f = fopen(argv[1], "w");
	CHECK(f && fwrite(CALL(elf_bytes)(&size), 1, size, f) == size && !fclose(f));
	s = skel_bpf__open();
	CHECK(s && s->obj && s->maps.flows && s->progs.lens_skel && !s->links.lens_skel);
	CHECK(s->data->after_char == 2 && s->data->wide == 4 && s->data->c3 == 5 && s->data->lined == 6 && s->data->few[2] == 9);
	CHECK(s->data->points[1].y == 4 && s->data->tight.l == 2 && s->data->unnamed.number == 10 && s->data->which == 1);
	CHECK(s->data->table[0][0] == 1 && s->rodata->colour == GREEN && s->rodata_text->word[4] == 'o' && s->data_own_1->named.y == 6);
	s->rodata->step = 3;
	CHECK(!CALL(load)(s) && !CALL(attach)(s) && s->links.lens_skel);
	syscall(SYS_getpid);
	CHECK(s->bss->hits >= 3 && s->bss->hits % 3 == 0 && s->bss->seen == 1 && s->kconfig->LINUX_KERNEL_VERSION > 0);
	CALL(detach)(s);
	CHECK(!s->links.lens_skel);
	CALL(destroy)(s);
	s = CALL(open_and_load)();
	CHECK(s && s->rodata->step == 1);
	skel_bpf__destroy(s);
	skel_bpf__destroy(NULL);
	return 0;
}
'''
LIGHT = POINT + r'''
#include "light.lskel.h"
#include <stdio.h>
#define CHECK(x) do { if (!(x)) { fprintf(stderr, "line %d: %s\n", __LINE__, #x); return 1; } } while (0)
int main(void)
{
	struct light *s = light__open();
	CHECK(s && s->data->after_char == 2 && s->rodata->step == 1 && s->data_own_1->named.y == 6 && !s->bss->hits);
	s->rodata->step = 3;
	s->maps.flows.max_entries = 9;
	CHECK(!light__load(s) && s->progs.lens_skel.prog_fd > 0 && s->maps.flows.map_fd > 0);
	CHECK(!light__attach(s) && s->links.lens_skel_fd > 0);
	syscall(__NR_getpid);
	CHECK(s->bss->hits >= 3 && s->bss->hits % 3 == 0 && s->bss->seen && s->kconfig->LINUX_KERNEL_VERSION > 0);
	light__detach(s);
	light__destroy(s);
	s = light__open_and_load();
	CHECK(s && s->rodata->step == 1);
	light__destroy(s);
	light__destroy(NULL);
	return 0;
}
'''
SHARED = POINT + "struct limits { int min, max; };\n" + r'''
#include "both.skel.h"
#define FIRST SUB_FIRST /* an enum without a name is in both */
#define SECOND SUB_SECOND
#include "sub.subskel.h"
#include <stdio.h>
#include <string.h>
#define CHECK(x) do { if (!(x)) { fprintf(stderr, "line %d: %s\n", __LINE__, #x); return 1; } } while (0)
#ifdef __cplusplus
#define CALL(f) sub::f
#else
#define CALL(f) sub__##f
#endif
int main(int argc, char **argv)
{
	struct both *s = both__open();
	struct sub *sub;
	(void)argc, (void)argv;
	CHECK(s);
	sub = CALL(open)(s->obj);
	CHECK(sub && sub->obj == s->obj && sub->maps.flows == s->maps.flows && sub->progs.lens_skel == s->progs.lens_skel);
	CHECK(sub->maps.rodata == s->maps.rodata && sub->maps.data_own_1 == s->maps.data_own_1);
	CHECK(*sub->data.after_char == 2 && (*sub->data.few)[2] == 9 && (*sub->data.points)[1].y == 4 && sub->data.unnamed->number == 10);
	CHECK(!strcmp(*sub->rodata_text.word, "hello?" "?/") && *sub->rodata.step == 1 && !*sub->bss.callback && !*sub->data.pointer);
	*sub->bss.hits = 7;
	CHECK(s->bss->hits == 7 && s->data->lens_limits.max == 3);
	CALL(destroy)(sub);
	sub = sub__open(NULL);
	CHECK(!sub);
	sub__destroy(NULL);
	both__destroy(s);
	return 0;
}
'''
ANSWERS = r'''
#include "needs.skel.h"
#include <stdio.h>
#include <unistd.h>
#include <sys/syscall.h>
int main(int argc, char **argv)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = argv[argc - 1]);
	struct needs_bpf *s = needs_bpf__open_opts(&opts);
	int i;
	if (!s || needs_bpf__load(s) || needs_bpf__attach(s))
		return 1;
	syscall(SYS_getpid);
	for (i = 0; i < 64; i++)
		printf("%d ", s->bss->answers[i]);
	needs_bpf__destroy(s);
	return 0;
}
'''


def gen(*args, **kw):
    return Run([BPFLENS, "gen"] + list(args), timeout=60, **kw)


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def cc(compiler, source, *more):
    """The compiler's messages, or an empty text."""
    p = subprocess.run([compiler] + STRICT + ["-x", "c++" if "++" in compiler else "c", source] + list(more), stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, universal_newlines=True)
    return p.stdout if p.returncode or p.stdout else ""


def libbpf_15():
    """libbpf headers in which the struct of a map has a link."""
    os.makedirs("new/bpf")
    for name in os.listdir("/usr/include/bpf"):
        with open("/usr/include/bpf/" + name) as f:
            text = f.read()
        if name == "libbpf.h":
            text, n = re.subn(r"(struct bpf_map_skeleton \{[^}]*void \*\*mmaped;)(?!\s*struct bpf_link)", r"\1 struct bpf_link **link;", text)
        if name == "libbpf_version.h":
            text = re.sub(r"(MINOR_VERSION) \d+", r"\1 5", text)
        write("new/bpf/" + name, text)


def headers():
    libbpf_15()
    for name in TYPES:
        r = gen("skeleton", OBJECTS + name + ".bpf.o")
        ok(r.status == 0, "gen skeleton %s.bpf.o" % name, r)
        write(name + ".skel.h", r.text)
    # Twice, to test the include guards.
    write("all.c", "".join(TYPES.values()) + "".join('#include "%s.skel.h"\n' % name for name in TYPES) * 2)
    for c in COMPILERS:
        said = cc(c, "all.c", "-c", "-o", "x.o", *([] if "++" in c else KERNEL))
        ok(not said, "%s has no warning for %d headers" % (c, len(TYPES)), said)
        said = cc(c, "all.c", "-Inew", "-c", "-o", "x.o")
        ok(not said, "nor with the headers of libbpf 1.5", said)


def skeleton_runs():
    for c in COMPILERS:
        out = cc(c, "use.c", "-o", "use", "-lbpf")
        r = Run(["./use", "elf"], timeout=60) if not out else None
        with open("elf", "rb") as a, open(OBJECTS + "skel.bpf.o", "rb") as b:
            same = a.read() == b.read()
        ok(not out and r.status == 0 and same, "a program of %s opens, sets, loads, attaches, reads, detaches" % c, out or r)
    # A header that is right for libbpf 1.5, and that 1.1 also accepts.
    out = cc("gcc", "use.c", "-Inew", "-o", "use", "-lbpf")
    ok(not out and Run(["./use", "elf"], timeout=60).status == 0, "compiled for 1.5, it runs with this libbpf", out)


def incbin():
    whole, r = gen("skeleton", OBJECTS + "skel.bpf.o").text, gen("skeleton", os.path.relpath(OBJECTS + "skel.bpf.o"), "incbin")
    ok(r.status == 0 and len(r.text) < len(whole) / 2, "a header without the object's bytes", r)
    write("skel.skel.h", r.text)
    write("other.c", POINT + '#include "skel.skel.h"\nsize_t other(void); size_t other(void) { size_t n; return skel_bpf__elf_bytes(&n) ? n : 0; }\n')
    for c in COMPILERS:
        out = cc(c, "other.c", "-c", "-fPIC", "-o", "other.o") or cc(c, "use.c", "-xnone", "other.o", "-o", "use", "-lbpf")
        ok(not out and Run(["./use", "elf"], timeout=60).status == 0, "%s takes the bytes from the file" % c, out)
    with open("elf", "rb") as a, open(OBJECTS + "skel.bpf.o", "rb") as b:
        ok(a.read() == b.read(), "all of them")
    shutil.copy(OBJECTS + "skel.bpf.o", 'q"uote.o')
    r = gen("skeleton", 'q"uote.o', "incbin")
    ok(r.status == 1 and not r.text and "assemblers" in r.errors, "but not by every name", r)
    write("skel.skel.h", whole)


def struct_of(text):
    """The lines of the main struct, without padding and sections without variables."""
    body = re.search(r"(?ms)^struct \w+ \{\n(.*?)^#ifdef", text).group(1)
    body = re.sub(r"\tstruct \w+ \{\n\t\} \*\w+;\n", "", body)
    # The members of a struct_ops map: bpftool 7.8 takes bit-fields for whole members. See shadows().
    body = re.sub(r"(?s)\t\tstruct shadow_bpf__\w+ \{\n.*?\n\t\t\} ", "", body)
    return [line for line in body.splitlines() if "__pad" not in line]


def like_bpftool():
    if not shutil.which("bpftool"):
        return skip("bpftool is not installed")
    for name in TYPES:
        theirs = Run(["bpftool", "gen", "skeleton", OBJECTS + name + ".bpf.o"], timeout=60)
        if theirs.status:
            skip("bpftool gen skeleton %s.bpf.o fails" % name)
            continue
        with open(name + ".skel.h") as f:
            ours = f.read()
        missing = [line for line in struct_of(theirs.text) if line not in struct_of(ours)]
        names = set(re.findall(r"\b%s_bpf__\w+(?=\()" % name, theirs.text))
        missing += sorted(n for n in names if not re.search(r"\b%s\b" % n, ours))
        order = [line for line in struct_of(ours) if line in struct_of(theirs.text)]
        ok(not missing and ("struct_ops" in ours or order == struct_of(theirs.text)), "%s: the members and functions of bpftool's" % name, missing)


def shadows():
    with open("shadow.skel.h") as f:
        text = f.read()
    shadow = re.search(r"(?s)struct shadow_bpf__lens_shadow__lens_ops \{\n(.*?)\n\t\t\} \*lens_shadow;", text)
    ok(shadow and [line.strip() for line in shadow.group(1).splitlines()] == [
        "struct bpf_program *first;", "__u32 flags;", "char __padding_4[2];", "char c;", "char __padding_5[1];", "long number;",
        "char __unsupported_6[8];", "char __unsupported_7[16];", "char __unsupported_8[8];", "char __unsupported_9[4];", "short last;",
        "char __padding_end[2];"], "the members of a struct_ops map that can be set", shadow and shadow.group(1))
    ok("obj->struct_ops.lens_shadow = " in text and "map->link = &obj->links.lens_shadow" in text, "and the header sets the pointer to them")


def names():
    shutil.copy(OBJECTS + "load.bpf.o", "9 bad-name.o")
    for args, name in ((["9 bad-name.o"], "_9_bad_name"), ([OBJECTS + "load.bpf.o", "name", "a-b"], "a_b"), (["9 bad-name.o", "name", "new"], "new_")):
        r = gen("skeleton", *args)
        write("named.h", TYPES["load"] + r.text)
        write("named.c", '#include "named.h"\nint main(void) { %s__destroy(%s__open()); return 0; }\n' % (name, name))
        said = "".join(cc(c, "named.c", "-c", "-o", "x.o") for c in COMPILERS)
        ok(r.status == 0 and not said, "%s is a name" % name, said or r)
    # Compilers of other languages, and attackers, use any name for a type.
    with open(OBJECTS + "skel.bpf.o", "rb") as f:
        odd = f.read().replace(b"\0point\0", b"\0p;*:>\0").replace(b"\0lens_skel\0", b"\0lens;ske\"\0").replace(b"\0few\0", b"\0f<w\0")
    with open("odd.o", "wb") as f:
        f.write(odd)
    r = gen("skeleton", "odd.o")
    ok(r.status == 0 and "struct p____ named;" in r.text and "byte f_w[3];" in r.text and "struct bpf_program *lens_ske_;" in r.text
       and ';ske"' not in r.text and "struct p;" not in r.text, "names of an object are not code", r.text[:3000])
    write("same.c", 'struct { int (*type)[2]; int (*max_entries)[1]; int *key, *value; } data __attribute__((section(".maps")));\n'
          'int one = 1, two __attribute__((section(".data.a-b"))) = 2, three __attribute__((section(".data.a_b"))) = 3;\n'
          '__attribute__((section("socket"))) int same(void *c) { return one + two + three; }\n')
    subprocess.run(["clang", "-target", "bpf", "-O2", "-g", "-c", "same.c", "-o", "same.o"])
    for args, kind in ((["skeleton"], "a skeleton"), (["skeleton", "-L"], "a light one"), (["subskeleton"], "a subskeleton")):
        r = gen(args[0], "same.o", *args[1:])
        write("same.h", r.text)
        write("same.c", '#include "same.h"\n')
        said = "".join(cc(c, "same.c", "-c", "-o", "x.o", "-Wno-unused-function") for c in COMPILERS)
        ok(r.status == 0 and not said, "names that are the same in C, " + kind, said or r)
    write("same.h", gen("skeleton", "same.o").text)
    write("same.c", '#include "same.h"\nint main(void) { struct same *s = same__open(); return !(s && s->data->one == 1 && s->data_a_b->two == 2 &&\n'
          's->data_a_b_2->three == 3 && s->maps.data != s->maps.data_2 && !bpf_map__is_internal(s->maps.data)); }\n')
    said = cc("gcc", "same.c", "-o", "same", "-lbpf")
    ok(not said and not Run(["./same"], timeout=60).status, "each has its own", said)
    r = gen("skeleton", OBJECTS + "load.bpf.o", "name", "a", "name", "b")
    ok(r.status == 2, "every name is used once", r)


def whole_or_not():
    write("text", "no object")
    os.mkdir("out")
    for file, status in (("text", 1), ("missing.o", 3)):
        r = gen("skeleton", file)
        ok(r.status == status and not r.text and file in r.errors, "%s prints only a message" % file, r)
        r = gen("skeleton", file, "file", "out/x.h")
        ok(r.status == status and not os.listdir("out"), "and no file", r)
    os.umask(0o027)
    r = gen("skeleton", OBJECTS + "load.bpf.o", "file", "out/x.h")
    with open("out/x.h") as f, open("load.skel.h") as g:
        ok(r.status == 0 and not r.text and f.read() == g.read() and os.stat("out/x.h").st_mode & 0o777 == 0o640, "file PATH", r)
    r = Run(["sh", "-c", 'exec "$0" gen skeleton "$1" > /dev/full', BPFLENS, OBJECTS + "load.bpf.o"], timeout=60)
    ok(r.status == 1, "a full disk is a failure", r)


def full_disk(parts):
    """All commands name the file and the cause, and leave nothing."""
    os.mkdir("small")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", "small"], check=True)
    limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))}
    try:
        with open("small/rest", "wb") as f:
            f.write(bytes(16384))
        for words in (["object", "OUT", *parts], ["object", "OUT", parts[0]], ["min_core_btf", VMLINUX, "OUT", parts[1]], ["skeleton", parts[0], "file", "OUT"]):
            for folder, kw, cause in (("small", {}, "No space left on device [ENOSPC]"), (".", limited, "File too large [EFBIG]")):
                path = folder + "/large"
                r = gen(*[path if w == "OUT" else w for w in words], **kw)
                if kw and words[0] == "min_core_btf" and r.status == 0:  # these types are small
                    os.unlink(path)
                    continue
                ok(r.status == 1 and path + ": " in r.errors and cause in r.errors and not os.path.exists(path), "gen %s: %s" % (words[0], cause), r)
    finally:
        subprocess.run(["umount", "small"])
    os.rmdir("small")


def streamed(parts):
    """A file that the caller opened keeps its mode."""
    for words in (["object", "/dev/stdout", *parts], ["min_core_btf", VMLINUX, "/dev/stdout", *parts], ["skeleton", parts[0], "file", "/dev/stdout"]):
        with open("stream", "wb") as f:
            os.chmod("stream", 0o600)
            status = subprocess.run([BPFLENS, "gen", *words], stdout=f, timeout=60).returncode
        got = os.stat("stream")
        ok(status == 0 and got.st_size and got.st_mode & 0o777 == 0o600, "gen %s to standard output" % words[0], oct(got.st_mode))
        os.unlink("stream")


def linking():
    def facts(what, path):
        return sorted(r["name"] for r in Run([BPFLENS, "-j", "object", what, path], timeout=60).json)

    parts = [OBJECTS + "load.bpf.o", OBJECTS + "skel.bpf.o"]
    os.umask(0o022)
    r = gen("object", "both.o", *parts)
    ok(r.status == 0 and not r.text and all(facts(what, "both.o") == sorted(sum((facts(what, p) for p in parts), []))
                                            for what in ("programs", "variables", "externs")), "two objects become one", r)
    ok(os.stat("both.o").st_mode & 0o777 == 0o644, "with mode 0644")
    r = gen("object", "again.o", "both.o")
    ok(r.status == 0 and facts("sections", "again.o") == facts("sections", "both.o"), "one object is linked to one", r)
    if shutil.which("bpftool"):
        subprocess.run(["bpftool", "gen", "object", "theirs.o"] + parts)
        with open("theirs.o", "rb") as a, open("both.o", "rb") as b:
            theirs, ours = (Run([tool, "-j", "version"]).json["libbpf_version"] for tool in ("bpftool", BPFLENS))
            if theirs == ours:
                ok(a.read() == b.read(), "the same as bpftool's")
            else:
                skip("object: bpftool links with libbpf %s, bpflens with %s" % (theirs, ours))
    with open("both.o", "rb") as f:
        before = f.read()
    os.symlink("both.o", "link.o")
    files = sorted(os.listdir("."))
    full_disk(parts)
    streamed(parts)
    files = sorted(os.listdir("."))
    for inputs, status, words in ((["again.o", "link.o"], 2, "link.o is both the output and an input"), (["both.o", "both.o"], 2, "both the output and an input"),
                                  (["again.o", "again.o"], 1, "conflicting"), (["again.o", "use.c"], 1, "use.c: it is not an ELF file"),
                                  (["again.o", "missing.o"], 3, "missing.o"), ([], 2, "argument")):
        r = gen("object", "both.o", *inputs)
        with open("both.o", "rb") as f:
            ok(r.status == status and words in r.errors and f.read() == before and sorted(os.listdir(".")) == files,
               "the old file stays: %s" % words, r)


def subskeleton():
    write("both.skel.h", gen("skeleton", "both.o").text)
    r = gen("subskeleton", OBJECTS + "skel.bpf.o", "name", "sub")
    write("sub.subskel.h", r.text)
    write("shared.c", SHARED)
    for c in COMPILERS:
        out = cc(c, "shared.c", "-o", "shared", "-lbpf") + cc(c, "shared.c", "-Inew", "-c", "-o", "x.o")
        use = Run(["./shared"], timeout=60) if not out else None
        ok(not out and use.status == 0, "a library of %s finds its part of an object" % c, out or use)
    r = gen("subskeleton", OBJECTS + "shadow.bpf.o")
    write("shadow.subskel.h", r.text)
    write("ops.c", '#include "shadow.subskel.h"\n')
    said = "".join(cc(c, "ops.c", "-c", "-o", "x.o") for c in COMPILERS)
    ok(r.status == 0 and not said and "struct_ops.lens_shadow = " in r.text, "also struct_ops", said or r)
    write("plain.c", 'int x; __attribute__((section("socket"))) int f(void *c) { return x; }\n')
    subprocess.run(["clang", "-target", "bpf", "-O2", "-c", "plain.c", "-o", "plain.o"])
    r = gen("subskeleton", "plain.o")
    ok(r.status == 1 and not r.text and "plain.o has no BTF" in r.errors, "without BTF, a message", r)
    r = gen("skeleton", "plain.o")
    write("plain.c", r.text)
    said = "".join(cc(c, "plain.c", "-c", "-o", "x.o", "-Wno-unused-function") for c in COMPILERS)
    ok(r.status == 0 and not said, "a skeleton does not need it", said or r)
    if shutil.which("bpftool"):
        theirs = Run(["bpftool", "gen", "subskeleton", OBJECTS + "skel.bpf.o", "name", "sub"], timeout=60).text
        with open("sub.subskel.h") as f:
            ours = struct_of(f.read())
        wanted = [line.replace("typeof(", "__typeof__(").replace("* *", "**") for line in struct_of(theirs)]
        ok([line for line in wanted if line not in ours] == [], "the members of bpftool's", "\n".join(line for line in wanted if line not in ours))


def light():
    r = gen("skeleton", "-L", OBJECTS + "skel.bpf.o", "name", "light")
    if not ok(r.status == 0, "a light skeleton", r):
        return
    write("light.lskel.h", r.text)
    write("light.c", LIGHT)
    for c in COMPILERS:
        out = cc(c, "light.c", "-o", "light", "-Wl,--as-needed")
        use = Run(["./light"], timeout=60) if not out else None
        ok(not out and use.status == 0, "%s: loads, attaches and reads without libbpf" % c, out or use)
    if shutil.which("bpftool"):
        theirs = Run(["bpftool", "gen", "skeleton", "-L", OBJECTS + "skel.bpf.o", "name", "light"], timeout=60).text
        ours, wanted = (set(re.findall(r"\blight__\w+(?=\()", text)) | set(re.search(r"(?ms)^struct light \{\n(.*?)^\};", text).group(1).splitlines())
                        for text in (r.text, theirs))
        ok(all("__pad" in line for line in wanted - ours), "it has what bpftool's has", wanted - ours)
    write("late.bpf.c", '#include <linux/bpf.h>\n#include <bpf/bpf_helpers.h>\nint first, second;\n'
          'SEC("?raw_tp/sys_exit") int not_loaded(void *c) { first++; return 0; }\n'
          'SEC("raw_tp/sys_enter") int loaded(void *c) { second++; return 0; }\nchar l[] SEC("license") = "GPL";\n')
    subprocess.run(["clang", "-target", "bpf", "-O2", "-g", "-I/usr/include/" + os.uname().machine + "-linux-gnu", "-c", "late.bpf.c", "-o", "late.o"])
    r = gen("skeleton", "--use-loader", "late.o", "file", "late.lskel.h")
    write("late.c", '#include "late.lskel.h"\nint main(void) { struct late *s = late__open_and_load(); if (!s || late__attach(s)) return 1;\n'
          'syscall(__NR_getpid); return !(s->bss->second && !s->bss->first && s->progs.loaded.prog_fd > 0 && !s->progs.not_loaded.prog_fd); }\n')
    out = cc("gcc", "late.c", "-o", "late")
    ok(r.status == 0 and not out and not Run(["./late"], timeout=60).status, "programs that are not loaded do not count", out or r)
    r = gen("skeleton", "-L", OBJECTS + "ops.bpf.o")
    ok(r.status == 1 and not r.text and "cannot make a loader: the file has struct_ops" in r.errors, "what libbpf cannot make", r)
    r = gen("subskeleton", "-L", OBJECTS + "skel.bpf.o")
    ok(r.status == 2, "there is no light subskeleton", r)


VMLINUX = "/sys/kernel/btf/vmlinux"


def loads(path, types):
    """The result of loading, without the verifier's details about missing types, which differ with few types."""
    r = Run([BPFLENS, "-j", "prog", "loadall", path, "/sys/fs/bpf/never", "kernel_btf", types, "--dry-run"], timeout=60)
    return r.status, r.text if not r.status else re.sub(" is rejected: (.* has|there is) no .*", " misses something", r.json["error"])


def minimal():
    if not os.path.exists(VMLINUX):
        return skip("the kernel has no BTF")
    objects = [OBJECTS + name + ".bpf.o" for name in ("needs", "core", "trace")]
    for n in (1, 3):
        r = gen("min_core_btf", VMLINUX, "min.btf", *objects[:n])
        ok(r.status == 0 and not r.text, "min_core_btf of %d objects" % n, r)
        if shutil.which("bpftool"):
            subprocess.run(["bpftool", "gen", "min_core_btf", VMLINUX, "theirs.btf"] + objects[:n])
            ours, theirs = (Run([BPFLENS, "btf", "dump", "file", f], timeout=60).text for f in ("min.btf", "theirs.btf"))
            ok(ours == theirs and ours and os.stat("min.btf").st_size <= os.stat("theirs.btf").st_size, "has what bpftool's has, and is not larger", ours)
    write("needs.skel.h", gen("skeleton", objects[0]).text)
    write("answers.c", ANSWERS)
    out = cc("gcc", "answers.c", "-o", "answers", "-lbpf")
    full, less = (Run(["./answers", f], timeout=60) for f in (VMLINUX, "min.btf"))
    ok(not out and full.status == 0 and less.text == full.text and len(set(full.text.split())) > 12, "an object finds the same in it as in all types",
       "%s%s\n%s" % (out, full, less))
    # Without one member, the program would notice.
    r = gen("min_core_btf", VMLINUX, "none.btf", objects[2])
    ok(r.status == 0 and Run(["./answers", "none.btf"], timeout=60).text != full.text, "and a missing member is missing in it as well", r)
    r = gen("min_core_btf", "min.btf", "again.btf", objects[0])
    with open("again.btf", "rb") as a, open("min.btf", "rb") as b:
        gen("min_core_btf", "min.btf", "less.btf", *objects)
        ok(r.status == 0 and open("less.btf", "rb").read() == b.read() and a.read(), "the minimum of a minimum is the same", r)
    # Two structs of the same name, as some kernels have them.
    for name, members in (("one", "int a, b, same;"), ("two", "int b, a, same;"), ("asks", "int same;"), ("asks_b", "int b;")):
        write(name + ".c", "struct lens_two { %s } __attribute__((preserve_access_index));\nstruct lens_two %s_is;\n"
              '__attribute__((section("socket"))) int %s(struct lens_two *p) { return __builtin_preserve_field_info(p->%s, 0); }\n'
              % (members, name, name, "same" if "same" in members else "b"))
        subprocess.run(["clang", "-target", "bpf", "-O2", "-g", "-c", name + ".c", "-o", name + ".o"])
    gen("object", "kernel.o", "one.o", "two.o")
    for asks, n in (("asks.o", 1), ("asks_b.o", 2)):
        gen("min_core_btf", "kernel.o", "again.btf", asks)
        text = Run([BPFLENS, "btf", "dump", "file", "again.btf"], timeout=60).text
        ok(text.count("STRUCT 'lens_two'") == n, "structs with the same answer are taken once, others all", text)
    write("number.c", 'struct task_struct { int pid; };\n__attribute__((section("socket"))) int number(void *ctx)\n'
          '{ return __builtin_btf_type_id(*(struct task_struct *)0, 1); }\n')
    write("maps.c", 'struct { int (*type)[1]; } x __attribute__((section(".maps")));\n')
    for name in ("number", "maps"):
        subprocess.run(["clang", "-target", "bpf", "-O2", "-g", "-c", name + ".c", "-o", name + ".o"])
    r = gen("min_core_btf", VMLINUX, "again.btf", "number.o")
    ok(r.status == 0 and "number.o asks for the id of type task_struct in the kernel" in r.errors, "an object that asks for the number of a type is reported", r)
    shutil.copy("number.o", "other.o")
    r = gen("min_core_btf", VMLINUX, "again.btf", "number.o", "other.o")
    ok(r.status == 0 and all(file + " asks for the id of type task_struct" in r.errors for file in ("number.o", "other.o")), "and so are several", r)
    r = gen("min_core_btf", VMLINUX, "again.btf", "maps.o")
    with open("again.btf", "rb") as f:
        header = struct.unpack("=HBBI4I", f.read(24))
    ok(r.status == 0 and not r.errors and header[5] == 0 and header[7] == 1 and os.stat("again.btf").st_size == header[3] + 1,
       "an object without code needs no types", r)
    for path in sorted(glob.glob(OBJECTS + "*.bpf.o")):
        r = gen("min_core_btf", VMLINUX, "again.btf", path)
        full, less = (loads(path, types) for types in (VMLINUX, "again.btf"))
        ok(r.status == 0 and full == less, "%s loads or fails as with all types" % os.path.basename(path), (r, full, less))
    os.unlink("again.btf")
    write("plain.c", "int x;\n")
    subprocess.run(["clang", "-target", "bpf", "-c", "plain.c", "-o", "plain.o"])
    for args, status, words in (([VMLINUX, "again.btf", "plain.o"], 1, "plain.o has no section .BTF"), ([VMLINUX, "again.btf"], 2, "argument"),
                                (["missing", "again.btf", objects[0]], 3, "missing"), (["use.c", "again.btf", objects[0]], 1, "use.c"),
                                ([VMLINUX, "again.btf", objects[0], "use.c"], 1, "use.c"), ([VMLINUX, "plain.o", objects[0], "plain.o"], 2, "plain.o is both"), ([VMLINUX, "no/dir", objects[0]], 3, "no/dir")):
        r = gen("min_core_btf", *args)
        ok(r.status == status and words in r.errors and not os.path.exists("again.btf") and len(r.errors.splitlines()) <= 2, "one message, no file: %s" % words, r)


where = tempfile.mkdtemp()
try:
    os.chdir(where)
    headers()
    write("use.c", PROGRAM)
    skeleton_runs()
    incbin()
    like_bpftool()
    shadows()
    names()
    whole_or_not()
    linking()
    subskeleton()
    light()
    minimal()
finally:
    shutil.rmtree(where)
finish()
