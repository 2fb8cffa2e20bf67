# SPDX-License-Identifier: BSD-2-Clause
"""Programs that live for some milliseconds, one after the other, at the same few addresses; python3 moments.py SECONDS [NUMBER]"""
import ctypes
import os
import random
import struct
import sys
import time

from rawbpf import TEST_RUN, bpf, code_load


def insn(code, dst=0, src=0, off=0, imm=0):
    return struct.pack("<BBhi", code, dst | src << 4, off, imm)


def loop(turns, length):
    """A loop in which r0 is added to @length times per iteration."""
    body = b"".join(insn(0x07, 0, imm=k * 77 + 1) for k in range(length))
    return insn(0xb7, 0, imm=length) + insn(0xb7, 1, imm=turns) + body + insn(0x17, 1, imm=1) + insn(0x55, 1, off=-(length + 2)) + insn(0x95)


def work(seconds, most=None):
    """Run programs one after the other, each for some milliseconds; with a number of them, shorter."""
    end, n, data = time.time() + seconds, 0, ctypes.create_string_buffer(64)
    while time.time() < end and n != most:
        fd = code_load("socket_filter", "moment_%d" % n, loop(random.choice((100, 400, 1000)), random.choice((1, 5, 40))))
        bpf(TEST_RUN, struct.pack("<IIIIQQII", fd, 0, 64, 0, ctypes.addressof(data), 0, 500 if most else 5000, 0))
        os.close(fd)
        n += 1


if __name__ == "__main__":
    work(float(sys.argv[1]), *map(int, sys.argv[2:]))
