// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <ullage/io/json.hpp>
#include <ullage/io/vllm_log_text.hpp>
#include <vector>

// The sentences of vLLM's start-up, old and new, and what each says. Releases that print them: docs/calibration.md.
namespace ullage::inline v0::io {

/// What one rank printed; per device.
struct log_rank {
  std::string writer;       ///< as it stands before its lines; empty = the only process
  std::string name;         ///< without the process number
  std::int64_t stage = -1;  ///< of the pipeline, where the name says it
  std::int64_t number = -1;
  printed_bytes memory{};         ///< total of the device
  printed_bytes free_at_start{};  ///< of that, before the engine took any
  printed_bytes budget{};         ///< total · gpu_memory_utilization
  printed_bytes weights{};
  printed_bytes activation{};        ///< peak of the profiling run above weights
  printed_bytes runtime{};           ///< outside the framework's allocator
  printed_bytes peak_torch{};        ///< weights + activation, of the oldest style
  printed_bytes consumed{};          ///< weights + runtime, of the newest
  printed_bytes graphs_estimated{};  ///< by the engine, before it sizes the cache
  printed_bytes graphs_captured{};   ///< what capturing took
  printed_bytes kv_available{};

  bool says_anything() const noexcept {
    for (printed_bytes log_rank::*m : members())
      if ((this->*m).given()) return true;
    return false;
  }
  /// Takes over what `other` says; of two prints of one figure the finer, else the later.
  void take(const log_rank& other) {
    for (printed_bytes log_rank::*m : members()) {
      const printed_bytes& theirs = other.*m;
      printed_bytes& mine = this->*m;
      if (!theirs.given()) continue;
      const bool within = mine.given() && mine.low >= theirs.low && mine.high <= theirs.high;
      if (!within) mine = theirs;
    }
  }
  static const std::vector<printed_bytes log_rank::*>& members() {
    static const std::vector<printed_bytes log_rank::*> all{
        &log_rank::memory,           &log_rank::free_at_start,   &log_rank::budget,      &log_rank::weights,
        &log_rank::activation,       &log_rank::runtime,         &log_rank::peak_torch,  &log_rank::consumed,
        &log_rank::graphs_estimated, &log_rank::graphs_captured, &log_rank::kv_available};
    return all;
  }
};

/// How a start ended, as far as the log goes.
enum class start_outcome : std::uint8_t {
  unknown,
  started,
  kv_too_small,  ///< one sequence of max_model_len does not fit the cache
  no_kv,         ///< nothing is left for the cache
  device_full,   ///< less is free than the engine is told to take
  out_of_memory
};
constexpr std::string_view name(start_outcome o) noexcept {
  switch (o) {
    case start_outcome::unknown: return "unknown";
    case start_outcome::started: return "started";
    case start_outcome::kv_too_small: return "kv_too_small";
    case start_outcome::no_kv: return "no_kv";
    case start_outcome::device_full: return "device_full";
    case start_outcome::out_of_memory: return "out_of_memory";
  }
  return "unknown";
}

/// One start of the engine.
struct vllm_start {
  std::string version;               ///< as printed
  std::string generation;            ///< "V0", "V1", or empty where the log does not say
  std::string device;                ///< what the log calls the part, where it does
  detail::text_options arguments{};  ///< as given to the engine
  detail::text_options config{};     ///< as the engine resolved it
  std::vector<log_rank> ranks{};
  std::optional<std::int64_t> kv_tokens, kv_blocks, cpu_blocks, block_tokens, concurrency_tokens, longest_possible;
  std::optional<std::int64_t> max_model_len, max_num_batched_tokens, blocks_override;
  std::optional<double> max_concurrency, gpu_memory_utilization, state_padding_percent;
  std::optional<bool> graphs_inside_budget;  ///< as the engine states it
  printed_bytes kv_needed{};                 ///< of one sequence of max_model_len, where it refuses
  printed_bytes tried{};                     ///< the allocation that failed
  printed_bytes cache_fixed{};               ///< kv_cache_memory_bytes
  start_outcome outcome = start_outcome::unknown;

