#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""examples/: units, configuration and alerts are accepted by their own programs, and name metrics and options that there are."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, ROOT + "/tests/tools")
import checks  # noqa: E402
from checks import ok  # noqa: E402

LENS = os.environ["BPFLENS"]
EXPOSURE = 2.5  # of the service that runs all the time, as systemd-analyze counts


def run(*words):
    return subprocess.run(words, cwd=ROOT + "/examples", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, timeout=60)


def read(name):
    with open(os.path.join(ROOT, "examples", name)) as f:
        return f.read()


def accepted(*words):
    r = run(*words)
    ok(r.returncode == 0, " ".join(words), r.stdout)


known = {m[1] for m in re.finditer(r"(?m)^\.It (?:Li )?(bpf(?:lens)?_\w+)", open(os.environ["BUILD"] + "/man/bpflens-metrics.8").read())}
ok(len(known) > 10, "metrics of the manual", known)
for name in ("bpflens.rules.yml", "bpflens.rules.test.yml", "grafana-dashboard.json"):
    used = set(re.findall(r"\bbpf(?:lens)?_\w+", read(name)))
    ok(used and used <= known, name + ": its metrics are in the manual", used - known)
panels = json.loads(read("grafana-dashboard.json"))["panels"]
ok(len({p["id"] for p in panels}) == len(panels) > 5, "grafana-dashboard.json: panels")
for path in sorted(glob.glob(ROOT + "/examples/*.service")):
    words = re.search(r"(?m)^ExecStart=/usr/sbin/bpflens (.*)$", read(path))[1].split()
    options = set(re.findall(r"--[\w-]+", run(LENS, "help", "metrics").stdout)) | {"--no-load"}
    ok({w for w in words if w[0] == "-"} <= options, os.path.basename(path) + ": its options", words)
if shutil.which("promtool"):
    accepted("promtool", "check", "config", "prometheus.yml")
    accepted("promtool", "check", "rules", "bpflens.rules.yml")
    accepted("promtool", "test", "rules", "bpflens.rules.test.yml")
else:
    print("skip - promtool is not installed")
if run("systemd-analyze", "security", "--help").stdout.find("--offline") >= 0 if shutil.which("systemd-analyze") else False:
    for name in ("bpflens-metrics.service", "bpflens-textfile.service"):
        r = run("systemd-analyze", "security", "--offline=yes", os.path.join(ROOT, "examples", name))
        m = re.search(r"exposure level for \S+ ([\d.]+)", r.stdout)
        ok(m and float(m[1]) <= EXPOSURE, "%s: exposure %s" % (name, m and m[1]), r.stdout[-300:])
else:
    print("skip - systemd-analyze security --offline is not here")
sys.exit(1 if checks.failures else 0)
