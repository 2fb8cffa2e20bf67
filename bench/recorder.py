# SPDX-License-Identifier: BSD-2-Clause
"""The overhead of `record`: the latency of loads and of system calls while it runs, and the time of the recorder itself."""
import os
import signal
import subprocess
import tempfile
import time

ROUNDS = 5
RATE, SECONDS = 1000, 3  # loads per second, and for how long
HZ = 999
# What `bench/loads` measures, and the aim: a ratio to the time without a recorder, or microseconds more. Then the same with samples.
LATENCIES = (
    ("2", "load of 2 instructions", None, 10),
    ("300", "load of 300 instructions", 1.3, None),
    ("4000", "load of 4,000 instructions", 1.3, None),
    ("bpf", "bpf() that loads nothing", None, 1),
    ("getppid", "another system call", None, None),
)
SAMPLED = (
    ("compute", "computing, -F %d" % HZ, None, None),
    ("run", "1,000 runs of a program, -F %d" % HZ, None, None),
)


class Recorder:
    """`record` without a command; cpu: its CPU time in seconds, after it has ended."""
    def __init__(self, lens, directory, *options):
        self.path = directory + "/recording"
        self.argv = [lens, "record", "-o", self.path] + list(options)
        self.cpu = None

    def __enter__(self):
        self.p = subprocess.Popen(self.argv, stderr=subprocess.DEVNULL)
        while not os.path.exists(self.path + ".partial") and self.p.poll() is None:
            time.sleep(0.01)
        time.sleep(0.7)  # until the objects that exist already are written
        return self

    def __exit__(self, *unused):
        self.p.send_signal(signal.SIGINT)
        usage = os.wait4(self.p.pid, 0)[2]
        self.p.returncode = 0
        self.cpu = usage.ru_utime + usage.ru_stime


def measured(build, *argv):
    out = subprocess.run([build + "/bench/loads"] + list(argv), stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
    return {name: float(value) for name, value in (line.split() for line in out.splitlines())}


def least(a, b):
    return {k: min(a.get(k, b[k]), b[k]) for k in b}


def compared(lens, build, directory, table, argv=(), options=()):
    """Measure with and without a recorder in turn, and take the best median of each, because the machine is not idle."""
    without, beside = {}, {}
    for _ in range(ROUNDS):
        without = least(without, measured(build, *argv))
        with Recorder(lens, directory, *options):
            beside = least(beside, measured(build, *argv))
    for name, what, ratio, more in table:
        a, b = beside[name], without[name]
        met = a <= ratio * b if ratio else a <= b + more if more else True
        aim = "%g times" % ratio if ratio else "%g us more" % more if more else "-"
        print("%-34s %9.2f %10.2f %8.2f %8.2f   %-15s %s" % (what, a, b, a - b, a / b, aim, ("yes" if met else "NO") if ratio or more else ""),
              flush=True)
        if ratio or more:
            yield met


def cpu(lens, build, directory):
    """CPU time of the recorder under load, without the time of its start and end."""
    with Recorder(lens, directory) as idle:
        time.sleep(SECONDS)
    with Recorder(lens, directory) as busy:
        measured(build, str(RATE), str(SECONDS))
    print("%-34s %8.1f%%" % ("CPU at %d loads a second" % RATE, (busy.cpu - idle.cpu) / SECONDS * 100), flush=True)


def rows(lens, build):
    print("%-34s %9s %10s %8s %8s   %-15s %s" % ("beside record", "us", "without us", "more us", "ratio", "aim", "met"))
    with tempfile.TemporaryDirectory() as directory:
        yield from compared(lens, build, directory, LATENCIES)
        yield from compared(lens, build, directory, SAMPLED, ["run"], ["-F", str(HZ)])
        cpu(lens, build, directory)
