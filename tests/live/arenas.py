# SPDX-License-Identifier: BSD-2-Clause
"""Arenas, and a program that uses one, without libbpf, which creates them only since 1.4."""
import ctypes
import mmap
import struct

from rawbpf import MAP_CREATE, PROG_LOAD, try_bpf

ARENA, MMAPABLE, BTF_LOAD = 33, 1 << 10, 18
FIXED_NOREPLACE = 0x100000
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype, _libc.mmap.argtypes = ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)


def arena_create(pages, name, address=0):
    """A descriptor, or -errno. @address: where every process has to map it."""
    return try_bpf(MAP_CREATE, struct.pack("<IIIIIII16s", ARENA, 0, 0, pages, MMAPABLE, 0, 0, name).ljust(64, b"\0") + struct.pack("<Q", address))


def arena_write(fd, address, size, at, data):
    """Map an arena at its address, as long as this process lives, and write to it: whether it could be mapped."""
    there = _libc.mmap(address, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED | FIXED_NOREPLACE, fd, 0) == address
    if there:
        ctypes.memmove(at, data, len(data))
    return there


def node_program(fd, node):
    """A program that uses the arena and has a struct @node { u32 number, next; } in its BTF; or -errno."""
    strings = b"\0u32\0number\0next\0" + node + b"\0"
    types = struct.pack("<IIII", 1, 1 << 24, 4, 32) + struct.pack("<III", 17, 4 << 24 | 2, 8)
    types += struct.pack("<IIIIII", 5, 1, 0, 12, 1, 32) + struct.pack("<IIIIII", 0, 13 << 24, 1, 17, 12 << 24, 3)
    btf = struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(types), len(types), len(strings)) + types + strings
    data = ctypes.create_string_buffer(btf, len(btf))
    btf_fd = try_bpf(BTF_LOAD, struct.pack("<QQIII", ctypes.addressof(data), 0, len(btf), 0, 0))
    code = struct.pack("<BBhiBBhi", 0x18, 0x11, 0, fd, 0, 0, 0, 0) + struct.pack("<BBhiBBhi", 0xb7, 0, 0, 0, 0x95, 0, 0, 0)
    info = ctypes.create_string_buffer(struct.pack("<II", 0, 4), 8)  # one function; without func_info the BTF is not kept
    insns, gpl = ctypes.create_string_buffer(code, len(code)), ctypes.create_string_buffer(b"GPL")
    return try_bpf(PROG_LOAD, struct.pack("<IIQQIIQII16sIIIIQI", 31, len(code) // 8, ctypes.addressof(insns), ctypes.addressof(gpl), 0, 0,
                                          0, 0, 1 << 4, b"lens_arena", 0, 0, btf_fd, 8, ctypes.addressof(info), 1))
