#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""events --syscalls --map and record --map: each bpf(2) of other processes on one map, with key and value by its types, process and result,
and no call on another map."""
import ctypes
import errno
import json
import os
import stat
import struct
import subprocess
import sys
import tempfile

import rawbpf
from feed import Stream
from world import BPFLENS, Run, finish, isolate, ok, skip, strict_json

if sys.argv[1:2] != ["calls"]:
    isolate()
LOOKUP, UPDATE, DELETE, NEXT, LOOKUP_DELETE, FREEZE, LOOKUP_BATCH, UPDATE_BATCH = 1, 2, 3, 4, 21, 22, 24, 26
NOWHERE = 16  # an address that is not mapped
CPUS = os.sysconf("SC_NPROCESSORS_CONF")
COMM = open("/proc/self/comm").read().strip()
held = []  # buffers that a call refers to


def room(data):
    held.append(ctypes.create_string_buffer(data, len(data)))
    return ctypes.addressof(held[-1])


def elem(cmd, fd, key, value=0, flags=0):
    """@key, @value: bytes, or an address; the result."""
    return rawbpf.try_bpf(cmd, struct.pack("<IIQQQ", fd, 0, key if isinstance(key, int) else room(key), value if isinstance(value, int) else room(value), flags))


def k(n):
    return struct.pack("<I", n)


def v(sec, nsec):
    return struct.pack("<qq", sec, nsec)


def when(sec, nsec):
    return {"tv_sec": sec, "tv_nsec": nsec}


def batch(cmd, fd, keys, values, count):
    return rawbpf.try_bpf(cmd, struct.pack("<QQQQIIQQ", 0, room(bytes(8)), room(keys), room(values), count, fd, 0, 0))


def make(pin, *words):
    r = Run([BPFLENS, "-j", "map", "create", pin] + [str(w) for w in words])
    if r.status:
        skip("no map here: " + r.errors[-200:])
        sys.exit(77)
    return opened(pin)


def calls(a, b):
    """Calls on map @a, and what they are shown as: command, key, value, next key, count, result; the same on @b is not to be shown."""
    plan = [
        (UPDATE, k(7), v(1, 2), 0, ("map_update_elem", 7, when(1, 2), None, 0)),
        (UPDATE, k(9), v(-3, 4), 0, ("map_update_elem", 9, when(-3, 4), None, 0)),
        (UPDATE, k(11), v(5, 6), 0, ("map_update_elem", 11, when(5, 6), None, -errno.E2BIG)),
        (UPDATE, k(7), v(8, 8), 1, ("map_update_elem", 7, when(8, 8), None, -errno.EEXIST)),
        (LOOKUP, k(7), bytes(16), 0, ("map_lookup_elem", 7, when(1, 2), None, 0)),
        (LOOKUP, k(8), v(1, 1), 0, ("map_lookup_elem", 8, None, None, -errno.ENOENT)),
        (NEXT, 0, bytes(4), 0, ("map_get_next_key", None, None, True, 0)),
        (LOOKUP_DELETE, k(9), bytes(16), 0, ("map_lookup_and_delete_elem", 9, when(-3, 4), None, 0)),
        (DELETE, k(9), 0, 0, ("map_delete_elem", 9, None, None, -errno.ENOENT)),
        (DELETE, k(7), 0, 0, ("map_delete_elem", 7, None, None, 0)),
        (NEXT, k(7), bytes(4), 0, ("map_get_next_key", 7, None, None, -errno.ENOENT)),
        (UPDATE, NOWHERE, v(1, 2), 0, ("map_update_elem", "?", when(1, 2), None, -errno.EFAULT)),
        (UPDATE, k(7), NOWHERE, 0, ("map_update_elem", 7, "?", None, -errno.EFAULT)),
    ]
    for cmd, key, value, flags, shown in plan:
        elem(cmd, b, key, value, flags)
        yield elem(cmd, a, key, value, flags), shown


def shown(r):
    """As in calls(): "?" is null, None is not there."""
    key, value, after = ("?" if name in r and r[name] is None else r.get(name) for name in ("key", "value", "next_key"))
    return r["event"], key, value, True if after in (7, 9) else after, r["result"]


def make_calls(a, b):
    """What is to be shown, as JSON. The last call is that of a batch."""
    done = [list(want) for got, want in calls(a, b) if got == want[-1]]
    result = batch(UPDATE_BATCH, a, k(1) + k(2), v(1, 1) + v(2, 2), 2)
    batch(UPDATE_BATCH, b, k(1) + k(2), v(1, 1) + v(2, 2), 2)
    return json.dumps([os.getpid()] + done + [["map_update_batch", None, None, None, result]])


def worker(a, b):
    """Another process makes the calls: its pid, and what is to be shown."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.write(write, make_calls(a, b).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as f:
        text = f.read()
    os.waitpid(pid, 0)
    for fd, key in ((a, 1), (a, 2), (b, 1), (b, 2)):
        rawbpf.map_delete(fd, k(key))
    return json.loads(text or "[0]")


