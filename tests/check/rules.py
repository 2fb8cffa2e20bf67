#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The architecture as rules that a program can check: which folder may include which, which files may call the system or
print, lengths of files and functions, licence lines. Each rule has its own test, with text that breaks it."""
import collections
import functools
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
failures = 0

# From top to bottom; a folder includes its own headers and those of folders below it. Kinds are on the same level, and include NAME/NAME.h of others.
KINDS = ["prog", "map", "link", "btf", "pin", "struct_ops", "iter", "cgroup", "net", "perf", "gen", "feature", "events", "token", "info"]
LAYERS = [["."], ["recording", "diff", "mem", "metrics", "top", "audit", "doctor"], ["all"], ["series"], ["relate"], ["inventory"], KINDS, ["load"], ["object"], ["code"], ["types"], ["netns"], ["cli"], ["render"], ["record"], ["source"], ["host"], ["own"], ["kernel"], ["base"]]
LEVEL = {name: i for i, names in enumerate(LAYERS) for name in names}
PUBLIC = {k + "/" + k + ".h" for k in KINDS}

# Files that may ask the running system; all others ask the source.
SYSTEM = re.compile(r"^src/(own/|host/|kernel/|source/live/)")
ASKS = re.compile(r"\b(if_indextoname|if_nametoindex|getpwuid|getpwnam|sysconf|clock_gettime|gettimeofday|getpagesize|"
                  r"libbpf_num_possible_cpus|bpf_(?:prog|map|link|btf|obj)_get\w*|bpf_map_(?:lookup|update|delete)\w*|"
                  r"btf__load_(?:vmlinux|from_kernel|module)\w*|syscall)\s*\(|"
                  r"\b(?:f?open|openat|opendir|readlink|stat|lstat|access)\s*\([^;]*\"/(?:proc|sys)")
# Commands that change the system call it themselves; the list may only shrink.
ASKS_EXCEPT = {"src/base/newfile.c": "gives a file without a name its name through /proc/self/fd"}
PRINTS = re.compile(r"(?<![\w.>])(v?f?printf|puts|fputs|putchar|putc|fputc|fwrite|perror)\s*\(")
PRINTS_OK = re.compile(r"^src/(base/out\.c|main\.c)$")
MUTABLE_EXCEPT = {"src/kernel/log.c": "libbpf's callback has no context",
                  "src/base/arena.c": "out of memory: what runs then, in the middle of any function"}
KERNEL_HEADERS = re.compile(r"<(linux/bpf\.h|bpf/[a-z]+\.h|libelf\.h|gelf\.h|zlib\.h|sys/capability\.h|"
                            r"bfd\.h|dis-asm\.h|dlfcn\.h|curses\.h|term\.h|openssl/[a-z]+\.h|microhttpd\.h)>")
KERNEL_HEADERS_OK = {
    "linux/bpf.h": r"^src/(kernel|host|own|source|types|code|prog|map|link|btf|pin|object|struct_ops|iter|gen|feature|doctor)/", "bpf/libbpf.h": r"^src/(kernel|host|own|source|types|code|prog|map|struct_ops|iter|gen|load)/",
    "bpf/bpf.h": r"^src/(kernel|host|own|source|pin|map|prog|struct_ops)/", "bpf/btf.h": r"^src/(kernel|host|own|types|code|prog|map|source|gen|load)/",
    "bpf/bpf_helpers.h": r"\.bpf\.c$", "bpf/bpf_tracing.h": r"\.bpf\.c$", "bpf/bpf_core_read.h": r"\.bpf\.c$",
    "libelf.h": r"^src/(host/elf/elf|own/image)\.c$", "gelf.h": r"^src/host/elf/(elf|func|usdt|write)\.c$", "zlib.h": r"^src/source/file/gzip\.c$",
    "sys/capability.h": r"^src/host/caps\.c$", "bfd.h": r"^src/code/disasm_bfd\.c$", "dis-asm.h": r"^src/code/disasm_bfd\.c$",
    "dlfcn.h": r"^src/(code/disasm_bfd|host/(sign|http/http)|render/terminal)\.c$", "curses.h": r"^src/render/terminal\.c$", "term.h": r"^src/render/terminal\.c$",
    "microhttpd.h": r"^src/host/http/http\.c$", "openssl/cms.h": r"^src/host/sign\.c$",
    "openssl/err.h": r"^src/host/sign\.c$", "openssl/pem.h": r"^src/host/sign\.c$",
}
HOOKS = "src/kernel/hooks.c"
HOOKS_EXCEPT = {"src/prog/cmd_attach.c": "the words are names of arguments, which are constants; target_of() looks them up"}
MAX_FILE, MAX_FUNCTION, P90_FUNCTION, MAX_FOLDER = 500, 80, 40, 40


def without_comments(text):
    """Replace comments by blanks; line breaks and strings stay."""
    out, i = [], 0
    for m in re.finditer(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', text, re.S):
        out.append(text[i:m.start()])
        out.append(m.group() if m.group()[0] == '"' else re.sub(r"[^\n]", " ", m.group()))
        i = m.end()
    return "".join(out) + text[i:]


def lines(text):
    return enumerate(without_comments(text).splitlines(), 1)


def no_strings(line):
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', line)


def check_includes(path, text):
    me = path.split("/")[1] if path.count("/") > 1 else "."
    for n, line in lines(text):
        m = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not m:
            continue
        other = m.group(1).split("/")[0] if "/" in m.group(1) else "."
        if other == me or "/" not in m.group(1):
            continue
        if other not in LEVEL:
            yield "%s:%d: includes %s from a folder that is in no layer" % (path, n, m.group(1))
        elif LEVEL[other] < LEVEL.get(me, -1):
            yield "%s:%d: %s/ may not include %s: it lies above" % (path, n, me, m.group(1))
        elif LEVEL[other] == LEVEL.get(me, -1) and m.group(1) not in PUBLIC:
            yield "%s:%d: %s/ may not include the inner header %s" % (path, n, me, m.group(1))


# What base/base.h includes.
COMMON = re.compile(r'\s*#\s*include\s+"base/(arena|array|err|hash|num|out|str)\.h"')


def check_common(path, text):
    if path.startswith("src/base/"):
        return
    for n, line in lines(text):
        if COMMON.match(line):
            yield "%s:%d: include base/base.h" % (path, n)


def check_base(texts):
    """base/base.h comes with the other headers of ours; a file includes it where none of these does."""
    includes = {path: re.findall(r'(?m)^\s*#\s*include\s+"([^"]+)"', text) for path, text in texts.items()}

    @functools.lru_cache(None)
    def has_base(name):
        return name == "base/base.h" or any(map(has_base, includes.get("src/" + name, ())))

    for path, names in sorted(includes.items()):
        if "base/base.h" in names and not path.startswith("src/base/"):
            for name in [n for n in names if n != "base/base.h" and has_base(n)][:1]:
                yield "%s: base/base.h comes with %s" % (path, name)


def check_kernel_headers(path, text):
    for n, line in lines(text):
        m = re.match(r"\s*#\s*include\s+" + KERNEL_HEADERS.pattern, line)
        if m and not re.search(KERNEL_HEADERS_OK.get(m.group(1), "$^"), path):
            yield "%s:%d: <%s> has no business here" % (path, n, m.group(1))


def check_asks(path, text):
    if SYSTEM.match(path) or path.endswith(".bpf.c"):
        return
    for n, line in lines(text):
        m = ASKS.search(line)
        if m:
            yield "%s:%d: asks the running system (%s); ask the source" % (path, n, m.group().split("(")[0].strip())


def check_prints(path, text):
    if PRINTS_OK.match(path) or not path.endswith(".c") or path.endswith(".bpf.c"):
        return
    for n, line in lines(text):
        m = PRINTS.search(no_strings(line))
        if m:
            yield "%s:%d: %s(): output goes through base/out" % (path, n, m.group(1))


def check_unions(path, text):
    """An initializer of a union sets its first member, or a named one; since gcc 15 the other bytes are undefined."""
    for m in re.finditer(r"\n\t+union\b(?:\s*\{(?:[^{}]|\{[^{}]*\})*\}|\s+\w+)\s*\w+\s*=\s*\{", without_comments(text)):
        yield "%s:%d: memset() a union" % (path, text.count("\n", 0, m.start()) + 2)


@functools.lru_cache(None)
def hook_words():
    """The names in kernel/hooks.c: words of hooks, names of attach types, bpftool's words, section names. Words that are also
    a program, map or link type, or a common word, are not searched for."""
    hooks = without_comments(open(os.path.join(ROOT, HOOKS), encoding="utf-8").read())
    types = without_comments(open(os.path.join(ROOT, "src/kernel/names.c"), encoding="utf-8").read())
    hooks = re.sub(r"#\s*include.*", "", hooks)
    spelt = set(re.findall(r'"([a-z][\w./]*)\+?"', hooks))
    return {w for w in spelt - set(re.findall(r'"(\w+)"', types)) if re.search(r"[_/]|retprobe|fentry|fexit|freplace|xdp[dgo]", w)} - {"attach_type"}


def check_hooks(path, text):
    if path == HOOKS or path.endswith(".bpf.c"):
        return
    for n, line in lines(text):
        for m in re.finditer(r'"([a-z][\w./]*)"', line):
            if m.group(1) in hook_words():
                yield '%s:%d: "%s" is the word of a hook: read it from the table in %s' % (path, n, m.group(1), HOOKS)


def check_schemas(path, text):
    """tests/unit/tables.c finds every schema by its name; schemas inside another object are parts of kinds, which it knows."""
    text = without_comments(text)
    for m in re.finditer(r"(\w+ \w+)\s*=\s*SCHEMA\(", text):
        if not re.match(r"schema \w*schema", m.group(1)):
            yield "%s:%d: the name of a schema has 'schema' in it" % (path, text.count("\n", 0, m.end()) + 1)


def check_size(path, text):
    n = text.count("\n")
    if n > MAX_FILE:
        yield "%s: %d lines, %d are allowed: split it by responsibility" % (path, n, MAX_FILE)


def top_level(text):
    """What is outside of braces, which become @; without comments, literals and lines of the preprocessor."""
    text = re.sub(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", without_comments(text))
    text = re.sub(r"'(?:\\.|[^'\\\n])+'" + r'|"(?:\\.|[^"\\\n])*"', "0", text)
    while True:
        outer = re.sub(r"\{[^{}]*\}", "@", text)
        if outer == text:
            return text
        text = outer


DECLARED = re.compile(r"(?:^|[;@])\s*(?!typedef\b|static\b)(?:\w+[\s*]+)+(\w+)\s*\((?!\*)[^;@]*\)(?:\s*__attribute__\s*\(\(.*?\)\))?\s*(?=;)")
DEFINED = re.compile(r"(?m)^(?!static\b|typedef\b)\w[^;=@]*?\b(\w+)\([^;@]*?\)\s*@")


def check_defined(texts):
    """A header's functions are in its folder, in the .c file of its name or in one that the header names."""
    where = collections.defaultdict(set)
    for path, text in texts.items():
        if path.endswith(".c"):
            for m in DEFINED.finditer(top_level(text)):
                where[m.group(1)].add(path)
    for path, text in sorted(texts.items()):
        for name in DECLARED.findall(top_level(text)) if path.endswith(".h") else ():
            files = {p for p in where[name] if os.path.dirname(p) == os.path.dirname(path)}
            if not any(p == path[:-2] + ".c" or re.search(r"(?<![\w./-])" + re.escape(os.path.basename(p)) + r"\b", text) for p in files):
                yield "%s: does not name the file that defines %s(): %s" % (path, name, ", ".join(sorted(where[name])) or "none")


