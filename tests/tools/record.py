#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Record tests/archives/sample.tar.gz: the objects of mkobj on this machine, without what does not belong to them. Root.

Left out: other objects and processes, the kernel's own BTF (5 MB) and all symbols but those that instructions name.
usage: BUILD=dir record.py FILE"""
import gzip
import io
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
import world  # noqa: E402
from world import World, isolate  # noqa: E402

isolate()
KINDS = ("prog", "map", "link", "btf")


def kept_ids(members, w):
    """Our objects, and the type information that they use."""
    ids = {k: w.ids(k) for k in ("prog", "map", "link")}
    ids["btf"] = {1}
    for kind, offset in (("prog", 128), ("map", 64)):
        for i in ids[kind]:
            info = members.get("%s/%d/info" % (kind, i))
            if info and len(info) >= offset + 4:
                ids["btf"].add(struct.unpack_from("<I", info, offset)[0])
    return ids


def trim(path, w):
    members, order = {}, []
    with tarfile.open(path) as t:
        for m in t:
            members[m.name] = t.extractfile(m).read()
            order.append(m.name)
    ids, out = kept_ids(members, w), []
    for name in order:
        data = members[name]
        m = re.match(r"(prog|map|link|btf)/(\d+)/", name)
        if m and int(m.group(2)) not in ids[m.group(1)] or name == "btf/1/data":
            continue
        if name in [k + "/ids" for k in KINDS]:
            have = struct.unpack("<%dI" % (len(data) // 4), data)
            data = struct.pack("<%dI" % len([i for i in have if i in ids[name.split("/")[0]]]), *[i for i in have if i in ids[name.split("/")[0]]])
        elif name == "sys/kallsyms":
            lines = data.decode().splitlines(True)
            data = "".join(x for x in lines if re.search(r" [tT] (__bpf_call_base|bpf_\w+)(\s|$)", x)).encode()
        elif name == "sys/holders":
            size = 40
            data = b"".join(data[i:i + size] for i in range(0, len(data), size) if struct.unpack_from("<I", data, i + 8)[0] == w.pid)
        elif name == "sys/cgroups":
            data = "".join(x for x in data.decode().splitlines(True) if x.endswith("/\n") or "demo" in x).encode()
        elif name == "sys/pins" or name.startswith("pin/"):
            if name != "sys/pins":
                continue
        out.append((name, data))
    return out


def write(path, members):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    with open(path, "wb") as f:
        f.write(gzip.compress(raw.getvalue(), 9, mtime=0))


class Demo(World):
    """The same world with paths that every machine could have."""

    def __enter__(self):
        super().__enter__()
        subprocess.run(["umount", self.pins], check=True)
        self.pins = "/sys/fs/bpf"
        subprocess.run(["mount", "-t", "bpf", "bpf", self.pins], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/opt"], check=True)
        os.makedirs("/opt/demo/tests/live")
        for name in os.listdir(world.BUILD + "/tests/live"):
            if name == "mkobj" or name.endswith(".bpf.o"):
                shutil.copy(world.BUILD + "/tests/live/" + name, "/opt/demo/tests/live")
        if self.cgroup:
            os.rmdir(self.cgroup)
            self.cgroup = os.path.join(os.path.dirname(self.cgroup), "demo.slice")
            os.makedirs(self.cgroup, exist_ok=True)
        world.BUILD = "/opt/demo"
        return self


target = os.path.abspath(sys.argv[1])
with Demo() as w:
    w.make()
    full = w.dir + "/full.tar.gz"
    r = w.run("save", full, "--map-data")
    if r.status not in (0, 5):
        sys.exit(str(r))
    write(target, trim(full, w))
    print("%s: %d bytes" % (target, os.path.getsize(target)))
