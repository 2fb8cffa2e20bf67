#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Export, import, export: more than 100,000 values of every kind of BTF in every type of map that accepts values from user space.
The second map has the same bytes, read without bpflens, and its export has the same text (hashes: the same lines, because each
has its own order). Some use dumps instead: the output of bpftool can also be imported."""
import shutil
import subprocess

from world import BUILD, World, finish, isolate, ok, skip

isolate()
DUMPS = {"int_5": [], "int_4": ["-p"], "type_14": ["-p"], "percpu_hash": ["-j"], "no_types": ["-j"], "array_of_maps": ["-j"]}
ORDERED = ("array", "percpu_array", "array_of_maps", "prog_array", "lpm_trie", "global_data")


def lines(path):
    with open(path, "rb") as f:
        text = f.read()
    head, rest = text.split(b"\n", 1)
    return head, rest, sorted(rest.split(b"\n"))


def round_trip(w, name, first, second):
    """Return how many elements were written by type and as bytes."""
    one, two = w.dir + "/one", w.dir + "/two"
    r = w.run("map", "export", "id", first, "file", one)
    if not ok(r.status == 0 and not r.out, "export " + name, r):
        return 0, 0
    if name in DUMPS:
        # With floating point the output of bpftool is not valid.
        tool = name != "percpu_hash" and shutil.which("bpftool") or w.lens
        with open(w.dir + "/dump", "wb") as f:
            subprocess.run([tool] + DUMPS[name] + ["map", "dump", "id", first], stdout=f)
        r = w.run("map", "import", "id", second, "file", w.dir + "/dump")
    else:
        r = w.run("map", "import", "id", second, "file", one)
    ok(r.status == 0 and r.text.startswith("wrote ") and "failed" not in r.text, "import " + name, r)
    w.run("map", "export", "id", second, "file", two)
    a, b = lines(one), lines(two)
    ok(a[0] == b[0] and (a[1] == b[1] if name in ORDERED else a[2] == b[2]), "the same text: " + name, "%s\n%s" % (a[0], b[0]))
    elements = a[1].count(b"\n")
    ok(r.text == "wrote %d element%s\n" % (elements, "" if elements == 1 else "s"), "all elements: " + name, r)
    as_bytes = sum(1 for line in a[2] if b'"value":["0x' in line or b'"values":[["0x' in line)
    return elements - as_bytes, as_bytes


with World() as w:
    helper = subprocess.Popen([BUILD + "/tests/live/roundtrip"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, universal_newlines=True)
    pairs, values, typed, as_bytes = [], 0, 0, 0
    for line in helper.stdout:
        word = line.split()
        if word[0] == "ready":
            break
        if word[0] == "skip":
            skip(line[5:].strip())
            continue
        pairs.append(word[1:4])
        values += int(word[4])
    for pair in pairs:
        t, b = round_trip(w, *pair)
        typed, as_bytes = typed + t, as_bytes + b
    helper.stdin.write("compare\n")
    helper.stdin.flush()
    same = 0
    for line in helper.stdout:
        if line == "done\n":
            break
        same += ok(line.startswith("same "), "bytes: " + line.strip())
    ok(same == len(pairs) and (values >= 100000 or len(pairs) < 40), "%d values, %d elements typed and %d as bytes" %
       (values, typed, as_bytes))
    ok(typed > as_bytes, "most are typed")
    helper.stdin.close()
    helper.wait()
finish()
