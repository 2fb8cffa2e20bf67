#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""mem: compared with the memory that the kernel charges to a cgroup; two directories of pins that share maps, full maps; live and saved."""
import os

from world import World, finish, isolate, ok, sanitized, skip, until

isolate()


def memory_cgroup():
    """A new cgroup that counts memory, and the file with the amount; None: not supported here."""
    for line in open("/proc/mounts"):
        _, at, kind, options = line.split()[:4]
        if kind == "cgroup" and "memory" in options.split(",") or \
           kind == "cgroup2" and "memory" in open(at + "/cgroup.subtree_control").read().split():
            path = "%s/bpflens-mem-%d" % (at, os.getpid())
            try:
                os.mkdir(path)
            except OSError:
                return None, None
            return path, path + ("/memory.current" if kind == "cgroup2" else "/memory.usage_in_bytes")
    return None, None


def number(path):
    with open(path) as f:
        return int(f.read())


def create(w, path, kind, entries, *more):
    key = "8" if kind == "lpm_trie" else "4"
    return w.run("map", "create", path, "type", kind, "key", key, "value", "64", "entries", entries, "name", os.path.basename(path), *more)


def in_cgroup(path, fn):
    pid = os.fork()
    if not pid:
        try:
            with open(path + "/cgroup.procs", "w") as f:
                f.write(str(os.getpid()))
            fn()
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


def beside_the_kernel(w):
    path, usage = memory_cgroup()
    if not path:
        return skip("a cgroup that counts memory cannot be created here")
    names = [("lm_hash", "hash", 300000), ("lm_array", "array", 600000), ("lm_lru", "lru_hash", 150000)]  # large compared with what each CPU charges in advance
    try:
        in_cgroup(path, lambda: [create(w, w.pins + "/" + n, kind, entries) for n, kind, entries in names])
        full = number(usage)
        mine = [r for r in w.run("-j", "mem", "-Q", "name =~ \"^lm_\"").json]
        ok(len(mine) == len(names), "the maps are created", mine)
        for n, _, _ in names:
            os.unlink(w.pins + "/" + n)
        until(lambda: number(usage) < full / 10)  # the kernel frees them a moment later
        kernel, ours = full - number(usage), sum(r["bytes"] for r in mine)
        percent = 2 if sanitized() else 1  # what is left of a large process that made them is counted, too
        ok(abs(kernel - ours) <= kernel * percent / 100, "the sum is equal to the kernel's within %d %%: %d and %d" % (percent, ours, kernel))
    finally:
        def removed():
            try:
                os.rmdir(path)
            except OSError:
                return False
            return True
        until(removed)


def rows(r, key="sum_of"):
    return {x.get(key): x for x in r.json}


def shared(w, args, what):
    """One map in two directories, one in the first only."""
    one, both = (next(x["bytes"] for x in w.run(*args, "-j", "mem", "-Q", "name == " + n).json) for n in ("lm_one", "lm_both"))
    got = rows(w.run(*args, "-j", "mem", "--by", "pin"))
    a, b = got[w.pins + "/a"], got[w.pins + "/b"]
    ok((a["nr_objects"], a["bytes"], a["bytes_shared"], a["bytes_share"]) == (2, one + both, both, one + both // 2), what + ": a directory with its own map", a)
    ok((b["nr_objects"], b["bytes"], b["bytes_shared"], b["bytes_share"]) == (1, both, both, both // 2), what + ": one that shares all of its maps", b)
    kinds, types = rows(w.run(*args, "-j", "mem", "--by", "kind")), rows(w.run(*args, "-j", "mem", "--by", "type"))
    ok(set(kinds) == {"programs", "machine code", "maps", "types"} and "map hash" in types, what + ": sums by kind and type", (kinds, types))


def full(w):
    for i in range(8):
        w.run("map", "update", "pinned", w.pins + "/a/lm_one", "key", i, "0", "0", "0", "value", *(["0"] * 64))
    r = w.run("-j", "mem", "--full", 80, "-Q", "name =~ \"^lm_\"")
    ok(r.json == [] or all(x["name"] != "lm_one" for x in r.json), "a map that is half full is not shown", r)
    for i in range(8, 16):
        w.run("map", "update", "pinned", w.pins + "/a/lm_one", "key", i, "0", "0", "0", "value", *(["0"] * 64))
    r = w.run("-j", "mem", "--full", 80, "-o", "name,fill,entries", "-Q", "name =~ \"^lm_\"")
    ok(r.status == 1 and r.json == [{"name": "lm_one", "fill": 100, "entries": 16}], "a full one is, with status 1", r)
    ok(w.run("mem", "--full", 101).status == 2, "more than full")


def main(w):
    beside_the_kernel(w)
    for d in ("a", "b"):
        os.mkdir(w.pins + "/" + d)
    create(w, w.pins + "/a/lm_one", "hash", 16)
    create(w, w.pins + "/a/lm_both", "hash", 1000)
    w.run("map", "pin", "pinned", w.pins + "/a/lm_both", w.pins + "/b/lm_both")
    shared(w, [], "live")
    w.run("save", w.dir + "/mem.tar.gz")
    shared(w, ["--from", w.dir + "/mem.tar.gz"], "saved")
    full(w)


with World() as w:
    main(w)
finish()
