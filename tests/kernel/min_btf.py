#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""min_btf.py BPFLENS BTF FILE...: each object file loads, or is refused, with the types that `gen min_core_btf` selects from BTF just as with
all types, and leaves nothing; objects that ask for ids of types need all types, which is reported. BTF is that of the running
kernel. It needs its own machine, like objects.py. A line per file, and a summary; status 1: they differ."""
import collections
import os
import re
import sys
import tempfile

from loading import load, run

# With few types, a message cannot name what exists instead; without a type, its members are also missing.
MISSING = re.compile(" is rejected: .* has no .*")


def main(bpflens, btf, *paths):
    tally, bad = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as d:
        for path in paths:
            less = d + "/min.btf"
            made = run(bpflens, "gen", "min_core_btf", btf, less, path)
            (whole, left, _), (part, left_too, _) = (load(bpflens, path, ("kernel_btf", of)) for of in (btf, less))
            if whole is None and part is None:
                how = "slow"
            else:
                numbers = made and " asks for the id of type " in made.stderr
                alike = MISSING.sub("", str(part)) == MISSING.sub("", str(whole))
                fits = made and made.returncode == 0 and not left + left_too
                how = "DIFFERS" if not fits or not (alike or numbers) else "same" if alike else "needs all types"
            bad += how == "DIFFERS"
            size = os.path.getsize(less) if os.path.exists(less) else 0
            tally["%s: %s" % (how, "loads" if whole and whole.startswith("ok") else "refused")] += 1
            print("%s\t%s\t%d bytes\t%s\t%s\t%s" % (how, os.path.basename(path), size, whole, part, made.stderr.strip() if made else "too slow"), flush=True)
            if size:
                os.unlink(less)
    for k, n in sorted(tally.items()):
        print("# %d\t%s" % (n, k))
    return 1 if bad else 0


sys.exit(main(*sys.argv[1:]))
