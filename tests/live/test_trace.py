#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tracing from the command line: attach, list once, detach, nothing left; hold, refusals, and bpftool's own verbs."""
import collections
import os
import signal
import subprocess
import sys

import events
import rawbpf
from world import BPFLENS, BUILD, Run, World, blocked, finish, isolate, number, ok, sanitized, skip, until

isolate(alone="who reads all objects holds each link for a moment, and a detach waits no longer than that")
LOOPS = number("LOOPS", 60)
BASH = "/bin/bash"


def places(w):
    """Program, WHERE, WHAT as typed and as ls shows it, more words."""
    ret = [("l_raw_tp", "sys_enter", "raw_tracepoint", "sys_enter", []),
           ("l_perf", "context-switches", "perf_event", "software:context-switches", ["cpu", "0"]),
           ("l_perf", "software:page-faults", "perf_event", "software:page-faults", ["pid", str(w.pid), "period", "5"])]
    if events.number(events.TRACEPOINTS + "sched/sched_process_wait/id"):
        ret.append(("l_tracepoint", "sched:sched_process_wait", "tracepoint", "sched:sched_process_wait", []))
        ret.append(("l_tracepoint", "sched_process_free", "tracepoint", "sched:sched_process_free", ["cookie", "0x1234"]))
    ours = BUILD + "/tests/live/mkobj:probed_two"
    for kind, sites in (("uprobe", [(BASH + ":readline", BASH + ":readline"), (ours + "+1", ours + "+0x1")]),
                        ("kprobe", [("hrtimer_nanosleep", "hrtimer_nanosleep")])):
        if events.number(events.PMUS + kind + "/type") is None:
            skip(kind + ": not supported by this kernel")
            continue
        for given, shown in sites:
            ret.append(("l_kprobe", given, kind, shown, []))
            if "+" not in given:
                ret.append(("l_kprobe", given, kind.replace("probe", "retprobe"), shown, ["cookie", "9"]))
    if events.number(events.PMUS + "kprobe/type"):
        ret.append(("l_kprobe", "hrtimer_nanosleep+0", "kprobe", "hrtimer_nanosleep", []))
    return [p for p in ret if w.one("prog", p[0])]


def gone(w, link):
    return until(lambda: not listed(w, link)[0])


def listed(w, link):
    r = w.run("-j", "ls", "trace")
    return [o for o in r.json if o.get("link_id") == link], r


def one(w, prog, where, what, shown, more, n):
    """Attach, list, detach, list."""
    ident, pin = w.one("prog", prog)["id"], "%s/trace-%d" % (w.pins, n)
    words = ["prog", "attach", "id", ident, what, where] + more + ["--link", pin]
    title = "%s %s" % (what, where)
    dry = w.run(*words, "--dry-run")
    ok(dry.status == 0 and dry.text.startswith("would attach") and not os.path.exists(pin), title + ": --dry-run", dry)
    r = w.run("-j", *words)
    if not ok(r.status == 0 and os.path.exists(pin) and r.json["link_id"], title + ": attached", r):
        return
    link = r.json["link_id"]
    found, r = listed(w, link)
    if len(found) == 1 and found[0]["where"] == "link:%d" % link:
        skip(title + ": before Linux 6.6 the kernel does not report the attach point of a link")
        d = w.run("prog", "detach", "id", ident, what, where)
        ok(d.status != 0 and "link id" in d.errors, title + ": the message has the command that detaches it", d)
        os.unlink(pin)
        return
    ok(len(found) == 1 and (found[0]["where"], found[0]["what"], found[0]["prog_id"]) == (shown, what, ident), title + ": listed once", r)
    if "cookie" in more and found and found[0].get("cookie"):
        ok(found[0]["cookie"] == int(more[1], 0), title + ": cookie", found)
    held = [o for o in w.run("-j", "perf", "show", "-Q", "link_id == %d" % link).json]
    ok(len(held) >= 1 and held[0].get("comm", "bpf").startswith("bpf"), title + ": in perf show, without a process", held)
    r = w.run("prog", "detach", "id", ident, what, where, "--dry-run")
    ok(r.status == 0 and os.path.exists(pin), title + ": detach --dry-run", r)
    if what != "uprobe" or where == shown:
        r = w.run("detach", where, what, "id", ident, "--dry-run")
        ok(r.status == 0 and "link %d" % link in r.text, title + ": detach WHERE WHAT, as for attach", r)
    r = w.run("prog", "detach", "id", ident, what, where)
    ok(r.status == 0 and not os.path.exists(pin) and gone(w, link), title + ": detached, gone", r)


