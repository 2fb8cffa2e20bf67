#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Iterators: listed, pinned, run once, of object files, programs, links and pins; with each type of argument; nothing is left loaded."""
import json
import os
import socket
import subprocess
import sys
import tempfile

from nth import refused_in_turn
from world import BPFLENS, BUILD, Run, finish, isolate, lock, number, ok, skip, until

isolate(alone="its names are looked up on the whole machine")
lock("iters.bpf.o")  # what is left of it is found by name
OBJ = BUILD + "/tests/live/iters.bpf.o"
ROUNDS = number("LOOPS", 40)


def lens(*args, **kw):
    return Run([BPFLENS] + [str(a) for a in args], **kw)


def iterators():
    return {link["link_id"]: dict(link, target=t["target"]) for t in lens("-j", "iter", "list").json for link in t["links"]}


def progs(name):
    r = lens("-j", "prog", "show", "name", name)
    found = r.json if r.status == 0 else []
    return {p["id"] for p in (found if isinstance(found, list) else [found])}


def gone(ids, name):
    """Wait until the kernel has freed a program, which takes a moment."""
    return until(lambda: not progs(name) & ids)


def targets():
    r = lens("-j", "iter", "list")
    if not ok(r.status in (0, 5), "the targets of this kernel", r):
        return {}
    found = {t["target"]: t for t in r.json}
    ok(found["task"]["takes"] == "tid pid" and found["task"]["context"] == ["task"], "tasks", found["task"])
    ok(found["bpf_map"].get("takes") is None and found["bpf_map_elem"]["takes"] == "map", "maps and their elements")
    names = [t["target"] for t in r.json]
    ok(names == sorted(names) and "bpf_map" in names and not any(n.endswith(("_new", "_next")) for n in names), "only targets", names)
    return found


def walks_elements(m):
    """Some kernels are built to refuse iterators over elements, without a reason of the verifier."""
    r = lens("-j", "iter", "run", OBJ, "name", "say_elems", "map", "id", m)
    return not r.status or r.json["errno"] != "EPERM" or r.json["because"]["processed"] != 0


def runs(m, found):
    r = lens("-j", "iter", "run", "/etc/passwd")
    ok(r.status == 1 and r.json["errno"] == "EBADMSG", "a file that is not an object file", r)
    r = lens("iter", "run", OBJ, "name", "say_tasks")
    ok(r.status == 0 and "task %d\n" % os.getpid() in r.text and r.text.count("\n") > 1, "tasks", r)
    r = lens("-j", "iter", "run", OBJ, "name", "say_maps")
    ok(r.status == 0 and "map %d" % m in r.json, "JSON: a list of lines", r)
    r = lens("--ndjson", "iter", "run", OBJ, "name", "say_maps")
    ok(r.status == 0 and "map %d" % m in [json.loads(line) for line in r.text.splitlines()], "NDJSON: one text per line", r)
    if walks_elements(m):
        r = lens("iter", "run", OBJ, "name", "say_elems", "map", "id", m)
        ok(r.status == 0 and sorted(r.text.split("\n")) == ["", "key 3", "key 5"], "elements of a map", r)
    else:
        skip("elements of a map, and pins of such an iterator: the kernel refuses to load one here")
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        r = lens("iter", "run", OBJ, "name", "say_tcp")
        ok(r.status == 0 and "socket of " in r.text, "sockets", r)
    r = lens("iter", "run", OBJ, "name", "say_much")
    ok(r.status == 0 and r.text == "".join("%064d\n" % i for i in range(64)), "much text", r)
    r = lens("-j", "iter", "run", OBJ, "name", "say_much")
    ok(r.status == 0 and r.json == ["%064d" % i for i in range(64)], "long text in JSON", r)
    r = lens("iter", "run", OBJ)
    ok(r.status == 0 and "this is the first: say_tasks" in r.errors, "the first of several, with a note", r)


def one_task():
    other = subprocess.Popen(["sleep", "100"])
    try:
        for word in ("tid", "pid"):
            r = lens("iter", "run", OBJ, "name", "say_tasks", word, other.pid)
            if r.status and "of this kernel accepts no" in r.errors:
                skip("iterators over one task: " + r.errors.strip().split("\n")[0])
                return
            ok(r.text == "task %d\n" % other.pid, "one task by " + word, r)
    finally:
        other.kill()
        other.wait()


