// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>

#include <ullage/performance/attention_work.hpp>
#include <ullage/performance/recurrent.hpp>

#include "grid.hpp"
#include "parts.hpp"
#include "split.hpp"
#include "table.hpp"

// Rows of the public tables of attention kernels as work under the library's own formulas.
namespace fit {

using ullage::attention_op;
using ullage::kernel_stack;
using ullage::detail::attention_work;

/// A part that the tables measured.
struct measured_part {
  const char* table;   ///< its name there
  const char* part;    ///< id of its constants
  const char* family;  ///< ullage::architecture
};
inline constexpr measured_part systems[] = {
    {"a100_sxm", "a100-sxm", "ampere"},
    {"h100_sxm", "h100-sxm", "hopper"},
    {"h200_sxm", "h200-sxm", "hopper"},
    {"b200_sxm", "b200", "blackwell"},
    {"gb200", "gb200", "blackwell"},
    {"b300_sxm", "b300", "blackwell_ultra"},
    {"l40s", "l40s", "ada"},
    {"rtx_pro_6000_server", "rtx-pro-6000", "blackwell_rtx"},
    {"b60", "arc-pro-b60", "xe2"},
};
inline const measured_part* find_system(std::string_view name) {
  for (const measured_part& s : systems)
    if (name == s.table) return &s;
  return nullptr;
}
inline int stack_number(std::string_view s) {
  return static_cast<int>(ullage::stack_of(s));
}

/// A shape that a kernel may be asked for, with what it needs to be changed a little.
struct shape {
  attention_op op = attention_op::prefill;
  double n = 1, length = 1, heads = 1, kv_heads = 1, head_dim = 128, window = 0;
  double channels = 0;

