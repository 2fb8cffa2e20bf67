#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""top: places and owners, the screen, its keys, sizes and end, a recording. What it counts: test_rates.py."""
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import threading
import time

from rawbpf import ENABLE_STATS, bpf, map_create, map_update, opens, prog_load, test_run
from recordings import begun, recorder
from screens import Screen
from world import World, finish, isolate, number, ok, patience, sanitized, skip, until, without_readers

isolate()
NAMES = ("top_fast", "top_slow")


class Load:
    """Runs the two programs all the time."""

    def __init__(self, fds):
        self.fds, self.stop = fds, threading.Event()
        self.thread = threading.Thread(target=self.work)

    def work(self):
        while not self.stop.is_set():
            for name, times in zip(NAMES, (500, 100)):
                test_run(self.fds[name], times)
            self.stop.wait(0.005)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *unused):
        self.stop.set()
        self.thread.join()


def where(w, fds):
    """Place and owner, words, and the order of a table."""
    def whole():  # a reader beside may hold the programs, too
        r = w.run("top", "-b", "-n", "1", "--interval", "0.3", *NAMES)
        rows = [line.split() for line in without_readers(r.text).splitlines()[2:]]
        return r.status in (0, 5) and [row[0] for row in rows] == ["ID"] + [row[0] for row in rows[1:]] and \
            {row[-3] for row in rows[1:]} == set(NAMES) and all(row[-1].startswith("python3(") for row in rows[1:])
    with Load(fds):
        ok(until(whole), "a table has name, place and owner", w.run("top", "-b", "-n", "1", "--interval", "0.3", *NAMES))
    r = w.run("top", "-b", "-n", "1", "--interval", "0.1", "no_such_name", "--noheadings")
    ok(r.status in (0, 5) and not r.text, "a word that nothing has", r)


def masked(lines):
    """Without what differs each time: numbers, histories, and the programs and maps of others."""
    return [re.sub(r"[▁▂▃▄▅▆▇█]+", "H", re.sub(r"[0-9]+(\.[0-9]+)?(ns|us|ms|s|K|M|G)?\b", "N", x)).strip() for x in lines if x.strip()]


def sizes(w):
    for columns, lines in ((60, 15), (80, 24), (200, 50)):
        with Screen(w.dir, w.lens, "top", "--interval", "0.2", *NAMES, columns=columns, lines=lines, env=["LANG=C.UTF-8"]) as s:
            shown = s.until(lambda l: any("top_fast" in x for x in l) and any("top_slow" in x for x in l) and "q quit" in l[-1])
            got = masked(shown)
            head = [x for x in shown if "CPU%" in x]
            ok(len(shown) == lines and all(len(x) <= columns for x in shown) and got[0].startswith("BPF N% of one CPU, N% of N; machine N%") and
               re.match(r"N programs?, N idle, N new, N gone; N maps?", got[1]) and "at most N%" in got[2] and
               shown[-1].startswith("q quit") and head and {"CPU%", "RUNS/S", "NAME"} <= set(head[0].split()), "%dx%d: head, rows and keys" % (columns, lines), "\n".join(shown))
            s.resize(100, 12)
            shown = s.until(lambda l: len(l) == 12 and "w write" in l[-1] and any("top_fast" in x for x in l))
            ok(len(shown) == 12 and "w write" in shown[-1] and any("top_fast" in x for x in shown), "%dx%d: resized" % (columns, lines), "\n".join(shown))


class Beat(Load):
    """Updates a map so often a second."""

    def __init__(self, rate):
        super().__init__({})
        self.rate, self.map = rate, map_create(1, 4, 8, 16, "top_beat")

    def work(self):
        start, n = time.monotonic(), 0
        while not self.stop.wait(max(0, start + n / self.rate - time.monotonic())):
            map_update(self.map, struct.pack("I", n % 16), struct.pack("Q", n))
            n += 1

    def __exit__(self, *unused):
        super().__exit__()
        os.close(self.map)


def rate_shown(lines, rate):
    rates = [x.split()[-1] for x in lines if "top_beat" in x]
    return any(re.match("[0-9]", x) and abs(float(x) - rate) <= 0.1 * rate for x in rates)


def kinds_of(lines):
    return {" ".join(x.split()[1:3]) for x in lines if re.search("top_(event|made)", x)}


