#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`schema -j`: a key has one meaning in all documents, and every document of every archive is valid by its schema."""
import glob
import json
import os
import re
import shlex
import subprocess
import sys

LENS = os.environ["BPFLENS"]
TESTS = os.path.abspath(os.path.dirname(__file__) + "/..")
failures = 0

# Units that are ids of objects: the key, or its end after the role of the object ("target_prog_id").
IDS = {"program id": "prog_id", "map id": "map_id", "link id": "link_id", "BTF id": "btf_id", "cgroup id": "cgroup_id",
       "namespace inode": "netns_ino", "device index": "ifindex"}
# Keys of bpftool, and keys that are only a role.
ROLES = {"attach_btf_obj_id", "btf_vmlinux_id", "replaced_map_id", "target_ifindex", "ns_inode"}
# Units that only define how the number is printed.
LOOKS = {"hex", "bytes", "count", "address", "hexadecimal", "hexadecimal bytes"}
# Keys with another type in one document: bpftool's documents have both.
TWO_TYPES = {"opcodes", "order", "type"}
# Keys whose descriptions begin with different words, with the reason.
WORDED = {
    "id": "bpftool's: of the object that the record describes",
    "name": "bpftool's: of what the record describes",
    "path": "bpftool's: a file; a link's has the functions, others are pins",
    "timestamp": "bpftool's in event_pipe: nanoseconds by the clock of perf; of an event since boot",
    "type": "bpftool's: of what the record describes",
}
# Former keys in some documents that are the key of another fact in others.
FORMER = {"run_cnt": "runs in all, as in the kernel", "run_time_ns": "the same", "recursion_misses": "the same", "duration": "bpftool's, of prog run"}


def ok(good, what, detail=""):
    global failures
    print(("ok - " if good else "not ok - ") + what)
    if not good:
        failures += 1
        for line in str(detail).splitlines()[:12]:
            print("  |", line[:400])


def lens(*words, **kw):
    p = subprocess.run([LENS] + list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=120, **kw)
    return p.returncode, p.stdout, p.stderr.decode("utf-8", "replace")


def strict(data):
    def no_twins(pairs):
        keys = [k for k, _ in pairs]
        twins = {k for k in keys if keys.count(k) > 1}
        if twins:
            raise ValueError("twice: %s" % sorted(twins))
        return dict(pairs)
    return json.loads(data.decode("utf-8"), object_pairs_hook=no_twins)


TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, word):
    if word == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if word == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[word])


class Checker:
    """The part of JSON Schema that the program prints; an unknown word is a failure."""
    KNOWN = {"$schema", "$defs", "$ref", "title", "description", "anyOf", "type", "items", "properties", "required", "additionalProperties",
             "minimum", "pattern", "examples", "x-version", "x-unit", "x-since", "x-same", "x-of", "deprecated"}

    def __init__(self, root, columns):
        self.defs, self.columns = root["$defs"], columns

    def why_not(self, schema, value, at="$"):
        unknown = set(schema) - self.KNOWN
        if unknown:
            return "%s: unknown words %s" % (at, unknown)
        if "$ref" in schema:
            name = schema["$ref"].split("/")[-1]
            return self.why_not(self.defs[name], value, at + ":" + name)
        if "anyOf" in schema:
            whys = [self.why_not(s, value, at) for s in schema["anyOf"]]
            return None if None in whys else max(whys, key=lambda w: (w.count("$:") + w.split(": ")[0].count("."), len(w)))
        words = schema.get("type", [])
        words = [words] if isinstance(words, str) else words
        if words and not any(is_type(value, w) for w in words):
            return "%s: %.80r is no %s" % (at, value, words)
        if "minimum" in schema and value is not None and value < schema["minimum"]:
            return "%s: %s" % (at, value)
        if "pattern" in schema and value is not None and not re.search(schema["pattern"], value):
            return "%s: %s" % (at, value)
        if isinstance(value, list) and "items" in schema:
            return next(filter(None, (self.why_not(schema["items"], v, "%s[%d]" % (at, i)) for i, v in enumerate(value))), None)
        return self.members(schema, value, at) if isinstance(value, dict) else None

    def members(self, schema, value, at):
        properties, other = schema.get("properties", {}), schema.get("additionalProperties", True)
        missing = set(schema.get("required", [])) - set(value)
        if missing and not self.columns:
            return "%s: without %s" % (at, sorted(missing))
        for key, v in value.items():
            if key not in properties and other is False:
                return "%s: unknown key %s" % (at, key)
            now = properties.get(key, {}).get("x-same") if properties.get(key, {}).get("deprecated") else None
            if now and not self.columns and v != value.get(now):
                return "%s: deprecated %s differs from %s" % (at, key, now)
            why = self.why_not(properties.get(key, other if isinstance(other, dict) else {}), v, at + "." + key)
            if why:
                return why
        return None


