#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""In the bpftool personality, every word of bpftool 7.8 is known or answered with a message, in JSON with the type of
document that scripts expect, with its options at every position, and its words where scripts look for them."""
import json
import os
import re
import subprocess
import sys

from world import BPFLENS, BUILD, Run, World, blocked, finish, has_trace_pipe, isolate, lock, ok, skip

isolate()
LIVE = BUILD + "/tests/live/"
# Group, and the word that each prefix of its words means.
SHORT = {
    "": "h help, b batch, p prog, pe perf, m map, l link, c cgroup, n net, f feature, bt btf, g gen, s struct_ops, i iter, t token, v version",
    "prog": "s show, l list, d dump, p pin, lo load, loada loadall, a attach, de detach, t tracelog, r run, prof profile, h help",
    "map": "s show, l list, d dump, u update, lo lookup, g getnext, de delete, p pin, e event_pipe, c create, pe peek, pu push, en enqueue, po pop, "
           "deq dequeue, f freeze, h help",
    "link": "s show, l list, p pin, d detach, h help", "cgroup": "s show, l list, t tree, a attach, d detach, h help",
    "perf": "s show, l list, h help", "net": "s show, l list, a attach, d detach, h help", "feature": "p probe, l list_builtins, h help",
    "btf": "s show, l list, d dump, h help", "gen": "o object, s skeleton, su subskeleton, m min_core_btf, h help",
    "struct_ops": "s show, l list, r register, u unregister, d dump, h help", "iter": "p pin, h help", "token": "s show, l list, h help",
}


def tool(*args, **kw):
    return Run([TOOL] + [str(a) for a in args], timeout=60, **kw)


def sort(r):
    """Type of the printed document."""
    if not r.out.strip():
        return "empty"
    doc = r.json
    return "null" if doc is None else "array" if isinstance(doc, list) else "error" if "error" in doc else "object"


def rows(d, w):
    """The checklist: words, and the type of their JSON."""
    obj, iters, cc = LIVE + "load.bpf.o", LIVE + "iters.bpf.o", LIVE + "cc_plain.bpf.o"
    m, q, p, x = ["pinned", d + "/m"], ["pinned", d + "/q"], ["pinned", d + "/xdp"], d + "/x"
    with open(w.dir + "/batch", "w") as f:
        f.write("map show pinned %s/m # a comment\n\nprog \\\nshow pinned %s/xdp\n" % (d, d))
    with open(w.dir + "/in", "wb") as f:
        f.write(bytes(64))
    yield from (
        (["version"], "object"), (["help"], "null"), (["batch", "file", w.dir + "/batch"], "array"),
        (["prog"], "array"), (["prog", "show"], "array"), (["prog", "list"], "array"), (["prog", "show"] + p, "object"),
        (["-f", "prog", "show"] + p, "object"), (["prog", "dump", "xlated"] + p, "array"), (["prog", "dump", "xlated"] + p + ["opcodes", "linum"], "array"),
        (["prog", "dump", "xlated"] + p + ["file", w.dir + "/image"], "null"), (["prog", "dump", "jited"] + p, "array"),
        (["prog", "pin"] + p + [x], "null"), (["prog", "load", obj, x], "null"), (["-m", "-n", "prog", "load", obj, x, "type", "raw_tp"], "any"),
        (["prog", "load", LIVE + "xdp_count.bpf.o", x, "type", "xdp", "map", "name", "counters"] + m, "error"),
        (["prog", "load", obj, x, "pinmaps", d + "/maps", "kernel_btf", "/sys/kernel/btf/vmlinux"], "null"),
        (["-L", "prog", "load", obj], "null"), (["prog", "loadall", obj, d + "/all", "autoattach"], "null"),
        (["prog", "attach"] + p + ["sk_msg_verdict"] + m, "error"), (["prog", "detach"] + p + ["flow_dissector"], "error"),
        (["prog", "run"] + p + ["data_in", w.dir + "/in", "repeat", 3], "object"),
        (["map"], "array"), (["map", "show"], "array"), (["map", "list"], "array"), (["map", "show"] + m, "object"),
        (["map", "create", x, "type", "array", "key", 4, "value", 4, "entries", 1, "name", "lens_made", "flags", 0], "null"), (["map", "dump"] + m, "array"),
        (["map", "update"] + m + "key hex 01 00 00 00 value hex 02 00 00 00 00 00 00 00 any".split(), "null"),
        (["map", "lookup"] + m + "key 1 0 0 0".split(), "object"), (["map", "lookup"] + m + "key 9 0 0 0".split(), "null"),
        (["map", "getnext"] + m, "object"), (["map", "getnext"] + m + "key 1 0 0 0".split(), "error"), (["map", "delete"] + m + "key 1 0 0 0".split(), "null"),
        (["map", "pin"] + m + [x], "null"), (["map", "push"] + q + "value 1 0 0 0".split(), "null"), (["map", "enqueue"] + q + "value 2 0 0 0".split(), "null"),
        (["map", "peek"] + q, "object"), (["map", "pop"] + q, "object"), (["map", "dequeue"] + q, "object"), (["map", "pop"] + q, "error"),
        (["map", "freeze", "pinned", d + "/a"], "null"), (["link"], "array"), (["link", "show"], "array"), (["link", "list"], "array"),
        (["link", "show", "pinned", d + "/link"], "object"), (["link", "pin", "pinned", d + "/link", x], "null"), (["link", "detach", "pinned", d + "/link"], "error"),
        (["cgroup", "tree"], "array"), (["perf"], "array"), (["perf", "show"], "array"), (["perf", "list"], "array"),
        (["net"], "array"), (["net", "show"], "array"), (["net", "list", "dev", "lo"], "array"), (["net", "attach", "xdpgeneric"] + p + ["dev", "lo"], "null"),
        (["net", "attach", "xdpgeneric"] + p + ["dev", "lo", "overwrite"], "null"), (["net", "detach", "xdpgeneric", "dev", "lo"], "null"),
        (["feature", "probe", "kernel"], "object"), (["feature", "list_builtins", "prog_types"], "array"), (["feature", "list_builtins", "helpers"], "array"),
        (["btf"], "array"), (["btf", "show"], "array"), (["btf", "dump", "file", "/sys/kernel/btf/vmlinux", "root_id", 1], "object"),
        (["btf", "dump", "map"] + m + ["kv"], "error"), (["btf", "dump", "prog"] + p, "object"),
        (["gen", "object", w.dir + "/out.o", obj], "empty or null"), (["gen", "skeleton", obj], "text"), (["gen", "skeleton", obj, "name", "x"], "text"),
        (["-L", "gen", "skeleton", obj], "text"), (["gen", "skeleton", "-L", obj], "text"), (["gen", "subskeleton", obj], "text"),
        (["gen", "min_core_btf", "/sys/kernel/btf/vmlinux", w.dir + "/min.btf", LIVE + "iters.bpf.o"], "empty or null"),
        (["struct_ops"], "array"), (["struct_ops", "show"], "array"), (["struct_ops", "list"], "array"), (["struct_ops", "dump"], "array"),
        (["struct_ops", "register", cc], "array"), (["struct_ops", "show", "name", "lensreg_a"], "array"), (["struct_ops", "unregister", "name", "lensreg_a"], "array"),
        (["token"], "array"), (["token", "show"], "array"), (["token", "list"], "array"), (["prog", "profile"] + p + ["duration", 1, "cycles"], "array or error"),
        (["iter"], "any"), (["iter", "pin", iters, x], "empty or null"),
    )
    if w.cgroup:
        yield from ((["cgroup", "show", w.cgroup], "array"), (["cgroup", "list", w.cgroup, "effective"], "array"),
                    (["cgroup", "attach", w.cgroup, "cgroup_skb_ingress", "id", 0], "error"))
    yield from (([g, "help"], "null") for g in SHORT if g)


def checklist(d, w):
    for words, want in rows(d, w):
        r = tool("-j", *words)
        got = "text" if want == "text" else sort(r)
        good = want == "any" or got in want.split(" or ")
        if want == "text":
            good = r.status == 0 and "_H__" in r.text
        elif want != "any" and "9" not in words:  # a key that does not exist
            good &= (r.status not in (0, 5)) == (got == "error")
        ok(good, "-j %s: %s" % (" ".join(str(x).replace(d, "..").replace(BUILD, "..") for x in words), want), "%s\n%s" % (got, r))
        if os.path.exists(d + "/x"):
            os.unlink(d + "/x")
        for top in ("/all", "/maps"):
            if os.path.isdir(d + top):
                for f in os.listdir(d + top):
                    os.unlink(d + top + "/" + f)
                os.rmdir(d + top)


def shorts():
    for group, line in SHORT.items():
        for pair in line.split(", "):
            typed, word = pair.split(" ")
            words = [group] * bool(group) + [typed]
            want = tool("help", *([group] * bool(group) + [word]))
            got = tool("help", *words)
            ok(got.out == want.out and got.status == 0, "%s is %s" % (" ".join(words), word), got)


def apart():
    """The words that the manual lists as bpftool's are those of SHORT."""
    rows = [re.split(r" ?\| ?", line)[1:3] for line in tool("__doc", "words").text.splitlines()[2:]]
    said = {(name.strip("`"), word) for name, words in rows for word in words.split()}
    all_words = {(group, pair.split(" ")[1]) for group, line in SHORT.items() for pair in line.split(", ")}
    known = {x for x in all_words if x[1] != "help" or not x[0]} - {("", g) for g in SHORT}
    ok(said == known and said, "words that the manual lists as bpftool's are", sorted(said ^ known))


