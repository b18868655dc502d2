// SPDX-License-Identifier: Apache-2.0
// Kernels of sparse attention, and whole attention modules around them, against public measurements:
// tests/data/sparse_kernels.csv. The constants were set with these tables seen: kernels gave most of them, modules the
// number of small kernels, the rate of long streams of index keys and that of decode attention on Blackwell.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <ullage/catalog.hpp>
#include <ullage/catalog/find_record.hpp>
#include <ullage/performance.hpp>

#include "support/catch.hpp"

namespace {

using namespace ullage;

struct row {
  std::string kernel, system, stack, what;  ///< heads, or model:cache:tp
  double n = 0, new_tokens = 0, cached = 0, measured_s = 0;
};
std::vector<std::string> split(const std::string& line, char at) {
  std::vector<std::string> cells(1);
  for (char c : line)
    if (c == at)
      cells.emplace_back();
    else
      cells.back() += c;
  return cells;
}
std::vector<row> read_rows() {
  std::ifstream file(ULLAGE_TEST_DATA "/sparse_kernels.csv");
  std::vector<row> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string> c = split(line, ',');
    if (c.size() != 8) continue;
    rows.push_back({c[0], c[1], c[2], c[3], std::stod(c[4]), std::stod(c[5]), std::stod(c[6]), std::stod(c[7]) * 1e-6});
  }
  return rows;
}

const accelerator& part_of(const std::string& system) {
  if (system == "h100_sxm") return catalog::h100_sxm;
  if (system == "h200_sxm") return catalog::h200_sxm;
  if (system == "h800_sxm") return catalog::h800_sxm;
  if (system == "b200_sxm") return catalog::b200;
  if (system == "b300_sxm") return catalog::b300;
  return system == "gb300" ? catalog::gb300 : catalog::gb200;
}

detail::cost kernel_cost(const row& r, const accelerator& part) {
  const sparse_constants c = sparse_constants_for(part);
  const double bandwidth = value_of(part.bandwidth);
  const double peak = value_of(part.peak(math::bf16));
  const double peak_8bit = value_of(part.peak(math::fp8));
  attention a;
  a.kind = attention_kind::latent;
  a.heads = a.index_heads = std::stoll(r.what);
  a.key_dim = a.value_dim = a.index_dim = 128;
  a.latent_rank = 512;
  a.rope_dim = 64;
  a.index_topk = 2048;
  const detail::gathered g = detail::gathered_on_rank(a, formats::fp8_ds_mla, 1);
  if (r.kernel.starts_with("score_prefill"))
    return detail::score_prefill_cost(a, r.n, r.new_tokens, r.cached, peak_8bit, bandwidth, c);
  if (r.kernel.starts_with("score_decode")) {
    const double keys = (r.cached + 1) / (r.kernel == "score_decode_4" ? 4 : 1);
    return detail::score_decode_cost(a, r.n, keys, peak_8bit, bandwidth, c);
  }
  if (r.kernel == "choose")
    return detail::choose_cost(r.n * r.new_tokens, r.n * causal_pairs(r.new_tokens, r.cached), bandwidth, c);
  if (r.kernel == "attend_prefill_2048")  // all places of a choice are walked in these tables
    return detail::attend_prefill_cost(a, g, r.n, r.new_tokens, (std::max)(r.cached, 2048.0), peak, bandwidth, c);
  if (r.kernel == "attend_decode_2048") return detail::attend_decode_cost(g, g.heads, r.n, 2048, peak, bandwidth, c);
  const detail::gathered stream{g.heads, 1024, 584};
  return detail::attend_decode_cost(stream, g.heads, r.n, 128 + (r.cached + 1) / 128, peak, bandwidth, c);
}

