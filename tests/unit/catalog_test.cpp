// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>
#include <ullage/catalog.hpp>
#include <ullage/catalog/sources.hpp>
#include <ullage/hardware.hpp>

#include "support/catch.hpp"

using namespace ullage;  // NOLINT(google-build-using-namespace)

TEST_CASE("every alias finds its part, in any case and spacing", "[catalog]") {
  for (const catalog::accelerator_alias& alias : catalog::accelerator_aliases) {
    std::string loud;
    for (char c : std::string(alias.text)) {
      if (c == ' ' || c == '-') {
        loud += "__";
      } else {
        loud += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      }
    }
    const accelerator_match plain = find_accelerator(alias.text);
    const accelerator_match shouted = find_accelerator(loud);
    INFO(alias.text);
    CHECK(plain.outcome == accelerator_match::found);
    CHECK(plain.row == alias.part);
    CHECK(shouted.row == alias.part);
  }
}

TEST_CASE("a vendor word may be added to a name that stands alone", "[catalog]") {
  CHECK(find_accelerator("NVIDIA L40S").row == &catalog::l40s);
  CHECK(find_accelerator("Google TPU v6e").row == &catalog::tpu_v6e);
  CHECK(find_accelerator("Intel Gaudi 3").row == &catalog::gaudi3);
  CHECK(find_accelerator("Amazon Trainium2").row == &catalog::trainium2);
  CHECK(find_accelerator("Intel L40S").outcome == accelerator_match::unknown);
}

TEST_CASE("ambiguous names list their parts and take none", "[catalog]") {
  for (const catalog::ambiguous_accelerator_name& several : catalog::ambiguous_accelerator_names) {
    const accelerator_match m = find_accelerator(several.text);
    INFO(several.text);
    CHECK(m.outcome == accelerator_match::ambiguous);
    CHECK(m.row == nullptr);
    CHECK(m.candidates.size() >= 2);
  }
}

TEST_CASE("unknown names get three distinct parts with near names", "[catalog]") {
  for (const char* name : {"L40", "H2000", "RTX 4080", "NVIDIA GeForce RTX 5080", "GB300", "TPU v7", "xyzzy"}) {
    const accelerator_match m = find_accelerator(name);
    INFO(name);
    std::set<const accelerator*> parts(m.candidates.begin(), m.candidates.end());
    CHECK(m.outcome == accelerator_match::unknown);
    CHECK(parts.size() == 3);
  }
  CHECK(find_accelerator("GB300").candidates[0] == &catalog::gb200);
  const accelerator_match l40 = find_accelerator("L40");
  CHECK(l40.candidates[0]->made_by == vendor::nvidia);
}

TEST_CASE("hostile names are unknown", "[catalog]") {
  CHECK(find_accelerator(std::string(100000, 'h')).outcome == accelerator_match::unknown);
  CHECK(find_accelerator(" - _ ").candidates.empty());
  CHECK(find_accelerator(std::string("h100\0sxm", 8)).outcome == accelerator_match::unknown);
  CHECK(find_accelerator("h200-sxm" + std::string(60, 'x')).outcome == accelerator_match::unknown);
  CHECK(find_accelerator("h200-sxm" + std::string(200, ' ')).row == &catalog::h200_sxm);
}

TEST_CASE("every figure of a row has a source", "[catalog]") {
  for (const accelerator& a : catalog::accelerators) {
    std::set<std::string> sourced;
    for (const catalog::sourced_figure& f : catalog::accelerator_figures) {
      if (f.part != a.id) continue;
      sourced.insert(std::string(f.figure));
      CHECK(f.source.size() > 2);
      CHECK(f.date.size() == 7);
    }
    INFO(a.id);
    CHECK(sourced.count("memory_sold") == 1);
    CHECK(sourced.count("memory_driver") == (a.memory_driver > bytes{} ? 1U : 0U));
    CHECK(sourced.count("memory_process") == (a.memory_process > bytes{} ? 1U : 0U));
    CHECK(a.memory_process <= a.memory_driver);
    CHECK(sourced.count("bandwidth") == 1);
    CHECK(sourced.count("power") == (a.power > watts{} ? 1U : 0U));
    for (std::size_t m = 0; m < math_kinds; ++m) {
      const std::string peak = "peak_" + std::string(name(static_cast<math>(m)));
      CHECK(sourced.count(peak) == (a.dense_peaks[m] > flops_per_second{} ? 1U : 0U));
    }
  }
}

TEST_CASE("a row is an accelerator by itself and as a type", "[catalog]") {
  CHECK(describe(catalog::h200_sxm).id == "h200-sxm");
  CHECK(describe(device<catalog::mi300x>{}).scale_up.domain == of<devices>(count(8)));
  CHECK(node<device<catalog::gb200>, 4>{}.rows()[3].memory_driver == catalog::gb200.memory_driver);
}
