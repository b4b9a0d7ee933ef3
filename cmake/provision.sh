# shellcheck shell=bash
# Installs missing packages with apt. Sourced by tests/run and bench/run.

say() { printf '\n== %s\n' "$*"; }
complain() { printf '%s: %s\n' "$0" "$*" >&2; }

# shellcheck disable=SC2034 # used by the scripts that source this file
jobs=${DYADIC_JOBS:-$(nproc)}
if command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache; fi

has() { command -v "$1" >/dev/null; }
has_header() { printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | c++ -x c++ -fsyntax-only - 2>/dev/null; }

# The Python of the distribution builds a package and tests it.
has_pybind11() {
  /usr/bin/python3 -c 'import setuptools, wheel, pip, pybind11, numpy, pytest, os, sysconfig
os.stat(sysconfig.get_path("include") + "/Python.h"), os.stat(pybind11.get_include() + "/pybind11/pybind11.h")' 2>/dev/null
}

# missing THING: prints the packages that supply THING, or nothing if THING is installed.
missing() {
  case $1 in
    c++ | g++) has "$1" || echo g++ ;;
    cmake) has cmake || echo cmake ;;
    ninja) has ninja || echo ninja-build ;;
    catch2) has_header catch2/catch.hpp || has_header catch2/catch_all.hpp || echo catch2 ;;
    benchmark) has_header benchmark/benchmark.h || echo libbenchmark-dev ;;
    gemmlowp) has_header gemmlowp/public/gemmlowp.h || echo libgemmlowp-dev ;;
    xnnpack) { has_header xnnpack.h && has_header pthreadpool.h && has_header cpuinfo.h; } ||
      echo libxnnpack-dev libpthreadpool-dev libcpuinfo-dev ;;
    onednn) has_header dnnl.hpp || echo libdnnl-dev ;;
    z3) has z3 || echo z3 ;;
    doxygen) has doxygen || echo doxygen ;;
    python3) has python3 || echo python3 ;;
    meson) has meson || echo meson ;;
    pybind11) has_pybind11 ||
      echo python3-dev python3-pip python3-setuptools python3-wheel python3-numpy python3-pytest python3-pybind11 pybind11-dev ;;
    flatbuffers) { has flatc && has_header flatbuffers/flatbuffers.h; } || echo flatbuffers-compiler libflatbuffers-dev ;;
    pkg-config) has pkg-config || echo pkg-config ;;
    clang++) has clang++ || echo clang ;;
    g++-*) has "$1" || echo "$1" ;;
    clang++-*) has "$1" || echo "clang-${1#clang++-}" ;;
    clang-sanitizers-*)
      compgen -G "/usr/lib/llvm-${1##*-}/lib/clang/*/lib/*/libclang_rt.asan*" >/dev/null || echo "libclang-rt-${1##*-}-dev" ;;
    qemu) { { has qemu-arm-static && has qemu-aarch64-static; } || { has qemu-arm && has qemu-aarch64; }; } || echo qemu-user-static ;;
    qemu-plugins) { has qemu-aarch64 && has qemu-arm; } || echo qemu-user ;;
    qemu-x86_64 | qemu-riscv64 | qemu-ppc64le | qemu-s390x) has "$1-static" || has "$1" || echo qemu-user-static ;;
    bochs) { has bochs && compgen -G '/usr/lib/*/bochs/plugins/libbx_term_gui.so' >/dev/null; } || echo bochs bochs-term ;;
    armv7) has arm-linux-gnueabihf-g++ || echo g++-arm-linux-gnueabihf ;;
    aarch64) has aarch64-linux-gnu-g++ || echo g++-aarch64-linux-gnu ;;
    riscv64 | powerpc64le | s390x) has "$1-linux-gnu-g++" || echo "g++-$1-linux-gnu" ;;
    qemu-system-arm) has qemu-system-arm || echo qemu-system-arm ;;
    cortex-m) echo '#include <type_traits>' | arm-none-eabi-g++ -x c++ -fsyntax-only - 2>/dev/null ||
      echo gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib ;;
    mingw) echo '#include <thread>' | x86_64-w64-mingw32-g++-posix -x c++ -fsyntax-only - 2>/dev/null || echo g++-mingw-w64-x86-64-posix ;;
    lld-*) has "ld.$1" || echo "$1" ;;
    wine) has wine64 || has wine64-stable || [ -x /usr/lib/wine/wine64 ] || echo wine64 ;;
    emscripten) has em++ || echo emscripten ;;
    node) has node || has nodejs || echo nodejs ;;
    *) complain "no package is known for $1" && return 1 ;;
  esac
}

# apt_get ARGUMENT...: runs apt-get as root, without questions. If there is no terminal, sudo may not ask for a password.
apt_get() {
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo=(sudo)
    [ -t 0 ] || sudo=(sudo -n)
  fi
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600 "$@" </dev/null >/dev/null
}

# Old package lists name files that no longer exist. They are refreshed once, before the first use.
apt_lists=old
refresh() {
  if [ "$apt_lists" = old ]; then
    apt_lists=fresh
    apt_get update || complain "the package lists could not be refreshed; trying with the old lists"
  fi
}

# available PACKAGE: succeeds if this distribution has the package.
available() { has apt-cache && { refresh; [ -n "$(apt-cache show "$1" 2>/dev/null)" ]; }; }

# provide THING...: installs the packages that supply the things, or names what is missing and fails.
provide() {
  local thing packages
  packages=$(for thing; do missing "$thing"; done)
  [ -n "$packages" ] || return 0
  # shellcheck disable=SC2086 # one word is one package
  set -- $packages
  if ! has apt-get || { [ "$(id -u)" -ne 0 ] && ! has sudo; }; then
    complain "please install these packages, or the programs that they contain: $*"
    return 1
  fi
  say "installing with apt-get: $*"
  refresh
  if ! apt_get install -y --no-install-recommends "$@"; then
    complain "these packages are missing and could not be installed: $*"
    return 1
  fi
}
