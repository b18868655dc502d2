// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <ullage/catalog.hpp>
#include <ullage/catalog/find_absent.hpp>
#include <ullage/catalog/find_record.hpp>
#include <ullage/catalog/find_system.hpp>
#include <ullage/io/calibration.hpp>
#include <ullage/io/checkpoint.hpp>
#include <ullage/io/distribution.hpp>
#include <ullage/io/hf_config.hpp>
#include <ullage/io/json.hpp>
#include <ullage/io/speculative.hpp>
#include <ullage/io/split.hpp>
#include <ullage/io/version_text.hpp>
#include <ullage/performance.hpp>
#include <ullage/plan.hpp>
#include <utility>
#include <vector>

// A request object of the contract (docs/contract.schema.json) → the planner's own types, with everything that was
// chosen for the asker written down.
namespace ullage::inline v0::io {

/// A question as the planner takes it.
struct request {
  json id = nullptr;
  std::string ask = "fit";
  transformer model{};
  bytes stored{};                                 ///< of the checkpoint
  std::optional<stored_checkpoint> checkpoint{};  ///< its headers, where the path has them
  std::vector<accelerator> parts{};               ///< one row when all devices are alike, else one a rank
  const hardware_system* machine = nullptr;       ///< that the devices stand in, when one was named
  layout parallel{};
  ullage::engine engine{};
  std::shared_ptr<const transformer> draft{};  ///< owns engine.speculative.draft
  std::string engine_text;                     ///< "vllm 0.28.1"
  std::string weights_from;                    ///< why a config without quantisation is taken in its format; else empty
  ullage::load load{};
  std::shared_ptr<const context_distribution> contexts{};  ///< owns load.contexts
  double mean_concurrency = 0;                             ///< of a distribution, whose peak is load.concurrency
  detail::split_request split{};
  ullage::traffic traffic{};  ///< of perf and select
  calibration given{};
  std::optional<calibration_file> measured{};  ///< of an ask that chooses the devices
  bool has_load = false;
  bool context_from_traffic = false;  ///< load.context is the sum of its tokens
  bool has_devices_list = false;      ///< said by `devices`, not by the short form
  std::vector<assumption> assumed{};
  std::list<std::string> names{};  ///< owns names of parts that no catalogue has

  /// Objects that only one ask knows, as they stand.
  json body = json::object();

