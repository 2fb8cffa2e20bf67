#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holders on a small machine with known answers: two containers and a service with tail calls, maps in maps and pins in two mounts, and
objects of a process that has ended. why, orphans, graph and mem; live and from an archive."""
import ctypes
import json
import os
import re
import signal
import struct
import subprocess

from rawbpf import bpf, link_create, map_create, map_update, object_id, pin, pinned, prog_attach, prog_load
from world import World, finish, isolate, ok, skip

isolate(alone="who reads an object is one of its holders")
HASH, ARRAY, PROG_ARRAY, ARRAY_OF_MAPS = 1, 2, 3, 12
CGROUP_INGRESS, FLOW_DISSECTOR, XDP = 0, 17, 37
NEW_MOUNTS, MULTI = 0x20000, 2
AGENT, WEB = "0a1b" * 16, "c2d3" * 16  # ids of containers


class Maker:
    """A process that creates objects, and reports their ids."""

    def __init__(self):
        self.fd, self.made = {}, []

    def add(self, kind, name, fd):
        self.fd[name] = fd
        self.made.append((kind, name, object_id(fd)))
        return fd

    def prog(self, name, kind, value=0, **kw):
        maps = [self.fd[m] for m in kw.pop("maps", ())]
        return self.add("prog", name, prog_load(kind, name, value, maps=maps, **kw))

    def map(self, name, kind=HASH, entries=8, value=64):
        return self.add("map", name, map_create(kind, 4, value, entries, name))

    def drop(self, *names):
        for name in names:
            os.close(self.fd.pop(name))


def agent(m, s):
    """Tail calls to programs without another holder; a map that is pinned in a mount of this process only."""
    if ctypes.CDLL(None).unshare(NEW_MOUNTS) or subprocess.run(["mount", "-t", "bpf", "bpf", s.far]).returncode:
        raise OSError("no mount namespace")
    m.map("sc_calls", PROG_ARRAY, 4, 4)
    m.map("sc_flows", entries=100)
    m.map("sc_conf", ARRAY, 10)
    m.prog("sc_entry", "xdp", 2, maps=["sc_conf"], calls=m.fd["sc_calls"])
    m.prog("sc_parse", "xdp", 2, maps=["sc_flows"])
    m.prog("sc_drop", "xdp", 1)
    for slot, name in ((0, "sc_parse"), (3, "sc_drop")):
        map_update(m.fd["sc_calls"], struct.pack("<I", slot), struct.pack("<I", m.fd[name]))
    m.add("link", "sc_xdp", link_create(m.fd["sc_entry"], 1, XDP))
    pin(m.fd["sc_conf"], s.far + "/sc_conf")
    m.drop("sc_parse", "sc_drop", "sc_flows")


def web(m, s):
    """Maps in a map, and the other container's map; a link that a pin also holds."""
    for name in ("sc_in0", "sc_in1"):
        m.map(name, entries=16)
    m.add("map", "sc_outer", bpf(0, struct.pack("<IIIIIII16s", ARRAY_OF_MAPS, 4, 4, 4, 0, m.fd["sc_in0"], 0, b"sc_outer").ljust(160, b"\0")))
    for slot, name in ((1, "sc_in0"), (2, "sc_in1")):
        map_update(m.fd["sc_outer"], struct.pack("<I", slot), struct.pack("<I", m.fd[name]))
    m.map("sc_stat", ARRAY, 300)
    m.fd["sc_conf"] = pinned(s.there + "/sc_conf")
    m.prog("sc_count", "cgroup_skb", 1, maps=["sc_conf", "sc_outer", "sc_stat"])
    m.fd["at"] = os.open(s.cgroups["web"], os.O_RDONLY)
    m.add("link", "sc_count_link", link_create(m.fd["sc_count"], m.fd["at"], CGROUP_INGRESS))
    pin(m.fd["sc_count_link"], s.w.pins + "/sc_count")
    m.drop("sc_in0", "sc_in1", "sc_outer", "sc_stat", "sc_conf", "sc_count")


def service(m, s):
    m.prog("sc_idle", "socket_filter")
    m.map("sc_alone")


