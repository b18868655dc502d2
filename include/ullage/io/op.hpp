// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <ullage/io/speed.hpp>
#include <ullage/performance/op.hpp>

// The ask op: the time of one GEMM, attention or collective on one part.
namespace ullage::inline v0::io {

namespace detail {

/// "31.0 ms", with the unit that reads best.
inline std::string seconds_text(double s) {
  char text[40];
  if (s >= 1)
    std::snprintf(text, sizeof text, "%.2f s", s);
  else if (s >= 1e-3)
    std::snprintf(text, sizeof text, "%.1f ms", s * 1e3);
  else
    std::snprintf(text, sizeof text, s >= 1e-5 ? "%.1f us" : "%.2f us", s * 1e6);
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

/// A part, and what joins several: what an operation is asked on.
struct op_place {
  request q{};  ///< id, ask, what was assumed, owned names
  accelerator part{};
  fabric scale_out{};
};

/// The asks about one operation take the keys named and `accelerator`.
inline op_place read_op_place(object_reader& r, std::initializer_list<std::string_view> own) {
  op_place p;
  if (const json* id = r.find("id"); id != nullptr) p.q.id = *id;
  const std::int64_t schema = r.whole("schema", 1, 0);
  if (r.ok() && schema != 1)
    r.fail_at("schema", error_code::bad_value, "is " + std::to_string(schema) + "; expected 1.");
  p.q.ask = r.text("ask");
  std::string takes = "accelerator";
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
        "constraints", "objective",  "op",       "observed"}) {
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

/// Constants of a part, and in `assumed` what they and its figures rest on.
inline constants constants_of(request& q, const accelerator& part, count group) {
  const constants c = constants_for(part);
  q.assumed.push_back({"constants", std::string(c.source.empty() ? std::string_view("built in") : c.source), true,
                       "what kernels attain of this part's nominal rates"});
  std::string list;
  for (std::string_view figure : unverified_figures(part, group))
    if (figure != "memory" && figure != "power") list += (list.empty() ? "" : ", ") + std::string(figure);
  if (!list.empty())
    q.assumed.push_back({"accelerator", std::string(part.name), true, "unverified, no document at hand: its " + list});
  return c;
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

inline void read_attention(object_reader& o, op& x) {
  constexpr std::int64_t most = std::int64_t{1} << 24;
  const std::string phase_name = o.text("phase", "decode");
  if (o.ok() && phase_name != "prefill" && phase_name != "decode")
    o.fail_at("phase", error_code::bad_value, "is " + in_quotes(phase_name) + "; expected prefill or decode.");
  x.kind = phase_name == "prefill" ? op_kind::prefill_attention : op_kind::decode_attention;
  ullage::attention& a = x.attention;
  a.heads = o.required_whole("heads", 1, most);
  a.latent_rank = o.whole("latent_rank", 0, 1, most);
  a.kind = a.latent_rank > 0 ? attention_kind::latent : attention_kind::full;
  a.kv_heads = o.whole("kv_heads", a.kind == attention_kind::latent ? 1 : a.heads, 1, most);
  a.key_dim = o.required_whole("head_dim", 1, most);
  a.value_dim = o.whole("value_dim", a.key_dim, 1, most);
  a.rope_dim = o.whole("rope_dim", 0, 0, most);
  if (o.ok() && a.kind == attention_kind::full && a.heads % a.kv_heads != 0)
    o.fail_at(
        "kv_heads", error_code::bad_value,
        "is " + std::to_string(a.kv_heads) + "; expected a divisor of the " + std::to_string(a.heads) + " heads.");
  if (o.ok() && a.kind == attention_kind::full && a.rope_dim > 0)
    o.fail_at("rope_dim", error_code::bad_value, "stands without latent_rank; expected null.");
  x.batch = of<sequences>(o.required_whole("batch", 1, most_tokens));
  if (x.kind == op_kind::prefill_attention) {
    x.new_tokens = of<tokens>(o.required_whole("tokens", 1, most_tokens));
    x.context = of<tokens>(o.whole("context", 0, 0, most_tokens));
  } else {
    x.context = of<tokens>(o.required_whole("context", 0, most_tokens));
    if (o.whole("tokens", 1, 1, most_tokens) != 1)
      o.fail_at("tokens", error_code::bad_value, "is more than 1; expected 1 or null for a decode step.");
  }
  x.cache = read_op_format(o, "bf16");
}

/// `op` of a request. Wrong sizes and unknown formats fail in `o`.
inline op read_op(object_reader& o) {
  op x;
  const std::string kind = o.text("kind");
  if (o.ok() && kind.empty())
    o.missing("kind", "gemm, attention, all_reduce, all_gather, reduce_scatter, all_to_all or send_receive");
  if (kind == "gemm") {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    x.rows = count(o.required_whole("m", 1, most));
    x.outputs = count(o.required_whole("n", 1, most));
    x.inner = count(o.required_whole("k", 1, most));
    x.weights = read_op_format(o, "bf16");
    if (o.ok() && x.weights.storage(x.outputs, x.inner).value().overflowed())
      o.fail_at("n", error_code::overflow, "times k is a matrix whose bytes 64 bits do not count.");
  } else if (kind == "attention") {
    read_attention(o, x);
  } else {
    bool known = false;
    for (std::size_t i = 0; i < collective_kinds; ++i)
      if (kind == ullage::name(static_cast<collective>(i))) {
        known = true;
        x.what = static_cast<collective>(i);
      }
    if (o.ok() && !known)
      o.fail_at("kind", error_code::bad_value,
                "is " + in_quotes(kind) +
                    "; expected gemm, attention, all_reduce, all_gather, reduce_scatter, "
                    "all_to_all or send_receive.");
    x.kind = op_kind::collective;
    x.message = of<bytes>(o.required_whole("message_bytes", 1));
    x.group = of<devices>(o.required_whole("group", 2, most_devices));
    if (o.ok() && x.what == collective::send_receive && x.group != of<devices>(2))
      o.fail_at("group", error_code::bad_value, "is more than 2, but a send has two ends; expected 2.");
  }
  // Keys of the other kinds are unknown here; null is absent.
  o.pass_null({"m", "n", "k", "phase", "heads", "kv_heads", "head_dim", "value_dim", "latent_rank", "rope_dim", "batch",
               "tokens", "context", "format", "message_bytes", "group"});
  o.finish();
  return x;
}

/// The fabric beyond a part's own: a named machine's network, else in one node the host's links.
inline void settle_fabric(op_place& p, const op& x) {
  if (x.kind != op_kind::collective || p.scale_out.per_device > bytes_per_second{}) return;
  if (x.group <= p.part.scale_up.domain || x.group > p.part.node_devices()) return;
  p.scale_out = p.part.host_fabric();
  p.q.assumed.push_back({"fabric", std::string(p.scale_out.name), true,
                         "between groups of " + std::to_string(integer(p.part.scale_up.domain)) + " joined devices"});
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
  if (p == time_problem::unknown_format)
    return {error_code::unknown_format, "op.format", "op.format gives no time: " + std::string(sentence(p)) + "."};
  return {error_code::bad_value, "op", "op gives no time: " + std::string(sentence(p)) + "."};
}

/// What runs where a part lacks the arithmetic of a format, and what that costs against weights as wide as the products.
inline void note_fallback(request& q, const op& x, const op_time& t, const accelerator& part, const fabric& out,
                          const constants& c) {
  if (!t.fell_back) return;
  const bool lacking = part.supports(x.weights.multiplies_as) == support::lacking;
  op wide = x;
  wide.weights = find_format(ullage::name(t.computes_as));
  const op_time then = time(wide, part, out, c);
  std::string why = std::string(part.name) + (lacking ? " has no " : " has no known rate of ") +
                    std::string(ullage::name(x.weights.multiplies_as)) + " products: they run in " +
                    std::string(ullage::name(t.computes_as));
  if (x.weights.element_bits < wide.weights.element_bits) why += ", weights unpacked on the way";
  if (then.problem == time_problem::none && !(wide.weights == x.weights))
    why += "; with " + std::string(wide.weights.name) + " weights it would take " +
           seconds_text(value_of(then.time.mid)) + " instead of " + seconds_text(value_of(t.time.mid));
  q.assumed.push_back({"op.format", std::string(ullage::name(t.computes_as)), true, why});
}

inline json op_json(const op& x) {
  switch (x.kind) {
    case op_kind::gemm:
      return {{"kind", "gemm"},
              {"m", number(x.rows)},
              {"n", number(x.outputs)},
              {"k", number(x.inner)},
              {"format", x.weights.name}};
    case op_kind::prefill_attention:
    case op_kind::decode_attention: {
      const bool prefill = x.kind == op_kind::prefill_attention;
      return {{"kind", "attention"},
              {"phase", prefill ? "prefill" : "decode"},
              {"heads", x.attention.heads},
              {"kv_heads", x.attention.kv_heads},
              {"head_dim", x.attention.key_dim},
              {"value_dim", x.attention.value_dim},
              {"latent_rank", x.attention.latent_rank > 0 ? json(x.attention.latent_rank) : json(nullptr)},
              {"rope_dim", x.attention.latent_rank > 0 ? json(x.attention.rope_dim) : json(nullptr)},
              {"batch", number(x.batch)},
              {"context", number(x.context)},
              {"tokens", prefill ? number(x.new_tokens) : json(1)},
              {"format", x.cache.name}};
    }
    case op_kind::collective: break;
  }
  return {{"kind", ullage::name(x.what)}, {"message_bytes", number(x.message)}, {"group", number(x.group)}};
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

}  // namespace detail

/// op: the time of one operation on one part, its bound, and where it stands under the part's roofs.
inline result<json> op_answer(const json& tree) {
  object_reader r(tree, "");
  detail::op_place p = detail::read_op_place(r, {"op"});
  if (!r.ok()) return r.problem();
  if (!r.has("op")) return error{error_code::bad_value, "op", "op is missing; expected an object with kind."};
  object_reader o(r.nested("op"), "op");
  if (!r.ok()) return r.problem();
  const op x = detail::read_op(o);
  if (!o.ok()) return o.problem();
  detail::settle_fabric(p, x);
  const constants c = detail::constants_of(p.q, p.part, x.kind == op_kind::collective ? x.group.value() : count(1));
  const op_time t = time(x, p.part, p.scale_out, c);
  if (t.problem != time_problem::none) return detail::problem_of(t.problem, p, x);
  if (x.kind == op_kind::gemm) detail::note_fallback(p.q, x, t, p.part, p.scale_out, c);
  const work w = work_of(x, p.part, p.scale_out);
  json a = {{"id", p.q.id},
            {"schema", 1},
            {"status", "ok"},
            {"ask", "op"},
            {"assumed", detail::assumptions(p.q.assumed)},
            {"accelerator", p.part.name},
            {"op", detail::op_json(x)},
            {"time_s", detail::banded(t.time)},
            {"bound", ullage::name(t.limited_by)},
            {"shares_s",
             {{"compute", detail::finite(value_of(t.compute))},
              {"memory", detail::finite(value_of(t.memory))},
              {"network", detail::finite(value_of(t.network))},
              {"overhead", detail::finite(value_of(t.overhead))}}},
            {"work", detail::work_json(w)},
            {"computes_as", x.kind == op_kind::collective ? json(nullptr) : json(ullage::name(t.computes_as))},
            {"fell_back", x.kind == op_kind::gemm && t.fell_back},
            {"roofline", detail::roofs_json(p.part)}};
  detail::add_point(a["roofline"], x.kind == op_kind::gemm ? "gemm" : "attention", w, t.time.mid, p.part, false);
  return a;
}

}  // namespace ullage::inline v0::io
