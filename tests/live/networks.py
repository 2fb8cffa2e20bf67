# SPDX-License-Identifier: BSD-2-Clause
"""Network namespaces for tests: one with a name, one that a task holds, one that a descriptor holds."""
import ctypes
import os
import subprocess

from world import BUILD, Run

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000


def run(*argv):
    r = Run([str(a) for a in argv])
    if r.status:
        raise RuntimeError(str(r))
    return r


def ino(path):
    return os.stat(path).st_ino


class Networks:
    """with Networks(w) as n: n.blue, n.red, n.green are inode numbers; n.at(ino) are the words that run a command in one."""

    def __init__(self, w):
        self.w = w

    def __enter__(self):
        os.makedirs("/run/netns", exist_ok=True)
        run("mount", "-t", "tmpfs", "tmpfs", "/run/netns")  # only we see it
        run("ip", "netns", "add", "blue")
        self.own, self.blue = ino("/proc/self/ns/net"), ino("/run/netns/blue")
        self.task = subprocess.Popen(["unshare", "-n", "sh", "-c", "echo; read x"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.task.stdout.readline()
        self.red_path = "/proc/%d/ns/net" % self.task.pid
        self.red = ino(self.red_path)
        self.fd = self.elsewhere(lambda: os.open("/proc/self/ns/net", os.O_RDONLY))
        self.green = os.fstat(self.fd).st_ino
        self.paths = {self.blue: "/run/netns/blue", self.red: self.red_path, self.green: "/proc/%d/fd/%d" % (os.getpid(), self.fd)}
        self.names = {self.own: "", self.blue: "blue:", self.red: "%d:" % self.red, self.green: "%d:" % self.green}
        self.makers = []
        return self

    def __exit__(self, *unused):
        for p in self.makers:
            p.stdin.close()
            p.wait()
        self.task.stdin.close()
        self.task.wait()
        os.close(self.fd)
        subprocess.run(["ip", "netns", "del", "blue"])
        subprocess.run(["umount", "-l", "/run/netns"])

    @staticmethod
    def elsewhere(make):
        """Run @make in a new namespace, and return its result."""
        own = os.open("/proc/self/ns/net", os.O_RDONLY)
        LIBC.unshare(CLONE_NEWNET)
        made = make()
        LIBC.setns(own, CLONE_NEWNET)
        os.close(own)
        return made

    def at(self, ns):
        return ["nsenter", "--net=" + self.paths[ns]] if ns in self.paths else []

    def ip(self, ns, *words):
        return run(*(self.at(ns) + ["ip"] + list(words)))

    def tc(self, ns, *words):
        return run(*(self.at(ns) + ["tc"] + list(words)))

    def links(self, ns):
        """Create one of each of mkobj's links in a namespace; return their facts by name."""
        p = subprocess.Popen(self.at(ns) + [BUILD + "/tests/live/mkobj", BUILD + "/tests/live"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True)
        self.makers.append(p)
        facts = {}
        for line in p.stdout:
            word = line.split()
            if word[0] == "ready":
                break
            facts[word[0], word[2]] = int(word[1])
        return facts
