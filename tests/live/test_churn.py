#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Lists while programs and maps are made and closed in a loop: every document parses, every status is 0."""
import itertools
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

from world import BUILD, World, finish, isolate, ok, skip

isolate()
RUNS = int(os.environ.get("CHURN_RUNS", "1000"))
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


with World() as w:
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
