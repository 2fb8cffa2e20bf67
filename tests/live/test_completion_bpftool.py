#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The words that bpftool's completion offers are also offered by bpflens, in bash, zsh and fish. bpftool's script is run, not read."""
import json
import os
import re
import shutil
import subprocess
import sys

from world import BUILD, World, finish, isolate, ok, skip

isolate(alone="its names are looked up on the whole machine")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
THEIRS = "/usr/share/bash-completion/completions/bpftool"

GONE = {"--legacy"}  # options that newer versions of bpftool do not have

# The functions of bash-completion that the script needs. Files are completed by the shell.
BASH = """
_init_completion() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}; split=false; }
_get_comp_words_by_ref() { _init_completion; }
_filedir() { :; }
compopt() { :; }
source "$1"; shift
fn=$(complete -p "$1" | sed -n 's/.*-F \\([^ ]*\\).*/\\1/p')
while IFS= read -r line; do
	eval "COMP_WORDS=($line)"
	[[ $line == *' ' ]] && COMP_WORDS+=("")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$line COMP_POINT=${#line} COMP_TYPE=9 COMP_KEY=9 COMPREPLY=()
	"$fn" "${COMP_WORDS[0]}" "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
	printf '%s\\n' "${COMPREPLY[@]}" ==
done
"""
ZSH = """
compdef() { :; }
_describe() { local -a l; l=("${(@P)@[-1]}"); print -rl -- $l }
_files() { :; }
compset() { :; }
typeset -A compstate
while IFS= read -r line; do
	words=("${(@z)line}")
	[[ $line == *' ' ]] && words+=("")
	CURRENT=$#words PREFIX=$words[-1]
	source $1
	print -r -- '=='
done
"""
FISH = """
source $argv[1]
while read -l line
	complete -C "$line"
	echo ==
end
"""

# {P} id of a program, {X} an XDP program's name, {M} id of a hash, {N} its name, {A} of an array of programs, {Q} of a queue, {I} of a map of maps.
LINES = """
-
--
prog
map
link
btf
cgroup
net
perf
gen
iter
feature
struct_ops
prog show
prog show id
prog show name
prog show tag
prog dump
prog dump xlated
prog dump xlated id {P}
prog dump jited id {P}
prog dump xlated name {X}
prog dump xlated name
prog pin
prog pin name
prog load {F} /sys/fs/bpf/x
prog load {F} /sys/fs/bpf/x type
prog load {F} /sys/fs/bpf/x type cgroup/
prog load {F} /sys/fs/bpf/x map
prog load {F} /sys/fs/bpf/x map name
prog load {F} /sys/fs/bpf/x map idx 0
prog load {F} /sys/fs/bpf/x dev
prog loadall {F} /sys/fs/bpf/x
prog attach
prog attach id {P}
prog attach id {P} sk_skb_verdict
prog detach id {P}
prog run
prog run id {P}
prog run id {P} data_in /etc/hosts
prog run id {P} repeat
prog profile
prog profile id {P}
prog profile id {P} duration 1
prog tracelog
map show
map show id
map show name
map create /sys/fs/bpf/x
map create /sys/fs/bpf/x type
map create /sys/fs/bpf/x type hash
map create /sys/fs/bpf/x type hash_of_maps key 4
map create /sys/fs/bpf/x type hash dev
map create /sys/fs/bpf/x type hash_of_maps inner_map
map dump
map dump name
map update
map update name
map update name {N}
map update name {N} key
map update name {N} key hex
map update name {N} key 0 0 0 0
map update name {N} key 0 0 0 0 value
map update name {N} key 0 0 0 0 value 0 0 0 0
map update name {A} key 0 0 0 0 value
map update name {I} key 0 0 0 0 value
map update name {A} key 0 0 0 0 value id
map lookup name {N}
map lookup name {N} key
map getnext name {N}
map getnext name {N} key
map delete name {N}
map delete name {N} key
map push name {Q}
map push name {Q} value
map enqueue
map pop
map pop name
map dequeue name
map peek name
map pin id
map event_pipe
map freeze
map freeze name
link show
link show id
link pin
link pin id
link detach
link detach id
btf show
btf show id
btf dump
btf dump id
btf dump map id {M}
btf dump prog id {P}
btf dump id 1
btf dump id 1 format
btf dump map name
btf dump file /sys/kernel/btf/vmlinux
gen skeleton {F}
gen object
cgroup show /sys/fs/cgroup
cgroup attach /sys/fs/cgroup
cgroup attach /sys/fs/cgroup cgroup_device
cgroup attach /sys/fs/cgroup cgroup_device id
cgroup attach /sys/fs/cgroup cgroup_device id {P}
cgroup detach /sys/fs/cgroup
cgroup detach /sys/fs/cgroup cgroup_device
net show
net show dev
net attach
net attach xdp
net attach xdp id
net attach xdp id {P}
net attach xdp id {P} dev
net attach xdp id {P} dev lo
net detach
net detach xdp
net detach xdp dev
feature probe
feature probe kernel
feature probe dev
feature probe full
feature list_builtins
struct_ops show
struct_ops dump
struct_ops unregister
struct_ops show name
iter pin {F} /sys/fs/bpf/x
iter pin {F} /sys/fs/bpf/x map
batch
"""


