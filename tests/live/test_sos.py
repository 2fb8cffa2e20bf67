#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The plug-in of sos: its report has the state of the machine, doctor and mem."""
import glob
import os
import shutil
import subprocess
import tarfile

from world import BPFLENS, Run, World, finish, isolate, ok, sanitized, skip

isolate()
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SBIN = "/usr/local/sbin"  # sos looks there


def plugins():
    """The folder of sos's plug-ins; None: sos is not installed."""
    sos = shutil.which("sos")
    if not sos:
        return None
    with open(sos) as f:
        python = f.readline().lstrip("#!").split()
    found = Run(python + ["-c", "import sos.report.plugins as p; print(p.__path__[0])"])
    return found.text.strip() if found.status == 0 else None


def report(w, where):
    """Run sos with the plug-in, and unpack its report: the folder of the output."""
    folders = {name: w.dir + "/" + name for name in ("plugins", "sbin", "reports")}
    shutil.copytree(where, folders["plugins"])
    shutil.copy(ROOT + "/packaging/sos/bpflens.py", folders["plugins"])
    os.mkdir(folders["sbin"])
    os.mkdir(folders["reports"])
    os.symlink(BPFLENS, folders["sbin"] + "/bpflens")
    for name, over in (("plugins", where), ("sbin", SBIN)):  # only we see it
        subprocess.run(["mount", "--bind", folders[name], over], check=True)
    r = Run(["sos", "report", "--batch", "-q", "-o", "bpflens", "--tmp-dir", folders["reports"]], stdin=subprocess.DEVNULL)
    files = [f for f in glob.glob(folders["reports"] + "/*.tar*") if not f.endswith((".md5", ".sha256"))]
    if not ok(r.status == 0 and len(files) == 1, "sos makes a report with the plug-in", r):
        return None
    with tarfile.open(files[0]) as tar:
        mine = [m for m in tar.getmembers() if "/sos_commands/bpflens/" in m.name and m.isfile()]
        for m in mine:
            m.name = os.path.basename(m.name)
            tar.extract(m, w.dir + "/unpacked")
    return w.dir + "/unpacked"


where = plugins()
if not where or not os.path.isdir(SBIN) or sanitized():
    skip("the program is sanitized" if sanitized() else "sos or %s is not installed" % SBIN)
    finish()
with World() as w:
    w.make()
    folder = report(w, where)
    if folder:
        names = sorted(os.listdir(folder))
        ok(names == ["bpf.tar.gz", "bpflens_doctor", "bpflens_mem_--by_owner"], "it has save, doctor and mem", names)
        saved = Run([BPFLENS, "--from", folder + "/bpf.tar.gz", "-j", "prog", "show"])
        ok(saved.status == 0 and set(w.ids("prog")) <= {p["id"] for p in saved.json}, "the state can be read elsewhere", saved)
        with open(folder + "/bpflens_doctor") as doctor, open(folder + "/bpflens_mem_--by_owner") as mem:
            ok(any(line.split()[:1] in (["ok"], ["limited"], ["missing"]) for line in doctor), "doctor")
            ok(mem.readline().split()[:2] == ["SUM_OF", "OBJECTS"] and "total" in mem.read(), "mem")
finish()