  attention_work work() const {
    using namespace ullage;
    using detail::attention_on_rank;
    const bool latent = op >= attention_op::latent_prefill && op <= attention_op::latent_decode_narrow;
    if (op >= attention_op::delta_prefill) {
      detail::local_recurrent l;
      l.heads = heads;
      l.state = heads * head_dim * head_dim;
      l.state_bytes = 4 * l.state;
      l.width = heads * head_dim;
      l.channels = channels;
      l.conv_bytes = 6 * channels;
      switch (op) {
        case attention_op::conv_prefill: return detail::conv_work(l, n, length);
        case attention_op::conv_decode: return detail::conv_work(l, n, 1);
        case attention_op::delta_prefill:
        case attention_op::kda_prefill: return detail::scan_work(l, n, length);
        default: return detail::update_work(l, n);
      }
    }
    attention a;
    a.kind = latent ? attention_kind::latent : window > 0 ? attention_kind::sliding : attention_kind::full;
    a.heads = 1;
    detail::local_attention l;
    const bool narrow = op == attention_op::prefill_narrow || op == attention_op::prefill_8bit ||
                        op == attention_op::decode_narrow || op == attention_op::latent_prefill_narrow ||
                        op == attention_op::latent_decode_narrow;
    l.heads = heads;
    if (latent) {
      l.kv_heads = 1;
      l.score_dim = 192;
      l.value_dim = 128;
      l.decode_flop = 2 * heads * 1088;
      l.cache_bytes = (narrow ? 1 : 2) * 576;
    } else {
      l.kv_heads = kv_heads;
      l.score_dim = l.value_dim = head_dim;
      l.decode_flop = 4 * heads * head_dim;
      l.cache_bytes = (narrow ? 1 : 2) * 2 * kv_heads * head_dim;
      a.window = static_cast<std::int64_t>(window);
    }
    if (op == attention_op::decode || op == attention_op::decode_narrow || op == attention_op::latent_decode ||
        op == attention_op::latent_decode_narrow)
      return detail::decode_work(a, l, n, length - 1, 1);
    return detail::prefill_work(a, l, n, length, 0);
  }
  std::string key() const {
    return shape_of(n, length, heads, kv_heads, head_dim, window) + (channels > 0 ? shape_of(channels) : "");
  }
};

struct measurement {
  shape s;
  const measured_part* on = nullptr;
  int stack = 0;
  double measured_s = 0;
  bool held = false;
  int fold = 0;
};

inline double peak_of(const measured_part& s, attention_op op) {
  return ullage::value_of(
      part_of(s.table)->peak(op == attention_op::prefill_8bit ? ullage::math::fp8 : ullage::math::bf16));
}
inline double bandwidth_of(const measured_part& s) {
  return ullage::value_of(part_of(s.table)->bandwidth);
}

struct attention_data {
  std::vector<measurement> rows;
  int read = 0;
  int above = 0;  ///< above 1.05 of a nominal rate: dropped
};

inline attention_data read_attention(const std::string& folder) {
  attention_data d;
  const auto add = [&](const table& t, std::size_t i, shape s) {
    measurement m;
    m.s = s;
    m.on = find_system(t.text(i, "system"));
    m.stack = stack_number(t.text(i, "stack"));
    if (m.on == nullptr || m.stack == 0) return;
    ++d.read;
    m.measured_s = t.number(i, "latency") * 1e-3;
    const attention_work w = s.work();
    const double bound = std::max(w.flop / peak_of(*m.on, s.op), w.moved_bytes / bandwidth_of(*m.on));
    if (bound > 1.05 * m.measured_s) {
      ++d.above;
      return;
    }
    const std::string key = s.key();
    m.held = held_back(key);
    m.fold = fold_of(key, 4);
    d.rows.push_back(m);
  };
  {
    const table t = table::read(folder, "context_attention");
    for (std::size_t i = 0; i < t.size(); ++i) {
      const bool narrow = t.text(i, "kv_cache_dtype") == "fp8";
      add(t, i,
          {t.text(i, "attn_dtype") == "fp8" ? attention_op::prefill_8bit
           : narrow                         ? attention_op::prefill_narrow
                                            : attention_op::prefill,
           t.number(i, "batch_size"), t.number(i, "isl"), t.number(i, "num_heads"), t.number(i, "num_key_value_heads"),
           t.number(i, "head_dim"), t.number(i, "window_size")});
    }
  }
  {
    const table t = table::read(folder, "generation_attention");
    for (std::size_t i = 0; i < t.size(); ++i)
      add(t, i,
          {t.text(i, "kv_cache_dtype") == "fp8" ? attention_op::decode_narrow : attention_op::decode,
           t.number(i, "batch_size"), t.number(i, "isl") + t.number(i, "step"), t.number(i, "num_heads"),
           t.number(i, "num_key_value_heads"), t.number(i, "head_dim"), t.number(i, "window_size")});
  }
  for (const bool prefill : {true, false}) {
    const table t = table::read(folder, prefill ? "context_mla" : "generation_mla");
    for (std::size_t i = 0; i < t.size(); ++i) {
      const bool narrow = t.text(i, "kv_cache_dtype") == "fp8";
      const attention_op op = prefill  ? narrow ? attention_op::latent_prefill_narrow : attention_op::latent_prefill
                              : narrow ? attention_op::latent_decode_narrow
                                       : attention_op::latent_decode;
      add(t, i,
          {op, t.number(i, "batch_size"), t.number(i, "isl") + t.number(i, "step"), t.number(i, "num_heads"), 1, 160});
    }
  }
  for (const char* name : {"gdn", "kda", "mamba2"}) {
    const table t = table::read(folder, name);
    for (std::size_t i = 0; i < t.size(); ++i) {
      const std::string_view kernel = t.text(i, "kernel_source");
      const std::string_view phase = t.text(i, "phase");
      if (phase == "verify") continue;  // several drafted tokens at once
      const bool prompt = phase == "context";
      const bool conv = kernel.find("conv1d") != std::string_view::npos;
      if (conv && std::string_view(name) == "kda")
        continue;  // three projections in one call, with floors of 6 to 410 µs
      // Times that do not depend on the channels they name (elasticity 0.0, of all others 0.9 to 1.1).
      if (conv && std::string_view(name) == "gdn" &&
          (t.text(i, "stack") == "trtllm" || t.text(i, "version") == "0.5.10"))
        continue;
      shape s;
      s.n = t.number(i, "batch_size");
      s.length = t.number(i, "seq_len");
      if (std::string_view(name) == "mamba2") {
        s.channels =
            t.number(i, "nheads") * t.number(i, "head_dim") + 2 * t.number(i, "n_groups") * t.number(i, "d_state");
      } else {
        s.heads = t.number(i, "num_v_heads");
        s.head_dim = t.number(i, "head_v_dim");
        if (conv) s.channels = 2 * t.number(i, "num_k_heads") * t.number(i, "head_k_dim") + s.heads * s.head_dim;
      }
      if (conv) s.heads = 1;
      s.op = conv                              ? prompt ? attention_op::conv_prefill : attention_op::conv_decode
             : std::string_view(name) == "kda" ? prompt ? attention_op::kda_prefill : attention_op::kda_decode
             : prompt                          ? attention_op::delta_prefill
                                               : attention_op::delta_decode;
      add(t, i, s);
    }
  }
  return d;
}

}  // namespace fit
