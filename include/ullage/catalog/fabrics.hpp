// SPDX-License-Identifier: Apache-2.0
// Generated from cmake/catalog/*.tsv; edit there and run generate.py.
#pragma once

#include <string_view>
#include <ullage/detail/row_list.hpp>
#include <ullage/hardware/fabric.hpp>

// Fabrics: one way, of one device (scale-out: of one port).
namespace ullage::inline v0::catalog {

using std::literals::string_view_literals::operator""sv;

/// A device that reaches no other.
inline constexpr fabric no_fabric{.id = "none", .name = "none", .domain = 1_dev, .from = basis::exact};

inline constexpr fabric nvlink_1_p100{
    .id = "nvlink-1-p100"sv,
    .name = "NVLink 1"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::ring,
    .per_device = 80_GBps,
    .per_peer = 40_GBps,
    .domain = 8_dev,
    .links = 4,
    .from = basis::unverified};

inline constexpr fabric nvlink_2_mesh{
    .id = "nvlink-2-mesh"sv,
    .name = "NVLink 2 hybrid cube mesh"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::ring,
    .per_device = 150_GBps,
    .per_peer = 75_GBps,
    .domain = 8_dev,
    .links = 6,
    .from = basis::transferred};

inline constexpr fabric nvlink_2_nvswitch{
    .id = "nvlink-2-nvswitch"sv,
    .name = "NVLink 2, NVSwitch"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 150_GBps,
    .per_peer = 150_GBps,
    .domain = 16_dev,
    .links = 6,
    .from = basis::datasheet};

inline constexpr fabric nvlink_2_bridge_2080{
    .id = "nvlink-2-bridge-2080"sv,
    .name = "NVLink 2 bridge (RTX 2080)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::pair_bridge,
    .per_device = 25_GBps,
    .per_peer = 25_GBps,
    .domain = 2_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric nvlink_2_bridge_2080_ti{
    .id = "nvlink-2-bridge-2080-ti"sv,
    .name = "NVLink 2 bridge (RTX 2080 Ti)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::pair_bridge,
    .per_device = 50_GBps,
    .per_peer = 50_GBps,
    .domain = 2_dev,
    .links = 2,
    .from = basis::datasheet};

inline constexpr fabric nvlink_3_hgx{
    .id = "nvlink-3-hgx"sv,
    .name = "NVLink 3, NVSwitch"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 300_GBps,
    .per_peer = 300_GBps,
    .domain = 8_dev,
    .links = 12,
    .from = basis::datasheet};

inline constexpr fabric nvlink_3_hgx_16{
    .id = "nvlink-3-hgx-16"sv,
    .name = "NVLink 3, NVSwitch, two boards"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 300_GBps,
    .per_peer = 300_GBps,
    .domain = 16_dev,
    .links = 12,
    .from = basis::datasheet};

inline constexpr fabric nvlink_3_hgx_4{
    .id = "nvlink-3-hgx-4"sv,
    .name = "NVLink 3 mesh of four"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 300_GBps,
    .per_peer = 100_GBps,
    .domain = 4_dev,
    .links = 12,
    .from = basis::transferred};

inline constexpr fabric nvlink_3_bridge{
    .id = "nvlink-3-bridge"sv,
    .name = "NVLink 3 bridge"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::pair_bridge,
    .per_device = 300_GBps,
    .per_peer = 300_GBps,
    .domain = 2_dev,
    .links = 12,
    .from = basis::datasheet};

inline constexpr fabric nvlink_3_bridge_a6000{
    .id = "nvlink-3-bridge-a6000"sv,
    .name = "NVLink 3 bridge (A6000, A40, RTX 3090)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::pair_bridge,
    .per_device = 56.25_GBps,
    .per_peer = 56.25_GBps,
    .domain = 2_dev,
    .links = 4,
    .from = basis::datasheet};

inline constexpr fabric nvlink_3_bridge_a30{
    .id = "nvlink-3-bridge-a30"sv,
    .name = "NVLink 3 bridge (A30)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::pair_bridge,
    .per_device = 100_GBps,
    .per_peer = 100_GBps,
    .domain = 2_dev,
    .links = 4,
    .from = basis::datasheet};

inline constexpr fabric nvlink_3_a800{
    .id = "nvlink-3-a800"sv,
    .name = "NVLink 3, NVSwitch (A800)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 200_GBps,
    .per_peer = 200_GBps,
    .domain = 8_dev,
    .links = 8,
    .from = basis::unverified};

inline constexpr fabric nvlink_3_bridge_a800{
    .id = "nvlink-3-bridge-a800"sv,
    .name = "NVLink 3 bridge (A800)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::pair_bridge,
    .per_device = 200_GBps,
    .per_peer = 200_GBps,
    .domain = 2_dev,
    .links = 8,
    .from = basis::unverified};

inline constexpr fabric nvlink_4_hgx{
    .id = "nvlink-4-hgx"sv,
    .name = "NVLink 4, NVSwitch"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 450_GBps,
    .per_peer = 450_GBps,
    .domain = 8_dev,
    .in_network_reduction = true,
    .links = 18,
    .from = basis::datasheet};

inline constexpr fabric nvlink_4_hgx_4{
    .id = "nvlink-4-hgx-4"sv,
    .name = "NVLink 4 mesh of four"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 450_GBps,
    .per_peer = 150_GBps,
    .domain = 4_dev,
    .links = 18,
    .from = basis::unverified};

inline constexpr fabric nvlink_4_bridge{
    .id = "nvlink-4-bridge"sv,
    .name = "NVLink 4 bridge"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::pair_bridge,
    .per_device = 300_GBps,
    .per_peer = 300_GBps,
    .domain = 2_dev,
    .links = 12,
    .from = basis::datasheet};

inline constexpr fabric nvlink_4_bridge_4way{
    .id = "nvlink-4-bridge-4way"sv,
    .name = "NVLink 4 bridge of four"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 450_GBps,
    .per_peer = 150_GBps,
    .domain = 4_dev,
    .links = 18,
    .from = basis::transferred};

inline constexpr fabric nvlink_4_h800{
    .id = "nvlink-4-h800"sv,
    .name = "NVLink 4, NVSwitch (H800)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 200_GBps,
    .per_peer = 200_GBps,
    .domain = 8_dev,
    .in_network_reduction = true,
    .links = 8,
    .from = basis::unverified};

inline constexpr fabric nvlink_4_bridge_h800{
    .id = "nvlink-4-bridge-h800"sv,
    .name = "NVLink 4 bridge (H800)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::pair_bridge,
    .per_device = 200_GBps,
    .per_peer = 200_GBps,
    .domain = 2_dev,
    .links = 8,
    .from = basis::unverified};

inline constexpr fabric nvlink_4_gh200{
    .id = "nvlink-4-gh200"sv,
    .name = "NVLink 4 (GH200)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::none,
    .per_device = 450_GBps,
    .per_peer = 450_GBps,
    .domain = 1_dev,
    .links = 18,
    .from = basis::datasheet};

inline constexpr fabric nvlink_4_gh200_nvl2{
    .id = "nvlink-4-gh200-nvl2"sv,
    .name = "NVLink 4 pair (GH200 NVL2)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::pair_bridge,
    .per_device = 450_GBps,
    .per_peer = 450_GBps,
    .domain = 2_dev,
    .links = 18,
    .from = basis::unverified};

inline constexpr fabric nvlink_4_gh200_quad{
    .id = "nvlink-4-gh200-quad"sv,
    .name = "NVLink 4 mesh of four GH200"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 450_GBps,
    .per_peer = 150_GBps,
    .domain = 4_dev,
    .links = 18,
    .from = basis::transferred};

inline constexpr fabric nvlink_4_nvl32{
    .id = "nvlink-4-nvl32"sv,
    .name = "NVLink 4, switch trays (GH200 NVL32)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 450_GBps,
    .per_peer = 450_GBps,
    .domain = 32_dev,
    .in_network_reduction = true,
    .links = 18,
    .from = basis::unverified};

inline constexpr fabric nvlink_5_hgx{
    .id = "nvlink-5-hgx"sv,
    .name = "NVLink 5, NVSwitch"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 900_GBps,
    .per_peer = 900_GBps,
    .domain = 8_dev,
    .in_network_reduction = true,
    .links = 18,
    .from = basis::datasheet};

inline constexpr fabric nvlink_5_nvl72{
    .id = "nvlink-5-nvl72"sv,
    .name = "NVLink 5, switch trays (NVL72)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 900_GBps,
    .per_peer = 900_GBps,
    .domain = 72_dev,
    .in_network_reduction = true,
    .links = 18,
    .from = basis::datasheet};

inline constexpr fabric nvlink_6_nvl72{
    .id = "nvlink-6-nvl72"sv,
    .name = "NVLink 6, switch trays (NVL72)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 1800_GBps,
    .per_peer = 1800_GBps,
    .domain = 72_dev,
    .in_network_reduction = true,
    .links = 36,
    .from = basis::datasheet};

inline constexpr fabric nvlink_6_hgx{
    .id = "nvlink-6-hgx"sv,
    .name = "NVLink 6, NVSwitch"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 1800_GBps,
    .per_peer = 1800_GBps,
    .domain = 8_dev,
    .in_network_reduction = true,
    .links = 36,
    .from = basis::datasheet};

inline constexpr fabric gb10_connectx7{
    .id = "gb10-connectx7"sv,
    .name = "ConnectX-7 pair (GB10)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::pair_bridge,
    .per_device = 25_GBps,
    .per_peer = 25_GBps,
    .domain = 2_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric pcie_3_x16{
    .id = "pcie-3-x16"sv,
    .name = "PCIe 3.0 x16"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 15.75_GBps,
    .per_peer = 15.75_GBps,
    .domain = 8_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric pcie_3_x8{
    .id = "pcie-3-x8"sv,
    .name = "PCIe 3.0 x8"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 7.875_GBps,
    .per_peer = 7.875_GBps,
    .domain = 8_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric pcie_3_x4{
    .id = "pcie-3-x4"sv,
    .name = "PCIe 3.0 x4"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 3.9375_GBps,
    .per_peer = 3.9375_GBps,
    .domain = 8_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric pcie_4_x16{
    .id = "pcie-4-x16"sv,
    .name = "PCIe 4.0 x16"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 31.5_GBps,
    .per_peer = 31.5_GBps,
    .domain = 8_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric pcie_4_x8{
    .id = "pcie-4-x8"sv,
    .name = "PCIe 4.0 x8"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 15.75_GBps,
    .per_peer = 15.75_GBps,
    .domain = 8_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric pcie_4_x4{
    .id = "pcie-4-x4"sv,
    .name = "PCIe 4.0 x4"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 7.875_GBps,
    .per_peer = 7.875_GBps,
    .domain = 8_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric pcie_5_x16{
    .id = "pcie-5-x16"sv,
    .name = "PCIe 5.0 x16"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 63_GBps,
    .per_peer = 63_GBps,
    .domain = 8_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric pcie_5_x8{
    .id = "pcie-5-x8"sv,
    .name = "PCIe 5.0 x8"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 31.5_GBps,
    .per_peer = 31.5_GBps,
    .domain = 8_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric pcie_5_x4{
    .id = "pcie-5-x4"sv,
    .name = "PCIe 5.0 x4"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 15.75_GBps,
    .per_peer = 15.75_GBps,
    .domain = 8_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric pcie_6_x16{
    .id = "pcie-6-x16"sv,
    .name = "PCIe 6.0 x16"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 121_GBps,
    .per_peer = 121_GBps,
    .domain = 8_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric pcie_6_x8{
    .id = "pcie-6-x8"sv,
    .name = "PCIe 6.0 x8"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 60.5_GBps,
    .per_peer = 60.5_GBps,
    .domain = 8_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric pcie_6_x4{
    .id = "pcie-6-x4"sv,
    .name = "PCIe 6.0 x4"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 30.25_GBps,
    .per_peer = 30.25_GBps,
    .domain = 8_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric nvlink_c2c_grace{
    .id = "nvlink-c2c-grace"sv,
    .name = "NVLink-C2C (Grace)"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 450_GBps,
    .per_peer = 450_GBps,
    .domain = 1_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric nvlink_c2c_grace_pair{
    .id = "nvlink-c2c-grace-pair"sv,
    .name = "NVLink-C2C (half of a Grace)"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 225_GBps,
    .per_peer = 225_GBps,
    .domain = 2_dev,
    .links = 1,
    .from = basis::transferred};

inline constexpr fabric nvlink_c2c_vera{
    .id = "nvlink-c2c-vera"sv,
    .name = "NVLink-C2C (Vera)"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 900_GBps,
    .per_peer = 900_GBps,
    .domain = 2_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric nvlink_c2c_vera_pair{
    .id = "nvlink-c2c-vera-pair"sv,
    .name = "NVLink-C2C (half of a Vera)"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 450_GBps,
    .per_peer = 450_GBps,
    .domain = 2_dev,
    .links = 1,
    .from = basis::transferred};

inline constexpr fabric nvlink_c2c_gb10{
    .id = "nvlink-c2c-gb10"sv,
    .name = "NVLink-C2C (GB10)"sv,
    .reach = fabric_reach::host,
    .shape = topology::host_only,
    .per_device = 300_GBps,
    .per_peer = 300_GBps,
    .domain = 1_dev,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric xgmi_mi100{
    .id = "xgmi-mi100"sv,
    .name = "xGMI bridge (MI100)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 138_GBps,
    .per_peer = 46_GBps,
    .domain = 4_dev,
    .links = 3,
    .from = basis::datasheet};

inline constexpr fabric xgmi_mi210{
    .id = "xgmi-mi210"sv,
    .name = "xGMI bridge (MI210)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 150_GBps,
    .per_peer = 50_GBps,
    .domain = 4_dev,
    .links = 3,
    .from = basis::datasheet};

inline constexpr fabric xgmi_mi250x{
    .id = "xgmi-mi250x"sv,
    .name = "xGMI (MI250X)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 300_GBps,
    .per_peer = 100_GBps,
    .domain = 4_dev,
    .links = 6,
    .from = basis::transferred};

inline constexpr fabric xgmi_mi250{
    .id = "xgmi-mi250"sv,
    .name = "xGMI (MI250)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 300_GBps,
    .per_peer = 100_GBps,
    .domain = 4_dev,
    .links = 6,
    .from = basis::transferred};

inline constexpr fabric xgmi_mi300{
    .id = "xgmi-mi300"sv,
    .name = "xGMI (MI300)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 448_GBps,
    .per_peer = 64_GBps,
    .domain = 8_dev,
    .links = 7,
    .from = basis::datasheet};

inline constexpr fabric xgmi_mi300a{
    .id = "xgmi-mi300a"sv,
    .name = "xGMI (MI300A)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 384_GBps,
    .per_peer = 128_GBps,
    .domain = 4_dev,
    .links = 6,
    .from = basis::datasheet};

inline constexpr fabric xgmi_mi350{
    .id = "xgmi-mi350"sv,
    .name = "xGMI 4 (MI350)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 537.6_GBps,
    .per_peer = 76.8_GBps,
    .domain = 8_dev,
    .links = 7,
    .from = basis::datasheet};

inline constexpr fabric ualink_mi455x{
    .id = "ualink-mi455x"sv,
    .name = "UALink over Ethernet (Helios)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 1800_GBps,
    .per_peer = 1800_GBps,
    .domain = 72_dev,
    .from = basis::datasheet};

inline constexpr fabric gaudi1_roce{
    .id = "gaudi1-roce"sv,
    .name = "RoCE (Gaudi)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 87.5_GBps,
    .per_peer = 12.5_GBps,
    .domain = 8_dev,
    .links = 7,
    .from = basis::datasheet};

inline constexpr fabric gaudi2_roce{
    .id = "gaudi2-roce"sv,
    .name = "RoCE (Gaudi 2)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 262.5_GBps,
    .per_peer = 37.5_GBps,
    .domain = 8_dev,
    .links = 21,
    .from = basis::datasheet};

inline constexpr fabric gaudi3_roce{
    .id = "gaudi3-roce"sv,
    .name = "RoCE (Gaudi 3)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 525_GBps,
    .per_peer = 75_GBps,
    .domain = 8_dev,
    .links = 21,
    .from = basis::datasheet};

inline constexpr fabric xe_link_max1550{
    .id = "xe-link-max1550"sv,
    .name = "Xe Link (Max 1550)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 371_GBps,
    .per_peer = 53_GBps,
    .domain = 8_dev,
    .links = 14,
    .from = basis::unverified};

inline constexpr fabric ici_v2{
    .id = "ici-v2"sv,
    .name = "ICI (v2)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::torus_2d,
    .per_device = 248_GBps,
    .per_peer = 62_GBps,
    .hop_latency = 1_us,
    .domain = 256_dev,
    .links = 4,
    .from = basis::unverified};

inline constexpr fabric ici_v3{
    .id = "ici-v3"sv,
    .name = "ICI (v3)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::torus_2d,
    .per_device = 280_GBps,
    .per_peer = 70_GBps,
    .hop_latency = 1_us,
    .domain = 1024_dev,
    .links = 4,
    .from = basis::datasheet};

inline constexpr fabric ici_v4{
    .id = "ici-v4"sv,
    .name = "ICI (v4)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::torus_3d,
    .per_device = 300_GBps,
    .per_peer = 50_GBps,
    .hop_latency = 1_us,
    .domain = 4096_dev,
    .links = 6,
    .from = basis::datasheet};

inline constexpr fabric ici_v5e{
    .id = "ici-v5e"sv,
    .name = "ICI (v5e)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::torus_2d,
    .per_device = 200_GBps,
    .per_peer = 50_GBps,
    .hop_latency = 1_us,
    .domain = 256_dev,
    .links = 4,
    .from = basis::datasheet};

inline constexpr fabric ici_v5p{
    .id = "ici-v5p"sv,
    .name = "ICI (v5p)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::torus_3d,
    .per_device = 600_GBps,
    .per_peer = 100_GBps,
    .hop_latency = 1_us,
    .domain = 8960_dev,
    .links = 6,
    .from = basis::datasheet};

inline constexpr fabric ici_v6e{
    .id = "ici-v6e"sv,
    .name = "ICI (v6e)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::torus_2d,
    .per_device = 400_GBps,
    .per_peer = 100_GBps,
    .hop_latency = 1_us,
    .domain = 256_dev,
    .links = 4,
    .from = basis::datasheet};

inline constexpr fabric ici_7x{
    .id = "ici-7x"sv,
    .name = "ICI (TPU7x)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::torus_3d,
    .per_device = 600_GBps,
    .per_peer = 100_GBps,
    .hop_latency = 1_us,
    .domain = 9216_dev,
    .links = 6,
    .from = basis::datasheet};

inline constexpr fabric ici_8t{
    .id = "ici-8t"sv,
    .name = "ICI (TPU 8t)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::torus_3d,
    .per_device = 1200_GBps,
    .per_peer = 200_GBps,
    .hop_latency = 1_us,
    .domain = 9600_dev,
    .links = 6,
    .from = basis::transferred};

inline constexpr fabric ici_8i{
    .id = "ici-8i"sv,
    .name = "ICI Boardfly (TPU 8i)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 1200_GBps,
    .per_peer = 1200_GBps,
    .domain = 1152_dev,
    .from = basis::transferred};

inline constexpr fabric neuronlink_v1_inf1{
    .id = "neuronlink-v1-inf1"sv,
    .name = "NeuronLink-v1"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::ring,
    .per_device = 16_GBps,
    .per_peer = 8_GBps,
    .domain = 16_dev,
    .links = 2,
    .from = basis::unverified};

inline constexpr fabric neuronlink_v2_inf2{
    .id = "neuronlink-v2-inf2"sv,
    .name = "NeuronLink-v2 (Inf2)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::ring,
    .per_device = 96_GBps,
    .per_peer = 48_GBps,
    .domain = 12_dev,
    .links = 2,
    .from = basis::unverified};

inline constexpr fabric neuronlink_v2_trn1{
    .id = "neuronlink-v2-trn1"sv,
    .name = "NeuronLink-v2 (Trn1)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::torus_2d,
    .per_device = 192_GBps,
    .per_peer = 48_GBps,
    .domain = 16_dev,
    .links = 4,
    .from = basis::transferred};

inline constexpr fabric neuronlink_v2_trn1n{
    .id = "neuronlink-v2-trn1n"sv,
    .name = "NeuronLink-v2 (Trn1n)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::torus_2d,
    .per_device = 384_GBps,
    .per_peer = 96_GBps,
    .domain = 16_dev,
    .links = 4,
    .from = basis::transferred};

inline constexpr fabric neuronlink_v3_trn2{
    .id = "neuronlink-v3-trn2"sv,
    .name = "NeuronLink-v3"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::torus_2d,
    .per_device = 512_GBps,
    .per_peer = 128_GBps,
    .domain = 16_dev,
    .links = 4,
    .from = basis::datasheet};

inline constexpr fabric neuronlink_v3_trn2u{
    .id = "neuronlink-v3-trn2u"sv,
    .name = "NeuronLink-v3 (UltraServer)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::torus_3d,
    .per_device = 640_GBps,
    .per_peer = 106.666667_GBps,
    .domain = 64_dev,
    .links = 6,
    .from = basis::transferred};

inline constexpr fabric neuronlink_v4_trn3{
    .id = "neuronlink-v4-trn3"sv,
    .name = "NeuronLink-v4 (Gen2)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 704_GBps,
    .per_peer = 704_GBps,
    .domain = 144_dev,
    .links = 11,
    .from = basis::transferred};

inline constexpr fabric neuronlink_v4_trn3_gen1{
    .id = "neuronlink-v4-trn3-gen1"sv,
    .name = "NeuronLink-v4 (Gen1)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 1280_GBps,
    .per_peer = 1280_GBps,
    .domain = 64_dev,
    .from = basis::unverified};

inline constexpr fabric hccs_910b{
    .id = "hccs-910b"sv,
    .name = "HCCS"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 196_GBps,
    .per_peer = 28_GBps,
    .domain = 8_dev,
    .links = 7,
    .from = basis::unverified};

inline constexpr fabric ub_910c{
    .id = "ub-910c"sv,
    .name = "Unified Bus (CloudMatrix 384)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 392_GBps,
    .per_peer = 392_GBps,
    .domain = 384_dev,
    .from = basis::transferred};

inline constexpr fabric ub_950{
    .id = "ub-950"sv,
    .name = "Unified Bus (Ascend 950)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 840_GBps,
    .per_peer = 840_GBps,
    .domain = 8192_dev,
    .from = basis::unverified};

inline constexpr fabric cerebras_swarmx{
    .id = "cerebras-swarmx"sv,
    .name = "SwarmX"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 150_GBps,
    .per_peer = 150_GBps,
    .domain = 2048_dev,
    .in_network_reduction = true,
    .links = 12,
    .from = basis::datasheet};

inline constexpr fabric groq_c2c{
    .id = "groq-c2c"sv,
    .name = "RealScale chip to chip (GroqChip1)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::mesh,
    .per_device = 105_GBps,
    .per_peer = 15_GBps,
    .domain = 8_dev,
    .links = 7,
    .from = basis::unverified};

inline constexpr fabric groq_3_c2c{
    .id = "groq-3-c2c"sv,
    .name = "chip to chip (Groq 3)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::switched,
    .per_device = 1250_GBps,
    .per_peer = 1250_GBps,
    .domain = 256_dev,
    .links = 96,
    .from = basis::unverified};

inline constexpr fabric tenstorrent_ethernet_n300{
    .id = "tenstorrent-ethernet-n300"sv,
    .name = "Ethernet mesh (Wormhole n300)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::ring,
    .per_device = 50_GBps,
    .per_peer = 25_GBps,
    .domain = 4_dev,
    .links = 2,
    .from = basis::unverified};

inline constexpr fabric tenstorrent_ethernet_p150{
    .id = "tenstorrent-ethernet-p150"sv,
    .name = "Ethernet mesh (Blackhole p150)"sv,
    .reach = fabric_reach::scale_up,
    .shape = topology::ring,
    .per_device = 400_GBps,
    .per_peer = 200_GBps,
    .domain = 4_dev,
    .links = 4,
    .from = basis::transferred};

inline constexpr fabric ib_edr{
    .id = "ib-edr"sv,
    .name = "InfiniBand EDR"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 12.5_GBps,
    .per_peer = 12.5_GBps,
    .hop_latency = 0.5_us,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric ib_hdr{
    .id = "ib-hdr"sv,
    .name = "InfiniBand HDR"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 25_GBps,
    .per_peer = 25_GBps,
    .hop_latency = 0.6_us,
    .in_network_reduction = true,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric ib_ndr{
    .id = "ib-ndr"sv,
    .name = "InfiniBand NDR"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 50_GBps,
    .per_peer = 50_GBps,
    .in_network_reduction = true,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric ib_xdr{
    .id = "ib-xdr"sv,
    .name = "InfiniBand XDR"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 100_GBps,
    .per_peer = 100_GBps,
    .in_network_reduction = true,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric ethernet_10{
    .id = "ethernet-10"sv,
    .name = "10 GbE"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 1.25_GBps,
    .per_peer = 1.25_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric ethernet_25{
    .id = "ethernet-25"sv,
    .name = "RoCE v2, 25 GbE"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 3.125_GBps,
    .per_peer = 3.125_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric ethernet_50{
    .id = "ethernet-50"sv,
    .name = "RoCE v2, 50 GbE"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 6.25_GBps,
    .per_peer = 6.25_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric ethernet_100{
    .id = "ethernet-100"sv,
    .name = "RoCE v2, 100 GbE"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 12.5_GBps,
    .per_peer = 12.5_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric ethernet_200{
    .id = "ethernet-200"sv,
    .name = "RoCE v2, 200 GbE"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 25_GBps,
    .per_peer = 25_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric ethernet_400{
    .id = "ethernet-400"sv,
    .name = "RoCE v2, 400 GbE"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 50_GBps,
    .per_peer = 50_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric ethernet_800{
    .id = "ethernet-800"sv,
    .name = "RoCE v2, 800 GbE"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 100_GBps,
    .per_peer = 100_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric spectrum_x_400{
    .id = "spectrum-x-400"sv,
    .name = "Spectrum-X 400 GbE"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 50_GBps,
    .per_peer = 50_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric spectrum_x_800{
    .id = "spectrum-x-800"sv,
    .name = "Spectrum-X 800 GbE"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 100_GBps,
    .per_peer = 100_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric efa_v1{
    .id = "efa-v1"sv,
    .name = "EFA (first)"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 12.5_GBps,
    .per_peer = 12.5_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric efa_v2{
    .id = "efa-v2"sv,
    .name = "EFA v2"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 12.5_GBps,
    .per_peer = 12.5_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric efa_v3{
    .id = "efa-v3"sv,
    .name = "EFA v3"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 25_GBps,
    .per_peer = 25_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric efa_v4{
    .id = "efa-v4"sv,
    .name = "EFA v4"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 50_GBps,
    .per_peer = 50_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric ena_10{
    .id = "ena-10"sv,
    .name = "ENA, 10 Gbit/s"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 1.25_GBps,
    .per_peer = 1.25_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric ena_25{
    .id = "ena-25"sv,
    .name = "ENA, 25 Gbit/s"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 3.125_GBps,
    .per_peer = 3.125_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric ena_40{
    .id = "ena-40"sv,
    .name = "ENA, 40 Gbit/s"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 5_GBps,
    .per_peer = 5_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric ena_50{
    .id = "ena-50"sv,
    .name = "ENA, 50 Gbit/s"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 6.25_GBps,
    .per_peer = 6.25_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric ena_100{
    .id = "ena-100"sv,
    .name = "ENA, 100 Gbit/s"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 12.5_GBps,
    .per_peer = 12.5_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric slingshot_11{
    .id = "slingshot-11"sv,
    .name = "HPE Slingshot 11"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 25_GBps,
    .per_peer = 25_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric tcpx_a3{
    .id = "tcpx-a3"sv,
    .name = "GPUDirect-TCPX (A3 High)"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 25_GBps,
    .per_peer = 25_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric tcpxo_a3_mega{
    .id = "tcpxo-a3-mega"sv,
    .name = "GPUDirect-TCPXO (A3 Mega)"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 25_GBps,
    .per_peer = 25_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric gib_400{
    .id = "gib-400"sv,
    .name = "gIB RoCE (A3 Ultra, A4)"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 50_GBps,
    .per_peer = 50_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric gcp_gvnic_100{
    .id = "gcp-gvnic-100"sv,
    .name = "gVNIC, 100 Gbit/s"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 12.5_GBps,
    .per_peer = 12.5_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric gcp_gvnic_200{
    .id = "gcp-gvnic-200"sv,
    .name = "gVNIC, 200 Gbit/s"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 25_GBps,
    .per_peer = 25_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric azure_front_end{
    .id = "azure-front-end"sv,
    .name = "Azure front-end Ethernet"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 10_GBps,
    .per_peer = 10_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric pollara_400{
    .id = "pollara-400"sv,
    .name = "Pensando Pollara 400"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 50_GBps,
    .per_peer = 50_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric vulcano_800{
    .id = "vulcano-800"sv,
    .name = "Pensando Vulcano 800"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 100_GBps,
    .per_peer = 100_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr fabric thunderbolt5_rdma{
    .id = "thunderbolt5-rdma"sv,
    .name = "RDMA over Thunderbolt 5"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 10_GBps,
    .per_peer = 10_GBps,
    .links = 1,
    .from = basis::unverified};

inline constexpr fabric tpu_dcn{
    .id = "tpu-dcn"sv,
    .name = "TPU data-centre network"sv,
    .reach = fabric_reach::scale_out,
    .shape = topology::switched,
    .per_device = 25_GBps,
    .per_peer = 25_GBps,
    .links = 1,
    .from = basis::datasheet};

inline constexpr ullage::detail::row_list<fabric, 115> fabrics{{&nvlink_1_p100, &nvlink_2_mesh, &nvlink_2_nvswitch,
    &nvlink_2_bridge_2080, &nvlink_2_bridge_2080_ti, &nvlink_3_hgx, &nvlink_3_hgx_16, &nvlink_3_hgx_4, &nvlink_3_bridge,
    &nvlink_3_bridge_a6000, &nvlink_3_bridge_a30, &nvlink_3_a800, &nvlink_3_bridge_a800, &nvlink_4_hgx, &nvlink_4_hgx_4,
    &nvlink_4_bridge, &nvlink_4_bridge_4way, &nvlink_4_h800, &nvlink_4_bridge_h800, &nvlink_4_gh200,
    &nvlink_4_gh200_nvl2, &nvlink_4_gh200_quad, &nvlink_4_nvl32, &nvlink_5_hgx, &nvlink_5_nvl72, &nvlink_6_nvl72,
    &nvlink_6_hgx, &gb10_connectx7, &pcie_3_x16, &pcie_3_x8, &pcie_3_x4, &pcie_4_x16, &pcie_4_x8, &pcie_4_x4,
    &pcie_5_x16, &pcie_5_x8, &pcie_5_x4, &pcie_6_x16, &pcie_6_x8, &pcie_6_x4, &nvlink_c2c_grace, &nvlink_c2c_grace_pair,
    &nvlink_c2c_vera, &nvlink_c2c_vera_pair, &nvlink_c2c_gb10, &xgmi_mi100, &xgmi_mi210, &xgmi_mi250x, &xgmi_mi250,
    &xgmi_mi300, &xgmi_mi300a, &xgmi_mi350, &ualink_mi455x, &gaudi1_roce, &gaudi2_roce, &gaudi3_roce, &xe_link_max1550,
    &ici_v2, &ici_v3, &ici_v4, &ici_v5e, &ici_v5p, &ici_v6e, &ici_7x, &ici_8t, &ici_8i, &neuronlink_v1_inf1,
    &neuronlink_v2_inf2, &neuronlink_v2_trn1, &neuronlink_v2_trn1n, &neuronlink_v3_trn2, &neuronlink_v3_trn2u,
    &neuronlink_v4_trn3, &neuronlink_v4_trn3_gen1, &hccs_910b, &ub_910c, &ub_950, &cerebras_swarmx, &groq_c2c,
    &groq_3_c2c, &tenstorrent_ethernet_n300, &tenstorrent_ethernet_p150, &ib_edr, &ib_hdr, &ib_ndr, &ib_xdr,
    &ethernet_10, &ethernet_25, &ethernet_50, &ethernet_100, &ethernet_200, &ethernet_400, &ethernet_800,
    &spectrum_x_400, &spectrum_x_800, &efa_v1, &efa_v2, &efa_v3, &efa_v4, &ena_10, &ena_25, &ena_40, &ena_50, &ena_100,
    &slingshot_11, &tcpx_a3, &tcpxo_a3_mega, &gib_400, &gcp_gvnic_100, &gcp_gvnic_200, &azure_front_end, &pollara_400,
    &vulcano_800, &thunderbolt5_rdma, &tpu_dcn}};

/// The same fabric, joining so many devices.
constexpr fabric with_domain(fabric f, devices domain) noexcept {
  f.domain = domain;
  return f;
}
/// The same fabric, known less surely.
constexpr fabric with_basis(fabric f, basis from) noexcept {
  f.from = from;
  return f;
}

}  // namespace ullage::inline v0::catalog
