// SPDX-License-Identifier: Apache-2.0
// Fits the constants and residual grids of attention and recurrent kernels to the public tables, and says how far they are
// from rows that no fit has seen.
//
//   fit_attention TABLES [OUT [SAMPLE]]   TABLES: folder of context_attention.csv.gz and its kin; OUT: folder of the headers
//   to write; SAMPLE: file of held rows to write, for the evidence test
#include <cstdio>
#include <fstream>

#include "attention_fit.hpp"
#include "attention_write.hpp"

namespace {

using namespace fit;

struct tally {
  errors roofline, flat, base, grid;
  void add(const tally& t) {
    for (auto member : {&tally::roofline, &tally::flat, &tally::base, &tally::grid}) {
      errors& e = this->*member;
      const errors& o = t.*member;
      e.of.insert(e.of.end(), o.of.begin(), o.of.end());
      e.half.insert(e.half.end(), o.half.begin(), o.half.end());
      e.inside += o.inside;
    }
  }
};
void print(const char* what, const tally& t) {
  if (t.grid.n() == 0) return;
  std::printf("%-44s %6zu | %5.1f (%5.1f) | %5.1f (%5.1f) | %5.1f (%5.1f) | %5.1f (%5.1f) | band %5.1f, inside %4.1f\n",
              what, t.grid.n(), t.roofline.mean_percent(), t.roofline.median_percent(), t.flat.mean_percent(),
              t.flat.median_percent(), t.base.mean_percent(), t.base.median_percent(), t.grid.mean_percent(),
              t.grid.median_percent(), t.grid.half_percent(), t.grid.coverage_percent());
}

/// Half-widths by place: the geometric mean of what folds miss, smoothed, times what makes the folds' coverage `wanted`.
void fit_spread(kernel_fit& k, const std::vector<prepared>& rows, const std::vector<double>& miss, double wanted) {
  std::vector<grid_point> points;
  const int n = k.axes.spread.nodes();
  std::vector<int> seen(static_cast<std::size_t>(n), 0);
  std::vector<int> where;
  std::vector<double> size;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!(miss[i] >= 0)) continue;
    const attention_work w = rows[i].row->s.work();
    grid_point p;
    p.at = {w.at[0], w.at[1], w.kind};
    p.residual = std::log(std::max(miss[i], .008));
    points.push_back(p);
    where.push_back(nearest_node(k.axes.spread, p.at));
    size.push_back(miss[i]);
    ++seen[static_cast<std::size_t>(where.back())];
  }
  double level = 0;
  for (const grid_point& p : points) level += p.residual;
  level /= std::max<double>(1, static_cast<double>(points.size()));
  for (grid_point& p : points) p.residual -= level;
  k.spread = fit_grid(k.axes.spread, points, .2, .02).array() + level;
  k.spread = k.spread.array().exp();
  std::vector<double> ratio;
  for (std::size_t i = 0; i < where.size(); ++i) ratio.push_back(size[i] / k.spread[where[i]]);
  k.spread *= quantile(ratio, wanted);
  constexpr double unit = ullage::detail::spread_unit;
  for (int i = 0; i < n; ++i) {
    // Where nothing was measured nearby.
    if (seen[static_cast<std::size_t>(i)] == 0 && k.spread[i] < .3) k.spread[i] = .3;
    k.spread[i] = std::clamp(std::round(k.spread[i] / unit), 1.0, 127.0) * unit;
  }
}

kernel_fit whole_fit(const op_axes& axes, const std::vector<prepared>& rows, const std::vector<ordered>& pairs,
                     const std::function<bool(const measurement&)>& use, const form* given = nullptr) {
  kernel_fit k = fit_kernel(axes, rows, pairs, use, {}, given);
  round_and_repair(k, pairs);
  return k;
}

