// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What the sources of the program share. A command is one file with one function declared here, and a block in main.cpp
// that gives it its options; main.cpp alone includes CLI11, service.cpp alone the readers behind ask().
namespace cli {

using nlohmann::json;
using named_values = std::vector<std::pair<std::string, double>>;

/// Options that say a plan: model, devices, parallel, engine, load.
struct plan_options {
  std::string model;
  std::string on;
  std::optional<std::int64_t> count, tp, pp, dp, ep, dcp;
  bool best_split = false;  ///< of tp, pp, dp, ep and dcp those that are not given are chosen
  std::string weights, kv_cache;
  std::optional<std::int64_t> context, concurrency, input_tokens, output_tokens;
  std::optional<std::vector<std::pair<std::int64_t, double>>>
      context_values;                                          ///< lengths with weights, instead of context
  std::optional<std::pair<double, double>> context_lognormal;  ///< mean and 95th percentile, likewise
  std::optional<double> prefix_hit, request_rate;
  std::string engine, engine_version, engine_date;
  std::optional<std::int64_t> max_model_len, max_num_batched_tokens, max_num_seqs, block_size, visible_bytes;
  std::optional<double> gpu_memory_utilization;
  std::optional<std::int64_t> max_cudagraph_capture_size;
  bool enforce_eager = false;
  std::string calibration;  ///< a file that ullage calibrate wrote
  bool no_prefix_caching = false;
  std::string spec_method, spec_model;
  std::optional<std::int64_t> spec_tokens, max_loras, max_lora_rank;
  named_values constants;  ///< measured ones, in place of what is built in
};
/// The request object that the options stand for, with `ask` as given.
json request_of(const plan_options&, const std::string& ask);

struct fit_options {
  plan_options plan;
  bool strict = false;
  bool json_output = false;
};
int run_fit(const fit_options&);

struct perf_options {
  plan_options plan;
  bool json_output = false;
};
int run_perf(const perf_options&);

struct step_options {
  plan_options plan;
  std::string phase;
  std::optional<std::int64_t> batch, context, tokens;
  bool json_output = false;
};
int run_step(const step_options&);

struct op_options {
  std::string kind;  ///< gemm, attention, all_reduce, ...
  std::string on;
  std::optional<std::int64_t> m, n, k;
  std::string format, phase, stack, mask, scores, layer;
  std::optional<std::int64_t> heads, kv_heads, head_dim, value_dim, window, latent_rank, rope_dim, index_topk,
      index_n_heads, index_head_dim, batch, context, tokens;
  std::optional<std::int64_t> hidden, experts, experts_per_token, expert_inner, matrices, tp, ep;
  std::optional<std::int64_t> state, channels, vocabulary;
  std::optional<std::int64_t> message_bytes, group;
  named_values constants;
  std::string observed;  ///< "time=40us": what it took, to be diagnosed
  std::string plot;
  bool json_output = false;
};
int run_op(const op_options&);

struct diagnose_options {
  plan_options plan;     ///< without a model: FLOP and bytes are
  std::string observed;  ///< "tpot=31ms,batch=8,context=4096"
  std::optional<double> flop;
  std::optional<std::int64_t> moved_bytes;
  std::string format;
  std::string plot;
  bool json_output = false;
};
int run_diagnose(const diagnose_options&);

struct select_options {
  plan_options plan;
  std::vector<std::string> offers;
  std::optional<std::int64_t> max_devices, max_memory_bytes;
  std::optional<double> max_power_w, max_ttft_s, max_tpot_s, max_latency_s, min_items_per_s;
  std::string objective;
  bool all = false;  ///< every row of the tables
  bool json_output = false;
};
int run_select(const select_options&);

struct calibrate_options {
  plan_options plan;  ///< what the log does not say
  std::string log, write;
  bool strict = false;
  bool json_output = false;
};
int run_calibrate(const calibrate_options&);

struct model_options {
  plan_options plan;
  bool json_output = false;
};
int run_model(const model_options&);

struct batch_options {
  std::string file = "-";  ///< "-" = standard input
};
int run_batch(const batch_options&);

struct catalog_options {
  std::vector<std::string> words;  ///< as given: a kind of rows, then a name, perhaps in several words
  std::string what;                ///< the kind: "accelerators", "systems", ..., or empty for all
  std::string name;
  std::vector<std::string> compare;
  std::string vendor, device_class, form, format, status, sort;
  std::optional<std::int64_t> min_memory_bytes, max_memory_bytes, min_year, max_year;
  std::optional<double> min_bandwidth_bytes_per_s, max_power_w;
  bool sources = false;
  bool json_output = false;
  bool csv_output = false;
};
int run_catalog(const catalog_options&);

// service.cpp: the library behind the commands.
json answer_of(const json& request);
std::string answer_line_of(const std::string& request_text);
std::string line_of(const json&);
int exit_code_of(const json& answered, bool strict);
bool is_built_in_model(const std::string& name);
json catalog_of(const catalog_options&);
/// The roofline of an answer as SVG; empty where it has none.
std::string roofline_of(const json& answered);

// opaque.cpp: answers about models that are no transformer.
bool is_opaque(const json& answered);
void print_opaque_fit(const json& answered);
void print_opaque_perf(const json& answered);
void print_opaque_choices(const json& answered, bool all, std::size_t most);
void print_opaque_model(const json& answered);

/// An error object: its message and the flag that it is about to standard error, with --json the object to standard
/// output as well.
int finish_with_error(const json& answered, const std::string& command, bool json_output);
/// "ullage: <message> The flag is --on. (<code>)"
std::string sentence_of(const std::string& message, const std::string& field, const std::string& code,
                        const std::string& command);

// notes.cpp: what was chosen for the asker.
void print_notes(const json& answered);    ///< what goes against expectation, for right under the headline
void print_assumed(const json& answered);  ///< everything
/// "tp 2, pp 3 on 6 devices"; nothing on one device.
std::string layout_text(const json& parallel);

}  // namespace cli
