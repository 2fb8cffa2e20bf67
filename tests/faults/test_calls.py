#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The n-th system call of each kind is refused, and the n-th allocation, for every reading command and every n until a run has no fault.
In each case: a documented exit status, a message, a complete JSON document, nothing left; and with status 0 the same
document as without a fault. With arguments: only commands that have all these words."""
import collections
import errno
import os
import sys
import time

from faults import Small, Server, injector, left_of_ours, print_count, rounds, same_text, shards, sorts, whole
from world import finish, isolate, ok, skip

SHARD, SHARDS = shards()
isolate(tasks=True, alone="names, and programs of bpflens, are looked up on the whole machine")
SHOW = int(os.environ.get("FAULTS_SHOW", "3"))
WORDS = sys.argv[1:]


class Command:
    def __init__(self, w, library, words):
        self.w, self.words = w, words
        self.server = Server(library, [w.lens, "--strict", "-j"] + words, w.tmp)
        self.save = "save" in words
        self.long = bool({"save", "ls", "graph", "--from"} & set(words))
        self.refused = collections.Counter()
        self.bad = []
        self.settled = set(os.listdir(w.tmp))

    def wrong(self, r, last):
        """What is wrong after a run, or None."""
        why = whole(r, last)
        if why or r.status:
            return why
        if r.left:
            return "a process is left"
        said = r.err.startswith(b"note: ") and b"are not listed" in r.err
        return None if self.save or said or same_text(r.out, self.untouched, self.words) else "status 0 and another document"

    def fault(self, name, sort, n, err):
        """Refuse the n-th call; False: there was none."""
        last = name in ("malloc", "setns")
        r = self.server.run(sort, n, err)
        if not r.refused:
            return False
        self.refused[name] += 1
        why = self.wrong(r, last)
        for _ in range(3):  # changes by other processes meanwhile are not a failure
            if not why:
                return True
            self.untouched = self.server.run().out
            r = self.server.run(sort, n, err)
            why = self.wrong(r, last)
        if why:
            self.bad.append("%s %d %s: %s\n%s" % (name, n, errno.errorcode[err], why, r))
        return True

    def run(self):
        self.untouched = self.server.run().out
        for name, sort in sorts().items():
            rounds(name, lambda n, err: self.fault(name, sort, n, err), self.long)
        self.server.close()


def main(w, library):
    total = collections.Counter()
    left, commands = sorted(os.listdir(w.pins)), 0
    for i, words in enumerate(w.commands()):
        if i % SHARDS != SHARD or any(x not in words for x in WORDS):
            continue
        start = time.time()
        c = Command(w, library, words)
        c.run()
        commands += 1
        total.update(c.refused)
        n = sum(c.refused.values())
        ok(not c.bad and n, "%s: %d faults" % (" ".join(words).replace(w.dir, ""), n), "%d of %d\n%s" % (len(c.bad), n, "\n".join(c.bad[:SHOW])))
        print("# %.1f s" % (time.time() - start))
        ok(set(os.listdir(w.tmp)) <= {"out.tar.gz"}, "no file left", os.listdir(w.tmp))
    print_count(commands, total, SHARD, SHARDS)
    ok(sorted(os.listdir(w.pins)) == left, "the pins are unchanged", os.listdir(w.pins))
    stays = left_of_ours()
    ok(not stays, "no program or map is left", stays)


if "bpf" not in sorts():
    skip("no C compiler with the numbers of system calls")
    sys.exit(77)
with Small() as world:
    made = injector()
    if made:
        main(world, made)
finish()
