#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""kill -9 of what makes the kernel count runs: top, metrics --listen, prog stats, record. Counting is off after each, and nothing is attached."""
import os
import signal
import subprocess

from rawbpf import counted, newest_ids, prog_load, test_run
from recordings import held, left
from world import World, finish, isolate, number, ok, until

isolate(alone="counting is on for the whole machine")
KILLS = number("KILLS", 20)


def counts(fd):
    """Does the kernel count now?"""
    before, _ = counted(fd)
    test_run(fd)
    return counted(fd)[0] > before


with World() as w:
    fd = prog_load("socket_filter", "killed_runs", 0)
    commands = (["top", "-b"], ["metrics", "--listen", "9434"], ["prog", "stats", "interval", "0.05"], ["record", "-o", w.dir + "/k.rec"])
    objects, newest = set(), newest_ids()
    if counts(fd):
        ok(False, "nothing else counts runs")
    for words in commands if not counts(fd) else ():
        on = off = 0
        for i in range(KILLS // len(commands)):
            p = subprocess.Popen([w.lens] + words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            on += until(lambda: counts(fd))
            for _ in range(i * 20):  # another moment each time
                test_run(fd)
            objects |= held(p.pid, newest)
            p.send_signal(signal.SIGKILL)
            p.wait()
            off += until(lambda: not counts(fd))
        ok(on == off == KILLS // len(commands), "%s: runs are counted until it is killed, %d times" % (words[0], off), on)
    still = left(objects)
    ok({"prog", "map"} <= {kind for kind, _ in objects} and not still, "nothing of them stays loaded", still)
    os.close(fd)
finish()
