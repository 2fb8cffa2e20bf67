# SPDX-License-Identifier: BSD-2-Clause
"""Users of several privileges: pairs of a name, and the words that run a command as that user."""
USER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def only(*caps):
    words = "-all" + "".join(",+" + cap for cap in caps)
    return USER + ["--inh-caps=" + words, "--ambient-caps=" + words, "--bounding-set=" + words]


USERS = (("root", []), ("a user", only()), ("CAP_BPF", only("bpf")), ("CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN", only("bpf", "perfmon", "net_admin")),
         ("CAP_SYS_ADMIN", only("sys_admin")), ("root of a user namespace", only() + ["unshare", "-Ur"]))
