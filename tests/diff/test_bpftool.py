#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Beside the distribution's bpftool on live objects: our JSON is a superset with equal values; plain map dump and
prog dump xlated are the same bytes. Every exception stands in EXCEPTIONS below, with its reason."""
import difflib
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from world import Run, World, finish, isolate, ok, skip  # noqa: E402

isolate()
if not shutil.which("bpftool"):
    skip("bpftool is not installed")
    sys.exit(77)

# The only differences that are allowed. Each: what it is about, the reason, and when it holds: a function of the path of a
# JSON value ("[].btf_id"), bpftool's value, ours, and the object around it.
EXCEPTIONS = [
    ("stale btf_id", "bpftool does not clear the info between maps; a kernel that leaves fields alone makes it repeat the last one",
     lambda path, theirs, ours, obj: path.endswith("btf_id") and obj.get("bytes_key") is not None and ours is None),
    ("stale vmlinux ids", "the same for any other field of a map in a list",
     lambda path, theirs, ours, obj: path.endswith("ifindex") and obj.get("bytes_key") is not None),
    ("unknown type", "bpftool of this age prints the number of a type, attach type or order that it has no word for",
     lambda path, theirs, ours, obj: isinstance(theirs, int) and isinstance(ours, str)
     and re.search(r"(^|\.)(type|attach_type|prog_type|owner_prog_type|order|event_type|event_config)$", path)),
    ("run statistics", "they move between two calls",
     lambda path, theirs, ours, obj: path.endswith(("run_time_ns", "run_cnt"))),
    ("loaded_at", "bpftool computes it from two clock readings and may be a second off",
     lambda path, theirs, ours, obj: path.endswith("loaded_at") and isinstance(ours, int) and abs(ours - theirs) <= 1),
]
# Commands of which bpftool's whole answer cannot be compared: pattern of the arguments, reason.
NOT_COMPARABLE = [
    (r"map dump .*ty_float", "floats: bpftool prints (unsupported-kind), which is no JSON, and drops the rest of the struct"),
    (r"map dump .*lens_cc", "struct_ops: bpftool resolves members through vmlinux, and function pointers by address"),
]
# Maps that cannot be dumped: bpftool ends with an errno and an empty list, we with a sentence.
REFUSED = {"queue", "stack", "bloom", "ringbuf", "user_ringbuf", "arena", "cg_storage", "pcpu_cg_stor", "ty_task", "ty_sk",
           "ty_inode", "ty_cgrp"}


def superset(theirs, ours, path="", obj=None):
    """Paths at which ours lacks, retypes or changes a value of theirs."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for k, v in theirs.items():
            at = path + "." + k
            if k in ours:
                yield from superset(v, ours[k], at, theirs)
            elif not any(rule(at, v, None, theirs) for _, _, rule in EXCEPTIONS):
                yield "%s: missing (theirs %r)" % (at, v)
    elif isinstance(theirs, list) and isinstance(ours, list):
        if len(theirs) != len(ours):
            yield "%s: %d elements, ours %d" % (path, len(theirs), len(ours))
        for i, (a, b) in enumerate(zip(theirs, ours)):
            yield from superset(a, b, "%s[%d]" % (path, i), obj)
    elif type(theirs) is not type(ours) or theirs != ours:
        if not any(rule(path, theirs, ours, obj or {}) for _, _, rule in EXCEPTIONS):
            yield "%s: theirs %r, ours %r" % (path, theirs, ours)


def not_comparable(shown):
    return next((why for pattern, why in NOT_COMPARABLE if re.search(pattern, shown)), None)


def own(doc, ids):
    return {o["id"]: o for o in doc if o.get("id") in ids} if isinstance(doc, list) else {doc.get("id"): doc}


def json_both(w, args, shown, ids=None):
    theirs, ours = Run(["bpftool", "-j"] + args), w.run("-j", *args)
    try:
        them = theirs.json
    except ValueError:
        if not_comparable(shown):
            return
        skip("bpftool's own answer is no JSON: %s: %s" % (shown, theirs.text[:100]))
        return
    if not_comparable(shown):
        return
    try:
        us = ours.json
    except ValueError as e:
        ok(False, "-j " + shown, "%s\n%s" % (e, ours))
        return
    if isinstance(them, dict) and "error" in them:
        ok(isinstance(us, dict) and "error" in us, "-j %s: refused by both" % shown, "%s\n%s" % (theirs, ours))
        return
    if ids is not None:
        them, us = own(them, ids), own(us, ids)
        bad = [p for i in them for p in superset(them[i], us.get(i, {}), str(i))]
    else:
        bad = list(superset(them, us))
    ok(not bad and ours.status == 0, "-j " + shown, "\n".join(bad[:8]) + "\n" + ours.errors[:200])


