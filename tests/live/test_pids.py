#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""In a process namespace, as in a container, a process has another number than in the initial one. Every way to find
processes shows the number in the /proc of the namespace."""
from feed import Feed
from world import World, finish, isolate, ok

isolate(tasks=True)


def pids(rows):
    return {p["pid"] for row in rows for p in row.get("pids") or []}


with Feed() as feed, World() as w:
    w.make()
    mine = w.ids("prog")
    for way in ([], ["--no-load"]):
        r = w.run(*way, "-j", "prog", "show")
        found = pids(x for x in r.json if x["id"] in mine)
        ok(r.status == 0 and found == {w.pid}, "holders %s" % " ".join(way), "%s, not %s: %s" % (found, w.pid, r))
        r = w.run(*way, "-j", "prog", "show", "id", min(mine))
        ok(r.status == 0 and pids([r.json]) == {w.pid}, "holders of one object %s" % " ".join(way), r)
    r = w.run("-j", "map", "storage", "id", feed.maps["feed_task"])
    ok(r.status == 0 and {x["owner"]["pid"] for x in r.json} == {feed.pid}, "owners of task storage", "%s: %s" % (feed.pid, r))
finish()
