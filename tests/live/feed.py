# SPDX-License-Identifier: BSD-2-Clause
"""Programs that write on request, and commands that print meanwhile."""
import os
import select
import signal
import subprocess
import sys

from world import BPFLENS, BUILD, Run, blocked, patience, skip


class Feed:
    """with Feed() as f: f.maps["feed_ring"] is an id; f.run("ring", 7) runs a program and returns its return value."""

    def __enter__(self):
        tests = BUILD + "/tests/live"
        subprocess.run(["ip", "link", "set", "lo", "up"], stderr=subprocess.DEVNULL)
        mounts = [line.split() for line in open("/proc/mounts")]
        self.cgroup = next((m[1] for m in mounts if m[2] == "cgroup2"), "/")
        self.process = subprocess.Popen([tests + "/feed", tests + "/feed.bpf.o", self.cgroup], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, universal_newlines=True)
        self.maps, self.stored, self.pid = {}, set(), 0
        for line in self.process.stdout:
            word = line.split()
            if word[0] == "ready":
                self.pid = int(word[2])
                return self
            self.maps[word[2]] = word[1]
            self.stored |= set(word[2:3] * (len(word) - 3))
        skip("the feeding programs cannot be loaded here: " + self.process.stderr.read().strip()[-200:])
        sys.exit(77)

    def __exit__(self, *unused):
        self.process.stdin.close()
        self.process.wait()

    def run(self, *words):
        self.process.stdin.write(" ".join(str(w) for w in words) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def lens(self, *args):
        return Run([BPFLENS] + [str(a) for a in args])


class Stream:
    """A command that runs until it is ended. wait() reads until the text arrives; end() returns status, text and errors."""

    def __init__(self, *argv):
        self.process = subprocess.Popen([str(a) for a in argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.text = ""

    def wait(self, text, seconds=5):
        return self.wait_for(lambda got: text in got, seconds)

    def wait_for(self, done, seconds=5):
        fd = self.process.stdout.fileno()
        while not done(self.text) and select.select([fd], [], [], patience(seconds))[0]:
            more = os.read(fd, 1 << 16)
            if not more:
                break
            self.text += more.decode("utf-8", "replace")
        return done(self.text)

    def listening(self):
        """True when it waits for records, in poll(2)."""
        return blocked(self.process)

    def end(self, how=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(how)
        out, err = self.process.communicate(timeout=patience(20))
        self.text += out.decode("utf-8", "replace")
        return self.process.returncode, self.text, err.decode("utf-8", "replace")
