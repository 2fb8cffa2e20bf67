#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every map type that can be created here and every verb: the table of types, as in the manual, agrees with the
kernel's answers to bpf(2), and a verb that a type does not support names the type and an alternative."""
import ctypes
import errno
import os
import re
import socket
import struct
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from rawbpf import try_bpf as bpf
from world import World, finish, isolate, ok, skip  # noqa: E402

isolate()
CREATE, LOOKUP, UPDATE, DELETE, NEXT, LOAD, PIN, TAKE, FREEZE = 0, 1, 2, 3, 4, 5, 6, 21, 22
# word: type, key, value, entries, flags
TYPES = {
    "hash": (1, 4, 8, 4, 0), "array": (2, 4, 8, 4, 0), "prog_array": (3, 4, 4, 2, 0), "perf_event_array": (4, 4, 4, 2, 0),
    "percpu_hash": (5, 4, 8, 4, 0), "percpu_array": (6, 4, 8, 4, 0), "stack_trace": (7, 4, 16, 2, 0),
    "cgroup_array": (8, 4, 4, 2, 0), "lru_hash": (9, 4, 4, 4, 0), "lru_percpu_hash": (10, 4, 4, 4, 0),
    "lpm_trie": (11, 8, 4, 4, 1), "array_of_maps": (12, 4, 4, 2, 0), "hash_of_maps": (13, 4, 4, 2, 0),
    "devmap": (14, 4, 4, 2, 0), "sockmap": (15, 4, 8, 2, 0), "cpumap": (16, 4, 4, 2, 0), "xskmap": (17, 4, 4, 2, 0),
    "sockhash": (18, 4, 8, 2, 0), "cgroup_storage": (19, 8, 8, 0, 0), "reuseport_sockarray": (20, 4, 8, 2, 0),
    "percpu_cgroup_storage": (21, 8, 8, 0, 0), "queue": (22, 0, 4, 2, 0), "stack": (23, 0, 4, 2, 0),
    "sk_storage": (24, 4, 4, 0, 1), "devmap_hash": (25, 4, 4, 2, 0), "ringbuf": (27, 0, 0, 4096, 0),
    "inode_storage": (28, 4, 4, 0, 1), "task_storage": (29, 4, 4, 0, 1), "bloom_filter": (30, 0, 4, 4, 0),
    "user_ringbuf": (31, 0, 0, 4096, 0), "cgrp_storage": (32, 4, 4, 0, 1), "arena": (33, 0, 0, 4, 1 << 10),
    "insn_array": (34, 4, 16, 4, 0), "rhash": (35, 4, 8, 4, 1),
}
OF_OWNERS = ("sk_storage", "inode_storage", "task_storage", "cgrp_storage")
UNABLE = (errno.EINVAL, errno.EFAULT, errno.EOPNOTSUPP, 524)  # 524: ENOTSUPP, which only the kernel has
KINDS = {"tap": ("ringbuf", "user_ringbuf"), "event_pipe": ("perf_event_array",), "stacks": ("stack_trace",),
         "storage": ("sk_storage", "task_storage", "cgrp_storage")}


def typed_map(type_id, key, value, entries, flags):
    """Create a local storage map, which requires types: a u32 key and value."""
    strings = b"\0u32\0"
    types = struct.pack("<IIII", 1, 1 << 24, 4, 32)
    btf = struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(types), len(types), len(strings)) + types + strings
    data = ctypes.create_string_buffer(btf, len(btf))
    btf_fd = bpf(18, struct.pack("<QQIII", ctypes.addressof(data), 0, len(btf), 0, 0))
    fd = bpf(CREATE, struct.pack("<IIIIIII16sIIII", type_id, key, value, entries, flags, 0, 0, b"twin", 0, btf_fd, 1, 1))
    if btf_fd >= 0:
        os.close(btf_fd)
    return fd


def create(word, inner):
    type_id, key, value, entries, flags = TYPES[word]
    if word in OF_OWNERS:
        return typed_map(type_id, key, value, entries, flags)
    return bpf(CREATE, struct.pack("<IIIIIII16s", type_id, key, value, entries, flags, inner if word.endswith("_of_maps") else 0,
                                   0, b"twin"))