  bool asks_speed() const noexcept { return traffic.input_tokens > tokens{}; }
};

namespace detail {

inline constexpr std::int64_t most_devices = 65536;
inline constexpr std::int64_t most_tokens = std::int64_t{1} << 40;

inline std::vector<std::string_view> model_names() {
  std::vector<std::string_view> names;
  for (const transformer* m : catalog::models) names.push_back(m->name.view());
  for (const catalog::model_record& m : catalog::recorded_models) names.push_back(m.name);
  for (const opaque_model* m : catalog::opaque_models) names.push_back(m->name.view());
  return names;
}

/// A format by the names that engines and people use.
inline number_format format_named(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> aliases{{{"bfloat16", "bf16"},
                                                                                  {"float16", "fp16"},
                                                                                  {"half", "fp16"},
                                                                                  {"fp8_e4m3", "fp8"},
                                                                                  {"fp8_e5m2", "fp8"},
                                                                                  {"awq", "int4"},
                                                                                  {"gptq", "int4"},
                                                                                  {"float32", "fp32"}}};
  for (const auto& [alias, name] : aliases)
    if (word == alias) word = name;
  return find_format(word);
}

inline void read_named_model(request& q, object_reader& r, const std::string& field, const std::string& name) {
  const transformer* found = catalog::find_model(name);
  if (found == nullptr) {
    if (const catalog::model_record* record = catalog::find_record(name); record != nullptr) {
      q.model = expand(*record);
      return;
    }
    return r.fail(error_code::unknown_architecture, field,
                  field + " is " + in_quotes(name) + ", which is not built in; the nearest are " +
                      nearest(name, model_names()) +
                      ", and any config.json can be given as model.path or model.config.");
  }
  q.model = *found;
}

/// Windows as long as the longest sequence are none.
inline void drop_unreached_windows(transformer& m) {
  for (layer_kind& k : m.kinds) {
    attention& a = k.attention;
    if (a.kind != attention_kind::sliding && a.kind != attention_kind::chunked) continue;
    if (m.max_position <= 0 || a.window < m.max_position) continue;
    a.kind = attention_kind::full;
    a.window = 0;
  }
}

/// What of a model has no time yet; empty where all of it has. An encoder has one for its prefill alone.
inline std::string untimed(const transformer& m, bool one_step) {
  for (std::int64_t i = 0; i < m.layers; ++i) {
    const attention& a = m.layer(i).attention;
    if (ullage::detail::is_untimed(a))
      return "an indexer that picks blocks: how long such layers take is not modelled yet";
    if (a.kind == attention_kind::encoder && !one_step)
      return "no cache, since it is an encoder that makes no tokens: `ullage step` with phase prefill is answered";
  }
  return {};
}

/// Refuses what is not modelled yet: times of sparse and compressed attention. What the architecture needs of them, `model`
/// answers.
inline void refuse_unlike_layers(request& q, object_reader& r) {
  const transformer& m = q.model;
  const std::string what = q.ask == "fit" ? std::string() : untimed(m, q.ask == "step");
  if (!what.empty())
    return r.not_answered("model", "is " + in_quotes(m.name.view()) + ", which has " + what +
                                       ". `ullage fit` says whether it fits, `ullage model` what it needs.");
  if (m.towers.size > 0)
    q.assumed.push_back({"model.towers", "weights alone", true,
                         "text is planned: an engine's encoder run and its cache of images or sound come on top"});
}

/// Where safetensors of a model's path are: the file itself, or the folder when it holds some; empty where there are none.
inline std::string weight_folder(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code ec;
  const fs::path place(file);
  if (place.extension() == ".safetensors") return file;
  if (!fs::is_directory(place, ec)) return {};
  for (fs::directory_iterator it(place, ec), end; !ec && it != end; it.increment(ec))
    if (it->path().extension() == ".safetensors" || it->path().filename() == "model.safetensors.index.json")
      return file;
  return {};
}

inline void read_model(request& q, object_reader& r) {
  const json* said = r.find("model");
  if (said == nullptr) return r.missing("model", "a name, or an object with name, path or config");
  if (said->is_string()) {  // short form of {"name": …}
    read_named_model(q, r, "model", said->get<std::string>());
    q.stored = stored_weights(q.model, q.model.stored);
    return;
  }
  object_reader m(r.nested("model"), "model");
  const json* by_name = m.find("name");
  const json* by_path = m.find("path");
  const json* by_config = m.find("config");
  const json* by_opaque = m.find("opaque");
  const std::int64_t stored = m.whole("stored_bytes", 0, 1);
  m.finish();
  if (!r.ok()) return;
  if (!m.ok()) return r.fail(m.problem());
  if (by_opaque != nullptr)
    return r.not_answered("model.opaque", "is not answered yet; expected name, path or config.");
  if (static_cast<int>(by_name != nullptr) + static_cast<int>(by_path != nullptr) +
          static_cast<int>(by_config != nullptr) !=
      1) {
    if (by_config == nullptr || by_path != nullptr)
      return r.fail(error_code::bad_value, "model", "model must say exactly one of name, path and config.");
  }
  if (by_config == nullptr && by_path == nullptr) {
    const std::string name = m.text("name");
    if (!m.ok()) return r.fail(m.problem());
    read_named_model(q, r, "model.name", name);
  } else {
    const std::string text = by_path != nullptr ? m.text("path") : by_name != nullptr ? m.text("name") : std::string();
    if (!m.ok()) return r.fail(m.problem());
    result<config_model> read =
        by_path != nullptr ? read_hf_config_file(text, "model.path") : read_hf_config(*by_config, text, "model.config");
    if (!read) return r.fail(read.problem());
    q.model = read->model;
    q.assumed = read->assumed;
    if (!read->names_quantization)
      q.weights_from = read->dtype_from.empty() ? "the config names neither a dtype nor a quantisation"
                                                : "the config's " + read->dtype_from + "; it names no quantisation";
  }
  q.stored = stored > 0 ? of<bytes>(stored) : stored_weights(q.model, q.model.stored);
  if (by_path == nullptr) return;
  // Weight files beside the config are the truth about stored bytes.
  const std::string file = m.text("path");
  const std::string folder = weight_folder(file);
  if (folder.empty()) return;
  result<stored_checkpoint> checkpoint = read_safetensors(folder, "model.path");
  if (!checkpoint) return r.fail(checkpoint.problem());
  q.checkpoint = std::move(*checkpoint);
  if (stored == 0) q.stored = q.checkpoint->stored;
}

/// The figures of a part that nobody has a document for, of those that a plan of so many devices rests on.
inline std::vector<std::string_view> unverified_figures(const accelerator& a, count world) {
  std::vector<std::string_view> list;
  if (a.memory().from == basis::unverified) list.emplace_back("memory");
  if (a.bandwidth_basis == basis::unverified) list.emplace_back("bandwidth");
  if (a.peaks_basis == basis::unverified) list.emplace_back("peak rates");
  if (world > count(1) && a.scale_up.shape != topology::none && a.scale_up.from == basis::unverified)
    list.emplace_back("fabric");
  if (world > count(1) && world > a.scale_up.domain.value() && a.host_link_basis == basis::unverified)
    list.emplace_back("host link");
  if (a.power > watts{} && a.power_basis == basis::unverified) list.emplace_back("power");
  return list;
}

/// What the memory of a part rests on where no process has printed it.
inline void note_memory(request& q, const accelerator& part) {
  const estimate<bytes> m = part.memory();
  if (m.pinned() && m.from != basis::transferred && m.from != basis::unverified) return;
  std::string why(part.name);
  if (part.memory_process > bytes{})
    why += ": as its profile states";
  else if (part.memory_driver > bytes{})
    why += part.memory_basis == basis::driver ? ": the driver's total less what it keeps from a process"
                                              : ": the total that its software states";
  else if (part.memory_shared)
    why += ": what its platform leaves of memory that the operating system shares";
  else
    why += ": no driver's figure is known; its label in powers of two, less the reserve of such parts";
  if (part.memory_largest) why += "; sold in several sizes, this is the largest";
  why += " (" + std::string(ullage::name(m.from)) + ")";
  q.assumed.push_back({"devices.visible_bytes", std::to_string(integer(m.mid)), false, why});
}

/// The row of an accelerator's name, or an error. With `visible` the name only labels the memory.
inline accelerator part_named(request& q, object_reader& r, std::string_view key, const std::string& name,
                              std::int64_t visible, bool takes_visible = true) {
  const accelerator_match match = find_accelerator(name);
  accelerator part;
  if (match.outcome == accelerator_match::found) {
    part = match.row();
    if (const hardware_system* machine = machine_of(match); machine != nullptr) {
      part.scale_up = machine->scale_up;
      q.machine = machine;
    }
  } else if (visible > 0) {
    q.names.push_back(name.empty() ? "unnamed accelerator" : one_line(name));
    part.id = q.names.back();
    part.name = q.names.back();
    q.assumed.push_back(
        {r.path_of(key), q.names.back(), true, "not a part of the catalogue; used for its visible_bytes alone"});
  } else {
    std::string list;
    for (const accelerator* c : match.candidates) list += (list.empty() ? "" : ", ") + std::string(c->name);
    if (match.outcome == accelerator_match::ambiguous)
      r.fail_at(key, error_code::ambiguous_accelerator,
                "is " + in_quotes(name) + ", which several parts are called; expected one of " + list + ".");
    else if (const catalog::absent_part* absent = find_absent(name); absent != nullptr)
      r.fail_at(key, error_code::unknown_accelerator,
                "is " + in_quotes(name) + ", which is known as " + absent->name +
                    " but cannot be planned with; not published: " + absent->missing + "." +
                    (takes_visible ? " With visible_bytes any name is taken." : ""));
    else
      r.fail_at(key, error_code::unknown_accelerator,
                "is " + in_quotes(name) + ", which no known part is called" +
                    (list.empty() ? "." : "; the nearest are " + list + ".") +
                    (takes_visible ? " With visible_bytes any name is taken." : ""));
    return part;
  }
  if (visible > 0) {
    part.memory_driver = of<bytes>(visible);
    part.memory_process = part.memory_driver;
    part.memory_basis = basis::exact;
  } else {
    note_memory(q, part);
  }
  return part;
}

/// Where the count of a label comes from.
inline std::string why_so_many(const accelerator_match& said) {
  const hardware_system* machine = machine_of(said);
  const std::int64_t each = machine != nullptr ? integer(machine->accelerators) : 0;
  if (each == 0 || said.count % each != 0) return "absent; as the accelerator's name says";
  const std::string machines = said.count > each ? std::to_string(said.count / each) + " x " : std::string();
  return "absent; " + machines + std::string(machine->name) + (machines.empty() ? " has " : ", which has ") +
         std::to_string(each) + " " + std::string(machine->part->name);
}

/// Devices in order. Without any count one device is meant, and `counted` stays false.
inline std::vector<accelerator> read_devices(request& q, object_reader& r, bool& counted) {
  std::vector<accelerator> all;
  const json* list = r.find("devices");
  q.has_devices_list = list != nullptr;
  const auto add = [&](object_reader& d) {
    if (list != nullptr && d.flag("host", false))
      d.not_answered(d.path_of("host"), "is true; memory of the host is not planned with yet, expected false.");
    const std::string name = d.text("accelerator");
    const std::int64_t visible = d.whole("visible_bytes", 0, 1, most_tokens * 1024);
    counted = counted || d.has("count");
    std::int64_t n = d.whole("count", 1, 1, most_devices);
    if (!d.ok()) return;
    // A label may say how many ("8x H100"), also of a part that is not known, and a machine's name stands for all of its
    // devices.
    const accelerator_match said = name.empty() ? accelerator_match{} : find_accelerator(name);
    if (said.outcome == accelerator_match::found || visible > 0) {
      if (said.counted && said.count == 0)
        return d.fail_at("accelerator", error_code::bad_value,
                         "is " + in_quotes(name) + ", which says a count of 0; expected at least 1.");
      if (!d.has("count") && said.count > 1) {
        if (said.count > most_devices)
          return d.fail_at("accelerator", error_code::bad_value,
                           "makes more than " + std::to_string(most_devices) + " devices.");
        n = said.count;
        counted = true;
        q.assumed.push_back({d.path_of("count"), std::to_string(n), false, why_so_many(said)});
      } else if (d.has("count") && said.counted && n != said.count) {
        return d.fail_at("count", error_code::bad_value,
                         "is " + std::to_string(n) + ", but accelerator says " + std::to_string(said.count) +
                             "; expected one of the two.");
      }
    }
    if (name.empty() && visible == 0) return d.missing("accelerator", "the name of a part, or visible_bytes");
    const bool timed = q.ask == "perf" || q.ask == "step" || q.ask == "diagnose";
    const accelerator part = part_named(q, d, "accelerator", name, visible, !timed);
    if (!d.ok()) return;
    if (all.size() + static_cast<std::size_t>(n) > static_cast<std::size_t>(most_devices))
      return d.fail_at("count", error_code::bad_value, "makes more than " + std::to_string(most_devices) + " devices.");
    all.insert(all.end(), static_cast<std::size_t>(n), part);
  };
  if (list == nullptr) {
    add(r);
    return all;
  }
  for (std::string_view key : {"accelerator", "count", "visible_bytes"})
    if (r.has(key)) r.fail_at(key, error_code::bad_value, "stands beside devices; expected one of the two.");
  if (!list->is_array() || list->empty()) {
    r.fail_at("devices", error_code::bad_value, "is " + shown(*list) + "; expected a list of at least one device.");
    return all;
  }
  for (std::size_t i = 0; i < list->size() && r.ok(); ++i) {
    object_reader d((*list)[i], "devices[" + std::to_string(i) + "]");
    if (d.ok()) add(d);
    d.finish();
    if (!d.ok()) r.fail(d.problem());
  }
  counted = counted || list->size() > 1;
  return all;
}

/// "tp 1 x pp 4, tp 2 x pp 2; on fewer, tp 1 or 2 with pp up to 3": the layouts of that many devices that work, and those
/// of a smaller count.
inline std::string working_layouts(const transformer& m, std::int64_t world) {
  const auto works = [&m](std::int64_t tp, std::int64_t pp) {
    layout l;
    l.tp = tp;
    l.pp = pp;
    return check_layout(m, l) == layout_problem::none;
  };
  std::string all;
  std::vector<std::string> fewer;
  for (std::int64_t tp = 1; tp <= world && tp <= 1024; ++tp) {
    if (world % tp == 0 && works(tp, world / tp))
      all +=
          (all.empty() ? "" : ", ") + std::string("tp ") + std::to_string(tp) + " x pp " + std::to_string(world / tp);
    if (tp < world && works(tp, 1)) fewer.push_back(std::to_string(tp));
  }
  if (all.empty()) all = "none";
  for (std::size_t i = 0; i < fewer.size(); ++i)
    all += (i == 0 ? "; on fewer, a count of tp*pp: tp " : i + 1 == fewer.size() ? " or " : ", ") + fewer[i];
  return fewer.empty() ? all
                       : all + " with pp up to " + std::to_string(smaller(count(m.layers), count(world - 1)).value());
}

inline void read_parallel(request& q, object_reader& r, std::vector<accelerator>& devices, bool counted) {
  object_reader p(r.nested("parallel"), "parallel");
  layout& l = q.parallel;
  const bool has_tp = p.has("tp");
  l.tp = p.whole("tp", 1, 1, most_devices);
  l.pp = p.whole("pp", 1, 1, most_devices);
  l.dp = p.whole("dp", 1, 1, most_devices);
  l.ep = p.whole("ep", 1, 1, most_devices);
  l.cp = p.whole("cp", 1, 1, most_devices);
  l.dcp = p.whole("dcp", 1, 1, most_devices);
  if (p.flag("dp_attention", false))
    p.not_answered(p.path_of("dp_attention"), "is true; it is not modelled yet, expected false.");
  if (const json* stages = p.find("layers_per_stage"); stages != nullptr) {
    if (!stages->is_array() || stages->size() > l.layers_per_stage.capacity())
      p.fail_at("layers_per_stage", error_code::bad_value,
                "is " + shown(*stages) + "; expected a list of at most 64 layer counts.");
    else
      for (const json& n : *stages)
        l.layers_per_stage.push_back(static_cast<std::int16_t>(p.whole_of(n, "layers_per_stage", 1, 1, 512)));
  }
  q.split = read_split(p);
  p.finish();
  if (!p.ok()) r.fail(p.problem());
  if (!r.ok()) return;
  bool alike = true;
  for (const accelerator& a : devices)
    alike = alike && a.id == devices[0].id && a.visible_memory() == devices[0].visible_memory();
  const std::int64_t devices_now = static_cast<std::int64_t>(devices.size());
  if (q.split.best) {  // chosen once the load is known
    if (!counted)
      return r.missing(q.has_devices_list ? "devices[0].count" : "count", "how many devices parallel.split divides");
    if (!alike)
      return r.fail(error_code::bad_value, "parallel.split",
                    "parallel.split is best, but the devices differ; expected equal ones.");
    q.split.devices = devices_now;
    q.parts.assign(1, devices[0]);
    l = {};
    return;
  }
  const count others = count(l.pp) * count(l.dp) * count(l.cp);
  if (!has_tp && counted) {
    if (others.overflowed() || devices_now % others.value() != 0)
      return r.fail(error_code::unsupported_layout, "parallel",
                    "parallel needs pp*dp*cp to divide the " + std::to_string(devices_now) +
                        " devices; of tp*pp these work: " + working_layouts(q.model, devices_now) + ".");
    l.tp = devices_now / others.value();
    if (l.tp > 1)
      q.assumed.push_back({"parallel.tp", std::to_string(l.tp), false, "absent; all devices that pp, dp and cp leave"});
  }
  const count world = l.world();
  if (world.overflowed() || world > count(most_devices))
    return r.fail(error_code::unsupported_layout, "parallel",
                  "parallel has more than " + std::to_string(most_devices) + " devices in tp*pp*dp*cp.");
  if (!counted && devices_now == 1) {
    if (world > count(1))
      q.assumed.push_back({q.has_devices_list ? "devices[0].count" : "count", std::to_string(world.value()), false,
                           "absent; tp*pp*dp*cp"});
    devices.resize(static_cast<std::size_t>(world.value()), accelerator(devices[0]));
  } else if (count(devices_now) != world) {
    return r.fail(error_code::unsupported_layout, "parallel",
                  "parallel has tp*pp*dp*cp = " + std::to_string(world.value()) + ", but there are " +
                      std::to_string(devices_now) +
                      " devices; of tp*pp these work: " + working_layouts(q.model, devices_now) + ".");
  }
  const layout_problem problem = check_layout(q.model, l);
  if (problem != layout_problem::none)
    return r.fail(error_code::unsupported_layout, "parallel",
                  "parallel with tp " + std::to_string(l.tp) + ", pp " + std::to_string(l.pp) + ", dp " +
                      std::to_string(l.dp) + ", ep " + std::to_string(l.ep) + " cannot run " +
                      std::string(q.model.name.view()) + ": " + std::string(sentence(problem)) +
                      "; of tp*pp these work on " + std::to_string(world.value()) +
                      " devices: " + working_layouts(q.model, world.value()) + ".");
  if (alike) devices.resize(1, accelerator(devices[0]));
  q.parts = devices;
}

inline void read_engine_version(request& q, object_reader& e) {
  const std::string version = e.text("version");
  const std::string date = e.text("date");
  if (!e.ok()) return;
  if (q.engine.kind == engine_kind::plain) {
    if (!version.empty() || !date.empty())
      e.fail_at(version.empty() ? "date" : "version", error_code::unsupported_version,
                "is given, but the plain engine has no versions; expected none.");
    return;
  }
  const engine_version day = read_date_text(date);
  if (!date.empty() && !day.known())
    return e.fail_at("date", error_code::bad_value,
                     "is " + in_quotes(date) + "; expected a day of the calendar such as 2025-10-02.");
  const version_text_result said = read_version_text(version);
  using kind = version_text_result::kind;
  engine_version v = said.version;
  if (!version.empty() && said.is == kind::unreadable)
    return e.fail_at(
        "version", error_code::unsupported_version,
        "is " + in_quotes(version) + ", not a release number; expected one such as 0.11.0, 0.11.1rc2 or 0.8.5.post1.");
  if (!version.empty() && said.is == kind::development && date.empty())
    return e.fail_at(
        "version", error_code::unsupported_version,
        "is " + in_quotes(version) +
            ", a build without a release number; expected engine.date beside it, or a release such as 0.11.0.");
  if (version.empty() && date.empty()) {
    v = vllm_history::newest;
    q.assumed.push_back({"engine.version", version_text(v), true, "absent; newest known"});
  } else if (said.is != kind::release) {
    v = vllm_version_at(day);
    if (!v.known())
      return e.fail_at(
          "date", error_code::unsupported_version,
          "is " + date + ", before the oldest known release of " + version_text(vllm_history::oldest) + ".");
    q.assumed.push_back({"engine.version", version_text(v), true,
                         "newest known release at engine.date " + date +
                             (version.empty() ? std::string() : "; " + in_quotes(version) + " says no release")});
  } else if (v < vllm_history::oldest) {
    return e.fail_at(
        "version", error_code::unsupported_version,
        "is " + in_quotes(version) + ", older than the oldest known, " + version_text(vllm_history::oldest) + ".");
  } else if (v > vllm_history::newest) {
    q.assumed.push_back({"engine.rules", version_text(vllm_history::newest), true,
                         "version " + one_line(version) + " is newer than the newest known, whose rules are used"});
  }
  q.engine.version = v;
  q.engine.rules = vllm_rules(v);
}

inline void read_engine(request& q, object_reader& r) {
  object_reader e(r.nested("engine"), "engine");
  std::string name = e.text("name");
  if (e.ok() && name.empty()) {
    name = "vllm";
    q.assumed.push_back({"engine.name", "vllm", true, "absent; the default"});
  }
  if (name == "vllm")
    q.engine = vllm();
  else if (name == "plain")
    q.engine = plain();
  else
    e.fail_at("name", error_code::unknown_engine, "is " + in_quotes(name) + "; expected vllm or plain.");
  read_engine_version(q, e);
  engine_options& o = q.engine.options;
  o.max_model_len = of<tokens>(e.whole("max_model_len", 0, 1, most_tokens));
  o.gpu_memory_utilization = e.real("gpu_memory_utilization", 0);
  if (e.has("gpu_memory_utilization") && e.ok() && !(o.gpu_memory_utilization > 0 && o.gpu_memory_utilization <= 1))
    e.fail_at("gpu_memory_utilization", error_code::bad_value,
              "is " + shown(*e.find("gpu_memory_utilization")) + "; expected more than 0 and at most 1.");
  o.max_num_batched_tokens = of<tokens>(e.whole("max_num_batched_tokens", 0, 1, most_tokens));
  o.max_num_seqs = of<sequences>(e.whole("max_num_seqs", 0, 1, most_tokens));
  o.block_size = of<tokens>(e.whole("block_size", 0, 1, most_tokens));
  o.kv_cache_memory_bytes = of<bytes>(e.whole("kv_cache_memory_bytes", 0, 1));
  o.max_cudagraph_capture_size = of<tokens>(e.whole("max_cudagraph_capture_size", 0, 1, 65536));
  o.enforce_eager = e.flag("enforce_eager", false);
  o.enable_prefix_caching = e.flag("enable_prefix_caching", true);
  object_reader rules(e.nested("rules"), "engine.rules");
  for (const auto& item : rules.object().items()) {
    const double value = rules.real(item.key(), 0);
    if (!rules.ok() || !rules.has(item.key())) continue;
    const rule_result done = set_rule(q.engine.rules, item.key(), value);
    if (done == rule_result::out_of_range) {
      for (const ullage::detail::named_rule& n : ullage::detail::rule_names)
        if (n.name == item.key())
          rules.fail_at(
              item.key(), error_code::bad_value,
              "is " + shown(item.value()) + "; expected " + json(n.least).dump() + " to " + json(n.most).dump() + ".");
    }
    if (done == rule_result::unknown_rule) {
      std::vector<std::string_view> known;
      for (const ullage::detail::named_rule& n : ullage::detail::rule_names) known.push_back(n.name);
      rules.fail_at(item.key(), error_code::unknown_key,
                    "is not a rule of an engine; the nearest are " + nearest(item.key(), known) + ".");
    }
  }
  if (o.max_cudagraph_capture_size > tokens{} && !(q.engine.rules.graph_sizes > 0))
    q.assumed.push_back({"engine.max_cudagraph_capture_size", "not used", true,
                         "what graphs take in this engine was not seen to follow the steps that are captured"});
  if (rules.ok() && !consistent(q.engine.rules))
    rules.fail(error_code::bad_value, "engine.rules",
               "engine.rules puts a band out of order; expected low <= mid <= high, and factors around 1.");
  if (!rules.ok()) e.fail(rules.problem());
  if (e.ok() && o.max_num_seqs > sequences{} && o.max_num_batched_tokens > tokens{} &&
      o.max_num_batched_tokens.value() < o.max_num_seqs.value())
    e.fail_at("max_num_batched_tokens", error_code::bad_value,
              "is " + std::to_string(integer(o.max_num_batched_tokens)) +
                  "; expected at least max_num_seqs, which is " + std::to_string(integer(o.max_num_seqs)) + ".");
  e.finish();
  if (!e.ok()) r.fail(e.problem());
  q.engine_text = name == "vllm" ? "vllm " + version_text(q.engine.version) : name;
}

inline void read_formats(request& q, object_reader& r) {
  const std::string weights = r.text("weights", "auto");
  const std::string cache = r.text("kv_cache", "auto");
  if (!r.ok()) return;
  transformer& m = q.model;
  const bool vllm = q.engine.kind == engine_kind::vllm;
  const bool float32 = m.activation == formats::fp32;
  if (float32 && (vllm || weights != "auto")) {
    // vLLM's dtype "auto" reads a 32-bit checkpoint as 16 bits.
    m.activation = formats::bf16;
    if (m.stored.kept == formats::fp32) m.stored.kept = formats::bf16;
    if (m.stored.linear == formats::fp32) m.stored = uniform_weights(formats::bf16);
    if (m.stored.head == formats::fp32) m.stored.head = formats::bf16;
    q.assumed.push_back({"weights", "bf16", true, "the checkpoint is in float32, which is loaded as 16 bits"});
  }
  if (weights != "auto") {
    const number_format f = format_named(weights);
    if (f.name.empty() || f == formats::fp32 || f == formats::tf32) {
      std::vector<std::string_view> known;
      for (const number_format& k : formats::all)
        if (!(k == formats::fp32) && !(k == formats::tf32)) known.push_back(k.name);
      std::string list = "auto";
      for (std::string_view k : known) list += ", " + std::string(k);
      return r.fail_at("weights", error_code::unknown_format,
                       "is " + in_quotes(weights) + "; expected one of " + list + ".");
    }
    const number_format own = m.stored.linear;
    const bool same_kind =
        own.element_bits < 16 && f.element_bits == own.element_bits && f.multiplies_as == own.multiplies_as;
    if (same_kind && !(f == own)) {
      // Engines take "fp8" for whatever fp8 the checkpoint holds.
      q.assumed.push_back(
          {"weights", std::string(own.name), true, "the checkpoint is stored so already; its own scales count"});
    } else if (!(f == own)) {
      if (own.element_bits < 16)
        q.assumed.push_back(
            {"weights", std::string(f.name), true,
             "instead of the checkpoint's own " + std::string(own.name) + ": counted as a converted checkpoint"});
      if (f.element_bits == 16) {
        m.stored = uniform_weights(f);
      } else {
        q.engine.weights = f;
        const bool online = vllm && f == formats::fp8;
        q.assumed.push_back({"weights", std::string(f.name), true,
                             std::string(online ? "online quantisation" : "as a checkpoint quantised to that") +
                                 ": linear layers and experts only; embeddings, head, norms and router stay " +
                                 std::string(m.stored.kept.name)});
      }
    }
  }
  if (weights == "auto" && !q.weights_from.empty() && !float32)
    q.assumed.push_back({"weights", std::string(m.stored.linear.name), true, q.weights_from});
  if (cache != "auto") {
    const number_format f = format_named(cache);
    const bool known = f == formats::fp8 || f == formats::bf16 || f == formats::fp16 ||
                       (!vllm && (f == formats::int8 || f == formats::fp32));
    if (!known)
      return r.fail_at(
          "kv_cache", error_code::unknown_format,
          "is " + in_quotes(cache) + "; expected auto, fp8, bf16 or fp16" + (vllm ? "." : ", int8 or fp32."));
    q.engine.kv_cache = f;
  } else {
    const number_format taken = kv_format_in(q.engine, m);
    std::string why = "auto: the model's own type";
    if (!m.cache.name.empty())
      why = taken == m.cache
                ? "auto: what the checkpoint asks for its cache"
                : "auto: this engine does not heed that the checkpoint asks for " + std::string(m.cache.name);
    q.assumed.push_back({"kv_cache", std::string(taken.name), true, why});
  }
}

/// Which words an ask's `load` has.
enum class load_words : std::uint8_t { none, conversations, traffic, both };

/// load.concurrency: a number, or the peak of a distribution.
inline std::int64_t read_concurrency(request& q, object_reader& l) {
  context_distribution drawn;
  if (!read_distribution(l, "concurrency", drawn)) return l.whole("concurrency", 0, 1, most_tokens);
  if (!l.ok()) return 1;
  const std::int64_t peak = peak_of(drawn);
  q.mean_concurrency = mean_context(drawn, of<tokens>(most_tokens));
  q.assumed.push_back({"load.concurrency", std::to_string(peak), false,
                       std::string("the cache must hold the peak: ") +
                           (drawn.values.empty() ? "the 95th percentile" : "the largest of the values") +
                           "; the mean is " + plain_number(std::round(q.mean_concurrency * 10) / 10)});
  return peak;
}
/// Whether load.context is a distribution.
inline bool read_contexts(request& q, object_reader& l) {
  context_distribution drawn;
  if (!read_distribution(l, "context", drawn)) return false;
  q.contexts = std::make_shared<const context_distribution>(drawn);
  if (l.ok()) q.load.contexts = q.contexts.get();
  return true;
}

inline void read_load(request& q, object_reader& r, load_words words) {
  const json* v = r.find("load");
  if (v == nullptr) return;
  if (words == load_words::none)
    return r.fail(error_code::bad_value, "load", "load is given, but " + q.ask + " does not take one; expected null.");
  object_reader l(*v, "load");
  const bool conversations = words != load_words::traffic;
  const bool traffic = words != load_words::conversations;
  for (std::string_view key :
       {"context", "concurrency", "input_tokens", "output_tokens", "prefix_hit", "request_rate"}) {
    const bool taken = key == "concurrency" || (key == "context" ? conversations : traffic);
    if (!taken) continue;
    const bool drawn = words == load_words::conversations;  // fit answers distributions
    if (const json* x = l.find(key); x != nullptr && x->is_object() && !drawn)
      l.not_answered(l.path_of(key), "is a distribution, which is not answered yet; expected a number.");
  }
  l.pass_null({"context", "concurrency", "input_tokens", "output_tokens", "prefix_hit", "request_rate"});
  const std::int64_t concurrency = read_concurrency(q, l);
  q.load.concurrency = of<sequences>(concurrency);
  if (conversations) {
    const std::int64_t context = read_contexts(q, l) ? 0 : l.whole("context", 0, 1, most_tokens);
    q.load.context = of<tokens>(context);
    const bool asks_traffic = traffic && l.has("input_tokens");
    const bool lengths = context > 0 || q.contexts != nullptr;
    if (l.ok() && concurrency > 0 && !lengths && !asks_traffic) l.missing("context", "the tokens of each sequence");
    if (lengths && concurrency == 0 && !(traffic && l.has("request_rate"))) {
      q.load.concurrency = of<sequences>(1);
      q.assumed.push_back({"load.concurrency", "1", false, "absent"});
    }
  }
  if (traffic && (!conversations || l.has("input_tokens") || l.has("output_tokens") || l.has("prefix_hit") ||
                  l.has("request_rate"))) {
    ullage::traffic& t = q.traffic;
    t.input_tokens = of<tokens>(l.required_whole("input_tokens", 1, most_tokens));
    t.output_tokens = of<tokens>(l.required_whole("output_tokens", 1, most_tokens));
    t.prefix_hit = l.real("prefix_hit", 0);
    if (!(t.prefix_hit >= 0 && t.prefix_hit <= 1))
      l.fail_at("prefix_hit", error_code::bad_value,
                "is " + shown(*l.find("prefix_hit")) + "; expected a share from 0 to 1.");
    t.request_rate = l.real("request_rate", 0);
    if (l.has("request_rate") && !(t.request_rate > 0))
      l.fail_at("request_rate", error_code::bad_value,
                "is " + shown(*l.find("request_rate")) + "; expected more than 0 requests a second.");
    if (l.ok() && concurrency > 0 && t.request_rate > 0)
      l.fail_at("request_rate", error_code::bad_value, "stands beside concurrency; expected one of the two.");
    if (l.ok() && concurrency == 0 && !(t.request_rate > 0)) {
      q.load.concurrency = of<sequences>(1);
      q.assumed.push_back({"load.concurrency", "1", false, "absent, and no request_rate"});
    }
    const tokens whole = t.input_tokens + t.output_tokens;
    if (l.ok() && q.load.context > tokens{} && q.load.context < whole)
      l.fail_at("context", error_code::bad_value,
                "is " + std::to_string(integer(q.load.context)) + "; expected at least input_tokens + output_tokens, " +
                    std::to_string(integer(whole)) + ".");
    q.context_from_traffic = q.load.context == tokens{};
    t.concurrency = t.request_rate > 0 ? sequences{} : q.load.concurrency;
    if (q.context_from_traffic) q.load.context = whole;
    // The cache must hold at least one conversation; how many more it holds limits the speed.
    if (!conversations || t.request_rate > 0) q.load.concurrency = of<sequences>(1);
    if (q.load.concurrency == sequences{}) q.load.concurrency = of<sequences>(1);
  }
  l.finish();
  if (!l.ok()) return r.fail(l.problem());
  q.has_load = q.load.context > tokens{} || q.contexts != nullptr;
}

inline void read_given(request& q, object_reader& r) {
  object_reader g(r.nested("given"), "given");
  const auto pin = [&](std::string_view key, bytes& where) {
    if (g.has(key)) where = of<bytes>(g.whole(key, 0, 0));
  };
  pin("kv_available_bytes", q.given.kv_available);
  pin("weight_bytes", q.given.weights);
  pin("activation_bytes", q.given.activation);
  pin("runtime_bytes", q.given.runtime);
  pin("graph_bytes", q.given.graphs);
  g.finish();
  if (!g.ok()) r.fail(g.problem());
}

/// Every key of the contract may stand in any request with null, which is absent.
inline void pass_null_of_contract(object_reader& r) {
  r.pass_null({"model",         "weights",     "kv_cache",    "devices",  "accelerator", "count",
               "visible_bytes", "nodes",       "fabric",      "parallel", "engine",      "speculative",
               "adapters",      "multimodal",  "load",        "given",    "prefill",     "decode",
               "transfer",      "train",       "calibration", "step",     "op",          "observed",
               "constants",     "constraints", "objective",   "offers",   "log"});
}

/// Parts of the contract that are not answered yet: absent, null, or saying "none of it" is fine.
inline void refuse_unmodelled(object_reader& r) {
  const auto refuse = [&](const std::string& field, std::string_view what) {
    r.not_answered(field, "is given, but " + std::string(what) + " is not answered yet; expected null.");
  };
  if (r.has("fabric")) refuse("fabric", "a fabric between nodes");
  for (std::string_view key : {"prefill", "decode", "transfer", "train"})
    if (r.has(key)) refuse(std::string(key), "this part of a request");
  object_reader m(r.nested("multimodal"), "multimodal");
  for (std::string_view key : {"images", "image_tokens", "video_tokens"})
    if (m.whole(key, 0, 0) > 0) refuse(m.path_of(key), "multimodal input");
  m.finish();
  if (!m.ok()) r.fail(m.problem());
}

/// What max_model_len cuts off a distribution of lengths.
inline void note_cut(request& q) {
  const tokens longest = ullage::detail::model_length(q.model, q.engine, q.load);
  const double cut = cut_share(*q.contexts, longest);
  if (cut < 5e-7) return;
  q.assumed.push_back({"load.context", plain_number(std::round(cut * 1e6) / 1e4) + " % cut", true,
                       "so many of the sequences would be longer than max_model_len, " +
                           std::to_string(integer(longest)) + " tokens, and end there"});
}

/// The split that parallel.split leaves to the planner.
inline void choose_split(request& q, object_reader& r) {
  const std::string devices = std::to_string(q.split.devices) + (q.split.devices == 1 ? " device" : " devices");
  if (!q.given.nothing())
    return r.fail(
        error_code::bad_value, "parallel.split",
        "parallel.split is best, but given has terms, which hold for one split alone; expected one of the two.");
  const split_choice c = best_split(q.model, q.parts[0], q.split.devices, q.engine, q.load, q.split.bounds);
  if (c.answer == answer::invalid)
    return r.fail(error_code::unsupported_layout, "parallel",
                  "parallel.split finds no split of " + devices + " that runs " + std::string(q.model.name.view()) +
                      "; of tp*pp these work: " + working_layouts(q.model, q.split.devices) + ".");
  q.parallel = c.parallel;
  q.assumed.push_back({"parallel", parallel_text(c.parallel), true,
                       c.room ? "the best split of " + devices + ": it holds most, " +
                                    std::to_string(integer(c.concurrency)) + " sequences of the load's context"
                              : "no split of " + devices + " has room; of this one least is missing"});
}

inline void assume_model_length(request& q) {
  if (q.contexts != nullptr) note_cut(q);
  if (q.engine.options.max_model_len > tokens{}) {
    if (q.model.max_position > 0 && q.engine.options.max_model_len > of<tokens>(q.model.max_position))
      q.assumed.push_back({"engine.max_model_len", std::to_string(integer(q.engine.options.max_model_len)), false,
                           "longer than the model's " + std::to_string(q.model.max_position) +
                               " positions; engines want that confirmed"});
    return;
  }
  const tokens longest = q.contexts != nullptr ? of<tokens>(largest_value(*q.contexts)) : q.load.context;
  const bool beyond = q.model.max_position > 0 && longest > of<tokens>(q.model.max_position);
  if (longest > tokens{})
    q.assumed.push_back(
        {"engine.max_model_len", std::to_string(integer(longest)), false,
         std::string(q.asks_speed()          ? "absent; the longest conversation of the load"
                     : q.contexts != nullptr ? "absent; the longest of load.context"
                                             : "absent; load.context") +
             (beyond ? ", longer than the model's " + std::to_string(q.model.max_position) + " positions" : "")});
  else
    q.assumed.push_back({"engine.max_model_len", std::to_string(q.model.max_position), false,
                         "absent; the model's max_position_embeddings"});
}

/// Whether a part is worth offering to somebody who named none: it ships, it is an accelerator with memory of its own, and
/// the engine runs on it.
constexpr bool can_be_offered(engine_kind e, const accelerator& a) noexcept {
  return a.status == availability::shipping && a.kind != device_class::cpu && a.kind != device_class::npu &&
         a.memory_type != memory_type::sram && runs_on(e, a);
}

/// What a part is that its figures alone do not say: not sold yet, several devices to software, without fitting arithmetic.
inline void note_part(request& q, const accelerator& a) {
  if (a.status == availability::announced)
    q.assumed.push_back({"accelerator", std::string(a.name), true, "announced; its figures are its maker's plans"});
  for (const partition_profile& p : catalog::partitions)
    if (p.linked && p.whole->id == a.id) {
      q.assumed.push_back({"accelerator", std::string(a.name), true,
                           "planned as one device; software shows " + std::to_string(p.copies) + " (" +
                               std::string(p.name) + "), over which the model is split"});
      break;
    }
  const auto known = [&](math m) { return a.supports(m) == support::native; };
  if (a.made_by != vendor::unknown && !known(math::bf16) && !known(math::fp16) && !known(math::fp32) &&
      !known(math::tf32))
    q.assumed.push_back({"accelerator", std::string(a.name), true,
                         "no rate of 16- or 32-bit products is known of it; its memory alone is answered for"});
}

/// What an engine does on a part that its terms were not fitted on.
inline void note_parts(request& q) {
  const accelerator* lacks_bf16 = nullptr;
  const accelerator* foreign = nullptr;
  const accelerator* without_backend = nullptr;
  for (std::size_t i = 0; i < q.parts.size(); ++i) {
    const accelerator& a = q.parts[i];
    const auto same = [&](const accelerator& b) { return b.id == a.id; };
    const auto end = q.parts.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find_if(q.parts.begin(), end, same) == end) note_part(q, a);
    if (a.supports(math::bf16) != support::native && a.supports(math::fp16) == support::native) lacks_bf16 = &a;
    if (a.made_by == vendor::unknown) continue;
    if (a.made_by != vendor::nvidia && a.made_by != vendor::amd) foreign = &a;
    if (!runs_on(q.engine.kind, a)) without_backend = &a;
  }
  if (q.engine.kind != engine_kind::vllm) return;
  if (lacks_bf16 != nullptr && q.model.activation == formats::bf16)
    q.assumed.push_back(
        {"dtype", "float16", true, "this part has no bf16; the engine takes float16, of the same size"});
  if (without_backend != nullptr)
    q.assumed.push_back({"engine.name", "vllm", true,
                         "no backend of it for " + std::string(without_backend->name) + " is known; as if it had one"});
  if (foreign != nullptr)
    q.assumed.push_back(
        {"engine terms", std::string(foreign->name), true, "fitted on NVIDIA devices; taken over for this part"});
  const count asked = (q.asks_speed() ? q.traffic.concurrency : q.load.concurrency).value();
  const sequences seats = max_sequences_in(q.engine, q.parts[0]);
  if (seats > sequences{} && asked > seats.value() * count(q.parallel.dp))
    q.assumed.push_back({"engine.max_num_seqs", std::to_string(integer(seats)), false,
                         "load.concurrency is " + std::to_string(asked.value()) +
                             (q.parallel.dp > 1 ? " over all replicas" : "") +
                             ", more than run at once; the rest waits"});
}

}  // namespace detail

