// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Which modules of a model a quantisation means. Checkpoints name them in three ways: as names or parts of names
// ("lm_head", "model.layers.3.self_attn"), with wildcards ("*self_attn*"), and as regular expressions ("re:.*gate$").
namespace ullage::inline v0::io::hf {

namespace detail_modules {

/// Regular expressions as such lists have them: literals, '.', classes, groups with '|', '*', '+', '?', '^', '$'.
/// Matches from the beginning of the text, as Python's re.match does.
class small_regex {
 public:
  explicit small_regex(std::string_view pattern) : pattern_(pattern) {}

  /// Whether every construct of the pattern is known and all brackets are closed.
  bool understood() const {
    std::size_t depth = 0;
    if (pattern_.size() > 512) return false;
    for (std::size_t i = 0; i < pattern_.size(); ++i) {
      const char c = pattern_[i];
      if (c == '\\') {
        if (++i == pattern_.size()) return false;
        const char e = pattern_[i];
        const bool letter = (e >= 'a' && e <= 'z') || (e >= 'A' && e <= 'Z') || (e >= '0' && e <= '9');
        if (letter && e != 'd' && e != 'w') return false;
      } else if (c == '[') {
        const std::size_t end = pattern_.find(']', i + 2);
        if (end == std::string_view::npos || pattern_.substr(i, end - i).find('\\') != std::string_view::npos)
          return false;
        i = end;
      } else if (c == '(') {
        if (pattern_.substr(i + 1, 1) == "?" && pattern_.substr(i + 1, 2) != "?:") return false;
        ++depth;
      } else if (c == ')') {
        if (depth-- == 0) return false;
      } else if (c == '{' || c == '}') {
        return false;
      } else if (is_repeat(c) && (i == 0 || pattern_[i - 1] == '|' || (pattern_[i - 1] == '(' && c != '?') ||
                                  (is_repeat(pattern_[i - 1]) && c != '?' && !(i > 1 && pattern_[i - 2] == '\\')))) {
        return false;  // repeats nothing
      }
    }
    return depth == 0;
  }
  /// False too when the pattern takes more than `steps` to try.
  bool matches(std::string_view text, std::size_t& steps) const {
    state s{text, steps};
    const bool found = alternatives(0, pattern_.size(), 0, s, nullptr);
    steps = s.steps;
    return found;
  }

 private:
  struct state {
    std::string_view text;
    std::size_t steps;
  };
  /// What must match after the part at hand.
  struct rest {
    std::size_t from;
    std::size_t to;
    const rest* next;
    // A group that may come once more.
    std::size_t group_from = 0;
    std::size_t group_to = 0;
    std::size_t entered_at = 0;
    bool again = false;
  };
  static bool is_repeat(char c) { return c == '*' || c == '+' || c == '?'; }

