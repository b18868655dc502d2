// SPDX-License-Identifier: Apache-2.0
// Which hardware for 32 conversations with Llama-3.1-70B at 40 ms a token and 3 kW, and what rejects the others?
#include <cstdio>
#include <ullage/ullage.hpp>

using namespace ullage;

int main() {
  // What a data centre buys today from two makers; the whole catalogue would be as good.
  offer list[catalog::accelerators.size()];
  std::size_t n = 0;
  for (const accelerator& a : catalog::accelerators)
    if (a.kind == device_class::datacenter && a.status == availability::shipping && a.year >= 2023 &&
        (a.made_by == vendor::nvidia || a.made_by == vendor::amd))
      list[n++].part = a;
  const std::span<const offer> offers(list, n);

  workload chat;
  chat.model = &catalog::llama_3_1_70b;
  chat.engine = vllm("0.24.0");
  chat.engine.weights = formats::fp8;
  chat.load = {.context = 8192_tok, .concurrency = 32_seq};
  chat.traffic = {.input_tokens = 6144_tok, .output_tokens = 1024_tok, .concurrency = 32_seq};
  constraints limits;
  limits.max_tpot = 40_ms;
  limits.max_power = of<watts>(3000.0);

  select(
      chat, limits, offers,
      [](const choice& c) {
        std::printf("%-14s %lld x tp %lld\n", c.part.name.data(), static_cast<long long>(c.replicas),
                    static_cast<long long>(c.layout.tp));
      },
      [](const rejection& r) {
        if (r.limit == limit_kind::memory)
          std::printf("  not %-14s %.1f GB missing on each of %lld\n", r.part.name.data(), (r.need - r.have) / 1e9,
                      static_cast<long long>(r.devices));
        else
          std::printf("  not %-14s %s\n", r.part.name.data(), name(r.limit).data());
      });
  return 0;
}