/// What an ask takes of a request.
struct request_shape {
  detail::load_words load = detail::load_words::conversations;
  bool devices = true;  ///< on which devices; else they are what is asked
  bool needs_load = false;
  std::vector<std::string_view> own_keys{};  ///< top-level keys of this ask alone; they come back in request::body
};

namespace detail {

/// Reads the request of an ask, but for its calibration.
inline result<request> read_uncalibrated(const json& tree, const request_shape& shape) {
  object_reader r(tree, "");
  request q;
  if (const json* id = r.find("id"); id != nullptr) q.id = *id;
  const std::int64_t schema = r.whole("schema", 1, 0);
  if (r.ok() && schema != 1)
    r.fail_at("schema", error_code::bad_value, "is " + std::to_string(schema) + "; expected 1.");
  q.ask = r.text("ask", "fit");
  detail::pass_null_of_contract(r);
  for (std::string_view key : shape.own_keys)
    if (const json* v = r.find(key); v != nullptr) q.body[std::string(key)] = *v;
  // Every known key is named before finish() looks for unknown ones, and those come first: a misspelt key explains
  // most.
  for (std::string_view key : {"model", "weights", "kv_cache", "devices", "accelerator", "count",    "visible_bytes",
                               "nodes", "fabric",  "parallel", "engine",  "speculative", "adapters", "multimodal",
                               "load",  "given",   "prefill",  "decode",  "transfer",    "train",    "calibration"})
    r.find(key);
  r.finish();
  detail::refuse_unmodelled(r);
  if (r.ok()) detail::read_model(q, r);
  if (r.ok()) detail::drop_unreached_windows(q.model);
  bool counted = false;
  std::vector<accelerator> devices;
  if (!shape.devices)
    for (std::string_view key : {"devices", "accelerator", "count", "visible_bytes", "nodes", "parallel", "given"})
      if (r.has(key))
        r.fail_at(key, error_code::bad_value, "is given, but " + q.ask + " chooses the devices; expected null.");
  if (r.ok() && shape.devices) devices = detail::read_devices(q, r, counted);
  const std::int64_t nodes = r.whole("nodes", 1, 1, detail::most_devices);
  if (r.ok() && nodes > 1) {
    if (static_cast<std::int64_t>(devices.size()) * nodes > detail::most_devices)
      r.fail_at("nodes", error_code::bad_value,
                "makes more than " + std::to_string(detail::most_devices) + " devices.");
    const std::vector<accelerator> one = devices;
    for (std::int64_t i = 1; i < nodes && r.ok(); ++i) devices.insert(devices.end(), one.begin(), one.end());
    counted = true;
  }
  if (r.ok()) detail::read_engine(q, r);
  if (r.ok()) detail::read_speculative(r, q.ask, q.model, q.engine, q.draft, q.assumed);
  if (r.ok()) detail::read_adapters(r, q.ask, q.engine, q.assumed);
  if (r.ok()) detail::refuse_unlike_layers(q, r);
  if (r.ok()) detail::read_formats(q, r);
  if (r.ok() && shape.devices) detail::read_parallel(q, r, devices, counted);
  if (q.split.best && nodes > 1)
    q.split.bounds.most_tp =
        of<ullage::devices>(smaller(count(q.split.devices / nodes), q.parts[0].node_devices().value()));
  if (r.ok() && shape.needs_load && !r.has("load")) r.missing("load", "an object with input_tokens and output_tokens");
  if (r.ok()) detail::read_load(q, r, shape.load);
  if (r.ok()) detail::read_given(q, r);
  if (r.ok() && q.split.best) detail::choose_split(q, r);
  const tokens told = q.engine.options.max_model_len;
  if (r.ok() && told > tokens{} && q.load.context > told) {
    const std::string context = std::to_string(integer(q.load.context));
    if (q.context_from_traffic)
      r.fail(error_code::bad_value, "engine.max_model_len",
             "engine.max_model_len is " + std::to_string(integer(told)) +
                 "; expected at least load.input_tokens + load.output_tokens, " + context + ".");
    else
      r.fail(error_code::bad_value, "load.context",
             "load.context is " + context + "; expected at most engine.max_model_len " + std::to_string(integer(told)) +
                 ".");
  }
  if (!r.ok()) return r.problem();
  if (shape.load != detail::load_words::none) detail::assume_model_length(q);
  if (shape.devices) detail::note_parts(q);
  return q;
}

}  // namespace detail

