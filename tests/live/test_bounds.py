#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Small files cause little work: processor time that a quadratic reading would exceed many times."""
import io
import json
import os
import resource
import struct
import subprocess
import sys
import tarfile
import tempfile

from world import BPFLENS, finish, ok, sanitized

SECONDS = 30 if sanitized() else 10
STRUCTS = 100000


def chain():
    """BTF of structs of one name, each in the next."""
    types = [struct.pack("=IIII", 3, 1 << 24, 4, 32)] + [struct.pack("=IIIIII", 1, 4 << 24 | 1, 4, 1, 1 + i, 0) for i in range(STRUCTS)]
    body, strings = b"".join(types), b"\0a\0int\0"
    return struct.pack("=HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(body), len(body), len(strings)) + body + strings


def run(*words):
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))  # noqa: E731
    return subprocess.run([BPFLENS, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)


def memory(*words):
    """KiB that a command takes."""
    p = subprocess.Popen([BPFLENS, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return os.wait4(p.pid, 0)[2].ru_maxrss


def pinned(path, pins):
    """An archive of a program with so many pins."""
    files = {"meta": "bpflens 0.1.0\nendian %s\ncpus 2\n" % sys.byteorder, "sys/pins": "".join("prog 1 /b/p%d\n" % i for i in range(pins)),
             "prog/ids": struct.pack("=I", 1), "prog/1/info": struct.pack("=II", 1, 1) + bytes(224), "map/ids": b"", "link/ids": b"", "btf/ids": b""}
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as t:
        for name, data in files.items():
            data = data.encode() if isinstance(data, str) else data
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))


with tempfile.TemporaryDirectory() as tmp:
    path = os.path.join(tmp, "chain.btf")
    with open(path, "wb") as f:
        f.write(chain())
    for words in (["layout", "a", "from"], ["sizes", "from"], ["find", "member", "a", "from"]):
        r = run("-j", "btf", *words, "file", path)
        ok(r.returncode == 0 and r.stdout.count(b'"id":') == STRUCTS, "btf %s of %d nested structs" % (" ".join(words), STRUCTS),
           "status %d, %d structs, %s" % (r.returncode, r.stdout.count(b'"id":'), r.stderr[:300]))
    pinned(tmp + "/pins.tar", 1500)
    r = run("--from", tmp + "/pins.tar", "why", "prog", "1")
    ok(r.stdout.count(b"  bpflens prog unpin ") == 1000 and b"prog 1 has 500 more pins: bpflens pin list -Q 'kind == prog && id == 1'" in r.stderr,
       "why: 1,000 of an object's pins, and how many are left out", r.stderr[:600])
    pinned(tmp + "/many.tar", 200000)
    listed, *others = (memory("--from", tmp + "/many.tar", *words) for words in (["prog", "list"], ["why", "prog", "1"], ["audit"], ["orphans"]))
    ok(max(others) < 1.5 * listed, "why, audit, orphans: many pins take no more memory than their list", (listed, others))
    last = json.loads(run("--from", tmp + "/pins.tar", "-j", "pin", "list").stdout)[-1]["path"]
    for words in ([last], ["pinned", last]):
        r = run("--from", tmp + "/pins.tar", "why", *words)
        ok(r.stdout.startswith(b"prog 1 "), "why finds an object by a pin that it leaves out", (words, r.stderr[:300]))
    r = run("--from", tmp + "/pins.tar", "-j", "pin", "list", "-Q", "kind == prog && id == 1")
    ok(r.stdout.count(b'"path"') == 1500, "which that command lists", r.stderr[:300])
finish()
