#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks a build on a machine with a GPU, in one go: every instance on both backends with bits compared where arithmetic
# is exact, the tests that need a GPU, the examples, and compute-sanitizer on one instance of each skeleton and, of
# gemm_sm80, on batches by arrays of pointers.
#
#   sh tools/gpu_check.sh BUILD [OUT]
#
# BUILD: a build tree with the cuda backend (tests and examples built). OUT: folder for gpu_check.json and the logs
# (default: BUILD/gpu). Needs no compiler and no Python. Exit 0: everything passed. The commit is CATC_COMMIT, or what git
# says; toolkit and targets from BUILD/build_info.txt.
set -u

build=${1:?usage: sh tools/gpu_check.sh BUILD [OUT]}
out=${2:-$build/gpu}
driver=$build/tests/catc_gemm_driver
export CATC_REQUIRE_GPU=1
mkdir -p "$out"
[ -x "$driver" ] || { echo "gpu_check: $driver is not there; build with CATC_CUDA=ON" >&2; exit 1; }

gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)
echo "gpu: $gpu"
failed=0
results=

# step NAME COMMAND…: runs it, keeps the log, prints its last line
step() {
    name=$1
    shift
    start=$(date +%s)
    "$@" >"$out/$name.log" 2>&1
    rc=$?
    seconds=$(($(date +%s) - start))
    [ $rc = 0 ] && verdict=pass || verdict=fail
    [ $rc = 0 ] || failed=$((failed + 1))
    printf '%-4s %-28s %4d s  %s\n' "$verdict" "$name" "$seconds" "$(tail -n 1 "$out/$name.log" | cut -c1-110)"
    [ $rc = 0 ] || tail -n 12 "$out/$name.log" | cut -c1-200
    results="$results${results:+, }{\"step\": \"$name\", \"verdict\": \"$verdict\", \"seconds\": $seconds}"
}

step instances "$driver" --backend both '*'
for program in "$build"/tests/catc_api_* "$build"/tests/catc_bugs_* "$build"/tests/catc_unit_*; do
    [ -x "$program" ] && [ -f "$program" ] && step "$(basename "$program" | cut -c6-)" "$program"
done
for example in "$build"/examples/gemm_*; do
    [ -x "$example" ] && [ -f "$example" ] && step "$(basename "$example")" "$example"
done
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
if [ -n "$sanitizer" ]; then
    # sanitize NAME ARGUMENT…: the driver with these arguments under each tool
    sanitize() {
        what=$1
        shift
        for tool in memcheck racecheck synccheck; do
            step "$tool.$what" "$sanitizer" --tool $tool --error-exitcode 1 "$driver" --backend cuda "$@"
        done
    }
    sanitize gemm_simt 'gemm_simt_bf16_*_bias_tap_gelu'
    sanitize gemm_sm80 'gemm_sm80_*_64x64x64_*_add_amax'
    # A with M contiguous, B with K and with N, aligned for the fast copies and not
    sanitize gemm_sm80.pointers --case pointers 'gemm_sm80_*_n[nt]_128x128x32_*_multistage'
    sanitize gemm_sm90 'gemm_sm90_*_bias_tap_gelu_tanh'
else
    echo "compute-sanitizer was not found; left out"
fi

# build_info KEY
build_info() {
    value=$(sed -n "s/^$1=//p" "$build/build_info.txt" 2>/dev/null)
    echo "${value:-unknown}"
}

instances=$("$driver" --backend cuda --list '*' | wc -l)
commit=${CATC_COMMIT:-$(git -C "$(dirname "$0")" describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null || echo unknown)}
printf '{"gpu": "%s", "date": "%s", "commit": "%s", "toolkit": "%s", "compiler": "%s", "archs": "%s", ' \
    "$gpu" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$commit" "$(build_info toolkit)" "$(build_info compiler)" \
    "$(build_info archs)" >"$out/gpu_check.json"
printf '"command": "sh tools/gpu_check.sh BUILD", "instances": %d, "failed": %d, "steps": [%s]}\n' \
    "$instances" "$failed" "$results" >>"$out/gpu_check.json"
echo "$failed steps failed"
[ $failed = 0 ]
