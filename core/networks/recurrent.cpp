// SPDX-License-Identifier: GPL-3.0-or-later
// NASRNN, whose recurrent cell was found by an architecture search.
#include "core/networks/internal/families.h"

#include <array>

namespace mitos::networks {

namespace {

constexpr std::int64_t Width = 512;
constexpr int Steps = 5;

TermId cell(NetworkBuilder& net, TermId x, TermId h) {
    std::array<TermId, 8> t;
    for (TermId& gate : t) {
        const TermId fromInput = net.matmul(x, net.weight("w", {Width, Width}));
        const TermId fromState = net.matmul(h, net.weight("v", {Width, Width}));
        gate = net.add(fromInput, fromState);
        if (net.isRealistic()) gate = net.add(gate, net.weight("bias", {Width}));
    }
    const TermId m0 = net.add(net.relu(t[0]), net.sigmoid(t[3]));
    const TermId m1 = net.add(net.sigmoid(t[1]), net.tanh(t[2]));
    const TermId m2 = net.mul(net.sigmoid(t[4]), net.tanh(t[5]));
    const TermId m3 = net.mul(net.sigmoid(t[6]), net.relu(t[7]));
    const TermId m4 = net.add(net.sigmoid(m1), net.tanh(m2));
    const TermId m5 = net.mul(net.tanh(m0), net.tanh(m3));
    return net.tanh(net.mul(net.tanh(m4), net.tanh(m5)));
}

}  // namespace

tensor::Model buildNasRnn(ir::TermBank& bank, Style style) {
    NetworkBuilder net(bank, "nasrnn", style);
    TermId h = net.isRealistic() ? net.input("h0", {1, Width}) : net.weight("h0", {1, Width});
    std::array<TermId, Steps> inputs;
    for (int i = 0; i < Steps; ++i)
        inputs[static_cast<std::size_t>(i)] = net.input("x" + std::to_string(i), {1, Width});
    for (const TermId x : inputs) h = cell(net, x, h);
    return net.finish({{"h", h}});
}

}  // namespace mitos::networks
