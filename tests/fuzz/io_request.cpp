// SPDX-License-Identifier: Apache-2.0
// Any text as a request: an answer or an error object comes back, and it is JSON again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <ullage/io/ask.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // A path would make the run depend on the machine's files.
  if (text.find("path") != std::string_view::npos) return 0;
  const nlohmann::json answered = ullage::io::ask_text(text);
  const std::string line = ullage::io::to_line(answered);
  if (line.find('\n') != std::string::npos || !nlohmann::json::accept(line)) std::abort();
  const std::string status = answered.value("status", std::string());
  if (status != "ok" && status != "error") std::abort();
  if (status == "error" && answered["message"].get_ref<const std::string&>().empty()) std::abort();
  const int code = ullage::io::exit_code(answered);
  if (code < 0 || code > 4) std::abort();
  return 0;
}