def gone(m, s):
    """All that a process can leave loaded."""
    m.map("sc_left")
    m.prog("sc_pinned", "socket_filter", maps=["sc_left"])
    pin(m.fd["sc_pinned"], s.w.pins + "/sc_pinned")
    m.map("sc_lost")
    pin(m.fd["sc_lost"], s.there + "/sc_lost")
    m.prog("sc_kept", "flow_dissector")
    net = os.open("/proc/self/ns/net", os.O_RDONLY)
    m.add("link", "sc_kept_link", link_create(m.fd["sc_kept"], net, FLOW_DISSECTOR))
    pin(m.fd["sc_kept_link"], s.w.pins + "/sc_kept")
    m.map("sc_seen")
    m.prog("sc_attached", "cgroup_skb", 1, maps=["sc_seen"])
    prog_attach(m.fd["sc_attached"], os.open(s.cgroups["gone"], os.O_RDONLY), CGROUP_INGRESS, MULTI)


class Scene:
    def __init__(self, w):
        self.w, self.far = w, w.dir + "/far"
        self.id, self.kind, self.pid, self.ends, self.dirs = {}, {}, {}, [], []
        top = w.cgroup + ".slice"  # units are below slices only
        self.cgroups = {"agent": top + "/system.slice/docker-%s.scope" % AGENT, "web": top + "/kubepods.slice/cri-containerd-%s.scope" % WEB,
                        "service": top + "/system.slice/lens-scene.service", "gone": w.cgroup + "/gone"}
        os.mkdir(self.far)

    def __enter__(self):
        above = sorted({os.path.dirname(p) for p in self.cgroups.values()} - {self.w.cgroup})
        for path in [self.w.cgroup + ".slice"] + above + sorted(self.cgroups.values()):
            os.mkdir(path)
            self.dirs.append(path)
        for name, make in (("agent", agent), ("web", web), ("service", service), ("gone", gone)):
            self.start(name, make)
            self.there = "/proc/%d/root%s" % (self.pid["agent"], self.far)
        os.close(self.ends.pop())
        os.waitpid(self.pid.pop("gone"), 0)
        return self

    def start(self, name, make):
        """A process that holds its objects until its pipe is closed, at the latest when this process ends."""
        said, say = os.pipe()
        wait, end = os.pipe()
        pid = os.fork()
        if not pid:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            for fd in self.ends + [said, end]:
                os.close(fd)
            m = Maker()
            try:
                for path, text in ((self.cgroups[name] + "/cgroup.procs", str(os.getpid())), ("/proc/self/comm", "lens-" + name)):
                    with open(path, "w") as f:
                        f.write(text)
                make(m, self)
                os.write(say, json.dumps(m.made).encode())
                os.close(say)
                os.read(wait, 1)
            finally:
                os._exit(0)
        os.close(say)
        os.close(wait)
        self.ends.append(end)
        self.pid[name] = pid
        with os.fdopen(said) as f:
            made = f.read()
        ok(made, "the objects of %s" % name)
        for kind, what, ident in json.loads(made or "[]"):
            self.id[what], self.kind[what] = ident, kind

    def __exit__(self, *unused):
        for end in self.ends:
            os.close(end)
        for pid in self.pid.values():
            os.waitpid(pid, 0)
        for path in reversed(self.dirs):
            os.rmdir(path)

    def process(self, name):
        return "lens-%s(%d)" % (name, self.pid[name])

    def called(self, title):
        """Replace the titles of objects by names; links and attachments get names here."""
        kind, _, rest = title.partition(" ")
        number = rest.split(" ")[0]
        for name, ident in self.id.items():
            if kind == self.kind[name] and number == str(ident):
                return name
        return title


KEPT = {"agent": {"sc_xdp", "sc_entry", "sc_calls", "sc_parse", "sc_drop", "sc_flows", "sc_conf"},
        "web": {"sc_count_link", "sc_count", "sc_conf", "sc_outer", "sc_in0", "sc_in1", "sc_stat"}, "service": {"sc_idle", "sc_alone"}}
