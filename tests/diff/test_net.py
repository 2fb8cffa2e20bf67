#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`net show` compared with the distribution's bpftool: the same plain text, JSON a superset. The differences are below, with the reasons."""
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
import beside  # noqa: E402
from networks import Networks  # noqa: E402
from world import BUILD, Run, World, finish, isolate, ok, skip  # noqa: E402

isolate()
if not shutil.which("bpftool"):
    skip("bpftool is not installed")
    sys.exit(77)

# Removed from the text of bpflens for a bpftool before the version that has it. In addition, in once() and documents(), for all versions: a
# filter of an ingress qdisc is listed once, not again as root, clsact/ingress and clsact/egress; netfilter links are those of one
# namespace, bpftool lists those of all; a flow dissector is an object, because "id": N alone is not JSON.
OURS = [
    ((7, 4), r"(?m)^\S+ (?:tcx|netkit)/.*\n", "", "tcx and netkit"),
    ((7, 3), r"(?s)\nnetfilter:\n.*\Z", "", "the section netfilter"),
    (beside.NEVER, r"(?m)^\S+ \S+ act \[.*\] \n", "", "filters of other kinds, whose actions are BPF"),
]


def prog_id(line):
    m = re.search(r"prog_id (\d+)", line)
    return int(m.group(1)) if m else 0


def once(text, local):
    """The filters of an ingress qdisc without repetitions, and the netfilter links with the programs @local."""
    head, section, links = text.partition("\nnetfilter:\n")
    text = head + section + "".join(line for line in links.splitlines(True) if line == "\n" or prog_id(line) in local)
    seen = set(re.findall(r"(?m)^(\S+) ingress (.*)$", text))
    lines = []
    for line in text.splitlines(True):
        m = re.match(r"(\S+) (?:root|clsact/ingress|clsact/egress) (.*)$", line)
        if not m or (m.group(1), m.group(2)) not in seen:
            lines.append(line)
    return "".join(lines)


def superset(theirs, ours, path=""):
    if isinstance(theirs, dict):
        for k, v in theirs.items():
            yield from superset(v, ours[k], path + "." + k) if k in ours else [path + "." + k + ": missing"]
    elif isinstance(theirs, list):
        if len(theirs) != len(ours):
            yield "%s: %d elements, ours %d" % (path, len(theirs), len(ours))
        for i, (a, b) in enumerate(zip(theirs, ours)):
            yield from superset(a, b, "%s[%d]" % (path, i))
    elif theirs != ours or type(theirs) is not type(ours):
        yield "%s: theirs %r, ours %r" % (path, theirs, ours)


def documents(theirs, ours, local):
    """bpftool's JSON without the differences above; its flow dissector is not valid JSON."""
    them = json.loads(re.sub(r'"flow_dissector":\["id":(\d+)\]', r'"flow_dissector":[{"id":\1}]', theirs.text))
    us = ours.json
    seen = {(t["ifindex"], t.get("id")) for t in them[0]["tc"] if t["kind"] == "ingress"}
    them[0]["tc"] = [t for t in them[0]["tc"] if t["kind"] == "ingress" or (t["ifindex"], t.get("id")) not in seen]
    if "netfilter" in them[0]:
        them[0]["netfilter"] = [t for t in them[0]["netfilter"] if t["id"] in local]
    tcx = beside.VERSION >= (7, 4)
    us[0]["tc"] = [t for t in us[0]["tc"] if (tcx if "prog_flags" in t else t.get("filter") == "bpf")]
    return them, us


def compare(w, n, ns, what, *words, local=()):
    """@local: the programs of the netfilter links that are in this namespace."""
    theirs, ours = Run(n.at(ns) + ["bpftool", "net"] + list(words)), Run(n.at(ns) + [w.lens, "net"] + list(words))
    a, b = once(theirs.text, local).rstrip("\n"), beside.as_theirs(ours.text, OURS).rstrip("\n")
    ok(a == b, what + ": plain", "%s\n---\n%s" % (a, b))
    them, us = documents(Run(n.at(ns) + ["bpftool", "-j", "net"] + list(words)), Run(n.at(ns) + [w.lens, "-j", "net"] + list(words)), local)
    bad = list(superset(them, us))
    ok(not bad, what + ": JSON", "\n".join(bad))


with World() as w, Networks(w) as n:
    w.make(BUILD + "/tests/live/net.bpf.o")
    pin = {f["name"]: "%s/%s" % (w.pins, f["name"]) for f in w.of("prog")}
    for f in w.of("prog"):
        w.run("prog", "pin", "id", f["id"], pin[f["name"]])
    compare(w, n, n.own, "nothing there")
    for ns in (n.own, n.blue):
        n.ip(ns, "link", "set", "lo", "up")
        n.ip(ns, "link", "add", "v0", "type", "veth", "peer", "name", "v1")
        n.ip(ns, "link", "set", "v0", "up")
        n.ip(ns, "link", "set", "v0", "xdpgeneric", "pinned", pin["net_xdp_pass"])
        n.ip(ns, "link", "set", "v1", "xdpdrv", "pinned", pin["net_xdp_drop"])
        n.tc(ns, "qdisc", "add", "dev", "v0", "clsact")
        for side in ("ingress", "egress"):
            for prog in ("net_tc_ok", "net_tc_next"):
                n.tc(ns, "filter", "add", "dev", "v0", side, "bpf", "da", "object-pinned", pin[prog])
        n.tc(ns, "filter", "add", "dev", "v0", "ingress", "bpf", "bytecode", "1,6 0 0 0")
        n.tc(ns, "qdisc", "add", "dev", "v1", "ingress")
        n.tc(ns, "filter", "add", "dev", "v1", "ingress", "bpf", "object-pinned", pin["net_tc_ok"])
        try:
            n.tc(ns, "qdisc", "add", "dev", "v1", "root", "handle", "1:", "htb")
            n.tc(ns, "class", "add", "dev", "v1", "parent", "1:", "classid", "1:10", "htb", "rate", "1mbit")
            n.tc(ns, "filter", "add", "dev", "v1", "parent", "1:10", "bpf", "object-pinned", pin["net_tc_shot"])
            n.tc(ns, "filter", "add", "dev", "v1", "parent", "1:", "bpf", "object-pinned", pin["net_tc_next"])
        except RuntimeError as e:
            skip("htb: " + str(e).splitlines()[-1])
        try:
            n.tc(ns, "filter", "add", "dev", "v0", "egress", "bpf", "object-pinned", pin["net_tc_next"],
                 "action", "bpf", "object-pinned", pin["net_act"])
        except RuntimeError as e:
            skip("act_bpf: " + str(e).splitlines()[-1])
        compare(w, n, ns, "filters in %s" % (n.names[ns] or "this namespace"))
        for dev in ("v0", "v1", "lo"):
            compare(w, n, ns, "dev %s in %s" % (dev, n.names[ns] or "our namespace"), "show", "dev", dev)
    own, blue = ({ident for (kind, _), ident in n.links(ns).items() if kind == "prog"} for ns in (n.own, n.blue))
    compare(w, n, n.own, "links", local=own)
    compare(w, n, n.blue, "links in blue:", local=blue)
finish()
