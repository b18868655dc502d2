// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <ullage/detail/static_list.hpp>
#include <ullage/detail/text.hpp>
#include <ullage/number_format.hpp>
#include <ullage/units.hpp>

namespace ullage::inline v0 {

/// What a layer keeps of the past, and hence what its cache costs.
enum class attention_kind : std::uint8_t {
  none,
  full,     ///< MHA, MQA, GQA: K and V of every token (kv_heads · (key_dim + value_dim) elements)
  latent,   ///< MLA: one shared latent and one rotary key a token (latent_rank + rope_dim elements), no V
  sliding,  ///< as full, over the last `window` tokens
  chunked,  ///< as full, over the tokens of the current chunk of `window` tokens
  cross,    ///< K and V of the encoder's tokens, made once a sequence
  encoder   ///< over the whole input at once, without a cache
};

constexpr std::string_view name(attention_kind k) noexcept {
  switch (k) {
    case attention_kind::none: return "none";
    case attention_kind::full: return "full";
    case attention_kind::latent: return "latent";
    case attention_kind::sliding: return "sliding";
    case attention_kind::chunked: return "chunked";
    case attention_kind::cross: return "cross";
    case attention_kind::encoder: return "encoder";
  }
  return "none";
}

struct attention {
  attention_kind kind = attention_kind::none;
  std::int64_t heads = 0;        ///< query heads
  std::int64_t kv_heads = 0;     ///< heads of K and V (full)
  std::int64_t key_dim = 0;      ///< elements of a query or key head (latent: without the rotary part)
  std::int64_t value_dim = 0;    ///< elements of a value head
  std::int64_t latent_rank = 0;  ///< kv_lora_rank (latent)
  std::int64_t rope_dim = 0;     ///< qk_rope_head_dim (latent)
  std::int64_t query_rank = 0;   ///< q_lora_rank; 0 = the query is not compressed (latent)
  std::int64_t window = 0;       ///< tokens (sliding, chunked)
  std::int64_t index_dim = 0;    ///< a sparse indexer keeps one key of so many fp8 numbers and a 32-bit scale a token
  std::int64_t index_heads = 0;  ///< heads of the indexer's queries, whole on every rank
  std::int64_t index_topk = 0;   ///< cached entries that a query reads at most, chosen here or in an earlier layer
  std::int64_t stride = 1;       ///< tokens that share one cache entry (compressed streams)
  bool shares_cache = false;     ///< reads the cache of an earlier layer and keeps none of its own

