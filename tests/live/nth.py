# SPDX-License-Identifier: BSD-2-Clause
"""The n-th system call of a kind is refused: a failed command leaves no object behind. Which ones: next_call()."""
import re
import shutil
import tempfile

from world import STRACE, Run, next_call, ok, skip, until

CALLS = (("bpf", "EPERM"), ("mkdir", "EACCES"), ("openat", "EMFILE"), ("perf_event_open", "EACCES"))


def left_at_last(left):
    """What is left when the kernel, which frees later, had time for it."""
    until(lambda: not left(), 10)
    return left()


def refused_in_turn(argv, left, clean=lambda: None, keeps=True):
    """@left(): what the command left, which is nothing if it failed or not @keeps; @clean() removes it. True if it could be tried."""
    if not shutil.which("strace"):
        skip("strace is not installed")
        return False
    runs = bad = 0
    with tempfile.NamedTemporaryFile("r") as trace:
        for call, error in CALLS:
            r = Run(STRACE + ["-f", "-o", trace.name, "-e", "trace=" + call] + argv, timeout=60)
            calls = len(re.findall(r"\b%s\(" % call, trace.read()))
            trace.seek(0)
            all_of_it = left()
            clean()
            if not ok(r.status == 0 and bool(all_of_it) == keeps, "with every %s, it succeeds" % call, "%s\n%s" % (all_of_it, r)):
                return False
            n = next_call(0)
            while n <= calls:
                r = Run(STRACE + ["-f", "-o", "/dev/null", "-e", "trace=" + call, "-e", "inject=%s:error=%s:when=%d" % (call, error, n)] + argv,
                        timeout=60)
                runs += 1
                done = r.status in (0, 5)  # 5: something could not be read, and it reports that
                now = left() if done else left_at_last(left)
                if not done and (now or r.status not in (1, 3, 4) or "bpflens: " not in r.errors) or done and bool(now) != keeps:
                    bad += 1
                    ok(False, "%s %s, call %d of %d leaves nothing, or succeeds" % (call, error, n, calls), "%s\n%s" % (now, r))
                if now:
                    clean()
                n = next_call(n)
    return ok(not bad and runs > 10, "%d runs of %s: failed runs left nothing" % (runs, " ".join(argv[1:3])))
