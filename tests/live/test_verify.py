#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""prog verify: each program alone, with the verifier's figures; limits and comparisons; nothing is kept."""
import json
import os

from world import BPFLENS, BUILD, Run, World, finish, isolate, ok, until

isolate()
OBJ = BUILD + "/tests/live/verify.bpf.o"
LOAD = BUILD + "/tests/live/load.bpf.o"


def lens(*args):
    return Run([BPFLENS] + [str(a) for a in args], timeout=60)


def verified(*args):
    r = lens("-j", "prog", "verify", *args)
    return r, {p.get("prog_name"): p for p in r.json}


with World() as w:
    r, p = verified(OBJ)
    ok(r.status == 1 and list(p) == ["chains", "loops", "unchecked"], "all programs of a file, also those that are not loaded by default", r)
    ok([p[n]["verification"] for n in p] == ["accepted", "accepted", "rejected"] and p["unchecked"]["cause"] == "unchecked_pointer" and
       "insns" in p["unchecked"], "verdicts, and why one is rejected", r)
    stacks = p["chains"]["stacks"]
    ok(len(stacks) == 4 and stacks[0] < p["chains"]["stack"] < sum(stacks) and p["chains"]["stack"] >= stacks[0] + 128,
       "the deepest chain of calls is not the sum of all functions", p["chains"])
    ok(p["loops"]["insns"] > 500 and p["loops"]["maps_created"] == 2, "instructions of each turn, and maps that were created", p["loops"])
    ok(not os.path.exists("/sys/fs/bpf/lens_verify_pin"), "a map with pinning is not pinned")
    ok(until(lambda: not [m for m in lens("-j", "map", "list", "-o", "name").json if m.get("name") == "lens_verify_pin"]), "nothing is kept")

    # The kernel keeps the same figures of a program that stays loaded.
    _, loaded = verified(LOAD)
    done = lens("prog", "loadall", LOAD, w.pins + "/verify")
    kept = [lens("-j", "prog", "show", "pinned", "%s/verify/%s" % (w.pins, n)).json for n in loaded]
    ok(done.status == 0 and [(k["verified_insns"], k["bytes_xlated"], k["bytes_jited"]) for k in kept] ==
       [(v["insns"], v["bytes_xlated"], v["bytes_jited"]) for v in loaded.values()], "figures are those of the loaded programs", kept)

    r, p = verified(OBJ, "--lines")
    ok(all(sum(line["insns"] for line in v["lines"]) == v["insns"] for v in p.values()) and not r.errors, "lines of source add up", r)
    ok("each turn" in p["loops"]["lines"][0]["source"] and p["loops"]["lines"][0]["share"] > 40, "the loop is the most expensive", p["loops"])
    ok(all(sum(f["insns"] for f in v["by_function"]) == v["insns"] for v in p.values()) and {"chains"} < {f["func"] for f in p["chains"]["by_function"]} and
       {line["func"] for line in p["chains"]["lines"]} == {f["func"] for f in p["chains"]["by_function"]}, "functions add up", p["chains"])
    ok("for (int i = 0;" in lens("prog", "verify", OBJ, "only", "loops", "--lines").out.decode(), "lines as text")

    r, p = verified(BUILD + "/tests/live/replaced.bpf.o")
    ok(r.status == 0 and len(p) == 6, "replacements of functions are verified by their contexts", r)

    r, p = verified(OBJ, "only", "chains")
    ok(r.status == 0 and list(p) == ["chains"], "only", r)
    r = lens("prog", "verify", OBJ, "only", "no_such")
    ok(r.status == 2 and "no program 'no_such'" in r.errors and "ENOENT" in r.errors, "only, without such a program", r)
    for limit, over in (("stack=64", ["stack"]), ("stack=20%", ["stack"]), ("insns=1,jited=1K", ["insns"]), ("xlated=1M,stack=100%", [])):
        r, p = verified(OBJ, "only", "chains", "--limit", limit)
        ok(r.status == bool(over) and [o["figure"] for o in p["chains"].get("over", [])] == over, "--limit " + limit, r)
    for bad in ("stack", "stack=", "stack=x", "states=10%", "stack=0%", "stack=101%", "heap=1", "stack=1,,insns=1", "x" * 100):
        r = lens("prog", "verify", OBJ, "--limit", bad)
        ok(r.status == 2 and r.errors.startswith("bpflens: "), "--limit %.20s is refused" % bad, r)

    before = w.dir + "/before.json"
    with open(before, "wb") as f:
        f.write(lens("-j", "prog", "verify", OBJ).out)
    r, p = verified(OBJ, "only", "loops", "--against", before)
    ok(r.status == 0 and p["loops"]["verification_before"] == "accepted" and "changes" not in p["loops"], "no change against a stored result", r)
    stored = json.load(open(before))
    for s in stored:
        if s["prog_name"] == "loops":
            s["insns"] -= 20
        if s["prog_name"] == "unchecked":
            s["verification"] = "accepted"
    with open(before, "w") as f:
        json.dump(stored, f)
    r, p = verified(OBJ, "--against", before)
    change = p["loops"].get("changes")
    ok(r.status == 1 and change == [{"figure": "insns", "was": p["loops"]["insns"] - 20, "now": p["loops"]["insns"], "worse": True}], "worse", r)
    ok(verified(OBJ, "only", "loops", "--against", before, "--tolerance", "10%")[0].status == 0, "worse within the tolerance")
    ok(verified(OBJ, "only", "unchecked", "--against", before, "--tolerance", "50")[0].status == 1, "rejected now, accepted before")
    ok(verified(OBJ, "only", "unchecked", "--against", OBJ)[0].status == 0, "another build, which is rejected alike")
    for text in ("", "{}", "[1]", '[{"prog_name":"x"', '[{"prog_name":"x","verification":3}]', "\x7fELF"):
        with open(before, "w") as f:
            f.write(text)
        r = lens("prog", "verify", OBJ, "--against", before)
        ok(r.status in ((0, 1) if not text else (1, 2)) and (not text or r.status == 2), "--against %r" % text, r)

    r, p = verified(OBJ, w.dir + "/none.o", LOAD)
    ok(r.status == 1 and len(r.json) == 7 and p[None]["verification"] == "failed" and "No such file" in p[None]["why"], "a file that cannot be read, among others", r)
    r = lens("prog", "verify", w.dir + "/none.o")
    ok(r.status == 2 and "ENOENT" in r.errors, "the only file cannot be read", r)

    # Of several files, those that have the variable or map; names that none has, and values that cannot be, are no verdict.
    for words in (["set", "lens_debug=1", "resize", "sized_later=2"], ["resize", "lens_flows=1"]):
        r, p = verified(OBJ, LOAD, *words)
        ok(r.status == 1 and len(p) == 6 and all(v["verification"] == "accepted" for n, v in p.items() if n != "unchecked"), "words for one of two files: " + words[-1], r)
    for words, why in ((["set", "nothere=1"], "no variable 'nothere'"), (["resize", "nothere=1"], "no map 'nothere'"), (["resize", "sized_later=0"], "entries from 1"),
                       (["map", "name", "nothere", "id", "1"], "no map 'nothere'"), (["map", "idx", "77", "id", "1"], "idx"), (["type", "nothere"], "'nothere'"),
                       (["set", "lens_debug=x"], "lens_debug"), (["maps", w.dir + "/none"], "/none")):
        for files in ([OBJ], [OBJ, LOAD]):
            if words[-1] == "lens_debug=x" or words[0] == "maps":
                files = [LOAD]
            r = lens("prog", "verify", *files, *words)
            ok(r.status == 2 and why in r.errors and not r.out, "%s, %d files" % (" ".join(words), len(files)), r)
    ok("did you mean 'lens_debug'" in lens("prog", "verify", LOAD, "set", "lens_debu=1").errors, "a similar name")

    refused = lens("-d", "prog", "load", OBJ, w.pins + "/no", "only", "loops")
    ok(refused.err.count(b"failed to create: -EINVAL") == 1 and "resize sized_later=1024" in refused.errors, "-d does not lose the reason, nor repeat it", refused)
    log = w.dir + "/log"
    with open(log, "wb") as f:
        f.write(lens("-d", "prog", "load", OBJ, w.pins + "/no", "only", "unchecked", "resize", "sized_later=1").err)
    r = lens("-j", "prog", "verify", "--log", log)
    ok(r.status == 1 and [(x["program"], x["cause"]) for x in r.json] == [("unchecked", "unchecked_pointer")], "--log: what libbpf prints", r)
    ok("program unchecked is rejected: a pointer that may be NULL" in lens("prog", "verify", "--log", log).out.decode(), "--log as text")
    with open(log, "w") as f:
        f.write("0: (79) r0 = *(u64 *)(r1 +0)\nR1 invalid mem access 'scalar'\nprocessed 1 insns (limit 1000000)\n")
    r = lens("-j", "prog", "verify", "--log", log)
    ok(r.status == 1 and r.json[0]["insn"] == 0 and "program" not in r.json[0], "--log: the verifier's text alone", r)
    for text in ("", "hello\n", "-- BEGIN PROG LOAD LOG --\n", "prog 'x': -- BEGIN PROG LOAD LOG --\n-- END PROG LOAD LOG --\n"):
        with open(log, "w") as f:
            f.write(text)
        r = lens("-j", "prog", "verify", "--log", log)
        ok(r.status == 0 and r.json == [] and "no message" in r.errors, "--log %r" % text, r)
    # With the object file: found by its instructions or its name, or not.
    with open(log, "w") as f:
        f.write("unreachable insn 1\nprocessed 0 insns (limit 1000000)\n")
    r = lens("-j", "prog", "verify", "--log", log, OBJ)
    ok(r.status == 1 and "program" not in r.json[0] and "3 programs of" in r.errors, "--log: it may be any program", r)
    with open(log, "w") as f:
        f.write("libbpf: prog 'unchecked': -- BEGIN PROG LOAD LOG --\nunreachable insn 7\nprocessed 0 insns (limit 1000000)\n-- END PROG LOAD LOG --\n")
    r = lens("-j", "prog", "verify", "--log", log, OBJ)
    ok(r.status == 1 and not r.errors and r.json[0]["insn"] == 7 and r.json[0]["code"] == "(79) r0 = *(u64 *)(r0 +0)" and r.json[0]["source"] == "return *v;" and
       r.json[0]["at"].startswith("verify.bpf.c:") and r.json[0]["section"] == "?socket", "--log: an instruction that only the message names", r)
    for text in ("0: (95) exit\nR0 !read_ok\n", "999999: (95) exit\nR0 !read_ok\n", "7: (79) r0 = 1\n99999999999: (95) exit\nR0 !read_ok\n"):
        with open(log, "w") as f:
            f.write(text)
        r = lens("-j", "prog", "verify", "--log", log, LOAD)
        ok(r.status == 1 and "program" not in r.json[0] and "no program with the instructions" in r.errors, "--log of another object", r)
    ok(lens("prog", "verify", "--log", log, log).status == 2 and lens("prog", "verify", "--log", log, OBJ, LOAD).status == 2, "--log and other files", r)
finish()
