#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""token show|list: bpffs mounts that delegate rights, here and in a container, which loads by a token made from them; live and saved."""
import os
import re
import subprocess

from contained import Container
from world import BUILD, World, finish, isolate, lock, ok, skip

isolate()
lock("load.bpf.o")
OBJ = BUILD + "/tests/live/load.bpf.o"


def listed(w, at, c):
    mine = [r for r in w.run("-j", "token", "show", "--all").json if r["token_info"] == at]
    ok(len(mine) == 1 and mine[0]["pid"] == c.pid and mine[0]["allowed_progs"] == ["socket_filter", "xdp"] and mine[0]["allowed_cmds"] == ["map_create", "prog_load", "btf_load"] and
       mine[0]["mnt_ns"] == os.stat("/proc/%d/ns/mnt" % c.pid).st_ino, "of a container, with --all", mine)
    ok(at not in w.run("token", "show").text, "and not without")
    r = w.run("token", "show", "--all")
    ok("token_info  %s  mnt_ns %d  pid %d\n" % (at, mine[0]["mnt_ns"] if mine else 0, c.pid) in r.text, "its process", r)


def loads(w, at, c):
    """In the container, what the bpffs delegates is allowed, and nothing else."""
    def lens(words):
        return c.run("%s %s" % (w.lens, words))

    status, text = lens("prog load %s %s/count only lens_count" % (OBJ, at))
    if "has no tokens" in text:
        ok(status == 4 and "token of %s may allow it" % at in text, "an old libbpf is named", text)
        return skip("loading by a token: libbpf 1.4 has tokens")
    ok(status == 0 and "loaded lens_count" in text and c.run("test -e %s/count" % at)[0] == 0, "prog load by a token, found without being named", text)
    status, text = lens("prog loadall %s %s/none" % (OBJ, at))
    ok(status == 4 and "the token of %s does not allow it" % at in text and c.run("test -e %s/none" % at)[0], "not delegated: tracepoint", text)
    status, text = lens("map create %s/map type hash key 4 value 8 entries 4 name lens_token" % at)
    ok(status == 0 and c.run("test -e %s/map" % at)[0] == 0, "map create by a token", (status, text))
    status, text = lens("map create %s/typed type hash key_type int value_type int entries 4 name lens_token" % at)
    ok(status == 0 and c.run("test -e %s/typed" % at)[0] == 0, "also with types, which are loaded by the token", (status, text))
    status, text = lens("map create %s/other type queue key 0 value 8 entries 4 name lens_token" % at)
    ok(status == 4 and "does not allow it" in text, "not delegated: queue", text)
    status, text = c.run("LIBBPF_BPF_TOKEN_PATH= %s map create %s/other type hash key 4 value 8 entries 4 name lens_token" % (w.lens, at))
    ok(status == 4 and "mount bpffs with delegate_" in text, "without a token, as LIBBPF_BPF_TOKEN_PATH says", text)
    status, text = c.run("LIBBPF_BPF_TOKEN_PATH=%s %s prog load %s --dry-run only lens_count" % (at, w.lens, OBJ))
    ok(status == 0, "named by LIBBPF_BPF_TOKEN_PATH", text)
    status, text = lens("doctor")
    ok(re.search(r"^limited +token: .*%s" % re.escape(at), text, re.M) and "all capabilities" not in text, "doctor", text)


def container(w):
    at = w.dir + "/inside"
    try:
        with Container(at, delegate_cmds="map_create:prog_load:btf_load", delegate_maps="hash:array", delegate_progs="socket_filter:xdp", delegate_attachs="any") as c:
            listed(w, at, c)
            loads(w, at, c)
    except OSError as e:
        skip("a container: %s" % e)


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
