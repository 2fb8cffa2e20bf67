#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every example in the manual, and every command line in the README, succeeds: on the objects of mkobj, the map "counters"
of examples.bpf.c, and object files with the names in the examples."""
import os
import re
import shutil
import subprocess

from world import BPFLENS, BUILD, Run, World, finish, isolate, ok, skip

isolate(alone="its names are looked up on the whole machine")
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# The files that the examples name, and the fixtures of the tests that are used for them.
FILES = {"trace.bpf.o": "progs.bpf.o", "dump_task.bpf.o": "iters.bpf.o", "xdp_count.bpf.o": "xdp_count.bpf.o", "app.bpf.o": "load.bpf.o",
         "main.bpf.o": "progs.bpf.o", "maps.bpf.o": "xdp_count.bpf.o", "lib.bpf.o": "skel.bpf.o", "old.bpf.o": "diff_old.bpf.o", "new.bpf.o": "diff_new.bpf.o"}


def readme():
    """The lines with a prompt in the README's console blocks, with the recorded machine that they read; sudo
    does not pass the variable on."""
    machine = ""
    with open(ROOT + "/README.md") as f:
        for line in re.findall(r"(?m)^    [#$] (.*(?:bpflens |export ).*)$", f.read()):
            if line.startswith("export "):
                machine = line + "; "
            else:
                yield line if "sudo " in line else machine + line


def shorter(line):
    return line.replace("--count 10", "--count 2").replace("--seconds 2", "--seconds 0.2")


def lines():
    return Run([BPFLENS, "__doc", "examples"]).text.splitlines()


def run(w, line):
    return Run(["sh", "-c", line.replace("sudo ", "").replace("/sys/fs/bpf/", w.pins + "/")], cwd=w.dir, timeout=30,
               env=dict(os.environ, PATH=w.dir + ":" + os.environ["PATH"]))


def succeeds(line, r):
    """diff ends with 1 if the two differ, needs if the kernel lacks or refuses a feature, audit if it has findings; one archive lacks some
    answers and reports that."""
    good = (1,) if re.search("(btf|object) diff", line) else (0, 1) if re.search("feature diff|object needs|bpflens (diff|audit)", line) else \
        (0, 5) if "attachments.tar" in line else (0,)
    # What this machine hides even from root.
    hidden = "Operation not permitted" in r.errors and r.status == (2 if "bpflens diff" in line else 5)
    return (r.status in good or hidden) and (r.out or not re.search(r"\b(dump|histogram|layout|list)\b", line))


with World() as w:
    w.make()
    for name, fixture in FILES.items():
        shutil.copy("%s/tests/live/%s" % (BUILD, fixture), w.dir + "/" + name)
    if os.path.exists("/sys/kernel/btf/vmlinux"):
        shutil.copy("/sys/kernel/btf/vmlinux", w.dir + "/vmlinux-5.4.btf")
    os.symlink(ROOT + "/tests", w.dir + "/tests")
    counters = subprocess.Popen([BUILD + "/tests/live/mkobj", "--files", BUILD + "/tests/live/examples.bpf.o"], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, universal_newlines=True)
    for line in counters.stdout:
        if line.startswith("ready"):
            break
    w.run("map", "update", "name", "counters", "key", "1", "value", "7")
    w.run("save", w.dir + "/state.tar.gz")
    os.symlink("state.tar.gz", w.dir + "/before.tar.gz")
    # The address in the manual's example is of another machine.
    tag = w.run("-j", "prog", "show", "name", "count_exits").json["tag"]
    for line in lines() + list(readme()):
        if "jq" in line and not shutil.which("jq"):
            skip(line + ": jq is not installed")
            continue
        for _ in range(5):  # objects of others may come and go meanwhile
            r = run(w, re.sub(r"(?<=bpf_prog_)[0-9a-f]{16}(?=_count_exits)", tag, shorter(line)))
            good = succeeds(line, r)
            if good:
                break
        ok(good, line, r)
    counters.stdin.close()
    counters.wait()
finish()
