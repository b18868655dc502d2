// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <iomanip>
#include <sstream>

#include "collective_samples.hpp"

namespace fit {

using ullage::collective_curve;
using ullage::collective_line;

struct fitted_collective {
  std::string key;  // fabric, kernel, collective, with tabs between
  collective_curve curve{};
  std::size_t rows = 0;
  double mean_percent = 0;  // on the held rows
  double median_percent = 0;
};
struct held_collective {
  measured_collective row;
  double one_line_s = 0;
};

inline constexpr const char* collectives_date = "2026-08";
inline constexpr const char* collectives_source =
    "ai-dynamo/aiconfigurator systems/data/*/{nccl,oneccl,custom_allreduce} (Apache-2.0)";

inline std::string digits(double x) {
  std::ostringstream s;
  s << std::setprecision(4) << x;
  return s.str();
}
inline void write_tsv(const std::string& path, const std::vector<fitted_collective>& all) {
  std::ofstream out(path);
  out << "# Written by collectives.cpp. seconds = base + hop(n - 1) + (wire w(n) + own (n - 1)^(crowd/2)) bytes/link "
         "up to "
         "limit_bytes (0 = any) for groups of least_ranks; the fastest line counts.\n"
         "# rows: fitted; mean and median: misses on the held fifth. Latency in microseconds.\n"
         "fabric\tkernel\tcollective\tline\tbase_us\thop_us\twire\town\tcrowd\tlimit_bytes\tscatter\tleast_"
         "ranks\trows\tmean_"
         "percent\t"
         "median_percent\tdate\tsource\n";
  for (const fitted_collective& f : all)
    for (std::size_t i = 0; i < f.curve.used; ++i) {
      const collective_line& l = f.curve.lines[i];
      out << f.key << '\t' << i << '\t' << digits(l.base_s * 1e6) << '\t' << digits(l.hop_s * 1e6) << '\t'
          << digits(l.wire) << '\t' << digits(l.own) << '\t' << static_cast<int>(l.crowd) << '\t'
          << digits(l.limit_bytes) << '\t' << digits(l.scatter) << '\t' << digits(l.least_ranks) << '\t' << f.rows
          << '\t' << digits(f.mean_percent) << '\t' << digits(f.median_percent) << '\t' << collectives_date << '\t'
          << collectives_source << '\n';
    }
}
inline void write_header(const std::string& path, const std::vector<fitted_collective>& all) {
  std::ofstream out(path);
  out << "// SPDX-License-Identifier: Apache-2.0\n"
         "// Written by benchmarks/fit/collectives.cpp, as benchmarks/fit/collectives.tsv is; change neither by hand.\n"
         "#pragma once\n\n#include <array>\n#include <string_view>\n#include "
         "<ullage/performance/collective_curve.hpp>\n\n"
         "// Lines of collectives, fitted to "
      << collectives_source << ", " << collectives_date
      << ".\nnamespace ullage::inline v0::detail {\n\n"
         "struct collective_row {\n  std::string_view fabric{};\n  collective_kernel kernel = "
         "collective_kernel::library;\n"
         "  collective what = collective::all_reduce;\n  collective_curve curve{};\n"
         "  int rows = 0;             ///< fitted\n"
         "  double mean_percent = 0;  ///< of what a held fifth of the shapes missed\n};\n"
         "// clang-format off\ninline constexpr std::array<collective_row, "
      << all.size() << "> collective_rows{{\n";
  for (const fitted_collective& f : all) {
    const std::size_t a = f.key.find('\t'), b = f.key.find('\t', a + 1);
    out << "    {\"" << f.key.substr(0, a) << "\"sv, collective_kernel::" << f.key.substr(a + 1, b - a - 1)
        << ", collective::" << f.key.substr(b + 1) << ",\n     {{{";
    for (std::size_t i = 0; i < f.curve.used; ++i) {
      const collective_line& l = f.curve.lines[i];
      out << (i > 0 ? ",\n        " : "") << '{' << digits(l.base_s * 1e6) << "e-6, " << digits(l.hop_s * 1e6)
          << "e-6, " << digits(l.wire) << ", " << digits(l.own) << ", " << static_cast<int>(l.crowd) << ", "
          << digits(l.limit_bytes) << ", " << digits(l.scatter) << ", " << digits(l.least_ranks) << '}';
    }
    out << "}}, " << static_cast<int>(f.curve.used) << ", 0, 0, basis::fitted}, " << f.rows << ", "
        << digits(f.mean_percent) << "},\n";
  }
  out << "}};\n// clang-format on\n\n}  // namespace ullage::inline v0::detail\n";
}
inline void write_held(const std::string& path, const std::vector<held_collective>& held) {
  std::ofstream out(path);
  out << "part,kernel,collective,ranks,bytes,measured_us,one_line_us\n";
  for (const held_collective& h : held)
    out << h.row.part << ',' << ullage::name(h.row.kernel) << ',' << ullage::name(h.row.what) << ',' << h.row.ranks
        << ',' << static_cast<long long>(h.row.bytes) << ',' << std::setprecision(6) << h.row.seconds * 1e6 << ','
        << std::setprecision(4) << h.one_line_s * 1e6 << '\n';
}
inline void write_collectives(const std::string& root, const std::vector<fitted_collective>& fitted,
                              const std::vector<held_collective>& held) {
  write_tsv(root + "/benchmarks/fit/collectives.tsv", fitted);
  write_header(root + "/include/ullage/performance/collective_rows.hpp", fitted);
  write_held(root + "/tests/data/collectives_held.csv", held);
}

}  // namespace fit
