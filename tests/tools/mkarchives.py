#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Write the handmade archives of tests/archives/: machines that refuse, return wrong data, are newer or older than bpflens, or
attack it. The same input gives the same bytes. --big: the same machines in big-endian byte order.
usage: mkarchives.py DIRECTORY [--big]"""
import gzip
import io
import struct
import sys
import tarfile
import zlib

BIG = "--big" in sys.argv
META = "bpflens 0.1.0\nendian %s\ncpus 2\n" % ("big" if BIG else "little")


def pack(form, *values):
    return struct.pack((">" if BIG else "<") + form, *values)


def archive(members, meta=META, gz=True, raw=None):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as t:
        if meta is not None:
            members = [("meta", meta)] + list(members)
        for name, data in members:
            info = tarfile.TarInfo(name)
            if isinstance(data, tuple):  # ("link", target)
                info.type, info.linkname = tarfile.SYMTYPE, data[1]
                t.addfile(info)
                continue
            if isinstance(data, int):
                info.name, data = name + ".errno", "%d\n" % data
            if isinstance(data, str):
                data = data.encode("latin-1")
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    data = out.getvalue() if raw is None else raw(out.getvalue())
    return gzip.compress(data, 9, mtime=0) if gz else data


def segments(parts, index=None, sums=None):
    """As `save` writes now: a gzip member for each part (a list of members), checksums, an index, and the offset of the index at the
    end. @index: another text for it; @sums: {name: bytes that the checksum is computed from}. Returns the gzip members, of which the last two
    are the index and the mark."""
    out, lines = [], ""
    for part in [[("meta", META + "format 2\n")]] + parts + [None]:
        tar, start = io.BytesIO(), sum(map(len, out))
        t = tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT)
        for name, data in [("index", lines if index is None else index)] if part is None else part:
            if isinstance(data, int):
                name, data = name + ".errno", "%d\n" % data
            data = data.encode("latin-1") if isinstance(data, str) else data
            info = tarfile.TarInfo(name)
            info.size = len(data)
            crc = zlib.crc32((sums or {}).get(name, data))
            info.pax_headers = {"comment": "crc32=0x%08x" % crc}
            t.addfile(info, io.BytesIO(data))
            lines += "%d %d %d 0x%08x %s\n" % (start, t.offset - (len(data) + 511) // 512 * 512, len(data), crc, name)
        out.append(gzip.compress(tar.getvalue()[:t.offset] + bytes(1024 if part is None else 0), 9, mtime=0))
    mark = b"\x1f\x8b\x08\x04" + bytes(5) + b"\xff\x0c\0BL\x08\0" + struct.pack("<Q", start) + b"\x03" + bytes(9)
    return out + [mark]


def u32(*n):
    return pack("%dI" % len(n), *n)


def prog(ident, kind=1, name="", length=232, xlated=16, jited=20, maps=0, btf=0, funcs=0, lines=0, flags=1, tag=None, uid=0,
         load=10**12, ifindex=0, run=0, runs=3, jited_funcs=1, jited_lines=0, tags=1):
    p = pack("II8sIIQQQIIQ16sIIQQIIQQIIQIIQQIIIIQQQQIII", kind, ident, tag or bytes([ident & 255] * 8), jited, xlated, 0, 0,
                    load, uid, maps, 0, name.encode("latin-1")[:16], ifindex, flags << 31 if BIG else flags, 0, 0, jited_funcs, jited_funcs, 0, 0, btf, 8, 0, funcs, lines,
                    0, 0, jited_lines, 16, 8, tags, 0, run, run and runs, 0, 2, 0, 0)
    return (p + bytes(4) + b"\xab" * 64)[:length]


def bmap(ident, kind=1, name="", key=4, value=4, entries=16, flags=0, btf=0, btf_key=0, btf_value=0, length=104, extra=0):
    p = pack("IIIIII16sIIQQIIIIQQII", kind, ident, key, value, entries, flags, name.encode("latin-1")[:16], 0, 0, 0, 0, btf,
                    btf_key, btf_value, 0, extra, 0, 0, 0)
    return (p + b"\xab" * 64)[:length]


def link(ident, kind, prog_id, body=b"", length=80):
    return (pack("IIII", kind, ident, prog_id, 0) + body + bytes(80))[:length]


def btf_info(ident, size, kernel=0, name_len=0):
    return pack("QIIQII", 0, size, ident, 0, name_len, kernel)


def insn(code, dst=0, src=0, off=0, imm=0):
    return pack("BBhi", code, dst << 4 | src if BIG else src << 4 | dst, off, imm)


RETURN0 = insn(0xb7) + insn(0x95)


def btf(types, strings, length=None, type_len=None, str_len=None):
    t = b"".join(types)
    head = pack("HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(t) if type_len is None else type_len, len(t),
                       len(strings) if str_len is None else str_len)
    return (head + t + strings)[:length]


def btype(name, kind, vlen=0, size=0, *words, flag=0):
    return u32(name, flag << 31 | kind << 24 | vlen, size, *words)


def elems(count, key, value, data, cursor=b""):
    return pack("IIIHH", count, key, value, len(cursor), 0) + cursor + data


def elem(key, value, err=0):
    return pack("i", err) + key + value


SYSTEM = [("sys/clock", "1760000000000000000\n"), ("sys/cpus", "2\n"), ("sys/ifaces", "1 lo\n2 eth0\n"), ("sys/pins", ""),
          ("sys/holders", b""), ("sys/kallsyms", ""), ("sys/netns", "4 4026531840\n"), ("sys/cgroups", "1 /\n42 /app.slice\n"),
          ("sys/uname", "Linux 6.1.0-test x86_64\n"), ("sys/limits", "kptr_restrict 0\nbpf_jit_enable 1\n")]


def empty():
    return archive(SYSTEM + [(k + "/ids", b"") for k in ("prog", "map", "link", "btf")])


def refusals():
    """All answers that the kernel can refuse are refused; objects that vanished; one complete object between them."""
    return archive(SYSTEM[:2] + [
        ("prog/ids", u32(1, 2, 3)), ("prog/1/info", 1), ("prog/2/info", 2), ("prog/3/info", prog(3, 6, "whole")),
        ("prog/3/fdinfo", 13), ("prog/3/xlated", 1), ("map/ids", u32(5, 6, 7, 8)), ("map/5/info", 1), ("map/6/info", 2),
        ("map/7/info", bmap(7, 1, "no_contents")), ("map/7/fdinfo", "memlock:\t4096\nfrozen:\t0\n"), ("map/7/elems/start", 1),
        ("map/8/info", bmap(8, 27, "ring", 0, 0, 4096)), ("map/8/elems/start", 524), ("link/ids", 1), ("btf/ids", 22),
        ("sys/holders", 1), ("sys/pins", 13), ("sys/kallsyms", 13), ("sys/ifaces", 1), ("sys/cgroups", 2)])


def denied():
    """The answers for an ordinary user: lists are refused."""
    return archive([(k + "/ids", 1) for k in ("prog", "map", "link", "btf")] + [("sys/holders", 1), ("sys/pins", 13), ("sys/task_fds", 1)])


def newer():
    """A kernel of the future: types, attach types and flags without a name here, infos that are longer than here."""
    return archive(SYSTEM + [
        ("prog/ids", u32(11, 12)), ("prog/11/info", prog(11, 200, "from_future", 280)), ("prog/12/info", prog(12, 33, "next_type", 240)),
        ("prog/11/fdinfo", "memlock:\t4096\n"), ("prog/12/fdinfo", "memlock:\t4096\n"),
        ("prog/11/xlated", insn(0xb7) + insn(0xe5, 1, 2, 3, 4)), ("prog/12/xlated", RETURN0),
        ("map/ids", u32(21)), ("map/21/info", bmap(21, 99, "new_kind", 4, 4, 1, 1 << 30, length=140)), ("map/21/fdinfo", "frozen:\t0\n"),
        ("map/21/elems/start", elems(1, 4, 4, elem(u32(1), u32(2)))),
        ("link/ids", u32(31, 32, 33, 34, 35)), ("link/31/info", link(31, 77, 11, b"\x01" * 40)),
        ("link/32/info", link(32, 3, 12, pack("QI", 42, 99))), ("link/33/info", link(33, 11, 12, u32(9, 200))),
        ("link/34/info", link(34, 10, 12, pack("IIiI", 77, 66, -5, 1 << 20))),
        ("link/35/info", link(35, 7, 12, pack("II", 60, 0))), ("btf/ids", b"")])


def older():
    """A kernel of 2017: infos end after the program's name, there is no BTF and there are no links."""
    return archive(SYSTEM + [
        ("prog/ids", u32(1)), ("prog/1/info", prog(1, 6, "old_xdp", 80)), ("prog/1/fdinfo", "prog_type:\t6\nmemlock:\t4096\n"),
        ("prog/1/xlated", RETURN0), ("map/ids", u32(2)), ("map/2/info", bmap(2, 1, "old_map", length=40)),
        ("map/2/fdinfo", "memlock:\t8192\n"), ("map/2/elems/start", elems(0, 4, 4, b"")), ("link/ids", 22), ("btf/ids", 22)])


def jited(more=(), ids=(1, 2, 3, 4, 5), symbols="", without=()):
    """Machine code for an architecture without a disassembler, so that the output is the same everywhere; and programs without machine code."""
    strings = b"\0main_prog\0helper\0int\0a.c\0\treturn helper();\0return 1;\0}\0"
    at = strings.index
    types = btf([btype(at(b"int"), 1, 0, 4, 1 << 24 | 32), btype(0, 13, 0, 1), btype(at(b"main_prog"), 12, 0, 2),
                 btype(at(b"helper"), 12, 0, 2)], strings)
    base, code = 0xffffffffc0001000, bytes(range(40))
    spots = [(0, b"\treturn", 3 << 10 | 2, base), (2, b"}", 4 << 10 | 1, base + 18), (3, b"return 1", 7 << 10 | 9, base + 0x100)]
    two = [("func_info", u32(0, 3, 3, 4)), ("line_info", b"".join(u32(i, at(b"a.c"), at(text), place) for i, text, place, _ in spots)),
           ("jited_line_info", pack("3Q", *[x[3] for x in spots])), ("jited_ksyms", pack("2Q", base, base + 0x100)),
           ("jited_func_lens", u32(30, 10)), ("prog_tags", bytes(8) + b"\x12" * 8), ("jited", code), ("xlated", insn(0x85, 0, 1, 2) + insn(0x95) * 2 + RETURN0)]
    system = [x for x in SYSTEM if x[0] not in ("sys/uname", "sys/limits", "sys/kallsyms")]
    without = list(without) + [x[0] for x in more]
    return archive([x for x in system + [
        ("sys/uname", "Linux 6.1.0-test vax\n"), ("sys/limits", "kptr_restrict 2\nbpf_jit_enable 0\n"),
        ("sys/kallsyms", symbols + "%x t bpf_prog_0101010101010101_main_prog\t[bpf]\n" % base), ("prog/ids", u32(*ids)),
        ("prog/1/info", prog(1, 1, "main_prog", xlated=40, jited=40, btf=9, funcs=2, lines=3, jited_funcs=2, jited_lines=3, tags=2)),
        ("prog/2/info", prog(2, 1, "hidden")), ("prog/2/jited", b""), ("prog/3/info", prog(3, 1, "interpreted", jited=0)),
        ("prog/4/info", prog(4, 1, "left_out")), ("prog/5/info", prog(5, 1, "hidden")), ("prog/5/jited", code[:20]),
    ] + [("prog/1/" + name, data) for name, data in two] + [
        ("map/ids", b""), ("link/ids", b""), ("btf/ids", u32(9)), ("btf/9/info", btf_info(9, len(types))), ("btf/9/data", types)] if x[0] not in without] + list(more))


def sample(time, ip, callers=(), tid=70, user=0):
    return pack("QQIIIHBB", time, ip, 7, tid, 0, len(callers), user, 0) + pack("%dQ" % len(callers), *callers)


def sampled():
    """A recording: samples in the programs of jited(), and in one that was loaded later at the same address."""
    base, load = 0xffffffffc0001000, 10**12

    # Between the unload of the first and the load of the other is half a second: a sample in it belongs to no program.
    lives = "recorded %d %d\n1 %d %d 7 0 copied - work\\040er\n6 %d - 8 0 copied - other\n" % (
        load, load + 2 * 10**9, load, load + 5 * 10**8, load + 10**9)
    # A classic filter, and a trampoline that existed only before the samples at its address.
    code = "0x%x 64 %d ? - 70 0 work\\040er classic:socket\n0x%x 64 ? %d - ? - ? bpf_trampoline_6442\n" % (
        0xffffffffc0700000, load, base + 0x40, load - 5)
    calls = (0xffffffff81000042, 0xffffffff81000100)
    first = [sample(load + 1000 + i, base + 0x12, calls) for i in range(6)] + [sample(load + 2000, base, calls), sample(load + 2001, base + 0x104, (base + 5,) + calls)]
    later = [sample(load + 10**9 + 5, base + 4, tid=71), sample(load + 10**9 + 6, base + 19), sample(load + 3000, 0xffffffff81000044), sample(load + 3001, 0x401000, user=1),
             sample(load + 3002, 0xffffffffc0700000, tid=99), sample(load + 3003, base + 0x30), sample(load + 6 * 10**8, base + 0x12)]
    return jited([
        ("prog/6/info", prog(6, 6, "later", xlated=16, jited=20, load=load + 10**9)), ("prog/6/jited", bytes(20)),
        ("prog/6/jited_ksyms", pack("Q", base)), ("prog/6/jited_func_lens", u32(20)), ("prog/6/xlated", RETURN0),
        ("sys/sampling", "cpu-clock 999 %d %d 3\n" % (load, load + 2 * 10**9)), ("samples/0", b"".join(first)), ("samples/1", b"".join(later)),
        ("sys/lives", lives), ("sys/code", code), ("code/0", b"\x90" * 63 + b"\xc3"), ("sys/sampled_tasks", "70 7 work\\040er\n71 7 other;\n")], (1, 2, 3, 4, 5, 6), "ffffffff81000000 T run_it\nffffffff81000100 T do_syscall\nffffffff81000400 T _etext\n")


