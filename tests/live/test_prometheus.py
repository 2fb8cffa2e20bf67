#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""metrics, read by Prometheus itself: over HTTP, and as a file by node_exporter. The run time of a program is what the kernel counts, within 5 %."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

from rawbpf import ENABLE_STATS, bpf, counted, prog_load, test_run
from world import World, finish, isolate, ok, patience, until

isolate()
for program in ("prometheus", "prometheus-node-exporter"):
    if not shutil.which(program):
        print("skip - %s is not installed" % program)
        sys.exit(77)
LISTEN, SERVER, EXPORTER = 9433, 9090, 9100
WINDOW = 10  # seconds of rate()
NAME = "l_known_cost"


class Load(threading.Thread):
    """Runs a program at a known rate, 100 times a second 2,000 runs, and notes what the kernel counts: (time, seconds of runs)."""

    def __init__(self):
        super().__init__(daemon=True)
        self.fd, self.over, self.seen = prog_load("socket_filter", NAME, additions=200), threading.Event(), []

    def run(self):
        due = time.monotonic()
        while not self.over.is_set():
            test_run(self.fd, 2000)
            self.seen.append((time.time(), counted(self.fd)[1] / 1e9))
            due = max(due + 0.01, time.monotonic() - 0.1)
            self.over.wait(max(0, due - time.monotonic()))

    def rate(self, start, end):
        """Seconds a second between two moments."""
        inside = [s for s in self.seen if start <= s[0] <= end]
        return (inside[-1][1] - inside[0][1]) / (inside[-1][0] - inside[0][0])


def start(log, *words):
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)


def fetch(port, path):
    try:
        with urllib.request.urlopen("http://127.0.0.1:%d%s" % (port, path), timeout=patience(20)) as r:
            return r.read()
    except OSError:
        return b""


def query(text, at):
    """The value of the only sample, and None if there is none."""
    answer = fetch(SERVER, "/api/v1/query?" + urllib.parse.urlencode({"query": text, "time": "%.3f" % at}))
    found = json.loads(answer)["data"]["result"] if answer else []
    return float(found[0]["value"][1]) if len(found) == 1 else None


def textfile(w, stop):
    """What a timer does, each second."""
    while not stop.is_set():
        w.run("metrics", "--limit", "1000000", "--format", "prometheus", "--output", w.dir + "/textfile/bpflens.prom")
        stop.wait(1)


def configured(w):
    os.mkdir(w.dir + "/textfile")
    with open(w.dir + "/prometheus.yml", "w") as f:
        f.write("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: ['%s/examples/bpflens.rules.yml']\nscrape_configs:\n" %
                os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")))
        for job, port in (("bpflens", LISTEN), ("node", EXPORTER)):
            f.write("- {job_name: %s, static_configs: [{targets: ['127.0.0.1:%d']}]}\n" % (job, port))


def compared(load):
    """rate() over the same seconds as the kernel's own counter; the last sample is up to a second older than its end."""
    def enough(job):
        return (query('count_over_time(bpf_prog_run_seconds_total{name="%s",job="%s"}[%ds])' % (NAME, job, WINDOW), time.time()) or 0) >= WINDOW - 2
    for job in ("bpflens", "node"):
        ok(until(lambda: enough(job), patience(60), 0.5), "%s: the series is there" % job, fetch(SERVER, "/api/v1/targets")[:800])
        tries = []

        def close():
            now = time.time()
            got, real = query('rate(bpf_prog_run_seconds_total{name="%s",job="%s"}[%ds])' % (NAME, job, WINDOW), now), load.rate(now - WINDOW, now)
            tries.append((got, real))
            return got is not None and abs(got / real - 1) <= 0.05
        good = until(close, 20, 1)
        ok(good, "%s: rate() is what the kernel counts within 5 %%: %.5f and %.5f seconds a second" % (job, tries[-1][0] or 0, tries[-1][1]), tries)
        up = query('up{job="%s"}' % job, time.time())
        ok(up == 1, "%s: the server accepts all of it" % job, up)
        runs = query('rate(bpf_prog_runs_total{name="%s",job="%s"}[%ds])' % (NAME, job, WINDOW), time.time())
        ok(runs and 0 < runs < 1.1 * 200000, "%s: runs a second: %s" % (job, runs))
    rules = json.loads(fetch(SERVER, "/api/v1/rules") or "{}").get("data", {}).get("groups", [])
    bad = [r["name"] for g in rules for r in g["rules"] if r["health"] == "err"]
    ok(len(rules) == 1 and not bad, "the alerts are evaluated", bad)


with World() as w:
    configured(w)
    counting, load, stop = bpf(ENABLE_STATS, b"\0" * 4), Load(), threading.Event()
    writer = threading.Thread(target=textfile, args=(w, stop), daemon=True)
    with open(w.dir + "/log", "w+") as log:
        processes = [start(log, w.lens, "metrics", "--limit", "1000000", "--listen", str(LISTEN)),
                     start(log, "prometheus-node-exporter", "--web.listen-address=127.0.0.1:%d" % EXPORTER, "--collector.disable-defaults", "--collector.textfile",
                           "--collector.textfile.directory=" + w.dir + "/textfile"),
                     start(log, "prometheus", "--config.file=" + w.dir + "/prometheus.yml", "--storage.tsdb.path=" + w.dir + "/data",
                           "--web.listen-address=127.0.0.1:%d" % SERVER)]
        try:
            load.start()
            writer.start()
            if ok(until(lambda: b"Ready" in fetch(SERVER, "/-/ready"), patience(30), 0.2), "the server is ready", open(w.dir + "/log").read()[-2000:]):
                compared(load)
                ok(re.search(rb'bpf_prog_runs_total\{name="%s"' % NAME.encode(), fetch(EXPORTER, "/metrics")), "node_exporter serves the file")
        finally:
            stop.set()
            load.over.set()
            writer.join()
            load.join()
            for p in processes:
                p.send_signal(signal.SIGTERM)
            for p in processes:
                p.wait(timeout=patience(30))
            os.close(load.fd)
            os.close(counting)
finish()
