#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""perf show compared with bpftool: the same lines and values, and in addition events that bpftool does not list."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
import events  # noqa: E402
from world import Run, World, finish, isolate, ok, skip  # noqa: E402

isolate()
if not shutil.which("bpftool"):
    skip("bpftool is not installed")
    sys.exit(77)


def ours_only(o):
    """Events that bpftool does not list: links with an event that no process has open, and events that the kernel does not report."""
    return "fd" not in o or o["fd_type"] == "perf_event"


with World() as w:
    w.make()
    held = [events.raw_tracepoint("sched_process_fork", events.program(w.one("prog", "l_raw_tp")["id"]))]
    prog = events.program(w.one("prog", "l_kprobe")["id"])
    for kind, target, at in (("kprobe", "do_nanosleep", 4), ("kprobe", "do_nanosleep", 0), ("uprobe", "/proc/self/exe", 4096)):
        for at_return in (False, True):
            try:
                held.append(events.probe(kind, target, 0 if at_return and kind == "kprobe" else at, prog, at_return))
            except OSError as e:
                skip("%s at %s+%d: %s" % (kind, target, at, e))
    mine = {w.pid, os.getpid()}
    theirs, ours = Run(["bpftool", "-j", "perf", "show"]), w.run("-j", "perf", "show")
    them = [o for o in theirs.json if o["pid"] in mine]
    us = [o for o in ours.json if o.get("pid") in mine and not ours_only(o)]
    ok(len(them) == len(us) and len(them) > 5, "-j: as many descriptors", "%s\n%s" % (theirs, ours))
    for a, b in zip(them, us):
        ok(list(a.items()) == [(k, b.get(k)) for k in b if k in a], "-j: %s of %s: same keys in the same order" % (a["fd_type"], a["pid"]),
           "%s\n%s" % (a, b))
    words = tuple("pid %d  fd " % pid for pid in mine)
    theirs, ours = Run(["bpftool", "perf", "show"]), w.run("perf", "show")
    silent = [": perf_event", ":   perf_event", "  perf_event  "]
    them = [line for line in theirs.text.splitlines() if line.startswith(words)]
    us = [line for line in ours.text.splitlines() if line.startswith(words) and not any(s in line for s in silent)]
    ok(them == us and len(them) > 5, "plain: the same lines", "\n".join(them + ["---"] + us))
    theirs, ours = Run(["bpftool", "perf", "list"]), Run(["bash", "-c", 'exec -a bpftool "$0" perf list', w.lens])
    ok(set(them) <= set(ours.text.splitlines()), "called bpftool, list is show", ours)
finish()
