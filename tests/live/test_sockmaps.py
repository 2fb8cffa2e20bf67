#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sockets in sockmaps and sockhashes, compared with /proc/net and getsockopt(2): TCP and UDP, IPv4 and IPv6, connected and
listening; also if the kernel does not return values because they have 4 bytes, and from an archive."""
import os
import shutil
import socket
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from world import Run, World, finish, isolate, ok, skip  # noqa: E402

isolate()
SO_COOKIE = 57


def cookie(s):
    return struct.unpack("Q", s.getsockopt(socket.SOL_SOCKET, SO_COOKIE, 8))[0]


def text(s, addr):
    return ("[%s]:%d" if s.family == socket.AF_INET6 else "%s:%d") % addr[:2]


class Sockets:
    """A listener and both ends of a connection of each family, and connected UDP."""

    def __init__(self):
        self.all = []
        for family, addr in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
            try:
                listener = socket.socket(family)
                listener.bind((addr, 0))
            except OSError as e:
                skip("family %s is not supported here: %s" % (family, e))
                continue
            listener.listen()
            client = socket.create_connection(listener.getsockname()[:2])
            server = listener.accept()[0]
            self.all += [(listener, "LISTEN"), (client, "ESTABLISHED"), (server, "ESTABLISHED")]
        peers = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for i in range(2)]
        peers[0].bind(("127.0.0.1", 0))
        peers[1].connect(peers[0].getsockname())
        self.all.append((peers[1], "ESTABLISHED"))
        self.kept = peers

    def expected(self, s, state):
        udp = s.type == socket.SOCK_DGRAM
        ret = {"protocol": "udp" if udp else "tcp", "type": "dgram" if udp else "stream", "local": text(s, s.getsockname()),
               "state": state, "cookie": cookie(s), "netns": os.stat("/proc/self/ns/net").st_ino}
        if state != "LISTEN":
            ret["remote"] = text(s, s.getpeername())
        return ret


def key_bytes(i, size):
    return list(struct.pack("<I", i).ljust(size, b"\0")[:size])


def put(w, path, i, size, s):
    fd = s.fileno()
    value = [str(b) for b in struct.pack("<Q", fd)]
    info = w.run("-j", "map", "show", "pinned", path).json
    return w.run("map", "update", "pinned", path, "key", *map(str, key_bytes(i, size)), "value", *value[:info["bytes_value"]],
                 pass_fds=[fd])


def one_map(w, sockets, kind, key, value):
    path = "%s/%s_%d_%d" % (w.pins, kind, key, value)
    r = w.run("map", "create", path, "type", kind, "key", key, "value", value, "entries", 16, "name", "socks")
    if r.status:
        skip("%s with values of %d bytes: %s" % (kind, value, r.errors.strip()))
        return
    want = {}
    for i, (s, state) in enumerate(sockets.all):
        r = put(w, path, 2 * i, key, s)
        if r.status and state == "LISTEN":
            skip("this kernel does not accept listening sockets")
        elif ok(r.status == 0, "%s %d: a socket is added" % (kind, value), r):
            want[tuple(key_bytes(2 * i, key))] = sockets.expected(s, state)
    dump = w.run("-j", "map", "dump", "pinned", path)
    if not any("socket" in e for e in dump.json):
        r = w.run("map", "dump", "pinned", path, "--names")
        ok(r.status == 5 and "cannot read the sockets of map" in r.errors, "it reports why there are no sockets", r)
        skip("this kernel does not have an iterator over sockmaps: " + r.errors.strip())
        return
    got = {tuple(int(b, 16) for b in e["key"]): e.get("socket") for e in dump.json if "socket" in e}
    ok(got == want, "%s with values of %d bytes: the sockets" % (kind, value), "%s\n%s" % (got, want))
    check_plain(w, path, want, value)
    theirs = Run(["bpftool", "-j", "map", "dump", "pinned", path]) if shutil.which("bpftool") else None
    if theirs and theirs.status == 0:
        ok([{k: e[k] for k in e if k != "socket"} for e in dump.json] == theirs.json, "%s %d: same as bpftool" % (kind, value), theirs)
        ok(w.run("map", "dump", "pinned", path).out == Run(["bpftool", "map", "dump", "pinned", path]).out, "and its plain text")
    archive(w, path, kind, value)


def check_plain(w, path, want, value):
    r = w.run("map", "dump", "pinned", path, "--names")
    for s in want.values():
        to = " -> " + s["remote"] if "remote" in s else ""
        line = "  socket %s %s  %s%s  %s" % (s["protocol"], s["type"], s["local"], to, s["state"])
        ok(line in r.text, "plain, %d bytes: %s" % (value, line), r)


def archive(w, path, kind, value):
    name = w.dir + "/a.tar.gz"
    number = w.run("-j", "map", "show", "pinned", path).json["id"]
    w.run("save", name, "--map-data")
    live = w.run("-j", "map", "dump", "id", number)
    saved = w.run("--from", name, "-j", "map", "dump", "id", number)
    ok(saved.status == 0 and saved.out == live.out, "%s %d: the same from an archive" % (kind, value), saved)


with World() as world:
    some = Sockets()
    for row in (("sockmap", 4, 8), ("sockmap", 4, 4), ("sockhash", 4, 8), ("sockhash", 20, 8), ("sockhash", 8, 4)):
        one_map(world, some, *row)
    r = world.run("map", "create", world.pins + "/none", "type", "sockmap", "key", 4, "value", 8, "entries", 2, "name", "none")
    r = world.run("map", "dump", "pinned", world.pins + "/none", "--names")
    ok(r.status == 0 or "cannot read" in r.errors, "an empty map", r)
finish()
