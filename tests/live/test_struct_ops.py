#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""struct_ops: the list and the dump show the created table, and an archive shows the same."""
from world import World, finish, isolate, ok, skip

isolate()


def shown(w, fact):
    r = w.run("-j", "struct_ops", "show", "id", fact["id"])
    o = r.json[0] if ok(r.status == 0 and len(r.json) == 1, "show: an array of one", r) else {}
    ok(o.get("name") == "lens_cc" and o.get("kernel_struct_ops") == "tcp_congestion_ops", "name and struct", o)
    progs = {p["member"]: p for p in o.get("programs", [])}
    ok({m: p["prog_name"] for m, p in progs.items()} ==
       {"ssthresh": "lens_ssthresh", "cong_avoid": "lens_avoid", "undo_cwnd": "lens_undo"}, "its programs", o)
    ok(o.get("state") in ("ready", "inuse"), "its state", o)
    links = [o["id"] for o in w.run("-j", "link").json if o["type"] == "struct_ops" and o.get("map_id") == fact["id"]]
    ok(o.get("link_ids") == links, "its links", "%s %s" % (o, links))
    r = w.run("struct_ops", "show", "name", "lens_cc")
    ok("%d: %-15s %-32s\n" % (fact["id"], "lens_cc", "tcp_congestion_ops") in r.text, "plain", r)
    r = w.run("struct_ops", "list", "-Q", "id == %d" % fact["id"], "-o", "id,state,link_ids,programs", "--noheadings")
    ok(str(fact["id"]) in r.text and "ssthresh=%d" % progs["ssthresh"]["prog_id"] in r.text, "a table", r)
    ok(fact["id"] in [m["id"] for m in w.run("-j", "struct_ops").json], "in the list of all")
    return progs


def dumped(w, fact, progs):
    r = w.run("-j", "struct_ops", "dump", "id", fact["id"])
    if not ok(r.status == 0 and len(r.json) == 2, "dump: two elements", r):
        return
    info, value = r.json
    ok(info["bpf_map_info"]["id"] == fact["id"] and info["bpf_map_info"]["name"] == "lens_cc", "the kernel's description", info)
    data = value["bpf_struct_ops_tcp_congestion_ops"]["data"]
    ok(data["ssthresh"].endswith("(struct sock *) lens_ssthresh/prog_id:%d" % progs["ssthresh"]["prog_id"]), "a program", data)
    ok(data["set_state"] == "void (struct sock *, u8) 0" and data["name"] == fact["cc"], "an operation that is not set", data)
    ok(value["id"] == fact["id"], "the table shows its map", value)
    r = w.run("--ndjson", "struct_ops", "dump", "id", fact["id"])
    ok(r.text.count("\n") == 1 and '"bpf_map_info"' in r.text and '"bpf_struct_ops_tcp' in r.text, "one line", r)
    r = w.run("struct_ops", "dump")
    ok(r.status == 0 and "lens_ssthresh/prog_id:%d" % progs["ssthresh"]["prog_id"] in r.text, "plain, all", r)


def refused(w):
    other = w.one("map", "h_4_4")
    for verb in ("show", "dump"):
        r = w.run("struct_ops", verb, "name", "h_4_4")
        ok(r.status == 3 and "no struct_ops map with name 'h_4_4'" in r.errors, verb + ": a map of another type by name", r)
        r = w.run("-j", "struct_ops", verb, "id", other["id"])
        ok(r.status != 0 and "struct_ops map" in r.json["error"], verb + ": a map of another type by id", r)


def saved(w, fact):
    path = w.dir + "/a.tar.gz"
    w.run("save", path)
    for args in (["-j", "struct_ops", "show", "id", fact["id"]], ["struct_ops", "dump", "id", fact["id"]],
                 ["-j", "struct_ops", "dump", "id", fact["id"]]):
        live, old = w.run(*args), w.run("--from", path, *args)
        ok(old.status == 0 and live.out == old.out, "the same from an archive: " + " ".join(str(a) for a in args[:-1]), old)


with World() as w:
    w.make()
    lens = w.one("map", "lens_cc")
    state = lens and w.run("-j", "struct_ops", "show", "id", lens["id"]).json[0].get("state")
    if state == "init":
        skip("this kernel loads the table and refuses to register it")
    elif lens:
        found = shown(w, lens)
        if found:
            dumped(w, lens, found)
        refused(w)
        saved(w, lens)
    else:
        skip("struct_ops maps cannot be created here")
finish()
