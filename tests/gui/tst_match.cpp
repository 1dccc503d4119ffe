// SPDX-License-Identifier: GPL-3.0-or-later
// The match debugger: what it lists, what it says about a rule that matches and one that does not, and what it follows.
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/match/internal/match_details.h"
#include "views/match/internal/match_steps_model.h"
#include "views/match/match_view.h"

#include <QAbstractItemModelTester>
#include <QDockWidget>
#include <QLabel>
#include <QTableView>
#include <QTextDocument>
#include <QToolButton>
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
    /// The sentence, as it is read on screen.
    [[nodiscard]] QString sentence() {
        QTextDocument text;
        text.setHtml(part<QLabel>("matchSentence").text());
        return text.toPlainText();
    }
    /// "✓ a / b | x / 2", a line for each part of the rule.
    [[nodiscard]] QStringList parts() {
        QStringList lines;
        for (QTreeWidgetItemIterator at(&part<QTreeWidget>("matchParts")); *at != nullptr; ++at) {
            lines << (*at)->text(0) + QStringLiteral(" | ") + (*at)->text(1);
        }
        return lines;
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
    void init() { test::forgetEverything(); }

    void aRuleThatMatchesShowsItsSubstitution() {
        Bench bench;
        QVERIFY(bench.load(test::CancelText));
        QVERIFY(bench.choose("assoc_div_mul"));
        QCOMPARE(bench.step(MatchStepsModel::TransitionColumn), QStringLiteral("★ ST-SUCCESS"));
        QCOMPARE(bench.state(QStringLiteral("θ")), QStringLiteral("a=x, b=2.0, c=2.0"));
        QCOMPARE(bench.sentence(),
                 QStringLiteral("assoc_div_mul matches here with a = x, b = 2, c = 2; it would become "
                                "x / 2 · 2."));
        QCOMPARE(bench.parts(),
                 (QStringList{QStringLiteral("✓ (a * b) / c | x · 2 / 2"), QStringLiteral("✓ a * b | x · 2"),
                              QStringLiteral("✓ a | x"), QStringLiteral("✓ b | 2"), QStringLiteral("✓ c | 2"),
                              QStringLiteral("✓ c.type == Float | ")}));
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
        QCOMPARE(bench.sentence(), QStringLiteral("div_one does not match here: it needs the number 1 at the right of "
                                                  "the quotient, but there is 2."));
        QCOMPARE(bench.parts(), (QStringList{QStringLiteral("✓ a / 1 | x · 2 / 2"), QStringLiteral("✓ a | x · 2"),
                                             QStringLiteral("✗ 1 | 2")}));
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
        QVERIFY(bench.sentence().startsWith(QStringLiteral("assoc_div_mul matches here with a = x")));
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

    void theMachineIsBehindDetails() {
        {
            Bench bench;
            QVERIFY(bench.load(test::CancelText));
            QVERIFY(bench.part<QLabel>("matchSentence").isVisible());
            QVERIFY(!bench.part<QTableView>("matchSteps").isVisible());
            auto& button = bench.part<QToolButton>("matchDetailsButton");
            QCOMPARE(button.text(), QStringLiteral("Details ▸"));
            button.click();
            QVERIFY(bench.part<QTableView>("matchSteps").isVisible());
            QCOMPARE(button.text(), QStringLiteral("Details ▾"));
        }
        Bench again;  // The choice is remembered.
        QVERIFY(again.load(test::CancelText));
        QVERIFY(again.part<QTableView>("matchSteps").isVisible());
        again.part<QToolButton>("matchDetailsButton").click();
        QVERIFY(!again.part<QTableView>("matchSteps").isVisible());
    }

    void inTheCentreAndBack() {
        test::ShownWindow shown;
        shown.window.document().openText(QStringLiteral("typed"), QString::fromUtf8(test::CancelText));
        QVERIFY(shown.isOpen());
        auto* view = shown.child<MatchView>("matchView");
        auto* dock = shown.child<QDockWidget>("dockMatch");
        QVERIFY(!view->isVisible());
        shown.trigger("matchInCentre");
        QTRY_VERIFY(view->isVisible());
        QVERIFY(!dock->isVisible());
        QVERIFY(!shown.child<QWidget>("programView")->isVisible());
        QVERIFY(view->height() > 300);
        QTRY_VERIFY(view->isComplete());
        QVERIFY(test::takePictures(shown.window, QStringLiteral("match-centre")));
        // Esc leads back, and the selection stays.
        shown.window.selection().setSubterm(ir::Path{0});
        QTest::keyClick(&shown.window, Qt::Key_Escape);
        QVERIFY(shown.child<QWidget>("programView")->isVisible());
        QCOMPARE(shown.window.selection().subterm(), std::optional(ir::Path{0}));
        QTRY_VERIFY(view->isVisible() && dock->isAncestorOf(view));
        // A double click on a rule leads to the centre; another perspective puts the view back.
        shown.child<QToolButton>("matchCentreButton")->click();
        QVERIFY(!dock->isAncestorOf(view));
        shown.trigger("perspectiveCompare");
        shown.trigger("perspectiveStep");
        QTRY_VERIFY(shown.child<QWidget>("programView")->isVisible());
        QVERIFY(dock->isAncestorOf(view));
        // So does its dock.
        shown.trigger("matchInCentre");
        shown.trigger("toDock5");
        QTRY_VERIFY(dock->isAncestorOf(view) && view->isVisible());
        // A second program may be opened meanwhile.
        shown.trigger("matchInCentre");
        shown.window.document().openText(QStringLiteral("typed"), QStringLiteral("(mul a (add b c))"));
        QTRY_VERIFY(shown.child<QWidget>("programView")->isVisible());
        QVERIFY(shown.isOpen());
        QVERIFY(dock->isAncestorOf(view));
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