def arrived(lines):
    """Are the events of ours on the screen? Others may have more after them: then once more."""
    there = len(kinds_of(lines)) == 3
    if not there:
        os.close(prog_load("socket_filter", "top_event", 0))
        os.close(map_create(2, 4, 8, 4, "top_made"))
    return there


def newest(lines):
    """Is the last program on the screen? Others may load many after it: then once more."""
    there = any("unload" in x and "top_e1099 " in x for x in lines)
    if not there:
        os.close(prog_load("socket_filter", "top_e1099", 0))
    return there


def keys(w, fd):
    path = w.dir + "/screen.txt"
    with Screen(w.dir, w.lens, "top", "--interval", "0.2", env=["NO_COLOR=1"], columns=120) as s:
        s.until(lambda l: any("CPU%" in x for x in l))
        s.keys("/", "t", "o", "p", "_", "Enter")
        shown = s.until(lambda l: sum("top_" in x for x in l) == 2 and not any(x.startswith("filter") for x in l))
        rows = [x for x in shown if "top_" in x]
        ok(len(rows) == 2, "a filter of a word", "\n".join(shown))
        s.keys("s", "n", "a", "m", "e", "Enter")
        shown = s.until(lambda l: [x.split("top_")[1].split()[0] for x in l if "top_" in x] == ["fast", "slow"])
        s.keys("o", "+", "t", "y", "p", "e", "Enter")
        shown = s.until(lambda l: any("TYPE" in x for x in l))
        ok(any("socket_filter" in x for x in shown), "more columns", "\n".join(shown))
        s.keys("s", "x", "x", "Enter")
        shown = s.until(lambda l: "no column 'xx'" in l[-1])
        ok("no column 'xx'" in shown[-1], "a wrong column is said", "\n".join(shown))
        s.keys("Down")
        s.keys("Enter")
        shown = s.until(lambda l: any("socket_filter  name top_" in x for x in l))
        # A process that lists programs holds them for a moment.
        ok(any(re.match(r"owner (python3\(|\S+\(\d+\) \+[12]$)", x) for x in shown) and any("top_map" in x for x in shown) and any("runs/s" in x for x in shown),
           "one program: history, owner, maps", "\n".join(shown))
        s.keys("m")
        shown = s.until(lambda l: any("GROWTH/S" in x for x in l))
        ok(any("GROWTH/S" in x for x in shown), "the maps", "\n".join(shown))
        s.keys("e")
        s.until(lambda l: any("nothing happened yet" in x or "TIME" in x for x in l))
        shown = s.until(arrived)
        ok(kinds_of(shown) == {"map create", "prog load", "prog unload"}, "events, as they come", "\n".join(shown))
        for i in range(1100):
            os.close(prog_load("socket_filter", "top_e%d" % i, 0))
        shown = s.until(newest)
        ok(any("top_e1099 " in x for x in shown), "the newest of many are last", "\n".join(shown))
        s.keys("Home")
        shown = s.until(lambda l: not any("top_e1099 " in x for x in l))
        # Where others make many events, none of these is on the first screen.
        first = [int(x) for x in re.findall(r"top_e(\d+) ", "\n".join(shown))]
        ok(not any("top_e1099 " in x for x in shown) and all(x >= 599 for x in first), "and the first is one of the last 1000", "\n".join(shown))
        s.keys("m")
        shown = s.until(lambda l: any("GROWTH/S" in x for x in l))
        s.keys("u")
        with Beat(200):
            shown = s.until(lambda l: rate_shown(l, 200))
        ok(rate_shown(shown, 200), "updates of a map that is updated 200 times a second", "\n".join(shown))
        ok(not any(x in y for x in ("bpflens.calls", "bpflens.begun") for y in shown), "maps of ours are left out", "\n".join(shown))
        s.keys("?")
        shown = s.until(lambda l: any("this help" in x for x in l))
        s.keys("x")
        s.keys("space")
        shown = s.until(lambda l: l[-1].startswith("frozen") and any("top_fast" in x for x in l))
        s.keys("w", *path, "Enter")
        s.until(lambda l: "written to" in l[-1])
        with open(path) as f:
            text = f.read()
        ok("top_fast" in text and "\033" not in text and len(text.splitlines()) == 24, "the screen in a file", text)
        colors = s.lines(colors=True)
        ok(not any(re.search(r"\033\[[0-9;]*(3[0-8]|4[0-8]);?", x) for x in colors), "no colours with NO_COLOR", "\n".join(colors))
        s.keys("q")
        shown = s.until(lambda l: any("status" in x for x in l))
        ok(any(re.match("status [05]", x) for x in shown) and not any("CPU%" in x for x in shown), "q ends it, and the old screen is there", "\n".join(shown))


