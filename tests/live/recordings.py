# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of `record` share: what a loader read (tests/live/captures.c with a directory), and what a file has of it."""
import mmap
import os
import struct
import subprocess
import tarfile
import tempfile
import zlib

from world import BPFLENS, BUILD, Run

LOADER = BUILD + "/tests/live/captures"
ARRAYS = ["xlated", "jited", "map_ids", "jited_ksyms", "jited_func_lens", "func_info", "line_info", "jited_line_info", "prog_tags"]
INFO = 232  # bytes of struct bpf_prog_info that the loader writes


def mapped(f):
    """A file's bytes, which need no memory until they are looked at."""
    return memoryview(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)) if os.fstat(f.fileno()).st_size else memoryview(b"")


def truth(directory):
    """id -> (info, arrays, types), as each loader read them. The last may be half: it was killed."""
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
    """As much as there is of a file that may be cut."""
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
    """The lines of sys/lives: words."""
    return [line.split() for line in bytes(got.get("sys/lives", b"")).decode().splitlines()]


def differences(got, ident, parts):
    """Names of the answers that are not what the loader read."""
    def differs(name, want):
        return name not in got or bytes(got[name]) != bytes(want)
    info, want = (bytes(x) for x in (got.get("prog/%d/info" % ident, b""), parts[0]))
    n = min(len(info), INFO)
    # Run counters of what is still there may have moved on; these never run.
    bad = ["info"] if not info or info[:n] != want[:n] else []
    bad += [name for name, part in zip(ARRAYS, parts[1:]) if differs("prog/%d/%s" % (ident, name), part)]
    btf = struct.unpack_from("<I", want, 128)[0]
    if btf and parts[-1] and differs("btf/%d/data" % btf, parts[-1]):
        bad.append("types")
    return bad


def recorder(*argv, **kw):
    return subprocess.Popen([BPFLENS, "record"] + list(argv), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kw)


def attached():
    r = Run([BPFLENS, "prog", "list", "-o", "name"])
    return [line for line in r.text.splitlines() if line.startswith("capture_")]
