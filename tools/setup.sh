#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what a build needs and this machine lacks. Asks nothing; run again, it does nothing.
#
#   sh tools/setup.sh           gcc, cmake >= 3.25, ninja, python3 with jinja2, yaml, pydantic 2, click
#   sh tools/setup.sh --dev     also pytest, ruff, reuse, matplotlib, g++, clang-format 14, an aarch64 compiler, qemu
#   sh tools/setup.sh --cuda    also nvcc, from Python wheels, into the virtual environment (no root)
#
# System packages are installed as root or through `sudo -n`; Python packages go into .venv (into the user's cache if
# the tree is read-only), and only if no Python already has them.
set -eu

dev=0
cuda=0
for option in "$@"; do
    case "$option" in
    --dev) dev=1 ;;
    --cuda) cuda=1 ;;
    *)
        echo "setup.sh: unknown option '$option'; known: --dev, --cuda" >&2
        exit 2
        ;;
    esac
done

root=$(cd "$(dirname "$0")/.." && pwd)
# Empty without XDG_CACHE_HOME and HOME, as in some containers; CMake looks there by the same rule (catc_python.cmake).
cache="${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}"
cache="${cache:+$cache/catlass_c}"
minimum_cmake=3.25
imports="import sys, jinja2, yaml, click, pydantic
assert sys.version_info >= (3, 9) and int(pydantic.VERSION.split('.')[0]) >= 2"

say() {
    echo "setup.sh: $*"
}

fail() {
    echo "setup.sh: $*" >&2
    exit 1
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# ---- system packages -------------------------------------------------------------------------------------------------
apt_updated=0
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif have sudo && sudo -n true 2>/dev/null; then
        sudo -n "$@"
    else
        return 1
    fi
}

# install_packages NAME...: true if they are installed now. Knows apt, dnf and pacman.
install_packages() {
    say "installing $*"
    log=$(mktemp)
    status=0
    if have apt-get; then
        if [ $apt_updated = 0 ]; then
            as_root env DEBIAN_FRONTEND=noninteractive apt-get update >"$log" 2>&1 || status=1
            apt_updated=1
        fi
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >>"$log" 2>&1 || status=1
        [ "$status" = 0 ] || as_root true || echo "neither root nor sudo -n" >>"$log"
    elif have dnf; then
        as_root dnf install -y "$@" >"$log" 2>&1 || status=1
    elif have pacman; then
        as_root pacman -S --noconfirm --needed "$@" >"$log" 2>&1 || status=1
    else
        echo "no apt-get, dnf or pacman" >"$log"
        status=1
    fi
    if [ $status != 0 ]; then
        say "could not install $*: $(tail -n 1 "$log")" >&2
    fi
    rm -f "$log"
    return $status
}

cmake_is_new_enough() {
    have "$1" && "$1" --version 2>/dev/null | awk -v want="$minimum_cmake" '
        NR == 1 { split($3, v, "."); split(want, w, ".")
                  exit !(v[1] > w[1] || (v[1] == w[1] && v[2] >= w[2])) }'
}

if ! have gcc && ! have cc; then
    install_packages gcc libc6-dev || install_packages gcc ||
        fail "a C compiler is needed: install gcc and run this again"
fi
have python3 || install_packages python3 || fail "Python 3.9 or newer is needed: install python3 and run this again"

# ---- Python ----------------------------------------------------------------------------------------------------------
python=""
venv=""
for candidate in "${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/python3}" "$root/.venv/bin/python3" \
    "${cache:+$cache/venv/bin/python3}" python3; do
    if [ -z "$candidate" ] || ! have "$candidate"; then
        continue
    fi
    if "$candidate" -c "$imports" >/dev/null 2>&1; then
        python="$candidate"
        break
    fi
done

make_venv() {
    [ -z "$venv" ] || return 0
    if [ -w "$root" ]; then
        venv="$root/.venv"
    else
        [ -n "$cache" ] || fail "$root cannot be written to; set HOME or XDG_CACHE_HOME to a folder that can"
        venv="$cache/venv"
        mkdir -p "$cache"
    fi
    # A folder may be left over from an attempt that failed: what counts is whether its Python has pip.
    if ! "$venv/bin/python3" -m pip --version >/dev/null 2>&1; then
        say "making a virtual environment in $venv"
        rm -rf "$venv"
        if ! python3 -m venv "$venv" >/dev/null 2>&1; then
            rm -rf "$venv"
            install_packages python3-venv || fail "python3 -m venv does not work here: install python3-venv and run this again"
            python3 -m venv "$venv" || fail "python3 -m venv $venv failed, see above"
        fi
    fi
}

