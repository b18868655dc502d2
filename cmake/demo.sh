#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the ullage program and asks it whether models fit, from a bare Debian 12 or Ubuntu 24.04: sh cmake/demo.sh
set -eu
cd "$(dirname "$0")/.."
. cmake/packages.sh

need TOOL:g++ TOOL:cmake TOOL:ninja HEADER:boost/units/quantity.hpp HEADER:eigen3/Eigen/Core HEADER:nlohmann/json.hpp \
  HEADER:CLI/CLI.hpp
need_cmake

build() {
  cmake --preset release -B build/demo -DULLAGE_BUILD_TESTS=OFF -DULLAGE_BUILD_EXAMPLES=OFF -DULLAGE_BUILD_BENCHMARKS=OFF \
    -DULLAGE_BUILD_CUDA=OFF && cmake --build build/demo --target ullage_cli
}
echo "Building the ullage program (a minute or two) …"
mkdir -p build
if ! build >build/demo.log 2>&1; then
  cat build/demo.log
  exit 1
fi

# 0 is "fits" and 1 is "does not fit": both are answers. Anything above is an error.
ask() {
  printf '\n$ ullage'
  for word in "$@"; do
    case $word in *' '*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
  done
  printf '\n'
  code=0
  build/demo/examples/ullage "$@" || code=$?
  [ "$code" -le 1 ] || exit "$code"
}

# The questions of the demonstration, one a line.
ask fit llama-3.1-70b --on "H200 SXM"
ask fit examples/configs/qwen3-30b-a3b.json --on "H200 SXM" --context 32768 --concurrency 16

request='{"model": {"name": "llama-3.1-8b"}, "accelerator": "L40S", "load": {"context": 8192, "concurrency": 16}}'
printf "\n\$ echo '%s' | ullage batch\n" "$request"
echo "$request" | build/demo/examples/ullage batch | cut -c1-400 | sed 's/$/ …/'

cat <<'END'

The program is build/demo/examples/ullage; `build/demo/examples/ullage --help` lists what it answers.
To install it and the headers under a folder P: cmake --install build/demo --prefix P
More configurations to try are in examples/configs.
END
