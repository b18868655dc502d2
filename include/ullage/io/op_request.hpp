// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <iterator>
#include <span>
#include <string>
#include <ullage/io/request.hpp>
#include <ullage/performance/op.hpp>

// One operation of a request: its kind and sizes, whose kernels run it, and on what.
namespace ullage::inline v0::io::detail {

/// A part, and what joins several: what an operation is asked on.
struct op_place {
  request q{};  ///< id, ask, what was assumed, owned names; `constants` in its body
  accelerator part{};
  fabric scale_out{};
};

/// The asks about one operation take the keys named, `accelerator` and `constants`.
inline op_place read_op_place(object_reader& r, std::initializer_list<std::string_view> own) {
  op_place p;
  if (const json* id = r.find("id"); id != nullptr) p.q.id = *id;
  const std::int64_t schema = r.whole("schema", 1, 0);
  if (r.ok() && schema != 1)
    r.fail_at("schema", error_code::bad_value, "is " + std::to_string(schema) + "; expected 1.");
  p.q.ask = r.text("ask");
  if (const json* said = r.find("constants"); said != nullptr) p.q.body["constants"] = *said;
  std::string takes = "accelerator, constants";
  for (std::string_view key : own) {
    r.find(key);
    takes += ", " + std::string(key);
  }
  const std::string name = r.text("accelerator");
  std::vector<std::string_view> others;
  for (std::string_view key :
       {"model",       "weights",    "kv_cache", "devices",  "count",    "visible_bytes", "nodes",
        "fabric",      "load",       "given",    "parallel", "engine",   "prefill",       "speculative",
        "adapters",    "multimodal", "step",     "decode",   "transfer", "train",         "offers",
        "constraints", "objective",  "op",       "observed", "log",      "calibration"}) {
    bool is_own = false;
    for (std::string_view mine : own) is_own = is_own || mine == key;
    if (!is_own && r.has(key)) others.push_back(key);
  }
  r.finish();
  if (r.ok() && !others.empty())
    r.fail_at(others.front(), error_code::bad_value,
              "is given, but without a model " + p.q.ask + " takes " + takes + " alone; expected null.");
  if (r.ok() && name.empty()) r.missing("accelerator", "the name of a part");
  if (!r.ok()) return p;
  p.part = part_named(p.q, r, "accelerator", name, 0, false);
  p.q.assumed.clear();  // its memory is not asked for
  if (p.q.machine != nullptr && p.q.machine->nics > count(0)) p.scale_out = p.q.machine->scale_out();
  return p;
}

inline number_format read_op_format(object_reader& o, std::string_view fallback) {
  const std::string word = o.text("format", fallback);
  const number_format f = format_named(word);
  if (f.element_bits <= 0) {
    std::string list;
    for (const number_format& k : formats::all) list += (list.empty() ? "" : ", ") + std::string(k.name);
    o.fail_at("format", error_code::unknown_format, "is " + in_quotes(word) + "; expected one of " + list + ".");
  }
  return f;
}

/// An operation as it was asked for.
struct asked_op {
  op x{};
  kernel_stack stack = kernel_stack::pooled;
  collective_kernel all_reduce_by = collective_kernel::sglang;
  std::string stack_word{};  ///< as answers have it; empty where none was named
};

inline constexpr std::int64_t most_op_size = std::int64_t{1} << 40;
inline constexpr std::int64_t most_heads = std::int64_t{1} << 24;

inline count op_size(object_reader& o, std::string_view key) {
  return count(o.required_whole(key, 1, most_op_size));
}
/// A key of few words; the first of them when absent. Gives its place among them.
inline std::size_t op_word(object_reader& o, std::string_view key, std::span<const std::string_view> words) {
  const std::string word = o.text(key, words[0]);
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (word == words[i]) return i;
    list += std::string(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + std::string(words[i]);
  }
  if (o.ok()) o.fail_at(key, error_code::bad_value, "is " + in_quotes(word) + "; expected " + list + ".");
  return 0;
}
inline bool is_prefill(object_reader& o) {
  constexpr std::string_view phases[] = {"decode", "prefill"};
  return op_word(o, "phase", phases) == 1;
}

/// Which keys each query sees: `mask`, or what `window` says without it.
inline void read_mask(object_reader& o, attention& a) {
  a.window = o.whole("window", 0, 1, most_tokens);
  constexpr std::string_view masks[] = {"causal", "sliding", "chunked", "encoder", "cross"};
  const bool named = o.has("mask");
  const std::size_t mask = op_word(o, "mask", masks);
  const bool windowed = named ? mask == 1 || mask == 2 : a.window > 0;
  if (windowed) a.kind = mask == 2 ? attention_kind::chunked : attention_kind::sliding;
  if (mask == 3) a.kind = attention_kind::encoder;
  if (mask == 4) a.kind = attention_kind::cross;
  if (o.ok() && windowed && a.window == 0) o.missing("window", "the tokens of a window or a chunk");
  if (o.ok() && !windowed && a.window > 0)
    o.fail_at("window", error_code::bad_value,
              "stands beside the mask " + std::string(masks[mask]) + ", which has none; expected null.");
}

/// Latents, and with an indexer the entries that it chooses.
inline void read_latent(object_reader& o, attention& a) {
  a.kind = attention_kind::latent;
  a.index_topk = o.whole("index_topk", 0, 1, most_tokens);
  if (a.index_topk > 0) {
    a.index_heads = o.whole("index_n_heads", 0, 1, most_heads);
    a.index_dim = o.whole("index_head_dim", 0, 1, most_heads);
    if (o.ok() && (a.index_heads > 0) != (a.index_dim > 0))
      o.missing(a.index_heads > 0 ? "index_head_dim" : "index_n_heads",
                "both sizes of an indexer, or neither where an earlier layer chooses");
  }
  for (std::string_view key : {"index_n_heads", "index_head_dim"})
    if (o.ok() && a.index_topk == 0 && o.has(key))
      o.fail_at(key, error_code::bad_value, "stands without index_topk; expected null.");
  if (o.ok() && a.kv_heads != 1)
    o.fail_at("kv_heads", error_code::bad_value,
              "is " + std::to_string(a.kv_heads) + ", but all heads read one latent; expected 1 or null.");
  for (std::string_view key : {"mask", "window"})
    if (o.ok() && o.has(key))
      o.fail_at(key, error_code::bad_value, "stands beside latent_rank, whose attention is causal; expected null.");
}

inline void read_attention(object_reader& o, op& x) {
  const bool prefill = is_prefill(o);
  x.kind = prefill ? op_kind::prefill_attention : op_kind::decode_attention;
  attention& a = x.attention;
  a.kind = attention_kind::full;
  a.heads = o.required_whole("heads", 1, most_heads);
  a.latent_rank = o.whole("latent_rank", 0, 1, most_heads);
  const bool latent = a.latent_rank > 0;
  a.kv_heads = o.whole("kv_heads", latent ? 1 : a.heads, 1, most_heads);
  a.key_dim = o.required_whole("head_dim", 1, most_heads);
  a.value_dim = o.whole("value_dim", a.key_dim, 1, most_heads);
  a.rope_dim = o.whole("rope_dim", 0, 0, most_heads);
  if (latent)
    read_latent(o, a);
  else
    read_mask(o, a);
  if (o.ok() && !latent && a.heads % a.kv_heads != 0)
    o.fail_at(
        "kv_heads", error_code::bad_value,
        "is " + std::to_string(a.kv_heads) + "; expected a divisor of the " + std::to_string(a.heads) + " heads.");
  for (std::string_view key : {"index_topk", "index_n_heads", "index_head_dim"})
    if (o.ok() && !latent && o.has(key))
      o.fail_at(key, error_code::bad_value, "stands without latent_rank; expected null.");
  if (o.ok() && !latent && a.rope_dim > 0)
    o.fail_at("rope_dim", error_code::bad_value, "stands without latent_rank; expected null.");
  x.tp = o.whole("tp", 1, 1, most_devices);
  if (o.ok() && a.heads % x.tp != 0)
    o.fail_at("tp", error_code::bad_value,
              "is " + std::to_string(x.tp) + "; expected a divisor of the " + std::to_string(a.heads) + " heads.");
  x.batch = of<sequences>(o.required_whole("batch", 1, most_tokens));
  x.cache = read_op_format(o, "bf16");
  const bool crosses = a.kind == attention_kind::cross;
  if (!prefill) {
    if (o.ok() && o.has("scores"))
      o.fail_at("scores", error_code::bad_value, "stands in a decode step, which computes in 16 bits; expected null.");
    if (o.ok() && a.kind == attention_kind::encoder)
      o.fail_at("phase", error_code::bad_value, "is decode, which an encoder has not; expected prefill.");
    x.context = of<tokens>(o.required_whole("context", crosses ? 1 : 0, most_tokens));
    if (o.whole("tokens", 1, 1, most_tokens) != 1)
      o.fail_at("tokens", error_code::bad_value, "is more than 1; expected 1 or null for a decode step.");
    return;
  }
  x.new_tokens = of<tokens>(o.required_whole("tokens", 1, most_tokens));
  x.context = of<tokens>(crosses ? o.required_whole("context", 1, most_tokens) : o.whole("context", 0, 0, most_tokens));
  if (o.ok() && a.kind == attention_kind::encoder && x.context > tokens{})
    o.fail_at("context", error_code::bad_value, "is given, but an encoder has no cached tokens; expected null.");
  constexpr std::string_view scores[] = {"bf16", "fp8", "int8"};
  constexpr math of_scores[] = {math::bf16, math::fp8, math::int8};
  x.scores = of_scores[op_word(o, "scores", scores)];
  if (o.ok() && x.scores != math::bf16 && latent)
    o.fail_at("scores", error_code::bad_value,
              "is " + std::string(ullage::name(x.scores)) +
                  ", which no public kernel of latents computes in; expected bf16.");
  if (o.ok() && x.scores != math::bf16 && x.cache.element_bits > 8)
    o.fail_at("scores", error_code::bad_value,
              "is " + std::string(ullage::name(x.scores)) + " over a cache in " + std::string(x.cache.name) +
                  "; expected format fp8, or bf16.");
}

inline void read_experts(object_reader& o, op& x) {
  x.kind = op_kind::experts;
  feed_forward& f = x.experts;
  f.kind = feed_forward_kind::experts;
  x.rows = op_size(o, "tokens");
  x.inner = op_size(o, "hidden");
  f.experts = o.required_whole("experts", 1, most_heads);
  f.experts_per_token = o.required_whole("experts_per_token", 1, most_heads);
  f.expert_inner = o.required_whole("expert_inner", 1, most_op_size);
  f.matrices = static_cast<int>(o.whole("matrices", 3, 2, 3));
  x.tp = o.whole("tp", 1, 1, most_devices);
  x.ep = o.whole("ep", 1, 1, most_devices);
  x.weights = read_op_format(o, "bf16");
  const auto exceeds = [&](std::string_view key, std::int64_t value, std::int64_t most, const std::string& what) {
    if (o.ok() && value > most)
      o.fail_at(key, error_code::bad_value,
                "is " + std::to_string(value) + "; expected at most the " + std::to_string(most) + what + ".");
  };
  exceeds("experts_per_token", f.experts_per_token, f.experts, " experts");
  exceeds("ep", x.ep, f.experts, " experts");
  if (o.ok() && f.expert_inner % x.tp != 0)
    o.fail_at("tp", error_code::bad_value,
              "is " + std::to_string(x.tp) + "; expected a divisor of the expert_inner " +
                  std::to_string(f.expert_inner) + ".");
  // All matrices of all experts, in bytes, must be countable.
  if (o.ok() && (count(f.experts) * count(f.expert_inner) * x.inner * count(8)).overflowed())
    o.fail_at("expert_inner", error_code::overflow, "times hidden and experts is more than 64 bits count.");
}

inline void read_recurrent(object_reader& o, op& x) {
  x.kind = op_kind::recurrent;
  constexpr std::string_view layers[] = {"gated_delta", "kda", "mamba1", "mamba2", "lightning", "rg_lru", "short_conv"};
  constexpr recurrent_kind kinds[] = {recurrent_kind::gated_delta, recurrent_kind::kda,       recurrent_kind::mamba1,
                                      recurrent_kind::mamba2,      recurrent_kind::lightning, recurrent_kind::rg_lru,
                                      recurrent_kind::short_conv};
  if (!o.has("layer")) o.missing("layer", "gated_delta, kda, mamba1, mamba2, lightning, rg_lru or short_conv");
  recurrent& l = x.recurrent;
  l.kind = kinds[op_word(o, "layer", layers)];
  const bool has_state = l.kind != recurrent_kind::short_conv;
  if (has_state) {
    l.heads = o.whole("heads", 0, 1, most_heads);
    l.state = o.required_whole("state", 1, most_op_size);
  }
  const std::int64_t taps = has_state ? 3 : 2;
  l.conv = taps * (has_state ? o.whole("channels", 0, 1, most_heads) : o.required_whole("channels", 1, most_heads));
  if (has_state) x.weights = read_op_format(o, "fp32");
  l.state_bits = x.weights.element_bits;
  x.tp = o.whole("tp", 1, 1, most_devices);
  if (o.ok() && l.heads > 0 && l.heads % x.tp != 0)
    o.fail_at("tp", error_code::bad_value,
              "is " + std::to_string(x.tp) + "; expected a divisor of the " + std::to_string(l.heads) + " heads.");
  x.batch = of<sequences>(o.required_whole("batch", 1, most_tokens));
  if (is_prefill(o))
    x.new_tokens = of<tokens>(o.required_whole("tokens", 1, most_tokens));
  else if (o.whole("tokens", 1, 1, most_tokens) != 1)
    o.fail_at("tokens", error_code::bad_value, "is more than 1; expected 1 or null for a decode step.");
}

inline void read_gemm(object_reader& o, op& x) {
  x.rows = op_size(o, "m");
  x.outputs = op_size(o, "n");
  x.inner = op_size(o, "k");
  x.weights = read_op_format(o, "bf16");
  if (o.ok() && x.weights.storage(x.outputs, x.inner).value().overflowed())
    o.fail_at("n", error_code::overflow, "times k is a matrix whose bytes 64 bits do not count.");
}
inline void read_normalization(object_reader& o, op& x) {
  x.kind = op_kind::normalization;
  x.rows = op_size(o, "tokens");
  x.inner = op_size(o, "hidden");
}
inline void read_quantization(object_reader& o, op& x) {
  x.kind = op_kind::quantization;
  x.rows = op_size(o, "tokens");
  x.inner = op_size(o, "hidden");
  x.weights = read_op_format(o, "fp8");
  if (o.ok() && x.weights.element_bits > 8)
    o.fail_at(
        "format", error_code::bad_value,
        "is " + std::string(x.weights.name) + ", no narrower than activations; expected a format of at most 8 bits.");
}
inline void read_embedding(object_reader& o, op& x) {
  read_normalization(o, x);
  x.kind = op_kind::embedding;
}
inline void read_sampling(object_reader& o, op& x) {
  x.kind = op_kind::sampling;
  x.batch = of<sequences>(o.required_whole("batch", 1, most_tokens));
  x.outputs = op_size(o, "vocabulary");
}

template <collective What>
void read_collective(object_reader& o, op& x) {
  x.kind = op_kind::collective;
  x.what = What;
  x.message = of<bytes>(o.required_whole("message_bytes", 1));
  x.group = of<devices>(o.required_whole("group", 2, most_devices));
  if (o.ok() && What == collective::send_receive && x.group != of<devices>(2))
    o.fail_at("group", error_code::bad_value, "is more than 2, but a send has two ends; expected 2.");
}

/// The kinds of operations by name: one line each.
struct op_row {
  std::string_view name;
  void (*read)(object_reader&, op&);
};
inline constexpr op_row op_rows[] = {{"gemm", &read_gemm},
                                     {"attention", &read_attention},
                                     {"experts", &read_experts},
                                     {"recurrent", &read_recurrent},
                                     {"normalization", &read_normalization},
                                     {"quantization", &read_quantization},
                                     {"embedding", &read_embedding},
                                     {"sampling", &read_sampling},
                                     {"all_reduce", &read_collective<collective::all_reduce>},
                                     {"all_gather", &read_collective<collective::all_gather>},
                                     {"reduce_scatter", &read_collective<collective::reduce_scatter>},
                                     {"all_to_all", &read_collective<collective::all_to_all>},
                                     {"send_receive", &read_collective<collective::send_receive>}};

/// Whose kernels run: an engine's, or of a collective also the library's and an engine's outside a captured graph.
inline void read_stack(object_reader& o, asked_op& a) {
  struct stack_row {
    std::string_view word;
    std::string_view name;
    kernel_stack stack;
    collective_kernel all_reduce_by;
    bool of_collectives;  ///< of these alone
  };
  using enum collective_kernel;
  constexpr stack_row rows[] = {{"vllm", "vllm", kernel_stack::vllm, vllm, false},
                                {"sglang", "sglang", kernel_stack::sglang, sglang, false},
                                {"trtllm", "trtllm", kernel_stack::trtllm, tensorrt_llm, false},
                                {"tensorrt_llm", "trtllm", kernel_stack::trtllm, tensorrt_llm, false},
                                {"library", "library", kernel_stack::pooled, library, true},
                                {"nccl", "library", kernel_stack::pooled, library, true},
                                {"rccl", "library", kernel_stack::pooled, library, true},
                                {"oneccl", "library", kernel_stack::pooled, library, true},
                                {"vllm_eager", "vllm_eager", kernel_stack::pooled, vllm_eager, true},
                                {"sglang_eager", "sglang_eager", kernel_stack::pooled, sglang_eager, true}};
  if (!o.has("stack")) return;
  std::string word = o.text("stack");
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(c == '-' ? '_' : std::tolower(c)); });
  const bool collects = a.x.kind == op_kind::collective;
  for (const stack_row& row : rows) {
    if (word != row.word || (row.of_collectives && !collects)) continue;
    a.stack = row.stack;
    a.all_reduce_by = row.all_reduce_by;
    a.stack_word = row.name;
    return;
  }
  if (o.ok())
    o.fail_at("stack", error_code::bad_value,
              "is " + in_quotes(o.text("stack")) + "; expected vllm, sglang" +
                  (collects ? ", trtllm, library, vllm_eager or sglang_eager." : " or trtllm."));
}

