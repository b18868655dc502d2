// SPDX-License-Identifier: Apache-2.0
// Command line options -> request objects, and what the commands do with errors.
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

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
  if (!o.model.empty())
    r["model"] = {{path || looks_like_path ? "path" : "name", o.model}};  // of calibrate the log may say it
  if (!o.calibration.empty()) r["calibration"] = {{"path", o.calibration}};
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
  if (o.best_split) parallel["split"] = "best";
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
  set(engine, "max_cudagraph_capture_size", o.max_cudagraph_capture_size);
  if (o.enforce_eager) engine["enforce_eager"] = true;
  if (o.no_prefix_caching) engine["enable_prefix_caching"] = false;
  if (!engine.empty()) r["engine"] = std::move(engine);
  json speculative = json::object();
  set_text(speculative, "method", o.spec_method);
  set(speculative, "num_tokens", o.spec_tokens);
  if (!o.spec_model.empty())
    speculative["draft"] = {
        {!is_built_in_model(o.spec_model) && std::filesystem::exists(o.spec_model, ec) ? "path" : "name",
         o.spec_model}};
  if (!speculative.empty() && o.spec_method.empty()) speculative["method"] = "";
  if (!speculative.empty()) r["speculative"] = std::move(speculative);
  json adapters = json::object();
  set(adapters, "count", o.max_loras);
  set(adapters, "rank", o.max_lora_rank);
  if (!adapters.empty()) r["adapters"] = std::move(adapters);
  json load = json::object();
  set(load, "context", o.context);
  if (o.context_values) {
    json& mix = load["context"];
    for (const auto& [length, weight] : *o.context_values) {
      mix["values"].push_back(length);
      mix["weights"].push_back(weight);
    }
  }
  if (o.context_lognormal)
    load["context"]["lognormal"] = {{"mean", o.context_lognormal->first}, {"p95", o.context_lognormal->second}};
  set(load, "concurrency", o.concurrency);
  set(load, "input_tokens", o.input_tokens);
  set(load, "output_tokens", o.output_tokens);
  set(load, "prefix_hit", o.prefix_hit);
  set(load, "request_rate", o.request_rate);
  if (!load.empty()) r["load"] = std::move(load);
  for (const auto& [name, value] : o.constants) r["constants"][name] = value;
  return r;
}

