#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Output on a terminal: a histogram, a heat map that grows, changes of a map. The terminal is tmux, and its screen is read."""
import os
import shutil
import time

from screens import Screen
from world import World, finish, isolate, ok, skip

isolate()


def histogram(w, dist):
    counts = {0: 1, 3: 50, 4: 100, 5: 25}
    for slot, n in counts.items():
        w.run("map", "update", "pinned", dist, "key", slot, "value", n)
    with Screen(w.dir, w.lens, "map", "histogram", "pinned", dist) as s:
        lines = s.until(lambda l: any(x.startswith("status") for x in l))
    shown = [x for x in lines if x]
    bar = 80 - 14 - 8 - 5

    def row(name, n, length):
        return "%-14s %8d |%s|" % (name, n, ("@" * length).ljust(bar))

    want = [row("[0, 2)", 1, 0), row("[2, 4)", 0, 0), row("[4, 8)", 0, 0), row("[8, 16)", 50, bar // 2), row("[16, 32)", 100, bar),
            row("[32, 64)", 25, bar // 4), "status 0"]
    ok(shown == want, "a log2 array is drawn as wide as the terminal", "\n".join(shown))


def heatmap(w, dist, color):
    env = [] if color else ["NO_COLOR=1"]
    with Screen(w.dir, w.lens, "map", "histogram", "pinned", dist, "heatmap", "interval", "0.1", env=env) as s:
        s.until(lambda l: "nothing counted" in "\n".join(l))
        w.run("map", "update", "pinned", dist, "key", 2, "value", 17 if color else 7)
        w.run("map", "update", "pinned", dist, "key", 7, "value", 170 if color else 70)
        lines = s.until(lambda l: any("[128, 256)" in x for x in l), colors=color)
        readings = [x for x in lines if "readings, " in x]
        lines = s.until(lambda l: [x for x in l if "readings, " in x] != readings, colors=color)
        s.keys("C-c")
        last = s.until(lambda l: any("status" in x for x in l))
    rows = [x for x in lines if "|" in x]
    if color:
        ok(len(rows) == 6 and "48;5;231m" in rows[0], "a heat map has colours", "\n".join(lines))
    else:
        ok(len(rows) == 6 and rows[0].split("|")[0].strip() == "[128, 256)" and "@" in rows[0] and
           rows[-1].split("|")[0].strip() == "[4, 8)" and rows[-1].count("|") == 1, "a heat map without colours has shades",
           "\n".join(lines))
        ok("readings, 0.1s apart" in "\n".join(lines) and lines[0] == rows[0], "it stays in its place", "\n".join(lines))
    ok("status 0" in "\n".join(last), "an interrupt is not a failure", "\n".join(last))


def watch(w):
    path = w.pins + "/h"
    w.run("map", "create", path, "type", "hash", "key", 4, "value", 8, "entries", 8, "name", "watched")
    for key in (1, 2, 3):
        w.run("map", "update", "pinned", path, "key", key, "value", 1)
    with Screen(w.dir, w.lens, "map", "watch", "pinned", path, "interval", "0.5") as s:
        lines = s.until(lambda l: "3 elements" in l[0])
        for key, value in ((1, 11), (2, 5001), (4, 7)):
            w.run("map", "update", "pinned", path, "key", key, "value", value)
        w.run("map", "delete", "pinned", path, "key", 3)
        lines = s.until(lambda l: any("gone" in x for x in l[1:]) and any("+10 " in x for x in l))
        s.keys("C-c")
        last = s.until(lambda l: any("status" in x for x in l))
    rows = [x.split() for x in lines[2:] if x and "status" not in x]
    ok("watched" in lines[0] and lines[1].split() == ["KEY", "MEMBER", "VALUE", "CHANGE", "PER", "SECOND"], "a watch has a headline",
       "\n".join(lines))
    ok([r[:4] for r in rows] == [["2", "value", "5001", "+5000"], ["1", "value", "11", "+10"], ["4", "new", "7"], ["3", "gone", "1"]],
       "the fastest is first, then new and deleted elements", "\n".join(lines))
    ok("status 0" in "\n".join(last), "and an interrupt ends it with status 0", "\n".join(last))


def listed(w, color):
    """A list that is drawn again: marks are words, also without colours, and what has gone stays until the next list."""
    def new(name):
        w.run("map", "create", w.pins + "/" + name, "type", "hash", "key", 4, "value", 8, "entries", 8, "name", name)
        return w.run("-j", "map", "show", "pinned", w.pins + "/" + name).json["id"]

    def row(lines, *words):
        return any(x.split()[:len(words)] == [str(word) for word in words] for x in lines)

    old = new("w_old")
    line = ["map", "list", "-Q", "name == w_old || name == w_new", "-o", "id,name,frozen", "--watch", "1"]
    with Screen(w.dir, w.lens, *line, env=[] if color else ["NO_COLOR=1"]) as s:
        lines = s.until(lambda l: row(l, "-", old, "w_old", 0))
        ok(" UTC  map list: 1 in " in lines[0] and lines[1].split() == ["CHANGE", "ID", "NAME", "FROZEN", "BEFORE"], "a list has a headline", "\n".join(lines))
        fresh = new("w_new")
        lines = s.until(lambda l: row(l, "new", fresh, "w_new", 0))
        ok("map list: 2, 1 new in 1." in lines[0], "the headline counts", "\n".join(lines))
        w.run("map", "freeze", "id", old)
        lines = s.until(lambda l: row(l, "changed", old))
        ok(row(lines, "changed", old, "w_old", 1, "frozen", 0), "what it was before", "\n".join(lines))
        os.unlink(w.pins + "/w_new")
        lines = s.until(lambda l: row(l, "gone", fresh))
        ok(row(lines, "gone", fresh, "w_new", 0) and row(lines, "-", old), "what has gone", "\n".join(lines))
        lines = s.until(lambda l: not row(l, "gone"))
        ok(not any("w_new" in x for x in lines), "until the next list", "\n".join(lines))
        w.run("map", "create", w.pins + "/w_c", "type", "hash", "key", 4, "value", 8, "entries", 8, "name", "w_c")
        painted = "\n".join(s.until(lambda l: "new" in "\n".join(l), colors=True))
        ok(("\x1b[38" in painted) == color, "in colour" if color else "without colours", repr(painted))
        s.keys("C-c")
        last = s.until(lambda l: any("status" in x for x in l))
    ok("status 0" in "\n".join(last), "an interrupt ends it with status 0", "\n".join(last))
    for name in ("w_old", "w_c"):
        os.unlink(w.pins + "/" + name)


def narrow(w):
    """A list that is longer and wider than the terminal: marked rows come first."""
    for i in range(12):
        w.run("map", "create", "%s/n%d" % (w.pins, i), "type", "hash", "key", 4, "value", 8, "entries", 8, "name", "narrow%d" % i)
    with Screen(w.dir, w.lens, "map", "list", "-Q", "name =~ narrow", "--watch", "1", columns=40, lines=8) as s:
        lines = s.until(lambda l: "narrow0" in "\n".join(l))
        ok("12 in " in lines[0] and all(len(x) <= 40 for x in lines), "a narrow screen", "\n".join(lines))
        w.run("map", "create", w.pins + "/n12", "type", "hash", "key", 4, "value", 8, "entries", 8, "name", "narrow12")
        lines = s.until(lambda l: "narrow12" in "\n".join(l))
        marks = [x.split()[0] for x in lines[2:] if x]
        ok("new" in marks and marks == sorted(marks, key=lambda mark: mark == "-") and " below" not in lines[1], "what is marked comes first", "\n".join(lines))
        s.keys("C-c")
    for i in range(13):
        os.unlink("%s/n%d" % (w.pins, i))


def flows(w):
    """Keys that differ only in their last members, in a terminal of 80 columns."""
    path = w.pins + "/flows"
    made = w.run("map", "create", path, "type", "hash", "key_type", "struct in6_pktinfo", "value_type", "struct timespec64", "entries", 8,
                 "name", "flows")
    if made.status:
        skip("maps with types of the kernel cannot be created: " + made.errors.strip())
        return

    def put(last, value):
        key = ["key"] + ["0xfe", "0x80"] + ["0"] * 12 + ["0x12", str(last), "7", "0", "0", "0"]
        return w.run("map", "update", "pinned", path, *key, "value", '{"tv_sec":%d,"tv_nsec":123456789012345}' % value)

    for last in (1, 2, 3):
        put(last, 5)
    with Screen(w.dir, w.lens, "map", "watch", "pinned", path, "interval", "0.5") as s:
        s.until(lambda l: "3 elements" in l[0])
        for last in (1, 2, 3):
            put(last, 5 + 1000 * last)
        put(4, 1)
        lines = s.until(lambda l: any("+3000 " in x for x in l) and any("+1000 " in x for x in l) and any(" new" in x for x in l))
        s.keys("C-c")
    ok(lines[0].startswith(time.strftime("%H:", time.gmtime())) and " UTC  map " in lines[0] and "flows: 4 elements, 3 changed, 1 new in 0." in lines[0]
       and lines[0].endswith("s"), "the headline is complete", lines[0])
    rows = [x for x in lines[3:] if x and "status" not in x]
    ok(lines[1] == "all: ipi6_ifindex 7", "members that are equal in all keys are shown once", "\n".join(lines))
    ok(lines[2].startswith("ipi6_addr") and "ifindex" not in lines[2] and lines[2].endswith("PER SECOND") and all(len(x) <= 80 for x in lines), "the heading names the members",
       "\n".join(lines))
    keys = [x.split("  ")[0] for x in rows]
    ok(len(set(keys)) == 4 and all("…" in k and not k.endswith(" 7") for k in keys), "rows can be distinguished", "\n".join(lines))


if not shutil.which("tmux"):
    skip("tmux is not installed")
    finish()
with World() as w:
    dist = w.pins + "/dist"
    made = w.run("map", "create", dist, "type", "array", "key", 4, "value", 8, "entries", 27, "name", "dist")
    if made.status:
        skip("maps cannot be created here: " + made.errors.strip())
    else:
        histogram(w, dist)
        heatmap(w, dist, False)
        heatmap(w, dist, True)
        watch(w)
        listed(w, False)
        listed(w, True)
        narrow(w)
        if os.path.exists("/sys/kernel/btf/vmlinux"):
            flows(w)
finish()