def cgroups(found):
    mount = next((line.split()[1] for line in open("/proc/mounts") if line.split()[2] == "cgroup2"), None)
    if "cgroup" not in found or not mount:
        skip("this kernel has no iterator over cgroups, or there is no cgroup2")
        return
    outer = "%s/bpflens-iter-%d" % (mount, os.getpid())
    os.makedirs(outer + "/in")
    try:
        a, b = os.stat(outer).st_ino, os.stat(outer + "/in").st_ino
        for order, want in (("self_only", [a]), ("descendants_pre", [a, b]), ("descendants_post", [b, a])):
            r = lens("iter", "run", OBJ, "name", "say_cgroups", "cgroup", outer, "order", order)
            ok(r.text == "".join("cgroup %d\n" % c for c in want), "cgroups, " + order, r)
        r = lens("iter", "run", OBJ, "name", "say_cgroups", "cgroup", outer + "/in", "order", "ancestors_up")
        ok(r.text.startswith("cgroup %d\ncgroup %d\n" % (b, a)), "cgroups, ancestors_up", r)
        r = lens("iter", "run", OBJ, "name", "say_cgroups", "cgroup", outer)
        ok(r.text == "cgroup %d\ncgroup %d\n" % (a, b), "descendants without an order", r)
        r = lens("iter", "run", OBJ, "name", "say_cgroups")
        ok(r.status == 1 and "'cgroup PATH'" in r.errors, "an iterator over cgroups needs a cgroup", r)
        r = lens("iter", "run", OBJ, "name", "say_cgroups", "cgroup", outer + "/none")
        ok(r.status == 3 and "cannot open cgroup" in r.errors, "a cgroup that does not exist", r)
    finally:
        os.rmdir(outer + "/in")
        os.rmdir(outer)


def pins(d, m):
    path = d + "/elems"
    r = lens("-j", "iter", "pin", OBJ, path, "name", "say_elems", "map", "id", m)
    ok(r.status == 0 and (r.json["action"], r.json["path"]) == ("pinned", path), "pin: a record", r)
    ok(sorted(open(path).read().split()) == ["3", "5", "key", "key"], "the pin can be read")
    mine = [i for i in iterators().values() if path in i["pinned"]]
    ok(len(mine) == 1 and mine[0]["target"] == "bpf_map_elem" and mine[0]["map_id"] == m and mine[0]["prog_name"] == "say_elems",
       "listed with its pin", mine)
    if mine:
        for words in (["link", "id", mine[0]["link_id"]], ["link", "pinned", path], [path],
                      ["prog", "id", mine[0]["prog_id"], "map", "id", m], ["say_elems", "map", m], [mine[0]["prog_id"], "map", m]):
            r = lens("iter", "run", *words)
            ok(r.status == 0 and sorted(r.text.split("\n")) == ["", "key 3", "key 5"], "run %s" % words[0], r)
        r = lens("-j", "ls")
        ok([(a["where"], a["what"], a["map_id"]) for a in r.json if a.get("link_id") == mine[0]["link_id"]] == [("bpf_map_elem", "iter", m)], "ls", r)
        r = lens("iter", "run", path, "pid", 1)
        ok(r.status == 2 and "when it was created" in r.errors, "arguments are refused for a link", r)
    r = lens("iter", "pin", OBJ, path, "name", "say_maps")
    ok(r.status == 1 and "EEXIST" in r.errors, "a path that exists", r)
    r = lens("link", "unpin", path)
    ok(r.status == 0 and not os.path.exists(path) and gone({p["prog_id"] for p in mine}, "say_elems"), "after unpin, it is gone", r)


def interrupted(d):
    path = d + "/much"

    def left():
        return os.listdir(d) + sorted(progs("say_much"))[:1] * (not os.path.exists(path))

    refused_in_turn([BPFLENS, "iter", "pin", OBJ, path, "name", "say_much"], left, lambda: os.path.exists(path) and os.unlink(path))
    refused_in_turn([BPFLENS, "iter", "run", OBJ, "name", "say_much"], left, keeps=False)


