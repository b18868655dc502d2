// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/catch.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

// docs/evidence.md is written by the tests: each owns a section between two markers, and fails when what it prints is not
// what the file holds. ULLAGE_WRITE_EVIDENCE=1 writes the section instead; read the difference before you commit it.
namespace evidence {

inline void compare_or_write(const std::string& name, const std::string& written_by, const std::string& section) {
  constexpr const char* path = ULLAGE_SOURCE_DIR "/docs/evidence.md";
  std::string file;
  if (std::ifstream in(path); in) file.assign(std::istreambuf_iterator<char>(in), {});
  const std::string begin = "<!-- begin: " + name + " (written by " + written_by + ") -->\n";
  const std::string end = "<!-- end: " + name + " -->\n";
  const std::size_t first = file.find(begin);
  const std::size_t last = file.find(end);
  if (std::getenv("ULLAGE_WRITE_EVIDENCE") != nullptr) {
    if (file.empty())
      file =
          "# Evidence\n\nHow far the library is from what was measured. Tables are written by the tests named beside "
          "them, misses included;\nthe rows and their sources are in [tests/data](../tests/data/README.md).\n\n";
    if (first == std::string::npos)
      file += "\n" + begin + section + end;
    else
      file.replace(first, last + end.size() - first, begin + section + end);
    std::ofstream(path) << file;
    return;
  }
  INFO(
      "docs/evidence.md differs from what this test prints: run it with ULLAGE_WRITE_EVIDENCE=1 and review the "
      "difference");
  REQUIRE(first != std::string::npos);
  REQUIRE(last != std::string::npos);
  CHECK(file.substr(first, last - first) == begin + section);
}

}  // namespace evidence