def check_circles(texts):
    """Folders do not include one another in a circle: those at the top, and those within one."""
    below = collections.defaultdict(set)
    for path, text in texts.items():
        for other in re.findall(r'(?m)^\s*#\s*include\s+"([^"]+)"', text):
            me, it = path.split("/")[1:-1], other.split("/")[:-1]
            same = len(os.path.commonprefix([me, it]))
            if it[same:] and me[same:]:
                below["/".join(me[:same + 1])].add("/".join(it[:same + 1]))
    # A folder that is above none of those left, or below none, is in no circle.
    while True:
        ends = {f for f in below if not below[f] & below.keys() or not any(f in below[g] for g in below)}
        if not ends:
            break
        for f in ends:
            del below[f]
    for f in sorted(below):
        yield "src/%s/: in a circle with %s" % (f, ", ".join(sorted(below[f] & below.keys())))


def check_folders(paths, readme):
    """src/README.md says what a folder has; one with more files has more than one subject."""
    have = collections.Counter(os.path.dirname(p)[4:] for p in paths)
    listed = {folder for row in re.findall(r"^\|([^|]*)\|", readme, re.M) for folder in re.findall(r"`([\w/]+)/`", row)}
    for folder in sorted((have.keys() ^ listed) - {""}):
        yield "src/README.md: %s/ is %s" % (folder, "missing" if folder in have else "listed, and does not exist")
    for folder, n in sorted(have.items()):
        if n > MAX_FOLDER:
            yield "src/%s/: %d files, %d are allowed: split it by subject" % (folder, n, MAX_FOLDER)


