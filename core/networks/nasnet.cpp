// SPDX-License-Identifier: GPL-3.0-or-later
// NASNet-A: normal and reduction cells.
#include "core/networks/internal/families.h"

namespace mitos::networks {

namespace {

constexpr int NormalCells = 5;

/// A separable convolution: first each channel separately, then across channels.
TermId separable(NetworkBuilder& net, TermId x, std::int64_t width, std::int64_t kernel, std::int64_t stride = 1) {
    const std::int64_t channels = net.shape(x)[1];
    const std::int64_t groups = channels == width ? channels : 1;
    const TermId deep = net.conv(x, width, kernel, {.stride = stride, .groups = groups});
    return net.conv(deep, width, 1);
}

/// The output of the previous cell, brought to the width and size of the current one.
TermId fitted(NetworkBuilder& net, TermId previous, TermId current, std::int64_t width) {
    const bool isLarger = net.shape(previous)[2] != net.shape(current)[2];
    return net.conv(previous, width, isLarger ? 3 : 1, {.stride = isLarger ? 2 : 1, .relu = true});
}

TermId normalCell(NetworkBuilder& net, TermId previous, TermId current, std::int64_t width) {
    const TermId cur = net.conv(current, width, 1, {.relu = true});
    const TermId prev = fitted(net, previous, current, width);
    const auto average = [&net](TermId x) { return net.avgPool(x, 3, {}); };
    return net.concat({net.add(separable(net, cur, width, 3), cur),
                       net.add(separable(net, prev, width, 3), separable(net, cur, width, 3)),
                       net.add(average(cur), prev), net.add(average(prev), average(prev)),
                       net.add(separable(net, prev, width, 3), separable(net, prev, width, 3))});
}

TermId reductionCell(NetworkBuilder& net, TermId previous, TermId current, std::int64_t width) {
    const TermId cur = net.conv(current, width, 1, {.relu = true});
    const TermId prev = fitted(net, previous, current, width);
    const PoolOptions half{.stride = 2};
    const TermId o0 = net.add(separable(net, prev, width, 7, 2), separable(net, cur, width, 5, 2));
    const TermId o1 = net.add(net.maxPool(cur, 3, half), separable(net, prev, width, 7, 2));
    const TermId o2 = net.add(net.avgPool(cur, 3, half), separable(net, prev, width, 5, 2));
    const TermId o3 = net.add(net.maxPool(cur, 3, half), separable(net, o0, width, 3));
    const TermId o4 = net.add(net.avgPool(o0, 3, {}), o1);
    return net.concat({o0, o1, o2, o3, o4});
}

}  // namespace

tensor::Model buildNasNet(ir::TermBank& bank, Style style) {
    NetworkBuilder net(bank, "nasnet-a", style);
    TermId current = net.conv(net.input("image", {1, 3, 224, 224}), 64, 7, {.stride = 2, .relu = true});
    current = net.maxPool(current, 3, {.stride = 2});
    TermId previous = current;
    for (const std::int64_t width : {128, 256, 512}) {
        for (int i = 0; i < NormalCells; ++i) {
            const TermId next = normalCell(net, previous, current, width);
            previous = current;
            current = next;
        }
        const TermId next = reductionCell(net, previous, current, 2 * width);
        previous = current;
        current = next;
    }
    if (net.isRealistic()) current = net.classifier(net.relu(current), 1000);
    return net.finish({{"features", current}});
}

}  // namespace mitos::networks
