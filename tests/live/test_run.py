#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""prog run: data and context in and out, compared with bpftool and the system call; packets of a pcap; expected results."""
import ctypes
import os
import re
import shutil
import struct

from world import BPFLENS, BUILD, Run, World, finish, isolate, ok, skip

isolate()
OBJ = BUILD + "/tests/live/run.bpf.o"
HEADER = bytes(12) + b"\x08\x00"
VERDICTS = ["XDP_ABORTED", "XDP_DROP", "XDP_PASS", "XDP_TX", "XDP_REDIRECT"]


def bare(fd, packet):
    """BPF_PROG_TEST_RUN by system call: the return value and the packet after the run."""
    data, out = ctypes.create_string_buffer(packet, len(packet)), ctypes.create_string_buffer(4096)
    attr = bytearray(struct.pack("<IIIIQQII", fd, 0, len(packet), len(out), ctypes.addressof(data), ctypes.addressof(out), 1, 0).ljust(128, b"\0"))
    buf = (ctypes.c_char * len(attr)).from_buffer(attr)
    if ctypes.CDLL(None).syscall(321, 10, buf, 80):
        return None
    return struct.unpack_from("<II", attr, 4)[0], out.raw[:struct.unpack_from("<I", attr, 12)[0]]


def pcap(path, packets, order="<", nsec=False):
    with open(path, "wb") as f:
        f.write(struct.pack(order + "IHHiIII", 0xa1b23c4d if nsec else 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for i, p in enumerate(packets):
            f.write(struct.pack(order + "IIII", i, 7, len(p), len(p)) + p)


def lens(d, name, *words, **kw):
    return Run([BPFLENS, "prog", "run", "pinned", d + "/" + name, *map(str, words)], timeout=60, **kw)


def one(d, tmp):
    r = lens(d, "lens_xdp", "data", "00:00:00:00:00:00 000000000000 0802", "data_out", "-")
    ok(r.status == 0 and r.text.startswith("0000000\tff00 0000 0000 0000 0000 0000 0802      | ........ ......\nReturn value: 2, duration: ") and
       r.text.endswith("ns  XDP_PASS\n"), "a packet of hexadecimal digits", r)
    r = Run([BPFLENS, "-j", "prog", "run", "pinned", d + "/lens_syscall", "ctx", "ff00000000000000", "ctx_out", "-"])
    ok(r.status == 0 and r.json["ctx_out"] == [0, 1] + [0] * 6 and r.json["retval"] == 7, "a program of type syscall, without data", r)
    ok("ctx" in r.json and r.json["ctx"] == 256 and r.json["ctx_type"] == "long", "its context with the type of its argument", r)
    r = lens(d, "lens_typed", "ctx", "15000000" + "00" * 12, "ctx_out", "-")
    ok(r.status == 0 and r.text.endswith('ns\nstruct lens_args: {\n    "in": 21,\n    "out": 42,\n    "word": "hi"\n}\n'), "its own struct", r)
    r = Run([BPFLENS, "-j", "prog", "run", "pinned", d + "/lens_typed", "ctx", "15000000" + "00" * 12, "ctx_out", tmp + "/ctx"])
    ok(r.status == 0 and "ctx" not in r.json and "ctx_type" not in r.json, "in a file the context is bytes", r)
    r = lens(d, "lens_typed", "ctx", "15000000", "ctx_out", "-")
    ok(r.status == 1 and "has 4 bytes" in r.errors, "a context that is too short", r)
    if os.path.exists("/sys/kernel/btf/vmlinux"):
        r = Run([BPFLENS, "-j", "prog", "run", "pinned", d + "/lens_socket", "data", "00" * 40, "data_out", "-", "ctx_out", "-"])
        ok(r.status == 0 and r.json["ctx_type"] == "struct __sk_buff" and "cb" in r.json["ctx"] and "data" not in r.json,
           "the context of a packet, by the kernel's types", r)
        r = Run([BPFLENS, "-j", "prog", "run", "pinned", d + "/lens_flow", "data", HEADER.hex(), "data_out", "-"])
        ok(r.status == 0 and r.json["data_type"] == "struct bpf_flow_keys" and r.json["data"]["nhoff"] == 14, "and the result of a flow dissector", r)
    r = lens(d, "lens_xdp", "data", "00" * 13 + "01", "expect", "drop")
    ok(r.status == 0, "expect: the returned value", r)
    r = lens(d, "lens_xdp", "data", "00" * 13 + "01", "expect", "PASS")
    ok(r.status == 1 and "returned 1 XDP_DROP, not PASS" in r.errors, "expect: another value", r)
    r = lens(d, "lens_xdp", "data", "00" * 14, "data_out", "/dev/null")
    ok(r.status == 0 and r.text.startswith("Return value: 0"), "data_out to a device", r)
    r = Run(["bash", "-c", '"$0" prog run pinned "$1" data %s data_out >(od -An -tx1) > /dev/null; wait $!' % ("00" * 14), BPFLENS, d + "/lens_xdp"],
            timeout=60)
    ok(r.status == 0, "and to a pipe", r)
    for status, sentence, words in ((2, "odd number of digits", ("data", "123")), (2, "must be hexadecimal", ("data", "xy")), (1, "at least 14 bytes", ()),
                                    (1, "at least 14 bytes", ("data", "0102")), (2, "exclusive", ("data", "00", "pcap_in", "x")),
                                    (3, "failed to open", ("data_in", tmp + "/none")), (2, "neither a number", ("data", "00" * 14, "expect", "accept")),
                                    (2, "standard input for both", ("data_in", "-", "ctx_in", "-")), (2, "as CPU", ("cpu", "x"))):
        r = lens(d, "lens_xdp", *words)
        ok(r.status == status and sentence in r.errors, "refused: " + sentence, r)


def beside(d, tmp):
    tool = shutil.which("bpftool")
    if not tool:
        return skip("bpftool is not installed")
    with open(tmp + "/in", "wb") as f:
        f.write(b"A" * 37)
    for name in ("lens_xdp", "lens_socket"):
        for words in (["data_out", "-"], ["data_out", tmp + "/out"], ["data_out", "-", "repeat", "3"], ["data_out", "-", "data_size_out", "100"]):
            a = lens(d, name, "data_in", tmp + "/in", *words)
            ours = os.path.exists(tmp + "/out") and open(tmp + "/out", "rb").read()
            b = Run([tool, "prog", "run", "pinned", d + "/" + name, "data_in", tmp + "/in"] + words)
            theirs = os.path.exists(tmp + "/out") and open(tmp + "/out", "rb").read()
            same = re.sub(r"[0-9]+ns(  \S+)?", "", a.text) == re.sub(r"[0-9]+ns", "", b.text)
            ok(a.status == b.status == 0 and same and ours == theirs, "same as bpftool: %s %s" % (name, " ".join(words[0::2])), "%s\n%s" % (a, b))
            a = Run([BPFLENS, "-j", "prog", "run", "pinned", d + "/" + name, "data_in", tmp + "/in"] + words).json
            b = Run([tool, "-j", "prog", "run", "pinned", d + "/" + name, "data_in", tmp + "/in"] + words).json
            ok(list(a)[:len(b)] == list(b) and all(a[k] == b[k] for k in b if k != "duration"), "and JSON", (a, b))


def packets(d, tmp):
    sent = [HEADER[:13] + bytes([i % 5]) + bytes(i) for i in range(64)]
    fd = ctypes.CDLL(None).syscall  # a descriptor of the pinned program, by system call
    path = ctypes.create_string_buffer((d + "/lens_xdp").encode())
    attr = bytearray(struct.pack("<QII", ctypes.addressof(path), 0, 0).ljust(128, b"\0"))
    prog = fd(321, 7, (ctypes.c_char * len(attr)).from_buffer(attr), 16)
    want = [bare(prog, p) for p in sent]
    os.close(prog)
    for order, nsec in (("<", False), (">", False), ("<", True)):
        pcap(tmp + "/in.pcap", sent, order, nsec)
        r = Run([BPFLENS, "-j", "prog", "run", "pinned", d + "/lens_xdp", "pcap_in", tmp + "/in.pcap", "pcap_out", tmp + "/out.pcap"])
        if not ok(r.status == 0, "64 packets", r):
            continue
        got = r.json["packets"]
        ok([(p["retval"], p["verdict"], p["length_out"]) for p in got] == [(v, VERDICTS[v], len(left)) for v, left in want],
           "verdicts of BPF_PROG_TEST_RUN", got)
        ok({v["verdict"]: v["packets"] for v in r.json["verdicts"]} == {v: 13 if i < 4 else 12 for i, v in enumerate(VERDICTS)}, "summed up", r)
        pcap(tmp + "/want.pcap", [left for _, left in want], order, nsec)
        ok(open(tmp + "/out.pcap", "rb").read() == open(tmp + "/want.pcap", "rb").read(), "and the packets after the run")
    r = lens(d, "lens_xdp", "pcap_in", tmp + "/in.pcap", "expect", "PASS")
    ok(r.status == 1 and "packet 1" in r.errors, "expect: the packet is named", r)
    pcap(tmp + "/sizes.pcap", [bytes(15 + i % 100) for i in range(300)])
    r = Run([BPFLENS, "-j", "prog", "run", "pinned", d + "/lens_socket", "pcap_in", tmp + "/sizes.pcap"])
    ok(r.status == 0 and len({p["retval"] for p in r.json["packets"]}) == 100 and [v["packets"] for v in r.json["verdicts"]] == [3] * 100,
       "many return values, each with its packets", r)
    with open(tmp + "/in.pcap", "ab") as f:
        f.write(b"12345")
    r = lens(d, "lens_xdp", "pcap_in", tmp + "/in.pcap")
    ok(r.status == 1 and "ends within a packet" in r.errors, "a truncated file", r)
    r = Run([BPFLENS, "-j", "prog", "run", "pinned", d + "/lens_xdp", "pcap_in", tmp + "/in.pcap"])
    ok(r.status == 1 and len(r.json["packets"]) == 64, "the packets before are shown, as JSON", r)
    for bad, sentence in ((b"\x0a\x0d\x0d\x0a" + bytes(40), "pcapng"), (b"", "too short"), (b"x" * 50, "not a pcap file")):
        with open(tmp + "/bad", "wb") as f:
            f.write(bad)
        r = lens(d, "lens_xdp", "pcap_in", tmp + "/bad")
        ok(r.status == 1 and sentence in r.errors, "refused: " + sentence, r)


with World() as w:
    tmp = w.dir + "/tmp"
    os.mkdir(tmp)
    made = Run([BPFLENS, "prog", "loadall", OBJ, w.pins + "/run"])
    if ok(made.status == 0, "loaded", made):
        for part in (one, beside, packets):
            part(w.pins + "/run", tmp)
finish()
