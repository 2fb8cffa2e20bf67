#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The differences from bpftool that bpflens(8) lists: each row of the list is tested here, and compared with the distribution's
bpftool if possible."""
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from world import BPFLENS, BUILD, Run, World, finish, isolate, lock, ok, skip  # noqa: E402

isolate()
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
NOT_THERE = ["map", "show", "id", 4294967295]
THEIRS = shutil.which("bpftool")


def ours(*words):
    return Run([TOOL] + [str(x) for x in words], timeout=30)


def theirs(*words):
    """None without a bpftool: its side is not tested then."""
    return Run([THEIRS] + [str(x) for x in words], timeout=30) if THEIRS else None


def exit_status(w):
    a, b = ours(*NOT_THERE), theirs(*NOT_THERE)
    return a.status == 3 and (not b or b.status == 255), a, b


def errors(w):
    a, b = ours("-j", *NOT_THERE), theirs("-j", *NOT_THERE)
    return {"error", "errno"} <= set(a.json) and "4294967295" in a.json["error"] and (not b or set(b.json) == {"error"}), a, b


def no_match(w):
    a, b = ours("prog", "show", "name", "lens_nobody"), theirs("prog", "show", "name", "lens_nobody")
    return a.status == 3 and "lens_nobody" in a.errors and (not b or "lens_nobody" not in b.errors), a, b


def extra_words(w):
    a, b = ours("version", "extra"), theirs("version", "extra")
    c, d = ours("map", "show", "-L"), ours("-L", "map", "show")
    return a.status == 2 and c.status == 2 and d.status == 2 and (not b or b.status == 0), a, b, c, d


def objects(w):
    a, b = ours("prog", "show", 1), ours("map", "show", "id", 1, "id", 2)
    return a.status == 2 and "got: '1'?" in a.errors and b.status == 2, a, b


def helps(w):
    a, b = ours("help"), theirs("help")
    return "OBJECT := {" in a.text and not a.errors and (not b or ("OBJECT := {" in b.errors and not b.text)), a, b


def alone(w):
    a, b, c = ours("iter"), theirs("iter"), ours("cgroup")
    return a.status in (0, 5) and "Usage" not in a.text + a.errors and (not b or "Usage" in b.text + b.errors) and "argument" not in c.errors, a, b, c


def unknown_numbers(w):
    a = ours("--from", ROOT + "/tests/archives/newer.tar.gz", "-j", "prog", "show")
    types = [p["type"] for p in a.json]
    return any(re.fullmatch(r"unknown\(\d+\)", str(t)) for t in types) and all(isinstance(t, str) for t in types), types


def floats(w):
    a, b = ours("-j", "map", "dump", *w.by_id("map", "ty_float")), theirs("-j", "map", "dump", *w.by_id("map", "ty_float"))

    def whole(r):
        try:
            return any(isinstance(x, float) for e in json.loads(r.text) for x in e["formatted"]["value"].values())
        except ValueError:
            return False
    return whole(a) and (not b or not whole(b)), a, b


def btf_id(w):
    made = ours("map", "create", w.pins + "/bare", "type", "array", "key", 4, "value", 4, "entries", 1, "name", "lens_bare")
    a = ours("-j", "map", "show", "pinned", w.pins + "/bare")
    os.unlink(w.pins + "/bare")
    return "btf_id" not in a.json and "name" in a.json, made, a


def pins(w):
    os.mkdir(w.dir + "/plain")
    a = ours("map", "pin", *w.by_id("map", "ty_float"), w.dir + "/plain/m")
    return a.status != 0 and "bpffs" in a.errors and not os.listdir(w.dir + "/plain") and not os.path.ismount(w.dir + "/plain"), a


def load(w):
    os.mkdir(w.pins + "/all")
    made = ours("map", "create", w.pins + "/all/count", "type", "array", "key", 4, "value", 4, "entries", 1, "name", "lens_way")
    name = ours("object", "programs", BUILD + "/tests/live/xdp_count.bpf.o", "--noheadings", "-o", "name").text.split()[0]
    if name != "count":
        os.rename(w.pins + "/all/count", w.pins + "/all/" + name)
    a = ours("prog", "loadall", BUILD + "/tests/live/xdp_count.bpf.o", w.pins + "/all", "pinmaps", w.pins + "/all")
    left = os.listdir(w.pins + "/all")
    shutil.rmtree(w.pins + "/all")
    return a.status != 0 and left == [name], made, a, left


def register(w):
    lock("lensreg")
    a = ours("-j", "struct_ops", "register", BUILD + "/tests/live/cc_plain.bpf.o")
    if a.status:
        return None, "no table of operations can be registered here: " + a.text
    ours("struct_ops", "unregister", "name", a.json[0]["name"])
    return "lensreg" in a.text, a


def batch(w):
    with open(w.dir + "/batch", "w") as f:
        f.write("prog show name '# nobody'\n")
    a, b = ours("batch", "file", w.dir + "/batch"), theirs("batch", "file", w.dir + "/batch")
    return a.status == 3 and "# nobody" in a.errors and (not b or b.status == 255), a, b


ROWS = {"exit status": exit_status, "errors": errors, "no match": no_match, "extra words": extra_words, "objects": objects, "help": helps,
        "Cm iter , cgroup No alone": alone, "unknown numbers": unknown_numbers, "floats": floats, "Li btf_id": btf_id, "pins": pins,
        "Cm prog load , loadall": load, "Cm struct_ops register": register, "batch files": batch}


with open(ROOT + "/man/bpflens.8.in") as page:
    said = re.findall(r"(?m)^\.It (.*)$", re.search(r"(?ms)^\.Sh IN PLACE OF BPFTOOL$(.*?)^\.Sh", page.read()).group(1))
ok(said == list(ROWS), "all differences in the manual are tested", sorted(set(said) ^ set(ROWS)))
with World() as world:
    world.make()
    TOOL = world.dir + "/bpftool"
    os.symlink(BPFLENS, TOOL)
    for title, differs in ROWS.items():
        good, *runs = differs(world)
        if good is None:
            skip("%s: %s" % (title, runs[0]))
        else:
            ok(good, "different on purpose: " + title, "\n".join(str(r) for r in runs))
    if not THEIRS:
        skip("comparison with bpftool: it is not installed")
finish()
