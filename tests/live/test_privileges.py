#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Pinned objects are read with the permissions of their files: a table of commands and users, each with what it must print."""
import os
import re
import struct

import rawbpf
from users import USERS
from world import BUILD, Run, World, finish, isolate, ok, skip

OBJECT = BUILD + "/tests/live/xdp_count.bpf.o"
# A row: the result for each of USERS, the command, a pattern that its output has. @NAME is the pin of that name, #NAME its id.
#   0 complete; 5 partial, and says what is missing; . one of both, as the kernel has iterators or not; 4, 1 refused, with the pattern in the message.
ROWS = (
    ("......", "map show pinned @plain", "^#plain: hash "),
    ("......", "-j map show pinned @plain", '"id":#plain,.*"type":"hash"'),
    ("05550.", "map show pinned @typed", "^#typed: hash "),
    ("......", "map show pinned @ring", "^#ring: ringbuf"),
    ("......", "map show pinned @open_ring", "^#open_ring: ringbuf"),
    ("......", "map list pinned @plain", "^ *#plain +hash "),
    ("......", "map list pinned @plain pinned @queue -o id,type", "^ *#plain +hash *\n *#queue +queue"),
    ("000000", "map list pinned @plain -o id,type,max_entries", "^ *#plain +hash +4"),
    ("000000", "map dump pinned @plain", "key: 07 00 00 00 +value: 63 00 00 00"),
    ("000000", "-j map dump pinned @plain", '"key":\\["0x07"'),
    ("055505", "map dump pinned @typed", "value.: 42|^key: 01 00 00 00  value: 2a 00 "),
    ("055505", "-j map dump pinned @typed", '"0x2a","0x00"'),
    ("055505", "map dump pinned @typed -o +", "^ *(1 +42|01 00 00 00 +2a 00 00 00 00 00 00 00)$"),
    ("000000", "map dump pinned @percpu", "value \\(CPU 0"),
    ("000000", "map dump pinned @slots", "^Found "),
    ("000000", "map lookup pinned @plain key 7 0 0 0", "63 00 00 00"),
    ("055505", "map lookup pinned @typed key 1", "value.: 42|value: 2a 00 00 00"),
    ("000000", "map getnext pinned @plain", "07 00 00 00"),
    ("000000", "map peek pinned @queue", "4d 00 00 00"),
    ("000000", "map export pinned @plain", '#plain|"key"'),
    ("055505", "map export pinned @typed", '"key"'),
    ("000000", "map histogram pinned @plain", "value|99|64"),
    ("000000", "map watch pinned @plain --count 1 interval 0.01", ""),
    ("000000", "map stacks pinned @stacks", ""),
    ("044444", "map update pinned @plain key 7 0 0 0 value 1 0 0 0 --dry-run", "would"),
    ("000000", "map update pinned @writable key 1 0 0 0 value 1 0 0 0 --dry-run", "would"),
    ("000000", "map delete pinned @writable key 9 0 0 0 --dry-run", "would"),
    ("044444", "map pop pinned @queue --dry-run", "value: 4d 00 00 00"),
    ("044444", "map dequeue pinned @queue --dry-run", "value: 4d 00 00 00"),
    ("000000", "map enqueue pinned @writeonly value 1 0 0 0 --dry-run", "would write"),
    ("000000", "map freeze pinned @writable --dry-run", "would freeze map #writable"),
    ("044444", "map freeze pinned @plain --dry-run", "would freeze"),
    ("000000", "map import pinned @writable file /dev/null --dry-run", "would write 0 elements"),
    ("044444", "map create @@/made type hash key 4 value 4 entries 1 name made --dry-run", "would create"),
    ("111111", "map storage pinned @plain", "cannot be read as local storage"),
    ("......", "prog show pinned @xdp", "^#xdp: xdp "),
    ("......", "prog show pinned @count", "^#count: xdp "),
    ("......", "-j prog show pinned @count", '"id":#count,.*"type":"xdp"'),
    ("......", "prog list pinned @count", "^ *#count +xdp "),
    ("000000", "prog list pinned @xdp -o id,type,tag", "^ *#xdp +xdp "),
    ("015501", "prog dump xlated pinned @count", "exit"),
    ("000000", "prog run pinned @xdp data 0000000000000000000000000000", "0"),
    ("000000", "prog run pinned @xdp data 0000000000000000000000000000 repeat 3", "0"),
    ("141114", "prog profile pinned @xdp duration 1 cycles", "no type information"),
    ("044444", "prog load %s @@/made --dry-run" % OBJECT, "would load count"),
    ("044404", "prog stats pinned @xdp --count 1 interval 0.01", "#xdp"),
    ("111111", "prog attach pinned @xdp tracepoint syscalls:sys_enter_sync --dry-run", "program #xdp is of type xdp"),
    ("......", "link show pinned @link", "^#link: xdp +prog #xdp"),
    ("......", "-j link show pinned @link", '"id":#link,.*"type":"xdp".*"prog_id":#xdp'),
    ("......", "link list pinned @link", "^ *#link +xdp "),
    ("......", "link detach pinned @link --dry-run", "would detach .*link #link"),
    ("......", "link update pinned @link pinned @xdp --dry-run", "would update .*#link"),
    ("044444", "link show pinned @closed_link", "^#link: xdp"),
    ("044404", "btf dump map pinned @typed", "INT 'long' size=8"),
    ("044404", "btf dump prog pinned @count", "FUNC 'count'"),
    ("044404", "btf sizes from map pinned @typed", "SIZE"),
    ("......", "why map pinned @plain", "is pinned at\\s+@plain"),
    ("......", "why prog pinned @xdp", "is pinned at\\s+@xdp"),
    ("......", "why link pinned @link", "is pinned at\\s+@link"),
    ("......", "graph map pinned @plain", "plain"),
    ("......", "pin list @@", "@plain +map +#plain +hash +lp_plain"),
    ("......", "pin list @@ --tree", "plain +map #plain"),
    ("......", "detach pinned @xdp --dry-run", "would detach program #xdp"),
    ("000000", "unpin @plain --dry-run", "would remove .*@plain"),
    ("044444", "map show pinned @secret", "^#secret: array "),
    ("044444", "map dump pinned @secret", "^key: "),
    ("044444", "map lookup pinned @secret key 0 0 0 0", "value"),
    ("044444", "prog show pinned @secret_prog", "^#secret_prog: xdp"),
    ("......", "prog show pinned @readonly_prog", "^#xdp: xdp"),
    ("......", "map show pinned @readonly", "^#plain: hash"),
    ("000000", "map dump pinned @readonly", "key: 07 00 00 00"),
    ("000000", "map lookup pinned @readonly key 7 0 0 0", "63 00 00 00"),
    ("......", "map show pinned @writeonly", "^#queue: queue"),
    ("000000", "map push pinned @writeonly value 1 0 0 0 --dry-run", "would"),
    ("044404", "map show id #plain", "^#plain: hash"),
    ("0444.4", "prog list", "^ *#xdp +xdp"),
    ("0444.4", "link list", "^ *#link +xdp"),
    ("0444.4", "btf list", "vmlinux"),
    (".555.5", "ls -o where,what,prog", "^lo +xdpgeneric +#xdp"),
    ("0444.4", "map list", "^ *#plain +hash"),
    ("055555", "doctor", "capabilities"),
)
HINTS = {"4": "hint: .*(CAP_SYS_ADMIN|modes of (the file|its directories)|user namespace have no effect)", "1": "program |hint: "}


