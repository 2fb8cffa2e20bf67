#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`object needs` beside the kernel: of every object of real packages it says that it loads here if and only if it does; an archive of this
kernel says the same, and its types never say that something is missing which is there."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from packages import extract  # noqa: E402
from world import Run, World, finish, isolate, ok, skip  # noqa: E402

VMLINUX = "/sys/kernel/btf/vmlinux"
# Why the verifier rejects a program where the kernel lacks something; for another cause it rejects the code, of which needs say nothing.
LACKING = {"core_relocation", "helper_not_allowed", "unknown_kfunc", "missing_target", "missing_btf", None}

isolate()
if not shutil.which("dpkg-query"):
    skip("dpkg-query is not installed")
    sys.exit(77)


def missing(r):
    """What keeps the object from being loaded as it is: by the kernel, or as its loader has not said something. Pins are no such thing here."""
    return [(n["kind"], n["name"]) for n in r.json["needs"]
            if n["state"] in ("missing", "loader") and n["kind"] != "pin" and "optional" not in n]


def one(w, path, archive):
    name = os.path.basename(path)
    load = w.run("-j", "prog", "loadall", path, w.pins + "/none", "--dry-run", timeout=120)
    here = w.run("-j", "object", path, "--needs")
    if not ok(here.status == (1 if here.json["missing"] else 0), "%s: exit status" % name, here):
        return None
    lacks = missing(here)
    cause = load.json.get("because", {}).get("cause") if load.status else None
    if cause not in LACKING and not lacks:
        print("# %s: the verifier rejects its code: %s" % (name, cause))
        return False
    ok((load.status == 0) == (not lacks), "%s: %s" % (name, "loads, and has all it needs" if not load.status else "does not load, and misses something"),
       "%s\n%s" % (lacks, load.errors[-600:]))
    saved = w.run("-j", "object", "needs", path, archive)
    ok(saved.json == here.json, "%s: the same from an archive" % name, saved)
    types = w.run("-j", "object", "needs", path, VMLINUX)
    more = sorted(set(missing(types)) - set(lacks))
    ok(types.status in (0, 1) and not more, "%s: types alone find nothing missing that is there" % name, more)
    # Without the features only names of the kernel's own are known.
    names = {"target", "member", "type", "enumerator"}
    less = sorted({m for m in lacks if m[0] in names} - set(missing(types)))
    ok(not less, "%s: and what is missing by its name" % name, less)
    return not load.status


with World() as w:
    if not os.path.exists(VMLINUX):
        skip("this kernel has no type information")
        sys.exit(77)
    # In our own mounts; for maps that libbpf pins by their names.
    Run(["mount", "-t", "bpf", "bpf", "/sys/fs/bpf"])
    paths, archive = extract(w.dir), w.dir + "/here.tar.gz"
    w.run("save", archive)
    answers = [one(w, path, archive) for path in paths]
    print("# %d objects load here, %d do not" % (answers.count(True), answers.count(False)))
    left = sorted(set(os.listdir("/sys/fs/bpf")) - {"maps.debug", "progs.debug"})
    ok(not left, "nothing is pinned", left)
finish()
