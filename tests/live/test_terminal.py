#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""On a terminal: text that is passed through is escaped, and unchanged elsewhere; the pager starts with the first output; tables
of commands that run until they are ended fit."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

import rawbpf
from world import BPFLENS, BUILD, finish, isolate, ok

isolate()
OBJ = BUILD + "/tests/live/iters.bpf.o"
SENT = b"\033]0;owned\007caf\303\251\r\n"
SHOWN = rb"\x1b]0;owned\x07caf" + b"\303\251" + rb"\x0d" + b"\r\n"  # a terminal's line ends are CR LF


def piped(argv, data=None):
    return subprocess.run([BPFLENS] + argv, input=data, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def on_terminal(argv, data=b"", pager="", columns=80):
    """All output that a terminal receives."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "SUDO_UID", "PKEXEC_UID", "DOAS_USER")}
    p = subprocess.Popen([BPFLENS] + argv, stdin=subprocess.PIPE, stdout=theirs, stderr=theirs, env=dict(env, BPFLENS_PAGER=pager))
    os.close(theirs)
    p.stdin.write(data)
    p.stdin.close()
    got = b""
    try:
        while True:
            part = os.read(ours, 4096)
            if not part:
                break
            got += part
    except OSError:  # EIO: the other end is closed
        pass
    os.close(ours)
    p.wait()
    return got


def lines_on_terminal(argv, columns):
    """The lines without colours."""
    text = on_terminal(["--color=never"] + argv, columns=columns).decode("utf-8", "replace")
    return re.sub("\033\\[[0-9;?]*[A-Za-z]|\r", "", text).split("\n")


def for_others():
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    got = on_terminal(["report", tests + "/archives/sampled.tar.gz", "--html"])
    ok(b"the page is for a browser" in got and b"--output report.html" in got and b"<html" not in got, "no page is written on a terminal", got[:300])


def paged():
    pager = "echo PAGER; cat; sleep 0.2; echo END"
    got = on_terminal(["prog", "show", "id", "4294967295"], pager=pager)
    ok(b"PAGER" not in got and b"no program with id" in got, "a command that fails without output starts no pager", got)
    got = on_terminal(["prog", "show", "id", str(rawbpf.object_id(rawbpf.prog_load("socket_filter", "term")))], pager=pager)
    ok(got.startswith(b"PAGER\r\n") and b"socket_filter" in got and got.endswith(b"END\r\n"), "output goes to the pager, and its end is waited for", got[-300:])


def streams():
    """Their rows come one by one; still all fit, if each has more text than the terminal has room for."""
    program = rawbpf.prog_load("socket_filter", "term_longest_nm")
    opener = "import os, sys; sys.path.insert(0, %r); import rawbpf; os.close(rawbpf.prog_load('xdp', 'term_longest_xx'))" % os.path.dirname(os.path.abspath(__file__))
    for columns in (80, 120):
        for argv, marker in ((["events", "-o", "+tag,type,comm", "--", "python3", "-c", opener], "xdp"),
                             (["prog", "stats", str(rawbpf.object_id(program)), "interval", "0.1", "--count", "2", "-o", "+type,name"],
                              "socket_filter")):
            lines = lines_on_terminal(argv, columns)
            ok(any(marker in x for x in lines) and len(lines) > 2, "%s at %d columns: rows" % (" ".join(argv[:2]), columns), lines)
            long = [x for x in lines if len(x) > columns and x.rfind("  ") >= columns]  # the last column of a stream is never cut
            ok(not long, "%s at %d columns: they fit" % (" ".join(argv[:2]), columns), long)
    os.close(program)


def headings():
    """Each heading of these tables is accepted by their options, as tests/check/headings.py tries for the others."""
    program = rawbpf.prog_load("socket_filter", "term_headings")
    sorts = [["-o"], ["--sort"], ["-Q"]]
    for argv, options in ((["prog", "stats", str(rawbpf.object_id(program)), "interval", "0.01", "--count", "1"], sorts),
                          (["events", "--seconds", "0.01"], [["-o"], ["-Q"]]), (["addr", "1234"], sorts)):
        words = next((x for x in lines_on_terminal(argv, 1000) if x and x.upper() == x), "").split()
        run = [subprocess.run([BPFLENS] + argv + o + [x], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for x in words for o in options]
        ok(len(words) > 5 and all(x.returncode != 2 for x in run), "headings of %s are accepted: %s" % (" ".join(argv[:2]), " ".join(words)),
           [x.stderr for x in run if x.returncode == 2])
    os.close(program)


def main():
    for argv, data in ((["iter", "run", OBJ, "name", "say_escapes"], b""), (["addr", "-"], SENT)):
        ok(piped(argv, data) == SENT, "%s: byte for byte to a pipe" % argv[0], piped(argv, data))
        got = on_terminal(argv, data)
        ok(got == SHOWN, "%s: escaped on a terminal" % argv[0], got)
    got = on_terminal(["batch", "file", "-"], b'prog show name "\033]0;owned\007\302\233"\n')
    ok(rb"\x1b]0;owned\x07\xc2\x9b" in got and b"\033]" not in got, "also an error message", got)
    got = on_terminal(["-d", "iter", "run", OBJ, "name", "\033[2J"])
    ok(b"\033[2J" not in got and rb"\x1b[2J" in got, "and messages of -d", got)
    for_others()
    paged()
    streams()
    headings()
    finish()


main()
