#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that the verifier rejects: the cause is as the name of the program states, with the source line; nothing stays loaded."""
import os
import re
import tempfile

from world import BPFLENS, BUILD, Run, World, finish, isolate, ok, skip

isolate()
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rejected.bpf.c")
LIVE = BUILD + "/tests/live/"

CORE = {
    "member": r"^struct task_struct has no member `tgidd`; it has `tgid`",
    "other_type": r"^`pid` of struct task_struct is pid_t, not int \[4\]$",
    "type": r"^the kernel has no struct task_strukt; similar: `task_struct`",
    "enumerator": r"^enum bpf_map_type has no enumerator `BPF_MAP_TYPE_HASHH`; it has `BPF_MAP_TYPE_HASH`",
    "subprogram": r"^struct task_struct has no member `tgidd`; it has `tgid`",
}


def load(d, file, *words):
    return Run([BPFLENS, "-j", "prog", "load", LIVE + file, d + "/x", *words], timeout=60)


def sent(d, name):
    """The log without names and lines of source; the object file has them."""
    full = Run([BPFLENS, "-d", "-j", "prog", "load", LIVE + "rejected.bpf.o", d + "/x", "only", name], timeout=60)
    why, log = full.json["because"], re.search(r"-- BEGIN PROG LOAD LOG --\n(.*\n)[^\n]*-- END PROG LOAD LOG --", full.errors, re.S).group(1)
    with tempfile.NamedTemporaryFile("w") as f:
        f.write(re.sub(r"^; .*\n", "", log, flags=re.M))
        f.flush()
        r = Run([BPFLENS, "-j", "prog", "verify", "--log", f.name, LIVE + "rejected.bpf.o"], timeout=60)
    got, places = r.json[0], [r.json[0], *r.json[0].get("branches", [])]
    ok(all(p["at"].startswith("rejected.bpf.c:") for p in places if "source" in p), "%s: places from the object file" % name, r)
    if "at" not in why:  # before 6.8
        for p in places:
            p.pop("at", None)
    got.pop("meaning"), why.pop("meaning")  # loading names what the kernel has instead
    ok(r.status == 1 and got == why and not r.errors, "%s: from its log and the object file" % name, (r, why))


def main(d):
    text = open(SOURCE).read().splitlines()
    for n, line in enumerate(text):
        m = re.match(r'SEC\(".*"\) int (\w+)\(', line)
        if not m:
            continue
        end = next(i for i in range(n, len(text)) if text[i] == "}") + 1
        name, want = m.group(1), m.group(1).replace("_map", "").replace("stack_size", "stack")
        r = load(d, "rejected.bpf.o", "only", name)
        if "EPERM" in r.text:
            skip("the kernel refuses the program type of %s here" % name)
            continue
        why = r.json.get("because", {})
        ok(r.status in (1, 4) and why.get("cause") == want and why["program"] == name and why["meaning"] in r.json["error"] and
           r.json["hint"] == why["remedy"] and why["messages"], "%s: the cause is named" % name, r)
        at = re.match(r"rejected\.bpf\.c:(\d+)$", why.get("at", ""))
        if "at" in why:  # from Linux 6.8 on
            ok(at and n < int(at.group(1)) <= end and why["source"].strip() in text[int(at.group(1)) - 1], "%s: in its source" % name, why)
            sent(d, name)
    r = Run([BPFLENS, "prog", "load", LIVE + "rejected.bpf.o", d + "/x", "only", "unchecked_pointer"], timeout=60)
    ok(not r.out and "return *v;" in r.errors and "map_value_or_null" in r.errors and "BEGIN PROG LOAD LOG" not in r.errors,
       "as text: the line, the register, no log", r)
    r = Run([BPFLENS, "-d", "prog", "load", LIVE + "rejected.bpf.o", d + "/x", "only", "unchecked_pointer"], timeout=60)
    ok("BEGIN PROG LOAD LOG" in r.errors and "is rejected: a pointer that may be NULL" in r.errors, "-d: the whole log, and the cause", r)
    r = load(d, "rejected_kfunc.bpf.o")
    ok(r.status == 1 and "calls a kernel function" in r.json["error"] and "no_such_kfunc" in r.errors, "a kfunc that does not exist", r)
    for name, want in CORE.items():
        r = load(d, "rejected_core.bpf.o", "only", name)
        why = r.json.get("because", {})
        ok(r.status == 1 and why.get("cause") == "core_relocation" and re.search(want, why["meaning"]) and why["meaning"] in r.json["error"],
           "CO-RE, %s: named, with what the kernel has instead" % name, r)
    r = load(d, "rejected_map.bpf.o")
    ok(r.status == 1 and "map 'sizeless'" in r.json["error"] and "resize sizeless=" in r.json["hint"], "a map without a size", r)
    ok(os.listdir(d) in ([], ["maps.debug", "progs.debug"], ["progs.debug", "maps.debug"]), "nothing is pinned", os.listdir(d))


with World() as w:
    main(w.pins)
finish()
