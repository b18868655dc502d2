// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "attention_data.hpp"
#include "report.hpp"
#include "robust.hpp"

// Three constants and two residual grids a kernel, part and stack, held to be monotone in every size of the shape.
namespace fit {

/// Axes of the grids of an op: shape, kind (none: one node), spread.
struct op_axes {
  grid_axes shape{};
  grid_axes kind{};
  grid_axes spread{};
};
inline op_axes axes_of(attention_op op) {
  const auto of = [](const ullage::detail::grid_box& b) {
    grid_axes g;
    for (int i = 0; i < 3; ++i) g.of[static_cast<std::size_t>(i)] = {b.of[i].size, b.of[i].low, b.of[i].high};
    return g;
  };
  const ullage::detail::attention_boxes b = ullage::detail::boxes_of(op);
  return {of(b.shape), of(b.kind), of(b.spread)};
}

/// The node that the library takes the band from.
inline int nearest_node(const grid_axes& g, const std::array<double, 3>& at) {
  int node = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const axis& a = g.of[i];
    const double place = std::clamp((at[i] - a.low) * a.per_step(), 0.0, static_cast<double>(a.size - 1));
    node = node * a.size + static_cast<int>(place + .5);
  }
  return node;
}

/// A row ready to be fitted.
struct prepared {
  double compute = 0, memory = 0, measured = 0;  ///< seconds at nominal rates
  corners shape{}, kind{};
  const measurement* row = nullptr;
};
inline void place(prepared& p, const attention_work& w, const op_axes& a, double peak, double bandwidth) {
  p.compute = w.flop / peak;
  p.memory = w.moved_bytes / bandwidth;
  p.shape = corners_of(a.shape, {w.at[0], w.at[1], w.at[2]});
  p.kind = corners_of(a.kind, {w.at[0], w.at[1], w.kind});
}
inline prepared prepare(const measurement& m, const op_axes& a) {
  prepared p;
  place(p, m.s.work(), a, peak_of(*m.on, m.s.op), bandwidth_of(*m.on));
  p.measured = m.measured_s;
  p.row = &m;
  return p;
}

inline double base_time(const form& t, const prepared& p) {
  const double x = p.compute / t.compute;
  const double y = p.memory / t.memory;
  return std::sqrt(x * x + y * y) + t.floor;
}

/// Two shapes of which the second is the larger, and so must not be quicker.
struct ordered {
  prepared less, more;
};

struct kernel_fit {
  form base{};
  op_axes axes{};
  Eigen::VectorXd nodes;  ///< shape grid, then kind grid
  Eigen::VectorXd spread;
  double base_half = 0;  ///< of the form without grids
  double at(const corners& c, int offset) const {
    double v = 0;
    for (std::size_t k = 0; k < 8; ++k) v += c.share[k] * nodes[offset + c.node[k]];
    return v;
  }
  double residual(const prepared& p) const { return at(p.shape, 0) + at(p.kind, axes.shape.nodes()); }
  double time(const prepared& p) const { return base_time(base, p) * std::exp(residual(p)); }
};

/// Shapes of the rows, each beside one that is larger in one size.
inline std::vector<ordered> ordered_pairs(const std::vector<const measurement*>& rows, const op_axes& a, int times,
                                          unsigned seed) {
  std::mt19937 random(seed);
  std::vector<ordered> out;
  const auto factor = [&] {
    constexpr double by[] = {1.01, 1.1, 1.3, 1.7, 2, 4};
    return by[random() % 6];
  };
  for (int round = 0; round < times; ++round)
    for (const measurement* m : rows) {
      shape s = m->s;
      // Anywhere between the measured shapes.
      const auto moved = [&](double x, double most) {
        return std::min(
            most, std::max(1.0, std::round(x * std::exp(1.4 * (static_cast<double>(random() % 1000) / 500 - 1)))));
      };
      const bool latent = s.op >= attention_op::latent_prefill && s.op <= attention_op::latent_decode_narrow;
      const bool gqa = s.op < attention_op::latent_prefill;
      const bool prompt = s.op <= attention_op::prefill_8bit;
      if (round == 1) {
        s.n = moved(s.n, 2048);
        s.length = moved(s.length, 131072);
      } else if (round > 1) {  // anything that may be asked
        const auto drawn = [&](double most) {
          return std::max(1.0, std::floor(std::exp(std::log(most) * static_cast<double>(random() % 10000) / 9999)));
        };
        s.n = drawn(prompt ? 512 : 1024);
        s.length = drawn(prompt ? 32768 : 131072);
        if (gqa) {
          constexpr double sizes[] = {64, 64, 80, 96, 128, 128, 160, 192, 256, 384, 512};
          constexpr double windows[] = {0, 0, 0, 128, 512, 1024, 4096, 8192};
          s.kv_heads = drawn(32);
          s.heads = s.kv_heads * drawn(32);
          s.head_dim = sizes[random() % 11];
          s.window = windows[random() % 8];
        } else if (latent) {
          s.heads = drawn(128);
        }
      }
      const double peak = peak_of(*m->on, s.op);
      for (int what = 0; what < 3; ++what) {
        shape t = s;
        if (what == 0) t.n = std::ceil(s.n * factor());
        if (what == 1) t.length = std::ceil(s.length * factor());
        if (what == 2) {
          if (s.op >= attention_op::conv_prefill)
            t.channels = std::ceil(s.channels * factor());
          else if (gqa && random() % 2 == 0) {
            const double by = std::ceil(factor());  // more heads of every kind
            t.heads = s.heads * by;
            t.kv_heads = s.kv_heads * by;
          } else {
            t.heads = s.heads + std::max(latent ? 1.0 : s.kv_heads, std::round(s.heads * (factor() - 1)));
            if (gqa) t.heads = std::ceil(t.heads / s.kv_heads) * s.kv_heads;
          }
        }
        ordered o;
        place(o.less, s.work(), a, peak, bandwidth_of(*m->on));
        place(o.more, t.work(), a, peak, bandwidth_of(*m->on));
        out.push_back(o);
      }
    }
  return out;
}

