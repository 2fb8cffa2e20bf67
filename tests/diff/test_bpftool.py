#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compared with the distribution's bpftool on live objects: the JSON is a superset with equal values; plain map dump and
prog dump xlated in the bpftool personality are the same bytes, also graphs of control flow. Every exception is in EXCEPTIONS below, with its reason."""
import collections
import difflib
import functools
import os
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
import beside  # noqa: E402
from world import Run, World, finish, isolate, lacks_only_sockets, outcome, skip  # noqa: E402

isolate()
if not shutil.which("bpftool"):
    skip("bpftool is not installed")
    sys.exit(77)

@functools.lru_cache(maxsize=None)
def alone(map_id):
    """bpftool's answer about one map."""
    return Run(["bpftool", "-j", "map", "show", "id", str(map_id)]).json


def stale(path, theirs, ours, obj):
    """Is it a member of a map in a list that bpftool itself prints as bpflens does if it is asked for this map only?"""
    return "bytes_key" in obj and alone(obj["id"]).get(path.rsplit(".", 1)[-1]) == ours


# The enums of the kernel with the names that a JSON member has.
ENUMS = {
    "type": ("bpf_prog_type", "bpf_map_type", "bpf_link_type"), "prog_type": ("bpf_prog_type",), "owner_prog_type": ("bpf_prog_type",),
    "attach_type": ("bpf_attach_type",), "order": ("bpf_cgroup_iter_order",), "event_type": ("perf_type_id", "bpf_perf_event_type"),
    "event_config": ("perf_sw_ids", "perf_hw_id"),
}


@functools.lru_cache(maxsize=None)
def enumerators():
    """{(enum, value): name in small letters}, by bpftool from the kernel's BTF."""
    types = Run(["bpftool", "-j", "btf", "dump", "file", "/sys/kernel/btf/vmlinux"]).json["types"]
    return {(t["name"], v["val"]): v["name"].lower() for t in types if t["kind"] in ("ENUM", "ENUM64") for v in t["values"]}


def unknown_type(path, theirs, ours, obj):
    """A number of bpftool with a name, in the kernel's enum, that ends with the word of bpflens."""
    if not isinstance(theirs, int) or not isinstance(ours, str):
        return False
    names = (enumerators().get((e, theirs), "") for e in ENUMS.get(path.rsplit(".", 1)[-1], ()))
    return any(("_" + n).endswith("_" + ours.lower().replace("-", "_")) for n in names)


