// SPDX-License-Identifier: Apache-2.0
// Collectives against measurements: the fifth of the shapes of public tables that the fit has not seen
// (tests/data/collectives_held.csv), parts and groups that no table holds, and groups over several nodes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <ullage/catalog.hpp>
#include <ullage/performance.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/evidence_page.hpp"

namespace {

using namespace ullage;

struct row {
  const accelerator* part = nullptr;
  std::string name;
  collective_kernel kernel{};
  collective what{};
  std::int64_t ranks = 0;
  double bytes = 0;
  double measured_us = 0;
  double one_line_us = 0;
};
const accelerator* part_of(const std::string& name) {
  static const std::map<std::string, const accelerator*> parts{{"a100_sxm", &catalog::a100_sxm_80gb},
                                                               {"h100_sxm", &catalog::h100_sxm},
                                                               {"h200_sxm", &catalog::h200_sxm},
                                                               {"b200_sxm", &catalog::b200},
                                                               {"b300_sxm", &catalog::b300},
                                                               {"gb200", &catalog::gb200},
                                                               {"l40s", &catalog::l40s},
                                                               {"b60", &catalog::arc_pro_b60},
                                                               {"rtx_pro_6000_server", &catalog::rtx_pro_6000_server}};
  return parts.at(name);
}
std::vector<row> held_rows() {
  std::ifstream in(ULLAGE_TEST_DATA "/collectives_held.csv");
  std::vector<row> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, ',');) cells.push_back(cell);
    REQUIRE(cells.size() == 7);
    row r;
    r.name = cells[0];
    r.part = part_of(r.name);
    for (std::size_t k = 0; k < collective_kernels; ++k)
      if (name(static_cast<collective_kernel>(k)) == cells[1]) r.kernel = static_cast<collective_kernel>(k);
    for (std::size_t k = 0; k < collective_kinds; ++k)
      if (name(static_cast<collective>(k)) == cells[2]) r.what = static_cast<collective>(k);
    r.ranks = std::stoll(cells[3]);
    r.bytes = std::stod(cells[4]);
    r.measured_us = std::stod(cells[5]);
    r.one_line_us = std::stod(cells[6]);
    rows.push_back(r);
  }
  return rows;
}

struct tally {
  std::vector<double> error, half, sheet, line;
  int inside = 0;
};
double mean(const std::vector<double>& v) {
  double s = 0;
  for (double x : v) s += x;
  return v.empty() ? 0 : 100 * s / static_cast<double>(v.size());
}
double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : 100 * v[v.size() / 2];
}
double coverage(const tally& t) {
  return 100.0 * t.inside / static_cast<double>(t.error.size());
}
std::string cell(const char* form, double x) {
  char text[64];
  std::snprintf(text, sizeof text, form, x);
  return text;
}
std::string line_of(const std::string& name, const tally& t) {
  return "| " + name + " | " + std::to_string(t.error.size()) + " | " + cell("%.1f", mean(t.error)) + " | " +
         cell("%.1f", median(t.error)) + " | " + cell("%.1f", median(t.half)) + " | " + cell("%.0f", coverage(t)) +
         " | " + cell("%.0f", mean(t.sheet)) + " | " + cell("%.1f", mean(t.line)) + " |\n";
}
constexpr const char* head =
    "| rows | n | mean | median | band | inside | data sheet, mean | one line, mean "
    "|\n|---|---|---|---|---|---|---|---|\n";

/// A measurement that no fit has used: bus bandwidth (or, for DeepEP, all bytes over time) in GB/s.
struct single {
  const char* what;
  const accelerator* part;
  collective op;
  std::int64_t ranks;
  double message;
  const fabric* scale_out;
  double measured;
  bool algorithm;  ///< message over time, not wire bytes
  double bound;    ///< percent that it may miss
  const char* source;
};

}  // namespace

