// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <ullage/io/vllm_log_phrases.hpp>
#include <utility>
#include <vector>

// vLLM's start-up log → what it says. Docs: docs/calibration.md.
namespace ullage::inline v0::io {

namespace detail {

/// Who wrote a line: "(Worker_TP0 pid=771)", "(VllmWorker rank=0 pid=694621)", "(EngineCore pid=212)" in front of it.
struct log_writer {
  std::string_view whole{};  ///< with its process: what tells two writers apart
  std::string_view name{};   ///< without
};
inline log_writer writer_of(std::string_view text, std::size_t at) {
  const std::size_t line = text.rfind('\n', at);
  const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
  std::string_view before = text.substr(begin, at - begin);
  constexpr std::size_t most = 2048;  // a page may hold a log on one line
  if (before.size() > most) before.remove_prefix(before.size() - most);
  const std::size_t pid = before.rfind("pid=");
  if (pid == std::string_view::npos) return {};
  const std::size_t open = before.rfind('(', pid);
  const std::size_t close = before.find(')', pid);
  if (open == std::string_view::npos || close == std::string_view::npos || close - open > 80) return {};
  log_writer w;
  w.whole = before.substr(open + 1, close - open - 1);
  w.name = before.substr(open + 1, pid - open - 1);
  while (!w.name.empty() && w.name.back() == ' ') w.name.remove_suffix(1);
  return w;
}

/// The number behind a word of a writer's name: 1 of "Worker_PP1_TP0" for "PP"; -1 where there is none.
inline std::int64_t number_in(std::string_view name, std::string_view word) {
  const std::size_t at = name.find(word);
  if (at == std::string_view::npos) return -1;
  std::int64_t n = -1;
  for (std::size_t i = at + word.size(); i < name.size() && name[i] >= '0' && name[i] <= '9' && n < 100000; ++i)
    n = (n < 0 ? 0 : n * 10) + (name[i] - '0');
  return n;
}

/// Follows a log from start to start of the engine and keeps the last.
class start_follower {
 public:
  vllm_start last{};
  std::int64_t starts = 0;

  void begin_where_new(const log_phrase& p, const log_writer& w) {
    bool begins = starts == 0;
    if (p.role == phrase_role::server) begins = begins || engine_seen_ || memory_seen_;
    // Every replica has its engine: the same name once more is a new start.
    if (p.role == phrase_role::engine) begins = begins || (!engines_.insert(std::string(w.name)).second);
    if (p.role == phrase_role::weights) begins = begins || (cache_seen_ && known_before_cache(w));
    if (!begins) return;
    ++starts;
    last = {};
    engine_seen_ = memory_seen_ = cache_seen_ = false;
    engines_.clear();
    if (p.role == phrase_role::engine) engines_.insert(std::string(w.name));
  }
  void seen(const log_phrase& p) {
    engine_seen_ = engine_seen_ || p.role == phrase_role::engine;
    memory_seen_ =
        memory_seen_ || p.role == phrase_role::weights || p.role == phrase_role::memory || p.role == phrase_role::cache;
    cache_seen_ = cache_seen_ || p.role == phrase_role::cache;
  }
  log_rank* rank(const log_writer& w) {
    constexpr std::size_t most = 4096;
    for (log_rank& r : last.ranks)
      if (r.writer == w.whole) return &r;
    if (last.ranks.size() == most) return nullptr;
    log_rank r;
    r.writer = std::string(w.whole);
    r.name = one_line(w.name);
    r.stage = number_in(w.name, "PP");
    r.number = number_in(w.name, "rank=");
    if (r.number < 0) r.number = number_in(w.name, "TP");
    last.ranks.push_back(std::move(r));
    return &last.ranks.back();
  }

 private:
  bool known_before_cache(const log_writer& w) const {
    return std::any_of(last.ranks.begin(), last.ranks.end(),
                       [&](const log_rank& r) { return r.name == w.name && r.weights.given(); });
  }
  std::set<std::string> engines_;
  bool engine_seen_ = false;
  bool memory_seen_ = false;
  bool cache_seen_ = false;
};

}  // namespace detail

/// Reads a log: ranks may interleave, the lines may carry colours, times and prefixes, and the file may hold several
/// starts, of which the last is taken. Sentences that are not known are passed over; a log without any known one is an
/// error.
inline result<vllm_log> read_vllm_log(std::string_view log, const std::string& field = "log") {
  const std::string text = detail::plain_text(log);
  struct hit {
    std::size_t at;
    const detail::log_phrase* phrase;
  };
  std::vector<hit> hits;
  constexpr std::size_t most_hits = std::size_t{1} << 20;
  for (const detail::log_phrase& p : detail::log_phrases)
    for (std::size_t at = text.find(p.words); at != std::string::npos && hits.size() < most_hits;
         at = text.find(p.words, at + p.words.size()))
      hits.push_back({at, &p});
  std::stable_sort(hits.begin(), hits.end(), [](const hit& a, const hit& b) { return a.at < b.at; });

  detail::start_follower follow;
  for (const hit& h : hits) {
    const detail::log_writer w = detail::writer_of(text, h.at);
    follow.begin_where_new(*h.phrase, w);
    // A rank is made for its first figure alone: the server and the engine's core are none.
    detail::text_cursor c(text, h.at + h.phrase->words.size());
    log_rank scratch;
    h.phrase->read(c, follow.last, scratch);
    if (scratch.says_anything()) {
      if (log_rank* r = follow.rank(w); r != nullptr) r->take(scratch);
    }
    follow.seen(*h.phrase);
  }
  if (hits.empty())
    return error{error_code::bad_value, field,
                 detail::text_of(field, "") +
                     " holds no sentence of a vLLM start-up that is known; expected lines such as " +
                     "\"Model loading took ... GiB\" or \"GPU KV cache size: ... tokens\"."};
  vllm_log out;
  out.last = std::move(follow.last);
  out.starts = follow.starts;
  return out;
}

}  // namespace ullage::inline v0::io
