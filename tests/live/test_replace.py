#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""prog load, loadall --replace: each attachment, pin and map; under traffic; killed or refused in the middle; --watch."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import rawbpf
from world import BPFLENS, BUILD, STRACE, Run, World, at_random, finish, isolate, kernel_knows, lock, next_call, number, ok, skip, until

isolate()
lock("replace.bpf.o")  # its objects are found by name
OLD, NEW, WRONG, PLACES, FILTER = (BUILD + "/tests/live/replace_%s.bpf.o" % which for which in ("old", "new", "wrong", "places", "filter"))
NAMES = {"rp_xdp", "rp_tcx", "rp_tc", "rp_cgroup", "rp_trace", "rp_tail"}
TCX, NETFILTER, EVENT_LINKS, EVENTS_SHOWN = (kernel_knows("BPF_" + n) for n in ("TCX_INGRESS", "NETFILTER", "PERF_EVENT", "PERF_EVENT_TRACEPOINT"))
SOCKETS_SHOWN = kernel_knows("sock_map_bpf_prog_query")
FEWER = () if kernel_knows("bpf_iter__bpf_link") else (5,)
KILLS = number("KILLS", 6)
PACKETS = number("PACKETS", 20000)
RATE = 20000  # packets per second, at most
ETH_TEST = 0x88b5


def lens(*args, **kw):
    return Run([BPFLENS] + [str(a) for a in args], timeout=60, **kw)


def done(*args):
    """Also with status 5, where the kernel does not report the namespaces of links."""
    r = lens(*args)
    ok(r.status in FEWER, " ".join(str(a) for a in args), r) if r.status else None
    return r


def progs():
    """Ids of the test's programs by name; the kernel frees them a moment after their last user."""
    ids = {}
    for p in lens("-j", "prog", "list", "-o", "id,name").json:
        if p.get("name") in NAMES:
            ids.setdefault(p["name"], []).append(p["id"])
    return ids


def one_of_each():
    return until(lambda: all(len(v) == 1 for v in progs().values()))


def pinned(d):
    """The id of the program of each pin that holds one, itself or by a link."""
    links = {link["id"]: link.get("prog_id") for link in lens("-j", "link", "list", "-o", "id,prog_id").json}
    pins = [p for p in lens("-j", "pin", "list").json if p["path"].startswith(d + "/") and p["kind"] != "map"]
    return {os.path.relpath(p["path"], d): p["id"] if p["kind"] == "prog" else links.get(p["id"]) for p in pins}


def places(w):
    """Attachments of the test's programs: (where, what) and the name of the program, with its id and link."""
    got = {}
    for a in lens("-j", "ls").json:
        if a.get("prog_name") in NAMES:
            got.setdefault((a["where"].replace(w.dir, ""), a["what"], a["prog_name"]), []).append((a["prog_id"], a.get("link_id")))
    return got


def elements(path):
    return {e["formatted"]["key"]: e["formatted"]["value"] for e in lens("-j", "map", "dump", "pinned", path).json}


