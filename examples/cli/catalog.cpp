// SPDX-License-Identifier: Apache-2.0
// ullage catalog: what is built in.
#include "catalog_views.hpp"

namespace cli {
namespace {

constexpr const char* kinds[] = {"accelerators", "systems", "fabrics", "partitions", "models", "absent"};

}  // namespace

int run_catalog(const catalog_options& asked) {
  catalog_options o = asked;
  for (const std::string& word : o.words) {
    const bool kind = &word == &o.words.front() &&
                      std::any_of(std::begin(kinds), std::end(kinds), [&word](const char* k) { return word == k; });
    if (kind)
      o.what = word;
    else
      o.name += (o.name.empty() ? "" : " ") + word;
  }
  const bool sources = o.sources;
  const bool in_full = !o.name.empty() || o.sources;
  if (!o.json_output && !o.csv_output && o.compare.empty()) o.sources = in_full;
  json c = catalog_of(o);
  if (c.value("status", std::string()) == "error") {
    // A word of an option is called by its flag: "vendor is ..." is "--vendor is ...".
    const std::string field = c.value("field", std::string());
    std::string flag = "--" + field;
    std::replace(flag.begin(), flag.end(), '_', '-');
    if (const std::string said = c.value("message", std::string()); field != "name" && said.starts_with(field))
      c["message"] = flag + said.substr(field.size());
    return finish_with_error(c, "catalog", o.json_output);
  }
  if (o.json_output)
    std::puts(line_of(c).c_str());
  else if (o.csv_output && sources)
    print_figures_csv(c, o);
  else if (o.csv_output)
    print_csv(c, o);
  else if (!o.compare.empty())
    print_compared(c);
  else if (in_full)
    print_in_full(c, o, sources);
  else
    print_lists(c, o);
  return 0;
}

}  // namespace cli
