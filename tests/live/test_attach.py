#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""attach, ls, update and detach at every type of place, repeatedly, alone and together with 200 other processes; nothing is left attached.

BPFLENS_LOOPS is the number of rounds, 5 by default; BPFLENS_PROCESSES the number of other processes, for slow machines.
"""
import os
import shutil
import subprocess
import time

import events
import rawbpf
from networks import Networks
from world import STRACE, Run, World, finish, isolate, number, ok, skip, strict_json

isolate(alone="a link that another command reads does not end with its pin")
LOOPS = number("LOOPS", 5)
PROCESSES = number("PROCESSES", 60)
ME = os.getpid()


class Place:
    """WHERE WHAT; two programs that can run there; how to attach; whether the link can be updated."""

    def __init__(self, w, kind, where, what, attach_type=0, value=0, pin=False, update=False, words=()):
        self.where, self.what, self.update, self.words = where, what, update, list(words)
        self.name = "%s %s%s" % (what, where, " by a link" if pin else "")
        self.fds = [rawbpf.prog_load(kind, "at%d_%d" % (i, ME), value, attach_type) for i in range(2)]
        self.ids = [rawbpf.object_id(fd) for fd in self.fds]
        self.pin = "%s/at_%s_%d" % (w.pins, what, self.ids[0]) if pin else None
        self.key = (where, what)

    def attach(self, i, *more):
        return ["attach", "id", self.ids[i], "to", self.where, self.what] + self.words + (["--link", self.pin] if self.pin else []) + list(more)

    def change(self):
        """Replace program 0 by program 1."""
        return ["link", "update", "pinned", self.pin, "id", self.ids[1]] if self.update else None

    def detach(self, i):
        return ["detach", self.where, self.what, "id", self.ids[i]]


def places(w, n):
    socks, progs = rawbpf.map_create(15, 4, 4, 8, "at_socks"), rawbpf.map_create(3, 4, 4, 256, "at_tails")
    sockmap, slots = rawbpf.object_id(socks), rawbpf.object_id(progs)
    for ns in (n.own, n.blue):
        n.ip(ns, "link", "add", "atv", "type", "veth", "peer", "name", "atw")
    exe = os.path.realpath("/proc/self/exe")
    wanted = [
        ("xdp", "atv", "xdpgeneric", 0, 2, {}), ("xdp", "atw", "xdpdrv", 37, 2, dict(pin=True, update=True)),
        ("xdp", "blue:atv", "xdpgeneric", 0, 2, {}), ("sched_cls", "atv", "tcx_ingress", 0, 0, {}),
        ("sched_cls", "atv", "tcx_egress", 0, 0, dict(pin=True, update=True)), ("sched_cls", "blue:atw", "tcx_egress", 0, 0, {}),
        ("sched_cls", "atv", "tc_ingress", 0, 0, {}), ("netfilter", "ip/input/-77", "netfilter", 45, 1, dict(pin=True)),
        ("sk_lookup", "netns", "sk_lookup", 36, 1, dict(pin=True, update=True)), ("flow_dissector", "blue:netns", "flow_dissector", 17, 0, {}),
        ("socket_filter", "map:%d[7]" % slots, "prog_array", 0, 0, {}),
        ("sk_skb", "map:%d" % sockmap, "sk_skb_stream_verdict", 0, 1, {}), ("sk_skb", "map:%d" % sockmap, "sk_skb_stream_parser", 0, 0, {}),
        ("raw_tracepoint", "sched_process_hang", "raw_tracepoint", 0, 0, dict(pin=True)),
        ("tracepoint", "sched:sched_process_hang", "tracepoint", 0, 0, dict(pin=True)),
        ("kprobe", "%s:%#x" % (exe, events.code_in(exe)), "uprobe", 0, 0, dict(pin=True)), ("kprobe", "do_nanosleep", "kprobe", 0, 0, dict(pin=True)),
    ]
    if w.cgroup:
        own = w.cgroup + "/at"
        os.mkdir(own)
        wanted += [("cgroup_skb", own, "cgroup_inet_egress", 1, 1, dict(words=["multi"])),
                   ("cgroup_skb", own, "cgroup_inet_ingress", 0, 1, dict(pin=True, update=True)),
                   ("cgroup_sock_addr", own, "cgroup_inet6_connect", 11, 1, dict(words=["override"]))]
    made = []
    for kind, where, what, attach_type, value, more in wanted:
        try:
            made.append(Place(w, kind, where, what, attach_type, value, **more))
        except OSError as e:
            skip("%s %s: no such program: %s" % (where, what, e))
    return made, (socks, progs), slots


def usable(w, all_places):
    """The places that this kernel supports; each is tried once, with its messages."""
    found = []
    for p in all_places:
        dry = w.run("-j", *p.attach(0, "--dry-run"))
        r = w.run("-j", *p.attach(0))
        if r.status:
            known = any(s in r.text + r.errors for s in ("has no", "not supported", "does not support", "No such file", "Function not implemented", "no function", "no tracepoint", "CONFIG_",
                                                "Invalid argument"))
            if known and dry.status == r.status or known and p.what in ("kprobe", "netfilter"):
                skip("%s: not on this kernel: %s" % (p.name, r.json["error"]))
            else:
                ok(False, p.name + ": attach", r)
            continue
        ok(dry.status == 0 and dry.json["dry_run"] is True, p.name + ": --dry-run reported success", dry)
        ok(r.json["prog_id"] == p.ids[0] and r.json["name"] == "at0_%d" % ME and (r.json.get("link_id", 0) > 0) == bool(p.pin), p.name + ": attach", r)
        listed = [a for a in w.run("-j", "ls").json if a.get("prog_id") in p.ids]
        if not ok(len(listed) == 1 and listed[0]["what"] == p.what, p.name + ": in ls, once", listed):
            continue
        p.listed = (listed[0]["where"], listed[0]["what"])
        p.where = listed[0]["where"]
        dry = w.run("-j", *p.detach(0), "--dry-run")
        ok(dry.status == 0 and dry.json["dry_run"] is True and w.run("-j", "ls", "at0_%d" % ME).json, p.name + ": detach --dry-run", dry)
        r = w.run("-j", *p.detach(0))
        left = [a for a in w.run("-j", "ls").json if a.get("prog_id") in p.ids]
        if ok(r.status == 0 and r.json["prog_id"] == p.ids[0] and not left and not (p.pin and os.path.exists(p.pin)), p.name + ": detach", r):
            found.append(p)
    return found


def batch(w, commands):
    text = "\n".join(" ".join(str(x) for x in c) for c in commands) + "\n"
    r = w.run("-j", "batch", "file", "-", input=text.encode())
    return r, r.json if r.status == 0 else None


def state(listed, all_places):
    ids = {i for p in all_places for i in p.ids}
    return sorted((a["where"], a["what"], a["prog_id"]) for a in listed if a.get("prog_id") in ids)


def loop(w, all_places):
    """All places at once: attachments at one place do not hide those at another."""
    first = sorted((p.where, p.what, p.ids[0]) for p in all_places)
    second = sorted((p.where, p.what, p.ids[1] if p.update else p.ids[0]) for p in all_places)
    started, rounds = time.time(), 0
    for rounds in range(1, LOOPS + 1):
        changes = [p.change() for p in all_places if p.update]
        steps = [p.attach(0) for p in all_places] + [["ls"]] + changes + [["ls"]]
        steps += [p.detach(1 if p.update else 0) for p in all_places] + [["ls"]]
        r, done = batch(w, steps)
        if done is None:
            ok(False, "round %d" % rounds, r)
            return
        lists = [d["output"] for d in done if d["command"] == ["ls"]]
        good = [state(listed, all_places) for listed in lists] == [first, second, []]
        if not good or any(p.pin and os.path.exists(p.pin) for p in all_places):
            ok(False, "round %d: the list is right" % rounds, "\n".join(str(state(listed, all_places)) for listed in lists))
            return
    ok(True, "%d rounds of attach, list, update, detach, list at %d places, nothing left" % (rounds, len(all_places)))
    print("# %.1f s" % (time.time() - started))


def differences(want, have):
    return [x for x in want if x not in have], [x for x in have if x not in want] if isinstance(have, list) else have


def parallel(w, n, all_places, slots):
    """Others attach and detach; attachments that stay are in every list once, and every list is a valid document."""
    for p in all_places:
        w.run(*p.attach(0))
    stays = state(w.run("-j", "ls").json, all_places)
    tail, tc = rawbpf.prog_load("socket_filter", "par_%d" % ME), rawbpf.prog_load("sched_cls", "par_%d" % ME)
    skb = rawbpf.prog_load("cgroup_skb", "par_%d" % ME, 1, 1)
    ids = {kind: rawbpf.object_id(fd) for kind, fd in (("tail", tail), ("tc", tc), ("skb", skb))}
    scripts, dirs = [], []
    for i in range(PROCESSES):
        where, words = ("map:%d[%d]" % (slots, 20 + i), "prog_array"), ids["tail"]
        if i % 4 == 1 and w.cgroup:
            dirs.append("%s/at/p%d" % (w.cgroup, i))
            os.mkdir(dirs[-1])
            where, words = (dirs[-1], "cgroup_inet_egress"), ids["skb"]
        elif i % 4 == 2:
            n.ip(n.own, "link", "add", "par%d" % i, "type", "veth")
            where, words = ("par%d" % i, "tcx_ingress"), ids["tc"]
        scripts.append('for i in 1 2 3; do "$0" attach id %d to %s %s && "$0" detach %s %s || exit; done' % (words, *where, *where))
    running = [subprocess.Popen(["sh", "-c", s, w.lens], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for s in scripts]
    lists, wrong = 0, []
    while not lists or any(p.poll() is None for p in running):
        r = w.run("-j", "ls")
        lists += 1
        try:
            now = state(strict_json(r.out), all_places)
        except ValueError as e:
            now = str(e)
        if now != stays or r.status:
            wrong.append("status %d, %s\nmissing %s\ntoo many %s" % (r.status, r.errors, *differences(stays, now)))
    failed = [p.stderr.read().decode() for p in running if p.wait()]
    ok(not failed, "%d processes attach and detach" % PROCESSES, "%d failed: %s" % (len(failed), failed[:3]))
    ok(not wrong, "%d lists meanwhile, each complete and valid" % lists, "\n".join(wrong[:2]))
    left = [a for a in w.run("-j", "ls").json if a.get("prog_id") in ids.values()]
    ok(not left, "nothing of them is left", left[:3])
    for p in all_places:
        w.run(*p.detach(0))
    ok(not state(w.run("-j", "ls").json, all_places), "nor of those that stayed")


def refusals(w):
    tc = rawbpf.prog_load("sched_cls", "re_%d" % ME)
    ident = rawbpf.object_id(tc)
    for words, status, text in (
            (["attach", "id", ident, "to", "atv", "tcx_ingres"], 2, "similar: tcx_ingress"),
            (["attach", "id", ident, "to", "no_such_dev", "tcx_ingress"], 3, "no_such_dev"),
            (["attach", "id", ident, "to", "map:1[0]", "tcx_ingress"], 3, "map"),
            (["detach", "atv", "tcx_ingress"], 3, "nothing is attached"),
            (["detach", "link", "id", 4294967200], 3, "no link"),
            (["attach", "id", ident, "to", "atv", "tcx_ingress", "first", "last"], 2, "the run order")):
        r = w.run(*words)
        ok(r.status == status and text in r.errors, "refused: " + " ".join(map(str, words[:6])), r)
    other = rawbpf.prog_load("sched_cls", "rf_%d" % ME)
    for fd in (tc, other):
        r = w.run("attach", rawbpf.object_id(fd), "to", "atv", "tcx_ingress")
        ok(r.status == 0, "two at one place", r)
    r = w.run("detach", "atv", "xdp")
    ok(r.status == 3 and "there is tcx_ingress program %d" % rawbpf.object_id(tc) in r.errors, "attachments at another hook of the place are named", r)
    r = w.run("detach", "atv", "tcx_ingress")
    ok(r.status == 1 and "re_%d" % ME in r.errors and "rf_%d" % ME in r.errors, "an ambiguous detach: both are named", r)
    for fd in (tc, other):
        r = w.run("detach", "atv", "tcx_ingress", "id", rawbpf.object_id(fd))
        ok(r.status == 0, "the program decides", r)
    alone(w, tc)


def short_words(w):
    """bpftool's words for hooks of cgroups, if the place is a cgroup."""
    own = w.cgroup + "/at"
    name = "rs_%d" % ME
    fd = rawbpf.prog_load("cgroup_skb", name, 1, 1)
    r = w.run("attach", name, "to", own, "egress")
    ok(r.status == 0 and "cgroup_inet_egress" in r.text, "attach … to CGROUP egress", r)
    r = w.run("detach", own, "egress", name)
    ok(r.status == 0 and "cgroup_inet_egress" in r.text, "detach CGROUP egress", r)
    os.mkdir(own + "/as_%d" % ME)
    for where in (own + "/", "as_%d" % ME):
        r = w.run("attach", name, "to", where, "cgroup_inet_egress")
        ok(r.status == 0, "attach to the cgroup %s" % where, r)
        r = w.run("detach", where, "cgroup_inet_egress", "--dry-run")
        ok(r.status == 0 and "would detach" in r.text, "detach from the cgroup %s" % where, r)
        r = w.run("detach", where, "cgroup_inet_egress")
        ok(r.status == 0 and w.run("ls", name).status == 3, "detached from the cgroup %s" % where, r)
        r = w.run("detach", where, "cgroup_inet_egress")
        ok(r.status == 3 and "nothing is attached to %s" % own in r.errors, "nothing is attached there any more", r)
    os.rmdir(own + "/as_%d" % ME)
    r = w.run("attach", name, "to", "atv", "egress")
    ok(r.status == 1 and "tcx_egress takes programs of type sched_cls" in r.errors, "the place decides which hook a short word means", r)
    os.close(fd)


