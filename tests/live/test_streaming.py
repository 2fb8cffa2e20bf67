#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The memory of a dump, a table and an export does not grow with the map: it is the same for five times as many elements."""
from world import BUILD, Run, World, finish, isolate, ok, skip

isolate()
FEW, MANY = 100000, 500000	# both are more than is read at once
LIMIT = 1024			# KiB; 400,000 more elements would be more than 4 MiB


def peak(w, *args):
    """Peak memory of a command that succeeds, in KiB."""
    _, kilobytes, status = Run([BUILD + "/bench/measure", w.lens, "--no-load"] + list(args)).text.split()
    return int(kilobytes) if status == "0" else None


def maps(w):
    paths = []
    for name, entries in (("st_few", FEW), ("st_many", MANY)):
        paths.append(w.pins + "/" + name)
        r = w.run("map", "create", paths[-1], "type", "array", "key_type", "int", "value_type", "int", "entries", entries, "name", name)
        if not ok(r.status == 0, "an array of %d elements" % entries, r):
            return None
    return paths


def grown(w, paths, words):
    few, many = [peak(w, *[path if word == "MAP" else word for word in words]) for path in paths]
    return (few is not None and many is not None and many - few), (few, many)


with World() as w:
    with open(w.lens, "rb") as program:
        sanitized = b"__asan_init" in program.read()
    paths = None if sanitized else maps(w)
    if sanitized:
        skip("memory: the sanitizers keep freed memory")
    for words in ("map dump pinned MAP", "-j map dump pinned MAP", "--ndjson map dump pinned MAP", "map dump pinned MAP -o key,value",
                  "-j map dump pinned MAP -o key,value", "map export pinned MAP", "map dump pinned MAP -Q value",
                  "map dump pinned MAP --sort -key --limit 3"):
        if paths:
            more, seen = grown(w, paths, words.split())
            ok(more is not False and more < LIMIT, "constant memory: " + words, seen)
    if paths:
        more, seen = grown(w, paths, "map dump pinned MAP --sort key -o key".split())
        ok(more is not False and more >= LIMIT, "sorting keeps all elements: the test notices memory that grows", seen)
finish()
