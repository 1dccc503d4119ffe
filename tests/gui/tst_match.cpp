// SPDX-License-Identifier: GPL-3.0-or-later
// The match debugger: what it lists, what it says about a rule that matches and one that does not, and what it follows.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/support/test_program.h"
#include "views/match/internal/match_steps_model.h"
#include "views/match/match_view.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QTableView>
#include <QTreeWidget>

namespace tst_match {

using namespace mitos;
using namespace mitos::views;

namespace {

/// A document, and the view on screen.
struct Bench : test::Desk {
    MatchView view{document, selection, jobs};

    Bench() {
        view.resize(1200, 320);
        view.show();
    }
    [[nodiscard]] bool load(const char* text) { return open(QString::fromUtf8(text)) && wait(); }
    [[nodiscard]] bool wait() {
        return QTest::qWaitFor([this] { return view.isComplete() && !document.isReceiving() && jobs.isIdle(); },
                               10'000);
    }
    template <typename T>
    [[nodiscard]] T& part(const char* name) {
        T* found = view.findChild<T*>(QString::fromUtf8(name));
        if (found == nullptr) qFatal("no %s", name);
        return *found;
    }
    [[nodiscard]] RuleVerdictsModel& verdicts() {
        return *qobject_cast<RuleVerdictsModel*>(part<QTableView>("matchRules").model());
    }
    [[nodiscard]] bool choose(const char* rule) {
        const int row = verdicts().rowOf(QString::fromUtf8(rule));
        if (row < 0) return false;
        part<QTableView>("matchRules").setCurrentIndex(verdicts().index(row, 0));
        return wait();
    }
    /// A cell of the step that is selected.
    [[nodiscard]] QString step(MatchStepsModel::Column column) {
        return part<QTableView>("matchSteps").currentIndex().siblingAtColumn(column).data().toString();
    }
    /// "a=x, b=2.0" of a branch of the state.
    [[nodiscard]] QString state(const QString& branch) {
        const QTreeWidget& tree = part<QTreeWidget>("matchState");
        QStringList values;
        for (int i = 0; i < tree.topLevelItemCount(); ++i) {
            const QTreeWidgetItem* item = tree.topLevelItem(i);
            if (!item->text(0).startsWith(branch)) continue;
            for (int k = 0; k < item->childCount(); ++k) {
                values << item->child(k)->text(0) + QLatin1Char('=') + item->child(k)->text(1);
            }
        }
        return values.join(QStringLiteral(", "));
    }
    [[nodiscard]] QString marked(const char* text) {
        const auto selections = part<MatchText>(text).extraSelections();
        return selections.isEmpty() ? QString() : selections.front().cursor.selectedText();
    }
};

}  // namespace

class TestMatch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRuleThatMatchesShowsItsSubstitution() {
        Bench bench;
        QVERIFY(bench.load(test::CancelText));
        QVERIFY(bench.choose("assoc_div_mul"));
        QCOMPARE(bench.step(MatchStepsModel::TransitionColumn), QStringLiteral("★ ST-SUCCESS"));
        QCOMPARE(bench.state(QStringLiteral("θ")), QStringLiteral("a=x, b=2.0, c=2.0"));
        QVERIFY(bench.part<QLabel>("matchOutcome").text().startsWith(QStringLiteral("★ assoc_div_mul")));
        const int row = bench.verdicts().rowOf(QStringLiteral("assoc_div_mul"));
        QVERIFY(bench.verdicts().verdict(row).matches);
        const QAbstractItemModelTester verdicts(&bench.verdicts(),
                                                QAbstractItemModelTester::FailureReportingMode::Fatal);
        const QAbstractItemModelTester steps(bench.part<QTableView>("matchSteps").model(),
                                             QAbstractItemModelTester::FailureReportingMode::Fatal);
        QVERIFY(test::takePictures(bench.view, QStringLiteral("match-success")));
    }

