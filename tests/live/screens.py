# SPDX-License-Identifier: BSD-2-Clause
"""A program in a terminal whose screen can be read: tmux."""
import itertools
import os
import subprocess

from world import until

numbers = itertools.count()


class Screen:
    """A program in a terminal."""

    def __init__(self, directory, *argv, env=(), columns=80, lines=24):
        self.tmux = ["tmux", "-u", "-S", "%s/tmux%d" % (directory, next(numbers)), "-f", "/dev/null"]
        line = " ".join(["env", "-u", "COLUMNS", "-u", "LINES"] + list(env) + ["'%s'" % a for a in argv])
        clean = {k: v for k, v in os.environ.items() if k not in ("TMUX", "NO_COLOR")}
        subprocess.run(self.tmux + ["new-session", "-d", "-x", str(columns), "-y", str(lines), line + "; echo status $?; sleep 60"], env=clean,
                       check=True)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        subprocess.run(self.tmux + ["kill-server"], stderr=subprocess.DEVNULL)

    def lines(self, colors=False):
        p = subprocess.run(self.tmux + ["capture-pane", "-p"] + ["-e"] * colors, stdout=subprocess.PIPE)
        return p.stdout.decode("utf-8", "replace").splitlines()

    def keys(self, *keys):
        subprocess.run(self.tmux + ["send-keys"] + list(keys), check=True)

    def resize(self, columns, lines):
        subprocess.run(self.tmux + ["resize-window", "-x", str(columns), "-y", str(lines)], check=True)

    def until(self, done, seconds=30, **kw):
        """The screen as soon as done(lines) is true, or at the end of the time."""
        seen = []

        def there():
            seen[:] = self.lines(**kw)
            return done(seen)
        until(there, seconds)
        return seen
