#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""diff: a scripted change of a machine is reported exactly, from archives and live; a reload of all objects is not a difference."""
import os

from world import BUILD, World, finish, isolate, ok, skip

isolate(alone="who reads an object is one of its holders")
OURS = "name =~ \"^df_\""


def put(w, key, packets):
    w.run("map", "update", "pinned", w.pins + "/maps/df_same", "key", key, "value", "packets=%d" % packets, "bytes=7")


def load(w, which, hook, elements):
    steps = [w.run("prog", "loadall", "%s/tests/live/diff_%s.bpf.o" % (BUILD, which), w.pins + "/app", "pinmaps", w.pins + "/maps"),
             w.run("attach", "pinned", w.pins + "/app/df_xdp", "to", "lo", "xdpgeneric"),
             w.run("attach", "pinned", w.pins + "/app/df_tc", "to", "lo", hook, "--link", w.pins + "/link")]
    for key, packets in elements:
        put(w, key, packets)
    bad = next((r for r in steps if r.status), None)
    return not bad or (skip("cannot load or attach: " + bad.errors.strip()) and False)


def unload(w):
    w.run("detach", "lo", "xdpgeneric")
    os.unlink(w.pins + "/link")
    w.run("prog", "unpin", "-r", w.pins + "/app")
    w.run("map", "unpin", "-r", w.pins + "/maps")


def ends(r, status):
    """Namespaces of others come and go, and process 1 may not be readable: then the status is 2."""
    return r.status == status or (r.status == 2 and ("network namespace" in r.errors or "process 1:" in r.errors))


def differences(w, a, b, *more):
    r = w.run("-j", "diff", a, b, "-Q", OURS, *more)
    return r, {(d["change"], d["kind"], d["name"], d.get("field"), str(d.get("key")), d.get("member"), str(d.get("before")), str(d.get("after")))
               for d in r.json if d.get("field") != "tag"}


WANT = {
    ("gone", "prog", "df_removed", None, "None", None, "None", "None"), ("new", "prog", "df_added", None, "None", None, "None", "None"),
    ("changed", "map", "df_flows", "max_entries", "None", None, "64", "128"),
    ("changed", "map", "df_same", None, "1", ".packets", "10", "50"),
    ("gone", "map", "df_same", None, "2", None, "{'packets': 20, 'bytes': 7}", "None"),
    ("new", "map", "df_same", None, "9", None, "None", "{'packets': 90, 'bytes': 7}"),
    ("changed", "link", "df_tc", "where", "None", None, "lo tcx_ingress", "lo tcx_egress"),
}


def check(w, a, b, what):
    r, got = differences(w, a, b)
    ok(got == WANT and ends(r, 1), what, "missing %s, too much %s\n%s" % (WANT - got, got - WANT, r))
    code = [d for d in r.json if d["change"] == "reloaded"]
    ok([d["name"] for d in code] == ["df_xdp"] and any(x.startswith("+") and "> 0x3e8" in x for x in code[0]["code_diff"]) and
       code[0]["before"] != code[0]["after"], what + ": the changed program, with its instructions", r)


def options(w, a, b):
    r, got = differences(w, a, b, "--ignore", "where", "--ignore", "elements", "--ignore", "tag")
    ok(got == {d for d in WANT if d[3] != "where" and d[4] == "None"} and not any(d["change"] == "reloaded" for d in r.json), "ignored fields", r)
    r = w.run("diff", a, b, "-Q", OURS + " && kind == map && field == max_entries")
    ok(r.text == "! map hash df_flows: max_entries: 64 -> 128\n" and ends(r, 1), "as text", r)
    r = w.run("diff", a, w.dir + "/nothing.tar.gz")
    ok(r.status == 2 and "nothing.tar.gz" in r.errors, "a file that does not exist", r)


def main(w):
    old, new = w.dir + "/old.tar.gz", w.dir + "/new.tar.gz"
    if not load(w, "old", "tcx_ingress", [(1, 10), (2, 20), (3, 30)]):
        return
    w.run("save", old)
    r, got = differences(w, old, "live")
    ok(not r.json and ends(r, 0) and "elements" not in r.errors, "also without contents of maps", r)
    w.run("save", old, "--map-data")
    r, got = differences(w, old, "live")
    ok(not r.json and ends(r, 0), "no difference", r)
    unload(w)
    load(w, "new", "tcx_egress", [(1, 50), (3, 30), (9, 90)])
    w.run("save", new, "--map-data")
    check(w, old, new, "two files")
    check(w, old, "live", "an archive and the machine")
    options(w, old, new)
    unload(w)
    load(w, "new", "tcx_egress", [(1, 50), (3, 30), (9, 90)])
    r, got = differences(w, new, "live")
    ok(not r.json and ends(r, 0), "all objects were loaded again: no difference", r)
    unload(w)


with World() as w:
    main(w)
finish()
