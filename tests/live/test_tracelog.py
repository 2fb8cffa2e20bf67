#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""prog tracelog: lines of the trace pipe as text, JSON and NDJSON; the streams of a program; it leaves no mount."""
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import termios

from feed import Stream
from world import BPFLENS, BUILD, STRACE, Run, World, finish, has_trace_pipe, isolate, ok, skip, strict_json, until

isolate()
MARKER = "/sys/kernel/tracing/trace_marker"


def listen(options, write, end=None):
    s = Stream(BPFLENS, *options)
    s.listening()
    with open(MARKER, "w") as f:
        for line in write:
            f.write(line)
            f.flush()
    if end:
        s.wait(write[-1].split()[-1].strip('"\x1b'))
    else:
        until(lambda: s.process.poll() is not None)
    status, text, err = s.end(end or signal.SIGKILL)
    return status, text.encode(), err


def pipe():
    for _ in range(5):  # others may write, too
        s, out, err = listen(["prog", "tracelog", "--count", "2"], ["lens one\n", "lens two\n", "lens three\n"])
        if all(b" lens " in line for line in out.splitlines()):
            break
    ok(s == 0 and out.count(b"\n") == 2 and b"lens one" in out and b"lens two" in out, "two lines", (s, out, err))
    s, out, err = listen(["-j", "prog", "tracelog"], ["lens \"four\"\x1b\n"], signal.SIGINT)
    got = strict_json(out)
    ok(s == 0 and any(line.endswith("\n") and 'lens "four"\x1b' in line for line in got), "JSON, until it is interrupted", (s, out, err))
    s, out, err = listen(["--ndjson", "prog", "tracelog"], ["lens five\n", "lens six\n"], signal.SIGTERM)
    ok(s == 0 and ["lens five" in json.loads(line) or "lens six" in json.loads(line) for line in out.splitlines()].count(True) == 2, "NDJSON",
       (s, out, err))


def unread():
    """A full pipe that nobody reads does not keep a signal from ending it."""
    p = subprocess.Popen([BPFLENS, "prog", "tracelog"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(MARKER, "w") as f:
        def fill():  # the kernel's buffer has only some kilobytes
            f.write("lens %s\n" % ("x" * 500))
            f.flush()
            return unread_bytes(p) > 40 << 10
        ok(until(fill, 60, 0.005), "nobody reads its output", p.poll())
        for _ in range(200):
            f.write("lens %s\n" % ("x" * 500))
            f.flush()
    p.terminate()
    ok(until(lambda: p.poll() is not None, 30) and p.returncode == 0, "SIGTERM ends it", p.poll())
    p.kill()
    p.communicate()
    left = os.open(os.path.dirname(MARKER) + "/trace_pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        while os.read(left, 4096):
            pass
    except BlockingIOError:
        os.close(left)


def unread_bytes(p):
    n = bytearray(4)
    fcntl.ioctl(p.stdout, termios.FIONREAD, n)
    return int.from_bytes(n, sys.byteorder)


def streams(pin):
    r = Run([BPFLENS, "prog", "tracelog", "stderr", "pinned", pin], timeout=20)
    if r.status and "Linux 6.17" in r.errors:
        return skip("streams of programs: not supported by this kernel")
    ok(r.status == 0 and r.out == b"", "an empty stream", r)
    r = Run([BPFLENS, "-j", "prog", "tracelog", "std", "pinned", pin], timeout=20)
    ok(r.status == 0 and r.json == [], "and JSON, abbreviated", r)


def locked_down():
    """tracefs without files, as of a kernel that is locked down, is not called missing."""
    if not shutil.which("strace"):
        return skip("tracefs without files: strace is not installed")
    r = Run(STRACE + ["-f", "-o", "/dev/null", "-e", "trace=faccessat,faccessat2", "-e", "inject=faccessat,faccessat2:error=ENOENT", BPFLENS, "prog", "tracelog"],
            timeout=20)
    ok(r.status == 4 and "[EPERM]" in r.errors, "tracefs without files", r)


with World() as w:
    for words, sentence in ((["stdout"], "needs a program"), (["id", "1"], "unexpected argument 'id'")):
        r = Run([BPFLENS, "prog", "tracelog"] + words, timeout=20)
        ok(r.status == 2 and sentence in r.errors, "refused: " + " ".join(words), r)
    if os.path.exists(MARKER):
        if has_trace_pipe():
            pipe()
            unread()
        locked_down()
    else:
        skip("tracefs is not supported here")
    made = Run([BPFLENS, "prog", "load", BUILD + "/tests/live/run.bpf.o", w.pins + "/x", "only", "lens_socket"], timeout=20)
    if ok(made.status == 0, "loaded", made):
        streams(w.pins + "/x")
finish()
