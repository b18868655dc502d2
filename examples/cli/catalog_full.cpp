// SPDX-License-Identifier: Apache-2.0
// Rows of the catalogue in full, a view a kind.
#include "catalog_full_view.hpp"

namespace cli {
namespace {

std::string link_text(const json& link) {
  if (!link["per_device_bytes_per_s"].is_number()) return "none";
  return link["name"].get<std::string>() + " (" + text_of(link["id"]) + "), " + spoken(link["topology"]);
}

const json* figure_of(const json& row, const std::string& figure) {
  for (const json& f : row["figures"])
    if (f["figure"] == figure) return &f;
  return nullptr;
}

std::string ridge_note(const json& a, const std::string& format) {
  const json& ridges = a["ridge_flop_per_byte"];
  std::string note;
  if (ridges.contains(format) && ridges[format].is_number()) note = "ridge " + scaled(ridges[format], 1) + " FLOP/B";
  if (a["halves_fp32_accumulate"] == true && (format == "fp16" || format == "fp8"))
    note += (note.empty() ? "" : "; ") + std::string("with fp16 accumulate twice that");
  return note;
}
/// What a part does with the formats that it has no figure for.
void add_lacking(full_view& v, const json& a) {
  for (const std::string& format : formats) {
    const json& how = a["supports"][format];
    if (how == "native") continue;
    const json& runs_as = a["runs_as"][format];
    v.add(format, std::string(how == "lacking" ? "no units" : "no figure") +
                      (runs_as.is_null() ? ", and none that could stand in" : ", runs as " + text_of(runs_as)));
  }
}
void add_link(full_view& v, const json& row) {
  const json& link = row["scale_up"];
  if (!link["per_device_bytes_per_s"].is_number()) return;
  const bool doubt = unverified_link(row);
  v.add("  a device, one way", rate_text(link["per_device_bytes_per_s"]), "", doubt);
  v.add("  a peer, one way", rate_text(link["per_peer_bytes_per_s"]), "", doubt);
  v.add("  devices joined", text_of(link["domain_devices"]), "", doubt);
}
void add_visible(full_view& v, const json& row, const char* what = "counted as visible") {
  const json& band = row["visible_bytes"];
  if (!band.is_object()) return;
  v.add(what, band_text(band), "basis: " + band["basis"].get<std::string>(), band["basis"] == "unverified");
}

/// The figures of a row in the order of `titles`; `special` says what it does itself.
template <class Special>
void add_figures(full_view& v, const json& row, const Special& special) {
  for (const auto& t : titles) {
    const std::string figure = t[0];
    const json* f = figure.starts_with('~') ? nullptr : figure_of(row, figure);
    if (special(figure, f)) continue;
    if (f != nullptr)
      v.figure(*f, value_of(*f));
    else if (!figure.starts_with('~'))
      v.others(figure);
  }
  for (const json& f : row["figures"]) {
    const std::string figure = f["figure"];
    const bool told = std::any_of(std::begin(titles), std::end(titles), [&](const auto& t) { return figure == t[0]; });
    if (!told && figure != "name") v.figure(f, value_of(f));
  }
}

void print_accelerator(const json& a, bool sources) {
  full_view v(a, sources);
  v.names(a);
  if (!sources) v.add("PCI ids", joined(a["pci_ids"]));
  add_figures(v, a, [&](const std::string& figure, const json* f) {
    if (figure == "~visible") {
      add_visible(v, a);
      return true;
    }
    if (figure == "~lacks") {
      add_lacking(v, a);
      return true;
    }
    if (figure == "~fabric") {
      add_link(v, a);
      return true;
    }
    if (figure == "~peaks" && sources) {
      for (const std::string& format : formats)
        if (const std::string note = ridge_note(a, format); !note.empty()) v.add(format, note);
      return true;
    }
    if (f == nullptr) return false;
    const json* named = figure == "vendor"   ? &a["vendor"]
                        : figure == "family" ? &a["architecture"]
                        : figure == "form"   ? &a["form"]
                                             : nullptr;
    if (named != nullptr) {
      v.figure(*f, text_of(*named));
    } else if (figure.starts_with("peak_")) {
      v.figure(*f, value_of(*f), sources ? std::string() : ridge_note(a, figure.substr(5)));
    } else if (figure == "fabric") {
      v.figure(*f, link_text(a["scale_up"]));
    } else if (figure == "host_link") {
      const json& rate = a["host_link_bytes_per_s"];
      v.figure(*f, value_of(*f) + (rate.is_number() ? ", " + rate_text(rate) : ""));
    } else if (!sources && (figure == "lacks" || figure == "halves_fp32_accumulate")) {
      return true;  // said with the peaks
    } else {
      return false;
    }
    return true;
  });
  v.add("slices", joined(a["partitions"]));
  v.add("systems", joined(a["systems"]));
  v.print();
}

void print_partition(const json& p, bool sources) {
  full_view v(p, sources);
  v.add("slice of", text_of(p["whole_name"]) + " (" + text_of(p["whole"]) + ")");
  for (const json& f : p["figures"])
    if (sources) v.figure(f, value_of(f));
  v.add("copies", p["copies"].is_null() ? "" : text_of(p["copies"]));
  add_visible(v, p);
  v.add("compute units", text_of(p["compute_units"]), "", unverified(p, "compute_units"));
  v.add("bandwidth", rate_text(p["bandwidth_bytes_per_s"]), "", unverified(p, "bandwidth"));
  for (const std::string& format : formats)
    if (p["dense_flops_per_s"][format].is_number())
      v.add("dense peak, " + format, printed("%.4g TFLOP/s", number_of(p["dense_flops_per_s"][format]) / 1e12),
            ridge_note(p, format), unverified(p, "peak_" + format));
  add_lacking(v, p);
  if (p["scale_up"]["per_device_bytes_per_s"].is_number())
    v.add("links", link_text(p["scale_up"]), "", unverified_link(p));
  add_link(v, p);
  if (p["host_link_bytes_per_s"].is_number())
    v.add("host link, its share", rate_text(p["host_link_bytes_per_s"]), "", unverified(p, "host_link"));
  v.print();
}

void print_system(const json& s, bool sources) {
  full_view v(s, sources);
  v.names(s);
  add_figures(v, s, [&](const std::string& figure, const json* f) {
    if (figure == "~visible") {
      add_visible(v, s, "device memory, visible");
      return true;
    }
    if (figure == "~bandwidth") {
      v.add("device bandwidth, sum", rate_text(s["bandwidth_bytes_per_s"]), "", unverified(s, "bandwidth"));
      return true;
    }
    if (figure == "~peaks") {
      for (const std::string& format : formats)
        if (const json& peak = s["dense_flops_per_s"][format]; peak.is_number())
          v.add("dense peak, " + format, printed("%.4g PFLOP/s", number_of(peak) / 1e15), "",
                unverified(s, "peak_" + format));
      return true;
    }
    if (figure == "~fabric") {
      if (figure_of(s, "fabric") == nullptr) v.add("links", link_text(s["scale_up"]), "", unverified_link(s));
      add_link(v, s);
      return true;
    }
    if (figure == "~scale_out") {
      if (s["scale_out_per_device_bytes_per_s"].is_number())
        v.add("network, an accelerator", rate_text(s["scale_out_per_device_bytes_per_s"]), "one way",
              unverified(s, "scale_out") || unverified(s, "nics"));
      return true;
    }
    if (f == nullptr) return false;
    if (figure == "vendor")
      v.figure(*f, text_of(s["vendor"]));
    else if (figure == "accelerator")
      v.figure(*f, text_of(s["accelerator_name"]) + " (" + text_of(s["accelerator"]) + ")");
    else if (figure == "fabric")
      v.figure(*f, link_text(s["scale_up"]));
    else if (figure == "scale_out" && s["scale_out"].is_object())
      v.figure(*f, text_of(s["scale_out"]["name"]) + " (" + text_of(s["scale_out"]["id"]) + "), " +
                       rate_text(s["scale_out"]["per_device_bytes_per_s"]) + " a port, one way");
    else if (figure == "cpu" && (*f)["value"] != "none")
      v.figure(*f, text_of(s["cpu_name"]) + " (" + text_of(s["cpu"]) + ")");
    else if (figure == "cpu" ||
             (!sources && (figure == "fabric_domain" || (figure == "cpu_name" && !s["cpu"].is_null()))))
      return true;  // said by another line
    else
      return false;
    return true;
  });
  v.print();
}

void print_fabric(const json& f, bool sources) {
  full_view v(f, sources);
  add_figures(v, f, [](const std::string&, const json*) { return false; });
  v.add("parts with it", joined(f["accelerators"]));
  v.add("systems with it", joined(f["systems"]));
  v.print();
}

void print_absent_part(const json& a) {
  std::puts(coloured(a["name"].get<std::string>(), "1").c_str());
  table t({{""}, {"", false, 0, true}});
  t.add({"id", a["id"].get<std::string>()});
  t.add({"vendor", vendor_of(a)});
  t.add({"missing", joined(a["missing"]) + ": it is known but cannot be planned with"});
  t.add({"why", a["why"].get<std::string>()});
  t.add({"source", breakable(a["source"].get<std::string>(), 40) + ", " + a["date"].get<std::string>()});
  t.print("  ");
}

void print_model(const json& m, bool sources) {
  std::puts(coloured(m["name"].get<std::string>(), "1").c_str());
  table t({{""}, {"", false, 0, true}});
  const auto count = [](const json& n) { return n.is_number() ? grouped(n.get<long long>()) : std::string("-"); };
  const json& p = m["parameters"];
  if (!m["aliases"].empty()) t.add({"also called", joined(m["aliases"])});
  t.add({"model_type", m["model_type"].get<std::string>()});
  t.add({"layers", count(m["layers"])});
  t.add({"hidden size", count(m["hidden"])});
  t.add({"vocabulary", count(m["vocabulary"])});
  t.add({"positions", count(m["max_position"]) + " tokens"});
  t.add({"parameters", count(p["total"])});
  t.add({"active for a token", count(p["active"])});
  t.add({"of embeddings", count(p["embedding"])});
  if (p["mtp"] != 0) t.add({"MTP, beside them", count(p["mtp"])});
  t.add({"stored as", m["weights"].get<std::string>()});
  t.add({"stored weights", printed("%.1f GB", m["stored_weight_bytes"].get<double>() / 1e9)});
  t.add({"KV cache", m["kv_bytes_per_token"].is_number()
                         ? count(m["kv_bytes_per_token"]) + " B a token in the model's own type"
                         : "not linear in the tokens; see `ullage model " + m["name"].get<std::string>() + "`"});
  t.print("  ");
  if (!sources) return;
  if (m["source"].is_string())
    return say("Source of the config: " + m["source"].get<std::string>() +
                   "; parameters and bytes are computed from it (docs/formulas.md).",
               "  ", "  ");
  std::string repositories;
  for (const json& s : m["aliases"])
    if (s.get<std::string>().find('/') != std::string::npos)
      repositories += (repositories.empty() ? "" : ", ") + s.get<std::string>();
  say("Sources: the sizes are those of the public config.json of " +
          (repositories.empty() ? m["name"].get<std::string>() : repositories) +
          ", which share it; parameters and bytes are computed from them (docs/formulas.md).",
      "  ", "  ");
}

}  // namespace

void print_in_full(const json& c, const catalog_options& o, bool sources) {
  bool first = true;
  const auto each = [&first](const json& rows, const auto& print) {
    for (const json& row : rows) {
      if (!first) std::puts("");
      first = false;
      print(row);
    }
  };
  // The name of a machine is also one of its parts, which has a view of its own.
  const bool machine = !o.name.empty() && o.what.empty() && !c["systems"].empty();
  if (!machine) each(c["accelerators"], [sources](const json& a) { print_accelerator(a, sources); });
  each(c["systems"], [sources](const json& s) { print_system(s, sources); });
  each(c["partitions"], [sources](const json& p) { print_partition(p, sources); });
  each(c["fabrics"], [sources](const json& f) { print_fabric(f, sources); });
  each(c["models"], [sources](const json& m) { print_model(m, sources); });
  each(c["absent"], print_absent_part);
}

}  // namespace cli
