#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The same as test_calls for the commands that change something: with status 0 the change is complete, with another status nothing
was changed, or the message reports how much. With arguments: only changes with all these words in their names."""
import collections
import errno
import os
import socket
import struct
import subprocess
import sys

from faults import Server, Small, injector, num, print_count, rawbpf, rounds, sorts, whole
from world import BUILD, finish, isolate, ok, skip

isolate(tasks=True, alone="names, and programs of bpflens, are looked up on the whole machine")
SHOW = int(os.environ.get("FAULTS_SHOW", "3"))
WORDS = sys.argv[1:]
# libbpf does not check allocations of libelf (bpf_linker__new(), bpf_linker__add_file()) or its own (bpf_object__load() of an
# iterator), and uses a null pointer.
LIBBPF_CRASHES = ("gen object", "iter pin")
LO, INGRESS, EGRESS, TCX_INGRESS, SK_SKB_VERDICT = 1, 0, 1, 46, 38
IFLA_XDP, IFLA_XDP_PROG_ID = 43, 4


def attached(target, attach_type):
    """The ids of the programs at a hook."""
    ids = (rawbpf.ctypes.c_uint32 * 8)()
    attr = bytearray(struct.pack("<IIIIQI", target, attach_type, 0, 0, rawbpf.ctypes.addressof(ids), 8))
    buf = rawbpf.ctypes.create_string_buffer(bytes(attr.ljust(64, b"\0")), 64)
    if rawbpf._libc.syscall(rawbpf._NR, 16, buf, 64):
        return -rawbpf.ctypes.get_errno()
    return list(ids[:struct.unpack_from("<I", buf, 24)[0]])


def unlink(path):
    if os.path.exists(path):
        os.unlink(path)


def elements(w):
    """The elements of flt_hash."""
    return {i: rawbpf.map_lookup(w.fds[0], num(i, 4), 8) for i in range(8)}


def refill(w):
    for i in range(8):
        if i < 5:
            rawbpf.map_update(w.fds[0], num(i, 4), num(7 * i, 8))
        else:
            rawbpf.map_delete(w.fds[0], num(i, 4))


def queued(w):
    all_of = []
    while True:
        value = rawbpf.map_lookup(w.fds[3], b"", 4, rawbpf.MAP_POP)
        if value is None:
            return all_of
        all_of.append(value)


def requeue(w):
    queued(w)
    rawbpf.map_update(w.fds[3], b"", num(3, 4))


class Pinned:
    """A pin that a command creates, removes, or changes the object of. make(): returns a descriptor of the object."""

    def __init__(self, w, make=None, look=lambda fd: True):
        self.path, self.make, self.look = w.pins + "/flt_change", make, look

    def reset(self):
        unlink(self.path)
        if self.make:
            fd = self.make()
            rawbpf.pin(fd, self.path)
            os.close(fd)

    def state(self):
        if not os.path.exists(self.path):
            return None
        fd = rawbpf.pinned(self.path)
        try:
            return self.look(fd)
        finally:
            os.close(fd)


class Hook:
    """A program attached without a link, or not."""

    def __init__(self, target, attach_type, prog, there):
        self.hook, self.prog, self.there = (target, attach_type), prog, there

    def reset(self):
        is_there = rawbpf.object_id(self.prog) in self.state()
        if is_there and not self.there:
            rawbpf.bpf(rawbpf.PROG_DETACH, struct.pack("<IIIII", self.hook[0], self.prog, self.hook[1], 0, 0).ljust(64, b"\0"))
        elif self.there and not is_there:
            rawbpf.prog_attach(self.prog, *self.hook)

    def state(self):
        return attached(*self.hook)


def attributes(data):
    """(type, bytes) of each netlink attribute."""
    at = 0
    while at + 4 <= len(data):
        size, kind = struct.unpack_from("=HH", data, at)
        yield kind & 0x3fff, data[at + 4:at + size]
        at += max((size + 3) & ~3, 4)


class Xdp:
    """A program on a device, attached or not."""
    DEV = "flt0"

    def __init__(self, path, prog, there):
        self.path, self.prog, self.there = path, prog, there

    def reset(self):
        if (self.state() is not None) == self.there:
            return
        subprocess.run(["ip", "link", "set", self.DEV, "xdpgeneric"] + (["pinned", self.path] if self.there else ["off"]), check=True)

    def state(self):
        """The id of the program, from RTM_GETLINK; None: not attached."""
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as s:
            s.send(struct.pack("=IHHIIBxHiII", 32, 18, 1, 1, 0, 0, 0, socket.if_nametoindex(self.DEV), 0, 0))
            answer = s.recv(1 << 16)
        return dict(attributes(dict(attributes(answer[32:])).get(IFLA_XDP, b""))).get(IFLA_XDP_PROG_ID)


def of_device(w):
    if subprocess.run(["ip", "link", "add", Xdp.DEV, "type", "veth", "peer", "name", "flt1"], stderr=subprocess.DEVNULL).returncode:
        skip("network devices cannot be created")
        return []
    prog, path = rawbpf.prog_load("xdp", "flt_xdp2"), w.pins + "/flt_xdp2"
    rawbpf.pin(prog, path)
    w.fds.append(prog)
    rows = []
    for there, verb in ((False, "net attach xdpgeneric id %d dev %s" % (rawbpf.object_id(prog), Xdp.DEV)),
                        (True, "net detach xdpgeneric dev %s" % Xdp.DEV)):
        hook = Xdp(path, prog, there)
        rows.append((verb, hook.state, hook.reset, False))
    return rows


def frozen(fd):
    with open("/proc/self/fdinfo/%d" % fd) as f:
        return "frozen:\t1" in f.read()


def link_prog(fd):
    buf = rawbpf.ctypes.create_string_buffer(256)
    rawbpf.bpf(rawbpf.GET_INFO, struct.pack("<IIQ", fd, 256, rawbpf.ctypes.addressof(buf)))
    return struct.unpack_from("<III", buf)[2], struct.unpack_from("<I", buf, 16)[0] != 0


def changes(w):
    """Yield (command, state(), reset(), whether the state may be in between)."""
    data = {"all": [(1, 70), (2, 80), (6, 90)], "more": [(5, 50), (6, 60), (7, 70)]}
    for name, rows in data.items():
        with open("%s/%s.json" % (w.dir, name), "w") as f:
            f.writelines('{"key":["%s"],"value":["%s"]}\n' % ('","'.join("0x%02x" % b for b in num(k, 4)),
                                                            '","'.join("0x%02x" % b for b in num(v, 8))) for k, v in rows)
    elems = lambda: elements(w), lambda: refill(w)
    queue = lambda: queued(w), lambda: requeue(w)
    tc, tp = rawbpf.prog_load("sched_cls", "flt_tc2"), w.tracing
    w.fds.append(tc)
    one = Pinned(w)
    pinned = Pinned(w, lambda: os.dup(w.fds[2]))
    fresh = Pinned(w, lambda: rawbpf.map_create(1, 4, 4, 4, "flt_fresh"), frozen)
    h = "id " + w.hash
    rows = [("map update %s key 1 0 0 0 value 9 0 0 0 0 0 0 0" % h, *elems, False), ("map delete %s key 1 0 0 0" % h, *elems, False),
            ("map import %s file %s/more.json" % (h, w.dir), *elems, True), ("map import %s file %s/all.json --replace" % (h, w.dir), *elems, True),
            ("map push id %s value 5 0 0 0" % w.queue, *queue, False), ("map dequeue id " + w.queue, *queue, False),
            ("map freeze pinned " + fresh.path, fresh.state, fresh.reset, False),
            ("map create %s type hash key 4 value 4 entries 2 name flt_new" % one.path, one.state, one.reset, False),
            ("prog pin id %s %s" % (w.prog, one.path), one.state, one.reset, False),
            ("map pin id %s %s" % (w.hash, one.path), one.state, one.reset, False),
            ("prog unpin " + pinned.path, pinned.state, pinned.reset, False),
            ("prog attach id %d raw_tracepoint sched_process_fork --link %s" % (rawbpf.object_id(tp), one.path), one.state, one.reset, False)]
    for there, verb in ((False, "net attach tcx_ingress id %d dev lo"), (False, "attach id %d to lo tcx_ingress"),
                        (True, "detach lo tcx_ingress id %d")):
        hook = Hook(LO, TCX_INGRESS, tc, there)
        rows.append((verb % rawbpf.object_id(tc), hook.state, hook.reset, False))
    hook = Hook(LO, TCX_INGRESS, tc, True)
    rows.append(("net detach tcx_ingress dev lo prog id %d" % rawbpf.object_id(tc), hook.state, hook.reset, False))
    if w.cgroup:
        d = w.cgroup + "/c"
        os.mkdir(d)
        fd = os.open(d, os.O_RDONLY)
        w.fds.append(fd)
        prog, other = w.fds[2], rawbpf.prog_load("cgroup_skb", "flt_other", 1, 0)
        w.fds.append(other)
        for there, verb in ((False, "cgroup attach %s egress id %s"), (True, "cgroup detach %s egress id %s")):
            hook = Hook(fd, EGRESS, prog, there)
            rows.append((verb % (d, w.prog), hook.state, hook.reset, False))
        link = Pinned(w, lambda: rawbpf.link_create(prog, fd, INGRESS), link_prog)
        rows += [("link detach pinned " + link.path, link.state, link.reset, False),
                 ("link update pinned %s id %d" % (link.path, rawbpf.object_id(other)), link.state, link.reset, False),
                 ("cgroup attach %s ingress id %s --link %s" % (d, w.prog, one.path), one.state, one.reset, False)]
    return rows + of_device(w) + of_files(w, one)


class Written:
    """A file that a command writes."""

    def __init__(self, w):
        self.path = w.tmp + "/flt_made"

    def reset(self):
        unlink(self.path)

    def state(self):
        if not os.path.exists(self.path):
            return None
        with open(self.path, "rb") as f:
            return f.read()


def of_files(w, one):
    """Commands that read or write files. @one: a pin that does not exist before."""
    live, made = BUILD + "/tests/live/", Written(w)
    with open(w.dir + "/data", "wb") as f:
        f.write(bytes(64))
    sk = rawbpf.prog_load("sk_skb", "flt_sk")
    sockets = rawbpf.map_create(15, 4, 4, 2, "flt_sockets")
    w.fds += [sk, sockets]
    rows = [("gen object %s %sfeed.bpf.o" % (made.path, live), made.state, made.reset, False),
            ("gen min_core_btf %sneeds.bpf.o %s %sneeds.bpf.o" % (live, made.path, live), made.state, made.reset, False),
            ("prog run id %s data_in %s/data data_out %s" % (w.prog, w.dir, made.path), made.state, made.reset, False),
            ("prog load %sxdp_count.bpf.o %s" % (live, one.path), one.state, one.reset, False),
            ("iter pin %siters.bpf.o %s name say_maps" % (live, one.path), one.state, one.reset, False)]
    for there, verb in ((False, "attach"), (True, "detach")):
        hook = Hook(sockets, SK_SKB_VERDICT, sk, there)
        rows.append(("prog %s id %d sk_skb_verdict id %d" % (verb, rawbpf.object_id(sk), rawbpf.object_id(sockets)), hook.state, hook.reset, False))
    return rows


class Change:
    def __init__(self, w, library, row):
        words, self.state, self.reset, self.between = row
        self.words = words.split()
        self.server = Server(library, [w.lens, "-j"] + self.words, w.tmp)
        self.refused, self.bad = collections.Counter(), []

    def start(self):
        """Return the states before and after, and what is wrong without a fault, or None."""
        self.reset()
        self.before = self.state()
        self.reset()
        r = self.server.run()
        self.after = self.state()
        return None if r.status == 0 and self.after != self.before else "%s\n%s, then %s" % (r, self.before, self.after)

    def wrong(self, r, now):
        why = whole(r, True)
        if why or r.left:
            return why or "a process is left"
        if not r.status:
            return None if now == self.after else "status 0 and it is not so: %s" % (now,)
        # The change was made, and something else about it could not be read.
        done = r.status == 5 and now == self.after and b'"error"' not in r.out
        return None if now == self.before or done or self.between else "status %d and changed: %s" % (r.status, now)

    def fault(self, name, sort, n, err):
        self.reset()
        r = self.server.run(sort, n, err)
        now = self.state()
        self.refused[name] += r.refused
        why = self.wrong(r, now) if r.refused else None
        if why:
            self.bad.append("%s %d %s: %s\n%s" % (name, n, errno.errorcode[err], why, r))
        return r.refused

    def run(self):
        why = self.start()
        if not why:
            for name, sort in sorts().items():
                if name == "malloc" and " ".join(self.words[:2]) in LIBBPF_CRASHES:
                    skip("%s: malloc: libbpf crashes" % " ".join(self.words[:2]))
                    continue
                rounds(name, lambda n, err: self.fault(name, sort, n, err))
        self.reset()
        self.server.close()
        return why


def main(w, library):
    total, count = collections.Counter(), 0
    for row in changes(w):
        if any(x not in row[0] for x in WORDS):
            continue
        c = Change(w, library, row)
        why = c.run()
        n = sum(c.refused.values())
        count += 1
        total.update(c.refused)
        ok(not why and not c.bad and n, "%s: %d faults" % (row[0].replace(w.dir, ""), n), why or "%d of %d\n%s" % (len(c.bad), n, "\n".join(c.bad[:SHOW])))
    unlink(w.pins + "/flt_change")
    print_count(count, total)


with Small() as world:
    made = injector()
    if made and "bpf" in sorts():
        main(world, made)
finish()
