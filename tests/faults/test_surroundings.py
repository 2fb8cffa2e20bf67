#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The reading commands without something that they need: space on the disk, a reader of the output, descriptors, memory, /proc,
/sys, a bpffs. They end with a documented status and a message, their JSON is complete, and nothing is left."""
import os
import resource
import subprocess

from faults import JOBS, Ended, Small, parallel, same_text, whole
from world import finish, isolate, ok, sanitized

isolate(tasks=True, alone="names, and programs of bpflens, are looked up on the whole machine")


def shown(w, words):
    return " ".join(words).replace(w.dir, "")


def all_of(w, what, run, judge=whole, alone=False):
    """One result for all commands: @run runs a command, @judge returns what is wrong. @alone: not two at once, because
    their own programs and maps would be in each other's lists."""
    def one(words):
        r = run([w.lens, "-j"] + words)
        why = judge(r)
        return "%s: %s\n%s" % (shown(w, words), why, r) if why else None
    bad = [x for x in parallel([lambda c=c: one(c) for c in w.commands()], 1 if alone else JOBS) if x]
    ok(not bad, "%s: %d commands" % (what, len(w.commands())), "\n".join(bad[:4]))


def unheard(r):
    """The output is not read, or there is no space for it."""
    if r.status not in range(1, 6) or not r.err.strip():
        return "status %s, %r" % (r.status, r.err[:100])
    return None


def full(argv):
    with open("/dev/full", "wb") as f:
        return Ended(argv, stdout=f)


def broken(argv):
    out, into = os.pipe()
    os.close(out)
    try:
        return Ended(argv, stdout=into)
    finally:
        os.close(into)


def closed(which):
    def run(argv):
        return Ended(["sh", "-c", 'exec "$0" "$@" ' + " ".join("%d>&-" % n for n in which)] + argv)
    return run


def ends(r):
    return None if r.status in range(6) else "ends with %s" % r.status


def limited(what, value):
    def run(argv):
        r = Ended(argv, preexec_fn=lambda: resource.setrlimit(what, (value, value)))
        r.before = Ended(argv)
        return r
    return run


def same_or_said(r):
    """The complete document, or a status that is not 0; never another document with status 0."""
    why = whole(r, True)
    if not why and not r.status and "save" not in r.argv and not same_text(r.out, r.before.out, r.argv):
        why = same_text(Ended(r.before.argv).out, r.before.out, r.argv) and "status 0 and another document"
    return why or None


def hidden(path):
    """A command that runs with an empty file system mounted at a path."""
    def run(argv):
        return Ended(["unshare", "-m", "sh", "-c", 'mount -t tmpfs none %s && exec "$0" "$@"' % path] + argv)
    return run


def without_bpffs(w):
    def run(argv):
        return Ended(["unshare", "-m", "sh", "-c", 'while umount -l -t bpf -a 2>/dev/null && grep -q " bpf " /proc/mounts; do :; done; '
                      'exec "$0" "$@"'] + argv)
    return run


with Small() as w:
    before = sorted(os.listdir(w.pins))
    written = [c for c in w.commands() if "save" not in c]
    save = [c for c in w.commands() if "save" in c]
    w.commands = lambda: written
    all_of(w, "no space for the output", full, unheard)
    r = full([w.lens, "-j", "map", "show", "name", "no_such_map"])
    ok(r.status == 3 and b"no map with name" in r.err, "no space for an error object: standard error has the sentence", r)
    all_of(w, "no reader of the output", broken, ends)
    w.commands = lambda: written + save
    for which in ((1,), (2,), (0, 1, 2)):
        all_of(w, "closed: %s" % (which,), closed(which), ends)
    for n in (4, 6, 8, 16):
        all_of(w, "%d descriptors" % n, limited(resource.RLIMIT_NOFILE, n), same_or_said if n > 5 else ends, n > 5)
    for mb in () if sanitized() else (16, 24, 32, 64):  # the sanitizers reserve terabytes
        all_of(w, "%d MB of addresses" % mb, limited(resource.RLIMIT_AS, mb << 20), lambda r: same_or_said(r) if r.status != 127 else None, True)
    for path in ("/proc", "/sys"):
        all_of(w, "without " + path, hidden(path))
    all_of(w, "without a bpffs", without_bpffs(w))
    ok(sorted(os.listdir(w.pins)) == before, "the pins are unchanged", os.listdir(w.pins))
    ok(set(os.listdir(w.tmp)) <= {"out.tar.gz"}, "no temporary file", os.listdir(w.tmp))
    full_disk = w.dir + "/disk"
    os.mkdir(full_disk)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", full_disk], check=True)
    r = Ended([w.lens, "save", full_disk + "/a.tar.gz"])
    ok(r.status == 1 and r.err and not os.listdir(full_disk), "save on a full disk: nothing is left", r)
    subprocess.run(["umount", full_disk])
finish()