/// Reads the request of an ask. A calibration sets what the request leaves open, and pins what was measured.
inline result<request> read_request(const json& tree, const request_shape& shape = {}) {
  const json* said = nullptr;
  if (tree.is_object())
    if (const auto it = tree.find("calibration"); it != tree.end() && !it->is_null()) said = &*it;
  if (said == nullptr) return detail::read_uncalibrated(tree, shape);
  const result<calibration_file> c = detail::calibration_of(*said);
  if (!c) return c.problem();
  std::vector<assumption> assumed;
  const json filled = detail::with_calibration(tree, *c, shape.devices, assumed);
  result<request> read = detail::read_uncalibrated(filled, shape);
  if (!read) return read;
  request& q = *read;
  if (shape.devices) {
    const tokens longest = ullage::detail::model_length(q.model, q.engine, q.load);
    if (const std::optional<error> wrong =
            detail::apply_calibration(*c, q.model, q.engine, q.parts, q.parallel, longest, filled, q.given, assumed))
      return *wrong;
  } else if (q.ask != "select") {
    return error{error_code::bad_value, "calibration",
                 "calibration is given, but " + q.ask + " does not take one; expected null."};
  } else {
    if (const std::optional<error> wrong = detail::check_calibration(*c, q.model, q.engine)) return *wrong;
    q.measured = *c;
  }
  q.assumed.insert(q.assumed.begin(), assumed.begin(), assumed.end());
  return read;
}

}  // namespace ullage::inline v0::io
