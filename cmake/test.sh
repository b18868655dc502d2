#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# All tests, from a bare Debian 12 or Ubuntu 24.04: sh cmake/test.sh
set -eu
cd "$(dirname "$0")/.."
. cmake/packages.sh

began=$(date +%s)
times=''
failed=''
summaries=build/test-summaries.txt

# part NAME COMMAND…: runs one part and notes its time; a failed build ends the run, failed tests end it at the end.
part() {
  name=$1
  shift
  echo "=== $name"
  start=$(date +%s)
  if "$@"; then state=ok; else state=FAILED; failed="$failed $name,"; fi
  times="$times$(printf '%6d s  %-6s  %s' $(($(date +%s) - start)) "$state" "$name")
"
}

# tests PRESET: ctest with its output kept, since a pipe would hide its exit code.
tests() {
  log=build/$1/ctest.log
  code=0
  ctest --preset "$1" -j "$cores" >"$log" 2>&1 || code=$?
  cat "$log"
  { echo "ctest --preset $1:"; grep -E 'tests passed|tests failed|Total Test time|\((Failed|Timeout|Not Run|SEGFAULT|Subprocess aborted)\)' "$log" || tail -3 "$log"; } >>"$summaries"
  return "$code"
}

finish() {
  echo
  echo "=== time by part ($(($(date +%s) - began)) s, $cores cores)"
  printf '%s' "$times"
  echo
  if [ -f "$summaries" ]; then cat "$summaries"; fi
  if [ -n "$failed" ]; then
    echo "FAILED:${failed%,}"
    exit 1
  fi
  exit 0
}

need TOOL:g++ TOOL:clang++ TOOL:cmake TOOL:ninja TOOL:ccache TOOL:python3 TOOL:valgrind \
  HEADER:boost/units/quantity.hpp HEADER:eigen3/Eigen/Core HEADER:nlohmann/json.hpp HEADER:CLI/CLI.hpp \
  HEADER:catch2/catch.hpp HEADER:benchmark/benchmark.h PYTHON:jsonschema
need LINK:sanitizers
need_cmake

cores=$(nproc 2>/dev/null || echo 2)
mkdir -p build
rm -f "$summaries"

part 'dev: configure' cmake --preset dev
[ -z "$failed" ] || finish
part 'dev: build' cmake --build --preset dev -j "$cores"
[ -z "$failed" ] || finish
part 'dev: tests' tests dev

# Unit, property and evidence tests and the fuzzers again, with AddressSanitizer and UBSan.
part 'asan-ubsan: configure' cmake --preset asan-ubsan
part 'asan-ubsan: build' cmake --build --preset asan-ubsan -j "$cores"
case $failed in
  *asan-ubsan*) ;;
  *) part 'asan-ubsan: tests' tests asan-ubsan ;;
esac
finish