  /// The end of the atom that begins at `i`.
  std::size_t atom_end(std::size_t i) const {
    if (pattern_[i] == '\\') return i + 2;
    if (pattern_[i] == '[') return pattern_.find(']', i + 2) + 1;
    if (pattern_[i] != '(') return i + 1;
    std::size_t depth = 0;
    for (std::size_t j = i; j < pattern_.size(); ++j) {
      if (pattern_[j] == '\\') {
        ++j;
      } else if (pattern_[j] == '[') {
        j = pattern_.find(']', j + 2);
      } else if (pattern_[j] == '(') {
        ++depth;
      } else if (pattern_[j] == ')' && --depth == 0) {
        return j + 1;
      }
    }
    return pattern_.size();
  }
  bool one(std::size_t from, std::size_t to, char c) const {
    const std::string_view atom = pattern_.substr(from, to - from);
    const bool digit = c >= '0' && c <= '9';
    const bool word = digit || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (atom == ".") return true;
    if (atom[0] == '\\') return atom[1] == 'd' ? digit : atom[1] == 'w' ? word : atom[1] == c;
    if (atom[0] != '[') return atom[0] == c;
    bool in = false;
    const bool negated = atom[1] == '^';
    for (std::size_t i = negated ? 2 : 1; i + 1 < atom.size(); ++i) {
      if (i + 3 < atom.size() && atom[i + 1] == '-') {
        in = in || (atom[i] <= c && c <= atom[i + 2]);
        i += 2;
      } else {
        in = in || atom[i] == c;
      }
    }
    return in != negated;
  }
  bool finish(std::size_t at, state& s, const rest* after) const {
    if (after == nullptr) return true;
    if (after->again && at > after->entered_at && group(after->group_from, after->group_to, at, s, after)) return true;
    return sequence(after->from, after->to, at, s, after->next);
  }
  /// One pass through a group, and `after` behind it.
  bool group(std::size_t from, std::size_t to, std::size_t at, state& s, const rest* after) const {
    rest once = *after;
    once.entered_at = at;
    return alternatives(from, to, at, s, &once);
  }
  bool alternatives(std::size_t from, std::size_t to, std::size_t at, state& s, const rest* after) const {
    for (std::size_t begin = from, i = from;; i = i < to ? atom_end(i) : i + 1) {
      if (i < to && pattern_[i] != '|') continue;
      if (sequence(begin, i, at, s, after)) return true;
      if (i >= to) return false;
      begin = i + 1;
    }
  }
  bool sequence(std::size_t from, std::size_t to, std::size_t at, state& s, const rest* after) const {
    if (s.steps == 0) return false;
    --s.steps;
    if (from == to) return finish(at, s, after);
    if (pattern_[from] == '^') return at == 0 && sequence(from + 1, to, at, s, after);
    if (pattern_[from] == '$') return at == s.text.size() && sequence(from + 1, to, at, s, after);
    const std::size_t end = atom_end(from);
    const bool repeats = end < to && is_repeat(pattern_[end]);
    const char repeat = repeats ? pattern_[end] : ' ';
    std::size_t next = repeats ? end + 1 : end;
    if (repeats && next < to && pattern_[next] == '?') ++next;  // lazy: the same language
    if (pattern_[from] == '(') {
      std::size_t inside = from + 1;
      if (pattern_.substr(inside, 2) == "?:") inside += 2;
      const rest behind{next, to, after, inside, end - 1, at, repeat == '*' || repeat == '+'};
      if (group(inside, end - 1, at, s, &behind)) return true;
      return (repeat == '*' || repeat == '?') && sequence(next, to, at, s, after);
    }
    std::size_t most = at;
    const std::size_t limit = repeat == '*' || repeat == '+' ? s.text.size() : (std::min)(at + 1, s.text.size());
    while (most < limit && one(from, end, s.text[most])) ++most;
    const std::size_t least = repeat == '*' || repeat == '?' ? at : at + 1;
    for (std::size_t n = most + 1; n-- > least;)
      if (sequence(next, to, n, s, after)) return true;
    return false;
  }

  std::string_view pattern_;
};

/// '*' stands for any text, '?' for one character. False too when `steps` run out.
inline bool matches_wildcards(std::string_view pattern, std::string_view text, std::size_t& steps) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t mark = 0;
  while (t < text.size()) {
    if (steps == 0) return false;
    --steps;
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// Without what classes put before the language model's names.
inline std::string_view below_model(std::string_view name) {
  for (bool again = true; again;) {
    again = false;
    for (std::string_view wrapper : {"model.", "language_model."})
      if (name.starts_with(wrapper) && name.size() > wrapper.size()) {
        name.remove_prefix(wrapper.size());
        again = true;
      }
  }
  return name;
}

inline std::string_view without_weight(std::string_view name) {
  for (std::string_view end : {".weight", ".bias"})
    if (name.ends_with(end)) name.remove_suffix(end.size());
  return name;
}

}  // namespace detail_modules

/// A list of modules, as a quantisation names them.
class module_list {
 public:
  /// Takes one entry; false when it is of a form that is not understood.
  bool add(std::string_view entry) {
    ++entries_;
    if (entry.find(' ') != std::string_view::npos) return true;  // no module has such a name: it names nothing
    pattern p{std::string(entry), false};
    if (entry.starts_with("re:")) {
      if (!detail_modules::small_regex(entry.substr(3)).understood()) return false;
      expressions_.push_back(std::move(p));
    } else if (entry.find_first_of("*?") != std::string_view::npos) {
      wildcards_.push_back(std::move(p));
    } else {
      std::string_view plain = detail_modules::below_model(detail_modules::without_weight(entry));
      while (plain.ends_with(".")) plain.remove_suffix(1);
      names_.emplace(std::string(plain), p);
      const std::size_t at = plain.find("experts.");
      if (at != std::string_view::npos && at + 8 < plain.size() && plain[at + 8] >= '0' && plain[at + 8] <= '9')
        single_experts_ = true;
    }
    return true;
  }
  bool empty() const { return entries_ == 0; }
  bool names_single_experts() const { return single_experts_; }
  bool gave_up() const { return steps_ == 0; }