# Data, documents, and files whose form has no comments or another place for the licence.
NO_LICENCE_LINE = re.compile(r"\.md$|\.txt$|^LICENSE$|(^|/)\.[^/]*$|^doc/img/|^debian/(?!rules$)|^tests/check/installed$|^examples/.*\.json$|"
                             r"^tests/(archives|check/screens|golden|objects|fuzz/corpus|fuzz/seeds)/|^tests/tasks/\d\d-")


def licensed(paths):
    """A file of an unknown kind, as fuzzers leave them, is among these."""
    return [p for p in paths if not NO_LICENCE_LINE.search(p)]


def check_licence(path, text):
    head = text.split("\n", 2)[:2]
    if not any("SPDX-License-Identifier: BSD-2-Clause" in line for line in head):
        yield "%s: no licence line at its head" % path


# Only render/ knows the form of records and documents: no other file checks for a writer of JSON. Options may
# be checked (a tree is drawn, a graph is DOT). The list may only shrink.
FORMATLESS = re.compile(r"^src/(?!render/)")
FORMAT_EXCEPT = {"src/prog/addr/annotate.c": "text is a copy of the input, with notes",
                 "src/struct_ops/cmd_dump.c": "bpftool's text is a JSON of its own"}
FORMAT = re.compile(r"\w(->|\.)jw\b")


def check_format(path, text):
    if not FORMATLESS.match(path):
        return
    for n, line in lines(text):
        if FORMAT.search(no_strings(line)):
            yield "%s:%d: asks for the format; write a record (render/doc.h)" % (path, n)


