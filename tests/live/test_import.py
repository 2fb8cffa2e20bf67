#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`map import` of elements that cannot be written: each is reported with its position, the others are written, and
the exit status shows if any was not. Names, dry runs, continuing after a failure, queues, frozen maps, files that are not JSON."""
import json
import signal
import subprocess

from world import World, at_random, finish, isolate, ok

isolate()


class Map:
    def __init__(self, w, name, kind, key, value, entries):
        self.w, self.path = w, w.pins + "/" + name
        r = w.run("map", "create", self.path, "type", kind, "key", key, "value", value, "entries", entries, "name", name)
        ok(r.status == 0, "create " + name, r)

    def load(self, text, *words, json_form=True):
        flags = ["-j"] if json_form else []
        return self.w.run(*flags, "map", "import", "pinned", self.path, *words, input=text.encode())

    def keys(self):
        r = self.w.run("-j", "map", "export", "pinned", self.path)
        return sorted(int(e["key"][0], 16) for e in r.json[1:])


def rows(keys, value=1):
    return "".join('{"key":%d,"value":%d}\n' % (k, value) for k in keys)


def failures(w):
    m = Map(w, "im_hash", "hash", 4, 4, 8)
    r = m.load(rows([1]) + '{"key":2}\n{"key":3,"value":4294967296}\nnonsense\n{"key":4,"value":[1]}\n{"key":5,"valu":1}\n' + rows([6]))
    ok(r.status == 5 and r.json["written"] == 2 and r.json["failed"] == 5 and r.json["last"] == 7, "partial", r)
    ok([f["element"] for f in r.json["failures"]] == [2, 3, 4, 5, 6], "their positions", r)
    ok(r.json["failures"][0] == {"element": 2, "key": ["0x02", "0x00", "0x00", "0x00"], "error": "the value is missing", "errno": "EINVAL"},
       "key and cause", r)
    ok("5 elements could not be written, the first: element 2" in r.errors and m.keys() == [1, 6], "the others are written", r)
    r = m.load('{"key":2}\n', json_form=False)
    ok(r.status == 1 and r.text == 'element 1, key ["0x02","0x00","0x00","0x00"]: the value is missing\nwrote 0 elements, 1 failed\n', "none written", r)
    r = m.load(rows(range(20, 40)), "--failures", 3)
    ok(r.status == 5 and r.json["written"] == 6 and r.json["failed"] == 3 and [f["errno"] for f in r.json["failures"]] == ["E2BIG"] * 3,
       "a full map", r)
    ok("--skip 9" in r.errors and r.json["last"] == 9, "where to continue", r)
    r = m.load(rows(range(20, 40)), "--failures", 100, "--skip", 9)
    ok(r.json["failed"] == 11 and r.json["failures"][0]["element"] == 10, "continues there", r)
    r = m.load(rows([1, 21, 99, 22], 7), "exist")
    ok(r.json["written"] == 3 and r.json["failures"][0]["element"] == 3, "exist", r)
    r = m.load(rows([1]), "noexist")
    ok(r.status == 1 and r.json["failures"][0]["errno"] == "EEXIST", "noexist", r)
    r = m.load(rows([1]), "noexist", "exist")
    ok(r.status == 2, "both", r)
    r = m.load("[" + rows([1]).strip() + "," + rows([2]).strip())
    ok(r.status == 1 or r.status == 5, "an array that is truncated", r)
    r = m.load('{"map":{"bytes_key":8,"bytes_value":4}}\n' + rows([1]))
    ok(r.status == 1 and "keys of 8 bytes and values of 4" in r.errors, "another map's elements", r)
    r = w.run("map", "import", "pinned", m.path, "file", "/no/such/file")
    ok(r.status == 3, "no file", r)
    return m


def dry(w, m):
    before = m.keys()
    r = m.load(rows([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 2) + '{"key":1,"value":"x"}\n', "--dry-run")
    ok(r.status == 1 and r.json["written"] == 10 and r.json["failed"] == 1 and m.keys() == before, "dry run", r)
    r = w.run("map", "freeze", "pinned", m.path)
    r = m.load(rows(range(100, 300)))
    ok(r.status == 4 and r.json["failed"] == 1, "a frozen map is tried once", r)


def batches(w):
    """More than one batch, with a failure in the second: the keys of an array are limited."""
    m = Map(w, "im_array", "array", 4, 4, 6000)
    r = m.load(rows([*range(5000), 6000, *range(5000, 6000)], 9))
    ok(r.json["written"] == 6000 and [f["element"] for f in r.json["failures"]] == [5001], "the failed element of a batch", r)
    r = w.run("-j", "map", "export", "pinned", m.path)
    ok({e["value"][0] for e in r.json[1:]} == {"0x09"} and len(r.json) == 6001, "all others are written")
    head, *elements = r.json
    r = m.load(json.dumps(elements[:3], indent=1) + "\n")
    ok(r.json["written"] == 3, "a pretty array", r)
    r = m.load("\n".join(json.dumps(e, indent=1) for e in elements[:3]))
    ok(r.json["written"] == 3, "pretty elements after each other", r)


def queues(w):
    for kind, order in (("queue", [1, 2, 3]), ("stack", [3, 2, 1])):
        m = Map(w, "im_" + kind, kind, 0, 4, 3)
        r = m.load('{"value":1}\n{"key":[],"value":["0x02","0x00","0x00","0x00"]}\n{"value":3}\n{"value":4}\n')
        ok(r.json["written"] == 3 and r.json["failures"][0]["element"] == 4, kind, r)
        got = [int(w.run("-j", "map", "pop", "pinned", m.path).json["value"][0], 16) for _ in order]
        ok(got == order, "in order", got)
        r = w.run("map", "export", "pinned", m.path)
        ok(r.status == 1 and "cannot be exported" in r.errors and not r.out, "export of a " + kind, r)


def objects(w):
    hom, inner = w.one("map", "ty_hom"), w.one("map", "inner_one")
    path = w.pins + "/im_inner"
    ok(w.run("map", "pin", "id", w.one("map", "inner_two")["id"], path).status == 0, "pin an inner map")
    text = ('{"key":5,"value":{"id":%d}}\n{"key":6,"value":%d}\n{"key":7,"value":{"pinned":"%s"}}\n'
            '{"key":8,"value":{"id":4000000000}}\n{"key":9,"value":"x"}\n' % (inner["id"], inner["id"], path))
    r = w.run("-j", "map", "import", "id", hom["id"], input=text.encode())
    ok(r.status == 5 and r.json["written"] == 3 and [f["element"] for f in r.json["failures"]] == [4, 5], "maps by id and path", r)
    r = w.run("map", "export", "id", hom["id"])
    ok('"value":{"id":%d}' % inner["id"] in r.text, "ids", r)


def saved(w, text):
    with open(w.dir + "/replace", "w") as f:
        f.write(text)
    return ["file", w.dir + "/replace", "--replace"]


def replace(w):
    """The map then has the elements of the file only, even if it was full, and all of them or no change."""
    m = Map(w, "im_new", "hash", 4, 4, 8)
    m.load(rows(range(8)))
    words = saved(w, rows([6, 7, *range(20, 26)], 5))
    r = m.load("", *words, "--dry-run")
    ok(r.status == 0 and r.json["written"] == 8 and r.json["deleted"] == 6 and m.keys() == list(range(8)), "dry", r)
    bad = saved(w, rows([30]) + '{"key":31}\n')
    r = m.load("", *bad)
    ok(r.status == 1 and "the map is unchanged" in r.errors and r.json["deleted"] == 0 and m.keys() == list(range(8)), "all or nothing", r)
    r = m.load("", *saved(w, rows([6, 7, *range(20, 26)], 5)), json_form=False)
    ok(r.status == 0 and r.text == "wrote 8 elements, deleted 6\n" and m.keys() == [6, 7, *range(20, 26)], "a full map", r)
    r = w.run("-j", "map", "export", "pinned", m.path)
    ok({e["value"][0] for e in r.json[1:]} == {"0x05"}, "also values", r)
    r = m.load("[]", "--replace")
    ok(r.status == 0 and r.json["deleted"] == 8 and m.keys() == [], "an empty array", r)
    r = m.load("", *saved(w, ""), "noexist")
    ok(r.status == 2, "not with noexist", r)
    m = Map(w, "im_arr", "array", 4, 4, 4)
    r = m.load("", *saved(w, rows([0, 1, 2])))
    ok(r.status == 1 and "an array cannot be deleted from" in r.errors, "an array with an element that is not in the file", r)
    r = m.load("", *saved(w, rows([0, 1, 2, 7])), "--dry-run")
    ok(r.status == 1 and "key 7 is out of range" in r.errors, "an index that is out of range", r)
    r = m.load("", *saved(w, rows([0, 1, 2, 3])))
    ok(r.status == 0 and r.json["written"] == 4 and r.json["deleted"] == 0, "all of an array", r)
    r = Map(w, "im_q", "queue", 0, 4, 4).load("", *saved(w, '{"value":1}\n'))
    ok(r.status == 1 and "a queue cannot be" in r.json["error"], "a queue cannot be replaced", r)


def replace_refused(w):
    """Elements that do not fit are found before anything is changed, also in a dry run."""
    m = Map(w, "im_small", "hash", 4, 4, 5)
    m.load(rows([1, 2, 3]))
    for what, text, sentence in (
            ("too many keys", rows(range(10, 20)), "map %s has room for 5 elements"),
            ("an empty file", "", "standard input is empty"),
            ("blanks", " \n\n", "standard input is empty"),
            ("an array without an end", "[" + rows([1]), ""),
            ("another map's elements", '{"map":{"bytes_key":8,"bytes_value":4}}\n' + rows([1]), "keys of 8 bytes")):
        sentence = sentence.replace("%s", str(w.run("-j", "map", "show", "pinned", m.path).json["id"]))
        for words in (["--dry-run"], []):
            r = m.load(text, "--replace", *words)
            ok(r.status == 1 and sentence in r.errors and m.keys() == [1, 2, 3], what + " " + " ".join(words), r)
            ok(r.json["deleted"] == 0, "and none is counted as deleted", r)
    r = m.load(rows([7, 8, 7, 8, 7, 8, 7, 9], 3), "--replace")
    ok(r.status == 0 and r.json["written"] == 3 and m.keys() == [7, 8, 9], "repeated keys count once", r)
    r = m.load('{"map":{"bytes_key":4,"bytes_value":4}}\n', "--replace", "--dry-run")
    ok(r.status == 0 and r.json["deleted"] == 3, "a description without elements", r)
    w.run("map", "freeze", "pinned", m.path)
    for words in (["--dry-run"], []):
        r = m.load(rows([1]), "--replace", *words)
        ok(r.status == 4 and "is frozen" in r.json["error"] and m.keys() == [7, 8, 9], "a frozen map " + " ".join(words), r)
    sockets = w.one("map", "ty_sockmap") or w.one("map", "sockmap")
    if sockets:
        r = w.run("map", "import", "id", sockets["id"], "--replace", input=b"[]")
        ok(r.status == 1 and "its values are descriptors" in r.errors, "a map with values that are descriptors", r)
    hom, inner = w.one("map", "ty_hom"), w.one("map", "inner_one")
    before = w.run("map", "export", "id", hom["id"]).text
    text = '{"key":5,"value":{"id":%d}}\n{"key":6,"value":{"id":4000000000}}\n' % inner["id"]
    r = w.run("map", "import", "id", hom["id"], "--replace", input=text.encode())
    ok(r.status == 3 and "unchanged" in r.errors and w.run("map", "export", "id", hom["id"]).text == before, "an object that does not exist", r)
    r = w.run("map", "import", "id", hom["id"], "--replace", input=text.splitlines()[0].encode())
    now = w.run("-j", "map", "export", "id", hom["id"])
    ok(r.status == 0 and [e["value"] for e in now.json[1:]] == [{"id": inner["id"]}], "an object that exists", now)
    w.run("map", "import", "id", hom["id"], "--replace", input=before.encode())


def replace_interrupted(w):
    """After a signal at any moment, the map is unchanged or completely replaced."""
    n = 50000
    m = Map(w, "im_signals", "hash", 4, 4, n)
    old, new = ("".join('{"key":%d,"value":1}\n' % k for k in range(a, a + n)) for a in (0, n))
    files = [w.dir + "/old", w.dir + "/new"]
    for path, text in zip(files, (old, new)):
        with open(path, "w") as f:
            f.write(text)
    ok(m.load(old).json["written"] == n, "a full map")
    last, ends = 0, set()
    for i in range(24):
        p = subprocess.Popen([w.lens, "map", "import", "pinned", m.path, "file", files[1 - last], "--replace"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        at_random(0.1)
        p.send_signal(signal.SIGINT if i % 2 else signal.SIGTERM)
        ends.add(p.wait())
        keys = [int.from_bytes(bytes(int(b, 16) for b in e["key"]), "little") for e in w.run("-j", "map", "export", "pinned", m.path).json[1:]]
        whole = len(keys) == n and (max(keys) < n or min(keys) >= n)
        if not ok(whole, "old or new after signal %d, status %d" % (i, p.returncode), (len(keys), min(keys, default=0), max(keys, default=0))):
            return
        last = int(min(keys) >= n)


def replace_prefixes(w):
    path = w.pins + "/im_lpm"
    w.run("map", "create", path, "type", "lpm_trie", "key", 8, "value", 4, "entries", 8, "name", "im_lpm", "flags", 1)
    for prefix in ("10.0.0.0/8", "10.1.0.0/16", "192.168.1.0/25"):
        w.run("map", "update", "pinned", path, "key", prefix, "value", 1)
    key = ["0x08", "0x00", "0x00", "0x00", "0x0a", "0x09", "0x09", "0x09"]  # 10.9.9.9/8
    words = saved(w, json.dumps({"key": key, "value": 2}) + "\n")
    r = w.run("-j", "map", "import", "pinned", path, *words, "--dry-run")
    ok(r.status == 0 and r.json["deleted"] == 2, "the same prefix, written differently", r)
    r = w.run("-j", "map", "import", "pinned", path, *words)
    dump = w.run("-j", "map", "dump", "pinned", path)
    ok(r.status == 0 and r.json["deleted"] == 2 and [e["value"][0] for e in dump.json] == ["0x02"], "a trie", dump)


with World() as world:
    world.make()
    dry(world, failures(world))
    batches(world)
    queues(world)
    objects(world)
    replace(world)
    replace_refused(world)
    replace_interrupted(world)
    replace_prefixes(world)
finish()
