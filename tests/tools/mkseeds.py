#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Seeds for tests/fuzz/commands.c from an archive: one file for each object and a command that reads it. With a text file,
such as an oops, for tests/fuzz/addr.c: one for each program that has machine code, with that text.
usage: mkseeds.py ARCHIVE DIRECTORY [TEXT]"""
import os
import re
import struct
import sys
import tarfile

LIMIT = 6000  # bytes of one answer: small inputs mutate better
CGROUP_VERBS = (18, 19, 20, 21)
VERBS = {"prog": (0, 4, 7, 9, 14), "map": (1, 5, 8), "link": (2, 6), "btf": (3,)}


def pack(which, form, answers):
    out = bytes([which, form])
    for key, data in answers:
        key = key.encode()
        out += bytes([len(key)]) + key + struct.pack("<H", len(data)) + data
    return out


ADDR = ("info", "jited_ksyms", "jited_func_lens", "prog_tags", "func_info", "line_info", "jited_line_info", "jited")


def cgroup_seeds(members, target):
    """All answers about cgroups, for each command that reads them."""
    answers = [(k, v) for k, v in members.items() if re.match(r"cgroup/|sys/cgroup|link/|prog/", k) and not k.endswith(".errno")]
    for verb in CGROUP_VERBS if any(k.startswith("cgroup/") for k in members) else ():
        with open("%s/cgroup-%d" % (target, verb), "wb") as f:
            f.write(pack(verb, verb & 1, answers))


def addr_seeds(members, target, text):
    """Answers in the order of addr.c's keys, a length of two bytes before each, and a trace."""
    for name in sorted(members):
        m = re.match(r"prog/(\d+)/jited$", name)
        if not m or not members[name]:
            continue
        answers = [members.get("prog/%s/%s" % (m.group(1), key), b"") for key in ADDR] + [members.get("sys/kallsyms", b"")]
        with open("%s/prog-%s" % (target, m.group(1)), "wb") as f:
            f.write(b"".join(struct.pack("<H", len(a)) + a for a in answers) + text)


def whole_seeds(members, target):
    """A small complete machine, for the commands that list attachments."""
    answers = [(key, data) for key, data in sorted(members.items()) if key not in ("meta", "sys/uname") and not key.endswith(".errno")]
    for verb in (16, 17, 18):
        with open("%s/whole-%d" % (target, verb), "wb") as f:
            f.write(pack(verb, verb & 1, answers))


def main():
    members, target = {}, sys.argv[2]
    with tarfile.open(sys.argv[1]) as t:
        for m in t:
            if m.isreg():
                members[m.name.replace("%2F", "/")] = t.extractfile(m).read()
    os.makedirs(target, exist_ok=True)
    if len(sys.argv) > 3:
        with open(sys.argv[3], "rb") as f:
            return addr_seeds(members, target, f.read())
    if "sys/task_fds" in members and sum(map(len, members.values())) < LIMIT:
        return whole_seeds(members, target)
    system = [(k, members[k][:200]) for k in ("sys/clock", "sys/cpus", "sys/ifaces") if k in members]
    cgroup_seeds(members, target)
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
