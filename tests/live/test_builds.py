#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""object diff: of two builds that differ in one thing, it names this thing and nothing else; what has no effect is no difference."""
import os
import shutil
import subprocess

from world import BPFLENS, Run, World, finish, isolate, ok, skip

isolate()
BASE = """
#define SEC(name) __attribute__((section(name), used))
#define NOINLINE __attribute__((noinline))
#define U(name, value) int (*name)[value]
#define T(type, name) typeof(type) *name
typedef unsigned int u32;
typedef unsigned long long u64;
struct flow { u32 packets; u64 bytes; };
typedef struct { u32 low; u32 high; } range_t;
struct task_struct { int pid; int tgid; } __attribute__((preserve_access_index));
static void *(*lookup)(void *map, const void *key) = (void *)1;
static u64 (*now)(void) = (void *)5;
static long (*print)(const char *text, u32 n, ...) = (void *)6;
static u32 (*cpu)(void) = (void *)8;
static void *(*task)(void) = (void *)35;
static long (*copy)(void *to, u32 n, const void *from) = (void *)113;
struct { U(type, 1); U(max_entries, 1024); T(u32, key); T(struct flow, value); } flows SEC(".maps");
struct { U(type, 2); U(max_entries, 1); T(u32, key); T(range_t, value); } ranges SEC(".maps");
const volatile u32 limit = 10;
u32 verdict = 2;
u32 seen;
NOINLINE int weigh(u32 n) { return n > 100 ? n * 3 : n + 9; }
static NOINLINE u32 size_of(u32 n) { return n * 11 + (u32)now(); }
SEC("xdp") int count(void *ctx)
{
	u32 key = cpu();
	struct flow *f = lookup(&flows, &key);

	if (!f)
		return 1;
	f->packets++;
	f->bytes += size_of(f->packets);
	if (f->packets > limit)
		return verdict;
	seen++;
	return lookup(&ranges, &key) ? 2 : 3;
}
SEC("tc") int police(void *ctx)
{
	int w = weigh(cpu());

	print("weighs %d", 10, w);
	return w > 100 ? 2 : 0;
}
SEC("raw_tp/sys_enter") int trace(void *ctx)
{
	struct task_struct *t = task();
	int id = 0;

	copy(&id, sizeof(id), &t->pid);
	return id == 1;
}
char licence[] SEC("license") = "GPL";
"""
WEIGHED = "w > 100 ? 2 : 0"
FRESH = [("SEC(\"xdp\")", "static NOINLINE u32 fresh(u32 n) { return n ^ (u32)now(); }\nSEC(\"xdp\")"), (WEIGHED, "fresh(w) > 100 ? 2 : 0")]
TC = ["changed prog police: section"]
# What is changed, how, and what is reported.
CASES = [
    ("nothing", [], []),
    ("comments and lines", [("u32 seen;", "/* how many */\n\n\nu32 seen; // all"), ("f->packets++;", "f->packets++; /* one more */")], []),
    ("a constant", [("n * 11", "n * 13")], ["reloaded func size_of: insns"]),
    ("a constant of a program", [("? 2 : 3", "? 2 : 4")], ["reloaded prog count: insns"]),
    ("a helper", [("(void *)5", "(void *)125")],
     ["reloaded func size_of: insns", "gone need bpf_ktime_get_ns", "new need bpf_ktime_get_boot_ns"]),
    ("a text", [("weighs", "has")], ["reloaded prog police: insns"]),
    ("a new map", [("const volatile", "struct { U(type, 1); U(max_entries, 8); T(u32, key); T(u64, value); } more SEC(\".maps\");\nconst volatile")], ["new map more"]),
    ("max_entries", [("1024", "2048")], ["changed map flows: max_entries"]),
    ("map flags", [("U(max_entries, 1024)", "U(max_entries, 1024); U(map_flags, 1)")], ["changed map flows: flags", "new need BPF_F_NO_PREALLOC"]),
    ("pinning", [("U(max_entries, 1024)", "U(max_entries, 1024); U(pinning, 1)")], ["changed map flows: pinning"]),
    ("a map's type", [("U(type, 1)", "U(type, 9)")], ["changed map flows: type", "gone need hash", "new need lru_hash"]),
    ("a key's type", [("T(u32, key); T(struct flow", "T(int, key); T(struct flow")], ["changed map flows: key_type"]),
    ("a value in .data", [("verdict = 2", "verdict = 3")], ["changed variable verdict: value"]),
    ("a value in .rodata", [("limit = 10", "limit = 20")], ["changed variable limit: value"]),
    ("a value becomes 0", [("verdict = 2", "verdict = 0")], ["changed variable verdict: section", "changed variable verdict: value"]),
    ("a new variable", [("u32 seen;", "u32 seen;\nu64 more = 7;")], ["new variable more"]),
    ("a variable's type", [("u32 seen;", "int seen;")], ["changed variable seen: type"]),
    ("a new function", FRESH, ["new func fresh", "reloaded prog police: insns"]),
    ("a new program", [("char licence", "SEC(\"xdp\") int more(void *ctx) { return 2; }\nchar licence")], ["new prog more"]),
    ("global to static", [("NOINLINE int weigh", "static NOINLINE int weigh")], ["changed func weigh: global"]),
    ("reordered functions", [("NOINLINE int weigh(u32 n) { return n > 100 ? n * 3 : n + 9; }\n", ""), ("SEC(\"tc\")", "NOINLINE int weigh(u32 n) { return n > 100 ? n * 3 : n + 9; }\nSEC(\"tc\")")], []),
    ("a target", [("sys_enter", "sys_exit")], ["changed prog trace: section"]),
    ("autoload", [("SEC(\"tc\")", "SEC(\"?tc\")")], TC),
    ("a program's type", [("SEC(\"tc\")", "SEC(\"xdp\")")], TC + ["gone need sched_cls"]),
    ("a kfunc", [("u32 seen;", "u32 seen;\nextern u32 bpf_some(u32 n) SEC(\".ksyms\");"), (WEIGHED, "bpf_some(w)")],
     ["new extern bpf_some", "new need bpf_some", "reloaded prog police: insns"]),
    ("an option of the kernel", [("u32 seen;", "u32 seen;\nextern int CONFIG_HZ SEC(\".kconfig\");"), (WEIGHED, "w > CONFIG_HZ")],
     ["new extern CONFIG_HZ", "new need CONFIG_HZ", "reloaded prog police: insns"]),
    ("a member of the kernel", [("&t->pid", "&t->tgid")], ["reloaded prog trace: insns", "gone need struct task_struct.pid", "new need struct task_struct.tgid"]),
    ("the kernel's types", [("struct task_struct { int pid;", "struct task_struct { long state; int pid;")], []),
    ("the licence", [("\"GPL\"", "\"Dual BSD/GPL\"")], ["changed object: license"]),
    ("a member's type", [("u64 bytes;", "long long bytes;")], ["changed btf flow: bytes"]),
    ("a new member", [("u64 bytes;", "u64 bytes; u64 drops;")], ["changed btf flow: drops", "changed map flows: bytes_value"]),
    ("a member of a nameless struct", [("u32 high;", "int high;")], ["changed btf range_t: high"]),
    ("a type's name", [("struct flow", "struct stream")], ["gone btf flow", "new btf stream", "changed map flows: value_type"]),
    ("data of no variable", [("char licence", "asm(\".section .rodata.more,\\\"a\\\"; .byte 1; .text\");\nchar licence")], ["new section .rodata.more"]),
    ("a shifted jump", [("	if (!f)\n", "	if (key == 7)\n		return 0;\n	if (!f)\n")], ["reloaded prog count: insns"]),
]


