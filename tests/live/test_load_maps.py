#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""prog load of maps that need help: slots that the file fills, a devmap that is pinned already, inner arrays of perf events; and what -d shows."""
import os
import shutil
import subprocess
import tempfile

from world import BPFLENS, BUILD, Run, World, finish, isolate, ok, sanitized, skip

isolate()
OBJ = BUILD + "/tests/live/slots.bpf.o"
BPFFS = "/sys/fs/bpf"  # libbpf pins by name there; in the test's mount namespace


def lens(*args):
    return Run([BPFLENS] + list(args), timeout=60)


def slots(d):
    r = lens("-j", "prog", "loadall", OBJ, d + "/app")
    ok(r.status == 0 and len(r.json) == 2 and "the slots of map lens_jumps are emptied" in r.errors and r.errors.count("lens_jumps") == 1,
       "slots that nothing keeps: a note", r)
    jumps = next(id for id in lens("-j", "prog", "show", "pinned", d + "/app/lens_entry").json["map_ids"]
                 if lens("-j", "map", "show", "id", str(id)).json["name"] == "lens_jumps")
    r = lens("-j", "map", "dump", "id", str(jumps))
    ok(r.json == [], "they are emptied", r)
    r = lens("-j", "prog", "loadall", OBJ, d + "/kept", "pinmaps", d + "/maps")
    ok(r.status == 0 and not r.err, "pinned maps keep them: no note", r)
    ok(len(lens("-j", "map", "dump", "pinned", d + "/maps/lens_jumps").json) == 1, "and the slot is there")
    r = lens("prog", "loadall", OBJ, d + "/more", "map", "name", "lens_jumps", "pinned", d + "/maps/lens_jumps")
    ok(r.status == 0 and not r.err, "an existing map keeps them", r)
    r = lens("prog", "loadall", OBJ, d + "/none", "--dry-run")
    ok(r.status == 0 and not r.err, "--dry-run: no note", r)
    r = lens("prog", "load", OBJ, d + "/one", "only", "lens_entry")
    ok(r.status == 1 and "its map lens_jumps has a slot for program lens_leaf, which is not loaded with only lens_entry" in r.errors and
       "omit 'only'" in r.errors and not os.path.exists(d + "/one"), "a slot for a program that is left out", r)
    r = lens("prog", "load", OBJ, d + "/one", "only", "lens_leaf")
    ok(r.status == 0, "without a need for the others", r)


def reused():
    ids = [lens("-j", "map", "show", "pinned", BPFFS + "/lens_devs").json["id"]]
    ok(ids[0] > 0, "a devmap that is pinned by name is used again")
    os.unlink(BPFFS + "/lens_devs")
    r = lens("-j", "map", "create", BPFFS + "/lens_devs", "type", "devmap_hash", "key", "4", "value", "4", "entries", "5", "name", "lens_devs")
    r = lens("prog", "load", OBJ, "--dry-run")
    ok(r.status == 1 and "lens_devs" in r.errors and os.path.exists(BPFFS + "/lens_devs"), "another size: refused, and left", r)
    os.unlink(BPFFS + "/lens_devs")
    r = lens("prog", "load", OBJ, "--dry-run")
    ok(r.status == 0 and not os.path.exists(BPFFS + "/lens_devs"), "--dry-run leaves no pin", r)


def unmounted():
    """libbpf pins the devmap at BPFFS, where nothing is mounted."""
    r = lens("prog", "loadall", OBJ, "--dry-run")
    ok(r.status == 0 and r.text.startswith("would load ") and not os.path.ismount(BPFFS), "loadall --dry-run needs no PATH, and mounts a bpffs meanwhile", r)
    r = lens("-n", "prog", "loadall", OBJ, "--dry-run")
    ok(r.status == 1 and "bpffs" in r.errors and "mount -t bpf" in r.errors and not os.path.ismount(BPFFS), "not with --nomount", r)
    r = lens("prog", "loadall", OBJ)
    ok(r.status == 2 and "'loadall' needs at least 2 arguments" in r.errors, "to stay loaded, it needs one", r)


def log(d):
    r = lens("-d", "prog", "loadall", OBJ, d + "/logged", "--dry-run")
    ok(r.status == 0 and r.errors.count("\nprocessed ") == 2 and "prog 'lens_leaf': -- BEGIN PROG LOAD LOG --\n" in r.errors,
       "-d: the verifier's log of programs that load", r)
    r = lens("prog", "loadall", OBJ, d + "/logged", "--dry-run")
    ok(r.status == 0 and not r.err, "not without -d", r)


ARENA = r'''
struct { int (*type)[33]; int (*map_flags)[1024]; int (*max_entries)[16]; enum { at = 0x55550000 } map_extra; } m __attribute__((section(".maps"), used));
__attribute__((section("syscall"), used)) int p(void *c) { return 0; }
char l[] __attribute__((section("license"))) = "GPL";
'''
# Memory of the process at that address, with contents that are compared at its end.
MEMORY = r'''
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static char *at;
__attribute__((constructor)) static void map(void)
{
	at = mmap((void *)0x55550000, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	memset(at, 'x', 65536);
}
__attribute__((destructor)) static void look(void) { if (at[0] != 'x') _exit(99); }
'''


def arena_address():
    """libbpf maps an arena over the memory of the process."""
    if sanitized() or not shutil.which("clang") or not shutil.which("gcc"):
        return skip("test_load_maps: an arena's address needs clang and gcc, and no sanitizer")
    with tempfile.TemporaryDirectory() as d:
        for name, text, compiler in (("a.o", ARENA, ["clang", "-target", "bpf", "-O2", "-g", "-c"]), ("m.so", MEMORY, ["gcc", "-shared", "-fPIC", "-D_GNU_SOURCE"])):
            subprocess.run([*compiler, "-x", "c", "-", "-o", d + "/" + name], input=text.encode(), check=True)
        r = lens("prog", "load", d + "/a.o", "--dry-run")
        if r.status == 1 and "map_extra" not in r.errors:
            return skip("test_load_maps: arenas cannot be created here: " + r.errors.strip())
        ok(r.status == 0, "an arena at an address that is free", r)
        r = Run(["env", "LD_PRELOAD=%s/m.so" % d, BPFLENS, "prog", "load", d + "/a.o", "--dry-run"])
        ok(r.status == 1 and "arena 'm' is for address 0x55550000, where bpflens has other memory [EADDRINUSE]" in r.errors, "not at one of its own memory", r)
    return None


with World() as w:
    if subprocess.run(["mount", "-t", "bpf", "bpf", BPFFS], stderr=subprocess.DEVNULL).returncode:
        skip("test_load_maps: cannot mount a bpffs at " + BPFFS)
    else:
        slots(w.pins)
        reused()
        log(w.pins)
        while os.path.ismount(BPFFS):  # also one that was there before, which is hidden in the test's mount namespace only
            subprocess.run(["umount", BPFFS], check=True)
        unmounted()
arena_address()
finish()
