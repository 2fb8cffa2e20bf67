#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""make static: one file that needs no other, with the same output as the ordinary program, including machine code, in the image of
packaging/container."""
import json
import os
import re
import shutil
import subprocess
import sys

import world
from world import Run, World, finish, isolate, ok, sanitized, skip, without_readers

isolate()

if sanitized():
    skip("sanitizers cannot be linked statically")
    sys.exit(77)
libraries = ["bpf", "elf", "z", "cap", "bfd", "opcodes", "iberty"]
bfd = subprocess.run(["gcc", "-print-file-name=libbfd.a"], capture_output=True, text=True).stdout.strip()
if "/" in bfd and b"sframe_encode" in subprocess.run(["nm", "-u", bfd], capture_output=True).stdout:
    libraries.append("sframe")
for library in libraries:
    name = "lib%s.a" % library
    if "/" not in subprocess.run(["gcc", "-print-file-name=" + name], capture_output=True, text=True).stdout:
        skip(name + " is not installed")
        sys.exit(77)

env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
made = subprocess.run(["make", "-s", "static", "BUILD=" + world.BUILD], env=env, capture_output=True, text=True)
program = world.BUILD + "/static/bpflens"
if not ok(made.returncode == 0 and not made.stderr, "make static is silent", made.stderr):
    finish()
headers = Run(["readelf", "-ld", program])
ok(headers.status == 0 and "INTERP" not in headers.text and "NEEDED" not in headers.text, "no other file is needed", headers.text)

if "/" in subprocess.run(["gcc", "-print-file-name=libmicrohttpd.a"], capture_output=True, text=True).stdout:
    features = Run([program, "version"])
    ok(re.search("(?m)^features: .*http", features.text), "the server for metrics is linked", features)
CONTAINERFILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "packaging", "container", "Containerfile")


def built(directory):
    """The root directory of the image that buildah makes; None: it is not installed, or cannot make any here."""
    policy = directory + "/policy.json"
    with open(policy, "w") as f:
        f.write('{"default": [{"type": "insecureAcceptAnything"}]}')
    buildah = ["buildah", "--root", directory + "/images", "--runroot", directory + "/run", "--storage-driver", "vfs", "--registries-conf", "/dev/null"]
    for words in (["bud", "-q", "--isolation", "chroot", "--signature-policy", policy, "-t", "image", "-f", CONTAINERFILE, directory],
                  ["from", "--signature-policy", policy, "--name", "container", "image"], ["mount", "container"]):
        r = Run(buildah + words) if shutil.which("buildah") else None
        if not r or r.status:
            return skip("buildah %s" % ("cannot make images here: " + r.errors.strip()[-100:] if r else "is not installed: the same directory is made here"))
    return r.text.strip()


def container(directory):
    """The root directory of the image, with the program only, so that no library can be found; and what it runs."""
    os.makedirs(directory + "/build/static")
    shutil.copy(program, directory + "/build/static")
    with open(CONTAINERFILE) as f:
        steps = [line.split(None, 1) for line in f.read().splitlines() if line and line[0] != "#"]
    ok([s[0] for s in steps] == ["FROM", "COPY", "ENTRYPOINT"] and steps[0][1] == "scratch", "the image has one file", steps)
    root = built(directory)
    if not root:
        root = directory + "/root"
        os.mkdir(root)
        source, to = steps[1][1].split()
        shutil.copy(os.path.join(directory, source), root + to)
    ok(os.listdir(root) == ["bpflens"], "and no other", os.listdir(root))
    return root, json.loads(steps[2][1])


with World() as w:
    w.make()
    root, entry = container(w.dir + "/context")
    for mount in ("proc", "sys"):
        os.mkdir("%s/%s" % (root, mount))
        subprocess.run(["mount", "--rbind", "/" + mount, "%s/%s" % (root, mount)], check=True)
    progs = sorted(w.ids("prog"))[:20]
    asked = [["prog", "dump", what, "id", str(i)] for i in progs for what in ("xlated", "jited")]
    # Of a file outside of this root directory, the path is another one.
    links = [f["id"] for f in w.of("link") if "mkobj" not in w.run("-j", "link", "show", "id", f["id"]).text.split('"attach_to":')[-1].split(",")[0]]
    for words in asked + [["-j", kind, "show", "id", str(i)] for kind, ids in (("map", w.ids("map")), ("link", links)) for i in sorted(ids)[:10]]:
        here, there = w.run(*words), Run(["chroot", root] + entry + words)
        ok(there.status == 0 and without_readers(here.text) == without_readers(there.text), "static: " + " ".join(words), there)
    there = Run(["chroot", root] + entry + ["version"])
    ok(there.status == 0 and there.text.startswith("bpflens "), "static: version", there)
    there = Run(["chroot", root] + entry + ["-j", "prog", "list"])
    ok(there.status == 0 and w.ids("prog") <= {p["id"] for p in there.json}, "static: prog list", there)
    ok(len(asked) > 10, "static: programs were compared", asked)
finish()
