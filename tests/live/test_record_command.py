#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""record -- COMMAND and events -- COMMAND: the exit status is the command's, also if our parent ignores SIGCHLD and if we are interrupted at any moment;
the command gets the signal, and what it loads until it ends is recorded; it does not outlive us."""
import os
import random
import signal
import subprocess
import tempfile

from recordings import LOADER, differences, members, truth
from world import BPFLENS, Run, at_random, finish, isolate, number, ok, patience, skip, until

isolate(alone="what others load is in the recording, and its code may be freed before it is read")
KILLS = number("KILLS", 4)
SEED = number("SEED", random.randrange(1 << 32))
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
VERBS = {"record": ["record", "-o"], "events": ["events"]}


def verb(d, name):
    return [BPFLENS] + VERBS[name] + ([d + "/" + name] if name == "record" else []) + ["--"]


def ignoring(argv, signals, **kw):
    """A process whose parent ignores signals."""
    def ignore():
        for s in signals:
            signal.signal(s, signal.SIG_IGN)
    return subprocess.Popen(argv, preexec_fn=ignore, restore_signals=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kw)


def ends(r):
    """(exit status, output, errors); the status is None if it does not end."""
    try:
        out, errors = r.communicate(timeout=patience(40))
        return r.returncode, out, errors
    except subprocess.TimeoutExpired:
        os.killpg(r.pid, signal.SIGKILL)
        return (None,) + r.communicate()


def ignored(d):
    for name in VERBS:
        got = ends(ignoring(verb(d, name) + ["sh", "-c", "exit 3"], [signal.SIGCHLD], start_new_session=True))
        ok(got[0] == 3, "%s: the command's status, although our parent ignores SIGCHLD" % name, got)
    for name, signals in (("record", [signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD]), ("events", [])):
        words = ["grep", "SigIgn", "/proc/self/status"]
        alone = ends(ignoring(words, signals, start_new_session=True))[1]
        got = ends(ignoring(verb(d, name) + words, signals, start_new_session=True))
        ok(alone and alone in got[1] + got[2], "%s: the command ignores the same signals as without us: %s" % (name, alone.strip()), got)


def pictures(d):
    """A picture that another program draws."""
    archive, pages = os.path.dirname(__file__) + "/../archives/after.tar.gz", []
    for how, path in (([], "/no/dot"), ([], os.environ["PATH"]), ([signal.SIGCHLD], os.environ["PATH"])):
        got = ends(ignoring([BPFLENS, "report", archive, "--html", "--output", d + "/page"], how, env=dict(os.environ, PATH=path), start_new_session=True))
        ok(got[0] in (0, 5), "report --html", got)
        pages.append(open(d + "/page").read())
    if pages[0] == pages[1]:
        return skip("pictures: no dot")
    ok(pages[1] == pages[2], "report --html has its picture, although our parent ignores SIGCHLD")


def alive(path):
    """The command has started, and wrote its process id."""
    if until(lambda: os.path.exists(path) and open(path).read().endswith("\n"), patience(40), 0.005):
        return int(open(path).read())
    return None


def stopped(d, i):
    """Ended by a signal at a random moment: what came, and what is wrong with it."""
    name, sig = random.choice(list(VERBS)), random.choice(SIGNALS)
    own = random.choice([None, 7])
    pid, late = d + "/pid%d" % i, d + "/late%d" % i
    os.mkdir(late)
    trap = "trap '%s 4 2 30 %s; exit 7' TERM INT HUP; " % (LOADER, late) if own else ""
    r = ignoring(verb(d, name) + ["sh", "-c", "%secho $$ > %s; while :; do sleep 0.01; done" % (trap, pid)], [], start_new_session=True)
    child = alive(pid)
    at_random(1.2)
    r.send_signal(sig)
    status, out, errors = ends(r)
    wrong = []
    # 5: objects may be gone before they are read.
    if status not in (own or 128 + sig, 5):
        wrong.append("status %s" % status)
    if child is None or os.path.exists("/proc/%d" % child):
        wrong.append("the command runs")
    want = truth(late)
    if own and len(want) != 4:
        wrong.append("it loaded %d programs at its end" % len(want))
    if name == "record":
        got = members(d + "/record")
        wrong += [(ident, differences(got, ident, parts)) for ident, parts in want.items() if differences(got, ident, parts)]
    return wrong and (name, sig, own, wrong, errors[-300:])


def stubborn(d):
    """A command that ignores the signal is killed. 5: as above."""
    pid = d + "/stubborn"
    r = ignoring(verb(d, "events") + ["sh", "-c", "trap '' TERM; echo $$ > %s; while :; do sleep 0.01; done" % pid], [], start_new_session=True)
    child = alive(pid)
    r.send_signal(signal.SIGTERM)
    got = ends(r)
    ok(got[0] in (137, 5) and not os.path.exists("/proc/%d" % child), "a command that does not end is killed", got)


def over(d):
    """The command does not outlive the end that we were asked for, and this is no failure."""
    for name in VERBS:
        r = Run(verb(d, name)[:-1] + ["--seconds", "0.3", "--", "sleep", "100"])
        lacks = "read only in part" in r.errors  # programs of others that were gone before they could be read
        ok(r.status == (5 if lacks else 0), "%s --seconds ends the command" % name, r)


random.seed(SEED)
with tempfile.TemporaryDirectory() as where:
    tried = Run([BPFLENS, "record", "-o", where + "/try", "--", "true"])
    if tried.status == 4:
        skip("record: " + tried.errors.strip())
        finish()
    ignored(where)
    pictures(where)
    bad = [x for x in (stopped(where, i) for i in range(KILLS)) if x]
    ok(not bad, "stopped at %d moments (BPFLENS_SEED=%d): the command's status, and nothing is lost" % (KILLS, SEED), "\n".join(map(str, bad)))
    stubborn(where)
    over(where)
finish()