def code(w, fds):
    """Samples of a busy program beside its code; where sampling is refused, a sentence and the code."""
    with Load(fds), Screen(w.dir, w.lens, "top", "--interval", "0.2", "top_slow", env=["NO_COLOR=1"], columns=100, lines=40) as s:
        s.until(lambda l: any("top_slow" in x for x in l))
        s.keys("Enter", "a")
        shown = s.until(lambda l: any(re.search(r"[1-9][0-9]* of [0-9]+ samples .*Hz", x) for x in l))
        ok(any(re.search(r"[1-9][0-9]* of [0-9]+ samples .*Hz", x) for x in shown) and any(re.search(r"100\.0% #* +0: \(", x) for x in shown),
           "the code of a program with its samples", "\n".join(shown))
        s.keys("Escape")
        shown = s.until(lambda l: any("owner python3(" in x for x in l))
        ok(any("owner python3(" in x for x in shown), "and back", "\n".join(shown))
        s.keys("a")
        s.until(lambda l: any("samples" in x for x in l))
        s.keys("q", "q", "q")
        shown = s.until(lambda l: any("status" in x for x in l))
        ok(any(re.match("status [05]", x) for x in shown), "q, step by step", "\n".join(shown))
    if not shutil.which("strace"):
        return skip("strace is not installed")
    with Screen(w.dir, "strace", "-f", "-o", "/dev/null", "-e", "trace=perf_event_open", "-e", "inject=perf_event_open:error=EACCES", w.lens, "top", "--interval", "0.2",
                "top_slow", env=["NO_COLOR=1"], columns=100, lines=40) as s:
        s.until(lambda l: any("top_slow" in x for x in l))
        s.keys("Enter", "a")
        shown = s.until(lambda l: any("Permission denied" in x for x in l))
        ok(any("cannot take samples" in x for x in shown) and any("0: (" in x for x in shown), "sampling is refused: why, and the code", "\n".join(shown))
        s.keys("e")
        shown = s.until(lambda l: any("perf_event_open" in x for x in l))
        ok(any("perf_event_open" in x for x in shown), "so are events", "\n".join(shown))


def recorded(w, fds):
    """The screen of a recording goes back and forth, and begins at --at."""
    path = w.dir + "/top.rec"
    r = recorder("-o", path)
    if not ok(begun(r, path + ".partial"), "a recording has begun"):
        return
    with Load(fds):
        start = time.monotonic()
        until(lambda: time.monotonic() - start > 5)
    r.send_signal(signal.SIGINT)
    r.communicate(timeout=patience(30))
    with Screen(w.dir, w.lens, "--from", path, "--at", "4.5", "top", "top_fast", columns=100) as s:
        def at():
            return s.lines()[0][-12:]
        s.until(lambda l: any("top_fast" in x for x in l))
        first = at()
        s.keys("[")
        ok(until(lambda: at() < first), "[ goes back", (first, s.lines()))
        s.keys("}")
        ok(until(lambda: at() > first), "} goes forth, beyond --at", (first, s.lines()))
        s.keys("{")
        ok(until(lambda: at() < first), "{ goes back to the beginning", (first, s.lines()))
        s.keys("q")


class Terminal:
    """top on a terminal of ours."""

    def __init__(self, w, *words, term="xterm-256color"):
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(theirs)
        self.p = subprocess.Popen([w.lens, "top"] + list(words), stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True,
                                  env=dict(os.environ, TERM=term))
        self.theirs, self.got = theirs, b""

    def read(self, seconds):
        ready = select.poll()  # select() takes no descriptor above 1023
        ready.register(self.ours, select.POLLIN)
        if ready.poll(1000 * seconds):
            self.got += os.read(self.ours, 65536)

    def until(self, what, seconds=20):
        """Seconds until the output has it; None: never."""
        start = time.monotonic()
        while what not in self.got:
            self.read(0.5)
            if time.monotonic() - start > patience(seconds):
                return None
        return time.monotonic() - start

    def end(self):
        until(lambda: self.read(0.05) or self.p.poll() is not None)
        after = termios.tcgetattr(self.theirs)
        os.close(self.theirs)
        os.close(self.ours)
        return after == self.before


