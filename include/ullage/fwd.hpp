// SPDX-License-Identifier: Apache-2.0
#pragma once

// Forward declarations of the public structs; needs no Boost. Quantities are aliases and cannot be declared here.
namespace ullage::inline v0 {
class count;
struct number_format;
struct weight_scheme;
template <class Quantity>
struct estimate;
struct fabric;
struct accelerator;
struct attention;
struct feed_forward;
struct tensor_family;
struct transformer;
struct layout;
struct stage;
struct engine_version;
struct engine_rules;
struct engine_options;
struct engine;
struct calibration;
struct load;
struct rank_memory;
struct kv_report;
struct verdict;
}  // namespace ullage::inline v0
