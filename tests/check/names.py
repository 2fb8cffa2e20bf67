#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A name has one meaning: tags, constants and functions of headers are defined once, those of a file in few files; file names describe
the contents, and no symbol of bpflens is in libbpf's name space. Each rule has its own test, with text that breaks it."""
import collections
import os
import re
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
import rules  # noqa: E402
from rules import ROOT, report, tree, without_comments  # noqa: E402

# Names of files that do not describe the contents, alone or after another word.
VAGUE = {"aux", "bits", "common", "defs", "extra", "functions", "general", "impl", "inner", "internal", "internals", "lib", "misc", "more",
         "other", "others", "part", "parts", "private", "rest", "shared", "stuff", "support", "things", "tools", "util", "utils", "various",
         "word", "words"}
LIBBPF = re.compile(r"_*(?:lib)?bpf_|_*btf__|_*xsk_socket__|_*(?:user_)?ring_buffer|_*perf_buffer|_*usdt_manager|_*hashmap__", re.I)
TAG = re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*\{")
TYPEDEF = re.compile(r"\btypedef\b[^;{}()]*?(?:\(\s*\*\s*(\w+)\s*\)\s*\([^;]*\)|\b(\w+)\s*(?:\([^;()]*\))?)\s*;")
FUNCTION = re.compile(r"^(?!static|typedef|extern|return|else)\w[\w\s*]*?\b(\w+)\s*\([^;{}]*\)\s*\{", re.M)
# Words of stories: who told, what was heard, what lies behind. A name says what is done: report, note, follow.
STORY = {"appeared", "behind", "beside", "heard", "hear", "meant", "tell", "told", "untold", "went"}
MAX_FILES = 2  # in which functions or tags of the same name are defined: a debugger finds the first
ENUM = re.compile(r"\benum\b[^;{}()]*\{([^}]*)\}")
STATIC = re.compile(r"^static\b(?!\s+const\b[^()]*=)[\w\s*]*?\b(\w+)\s*\([^;{}]*\)\s*\{", re.M)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\()?", re.M)


def is_kernels(path):
    """Is it a BPF program? These declare the kernel's types under the kernel's names."""
    return path.endswith((".bpf.c", ".bpf.h"))


def tags(text):
    text = without_comments(text)
    return set(TAG.findall(text)) | {a or b for a, b in TYPEDEF.findall(text)}


def constants(text):
    text = without_comments(text)
    words = {m.split("=")[0].split("[")[0].strip() for body in ENUM.findall(text) for m in re.sub(r"\([^()]*\)", "", body).split(",")}
    return {w for w in words | {m for m, _ in DEFINE.findall(text)} if re.fullmatch(r"[A-Za-z_]\w*", w) and not w.endswith("_H")}


def check_homonyms(texts):
    """A tag of a header is defined once, in all files; a constant of a header, in all headers."""
    for names, others, what in ((tags, (".c", ".h"), "tag"), (constants, (".h",), "constant")):
        where = collections.defaultdict(list)
        for path, text in sorted(texts.items()):
            if path.endswith(others) and not is_kernels(path):
                for name in names(text):
                    where[name].append(path)
        for name, paths in sorted(where.items()):
            if len(paths) > 1 and any(p.endswith(".h") for p in paths):
                yield "%s: the %s is defined in %s" % (name, what, ", ".join(paths))


def check_statics(texts):
    """A function or tag of a .c file says what it works on: others have another name, most of all the functions of headers."""
    ours = {path: without_comments(text) for path, text in sorted(texts.items()) if not is_kernels(path)}
    public = {name: path for path, text in ours.items() if path.endswith(".c") for name in FUNCTION.findall(text)}
    for pattern, what in ((STATIC, "function"), (TAG, "tag")):
        where = collections.defaultdict(list)
        for path, text in ours.items():
            for name in sorted(set(pattern.findall(text))):
                where[name].append(path)
                if pattern is STATIC and name in public:
                    yield "%s: the function %s is also in %s" % (path, name, public[name])
        for name, paths in sorted(where.items()):
            if len(paths) > MAX_FILES:
                yield "%s: the %s is defined in %s" % (name, what, ", ".join(paths))


def check_words(texts):
    for path, text in sorted(texts.items()):
        text = re.sub(r'"(?:\\.|[^"\\])*"', '""', without_comments(text)) if not is_kernels(path) else ""
        for name in sorted(set(re.findall(r"[A-Za-z_]\w*", text))):
            if STORY & set(name.lower().split("_")):
                yield "%s: %s does not say what is done" % (path, name)


def check_namespaces(texts):
    """Tags, functions and macros of the kernel and libbpf are used, but not defined."""
    for path, text in sorted(texts.items()):
        if is_kernels(path):
            continue
        text = without_comments(text)
        names = tags(text) | set(FUNCTION.findall(text)) | {m for m, _ in DEFINE.findall(text)} | \
            set(re.findall(r"^static[\w\s*]*?\b(\w+)\s*\([^;{}]*\)\s*\{", text, re.M))
        for name in sorted(names):
            if LIBBPF.match(name) and not re.match(r"BPFLENS_|BPF_[A-Z]", name):
                yield "%s: %s is a name of libbpf's" % (path, name)


def check_rows(texts):
    """ARG_ is a type of argument; the index of a row has another prefix."""
    known = constants(texts["src/cli/command.h"])
    for path, text in sorted(texts.items()):
        for name in sorted(constants(text)):
            if name.startswith("ARG_") and (name not in known or path != "src/cli/command.h"):
                yield "%s: %s looks like a type of arguments" % (path, name)


def check_fields(texts):
    """One family of macros makes the rows of records; a row that several tables have is a macro with FIELD in its name."""
    where = {}
    for path, text in sorted(texts.items()):
        for name, body in [] if is_kernels(path) else re.findall(r"^#define (\w+)((?:.*\\\n)*.*)", without_comments(text), re.M):
            if not re.search(r"\bFIELD(?!_WHEN\b)\w*\(", body):
                continue
            if not re.search(r"(?:^|_)FIELDS?(?:_|$)", name):
                yield "%s: %s makes fields, but FIELD is not in its name" % (path, name)
            if name in where:
                yield "%s: %s is also in %s" % (path, name, where[name])
            where[name] = path


def check_files(paths):
    for path in paths:
        stem = os.path.basename(path).split(".")[0]
        if stem.split("_")[-1] in VAGUE:
            yield "%s: the name does not say what is in it" % path


def library(name):
    """Symbols that a library exports, or None: it is not installed."""
    cc = shlex.split(os.environ.get("CC", "cc"))
    try:
        path = subprocess.run(cc + ["-print-file-name=" + name], stdout=subprocess.PIPE, universal_newlines=True).stdout.strip()
    except OSError:
        return None
    return defined(path, ["-D"] if name.endswith(".so") else []) if "/" in path else None


def defined(path, options=()):
    try:
        p = subprocess.run(["nm", "-g", "--defined-only", *options, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           universal_newlines=True)
    except OSError:
        return None
    return {line.split()[-1].split("@")[0] for line in p.stdout.splitlines() if len(line.split()) == 3} if not p.returncode else None


def check_symbols(ours, theirs):
    for name in sorted(ours):
        if name in theirs or LIBBPF.match(name):
            yield "%s is a name of libbpf's" % name


def self_test():
    two = {"src/a/a.h": "struct walk {\n", "src/b/b.c": "struct walk {\n"}
    broken = [
        (check_homonyms, two), (check_homonyms, {"src/a.h": "enum a { NONE };\n", "src/b.h": "#define NONE 1\n"}),
        (check_homonyms, {"src/a.h": "typedef int take(void);\n", "src/b.h": "typedef void (*take)(int n);\n"}),
        (check_homonyms, {"src/a.h": "union u {\n", "src/b.h": "typedef struct v { int n; } w; enum u {\n"}),
        (check_statics, {"src/%s.c" % c: "static int take(int fd)\n{\n" for c in "abc"}),
        (check_statics, {"src/%s.c" % c: "struct walk {\n" for c in "abc"}),
        (check_statics, {"src/a.c": "static struct walk *take(int fd,\n\tint n)\n{\n", "src/b.c": "struct walk *take(void)\n{\n"}),
        (check_words, {"src/a.c": "static void change_tell(int fd)\n{\n"}), (check_words, {"src/a.h": "struct a { bool told; };\n"}),
        (check_namespaces, {"src/a.h": "struct bpf_attach {\n"}), (check_namespaces, {"src/a.c": "int bpf_detach(int fd)\n{\n"}),
        (check_namespaces, {"src/a.c": "static int btf__find(int fd)\n{\n"}), (check_namespaces, {"src/a.h": "#define libbpf_take(x) (x)\n"}),
        (check_rows, {"src/cli/command.h": "enum arg_type { ARG_PATH };\n", "src/a.c": "enum { ARG_MAP, ARG_FILE };\n"}),
        (check_rows, {"src/cli/command.h": "enum arg_type { ARG_PATH };\n", "src/a.c": "enum { ARG_PATH };\n"}),
        (check_fields, {"src/a.c": "#define ROW(m, ...) \\\n\tFIELD(a, m, ##__VA_ARGS__)\n"}),
        (check_fields, {"src/%s.c" % c: "#define A_FIELD(m, ...) FIELD(a, m, ##__VA_ARGS__)\n" for c in "ab"}),
        (check_files, ["src/net/words.c"]), (check_files, ["src/all/ls_words.c"]), (check_files, ["src/net/inner.h"]),
        (check_files, ["tests/unit/utils.h"]), (check_files, ["src/cli/common.c"]), (check_files, ["src/object/parts.h"]),
    ]
    fine = [
        (check_homonyms, {"src/a.c": "struct walk {\n", "src/b.c": "struct walk {\n"}),
        (check_homonyms, {"src/a.h": "struct walk { int n; };\n", "src/b.c": "static struct walk w = {\n/* struct walk { */"}),
        (check_homonyms, {"src/own/a.bpf.h": "struct call {\n", "src/a.h": "struct call {\n"}),
        (check_statics, {"src/%s.c" % c: "static int take(int fd)\n{\nstruct walk {\n" for c in "ab"}),
        (check_statics, {"src/a.c": "static int take(int fd);\nstatic const int taken[] = { take(1) };\n", "src/b.c": "int take(int fd)\n{\n"}),
        (check_words, {"src/a.c": "/* told */ puts(\"told\"); int telling, totaled;\n"}),
        (check_namespaces, {"src/own/a.bpf.c": "struct bpf_map {\n", "src/a.c": "\terr = bpf_map_create(1);\nint sys_bpf(int cmd)\n{\n"}),
        (check_namespaces, {"src/a.h": "#define BPFLENS_VERSION 1\n#define BPF_F_LINK 1\n"}),
        (check_rows, {"src/cli/command.h": "enum arg_type { ARG_PATH };\n", "src/a.c": "enum { ROW = ARG_PATH };\n"}),
        (check_fields, {"src/a.c": "#define A_FIELD(m, ...) FIELD(a, m, ##__VA_ARGS__)\n#define ROW 1\n"}),
        (check_files, ["src/map/view/inner_maps.c", "src/kernel/helpers.c", "src/map/types.h", "src/object/core.c"]),
    ]
    report("the rules for names find what breaks them", ["%s misses %r" % (f.__name__, t) for f, t in broken if not list(f(t))])
    report("and accept other names", ["%s: %s" % (f.__name__, list(f(t))) for f, t in fine if list(f(t))])
    report("and notice symbols of libbpf", ["missed"] * (len(list(check_symbols({"bpf_x", "btf_x", "taken"}, {"taken"}))) != 2))


def main():
    self_test()
    texts = {p: open(os.path.join(ROOT, p), encoding="utf-8").read() for p in tree(".c", ".h") if p.startswith("src/")}
    report("no tag and no constant of a header is defined twice", check_homonyms(texts))
    report("functions and tags of a file have names of their own", check_statics(texts))
    report("names are not the words of stories", check_words(texts))
    report("no name is in libbpf's name space", check_namespaces(texts))
    report("no row of arguments is named like a type", check_rows(texts))
    report("macros that make fields have names of their own", check_fields(texts))
    report("file names describe the contents", check_files(tree(".c", ".h", ".py", ".sh")))
    ours = defined(os.path.join(os.environ.get("BUILD", os.path.join(ROOT, "build")), "libbpflens.a"))
    libraries = [names for names in map(library, ("libbpf.a", "libbpf.so")) if names]
    if ours and libraries:
        report("no symbol is also defined by libbpf", check_symbols(ours, set().union(*libraries)))
    else:
        print("skip - symbols that libbpf also defines: nm(1), libbpf or build/libbpflens.a is missing")
    sys.exit(1 if rules.failures else 0)


if __name__ == "__main__":
    main()
