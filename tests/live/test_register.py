#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""struct_ops register and unregister: all or nothing, with and without links, replaced, held, dry runs; nothing is left."""
import os
import signal
import subprocess
import sys
import tempfile

from nth import refused_in_turn
from world import BPFLENS, BUILD, Run, finish, isolate, lock, number, ok, skip, until

isolate()
lock("lensreg")  # the kernel has each name of a congestion control once
LIVE = BUILD + "/tests/live/"
ROUNDS = number("LOOPS", 40)
NAMES = {"lensreg_a", "lensreg_b", "lensreg_c"}


def lens(*args, **kw):
    return Run([BPFLENS] + [str(a) for a in args], timeout=60, **kw)


def obj(name):
    return LIVE + name + ".bpf.o"


def mine():
    """The maps of the test that are registered: {name: record}."""
    return {m["name"]: m for m in lens("-j", "struct_ops").json if m["name"] in NAMES and (m["state"] == "inuse" or m["link_ids"])}


def settled(want):
    """Wait: the kernel frees maps, and then their algorithms, a moment after their last user."""
    return until(lambda: set(mine()) == algorithms() == set(want))


def algorithms():
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control") as f:
        return set(f.read().split()) & NAMES


def plain():
    r = lens("-j", "struct_ops", "register", obj("cc_plain"), "--dry-run")
    if r.status and "no struct_ops" not in r.errors and "ENOTSUP" in r.text:
        skip("struct_ops is not supported here: " + r.text)
        sys.exit(77)
    ok(r.status == 0 and [c["action"] for c in r.json] == ["Would register"] and not mine(), "--dry-run: loaded, not registered", r)
    r = lens("struct_ops", "register", obj("cc_plain"))
    now = mine()
    if not ok(r.status == 0 and set(now) == {"lensreg_a"}, "registered without a link", r):
        return
    a = now["lensreg_a"]
    ok(r.text == "Registered tcp_congestion_ops lensreg_a id %d\n" % a["id"] and a["state"] == "inuse" and not a["by_link"], "it reports that", r)
    ok(algorithms() == {"lensreg_a"}, "the kernel has it")
    where = [p for p in lens("-j", "ls").json if p.get("map_id") == a["id"]]
    ok([(p["where"], p["what"], p["place"]) for p in where] == [("tcp_congestion_ops:lensreg_a", "struct_ops", "struct_ops")], "ls", where)
    r = lens("struct_ops", "register", obj("cc_plain"))
    ok(r.status == 1 and "EEXIST" in r.errors and "lensreg_a" in r.errors and mine()["lensreg_a"]["id"] == a["id"], "twice is refused", r)
    r = lens("-j", "struct_ops", "unregister", "id", a["id"], "--dry-run")
    ok(r.status == 0 and r.json[0]["dry_run"] and set(mine()) == {"lensreg_a"}, "unregister --dry-run", r)
    r = lens("struct_ops", "unregister", "name", "lensreg_a")
    ok(r.status == 0 and r.text == "Unregistered tcp_congestion_ops lensreg_a id %d\n" % a["id"] and settled([]) and not algorithms(), "unregistered", r)
    lens("struct_ops", "register", obj("cc_plain"))
    r = lens("detach", "tcp_congestion_ops:lensreg_a", "struct_ops")
    ok(r.status == 0 and settled([]), "detach, the verb of all places", r)


def links(d):
    r = lens("-j", "struct_ops", "register", obj("cc_link"), d)
    if r.status:
        ok(("Linux 6.4" in r.json.get("hint", "") or "build with 1.2 or newer" in r.json["error"]) and os.listdir(d) == [],
           "this kernel or libbpf does not have links of struct_ops, and the command reports it", r)
        skip("this kernel or libbpf does not have links of struct_ops")
        return False
    b = mine().get("lensreg_b", {})
    pin = d + "/lensreg_b"
    ok(r.json == [{"action": "Registered", "kernel_struct_ops": "tcp_congestion_ops", "name": "lensreg_b", "map_id": b.get("id"),
                   "link_id": b.get("link_ids", [0])[0], "pins": [pin], "dry_run": False}] and b["state"] == "ready", "JSON has the ids", r)
    r = lens("struct_ops", "register", obj("cc_link"), d)
    ok(r.status == 1 and "--replace" in r.errors and mine()["lensreg_b"]["id"] == b["id"], "a pin that exists", r)
    r = lens("-j", "struct_ops", "register", obj("cc_link"), d, "--replace", "--dry-run")
    ok(r.status == 0 and r.json[0]["replaced_map_id"] == b["id"] and mine()["lensreg_b"]["id"] == b["id"], "--replace --dry-run", r)
    r = lens("-j", "struct_ops", "register", obj("cc_link"), d, "--replace")
    new = mine()["lensreg_b"]
    ok(r.status == 0 and r.json[0]["replaced_map_id"] == b["id"] and r.json[0]["map_id"] == new["id"] != b["id"]
       and new["link_ids"] == b["link_ids"], "--replace: the same link, another map", r)
    where = [p for p in lens("-j", "ls").json if p.get("link_id") in new["link_ids"]]
    ok([(p["where"], p["map_id"]) for p in where] == [("tcp_congestion_ops:lensreg_b", new["id"])], "ls", where)
    r = lens("struct_ops", "unregister", "name", "lensreg_b")
    if r.status:
        ok("unpin" in r.errors, "this kernel cannot detach the link: a hint", r)
        lens("link", "unpin", pin)
    ok(settled([]) and not os.path.exists(pin), "unregistered, and its pin removed", r)
    return True