/// A third of the held rows, so small that a test can carry it.
void write_sample(const attention_data& data, const std::string& path) {
  std::ofstream file(path);
  file << "op,part,stack,sequences,length,heads,kv_heads,head_dim,window,microseconds\n";
  for (const measurement& m : data.rows) {
    if (!m.held || hash_of(m.s.key() + m.on->part + std::to_string(m.stack)) % 3 != 0) continue;
    char line[160];
    // A convolution's channels stand under heads.
    std::snprintf(line, sizeof line, "%d,%s,%d,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.5g\n", static_cast<int>(m.s.op),
                  m.on->part, m.stack, m.s.n, m.s.length, m.s.channels > 0 ? m.s.channels : m.s.heads, m.s.kv_heads,
                  m.s.head_dim, m.s.window, m.measured_s * 1e6);
    file << line;
  }
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count < 2) {
    std::fprintf(stderr, "usage: fit_attention TABLES [OUT [SAMPLE]]\n");
    return 2;
  }
  const attention_data data = read_attention(arguments[1]);
  std::printf("%d rows read, %d above 1.05 of a nominal rate dropped\n\n", data.read, data.above);
  std::printf("%-44s %6s | data sheet    | flat shares   | 3 constants   | with grids\n", "held fifth, mean (median) %",
              "n");

  fitted_tables out;
  std::map<std::string, tally> totals;
  for (std::size_t i = 0; i < ullage::attention_ops; ++i) {
    const attention_op op = static_cast<attention_op>(i);
    const op_axes axes = axes_of(op);
    const std::string op_name(ullage::name(op));
    for (const measured_part& part : systems)
      for (int stack : {1, 2, 3, 0}) {  // 0: all pooled
        std::vector<const measurement*> taken;
        int stacks[4]{};
        for (const measurement& m : data.rows)
          if (m.s.op == op && m.on == &part &&
              (stack == 0 ? !out.outside_graph(part, m.stack, op) : m.stack == stack)) {
            taken.push_back(&m);
            ++stacks[m.stack];
          }
        if (taken.size() < 40) continue;
        if (stack == 0) {  // of one stack alone: that stack's
          int kinds = 0;
          for (int s : stacks) kinds += s > 0;
          if (kinds < 2) continue;
        }
        std::vector<prepared> rows;
        for (const measurement* m : taken) rows.push_back(prepare(*m, axes));
        const std::vector<ordered> pairs = ordered_pairs(taken, axes, stack == 0 ? 3 : 5, 1);
        kernel_fit k = whole_fit(axes, rows, pairs, [](const measurement& m) { return !m.held; });
        // What the folds miss sets the band; held rows are not looked at.
        std::vector<double> miss(rows.size(), -1), base_miss;
        for (int fold = 0; fold < 4; ++fold) {
          const kernel_fit f = whole_fit(
              axes, rows, pairs, [&](const measurement& m) { return !m.held && m.fold != fold; }, &k.base);
          for (std::size_t r = 0; r < rows.size(); ++r)
            if (!rows[r].row->held && rows[r].row->fold == fold)
              miss[r] = std::abs(rows[r].measured / f.time(rows[r]) - 1);
        }
        for (const prepared& p : rows)
          if (!p.row->held) base_miss.push_back(std::abs(p.measured / base_time(k.base, p) - 1));
        k.base_half = quantile(base_miss, .78);
        fit_spread(k, rows, miss, .75);

        tally t;
        for (const prepared& p : rows) {
          if (!p.row->held) continue;
          t.roofline.add(std::max(p.compute, p.memory), p.measured);
          t.flat.add(std::max(p.compute / .5, p.memory / .75), p.measured);
          t.base.add(base_time(k.base, p), p.measured);
          const double mid = k.time(p);
          const attention_work w = p.row->s.work();
          const double half = k.spread[nearest_node(axes.spread, {w.at[0], w.at[1], w.kind})];
          t.grid.add(mid * (1 - half), mid, mid * (1 + half), p.measured);
        }
        const std::string stack_name(ullage::name(static_cast<kernel_stack>(stack)));
        if (stack > 0) {
          totals[op_name].add(t);
          totals[op_name + (stack == 3 ? ", TensorRT-LLM" : ", others")].add(t);
        } else {
          totals[op_name + ", stacks pooled"].add(t);
        }
        print((op_name + ", " + part.part + ", " + stack_name).c_str(), t);
        out.add(part, static_cast<kernel_stack>(stack), op, k);
      }
  }
  std::printf("\n");
  for (const auto& [name, t] : totals) print(name.c_str(), t);

  // A part without tables takes a relative's constants with its own rates.
  std::printf("\ntransfer, all rows of the part that borrows: mean (median) %%, 78 %% below\n");
  struct loan {
    const char *from, *to;
  };
  for (const loan& l : {loan{"h100-sxm", "h200-sxm"},
                        {"h200-sxm", "h100-sxm"},
                        {"b200", "gb200"},
                        {"gb200", "b200"},
                        {"b200", "b300"},
                        {"b300", "gb200"},
                        {"a100-sxm", "h100-sxm"},
                        {"h100-sxm", "b200"},
                        {"l40s", "rtx-pro-6000"},
                        {"h100-sxm", "a100-sxm"}}) {
    std::map<std::string, std::array<errors, 2>> by;
    for (const measurement& m : data.rows) {
      if (std::string_view(m.on->part) != l.to) continue;
      const kernel_fit* k = out.find(l.from, static_cast<kernel_stack>(m.stack), m.s.op);
      if (k == nullptr) continue;
      const prepared p = prepare(m, k->axes);
      auto& e = by[family_of(m.s.op)];
      e[0].add(base_time(k->base, p), p.measured);
      e[1].add(k->time(p), p.measured);
    }
    for (const auto& [op, e] : by)
      std::printf("%-12s -> %-14s %-10s n %5zu constants %5.1f (%5.1f) with grids %5.1f (%5.1f) 78 %%: %5.1f\n", l.from,
                  l.to, op.c_str(), e[1].n(), e[0].mean_percent(), e[0].median_percent(), e[1].mean_percent(),
                  e[1].median_percent(), 100 * quantile(e[1].of, .78));
  }
  // Another stack's constants on one part.
  {
    std::map<std::string, errors> by;
    for (const measurement& m : data.rows)
      if (const kernel_fit* k = out.find(m.on->part, kernel_stack::pooled, m.s.op))
        by[family_of(m.s.op)].add(k->time(prepare(m, k->axes)), m.measured_s);
    for (const auto& [op, e] : by)
      std::printf("pooled stacks                %-10s n %5zu %5.1f (%5.1f) 78 %%: %5.1f\n", op.c_str(), e.n(),
                  e.mean_percent(), e.median_percent(), 100 * quantile(e.of, .78));
  }
  if (count > 2) out.write(arguments[2]);
  if (count > 3) write_sample(data, arguments[3]);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
