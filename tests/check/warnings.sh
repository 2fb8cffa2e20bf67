#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `make CFLAGS+=-Werror` is silent with gcc and with clang.
cd "$(dirname "$0")/../.." || exit 1
status=0
for cc in gcc clang; do
	dir=${BUILD#"$(pwd -P)"/}/werror-$cc	# as the Makefile names it
	command -v $cc > /dev/null || { echo "skip - $cc is not installed"; continue; }
	out=$(env -u MAKEFLAGS make -s -j2 BUILD="$dir" CC=$cc CFLAGS=-Werror V=1 \
		"$dir/bpflens" 2>&1 | grep -E 'warning|error' | head -n 15)
	if [ -z "$out" ] && [ -e "$dir/bpflens" ]; then
		echo "ok - CFLAGS+=-Werror with $cc"
	else
		echo "not ok - CFLAGS+=-Werror with $cc"
		printf '%s\n' "$out" | sed 's/^/  | /'
		status=1
	fi
done
exit $status
