// SPDX-License-Identifier: Apache-2.0
// ullage batch: one request a line in, one answer a line out, in order. Blank lines are passed over without an answer;
// a bad line gets an error object and the next one is read.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace cli {

namespace {

constexpr std::size_t longest_line = std::size_t{64} << 20;

enum class line_end { found, too_long, nothing_left };

/// The next line without its end. A line longer than `longest_line` is left off where it passes that.
line_end next_line(std::istream& in, std::string& line) {
  using traits = std::istream::traits_type;
  std::streambuf& from = *in.rdbuf();
  line.clear();
  try {
    for (;;) {
      const traits::int_type c = from.sbumpc();
      if (traits::eq_int_type(c, traits::eof())) return line.empty() ? line_end::nothing_left : line_end::found;
      if (c == '\n') return line_end::found;
      if (line.size() == longest_line) return line_end::too_long;
      line += traits::to_char_type(c);
    }
  } catch (const std::exception&) {  // the read failed
    in.setstate(std::ios::badbit);
    return line_end::nothing_left;
  }
}

void skip_line(std::istream& in) {
  using traits = std::istream::traits_type;
  std::streambuf& from = *in.rdbuf();
  try {
    for (traits::int_type c = from.sbumpc(); c != '\n' && !traits::eq_int_type(c, traits::eof());) c = from.sbumpc();
  } catch (const std::exception&) {
    in.setstate(std::ios::badbit);
  }
}

std::string too_long_answer() {
  return line_of({{"id", nullptr},
                  {"schema", 1},
                  {"status", "error"},
                  {"code", "bad_json"},
                  {"field", ""},
                  {"message", "The line is longer than 64 MiB; expected one request a line."}});
}

}  // namespace

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
  std::string request;
  for (line_end end = next_line(in, request); end != line_end::nothing_left; end = next_line(in, request)) {
    if (end == line_end::too_long) {
      std::string().swap(request);
      std::cout << too_long_answer() << '\n' << std::flush;  // before the rest of the line, which may have no end
      skip_line(in);
    } else {
      if (request.find_first_not_of(" \t\r") == std::string::npos) continue;
      std::cout << answer_line_of(request) << '\n';
    }
    // A caller that writes one line and waits for its answer must not wait for a full buffer.
    if (in.rdbuf()->in_avail() <= 0) std::cout.flush();
    if (!std::cout) return 4;
  }
  std::cout.flush();
  return in.bad() ? 4 : 0;
}

}  // namespace cli
