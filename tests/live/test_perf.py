#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""perf show: descriptors of every type, with and without links, inherited, and events with an unknown program."""
import os
import re
import resource
import signal
import sys

import events
from world import World, finish, isolate, ok, skip

isolate()


def mine(w, *args):
    r = w.run("-j", "perf", "show", *args)
    return [o for o in r.json if o.get("pid") in (w.pid, os.getpid())], r


def of_links(w):
    """The events of mkobj: each has a link, and each link is shown once."""
    found, r = mine(w)
    held = [o for o in found if o["pid"] == w.pid]
    links = [f["id"] for f in w.of("link") if set(f["type"].split("|")) & {"perf_event", "raw_tracepoint", "kprobe_multi", "uprobe_multi"}]
    told = [o.get("link_id") for o in held]
    if w.run("-j", "link", "show", "id", w.one("link", "pe_clock")["id"]).json.get("event_type"):
        ok(sorted(links) == sorted(told), "every link once", "links %s\ntold %s\n%s" % (sorted(links), told, r))
    ok(all(o["comm"] == "mkobj" for o in held), "the name of the process", held)
    uprobe = w.one("link", "uprobe")
    if uprobe:
        o = next((o for o in held if o["fd_type"] == "uprobe"), {})
        ok(o.get("filename") == uprobe["path"] and o.get("symbol") == "probed_one", "uprobe: file and function", o)
        ok(o.get("prog_name") == "l_kprobe" and o.get("where", "").startswith(uprobe["path"] + ":0x"), "uprobe: program, place", o)
    for line in w.run("perf", "list", "-Q", "pid == %d" % w.pid, "-o", "fd_type,prog_id", "--noheadings").text.splitlines():
        ok(line.split()[1].isdigit(), "perf list: " + line.strip())


def by_ioctl(w):
    """Events without links, with a program that was set by ioctl."""
    self = os.path.realpath("/proc/self/exe")
    progs = {n: events.program(w.one("prog", n)["id"]) for n in ("l_tracepoint", "l_kprobe", "l_perf", "l_raw_tp")
             if w.one("prog", n)}
    made = {}
    if "l_raw_tp" in progs:
        made["raw_tracepoint"] = events.raw_tracepoint("sched_process_fork", progs["l_raw_tp"])
    if "l_tracepoint" in progs:
        made["tracepoint"] = events.tracepoint("sched:sched_process_wait", progs["l_tracepoint"])
    if "l_kprobe" in progs:
        for kind, target, at in (("uprobe", self, events.code_in(self)), ("kprobe", "do_nanosleep", 0)):
            made[kind] = events.probe(kind, target, at, progs["l_kprobe"])
            made[kind.replace("probe", "retprobe")] = events.probe(kind, target, at, progs["l_kprobe"], True)
    if "l_perf" in progs:
        made["perf_event"] = events.event(1, 2, prog=progs["l_perf"])
    found, r = mine(w)
    at = {o.get("fd"): o for o in found if o["pid"] == os.getpid()}
    for kind, fd in made.items():
        if fd is None:
            skip(kind + ": not supported by this kernel")
            continue
        o = at.pop(fd, {})
        ok(o.get("fd_type") == kind and "link_id" not in o or kind == "raw_tracepoint" and "link_id" in o, kind + " by ioctl", r)
        if kind == "perf_event":
            ok(o.get("prog_id") == w.one("prog", "l_perf")["id"], "an event whose program the kernel does not report: the only one that it can be", r)
        else:
            ok(o.get("prog_type") == kind.replace("uretprobe", "kprobe").replace("kretprobe", "kprobe").replace("uprobe", "kprobe"),
               kind + ": its program", o)
    ok(not at, "nothing else", at)
    return made


def kept(w, made):
    """An attachment that only a descriptor holds cannot be detached; its process is named."""
    if made.get("tracepoint") is None:
        skip("detach of a descriptor's tracepoint: not supported by this kernel")
        return
    r = w.run("detach", "sched:sched_process_wait", "tracepoint", "id", w.one("prog", "l_tracepoint")["id"])
    ok(r.status == 1 and "it ends with " in r.errors, "detach of an attachment that a descriptor holds", r)


def inherited(w, made):
    """A child has the same open files: shown for both, the same attachment."""
    fds = {fd for fd in made.values() if fd is not None}
    child = os.fork()
    if not child:
        signal.pause()
        os._exit(0)
    try:
        r = w.run("-j", "perf", "show", "-Q", "pid == %d" % child)
        ok({o["fd"] for o in r.json} == fds, "a child's descriptors", r)
        r = w.run("-j", "perf", "list", "-Q", 'pid == %d && fd_type == "uprobe"' % child)
        ok(len(r.json) == ("uprobe" in made), "-Q by process and type", r)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    for fd in fds:
        os.close(fd)
    found, r = mine(w)
    ok(not [o for o in found if o["pid"] == os.getpid()], "closed: gone", r)


def many_files(w):
    """With many open files, an iterator selects those that may be events: the result is the same as from /proc."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    files = [os.open("/dev/null", os.O_RDONLY) for unused in range(4000)]
    found, r = mine(w, "-d")
    plain, p = mine(w, "--no-load")
    for fd in files:
        os.close(fd)
    said = re.findall("program files .*", r.errors)
    ok(said, "an iterator is tried", r)
    if said and "not loaded" in said[0]:
        skip(said[0])
        return
    ok(found and found == plain, "an iterator finds the same as /proc", "%s\n%s" % (r, p))


def replay(w):
    """An archive shows the same as the live machine."""
    r = w.run("save", w.dir + "/saved.tar.gz")
    for args in (["perf", "show"], ["-j", "perf", "show"], ["perf", "list", "-o", "+symbol,link_id"]):
        live, saved = w.run(*args, "-Q", "pid == %d" % w.pid), w.run("--from", w.dir + "/saved.tar.gz", *args, "-Q", "pid == %d" % w.pid)
        ok(live.out == saved.out and live.out, "--from: " + " ".join(args), "%s\n%s\n%s" % (live, saved, r))


def refused(w):
    r = w.as_user("perf", "show")
    ok(r.status == 4 and r.errors.count("\n") <= 2, "for an ordinary user: refused, with the reason", r)
    r = w.run("perf", "show", "frobnicate")
    ok(r.status == 2, "an extra word is refused", r)


with World() as w:
    w.make()
    for test in (of_links, many_files, replay, refused):
        test(w)
    try:
        made = by_ioctl(w)
        many_files(w)
        kept(w, made)
        inherited(w, made)
    except OSError as e:
        ok(False, "perf events by ioctl", repr(e))
sys.stdout.flush()
finish()
