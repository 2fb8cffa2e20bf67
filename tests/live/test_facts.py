#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Facts of live objects, compared with those of the program that created them; selectors, columns, filters, exit statuses."""
import os
import subprocess

from world import Run, World, finish, isolate, ok, strict_json, without_readers

isolate()


def show_each(w):
    for f in w.of("prog") + w.of("map") + w.of("link"):
        what = "%s %s %s" % (f["kind"], f["type"], f["name"])
        r = w.run("-j", f["kind"], "show", "id", f["id"])
        try:
            o = r.json
        except ValueError as e:
            ok(False, what + ": JSON", "%s\n%s" % (e, r))
            continue
        same = r.status == 0 and o.get("id") == f["id"] and o.get("type") in f["type"].split("|")
        if f["kind"] != "link" and f["name"] != "-":
            same = same and o.get("name") == f["name"]
        if "key" in f:
            same = same and (o["bytes_key"], o["bytes_value"]) == (int(f["key"]), int(f["value"]))
            same = same and o["max_entries"] == int(f["entries"])
        if "ifindex" in f:
            same = same and o.get("ifindex") == int(f["ifindex"]) and o.get("devname") == f["devname"]
        if "path" in f and (o["type"] != "perf_event" or "retprobe" in o):  # before Linux 6.6 the kernel does not report the event
            same = same and f["path"] in (o.get("path"), o.get("file"))
        for key in ("pid", "tid", "func_cnt"):
            if key in f:
                same = same and o.get(key) == int(f[key])
        if "cookie" in f:  # some kernels accept a cookie and do not report it
            same = same and o["cookie"] in (int(f["cookie"]), 0)
        if "func_cnt" in f:
            funcs = [(x.get("func"), x["cookie"]) for x in o["funcs"]]
            same = same and sorted(funcs) == [("bpf_fentry_test%d" % i, 0x101 * i) for i in (1, 2, 3)]
        if "target_name" in f and o["target_obj_id"]:  # 0 before 5.13
            same = same and o.get("target_name") == f["target_name"] and o["attach_to"].startswith(f["target_name"])
        ok(same, what, r)
        holders = o.get("pids") or []
        ok({"pid": w.pid, "comm": "mkobj"} in [{"pid": h.get("pid"), "comm": h.get("comm")} for h in holders],
           what + ": held by mkobj", holders)
        if "metadata" in f:
            ok(sorted(o.get("metadata", {})) == sorted(f["metadata"].split(",")), what + ": metadata", r)
            ok(b'"metadata":{"version":"v1.2.3","num":42}' in r.out, what + ": metadata, byte for byte", r)


def lists(w):
    for kind in ("prog", "map", "link"):
        for flags in ([], ["-f"]):
            r = w.run("-j", *flags, kind, "show")
            try:
                found = {o["id"]: o for o in r.json}
            except (ValueError, KeyError) as e:
                ok(False, "%s show -j %s" % (kind, flags), "%s\n%s" % (e, r))
                continue
            ok(r.status == 0 and w.ids(kind) <= set(found), "-j %s show %s has all of them" % (kind, flags), w.ids(kind) - set(found))
            if flags:
                for p in (p for p in w.of("pin") if p["object"] == kind):
                    ok(p["path"] in found.get(p["id"], {}).get("pinned", []), "-f: %s is pinned at %s" % (kind, p["name"]))
        r = w.run(kind, "list", "-o", "id,type", "--noheadings")
        rows = [line.split() for line in r.text.splitlines()]
        ok(r.status == 0 and {str(i) for i in w.ids(kind)} <= {row[0] for row in rows}, kind + " list -o id,type", r)
        r = w.run(kind, "list", "--sort=-id", "-o", "id", "--noheadings")
        order = [int(line) for line in r.text.split()]
        ok(order == sorted(order, reverse=True) and order, kind + " list --sort=-id", r)
        types = {f["type"] for f in w.of(kind) if "|" not in f["type"]}
        for t in sorted(types):
            r = w.run(kind, "list", "-Q", 'type == "%s"' % t, "-o", "id", "--noheadings")
            want = {f["id"] for f in w.of(kind) if f["type"] == t}
            got = {int(x) for x in r.text.split()}
            other = {f["id"] for f in w.of(kind) if t not in f["type"].split("|")}
            ok(r.status == 0 and want <= got and not got & other, '%s list -Q type == "%s"' % (kind, t), r)
        r = w.run("--ndjson", kind, "show")
        try:
            ids = {strict_json(line + b"\n")["id"] for line in r.out.splitlines()}
            ok(r.status == 0 and w.ids(kind) <= ids, "--ndjson %s show" % kind, w.ids(kind) - ids)
        except (ValueError, KeyError) as e:
            ok(False, "--ndjson %s show" % kind, "%s\n%s" % (e, r))
        r = w.run(kind, "list", "--list-columns")
        ok(r.status == 0 and "id" in r.text.split() and "type" in r.text.split(), kind + " list --list-columns", r)