  /// Whether an entry names this module or one that holds it; notes which one.
  bool names(std::string_view module) {
    using namespace detail_modules;
    bool found = false;
    // Any run of whole components: "gate" is "….mlp.gate", not "….gate_proj".
    const std::string_view below = below_model(module);
    for (std::size_t from = 0; from < below.size() && !names_.empty();) {
      for (std::size_t to = from; to < below.size();) {
        to = (std::min)(below.find('.', to + 1), below.size());
        const auto it = names_.find(below.substr(from, to - from));
        if (it == names_.end()) continue;
        it->second.used = true;
        found = true;
      }
      const std::size_t dot = below.find('.', from);
      from = dot == std::string_view::npos ? below.size() : dot + 1;
    }
    for (pattern& p : wildcards_) {
      // The module or one that holds it, under its full name or below the wrappers.
      const std::string_view wanted = below_model(p.text);
      bool hit = matches_wildcards(p.text, module, steps_);
      for (std::size_t end = below.size(); !hit && end != std::string_view::npos && end > 0;
           end = below.rfind('.', end - 1))
        hit = matches_wildcards(wanted, below.substr(0, end), steps_);
      p.used = p.used || hit;
      found = found || hit;
    }
    for (pattern& p : expressions_) {
      const small_regex expression(std::string_view(p.text).substr(3));
      bool hit = expression.matches(module, steps_) || expression.matches(below, steps_);
      // Checkpoints with towers keep the language model one level deeper.
      for (std::string_view wrapper : {"model.language_model.", "language_model.model."})
        hit = hit || expression.matches(std::string(wrapper) + std::string(below), steps_);
      p.used = p.used || hit;
      found = found || hit;
    }
    return found;
  }
  /// The first entry that named nothing so far and does not look like a norm, a router, a tower or the like.
  const std::string* odd() const { return first_unused(true); }
  /// The first entry that named nothing so far.
  const std::string* unused() const { return first_unused(false); }

 private:
  struct pattern {
    std::string text;
    bool used = false;
  };
  const std::string* first_unused(bool harmless_may_be) const {
    const auto is_odd = [&](const pattern& p) { return !p.used && !(harmless_may_be && looks_harmless(p.text)); };
    for (const auto& [name, p] : names_)
      if (is_odd(p)) return &p.text;
    for (const std::vector<pattern>* list : {&wildcards_, &expressions_})
      for (const pattern& p : *list)
        if (is_odd(p)) return &p.text;
    return nullptr;
  }
  static bool looks_harmless(std::string_view text) {
    constexpr std::array<std::string_view, 22> words{
        "norm",    "embed", "router",  "lm_head", "correction_bias", "vision",       "visual", "audio",
        "project", "mtp",   "eh_proj", "rotary",  "shared_head",     "conv1d",       "patch",  "tower",
        "gate.",   "sink",  "nextn",   "img",     "draft",           "indexers_proj"};
    if (text == "head") return true;
    if (text.ends_with("gate") || text.ends_with("gate*") || text.ends_with("gate$")) return true;
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view w) { return text.find(w) != std::string_view::npos; });
  }

  std::map<std::string, pattern, std::less<>> names_;
  std::vector<pattern> wildcards_;
  std::vector<pattern> expressions_;
  std::size_t entries_ = 0;
  bool single_experts_ = false;
  std::size_t steps_ = std::size_t{1} << 28;  ///< for all patterns together
};

}  // namespace ullage::inline v0::io::hf
