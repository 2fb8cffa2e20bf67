#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The command lines in the text of the manual, as printed there, on the objects of manual.bpf.c, which have the names in the manual.
(test_examples.py has those of its tables and of the README.) Command lines that are not run are listed with the reason."""
import glob
import mmap
import os
import re
import shutil
import signal
import struct
import subprocess
import threading

from arenas import arena_create, arena_write, node_program
from rawbpf import prog_load
from world import BUILD, Run, World, finish, isolate, lock, ok, until, waiting_in

isolate(alone="its names are looked up on the whole machine")
lock("lensreg")  # as test_register.py
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
OVER = []  # command lines that are not run, and why
LACKS = [  # command lines that may fail with this message
    (r"match this handle|not in this archive|no copy of [0-9]+ classic", "there are objects of others"),
    (r"does not allow attaching to the entry|cannot count|not supported", "the kernel or the processor lacks it"),
    (r"cannot read the arena", "the kernel's memory cannot be read here"),
    (r"no function readline", "this bash has no such function"),
]
STUBS = ("flamegraph.pl", "dot", "opensnoop", "bpftool", "dmesg", "mail")  # other programs: they read their input


def manual():
    """The command lines in the displays of the pages, with continuation lines joined."""
    for path in sorted(glob.glob(ROOT + "/man/*.in")):
        display, line = False, ""
        with open(path) as f:
            lines = f.read().split("\n")
        for text in lines:
            if re.match(r"\.(Bd|Ed)\b", text):
                display = text.startswith(".Bd")
            if not display and not text.startswith(".Dl "):
                continue
            text = re.sub(r'^\.Dl "?|"$' if text.startswith('.Dl "') else r"^\.Dl ", "", text)
            for escape, char in (("\\(dq", '"'), ("\\-", "-"), ("\\&", ""), ("\\e", "\\"), ("\\ ", " ")):
                text = text.replace(escape, char)
            if line or re.match(r"(# )?\(?(\w+ .*)?bpflens ", text):
                line += re.sub(r"^# ", "", text)
                if re.search(r"(\\|\|)$", line):
                    line = re.sub(r"\\$", "", line)
                    continue
                yield line
                line = ""


def inline():
    """The command lines within sentences: (the words of the command, the line if it has nothing to fill in, or None)."""
    for path in sorted(glob.glob(ROOT + "/man/*.in")):
        with open(path) as f:
            lines = re.findall(r"(?m)^\.Ql (?:.* )?bpflens (.*?)(?: [.,])?$", f.read())
        for line in lines:
            line = line.replace("\\-", "-").replace("\\&", "")
            words = [x for x in line.split() if x != "-L"]
            names = []
            while words and re.fullmatch(r"[a-z_|]+", words[0]) and len(names) < 2:
                names.append(words.pop(0))
            whole = bool(words) and not re.search(r"[A-Z]{2}| > ", line)
            for name in names[0].split("|"):
                yield [name] + names[1:], line if whole else None


def make(w):
    w.run("prog", "loadall", BUILD + "/tests/live/manual.bpf.o", w.pins + "/m", "pinmaps", w.pins + "/m")
    for words in (("map", "update", "pinned", w.pins + "/m/flows", "key", "saddr=167772161", "value", "bytes=2000000"),
                  ("map", "update", "pinned", w.pins + "/m/conns", "key", "saddr=1", "value", "bytes=7", "state=ESTABLISHED"),
                  ("map", "update", "pinned", w.pins + "/m/limits", "key", "1", "value", "rate=5"),
                  ("map", "update", "pinned", w.pins + "/m/seen", "value", "10.1.2.3"),
                  ("map", "update", "pinned", w.pins + "/m/latency", "key", "3", "value", "9"),
                  ("map", "update", "pinned", w.pins + "/m/progs", "key", "1", "value", "pinned", w.pins + "/m/meter"),
                  ("prog", "unpin", w.pins + "/m/on_packet"),  # ./workload loads it
                  ("map", "pin", "pinned", w.pins + "/m/flows", w.pins + "/flows"),
                  ("map", "pin", "pinned", w.pins + "/m/flows_v2", w.pins + "/flows_v2"),
                  ("prog", "pin", "pinned", w.pins + "/m/filter", w.pins + "/filter")):
        r = w.run(*words)
        ok(r.status == 0, "created for the manual: " + " ".join(words[:2] + words[4:]), r)
    os.makedirs("/run/netns", exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run/netns"], check=True)  # only we see it
    subprocess.run(["ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth1"], check=True)
    w.run("attach", "pinned", w.pins + "/m/meter", "to", "eth0", "tc_egress")
    for words in (["netns", "add", "blue"], ["-n", "blue", "link", "add", "eth0", "type", "veth", "peer", "name", "eth1"]):
        subprocess.run(["ip"] + words, check=True)
    w.run("attach", "pinned", w.pins + "/m/parse_ipv6", "to", "blue:eth0", "tcx_ingress")
    with open("/etc/passwd") as f:
        w.run("map", "update", "pinned", w.pins + "/m/inode_data", "key", f.fileno(), "value", 1, pass_fds=[f.fileno()])
    for name in ("state.tar.gz", "before.tar.gz", "after.tar.gz", "opensnoop.rec"):
        w.run("save", "--map-data", w.dir + "/" + name)
    os.mkdir(w.dir + "/fleet")
    for name in ("host1.tar.gz", "host2.tar.gz"):
        os.symlink("../state.tar.gz", w.dir + "/fleet/" + name)
    shutil.copy(ROOT + "/tests/archives/sampled.tar.gz", w.dir)
    os.mkdir(w.dir + "/box")
    shutil.copy(ROOT + "/tests/archives/counters.tar.gz", w.dir + "/box/record")
    for name in ("tool", "trace", "old", "new"):
        shutil.copy(BUILD + "/tests/live/manual.bpf.o", "%s/%s.bpf.o" % (w.dir, name))
    shutil.copy(BUILD + "/tests/live/run.bpf.o", w.dir + "/app.bpf.o")  # without counters
    os.mkdir(w.dir + "/DIR")
    open(w.dir + "/oops.txt", "w").close()
    with open(w.dir + "/updates", "w") as f:
        f.write("map update name limits key 1 value rate=6\n")
    os.mkdir(w.pins + "/fw")
    w.run("map", "pin", "pinned", w.pins + "/m/limits", w.pins + "/fw/limits")
    os.mkdir(w.dir + "/bin")
    for name in STUBS:
        script(w.dir + "/bin/" + name, "[ -t 0 ] || cat > /dev/null")
    script(w.dir + "/workload", "bpflens prog load tool.bpf.o %s/on only on_packet && bpflens prog run pinned %s/on repeat 2000000 data %s &&"
           " bpflens prog unpin %s/on" % (w.pins, w.pins, "00" * 64, w.pins))
    if not shutil.which("perf"):
        OVER.append((r"name on_packet|r\.rec", "perf is not installed"))


def script(path, text):
    with open(path, "w") as f:
        f.write("#!/bin/sh\n" + text + "\n")
    os.chmod(path, 0o755)


def heap():
    """An arena at the manual's address with a value in its third page: the program that uses it. None: the kernel has no arenas."""
    fd, base = arena_create(16, b"heap", 0x100000000000), 0x100000000000
    if fd < 0 or not arena_write(fd, base, 16 * mmap.PAGESIZE, base + 0x2040, struct.pack("=II", 7, 0x2080)):
        return OVER.append((r"name heap", "the kernel has no arenas"))
    return node_program(fd, b"list_node")


