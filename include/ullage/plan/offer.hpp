// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ullage/performance.hpp>
#include <ullage/plan/opaque.hpp>

// What `select` is asked and what it tells.
namespace ullage::inline v0 {

/// What the hardware is for: a model in an engine, the conversations that must fit, and the traffic for its speed.
struct workload {
  const transformer* model = nullptr;  ///< must outlive the call
  ullage::engine engine{};
  ullage::load load{};
  ullage::traffic traffic{};  ///< input_tokens 0 = speed is not asked, and no latency can be limited
  /// Instead of `model`: its items at once are load.concurrency; 0 = as many as suit each part, up to `most_opaque_batch`
  /// a device. The engine is plain, the load has no context, the devices are replicas.
  const opaque_model* opaque = nullptr;
};
inline constexpr std::int64_t most_opaque_batch = 256;

/// What a choice is ranked by.
enum class objective : std::uint8_t { fewest_devices, latency, power };
constexpr std::string_view name(objective o) noexcept {
  switch (o) {
    case objective::fewest_devices: return "devices";
    case objective::latency: return "latency";
    case objective::power: return "power";
  }
  return "devices";
}

/// Devices in all that replicas are tried up to.
inline constexpr std::int64_t most_offered_devices = 1024;

/// Limits that a choice must keep, and what the choices are ranked by; zero = no limit.
struct constraints {
  devices max_devices{};  ///< of all replicas; at most `most_offered_devices` are tried
  watts max_power{};      ///< thermal design power of all devices together
  bytes max_memory{};     ///< visible memory of all devices together
  seconds max_ttft{};     ///< held against the middle of the band
  seconds max_tpot{};
  seconds max_latency{};            ///< of a pass over the items at once of an opaque model, middle of the band
  double min_items_per_second = 0;  ///< of an opaque model, all devices together, middle of the band
  objective rank_by = objective::fewest_devices;
};

/// Something that can be had. Prices will stand here beside the part.
struct offer {
  accelerator part{};
  const constants* measured = nullptr;  ///< time constants of the asker's own; nullptr = constants_for(part, engine)
  const calibration* given = nullptr;   ///< terms measured on the part, under `given_layout` alone
  layout given_layout{};
};

/// What rejected a part, from the first hurdle to the last: a part is told by the farthest that any of its layouts got.
/// Up to `items_rate` no number of replicas mends it, and the figures are those of the least share of the load; from
/// `device_count` on so many replicas serve, but are more than is allowed.
enum class limit_kind : std::uint8_t {
  layout,         ///< no tp up to 8 inside one node divides the model
  memory,         ///< bytes missing on the worst device; `need` and `have` in bytes of that device
  no_speed,       ///< the time cannot be estimated (no peak, no bandwidth)
  ttft,           ///< seconds
  tpot,           ///< seconds
  request_rate,   ///< requests a second: more arrive than all replicas that are tried serve
  latency,        ///< seconds of a pass of an opaque model
  items_rate,     ///< items a second
  device_count,   ///< `need` and `have` in devices
  power_unknown,  ///< a power limit is set and the part's power is not published
  power,          ///< watts
  memory_total    ///< bytes of all devices
};
constexpr std::string_view name(limit_kind k) noexcept {
  switch (k) {
    case limit_kind::layout: return "layout";
    case limit_kind::device_count: return "devices";
    case limit_kind::memory: return "memory";
    case limit_kind::power_unknown: return "power_unknown";
    case limit_kind::power: return "power";
    case limit_kind::memory_total: return "memory_total";
    case limit_kind::no_speed: return "no_speed";
    case limit_kind::ttft: return "ttft";
    case limit_kind::tpot: return "tpot";
    case limit_kind::request_rate: return "request_rate";
    case limit_kind::latency: return "latency";
    case limit_kind::items_rate: return "items_per_s";
  }
  return "layout";
}

/// A part that meets every limit, with the layout that does it best under the objective.
///
/// `replicas` are engines of their own, `layout` each, that share the load equally: the fewest that serve all of it.
/// Times are those of the fullest. Devices are replicas · layout.world(); an opaque model's replicas stand in layout.dp.
struct choice {
  accelerator part{};
  ullage::layout layout{};  ///< of one replica
  std::int64_t devices = 0;
  ullage::answer answer = ullage::answer::invalid;  ///< `may_fit` when only the middle of the band has room
  bytes left{};                                     ///< on the worst device
  watts power{};                                    ///< of all devices; 0 = not published
  bool speed_known = false;
  service speed{};         ///< when traffic is given; rates of all replicas together, `decode` and `prefill` of one
  opaque_service items{};  ///< of an opaque model
  sequences most_items{};  ///< that the devices hold, middle of the band
  std::int64_t replicas = 1;
};

/// A part that no layout brings inside the limits: the limit that rejected it, and by how much.
struct rejection {
  accelerator part{};
  limit_kind limit = limit_kind::layout;
  std::int64_t devices = 0;  ///< of the layout that got farthest, all `replicas`
  double need = 0;           ///< in the base unit of the limit (bytes, devices, watts, seconds)
  double have = 0;           ///< what the limit or the part allows
  std::int64_t replicas = 1;
};

}  // namespace ullage::inline v0
