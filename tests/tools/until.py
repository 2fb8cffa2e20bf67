# SPDX-License-Identifier: BSD-2-Clause
"""Waiting in tests: for a condition, never for a time."""
import random
import time

CALLS = {"poll": ("7", "271", "73"), "sleep": ("35", "230", "101", "115")}  # poll, ppoll, nanosleep, clock_nanosleep; also of other architectures


def until(condition, seconds=30, every=0.02):
    """The value of @condition() once it is true, or after so many @seconds its last one. Only what fails waits that long."""
    end = time.monotonic() + seconds
    while True:
        got = condition()
        if got or time.monotonic() > end:
            return got
        time.sleep(every)


def at_random(most):
    """A random moment in the next @most seconds: what is interrupted may be anywhere."""
    time.sleep(random.uniform(0, most))


def blocked(process, call="poll", seconds=30):
    """Wait until a process sleeps in poll(2), as it does when it waits for records, or in nanosleep(2); false: it has ended."""
    def there():
        try:
            with open("/proc/%d/syscall" % process.pid) as f:
                return f.read().split()[0] in CALLS[call]
        except (OSError, IndexError):
            return False
    return until(lambda: there() or process.poll() is not None, seconds) and process.poll() is None