def netfilter():
    """Load a netfilter program and return its descriptor; None: the kernel does not have this type."""
    try:
        return prog_load("netfilter", "guard", 1, 45)
    except OSError:
        OVER.append((r"name guard", "this kernel does not have netfilter programs"))
        return None


def algorithms():
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control") as f:
        return f.read().split()


def congestion(w):
    """Pin a congestion control that was registered."""
    r = w.run("struct_ops", "register", BUILD + "/tests/live/cc_link.bpf.o", w.pins + "/cc")
    if r.status:
        return OVER.append((r"my_cc", "links of struct_ops: " + r.errors.strip()))
    r = w.run("map", "pin", "name", "lensreg_b", w.pins + "/my_cc")
    w.run("link", "unpin", w.pins + "/cc/lensreg_b")
    ok(r.status == 0 and until(lambda: "lensreg_b" not in algorithms()), "a congestion control for the manual", r)


def interrupt(directory, ended):
    """Interrupt the command there when it has begun to wait, for input or for its interval, and goes on waiting."""
    while not ended.wait(0.2):
        pid = waiting_in(directory)
        if pid and not ended.wait(0.3) and waiting_in(directory) == pid:
            try:
                os.kill(pid, signal.SIGINT)
            except ProcessLookupError:
                pass


def run(w, line):
    """Run a command, and interrupt it if it does not end by itself."""
    text = line.replace("/sys/fs/bpf/", w.pins + "/").replace("/var/log/", w.dir + "/").replace("/var/lib/node_exporter/", w.dir + "/").replace("/etc/bpf.", w.dir + "/bpf.").replace(" 1h ", " 1 ")
    text = re.sub(r"--from /var/lib/bpflens +--at (-2h|'yesterday 14:05')", "--from %s/box --at -5s" % w.dir, text)
    if re.search("map create /sys/fs/bpf/flows|map export name flows [|]", line):  # the name is that of the other program again
        w.run("map", "unpin", w.pins + "/flows")
    ended = threading.Event()
    if "./workload" not in line:  # it ends by itself
        threading.Thread(target=interrupt, args=(os.path.realpath(w.dir), ended)).start()
    try:
        return Run(["timeout", "-s", "INT", "60", "sh", "-c", text], cwd=w.dir, timeout=90, stdin=subprocess.DEVNULL,
                   env=dict(os.environ, PATH=w.dir + "/bin:" + w.dir + ":" + os.environ["PATH"]))
    finally:
        ended.set()


