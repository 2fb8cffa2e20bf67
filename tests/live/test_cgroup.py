#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs of cgroups: each is listed once while cgroups vanish; attaching and detaching do what they report."""
import collections
import os
import signal
import subprocess
import threading
import time

import rawbpf
from cgroups import HOOKS, MULTI, Tree, load
from feed import Stream
from world import Run, World, finish, isolate, ok, patience, sanitized, skip, until

isolate(alone="lists are incomplete beside its deep cgroups")


def rows(tree, where=None):
    """Rows as in a Tree, from the JSON of `tree`, or of `show` of a cgroup."""
    if where:
        tree = [{"cgroup": where, "programs": tree}]
    return [(c["cgroup"], p["attach_type"], p["id"], p.get("attach_flags"), p.get("link_id")) for c in tree for p in c["programs"]]


def same(found, want):
    """Compare rows; links to the same program may be in any order, because nothing else distinguishes them."""
    blur = lambda all_: collections.Counter((r[:4], bool(r[4])) for r in all_)
    return blur(found) == blur(want) and collections.Counter(r[4] for r in found) == collections.Counter(r[4] for r in want)


def lists(w, t):
    if t.lacks:
        print("# this kernel lacks", *t.lacks)
    r = w.run("-j", "cgroup", "tree", t.top)
    ok(r.status == 0 and same(rows(r.json), t.rows), "%d programs in %d cgroups, each once" % (len(t.rows), len(t.dirs)), r)
    ok([c["cgroup"] for c in r.json] == [d for d in t.dirs if t.at(d)], "parents before children", r)
    ok(all(c["cgroup_id"] == os.stat(c["cgroup"]).st_ino for c in r.json), "with their numbers")
    whole = [x for x in w.run("-j", "cgroup", "tree").json if x["cgroup"].startswith(t.top)]
    ok(whole == r.json, "the same in the tree of all cgroups", whole)
    shown = [x for d in t.dirs for x in rows(w.run("-j", "cgroup", "show", d).json, d)]
    ok(shown == rows(r.json), "`show` of each", shown)
    deep = t.dirs[-1]
    by_path = w.run("-j", "cgroup", "show", deep)
    name = deep[os.path.dirname(t.top).rindex("/") + 1:]
    for word, what in ((str(os.stat(deep).st_ino), "number"), (name, "name"), ("cgroup:%d" % os.stat(deep).st_ino, "number with a word")):
        ok(w.run("-j", "cgroup", "show", word).json == by_path.json, "by " + what, word)
    ok(Run([w.lens, "-j", "cgroup", "show", "."], cwd=deep).json[0]["id"] == by_path.json[0]["id"], "by a relative path")
    found = [(a["where"], a["what"], a["prog_id"], a.get("detail", ""), a.get("link_id")) for a in w.run("-j", "ls", "cgroup").json
             if a["where"].startswith(t.top)]
    ok(same(found, t.rows), "`ls` has each once", found)
    saved = w.dir + "/cgroups.tar.gz"
    w.run("save", saved)
    for command in (["tree", t.top], ["tree", t.top, "effective"], ["show", deep, "effective"], ["list", deep]):
        live, again = w.run("-j", "cgroup", *command), w.run("--from", saved, "-j", "cgroup", *command)
        ok(live.status == 0 and live.out == again.out, "from an archive: cgroup " + " ".join(command), again)


def effective(w, t):
    """Programs with multi also run in all descendants."""
    multi = {r[1] for r in t.rows if r[0] == t.top and r[3] == "multi"}
    ours = {r[2] for r in t.rows}  # mkobj attached some to the parent
    here = [p for p in w.run("-j", "cgroup", "show", t.dirs[-1], "effective").json if p["id"] in ours]
    for hook in sorted(multi):
        want = collections.Counter(r[2] for r in t.rows if r[1] == hook)
        got = collections.Counter(p["id"] for p in here if p["attach_type"] == hook)
        ok(got == want, "effective below: " + hook, here)
    ok(all("attach_flags" not in p and "link_id" not in p for p in here), "without flags")
    r = w.run("-j", "cgroup", "tree", "effective")
    ok(r.status == 0 and any(c["cgroup"] == t.dirs[3] for c in r.json), "tree effective without a root", r)


