#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compared with pahole(1) on the running kernel's BTF: every struct and union that pahole prints has the same members at the same
offsets, of the same sizes, with the same holes, paddings and sums."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, "live"), os.path.join(TESTS, "tools")]
import mkarchives  # noqa: E402
from world import finish, ok, skip  # noqa: E402

VMLINUX = "/sys/kernel/btf/vmlinux"
BPFLENS = os.environ["BPFLENS"]
if not shutil.which("pahole"):
    skip("pahole is not installed")
    sys.exit(77)
if not os.access(VMLINUX, os.R_OK):
    skip("this kernel does not show its BTF")
    sys.exit(77)

PLACE = re.compile(r"/\* +(\d+)(?:: *(\d+))? +(\d+) \*/$")
HOLE = re.compile(r"/\* XXX (\d+) (bit|byte)s? hole")
INNER = re.compile(r"/\* XXX last struct has (?:.*, )?(\d+) bytes? of padding")
SUMS = {
    "size": r"/\* size: (\d+)", "cachelines": r"cachelines: (\d+)", "members": r"cachelines: \d+, members: (\d+)",
    "holes": r"/\* sum members: \d+, holes: (\d+)", "sum_holes": r"(?<!bit)(?<!forced) sum holes: (\d+)",
    "bit_holes": r"bit holes: (\d+)", "sum_bit_holes": r"sum bit holes: (\d+)", "padding": r"/\* padding: (\d+)",
    "bit_padding": r"/\* bit_padding: (\d+)", "paddings": r"/\* paddings: (\d+)", "sum_paddings": r"sum paddings: (\d+)",
}


def name_of(text):
    """The name in a declaration: "void (*fn)(int)", "char cb[48]", "u8 x:1"; or after a brace: "} u", "}"."""
    text = re.sub(r"__attribute__\(\([^)]*\)*\)", "", text).rstrip(" ;")
    if text.startswith("}"):
        m = re.match(r"\} *(?:\( ?\*)? *\** *(\w*)", text)
        return m.group(1)
    m = re.search(r"\( ?\*+ *(?:const |volatile )?(\w*)", text)
    if m:
        return m.group(1)
    m = re.search(r"[ *](\w+)$", re.sub(r":\d+$", "", re.sub(r"(\[\d*\])+$", "", text)).rstrip())
    return m.group(1) if m else ""


def pahole_types(text):
    """[(kind, name, sums, members)]; a member: [depth, name, offset, size, bit offset or None, hole, bit hole, padding]."""
    types, head = [], None
    for line in text.splitlines():
        bare = line.strip()
        if head is None:
            m = re.match(r"(struct|union) (\w+) \{$", line)
            if m:
                head, members, opened, hole, comments, in_enum = m.groups(), [], [], [0, 0], [], False
            continue
        place = PLACE.search(bare)
        if line.startswith("}"):
            joined = "\n".join(comments)
            found = {k: re.search(e, joined) for k, e in SUMS.items()}
            types.append((head[0], head[1], {k: int(m.group(1)) if m else 0 for k, m in found.items()}, members))
            head = None
        elif HOLE.match(bare):
            m = HOLE.match(bare)
            hole[m.group(2) == "bit"] = int(m.group(1))
        elif INNER.match(bare):
            last[7] = int(INNER.match(bare).group(1))
        elif re.match(r"(const |volatile )*(struct|union) \{$", bare):
            opened.append([len(opened), None, 0, 0, None, hole[0], hole[1], 0])
            members.append(opened[-1])
            hole = [0, 0]
        elif re.match(r"enum \{$", bare):
            in_enum = True
        elif place and (in_enum or not bare.startswith("}")):
            last = [len(opened), "", 0, 0, None, hole[0], hole[1], 0]
            members.append(last)
            hole, in_enum = [0, 0], False
        elif place:
            last = opened.pop()
            # pahole also shows the type that a pointer points to; bpflens does not, because its members are elsewhere.
            if re.match(r"\} *\*", bare):
                del members[[m is last for m in members].index(True) + 1:]
        elif line.startswith("\t/*") and not bare.startswith("/* ---"):
            if not bare.startswith("/* member types with"):  # newer pahole also counts the holes inside members
                comments.append(bare)
        if place and head:
            last[1:5] = [name_of(bare[:place.start()].strip()), int(place.group(1)), int(place.group(3)),
                         int(place.group(2)) if place.group(2) else None]
    return types


def run(*args, **kw):
    return subprocess.run([BPFLENS] + list(args), stdout=subprocess.PIPE, universal_newlines=True, check=True, **kw).stdout