# The only allowed differences. Each: before which version of bpftool, its subject, the reason, and when it holds: a
# function of the path of a JSON value ("[].btf_id"), bpftool's value, that of bpflens, and the object around it.
EXCEPTIONS = [(what, why, rule) for before, what, why, rule in [
    (beside.NEVER, "stale members", "bpftool does not clear the info between maps; a kernel that leaves members alone makes it repeat the "
     "last one", stale),
    (beside.NEVER, "unknown type", "bpftool prints the number of a type, attach type or order that is younger than itself", unknown_type),
    (beside.PERCPU[0], "per-CPU moves", "newer bpftool names the per-CPU move that the verifier makes, as we do",
     lambda path, theirs, ours, obj: path.endswith(".disasm") and "__percpu" in str(ours) and re.match(r"\(bf\) (r\d) = \1$", theirs)),
    (beside.NEVER, "errno 524", "bpftool has no words for the kernel's own ENOTSUPP",
     lambda path, theirs, ours, obj: theirs == "Unknown error 524" and str(ours).endswith("[ENOTSUPP]")),
    (beside.NEVER, "run statistics", "they move between two calls",
     lambda path, theirs, ours, obj: path.endswith(("run_time_ns", "run_cnt")) and isinstance(ours, int) and ours >= 0),
    (beside.NEVER, "loaded_at", "bpftool computes it from two clock readings and may be a second off",
     lambda path, theirs, ours, obj: path.endswith("loaded_at") and isinstance(ours, int) and abs(ours - theirs) <= 1),
] if beside.VERSION < before]
# Commands with an answer of bpftool that cannot be compared at all: before which version, pattern of the arguments, reason. Skipped.
NOT_COMPARABLE = [
    (beside.NEVER, r"map dump .*ty_float", "floats: bpftool prints (unsupported-kind), which is not JSON, and drops the rest of the struct"),
    ((7, 3), r"prog dump .*l_classes4", "instructions of cpu version 4: bpftool of this age takes them for others or prints BUG_"),
    (beside.NEVER, r"map dump .*lens_cc", "struct_ops: bpftool resolves members through vmlinux, and function pointers by address"),
]
# The same for plain text only.
PLAIN_NOT_COMPARABLE = [
    ((7, 3), r"map dump (ty_aom|ty_hom)", "newer bpftool prints inner_map_id, as we do; this one the bytes of the id"),
    (beside.NEVER, r"map dump ty_enum64", "quotes and backslashes in arrays of char: bpftool does not escape them"),
]
# Commands with an invalid JSON answer of bpftool. For any other command that is a failure of the comparison.
NO_JSON = [
    (beside.NEVER, r"map dump ty_enum64", "quotes and backslashes in arrays of char: bpftool does not escape them"),
]
# Changes to bpftool's plain text before it is compared.
PLAIN_EDITS = [
    (beside.NEVER, r'("(?:ptr|cv)": )(0x[0-9a-f]+|\(nil\))', r'\1"\2"', "newer bpftool quotes pointers, as we do, so that the text is JSON"),
    (beside.NEVER, r'("(?:owner|next|prev)": )(0x[0-9a-f]+|\(nil\))', r'\1"\2"', "the same in a table of operations"),
    beside.PERCPU,
]
# Changes to the C of bpflens for a bpftool before the version that writes the same.
C_EDITS = [
    ((7, 5), r"(?s)#ifndef __ksym\n.*?\n#endif\n#endif\n\n", "", "words of prototypes"),
    ((7, 5), r"(?s)\n/\* BPF kfuncs \*/\n.*?\n#endif\n\n", "", "these prototypes"),
    ((7, 5), r" __attribute__\(\(mode\((?:byte|word)\)\)\)", "", "the size of enums of one byte and of eight"),
    (beside.NEVER, r"(= -5LL,\n\}) __attribute__\(\(mode\(word\)\)\)", r"\1", "the size of an enum of eight bytes with small negative values only"),
    ((7, 6), r"(?s)#ifndef __bpf_fastcall\n.*?\n#endif\n#endif\n\n", "", "how some kfuncs are called"),
    ((7, 6), r"\b__bpf_fastcall ", "", "the same in their prototypes"),
    ((7, 6), r"(?<=__attribute__\(\()address_space\((\d+)\)", r'btf_type_tag("address_space(\1)")', "attributes that are not tags"),
]
# Lines of `show` that bpftool has, but not one of this age, or not as the distribution builds it.
LINES = [re.compile(pattern) for before, pattern, why in [
    (beside.NEVER, r"\t(pids|bpf_cookie) ", "the processes that hold an object"),
    (beside.NEVER, r"\tfrozen$", "bpftool puts the btf_id of the map before it on this line, see 'stale members'"),
    ((7, 2), r"\d+: (netfilter|arena|uprobe_multi|kprobe_multi|tcx|sockmap) ", "the names of these types"),
    ((7, 5), r"\t(event|tracepoint|tp|ifindex|map_id|ip|ip6|[uk](ret)?probe|[uk](ret)?probe\.multi) ", "where their links are"),
    ((7, 5), r"\t(offset  |addr  |0x|[0-9a-f]{16} )", "the functions of a multi link"),
] if beside.VERSION < before]
# Maps that cannot be dumped: bpftool ends with an errno and an empty list, bpflens with a message.
REFUSED = {"queue", "stack", "bloom", "ringbuf", "user_ringbuf", "arena", "ty_task", "ty_sk",
           "ty_inode", "ty_cgrp"}


