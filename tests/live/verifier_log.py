# SPDX-License-Identifier: BSD-2-Clause
"""The kernel has its own disassembler: the verifier's log, at level 2, has each instruction that it visits. This
compares its text with that of bpflens for the same bytes, which bpflens reads from an archive."""
import glob
import io
import re
import struct
import tarfile

INFO = "<II8sII208x"  # struct bpf_prog_info: type, id, tag, jited_prog_len, xlated_prog_len


def walked(insns, log):
    """Return {bytes of an instruction: the kernel's text} of instructions that can be compared."""
    ret = {}
    for m in re.finditer(r"^(\d+): (\([0-9a-f]{2}\) .*?) *(?:;.*)?$", log, re.M):
        at = int(m.group(1)) * 8
        code, regs, off, imm = struct.unpack_from("<BBhi", insns, at)
        if code == 0x18 and regs >> 4:
            continue  # the log has the address of a map or variable, an image has its id
        if code == 0x85 and regs >> 4 == 2:
            continue  # the log takes the name of a kernel function from BTF, an image has its address
        data = insns[at:at + (16 if code == 0x18 else 8)]
        if code == 0x85 and regs >> 4 == 1:
            data = struct.pack("<BBhi", code, regs, imm, 0)  # an image has the distance to a function here
        ret[data] = m.group(2)
    return ret


def differences(w, pairs):
    """Return [(kernel's text, bpflens's text)] where they differ."""
    image, path = b"".join(pairs), w.dir + "/insns.tar"
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as t:
        for name, data in (("meta", b"bpflens 0.1.0\nendian little\ncpus 1\n"), ("prog/ids", struct.pack("<I", 1)),
                           ("prog/1/info", struct.pack(INFO, 1, 1, b"\1" * 8, 0, len(image))), ("prog/1/xlated", image)):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            t.addfile(member, io.BytesIO(data))
    r = w.run("--from", path, "prog", "dump", "xlated", "id", 1)
    ours = [line.split(": ", 1)[1] for line in r.text.splitlines()]
    theirs = list(pairs.values())
    if len(ours) != len(theirs):
        return [("%d instructions" % len(theirs), "%d: %s" % (len(ours), r))]
    return [(a, b) for a, b in zip(theirs, ours) if a != b]


def kept(logs):
    """walked() of all programs that mkobj wrote to a directory."""
    ret = {}
    for path in glob.glob(logs + "/*.insns"):
        with open(path, "rb") as insns, open(path[:-5] + "log", errors="replace") as log:
            ret.update(walked(insns.read(), log.read()))
    return ret
