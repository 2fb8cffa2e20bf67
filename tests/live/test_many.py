#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Lists of many objects, which several threads read while one prints: the same as on one CPU, each object is read
once, nothing is dropped if objects are freed meanwhile or the kernel refuses."""
import os
import re
import resource
import shutil
import signal
import subprocess
import threading

import rawbpf
from world import STRACE, Run, World, finish, isolate, ok, skip

isolate(alone="hundreds of programs are freed")
MAPS = 1500
CPUS = sorted(os.sched_getaffinity(0))


def mine(documents, ids):
    return [m for m in documents if m["id"] in ids]


def blocks(r):
    """The test's objects in plain text, without padding: the width of a column also depends on other objects."""
    return [re.sub(" +", " ", b) for b in re.split(r"\n(?=\S)", r.text.rstrip("\n")) if "many_" in b]


def same_on_one_cpu(w, ids):
    for form in (["-j", "map", "show"], ["-j", "map", "list"], ["-j", "prog", "show"], ["map", "show"], ["map", "list", "--sort", "-id"]):
        many, one = w.run(*form), w.run(*form, preexec_fn=lambda: os.sched_setaffinity(0, CPUS[:1]))
        if form[0] == "-j":
            chosen = ids if form[1] == "map" else w.ids("prog")
            good = mine(many.json, chosen) == mine(one.json, chosen) and len(mine(many.json, chosen)) == len(chosen)
        else:
            good = len(blocks(many)) == MAPS and blocks(many) == blocks(one)
        ok(good and not many.status and not one.status, "%s: as on one CPU" % " ".join(form), "%s\n%s" % (many.errors, one.errors))


def each_once(w, ids):
    log = w.dir + "/strace"
    r = Run(STRACE + ["-f", "-o", log, "-e", "trace=bpf", w.lens, "-j", "map", "show"])
    with open(log) as f:
        opened = re.findall(r"^(\d+) +bpf\(BPF_MAP_GET_FD_BY_ID, \{map_id=(\d+)", f.read(), re.M)
    counts = [i for unused, i in opened if int(i) in ids]
    ok(not r.status and len(counts) == len(set(counts)) == MAPS, "each map is opened once", "%d, %d" % (len(counts), len(set(counts))))
    threads = {t for t, i in opened if int(i) in ids}
    if len(CPUS) > 1:
        ok(len(threads) > 1, "by several threads", threads)
    else:
        skip("there is one CPU only")


def traced(w, ids):
    """A line a question, also where threads ask ahead, and nothing else changes."""
    plain, r = w.run("-j", "map", "show"), w.run("-j", "map", "show", env=dict(os.environ, BPFLENS_TRACE="1"))
    lines = [line for line in r.errors.split("\n") if line]
    bad = [line for line in lines if not re.fullmatch(r"trace: live: [a-z]+(/.*)?: ([A-Z]+|\d+ bytes?), \d+ us", line)]
    ok(not r.status and mine(r.json, ids) == mine(plain.json, ids), "a trace changes no output", r.status)
    ok(not bad, "each line of a trace is whole", bad[:3])
    asked = [int(i) for i in re.findall(r"^trace: live: map/(\d+)/info:", r.errors, re.M)]
    ok(sorted(i for i in asked if i in ids) == sorted(ids), "each map has one line for its info", len(asked))


def refused(w, ids):
    """In each thread the kernel refuses some answers: these are marked, the others are shown."""
    r = Run(STRACE + ["-f", "-o", "/dev/null", "-e", "trace=pread64", "-e", "inject=pread64:error=EIO:when=100..200", w.lens, "-j",
             "map", "show"])
    found = mine(r.json, ids)
    marked = [m for m in found if m["bytes_memlock"] is None]
    ok(r.status == 5 and len(found) == MAPS and marked and all(m["frozen"] is None for m in marked), "refused answers are marked",
       "%d of %d: %s" % (len(marked), len(found), r.errors))
    ok("Input/output error" in r.errors, "the reason is reported", r.errors)
    r = Run(STRACE + ["-f", "-o", "/dev/null", "-e", "trace=close_range", "-e", "inject=close_range:error=ENOSYS", w.lens, "-j", "map",
             "show"])
    # Without close_range(2) the loader takes too long under strace: then the holders are read from /proc.
    ok((r.status == 0 or "hold objects" in r.errors) and len(mine(r.json, ids)) == MAPS, "without separate descriptors there are no threads", r.errors)


def gone_meanwhile(w, fds):
    """Half of the maps are freed while they are listed."""
    stay = {rawbpf.object_id(fd) for fd in fds[::2]}
    closer = threading.Thread(target=lambda: [os.close(fd) for fd in fds[1::2]])
    closer.start()
    wrong = []
    for unused in range(10):
        r = w.run("-j", "map", "show")
        if r.status or len(mine(r.json, stay)) != len(stay):
            wrong.append("status %s, %d of %d\n%s" % (r.status, len(mine(r.json, stay)), len(stay), r.errors))
    closer.join()
    ok(not wrong, "those that stay are listed", wrong)


def nobody_reads(w):
    p = subprocess.Popen([w.lens, "map", "show"], stdout=subprocess.PIPE)
    p.stdout.read(10)
    p.stdout.close()
    ok(p.wait(10) in (0, -signal.SIGPIPE, 128 + signal.SIGPIPE), "it ends if its output is not read", p.returncode)


soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2 * MAPS)), hard))
with World() as w:
    w.make()
    fds = [rawbpf.map_create(2, 4, 8, 1, "many_%d" % i) for i in range(MAPS)]
    ids = {rawbpf.object_id(fd) for fd in fds}
    same_on_one_cpu(w, ids)
    nobody_reads(w)
    traced(w, ids)
    if not shutil.which("strace"):
        skip("strace is not installed")
    else:
        each_once(w, ids)
        refused(w, ids)
    gone_meanwhile(w, fds)
finish()
