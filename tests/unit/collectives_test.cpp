// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <ullage/catalog.hpp>
#include <ullage/performance.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace ullage;

namespace {

constexpr collective every_collective[] = {collective::all_reduce, collective::all_gather, collective::reduce_scatter,
                                           collective::all_to_all, collective::send_receive};
const accelerator* const parts[] = {&catalog::a100_sxm_80gb,
                                    &catalog::h100_sxm,
                                    &catalog::h200_sxm,
                                    &catalog::b200,
                                    &catalog::b300,
                                    &catalog::gb200,
                                    &catalog::gb300,
                                    &catalog::l40s,
                                    &catalog::arc_pro_b60,
                                    &catalog::mi300x,
                                    &catalog::rtx_pro_6000_server,
                                    &catalog::gaudi2,
                                    &catalog::tpu_v5e,
                                    &catalog::tpu_v5p,
                                    &catalog::v100_sxm_32gb,
                                    &catalog::rtx_4090,
                                    &catalog::h100_pcie,
                                    &catalog::h800_sxm};
constexpr double gib = 1073741824.0;

estimate<seconds> took(collective what, double message, std::int64_t group, const accelerator& a, const constants& c,
                       const fabric& scale_out = {}) {
  const op_time t = collective_time(what, of<bytes>(truncate(message)), of<devices>(group), a.scale_up, c, scale_out);
  if (t.problem != time_problem::none)
    FAIL(a.id << " " << name(what) << " " << message << " B among " << group << ": " << sentence(t.problem));
  return t.time;
}
/// Bus bandwidth as NCCL's tests count it, GB/s.
double bus(const accelerator& a, std::int64_t group, double message, const fabric& scale_out = {},
           collective what = collective::all_reduce) {
  const double s = value_of(took(what, message, group, a, constants_for(a), scale_out).mid);
  return wire_bytes(what, message, static_cast<double>(group)) / s / 1e9;
}

}  // namespace

TEST_CASE("wire bytes: an all-reduce is a reduce-scatter and an all-gather") {
  for (double n : {1.0, 2.0, 3.0, 8.0, 72.0}) {
    for (double s : {0.0, 1.0, 4096.0, 1e12}) {
      CHECK(wire_bytes(collective::all_reduce, s, n) ==
            Approx(wire_bytes(collective::reduce_scatter, s, n) + wire_bytes(collective::all_gather, s, n)));
      // Over g domains of n: n-th parts outside and the whole inside add up to what a flat group sends.
      for (double g : {2.0, 5.0})
        CHECK(wire_bytes(collective::all_reduce, s, n) + wire_bytes(collective::all_reduce, s / n, g) ==
              Approx(wire_bytes(collective::all_reduce, s, n * g)));
    }
    CHECK(wire_bytes(collective::all_reduce, 100, n) < 200);
  }
  CHECK(wire_bytes(collective::send_receive, 100, 2) == 100);
}

TEST_CASE("a collective's time: order of the band, monotone in the message") {
  for (const accelerator* a : parts) {
    constants c = constants_for(*a);
    const std::int64_t most = std::min<std::int64_t>(a->scale_up.domain.value().value(), 16);
    for (std::size_t k = 0; k < collective_kernels; ++k) {
      c.network.all_reduce_by = static_cast<collective_kernel>(k);
      for (collective what : every_collective) {
        if (k > 0 && what != collective::all_reduce) continue;
        for (std::int64_t n = 2; n <= most; n += n < 4 ? 1 : 2) {
          double before = 0;
          for (double s = 1; s < 4 * gib; s *= 1.37) {
            const estimate<seconds> t = took(what, s, n, *a, c);
            const bool in_order = value_of(t.low) > 0 && value_of(t.low) <= value_of(t.mid) &&
                                  value_of(t.mid) <= value_of(t.high) && value_of(t.mid) >= before;
            if (!in_order)
              FAIL(a->id << " " << name(what) << " by " << name(c.network.all_reduce_by) << ", " << s << " B among "
                         << n);
            before = value_of(t.mid);
          }
        }
      }
    }
  }
}

TEST_CASE("more ranks take longer where every rank has the same link") {
  for (const accelerator* a : parts) {
    if (a->scale_up.shape != topology::switched && a->scale_up.shape != topology::host_only) continue;
    constants c = constants_for(*a);
    c.network.all_reduce_by = collective_kernel::library;
    for (collective what : {collective::all_reduce, collective::all_gather, collective::all_to_all})
      for (double s : {1e3, 1e5, 1e7, 1e9}) {
        // A switch that reduces serves large all-reduces from eight ranks on: eight are faster than seven.
        if (what == collective::all_reduce && a->scale_up.in_network_reduction && s > 1e5) continue;
        double before = 0;
        for (std::int64_t n = 2; n <= std::min<std::int64_t>(a->scale_up.domain.value().value(), 72); ++n) {
          const double t = value_of(took(what, s, n, *a, c).mid);
          if (t < before * (1 - 1e-12)) FAIL(a->id << " " << name(what) << ", " << s << " B among " << n);
          before = t;
        }
      }
  }
}

