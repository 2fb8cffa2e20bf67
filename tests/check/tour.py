#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The pages for developers name files, functions and tables that exist, and where they are: `FILE: NAME()` or `FILE: NAME`, `FILE`, `NAME()`.
Commands after "$" print what the page shows."""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = ["doc/tour.md", "doc/decisions.md", "doc/architecture.md", "CONTRIBUTING.md", "README.md", "SECURITY.md", "src/README.md"]
FILE = r"[\w./-]+\.(?:[ch]|py|md|in|json|yml)|(?:\w+/)+"
MADE = {"build/", "src/prog/cmd_types.c", "vmlinux.h", ".bpf.h"}  # by make, by the reader, by btf dump; an ending


def text_of(path):
    with open(path, errors="replace") as f:
        return f.read()


def where(name):
    """A name without a folder may be in any; a word in capitals stands for any name."""
    paths = [ROOT + "/src/" + name, ROOT + "/" + name]
    if "/" not in name:
        paths += glob.glob(ROOT + "/src/**/" + re.sub(r"[A-Z]{3,}", "*", name), recursive=True)
    return next((p for p in paths if os.path.exists(p)), None)


def defines(text, name, function, header=False):
    """Is it defined in this text? In a header, a declaration will do."""
    name = re.escape(name)
    if function:
        return re.search(r"^(?![\s#*/]|typedef)[^\n;={}]*\b%s\([^;{}]*\)[^;{}]*%s" % (name, "[;{]" if header else "\\{"), text, re.M)
    return re.search(r"^[^\n]*\b(struct|union|enum) %s \{|^\S[^\n;()]*\b%s(\[\w*\])* = [{A-Z]" % (name, name), text, re.M)


def problems(page, find=where, read=text_of, everything=None):
    """What a page names that is not there."""
    text = re.sub(r"(?m)^    .*$", "", page).split("\n\n")
    code = [c.replace("\n", " ") for part in text for c in re.findall(r"(?<!`)`([^`]+)`(?!`)", part)]
    for item in code:
        m = re.fullmatch(r"(%s): (\w+)(\(\))?" % FILE, item)
        path = find((m.group(1) if m else item)) if re.fullmatch(FILE, m.group(1) if m else item) else None
        if m and path and not defines(read(path), m.group(2), m.group(3), path.endswith(".h")):
            yield "%s is not in %s" % (m.group(2), m.group(1))
        elif not path and re.fullmatch(FILE, m.group(1) if m else item) and item not in MADE:
            yield "%s does not exist" % (m.group(1) if m else item)
        m = re.fullmatch(r"(\w+)\(\)", item)
        pointer = m and re.compile(r"\(\*%s\)\(|#define %s\(" % (m.group(1), m.group(1)))
        if m and not any(defines(t, m.group(1), True) or pointer.search(t) for t in everything or ()):
            yield "%s() is not defined" % m.group(1)


def tried():
    page = "`a.c:\none()` `a.c: t` `a.c` `b.c` `a.c: two()` `a.c: one`"
    text = "static int one(int x)\n{\n\treturn two();\n}\nconst struct x t[] = { 1 };\n"
    found = list(problems(page, lambda n: n if n == "a.c" else None, lambda p: text, [text]))
    return found == ["b.c does not exist", "two is not in a.c", "one is not in a.c"] and list(problems("`one()` `no()`", everything=[text])) == ["no() is not defined"]


def shown(page):
    """(command, lines) of the indented blocks."""
    for m in re.finditer(r"(?m)^    \$ (.*bpflens .*)\n((?:    (?!\$).*\n)+)", page):
        yield m.group(1), re.sub(r"(?m)^    ", "", m.group(2)).splitlines()


def prints(command, lines):
    """Numbers of microseconds differ. The last line "...": there is more."""
    with tempfile.TemporaryDirectory() as d:
        os.symlink(os.path.abspath(os.environ.get("BPFLENS", ROOT + "/build/bpflens")), d + "/bpflens")
        env = dict({k: v for k, v in os.environ.items() if not k.startswith("BPFLENS_")}, PATH=d + ":" + os.environ["PATH"], TZ="UTC", COLUMNS="120", LC_ALL="C.UTF-8")
        got = subprocess.run(command, shell=True, cwd=ROOT, env=env, stdout=subprocess.PIPE, universal_newlines=True).stdout.expandtabs().splitlines()
    plain = [[re.sub(r", \d+ us$", "", x) for x in some] for some in (got, lines)]
    if lines[-1] == "...":
        return plain[0][:len(lines) - 1] == plain[1][:-1] and len(got) >= len(lines)
    return plain[0] == plain[1]


def main():
    everything = [text_of(p) for p in glob.glob(ROOT + "/src/**/*.[ch]", recursive=True)]
    failed = [] if tried() else ["the check does not find what it should"]
    for name in PAGES:
        page = text_of(ROOT + "/" + name)
        failed += ["%s: %s" % (name, p) for p in problems(page, everything=everything)]
        failed += ["%s: other output: %s" % (name, c) for c, lines in shown(page) if name.startswith("doc/") and not prints(c, lines)]
    print("%sok - pages for developers name what exists" % ("not " if failed else ""))
    for line in failed:
        print("  |", line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
