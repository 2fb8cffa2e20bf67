# SPDX-License-Identifier: BSD-2-Clause
"""Shared by the fault tests: a small world, the reading commands, and what must hold after any end of a command."""
import ctypes
import errno
import fcntl
import glob
import json
import os
import platform
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
import rawbpf  # noqa: E402
from world import BPFLENS, BUILD, World, next_call, sanitized, skip, strict_json, until  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT = 20
ERRNOS = [errno.ENOMEM, errno.EPERM, errno.EIO]
# If no document can be printed: no memory is left for it, or the rest would be wrong.
LAST_WORDS = (b"bpflens: out of memory\n", b"bpflens: cannot return from another network namespace\n")
JOBS = os.cpu_count() or 1


def num(value, size):
    return value.to_bytes(size, sys.byteorder)


def shards():
    """Run the script once per CPU in parallel, each time with SHARD=N/ALL and in its own world, and print all results.
    In these runs, return (N, ALL)."""
    if "SHARD" in os.environ:
        return tuple(int(x) for x in os.environ["SHARD"].split("/"))
    runs = [subprocess.Popen([sys.executable] + sys.argv, env=dict(os.environ, SHARD="%d/%d" % (i, JOBS)), stdout=subprocess.PIPE)
            for i in range(JOBS)]
    signal.signal(signal.SIGTERM, lambda *unused: [p.terminate() for p in runs])
    for p in runs:
        sys.stdout.buffer.write(p.communicate()[0])
        sys.stdout.flush()
    sys.exit(max(abs(p.returncode) for p in runs))