def lost(d):
    r = lens("struct_ops", "register", obj("cc_link"))
    ok(r.status == 1 and "--hold" in r.errors and "would end with this command" in r.errors and not mine(), "a link without pin and --hold is refused", r)
    p = subprocess.Popen([BPFLENS, "-j", "struct_ops", "register", obj("cc_link"), "--hold"], stdout=subprocess.PIPE)
    ok(settled(["lensreg_b"]), "--hold")
    p.send_signal(signal.SIGINT)
    out = p.communicate(timeout=20)[0]
    ok(p.returncode == 0 and out.endswith(b"]\n") and settled([]), "until it is interrupted", out)
    r = lens("struct_ops", "register", obj("cc_link"), d, "--hold")
    ok(r.status == 2 and not mine(), "a pin needs no --hold", r)
    r = lens("struct_ops", "register", obj("cc_link"), "--replace")
    ok(r.status == 2 and not mine(), "--replace needs a directory", r)


def attached(d):
    """A map that its loader has left, registered again by a link."""
    lens("struct_ops", "register", obj("cc_link"), d)
    b = mine()["lensreg_b"]["id"]
    lens("map", "pin", "id", b, d + "/map")
    lens("link", "unpin", d + "/lensreg_b")
    if not ok(settled([]) and [m["state"] for m in lens("-j", "struct_ops").json if m["id"] == b] == ["ready"], "a map that only a pin holds"):
        return
    r = lens("struct_ops", "attach", d + "/map")
    ok(r.status == 1 and "--link PATH" in r.errors and not mine(), "attach without a place for the link", r)
    r = lens("struct_ops", "attach", d + "/map", "--link", "/tmp/no_bpffs")
    ok(r.status == 1 and not mine(), "a pin outside a bpffs", r)
    r = lens("-j", "struct_ops", "attach", d + "/map", "--link", d + "/again", "--dry-run")
    ok(r.status == 0 and r.json == {"action": "Would register", "kernel_struct_ops": "tcp_congestion_ops", "name": "lensreg_b", "map_id": b,
                                    "pins": [d + "/again"], "dry_run": True} and not mine(), "attach --dry-run", r)
    r = lens("struct_ops", "attach", d + "/map", "--link", d + "/again")
    now = mine().get("lensreg_b", {"link_ids": [0]})
    ok(r.status == 0 and r.text == "Registered tcp_congestion_ops lensreg_b map id %d link id %d pin %s\n" % (b, now["link_ids"][0], d + "/again")
       and algorithms() == {"lensreg_b"}, "attach, and a pin of the link", r)
    r = lens("struct_ops", "attach", "name", "lensreg_b", "--hold")
    ok(r.status == 1 and "EEXIST" in r.errors and "already has one of that name" in r.errors and mine()["lensreg_b"] == now, "twice is refused", r)
    lens("link", "unpin", d + "/again")
    ok(settled([]), "unregistered with the link")
    p = subprocess.Popen([BPFLENS, "struct_ops", "attach", "id", str(b), "hold"], stdout=subprocess.PIPE)
    ok(settled(["lensreg_b"]), "attach ... hold")
    p.send_signal(signal.SIGINT)
    out = p.communicate(timeout=20)[0]
    ok(p.returncode == 0 and out.endswith(b"\nuntil this command is interrupted\n") and settled([]), "until it is interrupted", out)
    os.unlink(d + "/map")
    lens("struct_ops", "register", obj("cc_plain"))
    r = lens("struct_ops", "attach", "name", "lensreg_a", "hold")
    ok(r.status == 1 and "without BPF_F_LINK" in r.errors and "struct_ops register OBJ" in r.errors, "a map that is not for links", r)
    lens("struct_ops", "unregister", "name", "lensreg_a")
    ok(settled([]), "and unregistered")


