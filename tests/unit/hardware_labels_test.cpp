// SPDX-License-Identifier: Apache-2.0
// How hardware is written in public logs, tables and cloud lists, against a table that was checked by hand.
#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <ullage/catalog/find_absent.hpp>
#include <ullage/catalog/find_system.hpp>
#include <ullage/catalog/sources.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace ullage;  // NOLINT(google-build-using-namespace)

namespace {

std::vector<std::vector<std::string>> rows_of(const char* path) {
  std::ifstream file(path);
  std::vector<std::vector<std::string>> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream cells(line);
    all.emplace_back();
    for (std::string cell; std::getline(cells, cell, '\t');) all.back().push_back(cell);
  }
  return all;
}

struct label {
  std::string text, where, outcome, ids, means, why;
};
std::vector<label> labels() {
  std::vector<label> all;
  for (const std::vector<std::string>& r : rows_of(ULLAGE_TEST_DATA "/hardware_labels.tsv")) {
    REQUIRE(r.size() == 6);
    all.push_back({r[0], r[1], r[2], r[3], r[4], r[5]});
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

TEST_CASE("labels that look like another part's are found, refused and counted as the table says", "[catalog]") {
  const auto all = rows_of(ULLAGE_TEST_DATA "/hostile_labels.tsv");
  REQUIRE(all.size() > 200);
  for (const std::vector<std::string>& r : all) {
    REQUIRE(r.size() == 5);
    std::string text = r[0];
    for (std::size_t p = text.find("\\n"); p != std::string::npos; p = text.find("\\n")) text.replace(p, 2, "\n");
    INFO(r[0]);
    const accelerator_match m = find_accelerator(text);
    const char* outcomes[] = {"found", "ambiguous", "unknown"};
    CHECK(outcomes[m.outcome] == r[1]);
    std::vector<std::string> ids;
    if (m.outcome == accelerator_match::found) ids.emplace_back(m.id());
    for (const accelerator* a : m.candidates) ids.emplace_back(a->id);
    std::sort(ids.begin(), ids.end());
    std::string list;
    for (const std::string& id : ids) list += (list.empty() ? "" : ",") + id;
    if (r[2] != "*") CHECK((list.empty() ? "-" : list) == r[2]);
    if (r[3] != "*") CHECK(std::to_string(m.count) == r[3]);
    const hardware_system* machine = machine_of(m);
    CHECK((machine != nullptr ? machine->id : "-") == r[4]);
  }
}

TEST_CASE("sizes that are said of a part that is sold in several are planned with", "[catalog]") {
  const auto gib = [](const char* name) {
    const accelerator_match m = find_accelerator(name);
    REQUIRE(m.outcome == accelerator_match::found);
    return real(m.memory_said) / 1073741824.0;
  };
  CHECK(gib("M1 7-Core GPU 8GB") == 8);
  CHECK(gib("Mac Studio (M3 Ultra 512GB)") == 512);
  CHECK(gib("Intel(R) Arc(TM) 140V GPU (16GB)") * 1.073741824 == Approx(16));
  CHECK(gib("Pi 5 8GB 8GB") == 8);
  CHECK(gib("EPYC 9654 6TB") == 6144);
  CHECK(gib("M4 Max 40-core GPU") == 0);
  CHECK(find_accelerator("Pi 5 8GB").row().memory_sold == of<bytes>(8LL << 30));
}

TEST_CASE("two names, and a name with a letter or number behind it, never make a third part", "[catalog]") {
  std::mt19937 random(20261);
  std::vector<std::string> names;
  for (const catalog::written_name& w : catalog::written_names) names.emplace_back(w.name);
  const std::array<std::string, 24> between = {" ",   "-",   "_",   ", ",    "/",    " / ",   " (",   ") ",
                                               " + ", " x ", "*",   ":",     ";",    "|",     "[",    "] ",
                                               " & ", "\n",  " @ ", " and ", " 2x ", ", 0, ", " x2 ", "\xC3\x97"};
  const std::array<std::string, 16> ends = {"x",  "a",  "s",     "g",  "d", "0", "1",       "4",
                                            "ti", "xt", "ultra", "b4", "8", "p", "4 cards", "die"};
  const auto parts_of = [](const accelerator_match& m) {
    std::vector<std::string_view> ids;
    if (m.whole != nullptr) ids.push_back(m.whole->id);
    for (const accelerator* a : m.candidates) ids.push_back(a->id);
    return ids;
  };
  for (int i = 0; i < 4000; ++i) {
    const std::string& first = names[random() % names.size()];
    const bool pair = i % 2 == 0;
    const std::string& last = pair ? names[random() % names.size()] : ends[random() % ends.size()];
    const std::string& separator = between[random() % between.size()];
    const std::string text = first + separator + last;
    const accelerator_match m = find_accelerator(text);
    INFO(text);
    if (m.outcome == accelerator_match::ambiguous) CHECK(m.candidates.size() >= 2);
    if (m.outcome != accelerator_match::found) continue;
    std::vector<std::string_view> said = parts_of(find_accelerator(first));
    if (pair)
      for (std::string_view id : parts_of(find_accelerator(last))) said.push_back(id);
    // "4090" and "D" are written as that part's name.
    const bool name = std::any_of(names.begin(), names.end(), [&](const std::string& n) {
      return ullage::detail::name_key(n).view() == ullage::detail::name_key(text).view();
    });
    CHECK((name || std::find(said.begin(), said.end(), m.whole->id) != said.end()));
  }
}
