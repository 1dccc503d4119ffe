// SPDX-License-Identifier: GPL-3.0-or-later
// The history tree: its rows, walking it, what users put on states, comparing, filtering, folding.
#include "tests/gui/history_bench.h"
#include "tests/gui/large_subjects.h"
#include "tests/support/test_program.h"
#include "views/common/widgets.h"
#include "views/history/history_view.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>
#include <QTreeView>

namespace tst_history {

using namespace mitos;
using namespace mitos::views;
using rewrite::StateId;
using test::part;

namespace {

struct Bench : test::HistoryBench {
    HistoryView history{document, selection};

    Bench() {
        history.resize(420, 420);
        history.show();
    }
    [[nodiscard]] QTreeView& tree() { return part<QTreeView>(history, "historyTree"); }
    [[nodiscard]] HistoryFilter& filter() { return *qobject_cast<HistoryFilter*>(tree().model()); }
    [[nodiscard]] HistoryModel& model() { return filter().history(); }
    /// Rows of the tree.
    [[nodiscard]] QModelIndex row(std::uint32_t state) {
        return filter().mapFromSource(model().indexOf(StateId(state)));
    }
    [[nodiscard]] QModelIndex outerRow(StateId state) {
        return filter().mapFromSource(model().outermostIndexOf(state));
    }
    [[nodiscard]] QString textOf(std::uint32_t state) { return row(state).data().toString(); }
    [[nodiscard]] const rewrite::Marks& marks(std::uint32_t state) const {
        return document.history().state(StateId(state)).marks;
    }
    /// The rows shown below one as "text", indented by level.
    [[nodiscard]] QStringList outline(const QModelIndex& parent = {}, int level = 0) {
        QStringList lines;
        for (int row = 0; row < filter().rowCount(parent); ++row) {
            const QModelIndex index = filter().index(row, HistoryModel::StateColumn, parent);
            lines << QString(level * 2, QLatin1Char(' ')) + index.data().toString();
            lines += outline(index, level + 1);
        }
        return lines;
    }
    /// Puts the cursor on a state and presses a key.
    void press(std::uint32_t state, Qt::Key key) {
        tree().setFocus();
        tree().setCurrentIndex(row(state));
        QTest::keyClick(&tree(), key);
    }
    [[nodiscard]] QAction& action(const char* name) { return part<QAction>(history, name); }
    /// The rows as in outline(), without places.
    [[nodiscard]] QStringList steps() {
        QStringList lines = outline();
        for (QString& line : lines) line = line.section(QStringLiteral(" @ "), 0, 0);
        return lines;
    }
    /// The rows that are not hidden in folded ones, in the same form.
    [[nodiscard]] QStringList visible() {
        QStringList lines;
        for (QModelIndex at = filter().index(0, HistoryModel::StateColumn); at.isValid(); at = tree().indexBelow(at)) {
            int level = 0;
            for (QModelIndex above = at.parent(); above.isValid(); above = above.parent()) ++level;
            lines << QString(level * 2, QLatin1Char(' ')) + at.data().toString().section(QStringLiteral(" @ "), 0, 0);
        }
        return lines;
    }
    /// Adds a run from the current state: a step of each rule, at the first place where it applies.
    [[nodiscard]] bool addRun(const std::vector<std::string>& rules) {
        const ProgramCopy copy = document.snapshot(document.current()).copy();
        const rewrite::Rewriter rewriter(*copy.bank, document.rules().directions(), document.dialect().sharing);
        rewrite::Thread thread{copy.program, {}, {}};
        for (const std::string& rule : rules) {
            rewriter.forEach(thread.end().root, [&](const rewrite::Rewrite& one) {
                if (one.step.rule->name() != rule) return true;
                thread.steps.push_back(one.step);
                thread.states.push_back(one.result);
                return false;
            });
        }
        document.joinThread(current(), copy.bank, thread, QStringLiteral("test #1"));
        return settle() && thread.steps.size() == rules.size();
    }
    /// start, commute_add, and back to the start's program; then, from state 1, a cheaper one.
    [[nodiscard]] bool branch() {
        if (!load(test::FactorText) || !step("commute_add") || !step("add_of_muls")) return false;
        document.checkout(StateId(1));
        return step("commute_add");
    }
};

/// Costs 10; add_zero makes it cheaper by 1, and mul_one by 2 in each of three places.
constexpr const char* RepeatedText = "(add (add (mul 1.0 a) (mul 1.0 b)) (add (mul 1.0 c) (add 0.0 d)))\n";
const std::vector<std::string> RepeatedSteps{"add_zero", "mul_one", "mul_one", "mul_one", "commute_add"};

void doubleClick(QTreeView& tree, const QModelIndex& index) {
    const QPoint place = tree.visualRect(index).center();
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, place);
    QTest::mouseDClick(tree.viewport(), Qt::LeftButton, {}, place);
}

}  // namespace

