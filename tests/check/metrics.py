#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""metrics, of every archive: valid text in both formats, with the values of -j; the reader that decides it refuses what is not valid."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LENS = os.environ["BPFLENS"]
sys.path.insert(0, ROOT + "/tests/tools")
import checks  # noqa: E402
from checks import ok  # noqa: E402
from openmetrics import as_json, parse  # noqa: E402

HEAD = b"# HELP a x\n# TYPE a counter\n"
WRONG = [b"", HEAD, HEAD + b"a_total 1\n", HEAD + b"a 1\n# EOF\n", HEAD + b"a_total 1\na_total 1\n# EOF\n", HEAD + b'a_total{b="} 1\n# EOF\n',
         HEAD + b'a_total{b="\\x"} 1\n# EOF\n', HEAD + b'a_total{b="1",b="2"} 1\n# EOF\n', HEAD + HEAD + b"a_total 1\n# EOF\n", b"a_total 1\n# EOF\n",
         HEAD + b"a_total 1\n# HELP b x\n# TYPE b gauge\nb 1\n" + HEAD + b'a_total{b="1"} 1\n# EOF\n', HEAD + b"# UNIT a bytes\n# EOF\n",
         HEAD + b"a_total -1\n# EOF\n", HEAD + b"a_total 1\n# EOF\n# EOF\n", HEAD + b"a_total 1\n# TYPE a gauge\n# EOF\n", HEAD + b'a_total{b="\xff"} 1\n# EOF\n']


def lens(*words):
    return subprocess.run([LENS] + list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)


def refused(data):
    try:
        parse(data)
    except ValueError:
        return True
    return False


def why_not(archive, options):
    """Why the output is not valid; "": it is; None: there is none, because nothing can be listed or the file cannot be read."""
    text, doc, old = (lens("--from", archive, *words, *options) for words in (("metrics",), ("-j", "metrics"), ("metrics", "--format", "prometheus")))
    if not text.stdout:
        return None if text.returncode not in (0, 5) and text.stderr else "no output, status %d" % text.returncode
    try:
        values = parse(text.stdout)
        if values != as_json(json.loads(doc.stdout.decode("utf-8"))) and b"\\\\x" not in text.stdout:  # JSON has bytes that the text does not
            return "-j has other values"
        if values != parse(old.stdout, old=True):
            return "the older format has other values"
    except ValueError as e:
        return str(e)
    with open(last, "wb") as f:
        f.write(old.stdout)
    unread = any(v for (name, _), v in values.items() if name.startswith("bpf_unread_"))
    return "" if text.returncode == (5 if unread else 0) else "status %d" % text.returncode


with tempfile.TemporaryDirectory() as directory:
    last = directory + "/last.prom"
    ok(all(map(refused, WRONG)) and parse(HEAD + b'a_total{b="1\\n"} 1\n# EOF\n') == {("a_total", frozenset([("b", "1\n")])): 1}, "the reader refuses what is not valid",
       [w for w in WRONG if not refused(w)])
    tried = 0
    for archive in sorted(glob.glob(ROOT + "/tests/archives/*.tar*")):
        for options in ((), ("--where", "--unit", "--ids", "--entries"), ("--limit", "7")):
            why = why_not(archive, options)
            tried += why == ""
            if why:
                ok(False, "%s metrics %s" % (os.path.basename(archive), " ".join(options)), why)
    ok(tried > 60, "%d texts of archives are valid, and have the values of JSON" % tried)
    if shutil.which("promtool"):
        with open(last) as f:
            r = subprocess.run(["promtool", "check", "metrics"], stdin=f, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        ok(r.returncode == 0, "promtool check metrics", r.stdout)
    else:
        print("skip - promtool is not installed")
sys.exit(1 if checks.failures else 0)
