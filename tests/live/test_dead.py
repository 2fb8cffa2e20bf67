#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""map dump and map export --dead, mem -o +dead: elements of processes, cgroups, namespaces and devices that are gone, and no others; nothing is deleted."""
import os
import struct
import subprocess
import threading

from world import BUILD, World, finish, isolate, ok, skip

isolate()
GONE_NETNS, GONE_DEVICE = 1, 1 << 30


def pack(form, *values):
    return ["%d" % b for b in struct.pack("=" + form, *values)]


class Maps:
    def __init__(self, w):
        self.w = w

    def pin(self, name):
        return self.w.pins + "/dead/" + name

    def put(self, name, key, value):
        r = self.w.run("map", "update", "pinned", self.pin(name), "key", *key, "value", *value)
        if r.status:
            ok(False, "update", r)

    def dead(self, name, *more):
        """The keys that `map dump --dead` prints, as it formats them."""
        r = self.w.run("-j", "map", "dump", "pinned", self.pin(name), "--dead", *more)
        return r, [x["formatted"]["key"] if "formatted" in x else x["key"] for x in r.json] if r.status == 0 else None

    def counted(self):
        r = self.w.run("-j", "mem", "-o", "+dead", "-Q", "kind == map && name =~ '^dm_'")
        return r, {x["name"]: x.get("dead") for x in r.json}


def processes(m):
    child = subprocess.Popen(["true"])
    child.wait()
    gone, here, thread = child.pid, os.getpid(), []
    done, begun = threading.Event(), threading.Event()
    t = threading.Thread(target=lambda: (thread.append(threading.get_native_id()), begun.set(), done.wait()))
    t.start()
    begun.wait()
    for kind, pid in enumerate((gone, here, thread[0], 0)):
        m.put("dm_task", pack("II", pid, kind), pack("Q", 1))
        m.put("dm_both", pack("Q", pid << 32 | pid), pack("Q", 1))
    for pid in (gone, here):
        m.put("dm_pid", pack("I", pid), pack("Q", 1))
        m.put("dm_owner", pack("I", pid), pack("II", pid, 7))
    r, got = m.dead("dm_task")
    ok(got == [{"pid": gone, "kind": 0}], "a member pid: the process that has ended, not this one, a thread, or 0", r)
    r, got = m.dead("dm_pid")
    ok(got == [gone], "a key of type pid_t, in a per-CPU map", r)
    r, got = m.dead("dm_owner")
    ok(got is None and r.status == 2 and "--format" in r.text, "a key that is only a number: how to name it", r)
    r, got = m.dead("dm_owner", "--format", "value.pid=pid")
    ok(got is not None and [int(k) for k in got] == [gone], "a member of the value that was named", r)
    for role in ("tgid", "pid"):
        r, got = m.dead("dm_both", "--format", "key=" + role)
        ok(got is not None and [int(k) for k in got] == [gone << 32 | gone], "the %s in a bpf_get_current_pid_tgid()" % role, r)
    r = m.w.run("map", "dump", "pinned", m.pin("dm_task"), "--dead", "-o", "pid", "--noheadings")
    ok(r.text.split() == [str(gone)], "as a table", r)
    r = m.w.run("map", "dump", "pinned", m.pin("dm_task"), "--dead", "-Q", "key.kind == 1")
    ok(r.status == 0 and str(here) not in r.text, "with a filter", r)
    lines = m.w.run("map", "export", "pinned", m.pin("dm_owner"), "--dead", "--format", "key=pid").text.splitlines()
    ok(len(lines) == 2 and '"key":%d' % gone in lines[1].replace(" ", ""), "export, whose text is as ever", lines)
    r = m.w.run("map", "export", "pinned", m.pin("dm_owner"), "--format", "key=pid")
    ok(r.status == 2 and "--dead" in r.errors, "export: formats only name members", r)
    r, counts = m.counted()
    ok((counts["dm_task"], counts["dm_pid"], counts["dm_owner"]) == (1, 1, None), "mem counts them where names say what keys are", r)
    r = subprocess.run(["unshare", "-pf", "--mount-proc", m.w.lens, "map", "dump", "pinned", m.pin("dm_task"), "--dead"], stderr=subprocess.PIPE, text=True)
    ok(r.returncode == 1 or "process namespace" in r.stderr, "another process namespace has other numbers", r)
    done.set()
    t.join()


def places(m):
    here = os.stat("/proc/self/ns/net").st_ino
    for netns, ifindex in ((here, 1), (GONE_NETNS, 1), (here, GONE_DEVICE), (0, 0)):
        m.put("dm_net", pack("QII", netns, ifindex, 9), pack("Q", 1))
    r, got = m.dead("dm_net")
    missed = "network namespaces" in r.errors
    if missed:
        return skip("others' namespaces come and go: " + r.errors.strip())
    keys = sorted((k["netns"], k["ifindex"]) for k in got or [])
    ok(keys == [(GONE_NETNS, 1), (here, GONE_DEVICE)], "namespaces and devices", r)
    r, got = m.dead("dm_net", "--format", "netns=netns")
    ok(got is not None and len(got) == 1, "only the member that was named", r)


def cgroups(m):
    if not m.w.cgroup:
        return skip("no cgroup can be made here")
    path = m.w.cgroup + "/dead"
    os.mkdir(path)
    gone, here = os.stat(path).st_ino, os.stat(m.w.cgroup).st_ino
    os.rmdir(path)
    for ident in (gone, here):
        m.put("dm_cgroup", pack("Q", ident), pack("Q", 1))
    r, got = m.dead("dm_cgroup")
    ok(got == [{"cgroup_id": gone}], "cgroups", r)


def saved(m):
    """Cgroups and namespaces are in an archive, the processes of a machine are not."""
    path = m.w.dir + "/dead.tar.gz"
    m.w.run("save", path, "--map-data")

    def run(name):
        return m.w.run("--from", path, "-j", "map", "dump", "name", name, "--dead")
    r = run("dm_task")
    ok(r.status == 1 and "processes there were was not saved" in r.errors + r.text, "processes of an archive", r)
    if m.w.cgroup:
        r = run("dm_cgroup")
        ok(r.status == 0 and len(r.json) == 1, "cgroups of an archive", r)


with World() as w:
    r = w.run("prog", "loadall", BUILD + "/tests/live/dead.bpf.o", w.dir + "/none", "pinmaps", w.pins + "/dead")
    r = w.run("prog", "loadall", BUILD + "/tests/live/dead.bpf.o", w.pins + "/prog", "pinmaps", w.pins + "/dead") if r.status else r
    m = Maps(w)
    ok(r.status == 0, "load", r)
    before = w.run("-j", "map", "list", "-o", "id,entries", "-Q", "name =~ '^dm_'")
    if os.stat("/proc/self/ns/pid").st_ino == 0xeffffffc:
        processes(m)
    else:
        skip("this is not the initial process namespace")
    places(m)
    cgroups(m)
    saved(m)
    r = w.run("-j", "map", "dump", "pinned", m.pin("dm_net"))
    ok(len(r.json) == 4, "nothing was deleted", r)
    for pin in ("/dead", "/prog"):
        w.run("unpin", "-r", w.pins + pin)
finish()
