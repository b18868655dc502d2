// SPDX-License-Identifier: Apache-2.0
// The program: one block a command. Exit codes: 0 fits or may fit, 1 does not fit, 2 usage, 3 model or engine not
// understood, 4 file or JSON unreadable.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <ullage/detail/edit_distance.hpp>
#include <ullage/version.hpp>
#include <vector>

#include "command.hpp"
#include "text.hpp"
#include "validate.hpp"
#include "values.hpp"

namespace {

/// An option whose text `read` turns into a value, with the sentence that a bad one gets.
template <class T>
CLI::Option* add_value(CLI::App& app, const std::string& names, T& where,
                       std::string (*read)(const std::string&, typename T::value_type&), const std::string& what,
                       const char* type) {
  const std::string name = names.substr(0, names.find(','));
  return app
      .add_option_function<std::string>(
          names,
          [&where, read, name](const std::string& text) {
            typename T::value_type value{};
            const std::string problem = read(text, value);
            if (!problem.empty()) throw CLI::ValidationError(name + " is " + text + "; " + problem);
            where = value;
          },
          what)
      ->type_name(type);
}
CLI::Option* add_whole(CLI::App& app, const std::string& names, std::optional<std::int64_t>& where,
                       const std::string& what) {
  return add_value(app, names, where, cli::read_whole, what, "N");
}
CLI::Option* add_real(CLI::App& app, const std::string& names, std::optional<double>& where, const std::string& what) {
  return add_value(app, names, where, cli::read_real, what, "X");
}
CLI::Option* add_bytes(CLI::App& app, const std::string& names, std::optional<std::int64_t>& where,
                       const std::string& what) {
  return add_value(app, names, where, cli::read_bytes, what, "SIZE");
}

/// --constant NAME=VALUE, as often as wanted.
void add_constants(CLI::App& app, cli::named_values& where) {
  app.add_option_function<std::vector<std::string>>(
         "--constant",
         [&where](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             std::pair<std::string, double> value;
             const std::string problem = cli::read_named(text, value);
             if (!problem.empty()) throw CLI::ValidationError("--constant is " + text + "; " + problem);
             where.push_back(value);
           }
         },
         "What you measured, in place of what is built in: gemm.bf16.compute=0.7; may be repeated")
      ->type_name("NAME=X")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_model_options(CLI::App& app, cli::plan_options& o, bool required = true) {
  app.add_option("MODEL", o.model, "Built-in name, folder, or config.json")->required(required)->type_name("");
  app.add_option("--weights,--quantization", o.weights, "auto, bf16, fp8, ...: linear layers quantised at load");
  app.add_option("--kv-cache,--kv-cache-dtype", o.kv_cache, "auto, bf16, fp8");
}
void add_device_options(CLI::App& app, cli::plan_options& o) {
  app.add_option("--on", o.on, "Accelerator: \"H200 SXM\", or what nvidia-smi prints");
  add_whole(app, "--count", o.count, "Number of devices");
  add_bytes(app, "--visible-bytes", o.visible_bytes, "Memory of one device: 24GB, 143771MiB, or bytes");
  add_whole(app, "--tp,--tensor-parallel-size", o.tp, "Tensor parallel");
  add_whole(app, "--pp,--pipeline-parallel-size", o.pp, "Pipeline stages");
  add_whole(app, "--dp,--data-parallel-size", o.dp, "Data-parallel replicas");
  add_whole(app, "--ep", o.ep, "Expert parallel: 1 = off, else tp*dp");
  add_whole(app, "--dcp", o.dcp, "Decode context parallel: divides tp");
}
void add_engine_options(CLI::App& app, cli::plan_options& o) {
  app.add_option("--engine", o.engine, "vllm (default) or plain");
  app.add_option("--engine-version", o.engine_version, "Release such as 0.11.0; default: newest");
  app.add_option("--engine-date", o.engine_date, "Day of use, 2025-10-02, instead");
  add_whole(app, "--max-model-len", o.max_model_len, "Longest sequence the engine accepts");
  add_real(app, "--gpu-memory-utilization", o.gpu_memory_utilization, "Share of the visible memory it takes");
  add_whole(app, "--max-num-batched-tokens", o.max_num_batched_tokens, "Tokens of one step");
  add_whole(app, "--max-num-seqs", o.max_num_seqs, "Sequences of one step");
  add_whole(app, "--block-size", o.block_size, "Tokens of a cache block");
  add_whole(app, "--max-cudagraph-capture-size", o.max_cudagraph_capture_size,
            "Tokens of the largest step captured as a graph");
  app.add_flag("--enforce-eager", o.enforce_eager, "No CUDA graphs");
  app.add_flag("--no-enable-prefix-caching", o.no_prefix_caching, "No prefix caching");
}
void add_draft_options(CLI::App& app, cli::plan_options& o) {
  app.add_option("--spec-method", o.spec_method, "Draft tokens by ngram, mtp, eagle, eagle3 or draft_model");
  add_whole(app, "--spec-tokens,--num-speculative-tokens", o.spec_tokens, "Tokens drafted a step");
  app.add_option("--spec-model", o.spec_model, "The draft model: built-in name, folder, or config.json");
  add_whole(app, "--max-loras", o.max_loras, "Adapters resident at once");
  add_whole(app, "--max-lora-rank", o.max_lora_rank, "Rank that each has room for (16)");
}
void add_calibration(CLI::App& app, cli::plan_options& o) {
  app.add_option("--calibration", o.calibration, "What ullage calibrate wrote from a start-up log")->type_name("FILE");
}
void add_traffic_options(CLI::App& app, cli::plan_options& o) {
  add_whole(app, "--input-tokens", o.input_tokens, "Tokens of a prompt");
  add_whole(app, "--output-tokens", o.output_tokens, "Tokens of an answer");
  add_whole(app, "--concurrency", o.concurrency, "Conversations at once");
  add_real(app, "--request-rate", o.request_rate, "Requests a second, instead of that");
  add_real(app, "--prefix-hit", o.prefix_hit, "Share of a prompt found cached, 0 to 1");
}
void add_context(CLI::App& app, cli::plan_options& o) {
  add_whole(app, "--context", o.context, "Tokens of each sequence, answer included");
}
void add_mix_options(CLI::App& app, cli::plan_options& o) {
  CLI::Option* values = add_value(app, "--context-values", o.context_values, cli::read_values,
                                  "Unequal sequences: lengths with weights, 1000:0.9,8000:0.1", "LIST");
  CLI::Option* lognormal = add_value(app, "--context-lognormal", o.context_lognormal, cli::read_mean_and_p95,
                                     "Likewise: mean and 95th percentile of a lognormal, 2000,7000", "MEAN,P95");
  values->excludes("--context")->excludes(lognormal);
  lognormal->excludes("--context");
}

void add_op_options(CLI::App& app, cli::op_options& o) {
  app.add_option("KIND", o.kind,
                 "gemm, attention, experts, recurrent, normalization, quantization, embedding, sampling, all_reduce, "
                 "all_gather, reduce_scatter, all_to_all, send_receive")
      ->required()
      ->type_name("");
  app.add_option("--on", o.on, "Accelerator; named by its machine, such as \"DGX H200\", its network counts too");
  app.add_option("--stack", o.stack,
                 "Whose kernels: vllm, sglang, trtllm (default: fitted to all together); collectives: library, "
                 "vllm_eager, sglang_eager too");
  add_constants(app, o.constants);
  add_whole(app, "--m", o.m, "gemm: rows, the tokens of a step");
  add_whole(app, "--n", o.n, "gemm: outputs");
  add_whole(app, "--k", o.k, "gemm: inputs");
  app.add_option(
      "--format", o.format,
      "bf16 (default), fp8, int4, ...: of the weights; attention: of the cache; recurrent: of the state (fp32)");
  app.add_option("--phase", o.phase, "attention, recurrent: decode (default) or prefill");
  add_whole(app, "--batch", o.batch, "attention, recurrent, sampling: sequences");
  add_whole(app, "--context", o.context, "attention: cached tokens of each sequence");
  add_whole(app, "--tokens", o.tokens,
            "new tokens: of each sequence (prefill), else of the step; experts: of all replicas");
  add_whole(app, "--heads", o.heads, "attention: query heads; recurrent: heads that --tp divides");
  add_whole(app, "--kv-heads", o.kv_heads, "attention: heads of keys and values; default: as many");
  add_whole(app, "--head-dim", o.head_dim, "attention: elements of a key head");
  add_whole(app, "--value-dim", o.value_dim, "attention: elements of a value head; default: as many");
  add_whole(app, "--window", o.window, "attention: tokens of a sliding window, or of a chunk");
  app.add_option("--mask", o.mask, "attention: causal (default), sliding, chunked, encoder, cross");
  add_whole(app, "--latent-rank", o.latent_rank, "attention: kv_lora_rank of a latent cache");
  add_whole(app, "--rope-dim", o.rope_dim, "attention: rotary elements of a latent cache");
  add_whole(app, "--index-topk", o.index_topk, "attention: entries that a query of sparse attention reads");
  add_whole(app, "--index-n-heads", o.index_n_heads, "attention: heads of the indexer that chooses them");
  add_whole(app, "--index-head-dim", o.index_head_dim, "attention: elements of its heads");
  app.add_option("--scores", o.scores, "attention, prefill: arithmetic of the products, bf16 (default), fp8, int8");
  add_whole(app, "--hidden", o.hidden, "experts, normalization, quantization, embedding: hidden size");
  add_whole(app, "--experts", o.experts, "experts: routed experts of the layer");
  add_whole(app, "--experts-per-token", o.experts_per_token, "experts: that a token picks");
  add_whole(app, "--expert-inner", o.expert_inner, "experts: moe_intermediate_size");
  add_whole(app, "--matrices", o.matrices, "experts: 3 (default) with a gate, 2 without");
  add_whole(app, "--tp", o.tp, "ranks that divide the heads, or each expert's inner size");
  add_whole(app, "--ep", o.ep,
            "experts: ranks that whole experts are spread over (their exchange of tokens is an all_to_all)");
  app.add_option("--layer", o.layer, "recurrent: gated_delta, kda, mamba1, mamba2, lightning, rg_lru, short_conv");
  add_whole(app, "--state", o.state, "recurrent: elements of one sequence's state");
  add_whole(app, "--channels", o.channels, "recurrent: channels of its convolution");
  add_whole(app, "--vocabulary", o.vocabulary, "sampling: vocabulary size");
  add_bytes(app, "--message", o.message_bytes, "collective: 8MiB, or bytes; the whole buffer of an all-gather");
  add_whole(app, "--group", o.group, "collective: devices");
  app.add_option("--observed", o.observed, "What it took, to be diagnosed: time=40us");
  app.add_option("--plot", o.plot, "Write the roofline to this SVG file");
}

void add_catalog_options(CLI::App& app, cli::catalog_options& o) {
  app.add_option("WHAT", o.words,
                 "accelerators, systems, fabrics, partitions, models or absent (known, but not to be planned with); "
                 "and, or instead, a name: also an alias or a PCI id such as 10de:2330")
      ->type_name("");
  app.add_option("--compare", o.compare, "Put this part beside the named one; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--vendor", o.vendor, "nvidia, amd, google, ...: of a system its seller or that of its accelerators");
  app.add_option("--class", o.device_class, "datacenter, workstation, consumer, edge, soc, cpu or npu");
  app.add_option("--form", o.form, "sxm, pcie, nvl, oam, superchip, ...");
  app.add_option("--format", o.format, "Has units for it: fp8, fp4, int8, ...");
  add_bytes(app, "--min-memory", o.min_memory_bytes, "That a process sees on one device: 80GB, 75GiB");
  add_bytes(app, "--max-memory", o.max_memory_bytes, "Likewise");
  add_value(app, "--min-bandwidth", o.min_bandwidth_bytes_per_s, cli::read_bandwidth, "Of its memory: 3TB/s, 900GB/s",
            "RATE");
  add_value(app, "--max-power", o.max_power_w, cli::read_watts, "Of one device, as sold: 700W", "POWER");
  add_whole(app, "--min-year", o.min_year, "Year of release");
  add_whole(app, "--max-year", o.max_year, "Likewise");
  app.add_option("--status", o.status, "shipping, announced or withdrawn");
  app.add_option("--sort", o.sort, "memory, bandwidth, power, year or a format, largest first; or name");
  app.add_flag("--sources", o.sources, "The source of every figure, and what others state");
  CLI::Option* as_json = app.add_flag("--json", o.json_output, "JSON instead of a table");
  app.add_flag("--csv", o.csv_output, "Comma separated values of one kind (accelerators, if none is said)")
      ->excludes(as_json);
}

std::string nearest(const std::string& word, const std::vector<std::string>& words) {
  std::string best;
  std::size_t least = 0;
  for (const std::string& w : words) {
    // What was begun and not ended is near.
    const std::size_t d = w.starts_with(word) ? 0 : ullage::detail::edit_distance(word, w);
    if (best.empty() || d < least) {
      best = w;
      least = d;
    }
  }
  return best;
}

bool is(const CLI::ParseError& e, CLI::ExitCodes code) {  // the name of an error is that of a command, at times
  return e.get_exit_code() == static_cast<int>(code);
}

/// Help as CLI11 writes it, its descriptions (from the 30th column on) broken at the terminal's width.
std::string fitted_help(const std::string& help) {
  constexpr std::size_t column = 30;
  std::string out;
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t end = std::min(help.find('\n', at), help.size());
    const std::string line = help.substr(at, end - at);
    at = end + 1;
    const bool described = line.size() > column && line[column - 1] == ' ' && line[column] != ' ';
    if (cli::cells_of(line) <= cli::width())
      out += line;
    else if (described)
      out += cli::wrapped(line.substr(column), line.substr(0, column), std::string(column, ' '));
    else
      out += cli::wrapped(line, "", "  ");
    out += '\n';
  }
  return out;
}

