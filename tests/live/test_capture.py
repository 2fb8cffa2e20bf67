#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs with a short life, copied in the kernel while they are loaded: each is copied, and every part of it is, byte for
byte, what its loader read before it closed it."""
import re
import subprocess

from world import BUILD, finish, isolate, ok, patience, skip

isolate(alone="hundreds of programs are freed")
TOOL = BUILD + "/tests/live/captures"


def run(n, processes):
    r = subprocess.run([TOOL, str(n), str(processes)], capture_output=True, text=True, timeout=patience(300))
    if r.returncode == 77:
        skip(r.stdout.strip())
        return
    m = re.match(r"loaded (\d+) seen (\d+) whole (\d+) identical (\d+) twice (\d+) lost (\d+) by ([a-z ]+)(, insns unknown)?\n$", r.stdout)
    if not ok(m, "%d programs by %d processes" % (n, processes), r.stdout + r.stderr):
        return
    loaded, seen, whole, identical, twice, lost = (int(x) for x in m.groups()[:6])
    ok(loaded == n, "all %d are loaded" % n, r.stdout)
    ok(identical == n, "all copies are equal to what the loader read", r.stdout + r.stderr)
    # Other processes of this machine may also load programs.
    ok(seen >= n and whole == seen and not twice and not lost, "each is copied once and completely", r.stdout)
    ok(not m.group(8), "instructions are marked to be as in the kernel's dump", r.stdout)


run(100, 1)
run(2000, 2)
finish()
