#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Small files cause little work: processor time that a quadratic reading would exceed many times."""
import os
import resource
import struct
import subprocess
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


with tempfile.TemporaryDirectory() as tmp:
    path = os.path.join(tmp, "chain.btf")
    with open(path, "wb") as f:
        f.write(chain())
    for words in (["layout", "a", "from"], ["sizes", "from"], ["find", "member", "a", "from"]):
        r = run("-j", "btf", *words, "file", path)
        ok(r.returncode == 0 and r.stdout.count(b'"id":') == STRUCTS, "btf %s of %d nested structs" % (" ".join(words), STRUCTS),
           "status %d, %d structs, %s" % (r.returncode, r.stdout.count(b'"id":'), r.stderr[:300]))
finish()
