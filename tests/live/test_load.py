#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""prog load and loadall: pins, maps, variables, sizes, attachments; all or nothing, for every failing system call."""
import os
import shutil
import sys

from nth import refused_in_turn
from world import BPFLENS, BUILD, Run, World, finish, isolate, linux_since, lock, ok, skip, until

isolate()
lock("load.bpf.o")  # its objects are found by name
OBJ = BUILD + "/tests/live/load.bpf.o"
PROGS = {"lens_count": "xdp", "lens_getpid": "tracepoint", "lens_rtp": "raw_tracepoint"}
# A tracepoint's link can be pinned since Linux 5.15.
AUTOATTACH = ["autoattach"] if linux_since(5, 15) else []
MAPS = {"lens_flows", "load.bss", "load.data", "load.rodata"}


def lens(*args, **kw):
    return Run([BPFLENS] + [str(a) for a in args], timeout=60, **kw)


def mine():
    """Names of the test's programs and maps in the kernel, and the number of links."""
    progs = [p.get("name") for p in lens("-j", "prog", "list", "-o", "name").json if p.get("name") in PROGS]
    maps = [m.get("name") for m in lens("-j", "map", "list", "-o", "name").json if m.get("name") in MAPS]
    return sorted(progs), sorted(maps)


def gone():
    """Wait: the kernel frees objects a moment after their last user."""
    return until(lambda: mine() == ([], []))


def files(d):
    return sorted(os.path.relpath(os.path.join(top, f), d) for top, _, names in os.walk(d) for f in names if not f.endswith(".debug"))


def clean(d):
    for f in files(d):
        os.unlink(os.path.join(d, f))
    for top, dirs, _ in os.walk(d, topdown=False):
        for name in dirs:
            os.rmdir(os.path.join(top, name))


def all_of_it(d):
    r = lens("-j", "prog", "loadall", OBJ, d + "/app", "pinmaps", d + "/app/maps", *AUTOATTACH, "set", "lens_debug=1", "lens_limits.max=77",
             "resize", "lens_flows=1K")
    if not ok(r.status == 0, "loadall with everything", r):
        return
    ok(files(d) == sorted(["app/" + p for p in PROGS] + ["app/maps/" + m.replace(".", "_") for m in MAPS]), "it is pinned", files(d))
    ok({c["name"]: c["type"] for c in r.json} == PROGS and all(c["prog_id"] and c["pins"] == [d + "/app/" + c["name"]] for c in r.json),
       "and said", r)
    if AUTOATTACH:
        attached = {c["name"] for c in r.json if c.get("link_id")}
        ok(attached == {"lens_getpid", "lens_rtp"} and "lens_count does not support autoattach" in r.errors, "attached, if the type supports it", r)
        ok(lens("-j", "link", "show", "pinned", d + "/app/lens_rtp").json["type"] == "raw_tracepoint", "the link is pinned")
    else:
        skip("no autoattach: links of tracepoints need Linux 5.15")
    ok(lens("-j", "map", "show", "pinned", d + "/app/maps/lens_flows").json["max_entries"] == 1024, "resized")
    data = lens("-j", "map", "dump", "pinned", d + "/app/maps/load_data").json
    ok(data[0]["formatted"]["value"][".data"] == [{"lens_limits": {"min": 1, "max": 77}}], "a member is set", data)
    data = lens("-j", "map", "dump", "pinned", d + "/app/maps/load_rodata").json
    ok(data[0]["formatted"]["value"][".rodata"] == [{"lens_debug": 1}], "a constant is set", data)
    hits = lambda: lens("-j", "map", "dump", "pinned", d + "/app/maps/load_bss").json[0]["formatted"]["value"][".bss"][0]["lens_hits"]
    if AUTOATTACH:
        before = hits()
        os.getppid()
        ok(hits() > before, "they run")
    clean(d)
    ok(gone(), "after unpin, they are gone", mine())


def one(d):
    r = lens("prog", "load", OBJ, d + "/one")
    ok(r.status == 0 and files(d) == ["one"] and r.text.startswith("loaded lens_count, program "), "the first program", r)
    ok(lens("-j", "prog", "show", "pinned", d + "/one").json["name"] == "lens_count", "is the pinned one")
    clean(d)
    r = lens("-j", "prog", "load", OBJ, d + "/one", "only", "lens_rtp")
    ok(r.status == 0 and [c["name"] for c in r.json] == ["lens_rtp"] and gone() is False, "one by its name", r)
    clean(d)
    r = lens("-j", "prog", "load", OBJ, d + "/one", "only", "lens_rtp", "type", "raw_tracepoint", "--dry-run")
    ok(r.status == 0 and r.json[0]["dry_run"] and "prog" not in r.json[0] and files(d) == [] and gone(), "--dry-run", r)
    r = lens("prog", "load", OBJ, "--dry-run")
    ok(r.status == 0 and "would load lens_count of type xdp\n" in r.text and gone(), "--dry-run needs no PATH", r)


