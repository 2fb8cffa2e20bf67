#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Record tests/archives/sample.tar.gz: the objects of mkobj on this machine, and no others. Needs root.

Left out: other objects and processes, all symbols but those that instructions name, and of the kernel's own BTF (5 MB)
all but the names that programs are attached to; the ids of types stay. Kernels of other versions run in a machine
that tests/tools does not know: the script uses what it finds.

--attachments records attachments.tar.gz instead: network namespaces, nested cgroups, perf events, slots of maps, and of objects
only the answers that `ls` and the lists of places read. The machine must have no other attachments, because all are kept.
usage: BUILD=dir record.py [--attachments] FILE"""
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
import events  # noqa: E402
import networks  # noqa: E402
import rawbpf  # noqa: E402
import world  # noqa: E402
from world import World, isolate  # noqa: E402

isolate()
KINDS = ("prog", "map", "link", "btf")


PROG_BTF, PROG_ATTACH, MAP_BTF, BTF_KERNEL = 128, 220, 64, 28  # offsets in struct bpf_*_info


def u32(members, key, offset):
    """A member of an info, 0 if this kernel's info ends before it."""
    info = members.get(key, b"")
    return struct.unpack_from("<I", info, offset)[0] if len(info) >= offset + 4 else 0


def kept_ids(members, w):
    """Ids of the test's objects, the BTF that they use, and that of the kernel and its modules."""
    ids = {k: w.ids(k) for k in ("prog", "map", "link")}
    ids["btf"] = {u32(members, "prog/%d/info" % i, PROG_BTF) for i in ids["prog"]}
    ids["btf"] |= {u32(members, "map/%d/info" % i, MAP_BTF) for i in ids["map"]}
    ids["btf"] |= {int(k.split("/")[1]) for k in members if re.match(r"btf/\d+/info", k) and u32(members, k, BTF_KERNEL)}
    return ids


def thin(data, wanted):
    """The kernel's BTF with the same type numbers and string offsets, but only the wanted types' names."""
    header = struct.unpack_from("<HBBIIIII", data)
    types = data[header[3] + header[4]:][:header[5]]
    strs, out, names = data[header[3] + header[6]:][:header[7]], [], bytearray(header[7])
    fixed, each = {1: 4, 3: 12, 14: 4, 17: 4}, {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}
    nothing = struct.pack("<III", 0, 7 << 24, 0)  # a forward declaration
    at = 0
    while at < len(types):
        name, info, size = struct.unpack_from("<III", types, at)
        kind = info >> 24 & 31
        at += 12 + fixed.get(kind, 0) + each.get(kind, 0) * (info & 0xffff)
        if not out:
            out.append(struct.pack("<III", 0, 13 << 24, 0))  # the type of all functions
        elif len(out) + 1 in wanted:
            out.append(struct.pack("<III", name, kind << 24, size if kind in (4, 5) else 1))
            end = strs.index(b"\0", name)
            names[name:end] = strs[name:end]
        else:
            out.append(nothing)
    size = 12 * len(out)
    return struct.pack("<HBBIIIII", *header[:3], 24, 0, size, size, len(names)) + b"".join(out) + bytes(names)


def kernel_btf(members, ids):
    """The kept types of the kernel and the modules: {key: bytes}."""
    used = [(u32(members, "prog/%d/info" % i, PROG_ATTACH), u32(members, "prog/%d/info" % i, PROG_ATTACH + 4)) for i in ids["prog"]]
    ret = {}
    for i in ids["btf"]:
        key = "btf/%d/data" % i
        if key not in members or not u32(members, "btf/%d/info" % i, BTF_KERNEL):
            continue
        if members["btf/%d/name" % i].rstrip(b"\0") == b"vmlinux":
            ret[key] = thin(members[key], {t for obj, t in used if obj in (i, 0)})
        else:
            ret[key] = members[key] if i in {obj for obj, _ in used} else None
    return ret


def answers(path):
    """Read the answers of an archive, of which the last one of each name is valid. The file written here is one gzip member without checksums, the older form."""
    with tarfile.open(path) as t:
        ret = {m.name: t.extractfile(m).read() for m in t if m.name != "index"}
    ret["meta"] = ret["meta"].replace(b"format 2\n", b"")
    return ret


