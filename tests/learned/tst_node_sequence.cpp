// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs as sequences of their nodes.
#include "core/base/random.h"
#include "search/learned/node_sequence.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <vector>

namespace tst_node_sequence {

using namespace mitos;
using namespace mitos::search::learned;

namespace {

using Numbers = std::vector<std::uint32_t>;

std::optional<Numbers> orderOf(std::uint32_t nodes, const Numbers& from, const Numbers& to,
                               const Numbers& begins = {}) {
    return sequenceOf({.nodes = nodes, .from = from, .to = to, .begins = begins});
}

}  // namespace

class TestNodeSequence : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void smallNumbersComeFirst() {
        QCOMPARE(*orderOf(4, {}, {}), (Numbers{0, 1, 2, 3}));
        QCOMPARE(*orderOf(4, {3}, {0}), (Numbers{1, 2, 3, 0}));
        QCOMPARE(*orderOf(4, {3, 3, 0}, {0, 1, 2}), (Numbers{3, 0, 1, 2}));
        QCOMPARE(*orderOf(3, {2, 2}, {0, 0}), (Numbers{1, 2, 0}));
        QCOMPARE(*orderOf(0, {}, {}), Numbers());
    }

    void graphsFollowEachOther() {
        QCOMPARE(*orderOf(4, {1, 3}, {0, 2}), (Numbers{1, 0, 3, 2}));
        QCOMPARE(*orderOf(5, {2, 4}, {0, 3}, {0, 3}), (Numbers{1, 2, 0, 4, 3}));
        QCOMPARE(*orderOf(5, {4}, {3}, {0, 3, 3}), (Numbers{0, 1, 2, 4, 3}));
    }

    void refusesWhatHasNoOrder() {
        QVERIFY(!orderOf(3, {0, 1, 2}, {1, 2, 0}));
        QVERIFY(!orderOf(2, {1}, {1}));
        QVERIFY(!orderOf(2, {0}, {2}));
        QVERIFY(!orderOf(4, {1}, {2}, {0, 2}));
        QVERIFY(!orderOf(4, {}, {}, {0, 5}));
        QVERIFY(!orderOf(4, {}, {}, {3, 1}));
    }

    /// The first of all topological orders by the numbers in it, which is what a choice of the smallest gives.
    void isTheFirstOfAllOrders() {
        Random random(4);
        for (int trial = 0; trial < 200; ++trial) {
            Numbers permutation{0, 1, 2, 3, 4, 5};
            for (std::size_t i = 5; i > 0; --i) std::swap(permutation[i], permutation[random.below(i + 1)]);
            Numbers from;
            Numbers to;
            for (std::size_t a = 0; a < 6; ++a) {
                for (std::size_t b = a + 1; b < 6; ++b) {
                    if (!random.chance(0.3)) continue;
                    from.push_back(permutation[a]);
                    to.push_back(permutation[b]);
                }
            }
            Numbers order{0, 1, 2, 3, 4, 5};
            const auto isValid = [&] {
                Numbers place(6);
                for (std::uint32_t i = 0; i < 6; ++i) place[order[i]] = i;
                for (std::size_t i = 0; i < from.size(); ++i)
                    if (place[from[i]] > place[to[i]]) return false;
                return true;
            };
            while (!isValid()) std::next_permutation(order.begin(), order.end());
            QCOMPARE(*orderOf(6, from, to), order);
        }
    }
};

MITOS_TEST(TestNodeSequence)

}  // namespace tst_node_sequence

#include "tst_node_sequence.moc"
