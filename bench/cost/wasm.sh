#!/usr/bin/env bash
# The layers of whole networks on WebAssembly, under Node.js: milliseconds of portable code and of vectors. --layers prints each layer;
# --smoke measures the small networks. The figures are of this machine and of its Node.js, the ratio is what counts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. cmake/provision.sh
provide emscripten node

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The linker is given -O1: above it, it optimizes JavaScript by packages that not every Node.js finds.
em++ -std=c++17 -O3 -msimd128 -I include -I bench/cost/wasm -c bench/cost/wasm/networks.cpp -o "$work/networks.o"
em++ -O1 "$work/networks.o" -sSINGLE_FILE=1 -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1 -o "$work/networks.js"
"$(command -v node || command -v nodejs)" --no-experimental-fetch "$work/networks.js" "$@"
