#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""--from with a folder: many machines as one, each record with its host; and the manual's SQL queries."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

LENS = os.environ["BPFLENS"]
ARCHIVES = os.path.abspath(os.path.dirname(__file__) + "/../archives")
MANUAL = os.path.dirname(__file__) + "/../../man/bpflens-save.8.in"
failures = 0


def ok(good, what, detail=""):
    global failures
    print(("ok - " if good else "not ok - ") + what)
    if not good:
        failures += 1
        for line in str(detail).splitlines()[:12]:
            print("  |", line[:300])


def lens(*words):
    p = subprocess.run([LENS] + [str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


def records(*words):
    status, out, errors = lens("-j", *words)
    return json.loads(out)


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        return [int(c) for c in f.read().split()]


def has_open(pid, path):
    fds = "/proc/%d/fd" % pid
    try:
        return any(os.path.realpath(fds + "/" + fd) == os.path.realpath(path) for fd in os.listdir(fds))
    except FileNotFoundError:
        return False


folder = tempfile.mkdtemp(prefix="bpflens-fleet-")
os.environ.pop("BPFLENS_FROM", None)
try:
    fleet = folder + "/fleet"
    os.mkdir(fleet)
    machines = {"db": "sample", "web1": "attachments", "web2": "linux-6.12"}
    for host, archive in machines.items():
        shutil.copy("%s/%s.tar.gz" % (ARCHIVES, archive), "%s/%s.tar.gz" % (fleet, host))
    for words in (["prog", "list"], ["map", "list"], ["link", "list"], ["btf", "show"], ["ls"], ["mem"], ["mem", "--by", "type"], ["orphans"],
                  ["pin", "list"], ["net", "list", "-Q", "prog_id > 0"], ["audit"]):
        found = records("--from", fleet, *words)
        alone = []
        for host, archive in sorted(machines.items()):
            one = records("--from", "%s/%s.tar.gz" % (ARCHIVES, archive), *words)
            alone += [dict(r, host=host) for r in one] if isinstance(one, list) else []  # an error: reported for the machine
        ok(found and [{k: v for k, v in r.items() if k != "saved_at"} for r in found] == alone and all(r["saved_at"] > 1.7e9 for r in found),
           "%s: the records of each machine, with its host" % " ".join(words), "%d %d" % (len(found), len(alone)))
        status, out, errors = lens("--from", fleet, "--ndjson", *words)
        ok([json.loads(line) for line in out.splitlines()] == found, "%s: the same as lines" % " ".join(words), errors)
        files = ["--from=%s/%s.tar.gz" % (fleet, host) for host in sorted(machines)]
        ok(records(*files, *words) == found, "%s: several files" % " ".join(words))
    rows = records("--from", fleet, "prog", "list", "-Q", 'host == "web1" && saved_at > 0', "--sort", "-id", "-o", "id,host")
    ids = [r["id"] for r in rows]
    ok(ids and ids == sorted(ids, reverse=True) and {r["host"] for r in rows} == {"web1"}, "host in a filter, and sorting", rows[:5])
    rows = [r["id"] for r in records("--from", fleet, "prog", "list", "--sort", "id", "-o", "id")]
    ok(rows == sorted(rows) and len(rows) == len(records("--from", fleet, "prog", "list")), "sorted over all machines")
    status, out, errors = lens("--from", fleet, "prog", "list", "--sort", "host", "-o", "host,name")
    lines = [line.split()[0] for line in out.splitlines()]
    ok(lines[0] == "HOST" and lines[1:] == sorted(lines[1:]) and set(lines[1:]) == set(machines), "a table", out)
    status, out, errors = lens("--from", fleet, "mem", "--by", "kind")
    ok(out.split()[:3] == ["HOST", "SUM_OF", "OBJECTS"] and len(out.splitlines()) == 2 + 4 * len(machines), "a table of sums and its total", out)
    whole = ["-p", "--from", fleet, "map", "list"]
    one_cpu = subprocess.run(["taskset", "-c", str(min(os.sched_getaffinity(0)))] + [LENS] + whole, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    ok(one_cpu.stdout.decode() == lens(*whole)[1], "one process for each CPU: the same bytes as on one CPU")
    status, out, errors = lens("--from", fleet, "prog", "list", "no_such_program")
    ok(status == 3, "an object that no machine has", errors)
    status, out, errors = lens("--from", fleet, "prog", "dump", "xlated", "1")
    ok(status == 2 and "one machine" in errors, "a command that reads one machine", errors)
    whole = records("--from", fleet, "prog", "list")
    for name in ("broken", "worse"):
        with open("%s/%s.tar.gz" % (fleet, name), "w") as f:
            f.write("no archive")
    status, out, errors = lens("--from", fleet, "-j", "prog", "list")
    ok(status == 5 and "broken.tar.gz" in errors and "worse.tar.gz" in errors and json.loads(out) == whole, "damaged files are named and skipped", errors)
    status, out, errors = lens("--from", fleet, "-j", "orphans")
    ok(status == 5 and "cannot read web1: " in errors, "missing facts have the name of the machine", errors)
    os.unlink(fleet + "/worse.tar.gz")
    os.mkdir(folder + "/none")
    status, out, errors = lens("--from", folder + "/none", "prog", "list")
    ok(status == 3 and "no file" in errors, "an empty folder", errors)
    os.unlink(fleet + "/broken.tar.gz")
    script = re.search(r"\.Bd -literal[^\n]*\n(bpflens --from fleet.*?)\n\.Ed", open(MANUAL).read(), re.S)
    script = script.group(1).replace("\\&", "").replace("\\-", "-").replace("\\e", "\\") if script else ""
    ok("sqlite3" in script, "the manual has SQL queries")
    if not shutil.which("sqlite3"):
        print("skip - SQL: sqlite3 is not installed")
    else:
        os.symlink(LENS, folder + "/bpflens")
        p = subprocess.run(["sh", "-c", script], cwd=folder, env=dict(os.environ, PATH=folder + ":" + os.environ["PATH"]),
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out = p.stdout.decode()
        names = {}
        for r in whole:
            names.setdefault(r.get("prog_name", ""), set()).add(r["host"])
        most = max(len(h) for h in names.values())
        ok(p.returncode == 0 and out and int(out.splitlines()[0].split("|")[1]) == most, "SQL: programs that run on most machines",
           out + p.stderr.decode())
        script = re.search(r"\.Bd -literal[^\n]*\n(bpflens --from fleet -j ls .*?)\n\.Ed", open(MANUAL).read(), re.S).group(1)
        listed = {(r["host"], r["where"], r["what"], r.get("prog_name", "")) for r in records("--from", fleet, "ls")}
        for others in (listed, set()):  # a list before, of another day, has none of them, then all
            p = subprocess.run(["sh", "-c", script], cwd=folder, env=dict(os.environ, PATH=folder + ":" + os.environ["PATH"]),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            ok(p.returncode == 0 and {tuple(line.split("|")) for line in p.stdout.decode().splitlines()} == others and listed,
               "SQL: %d attachments are new" % len(others), (p.stdout, p.stderr))
            subprocess.run(["sqlite3", folder + "/fleet.db", "UPDATE ls SET day = '2026-01-01'"])
    # One of the processes is killed while it waits for a file.
    if len(os.sched_getaffinity(0)) < 2:
        print("skip - a process that dies: there is one CPU")
    else:
        os.mkfifo(folder + "/pipe")
        files = [fleet + "/db.tar.gz", folder + "/pipe", fleet + "/web1.tar.gz", fleet + "/web2.tar.gz"]
        p = subprocess.Popen([LENS, "-j"] + ["--from=" + f for f in files] + ["prog", "list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        writer = os.open(folder + "/pipe", os.O_WRONLY)
        # Its open() returns after the one here: until then the process does not have the descriptor.
        child, until = [], time.monotonic() + 20
        while not child and p.poll() is None and time.monotonic() < until:
            child = [c for c in children(p.pid) if has_open(c, folder + "/pipe")]
        for c in child:
            os.kill(c, 9)
        os.close(writer)
        out, errors = p.communicate()
        ok(len(child) == 1 and p.returncode == 5 and b"/pipe: the process that reads it has ended" in errors and json.loads(out) == whole,
           "if a process is killed, only its machine is missing", errors.decode())
finally:
    shutil.rmtree(folder)
sys.exit(1 if failures else 0)