def as_bpftool(d):
    tool = d + "/../bpftool"
    os.symlink(BPFLENS, tool)
    r = Run([tool, "prog", "load", OBJ, d + "/one", "only", "lens_rtp"], timeout=60)
    ok(r.status == 0 and not r.out and not r.err and files(d) == ["one"], "called bpftool: no output", r)
    clean(d)
    r = Run([tool, "-j", "prog", "load", OBJ, d + "/one", "only", "lens_rtp"], timeout=60)
    ok(r.status == 0 and r.json is None, "and null", r)
    clean(d)
    r = lens("prog", "loadall", BUILD + "/tests/live/run.bpf.o", d + "/run", "autoattach")
    ok(r.status == 0 and all("Program %s does not support autoattach" % name in r.errors for name in ("lens_xdp", "lens_socket", "lens_flow")),
       "each program that cannot be attached by its section is reported", r)
    clean(d)
    iters = BUILD + "/tests/live/iters.bpf.o"
    r = lens("prog", "loadall", iters, d + "/iters", "autoattach")
    if "EPERM" in r.errors:
        return skip("the kernel refuses iterators here")
    if "ESRCH" in r.errors:
        return skip("this kernel lacks one of the iterators: " + r.errors.splitlines()[-2])
    ok(r.status == 1 and "cannot attach program say_" in r.errors and not os.path.exists(d + "/iters"), "a program that cannot be attached is a failure", r)
    r = Run([tool, "prog", "loadall", iters, d + "/iters", "autoattach"], timeout=60)
    ok(r.status == 0 and "falling back to pinning" in r.errors and len(files(d)) > 4, "called bpftool, it is pinned", r)
    clean(d)


def maps_alone(d):
    file = BUILD + "/tests/live/maps_alone.bpf.o"
    r = lens("-j", "prog", "loadall", file, d + "/none", "pinmaps", d + "/maps")
    ok(r.status == 0 and r.json == [] and "no program" in r.errors and files(d) == ["maps/lens_alone"], "loadall of maps without a program", r)
    clean(d)
    r = lens("-j", "prog", "load", file, d + "/none")
    ok(r.status == 3 and "no program" in r.json["error"] and files(d) == [], "load needs one", r)
    tool, file = d + "/../bpftool", BUILD + "/tests/live/sectionless.bpf.o"
    r = Run([tool, "prog", "loadall", file, d + "/none"], timeout=60)
    ok(r.status == 0 and not r.out and r.errors == "note: %s has no program that is loaded by default\n" % file and files(d) == [] and gone(),
       "called bpftool: a function without a section is not a program, and not an error", (r, files(d)))
    r = Run([tool, "prog", "load", file, d + "/none"], timeout=60)
    ok(r.status == 3 and r.errors.startswith("Error: ") and "has no program" in r.errors and files(d) == [], "but load needs one", r)


