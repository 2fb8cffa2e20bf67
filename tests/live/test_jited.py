#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""prog dump jited compared with objdump of the raw image: the same instructions at the same places, for every program; and the
same again from an archive."""
import os
import re
import sys

import machine_code
from world import Run, World, finish, isolate, ok, skip

isolate()


def compare(w, f):
    ident, raw = f["id"], "%s/%d.raw" % (w.dir, f["id"])
    made = w.run("prog", "dump", "jited", "id", ident, "file", raw)
    if made.status or not os.path.exists(raw):
        ok(False, "prog dump jited %s: file" % f["name"], made)
        return []
    docs = w.run("-j", "prog", "dump", "jited", "id", ident, "opcodes").json
    bad = machine_code.differences(w.run("prog", "dump", "jited", "id", ident).text, docs, raw, w.kallsyms)
    ok(not bad, "prog dump jited %s: same as objdump" % f["name"], "\n".join(bad[:6]))
    return docs


def labelled(w, f, docs):
    """Every label is at the target of the jump without labels, and each jump within the function has a label."""
    bad, jumps = [], 0
    for plain, named in zip(docs, w.run("-j", "prog", "dump", "jited", "id", f["id"], "--labels").json):
        at = {i["label"]: int(i["pc"], 16) for i in named["insns"] if "label" in i}
        starts = {int(i["pc"], 16) for i in plain["insns"]}
        for a, b in zip(plain["insns"], named["insns"]):
            inside = re.match(r"\+0x([0-9a-f]+)$", a.get("symbol", ""))
            if (a["pc"], a.get("symbol")) != (b["pc"], b.get("symbol")):
                bad.append((a, b))
            elif "jump_target" in b:
                jumps += 1
                if not inside or at.get(b["jump_target"]) != int(inside.group(1), 16) or not re.search(r"\b%s\b" % b["jump_target"], b["disasm"]):
                    bad.append((a, b))
            elif inside and int(inside.group(1), 16) in starts or a["disasm"] != b["disasm"]:
                bad.append((a, b))
    ok(not bad, "prog dump jited %s: labels are at the same addresses" % f["name"], bad[:3])
    return jumps


def together(w, f, docs):
    """Both kinds of code in one view: each instruction once, in order."""
    xlated = w.run("-j", "prog", "dump", "xlated", "id", f["id"]).json
    both = w.run("-j", "prog", "dump", "jited", "id", f["id"], "--interleave").json
    groups = [g for doc in both for g in doc["groups"]]
    ok([i["disasm"] for i in xlated] == [i["disasm"] for g in groups for i in g["xlated"]] and
       [(i["pc"], i["disasm"]) for doc in docs for i in doc["insns"]] == [(i["pc"], i["disasm"]) for g in groups for i in g["jited"]] and
       [(d.get("proto"), d["name"]) for d in docs] == [(d.get("proto"), d["name"]) for d in both],
       "prog dump %s: both kinds of code together" % f["name"], both)


def sourced(w):
    """Each source line of the translated instructions is also in the machine code."""
    for name in ("count_exits", "keeps_maps"):
        f = w.one("prog", name)
        if not f:
            continue
        texts = [{line for line in w.run("prog", "dump", what, "id", f["id"], "linum").text.splitlines() if line.startswith("; ")}
                 for what in ("xlated", "jited")]
        ok(texts[1] and texts[1] <= texts[0], "prog dump jited %s: source lines" % name, texts[1] - texts[0])


def refusals(w, f):
    """With each set of capabilities, a refusal names what is missing."""
    def limit(name):
        with open("/proc/sys/kernel/" + name) as setting:
            return int(setting.read())

    shown = limit("kptr_restrict") == 0 and limit("perf_event_paranoid") <= 1
    cases = [("", 4, 4, "CAP_SYS_ADMIN"), (",+bpf", 4, 4, "CAP_SYS_ADMIN"), (",+bpf,+perfmon", 4, 4, "CAP_SYS_ADMIN"),
             (",+sys_admin", 0, None if shown else 1, "CAP_SYSLOG"), (",+sys_admin,+syslog", 0, None, "")]
    if limit("kptr_restrict") > 1 or shown:
        cases = cases[:3]
    for caps, xlated, jited, hint in cases:
        for what, status in (("xlated", xlated), ("jited", jited)):
            r = Run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all" + caps, "--ambient-caps=-all" + caps,
                     w.lens, "prog", "dump", what, "id", str(f["id"])])
            ok((r.status in (0, 5) and r.out if not status else r.status == status and hint in r.errors and not r.out),
               "prog dump %s with capabilities%s: %s" % (what, caps.replace(",+", " ") or " none", "shown" if not status else "refused with the reason"), r)


def archived(w, disassembles):
    path = w.dir + "/saved.tar.gz"
    w.run("save", path)
    for name in ("count_exits", "l_calls"):
        words = ["prog", "dump", "jited", "id", w.one("prog", name)["id"], "opcodes"]
        live, saved = w.run(*words), w.run("--from", path, *words)
        ok(live.out == saved.out and live.status == saved.status and b"\t" in live.out, "prog dump jited %s: the same from an archive" % name, saved)
        ok(live.status == (0 if disassembles else 5), "prog dump jited %s: exit status" % name, live)


with World() as w:
    w.make()
    w.kallsyms = machine_code.symbols()
    first = w.run("prog", "dump", "jited", "id", w.of("prog")[0]["id"])
    if first.status not in (0, 5):
        skip("the JIT compiler is off here: " + first.errors.strip())
        sys.exit(0)
    archived(w, first.status == 0)
    sourced(w)
    refusals(w, w.one("prog", "count_exits") or w.of("prog")[0])
    if first.status == 5:
        ok(b"install" in first.err and b"\t" in first.out, "without a disassembler: bytes, and what to install", first)
        skip("comparison with objdump: no disassembler")
    elif machine_code.unavailable():
        skip("comparison with objdump: " + machine_code.unavailable())
    else:
        jumps = 0
        for f in w.of("prog"):
            docs = compare(w, f)
            together(w, f, docs)
            jumps += labelled(w, f, docs)
        ok(jumps > 20, "jumps with labels were seen", jumps)
finish()
