#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the program must never do: mount over a directory, remove a file that is not a pin, change the machine while reading, leak."""
import gzip
import os
import re
import shutil
import subprocess

from world import BUILD, STRACE, World, finish, isolate, ok, skip

isolate()


def mounts():
    with open("/proc/mounts") as f:
        return f.read()


def pinning(w):
    prog, m = w.one("prog", "l_tc"), w.one("map", "h_8_16")
    for kind, f, path in (("prog", prog, "/a_prog"), ("map", m, "/a_map")):
        r = w.run(kind, "pin", "id", f["id"], w.pins + path)
        ok(r.status == 0 and not r.out, kind + " pin", r)
        r = w.run("-j", kind, "show", "pinned", w.pins + path)
        ok(r.json.get("id") == f["id"], kind + " is there", r)
        again = w.run(kind, "pin", "id", f["id"], w.pins + path)
        ok(again.status == 1 and "exists" in again.errors, kind + " pin: the path exists", again)
    r = w.run("pin", "list")
    ok(w.pins + "/a_prog" in r.text and w.pins + "/a_map" in r.text, "pin list", r)
    r = w.run("map", "unpin", w.pins + "/a_prog")
    ok(r.status != 0 and os.path.exists(w.pins + "/a_prog"), "map unpin refuses a program's pin", r)
    r = w.run("-j", "prog", "unpin", w.pins + "/a_prog")
    ok(r.status == 0 and [c["path"] for c in r.json] == [w.pins + "/a_prog"] and not os.path.exists(w.pins + "/a_prog"), "prog unpin", r)
    r = w.run("map", "unpin", w.pins + "/a_map", w.pins + "/nothing")
    ok(r.status == 3, "unpin of a path that does not exist", r)
    if os.path.exists(w.pins + "/a_map"):
        os.unlink(w.pins + "/a_map")


def never_mounts(w):
    plain = w.dir + "/plain"
    os.mkdir(plain)
    with open(plain + "/precious", "w") as f:
        f.write("precious")
    before = mounts()
    r = w.run("prog", "pin", "id", w.one("prog", "l_tc")["id"], plain + "/pin")
    ok(r.status != 0 and b"mount" in r.err, "pin below an ordinary directory: refused, with the command to run", r)
    ok(mounts() == before and os.listdir(plain) == ["precious"], "nothing was mounted over it")
    r = w.run("-n", "prog", "pin", "id", w.one("prog", "l_tc")["id"], plain + "/pin")
    ok(r.status != 0 and mounts() == before, "the same with --nomount", r)
    for path in (plain + "/precious", plain, w.dir + "/none"):
        r = w.run("prog", "unpin", path)
        ok(r.status != 0 and os.path.exists(plain + "/precious"), "unpin refuses " + path.replace(w.dir, "DIR"), r)