def opened(pin):
    return rawbpf.bpf(rawbpf.OBJ_GET, struct.pack("<QII", room(pin.encode() + b"\0"), 0, 0))


def compare(text, pid, expected, what):
    """Calls of other processes are somebody's who lists all maps; the command opens the map."""
    mine = [r for r in (json.loads(line) for line in text.splitlines()) if r.get("pid") == pid and r["event"] != "obj_get"]
    got = [list(shown(r)) for r in mine]
    ok(got == expected and len(expected) == 14, what + ": each call once, by type, with its result",
       "\n".join("%s | %s" % pair for pair in zip(got + [None] * 9, expected + [None] * 9) if pair[0] != pair[1]))
    ok(all(r["comm"] == COMM and (r["result"] < 0) == ("errno" in r) for r in mine), what + ": process and error", mine[:2])
    ok(mine and mine[-1].get("count") == 2, what + ": a batch with its number of elements", mine[-1:])


def live(pin, a, b):
    ident = rawbpf.object_id(a)
    for words in ([str(ident)], [pin], ["id", str(ident)]):
        s = Stream(BPFLENS, "events", "--syscalls", "--map", *words)
        s.listening()
        pid, *expected = worker(a, b)
        s.wait("map_update_batch")
        status, text, err = s.end()
        compare(text, pid, expected, "--map " + words[0].split("/")[0])
        ok(status == 5, "addresses that cannot be read are not passed over", "%d %s" % (status, err))


def other_types():
    """Values of all CPUs, programs by id, a queue without keys."""
    percpu, table, queue = rawbpf.map_create(5, 4, 4, 4, "mc_percpu"), rawbpf.map_create(3, 4, 4, 2, "mc_table"), rawbpf.map_create(22, 0, 4, 2, "mc_queue")
    prog = rawbpf.prog_load("socket_filter", "mc_prog")
    for fd, make_calls, done, check, what in (
            (percpu, lambda: elem(UPDATE, percpu, k(1), b"".join(struct.pack("<Ixxxx", i) for i in range(CPUS))), '"map_update_elem"',
             lambda r: [v[0] for v in r["value"]] == ["0x%02x" % i for i in range(CPUS)] and r["key"] == ["0x01", "0x00", "0x00", "0x00"], "a value for each CPU"),
            (table, lambda: elem(UPDATE, table, k(1), k(prog)), '"map_update_elem"', lambda r: r["value"] == {"id": rawbpf.object_id(prog)}, "a program"),
            (table, lambda: elem(UPDATE, table, k(1), k(999)), '"map_update_elem"', lambda r: r["value"] == {"fd": 999} and r["errno"] == "EBADF", "no program"),
            (queue, lambda: elem(UPDATE, queue, 0, k(77)), '"map_update_elem"', lambda r: "key" not in r and r["value"][0] == "0x4d", "a queue"),
            (queue, lambda: elem(LOOKUP_DELETE, queue, 0, bytes(4)), '"map_lookup_and_delete_elem"', lambda r: "key" not in r and r["value"][0] == "0x4d", "a queue that is read")):
        s = Stream(BPFLENS, "events", "--syscalls", "--map", rawbpf.object_id(fd), "-Q", "pid == %d && event =~ elem" % os.getpid())
        s.listening()
        make_calls()
        s.wait(done)
        status, text, err = s.end()
        rows = [json.loads(line) for line in text.splitlines()]
        ok(status == 0 and len(rows) == 1 and check(rows[0]), what, text + err)
    for fd in (percpu, table, queue, prog):
        os.close(fd)