/// One sentence for what the command line's reader found wrong.
std::string usage_problem(CLI::App& app, const CLI::ParseError& e) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  const CLI::App& at = parsed.empty() ? app : *parsed.front();
  const std::string command = parsed.empty() ? "ullage" : at.get_name();
  const std::string help = " `ullage " + (parsed.empty() ? std::string() : command + " ") + "--help` shows how.";
  std::string said = e.what();
  std::replace(said.begin(), said.end(), '\n', ' ');
  if (is(e, CLI::ExitCodes::ExtrasError)) {
    std::vector<std::string> extra = at.remaining();
    if (extra.empty()) extra = app.remaining();
    for (const std::string& word : extra) {
      if (!word.starts_with('-')) continue;
      std::vector<std::string> names;
      for (const CLI::Option* o : at.get_options())
        for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
      const std::string option = word.substr(0, word.find('='));
      return option + " is no option of " + command + "; the nearest is " + nearest(option, names) + "." + help;
    }
    if (parsed.empty() && !extra.empty()) {
      std::vector<std::string> names;
      for (const CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) names.push_back(sub->get_name());
      return extra.front() + " is no command; the nearest is " + nearest(extra.front(), names) + "." + help;
    }
    if (!extra.empty())
      return extra.front() + " was not expected; " +
             (command == "op" ? "op takes sizes and no model, such as those that `ullage model` lists."
                              : "a name with a space needs quotes, such as --on \"H200 SXM\".") +
             help;
  }
  if (is(e, CLI::ExitCodes::RequiredError)) {
    const std::size_t end = said.find(" is required");
    if (end != std::string::npos) return command + " needs " + said.substr(0, end) + "." + help;
  }
  if (is(e, CLI::ExitCodes::ArgumentMismatch)) {
    const std::string option = said.substr(0, said.find(':'));
    if (said.find("missing") != std::string::npos || said.find("At least") != std::string::npos)
      return option + " needs a value." + help;
    return option + " is given more than once; expected one value.";
  }
  if (is(e, CLI::ExitCodes::ExcludesError)) {  // "--csv excludes --json"
    const std::size_t middle = said.find(" excludes ");
    if (middle != std::string::npos)
      return said.substr(0, middle) + " and " + said.substr(middle + 10) + " were both given; expected one of them.";
  }
  return said.ends_with('.') ? said : said + ".";
}

