#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Filters of sockets: classic ones of a packet socket and a SO_REUSEPORT group, and programs; shared with a child; live, saved, with --no-load."""
import ctypes
import os
import socket
import struct

import rawbpf
from world import World, finish, isolate, ok, skip

isolate()
ATTACH_FILTER, ATTACH_BPF, REUSEPORT_CBPF, REUSEPORT_EBPF = 26, 50, 51, 52
IPV4 = [(0x28, 0, 0, 12), (0x15, 0, 1, 0x800), (0x06, 0, 0, 0x40000), (0x06, 0, 0, 0)]
TEXT = ["0: ldh [12]", "1: jeq #0x800 jt 2 jf 3", "2: ret #262144", "3: ret #0"]


def classic(s, option, code):
    data = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *i) for i in code))
    s.setsockopt(socket.SOL_SOCKET, option, struct.pack("HxxxxxxQ", len(code), ctypes.addressof(data)))


def grouped():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    s.bind(("127.0.0.1", 0))
    return s


def ours(w, *args):
    """Without who holds the program of a socket: it may be another command, for a moment."""
    r = w.run(*args, "-j", "ls", "socket", "-Q", "pid == %d" % os.getpid())
    rows = r.json
    for a in rows:
        for key in ("owner", "pids", "holder_unit", "holder_container", "holder_cgroup"):
            a.pop(key, None)
    return {(a["fd"], a["what"]): a for a in rows if "fd" in a}, r


def programs(w, sockets, prog):
    """What only the iterator program sees."""
    found, r = ours(w)
    want = {(s.fileno(), "sk_reuseport_select" if "group" in name else "socket") for name, s in sockets.items()}
    ok(set(found) == want, "each socket once, although a child shares them", r)
    ok(found[sockets["packet"].fileno(), "socket"]["classic_insns"] == TEXT, "the instructions of a classic filter", r)
    ok(all(found[s.fileno(), "sk_reuseport_select" if "group" in n else "socket"].get("prog_id") == (prog if "prog" in n else None)
           for n, s in sockets.items()), "the program of a socket", r)
    ok(found[sockets["group"].fileno(), "sk_reuseport_select"]["detail"] == "classic filter, 2 instructions", "a classic filter of a group", r)
    r = w.run("-j", "orphans", "-Q", "id == %d" % prog)
    ok(r.json == [], "a program of a socket is not an orphan", r)
    r = w.run("why", "prog", "id", prog)
    ok("pid:%d:fd:%d socket" % (os.getpid(), sockets["prog"].fileno()) in r.text and r.status == 0, "why names the socket", r)
    saved = w.dir + "/sockets.tar.gz"
    w.run("save", saved)
    there, r = ours(w, "--from", saved)
    ok(there == found, "an archive has them", "%s\n%s" % ([(k, v, there.get(k)) for k, v in found.items() if there.get(k) != v], r))


with World() as w:
    fd = rawbpf.prog_load("socket_filter", "of_socket", 0)
    prog = rawbpf.object_id(fd)
    sockets = {"packet": socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0), "prog": socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
               "group": grouped(), "group prog": grouped()}
    plain = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    classic(sockets["packet"], ATTACH_FILTER, IPV4)
    classic(sockets["group"], REUSEPORT_CBPF, [(0x80, 0, 0, 0), (0x16, 0, 0, 0)])
    sockets["prog"].setsockopt(socket.SOL_SOCKET, ATTACH_BPF, fd)
    sockets["group prog"].setsockopt(socket.SOL_SOCKET, REUSEPORT_EBPF, fd)
    os.close(fd)
    child = os.fork()
    if not child:
        os.read(os.pipe()[0], 1)
        os._exit(0)
    try:
        if ours(w)[0].get((sockets["prog"].fileno(), "socket"), {}).get("prog_id"):
            programs(w, sockets, prog)
        else:
            skip("socket_filters: the kernel runs no iterator programs")
        found, r = ours(w, "--no-load")
        packet = found.get((sockets["packet"].fileno(), "socket"))
        ok(packet and packet["classic_insns"] == TEXT, "without an iterator program, each socket is asked", r)
        ok(r.status == 5 and "could not be read" in r.errors, "and a program without an id is missing", r)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
finish()
