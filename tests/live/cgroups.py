# SPDX-License-Identifier: BSD-2-Clause
"""Nested cgroups with programs at every hook of this kernel: with multi, with override, with neither, and with links."""
import os

import rawbpf

# attach type: its name, the program's type, bpftool's short word
HOOKS = {
    0: ("cgroup_inet_ingress", "cgroup_skb", "ingress"), 1: ("cgroup_inet_egress", "cgroup_skb", "egress"),
    2: ("cgroup_inet_sock_create", "cgroup_sock", "sock_create"), 3: ("cgroup_sock_ops", "sock_ops", "sock_ops"),
    6: ("cgroup_device", "cgroup_device", "device"), 8: ("cgroup_inet4_bind", "cgroup_sock_addr", "bind4"),
    9: ("cgroup_inet6_bind", "cgroup_sock_addr", "bind6"), 10: ("cgroup_inet4_connect", "cgroup_sock_addr", "connect4"),
    11: ("cgroup_inet6_connect", "cgroup_sock_addr", "connect6"), 12: ("cgroup_inet4_post_bind", "cgroup_sock", "post_bind4"),
    13: ("cgroup_inet6_post_bind", "cgroup_sock", "post_bind6"), 14: ("cgroup_udp4_sendmsg", "cgroup_sock_addr", "sendmsg4"),
    15: ("cgroup_udp6_sendmsg", "cgroup_sock_addr", "sendmsg6"), 18: ("cgroup_sysctl", "cgroup_sysctl", "sysctl"),
    19: ("cgroup_udp4_recvmsg", "cgroup_sock_addr", "recvmsg4"), 20: ("cgroup_udp6_recvmsg", "cgroup_sock_addr", "recvmsg6"),
    21: ("cgroup_getsockopt", "cgroup_sockopt", "getsockopt"), 22: ("cgroup_setsockopt", "cgroup_sockopt", "setsockopt"),
    29: ("cgroup_inet4_getpeername", "cgroup_sock_addr", "getpeername4"), 30: ("cgroup_inet6_getpeername", "cgroup_sock_addr", "getpeername6"),
    31: ("cgroup_inet4_getsockname", "cgroup_sock_addr", "getsockname4"), 32: ("cgroup_inet6_getsockname", "cgroup_sock_addr", "getsockname6"),
    34: ("cgroup_inet_sock_release", "cgroup_sock", "sock_release"), 49: ("cgroup_unix_connect", "cgroup_sock_addr", None),
    50: ("cgroup_unix_sendmsg", "cgroup_sock_addr", None), 51: ("cgroup_unix_recvmsg", "cgroup_sock_addr", None),
    52: ("cgroup_unix_getpeername", "cgroup_sock_addr", None), 53: ("cgroup_unix_getsockname", "cgroup_sock_addr", None),
}
OVERRIDE, MULTI = 1, 2


def load(attach_type, name):
    return rawbpf.prog_load(HOOKS[attach_type][1], name, 1, attach_type)


class Tree:
    """with Tree(directory) as t: t.rows is (path, attach type's name, program, flags, link or None) in the order of each hook."""

    def __init__(self, top, depth=20):
        self.top, self.dirs, self.rows, self.fds, self.lacks = top, [], [], [], []
        path = top
        for i in range(depth):
            os.mkdir(path)
            self.dirs.append(path)
            path += "/n%d" % i

    def attach(self, where, attach_type, prog, flags):
        fd = os.open(where, os.O_RDONLY)
        try:
            rawbpf.prog_attach(prog, fd, attach_type, flags)
        finally:
            os.close(fd)
        self.rows.append((where, HOOKS[attach_type][0], rawbpf.object_id(prog), {0: "", 1: "override", 2: "multi"}[flags], None))

    def link(self, where, attach_type, prog):
        fd = os.open(where, os.O_RDONLY)
        try:
            link = rawbpf.link_create(prog, fd, attach_type)
        finally:
            os.close(fd)
        self.fds.append(link)
        self.rows.append((where, HOOKS[attach_type][0], rawbpf.object_id(prog), "multi", rawbpf.object_id(link)))

    def __enter__(self):
        """The modes take turns. Below a program without multi and override, no other program can be attached to its hook."""
        for i, at in enumerate(HOOKS):
            try:
                first, second = (load(at, "%s_%d" % (HOOKS[at][2] or "unix", k)) for k in range(2))
            except OSError:
                self.lacks.append(HOOKS[at][0])
                continue
            self.fds += [first, second]
            mode = i % 4
            if mode == 0:
                for d in self.dirs[::4]:
                    self.attach(d, at, first, MULTI)
                    self.attach(d, at, second, MULTI)
            elif mode == 1:
                for d in self.dirs[1::5]:
                    self.attach(d, at, first, OVERRIDE)
            elif mode == 2:
                self.attach(self.dirs[-1], at, second, 0)
            else:
                self.link(self.dirs[i % len(self.dirs)], at, first)
                self.attach(self.dirs[i % len(self.dirs)], at, first, MULTI)
                self.link(self.dirs[i % len(self.dirs)], at, first)
        return self

    def __exit__(self, *unused):
        for fd in self.fds:
            os.close(fd)
        for d in reversed(self.dirs):
            os.rmdir(d)

    def at(self, where):
        return [r for r in self.rows if r[0] == where]
