#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""scripts/demo, which new users run first: every command in it answers, and nothing stays loaded, even if it is killed."""
import json
import os
import re
import signal
import subprocess

from world import BPFLENS, BUILD, Run, finish, isolate, ok, patience, until

isolate()
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ENV = dict(os.environ, BPFLENS=BPFLENS, BUILD=BUILD)


def demo(*words):
    return subprocess.Popen([ROOT + "/scripts/demo"] + list(words), env=ENV, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, universal_newlines=True, start_new_session=True)


def left(ids):
    """The programs that are still loaded a while after their last holder ended."""
    there = set(ids)

    def gone():
        there.intersection_update(p["id"] for p in json.loads(Run([BPFLENS, "-j", "prog", "list"]).text))
        return not there
    until(gone)
    return there


def check(what, text, errors, least):
    shown = re.split(r"(?m)^\$ ", text)[1:]
    empty = [s.splitlines()[0] for s in shown if not s.split("\n", 1)[1].split("==>")[0].strip()]
    ok(len(shown) >= least, "%s shows %d commands" % (what, least), text + errors)
    ok(not empty and "bpflens: " not in errors, "%s: each of them answers" % what, "%s\n%s" % (empty, errors))


p = demo("own")
text, errors = p.communicate(timeout=patience(60))
ok(p.returncode == 0, "scripts/demo own succeeds", text + errors)
check("scripts/demo own", text, errors, 10)
ok("they cannot be loaded" not in text and re.search(r"192\.168\.1\.1 +6 +1000 ", text), "its programs are loaded, and they count", text + errors)
programs = [int(n) for n in re.findall(r"loaded \w+, program (\d+)", text)]
ok(len(programs) == 2 and not left(programs), "nothing stays loaded", programs)

p = demo("own")
head = ""
while "$ bpflens ls" not in head:
    line = p.stdout.readline()
    head += line
    if not line:
        break
os.killpg(p.pid, signal.SIGKILL)
p.communicate()
programs = [int(n) for n in re.findall(r"loaded \w+, program (\d+)", head)]
ok(len(programs) == 2 and not left(programs), "nothing stays loaded when it is killed", head)
ok(not os.path.exists("/sys/fs/bpf/demo"), "its pins are in its own bpffs")

for words, least in ((["recorded"], 6), ([], 6)):
    what = " ".join(["scripts/demo"] + words)
    p = demo(*words)
    text, errors = p.communicate(timeout=patience(60))
    ok(p.returncode == 0, what + " succeeds", text + errors)
    if words or not re.search(r"no \w+ with id", errors):  # an object may be unloaded meanwhile: others own it
        check(what, text, errors, least)
p = demo("other")
text, _ = p.communicate()
ok(p.returncode == 2 and "scripts/demo own" in text, "another word: the usage, and status 2", text)
finish()