def mounts(w, t):
    """In the test's mount namespace: another mount of the tree, one of a part of it, and one that a later mount hides."""
    before = w.run("-j", "cgroup", "tree").json
    for name in ("again", "part", "under"):
        os.mkdir(w.dir + "/" + name)
    subprocess.check_call(["mount", "-t", "cgroup2", "none", w.dir + "/again"])
    subprocess.check_call(["mount", "--bind", t.dirs[2], w.dir + "/part"])
    subprocess.check_call(["mount", "--bind", t.dirs[2], w.dir + "/under"])
    subprocess.check_call(["mount", "-t", "tmpfs", "none", w.dir + "/under"])
    after = w.run("-j", "cgroup", "tree").json
    mine = lambda tree: [(c["cgroup_id"], c["programs"]) for c in tree if c["cgroup"].startswith(t.top)]
    ok(mine(after) == mine(before) and not any(c["cgroup"].startswith(w.dir) for c in after), "mounted twice, listed once", after)
    r = w.run("-j", "cgroup", "tree", w.dir + "/part")
    want = [(d.replace(t.dirs[2], w.dir + "/part"), os.stat(d).st_ino) for d in t.dirs[2:] if t.at(d)]
    ok([(c["cgroup"], c["cgroup_id"]) for c in r.json] == want, "a part, by the path of its mount", r)
    for name in ("under", "under", "part", "again"):
        subprocess.check_call(["umount", w.dir + "/" + name])


def too_deep(w, t):
    """Cgroups deeper than are read: the others are listed, and the list is reported as incomplete."""
    before, made, back = w.run("-j", "cgroup", "tree", t.top), 0, os.getcwd()
    os.chdir(t.top)
    for _ in range(514):
        os.mkdir("deeper")
        os.chdir("deeper")
        made += 1
    r = Run([w.lens, "-j", "cgroup", "tree", t.top], cwd="/")
    for _ in range(made):
        os.chdir("..")
        os.rmdir("deeper")
    os.chdir(back)
    ok(r.status == 5 and r.out == before.out and "list of cgroups" in r.errors and "ELOOP" in r.errors, "cgroups that are too deep are reported", r)


def refusals(w, t):
    r = w.run("cgroup", "show", w.dir)
    ok(r.status == 1 and "is not a cgroup" in r.errors and "EBADF" in r.errors, "a directory that is not a cgroup", r)
    r = w.run("cgroup", "tree", t.top + "/nothing")
    ok(r.status == 3 and "no such cgroup" in r.errors, "a cgroup that does not exist", r)
    units = ["unit_%d.service" % os.getpid(), "twin_%d.service" % os.getpid()]
    made = [t.top + "/" + units[0], t.top + "/" + units[1], t.top + "/" + units[0] + "/" + units[1]]
    for d in made:
        os.mkdir(d)
    r = w.run("cgroup", "list", units[0])
    ok(r.status in (0, 5) and "no program is attached to this cgroup" in r.errors, "a unit by its name", r)
    r = w.run("cgroup", "list", units[1])
    ok(r.status == 1 and "2 cgroups are named" in r.errors and made[2] in r.errors, "two units with the same name", r)
    r = w.run("cgroup", "list", units[0][:-1])
    ok(r.status == 3 and units[0] in r.errors, "similar units", r)
    for d in reversed(made):
        os.rmdir(d)
    r = w.run("-j", "cgroup", "show", "18446744073709551")
    ok(r.status == 3 and "error" in r.json, "a number without a cgroup", r)
    r = w.as_user("cgroup", "tree")
    ok(r.status == 4 and "hint:" in r.errors, "for an ordinary user the missing capability is named", r)
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "unshare", "-Urm"]
    if subprocess.run(nobody + ["true"], stderr=subprocess.DEVNULL).returncode:
        skip("user namespaces cannot be created here")
    else:  # where the kernel does not open cgroups by number
        r = Run(nobody + [w.lens, "-j", "cgroup", "tree"])
        ok(r.status == 4 and r.json["errno"] == "EPERM", "also in a user namespace", r)
    for verb in ("attach", "detach"):
        r = w.run("cgroup", verb, t.top, "ingress", "id", 4294967290)
        ok(r.status == 3 and "no program with id" in r.errors, verb + " of no program", r)


def order(w, d, attach_type=0):
    """Program ids at a hook, in run order."""
    return [p["id"] for p in w.run("-j", "cgroup", "show", d).json if p["attach_type"] == HOOKS[attach_type][0]]


