#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The event of a uprobe in tracefs: a tracepoint, at which the kernel runs programs of type kprobe only."""
import os

import events
import rawbpf
from world import World, finish, isolate, ok, skip

isolate()
CONTROL, EVENT = "/sys/kernel/tracing/uprobe_events", "bpflens_test/p%d" % os.getpid()


def control(line):
    fd = os.open(CONTROL, os.O_WRONLY | os.O_APPEND)  # which cannot be sought, as open() does to append
    try:
        os.write(fd, line.encode() + b"\n")
    finally:
        os.close(fd)


def accepted(w):
    for kind, where, status in (("kprobe", EVENT, 0), ("tracepoint", EVENT, 1), ("kprobe", "sched:sched_switch", 1), ("tracepoint", "sched:sched_switch", 0)):
        fd = rawbpf.prog_load(kind, "probe_event")
        r = w.run("attach", "id", rawbpf.object_id(fd), "to", where.replace("/", ":"), "tracepoint", "--link", w.pins + "/probe_event")
        ok(r.status == status and (not status or "it cannot run at " in r.errors), "%s program at %s" % (kind, where), r)
        if os.path.exists(w.pins + "/probe_event"):
            os.unlink(w.pins + "/probe_event")
        os.close(fd)


exe = os.path.realpath("/proc/self/exe")
try:
    control("p:%s %s:%#x" % (EVENT, exe, events.code_in(exe)))
except OSError as e:
    skip("events of uprobes: %s" % e.strerror)
else:
    try:
        with World() as w:
            accepted(w)
    finally:
        control("-:" + EVENT)
finish()
