#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Contents of an arena: its allocated pages only, values of a type; reading allocates no page, and an archive has the
same contents."""
import ctypes
import errno
import mmap
import os
import struct
import sys
import tempfile
import time

from arenas import arena_create, node_program
from world import BPFLENS, Run, finish, isolate, ok, sanitized, skip

isolate()
PAGE = mmap.PAGESIZE


def arena(pages, name):
    """Create an arena; return its descriptor and id."""
    fd = arena_create(pages, name)
    if fd < 0:
        skip("arenas cannot be created here: " + errno.errorcode.get(-fd, str(fd)))
        sys.exit(77)
    text = open("/proc/self/fdinfo/%d" % fd).read()
    return fd, text[text.index("map_id:"):].split()[1]


def lens(*args):
    return Run([BPFLENS] + list(args))


def pages(map_id):
    r = lens("-j", "map", "dump", "id", map_id)
    return r.json if ok(r.status == 0, "arena %s as JSON" % map_id, r) else []


def readable(map_id):
    """An arena without pages, and skip the rest if pages cannot be read here."""
    r = lens("map", "dump", "id", map_id)
    if r.status == 1 and "cannot read the arena" in r.errors:
        skip("the kernel's memory cannot be read here: " + r.errors.strip())
        sys.exit(77)
    ok(r.status == 0 and r.text == "Found 0 pages of 64\n", "an arena that is not mapped", r)


def bytes_of(map_id, memory):
    found = pages(map_id)
    ok([p["page"] for p in found] == [2, 5, 63] and all(len(p) == 4 for p in found), "three pages are listed", found)
    ok(all(bytes(int(b, 16) for b in p["data"]) == memory[p["offset"]:p["offset"] + PAGE] and p["offset"] == p["page"] * PAGE
           for p in found), "with the written values")
    base = {p["address"] - p["offset"] for p in found}
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    ok(base == {address}, "at the right address", (base, address))
    r = lens("map", "dump", "id", map_id)
    head = "page 2  offset 0x%x  address 0x%x\n" % (2 * PAGE, address + 2 * PAGE)
    first = "%08x  68 65 6c 6c 6f 00 00 00  00 00 00 00 00 00 00 00  |hello...........|\n" % (2 * PAGE)
    ok(r.text.startswith(head + first) and r.text.endswith("\nFound 3 pages of 64\n"), "plain", r)
    ok(r.text.count("\n*\n") == 4 and len(r.text.splitlines()) < 30, "repeated lines are left out", r)
    r = lens("--ndjson", "map", "dump", "id", map_id)
    ok(r.text.count("\n") == 3 and r.text.startswith('{"page":2,'), "a line per page", r)
    ok(pages(map_id) == found, "reading allocates no page")
    return address


def typed(map_id, address):
    want = {"number": 7, "next": 0x12345678}
    for at in (str(5 * PAGE + 100), "0x%x" % (address + 5 * PAGE + 100)):
        r = lens("-j", "map", "dump", "id", map_id, "type", "lens_node", "at", at)
        ok(r.status == 0 and r.json["formatted"] == want and r.json["offset"] == 5 * PAGE + 100 and len(r.json["data"]) == 8,
           "a value at %s" % at, r)
    r = lens("map", "dump", "id", map_id, "type", "lens_node", "at", str(5 * PAGE + 100))
    ok(r.status == 0 and "".join(r.text.split()) == '{"number":7,"next":305419896}', "plain", r)
    for at, status, words in ((str(PAGE), 3, "no page at offset"), (str(6 * PAGE - 4), 3, "for all of the value"),
                              (str(64 * PAGE), 3, "is not in the arena"), (str(64 * PAGE - 4), 3, "do not fit"),
                              ("here", 2, "neither an address")):
        r = lens("map", "dump", "id", map_id, "type", "lens_node", "at", at)
        ok(r.status == status and words in r.errors and not r.text, "at %s: %s" % (at, words), r)
    for args, words in ((["at", "0"], "'type'"), (["type", "no_such_type"], "no program that uses"), (["--limit", "1"], "no elements")):
        r = lens("map", "dump", "id", map_id, *args)
        ok(r.status and words in r.errors and not r.text, "%s: %s" % (" ".join(args), words), r)


def saved(map_id):
    live = [lens("map", "dump", "id", map_id), lens("map", "dump", "id", map_id, "type", "lens_node", "at", str(5 * PAGE + 100))]
    with tempfile.TemporaryDirectory() as d:
        lens("save", d + "/a.tar.gz", "--map-data")
        again = [lens("--from", d + "/a.tar.gz", *r.argv[1:]) for r in live]
        ok([r.out for r in again] == [r.out for r in live] and live[0].out, "the same from an archive", again[0])
        lens("save", d + "/b.tar.gz")
        r = lens("--from", d + "/b.tar.gz", "map", "dump", "id", map_id)
        ok(r.status == 1 and "contents were not saved" in r.errors, "an archive without contents", r)


def sparse():
    fd, map_id = arena(1 << 20, b"lens_sparse")
    memory = mmap.mmap(fd, PAGE << 20)
    memory[(PAGE << 20) - 1] = 1
    memory[12345 * PAGE] = 2
    begin = time.monotonic()
    r = lens("map", "dump", "id", map_id)
    ok(r.text.endswith("Found 2 pages of 1048576\n") and "page 12345 " in r.text and "page 1048575 " in r.text, "two pages far apart", r)
    ok(time.monotonic() - begin < (60 if sanitized() else 20), "found quickly")
    memory.close()
    os.close(fd)


small, small_id = arena(64, b"lens_arena")
readable(small_id)
mapped = mmap.mmap(small, 64 * PAGE)
mapped[2 * PAGE:2 * PAGE + 5] = b"hello"
mapped[5 * PAGE + 100:5 * PAGE + 108] = struct.pack("=II", 7, 0x12345678)
mapped[64 * PAGE - 1] = 0xff
where = bytes_of(small_id, mapped)
program = node_program(small, b"lens_node")
if program < 0:
    skip("programs with an arena cannot be loaded here: " + errno.errorcode.get(-program, str(program)))
else:
    typed(small_id, where)
    saved(small_id)
sparse()
finish()
