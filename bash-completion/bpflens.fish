# SPDX-License-Identifier: BSD-2-Clause
# fish completion for bpflens: the program knows its words, objects and columns.
function __bpflens_complete
	set -l words (commandline -opc)
	set -l typed (commandline -ct)
	# The word without its quotes, one of which may be open. Nothing is expanded.
	set -l current (string unescape -- "$typed"; or string unescape -- "$typed'"; or string unescape -- "$typed\"")
	for line in ($words[1] __complete $words[2..-1] "$current" 2> /dev/null)
		if test "$line" = :files
			set -l head (string match -r -- '^--[^=]*=' "$current")
			for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$current"))
				printf '%s%s\n' "$head" $path
			end
		else
			printf '%s\n' $line
		end
	end
end
complete -c bpflens -f -a '(__bpflens_complete)'
