#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`net attach`, `net detach`, and `attach`, `detach` at places of the network: in this network namespace and in another one."""
import os
import signal
import subprocess

from networks import Networks
from world import BUILD, Run, World, finish, isolate, number, ok, skip, until

isolate()
ROUNDS = number("LOOPS", 20)  # the kernel waits after each change of a device


def ids(w, *words):
    return [(r["what"], r["prog_id"]) for r in sorted(w.run("-j", "net", "list", *(words + ("-o", "what,prog_id,order"))).json,
                                                       key=lambda r: r.get("run_order", 0))]


def xdp(w, dev, a, b, tc):
    att = lambda *words: w.run("net", "attach", *words)
    det = lambda *words: w.run("net", "detach", *words)
    ok(att("xdp", "id", a, "dev", dev, "--dry-run").text.startswith("would attach") and not ids(w, "dev", dev), "xdp: dry run")
    r = att("xdp", "id", a, "dev", dev)
    ok(not r.status and not r.out and ids(w, "dev", dev) == [("xdpdrv", a)], "xdp: the kernel chooses the driver", r)
    r = att("xdp", "id", b, "dev", dev)
    ok(r.status == 1 and "runs program %d" % a in r.errors and "overwrite" in r.errors, "xdp: without overwrite nothing is replaced", r)
    r = att("xdpgeneric", "id", b, "dev", dev)
    ok(r.status == 1 and "Native and generic XDP can't be active at the same time" in r.errors, "xdp: the kernel's message", r)
    r = w.run("-j", "net", "attach", "xdp", "id", b, "dev", dev, "overwrite")
    ok(not r.status and (r.json["prog_id"], r.json["replaced"], r.json["replaced_name"]) == (b, a, "net_xdp_pass"), "xdp: the replaced program is reported", r)
    r = att("xdp", "id", tc, "dev", dev, "overwrite")
    ok(r.status == 1 and "of type sched_cls" in r.errors, "xdp: other types are refused", r)
    r = det("xdpgeneric", "dev", dev)
    ok(not r.status and "nothing was attached" in r.errors, "xdp: nothing was attached", r)
    ok(det("xdp", "dev", dev, "prog", "id", a).status == 3, "xdp: another program is attached")
    ok(det("xdpdrv", "dev", dev, "--dry-run").text.startswith("would detach") and ids(w, "dev", dev) == [("xdpdrv", b)], "xdp: dry run of detach")
    r = det("xdpdrv", "dev", dev)
    ok(not r.status and not ids(w, "dev", dev) and "detached program %d" % b in r.errors, "xdp: detached", r)
    pin = w.pins + "/net_attach"
    ok(not att("xdp", "id", a, "dev", dev, "--link", pin).status and ids(w, "dev", dev) == [("xdpdrv", a)], "xdp: with a pinned link")
    r = att("xdp", "id", b, "dev", dev, "overwrite", "--link", pin + "2")
    ok(r.status == 1 and not os.path.exists(pin + "2"), "xdp: a link replaces nothing", r)
    r = det("xdp", "dev", dev)
    ok(r.status == 1 and "link" in r.errors, "xdp: a link is not detached by the device", r)
    w.run("link", "unpin", pin)
    ok(until(lambda: not ids(w, "dev", dev)), "xdp: the link is gone with its pin")


def ordered(w, dev, a, b, c, hook):
    att = lambda *words: w.run("net", "attach", hook, "id", *(words[:1] + ("dev", dev) + words[1:]))
    there = lambda: [i for what, i in ids(w, "dev", dev) if what == hook]
    r = att(a)
    if r.status and "Invalid argument" in r.errors:
        return skip(hook + ": not supported by this kernel")
    ok(there() == [a], hook + ": attached", r)
    att(b, "prepend")
    ok(there() == [b, a], hook + ": prepend")
    att(c, "before", "id", a)
    ok(there() == [b, c, a], hook + ": before")
    ok(att(c).status == 1, hook + ": not twice")
    w.run("net", "detach", hook, "dev", dev, "prog", "id", b)
    ok(there() == [c, a], hook + ": detach names the program")
    att(b, "after", "id", c)
    ok(there() == [c, b, a], hook + ": after")
    w.run("net", "detach", hook, "dev", dev, "prog", "id", c)
    revision = [t["revision"] for t in w.run("-j", "net", "show", "dev", dev).json[0]["tc"]][0]
    r = att(c, "first", "revision", revision + 1)
    ok(r.status == 1 and "has changed" in r.errors and there() == [b, a], hook + ": another revision", r)
    ok(not att(c, "first", "revision", revision).status and there() == [c, b, a], hook + ": the current revision")
    r = att(w.spare, "overwrite")
    ok(r.status == 1 and "3 programs" in r.errors, hook + ": the program to replace must be given", r)
    r = w.run("net", "detach", hook, "dev", dev)
    ok(there() == [c, b] and "detached program %d" % a in r.errors, hook + ": the last one, and it is reported", r)
    w.run("net", "detach", hook, "dev", dev)
    r = att(a, "overwrite")
    ok(there() == [a] and "replaced program %d" % c in r.errors, hook + ": replaced", r)
    pin = w.pins + "/net_link"
    ok(not att(b, "first", "--link", pin).status and there() == [b, a], hook + ": with a link, first")
    link = [t["link_id"] for t in w.run("-j", "net", "show", "dev", dev).json[0]["tc"] if t["prog_id"] == b][0]
    ok(not att(c, "after_link", "id", link).status and there() == [b, c, a], hook + ": after a link")
    r = w.run("net", "detach", hook, "dev", dev, "prog", "id", b)
    ok(r.status == 1 and "link %d" % link in r.errors, hook + ": a link is not detached by the device", r)
    w.run("link", "unpin", pin)
    for p in (c, a):
        w.run("net", "detach", hook, "dev", dev, "prog", "id", p)
    ok(until(lambda: not there()) and w.run("net", "detach", hook, "dev", dev).status == 3, hook + ": nothing is left")


