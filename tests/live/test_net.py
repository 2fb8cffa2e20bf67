#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs on the network in four network namespaces: `net show`, `net list`, `ls`, each program exactly once."""
import collections
import json
import os
import signal
import socket
import subprocess

from networks import Networks
from world import BUILD, Run, World, finish, isolate, ok, skip

isolate()
OBJECT = BUILD + "/tests/live/net.bpf.o"


def tried(f, *words):
    try:
        f(*words)
        return True
    except RuntimeError as e:
        skip("not supported here: %s: %s" % (" ".join(str(x) for x in words[1:6]), str(e).strip().splitlines()[-1]))
        return False


class Expected:
    """What was attached: {(ns, where, what): names of programs in run order}."""

    def __init__(self):
        self.at = collections.defaultdict(list)

    def add(self, ns, where, what, prog):
        self.at[ns, where, what].append(prog)


def filters(w, n, e, ns, dev, pin):
    """clsact with several filters on one device, an ingress qdisc on its peer, htb with classes."""
    tc = lambda *words: n.tc(ns, *words)
    bpf = lambda prog: ["bpf", "da", "object-pinned", pin[prog]]
    tc("qdisc", "add", "dev", dev, "clsact")
    tc("filter", "add", "dev", dev, "ingress", "pref", "5", "protocol", "ip", "handle", "7", *bpf("net_tc_ok"))
    tc("filter", "add", "dev", dev, "ingress", "pref", "5", "protocol", "ip", "handle", "8", *bpf("net_tc_next"))
    tc("filter", "add", "dev", dev, "ingress", "pref", "9", "chain", "3", *bpf("net_tc_shot"))
    tc("filter", "add", "dev", dev, "egress", *bpf("net_tc_ok"))
    for prog in ("net_tc_ok", "net_tc_next", "net_tc_shot"):
        e.add(ns, dev, "tc_ingress", prog)
    e.add(ns, dev, "tc_egress", "net_tc_ok")
    tc("qdisc", "add", "dev", dev + "p", "ingress")
    tc("filter", "add", "dev", dev + "p", "ingress", *bpf("net_tc_ok"))
    e.add(ns, dev + "p", "tc_ingress", "net_tc_ok")
    if not tried(n.tc, ns, "qdisc", "add", "dev", dev, "root", "handle", "1:", "htb"):
        return
    tc("class", "add", "dev", dev, "parent", "1:", "classid", "1:10", "htb", "rate", "1mbit")
    tc("filter", "add", "dev", dev, "parent", "1:10", "bpf", "object-pinned", pin["net_tc_shot"], "classid", "1:10")
    tc("filter", "add", "dev", dev, "parent", "1:", "pref", "2", "bpf", "object-pinned", pin["net_tc_next"])
    e.add(ns, dev, "tc", "net_tc_shot")
    e.add(ns, dev, "tc", "net_tc_next")
    tc("filter", "add", "dev", dev, "egress", "protocol", "ip", "pref", "60", "u32", "match", "u32", "0", "0", "flowid", "1:10")


def actions(w, n, e, ns, dev, pin):
    if not tried(n.tc, ns, "actions", "add", "action", "bpf", "object-pinned", pin["net_act"], "index", "77"):
        return
    e.add(ns, "action/77", "tc_action", "net_act")
    n.tc(ns, "filter", "add", "dev", dev, "egress", "pref", "70", "protocol", "ip", "u32", "match", "u32", "0", "0",
         "action", "bpf", "object-pinned", pin["net_act"], "index", "78")
    e.add(ns, dev, "tc_action", "net_act")


def fill(w, n, e, ns, dev, pin):
    n.ip(ns, "link", "add", dev, "type", "veth", "peer", "name", dev + "p")
    n.ip(ns, "link", "set", dev, "up")
    n.ip(ns, "link", "set", dev, "xdpgeneric", "pinned", pin["net_xdp_pass"])
    e.add(ns, dev, "xdpgeneric", "net_xdp_pass")
    n.ip(ns, "link", "set", dev + "p", "xdpdrv", "pinned", pin["net_xdp_drop"])
    e.add(ns, dev + "p", "xdpdrv", "net_xdp_drop")
    filters(w, n, e, ns, dev, pin)
    actions(w, n, e, ns, dev, pin)