def in_use(w):
    """A process that lists links holds each for a moment, and detach waits for it; a process that keeps holding it is named."""
    ident, pin, place = str(w.one("prog", "l_raw_tp")["id"]), w.pins + "/in_use", ["raw_tracepoint", "sched_process_hang"]
    for keeps in (False, True):
        ok(not w.run("prog", "attach", "id", ident, *place, "--link", pin).status, "attached, to be held")
        fd = rawbpf.pinned(pin)
        p = subprocess.Popen([w.lens, "prog", "detach", "id", ident, *place], stderr=subprocess.PIPE)
        blocked(p, "sleep")
        if keeps:
            errors = p.communicate()[1].decode()
            ok(p.returncode == 1 and os.path.exists(pin) and "(%d)" % os.getpid() in errors, "held: not detached", errors)
        os.close(fd)
        if not keeps:
            errors = p.communicate()[1].decode()
            ok(p.returncode == 0 and not os.path.exists(pin), "held for a moment: detached", errors)
    os.unlink(pin)


def loop(w, all_places):
    """The same place repeatedly: nothing accumulates."""
    if not w.run("-j", "link", "show", "id", w.one("link", "pe_clock")["id"]).json.get("event_type"):
        all_places = [p for p in all_places if p[2] == "raw_tracepoint"]
    before = {o["id"] for o in w.run("-j", "link", "show").json}
    bad = []
    for i in range(LOOPS):
        prog, where, what, shown, more = all_places[i % len(all_places)]
        ident, pin = w.one("prog", prog)["id"], "%s/loop-%d" % (w.pins, i)
        a = w.run("-j", "prog", "attach", "id", ident, what, where, *more, "--link", pin)
        link = a.json.get("link_id") if a.status == 0 else None
        l = w.run("-j", "perf", "list", "-Q", "prog_id == %d" % ident)
        d = w.run("prog", "detach", "id", ident, what, where)
        if a.status or l.status or d.status or not [o for o in l.json if o.get("link_id") == link]:
            bad.append("%s\n%s\n%s" % (a, l, d))
    ok(not bad, "%d times attach, list, detach" % LOOPS, "\n".join(bad[:1]))

    def left():
        return {o["id"] for o in w.run("-j", "link", "show").json if o.get("prog_id") in w.ids("prog")} - before
    ok(until(lambda: not left()) and not [n for n in os.listdir(w.pins) if n.startswith("loop")], "nothing is left", left())


def held(w):
    """Without --link, the attachment lasts as long as the command."""
    ident = w.one("prog", "l_perf")["id"]
    for sig in (signal.SIGINT, signal.SIGTERM):
        p = subprocess.Popen([BPFLENS, "prog", "attach", "id", str(ident), "perf_event", "page-faults"], stdout=subprocess.PIPE)
        said = p.stdout.readline() + p.stdout.readline()
        r = w.run("-j", "perf", "show", "-Q", "pid == %d" % p.pid)
        cpus = len(os.sched_getaffinity(0))
        ok(b"attached program" in said and b"until" in said, "held: reported", said)
        ok(len(r.json) >= cpus and {o.get("prog_id") for o in r.json} == {ident}, "held: an event on each CPU", r)
        p.send_signal(sig)
        ok(p.wait(timeout=10) == 0, "ended by signal %d" % sig)
        ok(until(lambda: w.run("-j", "perf", "show", "-Q", "pid == %d" % p.pid).json == []), "and gone with it")


