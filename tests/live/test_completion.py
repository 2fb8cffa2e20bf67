#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Completion: what __complete answers, and that bash, zsh and fish pass it on."""
import os
import shutil
import subprocess

from world import World, finish, isolate, ok, skip

isolate()
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def words(r):
    return [line.split("\t")[0] for line in r.text.splitlines()]


def answers(w):
    xdp = w.one("prog", "l_xdp")
    cases = [
        ([""], ["prog", "map", "link", "btf", "batch", "version", "help", "pin", "save"]), (["pr"], ["prog"]),
        (["prog", ""], ["show", "list", "dump", "pin", "unpin"]), (["prog", "show", ""], ["id", "name", "tag", "pinned"]),
        (["prog", "show", "id", ""], [str(xdp["id"])]), (["prog", "show", "name", "l_x"], ["l_xdp"]),
        (["prog", "dump", ""], ["xlated", "jited"]),
        (["prog", "dump", "xlated", "id", str(xdp["id"]), ""], ["opcodes", "linum", "file", "visual"]),
        (["map", "dump", "name", "h_4"], ["h_4_4"]), (["link", "show", "id", ""], [str(w.of("link")[0]["id"])]),
        (["prog", "list", "--"], ["--sort"]), (["prog", "list", "--sort", "na"], ["name"]), (["--"], ["--json", "--from"]),
        (["-j", "prog", "show", "id", ""], [str(xdp["id"])]), (["btf", "layout", "sk_bu"], ["sk_buff", "sk_buff_head"]),
    ]
    for typed, want in cases:
        r = w.run("__complete", *typed)
        got = words(r)
        shown = " ".join(repr(t) for t in typed)
        ok(r.status == 0 and set(want) <= set(got), "__complete " + shown, "wanted %s\n%s" % (want, r))
        last = typed[-1]
        ok(all(g.startswith(last) for g in got), "every answer begins with what was typed: " + shown, got[:20])
    r = w.run("__complete", "prog", "show", "id", "")
    line = next((x for x in r.text.splitlines() if x.startswith("%d\t" % xdp["id"])), "")
    ok("xdp" in line and "l_xdp" in line, "an id has a description", line)
    path = w.dir + "/c.tar.gz"
    w.run("save", path)
    r = w.run("__complete", "--from", path, "prog", "show", "id", "")
    ok(str(xdp["id"]) in words(r), "from an archive", r)


def shells(w):
    env = dict(os.environ, PATH=w.dir + ":" + os.environ["PATH"], HOME=w.dir, TERM="dumb")
    ident = str(w.one("prog", "l_xdp")["id"])
    bash = """
source "$1"
COMP_WORDS=(bpflens prog show id "") COMP_CWORD=4 COMP_LINE="bpflens prog show id " COMP_POINT=21 COMP_TYPE=9
spec=$(complete -p bpflens) || exit 1
fn=$(sed -n 's/.*-F \\([^ ]*\\).*/\\1/p' <<< "$spec")
"$fn" bpflens "" id
printf '%s\\n' "${COMPREPLY[@]}"
"""
    fish = 'source $argv[1]; complete -C "bpflens prog show id "'
    zsh = """
autoload -Uz compinit; compinit -u -D
compdef() { :; }
_describe() { local -a l; l=("${(@P)@[-1]}"); print -rl -- $l }
compadd() { print -rl -- "$@" }
_files() { :; }
words=(bpflens prog show id "") CURRENT=5 PREFIX=
source $1
(( $+functions[_bpflens] )) && _bpflens "$@"
"""
    for shell, script, argv in (
            ("bash", "bash-completion/bpflens", ["bash", "--norc", "-c", bash, "sh"]),
            ("fish", "bash-completion/bpflens.fish", ["fish", "--no-config", "-c", fish]),
            ("zsh", "bash-completion/_bpflens", ["zsh", "-f", "-c", zsh, "zsh"])):
        if not shutil.which(shell):
            skip(shell + " is not installed")
            continue
        p = subprocess.run(argv + [os.path.join(ROOT, script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        out = p.stdout.decode("utf-8", "replace")
        ok(any(line.split("\t")[0].split(":")[0].strip() == ident for line in out.splitlines()),
           shell + " offers a program's id", "%s\n%s" % (out[:500], p.stderr.decode()[:500]))


with World() as w:
    w.make()
    for test in (answers, shells):
        try:
            test(w)
        except Exception as e:
            ok(False, test.__name__, repr(e))
finish()
