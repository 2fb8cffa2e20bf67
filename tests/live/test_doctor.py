#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""doctor: its facts about this machine are equal to what other means show; mounts that come and go; without capabilities; saved."""
import os
import subprocess

from world import World, finish, isolate, ok

isolate()


def states(r):
    return {c["check"]: c for c in r.json}


def setting(path):
    try:
        return int(open("/proc/sys/" + path).read())
    except OSError:
        return None


def settings(now):
    """For each setting, the values without a problem."""
    for check, path, fine in (("jit", "net/core/bpf_jit_enable", (1,)), ("jit_harden", "net/core/bpf_jit_harden", (0, 1)),
                              ("jit_kallsyms", "net/core/bpf_jit_kallsyms", (1,)), ("kptr_restrict", "kernel/kptr_restrict", (0, 1)),
                              ("unprivileged_bpf", "kernel/unprivileged_bpf_disabled", (1, 2)), ("run_counts", "kernel/bpf_stats_enabled", (1,))):
        value = setting(path)
        want = "unknown" if value is None else "ok" if value in fine else "limited"
        ok(now[check]["state"] == want, "%s is %s: %s" % (path, value, want), now[check])


def mounts(w):
    """In a new mount namespace."""
    subprocess.run(["umount", "-a", "-t", "bpf,tracefs"], stderr=subprocess.DEVNULL)
    now = states(w.run("-j", "doctor"))
    ok(now["bpffs"]["state"] == "missing" and now["bpffs"]["remedy"].startswith("mount -t bpf "), "no bpffs is mounted", now["bpffs"])
    ok(now["tracefs"]["state"] == "limited", "no tracefs is mounted", now["tracefs"])
    for kind in ("bpf", "tracefs"):
        os.mkdir(w.dir + "/" + kind)
        subprocess.run(["mount", "-t", kind, kind, w.dir + "/" + kind], check=True)
    now = states(w.run("-j", "doctor"))
    ok(now["bpffs"]["state"] == "ok" and now["bpffs"]["fact"] == w.dir + "/bpf", "a bpffs is mounted", now["bpffs"])
    ok(now["tracefs"]["state"] == "ok" and now["tracefs"]["fact"] == w.dir + "/tracefs", "a tracefs is mounted", now["tracefs"])
    return now


def saved(w, now):
    w.run("save", w.dir + "/m.tar.gz")
    then = states(w.run("--from", w.dir + "/m.tar.gz", "-j", "doctor"))
    for name, check in now.items():
        if name not in ("capabilities", "pinned_maps", "event_buffers"):  # objects of others come and go
            ok(then[name] == check, "%s is the same in an archive" % name, then[name])


def unprivileged(w):
    r = w.as_user("-j", "doctor")
    now = states(r)
    ok(now["capabilities"]["state"] == "limited" and "CAP_BPF" in now["capabilities"]["fact"], "an ordinary user lacks capabilities", r)
    own = os.path.exists("/proc/sys/net/core/bpf_jit_harden")
    ok(("root" if own else "namespace") in now["jit_harden"]["consequence"], "and is refused a setting, with the reason", now["jit_harden"])
    ok(now["kernel_types"]["state"] == "ok", "and sees the kernel's types", r)
    ok(now["iterators"]["state"] == "limited" and "EPERM" in now["iterators"]["fact"], "loads are refused, with the reason", now["iterators"])


with World() as w:
    now = states(w.run("-j", "doctor"))
    settings(now)
    ok((now["kernel_types"]["state"] == "ok") == os.path.exists("/sys/kernel/btf/vmlinux"), "the kernel's types", now["kernel_types"])
    ok(now["bpf_syscall"]["state"] == "ok", "bpf(2) is available", now["bpf_syscall"])
    saved(w, mounts(w))
    unprivileged(w)
finish()