def alone(w, tc):
    """A program without a place."""
    name = "re_%d" % ME
    r = w.run("detach", name)
    ok(r.status == 3 and "not attached anywhere" in r.errors, "detach PROG: the program is not attached", r)
    r = w.run("detach", name + "x")
    ok(r.status == 3 and "nothing is attached to" in r.errors and "no program with name" in r.errors, "neither place nor program", r)
    for verb in (["detach", "atx", "xdp"], ["attach", name, "to", "atx", "tcx_ingress"]):
        r = w.run(*verb)
        ok(r.status == 3 and "no network device atx" in r.errors and "hint: similar: atw, atv" in r.errors, " ".join(verb), r)
    r = w.run("detach", "atv", "xpd")
    ok(r.status == 2 and "hint: similar: xdp" in r.errors, "detach: a mistyped hook", r)
    for hook in ("tcx_ingress", "tcx_egress"):
        w.run("attach", name, "to", "atv", hook)
    r = w.run("detach", name)
    ok(r.status == 1 and "atv tcx_ingress" in r.errors and "atv tcx_egress" in r.errors, "detach PROG: the program is attached at two places", r)
    r = w.run("__complete", "detach", name[:4])
    ok(name + "\tatv tcx_ingress\n" in r.text, "its name is offered", r)
    w.run("detach", "atv", "tcx_egress", name)
    r = w.run("detach", name, "--dry-run")
    ok(r.status == 0 and "would detach" in r.text and len(w.run("-j", "ls", name).json) == 1, "detach PROG --dry-run", r)
    r = w.run("detach", "id", rawbpf.object_id(tc))
    ok(r.status == 0 and "atv" in r.text and w.run("ls", name).status == 3, "detach id PROG", r)


