#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`ls`: every attachment of a machine with four network namespaces and twenty nested cgroups, each exactly once."""
import collections
import os

import events
import rawbpf
from networks import Networks
from world import World, finish, isolate, ok, skip, strict_json

isolate()
DEPTH = 20
MULTI = 2
INGRESS, EGRESS = 0, 1
OTHER = "ls_cg_%d" % os.getpid()


class Expected:
    """Where programs were attached: how often each (program, link) must be listed; link 0: none."""

    def __init__(self):
        self.times = collections.Counter()
        self.at = {}
        self.fds, self.dirs = [], []

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        for fd in self.fds:
            os.close(fd)
        for path in reversed(self.dirs):
            os.rmdir(path)

    def prog(self, kind, name, value=0, attach_type=0):
        fd = rawbpf.prog_load(kind, name, value, attach_type)
        self.fds.append(fd)
        return fd, rawbpf.object_id(fd)

    def add(self, prog, where=None, what=None, link=0):
        self.times[prog, link] += 1
        self.at[prog, link] = (where, what)


def cgroups(w, e):
    """At each cgroup, a program without a link and one with a link."""
    if not w.cgroup:
        return skip("cgroup v2 is not mounted")
    path = w.cgroup
    plain, plain_id = e.prog("cgroup_skb", "ls_cg_plain", 1, EGRESS)
    other, other_id = e.prog("cgroup_skb", OTHER, 1, EGRESS)
    linked, linked_id = e.prog("cgroup_skb", "ls_cg_link", 1, INGRESS)
    for i in range(DEPTH):
        path += "/n%d" % i
        os.mkdir(path)
        e.dirs.append(path)
        fd = os.open(path, os.O_RDONLY)
        rawbpf.prog_attach(plain, fd, EGRESS, MULTI)
        e.add(plain_id, path, "cgroup_inet_egress")
        if i % 5 == 0:
            rawbpf.prog_attach(other, fd, EGRESS, MULTI)
            e.add(other_id, path, "cgroup_inet_egress")
        link = rawbpf.link_create(linked, fd, INGRESS)
        e.fds.append(link)
        e.add(linked_id, path, "cgroup_inet_ingress", rawbpf.object_id(link))
        os.close(fd)
    e.at = {k: v for k, v in e.at.items() if k[1] or k[0] not in (plain_id, other_id)}  # at several places



def networks(w, n, e):
    xdp, xdp_id = e.prog("xdp", "ls_xdp", 2)
    tc, tc_id = e.prog("sched_cls", "ls_tc", 0)
    for name, fd in (("ls_xdp", xdp), ("ls_tc", tc)):
        rawbpf.pin(fd, w.pins + "/" + name)
    for ns in (n.own, n.blue, n.red, n.green):
        n.ip(ns, "link", "add", "lsv", "type", "veth", "peer", "name", "lsw")
        n.ip(ns, "link", "set", "lsv", "xdpgeneric", "pinned", w.pins + "/ls_xdp")
        e.add(xdp_id)
        n.tc(ns, "qdisc", "add", "dev", "lsv", "clsact")
        for way in ("ingress", "egress"):
            n.tc(ns, "filter", "add", "dev", "lsv", way, "bpf", "da", "object-pinned", w.pins + "/ls_tc")
            e.add(tc_id)
    e.at.pop((xdp_id, 0))
    e.at.pop((tc_id, 0))
    for name in ("ls_xdp", "ls_tc"):
        os.unlink(w.pins + "/" + name)


def maps(e):
    tail, tail_id = e.prog("socket_filter", "ls_tail")
    progs = rawbpf.map_create(3, 4, 4, 8, "ls_tails")
    for i in (0, 5):
        rawbpf.map_update(progs, i.to_bytes(4, "little"), tail.to_bytes(4, "little"))
        e.add(tail_id)
    e.at.pop((tail_id, 0))
    verdict, verdict_id = e.prog("sk_skb", "ls_verdict", 1)
    parser, parser_id = e.prog("sk_skb", "ls_parser", 0)
    socks = rawbpf.map_create(15, 4, 4, 8, "ls_socks")
    rawbpf.prog_attach(parser, socks, 4)
    rawbpf.prog_attach(verdict, socks, 5)
    where = "map:%d" % rawbpf.object_id(socks)
    e.add(parser_id, where, "sk_skb_stream_parser")
    e.add(verdict_id, where, "sk_skb_stream_verdict")
    e.fds += [progs, socks]


def tasks(w, e):
    """An event with a program that was set by ioctl: only this process holds it. (The kernel does not report the program of other events.)"""
    tp, tp_id = e.prog("tracepoint", "ls_tp")
    fd = events.tracepoint("sched:sched_process_wait", tp)
    if fd is None:
        skip("tracepoints cannot be used here")
    else:
        e.fds.append(fd)
        e.add(tp_id)


def links(w, n, e):
    """The links of mkobj, in three namespaces."""
    for facts in [{(f["kind"], f["name"]): f["id"] for f in w.facts}, n.links(n.blue), n.links(n.green)]:
        for (kind, name), ident in facts.items():
            if kind != "link":
                continue
            r = w.run("-j", "link", "show", "id", ident)
            if name != "cg_detached":
                e.add(r.json["prog_id"], link=ident)


