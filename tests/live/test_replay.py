#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""An archive answers like the live machine: save, then every reading command with --from, as an ordinary user in an empty
network namespace, must print the same bytes and end with the same status. Of commands about the whole machine, what they print
of the test's own objects (own.py)."""
import difflib
import os
import stat

from own import Own
from world import World, finish, isolate, ok, steady

isolate()
TRIES = 4  # other processes may hold an object of the test for a moment, to read it
FORMS = ([], ["opcodes"], ["linum"], ["opcodes", "linum"])


def machine():
    """Argument lists of commands about all objects of the machine."""
    for kind in ("prog", "map", "link", "btf"):
        for flags in ([], ["-j"], ["-p"], ["--ndjson"], ["-f"], ["-j", "-f"]):
            yield flags + [kind, "show"]
        yield [kind, "list"]
        yield ["-j", kind, "list"]
        yield [kind, "list", "--sort=-id", "-o", "+id"]
        yield [kind, "list", "-Q", "id > 5", "-o", "id"]
    for kind in ("prog", "map", "link"):
        yield ["__complete", kind, "show", "id", ""]
    for flags in ([], ["-j"]):
        for what in (["prog", "show", "name", "l_xdp"], ["prog", "show", "name", "l_twin"], ["map", "show", "name", "h_4_4"], ["pin", "list"], ["graph"]):
            yield flags + what
    yield ["pin", "list", "--tree"]
    yield ["graph", "--dot"]


def commands(w):
    """Argument lists of commands about objects of the test, or about none."""
    for kind in ("prog", "map", "link", "btf"):
        yield [kind, "show", "id", 4000000000]
        yield ["-j", kind, "show", "id", 4000000000]
    for flags in ([], ["-j"]):
        for what in (["pinned", w.pins + "/l_xdp"], ["pinned", w.pins + "/h_4_4"], ["name", "no_such"]):
            yield flags + ["prog", "show"] + what
    yield ["map", "show", "pinned", w.pins + "/h_4_4"]
    yield ["-j", "link", "show", "pinned", w.pins + "/xdp_link"]
    for f in w.of("map"):
        for flags in ([], ["-j"], ["-p"]):
            yield flags + ["map", "dump", "id", f["id"]]
        yield ["map", "export", "id", f["id"]]
    ids = {f["name"]: ["id", f["id"]] for f in w.of("map")}
    for flags in ([], ["-j"]):
        yield flags + ["map", "dump"] + ids["ty_struct"]
        yield flags + ["map", "dump"] + ids["ty_struct"] + ["-Q", "value.a < -1", "--sort", "-key", "--limit", 1]
        yield flags + ["map", "dump"] + ids["ty_pcpu_hash"] + ["--sum"]
        yield flags + ["map", "dump"] + ids["ty_hom"] + ["--recurse"]
        yield flags + ["map", "dump"] + ids["ty_lpm"] + ["--format", "key.addr=ip", "--names"]
        for name in ("progs", "devmap", "lpm"):
            yield flags + ["map", "dump"] + ids[name] + ["--names"]


def batches(w):
    shows = ["%s show id %d" % (f["kind"], f["id"]) for f in w.facts if f["kind"] in ("prog", "map", "link")]
    yield "show", shows
    for form in FORMS:
        yield "dump xlated " + " ".join(form), [
            " ".join(["prog dump xlated id", str(f["id"])] + form) for f in w.of("prog")]


def same(live, replay, part):
    """@part: what is compared of an output."""
    here, there = part(steady(live.out)), part(steady(replay.out))
    if here == there and live.status == replay.status and (here or live.status):
        return True, ""
    diff = difflib.unified_diff([str(x) for x in here], [str(x) for x in there], "live", "replay", lineterm="", n=0)
    return False, "status %d and %d\n%s\n%s" % (live.status, replay.status, "\n".join(list(diff)[:8]), replay.errors[:300])


def compare(w, archive, what, args, save, part=bytes.splitlines):
    for attempt in range(TRIES):
        live = w.run(*args)
        replay = w.as_user("--from", archive, *args)
        equal, why = same(live, replay, part)
        if equal:
            break
        if attempt + 1 < TRIES:
            save()
    ok(equal, "replay: " + what, why)


with World() as w:
    w.make()
    archive, full = w.dir + "/state.tar.gz", w.dir + "/full.tar.gz"

    def save():
        for path, flags in ((archive, []), (full, ["--map-data"])):
            r = w.run("save", path, *flags)
            if r.status not in (0, 5) or not os.path.exists(path):
                ok(False, "save", r)
                finish()
            mode = stat.S_IMODE(os.stat(path).st_mode)
            if mode != 0o600:
                ok(False, "an archive's mode is 0600", oct(mode))
            os.chown(path, 65534, 65534)

    save()
    ok(True, "save")
    own = Own(w)
    for args in machine():
        compare(w, full, " ".join(args), args, save, lambda out, args=args: own.part(args, out))
    for args in commands(w):
        compare(w, full, " ".join(map(str, args)).replace(w.dir, "DIR"), args, save)
    for what, lines in batches(w):
        path = w.dir + "/lines"
        with open(path, "w") as f:
            f.write("\n".join(lines) + "\n")
        os.chmod(path, 0o644)
        for flags in ([], ["-j"], ["-p"], ["-f"]):
            compare(w, full, "batch of %d: %s %s" % (len(lines), " ".join(flags), what), flags + ["batch", "file", path], save)
    dumped = w.as_user("--from", archive, "map", "dump", "id", w.one("map", "h_4_4")["id"])
    ok(dumped.status != 0 and "map-data" in dumped.errors, "without --map-data, a dump reports that contents were not saved", dumped)
    for write in (["prog", "pin", "id", 1, "/x"], ["map", "unpin", "/x"]):
        r = w.run("--from", archive, *write)
        ok(r.status == 2 and "--from" in r.errors, "a writing command refuses --from: " + write[1], r)
finish()
