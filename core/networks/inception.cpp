// SPDX-License-Identifier: GPL-3.0-or-later
// Inception-v3.
#include "core/networks/internal/families.h"

namespace mitos::networks {

namespace {

class Inception {
public:
    explicit Inception(NetworkBuilder& net) : m_net(net) {}

    TermId stem(TermId x) {
        x = conv(x, 32, 3, 2, Padding::Valid);
        x = conv(x, 32, 3, 1, Padding::Valid);
        x = conv(x, 64, 3);
        x = halved(x);
        x = conv(x, 80, 1);
        x = conv(x, 192, 3, 1, Padding::Valid);
        return halved(x);
    }

    TermId blockA(TermId x, std::int64_t poolWidth) {
        return m_net.concat({conv(x, 64, 1), conv(conv(x, 48, 1), 64, 5), conv(conv(conv(x, 64, 1), 96, 3), 96, 3),
                             conv(m_net.avgPool(x, 3, {}), poolWidth, 1)});
    }

    TermId blockB(TermId x) {
        return m_net.concat({conv(x, 384, 3, 2, Padding::Valid),
                             conv(conv(conv(x, 64, 1), 96, 3), 96, 3, 2, Padding::Valid), halved(x)});
    }

    TermId blockC(TermId x, std::int64_t c) {
        const TermId two = tall(wide(conv(x, c, 1), c), 192);
        const TermId four = wide(tall(wide(tall(conv(x, c, 1), c), c), c), 192);
        return m_net.concat({conv(x, 192, 1), two, four, conv(m_net.avgPool(x, 3, {}), 192, 1)});
    }

    TermId blockD(TermId x) {
        const TermId deep = tall(wide(conv(x, 192, 1), 192), 192);
        return m_net.concat(
            {conv(conv(x, 192, 1), 320, 3, 2, Padding::Valid), conv(deep, 192, 3, 2, Padding::Valid), halved(x)});
    }

    /// The pool is a maximum in the last block and an average in the others.
    TermId blockE(TermId x, bool isLast) {
        const TermId one = conv(x, 384, 1);
        const TermId two = conv(conv(x, 448, 1), 384, 3);
        const TermId pooled = isLast ? m_net.maxPool(x, 3, {}) : m_net.avgPool(x, 3, {});
        return m_net.concat({conv(x, 320, 1), m_net.concat({flat(one, 384), high(one, 384)}),
                             m_net.concat({flat(two, 384), high(two, 384)}), conv(pooled, 192, 1)});
    }

private:
    TermId conv(TermId x, std::int64_t width, std::int64_t kernel, std::int64_t stride = 1,
                Padding padding = Padding::Same) {
        return m_net.conv(x, width, kernel, {.stride = stride, .padding = padding, .relu = true});
    }
    TermId oblong(TermId x, std::int64_t width, std::pair<std::int64_t, std::int64_t> kernel) {
        return m_net.conv(x, width, kernel, {.relu = true});
    }
    TermId wide(TermId x, std::int64_t width) { return oblong(x, width, {1, 7}); }
    TermId tall(TermId x, std::int64_t width) { return oblong(x, width, {7, 1}); }
    TermId flat(TermId x, std::int64_t width) { return oblong(x, width, {1, 3}); }
    TermId high(TermId x, std::int64_t width) { return oblong(x, width, {3, 1}); }
    TermId halved(TermId x) { return m_net.maxPool(x, 3, {.stride = 2, .padding = Padding::Valid}); }

    NetworkBuilder& m_net;
};

}  // namespace

tensor::Model buildInception(ir::TermBank& bank, Style style) {
    NetworkBuilder net(bank, "inception-v3", style);
    Inception inception(net);
    TermId x = inception.stem(net.input("image", {1, 3, 299, 299}));
    for (const std::int64_t poolWidth : {32, 64, 64}) x = inception.blockA(x, poolWidth);
    x = inception.blockB(x);
    for (const std::int64_t width : {128, 160, 160, 192}) x = inception.blockC(x, width);
    x = inception.blockD(x);
    x = inception.blockE(x, false);
    x = inception.blockE(x, true);
    if (net.isRealistic()) return net.finish({{"scores", net.classifier(x, 1000)}});
    return net.finish({{"features", net.avgPool(x, 8, {.padding = Padding::Valid})}});
}

}  // namespace mitos::networks
