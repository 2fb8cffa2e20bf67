#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A save that ends at any moment: the file after SIGKILL opens, and has every answer of the complete gzip members, as another
reader of gzip and tar finds them; an ordinary signal leaves nothing; an older file stays until the new one is complete."""
import collections
import io
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import tarfile
import time
import zlib

from world import STRACE, Run, World, at_random, finish, isolate, number, ok, skip

isolate()
KILLS, SIGNALS = number("KILLS", 8), 6


def whole_members(data):
    """The contents of the gzip members, up to the first incomplete one."""
    out = []
    while data:
        z = zlib.decompressobj(31)
        try:
            plain = z.decompress(data)
        except zlib.error:
            break
        if not z.eof:
            break
        out.append(plain)
        data = z.unused_data
    return b"".join(out)


def answers(path):
    """Return {name: bytes}, their number, and whether the file is complete."""
    with open(path, "rb") as f:
        plain = whole_members(f.read())
    with tarfile.open(fileobj=io.BytesIO(plain + bytes(1024))) as t:
        members = [(m.name, t.extractfile(m).read()) for m in t.getmembers()]
    index = members[-1][0] == "index"
    return dict(members), len(members) - index, index and plain.endswith(bytes(1024))


def check_killed(w, path):
    """Return None, or what is wrong with the file of a killed save."""
    want, n, whole = answers(path)
    r = w.run("--from", path, "-j", "prog", "list")
    said = re.search(r"is truncated after (\d+) answers?;", r.errors + r.text)
    if not whole and (not said or int(said.group(1)) != n):
        return "%d answers are there, %r" % (n, r.errors)
    if whole and said:
        return "the file is whole, %r" % r.errors
    if "prog/ids" not in want:
        return None if r.status else "a list of programs without prog/ids: %s" % r
    names = {}
    for name, data in want.items():
        m = re.fullmatch(r"prog/(\d+)/info", name)
        if m:
            names[int(m.group(1))] = data[64:80].split(b"\0")[0].decode("latin-1")
    ids = struct.unpack("<%dI" % (len(want["prog/ids"]) // 4), want["prog/ids"])
    got = {p["id"]: p.get("name", "") for p in r.json}
    # With types, the name is not truncated.
    wrong = [i for i in ids if i in names and not got.get(i, "-").startswith(names[i])]
    return "programs %s are not as saved: %s" % (wrong[:5], got) if wrong or set(got) - set(ids) else None


def start(w, path):
    return subprocess.Popen([w.lens, "save", "--map-data", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def duration(w, path):
    begin = time.monotonic()
    p = start(w, path)
    p.communicate()
    os.unlink(path)
    return time.monotonic() - begin


def end(p, sig, most):
    at_random(most)
    p.send_signal(sig)
    p.communicate()
    return p.returncode


def kills(w, folder, limit):
    path = folder + "/saved"
    partial = path + ".partial"
    left = 0
    for i in range(KILLS):
        end(start(w, path), signal.SIGKILL, limit)
        strange = set(os.listdir(folder)) - {"saved", "saved.partial", "saved.partial.1"}
        if strange:
            ok(False, "kill %d: other files" % i, strange)
            break
        why = [check_killed(w, f) for f in (path, partial) if os.path.exists(f)]
        left += os.path.exists(partial)
        if any(why):
            ok(False, "kill %d: the file is right" % i, why)
            break
        if os.path.exists(path):
            os.unlink(path)  # the next save finds the .partial of this one, if any
        if os.path.exists(partial + ".1"):
            os.unlink(partial + ".1")
    else:
        ok(True, "%d kills: the file has every complete answer" % KILLS)
    ok(left > KILLS // 4, "at least some of them left a file", left)
    was = [f for f in (partial,) if os.path.exists(f)]
    r = w.run("save", path)
    ok(r.status in (0, 5) and sorted(os.listdir(folder)) == ["saved"] + ["saved.partial.1"] * len(was), "the next save keeps the incomplete file", r)
    for f in was:
        os.unlink(f + ".1")


def signals(w, folder, limit):
    path = folder + "/saved"
    with open(path, "rb") as f:
        old = f.read()
    for i in range(SIGNALS):
        sig = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)[i % 3]
        status = end(start(w, path), sig, limit * 0.8)
        with open(path, "rb") as f:
            now = f.read()
        # A signal may come when the new file has just been put in its place.
        fine = os.listdir(folder) == ["saved"] and (now == old or status == -sig or status in (0, 5)) and answers(path)[2]
        if not fine:
            ok(False, "signal %d: only the old file" % sig, (status, os.listdir(folder), now == old))
            return
        old = now
    ok(True, "%d signals: only the old file, or a new one" % SIGNALS)


def tools(w, folder):
    path = folder + "/saved"
    names = Run(["tar", "tzf", path])
    ok(names.status == 0 and not names.err and names.text.endswith("\nindex\n"), "tar lists it without a message", names)
    ok(Run(["gzip", "-t", path]).status == 0, "gzip tests it")
    whole = w.run("--from", path, "-j", "ls")
    with open(path, "rb") as f:
        ok(Run([w.lens, "--from", "-", "-j", "ls"], stdin=f).out == whole.out, "standard input, a file")
    p = subprocess.run("cat %s | %s --from - -j ls" % (path, w.lens), shell=True, stdout=subprocess.PIPE)
    ok(p.stdout == whole.out, "standard input, a pipe")
    p = subprocess.run("gunzip < %s > %s.tar && %s --from %s.tar -j ls" % (path, path, w.lens, path), shell=True,
                       stdout=subprocess.PIPE)
    ok(p.stdout == whole.out, "a plain tar")


def each_once(w, folder):
    """Every list is read once; that of programs once more by commands that ask many cgroups and skip the hooks that no program is
    for, and by save for the counts that audit compares; the first BTF object is asked for once more, to learn what its descriptors are. An object is opened when it is read, and once before that if another one names it."""
    if not shutil.which("strace"):
        skip("strace is not installed")
        return
    log = w.dir + "/strace"
    at_most = {"PROG": 2, "MAP": 1, "BTF": 2, "LINK": 1}
    for command in (["save", folder + "/once"], ["ls"], ["graph"]):
        Run(STRACE + ["-f", "-o", log, "-e", "trace=bpf", w.lens] + command)
        with open(log) as f:
            calls = f.read()
        walks = collections.Counter(re.findall(r"bpf\(BPF_(\w+)_GET_NEXT_ID, \{start_id=0,", calls))
        ok(walks and all(n <= at_most[kind] + (command[0] == "save") for kind, n in walks.items()), "%s: each list is asked once" % command[0], walks)
        opened = collections.Counter(re.findall(r"bpf\(BPF_(MAP|PROG|BTF)_GET_FD_BY_ID, \{\w+=(\d+)", calls))
        ours = {(kind.upper(), str(fact["id"])) for kind in ("prog", "map", "btf") for fact in w.of(kind)}
        twice = [(o, opened[o]) for o in ours if opened[o] > 2]
        ok(ours and not twice, "%s: each object is opened at most twice" % command[0], twice)


def unprivileged(w, folder):
    """A user who may not list the objects does not get a file that looks like an empty machine, except with --partial."""
    os.chmod(w.dir, 0o755)
    os.chmod(folder, 0o777)
    path = folder + "/user"
    r = w.as_user("save", path)
    ok(r.status == 4 and not r.out and "--partial" in r.errors and not os.path.exists(path), "save without privilege is refused", r)
    r = w.as_user("save", "--partial", path)
    ok(r.status == 5 and "saved 0 programs" in r.text and os.path.exists(path), "with --partial it is written", r)


def stream(w):
    p = subprocess.run("%s save - | %s --from - -j prog show" % (w.lens, w.lens), shell=True, stdout=subprocess.PIPE)
    ids = {prog["id"] for prog in json.loads(p.stdout)}
    ok(ids >= {fact["id"] for fact in w.of("prog")}, "save - | --from -", len(ids))
    r = Run(["sh", "-c", "%s save - > /dev/full" % w.lens])
    ok(r.status == 1 and "No space left" in r.errors, "save - without space", r)


with World() as w:
    w.make()
    folder = w.dir + "/saves"
    os.mkdir(folder)
    limit = max(duration(w, folder + "/saved") for unused in range(3))
    kills(w, folder, limit)
    signals(w, folder, limit)
    tools(w, folder)
    each_once(w, folder)
    unprivileged(w, folder)
    stream(w)
finish()
