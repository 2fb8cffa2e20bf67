#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Maps that are created with types: of the kernel, of a file, of a program; elements written and read by type, sizes from the
types, local storage, which requires types, and types that cannot be read."""
import json
import select
import signal
import subprocess

from world import BUILD, World, finish, isolate, ok, skip

isolate()


def create(w, name, *words):
    return w.run("map", "create", w.pins + "/" + name, *words, "name", name)


def made(w, name, *words):
    r = create(w, name, *words)
    if not ok(r.status == 0, "create " + name, r):
        return {}
    return w.run("-j", "map", "show", "pinned", w.pins + "/" + name).json


def typed(w):
    m = made(w, "cr_kernel", "type", "hash", "key_type", "u32", "value_type", "struct timespec64", "entries", 8)
    ok((m.get("bytes_key"), m.get("bytes_value"), m.get("value_type")) == (4, 16, "struct timespec64"), "the kernel's types", m)
    path = w.pins + "/cr_kernel"
    r = w.run("map", "update", "pinned", path, "key", 7, "value", '{"tv_sec":5,"tv_nsec":-1}')
    dump = w.run("-j", "map", "dump", "pinned", path)
    ok(r.status == 0 and dump.json[0]["formatted"] == {"key": 7, "value": {"tv_sec": 5, "tv_nsec": -1}}, "by type", dump)
    file = BUILD + "/tests/live/maps.bpf.o"
    m = made(w, "cr_file", "type", "array", "key_type", "int", "value_type", "struct value", "entries", 1, "from", "file", file)
    ok(m.get("value_type") == "struct value" and m.get("key_type") == "int", "a file's types", m)
    mine = w.one("map", "ty_struct")
    theirs = w.run("-j", "map", "show", "id", mine["id"]).json
    m = made(w, "cr_map", "type", "hash", "key_type", theirs["key_type"], "value_type", theirs["value_type"], "entries", 3,
             "from", "map", "id", mine["id"])
    ok(all(m.get(k) == theirs[k] for k in ("key_type", "value_type", "bytes_key", "bytes_value")), "another map's types", m)
    a = w.run("map", "export", "id", mine["id"])
    r = w.run("map", "import", "pinned", w.pins + "/cr_map", input=a.out)
    b = w.run("map", "export", "pinned", w.pins + "/cr_map")
    ok(r.status == 0 and sorted(a.text.splitlines()[1:]) == sorted(b.text.splitlines()[1:]), "and its elements, by type", b)
    if not w.one("map", "ty_task"):
        skip("task storage cannot be created here")
        return
    m = made(w, "cr_task", "type", "task_storage", "key_type", "int", "value_type", "u64", "entries", 0, "flags", 1)
    ok(m.get("type") == "task_storage", "local storage", m)


def assumed(w):
    """A map without types, as an older loader makes it: they come from its object, or are named."""
    m = made(w, "conns", "type", "hash", "key", 8, "value", 16, "entries", 8)
    path, file = ["pinned", w.pins + "/conns"], ["from", "file", BUILD + "/tests/live/untyped.bpf.o"]
    key = "7f 00 00 01 01 bb 06 00".split()
    r = w.run("map", "update", *path, "key", "hex", *key, "value", "hex", "0a", *["00"] * 15)
    want = {"key": {"addr": 0x0100007f, "port": 0xbb01, "proto": 6, "pad": 0}, "value": {"packets": 10, "bytes": 0}}
    dump = w.run("-j", "map", "dump", *path, *file)
    ok(r.status == 0 and "key_type" not in m and dump.json and dump.json[0]["formatted"] == want, "types of the object's markers", dump)
    r = w.run("-j", "map", "lookup", *path, *file, "key", '{"addr":16777343,"port":47873,"proto":6,"pad":0}')
    ok(r.status == 0 and r.json["formatted"] == want, "an element by them", r)
    r = w.run("-j", "map", "lookup", *path, "value_type", "struct traffic", *file, "key", "hex", *key)
    ok(r.status == 0 and r.json["formatted"]["value"] == want["value"], "the type of its value alone", r)
    r = w.run("map", "export", *path, *file)
    ok(json.loads(r.text.splitlines()[1]) == want, "exported by them", r)
    r = w.run("-j", "map", "dump", *path, "key_type", "u64", "value_type", "struct timespec64")
    ok(r.status == 0 and r.json[0]["formatted"]["value"] == {"tv_sec": 10, "tv_nsec": 0}, "types of the kernel", r)
    watch = subprocess.Popen([w.lens, "--ndjson", "map", "watch", *path, *file, "interval", "0.02"], stdout=subprocess.PIPE)
    for i in range(11, 211):
        w.run("map", "update", *path, "key", "hex", *key, "value", "hex", "%02x" % i, *["00"] * 15)
        if select.select([watch.stdout], [], [], 0.2)[0]:
            break
    change = json.loads(watch.stdout.readline())
    watch.send_signal(signal.SIGINT)
    watch.communicate()
    ok(change["key"] == want["key"] and [m["name"] for m in change["members"]] == ["value.packets"], "watched by them", change)


def refused(w):
    base = ["type", "hash", "entries", 1]
    for words, status, sentence in (
            (["key", 8, "key_type", "int", "value_type", "int"], 2, "a key of 8 bytes cannot be of type 'int', which has 4"),
            (["key_type", "int", "value_type", "nonsense_t"], 3, "no type 'nonsense_t'"),
            (["key", 4, "value", 4, "from", "file", "/bin/true"], 2, "name the types with key_type and value_type"),
            (["key", 4, "value_type", "int"], 2, "key_type is missing"),
            (["key_type", "int"], 2, "value_type is missing")):
        r = create(w, "cr_no", *base, *words)
        ok(r.status == status and sentence in r.errors, sentence, r)
        ok(w.run("map", "show", "pinned", w.pins + "/cr_no").status, "nothing is created", r)
    r = create(w, "cr_no", *base, "key_type", "u32", "value_type", "u64", "--dry-run")
    ok(r.status == 0 and w.run("map", "show", "pinned", w.pins + "/cr_no").status, "a dry run", r)
    words = ["type", "hash", "key", 4, "value", 4, "entries", 1, "name", "x"]
    r = create(w, "cr_no", "type", "hash", "key", 4, "value", 4)
    ok(r.status == 2 and "entries is missing" in r.errors, "no entries", r)
    r = create(w, "cr_no", "type", "ringbuf", "entries", 5000)
    ok(r.status == 1 and "a power of two" in r.errors, "an odd ring buffer", r)
    r = w.run("-j", "map", "create", w.pins + "/cr_no", *words, "--dry-run")
    ok(r.status == 0 and r.json == {"action": "would create", "kind": "map", "type": "hash", "name": words[words.index("name") + 1], "path": w.pins + "/cr_no", "dry_run": True},
       "a dry run as JSON", r)
    ok(w.run("map", "create", w.pins + "/cr_yes", *words).status == 0, "a path that exists")
    for path, status, sentence in ((w.pins + "/none/cr_no", 3, "there is no directory"), (w.dir + "/cr_no", 1, "not on a bpffs"),
                                   (w.pins + "/cr.no", 1, "must not contain a dot"), (w.pins + "/cr_yes", 1, "exists already")):
        both = [w.run("map", "create", path, *words, *more) for more in (["--dry-run"], [])]
        ok(all(r.status == status and sentence in r.errors for r in both) and both[0].errors == both[1].errors,
           "with and without --dry-run: " + sentence, both[0])


with World() as world:
    world.make()
    try:
        open("/sys/kernel/btf/vmlinux", "rb").close()
        typed(world)
        assumed(world)
        refused(world)
    except FileNotFoundError:
        skip("this kernel has no BTF")
finish()
