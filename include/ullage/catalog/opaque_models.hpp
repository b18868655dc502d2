// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <ullage/model/opaque.hpp>

// Built-in opaque models. Parameters and FLOP are those of the public source where it states them, and equal what the
// layer shapes give (tests/catalog/opaque_shapes.py plays each network kernel by kernel). Nobody publishes the bytes that
// activations move or take: both come from those shapes and no measurement stands behind them.
namespace ullage::inline v0 {
namespace catalog {

namespace detail {
/// A band in bytes that only layer shapes stand behind.
constexpr estimate<bytes> from_shapes(std::int64_t low, std::int64_t mid, std::int64_t high) noexcept {
  return {of<bytes>(count(low)), of<bytes>(count(mid)), of<bytes>(count(high)), basis::unverified};
}
}  // namespace detail

// v1.5, as served: the stride stands in the 3x3 convolution.
inline constexpr opaque_model resnet_50{
    .name = "resnet-50",
    .item = "image 224x224",
    .parameters = 25'557'032,
    .flop_per_item = of<operations>(8.178e9),
    .moved_per_item = detail::from_shapes(28'404'712, 56'809'424, 161'777'616),
    .activation_per_item = detail::from_shapes(3'612'672, 4'816'896, 9'633'792),
    .kernels = 56,
    .from = basis::datasheet,
    .source =
        "torchvision.models.ResNet50_Weights: 25,557,032 parameters, \"4.09 GFLOPS\" = multiply-adds; He et al. "
        "2015 (arXiv:1512.03385) state 3.8e9 multiply-adds for the stride in the 1x1"};

// nc = 80. Ultralytics counts two FLOP a multiply-add, on the network with its norms folded.
inline constexpr opaque_model yolov8n{
    .name = "yolov8n",
    .item = "image 640x640",
    .parameters = 3'157'200,
    .flop_per_item = of<operations>(8.7e9),
    .moved_per_item = detail::from_shapes(39'144'000, 78'288'000, 219'702'400),
    .activation_per_item = detail::from_shapes(5'734'400, 6'553'600, 13'107'200),
    .kernels = 69,
    .from = basis::datasheet,
    .source = "Ultralytics yolov8.yaml: 3,157,200 parameters; docs.ultralytics.com/models/yolov8: 8.7 GFLOP at 640"};

inline constexpr opaque_model yolov8x{
    .name = "yolov8x",
    .item = "image 640x640",
    .parameters = 68'229'648,
    .flop_per_item = of<operations>(257.8e9),
    .moved_per_item = detail::from_shapes(243'969'600, 487'939'200, 1'462'787'200),
    .activation_per_item = detail::from_shapes(40'960'000, 40'960'000, 81'920'000),
    .kernels = 109,
    .from = basis::datasheet,
    .source = "Ultralytics yolov8.yaml: 68,229,648 parameters; docs.ultralytics.com/models/yolov8: 257.8 GFLOP at 640"};

// The encoder alone: two convolutions over 3,000 frames of 128 mels, 32 layers over 1,500 positions.
inline constexpr opaque_model whisper_large_v3_encoder{
    .name = "whisper-large-v3-encoder",
    .item = "30 s of audio",
    .parameters = 636'968'960,
    .flop_per_item = of<operations>(2.273'77e12),
    .moved_per_item = detail::from_shapes(1'611'264'000, 3'222'528'000, 16'493'568'000),
    .activation_per_item = detail::from_shapes(23'040'000, 187'680'000, 375'360'000),
    .kernels = 227,
    .from = basis::exact,
    .source =
        "counted from the config of openai/whisper-large-v3 (32 layers, width 1280, 20 heads, 128 mels, 1,500 "
        "positions)"};

// The model with its pooler; as an encoder of layers it is bert-base-uncased.
inline constexpr opaque_model bert_base_512{
    .name = "bert-base-512",
    .item = "sequence of 512 tokens",
    .parameters = 109'482'240,
    .flop_per_item = of<operations>(96.638e9),
    .moved_per_item = detail::from_shapes(123'864'576, 247'729'152, 681'842'688),
    .activation_per_item = detail::from_shapes(4'718'592, 14'155'776, 28'311'552),
    .kernels = 87,
    .from = basis::exact,
    .source =
        "Devlin et al. 2018 (arXiv:1810.04805): 12 layers, width 768, 110M parameters; counted from the config of "
        "google-bert/bert-base-uncased"};

// One pass of the UNet; with guidance a step of one image is two items.
inline constexpr opaque_model sdxl_unet{
    .name = "sdxl-unet",
    .item = "UNet step 1024x1024",
    .parameters = 2'567'463'684,
    .flop_per_item = of<operations>(6.761'24e12),
    .moved_per_item = detail::from_shapes(6'249'553'408, 12'499'106'816, 39'924'627'456),
    .activation_per_item = detail::from_shapes(113'039'872, 726'456'832, 1'452'913'664),
    .kernels = 1122,
    .from = basis::exact,
    .source =
        "Podell et al. 2023 (arXiv:2307.01952): 2.6B parameters; counted from the unet config of "
        "stabilityai/stable-diffusion-xl-base-1.0, 77 tokens of text"};

inline constexpr std::array<const opaque_model*, 6> opaque_models{
    {&resnet_50, &yolov8n, &yolov8x, &whisper_large_v3_encoder, &bert_base_512, &sdxl_unet}};

/// The built-in opaque model of a name, case-blind; nullptr when there is none.
constexpr const opaque_model* find_opaque(std::string_view name) noexcept {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  for (const opaque_model* m : opaque_models) {
    const std::string_view own = m->name.view();
    bool same = own.size() == name.size();
    for (std::size_t i = 0; same && i < own.size(); ++i) same = lower(own[i]) == lower(name[i]);
    if (same) return m;
  }
  return nullptr;
}

}  // namespace catalog
}  // namespace ullage::inline v0
