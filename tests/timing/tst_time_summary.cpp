// SPDX-License-Identifier: GPL-3.0-or-later
// Summaries of measured times, and ratios of times measured alternately.
#include "core/base/random.h"
#include "core/timing/summary.h"
#include "core/timing/time_ratio.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <vector>

namespace tst_time_summary {

using namespace mitos;

class TestTimeSummary : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSummaryHasTheNumbersOfAllBlocks() {
        const timing::TimeSummary summary = timing::summaryOf({{3.0, 1.0}, {2.0, 5.0, 4.0}}, 7);
        QCOMPARE(summary.seconds.least, 1.0);
        QCOMPARE(summary.seconds.lower, 2.0);
        QCOMPARE(summary.seconds.median, 3.0);
        QCOMPARE(summary.seconds.upper, 4.0);
        QCOMPARE(summary.seconds.most, 5.0);
        QCOMPARE(summary.seconds.width(), 2.0);
        QCOMPARE(summary.count, std::size_t{5});
        QCOMPARE(summary.calls, 7U);
    }

    void oneMeasurementIsItsOwnInterval() {
        const timing::TimeSummary summary = timing::summaryOf({{0.25}});
        QCOMPARE(summary.seconds.median, 0.25);
        QCOMPARE(summary.likely.low, 0.25);
        QCOMPARE(summary.likely.high, 0.25);
    }

    void mediansHaveIntervals() {
        Random random(1);
        timing::Blocks blocks(5);
        for (std::vector<double>& block : blocks) {
            for (int round = 0; round < 20; ++round) block.push_back(random.uniform(1.0, 1.1));
        }
        const timing::Interval steady = timing::summaryOf(blocks).likely;
        QVERIFY(steady.low < 1.05 && steady.low > 1.02);
        QVERIFY(steady.high > 1.05 && steady.high < 1.08);
        // Blocks that differ make it wider.
        blocks[0] = std::vector<double>(20, 2.0);
        blocks[1] = std::vector<double>(20, 2.0);
        const timing::Interval wide = timing::summaryOf(blocks).likely;
        QVERIFY(wide.high == 2.0);
        QVERIFY(wide.low < 1.08);
    }

    void ratiosHaveIntervals() {
        std::vector<timing::PairedTimes> same;
        std::vector<timing::PairedTimes> faster;
        Random random(1);
        for (int block = 0; block < 5; ++block) {
            timing::PairedTimes& a = same.emplace_back();
            timing::PairedTimes& b = faster.emplace_back();
            for (int round = 0; round < 20; ++round) {
                a.first.push_back(random.uniform(1.0, 1.1));
                a.other.push_back(random.uniform(1.0, 1.1));
                b.first.push_back(random.uniform(1.0, 1.1));
                b.other.push_back(random.uniform(0.9, 1.0));
            }
        }
        const timing::TimeRatio equal = timing::timeRatio(same);
        QVERIFY(equal.low < 1.0 && equal.high > 1.0);
        QCOMPARE(static_cast<int>(equal.pace()), static_cast<int>(timing::Pace::Same));
        const timing::TimeRatio less = timing::timeRatio(faster);
        QVERIFY(less.low <= less.value && less.value <= less.high);
        QVERIFY(std::abs(less.value - 0.902) < 0.02);
        QCOMPARE(static_cast<int>(less.pace()), static_cast<int>(timing::Pace::Faster));
        // One block that differs from the others makes the interval wide.
        faster[0].other = std::vector<double>(20, 2.0);
        faster[1].other = std::vector<double>(20, 2.0);
        QVERIFY(!timing::timeRatio(faster).isFaster());
    }
};

MITOS_TEST(TestTimeSummary)

}  // namespace tst_time_summary

#include "tst_time_summary.moc"