def trim(path, w):
    members = answers(path)
    ids, out = kept_ids(members, w), []
    kernel = kernel_btf(members, ids)
    for name, data in members.items():
        m = re.match(r"(prog|map|link|btf)/(\d+)/", name)
        if m and int(m.group(2)) not in ids[m.group(1)] or kernel.get(name, data) is None or name == "sys/vmlinux":
            continue
        data = kernel.get(name, data)
        if name in [k + "/ids" for k in KINDS]:
            have = struct.unpack("<%dI" % (len(data) // 4), data)
            data = struct.pack("<%dI" % len([i for i in have if i in ids[name.split("/")[0]]]), *[i for i in have if i in ids[name.split("/")[0]]])
        elif name == "sys/kallsyms":
            lines = data.decode().splitlines(True)
            data = "".join(x for x in lines if re.search(r" [tT] (__bpf_call_base|bpf_\w+|__x86_\w+|srso_\w+)(\s|$)", x)).encode()
        elif name == "sys/holders":
            size = 40
            data = b"".join(data[i:i + size] for i in range(0, len(data), size) if struct.unpack_from("<I", data, i + 8)[0] == w.pid)
        elif name == "sys/cgroups":
            data = "".join(x for x in data.decode().splitlines(True) if x.endswith("/\n") or "demo" in x).encode()
        elif name == "sys/netns_list":
            data = data[:data.index(b"\n") + 1]  # the namespace of this process is first
        elif name.startswith("net/") and name.split("/")[1] != members["sys/netns"].decode().split()[1]:
            continue
        elif name == "sys/tracepoints":
            data = "".join(x for x in data.decode().splitlines(True) if x.startswith("sched:")).encode()
        elif name == "sys/pins" or name.startswith("pin/"):
            if name != "sys/pins":
                continue
        out.append((name, data))
    return out


ASKED = re.compile(r"meta$|(prog|map|link|btf)/(ids$|\d+/(info|name|slots|progs|struct_ops|func_info|buf/.*)$)|btf/\d+/data$|(sys|net|cgroup|func)/")


def trim_attachments(path, w):
    members = answers(path)
    ids = {k: set(struct.unpack("<%dI" % (len(members[k + "/ids"]) // 4), members[k + "/ids"])) for k in KINDS}
    kernel, out = kernel_btf(members, ids), []
    for name, data in members.items():
        data = kernel.get(name, data)
        if not ASKED.match(name.replace(".errno", "")) or data is None or name == "sys/vmlinux":
            continue
        if name == "sys/kallsyms":
            data = "".join(x for x in data.decode().splitlines(True) if re.search(r" [tT] (__bpf_call_base|bpf_fentry_test\d|do_nanosleep)(\s|$)", x)).encode()
        out.append((name, data))
    return out


def attachments(w, n):
    """Create what mkobj does not: filters, programs of cgroups without a link, events by ioctl, slots. Returns the holders."""
    load, pins = rawbpf.prog_load, {}
    fds = [load("xdp", "drop_all", 1), load("sched_cls", "count_bytes"), load("cgroup_skb", "deny_ingress", 1, 0),
           load("cgroup_skb", "allow_egress", 1, 1), load("tracepoint", "on_hang"), load("socket_filter", "tail_call")]
    xdp, tc, ingress, egress, tp, tail = fds
    for name, fd in (("drop_all", xdp), ("count_bytes", tc)):
        pins[name] = w.pins + "/" + name
        rawbpf.pin(fd, pins[name])
    for ns in (n.own, n.blue, n.red):
        n.ip(ns, "link", "add", "eth0", "type", "veth", "peer", "name", "eth1")
        n.tc(ns, "qdisc", "add", "dev", "eth0", "clsact")
        n.tc(ns, "filter", "add", "dev", "eth0", "ingress", "pref", "5", "bpf", "da", "object-pinned", pins["count_bytes"])
    n.ip(n.blue, "link", "set", "eth0", "xdpgeneric", "pinned", pins["drop_all"])
    n.ip(n.red, "link", "set", "eth1", "xdpdrv", "pinned", pins["drop_all"])
    path = w.cgroup
    for i in range(3):
        path += "/level%d" % i
        os.mkdir(path)
        fd = os.open(path, os.O_RDONLY)
        rawbpf.prog_attach(egress, fd, 1, 2)
        if i == 1:
            rawbpf.prog_attach(ingress, fd, 0, 1)
        os.close(fd)
    fds.append(events.tracepoint("sched:sched_process_hang", tp))
    progs = rawbpf.map_create(3, 4, 4, 8, "tail_calls")
    rawbpf.map_update(progs, (3).to_bytes(4, "little"), tail.to_bytes(4, "little"))
    n.links(n.blue)
    return fds + [progs]


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
    """The same world, with paths that any machine can have."""

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


places = sys.argv[1] == "--attachments"
target = os.path.abspath(sys.argv[1 + places])


def save(w, trimmed):
    full = w.dir + "/full.tar.gz"
    r = w.run("save", full, *([] if places else ["--map-data"]))
    if r.status not in (0, 5):
        sys.exit(str(r))
    write(target, trimmed(full, w))
    print("%s: %d bytes" % (target, os.path.getsize(target)))


with Demo() as w:
    w.make()
    if places:
        networks.BUILD = world.BUILD
        with networks.Networks(w) as n:
            kept = attachments(w, n)
            save(w, trim_attachments)
    else:
        save(w, trim)