def verbs(w, top):
    d = top + "/verbs"
    os.mkdir(d)
    fds = [load(0, "cv_%d" % i) for i in range(4)] + [load(6, "cv_device")]
    a, b, c, extra, device = ids = [rawbpf.object_id(fd) for fd in fds]
    attach = lambda *words: w.run("cgroup", "attach", d, *words)

    r = attach("ingress", "id", a, "multi", "--dry-run")
    ok(r.status == 0 and "would attach program %d (cv_0) at %s cgroup_inet_ingress" % (a, d) in r.text and order(w, d) == [], "dry run", r)
    r = w.run("-j", "cgroup", "attach", d, "cgroup_inet_ingress", "id", a, "multi")
    ok(r.status == 0 and r.json["action"] == "attached" and r.json["prog_id"] == a and not r.err and order(w, d) == [a], "attach", r)
    r = attach("ing", "id", b, "m")
    ok(r.status == 0 and not r.out and order(w, d) == [a, b], "another one, with short words", r)
    r = attach("ingress", "id", b, "multi")
    ok(r.status == 1 and "already" in r.errors and "EEXIST" in r.errors, "twice", r)
    r = attach("ingress", "id", c, "multi", "overwrite")
    ok(r.status == 1 and "2 programs" in r.errors and "replace PROG" in r.errors, "overwrite of one of two", r)
    r = attach("ingress", "id", c, "multi", "replace", "id", a, "--dry-run")
    ok("in place of %d (cv_0)" % a in r.text and order(w, d) == [a, b], "replace, dry", r)
    r = attach("ingress", "id", c, "multi", "replace", "id", a)
    ok(r.status == 0 and "replaced program %d (cv_0)" % a in r.errors and order(w, d) == [c, b], "replace", r)
    r = attach("ingress", "id", extra, "multi", "replace", "id", a)
    ok(r.status == 3 and "program %d is not attached" % a in r.errors, "replace of a program that is not attached", r)
    r = attach("ingress", "id", a)
    ok(r.status == 4 and "attached with 'multi'" in r.errors and "use 'multi'" in r.errors, "without multi, where others have multi", r)
    r = attach("ingress", "id", device, "multi")
    ok(r.status == 1 and "has type cgroup_device" in r.errors, "a program of another type", r)
    r = attach("xdp", "id", a)
    ok(r.status == 2 and "invalid attach type" in r.errors, "another hook", r)
    ordering(w, d, ids, attach)
    single(w, d, device, attach)
    linked(w, d, a, attach)
    for prog in order(w, d):
        r = w.run("cgroup", "detach", d, "ingress", "id", prog, "--dry-run")
        ok(r.status == 0 and "would detach" in r.text and prog in order(w, d), "detach, dry", r)
        r = w.run("-j", "cgroup", "detach", d, "ingress", "id", prog)
        ok(r.status == 0 and r.json["action"] == "detached" and r.json["prog_id"] == prog and prog not in order(w, d), "detach", r)
    ok(w.run("-j", "cgroup", "show", d).out == b"[]\n", "nothing is left")
    for fd in fds:
        os.close(fd)
    os.rmdir(d)


def ordering(w, d, ids, attach):
    a, b, c, extra, _ = ids
    r = attach("ingress", "id", a, "multi", "first")
    if r.status and "6.17" in r.errors:
        skip("this kernel cannot order programs of a cgroup")
        return
    ok(r.status == 0 and order(w, d) == [a, c, b], "first", r)
    r = attach("ingress", "id", extra, "multi", "after", "id", c)
    ok(r.status == 0 and order(w, d) == [a, c, extra, b], "after", r)
    w.run("cgroup", "detach", d, "ingress", "id", extra)
    r = attach("ingress", "id", extra, "multi", "before", "id", c)
    ok(r.status == 0 and order(w, d) == [a, extra, c, b], "before", r)
    revision = w.run("-j", "cgroup", "show", d).json[0]["revision"]
    w.run("cgroup", "detach", d, "ingress", "id", extra)
    r = attach("ingress", "id", extra, "multi", "revision", revision)
    ok(r.status == 1 and "ESTALE" in r.errors and extra not in order(w, d), "a revision that has passed", r)
    r = attach("ingress", "id", extra, "multi", "revision", revision + 1)
    ok(r.status == 0 and order(w, d) == [a, c, b, extra], "the current revision", r)
    r = attach("ingress", "id", b, "first")
    ok(r.status == 2 and "needs 'multi'" in r.errors, "an order without multi", r)