def parallel(w):
    """Many processes attach during lists: each list is complete, and at the end each attachment is listed once."""
    ident, n = w.one("prog", "l_raw_tp")["id"], 40 if sanitized() else LOOPS
    argv = [BPFLENS, "prog", "attach", "id", str(ident), "raw_tracepoint", "sched_process_hang"]
    procs = [subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(n)]
    lists = [w.run("-j", *args) for args in (["perf", "show"], ["ls", "trace"]) for _ in range(3)]
    said = [p.stdout.readline() for p in procs]
    if any(p.poll() not in (None, 0) and b"EEXIST" in p.stderr.read() for p in procs):
        skip("before Linux 6.10 a program can be attached to a raw tracepoint only once")
        for p in procs:
            p.terminate()
            p.wait()
        return
    ok(all(s.startswith(b"attached") for s in said), "%d processes attach at the same time" % n, [s for s in said if not s][:3])
    r = w.run("-j", "perf", "show", "-Q", "prog_id == %d" % ident)
    pids = [o["pid"] for o in r.json if o.get("comm", "").startswith("bpflens") and o["tracepoint"] == "sched_process_hang"]
    ok({p.pid for p in procs} <= set(pids) and len(set(pids)) == len(pids), "each is listed once", sorted(pids))
    r = w.run("-j", "ls", "trace")
    there = [o["link_id"] for o in r.json if o["prog_id"] == ident and o["where"] == "sched_process_hang"]
    ok(len(there) == n and len(set(there)) == n, "ls has each link once", len(there))
    for p in procs:
        p.send_signal(signal.SIGTERM)
    lists += [w.run("-j", *args) for args in (["perf", "show"], ["ls", "trace"]) for _ in range(3)]
    ok(all(p.wait(timeout=60) == 0 for p in procs), "all of them end")
    bad = [str(r) for r in lists if r.status not in (0, 5) or not isinstance(r.json, list)]
    ok(not bad, "lists while they come and go are complete", "\n".join(bad))
    left = [o for o in w.run("-j", "ls", "trace").json if o["prog_id"] == ident and o["where"] == "sched_process_hang"]
    ok(not left, "none is left", left[:3])


def reopened(w):
    """Each that opens a link by its id or pin has a file of its own, and the link is still one."""
    ident, pin, place = w.one("prog", "l_raw_tp")["id"], w.pins + "/reopened", ["raw_tracepoint", "sched_process_hang"]
    link = w.run("-j", "prog", "attach", "id", ident, *place, "--link", pin).json["link_id"]
    fds = [rawbpf.pinned(pin), rawbpf.by_id("link", link)]
    r = w.run("-j", "ls", "trace", "-Q", "prog_id == %d && where == sched_process_hang" % ident)
    ok([o.get("link_id") for o in r.json] == [link], "reopened: ls has the link once", r)
    r = w.run("-j", "perf", "show", "-Q", "prog_id == %d" % ident)
    shown = [(o.get("fd"), o.get("link_id")) for o in r.json if o.get("tracepoint") == place[1]]
    ok(sorted(shown) == sorted((fd, link) for fd in fds), "reopened: perf show has each descriptor, with the link", r)
    for fd in fds:
        os.close(fd)
    os.unlink(pin)