def refused(d, m):
    for words, status, sentence in (
            ([OBJ], 2, "needs"), ([OBJ, d + "/x", "foo"], 2, "unexpected argument 'foo'"), ([OBJ, d + "/x", "map", "id"], 2, ""),
            (["/nonexistent.o", d + "/x"], 3, "cannot open object file"), (["/dev/null", d + "/x"], 1, "it is not an ELF file"),
            ([OBJ, d + "/x", "name", "no_iterator"], 3, "no iterator program 'no_iterator'"),
            ([OBJ, d + "/x", "name", "say_maps", "pid", 1], 1, ""),
            ([OBJ, d + "/x", "name", "say_maps", "map", "id", m], 1, "accepts no map"),
            ([OBJ, d + "/x", "name", "say_maps", "pid", 1, "tid", 1], 2, "exclusive"), ([OBJ, d + "/x", "map", "id", 4294967295], 3, "no map with id"),
            ([OBJ, d + "/no/x", "name", "say_maps"], 3, ""), ([OBJ, "/tmp/bpflens-no-bpffs", "name", "say_maps"], 1, "bpf"),
            ([BUILD + "/tests/live/ops.bpf.o", d + "/x"], 3, "no iterator program"),
            *[([OBJ, d + "/x", "name", "say_elems"], 1, "it with 'map MAP'")] * walks_elements(m)):
        r = lens("iter", "pin", *words)
        ok(r.status == status and sentence in r.errors and os.listdir(d) == [], "refused: iter pin " + " ".join(str(x) for x in words)[-60:], r)
    r = lens("-j", "iter", "run", BUILD + "/tests/live/iter_rejected.bpf.o")
    why = r.json.get("because", {})
    ok(r.status in (1, 4) and (why.get("program"), why.get("cause")) == ("lens_no_check", "unchecked_pointer"), "a rejected program: the reason", r)
    r = lens("iter", "run", "prog", "name", "no_such_program")
    ok(r.status == 3, "a program that does not exist", r)
    r = lens("iter", "run", "/etc/passwd")
    ok(r.status == 1 and r.errors.startswith("bpflens: /etc/passwd: it is not an ELF file"), "the message names the file", r)
    r = lens("iter", "run")
    ok(r.status == 2 and "FILE, 'prog' or 'link'" in r.errors, "without words", r)


def many(d, m):
    before, elements = set(iterators()), walks_elements(m)
    bad = 0
    for i in range(ROUNDS):
        path = "%s/i%d" % (d, i)
        bad += lens("iter", "pin", OBJ, path, "name", "say_much").status != 0 or len(open(path).read()) != 64 * 65
        bad += elements and lens("iter", "run", OBJ, "name", "say_elems", "map", "id", m).text.count("\n") != 2
        bad += lens("link", "unpin", path).status != 0
    ok(not bad, "%d times pinned, read, run, unpinned" % ROUNDS, bad)
    left = {i for i, link in iterators().items() if i not in before and link.get("prog_name") == "say_much"}  # of no other test
    ok(not left and not os.listdir(d), "nothing is left", left)


with tempfile.TemporaryDirectory() as tmp:
    fs = tmp + "/bpffs"
    os.mkdir(fs)
    if subprocess.run(["mount", "-t", "bpf", "bpf", fs]).returncode:
        skip("cannot mount a bpffs here")
        sys.exit(77)
    subprocess.run(["ip", "link", "set", "lo", "up"], stderr=subprocess.DEVNULL)
    try:
        made = lens("map", "create", fs + "/m", "type", "hash", "key", 4, "value", 4, "entries", 8, "name", "walked")
        if made.status:
            skip("maps cannot be created here: " + made.errors.strip())
            sys.exit(77)
        walked = lens("-j", "map", "show", "pinned", fs + "/m").json["id"]
        for key in (3, 5):
            lens("map", "update", "pinned", fs + "/m", "key", key, 0, 0, 0, "value", 1, 0, 0, 0)
        os.mkdir(fs + "/d")
        known = targets()
        runs(walked, known)
        one_task()
        cgroups(known)
        if walks_elements(walked):
            pins(fs + "/d", walked)
        interrupted(fs + "/d")
        refused(fs + "/d", walked)
        many(fs + "/d", walked)
    finally:
        subprocess.run(["umount", "-l", fs])
finish()
