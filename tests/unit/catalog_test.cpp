// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <ullage/catalog.hpp>
#include <ullage/catalog/find_absent.hpp>
#include <ullage/catalog/find_system.hpp>
#include <ullage/catalog/sources.hpp>
#include <ullage/hardware.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace ullage;  // NOLINT(google-build-using-namespace)

namespace {

std::string loud(std::string_view text) {
  std::string s;
  for (char c : text) {
    if (c == ' ' || c == '-') {
      s += "__";
    } else {
      s += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  return s;
}
bool found(std::string_view name, std::string_view id) {
  const accelerator_match m = find_accelerator(name);
  return m.outcome == accelerator_match::found && (m.slice != nullptr ? m.slice->id : m.whole->id) == id;
}

}  // namespace

TEST_CASE("every name that is written down finds its part or its machine, in any case and spacing", "[catalog]") {
  std::map<std::string, const accelerator*> parts;
  for (const accelerator& a : catalog::accelerators) parts[std::string(a.id)] = &a;
  std::map<std::string, const hardware_system*> systems;
  for (const hardware_system& s : catalog::systems) systems[std::string(s.id)] = &s;
  for (const catalog::written_name& w : catalog::written_names) {
    INFO(w.name);
    const auto part = parts.find(w.of);
    const auto system = systems.find(w.of);
    REQUIRE((part != parts.end() || system != systems.end()));
    const std::string_view id = part != parts.end() ? part->second->id : system->second->part->id;
    CHECK(found(w.name, id));
    // An id is one part's as it stands, also where people call several so ("Arc A770").
    if (id != w.name) CHECK(found(loud(w.name), id));
    if (part == parts.end()) {
      const hardware_system* s = find_system(w.name);
      REQUIRE(s != nullptr);
      CHECK(s->id == system->second->id);
    }
    CHECK(std::strlen(w.source) > 2);
  }
}

TEST_CASE("a vendor or product line may be added to a name or left out", "[catalog]") {
  CHECK(found("NVIDIA L40S", "l40s"));
  CHECK(found("Google TPU v6e", "tpu-v6e"));
  CHECK(found("Intel Gaudi 3", "gaudi3"));
  CHECK(found("Amazon Trainium2", "trainium2"));
  CHECK(found("NVIDIA GeForce RTX 4090", "rtx-4090"));
  CHECK(found("AMD Instinct MI300X", "mi300x"));
  CHECK(found("Intel(R) Xeon(R) 6980P", "xeon-6980p"));
  CHECK(find_accelerator("Intel L40S").outcome == accelerator_match::unknown);
  CHECK(find_accelerator("Radeon RTX 4090").outcome == accelerator_match::unknown);
}

TEST_CASE("ambiguous names list their parts and take none", "[catalog]") {
  for (const catalog::ambiguous_accelerator_name& several : catalog::ambiguous_accelerator_names) {
    const accelerator_match m = find_accelerator(several.key);
    INFO(several.key);
    CHECK(m.outcome == accelerator_match::ambiguous);
    CHECK(m.whole == nullptr);
    CHECK(m.candidates.size() >= 2);
  }
}

TEST_CASE("a size or form factor decides between parts of one name", "[catalog]") {
  CHECK(found("A100 SXM 80GB", "a100-sxm-80gb"));
  CHECK(found("8x NVIDIA A100-SXM4-40GB (400 W)", "a100-sxm-40gb"));
  CHECK(found("H100 94GB NVL", "h100-nvl"));
  CHECK(found("RTX 3080 12GB", "rtx-3080-12gb"));
  CHECK(found("GH200 144 GB HBM3e", "gh200-144gb"));
  CHECK(find_accelerator("A100 80GB").outcome == accelerator_match::ambiguous);
  CHECK(find_accelerator("H100 SXM 40GB").outcome == accelerator_match::unknown);
  CHECK(find_accelerator("MI300X HBM2").outcome == accelerator_match::unknown);
}

TEST_CASE("variants are never merged by a common beginning", "[catalog]") {
  CHECK(found("L4", "l4"));
  CHECK(found("L40", "l40"));
  CHECK(found("L40S", "l40s"));
  CHECK(found("H20", "h20"));
  CHECK(found("NVIDIA H200 NVL", "h200-nvl"));
  CHECK(found("B200", "b200"));
  CHECK(found("GB200", "gb200"));
  CHECK(found("A10", "a10"));
  CHECK(found("A10G", "a10g"));
  CHECK(found("NVIDIA GH200 480GB", "gh200-96gb"));
  CHECK(found("RTX 4080 SUPER", "rtx-4080-super"));
  CHECK(found("RTX 4070 Ti SUPER", "rtx-4070-ti-super"));
  CHECK(found("RTX 4090 D", "rtx-4090-d"));
  CHECK(found("RTX 5090 Laptop GPU", "rtx-5090-laptop"));
  CHECK(find_accelerator("RTX 4090 Mobile Max-Q").outcome == accelerator_match::unknown);
  CHECK(find_accelerator("RTX 4080 Ti").outcome == accelerator_match::unknown);
  CHECK(find_accelerator("M4 Ultra").outcome == accelerator_match::unknown);
}

TEST_CASE("slices of parts are found by their profile and derived from the whole", "[catalog]") {
  const accelerator_match m = find_accelerator("NVIDIA A100-SXM4-80GB MIG 1g.10gb");
  REQUIRE(m.outcome == accelerator_match::found);
  REQUIRE(m.slice != nullptr);
  CHECK(m.whole == &catalog::a100_sxm_80gb);
  const accelerator a = m.row();
  CHECK(a.id == "a100-sxm-80gb-1g-10gb");
  CHECK(a.compute_units == 14);
  CHECK(a.bandwidth == catalog::a100_sxm_80gb.bandwidth * .125);
  CHECK(a.visible_memory() < of<bytes>(10'737'418'240LL));
  CHECK(value_of(a.peak(math::bf16)) == Approx(312e12 * 14 / 108));
  CHECK(a.scale_up.usable(of<devices>(2)) == bytes_per_second{});
  CHECK(find_accelerator("A100-SXM4-80GB MIG 9g.90gb").outcome == accelerator_match::unknown);
  CHECK(find_accelerator("T4 1g.10gb").outcome == accelerator_match::unknown);
  for (const partition_profile& p : catalog::partitions) {
    INFO(p.id);
    CHECK(found(p.id, p.id));
    const accelerator slice = partition(p);
    CHECK(slice.visible_memory() == (std::min)(p.memory, p.whole->memory().mid));
    CHECK(slice.bandwidth > bytes_per_second{});
    CHECK(slice.bandwidth <= p.whole->bandwidth);
    // The copies together are at most the whole.
    CHECK(real(p.memory) * p.copies <= real(p.whole->memory().high) * 1.02);
    if (p.whole->compute_units > 0) CHECK(p.compute_units * p.copies <= p.whole->compute_units);
  }
}

TEST_CASE("PCI ids find their part", "[catalog]") {
  CHECK(find_accelerator_by_pci(0x10de, 0x2330).whole == &catalog::h100_sxm);
  CHECK(find_accelerator("10DE:2330").whole == &catalog::h100_sxm);
  CHECK(find_accelerator("10de:2335").whole == &catalog::h200_sxm);
  CHECK(find_accelerator("1002:74a1").whole == &catalog::mi300x);
  CHECK(find_accelerator("10de:0000").outcome == accelerator_match::unknown);
  for (const catalog::pci_id& p : catalog::pci_ids) {
    const accelerator_match m = find_accelerator_by_pci(static_cast<std::uint16_t>(p.number >> 16),
                                                        static_cast<std::uint16_t>(p.number & 0xffff));
    INFO(p.part->id);
    CHECK((m.whole == p.part || (m.outcome == accelerator_match::ambiguous && m.has(p.part))));
  }
}

TEST_CASE("machines have their parts, fabric and network", "[catalog]") {
  const hardware_system* hgx = find_system("DGX H100");
  REQUIRE(hgx != nullptr);
  CHECK(hgx->part == &catalog::h100_sxm);
  CHECK(hgx->accelerators == of<devices>(8));
  CHECK(hgx->device().scale_up.in_network_reduction);
  CHECK(value_of(hgx->scale_out().per_device) == Approx(50e9));
  CHECK(find_system("p5.48xlarge")->part == &catalog::h100_sxm);
  CHECK(find_system("GB200 NVL72")->scale_up.domain == of<devices>(72));
  CHECK(find_system("a cupboard") == nullptr);
  CHECK(catalog::systems.size() >= 40);
  for (const hardware_system& s : catalog::systems) {
    INFO(s.id);
    REQUIRE(s.part != nullptr);
    CHECK(s.accelerators > devices{});
        CHECK(s.scale_up.domain <= s.accelerators);
    CHECK(s.memory().low > bytes{});
    CHECK((s.port.per_device <= bytes_per_second{} || s.port.reach == fabric_reach::scale_out));
  }
}

TEST_CASE("parts that lack a figure are known by name and have no row", "[catalog]") {
  REQUIRE(find_absent("Gaudi 1") != nullptr);
  CHECK(std::string(find_absent("Gaudi 1")->missing) == "peaks");
  CHECK(find_absent("Gaudi 3") == nullptr);
  CHECK(find_absent("8xMI300X") == nullptr);
  CHECK(find_absent("") == nullptr);
  for (const catalog::absent_part& p : catalog::absent_parts) {
    INFO(p.id);
    CHECK(find_absent(p.name) == &p);
    CHECK(find_accelerator(p.name).outcome != accelerator_match::found);
  }
}

TEST_CASE("unknown names get distinct parts with near names", "[catalog]") {
  for (const char* name : {"L400", "H2000", "RTX 4085", "NVIDIA GeForce RTX 6070", "GB3000", "TPU v9", "xyzzy"}) {
    const accelerator_match m = find_accelerator(name);
    INFO(name);
    std::set<const accelerator*> parts(m.candidates.begin(), m.candidates.end());
    CHECK(m.outcome == accelerator_match::unknown);
    CHECK(parts.size() == m.candidates.size());
    CHECK(parts.size() >= 3);
  }
  CHECK(find_accelerator("H2000").has(&catalog::h200_sxm));
  CHECK(find_accelerator("nvidia").outcome == accelerator_match::unknown);
  CHECK(find_accelerator("AMD H100").outcome == accelerator_match::unknown);
}

TEST_CASE("hostile names are unknown", "[catalog]") {
  CHECK(find_accelerator(std::string(100000, 'h')).outcome == accelerator_match::unknown);
  CHECK(find_accelerator(" - _ ").candidates.empty());
  CHECK(find_accelerator("").candidates.empty());
  CHECK(find_accelerator(std::string("h100\0sxm", 8)).outcome == accelerator_match::unknown);
  CHECK(find_accelerator("h200-sxm" + std::string(60, 'x')).outcome == accelerator_match::unknown);
  CHECK(find_accelerator("h200-sxm" + std::string(200, ' ')).whole == &catalog::h200_sxm);
  std::string words;
  for (int i = 0; i < 200; ++i) words += "a100 ";
  CHECK(find_accelerator(words).outcome == accelerator_match::unknown);
  std::string mixed;
  for (const char* n : {"h100", "a100", "v100", "h200", "orin", "m3 max", "p100", "a800", "h800", "mi300"})
    mixed += std::string(n) + " + ";
  CHECK(find_accelerator(mixed).whole == nullptr);
  for (int c = 1; c < 256; ++c) CHECK(find_accelerator(std::string(3, static_cast<char>(c)) + ":").whole == nullptr);
}

TEST_CASE("every figure of a row has a source", "[catalog]") {
  std::map<std::string, std::set<std::string>> sourced;
  for (const catalog::sourced_figure& f : catalog::accelerator_figures) {
    CHECK(sourced[f.of].insert(f.figure).second);
    CHECK(std::strlen(f.source) > 2);
    CHECK(std::strlen(f.date) == 7);
    CHECK(std::strlen(f.value) > 0);
  }
  for (const accelerator& a : catalog::accelerators) {
    const std::set<std::string>& figures = sourced[std::string(a.id)];
    INFO(a.id);
    for (const char* figure :
         {"memory_sold", "memory_type", "bandwidth", "fabric", "host_link", "family", "form", "class"})
      CHECK(figures.count(figure) == 1);
    CHECK(figures.count("memory_driver") == (a.memory_driver > bytes{} ? 1U : 0U));
    CHECK(figures.count("memory_process") == (a.memory_process > bytes{} ? 1U : 0U));
    CHECK(figures.count("power") == (a.power > watts{} ? 1U : 0U));
    CHECK(figures.count("compute_units") == (a.compute_units > 0 ? 1U : 0U));
    for (std::size_t m = 0; m < math_kinds; ++m) {
      const std::string peak = "peak_" + std::string(name(static_cast<math>(m)));
      CHECK(figures.count(peak) == (a.dense_peaks[m] > flops_per_second{} ? 1U : 0U));
    }
  }
}

TEST_CASE("memory is a band below what is sold, narrower the more is known", "[catalog]") {
  for (const accelerator& a : catalog::accelerators) {
    const estimate<bytes> m = a.memory();
    INFO(a.id);
    CHECK(m.low > bytes{});
    CHECK(m.low <= m.mid);
    CHECK(m.mid <= m.high);
    CHECK(a.visible_memory() == m.mid);
    // Nothing shows more than its label read in powers of two, up to the label's own rounding.
    CHECK(real(m.high) <= real(detail::in_binary(a.memory_sold)) * 1.01);
    CHECK(m.pinned() ==
          (a.memory_process > bytes{} || (a.memory_driver > bytes{} && (a.made_by == vendor::amd || a.memory_shared))));
  }
  // A part without any print: the label in powers of two less the reserves, said to be transferred.
  accelerator row = catalog::h200_sxm;
  const bytes told = row.memory_process;
  row.memory_process = {};
  CHECK(row.memory().low <= told);
  CHECK(row.memory().high >= told);
  CHECK(row.memory().from == basis::transferred);
  row.memory_driver = {};
  CHECK(row.memory().low <= told);
  CHECK(row.memory().high >= told);
  // Inline ECC takes a sixteenth.
  accelerator l4 = catalog::l4;
  const bytes l4_told = l4.visible_memory();
  l4.memory_process = l4.memory_driver = {};
  CHECK(l4.ecc == ecc::inline_);
  CHECK(l4.memory().low <= l4_told);
  CHECK(l4.memory().high >= l4_told);
}

TEST_CASE("the rules of memory hold for the parts whose totals are printed", "[catalog]") {
  // As if only the driver's total were known, and as if only the label were.
  int reserves = 0;
  int reserve_inside = 0;
  int labels = 0;
  int label_inside = 0;
  std::vector<double> half_widths;
  for (const accelerator& a : catalog::accelerators) {
    if (a.memory_shared || a.memory_driver <= bytes{}) continue;
    accelerator row = a;
    row.memory_process = {};
    if (a.memory_process > bytes{} && a.made_by == vendor::nvidia) {
      const estimate<bytes> m = row.memory();
      ++reserves;
      if (m.low <= a.memory_process && a.memory_process <= m.high) ++reserve_inside;
      half_widths.push_back((real(m.high) - real(m.low)) / 2 / real(m.mid));
    }
    if (!is_hbm(a.memory_type) && !is_gddr(a.memory_type)) continue;
    if (a.made_by == vendor::google) continue;  // rounded figures of a library, not prints
    const estimate<bytes> m = detail::memory_by_label(a);
    ++labels;
    const bool inside = real(m.low) <= real(a.memory_driver) && real(a.memory_driver) <= real(m.high) * 1.0001;
    if (inside) ++label_inside;
    if (!inside)
      std::cout << "  outside its label's band: " << a.id << ' ' << real(a.memory_driver) / real(m.high) << '\n';
  }
  std::sort(half_widths.begin(), half_widths.end());
  std::cout << "memory rules: reserve of NVIDIA parts inside the band " << reserve_inside << " of " << reserves
            << ", median half-width " << 100 * half_widths[half_widths.size() / 2]
            << " %; driver's total inside the label's band " << label_inside << " of " << labels << '\n';
  CHECK(reserves >= 14);
  CHECK(reserve_inside * 100 >= reserves * 72);
  CHECK(labels >= 80);
  CHECK(label_inside * 100 >= labels * 90);
}

TEST_CASE("what a part lacks is told from what is not known, with what runs instead", "[catalog]") {
  CHECK(catalog::a100_sxm_80gb.supports(math::fp8) == support::lacking);
  CHECK(catalog::a100_sxm_80gb.runs_as(math::fp8) == math::bf16);
  CHECK(catalog::t4.supports(math::bf16) == support::lacking);
  CHECK(catalog::t4.runs_as(math::bf16) == math::fp16);
  CHECK(catalog::h100_sxm.supports(math::fp8) == support::native);
  CHECK(catalog::rtx_4090.halves_fp32_accumulate);
  CHECK(catalog::l40.halves_fp32_accumulate);
  CHECK(catalog::a10g.halves_fp32_accumulate);
  CHECK_FALSE(catalog::l40s.halves_fp32_accumulate);
  CHECK_FALSE(catalog::rtx_a6000.halves_fp32_accumulate);
  for (const accelerator& a : catalog::accelerators)
    for (std::size_t m = 0; m < math_kinds; ++m) {
      INFO(a.id);
      // Whatever is asked, something that the part has runs it, unless it has neither 16 nor 32 bits.
      const math runs = a.runs_as(static_cast<math>(m));
      const bool wide = a.peak(math::bf16) + a.peak(math::fp16) + a.peak(math::fp32) > flops_per_second{};
      CHECK((a.peak(runs) > flops_per_second{}) == (wide || a.supports(static_cast<math>(m)) == support::native));
    }
}

TEST_CASE("a row is an accelerator by itself and as a type", "[catalog]") {
  CHECK(describe(catalog::h200_sxm).id == "h200-sxm");
  CHECK(describe(device<catalog::mi300x>{}).scale_up.domain == of<devices>(count(8)));
  CHECK(node<device<catalog::gb200>, 4>{}.rows()[3].memory_driver == catalog::gb200.memory_driver);
}
