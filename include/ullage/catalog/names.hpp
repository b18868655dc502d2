// SPDX-License-Identifier: Apache-2.0
// Generated from cmake/catalog/*.tsv; edit there and run generate.py.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <ullage/catalog/accelerators.hpp>

// What people and tools call the parts.
namespace ullage::inline v0::catalog {

using std::literals::string_view_literals::operator""sv;

/// A name of one part, or of a machine of such parts. `key`: lower case, without vendor and product line unless
/// the rest is ambiguous. ' ' and '|' are where its spellings have separators, '|' such as a bracket.
struct accelerator_alias {
  const char* key;
  const accelerator* part = nullptr;
  vendor owner = vendor::unknown;  ///< who makes or rents the machine, when it is the name of one
  std::uint16_t machine = 0;       ///< 1 + the machine's place in catalog::systems; 0 = the name of none
  std::uint16_t devices = 0;       ///< that the machine has
};
/// A name that several parts share; unused places are null.
struct ambiguous_accelerator_name {
  const char* key;
  std::array<const accelerator*, 12> parts{};
  vendor owner = vendor::unknown;  ///< who rents it, when it is the name of a family of machines
  std::uint16_t devices = 0;       ///< that each of the machines of that name has
};

namespace packed {
/// The keys of the aliases in the order of their letters, each with its end.
inline constexpr char alias_keys[] =
    "1050 ti\0"
    "1080 ti\0"
    "13900k\0"
    "13th gen intel core i9 13900k\0"
    "2000 ada\0"
    "2060\0"
    "2070\0"
    "2080\0"
    "2080 ti\0"
    "265k\0"
    "2x dgx spark\0"
    "300i duo\0"
    "3060 12gb\0"
    "3060 8gb\0"
    "3060 ti\0"
    "3070\0"
    "3070 ti\0"
    "3080 10gb\0"
    "3080 12gb\0"
    "3080 ti\0"
    "3090\0"
    "3090 ti\0"
    "4000 ada\0"
    "4060\0"
    "4060 ti 16gb\0"
    "4060 ti 8gb\0"
    "4070\0"
    "4070 super\0"
    "4070 ti\0"
    "4070 ti super\0"
    "4080\0"
    "4080 super\0"
    "4090\0"
    "4090 48g\0"
    "4090 48gb\0"
    "4090 d\0"
    "4090 laptop\0"
    "4500 ada\0"
    "5000 ada\0"
    "5060\0"
    "5060 ti 16gb\0"
    "5060 ti 8gb\0"
    "5070\0"
    "5070 ti\0"
    "5080\0"
    "5090\0"
    "5090 d\0"
    "5090 d v2\0"
    "5090 laptop\0"
    "5880 ada\0"
    "6000 ada\0"
    "6500 xt\0"
    "6700 xt\0"
    "6747p\0"
    "6767p\0"
    "6776p\0"
    "6787p\0"
    "6800 xt\0"
    "6900 xt\0"
    "6950 xt\0"
    "6980p\0"
    "7600 xt\0"
    "7700 xt\0"
    "7800 xt\0"
    "7900 gre\0"
    "7900 xt\0"
    "7900 xtx\0"
    "7950x\0"
    "8060s\0"
    "8060s graphics\0"
    "8060s graphics gfx 1151|strix halo\0"
    "8060s graphics|radv gfx 1151\0"
    "8060s|strix halo|gfx 1151\0"
    "8480+\0"
    "8480c\0"
    "8568y+\0"
    "8592+\0"
    "8x hl 325l\0"
    "8x mi 300x oam\0"
    "9070 xt\0"
    "910b\0"
    "910b1\0"
    "910b2\0"
    "910b3\0"
    "910b4\0"
    "910c\0"
    "950dt\0"
    "950pr\0"
    "a10\0"
    "a100 80gb pcie\0"
    "a100 da vinci\0"
    "a100 pcie 40gb\0"
    "a100 pcie 80gb\0"
    "a100 sxm 40gb\0"
    "a100 sxm4 40g\0"
    "a100 sxm4 40gb\0"
    "a100 sxm4 64gb\0"
    "a100 sxm4 80g\0"
    "a100 sxm4 80gb\0"
    "a100 sxm 64gb\0"
    "a100 sxm 80gb\0"
    "a10g\0"
    "a10 pcie\0"
    "a16\0"
    "a192 32x\0"
    "a2\0"
    "a2000 12gb\0"
    "a2000 6gb\0"
    "a2 highgpu 1g\0"
    "a2 highgpu 2g\0"
    "a2 highgpu 4g\0"
    "a2 highgpu 8g\0"
    "a2 megagpu 16g\0"
    "a2 ultragpu 1g\0"
    "a2 ultragpu 2g\0"
    "a2 ultragpu 4g\0"
    "a2 ultragpu 8g\0"
    "a30\0"
    "a30 pcie\0"
    "a310\0"
    "a380\0"
    "a3 high\0"
    "a3 highgpu 1g\0"
    "a3 highgpu 2g\0"
    "a3 highgpu 4g\0"
    "a3 highgpu 8g\0"
    "a3 mega\0"
    "a3 megagpu 8g\0"
    "a3 ultra\0"
    "a3 ultragpu 8g\0"
    "a4\0"
    "a40\0"
    "a400\0"
    "a4000\0"
    "a40 pcie\0"
    "a4500\0"
    "a4 high\0"
    "a4 highgpu 8g\0"
    "a4x\0"
    "a4x highgpu 4g\0"
    "a4x max\0"
    "a4x maxgpu 4g\0"
    "a5000\0"
    "a5000 ada\0"
    "a6000\0"
    "a750\0"
    "a800 80gb pcie\0"
    "a800 pcie 80gb\0"
    "a800 sxm4 80gb\0"
    "a800 sxm 80gb\0"
    "ada 6000\0"
    "agx orin 32gb\0"
    "agx orin 64gb\0"
    "agx thor\0"
    "agx xavier\0"
    "ai 100 pro\0"
    "ai 100 standard\0"
    "ai 100 std\0"
    "ai 100 ultra\0"
    "ai max+ 395\0"
    "ai pro r9700\0"
    "ai pro r9700|32gb|gfx 1201\0"
    "alps gh 200 node\0"
    "altra max\0"
    "altra max m128 30\0"
    "ampereone\0"
    "ampereone a192 32x\0"
    "ampereone a192 32x|cpu\0"
    "arc 140v\0"
    "arc 140v gpu\0"
    "arc a310\0"
    "arc a310 eco\0"
    "arc a310 graphics\0"
    "arc a310 lp graphics\0"
    "arc a380\0"
    "arc a380 graphics\0"
    "arc a750\0"
    "arc a750 graphics\0"
    "arc a770 16gb\0"
    "arc a770 8gb\0"
    "arc b570\0"
    "arc b570 graphics\0"
    "arc b580\0"
    "arc b580 graphics\0"
    "arc graphics|core ultra 7 155h\0"
    "arc pro b50\0"
    "arc pro b50 graphics\0"
    "arc pro b60\0"
    "arc pro b60 48gb\0"
    "arc pro b60 dual\0"
    "arc pro b60 dual 48gb\0"
    "arc pro b60 graphics\0"
    "arc pro b70\0"
    "arc pro b70 graphics\0"
    "arcturus gl xl\0"
    "ascend 910 93xx\0"
    "ascend 910b\0"
    "ascend 910b1\0"
    "ascend 910b2\0"
    "ascend 910b3\0"
    "ascend 910b4\0"
    "ascend 910c\0"
    "ascend 950dt\0"
    "ascend 950pr\0"
    "asus ascent gx10\0"
    "atlas 300i a2\0"
    "atlas 300i duo\0"
    "atlas 800 a2\0"
    "atlas 800 a3 npu\0"
    "atlas 800t\0"
    "atlas 800t a2\0"
    "atlas 800t a2 npu\0"
    "atlas 900 a3\0"
    "atlas 900 a3 superpod\0"
    "aurora node\0"
    "b100\0"
    "b100 hgx\0"
    "b100 sxm\0"
    "b200\0"
    "b200 hgx\0"
    "b200 sxm\0"
    "b200 sxm6\0"
    "b300\0"
    "b300 hgx\0"
    "b300 sxm\0"
    "b300 sxm6\0"
    "b300 sxm6 ac\0"
    "b50\0"
    "b570\0"
    "b580\0"
    "b60\0"
    "b70\0"
    "bcm 2711\0"
    "bcm 2712\0"
    "blackhole p100a\0"
    "blackhole p150\0"
    "bm.gpu.a10.4\0"
    "bm.gpu.a100 v2.8\0"
    "bm.gpu.b200.8\0"
    "bm.gpu.b300.8\0"
    "bm.gpu.h100.8\0"
    "bm.gpu.h200.8\0"
    "bm.gpu.l40s.4\0"
    "bm.gpu.mi300x.8\0"
    "bm.gpu.mi355x.8\0"
    "bm.gpu.rtxpro.8\0"
    "bm.gpu3.8\0"
    "bm.gpu4.8\0"
    "bm gpu3 8\0"
    "bm gpu4 8\0"
    "bm gpu a100 v2 8\0"
    "bm gpu a10 4\0"
    "bm gpu b200 8\0"
    "bm gpu b300 8\0"
    "bm gpu h100 8\0"
    "bm gpu h200 8\0"
    "bm gpu l40s 4\0"
    "bm gpu mi 300x 8\0"
    "bm gpu mi 355x 8\0"
    "bm gpu rtxpro 8\0"
    "cloud ai 100 pro\0"
    "cloud ai 100 standard\0"
    "cloud ai 100 ultra\0"
    "cloudmatrix 384\0"
    "cloud tpu v2\0"
    "cloud tpu v3\0"
    "cloud tpu v4\0"
    "cloud tpu v5e\0"
    "cloud tpu v5p\0"
    "cloud tpu v6e\0"
    "compute module 5\0"
    "core i7 1065g7\0"
    "core i9 13900k\0"
    "core ultra 155h\0"
    "core ultra 258v\0"
    "core ultra 7 155h\0"
    "core ultra 7 155h|cpu\0"
    "core ultra 7 258v\0"
    "core ultra 7 258v|cpu\0"
    "core ultra 7 265k\0"
    "core ultra 7 265k|cpu\0"
    "cs 3\0"
    "ct5lp hightpu 1t\0"
    "ct5lp hightpu 4t\0"
    "ct5lp hightpu 8t\0"
    "ct5p hightpu 4t\0"
    "ct6e standard 1t\0"
    "ct6e standard 4t\0"
    "ct6e standard 8t\0"
    "data center gpu flex 170\0"
    "data center gpu max 1100\0"
    "data center gpu max 1550\0"
    "datascale sn40l\0"
    "dell pro max with gb10\0"
    "dell pro max with gb10|nvidia spark\0"
    "dgx 1 v100 16gb\0"
    "dgx 1 v100 32gb\0"
    "dgx 2\0"
    "dgx a100 320gb\0"
    "dgx a100 40gb\0"
    "dgx a100 640gb\0"
    "dgx a100 80gb\0"
    "dgx a800\0"
    "dgx b200\0"
    "dgx b300\0"
    "dgx gb 200\0"
    "dgx gb 200 nvl72\0"
    "dgx gb 300\0"
    "dgx gb 300 nvl72\0"
    "dgx h100\0"
    "dgx h100 640gb\0"
    "dgx h200\0"
    "dgx h800\0"
    "dgx rubin nvl8\0"
    "dgx spark\0"
    "dgx spark gb10\0"
    "dgx spark pair\0"
    "dgx spark x2\0"
    "dgx station a100\0"
    "dgx station a100 320gb\0"
    "dgx vera rubin nvl72\0"
    "dl2q\0"
    "dl2q.24xlarge\0"
    "dl2q 24xlarge\0"
    "dual dgx spark\0"
    "dual gh 200\0"
    "el capitan node\0"
    "epyc 7742\0"
    "epyc 7742 64 core processor\0"
    "epyc 7763\0"
    "epyc 7763 64 core processor\0"
    "epyc 9354\0"
    "epyc 9354 32 core processor\0"
    "epyc 9454\0"
    "epyc 9454 48 core processor\0"
    "epyc 9474f\0"
    "epyc 9474f 48 core processor\0"
    "epyc 9554\0"
    "epyc 9554 64 core processor\0"
    "epyc 9575f\0"
    "epyc 9575f 64 core processor\0"
    "epyc 9654\0"
    "epyc 9654 96 core processor\0"
    "epyc 9654|genoa\0"
    "epyc 9654p\0"
    "epyc 9655\0"
    "epyc 9655 96 core processor\0"
    "epyc 9684x\0"
    "epyc 9684x 96 core processor\0"
    "epyc 9754\0"
    "epyc 9754 128 core processor\0"
    "epyc 9755\0"
    "epyc 9755 128 core processor\0"
    "epyc 9965\0"
    "epyc 9965 192 core processor\0"
    "flex 170\0"
    "frontier node\0"
    "g2 standard 12\0"
    "g2 standard 16\0"
    "g2 standard 24\0"
    "g2 standard 32\0"
    "g2 standard 4\0"
    "g2 standard 48\0"
    "g2 standard 8\0"
    "g2 standard 96\0"
    "g4dn.12xlarge\0"
    "g4dn.16xlarge\0"
    "g4dn.2xlarge\0"
    "g4dn.4xlarge\0"
    "g4dn.8xlarge\0"
    "g4dn.metal\0"
    "g4dn.xlarge\0"
    "g4dn 12xlarge\0"
    "g4dn metal\0"
    "g4 standard 192\0"
    "g4 standard 384\0"
    "g4 standard 48\0"
    "g4 standard 96\0"
    "g5.12xlarge\0"
    "g5.16xlarge\0"
    "g5.24xlarge\0"
    "g5.2xlarge\0"
    "g5.48xlarge\0"
    "g5.4xlarge\0"
    "g5.8xlarge\0"
    "g5.xlarge\0"
    "g5 12xlarge\0"
    "g5 24xlarge\0"
    "g5 48xlarge\0"
    "g5g.16xlarge\0"
    "g5g.2xlarge\0"
    "g5g.4xlarge\0"
    "g5g.8xlarge\0"
    "g5g.metal\0"
    "g5g.xlarge\0"
    "g5g 16xlarge\0"
    "g5g metal\0"
    "g6.12xlarge\0"
    "g6.16xlarge\0"
    "g6.24xlarge\0"
    "g6.2xlarge\0"
    "g6.48xlarge\0"
    "g6.4xlarge\0"
    "g6.8xlarge\0"
    "g6.xlarge\0"
    "g6 12xlarge\0"
    "g6 24xlarge\0"
    "g6 48xlarge\0"
    "g6e.12xlarge\0"
    "g6e.16xlarge\0"
    "g6e.24xlarge\0"
    "g6e.2xlarge\0"
    "g6e.48xlarge\0"
    "g6e.4xlarge\0"
    "g6e.8xlarge\0"
    "g6e.xlarge\0"
    "g6e 12xlarge\0"
    "g6e 24xlarge\0"
    "g6e 48xlarge\0"
    "g7.12xlarge\0"
    "g7.24xlarge\0"
    "g7.2xlarge\0"
    "g7.48xlarge\0"
    "g7 12xlarge\0"
    "g7 24xlarge\0"
    "g7 48xlarge\0"
    "g7e.12xlarge\0"
    "g7e.24xlarge\0"
    "g7e.2xlarge\0"
    "g7e.48xlarge\0"
    "g7e.4xlarge\0"
    "g7e.8xlarge\0"
    "g7e 12xlarge\0"
    "g7e 24xlarge\0"
    "g7e 48xlarge\0"
    "gaudi 2\0"
    "gaudi 2 96gb\0"
    "gaudi2 server\0"
    "gaudi 3\0"
    "gaudi 3 128gb\0"
    "gaudi 3 oam\0"
    "gaudi 3 pcie\0"
    "gaudi3 server\0"
    "gb10\0"
    "gb10|dgx spark\0"
    "gb10 grace blackwell\0"
    "gb10 grace blackwell superchip\0"
    "gb 200\0"
    "gb 200 grace blackwell\0"
    "gb 200 grace blackwell superchip\0"
    "gb 200 nvl72\0"
    "gb 200 rack\0"
    "gb 300\0"
    "gb 300 grace blackwell ultra\0"
    "gb 300 grace blackwell ultra superchip\0"
    "gb 300 nvl72\0"
    "gb 300 rack\0"
    "gh 200 120gb\0"
    "gh 200 144gb\0"
    "gh 200 144g hbm3e\0"
    "gh 200 480gb\0"
    "gh 200 96gb\0"
    "gh 200 hbm3\0"
    "gh 200 hbm3e\0"
    "gh 200 node 144gb\0"
    "gh 200 node 96gb\0"
    "gh 200 nvl2\0"
    "gh 200 nvl32\0"
    "gh 200 server\0"
    "gold 6454s\0"
    "gpu 1x gh 200\0"
    "gpu max 1100\0"
    "gpu max 1550\0"
    "gr6.4xlarge\0"
    "gr6.8xlarge\0"
    "grace\0"
    "grace|72 neoverse v2\0"
    "grace blackwell gb10\0"
    "grace cpu\0"
    "graviton 3\0"
    "graviton 4\0"
    "groq 3 lpu\0"
    "groq 3 lpu lp30\0"
    "groq 3 lpx\0"
    "groq 3 lpx rack\0"
    "groqcard\0"
    "groqchip1\0"
    "groq lpu v1\0"
    "groq lpx\0"
    "groq lpx rack\0"
    "gtx 1050 ti\0"
    "gtx 1080 ti\0"
    "h100 80gb hbm3\0"
    "h100 94gb hbm2e\0"
    "h100 96gb hbm2e\0"
    "h100 hgx\0"
    "h100l\0"
    "h100 mega\0"
    "h100 mega 80gb\0"
    "h100 nvl\0"
    "h100 pcie\0"
    "h100 sxm\0"
    "h100 sxm5\0"
    "h100 sxm5 94gb\0"
    "h100 sxm5 96gb\0"
    "h100 sxm 94gb\0"
    "h100 sxm 96gb\0"
    "h20\0"
    "h200 hgx\0"
    "h200 nvl\0"
    "h200 sxm\0"
    "h200 sxm5\0"
    "h20 141gb\0"
    "h20 3e\0"
    "h20 sxm5\0"
    "h20 sxm5 141gb\0"
    "h20x\0"
    "h800 pcie\0"
    "h800 sxm\0"
    "h800 sxm5\0"
    "habana gaudi 2\0"
    "habana gaudi 3\0"
    "hailo 10h\0"
    "helios\0"
    "helios mi 455x\0"
    "helios rack\0"
    "hgx 2\0"
    "hgx a100 40gb\0"
    "hgx a100 4 40gb\0"
    "hgx a100 4 80gb\0"
    "hgx a100 4 gpu\0"
    "hgx a100 4 gpu 40gb\0"
    "hgx a100 4 gpu 80gb\0"
    "hgx a100 80gb\0"
    "hgx a800\0"
    "hgx a800 8 gpu\0"
    "hgx b200\0"
    "hgx b200 8 gpu\0"
    "hgx b300\0"
    "hgx b300 8 gpu\0"
    "hgx b300 nvl8\0"
    "hgx h100\0"
    "hgx h100 4\0"
    "hgx h100 4 gpu\0"
    "hgx h100 8\0"
    "hgx h100 8 gpu\0"
    "hgx h20\0"
    "hgx h200\0"
    "hgx h200 8 gpu\0"
    "hgx h20 8 gpu\0"
    "hgx h800\0"
    "hgx h800 8 gpu\0"
    "hgx rubin\0"
    "hgx rubin nvl8\0"
    "hl 225\0"
    "hl 225b\0"
    "hl 225h\0"
    "hl 325\0"
    "hl 325l\0"
    "hl 338\0"
    "hlb 325\0"
    "hls 2\0"
    "hls 3\0"
    "hls gaudi2\0"
    "hls gaudi3\0"
    "i7 1065g7\0"
    "i9 13900k\0"
    "inf1\0"
    "inf1.24xlarge\0"
    "inf1.2xlarge\0"
    "inf1.6xlarge\0"
    "inf1.xlarge\0"
    "inf1 24xlarge\0"
    "inf1 6xlarge\0"
    "inf2\0"
    "inf2.24xlarge\0"
    "inf2.48xlarge\0"
    "inf2.8xlarge\0"
    "inf2.xlarge\0"
    "inf2 24xlarge\0"
    "inf2 48xlarge\0"
    "inferentia\0"
    "inferentia 1\0"
    "inferentia 2\0"
    "ironwood\0"
    "ironwood pod\0"
    "jetson agx orin 32gb\0"
    "jetson agx orin 64g\0"
    "jetson agx orin 64gb\0"
    "jetson agx orin|cpu\0"
    "jetson agx thor\0"
    "jetson agx thor developer kit\0"
    "jetson agx thor t4000\0"
    "jetson agx thor t5000\0"
    "jetson agx xavier\0"
    "jetson agx xavier 32gb\0"
    "jetson orin nano 4gb\0"
    "jetson orin nano 8gb\0"
    "jetson orin nano super\0"
    "jetson orin nano super 8gb\0"
    "jetson orin nano super developer kit\0"
    "jetson orin nx 16gb\0"
    "jetson orin nx 8gb\0"
    "jetson t4000\0"
    "jetson t5000\0"
    "jetson thor t4000\0"
    "jetson thor t5000\0"
    "jetson xavier nx\0"
    "jetson xavier nx 8gb\0"
    "l20\0"
    "l4\0"
    "l40\0"
    "l40s\0"
    "lp30\0"
    "lpu 3\0"
    "lpu v1\0"
    "lpx rack\0"
    "lumi g node\0"
    "m128 30\0"
    "m1 7 core\0"
    "m1|7 core gpu\0"
    "m1|7 gpu core\0"
    "m1|8 core gpu\0"
    "m1|8 gpu core\0"
    "m1 max 24 core\0"
    "m1 max|24 core gpu\0"
    "m1 max|24 gpu core\0"
    "m1 max 32 core\0"
    "m1 max|32 core gpu\0"
    "m1 max|32 gpu core\0"
    "m1 pro 14 core\0"
    "m1 pro|14 core gpu\0"
    "m1 pro|14 gpu core\0"
    "m1 pro 16 core\0"
    "m1 pro|16 core gpu\0"
    "m1 pro|16 gpu core\0"
    "m1 ultra 48 core\0"
    "m1 ultra|48 core gpu\0"
    "m1 ultra|48 gpu core\0"
    "m1 ultra 64 core\0"
    "m1 ultra|64 core gpu\0"
    "m1 ultra|64 gpu core\0"
    "m2 10 core\0"
    "m2|10 core gpu\0"
    "m2|10 gpu core\0"
    "m2|8 core gpu\0"
    "m2|8 gpu core\0"
    "m2 max 30 core\0"
    "m2 max|30 core gpu\0"
    "m2 max|30 gpu core\0"
    "m2 max 38 core\0"
    "m2 max|38 core gpu\0"
    "m2 max|38 gpu core\0"
    "m2 pro 16 core\0"
    "m2 pro|16 core gpu\0"
    "m2 pro|16 gpu core\0"
    "m2 pro 19 core\0"
    "m2 pro|19 core gpu\0"
    "m2 pro|19 gpu core\0"
    "m2 ultra 60 core\0"
    "m2 ultra|60 core gpu\0"
    "m2 ultra|60 gpu core\0"
    "m2 ultra 76 core\0"
    "m2 ultra|76 core gpu\0"
    "m2 ultra|76 gpu core\0"
    "m3 10 core\0"
    "m3|10 core gpu\0"
    "m3|10 gpu core\0"
    "m3|8 core gpu\0"
    "m3|8 gpu core\0"
    "m3 max 30 core\0"
    "m3 max|30 core gpu\0"
    "m3 max|30 gpu core\0"
    "m3 max 40 core\0"
    "m3 max|40 core gpu\0"
    "m3 max|40 gpu core\0"
    "m3 pro 14 core\0"
    "m3 pro|14 core gpu\0"
    "m3 pro|14 gpu core\0"
    "m3 pro 18 core\0"
    "m3 pro|18 core gpu\0"
    "m3 pro|18 gpu core\0"
    "m3 ultra 60 core\0"
    "m3 ultra|60 core gpu\0"
    "m3 ultra|60 gpu core\0"
    "m3 ultra 80 core\0"
    "m3 ultra|80 core gpu\0"
    "m3 ultra|80 gpu core\0"
    "m4|10 core\0"
    "m4|10 core gpu\0"
    "m4|10 gpu core\0"
    "m4 8 core\0"
    "m4|8 core gpu\0"
    "m4|8 gpu core\0"
    "m4 max 32 core\0"
    "m4 max|32 core gpu\0"
    "m4 max|32 gpu core\0"
    "m4 max 40 core\0"
    "m4 max|40 core gpu\0"
    "m4 max|40 gpu core\0"
    "m4 pro 16 core\0"
    "m4 pro|16 core gpu\0"
    "m4 pro|16 gpu core\0"
    "m4 pro 20 core\0"
    "m4 pro|20 core gpu\0"
    "m4 pro|20 gpu core\0"
    "m5\0"
    "m5 max 32 core\0"
    "m5 max|32 core gpu\0"
    "m5 max|32 gpu core\0"
    "m5 max 40 core\0"
    "m5 max|40 core gpu\0"
    "m5 max|40 gpu core\0"
    "m5 pro 16 core\0"
    "m5 pro|16 core gpu\0"
    "m5 pro|16 gpu core\0"
    "m5 pro 20 core\0"
    "m5 pro|20 core gpu\0"
    "m5 pro|20 gpu core\0"
    "macbook pro m5\0"
    "mac studio|m3 ultra 512gb\0"
    "max 1100\0"
    "max 1550\0"
    "maxsun arc pro b60 dual 48g turbo\0"
    "mi 100\0"
    "mi 210\0"
    "mi 210x\0"
    "mi 250\0"
    "mi 250x\0"
    "mi 250x node\0"
    "mi 300a\0"
    "mi 300a node\0"
    "mi 300x\0"
    "mi 300x 192gb\0"
    "mi 300x 192gb hbm3\0"
    "mi 300x 8 gpu platform\0"
    "mi 300x oam\0"
    "mi 300x platform\0"
    "mi 300x ubb\0"
    "mi 300x vf\0"
    "mi 308\0"
    "mi 308x\0"
    "mi 325\0"
    "mi 325 oam\0"
    "mi 325x\0"
    "mi 325x 256gb\0"
    "mi 325x 256gb hbm3e\0"
    "mi 325x 256gb hbm3e dlc\0"
    "mi 325x 8 gpu platform\0"
    "mi 325x oam\0"
    "mi 325x platform\0"
    "mi 325x ubb\0"
    "mi 350 oam\0"
    "mi 350p\0"
    "mi 350x\0"
    "mi 350x 288gb\0"
    "mi 350x 8 gpu platform\0"
    "mi 350x oam\0"
    "mi 350x platform\0"
    "mi 350x ubb\0"
    "mi 355\0"
    "mi 355 oam\0"
    "mi 355x\0"
    "mi 355x 288gb\0"
    "mi 355x 288gb hbm3e\0"
    "mi 355x 8 gpu platform\0"
    "mi 355x oam\0"
    "mi 355x platform\0"
    "mi 355x ubb\0"
    "mi 455\0"
    "mi 455x\0"
    "mi50 16gb\0"
    "mi50 32gb\0"
    "mi60\0"
    "n150d\0"
    "n150s\0"
    "n150|wormhole\0"
    "n300\0"
    "n300d\0"
    "n300s\0"
    "n300|wormhole\0"
    "nc12s v3\0"
    "nc16as t4 v3\0"
    "nc24ads a100 v4\0"
    "nc24rs v3\0"
    "nc24s v3\0"
    "nc 256ds xl rtxpro 6000bse v6\0"
    "nc 320ds xl rtxpro 6000bse v6\0"
    "nc40ads h100 v5\0"
    "nc48ads a100 v4\0"
    "nc4as t4 v3\0"
    "nc64as t4 v3\0"
    "nc6s v3\0"
    "nc80adis h100 v5\0"
    "nc8as t4 v3\0"
    "nc96ads a100 v4\0"
    "nd 128isr gb 300 v6\0"
    "nd 128isr ndr gb 200 v6\0"
    "nd40rs v2\0"
    "nd96amsr a100 v4\0"
    "nd96asr v4\0"
    "nd96isr h100 v5\0"
    "nd96isr h200 v5\0"
    "nd96isr mi 300x v5\0"
    "nd a100 v4\0"
    "nd gb 200 v6\0"
    "nd gb 300 v6\0"
    "nd h100 v5\0"
    "nd h200 v5\0"
    "ndm a100 v4\0"
    "nd mi 300x v5\0"
    "ndv2\0"
    "nv36ads a10 v5\0"
    "nv72ads a10 v5\0"
    "nvidia h200\0"
    "nvidia h800\0"
    "orin nano 4gb\0"
    "orin nano 8gb\0"
    "orin nano super\0"
    "orin nx 16gb\0"
    "orin nx 8gb\0"
    "p100a\0"
    "p100 pcie 16gb\0"
    "p100 sxm 16gb\0"
    "p100 sxm2 16gb\0"
    "p150\0"
    "p150a\0"
    "p150b\0"
    "p150|blackhole\0"
    "p3.16xlarge\0"
    "p3.2xlarge\0"
    "p3.8xlarge\0"
    "p3 16xlarge\0"
    "p3 8xlarge\0"
    "p3dn\0"
    "p3dn.24xlarge\0"
    "p3dn 24xlarge\0"
    "p4\0"
    "p40\0"
    "p4d\0"
    "p4d.24xlarge\0"
    "p4d 24xlarge\0"
    "p4de\0"
    "p4de.24xlarge\0"
    "p4de 24xlarge\0"
    "p5\0"
    "p5.48xlarge\0"
    "p5.4xlarge\0"
    "p5 48xlarge\0"
    "p5e\0"
    "p5e.48xlarge\0"
    "p5e 48xlarge\0"
    "p5en\0"
    "p5en.48xlarge\0"
    "p5en 48xlarge\0"
    "p6 b200\0"
    "p6 b200.48xlarge\0"
    "p6 b200 48xlarge\0"
    "p6 b300\0"
    "p6 b300.48xlarge\0"
    "p6 b300 48xlarge\0"
    "p6e gb 200.36xlarge\0"
    "p6e gb 200 36xlarge\0"
    "p6e gb 200 ultraserver\0"
    "p6e gb 200 ultraserver 36\0"
    "perlmutter gpu node\0"
    "pi 4\0"
    "pi 400\0"
    "pi 5\0"
    "pi 500+\0"
    "platinum 8570\0"
    "platinum 8592+\0"
    "pro 4000 blackwell\0"
    "pro 6000 max q\0"
    "pro 6000 workstation\0"
    "project digits\0"
    "pro w6800\0"
    "pro w7700\0"
    "pro w7800\0"
    "pro w7800 48gb\0"
    "pro w7900\0"
    "pro w7900 dual slot\0"
    "pvc 1550\0"
    "quad gh 200\0"
    "quadro rtx 6000\0"
    "quietbox|blackhole\0"
    "quietbox|wormhole\0"
    "r200\0"
    "r9700\0"
    "raspberry pi 4\0"
    "raspberry pi 400\0"
    "raspberry pi 5\0"
    "raspberry pi 500\0"
    "raspberry pi 5|cpu\0"
    "raspberry pi ai hat+ 2\0"
    "raspberry pi cm5\0"
    "rtx 2000 ada\0"
    "rtx 2000 ada generation\0"
    "rtx 2060\0"
    "rtx 2070\0"
    "rtx 2080\0"
    "rtx 2080 ti\0"
    "rtx 3060 12gb\0"
    "rtx 3060 8gb\0"
    "rtx 3060 ti\0"
    "rtx 3070\0"
    "rtx 3070 ti\0"
    "rtx 3080 10gb\0"
    "rtx 3080 12gb\0"
    "rtx 3080 ti\0"
    "rtx 3090\0"
    "rtx 3090 ti\0"
    "rtx 4000 ada\0"
    "rtx 4000 ada generation\0"
    "rtx 4000 ada sff\0"
    "rtx 4000 sff ada\0"
    "rtx 4000 sff ada generation\0"
    "rtx 4060\0"
    "rtx 4060 ti 16gb\0"
    "rtx 4060 ti 8gb\0"
    "rtx 4070\0"
    "rtx 4070s\0"
    "rtx 4070 super\0"
    "rtx 4070 ti\0"
    "rtx 4070 tis\0"
    "rtx 4070 ti super\0"
    "rtx 4080\0"
    "rtx 4080s\0"
    "rtx 4080 super\0"
    "rtx 4090\0"
    "rtx 4090 48g\0"
    "rtx 4090 48gb\0"
    "rtx 4090 d\0"
    "rtx 4090 laptop\0"
    "rtx 4090 laptop gpu\0"
    "rtx 4090m\0"
    "rtx 4090 mobile\0"
    "rtx 4500 ada\0"
    "rtx 4500 ada generation\0"
    "rtx 5000 ada\0"
    "rtx 5000 ada generation\0"
    "rtx 5060\0"
    "rtx 5060 ti 16gb\0"
    "rtx 5060 ti 8gb\0"
    "rtx 5070\0"
    "rtx 5070 ti\0"
    "rtx 5080\0"
    "rtx 5090\0"
    "rtx 5090 d\0"
    "rtx 5090 d v2\0"
    "rtx 5090 laptop\0"
    "rtx 5090 laptop gpu\0"
    "rtx 5090m\0"
    "rtx 5090 mobile\0"
    "rtx 5880 ada\0"
    "rtx 5880 ada generation\0"
    "rtx 6000 ada\0"
    "rtx 6000 ada generation\0"
    "rtx 6000 pro server\0"
    "rtx 6000 turing\0"
    "rtx 8000\0"
    "rtx a2000 12gb\0"
    "rtx a2000 6gb\0"
    "rtx a400\0"
    "rtx a4000\0"
    "rtx a4500\0"
    "rtx a5000\0"
    "rtx a6000\0"
    "rtx a6000 ada\0"
    "rtx pro 4000\0"
    "rtx pro 4000 blackwell\0"
    "rtx pro 4500 blackwell\0"
    "rtx pro 4500 blackwell server\0"
    "rtx pro 4500 blackwell server edition\0"
    "rtx pro 4500 blackwell workstation edition\0"
    "rtx pro 4500 se\0"
    "rtx pro 4500 server\0"
    "rtx pro 4500 server edition\0"
    "rtx pro 4500 workstation\0"
    "rtx pro 5000 48gb\0"
    "rtx pro 5000 48gb blackwell\0"
    "rtx pro 5000 72gb\0"
    "rtx pro 5000 72gb blackwell\0"
    "rtx pro 5000 blackwell 48gb\0"
    "rtx pro 5000 blackwell 72gb\0"
    "rtx pro 6000 blackwell max q\0"
    "rtx pro 6000 blackwell max q workstation edition\0"
    "rtx pro 6000 blackwell server\0"
    "rtx pro 6000 blackwell server edition\0"
    "rtx pro 6000 blackwell workstation\0"
    "rtx pro 6000 blackwell workstation edition\0"
    "rtx pro 6000 max q\0"
    "rtx pro 6000 max q workstation edition\0"
    "rtx pro 6000 se\0"
    "rtx pro 6000 server\0"
    "rtx pro 6000 server edition\0"
    "rtx pro 6000 workstation\0"
    "rtx pro 6000 workstation edition\0"
    "rtx pro 6000 ws\0"
    "rtx pro server 6000\0"
    "rubin\0"
    "rubin gpu\0"
    "rubin r200\0"
    "rx 580\0"
    "rx 580 series\0"
    "rx 580 series|radv polaris10\0"
    "rx 6500 xt\0"
    "rx 6500 xt|radv navi24\0"
    "rx 6700 xt\0"
    "rx 6700 xt|radv navi22\0"
    "rx 6800\0"
    "rx 6800|radv navi21\0"
    "rx 6800 xt\0"
    "rx 6800 xt|radv navi21\0"
    "rx 6900 xt\0"
    "rx 6900 xt|radv navi21\0"
    "rx 6950 xt\0"
    "rx 6950 xt|radv navi21\0"
    "rx 7600\0"
    "rx 7600|radv navi33\0"
    "rx 7600 xt\0"
    "rx 7600 xt|radv navi33\0"
    "rx 7700 xt\0"
    "rx 7700 xt|radv navi32\0"
    "rx 7800 xt\0"
    "rx 7800 xt|radv navi32\0"
    "rx 7900 gre\0"
    "rx 7900 gre|radv navi31\0"
    "rx 7900 xt\0"
    "rx 7900 xt|radv navi31\0"
    "rx 7900 xtx\0"
    "rx 7900 xtx|radv navi31\0"
    "rx 9060 xt 16gb\0"
    "rx 9060 xt 8gb\0"
    "rx 9070\0"
    "rx 9070|radv gfx 1201\0"
    "rx 9070 xt\0"
    "rx 9070 xt|radv gfx 1201\0"
    "ryzen 5950x\0"
    "ryzen 7900x\0"
    "ryzen 7950x\0"
    "ryzen 9 5950x\0"
    "ryzen 9 5950x 16 core processor\0"
    "ryzen 9 7900x\0"
    "ryzen 9 7950x\0"
    "ryzen 9 7950x 16 core processor\0"
    "ryzen 9 7950x|cpu\0"
    "ryzen ai max+ 395\0"
    "ryzen ai max+ 395|cpu\0"
    "ryzen ai max+ 395|radeon 8060s\0"
    "ryzen ai max+ 395|strix halo\0"
    "ryzen ai max+ 395 w|radeon 8060s\0"
    "ryzen ai max+ pro 395\0"
    "ryzen ai max+ pro 395 w|radeon 8060s\0"
    "ryzen ai max 395\0"
    "ryzen ai max 395 cpu\0"
    "sambarack sn40l 16\0"
    "sn40l\0"
    "sn40l 16\0"
    "sn40l rdu\0"
    "sn50\0"
    "sn50 rdu\0"
    "standard nc12s v3\0"
    "standard nc16as t4 v3\0"
    "standard nc24ads a100 v4\0"
    "standard nc24rs v3\0"
    "standard nc24s v3\0"
    "standard nc 256ds xl rtxpro 6000bse v6\0"
    "standard nc 320ds xl rtxpro 6000bse v6\0"
    "standard nc40ads h100 v5\0"
    "standard nc48ads a100 v4\0"
    "standard nc4as t4 v3\0"
    "standard nc64as t4 v3\0"
    "standard nc6s v3\0"
    "standard nc80adis h100 v5\0"
    "standard nc8as t4 v3\0"
    "standard nc96ads a100 v4\0"
    "standard nd 128isr gb 300 v6\0"
    "standard nd 128isr ndr gb 200 v6\0"
    "standard nd40rs v2\0"
    "standard nd96amsr a100 v4\0"
    "standard nd96asr v4\0"
    "standard nd96isr h100 v5\0"
    "standard nd96isr h200 v5\0"
    "standard nd96isr mi 300x v5\0"
    "standard nv36ads a10 v5\0"
    "standard nv72ads a10 v5\0"
    "strix halo\0"
    "strix halo 395\0"
    "t3000\0"
    "t3k\0"
    "t4\0"
    "t4g\0"
    "tenstorrent n150\0"
    "thor t4000\0"
    "titan rtx\0"
    "titan v\0"
    "tpu7\0"
    "tpu 7x\0"
    "tpu7x 8\0"
    "tpu 7x host\0"
    "tpu7x|ironwood\0"
    "tpu 7x pod\0"
    "tpu7x standard 4t\0"
    "tpu7x superpod\0"
    "tpu 8i\0"
    "tpu 8i pod\0"
    "tpu 8t\0"
    "tpu 8t pod\0"
    "tpu 8t superpod\0"
    "tpu ironwood\0"
    "tpu trillium\0"
    "tpu v2\0"
    "tpu v2 8\0"
    "tpu v2 pod\0"
    "tpu v3\0"
    "tpu v3 8\0"
    "tpu v3 device\0"
    "tpu v3 pod\0"
    "tpu v3 slice\0"
    "tpu v4\0"
    "tpu v4 1024\0"
    "tpu v4 128\0"
    "tpu v4 16\0"
    "tpu v4 2048\0"
    "tpu v4 256\0"
    "tpu v4 32\0"
    "tpu v4 512\0"
    "tpu v4 64\0"
    "tpu v4 8\0"
    "tpu v4p\0"
    "tpu v4 pod\0"
    "tpu v4 podslice\0"
    "tpu v4 slice 1024\0"
    "tpu v4 slice 128\0"
    "tpu v4 slice 16\0"
    "tpu v4 slice 256\0"
    "tpu v4 slice 32\0"
    "tpu v4 slice 4\0"
    "tpu v4 slice 512\0"
    "tpu v4 slice 64\0"
    "tpu v4 slice 8\0"
    "tpu v5e\0"
    "tpu v5e 128\0"
    "tpu v5e 16\0"
    "tpu v5e 256\0"
    "tpu v5e 32\0"
    "tpu v5e 4\0"
    "tpu v5e 64\0"
    "tpu v5e 8\0"
    "tpu v5e pod\0"
    "tpu v5e slice 128\0"
    "tpu v5e slice 16\0"
    "tpu v5e slice 32\0"
    "tpu v5e slice 4\0"
    "tpu v5e slice 64\0"
    "tpu v5e slice 8\0"
    "tpu v5 lite\0"
    "tpu v5 lite device\0"
    "tpu v5 lite podslice\0"
    "tpu v5p\0"
    "tpu v5p 1024\0"
    "tpu v5p 128\0"
    "tpu v5p 16\0"
    "tpu v5p 2048\0"
    "tpu v5p 256\0"
    "tpu v5p 32\0"
    "tpu v5p 4096\0"
    "tpu v5p 512\0"
    "tpu v5p 64\0"
    "tpu v5p 8\0"
    "tpu v5p pod\0"
    "tpu v5p slice\0"
    "tpu v5p slice 1024\0"
    "tpu v5p slice 128\0"
    "tpu v5p slice 16\0"
    "tpu v5p slice 2048\0"
    "tpu v5p slice 256\0"
    "tpu v5p slice 32\0"
    "tpu v5p slice 4\0"
    "tpu v5p slice 512\0"
    "tpu v5p slice 64\0"
    "tpu v5p slice 8\0"
    "tpu v6\0"
    "tpu v6e\0"
    "tpu v6e 128\0"
    "tpu v6e 16\0"
    "tpu v6e 32\0"
    "tpu v6e 4\0"
    "tpu v6e 64\0"
    "tpu v6e 8\0"
    "tpu v6e pod\0"
    "tpu v6e slice\0"
    "tpu v6e slice 128\0"
    "tpu v6e slice 16\0"
    "tpu v6e slice 32\0"
    "tpu v6e slice 4\0"
    "tpu v6e slice 64\0"
    "tpu v6e slice 8\0"
    "tpu v6e|trillium\0"
    "tpu v6 lite\0"
    "tpu v7\0"
    "tpu v7 pod\0"
    "tpu v7x\0"
    "tpu v7x|ironwood\0"
    "tpu v8i\0"
    "tpu v8t\0"
    "trainium\0"
    "trainium 1\0"
    "trainium 2\0"
    "trainium 3\0"
    "trillium\0"
    "trillium pod\0"
    "trn1\0"
    "trn1.2xlarge\0"
    "trn1.32xlarge\0"
    "trn1 32xlarge\0"
    "trn1n\0"
    "trn1n.32xlarge\0"
    "trn1n 32xlarge\0"
    "trn2\0"
    "trn2.3xlarge\0"
    "trn2.48xlarge\0"
    "trn2 48xlarge\0"
    "trn2u\0"
    "trn2u.48xlarge\0"
    "trn2u 48xlarge\0"
    "trn2 ultraserver\0"
    "trn2u ultraserver\0"
    "trn3\0"
    "trn3 gen1 ultraserver\0"
    "trn3 gen2 ultraserver\0"
    "trn3 ultraserver\0"
    "trn3 ultraserver 144\0"
    "trn3 ultraserver gen1\0"
    "trn3 ultraserver gen2\0"
    "tt loudbox\0"
    "tt loudbox|t3000\0"
    "tt quietbox\0"
    "tt quietbox|blackhole\0"
    "tt quietbox|wormhole\0"
    "tuolumne node\0"
    "u p6e gb 200x36\0"
    "u p6e gb 200x72\0"
    "v100 pcie 16gb\0"
    "v100 pcie 32gb\0"
    "v100s\0"
    "v100s pcie 32gb\0"
    "v100 sxm 16gb\0"
    "v100 sxm2 16gb\0"
    "v100 sxm2 32gb\0"
    "v100 sxm 32gb\0"
    "v100 sxm3 32gb\0"
    "v2 512\0"
    "v2 8\0"
    "v3 2048\0"
    "v3 8\0"
    "v4\0"
    "v4 1024\0"
    "v4 128\0"
    "v4 16\0"
    "v4 2048\0"
    "v4 256\0"
    "v4 32\0"
    "v4 512\0"
    "v4 64\0"
    "v4 8\0"
    "v4 8192\0"
    "v5e\0"
    "v5e 128\0"
    "v5e 16\0"
    "v5e 256\0"
    "v5e 32\0"
    "v5e 4\0"
    "v5e 64\0"
    "v5e 8\0"
    "v5litepod\0"
    "v5litepod 128\0"
    "v5litepod 16\0"
    "v5litepod 256\0"
    "v5litepod 32\0"
    "v5litepod 4\0"
    "v5litepod 64\0"
    "v5litepod 8\0"
    "v5p\0"
    "v5p 1024\0"
    "v5p 128\0"
    "v5p 16\0"
    "v5p 17920\0"
    "v5p 2048\0"
    "v5p 256\0"
    "v5p 32\0"
    "v5p 4096\0"
    "v5p 512\0"
    "v5p 64\0"
    "v5p 8\0"
    "v6e\0"
    "v6e 128\0"
    "v6e 16\0"
    "v6e 256\0"
    "v6e 32\0"
    "v6e 4\0"
    "v6e 64\0"
    "v6e 8\0"
    "v7x\0"
    "vera rubin\0"
    "vera rubin nvl 144\0"
    "vera rubin nvl72\0"
    "vera rubin superchip\0"
    "vera rubin vr 200\0"
    "vm.gpu.a10.1\0"
    "vm.gpu3.1\0"
    "vr 200\0"
    "vr 200 nvl72\0"
    "vr nvl72\0"
    "w6800\0"
    "w7700\0"
    "w7800\0"
    "w7900\0"
    "wafer scale engine 3\0"
    "wormhole n150\0"
    "wormhole n300\0"
    "wse 3\0"
    "xavier nx\0"
    "xeon 6454s\0"
    "xeon 6747p\0"
    "xeon 6767p\0"
    "xeon 6776p\0"
    "xeon 6787p\0"
    "xeon 6980p\0"
    "xeon 6980p|cpu\0"
    "xeon 6980p|granite rapids\0"
    "xeon 8168\0"
    "xeon 8358\0"
    "xeon 8480+\0"
    "xeon 8480c\0"
    "xeon 8480plus\0"
    "xeon 8488c\0"
    "xeon 8568y+\0"
    "xeon 8568yplus\0"
    "xeon 8570\0"
    "xeon 8592+\0"
    "xeon 8592plus\0"
    "xeon cpu max 9480\0"
    "xeon gold 6454s\0"
    "xeon gold 6454s|cpu\0"
    "xeon max 9480\0"
    "xeon platinum 8168\0"
    "xeon platinum 8358\0"
    "xeon platinum 8480+\0"
    "xeon platinum 8480c\0"
    "xeon platinum 8480cl\0"
    "xeon platinum 8488c\0"
    "xeon platinum 8568y+\0"
    "xeon platinum 8570\0"
    "xeon platinum 8592+\0"
    "xeon platinum 8592+|cpu\0";
/// What they say: where the key begins | the part's place in accelerators << 16 | owner << 28 | machine << 36 |
/// devices << 48. As structs they would be what including the catalogue costs most.
inline constexpr std::array<std::uint64_t, 1357> aliases{{0x5a0000, 0x590008, 0x1210010, 0x1210017, 0x660035, 0x56003e,
    0x550043, 0x540048, 0x53004d, 0x1220055, 0x201201070005a, 0xee0067, 0x510070, 0x52007a, 0x500083, 0x4f008b,
    0x4e0090, 0x4d0098, 0x4c00a2, 0x4b00ac, 0x4a00b4, 0x4900b9, 0x6400c1, 0x4700ca, 0x4500cf, 0x4600dc, 0x4400e8,
    0x4300ed, 0x4200f8, 0x410100, 0x40010e, 0x3f0113, 0x3c011e, 0x3d0123, 0x3d012c, 0x3e0136, 0x48013d, 0x630149,
    0x620152, 0x3a015b, 0x380160, 0x39016d, 0x370179, 0x36017e, 0x350186, 0x32018b, 0x330190, 0x340197, 0x3b01a1,
    0x6101ad, 0x6001b6, 0xa201bf, 0xa101c7, 0x10001cf, 0xff01d5, 0xfe01db, 0xfd01e1, 0x9f01e7, 0x9e01ef, 0x9d01f7,
    0xfc01ff, 0x9b0205, 0x9a020d, 0x990215, 0x98021d, 0x970226, 0x96022e, 0x11d0237, 0x8b023d, 0x8b0243, 0x8b0252,
    0x8b0275, 0x8b0292, 0x10502ac, 0x10602b2, 0x10402b8, 0x10202bf, 0x8026050b202c5, 0x801e0207f02d0, 0x9202df,
    0xe702e7, 0xe802ec, 0xe702f2, 0xe902f8, 0xea02fe, 0xeb0304, 0xec0309, 0xed030f, 0x230315, 0x1c0319, 0x1e0328,
    0x1d0336, 0x1c0345, 0x1b0354, 0x1b0362, 0x1b0370, 0x1e037f, 0x1a038e, 0x1a039c, 0x1e03ab, 0x1a03b9, 0x2403c7,
    0x2303cc, 0x2603d5, 0x11b03d9, 0x2503e2, 0x6b03e5, 0x6c03f0, 0x301b03fa, 0x20800301b0408, 0x40810301b0416,
    0x80820301b0424, 0x100830301b0432, 0x301a0441, 0x20840301a0450, 0x40850301a045f, 0x80860301a046e, 0x21047d,
    0x210481, 0xc0048a, 0xbf048f, 0x8089030000494, 0x3000049c, 0x20870300004aa, 0x40880300004b8, 0x80890300004c6,
    0x808a0300004d4, 0x808a0300004dc, 0x808b0300504ea, 0x808b0300504f3, 0x300d0502, 0x220505, 0x6d0509, 0x6a050e,
    0x220514, 0x69051d, 0x808c0300d0523, 0x808c0300d052b, 0x408d0300e0539, 0x408d0300e053d, 0x408e03010054c,
    0x408e030100554, 0x680562, 0x620568, 0x670572, 0xbe0578, 0x20057d, 0x20058c, 0x1f059b, 0x1f05aa, 0x6005b8, 0x7405c1,
    0x7305cf, 0x7105dd, 0x7a05e6, 0xf005f1, 0xf105fc, 0xf1060c, 0xef0617, 0x8b0624, 0x8c0630, 0x8c063d, 0x4017140070658,
    0x11c0669, 0x11c0673, 0x11b0685, 0x11b068f, 0x11b06a2, 0xc206b9, 0xc206c2, 0xc006cf, 0xc006d8, 0xc006e5, 0xc006f7,
    0xbf070c, 0xbf0715, 0xbe0727, 0xbe0730, 0xbc0742, 0xbd0750, 0xbb075d, 0xbb0766, 0xba0778, 0xba0781, 0xc30793,
    0xb907b2, 0xb907be, 0xb807d3, 0x2028050b807df, 0x2028050b807f0, 0x2028050b80801, 0xb80817, 0xb7082c, 0xb70838,
    0x87084d, 0xeb085c, 0xe7086c, 0xe80878, 0xe70885, 0xe90892, 0xea089f, 0xeb08ac, 0xec08b8, 0xed08c5, 0x7008d2,
    0xea08e3, 0xee08f1, 0x80b3070e70900, 0xeb090d, 0x80b3070e7091e, 0x80b3070e70929, 0xe70937, 0x1800b4070eb0949,
    0x1800b4070eb0956, 0x6027140b5096c, 0x110978, 0x11097d, 0x110986, 0xd098f, 0xd0994, 0xd099d, 0xd09a6, 0xf09b0,
    0xf09b5, 0xf09be, 0xf09c7, 0xf09d1, 0xb909de, 0xbb09e2, 0xba09e7, 0xb809ec, 0xb709f0, 0x12809f4, 0x12709fd,
    0xf50a06, 0xf40a16, 0x40b1130230a25, 0x80a91301a0a32, 0x80ac1300d0a43, 0x80ad1300f0a51, 0x80aa130000a5f,
    0x80ab130050a6d, 0x40b2130160a7b, 0x80ae1307f0a89, 0x80af1307c0a99, 0x80b0130130aa9, 0x80a71302a0ab9,
    0x80a81301b0ac3, 0x80a71302a0acd, 0x80a81301b0ad7, 0x80a91301a0ae1, 0x40b1130230af2, 0x80ac1300d0aff,
    0x80ad1300f0b0d, 0x80aa130000b1b, 0x80ab130050b29, 0x40b2130160b37, 0x80ae1307f0b45, 0x80af1307c0b56,
    0x80b0130130b67, 0xf00b77, 0xf10b88, 0xef0b9e, 0x1800b4070eb0bb1, 0xaa0bc1, 0xa90bce, 0xa80bdb, 0xa50be8, 0xa60bf6,
    0xa40c04, 0x1270c12, 0x1200c23, 0x1210c32, 0xc30c41, 0xc20c51, 0xc30c61, 0x1240c73, 0xc20c89, 0x1230c9b, 0x1220cb1,
    0x1220cc3, 0x10b5090f80cd9, 0xa50cde, 0x4045030a50cef, 0x8047030a50d00, 0x403b030a60d11, 0xa40d21, 0x4046030a40d32,
    0x8048030a40d43, 0xc10d54, 0xb60d6d, 0xb50d86, 0x100b60b0f90d9f, 0x700daf, 0x700dc6, 0x80010102a0dea,
    0x8002010290dfa, 0x10003010290e0a, 0x80050101b0e10, 0x80050101b0e1f, 0x80040101a0e2d, 0x80040101a0e3c,
    0x801c0101f0e4a, 0x800c0100d0e53, 0x800d0100f0e5c, 0x4800e0100e0e65, 0x4800e0100e0e70, 0x4800f010100e81,
    0x4800f010100e8c, 0x8009010000e9d, 0x8009010000ea6, 0x800b010050eb5, 0x801b0100b0ebe, 0x801d010120ec7,
    0x1011010700ed6, 0x700ee0, 0x2012010700eef, 0x2012010700efe, 0x40080101a0f0b, 0x40080101a0f1c, 0x48010010120f33,
    0x807f040f10f48, 0x807f040f10f4d, 0x807f040f10f5b, 0x2012010700f69, 0x2015010080f78, 0x4024140800f84, 0x1170f94,
    0x1170f9e, 0x1160fba, 0x1160fc4, 0x1150fe0, 0x1150fea, 0x1141006, 0x1141010, 0x113102c, 0x1131037, 0x1121054,
    0x112105e, 0x10e107a, 0x10e1085, 0x11110a2, 0x11110ac, 0x11110c8, 0x11110d8, 0x10d10e3, 0x10d10ed, 0x1101109,
    0x1101114, 0x10f1131, 0x10f113b, 0x10c1158, 0x10c1162, 0x10b117f, 0x10b1189, 0xc111a6, 0x40231408411af, 0x301911bd,
    0x301911cc, 0x208f0301911db, 0x301911ea, 0x301911f9, 0x4090030191207, 0x30191216, 0x8091030191224, 0x4054040271233,
    0x40271241, 0x4027124f, 0x4027125c, 0x40271269, 0x8055040271276, 0x40271281, 0x405404027128d, 0x805504027129b,
    0x40930301312a6, 0x80940301312b6, 0x301312c6, 0x20920301312d5, 0x40560402412e4, 0x402412f0, 0x40570402412fc,
    0x40241308, 0x8058040241313, 0x4024131f, 0x4024132a, 0x40241335, 0x405604024133f, 0x405704024134b, 0x8058040241357,
    0x2062040281363, 0x40281370, 0x4028137c, 0x40281388, 0x2063040281394, 0x4028139e, 0x20620402813a9, 0x20630402813b6,
    0x40590401913c0, 0x401913cc, 0x405a0401913d8, 0x401913e4, 0x805b0401913ef, 0x401913fb, 0x40191406, 0x40191411,
    0x405904019141b, 0x405a040191427, 0x805b040191433, 0x405c04016143f, 0x4016144c, 0x405d040161459, 0x40161466,
    0x805e040161472, 0x4016147f, 0x4016148b, 0x40161497, 0x405c0401614a2, 0x405d0401614af, 0x805e0401614bc,
    0x205f0401414c9, 0x40600401414d5, 0x401414e1, 0x80610401414ec, 0x205f0401414f8, 0x4060040141504, 0x8061040141510,
    0x206404013151c, 0x4065040131529, 0x40131536, 0x8066040131542, 0x4013154f, 0x4013155b, 0x2064040131567,
    0x4065040131574, 0x8066040131581, 0xb4158e, 0xb41596, 0x8025050b415a3, 0xb215b1, 0xb215b9, 0xb215c7, 0xb315d3,
    0x8026050b215e0, 0x7015ee, 0x7015f3, 0x701602, 0x701617, 0xe1636, 0xe163d, 0xe1654, 0x4800e0100e1675,
    0x4800e0100e1682, 0x10168e, 0x101695, 0x1016b2, 0x4800f0101016d9, 0x4800f0101016e6, 0x716f2, 0x816ff, 0x8170c,
    0x101301007171e, 0x7172b, 0x71737, 0x81743, 0x1014010081750, 0x1013010071762, 0x2015010081773, 0x2001601008177f,
    0x101301007178c, 0x108179a, 0x717a5, 0xb617b3, 0xb517c0, 0x401917cd, 0x401917d9, 0x11a17e5, 0x11a17eb, 0x701800,
    0x11a1815, 0x119181f, 0x118182a, 0xf61835, 0xf61840, 0x100019010f61850, 0x100019010f6185b, 0xf7186b, 0xf71874,
    0xf7187e, 0x100019010f6188a, 0x100019010f61893, 0x5a18a1, 0x5918ad, 0x18b9, 0x418c8, 0x318d8, 0x18e8, 0x218f1,
    0x18f7, 0x1901, 0x21910, 0x11919, 0x1923, 0x192c, 0x41936, 0x31945, 0x41954, 0x31962, 0x91970, 0x51974, 0x6197d,
    0x51986, 0x5198f, 0xa1999, 0xa19a3, 0x919aa, 0xa19b3, 0xa19c2, 0xc19c7, 0xb19d1, 0xb19da, 0xb419e4, 0xb219f3,
    0xfb1a02, 0x48022020831a0c, 0x48022020831a13, 0x48022020831a22, 0x10003010291a2e, 0x80050101b1a34, 0x40070101b1a42,
    0x40060101a1a52, 0x40060101a1a62, 0x40070101b1a71, 0x40060101a1a85, 0x80040101a1a99, 0x801c0101f1aa7,
    0x801c0101f1ab0, 0x800c0100d1abf, 0x800c0100d1ac8, 0x800d0100f1ad7, 0x800d0100f1ae0, 0x800d0100f1aef,
    0x8009010001afd, 0x400a010001b06, 0x400a010001b11, 0x8009010001b20, 0x8009010001b2b, 0x801a010091b3a,
    0x800b010051b42, 0x800b010051b4b, 0x801a010091b5a, 0x801b0100b1b68, 0x801b0100b1b71, 0x801d010121b80,
    0x801d010121b8a, 0xb41b99, 0xb41ba0, 0xb41ba8, 0xb21bb0, 0xb21bb7, 0xb31bbf, 0x8026050b21bc6, 0x8025050b41bce,
    0x8026050b21bd4, 0x8025050b41bda, 0x8026050b21be5, 0x1201bf0, 0x1211bfa, 0xb11c04, 0x10075040b11c09, 0xb11c17,
    0x4074040b11c24, 0xb11c31, 0x10075040b11c3d, 0x4074040b11c4b, 0xb01c58, 0x6076040b01c5d, 0xc077040b01c6b, 0xb01c79,
    0xb01c86, 0x6076040b01c92, 0xc077040b01ca0, 0xb11cae, 0xb11cb9, 0xb01cc6, 0xa71cd3, 0x240002f030a71cdc, 0x741ce9,
    0x731cfe, 0x731d12, 0x1261d27, 0x711d3b, 0x711d4b, 0x721d69, 0x711d7f, 0x7a1d95, 0x7a1da7, 0x791dbe, 0x781dd3,
    0x771de8, 0x771dff, 0x771e1a, 0x751e3f, 0x761e53, 0x721e66, 0x711e73, 0x721e80, 0x711e92, 0x7b1ea4, 0x7b1eb5,
    0x181eca, 0x191ece, 0x171ed1, 0x161ed5, 0xf61eda, 0xf61edf, 0xf71ee5, 0x100019010f61eec, 0x4023140841ef5, 0x11c1f01,
    0xe61f09, 0xe61f13, 0xe61f21, 0xe51f2f, 0xe51f3d, 0xe21f4b, 0xe21f5a, 0xe21f6d, 0xe11f80, 0xe11f8f, 0xe11fa2,
    0xe41fb5, 0xe41fc4, 0xe41fd7, 0xe31fea, 0xe31ff9, 0xe3200c, 0xe0201f, 0xe02030, 0xe02045, 0xdf205a, 0xdf206b,
    0xdf2080, 0xdd2095, 0xdd20a0, 0xdd20af, 0xde20be, 0xde20cc, 0xda20da, 0xda20e9, 0xda20fc, 0xd9210f, 0xd9211e,
    0xd92131, 0xdc2144, 0xdc2153, 0xdc2166, 0xdb2179, 0xdb2188, 0xdb219b, 0xd821ae, 0xd821bf, 0xd821d4, 0xd721e9,
    0xd721fa, 0xd7220f, 0xd52224, 0xd5222f, 0xd5223e, 0xd6224d, 0xd6225b, 0xd22269, 0xd22278, 0xd2228b, 0xd1229e,
    0xd122ad, 0xd122c0, 0xd422d3, 0xd422e2, 0xd422f5, 0xd32308, 0xd32317, 0xd3232a, 0xd0233d, 0xd0234e, 0xd02363,
    0xcf2378, 0xcf2389, 0xcf239e, 0xcd23b3, 0xcd23be, 0xcd23cd, 0xce23dc, 0xce23e6, 0xce23f4, 0xca2402, 0xca2411,
    0xca2424, 0xc92437, 0xc92446, 0xc92459, 0xcc246c, 0xcc247b, 0xcc248e, 0xcb24a1, 0xcb24b0, 0xcb24c3, 0xc824d6,
    0xc524d9, 0xc524e8, 0xc524fb, 0xc4250e, 0xc4251d, 0xc42530, 0xc72543, 0xc72552, 0xc72565, 0xc62578, 0xc62587,
    0xc6259a, 0xc825ad, 0xcf25bc, 0xb625d6, 0xb525df, 0x2028050b825e8, 0x87260a, 0x862611, 0x862618, 0x852620, 0x842627,
    0x402314084262f, 0x80263c, 0x4024140802644, 0x7f2651, 0x7f2659, 0x7f2667, 0x801e0207f267a, 0x7f2691,
    0x801e0207f269d, 0x801e0207f26ae, 0x7f26ba, 0x8126c5, 0x8126cc, 0x7e26d4, 0x7e26db, 0x7e26e6, 0x7e26ee, 0x7e26fc,
    0x7e2710, 0x801f0207e2728, 0x7e273f, 0x801f0207e274b, 0x801f0207e275c, 0x7d2768, 0x822773, 0x7d277b, 0x7d2783,
    0x80200207d2791, 0x7d27a8, 0x80200207d27b4, 0x80200207d27c5, 0x7c27d1, 0x7c27d8, 0x7c27e3, 0x7c27eb, 0x7c27f9,
    0x80210207c280d, 0x7c2824, 0x80210207c2830, 0x80210207c2841, 0x83284d, 0x832854, 0x8a285c, 0x892866, 0x882870,
    0xf32875, 0xf3287b, 0xf32881, 0xf2288f, 0xf22894, 0xf2289a, 0xf228a0, 0x20a31202c28ae, 0x1202728b7, 0x1201c28c4,
    0x40a51202c28d4, 0x40a41202c28de, 0x20a11201328e7, 0x20a2120132905, 0x120022923, 0x209c1201c2933, 0x120272943,
    0x409f12027294f, 0x1202c295c, 0x209e120022964, 0x120272975, 0x409d1201c2981, 0x409b120102991, 0x409a1200e29a5,
    0x80a61202929bd, 0x80961201a29c7, 0x80951201b29d8, 0x80971200029e3, 0x80981200529f3, 0x80991207f2a03,
    0x80951201b2a16, 0x409a1200e2a21, 0x409b120102a2e, 0x8097120002a3b, 0x8098120052a46, 0x80961201a2a51,
    0x80991207f2a5d, 0x80a6120292a6b, 0x120232a70, 0x20a0120232a7f, 0x52a8e, 0xb2a9a, 0x792aa6, 0x782ab4, 0x772ac2,
    0x752ad2, 0x762adf, 0xf52aeb, 0x2f2af1, 0x2e2b00, 0x2e2b0e, 0xf42b1d, 0xf42b22, 0xf42b28, 0xf42b2e, 0x80680402a2b3d,
    0x402a2b49, 0x40670402a2b54, 0x80680402a2b5f, 0x40670402a2b6b, 0x8069040292b76, 0x8069040292b7b, 0x8069040292b89,
    0x312b97, 0x302b9a, 0x806a0401b2b9e, 0x806a0401b2ba2, 0x806a0401b2baf, 0x806b0401a2bbc, 0x806b0401a2bc1,
    0x806b0401a2bcf, 0x806c040002bdd, 0x806c040002be0, 0x40002bec, 0x806c040002bf7, 0x806d040052c03, 0x806d040052c07,
    0x806d040052c14, 0x806e040052c21, 0x806e040052c26, 0x806e040052c34, 0x806f0400d2c42, 0x806f0400d2c4a,
    0x806f0400d2c5b, 0x80700400f2c6c, 0x80700400f2c74, 0x80700400f2c85, 0x40710400e2c96, 0x40710400e2caa,
    0x480730400e2cbe, 0x240720400e2cd5, 0x40181401b2cef, 0x1282d03, 0x1282d08, 0x1272d0f, 0x1272d14, 0x1032d1c,
    0x1022d2a, 0x5f2d39, 0x5c2d4c, 0x5b2d5b, 0x1011010702d70, 0x912d7f, 0x902d89, 0x8f2d93, 0x8e2d9d, 0x8d2dac,
    0x8d2db6, 0xb52dca, 0x4017140072dd3, 0x6f2ddf, 0x40b90d0f42def, 0x40b70d0f22e02, 0x122e14, 0x8c2e19, 0x1282e1f,
    0x1282e2e, 0x1272e3f, 0x1272e4e, 0x1272e5f, 0xfb2e72, 0x1272e89, 0x662e9a, 0x662ea7, 0x562ebf, 0x552ec8, 0x542ed1,
    0x532eda, 0x512ee6, 0x522ef4, 0x502f01, 0x4f2f0d, 0x4e2f16, 0x4d2f22, 0x4c2f30, 0x4b2f3e, 0x4a2f4a, 0x492f53,
    0x642f5f, 0x642f6c, 0x652f84, 0x652f95, 0x652fa6, 0x472fc2, 0x452fcb, 0x462fdc, 0x442fec, 0x432ff5, 0x432fff,
    0x42300e, 0x41301a, 0x413027, 0x403039, 0x3f3042, 0x3f304c, 0x3c305b, 0x3d3064, 0x3d3071, 0x3e307f, 0x48308a,
    0x48309a, 0x4830ae, 0x4830b8, 0x6330c8, 0x6330d5, 0x6230ed, 0x6230fa, 0x3a3112, 0x38311b, 0x39312c, 0x37313c,
    0x363145, 0x353151, 0x32315a, 0x333163, 0x34316e, 0x3b317c, 0x3b318c, 0x3b31a0, 0x3b31aa, 0x6131ba, 0x6131c7,
    0x6031df, 0x6031ec, 0x133204, 0x6f3218, 0x6e3228, 0x6b3231, 0x6c3240, 0x6d324e, 0x6a3257, 0x693261, 0x68326b,
    0x673275, 0x60327f, 0x5f328d, 0x5f329a, 0x1532b1, 0x1432c8, 0x1432e6, 0x15330c, 0x143337, 0x143347, 0x14335b,
    0x153377, 0x5d3390, 0x5d33a2, 0x5e33be, 0x5e33d0, 0x5d33ec, 0x5e3408, 0x5c3424, 0x5c3441, 0x133472, 0x133490,
    0x5b34b6, 0x5b34d9, 0x5c3504, 0x5c3517, 0x13353e, 0x13354e, 0x133562, 0x5b357e, 0x5b3597, 0x5b35b8, 0x1335c8,
    0x1235dc, 0x1235e2, 0x1235ec, 0xa335f7, 0xa335fe, 0xa3360c, 0xa23629, 0xa23634, 0xa1364b, 0xa13656, 0xa0366d,
    0xa03675, 0x9f3689, 0x9f3694, 0x9e36ab, 0x9e36b6, 0x9d36cd, 0x9d36d8, 0x9c36ef, 0x9c36f7, 0x9b370b, 0x9b3716,
    0x9a372d, 0x9a3738, 0x99374f, 0x99375a, 0x983771, 0x98377d, 0x973795, 0x9737a0, 0x9637b7, 0x9637c3, 0x9437db,
    0x9537eb, 0x9337fa, 0x933802, 0x923818, 0x923823, 0x11f383c, 0x11e3848, 0x11d3854, 0x11f3860, 0x11f386e, 0x11e388e,
    0x11d389c, 0x11d38aa, 0x11d38ca, 0x8b38dc, 0x12538ee, 0x8b3904, 0x8b3923, 0x8b3940, 0x8b3961, 0x8b3977, 0x8b399c,
    0x12539ad, 0x100b60b0f939c2, 0xf939d5, 0x100b60b0f939db, 0xf939e4, 0xfa39ee, 0xfa39f3, 0x20a31202c39fc, 0x120273a0e,
    0x1201c3a24, 0x40a51202c3a3d, 0x40a41202c3a50, 0x20a1120133a62, 0x20a2120133a89, 0x120023ab0, 0x209c1201c3ac9,
    0x120273ae2, 0x409f120273af7, 0x1202c3b0d, 0x209e120023b1e, 0x120273b38, 0x409d1201c3b4d, 0x409b120103b66,
    0x409a1200e3b83, 0x80a6120293ba4, 0x80961201a3bb7, 0x80951201b3bd1, 0x8097120003be5, 0x8098120053bfe,
    0x80991207f3c17, 0x120233c33, 0x20a0120233c4b, 0x8b3c63, 0x8b3c6e, 0x40b80d0f23c7d, 0x40b80d0f23c83, 0x273c87,
    0x283c8a, 0xf33c8e, 0x723c9f, 0x573caa, 0x583cb4, 0xa73cbc, 0xa73cc1, 0x4053030a73cc8, 0x4053030a73cd0, 0xa73cdc,
    0x240002f030a73ceb, 0x4053030a73cf6, 0x240002f030a73d08, 0xac3d17, 0x480031030ac3d1e, 0xab3d29, 0x2580030030ab3d30,
    0x2580030030ab3d3b, 0xa73d4b, 0xa43d58, 0xaa3d65, 0x4051030aa3d6c, 0x100029030aa3d75, 0xa93d80, 0x4052030a93d87,
    0xa93d90, 0x40002a030a93d9e, 0xa93da9, 0xa83db6, 0x200039030a83dbd, 0x40036030a83dc9, 0x8033030a83dd4,
    0x40003a030a83dde, 0x80037030a83dea, 0x10034030a83df5, 0x100038030a83dff, 0x20035030a83e0a, 0x4032030a83e14,
    0xa83e1d, 0x100002b030a83e25, 0xa83e30, 0x40003a030a83e40, 0x80037030a83e52, 0x10034030a83e63, 0x100038030a83e73,
    0x20035030a83e84, 0x4032030a83e94, 0x200039030a83ea3, 0x40036030a83eb4, 0x8033030a83ec4, 0xa53ed3, 0x8004f030a53edb,
    0x10049030a53ee7, 0x10002c030a53ef2, 0x2004b030a53efe, 0x4045030a53f09, 0x4004d030a53f13, 0x8047030a53f1e,
    0x10002c030a53f28, 0x8004f030a53f34, 0x10049030a53f46, 0x2004b030a53f57, 0x4045030a53f68, 0x4004d030a53f78,
    0x8047030a53f89, 0xa53f99, 0xa53fa5, 0xa53fb8, 0xa63fcd, 0x200042030a63fd5, 0x4003f030a63fe2, 0x803c030a63fee,
    0x400043030a63ff9, 0x80040030a64006, 0x1003d030a64012, 0x800044030a6401d, 0x100041030a6402a, 0x2003e030a64036,
    0x403b030a64041, 0x230002d030a6404b, 0xa64057, 0x400043030a64065, 0x80040030a64078, 0x1003d030a6408a,
    0x800044030a6409b, 0x100041030a640ae, 0x2003e030a640c0, 0x403b030a640d1, 0x200042030a640e1, 0x4003f030a640f3,
    0x803c030a64104, 0xa44114, 0xa4411b, 0x80050030a44123, 0x1004a030a4412f, 0x2004c030a4413a, 0x4046030a44145,
    0x4004e030a4414f, 0x8048030a4415a, 0x10002e030a44164, 0xa44170, 0x80050030a4417e, 0x1004a030a44190,
    0x2004c030a441a1, 0x4046030a441b2, 0x4004e030a441c2, 0x8048030a441d3, 0xa441e3, 0xa441f4, 0xa74200,
    0x240002f030a74207, 0xa74212, 0xa7421a, 0xac422b, 0xab4233, 0xaf423b, 0xaf4244, 0xae424f, 0xad425a, 0xa44265,
    0x10002e030a4426e, 0xaf427b, 0xaf4280, 0x10078040af428d, 0x10078040af429b, 0xaf42a9, 0x10079040af42af,
    0x10079040af42be, 0xae42cd, 0xae42d2, 0x1007a040ae42df, 0x1007a040ae42ed, 0x4007b040ae42fb, 0x1007c040ae4301,
    0x1007c040ae4310, 0x4007b040ae431f, 0x4007b040ae4330, 0xad4342, 0x4007d040ad4347, 0x9007e040ad435d,
    0x9007e040ad4373, 0x9007e040ad4384, 0x4007d040ad4399, 0x9007e040ad43af, 0x40b80d0f243c5, 0x40b80d0f243d0,
    0x40b70d0f243e1, 0x40b90d0f443ed, 0x40b70d0f24403, 0x4024140804418, 0x240720400e4426, 0x480730400e4436, 0x2c4446,
    0x2b4455, 0x2d4464, 0x2d446a, 0x2a447a, 0x2a4488, 0x294497, 0x2944a6, 0x2944b4, 0x100029030aa44c3, 0x4051030aa44ca,
    0x40002a030a944cf, 0x4052030a944d7, 0xa844dc, 0x200039030a844df, 0x40036030a844e7, 0x8033030a844ee,
    0x40003a030a844f4, 0x80037030a844fc, 0x10034030a84503, 0x100038030a84509, 0x20035030a84510, 0x4032030a84516,
    0x100002b030a8451b, 0xa54523, 0x8004f030a54527, 0x10049030a5452f, 0x10002c030a54536, 0x2004b030a5453e,
    0x4045030a54545, 0x4004d030a5454b, 0x8047030a54552, 0xa54558, 0x8004f030a54562, 0x10049030a54570, 0x10002c030a5457d,
    0x2004b030a5458b, 0x4045030a54598, 0x4004d030a545a4, 0x8047030a545b1, 0xa645bd, 0x200042030a645c1, 0x4003f030a645ca,
    0x803c030a645d2, 0x230002d030a645d9, 0x400043030a645e3, 0x80040030a645ec, 0x1003d030a645f4, 0x800044030a645fb,
    0x100041030a64604, 0x2003e030a6460c, 0x403b030a64613, 0xa44619, 0x80050030a4461d, 0x1004a030a44625,
    0x10002e030a4462c, 0x2004c030a44634, 0x4046030a4463b, 0x4004e030a44641, 0x8048030a44648, 0xa7464e, 0x124652,
    0x4801001012465d, 0x48010010124670, 0x124681, 0x124696, 0x1302346a8, 0x1302a46b5, 0x1246bf, 0x480100101246c6,
    0x480100101246d3, 0x9146dc, 0x9046e2, 0x8f46e8, 0x8d46ee, 0xf846f4, 0xf34709, 0xf24717, 0xf84725, 0x7b472b,
    0x1084735, 0x1004740, 0xff474b, 0xfe4756, 0xfd4761, 0xfc476c, 0xfc4777, 0xfc4786, 0x10a47a0, 0x10947aa, 0x10547b4,
    0x10647bf, 0x10547ca, 0x10747d8, 0x10447e3, 0x10447ef, 0x10347fe, 0x1024808, 0x1024813, 0x1014821, 0x1084833,
    0x1084843, 0x1014857, 0x10a4865, 0x1094878, 0x105488b, 0x106489f, 0x10648b3, 0x10748c8, 0x10448dc, 0x10348f1,
    0x1024904, 0x1024918}};
}  // namespace packed

/// Sorted by the letters of the key.
class alias_table {
 public:
  static constexpr std::size_t size() noexcept { return packed::aliases.size(); }
  constexpr accelerator_alias operator[](std::size_t i) const noexcept {
    const std::uint64_t n = packed::aliases[i];
    return {packed::alias_keys + (n & 0xffff), &accelerators[static_cast<std::size_t>(n >> 16 & 0xfff)],
            static_cast<vendor>(n >> 28 & 0xff), static_cast<std::uint16_t>(n >> 36 & 0xfff),
            static_cast<std::uint16_t>(n >> 48)};
  }
};
inline constexpr alias_table accelerator_aliases{};

/// Sorted by the letters of the key.
inline constexpr std::array<ambiguous_accelerator_name, 156> ambiguous_accelerator_names{{
    {"3060", {{&rtx_3060_12gb, &rtx_3060_8gb}}},
    {"3080", {{&rtx_3080_10gb, &rtx_3080_12gb}}},
    {"4060 ti", {{&rtx_4060_ti_16gb, &rtx_4060_ti_8gb}}},
    {"5060 ti", {{&rtx_5060_ti_16gb, &rtx_5060_ti_8gb}}},
    {"a100", {{&a100_sxm_80gb, &a100_sxm_40gb, &a100_pcie_80gb, &a100_pcie_40gb, &a100_sxm_64gb}}},
    {"a2000", {{&rtx_a2000_12gb, &rtx_a2000_6gb}}},
    {"a3", {{&h100_sxm, &h200_sxm}}, vendor::google},
    {"a770", {{&arc_a770, &arc_a770_8gb}}},
    {"a800", {{&a800_sxm_80gb, &a800_pcie_80gb}}},
    {"agx orin", {{&jetson_agx_orin_64gb, &jetson_agx_orin_32gb}}},
    {"ai 100", {{&ai100_standard, &ai100_pro, &ai100_ultra}}},
    {"arc a770", {{&arc_a770, &arc_a770_8gb}}},
    {"arc graphics", {{&arc_140v, &core_ultra_7_155h}}},
    {"ascend 910", {{&ascend_910b, &ascend_910b1, &ascend_910b3, &ascend_910b4, &ascend_910c}}},
    {"ascend 950", {{&ascend_950dt, &ascend_950pr}}},
    {"ascend npu", {{&ascend_910b, &ascend_910b1, &ascend_910b3, &ascend_910b4, &ascend_910c}}},
    {"aws p4", {{&a100_sxm_40gb, &a100_sxm_80gb}}},
    {"blackhole", {{&blackhole_p100a, &blackhole_p150}}},
    {"blackwell ultra", {{&b300, &gb300}}},
    {"cloud ai 100", {{&ai100_standard, &ai100_pro, &ai100_ultra}}},
    {"cloud tpu", {{&tpu_v5e, &tpu_v5p, &tpu_v6e, &tpu_7x, &tpu_v4, &tpu_v3, &tpu_v2}}},
    {"data center gpu max", {{&max_1550, &max_1100}}},
    {"dgx 1", {{&v100_sxm_32gb, &v100_sxm_16gb, &p100_sxm_16gb}}, vendor::unknown, 8},
    {"dgx 1v", {{&v100_sxm_32gb, &v100_sxm_16gb}}, vendor::unknown, 8},
    {"dgx 1 v100", {{&v100_sxm_32gb, &v100_sxm_16gb}}, vendor::unknown, 8},
    {"dgx 1 volta", {{&v100_sxm_32gb, &v100_sxm_16gb}}, vendor::unknown, 8},
    {"dgx a100", {{&a100_sxm_80gb, &a100_sxm_40gb}}, vendor::unknown, 8},
    {"emerald rapids", {{&xeon_8592plus, &xeon_8570, &xeon_8568yplus}}},
    {"epyc genoa", {{&epyc_9654, &epyc_9554, &epyc_9474f, &epyc_9454, &epyc_9354}}},
    {"epyc turin", {{&epyc_9965, &epyc_9755, &epyc_9655, &epyc_9575f}}},
    {"gaudi", {{&gaudi3, &gaudi3_pcie, &gaudi2}}},
    {"gcp a2", {{&a100_sxm_40gb, &a100_sxm_80gb}}},
    {"genoa", {{&epyc_9654, &epyc_9554, &epyc_9474f, &epyc_9454, &epyc_9354}}},
    {"gfx 1030", {{&rx_6950_xt, &rx_6900_xt, &rx_6800_xt, &rx_6800, &radeon_pro_w6800}}},
    {"gfx 1100",
    {{&rx_7900_xtx, &rx_7900_xt, &rx_7900_gre, &radeon_pro_w7900, &radeon_pro_w7800, &radeon_pro_w7800_48gb}}},
    {"gfx 1201", {{&radeon_ai_pro_r9700, &rx_9070_xt, &rx_9070}}},
    {"gfx 906", {{&mi60, &mi50_32gb, &mi50_16gb}}},
    {"gfx90a", {{&mi250x, &mi250, &mi210}}},
    {"gfx 942", {{&mi300x, &mi325x, &mi300a, &mi308x}}},
    {"gfx 950", {{&mi355x, &mi350x, &mi350p}}},
    {"gh 200", {{&gh200_96gb, &gh200_144gb}}},
    {"gh 200 grace hopper", {{&gh200_96gb, &gh200_144gb}}},
    {"gh 200 grace hopper superchip", {{&gh200_96gb, &gh200_144gb}}},
    {"google a2", {{&a100_sxm_40gb, &a100_sxm_80gb}}},
    {"grace blackwell", {{&gb200, &gb300}}},
    {"grace hopper", {{&gh200_96gb, &gh200_144gb}}},
    {"granite rapids", {{&xeon_6980p, &xeon_6787p, &xeon_6776p, &xeon_6767p, &xeon_6747p}}},
    {"graviton", {{&graviton4, &graviton3}}},
    {"groq lpu", {{&groq_lpu_v1, &groq_3_lpu_lp30}}},
    {"h100", {{&h100_sxm, &h100_pcie, &h100_nvl, &h100_sxm_96gb, &h100_sxm_94gb}}},
    {"h200", {{&h200_sxm, &h200_nvl}}},
    {"h800", {{&h800_sxm, &h800_pcie}}},
    {"habana gaudi", {{&gaudi3, &gaudi3_pcie, &gaudi2}}},
    {"hgx a100", {{&a100_sxm_80gb, &a100_sxm_40gb}}},
    {"hgx a100 8 gpu", {{&a100_sxm_80gb, &a100_sxm_40gb}}, vendor::unknown, 8},
    {"jetson agx orin", {{&jetson_agx_orin_64gb, &jetson_agx_orin_32gb}}},
    {"jetson agx orin developer kit", {{&jetson_agx_orin_64gb, &jetson_agx_orin_32gb}}},
    {"jetson orin",
    {{&jetson_agx_orin_64gb, &jetson_agx_orin_32gb, &jetson_orin_nx_16gb, &jetson_orin_nx_8gb, &jetson_orin_nano_super_8gb, &jetson_orin_nano_8gb, &jetson_orin_nano_4gb}}},
    {"jetson orin nano", {{&jetson_orin_nano_super_8gb, &jetson_orin_nano_8gb, &jetson_orin_nano_4gb}}},
    {"jetson orin nx", {{&jetson_orin_nx_16gb, &jetson_orin_nx_8gb}}},
    {"jetson thor", {{&jetson_thor_t5000, &jetson_thor_t4000}}},
    {"lpu", {{&groq_lpu_v1, &groq_3_lpu_lp30}}},
    {"m1", {{&apple_m1_8core, &apple_m1_7core}}},
    {"m1 8 core", {{&apple_m1_8core, &apple_m1_7core}}},
    {"m1 max", {{&apple_m1_max_32core, &apple_m1_max_24core}}},
    {"m1 max mac studio", {{&apple_m1_max_32core, &apple_m1_max_24core}}},
    {"m1 pro", {{&apple_m1_pro_16core, &apple_m1_pro_14core}}},
    {"m1 ultra", {{&apple_m1_ultra_64core, &apple_m1_ultra_48core}}},
    {"m2", {{&apple_m2_10core, &apple_m2_8core}}},
    {"m2 8 core", {{&apple_m2_10core, &apple_m2_8core}}},
    {"m2 max", {{&apple_m2_max_38core, &apple_m2_max_30core}}},
    {"m2 pro", {{&apple_m2_pro_19core, &apple_m2_pro_16core}}},
    {"m2 ultra", {{&apple_m2_ultra_76core, &apple_m2_ultra_60core}}},
    {"m3", {{&apple_m3_10core, &apple_m3_8core}}},
    {"m3 8 core", {{&apple_m3_10core, &apple_m3_8core}}},
    {"m3 max", {{&apple_m3_max_40core, &apple_m3_max_30core}}},
    {"m3 pro", {{&apple_m3_pro_18core, &apple_m3_pro_14core}}},
    {"m3 ultra", {{&apple_m3_ultra_80core, &apple_m3_ultra_60core}}},
    {"m4", {{&apple_m4_10core, &apple_m4_8core}}},
    {"m4 mac mini", {{&apple_m4_10core, &apple_m4_8core}}},
    {"m4 max", {{&apple_m4_max_40core, &apple_m4_max_32core}}},
    {"m4 pro", {{&apple_m4_pro_20core, &apple_m4_pro_16core}}},
    {"m5 max", {{&apple_m5_max_40core, &apple_m5_max_32core}}},
    {"m5 pro", {{&apple_m5_pro_20core, &apple_m5_pro_16core}}},
    {"macbook air m1", {{&apple_m1_8core, &apple_m1_7core}}},
    {"macbook air m2", {{&apple_m2_10core, &apple_m2_8core}}},
    {"macbook air m3", {{&apple_m3_10core, &apple_m3_8core}}},
    {"macbook air m4", {{&apple_m4_10core, &apple_m4_8core}}},
    {"macbook pro m1 max", {{&apple_m1_max_32core, &apple_m1_max_24core}}},
    {"macbook pro m1 pro", {{&apple_m1_pro_16core, &apple_m1_pro_14core}}},
    {"macbook pro m2 max", {{&apple_m2_max_38core, &apple_m2_max_30core}}},
    {"macbook pro m2 pro", {{&apple_m2_pro_19core, &apple_m2_pro_16core}}},
    {"macbook pro m3 max", {{&apple_m3_max_40core, &apple_m3_max_30core}}},
    {"macbook pro m3 pro", {{&apple_m3_pro_18core, &apple_m3_pro_14core}}},
    {"macbook pro m4 max", {{&apple_m4_max_40core, &apple_m4_max_32core}}},
    {"macbook pro m4 pro", {{&apple_m4_pro_20core, &apple_m4_pro_16core}}},
    {"macbook pro m5 max", {{&apple_m5_max_40core, &apple_m5_max_32core}}},
    {"macbook pro m5 pro", {{&apple_m5_pro_20core, &apple_m5_pro_16core}}},
    {"mac mini m1", {{&apple_m1_8core, &apple_m1_7core}}},
    {"mac mini m2", {{&apple_m2_10core, &apple_m2_8core}}},
    {"mac mini m2 pro", {{&apple_m2_pro_19core, &apple_m2_pro_16core}}},
    {"mac mini m4", {{&apple_m4_10core, &apple_m4_8core}}},
    {"mac mini m4 pro", {{&apple_m4_pro_20core, &apple_m4_pro_16core}}},
    {"mac pro m2 ultra", {{&apple_m2_ultra_76core, &apple_m2_ultra_60core}}},
    {"mac studio",
    {{&apple_m4_max_40core, &apple_m4_max_32core, &apple_m3_ultra_80core, &apple_m3_ultra_60core, &apple_m2_ultra_76core, &apple_m2_ultra_60core, &apple_m2_max_38core, &apple_m2_max_30core, &apple_m1_ultra_64core, &apple_m1_ultra_48core, &apple_m1_max_32core, &apple_m1_max_24core}}},
    {"mac studio m1 max", {{&apple_m1_max_32core, &apple_m1_max_24core}}},
    {"mac studio m1 ultra", {{&apple_m1_ultra_64core, &apple_m1_ultra_48core}}},
    {"mac studio m2 max", {{&apple_m2_max_38core, &apple_m2_max_30core}}},
    {"mac studio m2 ultra", {{&apple_m2_ultra_76core, &apple_m2_ultra_60core}}},
    {"mac studio m3 ultra", {{&apple_m3_ultra_80core, &apple_m3_ultra_60core}}},
    {"mac studio m4 max", {{&apple_m4_max_40core, &apple_m4_max_32core}}},
    {"mi 200", {{&mi250x, &mi250, &mi210}}},
    {"mi 250x|mi 250", {{&mi250x, &mi250}}},
    {"mi 300", {{&mi300x, &mi325x, &mi300a}}},
    {"mi 350", {{&mi350x, &mi355x}}},
    {"mi50", {{&mi50_32gb, &mi50_16gb}}},
    {"orin",
    {{&jetson_agx_orin_64gb, &jetson_agx_orin_32gb, &jetson_orin_nx_16gb, &jetson_orin_nx_8gb, &jetson_orin_nano_super_8gb, &jetson_orin_nano_8gb, &jetson_orin_nano_4gb}}},
    {"orin nano", {{&jetson_orin_nano_super_8gb, &jetson_orin_nano_8gb, &jetson_orin_nano_4gb}}},
    {"orin|nvgpu",
    {{&jetson_agx_orin_64gb, &jetson_agx_orin_32gb, &jetson_orin_nx_16gb, &jetson_orin_nx_8gb, &jetson_orin_nano_super_8gb, &jetson_orin_nano_8gb, &jetson_orin_nano_4gb}}},
    {"orin nx", {{&jetson_orin_nx_16gb, &jetson_orin_nx_8gb}}},
    {"p100", {{&p100_sxm_16gb, &p100_pcie_16gb}}},
    {"p3", {{&v100_sxm_16gb, &v100_sxm_32gb}}, vendor::aws},
    {"ponte vecchio", {{&max_1550, &max_1100}}},
    {"pvc", {{&max_1550, &max_1100}}},
    {"raspberry pi", {{&raspberry_pi_5, &raspberry_pi_4}}},
    {"rtx 3060", {{&rtx_3060_12gb, &rtx_3060_8gb}}},
    {"rtx 3080", {{&rtx_3080_10gb, &rtx_3080_12gb}}},
    {"rtx 4000", {{&rtx_4000_ada, &rtx_4000_sff_ada, &rtx_a4000, &rtx_pro_4000}}},
    {"rtx 4060 ti", {{&rtx_4060_ti_16gb, &rtx_4060_ti_8gb}}},
    {"rtx 5000", {{&rtx_5000_ada, &rtx_a5000, &rtx_pro_5000_48gb, &rtx_pro_5000_72gb}}},
    {"rtx 5060 ti", {{&rtx_5060_ti_16gb, &rtx_5060_ti_8gb}}},
    {"rtx 6000",
    {{&quadro_rtx_6000, &rtx_6000_ada, &rtx_a6000, &rtx_pro_6000_workstation, &rtx_pro_6000_max_q, &rtx_pro_6000_server}}},
    {"rtx 6000|8000", {{&quadro_rtx_6000, &quadro_rtx_8000}}},
    {"rtx 6000 pro", {{&rtx_pro_6000_server, &rtx_pro_6000_workstation, &rtx_pro_6000_max_q}}},
    {"rtx a2000", {{&rtx_a2000_12gb, &rtx_a2000_6gb}}},
    {"rtx pro 4500", {{&rtx_pro_4500_server, &rtx_pro_4500_workstation}}},
    {"rtx pro 5000", {{&rtx_pro_5000_48gb, &rtx_pro_5000_72gb}}},
    {"rtx pro 5000 blackwell", {{&rtx_pro_5000_48gb, &rtx_pro_5000_72gb}}},
    {"rtx pro 6000", {{&rtx_pro_6000_server, &rtx_pro_6000_workstation, &rtx_pro_6000_max_q}}},
    {"rtx pro 6000 blackwell", {{&rtx_pro_6000_server, &rtx_pro_6000_workstation, &rtx_pro_6000_max_q}}},
    {"rx 6800|6800 xt|6900 xt", {{&rx_6800, &rx_6800_xt, &rx_6900_xt}}},
    {"rx 7900", {{&rx_7900_xtx, &rx_7900_xt, &rx_7900_gre}}},
    {"rx 9060 xt", {{&rx_9060_xt_16gb, &rx_9060_xt_8gb}}},
    {"sapphire rapids", {{&xeon_8480plus, &xeon_8480c, &xeon_8488c, &xeon_6454s, &xeon_max_9480}}},
    {"thor", {{&jetson_thor_t5000, &jetson_thor_t4000}}},
    {"tpu", {{&tpu_v5e, &tpu_v5p, &tpu_v6e, &tpu_7x, &tpu_v4, &tpu_v3, &tpu_v2}}},
    {"tpu v5", {{&tpu_v5e, &tpu_v5p}}},
    {"tpu v8", {{&tpu_8t, &tpu_8i}}},
    {"turin", {{&epyc_9965, &epyc_9755, &epyc_9655, &epyc_9575f}}},
    {"v100", {{&v100_sxm_32gb, &v100_sxm_16gb, &v100_pcie_32gb, &v100_pcie_16gb}}},
    {"v5", {{&tpu_v5e, &tpu_v5p}}},
    {"wormhole", {{&wormhole_n150, &wormhole_n300}}},
    {"xavier", {{&jetson_agx_xavier_32gb, &jetson_xavier_nx_8gb}}},
    {"xeon 6", {{&xeon_6980p, &xeon_6787p, &xeon_6776p, &xeon_6767p, &xeon_6747p}}},
    {"xeon 8480", {{&xeon_8480plus, &xeon_8480c}}},
    {"xeon platinum 8480", {{&xeon_8480plus, &xeon_8480c}}},
}};

/// Sizes under which a part is also sold or known, in GB of its label.
struct memory_label {
  const accelerator* part = nullptr;
  double gigabytes = 0;
};
inline constexpr std::array<memory_label, 81> memory_labels{{
    {&b200, 183},
    {&b200, 192},
    {&gb200, 192},
    {&b300, 288},
    {&gb300, 275},
    {&gb300, 288},
    {&b100, 180},
    {&a16, 64},
    {&strix_halo_395, 32},
    {&strix_halo_395, 64},
    {&strix_halo_395, 96},
    {&rx_580, 4},
    {&arc_140v, 16},
    {&core_ultra_7_155h, 8},
    {&core_ultra_7_155h, 16},
    {&core_ultra_7_155h, 24},
    {&core_ultra_7_155h, 32},
    {&core_ultra_7_155h, 48},
    {&core_ultra_7_155h, 64},
    {&apple_m5_max_40core, 48},
    {&apple_m5_max_40core, 64},
    {&apple_m5_pro_20core, 24},
    {&apple_m5_pro_20core, 48},
    {&apple_m5_pro_16core, 24},
    {&apple_m5_pro_16core, 48},
    {&apple_m5, 16},
    {&apple_m5, 24},
    {&apple_m4_max_40core, 48},
    {&apple_m4_max_40core, 64},
    {&apple_m4_pro_20core, 24},
    {&apple_m4_pro_20core, 48},
    {&apple_m4_pro_16core, 24},
    {&apple_m4_pro_16core, 48},
    {&apple_m4_10core, 16},
    {&apple_m4_10core, 24},
    {&apple_m4_8core, 16},
    {&apple_m3_ultra_80core, 96},
    {&apple_m3_ultra_80core, 256},
    {&apple_m3_ultra_60core, 96},
    {&apple_m3_max_40core, 48},
    {&apple_m3_max_40core, 64},
    {&apple_m3_max_30core, 36},
    {&apple_m3_pro_18core, 18},
    {&apple_m3_pro_14core, 18},
    {&apple_m3_10core, 8},
    {&apple_m3_10core, 16},
    {&apple_m3_8core, 8},
    {&apple_m3_8core, 16},
    {&apple_m2_ultra_76core, 64},
    {&apple_m2_ultra_76core, 128},
    {&apple_m2_ultra_60core, 64},
    {&apple_m2_ultra_60core, 128},
    {&apple_m2_max_38core, 32},
    {&apple_m2_max_38core, 64},
    {&apple_m2_max_30core, 32},
    {&apple_m2_pro_19core, 16},
    {&apple_m2_pro_16core, 16},
    {&apple_m2_10core, 8},
    {&apple_m2_10core, 16},
    {&apple_m2_8core, 8},
    {&apple_m2_8core, 16},
    {&apple_m1_ultra_64core, 64},
    {&apple_m1_ultra_48core, 64},
    {&apple_m1_max_32core, 32},
    {&apple_m1_max_24core, 32},
    {&apple_m1_pro_16core, 16},
    {&apple_m1_pro_14core, 16},
    {&apple_m1_8core, 8},
    {&apple_m1_7core, 8},
    {&atlas_300i_duo, 48},
    {&hailo_10h, 4},
    {&grace, 120},
    {&grace, 240},
    {&jetson_agx_orin_cpu, 32},
    {&raspberry_pi_5, 1},
    {&raspberry_pi_5, 2},
    {&raspberry_pi_5, 4},
    {&raspberry_pi_5, 8},
    {&raspberry_pi_4, 1},
    {&raspberry_pi_4, 2},
    {&raspberry_pi_4, 4},
}};

/// Words that may stand before a name or be left out.
struct vendor_word {
  std::string_view key{};
  vendor made_by = vendor::unknown;
};
inline constexpr std::array<vendor_word, 23> vendor_words{{
    {"amazon"sv, vendor::aws},
    {"amd"sv, vendor::amd},
    {"ampere"sv, vendor::ampere},
    {"apple"sv, vendor::apple},
    {"ati"sv, vendor::amd},
    {"aws"sv, vendor::aws},
    {"azure"sv, vendor::microsoft},
    {"cerebras"sv, vendor::cerebras},
    {"ec2"sv, vendor::aws},
    {"gcp"sv, vendor::google},
    {"google"sv, vendor::google},
    {"graphcore"sv, vendor::graphcore},
    {"groq"sv, vendor::groq},
    {"hailo"sv, vendor::hailo},
    {"huawei"sv, vendor::huawei},
    {"intel"sv, vendor::intel},
    {"microsoft"sv, vendor::microsoft},
    {"nvidia"sv, vendor::nvidia},
    {"oci"sv, vendor::oracle},
    {"oracle"sv, vendor::oracle},
    {"qualcomm"sv, vendor::qualcomm},
    {"sambanova"sv, vendor::sambanova},
    {"tenstorrent"sv, vendor::tenstorrent},
}};
inline constexpr std::array<vendor_word, 6> line_words{{
    {"geforce"sv, vendor::nvidia},
    {"graphics"sv, vendor::unknown},
    {"instinct"sv, vendor::amd},
    {"quadro"sv, vendor::nvidia},
    {"radeon"sv, vendor::amd},
    {"tesla"sv, vendor::nvidia},
}};

/// PCI vendor << 16 | device. Sorted by it.
struct pci_id {
  std::uint32_t number = 0;
  const accelerator* part = nullptr;
};
inline constexpr std::array<pci_id, 181> pci_ids{{
    {0x100266a1, &mi50_16gb},
    {0x100266a1, &mi50_32gb},
    {0x100266a1, &mi60},
    {0x1002738c, &mi100},
    {0x1002738e, &mi100},
    {0x100273a3, &radeon_pro_w6800},
    {0x100273a5, &rx_6950_xt},
    {0x100273bf, &rx_6800},
    {0x100273bf, &rx_6800_xt},
    {0x100273bf, &rx_6900_xt},
    {0x10027408, &mi250x},
    {0x1002740c, &mi250},
    {0x1002740c, &mi250x},
    {0x1002740f, &mi210},
    {0x10027448, &radeon_pro_w7900},
    {0x10027449, &radeon_pro_w7800_48gb},
    {0x1002744a, &radeon_pro_w7900},
    {0x1002744c, &rx_7900_gre},
    {0x1002744c, &rx_7900_xt},
    {0x1002744c, &rx_7900_xtx},
    {0x1002745e, &radeon_pro_w7800},
    {0x10027470, &radeon_pro_w7700},
    {0x1002747e, &rx_7700_xt},
    {0x1002747e, &rx_7800_xt},
    {0x10027480, &rx_7600},
    {0x10027480, &rx_7600_xt},
    {0x100274a0, &mi300a},
    {0x100274a1, &mi300x},
    {0x100274a2, &mi308x},
    {0x100274a5, &mi325x},
    {0x10027550, &rx_9070},
    {0x10027550, &rx_9070_xt},
    {0x10027551, &radeon_ai_pro_r9700},
    {0x10027590, &rx_9060_xt_16gb},
    {0x10027590, &rx_9060_xt_8gb},
    {0x100275a0, &mi350x},
    {0x100275a3, &mi355x},
    {0x10de15f8, &p100_pcie_16gb},
    {0x10de15f9, &p100_sxm_16gb},
    {0x10de1b06, &gtx_1080_ti},
    {0x10de1b38, &p40},
    {0x10de1bb3, &p4},
    {0x10de1c82, &gtx_1050_ti},
    {0x10de1d81, &titan_v},
    {0x10de1db1, &v100_sxm_16gb},
    {0x10de1db4, &v100_pcie_16gb},
    {0x10de1db5, &v100_sxm_32gb},
    {0x10de1db6, &v100_pcie_32gb},
    {0x10de1db8, &v100_sxm_32gb},
    {0x10de1df5, &v100_sxm_16gb},
    {0x10de1df6, &v100s_pcie_32gb},
    {0x10de1e02, &titan_rtx},
    {0x10de1e04, &rtx_2080_ti},
    {0x10de1e07, &rtx_2080_ti},
    {0x10de1e30, &quadro_rtx_6000},
    {0x10de1e30, &quadro_rtx_8000},
    {0x10de1e36, &quadro_rtx_6000},
    {0x10de1e78, &quadro_rtx_6000},
    {0x10de1e78, &quadro_rtx_8000},
    {0x10de1e82, &rtx_2080},
    {0x10de1e87, &rtx_2080},
    {0x10de1e89, &rtx_2060},
    {0x10de1eb4, &t4g},
    {0x10de1eb8, &t4},
    {0x10de1f02, &rtx_2070},
    {0x10de1f07, &rtx_2070},
    {0x10de1f08, &rtx_2060},
    {0x10de20b0, &a100_sxm_40gb},
    {0x10de20b1, &a100_pcie_40gb},
    {0x10de20b2, &a100_sxm_80gb},
    {0x10de20b3, &a100_sxm_64gb},
    {0x10de20b5, &a100_pcie_80gb},
    {0x10de20b7, &a30},
    {0x10de20f1, &a100_pcie_40gb},
    {0x10de20f3, &a800_sxm_80gb},
    {0x10de20f5, &a800_pcie_80gb},
    {0x10de2203, &rtx_3090_ti},
    {0x10de2204, &rtx_3090},
    {0x10de2206, &rtx_3080_10gb},
    {0x10de2208, &rtx_3080_ti},
    {0x10de220a, &rtx_3080_12gb},
    {0x10de2216, &rtx_3080_10gb},
    {0x10de2230, &rtx_a6000},
    {0x10de2231, &rtx_a5000},
    {0x10de2232, &rtx_a4500},
    {0x10de2235, &a40},
    {0x10de2236, &a10},
    {0x10de2237, &a10g},
    {0x10de2321, &h100_nvl},
    {0x10de2322, &h800_pcie},
    {0x10de2324, &h800_sxm},
    {0x10de2329, &h20},
    {0x10de2330, &h100_sxm},
    {0x10de2331, &h100_pcie},
    {0x10de2335, &h200_sxm},
    {0x10de233b, &h200_nvl},
    {0x10de233d, &h100_sxm_96gb},
    {0x10de2342, &gh200_96gb},
    {0x10de2348, &gh200_144gb},
    {0x10de2414, &rtx_3060_ti},
    {0x10de2482, &rtx_3070_ti},
    {0x10de2484, &rtx_3070},
    {0x10de2486, &rtx_3060_ti},
    {0x10de2487, &rtx_3060_12gb},
    {0x10de2488, &rtx_3070},
    {0x10de2489, &rtx_3060_ti},
    {0x10de24b0, &rtx_a4000},
    {0x10de2503, &rtx_3060_12gb},
    {0x10de2504, &rtx_3060_12gb},
    {0x10de2531, &rtx_a2000_6gb},
    {0x10de2571, &rtx_a2000_12gb},
    {0x10de25b2, &rtx_a400},
    {0x10de25b6, &a16},
    {0x10de25b6, &a2},
    {0x10de2684, &rtx_4090},
    {0x10de2685, &rtx_4090_d},
    {0x10de26b1, &rtx_6000_ada},
    {0x10de26b2, &rtx_5000_ada},
    {0x10de26b3, &rtx_5880_ada},
    {0x10de26b5, &l40},
    {0x10de26b9, &l40s},
    {0x10de2702, &rtx_4080_super},
    {0x10de2704, &rtx_4080},
    {0x10de2705, &rtx_4070_ti_super},
    {0x10de2709, &rtx_4070},
    {0x10de2717, &rtx_4090_laptop},
    {0x10de2757, &rtx_4090_laptop},
    {0x10de2782, &rtx_4070_ti},
    {0x10de2783, &rtx_4070_super},
    {0x10de2786, &rtx_4070},
    {0x10de27b0, &rtx_4000_sff_ada},
    {0x10de27b1, &rtx_4500_ada},
    {0x10de27b2, &rtx_4000_ada},
    {0x10de27b8, &l4},
    {0x10de2803, &rtx_4060_ti_8gb},
    {0x10de2805, &rtx_4060_ti_16gb},
    {0x10de2808, &rtx_4060},
    {0x10de2882, &rtx_4060},
    {0x10de28b0, &rtx_2000_ada},
    {0x10de2901, &b200},
    {0x10de2941, &gb200},
    {0x10de2b85, &rtx_5090},
    {0x10de2b87, &rtx_5090_d},
    {0x10de2bb1, &rtx_pro_6000_workstation},
    {0x10de2bb3, &rtx_pro_5000_48gb},
    {0x10de2bb3, &rtx_pro_5000_72gb},
    {0x10de2bb4, &rtx_pro_6000_max_q},
    {0x10de2bb5, &rtx_pro_6000_server},
    {0x10de2c02, &rtx_5080},
    {0x10de2c05, &rtx_5070_ti},
    {0x10de2c34, &rtx_pro_4000},
    {0x10de2c3a, &rtx_pro_4500_server},
    {0x10de2c58, &rtx_5090_laptop},
    {0x10de2d04, &rtx_5060_ti_16gb},
    {0x10de2d04, &rtx_5060_ti_8gb},
    {0x10de2d05, &rtx_5060},
    {0x10de2e12, &gb10},
    {0x10de2f04, &rtx_5070},
    {0x10de3182, &b300},
    {0x10de31c2, &gb300},
    {0x1d0f7064, &inferentia1},
    {0x1d0f7164, &trainium1},
    {0x1d0f7264, &inferentia2},
    {0x1da31020, &gaudi2},
    {0x80860bd5, &max_1550},
    {0x80860bd6, &max_1550},
    {0x80860bd9, &max_1100},
    {0x80860bda, &max_1100},
    {0x80860bdb, &max_1100},
    {0x808656a0, &arc_a770},
    {0x808656a0, &arc_a770_8gb},
    {0x808656a1, &arc_a750},
    {0x808656a5, &arc_a380},
    {0x808656a6, &arc_a310},
    {0x808656c0, &flex_170},
    {0x8086e209, &arc_b580},
    {0x8086e20b, &arc_b580},
    {0x8086e20c, &arc_b570},
    {0x8086e211, &arc_pro_b60},
    {0x8086e212, &arc_pro_b50},
    {0x8086e223, &arc_pro_b70},
}};

}  // namespace ullage::inline v0::catalog
