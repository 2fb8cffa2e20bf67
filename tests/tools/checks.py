# SPDX-License-Identifier: BSD-2-Clause
"""The lines of a check: ok, or not ok with the first details; how many failed."""
failures = 0


def ok(good, what, *details):
    global failures
    failures += not good
    print("%sok - %s" % ("" if good else "not ", what))
    if not good:
        print("".join("  | %s\n" % line[:200] for d in details for line in str(d).splitlines()[:12]), end="")
    return good
