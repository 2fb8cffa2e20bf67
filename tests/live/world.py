# SPDX-License-Identifier: BSD-2-Clause
"""Shared by the live and differential tests: a private world of BPF objects, and ways to run the program in it.

A test script calls isolate() first: it runs again in its own mount and network namespace, as root, or skips. World starts
mkobj, which creates the objects and reports them; all objects are freed when the block ends. Other objects of the machine may
exist, also with the same names, come and go: tests check their own ids only. Results go to stdout as "ok - ", "not ok - "
and "skip - " lines.
"""
import atexit
import errno
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from until import CALLS, at_random, blocked, until  # noqa: E402, F401

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
BPFLENS = os.path.abspath(os.environ.get("BPFLENS", BUILD + "/bpflens"))
STRACE = ["strace", "-E", "ASAN_OPTIONS=detect_leaks=0"]  # the sanitizer cannot look for leaks in a traced process
failures = 0
slowness = 0  # time to start processes here, relative to a current machine, at least 1; 0: not measured


def ok(condition, what, detail=""):
    global failures
    if condition:
        print("ok -", what)
    else:
        failures += 1
        print("not ok -", what)
        for line in str(detail).splitlines()[:int(os.environ.get("TEST_LINES", "12"))]:
            print("  |", line[:300])
    sys.stdout.flush()
    return bool(condition)


def skip(what):
    print("skip -", what)
    sys.stdout.flush()


def outcome(good, what, detail=""):
    """Report a comparison; @good None: it was not made, and @what is the reason."""
    if good is None:
        return skip(what)
    return ok(good, what, detail)


def finish():
    sys.exit(1 if failures else 0)


def sanitized():
    """Is the program one of `make san`?"""
    with open(BPFLENS, "rb") as f:
        return b"__asan_init" in f.read()


def patience(seconds):
    """A time limit of so many seconds, extended for a machine that is busy or emulated."""
    global slowness
    if not slowness:
        began = time.monotonic()
        for _ in range(10):
            subprocess.run(["true"])
        slowness = max(1, (time.monotonic() - began) / 0.02)
    return seconds * slowness


def number(name, default):
    """How often a test does something: as BPFLENS_NAME says, or @default."""
    return int(os.environ.get("BPFLENS_" + name, default))


def kernel_knows(name):
    """Do the types of the kernel have this name, such as the enumerator BPF_TCX_INGRESS? Without types: no."""
    try:
        with open("/sys/kernel/btf/vmlinux", "rb") as f:
            return b"\0%s\0" % name.encode() in f.read()
    except OSError:
        return False


