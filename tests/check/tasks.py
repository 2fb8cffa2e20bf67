#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Common tasks, their keys and their output: those of tests/tasks on the recorded machine. The terminal is tmux."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BPFLENS = os.path.abspath(os.environ.get("BPFLENS", ROOT + "/build/bpflens"))
sys.path.insert(0, ROOT + "/tests/tasks")
import tasks  # noqa: E402

failures = 0


def ok(good, what, detail=""):
    global failures
    failures += not good
    print("%s - %s" % ("ok" if good else "not ok", what))
    for line in str(detail).splitlines()[:20] if not good else []:
        print("  |", line[:200])


def oops(directory):
    env = dict(os.environ, BPFLENS_FROM=ROOT + "/tests/archives/tasks.tar.gz")
    tag = subprocess.run([BPFLENS, "prog", "list", "fw_count", "-o", "tag", "--noheadings"], env=env, stdout=subprocess.PIPE,
                         universal_newlines=True).stdout.strip()
    with open(directory + "/oops", "w") as f:
        f.write("RIP: 0010:bpf_prog_%s_fw_count+0x50/0xbc\n" % tag)


def files(directory):
    """What the tasks call "fw.bpf.o", "before.tgz", ..."""
    shutil.copy(ROOT + "/tests/objects/tasks.bpf.o", directory + "/fw.bpf.o")
    shutil.copy(ROOT + "/tests/objects/tasks_new.bpf.o", directory + "/new.bpf.o")
    os.mkdir(directory + "/fleet")
    for archive, name in (("annotated", "hot.rec"), ("before", "before.tgz"), ("after", "after.tgz"), ("tasks", "fleet/web1.tgz"), ("relations", "fleet/db1.tgz"), ("features", "old.tgz"), ("recording", "gone.rec"),
                          ("tasks", "fleet/web2.tgz")):
        shutil.copy("%s/tests/archives/%s.tar.gz" % (ROOT, archive), directory + "/" + name)
    subprocess.run([BPFLENS, "audit", "--output", directory + "/known"], env=dict(os.environ, BPFLENS_FROM=ROOT + "/tests/archives/before.tar.gz"),
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def missing(task):
    for tool in ("tmux", "jq", "bash"):
        if (tool != "jq" or "jq" in task.command) and not shutil.which(tool):
            return tool + " is not installed"
    if "jited" in task.command and '"libbfd":true' not in subprocess.run([BPFLENS, "-j", "version"], stdout=subprocess.PIPE, universal_newlines=True).stdout:
        return "no disassembler"
    return ""


every = tasks.tasks()
ok([t.name[:2] for t in every] == ["%02d" % i for i in range(1, len(every) + 1)] and len(every) >= 59, "the tasks are numbered", [t.name for t in every])
ok(sum("often" in t.flags for t in every) == tasks.OFTEN, "ten of them are frequent")
for t in every:
    most = tasks.KEYS_OFTEN if "often" in t.flags else tasks.KEYS
    ok(t.keys() <= most, "%s: %d keys, at most %d" % (t.name, t.keys(), most), t.command)
with tempfile.TemporaryDirectory() as d:
    for name in ("bpflens", "bpftool"):
        os.symlink(BPFLENS, d + "/" + name)
    files(d)
    oops(d)
    for t in every:
        if "live" in t.flags:
            continue
        if missing(t):
            print("skip - %s: %s" % (t.name, missing(t)))
            continue
        got = tasks.screen(t, d, BPFLENS_FROM="%s/tests/archives/%s.tar.gz" % (ROOT, t.source))
        ok(t.shows(got), "%s: %s" % (t.name, t.command), got)
        # Sentences, code and lists in text are continued in the next line of the terminal.
        ok(all(len(line) <= 80 or re.match(r"\s|bpflens: |[!+-] |\d+: |<", line) or "  " not in line for line in got.splitlines()), "%s fits 80 columns" % t.name, got)
sys.exit(1 if failures else 0)
