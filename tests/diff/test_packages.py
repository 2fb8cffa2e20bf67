#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Dumps of the programs in real packages, compared with the distribution's bpftool, objdump and the verifier's log: every
program of their object files, and of the objects inside their executables, that this kernel loads. The allowed
differences are below and in beside.py, each with its reason."""
import collections
import errno
import json
import os
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
import beside  # noqa: E402
import machine_code  # noqa: E402
from packages import extract  # noqa: E402
import verifier_log  # noqa: E402
from world import Run, World, finish, isolate, ok, outcome, skip  # noqa: E402

FORMS = ([], ["opcodes"], ["linum"])  # this old bpftool does not have both at once
# Changes to bpftool's JSON before it is compared: the per-CPU move as in its plain text, and this.
JSON_EDITS = [
    (beside.PERCPU[0], r'"\(bf\) (r\d) = \1"', r'"(bf) \1 = &(void __percpu *)(\1)"', beside.PERCPU[3]),
    ((7, 2), r"\\n", r"\\\\", "bpftool 7.1 writes the backslash of a source line as the end of a line"),
]

isolate(alone="hundreds of programs are freed")
for tool in ("bpftool", "dpkg-query"):
    if not shutil.which(tool):
        skip(tool + " is not installed")
        sys.exit(77)


def batch(w, argv, lines):
    path = w.dir + "/batch"
    with open(path, "w") as f:
        f.writelines(line + "\n" for line in lines)
    return Run(argv + ["batch", "file", path])


def plain_dumps(w, tool, ids, words):
    """{id: text}, from one process, which prints the version between the answers."""
    r = batch(w, [tool], ["prog dump %s id %d %s\nversion" % (words[0], i, " ".join(words[1:])) for i in ids])
    parts = re.split(r"^bpf(?:tool|lens) v.*\n(?:using libbpf.*\n)?features:.*\n(?:bpflens v.*\n)?", r.text, flags=re.M)
    return dict(zip(ids, parts)), r


def json_dumps(w, tool, ids, words):
    """{id: text of its answer}."""
    r = batch(w, [tool, "-j"], ["prog dump %s id %d %s" % (words[0], i, " ".join(words[1:])) for i in ids])
    parts = re.split(r',?\{"command":\[[^]]*\],"output":', r.text.rstrip("\n")[:-1])[1:]
    return {i: part[:-1] for i, part in zip(ids, parts)}, r


def same(them, us, shown):
    if us and them == us:
        return ok(True, shown)
    at = next((i for i, (x, y) in enumerate(zip(them, us)) if x != y), min(len(them), len(us)))
    return ok(False, shown, "bpftool: ...%r\nbpflens: ...%r" % tuple(text[max(at - 60, 0):at + 80] for text in (them, us)))


def xlated(w, names, form):
    ids, words = list(names), ["xlated"] + form
    for dumps, edits, flag, lens in ((plain_dumps, [beside.PERCPU], "", beside.placed(w)), (json_dumps, JSON_EDITS, "-j ", w.lens)):
        (theirs, r), (ours, s) = dumps(w, "bpftool", ids, words), dumps(w, lens, ids, words)
        shown = "%sprog dump %s" % (flag, " ".join(words))
        ok(r.status == 0 and s.status == 0 and len(theirs) == len(ours) == len(ids), "%s: %d programs" % (shown, len(ids)), s.errors)
        for i in ids:
            # bpflens names what an instruction refers to.
            them, us = theirs.get(i, ""), re.sub(r',"refers":"(?:[^"\\]|\\.)*"', "", ours.get(i, ""))
            same(beside.edit(them, edits), us, "%s: %s" % (shown, names[i]))
            if flag:
                json.loads(us)
        # A batch of commands prints the same as single commands, for both programs.
        one = ([flag.strip()] if flag else []) + ["prog", "dump", "xlated", "id", str(ids[0])] + form
        ok(Run(["bpftool"] + one).text.rstrip("\n") == theirs[ids[0]].rstrip("\n") and
           Run([lens] + one).text.rstrip("\n") == ours[ids[0]].rstrip("\n"), shown + ": the same as in a batch")


def visual(w, names):
    def both(i):
        args = ["prog", "dump", "xlated", "id", str(i), "visual"]
        return Run(["bpftool"] + args), Run([beside.placed(w)] + args)

    crashes = []
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for (i, name), (theirs, ours) in zip(names.items(), pool.map(both, names)):
            shown = "prog dump xlated visual: " + name
            if theirs.status < 0:
                crashes.append(name)
                good = ours.status == 0 and ours.text.startswith("digraph")
                outcome(None if good else False, shown + ": not compared: this bpftool crashes", ours)
                continue
            them, us = "\n".join(beside.flow(theirs.text)), "\n".join(beside.flow(ours.text))
            same(them, us, shown)
    if crashes:
        print("# graphs at which this bpftool crashes:", len(crashes))


def jited(w, names):
    why = machine_code.unavailable()
    if why:
        return skip("prog dump jited compared with objdump: " + why)
    kallsyms = machine_code.symbols()
    plain, r = plain_dumps(w, w.lens, list(names), ["jited"])
    if r.status == 5:
        return skip("prog dump jited compared with objdump: no disassembler")
    docs = json_dumps(w, w.lens, list(names), ["jited", "opcodes"])[0]
    batch(w, [w.lens], ["prog dump jited id %d file %s/%d.raw" % (i, w.dir, i) for i in names])

    def differences(i):
        return machine_code.differences(plain[i], json.loads(docs[i]), "%s/%d.raw" % (w.dir, i), kallsyms)

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for name, bad in zip(names.values(), pool.map(differences, names)):
            ok(not bad, "prog dump jited: %s: same as objdump" % name, "\n".join(bad[:6]))


def instructions(w, logs):
    pairs = verifier_log.kept(logs)
    bad = verifier_log.differences(w, pairs)
    ok(pairs and not bad, "%d different instructions as in the verifier's log" % len(pairs), bad[:8])


def loaded(w):
    """{id: "object: program"}, and a line about programs that this kernel rejects."""
    refused = collections.Counter(errno.errorcode[f["id"]] for f in w.of("refused"))
    names = {f["id"]: "%s: %s" % (f["object"], f["name"]) for f in w.of("prog")}
    print("# %d programs of %d objects load here; refused: %s" % (
        len(names), len({f["object"] for f in w.of("prog")}), ", ".join("%s %d" % pair for pair in sorted(refused.items())) or "none"))
    return names


with World() as w:
    paths = extract(w.dir)
    if not paths:
        sys.exit(77)
    logs = w.dir + "/logs"
    os.mkdir(logs)
    programs = loaded(w.make(*paths, env=dict(os.environ, MKOBJ_LOGS=logs)))
    instructions(w, logs)
    beside.few_symbols(w)
    for form in FORMS:
        xlated(w, programs, form)
    visual(w, programs)
    jited(w, programs)
finish()
