# SPDX-License-Identifier: Apache-2.0
# For test.sh and demo.sh, on Debian 12, Ubuntu 24.04 and newer. need TOOL:x HEADER:x PYTHON:x … installs what is missing
# of them there (as root or with sudo); elsewhere it says what is missing and ends with 1. A CMake that is too old is told
# before anything is installed.

# One line a need: what is looked for, and the Debian package that has it.
package_of() {
  case $1 in
    TOOL:g++) echo g++ ;;
    TOOL:clang++) echo clang ;;
    TOOL:cmake) echo cmake ;;
    TOOL:ninja) echo ninja-build ;;
    TOOL:ccache) echo ccache ;;
    TOOL:python3) echo python3 ;;
    TOOL:valgrind) echo valgrind ;;
    HEADER:boost/units/quantity.hpp) echo libboost-dev ;;
    HEADER:eigen3/Eigen/Core) echo libeigen3-dev ;;
    HEADER:nlohmann/json.hpp) echo nlohmann-json3-dev ;;
    HEADER:CLI/CLI.hpp) echo libcli11-dev ;;
    HEADER:catch2/catch.hpp) echo catch2 ;;
    HEADER:benchmark/benchmark.h) echo libbenchmark-dev ;;
    PYTHON:jsonschema) echo python3-jsonschema ;;
    LINK:sanitizers) echo libclang-rt-dev ;;
  esac
}

# Looked for and not compiled: some of these headers cost seconds.
found_header() {
  echo "#if !__has_include(<$1>)
#error missing
#endif" | g++ -fsyntax-only -x c++ - >/dev/null 2>&1
}

has() {
  case $1 in
    TOOL:*) command -v "${1#TOOL:}" >/dev/null 2>&1 ;;
    HEADER:catch2/catch.hpp) found_header catch2/catch.hpp || found_header catch2/catch_all.hpp ;;
    HEADER:eigen3/Eigen/Core) found_header eigen3/Eigen/Core || found_header Eigen/Core ;;
    HEADER:*) found_header "${1#HEADER:}" ;;
    PYTHON:*)
      for python in /usr/bin/python3 python3; do
        "$python" -c "import ${1#PYTHON:}" >/dev/null 2>&1 && return 0
      done
      return 1 ;;
    LINK:sanitizers)
      echo 'int main() {}' | clang++ -fsanitize=address,undefined -x c++ -o /dev/null - >/dev/null 2>&1 ;;
  esac
}

missing_of() {
  missing=''
  for wanted in "$@"; do has "$wanted" || missing="$missing $(package_of "$wanted")"; done
  echo "${missing# }"
}

need() {
  if command -v cmake >/dev/null 2>&1; then need_cmake; fi
  missing=$(missing_of "$@")
  [ -z "$missing" ] && return 0
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "Missing here; on Debian 12 and Ubuntu 24.04 the packages are called: $missing" >&2
    exit 1
  fi
  if [ "$(id -u)" = 0 ]; then
    as_root=''
  elif command -v sudo >/dev/null 2>&1; then
    as_root=sudo
  else
    echo "Missing, and neither root nor sudo to install it: $missing" >&2
    exit 1
  fi
  echo "Installing $missing"
  $as_root apt-get update -qq
  # shellcheck disable=SC2086
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
  missing=$(missing_of "$@")
  if [ -n "$missing" ]; then
    echo "Still missing after the installation: $missing" >&2
    exit 1
  fi
}

# CMake 3.25 brought workflow presets and the file sets as they are used here.
need_cmake() {
  version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9]*\.[0-9]*\).*/\1/p')
  if [ "${version%.*}" -lt 3 ] || { [ "${version%.*}" -eq 3 ] && [ "${version#*.}" -lt 25 ]; }; then
    echo "CMake 3.25 or newer is needed, as in Debian 12 and Ubuntu 24.04; this one ($(command -v cmake)) is $version." >&2
    exit 1
  fi
}
