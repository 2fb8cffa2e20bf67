#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Manual pages are clean and agree with the program; the help fits a screen; completion scripts parse.
cd "$(dirname "$0")/../.." || exit 1
lens=$BPFLENS status=0
ok() { echo "ok - $*"; }
bad() { echo "not ok - $*"; sed 's/^/  | /' "$log" | head -n 15; status=1; }
log=$(mktemp)
mkdir "$log.d"
trap 'rm -rf "$log" "$log.d"' EXIT
# Without pages of an older build that do not exist any more.
pages=$(for page in man/*.8.in; do echo "$BUILD/$page"; done | sed 's/\.in$//')

if command -v mandoc > /dev/null; then
	for page in $pages; do
		# Examples come first, where readers look for them.
		mandoc -T lint -W warning "$page" 2>&1 | grep -v 'out of conventional order: Sh E[NX]' > "$log"
		[ ! -s "$log" ] && ok "mandoc -T lint ${page##*/}" || bad "mandoc -T lint ${page##*/}"
	done
else
	echo "skip - mandoc is not installed"
fi
if command -v groff > /dev/null; then
	for width in 60 80; do
		for page in $pages; do
			groff -ww -mdoc -Tutf8 -P-c -rLL=${width}n -rLT=${width}n "$page" 2> "$log.d/errors" | sed 's/.\x08//g' | expand |
				LC_ALL=C.UTF-8 grep -nE "^.{$((width + 1))}|BSD System" | sed "s|^|${page##*/}:|"
			grep "can't break line" "$log.d/errors"
		done > "$log"
		[ ! -s "$log" ] && ok "the manual fits $width columns" || bad "the manual does not fit $width columns"
	done
else
	echo "skip - groff is not installed"
fi

for page in $pages; do grep -q '^\.Sh SEE ALSO$' "$page" || echo "${page##*/} has no SEE ALSO"; done > "$log"
for word in $("$lens" __complete help '' | cut -f 1); do
	case $word in help | version) ;; *) grep -q "^\.Xr bpflens-$word 8" "$BUILD/man/bpflens.8" && [ -s "$BUILD/man/bpflens-$word.8" ] || echo "$word has no page" ;; esac
done >> "$log"
[ ! -s "$log" ] && ok "each object has a page, and is in SEE ALSO" || bad "pages, and SEE ALSO"

"$lens" --help > "$log" 2>&1
[ "$(wc -l < "$log")" -le 23 ] && ok "--help and a prompt fit 24 lines" || bad "--help and a prompt have more than 24 lines"
awk 'length > 80' "$log" > "$log.wide"
[ ! -s "$log.wide" ] && ok "--help fits 80 columns" || bad "--help is wider than 80 columns"
for group in $("$lens" __complete help '' 2> /dev/null | cut -f 1); do
	"$lens" help "$group" | awk -v group="$group" '/^$/ { exit } length > 100 { print group ": " $0 }'
done > "$log.wide"
[ ! -s "$log.wide" ] && ok "the usage of every object fits 100 columns" || bad "the usage of an object is wider than 100 columns: $(head -n 1 "$log.wide")"
rm -f "$log.wide"
ln -s "$lens" "$log.d/bpftool"
"$log.d/bpftool" --help | sed '/OBJECT := /!d; s/.*{//; s/}.*//; s/|//g' > "$log"
[ "$(echo $(cat "$log"))" = "prog map link cgroup net perf feature btf gen struct_ops iter token" ] && ok "bpftool --help has the line that completion scripts read" || bad "bpftool --help: the words of bpftool in one line"

# Each page: the synopsis, as words, has every usage line of `GROUP --help`.
for page in $(printf '%s\n' $pages | grep '/bpflens-[^/]*$'); do
	command -v mandoc > /dev/null || continue
	group=${page##*/bpflens-} group=${group%.8}
	manual=$(mandoc -T utf8 "$page" | sed 's/.\x08//g' | tr -s '[:space:]' ' ')
	"$lens" "$group" --help 2>&1 | sed "s/^Usage: //" | grep -E "^ *bpflens( \[[A-Z]+\])? $group |^ *$group " | sed 's/^ *//' > "$log.usage"
	: > "$log"
	while IFS= read -r line; do
		line=$(printf '%s' "$line" | tr -s '[:space:]' ' ')
		case $manual in *"$line"*) ;; *) printf '%s\n' "not in the manual: $line" >> "$log" ;; esac
	done < "$log.usage"
	if [ -s "$log.usage" ] && [ ! -s "$log" ]; then ok "synopsis == usage: $group"; else bad "synopsis == usage: $group ($(wc -l < "$log.usage") usage lines)"; fi
	rm -f "$log.usage"
done

for f in bash-completion/*; do
	case $f in */_*) sh=zsh ;; *.fish) sh=fish ;; *) sh=bash ;; esac
	command -v $sh > /dev/null || { echo "skip - $sh is not installed"; continue; }
	$sh -n "$f" > "$log" 2>&1 && ok "$f parses" || bad "$f parses"
done
exit $status
