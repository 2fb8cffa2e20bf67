#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the distribution's bpftool answers about pins to users without privileges, and with single capabilities, bpflens answers too: the same values,
and status 0, or 5 where more was asked than it could read."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from beside import placed  # noqa: E402
from users import USERS  # noqa: E402
from world import BUILD, Run, World, finish, isolate, ok, skip  # noqa: E402

COMMANDS = ("map show pinned DIR/flows", "map dump pinned DIR/flows", "map lookup pinned DIR/flows key 1 0 0 0", "map getnext pinned DIR/flows",
            "map show pinned DIR/.rodata", "prog show pinned DIR/count", "prog dump xlated pinned DIR/count", "prog dump jited pinned DIR/count",
            "prog run pinned DIR/count data_in DATA repeat 2", "map update pinned DIR/flows key 1 0 0 0 value 1 0 0 0 0 0 0 0")


def lacks(theirs, ours, at=""):
    """Where the values of bpftool's document are not in ours: it prints 0 and false for what the kernel hides, bpflens null. Ids have no order."""
    if at.endswith("duration") or (ours is None and not theirs):
        return []
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return [x for key in theirs for x in (lacks(theirs[key], ours[key], at + "." + key) if key in ours else [at + "." + key])]
    if isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours) and not at.endswith("_ids"):
        return [x for i, pair in enumerate(zip(theirs, ours)) for x in lacks(*pair, "%s[%d]" % (at, i))]
    if at.endswith("_ids"):
        theirs, ours = sorted(theirs), sorted(ours)
    return [] if theirs == ours else ["%s: %s, not %s" % (at, ours, theirs)]


def compare(w, user, prefix):
    answered = 0
    for command in COMMANDS:
        words = ["-j"] + command.replace("DIR", w.pins).replace("DATA", w.dir + "/data").split()
        a, b = Run(prefix + ["bpftool"] + words), Run(prefix + [placed(w)] + words)
        if a.status or '{"error"' in a.text:
            continue
        answered += 1
        ok(b.status in (0, 5) and not lacks(a.json, b.json), "%s: %s" % (user, command), "%s\n%s" % (b, a) if b.status else lacks(a.json, b.json))
    ok(answered, "bpftool answers %s %d of %d commands" % (user, answered, len(COMMANDS)))


isolate()
if not shutil.which("bpftool"):
    skip("bpftool is not installed")
    sys.exit(77)
with World() as world:
    if Run(USERS[1][1] + ["true"]).status or Run(USERS[5][1] + ["true"]).status:
        skip("users without privileges, and user namespaces, cannot be made here")
        finish()
    os.chmod(world.pins, 0o755)
    r = world.run("prog", "load", BUILD + "/tests/live/xdp_count.bpf.o", world.pins + "/count", "pinmaps", world.pins)
    ok(r.status == 0, "a program with types is loaded", r)
    world.run("map", "update", "pinned", world.pins + "/flows", "key", "1", "value", "42")
    for name in os.listdir(world.pins):
        os.chmod(world.pins + "/" + name, 0o666)
    with open(world.dir + "/data", "wb") as f:
        f.write(bytes(14))
    for row in USERS:
        compare(world, *row)
finish()
