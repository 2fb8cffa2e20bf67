#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""events: every load and every unload of a program is shown once, in order, however short its life; what is done
to maps and links; every call of bpf(2), decoded; nothing stays loaded after the command."""
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time

import rawbpf
from feed import Stream
from world import BPFLENS, Run, blocked, finish, isolate, ok, patience, skip, strict_json, until

isolate(alone="hundreds of programs are freed")
ME = os.getpid()
MY_NAME = open("/proc/self/comm").read().strip()


def stream(*words):
    s = Stream(BPFLENS, *words)
    s.listening()
    return s


def records(text):
    return [json.loads(line) for line in text.splitlines()]


def mine(text, prefix):
    return [r for r in records(text) if (r.get("name") or "").startswith(prefix)]


def in_order(got, prefix, n, what):
    """The command asks for the type of a program, and may hold it for a moment: an unload may be after the next load."""
    names = ["%s%d" % (prefix, i) for i in range(n)]
    loads, unloads = ([(i, r["name"], r["id"]) for i, r in enumerate(got) if r["event"] == event] for event in ("load", "unload"))
    ok([name for _, name, _ in loads] == names and sorted(x[1:] for x in unloads) == sorted(x[1:] for x in loads), what + ": each once",
       "%d loads, %d unloads" % (len(loads), len(unloads)))
    at = {name: i for i, name, _ in unloads}
    ok(all(i < at.get(name, -1) for i, name, _ in loads), what + ": the load is first", len(at))


def short_lives():
    """Loads and unloads in a loop: one program exists at a time."""
    s = stream("events")
    for i in range(500):
        os.close(rawbpf.prog_load("socket_filter", "ev_a%d" % i, i))
    ok(s.wait('"ev_a499"'), "the last of 500 is shown", s.text[-300:])
    s.wait('"event":"unload","id":%d' % mine(s.text, "ev_a499")[0]["id"])
    status, text, err = s.end()
    got = mine(text, "ev_a")
    in_order(got, "ev_a", 500, "500 loads and unloads")
    times = [r["timestamp"] for r in got]
    ok(times == sorted(times) and len(set(times)) == 1000, "times increase")
    # None: the command itself closed it last, after it asked for its type
    ok(all(r["pid"] == ME or (r["pid"] is None and r["event"] == "unload") for r in got) and all(r["comm"] in (MY_NAME, None) for r in got) and
       sum(r["pid"] == ME for r in got) > 900, "the process", got[0])
    ok(all(len(r["tag"]) == 16 and r["bytes_jited"] and r["nr_functions"] == 1 for r in got), "tag and code size", got[0])
    ok(all(0 < r["life_ns"] < patience(10) * 1e9 for r in got if r["event"] == "unload"), "how long it was loaded", got[1])
    ok(status == (5 if any(None in r.values() for r in records(text)) else 0), "status %d" % status, err)


def two_cpus():
    """Loaded on one CPU, unloaded on another: still in order."""
    cpus = sorted(os.sched_getaffinity(0))
    s = stream("events")
    for i in range(200):
        os.sched_setaffinity(0, {cpus[i % len(cpus)]})
        fd = rawbpf.prog_load("socket_filter", "ev_b%d" % i, i)
        os.sched_setaffinity(0, {cpus[(i + 1) % len(cpus)]})
        os.close(fd)
    os.sched_setaffinity(0, set(cpus))
    s.wait('"ev_b199"')
    s.wait('"event":"unload","id":%d' % mine(s.text, "ev_b199")[0]["id"])
    in_order(mine(s.end()[1], "ev_b"), "ev_b", 200, "over %d CPUs" % len(cpus))


def facts():
    before = rawbpf.prog_load("xdp", "ev_before")
    s = stream("events", "--count", "3", "-Q", 'name =~ "^ev_(before|c)"')
    fd = rawbpf.prog_load("sched_cls", "ev_c")
    info = Run([BPFLENS, "-j", "prog", "show", "id", str(rawbpf.object_id(fd))]).json
    s.wait('"ev_c"')
    os.close(fd)
    os.close(before)
    s.process.wait(patience(10))
    status, text, err = s.end()
    load, unload, old = records(text)
    ok(status == 0 and (load["kind"], load["event"], load["type"]) == ("prog", "load", "sched_cls"), "--count and -Q end it", text + err)
    ok(all(load[k] == info[k] for k in ("id", "name", "tag", "bytes_jited")), "the same as in prog show", "%s\n%s" % (load, info))
    # the kernel takes the load time of the program a moment earlier
    ok(unload["id"] == load["id"] and unload["type"] == "sched_cls" and 0 <= unload["life_ns"] - (unload["timestamp"] - load["timestamp"]) < patience(1) * 1e9,
       "its type is known at the unload", unload)
    ok(old["name"] == "ev_before" and old["type"] == "xdp" and old["life_ns"] > 0, "so is that of a program that was loaded before", old)
    wall = time.strftime("%Y-%m-%dT%H:", time.gmtime())
    ok(load["time"].startswith(wall) and load["time"].endswith("Z"), "the time of day", load["time"])


def forked():
    """A process that ends at once has the name of its parent."""
    s = stream("events", "-Q", "name == ev_fork")
    pids = []
    for i in range(20):
        pid = os.fork()
        if not pid:
            try:
                rawbpf.prog_load("socket_filter", "ev_fork")
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        pids.append(pid)
        s.wait_for(lambda text: text.count('"event":"load"') > i)
    got = records(s.end()[1])
    ok([r["pid"] for r in got if r["event"] == "load"] == pids, "processes of one load each", got[:2])
    ok(all(r["comm"] == MY_NAME for r in got if r["event"] == "load"), "their names", {str(r["comm"]) for r in got})


def formats():
    s = stream("-j", "events", "-Q", "name == ev_d")
    os.close(rawbpf.prog_load("socket_filter", "ev_d"))
    s.wait("unload")
    status, text, err = s.end(signal.SIGTERM)
    doc = strict_json(text.encode())
    ok([r["event"] for r in doc] == ["load", "unload"], "an array, complete after SIGTERM", text + err)
    s = stream("events", "-o", "event,name", "-Q", "name == ev_e")
    os.close(rawbpf.prog_load("socket_filter", "ev_e"))
    s.wait("unload")
    ok([list(r) for r in records(s.end()[1])] == [["event", "name"]] * 2, "columns")
    p = subprocess.Popen(["script", "-qec", BPFLENS + " events --count 1 -Q 'name == ev_f'", "/dev/null"], stdout=subprocess.PIPE,
                         stdin=subprocess.DEVNULL, universal_newlines=True)
    p.stdout.readline()  # what it waits for
    head = p.stdout.readline()  # which comes when it listens
    fd = rawbpf.prog_load("socket_filter", "ev_f")
    row = re.sub("\\x1b\\[[0-9;]*m", "", p.stdout.readline()).split()
    p.communicate(timeout=patience(10))
    ok("TIME" in head and "COMMAND" in head and row[1:3] == ["prog", "load"] and row[4:6] == ["socket_filter", "ev_f"] and len(row[0]) == 15,
       "a table on a terminal, row by row", "%s%s" % (head, row))
    os.close(fd)
    start = time.monotonic()
    r = Run([BPFLENS, "events", "--seconds", "1", "-Q", "name == none"])
    ok(r.status == 0 and r.out == b"" and 0.9 < time.monotonic() - start < patience(5), "--seconds", r)
    r = Run([BPFLENS, "events", "--seconds", "never"])
    ok(r.status == 2 and "not an interval" in r.errors, "an invalid number of seconds", r)
    r = Run([BPFLENS, "events", "-Q", "nonsense == 1"])
    ok(r.status == 2 and "nonsense" in r.errors, "no such column", r)


def lost():
    """The command is stopped until its buffers are full."""
    cpus = sorted(os.sched_getaffinity(0))
    s = stream("events", "-Q", 'event == lost || name =~ "^ev_g"', "-o", "event,name,count")
    s.process.send_signal(signal.SIGSTOP)
    os.sched_setaffinity(0, {cpus[0]})
    for i in range(6000):
        os.close(rawbpf.prog_load("socket_filter", "ev_g%d" % i, i & 1))
    os.sched_setaffinity(0, set(cpus))
    s.process.send_signal(signal.SIGCONT)
    s.wait('"ev_g0"')
    # the next record reports the loss
    while not s.wait('"lost"', 0.2):
        os.close(rawbpf.prog_load("socket_filter", "ev_h"))
    status, text, err = s.end()
    got = records(text)
    gap = sum(r["count"] for r in got if r["event"] == "lost")
    ok(status == 5 and gap > 1000 and "the kernel lost %d event" % gap in err, "lost events are reported", "%d\n%s" % (gap, err))
    ok(len(got) > 2000, "the others are shown", len(got))


def refused():
    r = Run(["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--reuid=65534", "--clear-groups", BPFLENS, "events", "--count", "1"])
    ok(r.status == 4 and "perf_event_open" in r.errors and "CAP_PERFMON" in r.errors, "without privilege: the reason", r)


HERE = os.path.dirname(os.path.abspath(__file__))


def script(*lines):
    """The words of a command that runs these lines of Python."""
    return [sys.executable, "-c", "import os, struct, ctypes, sys; sys.path.insert(0, %r); import rawbpf\n" % HERE + "\n".join(lines)]


MIX = script('m = rawbpf.map_create(1, 4, 8, 16, "ev_map")', 'rawbpf.map_update(m, bytes(4), b"12345678")', 'p = rawbpf.prog_load("raw_tracepoint", "ev_mix")',
             'name = ctypes.create_string_buffer(b"sched_process_exit")', 'l = rawbpf.bpf(17, struct.pack("<QI", ctypes.addressof(name), p))',
             'rawbpf.try_bpf(99, b"\\1\\2\\3\\4" + bytes(12) + b"\\7")', 'print(rawbpf.object_id(m), rawbpf.object_id(p), rawbpf.object_id(l), flush=True)',
             'sys.exit(7)')


def programs_alone():
    r = Run([BPFLENS, "--no-load", "events", "--"] + MIX, timeout=20)
    got = records(r.text)
    ok([(x["kind"], x["event"]) for x in got if x["event"] != "unload"] == [("prog", "load")] and "only programs were shown" in r.errors,
       "--no-load: programs only, and the reason", r)
    r = Run([BPFLENS, "--no-load", "events", "--syscalls", "--"] + MIX, timeout=20)
    ok(r.status == 1 and "--no-load forbids the BPF program" in r.errors and r.out == b"", "--no-load: calls are refused", r)


def loads_here():
    r = Run([BPFLENS, "events", "--syscalls", "--", "true"], timeout=20)
    if r.status == 0:
        return True
    return skip("calls: the BPF program cannot be loaded here: " + r.errors.splitlines()[0])


def of_mix(*words):
    """Run the command; again if programs of others were gone before they could be read."""
    for _ in range(10):
        r = Run([BPFLENS, "events", *words, "--"] + MIX, timeout=20)
        if "read only in part" not in r.errors:
            break
    return r


def objects():
    r = of_mix()
    ids = [int(x) for x in r.errors.split()[:3]]
    got = [x for x in records(r.text) if x["event"] != "unload"]
    ok(r.status == 7, "the command's exit status", r)
    ok([(x["kind"], x["event"], x["id"]) for x in got] == list(zip(("map", "prog", "link"), ("create", "load", "create"), ids)), "the objects that it created", r)
    ok(got[0]["type"] == "hash" and got[0]["name"] == "ev_map" and got[1]["type"] == "raw_tracepoint" and got[1]["name"] == "ev_mix" and
       got[2]["attr"]["name"] == "sched_process_exit" and got[2]["objects"] == [{"member": "prog_fd", "kind": "prog", "id": ids[1]}],
       "types, names, descriptors", r)
    times = [x["timestamp"] for x in got]
    ok(times == sorted(times) and len({x["pid"] for x in got}) == 1, "in order, of one process", times)


def always_typed():
    """Programs that were unloaded before they could be read: their type is known from the call."""
    s = stream("events", "-Q", 'name =~ "^ev_i" && event == load')
    for i in range(300):
        os.close(rawbpf.prog_load("sched_cls", "ev_i%d" % i, i))
    s.wait('"ev_i299"')
    status, text, err = s.end()
    got = mine(text, "ev_i")
    known = sum(x["type"] == "sched_cls" for x in got)
    ok(len(got) == 300 and known == 300 and status == 0, "types of 300 programs with a short life", "%d of %d, status %d\n%s" % (known, len(got), status, err))


def calls():
    r = of_mix("--syscalls")
    got = records(r.text)
    ids = [int(x) for x in r.errors.split()[:3]]
    ok(r.status == 7 and [x["event"] for x in got] == ["map_create", "map_update_elem", "prog_load", "raw_tracepoint_open", "unknown(99)"] +
       ["obj_get_info_by_fd"] * 3, "each call of the command", r)
    create, update, load, attach, unknown, info = got[:6]
    ok(create["attr"] == {"map_type": "hash", "key_size": 4, "value_size": 8, "max_entries": 16, "map_name": "ev_map"} and
       (create["kind"], create["id"], create["result"]) == ("map", ids[0], update["attr"]["map_fd"]), "members by name", create)
    ok(update["objects"] == [{"member": "map_fd", "kind": "map", "id": ids[0]}] and update["attr"]["key"].startswith("0x"), "descriptors", update)
    ok(load["attr"]["prog_type"] == "raw_tracepoint" and load["attr"]["license"] == "GPL" and load["attr"]["prog_name"] == "ev_mix" and
       load["attr"]["insn_cnt"] == 2 and load["id"] == ids[1], "a load", load)
    ok(attach["attr"] == {"name": "sched_process_exit", "prog_fd": load["result"]} and (attach["kind"], attach["id"]) == ("link", ids[2]), "a link", attach)
    ok(unknown["result"] == -22 and unknown["errno"] == "EINVAL" and unknown["attr"] == {"+0": "0102030400000000", "+16": "0700000000000000"},
       "an unknown command of bpf(2)", unknown)
    ok("errno" not in create and all(x["duration"] > 0 and x["tid"] == x["pid"] and x["comm"].startswith("python") for x in got), "process and duration", got[0])
    p = subprocess.run(["script", "-qec", BPFLENS + " events --syscalls -- bpf-nothing", "/dev/null"], stdout=subprocess.PIPE, timeout=patience(20))
    ok(p.returncode == 3 and b"cannot run 'bpf-nothing'" in p.stdout, "a command that does not exist", p.stdout)
    r = Run([BPFLENS, "events", "--syscalls", "--", "sh", "-c", "kill -TERM $$"], timeout=20)
    ok(r.status == 128 + signal.SIGTERM and r.out == b"", "a command that is ended by a signal", r)


def children():
    """Descendants of the command, one of them without a parent."""
    code = script("first, last = os.pipe()", "if not os.fork():", "    if not os.fork():", '        rawbpf.map_create(2, 4, 4, 1, "ev_grand")', "    os._exit(0)", "os.wait()", "os.close(last)", "os.read(first, 1)")
    r = Run([BPFLENS, "events", "--syscalls", "--"] + code, timeout=20)
    ok([x["attr"].get("map_name") for x in records(r.text)] == ["ev_grand"] and r.status == 0, "objects that its descendants create", r)


def one_process():
    p = subprocess.Popen(script("for line in sys.stdin:", '    os.close(rawbpf.map_create(2, 4, 4, 1, "ev_pid"))', '    print("made", flush=True)'),
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, universal_newlines=True)
    s = stream("events", "--syscalls", "--pid", str(p.pid), "--count", "2")
    for _ in range(2):
        os.close(rawbpf.map_create(2, 4, 4, 1, "ev_other"))
        p.stdin.write("\n")
        p.stdin.flush()
        p.stdout.readline()
    s.process.wait(patience(10))
    status, text, err = s.end()
    ok(status == 0 and [(x["pid"], x["name"]) for x in records(text)] == [(p.pid, "ev_pid")] * 2, "--pid", text + err)
    p.stdin.close()
    p.wait()
    r = Run([BPFLENS, "events", "--pid", "1", "--", "true"])
    ok(r.status == 2, "--pid and a command", r)


def members():
    """Every command of bpf(2), with distinct bytes in each member: names and offsets are those of the kernel's own types."""
    words = [0x7f000100 + i for i in range(42)]
    attr = struct.pack("<42I", *words)
    r = Run([BPFLENS, "-j", "btf", "layout", "bpf_attr"])
    if r.status:
        return skip("members: the kernel has no BTF")
    enum = re.search(r"ENUM '(?:bpf_cmd)'.*\n((?:\t.*\n)+)", Run([BPFLENS, "btf", "dump", "file", "/sys/kernel/btf/vmlinux"]).text)
    known = {word.lower() for word in re.findall(r"'BPF_(\w+)'", enum.group(1))}
    places, of = {}, {m["member"].split(".")[0]: set() for m in r.json["layout"] if "." in m["member"]}
    for m in r.json["layout"]:
        of.get(m["member"].split(".")[0], set()).add(m["name"])
        if m["size"] in (4, 8, 16):
            places.setdefault(m["name"], set()).add((m["offset"], m["size"]))
    s = stream("events", "--syscalls", "--pid", str(ME))
    for cmd in range(39):
        rawbpf.try_bpf(cmd, attr)
    rawbpf.try_bpf(98, attr)
    s.wait("unknown(98)")
    got, bad, seen = [x for x in records(s.end()[1]) if x["pid"] == ME], [], 0
    for x in got:
        for name, value in x["attr"].items() if x["event"] in known else ():
            if name[0] == "+":
                continue
            seen += 1
            own = [names for struct, names in of.items() if struct and x["event"].startswith(struct)]
            if name not in places or (own and name not in own[0]):  # newer than this kernel
                continue
            want = []
            for at, size in places[name]:
                n = int.from_bytes(attr[at:at + size], "little")
                want += [n, "0x%x" % n, "unknown(%d)" % n, struct.unpack_from("<i", attr, at)[0]]
                want += [attr[at:at + 16].split(b"\0")[0].decode("latin-1")]
            if value not in want and name not in ("license", "name", "pathname", "next_id") and x["result"] < 0:
                bad.append((x["event"], name, value, places[name]))
    ok(len(got) == 40 and seen > 120 and len(known) > 30 and not [b for b in bad if b[1] not in ("map_name", "prog_name")], "%d members of %d commands" % (seen, len(got)), bad)


