// SPDX-License-Identifier: Apache-2.0
// Any text as the header of a safetensors file: sums that agree with themselves, or a complaint in words.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <ullage/io/safetensors.hpp>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ullage;  // NOLINT(google-build-using-namespace)
  io::stored_checkpoint c;
  std::vector<std::uint64_t> names;
  const char* text = reinterpret_cast<const char*>(data);
  io::detail::safetensors_header reader(c, names, std::uint64_t{1} << 40);
  if (!io::json::sax_parse(text, text + size, &reader)) {
    if (reader.complaint.empty()) std::abort();
    return 0;
  }
  count tensors(0);
  bytes stored{};
  for (const auto& [pattern, f] : c.families) {
    tensors += f.tensors;
    stored += f.stored;
  }
  if (tensors != count(c.tensors) || (!overflowed(c.stored) && stored != c.stored)) std::abort();
  if (static_cast<std::size_t>(c.tensors) != names.size()) std::abort();

  io::detail::safetensors_index index;
  if (!io::json::sax_parse(text, text + size, &index)) return 0;
  for (const std::string& f : index.files)
    if (f.find('/') != std::string::npos) std::abort();
  return 0;
}
