// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <ullage/validate/report.hpp>
#include <ullage/validate/say.hpp>

#include "support/catch.hpp"

using namespace ullage;  // NOLINT(google-build-using-namespace)

namespace {
validate::measurement of_band(double measured, double low, double mid, double high) {
  validate::measurement m;
  m.name = "x";
  m.in = validate::unit::bytes_per_second;
  m.predicted = estimate<double>{low, mid, high, basis::fitted};
  m.measured = measured;
  return validate::judged(m);
}
}  // namespace

TEST_CASE("a measurement is judged by its band, ends included", "[validate]") {
  CHECK(of_band(8.0, 8.0, 10.0, 12.0).result == validate::agreement::within);
  CHECK(of_band(12.0, 8.0, 10.0, 12.0).result == validate::agreement::within);
  CHECK(of_band(7.9, 8.0, 10.0, 12.0).result == validate::agreement::outside);
  CHECK(of_band(12.1, 8.0, 10.0, 12.0).result == validate::agreement::outside);
  CHECK(of_band(5.0, 8.0, 10.0, 12.0).ratio() == Catch::Approx(0.5));
}

TEST_CASE("there is no ratio without a prediction or a measurement", "[validate]") {
  validate::measurement m;
  m.measured = 3.0;
  CHECK(validate::judged(m).result == validate::agreement::unpredicted);
  CHECK_FALSE(validate::judged(m).ratio());
  validate::measurement none;
  none.predicted = estimate<double>::exactly(4.0);
  CHECK(none.result == validate::agreement::unmeasured);
  CHECK_FALSE(none.ratio());
  CHECK_FALSE(of_band(1.0, 0.0, 0.0, 0.0).ratio());
}

TEST_CASE("a fraction of a peak is a band with its basis", "[validate]") {
  const estimate<double> e = validate::fraction{0.5, 0.75, 1.0, basis::transferred}(200.0);
  CHECK(e.low == 100.0);
  CHECK(e.mid == 150.0);
  CHECK(e.high == 200.0);
  CHECK(e.from == basis::transferred);
}

TEST_CASE("a report counts and finds its lines", "[validate]") {
  validate::report r;
  CHECK(r.measurements.push_back(of_band(10.0, 8.0, 10.0, 12.0)));
  CHECK(r.measurements.push_back(of_band(1.0, 8.0, 10.0, 12.0)));
  CHECK(r.how_many(validate::agreement::within) == 1);
  CHECK(r.how_many(validate::agreement::outside) == 1);
  CHECK(r.find("x") == r.measurements.data());
  CHECK(r.find("y") == nullptr);
}

TEST_CASE("sentences join text and numbers and are cut, never overrun", "[validate]") {
  CHECK(validate::say("n = ", 12, ", ", -3L, ", ", 1.25, std::string(" GB")).view() == "n = 12, -3, 1.25 GB");
  const validate::sentence cut = validate::say(std::string(500, 'x'), 17);
  CHECK(cut.view() == std::string(240, 'x'));
}