def refused(w):
    kprobe, perf, pin = w.one("prog", "l_kprobe")["id"], w.one("prog", "l_perf")["id"], w.pins + "/refused"
    cases = [
        (3, kprobe, ["uprobe", BASH + ":no_such_function"]), (1, kprobe, ["uprobe", "/etc/passwd:x"]), (3, kprobe, ["uprobe", "/nowhere:x"]),
        (2, kprobe, ["uprobe", "readline"]), (1, kprobe, ["uprobe", BASH + ":readline+0xfffff"]), (1, perf, ["uprobe", BASH + ":readline"]),
        (1, kprobe, ["raw_tracepoint", "sys_enter"]), (2, perf, ["perf_event", "software:nope", "cpu", "0"]), (1, perf, ["perf_event", "cpu-clock"]),
        (2, perf, ["perf_event", "cpu-clock", "cpu", "0", "period", "1", "frequency", "1"]), (2, kprobe, ["uprobe", BASH + ":readline", "period", "2"]),
        (3, perf, ["perf_event", "cpu-clock", "pid", "2147483647"]), (2, perf, ["perf_event", "nopmu:3", "cpu", "0"]),
        (2, perf, ["perf_event", "cpu-clock", "cpu", "x"]), (2, perf, ["flow_dissector", "cookie", "3"]),
    ]
    for status, prog, words in cases:
        r = w.run("prog", "attach", "id", prog, *words, "--link", pin)
        ok(r.status == status and not os.path.exists(pin), "refused: " + " ".join(words), r)
    raw = w.one("prog", "l_raw_tp")["id"]
    if os.path.exists("/sys/kernel/btf/vmlinux"):
        for dry in ([], ["--dry-run"]):
            r = w.run("attach", raw, "to", "sys_entr", "raw_tp", "--link", pin, *dry)
            ok(r.status == 3 and "there is no tracepoint sys_entr" in r.errors and "sys_enter" in r.errors, "similar tracepoints %s" % dry, r)
        r = w.run("attach", raw, "to", "sys_enter", "raw_tp", "--link", pin, "--dry-run")
        ok(r.status == 0 and "raw_tracepoint" in r.text, "raw_tp as in object files", r)
    else:
        skip("similar tracepoints: the kernel has no BTF")
    tp = w.one("prog", "l_tracepoint")
    if tp:
        r = w.run("prog", "attach", "id", tp["id"], "tracepoint", "sched:no_such_event", "--link", pin)
        ok(r.status == 3, "no such tracepoint", r)
        r = Run(["unshare", "-m", "sh", "-c", "umount -l /sys/kernel/tracing; %s prog attach id %d tracepoint sched:sched_process_free --dry-run"
                 % (w.lens, tp["id"])])
        ok(r.status == 0, "a tracepoint if tracefs is not mounted", r)


def attachable(w):
    """`attach --list`: its WHERE is what `attach` takes, with the arguments that the kernel has."""
    def named(*words):
        r = w.run("-j", "attach", "--list", *words)
        return {o["where"]: o for o in r.json or []}, r

    kprobe = w.one("prog", "l_kprobe")["id"]
    ours = BUILD + "/tests/live/mkobj"
    found, r = named("uprobe", ours, "probed")
    where = ours + ":probed_two"
    with open(ours, "rb") as f:
        ok(where in found and found[where]["size"] > 0 and found[where]["offset"] < os.fstat(f.fileno()).st_size, "attach --list uprobe", r)
    r = w.run("attach", kprobe, "to", where, "uprobe", "--link", w.pins + "/never", "--dry-run")
    ok(r.status == 0, "attach --list uprobe: WHERE is taken", r)
    found, r = named("kprobe", "hrtimer_nanosleep")
    ok("hrtimer_nanosleep" in found, "attach --list kprobe", r)
    if os.path.exists("/sys/kernel/btf/vmlinux"):
        ok(any("clockid_t" in a for a in found["hrtimer_nanosleep"]["args"]), "attach --list kprobe: arguments", found)
        found, r = named("raw_tracepoint", "sched_switch")
        ok(any("struct task_struct *" in a for a in found["sched_switch"]["args"]), "attach --list raw_tracepoint", r)
    if events.number(events.TRACEPOINTS + "sched/sched_process_wait/id"):
        found, r = named("tracepoint", "sched:sched_process_wait")
        ok(found["sched:sched_process_wait"]["args"][1:] == ["pid_t pid", "int prio"], "attach --list tracepoint", r)  # the first is as the kernel was built
        r = Run(["unshare", "-m", "sh", "-c", "umount -l /sys/kernel/tracing; %s attach --list tracepoint sched:sched_process_wait" % w.lens])
        ok(r.status == 0 and "pid_t pid" in r.text, "attach --list tracepoint if tracefs is not mounted", r)
    for path, why in ((ours + ".no", "cannot read"), ("/etc/passwd", "not an ELF file"), ("/dev/zero", "")):
        r = w.run("attach", "--list", "uprobe", path)
        ok(r.status and why in r.errors, "attach --list uprobe " + path, r)


