#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Machine code that changes during a recording: after each update of a prog_array the running program's code is what --at shows, or marked uncertain."""
import os
import re
import signal
import struct
import sys
import threading
import time
from collections import Counter

from rawbpf import link_create, map_create, map_delete, map_update, object_id, prog_code, prog_load, test_run, try_bpf
from recordings import begun, lives_in, members, recorder, text_index
from world import Run, World, finish, isolate, number, ok, patience, skip, until

isolate()
LINK_UPDATE, XDP, GENERIC = 29, 37, 2
UPDATES = number("POKES", 20)


def run_until(fds, end):
    while not end.is_set():
        for fd in fds:
            test_run(fd, 100)


def seen(w, fds, jumps, leaves):
    """After each update: (time, machine code of each program)."""
    moments = []
    for i in range(UPDATES):
        if i % 5 == 4:
            map_delete(jumps, bytes(4))
        else:
            map_update(jumps, bytes(4), struct.pack("<I", leaves[i % len(leaves)]))
        moments.append((time.clock_gettime_ns(time.CLOCK_BOOTTIME), [prog_code(fd)[0] for fd in fds]))
    return moments


sys.setswitchinterval(0.0001)  # the program runs meanwhile

def pokes_in(path):
    """The lines of all pieces."""
    got = members(path)
    return b"".join(bytes(got[name]) for name in sorted(got, key=lambda n: (len(n), n)) if name.startswith("pokes/")).decode().splitlines()


def dispatched(path):
    """Replace the program of a device, when the recorder has read the dispatcher; return the time after it, when that was found. None: no new dispatcher."""
    link = link_create(prog_load("xdp", "xdp_first", 2), 1, XDP, GENERIC)
    if not until(lambda: re.search(r"^\S+ \S+ \S+ - \S+ \S+ \d+ .*bpf_dispatcher_xdp$", bytes(members(path).get("sys/code", b"")).decode(), re.M), 10):
        os.close(link)
        return None
    try_bpf(LINK_UPDATE, struct.pack("<III", link, prog_load("xdp", "xdp_second", 2), 0))
    found = until(lambda: any(line.startswith("found ") for line in pokes_in(path)), patience(20))
    at = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    os.close(link)
    return at if found else 0


with World() as w:
    path = w.dir + "/pokes.rec"
    jumps = map_create(3, 4, 4, 1, "lens_jumps")
    leaves = [prog_load("socket_filter", "leaf_%d" % i, i) for i in range(3)]
    fds = [prog_load("socket_filter", "jumps_before", 7, calls=jumps)]
    r = recorder("-o", path)
    ok(begun(r, path + ".partial"), "record began")
    fds.append(prog_load("socket_filter", "jumps_later", 8, calls=jumps))
    ids = [object_id(fd) for fd in fds]
    end = threading.Event()
    runs = threading.Thread(target=run_until, args=(fds, end))
    runs.start()
    moments = seen(w, fds, jumps, leaves)
    end.set()
    runs.join()
    replaced = dispatched(path + ".partial")
    # The last one is in the file.
    until(lambda: any(l[0] == str(ids[-1]) for l in lives_in(members(path + ".partial"))), patience(20))
    r.send_signal(signal.SIGINT)
    out, err = r.communicate()
    ok(r.returncode in (0, 5), "record", err)
    got = members(path)
    pokes = pokes_in(path)
    begin = int(lives_in(got)[0][1])
    r = w.run("report", path, "--text", w.dir + "/text")
    ok(r.status in (0, 5), "report --text", r)  # what others had loaded may be gone before it could be read
    rows = text_index(w.dir + "/text")
    seen_ = Counter()
    bad = []
    for n, (at, codes) in enumerate(moments):
        for name, ident, code in zip(("jumps_before", "jumps_later"), ids, codes):
            row = next(x for x in rows if x.name.endswith("_" + name) and x.begin <= at < x.end)
            with open(row.path, "rb") as f:
                shown = f.read()
            how = "uncertain" if row.uncertain else "same" if shown == code else "different"
            if n % max(UPDATES // 10, 1) == 0:
                raw = w.dir + "/then"
                then = Run([w.lens, "--from", path, "--at", "%.9f" % ((at - begin) / 1e9), "prog", "dump", "jited", "id", str(ident), "file", raw])
                with open(raw, "rb") as f:
                    if f.read() != shown or (then.status, "uncertain" in then.errors) != ((5, True) if row.uncertain else (0, False)):
                        bad.append(("--at", at, ident, then.errors))
                seen_["at"] += 1
            seen_[how] += 1
            if how == "different":
                bad.append((at, ident, shown.hex(), code.hex()))
    ok(not bad, "%(same)d images are the same at their moment, %(uncertain)d are marked uncertain, %(at)d with --at" % seen_, bad[:2])
    if pokes[0] == "silent":
        skip("exact images: this kernel does not announce changes of code")
    else:
        ok(not seen_["uncertain"] and len({c for _, cs in moments for c in cs}) > 4, "changes are announced, and none is missing", pokes[:5])
    if replaced is None:
        skip("dispatchers: none appeared here")
    else:
        then = [x for x in rows if x.name == "bpf_dispatcher_xdp" and x.begin <= replaced]
        ok(replaced and any(x.uncertain for x in then) and then[-1].end > replaced and (pokes[0] == "silent" or not then[-1].uncertain),
           "a dispatcher is read again, and uncertain between two readings", [vars(x) for x in then])
finish()
