#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""audit: objects that a rootkit hides are found; no findings while objects come and go, live and from an archive. BPFLENS_AUDIT_RUNS: number of runs (5)."""
import os
import subprocess

from rawbpf import object_id, prog_load
from world import BUILD, World, finish, isolate, number, ok, skip

isolate(alone="others would be told lies by its programs")
CHURN = BUILD + "/tests/live/churn"


def clean(r, what):
    hidden = [x for x in r.json if x["finding"] == "hidden"] if isinstance(r.json, list) else r.json
    ok(r.status in (0, 1, 5) and hidden == [], what, (r, hidden))


def baseline(w):
    """A baseline of this machine has all its programs; without its line, a program is unknown."""
    allowed = w.dir + "/allowed"
    w.run("save", w.dir + "/now.tar.gz")
    args = ["--from", w.dir + "/now.tar.gz", "-j", "audit"]
    w.run(*args, "--output", allowed)
    ok(os.stat(allowed).st_mode & 0o777 == 0o600, "a baseline is for its owner alone", oct(os.stat(allowed).st_mode))
    r = w.run(*args, "--baseline", allowed)
    ok(r.json == [], "programs in the baseline are not findings", r)
    with open(allowed) as f:
        lines = f.read().splitlines()
    name = w.of("prog")[0]["name"]
    with open(allowed, "w") as f:
        f.write("".join(x + "\n" for x in lines if not x.endswith(" " + name)))
    r = w.run(*args, "--baseline", allowed)
    got = {x["name"] for x in r.json if x["finding"] == "unknown"}
    ok(got == {name}, "another program is reported", (got, name))


GET_NEXT_ID = {"prog": 11, "map": 12, "link": 31}


class Lie:
    """with Lie(w, file, word=value...): the programs of this file run, with these variables."""

    def __init__(self, w, name, only=None, wanted=True, **variables):
        self.wanted, self.w, self.dir = wanted, w, w.pins + "/lie"
        self.load = ["prog", "load" if only else "loadall", "%s/tests/live/%s.bpf.o" % (BUILD, name), self.dir] + (["only", only] if only else [])
        for word in variables.items():
            self.load += ["set", "%s=%d" % word]

    def __enter__(self):
        self.loaded = self.w.run(*self.load, "autoattach")
        if self.loaded.status and self.wanted:
            ok(False, "the programs of a rootkit run", self.loaded)
        return self

    def __exit__(self, *unused):
        subprocess.run(["rm", "-rf", self.dir], check=True)


def reason(run):
    return next((x for x in run.errors.splitlines() if x.startswith("bpflens: ")), "")


def told(w, kind, ident, what, *args):
    """The hidden object is found."""
    r = w.run("-j", "audit", *args)
    mine = [x for x in r.json if x["finding"] == "hidden" and (x["kind"], x.get("id")) == (kind, ident)]
    ok(mine and r.status in (1, 5), "%s: found by %s" % (what, ", ".join(mine[0].get("seen_by", [])) if mine else "nobody"), r)
    return r


def next_of(w, kind, ident):
    later = [x["id"] for x in w.run("-j", kind, "list", "-o", "id").json if x["id"] > ident]
    return min(later) if later else 0


def lists(w, victim):
    for kind, ident in victim.items():
        for instead in (0, next_of(w, kind, ident)):
            with Lie(w, "hide", lists=GET_NEXT_ID[kind], hidden=ident, instead=instead):
                r = told(w, kind, ident, "%s left out of the list%s" % (kind, "" if instead else ", and all after it"))
    names = {x["name"] for x in r.json if x["finding"] == "dangerous"}
    ok({"list_exit", "directory_exit"} <= names, "a program that writes to processes is reported", names)
    names = {x["name"] for x in r.json if x["finding"] == "watching"}
    ok({"list_enter", "list_exit", "directory_exit", "read_exit"} <= names, "and programs that watch bpf(2), directories and files", names)


def more_ways(w, victim):
    prog, beside = victim["prog"], next_of(w, "prog", victim["prog"])
    with Lie(w, "hide", lists=GET_NEXT_ID["prog"], hidden=prog, instead=beside, iterators=1, descriptors=1):
        told(w, "prog", prog, "left out of the list, iterators and descriptors")
    lone = prog_load("xdp", "hide_lone", 77)
    ident = object_id(lone)
    with Lie(w, "hide", lists=GET_NEXT_ID["prog"], hidden=ident, instead=next_of(w, "prog", ident) or prog, iterators=1, descriptors=1):
        r = w.run("-j", "audit")
        ok([x for x in r.json if x["kind"] == "code" and x["name"].endswith("_hide_lone")], "an object that no other refers to: its code is found", r)
    os.close(lone)
    name = str(w.pid).encode()
    number = lambda b: int.from_bytes(b.ljust(8, b"\0"), "little")
    with Lie(w, "hide", lists=99, directory=number(name), directory_mask=number(b"\xff" * (len(name) + 1))):
        ok(str(w.pid) not in w.run("-j", "prog", "show", "id", prog, "-f").text, "the process is hidden")
        told(w, "process", w.pid, "a process left out of /proc")


def opened(w, victim):
    for how, finding in (("refuse_changed", "dangerous"), ("refuse_lsm", "watching")):
        with Lie(w, "hide_open", how, wanted=False, hidden=victim["prog"]) as lie:
            if lie.loaded.status:
                skip("%s: cannot be attached here: %s" % (how, reason(lie.loaded)))
                continue
            r = told(w, "prog", victim["prog"], how)
            ok([x for x in r.json if x["finding"] == finding and x["name"] == how], "%s: so is the program that hides it" % how, r)


def hiding(w):
    """Each way of hiding that rootkits use is found."""
    link = next(x for x in w.run("-j", "link", "list", "-o", "id,type,prog_id,pids").json if x["type"] == "raw_tracepoint" and x["prog_id"] in [p["id"] for p in w.of("prog")])
    victim = {"prog": link["prog_id"], "map": w.of("map")[0]["id"], "link": link["id"]}
    with Lie(w, "hide", wanted=False, lists=99) as lie:
        if lie.loaded.status:
            return skip("no program can write to processes here: " + reason(lie.loaded))
    lists(w, victim)
    more_ways(w, victim)
    opened(w, victim)


def main(w):
    w.make()
    baseline(w)
    hiding(w)
    churn = subprocess.Popen([CHURN], stdout=subprocess.PIPE)
    churn.stdout.readline()
    try:
        for i in range(number("AUDIT_RUNS", 5)):
            clean(w.run("-j", "audit"), "run %d finds nothing hidden" % (i + 1))
        w.run("save", w.dir + "/state.tar.gz")
        clean(w.run("--from", w.dir + "/state.tar.gz", "-j", "audit"), "nor in an archive saved meanwhile")
        w.run("record", "-o", w.dir + "/recording.tar.gz", "--seconds", "0.2")
        clean(w.run("--from", w.dir + "/recording.tar.gz", "-j", "audit"), "nor in a recording")
    finally:
        churn.kill()
        churn.wait()
    clean(w.run("-j", "--no-load", "audit"), "nor with --no-load")


with World() as w:
    main(w)
finish()
