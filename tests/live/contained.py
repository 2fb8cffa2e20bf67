# SPDX-License-Identifier: BSD-2-Clause
"""A container in small: a process in new user and mount namespaces, with a bpffs that delegates rights of bpf(2)."""
import ctypes
import os
import socket
import tempfile

LIBC = ctypes.CDLL(None, use_errno=True)
FSOPEN, FSCONFIG, FSMOUNT, MOVE_MOUNT = 430, 431, 432, 429  # the same on all machines
SET_STRING, CREATE, EMPTY_PATH = 1, 6, 4
NEWUSER, NEWNS = 0x10000000, 0x00020000


def call(number, *args):
    r = LIBC.syscall(number, *args)
    if r < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return r


def inside(there, at, out):
    """The child: it opens a bpffs, which its parent configures and the child mounts; then it runs each line it is sent with sh, and answers the status."""
    if LIBC.unshare(NEWUSER | NEWNS):
        os._exit(1)
    fd = call(FSOPEN, b"bpf", 0)
    socket.send_fds(there, [b"fd"], [fd])
    if there.recv(2) != b"ok":
        os._exit(1)
    call(MOVE_MOUNT, call(FSMOUNT, fd, 0, 0), b"", -100, at.encode(), EMPTY_PATH)
    there.send(b"up")
    os.dup2(out, 1)
    os.dup2(out, 2)
    while True:
        line = there.recv(4096).decode()
        if not line:
            os._exit(0)
        there.send(str(os.waitstatus_to_exitcode(os.system(line))).encode())


class Container:
    """with Container(at, delegate_progs="xdp") as c: c.pid, c.run(line) -> (status, output). OSError: the kernel or the machine has no such containers."""

    def __init__(self, at, **delegated):
        self.at, self.delegated = at, delegated

    def __enter__(self):
        self.here, there = socket.socketpair()
        self.out = tempfile.TemporaryFile()
        os.makedirs(self.at, exist_ok=True)
        self.pid = os.fork()
        if not self.pid:
            self.here.close()
            try:
                inside(there, self.at, self.out.fileno())
            finally:
                os._exit(2)
        there.close()
        try:
            self.begin()
        except OSError:
            self.__exit__()
            raise
        return self

    def begin(self):
        _, fds, _, _ = socket.recv_fds(self.here, 2, 1)
        if not fds:
            raise OSError(0, "this kernel does not open a bpffs in a user namespace")
        for file, text in (("setgroups", "deny"), ("uid_map", "0 0 1"), ("gid_map", "0 0 1")):
            with open("/proc/%d/%s" % (self.pid, file), "w") as f:
                f.write(text)
        for name, value in self.delegated.items():
            call(FSCONFIG, fds[0], SET_STRING, name.encode(), value.encode(), 0)
        call(FSCONFIG, fds[0], CREATE, None, None, 0)
        os.close(fds[0])
        self.here.send(b"ok")
        if self.here.recv(2) != b"up":
            raise OSError(0, "it cannot mount its bpffs")

    def run(self, line):
        os.ftruncate(self.out.fileno(), 0)
        os.lseek(self.out.fileno(), 0, os.SEEK_SET)
        self.here.send(line.encode())
        status = int(self.here.recv(16))
        os.lseek(self.out.fileno(), 0, os.SEEK_SET)
        return status, self.out.read().decode("utf-8", "replace")

    def __exit__(self, *unused):
        self.here.close()
        os.waitpid(self.pid, 0)
        self.out.close()
        os.rmdir(self.at)
