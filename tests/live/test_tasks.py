#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Common tasks, with short command lines and their output: those of tests/tasks that change or watch something. Names are looked up on the whole
machine, so no other object may have them."""
import os
import re
import subprocess
import sys
import threading

from world import BUILD, World, finish, isolate, ok, skip, until, waiting_in

isolate()
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tasks"))
import tasks  # noqa: E402


def make(w):
    """The small firewall of tests/tasks/world; only pins hold it."""
    def run(*words):
        r = w.run(*words)
        if r.status not in (0, 5):
            raise RuntimeError(str(r))
    fw = w.pins + "/fw"
    subprocess.run(["ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth1"], check=True)
    run("prog", "loadall", BUILD + "/tests/live/tasks.bpf.o", fw, "pinmaps", fw)
    run("attach", "pinned", fw + "/fw_count", "to", "eth0", "xdpgeneric")
    run("map", "update", "pinned", fw + "/fw_flows", "key", "saddr=10.9.0.1", "value", "packets=3", "bytes=180")
    run("map", "update", "pinned", fw + "/fw_routes", "key", "10.1.2.0/24", "value", "7")
    os.symlink(fw, w.dir + "/fw")
    os.symlink(BUILD + "/tests/live/tasks.bpf.o", w.dir + "/fw.bpf.o")
    with open(w.dir + "/updates", "w") as f:
        f.writelines("map update name fw_sizes key %d value %d\n" % (i % 16, i) for i in range(500))
    return fw


def later(w, *words):
    """Changes while the task runs."""
    def do():
        until(lambda: waiting_in(os.path.realpath(w.dir)))
        w.run(*words)
    t = threading.Thread(target=do)
    t.start()
    return t


def even(text):
    """Output without what differs between machines: ids, times, widths of columns, other objects and holders."""
    lines = [line for line in text.splitlines() if not re.match(r"bpflens: \d+ objects? could not|bpflens: cannot (read|list)|note: |status 5", line)]
    text = "\n".join(lines)
    text = re.sub(r"\d\d:\d\d:\d\d", "HH:MM:SS", text)
    text = re.sub(r"(?<= in )[\d.]+s$", "Ns", text, flags=re.M)
    text = re.sub(r" +\+\d+\.\d$", "  +N", text, flags=re.M)
    text = re.sub(r"(?<=saved ).*", lambda m: re.sub(r"\b\d[\d.]*[KM]?B?\b", "N", m.group()), text)
    text = re.sub(r"\bN (program|map|link|BTF object)\b", r"N \1s", text)
    return re.sub(r"\b(program|map|link|id|in place of) \d+", r"\1 N", text)


def main(w):
    fw = make(w)
    helps = {"09-rates": ("map", "update", "pinned", fw + "/fw_sizes", "key", "3", "value", "12"),
             "18-tap": ("prog", "run", "pinned", fw + "/fw_limit", "data", "00" * 64)}
    every = [t for t in tasks.tasks() if "live" in t.flags]
    # Objects are removed last.
    for t in sorted(every, key=lambda t: (t.name in ("05-detach", "14-unpin"), t.name == "14-unpin", t.name)):
        meanwhile = later(w, *helps[t.name]) if t.name in helps else None
        got = even(tasks.screen(t, w.dir))
        if meanwhile:
            meanwhile.join()
        ok(t.shows(got), "%s: %s" % (t.name, t.command), got)
        if t.name == "03-member":
            value = w.run("-j", "map", "dump", "pinned", fw + "/fw_flows").json[0]["formatted"]["value"]
            ok(value["packets"] == 99 and value["bytes"] == 180, "no other member has changed", value)
    left = os.listdir(fw)
    ok(not left, "no pin is left there", left)


if subprocess.run(["sh", "-c", "command -v tmux jq"], stdout=subprocess.DEVNULL).returncode:
    skip("tmux or jq is not installed")
    sys.exit(77)
with World() as w:
    main(w)
finish()
