# SPDX-License-Identifier: BSD-2-Clause
"""A program whose runs are known, by the commands of the program."""
from world import BUILD, finish, ok

OBJECT = BUILD + "/tests/live/run.bpf.o"


def load(w, name):
    r = w.run("prog", "load", OBJECT, w.pins + "/" + name, "only", "lens_socket")
    if not ok(r.status == 0, "load", r):
        finish()
    return w.run("-j", "prog", "show", "pinned", w.pins + "/" + name).json["id"]


def run(w, name, times):
    r = w.run("prog", "run", "pinned", w.pins + "/" + name, "data", "00" * 64, "repeat", times)
    if r.status:
        ok(False, "a run", r)
