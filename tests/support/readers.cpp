// SPDX-License-Identifier: Apache-2.0
#include "support/readers.hpp"

#include <ullage/io/ask.hpp>
#include <ullage/io/calibrate.hpp>
#include <ullage/io/hf/eagle.hpp>

namespace compiled {

io::json ask(const io::json& tree) {
  return io::ask(tree);
}
io::json ask_text(std::string_view text) {
  return io::ask_text(text);
}
io::result<io::config_model> read_hf_config(const io::json& config, std::string_view name, const std::string& path) {
  return io::read_hf_config(config, name, path);
}
io::result<io::config_model> read_hf_config_text(std::string_view text, std::string_view name,
                                                 const std::string& path) {
  return io::read_hf_config_text(text, name, path);
}
io::result<io::config_model> read_hf_config_file(const std::string& file, const std::string& path) {
  return io::read_hf_config_file(file, path);
}
io::result<io::config_model> read_eagle_config(const io::json& config, bool third, const std::string& path) {
  return io::read_eagle_config(config, third, path);
}
io::result<io::stored_checkpoint> read_safetensors(const std::string& path, const std::string& field) {
  return io::read_safetensors(path, field);
}
io::result<io::request> read_request(const io::json& tree) {
  return io::read_request(tree);
}
io::result<io::vllm_log> read_vllm_log(std::string_view log, const std::string& field) {
  return io::read_vllm_log(log, field);
}
io::result<io::log_request> request_of_log(const io::vllm_start& start, const io::json& asked) {
  return io::request_of_log(start, asked);
}
io::result<io::json> calibrate_answer(const io::json& tree) {
  return io::calibrate_answer(tree);
}

}  // namespace compiled
