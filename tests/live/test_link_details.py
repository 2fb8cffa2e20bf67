#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Links show their places by name in addition to numbers: devices, namespaces, functions of files."""
from networks import Networks
from world import World, finish, isolate, ok, skip

isolate()


def show(w, ident):
    return w.run("-j", "link", "show", "id", ident).json


def devices(w, n, facts):
    """Links of another namespace, in which lo has the same number as here."""
    for name in ("xdp", "tcx_in"):
        r = show(w, facts[n.blue]["link", name])
        known = "netns_ino" in r
        if not known:
            skip("the kernel does not report the namespace of " + name)
            continue
        ok(r["netns_ino"] == n.blue and r["netns_name"] == "blue" and r["devname"] == "lo" and r["attach_to"] == "blue:lo(1)",
           name + " of a namespace with a name", r)
        r = show(w, facts[n.red]["link", name])
        ok(r["netns_ino"] == n.red and "netns_name" not in r and r["attach_to"] == "%d:lo(1)" % n.red, name + " of one without", r)
        r = show(w, w.one("link", name)["id"])
        ok(r["netns_ino"] == n.own and r["attach_to"] == "lo(1)" and r["devname"] == "lo", name + " of ours", r)


def netfilter(w, n, facts):
    told = {ns: show(w, facts[ns]["link", "nf4"]) for ns in (n.blue, n.red) if ("link", "nf4") in facts[ns]}
    if not told or "netns_ino" not in told[n.blue]:
        return skip("the kernel does not report netfilter links or their namespaces")
    ok(told[n.blue]["attach_to"] == "blue:ip input prio -128" and told[n.red]["attach_to"] == "%d:ip input prio -128" % n.red,
       "netfilter links of other namespaces are distinguished", told)
    plain = w.run("link", "show", "id", told[n.blue]["id"]).text
    ok("blue:ip input" in plain, "also in plain text", plain)


def namespaces(w, n, facts):
    r = show(w, facts[n.blue]["link", "netns_lookup"])
    ok(r["netns_name"] == "blue" and r["attach_to"] == "netns %d (blue)" % n.blue, "a namespace's link has its name", r)
    r = show(w, w.one("link", "netns_lookup")["id"])
    ok("netns_name" not in r and r["attach_to"] == "netns %d (ours)" % n.own, "ours", r)


def functions(w):
    f = w.one("link", "uprobe")
    if f and "file" in show(w, f["id"]):
        r = show(w, f["id"])
        ok(r["symbol"] == "probed_one" and r["attach_to"] == f["path"] + ":probed_one", "uprobe: the function", r)
        table = w.run("link", "list", "id", f["id"], "-o", "symbol", "--noheadings").text
        ok(table == "probed_one\n", "as a column", table)
    else:
        skip("the kernel does not report details of uprobe links")
    f = w.one("link", "umulti")
    if f and "funcs" in show(w, f["id"]):
        r = show(w, f["id"])
        ok(r["funcs"][0]["symbol"].startswith("probed_"), "uprobe_multi: the functions", r)
        multi_places(w, r)
    else:
        skip("the kernel does not report details of uprobe_multi links")


def multi_places(w, r):
    """The link is found by each of its functions, and what would be detached is counted."""
    places = ["%s:%s" % (r["path"], f["symbol"]) for f in r["funcs"]] + ["%s:%#x" % (r["path"], f["offset"]) for f in r["funcs"]]
    what = "uretprobe_multi" if r["retprobe"] else "uprobe_multi"
    for place in places:
        found = [a for a in w.run("-j", "ls", place).json if a.get("link_id") == r["id"]]
        ok(len(found) == 1 and found[0]["func_cnt"] == len(r["funcs"]), "ls finds it at %s" % place, found)
    for flag in ([], ["--dry-run"]):
        r2 = w.run("detach", places[0], what, "id", r["prog_id"], *flag)
        ok(r2.status == 1 and b"link %d at %d functions: uprobe_multi links cannot be detached" % (r["id"], len(r["funcs"])) in r2.err,
           "detach counts its functions", r2)


with World() as w:
    w.make()
    with Networks(w) as n:
        facts = {ns: n.links(ns) for ns in (n.blue, n.red)}
        devices(w, n, facts)
        netfilter(w, n, facts)
        namespaces(w, n, facts)
        functions(w)
finish()
