// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ullage/io/ask.hpp>
#include <ullage/io/catalog.hpp>

#include "command.hpp"

namespace cli {

json answer_of(const json& request) {
  return ullage::io::ask(request);
}
std::string answer_line_of(const std::string& request_text) {
  return ullage::io::to_line(ullage::io::ask_text(request_text));
}
std::string line_of(const json& j) {
  return ullage::io::to_line(j);
}
int exit_code_of(const json& answered, bool strict) {
  return ullage::io::exit_code(answered, strict);
}
bool is_built_in_model(const std::string& name) {
  return ullage::catalog::find_model(name) != nullptr;
}
json catalog_of(const catalog_options& o) {
  return ullage::io::catalog_answer({o.what != "models", o.what != "accelerators", o.sources, o.name});
}

}  // namespace cli
