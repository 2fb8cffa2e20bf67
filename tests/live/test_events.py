#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""events: every program that is loaded is announced once when it comes and once when it goes, in order, however short it lives; nothing
that the command needs stays behind."""
import json
import os
import signal
import subprocess
import time

import rawbpf
from feed import Stream
from world import BPFLENS, Run, finish, isolate, ok, strict_json

isolate()
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
    """The command asks for a program's type, and so may hold it for a moment: an unload may come behind the next load."""
    names = ["%s%d" % (prefix, i) for i in range(n)]
    loads, unloads = ([(i, r["name"], r["id"]) for i, r in enumerate(got) if r["event"] == event] for event in ("load", "unload"))
    ok([name for _, name, _ in loads] == names and sorted(x[1:] for x in unloads) == sorted(x[1:] for x in loads), what + ": each once",
       "%d loads, %d unloads" % (len(loads), len(unloads)))
    at = {name: i for i, name, _ in unloads}
    ok(all(i < at.get(name, -1) for i, name, _ in loads), what + ": first the load", len(at))


def short_lives():
    """At once, one after the other: at no moment more than one is there."""
    s = stream("events")
    for i in range(500):
        os.close(rawbpf.prog_load("socket_filter", "ev_a%d" % i, i))
    ok(s.wait('"ev_a499"'), "the last of 500 comes", s.text[-300:])
    s.wait('"event":"unload","id":%d' % mine(s.text, "ev_a499")[0]["id"])
    status, text, err = s.end()
    got = mine(text, "ev_a")
    in_order(got, "ev_a", 500, "500 loads and unloads")
    times = [r["timestamp"] for r in got]
    ok(times == sorted(times) and len(set(times)) == 1000, "times grow")
    # None: the command itself closed it last, having asked for its type
    ok(all(r["pid"] == ME or (r["pid"] is None and r["event"] == "unload") for r in got) and all(r["comm"] in (MY_NAME, None) for r in got) and
       sum(r["pid"] == ME for r in got) > 900, "who did it", got[0])
    ok(all(len(r["tag"]) == 16 and r["bytes_jited"] and r["nr_functions"] == 1 for r in got), "tag and code", got[0])
    ok(all(0 < r["life"] < 10**10 for r in got if r["event"] == "unload"), "how long it was there", got[1])
    ok(status == (5 if any(None in r.values() for r in records(text)) else 0), "status %d" % status, err)


def two_cpus():
    """Loaded on one CPU, unloaded on another: in order all the same."""
    cpus = sorted(os.sched_getaffinity(0))
    s = stream("events")
    for i in range(200):
        os.sched_setaffinity(0, {cpus[i % len(cpus)]})
        fd = rawbpf.prog_load("socket_filter", "ev_b%d" % i, i)
        os.sched_setaffinity(0, {cpus[(i + 1) % len(cpus)]})
        os.close(fd)
    os.sched_setaffinity(0, set(cpus))
    s.wait('"ev_b199"')
    time.sleep(0.2)
    in_order(mine(s.end()[1], "ev_b"), "ev_b", 200, "over %d CPUs" % len(cpus))


def facts():
    before = rawbpf.prog_load("xdp", "ev_before")
    s = stream("events", "--count", "3", "-Q", 'name =~ "^ev_(before|c)"')
    fd = rawbpf.prog_load("sched_cls", "ev_c")
    info = Run([BPFLENS, "-j", "prog", "show", "id", str(rawbpf.object_id(fd))]).json
    s.wait('"ev_c"')
    os.close(fd)
    os.close(before)
    s.process.wait(10)
    status, text, err = s.end()
    load, unload, old = records(text)
    ok(status == 0 and (load["kind"], load["event"], load["type"]) == ("prog", "load", "sched_cls"), "--count and -Q end it", text + err)
    ok(all(load[k] == info[k] for k in ("id", "name", "tag", "bytes_jited")), "as prog show says", "%s\n%s" % (load, info))
    # the program's own time is taken a moment before
    ok(unload["id"] == load["id"] and unload["type"] == "sched_cls" and 0 <= unload["life"] - (unload["timestamp"] - load["timestamp"]) < 10**9,
       "its type is known when it goes", unload)
    ok(old["name"] == "ev_before" and old["type"] == "xdp" and old["life"] > 0, "so is that of one that was there before", old)
    wall = time.strftime("%Y-%m-%dT%H:", time.gmtime())
    ok(load["time"].startswith(wall) and load["time"].endswith("Z"), "the time of day", load["time"])


