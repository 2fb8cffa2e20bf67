#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Each time and each identifier that a list prints can be typed: all columns that are times, for -Q and --since, those of recordings, events and info for
--at, in the formats of a terminal, a file and JSON;
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
lists = {}


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


def time_columns():
    """The lists that have times, with the columns: {("prog", "list"): ["loaded_at", ...]}."""
    found = {}
    for line in run("tasks", ["schema", "-o", "document,json_key,json_type", "--noheadings"]).stdout.splitlines():
        document, key, kind = re.split(r" {2,}", line.strip())[:3]
        words = tuple(document.split())
        if kind == "time" and words[-1] != "show" and run("tasks", [*words, "--list-columns"]).returncode == 0 and run("tasks", list(words)).returncode != 2:
            found.setdefault(words, set()).add(key)
    return {words: sorted(keys & {line.split()[0] for line in run("tasks", [*words, "--list-columns"]).stdout.splitlines()})
            for words, keys in found.items()}


def printed(archive, words, column):
    """The times of a column as text, a terminal and JSON show them; one may have a blank."""
    listed = run(archive, [*words, "-j"])
    try:
        found = json.loads(listed.stdout)
    except ValueError:
        return set()
    found = found.get("programs", []) if isinstance(found, dict) else found
    texts = {str(o[column]) for o in found if o.get(column)}
    for text in (run(archive, [*words, "-o", column]).stdout, on_terminal(archive, [*words, "-o", column])):
        lines = text.rstrip("\n").split("\n")
        heading = next((i for i, line in enumerate(lines) if line and line.upper() == line and ":" not in line), len(lines))
        texts |= {line.strip() for line in lines[heading + 1:]}
    return texts - {"-", "?", ""}


def times_typed(archive):
    for words, columns in lists.items():
        for column in columns:
            texts = printed(archive, words, column)
            check(texts or archive == "sampled" or column == "gone_at" or words in (("ls",), ("orphans",)), "%s: %s has times" % (archive, words), run(archive, list(words)))
            for text in texts:
                r = run(archive, [*words, "-Q", "%s == '%s'" % (column, text), "-o", column, "--noheadings", "--exit-status"])
                check(r.returncode in (0, 5) and r.stdout.strip(), "%s: %s -Q %s == '%s'" % (archive, " ".join(words), column, text), r)
                r = run(archive, [*words, "--since", text])
                check(r.returncode in (0, 5), "%s: %s --since '%s'" % (archive, " ".join(words), text), r)
    for block in re.split(r"\n(?=\d)", run(archive, ["prog", "show"]).stdout):
        for text in re.findall(r"loaded_at (\S+)", block):
            r = run(archive, ["prog", "list", "-o", "id", "--noheadings", "-Q", "loaded_at == %s" % text])
            check(block.split(":")[0] in r.stdout.split(), "%s: -Q loaded_at == %s" % (archive, text), r)


def moments_typed(archive):
    """Times within the recording, and the bounds that --at itself prints."""
    bounds = re.findall(r"\d{4}-\S+\d{4}", run(archive, ["prog", "list"], at="2001-01-01").stderr)
    check(len(bounds) == 2, "%s: bounds of the recording" % archive, run(archive, ["prog", "list"], at="2001-01-01"))
    heads = re.findall(r"(?<=from |. to )\d[^\s,]+", run(archive, ["info"]).stdout)
    events = on_terminal(archive, ["events", "-o", "time", "--noheadings"]).split("\n")[:-1]
    events += [o["time"] for o in map(json.loads, run(archive, ["events", "--ndjson"]).stdout.splitlines())]
    check(heads and events, "%s: times of info and of events" % archive, run(archive, ["info"]))
    for at in bounds + heads + events + [t for p in rows(archive, ["prog", "list"]) for k in ("loaded_at", "gone_at") if p.get(k) for t in (str(p[k]),)]:
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
    lists.update(time_columns())
    if not {("prog", "list"), ("ls",), ("orphans",), ("report",)} <= set(lists):
        print("not ok - lists with times: %s" % sorted(lists))
        return 1
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