    void aRuleThatDoesNotMatchShowsWhereItIsRefused() {
        Bench bench;
        QVERIFY(bench.load(test::CancelText));
        QVERIFY(bench.choose("div_one"));  // a / 1 => a, but the divisor is 2.0
        QVERIFY(bench.step(MatchStepsModel::TransitionColumn).startsWith(QStringLiteral("✗ ST-MATCH-NUMBER")));
        QCOMPARE(bench.marked("matchPattern"), QStringLiteral("1"));
        QCOMPARE(bench.marked("matchSubject"), QStringLiteral("2.0"));
        QVERIFY(bench.part<QLabel>("matchOutcome").text().startsWith(QStringLiteral("✗ div_one")));
        QVERIFY(test::takePictures(bench.view, QStringLiteral("match-refused")));
    }

    void theNearestRulesComeFirst() {
        Bench bench;
        QVERIFY(bench.load(test::CancelText));
        const RuleVerdictsModel& verdicts = bench.verdicts();
        QCOMPARE(static_cast<std::size_t>(verdicts.rowCount()), bench.document.rules().directions().size());
        const int matching = verdicts.matching();
        QVERIFY(matching > 0 && matching < verdicts.rowCount());
        for (int row = 0; row < verdicts.rowCount(); ++row) {
            QCOMPARE(verdicts.verdict(row).matches, row < matching);
            QCOMPARE(verdicts.verdict(row).reason.isEmpty(), row < matching);
            if (row > matching) QVERIFY(verdicts.verdict(row).progress <= verdicts.verdict(row - 1).progress);
        }
        // It has a division in common with the program, which a rule about sums has not.
        QVERIFY(verdicts.rowOf(QStringLiteral("div_one")) < verdicts.rowOf(QStringLiteral("commute_add")));
    }

    void itFollowsTheSelection() {
        Bench bench;
        QVERIFY(bench.load(test::CancelText));
        bench.selection.setSubterm(ir::Path{0});
        QVERIFY(bench.wait());
        QCOMPARE(bench.part<MatchText>("matchSubject").toPlainText(), QStringLiteral("(mul x 2.0)"));
        QVERIFY(bench.choose("commute_mul"));
        QCOMPARE(bench.state(QStringLiteral("θ")), QStringLiteral("a=x, b=2.0"));

        const auto rewrite = test::findStep(bench.document, "assoc_div_mul");
        QVERIFY(rewrite.has_value());
        bench.selection.setRewrite(*rewrite);
        QVERIFY(bench.wait());
        QCOMPARE(bench.part<MatchText>("matchSubject").toPlainText(), QStringLiteral("(div (mul x 2.0) 2.0)"));
        QVERIFY(bench.part<QLabel>("matchOutcome").text().startsWith(QStringLiteral("★ assoc_div_mul")));
    }

    void aSubtermOfSeveralLinesStandsAtTheLeft() {
        Bench bench;
        QVERIFY(bench.load(
            "(let (t (mul a (exp b))) (add (mul (exp t) (exp (mul t t))) (div (exp (mul t a)) (mul t 2.0))))"));
        bench.selection.setSubterm(ir::Path{1});
        QVERIFY(bench.wait());
        const QStringList lines = bench.part<MatchText>("matchSubject").toPlainText().split(QLatin1Char('\n'));
        QVERIFY(lines.size() > 1);
        QVERIFY(lines.front().startsWith(QLatin1String("(add")));
        for (const QString& line : lines.mid(1)) QVERIFY2(!line.startsWith(QLatin1String("      ")), qPrintable(line));
        // What is marked is still what it was.
        QVERIFY(bench.choose("div_one"));
        bench.part<QTableView>("matchSteps").selectRow(0);
        QVERIFY(bench.marked("matchSubject").startsWith(QLatin1String("(add")));
        QVERIFY(bench.marked("matchSubject").endsWith(QLatin1String("2.0)))")));
    }

    void itAsksNothingWhileItIsHidden() {
        Bench bench;
        bench.view.hide();
        QVERIFY(bench.open(QString::fromUtf8(test::CancelText)));
        QCOMPARE(bench.verdicts().rowCount(), 0);
        bench.view.show();
        QVERIFY(bench.wait());
        QVERIFY(bench.verdicts().rowCount() > 0);
    }
};

MITOS_TEST(TestMatch)

}  // namespace tst_match

#include "tst_match.moc"