def homonyms(w):
    """Since Linux 6.7 the kernel does not choose between functions of one name."""
    with open("/proc/kallsyms", encoding="utf-8") as f:
        names = [line.split()[2] for line in f if line.split()[1] in "tT" and "[" not in line]
    count = collections.Counter(names)
    name = next((n for n in ("s_next", "t_next", *count) if count[n] > 1 and "." not in n), None)
    if not events.number(events.PMUS + "kprobe/type") or not name:
        return skip("functions of one name: this kernel has no kprobes")
    r = w.run("prog", "attach", "id", w.one("prog", "l_kprobe")["id"], "kprobe", name, "--link", w.pins + "/homonym")
    if r.status == 0:
        os.unlink(w.pins + "/homonym")
        return skip("functions of one name: this kernel takes the first")
    return ok(r.status == 1 and "functions are named " + name in r.errors and "0xADDRESS" in r.errors, "functions of one name", r)


def sockets(w):
    """bpftool's own verbs, on the same map with both programs."""
    prog, m = w.one("prog", "l_sk_msg"), next((f for f in w.of("map") if f["type"] == "sockmap"), None)
    tools = [["bpftool"], [w.lens]] if subprocess.run(["which", "bpftool"], stdout=subprocess.DEVNULL).returncode == 0 else [[w.lens]]
    if not prog or not m:
        skip("sockmap programs are not supported here")
        return
    def said(tool, action):
        return action if tool == [w.lens] else None

    for attach in tools:
        for detach in tools:
            a = Run(attach + ["prog", "attach", "id", str(prog["id"]), "sk_msg_verdict", "id", str(m["id"])])
            again = Run(attach + ["-j", "prog", "attach", "id", str(prog["id"]), "msg", "id", str(m["id"])])
            d = Run(detach + ["-j", "prog", "detach", "id", str(prog["id"]), "sk_msg_verdict", "id", str(m["id"])])
            ok((a.status, a.out, again.status, d.status) == (0, b"", 0, 0) and
               (again.json and again.json["action"], d.json and d.json["action"]) == (said(attach, "attached"), said(detach, "detached")),
               "sk_msg_verdict: %s, %s" % (os.path.basename(attach[0]), os.path.basename(detach[0])), "%s\n%s\n%s" % (a, again, d))
    r = w.run("prog", "detach", "id", prog["id"], "sk_msg_verdict", "id", m["id"])
    ok(r.status != 0 and r.errors, "detached twice: refused", r)
    flow = w.one("prog", "l_flow")
    if flow:
        before = w.run("prog", "attach", "id", flow["id"], "flow_dissector")
        r = w.run("prog", "attach", "id", flow["id"], "flow_dissector", "--dry-run")
        ok(r.status == 0 and r.text.startswith("would attach"), "flow_dissector --dry-run", r)
        after = w.run("prog", "detach", "id", flow["id"], "flow_dissector")
        ok(before.status == after.status, "flow_dissector: attach and detach agree", "%s\n%s" % (before, after))


with World() as w:
    w.make()
    where = places(w)
    for n, p in enumerate(where):
        one(w, *p, n)
    for test in (held, in_use, reopened, refused, attachable, homonyms, sockets, parallel):
        test(w)
    loop(w, where)
sys.stdout.flush()
finish()