class Scene:
    """The old programs, attached in every way, in a new directory of the bpffs; all is gone afterwards."""

    def __init__(self, w, name, everything=True):
        self.w, self.top, self.everything = w, w.pins + "/" + name, everything
        self.app, self.at = self.top + "/app", self.top + "/at"

    def __enter__(self):
        d, at = self.app, self.at
        os.makedirs(at)
        subprocess.run(["ip", "link", "add", "rv0", "type", "veth", "peer", "name", "rv1"], check=True)
        for dev in "rv0", "rv1":
            open("/proc/sys/net/ipv6/conf/%s/disable_ipv6" % dev, "w").write("1")
            subprocess.run(["ip", "link", "set", dev, "up"], check=True)
        loaded = done("-j", "prog", "loadall", OLD, d, "pinmaps", d + "/maps", *["autoattach"] * EVENTS_SHOWN)
        trace = {c["name"]: c for c in loaded.json}["rp_trace"]["prog_id"]
        done("attach", "pinned", d + "/rp_xdp", "to", "rv1", "xdp", "--link", at + "/xdp")
        if TCX:
            done("attach", "pinned", d + "/rp_tcx", "to", "rv1", "tcx_ingress", "--link", at + "/tcx")
        done("attach", "pinned", d + "/rp_tc", "to", "rv1", "tc_ingress")
        done("map", "create", at + "/slots", "type", "prog_array", "key", 4, "value", 4, "entries", 4, "name", "rp_slots")
        done("map", "update", "pinned", at + "/slots", "key", "1", "0", "0", "0", "value", "pinned", d + "/rp_tail")
        if self.everything:
            done("attach", "pinned", d + "/rp_xdp", "to", "rv0", "xdpgeneric")
            if TCX:
                done("attach", "pinned", d + "/rp_tcx", "to", "rv0", "tcx_egress")
            if EVENTS_SHOWN:
                done("attach", "id", trace, "to", "syscalls:sys_enter_getsid", "tracepoint", "--link", at + "/trace", "cookie", 7)
            done("prog", "pin", "pinned", d + "/rp_tail", at + "/copy")
            if self.w.cgroup:
                done("attach", "pinned", d + "/rp_cgroup", "to", self.w.cgroup, "cgroup_inet_ingress", "multi")
                done("attach", "pinned", d + "/rp_cgroup", "to", self.w.cgroup, "cgroup_inet_ingress", "--link", at + "/cgroup")
        return self

    def __exit__(self, *unused):
        if self.everything and self.w.cgroup:
            lens("detach", "--all", self.w.cgroup, "cgroup_inet_ingress")
        subprocess.run(["ip", "link", "del", "rv0"])
        shutil.rmtree(self.top)
        ok(until(lambda: not progs()), "nothing is left", progs())

    def replace(self, file, *words):
        """Processes of others that list links hold the last one, which may be ours, for as long as they take."""
        def try_it():
            r = lens("-j", "prog", "loadall", file, self.app, "--replace", *words)
            return r if "a process holds the link" not in r.text else None
        return until(try_it) or lens("-j", "prog", "loadall", file, self.app, "--replace", *words)

    def state(self):
        return places(self.w), pinned(self.top)


def everything(w):
    with Scene(w, "every") as s:
        was, pins = s.state()
        os.chmod(s.app + "/rp_tc", 0o640)
        os.chown(s.app + "/rp_tc", 12, 34)
        old_maps = {n: lens("-j", "map", "show", "pinned", s.app + "/maps/" + n).json["id"] for n in os.listdir(s.app + "/maps")}
        os.getpgid(0)
        hits = elements(s.app + "/maps/rp_kept")[4]
        dry = s.replace(NEW, "--dry-run")
        ok(dry.status == 0 and s.state() == (was, pins) and all(c["dry_run"] for c in dry.json), "--dry-run changes nothing", dry)
        r = s.replace(NEW)
        ok(r.status == 0 and not r.errors, "replaced", r)
        now, now_pins = s.state()
        ids = {c["name"]: c["prog_id"] for c in r.json if c["action"].startswith("loaded")}
        ok(ids.keys() == NAMES and one_of_each() and {k: v[0] for k, v in progs().items()} == ids, "only the new programs are left", (ids, progs()))
        ok(now.keys() == was.keys() and all(len(now[k]) == len(was[k]) and all(p == ids[k[2]] for p, _ in now[k]) for k in now),
           "each attachment has the new program, %d" % len(now), "%s\n%s" % (was, now))
        kept = [k for k in was if k[1] != "tracepoint"]
        ok({k: {link for _, link in was[k]} for k in kept} == {k: {link for _, link in now[k]} for k in kept}, "links are the same", (was, now))
        ok(now_pins.keys() == pins.keys() and set(now_pins.values()) <= set(ids.values()), "each pin has a new one", (pins, now_pins))
        st = os.stat(s.app + "/rp_tc")
        ok((st.st_mode & 0o7777, st.st_uid, st.st_gid) == (0o640, 12, 34), "with the old mode and owner", st)
        said = {(c["where"].replace(w.dir, ""), c["what"], c["name"]) for c in r.json if c.get("where")}
        ok(said == was.keys(), "attachments are reported", (said, was.keys()))
        ok({(c["name"], c.get("how")) for c in dry.json} == {(c["name"], c.get("how")) for c in r.json}, "as --dry-run did", (dry, r))
        maps = {n: lens("-j", "map", "show", "pinned", s.app + "/maps/" + n).json["id"] for n in os.listdir(s.app + "/maps")}
        same = {n for n in old_maps if maps.get(n) == old_maps[n]}
        ok(same == {"rp_kept", "replace__bss"} and maps.keys() == old_maps.keys(), "equal maps are kept", (old_maps, maps))
        why = {c["name"]: c["how"] for c in r.json if c["action"] == "created"}
        ok(why == {"rp_sized": "its value size is 8, the program needs 16", "rp_ordered": "the types of its elements differ"}, "others are new, and why", r)
        if EVENTS_SHOWN:
            os.getpgid(0), os.getsid(0)
            ok(elements(s.app + "/maps/rp_kept")[4] >= hits + 2, "counters go on", elements(s.app + "/maps/rp_kept"))
            link = lens("-j", "link", "show", "pinned", s.at + "/trace").json
            ok(link.get("bpf_cookie", link.get("cookie", 7)) == 7, "a new link has the cookie", link)
        text = lens("prog", "loadall", OLD, s.app, "--replace")
        ok(text.status == 0 and re.search(r"^loaded rp_xdp, program \d+ of type xdp, (\d+ instructions verified, )?in place of %d, pin %s/rp_xdp$" % (ids["rp_xdp"], s.app), text.text, re.M) and
           re.search(r"^attached rp_xdp, program \d+ at rv1 xdpdrv, link \d+, in place of \d+: link updated$", text.text, re.M) and
           re.search(r"^kept rp_kept, map \d+$", text.text, re.M), "and back", text)


