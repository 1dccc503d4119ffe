// SPDX-License-Identifier: GPL-3.0-or-later
// ResNet-50, ResNeXt-50, SqueezeNet, VGG-19, MobileNet-v2.
#include "core/networks/internal/families.h"

namespace mitos::networks {

namespace {

struct Stage {
    std::int64_t width;
    int blocks;
    std::int64_t stride;  ///< stride of its first block
};

struct Bottleneck {
    std::int64_t width;
    std::int64_t outputs;
    std::int64_t stride = 1;
    std::int64_t groups = 1;
};

TermId bottleneck(NetworkBuilder& net, TermId x, const Bottleneck& block) {
    TermId y = net.conv(x, block.width, 1, {.relu = true});
    y = net.conv(y, block.width, 3, {.stride = block.stride, .groups = block.groups, .relu = true});
    y = net.conv(y, block.outputs, 1);
    const bool changes = block.stride != 1 || net.shape(x)[1] != block.outputs;
    const bool reluOnShortcut = !net.isRealistic();
    const TermId shortcut =
        changes ? net.conv(x, block.outputs, 1, {.stride = block.stride, .relu = reluOnShortcut}) : x;
    return net.relu(net.add(y, shortcut));
}

TermId stages(NetworkBuilder& net, TermId x, std::initializer_list<Stage> all, std::int64_t expansion,
              std::int64_t groups) {
    for (const Stage& stage : all) {
        for (int i = 0; i < stage.blocks; ++i) {
            x = bottleneck(net, x,
                           {.width = stage.width,
                            .outputs = stage.width * expansion,
                            .stride = i == 0 ? stage.stride : 1,
                            .groups = groups});
        }
    }
    return x;
}

TermId stem(NetworkBuilder& net) {
    const TermId x = net.conv(net.input("image", {1, 3, 224, 224}), 64, 7, {.stride = 2, .relu = true});
    return net.maxPool(x, 3, {.stride = 2});
}

tensor::Model finished(NetworkBuilder& net, TermId x) {
    if (net.isRealistic()) return net.finish({{"scores", net.classifier(x, 1000)}});
    return net.finish({{"features", x}});
}

TermId convRelu(NetworkBuilder& net, TermId x, std::int64_t channels, std::int64_t kernel,
                const ConvOptions& options = {}) {
    TermId y = net.plainConv(x, channels, {kernel, kernel}, options);
    if (net.isRealistic()) y = net.add(y, net.weight("bias", {1, channels, 1, 1}));
    return net.relu(y);
}

/// The activation of MobileNet: relu6 in the real network, relu in the paper's graph.
TermId limited(NetworkBuilder& net, TermId x) {
    return net.isRealistic() ? net.node("Clip", {x}, {{"min", 0.0}, {"max", 6.0}}) : net.relu(x);
}

TermId normalizedConv(NetworkBuilder& net, TermId x, std::int64_t channels, std::int64_t kernel,
                      const ConvOptions& options = {}) {
    return net.batchNorm(net.plainConv(x, channels, {kernel, kernel}, options));
}

TermId invertedResidual(NetworkBuilder& net, TermId x, std::int64_t expansion, std::int64_t channels,
                        std::int64_t stride) {
    const std::int64_t inputs = net.shape(x)[1];
    const std::int64_t hidden = inputs * expansion;
    const bool skipsExpansion = expansion == 1 && net.isRealistic();
    TermId y = skipsExpansion ? x : limited(net, normalizedConv(net, x, hidden, 1));
    y = limited(net, normalizedConv(net, y, hidden, 3, {.stride = stride, .groups = hidden}));
    y = normalizedConv(net, y, channels, 1);
    return stride == 1 && inputs == channels ? net.add(x, y) : y;
}

}  // namespace

tensor::Model buildResNet(ir::TermBank& bank, Style style) {
    NetworkBuilder net(bank, "resnet-50", style);
    const TermId x = net.isRealistic() ? stem(net) : net.input("maps", {1, 64, 56, 56});
    return finished(net, stages(net, x, {{64, 3, 1}, {128, 4, 2}, {256, 6, 2}, {512, 3, 2}}, 4, 1));
}

tensor::Model buildResNext(ir::TermBank& bank, Style style) {
    NetworkBuilder net(bank, "resnext-50", style);
    return finished(net, stages(net, stem(net), {{128, 3, 1}, {256, 4, 2}, {512, 6, 2}, {1024, 3, 2}}, 2, 32));
}

tensor::Model buildSqueezeNet(ir::TermBank& bank, Style style) {
    NetworkBuilder net(bank, "squeezenet", style);
    const PoolOptions half{.stride = 2, .padding = Padding::Valid};
    const auto fire = [&net](TermId x, std::int64_t squeeze, std::int64_t expand) {
        const TermId s = convRelu(net, x, squeeze, 1);
        return net.concat({convRelu(net, s, expand, 1), convRelu(net, s, expand, 3)});
    };
    TermId x = convRelu(net, net.input("image", {1, 3, 224, 224}), 64, 3, {.stride = 2, .padding = Padding::Valid});
    x = net.maxPool(x, 3, half);
    x = fire(fire(x, 16, 64), 16, 64);
    x = net.maxPool(x, 3, half);
    x = fire(fire(x, 32, 128), 32, 128);
    x = net.maxPool(x, 3, half);
    x = fire(fire(x, 48, 192), 48, 192);
    x = fire(fire(x, 64, 256), 64, 256);
    x = convRelu(net, net.dropout(x), 1000, 1);
    x = net.avgPool(x, net.shape(x)[2], {.padding = Padding::Valid});
    x = net.reshape(x, {1, 1000});
    return net.finish({{"scores", net.isRealistic() ? net.softmax(x) : x}});
}

tensor::Model buildVgg(ir::TermBank& bank, Style style) {
    NetworkBuilder net(bank, "vgg-19", style);
    TermId x = net.input("image", {1, 3, 224, 224});
    for (const Stage& stage :
         {Stage{64, 2, 2}, Stage{128, 2, 2}, Stage{256, 4, 2}, Stage{512, 4, 2}, Stage{512, 4, 2}}) {
        for (int i = 0; i < stage.blocks; ++i) x = convRelu(net, x, stage.width, 3);
        x = net.maxPool(x, 2, {.stride = stage.stride, .padding = Padding::Valid});
    }
    const Shape features = net.shape(x);
    std::int64_t inputs = features[1] * features[2] * features[3];
    for (const std::int64_t outputs : {4096, 4096, 1000}) {
        const TermId stored = net.weight("fc", {outputs, inputs});
        x = net.matmul(net.reshape(x, {1, inputs}), net.transpose(stored, {1, 0}));
        if (net.isRealistic()) x = net.add(x, net.weight("fc_bias", {outputs}));
        if (outputs != 1000) x = net.dropout(net.relu(x));
        inputs = outputs;
    }
    return net.finish({{"scores", net.isRealistic() ? net.softmax(x) : x}});
}

tensor::Model buildMobileNet(ir::TermBank& bank, Style style) {
    struct Group {
        std::int64_t expansion;
        std::int64_t channels;
        int blocks;
        std::int64_t stride;
    };
    NetworkBuilder net(bank, "mobilenet-v2", style);
    TermId x = limited(net, normalizedConv(net, net.input("image", {1, 3, 224, 224}), 32, 3, {.stride = 2}));
    // The real network halves the resolution at 64 channels; the paper's graph keeps 28x28 there and halves it at 96.
    const std::int64_t at64 = net.isRealistic() ? 2 : 1;
    const std::int64_t at96 = net.isRealistic() ? 1 : 2;
    for (const Group& group : {Group{1, 16, 1, 1}, Group{6, 24, 2, 2}, Group{6, 32, 3, 2}, Group{6, 64, 4, at64},
                               Group{6, 96, 3, at96}, Group{6, 160, 3, 2}, Group{6, 320, 1, 1}}) {
        for (int i = 0; i < group.blocks; ++i) {
            x = invertedResidual(net, x, group.expansion, group.channels, i == 0 ? group.stride : 1);
        }
    }
    x = limited(net, normalizedConv(net, x, 1280, 1));
    x = net.avgPool(x, 7, {.padding = Padding::Valid});
    x = net.reshape(net.plainConv(x, 1000, {1, 1}), {1, 1000});
    return net.finish({{"scores", x}});
}

}  // namespace mitos::networks
