// SPDX-License-Identifier: GPL-3.0-or-later
// A result that is no program, an order of its nodes, goes the way of every result: banner, comparison, session.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_outcome.h"
#include "views/compare/compare_model.h"
#include "views/document/verdicts.h"

#include <QObject>
#include <QSignalSpy>
#include <QTreeView>
#include <memory>

namespace tst_outcomes {

using namespace mitos;
using namespace mitos::views;

namespace {

struct Window : test::ShownWindow {
    [[nodiscard]] bool order(std::size_t missing) {
        SearchSettings settings;
        settings.strategy = QStringLiteral("order");
        return window.document().startSearch(settings, std::make_shared<tests::OrderStrategy>(missing)) != 0 &&
               settle();
    }
    [[nodiscard]] const Run& lastRun() { return window.document().runs().back(); }
    [[nodiscard]] QString banner() { return child<QWidget>("resultBanner")->accessibleName(); }
};

}  // namespace

class TestOutcomes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void isShownStoredAndReadAgain() {
        Window shown;
        shown.window.document().openText(QStringLiteral("typed"), QStringLiteral("(add (mul a b) c)"));
        QVERIFY(shown.isOpen());
        QVERIFY(shown.order(0));
        QCOMPARE(shown.lastRun().outcomeSummary, std::string("5 nodes"));
        QCOMPARE(shown.lastRun().bestCost, 1.0);
        QCOMPARE(verdictText(shown.lastRun()), QStringLiteral("✓ order checked"));
        QCOMPARE(marksText(*shown.lastRun().verdict), QStringLiteral("✓ order checked"));
        QVERIFY2(shown.banner().contains(QLatin1String("order: 5 nodes")), qPrintable(shown.banner()));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("outcome-order")));
        const QString session = shown.window.document().sessionPath();
        shown.window.document().openText(QStringLiteral("other"), QStringLiteral("(add x y)"));
        QVERIFY(shown.isOpen());
        QVERIFY(shown.window.document().runs().empty());
        shown.window.openSession(session);
        QVERIFY(QTest::qWaitFor([&] { return !shown.window.document().runs().empty(); }, 20'000) && shown.settle());
        QCOMPARE(shown.lastRun().outcome, std::string("order 4 3 2 1 0"));
        QCOMPARE(shown.lastRun().bestCost, 1.0);
        QCOMPARE(verdictText(shown.lastRun()), QStringLiteral("✓ order checked"));
    }

    void whatItsCheckerRefusesIsNotAResult() {
        Window shown;
        shown.window.document().openText(QStringLiteral("typed"), QStringLiteral("(add (mul a b) c)"));
        QVERIFY(shown.isOpen());
        QSignalSpy failed(&shown.window.document(), &Document::failed);
        QVERIFY(shown.order(1));
        QVERIFY(shown.lastRun().outcomeKind.empty());
        QCOMPARE(shown.lastRun().bestCost, shown.lastRun().initialCost);
        QCOMPARE(failed.count(), 1);
        QCOMPARE(failed.front().at(0).toString(), QStringLiteral("The order of order #1 is not valid"));
        QVERIFY(failed.front().at(1).toString().contains(QLatin1String("4 of 5 nodes")));
        QVERIFY2(shown.banner().contains(QLatin1String("Nothing cheaper")), qPrintable(shown.banner()));
    }

    void isComparedWithThreads() {
        Window shown;
        shown.window.document().openText(QStringLiteral("typed"), QStringLiteral("(add (mul a b) c)"));
        QVERIFY(shown.isOpen());
        QVERIFY(shown.order(0));
        SearchSettings greedy;
        greedy.strategy = QStringLiteral("greedy");
        greedy.budget.evaluations = 50;
        shown.window.document().startSearch(greedy);
        QVERIFY(shown.settle());
        CompareModel model(shown.window.document());
        QTRY_COMPARE(model.rowCount(), 2);
        QStringList tips;
        for (int row = 0; row < 2; ++row) {
            tips << model.index(row, CompareModel::BestColumn).data(Qt::ToolTipRole).toString();
        }
        QVERIFY2(tips.join(QLatin1Char('\n')).contains(QLatin1String("order: 5 nodes")),
                 qPrintable(tips.join(QString())));
    }
};

MITOS_TEST(TestOutcomes)

}  // namespace tst_outcomes

#include "tst_outcomes.moc"
