// SPDX-License-Identifier: GPL-3.0-or-later
// BERT, the Transformer-Transducer and the vision transformers.
#include "core/networks/internal/families.h"

#include <cmath>

namespace mitos::networks {

namespace {

struct Attention {
    std::int64_t heads;
    /// Whether K is not transposed, like Q. This requires as many tokens as the width of a head.
    bool keepsKey = false;
};

/// tokens x width -> heads x tokens x head width (or heads x head width x tokens).
TermId split(NetworkBuilder& net, TermId x, std::int64_t heads, const Shape& permutation) {
    const std::int64_t tokens = net.shape(x)[0];
    const std::int64_t width = net.shape(x)[1];
    return net.transpose(net.reshape(x, {tokens, heads, width / heads}), permutation);
}

TermId attention(NetworkBuilder& net, TermId x, const Attention& kind) {
    const std::int64_t tokens = net.shape(x)[0];
    const std::int64_t width = net.shape(x)[1];
    const TermId q = split(net, net.dense(x, width, "q"), kind.heads, {1, 0, 2});
    const TermId k = split(net, net.dense(x, width, "k"), kind.heads, kind.keepsKey ? Shape{1, 0, 2} : Shape{1, 2, 0});
    const TermId v = split(net, net.dense(x, width, "v"), kind.heads, {1, 0, 2});
    TermId logits = net.matmul(q, k);
    if (net.isRealistic()) {
        const std::int64_t headWidth = width / kind.heads;
        const double scale = 1.0 / std::sqrt(static_cast<double>(headWidth));
        logits = net.softmax(net.mul(logits, net.scalar(scale)));
    }
    return net.reshape(net.transpose(net.matmul(logits, v), {1, 0, 2}), {tokens, width});
}

enum class Activation : std::uint8_t { None, Relu, Gelu };

TermId perceptron(NetworkBuilder& net, TermId x, std::int64_t hidden, Activation activation) {
    const std::int64_t width = net.shape(x)[1];
    TermId y = net.dense(x, hidden, "mlp_in");
    if (activation == Activation::Relu) y = net.relu(y);
    if (activation == Activation::Gelu) y = net.gelu(y);
    return net.dense(y, width, "mlp_out");
}

/// Attention, projection, residual, MLP, residual; if realistic, with normalization before each part.
TermId block(NetworkBuilder& net, TermId x, const Attention& kind, std::int64_t hidden, Activation activation) {
    const auto normalized = [&net](TermId term) { return net.isRealistic() ? net.layerNorm(term) : term; };
    const std::int64_t width = net.shape(x)[1];
    x = net.add(x, net.dense(attention(net, normalized(x), kind), width, "projection"));
    return net.add(x, perceptron(net, normalized(x), hidden, activation));
}

struct VisionTransformer {
    const char* name;
    std::int64_t width;
    int blocks;
    std::int64_t heads;
    std::int64_t patch;  ///< side length in pixels
};

TermId patches(NetworkBuilder& net, const VisionTransformer& kind) {
    const TermId image = net.input("image", {1, 3, 224, 224});
    const TermId map =
        net.plainConv(image, kind.width, {kind.patch, kind.patch}, {.stride = kind.patch, .padding = Padding::Valid});
    const std::int64_t count = net.shape(map)[2] * net.shape(map)[3];
    const TermId tokens = net.transpose(net.reshape(map, {kind.width, count}), {1, 0});
    const TermId all = net.concat({net.weight("class_token", {1, kind.width}), tokens}, 0);
    return net.add(all, net.weight("positions", {count + 1, kind.width}));
}

tensor::Model buildVit(ir::TermBank& bank, Style style, const VisionTransformer& kind) {
    constexpr std::int64_t Tokens = 64;
    NetworkBuilder net(bank, kind.name, style);
    TermId x = net.isRealistic() ? patches(net, kind) : net.relu(net.input("patches", {Tokens, kind.width}));
    const Attention heads{.heads = kind.heads, .keepsKey = !net.isRealistic() && kind.width / kind.heads == Tokens};
    const Activation activation = net.isRealistic() ? Activation::Gelu : Activation::None;
    for (int i = 0; i < kind.blocks; ++i) x = block(net, x, heads, 4 * kind.width, activation);
    if (!net.isRealistic()) return net.finish({{"tokens", x}});
    const TermId first = net.node("Slice", {net.layerNorm(x)},
                                  {{"starts", Shape{0}}, {"ends", Shape{1}}, {"axes", Shape{0}}, {"steps", Shape{1}}});
    return net.finish({{"scores", net.dense(first, 1000, "head")}});
}

}  // namespace

tensor::Model buildBert(ir::TermBank& bank, Style style) {
    constexpr std::int64_t Width = 1024;
    constexpr int Layers = 8;
    NetworkBuilder net(bank, "bert", style);
    if (net.isRealistic()) {
        TermId x = net.layerNorm(net.input("tokens", {64, Width}));
        for (int i = 0; i < Layers; ++i) x = block(net, x, {.heads = 16}, 4 * Width, Activation::Gelu);
        return net.finish({{"tokens_out", x}});
    }
    std::vector<std::pair<std::string, TermId>> outputs;
    TermId x = net.relu(net.input("tokens", {64, Width}));
    for (int i = 0; i < Layers; ++i) {
        outputs.emplace_back("attention" + std::to_string(i), attention(net, x, {.heads = 16, .keepsKey = true}));
        x = net.dense(x, Width, "projection");
    }
    outputs.emplace_back("tokens_out", x);
    return net.finish(outputs);
}

tensor::Model buildTransducer(ir::TermBank& bank, Style style) {
    constexpr std::int64_t Width = 512;
    constexpr int AudioBlocks = 12;
    constexpr int LabelBlocks = 2;
    const Attention heads{.heads = 8};
    NetworkBuilder net(bank, "transformer-transducer", style);
    const TermId frames = net.input("frames", {80, Width});
    TermId audio = net.dense(net.dense(frames, 16, "narrow"), Width, "widen");
    for (int i = 0; i < AudioBlocks; ++i) audio = block(net, audio, heads, 4 * Width, Activation::Relu);
    TermId labels = net.isRealistic() ? net.input("labels", {80, Width}) : frames;
    for (int i = 0; i < LabelBlocks; ++i) labels = block(net, labels, heads, 4 * Width, Activation::Relu);
    const TermId joint = net.relu(net.dense(net.concat({audio, labels}), Width, "joint"));
    const TermId scores = net.dense(joint, 10, "head");
    return net.finish({{"scores", net.isRealistic() ? net.softmax(scores) : scores}});
}

tensor::Model buildVitBase(ir::TermBank& bank, Style style) {
    return buildVit(bank, style, {"vit-base", 768, 12, 12, 16});
}

tensor::Model buildVitLarge(ir::TermBank& bank, Style style) {
    return buildVit(bank, style, {"vit-large", 1024, 24, 16, 16});
}

tensor::Model buildVitHuge(ir::TermBank& bank, Style style) {
    return buildVit(bank, style, {"vit-huge", 1280, 32, 16, 14});
}

}  // namespace mitos::networks
