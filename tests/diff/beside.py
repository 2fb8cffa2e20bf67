# SPDX-License-Identifier: BSD-2-Clause
"""What the comparisons with the distribution's bpftool share: the differences of dumps that are allowed, each with its reason."""
import re

from world import Run

PERCPU = (r"\(bf\) (r\d) = \1$", r"(bf) \1 = &(void __percpu *)(\1)", "newer bpftool names the per-CPU move that the verifier makes")
# What is changed in both graphs of a program's control flow before they are compared.
VISUAL_EDITS = [
    (r"^( \| )?; .*\\l\\\n", r"\1", "source: bpftool of this age has none; newer ones show that of another function"),
    (r'(label="\{); .*\\l\\\n', r"\1", "the same in the first row of a block"),
    (r"\(bf\) (r\d) = \1(?=\\l\\$)", r"(bf) \1 = \\&(void __percpu *)(\1)", PERCPU[2]),
    (r"(call pc[+-]\d+)#\w+", r"\1", "we name the function that is called"),
]


def flow(text):
    """
    A graph without the edges of blocks that end in exit: bpftool draws those to the block behind, control never goes there.
    And without twins: a call at the end of a block is a jump of 0 instructions to it, besides the way to the next block.
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
