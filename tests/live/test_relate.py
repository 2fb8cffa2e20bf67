#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holders of objects: a scene with known answers. Columns from other objects and attach points; live and saved."""
import os
import struct

from rawbpf import bpf, link_create, link_detach, map_create, map_update, object_id, pin, prog_load
from world import World, finish, isolate, ok

isolate(alone="who holds an object is exact, also in the file: a reader beside would hold it, too")
MAP_PROG_ARRAY, MAP_HASH, MAP_ARRAY_OF_MAPS = 3, 1, 12
FLOW_DISSECTOR, SK_LOOKUP, XDP = 17, 36, 37


def map_of_maps(inner, name):
    return bpf(0, struct.pack("<IIIIIII16s", MAP_ARRAY_OF_MAPS, 4, 4, 4, 0, inner, 0, name.encode()).ljust(160, b"\0"))


class Scene:
    """Objects of this process, and objects that only an attach point or a pin holds."""

    def __init__(self, w):
        fs = w.pins
        self.fd, self.id = {}, {}
        self.add("xdp", prog_load("xdp", "rel_xdp", 2))
        self.add("link", link_create(self.fd["xdp"], 1, XDP))
        self.add("tail", prog_load("xdp", "rel_tail", 2))
        self.add("calls", map_create(MAP_PROG_ARRAY, 4, 4, 4, "rel_calls"))
        map_update(self.fd["calls"], struct.pack("<I", 2), struct.pack("<I", self.fd["tail"]))
        self.add("idle", prog_load("socket_filter", "rel_idle"))
        self.add("pinned", prog_load("socket_filter", "rel_pinned"))
        pin(self.fd["pinned"], fs + "/rel_pinned")
        self.add("inner", map_create(MAP_HASH, 4, 4, 4, "rel_inner"))
        self.add("outer", map_of_maps(self.fd["inner"], "rel_outer"))
        map_update(self.fd["outer"], struct.pack("<I", 3), struct.pack("<I", self.fd["inner"]))
        self.add("keeper", prog_load("flow_dissector", "rel_kept"))
        self.add("kept", link_create(self.fd["keeper"], self.netns(), FLOW_DISSECTOR))
        pin(self.fd["kept"], fs + "/rel_kept")
        self.add("gone", prog_load("sk_lookup", "rel_gone", 1, SK_LOOKUP))
        self.add("detached", link_create(self.fd["gone"], self.fd["netns"], SK_LOOKUP))
        link_detach(self.fd["detached"])
        for gone in ("gone", "tail", "pinned", "inner", "keeper", "kept"):
            os.close(self.fd.pop(gone))

    def netns(self):
        self.fd["netns"] = os.open("/proc/self/ns/net", os.O_RDONLY)
        return self.fd["netns"]

    def add(self, name, fd):
        self.fd[name], self.id[name] = fd, object_id(fd)

    def close(self):
        for fd in self.fd.values():
            os.close(fd)


def columns(w, s, how, kind, name, cols):
    r = w.run(*how, "-j", kind, "list", "id", s.id[name], "-o", "id," + cols)
    return (r.json if isinstance(r.json, dict) else {}), r


def joins(w, s, how, what):
    me = "python3(%d)" % os.getpid()
    for name, where, owner in (("xdp", "lo xdpgeneric", me), ("tail", "map:%d[2] prog_array" % s.id["calls"], None),
                               ("idle", None, me), ("pinned", None, w.pins + "/rel_pinned")):
        rec, r = columns(w, s, how, "prog", name, "where,owner")
        ok(rec.get("where") == where and (rec.get("owner") or "") == (owner or ""), "%s: attach points and holders of %s" % (what, name), r)
    rec, r = columns(w, s, how, "map", "outer", "inner,owner,prog_ids")
    ok(rec.get("inner") == [s.id["inner"]] and rec.get("owner") == me and "prog_ids" not in rec, what + ": inner maps of a map that no program uses", r)
    rec, r = columns(w, s, how, "map", "inner", "inner,owner")
    ok("inner" not in rec and "owner" not in rec, what + ": the inner map has no process or pin", r)
    r = w.run(*how, "-j", "prog", "list", "-Q", "!where && name =~ '^rel_'", "-o", "id")
    ok(sorted(x["id"] for x in r.json) == sorted(s.id[name] for name in ("idle", "pinned", "gone")), what + ": attached nowhere", r)
    r = w.run(*how, "-j", "prog", "list", "-Q", "where && !owner && name =~ '^rel_'", "-o", "id")
    ok([x["id"] for x in r.json] == [s.id["tail"]], what + ": attached, without an owner", r)
    r = w.run(*how, "-j", "ls", "rel_xdp", "-o", "prog,tag,uid")
    ok(len(r.json) == 1 and len(r.json[0]["tag"]) == 16 and r.json[0]["uid"] == 0, what + ": tag and user in ls", r)


