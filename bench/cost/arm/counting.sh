# Counts the executed instructions of layers.cpp on an emulated machine. Private: scripts of the folder above source this file. They first
# set `work`, a directory, and `level`, the optimization level.

cc -O2 -shared -fPIC bench/cost/arm/instructions.c -o "$work/instructions.so"
plugin=(-plugin "$work/instructions.so")

# compile TARGET COMPILER FLAG...: builds the program for the target.
compile() {
  "$2" -std=c++17 "$level" -I include "${@:3}" bench/cost/arm/layers.cpp -o "$work/$1"
}
# compile_bare_metal TARGET FLAG...: like `compile`, with the start-up code of the tests, at the addresses of
# cmake/toolchains/cortex-m.cmake.
compile_bare_metal() {
  local code constants data
  case $1 in
    m55*) code=0x60000000 constants=0x60400000 data=0x62000000 ;;
    m4*) code=0x00000400 constants=0x20000000 data=0x21000000 ;;
  esac
  sed -e 's/@DYADIC_VECTORS@/0x00000000/' -e "s/@DYADIC_CODE@/$code/" -e "s/@DYADIC_CONSTANTS@/$constants/" -e "s/@DYADIC_DATA@/$data/" \
    cmake/bare_metal/memory.ld.in >"$work/memory.ld"
  compile "$1" arm-none-eabi-g++ -mthumb -mfloat-abi=hard -ffunction-sections -fdata-sections -Wno-psabi "${@:2}" \
    --specs=rdimon.specs -T "$work/memory.ld" -Wl,--gc-sections cmake/bare_metal/start.cpp
}

# emulate TARGET ARGUMENT...
emulate() {
  case $1 in
    a64*) qemu-aarch64 "${plugin[@]}" -cpu max "$work/$1" "${@:2}" ;;
    a32*) qemu-arm "${plugin[@]}" -cpu max "$work/$1" "${@:2}" ;;
    m55*) DYADIC_QEMU_OPTIONS="${plugin[*]}" cmake/bare_metal/emulate mps3-an547 "$work/$1" "${@:2}" ;;
    m4*) DYADIC_QEMU_OPTIONS="${plugin[*]}" cmake/bare_metal/emulate mps2-an386 "$work/$1" "${@:2}" ;;
  esac
}
# instructions TARGET BACKEND CASE REPETITIONS: prints the number of instructions of the whole program. The program's output goes to a file.
instructions() {
  emulate "$@" >"$work/work" 2>"$work/count" || { cat "$work/count" >&2; return 1; }
  sed -n 's/^instructions //p' "$work/count"
}
