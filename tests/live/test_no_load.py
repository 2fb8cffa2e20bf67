#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Reading commands do not depend on loading BPF programs: on a kernel where every load hangs, and where nothing
may be loaded, they answer in time, with the same output or with the reason."""
import json
import os
import resource
import signal
import subprocess
import tempfile

from feed import Feed
from world import BPFLENS, BUILD, Run, World, finish, isolate, ok, patience, sanitized, skip, without_readers

isolate(alone="whole lists, read twice, are equal")
HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = patience(2.0)  # seconds of a processor: a busy machine takes none; waiting ends at WAIT
WAIT = 30


class Stuck:
    """An environment in which loads never return; loaders() are the processes that tried to load, end() ends them."""

    def __init__(self, where):
        self.file = where + "/stuck"
        library = where + "/stuck.so"
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", library, HERE + "/stuck.c", "-ldl"], check=True)
        self.env = dict(os.environ, LD_PRELOAD=library, STUCK=self.file)

    def loaders(self):
        try:
            return [int(line) for line in open(self.file)]
        except FileNotFoundError:
            return []

    def end(self):
        pids = self.loaders()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        if pids:
            os.unlink(self.file)
        return pids


def processor():
    """Time that ended children used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(argv, stuck=None, env=None):
    """The best of three runs, because a busy machine is slower. The output is read to its end, which a loader must not hold open.
    r.tried are the processes that tried to load."""
    for _ in range(3):
        start = processor()
        r = Run([BPFLENS] + argv, env=env or (stuck.env if stuck else None), timeout=WAIT)
        r.seconds = processor() - start
        r.tried = stuck.end() if stuck else []
        if r.seconds < LIMIT:
            break
    return r


def as_usual(r, plain, looks=1):
    """The exit status is the same, or the missing facts are named."""
    named = "ETIME" in r.errors + r.text or "hold objects: Permission denied" in r.errors	# /proc of other processes may be unreadable even for root
    return r.seconds < LIMIT and len(r.tried) <= looks and (r.status == plain.status or (r.status in (1, 2, 5) and named))


def same_lists(stuck, w, f):
    for kind in ("prog", "map", "link", "btf"):
        plain = Run([BPFLENS, "-j", kind, "show"])
        r = timed(["-j", kind, "show"], stuck)
        ok(as_usual(r, plain), "%s show: in time" % kind, "%.2f s\n%s" % (r.seconds, r))
        missing = {"netns_ino"} if "network namespaces of links" in r.errors else set()
        # A loader that hangs holds the descriptors that it was given. Holders are null if none is seen, and a process could not be read.
        a, b = ([{k: [p for p in v if p["comm"] != "bpflens"] if k == "pids" and v else v for k, v in o.items() if k not in missing}
                 for o in x.json] for x in (plain, r))
        mine = [o for o in a if any(p["pid"] in (w.pid, f.pid) for p in o.get("pids") or [])]
        ok(mine and all(o in b for o in mine), "%s show: the same facts" % kind,
           "\n".join("%s\n%s" % (o, [x for x in b if x["id"] == o["id"]]) for o in mine if o not in b))


ARCHIVES = HERE + "/../archives"
# Verbs that change something, that run until they are interrupted, and that do not read a machine.
NOT_READING = {"": {"help", "batch", "version", "schema", "save", "attach", "detach", "unpin", "events", "record", "top"}, "cgroup": {"attach", "detach"}, "net": {"attach", "detach"},
               "prog": {"pin", "attach", "detach", "unpin", "load", "loadall", "verify", "run", "stats", "tracelog", "profile", "annotate"}, "link": {"pin", "detach", "update", "unpin"}, "iter": {"pin", "run"},
               "struct_ops": {"attach", "register", "unregister"}, "gen": {"object", "skeleton", "subskeleton", "min_core_btf"},
               "map": {"update", "delete", "pin", "create", "push", "enqueue", "pop", "dequeue", "freeze", "unpin", "import", "watch",
                       "event_pipe", "tap"}}


def reading(w):
    """Command lines of every reading command."""
    prog, types = str(min(w.ids("prog"))), BUILD + "/tests/live/progs.bpf.o"
    for kind in ("prog", "map", "link", "btf", "net", "perf", "struct_ops"):
        yield from ([["-j", kind, "show"], ["-j", kind, "list"]])
    yield from (["-j", "ls"], ["-j", "graph"], ["-j", "orphans"], ["-j", "pin", "list"], ["-j", "iter", "list"], ["-j", "map", "list", "-o", "+entries"])
    yield from (["-j", "cgroup", verb] + ([w.cgroup] if w.cgroup else []) for verb in ("tree", "show", "list"))
    for form in ("xlated", "jited"):
        yield ["prog", "dump", form, "id", prog]
    yield from (["-j", "map", "dump", "id", str(i)] for i in sorted(w.ids("map")))
    for verb in ("lookup", "peek", "getnext", "export", "histogram", "stacks", "storage"):
        name = {"peek": "queue", "stacks": "traces", "storage": "ty_sk"}.get(verb, "h_4_4")
        yield ["-j", "map", verb, *map(str, w.by_id("map", name))] + (["key", "0", "0", "0", "0"] if verb == "lookup" else [])
    yield from (["btf", "dump", "prog", *map(str, w.by_id("prog", "count_exits"))], ["btf", "layout", "list_head"], ["btf", "sizes", "from", "file", types],
                ["btf", "find", "member", "next", "from", "file", types], ["btf", "diff", types, types])
    yield from (["struct_ops", "dump"], ["token", "show"], ["token", "list"])
    yield from (["-j", "object", verb, types] for verb in ("show", "programs", "maps", "variables", "externs", "relocations", "sections"))
    yield ["object", "dump", types, "count_exits"]
    yield ["object", "usdt", BPFLENS]
    yield from (["-j", "feature", "probe"], ["feature", "list_builtins", "prog_types"])
    yield ["object", "diff", types, types]
    yield ["-j", "prog", "coverage"]
    yield from (["feature", "diff", ARCHIVES + "/features.tar.gz", "live"], ["object", "needs", types])
    yield from (["report", ARCHIVES + "/sampled.tar.gz"], ["annotate", ARCHIVES + "/sampled.tar.gz", "name", "main_prog"])
    yield ["diff", ARCHIVES + "/before.tar.gz", ARCHIVES + "/after.tar.gz"]
    yield from (["-j", "mem"], ["-j", "audit"], ["-j", "metrics"])
    yield from (["info", ARCHIVES + "/tasks.tar.gz"], ["info", "live"])
    yield ["doctor", "-Q", "check =~ \"jit|types\""]
    yield from (["addr", "bpf_prog_0000000000000000_x+0x1/0x2"], ["-j", "why", "prog", "id", prog])
    yield ["__complete", "prog", "show", "name", "l_x"]


