#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""gen object --coverage, and load and verify with it: counters in unmodified programs change no verdict and no result, and count exactly."""
import glob
import os
import random
import shutil
import socket
import struct
import subprocess

from interpreted import Code, source
from world import BPFLENS, BUILD, Run, World, finish, isolate, ok, skip, until

isolate()
OBJECTS, PROGRAMS, RUNS = 10, 8, 3
OPTIONS = (["-O2", "-mcpu=v3"], ["-O2", "-mcpu=v2"], ["-O2", "-mcpu=v1"], ["-O1", "-mcpu=v3"])


def lens(*args, **kw):
    return Run([BPFLENS] + [str(a) for a in args], timeout=120, **kw)


def covered(w, path, name):
    """The object with counters, and the record of each function."""
    out = "%s/%s.o" % (w.dir, name)
    r = lens("-j", "gen", "object", out, path, "--coverage")
    return out, r, r.json if r.status == 0 else []


def verdicts(path, *words):
    r = lens("-j", "prog", "verify", path, *words)
    return {p["prog_name"]: p["verification"] for p in r.json} if r.status < 2 else {}


def counters(directory, name):
    """The counters of a pinned program's object."""
    shown = lens("-j", "prog", "show", "pinned", "%s/%s" % (directory, name)).json
    maps = [lens("-j", "map", "show", "id", i).json for i in shown["map_ids"]]
    one = next(m["id"] for m in maps if m["name"] == ".data.coverage")
    value = lens("-j", "map", "dump", "id", one).json[0]["value"]
    raw = bytes(int(b, 16) for b in value)
    return list(struct.unpack("<%dQ" % (len(raw) // 8), raw))


def run(directory, name, context, tmp):
    with open(tmp + "/in", "wb") as f:
        f.write(context)
    r = lens("-j", "prog", "run", "pinned", "%s/%s" % (directory, name), "ctx_in", tmp + "/in", "ctx_out", tmp + "/out")
    with open(tmp + "/out", "rb") as f:
        return (r.json["retval"], f.read()) if r.status == 0 else (None, r)


def program_counts(w, directory, name, code, functions, rnd):
    """Some runs of one program, with and without counters, and interpreted."""
    before = counters(directory["counted"], name)
    want = [0] * len(before)
    for _ in range(RUNS):
        context = b"".join(struct.pack("<I", rnd.choice([0, 1, 2, 3, 500, 1000, rnd.getrandbits(32)])) for _ in range(32))
        result, left, counts = code.run(name, context)
        plain, counted = run(directory["plain"], name, context, w.dir), run(directory["counted"], name, context, w.dir)
        if plain != (result, left) or counted != plain:
            return "%s %s %s" % ((result, left), plain, counted)
        want = [a + b for a, b in zip(want, (n for f, n in counts if f in functions))]
    got = [a - b for a, b in zip(counters(directory["counted"], name), before)]
    return "" if got == want else "%s: %s, not %s" % (name, got, want)


def compiled(w, seed):
    path = "%s/seed%d" % (w.dir, seed)
    with open(path + ".c", "w") as f:
        f.write(source(seed, PROGRAMS))
    subprocess.run(["clang", "-target", "bpfel", "-g", "-w", *OPTIONS[seed % len(OPTIONS)], "-c", path + ".c", "-o", path + ".o"], check=True)
    return path + ".o"


def counts(w):
    """Random programs: the counters are what an interpreter of the object's instructions counts."""
    tested, saved = 0, 0
    for seed in range(OBJECTS):
        path, rnd = compiled(w, seed), random.Random(seed)
        out, r, functions = covered(w, path, "seed%d.cov" % seed)
        code = Code(path)
        have = {f["name"] for f in functions if "why" not in f}
        ok(r.status == 0 and sum(f["counters"] for f in functions if "why" not in f) == len([b for b in code.blocks if b[2] in have]),
           "seed %d: a counter for each block" % seed, r)
        saved += sum(f.get("added_insns", 0) > 4 * f.get("counters", 0) for f in functions)
        good = verdicts(path)
        ok(verdicts(out) == good and len(good) == PROGRAMS, "seed %d: the same verdicts" % seed, (good, verdicts(out)))
        for name in [n for n in sorted(good) if good[n] == "accepted" and n in have]:
            directory = {"plain": "%s/a%d_%s" % (w.pins, seed, name), "counted": "%s/b%d_%s" % (w.pins, seed, name)}
            loaded = [lens("prog", "loadall", o, d, "only", name) for o, d in ((path, directory["plain"]), (out, directory["counted"]))]
            if ok(not any(r.status for r in loaded), "seed %d: %s is loaded" % (seed, name), loaded[-1]):
                why = program_counts(w, directory, name, code, have, rnd)
                ok(not why, "seed %d: %s: same results, and exact counts" % (seed, name), why)
                tested += 1
            for d in directory.values():
                shutil.rmtree(d, ignore_errors=True)
    ok(tested >= 50 and saved, "50 programs, some of which save registers", (tested, saved))


def same_verdicts(w):
    """The objects of the other tests."""
    for path in sorted(glob.glob(BUILD + "/tests/live/*.bpf.o")):
        name = os.path.basename(path)
        want = verdicts(path)
        out, r, _ = covered(w, path, name)
        ok(r.status == 0 or b"it has no code" in r.out or b"it has counters already" in r.out, "counters in " + name, r)
        if r.status == 0:
            ok(verdicts(out) == want, "verdicts of " + name, (want, verdicts(out)))


def commands(w):
    """In memory, the same object; other loaders; linking; what is refused."""
    load = BUILD + "/tests/live/load.bpf.o"
    out, r, functions = covered(w, load, "load")
    ok(r.status == 0 and functions[0]["first_counter"] == 0 and functions[0]["added_insns"] >= 4 * functions[0]["counters"], "records", r)
    ok(verdicts(load, "--coverage") == verdicts(load), "verify --coverage")
    figures = [lens("-j", "prog", "verify", *words).json for words in ([load, "--coverage"], [out])]
    ok([[p["insns"], p["bytes_xlated"]] for p in figures[0]] == [[p["insns"], p["bytes_xlated"]] for p in figures[1]], "and its figures", figures)
    r = lens("prog", "loadall", load, w.pins + "/memory", "--coverage")
    ok(r.status == 0 and [counters(w.pins + "/memory", n) for n in os.listdir(w.pins + "/memory")], "loadall --coverage", r)
    tool = shutil.which("bpftool")
    if tool:
        r = Run([tool, "prog", "loadall", out, w.pins + "/tool"])
        ok(r.status == 0 and len(os.listdir(w.pins + "/tool")) == len(os.listdir(w.pins + "/memory")), "bpftool loads it", r)
    else:
        skip("bpftool is not installed")
    for d in ("memory", "tool"):
        shutil.rmtree(w.pins + "/" + d, ignore_errors=True)
    r = lens("gen", "object", w.dir + "/twice.o", out, "--coverage")
    ok(r.status == 1 and "it has counters already" in r.errors and not os.path.exists(w.dir + "/twice.o"), "not twice", r)
    variables = {v["name"]: v for v in lens("-j", "object", "variables", out).json}
    ok(variables["coverage"]["type"] == "unsigned long long [%d]" % sum(f.get("counters", 0) for f in functions) and
       variables["coverage"]["section"] == ".data.coverage" and not variables["coverage"]["global"], "its variable", variables)


def counts_loaded():
    """Maps of counters of all programs named count: libxdp may load such a program below another one."""
    maps = [i for p in lens("-j", "prog", "list", "-Q", "name == count").json for i in p.get("map_ids", [])]
    return [i for i in maps if (lens("-j", "map", "show", "id", i).json or {}).get("name", "").endswith((".data", ".data.coverage"))]


def packets(w):
    """tc, ip and xdp-loader load the object, and their packets are counted; the loader is not ours, nor is its libbpf."""
    out, where = covered(w, BUILD + "/tests/live/xdp_count.bpf.o", "packets")[0], "dev lo"
    plain = w.dir + "/plain_data.o"
    r = lens("gen", "object", plain, BUILD + "/tests/live/xdp_count.bpf.o", "--coverage", "--section", ".data")
    ok(r.status == 0 and {v["name"]: v["section"] for v in lens("-j", "object", "variables", plain).json}["coverage"] == ".data", "counters in .data", r)
    r = lens("gen", "object", w.dir + "/x.o", BUILD + "/tests/live/load.bpf.o", "--coverage", "--section", ".data")
    ok(r.status == 1 and "it has a section .data" in r.errors, "a section that it has", r)
    ok(lens("gen", "object", w.dir + "/x.o", plain, "--section", ".data").status == 2 and
       lens("gen", "object", w.dir + "/x.o", plain, "--coverage", "--section", ".bss").status == 2, "sections that are refused")
    Run(["mount", "-t", "bpf", "bpf", "/sys/fs/bpf"])  # loaders make folders there
    Run(["ip", "link", "set", "lo", "up"])
    Run(["tc", "qdisc", "add", *where.split(), "clsact"])
    loaders = (("tc", "tc filter add %s ingress bpf da obj FILE sec xdp" % where, "tc filter del %s ingress" % where),
               ("ip", "ip link set %s xdpgeneric obj FILE sec xdp" % where, "ip link set %s xdpgeneric off" % where),
               ("xdp-loader", "xdp-loader load -m skb lo FILE", "xdp-loader unload lo --all"))
    for tool, load, unload in loaders:
        if not shutil.which(tool):
            skip(tool + " is not installed")
            continue
        for path in (out, plain):
            before = counts_loaded()
            r = Run(load.replace("FILE", path).split(), timeout=60)
            of = [m for m in counts_loaded() if m not in before]
            if not ok(r.status == 0 and len(of) == 1, "%s loads %s" % (tool, os.path.basename(path)), (r, of)):
                continue

            def hits():
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
                    s.sendto(b"x", ("127.0.0.1", 9))
                return lens("-j", "prog", "coverage", "map", "id", of[0]).json[0]["hits"] > 0
            ok(until(hits), "its packets are counted", of)
            Run(unload.split(), timeout=60)
    Run(["umount", "/sys/fs/bpf"])


def linked(w):
    """Objects are linked first; and those that have counters already can be linked."""
    parts = [compiled(w, seed) for seed in (0, 1)]
    outs = [w.dir + "/linked.o", w.dir + "/linked-after.o"]
    first = lens("-j", "gen", "object", outs[0], *parts, "--coverage")
    after = lens("gen", "object", outs[1], *[covered(w, p, "part%d" % i)[0] for i, p in enumerate(parts)])
    ok(first.status == 0 and len(first.json) > 2 * PROGRAMS and verdicts(outs[0]) == {n: v for p in parts for n, v in verdicts(p).items()},
       "objects are linked, and get counters", first)
    ok(after.status == 0 and verdicts(outs[1]) == verdicts(outs[0]), "objects with counters are linked", after)


LARGE = """#define SEC(name) __attribute__((section(name), used))
static __attribute__((noinline)) int turn(int s) { asm volatile("" : "+r"(s)); return s + 1; }
SEC("syscall") int large(void *c)
{
	int s = 0;
	for (int i = 0; i < TURNS; i++)
		s = turn(s) + i;
	return s;
}
SEC("syscall") int small(void *c) { return 5; }
char LICENSE[] SEC("license") = "GPL";
"""


def limits(w):
    """A program that the verifier only accepts without counters is left as it was, with the functions that it calls."""
    path, d = w.dir + "/large", w.pins + "/large"
    with open(path + ".c", "w") as f:
        f.write(LARGE)
    turns = 1000
    for _ in range(2):
        subprocess.run(["clang", "-target", "bpf", "-g", "-O2", "-DTURNS=%d" % turns, "-c", path + ".c", "-o", path + ".o"], check=True)
        turns = turns * 850000 // lens("-j", "prog", "verify", path + ".o", "only", "large").json[0]["insns"]
    ok(verdicts(path + ".o") == {"large": "accepted", "small": "accepted"} and verdicts(path + ".o", "--coverage") == {"large": "rejected", "small": "accepted"},
       "a program at the limit of the verifier")
    r = lens("prog", "loadall", path + ".o", d, "--coverage")
    ok(r.status == 0 and sorted(os.listdir(d)) == ["large", "small"] and "large (the verifier refuses" in r.errors and "turn (the verifier refuses" in r.errors and
       "small" not in r.errors, "it is loaded without counters, and named", r)
    ok(counters(d, "small") == [0], "the other program has its counter")
    shutil.rmtree(d, ignore_errors=True)


with World() as w:
    commands(w)
    same_verdicts(w)
    packets(w)
    if shutil.which("clang"):
        linked(w)
        limits(w)
        counts(w)
    else:
        skip("test_coverage: counting needs clang")
finish()
