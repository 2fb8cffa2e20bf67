#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""With -j, a verb prints what it did as a record with the keys of `schema`; in the bpftool personality it prints null, and no text."""
import os
import subprocess

from world import Run, World, finish, isolate, ok


def told(w, title, args, **want):
    r = w.run("-j", *args)
    if not ok(r.status == 0 and isinstance(r.json, (dict, list)), title + ": a record", r):
        return {}
    rec = r.json[0] if isinstance(r.json, list) else r.json
    ok(all(rec.get(k) == v for k, v in want.items()) and rec["dry_run"] is False and set(rec) <= keys, title + ": the change", "%s\n%s" % (want, r))
    return rec


def silent(w, bpftool, what, args, undo):
    """There is no text, and bpftool's JSON is null."""
    r = w.run(*args)
    ok(r.status == 0 and not r.out, what + ": no text", r)
    w.run(*undo)
    r = Run([bpftool, "-j"] + [str(a) for a in args])
    ok(r.status == 0 and r.out == b"null\n", what + ": as bpftool null", r)
    w.run(*undo)


isolate()
with World() as world:
    w = world
    schema = w.run("-j", "schema", "map", "update").json
    keys = set(schema["$defs"]["change"]["properties"])
    bpftool = w.dir + "/bpftool"
    os.symlink(w.lens, bpftool)
    pin = w.pins + "/changes"
    create = ["map", "create", pin, "type", "hash", "key", 4, "value", 4, "entries", 8, "name", "changes"]
    m = told(w, "map create", create, action="created", kind="map", name="changes", type="hash", path=pin)
    ident = m.get("map_id", 0)
    ok(ident and ident == w.run("-j", "map", "show", "pinned", pin).json["map_id"], "map create: its id", m)
    for words, flags in (("no_prealloc", 1), ("rdonly_prog,BPF_F_NO_PREALLOC", 0x81), ("no_prealloc,0x80", 0x81), ("0x81", 0x81)):
        r = w.run(*create[:2], pin + "f", *create[3:], "flags", words)
        flagged = w.run("-j", "map", "show", "pinned", pin + "f")
        ok(r.status == 0 and flagged.json["flags"] == flags, "map create flags " + words, "%s\n%s" % (r, flagged))
        w.run("map", "unpin", pin + "f")
    silent(w, bpftool, "map create", create[:2] + [pin + "2"] + create[3:], ["map", "unpin", pin + "2"])
    r = told(w, "map update", ["map", "update", "id", ident, "key", 1, "value", 5], action="wrote to", kind="map", map_id=ident)
    ok("before" not in r and "after" in r, "map update: of a new element", r)
    first = r.get("after")
    r = told(w, "map update", ["map", "update", "id", ident, "key", 1, "value", 6], action="wrote to", map_id=ident, before=first)
    silent(w, bpftool, "map update", ["map", "update", "id", ident, "key", 2, "value", 5], ["map", "delete", "id", ident, "key", 2])
    told(w, "map delete", ["map", "delete", "id", ident, "key", 1], action="deleted from", map_id=ident, before=r.get("after"))
    r = w.run("-j", "map", "delete", "id", ident, "key", 1)
    ok(r.status == 3 and set(r.json) >= {"error", "errno"}, "a missing element is an error", r)
    told(w, "map pin", ["map", "pin", "id", ident, pin + "b"], action="pinned", kind="map", map_id=ident, path=pin + "b")
    silent(w, bpftool, "map pin", ["map", "pin", "id", ident, pin + "c"], ["map", "unpin", pin + "c"])
    told(w, "map unpin", ["map", "unpin", pin + "b"], action="removed", kind="map", map_id=ident, path=pin + "b")
    told(w, "map freeze", ["map", "freeze", "id", ident], action="froze", map_id=ident)
    r = w.run("-j", "map", "update", "id", ident, "key", 1, "value", 5)
    ok(r.status == 4 and "error" in r.json, "a frozen map: nothing was written, and no record", r)
    r = w.run("-j", "map", "create", pin + "q", "type", "queue", "value", 4, "entries", 4, "name", "changesq")
    r = told(w, "map push", ["map", "push", "pinned", pin + "q", "value", 7], action="wrote to")
    ok("before" not in r, "map push: nothing was replaced", r)
    r = w.run("-j", "map", "pop", "pinned", pin + "q")
    ok(r.json is not None and "value" in r.json, "map pop: the element", r)
    w.make()
    prog = w.one("prog", "l_xdp")["id"]
    attach = ["net", "attach", "xdpgeneric", "id", prog, "dev", "lensch", "overwrite"]
    subprocess.run(["ip", "link", "add", "lensch", "type", "veth", "peer", "name", "lensch1"], check=True)  # in the test's network namespace
    told(w, "net attach", attach, action="attached", prog_id=prog, where="lensch", what="xdpgeneric", name="l_xdp")
    told(w, "net detach", ["net", "detach", "xdpgeneric", "dev", "lensch"], action="detached", prog_id=prog, where="lensch", what="xdpgeneric")
    silent(w, bpftool, "net attach", attach, ["net", "detach", "xdpgeneric", "dev", "lensch"])
    told(w, "prog pin", ["prog", "pin", "id", prog, pin + "p"], action="pinned", kind="prog", prog_id=prog)
    r = w.run("prog", "unpin", os.path.dirname(pin))
    ok(r.status == 1 and "is a directory" in r.errors and "`prog unpin -r %s`" % os.path.dirname(pin) in r.errors, "unpin DIR names -r", r)
    r = w.run("-j", "batch", "file", "-", input=("prog unpin %sp\n" % pin).encode())
    ok(r.status == 0 and r.json[0]["output"][0]["action"] == "removed", "in a batch", r)
finish()
