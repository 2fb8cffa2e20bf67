#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""packaging/bpflens-record.service: its command records with the capabilities that the unit leaves, as completely as without it, and with no system call that
the unit forbids. test_systemd.py runs it under systemd."""
import ctypes
import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile

from recordings import members
from world import BPFLENS, STRACE, Run, finish, isolate, ok, skip

isolate()
ATTACH_FILTER = 26  # SO_ATTACH_FILTER
TRACEFS = {"fsopen", "fsconfig", "fsmount"}  # only where it is not mounted, which systemd does
UNIT = os.path.dirname(__file__) + "/../../packaging/bpflens-record.service"


def setting(name):
    with open(UNIT) as f:
        return re.search("^%s=(.*)$" % name, f.read(), re.M).group(1)


def calls(name):
    """The system calls of a group."""
    text = subprocess.run(["systemd-analyze", "syscall-filter", name], stdout=subprocess.PIPE, text=True, check=True).stdout
    words = {line.strip() for line in text.splitlines() if line.startswith("    ") and not line.strip().startswith("#")}
    return {w for w in words if not w.startswith("@")}.union(*[calls(w) for w in words if w.startswith("@")])


def command(d):
    words = setting("ExecStart").split()
    ok(words[0] == "/usr/sbin/bpflens" and "/var/lib/" + setting("StateDirectory") + "/record" in words, "the unit writes to its own directory", words)
    return [BPFLENS] + [w.replace("/var/lib/" + setting("StateDirectory"), d) for w in words[1:]] + ["--seconds", "3"]


def refused(path):
    return {name for name in members(path) if name.endswith(".errno")}


def recorded(d):
    caps = ",".join("+" + cap[4:].lower() for cap in setting("CapabilityBoundingSet").split())
    words = command(d)
    free = Run(words, timeout=60)
    bound = Run(["setpriv", "--no-new-privs", "--bounding-set=-all," + caps] + words, timeout=60)
    ok(free.status in (0, 5) and bound.status in (0, 5) and sorted(os.listdir(d)) == ["record", "record.1"], "it records with the capabilities of the unit", bound)
    more = refused(d + "/record.1") - refused(d + "/record")
    ok(not [name for name in more if not re.match(r"(prog|map|link|btf|task|cgroup|net)/", name)], "and nothing more is refused", more)
    ok(any(name.startswith("counters/") for name in members(d + "/record.1")), "with counters")


def filtered(d):
    if not shutil.which("systemd-analyze") or not shutil.which("strace"):
        skip("system calls: systemd-analyze or strace is not installed")
        return
    allowed = set().union(*[calls(w) if w.startswith("@") else {w} for w in setting("SystemCallFilter").split()])
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as filtered_socket:  # which the recorder reads with a descriptor of its own
        insns = ctypes.create_string_buffer(struct.pack("<HBBI", 6, 0, 0, 0), 8)
        filtered_socket.setsockopt(socket.SOL_SOCKET, ATTACH_FILTER, struct.pack("@HP", 1, ctypes.addressof(insns)))
        r = Run(STRACE + ["-f", "-qq", "-o", d + "/calls"] + command(d), timeout=120)
    with open(d + "/calls") as f:
        made = set(re.findall(r"^\d+ +(\w+)\(", f.read(), re.M))
    made -= TRACEFS
    ok(r.status in (0, 5) and {"bpf", "pidfd_getfd"} <= made and not made - allowed, "no system call that the unit forbids", made - allowed or sorted(made))


with tempfile.TemporaryDirectory() as where:
    if shutil.which("setpriv"):
        recorded(where)
    else:
        skip("setpriv is not installed")
    filtered(where)
finish()