def check_rows(path, text):
    """A row is a key, a column and text. Different text is described in the same row (record/field.h: text(), struct wording)."""
    for n, line in lines(text):
        if re.search(r"\bFIELD_(PLAIN_?ONLY|NO_?JSON)\b", line):
            yield "%s:%d: a row for text alone; give the fact's own row a text()" % (path, n)


NO_VARIABLE = re.compile(r"(struct|union|enum)\s+\w+$|(typedef|extern|return|else|case|goto|inline)\b")


def check_mutable(path, text):
    """Variables that outlive a call are constants; of a pointer, the pointer itself also."""
    if path.endswith((".h", ".bpf.c")):
        return
    for n, line in lines(text):
        m = re.match(r"(\t+static\s|(?!\s))([^=;]*[^=;\s])\s*(;|=[^=])", line)
        head = re.sub(r"\[[^]]*\]|__attribute__\(\(.*?\)\)", "", m.group(2)) if m else ""
        function = re.match(r"[\w\s*]+\(\*\s*(.*?)\)\s*\(", head)
        if function:
            head = "*" + function.group(1)
        elif not re.match(r"\w+[\s*]+\w[\w\s*]*$", head) or NO_VARIABLE.match(head):
            continue
        if not re.search(r"\bconst\b", head.rsplit("*", 1)[-1]):
            yield "%s:%d: a mutable global: %s" % (path, n, line.strip())


# Names of answers in an archive (source/questions.c), and calls that avoid the typed question.
KEYS = re.compile(r'"(?:(?:prog|map|link|btf|net|cgroup|func|pin)/%|sys/\w)|ops->get\s*\(')


def check_keys(path, text):
    if path.startswith(("src/source/", "src/kernel/", "src/host/", "src/own/")):
        return
    for n, line in lines(text):
        if KEYS.search(line):
            yield "%s:%d: spells a question; ask() by its row in source/questions.c" % (path, n)


# Functions that only one file may use.
ONCE = {"src/base/array.c": (r"\brealloc(array)?\s*\(", "arrays grow by array_more()"),
        "src/base/num.h": (r"\bisxdigit\s*\(|%\d?hhx", "hex digits are read by num_hex_digit()"),
        "src/host/stop.c": (r"\b(signalfd|sigtimedwait|sigwait|sigwaitinfo|sigsuspend|pause)\s*\(", "a signal is waited for by stop_wait()"),
        "src/source/live/held.c": (r"(?<!int )\bsys_object_open(_rw)?\s*\(", "objects are opened by source_open(), which knows what is held")}


def check_once(path, text):
    for n, line in lines(text):
        for home, (pattern, what) in ONCE.items():
            if path != home and re.search(pattern, line):
                yield "%s:%d: %s" % (path, n, what)


def check_arenas(path, text):
    """A reader allocates what it keeps in the arena that it is given."""
    for n, line in lines(text):
        if re.search(r"\benv->(arena|keep)\s*=[^=]", line) and path != "src/cli/env.c":
            yield "%s:%d: exchanges an arena behind its readers; pass one" % (path, n)
        if re.search(r"\bARENA_SCOPE\(.*keep\)|\barena_clear\(.*\benv->|\barena_scope(_end)?\(", line) and not path.startswith("src/base/arena."):
            yield "%s:%d: frees what others keep; use an arena of its own, or ARENA_SCOPE(env->arena)" % (path, n)


# A variable or literal of instructions, and the kernel's macros for them.
INSNS = re.compile(r"\bstruct bpf_insn\s+\w+\s*(\[[^]]*\]\s*)?=\s*\{|\(\s*struct bpf_insn\s*(\[[^]]*\])?\s*\)\s*\{|"
                   r"\bBPF_(RAW_INSN|EXIT_INSN|EMIT_CALL|MOV(32|64)_\w+|ALU(32|64)_\w+|JMP(32)?_\w+|(LDX?|STX?)_(MEM|IMM64|MAP_FD|ABS))\s*\(")


def check_insns(path, text):
    """BPF programs of bpflens are .bpf.c files."""
    for n, line in lines(text):
        if INSNS.search(no_strings(line)) and not path.endswith(".bpf.c"):
            yield "%s:%d: instructions written by hand" % (path, n)


def check_words(path, text):
    """A command in a message has other text only as a word of a shell."""
    for n, line in lines(text):
        if any(re.search(r"\b(?!bpflens )[\w-]+ %(\.\d+)?s", command) for command in line.split("`")[1::2]):
            yield "%s:%d: an unquoted word in a command; err_hint_word()" % (path, n)


# What not every compiler or machine has, but for where it is dealt with; BPF programs are compiled by one compiler.
PORTABLE = {"__int128": ("src/base/wide.h", "numbers of 128 bits are struct wide: compilers for 32 bits have no __int128"),
            "__BYTE_ORDER__": ("src/base/bytes.h", "load_uint() and BIG_HERE know the byte order")}


def check_portable(path, text):
    for n, line in lines(text):
        for word, (home, what) in PORTABLE.items():
            if word in no_strings(line) and path != home and ".bpf." not in path:
                yield "%s:%d: %s" % (path, n, what)


