#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""metrics --listen: whole answers or an error, whatever clients do; one reading for all who wait; little memory, few rights; a signal ends it."""
import concurrent.futures
import ctypes
import http.client
import os
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading

from networks import CLONE_NEWNET, LIBC
from rawbpf import map_create, map_update, object_id, prog_load, test_run, try_bpf
from world import STRACE, World, finish, isolate, linux_since, number, ok, patience, sanitized, skip, until

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from openmetrics import parse  # noqa: E402

isolate()
PORT = 9433
ALL = ["--limit", "1000000"]  # whatever others have loaded
SAVED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../archives/sample.tar.gz")
TYPES = {False: "application/openmetrics-text; version=1.0.0; charset=utf-8", True: "text/plain; version=0.0.4; charset=utf-8"}
KEPT = {"CapInh": 0, "CapPrm": 0xc000281004, "CapEff": 0xc000281004, "CapBnd": 0xc000281004, "CapAmb": 0, "NoNewPrivs": 1}


class Server:
    all = []

    def __init__(self, w, *more, command=(), options=("--listen", str(PORT))):
        self.p = subprocess.Popen(list(command) + [w.lens, "metrics"] + ALL + list(options) + list(more), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.all.append(self.p)
        self.up = until(lambda: self.p.poll() is not None or connects()) and self.p.poll() is None

    def status(self, key):
        with open("/proc/%d/status" % self.p.pid) as f:
            return next(line.split()[1] for line in f if line.startswith(key + ":"))

    def memory(self):
        return int(self.status("VmRSS")) * 1024

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.p.pid))

    def children(self):
        with open("/proc/%d/task/%d/children" % (self.p.pid, self.p.pid)) as f:
            return [int(pid) for pid in f.read().split()]

    def end(self, number=signal.SIGTERM):
        self.p.send_signal(number)
        return self.p.wait(timeout=patience(20)), self.p.stderr.read().decode()


def connects():
    try:
        socket.create_connection(("127.0.0.1", PORT), 5).close()
        return True
    except OSError:
        return False


def get(path="/metrics", method="GET", accept=None, body=None):
    c = http.client.HTTPConnection("127.0.0.1", PORT, timeout=patience(60))
    try:
        c.request(method, path, body=body, headers={"Accept": accept} if accept else {})
        r = c.getresponse()
        return r.status, r.read(), r
    finally:
        c.close()


def send(data, wait=patience(30)):
    """The answer to these bytes, as they are."""
    with socket.create_connection(("127.0.0.1", PORT), wait) as s:
        out = b""
        try:
            s.sendall(data)
        except OSError:
            pass  # it has answered
        try:
            while True:
                more = s.recv(1 << 16)
                if not more:
                    return out
                out += more
        except OSError:
            return out


def whole(answer):
    """Is it a complete answer?"""
    head, end, body = answer.partition(b"\r\n\r\n")
    m = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
    return bool(end and m and int(m[1]) == len(body))