def whys(w, s, how, what):
    me, calls = "python3(%d)" % os.getpid(), "map %d prog_array rel_calls" % s.id["calls"]
    def why(kind, name):
        r = w.run(*how, "-j", "why", kind, s.id[name])
        return [(x["object"], x["kept_by"]) for x in r.json], [x["remedy"] for x in r.json if "remedy" in x], r
    tail, pinned = "prog %d xdp rel_tail" % s.id["tail"], "prog %d socket_filter rel_pinned" % s.id["pinned"]
    kept, let_go, r = why("prog", "tail")
    ok(kept == [(tail, calls), (calls, me)] and len(let_go) == 1 and let_go[0].split()[0] in ("kill", "systemctl"), what + ": why a program in a map stays loaded", r)
    kept, let_go, r = why("prog", "pinned")
    path = w.pins + "/rel_pinned"
    ok(kept == [(pinned, "pin " + path)] and let_go == ["bpflens prog unpin " + path], what + ": why a pinned program stays loaded", r)
    kept, let_go, r = why("map", "inner")
    ok([k for _, k in kept] == ["map %d array_of_maps rel_outer" % s.id["outer"], me], what + ": why an inner map stays loaded", r)
    r = w.run(*how, "-j", "graph", "prog", s.id["xdp"])
    nodes = {x["node"]: x for x in r.json}
    def held(kind, ident):
        n = next(x for x in r.json if x["kind"] == kind and x["id"] == ident)
        return {(nodes[h["to"]]["kind"], nodes[h["to"]]["id"] if h["keeps"] else 0) for h in n.get("holds", ())}
    ok(("link", s.id["link"]) in held("process", os.getpid()) and ("prog", s.id["xdp"]) in held("link", s.id["link"]), what + ": graph", r)


def orphans(w, s, how, what):
    r = w.run(*how, "-j", "orphans", "-Q", "name =~ '^rel_'")
    got = {x["name"]: (x["kind"], x["id"], x["orphan"], len(x.get("remove", ()))) for x in r.json}
    want = {"rel_idle": ("prog", s.id["idle"], "no place runs it", 0), "rel_pinned": ("prog", s.id["pinned"], "pinned, without a user", 1),
            "rel_calls": ("map", s.id["calls"], "no program uses it", 0), "rel_inner": ("map", s.id["inner"], "no program uses it", 0),
            "rel_outer": ("map", s.id["outer"], "no program uses it", 0),
            "rel_gone": ("link", s.id["detached"], "detached, its process holds it", 0)}
    ok(got == want, what + ": orphans", "%s\nnot %s\n%s" % (got, want, r))
    r = w.run(*how, "orphans", "--commands", "-Q", "name =~ '^rel_'")
    ok(r.text == "bpflens prog unpin %s/rel_pinned\n" % w.pins,
       what + ": the commands that would remove them", r)


with World() as w:
    s = Scene(w)
    saved = w.dir + "/relate.tar.gz"
    try:
        joins(w, s, [], "live")
        whys(w, s, [], "live")
        orphans(w, s, [], "live")
        w.run("save", saved)
        joins(w, s, ["--from", saved], "saved")
        whys(w, s, ["--from", saved], "saved")
        orphans(w, s, ["--from", saved], "saved")
    finally:
        s.close()
        for name in ("rel_pinned", "rel_kept"):
            if os.path.exists(w.pins + "/" + name):
                os.unlink(w.pins + "/" + name)
finish()