struct fit_options {
  double ridge = .05;
  double level = 1e-3;
  bool monotone = true;
};

/// The grids over a fixed form: Σ |log(measured/modelled)| by reweighting, first differences held by the ridge (not between
/// kernels with and without a window), ordered shapes held by a penalty where they are violated.
inline void fit_grids(kernel_fit& k, const std::vector<const prepared*>& rows, const std::vector<ordered>& pairs,
                      const fit_options& o) {
  const int n1 = k.axes.shape.nodes();
  const bool two = k.axes.kind.nodes() > 1;
  const int n = n1 + (two ? k.axes.kind.nodes() : 0);
  Eigen::MatrixXd smooth = Eigen::MatrixXd::Identity(n, n) * o.level;
  const auto tie = [&](const grid_axes& g, int offset, bool kinds) {
    const auto index = [&](int i, int j, int l) { return offset + (i * g.of[1].size + j) * g.of[2].size + l; };
    const auto pull = [&](int a, int b) {
      smooth(a, a) += o.ridge;
      smooth(b, b) += o.ridge;
      smooth(a, b) -= o.ridge;
      smooth(b, a) -= o.ridge;
    };
    for (int i = 0; i < g.of[0].size; ++i)
      for (int j = 0; j < g.of[1].size; ++j)
        for (int l = 0; l < g.of[2].size; ++l) {
          if (i + 1 < g.of[0].size) pull(index(i, j, l), index(i + 1, j, l));
          if (j + 1 < g.of[1].size) pull(index(i, j, l), index(i, j + 1, l));
          if (l + 1 < g.of[2].size && !(kinds && l == 4)) pull(index(i, j, l), index(i, j, l + 1));
        }
  };
  tie(k.axes.shape, 0, false);
  if (two) tie(k.axes.kind, n1, true);

  struct entry {
    int node;
    double share;
  };
  const auto entries = [&](const prepared& p, double sign, std::vector<entry>& out) {
    for (std::size_t c = 0; c < 8; ++c) {
      if (p.shape.share[c] > 0) out.push_back({p.shape.node[c], sign * p.shape.share[c]});
      if (two && p.kind.share[c] > 0) out.push_back({n1 + p.kind.node[c], sign * p.kind.share[c]});
    }
  };
  std::vector<std::vector<entry>> of_row(rows.size());
  std::vector<double> target(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    entries(*rows[i], 1, of_row[i]);
    target[i] = std::log(rows[i]->measured / base_time(k.base, *rows[i]));
  }
  std::vector<std::vector<entry>> of_pair(o.monotone ? pairs.size() : 0);
  std::vector<double> least(of_pair.size());
  for (std::size_t i = 0; i < of_pair.size(); ++i) {
    entries(pairs[i].more, 1, of_pair[i]);
    entries(pairs[i].less, -1, of_pair[i]);
    least[i] = std::log(base_time(k.base, pairs[i].less) / base_time(k.base, pairs[i].more));
  }
  const auto value = [&](const std::vector<entry>& e, const Eigen::VectorXd& x) {
    double v = 0;
    for (const entry& c : e) v += c.share * x[c.node];
    return v;
  };
  const auto put = [&](Eigen::MatrixXd& a, Eigen::VectorXd& b, const std::vector<entry>& e, double w, double t) {
    for (const entry& c : e) {
      b[c.node] += w * c.share * t;
      for (const entry& d : e) a(c.node, d.node) += w * c.share * d.share;
    }
  };
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  std::vector<double> push(of_pair.size(), 0.0);  // multipliers of violated pairs, as shifted targets
  std::vector<char> on(of_pair.size(), 0);
  const int rounds = o.monotone ? 30 : 4;
  for (int round = 0; round < rounds; ++round) {
    Eigen::MatrixXd a = smooth;
    Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double w = .1 / std::max(std::abs(target[i] - value(of_row[i], x)), .03);
      put(a, b, of_row[i], w, target[i]);
    }
    for (std::size_t i = 0; i < of_pair.size(); ++i) {
      const double miss = least[i] - value(of_pair[i], x);  // above 0: violated
      if (miss > 0) on[i] = 1;
      if (!on[i]) continue;
      push[i] = std::max(0.0, push[i] + .5 * miss);
      put(a, b, of_pair[i], 5, least[i] + push[i]);
    }
    x = a.ldlt().solve(b);
  }
  k.nodes = x;
  if (!two) {
    k.nodes.conservativeResize(n1 + 1);
    k.nodes[n1] = 0;
  }
}

