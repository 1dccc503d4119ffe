// SPDX-License-Identifier: GPL-3.0-or-later
// The random numbers themselves: published outputs of Philox, and beta distributions with closed forms.
#include "core/random_keys/beta.h"
#include "core/random_keys/philox.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <numbers>

namespace tst_beta {

using namespace mitos::random_keys;

class TestBeta : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The known answers that the authors of Philox publish with Random123.
    void philoxGivesThePublishedNumbers() {
        QVERIFY((Philox(0)({0, 0, 0, 0}) == Philox::Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
        QVERIFY((Philox(0xffffffffffffffff)({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}) ==
                 Philox::Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
        QVERIFY((Philox(0x299f31d0a4093822)({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}) ==
                 Philox::Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
    }

    void probabilitiesAreThoseOfClosedForms() {
        for (const double x : {0.01, 0.2, 0.5, 0.77, 0.999}) {
            const auto isClose = [](double found, double expected) { return std::abs(found - expected) < 1e-8; };
            QVERIFY(isClose(probabilityUpTo({1.0, 1.0}, x), x));
            QVERIFY(isClose(probabilityUpTo({2.0, 1.0}, x), x * x));
            QVERIFY(isClose(probabilityUpTo({1.0, 3.0}, x), 1.0 - std::pow(1.0 - x, 3)));
            QVERIFY(isClose(probabilityUpTo({2.0, 2.0}, x), 3.0 * x * x - 2.0 * x * x * x));
            QVERIFY(isClose(probabilityUpTo({0.5, 0.5}, x), 2.0 / std::numbers::pi * std::asin(std::sqrt(x))));
        }
        QCOMPARE(probabilityUpTo({2.0, 5.0}, 0.0), 0.0);
        QCOMPARE(probabilityUpTo({2.0, 5.0}, 1.0), 1.0);
    }

    void quantilesInvertProbabilities_data() {
        QTest::addColumn<double>("alpha");
        QTest::addColumn<double>("beta");
        QTest::newRow("slope") << 2.0 << 1.0;
        QTest::newRow("u-shaped") << 0.5 << 0.5;
        QTest::newRow("low and narrow") << 1.6 << 14.4;
        QTest::newRow("high") << 7.2 << 0.8;
        QTest::newRow("very narrow") << 5'000.0 << 5'000.0;
    }
    void quantilesInvertProbabilities() {
        QFETCH(const double, alpha);
        QFETCH(const double, beta);
        const Quantiles quantiles({alpha, beta});
        double sum = 0.0;
        constexpr int Draws = 10'000;
        for (int i = 0; i < Draws; ++i) {
            const float u = (static_cast<float>(i) + 0.5F) / Draws;
            const double x = static_cast<double>(quantiles(u));
            QVERIFY(x >= 0.0 && x <= 1.0);
            QVERIFY(std::abs(probabilityUpTo({alpha, beta}, x) - static_cast<double>(u)) < 0.003);
            sum += x;
        }
        QVERIFY(std::abs(sum / Draws - alpha / (alpha + beta)) < 0.001);
    }

    /// The table's own entries are quantiles up to the rounding of floats, also where Newton's method alone would leave the interval.
    void entriesAreExact() {
        for (const Beta& beta :
             {Beta{2.0, 1.0}, Beta{0.5, 0.5}, Beta{0.8, 7.2}, Beta{7.2, 0.8}, Beta{0.3, 4.0}, Beta{40.0, 40.0}}) {
            const Quantiles quantiles(beta);
            for (int i = 1; i < 256; ++i) {
                const double u = i / 256.0;
                const auto x = static_cast<double>(quantiles(static_cast<float>(u)));
                QVERIFY(std::abs(probabilityUpTo(beta, x) - u) < 2e-5);
            }
        }
        const Quantiles extreme({0.01, 10'000.0});
        QVERIFY(extreme(0.5F) >= 0.0F && extreme(0.5F) < 1e-4F);
    }

    void isMadeOfMeanAndConcentration() {
        QVERIFY((Beta::ofMean(0.25, 8.0) == Beta{2.0, 6.0}));
        QVERIFY(Beta::ofMean(0.5, 2.0).isUniform());
    }
};

MITOS_TEST(TestBeta)

}  // namespace tst_beta

#include "tst_beta.moc"
