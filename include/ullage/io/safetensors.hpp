// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <ullage/io/json.hpp>
#include <ullage/io/result.hpp>
#include <ullage/units.hpp>
#include <unordered_set>
#include <utility>
#include <vector>

// The headers of safetensors files: names, types, shapes and bytes of tensors as stored, without reading a tensor. Format:
// github.com/huggingface/safetensors: eight bytes of header length (little-endian), a JSON object, then the data.
namespace ullage::inline v0::io {

/// A type of stored numbers, with its width.
struct stored_type {
  std::string_view name;
  int bits = 0;
};
inline constexpr std::array<stored_type, 21> stored_types{
    {{"BOOL", 8},        {"U8", 8},   {"I8", 8},   {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
     {"F8_E5M2FNUZ", 8}, {"I16", 16}, {"U16", 16}, {"F16", 16},    {"BF16", 16},   {"I32", 32},    {"U32", 32},
     {"F32", 32},        {"I64", 64}, {"U64", 64}, {"F64", 64},    {"C64", 64},    {"F4", 4},      {"F6_E2M3", 6}}};

/// All tensors whose names differ only in numbers, and that have one type.
struct stored_family {
  count tensors{};
  count elements{};
  bytes stored{};
  std::int64_t rows = 0;  ///< of the first one
  std::int64_t cols = 0;  ///< product of its other sizes
};

/// What the headers of a checkpoint say.
struct stored_checkpoint {
  std::int64_t files = 0;
  std::int64_t tensors = 0;
  count elements{};
  bytes stored{};  ///< of all tensors
  bytes header{};  ///< of all headers
  bytes stated{};  ///< metadata.total_size of the index; 0 where it has none
  std::map<std::string, bytes> by_type{};
  /// By name with every run of digits as '*', then ' ' and the type: "model.layers.*.mlp.up_proj.weight BF16".
  std::map<std::string, stored_family> families{};
  std::int64_t not_in_index = 0;  ///< tensors of the files that the index does not name
  std::int64_t not_in_files = 0;  ///< names of the index that no file holds
};

namespace detail {

/// "a.12.b.3" as "a.*.b.*".
inline void pattern_of(std::string_view name, std::string& into) {
  into.clear();
  bool in_number = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool digit = c >= '0' && c <= '9';
    // Only whole words of digits are numbers: "w1" and "fc2" are names.
    const bool starts = digit && (i == 0 || name[i - 1] == '.' || in_number);
    if (starts) {
      std::size_t end = i;
      while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
      if (end == name.size() || name[end] == '.') {
        into += '*';
        i = end - 1;
        in_number = false;
        continue;
      }
    }
    into += c;
  }
}
inline std::uint64_t hash_of(std::string_view s) noexcept {
  std::uint64_t h = 14695981039346656037ULL;  // FNV-1a
  for (char c : s) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return h;
}

/// Reads one header event by event. A tensor is {"dtype": …, "shape": […], "data_offsets": [begin, end]}.
class safetensors_header {
 public:
  safetensors_header(stored_checkpoint& into, std::vector<std::uint64_t>& names, std::uint64_t data_bytes)
      : into_(into),
        names_(names),
        data_bytes_(data_bytes) {}
  std::string complaint;
  std::uint64_t covered = 0;  ///< bytes of the tensors together

  bool null() { return unexpected("null"); }
  bool boolean(bool) { return unexpected("a boolean"); }
  bool number_integer(json::number_integer_t) { return unexpected("a negative number"); }
  bool number_float(json::number_float_t, const std::string&) { return unexpected("a fraction"); }
  bool binary(json::binary_t&) { return false; }
  bool number_unsigned(json::number_unsigned_t n) {
    if (depth_ != 3 || in_metadata_) return unexpected("a number");
    if (field_ == field::shape) {
      if (dims_ == most_dims) return complain("has more than 8 sizes");
      shape_[dims_++] = n;
      return true;
    }
    if (field_ == field::offsets) {
      if (offsets_ == 2) return complain("has more than two data_offsets");
      offset_[offsets_++] = n;
      return true;
    }
    return unexpected("a number");
  }
  bool string(std::string& s) {
    if (in_metadata_ && depth_ == 2) return true;
    if (depth_ != 2 || field_ != field::type) return unexpected("a text");
    bits_ = 0;
    for (const stored_type& t : stored_types)
      if (t.name == s) bits_ = t.bits;
    if (bits_ == 0) return complain("has the type " + in_quotes(s) + ", which is not known");
    type_ = s;
    return true;
  }
  bool start_object(std::size_t) {
    ++depth_;
    if (depth_ > 2) return unexpected("an object");
    if (depth_ == 2) {
      field_ = field::none;
      bits_ = -1;
      dims_ = offsets_ = 0;
      has_shape_ = false;
    }
    return true;
  }
  bool end_object() {
    --depth_;
    if (depth_ != 1) return true;
    if (in_metadata_) {
      in_metadata_ = false;
      return true;
    }
    return finish_tensor();
  }
  bool start_array(std::size_t) {
    ++depth_;
    if (depth_ != 3 || in_metadata_ || (field_ != field::shape && field_ != field::offsets))
      return unexpected("a list");
    if (field_ == field::shape) has_shape_ = true;
    return true;
  }
  bool end_array() {
    --depth_;
    return true;
  }
  bool key(std::string& k) {
    if (depth_ == 1) {
      name_ = k;
      in_metadata_ = k == "__metadata__";
      if (!in_metadata_) names_.push_back(hash_of(k));
      return true;
    }
    if (in_metadata_) return true;
    field_ = k == "dtype"          ? field::type
             : k == "shape"        ? field::shape
             : k == "data_offsets" ? field::offsets
                                   : field::none;
    return field_ != field::none || complain("has the key " + in_quotes(k) + ", which is not known");
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) {
    complaint = "is not valid JSON at byte " + std::to_string(position);
    return false;
  }

 private:
  enum class field : std::uint8_t { none, type, shape, offsets };
  static constexpr std::size_t most_dims = 8;

  bool complain(const std::string& what) {
    complaint = "holds the tensor " + in_quotes(name_) + ", which " + what;
    return false;
  }
  bool unexpected(const char* what) {
    if (!name_.empty()) return complain(std::string("holds ") + what + " where none is expected");
    complaint = std::string("holds ") + what + " where an object of tensors is expected";
    return false;
  }
  bool finish_tensor() {
    if (bits_ < 0 || !has_shape_ || offsets_ != 2) return complain("lacks dtype, shape or two data_offsets");
    count elements(1);
    for (std::size_t i = 0; i < dims_; ++i) {
      if (shape_[i] > (std::uint64_t{1} << 53)) return complain("has a size beyond 2^53");
      elements *= count(static_cast<std::int64_t>(shape_[i]));
    }
    const count bytes_of_shape = ceil_div(elements * count(bits_), count(8));
    const std::uint64_t begin = offset_[0];
    const std::uint64_t end = offset_[1];
    if (begin > end || end > data_bytes_) return complain("lies outside of the file's data");
    if (bytes_of_shape.overflowed() || static_cast<std::uint64_t>(bytes_of_shape.value()) != end - begin)
      return complain("has " + std::to_string(end - begin) + " bytes, but its shape and type make " +
                      (bytes_of_shape.overflowed() ? std::string("too many") : std::to_string(bytes_of_shape.value())));
    covered += end - begin;
    const bytes stored = of<bytes>(bytes_of_shape);
    ++into_.tensors;
    into_.elements += elements;
    into_.stored += stored;
    into_.by_type[type_] += stored;
    pattern_of(name_, pattern_);
    pattern_ += ' ';
    pattern_ += type_;
    stored_family& f = into_.families[pattern_];
    if (f.tensors == count(0)) {
      f.rows = dims_ > 0 ? static_cast<std::int64_t>(shape_[0]) : 1;
      f.cols = f.rows > 0 && !elements.overflowed() ? elements.value() / f.rows : 0;
    }
    f.tensors += count(1);
    f.elements += elements;
    f.stored += stored;
    return true;
  }

  stored_checkpoint& into_;
  std::vector<std::uint64_t>& names_;
  std::uint64_t data_bytes_;
  std::string name_;
  std::string type_;
  std::string pattern_;
  field field_ = field::none;
  int depth_ = 0;
  bool in_metadata_ = false;
  bool has_shape_ = false;
  int bits_ = -1;
  std::uint64_t shape_[most_dims]{};
  std::size_t dims_ = 0;
  std::uint64_t offset_[2]{};
  std::size_t offsets_ = 0;
};

/// {"metadata": {"total_size": n}, "weight_map": {"tensor": "file"}}, event by event.
class safetensors_index {
 public:
  std::vector<std::string> files;
  std::vector<std::uint64_t> names;  ///< as hashes
  std::uint64_t total_size = 0;
  std::string complaint;
  bool total_alone = false;
  bool done = false;

  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(json::number_integer_t) { return true; }
  bool number_float(json::number_float_t n, const std::string&) {
    if (depth_ == 2 && part_ == "metadata" && key_ == "total_size" && n > 0 && n < 9e18)
      total_size = static_cast<std::uint64_t>(n);
    return true;
  }
  bool binary(json::binary_t&) { return false; }
  bool number_unsigned(json::number_unsigned_t n) {
    if (depth_ == 2 && part_ == "metadata" && key_ == "total_size") total_size = n;
    return true;
  }
  bool string(std::string& s) {
    if (depth_ != 2 || part_ != "weight_map") return true;
    names.push_back(hash_of(key_));
    if (seen_.insert(s).second) {
      if (s.empty() || s.find('/') != std::string::npos || s.find('\\') != std::string::npos || s == "..") {
        complaint = "names the file " + in_quotes(s) + "; expected a file beside it";
        return false;
      }
      files.push_back(s);
    }
    return true;
  }
  bool start_object(std::size_t) { return ++depth_ <= 64; }
  bool end_object() {
    --depth_;
    // Where only the total is wanted, the map that follows it is not read.
    if (depth_ == 1 && part_ == "metadata" && total_alone) done = true;
    return !done;
  }
  bool start_array(std::size_t) { return ++depth_ <= 64; }
  bool end_array() {
    --depth_;
    return true;
  }
  bool key(std::string& k) {
    (depth_ == 1 ? part_ : key_) = k;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) {
    complaint = "is not valid JSON at byte " + std::to_string(position);
    return false;
  }

 private:
  int depth_ = 0;
  std::string part_;
  std::string key_;
  std::unordered_set<std::string> seen_;
};

/// Whether files are all parts of one numbered set: "model-00001-of-00061.safetensors" and so on to the last.
inline bool is_whole_set(const std::vector<std::filesystem::path>& files) {
  std::string first;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string name = files[i].stem().string();
    const std::size_t of = name.rfind("-of-");
    if (of == std::string::npos || of < 6) return false;
    const std::string_view number = std::string_view(name).substr(of - 5, 5);
    const std::string_view total = std::string_view(name).substr(of + 4);
    const auto digits = [](std::string_view w) {
      return !w.empty() && w.size() <= 9 &&
             std::all_of(w.begin(), w.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    if (!digits(number) || !digits(total) || std::stoul(std::string(total)) != files.size()) return false;
    if (std::stoul(std::string(number)) != i + 1) return false;
    if (i == 0) first = name.substr(0, of - 5);
    if (name.substr(0, of - 5) != first) return false;
  }
  return !files.empty();
}

/// The header of one file into `into`; the reason when it is none.
inline std::string read_safetensors_file(const std::filesystem::path& file, stored_checkpoint& into,
                                         std::vector<std::uint64_t>& names) {
  constexpr std::uint64_t most_header = 100'000'000;  // the format's own bound
  std::error_code ec;
  if (!std::filesystem::is_regular_file(file, ec)) return "is not a file";
  const std::uintmax_t size = std::filesystem::file_size(file, ec);
  std::ifstream in(file, std::ios::binary);
  if (ec || !in) return "cannot be opened";
  unsigned char length[8]{};
  in.read(reinterpret_cast<char*>(length), 8);
  if (in.gcount() != 8) return "has " + std::to_string(size) + " bytes; a header's length alone takes 8";
  std::uint64_t header = 0;
  for (int i = 7; i >= 0; --i) header = header << 8 | length[i];
  if (header > most_header || header + 8 > size)
    return "states a header of " + std::to_string(header) + " bytes and has " + std::to_string(size) +
           "; expected at most " + std::to_string(most_header) + " and a header inside the file";
  std::string text(static_cast<std::size_t>(header), '\0');
  in.read(text.data(), static_cast<std::streamsize>(header));
  if (static_cast<std::uint64_t>(in.gcount()) != header) return "ends inside its header";
  if (text.empty() || text.front() != '{') return "has a header that does not begin with an object";
  safetensors_header reader(into, names, size - 8 - header);
  if (!json::sax_parse(text.data(), text.data() + text.size(), &reader))
    return reader.complaint.empty() ? std::string("has a header that is not valid JSON") : reader.complaint;
  if (reader.covered != size - 8 - header)
    return "holds " + std::to_string(size - 8 - header) + " bytes of data, of which its tensors cover " +
           std::to_string(reader.covered);
  ++into.files;
  into.header += of<bytes>(static_cast<std::int64_t>(header));
  return {};
}

}  // namespace detail

/// The stored tensors of a .safetensors file, of a model.safetensors.index.json with its shards, or of a folder that holds
/// either. Reads headers only. `field` is what an error names.
inline result<stored_checkpoint> read_safetensors(const std::string& path, const std::string& field = "model.path") {
  namespace fs = std::filesystem;
  const auto refuse = [&](const fs::path& file, const std::string& why) {
    return error{error_code::bad_file, field,
                 field + " leads to " + detail::shown_path(file.string()) + ", which " + why + "."};
  };
  std::error_code ec;
  fs::path place(path);
  std::vector<fs::path> files;
  detail::safetensors_index index;
  bool indexed = false;
  const auto read_index = [&](const fs::path& file) -> std::string {
    const result<std::string> text = read_text(file.string(), field);
    if (!text) return "cannot be read";
    if (!json::sax_parse(text->data(), text->data() + text->size(), &index) && !index.done)
      return index.complaint.empty() ? std::string("is not valid JSON") : index.complaint;
    if (index.done || index.total_alone) return {};
    if (index.files.empty()) return "names no file in weight_map";
    for (const std::string& f : index.files) files.push_back(file.parent_path() / f);
    indexed = true;
    return {};
  };
  if (fs::is_directory(place, ec)) {
    for (fs::directory_iterator it(place, ec), end; !ec && it != end; it.increment(ec))
      if (it->path().extension() == ".safetensors") files.push_back(it->path());
    std::sort(files.begin(), files.end());
    const fs::path index_file = place / "model.safetensors.index.json";
    if (fs::exists(index_file, ec)) {
      // A whole numbered set needs no index, which is as long as the headers; only its total is then read.
      index.total_alone = detail::is_whole_set(files);
      if (!index.total_alone) files.clear();
      if (const std::string why = read_index(index_file); !why.empty()) return refuse(index_file, why);
    } else if (files.empty()) {
      return refuse(place, "holds no .safetensors file; expected one, or an index");
    }
  } else if (place.extension() == ".json") {
    if (const std::string why = read_index(place); !why.empty()) return refuse(place, why);
  } else {
    files.push_back(place);
  }
  stored_checkpoint all;
  std::vector<std::uint64_t> names;
  names.reserve(index.names.size());
  for (const fs::path& f : files)
    if (const std::string why = detail::read_safetensors_file(f, all, names); !why.empty()) return refuse(f, why);
  if (overflowed(all.stored) || all.elements.overflowed())
    return refuse(place, "holds more bytes than 2^63; expected a real checkpoint");
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end())
    return refuse(place, "holds two tensors of one name; expected each name once over all files");
  all.stated = of<bytes>(static_cast<std::int64_t>((std::min)(index.total_size, std::uint64_t{1} << 62)));
  if (indexed) {
    std::sort(index.names.begin(), index.names.end());
    for (std::uint64_t n : names)
      all.not_in_index += std::binary_search(index.names.begin(), index.names.end(), n) ? 0 : 1;
    for (std::uint64_t n : index.names) all.not_in_files += std::binary_search(names.begin(), names.end(), n) ? 0 : 1;
  }
  return all;
}

}  // namespace ullage::inline v0::io