TEST_CASE("collectives against the held fifth of public tables", "[evidence][kernels]") {
  std::map<std::string, tally> by_kind, by_part;
  tally library, engines;
  std::map<const accelerator*, constants> known;
  for (const row& r : held_rows()) {
    constants& c = known.try_emplace(r.part, constants_for(*r.part)).first->second;
    c.network.all_reduce_by = r.kernel;
    const fabric& f = r.part->scale_up;
    const op_time t = collective_time(r.what, of<bytes>(truncate(r.bytes)), of<devices>(r.ranks), f, c);
    REQUIRE(t.problem == time_problem::none);
    const double us = value_of(t.time.mid) * 1e6;
    const double link = value_of(f.usable(of<devices>(r.ranks)));
    const double sheet = wire_bytes(r.what, r.bytes, static_cast<double>(r.ranks)) / link * 1e6;
    const bool by_library = r.kernel == collective_kernel::library;
    for (tally* to : {by_library ? &library : &engines, &by_part[r.name],
                      &by_kind[std::string(name(r.kernel)) + " " + std::string(name(r.what))]}) {
      to->error.push_back(std::abs(us / r.measured_us - 1));
      to->half.push_back(value_of(t.time.high - t.time.low) / 2 / value_of(t.time.mid));
      to->sheet.push_back(std::abs(sheet / r.measured_us - 1));
      to->line.push_back(std::abs(r.one_line_us / r.measured_us - 1));
      if (value_of(t.time.low) * 1e6 <= r.measured_us && r.measured_us <= value_of(t.time.high) * 1e6) ++to->inside;
    }
  }
  std::string page =
      "## Collectives\n\n"
      "Shapes of ai-dynamo/aiconfigurator's tables (NCCL, oneCCL, and the all-reduces of vLLM, SGLang and "
      "TensorRT-LLM; 2, 4 and 8 "
      "devices, 256 B to 1 GiB) that\nthe fit has not seen, a fifth by a hash of operation, ranks, bytes and part. "
      "Errors of the time in "
      "percent; band: median half-width; inside: rows in the band,\npercent. Data sheet: wire bytes over the link. One "
      "line: the same "
      "form with one line instead of three. `_eager`: called outside a captured graph.\n\n";
  page += head;
  page += line_of("library", library) + line_of("engines", engines);
  for (const auto& [name, t] : by_kind) page += line_of(name, t);
  page += std::string("\n") + head;
  for (const auto& [name, t] : by_part) page += line_of(name, t);

  const single singles[] = {
      {"MI300X, 2 of 8, mesh", &catalog::mi300x, collective::all_reduce, 2, 8.6e9, nullptr, 47.7, false, 20,
       "Azure/AI-benchmarking-guide"},
      {"MI300X, 8, mesh", &catalog::mi300x, collective::all_reduce, 8, 8.6e9, nullptr, 316.8, false, 20,
       "Azure/AI-benchmarking-guide"},
      {"V100, 8, no switch", &catalog::v100_sxm_32gb, collective::all_reduce, 8, 268435456, nullptr, 59.7, false, 20,
       "QuixiAI/nvdriver"},
      {"Gaudi 2, 8", &catalog::gaudi2, collective::all_reduce, 8, 1073741824, nullptr, 258.2, false, 20,
       "intel/intel-technology-enabling-for-openshift"},
      {"A100, 8", &catalog::a100_sxm_80gb, collective::all_reduce, 8, 8.6e9, nullptr, 231.6, false, 15,
       "Azure/AI-benchmarking-guide"},
      {"H100, 8", &catalog::h100_sxm, collective::all_reduce, 8, 8.6e9, nullptr, 478.9, false, 15,
       "Azure/AI-benchmarking-guide"},
      {"B200, 8", &catalog::b200, collective::all_reduce, 8, 1.7e10, nullptr, 845.7, false, 30,
       "Azure/AI-benchmarking-guide"},
      {"H200, 8, all-gather", &catalog::h200_sxm, collective::all_gather, 8, 8.6e9, nullptr, 361, false, 15,
       "Azure/AI-benchmarking-guide"},
      {"H200, 8, reduce-scatter", &catalog::h200_sxm, collective::reduce_scatter, 8, 8.6e9, nullptr, 363, false, 15,
       "Azure/AI-benchmarking-guide"},
      {"GB300, 4", &catalog::gb300, collective::all_reduce, 4, 536870912, nullptr, 635, false, 15,
       "ai-dynamo/aiconfigurator"},
      {"GB200, 72 in a rack", &catalog::gb200, collective::all_reduce, 72, 1.7e10, nullptr, 840, false, 20,
       "coreweave/nccl-tests"},
      {"GB200, 2 racks", &catalog::gb200, collective::all_reduce, 144, 1.7e10, &catalog::ib_ndr, 815, false, 20,
       "coreweave/nccl-tests"},
      {"GB200, 20 racks", &catalog::gb200, collective::all_reduce, 1440, 1.7e10, &catalog::ib_ndr, 405, false, 100,
       "coreweave/nccl-tests"},
      {"B200, 4 nodes", &catalog::b200, collective::all_reduce, 32, 1.7e10, &catalog::ib_ndr, 381.8, false, 30,
       "coreweave/nccl-tests"},
      {"H100, 8 nodes", &catalog::h100_sxm, collective::all_reduce, 64, 1.7e10, &catalog::ib_ndr, 366, false, 30,
       "coreweave/nccl-tests"},
      {"H100, 2 nodes, TCPXO", &catalog::h100_sxm, collective::all_reduce, 16, 8589934592, &catalog::tcpxo_a3_mega,
       338.8, false, 30, "lessizzmore/create-a3mega-ztan-fork"},
      // DeepEP, low latency: 128 tokens of 7,168 in bf16 to 8 experts; all bytes over time.
      {"H100, DeepEP combine, 1 node", &catalog::h100_sxm, collective::all_to_all, 8, 14680064, nullptr, 227, true, 30,
       "deepseek-ai/DeepEP"},
      {"H100, DeepEP combine, 2 nodes", &catalog::h100_sxm, collective::all_to_all, 16, 14680064, &catalog::ib_ndr, 87,
       true, 30, "deepseek-ai/DeepEP"},
      {"H100, DeepEP combine, 4 nodes", &catalog::h100_sxm, collective::all_to_all, 32, 14680064, &catalog::ib_ndr, 58,
       true, 30, "deepseek-ai/DeepEP"},
      {"H100, DeepEP combine, 8 nodes", &catalog::h100_sxm, collective::all_to_all, 64, 14680064, &catalog::ib_ndr, 50,
       true, 30, "deepseek-ai/DeepEP"},
  };
  page +=
      "\n### Parts and groups beyond the tables\nLarge messages, GB/s one way: bus bandwidth as NCCL's tests count it; "
      "DeepEP, all bytes "
      "over time. The shares of MI300X, V100 and Gaudi 2 and of a network card\n(DeepEP) were set by these rows, the "
      "others come from the "
      "tables. Twenty racks run at the rate of "
      "their network cards' rings, which is not modelled.\n\n"
      "| what | measured | modelled | low | high | off by, % | source |\n|---|---|---|---|---|---|---|\n";
  for (const single& s : singles) {
    constants c = constants_for(*s.part);
    c.network.all_reduce_by = collective_kernel::library;
    const op_time t = collective_time(s.op, of<bytes>(truncate(s.message)), of<devices>(s.ranks), s.part->scale_up, c,
                                      s.scale_out != nullptr ? *s.scale_out : fabric{});
    REQUIRE(t.problem == time_problem::none);
    const double carried = s.algorithm ? s.message : wire_bytes(s.op, s.message, static_cast<double>(s.ranks));
    const auto rate = [&](seconds x) { return carried / value_of(x) / 1e9; };
    const double off = 100 * (rate(t.time.mid) / s.measured - 1);
    INFO(s.what << ": measured " << s.measured << ", modelled " << rate(t.time.mid));
    CHECK(std::abs(off) <= s.bound);
    page += std::string("| ") + s.what + " | " + cell("%.1f", s.measured) + " | " + cell("%.1f", rate(t.time.mid)) +
            " | " + cell("%.1f", rate(t.time.high)) + " | " + cell("%.1f", rate(t.time.low)) + " | " +
            cell("%+.0f", off) + " | " + s.source + " |\n";
  }
  CHECK(library.error.size() == 624);
  CHECK(engines.error.size() == 397);
  CHECK(mean(library.error) <= 7);
  CHECK(median(library.error) <= 4);
  CHECK(mean(engines.error) <= 10);
  CHECK(median(engines.error) <= 5);
  for (const tally* t : {&library, &engines}) {
    CHECK(coverage(*t) >= 72);
    CHECK(coverage(*t) <= 90);
    CHECK(median(t->half) <= 2 * median(t->error));
  }
  evidence::compare_or_write("collectives", "tests/evidence/kernels_network_test.cpp", page);
}