def other_places(w):
    """Another network namespace, hooks of namespaces, cgroups without 'multi', sockets of a map, filters and modes of XDP."""
    app, at = w.pins + "/places/app", w.pins + "/places/at"
    os.makedirs(at)
    os.makedirs("/run/netns", exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run/netns"])  # only we see it
    subprocess.run(["ip", "netns", "add", "blue"], check=True)
    subprocess.run(["ip", "-n", "blue", "link", "add", "rq0", "type", "veth", "peer", "name", "rq1"], check=True)
    done("prog", "loadall", PLACES, app)
    map_id = done("-j", "map", "create", at + "/sockets", "type", "sockmap", "key", 4, "value", 4, "entries", 4, "name", "rq_map") and \
        lens("-j", "map", "show", "pinned", at + "/sockets").json["id"]
    wanted = (("rq_flow", "netns", "flow_dissector"), ("rq_lookup", "netns", "sk_lookup", "--link", at + "/lookup"),
              ("rq_raw", "sys_enter", "raw_tracepoint", "--link", at + "/raw"), ("rq_xdp", "blue:rq0", "xdpgeneric"),
              ("rq_xdp", "blue:rq1", "xdp", "--link", at + "/xdp"), ("rq_tc", "blue:rq0", "tc_ingress"), ("rq_tc", "blue:rq0", "tc_egress"))
    if SOCKETS_SHOWN:
        wanted += (("rq_sockets", "map:%d" % map_id, "sk_skb_stream_verdict"),)
    if TCX:
        wanted += (("rq_tc", "blue:rq1", "tcx_ingress"),)
    if w.cgroup:
        wanted += (("rq_cgroup", w.cgroup, "cgroup_inet_egress", "override"),)
    for name, *words in wanted:
        done("attach", "pinned", "%s/%s" % (app, name), "to", *words)

    def now():
        return {(a["where"], a["what"]): (a["prog_name"], a["prog_id"]) for a in lens("-j", "ls").json if a.get("prog_name", "").startswith("rq_")}
    before = now()
    ok(len(before) == len(wanted), "%d attachments" % len(wanted), before)
    r = lens("-j", "prog", "loadall", PLACES, app, "--replace")
    if not SOCKETS_SHOWN:
        ok(r.status == 1 and "cannot read the programs of map" in r.text and now() == before, "a sockmap may run one of them, so nothing is changed", r)
        os.unlink(at + "/sockets")
        ok(until(lambda: lens("map", "show", "id", map_id).status == 3), "the map is gone", map_id)
        r = lens("-j", "prog", "loadall", PLACES, app, "--replace")
    ids = {c["name"]: c["prog_id"] for c in r.json if c["action"] == "loaded"} if r.status == 0 else {}
    ok(r.status == 0 and now() == {k: (name, ids[name]) for k, (name, _) in before.items()}, "all have the new programs", (r, now()))
    if NETFILTER:
        done("prog", "loadall", FILTER, app)
        done("attach", "pinned", app + "/rq_netfilter", "to", "ip/input/-128", "netfilter", "--link", at + "/netfilter")
        before = now()
        r = lens("prog", "loadall", FILTER, app, "--replace")
        ok(r.status == 1 and "is to netfilter, which runs one BPF program of each priority" in r.errors and "nothing was changed" in r.errors and now() == before,
           "a link to netfilter can be neither updated nor created beside", r)
    if w.cgroup:
        lens("detach", w.cgroup, "cgroup_inet_egress")
    lens("detach", "netns", "flow_dissector")
    subprocess.run(["ip", "netns", "del", "blue"])
    subprocess.run(["umount", "-l", "/run/netns"])
    shutil.rmtree(w.pins + "/places")
    ok(until(lambda: not now()), "nothing is left", now())


def send(n, dev="rv0"):
    """A process that sends so many packets at a rate, and then ends."""
    code = """
import select, socket, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind((%r, 0))
packet = b"\\xff" * 6 + b"\\x02\\0\\0\\0\\0\\1" + (%d).to_bytes(2, "big") + bytes(50)
began = time.monotonic()
for i in range(%d):
    s.send(packet)
    if i %% 16 == 15:
        select.select([], [], [], max(0, began + i / %d - time.monotonic()))
""" % (dev, ETH_TEST, n, RATE)
    return subprocess.Popen([sys.executable, "-c", code])


def dropped():
    """Packets that did not reach the programs, because a queue was full."""
    with open("/proc/net/dev") as f:
        words = {name.strip(): rest.split() for name, _, rest in (line.partition(":") for line in f) if rest}
    return int(words["rv0"][11])


def traffic(w):
    """No packet is unseen by one of the programs, and none is seen by both."""
    with Scene(w, "traffic", everything=False) as s:
        before, lost = elements(s.app + "/maps/rp_kept"), dropped()
        counters = (0, 1, 2) if TCX else (0, 2)
        began, runs = time.monotonic(), 0
        sender = send(PACKETS)
        failed = None
        sized = [rawbpf.pinned(s.app + "/maps/rp_sized")]  # held until they are counted
        while sender.poll() is None or runs < 2:
            r = s.replace(NEW if runs % 2 == 0 else OLD)
            failed = failed or (r if r.status else None)
            sized.append(rawbpf.pinned(s.app + "/maps/rp_sized"))
            runs += 1
        ok(sender.wait() == 0 and not failed, "%d packets in %.1f s, replaced %d times meanwhile" % (PACKETS, time.monotonic() - began, runs), failed)
        want = PACKETS - (dropped() - lost)

        def counted():
            now = elements(s.app + "/maps/rp_kept")
            return [now[i] - before[i] for i in counters]
        wanted = [want] * len(counters)
        until(lambda: counted() == wanted, 10)
        ok(counted() == wanted, "each of %d packets is counted once by xdp, tcx and tc" % want, counted())
        seen = [sum(int.from_bytes(rawbpf.map_lookup(fd, i.to_bytes(4, sys.byteorder), 16)[:8], sys.byteorder) for fd in sized) for i in counters]
        ok(len(sized) == runs + 1 and seen == wanted, "old and new counters add up to it", seen)
        for fd in sized:
            os.close(fd)


def holds(s, before):
    """A process holds a link to a tracepoint, which the kernel cannot update."""
    trace = str(progs()["rp_trace"][0])
    holder = subprocess.Popen([BPFLENS, "attach", "id", trace, "to", "syscalls:sys_enter_getpriority", "tracepoint", "hold"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    holder.stdout.readline()
    held = s.state()
    r = lens("-j", "prog", "loadall", NEW, s.app, "--replace")
    why = "a process holds the link" if EVENTS_SHOWN else "the kernel cannot update the link, nor report its event"
    ok(r.status == 1 and why in r.json["error"] and s.state() == held, why, r)
    holder.send_signal(signal.SIGINT)
    holder.communicate()
    ok(until(lambda: s.state() == before), "and then as before", s.state())


def wrong(w):
    """What cannot be loaded, or not replaced, changes nothing."""
    with Scene(w, "wrong") as s:
        before = s.state()
        r = s.replace(WRONG)
        ok(r.status in (1, 4) and "rp_unchecked" in r.json["error"] and s.state() == before, "a rejected program: nothing changes", r)
        r = s.replace(BUILD + "/tests/live/load.bpf.o", "resize", "lens_flows=0")
        ok(r.status == 2 and s.state() == before, "a wrong option: nothing changes", r)
        r = s.replace(NEW, "type", "xdp")
        ok(r.status == 1 and "of type" in r.json["error"] and s.state() == before, "another type: nothing changes", r)
        if EVENT_LINKS:
            holds(s, before)
        for words, says in ((("--watch",), "'--watch' needs '--replace'"), (("--replace", "-L"), "cannot keep maps")):
            r = lens("prog", "loadall", NEW, s.app, *words)
            ok(r.status == 2 and says in r.errors, says, r)
        r = lens("prog", "load", NEW, "--replace", "--dry-run")
        ok(r.status == 2 and "needs PATH" in r.errors, "no PATH", r)
        os.rename(s.app + "/rp_tail", s.app + "/rp_gone")
        r = s.replace(NEW)
        ok(r.status == 0 and "rp_gone stays, because the file has no program of that name" in r.errors, "a pin that the file has no program for", r)


def slots(s):
    """Programs of each place that has room for one, or of each filter."""
    return {k: len(v) for k, v in places(s.w).items() if k[1] != "tracepoint"}


def killed(w):
    """kill -9 at any moment: old or new is attached, never none, never both; the next replacement completes it."""
    with Scene(w, "killed") as s:
        want, pins = slots(s), s.state()[1]
        began = time.monotonic()
        s.replace(NEW)
        took = time.monotonic() - began
        bad = 0
        for i in range(KILLS):
            p = subprocess.Popen([BPFLENS, "prog", "loadall", OLD if i % 2 == 0 else NEW, s.app, "--replace"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            at_random(took)
            p.kill()
            p.wait()
            now, now_pins = s.state()
            good = slots(s) == want and {k for k in now_pins if not k.endswith("~")} == pins.keys()
            bad += not good
            if not good:
                ok(False, "killed, %d: each slot has a program" % i, "%s\n%s\n%s" % (want, now, now_pins))
            r = s.replace(OLD if i % 2 else NEW)
            ids = set(v for k, v in s.state()[1].items())
            good = r.status == 0 and one_of_each() and slots(s) == want and len(ids) == len(NAMES) and not [k for k in s.state()[1] if k.endswith("~")]
            bad += not good
            if not good:
                ok(False, "after kill %d the next one completes it" % i, "%s\n%s\n%s" % (r, progs(), s.state()))
        ok(not bad, "killed at %d moments: old or new, and then completed" % KILLS)


def is_new(before, now):
    return now[0].keys() == before[0].keys() and now[1].keys() == before[1].keys() and not set(now[1].values()) & set(before[1].values())


def is_old(before, now):
    before_progs, now_progs = ({k: sorted(p for p, _ in v) for k, v in state[0].items()} for state in (before, now))
    return before_progs == now_progs and before[1] == now[1]


def refused(w):
    """A system call is refused: all is as before, or all is new."""
    if not shutil.which("strace"):
        return skip("strace is not installed")
    with Scene(w, "refused") as s:
        runs = bad = 0
        argv = [BPFLENS, "prog", "loadall", NEW, s.app, "--replace"]
        trace = w.dir + "/calls"
        for call, error in (("bpf", "EPERM"), ("renameat", "EACCES"), ("sendto", "ENOBUFS"), ("perf_event_open", "EACCES")):
            r = Run(STRACE + ["-f", "-o", trace, "-e", "trace=" + call] + argv, timeout=60)
            calls = len(re.findall(r"\b%s\(" % call, open(trace).read()))
            ok(r.status == 0, "with every %s, %d, it succeeds" % (call, calls), r)
            n = next_call(0)
            while n <= calls:
                one_of_each()  # the program of a link that was pinned is freed a moment later
                before = s.state()
                r = Run(STRACE + ["-f", "-o", "/dev/null", "-e", "trace=" + call, "-e", "inject=%s:error=%s:when=%d" % (call, error, n)] + argv, timeout=60)
                runs += 1
                # The kernel frees a link that was pinned a moment later.
                if not until(lambda: is_new(before, s.state()) if r.status in (0, 5) else is_old(before, s.state())):
                    bad += 1
                    ok(False, "%s %s, call %d of %d: all or nothing" % (call, error, n, calls), "%s\n%s\n%s" % (r, before, s.state()))
                n = next_call(n)
        ok(not bad and runs > 10, "%d runs: all or nothing" % runs)


def watch(w):
    d, file = w.pins + "/watch", w.dir + "/watched.bpf.o"
    p = subprocess.Popen([BPFLENS, "-j", "prog", "loadall", file, d, "--replace", "--watch"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def next_one():
        return json.loads(p.stdout.readline())
    missing = next_one()
    ok("cannot open object file" in missing.get("error", ""), "--watch waits for a file that does not exist", missing)
    shutil.copy(OLD, file)
    first = {c["name"]: c["prog_id"] for c in next_one() if c["action"] == "loaded"}
    ok(first.keys() == NAMES, "loads it", first)
    for n, (source, how) in enumerate(((NEW, "written"), (OLD, "renamed"))):
        if how == "written":
            shutil.copy(source, file)
        else:
            shutil.copy(source, file + ".new")
            os.rename(file + ".new", file)
        again = [c for c in next_one() if c["action"] == "loaded"]
        ok({c["name"]: c["replaced"] for c in again} == first, "again when it is " + how, again)
        first = {c["name"]: c["prog_id"] for c in again}
    shutil.copy(WRONG, file)
    bad = next_one()
    ok("rp_unchecked" in bad.get("error", "") and until(lambda: {k: [v] for k, v in first.items()} == progs()), "a rejected one: the reason, and nothing changes", bad)
    shutil.copy(NEW, file)
    again = [c for c in next_one() if c["action"] == "loaded"]
    ok({c["name"]: c["replaced"] for c in again} == first, "and the next one is loaded", again)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate()
    ok(p.returncode == 0 and not out, "ends when it is interrupted", (p.returncode, out, err))
    p = subprocess.Popen([BPFLENS, "prog", "loadall", file, d, "--replace", "--watch"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    head, line = p.stdout.readline(), p.stdout.readline()
    ok(re.fullmatch(r"\d\d:\d\d:\d\d UTC  %s\n" % file, head) and line.startswith("loaded rp_"), "in text with the time", (head, line))
    p.stdout.close()
    ok(p.wait(60) == 0, "ends with its reader", p.returncode)
    p.stderr.close()
    shutil.rmtree(d)
    ok(until(lambda: not progs()), "nothing is left", progs())


with World() as w:
    if not os.path.exists(OLD):
        skip("no object file")
        sys.exit(77)
    for has, what in ((TCX, "has no tcx"), (NETFILTER, "has no links to netfilter"), (SOCKETS_SHOWN, "does not report the programs of sockmaps"), (EVENTS_SHOWN, "does not report the tracepoints of links")):
        if not has:
            skip("the kernel " + what)
    for part in (everything, other_places, traffic, wrong, killed, refused, watch):
        part(w)
finish()
