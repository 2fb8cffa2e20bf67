#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Under churn: lists while programs and maps are created and closed in a loop, dumps while elements come and go. Every document
parses, every status is 0; no key is printed twice, and elements that stay are printed."""
import itertools
import subprocess
from concurrent.futures import ThreadPoolExecutor

from world import BUILD, World, finish, isolate, number, ok, skip

isolate(alone="hundreds of programs are freed")
DUMPS = number("LOOPS", 6)  # of each map
RUNS = 50 * DUMPS
KEYS = 6000
COMMANDS = [
    ["-j", "prog", "show"], ["-j", "map", "show"], ["-j", "prog", "list"], ["-p", "map", "list"], ["-j", "-f", "prog", "show"],
    ["-j", "btf", "show"], ["-j", "link", "show"], ["prog", "show"], ["map", "list"], ["--ndjson", "prog", "show"],
]


def once(w, args):
    r = w.run(*args)
    if r.status:
        return "status %s\n%s" % (r.status, r)
    try:
        if "--ndjson" in args:
            import json
            for line in r.out.splitlines():
                json.loads(line)
        elif args[0].startswith("-"):
            r.json
    except ValueError as e:
        return "%s\n%s" % (e, r)
    return None


def dumped(w, name, map_id, form):
    """Run one dump; return what is wrong with it, or None."""
    r = w.run(*(form + ["map", "dump", "id", map_id]))
    if r.status:
        return "status %s\n%s" % (r.status, r)
    try:
        if form == ["-j"]:
            keys = ["".join(byte[2:] for byte in e["key"]) for e in r.json]
        else:
            words = r.text.replace("key:\n", "key: ").splitlines()
            keys = ["".join(line.split("  ")[0].split()[1:]) for line in words if line.startswith("key:")]
            if not words[-1].startswith("Found %d element" % len(keys)):
                return "%d keys, and %s" % (len(keys), words[-1])
    except ValueError as e:
        return "%s\n%s" % (e, r)
    numbers = [int(k[10:], 16) for k in keys]
    if len(set(keys)) != len(keys):
        return "%d of %d keys came twice" % (len(keys) - len(set(keys)), len(keys))
    missing = set(range(0, KEYS, 2)) - set(numbers)
    if name == "lpm_trie" and len(missing) <= 5:  # the kernel's walk can skip elements next to one that changes
        return None
    return "%d keys that never went are missing" % len(missing) if missing else None


def dumps(w):
    churn = subprocess.Popen([BUILD + "/tests/live/churn", "elements"], stdout=subprocess.PIPE, universal_newlines=True)
    maps = []
    try:
        for line in churn.stdout:
            if line == "ready\n":
                break
            maps.append(line.split())
        if not maps:
            skip("the churn program cannot create maps here")
        for name, map_id in maps:
            bad = [x for x in (dumped(w, name, map_id, ["-j"] if i & 1 else []) for i in range(DUMPS)) if x]
            ok(not bad, "%d dumps of a %s under churn" % (DUMPS, name), "%d failed; the first: %s" % (len(bad), bad[:1]))
        ok(churn.poll() is None, "and elements came and went all the time")
    finally:
        churn.kill()
        churn.wait()


with World() as w:
    dumps(w)
    churns = [subprocess.Popen([BUILD + "/tests/live/churn"], stdout=subprocess.PIPE) for _ in range(2)]
    try:
        if not churns[0].stdout.readline():
            skip("the churn program does not run here")
        else:
            jobs = itertools.islice(itertools.cycle(COMMANDS), RUNS)
            with ThreadPoolExecutor(2) as pool:
                bad = [x for x in pool.map(lambda args: once(w, args), jobs) if x]
            ok(not bad, "%d lists under churn" % RUNS, "%d failed; the first: %s" % (len(bad), bad[:1]))
            ok(all(c.poll() is None for c in churns), "and the churn went on all the time")
    finally:
        for c in churns:
            c.kill()
            c.wait()
finish()
