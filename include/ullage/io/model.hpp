// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <ullage/io/request.hpp>
#include <ullage/io/speed.hpp>
#include <vector>

namespace ullage::inline v0::io {

namespace detail {

/// One letter a kind of layer, for the strip: what it keeps of the past, in lower case where its feed-forward has experts.
inline char letter_of(const layer_kind& k) {
  char c = '.';  // neither attention nor state
  switch (k.attention.kind) {
    case attention_kind::none: break;
    case attention_kind::full: c = 'F'; break;
    case attention_kind::latent: c = 'L'; break;
    case attention_kind::sliding: c = 'W'; break;
    case attention_kind::chunked: c = 'C'; break;
    case attention_kind::cross: c = 'X'; break;
    case attention_kind::encoder: c = 'E'; break;
  }
  if (k.attention.shares_cache) c = 'S';
  if (k.recurrent.kind != recurrent_kind::none) c = c == '.' ? 'R' : 'B';  // both at once
  const bool experts = k.feed_forward.kind == feed_forward_kind::experts;
  return experts && c != '.' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline json kinds_json(const transformer& m, const number_format& cache) {
  const ullage::detail::kind_counts n = ullage::detail::count_kinds(m, 0, m.layers);
  json list = json::array();
  for (std::size_t i = 0; i < m.kinds.size(); ++i) {
    if (n.of[i] == 0) continue;
    const layer_kind& k = m.kinds[i];
    const attention& a = k.attention;
    const feed_forward& f = k.feed_forward;
    count elements(0);
    for (const tensor_family& t : families_of(m, k.tensors)) elements += t.elements();
    list.push_back({{"letter", std::string(1, letter_of(k))},
                    {"layers", n.of[i]},
                    {"attention", ullage::name(a.kind)},
                    {"heads", a.heads},
                    {"kv_heads", a.has_kv_heads() ? json(a.kv_heads) : json(nullptr)},
                    {"head_dim", a.key_dim > 0 ? json(a.key_dim) : json(nullptr)},
                    {"value_dim", a.value_dim > 0 ? json(a.value_dim) : json(nullptr)},
                    {"latent_rank", a.latent_rank > 0 ? json(a.latent_rank) : json(nullptr)},
                    {"window_tokens", a.window > 0 ? json(a.window) : json(nullptr)},
                    {"shares_cache", a.shares_cache},
                    {"recurrent", ullage::name(k.recurrent.kind)},
                    {"feed_forward", f.kind == feed_forward_kind::experts ? "experts"
                                     : f.kind == feed_forward_kind::dense ? "dense"
                                                                          : "none"},
                    {"experts", f.experts > 0 ? json(f.experts) : json(nullptr)},
                    {"experts_per_token", f.experts > 0 ? json(f.experts_per_token) : json(nullptr)},
                    {"expert_inner", f.experts > 0 ? json(f.expert_inner) : json(nullptr)},
                    {"inner", f.inner > 0 ? json(f.inner) : json(nullptr)},
                    {"parameters", number(elements)},
                    {"kv_bytes_per_entry", number(kv_per_token(a, cache, 1))},
                    {"state_bytes_per_sequence", number(recurrent_state(k.recurrent, m.activation, 1))}});
  }
  return list;
}

/// What the files hold beside what the inventory expects.
inline json checkpoint_json(const transformer& m, const stored_checkpoint& c) {
  const checkpoint_comparison compared = compare_checkpoint(m, c);
  json types = json::object();
  for (const auto& [type, b] : c.by_type) types[type] = number(b);
  json differences = json::array();
  for (const compared_family& f : compared.families)
    if (f.is == compared_family::state::differs || f.is == compared_family::state::missing)
      differences.push_back({{"tensor", f.pattern},
                             {"part", ullage::name(f.belongs_to)},
                             {"is", io::name(f.is)},
                             {"tensors", number(f.tensors)},
                             {"elements", number(f.elements)},
                             {"stored_tensors", number(f.stored_tensors)},
                             {"stored_elements", number(f.stored_elements)}});
  json extra = json::array();
  for (const auto& [pattern, f] : compared.extra)
    extra.push_back({{"tensor", pattern},
                     {"tensors", number(f.tensors)},
                     {"elements", number(f.elements)},
                     {"bytes", number(f.stored)}});
  const bytes expected = stored_weights(m, m.stored);
  return {{"files", c.files},
          {"tensors", c.tensors},
          {"elements", number(c.elements)},
          {"bytes", number(c.stored)},
          {"bytes_by_type", std::move(types)},
          {"header_bytes", number(c.header)},
          {"stated_bytes", c.stated > bytes{} ? number(c.stated) : json(nullptr)},
          {"not_in_index", c.not_in_index},
          {"not_in_files", c.not_in_files},
          {"expected_bytes", number(expected)},
          {"matches", differences.empty()},
          {"differences", std::move(differences)},
          {"extra", std::move(extra)}};
}

/// FLOP of one token apart from scores: two for each active parameter that multiplies it. The embedding is a look-up; a tied
/// one multiplies once, as the head.
inline count linear_flop(const transformer& m, const parameter_counts& p) {
  const count looked_up = m.tied_embeddings ? count(0) : p[part::embedding];
  return (p.active - looked_up) * count(2);
}
/// FLOP of one query against one cached entry, all layers: 2 · heads · (key and value width).
inline count score_flop(const transformer& m) {
  count sum(0);
  for (std::int64_t i = 0; i < m.layers; ++i) {
    const attention& a = m.layer(i).attention;
    const std::int64_t width = a.kind == attention_kind::latent ? a.key_dim + a.rope_dim + a.value_dim
                               : a.kind == attention_kind::none ? 0
                                                                : a.key_dim + a.value_dim;
    sum += count(2) * count(a.heads) * count(width);
  }
  return sum;
}

}  // namespace detail

/// model: what a model is. Parameters by part, layers by kind and in order, bytes by format, the cache and FLOP of a token.
inline result<json> model_answer(const json& tree) {
  object_reader r(tree, "");
  request q;
  if (const json* id = r.find("id"); id != nullptr) q.id = *id;
  const std::int64_t schema = r.whole("schema", 1, 0);
  if (r.ok() && schema != 1)
    r.fail_at("schema", error_code::bad_value, "is " + std::to_string(schema) + "; expected 1.");
  q.ask = r.text("ask", "model");
  for (std::string_view key : {"model", "kv_cache", "load"}) r.find(key);
  detail::pass_null_of_contract(r);
  r.finish();
  if (r.ok()) detail::read_model(q, r);
  if (r.ok()) detail::drop_unreached_windows(q.model);
  const std::string cache_word = r.text("kv_cache", "auto");
  std::int64_t context = 0;
  if (const json* load = r.find("load"); r.ok() && load != nullptr) {
    object_reader l(*load, "load");
    context = l.whole("context", 0, 1, detail::most_tokens);
    l.finish();
    if (!l.ok()) r.fail(l.problem());
  }
  if (!r.ok()) return r.problem();
  const transformer& m = q.model;
  number_format cache = m.cache.name.empty() ? m.activation : m.cache;
  if (cache_word != "auto") {
    cache = detail::format_named(cache_word);
    if (cache.name.empty())
      return error{
          error_code::unknown_format, "kv_cache",
          "kv_cache is " + detail::in_quotes(cache_word) + "; expected auto, bf16, fp16, fp8 or another format."};
  }
  if (context == 0) context = m.max_position > 0 ? m.max_position : 8192;

  const parameter_counts p = parameters(m);
  json parts = json::object();
  for (std::size_t i = 0; i < part_kinds; ++i)
    if (p.by_part[i] > count(0)) parts[std::string(ullage::name(static_cast<part>(i)))] = detail::number(p.by_part[i]);
  std::string strip;
  for (std::int64_t i = 0; i < m.layers; ++i) strip += detail::letter_of(m.layer(i));

  json by_format = json::object();
  by_format[std::string(m.stored.name)] = detail::number(stored_weights(m, m.stored));
  for (const number_format& f :
       {formats::bf16, formats::fp8, formats::int8, formats::int4, formats::mxfp4, formats::nvfp4})
    if (!by_format.contains(std::string(f.name)))
      by_format[std::string(f.name)] = detail::number(
          stored_weights(m, f.element_bits >= 16 ? uniform_weights(f) : quantized_linears(f, formats::bf16)));

  const kv_bytes one = kv_cache(m, of<tokens>(context), of<sequences>(1), cache);
  if (overflowed(one.per_sequence))
    return error{error_code::overflow, "load.context", "load.context makes a cache of more than 2^63 bytes."};
  json a = {{"id", q.id},
            {"schema", 1},
            {"status", "ok"},
            {"ask", "model"},
            {"assumed", detail::assumptions(q.assumed)},
            {"model",
             {{"name", m.name.view()},
              {"model_type", m.model_type.view()},
              {"weights", m.stored.name},
              {"hidden", m.hidden},
              {"vocabulary", m.vocabulary},
              {"max_position", m.max_position},
              {"tied_embeddings", m.tied_embeddings}}},
            {"parameters",
             {{"total", detail::number(p.total)},
              {"active", detail::number(p.active)},
              {"embedding", detail::number(p[part::embedding])},
              {"mtp", detail::number(p.mtp)},
              {"towers", detail::number(p.towers)},
              {"by_part", std::move(parts)}}},
            {"layers", m.layers},
            {"encoder_layers", m.encoder_layers},
            {"strip", strip},
            {"layer_kinds", detail::kinds_json(m, cache)},
            {"stored_weight_bytes", detail::number(stored_weights(m, m.stored))},
            {"stored_bytes_by_format", std::move(by_format)},
            {"kv",
             {{"format", cache.name},
              {"context", context},
              {"bytes_per_token", one.linear ? detail::number(one.per_token) : json(nullptr)},
              {"marginal_bytes_per_token", detail::number(one.per_token)},
              {"fixed_bytes_per_sequence", detail::number(one.fixed_per_sequence)},
              {"bytes_per_sequence", detail::number(one.per_sequence)}}},
            {"flop_per_token",
             {{"linear", detail::number(detail::linear_flop(m, p))},
              {"per_cached_token", detail::number(detail::score_flop(m))}}}};
  a["checkpoint"] = q.checkpoint ? detail::checkpoint_json(m, *q.checkpoint) : json(nullptr);
  return a;
}

}  // namespace ullage::inline v0::io
