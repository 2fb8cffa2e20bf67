# SPDX-License-Identifier: BSD-2-Clause
"""A command that attaches programs to another one and measures it, until it is interrupted."""
import signal
import subprocess

from world import blocked, ok


class Measuring:
    def __init__(self, w, *words):
        self.p = subprocess.Popen([w.lens, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def __enter__(self):
        blocked(self.p)  # when it waits, it is attached
        return self

    def __exit__(self, *unused):
        if self.p.poll() is None:
            self.p.kill()
        self.p.communicate()

    def end(self, how=signal.SIGINT):
        self.p.send_signal(how)
        out, err = self.p.communicate(timeout=20)
        return self.p.returncode, out, err


def run(w, name, times, size=64):
    r = w.run("prog", "run", "pinned", w.pins + "/" + name, "data", "00" * size, "repeat", times)
    if r.status:
        ok(False, "a run", r)