  /// An option by any of its names, as text; empty where it is not said or None. What the engine resolved comes first.
  std::string option(std::initializer_list<std::string_view> names) const {
    for (const detail::text_options* where : {&config, &arguments})
      for (std::string_view n : names)
        if (const auto it = where->find(n); it != where->end() && !it->second.empty() && it->second != "None")
          return it->second;
    return {};
  }
};

struct vllm_log {
  vllm_start last{};
  std::int64_t starts = 0;
};

namespace detail {

/// What a sentence tells about where in a start it stands.
enum class phrase_role : std::uint8_t { server, engine, weights, memory, cache, other };

struct log_phrase {
  std::string_view words;
  phrase_role role;
  void (*read)(text_cursor& behind, vllm_start& s, log_rank& r);
};

inline void set_whole(text_cursor& c, std::optional<std::int64_t>& where) {
  std::int64_t n = 0;
  if (c.whole(n)) where = n;
}
inline void set_size(text_cursor& c, printed_bytes& where) {
  printed_bytes b;
  if (c.size(b)) where = b;
}
inline void set_share(text_cursor& c, vllm_start& s) {
  double share = 0;
  if (c.number(share) && share > 0 && share <= 1) s.gpu_memory_utilization = share;
}
/// The size behind some words further on.
inline void size_behind(text_cursor c, std::string_view words, printed_bytes& where) {
  set_size(c.behind(words), where);
}

inline void read_engine(text_cursor& c, vllm_start& s, std::string_view generation) {
  if (!generation.empty()) s.generation = generation;
  const std::string_view line = c.line();
  const std::size_t end = line.find(')');
  if (end == std::string_view::npos || end > 80) return;
  s.version = one_line(line.substr(0, end));
  const std::size_t config = line.find("with config: ");
  if (config != std::string_view::npos) read_options(line.substr(config + 13), false, s.config);
}
inline void read_budget(text_cursor& c, vllm_start& s,
                        log_rank& r) {  // "(79.11GiB) x gpu_memory_utilization (0.90) = 71.20GiB"
  if (s.generation.empty()) s.generation = "V0";
  set_size(c, r.memory);
  set_share(c.word(")").word("x gpu_memory_utilization").word("("), s);
  set_size(c.word(")").word("="), r.budget);
}
/// "13618, # CPU blocks: 2048": the V0 engine alone speaks of the latter.
inline void read_blocks(text_cursor& c, vllm_start& s, log_rank&) {
  set_whole(c, s.kv_blocks);
  if (!c.maybe(", # CPU blocks:")) return;
  set_whole(c, s.cpu_blocks);
  if (s.generation.empty()) s.generation = "V0";
}
inline void read_terms(text_cursor& c, vllm_start&, log_rank& r) {
  set_size(c, r.weights);
  size_behind(c, "non_torch_memory takes", r.runtime);
  size_behind(c, "activation peak memory takes", r.activation);
  size_behind(c, "reserved for KV Cache is", r.kv_available);
}
inline void read_profile(text_cursor& c, vllm_start& s, log_rank& r) {  // to 0.6.4
  size_behind(c, "total_gpu_memory=", r.memory);
  size_behind(c, "peak_torch_memory=", r.peak_torch);
  size_behind(c, "non_torch_memory=", r.runtime);
  size_behind(c, "kv_cache_size=", r.kv_available);
  text_cursor share = c;
  set_share(share.behind("gpu_memory_utilization="), s);
}
inline void read_debug_profile(text_cursor& c, vllm_start&, log_rank& r) {
  size_behind(c, "torch peak memory increase:", r.activation);
  size_behind(c, "non-torch forward increase memory:", r.runtime);
  size_behind(c, "total consumed (from mem_get_info):", r.consumed);
  size_behind(c, "weights memory:", r.weights);
}
/// "(31.23/31.86 GiB) on startup. Desired GPU memory utilization is (0.9, 28.67 GiB). Actual usage is ..."
inline void read_summary(text_cursor& c, vllm_start& s, log_rank& r) {
  if (!c.maybe("(")) c.behind("(", 24);
  c.gib(r.free_at_start).word("/").gib(r.memory).word("GiB").word(")").word("on startup");
  if (!c) return;
  const bool refused = c.maybe("is less than");
  c.behind("GPU memory utilization", 80);
  c.maybe("is");
  set_share(c.word("("), s);
  set_size(c.word(","), r.budget);
  if (!c) return;
  if (refused) {
    s.outcome = start_outcome::device_full;
    return;
  }
  printed_bytes first;
  if (!c.behind("Actual usage is", 40).size(first)) return;
  (c.maybe("for weight") ? r.weights : r.consumed) = first;
  text_cursor rest = c;
  set_size(rest.behind(",", 60), r.activation);
  size_behind(rest, "for peak activation,", r.runtime);
  if (r.consumed.given()) {
    r.runtime = {};
    size_behind(rest, "for peak activation, and", r.graphs_captured);
  } else {
    size_behind(rest, "non-torch memory, and", r.graphs_captured);
  }
  size_behind(c, "kv cache memory in use is", r.kv_available);
}
inline void read_refusal(text_cursor& c, vllm_start& s, log_rank& r) {
  s.outcome = start_outcome::kv_too_small;
  set_whole(c.behind("max seq len", 40).word("("), s.max_model_len);
  c.word(")");
  c.maybe(",");
  c.maybe("(");
  set_size(c, s.kv_needed);
  size_behind(c, "available KV cache memory (", r.kv_available);
  text_cursor most = c;
  if (most.behind("aximum model length is")) set_whole(most, s.longest_possible);
}

// clang-format off
inline constexpr log_phrase log_phrases[] = {
    {"vLLM API server version ", phrase_role::server, [](text_cursor& c, vllm_start& s, log_rank&) {
       const std::string_view line = c.line();
       s.version = one_line(line.substr(0, line.find(' '))); }},
    {"non-default args: {", phrase_role::server, [](text_cursor& c, vllm_start& s, log_rank&) {
       s.arguments.clear();
       read_options(c.line(), true, s.arguments); }},
    {"args: Namespace(", phrase_role::server, [](text_cursor& c, vllm_start& s, log_rank&) {
       s.arguments.clear();
       read_options(c.line(), false, s.arguments); }},
    {"Initializing a V1 LLM engine (v", phrase_role::engine, [](text_cursor& c, vllm_start& s, log_rank&) { read_engine(c, s, "V1"); }},
    {"Initializing a V0 LLM engine (v", phrase_role::engine, [](text_cursor& c, vllm_start& s, log_rank&) { read_engine(c, s, "V0"); }},
    {"Initializing an LLM engine (v", phrase_role::engine, [](text_cursor& c, vllm_start& s, log_rank&) { read_engine(c, s, ""); }},
    {"Using max model len ", phrase_role::other, [](text_cursor& c, vllm_start& s, log_rank&) { set_whole(c, s.max_model_len); }},
    {"Chunked prefill is enabled with max_num_batched_tokens=", phrase_role::other,
     [](text_cursor& c, vllm_start& s, log_rank&) { set_whole(c, s.max_num_batched_tokens); }},
    {"Setting attention block size to ", phrase_role::other, [](text_cursor& c, vllm_start& s, log_rank&) { set_whole(c, s.block_tokens); }},
    {"Padding mamba page size by ", phrase_role::other, [](text_cursor& c, vllm_start& s, log_rank&) {
       double percent = 0;
       if (c.number(percent)) s.state_padding_percent = percent; }},
    {",device_name=", phrase_role::other, [](text_cursor& c, vllm_start& s, log_rank&) {
       const std::string_view line = c.line();
       const std::size_t end = line.find_first_of(",. ");
       if (end == std::string_view::npos || end > 64) return;
       s.device = one_line(line.substr(0, end));
       for (char& letter : s.device) if (letter == '_') letter = ' '; }},
    {"Loading model weights took ", phrase_role::weights, [](text_cursor& c, vllm_start&, log_rank& r) { set_size(c, r.weights); }},
    {"Model loading took ", phrase_role::weights, [](text_cursor& c, vllm_start&, log_rank& r) { set_size(c, r.weights); }},
    {"Memory profiling results: ", phrase_role::memory, read_profile},
    {"the current vLLM instance can use total_gpu_memory (", phrase_role::memory, read_budget},
    {"model weights take ", phrase_role::memory, read_terms},
    {"Total non KV cache memory: ", phrase_role::memory, read_debug_profile},
    {"Requested memory: ", phrase_role::memory, [](text_cursor& c, vllm_start& s, log_rank& r) {
       set_share(c, s);
       set_size(c.word("(util),"), r.budget); }},
    {"Estimated CUDA graph memory: ", phrase_role::memory, [](text_cursor& c, vllm_start&, log_rank& r) { set_size(c, r.graphs_estimated); }},
    {"CUDA graph memory profiling is enabled", phrase_role::other, [](text_cursor&, vllm_start& s, log_rank&) { s.graphs_inside_budget = true; }},
    {"CUDA graph memory profiling is disabled", phrase_role::other, [](text_cursor&, vllm_start& s, log_rank&) { s.graphs_inside_budget = false; }},
    {"CUDA graph memory profiling will be enabled by default", phrase_role::other,
     [](text_cursor&, vllm_start& s, log_rank&) { s.graphs_inside_budget = false; }},
    {"Available KV cache memory: ", phrase_role::memory, [](text_cursor& c, vllm_start&, log_rank& r) { set_size(c, r.kv_available); }},
    {" GiB, reserved ", phrase_role::memory, [](text_cursor& c, vllm_start& s, log_rank& r) {
       printed_bytes fixed;
       c.size(fixed).word("memory for KV Cache as specified by kv_cache_memory_bytes");
       if (c) r.kv_available = s.cache_fixed = fixed; }},
    {"GPU KV cache size: ", phrase_role::cache, [](text_cursor& c, vllm_start& s, log_rank&) { set_whole(c, s.kv_tokens); }},
    {"# GPU blocks: ", phrase_role::cache, read_blocks},
    {"# cuda blocks: ", phrase_role::cache, read_blocks},
    {"# rocm blocks: ", phrase_role::cache, read_blocks},
    {"Maximum concurrency for ", phrase_role::cache, [](text_cursor& c, vllm_start& s, log_rank&) {
       std::optional<std::int64_t> length;
       set_whole(c, length);
       double x = 0;
       c.word("tokens per request:").number(x).word("x");
       if (!c || !length) return;
       s.concurrency_tokens = length;
       s.max_concurrency = x; }},
    {"Overriding num_gpu_blocks=", phrase_role::other, [](text_cursor& c, vllm_start& s, log_rank&) {
       std::int64_t had = 0;
       std::int64_t got = 0;
       // While it profiles graphs the engine overrides none by a few; that is not the cache's size.
       if (c.whole(had).word("with num_gpu_blocks_override=").whole(got) && had > 0) s.blocks_override = got; }},
    {"CUDA graph pool memory: ", phrase_role::other, [](text_cursor& c, vllm_start&, log_rank& r) {
       set_size(c, r.graphs_captured);
       if (c.word("(actual),")) set_size(c, r.graphs_estimated); }},
    {"Graph capturing finished in ", phrase_role::other, [](text_cursor& c, vllm_start&, log_rank& r) {
       double seconds = 0;
       if (c.number(seconds).word("secs").word(",").word("took")) set_size(c, r.graphs_captured); }},
    {"Free memory on device", phrase_role::other, read_summary},
    {"init engine (profile, create kv cache, warmup model) took", phrase_role::other,
     [](text_cursor&, vllm_start& s, log_rank&) { s.outcome = start_outcome::started; }},
    {"Application startup complete", phrase_role::other, [](text_cursor&, vllm_start& s, log_rank&) { s.outcome = start_outcome::started; }},
    {"No available memory for the cache blocks", phrase_role::other,
     [](text_cursor&, vllm_start& s, log_rank&) { s.outcome = start_outcome::no_kv; }},
    {"To serve at least one request with the model", phrase_role::other, read_refusal},
    {"The model's max seq len (", phrase_role::other, [](text_cursor& c, vllm_start& s, log_rank&) {
       s.outcome = start_outcome::kv_too_small;
       set_whole(c, s.max_model_len);
       if (c.behind("can be stored in KV cache (", 160)) set_whole(c, s.longest_possible); }},
    {"out of memory. Tried to allocate ", phrase_role::other, [](text_cursor& c, vllm_start& s, log_rank& r) {
       if (s.outcome != start_outcome::started) s.outcome = start_outcome::out_of_memory;
       set_size(c, s.tried);
       size_behind(c, "total capacity of", r.memory); }},
};
// clang-format on

}  // namespace detail

}  // namespace ullage::inline v0::io
