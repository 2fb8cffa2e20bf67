# SPDX-License-Identifier: BSD-2-Clause
"""The BPF objects in packages: their object files, and those inside their executables."""
import hashlib
import os
import struct
import sys

from world import Run, skip

PACKAGES = ("xdp-tools", "libxdp1", "libbpf-tools")


def files():
    """Paths of the packages' files; one that is not installed is left out and named."""
    for package in PACKAGES:
        r = Run(["dpkg-query", "-L", package])
        if r.status:
            skip(package + " is not installed")
        for path in r.text.splitlines():
            if "/share/" not in path and os.path.isfile(path) and not os.path.islink(path):
                yield path


def objects(data):
    """The BPF objects in a file: a 64-bit ELF image for BPF ends after its section headers or its last section."""
    at = data.find(b"\x7fELF\2")
    while at >= 0:
        if int.from_bytes(data[at + 18:at + 20], sys.byteorder) == 247:
            headers, = struct.unpack_from("<Q", data, at + 40)
            size, n = struct.unpack_from("<HH", data, at + 58)
            end = headers + size * n
            for i in range(n):
                kind, = struct.unpack_from("<I", data, at + headers + i * size + 4)
                offset, length = struct.unpack_from("<QQ", data, at + headers + i * size + 24)
                end = max(end, offset + length if kind != 8 else 0)
            yield data[at:at + end]
        at = data.find(b"\x7fELF\2", at + 1)


def extract(directory):
    """Write each object once; returns the paths."""
    seen, ret = set(), []
    for path in files():
        with open(path, "rb") as f:
            data = f.read()
        for i, image in enumerate(objects(data)):
            digest = hashlib.sha256(image).digest()
            if digest in seen:
                continue
            seen.add(digest)
            ret.append("%s/%s-%d.o" % (directory, os.path.basename(path).replace(".o", ""), i))
            with open(ret[-1], "wb") as f:
                f.write(image)
    return ret