def completion(w):
    r = w.run("__complete", "attach", "id", "1", "to", "lo", "tcx_")
    ok("tcx_ingress\t" in r.text and "tcx_egress\t" in r.text, "hooks are offered", r)
    tc = rawbpf.prog_load("sched_cls", "co_%d" % ME)
    w.run("attach", "id", rawbpf.object_id(tc), "to", "atv", "tcx_ingress")
    r = w.run("__complete", "detach", "at")
    ok("atv\ttcx_ingress" in r.text, "places are offered", r)
    w.run("detach", "atv", "tcx_ingress", "id", rawbpf.object_id(tc))


def held(w):
    """`hold`: the link exists as long as the command."""
    tc = rawbpf.prog_load("sched_cls", "ho_%d" % ME)
    p = subprocess.Popen([w.lens, "attach", "id", str(rawbpf.object_id(tc)), "to", "atv", "tcx_ingress", "hold"], stdout=subprocess.PIPE)
    line = p.stdout.readline().decode()
    line += p.stdout.readline().decode()
    ok(line.startswith("attached program") and ", link " in line and line.endswith("\nuntil this command is interrupted\n"),
       "hold: it reports what it did, and waits", line)
    listed = w.run("-j", "ls", "ho_%d" % ME).json
    ok(len(listed) == 1 and listed[0]["owner"] == "bpflens(%d)" % p.pid, "it is the owner", listed)
    p.terminate()
    ok(p.wait() == 0 and w.run("ls", "ho_%d" % ME).status == 3, "and the link ends with it")


