// SPDX-License-Identifier: Apache-2.0
// The program: one block a command. Exit codes: 0 fits or may fit, 1 does not fit, 2 usage, 3 model or engine not
// understood, 4 file or JSON unreadable.
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <ullage/version.hpp>

#include "command.hpp"
#include "validate.hpp"

namespace {

void add_model_options(CLI::App& app, cli::plan_options& o) {
  app.add_option("MODEL", o.model, "Built-in name, folder, or config.json")->required();
  app.add_option("--weights", o.weights, "auto, bf16, fp8, ...: online quantisation of the linear layers");
  app.add_option("--kv-cache", o.kv_cache, "auto, bf16, fp8");
}
void add_device_options(CLI::App& app, cli::plan_options& o) {
  app.add_option("--on", o.on, "Accelerator: \"H200 SXM\", or what nvidia-smi prints");
  app.add_option("--count", o.count, "Number of devices");
  app.add_option("--visible-bytes", o.visible_bytes, "Memory of one device instead of the catalogue's");
  app.add_option("--tp", o.tp, "Tensor parallel");
  app.add_option("--pp", o.pp, "Pipeline stages");
  app.add_option("--dp", o.dp, "Data-parallel replicas");
  app.add_option("--ep", o.ep, "Expert parallel: 1 = off, else tp*dp");
  app.add_option("--dcp", o.dcp, "Decode context parallel: divides tp");
}
void add_engine_options(CLI::App& app, cli::plan_options& o) {
  app.add_option("--engine", o.engine, "vllm (default) or plain");
  app.add_option("--engine-version", o.engine_version, "Release, such as 0.11.0; default: newest known");
  app.add_option("--engine-date", o.engine_date, "Day of use, such as 2025-10-02, instead of a release");
  app.add_option("--max-model-len", o.max_model_len, "Longest sequence the engine accepts");
  app.add_option("--gpu-memory-utilization", o.gpu_memory_utilization, "Share of the visible memory for the engine");
  app.add_option("--max-num-batched-tokens", o.max_num_batched_tokens, "Tokens of one step");
  app.add_option("--max-num-seqs", o.max_num_seqs, "Sequences of one step");
  app.add_option("--block-size", o.block_size, "Tokens of a cache block");
  app.add_flag("--enforce-eager", o.enforce_eager, "No CUDA graphs");
}
void add_traffic_options(CLI::App& app, cli::plan_options& o) {
  app.add_option("--input-tokens", o.input_tokens, "Tokens of a prompt");
  app.add_option("--output-tokens", o.output_tokens, "Tokens of an answer");
  app.add_option("--concurrency", o.concurrency, "Conversations at once");
  app.add_option("--request-rate", o.request_rate, "Requests a second, instead of a concurrency");
  app.add_option("--prefix-hit", o.prefix_hit, "Share of the prompt found in the prefix cache, 0 to 1");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"ullage: what is left in an accelerator once a model, its conversations and its engine are in it."};
  app.set_version_flag("--version", ULLAGE_VERSION_STRING);
  app.require_subcommand(1);
  int code = 0;

  cli::fit_options fit;
  CLI::App* fit_app = app.add_subcommand("fit", "Does a model fit, what is left, and what to change");
  add_model_options(*fit_app, fit.plan);
  add_device_options(*fit_app, fit.plan);
  fit_app->add_option("--context", fit.plan.context, "Tokens of each sequence, prompt and answer together");
  fit_app->add_option("--concurrency", fit.plan.concurrency, "Sequences at once");
  add_engine_options(*fit_app, fit.plan);
  fit_app->add_flag("--strict", fit.strict, "Exit 1 for \"may fit\" as well");
  fit_app->add_flag("--json", fit.json_output, "The answer object instead of a table");
  fit_app->callback([&] { code = cli::run_fit(fit); });

  cli::perf_options perf;
  CLI::App* perf_app = app.add_subcommand("perf", "Latency and throughput of a service in its steady state");
  add_model_options(*perf_app, perf.plan);
  add_device_options(*perf_app, perf.plan);
  add_traffic_options(*perf_app, perf.plan);
  add_engine_options(*perf_app, perf.plan);
  perf_app->add_flag("--json", perf.json_output, "The answer object instead of a table");
  perf_app->callback([&] { code = cli::run_perf(perf); });

