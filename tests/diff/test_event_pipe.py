#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The same events through the distribution's bpftool and bpflens: the same text and JSON, except times."""
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from feed import Feed, Stream  # noqa: E402
from world import BPFLENS, finish, isolate, ok, skip, until  # noqa: E402

isolate()
if not shutil.which("bpftool"):
    skip("bpftool is not installed")
    sys.exit(77)


def heard(f, tool, flags, words):
    """What the tool prints; bpftool buffers JSON that it writes to a pipe."""
    s = Stream("stdbuf", "-o0", tool, *(flags + ["map", "event_pipe", "id", f.maps["feed_events"]] + words))
    # Until it listens: what is written before the events are enabled is lost.
    until(lambda: f.run("perf", 99, 0) == 0 and s.wait("99" if flags else "63 00 00 00", 0.1), every=0.01)
    for n in (1, 2):
        f.run("perf", n, 0)
    s.wait("[2,0,0" if flags else "\n02 00 00 00")
    status, text, _ = s.end()
    text = re.sub(r'@\d+\.\d{9}|"timestamp":\d+', "TIME", text)
    # Padding has old contents; a task with another name may run the program.
    return status, [line for line in text.splitlines() if line != "Stopping..."]


def last_two(lines):
    starts = [i for i, line in enumerate(lines) if line.startswith("==")]
    # After the number is the name of the task, which may reach into the second line.
    return [line if line.startswith("==") else line[:11] if before.startswith("==") else len(line)
            for before, line in zip([""] + lines[starts[-2]:], lines[starts[-2]:])]


with Feed() as feed:
    if feed.run("perf", 0) == -524:
        skip("this kernel cannot run raw tracepoint programs for tests")
    else:
        theirs, ours = (heard(feed, tool, [], []) for tool in ("bpftool", BPFLENS))
        ok(theirs[0] == ours[0] == 0 and last_two(theirs[1]) == last_two(ours[1]), "plain", "%s\n%s" % (theirs, ours))
        words = ["cpu", "0", "index", "0"]
        theirs, ours = (heard(feed, tool, ["-j"], words) for tool in ("bpftool", BPFLENS))
        docs = [json.loads(x[1][-1].replace("TIME", '"timestamp":0'))[-2:] for x in (theirs, ours)]
        for d in docs[0] + docs[1]:
            d["data"] = d["data"][:4] + [len(d["data"])]
        ok(docs[0] == docs[1] and len(docs[0]) == 2, "JSON", docs)
finish()