def ends(w):
    """The terminal is as before."""
    for how in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        t = Terminal(w, "--interval", "0.2")
        until(lambda: b"CPU%" in t.got or t.read(0.1))
        t.p.send_signal(how)
        same = t.end()
        ok(same and t.p.returncode in (0, 5) and b"\033[?1049l" in t.got, "the terminal is as before after %s" % how.name, (same, t.p.returncode, t.got[-300:]))
    t = Terminal(w, term="no-such-terminal")
    t.end()
    ok(t.p.returncode == 1 and b"print the same with -b" in t.got, "an unknown terminal: -b", t.got)


def killed(w):
    """Programs of its own, for events and updates, end with it whatever happens."""
    t = Terminal(w, "--interval", "0.2")
    until(lambda: b"CPU%" in t.got or t.read(0.1))
    os.write(t.ours, b"mu")
    t.until(b"UPDATES/S")
    held = set()
    for fd in os.listdir("/proc/%d/fdinfo" % t.p.pid):
        with open("/proc/%d/fdinfo/%s" % (t.p.pid, fd)) as f:
            held |= set(re.findall(r"^(map|prog|link)_id:\t(\d+)$", f.read(), re.M))
    ok({kind for kind, _ in held} == {"map", "prog", "link"}, "it holds programs, maps and links", held)
    t.p.kill()
    t.end()
    left = lambda: [x for x in held if opens(x[0], int(x[1]))]  # noqa: E731
    until(lambda: not left())
    ok(not left(), "and nothing is left of them after SIGKILL", left())


def fast(w):
    """With 1,000 programs: intervals are kept, memory, and from a key to the screen. BPFLENS_MANY=10000 takes a minute more."""
    fds = [prog_load("socket_filter", "many_%d" % i, i % 7) for i in range(number("MANY", 1000))]
    r = w.run("--ndjson", "top", "-n", "4", "--interval", "1", "-Q", "name = many_0")
    lapses = sorted(json.loads(line)["lapse_ns"] / 1e9 for line in r.text.splitlines())
    ok(len(lapses) == 4 and 0.9 < lapses[1] < patience(1.1), "an interval of one second is one: %s" % lapses, r)
    t = Terminal(w, "--interval", "1", "many_")
    until(lambda: b"many_" in t.got or t.read(0.1))
    times = []
    for key, text in [(b"?", b"this help"), (b"x", b"many_")] * 5:
        t.got = b""
        os.write(t.ours, key)
        times.append(t.until(text) or 99)
    with open("/proc/%d/status" % t.p.pid) as f:
        most = next(int(line.split()[1]) for line in f if line.startswith("VmHWM:"))
    ok(sanitized() or most < 13000 + 2 * len(fds), "%d KB of memory" % most)
    t.p.terminate()
    t.end()
    while fds:
        for fd in fds[:100]:
            os.close(fd)
        del fds[:100]
        threading.Event().wait(0.1)  # programs are freed one after another: not all at once
    print("# from a key to the screen: %s ms" % " ".join("%.0f" % (1000 * x) for x in sorted(times)))
    ok(sorted(times)[len(times) // 2] < (1 if sanitized() else patience(0.05)), "half of the keys are shown within 50 ms", times)


with World() as w:
    try:
        fd_map = map_create(2, 4, 8, 4, "top_map")
        fds = {"top_fast": prog_load("socket_filter", "top_fast", 0, 0, 50), "top_slow": prog_load("socket_filter", "top_slow", 0, 0, 3000, (fd_map,))}
        os.close(bpf(ENABLE_STATS, b"\0" * 4))
    except OSError as e:
        skip("programs cannot be made or counted here: %s" % e)
        finish()
    where(w, fds)
    if not json.loads(w.run("-j", "version").out)["features"]["screen"]:
        skip("built without a screen")
        finish()
    ends(w)
    killed(w)
    fast(w)
    if shutil.which("tmux"):
        recorded(w, fds)
        sizes(w)
        keys(w, fds)
        code(w, fds)
    else:
        skip("tmux is not installed")
finish()
