// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <ullage/io/op.hpp>
#include <ullage/performance/diagnose.hpp>
#include <vector>

// What the two kinds of diagnose share: reading an observation, and the parts of the answer.
namespace ullage::inline v0::io::detail {

/// What of the observation is a time or a rate: exactly one key of these.
inline double read_measurement(object_reader& o, std::initializer_list<std::string_view> keys, std::string& which) {
  double value = 0;
  std::string list;
  for (std::string_view key : keys) {
    list += (list.empty() ? "" : ", ") + std::string(key);
    if (!o.has(key)) continue;
    const double x = o.real(key, 0);
    if (o.ok() && !which.empty())
      o.fail_at(key, error_code::bad_value, "stands beside " + which + "; expected one measurement.");
    if (o.ok() && !(x > 0 && x < 1e12))
      o.fail_at(key, error_code::bad_value, "is " + shown(*o.find(key)) + "; expected more than 0.");
    which = key;
    value = x;
  }
  if (o.ok() && which.empty())
    o.fail_at(
        *keys.begin(), error_code::bad_value,
        keys.size() == 1 ? "is missing; expected the seconds measured." : "is missing; expected one of " + list + ".");
  return value;
}

inline observation read_observation(object_reader& o, std::string& which) {
  observation x;
  const double value = read_measurement(o, {"tpot_s", "ttft_s", "output_tokens_per_s"}, which);
  x.what = which == "ttft_s" ? measured::ttft : which == "tpot_s" ? measured::tpot : measured::throughput;
  x.time = of<seconds>(x.what == measured::throughput ? 0.0 : value);
  x.output = of<tokens_per_second>(x.what == measured::throughput ? value : 0.0);
  const auto whole_tokens = [&](std::string_view key, std::int64_t least) {
    return of<tokens>(o.whole(key, 0, least, most_tokens));
  };
  x.batch = of<sequences>(x.what == measured::ttft ? o.whole("batch", 1, 1, most_tokens)
                                                   : o.required_whole("batch", 1, most_tokens));
  x.context = whole_tokens("context", 0);
  const bool prompts = o.has("input_tokens") || o.has("output_tokens");
  if (x.what == measured::ttft) {
    x.new_tokens = whole_tokens("input_tokens", 1);
    if (o.ok() && x.new_tokens == tokens{}) o.missing("input_tokens", "the tokens of the prompt");
    if (o.ok() && o.has("output_tokens"))
      o.fail_at("output_tokens", error_code::bad_value, "is given, but the first token is measured; expected null.");
    if (o.ok() && x.context >= x.new_tokens && x.context > tokens{})
      o.fail_at("context", error_code::bad_value,
                "is " + std::to_string(integer(x.context)) + ", the cached part of a prompt of " +
                    std::to_string(integer(x.new_tokens)) + " input_tokens; expected fewer.");
    x.new_tokens -= x.context;
  } else if (prompts) {
    x.new_tokens = of<tokens>(o.required_whole("input_tokens", 1, most_tokens));
    x.output_tokens = of<tokens>(o.required_whole("output_tokens", 1, most_tokens));
    if (o.ok() && o.has("context"))
      o.fail_at("context", error_code::bad_value, "stands beside input_tokens; expected one of the two.");
  } else if (o.ok() && !o.has("context")) {
    o.missing("context", "the cached tokens of each sequence, or input_tokens and output_tokens");
  }
  o.finish();
  return x;
}

/// The refusal of an observation that is faster than its part can be.
inline error impossible(const diagnosis& d, const std::string& field, const std::string& value, const accelerator& a) {
  std::string what;
  if (d.refused == refusal::beyond_compute)
    what = "the FLOP at the dense peak of " + std::string(a.name) + ", " +
           scaled_text(value_of(a.peak(d.work.busiest(a))), "FLOP/s") + " in " +
           std::string(ullage::name(d.work.busiest(a))) + ",";
  else if (d.refused == refusal::beyond_memory)
    what = "the bytes at " + scaled_text(value_of(a.bandwidth), "B/s") + " of " + std::string(a.name);
  else
    what = "the message at the full rate of its links";
  return {error_code::bad_value, field,
          field + " is " + value + ", faster than is possible: " + what + " alone take at least " +
              seconds_text(value_of(d.least)) + "; " + std::string(sentence(d.refused)) + "."};
}

inline json diagnosis_json(const diagnosis& d) {
  json roofs = json::array();
  const auto add = [&](std::string_view name, const roof& r) {
    if (r.at_peak > seconds{})
      roofs.push_back({{"roof", name}, {"at_peak_s", value_of(r.at_peak)}, {"attained", r.attained}});
  };
  add("compute", d.compute);
  add("memory", d.memory);
  add("network", d.network);
  return {{"observed_s", value_of(d.observed)},
          {"least_s", value_of(d.least)},
          {"expected_s", banded(d.expected)},
          {"standing", ullage::name(d.stands)},
          {"gap_s", value_of(d.gap)},
          {"bound", ullage::name(d.limited_by)},
          {"spent_s",
           {{"compute", value_of(d.spent_compute)},
            {"memory", value_of(d.spent_memory)},
            {"network", value_of(d.spent_network)},
            {"overhead", value_of(d.lost)}}},
          {"roofs", std::move(roofs)},
          {"work", work_json(d.work)},
          {"computes_as", value_of(d.work.all_flop()) > 0 ? json(ullage::name(d.arithmetic)) : json(nullptr)},
          {"fell_back", d.fell_back},
          {"ridge_flop_per_byte", d.ridge > 0 ? json(d.ridge) : json(nullptr)}};
}

/// Parts to try instead: those of the same maker and class that can be had and have more of what limits, slower first.
inline std::vector<accelerator> faster_parts(const accelerator& a, engine_kind e, bound by, math m) {
  const auto rate = [&](const accelerator& x) {
    if (by == bound::compute) return value_of(x.peak(m));
    if (by != bound::network) return value_of(x.bandwidth);
    return value_of(x.scale_up.domain > of<devices>(1) ? x.scale_up.per_device : x.host_link);
  };
  std::vector<accelerator> list;
  for (const accelerator& x : catalog::accelerators)
    if (can_be_offered(e, x) && x.made_by == a.made_by && x.kind == a.kind && rate(x) > 1.1 * rate(a))
      list.push_back(x);
  std::stable_sort(list.begin(), list.end(),
                   [&](const accelerator& x, const accelerator& y) { return rate(x) < rate(y); });
  return list;
}
/// The row that a speedup names.
inline const accelerator& row_of(std::string_view id, const std::vector<accelerator>& rows) {
  return *std::find_if(rows.begin(), rows.end(), [&](const accelerator& a) { return a.id == id; });
}
inline json remedy_json(const std::string& change, const std::string& flag, json patch, double gain_s,
                        const estimate<seconds>& then, bound limited_by, double factor) {
  return {{"change", change},
          {"flag", flag.empty() ? json(nullptr) : json(flag)},
          {"patch", std::move(patch)},
          {"gain_s", gain_s},
          {"then_s", banded(then)},
          {"throughput_factor", factor},
          {"bound_then", ullage::name(limited_by)},
          {"verdict_then", nullptr},
          {"unverified", json::array()}};
}

}  // namespace ullage::inline v0::io::detail
