#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A black box: record --max-size --max-files, killed and started again and again. The files of all runs stay within the bounds, --from DIR --at finds every
moment that was recorded, and a kill loses at most the last second."""
import os
import random
import re
import signal
import tempfile
import time

from rawbpf import prog_load
from recordings import LOADER, begun, recorder
from world import BPFLENS, Run, finish, isolate, number, ok, patience, until

isolate(alone="hundreds of programs are freed")
KILLS = number("KILLS", 5)
PROGRAMS = number("PROGRAMS", 400)
SEED = number("SEED", random.randrange(1 << 32))
FILES = 3


def box(d):
    """The files by number; of none are there two."""
    found = sorted((int(re.fullmatch(r"r(?:\.(\d+))?(\.partial)?", name).group(1) or 0), name) for name in os.listdir(d))
    return [name for _, name in found]


def recording(d, *command):
    words = ["-o", d + "/r", "--max-size", "1M", "--max-files", str(FILES)] + (["--"] + list(command) if command else [])
    return recorder(*words)


class Marks:
    """Programs with names of their own that are loaded one by one, and unloaded when three more are there."""

    def __init__(self):
        self.all, self.held = [], []  # (name, loaded, unloaded or None)

    def one(self):
        name = "mark_%d" % len(self.all)
        fd = prog_load("socket_filter", name, 1)
        self.all.append([name, time.time(), None])
        self.held.append((fd, self.all[-1]))
        if len(self.held) > 3:
            self.drop()

    def drop(self):
        fd, mark = self.held.pop(0)
        mark[2] = time.time()
        os.close(fd)


def listed(d, at):
    """The names at a time in seconds since 1970; None: nothing was recorded then."""
    when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + ("%.6f" % (at % 1))[1:] + "Z"
    r = Run([BPFLENS, "--from", d, "--at", when, "prog", "list", "-o", "name", "--noheadings"])
    return (r.text.split() if r.status in (0, 5) else None), r


def filled(d):
    """More programs than fit."""
    most = []
    r = recording(d, LOADER, str(PROGRAMS), "2", "30")
    until(lambda: most.append(len(box(d))) or r.poll() is not None, patience(300 + PROGRAMS), 0.05)
    _, errors = r.communicate(timeout=patience(60))
    full = max(os.stat(d + "/" + name).st_size for name in box(d))
    # The next file exists a moment before the oldest is removed.
    ok(r.returncode in (0, 5) and len(box(d)) == FILES and max(most) <= FILES + 1, "%d programs: the newest %d files" % (PROGRAMS, FILES), (box(d), errors))
    return full


def survives(d, full):
    """A kill at any moment. Returns (kill, marks) for each run."""
    runs = []
    for _ in range(KILLS):
        marks, before = Marks(), box(d)
        r = recording(d)
        until(lambda: r.poll() is not None or box(d)[-1:] != before[-1:], patience(60), 0.01)
        made = box(d)[-1]
        if not begun(r, d + "/" + made):
            ok(False, "a recorder begins", r.communicate())
            return runs
        until(lambda end=time.time() + 1 + 2 * random.random(): marks.one() or time.time() > end, 10, 0.1)
        r.send_signal(signal.SIGKILL)
        killed = time.time()
        r.communicate()
        while marks.held:
            marks.drop()
        runs.append((killed, marks.all, made))
        there = box(d)
        ok(there == (before + [made])[-FILES:], "killed: the newest %d files" % FILES, (before, there))
        ok(sum(os.stat(d + "/" + name).st_size for name in there) <= FILES * full * 1.5, "they are within the bounds", (full, [os.stat(d + "/" + name).st_size for name in there]))
        names = Run([BPFLENS, "--from", d + "/" + made, "prog", "list", "-o", "name", "--noheadings"]).text.split()
        lost = [name for name, loaded, _ in marks.all if name not in names and loaded < killed - 1.5]
        ok(len(marks.all) > 5 and not lost, "at most the last second is lost", (lost, killed, marks.all))
    return runs


def found(d, runs):
    """Every moment of the runs whose files are there; none between them, before or after."""
    kept = [run for run in runs if run[2] in box(d)]
    for killed, marks, made in kept:
        wrong = []
        for name, loaded, gone in marks:
            if gone < killed - 1.5:
                names, r = listed(d, (loaded + gone) / 2)
                if names is None or name not in names:
                    wrong.append((name, str(r)))
        ok(not wrong, "%s: each program is found at a moment of its life" % made, wrong[:3])
    killed = kept[-1][0]
    for at, says in ((killed - 86400, "before the recordings"), (killed + 60, "after the recordings")):
        names, r = listed(d, at)
        ok(names is None and r.status == 2 and says in r.errors, says, r)
    for words in (["events"], ["prog", "stats"], ["ls"], ["-j", "map", "list"]):
        r = Run([BPFLENS, "--from", d, "--at", "-1s"] + words)
        ok(r.status in (0, 5), "--at -1s " + " ".join(words), r)
    r = Run([BPFLENS, "--from", d, "--at", "-1s", "-d", "prog", "list"])
    ok("%s is in " % "-1s" in r.errors and made in r.errors, "-d says which file", r)


def alone(d):
    """Two recorders of the same files."""
    first = recording(d)
    until(lambda: first.poll() is not None or any(name.endswith(".partial") for name in box(d)[-1:]), patience(60))
    begun(first, d + "/" + box(d)[-1])
    second = Run([BPFLENS, "record", "-o", d + "/r", "--max-size", "1M", "--max-files", str(FILES), "--", "true"])
    ok(second.status not in (0, 5) and "another process is writing it" in second.errors, "a second recorder is refused", second)
    first.send_signal(signal.SIGTERM)
    first.communicate(timeout=patience(60))
    ok(not box(d)[-1].endswith(".partial"), "SIGTERM completes the file", box(d))


random.seed(SEED)
print("# BPFLENS_SEED=%d" % SEED)
with tempfile.TemporaryDirectory() as where:
    size = filled(where)
    found(where, survives(where, size))
    alone(where)
finish()