TEST_CASE("a network between nodes changes nothing inside one") {
  for (const accelerator* a : parts) {
    const constants c = constants_for(*a);
    const std::int64_t n = std::min<std::int64_t>(a->scale_up.domain.value().value(), 8);
    for (collective what : every_collective)
      for (double s : {1e3, 1e6, 1e9}) {
        const estimate<seconds> alone = took(what, s, n, *a, c);
        const estimate<seconds> with = took(what, s, n, *a, c, catalog::ib_ndr);
        CHECK(alone.mid == with.mid);
        CHECK(alone.low == with.low);
        CHECK(alone.high == with.high);
      }
  }
}

TEST_CASE("beyond the domain: refused without a network, hierarchical with one") {
  const accelerator& h100 = catalog::h100_sxm;
  const constants c = constants_for(h100);
  const op_time none = collective_time(collective::all_reduce, of<bytes>(1 << 20), of<devices>(16), h100.scale_up, c);
  CHECK(none.problem == time_problem::beyond_domain);
  CHECK(sentence(none.problem) == "the group is larger than the scale-up domain and no scale-out fabric is given");
  CHECK(none.time.high == seconds{});
  CHECK(collective_time(collective::all_gather, of<bytes>(1), of<devices>(2), fabric{}, c).problem ==
        time_problem::no_fabric);
  CHECK(collective_time(collective::all_gather, of<bytes>(-1), of<devices>(2), h100.scale_up, c).problem ==
        time_problem::bad_load);

  const double nic = 50e9;
  for (std::int64_t nodes : {2, 4, 8, 32}) {
    const double m = static_cast<double>(nodes);
    for (double s : {1e6, 1e9, 8e9}) {
      // Neither leg is free, and both together are never more than one after the other.
      constants by_library = c;
      by_library.network.all_reduce_by = collective_kernel::library;
      const double all = value_of(took(collective::all_reduce, s, 8 * nodes, h100, c, catalog::ib_ndr).mid);
      const double inside = value_of(took(collective::all_reduce, s, 8, h100, by_library).mid);
      const double outside = wire_bytes(collective::all_reduce, s / 8, m) / nic;
      CHECK(all >= inside);
      CHECK(all >= outside);
      CHECK(all <= inside + outside / .87 + 2 * std::ceil(std::log2(m)) * 15e-6 + 1e-9);
    }
    // An all-to-all splits by destination: (m − 1)/m of a rank's bytes go out by its own card.
    const double s = 64e6;
    const double exchange = value_of(took(collective::all_to_all, s, 8 * nodes, h100, c, catalog::ib_ndr).mid);
    CHECK(exchange >= (m - 1) / m * s / nic);
    CHECK(exchange <= 1.5 * (m - 1) / m * s / nic);
  }
  // Twelve devices are two nodes of six, not a node and a half.
  const detail::links twelve = detail::links_for(12, h100.scale_up, catalog::ib_ndr);
  CHECK(twelve.inside == 6);
  CHECK(twelve.outside == 2);
  CHECK(value_of(took(collective::all_reduce, 8e9, 12, h100, c, catalog::ib_ndr).mid) >=
        wire_bytes(collective::all_reduce, 8e9 / 6, 2) / nic);
  // Two bridged pairs meet through the host, which is no network card: the host's lines hold between them.
  const accelerator& bridged = catalog::h100_pcie;
  const constants b = constants_for(bridged);
  const double pairs = value_of(took(collective::all_reduce, 1e9, 4, bridged, b, bridged.host_fabric()).mid);
  CHECK(pairs > wire_bytes(collective::all_reduce, 1e9 / 2, 2) / value_of(bridged.host_link));
  CHECK(pairs > value_of(took(collective::all_reduce, 1e9, 2, bridged, b).mid));
}