def single(w, d, device, attach):
    other = load(6, "cv_other")
    ident = rawbpf.object_id(other)
    r = attach("device", "id", device, "override")
    ok(r.status == 0 and not r.err, "override", r)
    r = attach("device", "id", ident, "override")
    ok(r.status == 0 and "replaced program %d (cv_device)" % device in r.errors, "`cgroup attach` replaces, like bpftool's, and reports it", r)
    r = w.run("attach", "id", device, "to", d, "cgroup_device")
    ok(r.status == 1 and "EEXIST" in r.errors and "'overwrite'" in r.errors, "`attach` does not replace unless asked to", r)
    r = w.run("cgroup", "detach", d, "device", "id", device)
    ok(r.status == 3 and order(w, d, 6) == [ident], "another program is not detached instead", r)
    r = w.run("attach", "id", device, "to", d, "cgroup_device", "override", "overwrite")
    ok(r.status == 0 and "in place of %d" % ident in r.text, "`attach` overwrite", r)
    os.mkdir(d + "/below")
    r = w.run("attach", "id", ident, "to", d + "/below", "cgroup_device")
    ok(r.status == 0, "with override, descendants can have another program", r)
    r = w.run("detach", d + "/below", "cgroup_device")
    ok(r.status == 0, "`detach`", r)
    os.rmdir(d + "/below")
    r = w.run("cgroup", "detach", d, "device", "id", device)
    ok(r.status == 0 and order(w, d, 6) == [], "detach of override", r)
    os.close(other)


def becomes(w, d, want):
    """A link is freed a moment after its last user, and a process that lists links is a user while it reads it."""
    return until(lambda: order(w, d, 1) == want)


def linked(w, d, prog, attach):
    path = w.pins + "/cgroup_link"
    r = attach("egress", "id", prog, "--link", path)
    found = [p for p in w.run("-j", "cgroup", "show", d).json if p["attach_type"] == "cgroup_inet_egress"]
    ok(r.status == 0 and len(found) == 1 and found[0].get("link_id") and os.path.exists(path), "by a pinned link", r)
    r = w.run("cgroup", "detach", d, "egress", "id", prog)
    ok(r.status == 3 and "link detach id %d" % found[0]["link_id"] in r.errors, "which `cgroup detach` leaves alone", r)
    r = attach("egress", "id", prog, "override", "--link", path + "2")
    ok(r.status == 2, "a link with override", r)
    r = attach("egress", "id", prog, "--link", path)
    ok(r.status != 0 and len(order(w, d, 1)) == 1, "no pin, no link", r)
    os.unlink(path)
    ok(becomes(w, d, []), "it ended with its pin")
    p = subprocess.Popen([w.lens, "cgroup", "attach", d, "egress", "id", str(prog), "hold"])
    ok(becomes(w, d, [prog]), "held by the command")
    p.send_signal(signal.SIGINT)
    ok(p.wait() == 0 and becomes(w, d, []), "until the command is interrupted")


def loop(w, top, times):
    """Attach, list, update, detach, list."""
    d = top + "/loop"
    os.mkdir(d)
    fds = [load(10, "loop_%d" % i) for i in range(2)]
    ids = [str(rawbpf.object_id(fd)) for fd in fds]
    bad = []

    def step(want, *words):
        r = w.run(*words)
        now = [str(i) for i in order(w, d, 10)]
        if r.status or now != want:
            bad.append((now, str(r)))

    for i in range(times):
        if i % 2:
            step([ids[0]], "cgroup", "attach", d, "connect4", "id", ids[0], "multi")
            step([ids[1]], "cgroup", "attach", d, "connect4", "id", ids[1], "multi", "replace", "id", ids[0])
            step([], "cgroup", "detach", d, "connect4", "id", ids[1])
        else:
            pin = w.pins + "/loop"
            step([ids[0]], "cgroup", "attach", d, "connect4", "id", ids[0], "--link", pin)
            step([ids[1]], "link", "update", "pinned", pin, "id", ids[1])
            step([], "link", "detach", "pinned", pin)
            step([], "link", "unpin", pin)
    ok(not bad, "%d times attached, listed, updated, detached" % times, bad[:1])
    ok(w.run("-j", "cgroup", "show", d).out == b"[]\n" and not os.path.exists(w.pins + "/loop"), "nothing is left")
    for fd in fds:
        os.close(fd)
    os.rmdir(d)


def vanishing(w, t):
    """Cgroups with programs come and go during the walk."""
    stop = threading.Event()
    prog = load(1, "vanishes")
    ident = rawbpf.object_id(prog)
    os.mkdir(t.top + "/v")

    def churn():
        i = 0
        while not stop.is_set():
            d = t.top + "/v/%d" % (i % 30)
            if os.path.isdir(d):
                os.rmdir(d)
            else:
                os.mkdir(d)
                fd = os.open(d, os.O_RDONLY)
                rawbpf.prog_attach(prog, fd, 1, MULTI)
                os.close(fd)
            i += 1

    thread = threading.Thread(target=churn)
    thread.start()
    bad, seen = [], set()
    for i in range(30):
        r = w.run("-j", "cgroup", "tree", t.top, *(["effective"] if i % 3 == 2 else []))
        found = [x for x in r.json if not x["cgroup"].startswith(t.top + "/v")]
        seen.update(x["cgroup"] for x in r.json if x["cgroup"].startswith(t.top + "/v/"))
        if r.status or r.err or (i % 3 < 2 and not same([x for x in rows(found)], t.rows)):
            bad.append(str(r))
    stop.set()
    thread.join()
    for name in os.listdir(t.top + "/v"):
        if os.path.isdir(t.top + "/v/" + name):
            os.rmdir(t.top + "/v/" + name)
    os.rmdir(t.top + "/v")
    os.close(prog)
    ok(not bad, "removal during the walk (%d of those seen, program %d)" % (len(seen), ident), bad[:1])