def compat():
    """bpf(2) through the 32-bit system call, int 0x80, with an attribute below 4 GiB."""
    code = script("import mmap", "MAP_32BIT = 0x40", "page = mmap.mmap(-1, 8192, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_32BIT, 7)",
                  "at = ctypes.addressof(ctypes.c_char.from_buffer(page))", 'page[4096:4096 + 20] = struct.pack("<5I", 2, 4, 8, 3, 0)', "page[4096 + 28:4096 + 34] = b'ev_x86'",
                  # push rbx; mov eax, 357; xor ebx, ebx; mov ecx, attr; mov edx, 72; int 0x80; pop rbx; ret
                  'page[:22] = b"\\x53\\xb8" + struct.pack("<I", 357) + b"\\x31\\xdb\\xb9" + struct.pack("<I", at + 4096) + b"\\xba" + struct.pack("<I", 72) + b"\\xcd\\x80\\x5b\\xc3"',
                  "fd = ctypes.CFUNCTYPE(ctypes.c_int)(at)()", "print(fd, flush=True)", "sys.exit(0 if fd >= 0 else 9)")
    r = Run([BPFLENS, "events", "--syscalls", "--"] + code, timeout=20)
    if os.uname().machine != "x86_64" or r.status in (9, 128 + signal.SIGSEGV):
        return skip("calls of 32-bit programs: int 0x80 is not possible here")
    got = records(r.text)
    ok(r.status == 0 and len(got) == 1 and got[0]["event"] == "map_create" and
       got[0]["attr"] == {"map_type": "array", "key_size": 4, "value_size": 8, "max_entries": 3, "map_name": "ev_x86"}, "a call of a 32-bit program", r)


def killed():
    """Nothing stays attached, even if the command is killed."""
    p = subprocess.Popen([BPFLENS, "-d", "events", "--syscalls"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True)
    ours = []
    while len(ours) < 9:
        m = re.search(r"own: (\w+) (\d+) is ours", p.stderr.readline())
        ours += [m.groups()] if m else []
    blocked(p)
    there = [o for o in ours if Run([BPFLENS, o[0], "show", "id", o[1]]).status == 0]
    p.send_signal(signal.SIGKILL)
    p.communicate()
    left = list(ours)

    def gone():
        left[:] = [o for o in left if Run([BPFLENS, o[0], "show", "id", o[1]]).status != 3]
        return not left
    until(gone)
    ok({kind for kind, _ in there} == {"prog", "map", "link"} and not left, "nothing stays loaded after SIGKILL", "there: %s, left: %s" % (there, left))


short_lives()
two_cpus()
facts()
forked()
formats()
lost()
refused()
programs_alone()
if loads_here():
    objects()
    always_typed()
    calls()
    children()
    one_process()
    members()
    compat()
    killed()
finish()
