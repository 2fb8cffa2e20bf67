#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What `orphans` proposes to remove, on a machine whose loaders have all ended: nothing that runs. The commands are run."""
import os
import socket
import struct
import subprocess

from rawbpf import link_create, link_detach, map_create, map_update, object_id, pin, prog_attach, prog_load
from world import World, finish, isolate, ok, skip, until

isolate(alone="who holds an object is exact: a reader beside would hold it, too")
HASH, PROG_ARRAY, PERF_ARRAY, RINGBUF, USER_RINGBUF = 1, 3, 4, 27, 31
PRESERVE_ELEMS = 1 << 11
CGROUP_EGRESS, FLOW_DISSECTOR, XDP, TCX_INGRESS = 1, 17, 37, 46
MULTI = 2


def sh(*argv):
    p = subprocess.run([str(a) for a in argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    return p.stdout if p.returncode else ""


class Scenes:
    """Each makes something and closes its descriptors; the name of its program begins with or_. Returns why it cannot be made, or nothing."""

    def __init__(self, w):
        self.w = w

    def prog(self, name, kind="xdp", value=2, keep=False, **kw):
        fd = prog_load(kind, name, value, **kw)
        if keep:
            pin(fd, self.path(name))
        return fd

    def path(self, name):
        return self.w.pins + "/" + name

    def device(self, name):
        return sh("ip", "link", "add", name, "type", "veth", "peer", "name", name + "p") or sh("ip", "link", "set", name, "up") or name

    def ip(self):
        os.close(self.prog("or_ip", keep=True))
        said = sh("ip", "link", "set", "dev", self.device("or0"), "xdpgeneric", "pinned", self.path("or_ip"))
        os.unlink(self.path("or_ip"))
        return said

    def tc(self):
        os.close(self.prog("or_tc", "sched_cls", keep=True))
        said = sh("tc", "qdisc", "add", "dev", self.device("or1"), "clsact") or sh(
            "tc", "filter", "add", "dev", "or1", "ingress", "bpf", "da", "pinned", self.path("or_tc"))
        os.unlink(self.path("or_tc"))
        return said

    def attach(self):
        os.close(self.prog("or_attach", keep=True))
        return "" if self.w.run("attach", "pinned", self.path("or_attach"), "to", self.device("or2"), "xdp").status == 0 else "refused"

    def attach_unpinned(self):
        fd = self.prog("or_byid")
        r = self.w.run("attach", "id", object_id(fd), "to", self.device("or3"), "xdp")
        os.close(fd)
        return "" if r.status == 0 else "refused"

    def linked(self, name, kind, target, hook, keep=False):
        prog = self.prog(name, kind, 1, keep=keep)
        link = link_create(prog, target, hook)
        pin(link, self.path(name + "_link"))
        os.close(prog)
        return link

    def xdp_link(self):
        """As libxdp leaves it: program and link are pinned."""
        self.device("or4")
        os.close(self.linked("or_libxdp", "xdp", socket.if_nametoindex("or4"), XDP, keep=True))

    def tcx_link(self):
        self.device("or5")
        os.close(self.linked("or_tcx", "sched_cls", socket.if_nametoindex("or5"), TCX_INGRESS))

    def netns_link(self):
        net = os.open("/proc/self/ns/net", os.O_RDONLY)
        os.close(self.linked("or_flow", "flow_dissector", net, FLOW_DISSECTOR))
        os.close(net)

    def cgroup(self, name="or_cgroup", keep=False):
        fd, at = self.prog(name, "cgroup_skb", 1, keep=keep), os.open(self.w.cgroup, os.O_RDONLY)
        prog_attach(fd, at, CGROUP_EGRESS, MULTI)
        os.close(fd)
        os.close(at)

    def cgroup_pinned(self):
        self.cgroup("or_unit", keep=True)

    def tail_calls(self):
        """The map has the program, and is pinned; a program that is attached calls it."""
        calls, callee = map_create(PROG_ARRAY, 4, 4, 4, "or_calls"), self.prog("or_callee", "cgroup_skb", 1)
        pin(calls, self.path("or_calls"))
        map_update(calls, struct.pack("<I", 0), struct.pack("<I", callee))
        fd, at = prog_load("cgroup_skb", "or_caller", 1, calls=calls), os.open(self.w.cgroup, os.O_RDONLY)
        prog_attach(fd, at, CGROUP_EGRESS, MULTI)
        for x in (calls, callee, fd, at):
            os.close(x)

    def used_map(self):
        data = map_create(HASH, 4, 8, 4, "or_data")
        pin(data, self.path("or_data"))
        fd, at = prog_load("cgroup_skb", "or_reader", 1, maps=[data]), os.open(self.w.cgroup, os.O_RDONLY)
        prog_attach(fd, at, CGROUP_EGRESS, MULTI)
        for x in (data, fd, at):
            os.close(x)

    def unused_prog(self):
        os.close(self.prog("or_old", keep=True))

    def unused_map(self):
        fd = map_create(HASH, 4, 8, 4, "or_cache")
        pin(fd, self.path("or_cache"))
        os.close(fd)

    def detached_link(self):
        self.device("or6")
        link = self.linked("or_detached", "sched_cls", socket.if_nametoindex("or6"), TCX_INGRESS)
        link_detach(link)
        os.close(link)


UNUSED = {"or_old", "or_cache", "or_detached_link"}  # the names of pins
RUNS = {"or_ip", "or_tc", "or_byid", "or_cgroup", "or_caller", "or_reader"}


def runs(w):
    return {(x["where"], x["what"], x.get("prog_name")) for x in w.run("-j", "ls", "-Q", "prog_name =~ '^or_'").json}


def run_commands(w, *more):
    """What the commands print and how each ends; they are for a shell."""
    r = w.run("orphans", "--commands", *more, "-Q", "name =~ '^or_'")
    failed = [x for x in r.text.splitlines() if subprocess.run(["sh", "-c", x.replace("bpflens", w.lens, 1)], stdout=subprocess.DEVNULL).returncode]
    return r, failed


def main(w):
    s = Scenes(w)
    names = ("ip", "tc", "attach", "attach_unpinned", "xdp_link", "tcx_link", "netns_link", "cgroup", "cgroup_pinned", "tail_calls", "used_map", "unused_prog",
             "unused_map", "detached_link")
    for name in names:
        said = getattr(s, name)()
        if said:
            skip("scene %s: %s" % (name, said))
            RUNS.discard("or_" + name)
    before, pins = runs(w), set(os.listdir(w.pins))
    ok(len(before) >= 9, "what runs", before)
    r = w.run("-j", "orphans", "-Q", "name =~ '^or_'")
    got = {x["name"] for x in r.json if x["state"] == "runs"}
    ok(got == RUNS and not any("commands" in x for x in r.json if x["state"] == "runs"), "what runs without a process, and no command for it", r)
    r, failed = run_commands(w)
    ok(not failed and len(r.text.splitlines()) == len(UNUSED), "each command for what is unused ends with status 0", "%s\n%s" % (failed, r))
    ok(runs(w) == before, "the commands stop nothing that runs", "%s\nnot\n%s\n%s" % (sorted(runs(w)), sorted(before), r))
    ok(pins - set(os.listdir(w.pins)) == UNUSED, "they unpin what is unused, and nothing else", pins - set(os.listdir(w.pins)))
    r, failed = run_commands(w, "--attached")
    ok(not failed, "each command with --attached ends with status 0", "%s\n%s" % (failed, r))
    left = {x[2] for x in runs(w)}
    ok(not left & RUNS and {"or_attach", "or_libxdp", "or_tcx", "or_flow", "or_unit"} <= left, "they detach what no process or pin holds, and nothing else", left)


class Maps:
    """Maps of programs that are attached to a cgroup without a process, and of nobody."""

    def __init__(self, w):
        self.w, self.at, self.ids, self.held = w, os.open(w.cgroup, os.O_RDONLY), {}, []

    def attach(self, fd, name="mf_prog"):
        prog = prog_load("cgroup_skb", name, 1, maps=[fd])
        prog_attach(prog, self.at, CGROUP_EGRESS, MULTI)
        os.close(prog)

    def make(self, what, kind, name, pinned=False, used=False, held=False, flags=0):
        sizes = (0, 0, 4096) if kind in (RINGBUF, USER_RINGBUF) else (4, 4, 4)
        try:
            fd = map_create(kind, *sizes, name, flags)
        except OSError as e:
            return skip("%s: %s" % (what, e))
        self.ids[object_id(fd)] = what
        if pinned:
            pin(fd, "%s/%s" % (self.w.pins, what))
        if used:
            self.attach(fd)
        if held:
            self.held.append(fd)
        else:
            os.close(fd)

    def states(self):
        r = self.w.run("-j", "orphans", "-Q", "kind == map")
        return r, {self.ids[x["id"]]: (x["state"], x["orphan"], x.get("commands")) for x in r.json if x["id"] in self.ids}


def misfits(w):
    m = Maps(w)
    m.make("old", HASH, "mf_state", pinned=True)
    m.make("new", HASH, "mf_state", used=True)
    m.make("other type", PROG_ARRAY, "mf_state", held=True)
    m.make("right", HASH, "mf_right", pinned=True, used=True)
    m.make("ring, read", RINGBUF, "mf_ring", used=True, held=True)
    m.make("ring, unread", RINGBUF, "mf_ring", used=True, pinned=True)
    m.make("ring, unwritten", RINGBUF, "mf_alone", held=True)
    m.make("perf, read", PERF_ARRAY, "mf_perf", used=True, held=True)
    m.make("perf, unread", PERF_ARRAY, "mf_perf2", used=True)
    m.make("perf, keeps", PERF_ARRAY, "mf_perf3", used=True, flags=PRESERVE_ELEMS)
    m.make("user, unwritten", USER_RINGBUF, "mf_user", used=True)
    m.make("user, unread", USER_RINGBUF, "mf_user2", held=True)
    want = {"old": "stale", "other type": "unused", "ring, unread": "unread", "ring, unwritten": "unwritten", "perf, unread": "unread", "perf, keeps": "unread",
            "user, unwritten": "unwritten", "user, unread": "unread"}
    want = {k: v for k, v in want.items() if k in m.ids.values()}
    until(lambda: {k: v[0] for k, v in m.states()[1].items()} == want)
    r, got = m.states()
    ok({k: v[0] for k, v in got.items()} == want, "maps that do not connect, and no others", "%s\n%s" % (got, r))
    new = next((i for i, what in m.ids.items() if what == "new"), 0)
    ok(got.get("old", ("", ""))[1].endswith("cgroup_skb mf_prog, which is attached, uses map %d of this name" % new), "which map is used in its place", got.get("old"))
    ok("perf, keeps" not in got or got["perf, keeps"][1].startswith("perhaps: "), "events that may be kept", got.get("perf, keeps"))
    ok([k for k, v in got.items() if v[2]] == ["old"], "a command only for the pinned map that nothing uses", got)
    checks = {c["check"]: c for c in w.run("-j", "doctor").json}
    ok(checks["pinned_maps"]["state"] == "limited" and checks["event_buffers"]["state"] == "limited", "doctor has both", (checks["pinned_maps"], checks["event_buffers"]))
    r = w.run("orphans", "--noheadings", "-o", "id", "-Q", checks["pinned_maps"]["remedy"].split("'")[1])
    ok(any(m.ids.get(int(x)) == "old" for x in r.text.split()), "the command that doctor names lists it", r)
    for fd in m.held + [m.at]:
        os.close(fd)


with World() as w:
    if w.cgroup:
        main(w)
        misfits(w)
    else:
        skip("no cgroup can be made here")
finish()
