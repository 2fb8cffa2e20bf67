#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Uprobes of a file that is there, that is deleted, and that only another mount namespace has; live and saved."""
import ctypes
import os
import shutil
import struct
import subprocess

import rawbpf
from world import World, finish, isolate, ok, skip

isolate()
UPROBE_MULTI = 48
NAMESPACE = "mkdir {d}/ns && mount -t tmpfs far {d}/ns && cp {d}/tool {d}/ns/far && exec {lens} attach id {prog} to {d}/ns/far:readline uprobe hold"


def multi(path):
    """A link at two places of a file; None: this kernel has no such links."""
    prog = rawbpf.prog_load("kprobe", "upf_multi", 0, UPROBE_MULTI)
    name, offsets = ctypes.create_string_buffer(path.encode()), (ctypes.c_uint64 * 2)(0x40000, 0x50000)
    try:
        return rawbpf.bpf(28, struct.pack("<IIIIQQQQIII", prog, 0, UPROBE_MULTI, 0, ctypes.addressof(name), ctypes.addressof(offsets), 0, 0, 2, 0, 0))
    except OSError:
        return None


def check(w, d, source, link, pid, prog):
    r = w.run(*source, "-j", "ls", "-Q", "prog_id == %d" % prog)
    where = sorted(a["where"] for a in r.json)
    want = [d + "/gone_(deleted):0x", d + "/tool:readline", "/proc/%d/root%s/ns/far:readline" % (pid, d)]
    ok(r.status == 0 and len(where) == 3 and all(any(x.startswith(y) for x in where) for y in want), "where the files are", r)
    r = w.run(*source, "-j", "link", "list", "-o", "attach_to,file", "-Q", "prog_id == %d" % prog)
    ok({(a["file"], a["attach_to"].split("+")[0]) for a in r.json} ==
       {(d + "/gone", d + "/gone (deleted)"), (d + "/tool", d + "/tool:readline"), (d + "/ns/far", "/proc/%d/root%s/ns/far:readline" % (pid, d))},
       "link list: and the file as the kernel has it", r)
    if link is not None:
        r = w.run(*source, "-j", "link", "show", "id", rawbpf.object_id(link))
        ok(r.json["attach_to"].startswith(d + "/gone (deleted)+0x40000 and"), "the same of a link with several places", r)
    r = w.run(*source, "why", "prog", "id", prog)
    ok("gone_(deleted):0x" in "".join(r.text.split()) and "/proc/%d/root" % pid in "".join(r.text.split()), "why", r)


with World() as w:
    d = w.dir + "/files"
    os.mkdir(d)
    for name in ("tool", "gone"):
        shutil.copy(shutil.which("bash"), "%s/%s" % (d, name))
    prog = rawbpf.object_id(rawbpf.prog_load("kprobe", "upf"))
    args = [[w.lens, "attach", "id", str(prog), "to", d + "/gone:readline", "uprobe", "hold"], [w.lens, "attach", "id", str(prog), "to", d + "/tool:readline", "uprobe", "hold"],
            ["unshare", "-m", "--propagation", "private", "sh", "-c", NAMESPACE.format(d=d, lens=w.lens, prog=prog)]]
    holders = [subprocess.Popen(a, stdout=subprocess.PIPE) for a in args]
    try:
        link = multi(d + "/gone")
        attached = [h.stdout.readline() for h in holders]
        if not all(attached):
            skip("uprobe_files: uprobes cannot be attached here")
        else:
            os.unlink(d + "/gone")
            check(w, d, [], link, holders[2].pid, prog)
            saved = w.dir + "/files.tar.gz"
            w.run("save", saved)
            check(w, d, ["--from", saved], link, holders[2].pid, prog)
    finally:
        for h in holders:
            h.terminate()
            h.wait()
finish()