# pip_install ARGUMENTS...: into the virtual environment, one sentence if the package index cannot be reached.
pip_install() {
    make_venv
    log=$(mktemp)
    say "installing into $venv: $*"
    if ! "$venv/bin/python3" -m pip install --disable-pip-version-check --quiet --retries 2 --timeout 20 "$@" >"$log" 2>&1; then
        reason=$(grep -E '^ERROR|rror:' "$log" | tail -n 1)
        rm -f "$log"
        say "pip could not install $* (${reason:-no reason given}); is the package index reachable from here?" >&2
        return 1
    fi
    rm -f "$log"
}

if [ -z "$python" ]; then
    pip_install -r "$root/codegen/requirements.txt" || exit 1
    python="$venv/bin/python3"
    "$python" -c "$imports" || fail "the packages are installed, but $python cannot import them, see above"
fi

# ---- cmake and ninja -------------------------------------------------------------------------------------------------
second=""
if ! have ninja; then
    install_packages ninja-build || install_packages ninja || {
        pip_install ninja || fail "ninja is needed: install ninja-build and run this again"
        second="PATH=\"$venv/bin:\$PATH\" "
    }
fi
if ! cmake_is_new_enough cmake; then
    install_packages cmake || true
    hash -r 2>/dev/null || true
    if ! cmake_is_new_enough cmake; then
        pip_install "cmake>=$minimum_cmake" || fail "cmake $minimum_cmake or newer is needed: install it and run this again"
        second="PATH=\"$venv/bin:\$PATH\" "
    fi
fi

# ---- for developers --------------------------------------------------------------------------------------------------
if [ $dev = 1 ]; then
    # Another version formats differently. The one in the virtual environment counts: .ci/run puts that first on PATH.
    is_clang_format_14() {
        have "$1" && "$1" --version | grep -q 'version 14\.'
    }
    is_clang_format_14 clang-format || is_clang_format_14 "$root/.venv/bin/clang-format" || {
        have clang-format || install_packages clang-format || true
        is_clang_format_14 clang-format || pip_install "clang-format==14.0.6" || exit 1
    }
    have g++ || install_packages g++ || say "no g++: tests of the headers in C++ will be left out" >&2
    # Only the names of Debian and Ubuntu are known here.
    if ! have aarch64-linux-gnu-gcc || ! have qemu-aarch64-static; then
        { have apt-get && install_packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static; } ||
            say "no aarch64 compiler or no qemu: the test on aarch64 will be skipped" >&2
    fi
    missing=""
    for pair in pytest:pytest ruff:ruff reuse:reuse matplotlib:matplotlib; do
        module=${pair#*:}
        "$python" -c "import $module" >/dev/null 2>&1 || missing="$missing ${pair%:*}"
    done
    if [ -n "$missing" ]; then
        # The environment must have everything that tests import, also where the system's Python was enough to build.
        # shellcheck disable=SC2086 # one word per package
        pip_install -r "$root/codegen/requirements.txt" $missing || exit 1
        python="$venv/bin/python3"
    fi
fi

# ---- nvcc without root -----------------------------------------------------------------------------------------------
if [ $cuda = 1 ]; then
    if have nvcc || [ -x "${CUDACXX:-/usr/local/cuda/bin/nvcc}" ]; then
        say "nvcc is there already"
    else
        pip_install "nvidia-cuda-nvcc>=13,<14" "nvidia-cuda-runtime>=13,<14" "nvidia-cuda-crt>=13,<14" "nvidia-nvvm>=13,<14" "nvidia-cuda-cccl>=13,<14" || exit 1
        nvcc=$(find "$venv/lib" -path '*/nvidia/cu*/bin/nvcc' | head -n 1)
        [ -n "$nvcc" ] || fail "the wheels are installed, but there is no nvcc in $venv"
        say "nvcc is $nvcc; CMake finds it there"
    fi
fi

if [ -n "$second" ]; then
    say "cmake or ninja is in the virtual environment only. Continue with:"
    echo "  ${second}cmake --workflow --preset demo"
    exit 1
fi
say "ready (Python: $python)"
