#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Elements written as users type them, on maps with and without BTF: a dump shows what was written, members are
changed one by one, invalid input and --dry-run change nothing, exit statuses are those of the manual."""
import json
import os
import random
import re
import shlex
import subprocess
import sys

from world import BUILD, Run, World, finish, isolate, ok, skip

isolate()


def formatted(w, ident, *key):
    r = w.run("-j", "map", "lookup", "id", ident, "key", *key)
    return r.json.get("formatted", {}) if r.status == 0 else None


def good(w, what, *args):
    r = w.run(*args)
    return ok(r.status == 0, what, r)


def refused(w, what, status, sentence, *args):
    r = w.run(*args)
    ok(r.status == status and sentence in r.errors, what, r)


def structs(w):
    m = w.one("map", "ty_struct")["id"]
    entry = w.run("-j", "map", "dump", "id", m).json[0]["formatted"]
    good(w, "a value as JSON", "map", "update", "id", m, "key", "4711", "value", json.dumps(entry["value"]))
    ok(formatted(w, m, 4711) == {"key": 4711, "value": entry["value"]}, "a dump shows it", formatted(w, m, 4711))
    good(w, "members", "map", "update", "id", m, "key", 4711, "value", "comm=init", "a=-5", "in.x=99", "grid[1][2]=8",
         "peers[0].port=80", "col=GREEN", "u1=16", "neg=-1", "ok=false", "exist")
    now, want = formatted(w, m, 4711)["value"], dict(entry["value"])
    ok(now["comm"] == "init" and now["a"] == -5 and now["in"]["x"] == 99 and now["grid"][1][2] == 8 and now["neg"] == "0xf"
       and now["peers"][0]["port"] == 80 and now["col"] == "GREEN" and now[""]["u1"] == 16 and now["ok"] is False,
       "members changed", now)
    for k in ("raw", "ptr", "c", "us", "sc", "wide", "pos", "big", "cv"):
        ok(now[k] == want[k], "the others stay: " + k, now)
    refused(w, "a number that is too large for its member", 2, "in.flag: 8 does not fit in 3 bits (0 to 7)",
            "map", "update", "id", m, "key", 4711, "value", "in.flag=8")
    refused(w, "an unknown member", 2, "no member 'nonsense'", "map", "update", "id", m, "key", 4711, "value", "nonsense=8")
    ok(formatted(w, m, 4711)["value"] == now, "nothing was written")
    r = w.run("-j", "map", "update", "id", m, "key", 4711, "value", "a=77", "--dry-run")
    ok(r.status == 0 and r.json["after"]["formatted"]["value"]["a"] == 77 and r.json["before"]["formatted"]["value"] == now
       and (r.json["action"], r.json["kind"], r.json["id"], r.json["dry_run"]) == ("would write to", "map", m, True)
       and formatted(w, m, 4711)["value"] == now, "update --dry-run", r)
    r = w.run("map", "update", "id", m, "key", 4711, "value", "a=77", "--dry-run")
    ok(r.text.startswith("would write to map %d:\n{" % m) and "in place of:\n{" in r.text, "and as text", r)
    r = w.run("-j", "map", "update", "id", m, "key", 4790, "value", "a=77", "--dry-run")
    ok(r.status == 0 and "before" not in r.json and r.json["after"]["formatted"]["key"] == 4790, "update --dry-run of a new element", r)
    r = w.run("-j", "map", "delete", "id", m, "key", 4711, "--dry-run")
    ok(r.status == 0 and r.json["action"] == "would delete from" and r.json["before"]["formatted"]["value"] == now and "after" not in r.json,
       "delete --dry-run as JSON", r)
    r = w.run("map", "delete", "id", m, "key", 4711, "--dry-run")
    ok(r.status == 0 and "would delete" in r.text and formatted(w, m, 4711), "delete --dry-run", r)
    good(w, "members of a new element", "map", "update", "id", m, "key", 4712, "value", "a=1", "noexist")
    ok(formatted(w, m, 4712)["value"]["a"] == 1 and formatted(w, m, 4712)["value"]["comm"] == "", "the others are zero")
    refused(w, "noexist", 1, "EEXIST", "map", "update", "id", m, "key", 4712, "value", "a=1", "noexist")
    good(w, "members added to", "map", "update", "id", m, "key", 4712, "value", "a+=41", "in.x-=0")
    ok(formatted(w, m, 4712)["value"]["a"] == 42, "their sum", formatted(w, m, 4712))
    refused(w, "a key cannot be added to", 2, "a key cannot be added to", "map", "update", "id", m, "key", "a+=1", "value", "a=1")
    for key in (4711, 4712):
        good(w, "delete", "map", "delete", "id", m, "key", key)
    refused(w, "no such element", 3, "ENOENT", "map", "lookup", "id", m, "key", 4711)
    bpftool = w.dir + "/bpftool"
    os.symlink(w.lens, bpftool)
    r = Run([bpftool, "map", "lookup", "id", str(m), "key", "4711"])
    ok(r.status == 3 and r.text == "key:\n67 12 00 00\n\nNot found\n" and not r.errors, "no such element, in bpftool's words", r)
    r = Run([bpftool, "-j", "map", "lookup", "id", str(m), "key", "4711"])
    ok(r.status == 3 and r.text == "null\n", "the same in JSON", r)


def keys(w):
    """Members of a key; the others are zero. A key without a type has no members."""
    path = w.pins + "/el_key"
    made = w.run("map", "create", path, "type", "hash", "key_type", "struct timespec64", "value_type", "u32", "entries", 4, "name", "el_key")
    if made.status:
        skip("maps with types of the kernel cannot be created: " + made.errors.strip())
        return
    good(w, "update by members", "map", "update", "pinned", path, "key", "tv_nsec=5", "tv_sec=-7", "value", 1)
    good(w, "update by one member", "map", "update", "pinned", path, "key", "tv_nsec=5", "value", 2)
    r = w.run("-j", "map", "lookup", "pinned", path, "key", "tv_sec=-7", "tv_nsec=5")
    ok(r.status == 0 and r.json["formatted"] == {"key": {"tv_sec": -7, "tv_nsec": 5}, "value": 1}, "lookup by members", r)
    r = w.run("-j", "map", "lookup", "pinned", path, "key", '{"tv_sec":0,"tv_nsec":5}')
    ok(r.status == 0 and r.json["formatted"]["value"] == 2, "the others are zero", r)
    lines = w.run("map", "getnext", "pinned", path).text.splitlines()
    ok(lines[:2] == ["key: None", "next key:"] and len(lines) == 3 and re.fullmatch("(.. ){8} ..( ..){7}", lines[2].rstrip()),
       "getnext: rows of bytes as bpftool prints them", lines)
    refused(w, "no such member", 2, "no member 'nonsense'", "map", "lookup", "pinned", path, "key", "nonsense=1")
    m = w.one("map", "h_8_16")
    refused(w, "a key without a type", 2, "key: 'saddr=1' names a member, and the map has no type for it",
            "map", "lookup", "id", m["id"], "key", "saddr=1", "daddr=2")


def scalars(w):
    m = w.one("map", "ty_enum")["id"]
    good(w, "an enumerator", "map", "update", "id", m, "key", "-3", "value", "BLUE")
    ok(formatted(w, m, -3) == {"key": -3, "value": "BLUE"}, "negative keys", formatted(w, m, -3))
    refused(w, "the known names", 2, "its names: RED, GREEN, BLUE", "map", "update", "id", m, "key", "1", "value", "PINK")
    refused(w, "an unknown word", 2, "'PINK' is neither a number nor a name", "map", "update", "id", m, "key", "1", "value", "PINK")
    r = w.run("map", "update", "id", m, "key", "1", "value", "hello there")
    ok("hint: its names" in r.errors and "usage" not in r.errors, "no usage message for a wrong value", r)
    good(w, "delete it", "map", "delete", "id", m, "key", "-3")
    r = w.run("map", "update", "id", m, "key", "hello", "value", "RED")
    ok(r.status == 2 and "hint: a number, -2147483648 to 2147483647" in r.errors and "usage" not in r.errors, "limits of a number", r)
    m = w.one("map", "h_4_4")["id"]
    for words, hint in ((["key", "1", "value", "hello"], "hint: the map has no type"), (["key", "1", "2", "3"], "each a number from 0 to 255"),
                        (["key", "hex", "1"], "hint: after `hex`: 4 bytes"), (["key", "300", "0", "0", "0"], "does not fit in a byte"),
                        (["value", "1"], "hint: add `key` and the key"), (["key", "1"], "hint: add `value` and the value")):
        r = w.run("map", "update", "id", m, *words)
        ok(r.status == 2 and hint in r.errors and "usage" not in r.errors, "a remedy: " + " ".join(words), r)
    m = w.one("map", "h_4_4")["id"]
    good(w, "a device by its name, as it is printed", "map", "update", "id", m, "--format", "value=ifindex", "key", 4711, "value", "lo")
    r = w.run("map", "dump", "id", m, "-o", "key,value", "--format", "value=ifindex", "-Q", "key == 4711", "--noheadings")
    ok(r.status == 0 and r.text.split() == ["67", "12", "00", "00", "lo"], "in a table", r)
    refused(w, "no such device", 2, "its format is ifindex", "map", "update", "id", m, "--format", "value=ifindex", "key", 4711, "value", "none0")
    good(w, "delete it", "map", "delete", "id", m, "key", 4711)
    m = w.one("map", "ty_lpm")["id"]
    good(w, "a prefix", "map", "update", "id", m, "key", "172.16.0.0/12", "value", "5")
    ok(formatted(w, m, "172.16.9.9") == {"key": {"plen": 32, "addr": [172, 16, 9, 9]}, "value": 5}, "found by an address",
       formatted(w, m, "172.16.9.9"))
    good(w, "delete the prefix", "map", "delete", "id", m, "key", '{"plen":12,"addr":[172,16,0,0]}')


def twins(w):
    """Two maps of packet headers, with types that are in network order; None: the kernel does not have these types."""
    paths = [w.pins + "/el_header%d" % n for n in (1, 2)]
    for path in paths:
        r = w.run("map", "create", path, "type", "hash", "key_type", "struct udphdr", "value_type", "struct iphdr", "entries", 64, "name", "el_headers")
        if r.status:
            skip("a map of packet headers cannot be created: " + r.errors.strip())
            return None
    return paths


def elements(w, path):
    return {tuple(e["key"]): e["value"] for e in w.run("-j", "map", "dump", "pinned", path).json}


def written(w, what, path, one, words):
    """Write elements with these words, and compare them with the first map."""
    r = Run([w.lens, "batch", "file", "-"], input="".join("map update pinned %s key %s value %s\n" % (path, k, v) for k, v in words).encode())
    two = elements(w, path)
    ok(r.status == 0 and two == one and len(one) == 32, what, (r, [(k, one[k], two.get(k)) for k in one if one[k] != two.get(k)][:2]))
    w.run("map", "import", "pinned", path, "--replace", input=b"[]")


def printed(w):
    """Printed text is accepted: members from tables, elements from dumps."""
    paths = twins(w)
    if not paths:
        return
    rnd = random.Random(13)
    lines = ["map update pinned %s key hex %s value hex %s\n" % (paths[0], rnd.randbytes(8).hex(" "), rnd.randbytes(20).hex(" ")) for i in range(32)]
    r = Run([w.lens, "batch", "file", "-"], input="".join(lines).encode())
    ok(r.status == 0, "elements of random bytes", r)
    one = elements(w, paths[0])
    rows = w.run("-j", "map", "dump", "pinned", paths[0], "-o", "+").json
    ok(any(str(row["value.saddr"]).count(".") == 3 for row in rows), "addresses in the table", rows[:1])
    written(w, "cells of a table", paths[1], one,
            [[" ".join("%s=%s" % (name.split(".", 1)[1], cell) for name, cell in row.items() if name.startswith(part))
              for part in ("key.", "value.")] for row in rows])
    written(w, "elements of -j", paths[1], one,
            [["'%s'" % json.dumps(e["formatted"][part], separators=(",", ":")) for part in ("key", "value")]
             for e in w.run("-j", "map", "dump", "pinned", paths[0]).json])
    written(w, "whole cells of a table", paths[1], one,
            [["'%s'" % json.dumps(row[part], separators=(",", ":")) for part in ("key", "value")]
             for row in w.run("-j", "map", "dump", "pinned", paths[0], "-o", "key,value").json])
    plain = w.run("map", "dump", "pinned", paths[0]).out
    r = Run([w.lens, "map", "import", "pinned", paths[1]], input=plain)
    ok(r.status == 0 and elements(w, paths[1]) == one, "a plain dump", r)


def percpu(w):
    m = w.one("map", "ty_pcpu_array")["id"]
    before = formatted(w, m, 1)
    good(w, "one value for all CPUs", "map", "update", "id", m, "key", 1, "value", "-9")
    now = formatted(w, m, 1)["values"]
    ok({v["value"] for v in now} == {-9}, "all have it", now)
    each = [cpu * 11 for cpu in range(len(now))]
    good(w, "a value for each CPU", "map", "update", "id", m, "key", 1, "value", json.dumps(each))
    ok([v["value"] for v in formatted(w, m, 1)["values"]] == each, "each has its own")
    refused(w, "one sum for all CPUs", 2, "a value for each CPU", "map", "update", "id", m, "key", 1, "value", "a+=1")
    refused(w, "too many CPUs", 2, "possible CPU", "map", "update", "id", m, "key", 1, "value", json.dumps(each + [1]))
    refused(w, "too few CPUs", 2, "possible CPU", "map", "update", "id", m, "key", 1, "value", "[]")
    good(w, "as a dump prints them", "map", "update", "id", m, "key", 1, "value", json.dumps(before["values"]))
    ok(formatted(w, m, 1) == before, "as before")
    last = before["values"][-1]["cpu"]
    for words in (["--cpu", last, "key", 1], ["key", 1, "cpu", last]):
        r = w.run("-j", "map", "lookup", "id", m, *words)
        ok(r.status == 0 and r.json["formatted"] == {"key": 1, "value": before["values"][-1]["value"]}, "the value of one CPU: %s" % words[0], r)
    r = w.run("-j", "map", "dump", "id", m, "cpu", last)
    ok(r.status == 0 and r.json[1]["formatted"]["value"] == before["values"][-1]["value"], "dump of one CPU", r)
    refused(w, "no such CPU", 3, "no CPU 99999", "map", "lookup", "id", m, "key", 1, "cpu", 99999)
    r = w.run("map", "update", "id", m, "key", 1, "value", "77", "cpu", last, "--dry-run")
    if r.status == 1 and "does not write the value of one CPU" in r.errors:
        refused(w, "no write of one CPU's value", 1, "Linux 7.0", "map", "update", "id", m, "key", 1, "value", "77", "cpu", last)
        ok(formatted(w, m, 1) == before, "as before: nothing was written")
        return
    ok(r.status == 0 and formatted(w, m, 1) == before, "one CPU --dry-run", r)
    refused(w, "the kernel does not check noexist", 2, "does not check", "map", "update", "id", m, "key", 1, "value", "77", "noexist", "cpu", last)
    good(w, "the value of one CPU is written", "map", "update", "id", m, "key", 1, "value", "77", "cpu", last)
    now = [v["value"] for v in formatted(w, m, 1)["values"]]
    ok(now == [v["value"] for v in before["values"][:-1]] + [77], "and no other", now)
    good(w, "as before", "map", "update", "id", m, "key", 1, "value", json.dumps(before["values"]))


def queues(w):
    path = w.pins + "/elements"
    good(w, "create", "map", "create", path, "type", "stack", "key", 0, "value", 4, "entries", 2, "name", "el_stack")
    for v in (5, 6):
        good(w, "push", "map", "push", "pinned", path, "value", v)
    refused(w, "a full stack", 1, "full", "map", "push", "pinned", path, "value", 7)
    r = w.run("map", "pop", "pinned", path, "--dry-run")
    ok(r.status == 0 and r.text.endswith("value: 06 00 00 00\n"), "pop --dry-run", r)
    r = w.run("-j", "map", "pop", "pinned", path, "--dry-run")
    ok(r.json["action"] == "would remove from" and r.json["before"]["value"] == ["0x06", "0x00", "0x00", "0x00"], "as JSON", r)
    r = [w.run("-j", "map", "pop", "pinned", path) for _ in range(3)]
    ok([x.status for x in r] == [0, 0, 3] and r[0].json == {"key": [], "value": ["0x06", "0x00", "0x00", "0x00"]}, "pop", r[0])
    refused(w, "pop of an empty stack", 3, "is empty", "map", "pop", "pinned", path)
    refused(w, "peek at an empty stack", 3, "is empty", "map", "peek", "pinned", path)
    refused(w, "a key for a stack", 2, "unexpected key", "map", "push", "pinned", path, "key", 1, "value", 1)
    good(w, "freeze --dry-run", "map", "freeze", "pinned", path, "--dry-run")
    good(w, "not frozen", "map", "push", "pinned", path, "value", 7)
    w.run("map", "unpin", path)
    refused(w, "an unknown type", 2, "unrecognized map type: nonsense", "map", "create", path, "type", "nonsense", "name", "x")
    r = w.run("map", "create", path, "type", "hash", "key", 4, "value", 4, "entries", 1, "name", "x", "--dry-run")
    ok(r.status == 0 and w.run("pin", "list").status == 0 and path not in w.run("pin", "list").text, "create --dry-run", r)


def bloom(w):
    m = w.one("map", "bloom")
    if not m:
        return
    m = m["id"]
    good(w, "push to a bloom filter", "map", "push", "id", m, "value", 77)
    r = w.run("map", "lookup", "id", m, "value", 77)
    ok(r.status == 0 and r.text.startswith("the value is in it"), "a member", r)
    ok(w.run("-j", "map", "lookup", "id", m, "value", 77).json == {"member": True}, "a member, JSON")
    refused(w, "no member", 3, "the value is not in it", "map", "lookup", "id", m, "value", 78)
    r = w.run("-j", "map", "lookup", "id", m, "value", 78)
    ok(r.status == 3 and r.json == {"member": False} and not r.errors, "no member, JSON", r)
    refused(w, "a bloom filter without a value", 2, "missing value", "map", "lookup", "id", m)
    refused(w, "a bloom filter with a key", 2, "key", "map", "lookup", "id", m, "key", 1, "value", 1)
    refused(w, "a dump of it", 1, "map lookup MAP value", "map", "dump", "id", m)


def flow(w):
    """Addresses and ports of a flow's key: shown by --format auto, in whose words they are typed; a terminal offers it."""
    path = w.pins + "/flow"
    r = w.run("map", "create", path, "type", "hash", "key", 8, "value", 16, "entries", 4, "name", "flow", "key_type", "addr", "value_type", "traffic",
              "from", BUILD + "/tests/live/manual.bpf.o")
    if not ok(r.status == 0, "a map with the key of a flow", r):
        return
    good(w, "an address for a number", "map", "update", "pinned", path, "key", "saddr=10.0.0.1", "sport=1", "dport=2", "value", "bytes=1", "packets=2")
    plain, auto = w.run("-j", "map", "dump", "pinned", path), w.run("-j", "map", "dump", "pinned", path, "--format", "auto")
    ok(plain.json[0]["key"][:4] == ["0x0a", "0x00", "0x00", "0x01"] and plain.json[0]["formatted"]["key"]["saddr"] == int.from_bytes(bytes([10, 0, 0, 1]), sys.byteorder),
       "by default it is a number", plain)
    ok(auto.json[0]["formatted"]["key"] == {"saddr": "10.0.0.1", "sport": 1, "dport": 2}, "an address with --format auto", auto)
    for key in (["saddr=10.0.0.1", "sport=1", "dport=2"], [json.dumps(auto.json[0]["formatted"]["key"])]):
        for form in ([], ["--format", "auto"]):
            good(w, "the key as printed: %s" % " ".join(key + form), "map", "lookup", "pinned", path, "key", *key, *form)
    for form in ([], ["--format", "auto"]):
        r = w.run("-j", "map", "dump", "pinned", path, "-Q", "saddr == 10.0.0.0/8", *form)
        ok(r.status == 0 and len(r.json) == 1, "a filter by address", r)
    r = w.run("--ndjson", "map", "watch", "pinned", path, "--count", 1, "interval", 0.1, "--format", "auto")
    ok(r.status == 0, "watch takes it", r)
    lookup = ["map", "lookup", "pinned", path, "key", "saddr=10.0.0.1", "sport=1", "dport=2"]
    dump = ["map", "dump", "pinned", path]
    for words, noted in ((dump, True), (dump + ["-o", "+"], True), (dump + ["--format", "auto"], False), (dump + ["-o", "value.bytes"], False), (lookup, True),
                         (lookup + ["--format", "auto"], False)):
        r = subprocess.run(["script", "-qec", shlex.join([w.lens, "--no-pager"] + words), "/dev/null"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           universal_newlines=True).stdout
        ok(r.count("--format auto shows addresses and numbers in network order as such: saddr") == noted, "a note on a terminal, once" if noted else "none with it", r)
    ok(not plain.errors, "no note elsewhere", plain)


def bytes_words(w):
    m = w.one("map", "h_4_4")["id"]
    address = w.run("map", "lookup", "id", m, "key", "10.9.0.1", "--format", "key=ip")
    ok(address.status == 3, "a key without a type has a format", address)
    good(w, "update with formats", "map", "update", "id", m, "key", "10.9.0.1", "value", "80", "--format", "key=ip", "--format", "value=be32")
    r = w.run("-j", "map", "lookup", "id", m, "key", "10.9.0.1", "--format", "key=ip,value=be32")
    ok(r.status == 0 and r.json["formatted"] == {"key": "10.9.0.1", "value": 80} and r.json["key"] == ["0x0a", "0x09", "0x00", "0x01"]
       and r.json["value"] == ["0x00", "0x00", "0x00", "0x50"], "lookup with formats", r)
    good(w, "delete with a format", "map", "delete", "id", m, "key", "10.9.0.1", "--format", "key=ip")
    good(w, "a number without a type", "map", "update", "id", m, "key", 258, "value", "0x1020304")
    r = w.run("map", "lookup", "id", m, "key", "hex", 2, 1, 0, 0)
    ok(r.text == "key: 02 01 00 00  value: 04 03 02 01\n", "it fills the bytes", r)
    good(w, "delete it", "map", "delete", "id", m, "key", 2, 1, 0, 0)
    refused(w, "a byte above 255", 2, "300 does not fit in a byte", "map", "update", "id", m, "key", 1, 2, 3, 300, "value", 1)
    refused(w, "a number that is too large", 2, "does not fit in 32 bits", "map", "update", "id", m, "key", 1 << 32, "value", 1)
    refused(w, "too few bytes", 2, "key expected 4 bytes got 3", "map", "update", "id", m, "key", 1, 2, 3, "value", 1)
    refused(w, "text for bytes", 2, "cannot convert 'zz' to 4 bytes", "map", "update", "id", m, "key", "zz", "value", 1)
    outer, other = w.one("map", "ty_hom")["id"], w.one("map", "ty_struct")["id"]
    refused(w, "an inner map of another size", 1, "hint: inner maps have the same type", "map", "update", outer, "key", 7, "value", "id", other)
    m = w.one("map", "arr_frozen")
    refused(w, "a frozen map", 4, "is frozen", "map", "update", m["id"], "key", 1, "value", 1)
    refused(w, "an archive", 2, "changes the system", "--from", "tests/archives/sample.tar.gz", "map", "delete", "id", m["id"], "key", 1)


def order(w):
    """A value with a type in network order is read and shown in that order; --exact, JSON and bytes are as in memory."""
    path = w.pins + "/order"
    r = w.run("map", "create", path, "type", "hash", "key_type", "__be16", "value_type", "__be32", "entries", 4, "name", "order")
    if "type information" in r.errors:
        skip("members in network order", "the kernel has no BTF")
        return
    good(w, "a port", "map", "update", "pinned", path, "key", 443, "value", 1)
    for words in ((), ("--exact",)):
        row = w.run("-j", "map", "dump", "pinned", path, "-o", "+", *words).json[0]
        ok(row == ({"key": 47873, "value": 1 << 24} if words else {"key": 443, "value": 1}), "a table of it " + " ".join(words), row)
        for verb in ("lookup", "delete"):
            r = w.run("-j", "map", verb, "pinned", path, "key", row["key"], *words, *(("--dry-run",) if verb == "delete" else ()))
            ok(r.status == 0, verb + " by its key " + " ".join(words), r)
        r = w.run("-j", "map", "getnext", "pinned", path, "key", row["key"], *words)
        ok(r.status == 3 and "is the last one" in r.errors + r.text, "getnext " + " ".join(words), r)
        r = w.run("-j", "map", "update", "pinned", path, "key", row["key"], "value", row["value"], "--dry-run", *words)
        ok(r.status == 0 and r.json["before"]["value"] == r.json["after"]["value"], "update changes nothing " + " ".join(words), r)
    good(w, "bytes", "map", "lookup", "pinned", path, "key", 1, 187)
    for words in ((), ("--exact",)):
        r = w.run("map", "lookup", "pinned", path, "key", 80, *words)
        ok(r.status == 3 and ("--exact" in r.errors) == (not words), "a missing key: the message has the order in which it was read " + " ".join(words), r)
    r = w.run("__complete", "map", "lookup", "pinned", path, "key", "")
    ok("443\t" in r.text and "47873" not in r.text, "completion offers what update accepts", r)


with World() as world:
    world.make()
    order(world)
    structs(world)
    keys(world)
    scalars(world)
    printed(world)
    percpu(world)
    queues(world)
    bloom(world)
    bytes_words(world)
    flow(world)
finish()
