// SPDX-License-Identifier: GPL-3.0-or-later
// Whether costs expected what was measured, and the sentences that say so.
#include "core/timing/expectation.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <string>

namespace tst_expectation {

using namespace mitos;
using namespace Qt::StringLiterals;

class TestExpectation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void expectationsAreMetOrNot_data() {
        QTest::addColumn<double>("expected");
        QTest::addColumn<double>("value");
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<bool>("isMet");
        const auto row = [](const char* name, double expected, double value, double low, double high, bool isMet) {
            QTest::newRow(name) << expected << value << low << high << isMet;
        };
        row("a gain that was found", 0.8, 0.9, 0.88, 0.92, true);
        row("a gain that was not found", 0.8, 1.0, 0.98, 1.02, false);
        row("a gain that is a loss", 0.8, 1.06, 1.03, 1.09, false);
        row("a loss that was found", 1.2, 1.06, 1.03, 1.09, true);
        row("a loss that was not found", 1.2, 1.0, 0.98, 1.02, false);
        row("a loss that is a gain", 1.2, 0.9, 0.88, 0.92, false);
        row("no difference, and none was found", 1.0, 1.0, 0.98, 1.02, true);
        row("no difference, but it is a gain", 1.0, 0.9, 0.88, 0.92, false);
        row("no difference, but it is a loss", 1.0, 1.06, 1.03, 1.09, false);
        row("less than noise is no difference", 0.991, 1.0, 0.995, 1.005, true);
        row("a small gain that the measurement does not exclude", 0.985, 1.0, 0.97, 1.03, true);
        row("a small gain that the measurement excludes", 0.985, 1.0, 0.995, 1.005, false);
    }
    void expectationsAreMetOrNot() {
        QFETCH(const double, expected);
        QFETCH(const double, value);
        QFETCH(const double, low);
        QFETCH(const double, high);
        const auto expectation = timing::expectationOf(2.0, 2.0 * expected, {value, low, high});
        QVERIFY(expectation.has_value());
        QTEST(expectation->isMet(), "isMet");
    }

    void costsWithoutARatioExpectNothing() {
        QVERIFY(!timing::expectationOf(0.0, 1.0, {}));
        QVERIFY(!timing::expectationOf(-1.0, 1.0, {}));
        QVERIFY(!timing::expectationOf(std::nullopt, 1.0, {}));
        QVERIFY(!timing::expectationOf(1.0, std::nullopt, {}));
    }

    void sentencesHaveTheSameWordsEverywhere() {
        const timing::Expectation slower{0.81, {1.06, 1.03, 1.09}};
        const std::string who = timing::costModelText("roofline:processor,kernels=onnxruntime");
        QCOMPARE(QString::fromStdString(timing::expectationText(who, slower, "time")),
                 u"The cost model roofline expected 0.81 of the time; measured 1.06 (1.030 to 1.09): slower."_s);
        const timing::Expectation same{1.2, {1.0, 0.991, 1.006}};
        QCOMPARE(QString::fromStdString(timing::expectationText(timing::OperatorsText, same, "time")),
                 u"The sum of the operators' times expected 1.20 of the time; measured 1.000 (0.991 to 1.006): no "
                 "difference beyond noise."_s);
        QCOMPARE(QString::fromStdString(timing::measuredText({0.5, 0.4, 0.6})),
                 u"measured 0.50 (0.40 to 0.60): faster"_s);
    }

    void numbersHaveTheFormOfTheLanguage() {
        const auto comma = [](double ratio) {
            std::string text = timing::ratioText(ratio);
            text[text.find('.')] = ',';
            return text;
        };
        QCOMPARE(QString::fromStdString(
                     timing::expectationText("The cost model size", {0.5, {0.25, 0.2, 0.3}}, "cost", comma)),
                 u"The cost model size expected 0,50 of the cost; measured 0,25 (0,20 to 0,30): faster."_s);
    }

    void pacesHaveKeysAndWords() {
        QCOMPARE(timing::toString(timing::Pace::Faster), "faster");
        QCOMPARE(timing::toString(timing::Pace::Same), "same");
        QCOMPARE(timing::toString(timing::Pace::Slower), "slower");
        QCOMPARE(timing::wordsFor(timing::Pace::Same), "no difference beyond noise");
        QCOMPARE(timing::wordsFor(timing::Pace::Slower), "slower");
    }
};

MITOS_TEST(TestExpectation)

}  // namespace tst_expectation

#include "tst_expectation.moc"