# The same of what refers to other parts, has no name, or is a table of functions.
TABLES = """
#define SEC(name) __attribute__((section(name), used))
#define NOINLINE __attribute__((noinline))
#define U(name, value) int (*name)[value]
#define T(type, name) typeof(type) *name
typedef unsigned int u32;
typedef unsigned long long u64;
static void *(*lookup)(void *map, const void *key) = (void *)1;
static long (*tail)(void *ctx, void *map, u32 at) = (void *)12;
struct sock;
struct tcp_congestion_ops { void (*init)(struct sock *sk); void (*release)(struct sock *sk); u32 flags; char name[16]; };
SEC("xdp") int first(void *c) { return 1; }
SEC("xdp") int second(void *c) { return 2; }
SEC("xdp") int third(void *c) { return 3; }
struct { U(type, 3); U(max_entries, 4); U(key_size, 4); int (*values[])(void *); } jumps SEC(".maps") = { .values = { [0] = first, [2] = second } };
struct inner { U(type, 2); U(max_entries, 1); T(u32, key); T(u32, value); } one SEC(".maps"), two SEC(".maps");
struct { U(type, 12); U(max_entries, 4); U(key_size, 4); struct { U(type, 2); U(max_entries, 1); T(u32, key); T(u32, value); } *values[]; } outer SEC(".maps") = { .values = { [1] = (void *)&one } };
struct val { u32 a; struct sock __attribute__((btf_type_tag("kptr_untrusted"))) *k; };
struct { U(type, 1); U(max_entries, 4); T(u32, key); T(struct val, value); } ptrs SEC(".maps");
struct { U(type, 1); U(max_entries, 4); T(u32, key); struct { u32 x; u32 y; } *value; } anon SEC(".maps");
struct { u32 p; u32 q; } pair;
volatile u32 vol;
SEC("struct_ops/init") void s_init(u64 *ctx) { }
SEC("struct_ops/release") void s_release(u64 *ctx) { }
SEC(".struct_ops.link") struct tcp_congestion_ops ops = { .init = (void *)s_init, .release = (void *)s_release, .flags = 3, .name = "lens" };
SEC("xdp") int fourth(void *ctx)
{
	static u32 calls;
	u32 k = 0;
	u32 *v = lookup(&ptrs, &k);

	calls++;
	if (v && *v > vol + pair.p)
		tail(ctx, &jumps, 0);
	return calls;
}
char licence[] SEC("license") = "GPL";
"""
TABLE_CASES = [
    ("a slot", [("[2] = second", "[3] = second")], ["changed map jumps: initial"]),
    ("a program of a slot", [("[0] = first", "[0] = third")], ["changed map jumps: initial"]),
    ("an inner map", [("(void *)&one", "(void *)&two")], ["changed map outer: initial"]),
    ("the definition of inner maps", [("struct { U(type, 2); U(max_entries, 1)", "struct { U(type, 2); U(max_entries, 3)")], ["changed map outer: inner_map"]),
    ("a tag of a pointer", [("kptr_untrusted", "kptr")], ["changed btf val: k"]),
    ("a member of a nameless value", [("u32 x; u32 y;", "u32 x; int y;")], ["changed map anon: value.y"]),
    ("a member of a nameless variable", [("u32 p; u32 q;", "u32 p; int q;")], ["changed variable pair: type.q"]),
    ("a function of a table", [(".init = (void *)s_init", ".init = (void *)s_release")], ["changed map ops: initial"]),
    ("a value in a table of functions", [(".flags = 3", ".flags = 5")], ["changed section .struct_ops.link: data"]),
]