def loader(d):
    """-L: loading by a program in the kernel, with all that it supports, and messages for the rest."""
    r = lens("-L", "prog", "load", OBJ)
    if "5.14" in r.errors:
        return skip("this kernel does not support loaders, and the command reports it")
    ok(r.status == 0 and r.text.startswith("would load lens_count of type xdp\n") and gone(), "without PATH nothing stays loaded", r)
    tool = d + "/../bpftool"
    r = Run([tool, "-j", "-L", "prog", "load", OBJ], timeout=60)
    ok(r.status == 0 and not r.err and r.json is None, "called bpftool: no output", r)
    r = lens("-j", "prog", "load", "-L", OBJ, d + "/one", "only", "lens_rtp")
    ok(r.status == 0 and [c["name"] for c in r.json] == ["lens_rtp"] and lens("-j", "prog", "show", "pinned", d + "/one").json["name"] == "lens_rtp",
       "one program", r)
    clean(d)
    r = lens("-j", "prog", "loadall", OBJ, d + "/app", "pinmaps", d + "/app/maps", "set", "lens_debug=1", "lens_limits.max=77", "resize",
             "lens_flows=1K", "-L")
    ok(r.status == 0 and files(d) == sorted(["app/" + p for p in PROGS] + ["app/maps/" + m.replace(".", "_") for m in MAPS]), "all of it", (r, files(d)))
    for c in r.json if r.status == 0 else []:
        p = lens("-j", "prog", "show", "id", c["prog_id"]).json
        ok((p["name"], p["type"], p["pinned"] if "pinned" in p else c["pins"]) == (c["name"], PROGS[c["name"]], c["pins"]), c["name"] + " is the one in the output", p)
    ok(lens("-j", "map", "show", "pinned", d + "/app/maps/lens_flows").json["max_entries"] == 1024, "resized")
    ok(lens("-j", "map", "dump", "pinned", d + "/app/maps/load_data").json[0]["formatted"]["value"][".data"] == [{"lens_limits": {"min": 1, "max": 77}}]
       and lens("-j", "map", "dump", "pinned", d + "/app/maps/load_rodata").json[0]["formatted"]["value"][".rodata"] == [{"lens_debug": 1}], "variables are set")
    clean(d)
    for status, sentence, file, words in (
            (2, "cannot reuse a map", "load", (d + "/x", "map", "name", "lens_flows", "id", "1")), (2, "cannot attach", "load", (d + "/x", "autoattach")),
            (1, "struct_ops", "cc_plain", ()), (1, "map lens_by_name is pinned by name", "pinned", ()), (2, "OBJ and PATH", "load", ("pinmaps", d + "/m")),
            (1, "exists already", "load", (d + "/../bpffs",)), (3, "did you mean 'lens_flows'?", "load", ("resize", "lens_flow=3"))):
        r = lens("prog", "load", "-L", "%s/tests/live/%s.bpf.o" % (BUILD, file), *words)
        ok(r.status == status and sentence in r.errors and not files(d), "refused: -L " + " ".join(words or [file]), r)
    r = lens("-j", "prog", "load", "-L", BUILD + "/tests/live/rejected.bpf.o", d + "/x", "only", "unchecked_pointer")
    why = r.json.get("because", {})
    ok(r.status in (1, 4) and (why.get("cause"), why.get("program")) == ("unchecked_pointer", "unchecked_pointer") and "registers" in why, "a rejected program: the reason", r)
    r = lens("-j", "prog", "load", "-L", BUILD + "/tests/live/rejected.bpf.o", d + "/x")
    why = r.json.get("because", {})
    plain = lens("-j", "prog", "load", BUILD + "/tests/live/rejected.bpf.o", d + "/x").json["because"]
    ok(r.status in (1, 4) and why == plain and "program %s of" % why["program"] in r.json["error"] and gone(), "one of several, which is named", r)
    r = lens("-d", "prog", "load", "-L", BUILD + "/tests/live/rejected.bpf.o", d + "/x", "only", "unchecked_pointer")
    ok(r.status in (1, 4) and "\nprocessed " in r.errors, "-d: the verifier's log", r)
    argv = [BPFLENS, "prog", "loadall", "-L", OBJ, d + "/app", "pinmaps", d + "/app/maps"]
    if refused_in_turn(argv, lambda: files(d) + [name for name in os.listdir(d) if name == "app"], lambda: clean(d)):
        ok(gone(), "nothing is left in the kernel", mine())


def signed(d):
    """-S: as far as this libbpf and this kernel support it, and messages for the rest."""
    key, cert = d + "/../key", d + "/../cert"
    for words, says in ((["-S"], "'--sign' requires '--private-key FILE'"), (["-S", "-k", key], "'--sign' requires '--certificate FILE'"),
                        (["-L", "-i", cert], "'--certificate' requires '--sign'"), (["-L", "-k", key], "'--private-key' requires '--sign'")):
        for command in (["prog", "load"], ["gen", "skeleton"]):
            r = lens(*words, *command, OBJ)
            ok(r.status == 2 and not r.out and says in r.errors, " ".join(words[:1] + command) + ": " + says, r)
    made = shutil.which("openssl") and Run(["openssl", "req", "-new", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=lens",
                                           "-keyout", key, "-out", cert]).status == 0
    if not made:
        return skip("no openssl to make keys")
    r = lens("-S", "-k", key, "-i", cert, "prog", "loadall", OBJ, d + "/app")
    for sentence in ("built without libcrypto", "build this program with libbpf 1.7", "CONFIG_SYSTEM_DATA_VERIFICATION", "CONFIG_ASYMMETRIC_KEY_TYPE",
                     "need Linux 6.18", "perhaps for a newer kernel", "need Linux 5.14"):
        if sentence in r.errors:
            ok(r.status in (1, 4) and not files(d) and gone(), "nothing is loaded", r)
            return skip("signing is not supported here: " + r.errors.splitlines()[0])
    ok(r.status == 0 and files(d) == sorted("app/" + p for p in PROGS), "signed, loaded and pinned", r)
    clean(d)

    def left():
        with open("/proc/keys") as f:
            return [line for line in f if "bpflens" in line]
    ok(until(lambda: not left()), "the certificate is not in a keyring any more", left())  # the kernel collects them


