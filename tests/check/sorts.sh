#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Golden output does not depend on a stable sort in libc: with one that reverses equal elements, it is the same bytes. Of the tests
# one in five is run, with BPFLENS_RULES=all every one.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cat > "$tmp/unstable.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void turn_round(char *p, size_t n, size_t size)
{
	char one[4096];

	for (size_t i = 0; size <= sizeof(one) && i < n / 2; i++) {
		memcpy(one, p + i * size, size);
		memcpy(p + i * size, p + (n - 1 - i) * size, size);
		memcpy(p + (n - 1 - i) * size, one, size);
	}
}

void qsort_r(void *p, size_t n, size_t size, int (*cmp)(const void *, const void *, void *), void *arg)
{
	void (*next)(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *) = dlsym(RTLD_NEXT, "qsort_r");

	turn_round(p, n, size);
	next(p, n, size, cmp, arg);
}

static int plain(const void *a, const void *b, void *cmp)
{
	return (*(int (**)(const void *, const void *))cmp)(a, b);
}

void qsort(void *p, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
	qsort_r(p, n, size, plain, &cmp);
}
END
if ! "${CC:-cc}" -shared -fPIC -O1 -o "$tmp/unstable.so" "$tmp/unstable.c" 2> "$tmp/err"; then
	echo "skip - no C compiler: $(head -n 1 "$tmp/err")"
	exit 77
fi
if grep -q __asan_init "$BPFLENS"; then
	echo "skip - the sanitizers must be loaded first"
	exit 77
fi
# The symbol and version that the program calls.
printf '#!/bin/bash\nLD_PRELOAD=%s exec -a "$0" %s "$@"\n' "$tmp/unstable.so" "$BPFLENS" > "$tmp/bpflens"
chmod +x "$tmp/bpflens"
tools=$(cd "$(dirname "$0")/../tools" && pwd)
share=5
[ "${BPFLENS_RULES:-}" != all ] || share=1
# shellcheck disable=SC2046
if BPFLENS=$tmp/bpflens "$tools/run-golden" $(cd "$tools/../golden" && ls | awk "NR % $share == 0") > "$tmp/out" 2>&1; then
	echo "ok - golden tests with a sort that is not stable: $(tail -n 1 "$tmp/out")"
else
	echo "not ok - golden tests with a sort that is not stable"
	sed 's/^/  | /' "$tmp/out" | tail -n 30
	exit 1
fi