def version():
    r = tool("version")
    ok(re.fullmatch(r"bpftool v\d+\.\d+\.\d+\nusing libbpf v\d+\.\d+\nfeatures:[ \w,]*\nbpflens v\d+\.\d+\.\d+\n", r.text) and tool("-V").out == r.out, "version", r)
    v = tool("-j", "version").json
    ok(list(v) == ["version", "libbpf_version", "features", "bpflens_version"] and re.fullmatch(r"7\.8\.\d+", v["version"]) and
       set(v["features"]) == {"libbfd", "llvm", "crypto", "skeletons", "bootstrap"}, "version in JSON", v)
    for word in ("help", "--help"):
        r = tool(word)
        ok(r.status == 0 and re.search(r"(?m)^\s*OBJECT := \{ prog \| map \| ", r.text + r.errors), word + " has the line that completion scripts read", r)


def options(d):
    """Options at every position, and combined."""
    want = tool("-j", "map", "show", "pinned", d + "/m")
    pretty = tool("--json", "--pretty", "map", "show", "pinned", d + "/m")
    ok(json.loads(pretty.out) == want.json and pretty.out != want.out, "--json --pretty")
    for argv, like in ((["map", "-j", "show", "pinned", d + "/m"], want), (["map", "show", "pinned", d + "/m", "-j"], want),
                       (["-jp", "map", "show", "pinned", d + "/m"], pretty), (["-p", "map", "show", "pinned", d + "/m"], pretty),
                       (["--js", "map", "show", "pinned", d + "/m"], want), (["-dj", "map", "show", "pinned", d + "/m"], want),
                       (["-j", "-n", "m", "s", "p", d + "/m"], want), (["-j", "-j", "map", "list", "pinned", d + "/m"], want),
                       (["-j", "--", "map", "show", "pinned", d + "/m"], want)):
        r = tool(*argv)
        ok(r.out == like.out, "options: " + " ".join(argv).replace(d, ".."), r)
    r = tool("-B", "/sys/kernel/btf/vmlinux", "btf", "show")
    ok(r.status in (0, 5), "-B FILE", r)
    for argv in (["-B"], ["-l", "map"], ["--nonsense"], ["-B", "/nonexistent", "btf", "dump", "file", "/nonexistent"]):
        r = tool(*argv)
        ok(r.status and r.errors.startswith("Error: "), "an error: " + " ".join(argv), r)


