#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""AF_XDP sockets in the slots of an xskmap: device, queue, namespace and inode number, also from an archive; the plain text without
names is unchanged."""
import ctypes
import errno
import mmap
import os
import socket
import struct
import subprocess
import sys
import tempfile

from rawbpf import MAP_CREATE, MAP_UPDATE, try_bpf as bpf
from world import BPFLENS, Run, finish, isolate, ok, skip

isolate()
LIBC = ctypes.CDLL(None, use_errno=True)
AF_XDP, SOL_XDP, XDP_RX_RING, XDP_UMEM_REG, XDP_UMEM_FILL, XDP_UMEM_COMPLETION, XDP_COPY = 44, 283, 2, 4, 5, 6, 2
FRAMES = 16


def make_map(slots):
    fd = bpf(MAP_CREATE, struct.pack("<IIIIIII16s", 17, 4, 4, slots, 0, 0, 0, b"lens_xsk"))
    if fd < 0:
        skip("xskmaps are not supported here: " + errno.errorcode.get(-fd, str(fd)))
        sys.exit(77)
    text = open("/proc/self/fdinfo/%d" % fd).read()
    return fd, text[text.index("map_id:"):].split()[1]


def put(fd, slot, s):
    key, value = ctypes.create_string_buffer(struct.pack("=I", slot), 4), ctypes.create_string_buffer(struct.pack("=I", s.fileno()), 4)
    return bpf(MAP_UPDATE, struct.pack("<I4xQQQ", fd, ctypes.addressof(key), ctypes.addressof(value), 0))


def bound(device, queue):
    """Return a socket with a ring and memory, bound to a queue."""
    s = socket.socket(AF_XDP, socket.SOCK_RAW)
    memory = mmap.mmap(-1, FRAMES * mmap.PAGESIZE)
    s.setsockopt(SOL_XDP, XDP_UMEM_REG, struct.pack("=QQIIII", ctypes.addressof(ctypes.c_char.from_buffer(memory)),
                                                    FRAMES * mmap.PAGESIZE, mmap.PAGESIZE, 0, 0, 0)[:24 + 8])
    for ring in (XDP_UMEM_FILL, XDP_UMEM_COMPLETION, XDP_RX_RING):
        s.setsockopt(SOL_XDP, ring, struct.pack("=i", FRAMES))
    address = ctypes.create_string_buffer(struct.pack("=HHIII", AF_XDP, XDP_COPY, socket.if_nametoindex(device), queue, 0), 16)
    if LIBC.bind(s.fileno(), address, 16):
        raise OSError(ctypes.get_errno(), "bind")
    return s, memory


def lens(*args):
    return Run([BPFLENS] + list(args))


def shown(map_id, want):
    r = lens("-j", "map", "dump", "id", map_id)
    if not ok(r.status == 0 and len(r.json) == 4, "dump", r):
        return
    if not any("socket" in e for e in r.json):
        r = lens("map", "dump", "id", map_id, "--names")
        if "cannot read its sockets" in r.errors:
            skip("the kernel's memory cannot be read here: " + r.errors.strip())
            return
    for slot, e in enumerate(r.json):
        ok(e["value"] == {"error": "Operation not supported"} and e.get("socket") == want.get(slot), "slot %d" % slot, e)
    names = lens("map", "dump", "id", map_id, "--names")
    line = "  socket {ifname}  ifindex {ifindex}  queue {queue}  netns {netns}  inode {inode}\n".format(**want[1])
    ok(line in names.text and names.text.count("  socket ") == len(want), "plain with names", names)
    plain = lens("map", "dump", "id", map_id)
    ok("socket" not in plain.text and plain.status == 0, "plain without", plain)
    with tempfile.TemporaryDirectory() as d:
        live = lens("-j", "map", "dump", "id", map_id)
        lens("save", d + "/a.tar.gz", "--map-data")
        again = lens("--from", d + "/a.tar.gz", "-j", "map", "dump", "id", map_id)
        ok(again.out == live.out and again.status == 0, "the same from an archive", again)


fd, map_id = make_map(4)
subprocess.run(["ip", "link", "add", "lensxsk0", "numrxqueues", "2", "numtxqueues", "2", "type", "veth", "peer", "name", "lensxsk1"],
               stderr=subprocess.DEVNULL)
subprocess.run(["ip", "link", "set", "lensxsk0", "up"], stderr=subprocess.DEVNULL)
try:
    sockets = [bound("lensxsk0", 0), bound("lensxsk0", 1)]
except OSError as e:
    skip("AF_XDP sockets cannot be bound here: %s" % e)
    sys.exit(77)
expected = {}
for slot, queue in ((1, 0), (3, 1)):
    s = sockets[queue][0]
    err = put(fd, slot, s)
    ok(not err, "a socket in slot %d" % slot, errno.errorcode.get(-err, err))
    expected[slot] = {"ifname": "lensxsk0", "ifindex": socket.if_nametoindex("lensxsk0"), "queue": queue,
                      "netns": os.stat("/proc/self/ns/net").st_ino, "inode": os.fstat(s.fileno()).st_ino}
shown(map_id, expected)
sockets[1][0].close()
del expected[3]
shown(map_id, expected)
finish()
