# SPDX-License-Identifier: BSD-2-Clause
"""Shared by the tests of `record`: what a loader read (tests/live/captures.c with a directory), and what a recording has of it."""
import mmap
import os
import re
import struct
import subprocess
import tarfile
import tempfile
import time
import zlib

from rawbpf import opens, prog_load
from world import BPFLENS, BUILD, patience, until

LOADER = BUILD + "/tests/live/captures"
ARRAYS = ["xlated", "jited", "map_ids", "jited_ksyms", "jited_func_lens", "func_info", "line_info", "jited_line_info", "prog_tags"]
INFO = 232  # bytes of struct bpf_prog_info that the loader writes


def mapped(f):
    """The bytes of a file, mapped."""
    return memoryview(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)) if os.fstat(f.fileno()).st_size else memoryview(b"")


def truth(directory):
    """id -> (info, arrays, types), as each loader read them. The last may be incomplete, because the loader was killed."""
    all_ = {}
    for name in os.listdir(directory):
        with open(directory + "/" + name, "rb") as f:
            data, at = mapped(f), 0
        while at + 16 <= len(data):
            ident, parts = struct.unpack_from("<I", data, at)[0], []
            at += 16
            for _ in range(len(ARRAYS) + 2):
                if at + 4 > len(data):
                    return all_
                n = struct.unpack_from("<I", data, at)[0]
                parts.append(data[at + 4:at + 4 + n])
                at += 4 + n
            if at <= len(data):
                all_[ident] = parts
    return all_


def unpacked(path):
    """The contents of a file that may be truncated."""
    out, z = tempfile.TemporaryFile(), zlib.decompressobj(31)
    with open(path, "rb") as f:
        for part in iter(lambda: f.read(1 << 20), b""):
            while part:
                out.write(z.decompress(part))
                part = z.unused_data
                if z.eof:
                    z = zlib.decompressobj(31)
    out.seek(0)
    return out


def members(path):
    got = {}
    with unpacked(path) as f:
        data = mapped(f)
        try:
            with tarfile.open(fileobj=f, mode="r:") as t:
                for m in t:
                    if m.isfile() and m.offset_data + m.size <= len(data):
                        got[m.name] = data[m.offset_data:m.offset_data + m.size]
        except tarfile.TarError:
            pass
    return got


def lives_in(got):
    """The lines of sys/lives, split into words."""
    return [line.split() for line in bytes(got.get("sys/lives", b"")).decode().splitlines()]


def differences(got, ident, parts):
    """Names of the answers that differ from what the loader read."""
    def differs(name, want):
        return name not in got or bytes(got[name]) != bytes(want)
    info, want = (bytes(x) for x in (got.get("prog/%d/info" % ident, b""), parts[0]))
    n = min(len(info), INFO)
    # Run counters of programs that are still loaded may have changed; these programs never run.
    bad = ["info"] if not info or info[:n] != want[:n] else []
    bad += [name for name, part in zip(ARRAYS, parts[1:]) if differs("prog/%d/%s" % (ident, name), part)]
    btf = struct.unpack_from("<I", want, 128)[0]
    if btf and parts[-1] and differs("btf/%d/data" % btf, parts[-1]):
        bad.append("types")
    return bad


class Image:
    """A line of the index of `report --text`."""

    def __init__(self, directory, line):
        addr, size, begin, end, name, self.name, *more = line.split()
        self.addr, self.size, self.begin = int(addr, 16), int(size), int(begin)
        self.end = float("inf") if end == "-" else int(end)
        self.path, self.uncertain = directory + "/" + name, bool(more)


def text_index(directory):
    with open(directory + "/index") as f:
        return [Image(directory, line) for line in f]


def counts(pid):
    """Has the command enabled the kernel's counters?"""
    try:
        return any(os.readlink("/proc/%s/fd/%s" % (pid, fd)) == "anon_inode:bpf-stats" for fd in os.listdir("/proc/%s/fd" % pid))
    except OSError:
        return False


def recorder(*argv, **kw):
    return subprocess.Popen([BPFLENS, "record"] + list(argv), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kw)


def brief_program():
    """Load one that is gone at once: a recorder lists it."""
    os.close(prog_load("socket_filter", "change", 1))


def begun(r, path, change=lambda: None):
    """
    Wait until a recorder has written the objects that existed before it: its lists are in the file a second time, or they have not changed for some seconds.
    @change: loads a program, as brief_program() does, so that they soon are.
    """
    since = []

    def there():
        change()
        n = lists(path) if os.path.exists(path) else 0
        since.extend([time.monotonic()] if n and not since else [])
        return n > 1 or (since and time.monotonic() > since[0] + patience(2))
    until(lambda: r.poll() is not None or there(), patience(60), 0.1)
    return r.poll() is None


def lists(path):
    with unpacked(path) as f:
        try:
            with tarfile.open(fileobj=f, mode="r:") as t:
                return sum(m.name == "sys/lives" for m in t)
        except tarfile.TarError:
            return 0


def held(group, before):
    """(kind, id) of the BPF objects that processes of a group hold, without those that existed before (newest_ids()), which a recorder reads."""
    got = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getpgid(int(pid)) != group:
                continue
            for fd in os.listdir("/proc/%s/fdinfo" % pid):
                with open("/proc/%s/fdinfo/%s" % (pid, fd)) as f:
                    got.update((kind, int(i)) for kind, i in re.findall(r"^(prog|map|link)_id:\s*(\d+)", f.read(), re.M) if int(i) > before[kind])
        except OSError:
            continue
    return got


def left(objects):
    """Those of them that are not freed, although no process holds them."""
    there = set(objects)

    def gone():
        there.difference_update({x for x in there if not opens(*x)})
        return not there
    until(gone)
    return there
