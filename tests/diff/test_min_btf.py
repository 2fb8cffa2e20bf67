#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The objects in packages load with the types that `gen min_core_btf` selects for them just as with all types of this kernel,
and the selection is not larger than bpftool's. The kernel's own tests: tests/kernel/min_btf.py."""
import collections
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from packages import extract  # noqa: E402
from world import Run, World, finish, isolate, ok, skip  # noqa: E402

VMLINUX = "/sys/kernel/btf/vmlinux"
MISSING = re.compile(" is rejected: (.* has|there is) no .*")  # with few types the message cannot name what exists instead

isolate()
for needed, there in (("dpkg-query", shutil.which("dpkg-query")), (VMLINUX, os.path.exists(VMLINUX))):
    if not there:
        skip(needed + " is not installed")
        sys.exit(77)


def loads(w, path, types):
    """The result of loading: the programs, or the message."""
    r = w.run("-j", "prog", "loadall", path, w.pins + "/never", "kernel_btf", types, "--dry-run")
    return r.status, [(p["name"], p["type"]) for p in r.json] if not r.status else MISSING.sub("", r.json["error"])


with World() as w:
    paths = extract(w.dir)
    if not paths:
        sys.exit(77)
    tally = collections.Counter()
    for path in paths:
        name, less, theirs = os.path.basename(path), path + ".min", path + ".theirs"
        r = w.run("gen", "min_core_btf", VMLINUX, less, path)
        if not ok(r.status == 0 and not r.errors, "%s: its types" % name, r):
            continue
        with_all, with_less = loads(w, path, VMLINUX), loads(w, path, less)
        tally["load" if with_all[0] == 0 else "are refused"] += 1
        ok(with_all == with_less, "%s: same as with all types" % name, "%s\n%s" % (with_all, with_less))
        if shutil.which("bpftool") and Run(["bpftool", "gen", "min_core_btf", VMLINUX, theirs, path]).status == 0:
            ok(os.stat(less).st_size <= os.stat(theirs).st_size, "%s: not larger than bpftool's" % name)
    ok(tally["load"] > 0, "%s" % ", ".join("%d %s" % (n, k) for k, n in sorted(tally.items())))
finish()