PINNED = {"far": {"sc_conf", "sc_lost"},
          "here": KEPT["web"] | {"sc_pinned", "sc_left", "sc_kept_link", "sc_kept"}}
USED = {"sc_entry": KEPT["agent"] - {"sc_xdp"}, "sc_parse": {"sc_parse", "sc_flows"}, "sc_drop": {"sc_drop"}, "sc_count": KEPT["web"] - {"sc_count_link"},
        "sc_idle": {"sc_idle"}, "sc_pinned": {"sc_pinned", "sc_left"}, "sc_kept": {"sc_kept"}, "sc_attached": {"sc_attached", "sc_seen"}}


def whys(s):
    """Steps of why by names, and the commands that it prints."""
    far, here = "pin " + s.there, "pin " + s.w.pins
    agent, web = s.process("agent"), s.process("web")
    entry = [("sc_entry", agent), ("sc_entry", "sc_xdp"), ("sc_xdp", agent)]
    calls = [("sc_calls", "sc_entry"), ("sc_calls", agent)] + entry
    count = [("sc_count", "sc_count_link"), ("sc_count_link", here + "/sc_count"), ("sc_count_link", web)]
    kill = "kill %d"
    ends = ["bpflens link unpin %s/sc_count" % s.w.pins, kill % s.pid["web"]]
    end = [kill % s.pid["agent"]]
    gone = s.cgroups["gone"]
    return {
        "sc_drop": ([("sc_drop", "sc_calls")] + calls, end),
        "sc_flows": ([("sc_flows", "sc_parse"), ("sc_parse", "sc_calls")] + calls, end),
        "sc_in1": ([("sc_in1", "sc_outer"), ("sc_outer", "sc_count")] + count, ends),
        "sc_conf": ([("sc_conf", "sc_entry"), ("sc_conf", "sc_count"), ("sc_conf", far + "/sc_conf"), ("sc_conf", agent)] + entry + count,
                    ends + ["bpflens map unpin %s/sc_conf" % s.there] + end),
        "sc_alone": ([("sc_alone", s.process("service"))], ["systemctl stop lens-scene.service"]),
        "sc_left": ([("sc_left", "sc_pinned"), ("sc_pinned", here + "/sc_pinned")], ["bpflens prog unpin %s/sc_pinned" % s.w.pins]),
        "sc_lost": ([("sc_lost", far + "/sc_lost")], ["bpflens map unpin %s/sc_lost" % s.there]),
        "sc_kept": ([("sc_kept", "sc_kept_link"), ("sc_kept_link", here + "/sc_kept")], ["bpflens link unpin %s/sc_kept" % s.w.pins]),
        "sc_seen": ([("sc_seen", "sc_attached"), ("sc_attached", gone + " cgroup_inet_ingress")],
                    ["bpflens detach %s cgroup_inet_ingress id %d" % (gone, s.id["sc_attached"])]),
    }


def check_why(s, ask, what):
    for name, (kept, let_go) in whys(s).items():
        r = ask("-j", "why", s.kind[name], s.id[name])
        got = [(s.called(x["object"]), s.called(x["kept_by"])) for x in r.json]
        ok(sorted(got) == sorted(kept) and {x["remedy"] for x in r.json if "remedy" in x} == set(let_go), "%s: why %s" % (what, name), "%s\n%s" % (sorted(kept), r))


