#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""--watch of lists: what is new, gone or changed, by what identifies it; how it ends; what it costs."""
import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import threading

from world import BUILD, UNSEEN, World, finish, isolate, number, ok, sanitized, skip, strict_json, until

isolate()
OBJECT = BUILD + "/tests/live/run.bpf.o"


class Watch:
    """A list that is read every 50 ms; lines() are the records so far."""

    def __init__(self, w, *words, options=()):
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.p = subprocess.Popen([w.lens, *options] + [str(word) for word in words] + ["--watch", "0.05"], stdout=self.out, stderr=self.err)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.p.poll() is None:
            self.p.kill()
        self.p.wait()
        self.out.close()
        self.err.close()

    def text(self, name="out"):
        f = getattr(self, name)
        return os.pread(f.fileno(), 1 << 26, 0)

    def lines(self):
        return [json.loads(line) for line in self.text().split(b"\n")[:-1]]

    def seen(self, what=None, **want):
        """The first record with these members, or with a change of member @what, as soon as there is one."""
        def fits(r):
            return all(r.get(k) == v for k, v in want.items()) and what in [None] + [c["name"] for c in r.get("changed", [])]
        return until(lambda: next(filter(fits, self.lines()), None))

    def end(self, how=signal.SIGINT):
        self.p.send_signal(how)
        self.p.wait(20)
        return UNSEEN.sub(b"", self.text("err"))


def new_map(w, name):
    path = w.pins + "/" + name
    w.run("map", "create", path, "type", "hash", "key", 4, "value", 8, "entries", 8, "name", name)
    return path, w.run("-j", "map", "show", "pinned", path).json["id"]