def errors(d):
    """Plain: Error: on standard error; JSON: an object with the key error, and nothing else."""
    for words, says in (
            (["prog", "show", "id", "x"], "can't parse x as ID"), (["prog", "show", "foo", 1], "expected 'id', 'tag', 'name' or 'pinned', got: 'foo'?"),
            (["map", "show", "foo", 1], "expected 'id', 'name' or 'pinned', got: 'foo'?"), (["prog", "show", 1], "got: '1'?"),
            (["map", "dump", d + "/m"], "expected 'id', 'name' or 'pinned'"), (["map", "show", "pinned", d + "/m", "pinned", d + "/q"], "'pinned'"), (["prog", "pin", "id", 1], "'pin' needs at least 3 arguments, 2 found"),
            (["net", "attach", "xdp", "id", 1], "'attach' needs at least 5 arguments, 3 found"), (["map", "show", "id", 4294967295], "4294967295"),
            (["map", "nonsense"], "nonsense"), (["nonsense"], "nonsense"), (["prog", "show", "name", "nonsense"], "nonsense"),
            (["map", "show", "pinned", d + '/no"such'], 'no"such'), (["map", "pin", "pinned", d + "/m", d + "/q"], "exists"),
            (["prog", "load", "/nonexistent.o", d + "/y"], "/nonexistent.o"), (["gen", "skeleton", "/dev/null"], "/dev/null")):
        r, j = tool(*words), tool("-j", *words)
        lines = [line for line in r.errors.splitlines() if line.startswith("Error: ")]
        ok(r.status and not r.out and len(lines) == 1 and says in lines[0], "Error: " + says, r)
        ok(j.status == r.status and says in j.json.get("error", ""), "in JSON: " + says, j)
    r = tool("map", "lookup", "pinned", d + "/m", "key", 9, 0, 0, 0)
    ok(r.status and r.text == "key:\n09 00 00 00\n\nNot found\n", "Not found", r)


