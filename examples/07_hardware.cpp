// SPDX-License-Identifier: Apache-2.0
// What the catalogue knows: names as logs print them, memory as a band, formats that a part lacks, slices and machines.
#include <cstdio>
#include <ullage/catalog/find_system.hpp>
#include <ullage/ullage.hpp>

using namespace ullage;

static void show(std::string_view label) {
  const accelerator_match m = find_accelerator(label);
  std::printf("%-40.*s ", static_cast<int>(label.size()), label.data());
  if (m.outcome != accelerator_match::found) {
    std::printf(m.outcome == accelerator_match::ambiguous ? "is one of" : "is unknown; near are");
    for (const accelerator* a : m.candidates) std::printf(" %s", a->id.data());
    std::printf("\n");
    return;
  }
  const accelerator a = m.row();
  const estimate<bytes> visible = a.memory();
  std::printf("%s: %.1f to %.1f GiB visible (%s), %.0f FLOP a byte in bf16, fp8 runs as %s\n", a.name.data(),
              real(visible.low) / 1073741824.0, real(visible.high) / 1073741824.0, name(visible.from).data(),
              a.ridge(a.runs_as(math::bf16)), name(a.runs_as(math::fp8)).data());
}

int main() {
  show("NVIDIA H100 80GB HBM3");
  show("8 x NVIDIA A100-SXM4-40GB (400 W)");
  show("A100-SXM4-80GB MIG 1g.10gb");
  show("10de:2335");
  show("A100 80GB");
  show("RTX 4080 Ti");

  // Two of eight MI300X share one link; two of eight H100 have all of theirs.
  for (std::string_view machine : {"MI300X platform", "DGX H100"}) {
    const hardware_system* s = find_system(machine);
    if (s == nullptr) return 1;
    std::printf("%s: a group of 2 has %.0f GB/s a device, of 8 %.0f; out of the machine %.0f GB/s a device\n",
                s->name.data(), value_of(s->scale_up.usable(of<devices>(2))) / 1e9,
                value_of(s->scale_up.usable(of<devices>(8))) / 1e9, value_of(s->scale_out().per_device) / 1e9);
  }
}