def check_markers(table, header):
    """The markers of manual page templates in cli/doc/doc.c are those that cli/doc/doc.h lists."""
    known = set(re.findall(r'\{ "([A-Z]+)", (?:marker|doc)_', table))
    listed = set(re.findall(r"^ \*   @([A-Z]+)", header, re.M))
    for name in sorted(known ^ listed):
        yield "src/cli/doc/doc.h: marker @%s@ is %s" % (name, "not listed" if name in known else "unknown to doc.c")


def function_lengths(paths):
    """[(lines, file, name)], or None without Universal Ctags."""
    if not shutil.which("ctags") or b"Universal" not in subprocess.run(["ctags", "--version"], stdout=subprocess.PIPE).stdout:
        return None
    p = subprocess.run(["ctags", "-x", "--_xformat=%{end} %n %F %N", "--kinds-c=f", "--fields=+e"] + paths, stdout=subprocess.PIPE,
                       universal_newlines=True, cwd=ROOT)
    rows = [line.split() for line in p.stdout.splitlines()]
    return sorted((int(r[0]) - int(r[1]) + 1, r[2], r[3]) for r in rows if len(r) == 4 and r[0].isdigit())


SLEEPS_EXCEPT = {"tests/tools/until.py": "waits for conditions", "tests/live/test_terminal.py": "a pager that is slow",
                 "tests/live/test_record_code.py": "code that exists for half a second", "tests/check/rules.py": "this rule"}
SLEEPS = re.compile(r"\btime\.sleep\b|\bimport sleep\b|\bsleep (0?\.\d+|[1-9])\b(?!.*\bdone\b)")


def check_sleeps(path, text):
    """A time that is long enough here is too short elsewhere, and too long everywhere else."""
    for n, line in enumerate(text.splitlines(), 1):
        if SLEEPS.search(line):
            yield "%s:%d: a fixed sleep: wait for a condition, with until() of tests/tools/until.py" % (path, n)


# Files that break a rule, each with its reason. A file that no longer breaks it is removed; to add one, remove another.
EXCEPTIONS = {check_asks: ASKS_EXCEPT, check_format: FORMAT_EXCEPT, check_hooks: HOOKS_EXCEPT, check_mutable: MUTABLE_EXCEPT, check_sleeps: SLEEPS_EXCEPT}
MAX_EXCEPTIONS = 10


def check_exceptions(texts, exceptions):
    rows = [(rule, path) for rule, paths in exceptions.items() for path in paths]
    for rule, path in rows:
        if path not in texts or not list(rule(path, texts[path])):
            yield "%s: needs no exception from %s()" % (path, rule.__name__)
    if len(rows) > MAX_EXCEPTIONS:
        yield "there are %d" % len(rows)


def report(what, problems):
    global failures
    problems = list(problems)
    if problems:
        failures += 1
        print("not ok -", what)
        for p in problems[:20]:
            print("  |", p)
    else:
        print("ok -", what)


