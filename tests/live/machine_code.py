# SPDX-License-Identifier: BSD-2-Clause
"""prog dump jited compared with objdump of the raw image: the same instructions at the same offsets."""
import os
import re
import shutil

from world import Run

MACHINES = {"x86_64": "i386:x86-64", "aarch64": "aarch64", "riscv64": "riscv:rv64", "s390x": "s390:64-bit"}


def unavailable():
    """The reason why the comparison is not possible here, or None."""
    if not shutil.which("objdump"):
        return "it is not installed"
    return None if os.uname().machine in MACHINES else "this machine is not in the table"


def symbols():
    """{(address, name)} of the programs' functions."""
    with open("/proc/kallsyms") as f:
        return {(int(line.split()[0], 16), line.split()[2]) for line in f if " bpf_prog_" in line}


def rows(text):
    """[(offset, text of the instruction)]; addresses are compared, but not the text that objdump and bpflens write around them."""
    ret = []
    for m in re.finditer(r"^ *([0-9a-f]+):\t(.*)$", text, re.M):
        words = re.sub(r"<[^>]*>", "", m.group(2))
        words = re.sub(r"(?<![\w$])(?:0x)?([0-9a-f]{6,16})\b(?!\()", r"\1", words)
        ret.append((int(m.group(1), 16), " ".join(words.split())))
    return ret


def differences(plain, docs, raw, kallsyms):
    """Differences between the dump of a program (plain text; JSON with opcodes) and objdump of the file @raw."""
    ours = [rows(block) for block in plain.split("\n\n") if rows(block)]
    start, bad = 0, []
    for doc in docs:
        size = sum(len(i["opcodes"]) for i in doc["insns"])
        base = int(doc["start"], 16)
        if (base, doc["name"]) not in kallsyms:
            bad.append("%#x is not %s" % (base, doc["name"]))
        theirs = Run(["objdump", "-D", "-b", "binary", "-m", MACHINES[os.uname().machine], "--no-show-raw-insn",
                      "--adjust-vma=%#x" % (base - start & (1 << 64) - 1), "--start-address=%#x" % base,
                      "--stop-address=%#x" % (base + size), raw])
        them = [(at - base, text) for at, text in rows(theirs.text)]
        us = ours.pop(0) if ours else []
        bad += ["theirs %r, ours %r" % (a, b) for a, b in zip(them, us) if a != b]
        if len(them) != len(us) or not us:
            bad.append("%s: %d instructions, ours %d\n%s" % (doc["name"], len(them), len(us), theirs))
        start += size
    if start != os.path.getsize(raw) or ours:
        bad.append("%d bytes shown of %d, %d functions too many" % (start, os.path.getsize(raw), len(ours)))
    return bad
