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
struct partition_profile;
struct hardware_system;
struct attention;
struct feed_forward;
struct tensor_family;
struct transformer;
struct opaque_model;
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
struct limits;
struct change;
struct remedy;
struct attained;
struct constants;
struct op_time;
struct op;
struct work;
struct plan_point;
struct step_work;
struct step_time;
struct traffic;
struct service;
struct observation;
struct prediction;
struct speedup;
struct diagnosis;
struct workload;
struct constraints;
struct offer;
struct choice;
struct rejection;
}  // namespace ullage::inline v0
