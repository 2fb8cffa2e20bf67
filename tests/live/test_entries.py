#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Numbers of elements of maps: as many as a dump prints, and as many as were pushed; live and saved."""

from world import World, finish, isolate, ok, skip

isolate()
ASK = ["-j", "map", "list", "-o", "id,name,type,max_entries,entries,fill"]


def compare(w):
    r = w.run(*ASK)
    if not ok(r.status == 0, "the numbers of elements of all maps", r):
        return
    mine = [m for m in r.json if m["id"] in w.ids("map") and m["name"] != "exits"]
    wrong, counted = [], 0
    for m in mine:
        dump = w.run("-j", "map", "dump", "id", m["id"])
        if dump.status or m["type"] == "arena":  # pages are not elements
            continue
        elems = dump.json if m["type"] in ("array", "percpu_array") else [
            e for e in dump.json if not isinstance(e.get("value"), dict) or "error" not in e["value"]]
        counted += 1
        if m.get("entries") != len(elems) or ("fill" in m and m["fill"] != len(elems) * 100 // m["max_entries"]):
            wrong.append("%s: %s elements" % (m, len(elems)))
    ok(not wrong and counted > 20, "%d maps have as many as a dump prints" % counted, "\n".join(wrong))
    ok(all("entries" not in m for m in w.run("-j", "map", "show").json), "elements are only counted on request")
    listed = {m["id"]: m for m in mine}
    shown = [m for m in w.run("-j", "map", "show", "-o", "+entries,fill").json if m["id"] in listed]
    ok(len(shown) == len(mine) and all(m.get(k) == listed[m["id"]].get(k) for m in shown for k in ("entries", "fill")),
       "show of all maps, on request", shown)
    for one in [m for m in mine if m["name"] in ("h_many", "ringbuf", "arr_6")]:
        r = w.run("-j", "map", "show", "id", one["id"], "-o", "+entries,fill")
        full = w.run("-j", "map", "show", "id", one["id"]).json
        want = dict(full, **{k: one[k] for k in ("entries", "fill") if k in one})
        ok(r.json == want, "show of one map, " + one["name"], r)
        r = w.run("map", "show", "id", one["id"], "-o", "+entries,fill")
        line = "\tentries %d  fill %d percent\n" % (one["entries"], one["fill"]) if "entries" in one else ""
        ok(r.text == w.run("map", "show", "id", one["id"]).text + line, "plain, " + one["name"], r)
    r = w.run("map", "show", "-o", "entries")
    ok(r.status == 2 and "-o +entries" in r.errors and "list -o entries" in r.errors, "show without +", r)
    r = w.run("save", w.dir + "/a")
    ok(r.status in (0, 5), "save", r)
    r = w.run("--from", w.dir + "/a", *ASK)
    ok([m for m in r.json if m["id"] in {x["id"] for x in mine}] == mine, "they are saved, too", r)


def queues(w):
    for name, push, pops, want in (("queue", 3, 2, 1), ("stack", 4, 0, 4), ("queue", 0, 0, 0)):
        path = "%s/%s%d" % (w.pins, name, push)
        made = w.run("map", "create", path, "type", name, "value", 4, "entries", 4, "name", "n")
        if made.status:
            skip("a %s cannot be created here: %s" % (name, made.errors.strip()))
            continue
        for _ in range(push):
            w.run("map", "push", "pinned", path, "value", 1)
        for _ in range(pops):
            w.run("map", "pop", "pinned", path)
        for _ in range(pops):       # across the end of its memory
            w.run("map", "push", "pinned", path, "value", 1)
            w.run("map", "pop", "pinned", path)
        r = w.run("-j", "map", "list", "pinned", path, "-o", "entries,fill")
        got = r.json[0] if isinstance(r.json, list) else r.json
        if not got:
            skip("this kernel does not report the number of elements in a " + name)
            continue
        ok(got == {"entries": want, "fill": want * 25}, "a %s of 4 with %d in it" % (name, want), r)


with World() as w:
    queues(w)
    w.make()
    compare(w)
finish()
