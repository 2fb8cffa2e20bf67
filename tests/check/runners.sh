#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The test runners themselves: their counts, and that they end if loading hangs in the kernel.
unset FIRST	# run-unit would end at the first failure
tools=$(cd "$(dirname "$0")/../tools" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
status=0
is() {	# is WHAT WANT: the last line of $tmp/out
	if [ "$(tail -n 1 "$tmp/out")" = "$2" ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/  | /' "$tmp/out"; status=1; fi
}

script() { printf '#!/bin/sh\n%s\n' "$2" > "$tmp/$1"; chmod +x "$tmp/$1"; }
script three 'echo "ok - a"; echo "skip - b"; echo "not ok - c"; exit 1'
script dies 'echo "ok - a"; exit 3'
script sleeps 'sleep 100'
script fine 'echo "ok - a"'
JOBS=1 "$tools/run-tests" some "$tmp/three" "$tmp/dies" > "$tmp/out"
is "run-tests counts, and a script that dies fails" "some: 2 passed, 2 failed, 1 skipped"
JOBS=3 "$tools/run-tests" some "$tmp/three" "$tmp/dies" "$tmp/fine" > "$tmp/out"
is "also side by side" "some: 3 passed, 2 failed, 1 skipped"
# Each waits for the other; the third comes when they have ended.
script left "touch $tmp/1; until [ -e $tmp/2 ]; do sleep 0.05; done; touch $tmp/1.ended; echo 'ok - a'"
script right "touch $tmp/2; until [ -e $tmp/1 ]; do sleep 0.05; done; touch $tmp/2.ended; echo 'ok - a'"
script alone ": <<'#'
isolate(alone='it counts files')
#
[ -e $tmp/1.ended ] && [ -e $tmp/2.ended ] && echo 'ok - a'"
TEST_TIMEOUT=20 JOBS=2 "$tools/run-tests" some "$tmp/alone" "$tmp/left" "$tmp/right" > "$tmp/out"
is "and what must be alone by itself" "some: 3 passed, 0 failed, 0 skipped"

rm "$tmp"/[12]*; TEST_TIMEOUT=20 BESIDE="$tmp/left" "$tools/run-tests" some "$tmp/right" > "$tmp/out"
is "beside another command" "some: 1 passed, 0 failed, 0 skipped"

# The output of cmocka.
script is-unit 'echo "[       OK ] a"; echo "skip - b: no reason"; echo "[  SKIPPED ] b"; echo "[  FAILED  ] c"
echo "[==========] 3 test(s) run."; echo "[  SKIPPED ] 1 test(s), listed below:"; echo " 1 FAILED TEST(S)"; exit 1'
script is-mute 'echo "[  SKIPPED ] b"; echo "[==========] 1 test(s) run."; echo "[  SKIPPED ] 1 test(s), listed below:"'
"$tools/run-unit" "$tmp/is" mute > "$tmp/out"
is "one that is skipped without a reason has failed" "unit: 0 passed, 1 failed, 1 skipped"
script is-crash 'echo "[       OK ] a"; kill -SEGV $$'
script is-silent 'exit 0'
"$tools/run-unit" "$tmp/is" unit > "$tmp/out"
is "run-unit counts tests, not programs" "unit: 1 passed, 1 failed, 1 skipped"
grep -q '^skip - .*unit: b: no reason$' "$tmp/out" && echo "ok - and says why one was skipped" || { echo "not ok - the reason is missing"; status=1; }
script is-two 'echo "[       OK ] a"; echo "skip - b: no reason"; echo "[  SKIPPED ] b"; echo "[  FAILED  ] c"
echo "[==========] tests: 3 test(s) run."; echo "[  SKIPPED ] tests: 1 test(s), listed below:"; echo " 1 FAILED TEST(S)"; exit 1'
"$tools/run-unit" "$tmp/is" two > "$tmp/out"
is "and those of cmocka 2" "unit: 1 passed, 1 failed, 1 skipped"
"$tools/run-unit" "$tmp/is" crash silent > "$tmp/out" 2>&1
is "a program that dies or says nothing has failed" "unit: 1 passed, 2 failed, 0 skipped"

"$tools/can-load" 0.2 sleep 100 > "$tmp/out"
is "can-load does not wait" "this kernel is stuck: loading a BPF program takes longer than 0.2 s (a new boot helps)"
CAN_LOAD="$tools/can-load 0.2 sleep 100" "$tools/run-tests" --loads some "$tmp/fine" "$tmp/sleeps" > "$tmp/out"
is "on a kernel that is stuck nothing that loads is run" "some: 0 passed, 0 failed, 2 skipped"
# The first answer is good, the second is not.
script once "[ ! -e $tmp/asked ] && : > $tmp/asked || { echo stuck; exit 1; }"
TEST_TIMEOUT=1 JOBS=1 CAN_LOAD="$tmp/once" "$tools/run-tests" --loads some "$tmp/sleeps" "$tmp/fine" > "$tmp/out"
is "when it gets stuck in between, the rest is skipped" "some: 0 passed, 1 failed, 1 skipped"

script stage 'case $2 in bad) exit 3 ;; *) echo "$2: 2 passed, 1 failed, 1 skipped" ;; esac'
MAKE="$tmp/stage" "$tools/check" one two -- three bad > "$tmp/out"
is "check adds up the stages of both lists" "6 passed, 4 failed, 3 skipped"
LEFT="four five" MAKE="$tmp/stage" "$tools/check" one > "$tmp/out"
is "and of one" "2 passed, 1 failed, 1 skipped"
grep -q '^left out: four five (make check-live ' "$tmp/out" && echo "ok - and names what it left out" || { echo "not ok - what is left out is not named"; status=1; }
mkdir "$tmp/bin"
printf '#!/bin/sh\necho dead; exit 1\n' > "$tmp/bin/setsid" && chmod +x "$tmp/bin/setsid"
PATH=$tmp/bin:$PATH MAKE="$tmp/stage" "$tools/check" one -- two > "$tmp/out"
is "stages beside that do not end are a failure" "2 passed, 2 failed, 1 skipped"
exit $status
