// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <ullage/performance/collective_curve.hpp>
#include <vector>

#include "split.hpp"
#include "table.hpp"

// Measured collectives of ai-dynamo/aiconfigurator (Apache-2.0), systems/data/*/{nccl,oneccl,custom_allreduce}.
namespace fit {

inline constexpr int folds = 8;

using ullage::collective;
using ullage::collective_kernel;

struct measured_collective {
  std::string part;    // as the tables name it
  std::string fabric;  // of the curve that it counts to
  collective_kernel kernel = collective_kernel::library;
  collective what = collective::all_reduce;
  int ranks = 2;
  double bytes = 0;
  double seconds = 0;
  double weight = 1;
  bool held = false;
  int fold = 0;
};

/// Parts that share curves of the library, and the nominal one-way link; an engine's kernels are told apart where the
/// host differs.
inline std::string fabric_of(const std::string& part, collective_kernel kernel) {
  static const std::map<std::string, std::string> table{
      {"a100_sxm", "nvlink-3"}, {"h100_sxm", "nvlink-4"}, {"h200_sxm", "nvlink-4"},
      {"b200_sxm", "nvlink-5"}, {"b300_sxm", "nvlink-5"}, {"gb200", "nvlink-5"},
      {"l40s", "l40s"},         {"b60", "arc-pro-b60"},   {"rtx_pro_6000_server", "rtx-pro-6000"}};
  const auto found = table.find(part);
  if (found == table.end()) throw std::runtime_error("no fabric is known for the part " + part);
  return part == "gb200" && kernel != collective_kernel::library ? "nvlink-5-nvl72" : found->second;
}
inline double link_of(const std::string& fabric) {
  static const std::map<std::string, double> table{
      {"nvlink-3", 300e9}, {"nvlink-4", 450e9},     {"nvlink-5", 900e9},   {"nvlink-5-nvl72", 900e9},
      {"l40s", 31.5e9},    {"arc-pro-b60", 31.5e9}, {"rtx-pro-6000", 63e9}};
  return table.at(fabric);
}
/// NVLink SHARP: switches since the third generation add up what they carry.
inline bool switch_reduces(const measured_collective& m) {
  return (m.fabric == "nvlink-4" || m.fabric == "nvlink-5") &&
         (m.what == collective::all_reduce || m.what == collective::reduce_scatter);
}
inline collective collective_of(std::string_view name) {
  if (name == "all_reduce") return collective::all_reduce;
  if (name == "all_gather") return collective::all_gather;
  if (name == "reduce_scatter") return collective::reduce_scatter;
  if (name == "alltoall") return collective::all_to_all;
  throw std::runtime_error("no collective is called " + std::string(name));
}

inline std::vector<measured_collective> read_collectives(const std::string& folder) {
  std::vector<measured_collective> rows;
  for (const char* name : {"nccl", "oneccl", "custom_allreduce"}) {
    const table t = table::read(folder, name);
    const bool engines = t.has("allreduce_dtype");
    for (std::size_t i = 0; i < t.size(); ++i) {
      measured_collective m;
      m.part = t.text(i, "system");
      if (engines) {
        const std::string_view by = t.text(i, "backend");
        m.kernel = t.text(i, "stack") == "trtllm" ? collective_kernel::tensorrt_llm
                   : by == "vllm_graph"           ? collective_kernel::vllm
                   : by == "vllm_eager"           ? collective_kernel::vllm_eager
                   : by == "sglang_graph"         ? collective_kernel::sglang
                                                  : collective_kernel::sglang_eager;
      }
      m.fabric = fabric_of(m.part, m.kernel);
      m.what = collective_of(t.text(i, "op_name"));
      m.ranks = static_cast<int>(t.number(i, "num_gpus"));
      // message_size counts elements: rows of one and of two bytes an element take equally long at equal bytes.
      const std::string_view element = t.text(i, engines ? "allreduce_dtype" : "nccl_dtype");
      m.bytes = t.number(i, "message_size") * (element == "int8" ? 1 : 2);
      m.seconds = t.number(i, "latency") * 1e-3;
      // Switches reduce 16 bits but no integers (eight H100, 512 MiB: 2.11 against 2.68 ms), and models exchange 16 bits.
      if (element == "int8" && (m.what == collective::all_reduce || m.what == collective::reduce_scatter))
        m.weight = .3;
      const std::string shape = std::string(ullage::name(m.what)) + "," + shape_of(m.ranks, m.bytes) + m.part;
      m.held = held_back(shape);
      m.fold = fold_of(shape, folds);
      rows.push_back(m);
    }
  }
  return rows;
}

}  // namespace fit
