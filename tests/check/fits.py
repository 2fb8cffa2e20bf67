#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tables of archives on a terminal of 60, 80, 120 and 200 columns: no line is too long, and only details are shortened. Without a terminal
nothing is left out. Each table and text is tried on one archive in SHARE, each archive with one table in SHARE; BPFLENS_RULES=all: on all
archives."""
import fcntl
import glob
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import headings

LENS = os.environ.get("BPFLENS", "build/bpflens")
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARE = 1 if os.environ.get("BPFLENS_RULES") == "all" else 5
TABLES = [[k, "list"] for k in ("prog", "map", "link", "btf", "net", "perf", "cgroup", "struct_ops", "iter", "pin", "token")]
TABLES += [["ls"], ["report"], ["prog", "list", "-o", "+tag"], ["prog", "list", "-o", "name,type,map_ids,loaded_at,tag,uid"],
           ["map", "list", "-o", "+name,frozen"], ["ls", "-o", "+detail"]]
# headings.py fails if a command with columns is in neither of its lists.
ONCE = [(["--from", HERE + "/archives/%s.tar.gz" % a] if a else []) + w for a, w in headings.TABLES + [(a, ["map", "dump"] + m + ["-o", "+"]) for a, m in headings.ELEMENTS]
        if w != ["schema"]]  # sentences: below
FILES = [["object", f] for f in sorted(glob.glob(HERE + "/objects/*.o"))]
# Trees and sentences, and tables with sentences: a line that is too long continues in the next one, except commands to copy.
TEXTS = [["ls", "--tree"], ["pin", "list", "--tree"], ["graph", "--tree"], ["mem"], ["mem", "--by", "type"], ["doctor"], ["orphans"], ["audit"],
         ["cgroup", "tree"], ["cgroup", "tree", "effective"], ["token", "show"], ["why", "prog", "id", "1"], ["why", "map", "id", "3"], ["prog", "show"], ["map", "show"], ["link", "show"], ["btf", "show"],
         ["prog", "list", "--list-columns"], ["schema", "map", "list"], ["schema"], ["addr", "ffffffffc0001000", "0xffffffffc0001011", "ffffffffc0001109", "1234"]]
# What may be shortened: places, owners, lists and texts of unknown length, never ids, times, words of the kernel, or what was asked for.
DETAILS = set("""WHERE ATTACH_TO OWNER KEPT_BY SEEN_BY LINKS MAP_IDS PINNED PATH FILE PLACE SECTION SUBPROGRAMS INNER VALUE KEY_TYPE VALUE_TYPE
    ALLOWED_CMDS ALLOWED_MAPS ALLOWED_PROGS ALLOWED_ATTACHS CONTEXT TAKES PROGRAMS DETAIL MAP_NAME FACT CONSEQUENCE REMEDY MEMBER""".split())
WIDTHS = (60, 80, 120, 200)
PAIRS = [("before", "after"), ("linux-5.10", "linux-6.12"), ("older", "newer")]
TIME, AGO = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d[+-]\d{4})?"), re.compile(r"\b\d+[smhd] ago")
env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "BPFLENS_PAGER", "PAGER")}
env["LC_ALL"] = "C.UTF-8"


def on_archives(commands):
    """The commands, each on its share of the archives."""
    archives = sorted(glob.glob(HERE + "/archives/*.tar.gz"))
    return [["--from", a] + c for i, a in enumerate(archives) for j, c in enumerate(commands) if (i + j) % SHARE == 0]


def terminal(columns, argv):
    """The lines that a program writes to a terminal of so many columns."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=its, stderr=subprocess.DEVNULL, env=env)
    os.close(its)
    text = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:
            break
        if not more:
            break
        text += more
    os.close(ours)
    p.wait()
    return text.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")[:-1]


def pipe(argv):
    return subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=dict(env, COLUMNS="80")).stdout.decode("utf-8", "replace").split("\n")[:-1]


def cells(heading):
    return heading.split()


