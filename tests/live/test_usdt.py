#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs at USDT probes of a running program: each run counted, arguments as the program has them, the semaphore raised while
one is attached, detached, and what cannot be attached."""
import os
import struct
import subprocess

from world import BUILD, World, finish, isolate, kernel_knows, ok, skip, until

isolate()
PROBED = BUILD + "/tests/live/probed"
SHOWN, MULTI = (kernel_knows("BPF_" + n) for n in ("PERF_EVENT_UPROBE", "TRACE_UPROBE_MULTI"))


def hits(w):
    """By slot: count, cookie, arguments."""
    got = []
    for x in w.run("-j", "map", "dump", "pinned", w.pins + "/maps/hits").json:
        v = struct.unpack("<QQqqqqq", bytes(int(b, 16) for b in x["value"]))
        got.append((v[0], v[1], list(v[3:3 + v[2]])))
    return got


def attach(w, prog, *words):
    p = subprocess.Popen([w.lens, "attach", "pinned", w.pins + "/usdt/" + prog, *words, "hold"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    line = p.stdout.readline().decode()
    if not ok(line.startswith("attached program"), "attach %s to %s" % (prog, " ".join(words[2:])), line + (p.stdout.read().decode() if not line.startswith("attached") else "")):
        p.wait()
    p.stdout.readline()
    return p


def once(target):
    target.stdin.write(b"x")
    target.stdin.flush()
    return int(target.stdout.readline())


def runs(w, target):
    path = w.dir + "/probed"
    held = [attach(w, "on_begin", "to", path, "usdt", "app:begin", "cookie", "77"), attach(w, "on_step", "to", path + ":app:step", "usdt"),
            attach(w, "on_end", "to", path, "usdt", "app:end")]
    if any(p.returncode is not None for p in held):
        return
    listed = [a for a in w.run("-j", "ls").json if a.get("where", "").startswith(path)]
    if SHOWN:
        ok(len(listed) == 4 and {a["what"] for a in listed} <= {"uprobe", "uprobe_multi"}, "listed as uprobes", listed)
    else:
        skip("listed as uprobes: the kernel does not report the events of links")
    used = once(target)
    got = hits(w)
    ok([h[0] for h in got[:3]] == [3, 3, 2], "each run of each probe is counted", got)
    ok(got[0][1:] == (77, [-3, 0x123456789abc + 2, 7]), "a signed register, memory, a constant, and the cookie", got[0])
    ok(got[1][1:] == (0, [202]), "a byte of a register", got[1])
    ok(got[2][1:] == (0, []), "no arguments", got[2])
    ok(used == 1, "the semaphore is raised", used)
    for p in held:
        p.terminate()
        ok(p.wait() == 0, "the links end with the command")
    ok(once(target) == 1 and hits(w)[0][0] == 3, "nothing runs any more, and the semaphore is 0 again", hits(w))
    r = w.run("-j", "map", "dump", "pinned", w.pins + "/maps/__bpf_usdt_specs")
    again = attach(w, "on_begin", "to", path, "usdt", "app:begin", "cookie", "77")
    once(target)
    again.terminate()
    again.wait()
    ok(hits(w)[0][0] == 6 and w.run("-j", "map", "dump", "pinned", w.pins + "/maps/__bpf_usdt_specs").json == r.json,
       "attached again, its place in the map is used again", hits(w))


def autoattached(w, target):
    """By its section, whose last probe is in two places; libbpf cannot pin such a link."""
    section = "usdt/" + w.dir + "/probed:app:end"
    source, include = os.path.dirname(os.path.abspath(__file__)) + "/usdt.bpf.c", BUILD + "/libbpf/include"
    with open(source) as f:
        text = f.read().replace('SEC("usdt")', 'SEC("%s")' % section)
    with open(w.dir + "/auto.bpf.c", "w") as f:
        f.write(text)
    r = subprocess.run(["clang", "-target", "bpf", "-O2", "-g", "-ffreestanding", "-I" + os.path.dirname(source), "-I" + include, "-c", "-o",
                        w.dir + "/auto.bpf.o", w.dir + "/auto.bpf.c"], stderr=subprocess.PIPE)
    if r.returncode:
        return skip("the program with a section of its own does not compile here: " + r.stderr.decode()[:200])
    r = w.run("prog", "load", w.dir + "/auto.bpf.o", w.pins + "/auto", "only", "on_begin", "pinmaps", w.pins + "/automaps", "autoattach")
    if not MULTI:
        ok(r.status == 1 and "the probe is in 2 places, and a link holds one" in r.errors, "prog load autoattach: no link of several places", r)
        return
    if not ok(r.status == 0 and r.text.startswith("loaded and attached"), "prog load autoattach", r):
        return

    def counted():
        once(target)
        return w.run("-j", "map", "dump", "pinned", w.pins + "/automaps/hits").json[0]["formatted"]["value"]["count"]
    ok(counted() == 2, "each run of both places is counted")
    w.run("unpin", w.pins + "/auto")
    ok(until(lambda: counted() == counted()), "until its link is unpinned, which the kernel frees later")


def pinned(w, target):
    r = w.run("prog", "attach", "pinned", w.pins + "/usdt/on_step", "usdt", w.dir + "/probed:app:step", "--link", w.pins + "/step")
    before = hits(w)[1][0]
    once(target)
    ok(r.status == 0 and hits(w)[1][0] == before + 3, "prog attach, with a pinned link", r)
    r = w.run("prog", "detach", "pinned", w.pins + "/usdt/on_step", "usdt", w.dir + "/probed:app:step")
    if not SHOWN:
        ok(r.status == 3 and "detach link id" in r.errors, "prog detach: the message has the command that detaches it", r)
        return
    once(target)
    ok(r.status == 0 and hits(w)[1][0] == before + 3, "prog detach", r)


def refused(w):
    path = w.dir + "/probed"
    for prog, words, status, sentence in (
            ("on_end", (path, "usdt", "app:end", "--link", w.pins + "/no"), 1, "the probe is in 2 places"),
            ("on_end", (path, "usdt", "app:ende", "hold"), 3, "similar: end"),
            ("on_end", (path, "usdt", "app", "hold"), 2, "PATH:PROVIDER:NAME"),
            ("on_end", ("/bin/true:app:end", "usdt", "hold"), 3, "has no USDT probes"),
            ("on_end", (w.dir + "/none:app:end", "usdt", "hold"), 3, "No such file"),
            ("on_end", (path, "uprobe", "app:end", "hold"), 2, "unexpected argument 'app:end'"),
            ("on_end", (path, "usdt", "app:end"), 1, "only as long as its link exists")):
        r = w.run("attach", "pinned", w.pins + "/usdt/" + prog, "to", *words)
        ok(r.status == status and sentence in r.errors, sentence, r)
    r = w.run("attach", "pinned", w.pins + "/usdt/on_begin", "to", path, "usdt", "app:begin", "hold", "--dry-run")
    ok(r.status == 0 and "would" in r.text, "a dry run", r)


with World() as world:
    os.makedirs(world.pins + "/maps", exist_ok=True)
    loaded = world.run("prog", "loadall", BUILD + "/tests/live/usdt.bpf.o", world.pins + "/usdt", "pinmaps", world.pins + "/maps")
    if loaded.status:
        skip("programs for probes cannot be loaded here: " + loaded.errors)
        finish()
    subprocess.run(["cp", PROBED, world.dir + "/probed"], check=True)
    process = subprocess.Popen([world.dir + "/probed"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        runs(world, process)
        pinned(world, process)
        autoattached(world, process)
        refused(world)
    finally:
        process.kill()
        process.wait()
finish()