class TestHistory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        QLocale::setDefault(QLocale::c());
        QApplication::setPalette(Theme::lightPalette());
    }

    void init() { QDir(Document::sessionFolder()).removeRecursively(); }

    void stepsStandInALineAndBranchesBelow() {
        Bench bench;
        const QAbstractItemModelTester tester(&bench.model());
        const QAbstractItemModelTester filterTester(&bench.filter());
        QVERIFY(bench.load(test::FactorText));
        QVERIFY(part<QLabel>(bench.history, "historyHint").isVisible());
        QVERIFY(bench.step("commute_add"));
        QVERIFY(bench.step("add_of_muls"));
        bench.document.checkout(StateId(1));
        QVERIFY(bench.step("commute_add"));  // back to the start: a branch that is a link
        QCOMPARE(bench.outline(),
                 QStringList({QStringLiteral("start"), QStringLiteral("commute_add → @ (add (mul a b) (mul a c))"),
                              QStringLiteral("  ↳ commute_add → @ (add (mul a c) (mul a b))  ↺ same as #0"),
                              QStringLiteral("★ add_of_muls → @ (add (mul a c) (mul a b))")}));
        // The reading form is drawn.
        QCOMPARE(bench.model().row(bench.model().indexOf(StateId(1))).detail, QStringLiteral("a · b + a · c"));
        QVERIFY(!part<QLabel>(bench.history, "historyHint").isVisible());
        const QModelIndex best = bench.model().indexOf(StateId(2));
        QVERIFY(best.siblingAtColumn(HistoryModel::DeltaColumn).data().toString().startsWith(QStringLiteral("▼ −")));
    }

    void reversedStepsPointTheOtherWay() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        QVERIFY(bench.step("add_of_muls"));
        rewrite::Step back = *bench.document.history().state(StateId(1)).step;
        back.isReversed = true;
        bench.document.apply(back);
        QVERIFY(bench.settle());
        QCOMPARE(bench.textOf(2), QStringLiteral("add_of_muls ← @ (mul a (add b c))  ↺ same as #0"));
        const auto tip = [&](std::uint32_t state) { return bench.row(state).data(Qt::ToolTipRole).toString(); };
        QVERIFY(tip(2).contains(QStringLiteral("reversed step")));
        QVERIFY(!tip(1).contains(QStringLiteral("reversed step")));
    }

    void doubleClickAndEnterCheckOut() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        QVERIFY(bench.step("commute_add"));
        QVERIFY(bench.step("add_of_muls"));
        doubleClick(bench.tree(), bench.row(0));
        QCOMPARE(bench.current(), StateId(0));
        QVERIFY(bench.row(0).data(Qt::FontRole).value<QFont>().bold());
        QVERIFY(!bench.row(2).data(Qt::FontRole).isValid());
        QCOMPARE(bench.tree().currentIndex().siblingAtColumn(0), bench.row(0));

        bench.tree().setFocus();
        QTest::keyClick(&bench.tree(), Qt::Key_Down);
        QTest::keyClick(&bench.tree(), Qt::Key_Return);
        QCOMPARE(bench.current(), StateId(1));
    }

    void buttonsWalk() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        auto& undo = part<QToolButton>(bench.history, "historyUndo");
        auto& redo = part<QToolButton>(bench.history, "historyRedo");
        auto& best = part<QToolButton>(bench.history, "historyBest");
        QVERIFY(!undo.isEnabled() && !redo.isEnabled() && !best.isEnabled());
        QVERIFY(bench.step("add_of_muls"));
        QVERIFY(undo.isEnabled() && !redo.isEnabled() && !best.isEnabled());
        QTest::mouseClick(&undo, Qt::LeftButton);
        QCOMPARE(bench.current(), StateId(0));
        QVERIFY(!undo.isEnabled() && redo.isEnabled() && best.isEnabled());
        QTest::mouseClick(&redo, Qt::LeftButton);
        QCOMPARE(bench.current(), StateId(1));
        QTest::mouseClick(&undo, Qt::LeftButton);
        QTest::mouseClick(&best, Qt::LeftButton);
        QCOMPARE(bench.current(), StateId(1));
    }

    // --- marks ---

    void keysPinNameAndColour() {
        Bench bench;
        QVERIFY(bench.branch());
        bench.press(2, Qt::Key_P);
        QVERIFY(bench.marks(2).pinned);
        QCOMPARE(bench.textOf(2), QStringLiteral("★ ⚑ add_of_muls → @ (add (mul a c) (mul a b))"));
        bench.press(2, Qt::Key_3);
        QCOMPARE(bench.marks(2).color, 3U);
        QVERIFY(!bench.row(2).data(Qt::DecorationRole).value<QIcon>().isNull());
        bench.press(2, Qt::Key_F2);
        auto* editor = bench.tree().findChild<QLineEdit*>();
        QVERIFY(editor != nullptr);
        editor->setText(QStringLiteral("pinned 3"));  // letters and digits go to the editor
        QTest::keyClicks(editor, QStringLiteral("p0"));
        QTest::keyClick(editor, Qt::Key_Return);
        QTRY_COMPARE(bench.marks(2).name, std::string("pinned 3p0"));
        QVERIFY(bench.marks(2).pinned);
        QCOMPARE(bench.marks(2).color, 3U);
        QCOMPARE(bench.textOf(2), QStringLiteral("★ ⚑ pinned 3p0  (add_of_muls → @ (add (mul a c) (mul a b)))"));
        bench.press(2, Qt::Key_0);
        bench.press(2, Qt::Key_P);
        QVERIFY(!bench.marks(2).pinned && bench.marks(2).color == 0);
        QVERIFY(!bench.row(2).data(Qt::DecorationRole).isValid());
        // Several at once.
        bench.tree().selectAll();
        bench.action("historyColor5").trigger();
        for (std::uint32_t state = 0; state < 4; ++state) QCOMPARE(bench.marks(state).color, 5U);
    }

    void notesAreWrittenAndRead() {
        Bench bench;
        QVERIFY(bench.branch());
        bench.press(1, Qt::Key_N);
        auto* dialog = bench.history.findChild<QInputDialog*>(QStringLiteral("noteDialog"));
        QVERIFY(dialog != nullptr && dialog->isVisible());
        QCOMPARE(dialog->labelText(), QStringLiteral("Note on state #1"));
        dialog->findChild<QPlainTextEdit*>()->setPlainText(QStringLiteral("the sum is turned\nfor the next rule\n"));
        QVERIFY(test::takePictures(*dialog, QStringLiteral("history-note")));
        dialog->accept();
        QCOMPARE(bench.marks(1).note, std::string("the sum is turned\nfor the next rule"));
        QVERIFY(bench.textOf(1).startsWith(QStringLiteral("✎ ")));
        QVERIFY(bench.row(1).data(Qt::ToolTipRole).toString().contains(QStringLiteral("for the next rule")));
    }

    void marksComeBackWithTheSession() {
        QString path;
        {
            Bench bench;
            QVERIFY(bench.branch());
            bench.press(1, Qt::Key_P);
            bench.press(1, Qt::Key_2);
            bench.tree().collapseAll();
            bench.tree().expand(bench.row(1));
            path = bench.document.sessionPath();
        }
        Bench bench;
        bench.document.openSession(path);
        QVERIFY(bench.settle());
        QVERIFY(bench.marks(1).pinned);
        QCOMPARE(bench.marks(1).color, 2U);
        QVERIFY(bench.tree().isExpanded(bench.row(1)));
    }

    // --- links and comparing ---

    void aLinkLeadsToTheSameProgram() {
        Bench bench;
        QVERIFY(bench.branch());
        bench.tree().setCurrentIndex(bench.row(3));
        QVERIFY(bench.action("historyGoToSame").isVisible());
        QVERIFY(bench.action("historyGoToSame").text().endsWith(QStringLiteral("#0")));
        bench.action("historyGoToSame").trigger();
        QCOMPARE(bench.current(), StateId(0));
        QVERIFY(!bench.action("historyGoToSame").isVisible());
    }

    void aStateIsComparedWithTheCurrentOne() {
        Bench bench;
        QVERIFY(bench.branch());
        auto& text = part<QLabel>(bench.history, "historyComparison");
        QVERIFY(!text.isVisible());
        QVERIFY(!bench.action("historyCompare").isEnabled());  // the current state with itself
        bench.press(2, Qt::Key_C);
        QCOMPARE(bench.selection.compared(), std::optional(StateId(2)));
        QCOMPARE(bench.current(), StateId(3));
        QVERIFY(text.isVisible());
        QVERIFY(text.text().startsWith(QStringLiteral("⇄ #2 compared with #3, the current state: ▲ +")));
        QVERIFY(bench.textOf(2).contains(QStringLiteral("⇄")));
        bench.document.checkout(StateId(2));
        QVERIFY(text.text().endsWith(QStringLiteral("no change")));
        QTest::mouseClick(&part<QToolButton>(bench.history, "historyEndComparison"), Qt::LeftButton);
        QVERIFY(!bench.selection.compared());
        QVERIFY(!text.isVisible());
        QVERIFY(!bench.textOf(2).contains(QStringLiteral("⇄")));
    }

    void twoSelectedStatesAreCompared() {
        Bench bench;
        QVERIFY(bench.branch());
        bench.tree().setCurrentIndex(bench.row(0));
        const QPoint other = bench.tree().visualRect(bench.row(2)).center();
        QTest::mouseClick(bench.tree().viewport(), Qt::LeftButton, Qt::ControlModifier, other);
        QCOMPARE(bench.action("historyCompare").text(), QStringLiteral("&Compare #0 with #2"));
        bench.action("historyCompare").trigger();
        QCOMPARE(bench.selection.compared(), std::optional(StateId(0)));
        QCOMPARE(bench.current(), StateId(2));
    }

    // --- filter ---

    void theFilterShowsMatchesAndTheWayToThem() {
        Bench bench;
        const QAbstractItemModelTester tester(&bench.filter());
        QVERIFY(bench.branch());
        auto& search = part<QLineEdit>(bench.history, "historyFilter");
        search.setText(QStringLiteral("ADD_OF"));
        QCOMPARE(bench.outline(), QStringList{QStringLiteral("★ add_of_muls → @ (add (mul a c) (mul a b))")});
        search.setText(QStringLiteral("#3"));
        QCOMPARE(bench.outline(),
                 QStringList({QStringLiteral("commute_add → @ (add (mul a b) (mul a c))"),
                              QStringLiteral("  ↳ commute_add → @ (add (mul a c) (mul a b))  ↺ same as #0")}));
        QVERIFY(bench.tree().isExpanded(bench.row(1)));
        // States that come in meanwhile are filtered too.
        QVERIFY(bench.step("commute_add"));
        QCOMPARE(bench.outline().size(), 2);
        search.setText(QStringLiteral("no such state"));
        auto& empty = part<EmptyState>(bench.history, "emptyState");
        QVERIFY(empty.isVisible());
        QTest::mouseClick(&part<QPushButton>(bench.history, "emptyStateAction"), Qt::LeftButton);
        QVERIFY(!empty.isVisible());
        QCOMPARE(bench.outline().size(), 5);

        bench.press(2, Qt::Key_P);
        QTest::mouseClick(&part<QToolButton>(bench.history, "historyPinned"), Qt::LeftButton);
        QCOMPARE(bench.outline(), QStringList{QStringLiteral("★ ⚑ add_of_muls → @ (add (mul a c) (mul a b))")});
        bench.document.mark(StateId(0), {.name = "here", .note = {}, .pinned = true});
        QCOMPARE(bench.outline().front(), QStringLiteral("⚑ here"));
    }

    void aLongHistoryIsFilteredInPortions() {
        constexpr int States = 12'000;
        const QTemporaryDir folder;
        const std::string session = test::makeSession(folder, States, 1);
        Bench bench;
        const QAbstractItemModelTester tester(&bench.filter());
        const auto isSettled = [&] { return QTest::qWaitFor([&] { return bench.history.isSettled(); }, 30'000); };
        bench.document.openSession(QString::fromStdString(session));
        QVERIFY(bench.settle() && isSettled());
        QCOMPARE(bench.model().layout().stateCount(), std::size_t(States));
        QCOMPARE(bench.tree().currentIndex().siblingAtColumn(0), bench.row(bench.current().value));
        const int all = bench.filter().rowCount();
        std::uint32_t branches = 0;
        std::uint32_t first = 0;
        for (std::uint32_t i = 1; i < States; ++i) {
            const bool isBranch = bench.document.history().state(StateId(i)).step->rule->name() == "commute_mul";
            if (isBranch && branches++ == 0) first = i;
        }
        const auto shownBranches = [&] {
            std::uint32_t count = 0;
            for (int row = 0; row < bench.filter().rowCount(); ++row)
                count += static_cast<std::uint32_t>(bench.filter().rowCount(bench.filter().index(row, 0)));
            return count;
        };

        // Letter by letter: what was shown stays until all states are compared with the whole word.
        bench.tree().setCurrentIndex(bench.row(first));
        auto& search = part<QLineEdit>(bench.history, "historyFilter");
        for (const char* text : {"c", "comm", "commute_mu", "commute_mul"}) search.setText(QLatin1String(text));
        QCOMPARE(bench.filter().rowCount(), all);
        QVERIFY(isSettled());
        QCOMPARE(shownBranches(), branches);
        QVERIFY(bench.filter().rowCount() < all);
        QVERIFY(bench.tree().isExpanded(bench.row(first).parent()));
        QVERIFY(bench.tree().selectionModel()->isSelected(bench.row(first)));

        // States that come in while a filter is in progress are filtered too; undo does not wait for it.
        search.clear();
        QVERIFY(isSettled());
        QCOMPARE(bench.filter().rowCount(), all);
        search.setText(QStringLiteral("commute_mul"));
        bench.document.checkout(StateId(1));
        QVERIFY(bench.step("commute_mul"));
        bench.document.undo();
        bench.document.mark(StateId(5), {.name = "commute_mul by hand", .note = {}, .pinned = true});
        QVERIFY(isSettled());
        QVERIFY(bench.row(States).isValid());
        QVERIFY(bench.row(5).isValid());
        QCOMPARE(bench.current(), StateId(1));
        bench.document.mark(StateId(5), {.name = {}, .note = {}, .pinned = true});
        QVERIFY(isSettled());
        QVERIFY(!bench.row(5).isValid());
        QTest::mouseClick(&part<QToolButton>(bench.history, "historyPinned"), Qt::LeftButton);
        search.clear();
        QVERIFY(isSettled());
        QCOMPARE(bench.outline().size(), 1);

        // Another program is opened meanwhile.
        QTest::mouseClick(&part<QToolButton>(bench.history, "historyPinned"), Qt::LeftButton);
        QVERIFY(isSettled());
        QCOMPARE(bench.filter().rowCount(), all);
        search.setText(QStringLiteral("mul #9"));
        QVERIFY(!bench.history.isSettled());
        QVERIFY(bench.load(test::FactorText));
        QVERIFY(isSettled());
        QCOMPARE(bench.outline(), QStringList{QStringLiteral("★ start")});
    }

    // --- runs ---

    void aRunFoldsUnderOneRowAndGrowingKeepsWhatWasOpen() {
        Bench bench;
        const QAbstractItemModelTester tester(&bench.model());
        QVERIFY(bench.load(test::SearchText));
        const RunNumber run = bench.search("astar");
        QVERIFY(run != 0);
        const Run* found = bench.document.run(run);
        QVERIFY(found != nullptr && found->resultState.isValid());
        const auto steps = bench.document.history().size() - 1;
        QVERIFY(steps > 0);

        const QModelIndex row = bench.outerRow(found->resultState);
        QCOMPARE(bench.model().row(bench.filter().mapToSource(row)).kind, RowKind::Run);
        QCOMPARE(bench.filter().rowCount(row), static_cast<int>(steps));
        QVERIFY(row.data().toString().startsWith(QStringLiteral("★ astar #1: %1 steps").arg(steps)));
        QVERIFY(!bench.tree().isExpanded(row));
        QCOMPARE(bench.tree().currentIndex().siblingAtColumn(0), row);  // its end is current, so it stays folded
        QVERIFY(!bench.action("historyPin").isEnabled());               // marks belong to states

        bench.tree().expand(row);
        bench.document.checkout(StateId(0));
        QVERIFY(bench.step("commute_mul"));
        QVERIFY(bench.tree().isExpanded(bench.outerRow(found->resultState)));
        bench.document.mark(StateId(1), {.name = "first of the run", .note = "a note", .pinned = true, .color = 2});
        bench.document.mark(StateId(0), {.name = {}, .note = {}, .pinned = false, .color = 6});
        bench.selection.setCompared(found->resultState);
        QVERIFY(test::takePictures(bench.history, QStringLiteral("history")));

        doubleClick(bench.tree(), bench.outerRow(found->resultState));
        QCOMPARE(bench.current(), found->resultState);
    }

    // --- lanes ---

    void runsFromOneStateStandInLanesOfTheirOwn() {
        Bench bench;
        const QAbstractItemModelTester tester(&bench.model());
        const QAbstractItemModelTester filterTester(&bench.filter());
        QVERIFY(bench.load(RepeatedText));
        const std::vector<std::vector<std::string>> runs{{"add_zero"}, {"mul_one", "add_zero"}, {"commute_add"}};
        for (const std::vector<std::string>& rules : runs) {
            bench.document.checkout(StateId(0));
            QVERIFY(bench.addRun(rules));
        }
        // A step that continues the second run stands after it, although the third one began in between.
        bench.document.checkout(StateId(3));
        QVERIFY(bench.step("commute_add"));
        QCOMPARE(bench.steps(), QStringList({QStringLiteral("start"), QStringLiteral("  ↳ ★ test #1: 2 steps"),
                                             QStringLiteral("    mul_one →"), QStringLiteral("    ★ add_zero →"),
                                             QStringLiteral("  commute_add →"), QStringLiteral("  ↳ test #1: 1 step"),
                                             QStringLiteral("    commute_add →"), QStringLiteral("test #1: 1 step"),
                                             QStringLiteral("  add_zero →")}));
        QVERIFY(bench.tree().isExpanded(bench.row(0)));  // branches are seen
        const QModelIndex second = bench.outerRow(StateId(3));
        const QModelIndex after = bench.row(5);
        const QModelIndex third = bench.outerRow(StateId(4));
        QVERIFY(!bench.tree().isExpanded(second));
        QVERIFY(bench.filter().isContinued(bench.row(0)));  // by the first run
        QVERIFY(bench.filter().isContinued(second));
        QVERIFY(!bench.filter().isContinued(after));  // the third run begins at the start
        QVERIFY(bench.filter().hasLaterBranch(second) && bench.filter().hasLaterBranch(after));
        QVERIFY(!bench.filter().hasLaterBranch(third));
        const auto rowOf = [&](const QModelIndex& index) {
            return bench.model().row(bench.filter().mapToSource(index));
        };
        QVERIFY(rowOf(second).isBranch && rowOf(third).isBranch && !rowOf(after).isBranch);
        QVERIFY(rowOf(second).holdsBest && !rowOf(third).holdsBest);
        QVERIFY(test::takePictures(bench.history, QStringLiteral("history-lanes")));
        // A run opens in place: its steps are below it, before what continues it, and its siblings stay where they were.
        bench.tree().expand(second);
        QCOMPARE(bench.visible(), QStringList({QStringLiteral("start"), QStringLiteral("  ↳ ★ test #1: 2 steps"),
                                               QStringLiteral("    mul_one →"), QStringLiteral("    ★ add_zero →"),
                                               QStringLiteral("  commute_add →"), QStringLiteral("  ↳ test #1: 1 step"),
                                               QStringLiteral("test #1: 1 step")}));
        QVERIFY(test::takePictures(bench.history, QStringLiteral("history-lanes-open")));
        bench.tree().collapse(second);

        // The order is the same where rows are filtered.
        part<QLineEdit>(bench.history, "historyFilter").setText(QStringLiteral("commute_add"));
        QCOMPARE(bench.steps(),
                 QStringList({QStringLiteral("start"), QStringLiteral("  commute_add →"),
                              QStringLiteral("  ↳ test #1: 1 step"), QStringLiteral("    commute_add →")}));
        part<QLineEdit>(bench.history, "historyFilter").clear();
        // A state whose branches are hidden keeps that, and shows the star of what it hides.
        bench.tree().collapse(bench.row(0));
        QCOMPARE(bench.document.viewValue(QStringLiteral("history.folded")), QStringLiteral("0"));
        QVERIFY(rowOf(bench.row(0)).holdsBest);
    }

    // --- repeated steps ---

    void equalStepsOfARunAreOneRow() {
        Bench bench;
        const QAbstractItemModelTester tester(&bench.model());
        const QAbstractItemModelTester filterTester(&bench.filter());
        QVERIFY(bench.load(RepeatedText));
        QVERIFY(bench.addRun(RepeatedSteps));
        QCOMPARE(bench.steps(), QStringList({QStringLiteral("start"), QStringLiteral("test #1: 5 steps"),
                                             QStringLiteral("  add_zero →"), QStringLiteral("  ★ mul_one × 3"),
                                             QStringLiteral("    mul_one →"), QStringLiteral("    mul_one →"),
                                             QStringLiteral("    ★ mul_one →"), QStringLiteral("  commute_add →")}));
        const QModelIndex run = bench.outerRow(StateId(5));
        const QModelIndex repeated = bench.row(2).parent();
        QCOMPARE(repeated, run.model()->index(1, 0, run));
        QVERIFY(!bench.tree().isExpanded(run) && !bench.tree().isExpanded(repeated));
        QCOMPARE(bench.tree().currentIndex().siblingAtColumn(0), run);

        // The cost is that of the last state; the change is that of all three steps.
        const auto text = [](const QModelIndex& row, int column) {
            return row.siblingAtColumn(column).data().toString();
        };
        QCOMPARE(text(repeated, HistoryModel::CostColumn), QStringLiteral("3"));
        QCOMPARE(text(repeated, HistoryModel::DeltaColumn), QStringLiteral("▼ −6"));
        QCOMPARE(text(repeated, HistoryModel::NumberColumn), QStringLiteral("#4"));
        QCOMPARE(text(run, HistoryModel::DeltaColumn), QStringLiteral("▼ −7"));
        const HistoryRow row = bench.model().row(bench.filter().mapToSource(repeated));
        QCOMPARE(row.kind, RowKind::Repetition);
        QCOMPARE(row.title, QStringLiteral("mul_one × 3"));
        QVERIFY2(row.detail.endsWith(QStringLiteral(" and 2 more")), qPrintable(row.detail));
        QCOMPARE(row.cost, QStringLiteral("3"));
        QCOMPARE(row.steps, std::size_t(3));
        QVERIFY(row.isBest && !row.isCurrent);
        const QString tip = repeated.data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(QStringLiteral("The steps to the states #2 to #4")), qPrintable(tip));
        QVERIFY2(tip.contains(QStringLiteral("The state of least cost")), qPrintable(tip));

        bench.tree().expand(run);
        QVERIFY(test::takePictures(bench.history, QStringLiteral("history-repeated")));
        // Marks belong to states.
        bench.tree().setCurrentIndex(repeated);
        QVERIFY(!bench.action("historyPin").isEnabled() && !bench.action("historyRename").isEnabled());
    }

    void aRepetitionIsUnfoldedByKeysAndCheckedOut() {
        Bench bench;
        QVERIFY(bench.load(RepeatedText));
        QVERIFY(bench.addRun(RepeatedSteps));
        bench.tree().expand(bench.outerRow(StateId(5)));
        const QPersistentModelIndex repeated = bench.row(2).parent();
        bench.tree().setFocus();
        bench.tree().setCurrentIndex(repeated);
        QTest::keyClick(&bench.tree(), Qt::Key_Right);
        QVERIFY(bench.tree().isExpanded(repeated));
        QTest::keyClick(&bench.tree(), Qt::Key_Left);
        QVERIFY(!bench.tree().isExpanded(repeated));

        // Its last state becomes current, and it stays folded.
        doubleClick(bench.tree(), repeated);
        QCOMPARE(bench.current(), StateId(4));
        QVERIFY(!bench.tree().isExpanded(repeated));
        QCOMPARE(bench.tree().currentIndex().siblingAtColumn(0), QModelIndex(repeated));
        QVERIFY(repeated.data(Qt::FontRole).value<QFont>().bold());
        bench.document.checkout(StateId(0));
        bench.tree().setCurrentIndex(repeated);
        QTest::keyClick(&bench.tree(), Qt::Key_Return);
        QCOMPARE(bench.current(), StateId(4));

        // A state within it unfolds it.
        bench.document.undo();
        QCOMPARE(bench.current(), StateId(3));
        QVERIFY(bench.tree().isExpanded(repeated));
        QCOMPARE(bench.tree().currentIndex().siblingAtColumn(0), bench.row(3));
        bench.document.redo();
        QCOMPARE(bench.tree().currentIndex().siblingAtColumn(0), bench.row(4));

        // A branch from within it is below the state that it leaves.
        bench.document.checkout(StateId(3));
        QVERIFY(bench.step("commute_add"));
        QCOMPARE(bench.row(6).parent(), bench.row(3));
        QCOMPARE(bench.filter().rowCount(repeated), 3);
    }

    void theFilterFindsAStepWithinARepetition() {
        Bench bench;
        const QAbstractItemModelTester tester(&bench.filter());
        QVERIFY(bench.load(RepeatedText));
        QVERIFY(bench.addRun(RepeatedSteps));
        auto& search = part<QLineEdit>(bench.history, "historyFilter");
        search.setText(QStringLiteral("#3"));
        QCOMPARE(bench.steps(), QStringList({QStringLiteral("test #1: 5 steps"), QStringLiteral("  ★ mul_one × 3"),
                                             QStringLiteral("    mul_one →")}));
        QVERIFY(bench.tree().isExpanded(bench.row(3).parent()));
        search.setText(QStringLiteral("× 3"));
        QCOMPARE(bench.steps(), QStringList({QStringLiteral("test #1: 5 steps"), QStringLiteral("  ★ mul_one × 3")}));
        search.clear();
        QVERIFY(!bench.tree().isExpanded(bench.row(3).parent()));
        QCOMPARE(bench.steps().size(), 8);
    }

    void aRepetitionAtTheEndOfARunIsWithinIt() {
        Bench bench;
        QVERIFY(bench.load(RepeatedText));
        QVERIFY(bench.addRun({"add_zero", "mul_one", "mul_one"}));
        const QModelIndex run = bench.outerRow(StateId(3));
        QCOMPARE(bench.model().row(bench.filter().mapToSource(run)).kind, RowKind::Run);
        QCOMPARE(bench.tree().currentIndex().siblingAtColumn(0), run);
        // The outermost folded row shows the current state.
        bench.tree().expand(run);
        bench.document.checkout(StateId(0));
        bench.document.checkout(StateId(3));
        QCOMPARE(bench.tree().currentIndex().siblingAtColumn(0), bench.row(3).parent());
        bench.tree().expand(bench.row(3).parent());
        bench.document.checkout(StateId(0));
        bench.document.checkout(StateId(3));
        QCOMPARE(bench.tree().currentIndex().siblingAtColumn(0), bench.row(3));
        // Steps by hand continue beside the run, each in its own row.
        QVERIFY(bench.step("mul_one"));
        QVERIFY(bench.step("commute_add"));
        QVERIFY(bench.step("commute_add"));
        QCOMPARE(bench.steps().mid(6), QStringList({QStringLiteral("★ mul_one →"), QStringLiteral("commute_add →"),
                                                    QStringLiteral("commute_add →")}));
    }

    void repetitionsComeBackWithTheSession() {
        QString path;
        QStringList steps;
        {
            Bench bench;
            QVERIFY(bench.load(RepeatedText));
            QVERIFY(bench.addRun(RepeatedSteps));
            const QModelIndex repeated = bench.model().indexOf(StateId(2)).parent();
            QCOMPARE(bench.model().key(repeated), QStringLiteral("x2"));
            QCOMPARE(bench.model().indexOfKey(QStringLiteral("x2")), repeated);
            QCOMPARE(bench.model().key(repeated.parent()), QStringLiteral("r1"));
            QCOMPARE(bench.model().indexOfKey(QStringLiteral("r1")), repeated.parent());
            QCOMPARE(bench.model().indexOfKey(QStringLiteral("2")), bench.model().indexOf(StateId(2)));
            QVERIFY(!bench.model().indexOfKey(QStringLiteral("x1")).isValid());  // not repeated
            bench.tree().expand(bench.filter().mapFromSource(repeated.parent()));
            bench.tree().expand(bench.filter().mapFromSource(repeated));
            steps = bench.steps();
            path = bench.document.sessionPath();
        }
        Bench bench;
        bench.document.openSession(path);
        QVERIFY(bench.settle());
        QCOMPARE(bench.steps(), steps);
        QVERIFY(bench.tree().isExpanded(bench.row(2).parent()));
        QVERIFY(bench.tree().isExpanded(bench.row(2).parent().parent()));
    }
};

MITOS_TEST(TestHistory)

}  // namespace tst_history

#include "tst_history.moc"