def consumers(d, w):
    """Text that other programs read; see their list."""
    m = ["pinned", d + "/m"]
    for k in (1, 2):
        tool("map", "update", *m, "key", k, 0, 0, 0, "value", "hex", *["0%d" % k] * 8)
    r = tool("map", "dump", *m)
    ok(re.fullmatch(r"(key: 0[12] 00 00 00  value:( 0[12]){8}\n){2}Found 2 elements\n", r.text), "a dump without BTF", r)
    tool("prog", "loadall", LIVE + "load.bpf.o", d + "/all", "pinmaps", d + "/all")
    r = tool("map", "dump", "pinned", d + "/all/load_data")
    ok(json.loads(r.out)[0]["value"][".data"] == [{"lens_limits": {"min": 1, "max": 3}}], "a dump with BTF is JSON without -j", r)
    for kind, pin, name in (("prog", "/xdp", None), ("map", "/m", "lens_m")):
        words = tool(kind, "show", "pinned", d + pin).text.split()
        ok(words[0].rstrip(":").isdigit() and words[0].endswith(":") and words[2] == "name" and words[3] == (name or words[3]), "plain %s show" % kind, words)
        doc = tool("-jp", kind, "show", "pinned", d + pin)
        one_each = [line for line in doc.text.splitlines() if ": " in line]
        ok(all(re.match(r'\s*"\w+": ', line) for line in one_each) and list(doc.json)[-1] not in ("id", "type", "name", "tag"),
           "pretty JSON of a %s can be read with sed" % kind, doc)
    with open(w.dir + "/many", "w") as f:
        f.writelines("map update pinned %s/m key %d 0 0 0 value 1 2 3 4 5 6 7 8\n" % (d, 1 + i % 4) for i in range(3000))
    r = tool("batch", "file", w.dir + "/many")
    ok(r.status == 0 and r.text.endswith("processed 3000 commands\n"), "a batch of thousands", r)
    sections = tool("-j", "feature", "probe").json
    ok(set(sections) == {"system_config", "syscall_config", "program_types", "map_types", "helpers", "misc"},
       "feature probe has only bpftool's sections, as the kernel's test_bpftool.py requires", list(sections))
    names = tool("feature", "probe", "kernel")
    ok(names.status == 0 and re.search(r"(?m)^\s+- bpf_map_lookup_elem$", names.text), "feature probe has one helper per line")
    if has_trace_pipe():
        p = subprocess.Popen([TOOL, "prog", "tracelog"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        blocked(p)
        p.terminate()
        ok(p.wait(timeout=10) is not None and not p.stderr.read(), "tracelog ends with SIGTERM", p.returncode)
        p.stdout.close()
    for f in os.listdir(d + "/all"):
        os.unlink(d + "/all/" + f)
    os.rmdir(d + "/all")


with World() as world:
    TOOL = world.dir + "/bpftool"
    os.symlink(BPFLENS, TOOL)
    pins = world.pins
    for what in (("m", "hash", 4, 8), ("a", "array", 4, 8), ("q", "queue", 0, 4)):
        tool("map", "create", pins + "/" + what[0], "type", what[1], "key", what[2], "value", what[3], "entries", 4, "name", "lens_" + what[0])
    made = tool("prog", "load", LIVE + "xdp_count.bpf.o", pins + "/xdp")
    if made.status:
        skip("programs cannot be loaded here: " + made.errors)
        sys.exit(77)
    tool("iter", "pin", LIVE + "iters.bpf.o", pins + "/link")
    lock("lensreg")
    lock("load.bpf.o")
    checklist(pins, world)
    shorts()
    apart()
    version()
    options(pins)
    errors(pins)
    consumers(pins, world)
finish()
