// SPDX-License-Identifier: Apache-2.0
// ullage batch: one request a line in, one answer a line out, in order. Blank lines are passed over without an answer;
// a bad line gets an error object and the next one is read.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace cli {

int run_batch(const batch_options& o) {
  std::ifstream file;
  std::error_code ec;
  if (o.file != "-") {
    if (!std::filesystem::is_directory(o.file, ec)) file.open(o.file, std::ios::binary);
    if (!file.is_open()) {
      std::fprintf(stderr, "ullage: The file %s cannot be opened (bad_file)\n", o.file.c_str());
      return 4;
    }
  }
  std::ios::sync_with_stdio(false);
  std::istream& in = o.file == "-" ? std::cin : file;
  for (std::string request; std::getline(in, request);) {
    if (request.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::cout << answer_line_of(request) << '\n';
    // A caller that writes one line and waits for its answer must not wait for a full buffer.
    if (in.rdbuf()->in_avail() <= 0) std::cout.flush();
    if (!std::cout) return 4;
  }
  std::cout.flush();
  return in.bad() ? 4 : 0;
}

}  // namespace cli
