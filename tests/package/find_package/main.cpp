// SPDX-License-Identifier: Apache-2.0
// A consumer of the installed package: every function of the library's face is called once.
#include <cstdio>
#include <ullage/version.hpp>

bool uses_kv_cache();
bool uses_parameters();
bool uses_fits();
bool uses_remedies();
bool uses_solve();
bool uses_step();
bool uses_perf();
bool uses_op();
bool uses_diagnose();
bool uses_select();
bool uses_catalog();
bool uses_io();

int main() {
  const struct {
    const char* name;
    bool worked;
  } calls[] = {
      {"kv_cache", uses_kv_cache()}, {"parameters", uses_parameters()},
      {"fits", uses_fits()},         {"remedies", uses_remedies()},
      {"solve", uses_solve()},       {"step", uses_step()},
      {"perf", uses_perf()},         {"select", uses_select()},
      {"op", uses_op()},             {"diagnose", uses_diagnose()},
      {"catalog", uses_catalog()},   {"io", uses_io()},
  };
  for (const auto& call : calls) {
    if (call.worked) continue;
    std::printf("%s did not answer as expected\n", call.name);
    return 1;
  }
  std::printf("ullage %s\n", ULLAGE_VERSION_STRING);
  return 0;
}