def timeless(lines):
    """Without times, which are relative on a terminal, and without the padding that depends on them."""
    return [re.sub(" +", " ", AGO.sub("AGO", TIME.sub("AGO", x))) for x in lines]


def tables(words, lines):
    """Commands with tables; texts() checks the block above the tables of a file."""
    return lines[lines.index(""):] if words[0] == "object" and "" in lines else lines


def in_table(line):
    """Without blocks and sentences above tables, which have any length."""
    return not line.startswith("\t") and " in programs, " not in line


def helps():
    """All help texts, which always fit 80 columns."""
    often = re.findall(r"(?m)^  ((?:[a-z]+ ){1,2})", "\n".join(pipe([LENS, "help"])))
    groups = [x.split()[0] for x in pipe([LENS, "__complete", "help", ""])]
    topics = " ".join(pipe([LENS, "help"])).split("  OBJECT  ")[1].split(" OPTIONS ")[0].split()
    if set(topics) - set(groups) != {"see", "change", "measure", "files", "types"} or set(groups) - set(topics) != {"help", "version"} or len(topics) != len(set(topics)):
        print("not ok - help has each object once, under its topic: %s" % " ".join(topics))
        return 1
    pages = [["help"]] + [["help", g] for g in groups]
    failed = 0
    for g in groups:
        verbs = [x.split()[0] for x in pipe([LENS, g, "help"]) if x[:2] == "  " and x[2:3].islower()]
        pages += [[g, "help"]] + [["help", g, v] for v in verbs]
    for page in pages:
        for line in pipe([LENS] + page):
            if len(line.expandtabs()) > 80:
                print("not ok - %s: a line of %d\n  %s" % (" ".join(page), len(line), line))
                failed += 1
    for words in often:  # help begins with words of commands
        if not any(x.startswith("Usage: bpflens " + words.strip()) for x in pipe([LENS, "help"] + words.split())):
            print("not ok - help begins with '%s', which is not a command" % words)
            failed += 1
    if len(often) != 10 or not pipe([LENS, "help"])[2].startswith("  " + often[0]):
        print("not ok - help does not begin with ten commands: %s" % ", ".join(often))
        failed += 1
    if len(pages) < 100:
        print("not ok - only %d pages of help were found" % len(pages))
        failed += 1
    return failed


def too_long(line, columns):
    """True if the line is too long; commands and single long words may be."""
    return len(line.expandtabs()) > columns and len(line.split()) > 1 and not line.startswith("  bpflens ")


def texts():
    runs = on_archives(TEXTS)
    runs += [["diff"] + [HERE + "/archives/%s.tar.gz" % x for x in p] for p in PAIRS] + FILES + [f + ["--needs"] for f in FILES]
    failed = folded = 0
    for words in runs:
        argv = [LENS, "--no-pager", "--color=never"] + words
        full = pipe(argv)
        for columns in (80, 120) if any(len(x.expandtabs()) > 80 for x in full) else ():
            got = terminal(columns, argv)
            for x in [x for x in got if too_long(x, columns)][:1]:
                print("not ok - %s at %d columns: a line of %d\n  %s" % (" ".join(words), columns, len(x.expandtabs()), x))
                failed += 1
            folded += len(got) > len(full)
    if not folded:
        print("not ok - no text is continued in another line")
        failed += 1
    return failed


def sides():
    """Two kinds of code side by side: each is continued in its own column."""
    failed = moved = 0
    for archive, prog in (("jited", ["id", "1"]), ("sample", ["name", "l_xdp"]), ("tasks", ["name", "fw_count"])):
        argv = [LENS, "--from", HERE + "/archives/%s.tar.gz" % archive, "--no-pager", "prog", "dump", "xlated"] + prog + ["--side-by-side"]
        got, wide = ([x for x in pipe(argv + more) if " | " in x] for more in ([], ["--wide"]))
        if not got or any(len(x.expandtabs()) > 80 for x in got):
            print("not ok - %s: two kinds of code side by side do not fit: %s" % (archive, [x for x in got if len(x.expandtabs()) > 80][:1]))
            failed += 1
        moved += len(got) > len(wide) and any(len(x.expandtabs()) > 80 for x in wide)
    if not moved:
        print("not ok - no two kinds of code side by side were too long")
        failed += 1
    return failed


