// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/engine.hpp>
#include <ullage/performance/attention.hpp>
#include <ullage/performance/collectives.hpp>
#include <ullage/performance/elementwise.hpp>
#include <ullage/performance/experts.hpp>
#include <ullage/performance/gemm.hpp>

namespace ullage::inline v0 {

/// What runs where: a model on equal accelerators under an engine.
struct plan_point {
  const transformer* model = nullptr;  ///< must outlive the call
  accelerator part{};
  ullage::layout layout{};
  ullage::engine engine{};
  fabric scale_out{};  ///< between scale-up domains; needed only where a group is larger than one
};

/// The constants of a part under the kernels of an engine, where tables of them were public.
inline constants constants_for(const accelerator& a, const engine& e) noexcept {
  return constants_for(a, stack_of(name(e.kind)));
}
inline constants constants_for(const plan_point& p) noexcept {
  return constants_for(p.part, p.engine);
}

enum class phase : std::uint8_t { prefill, decode };
constexpr std::string_view name(phase p) noexcept {
  return p == phase::prefill ? "prefill" : "decode";
}

/// One step of the engine over all data-parallel replicas: sequences that prefill `new_tokens` each behind `prefix`
/// cached ones, and sequences that decode one token each behind `context` cached ones. Either may be none.
struct step_work {
  sequences prefill{};
  tokens new_tokens{};
  tokens prefix{};
  sequences decode{};
  tokens context{};
};

/// The time of one step. The middles of the items add up to the middle of the total; a band of a sum is narrower than
/// the sum of the bands, for the misses of different kernels are independent.
struct step_time {
  time_problem problem = time_problem::none;
  estimate<seconds> total{};   ///< all pipeline stages in sequence: what one token waits
  estimate<seconds> linear{};  ///< projections and dense feed-forward, shared experts
  estimate<seconds> attention{};
  estimate<seconds> experts{};      ///< routed experts and their router
  estimate<seconds> collectives{};  ///< all-reduces, expert exchange, sends between stages
  estimate<seconds> elementwise{};  ///< norms, rotary, activations
  estimate<seconds> head{};         ///< output projection, gathering of logits, sampling kernels
  estimate<seconds> overhead{};     ///< gap between steps, and the share that no kernel accounts for
  bound limited_by = bound::overhead;
  seconds compute_share{};  ///< what the middle of the total is spent on; these four add up to it as well
  seconds memory_share{};
  seconds network_share{};
  seconds overhead_share{};
  seconds slowest_stage{};      ///< middle; equals the total's without a pipeline
  math linear_as = math::bf16;  ///< arithmetic that runs the linear layers
  math experts_as = math::bf16;
  bool fell_back = false;  ///< a format's own arithmetic is not on this part: wider products, bytes of the format
};

namespace detail {

/// Raw work: numbers of sequences and tokens of all replicas.
struct raw_work {
  double prefill = 0;
  double new_tokens = 0;
  double prefix = 0;
  double decode = 0;
  double context = 0;
};

struct step_cost {
  time_problem problem = time_problem::none;
  cost linear{};
  cost attention{};
  cost experts{};
  cost collectives{};
  cost elementwise{};
  cost head{};
  cost overhead{};
  cost total{};
  double slowest_stage_s = 0;
  math linear_as = math::bf16;
  math experts_as = math::bf16;
  bool fell_back = false;
};

/// Matrices of a layer that one kernel multiplies: same input, same division (Q, K and V; gate and up).
struct fused_matrices {
  double outputs = 0;
  double inner = 0;
  part belongs_to = part::mlp;
  precision stored_as = precision::linear;
  int division = 0;
  bool of_encoder = false;  ///< keys and values of cross-attention: of the encoder's tokens, once a prompt
};

/// Taps of a convolution and decays stand in a matrix, but nothing is multiplied by them as one; nor by what a compressor adds
/// by position, nor by a table from tokens to experts.
constexpr bool is_no_product(const tensor_family& f) noexcept {
  if (f.belongs_to == part::attention) return f.stored_as == precision::float32;
  return (f.belongs_to == part::recurrent || f.belongs_to == part::router) && f.cols <= 64 &&
         (f.stored_as == precision::kept || f.stored_as == precision::float32);
}

/// The piece of a family on one rank (`shard`), as doubles; the vocabulary unpadded.
constexpr fused_matrices local_matrix(const tensor_family& f, const layout& l) noexcept {
  const local_shape piece = shard(f, l, count(1));
  fused_matrices g;
  g.outputs = static_cast<double>(piece.rows * piece.copies);
  g.inner = static_cast<double>(piece.cols);
  g.belongs_to = f.belongs_to;
  g.stored_as = f.stored_as;
  const bool by_inputs = f.spread == sharding::cols || f.spread == sharding::expert_cols;
  g.division = f.spread == sharding::replicated ? 0 : by_inputs ? 2 : 1;
  return g;
}

/// Keys and values of cross-attention: families of the checkpoint call them k and v.
constexpr bool reads_encoder(const tensor_family& f) noexcept {
  if (f.belongs_to != part::attention) return false;
  for (std::string_view word : {"k_proj", "v_proj", ".k.", ".v."})
    if (f.name.find(word) != std::string_view::npos) return true;
  return f.spread == sharding::kv_rows;
}

/// Everything that one step needs to know, worked out once.
struct step_context {
  const plan_point& point;
  const constants& c;
  raw_work work{};
  rates r{};
  weight_scheme weights{};
  number_format cache{};
  links tensor{};  ///< the tensor-parallel group
  links spread{};  ///< tp·dp: where experts live
  double tp = 1;
  double dp = 1;
  double ep = 1;
  double dcp = 1;
  double hidden = 0;
  bool is_encoder = false;  ///< reads whole inputs and makes no tokens
  double encoder_tokens = 0;
  double encoder_rows = 0;  ///< tokens that the encoder reads in this step: of prompts that have no prefix yet
  double prefill_here = 0;  ///< sequences of the busiest replica
  double decode_here = 0;
  double tokens_here = 0;
  double tokens_all = 0;
};

/// Attention of a layer over single entries, of prompts but those that are attended to densely.
inline void add_gathered(cost& out, const ullage::attention& a, const step_context& s, double peak, bool narrow,
                         bool dense_prompt) noexcept {
  const gathered g = gathered_on_rank(a, s.cache, s.tp);
  const double scores = s.r.peak(s.r.as(math::fp8)) > 0 ? s.r.peak(s.r.as(math::fp8)) : peak;
  if (s.prefill_here > 0 && !dense_prompt)
    out.add(sparse_prefill_cost(a, g, s.prefill_here, s.work.new_tokens, s.work.prefix, peak, scores,
                                s.r.bandwidth_bytes_per_s, s.c.attention.sparse));
  if (s.decode_here > 0)
    out.add(sparse_decode_cost(a, g, narrow, s.decode_here, s.work.context, s.dcp, peak, scores,
                               s.r.bandwidth_bytes_per_s, s.c.attention.sparse));
}

/// Small kernels beside gathered attention, counted in kernels of public module rows. An indexer: rotary and 8 bits of its
/// queries, norm, rotary and cache of its key, weights of its heads, the chosen places in the cache. A compressed stream:
/// gates and sums of its groups. Several streams of the hidden state: mixed before a block (all read, one written) and after
/// it (all and its result read, all written).
struct beside_gathering {
  double elements = 0;  ///< of 4 bytes a token
  double kernels = 0;
  double kernels_per_norm = 0;
  double residual = 4;  ///< of a token at a norm, in hidden sizes
};
inline beside_gathering beside_attention(const ullage::attention& a, double hidden, const fused_matrices* groups,
                                         std::size_t used) noexcept {
  beside_gathering b;
  if (a.index_dim > 0) b.kernels = 5, b.elements = .75 * static_cast<double>(a.index_heads * a.index_dim);
  if (a.stride > 1) b.kernels += 4;
  for (std::size_t i = 0; i < used; ++i) {
    const fused_matrices& g = groups[i];
    if (g.belongs_to != part::mlp || g.division != 0 || g.stored_as != precision::float32 || g.inner < 2 * hidden)
      continue;
    b.residual = 3 * g.inner / hidden + 2;
    b.kernels_per_norm = 2;
  }
  return b;
}

/// One layer of a kind.
struct layer_cost {
  cost linear{};
  cost attention{};
  cost experts{};
  cost collectives{};
  cost elementwise{};
};
inline layer_cost cost_of_layer(const layer_kind& kind, const step_context& s) noexcept {
  layer_cost out;
  const transformer& m = *s.point.model;
  const ullage::attention& a = kind.attention;
  const feed_forward& f = kind.feed_forward;
  const double t = s.tokens_here;

  const bool gathers = gathers_entries(a);
  const bool dense_prompt = !gathers || attends_densely(a, s.work.prefix + s.work.new_tokens);

  // Matrices.
  constexpr std::size_t most = 16;
  fused_matrices groups[most];
  std::size_t used = 0;
  for (const tensor_family& family : families_of(m, kind.tensors)) {
    if (family.rows <= 1 || family.cols <= 1 || family.belongs_to == part::experts || family.belongs_to == part::mtp)
      continue;
    if (is_no_product(family)) continue;
    fused_matrices g = local_matrix(family, s.point.layout);
    g.of_encoder = a.kind == attention_kind::cross && reads_encoder(family);
    bool merged = false;
    for (std::size_t i = 0; i < used && !merged; ++i) {
      fused_matrices& h = groups[i];
      if (h.division == 2 || h.division != g.division || h.inner != g.inner || h.belongs_to != g.belongs_to ||
          h.stored_as != g.stored_as || h.of_encoder != g.of_encoder)
        continue;
      h.outputs += g.outputs;
      merged = true;
    }
    if (merged) continue;
    ULLAGE_EXPECTS(used < most);
    groups[used++] = g;
  }
  double activations = 0;  // kernels between the matrices
  for (std::size_t i = 0; i < used; ++i) {
    const fused_matrices& g = groups[i];
    double rows = t;
    double launches = 1;
    if (g.of_encoder) {
      rows = s.encoder_rows;
      if (!(rows > 0)) continue;
    }
    if (a.kind == attention_kind::latent && g.belongs_to == part::attention && g.division == 1 &&
        g.inner == static_cast<double>(a.latent_rank)) {
      // The latent up-projection: a prefill expands its prefix too; a decode step and chosen entries absorb it as two products.
      if (dense_prompt) rows += s.prefill_here * s.work.prefix;
      if (s.work.decode > 0 || !dense_prompt) launches = 2;
    }
    (g.belongs_to == part::router ? out.experts : out.linear)
        .add(gemm_cost_in_step(rows, g.outputs, g.inner, s.weights[g.stored_as], s.r, s.c, launches));
    if (g.belongs_to == part::mlp || g.belongs_to == part::shared_experts)
      if (g.division == 1) activations += 1;
  }

  // Attention.
  const local_attention l = attention_on_rank(a, s.cache, s.tp, s.dcp);
  const double peak = s.r.peak(s.r.as(math::bf16));
  if (a.kind != attention_kind::none) {
    const bool narrow = s.cache.element_bits <= 8;
    const bool crosses = a.kind == attention_kind::cross;
    if (s.prefill_here > 0 && dense_prompt)
      out.attention.add(prefill_attention_cost(a, l, narrow, s.prefill_here, s.work.new_tokens,
                                               crosses ? s.encoder_tokens : s.work.prefix, math::bf16, peak,
                                               s.r.bandwidth_bytes_per_s, s.c.attention));
    if (gathers)
      add_gathered(out.attention, a, s, peak, narrow, dense_prompt);
    else if (s.decode_here > 0)
      out.attention.add(decode_attention_cost(a, l, narrow, s.decode_here, crosses ? s.encoder_tokens : s.work.context,
                                              s.dcp, peak, s.r.bandwidth_bytes_per_s, s.c.attention));
  }
  const recurrent& state = kind.recurrent;
  if (state.kind != recurrent_kind::none) {
    if (s.prefill_here > 0)
      out.attention.add(recurrent_cost(state, s.tp, s.prefill_here, s.work.new_tokens, true, peak,
                                       s.r.bandwidth_bytes_per_s, s.c.attention));
    if (s.decode_here > 0)
      out.attention.add(
          recurrent_cost(state, s.tp, s.decode_here, 1, false, peak, s.r.bandwidth_bytes_per_s, s.c.attention));
  }
  const bool mixes = a.kind != attention_kind::none || state.kind != recurrent_kind::none;

  // Routed experts.
  const bool routed = f.kind == feed_forward_kind::experts;
  if (routed) out.experts.add(experts_cost(f, s.hidden, s.weights.experts, s.tokens_all, s.ep > 1 ? 1.0 : s.tp * s.dp, s.ep, s.r, s.c));

  // Collectives: one all-reduce after attention and one after the feed-forward; replicas exchange tokens for experts.
  const double message = 2 * t * s.hidden;
  if (s.tp > 1) {
    if (mixes) out.collectives.add(collective_cost(collective::all_reduce, message, s.tensor, s.c));
    if (f.kind == feed_forward_kind::dense || (routed && s.dp <= 1))
      out.collectives.add(collective_cost(collective::all_reduce, message, s.tensor, s.c));
    if (s.dcp > 1 && s.decode_here > 0)
      out.collectives.add(
          collective_cost(collective::all_gather, 2 * s.decode_here * l.heads * s.dcp * (l.score_dim + l.value_dim),
                          s.tensor, s.c),
          2);
  }
  if (routed && s.dp > 1) {
    if (s.ep > 1) {
      const double k = static_cast<double>(f.experts_per_token);
      const double reached = distinct_experts(s.ep, k > s.ep ? s.ep : k, 1);  // ranks of one token, at most k
      const double rows = t / s.tp * reached;
      const double out_bytes = activation_bytes(s.r.as(s.weights.experts.multiplies_as));
      out.collectives.add(collective_cost(collective::all_to_all, rows * s.hidden * out_bytes, s.spread, s.c));
      out.collectives.add(collective_cost(collective::all_to_all, rows * s.hidden * 2, s.spread, s.c));
      if (s.tp > 1) out.collectives.add(collective_cost(collective::all_gather, message, s.tensor, s.c));
    } else {
      out.collectives.add(collective_cost(collective::all_gather, 2 * s.tokens_all * s.hidden, s.spread, s.c));
      out.collectives.add(collective_cost(collective::reduce_scatter, 2 * s.tokens_all * s.hidden, s.spread, s.c));
    }
  }

  // Norms with the residual sum (read two, write two), rotary and cache write, activation.
  const double inner =
      (f.kind == feed_forward_kind::dense ? static_cast<double>(f.inner) : static_cast<double>(f.shared_inner)) / s.tp;
  const double norms = (f.kind == feed_forward_kind::none ? 0 : 1) + (mixes ? 1 : 0);
  double heads = l.heads * (l.score_dim + l.value_dim) + l.cache_bytes / 2;
  double mixers = a.kind == attention_kind::none ? 0 : 1;
  double residual = 4;
  if (gathers) {
    const beside_gathering b = beside_attention(a, s.hidden, groups, used);
    heads += b.elements;
    mixers += b.kernels + b.kernels_per_norm * norms;
    residual = b.residual;
  }
  if (state.kind != recurrent_kind::none) {  // the gate and the norm behind the scan: two read, one written
    heads += 1.5 * recurrent_on_rank(state, s.tp).width;
    mixers += 1;
  }
  out.elementwise.add(elementwise_cost(2 * t * (residual * norms * s.hidden + 2 * heads + 3 * inner),
                                       norms + mixers + activations, s.r, s.c));
  return out;
}

inline time_problem check_point(const plan_point& p, step_context& s) noexcept {
  if (p.model == nullptr || p.model->layers <= 0) return time_problem::empty_model;
  const transformer& m = *p.model;
  const ullage::layout& l = p.layout;
  if (l.tp < 1 || l.pp < 1 || l.dp < 1 || l.ep < 1 || l.dcp < 1 || check_layout(m, l) != layout_problem::none)
    return time_problem::layout;
  for (const layer_kind& k : m.kinds) {
    if (is_untimed(k.attention)) return time_problem::not_modelled;
    s.is_encoder = s.is_encoder || k.attention.kind == attention_kind::encoder;
  }
  if (p.part.bandwidth <= bytes_per_second{}) return time_problem::no_bandwidth;
  s.r = rates_of(p.part);
  s.weights = weights_in(p.engine, m);
  s.cache = kv_format_in(p.engine, m);
  if (s.cache.element_bits <= 0) return time_problem::unknown_format;
  for (precision q : {precision::kept, precision::linear, precision::experts, precision::head, precision::second,
                      precision::third, precision::fourth}) {
    if (s.weights[q].element_bits <= 0) return time_problem::unknown_format;
    if (!(s.r.peak(s.r.as(s.weights[q].multiplies_as)) > 0)) return time_problem::no_peak;
  }
  if (!(s.r.peak(s.r.as(math::bf16)) > 0)) return time_problem::no_peak;
  s.tp = static_cast<double>(l.tp);
  s.dp = static_cast<double>(l.dp);
  s.ep = static_cast<double>(l.ep);
  s.dcp = static_cast<double>(l.dcp);
  s.hidden = static_cast<double>(m.hidden);
  s.encoder_tokens = static_cast<double>(m.encoder_tokens);
  s.tensor = links_for(s.tp, p.part.scale_up, p.scale_out);
  if (s.tensor.problem != time_problem::none) return s.tensor.problem;
  bool any_experts = false;
  for (const layer_kind& k : m.kinds) any_experts = any_experts || k.feed_forward.kind == feed_forward_kind::experts;
  if (any_experts) {
    s.spread = links_for(s.tp * s.dp, p.part.scale_up, p.scale_out);
    if (s.spread.problem != time_problem::none) return s.spread.problem;
  }
  return time_problem::none;
}

inline void set_work(step_context& s, const raw_work& w) noexcept {
  s.work = w;
  s.prefill_here = std::ceil(w.prefill / s.dp);
  s.decode_here = std::ceil(w.decode / s.dp);
  s.tokens_here = s.prefill_here * w.new_tokens + s.decode_here;
  s.tokens_all = w.prefill * w.new_tokens + w.decode;
  s.encoder_rows = w.prefix > 0 ? 0 : s.prefill_here * s.encoder_tokens;
}

/// The encoder of an encoder-decoder, all its layers: its matrices (their copies count layers), its attention with the
/// heads of the decoder, norms and activations.
inline layer_cost encoder_run(const step_context& s) noexcept {
  layer_cost out;
  const transformer& m = *s.point.model;
  if (m.encoder_layers < 1 || !(s.encoder_rows > 0)) return out;
  const double layers = static_cast<double>(m.encoder_layers);
  double inner = 0;
  for (const tensor_family& f : families_of(m, m.encoder)) {
    if (f.rows <= 1 || f.cols <= 1 || f.copies < m.encoder_layers) continue;
    const fused_matrices g = local_matrix(f, s.point.layout);
    const double copies = static_cast<double>(f.copies);
    out.linear.add(gemm_cost_in_step(s.encoder_rows, g.outputs / copies, g.inner, s.weights[g.stored_as], s.r, s.c),
                   copies);
    if (f.belongs_to == part::mlp && g.division == 1) inner += g.outputs / copies;
  }
  const double peak = s.r.peak(s.r.as(math::bf16));
  for (const layer_kind& k : m.kinds) {
    if (!k.attention.has_kv_heads()) continue;
    ullage::attention a = k.attention;
    a.kind = attention_kind::encoder;
    out.attention.add(
        prefill_attention_cost(a, attention_on_rank(a, formats::bf16, s.tp, 1), false, s.prefill_here, s.encoder_tokens,
                               0, math::bf16, peak, s.r.bandwidth_bytes_per_s, s.c.attention),
        layers);
    break;
  }
  out.elementwise.add(elementwise_cost(2 * s.encoder_rows * (8 * s.hidden + 3 * inner), 4, s.r, s.c), layers);
  if (s.tp > 1)
    out.collectives.add(collective_cost(collective::all_reduce, 2 * s.encoder_rows * s.hidden, s.tensor, s.c),
                        2 * layers);
  return out;
}

/// The step of a checked point.
inline step_cost step_of(const step_context& s) noexcept {
  step_cost out;
  const transformer& m = *s.point.model;
  const ullage::layout& l = s.point.layout;
  double stage_s[64]{};  // middle of each stage; more stages than that are taken as even
  const bool stages = l.pp > 1 && l.pp <= 64;

  const kind_counts all = count_kinds(m, 0, m.layers);
  for (std::size_t k = 0; k < m.kinds.size(); ++k) {
    if (all.of[k] == 0) continue;
    const layer_cost one = cost_of_layer(m.kinds[k], s);
    const double n = static_cast<double>(all.of[k]);
    out.linear.add(one.linear, n);
    out.attention.add(one.attention, n);
    out.experts.add(one.experts, n);
    out.collectives.add(one.collectives, n);
    out.elementwise.add(one.elementwise, n);
    if (stages) {
      const double layer_s =
          one.linear.mid_s + one.attention.mid_s + one.experts.mid_s + one.collectives.mid_s + one.elementwise.mid_s;
      for (std::int64_t i = 0; i < l.pp; ++i) {
        const stage st = stage_of(m, l, i);
        for (std::int64_t j = st.first; j < st.first + st.size; ++j)
          if (m.layer_kinds[j] == k) stage_s[i] += layer_s;
      }
    }
  }

  const layer_cost encoder = encoder_run(s);
  out.linear.add(encoder.linear);
  out.attention.add(encoder.attention);
  out.collectives.add(encoder.collectives);
  out.elementwise.add(encoder.elementwise);
  if (stages)
    stage_s[0] +=
        encoder.linear.mid_s + encoder.attention.mid_s + encoder.collectives.mid_s + encoder.elementwise.mid_s;

  // Ends: embedding look-up, head over the positions that are sampled, gathering of logits, sampling.
  const double vocabulary = static_cast<double>(m.vocabulary);
  const double sampled = s.is_encoder ? 0 : s.prefill_here + s.decode_here;
  const number_format& head = m.head.size > 0 ? s.weights.head : s.weights.kept;
  out.elementwise.add(elementwise_cost(embedding_bytes(s.tokens_here, s.hidden), 1, s.r, s.c));
  if (sampled > 0) {
    out.head.add(gemm_cost_in_step(sampled, vocabulary / s.tp, s.hidden, head, s.r, s.c));
    out.head.add(elementwise_cost(sampling_bytes(sampled, vocabulary), sampling_kernels, s.r, s.c));
  }
  if (s.tp > 1) {
    out.collectives.add(collective_cost(collective::all_reduce, 2 * s.tokens_here * s.hidden, s.tensor, s.c));
    if (sampled > 0) out.head.add(collective_cost(collective::all_gather, 2 * sampled * vocabulary, s.tensor, s.c));
  }
  if (l.pp > 1) {
    const double world = s.tp * s.dp * static_cast<double>(l.pp);
    links between = links_for(2, s.point.part.scale_up, s.point.scale_out);
    if (world > real(s.point.part.scale_up.domain) && s.point.scale_out.per_device > bytes_per_second{})
      between = links_for(2, fabric{}, s.point.scale_out);
    if (between.problem != time_problem::none) {
      out.problem = between.problem;
      return out;
    }
    out.collectives.add(collective_cost(collective::send_receive, 2 * s.tokens_here * s.hidden, between, s.c),
                        static_cast<double>(l.pp - 1));
  }

  // What no kernel accounts for, and the gap.
  cost kernels;
  for (const cost* item : {&out.linear, &out.attention, &out.experts, &out.collectives, &out.elementwise, &out.head})
    kernels.add(*item);
  const auto rest = [](double kernel_s, double share) { return kernel_s * (1 / share - 1); };
  out.overhead.low_s = rest(kernels.low_s, s.c.step_share.high) + seconds_of(s.c.step_gap.low);
  out.overhead.mid_s = rest(kernels.mid_s, s.c.step_share.mid) + seconds_of(s.c.step_gap.mid);
  out.overhead.high_s = rest(kernels.high_s, s.c.step_share.low) + seconds_of(s.c.step_gap.high);
  out.overhead.overhead_s = out.overhead.mid_s;
  out.overhead.from = weaker(s.c.step_share.from, s.c.step_gap.from);
  out.total = kernels;
  out.total.add(out.overhead);
  const double scatter_s = s.c.step_scatter * out.total.mid_s;
  out.total.scatter_s2 += scatter_s * scatter_s;
  out.total.from = weaker(out.total.from, weaker(s.r.bandwidth_from, s.r.peaks_from));

  out.slowest_stage_s = out.total.mid_s;
  if (stages) {
    double slowest = 0;
    for (std::int64_t i = 0; i < l.pp; ++i) {
      const double here = stage_s[i] + (i == l.pp - 1 ? out.head.mid_s : 0.0);
      if (here > slowest) slowest = here;
    }
    out.slowest_stage_s = slowest / s.c.step_share.mid + seconds_of(s.c.step_gap.mid);
  } else if (l.pp > 1) {
    out.slowest_stage_s = out.total.mid_s / static_cast<double>(l.pp);
  }
  out.linear_as = s.r.as(s.weights.linear.multiplies_as);
  out.experts_as = s.r.as(s.weights.experts.multiplies_as);
  out.fell_back = out.linear_as != s.weights.linear.multiplies_as || out.experts_as != s.weights.experts.multiplies_as;
  return out;
}

inline step_time finish(const step_cost& c) noexcept {
  step_time t;
  t.problem = c.problem;
  if (c.problem != time_problem::none) return t;
  t.total = c.total.band();
  t.linear = c.linear.band();
  t.attention = c.attention.band();
  t.experts = c.experts.band();
  t.collectives = c.collectives.band();
  t.elementwise = c.elementwise.band();
  t.head = c.head.band();
  t.overhead = c.overhead.band();
  t.limited_by = c.total.largest();
  t.compute_share = of<seconds>(c.total.compute_s);
  t.memory_share = of<seconds>(c.total.memory_s);
  t.network_share = of<seconds>(c.total.network_s);
  t.overhead_share = of<seconds>(c.total.overhead_s);
  t.slowest_stage = of<seconds>(c.slowest_stage_s);
  t.linear_as = c.linear_as;
  t.experts_as = c.experts_as;
  t.fell_back = c.fell_back;
  return t;
}
constexpr step_time no_step(time_problem p) noexcept {
  step_time t;
  t.problem = p;
  return t;
}
constexpr bool workable(const step_work& w) noexcept {
  if (w.prefill < sequences{} || w.decode < sequences{} || w.new_tokens < tokens{} || w.prefix < tokens{} ||
      w.context < tokens{})
    return false;
  const bool prefills = w.prefill > sequences{} && w.new_tokens > tokens{};
  if (w.prefill > sequences{} && !prefills) return false;
  return prefills || w.decode > sequences{};
}

}  // namespace detail

/// Time of one engine step, prefill and decode work mixed as given.
///
/// Sum over the layers of all stages of matrices (fused where they share an input), attention, routed experts,
/// collectives and elementwise kernels, then the head, and a gap between steps. `batch`-like counts are over all
/// data-parallel replicas; the busiest decides. Bad input gives a `problem` and no time.
inline step_time step(const plan_point& p, const step_work& w, const constants& c) noexcept {
  detail::step_context s{p, c};
  const time_problem problem = detail::check_point(p, s);
  if (problem != time_problem::none) return detail::no_step(problem);
  if (!detail::workable(w)) return detail::no_step(time_problem::bad_load);
  if (s.is_encoder && w.decode > sequences{}) return detail::no_step(time_problem::no_decode);
  detail::set_work(s, {real(w.prefill), real(w.new_tokens), real(w.prefix), real(w.decode), real(w.context)});
  return detail::finish(detail::step_of(s));
}

/// The same for one phase: decode, `batch` sequences of `context` cached tokens, one new token each (`new_tokens` is not
/// read); prefill, `batch` prompts of `new_tokens` behind `context` cached tokens.
inline step_time step(const plan_point& p, phase ph, sequences batch, tokens context, tokens new_tokens,
                      const constants& c) noexcept {
  step_work w;
  if (ph == phase::prefill) {
    w.prefill = batch;
    w.new_tokens = new_tokens;
    w.prefix = context;
  } else {
    w.decode = batch;
    w.context = context;
  }
  return step(p, w, c);
}

}  // namespace ullage::inline v0