LINKS = [("xdp", "lo", "xdpgeneric", "l_xdp"), ("tcx_in", "lo", "tcx_ingress", "l_tc"), ("tcx_out", "lo", "tcx_egress", "l_tc"),
         ("netns_lookup", "netns", "sk_lookup", "l_sk_lookup"), ("netns_flow", "netns", "flow_dissector", "l_flow"),
         ("netkit", "lensnk0", "netkit_primary", "l_tc"), ("netkit_peer", "lensnk0", "netkit_peer", "l_tc"),
         ("nf4", "ip/input/-128", "netfilter", "l_netfilter"), ("nf6", "ip6/postrouting/300", "netfilter", "l_netfilter")]


def of_links(n, e, ns, links):
    for link, where, what, prog in LINKS:
        if ("link", link) in n_facts[ns]:
            e.add(ns, where, what, prog)


def compare(what, rows, e, n, column, prefixed=True):
    """Rows with where, what, order, and the program's name in @column."""
    found = collections.defaultdict(list)
    for r in sorted(rows, key=lambda r: r.get("run_order", 0)):
        ns = r.get("netns_ino")
        if ns not in n.names:
            continue
        prefix = n.names[ns] if prefixed else ""
        if not r["where"].startswith(prefix):
            ok(False, what + ": the namespace is shown", r)
        where = r["where"][len(prefix):]
        if r.get(column):  # only the actions of a filter of another kind are shown
            found[ns, where, r["what"]].append(r[column])
        for a in r.get("act", []):
            found[ns, where, "tc_action"].append(a["prog_name"])
    missing = {k: v for k, v in e.at.items() if sorted(found.get(k, [])) != sorted(v)}
    more = {k: v for k, v in found.items() if k not in e.at}
    ok(not missing and not more, what + ": each program exactly once",
       "expected %s\nfound %s\nmore %s" % (missing, {k: found.get(k) for k in missing}, more))