TEST_CASE("topologies: what a group sees of its links") {
  // Azure/AI-benchmarking-guide: two of eight MI300X 47.7 GB/s, eight 316.8.
  CHECK(bus(catalog::mi300x, 2, gib) == Approx(47.7).epsilon(.2));
  CHECK(bus(catalog::mi300x, 8, gib) == Approx(312.9).epsilon(.2));
  // A ring of eight without a switch: 59.7 GB/s at 256 MiB (QuixiAI/nvdriver), of 150 in six links.
  CHECK(bus(catalog::v100_sxm_32gb, 8, gib / 4) == Approx(59.7).epsilon(.2));
  // Through the host: ai-dynamo/aiconfigurator.
  CHECK(bus(catalog::l40s, 8, gib / 2) == Approx(2.1).epsilon(.2));
  CHECK(bus(catalog::l40s, 2, gib / 2) == Approx(20).epsilon(.2));
  CHECK(bus(catalog::rtx_pro_6000_server, 8, gib / 2) == Approx(24.7).epsilon(.2));
  // The switch reduces: more than the ring's 367 GB/s, as much as the link (480 with NVLS).
  CHECK(bus(catalog::h200_sxm, 8, gib) == Approx(480).epsilon(.1));
  // Point-to-point Ethernet: 258.2 GB/s of 262.5.
  CHECK(bus(catalog::gaudi2, 8, gib) == Approx(258.2).epsilon(.1));
  CHECK(bus(catalog::gaudi2, 2, gib) < 37.5);
  // Axes of a torus: 4 × 4 of a 16 × 16 has two links, the whole four.
  CHECK(2 * bus(catalog::tpu_v5e, 16, gib) == Approx(bus(catalog::tpu_v5e, 256, gib)).epsilon(.05));
  CHECK(bus(catalog::tpu_v5p, 64, gib) < 600);
  // A bridge joins two cards and no more.
  CHECK(bus(catalog::h100_pcie, 2, gib) < 300);
  CHECK(collective_time(collective::all_reduce, of<bytes>(1 << 20), of<devices>(4), catalog::h100_pcie.scale_up,
                        constants_for(catalog::h100_pcie))
            .problem == time_problem::beyond_domain);
  // A card nobody measured through a host is uncertain by how crowded the host is.
  const estimate<seconds> crowd =
      took(collective::all_reduce, gib, 8, catalog::rtx_4090, constants_for(catalog::rtx_4090));
  CHECK(value_of(crowd.high) / value_of(crowd.low) > 4);
}

TEST_CASE("an engine's own all-reduce serves a decode step; larger groups and other collectives are the library's") {
  constants c = constants_for(catalog::h100_sxm);
  const auto us = [&](std::int64_t n, collective_kernel by) {
    c.network.all_reduce_by = by;
    return value_of(took(collective::all_reduce, 16384, n, catalog::h100_sxm, c).mid) * 1e6;
  };
  CHECK(us(8, collective_kernel::vllm) == Approx(5.3).epsilon(.15));
  CHECK(us(8, collective_kernel::sglang) == Approx(3.7).epsilon(.15));
  CHECK(us(8, collective_kernel::tensorrt_llm) == Approx(3.6).epsilon(.15));
  CHECK(us(8, collective_kernel::library) == Approx(17).epsilon(.15));
  CHECK(us(8, collective_kernel::vllm_eager) > 20);
  c = constants_for(catalog::gb200);
  c.network.all_reduce_by = collective_kernel::vllm;
  const double engine = value_of(took(collective::all_reduce, 16384, 16, catalog::gb200, c).mid);
  c.network.all_reduce_by = collective_kernel::library;
  CHECK(engine == value_of(took(collective::all_reduce, 16384, 16, catalog::gb200, c).mid));
}

TEST_CASE("constants of a network say where they come from") {
  const collective_constants own = network_constants_for(catalog::h100_sxm);
  CHECK(own.library[0].from == basis::fitted);
  CHECK(own.library[0].half == 0);
  const collective_constants kin = network_constants_for(catalog::gb300);
  CHECK(kin.library[0].from == basis::transferred);
  CHECK(kin.library[0].half == Approx(.05));
  CHECK(network_constants_for(catalog::v100_sxm_32gb).library[0].half == Approx(.45));
  CHECK(network_constants_for(catalog::mi300x).library[0].half == Approx(.4));
  for (const accelerator* a : parts) CHECK(!network_constants_for(*a).source.empty());
}

TEST_CASE("the header of fitted lines is its table") {
  std::ifstream in(ULLAGE_SOURCE_DIR "/benchmarks/fit/collectives.tsv");
  REQUIRE(in);
  std::size_t lines = 0;
  std::size_t used = 0;
  for (const detail::collective_row& r : detail::collective_rows) used += r.curve.used;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#' || line.substr(0, 6) == "fabric") continue;
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, '\t');) cells.push_back(cell);
    REQUIRE(cells.size() == 17);
    bool found = false;
    for (const detail::collective_row& r : detail::collective_rows) {
      if (r.fabric != cells[0] || name(r.kernel) != cells[1] || name(r.what) != cells[2]) continue;
      const collective_line& l = r.curve.lines.at(static_cast<std::size_t>(std::stoi(cells[3])));
      found = true;
      const auto number = [&](std::size_t i) { return std::strtod(cells[i].c_str(), nullptr); };
      CHECK(l.base_s * 1e6 == Approx(number(4)));
      CHECK(l.hop_s * 1e6 == Approx(number(5)));
      CHECK(l.wire == Approx(number(6)));
      CHECK(l.own == Approx(number(7)));
      CHECK(static_cast<double>(l.crowd) == number(8));
      CHECK(l.limit_bytes == Approx(number(9)));
      CHECK(l.scatter == Approx(number(10)));
      CHECK(l.least_ranks == number(11));
      CHECK(r.rows == static_cast<int>(number(12)));
    }
    INFO(line);
    CHECK(found);
    ++lines;
  }
  CHECK(lines == used);
}