def selectors(w):
    prog = w.one("prog", "l_xdp")
    tag = w.run("-j", "prog", "show", "id", prog["id"]).json["tag"]
    for sel in (["name", "l_xdp"], ["pinned", w.pins + "/l_xdp"], ["tag", tag]):
        r = w.run("-j", "prog", "show", *sel)
        o = r.json
        ids = [x["id"] for x in o] if isinstance(o, list) else [o.get("id")]
        ok(r.status == 0 and prog["id"] in ids, "prog show %s" % sel[0], r)
    r = w.run("-j", "prog", "show", "name", "l_twin")
    twins = {f["id"] for f in w.of("prog") if f["name"] == "l_twin"}
    ok(isinstance(r.json, list) and twins <= {x["id"] for x in r.json}, "a name with several matches gives an array", r)
    long = w.one("prog", "a_very_long_program_name_indeed")
    if long:
        for name in ("a_very_long_program_name_indeed", "a_very_long_pro"):
            r = w.run("-j", "prog", "show", "name", name)
            ok(r.status == 0 and str(long["id"]) in r.text, "a long name: " + name, r)
    m = w.one("map", "h_4_4")
    for sel in (["name", "h_4_4"], ["pinned", w.pins + "/h_4_4"], ["id", m["id"]]):
        ok(str(m["id"]) in w.run("map", "show", *sel).text, "map show %s" % sel[0])
    link = w.one("link", "xdp")
    if link:
        ok(w.run("-j", "link", "show", "pinned", w.pins + "/xdp_link").json["id"] == link["id"], "link show pinned")
    one, two = w.run("-j", "prog", "show", "id", prog["id"]), w.run("-j", "prog", "show", "id", w.one("prog", "l_tc")["id"])
    exact = lambda r: strict_json(without_readers(r.text).encode())
    both = sorted((exact(one), exact(two)), key=lambda p: p["id"])
    ok(exact(w.run("-j", "prog", "show", prog["id"])) == exact(one) == exact(w.run("-j", "prog", "show", w.pins + "/l_xdp")), "digits are an id, a slash makes a pin")
    name = "fa_%d" % os.getpid()
    made = w.run("map", "create", w.pins + "/word", "type", "array", "key", 4, "value", 4, "entries", 1, "name", name)
    ok(w.run("map", "dump", name).out == w.run("map", "dump", "name", name).out != b"", "any other word is a name", made)
    for words in (["id", one.json["id"], "id", two.json["id"]], [two.json["id"], w.pins + "/l_xdp"], [two.json["id"], one.json["id"], two.json["id"]]):
        r = w.run("-j", "prog", "show", *words)
        ok(exact(r) == both, "several objects: an array, each once", r)
    r = w.run("-j", "prog", "show", 4000000000, one.json["id"])
    ok(r.status == 3 and r.json == [one.json] and "4000000000" in r.errors, "one of two does not exist", r)
    r = w.run("map", "show", "h_4_5")
    ok(r.status == 3 and "h_4_4" in r.errors, "an unknown name, and similar ones", r)
    ok(w.run("p", "s", "i", prog["id"]).out == w.run("prog", "show", "id", prog["id"]).out, "words abbreviate as in bpftool")


