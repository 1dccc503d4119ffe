// SPDX-License-Identifier: GPL-3.0-or-later
// The table of networks.
#include "core/base/suggestion.h"
#include "core/networks/internal/families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace mitos::networks {

namespace {

const std::array<Network, 13>& table() {
    static const std::array<Network, 13> networks{{
        {"bert", "BERT", "64 tokens of 1024, eight layers of attention with sixteen heads",
         "no softmax, scale, normalization or MLP; K is not transposed; the fourth matrix product of a layer takes the "
         "layer's input, so the attention results are outputs of their own",
         buildBert},
        {"inception-v3", "Inception-v3", "an image of 299x299; blocks of parallel convolutions", "no biases",
         buildInception},
        {"mobilenet-v2", "MobileNet-v2", "an image of 224x224; inverted residuals with depthwise convolutions",
         "relu instead of relu6; the first block has an expanding convolution from 32 to 32; the 64-channel stage "
         "keeps its size",
         buildMobileNet},
        {"nasnet-a", "NASNet-A", "an image of 224x224; searched cells of separable convolutions", "no normalization",
         buildNasNet},
        {"nasrnn", "NASRNN", "five steps of a searched recurrent cell over inputs of 512",
         "the first state is a weight; weights are not shared between the steps", buildNasRnn},
        {"resnet-50", "ResNet-50", "64 feature maps of 56x56; sixteen bottleneck blocks",
         "no stem and no head; a relu after the shortcut's convolution", buildResNet},
        {"resnext-50", "ResNeXt-50", "an image of 224x224; bottlenecks with 32 groups", "no head", buildResNext},
        {"squeezenet", "SqueezeNet 1.1", "an image of 224x224; eight fire modules", "no biases", buildSqueezeNet},
        {"vgg-19", "VGG-19", "an image of 224x224; sixteen convolutions, three large matrix products",
         "no biases; the weights of the products are stored transposed", buildVgg},
        {"transformer-transducer", "Transformer-Transducer", "80 frames of 512; twelve audio and two label blocks",
         "no softmax, no normalization", buildTransducer},
        {"vit-base", "ViT-Base", "64 patches of 768, twelve blocks with twelve heads",
         "no activation between the two products of the MLP, no softmax, no normalization", buildVitBase},
        {"vit-large", "ViT-Large", "64 patches of 1024, 24 blocks with sixteen heads", "as ViT-Base", buildVitLarge},
        {"vit-huge", "ViT-Huge", "64 patches of 1280, 32 blocks with sixteen heads", "as ViT-Base", buildVitHuge},
    }};
    return networks;
}

}  // namespace

std::span<const Network> allNetworks() { return table(); }

Result<const Network*> findNetwork(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Network& network : table()) {
        if (network.name == name) return &network;
        names.emplace_back(network.name);
    }
    return noSuchName("network", name, names);
}

Result<tensor::Model> build(ir::TermBank& bank, const Network& network, Style style) {
    for (std::uint32_t i = 0; i < bank.functionCount(); ++i) {
        if (bank.function(ir::FunctionId(i)).name == network.name) {
            return Error{ErrorCode::InvalidInput, fmt::format("there is a program {} already", network.name)};
        }
    }
    return network.build(bank, style);
}

}  // namespace mitos::networks
