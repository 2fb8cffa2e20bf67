#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""An archive answers like the live machine: save, then every reading command with --from, as an ordinary user in an empty
network namespace, must print the same bytes and end with the same status."""
import difflib
import os
import stat

from world import World, finish, isolate, ok

isolate()
TRIES = 4  # other processes may load objects between the two runs of a list
FORMS = ([], ["opcodes"], ["linum"], ["opcodes", "linum"])


def commands(w):
    """Argument lists; each is one comparison. The ids of a kind are in one batch file per format."""
    for kind in ("prog", "map", "link", "btf"):
        for flags in ([], ["-j"], ["-p"], ["--ndjson"], ["-f"], ["-j", "-f"]):
            yield flags + [kind, "show"]
        yield [kind, "list"]
        yield ["-j", kind, "list"]
        yield [kind, "list", "--sort=-id", "-o", "+id"]
        yield [kind, "list", "-Q", "id > 5", "-o", "id"]
        yield [kind, "show", "id", 4000000000]
        yield ["-j", kind, "show", "id", 4000000000]
    for kind in ("prog", "map", "link"):
        yield ["__complete", kind, "show", "id", ""]
    for what in (["name", "l_xdp"], ["name", "l_twin"], ["pinned", w.pins + "/l_xdp"], ["pinned", w.pins + "/h_4_4"],
                 ["name", "no_such"]):
        for flags in ([], ["-j"]):
            yield flags + ["prog", "show"] + what
    yield ["map", "show", "name", "h_4_4"]
    yield ["map", "show", "pinned", w.pins + "/h_4_4"]
    yield ["-j", "link", "show", "pinned", w.pins + "/xdp_link"]
    for args in (["pin", "list"], ["-j", "pin", "list"], ["pin", "list", "--tree"], ["graph"], ["graph", "--dot"], ["-j", "graph"]):
        yield args
    for f in w.of("map"):
        for flags in ([], ["-j"], ["-p"]):
            yield flags + ["map", "dump", "id", f["id"]]
        yield ["map", "export", "id", f["id"]]
    for flags in ([], ["-j"]):
        yield flags + ["map", "dump", "name", "ty_struct"]
        yield flags + ["map", "dump", "name", "ty_struct", "-Q", "value.a < -1", "--sort", "-key", "--limit", 1]
        yield flags + ["map", "dump", "name", "ty_pcpu_hash", "--sum"]
        yield flags + ["map", "dump", "name", "ty_hom", "--recurse"]
        yield flags + ["map", "dump", "name", "ty_lpm", "--format", "key.addr=ip", "--names"]
        for name in ("progs", "devmap", "lpm"):
            yield flags + ["map", "dump", "name", name, "--names"]


def batches(w):
    shows = ["%s show id %d" % (f["kind"], f["id"]) for f in w.facts if f["kind"] in ("prog", "map", "link")]
    yield "show", shows
    for form in FORMS:
        yield "dump xlated " + " ".join(form), [
            " ".join(["prog dump xlated id", str(f["id"])] + form) for f in w.of("prog")]


def same(what, live, replay):
    if live.out == replay.out and live.status == replay.status:
        return True, ""
    diff = difflib.unified_diff(live.text.splitlines(), replay.text.splitlines(), "live", "replay", lineterm="", n=0)
    return False, "status %d and %d\n%s\n%s" % (live.status, replay.status, "\n".join(list(diff)[:8]),
                                                replay.errors[:300])


def compare(w, archive, what, args, save):
    for attempt in range(TRIES):
        live = w.run(*args)
        replay = w.as_user("--from", archive, *args)
        equal, why = same(what, live, replay)
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