def rows(root):
    """Record, key and row of every record, without keys of bpftool for facts that have another key."""
    for name, record in root["$defs"].items():
        for key, row in record["properties"].items():
            if "x-same" not in row and not name.endswith("_document"):
                yield name, key, row


def type_of(row):
    words = row.get("type") or row.get("$ref") or "any"
    words = [words] if isinstance(words, str) else [w for w in words if w != "null"]
    return "object" if words[0].startswith("#") else words[0]


def meaning(description):
    """What a value is in every record: the description without what holds in this record only, which follows a comma, colon,
    semicolon or parenthesis, or is a relative clause."""
    return re.split(r"[,;:(]| (?:that|which|whose)\b", description)[0].strip()


def lint_itself():
    same = ("size in bytes", "size in bytes, of the code", "size in bytes; 0: none", "size in bytes (of the code)", "size in bytes that it has")
    other = ("size in pages, in bytes", "number of bytes", "its size in bytes")
    ok({meaning(t) for t in same} == {same[0]} and not {meaning(t) for t in other} & {same[0]}, "what a meaning is", list(map(meaning, same + other)))


def lint(root):
    meant, bad = {}, []
    for name, key, row in rows(root):
        unit = row.get("x-unit", "")
        end = IDS.get(unit)
        if end and type_of(row) != "array" and not key.endswith(end) and key not in ROLES and key != "id":
            bad.append("%s.%s: the key of a %s is %s" % (name, key, unit, end))
        if key == "id" and end and "kind" not in root["$defs"][name]["properties"]:
            bad.append("%s.id: the key of a %s is %s" % (name, unit, end))
        meant.setdefault(key, []).append((name, type_of(row), "" if unit in LOOKS else unit, row["description"]))
    ok(not bad, "an object's id has one key", "\n".join(bad))
    bad = []
    for key, uses in sorted(meant.items()):
        types = {u[1] for u in uses} - {"any"}
        units = {u[2] for u in uses} - {""}
        if (len(types) > 1 and key not in TWO_TYPES) or (len(units) > 1 and key != "id"):
            bad.append("%s: %s" % (key, sorted({u[:3] for u in uses})))
    ok(not bad, "a key has one type and one unit", "\n".join(bad))
    several = {key for key, uses in meant.items() if len({meaning(u[3]) for u in uses}) > 1}
    bad = ["%s: %s" % (key, " / ".join(sorted({"%s (%s)" % (u[3], u[0]) for u in meant[key]}))) for key in sorted(several - set(WORDED))]
    ok(not bad, "a key has one meaning", "\n".join(bad))
    ok(set(WORDED) <= several, "each exception is needed", sorted(set(WORDED) - several))
    same = {}
    for name, key, row in rows(root):
        same.setdefault((row["description"], row.get("x-unit", ""), type_of(row)), set()).add(key)
    bad = ["%s: %s" % (text[0], sorted(keys)) for text, keys in sorted(same.items()) if len(keys) > 1]
    ok(not bad, "a fact has one key", "\n".join(bad))
    bad = [key for name, record in root["$defs"].items() for key, row in record["properties"].items()
           if "x-same" in row and row["x-same"] not in record["properties"]]
    ok(not bad, "next to a key of bpftool is the key of all documents, next to a deprecated one the present one", bad)
    former = {(row["x-same"], key) for record in root["$defs"].values() for key, row in record["properties"].items() if row.get("deprecated")}
    bad = sorted(now for now, key in former if key in meant and key not in FORMER)
    ok({("life_ns", "life"), ("kept_by", "keeper"), ("runs", "run_cnt")} <= former, "former keys are deprecated", former)
    ok(not bad, "a former key has no other meaning elsewhere", bad)
    bad = ["%s.%s" % (name, key) for name, key, row in rows(root) if not 1 <= row["x-since"] <= root["x-version"]]
    ok(not bad, "each key was added in a version that exists", bad)