def good(line, r):
    if r.status == (2 if re.search(r"bpflens diff\b", line) else 5) and re.search("Operation not permitted|not in this archive|lost [0-9]+ calls?|\\[ENOENT\\]", r.errors):
        # facts that this machine hides even from root, that were not saved, or of objects of others that are gone
        return True
    endless = re.search(r"\b(listen|tap|watch|heatmap|record|events|perf_event|event_pipe)\b", line)
    return r.status in ((0, 1) if re.search(r"\b(diff|audit)\b", line) else (0,)) or (endless and r.status in (124, 130))


def repeated(w, line):
    """Run a command, and again if an object that it listed, of another test, ended before it was asked about."""
    for _ in range(5):
        r = run(w, line)
        if good(line, r) or not re.search(r"no (program|map|link|BTF object) with id \d+ \[ENOENT\]", r.errors):
            break
    return r


with World() as w:
    make(w)
    guard, uses_heap = netfilter(), heap()
    congestion(w)
    cgroup = os.path.dirname(w.cgroup) + "/user.slice"
    made = w.cgroup and not os.path.exists(cgroup)
    if made:
        os.mkdir(cgroup)
    else:
        OVER.append((r"user\.slice", "the cgroup cannot be created"))
    done = passed = 0
    for line in manual():
        why = next((why for pattern, why in OVER if re.search(pattern, line)), None)
        why = why or ("jq is not installed" if "jq " in line and not shutil.which("jq") else None)
        r = None if why else repeated(w, line)
        if r and not good(line, r):
            why = next((why for pattern, why in LACKS if re.search(pattern, r.errors)), None)
        if why:
            print("# not run: %s: %s" % (line, why))
            passed += 1
        else:
            done += 1
            ok(good(line, r), line, r)
    for words, line in inline():
        r = w.run("help", *words)
        ok(r.status == 0, "in a sentence: " + " ".join(words), r)
        if line and "load" not in words:  # to load, a path is missing
            r = repeated(w, "bpflens " + line)
            ok(r.status == 0 or "execsnoop" in line and not os.path.exists("/usr/sbin/execsnoop"), "in a sentence: " + line, r)
    subprocess.run(["ip", "netns", "del", "blue"], check=True)
    w.run("link", "unpin", w.pins + "/my_cc_link")
    if made:
        for hook, name in (("ingress", "count_in"), ("ingress", "first_in"), ("egress", "count_out")):
            w.run("cgroup", "detach", cgroup, hook, "pinned", w.pins + "/m/" + name)
        w.run("link", "unpin", w.pins + "/egress")
        os.rmdir(cgroup)
    ok(done > passed * 3, "most of the manual's %d command lines were run: %d" % (done + passed, done))
finish()
