#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Features of the kernel, compared with the distribution's bpftool and with programs loaded one by one; the probing leaves no trace."""
import ctypes
import os
import re
import shutil
import struct
import subprocess
import tempfile
import time

import rawbpf
from world import BPFLENS, STRACE, Run, finish, isolate, linux_since, ok, sanitized, skip

isolate()
BPFTOOL = os.environ.get("BPFTOOL") or shutil.which("bpftool") or "/usr/sbin/bpftool"
# Differences from bpftool 7.1, and the reason.
OTHER = {
    "have_tracing_prog_type": "it tries fentry only; tp_btf and iter are tracing, too",
    "have_ext_prog_type": "it expects one errno and wording of the refusal", "have_lsm_prog_type": "the same",
}
HOOKED = {"bpf_getsockopt", "bpf_setsockopt"}
OTHER_KERNEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "archives", "features_other.tar.gz")
SECTIONS = ("program_types", "map_types", "misc", "syscall_config", "system_config")
EINVAL, EACCES = 22, 13


def lens(*args, **kw):
    return Run([BPFLENS] + list(args), **kw)


def beside_bpftool(ours):
    if not os.access(BPFTOOL, os.X_OK):
        return skip("no bpftool")
    theirs = Run([BPFTOOL, "-j", "feature", "probe", "full"]).json
    missing = [s for s in theirs if s not in ours] + [k for s in theirs for k in theirs[s] if k not in ours.get(s, {})]
    ok(not missing, "all of bpftool's keys", missing)
    other = {k: (v, ours[s].get(k)) for s in SECTIONS for k, v in theirs.get(s, {}).items() if ours[s].get(k) != v and k not in OTHER}
    ok(not other, "with the same values", other)
    # An older bpftool on a newer kernel takes every helper for available: those of bpflens must be a subset. 7.8 does not
    # name the hook of a cgroup_sockopt program, on which two helpers depend.
    more = {k: set(v) - set(theirs["helpers"][k]) - (HOOKED if k.startswith("cgroup_sockopt_") else set()) for k, v in ours["helpers"].items() if theirs["helpers"].get(k)}
    known = set(Run([BPFTOOL, "-j", "feature", "list_builtins", "helpers"]).json)
    more = {k: sorted(v & known) for k, v in more.items() if v & known}
    ok(not more, "every helper is also found by bpftool", more)


def kfuncs(ours):
    """Functions that one type alone may call; all types together have each function of the kernel that is not only for devices or struct_ops."""
    r = lens("-j", "feature", "probe", "kfuncs")
    if "kfuncs" not in ours:
        ok(r.status == 1 and "do not mark" in r.errors, "kfuncs: this kernel does not mark them", r)
        return
    may = {k[:-len("_available_kfuncs")]: set(v or []) for k, v in r.json["available_kfuncs"].items()}
    ok(r.status == 0 and set().union(*may.values()) - {f + "?" for f in ours["kfuncs"]} <= set(ours["kfuncs"]), "kfuncs: those of the kernel", r)
    for name, yes, no in (("bpf_dynptr_from_xdp", "xdp", "sched_cls"), ("bpf_dynptr_from_skb", "sched_cls", "xdp"), ("bpf_rcu_read_lock", "socket_filter", None),
                          ("bpf_task_from_pid", "syscall", "socket_filter")):
        if name in ours["kfuncs"]:
            ok(name in may[yes] and name not in may.get(no, ()), "kfuncs: %s of %s" % (name, yes), sorted(may[yes]))
    unknown = {f for v in may.values() for f in v if f.endswith("?") and not f.startswith("bpf_xdp_metadata_")}
    ok(not unknown, "kfuncs: only those for devices are unknown", unknown)
    r = lens("-j", "--no-load", "feature", "probe", "kfuncs")
    ok(r.status == 5 and r.json["available_kfuncs"] is None, "kfuncs --no-load", r)


