#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""diff --growth: a leak of a map a step among 500 maps that come and go is found from ten archives, or one recording, and nothing else of ours; programs of a recording."""
import os
import random
import signal
import struct
import subprocess
import time

from rawbpf import link_create, map_create, map_update, prog_load
from world import World, finish, isolate, ok, until

isolate()
HASH, MAPS, STEPS, LO, BPF_XDP = 1, 500, 10, 1, 37
OURS = "name =~ '^gr_'"


class Others:
    """Maps of 50 names, in other numbers and with other ids each time."""

    def __init__(self):
        self.fds = []

    def change(self, step):
        random.shuffle(self.fds)
        for fd in self.fds[:MAPS // 3]:
            os.close(fd)
        self.fds = self.fds[MAPS // 3:]
        while len(self.fds) < MAPS - step % 3 * 20:  # not more and more in all
            fd = map_create(HASH, 4, 4, 4, "gr_%d" % random.randrange(50))
            for k in range(random.randrange(4)):
                map_update(fd, struct.pack("<I", k), b"\0" * 4)
            self.fds.append(fd)

    def end(self):
        for fd in self.fds:
            os.close(fd)


def archives(w, others):
    """The names have another order than the times."""
    leaks, fills, folder = [], map_create(HASH, 4, 4, 100, "gr_fills"), w.dir + "/states"
    os.mkdir(folder)
    for step in range(STEPS):
        others.change(step)
        leaks.append(map_create(HASH, 4, 4, 4, "gr_leak"))
        map_update(fills, struct.pack("<I", step), b"\0" * 4)
        r = w.run("save", "%s/%d.tar.gz" % (folder, step * 7 % STEPS))
        if r.status not in (0, 5):
            ok(False, "save", r)
        second = int(time.time())
        until(lambda: int(time.time()) > second)
    for fd in leaks + [fills]:
        os.close(fd)
    return folder


def check(w, folder):
    r = w.run("-j", "diff", "--growth", folder, "-Q", OURS)
    got = {d["name"]: d for d in r.json}
    ok(set(got) == {"gr_leak", "gr_fills"} and r.status in (1, 2), "the leak and the map that fills, and nothing else", r)
    leak, fills = got.get("gr_leak", {}), got.get("gr_fills", {})
    ok(leak.get("nr_objects") == STEPS and leak.get("objects_per_hour", 0) > 0 and leak.get("bytes_per_hour", 0) > 0 and "entries_per_hour" not in leak and
       leak.get("owner", "").endswith("(%d)" % os.getpid()), "a map a step, its memory and its owner", leak)
    ok(fills.get("entries") == STEPS and "objects_per_hour" not in fills, "an element a step, in one map", fills)
    rate = leak.get("objects_per_hour", 0)
    for limit, names in ((int(rate) - 1, {"gr_leak"}), (int(rate) + 1, set())):
        r = w.run("-j", "diff", "--growth", folder, "--more-than", "objects=%d" % limit, "-Q", OURS)
        ok({d["name"] for d in r.json} == names and (r.status == (1 if names else 0) or "bpflens: cannot read" in r.errors), "more than %d an hour" % limit, r)
    files = [folder + "/" + n for n in sorted(os.listdir(folder), reverse=True)]
    again = w.run("-j", "diff", "--growth", *files, "-Q", OURS)
    ok(again.json == list(got.values()), "the files in another order", again)
    r = w.run("diff", "--growth", folder, "-Q", OURS, "--sort", "name", "-o", "name,objects_per_hour", "--noheadings")
    ok([x.split()[0] for x in r.text.splitlines()] == ["gr_fills", "gr_leak"], "as a table", r)


def refused(w, folder):
    r = w.run("diff", "--growth", folder + "/0.tar.gz")
    ok(r.status == 2 and "at least two files" in r.errors, "one archive", r)
    r = w.run("diff", "--growth", folder + "/0.tar.gz", "live")
    ok(r.status == 2 and "`save`" in r.errors, "the running kernel", r)


def leak_while(p, path, others):
    """Leak before and while it records, until each step into which the recording is divided has some leaks; returns the maps, and a time at which another one and a link were there."""
    xdp, there = prog_load("xdp", "gr_xdp", 1), 0
    leaks, brief = [], [map_create(HASH, 4, 4, 4, "gr_brief"), link_create(xdp, LO, BPF_XDP)]
    start = last = time.monotonic()
    length = 20
    while p.poll() is None and last < start + length:
        at = time.monotonic()
        length, last = max(length, 30 * (at - last)), at
        start = start if os.path.exists(path + ".partial") else at
        leaks.append(map_create(HASH, 4, 4, 4, "gr_leak"))
        if len(leaks) % 5 == 0:
            others.change(len(leaks))
        if not there and at > start + length / 2:
            there = time.time()
            for fd in brief:
                os.close(fd)
        until(lambda: time.monotonic() > at + 0.1)
    os.close(xdp)
    return leaks, there


def recorded_maps(w, others):
    """Maps leak while it records, among those that come and go; what has gone is in the lists of its time."""
    path = w.dir + "/maps.rec"
    p = subprocess.Popen([w.lens, "record", "-o", path], stderr=subprocess.PIPE, text=True)
    leaks, there = leak_while(p, path, others)
    p.send_signal(signal.SIGINT)
    said = p.communicate()[1]
    r = w.run("-j", "diff", "--growth", path, "-Q", OURS)
    ok([d["name"] for d in r.json] == ["gr_leak"], "maps in a recording, and nothing else", "%s\n%s" % (said, r))
    leak = r.json[0] if r.json else {}
    ok(leak.get("nr_objects") == len(leaks) and "(%d)" % os.getpid() in leak.get("owner", "") and "entries_per_hour" not in leak, "all of them at the end, and their owner",
       "%d\n%s" % (len(leaks), r))
    for fd in leaks:
        os.close(fd)
    r = w.run("--from", path, "map", "list", "-Q", "name == gr_brief")
    ok("gr_brief" not in r.text, "a map that has gone is not there at the end", r)
    r = w.run("--from", path, "--at", "%d" % there, "-j", "map", "list", "-Q", "name == gr_brief || name == gr_leak")
    names = [d["name"] for d in r.json]
    ok("gr_brief" in names and 0 < names.count("gr_leak") < len(leaks), "but at its time", r)
    for at, n in ((("--at", "%d" % there), 1), ((), 0)):
        r = w.run("--from", path, *at, "-j", "link", "list", "-Q", "prog_name == gr_xdp")
        ok([d["devname"] for d in r.json] == ["lo"] * n, "a link at its time" if n else "and not at the end", r)
    r = w.run("-j", "diff", path, "--at", "%d" % there, "--at", "now", "-Q", OURS)
    changes = {(d["change"], d["name"]) for d in r.json if d["kind"] == "map"}
    ok(("gone", "gr_brief") in changes and ("new", "gr_leak") in changes and ("new", "gr_brief") not in changes, "what came and went between two times", r)


def recording(w):
    """A program a moment is loaded before, while and after it records, and others come and go."""
    path, fds, begun = w.dir + "/r.rec", [], 0
    p = subprocess.Popen([w.lens, "record", "-o", path], stderr=subprocess.PIPE, text=True)
    while p.poll() is None and len(fds) < 180:
        at = time.monotonic()
        fds.append(prog_load("socket_filter", "gr_prog", len(fds)))
        os.close(prog_load("socket_filter", "gr_comes", len(fds)))
        begun += os.path.exists(path + ".partial")
        if begun == 40:
            p.send_signal(signal.SIGINT)
        until(lambda: time.monotonic() > at + 0.05)
    p.send_signal(signal.SIGINT)
    said = p.communicate()[1]
    for fd in fds:
        os.close(fd)
    r = w.run("-j", "diff", "--growth", path, "-Q", OURS)
    ok([d["name"] for d in r.json] == ["gr_prog"] and 20 < r.json[0]["nr_objects"] <= len(fds), "programs in a recording", "%s\n%s" % (said, r))


with World() as w:
    others = Others()
    folder = archives(w, others)
    recorded_maps(w, others)
    others.end()
    check(w, folder)
    refused(w, folder)
    recording(w)
finish()