def places(w, n, prefix, progs):
    """The general verbs at other hooks, with the words that `ls` prints."""
    a, b = progs["net_tc_ok"], progs["net_tc_next"]
    ls = lambda: {(r["where"], r["what"]) for r in w.run("-j", "ls", "net", "-o", "where,what,prog").json
                  if r["prog_id"] in progs.values() and not r["where"].startswith(n.names[n.green])}
    for what in ("tc_ingress", "tc_egress"):
        r = w.run("attach", "id", a, "to", prefix + "w0", what)
        ok(not r.status and (prefix + "w0", what) in ls(), "attach %s: as a filter" % what, r)
        ok(w.run("attach", "id", a, "to", prefix + "w0", what).status == 1, "attach %s: not twice" % what)
        w.run("attach", "id", b, "to", prefix + "w0", what)
        r = w.run("detach", prefix + "w0", what)
        ok(r.status == 1 and "several" in r.errors, "detach %s: an ambiguous place" % what, r)
        ok(not w.run("detach", prefix + "w0", what, "id", a).status and (prefix + "w0", what) in ls(), "detach %s: the given program" % what)
        r = w.run("detach", prefix + "w0", what)
        ok(not r.status and (prefix + "w0", what) not in ls(), "detach %s: the other one" % what, r)
    flow, flow2 = progs["net_flow"], progs["net_flow_two"]
    r = w.run("attach", "id", flow, "to", prefix + "netns", "flow_dissector")
    ok(not r.status and (prefix + "netns", "flow_dissector") in ls(), "attach flow_dissector", r)
    ok(w.run("attach", "id", flow2, "to", prefix + "netns", "flow_dissector").status == 1, "flow_dissector: without overwrite nothing is replaced")
    r = w.run("attach", "id", flow2, "to", prefix + "netns", "flow_dissector", "overwrite")
    ok(not r.status and "in place of %d" % flow in r.text, "flow_dissector: the replaced program is reported", r)
    r = w.run("detach", prefix + "netns", "flow_dissector")
    ok(not r.status and not ls(), "detach flow_dissector", r)
    for prog, where, what in (("net_lookup", "netns", "sk_lookup"), ("net_filter", "ip/input/-128", "netfilter"), ("net_flow", "netns", "flow_dissector")):
        if prog not in progs:
            skip("%s: not supported by this kernel" % what)
            continue
        if what != "flow_dissector":
            r = w.run("attach", "id", progs[prog], "to", prefix + where, what)
            ok(r.status == 2 and "--link" in r.errors, what + ": only with a link", r)
        pin = w.pins + "/place"
        r = w.run("attach", "id", progs[prog], "to", prefix + where, what, "--link", pin)
        ok(not r.status and (prefix + where, what) in ls(), "attach %s with a link" % what, r)
        r = w.run("detach", prefix + where, what)
        ok(not r.status and not ls() and not os.path.exists(pin), "detach %s" % what, r)
    p = subprocess.Popen([w.lens, "attach", "id", str(a), "to", prefix + "w0", "tcx_ingress", "hold"], stdout=subprocess.PIPE)
    line = p.stdout.readline()
    ok((prefix + "w0", "tcx_ingress") in ls(), "hold: as long as the command runs", line)
    p.send_signal(signal.SIGINT)
    p.communicate()
    ok(until(lambda: not ls()), "hold: and no longer")


def ingress(w, n, tc):
    """A device with the older ingress qdisc: the kernel would attach egress filters to incoming packets."""
    n.ip(n.own, "link", "add", "w1", "type", "veth", "peer", "name", "w1p")
    if Run(n.at(n.own) + ["tc", "qdisc", "add", "dev", "w1", "ingress"]).status:
        skip("the ingress qdisc is not supported here")
        return
    for more in (["--dry-run"], []):
        r = w.run("attach", "id", tc, "to", "w1", "tc_egress", *more)
        ok(r.status == 1 and "ingress qdisc" in r.errors and not w.run("-j", "ls", "net", "-Q", 'where == "w1"').json,
           "an ingress qdisc does not have egress", r)
    r = w.run("attach", "id", tc, "to", "w1", "tc_ingress")
    rows = w.run("-j", "ls", "net", "-Q", 'where == "w1"').json
    ok(not r.status and [x["what"] for x in rows] == ["tc_ingress"], "an ingress qdisc accepts ingress filters", r)
    r = w.run("detach", "w1", "tc_ingress")
    ok(not r.status and not w.run("-j", "ls", "net", "-Q", 'where == "w1"').json, "and they can be detached", r)


