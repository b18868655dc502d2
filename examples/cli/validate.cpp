// SPDX-License-Identifier: Apache-2.0
#include "validate.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <ullage/catalog/find.hpp>
#include <ullage/validate/host.hpp>
#include <ullage/validate/report.hpp>
#include <vector>

#include "command.hpp"
#include "text.hpp"
#include "validate_cuda.hpp"

namespace cli {

using namespace ullage;  // NOLINT(google-build-using-namespace)

namespace {

struct answered {
  validate::report report{};
  std::vector<validate::measurement> lines{};
};

/// For people: three digits and a decimal multiple; memory in GiB, as nvidia-smi and /proc count it.
std::string human(double x, validate::unit in) {
  const auto scaled = [x](const char* const(&names)[5]) {
    double value = x;
    std::size_t step = 0;
    while (std::abs(value) >= 1000.0 && step < 4) {
      value /= 1000.0;
      ++step;
    }
    return printed(std::abs(value) < 10.0 ? "%.2f" : "%.1f", value) + " " + names[step];
  };
  switch (in) {
    case validate::unit::bytes: return printed("%.2f GiB", x / 1073741824.0);
    case validate::unit::bytes_per_second: return scaled({"B/s", "kB/s", "MB/s", "GB/s", "TB/s"});
    case validate::unit::flops_per_second: return scaled({"FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s"});
    case validate::unit::seconds: return x < 1e-3 ? printed("%.1f us", x * 1e6) : printed("%.3f ms", x * 1e3);
    case validate::unit::count: return printed("%.0f", x);
    case validate::unit::ratio: return printed("%.2f", x);
  }
  return {};
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

/// The columns of the table: nothing is predicted of a host, and a narrow line has no room for the band.
struct columns {
  bool predictions = true;
  bool bands = true;
};
columns columns_of(const validate::report& r) {
  const bool predictions = r.backend != "host";
  return {predictions, predictions && !narrow()};
}

void write_header(std::ostream& out, const validate::report& r) {
  out << r.backend << ": " << r.device.view() << '\n';
  if (!r.reason.view().empty()) out << wrapped(r.reason.view(), "  ", "  ") << '\n';
  const columns c = columns_of(r);
  out << wrapped("Memory in GiB (2^30 bytes), rates in decimal multiples.", "  ", "  ") << '\n';
  std::string line = "  " + padded("", 20);
  if (c.predictions) line += padded("predicted", 14);
  if (c.bands) line += padded("band", 28);
  line += c.predictions ? padded("measured", 14) + "measured/predicted" : "measured";
  out << line << '\n';
}

void write_line(std::ostream& out, const columns& c, const validate::measurement& m) {
  std::string name(m.name);
  for (char& letter : name)
    if (letter == '_') letter = ' ';
  std::string line = "  " + padded(name, 20);
  std::string behind;
  if (c.predictions) line += padded(m.predicted ? human(m.predicted->mid, m.in) : "-", 14);
  if (m.predicted) {
    const estimate<double>& p = *m.predicted;
    const std::string band = p.pinned() ? std::string("exact") : human(p.low, m.in) + " .. " + human(p.high, m.in);
    if (!c.bands) behind = "band " + band + "; ";
    if (c.bands) line += padded(band, 28);
  } else if (c.bands) {
    line += padded("", 28);
  }
  const std::optional<double> ratio = m.ratio();
  line += padded(m.result == validate::agreement::unmeasured ? "-" : human(m.measured, m.in), 14);
  if (c.predictions) line += padded(ratio ? printed("%.3f", *ratio) : "", 7);
  if (m.result != validate::agreement::unpredicted) behind += std::string(ullage::validate::name(m.result)) + "; ";
  behind += m.note.view();
  const bool fits_behind = cells_of(line) + cells_of(behind) <= width();
  if (fits_behind) line += behind;
  while (!line.empty() && line.back() == ' ') line.pop_back();
  out << line << '\n';
  if (!fits_behind) out << wrapped(behind, "      ", "      ") << '\n';
  out << std::flush;
}

// ---------------------------------------------------------------------------------------------------------------------
std::string quoted(std::string_view text) {
  std::string s = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      s += '\\';
      s += c;
    } else if (code < 0x20 || code >= 0x7F) {  // names of devices are ASCII; anything else would need a check as UTF-8
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(code));
      s += escaped;
    } else {
      s += c;
    }
  }
  return s + '"';
}

