// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <ullage/io/answer.hpp>
#include <ullage/io/calibrate_cache.hpp>
#include <ullage/io/vllm_log_request.hpp>
#include <utility>
#include <vector>

// The ask calibrate: a start-up log held against the prediction, term by term, and the calibration made of it.
namespace ullage::inline v0::io {

namespace detail {

/// One rank's terms with what follows from others of its figures.
struct measured_rank {
  log_rank terms{};
  printed_bytes activation_and_runtime{};
  std::vector<std::string> unlike{};  ///< terms in which the ranks of its stage differ
};

inline const std::vector<std::pair<printed_bytes log_rank::*, const char*>>& told_terms() {
  static const std::vector<std::pair<printed_bytes log_rank::*, const char*>> all{
      {&log_rank::weights, "weights"},      {&log_rank::activation, "activation"},
      {&log_rank::runtime, "runtime"},      {&log_rank::kv_available, "kv_available"},
      {&log_rank::memory, "device_memory"}, {&log_rank::graphs_captured, "graphs"}};
  return all;
}

/// The rank with the least memory for the cache; what it did not print itself is taken from another of its stage.
inline measured_rank tightest_rank(const vllm_start& s) {
  measured_rank m;
  const log_rank* least = nullptr;
  for (const log_rank& r : s.ranks)
    if (r.kv_available.given() && (least == nullptr || r.kv_available.mid() < least->kv_available.mid())) least = &r;
  if (least == nullptr)
    for (const log_rank& r : s.ranks)
      if (least == nullptr || (r.weights.given() && !least->weights.given())) least = &r;
  if (least == nullptr) return m;
  m.terms = *least;
  for (printed_bytes log_rank::*member : log_rank::members()) {
    printed_bytes& mine = m.terms.*member;
    if (mine.given()) continue;
    for (const log_rank& r : s.ranks) {
      const bool here = r.stage == least->stage || r.stage < 0 || least->stage < 0;
      if (here && (r.*member).given() && (!mine.given() || (r.*member).mid() > mine.mid())) mine = r.*member;
    }
  }
  for (const auto& [member, word] : told_terms()) {
    bool unlike = false;
    for (const log_rank& a : s.ranks)
      for (const log_rank* b = &a + 1; b < s.ranks.data() + s.ranks.size() && s.ranks.size() <= 64; ++b)
        if (a.stage == b->stage && (a.*member).given() && (b->*member).given())
          unlike = unlike || (a.*member).low > (b->*member).high || (b->*member).low > (a.*member).high;
    if (unlike) m.unlike.emplace_back(word);
  }
  log_rank& t = m.terms;
  const auto positive = [](printed_bytes b) {
    return b.given() && b.high >= 0 ? printed_bytes{(std::max<std::int64_t>)(b.low, 0), b.high} : printed_bytes{};
  };
  if (!t.activation.given()) t.activation = positive(t.peak_torch - t.weights);
  if (!t.runtime.given()) t.runtime = positive(t.consumed - t.weights);
  return m;
}

/// Share of memory, as the log or the request has it.
inline printed_bytes budget_of(const log_rank& t, const request& q, const rank_memory& predicted) {
  if (t.budget.given()) return t.budget;
  if (!t.memory.given()) return {integer(predicted.budget), integer(predicted.budget)};
  return {integer(memory_budget(q.engine, of<bytes>(t.memory.low))),
          integer(memory_budget(q.engine, of<bytes>(t.memory.high)))};
}

inline json printed_json(printed_bytes b) {
  return {{"low", b.low}, {"mid", b.mid()}, {"high", b.high}};
}

/// Rows of the comparison.
class term_table {
 public:
  json rows = json::array();
  bool inside = true;