def load_call(kind, helper, attach_type=0, flags=0):
    """Load a program that calls a helper and then makes an invalid read: -errno, and the verifier's log."""
    code = struct.pack("<BBhiBBhiBBhi", 0x85, 0, 0, helper, 0xbf, 0x50, 0, 0, 0x95, 0, 0, 0)
    insns, licence, log = ctypes.create_string_buffer(code, 24), ctypes.create_string_buffer(b"GPL"), ctypes.create_string_buffer(4096)
    err = rawbpf.try_bpf(rawbpf.PROG_LOAD, struct.pack(
        "<IIQQIIQII16sII", rawbpf.TYPES[kind], 3, ctypes.addressof(insns), ctypes.addressof(licence), 4, 4096, ctypes.addressof(log), 0, flags,
        b"", 0, attach_type))
    if err >= 0:
        os.close(err)
    return err, log.value.decode("latin-1")


def one_by_one(ours):
    """The fast probe, compared with one load for each helper."""
    names = lens("-j", "feature", "list_builtins", "helpers").json
    for kind, attach_type in (("xdp", 0), ("sched_cls", 0), ("tracepoint", 0), ("sk_lookup", 36), ("cgroup_sock_addr", 10)):  # connect4
        can = set()
        for i, name in enumerate(names[1:], 1):
            err, log = load_call(kind, i, attach_type)
            if err >= 0 or err == -EACCES:
                can.add(name)
        listed = set(ours["helpers"][kind + "_available_helpers"])
        ok(can and can == listed, "helpers of %s, one by one" % kind, sorted(can ^ listed))


