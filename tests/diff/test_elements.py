#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every verb for elements on every map type that can be created here, on two equal maps: one created and changed with the
distribution's bpftool, one with bpflens. If bpftool succeeds, the plain text is the same and the JSON a superset; if it fails,
bpflens fails. The contents of the maps are the same afterwards."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
import beside  # noqa: E402
from world import Run, World, finish, isolate, lacks_only_sockets, ok, skip  # noqa: E402

isolate()
if not shutil.which("bpftool"):
    skip("bpftool is not installed")
    sys.exit(77)

# type, key, value, entries, flags
TYPES = [
    ("hash", 4, 8, 4, 0), ("hash", 1, 1, 4, 1), ("hash", 20, 40, 4, 0), ("array", 4, 6, 2, 0), ("prog_array", 4, 4, 2, 0),
    ("perf_event_array", 4, 4, 2, 0), ("percpu_hash", 4, 6, 4, 0), ("percpu_array", 4, 20, 2, 0), ("stack_trace", 4, 16, 2, 0),
    ("cgroup_array", 4, 4, 2, 0), ("lru_hash", 4, 4, 4, 0), ("lru_percpu_hash", 4, 4, 4, 0), ("lpm_trie", 8, 4, 4, 1),
    ("array_of_maps", 4, 4, 2, 0), ("hash_of_maps", 4, 4, 2, 0), ("devmap", 4, 4, 2, 0), ("sockmap", 4, 4, 2, 0),
    ("cpumap", 4, 4, 2, 0), ("xskmap", 4, 4, 2, 0), ("sockhash", 4, 4, 2, 0), ("cgroup_storage", 8, 8, 0, 0),
    ("reuseport_sockarray", 4, 8, 2, 0), ("percpu_cgroup_storage", 8, 8, 0, 0), ("queue", 0, 4, 2, 0), ("stack", 0, 20, 2, 0),
    ("sk_storage", 4, 4, 0, 1), ("devmap_hash", 4, 8, 2, 0), ("ringbuf", 0, 0, 4096, 0), ("bloom_filter", 0, 4, 4, 0),
    ("user_ringbuf", 0, 0, 4096, 0), ("cgrp_storage", 4, 4, 0, 1),
]
# Different output of bpftool on success: before which version, and the reason of the difference.
PLAIN_EXCEPTIONS = {
    "array_of_maps": ((7, 3), "newer bpftool prints inner_map_id"), "hash_of_maps": ((7, 3), "newer bpftool prints inner_map_id"),
}
# Verbs of queues and stacks. bpftool up to 7.6 also accepts maps with keys, and uses any key in its memory: it
# shows or deletes a random element.
HEADS = ("peek", "pop", "dequeue")


def data(n, first):
    return [str((first + i) % 256) for i in range(n)]


def commands(kind, key, value, inner, prog):
    k = [["key"] + data(key, x) if key else [] for x in (0, 1, 9)]
    for x in k:
        if key == 4:
            x[2:] = ["0", "0", "0"]
        if kind == "lpm_trie":
            x[1:5] = ["32", "0", "0", "0"]
    v = ["value"] + data(value, 7) if value else []
    if kind.endswith("_of_maps"):
        v = ["value", "pinned", inner]
    if kind == "prog_array":
        v = ["value", "id", str(prog)]
    h = ["value", "hex"] + ["%02x" % (0xa0 + i % 16) for i in range(value)] if value and v[1].isdigit() else v
    return [
        ["lookup"] + k[0], ["getnext"], ["update"] + k[0] + v, ["update"] + k[0] + v + ["noexist"], ["getnext"],
        ["getnext"] + k[0], ["getnext"] + k[2],  # while there is one element: hashes have their own order
        ["update"] + v + k[1] + ["any"], ["lookup"] + k[0], ["lookup"] + k[2], ["peek"], ["update"] + k[0] + h + ["exist"], ["lookup"] + k[0],
        ["push"] + v, ["enqueue"] + v, ["enqueue"] + v, ["peek"], ["pop"], ["dequeue"], ["pop"], ["pop"], ["delete"] + k[1],
        ["delete"] + k[1], ["update"] + k[0], ["update"] + v, ["update", "nonsense"], ["update"] + k[0] + v + ["any", "exist"],
        ["lookup", "key", "zz"], ["freeze"], ["freeze"], ["update"] + k[0] + v, ["lookup"] + k[0], ["dump"],
    ]


def superset(theirs, ours):
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and all(k in ours and superset(v, ours[k]) for k, v in theirs.items())
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(theirs) == len(ours) and all(map(superset, theirs, ours))
    return theirs == ours


def known(text):
    """bpftool has no text for the kernel's own errnos."""
    return re.sub(rb"[A-Z]?[a-z ]+ \[ENOTSUPP\]", b"Unknown error 524", text)


def same(shown, theirs, ours, json, plain_why):
    ours.out = known(ours.out)
    # bpftool's status is an errno, even if a list was only empty: its message is compared instead.
    failed = theirs.status != 0
    if failed or (ours.status and not lacks_only_sockets(ours)):
        return ok(bool(ours.status) == failed and (not ours.out or json), "%s: both fail or none" % shown, "%s\n%s" % (theirs, ours))
    if json:
        changed = theirs.json is None and isinstance(ours.json, dict) and "action" in ours.json  # the change
        return ok(changed or superset(theirs.json, ours.json), "%s: superset" % shown, "%s\n%s" % (theirs, ours))
    if plain_why and beside.VERSION < plain_why[0] and theirs.out != ours.out:
        return skip("%s: not compared: %s" % (shown, plain_why[1]))
    return ok(theirs.out == ours.out, "%s: the same text" % shown, "%s\n%s" % (theirs, ours))


def compare(w, number, kind, key, value, entries, flags, json, prog):
    paths = ["%s/%s%d%d" % (w.pins, who, number, json) for who in ("theirs", "ours")]
    words = ["type", kind, "key", str(key), "value", str(value), "entries", str(entries), "name", "twin%d" % number,
             "flags", str(flags)]
    if kind.endswith("_of_maps"):
        words += ["inner_map", "pinned", w.pins + "/inner"]
    mode = ["-j"] if json else []
    theirs = Run(["bpftool"] + mode + ["map", "create", paths[0]] + words)
    ours = w.run(*mode, "map", "create", paths[1], *words)
    shown = "%s%s %d/%d" % ("-j " if json else "", kind, key, value)
    if not same("%s create" % shown, theirs, ours, json, None) or theirs.status:
        return
    for c in commands(kind, key, value, w.pins + "/inner", prog):
        if c[0] in HEADS and key:
            ours = w.run(*mode, "map", c[0], "pinned", paths[1])
            ok(ours.status in (1, 2) and (json or not ours.out), "%s %s: refused" % (shown, c[0]), ours)
            continue
        theirs = Run(["bpftool"] + mode + ["map", c[0], "pinned", paths[0]] + c[1:])
        ours = w.run(*mode, "map", c[0], "pinned", paths[1], *c[1:])
        same("%s %s" % (shown, " ".join(c)[:60]), theirs, ours, json, PLAIN_EXCEPTIONS.get(kind))


with World() as world:
    world.make()
    Run(["bpftool", "map", "create", world.pins + "/inner", "type", "hash", "key", "4", "value", "4", "entries", "2", "name", "inner"])
    a_prog = world.of("prog")[0]["id"]
    for i, row in enumerate(TYPES):
        for j in (0, 1):
            compare(world, i, *row, j, a_prog)
finish()
