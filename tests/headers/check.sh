#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh LANGUAGE COMPILER FLAG... -- HEADER...: compiles a file with nothing but one header, included twice; a
# skeleton, which is one instance, once.
set -u
language=$1
compiler=$2
shift 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# The flags go into "$@" of compile_one through a file, one per line, so that paths may have spaces.
while [ "$1" != "--" ]; do
    printf '%s\n' "$1" >>"$dir/flags"
    shift
done
shift

compile_one() {
    header=$1
    set --
    while IFS= read -r flag; do
        set -- "$@" "$flag"
    done <"$dir/flags"
    source="$dir/header.$language"
    [ "$language" != c++ ] || source="$dir/header.cc"
    printf '#include "%s"\n' "$header" >"$source"
    [ "${header%.skel.h}" != "$header" ] || printf '#include "%s"\n' "$header" >>"$source"
    # -pedantic: a translation unit must not be empty
    printf 'typedef int catc_not_empty;\n' >>"$source"
    "$compiler" "$@" "$source" >"$dir/out" 2>&1
}

bad=0
for header in "$@"; do
    if ! compile_one "$header"; then
        bad=$((bad + 1))
        echo "FAILED: $header"
        head -n 15 "$dir/out"
    fi
done
echo "$(($# - bad)) of $# headers compile alone ($language)"
[ "$#" -gt 0 ] && [ "$bad" = 0 ]