  /// `slack`: share of an exact size that buffers beside it and the allocator's rounding may take.
  void add_bytes(const char* term, printed_bytes log, const estimate<bytes>& p, double slack = 0) {
    if (!log.given()) return;
    const auto off = static_cast<std::int64_t>(slack * real(p.mid));
    const bool meets = of<bytes>(log.low - off) <= p.high && of<bytes>(log.high + off) >= p.low;
    add(term, "bytes", printed_json(log), banded(p), number(of<bytes>(log.mid()) - p.mid), meets);
  }
  /// A count that follows from bytes: what they may be at either end.
  void add_count(const char* term, std::int64_t log, count low, count mid, count high, basis from) {
    const bool meets = count(log) >= low && count(log) <= high;
    add(term, "count", json{{"low", log}, {"mid", log}, {"high", log}},
        json{{"low", number(low)}, {"mid", number(mid)}, {"high", number(high)}, {"basis", ullage::name(from)}},
        number(count(log) - mid), meets);
  }
  void add_ratio(const char* term, double log, double low, double mid, double high, basis from) {
    constexpr double half = 0.0051;  // two decimals
    add(term, "ratio", json{{"low", log - 0.005}, {"mid", log}, {"high", log + 0.005}},
        json{{"low", finite(low)}, {"mid", finite(mid)}, {"high", finite(high)}, {"basis", ullage::name(from)}},
        finite(log - mid), log >= low - half && log <= high + half);
  }
  bool outside(const std::string& term) const {
    for (const json& r : rows)
      if (r["term"] == term) return !r["inside"].get<bool>();
    return false;
  }
  double difference(const std::string& term) const {
    for (const json& r : rows)
      if (r["term"] == term && r["difference"].is_number()) return r["difference"].get<double>();
    return 0;
  }

