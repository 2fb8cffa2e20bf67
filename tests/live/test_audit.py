#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""audit: clean runs while objects come and go, live and of a file; BPFLENS_AUDIT_RUNS says how many (5)."""
import os
import subprocess

from world import World, finish, isolate, ok

isolate()
CHURN = os.path.join(os.environ["BUILD"], "tests/live/churn")


def clean(r, what):
    hidden = [x for x in r.json if x["finding"] == "hidden"] if isinstance(r.json, list) else r.json
    ok(r.status in (0, 1, 5) and hidden == [], what, (r, hidden))


def baseline(w):
    """Made here, it knows all that is here; without a line it does not know that program."""
    allowed = w.dir + "/allowed"
    w.run("save", w.dir + "/now.tar.gz")
    args = ["--from", w.dir + "/now.tar.gz", "-j", "audit"]
    w.run(*args, "--write", allowed)
    ok(os.stat(allowed).st_mode & 0o777 == 0o600, "a baseline is for its owner alone", oct(os.stat(allowed).st_mode))
    r = w.run(*args, "--baseline", allowed)
    ok(r.json == [], "what was there when it was made may be there", r)
    with open(allowed) as f:
        lines = f.read().splitlines()
    name = w.of("prog")[0]["name"]
    with open(allowed, "w") as f:
        f.write("".join(x + "\n" for x in lines if not x.endswith(" " + name)))
    r = w.run(*args, "--baseline", allowed)
    got = {x["name"] for x in r.json if x["finding"] == "unknown"}
    ok(got == {name}, "another program is told", (got, name))


def main(w):
    w.make()
    baseline(w)
    churn = subprocess.Popen([CHURN], stdout=subprocess.PIPE)
    churn.stdout.readline()
    try:
        for i in range(int(os.environ.get("BPFLENS_AUDIT_RUNS", "5"))):
            clean(w.run("-j", "audit"), "look %d finds nothing hidden" % (i + 1))
        w.run("save", w.dir + "/state.tar.gz")
        clean(w.run("--from", w.dir + "/state.tar.gz", "-j", "audit"), "a file made meanwhile, too")
        w.run("record", "-o", w.dir + "/recording.tar.gz", "--seconds", "0.2")
        clean(w.run("--from", w.dir + "/recording.tar.gz", "-j", "audit"), "a recording, too")
    finally:
        churn.kill()
        churn.wait()
    clean(w.run("-j", "--no-load", "audit"), "without programs of our own")


with World() as w:
    main(w)
finish()