/// A layer without its feed-forward and collectives, in a decode step.
detail::cost module_cost(const row& r, const accelerator& part) {
  const std::vector<std::string> what = split(r.what, ':');
  static std::map<std::string, transformer> models;
  if (models.count(what[0]) == 0) models[what[0]] = expand(*catalog::find_record(what[0]));
  const transformer& m = models[what[0]];
  plan_point p;
  p.model = &m;
  p.part = part;
  p.layout.tp = std::stoll(what[2]);
  p.engine.weights = formats::fp8_block;
  p.engine.kv_cache = what[1] == "bf16" ? formats::bf16 : formats::fp8_ds_mla;
  const constants c = constants_for(part, stack_of(r.stack.substr(0, r.stack.find('-'))));
  detail::step_context s{p, c};
  REQUIRE(detail::check_point(p, s) == time_problem::none);
  detail::set_work(s, {0, 0, 0, r.n, r.cached});
  for (const layer_kind& k : m.kinds) {
    const attention& a = k.attention;
    const bool it = r.kernel == "module_dsa"    ? a.index_dim > 0 && a.stride == 1
                    : r.kernel == "module_skip" ? a.index_dim == 0 && a.index_topk > 0
                    : r.kernel == "module_csa"  ? a.stride == 4
                                                : a.stride == 128;
    if (!it) continue;
    layer_kind alone = k;
    alone.feed_forward = {};
    std::size_t i = 0, last = 0;  // families of attention come first
    for (const tensor_family& f : families_of(m, k.tensors)) {
      ++i;
      if (f.belongs_to == part::attention) last = i;
    }
    alone.tensors.size = static_cast<decltype(alone.tensors.size)>(last);
    const detail::layer_cost l = detail::cost_of_layer(alone, s);
    detail::cost t = l.linear;
    t.add(l.attention);
    t.add(l.elementwise);
    return t;
  }
  FAIL("no such layer: " << r.kernel << ' ' << r.what);
  return {};
}

struct tally {
  std::vector<double> errors, biases;
  int inside = 0;
};
double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

}  // namespace

TEST_CASE("sparse attention against public kernels and modules") {
  std::map<std::string, tally> of;
  for (const row& r : read_rows()) {
    const accelerator& part = part_of(r.system);
    const bool module = r.kernel.starts_with("module");
    const detail::cost c = module ? module_cost(r, part) : kernel_cost(r, part);
    const estimate<seconds> e = c.band();
    const double error = value_of(e.mid) / r.measured_s - 1;
    const std::string family = part.family == architecture::hopper ? "Hopper" : "Blackwell";
    for (const std::string& key : {std::string(module ? "all modules" : "all kernels"),
                                   r.kernel + ", " + family + ", " + r.stack.substr(0, r.stack.find('-'))}) {
      tally& t = of[key];
      t.errors.push_back(std::abs(error));
      t.biases.push_back(error);
      if (value_of(e.low) <= r.measured_s && r.measured_s <= value_of(e.high)) ++t.inside;
    }
  }
  for (const auto& [key, t] : of) {
    double mean = 0;
    for (double e : t.errors) mean += e / static_cast<double>(t.errors.size());
    std::printf("sparse | %s | %zu | %.1f (%.1f) | %+.1f | %.0f |\n", key.c_str(), t.errors.size(), 100 * mean,
                100 * median(t.errors), 100 * median(t.biases),
                100.0 * t.inside / static_cast<double>(t.errors.size()));
  }
  const tally& kernels = of["all kernels"];
  const tally& modules = of["all modules"];
  REQUIRE(kernels.errors.size() == 466);
  REQUIRE(modules.errors.size() == 636);
  CHECK(median(kernels.errors) < .20);
  CHECK(median(modules.errors) < .14);
  CHECK(std::abs(median(kernels.biases)) < .10);
  CHECK(std::abs(median(modules.biases)) < .12);
  CHECK(kernels.inside > .72 * static_cast<double>(kernels.errors.size()));
  CHECK(modules.inside > .72 * static_cast<double>(modules.errors.size()));
  // Kernels of H800 by another hand.
  for (const char* k : {"score_decode_1, Hopper, deepgemm", "score_prefill_64, Hopper, deepgemm",
                        "attend_prefill_2048, Hopper, flashmla", "attend_decode_2048, Hopper, flashmla"})
    CHECK(median(of[k].errors) < .20);
}
