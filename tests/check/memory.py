#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Allocations fail in turn, one in STEP of each command: with -j standard output is then also a complete document, and it reports
ENOMEM."""
import json
import os
import subprocess
import sys
import tempfile

BPFLENS = os.environ["BPFLENS"]
ARCHIVES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "archives")
STEP = 7 if os.environ.get("BPFLENS_RULES") == "all" else 23
# Each command with the step from one failing allocation to the next.
COMMANDS = (("btf layout nothing", 1), ("prog show", STEP), ("map dump name ty_struct", STEP), ("ls", STEP),
            ("prog dump xlated name count_exits linum", STEP))
INJECT = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static long nth = -1, n;

/* Those of what runs before main() are not counted. */
__attribute__((constructor)) static void start(void)
{
	nth = atol(getenv("NTH"));
	n = 0;
}

__attribute__((destructor)) static void end(void)
{
	if (!nth)
		dprintf(2, "\nallocations %ld", n);
}

static int fails(void)
{
	if (++n != nth)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }
"""


def skip(why):
    print("skip - allocations that fail: " + why)
    sys.exit(77)


def end(library, words, nth):
    env = dict(os.environ, LD_PRELOAD=library, NTH=str(nth))
    return subprocess.run([BPFLENS, "--from", ARCHIVES + "/sample.tar.gz", "-j"] + words.split(), env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)


def wrong(r, untouched):
    """What is wrong after the n-th allocation of a command failed, or None."""
    try:
        doc = json.loads(r.stdout.decode())
    except ValueError as e:
        return "no document: %s" % e
    if isinstance(doc, dict) and doc.get("error") and doc != untouched:
        return None if doc.get("errno") == "ENOMEM" and r.returncode == 1 else "another reason"
    return None if doc == untouched or r.returncode == 5 else "status %d and another document" % r.returncode


def each(library, words, step):
    first = end(library, words, 0)
    untouched, count = json.loads(first.stdout.decode()), int(first.stderr.split()[-1])
    chosen = range(1, count + 1, step)
    bad = []
    for n in chosen:
        r = end(library, words, n)
        why = wrong(r, untouched)
        if why:
            bad.append("allocation %d: %s: %s %s" % (n, why, r.stdout.decode()[:100], r.stderr.decode()[:200]))
    print("%s - %s: %d of %d allocations fail" % ("not ok" if bad else "ok", words, len(chosen), count))
    for line in "\n".join(bad[:6]).split("\n") if bad else ():
        print("  | " + line)
    return not bad


def main():
    with tempfile.TemporaryDirectory() as tmp:
        library = tmp + "/inject.so"
        with open(tmp + "/inject.c", "w") as f:
            f.write(INJECT)
        made = subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", library, tmp + "/inject.c"], stderr=subprocess.PIPE)
        if made.returncode:
            skip("no C compiler, or another libc")
        with open(BPFLENS, "rb") as f:
            if b"__asan_init" in f.read():
                skip("the sanitizers must be loaded first")
        sys.exit(sum([not each(library, *c) for c in COMMANDS]) > 0)


main()
