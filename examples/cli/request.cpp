// SPDX-License-Identifier: Apache-2.0
// Command line options -> request objects, and what the commands do with errors.
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace cli {

json request_of(const plan_options& o, const std::string& ask) {
  json r = {{"schema", 1}, {"ask", ask}};
  std::error_code ec;
  // A built-in name wins over a folder of that name; "./name" is always a path.
  const bool path = !is_built_in_model(o.model) && std::filesystem::exists(o.model, ec);
  const bool looks_like_path = o.model.ends_with(".json") || o.model.ends_with(".safetensors") ||
                               o.model.ends_with(".gguf") || o.model.starts_with("/") || o.model.starts_with("./") ||
                               o.model.starts_with("../");
  r["model"] = {{path || looks_like_path ? "path" : "name", o.model}};
  const auto set = [](json& where, const char* key, const auto& value) {
    if (value) where[key] = *value;
  };
  const auto set_text = [](json& where, const char* key, const std::string& value) {
    if (!value.empty()) where[key] = value;
  };
  set_text(r, "weights", o.weights);
  set_text(r, "kv_cache", o.kv_cache);
  set_text(r, "accelerator", o.on);
  set(r, "count", o.count);
  set(r, "visible_bytes", o.visible_bytes);
  json parallel = json::object();
  set(parallel, "tp", o.tp);
  set(parallel, "pp", o.pp);
  set(parallel, "dp", o.dp);
  set(parallel, "ep", o.ep);
  set(parallel, "dcp", o.dcp);
  if (!parallel.empty()) r["parallel"] = std::move(parallel);
  json engine = json::object();
  set_text(engine, "name", o.engine);
  set_text(engine, "version", o.engine_version);
  set_text(engine, "date", o.engine_date);
  set(engine, "max_model_len", o.max_model_len);
  set(engine, "gpu_memory_utilization", o.gpu_memory_utilization);
  set(engine, "max_num_batched_tokens", o.max_num_batched_tokens);
  set(engine, "max_num_seqs", o.max_num_seqs);
  set(engine, "block_size", o.block_size);
  if (o.enforce_eager) engine["enforce_eager"] = true;
  if (!engine.empty()) r["engine"] = std::move(engine);
  json load = json::object();
  set(load, "context", o.context);
  set(load, "concurrency", o.concurrency);
  set(load, "input_tokens", o.input_tokens);
  set(load, "output_tokens", o.output_tokens);
  set(load, "prefix_hit", o.prefix_hit);
  set(load, "request_rate", o.request_rate);
  if (!load.empty()) r["load"] = std::move(load);
  return r;
}

int finish_with_error(const json& answered, bool json_output) {
  if (json_output) std::puts(line_of(answered).c_str());
  std::fprintf(stderr, "ullage: %s (%s)\n", answered.value("message", std::string()).c_str(),
               answered.value("code", std::string()).c_str());
  return exit_code_of(answered, false);
}

}  // namespace cli
