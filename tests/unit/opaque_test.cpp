// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"

#include <algorithm>
#include <ullage/catalog/find_record.hpp>
#include <ullage/ullage.hpp>
#include <vector>

using namespace ullage;

namespace {

accelerator row_of(const char* name) {
  const accelerator_match found = find_accelerator(name);
  REQUIRE(found.outcome == accelerator_match::found);
  return found.row();
}
engine plain_in(const number_format& f) {
  engine e = plain();
  e.weights = f;
  return e;
}
load at_once(std::int64_t n) {
  return {{}, of<sequences>(count(n))};
}

/// A public measurement: items a second.
struct measurement {
  const opaque_model* model;
  const char* on;
  number_format format;
  std::int64_t items;
  double per_s;
};
// docs/formulas/opaque.md names the sources.
const std::vector<measurement> public_figures{
    {&catalog::resnet_50, "T4", formats::int8, 128, 6035.57},
    {&catalog::resnet_50, "A100 PCIe 40GB", formats::int8, 2048, 32008.2},
    {&catalog::resnet_50, "H100 SXM", formats::int8, 2048, 88714.3},
    {&catalog::resnet_50, "L4", formats::int8, 256, 13157.8},
    {&catalog::resnet_50, "T4", formats::fp16, 256, 1198},
    {&catalog::resnet_50, "V100 SXM2 16GB", formats::fp16, 256, 3382},
    {&catalog::resnet_50, "T4", formats::fp32, 128, 426},
    {&catalog::resnet_50, "V100 SXM2 16GB", formats::fp32, 256, 1261},
    {&catalog::yolov8n, "A100 SXM 80GB", formats::fp16, 1, 1 / .00099},
    {&catalog::yolov8x, "A100 SXM 80GB", formats::fp16, 1, 1 / .00353},
    {&catalog::sdxl_unet, "A10", formats::fp16, 2, 80 / 12.57653},
    {&catalog::sdxl_unet, "A100 SXM 80GB", formats::fp16, 2, 80 / 3.35887},
    {&catalog::sdxl_unet, "H100 SXM", formats::fp16, 2, 80 / 1.77229},
    {&catalog::bert_base_512, "Titan RTX", formats::fp32, 8, 8 / .088},
};

}  // namespace

TEST_CASE("names of opaque models are their own") {
  for (const opaque_model* m : catalog::opaque_models) {
    INFO(m->name.view());
    CHECK(catalog::find_opaque(m->name.view()) == m);
    CHECK(catalog::find_model(m->name.view()) == nullptr);
    CHECK(catalog::find_record(m->name.view()) == nullptr);
    CHECK(m->consistent());
    CHECK(m->timed());
    CHECK(!m->source.empty());
  }
  CHECK(catalog::find_opaque("ResNet-50") == &catalog::resnet_50);
  CHECK(catalog::find_opaque("resnet-5") == nullptr);
  CHECK(catalog::find_opaque("") == nullptr);
}

TEST_CASE("transformer-like rows are what their formulas give") {
  // layers · (2·tokens·(4·width² + 2·width·inner) + 4·tokens²·width), inner = 4·width
  const auto flop = [](double layers, double tokens, double width) {
    return layers * (24 * tokens * width * width + 4 * tokens * tokens * width);
  };
  CHECK(value_of(catalog::bert_base_512.flop_per_item) == Catch::Approx(flop(12, 512, 768)).epsilon(.01));
  // and two convolutions over 3,000 frames
  const double stem = 2 * 3000.0 * 128 * 3 * 1280 + 2 * 1500.0 * 1280 * 3 * 1280;
  CHECK(value_of(catalog::whisper_large_v3_encoder.flop_per_item) ==
        Catch::Approx(flop(32, 1500, 1280) + stem).epsilon(.01));
  // layers · (12·width² + biases and norms), positions, stem
  const auto layers = [](std::int64_t n, std::int64_t width, std::int64_t biases) {
    return n * (12 * width * width + biases * width);
  };
  CHECK(catalog::bert_base_512.parameters ==
        count((30522 + 512 + 2) * 768 + 2 * 768 + layers(12, 768, 13) + 768 * 768 + 768));
  CHECK(catalog::whisper_large_v3_encoder.parameters ==
        count(128 * 3 * 1280 + 1280 + 1280 * 3 * 1280 + 1280 + 1500 * 1280 + layers(32, 1280, 12) + 2 * 1280));
}

