# SPDX-License-Identifier: BSD-2-Clause
"""A strict reader of the text of OpenMetrics 1.0, and of the older format of Prometheus; only counters, gauges and infos."""
import re

SUFFIX = {"counter": "_total", "info": "_info", "gauge": ""}
SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\d+(?:\.\d+)?)')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,(?=.)|$)')


def labels(text):
    """{label: value} of what is between braces."""
    found, at = {}, 0
    while text and at < len(text):
        m = LABEL.match(text, at)
        if not m or m[1] in found:
            raise ValueError("labels: %s" % text)
        found[m[1]] = re.sub(r"\\(.)", lambda c: "\n" if c[1] == "n" else c[1], m[2])
        at = m.end()
    return found


class Reader:
    def __init__(self, old):
        self.old, self.about, self.type, self.family, self.closed, self.values = old, {}, None, None, set(), {}

    def head(self, word, family, text):
        """HELP, TYPE and UNIT: each once for a family, before its samples; a family is in one piece."""
        if family != self.family:
            if family in self.closed:
                raise ValueError("in two pieces: " + family)
            self.closed.add(family)
            self.family, self.about, self.type = family, {}, None
        if word in self.about or "sample" in self.about or word == "UNIT" and (self.old or not family.endswith("_" + text)):
            raise ValueError("%s of %s" % (word, family))
        self.about[word] = text
        if word == "TYPE":
            if text not in SUFFIX or self.old and text == "info":
                raise ValueError("type " + text)
            self.type = text

    def sample(self, line):
        m = SAMPLE.fullmatch(line)
        if not m or not {"HELP", "TYPE"} <= set(self.about):
            raise ValueError("sample: " + line)
        if m[1] != (self.family if self.old else self.family + SUFFIX[self.type]) or self.type == "counter" and not m[1].endswith("_total"):
            raise ValueError("%s is not a sample of %s" % (m[1], self.family))
        key = (m[1], frozenset(labels(m[2]).items()))
        if key in self.values:
            raise ValueError("twice: " + line)
        self.about["sample"] = True
        self.values[key] = float(m[3]) if "." in m[3] else int(m[3])


def parse(data, old=False):
    """{(name, frozenset of (label, value)): value}, or ValueError. @old: the format of Prometheus."""
    lines = data.decode("utf-8").split("\n")
    if lines.pop() != "" or not old and (not lines or lines.pop() != "# EOF"):
        raise ValueError("the end is missing")
    r = Reader(old)
    for line in lines:
        m = re.fullmatch(r"# (HELP|TYPE|UNIT) (\S+) (.+)", line)
        if m:
            r.head(*m.groups())
        else:
            r.sample(line)
    return r.values


def as_json(values):
    """The same of `-j metrics`."""
    def of(doc):
        pairs = ((k, v) for k, v in doc.items() if k not in ("metric", "metric_type", "value"))
        return doc["metric"], frozenset((k, v[0] if k == "holder_unit" else str(v)) for k, v in pairs)
    return {of(doc): doc["value"] for doc in values}
