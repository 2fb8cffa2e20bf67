#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""objects.py BPFTOOL BPFLENS FILE...: what bpftool loads, and attaches, of each object file does bpflens, too, and shows, dumps and
takes away; what it does not is refused in a sentence; nothing is left either way. It needs a machine of its own, where nothing
else loads BPF programs: objects of the kernel's selftests attach anywhere. A line a file and a summary; status 1: they differ."""
import collections
import ctypes
import json
import os
import platform
import shutil
import struct
import subprocess
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
BPF = {"x86_64": 321, "aarch64": 280, "riscv64": 280}[platform.machine()]
NEXT_ID = {"prog": 11, "map": 12, "link": 31}
PINS = "/sys/fs/bpf/objects"
LIMIT = 40  # seconds for one command: some selftests are of a million steps


def count(kind):
    attr = ctypes.create_string_buffer(16)
    n = 0
    while not LIBC.syscall(BPF, NEXT_ID[kind], attr, 16):
        at = struct.unpack_from("<II", attr.raw)[1]
        struct.pack_into("<II", attr, 0, at, 0)
        n += 1
    return n


def counts():
    return [count(kind) for kind in NEXT_ID]


def settled(before):
    """What is there once what was taken away has gone."""
    for _ in range(30):
        now = counts()
        if now == before:
            break
        time.sleep(0.1)
    return now


def run(*words):
    try:
        return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None


def pins():
    return sorted(PINS + "/" + n for n in os.listdir(PINS)) if os.path.isdir(PINS) else []


def seen(tool, tally):
    """bpflens on what it loaded: shown, listed, dumped and unpinned."""
    for path in pins()[:3]:  # a process is slow in an emulated machine
        for kind, words in (("prog", ("show",)), ("link", ("show",)), ("prog", ("dump", "xlated"))):
            r = run(tool, "-j", kind, *words, "pinned", path)
            if r and not r.returncode:
                json.loads(r.stdout)
                tally[kind + " " + words[0]] += 1
    for kind in NEXT_ID:
        for _ in range(5):  # what the command before loaded for itself goes a little after it
            r = run(tool, "-j", kind, "list")
            fits = r and r.returncode == 0 and len(json.loads(r.stdout)) == count(kind)
            if fits:
                break
            time.sleep(0.2)
        tally[kind + " list" if fits else "a list of %ss that is not whole" % kind] += 1


def load(tool, path, words, look=None):
    """How it went ("ok", a sentence, None: it took too long) and how many programs, maps and links it left."""
    before = counts()
    r = run(tool, "prog", "loadall", path, PINS, *words)
    if look and r and not r.returncode:
        look()
    shutil.rmtree(PINS, ignore_errors=True)
    left = [a - b for a, b in zip(settled(before), before)]
    lines = [s.replace("\t", " ") for s in r.stderr.splitlines() if s.startswith(("Error: ", "bpflens: "))] if r else []
    return None if not r else "ok" if not r.returncode else lines[0] if lines else "no sentence: " + r.stderr[-80:], left


def main(bpftool, bpflens, *paths):
    tally, shown, bad = collections.Counter(), collections.Counter(), 0
    for path in paths:
        name = os.path.basename(path)
        for words in ((), ("autoattach",)):
            theirs, _ = load(bpftool, path, words)
            if theirs is None:
                tally["slow"] += 1
                break
            ours, left = load(bpflens, path, words, lambda: seen(bpflens, shown))
            what = "loadall" + "".join(" " + w for w in words)
            fits = any(left) == 0 and (ours == "ok" if theirs == "ok" else ours is not None and not ours.startswith("no sentence"))
            tally["%s: %s, %s" % (what, "theirs ok" if theirs == "ok" else "theirs refused", "ours ok" if ours == "ok" else "ours refused")] += 1
            tally[what + ": left something"] += any(left)
            bad += not fits
            print("%s\t%s\t%s\t%s\t%s\t%s" % ("same" if fits else "DIFFERS", name, what, theirs, ours, left), flush=True)
    for k, n in sorted(tally.items()) + sorted(shown.items()):
        print("# %d\t%s" % (n, k))
    return 1 if bad or any("not whole" in k for k in shown) else 0


sys.exit(main(*sys.argv[1:]))
