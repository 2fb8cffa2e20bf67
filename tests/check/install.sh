#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `make install` installs the files in tests/check/installed, and `make uninstall` removes all of them.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
list=$(cd "$(dirname "$0")" && pwd)/installed
status=0
ok() { if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; status=1; fi; }

${MAKE:-make} -s BUILD="$BUILD" DESTDIR="$dir" PREFIX=/usr install >"$dir.log" 2>&1
(cd "$dir" && find . -type f | LC_ALL=C sort) | diff -u "$list" - | sed 's/^/  | /'
(cd "$dir" && find . -type f | LC_ALL=C sort) | cmp -s "$list" -
ok $? "make install puts there what is listed"
"$dir/usr/sbin/bpflens" version >/dev/null
ok $? "the installed program runs"
${MAKE:-make} -s BUILD="$BUILD" DESTDIR="$dir" PREFIX=/usr uninstall >>"$dir.log" 2>&1
[ -z "$(find "$dir" -type f)" ]
ok $? "make uninstall leaves nothing"
rm -f "$dir.log"
exit $status