def sampled_parts():
    """Samples in programs without saved machine code (1, 3), one also without lines (6); and text that looks like markup."""
    base, load = 0xffffffffc0001000, 10**12
    script, strings = '"><script>x&', b"\0int\0main_prog\0<img src=x onerror=y()>\0</td></script><script>z('1')</script>\0</pre>&amp;\0"
    at = strings.index
    types = btf([btype(at(b"int"), 1, 0, 4, 1 << 24 | 32), btype(0, 13, 0, 1), btype(at(b"main_prog"), 12, 0, 2)], strings)
    lives = "recorded %d %d\n" % (load, load + 2 * 10**9) + "".join("%d %d - 7 0 copied - %s\n" % (i, load, comm) for i, comm in ((1, "a"), (3, "a"), (6, "a"), (7, "</i><b>&")))
    hits = [base] * 2 + [base + 0x12] * 6 + [base + 0x104] + [base + 0x2000] * 3 + [base + 0x3000] * 4 + [base + 0x3008] * 5
    return jited([
        ("prog/6/info", prog(6, 6, "no_lines", xlated=40, jited=20, load=load, jited_funcs=1)), ("prog/6/jited_ksyms", pack("Q", base + 0x2000)),
        ("prog/6/jited_func_lens", u32(20)), ("prog/6/xlated", insn(0x15, 1, 0, 1) + RETURN0 * 2), ("prog/3/xlated", RETURN0),
        ("prog/7/info", prog(7, 6, script, xlated=32, jited=16, load=load, jited_funcs=1, btf=10, funcs=1, lines=2, jited_lines=2, maps=1)),
        ("prog/7/xlated", insn(0x15, 1, 0, 1) + insn(0xb7) + RETURN0), ("prog/7/jited", bytes(range(16))), ("prog/7/jited_func_lens", u32(16)),
        ("prog/7/jited_ksyms", pack("Q", base + 0x3000)), ("prog/7/func_info", u32(0, 3)), ("prog/7/map_ids", u32(8)),
        ("prog/7/line_info", u32(0, at(b"<img"), at(b"</td>"), 3 << 10 | 2) + u32(1, at(b"<img"), at(b"</pre>"), 4 << 10 | 1)),
        ("prog/7/jited_line_info", pack("2Q", base + 0x3000, base + 0x3008)),
        ("btf/ids", u32(9, 10)), ("btf/10/info", btf_info(10, len(types))), ("btf/10/data", types), ("map/ids", u32(8)), ("map/8/info", bmap(8, 1, script)),
        ("map/8/fdinfo", "frozen:\t0\n"), ("link/ids", u32(9)), ("link/9/info", link(9, 1, 7, pack("QI", 0, 8))), ("link/9/buf/16.24.0", u32(8) + b"<u>'\"&;\0"),
        ("sys/sampling", "cpu-clock 999 %d %d 0\n" % (load, load + 2 * 10**9)), ("samples/0", b"".join(sample(load + 1000 + i, ip) for i, ip in enumerate(hits))),
        ("sys/lives", lives), ("sys/sampled_tasks", "70 7 a\n")], (1, 3, 6, 7),
        symbols="%x t bpf_prog_0606060606060606_no_lines\t[bpf]\n" % (base + 0x2000), without=("prog/1/jited", "prog/2/info", "prog/4/info", "prog/5/info", "prog/2/jited", "prog/5/jited"))


def number(v):
    return bytes([v & 127 | 128]) + number(v >> 7) if v >> 7 else bytes([v])


def moment(i, old, new):
    """Counters a second apart: whole, or what changed since @old; of a program that is gone, nothing."""
    grown = [(p, [b - a for a, b in zip(old.get(p, (0, 0, 0)), new.get(p, old.get(p)))]) for p in sorted(old.keys() | new.keys()) if old.get(p) != new.get(p)]
    steps = [p - before for (p, _), before in zip(grown, [0] + [p for p, _ in grown])]
    return b"".join(number(v) for v in [10**12 + i * 10**9, i * 15 * 10**7, len(grown) << 1 | (not old)] + [v for step, (_, more) in zip(steps, grown) for v in [step] + more])


def poked():
    """A recording: the machine code of jited() changes, once without an announcement."""
    base, load = 0xffffffffc0001000, 10**12
    pokes = ["announced\npoke %d 0x%x 0203 aabb\n" % (load + 10**8, base + 2),
             "poke %d 0x%x aabb ccdd\nfound %d %d 0x%x 22 ff\n" % (load + 2 * 10**8, base + 2, load + 4 * 10**8, load + 3 * 10**8, base + 0x104)]
    lives = "recorded %d %d\n1 %d - 7 0 copied - work\n" % (load, load + 10**9, load)
    return jited([("sys/lives", lives), ("pokes/0", pokes[0]), ("pokes/1", pokes[1])])


