// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <ullage/model/builder.hpp>

// Models with grouped-query attention and routed experts, as tables: a family is a list of tensor rules, a model a list
// of layer kinds. The rules of the families are in model/experts_rules.hpp.
namespace ullage::inline v0 {

/// A size that a tensor rule names; the layer kind says how much it is.
enum class extent : std::uint8_t {
  one,
  hidden,
  hidden_twice,
  vocabulary,
  heads,
  head,          ///< elements of one query or key head
  queries,       ///< heads · key_dim
  keys,          ///< kv_heads · key_dim
  values,        ///< kv_heads · value_dim
  qkv,           ///< queries, keys and values in one tensor
  outputs,       ///< heads · value_dim: what the attention output projects
  inner,         ///< of the dense block
  experts,       ///< routed experts
  expert_inner,  ///< of one routed expert
  expert_pair,   ///< gate and up of one expert in one tensor
  shared_inner   ///< of all shared experts together
};

/// What switches a tensor rule on; a layer kind has a set of them.
namespace having {
inline constexpr std::uint32_t always = 0;
inline constexpr std::uint32_t dense = 1u << 0;   ///< a dense feed-forward
inline constexpr std::uint32_t routed = 1u << 1;  ///< routed experts
inline constexpr std::uint32_t shared = 1u << 2;  ///< shared experts beside them
inline constexpr std::uint32_t qkv_bias = 1u << 3;
inline constexpr std::uint32_t output_bias = 1u << 4;
inline constexpr std::uint32_t qk_norm = 1u << 5;  ///< of Q and K
inline constexpr std::uint32_t sinks = 1u << 6;    ///< a learned logit a head
inline constexpr std::uint32_t head_gate = 1u << 7;
inline constexpr std::uint32_t own_cache = 1u << 8;  ///< K and V of its own, not an earlier layer's
inline constexpr std::uint32_t router_bias = 1u << 9;
inline constexpr std::uint32_t mlp_bias = 1u << 10;
inline constexpr std::uint32_t norm_bias = 1u << 11;
inline constexpr std::uint32_t head_bias = 1u << 12;
inline constexpr std::uint32_t residual_mlp = 1u << 13;    ///< a dense block beside the experts (Arctic)
inline constexpr std::uint32_t mtp_embedding = 1u << 14;   ///< the prediction module repeats the embedding
inline constexpr std::uint32_t mtp_head = 1u << 15;        ///< and the head
inline constexpr std::uint32_t mtp_final_norm = 1u << 16;  ///< and has a norm before the head
}  // namespace having

/// One tensor of a layer, or of the ends, of a family.
struct tensor_rule {
  std::string_view name{};
  extent rows = extent::one;
  extent cols = extent::one;
  part belongs_to = part::mlp;
  sharding spread = sharding::replicated;
  precision stored_as = precision::kept;
  std::uint32_t when = having::always;  ///< all of these
  extent copies = extent::one;
};

/// The tensors of a family; spans of static tables.
struct experts_rules {
  std::string_view layer_prefix = "model.layers.";
  std::span<const tensor_rule> embedding{};
  std::span<const tensor_rule> final_norm{};
  std::span<const tensor_rule> head{};
  std::span<const tensor_rule> layer{};
  std::span<const tensor_rule> mtp{};  ///< what a prediction module adds to a layer
};

/// One distinct layer of a model.
struct experts_layer {
  ullage::attention attention{};
  ullage::feed_forward feed_forward{};
  std::uint32_t has = 0;
  friend constexpr bool operator==(const experts_layer&, const experts_layer&) noexcept = default;
};

struct experts_shape {
  static constexpr std::size_t most_kinds = 16;

  std::string_view name{};
  std::string_view model_type{};
  const experts_rules* rules = nullptr;
  std::int64_t hidden_size = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_position_embeddings = 0;
  bool tie_word_embeddings = false;
  std::uint32_t ends_have = 0;
  detail::static_list<experts_layer, most_kinds> kinds{};
  std::array<std::uint8_t, transformer::most_layers> layers{};  ///< kind of each layer
  std::int64_t num_hidden_layers = 0;
  std::int64_t mtp_layers = 0;
  std::uint8_t mtp_kind = 0;
  bool ok = true;  ///< false when there are more kinds than `most_kinds`