def plain_both(w, args, shown):
    if not_comparable(shown):
        return
    theirs, ours = Run(["bpftool"] + args), w.run(*args)
    if theirs.out != ours.out:
        diff = difflib.unified_diff(theirs.text.splitlines(), ours.text.splitlines(), "bpftool", "bpflens", lineterm="", n=1)
        ok(False, shown, "\n".join(list(diff)[:12]) + "\n" + ours.errors[:200])
    else:
        ok(True, shown)


def shows(w):
    for flags in ([], ["-f"]):
        for kind in ("prog", "map", "link"):
            json_both(w, flags + [kind, "show"], "%s %s show" % (" ".join(flags), kind), w.ids(kind))
            json_both(w, flags + [kind, "list"], "%s %s list" % (" ".join(flags), kind), w.ids(kind))
            for f in w.of(kind):
                json_both(w, flags + [kind, "show", "id", str(f["id"])], "%s %s show id: %s" % (" ".join(flags), kind, f["name"]))
        for p in w.of("pin"):
            json_both(w, flags + [p["object"], "show", "pinned", p["path"]], "%s show pinned: %s" % (p["object"], p["name"]))
        for kind in ("prog", "map"):
            for name in sorted({f["name"] for f in w.of(kind)} - {"-"}):
                json_both(w, flags + [kind, "show", "name", name], "%s show name %s" % (kind, name))
    btfs = {o["btf_id"] for o in w.run("-j", "prog", "show").json + w.run("-j", "map", "show").json
            if o.get("btf_id") and o["id"] in w.ids("prog") | w.ids("map")}
    for i in sorted(btfs) + [1]:
        theirs, ours = Run(["bpftool", "-j", "btf", "show", "id", str(i)]).json, w.run("-j", "btf", "show", "id", i).json
        for doc in (theirs, ours):  # bpftool lists them in the order of its hash table, and too many maps (stale btf_id)
            doc["prog_ids"] = sorted(doc["prog_ids"])
            doc["map_ids"] = sorted(doc["map_ids"]) if doc is ours else [m for m in sorted(doc["map_ids"]) if m in ours["map_ids"]]
        bad = list(superset(theirs, ours))
        ok(not bad, "-j btf show id", "\n".join(bad))
    tags = {}
    for o in w.run("-j", "prog", "show").json:
        if o["id"] in w.ids("prog"):
            tags[o["tag"]] = o["name"] if "name" in o else "-"
    for tag, name in sorted(tags.items()):
        json_both(w, ["prog", "show", "tag", tag], "prog show tag of %s" % name)


def dumps(w):
    for f in w.of("map"):
        if f["name"] in REFUSED or f.get("type") == "struct_ops":
            r = w.run("map", "dump", "id", f["id"])
            ok(r.status != 0 and r.err or f.get("type") == "struct_ops", "map dump %s: says why not" % f["name"], r)
            continue
        args = ["map", "dump", "id", str(f["id"])]
        plain_both(w, args, "map dump " + f["name"])
        json_both(w, args, "map dump " + f["name"])
    for f in w.of("prog"):
        for form in ([], ["opcodes"], ["linum"], ["opcodes", "linum"]):
            args = ["prog", "dump", "xlated", "id", str(f["id"])] + form
            shown = "prog dump xlated %s %s" % (" ".join(form), f["name"])
            plain_both(w, args, shown)
            json_both(w, args, shown)
        raw = [w.dir + "/theirs", w.dir + "/ours"]
        Run(["bpftool", "prog", "dump", "xlated", "id", str(f["id"]), "file", raw[0]])
        r = w.run("prog", "dump", "xlated", "id", f["id"], "file", raw[1])
        with open(raw[0], "rb") as a, open(raw[1] if os.path.exists(raw[1]) else os.devnull, "rb") as b:
            ok(a.read() == b.read(), "prog dump xlated file " + f["name"], r)


with World() as w:
    w.make()
    for test in (shows, dumps):
        try:
            test(w)
        except Exception as e:
            ok(False, test.__name__, repr(e))
finish()
