// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <ullage/estimate.hpp>

// The form of a collective's time: the fastest of a few lines over ranks and bytes. Docs: docs/formulas/performance.md.
namespace ullage::inline v0 {

enum class collective : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all, send_receive };
inline constexpr std::size_t collective_kinds = 5;

constexpr std::string_view name(collective c) noexcept {
  switch (c) {
    case collective::all_reduce: return "all_reduce";
    case collective::all_gather: return "all_gather";
    case collective::reduce_scatter: return "reduce_scatter";
    case collective::all_to_all: return "all_to_all";
    case collective::send_receive: return "send_receive";
  }
  return "all_reduce";
}

/// Whose kernel runs an all-reduce. An engine's own works inside one domain, on at most `engine_ranks`, and hands large
/// messages to the library itself; `_eager` is the same called outside a captured graph, where the host's launches show.
enum class collective_kernel : std::uint8_t { library, vllm, vllm_eager, sglang, sglang_eager, tensorrt_llm };
inline constexpr std::size_t collective_kernels = 6;
inline constexpr double engine_ranks = 8;

constexpr std::string_view name(collective_kernel k) noexcept {
  switch (k) {
    case collective_kernel::library: return "library";
    case collective_kernel::vllm: return "vllm";
    case collective_kernel::vllm_eager: return "vllm_eager";
    case collective_kernel::sglang: return "sglang";
    case collective_kernel::sglang_eager: return "sglang_eager";
    case collective_kernel::tensorrt_llm: return "tensorrt_llm";
  }
  return "library";
}

/// One protocol of a kernel: seconds = base + hop·(n − 1) + (wire·w(n) + own·(n − 1)^(crowd/2)) · S/link, for messages S up
/// to `limit_bytes` (0 = any). w(n) is `wire_bytes` over S, link what the fabric gives one device of the group.
struct collective_line {
  double base_s = 0;
  double hop_s = 0;  ///< beyond eight ranks two hops a doubling: trees
  double wire = 1;   ///< 1 = the whole link
  double own = 0;    ///< what each device moves whatever the ring carries: its own copy (crowd 0), a reading of every
                     ///< other rank (2), a way that all share (3, 4)
  std::uint8_t crowd = 0;
  double limit_bytes = 0;
  double scatter = 0;      ///< 80 % half-width of one measured collective around this line, as a share of its time
  double least_ranks = 0;  ///< fewer do not take it: switches that reduce serve groups of eight and more
};

/// The fastest of the lines that take the message. The last line takes every message of every group.
struct collective_curve {
  std::array<collective_line, 4> lines{};
  std::uint8_t used = 1;
  double half = 0;        ///< 80 % half-width of the whole curve, as a factor 1 + half: how far a transfer misses
  double crowd_half = 0;  ///< the same of `own` alone: how crowded a host is
  basis from = basis::unverified;
};

/// Bytes that one rank of n puts on its link for a message of S bytes: all-reduce 2·(n−1)/n·S; all-gather,
/// reduce-scatter and all-to-all (n−1)/n·S, with S the whole buffer; send S.
constexpr double wire_bytes(collective c, double message_bytes, double n) noexcept {
  if (!(n > 1)) return 0;
  switch (c) {
    case collective::all_reduce: return 2 * (n - 1) / n * message_bytes;
    case collective::all_gather:
    case collective::reduce_scatter:
    case collective::all_to_all: return (n - 1) / n * message_bytes;
    case collective::send_receive: return message_bytes;
  }
  return message_bytes;
}

namespace detail {

/// What the lines of a curve read of a group, worked out once.
struct ranks {
  double wire = 0;  ///< w(n): wire bytes over the message
  double hops = 0;
  double root = 0;  ///< √(n − 1)
  double n = 0;
};
inline ranks ranks_of(collective what, double n) noexcept {
  return {wire_bytes(what, 1, n), n <= 8 ? n - 1 : 7 + 2 * std::log2(n / 8), std::sqrt(n - 1), n};
}

inline double line_s(const collective_line& l, const ranks& r, double message_bytes, double link_bytes_per_s,
                     double crowd_factor = 1) noexcept {
  double crowd = l.own * crowd_factor;
  for (int i = 0; i < l.crowd; ++i) crowd *= r.root;
  return l.base_s + l.hop_s * r.hops + (l.wire * r.wire + crowd) * message_bytes / link_bytes_per_s;
}
/// The fastest line that takes the message, and its time. Limits lie between two measured sizes, a factor of two apart:
/// `low` has them twice as far out, `high` twice as near.
struct fastest {
  double seconds = 0;
  double low = 0;
  double high = 0;
  const collective_line* line = nullptr;
};
inline fastest fastest_line(const collective_curve& c, const ranks& r, double message_bytes, double link_bytes_per_s,
                            double crowd_factor = 1) noexcept {
  const std::size_t last = static_cast<std::size_t>(c.used) - 1;
  const double open = line_s(c.lines[last], r, message_bytes, link_bytes_per_s, crowd_factor);
  fastest best{open, open, open, &c.lines[last]};
  for (std::size_t i = 0; i < last; ++i) {
    const collective_line& l = c.lines[i];
    const double limit = l.limit_bytes > 0 ? l.limit_bytes : 1e300;
    if (message_bytes > 2 * limit || r.n < l.least_ranks) continue;
    const double s = line_s(l, r, message_bytes, link_bytes_per_s, crowd_factor);
    best.low = s < best.low ? s : best.low;
    if (2 * message_bytes <= limit) best.high = s < best.high ? s : best.high;
    if (message_bytes <= limit && s < best.seconds) {
      best.seconds = s;
      best.line = &l;
    }
  }
  return best;
}

}  // namespace detail

}  // namespace ullage::inline v0
