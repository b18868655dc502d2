// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <ullage/catalog.hpp>
#include <ullage/catalog/find_record.hpp>
#include <ullage/engine.hpp>
#include <ullage/io/json.hpp>
#include <ullage/io/version_text.hpp>
#include <ullage/io/vllm_log.hpp>
#include <vector>

// What a log says of its engine → the request whose answer is held against it.
namespace ullage::inline v0::io {

/// A request that a log and its reader make together.
struct log_request {
  json tree = json::object();
  std::vector<assumption> assumed{};
  std::vector<std::string> beside{};  ///< what the engine ran that the prediction does not hold
};

namespace detail {

inline std::optional<std::int64_t> whole_in(const std::string& text) {
  std::int64_t n = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}
inline std::optional<double> real_in(const std::string& text) {
  double x = 0;
  int places = 0;
  text_cursor c(text, 0);
  if (!c.number(x, &places) || c.at() != text.size()) return std::nullopt;
  return x;
}

/// "/models/Qwen/Qwen3-8B/" and "…/models--Qwen--Qwen3-8B/snapshots/…" by the name of what lies there.
inline std::string base_name(std::string path) {
  if (const std::size_t hub = path.find("models--"); hub != std::string::npos) {
    std::string name = path.substr(hub + 8);
    name = name.substr(0, name.find('/'));
    if (const std::size_t slash = name.find("--"); slash != std::string::npos) name.replace(slash, 2, "/");
    return name;
  }
  while (!path.empty() && (path.back() == '/' || path.back() == '\\')) path.pop_back();
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// The built-in model that a log's name or path stands for; empty where none does. A bare name is also taken for that
/// behind the slash of a public one.
inline std::string built_in_of(const std::string& said) {
  const auto known = [](std::string_view name) {
    return catalog::find_model(name) != nullptr || catalog::find_record(name) != nullptr;
  };
  if (said.empty()) return {};
  if (known(said)) return said;
  const std::string base = base_name(said);
  if (base.empty()) return {};
  if (known(base)) return base;
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const auto ends_so = [&](std::string_view alias) {
    if (alias.size() <= base.size() || alias[alias.size() - base.size() - 1] != '/') return false;
    return std::equal(base.begin(), base.end(), alias.end() - static_cast<std::ptrdiff_t>(base.size()),
                      [&](char a, char b) { return lower(a) == lower(b); });
  };
  for (const catalog::model_record& r : catalog::recorded_models)
    for (std::string_view rest = r.aliases; !rest.empty();) {
      const std::string_view alias = rest.substr(0, rest.find(' '));
      if (ends_so(alias)) return std::string(r.name);
      rest.remove_prefix((std::min)(alias.size() + 1, rest.size()));
    }
  for (std::string_view org : {"meta-llama/", "Qwen/", "mistralai/", "deepseek-ai/"})
    if (known(std::string(org) + base)) return std::string(org) + base;
  return {};
}

/// The format of weights that `quantization` names; empty where it leaves that to the checkpoint.
inline std::string weights_of(std::string_view quantization) {
  for (std::string_view four : {"awq", "gptq", "bitsandbytes", "auto-round", "inc"})
    if (quantization.starts_with(four)) return four == "bitsandbytes" ? "" : "int4";
  for (std::string_view eight : {"fp8", "fbgemm_fp8", "ptpc_fp8"})
    if (quantization.starts_with(eight)) return "fp8";
  if (quantization.starts_with("mxfp4")) return "mxfp4";
  return {};
}

/// Sets what the asker left open, and tells where the asker says something else than the log.
class request_filler {
 public:
  request_filler(json asked, std::vector<assumption>& assumed) : tree(std::move(asked)), assumed_(&assumed) {}
  json tree;

  bool open(std::string_view object, std::string_view key) const {
    const json* at = &tree;
    if (!object.empty()) {
      const auto o = tree.find(object);
      if (o == tree.end() || o->is_null()) return true;
      at = &*o;
    }
    if (!at->is_object()) return false;  // the reader of the request will say so
    const auto it = at->find(key);
    return it == at->end() || it->is_null();
  }
  void set(const std::string& object, const std::string& key, json value, const std::string& why = "as the log says") {
    const std::string field = object.empty() ? key : object + "." + key;
    const bool text = value.is_string();
    const std::string said = text ? value.get<std::string>() : value.dump();
    if (open(object, key)) {
      if (object.empty()) {
        tree[key] = std::move(value);
      } else {
        if (!tree.contains(object) || tree[object].is_null()) tree[object] = json::object();
        tree[object][key] = std::move(value);
      }
      assumed_->push_back({field, said, text, why});
      return;
    }
    const json* mine = object.empty() ? &tree[key] : tree[object].is_object() ? &tree[object][key] : nullptr;
    if (mine == nullptr || *mine == value) return;
    if (mine->is_number() && value.is_number() && mine->get<double>() == value.get<double>()) return;
    assumed_->push_back({field, mine->is_string() ? mine->get<std::string>() : mine->dump(), mine->is_string(),
                         "as asked; the log says " + one_line(said)});
  }

 private:
  std::vector<assumption>* assumed_;
};

inline void fill_whole(request_filler& f, const vllm_start& s, const std::string& object, const std::string& key,
                       std::initializer_list<std::string_view> names, std::int64_t unset = 0) {
  const std::optional<std::int64_t> n = whole_in(s.option(names));
  if (n && *n > unset) f.set(object, key, *n);
}

inline void fill_parallel(request_filler& f, const vllm_start& s) {
  fill_whole(f, s, "parallel", "tp", {"tensor_parallel_size"});
  fill_whole(f, s, "parallel", "pp", {"pipeline_parallel_size"}, 1);
  fill_whole(f, s, "parallel", "dp", {"data_parallel_size"}, 1);
  fill_whole(f, s, "parallel", "dcp", {"decode_context_parallel_size"}, 1);
  if (s.option({"enable_expert_parallel"}) == "True" && f.open("parallel", "ep")) {
    const auto number = [&](const char* key) {
      return f.open("parallel", key) || !f.tree["parallel"][key].is_number_integer()
                 ? std::int64_t{1}
                 : f.tree["parallel"][key].get<std::int64_t>();
    };
    const count all = count(number("tp")) * count(number("dp"));
    if (!all.overflowed() && all > count(1)) f.set("parallel", "ep", all.value(), "enable_expert_parallel: tp*dp");
  }
}

inline void fill_engine(request_filler& f, const vllm_start& s) {
  f.set("engine", "name", "vllm");
  if (!s.version.empty()) f.set("engine", "version", s.version);
  std::optional<double> share = real_in(s.option({"gpu_memory_utilization"}));
  std::string share_from = "as the log says";
  if (!share) {
    share = s.gpu_memory_utilization;
    // Where only a sentence of two decimals says it, the printed budget over the printed memory is finer.
    for (const log_rank& r : s.ranks)
      if (share && r.memory.given() && r.budget.given() && r.memory.low > 0) {
        const double least = static_cast<double>(r.budget.low) / static_cast<double>(r.memory.high);
        const double most = static_cast<double>(r.budget.high) / static_cast<double>(r.memory.low);
        if (*share >= least && *share <= most) break;
        const double finer =
            std::round(static_cast<double>(r.budget.mid()) / static_cast<double>(r.memory.mid()) * 1e4) / 1e4;
        if (std::abs(finer - *share) > 0.0051) break;
        share = finer;
        share_from = "the printed budget over the printed memory; the log rounds it to two decimals";
        break;
      }
  }
  if (share && *share > 0 && *share <= 1) f.set("engine", "gpu_memory_utilization", *share, share_from);
  std::optional<std::int64_t> length = whole_in(s.option({"max_seq_len", "max_model_len"}));
  if (!length || *length <= 0) length = s.max_model_len;
  if (!length) length = s.concurrency_tokens;
  if (length && *length > 0) f.set("engine", "max_model_len", *length);
  std::optional<std::int64_t> batched = s.max_num_batched_tokens;
  if (!batched) batched = whole_in(s.option({"max_num_batched_tokens"}));
  if (batched && *batched > 0) f.set("engine", "max_num_batched_tokens", *batched);
  fill_whole(f, s, "engine", "max_num_seqs", {"max_num_seqs"});
  fill_whole(f, s, "engine", "block_size", {"block_size"});
  fill_whole(f, s, "engine", "max_cudagraph_capture_size", {"max_cudagraph_capture_size"});
  fill_whole(f, s, "engine", "kv_cache_memory_bytes", {"kv_cache_memory_bytes", "kv_cache_memory"});
  const auto flag = [&](const std::string& key) {
    const std::string said = s.option({key});
    if (said == "True" || said == "False") f.set("engine", key, said == "True");
  };
  flag("enforce_eager");
  flag("enable_prefix_caching");
}

/// An engine of another generation than its release starts by default has that generation's rules.
inline void fill_generation(request_filler& f, const vllm_start& s, std::vector<assumption>& assumed) {
  const auto engine_of = f.tree.find("engine");
  if (s.generation.empty() || engine_of == f.tree.end() || !engine_of->is_object()) return;
  const auto version = engine_of->find("version");
  if (version == engine_of->end() || !version->is_string()) return;
  const version_text_result said = read_version_text(version->get_ref<const std::string&>());
  if (said.is != version_text_result::kind::release) return;
  constexpr engine_version first_v1{0, 8, 0};
  const engine_version other = s.generation == "V0" && !(said.version < first_v1) ? engine_version{0, 7, 3}
                               : s.generation == "V1" && said.version < first_v1  ? first_v1
                                                                                  : engine_version{};
  if (!other.known()) return;
  const engine_rules mine = vllm_rules(said.version);
  const engine_rules theirs = vllm_rules(other);
  for (const ullage::detail::named_rule& n : ullage::detail::rule_names) {
    if (mine.*n.member == theirs.*n.member) continue;
    json& rules = f.tree["engine"]["rules"];
    if (rules.is_null()) rules = json::object();
    if (rules.is_object() && !rules.contains(std::string(n.name))) rules[std::string(n.name)] = theirs.*n.member;
  }
  assumed.push_back({"engine.rules", version_text(other), true,
                     "the log is of the " + s.generation +
                         " engine, which this release does not start by default; rules of " + version_text(other)});
}

/// Drafts and adapters that the log names; what it does not tell enough of stands in `beside`.
inline void fill_extras(request_filler& f, const vllm_start& s, std::vector<std::string>& beside) {
  const std::string drafts = s.option({"speculative_config"});
  if (!drafts.empty() && f.open("speculative", "method")) {
    const auto number_after = [&](std::string_view word) {
      const std::size_t at = drafts.find(word);
      std::int64_t n = 0;
      if (at == std::string::npos) return n;
      text_cursor c(drafts, at + word.size());
      c.maybe("'");
      if (!c.maybe("=")) c.maybe(":");
      c.whole(n);
      return n;
    };
    const std::int64_t tokens = (std::max)(number_after("num_spec_tokens"), number_after("num_speculative_tokens"));
    const std::string method = drafts.find("ngram") != std::string::npos  ? "ngram"
                               : drafts.find("mtp'") != std::string::npos ? "mtp"
                                                                          : "";
    if (!method.empty() && tokens > 0) {
      f.set("speculative", "method", method);
      f.set("speculative", "num_tokens", tokens);
    } else {
      beside.push_back("speculative decoding (" + one_line(drafts) +
                       "), whose draft's weights and cache are not counted");
    }
  }
  if (s.option({"enable_lora"}) == "True" && f.open("adapters", "count")) {
    const std::optional<std::int64_t> slots = whole_in(s.option({"max_loras"}));
    const std::optional<std::int64_t> rank = whole_in(s.option({"max_lora_rank"}));
    f.set("adapters", "count", slots.value_or(1), slots ? "as the log says" : "enable_lora; the engine's default");
    f.set("adapters", "rank", rank.value_or(16), rank ? "as the log says" : "enable_lora; the engine's default");
  }
  if (const std::optional<double> offload = real_in(s.option({"cpu_offload_gb"})); offload && *offload > 0)
    beside.push_back("weights moved to the host (cpu_offload_gb), which are not taken off");
  if (s.option({"dtype"}).find("float32") != std::string::npos)
    beside.push_back("32-bit weights and cache (dtype float32); 16 bits are predicted");
  if (s.blocks_override) beside.push_back("a cache of its own size (num_gpu_blocks_override)");
}

}  // namespace detail

/// Fills what a request leaves open by what the log says. What neither says and nothing defaults is an error that names it.
inline result<log_request> request_of_log(const vllm_start& s, const json& asked) {
  log_request out;
  detail::request_filler f(asked.is_object() ? asked : json::object(), out.assumed);
  const std::string model = s.option({"model", "model_tag"});
  std::string served = s.option({"served_model_name"});
  if (served.size() > 4 && served.front() == '[') served = served.substr(2, served.find_first_of("'\"", 2) - 2);
  if (f.open("", "model")) {
    std::string name = detail::built_in_of(model);
    if (name.empty()) name = detail::built_in_of(served);
    if (name.empty())
      return error{
          error_code::bad_value, "model",
          model.empty()
              ? "model is not said by the log; expected a built-in name, a folder or a config.json."
              : "model is " + detail::in_quotes(model) +
                    " in the log, which is not built in; expected a built-in name, a folder or a config.json."};
    f.set("", "model", name,
          name == model ? "as the log says" : "what the log calls " + detail::one_line(model.empty() ? served : model));
  }
  detail::fill_engine(f, s);
  if (f.open("engine", "version") && f.open("engine", "date"))
    return error{error_code::unsupported_version, "engine.version",
                 "engine.version is not said by the log; expected a release such as 0.11.0, or engine.date."};
  detail::fill_generation(f, s, out.assumed);
  detail::fill_parallel(f, s);
  if (f.open("parallel", "tp") && f.open("", "count") && f.open("", "devices")) {
    if (s.ranks.size() > 1)
      return error{error_code::bad_value, "parallel.tp",
                   "parallel.tp is not said by the log, in which " + std::to_string(s.ranks.size()) +
                       " ranks speak; expected the tensor-parallel size."};
    f.set("parallel", "tp", 1, "the log says no layout, and one rank speaks");
  }
  const std::string quantization = s.option({"quantization"});
  if (const std::string format = detail::weights_of(quantization); !format.empty() && f.open("", "weights"))
    f.set("", "weights", format, "quantization=" + detail::one_line(quantization) + " in the log");
  if (const std::string cache = s.option({"kv_cache_dtype"}); !cache.empty() && cache != "auto")
    f.set("", "kv_cache", cache == "fp8_ds_mla" || cache == "fp8_e4m3" || cache == "fp8_e5m2" ? "fp8" : cache,
          "kv_cache_dtype=" + detail::one_line(cache) + " in the log");
  if (f.open("", "accelerator") && f.open("", "devices")) {
    std::int64_t memory = 0;
    for (const log_rank& r : s.ranks)
      if (r.memory.given()) memory = (std::max)(memory, r.memory.mid());
    if (!s.device.empty())
      f.set("", "accelerator", s.device, "named by the log");
    else if (memory > 0 && f.open("", "visible_bytes"))
      f.set("", "visible_bytes", memory, "the log names no accelerator; the memory that it prints");
    else if (f.open("", "visible_bytes"))
      return error{
          error_code::bad_value, "accelerator",
          "accelerator is not said by the log, nor its memory; expected the name of a part, or visible_bytes."};
  }
  detail::fill_extras(f, s, out.beside);
  out.tree = std::move(f.tree);
  out.tree["ask"] = "fit";
  return out;
}

}  // namespace ullage::inline v0::io
