# SPDX-License-Identifier: BSD-2-Clause
"""Perf events with programs, created by the test itself with plain system calls."""
import ctypes
import fcntl
import os
import struct

LIBC = ctypes.CDLL(None, use_errno=True)
SYS_PERF_EVENT_OPEN, SYS_BPF = 298, 321  # x86-64
BPF_PROG_GET_FD_BY_ID, BPF_RAW_TRACEPOINT_OPEN = 13, 17
IOC_SET_BPF, IOC_ENABLE = 0x40042408, 0x2400
TRACEPOINTS = "/sys/kernel/tracing/events/"
PMUS = "/sys/bus/event_source/devices/"


def checked(value):
    if value < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return value


def bpf(cmd, attr):
    data = ctypes.create_string_buffer(attr + bytes(128 - len(attr)), 128)
    return checked(LIBC.syscall(SYS_BPF, cmd, data, 128))


def program(ident):
    return bpf(BPF_PROG_GET_FD_BY_ID, struct.pack("<I", ident))


def raw_tracepoint(name, prog):
    word = ctypes.create_string_buffer(name.encode())
    return bpf(BPF_RAW_TRACEPOINT_OPEN, struct.pack("<QI", ctypes.addressof(word), prog))


def event(kind, config=0, config1=0, config2=0, period=1 << 30, prog=None, cpu=0):
    attr = struct.pack("<IIQQQQQIIQQ", kind, 112, config, period, 0, 0, 0, 0, 0, config1, config2)
    data = ctypes.create_string_buffer(attr + bytes(112 - len(attr)), 112)
    fd = checked(LIBC.syscall(SYS_PERF_EVENT_OPEN, data, -1, cpu, -1, 8))
    if prog is not None:
        fcntl.ioctl(fd, IOC_SET_BPF, prog)
        fcntl.ioctl(fd, IOC_ENABLE, 0)
    return fd


def number(path):
    try:
        with open(path) as f:
            return int(f.read())
    except OSError:
        return None


def tracepoint(name, prog):
    nr = number(TRACEPOINTS + name.replace(":", "/") + "/id")
    return None if nr is None else event(2, nr, prog=prog)


def code_in(path):
    """Offset of the code in a 64-bit ELF file, after an endbr64, at which the kernel does not place uprobes."""
    with open(path, "rb") as f:
        head = f.read(64)
        start, size, count = struct.unpack_from("<Q", head, 32)[0], *struct.unpack_from("<HH", head, 54)
        for i in range(count):
            f.seek(start + i * size)
            kind, flags, offset = struct.unpack("<IIQ", f.read(16))
            if kind == 1 and flags & 1:  # PT_LOAD, PF_X
                f.seek(offset)
                return offset + 4 * (f.read(4) == b"\xf3\x0f\x1e\xfa")
    raise ValueError("%s has no code" % path)


def probe(kind, target, offset, prog, at_return=False):
    """@kind: kprobe or uprobe; None if this kernel does not have it."""
    nr = number(PMUS + kind + "/type")
    if nr is None:
        return None
    word = ctypes.create_string_buffer(target.encode()) if target else None
    return event(nr, int(at_return), ctypes.addressof(word) if word else 0, offset, prog=prog)
