#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures a build on this machine's GPU beside cuBLASLt: the shape lists of bench/shapes, host time of a call; one JSON
# file and one table for each. bench/README.md says how it is measured.
#
#   sh tools/gpu_bench.sh BUILD [OUT [LIST…]]
#
# BUILD: a build tree with the cuda backend, best with -DCATC_INSTANCES=all. OUT: folder for the results (default:
# BUILD/bench_results). LIST: of host_time square square_f32 hopper llm_prefill llm_decode odd random (default: all of them).
# CATC_BENCH_SECONDS: the most that one list may take (default 600); what is measured by then is kept.
# CATC_BENCH_OPTIONS: more options of bench_gemm, such as CATC_BENCH_OPTIONS='--instances gemm_sm80_*'.
# Exit 0: every list is complete and nothing was wrong. The commit is CATC_COMMIT, or what git
# says. Needs no compiler and no Python; draws the plots if there is a python3 with matplotlib.
set -uf

build=${1:?usage: sh tools/gpu_bench.sh BUILD [OUT [LIST…]]}
out=${2:-$build/bench_results}
if [ $# -gt 2 ]; then shift 2; else shift $#; fi
[ $# -gt 0 ] || set -- host_time square square_f32 hopper llm_prefill llm_decode odd random
program=$build/bench/bench_gemm
here=$(dirname "$0")
seconds=${CATC_BENCH_SECONDS:-600}
[ -x "$program" ] || { echo "gpu_bench: $program is not there; build with CATC_CUDA=ON" >&2; exit 1; }
mkdir -p "$out" || exit 1
CATC_COMMIT=${CATC_COMMIT:-$(git -C "$here" describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null ||
    echo unknown)}
export CATC_COMMIT

for list in "$@"; do
    case "$list" in
    host_time | square_f32) ;;
    *)
        if [ ! -f "$here/../bench/shapes/$list.txt" ]; then
            echo "gpu_bench: list=$list must be host_time, square_f32 or the name of a file of bench/shapes" >&2
            exit 2
        fi
        ;;
    esac
done

failed=0
for list in "$@"; do
    case "$list" in
    host_time) set -- --host-time ;;
    square_f32) set -- --shapes "$here/../bench/shapes/square.txt" --type f32 --filter '[2-8]*' ;; # up to 8192
    *) set -- --shapes "$here/../bench/shapes/$list.txt" ;;
    esac
    start=$(date +%s)
    echo "# SPDX-License-""Identifier: Apache-2.0" >"$out/$list.txt"
    # shellcheck disable=SC2086 # options are words; their stars stay (set -f)
    timeout "$seconds" "$program" "$@" --json "$out/$list.json" ${CATC_BENCH_OPTIONS:-} \
        >>"$out/$list.txt" 2>"$out/$list.err"
    rc=$?
    printf '%-12s exit %d, %d s  %s\n' "$list" $rc $(($(date +%s) - start)) "$(tail -n 1 "$out/$list.txt" | cut -c1-110)"
    [ $rc != 124 ] || echo "  stopped after $seconds s (CATC_BENCH_SECONDS); what was measured is in $out"
    grep -E '^geometric means|WRONG|FAILED|    failed' "$out/$list.txt" | cut -c1-200
    head -n 5 "$out/$list.err" | cut -c1-300
    [ -s "$out/$list.err" ] || rm -f "$out/$list.err"
    [ $rc = 0 ] || failed=$((failed + 1))
done
for list in square square_f32; do
    if [ -f "$out/$list.json" ] && python3 -c 'import matplotlib' 2>/dev/null; then
        python3 "$here/../bench/plot.py" "$out/$list.json" --best --out "$out/$list.svg"
    fi
done
echo "$failed lists failed"
[ $failed = 0 ]
