// SPDX-License-Identifier: Apache-2.0
// Opaque models are constants; compiling is passing.
#include <ullage/ullage.hpp>

using namespace ullage;

// Published: torchvision, Ultralytics, the checkpoints of the other three.
static_assert(catalog::resnet_50.parameters == count(25'557'032));
static_assert(catalog::yolov8n.parameters == count(3'157'200));
static_assert(catalog::yolov8x.parameters == count(68'229'648));
static_assert(catalog::bert_base_512.parameters == count(109'482'240));
static_assert(catalog::sdxl_unet.parameters == count(2'567'463'684));

static_assert(catalog::resnet_50.weights() == 51'114'064_B);
static_assert(catalog::resnet_50.weights(formats::fp32) == 102'228'128_B);
static_assert(catalog::find_opaque("SDXL-UNET") == &catalog::sdxl_unet);
static_assert(catalog::find_opaque("bert-base") == nullptr);

using l4 = device<catalog::l4>;
constexpr load images{.concurrency = 64_seq};
static_assert(fits(catalog::resnet_50, l4{}, {}, plain(), images).ok());
static_assert(fits(catalog::resnet_50, l4{}, {}, plain(), images).worst().weights == 51'114'064_B);
static_assert(fits(catalog::sdxl_unet, l4{}, {}, plain(), images).answer == answer::may_fit);
static_assert(fits(catalog::resnet_50, l4{}, {.tp = 2}, plain(), images).layout_problem ==
              layout_problem::opaque_is_not_divided);
static_assert(fits(catalog::resnet_50, l4{}, {}, vllm(), images).problem == problem::bad_option);
static_assert(memory_term::state > memory_term::kv_cache && name(memory_term::state) == "state");

static_assert(!opaque_model{}.consistent() && !opaque_model{}.timed());
static_assert(overflowed((estimate<bytes>::exactly(4'000'000'000'000'000'000_B) * count(3)).mid));
