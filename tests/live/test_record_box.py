#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A black box: record --max-size --max-files, killed and started again and again. The files of all runs stay within the bounds, --from DIR --at finds every
moment that was recorded, and a kill loses less than the last second, also one while the file changes."""
import fcntl
import os
import random
import re
import signal
import tempfile
import time

from rawbpf import code_load, prog_load
from recordings import begun, lives_in, members, recorder
from world import BPFLENS, Run, finish, isolate, number, ok, patience, until

isolate(alone="hundreds of programs are freed")
KILLS = number("KILLS", 5)
KILLS_CHANGING = number("KILLS", 2)  # each takes 20 seconds
PROGRAMS = number("BOX_PROGRAMS", 12000)
RATE = 1000  # loads per second
SOON = 0.05  # after a load, mostly in the same file
SLICE = 50  # programs that are freed at once: a kernel that has to free many may hang
SEED = number("SEED", random.randrange(1 << 32))
FILES = 3
CHANGES = 3  # of files, before a kill while they change


def number_of(name):
    return int(re.fullmatch(r"r(?:\.(\d+))?(\.partial)?", name).group(1) or 0)


def box(d):
    """The files by number; of none are there two."""
    return sorted(os.listdir(d), key=number_of)


def recording(d, *command):
    words = ["-o", d + "/r", "--max-size", "1M", "--max-files", str(FILES)] + (["--"] + list(command) if command else [])
    return recorder(*words)


def file_begun(r, d, before):
    """Wait for the file of recorder @r: what a killed one wrote, in @before, is not written any more. Returns its name."""
    until(lambda: r.poll() is not None or box(d)[-1:] != before[-1:], patience(60), 0.01)
    return box(d)[-1]


class Marks:
    """Programs with names of their own that are loaded one by one, and unloaded when three more are there."""

    def __init__(self, name="mark", clock=time.time):
        self.name, self.clock, self.all, self.held = name, clock, [], []  # (name, loaded, unloaded or None)

    def one(self):
        name = "%s_%d" % (self.name, len(self.all))
        fd = prog_load("socket_filter", name, 1)
        self.all.append([name, self.clock(), None])
        self.held.append((fd, self.all[-1]))
        if len(self.held) > 3:
            self.drop()

    def drop(self):
        fd, mark = self.held.pop(0)
        mark[2] = self.clock()
        os.close(fd)


def instant(at):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + ("%.6f" % (at % 1))[1:] + "Z"


def listed(d, at):
    """The names at a time in seconds since 1970; None: nothing was recorded then."""
    r = Run([BPFLENS, "--from", d, "--at", instant(at), "prog", "list", "-o", "name", "--noheadings"])
    return (r.text.split() if r.status in (0, 5) else None), r


def code(n=148):
    """A program of so many instructions, whose numbers do not compress, and two more."""
    numbers = os.urandom(4 * n)
    return b"\xb7\0\0\0\0\0\0\0" + b"".join(b"\x07\0\0\0" + numbers[i:i + 4] for i in range(0, len(numbers), 4)) + b"\x95\0\0\0\0\0\0\0"


def load_many(marks):
    """Programs at RATE, unloaded at once, and a mark in every second. The rate that was reached."""
    began = time.time()
    for i in range(0, PROGRAMS, SLICE):
        for k in range(SLICE):
            os.close(code_load("socket_filter", "p%d" % (i + k), code()))
        if i % RATE == 0:
            marks.one()
        until(lambda: time.time() >= began + (i + SLICE) / RATE, 10, 0.005)
    return PROGRAMS / (time.time() - began)


def filled(d):
    """More programs than fit. Returns the size of a file, and the marks."""
    most, marks = [], Marks("second")
    r = recording(d)
    begun(r, d + "/r.partial", marks.one)
    rate = load_many(marks)
    most.append(len(box(d)))
    r.send_signal(signal.SIGINT)
    _, errors = r.communicate(timeout=patience(60))
    while marks.held:
        marks.drop()
    sizes = [os.stat(d + "/" + name).st_size for name in box(d)]
    # The next file exists a moment before the oldest is removed.
    ok(r.returncode in (0, 5) and len(box(d)) == FILES and max(most) <= FILES + 1, "%d programs, %d in a second: the newest %d files" % (PROGRAMS, rate, FILES),
       (box(d), errors))
    ok(" 0 lost;" in errors, "all are complete", errors)
    return max(sizes), marks.all


def each_second(d, marks):
    """From the first second that is still in the files to the last, each can be asked for."""
    asked = [(name, listed(d, loaded + SOON)) for name, loaded, _ in marks]
    there = [(name, names, r) for name, (names, r) in asked if names is not None]
    ok(len(there) > 1 and there == [(name, names, r) for name, (names, r) in asked][-len(there):], "%d of %d seconds are in the files, without a gap" % (len(there), len(asked)),
       [str(r) for _, (names, r) in asked if names is None][:3])
    wrong = [str(r) for name, names, r in there if name not in names]
    ok(not wrong, "in each second, what was loaded then", wrong[:3])
    two(d, [mark for mark in marks if mark[0] in [name for name, _, _ in there]])


def two(d, marks):
    """Two moments, in two files."""
    (old, first, _), (new, last, _) = marks[0], marks[-1]
    r = Run([BPFLENS, "diff", d, "--at", instant(first + SOON), "--at", instant(last + SOON), "-j", "-Q", "kind == prog"])
    changed = {(x["change"], x.get("name")) for x in r.json} if r.status == 1 else set()
    ok(("new", new) in changed and not changed & {("new", old), ("gone", new)}, "diff: two moments, mostly in two files", r)
    r = Run([BPFLENS, "diff", d, "--at", instant(first + SOON), "--at", instant(first + SOON)])
    ok(r.status == 0 and not r.text, "one moment is equal to itself", r)
    r = Run([BPFLENS, "diff", d, "--at", instant(first + SOON), "--at", instant(last + 86400)])
    ok(r.status == 2 and "which are from 20" in r.errors, "a moment outside: from when to when there is something", r)


def survives(d, full):
    """A kill at any moment. Returns (kill, marks) for each run."""
    runs, worst = [], []
    for _ in range(KILLS):
        marks, before = Marks(), box(d)
        r = recording(d)
        made = file_begun(r, d, before)
        if not begun(r, d + "/" + made, marks.one):
            ok(False, "a recorder begins", r.communicate())
            return runs
        until(lambda end=time.time() + 1 + 2 * random.random(): marks.one() or time.time() > end, 10, 0.02)
        killed = time.time()
        r.send_signal(signal.SIGKILL)
        r.communicate()
        while marks.held:
            marks.drop()
        runs.append((killed, marks.all, made))
        there = box(d)
        ok(there == (before + [made])[-FILES:], "killed: the newest %d files" % FILES, (before, there))
        ok(sum(os.stat(d + "/" + name).st_size for name in there) <= FILES * full * 1.5, "they are within the bounds", (full, [os.stat(d + "/" + name).st_size for name in there]))
        names = Run([BPFLENS, "--from", d + "/" + made, "prog", "list", "-o", "name", "--noheadings"]).text.split()
        lost = max([killed - loaded for name, loaded, _ in marks.all if name not in names] + [0])
        # On a busy machine the recorder waits for the CPU as these loads do.
        waited = max(b[1] - a[1] for a, b in zip(marks.all, marks.all[1:])) - 0.02
        worst.append(lost)
        ok(len(marks.all) > 5 and lost < 1 + waited, "killed: the last %.2f s are lost" % lost, (lost, waited, killed, marks.all))
    print("# %d kills lost at most %.2f s" % (len(worst), max(worst)))
    return runs


class Load:
    """A process that loads programs, so that the file changes every few seconds."""

    def __init__(self):
        self.pid = os.fork()
        if self.pid:
            return
        at = time.time()
        while os.getppid() != 1:
            os.close(code_load("socket_filter", "load", code(1500)))
            at += 0.01
            until(lambda: time.time() >= at, 1, 0.005)
        os._exit(0)

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def since_boot():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def begins(path):
    """When a file begins, in seconds since boot."""
    return int(lives_in(members(path))[0][1]) / 1e9


def lost_of(d, made, marks, killed):
    """Seconds that a kill took away, and the marks that are missing in a file although they were loaded when it began."""
    there = {name: Run([BPFLENS, "--from", d + "/" + name, "prog", "list", "-o", "name", "--noheadings"]).text.split() for name in box(d)}
    mine = [name for name in there if number_of(name) >= number_of(made)]
    known = {name for file in mine for name in there[file]}
    gaps = []
    for file in mine[1:]:
        at = begins(d + "/" + file)
        gaps += [(file, name, at - loaded, gone - at) for name, loaded, gone in marks if loaded < at < gone and name not in there[file]]
    oldest = begins(d + "/" + mine[0])
    return max([killed - loaded for name, loaded, _ in marks if loaded > oldest and name not in known] + [0]), gaps, len(mine)


def changing(d):
    """A kill while the file changes: a moment after the next one has appeared, or one that is drawn."""
    worst, changes = 0, 0
    for i in range(KILLS_CHANGING):
        marks, before = Marks("m%d" % i, since_boot), box(d)
        r = recording(d)
        made, load = file_begun(r, d, before), Load()
        begun(r, d + "/" + made)
        last, end = [made, 0], time.time() + patience(20)
        wanted, later = 1 + i % CHANGES, random.random() * (0.2 if i % 2 else 3)

        def changed():
            marks.one()
            if box(d)[-1] != last[0].replace(".partial", "") and box(d)[-1] != last[0]:
                last[:] = [box(d)[-1], last[1] + 1]
            return r.poll() is not None or last[1] >= wanted or time.time() > end
        until(changed, patience(30), 0.01)
        stop = time.time() + later
        until(lambda: marks.one() or time.time() > stop, 10, 0.01)
        killed = since_boot()
        r.send_signal(signal.SIGKILL)
        r.communicate()
        load.end()
        while marks.held:
            marks.drop()
        lost, gaps, files = lost_of(d, made, marks.all, killed)
        waited = max(b[1] - a[1] for a, b in zip(marks.all, marks.all[1:])) - 0.01
        worst, changes = max(worst, lost), changes + files - 1
        ok(lost < 1 + waited, "killed %.2f s after a change of files: the last %.2f s are lost" % (later, lost), (lost, waited, killed, marks.all[-100:]))
        ok(not gaps, "what was loaded when a file began is in it", gaps[:5])
    ok(changes >= KILLS_CHANGING, "%d changes of files" % changes)
    print("# %d kills while files change lost at most %.2f s" % (KILLS_CHANGING, worst))


def found(d, runs):
    """Every moment of the runs whose files are there; none between them, before or after."""
    kept = [run for run in runs if run[2] in box(d)]
    for killed, marks, made in kept:
        wrong = []
        for name, loaded, gone in marks[::10]:
            if gone < killed - 1:
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
    before = box(d)
    first = recording(d)
    begun(first, d + "/" + file_begun(first, d, before))
    words = [BPFLENS, "record", "-o", d + "/r", "--max-size", "1M", "--max-files", str(FILES), "--", "true"]
    second = Run(words)
    ok(second.status not in (0, 5) and "another process is writing it" in second.errors, "a second recorder is refused", second)
    first.send_signal(signal.SIGTERM)
    first.communicate(timeout=patience(60))
    left = [d + "/r.9999.new-a1B2c3", d + "/r.new-a1B2c3"]
    others = [d + "/r.new-a1B2c34", d + "/r.9999.old-a1B2c3"]
    for path in left + others:
        open(path, "w").close()
    with open(left[0]) as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        r = Run(words)
        ok(r.status not in (0, 5) and left[0] in r.errors and "another process is writing it" in r.errors, "nor one beside a file that is being prepared", r)
    r = Run(words)
    ok(r.status in (0, 5) and not [path for path in left if os.path.exists(path)], "what a killed one was preparing is removed", r)
    ok(all(os.path.exists(path) for path in others), "not a file with another name")
    for path in others:
        os.unlink(path)
    ok(not box(d)[-1].endswith(".partial"), "SIGTERM completes the file", box(d))


random.seed(SEED)
print("# BPFLENS_SEED=%d" % SEED)
with tempfile.TemporaryDirectory() as where:
    size, seconds = filled(where)
    each_second(where, seconds)
    found(where, survives(where, size))
    changing(where)
    alone(where)
finish()
