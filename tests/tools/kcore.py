# SPDX-License-Identifier: BSD-2-Clause
"""What perf reads of the kernel on a machine that has /proc/kcore, as files: perf --kallsyms reads all of them."""
import os
import struct

MODULES = 0xffffffffc0000000, 0xffffffffff000000  # where x86 has modules and BPF programs


def write(d, symbols, spans, modules=""):
    """@symbols: text of /proc/kallsyms; @spans: what kcore has, [(start, end)]. The path for --kallsyms."""
    for name, text in ("kallsyms", symbols), ("modules", modules):
        with open(d + "/" + name, "w") as f:
            f.write(text)
    at, heads = 4096, b""
    for start, end in spans:
        heads += struct.pack("=IIQQQQQQ", 1, 7, at, start, start, end - start, end - start, 4096)
        at += end - start
    with open(d + "/kcore", "wb") as f:
        f.write(b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack("=HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, len(spans), 0, 0, 0) + heads)
        os.truncate(f.fileno(), at)
    return d + "/kallsyms"
