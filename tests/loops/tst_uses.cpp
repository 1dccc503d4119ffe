// SPDX-License-Identifier: GPL-3.0-or-later
// How bound variables occur, against walks over the terms, and in how many steps.
#include "core/ir/binding.h"
#include "core/loops/internal/uses.h"
#include "tests/loops/lowered.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

namespace tst_uses {

using namespace mitos;
using loops::Uses;
using tests::Lowered;

namespace {

/// The body of the first let of the program.
ir::TermId bodyOf(const Lowered& lowered) { return lowered.bank.child(lowered.program.root, 1); }

}  // namespace

class TestUses : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void occurrences_data();
    void occurrences();
    void mentionsAreThoseOfTheTerms();
    void stepsGrowWithTheProgram_data();
    void stepsGrowWithTheProgram();
    void setsMoveOutOfBinders();
};

void TestUses::occurrences_data() {
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("body");
    QTest::addColumn<int>("count");
    QTest::addColumn<bool>("isOnlyProjected");
    QTest::addColumn<bool>("isOnlyIndexed");
    QTest::newRow("none") << "(tuple 1.0 2.0)"
                          << "x" << 0 << true << true;
    QTest::newRow("one part") << "(tuple 1.0 2.0)"
                              << "(get$1$2 p)" << 1 << true << false;
    QTest::newRow("both parts") << "(tuple 1.0 2.0)"
                                << "(add (get$1$2 p) (get$2$2 p))" << 2 << true << false;
    QTest::newRow("the whole") << "(tuple 1.0 2.0)"
                               << "(get$1$2 (tuple (get$1$2 p) p))" << 2 << false << false;
    QTest::newRow("an element") << "(Vec_init 1.0 2.0)"
                                << "(index 1 p)" << 1 << false << true;
    QTest::newRow("elements and size") << "(Vec_init 1.0 2.0)"
                                       << "(index (sub (size p) 1) p)" << 2 << false << false;
    QTest::newRow("in a function") << "(Vec_init 1.0 2.0)"
                                   << "(sumbuild 2 (lam (i : Integer) (index i p)))" << 2 << false << true;
    QTest::newRow("below a let") << "(Vec_init 1.0 2.0)"
                                 << "(let (q (index 0 p)) (mul q q))" << 1 << false << true;
}

void TestUses::occurrences() {
    QFETCH(const QString, value);
    QFETCH(const QString, body);
    const Lowered lowered(QStringLiteral("(def f Float (x : Float) (let (p %1) %2))").arg(value, body).toStdString());
    Uses uses(lowered.bank);
    QTEST(uses.count(bodyOf(lowered), 0), "count");
    QTEST(uses.isOnlyProjected(bodyOf(lowered), 0), "isOnlyProjected");
    QTEST(uses.isOnlyIndexed(bodyOf(lowered), 0), "isOnlyIndexed");
}

void TestUses::mentionsAreThoseOfTheTerms() {
    const Lowered lowered(tests::chainOfLets(100, true));  // more variables than a word has bits
    Uses uses(lowered.bank);
    std::uint32_t around = 0;
    for (ir::TermId term = lowered.program.root; lowered.bank.childCount(term) == 2; ++around) {
        const bool isLet = lowered.bank.is(term, ir::CoreOp::Let);
        for (std::uint32_t variable = 0; variable < around + 2; ++variable) {
            QCOMPARE(uses.mentions(term, variable), ir::mentions(lowered.bank, term, variable));
        }
        term = lowered.bank.child(term, isLet ? 1 : 0);
    }
    QVERIFY(around > 100);
}

void TestUses::stepsGrowWithTheProgram_data() {
    QTest::addColumn<bool>("all");
    QTest::newRow("each uses the one before") << false;
    QTest::newRow("the last uses all") << true;
}

/// All questions about each of the lets look at each term once.
void TestUses::stepsGrowWithTheProgram() {
    QFETCH(const bool, all);
    for (const int count : {100, 200, 400}) {
        const Lowered lowered(tests::chainOfLets(count, all));
        Uses uses(lowered.bank);
        for (ir::TermId term = lowered.program.root; lowered.bank.is(term, ir::CoreOp::Let);) {
            term = lowered.bank.child(term, 1);
            QVERIFY(uses.mentions(term, 0));
            QVERIFY(!uses.isOnlyProjected(term, 0) && !uses.isOnlyIndexed(term, 0));
        }
        // For each let the let itself, the sum, the sine, a name in each, and a sum at the end.
        QVERIFY2(uses.looked() <= static_cast<std::size_t>(6 * count), qPrintable(QString::number(uses.looked())));
    }
}

void TestUses::setsMoveOutOfBinders() {
    loops::VariableSet set;
    for (const std::uint32_t variable : {0U, 5U, 64U, 130U}) set.insert(variable);
    const loops::VariableSet outside = set.outside(2);
    for (const std::uint32_t variable : {3U, 62U, 128U}) QVERIFY(outside.contains(variable));
    QVERIFY(!outside.contains(0) && !outside.contains(64));
    QVERIFY(set.outside(64).contains(0) && set.outside(64).contains(66) && !set.outside(131).contains(0));
    loops::VariableSet other;
    other.insert(130);
    other.insert(7);
    QVERIFY(set.common(other).contains(130) && !set.common(other).contains(7) && !set.common(other).contains(0));
}

MITOS_TEST(TestUses)

}  // namespace tst_uses

#include "tst_uses.moc"