/// Keys of all kinds: null in those that do not have them.
inline constexpr std::string_view op_keys[] = {"m",
                                               "n",
                                               "k",
                                               "phase",
                                               "heads",
                                               "kv_heads",
                                               "head_dim",
                                               "value_dim",
                                               "mask",
                                               "window",
                                               "scores",
                                               "batch",
                                               "tokens",
                                               "context",
                                               "latent_rank",
                                               "rope_dim",
                                               "format",
                                               "tp",
                                               "ep",
                                               "hidden",
                                               "experts",
                                               "expert_inner",
                                               "experts_per_token",
                                               "index_topk",
                                               "matrices",
                                               "layer",
                                               "state",
                                               "channels",
                                               "vocabulary",
                                               "message_bytes",
                                               "group",
                                               "index_n_heads",
                                               "index_head_dim"};

/// `op` of a request. Wrong sizes and unknown formats fail in `o`.
inline asked_op read_op(object_reader& o) {
  asked_op a;
  const std::string kind = o.text("kind");
  std::string list;
  const op_row* found = nullptr;
  for (const op_row& row : op_rows) {
    list += std::string(list.empty() ? "" : &row == std::end(op_rows) - 1 ? " or " : ", ") + std::string(row.name);
    if (row.name == kind) found = &row;
  }
  if (o.ok() && kind.empty())
    o.missing("kind", list);
  else if (o.ok() && found == nullptr)
    o.fail_at("kind", error_code::bad_value, "is " + in_quotes(kind) + "; expected " + list + ".");
  if (found != nullptr) found->read(o, a.x);
  read_stack(o, a);
  for (std::string_view key : op_keys) {
    o.pass_null({key});
    if (o.ok() && o.object().contains(std::string(key)) && !o.was_read(std::string(key)))
      o.fail_at(key, error_code::unknown_key, "is no size of " + kind + "; expected null.");
  }
  o.finish();
  return a;
}

/// The fabric beyond a part's own, as plans take it (`point_of`): inside a machine the host's links, beyond it the machine's
/// network.
inline void settle_fabric(op_place& p, const op& x) {
  if (x.kind != op_kind::collective || x.group <= p.part.scale_up.domain) return;
  const bool machine = p.q.machine != nullptr && p.q.machine->nics > count(0);
  const devices inside = machine ? p.q.machine->accelerators : p.part.node_devices();
  if (x.group <= inside) p.scale_out = p.part.host_fabric();
  if (p.scale_out.per_device > bytes_per_second{})
    p.q.assumed.push_back({"fabric", std::string(p.scale_out.name), true,
                           "between groups of " + std::to_string(integer(p.part.scale_up.domain)) + " joined devices"});
}

}  // namespace ullage::inline v0::io::detail
