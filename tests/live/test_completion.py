#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Completion: the answers of __complete, and their use by bash, zsh and fish."""
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from world import BPFLENS, BUILD, World, finish, isolate, ok, skip

isolate()
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def words(r):
    return [line.split("\t")[0] for line in r.text.splitlines()]


def answers(w):
    xdp = w.one("prog", "l_xdp")
    obj, iters = BUILD + "/tests/live/load.bpf.o", BUILD + "/tests/live/iters.bpf.o"
    cases = [
        ([""], ["prog", "map", "link", "btf", "batch", "version", "help", "pin", "save"]), (["pr"], ["prog"]),
        (["prog", ""], ["show", "list", "dump", "pin", "unpin"]), (["prog", "show", ""], ["id", "name", "tag", "pinned"]),
        (["prog", "show", "id", ""], [str(xdp["id"])]), (["prog", "show", "name", "l_x"], ["l_xdp"]),
        (["prog", "dump", ""], ["xlated", "jited"]),
        (["prog", "dump", "xlated", "id", str(xdp["id"]), ""], ["opcodes", "linum", "file", "visual"]),
        (["map", "dump", "name", "h_4"], ["h_4_4"]), (["link", "show", "id", ""], [str(w.of("link")[0]["id"])]),
        (["prog", "list", "--"], ["--sort"]), (["prog", "list", "--sort", "na"], ["name"]), (["--"], ["--json", "--from"]),
        (["-j", "prog", "show", "id", ""], [str(xdp["id"])]), (["btf", "layout", "sk_bu"], ["sk_buff", "sk_buff_head"]),
        (["prog", "load", obj, "/x", "only", ""], ["lens_count", "lens_getpid"]), (["-L", "prog", "load", obj, "/x", "only", "lens_r"], ["lens_rtp"]),
        (["prog", "loadall", obj, "/x", "set", ""], ["lens_debug=", "lens_hits="]), (["prog", "load", obj, "/x", "set", "lens_debug=1", ""], ["lens_limits=", "set"]),
        (["prog", "load", obj, "/x", "resize", "lens"], ["lens_flows="]), (["prog", "load", obj, "/x", "map", "name", ""], ["lens_flows", "load.bss"]),
        (["prog", "load", obj, "/x", "map", "name", "lens_flows", ""], ["id", "pinned"]), (["iter", "pin", iters, "/x", "name", "say_t"], ["say_tasks", "say_tcp"]),
        (["gen", "object", "out.o", ":"], [":files"]), (["gen", "min_core_btf", "a", "b", ":"], [":files"]),
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


def places(w):
    """Only places where the program can run, and only hooks that can run it there."""
    def to(prog, *typed):
        return set(words(w.run("__complete", "attach", *w.by_id("prog", prog), "to", *typed)))
    os.makedirs("/run/netns", exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run/netns"], check=True)  # only we see it
    subprocess.run(["ip", "netns", "add", "lensns"], check=True)
    try:
        xdp = to("l_xdp", "")
        ok("lo" in xdp and not {x for x in xdp if "/" in x or "sched:" in x}, "devices for an XDP program", xdp)
        ok("lensns:lo" in to("l_xdp", "lens"), "devices of a namespace, after its name and a colon")
        ok(to("l_xdp", "lo", "") == {"xdp", "xdpgeneric", "xdpdrv", "xdpoffload"}, "hooks of a device for an XDP program")
        tc = to("l_tc", "lo", "")
        ok({"tcx_ingress", "tc_egress"} <= tc and not [x for x in tc if x.startswith("xdp")], "hooks of a device for a tc program", tc)
        where = to("l_sk_lookup", "")
        ok("netns" in where and "lo" not in where, "a network namespace for sk_lookup", where)
        if w.cgroup:
            ok(to("l_cg_egress", w.cgroup[:-3]) == {w.cgroup}, "a cgroup for its programs")
            ok(to("l_cg_egress", w.cgroup, "") <= {"cgroup_inet_ingress", "cgroup_inet_egress"}, "hooks of a cgroup for its programs")
        if os.path.exists("/sys/kernel/tracing/events/sched"):
            ok("sched:sched_switch" in to("l_tracepoint", "sched:"), "tracepoints")
            raw = to("l_raw_tp", "s")
            ok("sched_switch" in raw and "sys_enter" in raw and "sys_enter_openat" not in raw, "raw tracepoints", sorted(raw)[:20])
        if os.path.exists("/sys/kernel/btf/vmlinux"):
            ok("do_sys_openat2" in to("l_kprobe", "do_sys_op"), "functions of the kernel")
        ok("kprobe" in to("l_kprobe", "do_sys_openat2", "") and
           "tracepoint" not in to("l_kprobe", "do_sys_openat2", ""), "hooks of a function")
    finally:
        subprocess.run(["ip", "netns", "del", "lensns"])


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


class Terminal:
    """A shell with the completion, in which `bpflens` only records its arguments."""

    def __init__(self, w, shell):
        self.dir = w.dir + "/" + shell
        self.ran, self.asked, self.idle = self.dir + "/ran", self.dir + "/asked", self.dir + "/idle"
        os.makedirs(self.dir)
        with open(self.dir + "/bpflens", "w") as f:
            f.write("""#!/bin/sh
if [ "$1" = __complete ]; then
	%s "$@"
	: > %s
else
	for word; do last=$word; done
	printf %%s "$last" > %s && : > %s.done
fi
""" % (BPFLENS, self.asked, self.ran, self.ran))
        os.chmod(self.dir + "/bpflens", 0o755)
        scripts = os.path.join(ROOT, "bash-completion")
        # Ctrl-G creates a file, after the keys before it were processed.
        argv, setup = {
            "bash": (["--norc", "--noprofile", "-i"], "source %s/bpflens; bind -x '\"\\C-g\": : > %s'" % (scripts, self.idle)),
            "zsh": (["-f", "-i"], "fpath=(%s $fpath); autoload -Uz compinit; compinit -u -D; _idle() { : > %s; }; zle -N _idle; bindkey '^G' _idle" %
                    (scripts, self.idle)),
            "fish": (["--no-config", "-i"], "source %s/bpflens.fish; bind \\cg 'echo > %s'" % (scripts, self.idle)),
        }[shell]
        env = dict(os.environ, PATH=self.dir + ":" + os.environ["PATH"], HOME=self.dir, TERM="dumb", INPUTRC="/dev/null", HISTFILE="")
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(self.dir)
            os.execvpe(shell, [shell] + argv, env)
        self.quiet(1.0)
        self.write(setup + "\n")
        if not self.done():
            raise RuntimeError(shell + " does not answer")

    def write(self, text):
        os.write(self.fd, os.fsencode(text))

    def quiet(self, seconds):
        """Read until nothing arrives for so long, for at most 20 s."""
        end = time.monotonic() + 20
        while time.monotonic() < end and select.select([self.fd], [], [], seconds)[0]:
            try:
                os.read(self.fd, 65536)
            except OSError:
                return

    def wait(self, path, again=""):
        """Read until the file exists; meanwhile type the keys again, because they may have been lost."""
        begin = asked = time.monotonic()
        while not os.path.exists(path):
            if time.monotonic() - begin > 30:
                return False
            if again and time.monotonic() - asked > 1:
                self.write(again)
                asked = time.monotonic()
            if select.select([self.fd], [], [], 0.02)[0]:
                try:
                    os.read(self.fd, 65536)
                except OSError:
                    return False
        os.unlink(path)
        return True

    def done(self):
        """Wait until the shell has processed all keys."""
        if os.path.exists(self.idle):
            os.unlink(self.idle)
        self.write("\007")
        return self.wait(self.idle, "\007")

    def last_word(self, typed):
        """The last word of the line after TAB and Enter; None: the line was not run."""
        for name in (self.ran, self.asked):
            if os.path.exists(name):
                os.unlink(name)
        self.write(typed + "\t")
        if not self.wait(self.asked) or not self.done():
            return None
        self.write("\r")
        if not self.wait(self.ran + ".done"):
            self.write("\003")
            self.done()
            return None
        with open(self.ran) as f:
            got = f.read()
        return got if self.done() else None

    def listed(self, typed):
        """The text that two TABs print, and the line after that."""
        self.write("\025" + typed + "\t")
        self.quiet(1)
        self.write("\t")
        text, end = b"", time.monotonic() + 20
        while time.monotonic() < end and select.select([self.fd], [], [], 2)[0]:
            text += os.read(self.fd, 65536)
        self.write("\003")
        self.quiet(0.2)
        return text.decode("utf-8", "replace")

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


# The typed part of a name, and the name.
HOSTILE_PINS = [("a", "a$(>W1)"), ("b", "b`>W2`"), ("c", "c'd\"e"), ("d", "d e  f"), ("g\\ ", "g h"), ("'i ", "i j'k$(>W3)"),
                ('"l ', 'l m"n$(>W4)`>W5`\\o!p'), ("q", "q;>W6"), ("r", "r&*?[s]{t,u}"), ("v", "v~#w"), ("x@", "x@y:z=1"), ("B", "B\\C")]
HOSTILE_DEVICES = [("m", "m$(>W7)"), ("-", "-dash"), ("\\~", "~tilde"), ("\\*", "*star"), ("n", "n'`>W8`")]


def quoting(w):
    pins = w.pins + "/names"
    os.mkdir(pins)
    prog = w.one("prog", "l_xdp")["id"]
    for name in [name for _, name in HOSTILE_PINS] + ["A\nB"]:
        w.run("prog", "pin", "id", prog, pins + "/" + name)
    for i, (_, name) in enumerate(HOSTILE_DEVICES):
        subprocess.run(["ip", "link", "add", "name", name, "type", "veth", "peer", "name", "peer%d" % i], check=True)
    r = w.run("__complete", "prog", "show", "pinned", pins + "/A")
    ok(r.text == ":files\n", "a name with a newline is left to the shell", r)
    shells = [s for s in ("bash", "zsh", "fish") if shutil.which(s) or skip(s + " is not installed")]
    with ThreadPoolExecutor(3) as pool:  # they wait most of the time
        for results in pool.map(lambda shell: list(typed_in(w, shell, pins)), shells):
            for good, what, detail in results:
                ok(good, what, detail)


def descriptions(w):
    if not shutil.which("bash"):
        return skip("bash is not installed")
    t = Terminal(w, "bash")
    try:
        t.write("bind 'set page-completions off'; bind 'set completion-query-items 0'\n")
        t.quiet(0.5)
        text = t.listed("bpflens map cr")
        ok("create" not in text.split("\n")[-1] or "--" not in text, "bash: one candidate has no description", text)
        text = t.listed("bpflens prog dump ")
        ok(re.search(r"^xlated +\S", text, re.M) or re.search(r"^jited", text, re.M), "bash: lists candidates", text)
        xdp = str(w.one("prog", "l_xdp")["id"])
        text = t.listed("bpflens prog show id " + xdp[:-1])
        ok(re.search(r"^%s +xdp  l_xdp *\r?$" % xdp, text, re.M), "bash: describes candidates", text[:600])
        got = t.last_word("bpflens prog show name l_twi")
        ok(got == "l_twin", "bash: puts only names on the line", repr(got))
    finally:
        t.close()
        shutil.rmtree(t.dir)


def typed_in(w, shell, pins):
    t = Terminal(w, shell)
    try:
        for typed, name in HOSTILE_PINS:
            quote = typed[0] if typed[0] in "'\"" else ""
            got = t.last_word("bpflens prog show pinned %s%s/%s" % (quote, pins, typed[len(quote):]))
            yield got == pins + "/" + name, "%s: pin %r" % (shell, name), repr(got)
        for typed, name in HOSTILE_DEVICES:
            # zsh takes a dash for an option; fish does not complete a word with a star.
            if (shell, typed) in (("zsh", "-"), ("fish", "\\*")):
                continue
            got = t.last_word("bpflens net show dev " + typed)
            yield got == name, "%s: device %r" % (shell, name), repr(got)
    finally:
        t.close()
    ran = [f for f in os.listdir(t.dir) if f.startswith("W")]
    yield not ran, shell + " runs nothing that stands in a name", ran


with World() as w:
    w.make()
    for test in (answers, places, shells, descriptions, quoting):
        try:
            test(w)
        except Exception as e:
            ok(False, test.__name__, repr(e))
finish()
