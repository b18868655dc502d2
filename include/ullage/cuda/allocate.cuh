// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <cuda_runtime_api.h>
#include <ullage/cuda/status.cuh>
#include <ullage/detail/static_list.hpp>
#include <ullage/units.hpp>
#include <ullage/validate/report.hpp>
#include <ullage/validate/say.hpp>

namespace ullage::inline v0::cuda {

/// What became of a trial allocation.
struct allocation {
  std::int64_t wanted_bytes = 0;
  std::int64_t obtained_bytes = 0;  ///< allocated and written
  std::int64_t free_before_bytes = 0;
  int chunks = 0;
  cuda_status status{};  ///< ok when all was obtained; else why not

  constexpr bool complete() const noexcept { return status.ok() && obtained_bytes == wanted_bytes; }
};

/// Allocates `wanted` bytes on the selected device as engines do, in chunks, writes each byte, and frees all again.
///
/// A chunk that is refused is tried at half its size, down to 2 MiB (the driver's page), so that what is obtained is
/// what was possible. A refusal is an answer, not an error of the caller. Negative or overflowed: a status that says
/// so.
inline allocation try_allocation(bytes wanted, std::int64_t chunk_bytes = std::int64_t{1} << 30) noexcept {
  struct chunk {
    void* memory = nullptr;
  };
  allocation a;
  if (overflowed(wanted) || integer(wanted) < 0) {
    a.status = failure(validate::say("the bytes to allocate are negative or beyond 2^63"));
    return a;
  }
  a.wanted_bytes = integer(wanted);
  constexpr std::int64_t page = std::int64_t{2} << 20;
  // At most 512 chunks of the size asked for, and some more for the halves at the end.
  const std::int64_t least_chunk = a.wanted_bytes / 512 + 1;
  std::int64_t size = (std::max)((std::max)(chunk_bytes, page), least_chunk);
  std::size_t free_now = 0;
  std::size_t total = 0;
  if (a.status = check(cudaMemGetInfo(&free_now, &total), "asking for the device's memory"); !a.status.ok()) return a;
  a.free_before_bytes = static_cast<std::int64_t>(free_now);

  static_assert(std::numeric_limits<std::size_t>::digits >= 63);
  ullage::detail::static_list<chunk, 1024> held;
  while (a.obtained_bytes < a.wanted_bytes) {
    const std::int64_t now = (std::min)(size, a.wanted_bytes - a.obtained_bytes);
    chunk c;
    const cudaError_t error = held.size() == held.capacity() ? cudaErrorMemoryAllocation
                                                             : cudaMalloc(&c.memory, static_cast<std::size_t>(now));
    if (error == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      if (held.size() < held.capacity() && now > page) {
        size = (std::max)(now / 2, page);
        continue;
      }
      a.status =
          failure(validate::say("out of device memory after ", static_cast<double>(a.obtained_bytes) / 1073741824.0,
                                " of ", static_cast<double>(a.wanted_bytes) / 1073741824.0, " GiB"),
                  static_cast<int>(cudaErrorMemoryAllocation));
      break;
    }
    if (a.status = check(error, "allocating device memory"); !a.status.ok()) break;
    held.push_back(c);
    if (a.status = check(cudaMemset(c.memory, 0x5A, static_cast<std::size_t>(now)), "writing device memory");
        !a.status.ok())
      break;
    if (a.status = check(cudaDeviceSynchronize(), "writing device memory"); !a.status.ok()) break;
    a.obtained_bytes += now;
  }
  a.chunks = static_cast<int>(held.size());
  for (const chunk& c : held) static_cast<void>(cudaFree(c.memory));
  return a;
}

/// The trial as a line of a report: predicted are the bytes of weights and cache that a plan gives, exactly.
inline validate::measurement measure_allocation(bytes wanted) noexcept {
  validate::measurement m;
  m.name = "allocation";
  m.in = validate::unit::bytes;
  const allocation a = try_allocation(wanted);
  m.predicted = estimate<double>::exactly(static_cast<double>(a.wanted_bytes));
  m.measured = m.best = static_cast<double>(a.obtained_bytes);
  m.repeats = 1;
  const bool refused = a.status.code == static_cast<int>(cudaErrorMemoryAllocation);
  if (!a.status.ok() && !refused) {
    m.note = a.status.what;
    return m;
  }
  m.note = refused ? a.status.what
                   : validate::say("all of it, in ", a.chunks, " pieces; ",
                                   static_cast<double>(a.free_before_bytes) / 1073741824.0, " GiB were free");
  return validate::judged(m);
}

}  // namespace ullage::inline v0::cuda
