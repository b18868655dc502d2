// SPDX-License-Identifier: Apache-2.0
// Fits the lines of collectives to public tables:
//   collectives FOLDER                  judge on the held fifth, and what a transfer between parts misses
//   collectives FOLDER --write ROOT     the same, and write benchmarks/fit/collectives.tsv, the header of the rows and
//                                       the held rows of tests/data
// FOLDER holds nccl, oneccl and custom_allreduce of ai-dynamo/aiconfigurator (Apache-2.0) as .csv or .csv.gz with the
// part (`system`), `stack` and `version` as columns.
#include <cstdio>
#include <fstream>

#include "collective_fit.hpp"
#include "collective_write.hpp"
#include "report.hpp"

namespace {

using namespace fit;

std::vector<collective_point> points_of(const std::vector<measured_collective>& rows, const auto& use) {
  std::vector<collective_point> p;
  for (const measured_collective& m : rows)
    if (use(m)) p.push_back(point_of(m));
  return p;
}
double miss(const collective_curve& c, const measured_collective& m) {
  return m.seconds / seconds_of(c, point_of(m)) - 1;
}

/// Bands from rows that the fit has not seen: folds of the fitted rows. Where 70 % of these lie: the ends of limits add to
/// it, and a fit without an eighth of its rows misses a little more than the whole, so that held rows lie inside oftener. Lines with few rows lean on all
/// of the curve.
void set_scatter(collective_curve& c, const std::vector<measured_collective>& rows, int starts, bool switch_reduces) {
  std::vector<double> all;
  std::array<std::vector<double>, 4> by_line;
  for (int fold = 0; fold < folds; ++fold) {
    const auto seen = points_of(rows, [&](const measured_collective& m) { return !m.held && m.fold != fold; });
    const collective_curve without = fit_curve(seen, 3, starts, 100u + static_cast<unsigned>(fold), switch_reduces);
    for (const measured_collective& m : rows) {
      if (m.held || m.fold != fold) continue;
      const double e = std::abs(miss(without, m));
      all.push_back(e);
      const collective_point p = point_of(m);
      const auto* line = ullage::detail::fastest_line(c, p.at, p.bytes, p.link).line;
      by_line[static_cast<std::size_t>(line - c.lines.data())].push_back(e);
    }
  }
  constexpr double share = .70, lean = 2;
  const double whole = quantile(all, share);
  for (std::size_t i = 0; i < c.used; ++i) {
    const double n = static_cast<double>(by_line[i].size());
    c.lines[i].scatter = rounded((n * quantile(by_line[i], share) + lean * whole) / (n + lean), 2);
  }
}

struct judged {
  errors form, sheet, one_line;
  void add(const collective_curve& c, const collective_curve& line, const measured_collective& m) {
    const collective_point p = point_of(m);
    const auto f = ullage::detail::fastest_line(c, p.at, p.bytes, p.link);
    const double scatter = f.line->scatter * f.seconds;
    form.add(f.seconds - std::hypot(f.seconds - f.low, scatter), f.seconds,
             f.seconds + std::hypot(f.high - f.seconds, scatter), m.seconds);
    sheet.add(p.at.wire * p.bytes / p.link, m.seconds);
    one_line.add(seconds_of(line, p), m.seconds);
  }
};
void print(const std::string& name, const judged& j) {
  std::printf("%-44s n %4zu  mean %5.1f (%4.1f) %%  band %4.1f %% holds %3.0f %%  data sheet %5.1f  one line %5.1f\n",
              name.c_str(), j.form.n(), j.form.mean_percent(), j.form.median_percent(), j.form.half_percent(),
              j.form.coverage_percent(), j.sheet.mean_percent(), j.one_line.mean_percent());
}

/// Rows of `to` by a curve that has seen only the parts of `from`, with the link of `to`.
void transfer(const std::vector<measured_collective>& rows, const std::string& kind,
              const std::vector<std::string>& from, const std::vector<std::string>& to) {
  const auto among = [](const std::vector<std::string>& list, const std::string& part) {
    return std::find(list.begin(), list.end(), part) != list.end();
  };
  for (const bool engines : {false, true}) {
    errors e;
    for (std::size_t w = 0; w < ullage::collective_kinds; ++w)
      for (std::size_t k = 0; k < ullage::collective_kernels; ++k) {
        if ((k > 0) != engines) continue;
        const auto is = [&](const measured_collective& m) {
          return static_cast<std::size_t>(m.what) == w && static_cast<std::size_t>(m.kernel) == k;
        };
        const auto seen = points_of(rows, [&](const measured_collective& m) { return is(m) && among(from, m.part); });
        if (seen.size() < 12) continue;
        const collective_curve c = fit_curve(seen, 3, 40, 5);
        for (const measured_collective& m : rows)
          if (is(m) && among(to, m.part)) e.add(seconds_of(c, point_of(m)), m.seconds);
      }
    if (e.n() > 0)
      std::printf("transfer, %-22s %-9s n %4zu  mean %5.1f (%4.1f) %%  80 %% within %5.1f %%\n", kind.c_str(),
                  engines ? "engines" : "library", e.n(), e.mean_percent(), e.median_percent(),
                  100 * quantile(e.of, .8));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "collectives: expected the folder of the tables\n");
    return 2;
  }
  const std::vector<measured_collective> rows = read_collectives(argv[1]);
  std::map<std::string, std::vector<measured_collective>> groups;
  for (const measured_collective& m : rows)
    groups[m.fabric + "\t" + std::string(ullage::name(m.kernel)) + "\t" + std::string(ullage::name(m.what))].push_back(
        m);

