#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs of perf events without a link, as BCC and bpftrace attach them: the kernel does not report them. The only program that it can be
is named; of several, none is called unused. Events that differ only in their CPU are one row."""
import os

import events
import rawbpf
from world import World, finish, isolate, ok

isolate()
SOFTWARE, CPU_CLOCK = 1, 0
UNREPORTED = "whose program the kernel does not report"
ME = "python3(%d)" % os.getpid()


def mine(w, source, *args):
    return w.run(*source, "-j", "ls", "-Q", "pid == %d" % os.getpid(), *args)


def orphan(w, source, ident):
    return [o for o in w.run(*source, "-j", "orphans").json if o["kind"] == "prog" and o["id"] == ident]


def only(w, source, fds, prog):
    r = mine(w, source)
    ok({a["fd"] for a in r.json} == set(fds) and all(a.get("prog_id") == prog and a["owner"] == ME for a in r.json),
       "the only program that it can be", r)
    ok(not orphan(w, source, prog), "it is no orphan", r)
    r = w.run(*source, "-j", "why", "prog", prog)
    ok(any("perf_event" in reason["because"] for reason in r.json), "why: it runs at an event", r)


def one_row(w, source, fds):
    for args in (["ls", "-Q", "pid == %d" % os.getpid()], ["perf", "list", "-Q", "pid == %d" % os.getpid()]):
        r = w.run(*source, *args)
        lines = [line.split() for line in r.text.splitlines()]
        ok(len(lines) == 2 and "EVENTS" in lines[0] and lines[1][lines[0].index("EVENTS") - len(lines[0])] == str(len(fds)), "%s: one row, with the number of events" % args[0], r)
        r = w.run(*source, "-j", *args)
        ok(len(r.json) == len(fds) and all(a["event_cnt"] == len(fds) for a in r.json), "all events in JSON", r)
        r = w.run(*source, *args, "-o", "fd", "--noheadings")
        ok(sorted(map(int, r.text.split())) == sorted(fds), "all events in columns of one's own", r)


    r = w.run(*source, "ls", "--tree", "-Q", "pid == %d" % os.getpid())
    lines = r.text.splitlines()
    ok(len(lines) == 2 and "  %d events  " % len(fds) in lines[1], "ls --tree: one row, with the number of events", r)


def several(w, source, fds, progs):
    r = mine(w, source)
    ok({a["fd"] for a in r.json} == set(fds) and all("prog_id" not in a and a["owner"] == ME for a in r.json),
       "one of two programs: neither is named", r)
    for prog in progs:
        found = orphan(w, source, prog)
        ok(len(found) == 1 and UNREPORTED in found[0]["orphan"] and not found[0]["complete"] and not found[0].get("remove"),
           "it may be the other one: not known", found)
    r = w.run(*source, "why", "prog", progs[0])
    ok(UNREPORTED in " ".join(r.text.split()), "why: not known", r)


def sources(w, name):
    saved = "%s/%s" % (w.dir, name)
    r = w.run("save", saved)
    ok(not r.status, "save", r)
    return [], ["--from", saved]


with World() as w:
    first = rawbpf.prog_load("perf_event", "silent_first")
    fds = [events.event(SOFTWARE, CPU_CLOCK, prog=first, cpu=cpu) for cpu in sorted(os.sched_getaffinity(0)) for _ in range(2)]
    for source in sources(w, "one"):
        only(w, source, fds, rawbpf.object_id(first))
        one_row(w, source, fds)
    second = rawbpf.prog_load("perf_event", "silent_second")
    for source in sources(w, "two"):
        several(w, source, fds, [rawbpf.object_id(first), rawbpf.object_id(second)])
finish()