namespace {

/// A field of the request and the flags that say it; the longest name that begins the field counts.
struct flag_row {
  const char* field;
  const char* flags;
};
constexpr flag_row flag_rows[] = {
    {"model", "MODEL"},
    {"model.config", ""},
    {"weights", "--weights"},
    {"kv_cache", "--kv-cache"},
    {"accelerator", "--on"},
    {"devices", "--on"},
    {"offers", "--offer"},
    {"count", "--count"},
    {"visible_bytes", "--visible-bytes"},
    {"devices.visible_bytes", "--visible-bytes"},
    {"parallel", "--tp, --pp, --dp, --ep and --count"},
    {"parallel.tp", "--tp"},
    {"parallel.pp", "--pp"},
    {"parallel.dp", "--dp"},
    {"parallel.ep", "--ep"},
    {"parallel.dcp", "--dcp"},
    {"parallel.split", "--best-split"},
    {"engine.name", "--engine"},
    {"engine.version", "--engine-version"},
    {"engine.date", "--engine-date"},
    {"engine.max_model_len", "--max-model-len"},
    {"engine.gpu_memory_utilization", "--gpu-memory-utilization"},
    {"engine.max_num_batched_tokens", "--max-num-batched-tokens"},
    {"engine.max_num_seqs", "--max-num-seqs"},
    {"engine.block_size", "--block-size"},
    {"engine.max_cudagraph_capture_size", "--max-cudagraph-capture-size"},
    {"speculative.method", "--spec-method"},
    {"speculative.num_tokens", "--spec-tokens"},
    {"speculative.draft", "--spec-model"},
    {"adapters.count", "--max-loras"},
    {"adapters.rank", "--max-lora-rank"},
    {"load.context", "--context"},
    {"load.context.values", "--context-values"},
    {"load.context.weights", "--context-values"},
    {"load.context.lognormal", "--context-lognormal"},
    {"load.concurrency", "--concurrency"},
    {"load.input_tokens", "--input-tokens"},
    {"load.output_tokens", "--output-tokens"},
    {"load.prefix_hit", "--prefix-hit"},
    {"load.request_rate", "--request-rate"},
    {"log", "--log"},
    {"calibration", "--calibration"},
    {"step.phase", "--phase"},
    {"step.batch", "--batch"},
    {"step.context", "--context"},
    {"step.tokens", "--tokens"},
    {"observed", "--observed"},
    {"observed.flop", "--flop"},
    {"observed.moved_bytes", "--bytes"},
    {"observed.format", "--format"},
    {"op.kind", "KIND"},
    {"op.m", "--m"},
    {"op.n", "--n"},
    {"op.k", "--k"},
    {"op.format", "--format"},
    {"op.phase", "--phase"},
    {"op.heads", "--heads"},
    {"op.kv_heads", "--kv-heads"},
    {"op.head_dim", "--head-dim"},
    {"op.value_dim", "--value-dim"},
    {"op.latent_rank", "--latent-rank"},
    {"op.rope_dim", "--rope-dim"},
    {"op.batch", "--batch"},
    {"op.context", "--context"},
    {"op.tokens", "--tokens"},
    {"op.stack", "--stack"},
    {"op.mask", "--mask"},
    {"op.window", "--window"},
    {"op.index_topk", "--index-topk"},
    {"op.index_n_heads", "--index-n-heads"},
    {"op.index_head_dim", "--index-head-dim"},
    {"op.scores", "--scores"},
    {"op.hidden", "--hidden"},
    {"op.experts", "--experts"},
    {"op.experts_per_token", "--experts-per-token"},
    {"op.expert_inner", "--expert-inner"},
    {"op.matrices", "--matrices"},
    {"op.tp", "--tp"},
    {"op.ep", "--ep"},
    {"op.layer", "--layer"},
    {"op.state", "--state"},
    {"op.channels", "--channels"},
    {"op.vocabulary", "--vocabulary"},
    {"constants", "--constant"},
    {"op.message_bytes", "--message"},
    {"op.group", "--group"},
    {"plot", "--plot"},
    {"constraints.max_devices", "--max-devices"},
    {"constraints.max_memory_bytes", "--max-memory-bytes"},
    {"constraints.max_power_w", "--max-power"},
    {"constraints.max_ttft_s", "--max-ttft"},
    {"constraints.max_tpot_s", "--max-tpot"},
    {"constraints.max_latency_s", "--max-latency"},
    {"constraints.min_items_per_s", "--min-items-per-s"},
    {"objective", "--objective"},
    {"seconds", "--seconds"},
    {"threads", "--threads"},
    {"device", "--device"},
    {"allocate_bytes", "--allocate-bytes"},
    {"backend", "--backend"},
};

std::string flags_of(const std::string& field, const std::string& command) {
  if (field == "load")
    return command == "fit" ? "--context and --concurrency" : "--input-tokens, --output-tokens and --concurrency";
  if (field == "accelerator" && command == "validate") return "--accelerator";
  std::string_view best;
  std::string flags;
  for (const flag_row& row : flag_rows) {
    const std::string_view name = row.field;
    const bool begins = field.compare(0, name.size(), name) == 0 &&
                        (field.size() == name.size() || field[name.size()] == '.' || field[name.size()] == '[');
    if (begins && name.size() > best.size()) {
      best = name;
      flags = row.flags;
    }
  }
  return flags;
}

}  // namespace

std::string sentence_of(const std::string& message, const std::string& field, const std::string& code,
                        const std::string& command) {
  const std::string flags = flags_of(field, command);
  std::string text = "ullage: " + message;
  if (!flags.empty())
    text += (flags.find(" and ") == std::string::npos ? " The flag is " : " The flags are ") + flags + ".";
  if (flags == "MODEL" || flags == "KIND") text = "ullage: " + message + " That is " + flags + ".";
  return text + " (" + code + ")";
}

int finish_with_error(const json& answered, const std::string& command, bool json_output) {
  if (json_output) std::puts(line_of(answered).c_str());
  std::fprintf(stderr, "%s\n",
               sentence_of(answered.value("message", std::string()), answered.value("field", std::string()),
                           answered.value("code", std::string()), command)
                   .c_str());
  return exit_code_of(answered, false);
}

}  // namespace cli
