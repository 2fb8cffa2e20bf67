#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A machine of the other byte order gives the same output. Archives: the handmade ones (tests/tools/mkarchives.py)
are written in big-endian byte order, and the golden tests that read them pass. Object files: clang compiles the
same source for both, and the verbs of `object` print the same."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

LENS = os.environ["BPFLENS"]
TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
BYTE = r"(?:0x)?[0-9a-f]{2}"
# These show memory as bytes, all of them 4-byte numbers in the machine's byte order.
MEMORY = re.compile("^(contents-.*|diff|diff-json|diff-filter|lying-map-dump-.*|newer-map-dump)$")
NUMBER = re.compile(r'(?<![0-9a-f])(%s)("," | |",")(%s)\2(%s)\2(%s)(?![0-9a-f])' % ((BYTE,) * 4))
# These show instructions: a code, both registers, a 2-byte offset, a 4-byte number.
CODE = re.compile("^(jited-interleave|jited-visual|newer-dump)$")
INSN = re.compile(r"^(\s+|(?:\\ )+)(%s) (.)(.) (%s) (%s) (%s) (%s) (%s) (%s)(?=$|\\)" % ((BYTE,) * 7), re.M)


def turned(name, text):
    """The output of a golden test, for a machine of the other byte order."""
    if MEMORY.match(name):
        return NUMBER.sub(lambda m: m[2].join((m[5], m[4], m[3], m[1])), text)
    return INSN.sub(lambda m: m[1] + " ".join((m[2], m[4] + m[3], m[6], m[5], m[10], m[9], m[8], m[7])), text)


def link_all(source, target, but=()):
    os.mkdir(target)
    for name in os.listdir(source):
        if name not in but:
            os.symlink(os.path.abspath(os.path.join(source, name)), os.path.join(target, name))


def goldens(made):
    """Names of golden tests that read one of these archives, and no other file of this byte order."""
    ret = []
    for name in sorted(os.listdir(os.path.join(TESTS, "golden"))):
        needs = os.path.join(TESTS, "golden", name, "needs")
        if os.path.exists(needs) and "little-endian" in open(needs).read():
            continue
        with open(os.path.join(TESTS, "golden", name, "cmd")) as f:
            if set(re.findall(r"archives/([\w.-]+)", f.read())) & made:
                ret.append(name)
    return ret


def golden_turned(name, top):
    """A copy of a golden test, with the bytes in its output swapped."""
    source, target = os.path.join(TESTS, "golden", name), os.path.join(top, "golden", name)
    os.unlink(target)
    os.mkdir(target)
    for part in os.listdir(source):
        with open(os.path.join(source, part)) as f, open(os.path.join(target, part), "w") as out:
            out.write(turned(name, f.read()) if part == "stdout" else f.read())


def made_for(target, name, tmp):
    """An object file of tests/live; None: it cannot be compiled."""
    clang = shutil.which("clang")
    if not clang or "bpfeb" not in subprocess.run([clang, "--print-targets"], capture_output=True, text=True).stdout:
        return None
    ret = os.path.join(tmp, target, name + ".o")
    os.makedirs(os.path.dirname(ret), exist_ok=True)
    subprocess.run([clang, "-target", target, "-O2", "-g", "-ffreestanding", "-idirafter", "/usr/include/%s-linux-gnu" % os.uname().machine,
                    "-c", os.path.join(TESTS, "live", name + ".bpf.c"), "-o", ret], check=True)
    return ret


ALL = ("show", "programs", "maps", "variables", "sections", "externs", "relocations", "dump")
# The code of the first one differs: it reads a bit field.
OBJECTS = {"object": ("maps", "variables", "externs"), "maps": ALL, "ops": ALL}


def objects(tmp):
    for name, verbs in OBJECTS.items():
        pair = [made_for(target, name, tmp) for target in ("bpfel", "bpfeb")]
        if None in pair:
            print("SKIP: no clang for bpfeb: object files are not compared")
            return 0
        for verb in verbs:
            said = [subprocess.run([LENS, "object", verb, os.path.basename(f)], cwd=os.path.dirname(f), capture_output=True, text=True)
                    for f in pair]
            if said[0].stdout != said[1].stdout or said[0].returncode != said[1].returncode:
                print("FAILED: object %s of %s\n%s\n-- bpfeb:\n%s%s" % (verb, name, said[0].stdout, said[1].stdout, said[1].stderr))
                return 1
    return 0


def main():
    with tempfile.TemporaryDirectory() as tmp:
        big, top = os.path.join(tmp, "big"), os.path.join(tmp, "tests")
        os.mkdir(big)
        subprocess.run([sys.executable, os.path.join(TESTS, "tools", "mkarchives.py"), big, "--big"], check=True)
        made = set(os.listdir(big))
        link_all(TESTS, top, ("archives", "golden"))
        link_all(os.path.join(TESTS, "archives"), os.path.join(top, "archives"), made)
        link_all(os.path.join(TESTS, "golden"), os.path.join(top, "golden"))
        for name in made:
            os.rename(os.path.join(big, name), os.path.join(top, "archives", name))
        names = goldens(made)
        for name in names:
            if MEMORY.match(name) or CODE.match(name):
                golden_turned(name, top)
        if len(names) < 300:
            sys.exit("only %d golden tests read such an archive" % len(names))
        failed = subprocess.run([os.path.join(top, "tools", "run-golden"), *names]).returncode
        sys.exit(failed or objects(tmp))


if __name__ == "__main__":
    main()
