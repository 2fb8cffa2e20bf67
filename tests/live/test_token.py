#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""token show|list: bpffs mounts that delegate rights, here and in a container that can create a token from them; live and saved."""
import ctypes
import os
import socket
import subprocess

from world import World, finish, isolate, ok, skip

isolate()
LIBC = ctypes.CDLL(None, use_errno=True)
FSOPEN, FSCONFIG, FSMOUNT, MOVE_MOUNT = 430, 431, 432, 429  # the same on all machines
SET_STRING, CREATE, EMPTY_PATH = 1, 6, 4
NEWUSER, NEWNS = 0x10000000, 0x00020000


def call(number, *args):
    r = LIBC.syscall(number, *args)
    if r < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return r


def contained(there, at):
    """The child, in new user and mount namespaces: it opens a bpffs, which its parent configures and the child mounts."""
    if LIBC.unshare(NEWUSER | NEWNS):
        os._exit(1)
    fd = call(FSOPEN, b"bpf", 0)
    socket.send_fds(there, [b"fd"], [fd])
    if there.recv(2) != b"ok":
        os._exit(1)
    call(MOVE_MOUNT, call(FSMOUNT, fd, 0, 0), b"", -100, at.encode(), EMPTY_PATH)
    there.send(b"up")
    there.recv(2)
    os._exit(0)


def container(w):
    here, there = socket.socketpair()
    at = w.dir + "/inside"
    os.mkdir(at)
    pid = os.fork()
    if not pid:
        here.close()
        try:
            contained(there, at)
        finally:
            os._exit(2)
    there.close()
    try:
        _, fds, _, _ = socket.recv_fds(here, 2, 1)
        if not fds:
            return skip("a container: this kernel does not open a bpffs in a user namespace")
        for file, text in (("setgroups", "deny"), ("uid_map", "0 0 1"), ("gid_map", "0 0 1")):
            with open("/proc/%d/%s" % (pid, file), "w") as f:
                f.write(text)
        call(FSCONFIG, fds[0], SET_STRING, b"delegate_progs", b"xdp", 0)
        call(FSCONFIG, fds[0], CREATE, None, None, 0)
        here.send(b"ok")
        if here.recv(2) != b"up":
            return skip("a container: it cannot mount its bpffs")
        mine = [r for r in w.run("-j", "token", "show", "--all").json if r["token_info"] == at]
        ok(len(mine) == 1 and mine[0]["pid"] == pid and mine[0]["allowed_progs"] == ["xdp"] and mine[0]["allowed_cmds"] == [] and
           mine[0]["mnt_ns"] == os.stat("/proc/%d/ns/mnt" % pid).st_ino, "of a container, with --all", mine)
        ok(at not in w.run("token", "show").text, "and not without")
        r = w.run("token", "show", "--all")
        ok("token_info  %s  mnt_ns %d  pid %d\n" % (at, mine[0]["mnt_ns"] if mine else 0, pid) in r.text, "its process", r)
    except OSError as e:
        skip("a container: %s" % e)
    finally:
        here.close()
        os.waitpid(pid, 0)
        os.rmdir(at)


def blocks(w, at):
    r = w.run("token", "show")
    words = [["map_create", "prog_load", "prog_test_run", "btf_load", "map_freeze"], ["any"], ["kprobe", "xdp"], []]
    want = "token_info  %s\n" % at
    for name, listed in zip(("cmds", "maps", "progs", "attachs"), words):
        want += "\tallowed_%s:\n" % name
        for i in range(0, len(listed), 4):
            want += "\t  " + "".join("%-20s" % word for word in listed[i:i + 4]) + "\n"
    ok(r.status == 0 and want in r.text, "bpftool's block", "%s\n%s" % (want, r))
    r = w.run("-j", "token")
    mine = [rec for rec in r.json if rec["token_info"] == at]
    ok(len(mine) == 1 and [mine[0]["allowed_" + name] for name in ("cmds", "maps", "progs", "attachs")] == words and "pid" not in mine[0] and
       mine[0]["mnt_ns"] == os.stat("/proc/self/ns/mnt").st_ino, "JSON", r)
    ok(w.pins not in r.text, "a bpffs that delegates nothing is left out")
    r = w.run("token", "list", "-o", "token_info,allowed_progs", "-Q", "allowed_progs == xdp && token_info =~ two", "--noheadings")
    ok(r.text == "%s  kprobe,xdp\n" % at, "a line", r)
    r = w.run("-j", "token", "show", "-x")
    ok(r.status == 2, "an option that bpftool does not have", r)
    saved = w.dir + "/state.tar.gz"
    r = w.run("save", saved)
    for words in (["token"], ["-j", "token", "show"], ["token", "list"]):
        a, b = w.run(*words), w.run("--from", saved, *words)
        ok(r.status in (0, 5) and a.out == b.out and a.out, "the same from an archive: " + " ".join(words), b)


with World() as w:
    at = w.dir + "/two words"
    os.mkdir(at)
    options = "delegate_cmds=map_create:prog_load:prog_run:btf_load:map_freeze,delegate_maps=any,delegate_progs=kprobe:xdp"
    made = subprocess.run(["mount", "-t", "bpf", "-o", options, "bpf", at], stderr=subprocess.PIPE)
    if made.returncode or "delegate_" not in open("/proc/self/mountinfo").read():
        skip("delegation: not supported by this kernel (before Linux 6.9)")
        ok(w.run("-j", "token").json == [], "nothing is delegated")
    else:
        blocks(w, at)
        container(w)
    subprocess.run(["umount", "-l", at], stderr=subprocess.DEVNULL)
    os.rmdir(at)
finish()