class Kernel:
    """The kernel's answers to the operations of the verbs."""

    def __init__(self, word, fd, values):
        self.word, self.fd = word, fd
        self.key = ctypes.create_string_buffer(64)
        self.value = ctypes.create_string_buffer(4096)
        if word == "lpm_trie":
            self.key.raw = struct.pack("<I", 32).ljust(64, b"\0")
        if word in OF_OWNERS:
            self.key.raw = struct.pack("<I", values[word]).ljust(64, b"\0")
        self.value.raw = struct.pack("<Q", values.get(word, 7)).ljust(4096, b"\0")
        self.out = ctypes.create_string_buffer(65536)

    def ask(self, cmd, value=None, key=True):
        at = ctypes.addressof(self.key) if key and TYPES[self.word][1] else 0
        return bpf(cmd, struct.pack("<IIQQQ", self.fd, 0, at, ctypes.addressof(value) if value else 0, 0))

    def can(self):
        got = {
            "update": self.ask(UPDATE, self.value), "getnext": self.ask(NEXT, self.out, key=False),
            "lookup": self.ask(LOOKUP, self.value if self.word == "bloom_filter" else self.out),
            "pop": self.ask(TAKE, self.out, key=False), "delete": self.ask(DELETE), "freeze": bpf(FREEZE, struct.pack("<I", self.fd)),
        }
        return {verb: -err not in UNABLE for verb, err in got.items()}, got


def table(w):
    """type -> its verbs, from the manual."""
    with tempfile.NamedTemporaryFile("w", dir=w.dir, suffix=".in") as f:
        f.write("@ROWS map@\n")
        f.flush()
        text = w.run("__doc", "man", f.name).text
    rows = re.findall(r"^\.It Li (.*)\n(.*)$", text, flags=re.M)
    return {t: set(verbs.split(", ")) for types, verbs in rows for t in types.split(" , ")}


# For each verb, a command line that reaches the check of the type.
def command(verb, word, values):
    key = ["key"] + ["0"] * TYPES[word][1] if TYPES[word][1] else []
    if word == "lpm_trie":
        key[1] = "32"
    if word in OF_OWNERS:
        key = ["key", "0", "0", "0", "0"]
    value = ["value"] + ["0"] * TYPES[word][2] if TYPES[word][2] else []
    more = {"lookup": value if word == "bloom_filter" else key, "peek": key, "update": key + value, "push": key + value,
            "enqueue": key + value, "delete": key or ["key", "0"], "import": ["file", "/dev/null"], "freeze": ["--dry-run"],
            "pop": ["--dry-run"], "dequeue": ["--dry-run"], "histogram": ["member", "value"], "tap": ["--count", "1"]}
    return more.get(verb, [])


def verbs_asked(w, word, path, can):
    every = sorted(set().union(*ROWS.values()))
    for verb in every:
        if verb in can and verb in ("tap", "event_pipe", "watch"):
            continue  # they would wait for records
        r = w.run("map", verb, "pinned", path, *command(verb, word, {}), stdin=-3)
        said = re.search(r": an? %s cannot be " % word, r.errors)
        if verb in can:
            ok(not said, "%s %s: the kernel decides" % (word, verb), r)
        else:
            ok(r.status == 1 and said and "hint: " in r.errors and not r.out, "%s %s: the reason" % (word, verb), r)


with World() as world:
    ROWS = table(world)
    ok(set(TYPES) <= set(ROWS), "a row for every type", set(TYPES) - set(ROWS))
    hash_fd = create("hash", 0)
    if hash_fd < 0:
        skip("maps cannot be created here: " + os.strerror(-hash_fd))
        sys.exit(77)
    sock, file = socket.socket(), open("/etc/passwd")
    sock.listen()
    values = {"devmap": 1, "devmap_hash": 1, "cpumap": 64, "array_of_maps": hash_fd, "hash_of_maps": hash_fd, "prog_array": 9999,
              "perf_event_array": 9999, "cgroup_array": 9999, "xskmap": 9999, "sockmap": sock.fileno(),
              "sockhash": sock.fileno(), "reuseport_sockarray": 9999, "sk_storage": sock.fileno(), "inode_storage": file.fileno(),
              "task_storage": os.pidfd_open(os.getpid()), "cgrp_storage": 9999, "insn_array": 0}
    for name in TYPES:
        fd = create(name, hash_fd)
        if fd < 0:
            skip("%s: cannot be created here: %s" % (name, os.strerror(-fd)))
            continue
        path = "%s/%s" % (world.pins, name)
        at = ctypes.create_string_buffer(path.encode())
        bpf(PIN, struct.pack("<QI", ctypes.addressof(at), fd))
        kernel, errors = Kernel(name, fd, values).can()
        row = {v: v in ROWS[name] for v in kernel}
        ok(kernel == row, "%s: the table agrees with the kernel" % name, "%s\n%s\n%s" % (row, kernel, errors))
        special = {v: v in ROWS[name] for v in KINDS}
        ok(special == {v: name in KINDS[v] for v in KINDS}, "%s: its elements" % name, special)
        os.close(fd)
        fd = create(name, hash_fd)  # the other one is frozen
        os.unlink(path)
        bpf(PIN, struct.pack("<QI", ctypes.addressof(at), fd))
        verbs_asked(world, name, path, ROWS[name])
        os.close(fd)
        os.unlink(path)
finish()