def loop(w, at):
    """Attach everywhere, list, replace everywhere, list, detach everywhere, list."""
    bad = []

    def step(i, commands, want):
        failed = [r for r in (w.run(*c) for c in commands) if r.status]
        rows = w.run("-j", "net", "list", "--all", "-o", "where,what,prog_id").json
        got = [[x["prog_id"] for x in rows if (x["where"], x["what"]) == (where, hook)] for where, hook, a, b in at]
        if failed or got != want:
            bad.append("round %d: %s, want %s\n%s" % (i, got, want, "\n".join(str(r) for r in failed)))

    for i in range(ROUNDS):
        step(i, [("attach", "id", a, "to", where, hook) for where, hook, a, b in at], [[a] for where, hook, a, b in at])
        step(i, [("attach", "id", b, "to", where, hook, "overwrite") for where, hook, a, b in at], [[b] for where, hook, a, b in at])
        step(i, [("net", "detach", hook, "dev", where) if hook != "flow_dissector" else ("detach", where, hook) for where, hook, a, b in at],
             [[] for unused in at])
    ok(not bad, "%d rounds of attach, list, replace, list, detach, list at %d places" % (ROUNDS, len(at)), "\n".join(bad[:2]))


with World() as w, Networks(w) as n:
    w.make(BUILD + "/tests/live/net.bpf.o")
    progs = {f["name"]: f["id"] for f in w.of("prog")}
    elsewhere = n.links(n.green)  # this libbpf is too old to load netfilter programs
    if ("prog", "l_netfilter") in elsewhere:
        progs["net_filter"] = elsewhere["prog", "l_netfilter"]
    for ns in (n.own, n.blue):
        n.ip(ns, "link", "add", "w0", "type", "veth", "peer", "name", "w0p")
        n.ip(ns, "link", "set", "w0", "up")
    a, b, tc = progs["net_xdp_pass"], progs["net_xdp_drop"], progs["net_tc_ok"]
    w.spare = progs["net_tc_spare"]
    xdp(w, "w0", a, b, tc)
    for hook in ("tcx_ingress", "tcx_egress"):
        ordered(w, "w0", tc, progs["net_tc_next"], progs["net_tc_shot"], hook)
    netkit = not subprocess.run(["ip", "link", "add", "kit0", "type", "netkit"], stderr=subprocess.DEVNULL).returncode
    for hook in ("netkit_primary", "netkit_peer"):
        if netkit:
            ordered(w, "kit0", tc, progs["net_tc_next"], progs["net_tc_shot"], hook)
        else:
            skip(hook + ": netkit devices are not supported here")
    places(w, n, "", progs)
    places(w, n, "blue:", progs)
    ingress(w, n, tc)
    r = w.run("net", "attach", "xdp", "id", a, "dev", "green:w0")
    ok(r.status == 3 and "no network namespace green" in r.errors, "a namespace that does not exist", r)
    r = w.run("net", "attach", "xdp", "id", a, "dev", "blue:nope")
    ok(r.status == 3, "a device that does not exist", r)
    r = w.run("net", "attach", "xdp", "id", a, "dev", "%d:w0" % n.blue)
    ok(not r.status and ids(w, "--all", "-Q", 'where == "blue:w0"') == [("xdpdrv", a)], "a namespace by its number", r)
    w.run("net", "detach", "xdp", "dev", "blue:w0")
    for words in (("multi",), ("preorder",), ("cookie", "5"), ("first",), ("revision", "7")):
        r = w.run("net", "attach", "xdp", "id", a, "dev", "w0", *words)
        ok(r.status == 2 and not ids(w, "dev", "w0"), "xdp does not have %s" % words[0], r)
    at = [("w0", "xdpdrv", a, b), ("blue:w0", "xdpgeneric", a, b), ("blue:netns", "flow_dissector", progs["net_flow"], progs["net_flow_two"])]
    if not w.run("net", "attach", "tcx_egress", "id", tc, "dev", "w0").status:
        w.run("net", "detach", "tcx_egress", "dev", "w0")
        at.append(("w0", "tcx_egress", tc, progs["net_tc_next"]))
    loop(w, at)
    left = lambda: [r for r in w.run("-j", "net", "list", "--all", "-o", "where,what,prog_id").json
                    if r.get("prog_id") in progs.values() and not r["where"].startswith(n.names[n.green])]
    ok(until(lambda: not left()), "nothing is left", left())
finish()
