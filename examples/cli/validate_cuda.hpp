// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <ullage/hardware.hpp>
#include <ullage/validate/report.hpp>

// The border to what nvcc compiles: plain structs and a function pointer.
namespace cli {

struct cuda_request {
  double seconds = 1.0;
  int device = 0;
  std::optional<ullage::accelerator> row{};
  std::int64_t allocate_bytes = 0;
  void (*line)(const ullage::validate::measurement&,
               void*) = nullptr;  ///< gets each measurement as soon as it is there
  void (*header)(const ullage::validate::report&,
                 void*) = nullptr;  ///< before them: device and reason; only where available
  void* context = nullptr;
};

/// The report without its lines. Defined in validate_cuda.cu; a program that was built without nvcc never calls it.
ullage::validate::report validate_on_cuda(const cuda_request& request);

}  // namespace cli
