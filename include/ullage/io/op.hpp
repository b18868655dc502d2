// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <ullage/io/op_request.hpp>
#include <ullage/io/speed.hpp>
#include <ullage/performance/measured_hull.hpp>

// The ask op: the time of one operation on one part.
namespace ullage::inline v0::io {

namespace detail {

/// "31.0 ms", with the unit that reads best.
inline std::string seconds_text(double s) {
  char text[40];
  const double x = s >= 1 ? s : s >= 1e-3 ? s * 1e3 : s * 1e6;
  std::snprintf(text, sizeof text,
                x < 9.995   ? "%.2f %s"
                : x < 99.95 ? "%.1f %s"
                            : "%.0f %s",
                x,
                s >= 1      ? "s"
                : s >= 1e-3 ? "ms"
                            : "us");
  return text;
}
/// "75.2 GB": decimal.
inline std::string scaled_text(double x, const char* unit) {
  constexpr std::array<const char*, 6> prefixes{"", "k", "M", "G", "T", "P"};
  std::size_t i = 0;
  for (; i + 1 < prefixes.size() && x >= 1000; ++i) x /= 1000;
  char text[48];
  std::snprintf(text, sizeof text, x >= 100 ? "%.0f %s%s" : "%.3g %s%s", x, prefixes[i], unit);
  return text;
}

/// Where the constants of one operation come from, in words: those of its own kernel may be borrowed on a part whose other
/// kernels have tables.
inline std::string_view source_of(const op& x, const accelerator& part, const constants& c) {
  constexpr std::string_view borrowed = "transferred from the kernel that is most like this one";
  const auto of_product = [&](const std::array<kernel_constants, product_kinds>& all) {
    const math runs = part.runs_as(x.weights.multiplies_as);
    const kernel_constants& k = ullage::detail::of_product(all, ullage::detail::product_of(x.weights, runs));
    const bool own = c.source.starts_with("fitted");
    return own && k.memory.from == basis::transferred ? borrowed : c.source;
  };
  switch (x.kind) {
    case op_kind::gemm: return of_product(c.gemm);
    case op_kind::experts: return of_product(c.experts);
    case op_kind::prefill_attention:
    case op_kind::decode_attention:
    case op_kind::recurrent: {
      if (x.kind != op_kind::recurrent && gathers_entries(x.attention))
        return "set between public rows of the architecture";
      const ullage::detail::attention_lenders from = ullage::detail::lenders_of(part);
      if (from.own != nullptr) return "fitted to public attention tables of this part, or of the kernel most like it";
      if (from.kin == nullptr) return "no relative with public attention tables: middle values with 40 %";
      return from.across ? "transferred from the nearest part of a kindred architecture"
                         : "transferred from the nearest part of the same architecture";
    }
    case op_kind::normalization:
    case op_kind::quantization:
    case op_kind::embedding:
    case op_kind::sampling: return "set, not fitted: no public tables of kernels that only move memory";
    case op_kind::collective: break;
  }
  return c.network.source;
}

/// Constants of single calls as the tables of a stack time them, and in `assumed` what they and the part's figures rest on.
/// Wrong `constants` of the request fail in `r`.
inline constants constants_of(object_reader& r, op_place& p, const asked_op& a) {
  constants c = constants_as_timed(p.part, a.stack);
  add_residuals(c);
  c.network.all_reduce_by = a.all_reduce_by;
  const std::string set = override_constants(r, c);
  p.q.assumed.push_back(constants_note(source_of(a.x, p.part, c), set));
  if (a.x.kind == op_kind::experts && !c.expert_skew.pinned()) {
    char text[64];
    std::snprintf(text, sizeof text, "%.3g", c.expert_skew.mid);
    p.q.assumed.push_back({"constants.expert_skew", text, false,
                           "how unevenly experts are picked (coefficient of variation), anything from even to 2; -1 "
                           "deals tokens out evenly"});
  }
  note_unverified(p.q, p.part, a.x.kind == op_kind::collective ? a.x.group.value() : count(1));
  return c;
}

/// Whether an operation multiplies in a known arithmetic.
constexpr bool multiplies(op_kind k) noexcept {
  return k == op_kind::gemm || k == op_kind::prefill_attention || k == op_kind::decode_attention ||
         k == op_kind::experts || k == op_kind::recurrent;
}

/// Whose kernel an all-reduce of a group takes, where none was named or another's.
inline void note_collective_stack(request& q, const asked_op& a, const accelerator& part) {
  const bool own_kernel =
      a.x.what == collective::all_reduce && a.x.group <= part.scale_up.domain && real(a.x.group) <= engine_ranks;
  if (a.stack_word.empty() && own_kernel)
    q.assumed.push_back({"op.stack", std::string(ullage::name(a.all_reduce_by)), true,
                         "absent; an engine's own all-reduce in a captured graph, the middle one of three, which hands "
                         "large messages to the library; \"library\" is NCCL alone"});
  else if (a.stack_word.empty())
    q.assumed.push_back({"op.stack", "library", true, "absent; engines leave this one to the library"});
  else if (!own_kernel && a.stack_word != "library")
    q.assumed.push_back({"op.stack", "library", true, a.stack_word + " leaves this one to the library"});
}
/// Whose kernels were taken, where none was named or the named one makes no difference.
inline void note_stack(request& q, const asked_op& a, const op_time& t, const accelerator& part) {
  const op& x = a.x;
  if (x.kind == op_kind::collective) return note_collective_stack(q, a, part);
  const bool given = q.body.contains("constants");
  if (!multiplies(x.kind)) {
    if (!a.stack_word.empty())
      q.assumed.push_back({"op.stack", a.stack_word, true, "makes no difference here: one set of constants for all"});
    return;
  }
  if (a.stack_word.empty()) {
    q.assumed.push_back({"op.stack", "null", false, "absent; fitted to vllm, sglang and trtllm together"});
    return;
  }
  if (given) return;
  constants pooled = constants_as_timed(part, kernel_stack::pooled);
  constants in_steps = constants_for(part, a.stack);
  add_residuals(pooled);
  add_residuals(in_steps);
  const double took = value_of(t.time.mid);
  const op_time of_step = x.kind == op_kind::gemm ? gemm_in_step(x.rows, x.outputs, x.inner, x.weights, part, in_steps)
                                                  : time(x, part, {}, in_steps);
  const double in_step = value_of(of_step.time.mid);
  if (value_of(time(x, part, {}, pooled).time.mid) == took)
    q.assumed.push_back(
        {"op.stack", a.stack_word, true, "makes no difference here: no rows of its own of this kernel and part"});
  // Tables time kernels outside a captured graph, or ones that their engine does not choose, or with what engines fuse.
  else if (took > 1.25 * in_step || took < .8 * in_step)
    q.assumed.push_back(
        {"op.stack", a.stack_word, true,
         "a call alone, as its table times it (with the activations turned into the format, or outside a "
         "captured graph, or of another kernel than it chooses): inside a step " +
             seconds_text(in_step)});
}

inline json hull_json(hull h) {
  return h == hull::unknown ? json(nullptr) : json(h == hull::inside);
}

inline error problem_of(time_problem p, const op_place& place, const op& x) {
  if (p == time_problem::beyond_domain || p == time_problem::no_fabric) {
    const std::string n = std::to_string(integer(x.group));
    const std::string part(place.part.name);
    const std::int64_t domain = integer(place.part.scale_up.domain);
    return {error_code::bad_value, "op.group",
            "op.group is " + n + ", but " +
                (domain > 1 ? "the fabric of " + part + " joins " + std::to_string(domain) +
                                  " devices and no network between machines is named"
                            : "no fabric that joins several " + part + " is known") +
                "; expected " + (domain > 1 ? "at most " + std::to_string(domain) + ", or " : std::string()) +
                "an accelerator named by a machine with a network, such as \"DGX H200\"."};
  }
  if (p == time_problem::no_bandwidth || p == time_problem::no_peak)
    return {
        error_code::bad_value, "accelerator",
        "accelerator is " + in_quotes(place.part.name) + ", which gives no time: " + std::string(sentence(p)) + "."};
  if (p == time_problem::not_modelled)
    return {error_code::bad_value, "op.index_topk", "op.index_topk gives no time: " + std::string(sentence(p)) + "."};
  if (p == time_problem::unknown_format)
    return {error_code::unknown_format, "op.format", "op.format gives no time: " + std::string(sentence(p)) + "."};
  return {error_code::bad_value, "op", "op gives no time: " + std::string(sentence(p)) + "."};
}

/// What runs where a part lacks the arithmetic of a format, and what that costs against weights as wide as the products.
inline void note_fallback(request& q, const op& x, const op_time& t, const accelerator& part, const fabric& out,
                          const constants& c) {
  if (!t.fell_back) return;
  if (x.kind == op_kind::prefill_attention) {
    q.assumed.push_back({"op.scores", std::string(ullage::name(t.computes_as)), true,
                         std::string(part.name) + " has no " + std::string(ullage::name(x.scores)) +
                             " products: they run in " + std::string(ullage::name(t.computes_as))});
    return;
  }
  if (x.kind != op_kind::gemm && x.kind != op_kind::experts) return;
  const bool lacking = part.supports(x.weights.multiplies_as) == support::lacking;
  op wide = x;
  wide.weights = find_format(ullage::name(t.computes_as));
  const op_time then = time(wide, part, out, c);
  std::string why = std::string(part.name) + (lacking ? " has no " : " has no known rate of ") +
                    std::string(ullage::name(x.weights.multiplies_as)) + " products: they run in " +
                    std::string(ullage::name(t.computes_as));
  if (x.weights.element_bits < wide.weights.element_bits) why += ", weights unpacked on the way";
  if (then.problem == time_problem::none && wide.weights.element_bits > x.weights.element_bits)
    why += "; with " + std::string(wide.weights.name) + " weights it would take " +
           seconds_text(value_of(then.time.mid)) + " instead of " + seconds_text(value_of(t.time.mid));
  q.assumed.push_back({"op.format", std::string(ullage::name(t.computes_as)), true, why});
}

inline json op_json(const asked_op& asked) {
  const op& x = asked.x;
  const json stack = asked.stack_word.empty() ? json(nullptr) : json(asked.stack_word);
  const auto optional = [](std::int64_t v) { return v > 0 ? json(v) : json(nullptr); };
  switch (x.kind) {
    case op_kind::gemm:
      return {{"kind", "gemm"},       {"m", number(x.rows)},      {"n", number(x.outputs)},
              {"k", number(x.inner)}, {"format", x.weights.name}, {"stack", stack}};
    case op_kind::prefill_attention:
    case op_kind::decode_attention: {
      const bool prefill = x.kind == op_kind::prefill_attention;
      const attention& a = x.attention;
      const bool latent = a.kind == attention_kind::latent;
      const char* mask = a.kind == attention_kind::sliding   ? "sliding"
                         : a.kind == attention_kind::chunked ? "chunked"
                         : a.kind == attention_kind::encoder ? "encoder"
                         : a.kind == attention_kind::cross   ? "cross"
                                                             : "causal";
      return {{"kind", "attention"},
              {"phase", prefill ? "prefill" : "decode"},
              {"heads", a.heads},
              {"kv_heads", a.kv_heads},
              {"head_dim", a.key_dim},
              {"value_dim", a.value_dim},
              {"mask", latent ? json(nullptr) : json(mask)},
              {"window", optional(a.window)},
              {"latent_rank", optional(a.latent_rank)},
              {"rope_dim", latent ? json(a.rope_dim) : json(nullptr)},
              {"index_topk", optional(a.index_topk)},
              {"index_n_heads", optional(a.index_heads)},
              {"index_head_dim", optional(a.index_dim)},
              {"batch", number(x.batch)},
              {"context", number(x.context)},
              {"tokens", prefill ? number(x.new_tokens) : json(1)},
              {"tp", x.tp},
              {"format", x.cache.name},
              {"scores", prefill ? json(ullage::name(x.scores)) : json(nullptr)},
              {"stack", stack}};
    }
    case op_kind::experts:
      return {{"kind", "experts"},
              {"tokens", number(x.rows)},
              {"hidden", number(x.inner)},
              {"experts", x.experts.experts},
              {"experts_per_token", x.experts.experts_per_token},
              {"expert_inner", x.experts.expert_inner},
              {"matrices", x.experts.matrices},
              {"tp", x.tp},
              {"ep", x.ep},
              {"format", x.weights.name},
              {"stack", stack}};
    case op_kind::recurrent: {
      const recurrent& l = x.recurrent;
      const bool has_state = l.kind != recurrent_kind::short_conv;
      const bool prompt = x.new_tokens > tokens{};
      return {{"kind", "recurrent"},
              {"layer", ullage::name(l.kind)},
              {"phase", prompt ? "prefill" : "decode"},
              {"heads", optional(l.heads)},
              {"state", has_state ? json(l.state) : json(nullptr)},
              {"channels", optional(l.conv / (has_state ? 3 : 2))},
              {"batch", number(x.batch)},
              {"tokens", prompt ? number(x.new_tokens) : json(1)},
              {"tp", x.tp},
              {"format", has_state ? json(x.weights.name) : json(nullptr)},
              {"stack", stack}};
    }
    case op_kind::normalization:
    case op_kind::embedding:
      return {
          {"kind", ullage::name(x.kind)}, {"tokens", number(x.rows)}, {"hidden", number(x.inner)}, {"stack", stack}};
    case op_kind::quantization:
      return {{"kind", "quantization"},
              {"tokens", number(x.rows)},
              {"hidden", number(x.inner)},
              {"format", x.weights.name},
              {"stack", stack}};
    case op_kind::sampling:
      return {{"kind", "sampling"}, {"batch", number(x.batch)}, {"vocabulary", number(x.outputs)}, {"stack", stack}};
    case op_kind::collective: break;
  }
  return {{"kind", ullage::name(x.what)},
          {"message_bytes", number(x.message)},
          {"group", number(x.group)},
          {"stack", stack}};
}

inline json work_json(const work& w) {
  return {{"flop", finite(value_of(w.all_flop()))},
          {"moved_bytes", number(w.moved)},
          {"wire_s", finite(value_of(w.wire))},
          {"flop_per_byte", w.moved > bytes{} ? finite(w.intensity()) : json(nullptr)}};
}
/// The roofs of a part, each with its ridge point; dense peaks.
inline json roofs_json(const accelerator& a) {
  json roofs = json::array();
  for (std::size_t i = 0; i < math_kinds; ++i) {
    const math m = static_cast<math>(i);
    if (a.supports(m) != support::native) continue;
    roofs.push_back({{"format", ullage::name(m)},
                     {"flop_per_s", value_of(a.peak(m))},
                     {"ridge_flop_per_byte", finite(a.ridge(m))}});
  }
  return {{"accelerator", a.name},
          {"bandwidth_bytes_per_s", value_of(a.bandwidth)},
          {"roofs", std::move(roofs)},
          {"points", json::array()}};
}
/// A point on them: what a piece of work attains in the time given. Nothing where it does no arithmetic or moves nothing.
inline void add_point(json& roofline, std::string_view name, const work& w, seconds time, const accelerator& a,
                      bool observed) {
  const double s = value_of(time);
  const double flop = value_of(w.all_flop());
  if (!(s > 0) || !(flop > 0) || w.moved <= bytes{}) return;
  roofline["points"].push_back({{"name", name},
                                {"format", ullage::name(w.busiest(a))},
                                {"flop_per_byte", w.intensity()},
                                {"flop_per_s", flop / s},
                                {"time_s", s},
                                {"observed", observed}});
}

/// Name of an operation on a drawing.
inline std::string_view mark_of(op_kind k) {
  return k == op_kind::prefill_attention || k == op_kind::decode_attention ? "attention" : ullage::name(k);
}
/// Whether the request names the arithmetic, which a part may lack.
constexpr bool picks_arithmetic(op_kind k) noexcept {
  return k == op_kind::gemm || k == op_kind::experts || k == op_kind::prefill_attention;
}

}  // namespace detail

/// op: the time of one operation on one part, its bound, and where it stands under the part's roofs.
inline result<json> op_answer(const json& tree) {
  object_reader r(tree, "");
  detail::op_place p = detail::read_op_place(r, {"op"});
  if (!r.ok()) return r.problem();
  if (!r.has("op")) return error{error_code::bad_value, "op", "op is missing; expected an object with kind."};
  object_reader o(r.nested("op"), "op");
  if (!r.ok()) return r.problem();
  const detail::asked_op asked = detail::read_op(o);
  if (!o.ok()) return o.problem();
  const op& x = asked.x;
  detail::settle_fabric(p, x);
  const constants c = detail::constants_of(r, p, asked);
  if (!r.ok()) return r.problem();
  const op_time t = time(x, p.part, p.scale_out, c);
  if (t.problem != time_problem::none) return detail::problem_of(t.problem, p, x);
  detail::note_stack(p.q, asked, t, p.part);
  detail::note_fallback(p.q, x, t, p.part, p.scale_out, c);
  const work w = work_of(x, p.part, p.scale_out, c.expert_skew.mid);
  const bool multiplies = detail::multiplies(x.kind);
  json a = {{"id", p.q.id},
            {"schema", 1},
            {"status", "ok"},
            {"ask", "op"},
            {"assumed", detail::assumptions(p.q.assumed)},
            {"accelerator", p.part.name},
            {"op", detail::op_json(asked)},
            {"time_s", detail::banded(t.time)},
            {"bound", ullage::name(t.limited_by)},
            {"inside_measured_hull", detail::hull_json(hull_of(x, p.part, c))},
            {"shares_s",
             {{"compute", detail::finite(value_of(t.compute))},
              {"memory", detail::finite(value_of(t.memory))},
              {"network", detail::finite(value_of(t.network))},
              {"overhead", detail::finite(value_of(t.overhead))}}},
            {"work", detail::work_json(w)},
            {"computes_as", multiplies ? json(ullage::name(t.computes_as)) : json(nullptr)},
            {"fell_back", detail::picks_arithmetic(x.kind) && t.fell_back},
            {"roofline", detail::roofs_json(p.part)}};
  detail::add_point(a["roofline"], detail::mark_of(x.kind), w, t.time.mid, p.part, false);
  return a;
}

}  // namespace ullage::inline v0::io