def self_test():
    broken = [
        (check_keys, "src/prog/a.c", '\tsnprintf(key, n, "prog/%u/info", id);\n'), (check_keys, "src/all/a.c", '\task("sys/pins");\n'),
        (check_keys, "src/map/a.c", "\tm->src->ops->get(s, &q, a, &b);\n"), (check_arenas, "src/map/a.c", "\tw->env->arena = keep;\n"),
        (check_arenas, "src/map/a.c", "\tARENA_SCOPE(w->env->keep);\n"), (check_arenas, "src/map/a.c", "\tarena_clear(w->env->arena);\n"),
        (check_arenas, "src/map/a.c", "\ts = arena_scope(a);\n"),
        (check_once, "src/map/a.c", "\tp = realloc(p, n);\n"), (check_once, "src/map/a.c", "\tif (isxdigit((unsigned char)*p))\n"),
        (check_once, "src/map/a.c", '\tsscanf(p, "%2hhx", &byte);\n'), (check_once, "src/base/signals.c", "\tsigtimedwait(&all, NULL, &t);\n"),
        (check_once, "src/net/a.c", "\tfd = sys_object_open_rw(OBJECT_PROG, id);\n"),
        (check_insns, "src/own/a.c", "\tstruct bpf_insn code[] = { 0 };\n"),
        (check_insns, "src/kernel/a.c", "\tconst struct bpf_insn exit = { .code = 0x95 };\n"),
        (check_insns, "src/own/a.c", "\tp[0] = (struct bpf_insn){ .code = 0x95 };\n"),
        (check_insns, "src/map/a.c", "\tBPF_MOV64_IMM(BPF_REG_0, 0),\n"), (check_insns, "src/map/a.h", "\tBPF_EXIT_INSN(),\n"),
        (check_portable, "src/map/a.c", "\tunsigned __int128 v;\n"), (check_portable, "src/btf/a.h", "#if __BYTE_ORDER__ == 1234\n"),
        (check_words, "src/pin/a.c", '\terr_hint(e, "`%s unpin -r %s` removes it", k, path);\n'), (check_words, "src/all/a.c", '\tx("`list -o %.64s`", c);\n'),
        (check_schemas, "src/prog/a.c", 'const struct schema rows = SCHEMA("a", struct a, fields);\n'),
        (check_includes, "src/record/a.c", '#include "cli/env.h"\n'), (check_includes, "src/prog/a.c", '#include "map/elems.h"\n'),
        (check_includes, "src/base/a.h", '#include "kernel/abi.h"\n'), (check_includes, "src/cli/a.c", '#include "prog/prog.h"\n'),
        (check_common, "src/map/a.h", '#include "base/err.h"\n'),
        (check_kernel_headers, "src/render/a.c", "#include <linux/bpf.h>\n"),
        (check_kernel_headers, "src/map/a.c", "#include <zlib.h>\n"), (check_kernel_headers, "src/prog/a.c", "#include <bfd.h>\n"),
        (check_asks, "src/link/a.c", "\tif_indextoname(i, buf);\n"), (check_asks, "src/cli/a.c", '\tfd = open("/proc/mounts", 0);\n'),
        (check_asks, "src/map/a.c", "\tn = sysconf(_SC_PAGESIZE);\n"), (check_prints, "src/map/a.c", '\tprintf("x");\n'),
        (check_prints, "src/map/a.c", "\tfwrite(p, 1, n, f);\n"), (check_size, "src/map/a.c", "\n" * 501),
        (check_licence, "src/map/a.c", "int x;\n"), (check_licence, licensed(["slow-unit-01a14d94"])[0], "\x7fELF"), (check_unions, "src/map/a.c", "{\n\tunion bpf_attr attr = { 0 };\n"),
        (check_unions, "src/map/a.c", "{\n\tunion {\n\t\tint a;\n\t\tstruct { int b; } c;\n\t} info = { 0 };\n"),
        (check_hooks, "src/map/a.c", '\tif (!strcmp(what, "sk_msg_verdict"))\n'),
        (check_hooks, "src/link/a.c", '\treturn "trace_fentry";\n'), (check_hooks, "src/net/a.c", '{ "tcx/ingress", "xdpdrv" }\n'),
        (check_hooks, "src/object/a.c", '{ "fentry.s" }\n'),
        (check_format, "src/prog/a.c", "\tif (env->report->jw)\n"), (check_format, "src/net/a.c", "\tx = !r->jw && y;\n"),
        (check_format, "src/btf/cmd/a.c", "\tjsonw_uint(env->report->jw, 1);\n"), (check_format, "src/all/a.c", "\tint w = a.r.jw ? 1 : 0;\n"),
        (check_format, "src/map/cmd/a.c", "\tif (env->report->jw)\n"), (check_format, "src/cli/a.c", "\tif (!r->jw)\n"),
        (check_format, "src/main.c", "\tif (report.jw)\n"), (check_format, "src/base/a.h", "\treturn d->jw;\n"),
        (check_rows, "src/net/a.c", '\tFIELD(T, text, "modes", "modes", .plain = "%", .flags = FIELD_PLAINONLY),\n'),
        (check_rows, "src/record/field.h", "\tFIELD_NOJSON = 1 << 9,\n"),
        (check_markers, '{ "A", marker_a }', ""), (check_markers, "", " *   @A GROUP@\n"),
        (check_mutable, "src/map/a.c", "int n;\n"), (check_mutable, "src/map/a.c", "static struct a b[4] = { 0 };\n"),
        (check_mutable, "src/map/a.c", "static const char *const *p;\n"), (check_mutable, "src/map/a.c", "const char *words;\n"),
        (check_mutable, "src/map/a.c", "void (*at_end)(size_t size);\n"), (check_mutable, "src/map/a.c", "\tstatic unsigned n = 1;\n"),
        (check_mutable, "src/map/a.c", "static int (*how)(int) = f;\n"), (check_mutable, "src/map/a.c", "static struct a b = {\n"),
        (check_folders, ["src/map/%d.c" % i for i in range(41)], "| `map/` | maps |\n"), (check_folders, ["src/map/a.c"], "| a | `map/` |\n"),
        (check_folders, [], "| `map/` `net/` | gone |\n"),
        (check_sleeps, "tests/live/test_a.py", "    time.sleep(0.3)\n"), (check_sleeps, "tests/live/test_a.py", "from time import sleep\n"),
        (check_sleeps, "tests/check/a.sh", "make &\nsleep 1\n"), (check_sleeps, "tests/live/test_a.py", '    script = "load; sleep 0.5; rm a"\n'),
        (check_defined, {"src/a/b.h": "int f(void);\n", "src/c/b.c": "int f(void)\n{\n}\n"}),
        (check_defined, {"src/a/b.h": "/* c/d.c */\nint f(void);\n", "src/a/d.c": "int f(void)\n{\n}\n"}),
        (check_defined, {"src/a/b.h": "struct s {\n\tint a;\n};\nconst struct s *f(int (*g)(int),\n\tint b);\n", "src/a/b.c": "static int f(void)\n{\n}\n"}),
        (check_base, {"src/a/x.c": '#include "base/base.h"\n#include "a/x.h"\n', "src/a/x.h": '#include "b/x.h"\n', "src/b/x.h": '#include "base/base.h"\n'}),
        (check_circles, {"src/a/x.h": '#include "b/x.h"\n', "src/b/x.c": '#include "c/x.h"\n', "src/c/x.c": '#include "a/y.h"\n'}),
        (check_circles, {"src/a/b/x.c": '#include "a/c/x.h"\n', "src/a/c/d/x.h": '#include "a/b/x.h"\n'}),
        (check_exceptions, {}, {check_size: {"src/gone.c": "long"}}), (check_exceptions, {"a": "\n"}, {check_size: {"a": "long"}}),
        (check_exceptions, {str(i): "\n" * 501 for i in range(11)}, {check_size: {str(i): "long" for i in range(11)}}),
    ]
    fine = [
        (check_defined, {"src/a/b.h": "/* f() is in c.c. */\nint f(void);\nint (*g)(void);\ntypedef int h(void);\nstatic inline int i(void)\n{\n\treturn k('}');\n}\n",
                         "src/a/c.c": "int\nf(void)\n{\n\tif (x) {\n\t}\n}\n"}),
        (check_circles, {"src/a/x.h": '#include "b/x.h"\n#include "c/x.h"\n', "src/b/x.c": '#include "c/x.h"\n#include "b/d/x.h"\n', "src/b/d/x.h": '#include "b/x.h"\n'}),
        (check_base, {"src/a/x.c": '#include "base/base.h"\n#include "a/x.h"\n', "src/a/x.h": '#include "b/x.bpf.h"\n', "src/base/err.c": '#include "base/err.h"\n#include "base/base.h"\n'}),
        (check_common, "src/map/a.c", '#include "base/base.h"\n#include "base/near.h"\n'), (check_common, "src/base/base.h", '#include "base/err.h"\n'),
        (check_keys, "src/source/a.c", '\tx = "prog/%u/info";\n'), (check_keys, "src/object/a.c", '\tSECTIONS("cgroup/dev")\n'),
        (check_once, "src/base/array.c", "\tp = reallocarray(p, n, size);\n"), (check_once, "src/map/a.c", "/* realloc(3) */\n\tclock_pause(c);\n"),
        (check_portable, "src/btf/a.c", '\tx = "unsigned __int128"; /* __int128 */\n'), (check_portable, "src/own/a.bpf.h", "#if __BYTE_ORDER__ == 1\n"),
        (check_words, "src/cli/a.c", '\terr_hint(e, "`bpflens %s list`, `%s list`; a `member` of %s", k, k, s);\n'),
        (check_arenas, "src/map/a.c", "\tif (env->arena == a)\n\tARENA_SCOPE(w->env->arena);\n\tarena_clear(w->arena);\n"), (check_insns, "src/prog/a.h", "struct bpf_insn *insns;\n"),
        (check_insns, "src/own/a.bpf.c", "\tstruct bpf_insn code[] = { 0 };\n"),
        (check_insns, "src/own/a.c", "\tstruct bpf_insn *at = &im->insns[i], next = at[1];\n\tx(\"BPF_EXIT_INSN()\");\n"),
        (check_includes, "src/prog/a.c", '#include "types/btf.h"\n#include "base/err.h"\n#include "prog/inner.h"\n'),
        (check_includes, "src/main.c", '#include "cli/env.h"\n'), (check_asks, "src/host/a.c", "\tsysconf(1);\n"),
        (check_asks, "src/map/a.c", "/* sysconf(1) */\n"), (check_asks, "src/source/live/sys.c", '\topen("/proc/mounts", 0);\n'),
        (check_hooks, "src/map/a.c", '/* "sk_msg_verdict" */\n\tx("xdp", "action", "take sk_msg_verdict");\n'),
        (check_prints, "src/map/a.c", '\tsnprintf(b, n, "printf(");\n\tout_printf(o, "x");\n\tw->printf(x);\n'),
        (check_unions, "src/map/a.c", "{\n\tunion bpf_attr attr;\n\tint a[] = { 0 };\n"),
        (check_format, "src/render/a.c", "\tif (d->jw)\n"), (check_format, "src/prog/a.c", "\t/* env->report->jw */\n"),
        (check_rows, "src/net/a.c", '\tFIELD(T, a, "a", "b", .plain = "%", .text = a_text, .flags = FIELD_NOPLAIN | FIELD_PLAIN_NZ),\n'),
        (check_licence, "src/map/a.c", "/* SPDX-License-Identifier: BSD-2-Clause */\n"), (check_size, "src/map/a.c", "\n" * 500),
        (check_mutable, "src/map/a.c", "static const int n = 1;\nstatic const char *const w[] = {\n\tint n;\nstruct a;\nint f(void);\n"),
        (check_mutable, "src/map/a.c", "static int (*const all[])(int) = { f };\n\tstatic const struct a b = { 0 };\n\tint n = 1;\n"),
        (check_sleeps, "tests/live/test_a.py", "    p = Popen(['sleep', '100'])\n    sh = 'while :; do sleep 0.1; done; sleep 60'\n    until(gone)\n"),
        (check_exceptions, {"a": "\n" * 501}, {check_size: {"a": "long"}}),
        (check_folders, ["src/main.c"] + ["src/map/elem/%d.c" % i for i in range(40)], "| `map/elem/` | elements |\n"),
    ]
    report("the rules find what breaks them", ["%s misses %r" % (f.__name__, args[-1]) for f, *args in broken if not list(f(*args))])
    report("data needs no licence line", licensed(["tests/golden/a/stdout", "README.md", ".gitignore", "debian/control"]))
    report("and accept the rest", ["%s: %s" % (f.__name__, list(f(*args))) for f, *args in fine if list(f(*args))])


