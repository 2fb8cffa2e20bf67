#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""record --max-size: several files in succession, each complete. Each program is in the file that was written when it was loaded, with its
types, and as long as it is loaded also in the next files; nothing is lost between two files. After a kill or interrupt at any moment, all files open."""
import json
import os
import random
import re
import signal
import subprocess
import tempfile
import time

from rawbpf import newest_ids
from recordings import LOADER, differences, held, left, lives_in, members, recorder, truth
from world import BPFLENS, BUILD, Run, finish, isolate, number, ok, patience, skip, until

isolate(alone="hundreds of programs are freed")
PROGRAMS = number("PROGRAMS", 400)
KILLS = number("KILLS", 3)
SEED = number("SEED", random.randrange(1 << 32))
LEAST = "1M"  # the existing objects take more: a file has room for as much again


def files(path):
    """The complete files and the one that is being written, by number."""
    d, base = os.path.split(path)
    found = [re.fullmatch(re.escape(base) + r"(?:\.(\d+))?(?:\.partial)?", n) for n in os.listdir(d)]
    return [d + "/" + m.group() for m in sorted(filter(None, found), key=lambda m: int(m.group(1) or 0))]


def lives(got):
    lines = lives_in(got)
    return [int(x) for x in lines[0][1:]], {int(line[0]): line for line in lines[1:]}


def load(n, d):
    os.makedirs(d, exist_ok=True)
    subprocess.run([LOADER, str(n), "2", "30", d], check=True, timeout=patience(200))


def wait(r, path, seconds=60):
    """Wait until the file has begun; it may already be complete."""
    until(lambda: r.poll() is not None or files(path), patience(seconds), 0.002)
    return files(path) != []


def switches(d):
    """Load programs in a loop, over many files."""
    os.mkdir(d + "/truth")
    r = recorder("-o", d + "/a", "--max-size", LEAST, "-F", "99", "--", LOADER, str(PROGRAMS), "2", "30", d + "/truth")
    _, errors = r.communicate(timeout=patience(300 + PROGRAMS))
    want, made = truth(d + "/truth"), files(d + "/a")
    m = re.search(r"(\d+) programs loaded, (\d+) recorded whole, 0 lost; (\S+) to (\S+), ", errors)
    # 5, here and below: objects of others, such as trampolines, may be freed before they are read.
    ok(r.returncode in (0, 5) and m and int(m.group(1)) >= PROGRAMS and m.group(1) == m.group(2), "%d programs: all complete" % PROGRAMS, errors)
    # Fewer programs may fit in two files.
    ok(len(made) > (2 if PROGRAMS >= 800 else 1) and made[:2] == [d + "/a", d + "/a.1"] and m and m.group(4) == made[-1], "there are several files", "%s\n%s" % (made, errors))
    times, bad, first = [], {}, {}
    for path in made:
        got = members(path)
        span, all_ = lives(got)
        times.append(span)
        mine = [i for i in want if i in all_ and all_[i][5] != "before"]
        for i in mine:
            bad.update({i: b for b in [differences(got, i, want[i])] if b})
            first.setdefault(i, []).append(path)
        bad.update({path: name for name in ("sys/kallsyms", "sys/clock", "sys/uname", "sys/cpus", "sys/limits", "sys/sampling", "index") if name not in got})
        listed = Run([BPFLENS, "--from", path, "-j", "prog", "list"])
        ids = {p["id"] for p in json.loads(listed.out)} if listed.status in (0, 5) else set()
        ok(set(mine) <= ids and Run([BPFLENS, "report", path]).status in (0, 5), "%s: opens, and lists its %d programs" % (os.path.basename(path), len(mine)), listed)
        bad.update({i: "begin and end of lives" for i in mine if not all_[i][2].isdigit() or int(all_[i][1]) > int(all_[i][2])})
    ok(not bad, "all answers are equal to what the loader read, and lives are known", str(list(bad.items())[:5]))
    ok(sorted(first) == sorted(want) and all(len(f) == 1 for f in first.values()), "each program was loaded in one of them",
       str([i for i in want if len(first.get(i, [])) != 1][:5]))
    ok(all(a < b for a, b in times) and all(x[1] == y[0] for x, y in zip(times, times[1:])), "each begins where the one before ends", times)
    ok(all(os.stat(p).st_mode & 0o777 == 0o600 for p in made), "they are private")
    ok(all(os.stat(p).st_size >= 1 << 20 for p in made[:-1]), "a file is full before the next one begins")


def has(r, path, ident):
    """Wait until the program is in a file, which may become complete meanwhile."""
    def there():
        return any(str(ident) in Run([BPFLENS, "--from", p, "prog", "list", "-o", "id", "--noheadings"]).text.split() for p in files(path))
    return until(lambda: r.poll() is not None or there(), patience(60)) and r.poll() is None


def read(path):
    """Facts of a program from the kernel and from a file."""
    texts = [Run([BPFLENS, "prog", "dump", i, "pinned", path, "linum"]).text for i in ("xlated", "jited")]
    return json.loads(Run([BPFLENS, "-j", "prog", "show", "pinned", path]).out)["id"], texts


def pinned(d, name):
    path = d + "/fs/" + name
    r = Run([BPFLENS, "prog", "load", BUILD + "/tests/live/feed.bpf.o", path])
    return (path,) + read(path) if r.status == 0 else None


def living(d):
    """Programs that were loaded before, between and after; the first is unloaded in between."""
    os.mkdir(d + "/fs")
    subprocess.run(["mount", "-t", "bpf", "none", d + "/fs"], check=True)
    try:
        before = pinned(d, "before")
        if not before:
            return skip("programs that stay loaded: they cannot be loaded here")
        r = recorder("-o", d + "/l", "--max-size", LEAST)
        has(r, d + "/l", before[1])
        early = pinned(d, "early")
        load(300, d + "/truth_l1")
        ok(wait(r, d + "/l.1"), "the second file")
        number = len(files(d + "/l")) - 1
        has(r, files(d + "/l")[-1].removesuffix(".partial"), before[1])
        late = pinned(d, "late")
        os.unlink(before[0])
        load(300, d + "/truth_l2")
        ok(wait(r, "%s/l.%d" % (d, number + 1)), "another one after that")
        has(r, files(d + "/l")[-1].removesuffix(".partial"), late[1])
        r.send_signal(signal.SIGINT)
        _, errors = r.communicate(timeout=patience(100))
    finally:
        subprocess.run(["umount", d + "/fs"])
    made = files(d + "/l")
    ok(r.returncode in (0, 5) and not made[-1].endswith(".partial"), "interrupted, the last file is complete", errors)
    is_in = {}
    for what, (_, ident, texts) in (("before", before), ("early", early), ("late", late)):
        there = [p for p in made if ident in lives(members(p))[1]]
        is_in[what] = [made.index(p) for p in there]
        got = [[Run([BPFLENS, "--from", p, "prog", "dump", i, "id", str(ident), "linum"]).text for i in ("xlated", "jited")] for p in there]
        ok(there and all(g == texts for g in got), "%s: in each file its code is equal to the kernel's" % what)
    last = len(made) - 1
    ok(is_in["before"][0] == 0 and 1 in is_in["before"] and last not in is_in["before"], "one that was loaded before is in the files until its unload", is_in)
    ok(is_in["early"] == list(range(last + 1)), "one that was loaded in the first file is in all", is_in)
    ok(is_in["late"][0] > 0 and is_in["late"][-1] == last, "one that was loaded later is in the files since then", is_in)
    loaders = {lives(members(p))[1][early[1]][7] for p in made}
    ok(loaders == {"bpflens"}, "its loader is known in each", loaders)


def newest(d):
    most_programs = max(PROGRAMS, 800)  # fewer fit in two files
    os.mkdir(d + "/truth_n")
    r = recorder("-j", "-o", d + "/n", "--max-size", LEAST, "--max-files", "2", "--", LOADER, str(most_programs), "2", "30", d + "/truth_n")
    counts = [0]
    until(lambda: counts.append(len(files(d + "/n"))) or r.poll() is not None, patience(300 + most_programs), 0.01)
    most = max(counts)
    out, errors = r.communicate(timeout=patience(100))
    made = files(d + "/n")
    said = json.loads(out) if r.returncode in (0, 5) else {}
    # The next file exists a moment before the oldest is removed.
    ok(len(made) == 2 and most <= 3 and d + "/n" not in made, "--max-files: the newest two remain", "%s %d %s" % (made, most, errors))
    ok([said.get("file"), said.get("last_file")] == made and said.get("bytes") == sum(os.stat(p).st_size for p in made), "the summary names them", out)


def ended(d, name, moment, how):
    """All files of a recorder that is ended @moment seconds after its start (None: once it writes its second file), what its loaders read, and the
    objects that they and the recorder held."""
    os.mkdir(d + "/truth_" + name)
    before = newest_ids()
    r = recorder("-o", d + "/" + name, "--max-size", LEAST, "--", LOADER, "400", "2", "50", d + "/truth_" + name, start_new_session=True)
    try:
        if moment is None:
            wait(r, d + "/" + name + ".1")
        else:
            r.wait(moment)
    except subprocess.TimeoutExpired:
        pass
    r.send_signal(signal.SIGSTOP)
    objects = held(r.pid, before)
    r.send_signal(how)
    r.send_signal(signal.SIGCONT)
    if how == signal.SIGKILL:
        try:
            os.killpg(r.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
    _, errors = r.communicate(timeout=patience(100))
    return files(d + "/" + name), truth(d + "/truth_" + name), objects, r.returncode, errors


def right(path, want):
    """False: the file does not open, or a program that is marked complete is not."""
    listed = Run([BPFLENS, "--from", path, "-j", "prog", "list"])
    if listed.status not in (0, 5):
        return "is truncated after 1 answer" in listed.text
    got = members(path)
    if "sys/lives" not in got:
        return path.endswith(".partial")
    _, all_ = lives(got)
    bad = {i: differences(got, i, want[i]) for i in want if i in all_ and all_[i][5] != "missed" and all_[i][6] == "-"}
    bad = {i: b for i, b in bad.items() if b}
    return ok(not bad, "%s: its programs are correct" % os.path.basename(path), str(list(bad.items())[:5])) if bad else True


def killed(d):
    began = time.monotonic()
    several = ended(d, "whole", patience(300), signal.SIGKILL)[0]
    took = time.monotonic() - began
    made = [ended(d, "k%d" % i, random.uniform(0.3, 1) * took if i else None, signal.SIGKILL) for i in range(KILLS)]
    wrong = [p for paths, want, _, _, _ in made for p in paths if not right(p, want)]
    ok(len(several) > 1 and len(made[0][0]) > 1, "a recorder wrote several files")
    ok(not wrong, "killed at %d moments (BPFLENS_SEED=%d): each file opens and is correct" % (KILLS, SEED), wrong)
    objects = set().union(*(run[2] for run in made))
    made = [ended(d, "i%d" % i, random.uniform(0.3, 1) * took, signal.SIGINT) for i in range(KILLS)]
    objects.update(*(run[2] for run in made))
    wrong = [p for paths, want, _, status, _ in made for p in paths if status not in (0, 5, 128 + signal.SIGINT) or p.endswith(".partial") or not right(p, want)]
    ok(not wrong and all(run[0] for run in made), "interrupted at as many moments: each is complete", "%s\n%s" % (wrong, [run[3:] for run in made if run[3]]))
    still = left(objects)
    ok({"prog", "map", "link"} <= {kind for kind, _ in objects} and not still, "nothing stays loaded", still)


def refused(d):
    for argv, says in ((["--max-size", "1023K"], "not a size of a file"), (["--max-size", "5G"], "not a size of a file"), (["--max-files", "2"], "needs --max-size"),
                       (["--max-size", "1M", "--max-files", "1"], "use at least 2")):
        r = Run([BPFLENS, "record", "-o", d + "/bad"] + argv + ["--", "true"])
        ok(r.status == 2 and says in r.errors and not files(d + "/bad"), "%s is refused" % " ".join(argv), r)


random.seed(SEED)
with tempfile.TemporaryDirectory() as where:
    tried = Run([BPFLENS, "record", "-o", where + "/try", "--", "true"])
    if tried.status == 4:
        skip("record: " + tried.errors.strip())
        finish()
    switches(where)
    living(where)
    newest(where)
    killed(where)
    refused(where)
finish()