def not_asked(commands):
    """The verbs of the program that are not in these command lines."""
    asked = [[word for word in argv if word != "-j"] for argv in commands]
    words = lambda *before: {x.split("\t")[0] for x in Run([BPFLENS, "__complete"] + list(before) + [""]).text.splitlines()} - {":files"}
    for group in sorted(words() - NOT_READING[""]):
        verbs = words(group)
        if "help" not in verbs:  # a command without verbs
            yield from () if any(argv[0] == group for argv in asked) else (group,)
            continue
        verbs -= {argv[1] for argv in asked if argv[0] == group and len(argv) > 1} | NOT_READING.get(group, set()) | {"help"}
        yield from (group + " " + verb for verb in sorted(verbs))


def facts(r, w):
    """The facts of the test's objects: others come and go."""
    text = without_readers(r.text)
    try:
        doc = json.loads(text)
    except ValueError:
        return text
    if isinstance(doc, list) and doc and isinstance(doc[0], dict) and "id" in doc[0]:
        return [o for o in doc if any(p["pid"] == w.pid for p in o.get("pids") or [])]
    return doc


def in_time(stuck, w, where):
    commands = list(reading(w))
    left = list(not_asked(commands))
    ok(not left, "every reading command is tried", left)
    for argv in commands:
        looks = 2 if "audit" in argv else 1  # it looks again if objects have come or gone meanwhile
        for _ in range(5):  # what the kernel frees late is counted in one of the two
            r, plain = timed(argv, stuck), Run([BPFLENS] + argv)
            good = as_usual(r, plain, looks) and (r.status or facts(r, w) == facts(plain, w))
            if good:
                break
        ok(good, "%s: in time" % " ".join(argv), "%.2f s\n%s\n%s" % (r.seconds, r, plain))
    archive = where + "/machine.tgz"
    r = timed(["save", archive], stuck)
    ok(r.seconds < LIMIT and os.path.exists(archive), "save: in time", "%.2f s\n%s" % (r.seconds, r))
    ok(len(r.tried) == 1, "save: one load, then none", r.tried)
    saved = Run([BPFLENS, "--from", archive, "-j", "prog", "show"])
    ok(any(p["pid"] == w.pid for o in saved.json for p in o.get("pids") or []), "save: with holders", saved)


def only_by_program(stuck, f):
    """A command without another source fails with the reason."""
    for how, env in (("stuck", stuck.env), ("BPFLENS_NO_LOAD", dict(os.environ, BPFLENS_NO_LOAD="1"))):
        r = timed(["-j", "map", "storage", "id", f.maps["feed_task"]], stuck, env)
        ok(r.status and r.json.get("error") and r.seconds < LIMIT, "map storage, %s: an error" % how, r)
    r = timed(["--no-load", "map", "storage", "id", f.maps["feed_task"]])
    ok(r.status and "--no-load" in r.errors, "the reason is named", r)


def nothing_loaded(stuck, w):
    """A preloaded library catches every load: --no-load never loads."""
    for argv in (["prog", "show"], ["ls"], ["prog", "dump", "xlated", "id", str(min(w.ids("prog")))], ["map", "list", "-o", "+entries"]):
        r = timed(["--no-load"] + argv, stuck)
        ok(r.status in (0, 5) and not r.tried, "--no-load %s" % " ".join(argv), r)
    r = timed(["--no-load", "net", "show", "--all"], stuck)
    ok(r.status in (0, 5) and "are not listed" in r.errors, "--no-load net show: missing facts are named", r)
    r = timed(["prog", "show"], stuck, dict(stuck.env, BPFLENS_NO_LOAD="1"))
    ok(r.status in (0, 5) and not r.tried, "BPFLENS_NO_LOAD=1", r)


def ours_left_out():
    """Programs that bpflens loads for reading are not in its lists; -d reports them."""
    r = Run([BPFLENS, "-d", "-j", "map", "list", "-o", "id,entries"])
    ours = [line.split()[1:3] for line in r.errors.splitlines() if line.startswith("own: ") and "is ours" in line]
    if not ours:
        skip("nothing was loaded: " + r.errors[-200:])
        return
    ok(not {i for k, i in ours if k == "map"} & {str(o["id"]) for o in r.json}, "maps of bpflens are not listed", r)


if sanitized():
    skip("a library cannot be preloaded together with a sanitizer")
else:
    with tempfile.TemporaryDirectory() as d, Feed() as feed, World() as world:
        world.make()
        kernel = Stuck(d)
        try:
            same_lists(kernel, world, feed)
            in_time(kernel, world, d)
            only_by_program(kernel, feed)
            nothing_loaded(kernel, world)
            ours_left_out()
        finally:
            kernel.end()
finish()