def reuse(d):
    lens("map", "create", d + "/flows", "type", "hash", "key", 4, "value", 8, "entries", 5, "name", "lens_other")
    lens("map", "create", d + "/wide", "type", "hash", "key", 4, "value", 16, "entries", 5, "name", "lens_wide")
    lens("map", "create", d + "/array", "type", "array", "key", 4, "value", 8, "entries", 5, "name", "lens_array")
    want = lens("-j", "map", "show", "pinned", d + "/flows").json["id"]
    for how in (("name", "lens_flows"), ("idx", "0")):
        r = lens("prog", "load", OBJ, d + "/one", "only", "lens_count", "map", *how, "pinned", d + "/flows")
        ok(r.status == 0 and want in lens("-j", "prog", "show", "pinned", d + "/one").json["map_ids"], "map %s %s is reused" % how, r)
        os.unlink(d + "/one")
    for what, words in (("its type is array", ("pinned", d + "/array")), ("its value size is 16, the program needs 8", ("pinned", d + "/wide"))):
        r = lens("prog", "load", OBJ, d + "/one", "map", "name", "lens_flows", *words)
        ok(r.status == 1 and what in r.errors and not os.path.exists(d + "/one"), "refused: " + what, r)
    r = lens("prog", "load", OBJ, d + "/one", "map", "name", "lens_flows", "pinned", d + "/flows", "map", "idx", "0", "pinned", d + "/flows")
    ok(r.status == 2 and "more than once" in r.errors, "twice", r)
    r = lens("prog", "load", OBJ, d + "/one", "map", "name", "lens_flows", "pinned", d + "/flows", "resize", "lens_flows=7")
    ok(r.status == 2 and "keeps its size" in r.errors, "reused and resized", r)
    clean(d)


def from_directory(d):
    """maps DIR: those of a directory, by name, but for constants."""
    def maps(prog):
        ids = lens("-j", "prog", "show", "pinned", d + prog).json["map_ids"]
        return {m["name"]: m["id"] for m in lens("-j", "map", "list").json if m["id"] in ids}

    r = lens("prog", "load", OBJ, d + "/a", "only", "lens_count", "maps", d + "/none")
    ok(r.status == 3 and "cannot use the maps in" in r.errors, "maps: no directory", r)
    r = lens("prog", "load", OBJ, d + "/a", "only", "lens_count", "pinmaps", d + "/maps")
    r = lens("prog", "load", OBJ, d + "/b", "only", "lens_count", "maps", d + "/maps", "set", "lens_debug=1")
    a, b = maps("/a"), maps("/b")
    ok(r.status == 0 and "that are used: " in r.errors and b["lens_flows"] == a["lens_flows"] and b["load.bss"] == a["load.bss"] and
       b["load.rodata"] != a["load.rodata"], "maps: those that are pinned, but for constants", (r, a, b))
    os.unlink(d + "/maps/load_rodata")
    os.unlink(d + "/maps/lens_flows")
    r = lens("prog", "load", OBJ, d + "/c", "only", "lens_count", "maps", d + "/maps", "pinmaps", d + "/maps")
    c = maps("/c")
    ok(r.status == 0 and c["load.bss"] == a["load.bss"] and c["lens_flows"] != a["lens_flows"] and
       lens("-j", "map", "show", "pinned", d + "/maps/lens_flows").json["id"] == c["lens_flows"], "maps and pinmaps of one directory: only new ones are pinned", (r, c))
    os.unlink(d + "/maps/lens_flows")
    lens("map", "create", d + "/maps/lens_flows", "type", "hash", "key", "4", "value", "8", "entries", "17", "name", "lens_flows")
    r = lens("prog", "load", OBJ, d + "/e", "only", "lens_count", "maps", d + "/maps")
    ok(r.status == 1 and "/maps/lens_flows: map " in r.errors and "max_entries is 17, the program needs 16" in r.errors and not os.path.exists(d + "/e"), "maps: another size", r)
    r = lens("prog", "load", OBJ, d + "/e", "only", "lens_count", "maps", d + "/maps", "resize", "lens_flows=17")
    ok(r.status == 2 and "keeps its size" in r.errors, "maps: no resize of what exists", r)
    os.unlink(d + "/maps/lens_flows")
    lens("prog", "pin", "pinned", d + "/c", d + "/maps/lens_flows")
    r = lens("prog", "load", OBJ, d + "/e", "only", "lens_count", "maps", d + "/maps")
    ok(r.status == 1 and "not a map" in r.errors, "maps: a program by that name", r)
    clean(d)
    ok(gone(), "maps: nothing is left", mine())


