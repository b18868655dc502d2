// SPDX-License-Identifier: Apache-2.0
// Any text as a start-up log: it is read or refused, held against a prediction, and what comes of it is a calibration
// that is read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <ullage/io/calibrate.hpp>
#include <ullage/io/calibration.hpp>
#include <ullage/io/vllm_log.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ullage;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const io::result<io::vllm_log> log = io::read_vllm_log(text);
  if (!log) {
    if (log.problem().message.empty()) std::abort();
    return 0;
  }
  if (log->starts < 1) std::abort();
  for (const io::log_rank& r : log->last.ranks) {
    if (!r.says_anything()) std::abort();
    for (io::printed_bytes io::log_rank::*m : io::log_rank::members())
      if ((r.*m).given() && ((r.*m).mid() < (r.*m).low || (r.*m).mid() > (r.*m).high)) std::abort();
  }
  nlohmann::json asked = {{"ask", "calibrate"},
                          {"log", {{"text", std::string(text)}}},
                          {"model", "llama-3.1-8b"},
                          {"accelerator", "H100 SXM"}};
  // A log that says no release would end here.
  if (log->last.version.empty()) asked["engine"] = {{"version", "0.19.0"}};
  // A path would make the run depend on the machine's files.
  if (text.find("draft") != std::string_view::npos) return 0;
  const io::result<nlohmann::json> answered = io::calibrate_answer(asked);
  if (!answered) {
    if (answered.problem().message.empty()) std::abort();
    return 0;
  }
  const std::string line = answered->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (!nlohmann::json::accept(line)) std::abort();
  for (const nlohmann::json& row : (*answered)["terms"])
    if (row["log"]["low"] > row["log"]["high"]) std::abort();
  if (!io::read_calibration((*answered)["calibration"])) std::abort();
  return 0;
}