def forked():
    """A process that is gone at once is named after who made it."""
    s = stream("events", "-Q", "name == ev_fork")
    pids = []
    for _ in range(20):
        pid = os.fork()
        if not pid:
            try:
                rawbpf.prog_load("socket_filter", "ev_fork")
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        pids.append(pid)
    time.sleep(0.5)
    got = records(s.end()[1])
    ok([r["pid"] for r in got if r["event"] == "load"] == pids, "processes of one load each", got[:2])
    ok(all(r["comm"] == MY_NAME for r in got if r["event"] == "load"), "their names", {str(r["comm"]) for r in got})


def formats():
    s = stream("-j", "events", "-Q", "name == ev_d")
    os.close(rawbpf.prog_load("socket_filter", "ev_d"))
    s.wait("unload")
    status, text, err = s.end(signal.SIGTERM)
    doc = strict_json(text.encode())
    ok([r["event"] for r in doc] == ["load", "unload"], "an array, whole after SIGTERM", text + err)
    s = stream("events", "-o", "event,name", "-Q", "name == ev_e")
    os.close(rawbpf.prog_load("socket_filter", "ev_e"))
    s.wait("unload")
    ok([list(r) for r in records(s.end()[1])] == [["event", "name"]] * 2, "columns")
    p = subprocess.Popen(["script", "-qec", BPFLENS + " events --count 1 -Q 'name == ev_f'", "/dev/null"], stdout=subprocess.PIPE,
                         stdin=subprocess.DEVNULL, universal_newlines=True)
    head = p.stdout.readline()
    time.sleep(0.3)
    fd = rawbpf.prog_load("socket_filter", "ev_f")
    row = p.stdout.readline().split()
    p.communicate(timeout=10)
    ok("TIME" in head and "COMMAND" in head and row[1:3] == ["prog", "load"] and row[4:6] == ["socket_filter", "ev_f"] and len(row[0]) == 15,
       "a table on a terminal, row by row", "%s%s" % (head, row))
    os.close(fd)
    start = time.monotonic()
    r = Run([BPFLENS, "events", "--seconds", "1", "-Q", "name == none"])
    ok(r.status == 0 and r.out == b"" and 0.9 < time.monotonic() - start < 5, "--seconds", r)
    r = Run([BPFLENS, "events", "--seconds", "never"])
    ok(r.status == 2 and "no interval" in r.errors, "no number of seconds", r)
    r = Run([BPFLENS, "events", "-Q", "nonsense == 1"])
    ok(r.status == 2 and "nonsense" in r.errors, "no such column", r)


def lost():
    """The command sleeps until its rings are full."""
    cpus = sorted(os.sched_getaffinity(0))
    s = stream("events", "-Q", 'event == lost || name =~ "^ev_g"', "-o", "event,name,count")
    s.process.send_signal(signal.SIGSTOP)
    os.sched_setaffinity(0, {cpus[0]})
    for i in range(6000):
        os.close(rawbpf.prog_load("socket_filter", "ev_g%d" % i, i & 1))
    os.sched_setaffinity(0, set(cpus))
    s.process.send_signal(signal.SIGCONT)
    s.wait('"ev_g0"')
    # the next record tells of the gap
    while not s.wait('"lost"', 0.2):
        os.close(rawbpf.prog_load("socket_filter", "ev_h"))
    status, text, err = s.end()
    got = records(text)
    gap = sum(r["count"] for r in got if r["event"] == "lost")
    ok(status == 5 and gap > 1000 and "%d announcements of the kernel were lost" % gap in err, "lost events are said", "%d\n%s" % (gap, err))
    ok(len(got) > 2000, "the others are there", len(got))


def refused():
    r = Run(["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--reuid=65534", "--clear-groups", BPFLENS, "events", "--count", "1"])
    ok(r.status == 4 and "perf_event_open" in r.errors and "CAP_PERFMON" in r.errors, "without privilege: why", r)


short_lives()
two_cpus()
facts()
forked()
formats()
lost()
refused()
finish()
