# SPDX-License-Identifier: BSD-2-Clause
"""Load object files with bpftool's words, and check what they leave."""
import ctypes
import errno
import glob
import json
import os
import platform
import re
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from until import until  # noqa: E402

LIBC = ctypes.CDLL(None, use_errno=True)
BPF = {"x86_64": 321, "aarch64": 280, "riscv64": 280}[platform.machine()]
NEXT_ID = {"prog": 11, "map": 12, "link": 31}
PINS = "/sys/fs/bpf/objects"
LIMIT = 40  # seconds for one command: some selftests have a million steps


def ids(kind):
    attr = ctypes.create_string_buffer(16)
    found = set()
    while not LIBC.syscall(BPF, NEXT_ID[kind], attr, 16):
        at = struct.unpack_from("<II", attr.raw)[1]
        struct.pack_into("<II", attr, 0, at, 0)
        found.add((kind, at))
    if ctypes.get_errno() != errno.ENOENT:
        raise OSError(ctypes.get_errno(), "ids of %ss" % kind)
    return found


def everything():
    return set().union(*(ids(kind) for kind in NEXT_ID))


def held_by_others():
    """Objects that processes of other sessions have open: these are not left by the test."""
    held = set()
    for path in glob.glob("/proc/[0-9]*/fdinfo"):
        try:
            if os.getsid(int(path.split("/")[2])) == os.getsid(0):
                continue
            for fd in os.listdir(path):
                with open(path + "/" + fd) as f:
                    held |= {(kind, int(n)) for kind, n in re.findall(r"^(prog|map|link)_id:\s*(\d+)$", f.read(), re.M)}
        except OSError:
            pass  # the process has ended, or may not be read
    return held


def facts(tool, kind, at):
    r = run(tool, "-j", kind, "show", "id", str(at))
    return json.loads(r.stdout) if r and not r.returncode else {}


def left_behind(tool, before):
    """Objects that exist since BEFORE, after a wait for those that are being freed, as two texts: what is left, and what is only mentioned.

    Two kinds of objects are not left by the loader: those that a process of another session holds, directly or by a program; and an
    array of programs that nothing holds: prog_array_map_clear() takes a reference for work that is queued already when
    a process opens the map by id while it is freed, and the map stays for ever."""
    if until(lambda: not everything() - before, 5, 0.1):
        return [], []
    new = everything() - before
    others = held_by_others()
    others |= {("map", m) for kind, n in others if kind == "prog" for m in facts(tool, "prog", n).get("map_ids", [])}
    mapped = {m for _, n in ids("prog") for m in facts(tool, "prog", n).get("map_ids", [])}
    left, named = [], []
    for kind, n in sorted(new & everything()):
        it = facts(tool, kind, n)
        word = "%s %d %s %s" % (kind, n, it.get("type", "?"), it.get("name", ""))
        if (kind, n) in others:
            named.append(word + " of another process")
        elif it.get("type") == "prog_array" and n not in mapped:
            named.append(word + " without a holder")
        else:
            left.append(word)
    return left, named


def run(*words):
    try:
        return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None


def pins():
    return sorted(PINS + "/" + n for n in os.listdir(PINS)) if os.path.isdir(PINS) else []


def bpffs():
    return {os.path.join(top, n) for top, _, names in os.walk(os.path.dirname(PINS)) for n in names}


def load(tool, path, words, look=None):
    """Load an object file. Return the result ("ok", a message, None: timeout), what it left, and what is only mentioned (left_behind())."""
    before, there = everything(), bpffs()
    r = run(tool, "prog", "loadall", path, PINS, *words)
    if look and r and not r.returncode:
        look()
    good = "ok" if pins() else "ok, nothing pinned"
    pinned = [p for p in bpffs() - there if not p.endswith(".debug")] if r and r.returncode else []
    shutil.rmtree(PINS, ignore_errors=True)
    for path in bpffs() - there:  # maps that are pinned by name
        if not path.endswith(".debug"):
            os.unlink(path)
    lines = [s.replace("\t", " ") for s in r.stderr.splitlines() if s.startswith(("Error: ", "bpflens: "))] if r else []
    left, named = left_behind(tool, before)
    return (None if not r else good if not r.returncode else lines[0] if lines else "no sentence: " + " ".join(r.stderr.split())[-80:],
            left + ["pin " + p for p in pinned], named)
