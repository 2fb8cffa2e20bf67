#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""record: machine code that does not belong to a program in the file. Classic filters, which the kernel does not announce, and code that it announces
without a program (struct_ops): with address, life and bytes, named by `addr` and `report`."""
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

from world import BPFLENS, BUILD, Run, finish, isolate, ok, patience, skip

isolate()
# Attaches filters of SIZE instructions to two sockets and to itself; the first one runs for the given time.
WORKLOAD = r"""
import ctypes, os, socket, struct, sys, time
def filter(size):
    code = struct.pack("HBBI", 0, 0, 0, 1) + b"".join(struct.pack("HBBI", 0x04, 0, 0, i) for i in range(size - 2)) + struct.pack("HBBI", 6, 0, 0, 0xffff)
    buf = ctypes.create_string_buffer(code, len(code))
    return struct.pack("HxxxxxxP", size, ctypes.addressof(buf)), buf
def attach(s, option, size):
    prog, buf = filter(size)
    s.setsockopt(socket.SOL_SOCKET, option, prog)
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
attach(b, 26, 2000)
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.setsockopt(socket.SOL_SOCKET, 15, 1)
u.bind(("127.0.0.1", 0))
attach(u, 51, 30)
libc = ctypes.CDLL(None, use_errno=True)
allow = struct.pack("HBBI", 6, 0, 0, 0x7fff0000)
buf = ctypes.create_string_buffer(allow, len(allow))
fprog = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 1, ctypes.addressof(buf)), 16)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, fprog, 0, 0):
    sys.exit(9)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    a.send(b"x" * 64)
    b.recv(100)
"""


def recorder(*argv):
    return subprocess.Popen([BPFLENS, "record"] + list(argv), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def members(path):
    with tarfile.open(path) as t:
        return {m.name: t.extractfile(m).read() for m in t if m.isfile()}  # the last one with a name is used


def codes(path):
    """The lines of sys/code as (address, bytes, from, gone, prog, pid, code, comm, name)."""
    return [line.split(" ") for line in members(path)["sys/code"].decode().splitlines()]


def jit():
    """In Linux 5.10 only the initial network namespace has the setting."""
    path = "/proc/sys/net/core/bpf_jit_enable"
    return not os.path.exists(path) or open(path).read().strip() != "0"


def classic(d):
    r = recorder("-j", "-o", d + "/c", "-F", "999", "--", sys.executable, "-c", WORKLOAD, "1")
    out, errors = r.communicate(timeout=patience(120))
    if r.returncode == 9:
        return skip("seccomp filters are not supported here")
    if not ok(r.returncode == 0, "filters are attached", errors):
        return None
    got = members(d + "/c")
    mine = {c[8]: c for c in codes(d + "/c") if c[5] == str(r.pid) or c[8].startswith("classic:")}
    if not any(name.startswith("classic:") for name in mine) and not jit():
        return skip("classic filters are interpreted here")
    counts = json.loads(out)
    ok(counts["classic"] == 3 and counts["other_code"] >= 3 and counts["other_code_lost"] == 0 and r.returncode == 0, "three filters are counted", out + errors)
    ok({"classic:socket", "classic:reuseport", "classic:seccomp"} <= set(mine), "filters of a socket, of a reuseport group and of a process: all are in the file", mine)
    names = [c[8] for c in codes(d + "/c")]
    ok(all(names.count(n) == 1 for n in mine), "each once", names)
    for name in ("classic:socket", "classic:reuseport", "classic:seccomp"):
        c = mine.get(name)
        if not c:
            continue
        code = got.get("code/" + c[6], b"")
        ok(len(code) == int(c[1]) > 5 and code.strip(b"\0\xcc"), "%s: its machine code is in the file" % name, (c, code[:32]))
        ok(c[7].startswith("python") and int(c[2]) > 0, "%s: process and time of its attachment" % name, c)
        r = Run([BPFLENS, "--from", d + "/c", "-j", "addr", "%x" % (int(c[0], 16) + 3)])
        # Other code may have been at the address before: programs that the recorder itself tried and closed.
        ok(r.out.startswith(b"[") and name in [f.get("func") for f in json.loads(r.out)], "%s: addr names it" % name, r)
    if "classic:socket" not in mine:
        return None
    ok(len(got["code/" + mine["classic:socket"][6]]) > 4000, "2000 instructions have many bytes")
    r = Run([BPFLENS, "report", d + "/c", "--folded"])
    inside = sum(int(line.split()[-1]) for line in r.text.splitlines() if re.search(r"classic:socket \d+$", line))
    ok(inside > 0, "report names samples in a filter: %d" % inside, "\n".join(r.text.splitlines()[:10]))
    return None


def announced(d):
    """Is code of struct_ops, which has symbols since Linux 6.13, or a trampoline in the kernel's symbols?"""
    pins = d + "/fs"
    os.mkdir(pins)
    # The first list has the code that the recorder itself loads.
    script = """grep ' bpf_' /proc/kallsyms > {d}/before; mount -t bpf none {fs}
{lens} struct_ops register {tests}/cc_link.bpf.o {fs} > /dev/null
{lens} prog load {tests}/progs.bpf.o {fs}/entry only on_entry autoattach > /dev/null
sleep 0.5; grep ' bpf__\\| bpf_trampoline' /proc/kallsyms > {d}/ksyms
rm -rf {fs}/*; umount {fs}"""
    r = recorder("-j", "-o", d + "/s", "--", "sh", "-c", script.format(fs=pins, lens=BPFLENS, tests=BUILD + "/tests/live", d=d))
    _, errors = r.communicate(timeout=patience(120))
    before = {line.split()[2] for line in open(d + "/before")}
    ksyms = [line.split() for line in open(d + "/ksyms") if line.split()[2] not in before]
    if not ksyms:
        return skip("code of struct_ops and trampolines are not supported here, or have no symbols: " + errors.strip()[-200:])
    have = {int(c[0], 16): c for c in codes(d + "/s") if c[2] != "?"}
    missing = [k for k in ksyms if int(k[0], 16) not in have]
    ok(not missing, "%d pieces of struct_ops and trampolines are in the file" % len(ksyms), "%s\n%s" % (missing[:3], errors))
    got = members(d + "/s")
    start = int(got["sys/lives"].split()[1])
    for k in ksyms[:3]:
        c = have.get(int(k[0], 16))
        if c:
            ok(c[8] == k[2] and len(got.get("code/" + c[6], b"")) == int(c[1]) > 0, "%s: with its bytes" % k[2], c)
            # Other code may be at the address at the end.
            middle = (int(c[2]) + int(c[3])) / 2 if c[3] != "-" else int(c[2]) + 1e6
            r = Run([BPFLENS, "--from", d + "/s", "--at", "%.9f" % ((middle - start) / 1e9), "-j", "addr", k[0]])
            ok(json.loads(r.out)[0].get("func") == k[2], "%s: addr names it" % k[2], r)
    return None


def main():
    with tempfile.TemporaryDirectory() as d:
        tried = Run([BPFLENS, "record", "-o", d + "/try", "--", "true"])
        if tried.status == 4:
            skip("record: " + tried.errors.strip())
            return
        classic(d)
        announced(d)


main()
finish()
