// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance/roofline.hpp>

namespace ullage::inline v0 {

namespace detail {

/// The links that a collective runs on: inside a scale-up domain, and between domains where the group is larger.
struct links {
  double inside = 1;              ///< ranks of the group in one domain
  double outside = 1;             ///< domains
  double inside_bytes_per_s = 0;  ///< one way, of one rank
  double pair_bytes_per_s = 0;    ///< the same of two ranks alone
  double outside_bytes_per_s = 0;
  bool through_host = false;  ///< between the domains is the host, not a network card
  time_problem problem = time_problem::none;
};
constexpr links links_for(double group, const fabric& f, const fabric& scale_out) noexcept {
  links l;
  if (!(group > 1)) return l;
  const double domain = real(f.domain);
  const bool has_fabric = f.shape != topology::none && domain > 1;
  if (has_fabric && group <= domain) {
    l.inside = group;
  } else {
    if (scale_out.per_device <= bytes_per_second{}) {
      l.problem = has_fabric ? time_problem::beyond_domain : time_problem::no_fabric;
      return l;
    }
    // Spread evenly over as few domains as hold the group.
    l.outside = group;
    if (has_fabric) l.outside = static_cast<double>(static_cast<std::int64_t>((group - 1) / domain)) + 1;
    l.inside = group / l.outside;
    l.outside_bytes_per_s = value_of(scale_out.per_device);
    l.through_host = scale_out.reach == fabric_reach::host;
  }
  if (l.inside > 1) {
    l.inside_bytes_per_s = value_of(f.usable(of<devices>(truncate(l.inside < 2 ? 2 : l.inside))));
    l.pair_bytes_per_s = l.inside > 2 ? value_of(f.usable(of<devices>(2))) : l.inside_bytes_per_s;
    if (!(l.inside_bytes_per_s > 0)) l.problem = time_problem::no_fabric;
  }
  return l;
}

/// The time inside one domain.
inline cost inside_cost(collective what, double message_bytes, const links& l, const collective_constants& k,
                        bool alone) noexcept {
  cost t;
  const bool send = what == collective::send_receive;
  const double n = send ? 2 : l.inside;
  const bool by_engine = alone && what == collective::all_reduce && k.all_reduce_by != collective_kernel::library &&
                         l.inside <= engine_ranks;
  const collective_curve& c =
      by_engine ? k.all_reduce[static_cast<std::size_t>(k.all_reduce_by)] : k.library[static_cast<std::size_t>(what)];
  const ranks r = ranks_of(send ? collective::all_to_all : what, n);
  const double bytes = send ? 2 * message_bytes : message_bytes;
  const double link = send ? l.pair_bytes_per_s : l.inside_bytes_per_s;
  const fastest f = fastest_line(c, r, bytes, link);
  t.mid_s = f.seconds;
  t.low_s = f.low;
  t.high_s = f.high;
  if (c.crowd_half > 0) {
    t.low_s = fastest_line(c, r, bytes, link, 1 / (1 + c.crowd_half)).low;
    t.high_s = fastest_line(c, r, bytes, link, 1 + c.crowd_half).high;
  }
  // Beyond eight ranks the lines are drawn further than any table goes (a rack of 72: 840 GB/s, modelled 795).
  const double half = n > 8 && c.half < .2 ? .2 : c.half;
  t.low_s /= 1 + half;
  t.high_s *= 1 + half;
  const double s = f.line->scatter * t.mid_s;
  t.scatter_s2 = s * s;
  t.from = c.from;
  return t;
}

/// One collective of a group. Between domains an all-reduce is a reduce-scatter inside, an all-reduce of the n-th part
/// between, and an all-gather inside; the two inside move what an all-reduce inside moves and cost as much. An all-to-all
/// splits by destination; all-gather and reduce-scatter send each domain's share once. The shorter leg runs under the
/// longer but for 1 − overlap.
inline cost collective_cost(collective what, double message_bytes, const links& l, const constants& c) noexcept {
  cost t;
  if (!(l.inside * l.outside > 1) || !(message_bytes > 0)) return t;
  const collective_constants& k = c.network;
  const bool across = l.outside > 1;
  const bool send = what == collective::send_receive;
  if (l.inside > 1 && !(across && send)) {
    // Of what a rank sends to all, this part stays in its domain.
    const bool scatters = what == collective::all_to_all;
    t = inside_cost(what, scatters && across ? message_bytes / l.outside : message_bytes, l, k, !across);
  }
  if (across) {
    // A rank's network card carries the n-th part of the domain's traffic; an all-to-all, all that leaves the domain.
    const double part = what == collective::all_to_all || send ? message_bytes : message_bytes / l.inside;
    cost outside;
    if (l.through_host) {
      // The host's lines, crowded by all devices of the group.
      const collective of_lines = send ? collective::all_to_all : what;
      const collective_curve& host = k.host[static_cast<std::size_t>(of_lines)];
      ranks r = ranks_of(of_lines, send ? 2 : l.outside);
      r.root = std::sqrt(send ? 1 : l.inside * l.outside - 1);
      const double bytes = send ? 2 * part : part;
      const auto at = [&](double crowd) { return fastest_line(host, r, bytes, l.outside_bytes_per_s, crowd).seconds; };
      outside = {at(1 / (1 + host.crowd_half)) / (1 + host.half), at(1), at(1 + host.crowd_half) * (1 + host.half)};
    } else {
      const double wire_s = wire_bytes(what, part, l.outside) / l.outside_bytes_per_s;
      // Trees, up and down for an all-reduce; what goes to one destination goes at once.
      double depth = 1;
      if (!send && what != collective::all_to_all)
        for (double reached = 2; reached < l.outside; reached *= 2) ++depth;
      const double hops = what == collective::all_reduce ? 2 * depth : depth;
      outside = {seconds_of(k.scale_out_hop.low) * hops + wire_s / k.scale_out_link.high,
                 seconds_of(k.scale_out_hop.mid) * hops + wire_s / k.scale_out_link.mid,
                 seconds_of(k.scale_out_hop.high) * hops + wire_s / k.scale_out_link.low};
    }
    const auto both = [&](double inside_s, double outside_s) {
      const double longer = inside_s > outside_s ? inside_s : outside_s;
      return longer + (1 - k.overlap) * (inside_s + outside_s - longer);
    };
    t.low_s = both(t.low_s, outside.low_s);
    t.mid_s = both(t.mid_s, outside.mid_s);
    t.high_s = both(t.high_s, outside.high_s);
    const double s = k.scale_out_scatter * t.mid_s;
    t.scatter_s2 = s * s;
    t.from = weaker(t.from, k.scale_out_link.from);
  }
  t.network_s = t.mid_s;
  return t;
}

}  // namespace detail

/// Time of one collective over `group` devices joined by `f`, and by `scale_out` where the group is larger than f's
/// domain (without one: `beyond_domain`). `message`: all-reduce and send, the buffer of a rank; all-gather and
/// reduce-scatter, the whole gathered buffer; all-to-all, what one rank sends to all. An all-reduce of at most eight in
/// one domain is `c.network.all_reduce_by`'s kernel.
inline op_time collective_time(collective what, bytes message, devices group, const fabric& f, const constants& c,
                               const fabric& scale_out = {}) noexcept {
  if (message < bytes{} || overflowed(message) || group < of<devices>(1))
    return detail::no_time(time_problem::bad_load);
  const detail::links l = detail::links_for(real(group), f, scale_out);
  if (l.problem != time_problem::none) return detail::no_time(l.problem);
  detail::cost k = detail::collective_cost(what, real(message), l, c);
  if (l.inside > 1) k.from = weaker(k.from, f.from);
  if (l.outside > 1) k.from = weaker(k.from, scale_out.from);
  return detail::finish(k, math::bf16, math::bf16);
}

}  // namespace ullage::inline v0
