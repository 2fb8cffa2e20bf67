#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""record: all programs that were loaded meanwhile are in the file, even short-lived ones, as their loaders read them; a killed recorder leaves a
readable file and nothing attached; what could not be read is named."""
import difflib
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

from rawbpf import code_load, newest_ids, object_id, prog_code, prog_load
from recordings import LOADER, begun, brief_program, differences, held, left, lives_in, members, recorder, truth
from world import BPFLENS, BUILD, Run, finish, isolate, number, ok, patience, skip, until

isolate(alone="hundreds of programs are freed")
PROGRAMS = number("PROGRAMS", 500)
KILLS = number("KILLS", 5)
RESTARTS = number("KILLS", 3)
SEED = number("SEED", random.randrange(1 << 32))


def short_lives(d):
    os.mkdir(d + "/truth")
    r = recorder("-o", d + "/a", "--", LOADER, str(PROGRAMS), "2", "30", d + "/truth")
    _, errors = r.communicate(timeout=patience(300 + PROGRAMS))
    want = truth(d + "/truth")
    m = re.search(r"(\d+) programs loaded, (\d+) recorded whole, 0 lost", errors)
    # 5: code of others, such as trampolines, may be freed before it is read.
    ok(r.returncode in (0, 5) and m and int(m.group(1)) >= PROGRAMS and m.group(1) == m.group(2), "%d programs: all complete" % PROGRAMS, errors)
    got = members(d + "/a")
    bad = {i: differences(got, i, p) for i, p in want.items()}
    bad = {i: b for i, b in bad.items() if b}
    ok(len(want) == PROGRAMS and not bad, "all their answers in the file are equal to what the loader read", str(list(bad.items())[:5]))
    ok(os.stat(d + "/a").st_mode & 0o777 == 0o600, "the file is private")
    lives = {int(line[0]): line for line in lives_in(got)[1:]}
    ok(all(i in lives and lives[i][5] in ("copied", "asked") and lives[i][6] == "-" and lives[i][7] == "captures" for i in want), "lives: complete, from captures",
       str([lives.get(i) for i in want if i not in lives or lives[i][5:] != ["copied", "-", "captures"]][:5]))
    ok(all(lives[i][2].isdigit() and int(lives[i][1]) < int(lives[i][2]) for i in want), "lives: begin and end",
       str([lives[i] for i in want if not lives[i][2].isdigit()][:3]))
    r = Run([BPFLENS, "--from", d + "/a", "-j", "prog", "show"])
    # 5: programs of others may be incomplete.
    shown = {p["id"]: p for p in json.loads(r.out)} if r.status in (0, 5) else {}
    ok(all(i in shown and "gone_at" in shown[i] and shown[i]["loaded_by"] == "captures" for i in want), "prog show --from has all of them", r)
    return d + "/a", lives, want


def moments(path, lives, want):
    """--at: the programs that were loaded at a moment."""
    start = int(lives_in(members(path))[0][1])
    for i in (sorted(want)[3], sorted(want)[len(want) // 2]):
        middle = (int(lives[i][1]) + int(lives[i][2])) / 2
        r = Run([BPFLENS, "--from", path, "--at", "%.9f" % ((middle - start) / 1e9), "prog", "list", "-o", "id", "--noheadings"])
        then = {int(x) for x in r.text.split()} if r.status == 0 else set()
        ok(i in then and len(then & set(want)) < 20, "--at: program %d is shown, and few others" % i, "%s\n%s" % (r.errors, sorted(then)[:20]))
    for bad in ("1e8", "-1", "yesterday", "2026-11-21T09:30:00"):
        ok(Run([BPFLENS, "--from", path, "--at", bad, "prog", "list"]).status == 2, "--at %s is refused" % bad)
    ok(Run([BPFLENS, "--at", "1", "prog", "list"]).status == 2, "--at without --from is refused")


SCRIPT = """set -e
mount -t bpf none {d}/fs
{lens} prog load {obj} {d}/fs/p {how} > /dev/null
for i in xlated jited; do {lens} prog dump $i pinned {d}/fs/p linum > {d}/$i; done
{lens} -j prog show pinned {d}/fs/p > {d}/show
rm {d}/fs/p
umount {d}/fs
touch {d}/done
sleep {seconds}"""


def script(d, obj, how, seconds=0):
    """A command that loads, reads and unloads a program."""
    os.makedirs(d + "/fs", exist_ok=True)
    return ["sh", "-c", SCRIPT.format(d=d, lens=BPFLENS, obj="%s/tests/live/%s.bpf.o" % (BUILD, obj), how=how, seconds=seconds)]


def loads(d, what, obj, how):
    """Does this kernel load the program?"""
    r = Run(script(d, obj, how))
    if r.status:
        subprocess.run(["umount", d + "/fs"], stderr=subprocess.DEVNULL)
        skip("%s: %s" % (what, [line for line in r.errors.splitlines() if line.startswith("bpflens: ")][-1]))
    return not r.status


def same_as_read(d, path, what):
    """The file has the same facts of a program as the kernel had."""
    show = json.load(open(d + "/show"))
    ident = str(show["id"])
    for i in ("xlated", "jited"):
        got = Run([BPFLENS, "--from", path, "prog", "dump", i, "id", ident, "linum"])
        want = open(d + "/" + i).read()
        ok(got.status == 0 and got.text == want, "%s: dump %s after its unload" % (what, i),
           got.errors + "\n".join(difflib.unified_diff(want.splitlines(), got.text.splitlines(), lineterm="", n=0)))
    r = Run([BPFLENS, "--from", path, "-j", "prog", "show", "id", ident])
    then = json.loads(r.out)
    same = [k for k in show if k not in ("pinned", "pids", "bytes_memlock", "run_cnt", "run_time_ns") and show[k] != then.get(k)]
    ok(not same, "%s: show after its unload" % what, "%s\n%s\n%s" % (same, show, then))
    line = [x for x in lives_in(members(path)) if x[0] == ident]
    ok(line and line[0][5] == "copied", "%s: copied" % what, line)


def dumps(d):
    for what, obj, how in (("a program", "feed", ""), ("one with functions", "progs", "only count_exits"),
                           ("one to which maps are bound later", "load", "only lens_count"), ("one that a loader program loads", "feed", "-L")):
        if not loads(d, what, obj, how):
            continue
        r = recorder("-o", d + "/b", "--", *script(d, obj, how))
        _, errors = r.communicate(timeout=patience(120))
        if ok(r.returncode == 0, what + " is recorded", errors):
            same_as_read(d, d + "/b", what)
        else:
            subprocess.run(["umount", d + "/fs"], stderr=subprocess.DEVNULL)


def sees_functions(d):
    """If functions of the kernel can be traced, loads are traced there, and no program is missed."""
    if loads(d, "loads are traced in the kernel", "progs", "only on_entry"):
        r = Run([BPFLENS, "-j", "record", "-o", d + "/way", "--", "true"])
        ok(r.status == 0 and json.loads(r.out)["way"] == "function", "loads are traced in the kernel", r)


def dumps_when_killed(d):
    """A file of a killed recorder also has the kernel's symbols, types and clock."""
    helpers = loads(d, "helpers of a killed one", "feed", "")
    if os.path.exists(d + "/done"):
        os.unlink(d + "/done")
    r = recorder("-o", d + "/killed", "--", *script(d, *(("feed", "") if helpers else ("load", "only lens_count")), seconds=int(patience(100))), start_new_session=True)
    until(lambda: r.poll() is not None or os.path.exists(d + "/done"), patience(100))
    seen = os.path.exists(d + "/done") and json.load(open(d + "/show"))["id"]
    until(lambda: r.poll() is not None or not seen or str(seen) in listed(d + "/killed.partial"), patience(100))
    over = r.poll()
    try:
        os.killpg(r.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    _, errors = r.communicate()
    if ok(seen and over is None, "a recorder is killed", errors):
        same_as_read(d, d + "/killed.partial", "killed")


def has_programs(path, directory):
    """Does the file of a recorder have a program that its loaders read?"""
    r = Run([BPFLENS, "--from", path, "-j", "prog", "list"])
    return r.status in (0, 5) and bool({p["id"] for p in json.loads(r.out)} & set(truth(directory)))


AT_FILE, AT_PROGRAM = "its first byte", "its first program"  # moments


def kill(d, name, moment):
    """
    A recorder that is killed @moment seconds after its start, or AT_FILE or AT_PROGRAM, in which case it does not end by itself.
    Returns its file, what its loaders read, and the objects that they and the recorder held. No file: it was killed too early.
    """
    partial, directory = d + "/" + name + ".partial", d + "/truth_" + name
    os.mkdir(directory)
    before = newest_ids()
    stay = ["sh", "-c", '"$@"; exec sleep 600', "sh"] if moment == AT_PROGRAM else []
    r = recorder("-o", d + "/" + name, "--", *stay, LOADER, "600", "2", "300", directory, start_new_session=True)
    if moment == AT_FILE:
        until(lambda: r.poll() is not None or os.path.exists(partial), patience(100), 0.001)
    elif moment == AT_PROGRAM:
        until(lambda: r.poll() is not None or (os.path.exists(partial) and has_programs(partial, directory)), patience(100))
    else:
        try:
            r.wait(moment)
        except subprocess.TimeoutExpired:
            pass
    r.send_signal(signal.SIGSTOP)
    objects = held(r.pid, before)
    r.kill()
    try:
        os.killpg(r.pid, signal.SIGTERM)
    except ProcessLookupError:
        pass
    r.communicate()
    # It may have ended just before.
    there = [p for p in (d + "/" + name, d + "/" + name + ".partial") if os.path.exists(p)]
    return (there[0] if there else None), truth(d + "/truth_" + name), objects


def wrong(got, ident, parts, lacks):
    """What is wrong with a program in the file of a killed recorder. The list of lives, written each second, names what is missing."""
    if lacks.get(ident, "-") != "-":
        return []
    bad = differences(got, ident, parts)
    return bad if ident in lacks else [name for name in bad if "prog/%d/%s" % (ident, name) in got]


def killed(d):
    began = time.monotonic()
    kill(d, "whole", patience(300))
    took = time.monotonic() - began
    opens = right = found = 0
    objects = set()
    for i in range(KILLS):
        moment = [AT_PROGRAM, AT_FILE][i] if i < 2 else random.uniform(0, took)
        path, want, its = kill(d, "k%d" % i, moment)
        objects |= its
        if not path:
            opens, right = opens + 1, right + 1
            continue
        listed = Run([BPFLENS, "--from", path, "-j", "prog", "list"])
        # A file with only its head is also an archive, and is reported as truncated.
        opens += ok(listed.status in (0, 5) or "is truncated after 1 answer" in listed.text, "killed %s: the file opens" % ("after %.2f s" % moment if i > 1 else "at " + moment), listed)
        ids = [p["id"] for p in json.loads(listed.out)] if listed.status in (0, 5) else []
        got, mine = members(path), [j for j in ids if j in want]
        found += path.endswith(".partial") and len(mine)
        lacks = {int(line[0]): line[6] for line in lives_in(got)[1:]}
        bad = {j: wrong(got, j, want[j], lacks) for j in mine if wrong(got, j, want[j], lacks)}
        right += ok(not bad, "its %d programs of %d are right" % (len(mine), len(want)), str(list(bad.items())[:5]))
    ok(found > 0, "the files have programs")
    ok(opens == KILLS and right == KILLS, "killed at %d moments (BPFLENS_SEED=%d): each file opens, and each program in it is correct" % (KILLS, SEED))
    still = left(objects)
    ok({"prog", "map", "link"} <= {kind for kind, _ in objects} and not still, "nothing stays loaded", still)


def restarted(d):
    """The next recorder, and one that is broken off, keep what killed ones left."""
    path, ids, notes = d + "/service", [], []
    for i in range(RESTARTS + 1):
        r = recorder("-o", path)
        fd = prog_load("socket_filter", "held", i)
        ids.append(object_id(fd))
        until(lambda: r.poll() is not None or str(ids[-1]) in listed(path + ".partial"), patience(60))
        os.close(fd)
        r.send_signal(signal.SIGKILL if i < RESTARTS else signal.SIGINT)
        notes.append(r.communicate(timeout=patience(100))[1])
    ok(all("it is now %s.partial.%d\n" % (path, i + 1) in note for i, note in enumerate(notes[1:])), "each restart says where the file of the killed one is", notes)
    lost = [i for i, ident in enumerate(ids[:-1]) if str(ident) not in listed("%s.partial.%d" % (path, i + 1))]
    ok(not lost and str(ids[-1]) in listed(path), "after %d kills everything is there and can be read" % RESTARTS, lost)
    fills = "import resource, subprocess, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)); sys.exit(subprocess.run(sys.argv[1:]).returncode)"
    r = Run([sys.executable, "-c", fills, BPFLENS, "record", "-o", path, "--", "sleep", "100"])
    ok(r.status == 1 and "File too large [EFBIG]" in r.errors and path + ".partial; --from reads it" in r.errors, "a full disk ends the recording", r)
    ok(str(ids[-1]) in listed(path) and Run([BPFLENS, "--from", path + ".partial", "prog", "list"]).status in (0, 5), "the old file and the incomplete one can be read")


def listed(path):
    return Run([BPFLENS, "--from", path, "prog", "list", "-o", "id", "--noheadings"]).text.split()


def held_up(d, name, ring_size, cpus=None):
    """A recorder that cannot keep up for a while: its exit status and messages. @cpus: where the loaders run."""
    os.mkdir(d + "/truth_" + name)
    r = recorder("-o", d + "/" + name, "--ring-size", ring_size)
    begun(r, d + "/" + name + ".partial", brief_program)
    os.kill(r.pid, signal.SIGSTOP)
    subprocess.run([LOADER, "300", "2", "30", d + "/truth_" + name], check=True, timeout=patience(200), preexec_fn=lambda: cpus and os.sched_setaffinity(0, cpus))
    os.kill(r.pid, signal.SIGCONT)
    r.send_signal(signal.SIGINT)
    _, errors = r.communicate(timeout=patience(100))
    return r.returncode, errors


def losses(d):
    """Losses are reported, and the reported remedy helps."""
    # All announcements of one CPU: more than there is room for, so that the last programs are neither announced nor copied.
    status, errors = held_up(d, "lost", "1500K", {min(os.sched_getaffinity(0))})
    want = truth(d + "/truth_lost")
    m = re.search(r"(\d+) programs loaded, (\d+) recorded whole, (\d+) lost", errors)
    named = {int(x) for x in re.findall(r"^bpflens: program (\d+) ", errors, re.M)}
    ok(m and int(m.group(3)) > 0 and status == 5, "what was lost is counted, and the exit status is 5", errors[-600:])
    ok(re.search(r"^bpflens: the ring of 2M had no room for [1-9]\d* programs?: --ring-size ", errors, re.M), "the ring was too small", errors[-600:])
    got = members(d + "/lost")
    wrong = {i for i, p in want.items() if differences(got, i, p)}
    ok(re.search("^bpflens: the kernel lost [1-9][0-9]* events?: programs may be missing$", errors, re.M), "lost announcements are reported", errors[-600:])
    ok(wrong <= named, "all incomplete programs are named", str(sorted(wrong - named)[:5]))
    ok(not (named & set(want)) - wrong, "all named programs are incomplete", str(sorted((named & set(want)) - wrong)[:5]))
    status, errors = held_up(d, "kept", "128M")
    got, want = members(d + "/kept"), truth(d + "/truth_kept")
    ok(len(want) == 300 and not any(differences(got, i, p) for i, p in want.items()) and "no room" not in errors, "in a larger ring nothing is lost",
       errors[-600:])
    for bad in ("1023K", "3G", "-1", "1X", ""):
        r = Run([BPFLENS, "record", "-o", d + "/bad", "--ring-size", bad, "--", "true"])
        ok(r.status == 2 and "not a size of the ring" in r.errors and not os.path.exists(d + "/bad"), "--ring-size '%s' is refused" % bad, r)


def second_look(d):
    """A program that had no room in the ring and is still loaded is read by id."""
    r = recorder("-o", d + "/again", "--ring-size", "1M")
    begun(r, d + "/again.partial", brief_program)
    os.kill(r.pid, signal.SIGSTOP)
    fds = [prog_load("socket_filter", "held", i, additions=4998) for i in range(60)]
    ids = [object_id(fd) for fd in fds]
    os.kill(r.pid, signal.SIGCONT)
    until(lambda: r.poll() is not None or set(map(str, ids)) <= set(listed(d + "/again.partial")), patience(60))
    for fd in fds:
        os.close(fd)
    r.send_signal(signal.SIGINT)
    _, errors = r.communicate(timeout=patience(100))
    got = members(d + "/again")
    lives = {int(line[0]): line for line in lives_in(got)[1:]}
    ok("had no room" in errors and not [i for i in ids if "program %d " % i in errors], "a program without room that is still loaded is not lost", errors[-600:])
    ok(all(len(got.get("prog/%d/xlated" % i, b"")) == 40000 and i in lives and lives[i][6] == "-" for i in ids), "it is complete")
    ok(all(i in lives and lives[i][5] in ("copied", "asked") for i in ids) and any(lives[i][5] == "asked" for i in ids), "it was read by id", [lives.get(i) for i in ids if i not in lives or lives[i][5] != "asked"])


def insn(code, src=0, imm=0):
    return struct.pack("<BBhi", code, src << 4, 0, imm)


def functions(n):
    """The code of a program that calls @n functions of 2 to 8 instructions."""
    bodies = [insn(0xb7, imm=i) + insn(0x07, imm=1) * (i % 7) + insn(0x95) for i in range(n)]
    starts = [n + 2 + sum(map(len, bodies[:i])) // 8 for i in range(n)]
    return insn(0xb7) + b"".join(insn(0x85, 1, start - i - 2) for i, start in enumerate(starts)) + insn(0x95) + b"".join(bodies)


def large(d):
    """A program that is too long for the kernel to return its instructions, and one with many functions."""
    r = recorder("-o", d + "/large")
    begun(r, d + "/large.partial", brief_program)
    made = []
    for name, code, funcs in (("960,026 instructions", insn(0xb7) + insn(0x07, imm=77) * 960024 + insn(0x95), 1), ("200 functions", functions(200), 201)):
        fd = code_load("socket_filter", "large", code)
        jited, xlated = prog_code(fd)
        made.append((name, object_id(fd), jited, xlated or code, funcs))
        os.close(fd)
    r.send_signal(signal.SIGINT)
    _, errors = r.communicate(timeout=patience(100))
    got = members(d + "/large")
    lives = {int(line[0]): line for line in lives_in(got)[1:]}
    for name, i, jited, xlated, funcs in made:
        ok(i in lives and lives[i][5:7] == ["copied", "-"] and got["prog/%d/xlated" % i] == xlated and got["prog/%d/jited" % i] == jited and
           len(got["prog/%d/jited_ksyms" % i]) == len(got["prog/%d/prog_tags" % i]) == 8 * funcs,
           "%s: complete, %d and %d bytes of code" % (name, len(xlated), len(jited)), "%s %s" % (lives.get(i), errors))


def closed_by_others(d):
    """The loader of a program is known even if another process opens and closes the program before the load returns."""
    r = recorder("-o", d + "/others", "--pid", str(os.getpid()))
    begun(r, d + "/others.partial")
    other, ids = subprocess.Popen([BUILD + "/tests/live/churn", "close"], stdout=subprocess.PIPE), []
    other.stdout.readline()
    for i in range(200):
        fd = prog_load("socket_filter", "closed", i, additions=200)
        ids.append(object_id(fd))
        os.close(fd)
    other.kill()
    other.communicate()
    r.send_signal(signal.SIGINT)
    _, errors = r.communicate(timeout=patience(100))
    lives = {int(line[0]): line for line in lives_in(members(d + "/others"))[1:]}
    bad = [lives.get(i, i) for i in ids if i not in lives or lives[i][5] != "copied" or lives[i][6] != "-" or lives[i][3] != str(os.getpid())]
    ok(r.returncode == 0 and not bad, "the loader is known if another process closes the program", "%d %s\n%s" % (len(bad), bad[:5], errors))


def in_namespace(d):
    """Runs in a process namespace of its own: --pid, and what the file says of loaders, are numbers of it."""
    r = recorder("-o", d + "/ns", "--pid", str(os.getpid()))
    begun(r, d + "/ns.partial")
    mine = prog_load("socket_filter", "mine", 1, additions=3)
    other = os.fork()
    if not other:
        os.close(prog_load("socket_filter", "others", 2, additions=3))
        os._exit(0)
    os.waitpid(other, 0)
    r.send_signal(signal.SIGINT)
    _, errors = r.communicate(timeout=patience(100))
    shown = Run([BPFLENS, "--from", d + "/ns", "-j", "prog", "show", "id", str(object_id(mine))])
    listed = Run([BPFLENS, "--from", d + "/ns", "-j", "prog", "list", "-Q", "loaded_by_pid"])
    # Programs of others that are loaded at the end are saved, without their loader.
    names = [p.get("name") for p in json.loads(listed.out)] if listed.status in (0, 5) else []
    ok(r.returncode in (0, 5) and ", 0 lost" in errors and names == ["mine"], "in a process namespace: --pid", "%s %s" % (listed, errors))
    ok(shown.status == 0 and json.loads(shown.out)["loaded_by_pid"] == os.getpid(), "in a process namespace: the loader", shown)


def namespaces(d):
    r = subprocess.run(["unshare", "-pf", "--mount-proc", "--kill-child", sys.executable, sys.argv[0], "in_namespace", d], capture_output=True, text=True)
    print(r.stdout, end="")
    ok(r.returncode == 0 and r.stdout.count("ok - ") == 2, "in a process namespace", r.stdout + r.stderr)
    # A loader outside of the recorder's namespace has no number in it.
    r = subprocess.Popen(["unshare", "-pf", "--mount-proc", "--kill-child", BPFLENS, "record", "-o", d + "/outside"], stderr=subprocess.PIPE, text=True)
    begun(r, d + "/outside.partial", brief_program)
    fd = prog_load("socket_filter", "outside", 1, additions=3)
    with open("/proc/%d/task/%d/children" % (r.pid, r.pid)) as f:
        os.kill(int(f.read()), signal.SIGINT)
    _, errors = r.communicate(timeout=patience(100))
    shown = Run([BPFLENS, "--from", d + "/outside", "-j", "prog", "show", "id", str(object_id(fd))])
    then = json.loads(shown.out) if shown.status == 0 else {}
    os.close(fd)
    ok("loaded_by" in then and "loaded_by_pid" not in then, "a loader of another process namespace has no number", "%s %s" % (shown, errors))


def amid_loads(d):
    """An interrupt ends it while programs are being loaded, and none of those loaded before is lost."""
    os.mkdir(d + "/truth_amid")
    r = recorder("-o", d + "/amid")
    begun(r, d + "/amid.partial", brief_program)
    loads = subprocess.Popen([LOADER, "100000", "2", "30", d + "/truth_amid"], start_new_session=True)
    until(lambda: len(truth(d + "/truth_amid")) > 100, patience(60))
    r.send_signal(signal.SIGINT)
    try:
        _, errors = r.communicate(timeout=patience(100))
    except subprocess.TimeoutExpired:
        r.kill()
        _, errors = r.communicate()
    goes_on = loads.poll() is None
    os.killpg(loads.pid, signal.SIGKILL)
    loads.wait()
    ok(r.returncode in (0, 5) and goes_on and ", 0 lost" in errors, "interrupted while programs are loaded, it ends and has lost none", errors[-600:])


def endings(d):
    for status, argv in ((3, ["sh", "-c", "exit 3"]), (143, ["sh", "-c", "kill $$"]), (0, ["true"])):
        # Other processes of this machine may load programs that cannot be read.
        r = recorder("-o", d + "/e", "--pid", str(os.getpid()), "--", *argv)
        _, errors = r.communicate(timeout=patience(60))
        ok(r.returncode == status, "exit status %d is the command's" % status, errors)
    r = recorder("-o", d + "/n", "--", "/no/such/command")
    _, errors = r.communicate(timeout=patience(60))
    ok(r.returncode == 3 and "/no/such/command" in errors and not os.path.exists(d + "/n") and not os.path.exists(d + "/n.partial"),
       "a command that does not exist", errors)
    r = recorder("-o", d + "/i")
    begun(r, d + "/i.partial", brief_program)
    r.send_signal(signal.SIGINT)
    _, errors = r.communicate(timeout=patience(60))
    ok(r.returncode in (0, 5) and os.path.exists(d + "/i") and not os.path.exists(d + "/i.partial"), "interrupted, the file is complete", errors)
    r = subprocess.Popen(["nohup", BPFLENS, "record", "-o", d + "/kept_on"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    begun(r, d + "/kept_on.partial", brief_program)
    r.send_signal(signal.SIGHUP)
    fd = prog_load("socket_filter", "kept_on", 1)
    until(lambda: r.poll() is not None or str(object_id(fd)) in listed(d + "/kept_on.partial"), patience(60))
    os.close(fd)
    goes_on = r.poll() is None and os.path.exists(d + "/kept_on.partial")
    r.send_signal(signal.SIGINT)
    _, errors = r.communicate(timeout=patience(60))
    ok(goes_on and os.path.exists(d + "/kept_on"), "nohup: it goes on when its terminal is gone", errors)
    r = recorder("-o", d + "/early")
    until(lambda: r.poll() is not None or os.path.exists(d + "/early.partial"), patience(60), 0.001)
    r.send_signal(signal.SIGINT)
    _, errors = r.communicate(timeout=patience(60))
    ok(r.returncode in (0, 5) and os.path.exists(d + "/early"), "also during its start", errors)
    r = recorder("-o", d + "/late", "--", "sh", "-c", "echo $$ > %s/pid.tmp; mv %s/pid.tmp %s/pid" % (d, d, d))
    until(lambda: r.poll() is not None or os.path.exists(d + "/pid"), patience(60), 0.001)
    until(lambda: r.poll() is not None or not os.path.exists("/proc/" + open(d + "/pid").read().strip()), patience(60), 0)
    r.send_signal(signal.SIGINT)
    _, errors = r.communicate(timeout=patience(60))
    ok(r.returncode in (0, 5) and os.path.exists(d + "/late") and not os.path.exists(d + "/late.partial"), "also after the command has ended", "%d %s" % (r.returncode, errors))
    r = Run([BPFLENS, "--no-load", "record", "-o", d + "/x", "--", "true"])
    ok(r.status == 1 and "no-load" in r.errors and not os.path.exists(d + "/x"), "--no-load", r)
    r = Run([BPFLENS, "record", "-j", "-o", d + "/j", "--seconds", "0.1"])
    ok(r.status == 0 and json.loads(r.out)["programs_lost"] == 0, "as JSON", r)


random.seed(SEED)
if sys.argv[1:2] == ["in_namespace"]:
    in_namespace(sys.argv[2])
    finish()
with tempfile.TemporaryDirectory() as where:
    tried = Run([BPFLENS, "record", "-o", where + "/try", "--", "true"])
    if tried.status == 4:
        skip("record: " + tried.errors.strip())
        finish()
    recording, all_lives, programs = short_lives(where)
    moments(recording, all_lives, programs)
    dumps(where)
    sees_functions(where)
    dumps_when_killed(where)
    restarted(where)
    killed(where)
    losses(where)
    second_look(where)
    large(where)
    closed_by_others(where)
    namespaces(where)
    amid_loads(where)
    endings(where)
finish()