def remove(path):
    for sub in os.listdir(path):
        if os.path.isdir(path + "/" + sub):
            remove(path + "/" + sub)
    os.rmdir(path)


def lookup_call(log, map_id):
    """The number of the bpf(2) call that looks up the first element of this map; 0: none."""
    fd = None
    with open(log) as f:
        for i, line in enumerate(f, 1):
            if "BPF_MAP_GET_FD_BY_ID, {map_id=%d," % map_id in line:
                fd = line.split()[-1]
            elif fd and "BPF_MAP_LOOKUP_ELEM, {map_fd=%s," % fd in line:
                return i
    return 0


def refused_answers(w, slots):
    """A slot that cannot be read is not taken for empty: it is not written, and a list without it reports that."""
    if not shutil.which("strace"):
        skip("strace is not installed")
        return
    log = w.dir + "/strace"
    fd = rawbpf.prog_load("socket_filter", "no_%d" % ME)
    prog = rawbpf.object_id(fd)
    where = "map:%d[40]" % slots
    for args, status, sentence in ((["attach", "id", prog, "to", where, "prog_array"], 4, "cannot read slot 40"),
                                   (["ls", "prog_array"], 5, "cannot read the programs in slots of map")):
        argv = [w.lens] + [str(a) for a in args]
        trace = STRACE + ["-o", log, "-e", "trace=bpf"]
        Run(trace + argv + (["--dry-run"] if status == 4 else []))
        at = lookup_call(log, slots)
        r = Run(trace + ["-e", "inject=bpf:error=EPERM:when=%d" % at] + argv)
        ok(at and r.status == status and sentence in r.errors, "%s with a lookup that is refused" % args[0], r)
    os.close(fd)


with World() as w:
    w.make()
    try:
        with Networks(w) as n:
            all_places, keep, slots = places(w, n)
            good = usable(w, all_places)
            loop(w, good)
            refusals(w)
            if w.cgroup:
                short_words(w)
            completion(w)
            held(w)
            refused_answers(w, slots)
            parallel(w, n, good, slots)
    finally:
        if w.cgroup:
            remove(w.cgroup + "/at")
finish()