std::string number(double x) {
  if (!std::isfinite(x)) return "null";
  char text[40];
  // Counts and bytes are whole: print them so.
  if (x == std::floor(x) && std::abs(x) < 9e15) {
    const auto whole = std::to_chars(text, text + sizeof text, static_cast<long long>(x));
    return {text, whole.ptr};
  }
  const auto real = std::to_chars(text, text + sizeof text, x);
  return {text, real.ptr};
}

std::string measurement_json(const validate::measurement& m) {
  const std::string unit(validate::suffix(m.in));
  const bool has = m.result != validate::agreement::unmeasured;
  std::string s = "{\"name\": " + quoted(m.name) + ", \"predicted_" + unit + "\": ";
  if (m.predicted) {
    s += "{\"low\": " + number(m.predicted->low) + ", \"mid\": " + number(m.predicted->mid) +
         ", \"high\": " + number(m.predicted->high) + ", \"basis\": " + quoted(ullage::name(m.predicted->from)) + "}";
  } else {
    s += "null";
  }
  s += ", \"measured_" + unit + "\": " + (has ? number(m.measured) : "null");
  s += ", \"best_" + unit + "\": " + (has ? number(m.best) : "null");
  s += ", \"repeats\": " + number(m.repeats);
  const std::optional<double> ratio = m.ratio();
  s += ", \"ratio\": " + (ratio ? number(*ratio) : "null");
  s += ", \"result\": " + quoted(validate::name(m.result)) + ", \"note\": " + quoted(m.note.view()) + "}";
  return s;
}

std::string backend_json(const answered& a) {
  std::string s = "{\"backend\": " + quoted(a.report.backend) + ", \"device\": ";
  s += a.report.available ? quoted(a.report.device.view()) : "null";
  s += std::string(", \"available\": ") + (a.report.available ? "true" : "false");
  s += ", \"reason\": " + (a.report.reason.view().empty() ? std::string("null") : quoted(a.report.reason.view()));
  s += ", \"measurements\": [";
  for (std::size_t i = 0; i < a.lines.size(); ++i) s += (i > 0 ? ", " : "") + measurement_json(a.lines[i]);
  return s + "]}";
}

int refuse(const validate_request& q, std::ostream& answers, std::ostream& messages, std::string_view code,
           std::string_view field, const std::string& message) {
  messages << sentence_of(message, std::string(field), std::string(code), "validate") << '\n';
  if (q.json)
    answers << "{\"id\": null, \"schema\": 1, \"status\": \"error\", \"code\": " << quoted(code)
            << ", \"field\": " << quoted(field) << ", \"message\": " << quoted(message) << "}\n";
  return 2;
}

// ---------------------------------------------------------------------------------------------------------------------
struct writer {
  std::ostream& out;
  bool table = true;
  answered got{};
  columns shown{};

  void header(const validate::report& r) {
    shown = columns_of(r);
    if (table) write_header(out, r);
  }
  void line(const validate::measurement& m) {
    got.lines.push_back(m);
    if (table) write_line(out, shown, m);
  }
};

answered on_host(const validate_request& q, std::ostream& out) {
  writer w{out, !q.json, {}, {}};
  validate::host_options o;
  o.budget_s = q.seconds;
  o.threads = q.threads;
  const validate::host_facts h = validate::describe_host();
  w.got.report.backend = "host";
  w.got.report.device = std::string_view(h.cpu);
  w.got.report.available = true;
  w.header(w.got.report);
  validate::measure_host(o, h, [&w](const validate::measurement& m) { w.line(m); });
  return w.got;
}

