#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Values in maps of local storage, and their owners: a task, sockets, a cgroup; a file by its descriptor. Reading creates
no value, and an archive shows the same."""
import os
import tempfile

from feed import Feed
from world import BPFLENS, Run, finish, isolate, ok, skip

isolate()


def values(f, name):
    if name not in f.maps:
        skip("this kernel does not have a map type for " + name)
        return None
    r = f.lens("-j", "map", "storage", "id", f.maps[name])
    if r.status == 1 and "iterator" in r.json.get("hint", ""):
        skip("this kernel does not have an iterator for " + name)
        return None
    if name == "feed_sk" and r.status == 4 and r.json["errno"] == "EPERM":
        skip("this kernel refuses iterators over the storage of sockets")
        return None
    if not ok(r.status == 0, name, r):
        return None
    ok(all(v["formatted"]["value"]["word"] == "feed" and len(v["value"]) == 12 for v in r.json), "typed values", r)
    again = f.lens("-j", "map", "storage", "id", f.maps[name])
    ok(again.out == r.out, "reading changes nothing", again)
    return r.json


def tasks(f):
    found = values(f, "feed_task")
    if found is None:
        return
    ok([v["owner"] for v in found] == [{"pid": f.pid, "tid": f.pid, "comm": "feed"}], "the process", found)
    r = f.lens("map", "storage", "id", f.maps["feed_task"])
    ok(r.text.startswith("pid %d  tid %d  comm feed\nvalue: {" % (f.pid, f.pid)), "plain", r)
    r = f.lens("--ndjson", "map", "storage", "id", f.maps["feed_task"])
    ok(r.text.count("\n") == 1 and r.text.startswith('{"owner":'), "a line", r)
    r = f.lens("map", "dump", "id", f.maps["feed_task"])
    ok(r.status == 1 and "map storage" in r.errors, "dump names the verb that can read it", r)
    with tempfile.TemporaryDirectory() as d:
        live = f.lens("-j", "map", "storage", "id", f.maps["feed_task"])
        f.lens("save", d + "/a.tar.gz", "--map-data")
        saved = f.lens("--from", d + "/a.tar.gz", "-j", "map", "storage", "id", f.maps["feed_task"])
        ok(saved.status == 0 and saved.out == live.out, "the same from an archive", saved)
        f.lens("save", d + "/b.tar.gz")
        r = f.lens("--from", d + "/b.tar.gz", "map", "storage", "id", f.maps["feed_task"])
        ok(r.status == 1 and "contents were not saved" in r.errors, "an archive without contents", r)


def sockets(f):
    found = values(f, "feed_sk")
    if found is None:
        return
    owners = {v["owner"]["family"]: v for v in found}
    for family, form in (("inet", "127.0.0.1:%d"), ("inet6", "[::1]:%d")):
        if family == "inet6" and family not in owners:
            skip("no IPv6 here")
            continue
        v = owners[family]
        ok(v["owner"]["local"] == form % v["formatted"]["value"]["n"] and "remote" not in v["owner"], "a socket, " + family, v)


def cgroups(f):
    found = values(f, "feed_cgrp")
    if found is None:
        return
    ok([v["owner"]["cgroup_id"] for v in found] == [os.stat(f.cgroup).st_ino], "the cgroup", found)


def files(f):
    if "feed_inode" not in f.maps:
        skip("this kernel does not have inode storage")
        return
    if "feed_inode" not in f.stored:
        skip("this kernel does not accept values for files (its BPF LSM is off)")
        return
    fd = os.open(f.cgroup, os.O_RDONLY)
    r = Run([BPFLENS, "-j", "map", "lookup", "id", f.maps["feed_inode"], "key", str(fd)], pass_fds=[fd])
    ok(r.status == 0 and r.json["formatted"]["value"] == {"n": 7, "word": "feed"}, "a file by a descriptor", r)
    r = f.lens("map", "storage", "id", f.maps["feed_inode"])
    ok(r.status == 1 and "3< FILE" in r.errors, "files cannot be listed", r)


with Feed() as feed:
    tasks(feed)
    sockets(feed)
    cgroups(feed)
    files(feed)
    r = feed.lens("map", "storage", "id", feed.maps["feed_counts"])
    ok(r.status == 1 and "it is not a map of task, cgroup or socket storage" in r.errors, "another type of map", r)
finish()
