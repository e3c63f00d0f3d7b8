#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh KIND: one way of using the library, see CMakeLists.txt beside this file. Reads SOURCE, BUILD, WORK, CMAKE, CTEST,
# CC, PYTHON, GENERATOR, CUDA (ON or OFF) and NVCC from the environment.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix="$WORK/prefix"
dir="$WORK/$1 project"
unset CFLAGS LDFLAGS CATC_WERROR DESTDIR || true

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

fresh() {
    rm -rf "$dir"
    mkdir -p "$dir"
}

# needs_no FILE LIBRARY...: FILE is not linked with any of them
needs_no() {
    file=$1
    shift
    for library in "$@"; do
        if readelf -d "$file" | grep NEEDED | grep -q "$library"; then
            fail "$file needs $library"
        fi
    done
}

configure() { # configure SOURCE_FOLDER OPTION...
    folder=$1
    shift
    "$CMAKE" -G "$GENERATOR" -S "$folder" -B "$dir/build" "-DCMAKE_C_COMPILER=$CC" "-DPython3_EXECUTABLE=$PYTHON" \
        ${NVCC:+"-DCMAKE_CUDA_COMPILER=$NVCC"} "$@"
}

# refused SENTENCE SOURCE_FOLDER OPTION...: does not configure, and says so
refused() {
    sentence=$1
    shift
    if configure "$@" >"$dir/log" 2>&1; then
        fail "not refused: $*"
    fi
    # CMake wraps messages at words
    tr -s ' \n' '  ' <"$dir/log" | grep -qF "$sentence" || {
        cat "$dir/log"
        fail "no such sentence: $sentence"
    }
}

case "$1" in
install)
    rm -rf "$prefix"
    "$CMAKE" --install "$BUILD" --prefix "$prefix" >/dev/null
    for file in include/catlass_c/catlass_c.h include/catlass_c/instances.h include/catlass_c/operations.h \
        share/catlass_c/codegen/catlass_c/cli.py share/catlass_c/tests/gemm_driver.c bin/catlass-c; do
        [ -f "$prefix/$file" ] || fail "$file is not installed"
    done
    if find "$prefix" -name __pycache__ -o -name '*.pyc' | grep -q .; then
        fail "compiled Python files are installed"
    fi
    # Nothing that is installed knows where it was built. (The Python that ran the generator may lie anywhere.)
    if grep -rIl --include='*.cmake' --include='*.pc' --include='*.h' -e "$BUILD" -e "$SOURCE" "$prefix"; then
        fail "these files name the source or build tree"
    fi
    PYTHONDONTWRITEBYTECODE=1 "$prefix/bin/catlass-c" list --filter default >/dev/null || fail "bin/catlass-c list"
    # No C++ runtime, and no libcuda: a machine without a driver can start the program.
    for library in "$prefix"/lib*/libcatlass_c.so; do
        needs_no "$library" libcuda libstdc++
    done
    ;;
find_package)
    fresh
    configure "$here/find_package" "-DCMAKE_PREFIX_PATH=$prefix"
    "$CMAKE" --build "$dir/build"
    for program in use_static use_shared; do
        "$dir/build/$program"
        needs_no "$dir/build/$program" libcuda libstdc++
    done
    if configure "$here/find_package" "-DCMAKE_PREFIX_PATH=$prefix" -DWANTED=99.0 >"$dir/log" 2>&1; then
        fail "version 99.0 was found"
    fi
    ;;
subdirectory)
    fresh
    configure "$here/subdirectory" "-DCATC_SOURCE=$SOURCE" "-DCATC_CUDA=$CUDA" \
        "-DCATC_INSTANCES=gemm_simt_f32_*_tn_64x64x8_*_simt" >"$dir/log" 2>&1 || {
        cat "$dir/log"
        fail "configure"
    }
    grep "catlass_c:" "$dir/log"
    "$CMAKE" --build "$dir/build" --target use
    "$dir/build/use"
    needs_no "$dir/build/use" libcuda libstdc++
    # The library's own tests, examples and options stay out of the parent.
    "$CTEST" --test-dir "$dir/build" -N | grep -q "Total Tests: 0" || fail "the parent has tests of the library"
    grep -q "^CATC_BUILD_TESTS:BOOL=OFF" "$dir/build/CMakeCache.txt" || fail "CATC_BUILD_TESTS is on in a subproject"
    ;;
