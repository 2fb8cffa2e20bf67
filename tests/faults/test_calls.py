#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The n-th system call of each sort is refused, and the n-th allocation, for every reading command, until it ends untouched. However
it goes: a documented status, a sentence with it, a whole JSON document, nothing left behind; and with status 0 the same document as
ever. FAULTS_MAX limits n: beyond it a few that are spread over the rest stand for all."""
import errno
import os
import sys
import tempfile

from faults import Ended, Small, clean_json, injector, parallel, programs_of_ours, whole
from world import finish, isolate, ok, skip

isolate()
MAX = int(os.environ.get("FAULTS_MAX", "12"))
SPREAD = 15  # beyond MAX
ONLY = sys.argv[1:]  # words that a command must have, for a look at one

# Numbers of system calls on this architecture, from the headers.
SORTS = {}
for line in os.popen("printf '#include <sys/syscall.h>\\nbpf SYS_bpf\\nopenat SYS_openat\\nread SYS_read\\nmmap SYS_mmap\\nrecvmsg SYS_recvmsg\\n"
                     "getdents64 SYS_getdents64\\nioctl SYS_ioctl\\nsocket SYS_socket\\nsetns SYS_setns\\n' | ${CC:-cc} -E -P - 2>/dev/null"):
    word = line.split()
    if len(word) == 2 and word[1].isdigit():
        SORTS[word[0]] = word[1]
SORTS.update(fork="fork", malloc="malloc")
ERRNOS = [errno.EPERM, errno.ENOMEM, errno.EIO]


class Command:
    def __init__(self, w, library, words):
        self.w, self.library, self.words = w, library, words
        self.argv = [w.lens, "-j"] + words
        self.untouched = self.runs = self.refused = 0
        self.bad = []

    def plain(self):
        return clean_json(Ended(self.argv).out)

    def once(self, sort, n, err):
        """A run with one fault: (Ended, calls, whether it was refused)."""
        with tempfile.NamedTemporaryFile(dir=self.w.dir) as f:
            f.write(bytes(16))
            f.flush()
            r = Ended(self.argv, env=dict(os.environ, LD_PRELOAD=self.library, FAULT="%s:%d:%d" % (sort, n, err), FAULT_FILE=f.name,
                                          TMPDIR=self.w.tmp))
            f.seek(0)
            data = f.read(16)
        return r, int.from_bytes(data[:8], sys.byteorder), bool(data[8])

    def other(self, sort, n, err, r):
        """Another document with status 0, three times, and while two runs without a fault agree."""
        for _ in range(3):
            before = self.plain()
            if clean_json(r.out) == before:
                return False
            if self.plain() == before:
                r, _, refused = self.once(sort, n, err)
                if not refused or r.status or clean_json(r.out) == self.plain():
                    return False
        return True

    def fault(self, name, n, err):
        """Whether the n-th was there to be refused."""
        sort = SORTS[name]
        r, _, refused = self.once(sort, n, err)
        self.runs += 1
        if not refused:
            return False
        self.refused += 1
        why = whole(r, name in ("malloc", "setns"))
        if not why and not r.status and "save" not in self.words and clean_json(r.out) != self.untouched and self.other(sort, n, err, r):
            why = "status 0 and another document"
        if why:
            self.bad.append("%s %d %s: %s\n%s" % (name, n, errno.errorcode[err], why, r))
        return True

    def all_of(self, name):
        self.untouched = self.untouched or self.plain()
        _, calls, _ = self.once(SORTS[name], 0, 0)
        errnos = [errno.ENOMEM] if name == "malloc" else ERRNOS
        for n in range(1, min(calls, MAX) + 1):
            for err in errnos if n <= MAX // 4 else [errnos[n % len(errnos)]]:
                self.fault(name, n, err)
        step = max(1, (calls - MAX) // SPREAD)
        for n in range(MAX + step, calls + 1, step) if calls > MAX else ():
            self.fault(name, n, errnos[n % len(errnos)])


def main(w, library):
    commands = [Command(w, library, c) for c in w.commands() if all(word in c for word in ONLY)]
    left, before = os.listdir(w.pins), programs_of_ours()
    parallel([lambda c=c: [c.all_of(name) for name in SORTS] for c in commands])
    for c in commands:
        ok(not c.bad and c.refused, "%s: %d faults" % (" ".join(c.words).replace(w.dir, ""), c.refused),
           "%d of %d\n%s" % (len(c.bad), c.refused, "\n".join(c.bad[:int(os.environ.get("FAULTS_SHOW", "3"))])))
    print("# %d runs, %d faults, of %d sorts" % (sum(c.runs for c in commands), sum(c.refused for c in commands), len(SORTS)))
    ok(sorted(os.listdir(w.pins)) == sorted(left), "no pin more or less", os.listdir(w.pins))
    ok(set(os.listdir(w.tmp)) <= {"out.tar.gz"}, "no temporary file", os.listdir(w.tmp))
    ok(programs_of_ours() <= before, "no program left", programs_of_ours())


if "bpf" not in SORTS:
    skip("no C compiler that knows the numbers of system calls")
    sys.exit(77)
with Small() as world:
    made = injector()
    if made:
        main(world, made)
finish()