def large():
    """A value that is longer than what is copied is unknown, and the command says so."""
    fd = rawbpf.map_create(2, 4, 20000, 1, "mc_large")
    s = Stream(BPFLENS, "events", "--syscalls", "--map", rawbpf.object_id(fd), "-Q", "pid == %d" % os.getpid())
    s.listening()
    elem(UPDATE, fd, k(0), bytes(20000))
    s.wait("map_update_elem")
    status, text, err = s.end()
    r = json.loads(text.splitlines()[0])
    ok(status == 5 and r["value"] is None and r["key"] == ["0x00"] * 4 and "16384" in err, "a long value", text + err)
    os.close(fd)


def recorded(directory, pin, other, a, b):
    rec, ident = directory + "/r", rawbpf.object_id(a)
    p = Run([BPFLENS, "-j", "record", "-o", rec, "--map", pin, "--", sys.executable, os.path.abspath(__file__), "calls", pin, other, directory + "/done"])
    with open(directory + "/done") as f:
        pid, *expected = json.load(f)
    sum_ = strict_json(p.out)
    ok(p.status in (0, 5) and sum_["calls"] >= 15 and sum_["calls_lost"] == 0, "record --map counts the calls", p)
    ok(stat.S_IMODE(os.stat(rec).st_mode) == 0o600, "the file is its owner's", oct(os.stat(rec).st_mode))
    for words in ([], ["--map", str(ident)]):
        r = Run([BPFLENS, "--ndjson", "--from", rec, "events", "--syscalls"] + words)
        compare(r.out.decode(), pid, expected, "from a recording" + " --map" * bool(words))
        ok(r.status == 5, "what was not read is missing there, too", r)
    r = Run([BPFLENS, "--from", rec, "events", "--syscalls", "--map", str(rawbpf.object_id(b))])
    ok(r.status == 1 and "are those on map %d, not" % ident in r.errors, "it has no other map's", r)
    r = Run([BPFLENS, "-j", "--from", rec, "map", "dump", "id", str(ident)])
    ok(r.status == 1 and b"were not saved" in r.out, "no other contents of the map", r)


def refused():
    r = Run([BPFLENS, "events", "--map", "1"])
    ok(r.status == 2 and "--syscalls" in r.errors, "--map without --syscalls", r)
    r = Run([BPFLENS, "events", "--syscalls", "--map", "4000000000"])
    ok(r.status == 3, "no such map", r)


if sys.argv[1:2] == ["calls"]:
    with open(sys.argv[4], "w") as f:
        f.write(make_calls(opened(sys.argv[2]), opened(sys.argv[3])))
    sys.exit(0)
with tempfile.TemporaryDirectory() as d:
    subprocess.run(["mount", "-t", "bpf", "bpf", d], check=True)
    types = ["key_type", "u32", "value_type", "struct timespec64", "entries", 2]
    pin = d + "/mc_a"
    one, two = (make(d + "/" + name, "type", "hash", *types, "name", name) for name in ("mc_a", "mc_b"))
    try:
        with tempfile.TemporaryDirectory() as files:
            live(pin, one, two)
            other_types()
            large()
            recorded(files, pin, d + "/mc_b", one, two)
            refused()
    finally:
        os.unlink(d + "/mc_a")
        os.unlink(d + "/mc_b")
        subprocess.run(["umount", d])
finish()