def answers(w, server):
    text = w.run("metrics", *ALL, "--format", "prometheus").out
    mine, got = {}, {}
    for old in (True, False):
        status, body, r = get(accept=None if old else "application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
        ok(status == 200 and r.getheader("Content-Type") == TYPES[old] and r.getheader("Connection") == "close", "status and type: " + TYPES[old], r.headers)
        got[old] = parse(body, old)
    steady = {k for k in parse(text, True) if not re.search("_runs_|seconds|misses|bpf_objects|attachments|unread", k[0])}
    mine = {dict(k[1]).get("name") for k in steady} & {f["name"] for f in w.facts}
    own = {k for k in steady if dict(k[1]).get("name") in mine}
    ok(len(own) > 40 and own <= set(got[True]) and own <= set(got[False]), "%d series of our objects, as the command prints them" % len(own), own - set(got[True]))
    status, body, r = get(method="HEAD")
    ok(status == 200 and not body and int(r.getheader("Content-Length")) > 1000, "HEAD", r.headers)
    for path, method, body, expected in (("/", "GET", None, 200), ("/metric", "GET", None, 404), ("/metrics/", "GET", None, 404), ("/metrics?a=b", "GET", None, 200), ("/metrics", "POST", "x", 405),
                                         ("/metrics", "DELETE", None, 405), ("/metrics", "BREW", None, 405), ("/metrics", "GET", "x" * 100000, 400)):
        status, text, r = get(path, method, body=body)
        ok(status == expected and text, "%s %s: %d" % (method, path, expected), (status, text[:100]))
    ok(b'href="/metrics"' in get("/")[1], "the page / has a link")
    rights = {key: int(server.status(key), 16) for key in KEPT}
    ok(rights == KEPT, "no other rights than reading takes", rights)


def hostile(server):
    get()
    before, few = server.memory(), server.descriptors()
    for what, data in (("a header of 1 MB", b"GET /metrics HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 1000000 + b"\r\n\r\n"),
                       ("100,000 headers", b"GET /metrics HTTP/1.1\r\n" + b"".join(b"X%d: y\r\n" % i for i in range(100000)) + b"\r\n"),
                       ("a path of 1 MB", b"GET /" + b"a" * 1000000 + b" HTTP/1.1\r\nHost: x\r\n\r\n"),
                       ("a body of 1 MB", b"GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + b"z" * 1000000),
                       ("a body in chunks", b"GET /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nz\r\n" * 10000),
                       ("two requests at once", b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n" * 2),
                       ("no HTTP", b"\x16\x03\x01\x02\x00\x01\x00\x01 \xfc\x03\r\n\r\n\r\n\r\n")):
        answer = send(data)
        # What is sent on after the answer may make the kernel drop the answer.
        ok(not answer or (answer.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4")) and whole(answer)), what + ": 4xx or nothing", answer[:200])
    ok(send(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 60).startswith(b"HTTP/1.1 200"), "and it still answers")
    half = [socket.create_connection(("127.0.0.1", PORT), 30) for _ in range(200)]
    for s in half:
        s.sendall(b"GET /metrics HTT")
    status, body, _ = get()  # waits until the first of them time out
    ok(status == 200 and parse(body, True), "200 half clients: a scrape after them is answered", status)
    most = server.memory()
    slow = [socket.socket() for _ in range(40)]
    for s in slow:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        s.connect(("127.0.0.1", PORT))
        s.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    status, body, _ = get()
    ok(status == 200 and parse(body, True), "40 clients that do not read: another one is answered", status)
    most = max(most, server.memory())
    for s in half + slow:
        s.close()
    ok(sanitized() or most - before < 8 << 20, "memory stays below 8 MB more: %d KB, %d KB before" % (most >> 10, before >> 10))
    ok(until(lambda: server.descriptors() <= few, 60), "all connections are closed", server.descriptors())


def many(server):
    """1,000 in a row, and 50 at once. They share readings: a counter that grows all the time has few values."""
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        list(pool.map(lambda _: get(), range(100)))
    memory, descriptors, lengths = server.memory(), server.descriptors(), set()
    bad, scrapes = 0, number("SCRAPES", 200)
    for _ in range(scrapes):
        status, body, _ = get()
        bad += status != 200 or b"bpflens_build_info" not in body
    ok(not bad, "%d scrapes in a row" % scrapes, bad)
    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        for _ in range(5):
            for status, body, _ in pool.map(lambda _: get(), range(50)):
                bad += status != 200
                lengths.add(len(body))
        ok(not bad, "50 at once", bad)
        fd = prog_load("socket_filter", "l_shared")
        ended = False

        def runs():
            while not ended:
                test_run(fd, 10)
        others = pool.submit(runs)
        os.kill(server.p.pid, signal.SIGSTOP)
        waiting = [pool.submit(get) for _ in range(49)]
        until(lambda: backlog() >= 49)
        os.kill(server.p.pid, signal.SIGCONT)
        bodies = {f.result()[1] for f in waiting}
        ended = True
        others.result()
        counts = {m.group() for m in (re.search(rb'bpf_prog_runs_total\{name="l_shared".*', b) for b in bodies) if m}
        os.close(fd)
    ok(1 <= len(counts) <= 3, "49 requests that arrive together: at most 3 readings", counts)
    ok(sanitized() or server.memory() - memory < 1 << 20, "memory does not grow: %d KB, then %d KB" % (memory >> 10, server.memory() >> 10))
    ok(server.descriptors() <= descriptors and not server.children(), "nothing is left", (server.descriptors(), descriptors, server.children()))


def backlog():
    out = subprocess.run(["ss", "-Htln", "sport", "=", str(PORT)], stdout=subprocess.PIPE, universal_newlines=True).stdout.split()
    return int(out[1]) if len(out) > 1 else 0


def killed(server):
    """A reading that is killed is an answer, and never half a page."""
    found = set()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for _ in range(200):
            asked = pool.submit(get)
            reading = until(lambda: asked.done() or server.children(), 20, 0.0005)
            for pid in reading if isinstance(reading, list) else []:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            status, body, _ = asked.result()
            found.add(status)
            if status == 503:
                break
    ok(503 in found and body == b"the metrics could not be read\n", "a reading that is killed: 503", (found, body[:100]))
    ok(get()[0] == 200, "the next one is whole")


def cpu_ms(server):
    """CPU time of the server and its readings."""
    with open("/proc/%d/stat" % server.p.pid) as f:
        return sum(int(x) for x in f.read().rpartition(")")[2].split()[11:15]) * 1000 / os.sysconf("SC_CLK_TCK")


def memory_of(name):
    """Bytes of the map, as a scrape has them; None: it has no such map."""
    m = re.search(rb'bpf_map_memory_bytes\{name="%s".*\} (\d+)' % name.encode(), get()[1])
    return m and int(m[1])


def changing(w):
    """What is known of an object is true of no other, and memory that depends on elements is read each time."""
    server = Server(w)
    fds = {"l_steady": map_create(1, 4, 64, 4096, "l_steady"), "l_grows": map_create(1, 4, 64, 4096, "l_grows", 1)}
    before = {name: memory_of(name) for name in fds}
    for fd in fds.values():
        for i in range(4096):
            map_update(fd, i.to_bytes(4, "little"), bytes(64))
    after = {name: memory_of(name) for name in fds}
    ok(before["l_steady"] and before["l_steady"] == after["l_steady"], "memory that is allocated with the map", (before, after))
    ok(before["l_grows"] is not None and after["l_grows"] >= before["l_grows"], "memory that grows with its elements", (before, after))
    shown = {name: w.run("-j", "map", "show", "id", object_id(fd)).json["bytes_memlock"] for name, fd in fds.items()}
    ok(shown == after, "both as show has them", (shown, after))
    os.close(fds["l_steady"])
    ok(until(lambda: memory_of("l_steady") is None) and memory_of("l_grows") == after["l_grows"], "a map that is gone")
    fds["l_steady"] = map_create(1, 4, 128, 8192, "l_steady")
    ok(until(lambda: memory_of("l_steady") or 0) > before["l_steady"], "another one of that name")
    for fd in fds.values():
        os.close(fd)
    server.end()


def counts(w):
    """Runs are those of now, on each CPU, also of another program that has the name of one before."""
    server, cpus, expected = Server(w), os.sched_getaffinity(0), 0
    for program in range(2):
        fd = prog_load("socket_filter", "l_counted", program)
        for scrape in range(3):
            for cpu in cpus:
                os.sched_setaffinity(0, {cpu})
                test_run(fd, 10 + program + scrape)
            os.sched_setaffinity(0, cpus)
            shown = w.run("-j", "prog", "show", "id", object_id(fd)).json
            text = get()[1]
            found = re.findall(rb'bpf_prog_run(?:s|_seconds)_total\{name="l_counted".*\} ([0-9.]+)', text)
            ok(sorted(map(float, found)) == sorted([shown["run_cnt"], shown["run_time_ns"] / 1e9]), "runs and time of program %d, scrape %d" % (program, scrape), (found, shown))
            ok(shown["run_cnt"] > expected, "and it has run", shown)
            expected = shown["run_cnt"]
        os.close(fd)
        expected = 0
        ok(until(lambda: b'"l_counted"' not in get()[1]), "a program that is gone")
    server.end()


def namespaces(w):
    """A network namespace that one thread is in."""
    flow, attached, end = prog_load("flow_dissector", "l_thread_flow"), threading.Event(), threading.Event()
    errors = []

    def inside():
        errors.append(LIBC.unshare(CLONE_NEWNET) or try_bpf(8, struct.pack("<IIII", 0, flow, 17, 0)))  # BPF_PROG_ATTACH, BPF_FLOW_DISSECTOR
        attached.set()
        end.wait()

    def found():
        return re.search(rb'name="l_thread_flow".*where="\d+:netns flow_dissector"', get()[1])
    thread = threading.Thread(target=inside)
    thread.start()
    attached.wait()
    server = Server(w, "--where")
    ok(errors == [0] and found(), "a place in a namespace that one thread is in", errors)
    end.set()
    thread.join()
    ok(until(lambda: not found()), "and that ends with it")
    server.end()
    os.close(flow)


def library_sends_files():
    """Since libmicrohttpd 0.9.73; a static program has that of its build."""
    try:
        library = ctypes.CDLL("libmicrohttpd.so.12")
    except OSError:
        return False
    library.MHD_get_version.restype = ctypes.c_char_p
    return [int(x) for x in library.MHD_get_version().decode().split(".")[:3]] >= [0, 9, 73]


def cheap(w):
    """Programs are opened by the first scrape, and by others only where no iterator has their counters; so are maps whose memory does not change. The iterators
    are loaded once for all. A scrape does not ask about files that cannot be events, and knows from the programs which cgroups can have some."""
    n, scrapes = number("PROGRAMS", 100), 5
    maps = [map_create(2, 4, 8, 1, "l_map%d" % i) for i in range(n)]
    progs = [prog_load("socket_filter", "l_prog%d" % i, i, maps=(fd,)) for i, fd in enumerate(maps)]
    mine = {("PROG", str(object_id(fd))): 1 if linux_since(5, 18) else scrapes for fd in progs}
    mine.update({("MAP", str(object_id(fd))): 1 for fd in maps})
    server = Server(w)
    get()
    before = cpu_ms(server)
    for _ in range(scrapes):
        get()
    print("# a scrape with %d programs and maps more: %.1f ms of CPU" % (n, (cpu_ms(server) - before) / scrapes))
    server.end()
    groups = ["%s/l_group%d" % (w.cgroup, i) for i in range(40 if w.cgroup else 0)]
    for path in groups:
        os.mkdir(path)
    log, others = w.dir + "/calls", [select.epoll() for _ in range(50)]
    server = Server(w, command=STRACE + ["-D", "-f", "-qq", "-o", log, "-e", "trace=bpf,sendfile"])
    for _ in range(scrapes):
        get()
    server.end()
    for path in groups:
        os.rmdir(path)
    for fds in (progs, maps):
        while fds:
            for fd in fds[:100]:
                os.close(fd)
            del fds[:100]
            threading.Event().wait(0.1)  # programs are freed one after another: not all at once
    with open(log) as f:
        calls = f.read()
    opens = re.findall(r"BPF_(PROG|MAP|LINK|BTF)_GET_FD_BY_ID, \{\w+_id=(\d+)", calls)
    found = {one: opens.count(one) for one in mine}
    infos = len(re.findall("BPF_OBJ_GET_INFO_BY_FD", calls))
    if "own: program files loaded" not in w.run("-d", "metrics").errors:
        return skip("programs of ours cannot be loaded")
    ok(found == mine, "the first scrape opens each program and each array, and others do not", set(found.values()))
    ok(infos < 1.2 * len(opens) + 100, "and asks once for what it is", (infos, len(opens)))
    if library_sends_files():
        ok(calls.count("sendfile(") >= scrapes, "the kernel sends the page from its file", calls.count("sendfile("))
    asked = len(re.findall(r"BPF_TASK_FD_QUERY, \{(?:task_fd_query=\{)?pid=%d," % os.getpid(), calls))
    loaded = re.findall(r'prog_name="(files|netns_of_tasks|link_netns|prog_stats)"', calls)
    ok(loaded and len(set(loaded)) == len(loaded), "the iterators of the server stay loaded", loaded)
    ok(asked < len(others), "of the files of this process, only those that may be events are asked about", asked)


def refused(w):
    for words in (["x"], ["0"], ["[::1]"], ["example.org:80"], ["80", "--output", "f"], ["80", "--format", "prometheus"]):
        r = w.run("metrics", "--listen", *words)
        ok(r.status == 2 and r.errors, "refused: --listen " + " ".join(words), r)
    for words in (["-j", "metrics", "--listen", "80"], ["--from", SAVED, "metrics", "--listen", "80"]):
        r = w.run(*words)
        ok(r.status == 2 and "--listen serves" in r.text + r.errors, "refused: " + " ".join(words), r)
    r = w.run("metrics", "--listen", str(PORT))
    ok(r.status == 1 and "127.0.0.1:%d" % PORT in r.errors and "EADDRINUSE" in r.errors, "a port that is taken", r)


def unit(w):
    """As examples/bpflens-metrics.service runs it: an ordinary user with its capabilities, and no program of ours."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/bpflens-metrics.service")) as f:
        text = f.read()
    words = re.search("(?m)^ExecStart=/usr/sbin/bpflens metrics (.*)", text)[1].split()
    caps = ",".join("+" + word.lower()[4:] for word in re.search("(?m)^CapabilityBoundingSet=(.*)", text)[1].split())
    server = Server(w, command=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all," + caps, "--ambient-caps=" + caps,
                                "--bounding-set=-all," + caps], options=words)
    if not ok(server.up, "the service in examples/ listens", server.p.stderr.read() if server.p.poll() is not None else ""):
        return
    mine = {k for k in parse(w.run("metrics", *ALL, "--format", "prometheus").out, True) if dict(k[1]).get("name") in {f["name"] for f in w.facts}}
    values = parse(get()[1], True)
    ok(len(mine) > 40 and mine <= set(values), "and reads all our objects", mine - set(values))
    ok(server.end()[0] == 0, "and ends")


def systemd(w):
    if not shutil.which("systemd-socket-activate"):
        return skip("systemd-socket-activate is not installed")
    server = Server(w, "--no-load", command=["systemd-socket-activate", "-l", "127.0.0.1:%d" % PORT])
    status, body, _ = get()
    ok(status == 200 and parse(body, True), "a socket of systemd", status)
    status, errors = server.end()
    ok(status == 0, "and SIGTERM", errors)


with World() as w:
    try:
        w.make()
        server = Server(w)
        why = "" if server.up else server.p.stderr.read().decode()
        if "ENOTSUP" in why:
            skip(why.splitlines()[0])
            sys.exit(77)
        ok(server.up, "it listens", why)
        answers(w, server)
        refused(w)
        hostile(server)
        many(server)
        killed(server)
        status, errors = server.end()
        ok(status == 0 and len(errors.splitlines()) <= 1, "SIGTERM ends it with status 0", (status, errors))
        changing(w)
        counts(w)
        namespaces(w)
        cheap(w)
        systemd(w)
        unit(w)
        server = Server(w)
        ok(server.up and get()[0] == 200 and server.end(signal.SIGINT)[0] == 0, "SIGINT ends it with status 0")
    finally:
        for p in Server.all:
            p.kill()  # those that are left if the script fails
finish()