def tree(*suffixes):
    git = ["git", "ls-files", "-co", "--exclude-standard"]
    p = subprocess.run(git, stdout=subprocess.PIPE, universal_newlines=True, cwd=ROOT) if shutil.which("git") else None
    if p and p.returncode == 0:
        names = p.stdout.splitlines()
    else:
        names = [os.path.relpath(os.path.join(d, f), ROOT) for d, _, files in os.walk(ROOT) for f in files]
        names = [n for n in names if not n.startswith(("build", ".git/")) and "__pycache__" not in n]
    return sorted(n for n in names if n.endswith(suffixes) and os.path.exists(os.path.join(ROOT, n)))


def main():
    self_test()
    source = [(p, open(os.path.join(ROOT, p), encoding="utf-8").read()) for p in tree(".c", ".h") if p.startswith("src/")]
    others = [p for p in tree(".c", ".h") if not p.startswith("src/")]
    for rule, what in ((check_includes, "folders include downwards only"), (check_common, "what all need is included as one header"),
                       (check_kernel_headers, "foreign headers stay in their place"),
                       (check_asks, "only the source asks the running system"), (check_prints, "output goes through base/out"),
                       (check_hooks, "words of hooks are spelt in one table"), (check_keys, "questions are spelt in source/ only"),
                       (check_arenas, "arenas are passed, not exchanged"), (check_once, "arrays, hex digits, signals and descriptors of objects have one place each"), (check_insns, "no instruction is written by hand"),
                       (check_portable, "code does for either byte order and for 32 bits"),
                       (check_format, "the format is render's business"), (check_rows, "a fact has one row"), (check_unions, "no union has an initializer"), (check_words, "commands in messages quote their words"), (check_schemas, "every schema is found by the tests"),
                       (check_mutable, "no mutable global variables")):
        report(what, (p for path, text in source if path not in EXCEPTIONS.get(rule, ()) for p in rule(path, text)))
    scripts = [(p, open(os.path.join(ROOT, p), encoding="utf-8").read()) for p in tree(".py", ".sh") if p.startswith("tests/")]
    report("scripts that begin with #! are executable", (p for p, text in scripts if text.startswith("#!") and not os.access(os.path.join(ROOT, p), os.X_OK)))
    report("tests wait for conditions", (p for path, text in scripts if path not in SLEEPS_EXCEPT for p in check_sleeps(path, text)))
    texts = dict(source)
    report("no file is over %d lines" % MAX_FILE, (p for path in [*texts, *others] for p in check_size(
        path, open(os.path.join(ROOT, path), encoding="utf-8").read())))
    report("a folder is described, and has at most %d files" % MAX_FOLDER, check_folders(list(texts), open(os.path.join(ROOT, "src/README.md")).read()))
    report("functions are in the file of their header, or in one that it names", check_defined(texts))
    report("base/base.h is included where no other header brings it", check_base(texts))
    report("no folders include one another in a circle", check_circles(texts))
    report("at most %d exceptions, each of them needed: %d" % (MAX_EXCEPTIONS, sum(map(len, EXCEPTIONS.values()))),
           check_exceptions(dict(source + scripts), EXCEPTIONS))
    report("every marker of the manual's templates is listed", check_markers(texts["src/cli/doc/doc.c"], texts["src/cli/doc/doc.h"]))
    report("every file has its licence line", (p for path in licensed(tree("")) for p in check_licence(
        path, open(os.path.join(ROOT, path), encoding="utf-8", errors="replace").read())))
    lengths = function_lengths([p for p, _ in source if p.endswith(".c")])
    tests = function_lengths([p for p in others if p.endswith(".c")])
    if lengths is None:
        print("skip - function lengths: Universal Ctags is not installed")
    else:
        report("no function is over %d lines" % MAX_FUNCTION, ["%s: %s() has %d lines" % (f, n, k) for k, f, n in lengths + tests if k > MAX_FUNCTION])
        p90 = lengths[len(lengths) * 9 // 10][0] if lengths else 0
        report("nine in ten functions have at most %d lines" % P90_FUNCTION, ["it is %d" % p90] if p90 > P90_FUNCTION else [])
    make = open(os.path.join(ROOT, "Makefile")).read().count("\n")
    report("the Makefile has at most 150 lines", ["it has %d" % make] if make > 150 else [])
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