def reading_changes_nothing(w):
    def state():
        with open("/proc/sys/kernel/bpf_stats_enabled") as f:
            return mounts(), f.read(), sorted(os.listdir(w.pins))

    before = state()
    ids = {k: {o["id"] for o in w.run("-j", k, "show").json} for k in ("prog", "map", "link")}
    for args in (["prog", "show"], ["-f", "map", "show"], ["link", "list"], ["btf", "show"], ["pin", "list"], ["graph"],
                 ["prog", "dump", "xlated", "id", w.one("prog", "l_xdp")["id"]], ["map", "dump", *w.by_id("map", "h_4_4")],
                 ["__complete", "prog", "show", "id", ""], ["save", w.dir + "/x.tar.gz"]):
        w.run(*args)
    ok(state() == before, "reading commands change no mount, no sysctl, no pin")
    after = {k: {o["id"] for o in w.run("-j", k, "show").json} for k in ids}
    ok(w.ids("prog") <= after["prog"] and w.ids("map") <= after["map"], "and leave the objects alone")
    if subprocess.run(["sh", "-c", "command -v strace"], stdout=subprocess.DEVNULL).returncode:
        skip("strace is not installed")
        return
    log = w.dir + "/strace"
    for args in (["-f", "prog", "show"], ["-j", "map", "show"], ["map", "dump", *w.by_id("map", "ty_struct")], ["link", "show"]):
        subprocess.run(STRACE + ["-f", "-e", "trace=mount,umount2,setrlimit,unlink,unlinkat,bpf", "-o", log, w.lens] + [str(a) for a in args],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(log) as f:
            lines = f.read()
        bad = [s for s in lines.splitlines() if any(x in s for x in (
            " mount(", "umount2(", "unlink", "BPF_MAP_DELETE", "BPF_OBJ_PIN", "BPF_PROG_ATTACH", "BPF_LINK_DETACH"))]
        # The iterator that finds holders writes to its own map.
        mine = set(re.findall(r"BPF_MAP_CREATE.*= (\d+)$", lines, re.M))
        bad += [s for s in lines.splitlines() for fd in re.findall(r"BPF_MAP_UPDATE_ELEM, {map_fd=(\d+)", s) if fd not in mine]
        ok(not bad, "strace: %s only reads" % " ".join(map(str, args)), "\n".join(bad))
        # The fill of a ring buffer is in pages that the kernel maps, for reading, only with a writable descriptor.
        others = ["map_id=%d," % f["id"] for f in w.of("map") if "ringbuf" not in f["type"]]
        writable = [s for s in lines.splitlines() if "BPF_MAP_GET_FD_BY_ID" in s and "BPF_F_RDONLY" not in s and any(x in s for x in others)]
        if "map" in args:
            ok(not writable, "strace: %s opens maps read-only" % " ".join(map(str, args)), "\n".join(writable))


def descriptors(w):
    """Commands that only read, hold or name a map open it read-only, by id and by pin, because a security module may refuse more."""
    if not shutil.which("strace"):
        skip("strace is not installed")
        return
    log, pin = w.dir + "/strace", w.pins + "/a_map"
    queue, m = w.one("map", "queue"), w.one("map", "h_8_16")
    key = ["key"] + ["0"] * 8
    ok(w.run("map", "pin", "id", m["id"], pin).status == 0, "a pin")
    ids, writes = "BPF_MAP_GET_FD_BY_ID|BPF_OBJ_GET,", ["map", "delete", "id", m["id"]] + key + ["--dry-run"]
    for read, args in ((True, ["map", "lookup", "id", m["id"]] + key), (True, ["map", "lookup", "pinned", pin] + key),
                       (True, ["map", "getnext", "id", m["id"]]), (True, ["map", "getnext", "pinned", pin]),
                       (True, ["map", "peek", "id", queue["id"]]), (True, ["map", "pin", "id", m["id"], w.pins + "/b_map"]),
                       (True, ["iter", "run", BUILD + "/tests/live/iters.bpf.o", "name", "say_elems", "map", "id", m["id"]]),
                       (False, writes)):
        subprocess.run(STRACE + ["-f", "-e", "trace=bpf", "-o", log, w.lens] + [str(a) for a in args],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(log) as f:
            opened = [s for s in f if re.search(ids, s) and not s.endswith("ENOENT (No such file or directory)\n")]
        good = [s for s in opened if "BPF_F_RDONLY" in s]
        ok(opened and (good == opened if read else good != opened),
           "strace: %s: %s" % (" ".join(map(str, args[:3])), "read-only" if read else "for writing"), "".join(opened))
    for path in (pin, w.pins + "/b_map"):
        if os.path.exists(path):
            os.unlink(path)


def secrets(w):
    marker = b"precious-marker-41c7"
    key = ["0x%02x" % b for b in bytes([9, 0, 0, 0])]
    m = w.one("map", "h_many")
    value = marker[:8]
    r = subprocess.run(["bpftool", "map", "update", "id", str(m["id"]), "key"] + key + ["value"] + ["0x%02x" % b for b in value],
                       stderr=subprocess.PIPE)
    if r.returncode:
        skip("bpftool cannot write the marker: %s" % r.stderr.decode().strip())
        return
    for flags, there in (([], False), (["--map-data"], True)):
        path = w.dir + "/secret.tar.gz"
        w.run("save", path, *flags)
        with gzip.open(path) as f:
            found = value in f.read()
        ok(found == there, "a value of a map is %s the archive %s" % ("in" if there else "not in", " ".join(flags)))


with World() as w:
    w.make()
    for test in (pinning, never_mounts, reading_changes_nothing, descriptors, secrets):
        try:
            test(w)
        except Exception as e:
            ok(False, test.__name__, repr(e))
finish()