TEST_CASE("the terms of an opaque model add up, and its limits are where nothing is left") {
  for (const opaque_model* m : catalog::opaque_models)
    for (const char* name : {"T4", "L4", "H200 SXM", "MI300X"})
      for (std::int64_t replicas : {1, 3}) {
        const accelerator a = row_of(name);
        const layout l{.dp = replicas};
        const std::span<const accelerator> one(&a, 1);
        const opaque_verdict v = fits(*m, one, l, plain(), at_once(7));
        INFO(m->name.view() << " on " << replicas << " x " << name);
        REQUIRE(v.answer != answer::invalid);
        const opaque_rank& r = v.worst();
        CHECK(r.needed() + r.left.mid == r.budget);
        CHECK(r.items == of<sequences>(ceil_div(count(7), count(replicas))));
        REQUIRE(v.most > sequences{});
        CHECK(fits(*m, one, l, plain(), {{}, v.most}).left() >= bytes{});
        CHECK(fits(*m, one, l, plain(), {{}, v.most + 1_seq}).left() < bytes{});
        if (v.surely > sequences{}) CHECK(fits(*m, one, l, plain(), {{}, v.surely}).ok());
        CHECK(!fits(*m, one, l, plain(), {{}, v.surely + 1_seq}).ok());
        CHECK(v.surely <= v.most);
      }
}

TEST_CASE("more memory, fewer items and a narrower format never take away") {
  accelerator a = row_of("T4");
  const opaque_model& m = catalog::sdxl_unet;
  bytes before{};
  for (std::int64_t n = 64; n >= 1; n /= 2) {
    const opaque_verdict v = fits(m, std::span<const accelerator>(&a, 1), {}, plain(), at_once(n));
    CHECK((before == bytes{} || v.left() >= before));
    before = v.left();
    CHECK(fits(m, std::span<const accelerator>(&a, 1), {}, plain_in(formats::int8), at_once(n)).left() > v.left());
    CHECK(fits(m, std::span<const accelerator>(&a, 1), {}, plain_in(formats::fp32), at_once(n)).left() < v.left());
  }
}

