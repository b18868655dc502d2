// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <ullage/io/hf/family.hpp>
#include <ullage/model/transformer.hpp>

// What readers of hybrids and state-space models have in common.
namespace ullage::inline v0::io::hf {

/// One byte a layer.
using layer_codes = std::array<std::uint8_t, transformer::most_layers>;

/// Takes keys that say nothing of tensors, cache or state in this family: scales, initial values, kernels.
inline void pass_keys(object_reader& r, std::initializer_list<std::string_view> keys) {
  for (std::string_view key : keys) r.find(key);
}

/// 32 where the config's type of tensors is float32, else 16: what states of the activation's type take.
inline int dtype_bits(object_reader& r) {
  const json* v = r.find("dtype");
  if (v == nullptr) v = r.find("torch_dtype");
  if (v == nullptr || !v->is_string()) return 16;
  const std::string& word = v->get_ref<const std::string&>();
  return word == "float32" || word == "float" || word == "torch.float32" ? 32 : 16;
}

/// Bits of a recurrent state that the config names a type for; "auto" and absent = `fallback`.
inline int state_bits(object_reader& r, std::string_view key, int fallback) {
  const std::string word = r.text(key);
  if (word.empty() || word == "auto") return fallback;
  if (word == "float32") return 32;
  require_value(r, key, word != "bfloat16" && word != "float16", "float32, bfloat16 or float16");
  return 16;
}

/// a · b within the bound that keeps every later product inside 64 bits.
inline std::int64_t bounded_product(object_reader& r, std::string_view key, std::int64_t a, std::int64_t b) {
  if (a == 0 || b <= most_elements / a) return a * b;
  r.fail_at(key, error_code::overflow,
            "makes " + std::to_string(a) + " times " + std::to_string(b) + " elements; expected at most " +
                std::to_string(most_elements) + ".");
  return 1;
}

/// A size under either of two names; both may stand there if they agree.
inline std::int64_t whole_of_two(object_reader& r, std::string_view key, std::string_view other, std::int64_t fallback,
                                 std::int64_t least, std::int64_t most = most_elements) {
  const std::int64_t second = r.whole(other, fallback, least, most);
  const std::int64_t first = r.whole(key, second, least, most);
  if (r.ok() && r.has(other) && first != second)
    r.fail_at(
        other, error_code::bad_value,
        "is " + std::to_string(second) + "; expected the " + std::to_string(first) + " of " + std::string(key) + ".");
  if (r.ok() && first < least) r.missing(key, "a whole number");
  return first;
}

/// Refuses a size that does not follow from the others.
inline void expect_size(object_reader& r, std::string_view key, std::int64_t said, std::int64_t follows,
                        std::string_view from) {
  if (!r.ok() || said == follows) return;
  r.fail_at(key, error_code::bad_value,
            "is " + std::to_string(said) + "; expected " + std::to_string(follows) + ", " + std::string(from) + ".");
}

inline void expect_divisor(object_reader& r, std::string_view key, std::int64_t divisor, std::string_view of,
                           std::int64_t whole) {
  if (!r.ok() || (divisor > 0 && whole % divisor == 0)) return;
  r.fail_at(key, error_code::bad_value,
            "is " + std::to_string(divisor) + "; expected a divisor of " + std::string(of) + " " +
                std::to_string(whole) + ".");
}

inline void expect_experts_per_token(object_reader& r, std::string_view key, std::int64_t per_token,
                                     std::int64_t experts) {
  if (!r.ok() || per_token <= experts) return;
  r.fail_at(key, error_code::bad_value,
            "is " + std::to_string(per_token) + "; expected at most the " + std::to_string(experts) + " experts.");
}

/// Query and key heads, and the size of a head; `head_dim` 0 = hidden_size / num_attention_heads.
struct head_counts {
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
};
inline head_counts read_heads(object_reader& r, std::int64_t hidden, std::int64_t head_dim) {
  head_counts h;
  h.heads = r.required_whole("num_attention_heads", 1, most_elements);
  h.kv_heads = r.whole("num_key_value_heads", h.heads, 1, most_elements);
  h.head_dim = r.whole("head_dim", head_dim, 1, most_elements);
  if (h.head_dim == 0) {
    expect_divisor(r, "num_attention_heads", h.heads, "hidden_size", hidden);
    h.head_dim = r.ok() ? hidden / h.heads : 1;
  }
  expect_divisor(r, "num_key_value_heads", h.kv_heads, "num_attention_heads", h.heads);
  bounded_product(r, "num_attention_heads", h.heads, h.head_dim);
  return h;
}

/// A word of a per-layer list and the code it stands for.
struct layer_word {
  std::string_view word{};
  std::uint8_t code = 0;
};

/// Reads a list of one word a layer. False = the key is absent.
inline bool read_layer_words(object_reader& r, std::string_view key, std::int64_t layers,
                             std::initializer_list<layer_word> words, layer_codes& codes) {
  const json* list = r.find(key);
  if (list == nullptr) return false;
  if (!list->is_array() || list->size() != static_cast<std::size_t>(layers)) {
    r.fail_at(key, error_code::bad_value,
              (list->is_array() ? "names " + std::to_string(list->size()) + " layers" : "is " + detail::shown(*list)) +
                  "; expected one word for each of the " + std::to_string(layers) + " layers.");
    return true;
  }
  std::size_t i = 0;
  for (const json& entry : *list) {
    const layer_word* found = nullptr;
    for (const layer_word& w : words)
      if (entry.is_string() && entry.get_ref<const std::string&>() == w.word) found = &w;
    if (found == nullptr) {
      std::string known;
      for (const layer_word& w : words) known += (known.empty() ? "" : ", ") + std::string(w.word);
      r.fail_at(key, error_code::unknown_field, "holds " + detail::shown(entry) + "; expected " + known + ".");
      return true;
    }
    codes[i++] = found->code;
  }
  return true;
}

/// Reads a list of one 0 or 1 a layer. False = the key is absent.
inline bool read_layer_bits(object_reader& r, std::string_view key, std::int64_t layers, layer_codes& codes) {
  const json* list = r.find(key);
  if (list == nullptr) return false;
  if (!list->is_array() || list->size() != static_cast<std::size_t>(layers)) {
    r.fail_at(key, error_code::bad_value,
              (list->is_array() ? "names " + std::to_string(list->size()) + " layers" : "is " + detail::shown(*list)) +
                  "; expected 0 or 1 for each of the " + std::to_string(layers) + " layers.");
    return true;
  }
  std::size_t i = 0;
  for (const json& entry : *list) codes[i++] = static_cast<std::uint8_t>(r.whole_of(entry, key, 0, 0, 1));
  return true;
}

/// Marks the layers whose numbers a list holds, counted from `first`. False = the key is absent.
inline bool read_layer_numbers(object_reader& r, std::string_view key, std::int64_t layers, std::int64_t first,
                               layer_codes& codes) {
  const json* list = r.find(key);
  if (list == nullptr) return false;
  if (!list->is_array()) {
    r.fail_at(key, error_code::bad_value, "is " + detail::shown(*list) + "; expected a list of layers.");
    return true;
  }
  for (const json& entry : *list)
    codes[static_cast<std::size_t>(r.whole_of(entry, key, first, first, layers - 1 + first) - first)] = 1;
  return true;
}

/// period and offset of "every n-th layer".
inline void read_every_nth(object_reader& r, std::string_view period_key, std::string_view offset_key,
                           std::int64_t period, std::int64_t offset, std::int64_t layers, layer_codes& codes) {
  const std::int64_t p = r.whole(period_key, period, 1, most_elements);
  const std::int64_t o = r.whole(offset_key, offset, 0, most_elements);
  if (r.ok() && o >= p)
    r.fail_at(
        offset_key, error_code::bad_value,
        "is " + std::to_string(o) + "; expected less than " + std::string(period_key) + " " + std::to_string(p) + ".");
  for (std::int64_t i = 0; i < layers && r.ok(); ++i) codes[static_cast<std::size_t>(i)] = i % p == o ? 1 : 0;
}

}  // namespace ullage::inline v0::io::hf
