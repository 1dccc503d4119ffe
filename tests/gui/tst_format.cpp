// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and texts as all views show them: units, signs, percentages and factors, and what is cut.
#include "tests/support/test_program.h"
#include "views/common/elided_label.h"
#include "views/common/format.h"

#include <QFontMetricsF>
#include <QGuiApplication>
#include <QTest>

namespace tst_format {

using namespace mitos::views;

class TestFormat : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void amountsHaveTheUnitThatFits_data() {
        QTest::addColumn<double>("amount");
        QTest::addColumn<QString>("unit");
        QTest::addColumn<QString>("text");
        const auto row = [](double amount, const char* unit, const char* text) {
            QTest::newRow(text) << amount << QString::fromUtf8(unit) << QString::fromUtf8(text);
        };
        row(10'190.0, "µs", "10.19 ms");
        row(4.22, "µs", "4.22 µs");
        row(9'999.0, "µs", "9999 µs");
        row(9'999.9, "µs", "10 ms");
        row(0.85, "µs", "850 ns");
        row(-12'500.0, "µs", "−12.5 ms");
        row(31'880'000.0, "µs", "31.88 s");
        row(0.0, "µs", "0 µs");
        row(0.0005, "s", "500 µs");
        row(25'000.0, "s", "25 k s");
        row(31'880.0, "units", "31.88 k units");
        row(14.0, "nodes", "14 nodes");
        row(14.0, "", "14");
    }
    void amountsHaveTheUnitThatFits() {
        QFETCH(const double, amount);
        QFETCH(const QString, unit);
        QFETCH(const QString, text);
        QCOMPARE(amountText(amount, unit, QLocale::c()).replace(u'-', u'−'), text);
    }

    /// Its text stays whole for those who read it, and is painted with an ellipsis where there is no room.
    void aLabelSaysThatItIsCut() {
        ElidedLabel label;
        const QString text = QStringLiteral("cost 259.8 units once × 4,096 times = 1.064 M units, 99.6 % of 1.068 M");
        label.setText(text);
        label.resize(label.fontMetrics().horizontalAdvance(text) + 4, 20);
        QCOMPARE(label.shownText(), text);
        label.resize(label.width() / 2, 20);
        QVERIFY(label.shownText().endsWith(QChar(0x2026)));
        QVERIFY(text.startsWith(label.shownText().chopped(1)));
        QVERIFY(label.fontMetrics().horizontalAdvance(label.shownText()) <= label.width());
        QCOMPARE(label.text(), text);
        QCOMPARE(label.sizePolicy().horizontalPolicy(), QSizePolicy::Ignored);
    }

    void twoAmountsShareAUnit() {
        const QLocale plain = QLocale::c();
        QCOMPARE(fromToText(10'190.0, 871.0, QStringLiteral("µs"), plain), QStringLiteral("10.19 → 0.871 ms"));
        QCOMPARE(fromToText(4.22, 3.169, QStringLiteral("µs"), plain), QStringLiteral("4.22 → 3.169 µs"));
        QCOMPARE(fromToText(5, 3, QStringLiteral("units"), plain), QStringLiteral("5 → 3 units"));
    }

    void differencesOfTimesHaveAUnit() {
        const QLocale plain = QLocale::c();
        QCOMPARE(deltaText(-16'400.0, QStringLiteral("µs"), plain), QStringLiteral("▼ −16.4 ms"));
        QCOMPARE(deltaText(0.25, QStringLiteral("µs"), plain), QStringLiteral("▲ +250 ns"));
        QCOMPARE(deltaText(-9.0, QStringLiteral("units"), plain), QStringLiteral("▼ −9"));
        QCOMPARE(deltaText(0.0, QStringLiteral("µs"), plain), QStringLiteral("no change"));
    }

    void changesAreRelative_data() {
        QTest::addColumn<double>("before");
        QTest::addColumn<double>("after");
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("difference");
        const auto row = [](double before, double after, const char* change, const char* difference) {
            QTest::addRow("%g to %g", before, after)
                << before << after << QString::fromUtf8(change) << QString::fromUtf8(difference);
        };
        row(200, 190, "▼ −5.0 %", "▼ −10  −5.0 %");
        row(1e9, 1e9 - 330, "no change", "▼ −330");  // −3.3e-05 %
        row(10'000, 9'995.1, "no change", "▼ −4.9");
        row(10'000, 9'994, "▼ −0.1 %", "▼ −6  −0.1 %");
        row(7, 7, "no change", "no change");
        row(10, 110, "▲ +1000.0 %", "▲ +100  +1000.0 %");
        row(100, 1'250, "▲ × 12.5", "▲ +1150  × 12.5");
        row(1, -20, "▼ −21", "▼ −21");
        row(-1, 20, "▲ +21", "▲ +21");
        row(0, 3, "▲ +3", "▲ +3");
    }
    void changesAreRelative() {
        QFETCH(const double, before);
        QFETCH(const double, after);
        QTEST(changeText(before, after, QLocale::c()), "change");
        QTEST(differenceText(before, after, QLocale::c()), "difference");
    }

    void whatIsCutClosesItsBrackets_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("longest");
        QTest::addColumn<QString>("shown");
        const auto row = [](const char* text, int longest, const char* shown) {
            QTest::newRow(shown) << QString::fromUtf8(text) << longest << QString::fromUtf8(shown);
        };
        row("(add (mul x y) z)", 17, "(add (mul x y) z)");
        row("(add (mul x y) z)", 16, "(add (mul x y)…)");
        row("(add (mul x y) z)", 12, "(add (mul…))");
        row("Conv[pads=1](x, {y})", 10, "Conv[pad…]");
        row("alphabet", 5, "alph…");
        row("a)b(c", 4, "a)b…");
        row("((((((((", 5, "((…))");
        row("((((", 1, "…");
    }
    void whatIsCutClosesItsBrackets() {
        QFETCH(const QString, text);
        QFETCH(const int, longest);
        QTEST(shortened(text, longest), "shown");
    }

    void labelsCloseTheirBrackets() {
        const QFontMetricsF metrics{QGuiApplication::font()};
        const QString text = QStringLiteral("(add (mul x y) (mul x z))");
        const qreal whole = metrics.horizontalAdvance(text);
        QCOMPARE(elided(text, metrics, whole + 1), text);
        const QString shown = elided(text, metrics, 0.7 * whole);
        QVERIFY2(shown.startsWith(QStringLiteral("(add ")) && shown.contains(u'…'), qPrintable(shown));
        QCOMPARE(shown.count(u'('), shown.count(u')'));
        QVERIFY(metrics.horizontalAdvance(shown) <= 0.7 * whole);
    }
};

MITOS_TEST(TestFormat)

}  // namespace tst_format

#include "tst_format.moc"