def surroundings(w):
    """Missing file systems are reported, not guessed."""
    def without(what, *words):
        return Run(["unshare", "-m", "sh", "-c", "mount --make-rprivate / && %s; exec \"$@\"" % what, "sh", w.lens] + list(words))

    for words in (["pin", "list"], ["cgroup", "tree"], ["net", "list"]):
        r = without("umount -l /proc", *words)
        ok(r.status and "/proc is not mounted" in r.errors, "without /proc: " + " ".join(words), r)
    r = without("umount -l -a -t bpf", "-j", "pin", "list")
    others = all(p["path"].startswith("/proc/") for p in r.json)  # of other mount namespaces
    ok(r.status == 0 and others and "no bpffs is mounted" in r.errors, "without bpffs: pin list", r)
    m = w.one("map", "arr_frozen")
    inner = ["unshare", "-pf", "--mount-proc", "--kill-child", w.lens]
    r = Run(inner + ["-j", "map", "list", "-Q", "id == %d" % m["id"], "-o", "id,owner"])
    ok(r.status == 0 and r.json == [{"id": m["id"], "owner": None}], "in another process namespace: an owner is unknown", r)
    r = Run(inner + ["--strict", "ls", "perf"])
    ok(r.status == 5 and "perf events and raw tracepoints of processes" in r.errors and "the filters of sockets" in r.errors, "places of processes may be missing", r)
    for words in (["update", m["id"], "key", 0, "value", 1], ["update", m["id"], "key", 0, "value", 1, "--dry-run"]):
        r = w.run("map", *words)
        ok(("--dry-run" in words and not r.status) or (r.status == 4 and "is frozen" in r.errors), "a frozen map", r)


def unpins(w):
    """All pins of a kind in and below a directory, and no others."""
    top = w.pins + "/un"
    os.makedirs(top + "/in")
    m, p = w.one("map", "h_4_4")["id"], w.one("prog", "l_xdp")["id"]
    for kind, ident, path in (("map", m, "/a"), ("map", m, "/in/b"), ("prog", p, "/in/c"), ("map", m, "x")):
        w.run(kind, "pin", ident, top + path)
    pins = lambda: sorted(os.path.relpath(d + "/" + f, w.pins) for d, _, files in os.walk(w.pins) for f in files if "/un" in d + "/" + f)
    all_of = ["un/a", "un/in/b", "un/in/c", "unx"]
    ok(pins() == all_of, "pinned", pins())
    r = w.run("map", "unpin", top)
    ok(r.status and pins() == all_of, "a directory without -r is refused", r)
    r = w.run("map", "unpin", "-r", top, "--dry-run")
    ok(r.status == 0 and r.text.count("would remove") == 2 and pins() == all_of, "unpin -r --dry-run", r)
    r = w.run("map", "unpin", "-r", top + "/", top + "/in")
    ok(r.status == 0 and pins() == ["un/in/c", "unx"], "unpin -r", r)
    r = w.run("map", "unpin", "-r", top)
    ok(r.status == 3 and "no map is pinned" in r.errors, "no pin is left there", r)
    r = w.run("prog", "unpin", "--recursive", top)
    ok(r.status == 0 and pins() == ["unx"], "pins of programs", r)
    w.run("map", "pin", m, top + "/a")
    w.run("prog", "pin", p, top + "/in/c")
    r = w.run("unpin", top, top + "x")
    ok(r.status == 1 and "`unpin -r %s`" % top in r.errors and pins() == ["un/a", "un/in/c", "unx"], "a directory without -r and a kind is refused", r)
    r = w.run("-j", "unpin", "-r", top)
    ok(r.status == 0 and {(c["kind"], c["path"]) for c in r.json} == {("map", top + "/a"), ("prog", top + "/in/c")} and pins() == ["unx"],
       "unpin -r of every kind", r)
    r = w.run("unpin", "-r", top)
    ok(r.status == 3 and "no object is pinned" in r.errors, "no pin of any kind is left there", r)
    r = w.run("unpin", top + "x")
    ok(r.status == 0 and not pins(), "unpin of any kind", r)
    os.rmdir(top + "/in")
    os.rmdir(top)


