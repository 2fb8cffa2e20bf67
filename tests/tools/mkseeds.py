#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Seeds for tests/fuzz/commands.c from an archive: one file for each object and a command that reads it.
usage: mkseeds.py ARCHIVE DIRECTORY"""
import os
import re
import struct
import sys
import tarfile

LIMIT = 6000  # bytes of one answer: small inputs mutate better
VERBS = {"prog": (0, 4, 7, 9, 14), "map": (1, 5, 8), "link": (2, 6), "btf": (3,)}


def pack(which, form, answers):
    out = bytes([which, form])
    for key, data in answers:
        key = key.encode()
        out += bytes([len(key)]) + key + struct.pack("<H", len(data)) + data
    return out


def main():
    members, target = {}, sys.argv[2]
    with tarfile.open(sys.argv[1]) as t:
        for m in t:
            if m.isreg():
                members[m.name.replace("%2F", "/")] = t.extractfile(m).read()
    system = [(k, members[k][:200]) for k in ("sys/clock", "sys/cpus", "sys/ifaces") if k in members]
    os.makedirs(target, exist_ok=True)
    seen, btf_of = set(), {"prog": 128, "map": 64}
    for name in sorted(members):
        m = re.match(r"(prog|map|link|btf)/(\d+)/info$", name)
        if not m:
            continue
        kind, ident, info = m.group(1), m.group(2), members[name]
        sort = (kind, info[:4], kind == "map" and info[64:68] != bytes(4))
        if sort in seen:
            continue
        seen.add(sort)
        answers = [(kind + "/ids", struct.pack("<I", 1))]
        for key, data in members.items():
            if key.startswith("%s/%s/" % (kind, ident)) and len(data) <= LIMIT and not key.endswith(".errno"):
                answers.append(("%s/1/%s" % (kind, key.split("/", 2)[2]), data))
        if kind in btf_of and len(info) >= btf_of[kind] + 4:
            b = struct.unpack_from("<I", info, btf_of[kind])[0]
            for part in ("info", "data"):
                data = members.get("btf/%d/%s" % (b, part), b"")
                if data and len(data) <= 20000:
                    answers.append(("btf/%d/%s" % (b, part), data))
        for verb in VERBS[kind]:
            with open("%s/%s-%s-%d" % (target, kind, ident, verb), "wb") as f:
                f.write(pack(verb, verb & 1, answers + system))


main()
