#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""link detach and update: what they change, what they report, and what they leave alone."""
import os
import socket
import subprocess

import rawbpf
from world import World, finish, isolate, ok, skip

isolate(alone="a link that another command reads does not end with its pin")

TCX_INGRESS, CGROUP_EGRESS, XDP = 46, 1, 37


def detach(w, dev):
    prog = rawbpf.prog_load("xdp", "lv_first", 2)
    fd = rawbpf.link_create(prog, dev, XDP)
    link = rawbpf.object_id(fd)
    r = w.run("link", "detach", "id", link, "--dry-run")
    ok(r.status == 0 and "would detach" in r.text and "(lv_first) at lv0 xdp, link %d" % link in r.text, "detach --dry-run names the program and place", r)
    ok(w.run("-j", "link", "show", "id", link).json["ifindex"] == dev, "and does not detach")
    r = w.run("-jp", "link", "detach", "id", link, "--dry-run")
    ok(r.json["dry_run"] is True and r.json["link_id"] == link and r.json["where"] == "lv0", "the same in JSON", r)
    r = w.run("-j", "link", "detach", "id", link)
    ok(r.status == 0 and r.json["action"] == "detached" and r.json["link_id"] == link and not r.err, "link detach, in JSON", r)
    ok(w.run("-j", "link", "show", "id", link).json["ifindex"] == 0, "the link still exists, and is detached")
    ok(link not in {a.get("link_id") for a in w.run("-j", "ls").json}, "and is not in `ls`")
    r = w.run("link", "update", "id", link, "id", rawbpf.object_id(prog))
    ok(r.status == 1 and "is no longer attached" in r.errors, "it does not accept a program", r)
    r = w.run("link", "detach", "id", 4294967290)
    ok(r.status == 3 and "no link with id" in r.errors, "a link that does not exist", r)
    r = w.run("-j", "link", "detach", "id", 4294967290)
    ok(r.status == 3 and "error" in r.json, "the same in JSON", r)
    r = w.run("link", "detach")
    ok(r.status == 2, "no link", r)
    for f in (fd, prog):
        os.close(f)


def cannot(w):
    """Links that the kernel cannot detach: their holders are named."""
    for name in ("pe_clock", "it_task", "raw_tp"):
        f = w.one("link", name)
        if not f:
            skip("no link " + name)
            continue
        r = w.run("link", "detach", "id", f["id"])
        ok(r.status == 1 and "cannot be detached" in r.errors and "mkobj(%d)" % w.pid in r.errors, "detach of %s: refused, held by mkobj" % name, r)
        dry = w.run("link", "detach", "id", f["id"], "--dry-run")
        ok(dry.status == 1 and dry.errors == r.errors, "the same with --dry-run", dry)


def update(w, kind, target, attach_type, what):
    first, second, other = (rawbpf.prog_load(kind, "lv_%d" % i, 0, attach_type if kind.startswith("cgroup") else 0) for i in range(3))
    ids = [rawbpf.object_id(fd) for fd in (first, second, other)]
    try:
        fd = rawbpf.link_create(first, target, attach_type)
    except OSError as e:
        return skip("a link of %s cannot be created: %s" % (what, e))
    link = rawbpf.object_id(fd)

    def runs():
        return w.run("-j", "link", "show", "id", link).json["prog_id"]

    r = w.run("link", "update", "id", link, "id", ids[1], "--dry-run")
    ok(r.status == 0 and "would update to program %d (lv_1)" % ids[1] in r.text and "in place of %d (lv_0)" % ids[0] in r.text and
       runs() == ids[0], what + ": update --dry-run", r)
    r = w.run("link", "update", "id", link, "id", ids[1])
    ok(r.status == 0 and "updated to program %d (lv_1)" % ids[1] in r.text and "in place of %d (lv_0)" % ids[0] in r.text and
       runs() == ids[1], what + ": update", r)
    r = w.run("link", "update", "id", link, "id", ids[2], "old", "id", ids[0])
    ok(r.status == 4 and "does not run the program" in r.errors and "'link show id %d'" % link in r.errors and runs() == ids[1], what + ": update with the wrong old program", r)
    r = w.run("link", "update", "id", link, "id", ids[2], "old", "id", ids[0], "--dry-run")
    ok(r.status == 4 and runs() == ids[1], "the same with --dry-run", r)
    r = w.run("-j", "link", "update", "id", link, "id", ids[2], "old", "id", ids[1])
    ok(r.status == 0 and r.json["replaced"] == ids[1] and r.json["prog_id"] == ids[2] and runs() == ids[2], what + ": with the right old program", r)
    r = w.run("link", "update", "id", link, "id", w.one("prog", "l_perf")["id"])
    ok(r.status != 0 and "type" in r.errors and runs() == ids[2], what + ": a program of another type", r)
    r = w.run("link", "update", "id", link, "map", "id", w.one("map", "h_8_16")["id"])
    ok(r.status == 2 and runs() == ids[2], what + ": a map", r)
    for f in (fd, first, second, other):
        os.close(f)


def keeps(w):
    f, p = w.one("link", "pe_clock"), w.one("prog", "l_perf")
    if f and p:
        r = w.run("link", "update", "id", f["id"], "id", p["id"])
        ok(r.status == 1 and "the program of perf_event links cannot be replaced" in r.errors, "update of a perf event link", r)


with World() as w:
    w.make()
    subprocess.run(["ip", "link", "add", "lv0", "type", "veth", "peer", "name", "lv1"], check=True)
    dev = socket.if_nametoindex("lv0")
    detach(w, dev)
    cannot(w)
    update(w, "xdp", dev, XDP, "xdp")
    update(w, "sched_cls", dev, TCX_INGRESS, "tcx")
    if w.cgroup:
        cgroup = os.open(w.cgroup, os.O_RDONLY)
        update(w, "cgroup_skb", cgroup, CGROUP_EGRESS, "cgroup")
        os.close(cgroup)
    keeps(w)
finish()