def maps(w):
    first, first_id = new_map(w, "first")
    with Watch(w, "map", "list") as s:
        r = s.seen(id=first_id)
        ok(r and "change" not in r and "time" not in r and r["name"] == "first", "what is there at the start has no change", r)
        path, map_id = new_map(w, "second")
        r = s.seen(id=map_id, change="new")
        ok(r and r["name"] == "second" and re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ", r["time"]) and "changed" not in r, "a new map", r)
        w.run("map", "freeze", "pinned", path)
        r = s.seen("frozen", id=map_id, change="changed")  # while it was made, another process had it open
        ok(r and {"name": "frozen", "old": 0, "value": 1} in r["changed"] and r["frozen"] == 1, "what has changed, from what to what", r)
        os.unlink(path)
        r = s.seen(id=map_id, change="gone")
        ok(r and r["name"] == "second" and r["frozen"] == 1, "a map that has gone, as it was", r)
        err = s.end()
        mine = [(x["id"], x.get("change")) for x in s.lines() if x["id"] in (first_id, map_id) and (x.get("change") != "changed" or "frozen" in str(x["changed"]))]
        ok(s.p.returncode == 0 and not err, "an interrupt ends it with status 0", (s.p.returncode, err))
        ok(mine == [(first_id, None), (map_id, "new"), (map_id, "changed"), (map_id, "gone")], "each change is reported once", mine)
    with Watch(w, "map", "list", "pinned", first, "-o", "id,name", options=("--ndjson",)) as s:
        r = s.seen(id=first_id)
        ok(r == {"id": first_id, "name": "first"}, "columns", r)
        os.unlink(first)
        r = s.seen(id=first_id, change="gone")
        ok(r and sorted(r) == ["change", "id", "name", "time"], "one that was named may go", r)
        err = s.end(signal.SIGTERM)
        ok(s.p.returncode == 0 and not err, "and the command goes on", (s.p.returncode, err))


def programs(w):
    def load(name):
        w.run("prog", "load", OBJECT, w.pins + "/" + name, "only", "lens_socket")
        return w.run("-j", "prog", "show", "pinned", w.pins + "/" + name).json["id"]
    first = load("p0")
    with Watch(w, "prog", "list", options=("-d",)) as s:
        s.seen(id=first)
        prog = load("p")
        ok(s.seen(id=prog, change="new"), "a new program")
        os.unlink(w.pins + "/p")
        ok(s.seen(id=prog, change="gone"), "a program that has gone")
        s.end()
        ours = {int(n) for n in re.findall(rb"own: prog (\d+) is ours", s.text("err"))}
        ok(not ours & {r["id"] for r in s.lines()}, "no program of its own is listed", ours)
    os.unlink(w.pins + "/p0")


def places(w):
    w.run("prog", "load", OBJECT, w.pins + "/x", "only", "lens_xdp")
    prog = w.run("-j", "prog", "show", "pinned", w.pins + "/x")
    if prog.status:
        return

    def attach():
        r = w.run("attach", "pinned", w.pins + "/x", "to", "lo", "xdp", "--link", w.pins + "/l")
        ok(r.status == 0, "attached", r)
        return w.run("-j", "link", "show", "pinned", w.pins + "/l").json["id"]
    link = attach()
    with Watch(w, "ls", "xdp") as s, Watch(w, "pin", "list", w.pins) as pins, Watch(w, "link", "list") as links:
        r = s.seen(link_id=link)
        ok(r and "change" not in r and links.seen(id=link) and pins.seen(path=w.pins + "/l"), "what is attached at the start", r)
        os.unlink(w.pins + "/l")
        ok(s.seen(change="gone", link_id=link), "an attachment that has gone")
        ok(pins.seen(path=w.pins + "/l", change="gone") and links.seen(id=link, change="gone"), "a link and its pin that have gone")
        link = attach()
        r = s.seen(change="new", link_id=link)
        ok(r and r["where"].endswith("lo") and r["prog_id"] == prog.json["id"], "a new attachment", r)
        ok(links.seen(id=link, change="new"), "a new link")
        ok(pins.seen(path=w.pins + "/l", change="new"), "a new pin")
        _, other = new_map(w, "y")
        ok(pins.seen(path=w.pins + "/y", change="new"), "another new pin")
        os.rename(w.pins + "/y", w.pins + "/x")
        got = pins.seen("id", path=w.pins + "/x", change="changed")
        ok(got and {"name": "id", "old": prog.json["id"], "value": other} in got["changed"] and got["kind"] == "map", "another object at the same path", got)
        for one in (s, pins, links):
            err = one.end()
            ok(one.p.returncode == 0 and not err, "status 0", (one.p.returncode, err))
    for name in ("x", "l"):
        os.unlink(w.pins + "/" + name)


def memory(w):
    with Watch(w, "mem") as s:
        until(s.lines)
        path, map_id = new_map(w, "m")
        r = s.seen(kind="map", id=map_id, change="new")
        ok(r and r["bytes"] > 0 and r["name"] == "m", "memory of a new map", r)
        os.unlink(path)
        ok(s.seen(kind="map", id=map_id, change="gone"), "and when it has gone")
        s.end()


def ends(w):
    path, map_id = new_map(w, "e")
    r = w.run("-j", "map", "list", "id", map_id, "--watch", "0.02", "--count", 3)
    ok(r.status == 0 and [x["id"] for x in r.json] == [map_id], "-j is one document", r)
    r = w.run("--ndjson", "map", "list", "id", map_id, "--watch=0.02", "--count", 1)
    ok(r.status == 0 and strict_json(r.out)["id"] == map_id, "one list", r)
    r = w.run("map", "list", "name", "no_such_map", "--watch", "--count", 3)
    ok(r.status != 0 and b"no map with name" in r.err and not r.out, "what is not there at the start is an error", r)
    p = subprocess.Popen([w.lens, "map", "list", "id", str(map_id), "--watch", "60"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    p.stdout.readline()
    p.stdout.close()
    ok(until(lambda: p.poll() is not None) and p.returncode == 0, "it ends with the reader of its pipe", p.returncode)
    p.kill()
    os.unlink(path)


def most(argv):
    """Most memory that a command had, in KiB."""
    p = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = status
    return usage.ru_maxrss


def side_by_side(short, long):
    """Most memory of a short command, again and again while a long one runs, and of that one: other tests also make objects."""
    many = []
    thread = threading.Thread(target=lambda: many.append(most(long)))
    thread.start()
    few = [most(short)]
    while thread.is_alive():
        few.append(most(short))
    thread.join()
    return max(few), many[0]


def bounded(w, times):
    """Maps come and go meanwhile."""
    over = threading.Event()

    def churn():
        while not over.is_set():
            os.unlink(new_map(w, "churn")[0])
    thread = threading.Thread(target=churn)
    thread.start()
    try:
        for words in (["map", "list"], ["ls"]):
            few, many = side_by_side(*([w.lens] + words + ["--watch", "0.01", "--count", str(n)] for n in (times // 10, times)))
            ok(many < few * 1.1 + 1024, "%s: no more memory after %d lists than after %d" % (words[0], times, times // 10), "%d, %d KiB" % (few, many))
    finally:
        over.set()
        thread.join()


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
with World() as w:
    maps(w)
    programs(w)
    places(w)
    memory(w)
    ends(w)
    if sanitized():
        skip("the sanitizer keeps memory that was freed")
    else:
        bounded(w, number("WATCH", 200))
finish()