  std::vector<fitted_collective> fitted;
  std::vector<held_collective> held;
  std::map<std::string, judged> tally;
  for (const auto& [key, group] : groups) {
    const auto seen = points_of(group, [](const measured_collective& m) { return !m.held; });
    fitted_collective f;
    f.key = key;
    const bool reduces = switch_reduces(group.front());
    f.curve = fit_curve(seen, 3, 200, 7, reduces);
    set_scatter(f.curve, group, 100, reduces);
    const collective_curve line = fit_curve(seen, 1, 5, 7);
    judged own;
    for (const measured_collective& m : group) {
      if (!m.held) continue;
      const bool engine = m.kernel != collective_kernel::library;
      own.add(f.curve, line, m);
      for (const std::string& k : {std::string(engine ? "engines" : "library"), "part " + m.part,
                                   std::string(ullage::name(m.kernel)) + " " + std::string(ullage::name(m.what))})
        tally[k].add(f.curve, line, m);
      held.push_back({m, seconds_of(line, point_of(m))});
    }
    f.rows = seen.size();
    f.mean_percent = own.form.mean_percent();
    f.median_percent = own.form.median_percent();
    fitted.push_back(f);
    std::string name = key;
    std::replace(name.begin(), name.end(), '\t', ' ');
    print(name, own);
  }
  for (const auto& [key, j] : tally) print(key, j);

  if (argc > 3 && std::string(argv[2]) == "--write") write_collectives(argv[3], fitted, held);

  transfer(rows, "H100 to H200", {"h100_sxm"}, {"h200_sxm"});
  transfer(rows, "H200 to H100", {"h200_sxm"}, {"h100_sxm"});
  transfer(rows, "B200 to B300", {"b200_sxm"}, {"b300_sxm"});
  transfer(rows, "B300 to B200", {"b300_sxm"}, {"b200_sxm"});
  transfer(rows, "B200, B300 to GB200", {"b200_sxm", "b300_sxm"}, {"gb200"});
  transfer(rows, "A100 to Hopper", {"a100_sxm"}, {"h100_sxm", "h200_sxm"});
  transfer(rows, "Hopper to A100", {"h100_sxm", "h200_sxm"}, {"a100_sxm"});
  transfer(rows, "Hopper to Blackwell", {"h100_sxm", "h200_sxm"}, {"b200_sxm", "b300_sxm", "gb200"});
  transfer(rows, "Blackwell to Hopper", {"b200_sxm", "b300_sxm", "gb200"}, {"h100_sxm", "h200_sxm"});
  transfer(rows, "L40S to RTX PRO 6000", {"l40s"}, {"rtx_pro_6000_server"});
  transfer(rows, "RTX PRO 6000 to L40S", {"rtx_pro_6000_server"}, {"l40s"});
  return 0;
}
