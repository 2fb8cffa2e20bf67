# SPDX-License-Identifier: BSD-2-Clause
"""Shared by the comparisons with the distribution's bpftool: the allowed differences of dumps, each with its reason."""
import os
import re

from world import Run


def version():
    """Version of the installed bpftool; the oldest one that the tests support is 7.1."""
    m = re.search(r"v(\d+)\.(\d+)", Run(["bpftool", "version"]).text)
    return (int(m.group(1)), int(m.group(2))) if m else (7, 1)


VERSION = version()
NEWER = VERSION > (7, 1)


def placed(w):
    """The words that run bpflens as bpftool, which prints less in plain code."""
    path = w.dir + "/place/bpftool"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        os.symlink(w.lens, path)
    except FileExistsError:
        pass
    return path


def as_theirs(text, edits):
    """The text of bpflens as an older bpftool would write it: rows of (since which version, pattern, new, reason)."""
    for since, pattern, new, _ in edits:
        if VERSION < since:
            text = re.sub(pattern, new, text)
    return text


NEVER = (99, 0)  # in place of a version: the row holds for all known versions


def edit(text, edits):
    """bpftool's text with the rows (before which version, pattern, new, reason) that hold for it."""
    for before, pattern, new, _ in edits:
        if VERSION < before:
            text = re.sub(pattern, new, text, flags=re.M)
    return text


PERCPU = ((7, 5), r"\(bf\) (r\d) = \1$", r"(bf) \1 = &(void __percpu *)(\1)", "newer bpftool names the per-CPU move that the verifier makes")
# What is changed in both graphs of a program's control flow before they are compared.
VISUAL_EDITS = [
    (r'(label="\{)\\\n', r"\1", "newer bpftool begins a block with a line of its own"),
    (r"(call pc[+-]\d+(?:#\w+)?)(?=\| )", r"\1\\l\\\n", "newer bpftool forgets the end of the row of a call"),
    (r"^( ?\| +)?; .*\\l\\\n", r"\1", "source: bpftool 7.1 has none; newer ones show that of another function"),
    (r'(label="\{); .*\\l\\\n', r"\1", "the same in the first row of a block"),
    (r'(label="\{) +', r"\1", "newer bpftool has fewer blanks"),
    (r"^ ?\| +", "| ", "the same between rows"),
    (r"\(bf\) (r\d) = \1(?=\\l\\$)", r"(bf) \1 = \\&(void __percpu *)(\1)", PERCPU[3]),
    (r"(call pc[+-]\d+)#\w+", r"\1", "we name the function that is called"),
    (r'^\tlabel=".*";$', '\tlabel=""', "our title is the function, bpftool's a number"),
    (r"^\t(node|edge|graph) \[.*\];\n", "", "our letters have one width, and our colours are not black on grey"),
    (r'^\tcolor="#808080";$', '\tcolor="black";', "the same"),
    (r'color="#\w+", fontcolor="#\w+", label="(taken|else)",', "color=black,", "our edges say when control goes there"),
]


def flow(text):
    """
    A graph without the edges of blocks that end in exit: bpftool draws them to the next block, which is never reached from there.
    And without duplicates: a call at the end of a block is drawn as a jump of 0 instructions, in addition to the edge to the next block.
    """
    for pattern, new, _ in VISUAL_EDITS:
        while re.search(pattern, text, flags=re.M) and re.sub(pattern, new, text, flags=re.M) != text:
            text = re.sub(pattern, new, text, flags=re.M)
    last = dict(re.findall(r'^\t(fn_\d+_bb_\d+) \[shape=record.*?(\(\w\w\) [\w*]+)[^\n]*\\l\\\n\}"\];', text, flags=re.M | re.S))
    ret, before = [], None
    for line in text.splitlines():
        end = last.get(line.strip().split(":s ->")[0])
        if end != "(95) exit" and not (end == "(85) call" and line == before):
            ret.append(line)
        before = line
    return ret


def few_symbols(w):
    """bpftool reads all of /proc/kallsyms for each command, in small pieces: give both the part that counts."""
    path = w.dir + "/kallsyms"
    with open("/proc/kallsyms") as f, open(path, "w") as out:
        out.writelines(line for line in f if re.search(r" (_*bpf_|btf_|\w*_map_)", line))
    Run(["mount", "--bind", path, "/proc/kallsyms"])