def build(d, name, text, *flags):
    path = "%s/%s.c" % (d, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    subprocess.run(["clang", "-target", "bpf", "-O2", "-g", "-Wno-everything", "-c", path, "-o", path[:-2] + ".o"] + list(flags), check=True)
    return path[:-2] + ".o"


def lens(*args):
    return Run([BPFLENS] + list(args), timeout=120)


def said(r):
    """Each difference in words."""
    return sorted("%s %s%s%s" % (d["change"], d["kind"], " " + d["name"] if "name" in d else "", ": " + d["field"] if "field" in d else "") for d in r.json or [])


def changed(text, edits):
    for old, new in edits:
        if old not in text:
            raise ValueError("the source has no " + old)
        text = text.replace(old, new)
    return text


def seeds(d, old, text, cases):
    for what, edits, want in cases:
        new = build(d, "new", changed(text, edits))
        r = lens("-j", "object", "diff", old, new)
        ok(said(r) == sorted(want) and r.status == bool(want), what, "%s\nwanted: %s\nfound:  %s" % (r, sorted(want), said(r)))
        back = [w.replace("new ", "gone ", 1) if w.startswith("new ") else w.replace("gone ", "new ", 1) for w in want]
        r = lens("-j", "diff", new, old)
        ok(said(r) == sorted(back), "%s, the other way round" % what, "%s\nwanted: %s\nfound:  %s" % (r, sorted(back), said(r)))


def shifted(d, old):
    """Of code before which something is inserted, only this is shown."""
    new = build(d, "new", changed(BASE, CASES[-1][1]))
    code = lens("-j", "object", "diff", old, new).json[0]["code_diff"]
    ok(not [line for line in code if line.startswith("-")] and len([line for line in code if line.startswith("+(")]) <= 4, "only what was inserted", "\n".join(code))


def verified(d, old):
    """The verifier's figures are those of prog verify; what it does not accept is a difference, and what was not tried is said."""
    new = build(d, "new", changed(BASE, CASES[-1][1]))
    figures = [{p["prog_name"]: p for p in lens("-j", "prog", "verify", path).json} for path in (old, new)]
    r = lens("-j", "object", "diff", old, new, "--verify", "-Q", "kind == verifier")
    got = {(x["name"], x["field"]): x["increase"] for x in r.json}
    names = ("insns", "states", "peak_states", "stack", "bytes_xlated", "bytes_jited")
    want = {(p, f): b[f] - a.get(f) for p, a in figures[0].items() for b in [figures[1][p]] for f in names if f in a and f in b and a[f] != b[f]}
    ok(r.status == 1 and got == want and ("count", "insns") in got, "what the verifier counts", "%s\n%s" % (r, want))
    ok(lens("object", "diff", old, old, "--verify").status == 0, "the same twice: no difference")
    new = build(d, "new", changed(BASE, [("if (!f)\n\t\treturn 1;\n", "")]))
    r = lens("-j", "object", "diff", old, new, "--verify", "-Q", "field == verification")
    ok([(x["name"], x["before"], x["after"]) for x in r.json] == [("count", "accepted", "rejected")], "what the verifier refuses", r)
    new = build(d, "new", changed(BASE, [("SEC(\"tc\")", "SEC(\"lens_unknown\")")]))
    r = lens("-j", "object", "diff", old, new, "--verify")
    ok(r.status == 2 and "police was not verified" in r.errors, "a program that cannot be tried", r)
    r = lens("-j", "object", "diff", old, new, "--stat")
    said = lens("-j", "object", "diff", old, new).json
    ok({x["kind"]: x["objects_new"] + x["objects_gone"] + x["objects_changed"] for x in r.json} == {k: len({x.get("name") for x in said if x["kind"] == k}) for k in {x["kind"] for x in said}},
       "--stat counts objects", r)


with World() as w:
    if not shutil.which("clang"):
        skip("test_builds: needs clang")
    else:
        first = build(w.dir, "old", BASE)
        seeds(w.dir, first, BASE, CASES)
        seeds(w.dir, build(w.dir, "tables", TABLES), TABLES, TABLE_CASES)
        shifted(w.dir, first)
        verified(w.dir, first)
        elsewhere = build(w.dir, "else/where/old", BASE, "-fdebug-prefix-map=%s=/somewhere" % w.dir)
        ok(lens("object", "diff", first, elsewhere).status == 0, "another path of the source")
finish()