def check(w, e, source, what):
    r = w.run(*source, "-j", "ls")
    if not ok(r.status == 0, what + ": no failure", r):
        return
    listed = r.json
    mine = {p for p, _ in e.times if p}
    links = {link for _, link in e.times if link}
    found = collections.Counter((a.get("prog_id", 0), a.get("link_id", 0)) for a in listed
                                if a.get("prog_id") in mine or a.get("link_id") in links)
    # Programs that mkobj attaches without a link, to slots of maps, are not tested here.
    extra = {k: v for k, v in (found - e.times).items() if k[1] or k[0] not in e.slots}
    lost = e.times - found
    ok(not lost, what + ": %d attachments, none is missing" % sum(e.times.values()), "\n".join("%s times %s" % (lost[k], w.run("-j", "prog", "show", "id", k[0]).json.get("name")) for k in lost))
    ok(not extra, what + ": none is listed twice", [a for a in listed if (a.get("prog_id", 0), a.get("link_id", 0)) in extra])
    places = {(a.get("prog_id", 0), a.get("link_id", 0)): (a["where"], a["what"]) for a in listed}
    wrong = {k: (v, places.get(k)) for k, v in e.at.items() if v[0] and v != places.get(k)}
    ok(not wrong, what + ": where and what", list(wrong.items())[:5])
    words = [a for a in listed if " " in a["where"] or " " in a["what"]]
    ok(not words, what + ": each attach point is two words", words[:3])
    return listed


def words(w, e, listed):
    r = w.run("ls", OTHER, "--noheadings")
    ok(r.status == 0 and len(r.text.splitlines()) == DEPTH // 5, "a program's name as word", r)
    if w.cgroup:
        r = w.run("ls", w.cgroup + "/n0/n1/n2", "cgroup_inet_in", "--noheadings", "-o", "where")
        ok(len(r.text.splitlines()) == DEPTH - 2, "a cgroup and its descendants, and a prefix of a hook", r)
    r = w.run("-j", "ls", "net")
    ok(r.json and all(a["place"] == "net" for a in r.json), "a type of place", r)
    r = w.run("-j", "ls", "blue:lsv", "--sort", "what")
    ok([a["what"] for a in r.json] == ["tc_egress", "tc_ingress", "xdpgeneric"], "a namespace and a device, in order", r)
    r = w.run("--ndjson", "ls", "lsv")
    ok(len([strict_json(line.encode() + b"\n") for line in r.text.splitlines()]) == 12, "NDJSON", r)
    r = w.run("ls", "--tree", "ls_tail")
    ok(r.text.splitlines()[0] == "map" and r.text.count("prog_array") == 2 and r.text.count("map:") == 1 and "ls_tails\n" in r.text, "--tree", r)
    r = w.run("-j", "ls", "-Q", 'name == "ls_tp"', "-o", "where,owner,pid,fd,loaded")
    ok(not os.path.exists("/sys/kernel/tracing/events/sched") or r.json[0]["owner"] == "python3(%d)" % os.getpid() and r.json[0]["pid"] == os.getpid() and r.json[0]["loaded_at"] > 1.7e9,
       "an attachment that only a process holds, and since when", r)
    r = w.run("-j", "ls", "lsv", "prog_array")
    ok(r.json == [] and "no program is attached there" in r.errors, "known words that no attachment has together", r)
    r = w.run("-j", "ls", "lsv", "lo")
    ok({a["where"].split(":")[-1] for a in r.json} >= {"lsv"} and len(r.json) >= 12, "places are alternatives", r)
    r = w.run("-j", "ls", "ls_ta")
    ok(r.json and all(a["prog_name"] == "ls_tail" for a in r.json), "a part of a name", r)
    r = w.run("-j", "ls", r.json[0]["prog_id"], "prog_array")
    ok(r.json and all(a["prog_name"] == "ls_tail" for a in r.json), "a program's number", r)
    r = w.run("ls", "nothing_of_that_name")
    ok(r.status == 3 and not r.text and "nothing_of_that_name" in r.errors, "no match", r)
    r = w.run("ls", "ls_tial")
    ok(r.status == 3 and "similar: ls_tail" in r.errors, "a typing error, and a similar name", r)
    for args in (["ls"], ["detach", "lo", "xdp"]):
        r = w.as_user("-j", *args)
        ok(r.status == 4 and r.json["errno"] == "EPERM", "%s without privilege" % args[0], r)


with World() as w:
    w.make()
    with Networks(w) as n, Expected() as e:
        cgroups(w, e)
        networks(w, n, e)
        maps(e)
        tasks(w, e)
        links(w, n, e)
        e.slots = {f["id"] for f in w.of("prog")}
        listed = check(w, e, [], "ls")
        if listed:
            words(w, e, listed)
        saved = w.dir + "/saved"
        r = w.run("save", saved)
        ok(r.status == 0, "save", r)
        check(w, e, ["--from", saved], "from an archive")
finish()