def shortened(heading, line):
    """Titles of the columns that have an ellipsis: only cells on the left of their columns have one."""
    begins = [(m.start(), m.group()) for m in re.finditer(r"\S+", heading)]
    return [t for m in re.finditer("\u2026", line) for t in [t for begin, t in begins if begin <= m.start()][-1:]]


def check_table(words, columns, full, got):
    """What is wrong with a table."""
    if not got:
        return "it is empty" if full else ""
    long = [x for x in got if in_table(x) and too_long(x, columns)]
    if long and not ("-o" in words and columns < 80):  # all columns that were named stay
        return "a line of %d\n  %s" % (len(long[0]), long[0])
    if len(got) < len(full) or (timeless(got) != timeless(full) and all(len(x.expandtabs()) <= columns for x in full)):
        return "a line that fits is changed or missing"
    if "-o" in words and "+" not in words[words.index("-o") + 1] and len(cells(got[0])) != len(cells(full[0])):
        return "a selected column is missing\n  %s" % got[0]
    for line in got if words[2:4] != ["map", "dump"] else []:  # columns of values
        cut = [t for t in shortened(got[0], line) if t not in DETAILS]
        if cut:
            return "%s is shortened\n  %s\n  %s" % (cut[0], got[0], line)
    return ""


def asked():
    """A column that rows are sorted or selected by is there, and whole."""
    failed = tried = 0
    for words in on_archives(TABLES):
        if "-o" in words:
            continue
        names = [x.split()[0] for x in pipe([LENS] + words + ["--list-columns", "--noheadings"])]
        for name in names[::SHARE]:
            for more in (["--sort", name], ["-Q", "%s != null" % name]):
                got = terminal(60, [LENS, "--no-pager", "--color=never"] + words + more)
                if not got or not got[0][:1].strip() and len(got) < 2 or "none of" in got[-1]:
                    continue
                tried += 1
                title = titles(words, name)
                cut = [x for x in got for t in shortened(got[0], x) if t == title]
                if title not in cells(got[0]) or cut:
                    print("not ok - %s: %s is missing or shortened\n  %s" % (" ".join(words + more), title, "\n  ".join([got[0]] + cut[:1])))
                    failed += 1
    if tried < 50:
        print("not ok - only %d columns were tried" % tried)
    return failed + (tried < 50)


def titles(words, name):
    """The heading of a column."""
    return cells(pipe([LENS] + words + ["-o", name])[0])[0]


def main():
    failed = shrunk = dropped = ago = lines = 0
    runs = on_archives(TABLES) + FILES + ONCE
    for words in runs:
        argv = [LENS, "--no-pager", "--color=never"] + words
        full = tables(words, pipe(argv))
        for columns in WIDTHS:
            got = tables(words, terminal(columns, argv))
            why = check_table(words, columns, full, got)
            if why:
                print("not ok - %s at %d columns: %s" % (" ".join(words), columns, why))
                failed += 1
            lines += len(got)
            ago += any(AGO.search(x) for x in got)
            shrunk += any("\u2026" in x for x in got)
            dropped += bool(got) and len(cells(got[0])) < len(cells(full[0]))
        if any(len(x) > 80 for x in full) and tables(words, terminal(80, argv + ["--wide"])) != full:
            print("not ok - %s: --wide differs from the output to a pipe" % " ".join(words))
            failed += 1
    if not shrunk or not dropped or not ago:
        print("not ok - no table was shrunk (%d), none lost a column (%d), or none has a relative time (%d)" % (shrunk, dropped, ago))
        failed += 1
    failed += asked() + helps() + texts() + sides()
    if not failed:
        print("ok - %d tables fit, %d lines; %d shrunk, %d without a column" % (len(runs), lines, shrunk, dropped))
    return 1 if failed else 0


sys.exit(main())
