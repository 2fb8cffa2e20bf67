# SPDX-License-Identifier: BSD-2-Clause
"""A second reader of perf.data, written from the format's description only (tools/perf/Documentation/perf.data-file-format.txt,
include/uapi/linux/perf_event.h): it checks each byte of the structure, and names addresses as perf does, from the records alone."""
import bisect
import struct
import sys
from collections import Counter

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID = (1 << i for i in range(10))
IDENTIFIER = 1 << 16
LOST, COMM, SAMPLE, MMAP, KSYMBOL, BPF_EVENT, USER, FINISHED_ROUND = 2, 3, 9, 1, 17, 18, 64, 68
BPF_PROG_INFO, BPF_BTF = 25, 26
CONTEXT_MAX = (1 << 64) - 4095
SIZES = {0: 4, 1: 4, 2: 4, 3: 8, 4: 4, 8: 8}  # of records of the arrays, by bit; others have a member for it


class Bad(Exception):
    pass


def need(good, what, *args):
    if not good:
        raise Bad(what % args)


class Record:
    def __init__(self, kind, misc, raw, offset):
        self.kind, self.misc, self.raw, self.offset, self.time = kind, misc, raw, offset, None


class PerfData:
    def __init__(self, data, strict=True):
        self.data, self.strict = data, strict
        need(len(data) >= 104, "no header")
        magic, size, self.attr_size, *sections = struct.unpack_from("=8sQQ6Q4Q", data)
        need(magic == b"PERFILE2" and size == 104, "magic or size of the header")
        self.attrs, self.records_at, types = (sections[i:i + 2] for i in (0, 2, 4))
        self.features = [f for f in range(256) if sections[6 + f // 64] >> f % 64 & 1]
        for s in (self.attrs, self.records_at):
            self.inside(s, "a section of the header")
        need(self.attr_size >= 80 and self.attrs[1] % self.attr_size == 0 and self.attrs[1], "attributes")
        self.events = [self.event(self.attrs[0] + i) for i in range(0, self.attrs[1], self.attr_size)]
        self.by_id = {i: e for e in self.events for i in e["ids"]}
        self.section = self.sections()
        self.records = list(self.walk())

    def inside(self, s, what):
        need(s[0] + s[1] <= len(self.data), "%s: [%d, +%d) is outside the file of %d bytes", what, *s, len(self.data))

    def event(self, at):
        kind, size, config, freq, sample_type, read_format, bits = struct.unpack_from("=IIQQQQQ", self.data, at)
        ids = struct.unpack_from("=QQ", self.data, at + self.attr_size - 16)
        self.inside(ids, "ids")
        need(ids[1] % 8 == 0, "ids")
        return {"sample_type": sample_type, "all": bits >> 18 & 1, "ids": struct.unpack_from("=%dQ" % (ids[1] // 8), self.data, ids[0])}

    def sections(self):
        end, found = sum(self.records_at), {}
        for i, f in enumerate(self.features):
            self.inside((end + 16 * i, 16), "table of sections")
            found[f] = struct.unpack_from("=QQ", self.data, end + 16 * i)
            self.inside(found[f], "section %d" % f)
        spans = sorted([s for s in found.values() if s[1]] + [(0, end + 16 * len(self.features))])
        need(all(sum(a) <= b[0] for a, b in zip(spans, spans[1:])), "sections overlap: %s", spans)
        return found

    def walk(self):
        at, end = self.records_at[0], sum(self.records_at)
        while at < end:
            need(end - at >= 8, "no room for a record at %d", at)
            kind, misc, size = struct.unpack_from("=IHH", self.data, at)
            need(8 <= size <= end - at and size % 8 == 0, "a record of %d bytes at %d", size, at)
            r = Record(kind, misc, self.data[at:at + size], at)
            self.decode(r)
            yield r
            at += size

    def trailer(self, r):
        """Members at the end of the kernel's records; the last is the id that tells which."""
        for e in [self.by_id.get(struct.unpack("=Q", r.raw[-8:])[0]), self.events[0]]:
            names = [n for n in (TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER) if e and e["all"] and e["sample_type"] & n]
            if e and len(r.raw) >= 8 + 8 * len(names):
                break
        else:
            raise Bad("record at %d: too short for its trailer" % r.offset)
        r.tail = 8 * len(names)
        words = dict(zip(names, struct.unpack_from("=%dQ" % len(names), r.raw, len(r.raw) - r.tail)))
        r.time = words.get(TIME)
        if r.kind in (KSYMBOL, BPF_EVENT) and len({e["sample_type"] for e in self.events}) > 1:
            number = words.get(IDENTIFIER)
            need(not number or number in self.by_id, "record at %d: id %s of no event", r.offset, number)

    def decode(self, r):
        if r.kind == SAMPLE:
            first = struct.unpack_from("=Q", r.raw, 8)[0] if len(r.raw) > 8 else 0
            kind = (self.by_id.get(first) or self.events[0])["sample_type"]
            at = 16 if kind & IDENTIFIER else 8
            r.ip, = struct.unpack_from("=Q", r.raw, at)
            r.tid = struct.unpack_from("=II", r.raw, at + 8)
            r.time, = struct.unpack_from("=Q", r.raw, at + 16)
            r.kernel, r.callers = r.misc & 7 == 1, ()
            at += 24 + sum(8 for n in (ADDR, ID, STREAM_ID, CPU, PERIOD) if kind & n)
            if kind & CALLCHAIN and not kind & READ:
                n, = struct.unpack_from("=Q", r.raw, at)
                need(n <= (len(r.raw) - at - 8) // 8, "SAMPLE at %d: %d callers", r.offset, n)
                r.callers = [a for a in struct.unpack_from("=%dQ" % n, r.raw, at + 8) if a < CONTEXT_MAX]
        elif r.kind < USER:
            self.trailer(r)
            if r.kind == KSYMBOL:
                r.addr, r.len, r.type, r.flags = struct.unpack_from("=QIHH", r.raw, 8)
                r.name = r.raw[24:len(r.raw) - r.tail]
                need(b"\0" in r.name and (not self.strict or len(r.name) - r.name.index(b"\0") <= 8), "KSYMBOL at %d: name %r", r.offset, r.name)
                r.name = r.name.split(b"\0")[0].decode(errors="replace")
            elif r.kind == MMAP:
                r.pid, r.addr, r.len = struct.unpack_from("=i4xQQ", r.raw, 8)
                r.name = r.raw[40:len(r.raw) - r.tail].split(b"\0")[0].decode(errors="replace")
            elif r.kind == BPF_EVENT:
                need(len(r.raw) == 24 + r.tail, "BPF_EVENT at %d: %d bytes", r.offset, len(r.raw))
                r.event, r.flags, r.id = struct.unpack_from("=HHI", r.raw, 8)

    def entries(self, f, size_of):
        if f not in self.section:
            return
        at, size = self.section[f]
        end = at + size
        need(size >= 4, "section %d: no count", f)
        count, = struct.unpack_from("=I", self.data, at)
        at += 4
        for i in range(count):
            n, what = size_of(at, end)
            need(at + n <= end, "section %d: entry %d ends after it", f, i)
            yield what
            at += n
        need(at == end, "section %d: %d bytes after its entries", f, end - at)

    def progs(self):
        """{id: {array's bit: bytes}} of the programs."""
        def prog(at, end):
            need(end - at >= 16, "no room for a program")
            info_len, data_len, arrays = struct.unpack_from("=IIQ", self.data, at)
            need(at + 16 + info_len + data_len <= end, "a program ends after its section")
            info, data = self.data[at + 16:at + 16 + info_len], self.data[at + 16 + info_len:at + 16 + info_len + data_len]
            need(info_len >= 192, "info of %d bytes", info_len)
            return 16 + info_len + data_len, {"id": struct.unpack_from("=I", info, 4)[0], "info": info, "arrays": arrays, "data": data}
        return {p["id"]: p for p in self.entries(BPF_PROG_INFO, prog)}

    def btfs(self):
        def btf(at, end):
            need(end - at >= 8, "no room for BTF")
            number, n = struct.unpack_from("=II", self.data, at)
            return 8 + n, (number, self.data[at + 8:at + 8 + n])
        return dict(self.entries(BPF_BTF, btf))


# Offsets in struct bpf_prog_info (include/uapi/linux/bpf.h): pointer, count, and the size of a record, or minus the offset of it.
ARRAYS = {0: (24, 16, 1), 1: (32, 20, 1), 2: (56, 52, 4), 3: (112, 104, 8), 4: (120, 108, 4), 5: (136, 144, -132), 6: (152, 148, -172), 7: (160, 168, -176),
          8: (184, 180, 8)}


def check_prog(p):
    """perf reads these without looking: each array is within the data, and functions have an address, a length and a tag."""
    u32 = lambda o: struct.unpack_from("=I", p["info"], o)[0]  # noqa: E731
    need(p["arrays"] < 1 << 9 and len(p["data"]) % 8 == 0, "program %d: arrays %#x, %d bytes", p["id"], p["arrays"], len(p["data"]))
    for bit, (ptr, count, size) in ARRAYS.items():
        n = u32(count) * (size if size > 0 else u32(-size))
        offset, = struct.unpack_from("=Q", p["info"], ptr)
        if p["arrays"] >> bit & 1:
            need(offset % 8 == 0 and offset + n <= len(p["data"]), "program %d: array %d: [%d, +%d) of %d", p["id"], bit, offset, n, len(p["data"]))
    need(u32(104) and u32(104) == u32(108) == u32(180) and p["arrays"] & 0x118 == 0x118, "program %d: %d functions", p["id"], u32(104))


def kinds(data):
    """How many records there are of each kind, from their headers alone: what the kernel wrote for a second listener has a wrong length of the body."""
    ret = Counter()
    at, size = struct.unpack_from("=QQ", data, 40)
    end = at + size
    while at < end:
        kind, _, size = struct.unpack_from("=IHH", data, at)
        need(size >= 8, "a record of %d bytes at %d", size, at)
        ret[kind] += 1
        at += size
    return ret


def late(f, kinds=None):
    """Records that perf would take too late: it sorts by time, but what is before the last but one FINISHED_ROUND is done."""
    newest = limit = done = count = 0
    for r in f.records:
        if r.kind == FINISHED_ROUND:
            done, limit = limit, newest
        elif r.time:
            newest = max(newest, r.time)
            count += r.time < done and (not kinds or r.kind in kinds)
    return count


class Maps:
    """Where perf finds names: code of KSYMBOL records and, where it reads /proc/kcore, one map of all else in the kernel, in which it finds none."""

    def __init__(self):
        self.starts, self.maps, self.rest = [], {}, []

    def at(self, addr):
        i = bisect.bisect_right(self.starts, addr) - 1
        return self.starts[i] if i >= 0 and addr < self.starts[i] + self.maps[self.starts[i]][0] else None

    def name(self, addr):
        start = self.at(addr)
        return None if start is None else self.maps[start][1]

    def rest_at(self, addr):
        i = bisect.bisect_right(self.rest, (addr, 1 << 65)) - 1
        return i if i >= 0 and addr < self.rest[i][1] else None

    def take_kcore(self):
        """Of what perf knows, it keeps programs; the map is around them."""
        self.maps = {a: m for a, m in self.maps.items() if m[1].startswith("bpf_prog_")}
        self.starts = sorted(self.maps)
        ends = [0] + [a + self.maps[a][0] for a in self.starts]
        self.rest = [(a, b) for a, b in zip(ends, self.starts + [1 << 64]) if a < b]

    def there(self, r):
        if self.at(r.addr) is None and self.rest_at(r.addr) is None:  # perf takes a name from the code that is there, if that was not removed
            bisect.insort(self.starts, r.addr)
            self.maps[r.addr] = r.len, r.name

    def gone(self, r):
        start, rest = self.at(r.addr), self.rest_at(r.addr)
        if start is not None:
            del self.maps[start]
            self.starts.remove(start)
        elif rest is not None:
            del self.rest[rest]


def looks(f, kcore):
    """The sample at which perf first looks at the kernel's own code: "ip": without call chains, "chain": with them; or None."""
    spans = [(r.addr, r.addr + r.len) for r in f.records if r.kind == MMAP and r.pid == -1 and r.name.startswith("[kernel.kallsyms]")]
    for r in sorted((r for r in f.records if r.kind == SAMPLE and r.kernel and kcore), key=lambda r: r.time or 0):
        if any(a <= at < b for a, b in spans for at in [r.ip] + list(r.callers if kcore == "chain" else ())):
            return r
    return None


def named(f, kcore=None):
    """[(sample, name)] of the samples in the kernel: the name of the code of KSYMBOL records that is at the address then, or None. @kcore: as in looks()."""
    maps, ret, first = Maps(), [], looks(f, kcore)
    for r in sorted(f.records, key=lambda r: r.time or 0):
        if r is first:
            maps.take_kcore()
        if r.kind == KSYMBOL and r.flags & 1:
            maps.gone(r)
        elif r.kind == KSYMBOL:
            maps.there(r)
        elif r.kind == SAMPLE and r.kernel:
            ret.append((r, maps.name(r.ip)))
    return ret


def check(path, ours=True):
    """The file, or an exception with what is wrong. @ours: nothing was damaged; programs are checked as perf trusts them."""
    with open(path, "rb") as f:
        d = PerfData(f.read(), ours)
    progs, btfs = d.progs(), d.btfs()
    for p in progs.values() if ours else ():
        check_prog(p)
    for number, data in btfs.items() if ours else ():
        need(struct.unpack_from("=H", data)[0] == 0xeb9f, "BTF %d: %r", number, data[:8])
    d.prog, d.btf = progs, btfs
    return d


if __name__ == "__main__":
    for name in sys.argv[1:]:
        found = check(name, ours=False)
        print("%s: %d records, %s; %d programs, %d BTF; %d late" % (name, len(found.records), dict(Counter(r.kind for r in found.records)), len(found.prog),
                                                                 len(found.btf), late(found)))
        names = Counter(n for s, n in named(found) if n and n.startswith("bpf_prog_"))
        print("\n".join("%6d %s" % (c, n) for n, c in names.most_common(10)))
