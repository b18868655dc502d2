// SPDX-License-Identifier: Apache-2.0
// The program: one block a command. Exit codes: 0 fits or may fit, 1 does not fit, 2 usage, 3 model or engine not
// understood, 4 file or JSON unreadable.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <ullage/version.hpp>

#include "command.hpp"

namespace {

void add_plan_options(CLI::App& app, cli::plan_options& o) {
  app.add_option("MODEL", o.model, "Built-in name, folder, or config.json")->required();
  app.add_option("--on", o.on, "Accelerator: \"H200 SXM\", or what nvidia-smi prints");
  app.add_option("--count", o.count, "Number of devices");
  app.add_option("--visible-bytes", o.visible_bytes, "Memory of one device instead of the catalogue's");
  app.add_option("--tp", o.tp, "Tensor parallel");
  app.add_option("--pp", o.pp, "Pipeline stages");
  app.add_option("--dp", o.dp, "Data-parallel replicas");
  app.add_option("--ep", o.ep, "Expert parallel: 1 = off, else tp*dp");
  app.add_option("--dcp", o.dcp, "Decode context parallel: divides tp");
  app.add_option("--weights", o.weights, "auto, bf16, fp8, ...: online quantisation of the linear layers");
  app.add_option("--kv-cache", o.kv_cache, "auto, bf16, fp8");
  app.add_option("--context", o.context, "Tokens of each sequence, prompt and answer together");
  app.add_option("--concurrency", o.concurrency, "Sequences at once");
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

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"ullage: what is left in an accelerator once a model, its conversations and its engine are in it."};
  app.set_version_flag("--version", ULLAGE_VERSION_STRING);
  app.require_subcommand(1);
  int code = 0;

  cli::fit_options fit;
  CLI::App* fit_app = app.add_subcommand("fit", "Does a model fit, what is left, and what to change");
  add_plan_options(*fit_app, fit.plan);
  fit_app->add_flag("--strict", fit.strict, "Exit 1 for \"may fit\" as well");
  fit_app->add_flag("--json", fit.json_output, "The answer object instead of a table");
  fit_app->callback([&] { code = cli::run_fit(fit); });

  cli::batch_options batch;
  CLI::App* batch_app = app.add_subcommand("batch", "One JSON request a line in, one answer a line out");
  batch_app->add_option("FILE", batch.file, "JSON Lines; - or nothing: standard input");
  batch_app->callback([&] { code = cli::run_batch(batch); });

  cli::catalog_options catalog;
  CLI::App* catalog_app = app.add_subcommand("catalog", "Accelerators and models that are built in");
  catalog_app->add_option("WHAT", catalog.what, "accelerators or models; both without")->check(CLI::IsMember({"accelerators", "models"}));
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