def dmesg():
    return subprocess.run(["dmesg"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def no_trace():
    for _ in range(20):  # others may also cause messages
        log = dmesg()
        lens("feature", "probe", "full")
        same = dmesg() == log
        if same:
            break
    ok(same, "nothing in the kernel's log")
    if not shutil.which("strace"):
        return skip("loads of programs: strace is not installed")
    with tempfile.TemporaryDirectory() as d:  # a file for each process
        Run(STRACE + ["-ff", "-o", d + "/trace", "-e", "trace=bpf", BPFLENS, "feature", "probe", "full"], timeout=60)
        loads = [line for name in os.listdir(d) for line in open(d + "/" + name) if "BPF_PROG_LOAD" in line]
    loaded = [line for line in loads if not re.search(r"\) += -1 E\w+ \(.*\)\n$", line)]
    ok(len(loads) > 100 and not loaded, "no program was loaded", "%d calls\n%s" % (len(loads), loaded[:3]))


def speed():
    if not os.access(BPFTOOL, os.X_OK) or sanitized():
        return skip("time beside bpftool")
    best = {}
    for _ in range(15):
        for name in (BPFLENS, BPFTOOL):
            start = time.monotonic()
            Run([name, "-j", "feature", "probe", "full"])
            best[name] = min(best.get(name, 9), time.monotonic() - start)
    told = linux_since(6, 15)  # one load per type; bpftool has one per helper
    ok(best[BPFLENS] <= best[BPFTOOL] * (0.5 if told else 1.3), "at most half of bpftool's time" if told else "about bpftool's time", best)


def macros(ours):
    r = lens("feature", "probe", "full", "macros", "prefix", "MY_")
    lines = r.text.splitlines()
    defined = {w[1]: w[2:] for w in (line.split() for line in lines) if w and w[0] == "#define"}
    ok(r.status == 0 and len(defined) == sum(line.startswith("#define") for line in lines), "macros", r)
    bad = [k for s in SECTIONS[:4] for k, v in ours[s].items()
           if ("MY_" + k.upper() in defined, "MY_NO_" + k.upper() in defined) != (bool(v), not v)]
    ok(not bad, "macros have the same features as JSON", bad)
    bad = [(t, h) for t in ours["helpers"] for h in ours["helpers"][t]
           if defined.get("MY_BPF__PROG_TYPE_%s__HELPER_%s" % (t[:-len("_available_helpers")], h)) != ["1"]]
    count = sum(v == ["1"] for k, v in defined.items() if "__HELPER_" in k)
    ok(not bad and count == sum(map(len, ours["helpers"].values())), "also of helpers", bad)
    if not os.access(BPFTOOL, os.X_OK):
        return skip("no bpftool")
    theirs = Run([BPFTOOL, "feature", "probe", "full", "macros", "prefix", "MY_"]).text
    names = {line.split()[1].replace("MY_NO_", "MY_") for line in theirs.splitlines() if line.startswith("#define")}
    ok(names <= {d.replace("MY_NO_", "MY_") for d in defined}, "all of bpftool's names",
       sorted(names - {d.replace("MY_NO_", "MY_") for d in defined})[:9])
    a, b = (sorted(line for line in text.splitlines() if line and "define" not in line) for text in (theirs, r.text))
    ok(a == b, "and its other lines", "%s\n%s" % (a, b))


def without_privilege():
    r = lens("-j", "feature", "probe", "unprivileged")
    if not ok(r.status == 0, "without capabilities", r):
        return
    if r.json["system_config"]["unprivileged_bpf_disabled"]:
        ok(not any(r.json["program_types"].values()) and set(r.json["refused"].values()) == {"EPERM"}, "all is refused", r.json["refused"])
    else:
        ok(r.json["program_types"]["have_socket_filter_prog_type"], "except socket filters")
    ok(any(lens("-j", "feature", "probe").json["program_types"].values()), "and the next has them again")
    with tempfile.TemporaryDirectory() as d:
        os.chmod(d, 0o755)
        shutil.copy(BPFLENS, d)
        drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"]
        r = Run(drop + [d + "/bpflens", "feature", "probe"])
        ok(r.status == 4 and "missing CAP_SYS_ADMIN, CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON" in r.errors, "an ordinary user", r)
        r = Run(drop + [d + "/bpflens", "feature", "probe", "unprivileged"])
        ok(r.status == 0 and "Scanning eBPF program types..." in r.text, "has 'unprivileged'", r)


def devices():
    r = lens("-j", "feature", "probe", "dev", "lo")
    ok(r.status == 0 and list(r.json["program_types"]) == ["have_sched_cls_prog_type", "have_xdp_prog_type"] and
       not any(r.json["program_types"].values()) and "system_config" not in r.json, "a device that cannot load programs", r)
    r = lens("feature", "probe", "dev", "lens-none")
    ok(r.status == 3 and "unrecognized netdevice 'lens-none'" in r.errors, "a device that does not exist", r)
    r = lens("feature", "probe", "kernel", "dev", "lo")
    ok(r.status == 2, "both", r)


def saved(ours):
    with tempfile.TemporaryDirectory() as d:
        path = d + "/a.tar.gz"
        ok(lens("save", path).status in (0, 5), "save")
        live, there = lens("-j", "feature", "probe"), lens("--from", path, "-j", "feature", "probe")
        ok(there.status == 0 and there.out == live.out, "the same from an archive", there)
        same = lens("feature", "diff", path, "live")
        ok(same.status == 0 and not same.out, "diff: this kernel has not changed", same)
        other = lens("-j", "feature", "diff", "live", OTHER_KERNEL)
        rows = {(r["group"], r.get("type"), r["name"]): r for r in other.json}
        lost = [h for h in ours["helpers"]["socket_filter_available_helpers"]
                if ("helpers", "socket_filter", h) not in rows and h not in ("bpf_map_lookup_elem", "bpf_map_delete_elem", "bpf_ktime_get_ns")]
        ok(other.status == 1 and not set(lost) - {"bpf_trace_printk", "bpf_trace_vprintk", "bpf_probe_write_user"} and
           all(r["change"] == "removed" and r["old"] and not r["new"] for k, r in rows.items() if k[0] == "helpers" and k[1] == "socket_filter"),
           "diff: helpers that the other kernel does not have", lost)
    r = lens("-j", "--no-load", "feature", "probe")
    ok(r.status == 5 and r.json["program_types"] is None and r.json["system_config"] == ours["system_config"], "--no-load", r)


def main():
    r = lens("-j", "feature", "probe", "full")
    if not ok(r.status == 0 and r.json["syscall_config"]["have_bpf_syscall"], "probe", r):
        return
    ours = r.json
    ok(lens("-j", "feature", "probe", "kernel", "full").out == r.out, "twice the same")
    quiet = lens("-j", "feature", "probe").json
    ok(all(not {"bpf_trace_printk", "bpf_trace_vprintk", "bpf_probe_write_user"} & set(h) for h in quiet["helpers"].values()), "'full' is asked for")
    if os.path.exists("/sys/kernel/btf/vmlinux"):
        ok(ours["program_types"]["have_tracing_prog_type"] and "bpf_d_path" in ours["helpers"]["tracing_available_helpers"], "tracing")
    beside_bpftool(ours)
    one_by_one(ours)
    kfuncs(ours)
    no_trace()
    macros(ours)
    without_privilege()
    devices()
    saved(ours)
    speed()


main()
finish()
