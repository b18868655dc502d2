// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ullage/io/ask.hpp>

bool uses_io() {
  const nlohmann::json request = {
      {"ask", "fit"}, {"model", {{"name", "llama-3.1-8b"}}}, {"accelerator", "L4"}, {"count", 1}};
  const nlohmann::json reply = ullage::io::ask(request);
  return reply["status"] == "ok" && reply["verdict"].is_string();
}
