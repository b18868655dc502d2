// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

// `ullage validate`: predicted against measured on this machine. Independent of how the command line is read.
namespace cli {

struct validate_request {
  enum class backend { automatic, host, cuda };
  backend on = backend::automatic;  ///< automatic: the host, and CUDA where a device is there
  double seconds = 1.0;             ///< budget of each measurement
  int threads = 0;                  ///< of the host's triad on all cores; 0 = all
  int device = 0;                   ///< as the CUDA runtime counts
  std::string accelerator{};        ///< what to hold the device against; empty = the catalogue's row of its name
  std::int64_t allocate_bytes = 0;  ///< of a trial allocation on the device; 0 = none
  bool json = false;
  bool strict = false;  ///< a measurement outside its band makes the exit code 1
};

/// "auto", "host" or "cuda"; false for anything else.
bool parse_backend(std::string_view text, validate_request::backend& backend) noexcept;

/// Writes a table line by line as measurements come, or the answer object. Messages go to `messages`.
///
/// Returns 0; 1 when a measurement's result was numerically wrong, or with `strict` when one lies outside its band;
/// 2 for a bad value, which a backend is that was asked for by name and is not there.
int run_validate(const validate_request& request, std::ostream& answers, std::ostream& messages);

}  // namespace cli