def next_call(n):
    """The call to refuse after the @n-th; 0: none yet. After the first ones only one in a few, because most of them are the same call in a
    loop; BPFLENS_FAULTS=all: each."""
    return n + (1 if os.environ.get("BPFLENS_FAULTS") == "all" else 1 + n // 8)


def lock(what, how=fcntl.LOCK_EX):
    """Until the script ends, no other one has it: something that the kernel has once, or that has one name. Scripts that this one runs have it too."""
    if not hasattr(lock, "file"):
        lock.file = open(tempfile.gettempdir() + "/bpflens-tests.lock", "a+")
    fcntl.lockf(lock.file, how, 1, zlib.crc32(what.encode()))


def has_trace_pipe():
    """The trace pipe has one reader. No other script has it from now on; false: another process of the machine has it."""
    def is_free():
        try:
            os.close(os.open("/sys/kernel/tracing/trace_pipe", os.O_RDONLY | os.O_NONBLOCK))
        except OSError as e:
            return e.errno != errno.EBUSY
        return True
    lock("trace_pipe")
    return until(is_free) or skip("another process reads the trace pipe")


def wait_for_others(alone):
    if os.environ.get("BPFLENS_WAITED"):
        return
    os.environ["BPFLENS_WAITED"] = "1"
    lock(os.path.basename(sys.argv[0]))  # of another run; the names of its objects are the same
    lock("gate")  # while one waits to be alone, no other begins
    lock("objects", fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
    lock("gate", fcntl.LOCK_UN)


def waiting_in(directory):
    """The number of a bpflens that was started in the directory and sleeps in poll(2); 0: there is none."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/comm" % pid) as comm, open("/proc/%s/syscall" % pid) as call:
                if os.readlink("/proc/%s/cwd" % pid) == directory and comm.read() == "bpflens\n" and call.read().split()[0] in CALLS["poll"]:
                    return int(pid)
        except (OSError, IndexError):
            continue
    return 0


def children_end():
    """What a script has started does not outlive it, also if it fails."""
    try:
        with open("/proc/self/task/%d/children" % os.getpid()) as f:
            for pid in f.read().split():
                os.kill(int(pid), signal.SIGKILL)
    except OSError:
        pass


def isolate(tasks=False, alone=None):
    """
    @tasks: also in a new process namespace, which has few processes, and they all end with the script.
    @alone: why no other script with objects may run meanwhile; tools/run-tests looks for the word.
    """
    if os.environ.get("BPFLENS_ISOLATED") == str(os.getpid()):
        atexit.register(children_end)
        signal.signal(signal.SIGTERM, lambda *unused: sys.exit(1))  # a time limit must not leave anything running
        return wait_for_others(alone)
    name = os.path.basename(sys.argv[0])
    if os.geteuid() != 0:
        skip(name + ": needs root")
        sys.exit(77)
    if subprocess.run(["unshare", "-mn", "true"], stderr=subprocess.DEVNULL).returncode:
        skip(name + ": unshare -mn is not permitted here")
        sys.exit(77)
    more = ["-pf", "--kill-child", "--mount-proc"] if tasks else []
    if tasks and subprocess.run(["unshare", "-mn"] + more + ["true"], stderr=subprocess.DEVNULL).returncode:
        skip(name + ": unshare -p is not permitted here")
        sys.exit(77)
    os.environ["BPFLENS_ISOLATED"] = "1" if tasks else str(os.getpid())  # exec keeps the pid
    os.execvp("unshare", ["unshare", "-mn", "--propagation", "private"] + more + [sys.executable] + sys.argv)


def linux_since(major, minor):
    """Is the running kernel of that version, or newer?"""
    return tuple(int(re.match(r"\d*", part)[0] or 0) for part in os.uname().release.split(".")[:2]) >= (major, minor)


READER = r'\{\s*"pid": ?\d+,\s*"comm": ?"bpflens"\s*\}'


def without_readers(text):
    """
    @text without the holders of the name bpflens, which read an object for a moment. They may be the first of a list, because process ids
    begin again, or be counted behind the owner.
    """
    listed = r", bpflens\(\d+\)|bpflens\(\d+\), |,\s*" + READER + r"|" + READER + r",\s*|(?<=\[)" + READER + r"(?=\])"
    return re.sub(r"(\w\(\d+\)) \+\d+\b", r"\1", re.sub(listed, "", text))


def steady(out):
    """Output without what other tests move: the runs that the kernel counts while one of them makes it count, and readers."""
    runs = r'(?m)( recursion_misses \d+)?( run_time_ns \d+ run_cnt \d+)( recursion_misses \d+)?$|"(run_time_ns|run_cnt|recursion_misses)": ?\d+,?\s*'
    return without_readers(re.sub(runs, "", out.decode("utf-8", "surrogateescape"))).encode("utf-8", "surrogateescape")


def lacks_only_sockets(r):
    """Is the answer partial, and nothing else is missing than the sockets in a map, because the kernel refuses to walk over them?"""
    said = [line for line in r.errors.splitlines() if not line.startswith(("hint: ", "note: "))]
    return r.status == 5 and bool(said) and all(re.fullmatch(r"bpflens: cannot read the sockets of map \d+: .* \[EPERM\]", line) for line in said)


def strict_json(data):
    """Parse one JSON document: valid UTF-8, no duplicate keys, no NaN, exactly one newline at the end."""
    def no_twins(pairs):
        keys = [k for k, _ in pairs]
        twins = {k for k in keys if keys.count(k) > 1}
        if twins:
            raise ValueError("duplicate keys %s" % sorted(twins))
        return dict(pairs)

    def no_constant(word):
        raise ValueError("not JSON: " + word)

    text = data.decode("utf-8")
    if not text.endswith("\n") or text.endswith("\n\n"):
        raise ValueError("document does not end with one newline: %r" % text[-20:])
    return json.loads(text, object_pairs_hook=no_twins, parse_constant=no_constant)


def closed():
    """May even root not read process 1, as in some containers?"""
    try:
        return not os.readlink("/proc/1/ns/net")
    except OSError:
        return True


# Then it is noted.
UNSEEN = re.compile(rb"note: some processes could not be read; .*\n")


# One object that was gone when it was read, or that came after the list of them had been saved.
MISSED = re.compile(r"bpflens: cannot read .* of ([A-Za-z ]+) (\d+)( and \d+ more)?: .* \[(ENOENT|ESRCH|ENODATA)\]")


class Run:
    """A run of a program, limited to @timeout seconds of a fast machine; the note about processes that this machine hides even from root is left out."""

    def __init__(self, argv, timeout=None, **kw):
        p = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout and patience(timeout), **kw)
        self.argv, self.status, self.out, self.err = argv, p.returncode, p.stdout, p.stderr
        if UNSEEN.search(self.err) and closed():
            self.err = UNSEEN.sub(b"", self.err)

    @property
    def text(self):
        return self.out.decode("utf-8", "replace")

    @property
    def errors(self):
        return self.err.decode("utf-8", "replace")

    @property
    def json(self):
        return strict_json(self.out)

    def __str__(self):
        return "%s\nstatus %s\n%s\n%s" % (" ".join(self.argv), self.status, self.errors[:800], self.text[:800])


class World:
    """with World() as w: w.facts is a list of dicts with kind, id, name and mkobj's key=value words."""

    def __enter__(self):
        signal.signal(signal.SIGTERM, lambda *unused: sys.exit(1))  # a time limit must not leave anything mounted or loaded
        self.dir = tempfile.mkdtemp(prefix="bpflens-live-")
        os.chmod(self.dir, 0o755)
        self.pins = self.dir + "/bpffs"
        os.mkdir(self.pins)
        self.holder = None
        self.facts, self.pid = [], 0
        self.cgroup = ""
        if subprocess.run(["mount", "-t", "bpf", "bpf", self.pins]).returncode:
            shutil.rmtree(self.dir)
            skip("cannot mount a bpffs here")
            sys.exit(77)
        subprocess.run(["mount", "-t", "tracefs", "tracefs", "/sys/kernel/tracing"], stderr=subprocess.DEVNULL)
        subprocess.run(["ip", "link", "set", "lo", "up"], stderr=subprocess.DEVNULL)
        subprocess.run(["ip", "link", "add", "lensnk0", "type", "netkit"], stderr=subprocess.DEVNULL)  # in the test's namespace
        self.lens = self.dir + "/bpflens"  # a copy: an ordinary user may not reach the build directory
        shutil.copy(BPFLENS, self.lens)
        for line in open("/proc/mounts"):
            word = line.split()
            if word[2] == "cgroup2":
                self.cgroup = "%s/%s" % (word[1], os.path.basename(self.dir))
                try:
                    os.mkdir(self.cgroup)
                except OSError:
                    self.cgroup = ""
                break
        return self

    def make(self, *files, **kw):
        """Start mkobj and wait for its facts: one object of each kind, or the programs of object files."""
        tests = BUILD + "/tests/live"
        argv = ["--files"] + list(files) if files else [tests, self.pins, self.cgroup]
        self.holder = subprocess.Popen([tests + "/mkobj"] + argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, universal_newlines=True, **kw)
        self.facts, self.pid = [], 0
        for line in self.holder.stdout:
            word = line.split()
            fact = dict(w.split("=", 1) for w in word[3:] if "=" in w)
            fact.update(kind=word[0], id=int(word[1]), name=word[2])
            if fact["kind"] == "ready":
                self.pid = fact["id"]
                break
            self.facts.append(fact)
        if not self.of("prog"):
            skip("BPF programs cannot be loaded here: " + (self.holder.stderr.readline().strip() or "unknown reason"))
            self.__exit__()
            sys.exit(77)
        return self

    def __exit__(self, *unused):
        if self.holder:
            self.holder.stdin.close()
            self.holder.wait()
        with open("/proc/mounts") as f:
            mounted = [line.split()[1] for line in f]
        for path in [p for p in reversed(mounted) if p.startswith(self.dir + "/")]:  # also those of the test, before the directory is removed
            subprocess.run(["umount", "-l", path], stderr=subprocess.DEVNULL)
        if self.cgroup:
            try:
                os.rmdir(self.cgroup)
            except OSError as e:
                print("# cannot remove %s: %s" % (self.cgroup, e))
        shutil.rmtree(self.dir, ignore_errors=True)

    def of(self, kind):
        return [f for f in self.facts if f["kind"] == kind]

    def ids(self, kind):
        return {f["id"] for f in self.of(kind)}

    def one(self, kind, name):
        return next((f for f in self.of(kind) if f["name"] == name), None)

    def by_id(self, kind, name):
        """The words of a command that mean this object, and not another one with its name."""
        return ["id", self.one(kind, name)["id"]]

    def has(self, what, ident):
        """Is this object, process or cgroup, as messages call them, one of the test?"""
        if what == "process":
            return ident in (self.pid, os.getpid())
        if what == "cgroup":
            return ident in [os.stat(d).st_ino for d, _, _ in os.walk(self.cgroup)] if self.cgroup else False
        return ident in self.ids({"program": "prog", "BTF object": "btf"}.get(what, what))

    def others_missed(self, r):
        """Status 5 for objects of others, which came or went meanwhile, is taken for 0."""
        said = [MISSED.fullmatch(line) for line in r.errors.splitlines() if not line.startswith(("hint: ", "note: "))]
        if r.status == 5 and said and not any(m is None or self.has(m[1], int(m[2])) for m in said):
            r.status = 0
        return r

    def run(self, *args, **kw):
        return self.others_missed(Run([self.lens] + [str(a) for a in args], **kw))

    def as_user(self, *args, **kw):
        """Run as an ordinary user in an empty network namespace."""
        return self.others_missed(Run(["unshare", "-n", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all",
                                       self.lens] + [str(a) for a in args], **kw))
