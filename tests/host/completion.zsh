# SPDX-License-Identifier: GPL-2.0
# completion.zsh FILE WORD...: prints what FILE completes the last WORD with, one a line. What zsh
# defines in a completion only is defined here. For test_completion_zsh.

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

# -P PATTERN: what the longest match leaves is what is completed.
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

# Without the line that calls it.
functions[_perfgrp_once]=$(<$completion)
_perfgrp() {
	:
}
_perfgrp_once
words=("$@")
CURRENT=$#
PREFIX=$words[CURRENT]
_perfgrp
