# SPDX-License-Identifier: BSD-2-Clause
"""Object files loaded with bpftool's words in a machine of its own, and what is left of them."""
import ctypes
import os
import platform
import shutil
import struct
import subprocess
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


def bpffs():
    return {os.path.join(top, n) for top, _, names in os.walk(os.path.dirname(PINS)) for n in names}


def load(tool, path, words, look=None):
    """How it went ("ok", a sentence, None: it took too long) and how many programs, maps and links it left."""
    before, there = counts(), bpffs()
    r = run(tool, "prog", "loadall", path, PINS, *words)
    if look and r and not r.returncode:
        look()
    good = "ok" if pins() else "ok, nothing pinned"
    shutil.rmtree(PINS, ignore_errors=True)
    for path in bpffs() - there:  # maps that pin themselves
        if not path.endswith(".debug"):
            os.unlink(path)
    left = [a - b for a, b in zip(settled(before), before)]
    lines = [s.replace("\t", " ") for s in r.stderr.splitlines() if s.startswith(("Error: ", "bpflens: "))] if r else []
    return None if not r else good if not r.returncode else lines[0] if lines else "no sentence: " + r.stderr[-80:], left
