# SPDX-License-Identifier: GPL-2.0
# completion.zsh FILE WORD...: prints FILE's completions of the last WORD, one per line. Defines the
# functions that zsh provides only during completion. For test_completion_zsh.

completion=$1
shift

matches() {
	local word
	for word; do
		[[ $word != $PREFIX* ]] || print -r -- $word
	done
}

_describe() {
	matches ${${(P)4}%%:*}
}

compadd() {
	matches ${(P)@[-1]}
}

# -P PATTERN: removes the longest match of PATTERN from the word; the rest is completed.
compset() {
	PREFIX=${PREFIX##$~2}
}

_files() {
	print -r -- FILES
}

_pids() {
	print -r -- PIDS
}

_command_names() {
	print -r -- COMMANDS
}

_normal() {
	print -r -- NORMAL $CURRENT $words
}

# Define the function, without the line of FILE that calls it.
functions[_perfgrp_once]=$(<$completion)
_perfgrp() {
	:
}
_perfgrp_once
words=("$@")
CURRENT=$#
PREFIX=$words[CURRENT]
_perfgrp
