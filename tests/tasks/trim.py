#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Trim the archive of the tasks: remove large answers that no task reads: types of the kernel, most symbols, the configuration.
usage: trim.py FULL FILE"""
import gzip
import io
import re
import struct
import sys
import tarfile

NONE = struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, 0, 0, 1) + b"\0"  # BTF without types


def kept(name, data, kernel):
    if name == "sys/kallsyms":
        return b"".join(x for x in data.splitlines(True) if re.search(rb" [tT] (__bpf_call_base|\w*bpf_\w+|\w*sys_bpf|x64_sys_call|do_syscall_64|entry_SYSCALL_64_after_hwframe)(\s|$)", x))
    if re.match(r"btf/\d+/data", name) and name.split("/")[1] in kernel:
        return NONE
    return None if name in ("sys/kconfig", "sys/vmlinux", "index") else data


with tarfile.open(sys.argv[1]) as t:
    members = {m.name: t.extractfile(m).read() for m in t}
members["meta"] = members["meta"].replace(b"format 2\n", b"")
kernel_btf = {name.split("/")[1] for name, data in members.items() if re.match(r"btf/\d+/info", name) and struct.unpack_from("<I", data, 28)[0]}
raw = io.BytesIO()
with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as t:
    for name, data in members.items():
        data = kept(name, data, kernel_btf)
        if data is not None:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
with open(sys.argv[2], "wb") as f:
    f.write(gzip.compress(raw.getvalue(), 9, mtime=0))
