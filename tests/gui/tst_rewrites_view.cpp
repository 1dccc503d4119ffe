// SPDX-License-Identifier: GPL-3.0-or-later
// The rewrites view: what it lists, its filters, the preview, applying, and that nothing stale survives.
#include "core/dialects/dialects.h"
#include "core/ks/module.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/support/test_program.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/rewrites/internal/rewrite_delegate.h"
#include "views/rewrites/internal/rewrite_preview.h"
#include "views/rewrites/rewrite_groups.h"
#include "views/rewrites/rewrites_model.h"
#include "views/rewrites/rewrites_view.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTableView>
#include <QTextEdit>
#include <QToolButton>
#include <algorithm>

namespace tst_rewrites_view {

using namespace mitos;
using namespace mitos::views;

namespace {

/// A document, and the view of its rewrites on screen.
struct Bench : test::Desk {
    RewritesView view{document, selection, jobs};

    enum class Grouping { Off, On };

    /// Without grouping, every rewrite is a row.
    explicit Bench(Grouping grouping = Grouping::Off) {
        part<QToolButton>("rewritesGrouping").setChecked(grouping == Grouping::On);
        view.resize(700, 640);
        view.show();
    }
    [[nodiscard]] bool load(const char* text) {
        const bool isGrouping = part<QToolButton>("rewritesGrouping").isChecked();
        if (!open(QString::fromUtf8(text))) return false;
        part<QToolButton>("rewritesGrouping").setChecked(isGrouping);  // opening shows the program's own choice
        return QTest::qWaitFor([this] { return view.isComplete(); }, 10'000);
    }
    [[nodiscard]] bool wait() {
        return settle() && QTest::qWaitFor([this] { return view.isComplete(); }, 10'000);
    }
    template <typename T>
    [[nodiscard]] T& part(const char* name) {
        T* found = view.findChild<T*>(QString::fromUtf8(name));
        if (found == nullptr) qFatal("no %s", name);
        return *found;
    }
    [[nodiscard]] QTableView& table() { return part<QTableView>("rewritesTable"); }
    [[nodiscard]] RewriteGroups& rows() { return *qobject_cast<RewriteGroups*>(table().model()); }
    [[nodiscard]] const RewriteRow& row(int number) { return rows().rewrite(rows().index(number, 0)); }
    [[nodiscard]] QString cell(int number, RewritesModel::Column column) {
        return rows().index(number, column).data().toString();
    }
    /// Number of the first row of a rule; -1: none.
    [[nodiscard]] int rowOf(const std::string& rule) {
        for (int i = 0; i < rows().rowCount(); ++i) {
            if (row(i).rule->name() == rule) return i;
        }
        return -1;
    }
    [[nodiscard]] ir::TermId currentRoot() { return document.current().root; }
};

/// A sum of `count` products: many places, many rewrites.
QByteArray wideSum(int count) {
    QByteArray text = "(mul x0 y0)";
    for (int i = 1; i < count; ++i) {
        const QByteArray n = QByteArray::number(i);
        text = "(add " + text + " (mul x" + n + " y" + n + "))";
    }
    return text;
}

}  // namespace

class TestRewritesView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRewriteOfAGraphTouchesWhatItReplaces() {
        const Result<rules::RuleBook> book = rules::RuleBook::load("tensor", dialects::makeRegistry());
        QVERIFY(book.ok());
        ir::TermBank bank(book->registry());
        const Result<ir::Program> program = dialects::parseProgram(
            bank, "test",
            "graph f(x: f32[2,3])\n t = Transpose[perm=[1,0]](Transpose[perm=[1,0]](x))\n return Add(Relu(t), t)\n");
        QVERIFY(program.ok());
        const rewrite::Rewriter rewriter(bank, book->directions(), ir::Sharing::Graph);
        const ir::Path place{0, 0};  // the outer Transpose, where it stands first
        const Result<std::vector<rewrite::Rewrite>> found = rewriter.at(program->root, place);
        QVERIFY(found.ok());
        const auto cancelling = std::ranges::find_if(*found, [&](const rewrite::Rewrite& one) {  // both become one
            return bank.childCount(one.replacement) == 1 &&
                   bank.is(bank.child(one.replacement, 0), ir::CoreOp::Variable);
        });
        QVERIFY(cancelling != found->end());
        const Touched touched = touchedPlaces(bank, *program, *cancelling);
        QCOMPARE(touched.roots, std::size_t(1));
        QVERIFY((touched.places == std::vector<ir::Path>{place, ir::Path{0, 0, 0}}));
    }

