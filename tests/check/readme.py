#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The steps in CONTRIBUTING.md to add a field, a link type, a question, a place and a verb, done literally on a copy of the tree: it
builds, and the addition is where CONTRIBUTING.md says. The README shows what the program prints for the recorded machine, and its figures
are those of scripts/bench."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", ROOT + "/build")
failures = 0


def ok(good, what, detail=""):
    global failures
    failures += not good
    print("%s - %s" % ("ok" if good else "not ok", what))
    for line in str(detail).splitlines()[-15:] if not good else []:
        print("  |", line[:200])


def blocks(title):
    """The indented blocks of a section, with tabs."""
    with open(ROOT + "/CONTRIBUTING.md") as f:
        section = re.search(r"(?ms)^## %s\n(.*?)^##" % title, f.read()).group(1)
    found = [re.sub(r"(?m)^    ", "", b) for b in re.findall(r"(?m)((?:^    .*\n|^\n(?=    ))+)", section)]
    return [re.sub(r"(?m)^(?: {8})+", lambda m: "\t" * (len(m.group()) // 8), b.strip("\n")) + "\n" for b in found]


def shown():
    """(machine, command, lines) of the README's first section: commands on a recorded machine."""
    with open(ROOT + "/README.md") as f:
        section = re.search(r"(?ms)^## The first minute\n(.*?)^##", f.read()).group(1)
    machine = re.search(r"(?m)^    \$ export BPFLENS_FROM=(\S+)$", section).group(1)
    for block in re.findall(r"(?m)^    \$ (bpflens .*)\n((?:    (?!\$).*\n|\n(?=    (?!\$)))+)", section):
        yield machine, block[0], re.sub(r"(?m)^    ", "", block[1]).splitlines()


def check_shown(directory):
    os.symlink(os.path.abspath(os.environ.get("BPFLENS", BUILD + "/bpflens")), directory + "/bpflens")
    env = dict(os.environ, PATH=directory + ":" + os.environ["PATH"], TZ="UTC", COLUMNS="120", LC_ALL="C.UTF-8")
    for machine, command, lines in shown():
        if "jq" in command and not shutil.which("jq"):
            print("skip - README shows what this prints: %s: jq is not installed" % command)
            continue
        r = subprocess.run(command, shell=True, cwd=ROOT, env=dict(env, BPFLENS_FROM=machine), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        got = r.stdout.expandtabs().splitlines()
        more = lines[-1] == "..."
        good = got[:len(lines) - 1] == lines[:-1] and len(got) >= len(lines) if more else got == lines
        ok(good, "README shows what this prints: " + command, r.stdout)


def check_figures():
    with open(ROOT + "/README.md") as f:
        lines = re.search(r"(?s)<!-- scripts/bench writes these lines -->\n(.*?)<!-- to here -->", f.read()).group(1).splitlines()
    rows = [line for line in lines if re.match(r"\| `", line)]
    ok(len(rows) == 5 and len(lines) < 12, "README: five figures, and a sentence about the cost of record", "\n".join(lines))


def check_other():
    """Other commands in the blocks of the README and of CONTRIBUTING.md: scripts and their words, targets of make."""
    text = ""
    for name in ("README.md", "CONTRIBUTING.md"):
        with open(ROOT + "/" + name) as f:
            text += f.read()
    with open(ROOT + "/Makefile") as f:
        targets = set(re.search(r"(?m)^\.PHONY: (.*)$", f.read()).group(1).split())
    lines = re.findall(r"(?m)^    (?:\$ )?((?:sudo )?(?:scripts/|make )\S*(?: \w+)?)", text) + re.findall(r"`((?:scripts/|make )[^`]+)`", text)
    for line in sorted(set(lines)):
        words = line.replace("sudo ", "").split()
        if words[0] == "make":
            ok({w for w in words[1:] if "=" not in w} <= targets, "README: %s is a target" % line, sorted(targets))
        else:
            with open(ROOT + "/" + words[0]) as f:
                ok(os.access(ROOT + "/" + words[0], os.X_OK) and " ".join(words) in f.read(), "README: %s documents this word" % line)
    ok(len(set(lines)) > 8, "README: scripts and targets are found", lines)


def check_words():
    """The table of all commands is that of the command table."""
    with open(ROOT + "/README.md") as f:
        table = re.search(r"(?s)<!-- bpflens __doc words -->\n(.*?)<!-- to here -->", f.read()).group(1)
    words = subprocess.run([BUILD + "/bpflens", "__doc", "words"], stdout=subprocess.PIPE, universal_newlines=True).stdout
    new = set(words.splitlines()) ^ set(table.splitlines())
    ok(words and table == words, "the README has the commands of the program, without bpftool's", "bpflens __doc words\n" + "\n".join(sorted(new)))


def check_synopses():
    """Each lower-case word and option in the first column of the README's tables is in the usage of its commands."""
    def program(*words):
        return subprocess.run([BUILD + "/bpflens"] + list(words), stdout=subprocess.PIPE, universal_newlines=True).stdout
    top, token = program("help"), r"(?<![\w./-])(?:--?[A-Za-z][\w-]*|[a-z][a-z_]+)(?![\w./(-])"
    groups = re.findall(r"(?m)^(\w+)", program("__complete", "help", ""))
    usage = {g: program("help", g) + program(g, "help") for g in groups}
    with open(ROOT + "/README.md") as f:
        cells = [c.replace("\\|", " | ") for c in re.findall(r"(?m)^\| (`.*?) \| [^|`]", f.read())]
    for cell in cells:
        words = re.findall(token, re.sub(r"\w+=\S+|(?<=-o )[a-z]+,\S+", "", " ".join(re.findall(r"`([^`]*)`", cell))))
        text = top + "".join(usage[g] for g in [g for g in groups if g in words] or groups)
        wrong = set(words) - set(re.findall(r"--?[A-Za-z][\w-]*|[a-z][a-z_]+", text))
        ok(words and not wrong, "README: the words of this exist: " + cell, sorted(wrong))
    ok(len(cells) > 50, "README: the tables of commands are found", len(cells))


class Copy:
    def __init__(self, directory):
        self.dir = directory + "/tree"
        shutil.copytree(ROOT, self.dir, symlinks=True, ignore=lambda at, names: {"build", ".git"} & set(names) if at == ROOT else set())
        for name in ("src", "libbpf", "libbpflens.a", "bpflens"):  # with their times: only changed files are compiled again
            subprocess.run(["mkdir", "-p", self.dir + "/build"], check=True)
            subprocess.run(["cp", "-a", BUILD + "/" + name, self.dir + "/build/"], stderr=subprocess.DEVNULL)

    def edit(self, path, pattern, new):
        """Replace the only match of @pattern by @new."""
        with open(self.dir + "/" + path) as f:
            text = f.read()
        text, n = re.subn(pattern, new if callable(new) else lambda m: new, text, flags=re.M | re.S)
        if n != 1:
            raise ValueError("%s: %d places look like %s" % (path, n, pattern))
        with open(self.dir + "/" + path, "w") as f:
            f.write(text)

    def make(self):
        env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "BUILD", "BPFLENS")}
        return subprocess.run(["make", "-s", "-j2", "build/bpflens", "CFLAGS=-Werror -O0 -Wno-error=format-nonliteral"], cwd=self.dir, env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, universal_newlines=True)

    def run(self, *args):
        return subprocess.run([self.dir + "/build/bpflens"] + list(args), cwd=self.dir + "/tests", stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True)


def field(c):
    """Replace the existing row by the one in the text."""
    row, = blocks("Add a field")
    name = re.search(r'"(\w+)"', row).group(1)
    c.edit("src/prog/fields.c", r'\tFIELD(?:_\w+)?\(prog_rec, info\.%s,.*?\),\n(?=\t\w)' % name, "")
    c.edit("src/prog/fields.c", r"\n\};\n\nconst struct schema schema_prog\b", lambda m: "\n\t" + row.rstrip() + m.group())
    return name


def link_type(c):
    """Replace the existing definitions by those in the text. The line in link/kinds.c stays."""
    text, = blocks("Add a link type")
    array, kind = re.findall(r"const struct \w+ (\w+)(?:\[\])? = \{", text)
    c.edit("src/link/kind_net.c", r"static void netns_derive\(.*?\n\}\n\n", "")
    c.edit("src/link/kind_net.c", r"static const struct field %s\[\] = \{.*?\n\};\n" % array, "")
    c.edit("src/link/kind_net.c", r"const struct link_kind %s = \{.*?\n\};\n" % kind, text)


def question(c):
    number, row, function = blocks("Add a question")
    c.edit("src/source/questions.h", r"\n\tQ_META,", lambda m: "\n\t" + number.rstrip() + m.group())
    c.edit("src/source/questions.c", r"\n\t\[Q_META\] =", lambda m: "\n\t" + row.rstrip() + m.group())
    c.edit("src/source/live/live.h", r"\nint live_uname\(", lambda m: "\n" + function.split("\n")[0] + ";" + m.group())
    c.edit("src/source/live/sys.c", r"\nint live_uname\(", lambda m: "\n" + function + m.group())


def place(c):
    """Replace the existing file and line by those in the text."""
    text, line = blocks("Add a place")
    with open(c.dir + "/src/iter/place.c") as f:
        includes = re.match(r"(?s).*?(?=\nstatic)", f.read()).group()
    os.unlink(c.dir + "/src/iter/place.c")
    with open(c.dir + "/src/iter/walked.c", "w") as f:
        f.write(includes + "\n" + text)
    c.edit("src/kinds.c", re.escape(" " + line.strip()), "")
    c.edit("src/kinds.c", r"\\\n\tX\(place_net\)", lambda m: "\\\n\t%s X(place_net)" % line.strip())


def verb(c):
    """A new file, and the steps that the text describes."""
    text, = blocks("Add a verb")
    with open(c.dir + "/src/prog/cmd_types.c", "w") as f:
        f.write(text)
    c.edit("src/prog/prog.h", r"\nextern const struct command prog_dump,", lambda m: "\nextern const struct command prog_types;" + m.group())
    c.edit("src/prog/commands.c", r"&prog_dump,", lambda m: m.group() + " &prog_types,")


def attachable(c):
    """What attach() adds, as the text describes it."""
    c.edit("src/iter/walked.c", r"^const struct place (.*)list \};",
           lambda m: """static int attach(struct env *env, const struct attach_request *q, struct attach_result *ret, struct err *e)
{
	return -ENOENT;
}
const struct place %slist, .hooks = HOOK_BIT(HOOK_ITER), .attach = attach };""" % m.group(1))
    c.edit("src/iter/walked.c", r'#include "cli/place.h"\n', lambda m: m.group() + "#include <errno.h>\n")


def check_field(c, name):
    old, new = (json.loads(c.run("--from", "archives/linux-%s.tar.gz" % v, "-j", "prog", "list").stdout) for v in ("5.10", "6.12"))
    ok(old and not any(name in p for p in old), "a new field: left out for a kernel with a shorter struct", old[:1])
    ok(new and all(isinstance(p.get(name), int) for p in new), "a new field: shown for a kernel that has it", new[:1])
    ok(name in c.run("prog", "list", "--list-columns").stdout, "a new field is a column")
    sorted_by = c.run("--from", "archives/linux-6.12.tar.gz", "prog", "list", "-o", "id," + name, "--sort", "-" + name, "-Q", name + " > 10").stdout
    numbers = [int(line.split()[1]) for line in sorted_by.splitlines()[1:]]
    ok(numbers and numbers == sorted(numbers, reverse=True) and min(numbers) > 10, "a new field works with --sort and --filter", sorted_by)
    ok("%s " % name in c.run("--from", "archives/linux-6.12.tar.gz", "prog", "show").stdout, "a new field is in plain text")
    ok(name in c.run("__doc", "man", "../man/bpflens-prog.8.in").stdout, "a new field is in the manual")
    ok(name in c.run("__complete", "prog", "list", "--sort", name[:5]).stdout, "a new field is completed")


def check_link_type(c):
    r = c.run("--from", "archives/attachments.tar.gz", "-j", "link", "list", "-Q", "type == netns")
    links = json.loads(r.stdout or "[]")
    ok(links and all(x["netns_ino"] and x["attach_type"] in ("flow_dissector", "sk_lookup") for x in links), "a new link type has its fields",
       r.stdout + r.stderr)


def check_place(c):
    def ls(program, *words):
        p = subprocess.run([program, "--from", "archives/attachments.tar.gz"] + list(words), cwd=c.dir + "/tests", stdout=subprocess.PIPE,
                           env=dict(os.environ, LC_ALL="C"))
        return p.stdout.decode()
    old, new = (ls(program, "ls", "-o", "place,where,what,prog,link_id,owner", "-Q", 'place == "iter"')
                for program in (os.environ.get("BPFLENS", BUILD + "/bpflens"), c.dir + "/build/bpflens"))
    ok("task" in new and new == old, "a new place is in ls", "%s\n%s" % (old, new))
    ok("\niter\n|- task  iter\n" in "\n" + ls(c.dir + "/build/bpflens", "ls", "--tree"), "a new place is in ls --tree")
    ok("task\titer" in ls(c.dir + "/build/bpflens", "__complete", "detach", "ta"), "a new place is completed for detach")
    offered = ls(c.dir + "/build/bpflens", "__complete", "attach", "id", "1", "to", "task", "")
    ok("iter\titerators" in offered, "the hooks of a new place are completed for attach", offered)


def check_verb(c):
    r = c.run("--from", "archives/sample.tar.gz", "-j", "prog", "types", "--sort", "-count")
    types = json.loads(r.stdout or "[]")
    programs = json.loads(c.run("--from", "archives/sample.tar.gz", "-j", "prog", "list").stdout)
    ok(types and sum(x["count"] for x in types) == len(programs), "a new verb prints its records", r.stdout + r.stderr)
    ok("types" in c.run("__complete", "prog", "ty").stdout, "a new verb is completed")
    ok("prog types" in c.run("prog", "help").stdout, "a new verb has a usage")
    ok("types" in c.run("__doc", "man", "../man/bpflens-prog.8.in").stdout, "a new verb is in the manual")


def check_question(c, directory):
    ok("sys/jit" in c.run("__doc", "man", "../man/bpflens-save.8.in").stdout, "a new question is in the manual")
    stuck = subprocess.run([ROOT + "/tests/tools/can-load"], stdout=subprocess.PIPE, universal_newlines=True)
    if stuck.returncode:
        print("skip - a new question is saved: " + stuck.stdout.strip())
        return
    if os.geteuid():
        print("skip - a new question is saved: this needs root")
        return
    c.run("save", directory + "/a.tar.gz")
    names = subprocess.run(["tar", "tzf", directory + "/a.tar.gz"], stdout=subprocess.PIPE, universal_newlines=True).stdout.split()
    ok("sys/jit" in names or "sys/jit.errno" in names, "a new question is saved", names[:8])


with tempfile.TemporaryDirectory(prefix="bpflens-readme-") as tmp:
    check_shown(tmp)
    check_words()
    check_synopses()
    for script, what in (("bench", "README's figures are those of doc/bench.md, and these of the run there"),
                         ("pictures", "README's pictures show what is printed now, otherwise scripts/pictures draws them again")):
        r = subprocess.run([ROOT + "/scripts/" + script, "--check"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        ok(not r.returncode, what, r.stdout)
    check_figures()
    check_other()
    copy = Copy(tmp)
    new_field = field(copy)
    link_type(copy)
    question(copy)
    place(copy)
    verb(copy)
    attachable(copy)
    built = copy.make()
    ok(not built.returncode, "the code in CONTRIBUTING.md builds", built.stdout)
    if not built.returncode:
        check_field(copy, new_field)
        check_link_type(copy)
        check_question(copy, tmp)
        check_place(copy)
        check_verb(copy)
sys.exit(1 if failures else 0)