def world_make(w):
    """Pins of several modes; returns ids by name."""
    ids, held = {}, []

    def pinned(name, fd, mode, again=False):
        rawbpf.pin(fd, "%s/%s" % (w.pins, name))
        os.chmod("%s/%s" % (w.pins, name), mode)
        ids[name] = rawbpf.object_id(fd)
        if not again:
            held.append(fd)
        return fd

    os.chmod(w.pins, 0o755)
    r = w.run("prog", "load", OBJECT, w.pins + "/count", "pinmaps", w.pins)
    if not ok(r.status == 0, "a program with types is loaded", r):
        finish()
    os.rename(w.pins + "/flows", w.pins + "/typed")
    for name, kind in (("count", "prog"), ("typed", "map")):
        os.chmod("%s/%s" % (w.pins, name), 0o644)
        ids[name] = w.run("-j", kind, "show", "pinned", "%s/%s" % (w.pins, name)).json["id"]
    w.run("map", "update", "pinned", w.pins + "/typed", "key", "1", "value", "42")
    plain = pinned("plain", rawbpf.map_create(1, 4, 4, 4, "lp_plain"), 0o644)
    pinned("readonly", plain, 0o444, True)
    pinned("secret", rawbpf.map_create(2, 4, 4, 1, "lp_secret"), 0o600)
    pinned("ring", rawbpf.map_create(27, 0, 0, 4096, "lp_ring"), 0o444)
    pinned("open_ring", rawbpf.map_create(27, 0, 0, 4096, "lp_open"), 0o666)
    queue = pinned("queue", rawbpf.map_create(22, 0, 4, 4, "lp_queue"), 0o644)
    pinned("writeonly", queue, 0o222, True)
    writable = pinned("writable", rawbpf.map_create(1, 4, 4, 4, "lp_writable"), 0o666)
    pinned("slots", rawbpf.map_create(3, 4, 4, 2, "lp_slots"), 0o644)
    pinned("stacks", rawbpf.map_create(7, 4, 64, 4, "lp_stacks"), 0o644)
    pinned("percpu", rawbpf.map_create(6, 4, 8, 1, "lp_percpu"), 0o444)
    rawbpf.map_update(plain, struct.pack("<I", 7), struct.pack("<I", 99))
    rawbpf.map_update(writable, struct.pack("<I", 9), struct.pack("<I", 9))
    rawbpf.map_update(queue, b"", struct.pack("<I", 77))
    xdp = pinned("xdp", rawbpf.prog_load("xdp", "lp_xdp"), 0o644)
    pinned("readonly_prog", xdp, 0o444, True)
    pinned("secret_prog", rawbpf.prog_load("xdp", "lp_secret"), 0o600)
    link = pinned("link", rawbpf.link_create(xdp, 1, 37), 0o666)
    pinned("closed_link", link, 0o444, True)
    return ids, held