def churn(w, n):
    """Devices come and go during lists: those that stay are in each list once."""
    words = "".join("link add c%d type veth peer name d%d\n" % (i, i) for i in range(40)) + "".join("link del c%d\n" % i for i in range(40))
    loop = subprocess.Popen(n.at(n.blue) + ["sh", "-c", 'while echo "$1"; do :; done | ip -force -batch -', "sh", words],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    bad = []
    try:
        for _ in range(60):
            r = Run(n.at(n.blue) + [w.lens, "-j", "net", "show"])
            seen = sorted((x["devname"], x.get("id")) for x in r.json[0]["xdp"])
            if r.status or len(seen) != 2 or [d for d, _ in seen] != ["v0", "v0p"]:
                bad.append(str(r))
    finally:
        os.killpg(loop.pid, signal.SIGKILL)
        loop.wait()
    ok(not bad, "60 lists while devices come and go", "\n".join(bad[:2]))


def hidden(w, n, flow):
    """Namespaces that only a socket holds, or a mount in another mount namespace."""
    sock, ino = n.elsewhere(lambda: (socket.socket(socket.AF_INET, socket.SOCK_DGRAM), os.stat("/proc/self/ns/net").st_ino))
    path = w.dir + "/hidden"
    open(path, "w").close()
    there = subprocess.Popen(["unshare", "-m", "sh", "-c", 'unshare --net="$1" true; stat -c %i "$1"; read x', "sh", path],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for ns, keeper in ((ino, "a socket"), (int(there.stdout.readline()), "a mount elsewhere")):
        where = "%d:netns" % ns
        a = w.run("attach", "id", flow, "to", where, "flow_dissector")
        rows = w.run("-j", "ls", "net", "-Q", 'where == "%s"' % where).json
        d = w.run("detach", where, "flow_dissector")
        ok(not a.status and not d.status and [r["prog_id"] for r in rows] == [flow], "a namespace that %s holds" % keeper, "%s\n%s\n%s" % (a, rows, d))
    sock.close()
    there.communicate()
    ok(w.run("attach", "id", flow, "to", "%d:netns" % ino, "flow_dissector").status == 3, "and that ends with it")


with World() as w, Networks(w) as n:
    w.make(OBJECT)
    pin = {}
    for f in w.of("prog"):
        pin[f["name"]] = "%s/%s" % (w.pins, f["name"])
        r = w.run("prog", "pin", "id", f["id"], pin[f["name"]])
        ok(not r.status, "pin " + f["name"], r)
    e = Expected()
    n_facts = {}
    for ns in (n.own, n.blue, n.red):
        n.ip(ns, "link", "set", "lo", "up")
        fill(w, n, e, ns, "v0", pin)
    for ns in (n.own, n.green):
        n_facts[ns] = n.links(ns)
        of_links(n, e, ns, n_facts[ns])

    everything = w.run("-j", "net", "list", "--all", "-o", "where,what,prog_id,prog_name,order,netns_ino,link_id,devname,act")
    compare("net list --all", everything.json, e, n, "prog_name")
    for ns in (n.own, n.blue, n.red, n.green):
        r = Run(n.at(ns) + [w.lens, "-j", "net", "list", "-o", "where,what,prog_name,order,netns_ino,link_id,act"])
        here = Expected()
        here.at = {k: v for k, v in e.at.items() if k[0] == ns}
        compare("net list in %s" % (n.names[ns] or "ours"), r.json, here, n, "prog_name", prefixed=False)

    places = w.run("-j", "ls", "net", "-o", "where,what,prog_id,prog_name,run_order,netns_ino,link_id")
    compare("ls", places.json, e, n, "prog_name")

    # Links are distinguished by their namespaces, although all else is the same.
    for ns in (n.own, n.green):
        for link, where, what, prog in LINKS:
            if ("link", link) not in n_facts[ns]:
                continue
            got = [r["link_id"] for r in everything.json if r["netns_ino"] == ns and r["what"] == what and
                   r["where"] == n.names[ns] + where]
            ok(got == [n_facts[ns]["link", link]], "link of %s %s in %s" % (where, what, n.names[ns] or "ours"), got)

    doc = w.run("-j", "net", "show")
    ok(len(doc.json) == 1 and doc.json[0]["netns_ino"] == n.own, "net show shows this namespace", doc)
    s = doc.json[0]
    tc = [t for t in s["tc"] if t["devname"] == "v0"]
    want = {"prog_name": "net_tc_next", "pref": 5, "protocol": "ip", "handle": "0x8", "chain": 0, "direct_action": True,
            "kind": "clsact/ingress", "filter": "bpf"}
    got = [t for t in tc if t.get("handle") == "0x8"]
    ok(len(got) == 1 and want.items() <= got[0].items() and len(got[0]["tag"]) == 16, "facts of a filter", got)
    ok([t["chain"] for t in tc if t.get("prog_name") == "net_tc_shot" and t["kind"] != "htb"] == [3], "chain of a filter", tc)
    if any(t["kind"] == "htb" for t in tc):
        got = {(t["parent"], t.get("classid")) for t in tc if t["kind"] == "htb"}
        ok(got == {("1:10", "1:10"), ("1:0", None)}, "classes of filters", got)
    if any(k[2] == "flow_dissector" for k in e.at):
        ok([f["prog_name"] for f in s["flow_dissector"]] == ["l_flow"], "flow_dissector is JSON", s["flow_dissector"])
    one = w.run("-j", "net", "show", "dev", "v0p").json[0]
    ok({d["devname"] for d in one["xdp"] + one["tc"]} == {"v0p"}, "dev limits xdp and tc", one)
    ok(w.run("net", "show", "dev", "nope").status == 3, "a device that does not exist")
    ok(w.run("net", "show", "--all", "dev", "nope").status == 3, "a device that is in no namespace")
    ok(w.run("-j", "net", "list").json == doc.json, "list as JSON is show")
    for more in ([], ["--no-load"]):
        lines = w.run(*more, "--ndjson", "net", "show", "--all").text.splitlines()
        ok({n.own, n.blue, n.red, n.green} <= {json.loads(line)["netns_ino"] for line in lines},
           "NDJSON: one line per namespace " + " ".join(more), lines)
    r = w.as_user("net", "show")
    ok(r.status in (4, 5) and b"Operation not permitted" in r.err and b"netfilter:" in r.out, "without privilege: what is readable is shown, the rest is named", r)
    hidden(w, n, next(f["id"] for f in w.of("prog") if f["name"] == "net_flow"))
    churn(w, n)
finish()
