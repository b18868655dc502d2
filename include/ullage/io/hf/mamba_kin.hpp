// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <ullage/io/hf/hybrid_read.hpp>
#include <ullage/model/mamba.hpp>

namespace ullage::inline v0::io::hf {

/// One model type of Mamba mixers alone.
struct mamba_family {
  std::string_view model_type{};
  bool second_generation = false;
  bool tied = true;  ///< tie_word_embeddings
};

/// Defaults as in transformers 4.57, `configuration_<model_type>.py`.
inline constexpr std::array<mamba_family, 3> mamba_families{
    {{"mamba", false, true}, {"falcon_mamba", false, true}, {"mamba2", true, false}}};

/// time_step_rank, or "auto" for hidden_size / 16 rounded up.
inline std::int64_t read_step_rank(object_reader& r, std::string_view key, std::int64_t hidden) {
  const json* v = r.find(key);
  const bool automatic = v == nullptr || (v->is_string() && v->get_ref<const std::string&>() == "auto");
  return automatic ? (hidden + 15) / 16 : r.whole(key, 1, 1, most_elements);
}

/// Keys of every Mamba config that are scales, initial values or kernels.
inline void pass_mamba_keys(object_reader& r) {
  pass_keys(r, {"time_step_scale",    "time_step_min",
                "time_step_max",      "time_step_init_scheme",
                "time_step_floor",    "time_step_limit",
                "layer_norm_epsilon", "mixer_rms_eps",
                "residual_in_fp32",   "rescale_prenorm_residual",
                "use_mambapy",        "use_mamba_kernels",
                "fused_add_norm",     "fuse_norm",
                "fuse_cross_entropy", "chunk_size",
                "norm_before_gate",   "num_logits_to_keep",
                "use_falcon_mambapy", "use_associative_scan"});
}

/// The model that a config describes; mistakes are left in the reader.
///
/// Older files say d_model, n_layer, d_state, d_conv, dt_rank, d_inner. `intermediate_size` is what the weights have;
/// `expand` times hidden_size only where it is absent. States take the type of the model, as the caches of the classes
/// in transformers and of vLLM ("auto") do.
inline transformer read_mamba_family(object_reader& r, const read_context& c) {
  mamba_family f;
  for (const mamba_family& known : mamba_families)
    if (known.model_type == c.model_type) f = known;
  mamba_shape s;
  s.name = c.name;
  s.model_type = f.model_type;
  s.second_generation = f.second_generation;
  s.hidden_size = whole_of_two(r, "hidden_size", "d_model", 0, 1);
  s.num_hidden_layers = whole_of_two(r, "num_hidden_layers", "n_layer", 0, 1);
  s.vocab_size = r.required_whole("vocab_size", 1, most_elements);
  s.tie_word_embeddings = r.flag("tie_word_embeddings", f.tied);
  if (r.ok() && s.num_hidden_layers > static_cast<std::int64_t>(transformer::most_layers))
    r.fail_at("num_hidden_layers", error_code::too_many_layers,
              "is " + std::to_string(s.num_hidden_layers) + "; expected at most " +
                  std::to_string(transformer::most_layers) + ".");
  mamba_sizes& m = s.mixer;
  m.state = whole_of_two(r, "state_size", "d_state", f.second_generation ? 128 : 16, 1);
  m.kernel = whole_of_two(r, "conv_kernel", "d_conv", 4, 1, 4096);
  const std::int64_t expand = r.whole("expand", 2, 1, most_elements);
  const std::int64_t expanded =
      r.has("intermediate_size") || r.has("d_inner") ? 0 : bounded_product(r, "expand", expand, s.hidden_size);
  m.inner = whole_of_two(r, "intermediate_size", "d_inner", expanded, 1);
  const bool bias = r.flag("bias", false);
  m.proj_bias = r.flag("use_bias", bias);
  const bool conv_bias = r.flag("conv_bias", true);
  m.conv_bias = r.flag("use_conv_bias", conv_bias);
  m.state_bits = dtype_bits(r);
  if (f.second_generation) {
    m.heads = r.whole("num_heads", 128, 1, most_elements);
    m.groups = r.whole("n_groups", 8, 1, most_elements);
    const std::int64_t head_dim = r.whole("head_dim", 64, 1, most_elements);
    expect_size(r, "num_heads", bounded_product(r, "num_heads", m.heads, head_dim), m.inner,
                "the channels, as heads times head_dim");
    expect_divisor(r, "n_groups", m.groups, "num_heads", m.heads);
    bounded_product(r, "n_groups", m.groups, m.state);
    read_step_rank(r, "time_step_rank", s.hidden_size);
  } else {
    m.dt_rank = r.has("dt_rank") ? read_step_rank(r, "dt_rank", s.hidden_size)
                                 : read_step_rank(r, "time_step_rank", s.hidden_size);
  }
  const std::int64_t multiple = r.whole("pad_vocab_size_multiple", 1, 1, most_elements);
  require_value(r, "pad_vocab_size_multiple", r.ok() && s.vocab_size % multiple != 0, "a divisor of vocab_size");
  require_value(r, "ssm_cfg", !r.nested("ssm_cfg").empty(), "{}");
  require_value(r, "rms_norm", !r.flag("rms_norm", true), "true");
  pass_mamba_keys(r);
  if (!r.ok()) return {};
  return make_mamba(s);
}

inline constexpr std::array<family, 3> mamba_kin_families{
    {{"mamba", read_mamba_family}, {"falcon_mamba", read_mamba_family}, {"mamba2", read_mamba_family}}};

}  // namespace ullage::inline v0::io::hf