def refusals(d):
    os.mkdir(d + "/dir")
    for status, sentence, words in (
            (3, "did you mean 'lens_flows'?", (d + "/x", "resize", "lens_flow=3")),
            (3, "did you mean 'lens_limits'?", (d + "/x", "set", "lens_limit.max=3")),
            (3, "did you mean 'lens_count'?", (d + "/x", "only", "lens_cont")),
            (3, "has fewer maps", (d + "/x", "map", "idx", "9", "name", "none")),
            (1, "9999999999", (d + "/x", "set", "lens_debug=9999999999")),
            (2, "its members are min, max", (d + "/x", "set", "lens_limits.nothing=1")),
            (2, "ENTRIES", (d + "/x", "resize", "lens_flows=0")),
            (2, "not a section name", (d + "/x", "type", "nothing")),
            (3, "unrecognized netdevice 'none0'", (d + "/x", "dev", "none0")),
            (2, "are mutually exclusive", (d + "/x", "dev", "lo", "xdpmeta_dev", "lo")),
            (1, "exists already", (d + "/dir",)),
            (3, "there is no directory", (d + "/no/x",)),
            (1, "must not contain a dot", (d + "/x.y",))):
        r = lens("prog", "load", OBJ, *words)
        ok(r.status == status and sentence in r.errors and not r.out, "refused: %s" % " ".join(words[1:] or [sentence]), r)
    r = lens("prog", "load", OBJ, d + "/x", "only", "lens_rtp", "type", "lirc_mode2")
    if r.status == 0:
        clean(d)
        skip("this kernel has programs for lirc: a missing program type cannot be tried")
    else:
        ok(r.status == 1 and "the kernel refuses its program lens_rtp" in r.errors and " --needs` shows" in r.errors, "a type that this kernel does not have", r)
    r = lens("prog", "loadall", BUILD + "/tests/live/sectionless.bpf.o", d + "/x")
    ok((r.status, r.status == 1 and "does not determine a program type" in r.errors or "has no program" in r.errors) in ((1, True), (3, True)),
       "a missing section is the cause, not an optional type", r)
    r = lens("prog", "loadall", BUILD + "/tests/live/uprobe_gone.bpf.o", d + "/app", "autoattach")
    ok(r.status == 3 and "cannot attach program lens_gone" in r.errors and "/proc/self/exe is bpflens itself" in r.errors and not os.path.exists(d + "/app"),
       "a uprobe on a function that does not exist", r)
    open(d + "/../text", "w").write("no object")
    r = lens("prog", "load", d + "/../text", d + "/x")
    ok(r.status == 1 and "it is not an ELF file" in r.errors, "not an object file", r)
    r = lens("prog", "loadall", BUILD + "/tests/live/none.bpf.o", d + "/x")
    ok(r.status == 3, "no file", r)
    os.rmdir(d + "/dir")
    ok(files(d) == [] and gone(), "nothing is left", (files(d), mine()))


def interrupted(d):
    def left():
        return files(d) + [name for name in os.listdir(d) if name == "app"]

    if refused_in_turn([BPFLENS, "prog", "loadall", OBJ, d + "/app", "pinmaps", d + "/app/maps"] + AUTOATTACH, left, lambda: clean(d)):
        ok(gone(), "nothing is left in the kernel", mine())


with World() as w:
    d = w.pins
    if not os.path.exists(OBJ):
        skip("no object file")
        sys.exit(77)
    for part in (all_of_it, one, as_bpftool, maps_alone, loader, signed, reuse, from_directory, refusals, interrupted):
        part(d)
finish()
