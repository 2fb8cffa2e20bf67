# SPDX-License-Identifier: BSD-2-Clause
"""The tasks of this directory: "# QUESTION", "# FLAG..." or none, "$ COMMAND LINE", and the screen after it."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE + "/../tools")
from until import until  # noqa: E402

KEYS, KEYS_OFTEN, OFTEN = 60, 30, 10


class Task:
    def __init__(self, name):
        self.path = os.path.join(HERE, name)
        with open(self.path) as f:
            lines = f.read().split("\n")
        at = next(i for i, line in enumerate(lines) if line.startswith("$ "))
        self.head, self.name, self.command = lines[:at + 1], name, lines[at][2:]
        self.flags = lines[1][2:].split() if at > 1 else []
        self.screen = "\n".join(lines[at + 1:])
        self.source = next((f[5:] for f in self.flags if f.startswith("from=")), "tasks")

    def keys(self):
        """Number of keys, with Enter."""
        tabs = self.command.count("<TAB>")
        return len(self.command.replace("<TAB>", "")) + (tabs or 1)

    def shows(self, screen):
        """Is this the screen in the file? With TASKS=update it is written to the file."""
        screen = screen.rstrip("\n") + "\n"
        if os.environ.get("TASKS") == "update":
            with open(self.path, "w") as f:
                f.write("\n".join(self.head) + "\n" + screen)
            return True
        return self.screen == screen


def tasks():
    return [Task(name) for name in sorted(os.listdir(HERE)) if re.match(r"\d\d-", name)]


def screen(task, directory, **env):
    """The screen of 80 columns after the command line, or after TAB at its end; @directory has bpflens and its files."""
    tmux = ["tmux", "-u", "-S", "%s/%s" % (directory, task.name), "-f", "/dev/null"]
    keep = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "MAKE", "BUILD", "ASAN_OPTIONS")}
    keep.update(env, PATH=directory + ":" + os.environ["PATH"], TZ="UTC", LC_ALL="C.UTF-8", BPFLENS_PAGER="cat", PS1="> ", INPUTRC="/dev/null")
    shell = "exec bash --norc --noprofile -i" if "<TAB>" in task.command else "sh %s/line; echo status $? > %s/status; %s; sleep 60" % (directory, directory, DONE)
    with open(directory + "/line", "w") as f:
        f.write(task.command + "\n")
    if os.path.exists(directory + "/status"):
        os.unlink(directory + "/status")
    subprocess.run(tmux + ["new-session", "-d", "-x", "80", "-y", "50", shell], cwd=directory, env=keep, check=True)
    try:
        return pressed(task, tmux) if "<TAB>" in task.command else shown(tmux, directory)
    finally:
        subprocess.run(tmux + ["kill-server"], stderr=subprocess.DEVNULL)


def captured(tmux):
    p = subprocess.run(tmux + ["capture-pane", "-p", "-J", "-S", "-1000"], stdout=subprocess.PIPE)
    lines = p.stdout.decode("utf-8", "replace").expandtabs().splitlines()  # tmux keeps tabs since 3.6
    return "\n".join(re.sub(r"^bash-[\d.]+[#$] ", "> ", line.rstrip()) for line in lines).rstrip("\n")


DONE = r"printf '\033]2;done\007'"  # a title, which tmux sets after it has drawn what came before


def drawn(tmux):
    until(lambda: subprocess.run(tmux + ["display-message", "-p", "#{pane_title}"], stdout=subprocess.PIPE).stdout == b"done\n", 60)


def shown(tmux, directory):
    drawn(tmux)
    with open(directory + "/status") as f:
        status = f.read().strip()
    return captured(tmux) + ("" if status == "status 0" else "\n" + status)


def pressed(task, tmux):
    setup = "source %s/../../bash-completion/bpflens; clear; %s" % (HERE, DONE)
    subprocess.run(tmux + ["send-keys", setup, "Enter"], check=True)
    drawn(tmux)
    subprocess.run(tmux + ["send-keys", task.command.replace("<TAB>", "")], check=True)
    for _ in range(task.command.count("<TAB>")):
        subprocess.run(tmux + ["send-keys", "Tab"], check=True)
    until(lambda: len(captured(tmux).splitlines()) > 1 and task.shows(captured(tmux)))
    return captured(tmux)
