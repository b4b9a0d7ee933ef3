#!/usr/bin/env bash
# Measures the layers of whole networks on WebAssembly, under Node.js: milliseconds of portable code and of vector code, and their ratio.
# --layers prints each layer. `bench/run wasm` calls this script.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# The smoke run measures only the small networks.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The linker runs at -O1, because above -O1 it optimizes JavaScript with packages that not every Node.js finds.
em++ -std=c++17 -O3 -msimd128 -I include -I bench/cost/wasm -c bench/cost/wasm/networks.cpp -o "$work/networks.o"
em++ -O1 "$work/networks.o" -sSINGLE_FILE=1 -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1 -o "$work/networks.js"
"$(command -v node || command -v nodejs)" --no-experimental-fetch "$work/networks.js" "$@"