def draft(root):
    try:
        import jsonschema
        jsonschema.Draft202012Validator.check_schema(root)
    except (ImportError, AttributeError):
        return print("skip - draft 2020-12: python3-jsonschema is not installed")
    except jsonschema.SchemaError as e:
        return ok(False, "it is JSON Schema, draft 2020-12", e)
    ok(True, "it is JSON Schema, draft 2020-12")


# Commands that read many machines.
MANY = ["prog list", "map show", "link list", "btf list", "ls"]
# Documents with other members as well: types of the machine, lists in lists. The list may only shrink.
OPEN = set()


def command_of(root, words):
    """The longest name of a command in the words, after the options of the program."""
    names = sorted(root["properties"], key=lambda n: -len(n.split()))
    for i in range(len(words)):
        for name in names:
            if words[i:i + len(name.split())] == name.split():
                return name
    return None


def documents():
    """Command lines: every command of the schema on every archive, and those of the golden tests and of the manual."""
    for path in sorted(glob.glob(TESTS + "/golden/*/cmd")):
        for line in open(path, encoding="utf-8", errors="replace"):
            if not line.startswith("bpflens ") or re.search(r"[|<>$`(&]|save|record|--pretty|-p\b", line.split("#")[0].replace("&&", "")):
                continue
            for one in line.split(";"):
                try:
                    words = shlex.split(one)
                except ValueError:
                    continue
                if words and words[0] == "bpflens":
                    yield words[1:]


def validate(root):
    seen, wrong, checked = set(), [], {}
    archives = sorted(glob.glob("archives/*.tar*"))
    reading = [n for n in root["properties"] if n.split()[-1] in ("show", "list", "tree", "ls", "histogram", "version", "probe")]
    lines = [["--from", a] + n.split() for a in archives for n in reading] + [["--from", "archives"] + n.split() for n in MANY] + list(documents())
    for words in lines:
        name = command_of(root, words)
        if not name or "__complete" in words or "help" in words or "--list-columns" in words or "--help" in words:
            continue
        words = [w for w in words if w not in ("-j", "--json")]
        if tuple(words) in seen:
            continue
        seen.add(tuple(words))
        lines_of = "--ndjson" in words
        status, out, errors = lens(*(words if lines_of else ["-j"] + words))
        checker = Checker(root, any(w in ("-o", "--columns") or w.startswith(("-o", "--columns")) for w in words))
        for text in out.splitlines() if lines_of else [out]:
            try:
                why = checker.why_not(root["properties"][name], strict(text))
            except ValueError as e:
                why = "no JSON: %s" % e
            checked[name] = checked.get(name, 0) + 1
            if why and name not in OPEN:
                wrong.append((name, "%s: %s" % (" ".join(words), why)))
                break
    for name in sorted(checked):
        bad = [w for n, w in wrong if n == name]
        ok(not bad, "%s: %d documents are valid by the schema" % (name, checked[name]), "%d wrong\n" % len(bad) + "\n".join(bad))


os.chdir(TESTS)
os.environ.pop("BPFLENS_FROM", None)
status, out, errors = lens("-j", "schema")
root = strict(out)
ok(status == 0 and root["x-version"] >= 1, "-j schema", errors)
bad = [r for r in re.findall(r'"#/\$defs/([^"]*)"', out.decode()) if r not in root["$defs"]]
ok(not bad, "every reference has a target", bad)
draft(root)
lint_itself()
lint(root)
validate(root)
status, out, errors = lens("-j", "schema", "prog", "list")
one = strict(out)
ok(one["title"] == "bpflens prog list" and set(one["$defs"]) < set(root["$defs"]) and one["anyOf"] == root["properties"]["prog list"]["anyOf"],
   "the schema of one command is a part of the schema of all")
status, out, errors = lens("-j", "schema", "map", "delete", "more")
ok(status == 2, "one command at a time", errors)
sys.exit(1 if failures else 0)