  /// The number of a kind, which becomes the next one when it is new.
  constexpr std::uint8_t kind_of(const experts_layer& l) noexcept {
    for (std::size_t i = 0; i < kinds.size(); ++i)
      if (kinds[i] == l) return static_cast<std::uint8_t>(i);
    ok = kinds.push_back(l) && ok;
    return static_cast<std::uint8_t>(kinds.size() - 1);
  }
};

namespace detail {

constexpr std::int64_t size_of(extent e, const experts_shape& s, const experts_layer& l) noexcept {
  const attention& a = l.attention;
  const feed_forward& f = l.feed_forward;
  switch (e) {
    case extent::one: return 1;
    case extent::hidden: return s.hidden_size;
    case extent::hidden_twice: return 2 * s.hidden_size;
    case extent::vocabulary: return s.vocab_size;
    case extent::heads: return a.heads;
    case extent::head: return a.key_dim;
    case extent::queries: return a.heads * a.key_dim;
    case extent::keys: return a.kv_heads * a.key_dim;
    case extent::values: return a.kv_heads * a.value_dim;
    case extent::qkv: return (a.heads + a.kv_heads) * a.key_dim + a.kv_heads * a.value_dim;
    case extent::outputs: return a.heads * a.value_dim;
    case extent::inner: return f.inner;
    case extent::experts: return f.experts;
    case extent::expert_inner: return f.expert_inner;
    case extent::expert_pair: return 2 * f.expert_inner;
    case extent::shared_inner: return f.shared_inner;
  }
  return 0;
}

constexpr family_range add_rules(model_builder& b, std::span<const tensor_rule> rules, const experts_shape& s,
                                 const experts_layer& l, std::uint32_t has) noexcept {
  const family_range r = b.begin_range();
  for (const tensor_rule& t : rules) {
    if ((t.when & has) != t.when) continue;
    const std::int64_t unit = t.rows == extent::keys ? l.attention.key_dim : l.attention.value_dim;
    b.add(t.name, size_of(t.rows, s, l), size_of(t.cols, s, l), t.belongs_to, t.spread, t.stored_as,
          size_of(t.copies, s, l), t.spread == sharding::kv_rows ? unit : 1);
  }
  return b.end_range(r);
}

}  // namespace detail

/// The model of a shape; `layers` 0 when a bound of `transformer` is passed.
constexpr transformer make_experts(const experts_shape& s) noexcept {
  detail::model_builder b;
  b.ok = s.ok && s.rules != nullptr;
  b.model.name = s.name;
  b.model.model_type = s.model_type;
  b.model.max_position = s.max_position_embeddings;
  b.model.hidden = s.hidden_size;
  b.model.vocabulary = s.vocab_size;
  b.model.tied_embeddings = s.tie_word_embeddings;
  if (!b.ok) return b.model;
  const experts_rules& rules = *s.rules;
  b.model.layer_prefix = rules.layer_prefix;
  b.model.embedding = detail::add_rules(b, rules.embedding, s, {}, s.ends_have);
  b.model.final_norm = detail::add_rules(b, rules.final_norm, s, {}, s.ends_have);
  if (!s.tie_word_embeddings) b.model.head = detail::add_rules(b, rules.head, s, {}, s.ends_have);
  for (const experts_layer& l : s.kinds)
    b.add_kind(l.attention, l.feed_forward, detail::add_rules(b, rules.layer, s, l, l.has));
  for (std::int64_t i = 0; i < s.num_hidden_layers && b.ok; ++i) b.add_layer(s.layers[static_cast<std::size_t>(i)]);
  if (s.mtp_layers > 0) {
    b.model.mtp_layers = s.mtp_layers;
    b.model.mtp_kind = s.mtp_kind;
    b.model.mtp_extra = detail::add_rules(b, rules.mtp, s, s.kinds[s.mtp_kind], s.ends_have);
  }
  if (!b.ok) b.model.layers = 0;
  return b.model;
}

}  // namespace ullage::inline v0
