// SPDX-License-Identifier: Apache-2.0
// How hardware is written in public logs, tables and cloud lists, against a table that was checked by hand.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <ullage/catalog/find_absent.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace ullage;  // NOLINT(google-build-using-namespace)

namespace {

struct label {
  std::string text, where, outcome, ids, means, why;
};

std::vector<label> labels() {
  std::ifstream file(ULLAGE_TEST_DATA "/hardware_labels.tsv");
  std::vector<label> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream cells(line);
    label l;
    for (std::string* s : {&l.text, &l.where, &l.outcome, &l.ids, &l.means, &l.why}) std::getline(cells, *s, '\t');
    all.push_back(l);
  }
  return all;
}

std::string ids_of(const accelerator_match& m) {
  if (m.outcome == accelerator_match::found) return std::string(m.slice != nullptr ? m.slice->id : m.whole->id);
  std::string text;
  for (const accelerator* a : m.candidates) text += (text.empty() ? "" : ",") + std::string(a->id);
  return text;
}

}  // namespace

TEST_CASE("labels of public sources find their part, or are refused with the parts that share the name", "[catalog]") {
  const std::vector<label> all = labels();
  REQUIRE(all.size() > 500);
  int one = 0;
  int found = 0;
  int shared = 0;
  int others = 0;
  for (const label& l : all) {
    INFO(l.text);
    const accelerator_match m = find_accelerator(l.text);
    if (l.outcome == "found") {
      CHECK(m.outcome == accelerator_match::found);
      CHECK(ids_of(m) == l.ids);
      CHECK(l.ids == l.means);
    } else if (l.outcome == "ambiguous") {
      CHECK(m.outcome == accelerator_match::ambiguous);
      CHECK(ids_of(m) == l.ids);
    } else {
      CHECK(m.outcome == accelerator_match::unknown);
      if (l.ids != "-") {
        const catalog::absent_part* absent = find_absent(l.text);
        REQUIRE(absent != nullptr);
        CHECK(std::string(absent->id) == l.ids);
      }
    }
    if (l.where == "throughput (as stated)") continue;  // prose beside the name proper
    if (l.means != "-") ++one;
    if (l.outcome == "found") ++found;
    if (l.outcome == "ambiguous") ++shared;
    if (l.outcome == "refused") ++others;
  }
  std::cout << "hardware labels: " << found + shared + others << " distinct, " << one
            << " mean one plannable part, of which " << found << " found (" << 100 * found / one << " %); " << shared
            << " refused as ambiguous; " << others
            << " name no part, one without figures, or more than is understood\n";
  CHECK(found * 100 >= one * 95);
}