class Small(World):
    """A few programs with BTF, their maps, some with elements; a pin, a link, a cgroup with a program."""

    def __enter__(self):
        super().__enter__()
        self.make(BUILD + "/tests/live/feed.bpf.o")
        self.tmp = self.dir + "/tmp"
        os.mkdir(self.tmp)
        subprocess.run(["mount", "-t", "tmpfs", "none", self.tmp], check=True)
        self.fds = [rawbpf.map_create(1, 4, 8, 16, "flt_hash"), rawbpf.map_create(6, 4, 8, 2, "flt_percpu"),
                    rawbpf.prog_load("cgroup_skb", "flt_cgroup", 1, 0), rawbpf.map_create(22, 0, 4, 8, "flt_queue"),
                    rawbpf.map_create(1, 4, 4, 4, "flt_counts")]
        for i in range(5):
            rawbpf.map_update(self.fds[0], num(i, 4), num(7 * i, 8))
        rawbpf.map_update(self.fds[3], b"", num(3, 4))
        self.hash, self.percpu, self.prog, self.queue = (str(rawbpf.object_id(fd)) for fd in self.fds[:4])
        rawbpf.pin(self.fds[0], self.pins + "/flt_hash")
        rawbpf.pin(self.fds[2], self.pins + "/flt_prog")
        self.typed = str(self.of("prog")[0]["id"])
        if self.cgroup:
            for name in ("", "/a", "/a/b"):
                path = self.cgroup + name
                if name:
                    os.mkdir(path)
                fd = os.open(path, os.O_RDONLY)
                self.fds.append(rawbpf.link_create(self.fds[2], fd, 0))
                os.close(fd)
        self.attached()
        # Reading all of them takes long and repeats the same call.
        code = subprocess.run([self.lens, "prog", "dump", "jited", "id", self.typed], stdout=subprocess.PIPE, universal_newlines=True).stdout
        called = set(re.findall(r"\w+", code))
        with open("/proc/kallsyms") as f, open(self.dir + "/kallsyms", "w") as few:
            few.writelines(line for line in f if "bpf" in line or line.split()[2] in called)
        subprocess.run(["mount", "--bind", self.dir + "/kallsyms", "/proc/kallsyms"], check=True)
        self.saved = self.dir + "/saved.tar.gz"
        subprocess.run([self.lens, "save", self.saved, "--map-data"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return self

    def __exit__(self, *unused):
        for p in self.tasks:
            p.kill()
            p.wait()
        for fd in self.fds:
            os.close(fd)
        for name in ("/a/b", "/a", "/c"):
            if os.path.isdir(self.cgroup + name) and self.cgroup:
                os.rmdir(self.cgroup + name)
        subprocess.run(["umount", "-l", self.tmp], stderr=subprocess.DEVNULL)
        super().__exit__(*unused)

    def attached(self):
        """A raw tracepoint that two processes hold, links on a device, a device in another namespace."""
        tp, tc, xdp = (rawbpf.prog_load(t, "flt_" + t[:5]) for t in ("raw_tracepoint", "sched_cls", "xdp"))
        name = ctypes.create_string_buffer(b"sched_process_exit")
        raw = rawbpf.bpf(rawbpf.RAW_TP_OPEN, struct.pack("<QI", ctypes.addressof(name), tp))
        self.tracing = tp
        self.fds += [tp, tc, xdp, raw, rawbpf.link_create(tc, 1, 46), rawbpf.link_create(tc, 1, 47), rawbpf.link_create(xdp, 1, 37)]
        link = rawbpf.object_id(self.fds[-1])
        NEWEST.update(prog=rawbpf.object_id(xdp), map=rawbpf.object_id(self.fds[4]), link=link,
                      btf=self.run("-j", "prog", "show", "id", self.typed).json["btf_id"])
        inside = '"$0" net attach xdpgeneric id %d dev lo && exec sleep 1000' % rawbpf.object_id(xdp)
        self.tasks = [subprocess.Popen(["sleep", "1000"], pass_fds=[raw]),
                      subprocess.Popen(["unshare", "-n", "sh", "-c", inside, self.lens])]

        def inside_runs():
            with open("/proc/%d/comm" % self.tasks[1].pid) as f:
                return f.read() == "sleep\n" or self.tasks[1].poll() is not None
        until(inside_runs, 600)

    def named(self, name):
        """The id of a map of feed.bpf.o, as a word."""
        return str(self.one("map", name)["id"])

    def commands(self):
        """The reading commands that end by themselves; each prints one JSON document."""
        feed = BUILD + "/tests/live/feed.bpf.o"
        rows = [kind + " " + verb for kind in ("prog", "map", "link", "btf") for verb in ("show", "list")]
        rows += ["-f prog show", "-f map show", "prog show id " + self.prog, "prog show pinned %s/flt_prog" % self.pins, "prog show name flt_cgroup",
                 "link show -Q type==\"cgroup\"", "map show name flt_hash", "map dump id " + self.hash, "map dump id " + self.percpu,
                 "map dump id %s --sort key --sum --limit 3" % self.percpu, "map dump id %s --recurse" % self.hash,
                 "map dump name feed_counts", "map lookup id %s key 1 0 0 0" % self.hash, "map getnext id " + self.hash,
                 "map peek id " + self.queue, "map export id " + self.hash, "map histogram id " + self.hash, "map storage name feed_task",
                 "map storage name feed_cgrp", "map storage name feed_sk", "map stacks name feed_stacks",
                 "prog dump xlated id " + self.typed, "prog dump jited id " + self.typed, "prog dump xlated id %s linum --labels" % self.typed,
                 "prog dump xlated id %s --interleave" % self.typed, "btf dump prog id " + self.typed, "btf dump map name feed_counts",
                 "btf sizes from prog id " + self.typed, "btf find member pid from prog id " + self.typed,
                 "btf diff prog id {0} file {1}".format(self.typed, feed), "ls", "net show", "net list", "perf show", "perf list",
                 "pin list", "pin list --tree", "graph prog id " + self.typed, "struct_ops show", "struct_ops dump", "iter list", "token show --all", "token list", "btf layout list_head",
                 "addr bpf_prog_0000000000000000_x+0x1/0x2", "version", "save %s/out.tar.gz" % self.tmp]
        rows += ["object %s %s" % (verb, feed) for verb in "show programs maps variables externs relocations sections dump".split()]
        rows += ["--from %s %s" % (self.saved, row) for row in ("prog show", "map dump id " + self.hash, "graph", "ls", "mem", "orphans", "doctor",
                                                               "why prog " + self.prog,
                                                               "prog dump xlated id " + self.typed)]
        with open(self.dir + "/batch", "w") as f:
            f.write("prog show id %s\nmap dump id %s\n" % (self.prog, self.hash))
        rows.append("batch file %s/batch" % self.dir)
        if self.cgroup:
            rows += ["cgroup tree " + self.cgroup, "cgroup show " + self.cgroup + "/a", "cgroup tree %s effective" % self.cgroup]
        return [row.split() for row in rows]


class Shown:
    def __str__(self):
        return "%s: status %s\n%s\n%s" % (" ".join(self.argv), self.status, self.out.decode("utf-8", "replace")[:300],
                                          self.err.decode("utf-8", "replace")[:600])


class Fault(Shown):
    """A run of a Server: like Ended, and the number of calls of the kind, whether one was refused, whether processes are left."""

    def __init__(self, argv, status, out, err, left, seen, refused):
        self.argv, self.status, self.out, self.err, self.left, self.seen, self.refused = argv, status, out, err, left, seen, refused


class Ended(Shown):
    """A run: exit status (negative: a signal; None: timeout), output and errors, whether the fault happened."""

    def __init__(self, argv, env=None, **kw):
        self.argv = argv
        p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, env=env, **dict({"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}, **kw))
        try:
            out, err = p.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            p.kill()
            out, err = p.communicate()
            p.returncode = None
        self.status, self.out, self.err = p.returncode, out or b"", err or b""

    def json(self):
        return json.loads(self.out)


def whole(r, last=False):
    """What is wrong after a command with -j ended, or None. @last: only a message may be left."""
    if r.status is None:
        return "does not end"
    if r.status not in range(6):
        return "ends with %d" % r.status
    if last and r.status == 1 and not r.out and r.err in LAST_WORDS:
        return None
    try:
        doc = strict_json(r.out)
    except (ValueError, UnicodeDecodeError) as e:
        return "not a JSON document: %s" % e
    said = r.err.strip() or (doc.get("error") if isinstance(doc, dict) else None)
    if r.status and not said:
        return "status %d without a sentence" % r.status
    return None


MOVING = ("run_time_ns", "run_cnt", "loaded_at", "since")
KINDS = ("prog", "map", "link", "btf")
NEWEST = {}  # the highest id of the world's objects of each kind


def ours(row, kind):
    """False: a run loaded an object, newer than the world's. The kernel frees it a moment after the run."""
    if not isinstance(row, dict):
        return True
    ids = [(row.get(k + "_id"), k) for k in KINDS] + [(row.get("id"), kind)]
    return not any(isinstance(i, int) and i > NEWEST.get(k, i) for i, k in ids)


def same(now, before, kind):
    """Are two documents the same, except values that change by themselves?"""
    if isinstance(now, dict) and isinstance(before, dict):
        return now.keys() == before.keys() and all(k in MOVING or same(now[k], before[k], k if k in KINDS else kind) for k in now)
    if isinstance(now, list) and isinstance(before, list):
        now, before = ([x for x in rows if ours(x, kind)] for rows in (now, before))
        return len(now) == len(before) and all(same(a, b, kind) for a, b in zip(now, before))
    return now == before


def same_text(now, before, argv):
    """Are two texts of the command in @argv the same?"""
    if now == before:
        return True
    try:
        return same(json.loads(now), json.loads(before), next((w for w in argv if w in KINDS), None))
    except ValueError:
        return False


class Server:
    """A command that is started repeatedly, with a fault in each run (inject.c)."""

    def __init__(self, library, argv, tmp):
        self.argv = argv
        self.files = [os.memfd_create("stdout"), os.memfd_create("stderr")]
        for fd in self.files:
            fcntl.fcntl(fd, fcntl.F_SETFL, os.O_APPEND)
        self.socket, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=self.files[0], stderr=self.files[1], pass_fds=[its.fileno()],
                                        env=dict(os.environ, LD_PRELOAD=library, FAULT_SOCKET=str(its.fileno()), TMPDIR=tmp))
        its.close()

    def run(self, sort=-1, n=0, error=0):
        """Run the command; @n 0: without a fault. Returns a Fault."""
        for fd in self.files:
            os.ftruncate(fd, 0)
        self.socket.send(struct.pack("iiQ", sort, error, n))
        pid = struct.unpack("i", self.socket.recv(4))[0]
        self.socket.settimeout(TIMEOUT)
        late = False
        try:
            reply = self.socket.recv(24)
        except socket.timeout:
            os.kill(pid, signal.SIGKILL)
            self.socket.settimeout(None)
            late, reply = True, self.socket.recv(24)
        status, left, seen, refused = struct.unpack("iiQQ", reply)
        code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        out, err = (os.pread(fd, 1 << 26, 0) for fd in self.files)
        return Fault(self.argv, None if late else code, out, err, left, seen, bool(refused))

    def close(self):
        self.socket.close()
        self.process.wait()
        for fd in self.files:
            os.close(fd)


def left_of_ours():
    """Programs and maps that bpflens loaded for itself and that stay: the kernel frees them a moment after the run.
    Except arrays of programs: one that is opened by id while it is freed stays for ever, because prog_array_map_clear() takes a
    reference for work that is queued already."""
    text = "".join(open(path).read() for path in glob.glob(HERE + "/../../src/own/bpf/*.bpf.c"))
    names = {name[:15] for name in re.findall(r'^SEC\("[^"]+"\) int (\w+)', text, re.M)}
    left = None

    def gone():
        nonlocal left
        rows = [(kind, x["id"], x.get("name", "")) for kind in ("prog", "map") for x in Ended([BPFLENS, "--no-load", "-j", kind, "list"]).json()
                if x["type"] != "prog_array"]
        now = {x for x in rows if x[2].startswith("bpflens.") or (x[0] == "prog" and x[2] in names)}
        left = now if left is None else left & now
        return not left
    until(gone, 5)
    return left if names else {"no program of ours is known"}


def sorts():
    """What can be refused: {name: number of the system call on this architecture, or a kind of inject.c}."""
    if not hasattr(sorts, "all"):
        words = "bpf openat read mmap recvmsg getdents64 ioctl socket setns sendto pread64 readlinkat newfstatat statfs lseek kcmp".split()
        text = "#include <sys/syscall.h>\n" + "".join("%s SYS_%s\n" % (w, w) for w in words)
        p = subprocess.run([os.environ.get("CC", "cc"), "-E", "-P", "-"], input=text, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           universal_newlines=True)
        found = [line.split() for line in p.stdout.splitlines()]
        sorts.all = {w[0]: int(w[1]) for w in found if len(w) == 2 and w[0] in words and w[1].isdigit()}
        sorts.all.update(malloc=-2, clone=-3)
    return sorts.all


def rounds(name, fault, once=False):
    """Call fault(n, errno) from n = 1 until it reports that there was no n-th call; with each errno, or @once, for slow ones: with one after the
    other. Which calls: next_call()."""
    for err in ERRNOS[:1] if once or name == "malloc" else ERRNOS:
        n = next_call(0)
        while fault(n, ERRNOS[n % len(ERRNOS)] if once and name != "malloc" else err):
            n = next_call(n)


def print_count(commands, faults, shard=0, shards=1):
    """@faults: a Counter, by kind."""
    print("count - %d commands, %d faults%s: %s" % (commands, sum(faults.values()), "" if shards == 1 else ", part %d of %d" % (shard + 1, shards),
                                                    ", ".join("%s %d" % x for x in sorted(faults.items()) if x[1])))


def injector():
    """Build the preloaded library; its path, or None if it cannot be built."""
    path = BUILD + "/tests/faults/inject.so"
    # The tests run side by side, some in a PID namespace of their own, and each builds it: a file that is mapped must not be written again.
    os.makedirs(os.path.dirname(path), exist_ok=True)
    fd, new = tempfile.mkstemp(".so", "inject-", os.path.dirname(path))
    os.fchmod(fd, 0o755)
    os.close(fd)
    p = subprocess.run([os.environ.get("CC", "cc"), "-O2", "-Wall", "-shared", "-fPIC", "-o", new, HERE + "/inject.c"],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if p.returncode:
        skip("the injector cannot be built on %s: %s" % (platform.machine(), p.stdout.splitlines()[:1]))
        return None
    os.rename(new, path)
    if sanitized():
        skip("the sanitizers have their own allocator")
        return None
    return path


def parallel(tasks, jobs):
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda task: task(), tasks))