def our_types():
    """The same from bpflens, by (kind, name); types of the same name are a list. One batch on an archive reads the types once."""
    with tempfile.TemporaryDirectory() as tmp:
        archive = os.path.join(tmp, "btf.tar")
        with open(VMLINUX, "rb") as f:
            data = f.read()
        with open(archive, "wb") as f:
            f.write(mkarchives.archive([("btf/ids", mkarchives.u32(1)), ("btf/1/name", "vmlinux"), ("btf/1/data", data),
                                        ("btf/1/info", mkarchives.btf_info(1, len(data), 1, 8))], gz=False))
        listed = json.loads(run("--from", archive, "-j", "btf", "sizes"))
        lines = "".join("btf layout %d\n" % t["id"] for t in listed)
        answers = json.loads(run("--from", archive, "-j", "batch", "file", "-", input=lines))
    types = {}
    for named, a in zip(listed, answers):
        t = a["output"]
        if t["id"] != named["id"]:
            continue  # pahole does not print what only a typedef names
        for m in t["layout"]:
            # pahole ignores the padding of a struct behind a typedef or const.
            if m["padding"] and not m["depth"] and not m["type"].startswith("struct "):
                t["paddings"] -= 1
                t["sum_paddings"] -= m["padding"]
                m["padding"] = 0
        members = [[m["depth"], m["name"], m["offset"], m["size"], m.get("bit_offset", 0) if m.get("bits") else None,
                    m["hole"], m["bit_hole"], m["padding"]] for m in t["layout"]]
        types.setdefault((t["kind"], t["name"]), []).append(({k: t["nr_members" if k == "members" else k] for k in SUMS}, members))
    return types


SUM_LINE = re.compile(r"^\t/\* sum .*", re.M)


def sum_lines(text):
    """{(kind, name): [the lines of its sums, once for each type of that name]}, from the output of either program."""
    types = {}
    for m in re.finditer(r"^(struct|union) (\w+) \{\n(.*?)^\}", text, re.M | re.S):
        types.setdefault(m.groups()[:2], []).append(SUM_LINE.findall(m.group(3)))
    return types


def same(kind, theirs, ours):
    """"" or what differs. pahole sums up structs only."""
    sums = [(k, v, ours[0][k]) for k, v in theirs[0].items() if kind == "struct" and v != ours[0][k]]
    if sums:
        return "; ".join("%s: pahole %s, ours %s" % d for d in sums)
    for a, b in zip(theirs[1], ours[1]):
        # It prints the padding of a member's type only in the sum.
        if a != b and (a[:7] != b[:7] or (kind == "struct" and a[0] == 0)):
            return "pahole %s\n    ours   %s" % (a, b)
    return "" if len(theirs[1]) == len(ours[1]) else "pahole lists %d members, we %d" % (len(theirs[1]), len(ours[1]))


text = subprocess.run(["pahole", "-F", "btf", VMLINUX], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                      universal_newlines=True).stdout
theirs, ours = pahole_types(text), our_types()
wrong, seen = [], set()
for kind, name, sums, members in theirs:
    seen.add((kind, name))
    candidates = ours.get((kind, name), [])
    why = [same(kind, (sums, members), c) for c in candidates]
    if not candidates:
        wrong.append("%s %s: missing" % (kind, name))
    elif all(why):
        wrong.append("%s %s: %s" % (kind, name, why[0]))
ok(len(theirs) > 1000, "pahole printed the types", len(theirs))
ok(not wrong, "%d structs and unions are the same as in pahole" % len(theirs), "%d differ\n%s" % (len(wrong), "\n".join(wrong)))
holes = sorted({k[1] for k, found in ours.items() for t, members in found
                if k[0] == "struct" and k[1] and not t["holes"] != (not t["bit_holes"])})
our_lines = sum_lines(run("batch", "file", "-", input="".join("btf layout 'struct %s'\n" % name for name in holes)))
their_lines = sum_lines(text)
wrong = ["struct %s: pahole %s, ours %s" % (name, their_lines[k], our_lines[k]) for name in holes
         for k in [("struct", name)] if k in their_lines and not all(t in our_lines.get(k, []) for t in their_lines[k])]
ok(holes and not wrong, "%d structs with holes of bytes or bits have the same sums as in pahole" % len(holes), "\n".join(wrong))
missing = [k for k in ours if k[0] == "struct" and k[1] and k not in seen]
ok(not missing, "no struct is missing in pahole", missing[:20])
finish()
