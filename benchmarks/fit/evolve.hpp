// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace fit {

/// Least of `loss` near `mean` by covariance matrix adaptation (Hansen, The CMA Evolution Strategy: A Tutorial,
/// arXiv:1604.00772), for forms with kinks and a dozen or two of constants, where a simplex stalls.
template <class Loss>
Eigen::VectorXd evolve(const Loss& loss, Eigen::VectorXd mean, double sigma, int evaluations, unsigned seed) {
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  const Eigen::Index n = mean.size();
  const double d = static_cast<double>(n);
  const int born = 4 + static_cast<int>(3 * std::log(d));
  const int kept = born / 2;
  VectorXd weight(kept);
  for (int i = 0; i < kept; ++i) weight(i) = std::log(kept + .5) - std::log(i + 1.0);
  weight /= weight.sum();
  const double mass = 1 / weight.squaredNorm();
  const double c_sigma = (mass + 2) / (d + mass + 5);
  const double damp = 1 + c_sigma + 2 * std::max(0.0, std::sqrt((mass - 1) / (d + 1)) - 1);
  const double c_path = (4 + mass / d) / (d + 4 + 2 * mass / d);
  const double c_one = 2 / ((d + 1.3) * (d + 1.3) + mass);
  const double c_mu = std::min(1 - c_one, 2 * (mass - 2 + 1 / mass) / ((d + 2) * (d + 2) + mass));
  const double expected = std::sqrt(d) * (1 - 1 / (4 * d) + 1 / (21 * d * d));

  VectorXd sigma_path = VectorXd::Zero(n), path = VectorXd::Zero(n), scale = VectorXd::Ones(n);
  MatrixXd covariance = MatrixXd::Identity(n, n), axes = covariance;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  VectorXd best = mean;
  double best_loss = loss(mean);
  for (int spent = 0, generation = 0; spent < evaluations; ++generation) {
    std::vector<std::pair<double, VectorXd>> children;
    for (int i = 0; i < born; ++i, ++spent) {
      VectorXd z(n);
      for (Eigen::Index j = 0; j < n; ++j) z(j) = normal(random);
      const VectorXd x = mean + sigma * (axes * scale.cwiseProduct(z));
      children.emplace_back(loss(x), x);
    }
    std::sort(children.begin(), children.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (children[0].first < best_loss) best_loss = children[0].first, best = children[0].second;
    const VectorXd before = mean;
    mean.setZero();
    for (int i = 0; i < kept; ++i) mean += weight(i) * children[static_cast<std::size_t>(i)].second;
    const VectorXd step = (mean - before) / sigma;
    sigma_path = (1 - c_sigma) * sigma_path +
                 std::sqrt(c_sigma * (2 - c_sigma) * mass) * (axes * (axes.transpose() * step).cwiseQuotient(scale));
    const double length = sigma_path.norm();
    const bool quiet =
        length / std::sqrt(1 - std::pow(1 - c_sigma, 2 * (generation + 1))) < (1.4 + 2 / (d + 1)) * expected;
    path = (1 - c_path) * path + (quiet ? std::sqrt(c_path * (2 - c_path) * mass) : 0.0) * step;
    covariance = (1 - c_one - c_mu) * covariance +
                 c_one * (path * path.transpose() + (quiet ? 0.0 : c_path * (2 - c_path)) * covariance);
    for (int i = 0; i < kept; ++i) {
      const VectorXd y = (children[static_cast<std::size_t>(i)].second - before) / sigma;
      covariance += c_mu * weight(i) * y * y.transpose();
    }
    sigma *= std::exp(c_sigma / damp * (length / expected - 1));
    if (!(sigma > 1e-6) || !(sigma < 1e4)) break;
    if (generation % 4 == 0) {
      const Eigen::SelfAdjointEigenSolver<MatrixXd> solved(covariance);
      axes = solved.eigenvectors();
      scale = solved.eigenvalues().cwiseMax(1e-20).cwiseSqrt();
    }
  }
  return best;
}

}  // namespace fit