def all_or_nothing(d):
    r = lens("struct_ops", "register", obj("cc"), d + "/new")
    ok(r.status == 0 and r.text.count("Registered ") == 3 and set(mine()) == NAMES, "both sections in one file", r)
    shared = {i for m in mine().values() for p in m["programs"] for i in lens("-j", "prog", "show", "id", p["prog_id"]).json.get("map_ids", [])}
    ok(len(shared) == 1, "their programs share the data of the file", shared)
    for name in NAMES:
        r = lens("struct_ops", "unregister", "name", name)
        if r.status:
            lens("link", "unpin", d + "/new/" + name)
    ok(settled([]), "all are unregistered")
    os.rmdir(d + "/new")
    for file, where in (("cc_twice", d + "/new"), ("cc", "/tmp/bpflens-register-%d" % os.getpid())):
        r = lens("struct_ops", "register", obj(file), where)
        ok(r.status == 1 and not r.text and settled([]) and not algorithms() and not os.path.exists(where),
           "%s: changes before the failure are undone, including the directory" % file, r)
    lens("struct_ops", "register", obj("cc_link"), d)
    before = mine()["lensreg_b"]
    os.rename(d + "/lensreg_b", d + "/lensreg_c")
    r = lens("struct_ops", "register", obj("cc"), d)
    ok(r.status == 1 and mine() == {"lensreg_b": before} and os.listdir(d) == ["lensreg_c"], "and existing files are not changed", r)
    os.unlink(d + "/lensreg_c")
    ok(settled([]), "gone with its pin")


def interrupted(d):
    """Tables with and without links in one file."""
    def left():
        return sorted(mine()) + sorted(algorithms()) + sorted(os.listdir(d))

    def clean():
        """If the kernel refuses the probe for names, maps have no names."""
        for m in lens("-j", "struct_ops").json:
            if m.get("name", "") in NAMES | {""} and not m["link_ids"]:
                lens("struct_ops", "unregister", "id", m["id"])
        for pin in os.listdir(d + "/new") if os.path.isdir(d + "/new") else []:
            lens("link", "unpin", d + "/new/" + pin)
        if os.path.isdir(d + "/new"):
            os.rmdir(d + "/new")
        until(lambda: not left())

    refused_in_turn([BPFLENS, "struct_ops", "register", obj("cc"), d + "/new"], left, clean)


def refused(d):
    for words, status, sentence in (([], 2, "needs"), (["/nonexistent.o"], 3, "cannot open object file"), (["/dev/null"], 1, "/dev/null"),
                                    ([obj("iters")], 3, "no struct_ops found"), ([obj("cc_plain"), d, "x"], 2, "unexpected argument 'x'")):
        r = lens("struct_ops", "register", *words)
        ok(r.status == status and sentence in r.errors and not mine(), "refused: register " + " ".join(words)[-40:], r)
    r = lens("-j", "struct_ops", "register", obj("cc_rejected"))
    why = r.json.get("because", {})
    ok(r.status in (1, 4) and (why.get("program"), why.get("cause")) == ("lensreg_null", "unchecked_pointer") and not mine(),
       "a rejected program: the reason", r)
    r = lens("-j", "struct_ops", "register", obj("cc_unreachable"), "--hold")
    why = r.json.get("because", {})
    if "build with 1.2 or newer" in r.json["error"]:
        skip("a rejected program of a table with a link: libbpf 1.2 has them")
    else:
        ok(r.status == 1 and "lensreg_dead of" in r.json["error"] and why.get("cause") == "unreachable" and not mine(), "also of a table with a link", r)
    r = lens("struct_ops", "unregister")
    ok(r.status == 2, "unregister needs a map", r)
    r = lens("struct_ops", "unregister", "name", "no_such_map")
    ok(r.status == 3, "unregister: no such map", r)


def many(d, with_links):
    bad = 0
    for i in range(ROUNDS):
        if with_links and i % 2:
            bad += lens("struct_ops", "register", obj("cc_link"), d).status != 0
            if lens("struct_ops", "unregister", "name", "lensreg_b").status:
                bad += lens("link", "unpin", d + "/lensreg_b").status != 0
        else:
            bad += lens("struct_ops", "register", obj("cc_plain")).status != 0
            bad += lens("struct_ops", "unregister", "name", "lensreg_a").status != 0
    ok(not bad, "%d times registered and unregistered" % ROUNDS, bad)
    ok(settled([]) and not algorithms() and not os.listdir(d), "nothing is left", mine())


with tempfile.TemporaryDirectory() as tmp:
    fs = tmp + "/bpffs"
    os.mkdir(fs)
    if subprocess.run(["mount", "-t", "bpf", "bpf", fs]).returncode:
        skip("cannot mount a bpffs here")
        sys.exit(77)
    try:
        os.mkdir(fs + "/d")
        plain()
        has_links = links(fs + "/d")
        if has_links:
            lost(fs + "/d")
            attached(fs + "/d")
            all_or_nothing(fs + "/d")
            interrupted(fs + "/d")
        refused(fs + "/d")
        many(fs + "/d", has_links)
    finally:
        for left in mine().values():
            lens("struct_ops", "unregister", "id", left["id"])
        subprocess.run(["umount", "-l", fs])
finish()