# Lines at which a new user missed words, or was offered wrong ones: the line, words that must be offered, words that must not.
OURS = [
    ("ls ", {"eth0", "net", "cgroup"}, {"/sys/fs/bpf"}),
    ("addr ", {"bpf_prog_52392946f6700230_fw_count"}, {"/sys/fs/bpf"}),
    ("addr bpf_prog_a", {"bpf_prog_a78850647c127eb8_fw_police"}, set()),
    ("cgroup show ", {"/sys/fs/cgroup", "effective"}, {"README.md"}),
    ("cgroup show web", {"web.service"}, {"README.md"}),
    ("cgroup attach /sys/fs/cgroup/", {"/sys/fs/cgroup/web.slice"}, {"README.md"}),
    ("detach eth0 ", {"xdpgeneric", "tcx_ingress"}, {"tcx_egress", "cgroup_inet_egress", "netfilter"}),
    ("attach fw_count to eth0 ", {"xdp", "xdpdrv"}, {"tcx_ingress", "cgroup_inet_egress"}),
    ("attach fw_quota to web.service ", {"cgroup_inet_ingress", "cgroup_inet_egress"}, {"xdp"}),
    ("map dump fw_flows -Q ", {"packets", "saddr"}, set()),
    ("map dump fw_flows --sort ", {"bytes", "saddr"}, set()),
    ("map dump fw_flows --sort -", {"-bytes"}, set()),
    ("map dump fw_flows --format ", {"saddr="}, set()),
    ("map dump fw_flows -o ", {"packets", "saddr"}, set()),
    ("map histogram fw_flows member ", {"bytes"}, set()),
    ("map update fw_flows ", {"key", "value"}, {"any"}),
    ("map update fw_flows key ", {"saddr=", "hex"}, {"packets="}),
    ("map update fw_flows key saddr=10.9.0.1 value ", {"packets=", "hex"}, {"saddr="}),
    ("map update fw_flows key saddr=10.9.0.1 value packets=1 ", {"bytes=", "any", "exist", "noexist"}, {"saddr=", "value"}),
    ("map update fw_jumps key 1 value ", {"id", "name", "pinned", "tag", "fw_count"}, set()),
    ("map lookup fw_flows ", {"key"}, {"value"}),
    ("map create F type ", {"hash", "lpm_trie", "ringbuf"}, set()),
    ("prog list -Q ", {"run_cnt", "where", "owner"}, set()),
    ("prog list -o ", {"run_cnt", "where", "owner"}, set()),
    ("ls -o +", {"+uid", "+run_cnt", "+tag"}, set()),
    ("prog list --sort -", {"-run_cnt"}, set()),
    ("map show name .", {".rodata.cst16"}, set()),
]