 private:
  void add(const char* term, const char* unit, json log, json predicted, json difference, bool meets) {
    rows.push_back({{"term", term},
                    {"unit", unit},
                    {"log", std::move(log)},
                    {"predicted", std::move(predicted)},
                    {"difference", std::move(difference)},
                    {"inside", meets}});
    inside = inside && meets;
  }
};

/// What may explain what differs.
class explanations {
 public:
  json list = json::array();
  void add(const std::string& term, std::string why, json rules = nullptr) {
    list.push_back({{"term", term}, {"why", one_line(why, 400)}, {"rules", std::move(rules)}});
  }
};

inline std::string gib_text(double bytes) {
  char text[48];
  std::snprintf(text, sizeof text, "%.2f GiB", bytes / 1073741824.0);
  return text;
}

/// The formats under which the weights would be as large as printed.
inline std::string formats_that_weigh(const request& q, const rank_memory& p, printed_bytes weights) {
  std::string list;
  for (const number_format& f : formats::all) {
    const number_format own = weights_in(q.engine, q.model).linear;
    if (f == formats::tf32 ||
        (f.element_bits == own.element_bits && f.block_rows == own.block_rows && f.block_cols == own.block_cols))
      continue;
    engine e = q.engine;
    e.weights = f;
    const double now = real(resident_weights(q.model, e, q.parallel, p.stage) + p.draft + p.adapters);
    const double then = static_cast<double>(weights.mid());
    if (now > then * 0.985 && now < then * 1.015) list += (list.empty() ? "" : " or ") + std::string(f.name);
  }
  return list;
}

inline void explain_terms(explanations& x, const term_table& t, const request& q, const rank_memory& p,
                          const measured_rank& m, const vllm_start& s, const json& asked) {
  const auto not_printed = [&](const char* option) {
    return !asked.contains("engine") || !asked["engine"].is_object() || !asked["engine"].contains(option) ||
           asked["engine"][option].is_null();
  };
  if (t.outside("device_memory"))
    x.add("device_memory", "the device has another size than the catalogue's " + std::string(p.part.name) +
                               ": another part, a slice of it, or another driver; visible_bytes says it");
  if (t.outside("weights")) {
    const std::string formats = formats_that_weigh(q, p, m.terms.weights);
    std::string why = formats.empty() ? std::string() : "as large as with linear layers in " + formats + "; ";
    if (q.model.towers.size > 0) why += "the towers of images or sound may be left out or stored otherwise; ";
    why += t.difference("weights") > 0 ? "beside the shards an engine may keep copies, drafts or adapters"
                                       : "the checkpoint may be stored in a narrower format than planned";
    x.add("weights", why);
  }
  for (const char* term : {"activation", "activation_and_runtime"})
    if (t.outside(term)) {
      std::string why = "the peak of the profiling run";
      for (const char* option : {"max_num_batched_tokens", "max_num_seqs"})
        if (not_printed(option))
          why += std::string("; ") + option + " is not in the log, the release's default was taken";
      if (q.model.towers.size > 0) why += "; an encoder of images or sound is profiled as well";
      x.add(term, why);
    }
  if (t.outside("runtime"))
    x.add("runtime",
          std::string("memory outside the framework: ") +
              (q.parallel.world() > count(1) ? "buffers between ranks depend on the links and their library; " : "") +
              "what other processes took meanwhile counts here too");
  if (t.outside("graphs"))
    x.add("graphs", "the captured sizes (max_num_seqs, cudagraph options) and the attention backend set it");
  const log_rank& r = m.terms;
  if (r.memory.given() && r.free_at_start.given()) {
    const printed_bytes taken = r.memory - r.free_at_start;
    if (taken.low > std::int64_t{3} << 29)
      x.add("device_memory",
            gib_text(static_cast<double>(taken.mid())) + " were taken on the device before the engine started");
  }
  if (t.outside("kv_available")) {
    // Whatever the budget has more, and the terms less, the cache has.
    double most = 0;
    std::string what;
    for (const auto& [term, sign] :
         {std::pair{"budget", 1.0}, std::pair{"weights", -1.0}, std::pair{"activation", -1.0},
          std::pair{"runtime", -1.0}, std::pair{"activation_and_runtime", -1.0}}) {
      const double share = sign * t.difference(term);
      if (share * t.difference("kv_available") > 0 && std::abs(share) > std::abs(most)) {
        most = share;
        what = term;
      }
    }
    x.add("kv_available",
          what.empty()
              ? std::string(
                    "what is left when the other terms are taken off the budget; the log does not print them apart")
              : "it follows from the other terms; most of it, " + gib_text(std::abs(most)) + ", from " + what);
  }
  for (const std::string& word : m.unlike)
    x.add(word, "the ranks print different values; the one with the least cache is compared");
  if (s.outcome == start_outcome::out_of_memory)
    x.add("device_memory",
          "the engine ran out of memory" +
              (s.tried.given() ? " asking for " + gib_text(static_cast<double>(s.tried.mid())) : std::string()) +
              ": what was printed before that is compared");
}

inline json rules_json(const rule_change& c) {
  json j = json::object();
  for (const auto& [rule, value] : c.rules) j[std::string(rule)] = value;
  return j;
}
inline std::string rules_text(const rule_change& c) {
  std::string text;
  for (const auto& [rule, value] : c.rules)
    text += (text.empty() ? "" : " and ") + std::string(rule) + " " + json(value).dump();
  return text;
}

inline json made_from(const request& q, const verdict& v, const json& asked, const vllm_start& s) {
  const engine& e = q.engine;
  const auto said = [&](const char* key) { return asked.contains(key) ? asked[key] : json(nullptr); };
  // An engine that takes a prompt in one step has no fixed tokens of a step.
  const bool by_length = e.rules.unchunked_prefill > 0 && e.options.max_num_batched_tokens == tokens{};
  const accelerator& part = q.parts[0];
  json options = {
      {"weights", said("weights")},
      {"kv_cache", said("kv_cache")},
      {"max_model_len", number(v.max_model_len)},
      {"gpu_memory_utilization", memory_utilization_in(e)},
      {"max_num_batched_tokens", by_length ? json(nullptr) : number(batched_tokens_in(e, part, v.max_model_len))},
      {"max_num_seqs", number(max_sequences_in(e, part))},
      {"block_size", e.options.block_size > tokens{} ? number(e.options.block_size) : json(nullptr)},
      {"kv_cache_memory_bytes",
       e.options.kv_cache_memory_bytes > bytes{} ? number(e.options.kv_cache_memory_bytes) : json(nullptr)},
      {"enforce_eager", e.options.enforce_eager},
      {"max_cudagraph_capture_size",
       e.options.max_cudagraph_capture_size > tokens{} ? number(e.options.max_cudagraph_capture_size) : json(nullptr)},
      {"enable_prefix_caching", e.options.enable_prefix_caching},
      {"speculative", said("speculative")},
      {"adapters", said("adapters")}};
  return {{"model",
           {{"name", q.model.name.view()},
            {"parameters", number(parameters(q.model).total)},
            {"layers", q.model.layers},
            {"weights", weights_in(e, q.model).name},
            {"kv_cache", kv_format_in(e, q.model).name}}},
          {"accelerator", {{"id", part.id}, {"name", part.name}, {"visible_bytes", number(part.visible_memory())}}},
          {"engine", {{"name", ullage::name(e.kind)}, {"version", version_text(e.version)}}},
          {"parallel",
           {{"tp", q.parallel.tp},
            {"pp", q.parallel.pp},
            {"dp", q.parallel.dp},
            {"ep", q.parallel.ep},
            {"cp", q.parallel.cp},
            {"dcp", q.parallel.dcp}}},
          {"options", std::move(options)},
          {"log", one_line(s.version + (s.generation.empty() ? "" : " " + s.generation))}};
}

inline json measured_json(printed_bytes b, const char* from = "measured") {
  json j = printed_json({(std::max<std::int64_t>)(b.low, 0), (std::max<std::int64_t>)(b.high, 0)});
  j["basis"] = from;
  return j;
}

/// The text of the log that a request names.
inline result<std::string> log_text(const json& said) {
  object_reader l(said, "log");
  const bool by_path = l.has("path");
  const bool by_text = l.has("text");
  const std::string path = l.text("path");
  std::string text = l.text("text");
  l.finish();
  if (l.ok() && by_path == by_text) l.fail(error_code::bad_value, "log", "log must say exactly one of path and text.");
  if (!l.ok()) return l.problem();
  if (by_path) return read_text(path, "log.path");
  return text;
}

}  // namespace detail

/// calibrate: what a start-up log printed against what is predicted for it, term by term, and a calibration that makes the
/// prediction what was measured.
inline result<json> calibrate_answer(const json& tree) {
  using namespace detail;
  if (!tree.is_object() || !tree.contains("log") || tree["log"].is_null())
    return error{error_code::bad_value, "log", "log is missing; expected an object with path or text."};
  for (const char* key : {"given", "calibration", "load"})
    if (tree.contains(key) && !tree[key].is_null())
      return error{error_code::bad_value, key, std::string(key) + " is given, but calibrate measures; expected null."};
  const result<std::string> text = log_text(tree["log"]);
  if (!text) return text.problem();
  const std::string field = tree["log"].contains("path") && !tree["log"]["path"].is_null() ? "log.path" : "log.text";
  const result<vllm_log> log = read_vllm_log(*text, field);
  if (!log) return log.problem();
  const vllm_start& s = log->last;
  json open = tree;
  open.erase("log");
  result<log_request> filled = request_of_log(s, open);
  if (!filled) return filled.problem();
  result<request> read = read_request(filled->tree);
  if (!read) return read.problem();
  request& q = *read;
  if (q.engine.kind != engine_kind::vllm)
    return error{
        error_code::bad_value, "engine.name",
        "engine.name is " + std::string(ullage::name(q.engine.kind)) + "; a log of vllm is read, expected vllm."};
  const std::string quantization = s.option({"quantization"});
  const json asked_weights = filled->tree.value("weights", json(nullptr));
  if (!quantization.empty() && asked_weights.is_null() && q.model.stored.linear.element_bits >= 16)
    return error{error_code::bad_value, "weights",
                 "weights are quantised in the log (" + in_quotes(quantization) +
                     "), and neither it nor the model's config says in which format; expected weights, or the "
                     "checkpoint's own config as the model."};
  const verdict v = fits(q.model, q.parts, q.parallel, q.engine, q.load);
  if (v.answer == answer::invalid) return problem_of(v);

  measured_rank m = tightest_rank(s);
  log_rank& r = m.terms;
  const rank_memory* p = &v.worst();
  if (r.stage >= 0 && r.stage < q.parallel.pp)
    for (const rank_memory& c : v.ranks)
      if (ullage::detail::same_stage_kind(q.model, c.stage, stage_of(q.model, q.parallel, r.stage))) p = &c;
  const printed_cache cache{
      s.kv_tokens, s.kv_blocks,
      s.concurrency_tokens && of<tokens>(*s.concurrency_tokens) == v.max_model_len ? s.max_concurrency : std::nullopt};
  if (!r.says_anything() && cache.nothing() && !s.kv_needed.given())
    return error{error_code::bad_value, field,
                 text_of(field, "") + " prints no memory in its last start (" + std::to_string(log->starts) + " of " +
                     std::to_string(log->starts) + "); expected lines such as \"Model loading took ... GiB\"."};

  // Graphs inside the budget or not: as the engine states it, else as its figures add up, else the release's rule.
  explanations x;
  json rules = json::object();
  const printed_bytes budget = budget_of(r, q, *p);
  bool inside = p->graphs_in_budget;
  if (s.graphs_inside_budget) inside = *s.graphs_inside_budget;
  if (r.weights.given() && r.activation.given() && r.runtime.given() && r.kv_available.given() &&
      r.graphs_estimated.given() && r.budget.given()) {
    const printed_bytes rest = r.budget - r.weights - r.activation - r.runtime - r.kv_available;
    const bool none = rest.low <= 0 && rest.high >= 0;
    const bool graphs = rest.low <= r.graphs_estimated.high && rest.high >= r.graphs_estimated.low;
    if (none != graphs) inside = graphs;
  }
  if (inside != p->graphs_in_budget) {
    rules["graphs_inside_budget"] = inside ? 1.0 : 0.0;
    x.add("kv_available",
          inside ? "this start took the estimated graphs off the budget, which its release does not by default"
                 : "this start did not take the estimated graphs off the budget, as its release does by default",
          rules);
  }
  if (r.kv_available.given() && r.weights.given() && !(r.activation.given() && r.runtime.given()) &&
      !s.cache_fixed.given()) {
    m.activation_and_runtime = budget - r.weights - r.kv_available;
    if (inside)
      m.activation_and_runtime =
          r.graphs_estimated.given() ? m.activation_and_runtime - r.graphs_estimated : printed_bytes{};
  }

  term_table t;
  t.add_bytes("device_memory", r.memory, p->visible);
  const estimate<bytes> predicted_budget{memory_budget(q.engine, p->visible.low),
                                         memory_budget(q.engine, p->visible.mid),
                                         memory_budget(q.engine, p->visible.high), p->visible.from};
  t.add_bytes("budget", r.budget, predicted_budget);
  t.add_bytes("weights", r.weights, estimate<bytes>::exactly(p->loaded()), 0.001);
  t.add_bytes("activation", r.activation, p->activation);
  t.add_bytes("runtime", r.runtime, p->runtime);
  if (!r.activation.given() || !r.runtime.given())
    t.add_bytes("activation_and_runtime", m.activation_and_runtime, p->activation + p->runtime);
  const printed_bytes graphs = p->graphs_in_budget ? r.graphs_estimated : r.graphs_captured;
  t.add_bytes("graphs", graphs, p->graphs);
  if (!s.cache_fixed.given()) t.add_bytes("kv_available", r.kv_available, p->kv_available);
  if (s.block_tokens)
    t.add_count("block_tokens", *s.block_tokens, v.kv.block_tokens.value(), v.kv.block_tokens.value(),
                v.kv.block_tokens.value(), basis::exact);
  if (s.kv_needed.given())
    t.add_bytes("kv_needed", s.kv_needed, estimate<bytes>::exactly(charged_per_sequence(p->blocks, v.max_model_len)));

  // The allocator alone: the printed bytes in, the printed tokens out.
  printed_bytes kv = r.kv_available;
  engine e = q.engine;
  if (kv.given() && kv.high > 0 && !cache.nothing() && !s.blocks_override) {
    const std::optional<cache_band> band = cache_at(q, e, kv);
    if (band && !says(*band, cache)) {
      const engine_version release = release_that_says(q, kv, cache);
      if (std::optional<rule_change> change = rules_that_say(q, kv, cache); change) {
        for (const auto& [rule, value] : change->rules) {
          set_rule(e.rules, rule, value);
          rules[std::string(rule)] = value;
        }
        x.add("kv_tokens",
              "the printed bytes make the printed cache with " + rules_text(*change) +
                  (release.known() ? "; vllm " + version_text(release) + " counts so" : ""),
              rules_json(*change));
      } else if (release.known()) {
        x.add("kv_tokens", "the printed bytes make the printed cache by the rules of vllm " + version_text(release));
      } else {
        x.add("kv_tokens",
              "no rule that is known makes the printed cache of the printed bytes: drafts, another cache format, or "
              "layers that are cached otherwise");
      }
    }
    if (band) {
      const cache_band& b = *band;
      const auto middle = [](count low, count high) { return low + floor_div(high - low, count(2)); };
      if (cache.blocks)
        t.add_count("kv_blocks_of_printed_memory", *cache.blocks, b.low.blocks, middle(b.low.blocks, b.high.blocks),
                    b.high.blocks, basis::exact);
      if (cache.tokens)
        t.add_count("kv_tokens_of_printed_memory", *cache.tokens, b.low.reported.value(),
                    middle(b.low.reported.value(), b.high.reported.value()), b.high.reported.value(), basis::exact);
      if (cache.concurrency)
        t.add_ratio("concurrency_of_printed_memory", *cache.concurrency, b.low.max_concurrency,
                    (b.low.max_concurrency + b.high.max_concurrency) / 2, b.high.max_concurrency, basis::exact);
      if (s.longest_possible)
        t.add_count("longest_sequence_of_printed_memory", *s.longest_possible, b.longest_low,
                    middle(b.longest_low, b.longest_high), b.longest_high, basis::exact);
    }
  }
  if (!s.blocks_override && !s.cache_fixed.given()) {
    const printed_bytes foretold{integer(p->kv_available.low), integer(p->kv_available.high)};
    if (const std::optional<cache_band> b = cache_at(q, q.engine, foretold); b) {
      const std::optional<cache_band> mid =
          cache_at(q, q.engine, {integer(p->kv_available.mid), integer(p->kv_available.mid)});
      if (cache.blocks && mid)
        t.add_count("kv_blocks", *cache.blocks, b->low.blocks, mid->low.blocks, b->high.blocks, p->kv_available.from);
      if (cache.tokens && mid)
        t.add_count("kv_tokens", *cache.tokens, b->low.reported.value(), mid->low.reported.value(),
                    b->high.reported.value(), p->kv_available.from);
      if (cache.concurrency && mid)
        t.add_ratio("max_concurrency", *cache.concurrency, b->low.max_concurrency, mid->low.max_concurrency,
                    b->high.max_concurrency, p->kv_available.from);
    }
  }
  explain_terms(x, t, q, *p, m, s, filled->tree);
  for (const std::string& what : filled->beside) x.add("weights", "the engine ran " + what);

  // The calibration.
  json given = json::object();
  if (q.parallel.pp > 1) {
    x.add("kv_available",
          "pipeline stages hold different terms, and a calibration has one of each: only its rules are written");
  } else {
    if (kv.given() && kv.high > 0 && !s.blocks_override)
      given["kv_available_bytes"] = measured_json(narrowed(q, e, kv, cache));
    if (r.weights.given()) given["weight_bytes"] = measured_json(r.weights);
    if (r.activation.given()) given["activation_bytes"] = measured_json(r.activation);
    if (r.runtime.given()) {
      given["runtime_bytes"] = measured_json(r.runtime);
    } else if (m.activation_and_runtime.given()) {
      // Only the sum was printed: the predicted activation off it, so that the sum comes out as measured.
      const printed_bytes peak =
          r.activation.given() ? r.activation : printed_bytes{integer(p->activation.mid), integer(p->activation.mid)};
      const printed_bytes rest = m.activation_and_runtime - peak;
      if (rest.low >= 0) given["runtime_bytes"] = measured_json(rest, "transferred");
    }
    const printed_bytes deducted = inside && r.graphs_estimated.given() ? r.graphs_estimated : r.graphs_captured;
    if (deducted.given() && deducted.low >= 0) given["graph_bytes"] = measured_json(deducted);
  }
  const json overlay = {{"schema", 1},
                        {"kind", "calibration"},
                        {"made_from", made_from(q, v, filled->tree, s)},
                        {"given", given},
                        {"rules", rules}};

  std::vector<assumption> assumed = filled->assumed;
  if (log->starts > 1)
    assumed.insert(assumed.begin(),
                   {"log", "start " + std::to_string(log->starts) + " of " + std::to_string(log->starts), true,
                    "the last start in the log is taken"});
  assumed.insert(assumed.end(), q.assumed.begin(), q.assumed.end());
  const auto defaulted = [&](const char* option, const std::string& value) {
    const json& engine_of = filled->tree["engine"];
    if (!engine_of.contains(option) || engine_of[option].is_null())
      assumed.push_back({std::string("engine.") + option, value, false,
                         "neither the log nor the request says it; the release's default"});
  };
  defaulted("gpu_memory_utilization", json(memory_utilization_in(q.engine)).dump());
  const count batched = batched_tokens_in(q.engine, p->part, v.max_model_len).value();
  const count seqs = max_sequences_in(q.engine, p->part).value();
  defaulted("max_num_batched_tokens", number(batched).dump());
  defaulted("max_num_seqs", number(seqs).dump());

  return json{{"id", q.id},
              {"schema", 1},
              {"status", "ok"},
              {"ask", "calibrate"},
              {"assumed", assumptions(assumed)},
              {"log",
               {{"starts", log->starts},
                {"version", s.version.empty() ? json(nullptr) : json(s.version)},
                {"generation", s.generation.empty() ? json(nullptr) : json(s.generation)},
                {"model", s.option({"model", "model_tag"}).empty() ? json(nullptr)
                                                                   : json(one_line(s.option({"model", "model_tag"})))},
                {"rank", r.name.empty() ? json(nullptr) : json(r.name)},
                {"ranks", s.ranks.size()},
                {"outcome", ullage::io::name(s.outcome)}}},
              {"model",
               {{"name", q.model.name.view()},
                {"model_type", q.model.model_type.view()},
                {"layers", q.model.layers},
                {"weights", weights_in(q.engine, q.model).name},
                {"kv_cache", kv_format_in(q.engine, q.model).name}}},
              {"accelerator", p->part.name},
              {"parallel",
               {{"tp", q.parallel.tp},
                {"pp", q.parallel.pp},
                {"dp", q.parallel.dp},
                {"ep", q.parallel.ep},
                {"cp", q.parallel.cp},
                {"dcp", q.parallel.dcp},
                {"devices", number(q.parallel.world())}}},
              {"engine",
               {{"name", ullage::name(q.engine.kind)},
                {"version", version_text(q.engine.version)},
                {"gpu_memory_utilization", memory_utilization_in(q.engine)},
                {"max_model_len", number(v.max_model_len)},
                {"max_num_batched_tokens", number(batched)},
                {"max_num_seqs", number(seqs)},
                {"block_size", number(block_tokens_in(q.engine))}}},
              {"inside", t.inside},
              {"terms", std::move(t.rows)},
              {"explanations", std::move(x.list)},
              {"calibration", overlay}};
}

}  // namespace ullage::inline v0::io