TEST_CASE("the state of streams is kept, and the worst of unequal devices decides") {
  opaque_model m;
  m.name = "recurrent";
  m.parameters = count(1'000'000'000);
  m.activation_per_item = estimate<bytes>::exactly(1_MB);
  m.state_per_stream = 9_MB;
  const accelerator both[] = {row_of("L4"), row_of("T4")};
  const opaque_verdict v = fits(m, both, {.dp = 2}, plain(), at_once(2000));
  REQUIRE(v.answer == answer::fits);
  CHECK(v.ranks.size() == 2);
  CHECK(v.worst().part.id == both[1].id);
  CHECK(v.term == memory_term::state);
  CHECK(v.worst().state == 9_GB);
  CHECK(v.worst().activation.mid == 1_GB);
  const calibration measured{.activation = 3_GB};
  CHECK(fits(m, both, {.dp = 2}, plain(), at_once(2000), &measured).worst().activation.mid == 3_GB);
}

TEST_CASE("what an opaque model cannot be asked is refused by name") {
  const accelerator a = row_of("L4");
  const std::span<const accelerator> one(&a, 1);
  const opaque_model& m = catalog::resnet_50;
  for (const layout& l : {layout{.tp = 2}, layout{.pp = 2}, layout{.ep = 2}, layout{.cp = 2}, layout{.dcp = 2}}) {
    const opaque_verdict v = fits(m, one, l, plain(), at_once(1));
    CHECK(v.problem == problem::layout);
    CHECK(v.layout_problem == layout_problem::opaque_is_not_divided);
    CHECK(perf(m, plain(), l, 1_seq, a, constants_for(a)).problem == time_problem::layout);
  }
  CHECK(fits(m, one, {}, vllm(), at_once(1)).problem == problem::bad_option);
  CHECK(fits(m, one, {}, plain(), {8_tok, 1_seq}).problem == problem::bad_option);
  CHECK(fits(opaque_model{}, one, {}, plain(), at_once(1)).problem == problem::empty_model);
  CHECK(fits(m, std::span<const accelerator>(), {}, plain(), at_once(1)).problem == problem::device_count);
  CHECK(fits(m, one, {}, plain(), {{}, of<sequences>(std::int64_t{1} << 60)}).problem == problem::overflow);
  opaque_model untimed = m;
  untimed.flop_per_item = {};
  untimed.moved_per_item = {};
  CHECK(batch_time(untimed, plain(), 1_seq, a, constants_for(a)).problem == time_problem::no_figures);
  CHECK(batch_time(m, plain(), 0_seq, a, constants_for(a)).problem == time_problem::bad_load);
}

TEST_CASE("a pass takes longer with more items, and a larger batch serves more a second") {
  for (const opaque_model* m : catalog::opaque_models)
    for (const char* name : {"T4", "L4", "A100 SXM 80GB", "H100 SXM"}) {
      const accelerator a = row_of(name);
      const constants c = constants_for(a);
      double time = 0;
      double rate = 0;
      for (std::int64_t n = 1; n <= 1024; n *= 4) {
        const opaque_service s = perf(*m, plain(), {}, of<sequences>(count(n)), a, c);
        REQUIRE(s.problem == time_problem::none);
        const estimate<seconds>& t = s.batch.time;
        CHECK((t.low <= t.mid && t.mid <= t.high));
        CHECK(value_of(t.mid) > time);
        CHECK(s.items_per_second.mid > rate);
        time = value_of(t.mid);
        rate = s.items_per_second.mid;
        CHECK(value_of(s.batch.compute + s.batch.memory + s.batch.overhead) == Catch::Approx(time));
        CHECK(s.batch.time.from >= basis::transferred);
      }
      const opaque_service two = perf(*m, plain(), {.dp = 2}, 64_seq, a, c);
      CHECK(two.items_per_second.mid == Catch::Approx(2 * perf(*m, plain(), {}, 32_seq, a, c).items_per_second.mid));
    }
}

TEST_CASE("public figures of opaque models lie where the documentation says") {
  std::size_t inside = 0;
  std::vector<double> errors;
  for (const measurement& f : public_figures) {
    const accelerator a = row_of(f.on);
    const opaque_service s = perf(*f.model, plain_in(f.format), {}, of<sequences>(count(f.items)), a, constants_for(a));
    REQUIRE(s.problem == time_problem::none);
    const double ratio = s.items_per_second.mid / f.per_s;
    INFO(f.model->name.view() << " on " << f.on << " in " << f.format.name << ": " << s.items_per_second.mid << " for "
                              << f.per_s);
    CHECK(ratio > .45);
    CHECK(ratio < 3);
    inside += f.per_s >= s.items_per_second.low && f.per_s <= s.items_per_second.high ? 1U : 0U;
    errors.push_back(ratio > 1 ? ratio - 1 : 1 - ratio);
  }
  CHECK(inside >= 12);
  std::sort(errors.begin(), errors.end());
  // Networks in int8 on A100 and T4 are said too fast: the share is that of plain products there (0.65 of the peak).
  CHECK(errors[errors.size() / 2] < .66);
}

TEST_CASE("select carries opaque models: every offer is chosen or rejected, limits are kept") {
  std::vector<offer> offers;
  for (const accelerator& a : catalog::accelerators) offers.push_back({a, nullptr});
  workload w;
  w.opaque = &catalog::yolov8x;
  w.engine = plain();
  for (std::int64_t n : {0, 32})
    for (objective o : {objective::fewest_devices, objective::latency, objective::power}) {
      w.load = at_once(n);
      constraints limits;
      limits.max_latency = 50_ms;
      limits.min_items_per_second = 500;
      limits.rank_by = o;
      std::vector<choice> chosen;
      std::vector<rejection> rejected;
      select(
          w, limits, offers, [&](const choice& c) { chosen.push_back(c); },
          [&](const rejection& r) { rejected.push_back(r); });
      CHECK(chosen.size() + rejected.size() == offers.size());
      REQUIRE(!chosen.empty());
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const choice& c = chosen[i];
        CHECK(c.layout.dp == c.devices);
        CHECK(c.layout.tp == 1);
        CHECK(c.left >= bytes{});
        CHECK(c.items.batch.time.mid <= limits.max_latency);
        CHECK(c.items.items_per_second.mid >= 500);
        if (i == 0) continue;
        if (o == objective::fewest_devices) CHECK(chosen[i - 1].devices <= c.devices);
        if (o == objective::latency) CHECK(chosen[i - 1].items.batch.time.mid <= c.items.batch.time.mid);
      }
      for (const rejection& r : rejected)
        if (r.limit == limit_kind::items_rate) CHECK(r.have < 500);
    }
}