    void initTestCase() {
        QLocale::setDefault(QLocale::c());
        QApplication::setPalette(Theme::lightPalette());
    }

    void init() { QDir(Document::sessionFolder()).removeRecursively(); }

    void listsEveryRewriteWithItsCost() {
        Bench bench;
        const QAbstractItemModelTester tester(&bench.rows());
        const QAbstractItemModelTester sourceTester(bench.view.findChild<RewritesModel*>());
        QVERIFY(bench.load(test::CancelText));

        rewrite::Rewriter rewriter(bench.document.bank(), bench.document.rules().directions());
        const std::vector<rewrite::Rewrite> all = rewriter.all(bench.currentRoot());
        QCOMPARE(bench.rows().rowCount(), static_cast<int>(all.size()));
        QVERIFY(bench.rowOf("assoc_div_mul") >= 0);
        for (int i = 0; i < bench.rows().rowCount(); ++i) {
            const RewriteRow& row = bench.row(i);
            const auto found = findRewrite(bench.document.bank(), bench.document.current(), row);
            QVERIFY(found.ok());
            QCOMPARE(bench.document.bank().hash(found->result), row.resultHash);
            QCOMPARE(row.costAfter, bench.document.cost(found->result));
        }
        // What a user reads: (x * 2) / 2 as (x / 2) * 2 costs and weighs the same.
        const int row = bench.rowOf("assoc_div_mul");
        QCOMPARE(bench.cell(row, RewritesModel::RuleColumn), QStringLiteral("assoc_div_mul →"));
        QCOMPARE(bench.cell(row, RewritesModel::WhereColumn), QStringLiteral("(div (mul x 2.0) 2.0)"));
        QCOMPARE(bench.cell(row, RewritesModel::DeltaColumn), QStringLiteral("no change"));
        QCOMPARE(bench.cell(row, RewritesModel::SizeColumn), QStringLiteral("0"));
        QCOMPARE(bench.cell(row, RewritesModel::SoundnessColumn), QStringLiteral("domain"));
        QCOMPARE(bench.cell(row, RewritesModel::SeenColumn), QString());
    }

    void sortsByCostChangeOnceComplete() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        std::vector<double> costs;
        for (int i = 0; i < bench.rows().rowCount(); ++i) costs.push_back(bench.row(i).costAfter);
        QVERIFY(costs.size() > 3);
        QVERIFY(std::ranges::is_sorted(costs));
        QVERIFY2(bench.cell(0, RewritesModel::DeltaColumn).startsWith(QStringLiteral("▼ −")),
                 "factoring must come first");

        auto& order = bench.part<QComboBox>("rewritesOrder");
        QCOMPARE(order.currentText(), QStringLiteral("Cheapest first"));
        order.setCurrentText(QStringLiteral("By rule"));
        QStringList names;
        for (int i = 0; i < bench.rows().rowCount(); ++i) names << bench.cell(i, RewritesModel::RuleColumn);
        QStringList sorted = names;
        std::ranges::sort(sorted);
        QCOMPARE(names, sorted);
    }

    void selectingARowPreviewsIt() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        auto& apply = bench.part<QPushButton>("applyRewrite");
        QVERIFY(!apply.isEnabled() && bench.part<QTextEdit>("rewritePreviewText").isHidden());
        QVERIFY(!bench.selection.rewrite());

        QTest::keyClick(&bench.table(), Qt::Key_J);
        QCOMPARE(bench.table().currentIndex().row(), 0);
        QVERIFY(bench.selection.rewrite());
        QCOMPARE(bench.selection.rewrite()->rule->name(), bench.row(0).rule->name());
        QVERIFY(apply.isEnabled());
        const QString preview = bench.part<QTextEdit>("rewritePreviewText").toPlainText();
        QVERIFY2(preview.startsWith(QStringLiteral("Rule (domain)")), qPrintable(preview));
        QVERIFY2(preview.contains(QStringLiteral("a * b + a * c => a * (b + c)")), qPrintable(preview));
        QVERIFY(bench.part<QLabel>("rewritePreviewCost").text().contains(QStringLiteral("▼ −")));
        QVERIFY(test::takePictures(bench.view, QStringLiteral("rewrites")));
        bench.view.resize(340, 480);  // its dock in a small window: nothing is cut off sideways
        QVERIFY(test::takePictures(bench.view, QStringLiteral("rewrites-narrow")));
        QVERIFY(!bench.table().horizontalScrollBar()->isVisible());

