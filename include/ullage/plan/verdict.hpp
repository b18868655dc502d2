// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <ullage/detail/static_list.hpp>
#include <ullage/engine.hpp>
#include <ullage/hardware.hpp>
#include <ullage/plan/context_distribution.hpp>

namespace ullage::inline v0 {

/// What is asked of the engine at once; zero = not asked, the verdict is then whether the engine starts.
struct load {
  tokens context{};         ///< tokens of each sequence, prompt and answer together
  sequences concurrency{};  ///< sequences at once over all data-parallel replicas
  /// Instead of `context`: how long they are where they are not all alike. Must outlive what is asked with it. The cache
  /// must then hold what they are charged with 95 % probability, in each replica for itself.
  const context_distribution* contexts = nullptr;
};

enum class answer : std::uint8_t {
  fits,          ///< with the whole band
  may_fit,       ///< zero lies inside the band
  does_not_fit,  ///< with the whole band
  invalid        ///< the question has no answer: see `problem`
};
constexpr std::string_view name(answer a) noexcept {
  switch (a) {
    case answer::fits: return "fits";
    case answer::may_fit: return "may_fit";
    case answer::does_not_fit: return "does_not_fit";
    case answer::invalid: return "invalid";
  }
  return "invalid";
}

enum class problem : std::uint8_t {
  none,
  layout,           ///< see layout_problem
  device_count,     ///< the number of devices is not tp·pp·dp·cp
  no_memory,        ///< a device without known memory
  empty_model,      ///< no layers, or more than a transformer holds
  bad_option,       ///< an engine option or a load out of its range
  bad_rule,         ///< a rule out of its range, or a band out of order
  unknown_version,  ///< the engine's version is not known, or older than the oldest known
  too_many_rank_kinds,
  draft,    ///< see draft_problem
  overflow  ///< a count left the range of int64
};

/// A term of a rank's memory: what decides a verdict.
enum class memory_term : std::uint8_t {
  none,
  weights,
  draft,
  adapters,
  runtime,
  activation,
  graphs,
  max_model_len,
  max_num_seqs,
  kv_cache,
  state
};
constexpr std::string_view name(memory_term t) noexcept {
  switch (t) {
    case memory_term::none: return "none";
    case memory_term::weights: return "weights";
    case memory_term::draft: return "draft";
    case memory_term::adapters: return "adapters";
    case memory_term::runtime: return "runtime";
    case memory_term::activation: return "activation";
    case memory_term::graphs: return "graphs";
    case memory_term::max_model_len: return "max_model_len";
    case memory_term::max_num_seqs: return "max_num_seqs";
    case memory_term::kv_cache: return "kv_cache";
    case memory_term::state: return "state";
  }
  return "none";
}

/// Memory of one class of equal ranks. Per device, all of it.
struct rank_memory {
  std::int64_t rank = 0;  ///< the first rank of the class
  count ranks{};          ///< how many are like it
  ullage::stage stage{};
  accelerator part{};
  estimate<bytes> visible{};  ///< what a process sees of the device's memory
  bytes capacity{};           ///< its middle
  bytes budget{};             ///< what the engine allows itself of that middle
  bytes weights{};
  bytes draft{};     ///< weights of what drafts tokens
  bytes adapters{};  ///< slots for low-rank adapters
  estimate<bytes> activation{};
  estimate<bytes> runtime{};
  estimate<bytes> graphs{};  ///< deducted from the budget only where the engine does so
  bool graphs_in_budget = false;
  bool kv_fixed = false;           ///< kv_available was measured or set in bytes, not left by the budget
  estimate<bytes> kv_available{};  ///< may be negative: a deficit is a number too
  bytes kv_of_states{};  ///< a block for each of max_num_seqs states, which the engine wants at its start; else 0
  bytes kv_needed{};               ///< charged for the load and for one sequence of max_model_len, whichever is more
  memory_term needed_for = memory_term::kv_cache;
  estimate<bytes> left{};  ///< kv_available − kv_needed
  /// Visible memory that nobody has taken once the engine holds all it takes: capacity − loaded() − activation − runtime −
  /// graphs − kv_available. Negative: the device itself is too small, whatever the budget says.
  estimate<bytes> spare{};
  cache_layout blocks{};
  /// Of the whole model, where the engine holds this at its start against the stage (rule start_counts_stages).
  cache_layout all_stages{};

  /// What loading puts on the device: weights, draft and adapters.
  constexpr bytes loaded() const noexcept { return weights + draft + adapters; }
  /// Whether the device itself lacks more than the cache does.
  constexpr bool device_decides() const noexcept { return spare.mid < bytes{} && spare.mid < left.mid; }
  /// What is left of the cache, or what the device itself lacks where that is worse; in the middle of the band.
  constexpr bytes margin() const noexcept { return device_decides() ? spare.mid : left.mid; }
};

/// The cache of one device of the binding rank.
struct kv_report {
  bytes logical_per_sequence{};
  bytes charged_per_sequence{};
  tokens context{};   ///< of that sequence
  bytes per_token{};    ///< logical, marginal
  bool linear = true;   ///< whether each token of a sequence adds as much
  bytes fixed_per_sequence{};
  tokens block_tokens{};
  bytes page{};
  count groups{};  ///< block tables of one sequence
  count blocks{};
  tokens reported{};
  double max_concurrency = 0;
};

/// The answer of `fits`: items that add up, the rank and term that decide, and the question itself for `remedies`.
struct verdict {
  static constexpr std::size_t most_rank_kinds = 12;

  ullage::answer answer = ullage::answer::invalid;
  ullage::problem problem = ullage::problem::none;
  ullage::layout_problem layout_problem = ullage::layout_problem::none;
  ullage::draft_problem draft_problem = ullage::draft_problem::none;
  detail::static_list<rank_memory, most_rank_kinds> ranks{};
  std::size_t binding = 0;  ///< index into ranks: the one with the least left
  memory_term term =
      memory_term::none;  ///< the first term that passes the budget, or what the cache is needed for when nothing does
  kv_report kv{};
  tokens max_model_len{};  ///< as used
  // the question
  const transformer* model = nullptr;    ///< must outlive the verdict where `remedies` is asked
  std::span<const accelerator> parts{};  ///< likewise when the devices differ; empty when all are like ranks[0].part
  ullage::layout layout{};
  ullage::engine engine{};
  ullage::load load{};
  ullage::calibration given{};

  constexpr bool ok() const noexcept { return answer == ullage::answer::fits; }
  constexpr const rank_memory& worst() const noexcept { return ranks[binding]; }
  /// Bytes left on the worst device, in the middle of the band; negative is the deficit.
  constexpr bytes left() const noexcept { return ranks.empty() ? bytes{} : worst().margin(); }
};

}  // namespace ullage::inline v0
