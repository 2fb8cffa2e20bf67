#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`object needs` compared with the kernel: for every object in real packages it reports that the object loads here exactly if it does; an archive of this
kernel gives the same answer, and its types never report that something is missing that exists."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from packages import extract  # noqa: E402
from world import Run, World, finish, isolate, ok, skip  # noqa: E402

VMLINUX = "/sys/kernel/btf/vmlinux"
# Causes of rejections if the kernel lacks something; for any other cause the verifier rejects the code, which needs does not check.
LACKING = {"core_relocation", "helper_not_allowed", "unknown_kfunc", "missing_target", "missing_symbol", "missing_btf", None}

isolate()
if not shutil.which("dpkg-query"):
    skip("dpkg-query is not installed")
    sys.exit(77)


def missing(r):
    """Requirements that are missing in the kernel, or that only the loader of the object can provide; without pins."""
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
    ok((load.status == 0) == (not lacks), "%s: %s" % (name, "loads, and nothing is missing" if not load.status else "does not load, and something is missing"),
       "%s\n%s" % (lacks, load.errors[-600:]))
    saved = w.run("-j", "object", "needs", path, archive)
    ok(saved.json == here.json, "%s: the same from an archive" % name, saved)
    types = w.run("-j", "object", "needs", path, VMLINUX)
    more = sorted(set(missing(types)) - set(lacks))
    ok(types.status in (0, 1) and not more, "%s: with types only, nothing that exists is missing" % name, more)
    # Without the features, only the kernel's own names are known.
    names = {"target", "member", "type", "enumerator"}
    less = sorted({m for m in lacks if m[0] in names} - set(missing(types)))
    ok(not less, "%s: and missing requirements by name" % name, less)
    return not load.status


with World() as w:
    if not os.path.exists(VMLINUX):
        skip("this kernel has no BTF")
        sys.exit(77)
    # In the test's mount namespace, for maps that libbpf pins by name.
    Run(["mount", "-t", "bpf", "bpf", "/sys/fs/bpf"])
    paths, archive = extract(w.dir), w.dir + "/here.tar.gz"
    w.run("save", archive)
    answers = [one(w, path, archive) for path in paths]
    print("# %d objects load here, %d do not" % (answers.count(True), answers.count(False)))
    left = sorted(set(os.listdir("/sys/fs/bpf")) - {"maps.debug", "progs.debug"})
    ok(not left, "nothing is pinned", left)
finish()
