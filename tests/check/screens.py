#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Screens of top on a recording, in tmux: the list, one program, its code, the maps, the events and the help, at three sizes, are those of screens/.
SCREENS=update writes them."""
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("live", "tools"):
    sys.path.insert(0, os.path.join(HERE, "..", folder))
from checks import ok  # noqa: E402
from screens import Screen  # noqa: E402
import checks  # noqa: E402

LENS = os.path.abspath(os.environ.get("BPFLENS", "build/bpflens"))
RECORDING = os.path.join(HERE, "..", "archives", "counters.tar.gz")
SIZES = ((60, 15), (80, 24), (200, 50))
SCREENS = {"list": ((), "ID  CPU%"), "program": (("Enter",), "main_prog  tag 01"), "code": (("Enter", "a"), " samples ("), "maps": (("m",), "GROWTH/S"), "events": (("e",), "unload"), "help": (("?",), "Programs are sorted")}


def settled(screen, text):
    """The screen with the text, when it no longer changes."""
    last = []

    def same(lines):
        before, last[:] = list(last), lines
        return before == lines and any(text in line for line in lines)
    lines = screen.until(same)
    if not any(text in line for line in lines):
        ok(False, "top: %s is on the screen" % text, "\n".join(lines))
    return [line.rstrip() for line in lines]


def shown(directory, name, columns, lines):
    keys, text = SCREENS[name]
    with Screen(directory, LENS, "--from", RECORDING, "top", columns=columns, lines=lines, env=["LANG=C.UTF-8", "NO_COLOR=1"]) as s:
        got = settled(s, "ID  CPU%")
        if keys:
            s.keys(*keys)
            got = settled(s, text)
    return "\n".join(got) + "\n"


def main():
    with tempfile.TemporaryDirectory() as d:
        for columns, lines in SIZES:
            for name in SCREENS:
                path = "%s/screens/%s-%dx%d" % (HERE, name, columns, lines)
                got = shown(d, name, columns, lines)
                if os.environ.get("SCREENS") == "update":
                    with open(path, "w") as f:
                        f.write(got)
                with open(path) as f:
                    ok(got == f.read(), "top: %s at %dx%d" % (name, columns, lines), got)
    sys.exit(1 if checks.failures else 0)


if not shutil.which("tmux"):
    print("skip - tmux is not installed")
    sys.exit(77)
main()