  /// Cache elements of one token of one layer on one device that holds `local_kv_heads` heads; a latent is shared.
  constexpr count cache_elements(count local_kv_heads) const noexcept {
    switch (kind) {
      case attention_kind::none:
      case attention_kind::encoder: return count(0);
      case attention_kind::full:
      case attention_kind::sliding:
      case attention_kind::chunked:
      case attention_kind::cross: return shares_cache ? count(0) : local_kv_heads * count(key_dim + value_dim);
      case attention_kind::latent: return count(latent_rank + rope_dim);
    }
    return count(0);
  }
  /// Has heads of K and V of its own, which tensor parallelism divides.
  constexpr bool has_kv_heads() const noexcept {
    return kind != attention_kind::none && kind != attention_kind::latent;
  }
  friend constexpr bool operator==(const attention&, const attention&) noexcept = default;
};

/// A state of fixed size that a layer carries from token to token.
enum class recurrent_kind : std::uint8_t {
  none,
  mamba1,
  mamba2,
  gated_delta,  ///< gated delta net (Qwen3-Next, Qwen3.5)
  kda,          ///< Kimi delta attention
  lightning,    ///< linear attention with decay (MiniMax)
  rg_lru,       ///< real-gated linear recurrent unit (RecurrentGemma)
  short_conv    ///< a convolution alone (LFM2)
};
constexpr std::string_view name(recurrent_kind k) noexcept {
  switch (k) {
    case recurrent_kind::none: return "none";
    case recurrent_kind::mamba1: return "mamba1";
    case recurrent_kind::mamba2: return "mamba2";
    case recurrent_kind::gated_delta: return "gated_delta";
    case recurrent_kind::kda: return "kda";
    case recurrent_kind::lightning: return "lightning";
    case recurrent_kind::rg_lru: return "rg_lru";
    case recurrent_kind::short_conv: return "short_conv";
  }
  return "none";
}

/// What one sequence leaves in one recurrent layer, whatever its length.
struct recurrent {
  recurrent_kind kind = recurrent_kind::none;
  std::int64_t heads = 0;  ///< that tensor parallelism divides; 0 = divides by elements
  std::int64_t state = 0;  ///< elements of the recurrent state
  std::int64_t conv = 0;   ///< elements that the causal convolution keeps: channels · (kernel − 1)
  int state_bits = 32;     ///< of an element of the state; the convolution's are of the activation's type
  std::int64_t taps = 0;   ///< inputs that the convolution keeps a channel: kernel − 1
  friend constexpr bool operator==(const recurrent&, const recurrent&) noexcept = default;
};

enum class feed_forward_kind : std::uint8_t { none, dense, experts };

struct feed_forward {
  feed_forward_kind kind = feed_forward_kind::none;
  std::int64_t inner = 0;              ///< intermediate size of the dense block
  std::int64_t experts = 0;            ///< routed experts
  std::int64_t experts_per_token = 0;  ///< top-k
  std::int64_t expert_inner = 0;       ///< intermediate size of one routed expert
  std::int64_t shared_inner = 0;       ///< intermediate size of all shared experts together
  int matrices = 3;                    ///< 3 with a gate (SwiGLU, GeGLU), 2 without
  friend constexpr bool operator==(const feed_forward&, const feed_forward&) noexcept = default;
};

/// The part of the model a tensor belongs to: the rows of a parameter table.
enum class part : std::uint8_t {
  embedding,
  attention,
  mlp,
  experts,
  shared_experts,
  router,
  norm,
  head,
  mtp,
  recurrent,  ///< projections, convolution and decay of recurrent layers
  tower       ///< vision and audio towers with their projectors; not part of `total`
};
inline constexpr std::size_t part_kinds = 11;

constexpr std::string_view name(part p) noexcept {
  switch (p) {
    case part::embedding: return "embedding";
    case part::attention: return "attention";
    case part::mlp: return "mlp";
    case part::experts: return "experts";
    case part::shared_experts: return "shared_experts";
    case part::router: return "router";
    case part::norm: return "norm";
    case part::head: return "head";
    case part::mtp: return "mtp";
    case part::recurrent: return "recurrent";
    case part::tower: return "tower";
  }
  return "mlp";
}

/// How a tensor spreads over the ranks of a tensor-parallel group (facts as vLLM and SGLang do it).
enum class sharding : std::uint8_t {
  replicated,   ///< whole on every rank: norms, router, latent down-projections, biases of row-parallel layers
  rows,         ///< outputs divided: gate, up, queries, latent up-projections
  cols,         ///< inputs divided: down, attention output
  kv_rows,      ///< outputs in whole KV heads, at least one head a rank (`unit` rows a head)
  vocab_rows,   ///< vocabulary padded to the engine's multiple, then divided
  expert_rows,  ///< outputs of each expert divided by tp·dp; with expert parallelism whole experts are spread instead
  expert_cols   ///< inputs of each expert divided likewise
};

/// Which number format of a weight scheme a tensor takes.
enum class precision : std::uint8_t {
  kept,     ///< the model's own 16-bit type, whatever the quantisation: embeddings, norms, router, biases
  linear,   ///< attention and dense feed-forward matrices
  experts,  ///< matrices of routed experts
  head,     ///< the output projection
  float32,  ///< always 32 bits
  second,   ///< what a mixed checkpoint stores neither as its linear layers nor as its experts
  third,
  fourth
};
inline constexpr std::size_t precision_kinds = 8;

/// All tensors of one name pattern in one layer: `copies` matrices of rows × cols ({} in the name counts copies).
struct tensor_family {
  std::string_view name{};  ///< pattern below the layer's prefix; points to static text
  std::int64_t rows = 0;    ///< outputs (1 for a vector)
  std::int64_t cols = 0;    ///< inputs, or the length of a vector
  std::int64_t copies = 1;
  std::int64_t unit = 1;  ///< rows of one KV head, for sharding::kv_rows
  part belongs_to = part::mlp;
  sharding spread = sharding::replicated;
  precision stored_as = precision::kept;

