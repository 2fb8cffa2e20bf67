#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The first samples of tracing, as small programs (samples.bpf.c): each is loaded, attached and shown by this program alone, and
prints the numbers of a process whose system calls are known."""
import json
import os
import platform
import subprocess
import sys

from world import BUILD, World, finish, isolate, ok, skip, until

isolate()
OBJECT = BUILD + "/tests/live/samples.bpf.o"
SIZES = {1: 5, 100: 3, 4096: 7, 70000: 2}  # bytes of a write: how many
PPIDS, SHORT, LONG = 50, 10, 3
CHILD = """
import os, sys, time as clock
out = os.open("/dev/null", os.O_WRONLY)
sys.stdin.buffer.raw.read(1)
for size, n in %r.items():
    for i in range(n):
        os.write(out, bytes(size))
for i in range(%d):
    os.getppid()
for i in range(%d):
    clock.sleep(0.003)
for i in range(%d):
    clock.sleep(0.04)
sys.stdin.buffer.raw.read(1)
""" % (SIZES, PPIDS, SHORT, LONG)
NR_GETPPID = {"x86_64": 110, "aarch64": 173}.get(platform.machine())


def slots(w, name):
    """Of a histogram: the lower limit of each bucket that is not empty, and its count."""
    r = w.run("-j", "map", "histogram", "pinned", "%s/maps/%s" % (w.pins, name))
    return {b["lo"]: b["count"] for b in r.json[0]["buckets"] if b["count"]} if r.status == 0 and r.json else r.errors


def written():
    want = {}
    for size, n in SIZES.items():
        slot = size.bit_length() - 1
        want[1 << slot if slot else 0] = n
    return want


def loaded(w, target, name, *more):
    r = w.run("prog", "load", OBJECT, w.pins + "/" + name, "only", name, "autoattach", "set", "target=%d" % target, *more)
    return r


def reuse(w, *names):
    return [word for name in names for word in ("map", "name", name, "pinned", "%s/maps/%s" % (w.pins, name))]


def sample(w, target, programs, maps, what):
    """Load and attach; false: the kernel does not support it."""
    for i, name in enumerate(programs):
        more = reuse(w, *maps) if i else ["pinmaps", w.pins + "/" + programs[0] + "_maps"]
        r = loaded(w, target, name, *more)
        if r.status:
            skip("%s: %s" % (what, r.errors.splitlines()[0] if r.errors else r))
            return False
        if not i:
            for m in maps:
                w.run("map", "pin", "pinned", "%s/%s_maps/%s" % (w.pins, programs[0], m), "%s/maps/%s" % (w.pins, m))
    return ok(True, what + ": loaded and attached")


with World() as world:
    os.mkdir(world.pins + "/maps")
    child = subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE)
    heat = None
    try:
        has = {what: sample(world, child.pid, programs, maps, what) for what, programs, maps in (
            ("counts at a tracepoint", ["count_calls"], ["calls"]),
            ("sizes of writes", ["size_writes"], ["write_sizes"]),
            ("latencies", ["sleep_begins", "sleep_ends"], ["latency", "started"]),
            ("sizes at a kprobe", ["size_kernel_writes"], ["kprobe_sizes"]))}
        if has["latencies"]:
            heat = subprocess.Popen([world.lens, "--ndjson", "map", "histogram", "pinned", world.pins + "/maps/latency", "heatmap", "interval", "0.1"],
                                    stdout=subprocess.PIPE)
            heat.stdout.readline()  # the first interval is over: what it begins from is read
        child.stdin.write(b"x")
        child.stdin.flush()
        if has["latencies"]:
            drawn = [0]

            def all_drawn():
                drawn.append(json.loads(heat.stdout.readline())["total"])
                return sum(drawn) >= SHORT + LONG
            ok(until(all_drawn), "a heat map has each sleep in one of its columns", drawn)
            heat.send_signal(2)
            heat.communicate()
            got = slots(world, "latency")
            ok(sum(got.values()) == SHORT + LONG and min(got) >= 2048 and sum(n for lo, n in got.items() if lo >= 32768) >= LONG,
               "latencies are as long as the sleeps", got)
        child.communicate(b"x")
        if has["counts at a tracepoint"] and NR_GETPPID:
            r = world.run("-j", "map", "dump", "pinned", world.pins + "/maps/calls", "--sum", "-Q", "key == %d" % NR_GETPPID)
            ok(r.json and r.json[0]["formatted"]["value"] == PPIDS, "counts of a system call", r)
        for what, name in (("sizes of writes", "write_sizes"), ("sizes at a kprobe", "kprobe_sizes")):
            if has[what]:
                ok(slots(world, name) == written(), what, slots(world, name))
    finally:
        child.kill()
        child.wait()
        if heat:
            heat.kill()
            heat.wait()
finish()
