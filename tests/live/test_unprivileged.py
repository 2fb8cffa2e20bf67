#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Commands that need no privilege work without it, and messages name what is missing: as user 65534, without /proc,
without bpffs."""
import os
import subprocess

import rawbpf
from world import Run, World, finish, isolate, ok, skip

VMLINUX = "/sys/kernel/btf/vmlinux"


def types(w):
    """Types of the kernel and its modules are in files that every user may read."""
    if not os.access(VMLINUX, os.R_OK):
        return skip("types without privilege: this kernel has no BTF")
    for words in (["layout", "list_head"], ["layout", "struct", "list_head", "from", "vmlinux"], ["sizes"], ["sizes", "from", "name", "vmlinux"],
                  ["find", "member", "next"], ["find", "type", "list_head", "from", "vmlinux"], ["dump", "vmlinux", "format", "c"],
                  ["dump", "vmlinux", "root_id", "1"], ["diff", "vmlinux", "file", VMLINUX]):
        r = w.as_user("btf", *words)
        root = w.run("btf", *words)
        ok(r.status == 0 and not r.err and r.out == root.out, "btf %s as a user is the same as for root" % " ".join(words), r)
    for name in sorted(set(os.listdir("/sys/kernel/btf")) - {"vmlinux"})[:2]:
        r, root = w.as_user("btf", "dump", name, "format", "c"), w.run("btf", "dump", name, "format", "c")
        ok(r.status == 0 and r.out == root.out, "btf dump of module %s as a user is the same as for root" % name, r)
    for words in (["dump", "no_such"], ["layout", "list_head", "from", "no_such"]):
        r = w.as_user("btf", *words)
        ok(r.status == 3 and "/sys/kernel/btf" in r.errors, "btf %s: no such file" % " ".join(words), r)
        r = w.run("btf", *words)
        ok(r.status == 3 and "no BTF object with name 'no_such'" in r.errors, "as root: no such object", r)
    r = w.as_user("btf", "dump", "name", "../fs/x")
    ok(r.status == 4, "a name is not a path", r)


def refused(w):
    """The hint names what is missing, and following it is enough."""
    for kind in ("prog", "map", "link", "btf"):
        r = w.as_user(kind, "list")
        ok(r.status == 4 and "listing objects and opening them by id needs CAP_SYS_ADMIN" in r.errors, kind + " list as a user", r)
    only = ["setpriv", "--bounding-set", "-all,+sys_admin,+bpf,+perfmon"]
    for less, named in (("-sys_admin,-perfmon", "CAP_SYS_ADMIN"), ("-sys_admin", "CAP_SYS_ADMIN")):
        r = Run(["setpriv", "--bounding-set", less, w.lens, "prog", "list"])
        ok(r.status == 4 and named in r.errors, "without %s the hint names it" % less, r)
    r = Run(only + [w.lens, "btf", "list"])
    ok(r.status == 0, "with it the objects are listed", r)


def without_proc(w):
    """Facts that are only in /proc are not taken for empty."""
    script = "mount -t tmpfs none /proc && exec \"$@\""
    for words in (["pin", "list"], ["cgroup", "tree"], ["cgroup", "list"], ["net", "list"], ["net", "show"], ["token", "list"], ["ls"]):
        r = Run(["unshare", "-m", "sh", "-c", script, "sh", w.lens] + words)
        ok(r.status in (1, 3, 5) and "/proc is not mounted here" in r.errors, "%s without /proc" % " ".join(words), r)


def unknown(w):
    """The user sees that a program is attached to a device, but not its name."""
    fd = rawbpf.prog_load("xdp", "un_%d" % os.getpid())
    prog = rawbpf.object_id(fd)
    r = w.run("attach", "id", prog, "to", "lo", "xdp")
    ok(r.status == 0, "attached to lo", r)
    for verb in ("list", "show"):
        r = Run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", w.lens, "-j", "net", verb])
        seen = [x for n in r.json for x in n.get("xdp", [n]) if x.get("prog_id") == prog]
        ok(r.status == 5 and seen and "prog_name" in seen[0] and seen[0]["prog_name"] is None, "net %s as a user: the name is unknown" % verb, r)
    w.run("detach", "lo", "xdp")
    os.close(fd)


def without_bpffs(w):
    script = "umount -a -t bpf 2>/dev/null; exec \"$@\""
    r = Run(["unshare", "-m", "sh", "-c", script, "sh", w.lens, "pin", "list"])
    if subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", "grep", "-q", " - bpf ", "/proc/self/mountinfo"]).returncode == 0:
        return skip("without bpffs: it cannot be unmounted here")
    ok(r.status == 0 and "no bpffs is mounted here" in r.errors, "pin list without a bpffs", r)


isolate()
with World() as world:
    types(world)
    refused(world)
    without_proc(world)
    unknown(world)
    without_bpffs(world)
finish()
