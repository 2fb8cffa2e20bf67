# SPDX-License-Identifier: BSD-2-Clause
"""What the output of a command about the whole machine says of a world (world.py). Other processes may load and free objects meanwhile, and so
make columns wider: only this part is the same the next time."""
import json
import re

OBJECTS = ("prog", "map", "link", "btf")
NAMED = re.compile(r"\b(prog|map|link|btf) (\d+)\b")


class Own:
    def __init__(self, w):
        self.world = w
        self.ids = {kind: w.ids(kind) for kind in OBJECTS}
        self.ids["btf"] = {b["id"] for b in w.run("-j", "btf", "show").json if w.pid in [p["pid"] for p in b.get("pids", [])]}

    def part(self, args, out):
        """The records of @out, lines of a table, or nodes and edges, as strings; args: the command that printed it."""
        words = [str(a) for a in args if not str(a).startswith("-")]
        kind = words[words[0] == "__complete"]
        if not {"-j", "-p", "--ndjson"} & set(args):
            return self.dot(out.decode()) if kind == "graph" else self.records(kind, out.decode())
        docs = [json.loads(line) for line in out.splitlines()] if "--ndjson" in args else json.loads(out)
        docs = docs if isinstance(docs, list) else [docs]
        return [json.dumps(d) for d in (self.nodes(docs) if kind == "graph" else docs) if self.has(d.get("kind", kind), d) or kind == "graph"]

    def has(self, kind, doc):
        if kind in OBJECTS:
            return doc["id"] in self.ids[kind]
        return doc["id"] == self.world.pid if kind == "process" else self.world.dir in doc.get("name", "") + doc.get("path", "")

    def named(self, text):
        """Does @text name an object, a path or the process of the world?"""
        w = self.world
        return w.dir in text or "mkobj(%d)" % w.pid in text or any(int(number) in self.ids[kind] for kind, number in NAMED.findall(text))

    def records(self, kind, text):
        """A record is a line and those below it that begin with a tab. The header of a table is kept if there are others."""
        found, header = [], []
        for record in re.split(r"\n(?!\t)", text.rstrip("\n")):
            first = (record.split() or [""])[0].rstrip(":")
            if re.match("[A-Z]+$", first):
                header = [record.split()]
            elif int(first) in self.ids[kind] if first.isdigit() else self.named(record):
                found.append(re.sub("  +", "  ", record.lstrip(" ")))
        return header + found if found else []

    def nodes(self, docs):
        """Nodes of a graph have numbers: they are named by what they are. An attachment belongs to the world if it holds an object that does."""
        name = {d["node"]: "%s %s" % (d["kind"], d["id"] if d["kind"] in OBJECTS else d.get("name")) for d in docs}
        mine = {d["node"] for d in docs if self.has(d["kind"], d)}
        mine |= {d["node"] for d in docs if d["kind"] == "attachment" and mine & {h["to"] for h in d["holds"]}}
        for d in docs:
            if d["node"] in mine:
                d.pop("component", None)
                d.pop("component_owner", None)  # it may be a reader
                yield dict(d, node=name[d["node"]], id=0, holds=[dict(h, to=name[h["to"]]) for h in d.get("holds", [])])

    def dot(self, text):
        """Likewise in the language of Graphviz: the nodes of the world and those beside them."""
        name = dict(re.findall(r'^\t*(n\d+) \[.*label="(.*)"\];$', text, re.M))
        mine = {n for n, label in name.items() if self.named(label)}
        readers = {n for n, label in name.items() if label.startswith("bpflens(")}
        edges = [e for e in re.findall(r"^\t(n\d+) -> (n\d+)(.*);$", text, re.M) if mine & set(e[:2]) and not readers & set(e[:2])]
        beside = mine | {n for e in edges for n in e[:2]}
        nodes = [line for n, line in re.findall(r"^\t*(n\d+) (\[.*)$", text, re.M) if n in beside]
        clusters = [label for label in re.findall(r'^\t+label="(.*)";$', text, re.M) if self.named(label)]
        return nodes + ["%s -> %s%s" % (name[a], name[b], rest) for a, b, rest in edges] + clusters