def answers(argv, name, lines, env):
    """For each line, the candidates for its last word."""
    typed = "".join("%s %s\n" % (name, line) for line in lines)
    p = subprocess.run(argv, input=typed, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, timeout=300, universal_newlines=True)
    parts = p.stdout.split("==\n")[:-1]
    ok(len(parts) == len(lines), "%s answers for every line" % argv[0], "%d of %d\n%s" % (len(parts), len(lines), p.stderr[:500]))
    return [{re.split("[\t:]", w.replace("\\", ""))[0].strip() for w in part.splitlines()} - {""} for part in parts]


def missed(shell, argv, env):
    env = dict(env, BPFLENS_FROM=ROOT + "/tests/archives/tasks.tar.gz")
    got = answers([shell] + argv, "bpflens", [line for line, _, _ in OURS], env)
    for (line, want, unwanted), offered in zip(OURS, got):
        ok(want <= offered and not unwanted & offered, "%s: bpflens %s<TAB>" % (shell, line),
           "not offered: %s\noffered: %s" % (" ".join(sorted(want - offered)), " ".join(sorted(offered))[:300]))


def main(w):
    names = {"P": w.of("prog")[0]["id"], "X": "l_xdp", "N": "h_4_4", "M": w.one("map", "h_4_4")["id"], "F": BUILD + "/tests/live/load.bpf.o"}
    for key, kind in (("A", "prog_array"), ("Q", "queue"), ("I", "hash_of_maps")):
        names[key] = next(m["name"] for m in w.of("map") if m["type"] == kind)
    lines = [line.format(**names) + ("" if line.startswith("-") else " ") for line in LINES.split("\n")[1:-1]]
    env = dict(os.environ, PATH=w.dir + ":" + os.environ["PATH"], HOME=w.dir, TERM="dumb", LC_ALL="C.UTF-8")
    bpftool = ["bash", "--norc", "-c", BASH, "sh", THEIRS, "bpftool"]
    theirs = answers(bpftool, "bpftool", lines, env)
    devices = {d["ifname"] for d in json.loads(subprocess.check_output(["ip", "-j", "link"]))}
    known = [i for i in range(len(lines)) if theirs[i]]
    ok(len(known) >= 60, "bpftool's script offers words at 60 positions or more", "%d" % len(known))
    shells, ours = [], []
    for shell, argv in (("bash", ["--norc", "-c", BASH, "sh", ROOT + "/bash-completion/bpflens", "bpflens"]),
                        ("zsh", ["-f", "-c", ZSH, "zsh", ROOT + "/bash-completion/_bpflens"]),
                        ("fish", ["--no-config", "-c", FISH, ROOT + "/bash-completion/bpflens.fish"])):
        if shutil.which(shell):
            shells.append(shell)
            ours.append(answers([shell] + argv, "bpflens", lines, env))
            missed(shell, argv, env)
        else:
            skip(shell + " is not installed")
    # Objects of other processes come and go.
    again = answers(bpftool, "bpftool", lines, env)
    for i in known:
        # bpftool reads /sys, which belongs to another network namespace here.
        wanted = theirs[i] & again[i] & devices if lines[i].endswith("dev ") else (theirs[i] & again[i]) - GONE
        for shell, offered in zip(shells, ours):
            hidden = {word for word in wanted if shell == "fish" and word.startswith(".")}  # fish offers these after a typed dot only
            missing = wanted - hidden - offered[i]
            ok(not missing, "%s: %s<TAB>" % (shell, lines[i]), "not offered: %s\noffered: %s" % (" ".join(sorted(missing)), " ".join(sorted(offered[i]))[:200]))


if not os.path.exists(THEIRS) or not shutil.which("bpftool"):
    skip("bpftool's completion is not installed")
    sys.exit(77)
with World() as w:
    w.make()
    main(w)
finish()
