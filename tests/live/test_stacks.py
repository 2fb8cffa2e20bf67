#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Stack traces that a program stored in maps: named, folded, counted, with build ids, and the same from an archive."""
import subprocess
import tempfile

from feed import Feed
from world import finish, isolate, ok, skip

isolate()


def build_ids():
    """Build ids of the libraries that make the system calls of this process."""
    text = subprocess.run("cat /proc/self/maps", shell=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    libc = next((line.split()[-1] for line in text.splitlines() if "libc" in line), "")
    notes = subprocess.run(["readelf", "-n", libc], stdout=subprocess.PIPE, universal_newlines=True).stdout
    return [line.split()[-1] for line in notes.splitlines() if "Build ID:" in line]


def stacks(f):
    kernel, counts, user = (f.maps[m] for m in ("feed_stacks", "feed_counts", "feed_build_ids"))
    for _ in range(3):
        f.run("stack")
    r = f.lens("-j", "map", "stacks", "id", kernel)
    frames = [x for s in r.json for x in s["frames"]]
    ok(r.status == 0 and len(r.json) >= 1 and all(s["count"] == 1 for s in r.json) and
       all(set(x) <= {"addr", "symbol", "module", "offset"} for x in frames), "stacks", r)
    named = [x.get("symbol", "") for x in frames]
    if any(named):
        ok(any(n.startswith("bpf_prog_") and n.endswith("_stack") for n in named) and any("sys_bpf" in n for n in named),
           "names of the kernel and of BPF programs", named)
    r = f.lens("map", "stacks", "id", kernel, "--counts", "id", counts, "--folded")
    ok(r.status == 0 and sum(int(line.split()[-1]) for line in r.text.splitlines()) == 3 and
       all(";" in line and " " not in line.rsplit(" ", 1)[0] for line in r.text.splitlines()), "folded, with counts", r)
    first = f.lens("map", "stacks", "id", kernel, "--counts", "id", counts)
    ok(first.status == 0 and first.text.startswith("stack ") and "\n\t" in first.text, "plain", first)
    r = f.lens("-j", "map", "stacks", "id", user)
    ids = {x.get("build_id") for s in r.json for x in s["frames"]}
    ok(r.status == 0 and (ids & set(build_ids()) or not build_ids()), "build ids", r)
    with tempfile.TemporaryDirectory() as d:
        f.lens("save", d + "/a.tar.gz", "--map-data")
        saved = f.lens("--from", d + "/a.tar.gz", "map", "stacks", "id", kernel, "--counts", "id", counts)
        ok(saved.status == 0 and saved.out == first.out, "the same from an archive", saved)
        f.lens("save", d + "/b.tar.gz")
        r = f.lens("--from", d + "/b.tar.gz", "map", "stacks", "id", kernel)
        ok(r.status == 1 and "contents were not saved" in r.errors, "an archive without contents", r)
    for words, sentence in (([counts], "it does not have stack traces"), ([kernel, "--counts", "id", kernel], "does not have counts")):
        r = f.lens("map", "stacks", "id", *words)
        ok(r.status == 1 and sentence in r.errors, sentence, r)


def packed(f):
    """Counts as in bpftrace, by stack id and process in 8 bytes without a type; the most frequent is first."""
    kernel = f.maps["feed_stacks"]
    number = f.lens("-j", "map", "stacks", "id", kernel).json[0]["id"]
    with tempfile.TemporaryDirectory() as d:
        if subprocess.run(["mount", "-t", "bpf", "bpf", d]).returncode:
            skip("cannot mount a bpffs here")
            return
        path = d + "/packed"
        f.lens("map", "create", path, "type", "hash", "key", 8, "value", 8, "entries", 8, "name", "packed")
        for process, count in ((1, 5), (2, 9), (3, 1), (4, 7)):
            f.lens("map", "update", "pinned", path, "key", *number.to_bytes(4, "little"), *process.to_bytes(4, "little"), "value", count)
        r = f.lens("-j", "map", "stacks", "id", kernel, "--counts", "pinned", path)
        ok(r.status == 0 and [(s["id"], s["count"]) for s in r.json] == [(number, n) for n in (9, 7, 5, 1)], "8-byte keys, by count", r)
        subprocess.run(["umount", "-l", d])


with Feed() as feed:
    if feed.run("perf", 0) == -524:
        skip("this kernel cannot run raw tracepoint programs for tests")
    else:
        stacks(feed)
        packed(feed)
finish()