def counters():
    """A recording of 100 seconds with counters: a program that runs always and has samples, one in between, one that never runs."""
    hits = [0xffffffffc0001000 + off for off, n in ((2, 3), (18, 40), (0x104, 7)) for _ in range(n)] + [0xffffffff81000044] * 50
    def at(i):
        return {p: v for p, v in ((1, (i * 1000, i * 5000000, i // 10)), (6, ((i - 19) * 20, (i - 19) * 3000, 0))) if p == 1 and i or p == 6 and 20 <= i < 80}
    lives = "recorded %d %d\n" % (10**12 - 5, 10**12 + 10**11) + "".join("%d %d %s 7 0 copied - worker\n" % (p, 10**12 + load * 10**9, gone) for p, load, gone in
                                                                       ((1, -10, "-"), (3, -10, "-"), (6, 20, "%d" % (10**12 + 80 * 10**9))))
    return jited([("prog/6/info", prog(6, 6, "later", xlated=16, load=10**12 + 20 * 10**9)), ("prog/6/xlated", RETURN0), ("sys/lives", lives)] + [
        ("counters/%d" % i, moment(i, at(i - 1) if i % 64 else {}, at(i))) for i in range(100)] + [
        ("sys/sampling", "cpu-clock 999 %d %d 0\n" % (10**12, 10**12 + 10**11)), ("samples/0", b"".join(sample(10**12 + i, ip) for i, ip in enumerate(hits)))], (1, 3, 6), without=("prog/2/info", "prog/4/info", "prog/5/info", "prog/2/jited", "prog/5/jited"))


def truncated():
    """Answers that are shorter than their own lengths."""
    return archive(SYSTEM[:2] + [
        ("prog/ids", u32(1, 2, 3) + b"\x07"), ("prog/1/info", prog(1, 6, "short")[:7]), ("prog/2/info", prog(2, 6, "bodies", funcs=3, lines=5, btf=9, maps=9)),
        ("prog/2/xlated", RETURN0[:13]), ("prog/2/map_ids", b"\x01\x02"), ("prog/2/func_info", b"\x00" * 11), ("prog/2/line_info", b"\x01" * 30),
        ("prog/2/fdinfo", "memlock"), ("prog/3/info", b""), ("map/ids", u32(4, 5)), ("map/4/info", bmap(4, 1, "elems")),
        ("map/4/elems/start", elems(1000000, 4, 4, b"abc")), ("map/5/info", bmap(5, 1, "sizes")),
        ("map/5/elems/start", elems(1, 4096, 4, elem(u32(1), u32(2)))), ("link/ids", u32(6, 7)), ("link/6/info", b"\x01\x00\x00"),
        ("link/7/info", link(7, 1, 2, pack("QI", 0, 4000000))), ("link/7/buf/16.24.0", u32(4000000) + b"sys"),
        ("btf/ids", u32(9)), ("btf/9/info", btf_info(9, 24)), ("btf/9/data", b"\x9f\xeb\x01")])


def lying():
    """Counts, offsets and type graphs that are made to break a reader."""
    bad = btf([btype(1, 4, 65535, 8), btype(0, 2, 0, 2)], b"\0x\0")
    ring = btf([btype(1, 8, 0, 2), btype(1, 8, 0, 1), btype(0, 3, 0, 0, 3, 3, 0xffffffff)], b"\0t\0")
    wide = btf([btype(1, 4, 1, 0xfffffff0, 1, 1, 0)], b"\0s\0")
    high = (1 << 32) - 1
    return archive(SYSTEM + [
        ("prog/ids", u32(1, 1, 2, 0)), ("prog/1/info", prog(1, 1, "counts", xlated=high, jited=high, maps=high, funcs=high, lines=high, btf=1)),
        ("prog/1/xlated", insn(0x05, off=-1) + insn(0x18, 1, 1, 0, -1)), ("prog/1/map_ids", u32(7, 7)), ("prog/1/func_info", u32(high, 1)),
        ("prog/1/line_info", u32(high, high, high, high)), ("prog/2/info", prog(999, 1, "other_id")), ("prog/2/xlated", RETURN0),
        ("map/ids", u32(4, 5, 6, 7, 8)), ("map/4/info", bmap(4, 1, "huge", high, high, high)), ("map/4/elems/start", elems(1, high, high, b"")),
        ("map/5/info", bmap(5, 1, "loops")), ("map/5/elems/start", elems(1, 4, 4, elem(u32(1), u32(2)), b"start")),
        ("map/6/info", bmap(6, 12, "itself")), ("map/6/elems/start", elems(1, 4, 4, elem(u32(1), u32(6)))),
        ("map/7/info", bmap(7, 1, "bad_btf", btf=2, btf_key=1, btf_value=2)), ("map/7/elems/start", elems(1, 4, 4, elem(u32(1), u32(2)))),
        ("map/8/info", bmap(8, 1, "wide", btf=3, btf_key=1, btf_value=1)), ("map/8/elems/start", elems(1, 4, 4, elem(u32(1), u32(2)))),
        ("btf/ids", u32(1, 2, 3)), ("btf/1/info", btf_info(1, len(bad))), ("btf/1/data", bad), ("btf/2/info", btf_info(2, len(ring))),
        ("btf/2/data", ring), ("btf/3/info", btf_info(3, len(wide))), ("btf/3/data", wide), ("link/ids", b"")])


def hostile():
    """Names that would move a terminal's cursor, break out of JSON, or are not text."""
    esc, quote, bad, line = "\x1b[2Jboo", 'a"b\\c</x>', "\xff\xfe\xc3(", "a\nb\tc\rd"
    return archive(SYSTEM[:2] + SYSTEM[-1:] + [
        ("sys/ifaces", "1 \x1b]0;pwn\x07\n"), ("sys/pins", "prog 1 /sys/fs/bpf/a\\012b\nprog 2 /sys/fs/bpf/\x1b[31m\n"),
        ("sys/holders", pack("IIIIQ16s", 0, 1, 77, 0, 0, b'c"\x1b[7m\xff')), ("sys/kallsyms", ""), ("sys/cgroups", "42 /\x1b[1m\n"),
        ("prog/ids", u32(1, 2, 3, 4)), ("prog/1/info", prog(1, 6, esc)), ("prog/2/info", prog(2, 6, quote)),
        ("prog/3/info", prog(3, 6, bad)), ("prog/4/info", prog(4, 6, line)),
    ] + [("prog/%d/fdinfo" % i, "memlock:\t4096\n") for i in (1, 2, 3, 4)] + [
        ("map/ids", u32(7)), ("map/7/info", bmap(7, 1, esc)), ("map/7/fdinfo", "frozen:\t0\n"),
        ("link/ids", u32(8, 9)), ("link/8/info", link(8, 6, 1, u32(1))),
        ("link/9/info", link(9, 1, 1, pack("QI", 0, 12))), ("link/9/buf/16.24.0", u32(12) + b"tp'\x1b[2J\xff\xfe\0\0"),
        ("btf/ids", b"")])


def controls():
    """8-bit control characters, DEL and marks of bidirectional text in names, and an escape sequence in a path that cannot be read."""
    system = [x for x in SYSTEM if x[0] not in ("sys/cgroups", "sys/pins")]
    pins = "prog 1 /sys/fs/bpf/c1\u009b31m\nprog 1 /sys/fs/bpf/del\x7f\nprog 1 /sys/fs/bpf/bidi\u202egpj.\u2066\u200f\u061c\n"
    return archive(system + [
        ("sys/cgroups", "45 /x\x1b]0;owned\x07\n"), ("sys/cgroup_mounts", "1 /sys/fs/cgroup\n"), ("cgroup/45/progs", 1),
        ("sys/pins", pins.encode()), ("prog/ids", u32(1)), ("prog/1/info", prog(1, 6, "a")), ("map/ids", b""), ("link/ids", b""),
        ("btf/ids", b"")])


def many():
    """A few hundred programs, for tables, sorting and filters."""
    types = [1, 6, 3, 5, 13]
    return archive(SYSTEM + [("prog/ids", u32(*range(1, 301)))] + [
        ("prog/%d/info" % i, prog(i, types[i % 5], "worker_%d" % i if i % 7 else "", run=i * i * 1000 % 7919, uid=i % 3)) for i in range(1, 301)
    ] + [("prog/%d/fdinfo" % i, "memlock:\t%d\n" % (4096 * (1 + i % 4))) for i in range(1, 301)] + [("map/ids", b""), ("link/ids", b""), ("btf/ids", b"")])


def histograms():
    """Counters of values: an array of log2 slots without types, a struct of slots per key, one for each of two CPUs."""
    strings = b"\0int\0u32\0u64\0hist\0slots\0total\0pair\0left\0right\0"
    at = strings.index
    slots, total = at(b"slots"), at(b"total")
    types = btf([btype(at(b"int"), 1, 0, 4, 1 << 24 | 32), btype(at(b"u32"), 1, 0, 4, 32), btype(at(b"u64"), 1, 0, 8, 64),
                 btype(0, 3, 0, 0, 2, 2, 8), btype(at(b"hist"), 4, 2, 40, slots, 4, 0, total, 3, 256),
                 btype(at(b"pair"), 4, 2, 64, at(b"left"), 4, 0, at(b"right"), 4, 256)], strings)
    dist = [0, 3, 12, 40, 81, 102, 77, 30, 9, 0, 2] + [0] * 16
    sizes = [0, 1, 64, 65, 100, 1500, 1500, 9000, 2 ** 32 - 1]
    system = [x for x in SYSTEM if x[0] not in ("sys/clock",)]
    return archive(system + [
        ("prog/ids", b""), ("link/ids", b""), ("map/ids", u32(1, 2, 3, 4, 5, 6)),
        ("map/1/info", bmap(1, 2, "dist", 4, 8, 27)),
        ("map/1/elems/start", elems(27, 4, 8, b"".join(elem(u32(i), pack("Q", n)) for i, n in enumerate(dist)))),
        ("map/2/info", bmap(2, 1, "latency", 4, 40, 16, btf=9, btf_key=1, btf_value=5)),
        ("map/2/elems/start", elems(2, 4, 40, elem(u32(7), u32(0, 1, 5, 9, 3, 0, 0, 0) + u32(0, 0)) +
                                    elem(u32(8), u32(*[0] * 7 + [4]) + u32(4, 0)))),
        ("map/3/info", bmap(3, 6, "percpu", 4, 4, 8, btf=9, btf_key=1, btf_value=2)),
        ("map/3/elems/start", elems(3, 4, 16, b"".join(elem(u32(i), u32(i, 0, 10 * i, 0)) for i in (1, 2, 3)))),
        ("map/4/info", bmap(4, 1, "sizes", 4, 4, 16, btf=9, btf_key=2, btf_value=2)),
        ("map/4/elems/start", elems(len(sizes), 4, 4, b"".join(elem(u32(i), u32(n)) for i, n in enumerate(sizes)))),
        ("map/5/info", bmap(5, 1, "pairs", 4, 64, 16, btf=9, btf_key=1, btf_value=6)),
        ("map/5/elems/start", elems(1, 4, 64, elem(u32(7), u32(*range(16))))),
        ("map/6/info", bmap(6, 2, "large", 4, 8, 1000)), ("map/6/elems/start", elems(0, 4, 8, b"")),
        ("sys/map_counts", "2 12\n4 9\n"), ("map/5/count", "4294967296\n"),
        ("btf/ids", u32(9)), ("btf/9/info", btf_info(9, len(types))), ("btf/9/data", types)])


def untyped():
    """Maps that the loader of objects/untyped.bpf.o made, without types, and one that has types of its own."""
    strings = b"\0u32\0port\0"
    types = btf([btype(1, 1, 0, 4, 32), btype(5, 4, 1, 4, 5, 1, 0)], strings)
    conns = [(0x0100007f, 443, 6, 10, 15000), (0x0a00000a, 53, 17, 2, 128)]
    return archive(SYSTEM + [
        ("prog/ids", b""), ("link/ids", b""), ("map/ids", u32(1, 2, 3, 4, 5, 6)),
        ("map/1/info", bmap(1, 1, "conns", 8, 16, 16)),
        ("map/1/elems/start", elems(2, 8, 16, b"".join(
            elem(pack("I", a) + struct.pack(">H", p) + bytes([proto, 0]), pack("QQ", n, b)) for a, p, proto, n, b in conns))),
        ("map/2/info", bmap(2, 6, "sizes", 4, 8, 8)),
        ("map/2/elems/start", elems(2, 4, 16, b"".join(elem(u32(i), pack("QQ", 3 * i, 5)) for i in (0, 1)))),
        ("map/3/info", bmap(3, 1, "verdicts_of_cli", 4, 4, 16)),
        ("map/3/elems/start", elems(1, 4, 4, elem(u32(7), u32(1)))),
        ("map/4/info", bmap(4, 1, "bare", 4, 4, 16)), ("map/4/elems/start", elems(1, 4, 4, elem(u32(7), u32(1)))),
        ("map/5/info", bmap(5, 1, "conns", 8, 8, 16)), ("map/5/elems/start", elems(1, 8, 8, elem(u32(1, 2), u32(3, 4)))),
        ("map/6/info", bmap(6, 1, "typed", 4, 4, 16, btf=9, btf_key=2, btf_value=1)),
        ("map/6/elems/start", elems(1, 4, 4, elem(u32(7), u32(1)))),
        ("btf/ids", u32(9)), ("btf/9/info", btf_info(9, len(types))), ("btf/9/data", types)])


def page_answer(start, size, pages, following, contents):
    """An answer about the pages of an arena: {number: its first bytes}."""
    return pack("QIIII", start, size, pages, len(contents), following) + u32(*contents) + b"".join(c.ljust(size, b"\0") for c in contents.values())


def socket(family, kind, protocol, state, local, remote, cookie=0, netns=4026531840):
    """A socket in a map: (address, port) of both ends."""
    return pack("QH", cookie, family) + struct.pack(">H", remote[1]) + pack("HH", local[1], 0) + local[0].ljust(16, b"\0") + \
        remote[0].ljust(16, b"\0") + pack("IHHB", netns, kind, protocol, state) + bytes(7)


def contents():
    """Contents that are not plain elements: arenas, one of which cannot be read and one was never used, sockets in a sockmap and a sockhash,
    AF_XDP sockets in the slots of an xskmap."""
    strings = b"\0u32\0node\0left\0right\0"
    at = strings.index
    types = btf([btype(at(b"u32"), 1, 0, 4, 32), btype(at(b"node"), 4, 2, 8, at(b"left"), 1, 0, at(b"right"), 1, 32)], strings)
    words = b"".join(u32(n) for n in (1, 2, 3, 4)) * 3 + b"noonabbadeed~~~~\x7f  \x7f\x1f~~\x1f".ljust(32, b"\xff")
    start, nobody, home = 0x7f0000000000, (b"", 0), b"\x7f\0\0\1"
    six = bytes(15) + b"\1"
    sockets = [(3, socket(2, 1, 6, 1, (home, 8080), (b"\x0a\1\2\3", 443), 77)), (1, socket(2, 2, 17, 7, (home, 53), nobody)),
               (6, socket(10, 1, 132, 10, (six, 9), (six, 80))), (7, socket(1, 5, 0, 12, nobody, nobody, netns=0)),
               (8, socket(40, 9, 0, 13, nobody, nobody)), (9, socket(99, 1, 6, 0, nobody, nobody)), (10, socket(2, 1, 7, 4, (home, 1), nobody))]
    return archive(SYSTEM + [
        ("prog/ids", u32(1, 2)), ("prog/1/info", prog(1, 1, "other")), ("prog/2/info", prog(2, 1, "walks", maps=1, btf=9)), ("prog/2/map_ids", u32(1)),
        ("map/ids", u32(*range(1, 8))), ("map/1/info", bmap(1, 33, "arena", 0, 0, 10, extra=start)),
        ("map/1/pages/0", page_answer(start, 4096, 10, 5, {0: words, 3: b"\1" * 4096, 4: u32(21, 22)})),
        ("map/1/pages/5", page_answer(start, 4096, 10, 0, {5: u32(23, 24), 9: b"\0" * 4092 + u32(1)})),
        ("map/2/info", bmap(2, 33, "refused", 0, 0, 10)), ("map/2/pages/0", 1), ("map/3/info", bmap(3, 33, "unused", 0, 0, 10)),
        ("map/3/pages/0", page_answer(0, 4096, 10, 0, {})), ("map/4/info", bmap(4, 33, "damaged", 0, 0, 10)), ("map/4/pages/0", b"short"),
        ("map/5/info", bmap(5, 15, "in_array", 4, 8, 16)), ("map/5/sockets", b"".join(s + u32(i) for i, s in sockets)),
        ("map/5/elems/start", elems(8, 4, 8, b"".join(elem(u32(i), u32(1000 + i, 1000 + i)) for i in (1, 2, 3, 6, 7, 8, 9, 10)))),
        ("map/6/info", bmap(6, 18, "in_hash", 4, 4, 16)), ("map/6/sockets", 1),
        ("map/6/elems/start", elems(2, 4, 4, elem(u32(1), u32(0), -524) + elem(u32(2), u32(0), -524))),
        ("map/7/info", bmap(7, 17, "af_xdp", 4, 4, 8)),
        ("map/7/xsk", pack("IIIIQ16s", 1, 2, 3, 4026531840, 777, b"eth0") + pack("IIIIQ16s", 5, 9, 0, 4026531999, 0, b"veth1") +
         pack("IIIIQ16s", 7, 0, 0, 0, 778, b"")),
        ("map/7/elems/start", elems(4, 4, 4, b"".join(elem(u32(i), u32(0), -524) for i in (1, 5, 6, 7)))),
        ("link/ids", b""), ("btf/ids", u32(9)), ("btf/9/info", btf_info(9, len(types))), ("btf/9/data", types)] + [
        ("map/%d/fdinfo" % i, "memlock:\t4096\nfrozen:\t0\n") for i in range(1, 8)])


def operations():
    """
    struct_ops maps: of a type of the kernel, registered; of a module's type, with two links and a program that is gone. The value of others is
    refused, shorter than its type, not saved, or has an invalid type.
    """
    strings = (b"\0int\0char\0sock\0ops\0init\0release\0name\0next\0bpf_struct_ops_ops\0refcnt\0state\0data\0INIT\0"
               b"bpf_struct_ops_common\0common\0bpf_map_info\0type\0id\0key_size\0bpf_struct_ops_state\0"
               b"BPF_STRUCT_OPS_STATE_INIT\0BPF_STRUCT_OPS_STATE_INUSE\0BPF_STRUCT_OPS_STATE_TOBEFREE\0BPF_STRUCT_OPS_STATE_READY\0")
    def at(word):
        return strings.index(b"\0" + word + b"\0") + 1
    states = [x for i, w in enumerate((b"INIT", b"INUSE", b"TOBEFREE", b"READY")) for x in (at(b"BPF_STRUCT_OPS_STATE_" + w), i)]
    types = [
        btype(at(b"int"), 1, 0, 4, 1 << 24 | 32), btype(at(b"char"), 1, 0, 1, 8), btype(at(b"sock"), 7), btype(0, 2, 0, 3),  # 1 to 4
        btype(0, 13, 1, 1, 0, 4), btype(0, 2, 0, 5),  # 5, 6: int (struct sock *)
        btype(0, 13, 0, 0), btype(0, 2, 0, 7), btype(0, 3, 0, 0, 2, 1, 8),  # 7, 8: void (); 9: char[8]
        btype(at(b"ops"), 4, 4, 32, at(b"init"), 6, 0, at(b"release"), 8, 64, at(b"name"), 9, 128, at(b"next"), 4, 192),  # 10
        btype(at(b"bpf_struct_ops_state"), 6, 4, 4, *states),  # 11
        btype(at(b"bpf_struct_ops_ops"), 4, 3, 64, at(b"refcnt"), 1, 0, at(b"state"), 11, 32, at(b"data"), 10, 256),  # 12
        btype(at(b"bpf_struct_ops_common"), 4, 2, 8, at(b"refcnt"), 1, 0, at(b"state"), 11, 32),  # 13
        btype(at(b"bpf_struct_ops_ops"), 4, 2, 64, at(b"common"), 13, 0, at(b"data"), 10, 256),  # 14
        btype(at(b"bpf_map_info"), 4, 3, 12, at(b"type"), 1, 0, at(b"id"), 1, 32, at(b"key_size"), 1, 64)]  # 15
    kernel = btf(types, strings)

    def ops(ident, name, flags=0, value=12, obj=1):
        p = bmap(ident, 26, name, 4, 64, 1, flags, 3)
        return p[:44] + u32(value) + p[48:76] + u32(obj) + p[80:]

    def value(state, init, release, name):
        return u32(1, state) + bytes(24) + pack("QQ8sQ", init, release, name, 0)
    return archive(SYSTEM + [
        ("prog/ids", u32(1, 2)), ("prog/1/info", prog(1, 27, "start")), ("prog/2/info", prog(2, 27, "st\x1bp")),
        ("map/ids", u32(10, 11, 12, 13, 14, 15, 16)), ("map/10/info", ops(10, "kernels")), ("map/10/struct_ops", value(1, 1, 2, b"kern")),
        ("map/11/info", ops(11, "modules", 0x2000, 14, 2)), ("map/11/struct_ops", value(3, 9, 0, b"mod")),
        ("map/12/info", ops(12, "refused")), ("map/12/struct_ops", 1), ("map/13/info", ops(13, "short")),
        ("map/13/struct_ops", value(77, 1, 2, b"cut")[:40]), ("map/14/info", ops(14, "unsaved")), ("map/15/info", ops(15, "no_type", 0, 3)),
        ("map/15/struct_ops", value(1, 1, 2, b"none")), ("map/16/info", bmap(16, 1, "a_hash")),
        ("link/ids", u32(5, 6, 7)), ("link/5/info", link(5, 9, 0, u32(11))), ("link/6/info", link(6, 9, 0, u32(11))),
        ("link/7/info", link(7, 9, 0, u32(0))), ("btf/ids", u32(1, 2)), ("btf/1/info", btf_info(1, len(kernel), 1, 8)), ("btf/1/name", "vmlinux"),
        ("btf/1/data", kernel), ("btf/2/info", btf_info(2, len(kernel), 1, 7)), ("btf/2/name", "module"), ("btf/2/data", kernel)])


def query(attach_type, progs, flags=0, prog_flags=None, revision=0):
    return pack("IIIIQ", attach_type, flags, len(progs), 3 if prog_flags else 1, revision) + u32(*progs, *(prog_flags or []))


def cgroups():
    """Programs at the hooks of cgroups below two mounts: with and without links, unreadable, gone meanwhile, and damaged answers."""
    rows = {1: query(0, [1, 2], 2, [2, 2], 3) + query(6, [3], 1), 42: query(0, [1, 1, 5], 2, [2, 66, 2]) + query(49, [9]) + query(200, [2], 8),
            43: query(0, [1])[:26], 44: query(0, [2, 2])[:30], 45: 1, 46: 2, 48: b"", 49: pack("IIIIQ", 0, 0, 1 << 30, 1, 0) + u32(1, 2)}
    system = [x for x in SYSTEM if x[0] != "sys/cgroups"]
    return archive(system + [
        ("sys/cgroups", "1 /\n42 /app.slice\n43 /app.slice/cut\n44 /app.slice/short\n45 /denied\n46 /gone\n47 /new one\n48 /none\n49 /lies\n"
                        "nonsense\n0 /zero\n90 relative\n60 /\n61 /guest\n"),
        ("sys/cgroup_mounts", "1 /sys/fs/cgroup\n60 /mnt/a\\040b\n70 /elsewhere\nx /y\n"),
        ("prog/ids", u32(1, 2, 3, 5)), ("prog/1/info", prog(1, 8, "counts_in")), ("prog/2/info", prog(2, 8, "\x1b[31m")),
        ("prog/3/info", prog(3, 15, "a_longer_name_x")), ("prog/5/info", 1), ("prog/9/info", 2), ("map/ids", b""), ("btf/ids", b""),
        ("link/ids", u32(31, 32, 33)), ("link/31/info", link(31, 3, 1, pack("QI", 42, 0))),
        ("link/32/info", link(32, 3, 3, pack("QI", 1, 6))), ("link/33/info", link(33, 3, 2, pack("QI", 0, 0))),
    ] + [("cgroup/%d/progs" % k, v) for k, v in rows.items()] + [
        ("cgroup/42/effective", query(0, [1, 2, 1])), ("cgroup/1/effective", query(0, [1])), ("cgroup/60/progs", b""),
        ("cgroup/61/progs", query(13, [2], 0))])


def task_fd(nr, pid, fd, prog_id=0, kind=0, name="", offset=0, addr=0, err=0, comm="prober", file=None):
    """An entry of sys/task_fds; @file: number of the first one that is the same open file."""
    text = name.encode("latin-1") + b"\0" if name else b""
    return pack("IIiIIIIIQQ16s", pid, fd, err, prog_id, kind, len(text), nr if file is None else file, 0, offset, addr,
                       comm.encode("latin-1")) + text + bytes(-len(text) % 8)


def perf():
    """Perf events and tracepoints: with links, without, inherited by a child, refused, of unknown types."""
    libc, strings = "/usr/lib/libc.so.6", lambda text: u32(len(text) + 1) + text.encode("latin-1") + b"\0"
    fds = [
        dict(pid=100, fd=5, prog_id=1, kind=1, name="sched_switch"), dict(pid=100, fd=6, prog_id=2, kind=0, name="sys_enter"),
        dict(pid=100, fd=7, prog_id=3, kind=4, name=libc, offset=0x2004), dict(pid=100, fd=8, prog_id=3, kind=5, name=libc, offset=0x2000),
        dict(pid=100, fd=9, prog_id=3, kind=2, name="do_nanosleep", offset=4), dict(pid=100, fd=10, prog_id=3, kind=3, addr=0xffffffff81000010),
        dict(pid=100, fd=11, err=-95), dict(pid=101, fd=5, prog_id=1, kind=1, name="sched_switch", comm="child", file=0),
        dict(pid=102, fd=0xffffffff, err=-13, comm=""), dict(pid=103, fd=3, err=-95, comm="silent"),
        dict(pid=103, fd=4, prog_id=4, kind=77, name="from_future", comm="silent"),
        dict(pid=104, fd=2, prog_id=1, kind=1, name="\x1b[2J\"\n", comm="\x1b[7m\xff"),
        dict(pid=105, fd=6, prog_id=1, kind=1, name="twice", comm="two"), dict(pid=105, fd=7, prog_id=1, kind=1, name="twice", comm="two"),
    ]
    links = [
        link(10, 1, 2, pack("QIIQ", 0, 10, 0, 9)), link(11, 7, 1, pack("IIQIIQ", 5, 0, 0, 13, 0, 3)),
        link(12, 7, 4, pack("IIQIIQ", 6, 0, 0, 1, 0, 5)), link(13, 7, 3, pack("IIQIIQQ", 1, 0, 0, 10, 0x1000, 8, 0)),
        link(14, 7, 4, pack("IIQIIQ", 6, 0, 0, 6, 0, 0)), link(15, 7, 1, pack("IIQIIQ", 5, 0, 0, 6, 0, 0)),
        link(16, 7, 4, pack("IIQIIQ", 6, 0, 3, 10, 0, 0)), link(17, 7, 4, pack("IIQIIQ", 6, 0, 3, 66, 0, 0)),
    ]
    texts = {10: ("16.24.0", "sys_enter"), 11: ("24.32.0", "sched_switch"), 13: ("24.32.0", "/bin/bash"), 15: ("24.32.0", "twice")}
    system = [x for x in SYSTEM if x[0] not in ("sys/holders", "sys/kallsyms")]
    return archive(system + [
        ("sys/task_fds", b"".join(task_fd(i, **f) for i, f in enumerate(fds)) + b"cut"), ("sys/pmus", "1 software\n10 msr\n"),
        ("sys/holders", b"".join(pack("IIIIQ16s", 2, ident, pid, 0, 0, comm) for ident, pid, comm in
                                 ((12, 100, b"prober"), (16, 106, b"one"), (16, 107, b"other")))),
        ("sys/kallsyms", "ffffffff81000000 T probed\n"), ("func/100/0x2004/" + libc.replace("/", "%2F", 1), "malloc+0x4"), ("map/ids", b""), ("btf/ids", b""),
        ("prog/ids", u32(1, 2, 3, 4)), ("prog/1/info", prog(1, 5, "on_switch")), ("prog/2/info", prog(2, 17, "on_enter")),
        ("prog/3/info", prog(3, 2, "on_call")), ("prog/4/info", prog(4, 7, "on_tick")), ("link/ids", u32(*range(10, 18))),
    ] + [("link/%d/info" % (10 + i), info) for i, info in enumerate(links)] + [
        ("link/%d/buf/%s" % (ident, spec), strings(text)) for ident, (spec, text) in texts.items()])


def socket_filters():
    """Filters of sockets: classic ones, with and without their instructions, programs, and what could not be read or is damaged."""
    lines = ["70 3 socket 0 tcpdump 4,40 0 0 12,21 0 1 2048,6 0 0 262144,6 0 0 0", "70 5 socket 1 tcpdump 0", "71 3 socket 0 two\\040words 1,6 0 0 4294967295",
             "72 9 sk_reuseport_select 2 server 0", "72 9 socket 0 server 1,6 0 0 1", "73 4 sk_reuseport_select 0 worker 12", "74 3 socket ? silent 0", "? 75 1",
             "76 3 socket 0 \x1b[7m\xff 1,65535 255 255 4294967295", "77 3 socket 0 cut 2,6 0 0 0", "77 4 socket 0 more 1,6 0 0 0,6 0 0 0", "77 5 socket 0 many 5000",
             "77 6 from_future 1 new 0", "77 7 socket x bad 0", "77 8 socket 0", "torn"]
    return archive(SYSTEM + [("prog/ids", u32(1, 2)), ("prog/1/info", prog(1, 1, "of_socket")), ("prog/2/info", prog(2, 21, "of_group")), ("map/ids", b""),
                             ("link/ids", b""), ("btf/ids", b""), ("sys/task_fds", b""), ("sys/netns_list", "4 4026531840 /p\n"), ("sys/cgroup_mounts", ""),
                             ("cgroup/1/progs", b""), ("cgroup/42/progs", b""), ("sys/socket_filters", "\n".join(lines))]
                   + [("prog/%d/%s" % (i, k), v) for i in (1, 2) for k, v in (("fdinfo", "memlock:\t4096\n"), ("xlated", RETURN0))]
                   + [("net/4026531840/" + k, b"") for k in ("links", "qdiscs", "actions", "query/0/flow_dissector", "query/0/sk_lookup")])


def iterators():
    """Targets of iterators, from the types of a kernel and a module; links with a known and an unknown target, one refused."""
    strings = (b"\0int\0meta\0map\0key\0thing\0bpf_iter__thing\0bpf_iter_thing\0bpf_iter__bpf_map_elem\0bpf_iter_bpf_map_elem\0bpf_iter__none\0"
               b"bpf_iter_num_new\0bpf_iter__cgroup\0bpf_iter_cgroup\0cgroup\0bpf_iter__task\0bpf_iter_task\0task\0")
    def at(word):
        return strings.index(b"\0" + word + b"\0") + 1

    def around(word):
        return btype(0, 5, 1, 8, at(word), 2, 0)
    types = btf([
        btype(at(b"int"), 1, 0, 4, 1 << 24 | 32), btype(0, 2, 0, 0), btype(0, 13, 0, 1),  # 1 int, 2 void *, 3 int ()
        around(b"meta"), around(b"map"), around(b"key"), around(b"thing"), around(b"cgroup"), around(b"task"),  # 4 to 9
        btype(at(b"bpf_iter__thing"), 4, 2, 16, 0, 4, 0, 0, 7, 64), btype(at(b"bpf_iter_thing"), 12, 0, 3),
        btype(at(b"bpf_iter__bpf_map_elem"), 4, 3, 24, 0, 4, 0, 0, 5, 64, 0, 6, 128), btype(at(b"bpf_iter_bpf_map_elem"), 12, 0, 3),
        btype(at(b"bpf_iter__none"), 4, 1, 8, 0, 4, 0), btype(at(b"bpf_iter_num_new"), 12, 0, 3),
        btype(at(b"bpf_iter__cgroup"), 4, 2, 16, 0, 4, 0, 0, 8, 64), btype(at(b"bpf_iter_cgroup"), 12, 0, 3),
        btype(at(b"bpf_iter__task"), 4, 2, 16, 0, 4, 0, 0, 9, 64), btype(at(b"bpf_iter_task"), 12, 0, 3)], strings)
    more = b"bpf_iter__extra\0bpf_iter_extra\0"  # split: names and ids continue after the kernel's
    module = btf([btype(len(strings), 4, 0, 0), btype(len(strings) + 16, 12, 0, 3)], more)

    def of(target, *words):
        name = target.encode() + b"\0"
        return pack("QI", 0, len(name)) + u32(*words), u32(len(name)) + name
    links = {5: of("bpf_map_elem", 9), 6: of("future", 0), 8: of("task", 0, 0, 77), 9: of("cgroup", 0, *((0, 42) if BIG else (42, 0)), 2)}
    return archive([x for x in SYSTEM if x[0] != "sys/pins"] + [
        ("sys/pins", "link 5 /sys/fs/bpf/elems\nlink 5 /sys/fs/bpf/z\n"), ("prog/ids", u32(1)), ("prog/1/info", prog(1, 26, "walker")),
        ("map/ids", b""), ("link/ids", u32(5, 6, 7, 8, 9)), ("link/7/info", 1),
    ] + [("link/%d/info" % i, link(i, 4, 1, body)) for i, (body, _) in links.items()]
        + [("link/%d/buf/16.24.0" % i, name) for i, (_, name) in links.items()] + [
        ("btf/ids", u32(1, 2, 3)), ("btf/1/info", btf_info(1, len(types), 1, 8)), ("btf/1/name", "vmlinux"), ("btf/1/data", types),
        ("btf/2/info", btf_info(2, len(module), 1, 7)), ("btf/2/name", "module"), ("btf/2/data", module),
        ("btf/3/info", btf_info(3, len(module))), ("btf/3/name", ""), ("btf/3/data", module)])


def attachable():
    """What programs of tracing can be attached to: by types of the kernel and of a module, by symbols alone, by formats of tracepoints."""
    strings = b"\0int\0task\0btf_trace_run\0__traceiter_run\0data\0who\0why\0trace_event_raw_run\0ent\0pid\0__data\0char\0run_task\0btf_trace_bare\0comm\0"
    def at(word):
        return strings.index(b"\0" + word + b"\0") + 1
    types = btf([
        btype(at(b"int"), 1, 0, 4, 1 << 24 | 32), btype(at(b"task"), 7), btype(0, 2, 0, 2), btype(0, 2, 0, 0),  # 1 int, 2 struct task, 3 struct task *, 4 void *
        btype(0, 13, 3, 0, 0, 4, 0, 3, 0, 1), btype(0, 2, 0, 5), btype(at(b"btf_trace_run"), 8, 0, 6),  # 7: without names
        btype(0, 13, 3, 1, at(b"data"), 4, at(b"who"), 3, at(b"why"), 1), btype(at(b"__traceiter_run"), 12, 0, 8),  # 9: with names
        btype(at(b"char"), 1, 0, 1, 8), btype(0, 3, 0, 0, 10, 1, 16),  # 11 char [16]
        btype(at(b"trace_event_raw_run"), 4, 4, 24, at(b"ent"), 1, 0, at(b"comm"), 11, 32, at(b"pid"), 1, 160, at(b"__data"), 11, 192),
        btype(0, 13, 2, 3, at(b"who"), 3, 0, 0), btype(at(b"run_task"), 12, 0, 13),  # 14: with more arguments
        btype(0, 13, 1, 0, 0, 4), btype(0, 2, 0, 15), btype(at(b"btf_trace_bare"), 8, 0, 16)], strings)
    module = btf([btype(len(strings), 12, 0, 15)], b"run_module\0")
    symbols = ("ffffffff81000000 T run_task\nffffffff81000010 t run_part.isra.0\nffffffff81000020 T __pfx_run_task\nffffffff81000030 D run_data\n"
               "0000000000000000 t run_hidden\nffffffffc0000000 t run_module\t[module]\nffffffffc0000010 t run_other\t[module]\nffffffffc0000020 t run_odd\tmodule\n"
               "ffffffffc0001000 t bpf_prog_1_run\t[bpf]\nffffffff t\n\nrun\n")
    form = ("name: go\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\tfield:const char * name;\toffset:8;\tsize:8;\tsigned:0;\n"
            "\tfield:char comm[16];\toffset:16;\tsize:16;\tsigned:0;\n\tfield:torn\n\nprint fmt: \"%s\", REC->name\n")
    return archive([x for x in SYSTEM if x[0] != "sys/kallsyms"] + [
        ("sys/kallsyms", symbols), ("prog/ids", b""), ("map/ids", b""), ("link/ids", b""), ("btf/ids", u32(1, 2)),
        ("btf/1/info", btf_info(1, len(types), 1, 8)), ("btf/1/name", "vmlinux"), ("btf/1/data", types),
        ("btf/2/info", btf_info(2, len(module), 1, 7)), ("btf/2/name", "module"), ("btf/2/data", module),
        ("sys/tracepoints", "sys:run\nsys:go\nsys:unknown\ntorn"), ("sys/tracepoint/sys:go", form)])


def attr(kind, data):
    data = data if isinstance(data, bytes) else data.encode() + b"\0" if isinstance(data, str) else u32(data)
    return pack("HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def nlmsg(kind, head, *attrs, flags=2):
    body = head + b"".join(attr(*a) for a in attrs)
    return pack("IHHII", 16 + len(body), kind, flags, 1, 0) + body


def device(index, name, *attrs, kind="", flags=2):
    info = [(18, attr(1, kind) + b"".join(attr(*a) for a in attrs if a[0] == 2))] if kind else []
    return nlmsg(16, pack("BxHiII", 0, 1, index, 0, 0), (3, name), *info, *[a for a in attrs if a[0] != 2], flags=flags)


def tc(kind, index, handle, parent, info, *attrs):
    return nlmsg(kind, pack("BxHiIII", 0, 0, index, handle, parent, info), *attrs)


def tc_info(pref, protocol):
    return pref << 16 | (protocol if BIG else (protocol & 255) << 8 | protocol >> 8)


def tc_filter(index, handle, parent, pref, protocol, kind, *options, chain=0):
    return tc(44, index, handle, parent, tc_info(pref, protocol), (1, kind), (11, chain),
              (2, b"".join(attr(*o) for o in options)))


def bpf_action(order, index, ident, name):
    options = attr(2, u32(index, 0, 0, 0, 0)) + attr(6, name) + attr(8, bytes([ident] * 8)) + attr(9, ident)
    return attr(order, attr(1, "bpf") + attr(2, options))


def networks():
    """Two network namespaces with all types of attachments of devices, including rare ones; a third that cannot be read."""
    clsact, ingress, egress = 0xfffffff1, 0xfffffff2, 0xfffffff3
    xdp = lambda mode, *ids: (43, attr(2, bytes([mode])) + b"".join(attr(*i) for i in ids))
    own = [
        ("links", device(1, "lo") + device(2, "eth0", xdp(4, (6, 1), (5, 2)), kind="veth") + device(3, "nk0", (2, attr(2, b"\1")), kind="netkit")
         + device(4, "nk1", (2, attr(2, b"\0")), kind="netkit") + device(5, "old0", xdp(2, (4, 1))) + device(6, "dis\x1b[31mplay", xdp(3, (7, 2)))),
        ("qdiscs", tc(36, 1, 0, 0xffffffff, 2, (1, "noqueue")) + tc(36, 2, 0x10000, 0xffffffff, 2, (1, "htb"))
         + tc(36, 2, 0xffff0000, clsact, 1, (1, "clsact")) + tc(36, 5, 0xffff0000, clsact, 1, (1, "ingress"))
         + tc(36, 6, 0, 0xffffffff, 2, (1, "fq_codel")) + tc(36, 99, 0, 0xffffffff, 2, (1, "htb"))),
        ("classes/2", tc(40, 2, 0x10010, 0x10000, 0, (1, "htb"))),
        ("filters/2/65552", tc_filter(2, 1, 0x10010, 49152, 3, "bpf", (7, "shape.o:[tc]"), (3, 0x10010), (10, b"\3" * 8), (11, 3))),
        ("filters/2/65536", b""),
        ("filters/2/%d" % ingress, tc(44, 2, 0, ingress, tc_info(5, 0x800), (1, "bpf"))
         + tc_filter(2, 1, ingress, 5, 0x800, "bpf", (7, "a"), (8, 1), (9, 8), (10, b"\3" * 8), (11, 3), chain=7)
         + tc_filter(2, 2, ingress, 5, 0x88cc, "bpf", (7, "b"), (11, 4), (1, bpf_action(1, 21, 5, "act_one") + bpf_action(2, 22, 5, "act_two")))
         + tc_filter(2, 1, ingress, 6, 3, "bpf", (4, b"\1\0"), (5, bytes(8)))),
        ("filters/2/%d" % egress, tc_filter(2, 0x800, egress, 9, 0x800, "u32", (7, bpf_action(1, 23, 5, "act_u32")))
         + tc_filter(2, 1, egress, 10, 0x800, "matchall", (2, b""))
         + tc(44, -1, 1, 77, tc_info(11, 0x800), (1, "bpf"), (11, 0), (2, attr(7, "shared") + attr(11, 4)))),
        ("filters/5/4294901760", tc_filter(5, 1, ingress, 49152, 3, "bpf", (7, "once"), (8, 1), (11, 3))), ("filters/6/0", b""),
        ("query/2/tcx_ingress", query(46, [3, 4], prog_flags=[0, 0x28], revision=9)), ("query/3/netkit_primary", query(54, [3], revision=2)),
        ("query/3/netkit_peer", b""), ("query/0/flow_dissector", query(17, [6])), ("query/0/sk_lookup", query(36, [7, 8])),
        ("actions", nlmsg(48, bytes(4), (1, bpf_action(1, 22, 5, "act_two") + bpf_action(2, 30, 5, "alone")))),
    ] + [("query/%d/tcx_%s" % (i, side), b"") for i in range(1, 7) for side in ("ingress", "egress") if (i, side) != (2, "ingress")]
    blue = [
        ("links", device(1, "lo", flags=0x12) + device(2, "eth0", xdp(1, (4, 2), (5, 2)), flags=0x12)), ("qdiscs", 1), ("actions", 2),
        ("query/1/tcx_ingress", 22), ("query/0/flow_dissector", 1), ("query/0/sk_lookup", 22),
    ]
    nf = lambda *words: pack("IIiI", *words)
    return archive([x for x in SYSTEM if x[0] != "sys/netns"] + [
        ("sys/netns", "4 4026531840\n"), ("sys/netns_list", "4 4026531840 /proc/self/ns/net\n4 4026532001 /run/netns/blue\n4 4026532003 /run/netns/a\\040sea\n4 4026532002 /proc/7/ns/net\n"),
        ("net/4026532002/links", 2), ("net/4026532003/links", device(1, "lo")), ("prog/ids", u32(*range(1, 9))), ("map/ids", b""), ("btf/ids", b""), ("link/ids", u32(1, 2, 3, 4, 5)),
        ("link/1/info", link(1, 10, 8, nf(2, 1, -128, 0))), ("link/2/info", link(2, 10, 8, nf(10, 4, 300, 1))),
        ("link/3/info", link(3, 10, 8, nf(77, 9, 0, 0))), ("link/4/info", link(4, 6, 2, u32(2))), ("link/5/info", link(5, 5, 6, u32(4026531840, 17))),
        ("sys/link_netns", "1 4026531840\n2 4026532001\n4 4026532001\n"),
    ] + [("prog/%d/info" % i, prog(i, kind, name)) for i, kind, name in (
        (1, 6, "x_generic"), (2, 6, "x_driver"), (3, 3, "t_ok"), (4, 3, "t_other"), (5, 4, "an_action"), (6, 22, "dissect"), (7, 30, "choose"),
        (8, 32, "nf"))] + [("net/4026531840/" + k, v) for k, v in own] + [("net/4026532001/" + k, v) for k, v in blue])


def unseen_networks():
    """The namespaces of some processes could not be read, and sockets not at all."""
    ns = "net/4026531840/"
    return archive([x for x in SYSTEM if x[0] != "sys/netns"] + [
        ("sys/netns", "4 4026531840\n"), ("sys/netns_list", "4 4026531840 /proc/self/ns/net\n? processes 13\n? sockets 1\n"), ("link/ids", b""),
        ("prog/ids", u32(3)), ("prog/3/info", prog(3, 3, "t_ok")), (ns + "links", device(1, "lo")), (ns + "qdiscs", b""), (ns + "actions", b""),
        (ns + "query/0/flow_dissector", b""), (ns + "query/0/sk_lookup", b""), (ns + "query/1/tcx_ingress", query(46, [3])),
        (ns + "query/1/tcx_egress", b""), ("sys/link_netns", "")])


def tokens():
    """Mounts that delegate rights, here and in a container: names, bit masks of a kernel without names, all, a hostile name."""
    mount = "%d %d %d 1 0:4%d / %s rw,relatime - bpf bpf rw%s\n"
    return archive(SYSTEM + [(k + "/ids", b"") for k in ("prog", "map", "link", "btf")] + [("sys/bpffs", "".join(mount % row for row in (
        (4026531841, 0, 30, 1, "/sys/fs/bpf", ",mode=700"),
        (4026531841, 0, 31, 2, "/run/c1/bpf", ",delegate_cmds=map_create:prog_load:btf_load:map_freeze:prog_test_run,delegate_maps=hash:array"
         ",delegate_progs=kprobe:xdp,delegate_attachs=any"),
        (4026531841, 0, 32, 3, "/run/\\033[2J", ",delegate_progs=0x4000000000000042,delegate_cmds=0x20"),
        (4026532177, 812, 33, 4, "/bpf\\040dir", ",delegate_maps=any"))) + "? processes 13\n")])


def features():
    """A kernel with an unknown program type, map type and helper, and with refusals."""
    return features_of(
        "bpf 0\nprog 1 0\nhelpers 1 1 2 5 212 999\nprog 2 22\nprog 6 0\nhelpers 6 ?\nprog 28 1\nprog 29 12\nprog 33 0\nhelpers 33 1\nprog 34 22\nmap 1 0\n"
        "map 2 22\nmap 3 1\nmap 36 0\nmisc large_insn_limit 7\nmisc bounded_loops 0\nmisc new_thing 0\nmisc Bad\033[31m 0\nprog x 0\nprog 300 0\nodd\nmap 4\n",
        "CONFIG_HZ=1000\n# CONFIG_XFRM is not set\nCONFIG_TEST_BPF=m\nCONFIG_BPF_JITTER=y\n", 264241152)


def features_other():
    """A kernel that supports less, and more. Its memory for machine code has the limit of arm64."""
    return features_of(
        "bpf 0\nprog 1 0\nhelpers 1 1 3 5\nprog 2 0\nhelpers 2 1 4\nprog 6 0\nhelpers 6 1 44\nprog 26 0\nattach 26 23 0\nattach 26 24 22\n"
        "attach 26 x\nattach 26 25 1\nprog 28 22\nmap 1 0\nmap 2 0\nmap 3 0\nmisc large_insn_limit 0\nmisc bounded_loops 0\n",
        "CONFIG_HZ=250\nCONFIG_XFRM=y\n", 66571991416832)


def features_of(tried, config, jit_limit):
    limits = "bpf_jit_enable 2\nbpf_jit_harden 7\nbpf_jit_kallsyms -\nbpf_jit_limit %d\nunprivileged_bpf_disabled 2\n" % jit_limit
    names = b"\0bpf_prog_type\0BPF_PROG_TYPE_COMING\0bpf_map_type\0BPF_MAP_TYPE_SEA\0bpf_func_id\0BPF_FUNC_swim\0bpf_kfunc\0bpf_dive\0"
    names += b"bpf_attach_type\0BPF_TRACE_RAW_TP\0BPF_TRACE_FENTRY\0BPF_TRACE_FEXIT\0BPF_SOON\0"
    at = lambda word: names.index(b"\0" + word + b"\0") + 1  # noqa: E731
    types = [btype(at(b"bpf_prog_type"), 6, 1, 4, at(b"BPF_PROG_TYPE_COMING"), 33), btype(at(b"bpf_map_type"), 6, 1, 4, at(b"BPF_MAP_TYPE_SEA"), 36),
             btype(at(b"bpf_func_id"), 6, 1, 4, at(b"BPF_FUNC_swim"), 212), btype(0, 13), btype(at(b"bpf_dive"), 12, 0, 4),
             btype(at(b"bpf_kfunc"), 17, 0, 5, 0xffffffff),
             btype(at(b"bpf_attach_type"), 6, 4, 4, at(b"BPF_TRACE_RAW_TP"), 23, at(b"BPF_TRACE_FENTRY"), 24, at(b"BPF_TRACE_FEXIT"), 25,
                   at(b"BPF_SOON"), 99)]
    data = btf(types, names)
    config = "# Automatically generated file\nCONFIG_BPF=y\n" + config
    return archive([x for x in SYSTEM if x[0] != "sys/limits"] + [
        ("sys/limits", limits), ("sys/kconfig", config), ("sys/features/0/0", tried), ("btf/ids", u32(1)), ("btf/1/name", "vmlinux"),
        ("sys/features/4/0", "prog 1 0\nkfuncs 1 bpf_dive bpf_float?\nprog 6 0\nkfuncs 6\nprog 28 22\nprog 33 0\nkfuncs 33 bpf_dive\nkfuncs 0 x\nkfuncs y\nkfuncs\nkfuncs 999 z\n"),
        ("btf/1/data", data), ("btf/1/info", btf_info(1, len(data), 1, 8))])


def before():
    """One machine at two times, for `diff`: ids differ, a program was replaced, a map resized, a link moved; one archive lacks the tag of a program."""
    return moments({1: (6, "count", RETURN0, b"A" * 8, 5), 2: (6, "same", RETURN0, b"S" * 8, 5), 3: (3, "old_only", RETURN0, b"O" * 8, 0)}, 5, 64,
                   [(1, 10), (2, 20)], "lo", 3)


def after():
    code = insn(0xb7, imm=1) + insn(0x95)
    return moments({11: (6, "count", code, b"B" * 8, 15), 12: (6, "same", RETURN0, b"S" * 8, 15), 14: (3, "new_only", RETURN0, b"N" * 8, 0)}, 15, 128,
                   [(1, 11), (3, 30)], "eth0", 1)


def moments(programs, flows, room, contents, device, holders):
    """programs: id: type, name, code, tag, map. The link runs `same`."""
    same = next(i for i, p in programs.items() if p[1] == "same")
    members = [("prog/ids", u32(*sorted(programs))), ("map/ids", u32(flows)), ("link/ids", u32(40 + same)), ("btf/ids", b""), ("sys/pins", ""),
               ("sys/netns_list", ""), ("cgroup/1/progs", b""), ("cgroup/42/progs", b""), ("sys/bpffs", ""), ("sys/cgroup_mounts", ""), ("sys/task_fds", b""),
               ("sys/pmus", ""), ("sys/link_netns", "%d 4026531840\n" % (40 + same)), ("sys/tracepoints", "")]
    for i, (kind, name, code, tag, bmap_id) in programs.items():
        members += [("prog/%d/info" % i, prog(i, kind, name, xlated=len(code), tag=tag, maps=bool(bmap_id), load=i * 10**12)), ("prog/%d/xlated" % i, code),
                    ("prog/%d/jited_ksyms" % i, pack("Q", 0xffffffffc0000000 + i * 64)), ("prog/%d/jited_func_lens" % i, u32(20)),
                    ("prog/%d/fdinfo" % i, "memlock:\t4096\n")] + ([("prog/%d/map_ids" % i, u32(bmap_id))] if bmap_id else [])
    return archive([x for x in SYSTEM if x[0] not in ("sys/holders", "sys/pins")] + members + [
        ("sys/holders", b"".join(pack("IIIIQ16s", 1, flows, 70 + i, 0, 0, b"agent") for i in range(holders))),
        ("map/%d/info" % flows, bmap(flows, 1, "flows", entries=room)), ("map/%d/fdinfo" % flows, "memlock:\t%d\nfrozen:\t0\n" % (room * 100)),
        ("map/%d/elems/start" % flows, elems(len(contents), 4, 4, b"".join(elem(u32(k), u32(v)) for k, v in contents))),
        ("link/%d/info" % (40 + same), link(40 + same, 6, same, pack("I", 1 if device == "lo" else 2)))])


def code_pages():
    """Machine code of programs that share pages: a small one; one of two functions, over five pages; one at their end; one with a hidden address; and one at the end of a page."""
    at = 0xffffffffc0000000
    code = {1: [(at + 0x40, 64)], 2: [(at + 0x100, 100), (at + 0x1ff0, 0x2020)], 3: [(at + 0x4800, 16)], 4: [(0, 20)], 5: [(at + 0x6f00, 0x100)]}
    members = [(k + "/ids", b"") for k in ("map", "link", "btf")] + [("prog/ids", u32(*code))]
    for i, funcs in code.items():
        members += [("prog/%d/info" % i, prog(i, 6, "code_%d" % i, jited=sum(n for _, n in funcs), jited_funcs=len(funcs))), ("prog/%d/fdinfo" % i, "memlock:\t4096\n"),
                    ("prog/%d/jited_ksyms" % i, pack("%dQ" % len(funcs), *(a for a, _ in funcs))), ("prog/%d/jited_func_lens" % i, u32(*(n for _, n in funcs)))]
    return archive([x for x in SYSTEM if x[0] != "sys/limits"] + [("sys/limits", "kptr_restrict 2\npage_size 4096\n")] + members)


def counted(at, passed, dropped):
    """Programs that ran @at a time: (id, nanoseconds, runs)."""
    members = [("prog/ids", u32(2, passed[0], dropped[0])), ("map/ids", b""), ("link/ids", b""), ("btf/ids", b""), ("sys/netns_list", "4 4026531840 /p\n"), ("cgroup/1/progs", b""),
               ("cgroup/42/progs", b""), ("sys/bpffs", ""), ("sys/cgroup_mounts", ""), ("sys/task_fds", b""), ("sys/pmus", ""), ("sys/tracepoints", "")]
    members += [("net/4026531840/" + k, b"") for k in ("links", "qdiscs", "actions", "query/0/flow_dissector", "query/0/sk_lookup")]
    for (i, run, runs), name in ((passed, "passed"), (dropped, "dropped"), ((2, 7, 1), "idle")):
        members += [("prog/%d/info" % i, prog(i, 6, name, tag=name.encode()[:4] * 2, run=run, runs=runs, jited_funcs=0)), ("prog/%d/xlated" % i, RETURN0)]
    return archive(SYSTEM + members, meta=META + at)


def counted_before():
    """The machine a minute later: one program continued to run, one was loaded again, one did not run; and an archive without a time."""
    return counted("created 2026-11-22T13:40:18Z\n", (3, 1000, 10), (4, 500, 5))


def counted_after():
    return counted("created 2026-11-22T13:41:18Z\n", (3, 61000, 310), (5, 400, 4))


def counted_undated():
    return counted("", (3, 61000, 310), (5, 400, 4))


def grown(at, maps, host="web1", boot=1760000000000000000):
    """A machine at a moment: (name, elements) of its maps; their ids differ each time."""
    ids = {int(at[14:16]) * 100 + i: m for i, m in enumerate(maps, 1)}
    members = [(k + "/ids", b"") for k in ("prog", "link", "btf")] + [("map/ids", u32(*ids)), ("task/70/cgroup", "0::/system.slice/agent.service\n")]
    for i, (name, n) in ids.items():
        members += [("map/%d/info" % i, bmap(i, 1, name, entries=1000)), ("map/%d/fdinfo" % i, "memlock:\t%d\nfrozen:\t0\n" % (4096 + n * 64))]
    counts = "".join("%d %d\n" % (i, n) for i, (_, n) in ids.items())
    held = b"".join(pack("IIIIQ16s", 1, i, 70, 0, 0, b"agent") for i, (name, _) in ids.items() if name == "leak")
    keep = [x for x in SYSTEM if x[0] not in ("sys/uname", "sys/clock", "sys/holders")]
    return archive(keep + [("sys/uname", "Linux 6.1.0-test x86_64\n%s\n" % host), ("sys/clock", "%d\n" % boot), ("sys/map_counts", counts), ("sys/holders", held)] + members,
                   meta=META + "created %s\n" % at)


def growth():
    """One map more each half hour, a map that fills, others that come and go; the same machine before a boot, and another machine."""
    def at(minute, leaks, filled, others, **more):
        return grown("2026-11-22T13:%02d:00Z" % minute, [("leak", 0)] * leaks + [("fills", filled)] + [("comes", 3)] * others, **more)
    return {"growth_1": at(10, 1, 10, 3), "growth_2": at(25, 2, 20, 5), "growth_3": at(40, 3, 40, 4),
            "growth_boot": at(0, 1, 1, 1, boot=1700000000000000000), "growth_other": at(20, 9, 90, 9, host="web2")}


def units():
    """Processes in a service, a container and a session hold programs; the cgroup of one is unknown."""
    ident = "0123456789abcdef" * 4
    held = [(1, 70, b"agent"), (1, 71, b"runc"), (2, 71, b"runc"), (2, 72, b"sh"), (3, 73, b"hidden")]
    return archive([x for x in SYSTEM if x[0] != "sys/holders"] + [
        ("sys/holders", b"".join(pack("IIIIQ16s", 0, i, pid, 0, 0, comm) for i, pid, comm in held)),
        ("prog/ids", u32(1, 2, 3, 4))] + [
        x for i in (1, 2, 3, 4) for x in (("prog/%d/info" % i, prog(i, 1, "prog_%d" % i)), ("prog/%d/fdinfo" % i, "memlock:\t4096\n"))] + [
        ("map/ids", b""), ("link/ids", b""), ("btf/ids", b""), ("task/70/cgroup", "0::/system.slice/agent.service\n"),
        ("task/71/cgroup", "0::/system.slice/docker-%s.scope\n" % ident), ("task/72/cgroup", "0::/user.slice/session-3.scope\n"), ("task/73/cgroup", 13)])


def related():
    """
    Holders: a program on a device with a link that an agent and a pin hold; one with a pinned link without a process, with a
    prog_array, and a hash of maps with two maps in it; a replacement of a function of the first program; one at a cgroup without a link and without
    a process; one that only its loader holds; one that only two pins hold; a map that is only pinned, and one that a process holds.
    """
    ident, ns = "0123456789abcdef" * 4, "net/4026531840/"
    types = btf([btype(1, 1, 0, 4, 1 << 24 | 32), btype(0, 13, 0, 1), btype(5, 12, 0, 2)], b"\0int\0shape\0")
    held = [(0, 1, 123, b"agent"), (1, 50, 123, b"agent"), (2, 20, 123, b"agent"), (2, 22, 124, b"tracer"), (0, 7, 124, b"tracer"),
            (0, 4, 200, b"loader"), (1, 55, 200, b"loader"), (0, 4, 201, b"loader")]
    pins = [("link", 20, "/sys/fs/bpf/net/drop"), ("link", 21, "/sys/fs/bpf/tc/entry"), ("prog", 5, "/mnt/bpf/old"), ("prog", 5, "/sys/fs/bpf/old"),
            ("map", 56, "/sys/fs/bpf/cache"), ("map", 51, "/sys/fs/bpf/tc/calls")]
    progs = {1: prog(1, 6, "drop_all", maps=1, btf=9), 2: prog(2, 3, "tail_a", maps=1), 3: prog(3, 3, "entry", maps=2), 4: prog(4, 17, "lonely"),
             5: prog(5, 17, "pinned_only"), 6: prog(6, 8, "legacy"), 7: prog(7, 28, "replace_it")}
    used = {1: (50,), 2: (53,), 3: (51, 52)}
    maps = {50: bmap(50, 1, "flows", btf=9), 51: bmap(51, 3, "calls", entries=4), 52: bmap(52, 13, "outer"), 53: bmap(53, 1, "inner_a"),
            54: bmap(54, 1, "inner_b"), 55: bmap(55, 2, "held_only"), 56: bmap(56, 1, "cache")}
    links = {20: link(20, 6, 1, u32(2)), 21: link(21, 11, 3, u32(2, 46)), 22: link(22, 2, 7, u32(0, 1, 3))}
    system = [x for x in SYSTEM if x[0] not in ("sys/holders", "sys/pins", "sys/netns")]
    return (system + [
        ("sys/holders", b"".join(pack("IIIIQ16s", kind, i, pid, 0, 0, comm) for kind, i, pid, comm in held)),
        ("sys/pins", "".join("%s %d %s\n" % x for x in pins)), ("sys/task_fds", b""), ("sys/netns", "4 4026531840\n"),
        ("sys/netns_list", "4 4026531840 /proc/self/ns/net\n"), ("sys/link_netns", "20 4026531840\n21 4026531840\n"),
        ("sys/cgroup_mounts", "1 /sys/fs/cgroup\n"), ("cgroup/1/progs", b""), ("cgroup/42/progs", query(0, [6])),
        (ns + "links", device(1, "lo") + device(2, "eth0", (43, attr(2, b"\2") + attr(4, 1)))), (ns + "qdiscs", b""), (ns + "actions", b""),
        (ns + "query/0/flow_dissector", b""), (ns + "query/0/sk_lookup", b""), (ns + "query/2/tcx_ingress", pack("IIIIQ", 46, 0, 1, 5, 2) + u32(3, 21)),
        (ns + "query/1/tcx_ingress", b""), (ns + "query/1/tcx_egress", b""), (ns + "query/2/tcx_egress", b""),
        ("prog/ids", u32(*progs)), ("map/ids", u32(*maps)), ("link/ids", u32(*links)), ("btf/ids", u32(9)), ("btf/9/info", btf_info(9, len(types))),
        ("btf/9/data", types), ("map/51/slots", "0 2\n"), ("map/52/inner", u32(54, 53, 54)), ("task/123/cgroup", "0::/system.slice/agent.service\n"),
        ("task/124/cgroup", "0::/system.slice/docker-%s.scope\n" % ident), ("task/200/cgroup", "0::/user.slice/session-3.scope\n"), ("task/201/cgroup", 13)]
        + [("prog/%d/info" % k, v) for k, v in progs.items()] + [("prog/%d/fdinfo" % k, "memlock:\t4096\n") for k in progs]
        + [("prog/%d/map_ids" % k, u32(*v)) for k, v in used.items()]
        + [("map/%d/info" % k, v) for k, v in maps.items()] + [("map/%d/fdinfo" % k, "memlock:\t8192\nfrozen:\t0\n") for k in maps]
        + [("link/%d/info" % k, v) for k, v in links.items()])


def relations():
    return archive(related())


def hidden():
    """kernel.kptr_restrict is 2: all addresses are zero, those of the symbols and those of a kprobe.multi link."""
    mine = {"sys/limits": "kptr_restrict 2\n", "sys/kallsyms": "0000000000000000 T vfs_read\n", "prog/ids": u32(*range(1, 9)), "link/ids": u32(20, 21, 22, 23)}
    return archive([(k, mine.get(k, v)) for k, v in related()] + [
        ("prog/8/info", prog(8, 2, "on_call")), ("prog/8/fdinfo", "memlock:\t4096\n"), ("link/23/info", link(23, 8, 8, pack("QIIQQ", 0, 3, 0, 0, 0))),
        ("link/23/buf/16.24.8+40.24.8", u32(24) + bytes(24) + u32(24) + pack("3Q", 7, 8, 9))])


def audited():
    """
    The machine of related() with wrong lists: no list has program 3, map 53, link 22 and program 8, which was loaded after the lists; no
    iterator has program 5, and the code of program 7 has no symbol. The symbols have code without a program. Program 4 writes to
    processes, 5 runs at every system call, and 6 changes what bpf(2) returns.
    """
    base, gone = 0xffffffffc0000000, {"prog": (3, 8), "map": (53,), "link": (22,), "btf": ()}
    there = {"prog": range(1, 9), "map": range(50, 57), "link": range(20, 25), "btf": (8, 9)}
    listed = {k: [i for i in v if i not in gone[k]] for k, v in there.items()}
    counted = "before prog 8\nbefore map 60\nbefore link 25\n"
    counted += "".join("listed %s %d\n" % (k, i) for k, v in listed.items() for i in v)
    counted += "".join("walked %s %d\n" % (k, i) for k, v in there.items() for i in v if (k, i) != ("prog", 5) and k != "btf") + "? walked btf 2\n"
    code = {i: base + i * 0x100 for i in listed["prog"]}
    symbols = "ffffffff81000000 T _text\nffffffff81000100 T __bpf_call_base\nffffffff81000300 T bpf_probe_write_user\n" + "".join("%x t bpf_prog_%s_%d\t[bpf]\n" % (at, bytes([i] * 8).hex(), i) for i, at in code.items() if i != 7)
    symbols += "%x t bpf_prog_0909090909090909_spare\t[bpf]\n" % (base + 0x900)
    mine = {"sys/kallsyms": symbols, "sys/limits": "kptr_restrict 0\nbpf_jit_enable 1\nbpf_jit_kallsyms 1\n"}
    mine.update((k + "/ids", u32(*v)) for k, v in listed.items())
    mine["task/201/cgroup"] = "0::/user.slice/session-3.scope\n"
    types = btf([btype(1, 1, 0, 4, 32), btype(0, 13, 0, 1), btype(5, 12, 0, 2)], b"\0int\0__sys_bpf\0")
    links = [("link/23/info", link(23, 1, 5, pack("QI", 0, 9))), ("link/23/buf/16.24.0", u32(9) + b"sys_exit\0"),
             ("link/24/info", link(24, 2, 6, u32(26, 8, 3))), ("prog/6/info", prog(6, 26, "deny")), ("btf/8/info", btf_info(8, len(types), 1)), ("btf/8/data", types), ("btf/8/name", "vmlinux")]
    write = insn(0x85, imm=0x200) + RETURN0
    return b"".join(segments([[(k, mine.get(k, v)) for k, v in related() if k != "prog/6/info"] + [("sys/counted", counted)] + links
                              + [("prog/%d/xlated" % i, write if i == 4 else RETURN0) for i in there["prog"]]
                              + [("prog/%d/jited_ksyms" % i, pack("Q", at)) for i, at in code.items()]]))


def doctor():
    """A machine on which nearly every feature is off; the next one has what this lacks."""
    return patient("kptr_restrict 2\nbpf_jit_enable 0\nbpf_jit_harden 2\nbpf_jit_kallsyms 0\nunprivileged_bpf_disabled 0\nbpf_stats_enabled 9\n",
                   "lockdown none integrity [confidentiality]\nlsm lockdown,capability,bpfx\ncaps_missing CAP_BPF,CAP_PERFMON\nmemlock 65536\n"
                   "vmlinux none\ntracefs none\n", "bpf 0\nprog 26 0\nattach 26 28 22\nattach 26 24 1\nmap 27 22\n",
                   "4026531840 7 36 35 0:30 / /run/c/bpf rw - bpf bpf rw,mode=700\n", "")


def doctor_well():
    return patient("kptr_restrict 1\nbpf_jit_enable 1\nbpf_jit_harden 0\nbpf_jit_kallsyms 1\nunprivileged_bpf_disabled 1\nbpf_stats_enabled 1\n",
                   "lockdown [none] integrity confidentiality\nlsm capability,bpf\ncaps_missing none\nmemlock unlimited\n"
                   "vmlinux /sys/kernel/btf/vmlinux\ntracefs /sys/kernel/tracing\n", "bpf 0\nprog 26 0\nattach 26 28 0\nattach 26 24 0\nmap 27 0\n",
                   "4026531840 0 36 35 0:30 / /sys/fs/bpf rw - bpf bpf rw,mode=700\n", "1 /sys/fs/cgroup\n")


def locked():
    """lockdown=confidentiality: programs that read kernel memory, as iterators of ours do, cannot be loaded."""
    return archive([x for x in related() if x[0] != "sys/netns_list"] + [
        ("sys/access", "lockdown none integrity [confidentiality]\ntracefs /sys/kernel/tracing\n"), ("sys/counted", "listed prog 1\n? walked prog 22\n? walked map 22\n? walked link 22\n"),
        ("sys/netns_list", "4 4026531840 /proc/self/ns/net\n? sockets 22\n")])


def patient(limits, access, tried, bpffs, cgroups):
    own = {"sys/uname": "Linux 5.10.1-test x86_64\n", "sys/limits": limits}
    none = [(k, b"") for k in ("prog/ids", "map/ids", "link/ids", "btf/ids", "cgroup/1/progs", "cgroup/42/progs", "sys/task_fds")]
    none += [("sys/netns_list", "4 4026531840 /proc/self/ns/net\n"), ("sys/socket_filters", "")]
    none += [("net/4026531840/" + k, b"") for k in ("links", "qdiscs", "actions", "query/0/flow_dissector", "query/0/sk_lookup")]
    return archive([(k, own.get(k, v)) for k, v in SYSTEM] + none + [
        ("sys/access", access), ("sys/features/0/0", tried), ("sys/bpffs", bpffs), ("sys/cgroup_mounts", cgroups)])


def coverage():
    """Programs with counters of their blocks: 1 and 2 share a map and the function len, 3 is 1 loaded again; 4 has no counters. Counter 5 is of
    a block that the verifier removed, and the last block of first needs registers that it saves."""
    strings = (b"\0int\0first\0len\0second\0/src/cover.c\0/src/cover.h\0int first(struct ctx *ctx)\0\tint ret = 0;\0\tif (ctx->len)\0"
               b"\t\tret = len(ctx);\0\treturn ret;\0static int len(struct ctx *ctx)\0\treturn one(ctx);\0}\0int second(struct ctx *ctx)\0")
    at = strings.index
    types = btf([btype(at(b"int"), 1, 0, 4, 1 << 24 | 32), btype(0, 13, 0, 1), btype(at(b"first"), 12, 0, 2), btype(at(b"len"), 12, 0, 2),
                 btype(at(b"second"), 12, 0, 2)], strings)

    def counter(of, i):
        return insn(0x18, 1, 2, 0, of) + insn(0, imm=8 * i) + insn(0xb7, 2, imm=1) + insn(0xdb, 1, 2)

    def lines(*places):
        return b"".join(u32(i, at(b"/src/cover." + file), at(text), num << 10 | 2) for i, file, text, num in places)

    def first(of):
        saves, loads = ([insn(code, dst, src, off) for dst, src, off in regs] for code, regs in (
            (0x7b, ((10, 1, -8), (10, 2, -16))), (0x79, ((2, 10, -16), (1, 10, -8)))))
        return (counter(of, 0) + insn(0xb7) + insn(0x15, 1, 0, 5) + counter(of, 1) + insn(0x85, 0, 1, 0, 9) + b"".join(saves) + counter(of, 2) +
                b"".join(loads) + insn(0x95) + counter(of, 3) + insn(0xb7, imm=1) + insn(0x95))

    second = counter(5, 4) + insn(0x85, 0, 1, 0, 1) + insn(0x95) + counter(5, 3) + insn(0xb7, imm=1) + insn(0x95)
    of_len = ((0, b"c", b"static", 20), (4, b"h", b"\treturn one", 3), (5, b"c", b"}", 22))
    of_first = lines((0, b"c", b"int first", 10), (4, b"c", b"\tint ret", 12), (5, b"c", b"\tif", 13), (6, b"c", b"\t\tret", 14), (11, b"c", b"\treturn ret", 15),
                     *[(20 + i, *rest) for i, *rest in of_len])
    of_second = lines((0, b"c", b"int second", 30), *[(6 + i, *rest) for i, *rest in of_len])
    progs = [(1, "first", first(5), u32(0, 3, 20, 4), of_first, 5), (2, "second", second, u32(0, 5, 6, 4), of_second, 5), (3, "first", first(6), u32(0, 3, 20, 4), of_first, 6)]
    counts = ((5, (10, 4, 10, 9, 5, 0)), (6, (1, 0, 1, 0, 0, 0)))
    return archive(SYSTEM + [("prog/ids", u32(1, 2, 3, 4)), ("prog/4/info", prog(4, 6, "plain")), ("prog/4/xlated", RETURN0), ("map/ids", u32(5, 6)), ("link/ids", b""), ("btf/ids", u32(9)), ("btf/9/info", btf_info(9, len(types))), ("btf/9/name", b""),
                             ("btf/9/data", types)] + [x for i, name, code, funcs, where, of in progs for x in (
        ("prog/%d/info" % i, prog(i, 6, name, xlated=len(code), maps=1, btf=9, funcs=2, lines=len(where) // 16)), ("prog/%d/map_ids" % i, u32(of)),
        ("prog/%d/xlated" % i, code), ("prog/%d/func_info" % i, funcs), ("prog/%d/line_info" % i, where), ("prog/%d/jited_ksyms" % i, b""))] + [x for i, n in counts for x in (
            ("map/%d/info" % i, bmap(i, 2, ".data.coverage", 4, 48, 1)), ("map/%d/elems/start" % i, elems(1, 4, 48, elem(u32(0), pack("6Q", *n)))))])


def recording(cut=False):
    """A file of `record`; @cut: of a recorder that is killed while the second program is loaded: three programs, one from before, one that was unloaded after a second, one incomplete; types and map of the
    second are in it. The kernel's symbols have another program at its address."""
    second = 10**9
    strings, at = b"\0", {}
    for s in ("int", "sub", "main"):
        at[s] = len(strings)
        strings += s.encode() + b"\0"
    data = btf([btype(at["int"], 1, 0, 4, 32), btype(0, 13, 0, 1), btype(at["main"], 12, 0, 2), btype(at["sub"], 12, 0, 2)], strings)
    code = insn(0x85, 0, 1, 1, 1) + insn(0x95) + insn(0xb7) + insn(0x95)
    lives = ("recorded %d %d\n1 ? - ? ? before - ?\n2 %d %d 77 0 copied - a\\040loader\n3 %d ? 78 1000 copied parts,types \\033[31m\n"
             "4 %d %d 79 0 missed - ?\n" % (1000 * second, 1010 * second, 1002 * second, 1003 * second, 1004 * second, 1005 * second, 1006 * second))
    if cut:
        lives = lives.replace(" %d\n1 " % (1010 * second), " 0\n1 ").replace(" %d 77 " % (1003 * second), " - 77 ")
    members = [("prog/ids", u32(1, 2, 3)), ("prog/1/info", prog(1, 6, "old", load=second)), ("prog/1/fdinfo", "memlock:\t4096\n"),
               ("prog/2/info", prog(2, 6, "main", xlated=len(code), jited=8, maps=1, btf=9, funcs=2, load=1002 * second, jited_funcs=2, tags=2)),
               ("prog/2/fdinfo", "memlock:\t4096\n"), ("prog/2/xlated", code), ("prog/2/jited", b"\x90" * 8), ("prog/2/map_ids", u32(5)),
               ("prog/2/jited_ksyms", pack("QQ", 0xffffffffc0001000, 0xffffffffc0001004)), ("prog/2/jited_func_lens", u32(4, 4)),
               ("prog/2/func_info", u32(0, 3, 2, 4)), ("prog/2/line_info", b""), ("prog/2/jited_line_info", b""),
               ("prog/2/prog_tags", bytes(range(16))), ("prog/3/info", prog(3, 1, "torn", load=1004 * second)), ("prog/3/fdinfo", "memlock:\t4096\n"),
               ("map/ids", u32(5)), ("map/5/info", bmap(5, 2, "gone_map")), ("map/5/fdinfo", "map_id:\t5\n"), ("link/ids", b""),
               ("btf/ids", u32(9)), ("btf/9/info", btf_info(9, len(data))), ("btf/9/name", b""), ("btf/9/data", data), ("sys/lives", lives)]
    table = "ffffffff81000000 T __bpf_call_base\nffffffffc0001000 t bpf_prog_ffffffffffffffff_other\t[bpf]\n"
    made = segments([[(k, table if k == "sys/kallsyms" else v) for k, v in SYSTEM], members])
    return b"".join(made[:-1] if cut else made)


def listed(damaged=False, unasked=()):
    """A recording of ten seconds: a map leaks each second, others come and go, one id is used again, a link comes and goes, and a map of a
    program came and went between two looks; @damaged: a look in the middle; @unasked: maps that had
    gone before the recorder asked about them."""
    second = 10**9
    came, gone = {i: 1000.5 + i - 20 for i in range(20, 30)}, {}
    for k in range(40, 49):  # two at each moment
        came[k], gone[k] = 999.8 + k - 40, 1001.8 + k - 40
    came[60], gone[60] = 0, 1003
    maps = [(8, "stays")] + [(i, "leak") for i in range(20, 30)] + [(i, "comes") for i in range(40, 49)] + [(60, "again"), (90, "brief")]
    changes = [(t, "+", "map", i) for i, t in came.items()] + [(t, "-", "map", i) for i, t in gone.items()] + [
        (0, "+", "map", 8), (0, "+", "btf", 9), (1007, "+", "map", 60), (1004, "+", "link", 5), (1006, "-", "link", 5)]
    times = [1000.1] + sorted({c[0] for c in changes if c[0] > 1000.1})
    pieces = ["at %d %d\n" % (t * second, (t - 0.2) * second if t > times[0] else 0) + "".join("%s %s %d\n" % c[1:] for c in sorted(changes) if (c[0] <= t if t == times[0] else c[0] == t)) for t in times]
    if damaged:
        pieces[5] = pieces[5].replace("+", "?")
    return b"".join(segments([[x for x in SYSTEM if x[0] != "sys/holders"] + [
        ("sys/holders", pack("IIIIQ16s", 1, 29, 70, 0, 0, b"agent")), ("task/70/cgroup", "0::/system.slice/agent.service\n"),
        ("sys/lives", "recorded %d %d\n1 ? - ? ? before - ?\n2 %d %d 77 0 copied - loader\n" % (1000 * second, 1010 * second, 1002.2 * second, 1002.6 * second)),
        ("prog/ids", u32(1, 2)), ("prog/1/info", prog(1, 6, "old", load=second)), ("prog/2/info", prog(2, 6, "short", maps=1, load=int(1002.2 * second))), ("prog/2/map_ids", u32(90)),
        ("map/ids", u32(8, *range(20, 30), 60, 90)), ("link/ids", b""), ("link/5/info", link(5, 6, 1, u32(2))), ("btf/ids", u32(9)), ("btf/9/info", btf_info(9, 24)),
        ("btf/9/name", b"")] + [x for i in (1, 2) for x in (("prog/%d/xlated" % i, RETURN0), ("prog/%d/fdinfo" % i, "memlock:\t4096\n"))] + [
        x for i, name in maps if i not in unasked for x in (("map/%d/info" % i, bmap(i, 2, name)), ("map/%d/fdinfo" % i, "memlock:\t4096\n"))] + [
        ("listed/%d" % i, piece) for i, piece in enumerate(pieces)]]))


def map_calls(damaged=False):
    """A recording with calls of bpf(2) on a map whose types are in it; @damaged: the second piece ends in the middle."""
    second = 10**9
    strings, at = b"\0", {}
    for s in ("int", "flow", "packets", "last"):
        at[s] = len(strings)
        strings += s.encode() + b"\0"
    data = btf([btype(at["int"], 1, 0, 4, 1 << 24 | 32), btype(at["flow"], 4, 2, 8, at["packets"], 1, 0, at["last"], 1, 32)], strings)
    lives = "recorded %d %d\n" % (1000 * second, 1010 * second)

    def hexa(b):
        return b.hex() or "-"

    def call(i, cmd, result, attr, key=b"", value=b"", objects=("map:5",), made="-", text=b"", pid=77, comm="work\\040er"):
        return "%d %d %d %d %d %d %d %s %s %s %s %s %s %s\n" % (
            1001 * second + i * 1000000, 1001 * second + i * 1000000 + 500, result, pid, pid, cmd, len(attr), made, " ".join((objects + ("-",) * 4)[:4]), hexa(attr), hexa(text),
            hexa(key), hexa(value), comm)

    elem, one = pack("IIQQQ", 3, 0, 4096, 8192, 0), pack("i", -7)
    first = [call(0, 1, -2, elem, one), call(1, 2, 0, elem, one, pack("ii", 12, -1)), call(2, 2, -7, pack("IIQQQ", 3, 0, 4096, 8192, 1), pack("i", 8), pack("ii", 1, 2)),
             call(3, 1, 0, elem, one, pack("ii", 12, -1), pid=78, comm="reader"), call(4, 4, 0, pack("IIQQQ", 3, 0, 0, 8192, 0), b"", one)]
    later = [call(5, 26, 0, pack("QQQQIIQQ", 0, 0, 4096, 8192, 3, 3, 0, 0)), call(6, 14, -1, u32(5, 0, 0), objects=(), pid=0, comm="?"),
             call(7, 7, 4, pack("QIII", 4096, 0, 0, 0), objects=(), made="map:5", text=b"/sys/fs/bpf/flows"), call(8, 2, -14, elem, one),
             call(9, 3, 0, pack("IIQ", 3, 0, 4096), one), call(10, 99, -22, b"\7" * 4, objects=())]
    return archive(SYSTEM + [
        ("prog/ids", b""), ("map/ids", u32(5, 6)), ("map/5/info", bmap(5, 1, "flows", value=8, btf=9, btf_key=1, btf_value=2)), ("map/6/info", bmap(6, 2, "other")),
        ("link/ids", b""), ("btf/ids", u32(9)), ("btf/9/info", btf_info(9, len(data))), ("btf/9/name", b""), ("btf/9/data", data), ("sys/lives", lives),
        ("sys/map_calls", "5 2\n"), ("map_calls/0", "".join(first)), ("map_calls/1", "".join(later)[:-20 if damaged else None])])


def of_segments():
    """Archives in the current form of `save`, complete and truncated."""
    progs = [[("prog/%d/info" % i, prog(i, 1, "prog_%d" % i)), ("prog/%d/fdinfo" % i, "memlock:\t4096\n"), ("prog/%d/xlated" % i, RETURN0)]
             for i in (1, 2, 3)]
    first = SYSTEM + [("map/ids", b""), ("link/ids", b""), ("btf/ids", b""), ("prog/ids", u32(1, 2, 3))]
    # Program 3 was unloaded before its info was read; the list was written again.
    again = segments([first] + progs[:2] + [[("prog/3/info", 2), ("prog/ids", u32(1, 2))]])
    whole = segments([first] + progs)
    torn = b"".join(whole)
    at = [sum(map(len, whole[:i])) for i in range(len(whole) + 1)]
    cut = dict(progs[1])["prog/2/info"]
    return {
        "segments": b"".join(again), "segments-cut-answer": torn[:at[3] + 40], "segments-cut-meta": torn[:at[1] - 4],
        "segments-cut-list": torn[:at[2] - 1], "segments-cut-index": torn[:at[5] + 30], "segments-cut-mark": torn[:-1],
        "segments-cut-between": torn[:at[4]],
        "segments-no-tail": torn[:at[3] + 40] + bytes(300),
        "segments-bad-index": b"".join(segments([first] + progs, "0 99 7 0x0 prog/ids\nnonsense\n")),
        "segments-lying-index": b"".join(segments([first] + progs, "0 1024 50 0x1 meta\n")),
        "segments-damaged": torn[:at[3] + 40] + b"\xff" * 20 + torn[at[3] + 60:],
        "segments-short-answer": b"".join(segments([first, progs[0], [("prog/2/info", cut[:116])] + progs[1][1:], progs[2]], sums={"prog/2/info": cut})),
        "short-list": archive([x for x in first if x[0] != "prog/ids"] + [("prog/ids", u32(1, 2))] + progs[0] + progs[1] + progs[2]),
    }


def perf_data():
    """What `perf record -a` says of sampled(): threads, code that came, samples not in order, and losses."""
    start, ip = 1000001000000, 0xffffffffc0001012

    def record(kind, misc, body):
        return pack("IHH", kind, misc, 8 + len(body)) + body

    def name(text):
        return text.encode() + bytes(8 - len(text) % 8)

    def said(kind, body, after=7):
        return record(kind, 0, body + pack("IIQ", 7, 7, start + after))

    def sample(ip, pid, tid, after, misc=1):
        return record(9, misc, pack("QIIQ", ip, pid, tid, start + after))

    def code(addr, size, text, gone=0):
        return said(17, pack("QIHH", addr, size, 1, gone) + name(text))

    records = [
        said(3, pack("II", 7, 7) + name("parent"), 0), said(7, pack("IIIIQ", 9, 7, 9, 7, start), 5), said(7, pack("IIIIQ", 11, 5, 11, 5, start), 5),
        said(3, pack("II", 7, 8) + name("thread two"), 6),
        code(ip + 0x5fee, 32, "bpf_prog_0a0a0a0a0a0a0a0a_unseen"), said(18, pack("HHI", 1, 0, 9) + b"\x0a" * 8), code(ip + 0x600e, 32, "bpf_prog_0b0b0b0b0b0b0b0b_next"),
        code(ip + 0x602e, 0, "bpf_prog_0c0c0c0c0c0c0c0c_empty"), code(ip + 0x606e, 16, "bpf_trampoline_1"), code(ip + 0x60ee, 32, "bpf_prog_0d0d0d0d0d0d0d0d_gone", 1),
        sample(ip, 7, 8, 50), sample(ip, 9, 9, 40), sample(ip, 7, 7, 30), sample(ip, 11, 11, 60), sample(ip, 12, 12, 60),
        sample(ip + 0x5ffe, 7, 7, 70), sample(ip + 0x601e, 7, 7, 70), sample(ip + 0x6032, 7, 7, 70), sample(ip + 0x6073, 7, 7, 70), sample(ip + 0x60f3, 7, 7, 70),
        sample(0xffffffff81000010, 7, 7, 71), sample(0x401000, 7, 7, 72, 2), said(2, pack("QQ", 1, 3), 80), said(2, pack("QQ", 1, 4), 81),
    ]
    data = b"".join(records)
    event = pack("IIQQQQQ", 1, 96, 0, 1000000, 7, 0, 1 << 18 | 1 << 25) + bytes(44) + pack("i", 7) + pack("QQ", 0, 0)  # times since boot, on all records
    return b"PERFILE2" + pack("8Q", 104, 112, 104, 112, 216, len(data), 0, 0) + bytes(32) + event + data


def main():
    out = sys.argv[1]
    if not BIG:
        with open(out + "/sampled.perf", "wb") as f:
            f.write(perf_data())
    made = {f.__name__: f() for f in (empty, refusals, denied, newer, older, jited, sampled, sampled_parts, poked, counters, truncated, lying, hostile, controls, many, histograms, untyped, contents,
                                         operations, cgroups, perf, socket_filters, iterators, attachable, networks, unseen_networks, tokens, features, features_other, recording, listed, map_calls, doctor, doctor_well, locked, units, relations, hidden, audited, before, after, code_pages, coverage, counted_before, counted_after, counted_undated)}
    made.update(of_segments())
    made.update(growth())
    whole = empty()
    made.update({
        "recording-cut": recording(True), "listed-damaged": listed(True), "listed-unasked": listed(unasked=(44, 45)), "map_calls-cut": map_calls(True),
        "no-order": archive([("prog/ids", u32(1))], "bpflens 0.1.0\nendian middle\n"), "no-meta": archive([("prog/ids", u32(1))], None),
        "dotdot": archive([("../../etc/passwd", "x")]), "absolute": archive([("/etc/passwd", "x")]),
        "symlink": archive([("prog/ids", ("link", "/etc/passwd"))]), "cut": whole[:len(whole) // 2], "nothing": b"",
        "size-lie": archive([("prog/ids", u32(1))], raw=lambda t: t[:512 + 512 + 124] + b"77777777777\0" + t[512 + 512 + 136:]),
        "bad-errno": archive([("prog/ids.errno", "not a number\n")]), "plain": archive(SYSTEM + [("prog/ids", b"")], gz=False),
    })
    for name, data in sorted(made.items()):
        with open("%s/%s.tar%s" % (out, name, "" if name == "plain" else ".gz"), "wb") as f:
            f.write(data)


if __name__ == "__main__":
    main()
