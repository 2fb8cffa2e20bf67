# SPDX-License-Identifier: BSD-2-Clause
"""What the fault tests share: a small world, the reading commands, and what must hold however a command ends."""
import json
import os
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
import rawbpf  # noqa: E402
from world import BPFLENS, BUILD, World, sanitized, skip, strict_json  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT = 20
# Where nothing can be printed any more: no memory is left for a document, or nothing that follows would be true.
LAST_WORDS = (b"bpflens: out of memory\n", b"bpflens: cannot come back from another network namespace\n")
JOBS = os.cpu_count() or 1


class Small(World):
    """A few programs with type information, their maps, one of them filled; a pin, a link, a cgroup with a program."""

    def __enter__(self):
        super().__enter__()
        self.make(BUILD + "/tests/live/feed.bpf.o")
        self.tmp = self.dir + "/tmp"
        os.mkdir(self.tmp)
        self.fds = [rawbpf.map_create(1, 4, 8, 16, "flt_hash"), rawbpf.map_create(6, 4, 8, 2, "flt_percpu"),
                    rawbpf.prog_load("cgroup_skb", "flt_cgroup", 1, 0)]
        for i in range(5):
            rawbpf.map_update(self.fds[0], i.to_bytes(4, sys.byteorder), (7 * i).to_bytes(8, sys.byteorder))
        self.hash, self.percpu, self.prog = (str(rawbpf.object_id(fd)) for fd in self.fds[:3])
        rawbpf.pin(self.fds[0], self.pins + "/flt_hash")
        rawbpf.pin(self.fds[2], self.pins + "/flt_prog")
        if self.cgroup:
            for name in ("", "/a", "/a/b"):
                path = self.cgroup + name
                if name:
                    os.mkdir(path)
                fd = os.open(path, os.O_RDONLY)
                self.fds.append(rawbpf.link_create(self.fds[2], fd, 0))
                os.close(fd)
        self.typed = str(self.of("prog")[0]["id"])
        return self

    def __exit__(self, *unused):
        for fd in self.fds:
            os.close(fd)
        for name in ("/a/b", "/a"):
            if os.path.isdir(self.cgroup + name) and self.cgroup:
                os.rmdir(self.cgroup + name)
        super().__exit__(*unused)

    def commands(self):
        """The reading commands; each prints one JSON document."""
        rows = [kind + " " + verb for kind in ("prog", "map", "link", "btf") for verb in ("show", "list")]
        rows += ["-f prog show", "-f map show", "prog show id " + self.prog, "prog show pinned %s/flt_prog" % self.pins,
                 "map show name flt_hash", "map dump id " + self.hash, "map dump id " + self.percpu, "map lookup id %s key 1 0 0 0" % self.hash,
                 "map export id " + self.hash, "prog dump xlated id " + self.typed, "prog dump jited id " + self.typed,
                 "prog dump xlated id %s linum" % self.typed, "btf dump prog id " + self.typed, "ls", "net show", "net list", "perf show",
                 "pin list", "graph", "struct_ops show", "iter list", "btf layout list_head", "object show %s/tests/live/feed.bpf.o" % BUILD,
                 "addr bpf_prog_0000000000000000_x+0x1/0x2", "version", "save %s/out.tar.gz" % self.tmp]
        if self.cgroup:
            rows += ["cgroup tree " + self.cgroup, "cgroup show " + self.cgroup + "/a", "cgroup tree %s effective" % self.cgroup]
        return [row.split() for row in rows]


class Ended:
    """A run: its status (negative: a signal; None: out of time), its two texts, whether the fault happened."""

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

    def __str__(self):
        return "%s: status %s\n%s\n%s" % (" ".join(self.argv), self.status, self.out.decode("utf-8", "replace")[:300],
                                          self.err.decode("utf-8", "replace")[:600])


def whole(r, last=False):
    """What is wrong with the way a command with -j ended, or None. @last: a sentence may be all that is left."""
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


def clean_json(text):
    """A document without what moves by itself: run counters, and processes of the test that hold an object for
    a moment. mkobj holds what it made all the time."""
    def drop(x):
        if isinstance(x, dict):
            row = {k: drop(v) for k, v in x.items() if k not in ("run_time_ns", "run_cnt", "loaded_at")}
            return {k: v for k, v in row.items() if k != "pids" or v}
        return [drop(v) for v in x if not (isinstance(v, dict) and v.get("comm", "mkobj") != "mkobj")] if isinstance(x, list) else x
    try:
        return drop(json.loads(text))
    except ValueError:
        return text


def programs_of_ours():
    """Ids of programs with a name as the ones that bpflens loads for itself."""
    r = subprocess.run([BPFLENS, "-j", "prog", "list", "-o", "id,name", "-Q", 'name ~ "^bpflens"'], stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL)
    return {p["id"] for p in json.loads(r.stdout or b"[]")} if r.returncode == 0 else set()


def injector():
    """The path of the preloaded library, made now; None where it cannot be."""
    path = BUILD + "/tests/faults/inject.so"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    p = subprocess.run([os.environ.get("CC", "cc"), "-O2", "-Wall", "-shared", "-fPIC", "-o", path, HERE + "/inject.c"],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if p.returncode:
        skip("the injector cannot be made on %s: %s" % (platform.machine(), p.stdout.splitlines()[:1]))
        return None
    if sanitized():
        skip("the sanitizers have an allocator of their own")
        return None
    return path


def parallel(tasks):
    with ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(lambda task: task(), tasks))
