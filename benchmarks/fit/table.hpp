// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Tables of measured kernels: comma-separated with a header line, plain (.csv) or compressed (.csv.gz).
namespace fit {

class table {
 public:
  /// `folder`/`name`.csv.gz, else `folder`/`name`.csv; zlib reads both. Throws a sentence when neither can be read.
  static table read(const std::string& folder, const std::string& name) {
    for (const char* end : {".csv.gz", ".csv"}) {
      const std::string path = folder + "/" + name + end;
      if (!std::filesystem::exists(path)) continue;
      return table(path);
    }
    throw std::runtime_error("no " + name + ".csv.gz and no " + name + ".csv in " + folder);
  }
  std::size_t size() const { return rows_.size(); }
  bool has(std::string_view column) const { return columns_.find(column) != columns_.end(); }
  std::string_view text(std::size_t row, std::string_view column) const {
    const auto c = columns_.find(column);
    if (c == columns_.end()) throw std::runtime_error(path_ + " has no column " + std::string(column));
    return rows_[row][c->second];
  }
  double number(std::size_t row, std::string_view column) const {
    return std::strtod(std::string(text(row, column)).c_str(), nullptr);
  }

 private:
  explicit table(const std::string& path) : path_(path) {
    gzFile file = gzopen(path.c_str(), "rb");
    if (file == nullptr) throw std::runtime_error("cannot open " + path);
    std::vector<char> piece(1 << 20);
    int n = 0;
    while ((n = gzread(file, piece.data(), static_cast<unsigned>(piece.size()))) > 0)
      text_.append(piece.data(), static_cast<std::size_t>(n));
    gzclose(file);
    if (n < 0) throw std::runtime_error("cannot decompress " + path);
    const std::string_view all = text_;
    std::size_t at = 0;
    bool first = true;
    while (at < all.size()) {
      const std::size_t end = (std::min)(all.find('\n', at), all.size());
      std::string_view line = all.substr(at, end - at);
      at = end + 1;
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      if (line.empty()) continue;
      std::vector<std::string_view> cells;
      for (std::size_t from = 0; from <= line.size();) {
        const std::size_t comma = (std::min)(line.find(',', from), line.size());
        cells.push_back(line.substr(from, comma - from));
        from = comma + 1;
      }
      if (first) {
        for (std::size_t i = 0; i < cells.size(); ++i) columns_.emplace(cells[i], i);
        first = false;
        continue;
      }
      if (cells.size() != columns_.size())
        throw std::runtime_error(path + ": a line has " + std::to_string(cells.size()) + " cells, the header " +
                                 std::to_string(columns_.size()));
      rows_.push_back(std::move(cells));
    }
  }

  std::string path_;
  std::string text_;
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::vector<std::vector<std::string_view>> rows_;

 public:
  table(table&&) = delete;  // rows look into the text
  table& operator=(table&&) = delete;
};

}  // namespace fit