def superset(theirs, ours, path="", obj=None):
    """Paths at which bpflens lacks or changes a value of bpftool, or its type."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for k, v in theirs.items():
            at = path + "." + k
            if k in ours:
                yield from superset(v, ours[k], at, theirs)
            elif not any(rule(at, v, None, theirs) for _, _, rule in EXCEPTIONS):
                yield "%s: missing (theirs %r)" % (at, v)
    elif isinstance(theirs, list) and isinstance(ours, list):
        if len(theirs) != len(ours):
            yield "%s: %d elements, ours %d" % (path, len(theirs), len(ours))
        for i, (a, b) in enumerate(zip(theirs, ours)):
            yield from superset(a, b, "%s[%d]" % (path, i), obj)
    elif type(theirs) is not type(ours) or theirs != ours:
        if not any(rule(path, theirs, ours, obj or {}) for _, _, rule in EXCEPTIONS):
            yield "%s: theirs %r, ours %r" % (path, theirs, ours)


def why_not(rows, shown):
    return next((why for before, pattern, why in rows if beside.VERSION < before and re.search(pattern, shown)), None)


def own(doc, ids):
    return {o["id"]: o for o in doc if o.get("id") in ids} if isinstance(doc, list) else {doc.get("id"): doc}


# An answer that cannot be compared must still be complete; the reason is next to it.
def excepted(shown, why, ours):
    return None if ours.status == 0 else False, "%s: not compared: %s" % (shown, why), ours


def bpftool(*args):
    """bpftool fails if another object is freed while it searches for a name: then it is run again."""
    for _ in range(10):
        r = Run(["bpftool", *args])
        if not r.status or not re.search(r"by id \(\d+\): No such file", r.text + r.errors):
            break
    return r


# A comparison is a function without arguments that returns what it found: (good, what, detail), as outcome() takes it.
def json_both(w, args, shown, ids=None, ours_args=None, clean=None):
    theirs, ours = bpftool("-j", *args), w.run("-j", *(ours_args or args))
    why = why_not(NOT_COMPARABLE, shown)
    try:
        them = theirs.json
    except ValueError as e:
        why = why or why_not(NO_JSON, shown)
        if not why:
            return False, "-j " + shown, "bpftool's answer is not JSON: %s\n%s" % (e, theirs)
    try:
        us = ours.json
    except ValueError as e:
        return False, "-j " + shown, "%s\n%s" % (e, ours)
    if why:
        return excepted("-j " + shown, why, ours)
    if isinstance(them, dict) and "error" in them:
        return isinstance(us, dict) and "error" in us, "-j %s: refused by both" % shown, "%s\n%s" % (theirs, ours)
    if clean:
        them, us = clean(them, us)
    if ids is not None:
        them, us = own(them, ids), own(us, ids)
        bad = [p for i in them for p in superset(them[i], us.get(i, {}), str(i))]
    else:
        bad = list(superset(them, us))
    return not bad and (ours.status == 0 or lacks_only_sockets(ours)), "-j " + shown, "\n".join(bad[:8]) + "\n" + ours.errors[:200]


def plain_both(w, args, shown):
    why = why_not(NOT_COMPARABLE + PLAIN_NOT_COMPARABLE, shown)
    ours = Run([beside.placed(w)] + args) if args[:2] == ["prog", "dump"] else w.run(*args)
    if why:
        return excepted(shown, why, ours)
    theirs = bpftool(*args)
    them = beside.edit(theirs.text, PLAIN_EDITS)
    # The kernel's own ENOTSUPP in the words of bpflens: bpftool has no text for it.
    for words in re.findall(r"^.*\[ENOTSUPP\]$", ours.text, re.M):
        them = them.replace("Unknown error 524", words, 1)
    diff = difflib.unified_diff(them.splitlines(), ours.text.splitlines(), "bpftool", "bpflens", lineterm="", n=1)
    return them == ours.text, shown, "\n".join(list(diff)[:12]) + "\n" + ours.errors[:200]


def blocks(text):
    """{id: lines} of objects that `show` printed."""
    ret = {}
    for line in text.splitlines():
        m = re.match(r"(\d+): ", line)
        lines = ret.setdefault(int(m.group(1)), []) if m else lines
        lines.append(line)
    return ret


def lines_both(w, args, shown, ids):
    """Scripts search the lines for names: under bpftool's name there are none that are not bpftool's."""
    theirs, ours = blocks(bpftool(*args).text), blocks(w.run(*args).text)
    bad = ["%s: %s" % (i, line) for i in ids for line in ours[i] if line not in theirs[i] and not any(p.match(line) for p in LINES)]
    return not bad and ids, shown, "\n".join(bad[:30])


def visual_both(w, args, shown):
    ours, why = Run([beside.placed(w)] + args), why_not(NOT_COMPARABLE, shown)
    if why:
        return excepted(shown, why, ours)
    theirs = bpftool(*args)
    diff = list(difflib.unified_diff(beside.flow(theirs.text), beside.flow(ours.text), "bpftool", "bpflens", lineterm="", n=1))
    return not diff and theirs.out.startswith(b"digraph"), shown, "\n".join(diff[:12]) + "\n" + ours.errors[:200]


def types_both(w, args, shown):
    """Types as text: too many for a comparison line by line."""
    theirs, ours = bpftool(*args), w.run(*args)
    bad = [pair for pair in zip(theirs.text.splitlines(), ours.text.splitlines()) if pair[0] != pair[1]]
    return theirs.text == ours.text, shown, "%d lines differ\n%s\n%s" % (len(bad), bad[:3], ours.errors[:200])


def c_both(w, args, shown):
    """bpftool 7.1 has one order, which is 'unsorted' of bpflens."""
    theirs = Run(["bpftool"] + args + ["format", "c"] + ["unsorted"] * beside.NEWER).text
    ours = w.run(*(args + ["format", "c", "unsorted"]))
    us = beside.as_theirs(ours.text, C_EDITS)
    bad = [pair for pair in zip(theirs.splitlines(), us.splitlines()) if pair[0] != pair[1]]
    return theirs == us, shown, "%d lines differ\n%s\n%s" % (len(bad), bad[:3], ours.errors[:200])


def places(types):
    """C assertions about every struct and union with a unique name: its size, and the offsets of its members."""
    tags = [t for t in types if t["kind"] in ("STRUCT", "UNION") and t["name"] != "(anon)"]
    # This type is the compiler's, and has another size for BPF.
    va_list = {t["id"] for t in types if t["name"] in ("__builtin_va_list", "va_list", "__gnuc_va_list")}
    times = collections.Counter(t["name"] for t in types if t["kind"] in ("STRUCT", "UNION", "FWD", "ENUM", "ENUM64"))
    for t in tags:
        if times[t["name"]] > 1 or any(m["type_id"] in va_list for m in t["members"]):
            continue
        what = "%s %s" % (t["kind"].lower(), t["name"])
        yield "sizeof(%s) == %d" % (what, t["size"])
        for m in t["members"]:
            if m["name"] != "(anon)" and not m.get("bitfield_size"):
                yield "__builtin_offsetof(%s, %s) == %d" % (what, m["name"], m["bits_offset"] // 8)


def c_compiles(w, args, shown):
    """C in the order of names compiles, for every type, with gcc and clang."""
    header, source = w.dir + "/vmlinux.h", w.dir + "/vmlinux.c"
    with open(header, "w") as f:
        f.write(w.run(*(args + ["format", "c"])).text)
    with open(source, "w") as f:
        f.write('#include "vmlinux.h"\nstruct task_struct *t;\n')
        f.writelines('_Static_assert(%s, "");\n' % place for place in places(w.run("-j", *args).json["types"]))
    for cc in (["clang", "-target", "bpf", "-g"], ["gcc", "-std=gnu17"]):
        r = Run(cc + ["-w", "-c", "-o", os.devnull, source])
        if r.status:
            return False, shown + ": " + cc[0], r
    return True, shown, ""


def defined(text):
    return sorted(re.sub(r"___\d+", "", line) for line in text.splitlines())


def c_complete(w, args, shown):
    """Both orders have the same lines, except the numbers of names that clash."""
    a, b = (w.run(*(args + ["format", "c"] + more)).text for more in ([], ["unsorted"]))
    rest = lambda x: [line for line in defined(x) if line and not re.match(r"(struct|union) \w+;$", line)]
    return len(a) > 1000 and rest(a) == rest(b), shown, ""


def raw_both(w, ident, shown):
    raw = ["%s/%s-%d" % (w.dir, who, ident) for who in ("theirs", "ours")]
    Run(["bpftool", "prog", "dump", "xlated", "id", str(ident), "file", raw[0]])
    r = w.run("prog", "dump", "xlated", "id", ident, "file", raw[1])
    with open(raw[0], "rb") as a, open(raw[1] if os.path.exists(raw[1]) else os.devnull, "rb") as b:
        return a.read() == b.read(), shown, r


def refused(w, f):
    r = w.run("map", "dump", "id", f["id"])
    return r.status != 0 and r.err, "map dump %s: says why not" % f["name"], r


def dumped(w, f):
    r = w.run("-j", "map", "dump", "id", f["id"])
    return r.status == 0 and isinstance(r.json, list), "map dump %s: bpftool has no elements for it, we have its pages" % f["name"], r


def in_list(them, us):
    """Newer bpftool also prints a list for one struct_ops map that is given by id, as bpflens does."""
    return [them] if isinstance(them, dict) else them, us


def btf_lists(them, us):
    """bpftool lists users in the order of its hash table, and maps that have no or other types in its own output (see stale())."""
    if isinstance(them, list):
        mine = {o["id"]: o for o in us}
        pairs = [(t, mine[t["id"]]) for t in them if t["id"] in mine]
    else:
        pairs = [(them, us)]
    for t, u in pairs:
        for ids in (t["prog_ids"], t["map_ids"], u["prog_ids"], u["map_ids"]):
            ids.sort()
        t["map_ids"] = [m for m in t["map_ids"] if alone(m).get("btf_id") == t["id"]]
    return them, us


def shows(w):
    as_bpftool = w.dir + "/as/bpftool"
    os.mkdir(w.dir + "/as")
    os.symlink(w.lens, as_bpftool)
    for flags in ([], ["-f"]):
        for kind in ("prog", "map", "link"):
            yield lambda a=flags + [kind, "show"], k=kind: json_both(w, a, " ".join(a), w.ids(k))
            yield lambda a=flags + [kind, "list"], k=kind: json_both(Renamed(as_bpftool), a, "as bpftool: " + " ".join(a), w.ids(k))
            yield lambda a=flags + [kind, "show"], k=kind: lines_both(Renamed(as_bpftool), a, "as bpftool: " + " ".join(a) + ": lines", w.ids(k))
        for p in w.of("pin"):
            yield lambda a=flags + [p["object"], "show", "pinned", p["path"]], n=p["name"]: json_both(w, a, " ".join(a[:-1]) + " " + n)
    for kind in ("prog", "map", "link"):
        for f in w.of(kind):
            yield lambda a=[kind, "show", "id", str(f["id"])], n=f["name"]: json_both(w, a, " ".join(a[:-1]) + ": " + n)
    for kind in ("prog", "map"):
        for name in sorted({f["name"] for f in w.of(kind)} - {"-"}):
            yield lambda a=[kind, "show", "name", name], k=kind: json_both(w, a, " ".join(a), w.ids(k))
    progs = [o for o in w.run("-j", "prog", "show").json if o["id"] in w.ids("prog")]
    maps = [o for o in w.run("-j", "map", "show").json if o["id"] in w.ids("map")]
    types = {o["btf_id"] for o in progs + maps if o.get("btf_id")}
    for flags in ([], ["-f"]):
        yield lambda a=flags + ["btf", "show"]: json_both(w, a, " ".join(a), types, clean=btf_lists)
    for i in sorted(types | {1}):
        yield lambda a=["btf", "show", "id", str(i)]: json_both(w, a, "btf show id", clean=btf_lists)
    ops = [str(f["id"]) for f in w.of("map") if f["name"] == "lens_cc"]
    for args in [["struct_ops", "show"], ["struct_ops", "list"]]:
        yield lambda a=args: json_both(Renamed(as_bpftool), a, "as bpftool: " + " ".join(a), {int(i) for i in ops})
    for verb in ("show", "list"):
        for i in ops:
            yield lambda a=["struct_ops", verb, "id", i]: json_both(Renamed(as_bpftool), a, "as bpftool: " + " ".join(a[:-1]), clean=in_list)
            yield lambda a=["struct_ops", verb, "id", i]: plain_both(Renamed(as_bpftool), a, "as bpftool: " + " ".join(a[:-1]))
    for i in ops:  # by id, this old bpftool omits the array, and the rest is not valid JSON
        maps = [o for o in w.run("-j", "struct_ops", "show", "name", "lens_cc").json if str(o["id"]) not in ops]
        if not maps:
            yield lambda: json_both(w, ["struct_ops", "dump", "name", "lens_cc"], "struct_ops dump name")
            yield lambda: plain_both(w, ["struct_ops", "dump", "name", "lens_cc"], "struct_ops dump name")
    for tag, name in sorted({o["tag"]: o.get("name", "-") for o in progs}.items()):
        yield lambda a=["prog", "show", "tag", tag], n=name: json_both(w, a, "prog show tag of " + n, w.ids("prog"))


def dumps(w):
    for f in w.of("map"):
        if f["name"] in REFUSED:
            yield lambda f=f: dumped(w, f) if f["name"] == "arena" else refused(w, f)
            continue
        args = ["map", "dump", "id", str(f["id"])]
        yield lambda a=args, n=f["name"]: plain_both(w, a, "map dump " + n)
        yield lambda a=args, n=f["name"]: json_both(w, a, "map dump " + n)
    for f in w.of("prog"):
        for form in ([], ["opcodes"], ["linum"]):  # this old bpftool does not have both at once
            args = ["prog", "dump", "xlated", "id", str(f["id"])] + form
            shown = " ".join(args[:3] + form + [f["name"]])
            yield lambda a=args, s=shown: plain_both(w, a, s)
            yield lambda a=args, s=shown: json_both(w, a, s)
        yield lambda a=["prog", "dump", "xlated", "id", str(f["id"]), "visual"], n=f["name"]: visual_both(w, a, " ".join(a[:3]) + " visual " + n)
        yield lambda f=f: raw_both(w, f["id"], "prog dump xlated file " + f["name"])


def types(w):
    vmlinux = ["btf", "dump", "file", "/sys/kernel/btf/vmlinux"]
    yield lambda: types_both(w, vmlinux, "btf dump file vmlinux")
    yield lambda: c_both(w, vmlinux, "btf dump file vmlinux format c")
    yield lambda: c_compiles(w, vmlinux, "btf dump file vmlinux format c: compiles")
    yield lambda: c_complete(w, vmlinux, "btf dump file vmlinux format c: every type in both orders")
    progs = [o for o in w.run("-j", "prog", "show").json if o["id"] in w.ids("prog")]
    maps = [o for o in w.run("-j", "map", "show").json if o["id"] in w.ids("map")]
    for i in sorted({o["btf_id"] for o in progs + maps if o.get("btf_id")}):
        args = ["btf", "dump", "id", str(i)]
        yield lambda a=args: types_both(w, a, "btf dump id")
        yield lambda a=args: json_both(w, a, "btf dump id")
        yield lambda a=args: c_both(w, a, "btf dump id format c")
    for o in progs[:8]:
        yield lambda a=["btf", "dump", "prog", "id", str(o["id"])], n=o.get("name", "-"): types_both(w, a, "btf dump prog " + n)
    for o in [o for o in maps if o.get("btf_id") and o["name"] != "lens_cc"]:
        for part in ([], ["key"], ["value"], ["kv"], ["all"]):
            args = ["btf", "dump", "map", "id", str(o["id"])] + part
            yield lambda a=args, n=" ".join(["btf dump map", o["name"]] + part): types_both(w, a, n)
        yield lambda a=args[:5], n=o["name"]: json_both(w, a, "btf dump map " + n)
        yield lambda a=args[:5], n=o["name"]: c_both(w, a, "btf dump map " + n + " format c")


class Renamed:
    """bpflens under the name bpftool."""

    def __init__(self, path):
        self.path = path

    def run(self, *args):
        return Run([self.path] + [str(a) for a in args])


def safely(task):
    try:
        return task()
    except Exception as e:  # one wrong answer must not hide the others
        return False, "comparison", repr(e)


with World() as w:
    w.make()
    beside.few_symbols(w)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for found in pool.map(safely, list(shows(w)) + list(dumps(w)) + list(types(w))):
            outcome(*found)
finish()
