#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`map watch` while another process writes elements."""
import json
import os
import pty
import re
import select
import signal
import subprocess
import time

from world import World, finish, isolate, ok, skip

isolate()
CPUS = 0
for part in open("/sys/devices/system/cpu/possible").read().strip().split(","):
    first, _, last = part.partition("-")
    CPUS += int(last or first) - int(first) + 1


class Watch:
    """A watch, of which the changes are read as they are printed."""

    def __init__(self, w, path, *words):
        self.p = subprocess.Popen([w.lens, "--ndjson", "map", "watch", "pinned", path, "interval", "0.1"] + list(words),
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.p.poll() is None:
            self.p.kill()
        self.p.communicate()

    def next(self):
        return json.loads(self.p.stdout.readline() or b"null")

    def interrupt(self):
        """Status and errors after an interrupt."""
        self.p.send_signal(signal.SIGINT)
        _, errors = self.p.communicate(timeout=10)
        return self.p.returncode, errors


def write(w, path, key, value):
    r = w.run("map", "update", "pinned", path, "key", key, "value", value)
    if r.status:
        ok(False, "an update", r)


def ready(w, watch, path, key):
    """Write until a change is printed, so that the first reading is complete; return the last value printed."""
    n = 0
    while not select.select([watch.p.stdout], [], [], 0.15)[0]:
        n += 1
        write(w, path, key, n)
    while watch.next()["members"][0]["value"] != n:
        pass
    return n


def changes(w):
    path = w.pins + "/h"
    w.run("map", "create", path, "type", "hash", "key", 4, "value", 8, "entries", 8, "name", "h")
    write(w, path, 1, 0)
    with Watch(w, path) as watch:
        n = ready(w, watch, path, 1)
        write(w, path, 1, n + 1000)
        seen = watch.next()
        m = seen["members"][0]
        ok(seen["change"] == "changed" and seen["key"] == 1 and m["name"] == "value" and m["delta"] == 1000 and m["old"] == n and
           m["value"] == n + 1000 and 0 < m["rate"] < 1000 / 0.04 and m["rate"] == round(m["rate"], 3), "a counter that grows has a delta and a rate", seen)
        for clock in (time.CLOCK_MONOTONIC, time.CLOCK_BOOTTIME, time.CLOCK_REALTIME):
            write(w, path, 1, time.clock_gettime_ns(clock))
            m = watch.next()["members"][0]
            ok("rate" not in m and "delta" not in m, "a time has no rate: clock %d" % clock, m)
        write(w, path, 7, 5)
        seen = watch.next()
        ok((seen["change"], seen["key"], seen["value"]) == ("new", 7, 5), "a new key", seen)
        w.run("map", "delete", "pinned", path, "key", 7)
        seen = watch.next()
        ok((seen["change"], seen["key"], seen["value"]) == ("gone", 7, 5), "a key that is deleted", seen)
        ok(watch.interrupt() == (0, b""), "an interrupt ends it with status 0")


def colours(w):
    """On a terminal keys, members and changes have the colours of BPFLENS_COLORS."""
    path = w.pins + "/c"
    w.run("map", "create", path, "type", "hash", "key", 4, "value", 8, "entries", 8, "name", "c")
    write(w, path, 4711, 0)
    ours, its = pty.openpty()
    p = subprocess.Popen([w.lens, "map", "watch", "pinned", path, "interval", "0.1"], stdout=its,
                         env=dict(os.environ, BPFLENS_COLORS="key=91:changed=95:name=96", TERM="xterm"))
    os.close(its)
    row = re.compile(rb"\033\[91m4711\033\[0m +\033\[96mvalue *\033\[0m +\033\[95m *\d+\033\[0m")
    seen, end = b"", time.monotonic() + 10
    while not row.search(seen) and time.monotonic() < end:
        write(w, path, 4711, time.monotonic_ns() % 1000000)
        if select.select([ours], [], [], 0.1)[0]:
            seen += os.read(ours, 65536)
    p.send_signal(signal.SIGINT)
    p.wait(timeout=10)
    os.close(ours)
    ok(row.search(seen), "a row of a watch has colours", seen[-300:])
    ok(p.returncode == 0, "an interrupt also ends it on a terminal", p.returncode)


def percpu(w):
    path = w.pins + "/p"
    w.run("map", "create", path, "type", "percpu_array", "key", 4, "value", 8, "entries", 2, "name", "p")
    with Watch(w, path) as watch:
        for n in range(1, 100):
            write(w, path, 1, n)  # for each CPU
            if select.select([watch.p.stdout], [], [], 0.15)[0]:
                break
        seen = watch.next()
        ok(seen["key"] == 1 and seen["members"][0]["value"] % CPUS == 0 and seen["members"][0]["delta"] >= CPUS,
           "the values of all CPUs are shown as one", seen)


def variables(w):
    """A variable has the name that -Q accepts."""
    m = w.one("map", "maps.data")
    if not m:
        skip("global data is not supported here")
        return
    path = w.pins + "/data"
    ok(w.run("map", "pin", "id", m["id"], path).status == 0, "pin")
    with Watch(w, path) as watch:
        for n in range(100, 200):
            write(w, path, 0, "counter=%d" % n)
            if select.select([watch.p.stdout], [], [], 0.15)[0]:
                break
        name = watch.next()["members"][0]["name"]
        r = w.run("-j", "map", "dump", "pinned", path, "-Q", name + " >= 100")
        ok(name == "value.counter" and r.status == 0 and len(r.json) == 1, "a variable's name", (name, r))
    os.unlink(path)


def gone(w):
    path = w.pins + "/g"
    w.run("map", "create", path, "type", "hash", "key", 4, "value", 8, "entries", 8, "name", "g")
    write(w, path, 1, 0)
    with Watch(w, path) as watch:
        ready(w, watch, path, 1)
        os.unlink(path)
        try:
            _, errors = watch.p.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            errors = b"it is kept alive"
        ok(watch.p.returncode == 3 and b"no longer exists" in errors, "a watch does not keep a map loaded", errors)


def formats(w):
    path = w.pins + "/f"
    w.run("map", "create", path, "type", "hash", "key", 4, "value", 4, "entries", 64, "name", "f")

    def put(n):
        return w.run("map", "update", "pinned", path, "key", 10, 0, 0, 1, "value", *n.to_bytes(4, "big"))

    put(0)
    with Watch(w, path, "--format", "key=ip,value=be32") as watch:
        n = 0
        while not select.select([watch.p.stdout], [], [], 0.15)[0]:
            n += 1
            put(n)
        seen = watch.next()
        m = seen["members"][0]
        ok(seen["key"] == "10.0.0.1" and m["delta"] == m["value"] - m["old"] and 0 < m["value"] <= n, "members with a format", seen)
        while m["value"] != n:
            m = watch.next()["members"][0]
        put(n + 70000)
        seen = watch.next()
        ok(seen["members"][0]["delta"] == 70000, "a delta in network order", seen)
    r = w.run("-j", "map", "histogram", "pinned", path, "member", "value", "--format", "value=be32")
    ok(r.status == 0 and r.json[0]["buckets"] == [{"lo": 65536, "hi": 131071, "count": 1}], "a histogram in network order", r)
    r = w.run("map", "histogram", "pinned", path, "member", "key", "--format", "key=ip")
    ok(r.status == 2 and "key is neither a number" in r.errors, "an address is not a number", r)
    r = w.run("map", "watch", "pinned", path, "--format", "value=nonsense")
    ok(r.status == 2 and "no format" in r.errors, "no such format", r)


def limits(w):
    path = w.pins + "/h"
    r = w.run("map", "watch", "pinned", path, "interval", "0.1", "--count", 2, "--limit", 1)
    ok(r.status == 0 and r.out == b"", "without a change, nothing is printed", r)
    r = w.run("-j", "map", "watch", "pinned", path, "interval", "0.1", "--count", 1)
    ok(r.status == 0 and r.json == [], "JSON is one document", r)
    r = w.run("map", "watch", "pinned", path, "interval", "0")
    ok(r.status == 2 and "is not an interval" in r.errors, "an interval of zero", r)


with World() as w:
    w.make()
    made = w.run("map", "create", w.pins + "/try", "type", "hash", "key", 4, "value", 8, "entries", 8, "name", "try")
    if made.status:
        skip("maps cannot be created here: " + made.errors.strip())
    else:
        changes(w)
        colours(w)
        percpu(w)
        variables(w)
        gone(w)
        limits(w)
        formats(w)
finish()
