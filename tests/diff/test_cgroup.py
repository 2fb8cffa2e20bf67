#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""cgroup show, list and tree compared with the distribution's bpftool: plain text is the same, byte for byte, JSON a superset. attach and
detach have the same effect with each of the two."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
import beside  # noqa: E402
import rawbpf  # noqa: E402
from cgroups import HOOKS, Tree, load  # noqa: E402
from world import Run, World, finish, isolate, ok, skip  # noqa: E402

isolate()
if not shutil.which("bpftool"):
    skip("bpftool is not installed")
    sys.exit(77)


def superset(ours, theirs):
    """Is all of @theirs in the other document, in the same order and with the same values?"""
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and [k for k in ours if k in theirs] == list(theirs) and all(superset(ours[k], theirs[k]) for k in theirs)
    if isinstance(theirs, list):
        if not beside.NEWER:
            theirs, ours = (sorted(x, key=lambda p: p.get("attach_type", "")) for x in (theirs, ours))
        return isinstance(ours, list) and len(ours) == len(theirs) and all(superset(a, b) for a, b in zip(ours, theirs))
    return ours == theirs


def known(hook):
    """Before 7.4, bpftool has attach types up to lsm_cgroup."""
    return hook <= 43 or beside.VERSION >= (7, 4)


def ordered(text):
    """bpftool 7.1 lists the hooks of a cgroup by their numbers; the order of the programs of a hook is the same."""
    keys, place = [], 0
    for line in text.splitlines(True):
        word = line.split()
        program = len(word) > 1 and word[0].isdigit()
        place += not program  # the line of a cgroup, or the head
        keys.append((place, word[1] if program else "", line))
    return "".join(key[2] for key in sorted(keys, key=lambda k: k[:2])) if not beside.NEWER else text


def plain(w, cwd, *words):
    theirs, ours = Run(["bpftool", "cgroup"] + list(words), cwd=cwd), Run([w.lens, "cgroup"] + list(words), cwd=cwd)
    ok(ordered(ours.text) == ordered(theirs.text) and ours.status == 0 and theirs.status == 0, "cgroup " + " ".join(words), "%s\n%s" % (ours, theirs))


def compare(w, t):
    deep = t.dirs[-1]
    for d in t.dirs + [w.cgroup]:
        plain(w, None, "show", d)
        plain(w, None, "show", d, "effective")
    for words in (["tree", t.top], ["tree", t.top, "effective"], ["tree", t.top + "//"], ["tree", deep], ["show", deep + "/"],
                  ["show", t.top, "eff"]):
        plain(w, None, *words)
    plain(w, t.top, "tree", ".")
    plain(w, t.top, "tree", "n0")
    plain(w, t.dirs[3], "tree", "..")
    plain(w, t.top, "show", "n0")
    ours, theirs = (Run([tool, "cgroup", "list", t.top]).text for tool in (beside.placed(w), "bpftool"))
    ok(ordered(ours) == ordered(theirs), "list, called bpftool")
    for words in (["show", t.top], ["show", deep, "effective"], ["tree", t.top], ["tree", t.top, "effective"]):
        theirs, ours = Run(["bpftool", "-j", "cgroup"] + words), w.run("-j", "cgroup", *words)
        ok(superset(ours.json, theirs.json), "-j cgroup " + " ".join(words), "%s\n%s" % (ours, theirs))
    empty = w.cgroup + "/empty"
    os.mkdir(empty)
    plain(w, None, "show", empty)
    plain(w, None, "tree", empty)
    ok(w.run("-j", "cgroup", "show", empty).out == b"[]\n", "an empty array, where bpftool prints an empty line")
    os.rmdir(empty)


def verbs(w):
    """Attached by one, listed and detached by the other, with long and short words; the exit statuses are the same."""
    d, ours = w.cgroup + "/verbs", beside.placed(w)  # under the name bpflens, a change prints a record
    os.mkdir(d)
    state = lambda: Run(["bpftool", "-j", "cgroup", "show", d]).out
    for at, (name, _, short) in HOOKS.items():
        if not short:
            continue
        try:
            fd = load(at, "verb")
        except OSError:
            skip("this kernel does not have " + name)
            continue
        ident = str(rawbpf.object_id(fd))
        seen = []
        for one, other, word in ((["bpftool"], [ours], short), ([ours], ["bpftool"], short), ([ours], ["bpftool"], name)):
            for flags in ([], ["multi"], ["override"], ["m"], ["o"]):
                r = Run(one + ["-j", "cgroup", "attach", d, word, "id", ident] + flags)
                seen.append((r.status, r.out, state()))
                r = Run(other + ["-j", "cgroup", "detach", d, word, "id", ident])
                seen.append((r.status, r.out, state()))
        ok(all(s[:2] == (0, b"null\n") for s in seen) and seen[:10] == seen[10:20] == seen[20:], "attach and detach " + name, seen)
        os.close(fd)
    fd = load(0, "verb")
    ident = str(rawbpf.object_id(fd))
    for words in (["attach", d, "nonsense", "id", ident], ["attach", d, "ingress", "id", ident, "nonsense"], ["attach", d, "device", "id", ident],
                  ["attach", d + "/x", "ingress", "id", ident], ["attach", d], ["detach", d, "ingress", "id", ident], ["detach", d, "ingress"]):
        theirs, ours = Run(["bpftool", "cgroup"] + words), w.run("cgroup", *words)
        ok(theirs.status and ours.status and not ours.out, "both refuse cgroup " + " ".join(words), "%s\n%s" % (ours, theirs))
    os.close(fd)
    os.rmdir(d)


with World() as w:
    w.make()
    if w.cgroup:
        for hook in [h for h in HOOKS if not known(h)]:
            del HOOKS[hook]
        with Tree(w.cgroup + "/t") as t:
            compare(w, t)
        verbs(w)
    else:
        skip("cgroups cannot be created here")
finish()
