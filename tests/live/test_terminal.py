#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Text that is passed through is escaped on a terminal, and unchanged elsewhere."""
import os
import pty
import subprocess

from world import BPFLENS, BUILD, finish, isolate, ok

isolate()
OBJ = BUILD + "/tests/live/iters.bpf.o"
SENT = b"\033]0;owned\007caf\303\251\r\n"
SHOWN = rb"\x1b]0;owned\x07caf" + b"\303\251" + rb"\x0d" + b"\r\n"  # a terminal's line ends are CR LF


def piped(argv, data=None):
    return subprocess.run([BPFLENS] + argv, input=data, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def on_terminal(argv, data=b""):
    """All output that a terminal receives."""
    ours, theirs = pty.openpty()
    p = subprocess.Popen([BPFLENS] + argv, stdin=subprocess.PIPE, stdout=theirs, stderr=theirs, env=dict(os.environ, BPFLENS_PAGER=""))
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


def main():
    for argv, data in ((["iter", "run", OBJ, "name", "say_escapes"], b""), (["addr", "-"], SENT)):
        ok(piped(argv, data) == SENT, "%s: byte for byte to a pipe" % argv[0], piped(argv, data))
        got = on_terminal(argv, data)
        ok(got == SHOWN, "%s: escaped on a terminal" % argv[0], got)
    got = on_terminal(["batch", "file", "-"], b'prog show name "\033]0;owned\007\302\233"\n')
    ok(rb"\x1b]0;owned\x07\xc2\x9b" in got and b"\033]" not in got, "also an error message", got)
    got = on_terminal(["-d", "iter", "run", OBJ, "name", "\033[2J"])
    ok(b"\033[2J" not in got and rb"\x1b[2J" in got, "and messages of -d", got)
    finish()


main()
