#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh: builds the library for aarch64 and runs tests of it under qemu-user. SOURCE, BUILD, CMAKE, CTEST, GENERATOR
# and PYTHON come from CMakeLists.txt; exits with 77 and a sentence where tools are missing.
set -eu
unset CC CFLAGS LDFLAGS # those of this machine

skip() {
    echo "skipped: $1"
    exit 77
}
case $(uname -m) in
aarch64 | arm64) skip "this machine is aarch64, so that every other test runs there" ;;
esac
cc=aarch64-linux-gnu-gcc
command -v $cc >/dev/null || skip "no $cc (Debian: gcc-aarch64-linux-gnu and libc6-dev-arm64-cross)"
echo 'int main(void) { return 0; }' | $cc -x c -static -o /dev/null - 2>/dev/null ||
    skip "$cc cannot link a program (Debian: libc6-dev-arm64-cross)"
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64) ||
    skip "no qemu-aarch64-static (Debian: qemu-user-static)"

# Static, so that qemu needs no libraries of the other machine. Every third policy of threads and copies: each schedule
# and each landing once, because under qemu the emulator is 20 to 50 times slower. The sanitizers do not run there.
targets=catc_gemm_driver
tests="host_simt host_sm80 host_sm90"
for name in $tests; do
    targets="$targets catc_unit_$name"
done
"$CMAKE" -S "$SOURCE" -B "$BUILD" -G "$GENERATOR" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_C_COMPILER=$cc "-DCMAKE_CROSSCOMPILING_EMULATOR=$qemu" -DCMAKE_EXE_LINKER_FLAGS=-static \
    -DCMAKE_C_FLAGS=-DCATC_TEST_POLICY_STEP=3 "-DPython3_EXECUTABLE=$PYTHON" -DCATC_TSAN_RUNS=OFF -DCATC_CUDA=OFF \
    -DCATC_WERROR=ON -DCATC_BUILD_EXAMPLES=OFF -DCATC_INSTALL=OFF \
    "-DCATC_INSTANCES=gemm_simt_f32_*_tn_64x64x8_*_simt;gemm_sm80_bf16_*_tn_64x64x64_*;gemm_sm90_bf16_*_tn_128x128x64_*"
# shellcheck disable=SC2086 # one word per target
"$CMAKE" --build "$BUILD" --target $targets
"$CTEST" --test-dir "$BUILD" --output-on-failure -R "^host[.]gemm_|^unit[.]($(echo "$tests" | tr ' ' '|'))$"