  cli::step_options step;
  CLI::App* step_app = app.add_subcommand("step", "The time of one step of the engine, and what it is spent on");
  add_model_options(*step_app, step.plan);
  add_device_options(*step_app, step.plan);
  step_app->add_option("--phase", step.phase, "prefill or decode")->required();
  step_app->add_option("--batch", step.batch, "Sequences of the step");
  step_app->add_option("--context", step.context, "Cached tokens of each sequence");
  step_app->add_option("--tokens", step.tokens, "New tokens of each sequence (prefill)");
  add_engine_options(*step_app, step.plan);
  step_app->add_flag("--json", step.json_output, "The answer object instead of a table");
  step_app->callback([&] { code = cli::run_step(step); });

  cli::select_options select;
  CLI::App* select_app =
      app.add_subcommand("select", "Which accelerators carry a model and its traffic, and what rejects the others");
  add_model_options(*select_app, select.plan);
  select_app->add_option("--context", select.plan.context, "Tokens of each sequence, prompt and answer together");
  add_traffic_options(*select_app, select.plan);
  select_app->add_option("--offer", select.offers,
                         "An accelerator to choose from; may be repeated; default: the catalogue");
  select_app->add_option("--max-devices", select.max_devices, "At most so many devices (8 are tried)");
  select_app->add_option("--max-memory-bytes", select.max_memory_bytes, "Of all devices together");
  select_app->add_option("--max-power-w", select.max_power_w, "Of all devices together");
  select_app->add_option("--max-ttft-s", select.max_ttft_s, "Seconds to the first token");
  select_app->add_option("--max-tpot-s", select.max_tpot_s, "Seconds an output token");
  select_app->add_option("--objective", select.objective, "devices (default), latency or power");
  add_engine_options(*select_app, select.plan);
  select_app->add_flag("--json", select.json_output, "The answer object instead of a table");
  select_app->callback([&] { code = cli::run_select(select); });

  cli::validate_request validate;
  std::string backend;
  CLI::App* validate_app = app.add_subcommand("validate", "Predicted against measured on this machine");
  validate_app->add_option("--backend", backend, "auto (default), host or cuda");
  validate_app->add_option("--seconds", validate.seconds, "Budget of each measurement");
  validate_app->add_option("--threads", validate.threads, "Of the host; 0 = all cores");
  validate_app->add_option("--device", validate.device, "As the CUDA runtime counts");
  validate_app->add_option("--accelerator", validate.accelerator, "What to hold the device against");
  validate_app->add_option("--allocate-bytes", validate.allocate_bytes, "Of a trial allocation on the device");
  validate_app->add_flag("--strict", validate.strict, "Exit 1 for a measurement outside its band");
  validate_app->add_flag("--json", validate.json, "The answer object instead of a table");
  validate_app->callback([&] {
    if (!backend.empty() && !cli::parse_backend(backend, validate.on)) {
      std::cerr << "ullage: backend is " << backend << "; expected auto, host or cuda (bad_value)\n";
      code = 2;
      return;
    }
    code = cli::run_validate(validate, std::cout, std::cerr);
  });

  cli::batch_options batch;
  CLI::App* batch_app = app.add_subcommand("batch", "One JSON request a line in, one answer a line out");
  batch_app->add_option("FILE", batch.file, "JSON Lines; - or nothing: standard input");
  batch_app->callback([&] { code = cli::run_batch(batch); });

  cli::catalog_options catalog;
  CLI::App* catalog_app = app.add_subcommand("catalog", "Accelerators and models that are built in");
  catalog_app->add_option("WHAT", catalog.what, "accelerators or models; both without")
      ->check(CLI::IsMember({"accelerators", "models"}));
  catalog_app->add_option("NAME", catalog.name, "Only that one");
  catalog_app->add_flag("--sources", catalog.sources, "The source of every figure");
  catalog_app->add_flag("--json", catalog.json_output, "JSON instead of a table");
  catalog_app->callback([&] { code = cli::run_catalog(catalog); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return code;
}