        QTest::keyClick(&bench.table(), Qt::Key_J);
        QCOMPARE(bench.table().currentIndex().row(), 1);
        QTest::keyClick(&bench.table(), Qt::Key_K);
        QTest::keyClick(&bench.table(), Qt::Key_K);
        QCOMPARE(bench.table().currentIndex().row(), 0);

        bench.selection.clear();
        QVERIFY(!apply.isEnabled());
        QVERIFY(bench.table().selectionModel()->selectedRows().isEmpty());
    }

    void enterDoubleClickAndButtonApply() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        const auto applied = [&](const auto& act) {
            const std::uint64_t expected = bench.row(0).resultHash;
            act();
            return bench.wait() && bench.document.bank().hash(bench.currentRoot()) == expected;
        };
        QVERIFY(applied([&] {
            QTest::keyClick(&bench.table(), Qt::Key_J);
            QTest::keyClick(&bench.table(), Qt::Key_Return);
        }));
        QCOMPARE(bench.document.history().size(), std::size_t{2});
        QVERIFY(!bench.selection.rewrite());
        QVERIFY(applied([&] {
            const QPoint place = bench.table().visualRect(bench.rows().index(0, 0)).center();
            QTest::mouseClick(bench.table().viewport(), Qt::LeftButton, {}, place);
            QTest::mouseDClick(bench.table().viewport(), Qt::LeftButton, {}, place);
        }));
        QVERIFY(applied([&] {
            bench.table().selectRow(0);
            QTest::mouseClick(&bench.part<QPushButton>("applyRewrite"), Qt::LeftButton);
        }));
    }

    void equalRulesAreOneRow() {
        Bench bench(Bench::Grouping::On);
        const QAbstractItemModelTester tester(&bench.rows());
        QVERIFY(bench.load("(add (mul a b) (mul a c))\n"));
        const int row = bench.rowOf("commute_mul");
        QVERIFY(row >= 0);
        const QModelIndex group = bench.rows().index(row, 0);
        QVERIFY(bench.rows().group(group) != nullptr);
        QCOMPARE(bench.cell(row, RewritesModel::RuleColumn), QStringLiteral("commute_mul → ×2"));
        QCOMPARE(bench.cell(row, RewritesModel::DeltaColumn), QStringLiteral("no change"));
        QCOMPARE(bench.cell(row, RewritesModel::WhereColumn), QStringLiteral("a · b, a · c"));
        QCOMPARE(bench.cell(row, RewritesModel::SoundnessColumn), QStringLiteral("exact"));
        QCOMPARE(group.data(Qt::AccessibleTextRole).toString(), QStringLiteral("commute_mul →, 2 rewrites, closed"));
        // A rewrite that is alone is no group.
        const int alone = bench.rowOf("commute_add");
        QVERIFY(bench.rows().group(bench.rows().index(alone, 0)) == nullptr);
        QCOMPARE(bench.cell(alone, RewritesModel::RuleColumn), QStringLiteral("commute_add →"));
        const int bind = bench.rowOf("new_bind");
        QVERIFY(bind >= 0);
        QCOMPARE(bench.cell(bind, RewritesModel::RuleColumn), QStringLiteral("new_bind → ×3"));
        QCOMPARE(bench.cell(bind, RewritesModel::DeltaColumn), QStringLiteral("▲ +0.1  +2.0 %"));
        // The group with the best change comes first, and stands for that one.
        QVERIFY(bench.cell(0, RewritesModel::DeltaColumn).startsWith(QStringLiteral("▼ −")));
        for (int i = 1; i < bench.rows().rowCount(); ++i) QVERIFY(bench.row(i - 1).costAfter <= bench.row(i).costAfter);

        // Off and on again: the selected row stays the same rewrite.
        const int rows = bench.rows().rowCount();
        bench.table().selectRow(row);
        QVERIFY(bench.selection.rewrite());
        const std::vector<ir::Path> positions = bench.selection.rewrite()->positions;
        auto& grouping = bench.part<QToolButton>("rewritesGrouping");
        QTest::mouseClick(&grouping, Qt::LeftButton);
        QCOMPARE(bench.document.viewValue(QStringLiteral("rewrites.grouping")), QStringLiteral("0"));
        QCOMPARE(bench.rows().rowCount(), bench.view.findChild<RewritesModel*>()->rowCount());
        QVERIFY(bench.rows().rowCount() > rows);
        QVERIFY(bench.selection.rewrite()->positions == positions);
        QTest::mouseClick(&grouping, Qt::LeftButton);
        QCOMPARE(bench.rows().rowCount(), rows);
        QCOMPARE(bench.table().currentIndex().row(), row);
    }

    void aGroupShowsTheRangeOfItsChanges() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        RewritesModel model;
        const RewriteGroups groups(model, bench.jobs);
        model.clear(5.0);
        const auto add = [&](double costAfter) {
            RewriteRow row = bench.row(0);
            row.costAfter = costAfter;
            std::vector<RewriteRow> rows;
            rows.push_back(std::move(row));
            model.append(std::move(rows));
            return groups.index(0, RewritesModel::DeltaColumn).data().toString();
        };
        QCOMPARE(add(30.6), QStringLiteral("▲ +25.6"));
        QCOMPARE(add(5.1), QStringLiteral("▲ +0.1 … +25.6"));
        QCOMPARE(add(5.0), QStringLiteral("no change … ▲ +25.6"));
        QCOMPARE(add(3.0), QStringLiteral("▼ −2 … ▲ +25.6"));
        QCOMPARE(groups.rowCount(), 1);
        QCOMPARE(groups.rewrite(groups.index(0, 0)).costAfter, 3.0);
        RewriteRow assuming = bench.row(0);
        assuming.assumed = QStringLiteral("x > 0");
        model.append({assuming});
        QCOMPARE(groups.rowCount(), 2);  // other assumptions, another group
    }

    void aGroupOpensToItsRewrites() {
        Bench bench(Bench::Grouping::On);
        const QAbstractItemModelTester tester(&bench.rows());
        QVERIFY(bench.load("(add (mul a b) (mul a c))\n"));
        const int rows = bench.rows().rowCount();
        const int row = bench.rowOf("commute_mul");
        QTableView& table = bench.table();
        table.selectRow(row);
        QTest::keyClick(&table, Qt::Key_Right);
        QCOMPARE(bench.rows().rowCount(), rows + 2);
        QVERIFY(bench.rows().index(row, 0).data(Qt::AccessibleTextRole).toString().endsWith(QStringLiteral("open")));
        QCOMPARE(bench.cell(row + 1, RewritesModel::RuleColumn), QStringLiteral("commute_mul →"));
        QTest::keyClick(&table, Qt::Key_J);
        QTest::keyClick(&table, Qt::Key_J);
        QCOMPARE(table.currentIndex().row(), row + 2);
        QVERIFY(bench.rows().isMember(table.currentIndex()));
        QVERIFY((bench.selection.rewrite()->positions == std::vector<ir::Path>{{1}}));
        QVERIFY(test::takePictures(bench.view, QStringLiteral("rewrites-groups")));

        // Closing goes to the group, and previews its best rewrite.
        QTest::keyClick(&table, Qt::Key_Left);
        QCOMPARE(bench.rows().rowCount(), rows);
        QCOMPARE(table.currentIndex().row(), row);
        QVERIFY((bench.selection.rewrite()->positions == std::vector<ir::Path>{{0}}));

        // The count is clicked.
        const QRect place = table.visualRect(bench.rows().index(row, 0));
        const RewriteDelegate& delegate = *static_cast<const RewriteDelegate*>(table.itemDelegate());
        const QPoint count = delegate.countRect(place, table.font(), bench.rows().index(row, 0)).center();
        table.clearSelection();
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, count);
        QCOMPARE(bench.rows().rowCount(), rows + 2);
        QVERIFY(!bench.selection.rewrite());
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, count);
        QCOMPARE(bench.rows().rowCount(), rows);

        // Only what the filter accepts is in a group; of one rewrite there is no group.
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, count);
        bench.part<QLineEdit>("rewritesFilter").setText(QStringLiteral("commute_mul"));
        QCOMPARE(bench.rows().rowCount(), 3);
        table.selectRow(2);
        bench.selection.setSubterm(ir::Path{1});
        QCOMPARE(bench.rows().rowCount(), 1);
        QVERIFY(bench.rows().group(bench.rows().index(0, 0)) == nullptr);
        bench.selection.setSubterm(std::nullopt);
        QCOMPARE(bench.rows().rowCount(), 3);
    }

    void enterAppliesTheBestOfAGroup() {
        Bench bench(Bench::Grouping::On);
        QVERIFY(bench.load("(add (mul a b) (mul a c))\n"));
        const int row = bench.rowOf("commute_mul");
        bench.table().selectRow(row);
        const std::uint64_t best = bench.row(row).resultHash;
        QTest::keyClick(&bench.table(), Qt::Key_Return);
        QVERIFY(bench.wait());
        QCOMPARE(bench.document.bank().hash(bench.currentRoot()), best);
        QCOMPARE(fromUtf8(ks::printTerm(bench.document.bank(), bench.currentRoot(), {.width = 0})),
                 QStringLiteral("(add (mul b a) (mul a c))"));
        // One of its rewrites.
        const int now = bench.rowOf("commute_mul");
        bench.table().selectRow(now);
        QTest::keyClick(&bench.table(), Qt::Key_Right);
        QTest::keyClick(&bench.table(), Qt::Key_J);
        QTest::keyClick(&bench.table(), Qt::Key_J);
        QTest::keyClick(&bench.table(), Qt::Key_Return);
        QVERIFY(bench.wait());
        QCOMPARE(fromUtf8(ks::printTerm(bench.document.bank(), bench.currentRoot(), {.width = 0})),
                 QStringLiteral("(add (mul b a) (mul c a))"));
        const int open = bench.rowOf("commute_mul");  // stays open for the next state
        QCOMPARE(bench.cell(open, RewritesModel::RuleColumn), QStringLiteral("commute_mul → ×2"));
        QVERIFY(bench.rows().isMember(bench.rows().index(open + 1, 0)));
    }

    void fiftyThousandRewritesAreOrderedInAJob() {
        Bench bench;
        QVERIFY(bench.load(wideSum(3).constData()));
        RewritesModel model;
        RewriteGroups groups(model, bench.jobs);
        const QAbstractItemModelTester tester(&groups);
        QSignalSpy arranged(&groups, &RewriteGroups::arranged);
        const auto isArranged = [&] { return QTest::qWaitFor([&] { return !groups.isArranging(); }, 10'000); };
        std::vector<RewriteRow> some;
        for (int i = 0; i < bench.rows().rowCount(); ++i) some.push_back(bench.row(i));
        const auto addRows = [&](int count) {
            std::vector<RewriteRow> batch;
            for (int i = 0; i < count; ++i) {
                batch.push_back(some[static_cast<std::size_t>(i) % some.size()]);
                batch.back().costAfter = 200.0 - static_cast<double>(i % 977);
            }
            model.append(std::move(batch));
        };
        model.clear(100.0);
        while (model.rowCount() < 50'000) addRows(5'000);
        std::size_t grouped = 0;
        for (int i = 0; i < groups.rowCount(); ++i) {
            const RewriteGroup* group = groups.group(groups.index(i, 0));
            QVERIFY(group != nullptr);
            grouped += group->rows.size();
        }
        QCOMPARE(grouped, std::size_t(50'000));
        const int count = groups.rowCount();
        QVERIFY(count < 40);

        // A wish takes effect once the job is done; until then the list is as before.
        groups.setGrouping(false);
        QVERIFY(groups.isArranging());
        QCOMPARE(groups.rowCount(), count);
        QVERIFY(isArranged());
        QCOMPARE(groups.rowCount(), 50'000);
        QCOMPARE(groups.source(groups.index(0, 0)), 0);

        // The newest wish counts, and an index follows its rewrite.
        const QPersistentModelIndex followed = groups.index(30'000, 0);
        arranged.clear();
        groups.setOrder(RewriteOrder::Rule);
        groups.setText(QStringLiteral("no such rule"));
        groups.setText({});
        groups.setOrder(RewriteOrder::Cost);
        addRows(100);  // while they are being ordered
        QVERIFY(isArranged());
        QCOMPARE(arranged.size(), 1);
        QCOMPARE(groups.rowCount(), 50'100);
        for (int i = 1; i < 50'000; ++i)
            QVERIFY(groups.rewrite(groups.index(i - 1, 0)).costAfter <= groups.rewrite(groups.index(i, 0)).costAfter);
        QCOMPARE(groups.source(groups.index(50'000, 0)), 50'000);
        QVERIFY(followed.isValid());
        QCOMPARE(groups.source(followed), 30'000);

        // Another state: what is being ordered is dropped.
        groups.setGrouping(true);
        model.clear(100.0);
        QVERIFY(!groups.isArranging());
        QCOMPARE(groups.rowCount(), 0);
        addRows(10);
        QVERIFY(bench.settle());
        QCOMPARE(groups.shown(), 10);
    }

    void marksResultsTheHistoryHas() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        const auto step = test::findStep(bench.document, "commute_add");
        QVERIFY(step);
        bench.document.apply(*step);
        QVERIFY(bench.wait());
        const int back = bench.rowOf("commute_add");
        QVERIFY(back >= 0);
        QCOMPARE(bench.cell(back, RewritesModel::SeenColumn), QStringLiteral("↺"));
        const QModelIndex seen = bench.rows().index(back, RewritesModel::SeenColumn);
        QVERIFY(seen.data(Qt::ToolTipRole).toString().endsWith(QStringLiteral("state #0")));
    }

    void narrowsToTheSelectedSubterm() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        const int all = bench.rows().rowCount();
        auto& scope = bench.part<QComboBox>("rewritesScope");
        scope.setCurrentIndex(static_cast<int>(RewriteScope::AtSelection));
        auto& empty = bench.part<EmptyState>("emptyState");
        QVERIFY(empty.isVisible());
        QCOMPARE(empty.text(), QStringLiteral("No subterm is selected in the program."));

        bench.selection.setSubterm(ir::Path{0});
        QVERIFY(bench.rows().rowCount() > 0);
        for (int i = 0; i < bench.rows().rowCount(); ++i)
            QCOMPARE(bench.row(i).step().positions, std::vector<ir::Path>{{0}});
        bench.selection.setSubterm(ir::Path{0, 0});  // a variable
        QCOMPARE(bench.rows().rowCount(), 0);
        QCOMPARE(empty.text(), QStringLiteral("No rule matches this subterm."));

        scope.setCurrentIndex(static_cast<int>(RewriteScope::WithinSelection));
        bench.selection.setSubterm(ir::Path{});
        QCOMPARE(bench.rows().rowCount(), all);
        bench.selection.setSubterm(ir::Path{0, 0});
        QTest::mouseClick(&bench.part<QPushButton>("emptyStateAction"), Qt::LeftButton);
        QCOMPARE(scope.currentIndex(), static_cast<int>(RewriteScope::Anywhere));
        QCOMPARE(bench.rows().rowCount(), all);
    }

    void filtersByText() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        const int all = bench.rows().rowCount();
        auto& search = bench.part<QLineEdit>("rewritesFilter");
        QTest::keyClicks(&search, QStringLiteral("COMMUTE mul"));
        QVERIFY(bench.rows().rowCount() > 0);
        for (int i = 0; i < bench.rows().rowCount(); ++i) {
            QVERIFY(bench.cell(i, RewritesModel::RuleColumn).contains(QStringLiteral("commute")));
        }
        search.setText(QStringLiteral("no such rule"));
        QVERIFY(bench.part<EmptyState>("emptyState").isVisible());
        QTest::mouseClick(&bench.part<QPushButton>("emptyStateAction"), Qt::LeftButton);
        QVERIFY(search.text().isEmpty());
        QCOMPARE(bench.rows().rowCount(), all);
    }

    void dropsWhatBelongsToAnotherState() {
        Bench bench;
        QVERIFY(bench.load(test::FactorText));
        for (const char* rule : {"commute_add", "add_of_muls"}) {  // the second before the list of the first is there
            const auto step = test::findStep(bench.document, rule);
            QVERIFY(step);
            bench.document.apply(*step);
        }
        QVERIFY(bench.wait());
        QVERIFY(bench.rows().rowCount() > 0);
        for (int i = 0; i < bench.rows().rowCount(); ++i) {
            QVERIFY(findRewrite(bench.document.bank(), bench.document.current(), bench.row(i)).ok());
        }
        bench.document.undo();
        bench.document.undo();
        QVERIFY(bench.wait());
        QVERIFY(bench.rowOf("add_of_muls") >= 0);
    }

    void stepsWhileTheListIsBeingOrdered() {
        Bench bench;
        QVERIFY(bench.load(wideSum(450).constData()));
        auto& search = bench.part<QLineEdit>("rewritesFilter");
        const auto isListOfTheCurrentState = [&] {
            rewrite::Rewriter rewriter(bench.document.bank(), bench.document.rules().directions());
            double last = -1.0;
            for (int i = 0; i < bench.rows().rowCount(); ++i) {
                const auto found = findRewrite(bench.document.bank(), bench.document.current(), bench.row(i));
                if (!found.ok() || bench.document.bank().hash(found->result) != bench.row(i).resultHash) return false;
                if (bench.row(i).costAfter < last) return false;
                last = bench.row(i).costAfter;
            }
            return bench.rows().rowCount() == static_cast<int>(rewriter.all(bench.currentRoot()).size());
        };
        const auto step = test::findStep(bench.document, "commute_add");
        QVERIFY(step);

        // A step, then undo at once.
        for (const char* text : {"c", "co", "com", ""}) search.setText(QLatin1String(text));
        QVERIFY(bench.rows().isArranging());
        bench.document.apply(*step);
        QVERIFY(!bench.rows().isArranging());
        QCOMPARE(bench.rows().rowCount(), 0);
        QVERIFY(bench.wait());
        QVERIFY(isListOfTheCurrentState());
        bench.part<QToolButton>("rewritesGrouping").setChecked(true);
        bench.document.undo();
        bench.part<QToolButton>("rewritesGrouping").setChecked(false);
        QVERIFY(bench.wait());
        QVERIFY(isListOfTheCurrentState());

        // The selected rewrite stays selected while the list is ordered in another way.
        bench.table().selectRow(7);
        const std::uint64_t selected = bench.row(7).resultHash;
        bench.part<QComboBox>("rewritesOrder").setCurrentText(QStringLiteral("By place"));
        QVERIFY(bench.rows().isArranging());
        QVERIFY(bench.wait());
        QCOMPARE(bench.table().selectionModel()->selectedRows().size(), 1);
        QCOMPARE(bench.rows().rewrite(bench.table().selectionModel()->selectedRows().front()).resultHash, selected);
        QVERIFY(bench.selection.rewrite());

        // Another program.
        search.setText(QStringLiteral("commute"));
        QVERIFY(bench.rows().isArranging());
        search.clear();
        QVERIFY(bench.load(test::FactorText));
        bench.part<QComboBox>("rewritesOrder").setCurrentText(QStringLiteral("Cheapest first"));
        QVERIFY(bench.wait());
        QVERIFY(isListOfTheCurrentState());
    }

    void thousandsOfRowsAreWalkedAndFiltered() {
        Bench bench;
        QVERIFY(bench.load(wideSum(450).constData()));
        const int count = bench.rows().rowCount();
        QVERIFY2(count > 2000, qPrintable(QString::number(count)));
        for (int i = 0; i < 20; ++i) QTest::keyClick(&bench.table(), Qt::Key_J);
        QCOMPARE(bench.table().currentIndex().row(), 19);
        bench.part<QLineEdit>("rewritesFilter").setText(QStringLiteral("commute"));
        QTRY_VERIFY(bench.rows().rowCount() < count);
    }

    void staysEmptyWithoutAProgram() {
        Bench bench;
        QVERIFY(bench.part<EmptyState>("emptyState").isVisible());
        QCOMPARE(bench.part<EmptyState>("emptyState").text(), QStringLiteral("Open a program to see its rewrites."));
        QTest::keyClick(&bench.table(), Qt::Key_Return);
        QTest::keyClick(&bench.table(), Qt::Key_J);
        QVERIFY(!bench.selection.rewrite());
    }
};

MITOS_TEST(TestRewritesView)

}  // namespace tst_rewrites_view

#include "tst_rewrites_view.moc"