/// Whether all that was written to standard output arrived.
bool written() {
  std::cout.flush();
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
}

int finished(int code) {
  if (written()) return code;
  std::cerr << "ullage: the answer could not be written to standard output: is the disk full? (bad_file)\n";
  return 4;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"ullage: what is left in an accelerator once a model, its conversations and its engine are in it."};
  app.set_version_flag("--version", ULLAGE_VERSION_STRING);
  app.require_subcommand(0, 1);
  int code = 0;

  cli::fit_options fit;
  CLI::App* fit_app = app.add_subcommand("fit", "Does a model fit, what is left, and what to change");
  add_model_options(*fit_app, fit.plan);
  add_device_options(*fit_app, fit.plan);
  fit_app->add_flag("--best-split", fit.plan.best_split,
                    "Of tp, pp, dp, ep and dcp the planner chooses what is not given");
  add_context(*fit_app, fit.plan);
  add_mix_options(*fit_app, fit.plan);
  add_whole(*fit_app, "--concurrency", fit.plan.concurrency, "Sequences at once");
  add_engine_options(*fit_app, fit.plan);
  add_calibration(*fit_app, fit.plan);
  add_draft_options(*fit_app, fit.plan);
  fit_app->add_flag("--strict", fit.strict, "Exit 1 for \"may fit\" as well");
  fit_app->add_flag("--json", fit.json_output, "The answer object instead of a table");
  fit_app->callback([&] { code = cli::run_fit(fit); });

  cli::perf_options perf;
  CLI::App* perf_app = app.add_subcommand("perf", "Latency and throughput of a service in its steady state");
  add_model_options(*perf_app, perf.plan);
  add_device_options(*perf_app, perf.plan);
  add_traffic_options(*perf_app, perf.plan);
  add_engine_options(*perf_app, perf.plan);
  add_constants(*perf_app, perf.plan.constants);
  add_calibration(*perf_app, perf.plan);
  perf_app->add_flag("--json", perf.json_output, "The answer object instead of a table");
  perf_app->callback([&] { code = cli::run_perf(perf); });

  cli::step_options step;
  CLI::App* step_app = app.add_subcommand("step", "The time of one step of the engine, and what it is spent on");
  add_model_options(*step_app, step.plan);
  add_device_options(*step_app, step.plan);
  step_app->add_option("--phase", step.phase, "prefill or decode")->required();
  add_whole(*step_app, "--batch", step.batch, "Sequences of the step");
  add_whole(*step_app, "--context", step.context, "Cached tokens of each sequence");
  add_whole(*step_app, "--tokens", step.tokens, "New tokens of each sequence (prefill)");
  add_engine_options(*step_app, step.plan);
  add_constants(*step_app, step.plan.constants);
  step_app->add_flag("--json", step.json_output, "The answer object instead of a table");
  step_app->callback([&] { code = cli::run_step(step); });

  cli::op_options op;
  CLI::App* op_app = app.add_subcommand("op", "The time of one operation: GEMM, attention, experts, collective, ...");
  add_op_options(*op_app, op);
  op_app->add_flag("--json", op.json_output, "The answer object instead of a table");
  op_app->callback([&] { code = cli::run_op(op); });

  cli::diagnose_options diagnose;
  CLI::App* diagnose_app = app.add_subcommand(
      "diagnose", "What a measured time means: compute, memory, network or overhead, and what to do");
  add_model_options(*diagnose_app, diagnose.plan, false);
  add_device_options(*diagnose_app, diagnose.plan);
  diagnose_app
      ->add_option(
          "--observed", diagnose.observed,
          "tpot=31ms,batch=8,context=4096; ttft=400ms,input=4096; throughput=1500,batch=64,input=2048,output=512; "
          "without a model time=1.2ms")
      ->required();
  add_value(*diagnose_app, "--flop", diagnose.flop, cli::read_flop, "Without a model: 2e12, 2TFLOP", "FLOP");
  add_bytes(*diagnose_app, "--bytes", diagnose.moved_bytes, "Without a model: of device memory, 3GB or bytes");
  diagnose_app->add_option("--format", diagnose.format, "Without a model: the arithmetic, bf16 (default), fp8, ...");
  add_engine_options(*diagnose_app, diagnose.plan);
  add_constants(*diagnose_app, diagnose.plan.constants);
  diagnose_app->add_option("--plot", diagnose.plot, "Write the roofline to this SVG file");
  diagnose_app->add_flag("--json", diagnose.json_output, "The answer object instead of a table");
  diagnose_app->callback([&] { code = cli::run_diagnose(diagnose); });

  cli::select_options select;
  CLI::App* select_app =
      app.add_subcommand("select", "Which accelerators carry a model and its traffic, and what rejects the others");
  add_model_options(*select_app, select.plan);
  add_context(*select_app, select.plan);
  add_traffic_options(*select_app, select.plan);
  select_app->add_option("--offer", select.offers, "A part to choose from; may be repeated; default: all")
      ->allow_extra_args(false);
  add_whole(*select_app, "--max-devices", select.max_devices, "At most so many devices, all replicas (1024 are tried)");
  add_bytes(*select_app, "--max-memory-bytes", select.max_memory_bytes, "Of all devices together: 640GB, or bytes");
  add_value(*select_app, "--max-power,--max-power-w", select.max_power_w, cli::read_watts,
            "Of all devices together: 3kW, or watts", "POWER");
  add_value(*select_app, "--max-ttft,--max-ttft-s", select.max_ttft_s, cli::read_seconds,
            "To the first token: 500ms, or seconds", "TIME");
  add_value(*select_app, "--max-tpot,--max-tpot-s", select.max_tpot_s, cli::read_seconds,
            "For an output token: 40ms, or seconds", "TIME");
  add_value(*select_app, "--max-latency,--max-latency-s", select.max_latency_s, cli::read_seconds,
            "For a pass of an opaque model: 20ms, or seconds", "TIME");
  add_real(*select_app, "--min-items-per-s", select.min_items_per_s, "Of an opaque model, all devices together");
  select_app->add_option("--objective", select.objective, "devices (default), latency or power");
  add_engine_options(*select_app, select.plan);
  add_calibration(*select_app, select.plan);
  select_app->add_flag("--all", select.all, "Every accelerator in the tables, not only the first of each");
  select_app->add_flag("--json", select.json_output, "The answer object instead of a table");
  select_app->callback([&] { code = cli::run_select(select); });

  cli::calibrate_options calibrate;
  CLI::App* calibrate_app =
      app.add_subcommand("calibrate", "A vLLM start-up log against the prediction, and a calibration made of it");
  calibrate_app->add_option("--log", calibrate.log, "The log")->required()->type_name("FILE");
  calibrate_app
      ->add_option("--model,MODEL", calibrate.plan.model,
                   "Built-in name, folder, or config.json; default: as the log says")
      ->type_name("");
  calibrate_app->add_option("--weights,--quantization", calibrate.plan.weights,
                            "auto, bf16, fp8, ...: where the log does not say");
  calibrate_app->add_option("--kv-cache,--kv-cache-dtype", calibrate.plan.kv_cache, "auto, bf16, fp8");
  add_device_options(*calibrate_app, calibrate.plan);
  add_engine_options(*calibrate_app, calibrate.plan);
  calibrate_app->add_option("--write", calibrate.write, "Writes the calibration there")->type_name("FILE");
  calibrate_app->add_flag("--strict", calibrate.strict, "Exit 1 for a figure outside the prediction");
  calibrate_app->add_flag("--json", calibrate.json_output, "The answer object instead of a table");
  calibrate_app->callback([&] { code = cli::run_calibrate(calibrate); });

  cli::model_options model;
  CLI::App* model_app = app.add_subcommand("model", "What a model is: parameters by part, layers, bytes, cache");
  model_app->add_option("MODEL", model.plan.model, "Built-in name, folder, or config.json")->required()->type_name("");
  model_app->add_option("--kv-cache,--kv-cache-dtype", model.plan.kv_cache, "auto, bf16, fp8");
  add_whole(*model_app, "--context", model.plan.context, "Tokens of the sequence whose cache is told");
  model_app->add_flag("--json", model.json_output, "The answer object instead of a table");
  model_app->callback([&] { code = cli::run_model(model); });

  cli::validate_request validate;
  std::string backend;
  CLI::App* validate_app = app.add_subcommand("validate", "Predicted against measured on this machine");
  validate_app->add_option("--backend", backend, "auto (default), host or cuda");
  std::optional<double> seconds;
  std::optional<std::int64_t> threads;
  std::optional<std::int64_t> device;
  std::optional<std::int64_t> allocate_bytes;
  add_real(*validate_app, "--seconds", seconds, "Budget of each measurement");
  add_whole(*validate_app, "--threads", threads, "Of the host; 0 = all cores");
  add_whole(*validate_app, "--device", device, "As the CUDA runtime counts");
  validate_app->add_option("--accelerator", validate.accelerator, "What to hold the device against");
  add_bytes(*validate_app, "--allocate-bytes", allocate_bytes, "Of a trial allocation on the device");
  cli::plan_options planned;
  validate_app->add_option("--model", planned.model,
                           "Allocate what `fit` predicts for it: weights and the cache that is left");
  validate_app->add_option("--weights", planned.weights, "Of that model: auto, bf16, fp8, ...");
  validate_app->add_flag("--strict", validate.strict, "Exit 1 for a measurement outside its band");
  validate_app->add_flag("--json", validate.json, "The answer object instead of a table");
  validate_app->callback([&] {
    const auto as_int = [](std::int64_t n) { return static_cast<int>(std::clamp<std::int64_t>(n, -1, 1 << 30)); };
    validate.seconds = seconds.value_or(validate.seconds);
    validate.threads = threads ? as_int(*threads) : validate.threads;
    validate.device = device ? as_int(*device) : validate.device;
    validate.allocate_bytes = allocate_bytes.value_or(validate.allocate_bytes);
    if (!backend.empty() && !cli::parse_backend(backend, validate.on)) {
      std::cerr << cli::sentence_of("backend is " + backend + "; expected auto, host or cuda.", "backend", "bad_value",
                                    "validate")
                << '\n';
      code = 2;
      return;
    }
    if (!planned.model.empty()) {
      planned.on = validate.accelerator;
      const cli::json predicted = cli::answer_of(cli::request_of(planned, "fit"));
      if (predicted.value("status", std::string()) != "ok") {
        code = cli::finish_with_error(predicted, "validate", validate.json);
        return;
      }
      const cli::json& rank = predicted["ranks"][0];
      validate.allocate_bytes = rank["weight_bytes"].get<std::int64_t>() +
                                std::max<std::int64_t>(rank["kv_available_bytes"]["mid"].get<std::int64_t>(), 0);
    }
    code = cli::run_validate(validate, std::cout, std::cerr);
  });

  cli::batch_options batch;
  CLI::App* batch_app = app.add_subcommand("batch", "One JSON request a line in, one answer a line out");
  batch_app->add_option("FILE", batch.file, "JSON Lines; - or nothing: standard input")->type_name("");
  batch_app->callback([&] { code = cli::run_batch(batch); });

  cli::catalog_options catalog;
  CLI::App* catalog_app = app.add_subcommand("catalog", "Accelerators, systems and models that are built in");
  add_catalog_options(*catalog_app, catalog);
  catalog_app->callback([&] { code = cli::run_catalog(catalog); });

  // After the commands, which would inherit it.
  app.footer(
      "Example:\n  ullage fit llama-3.1-8b --on \"H100 SXM\" --context 8192 --concurrency 32\n"
      "`ullage COMMAND --help` lists what a command takes.");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {  // help, version
      std::ostringstream said;
      const int ended = app.exit(e, said, std::cerr);
      std::cout << fitted_help(said.str());
      return finished(ended);
    }
    const std::string message = usage_problem(app, e);
    const char* error_code = is(e, CLI::ExitCodes::ExtrasError) ? "unknown_key" : "bad_value";
    const bool as_json =
        std::any_of(argv + 1, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
    if (as_json)
      std::puts(cli::line_of({{"id", nullptr},
                              {"schema", 1},
                              {"status", "error"},
                              {"code", error_code},
                              {"field", ""},
                              {"message", message}})
                    .c_str());
    std::cerr << "ullage: " << message << " (" << error_code << ")\n";
    return finished(2);
  }
  if (app.get_subcommands().empty()) {  // nothing was asked: wrong usage, and how it is used
    std::cerr << fitted_help(app.help());
    return 2;
  }
  return finished(code);
}