/// How much longer the larger shape takes, as a logarithm.
inline double log_gain(const kernel_fit& k, const ordered& o) {
  return std::log(base_time(k.base, o.more) / base_time(k.base, o.less)) + k.residual(o.more) - k.residual(o.less);
}

/// Nodes in steps of the library's unit, then lifted until no ordered pair is the wrong way round.
inline int round_and_repair(kernel_fit& k, const std::vector<ordered>& pairs) {
  constexpr double unit = ullage::residual_grid::unit;
  const int n1 = k.axes.shape.nodes();
  for (double& v : k.nodes) v = std::clamp(std::round(v / unit), -127.0, 127.0) * unit;
  int wrong = 0;
  for (int sweep = 0; sweep < 400; ++sweep) {
    wrong = 0;
    for (const ordered& o : pairs) {
      if (log_gain(k, o) >= 0) continue;
      ++wrong;
      // The node that tells the two apart most: the larger shape's is lifted, in later sweeps now and then the smaller's lowered.
      const bool lower = sweep < 200 && sweep % 2 == 1;
      const prepared& up = lower ? o.less : o.more;
      const prepared& down = lower ? o.more : o.less;
      int best = -1;
      double most = 0;
      const auto look = [&](const corners& to, const corners& from, int offset) {
        for (std::size_t c = 0; c < 8; ++c) {
          double lean = 0;
          for (std::size_t e = 0; e < 8; ++e) {
            if (from.node[e] == to.node[c]) lean -= from.share[e];
            if (to.node[e] == to.node[c]) lean += to.share[e];
          }
          if (lean > most && std::abs(k.nodes[offset + to.node[c]]) < 127 * unit) {
            most = lean;
            best = offset + to.node[c];
          }
        }
      };
      look(up.shape, down.shape, 0);
      if (k.axes.kind.nodes() > 1) look(up.kind, down.kind, n1);
      if (best >= 0) k.nodes[best] += lower ? -unit : unit;
    }
    if (wrong == 0) break;
  }
  return wrong;
}

/// Constants by the rows of `use`, then the grids.
inline kernel_fit fit_kernel(const op_axes& axes, const std::vector<prepared>& rows, const std::vector<ordered>& pairs,
                             const std::function<bool(const measurement&)>& use, const fit_options& o,
                             const form* given = nullptr) {
  kernel_fit k;
  k.axes = axes;
  std::vector<sample> s;
  std::vector<const prepared*> used;
  for (const prepared& p : rows)
    if (use(*p.row)) {
      sample x;
      x.compute = p.compute;
      x.memory = p.memory;
      x.measured = p.measured;
      s.push_back(x);
      used.push_back(&p);
    }
  if (given != nullptr)
    k.base = *given;
  else {
    form_bounds bounds;
    bounds.low.memory = .05;
    // Decode kernels that reach less of the peak than that are slow for other reasons, which the grids hold: with less, a
    // stream of the cache would be called bound by compute at 8 FLOP a byte.
    const attention_op op = rows.empty() ? attention_op::prefill : rows.front().row->s.op;
    if (op == attention_op::decode || op == attention_op::decode_narrow) bounds.low.compute = .2;
    k.base = fit_form(
        s, [](const sample&) { return true; }, bounds);
  }
  fit_grids(k, used, pairs, o);
  return k;
}

}  // namespace fit
