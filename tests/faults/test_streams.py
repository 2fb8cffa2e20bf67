#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The same as test_calls for the commands that run for a while, each with an end: a number of records, readings or seconds. Their output
differs from run to run; with status 0 it is as much as without a fault. With arguments: only commands that have all these words."""
import collections
import errno
import json
import os
import sys
import threading
import time

from faults import LAST_WORDS, Server, Small, injector, left_of_ours, print_count, shards, sorts, whole
from feed import Feed
from world import finish, isolate, ok, skip

SHARD, SHARDS = shards()
isolate(tasks=True, alone="names, and programs of bpflens, are looked up on the whole machine")
SHOW = int(os.environ.get("FAULTS_SHOW", "3"))
WORDS = sys.argv[1:]
ERRORS = [errno.ENOMEM, errno.EPERM, errno.EIO]
SECONDS = float(os.environ.get("FAULTS_SECONDS", "2"))  # for each command; those that load large programs get four times as much


class Ticks(threading.Thread):
    """Events happen all the time: records in each type of ring."""

    def __init__(self, feed):
        super().__init__(daemon=True)
        self.feed, self.over = feed, threading.Event()

    def run(self):
        while not self.over.wait(0.01):
            self.feed.run("ring", 1)
            self.feed.run("perf", 2, 0)


def commands(w, feed):
    """Yield (words, a file that the command writes)."""
    made = w.tmp + "/made.rec"
    rows = [("map watch id %s interval 0.01 count 2" % w.hash, None), ("prog stats interval 0.01 count 2", None),
            ("prog profile id %s duration 0.01 cpu_clock" % w.typed, None), ("prog annotate id %s --seconds 0.01" % w.typed, None),
            ("map tap id %s --count 2" % feed.maps["feed_ring"], None), ("map event_pipe id %s --count 2" % feed.maps["feed_events"], None),
            ("events --seconds 0.02", None), ("events --syscalls --seconds 0.02", None), ("record -o %s --seconds 0.02" % made, made),
            ("record -o %s -F 99 --seconds 0.02" % made, made)]
    # Without tracefs it ends at once; its records are those of all programs on the machine.
    rows += [("prog tracelog --count 1", None)] if not os.path.exists("/sys/kernel/tracing/trace_pipe") else []
    return [(row.split(), made) for row, made in rows]


def shape(out):
    """The part that is the same in each run: whether a list has elements, and the members of an object."""
    doc = json.loads(out)
    return bool(doc) if isinstance(doc, list) else sorted(doc)


class Stream:
    def __init__(self, w, library, words, made):
        self.w, self.words, self.made = w, words, made
        self.server = Server(library, [w.lens, "-j"] + words, w.tmp)
        self.refused, self.bad = collections.Counter(), []

    def again(self, *fault):
        for name in os.listdir(self.w.tmp):
            os.unlink(self.w.tmp + "/" + name)
        return self.server.run(*fault)

    def wrong(self, r, last):
        why = whole(r, last)
        if why or r.left:
            return why or "a process is left"
        made = [os.path.basename(self.made)] if self.made and r.status in (0, 5) else []
        # Like a killed recorder: it could not even end regularly.
        if self.made and r.err.endswith(LAST_WORDS):
            made = [os.path.basename(self.made) + ".partial"]
        files = os.listdir(self.w.tmp)
        if set(files) - set(made) or (self.made and not r.status and not files):
            return "it leaves %s" % (files,)
        if not r.status and not self.start.status and self.start_shape != shape(r.out) and not self.events:
            return "status 0 and another document"
        return None

    def fault(self, name, sort, n, err):
        r = self.again(sort, n, err)
        if not r.refused:
            return False
        self.refused[name] += 1
        why = self.wrong(r, name in ("malloc", "setns"))
        if why:
            self.bad.append("%s %d %s: %s\n%s" % (name, n, errno.errorcode[err], why, r))
        return True

    def run(self):
        """Refuse the first calls of each kind and then fewer and fewer, until the time of the command is over."""
        self.events = "events" in self.words  # there may be no event in this moment
        self.start = self.again()
        why = self.wrong(self.start, False) if self.start.status else None
        if not self.start.status:
            self.start_shape = shape(self.start.out)
        kinds, until = sorts(), time.time() + SECONDS * (4 if self.made else 1)
        n = {name: 1 for name in kinds}
        while n and time.time() < until:
            for i, name in enumerate(list(n)):
                if time.time() >= until:
                    break
                if not self.fault(name, kinds[name], n[name], errno.ENOMEM if name == "malloc" else ERRORS[(n[name] + i) % 3]):
                    del n[name]
                    continue
                n[name] += 1 + n[name] // 4
        self.server.close()
        return why


def main(w, library, feed):
    total, count = collections.Counter(), 0
    for i, (words, made) in enumerate(commands(w, feed)):
        if i % SHARDS != SHARD or any(x not in words for x in WORDS):
            continue
        start = time.time()
        c = Stream(w, library, words, made)
        why = c.run()
        n = sum(c.refused.values())
        count += 1
        total.update(c.refused)
        ok(not why and not c.bad and n, "%s: %d faults" % (" ".join(words).replace(w.dir, ""), n),
           why or "%d of %d\n%s" % (len(c.bad), n, "\n".join(c.bad[:SHOW])))
        print("# %.1f s, without a fault: %s" % (time.time() - start, str(c.start)[:200].replace("\n", " ")))
    print_count(count, total, SHARD, SHARDS)
    stays = left_of_ours()
    ok(not stays, "no program or map is left", stays)


if "bpf" not in sorts():
    skip("no C compiler with the numbers of system calls")
    sys.exit(77)
with Small() as world, Feed() as fed:
    made_library = injector()
    if made_library:
        ticks = Ticks(fed)
        ticks.start()
        main(world, made_library, fed)
        ticks.over.set()
        ticks.join()
finish()