pkg_config)
    command -v pkg-config >/dev/null 2>&1 || {
        echo "no pkg-config here"
        exit 77
    }
    fresh
    libdir=$(dirname "$(find "$prefix" -name libcatlass_c.a)")
    PKG_CONFIG_PATH="$libdir/pkgconfig"
    export PKG_CONFIG_PATH
    [ "$(pkg-config --modversion catlass_c)" = "$(sed -n 's/.*CATC_VERSION_STRING "\(.*\)"/\1/p' "$SOURCE/include/catlass_c/base.h")" ] ||
        fail "version of the .pc file"
    # eval: pkg-config quotes a path with spaces for a shell
    eval "\"$CC\" -std=c11 $(pkg-config --cflags catlass_c) \"$here/use.c\" $(pkg-config --libs catlass_c) -Wl,-rpath,\"$libdir\" -o \"$dir/use_shared\""
    "$dir/use_shared"
    needs_no "$dir/use_shared" libcuda libstdc++
    mkdir "$dir/static" # a folder with the archive alone, since -lcatlass_c prefers the shared library
    cp "$libdir/libcatlass_c.a" "$dir/static/"
    eval "\"$CC\" -std=c11 $(pkg-config --cflags catlass_c) \"$here/use.c\" -L\"$dir/static\" $(pkg-config --static --libs catlass_c) -o \"$dir/use_static\""
    needs_no "$dir/use_static" libcatlass_c libcuda libstdc++
    "$dir/use_static"
    ;;
instances)
    fresh
    configure "$here/instances" "-DCMAKE_PREFIX_PATH=$prefix" "-DCONSUMER_CUDA=$CUDA"
    "$CMAKE" --build "$dir/build"
    "$dir/build/main"
    # One test per instance of the user's, with no other edit than the YAML file.
    "$CTEST" --test-dir "$dir/build" --output-on-failure
    "$CTEST" --test-dir "$dir/build" -N | grep -q "host\.gemm_simt_f32_.*_plus_one" || fail "no test of the own operation"
    refused "ARCHS of catc_add_instances(main): '75' is older than any instance can use" \
        "$here/instances" "-DCMAKE_PREFIX_PATH=$prefix" "-DCONSUMER_CUDA=$CUDA" "-DCONSUMER_ARCHS=75"
    refused "ARCHS of catc_add_instances(main): 'sm_90' is not a target" \
        "$here/instances" "-DCMAKE_PREFIX_PATH=$prefix" "-DCONSUMER_CUDA=$CUDA" "-DCONSUMER_ARCHS=sm_90"
    refused "BACKENDS: 'gpu' must be host or cuda" \
        "$here/instances" "-DCMAKE_PREFIX_PATH=$prefix" "-DCONSUMER_CUDA=$CUDA" -DCONSUMER_ARCHS=80 -DCONSUMER_BACKENDS=gpu
    if [ "$CUDA" = OFF ]; then
        refused "this catlass_c was built without CUDA" \
            "$here/instances" "-DCMAKE_PREFIX_PATH=$prefix" -DCONSUMER_ARCHS=80 -DCONSUMER_BACKENDS=cuda
    fi
    # The same from the source tree.
    fresh
    configure "$here/instances" "-DCATC_SOURCE=$SOURCE" -DCATC_CUDA=OFF "-DCATC_INSTANCES=gemm_simt_f32_*_tn_64x64x8_*_simt" \
        >"$dir/log" 2>&1 || {
        cat "$dir/log"
        fail "configure from the source tree"
    }
    "$CMAKE" --build "$dir/build"
    "$dir/build/main"
    "$CTEST" --test-dir "$dir/build" --output-on-failure
    # A library without CUDA says so, whatever languages the project has.
    refused "this catlass_c was built without CUDA" "$here/instances" "-DCONSUMER_BACKENDS=cuda"
    if [ "$CUDA" = ON ]; then
        refused "this catlass_c was built without CUDA" "$here/instances" "-DCONSUMER_BACKENDS=cuda" -DCONSUMER_CUDA=ON
    fi
    ;;
