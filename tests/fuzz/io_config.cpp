// SPDX-License-Identifier: Apache-2.0
// Any text as a config.json: a model whose counts are sane, or a refusal that names something.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <ullage/io/hf_config.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = ullage::io::read_hf_config_text({reinterpret_cast<const char*>(data), size});
  if (!read) {
    if (read.problem().message.empty()) std::abort();
    return 0;
  }
  const ullage::parameter_counts p = ullage::parameters(read->model);
  if (p.total.overflowed() || p.total < ullage::count(1) || p.active > p.total) std::abort();
  if (read->model.layers < 1 || read->model.layers > static_cast<std::int64_t>(ullage::transformer::most_layers))
    std::abort();
  return 0;
}
