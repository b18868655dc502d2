// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <ullage/io/hf_config.hpp>
#include <ullage/io/request.hpp>
#include <ullage/io/safetensors.hpp>
#include <ullage/io/vllm_log.hpp>
#include <ullage/io/vllm_log_request.hpp>

// The doors of the io layer that many tests go through, compiled once in readers.cpp: each of them brings most of the layer
// along, which would be compiled again with every file that calls one.
namespace compiled {

namespace io = ullage::io;

io::json ask(const io::json& tree);
io::json ask_text(std::string_view text);
io::result<io::config_model> read_hf_config(const io::json& config, std::string_view name = {},
                                            const std::string& path = "model.config");
io::result<io::config_model> read_hf_config_text(std::string_view text, std::string_view name = {},
                                                 const std::string& path = "model.config");
io::result<io::config_model> read_hf_config_file(const std::string& file, const std::string& path = "model.path");
io::result<io::config_model> read_eagle_config(const io::json& config, bool third, const std::string& path);
io::result<io::stored_checkpoint> read_safetensors(const std::string& path, const std::string& field = "model.path");
io::result<io::request> read_request(const io::json& tree);
io::result<io::vllm_log> read_vllm_log(std::string_view log, const std::string& field = "log");
io::result<io::log_request> request_of_log(const io::vllm_start& start, const io::json& asked);
io::result<io::json> calibrate_answer(const io::json& tree);

}  // namespace compiled