def check_orphans(s, ask, what):
    mine = "name =~ '^sc_'"
    unused, gone, pins = "pinned, without a user", s.cgroups["gone"], s.w.pins
    detach = "bpflens detach %s cgroup_inet_ingress id %d" % (gone, s.id["sc_attached"])
    want = {("prog", "sc_idle", "no place runs it", s.process("service")): [], ("map", "sc_alone", "no program uses it", s.process("service")): [],
            ("prog", "sc_pinned", unused, "pin %s/sc_pinned" % pins): ["bpflens prog unpin %s/sc_pinned" % pins],
            ("map", "sc_lost", unused, "pin %s/sc_lost" % s.there): ["bpflens map unpin %s/sc_lost" % s.there],
            ("attachment", "sc_attached", "no process or pin holds its program", None): []}
    r = ask("-j", "orphans", "-Q", mine)
    got = {(x["kind"], x["name"], x["orphan"], x.get("kept_by")): x.get("commands", []) for x in r.json}
    ok(got == want and len(r.json) == len(want), what + ": orphans", "%s\n%s" % (want, got))
    runs = [x for x in r.json if x["state"] == "runs"]
    ok([(x["name"], x["where"], x["type"]) for x in runs] == [("sc_attached", gone, "cgroup_inet_ingress")], what + ": what runs without a process", r)
    commands = sorted(c for cs in want.values() for c in cs)
    r = ask("orphans", "--commands", "-Q", mine)
    ok(sorted(r.text.splitlines()) == commands, what + ": the commands that would remove them", r)
    r = ask("orphans", "--commands", "--attached", "-Q", mine)
    ok(sorted(r.text.splitlines()) == sorted(commands + [detach]), what + ": and those that would end what runs", r)


def edges(s):
    """All holders, with what they hold."""
    agent, web, service = (s.process(p) for p in ("agent", "web", "service"))
    slots = ["map:%d[%d]" % (s.id["sc_calls"], n) for n in (0, 3)]
    return {(agent, "sc_entry"), (agent, "sc_calls"), (agent, "sc_conf"), (agent, "sc_xdp"), (s.there + "/sc_conf", "sc_conf"), ("sc_xdp", "sc_entry"),
            ("sc_xdp", "lo xdpgeneric"), ("lo xdpgeneric", "sc_entry"), ("sc_entry", "sc_calls"), ("sc_entry", "sc_conf"), ("sc_calls", slots[0]),
            ("sc_calls", slots[1]), (slots[0], "sc_parse"), (slots[1], "sc_drop"), ("sc_parse", "sc_flows"),
            (web, "sc_count_link"), (s.w.pins + "/sc_count", "sc_count_link"), ("sc_count_link", "sc_count"), ("sc_count_link", s.cgroups["web"]),
            (s.cgroups["web"], "sc_count"), ("sc_count", "sc_conf"), ("sc_count", "sc_outer"), ("sc_count", "sc_stat"), ("sc_outer", "sc_in0"),
            ("sc_outer", "sc_in1"), (service, "sc_idle"), (service, "sc_alone"), (s.w.pins + "/sc_pinned", "sc_pinned"), ("sc_pinned", "sc_left"),
            (s.there + "/sc_lost", "sc_lost"), (s.w.pins + "/sc_kept", "sc_kept_link"), ("sc_kept_link", "netns flow_dissector"),
            ("sc_kept_link", "sc_kept"), ("netns flow_dissector", "sc_kept"), (s.cgroups["gone"], "sc_attached"), ("sc_attached", "sc_seen")}


def node_name(s, n):
    for name, ident in s.id.items():
        if (n["kind"], n["id"]) == (s.kind[name], ident):
            return name
    if n["kind"] == "process":
        return "%s(%d)" % (n["name"], n["id"])
    return n["name"] + (" " + n["type"] if n["kind"] == "attachment" and n["name"] in ("lo", "netns") else "")


def check_graph(s, ask, what):
    r = ask("-j", "graph", "-Q", "name =~ '^sc_'")
    by_number = {n["node"]: n for n in r.json}
    got = {(node_name(s, n), node_name(s, by_number[h["to"]])) for n in r.json for h in n.get("holds", ()) if h["keeps"]}
    ok(got == edges(s), what + ": graph", "too many: %s\nmissing: %s" % (sorted(got - edges(s)), sorted(edges(s) - got)))
    placed = {n["name"]: (n.get("process_unit"), n.get("process_container"), n["process_cgroup"].startswith("/") and n["process_cgroup"].split("/")[-1])
              for n in r.json if n["kind"] == "process"}
    units = {p: os.path.basename(c) for p, c in s.cgroups.items()}
    want = {"lens-agent": (units["agent"], AGENT, units["agent"]), "lens-web": (units["web"], WEB, units["web"]),
            "lens-service": (units["service"], None, units["service"])}
    ok(placed == want, what + ": units and containers of processes", placed)
    owners = {node_name(s, n): n["component_owner"] for n in r.json if "component_owner" in n}
    # Both containers have sc_conf.
    ok(owners["sc_in1"] == owners["sc_drop"] == "container %s: %s +1" % (AGENT[:12], s.process("agent")) and
       owners["sc_alone"] == "lens-scene.service: " + s.process("service") and owners["sc_left"] == "pin %s/sc_pinned" % s.w.pins and
       owners["sc_seen"] == "nobody; %s cgroup_inet_ingress" % s.cgroups["gone"], what + ": owners", owners)