single)
    fresh
    "$CC" -std=gnu11 -O1 -ffp-contract=off -Wall -Wextra -Werror "-I$SOURCE/include" "$here/single/single.c" -o "$dir/single" \
        -lm -lpthread
    "$dir/single"
    if [ "$CUDA" = ON ]; then
        # nvcc and the headers, nothing else
        "$NVCC" -x cu -gencode=arch=compute_90,code=sm_90 "-I$SOURCE/include" "$here/single/single.c" -o "$dir/single_cuda"
        needs_no "$dir/single_cuda" libcuda
        "$dir/single_cuda" || [ $? = 77 ] || fail "single_cuda"
    fi
    ;;
make)
    command -v make >/dev/null 2>&1 || {
        echo "no make here"
        exit 77
    }
    fresh
    unset MAKEFLAGS MAKELEVEL NVCC_PREPEND_FLAGS || true
    mkdir "$dir/home"
    generate() { # generate FOLDER OPTION...
        out=$1
        shift
        XDG_CACHE_HOME="$dir/home" CC="$CC" PYTHONDONTWRITEBYTECODE=1 "$prefix/bin/catlass-c" generate --out "$out" "$@"
    }
    # Nothing on PATH but make, a shell and a C compiler's tools: no Python, no CMake.
    mkdir "$dir/bin"
    for tool in make sh as ld ar mkdir rm ln cmp sort readlink cat uname; do
        ln -s "$(command -v $tool)" "$dir/bin/$tool"
    done
    bare() {
        env PATH="$dir/bin" make -j1 CC="$(command -v "$CC")" "$@"
    }
    generate "$dir/plain" --select 'gemm_simt_f32_*_tn_64x64x8_*_simt;gemm_sm90_bf16_*_tn_128x256x64_s4_cooperative'
    bare -C "$dir/plain" >"$dir/log" || fail "make"
    if bare -C "$dir/plain" | grep -e ' -c ' -e ' -o '; then
        fail "a second make builds something"
    fi
    readelf -d "$dir/plain/build/libcatlass_c.so" | grep -q 'SONAME.*libcatlass_c\.so\.[0-9.]*\]' || fail "no soname"
    # shellcheck disable=SC2046 (libs are words)
    "$CC" -std=c11 -Wall -Wextra -Werror "-I$dir/plain/include" "$here/use.c" "$dir/plain/build/libcatlass_c.a" \
        $(make -s -C "$dir/plain" libs) -o "$dir/use_static"
    "$dir/use_static"
    "$CC" -std=c11 "-I$dir/plain/include" "$here/use.c" "-L$dir/plain/build" -lcatlass_c "-Wl,-rpath,$dir/plain/build" \
        -o "$dir/use_shared"
    "$dir/use_shared"
    for program in use_static use_shared; do
        needs_no "$dir/$program" libcuda libstdc++
    done
    # A user's own instances and operations; every instance against fp64.
    generate "$dir/own" --instances "$here/instances/mine.yaml" --epilogues "$here/instances/epilogue" --select all
    bare -C "$dir/own" test >"$dir/log" 2>&1 || {
        cat "$dir/log"
        fail "make test"
    }
    grep '^ok   host' "$dir/log" | grep -q plus_one || fail "no test of the own operation"
    if [ "$CUDA" = ON ]; then
        # One instance of each sort by nvcc; libcudart is inside, libcuda is not needed to start.
        make -j1 -C "$dir/plain" CUDA=1 "NVCC=$NVCC" "CC=$CC" "ARCHS=90 90a" shared >"$dir/log" 2>&1 || {
            cat "$dir/log"
            fail "make CUDA=1"
        }
        needs_no "$dir/plain/build/libcatlass_c.so" libcuda libcudart libstdc++
        "$dir/use_shared"
    fi
    ;;
*)
    fail "unknown kind '$1'"
    ;;
esac
echo "consumer.$1: ok"
