#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The units of packaging/ and examples/ under a real systemd, which is process 1 of a container with a copy of the machine's files. Services read as much as
the same command without their restrictions, record again after kill -9, and are started by a request to the socket."""
import glob
import http.client
import os
import re
import shutil
import subprocess
import sys

from rawbpf import prog_load
from recordings import members
from world import BPFLENS, Run, World, finish, isolate, ok, patience, sanitized, skip, until

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from openmetrics import parse  # noqa: E402

isolate()
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SYSTEMD = next((p for p in ("/usr/lib/systemd/systemd", "/lib/systemd/systemd") if os.path.exists(p)), None)
PROM = "/var/lib/prometheus/node-exporter"
TARGETS = ("sysinit", "basic", "sockets", "timers", "default", "shutdown", "umount", "multi-user")  # without what the machine has in them
# What container managers mount; settings of the kernel are read-only. Nothing of it outlives the container.
BOOT = r"""set -e
up=$1 r=$1/root
mount -t tmpfs -o mode=755 up "$up"
mkdir "$up/w" "$up/u" "$r"
mount -t overlay -o "lowerdir=/,upperdir=$up/u,workdir=$up/w" root "$r"
mount -t proc proc "$r/proc"
mount --bind "$r/proc/sys" "$r/proc/sys"
mount -o remount,bind,ro "$r/proc/sys"
mount -t sysfs sysfs "$r/sys"
mount -t tracefs tracefs "$r/sys/kernel/tracing" 2> /dev/null || true
mount -t cgroup2 cgroup2 "$r/sys/fs/cgroup"
mount -t bpf bpf "$r/sys/fs/bpf"
mount -o remount,bind,ro "$r/sys"
for d in dev run tmp; do mount -t tmpfs -o mode=755 "$d" "$r/$d"; done
for d in null zero full random urandom tty; do : > "$r/dev/$d"; mount --bind "/dev/$d" "$r/dev/$d"; done
mkdir "$r/dev/pts" "$r/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$r/dev/pts"
ln -s pts/ptmx "$r/dev/ptmx"
mkdir -p "$r/tmp/old" "$r@PROM@" "$r/var/lib/private"
rm -rf "$r/var/lib/bpflens"
cp "$2" "$r/usr/sbin/bpflens"
cp -r "$3" "$r/run/units"
cd "$r"
pivot_root . tmp/old
umount -l /tmp/old
exec env -i container=test SYSTEMD_UNIT_PATH=/run/units PATH=/usr/sbin:/usr/bin:/sbin:/bin "$4"
""".replace("@PROM@", PROM)


def units(d):
    """Only these units exist. Returns the directory."""
    path = d + "/units"
    os.mkdir(path)
    for unit in glob.glob(SOURCE + "/packaging/*.service") + glob.glob(SOURCE + "/examples/bpflens-*.[st]*"):
        shutil.copy(unit, path)
    for name in TARGETS:
        with open("%s/%s.target" % (path, name), "w") as f:
            f.write("[Unit]\nDefaultDependencies=no\n")
    os.mkdir(path + "/service.d")
    with open(path + "/service.d/log.conf", "w") as f:
        f.write("[Service]\nStandardError=append:/run/log\n")
    return path


class Machine:
    """with Machine(world) as m: systemd runs; m.root is its root directory."""

    def __init__(self, w):
        self.w, self.log, self.at, self.first = w, w.dir + "/log", w.dir + "/up", None

    def __enter__(self):
        os.mkdir(self.at)
        # Only what is inside is in the cgroup: with other processes in it, its controllers cannot be used.
        enter = 'echo 0 > "$0" && exec unshare -C "$@"'
        with open(self.log, "w") as log:
            self.p = subprocess.Popen(["unshare", "-mpui", "--fork", "--kill-child", "--propagation", "private", "sh", "-c", enter, self.w.cgroup + "/cgroup.procs",
                                       "sh", "-c", BOOT, "sh", self.at, BPFLENS, units(self.w.dir), SYSTEMD], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        up = until(lambda: self.p.poll() is not None or self.systemctl("is-system-running").text.strip() in ("running", "degraded"), patience(30))
        self.up = up and self.p.poll() is None
        return self

    def inside(self, *words):
        """The words that run a command there."""
        if not self.first:
            with open("/proc/%d/task/%d/children" % (self.p.pid, self.p.pid)) as f:
                self.first = f.read().strip()
        return ["nsenter", "-t", self.first or "0", "-m", "-p", "-u", "-i", "-C", "--"] + list(words)

    def systemctl(self, *words):
        return Run(self.inside("systemctl", *words), timeout=60)

    def shown(self, unit, *names):
        got = dict(line.split("=", 1) for line in self.systemctl("show", unit, "-p", ",".join(names)).text.splitlines())
        return [got.get(name) for name in names]

    def path(self, path):
        return "/proc/%s/root%s" % (self.first, path)

    def __exit__(self, *unused):
        self.p.kill()
        self.p.wait()
        for top, dirs, _ in os.walk(self.w.cgroup, topdown=False):
            for d in dirs:
                until(lambda path=top + "/" + d: not os.path.exists(path) or not Run(["rmdir", path]).status, 10)


def told(m):
    """What the services said, and how they are."""
    with open(m.path("/run/log")) as f:
        return f.read() + m.systemctl("status", "bpflens*").text


def names(path):
    return Run([BPFLENS, "--from", path, "prog", "list", "-o", "name", "--noheadings"]).text.split()


def records(m, d):
    """The black box: complete, killed, and stopped."""
    unit, box = "bpflens-record.service", m.path("/var/lib/bpflens")
    r = m.systemctl("start", unit)
    partial = box + "/record.partial"
    ok(r.status == 0 and until(lambda: os.path.exists(partial), patience(30)), "%s starts" % unit, told(m))
    fd = prog_load("socket_filter", "unit_one", 1)
    os.close(fd)
    ok(until(lambda: "unit_one" in names(partial), patience(30), 0.3), "it records what another process loads")
    modes = [os.stat(p).st_mode & 0o7777 for p in (box, partial)]
    ok(modes == [0o700, 0o600], "only root can read it", [oct(mode) for mode in modes])
    r = m.systemctl("kill", "-s", "KILL", unit)
    again = box + "/record.1.partial"
    ok(until(lambda: os.path.exists(again), patience(40)) and m.shown(unit, "ActiveState", "NRestarts") == ["active", "1"], "killed, it starts again", r)
    ok("unit_one" in names(partial), "what it had recorded is there", os.listdir(box))
    os.close(prog_load("socket_filter", "unit_two", 1))
    until(lambda: "unit_two" in names(again), patience(30), 0.3)
    print("# %s: %s bytes of memory" % (unit, m.shown(unit, "MemoryCurrent")[0]))
    r = m.systemctl("stop", unit)
    ok(r.status == 0 and m.shown(unit, "ActiveState", "Result") == ["inactive", "success"] and os.path.exists(box + "/record.1"), "stopped, the file is complete", r)
    ok("unit_two" in names(box + "/record.1"), "with what was loaded meanwhile", os.listdir(box))
    free = d + "/free"
    Run([BPFLENS, "record", "-o", free, "--seconds", "1"], timeout=60)
    more = {name for name in set(members(box + "/record.1")) - set(members(free)) if name.endswith(".errno")}
    more = [name for name in more if not re.match(r"(prog|map|link|btf|task|cgroup|net)/", name)]
    ok(not more, "nothing is refused to it", more)


def get():
    c = http.client.HTTPConnection("127.0.0.1", 9433, timeout=patience(30))
    try:
        c.request("GET", "/metrics")
        r = c.getresponse()
        return parse(r.read(), True) if r.status == 200 else {}
    except (OSError, http.client.HTTPException):
        return {}
    finally:
        c.close()


def complete(values, what):
    """The metrics say what could not be read; what the machine of the test hides is also missing without the unit."""
    free = parse(Run([BPFLENS, "metrics", "--no-load", "--format", "prometheus"]).out, True)
    less = [k for k in values if k[0].startswith("bpf_unread") and values[k] > free.get(k, 0)]
    less += [k for k in free if ("name", "unit_held") in k[1] and k not in values]
    ok(values and not less, what, less)


def serves(m):
    unit, sock = "bpflens-metrics.service", "bpflens-metrics.socket"
    r = m.systemctl("start", sock)
    ok(r.status == 0 and m.shown(unit, "ActiveState") == ["inactive"], "%s starts" % sock, r)
    first = get()
    if not first and "is not installed" in told(m):
        skip("libmicrohttpd is not installed")
        m.systemctl("stop", sock, unit)
        return
    complete(first, "a request to the socket starts the service, to which nothing is refused")
    ok(m.shown(unit, "ActiveState") == ["active"], "it runs")
    m.systemctl("kill", "-s", "KILL", unit)
    ok(until(get, patience(30), 0.2), "killed, it starts again")
    r = m.systemctl("stop", sock, unit)
    ok(r.status == 0 and m.shown(unit, "ActiveState", "Result") == ["inactive", "success"], "both stop", r)
    r = m.systemctl("start", unit)
    ok(r.status == 0 and until(get, patience(30), 0.2), "without the socket, it listens itself", r)
    m.systemctl("stop", unit)


def collects(m):
    unit, timer, path = "bpflens-textfile.service", "bpflens-textfile.timer", m.path(PROM + "/bpflens.prom")
    r = m.systemctl("start", unit)
    ok(r.status == 0 and m.shown(unit, "Result") == ["success"], "%s runs" % unit, r)
    with open(path, "rb") as f:
        complete(parse(f.read(), True), "nothing is refused to it")
    ok(os.stat(path).st_mode & 0o7777 == 0o644, "others may read its file")
    os.unlink(path)
    r = m.systemctl("start", timer)
    ok(r.status == 0 and until(lambda: os.path.exists(path), patience(60)), "%s starts it" % timer, r)
    m.systemctl("stop", timer)


def main(w):
    if sanitized() or not SYSTEMD or not w.cgroup or not shutil.which("systemctl"):
        skip("needs systemd, a cgroup2, and a program without sanitizers")
        return
    with Machine(w) as m:
        if not m.up and m.p.poll() is not None:
            with open(m.log) as f:
                skip("systemd cannot be run in a container: " + (f.read().strip().splitlines() or ["status %d" % m.p.returncode])[-1])
            return
        if not ok(m.up, "systemd runs in a container"):
            return
        records(m, w.dir)
        fd = prog_load("socket_filter", "unit_held", 1)
        serves(m)
        collects(m)
        os.close(fd)


with World() as world:
    main(world)
finish()