def sizes_of(s, ask):
    """The memory of objects; links have none."""
    sizes = {x["name"]: x["bytes"] for x in ask("-j", "mem", "-Q", "name =~ '^sc_'").json}
    return {**sizes, **{n: 0 for n in s.id if s.kind[n] == "link"}}


def sums_of(s, ask, by, groups):
    """{group: (its numbers, what they are made of)}, and the sums."""
    sizes, r = sizes_of(s, ask), ask("-j", "mem", "--by", by)
    rows = {x["sum_of"].split("/")[-1] if by == "cgroup" else x["sum_of"]: x for x in r.json if x.get("sum_of")}
    ret = {}
    for group, names in groups.items():
        shared = {n for n in names if any(n in more for other, more in groups.items() if other != group)}
        want = (len(names), sum(sizes[n] for n in names), sum(sizes[n] for n in shared),
                sum(sizes[n] // sum(n in more for more in groups.values()) for n in names))
        ret[group] = tuple(rows.get(group, {}).get(c, 0) for c in ("nr_objects", "bytes", "bytes_shared", "bytes_share")), want
    return ret, r


def near(got, want):
    """A program's part of its page of machine code may be another one in each reading."""
    return got[0] == want[0] and all(abs(a - b) <= 4096 * want[0] for a, b in zip(got, want))


def check_sums(s, ask, by, groups, what):
    """@groups: the names of the objects of each group, for the whole scene; a cgroup has the last part of its name."""
    for _ in range(10):  # machine code shares pages with that of other programs, which come and go
        found, r = sums_of(s, ask, by, groups)
        if all(got == want for got, want in found.values()):
            break
    for group, (got, want) in found.items():
        ok(got == want or what == "live" and near(got, want), "%s: mem --by %s: %s" % (what, by, re.sub(r"^.*(/.*/)", r"\1", group)[:60]),
           "%s instead of %s\n%s" % (got, want, r))


def check_mem(s, ask, what):
    r = ask("-j", "mem", "-Q", "name =~ '^sc_'")
    sizes, named = {x["name"]: x["bytes"] for x in r.json}, {n for n in s.id if s.kind[n] != "link"}
    ok(set(sizes) == named and len(r.json) == len(named) and all(sizes.values()), what + ": mem", r)
    homes = {os.path.basename(s.cgroups[p]): names for p, names in KEPT.items()}
    check_sums(s, ask, "process", {s.process(p): names for p, names in KEPT.items()}, what)
    check_sums(s, ask, "unit", homes, what)
    check_sums(s, ask, "container", {AGENT: KEPT["agent"], WEB: KEPT["web"]}, what)
    check_sums(s, ask, "cgroup", homes, what)
    check_sums(s, ask, "pin", {s.there: PINNED["far"], s.w.pins: PINNED["here"]}, what)
    check_sums(s, ask, "program", {"%d %s" % (s.id[p], p): names for p, names in USED.items()}, what)


def check(s, ask, what):
    check_why(s, ask, what)
    check_orphans(s, ask, what)
    check_graph(s, ask, what)
    check_mem(s, ask, what)


def main(w):
    saved = w.dir + "/scene.tar.gz"
    with Scene(w) as s:
        ok(len(s.id) == 22, "objects, in addition to five pins and three processes", s.id)
        check(s, w.run, "live")
        r = w.run("save", saved)
        ok(r.status == 0, "save", r)
    check(s, lambda *args: w.run("--from", saved, *args), "saved")


with World() as w:
    if w.cgroup:
        main(w)
    else:
        skip("cgroups cannot be created here")
finish()
