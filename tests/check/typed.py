#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Each time and each identifier that a list prints can be typed: times for -Q, --since and --at, in the formats of a terminal, a file and JSON;
ids, names, tags, pins, places and processes for show, ls, graph and why."""
import json
import os
import pty
import re
import subprocess
import sys

LENS = os.environ.get("BPFLENS", "build/bpflens")
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ARCHIVES = ["tasks", "relations", "sampled"]
KINDS = ["prog", "map", "link", "btf"]
EACH = 12  # objects of a kind that are tried
env = {k: v for k, v in os.environ.items() if k not in ("BPFLENS_PAGER", "PAGER", "BPFLENS_FROM", "BPFLENS_COLORS")}
env.update(LC_ALL="C.UTF-8", COLUMNS="300", TZ="XXX-2")
failed = tried = 0


def run(archive, words, at=None):
    source = ["--from", HERE + "/archives/%s.tar.gz" % archive] + (["--at", at] if at else [])
    return subprocess.run([LENS, "--color=never", "--no-pager"] + source + words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=env, universal_newlines=True, errors="replace")


def on_terminal(archive, words):
    ours, theirs = pty.openpty()
    p = subprocess.Popen([LENS, "--color=never", "--no-pager", "--wide", "--from", HERE + "/archives/%s.tar.gz" % archive] + words,
                         stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL, env=env)
    os.close(theirs)
    text = b""
    while True:
        try:
            got = os.read(ours, 65536)
        except OSError:
            break
        text += got
        if not got:
            break
    p.wait()
    os.close(ours)
    return text.decode().replace("\r", "")


def check(good, what, r):
    global failed, tried
    tried += 1
    if not good:
        failed += 1
        print("not ok - %s: status %d: %s" % (what, r.returncode, (r.stderr or r.stdout).split("\n")[0]))


def rows(archive, words):
    text = run(archive, words + ["-j"]).stdout
    return json.loads(text) if text.strip() else []


def cells(text):
    """Those of a table of the columns id and a time: the time has blanks."""
    return [line.split(None, 1) for line in text.split("\n")[1:] if re.match(r" *\d+ ", line)]


def times(archive):
    """(id, text) of all load times, as they are printed."""
    words = ["prog", "list", "-o", "id,loaded_at"]
    found = cells(run(archive, words).stdout) + cells(on_terminal(archive, words))
    found += [(p["id"], str(p["loaded_at"])) for p in rows(archive, ["prog", "list"]) if p.get("loaded_at")]
    for block in re.split(r"\n(?=\d)", run(archive, ["prog", "show"]).stdout):
        found += [(block.split(":")[0], t) for t in re.findall(r"loaded_at (\S+)", block)]
    return [(int(i), t) for i, t in found if t not in ("-", "?")]


def times_typed(archive):
    for id, text in times(archive):
        for words in (["-Q", "loaded_at == %s" % text], ["-Q", "id == %d && loaded_at == '%s'" % (id, text)]):
            r = run(archive, ["prog", "list", "-o", "id", "--noheadings"] + words)
            check(str(id) in r.stdout.split(), "%s: -Q %s" % (archive, words[1]), r)
        r = run(archive, ["prog", "list", "--since", text])
        check(r.returncode == 0, "%s: --since %s" % (archive, text), r)


def moments_typed(archive):
    """Times within the recording, and the bounds that --at itself prints."""
    bounds = re.findall(r"\d{4}-\S+\d{4}", run(archive, ["prog", "list"], at="2001-01-01").stderr)
    check(len(bounds) == 2, "%s: bounds of the recording" % archive, run(archive, ["prog", "list"], at="2001-01-01"))
    for at in bounds + [t for p in rows(archive, ["prog", "list"]) for k in ("loaded_at", "gone_at") if p.get(k) for t in (str(p[k]),)]:
        r = run(archive, ["prog", "list", "-o", "id,loaded_at"], at=at)
        check(r.returncode == 0 or "is not in the recording" in r.stderr, "%s: --at %s" % (archive, at), r)
    for at in bounds:
        check(run(archive, ["prog", "list"], at=at).returncode == 0, "%s: --at %s" % (archive, at), run(archive, ["prog", "list"], at=at))


def objects_typed(archive):
    for kind in KINDS:
        for o in rows(archive, [kind, "list", "-f"])[:EACH]:
            refs = [["id", str(o["id"])]] + [[k, o[k]] for k in ("name", "tag") if o.get(k)] + [["pinned", p] for p in o.get("pinned", [])]
            refs += [[o["name"]]] if o.get("name") and kind != "btf" else []
            for ref in refs:
                if ref[0] in ("id", "name", "pinned") or kind == "prog" or len(ref) == 1:
                    r = run(archive, [kind, "show"] + ref)
                    check(r.returncode in (0, 5) and r.stdout, "%s: %s show %s" % (archive, kind, " ".join(ref)), r)
                    r = run(archive, ["why", kind] + ref)
                    check(r.returncode in (0, 5) and r.stdout, "%s: why %s %s" % (archive, kind, " ".join(ref)), r)


def attachments_typed(archive):
    listed = rows(archive, ["ls"])
    for a in listed:
        for key in ("where", "what", "owner"):
            if not a.get(key):
                continue
            r = run(archive, ["ls", a[key], "-j"])
            check(any(all(a.get(k) == b.get(k) for k in ("where", "what", "prog_id")) for b in json.loads(r.stdout or "[]")), "%s: ls %s" % (archive, a[key]), r)
        for word in {a["where"], a.get("owner")} - {None}:
            r = run(archive, ["why", word])
            check(r.returncode in (0, 5) and r.stdout, "%s: why %s" % (archive, word), r)
    for o in [o for kind in KINDS for o in rows(archive, [kind, "list"])]:
        for p in o.get("pids", []):
            for word in (["process", str(p["pid"])], ["pid", str(p["pid"])], ["%s(%s)" % (p["comm"], p["pid"])]):
                for verb in ("why", "graph"):
                    r = run(archive, [verb] + word)
                    check(r.returncode in (0, 5) and r.stdout, "%s: %s %s" % (archive, verb, " ".join(word)), r)


def main():
    for archive in ARCHIVES:
        times_typed(archive)
        objects_typed(archive)
        attachments_typed(archive)
    for archive in ("recording", "sampled"):
        moments_typed(archive)
    if tried < 400:
        print("not ok - only %d were tried" % tried)
    elif not failed:
        print("ok - %d printed times and identifiers can be typed" % tried)
    return 1 if failed or tried < 400 else 0


if __name__ == "__main__":
    sys.exit(main())