  constexpr count elements() const noexcept { return count(rows) * count(cols) * count(copies); }
};

/// A run of families in transformer::families.
struct family_range {
  std::uint16_t first = 0;
  std::uint16_t size = 0;
};

/// One distinct kind of layer.
struct layer_kind {
  ullage::attention attention{};
  ullage::recurrent recurrent{};  ///< instead of attention, or beside it (Falcon-H1, Zamba2)
  ullage::feed_forward feed_forward{};
  family_range tensors{};
};

/// Number formats of a model's tensors by `precision`.
struct weight_scheme {
  std::string_view name = "bf16";  ///< what a user calls it; points to static text
  number_format kept = formats::bf16;
  number_format linear = formats::bf16;
  number_format experts = formats::bf16;
  number_format head = formats::bf16;
  number_format second = formats::bf16;  ///< further formats of a mixed checkpoint
  number_format third = formats::bf16;
  number_format fourth = formats::bf16;

  constexpr const number_format& operator[](precision p) const noexcept {
    switch (p) {
      case precision::kept: return kept;
      case precision::linear: return linear;
      case precision::experts: return experts;
      case precision::head: return head;
      case precision::float32: return formats::fp32;
      case precision::second: return second;
      case precision::third: return third;
      case precision::fourth: return fourth;
    }
    return kept;
  }
};

/// Every tensor in one format (an unquantised checkpoint).
constexpr weight_scheme uniform_weights(const number_format& f) noexcept {
  return {f.name, f, f, f, f, f, f, f};
}

/// What an engine's online quantisation does: linear layers and experts take `f`, while embeddings, head, norms and
/// router stay in the model's own type.
constexpr weight_scheme quantized_linears(const number_format& f, const number_format& kept) noexcept {
  return {f.name, kept, f, f, kept, f, f, f};
}

/// A decoder as the planner sees it: distinct layer kinds, one byte a layer that names its kind, and tensor families.
///
/// Bounds: 32 kinds, 512 layers, 320 tensor families; readers refuse more (`too_many_layers`).
struct transformer {
  static constexpr std::size_t most_layers = 512;
  static constexpr std::size_t most_kinds = 32;
  static constexpr std::size_t most_families = 320;

  detail::text<95> name{};
  detail::text<31> model_type{};  ///< the config's own word: "llama", "deepseek_v3"
  std::int64_t hidden = 0;        ///< hidden_size
  std::int64_t vocabulary = 0;    ///< vocab_size
  std::int64_t max_position = 0;  ///< max_position_embeddings: the longest context of the model
  std::int64_t rotary_rows = 0;   ///< positions in all tables of sines and cosines; 0 = one table of max_position
  bool tied_embeddings = false;   ///< the head is the embedding
  weight_scheme stored{};         ///< formats of the checkpoint
  number_format activation = formats::bf16;  ///< torch_dtype: the type of activations and of an "auto" KV cache
  number_format cache{};  ///< what the checkpoint asks for its KV cache (scales for fp8); nameless = nothing
  detail::static_list<tensor_family, most_families> families{};
  detail::static_list<layer_kind, most_kinds> kinds{};
  std::uint8_t layer_kinds[most_layers]{};  ///< kind of each layer, in order
  std::int64_t layers = 0;
  family_range embedding{};     ///< on the first stage (a tied one also on the last)
  family_range final_norm{};    ///< on the last stage
  family_range head{};          ///< on the last stage; empty when tied
  std::int64_t mtp_layers = 0;  ///< multi-token-prediction modules in the checkpoint, not counted as layers
  std::uint8_t mtp_kind = 0;    ///< their layer kind
  family_range mtp_extra{};     ///< what each module adds to a layer of that kind
  /// The encoder of an encoder-decoder, all its layers together (`copies` counts them); 0 layers = none.
  family_range encoder{};
  std::int64_t encoder_layers = 0;
  std::int64_t encoder_tokens = 0;  ///< the longest input of the encoder: what cross-attention caches
  family_range towers{};            ///< vision and audio towers and projectors, with `copies` of their layers
  /// What stands before a layer's number and its tensors' names; points to static text.
  std::string_view layer_prefix = "model.layers.";

  constexpr const layer_kind& layer(std::int64_t i) const noexcept { return kinds[layer_kinds[i]]; }
};

/// The families of a range, for a range-based for loop.
struct family_view {
  const tensor_family* first = nullptr;
  const tensor_family* last = nullptr;
  constexpr const tensor_family* begin() const noexcept { return first; }
  constexpr const tensor_family* end() const noexcept { return last; }
};
constexpr family_view families_of(const transformer& m, family_range r) noexcept {
  return {m.families.data() + r.first, m.families.data() + r.first + r.size};
}

}  // namespace ullage::inline v0
