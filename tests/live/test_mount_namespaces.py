#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Pins in other mount namespaces are found, once each, with the process through which they are read."""
import os
import subprocess

import rawbpf
from world import World, finish, isolate, ok

SCRIPT = """
mkdir -p %(dir)s/far && mount -t bpf bpf %(dir)s/far && %(lens)s map pin id %(id)d %(dir)s/far/there &&
mkdir -p %(dir)s/again && mount --bind %(dir)s/far %(dir)s/again && mkdir %(dir)s/far/sub && %(lens)s map pin id %(id)d %(dir)s/far/sub/deep &&
mkdir -p %(dir)s/part && mount --bind %(dir)s/far/sub %(dir)s/part && echo ready && exec sleep 120
"""


def stop(p):
    p.kill()
    p.wait()


def mine(w, *args, **kw):
    return [r for r in w.run(*args, **kw).json if r["id"] == ident and r["kind"] == "map"]


isolate()
with World() as world:
    w = world
    fd = rawbpf.map_create(1, 4, 4, 1, "mns_map")
    ident = rawbpf.object_id(fd)
    w.run("map", "pin", "id", ident, w.pins + "/here")
    p = subprocess.Popen(["unshare", "-m", "--propagation", "private", "sh", "-c", SCRIPT % {"dir": w.dir, "lens": w.lens, "id": ident}],
                         stdout=subprocess.PIPE)
    q = None
    try:
        ok(p.stdout.readline() == b"ready\n", "a mount namespace with its own bpffs")
        # Another process in it, and one in a copy of it: the same file system, which is read once.
        q = subprocess.Popen(["nsenter", "-t", str(p.pid), "-m", "unshare", "-m", "sleep", "120"])
        r = w.run("-j", "pin", "list")
        found = [x for x in r.json if x["id"] == ident and x["kind"] == "map"]
        far = [x for x in found if "pid" in x]
        ok(r.status == 0 and [x["path"] for x in found if "pid" not in x] == [w.pins + "/here"], "pins in this namespace are shown as before", found)
        ends = sorted(x["path"].split("/root", 1)[1] for x in far)
        ok(len(far) == 2 and len({x["pid"] for x in far}) == 1 and far[0]["pid"] in (p.pid, q.pid), "pins in the other one, each once", far)
        ok(all(x["path"].startswith("/proc/%d/root/" % x["pid"]) for x in far) and [e.split("/")[-1] for e in ends] == ["deep", "there"], "the processes", ends)
        pid = far[0]["pid"]
        path = "/proc/%d/root%s/far/there" % (pid, w.dir)
        r = w.run("-j", "map", "show", "pinned", path)
        ok(r.status == 0 and r.json["id"] == ident, "the path can be used", r)
        r = w.run("-f", "-j", "map", "show", "id", ident)
        ok(r.json["pinned"][0] == w.pins + "/here" and path in r.json["pinned"], "pinned: those of this namespace first", r)
        r = w.run("pin", "list", "/proc/%d/root%s" % (pid, w.dir))
        ok(r.status == 0 and r.text.count("mns_map") == 2, "pin list PATH", r)
        archive = w.dir + "/mns.tgz"
        w.run("save", archive)
        saved = [x for x in w.run("--from", archive, "-j", "pin", "list").json if x["id"] == ident and x["kind"] == "map"]
        ok(saved == found, "an archive has them", saved)
        r = w.run("-d", "--from", archive, "-j", "map", "show", "pinned", path)
        ok(r.status == 0 and r.json["id"] == ident, "also by their path", r)
        os.close(fd)
        w.run("map", "unpin", w.pins + "/here")
        r = w.run("-j", "map", "list", "-o", "id,owner", "-Q", "id == %d" % ident)
        ok(r.status == 0 and r.json and r.json[0]["owner"].startswith("/proc/") and r.json[0]["owner"].endswith("/far/there") or
           r.json and r.json[0]["owner"].endswith("deep"), "the holder: the pin there", r)
        r = w.run("map", "unpin", path, "/proc/%d/root%s/far/sub/deep" % (pid, w.dir))
        ok(r.status == 0, "and they can be removed", r)
    finally:
        stop(p)
        if q:
            stop(q)
    r = w.run("-j", "pin", "list")
    ok(not [x for x in r.json if x["id"] == ident and x["kind"] == "map"] and r.status == 0, "with the namespace they are gone", r)
finish()