def parallel(w, t, n):
    """Processes attach and detach, each its own program at its own hook."""
    fds = [load(18, "par_%d" % i) for i in range(n)]
    ids = [rawbpf.object_id(fd) for fd in fds]
    dirs = [t.dirs[0] + "/p%d" % i for i in range(20)]
    for d in dirs:
        os.mkdir(d)
    bad, count = [], 0
    for verb, extra in (("attach", ["multi"]), ("detach", [])):
        running = [subprocess.Popen([w.lens, "cgroup", verb, dirs[i % 20], "cgroup_sysctl", "id", str(ids[i])] + extra,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for i in range(n)]
        while True:
            done = all(p.poll() is not None for p in running)
            r = w.run("-j", "cgroup", "tree", t.top)
            mine = [x for x in rows(r.json) if x[0] not in dirs]
            count += 1
            if r.status or not same(mine, t.rows):
                bad.append(str(r))
            if done:
                break
        bad += [p.stdout.read().decode() for p in running if p.wait()]
        for p in running:
            p.stdout.close()
        there = sorted(x[2] for x in rows(w.run("-j", "cgroup", "tree", t.top).json) if x[0] in dirs)
        ok(there == (sorted(ids) if verb == "attach" else []), "%d processes: %s" % (n, verb), there)
    ok(not bad, "%d lists meanwhile, each complete" % count, "\n".join(bad[:2]))
    for d in dirs:
        os.rmdir(d)
    for fd in fds:
        os.close(fd)


def young(w, top):
    """A process that lists repeatedly sees a program of a type that was not loaded when it started."""
    d, fifo = top + "/young", w.dir + "/fifo"
    os.mkdir(d)
    os.mkfifo(fifo)
    p = Stream(w.lens, "-j", "batch", "file", fifo)
    with open(fifo, "w") as f:
        for _ in range(12):
            f.write("cgroup show %s\n" % d)
        f.flush()
        p.wait('"output"', 30)
        prog = load(21, "young")
        fd = os.open(d, os.O_RDONLY)
        rawbpf.prog_attach(prog, fd, 21, MULTI)
        f.write("cgroup show %s\n" % d)
    p.process.wait(patience(60))
    status, out, _ = p.end()
    ok(status == 0 and out.count('"cgroup_getsockopt"') == 1, "a program that is younger than the process", out)
    for x in (fd, prog):
        os.close(x)
    os.rmdir(d)


def lsm(w):
    f = w.one("link", "lsm_cgroup")
    if not f:
        skip("LSM programs cannot be attached to cgroups here")
        return
    found = [p for p in w.run("-j", "cgroup", "show", w.cgroup).json if p["attach_type"] == "lsm_cgroup"]
    ok(len(found) == 1 and found[0].get("link_id") == f["id"] and found[0]["attach_btf_name"] == "bpf_lsm_socket_bind" and
       found[0]["attach_btf_id"] > 0, "an LSM program by its link, with its function", found)
    ok("bpf_lsm_socket_bind" in w.run("cgroup", "tree", w.cgroup, "effective").text, "effective, in plain text")
    ok([a["link_id"] for a in w.run("-j", "ls", w.cgroup, "lsm_cgroup").json] == [f["id"]], "in `ls`")


def main():
    with World() as w:
        w.make()
        if not w.cgroup:
            skip("cgroups cannot be created here")
            return
        begin = time.monotonic()
        w.run("version")
        slow = sanitized() or time.monotonic() - begin > 0.1  # an emulated machine
        with Tree(w.cgroup + "/t") as t:
            lists(w, t)
            effective(w, t)
            mounts(w, t)
            too_deep(w, t)
            refusals(w, t)
            vanishing(w, t)
            parallel(w, t, 40 if slow else 200)
        verbs(w, w.cgroup)
        young(w, w.cgroup)
        loop(w, w.cgroup, 20 if slow else 200)
        lsm(w)


main()
finish()
