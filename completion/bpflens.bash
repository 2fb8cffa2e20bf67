# SPDX-License-Identifier: BSD-2-Clause
# bash completion for bpflens: the program knows its words, objects and columns.
_bpflens()
{
	local cur=${COMP_WORDS[COMP_CWORD]} line word words=()
	[[ $cur == = ]] && cur=
	COMPREPLY=()
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		[[ $word == = ]] || words+=("${word/#\~\//$HOME/}")	# bash splits --sort=COL at the sign
	done
	while IFS= read -r line; do
		if [[ $line == :files ]]; then
			compopt -o filenames 2> /dev/null
			while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
		else
			COMPREPLY+=("${line%%$'\t'*}")
		fi
	done < <("${COMP_WORDS[0]}" __complete "${words[@]}" "$cur" 2> /dev/null)
}
complete -F _bpflens bpflens