def statuses(w):
    prog = w.one("prog", "l_xdp")
    cases = [
        (0, ["prog", "show", "id", prog["id"]]), (2, ["prog", "frobnicate"]), (2, ["nonsense"]), (2, ["prog", "show", "id"]),
        (2, ["--no-such-option"]), (2, ["prog", "show", "id", "12x"]), (2, ["prog", "list", "-o", "no_such_column"]),
        (2, ["prog", "list", "-Q", "type =="]), (3, ["prog", "show", "id", "4000000000"]), (3, ["map", "show", "name", "no_such_map"]),
        (3, ["link", "show", "id", "4000000000"]), (3, ["prog", "show", "pinned", w.pins + "/nothing"]),
        (3, ["btf", "show", "id", "4000000000"]), (3, ["prog", "show", "tag", "0123456789abcdef"]),
        (1, ["--from", "/dev/null", "prog", "show"]), (3, ["--from", w.dir + "/none", "prog", "show"]),
    ]
    for status, args in cases:
        r = w.run(*args)
        shown = " ".join(map(str, args)).replace(w.dir, "DIR")
        ok(r.status == status, "status %d: %s" % (status, shown), r)
        if status:
            ok(r.err and not r.out, "a message on stderr, nothing on stdout: " + shown, r)
            j = w.run("-j", *args)
            try:
                ok(j.status == status and j.json.get("error"), "-j: an error object: " + shown, j)
            except (ValueError, AttributeError) as e:
                ok(False, "-j: an error object: " + shown, "%s\n%s" % (e, j))
    r = w.as_user("prog", "show", "id", prog["id"])
    ok(r.status == 4 and r.err, "status 4: an ordinary user", r)
    r = w.as_user("-j", "map", "show")
    try:
        ok(r.status == 4 and r.json.get("errno") == "EPERM", "status 4 in JSON names EPERM", r)
    except (ValueError, AttributeError) as e:
        ok(False, "status 4 in JSON names EPERM", "%s\n%s" % (e, r))
    if os.access("/sys/kernel/btf/vmlinux", os.R_OK):
        for args in (["layout", "task_struct"], ["sizes"], ["find", "type", "task_struct"]):
            mine, theirs = w.run("btf", *args), w.as_user("btf", *args)
            ok(theirs.status == 0 and theirs.out and theirs.out == mine.out, "an ordinary user: btf " + " ".join(args), theirs)


def batch(w):
    prog, m = w.one("prog", "l_xdp"), w.one("map", "h_4_4")
    lines = "# a comment\nprog show id %d\n\nmap show pinned '%s/h_4_4'\nprog \\\nshow id %d\nlink show id %d\nversion\n" % (
        prog["id"], w.pins, prog["id"], w.of("link")[0]["id"])
    path = w.dir + "/batch"
    with open(path, "w") as f:
        f.write(lines)
    r = w.run("batch", "file", path)
    ok(r.status == 0 and r.text.count("%d: xdp" % prog["id"]) == 2, "batch file", r)
    r2 = w.run("batch", "file", "-", input=lines.encode())
    ok(r2.status == 0 and without_readers(r2.text) == without_readers(r.text), "batch file - reads standard input", r2)
    r = w.run("-j", "batch", "file", path)
    try:
        doc = r.json
        ok(len(doc) == 5 and doc[0]["command"][:2] == ["prog", "show"] and doc[0]["output"]["id"] == prog["id"]
           and doc[1]["output"]["id"] == m["id"], "-j batch: commands and their outputs", r)
    except (ValueError, KeyError, TypeError) as e:
        ok(False, "-j batch", "%s\n%s" % (e, r))
    r = w.run("batch", "file", "-", input=b"prog show id 4000000000\nversion\n")
    ok(r.status == 3 and b"bpflens v" not in r.out, "a failing command ends a batch with its status", r)


def as_bpftool(w):
    os.symlink(w.lens, w.dir + "/bpftool")
    prog = w.one("prog", "l_xdp")
    a, b = (subprocess.run([w.dir + "/bpftool", "prog", verb, "id", str(prog["id"])], stdout=subprocess.PIPE) for verb in ("list", "show"))
    ours = w.run("prog", "show", "id", prog["id"]).out
    ok(a.returncode == 0 and a.stdout == b.stdout and set(a.stdout.splitlines()) < set(ours.splitlines()),
       "called bpftool, list is show, without what only bpflens prints", (a.stdout, ours))
    os.unlink(w.dir + "/bpftool")


def pid_of_each_kind(w):
    """A process that does not hold objects is never named."""
    r = w.run("-j", "prog", "show")
    pids = {p["pid"] for o in r.json for p in o.get("pids") or []}
    ok(os.getpid() not in pids, "holders: a process without BPF descriptors is not among them", pids)
    r = w.run("-d", "-j", "prog", "show")
    ok(r.status == 0 and r.err, "-d reports how the holders were found", r)


with World() as w:
    w.make()
    for test in (show_each, lists, selectors, surroundings, unpins, statuses, batch, as_bpftool, pid_of_each_kind):
        try:
            test(w)
        except Exception as e:  # one wrong answer must not hide the other tests
            ok(False, test.__name__, repr(e))
finish()
