#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""unit, container and cgroup of the processes that hold objects: two processes in cgroups with names as from container runtimes; live and saved."""
import os

from world import World, finish, isolate, ok, skip

isolate()
CONTAINER = "0123456789abcdef" * 4
NAMES = ("agent.slice", "docker-%s.scope" % CONTAINER)


def move(pid, directory):
    with open(directory + "/cgroup.procs", "w") as f:
        f.write(str(pid))


def check(w, args, what):
    prog = min(w.ids("prog"))
    for kind, ident in (("prog", prog), ("map", min(w.ids("map"))), ("link", min(w.ids("link")))):
        r = w.run(*args, "-j", kind, "list", "-o", "id,holder_unit,holder_container,holder_cgroup", "-Q", "id == %d" % ident)
        rec = r.json[0] if r.json else {}
        ok(rec.get("holder_unit") == [NAMES[1]] and rec.get("holder_container") == [CONTAINER] and
           rec.get("holder_cgroup", [""])[0].endswith("/%s/%s" % NAMES), "%s: the unit and container of a %s" % (what, kind), r)
    r = w.run(*args, "prog", "list", "-Q", "container == \"%s\" && unit =~ docker" % CONTAINER, "-o", "id", "--noheadings")
    ok(str(prog) in r.text.split(), "%s: titles are accepted as names" % what, r)
    r = w.run(*args, "-j", "ls", "-o", "holder_container", "-Q", "holder_container == \"%s\"" % CONTAINER)
    ok(len(r.json) > 3, "%s: attachments of a container" % what, r)
    ok("holder_unit" not in w.run(*args, "prog", "show", "id", prog, "-j").text, "%s: only on request" % what)


def main(w):
    if not w.cgroup:
        return skip("cgroups cannot be created here")
    home = w.cgroup.rsplit("/", 1)[0]
    top = w.cgroup + ".slice"  # units are below slices only
    paths = [top, top + "/" + NAMES[0], top + "/%s/%s" % NAMES]
    for path in paths:
        os.mkdir(path)
    try:
        move(w.pid, paths[-1])
        check(w, [], "live")
        w.run("save", w.dir + "/units.tar.gz")
        check(w, ["--from", w.dir + "/units.tar.gz"], "saved")
    finally:
        move(w.pid, home)
        for path in reversed(paths):
            os.rmdir(path)


with World() as w:
    w.make()
    main(w)
finish()
