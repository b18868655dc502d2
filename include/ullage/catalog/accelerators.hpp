// SPDX-License-Identifier: Apache-2.0
// Generated from cmake/catalog/*.tsv; edit there and run generate.py.
#pragma once

#include <ullage/catalog/amd.hpp>
#include <ullage/catalog/apple.hpp>
#include <ullage/catalog/aws.hpp>
#include <ullage/catalog/cpus.hpp>
#include <ullage/catalog/google.hpp>
#include <ullage/catalog/intel.hpp>
#include <ullage/catalog/nvidia.hpp>
#include <ullage/catalog/others.hpp>
#include <ullage/detail/row_list.hpp>

// All rows, group by group.
namespace ullage::inline v0::catalog {

inline constexpr ullage::detail::row_list<accelerator, 297> accelerators{{&h100_sxm, &h100_pcie, &h100_nvl,
    &h100_sxm_96gb, &h100_sxm_94gb, &h200_sxm, &h200_nvl, &gh200_96gb, &gh200_144gb, &h20, &h20_141gb, &h800_sxm,
    &h800_pcie, &b200, &gb200, &b300, &gb300, &b100, &vr200, &rtx_pro_6000_server, &rtx_pro_4500_server,
    &rtx_pro_4500_workstation, &l40s, &l40, &l20, &l4, &a100_sxm_80gb, &a100_sxm_40gb, &a100_pcie_80gb, &a100_pcie_40gb,
    &a100_sxm_64gb, &a800_sxm_80gb, &a800_pcie_80gb, &a30, &a40, &a10, &a10g, &a2, &a16, &t4, &t4g, &v100_sxm_32gb,
    &v100_sxm_16gb, &v100_pcie_32gb, &v100_pcie_16gb, &v100s_pcie_32gb, &p100_sxm_16gb, &p100_pcie_16gb, &p40, &p4,
    &rtx_5090, &rtx_5090_d, &rtx_5090_d_v2, &rtx_5080, &rtx_5070_ti, &rtx_5070, &rtx_5060_ti_16gb, &rtx_5060_ti_8gb,
    &rtx_5060, &rtx_5090_laptop, &rtx_4090, &rtx_4090_48gb, &rtx_4090_d, &rtx_4080_super, &rtx_4080, &rtx_4070_ti_super,
    &rtx_4070_ti, &rtx_4070_super, &rtx_4070, &rtx_4060_ti_16gb, &rtx_4060_ti_8gb, &rtx_4060, &rtx_4090_laptop,
    &rtx_3090_ti, &rtx_3090, &rtx_3080_ti, &rtx_3080_12gb, &rtx_3080_10gb, &rtx_3070_ti, &rtx_3070, &rtx_3060_ti,
    &rtx_3060_12gb, &rtx_3060_8gb, &rtx_2080_ti, &rtx_2080, &rtx_2070, &rtx_2060, &titan_rtx, &titan_v, &gtx_1080_ti,
    &gtx_1050_ti, &rtx_pro_6000_workstation, &rtx_pro_6000_max_q, &rtx_pro_5000_48gb, &rtx_pro_5000_72gb, &rtx_pro_4000,
    &rtx_6000_ada, &rtx_5880_ada, &rtx_5000_ada, &rtx_4500_ada, &rtx_4000_ada, &rtx_4000_sff_ada, &rtx_2000_ada,
    &rtx_a6000, &rtx_a5000, &rtx_a4500, &rtx_a4000, &rtx_a2000_12gb, &rtx_a2000_6gb, &rtx_a400, &quadro_rtx_8000,
    &quadro_rtx_6000, &gb10, &jetson_thor_t5000, &jetson_thor_t4000, &jetson_agx_orin_64gb, &jetson_agx_orin_32gb,
    &jetson_orin_nx_16gb, &jetson_orin_nx_8gb, &jetson_orin_nano_super_8gb, &jetson_orin_nano_8gb,
    &jetson_orin_nano_4gb, &jetson_agx_xavier_32gb, &jetson_xavier_nx_8gb, &mi355x, &mi350x, &mi325x, &mi300x, &mi300a,
    &mi308x, &mi350p, &mi455x, &mi250x, &mi250, &mi210, &mi100, &mi60, &mi50_32gb, &mi50_16gb, &strix_halo_395,
    &radeon_ai_pro_r9700, &radeon_pro_w7900, &radeon_pro_w7800_48gb, &radeon_pro_w7800, &radeon_pro_w7700,
    &radeon_pro_w6800, &rx_9070_xt, &rx_9070, &rx_9060_xt_16gb, &rx_9060_xt_8gb, &rx_7900_xtx, &rx_7900_xt,
    &rx_7900_gre, &rx_7800_xt, &rx_7700_xt, &rx_7600_xt, &rx_7600, &rx_6950_xt, &rx_6900_xt, &rx_6800_xt, &rx_6800,
    &rx_6700_xt, &rx_6500_xt, &rx_580, &tpu_v6e, &tpu_v5e, &tpu_v5p, &tpu_7x, &tpu_v4, &tpu_v3, &tpu_v2, &tpu_8t,
    &tpu_8i, &trainium3, &trainium2, &trainium1, &inferentia2, &inferentia1, &gaudi3, &gaudi3_pcie, &gaudi2, &max_1550,
    &max_1100, &arc_pro_b70, &arc_pro_b60, &arc_pro_b50, &arc_b580, &arc_b570, &arc_a770, &arc_a770_8gb, &arc_a750,
    &arc_a380, &arc_a310, &flex_170, &arc_140v, &core_ultra_7_155h, &apple_m5_max_40core, &apple_m5_max_32core,
    &apple_m5_pro_20core, &apple_m5_pro_16core, &apple_m5, &apple_m4_max_40core, &apple_m4_max_32core,
    &apple_m4_pro_20core, &apple_m4_pro_16core, &apple_m4_10core, &apple_m4_8core, &apple_m3_ultra_80core,
    &apple_m3_ultra_60core, &apple_m3_max_40core, &apple_m3_max_30core, &apple_m3_pro_18core, &apple_m3_pro_14core,
    &apple_m3_10core, &apple_m3_8core, &apple_m2_ultra_76core, &apple_m2_ultra_60core, &apple_m2_max_38core,
    &apple_m2_max_30core, &apple_m2_pro_19core, &apple_m2_pro_16core, &apple_m2_10core, &apple_m2_8core,
    &apple_m1_ultra_64core, &apple_m1_ultra_48core, &apple_m1_max_32core, &apple_m1_max_24core, &apple_m1_pro_16core,
    &apple_m1_pro_14core, &apple_m1_8core, &apple_m1_7core, &ascend_910b, &ascend_910b1, &ascend_910b3, &ascend_910b4,
    &ascend_910c, &ascend_950dt, &ascend_950pr, &atlas_300i_duo, &ai100_ultra, &ai100_pro, &ai100_standard,
    &wormhole_n300, &wormhole_n150, &blackhole_p150, &blackhole_p100a, &groq_3_lpu_lp30, &groq_lpu_v1, &wse_3, &sn40l,
    &sn50, &hailo_10h, &xeon_6980p, &xeon_6787p, &xeon_6776p, &xeon_6767p, &xeon_6747p, &xeon_max_9480, &xeon_8592plus,
    &xeon_8570, &xeon_8568yplus, &xeon_8480plus, &xeon_8480c, &xeon_8488c, &xeon_6454s, &xeon_8358, &xeon_8168,
    &epyc_9965, &epyc_9755, &epyc_9655, &epyc_9575f, &epyc_9754, &epyc_9684x, &epyc_9654, &epyc_9554, &epyc_9474f,
    &epyc_9454, &epyc_9354, &epyc_7763, &epyc_7742, &graviton4, &graviton3, &grace, &ampereone_a192_32x,
    &altra_max_m128_30, &ryzen_9_7950x, &ryzen_9_7900x, &ryzen_9_5950x, &core_i7_1065g7, &core_i9_13900k,
    &core_ultra_7_265k_cpu, &core_ultra_7_258v_cpu, &core_ultra_7_155h_cpu, &ryzen_ai_max_395_cpu, &jetson_agx_orin_cpu,
    &raspberry_pi_5, &raspberry_pi_4}};

}  // namespace ullage::inline v0::catalog
