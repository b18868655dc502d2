// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance/roofline.hpp>

namespace ullage::inline v0 {

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

/// The links that a collective runs on: inside a scale-up domain, and between domains where the group is larger.
struct links {
  double inside = 1;              ///< ranks of the group in one domain
  double outside = 1;             ///< domains
  double inside_bytes_per_s = 0;  ///< one way, of one rank
  double outside_bytes_per_s = 0;
  bool crowded = false;  ///< more than two devices through the host
  time_problem problem = time_problem::none;
};
constexpr links links_for(double group, const fabric& f, const fabric& scale_out) noexcept {
  links l;
  if (!(group > 1)) return l;
  const double domain = real(f.domain);
  const bool has_fabric = f.shape != topology::none && domain > 1;
  if (has_fabric && group <= domain) {
    l.inside = group;
    l.inside_bytes_per_s = value_of(f.usable(of<devices>(truncate(group))));
    l.crowded = f.shape == topology::host_only && group > 2;
  } else {
    if (scale_out.per_device <= bytes_per_second{}) {
      l.problem = has_fabric ? time_problem::beyond_domain : time_problem::no_fabric;
      return l;
    }
    l.inside = has_fabric ? domain : 1;
    l.outside = group / l.inside;
    if (has_fabric) l.inside_bytes_per_s = value_of(f.usable(f.domain));
    l.outside_bytes_per_s = value_of(scale_out.per_device);
  }
  if (l.inside > 1 && !(l.inside_bytes_per_s > 0)) l.problem = time_problem::no_fabric;
  return l;
}

inline double ranks_factor(double n) noexcept {
  return n <= 8 ? n : 8 + 2 * std::log2(n / 8);
}

/// One collective of a group: library line base + per_rank·n + wire/(share·link); all-reduce also an engine's own kernel in
/// the same form, and the faster of the two. Between domains: reduce-scatter inside, all-reduce
/// of the n-th part outside, all-gather inside (the sum, without overlap); other collectives pay both legs.
inline cost collective_cost(collective what, double message_bytes, const links& l, const constants& c) noexcept {
  cost t;
  if (!(l.inside * l.outside > 1) || !(message_bytes > 0)) return t;
  const collective_constants& k = c.network;
  const std::size_t i = static_cast<std::size_t>(what);
  if (l.inside > 1) {
    const double wire_s = wire_bytes(what, message_bytes, l.inside) / l.inside_bytes_per_s;
    const double ranks = what == collective::send_receive ? 0.0 : ranks_factor(l.inside);
    const attained crowd = l.crowded ? k.crowd : attained{};
    const auto library = [&](double base, double each, double share) { return base + each * ranks + wire_s / share; };
    t.low_s = library(seconds_of(k.base[i].low), seconds_of(k.per_rank.low), k.link[i].high * crowd.high);
    t.mid_s = library(seconds_of(k.base[i].mid), seconds_of(k.per_rank.mid), k.link[i].mid * crowd.mid);
    t.high_s = library(seconds_of(k.base[i].high), seconds_of(k.per_rank.high), k.link[i].low * crowd.low);
    if (what == collective::all_reduce) {
      const auto better = [](double& line, double other) { line = other < line ? other : line; };
      better(t.low_s,
             library(seconds_of(k.graph_floor.low), seconds_of(k.graph_per_rank.low), k.graph_link.high * crowd.high));
      better(t.mid_s,
             library(seconds_of(k.graph_floor.mid), seconds_of(k.graph_per_rank.mid), k.graph_link.mid * crowd.mid));
      better(t.high_s,
             library(seconds_of(k.graph_floor.high), seconds_of(k.graph_per_rank.high), k.graph_link.low * crowd.low));
    }
  }
  if (l.outside > 1) {
    const double part = what == collective::send_receive ? message_bytes : message_bytes / l.inside;
    const double wire_s = wire_bytes(what, part, l.outside) / l.outside_bytes_per_s;
    const double hops = what == collective::send_receive ? 1.0 : 2 * std::ceil(std::log2(l.outside));
    t.low_s += seconds_of(k.scale_out_hop.low) * hops + wire_s / k.scale_out_link.high;
    t.mid_s += seconds_of(k.scale_out_hop.mid) * hops + wire_s / k.scale_out_link.mid;
    t.high_s += seconds_of(k.scale_out_hop.high) * hops + wire_s / k.scale_out_link.low;
  }
  t.network_s = t.mid_s;
  const double s = k.scatter * t.mid_s;
  t.scatter_s2 = s * s;
  t.from = weaker(k.link[i].from, k.base[i].from);
  if (l.outside > 1) t.from = weaker(t.from, k.scale_out_link.from);
  return t;
}

}  // namespace detail

/// Time of one collective over `group` devices joined by `f`, and by `scale_out` where the group is larger than f's
/// domain (without one: `beyond_domain`). `message`: all-reduce and send, the buffer of a rank; all-gather and
/// reduce-scatter, the whole gathered buffer; all-to-all, what one rank sends to all.
inline op_time collective_time(collective what, bytes message, devices group, const fabric& f, const constants& c,
                               const fabric& scale_out = {}) noexcept {
  if (message < bytes{} || overflowed(message) || group < of<devices>(1))
    return detail::no_time(time_problem::bad_load);
  const detail::links l = detail::links_for(real(group), f, scale_out);
  if (l.problem != time_problem::none) return detail::no_time(l.problem);
  return detail::finish(detail::collective_cost(what, real(message), l, c), math::bf16, math::bf16);
}

}  // namespace ullage::inline v0
