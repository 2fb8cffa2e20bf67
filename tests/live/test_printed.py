#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every value that a dump prints is accepted by update and lookup: cells of tables and values of -j, of random typed
elements, with each format that fits their size. The element written has the same text, and the same bytes if the text defines them."""
import json
import os
import random

from world import BUILD, Run, World, finish, isolate, ok, skip

isolate()
COUNT = 20
SIZES = {"ip": (4, 16), "mac": (6,), "be16": (2,), "be32": (4,), "be64": (8,), "le16": (2,), "le32": (4,), "le64": (8,), "ktime": (8,),
         "ksym": (8,), "cgroup": (8,), "ifindex": (4,), "str": (1, 2, 4, 6, 8, 16, 20), "hex": (1, 2, 4, 6, 8, 16, 20)}
EXACT = ("", "ip", "mac", "be16", "be32", "be64", "le16", "le32", "le64", "hex")  # formats whose text defines all bytes
# Types of the kernel: numbers, enums, bit-fields, arrays, nested structs, addresses.
TYPES = {"bool": 1, "char": 1, "__s8": 1, "u8": 1, "u16": 2, "__s32": 4, "u64": 8, "s64": 8, "__be16": 2, "__be32": 4, "enum bpf_map_type": 4,
         "struct in_addr": 4, "struct in6_addr": 16, "struct iphdr": 20, "struct udphdr": 8}
# Types of an object file: with padding, and numbers of which many bytes are "nan"; the key of an LPM trie, with a length up to 32.
FILE, FROM_FILE = BUILD + "/tests/live/maps.bpf.o", {"struct with_float": 24, "struct lpm_key": 8}
MANY_BYTES = ("bool", "struct with_float")
MEMORY = ("__be16", "__be32")  # -j prints them as in memory, as --exact reads them
WORDS = (b"hex", b"h", b"key", b"value", b"any", b"a=1", b"[", b"{}", b"1", b"0x10", b"null", b"true", b"-", b"-1", b"a b", b"'", b'"', b"\\x41", b"")


def bytes_of(rnd, kind, size):
    """Values that are often special, and random ones."""
    if kind == "struct lpm_key":
        return [bytes([n % 33, 0, 0, 0]) + rnd.randbytes(4) for n in range(COUNT)]
    some = [bytes(size), b"\xff" * size, (1).to_bytes(size, "little"), (1).to_bytes(size, "big")]
    some += [x.ljust(size, b"\0") for x in WORDS if len(x) <= size]
    some += [rnd.randbytes(size).replace(b"'", b"_") for _ in range(COUNT - len(some) if len(some) < COUNT else 8)]
    some += [rnd.randrange(100).to_bytes(size, "little") for _ in range(4)]
    return some


def quoted(word):
    """As batch reads a word, which has no escapes."""
    return '"%s"' % word if "'" in word else "'%s'" % word


def create(w, name, key, value, entries=64):
    path = "%s/%s" % (w.pins, name)
    trie, types = key == "struct lpm_key", ["from", "file", FILE] if key in FROM_FILE or value in FROM_FILE else []
    r = w.run("map", "create", path, "type", "lpm_trie" if trie else "hash", "key_type", key, "value_type", value, "entries", entries, "name", name,
              "flags", "no_prealloc", *types)
    return path if r.status == 0 else skip("no map of %s, %s: %s" % (key, value, r.errors.strip()))


def batch(w, lines):
    return Run([w.lens, "batch", "file", "-"], input="".join(x + "\n" for x in lines).encode())


def dump(w, path):
    return {tuple(e["key"]): tuple(e["value"]) for e in w.run("-j", "map", "dump", "pinned", path).json}


def cells(w, path, part, form):
    """What a table prints of the key or value: by the other one, which is a number."""
    other = "value" if part == "key" else "key"
    r = w.run("map", "dump", "pinned", path, "-o", "%s,%s" % (other, part), "--noheadings", *form)
    ret = {}
    for line in r.out.decode().split("\n")[:-1]:
        number, _, cell = line.lstrip(" ").partition(" ")
        ret[int(number)] = cell.lstrip(" ") if cell.strip(" ").lstrip("-").isdigit() else cell[1:]  # numbers are on the right
    return ret


def documents(w, path, part, form):
    """What -j prints of it, as JSON and, if it is text, the text alone."""
    other = "value" if part == "key" else "key"
    values = {e["formatted"][other]: e["formatted"][part] for e in w.run("-j", "map", "dump", "pinned", path, *form).json}
    texts = {n: x if isinstance(x, str) else json.dumps(x) for n, x in values.items()}
    # a line of a batch; an option begins with -
    alone = {n: x for n, x in texts.items() if "\n" not in x and (x[:1] != "-" or x[1:].isdigit())}
    return {n: json.dumps(x).replace("'", "\\u0027") for n, x in values.items()}, alone


def feed(w, what, part, paths, words, form, exact):
    """Write the words to the other map: it prints the same."""
    line = "map update pinned %s key %s value %s " + " ".join(form)
    bad = []
    if part == "key":  # one element for each text
        words = {n: x for x, n in {x: n for n, x in words.items()}.items()}
    r = batch(w, [line % ((paths[1],) + ((quoted(x), n) if part == "key" else (n, quoted(x)))) for n, x in words.items()])
    one, two = ({n: x for n, x in cells(w, p, part, form).items() if n in words} for p in paths)
    if r.status or one != two:
        bad = ["%d: %r is printed again as %r" % (n, one[n], two.get(n)) for n in one if one[n] != two.get(n)]
    if not bad and exact and dump(w, paths[0]) != dump(w, paths[1]):
        bad = ["other bytes"]
    ok(not bad and r.status == 0, what, "\n".join(bad[:6] + [r.errors[:600]]))
    if part == "key":
        r = batch(w, ["map lookup pinned %s key %s %s" % (paths[0], quoted(x), " ".join(form)) for x in words.values()]) if exact else r
        ok(r.status == 0, what + ": lookup", r)
    w.run("map", "import", "pinned", paths[1], "--replace", input=b"[]")


def typed(w, rnd, kind, size, part):
    number = "__u32"
    types = (kind, number) if part == "key" else (number, kind)
    paths = [create(w, "%s_%s%d" % (part, "".join(c for c in kind if c.isalnum())[:8], n), *types) for n in (1, 2)]
    if not all(paths):
        return 0
    values = list({x.split(b"\0")[0] or x[-1:]: x for x in bytes_of(rnd, kind, size)}.values())  # each has its own text as str
    words = ["map update pinned %s %s hex %s %s %d" % (paths[0], part, x.hex(" "), "value" if part == "key" else "key", i)
             for i, x in enumerate(values)]
    r = batch(w, words)
    if not ok(r.status == 0, "elements of " + kind, r):
        return 0
    runs = 0
    for word in [""] + [f for f in SIZES if size in SIZES[f]]:
        form = ["--format", "%s=%s" % (part, word)] if word else []
        if word and w.run("map", "dump", "pinned", paths[0], *form).status:
            continue    # a struct has no format of its own
        name = "%s of %s%s" % (part, kind, " as " + word if word else "")
        exact = word in EXACT and (word or kind not in MANY_BYTES)
        quotes, texts = documents(w, paths[0], part, form)
        feed(w, name + ": cells of a table", part, paths, cells(w, paths[0], part, form), form, exact)
        form += ["--exact"] if kind in MEMORY and not word else []
        feed(w, name + ": values of -j", part, paths, quotes, form, exact)
        feed(w, name + ": texts of -j", part, paths, texts, form, exact)
        runs += 1
    for p in paths:
        os.unlink(p)
    return runs


def percpu(w, rnd):
    """-j prints the values of an element in the form that update accepts."""
    paths = []
    for name in ("percpu1", "percpu2"):
        paths.append("%s/%s" % (w.pins, name))
        r = w.run("map", "create", paths[-1], "type", "percpu_hash", "key_type", "__u32", "value_type", "s64", "entries", 64, "name", name)
        if r.status:
            skip("no per-CPU map: " + r.errors.strip())
            return
    batch(w, ["map update pinned %s key %d value %d" % (paths[0], n, n) for n in range(8)])
    cpus = len(w.run("-j", "map", "dump", "pinned", paths[0]).json[0]["values"])
    r = batch(w, ["map update pinned %s key %d value '%s'" % (paths[0], n, json.dumps([rnd.randrange(-2**63, 2**63) for _ in range(cpus)])) for n in range(8)])
    ok(r.status == 0, "a list of values for the CPUs", r)
    printed = w.run("-j", "map", "dump", "pinned", paths[0]).json
    r = batch(w, ["map update pinned %s key %d value '%s'" % (paths[1], e["formatted"]["key"], json.dumps(e["formatted"]["values"])) for e in printed])
    ok(r.status == 0 and sorted(w.run("-j", "map", "dump", "pinned", paths[1]).json, key=str) == sorted(printed, key=str), "values of all CPUs, as -j prints them", r)


with World() as world:
    random_numbers = random.Random(13)
    done = sum(typed(world, random_numbers, kind, size, part) for kind, size in {**TYPES, **FROM_FILE}.items() for part in ("value", "key")
               if (kind, part) != ("struct lpm_key", "value"))
    percpu(world, random_numbers)
    if not done:
        skip("maps with types of the kernel cannot be created")
    else:
        ok(done > 65, "%d types and formats" % done)
finish()