def filled(text, w, ids):
    """With the pins and ids of the names in it."""
    text = text.replace("@@", w.pins)
    text = re.sub(r"@(\w+)", lambda m: "%s/%s" % (w.pins, m.group(1)), text)
    return re.sub(r"#(\w+)", lambda m: str(ids[m.group(1)]), text)


def row_check(w, ids, results, command, pattern):
    for (user, prefix), result in zip(USERS, results):
        r = Run(prefix + [w.lens] + filled(command, w, ids).split())
        what = "%s as %s" % (command.replace("@@", "DIR").replace("@", ""), user)
        if result in "05.":
            said = bool(re.search("(?m)^bpflens: .*(cannot (read|list)|could not be read|only in part)", r.errors))
            ok(r.status in {"0": (0,), "5": (5,), ".": (0, 5)}[result] and said == (r.status == 5) and
               re.search(filled(pattern, w, ids), r.text, re.M), what, r)
        else:
            ok(r.status == int(result) and not r.out and re.search(HINTS[result], r.errors), what + ": refused, with the reason", r)


isolate()
with World() as world:
    if Run(USERS[1][1] + ["true"]).status or Run(USERS[5][1] + ["true"]).status:
        skip("users without privileges, and user namespaces, cannot be made here")
        finish()
    numbers, kept = world_make(world)
    for row in ROWS:
        row_check(world, numbers, *row)
    for fd in kept:
        os.close(fd)
finish()
