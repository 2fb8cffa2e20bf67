#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""ENVIRONMENT of bpflens(8) has every variable that bpflens and libbpf read, and no other."""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBC = {"TZ"}  # read by localtime(3)
SET = {"LESSSECURE"}  # set for the pager
LIBRARY = {"PATH", "LD_LIBRARY_PATH"}  # read by libbpf alone
NAME = r'"([A-Z][A-Z_]*[A-Z])"'


def text_of(path):
    with open(path, errors="replace") as f:
        return f.read()


def read_by(text):
    """Of a file that calls getenv(3), the strings that may be names of variables: the name may be a parameter, or in an array."""
    if not re.search(r"\b(secure_)?getenv\(", text):
        return set()
    text = re.sub(r'\bsetenv\((\w+|"\w*"), "\w*"', r"setenv(\1", text)
    return set(re.findall(NAME, text))


def documented(page):
    section = re.search(r"^\.Sh ENVIRONMENT$(.*?)^\.Sh ", page, re.M | re.S).group(1)
    lines = re.findall(r"^\.(?:It |Pq )?Ev (.*)$", section, re.M)
    return {w for line in lines for w in re.findall(r"\b[A-Z][A-Z_]*[A-Z]\b", line)}


def compare(read, page):
    read = read | LIBC | SET
    return sorted(read - documented(page)), sorted(documented(page) - read)


def tried():
    """The comparison finds a variable that is missing, and one too many."""
    page = ".Sh ENVIRONMENT\n.It Ev TZ , HOME\n.Ev LESSSECURE ,\n.Sh FILES\n"
    return compare(read_by('x = getenv("HOME");') | read_by('puts("NONE");'), page) == ([], []) and \
        compare(read_by('static const char *const from[] = { "LANG" };\nx = getenv(from[i]);'), page) == (["LANG"], ["HOME"])


def main():
    build = os.environ.get("BUILD", ROOT + "/build")
    ours = glob.glob(ROOT + "/src/**/*.c", recursive=True)
    library = glob.glob(build + "/libbpf/source/src/*.c")
    read = set().union(*(read_by(text_of(p)) for p in ours))
    read |= {v for p in library for v in re.findall(r"getenv\(%s\)" % NAME, text_of(p))} if library else LIBRARY
    missing, extra = compare(read, text_of(ROOT + "/man/bpflens.8.in"))
    good = tried() and not missing and not extra
    print("%sok - ENVIRONMENT of bpflens(8) has the variables that are read" % ("" if good else "not "))
    if not good:
        print("  | not in the page: %s; not read: %s" % (missing, extra))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
