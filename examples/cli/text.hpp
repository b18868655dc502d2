// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Numbers and lines for people.
namespace cli {

inline bool on_terminal() {
  return isatty(STDOUT_FILENO) != 0;
}
inline bool with_colour() {
  const char* no = std::getenv("NO_COLOR");
  return on_terminal() && (no == nullptr || *no == '\0');
}
inline std::string coloured(const std::string& text, const char* code) {
  return with_colour() ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
}

/// Cells of a line: the terminal's, else COLUMNS, else 120 (80 on a terminal that does not say).
inline int width() {
  static const int cells = [] {
    winsize size{};
    if (on_terminal() && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
      return std::max<int>(size.ws_col, 40);
    const char* said = std::getenv("COLUMNS");
    const long columns = said != nullptr ? std::strtol(said, nullptr, 10) : 0;
    if (columns > 0 && columns < 100000) return std::max(static_cast<int>(columns), 40);
    return on_terminal() ? 80 : 120;
  }();
  return cells;
}
/// Below this bars and second units are left out.
inline bool narrow() {
  return width() < 100;
}
/// Cells a text takes: its code points.
inline int cells_of(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// Cells of the longest of its lines.
inline int widest_line(std::string_view text) {
  int cells = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    cells = std::max(cells, cells_of(text.substr(at, end - at)));
    at = end + 1;
  }
  return cells;
}

template <class... Arguments>
std::string printed(const char* format, Arguments... arguments) {
  char line[512];
  const int n = std::snprintf(line, sizeof line, format, arguments...);
  return n < 0 ? std::string() : std::string(line);
}

/// `text` broken at spaces into lines of at most `cells`, the first behind `first`, the others behind `rest`. A word
/// that is longer than a line stays whole.
inline std::string wrapped(std::string_view text, const std::string& first = "", const std::string& rest = "",
                           int cells = width()) {
  std::string out = first;
  int at = cells_of(first);
  bool fresh = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const int n = cells_of(word);
    if (!fresh && at + 1 + n > cells) {
      out += "\n" + rest;
      at = cells_of(rest);
      fresh = true;
    }
    if (!fresh) {
      out += ' ';
      ++at;
    }
    out += word;
    at += n;
    fresh = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}
inline void say(std::string_view text, const std::string& first = "", const std::string& rest = "") {
  std::puts(wrapped(text, first, rest).c_str());
}

/// The fewest digits that stand for just this number: 0.92.
inline std::string shortest(double x) {
  char text[40];
  const auto written = std::to_chars(text, text + sizeof text, x);
  return {text, written.ptr};
}
/// 55,296
inline std::string grouped(long long n) {
  const std::string digits = std::to_string(n < 0 ? -n : n);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return (n < 0 ? "-" : "") + text;
}
/// "1 device", "2 devices"
inline std::string counted(long long n, const char* what) {
  return grouped(n) + " " + what + (n == 1 ? "" : "s");
}
/// 141.1 GB: decimal, 10^9.
inline std::string gigabytes(double bytes) {
  const double gb = bytes / 1e9;
  if (gb <= -1000 || gb >= 1000) {
    const std::string text = printed("%.1f", gb);
    const std::size_t point = text.find('.');
    return grouped(std::atoll(text.substr(0, point).c_str())) + text.substr(point) + " GB";
  }
  return printed(gb > -0.995 && gb < 0.995 ? "%.2f GB" : "%.1f GB", gb);
}
/// A bar of at most `width` cells; block characters on a terminal, '#' elsewhere.
inline std::string bar(double share, int width) {
  if (!(share > 0)) return {};
  const int cells = static_cast<int>((share > 1 ? 1.0 : share) * width + 0.5);
  std::string text;
  for (int i = 0; i < cells; ++i) text += on_terminal() ? "\u2588" : "#";
  if (cells == 0) text = on_terminal() ? "\u258f" : ".";
  return text;
}

/// A table whose columns are as wide as what they hold. Where the line is too short, columns are left out, then the
/// flexible one is broken into lines, and a row's tail stands on a line of its own.
class table {
 public:
  struct column {
    std::string title;
    bool right = false;     ///< numbers
    int least = 0;          ///< the columns with the highest number are left out first; 0 stays
    bool flexible = false;  ///< may be broken at spaces
  };
  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells, std::string tail = {}) {
    rows_.push_back({std::move(cells), std::move(tail)});
  }
  /// Begins a group of rows: an empty line and the columns' titles, the first of them replaced by that of the group.
  void group(std::string title) { rows_.push_back({{}, std::move(title)}); }

  void print(const std::string& indent) const {
    std::vector<int> wide(columns_.size(), 0);
    std::vector<bool> shown(columns_.size(), false);  // a column without a cell is none
    bool titles = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      titles = titles || !columns_[i].title.empty();
      wide[i] = cells_of(columns_[i].title);
      for (const row& r : rows_) {
        if (r.cells.empty()) {
          if (i == 0) wide[i] = std::max(wide[i], widest_line(r.tail));
          continue;
        }
        wide[i] = std::max(wide[i], widest_line(r.cells[i]));
        shown[i] = shown[i] || !r.cells[i].empty();
      }
    }
    const auto too_long = [&] {
      int cells = cells_of(indent) - 2 - width();
      for (std::size_t i = 0; i < columns_.size(); ++i) cells += shown[i] ? wide[i] + 2 : 0;
      return cells;
    };
    while (too_long() > 0) {
      std::size_t worst = columns_.size();
      for (std::size_t i = 0; i < columns_.size(); ++i)
        if (shown[i] && columns_[i].least > 0 &&
            (worst == columns_.size() || columns_[i].least > columns_[worst].least))
          worst = i;
      if (worst == columns_.size()) break;
      shown[worst] = false;
    }
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i].flexible && too_long() > 0) wide[i] = std::max(wide[i] - too_long(), 20);

    const auto put = [&](const std::vector<std::string>& cells, const std::string& tail, const char* colour = nullptr) {
      std::vector<std::vector<std::string>> broken(cells.size());
      std::size_t lines = 1;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string text = columns_[i].flexible ? wrapped(cells[i], "", "", wide[i]) : cells[i];
        for (std::size_t at = 0; at <= text.size();) {
          const std::size_t end = std::min(text.find('\n', at), text.size());
          broken[i].push_back(text.substr(at, end - at));
          at = end + 1;
        }
        if (shown[i]) lines = std::max(lines, broken[i].size());
      }
      std::string behind = tail;
      for (std::size_t n = 0; n < lines; ++n) {
        std::string line = indent;
        bool first = true;
        for (std::size_t i = 0; i < cells.size(); ++i) {
          if (!shown[i]) continue;
          const std::string cell = n < broken[i].size() ? broken[i][n] : std::string();
          const std::string pad(static_cast<std::size_t>(std::max(wide[i] - cells_of(cell), 0)), ' ');
          line += (first ? "" : "  ") + (columns_[i].right ? pad + cell : cell + pad);
          first = false;
        }
        if (n == 0 && !behind.empty() && behind.find('\n') == std::string::npos &&
            cells_of(line) + 2 + cells_of(behind) <= width()) {
          line += "  " + behind;
          behind.clear();
        }
        while (!line.empty() && line.back() == ' ') line.pop_back();
        std::puts(colour == nullptr ? line.c_str() : coloured(line, colour).c_str());
      }
      if (!behind.empty()) std::puts((indent + "     " + behind).c_str());
    };
    std::vector<std::string> heads;
    for (const column& c : columns_) heads.push_back(c.title);
    const bool grouped = !rows_.empty() && rows_.front().cells.empty();
    if (titles && !grouped) put(heads, {});
    for (const row& r : rows_) {
      if (!r.cells.empty()) {
        put(r.cells, r.tail);
        continue;
      }
      if (&r != &rows_.front()) std::puts("");
      heads[0] = r.tail;
      put(heads, {}, "1");
    }
  }

 private:
  struct row {
    std::vector<std::string> cells;
    std::string tail;
  };
  std::vector<column> columns_;
  std::vector<row> rows_;
};

}  // namespace cli
