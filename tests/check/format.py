#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""C files are formatted by clang-format 14 with .clang-format, and no line is longer than its limit, except text that cannot be
broken. `tests/check/format.py --mend` formats them."""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import rules  # noqa: E402
from rules import ROOT, report, tree  # noqa: E402

VERSION = "14"  # other versions break lines elsewhere
LIMIT = int(re.search(r"^ColumnLimit: (\d+)", open(os.path.join(ROOT, ".clang-format"), encoding="utf-8").read(), re.M).group(1))
FENCED = LIMIT + 30  # tables that are not formatted


def formatter():
    for name in ("clang-format-" + VERSION, "clang-format"):
        path = shutil.which(name)
        if path and re.search(r"version %s\." % VERSION, subprocess.run([path, "--version"], stdout=subprocess.PIPE, universal_newlines=True).stdout):
            return path
    return None


def check_format(path, files):
    """One process for all files; each wrong file is named once, with its first wrong line."""
    p = subprocess.run([path, "--style=file", "--dry-run"] + files, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                       universal_newlines=True, cwd=ROOT)
    if p.returncode:
        yield "clang-format ended with %d: %s" % (p.returncode, p.stderr[:200])
    said = set()
    for m in re.finditer(r"^(\S+?):(\d+):\d+: warning: code should be clang-formatted", p.stderr, re.M):
        if m.group(1) not in said:
            said.add(m.group(1))
            yield "%s:%s: not as clang-format %s has it; tests/check/format.py --mend" % (m.group(1), m.group(2), VERSION)


def check_width(path, text):
    """A string is not broken, so that it can be found; the line without its text must fit."""
    fenced = False
    for n, line in enumerate(text.splitlines(), 1):
        if "clang-format o" in line:
            fenced = "clang-format off" in line
        limit, wide = FENCED if fenced else LIMIT, line.expandtabs(8)
        rest = re.sub(r'"(?:\\.|[^"\\])*"', '""', wide)
        if len(wide) > limit and ('""' not in rest or len(rest) > limit):
            yield "%s:%d: %d columns, %d are allowed" % (path, n, len(wide), limit)


def self_test(path):
    long, text = "x" * LIMIT, "y" * LIMIT
    broken = ["\t%s\n" % long[:LIMIT - 7], "/* clang-format off */\n%s\n" % (long + long), '\t%s("");\n' % long,
              "/* clang-format off */\n/* clang-format on */\n\t%s\n" % long]
    fine = ["\t%s\n" % long[:LIMIT - 8], '\t"%s"\n' % text, '\t{ .help = "%s" },\n' % text, "/* clang-format off */\n\t%s\n" % long]
    report("a long line is found", ["missed %r" % t for t in broken if not list(check_width("a.c", t))])
    report("but text may be long", ["%r: %s" % (t, list(check_width("a.c", t))) for t in fine if list(check_width("a.c", t))])
    if path:
        for text, want in (("int f( int a )\n{\n\treturn a;\n}\n", False), ("int f(int a)\n{\n\treturn a;\n}\n", True)):
            p = subprocess.run([path, "--style=file", "--assume-filename=src/a.c"], input=text, stdout=subprocess.PIPE,
                               universal_newlines=True, cwd=ROOT)
            report("clang-format %s good code" % ("leaves" if want else "changes what is not"), [p.stdout] * ((p.stdout == text) != want))


def main():
    path = formatter()
    files = tree(".c", ".h")
    if "--mend" in sys.argv:
        sys.exit(subprocess.run([path, "--style=file", "-i"] + files, cwd=ROOT).returncode if path else "clang-format %s is not installed" % VERSION)
    self_test(path)
    report("no line is over %d columns" % LIMIT, (p for f in files for p in check_width(f, open(os.path.join(ROOT, f), encoding="utf-8").read())))
    if path:
        report("the code is formatted by .clang-format", check_format(path, files))
    else:
        print("skip - the code is formatted by .clang-format: clang-format %s is not installed" % VERSION)
    sys.exit(1 if rules.failures else 0)


if __name__ == "__main__":
    main()