answered on_cuda(const validate_request& q, const std::optional<accelerator>& row, std::ostream& out) {
  writer w{out, !q.json, {}, {}};
#ifdef ULLAGE_PROGRAM_HAS_CUDA
  cuda_request c;
  c.seconds = q.seconds;
  c.device = q.device;
  c.row = row;
  c.allocate_bytes = q.allocate_bytes;
  c.context = &w;
  c.line = [](const validate::measurement& m, void* to) { static_cast<writer*>(to)->line(m); };
  c.header = [](const validate::report& r, void* to) { static_cast<writer*>(to)->header(r); };
  w.got.report = validate_on_cuda(c);
#else
  static_cast<void>(q);
  static_cast<void>(row);
  w.got.report.backend = "cuda";
  w.got.report.reason = "this program was built without the CUDA backend";
#endif
  return w.got;
}

}  // namespace

bool parse_backend(std::string_view text, validate_request::backend& backend) noexcept {
  if (text == "auto")
    backend = validate_request::backend::automatic;
  else if (text == "host")
    backend = validate_request::backend::host;
  else if (text == "cuda")
    backend = validate_request::backend::cuda;
  else
    return false;
  return true;
}

int run_validate(const validate_request& q, std::ostream& answers, std::ostream& messages) {
  if (!(q.seconds >= 0.0 && q.seconds <= 3600.0))
    return refuse(q, answers, messages, "bad_value", "seconds",
                  "seconds is " + number(q.seconds) + "; expected 0 to 3600.");
  if (q.threads < 0 || q.threads > 4096)
    return refuse(q, answers, messages, "bad_value", "threads",
                  "threads is " + number(q.threads) + "; expected 0 to 4096.");
  if (q.device < 0)
    return refuse(q, answers, messages, "bad_value", "device",
                  "device is " + number(q.device) + "; expected 0 or more.");
  if (q.allocate_bytes < 0)
    return refuse(q, answers, messages, "bad_value", "allocate_bytes",
                  "the bytes to allocate are negative; expected 0 or more.");
  std::optional<accelerator> row;
  if (!q.accelerator.empty()) {
    const accelerator_match match = find_accelerator(q.accelerator);
    if (match.outcome != accelerator_match::found) {
      const bool several = match.outcome == accelerator_match::ambiguous;
      std::string message =
          "accelerator \"" + q.accelerator + (several ? "\" is ambiguous:" : "\" is unknown; the nearest:");
      for (std::size_t i = 0; i < match.candidates.size(); ++i)
        message += (i > 0 ? ", " : " ") + std::string(match.candidates[i]->name);
      return refuse(q, answers, messages, several ? "ambiguous_accelerator" : "unknown_accelerator", "accelerator",
                    message + ".");
    }
    row = match.row();
  }

  std::vector<answered> all;
  if (q.on != validate_request::backend::cuda) all.push_back(on_host(q, answers));
  if (q.on != validate_request::backend::host) {
    all.push_back(on_cuda(q, row, answers));
    const validate::report& r = all.back().report;
    if (!r.available) {
      const std::string why(r.reason.view());
      if (q.on == validate_request::backend::cuda)
        return refuse(q, answers, messages, "bad_value", "backend", "backend cuda is not there: " + why + ".");
      if (!q.json) answers << wrapped("cuda: not there: " + why) << '\n';
    }
  }
  if (q.json) {
    answers << "{\"id\": null, \"schema\": 1, \"status\": \"ok\", \"ask\": \"validate\", \"backends\": [";
    for (std::size_t i = 0; i < all.size(); ++i) answers << (i > 0 ? ", " : "") << backend_json(all[i]);
    answers << "]}\n";
  }
  bool wrong = false;
  bool outside = false;
  for (const answered& a : all)
    for (const validate::measurement& m : a.lines) {
      wrong = wrong || m.result == validate::agreement::wrong;
      outside = outside || m.result == validate::agreement::outside;
    }
  return wrong || (q.strict && outside) ? 1 : 0;
}

}  // namespace cli
