#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Records that programs send to user space, as they arrive: through maps of perf events and through ring buffers. All arrive,
also with types; reading does not take records from other readers; in any case the document is complete and the status 0."""
import errno
import json
import re
import signal
import subprocess
import tempfile

from feed import Feed, Stream
from world import BPFLENS, blocked, finish, has_trace_pipe, isolate, ok, skip, strict_json

isolate()


def pipe(f, *words):
    """event_pipe with these words before the verb ("-j") and after the map, when it listens."""
    before = [w for w in words if str(w) in ("-j", "--ndjson")]
    s = Stream(BPFLENS, *(before + ["map", "event_pipe", "id", f.maps["feed_events"]] + [w for w in words if w not in before]))
    s.listening()
    return s


def events(f):
    s = pipe(f)
    f.run("perf", 7, 0)
    ok(s.wait("07 00 00 00"), "an event comes when it happens", s.text)
    status, text, err = s.end(signal.SIGTERM)
    ok(status == 0 and re.match(r"== @\d+\.\d{9} CPU: 0 index: 0 =====\n07 00 00 00 ", text), "ended by SIGTERM", text + err)
    for how in (signal.SIGINT, signal.SIGHUP):
        s = pipe(f, "-j")
        f.run("perf", 8, 0)
        s.wait('"data"')
        status, text, err = s.end(how)
        doc = strict_json(text.encode())
        ok(status == 0 and len(doc) == 1 and list(doc[0]) == ["type", "cpu", "index", "timestamp", "data"] and doc[0]["type"] == 9
           and doc[0]["data"][:4] == [8, 0, 0, 0], "a complete document after signal %d" % how, text + err)
    s = pipe(f, "--ndjson", "type", "feed_event", "--count", 2)
    for n in (1, 2):
        f.run("perf", n, 0)
        ok(s.wait('{"n":%d,"pid":' % n), "line %d at once" % n, s.text)
    s.process.wait(10)
    status, text, err = s.end()
    lines = [json.loads(line) for line in text.splitlines()]
    ok(status == 0 and [line["formatted"]["n"] for line in lines] == [1, 2], "--count ends it", text + err)
    s = pipe(f, "type", "struct feed_event", "from", "file", "tests/live/nothing")
    ok(s.end()[0] == 3, "a file that does not exist")
    r = f.lens("-j", "map", "event_pipe", "id", f.maps["feed_events"], "type", "nonsense")
    ok(r.status == 3 and r.json["errno"] == "ENOENT", "a type that does not exist", r)


def places(f):
    first = pipe(f)
    r = f.lens("map", "event_pipe", "id", f.maps["feed_events"])
    ok(r.status == 1 and "another process listens at index 0" in r.errors and "--force" in r.errors, "an index that is in use", r)
    f.run("perf", 3, 0)
    ok(first.wait("03 00 00 00"), "the other listener continues", first.text)
    second = pipe(f, "--force")
    f.run("perf", 4, 0)
    ok(second.wait("04 00 00 00"), "--force", second.text)
    second.end()
    first.end()
    s = pipe(f, "cpu", 0, "index", 0)
    ok(f.run("perf", 5, 0) == 0 and s.wait("CPU: 0 index: 0"), "the indexes are free again; one CPU", s.text)
    s.end()
    e = f.maps["feed_events"]
    for words, sentence in ((["cpu", 0], "together"), (["cpu", "x", "index", 0], "can't parse x as CPU ID"),
                            (["cpu", 0, "index", 9999], "index 9999 is out of range"), (["from", "map", "id", e], "'type'")):
        r = f.lens("map", "event_pipe", "id", e, *words)
        ok(r.status == 2 and sentence in r.errors, " ".join(str(w) for w in words), r)
    r = f.lens("map", "event_pipe", "id", f.maps["feed_ring"])
    ok(r.status == 1 and "it is not a perf event array" in r.errors and "map tap" in r.errors, "another type of map", r)


def fill(f):
    d = f.lens("-j", "map", "show", "id", f.maps["feed_ring"]).json
    return {k: d[k] for k in ("bytes_pending", "consumer_pos", "producer_pos")}


def rings(f):
    ring = f.maps["feed_ring"]
    f.run("ring", 1)
    f.run("discard")
    f.run("ring", 2)
    state = fill(f)
    ok(state == {"bytes_pending": 112, "consumer_pos": 0, "producer_pos": 112}, "map show: how full it is", state)
    with tempfile.TemporaryDirectory() as d:
        f.lens("save", d + "/a.tar.gz")
        live, saved = (f.lens(*a + ["map", "show", "id", ring]) for a in ([], ["--from", d + "/a.tar.gz"]))
        ok(live.status == 0 and saved.out == live.out, "the same in an archive", saved)
    s = Stream(BPFLENS, "map", "tap", "id", ring)
    ok(s.wait("02 00 00 00"), "the waiting records", s.text)
    f.run("ring", 3)
    ok(s.wait("03 00 00 00"), "new records", s.text)
    status, text, err = s.end()
    ok(status == 0 and re.findall(r"== @(\d+) size: 24 =====\n0(\d)", text) == [("0", "1"), ("80", "2"), ("112", "3")],
       "no discarded record", text + err)
    ok(fill(f)["consumer_pos"] == 0, "no record was consumed", fill(f))
    s = Stream(BPFLENS, "-j", "map", "tap", "id", ring, "type", "feed_event", "--consume", "--count", 3)
    s.process.wait(10)
    status, text, err = s.end()
    doc = strict_json(text.encode())
    ok(status == 0 and [r["formatted"]["n"] for r in doc] == [1, 2, 3] and doc[0]["size"] == 24 and
       len(doc[0]["data"]) == 24, "typed", text + err)
    ok(fill(f)["bytes_pending"] == 0, "--consume consumed them", fill(f))
    refused = sum(f.run("ring", n) != 0 for n in range(200))
    ok(refused == 200 - 127, "without a consumer: full after 127 records of 32 bytes", refused)
    r = f.lens("-j", "map", "tap", "id", ring, "--count", 127, "--consume")
    ok(r.status == 0 and [x["data"][0] for x in r.json] == list(range(127)), "all of them, across the end of the buffer", r)
    s = Stream(BPFLENS, "--ndjson", "map", "tap", "id", ring, "--consume")
    for n in range(300):
        while f.run("ring", n % 128) == -errno.EAGAIN:  # the kernel's lock of the ring, on a busy machine
            pass
        if not s.wait('"data":[%d,' % (n % 128)):
            break
        s.text = ""
    ok(n == 299, "300 records in a buffer for 127", n)
    status, text, err = s.end()
    ok(status == 0 and "lost" not in text, "ends well", text + err)
    r = f.lens("map", "tap", "id", f.maps["feed_events"])
    ok(r.status == 1 and "it is not a ring buffer" in r.errors and "event_pipe" in r.errors, "another type of map", r)


def unread(f):
    """The output is not read any more, and no record arrives that would be written."""
    quiet = (["map", "tap", "id", f.maps["feed_ring"]], ["map", "event_pipe", "id", f.maps["feed_events"]],
             ["events", "-Q", 'name == "nobody"'], *[["prog", "tracelog"]] * bool(has_trace_pipe()))
    for words in quiet:
        p = subprocess.Popen([BPFLENS] + [str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        going = blocked(p)
        p.stdout.close()
        try:
            p.wait(10)
        except subprocess.TimeoutExpired:
            p.kill()
        ok(going and p.wait() == 0, " ".join(words[:2]) + ": ends with its reader", (going, p.returncode))


with Feed() as feed:
    if feed.run("perf", 0) == -524:
        skip("this kernel cannot run raw tracepoint programs for tests")
    else:
        events(feed)
        places(feed)
        rings(feed)
        unread(feed)
finish()
