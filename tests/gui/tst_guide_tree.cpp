// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of the search that guides a saturation: its visits and principal line, and the e-graphs that it tried.
#include "search/guide_tree.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/gui/small_models.h"
#include "tests/support/test_program.h"
#include "views/saturation/internal/guide_tree_model.h"

#include <QLabel>
#include <QTabWidget>
#include <QTreeView>

namespace tst_guide_tree {

using namespace mitos;
using namespace mitos::views;

namespace {

/// Of the root's 5 visits one child has 3 and the other 1; the chosen child is the one that was visited less often.
std::shared_ptr<const search::GuideTree> smallTree() {
    search::GuideTree tree;
    tree.nodes = {
        {.parent = 0, .rule = 0, .visits = 5, .value = 0.1, .cost = 20.0, .enodes = 10},
        {.parent = 0, .rule = 1, .visits = 1, .value = 0.25, .cost = 15.0, .enodes = 12},
        {.parent = 0, .rule = 0, .visits = 3, .value = 0.05, .cost = 19.0, .enodes = 11},
        {.parent = 1, .rule = 2, .visits = 1, .value = 0.25, .cost = 12.5, .enodes = 14, .isSaturated = true}};
    tree.chosen = 1;
    tree.leftOut = 2;
    return std::make_shared<const search::GuideTree>(tree);
}

}  // namespace

class TestGuideTree : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void childrenAreOrderedByVisits() {
        GuideTreeModel model(nullptr);
        model.setTree(smallTree(), {"first", "second", "third"}, QStringLiteral("µs"));
        QCOMPARE(model.rowCount(), 1);
        const QModelIndex root = model.index(0, 0);
        QCOMPARE(model.rowCount(root), 2);
        const auto text = [&](const QModelIndex& parent, int row, int column) {
            return model.index(row, column, parent).data().toString();
        };
        QCOMPARE(text(root, 0, GuideTreeModel::Rule), QStringLiteral("first"));
        QCOMPARE(text(root, 0, GuideTreeModel::Visits), QStringLiteral("3"));
        QCOMPARE(text(root, 1, GuideTreeModel::Rule), QStringLiteral("second"));
        QCOMPARE(text(root, 1, GuideTreeModel::Reward), QStringLiteral("−25.00 %"));
        QCOMPARE(text(root, 1, GuideTreeModel::State), QStringLiteral("★ chosen"));
        const QModelIndex chosen = model.index(1, 0, root);
        QCOMPARE(text(chosen, 0, GuideTreeModel::State), QStringLiteral("saturated"));
        QCOMPARE(text(chosen, 0, GuideTreeModel::Cost), QStringLiteral("12.5"));
        const QModelIndex deepest = model.index(0, 0, chosen);
        QCOMPARE(model.rulesTo(deepest), (std::vector<std::uint32_t>{1, 2}));
        QCOMPARE(model.parent(deepest), chosen);
        QCOMPARE(model.index(0, GuideTreeModel::Visits, root).data(GuideTreeModel::ShareRole).toDouble(), 0.6);
        // The principal line goes through the chosen child, not the most visited one.
        QVERIFY(chosen.data(GuideTreeModel::PrincipalRole).toBool());
        QVERIFY(!model.index(0, 0, root).data(GuideTreeModel::PrincipalRole).toBool());
        QCOMPARE(model.principalLine(), (std::vector<QModelIndex>{root, chosen, deepest}));
        model.setTree(nullptr, {}, {});
        QCOMPARE(model.rowCount(), 0);
    }

    void triedEGraphsAreShown() {
        test::ShownWindow shown;
        shown.window.document().openText(QStringLiteral("typed"), QLatin1String(test::TwoBranches));
        QVERIFY(shown.isOpen());
        // A saturation without tree search has no tree.
        shown.window.saturate(test::saturation(2, 200, std::nullopt));
        QVERIFY(shown.settle());
        auto* tabs = shown.child<QTabWidget>("saturationTabs");
        QVERIFY(!tabs->isTabVisible(1));

        SearchSettings settings{.strategy = QStringLiteral("egraph-mcts"), .parameters = {}, .budget = {}};
        settings.parameters = {{"search_budget", std::int64_t(12)},
                               {"depth", std::int64_t(3)},
                               {"iterations", std::int64_t(4)},
                               {"nodes", std::int64_t(200)}};
        settings.budget.memoryBytes = search::DefaultMemoryBytes;
        shown.window.saturate(settings);
        QVERIFY(shown.settle());
        EGraphDocument& egraph = shown.window.egraph();
        QVERIFY(egraph.hasTrees());
        QVERIFY(tabs->isTabVisible(1));
        tabs->setCurrentIndex(1);
        auto* rows = shown.child<QTreeView>("guideTree");
        egraph.showStep(0);
        const auto tree = egraph.treeAfter(0);
        QVERIFY(tree);
        const QModelIndex root = rows->model()->index(0, 0);
        QCOMPARE(rows->model()->rowCount(), 1);
        QVERIFY(rows->model()->rowCount(root) >= 1);
        QCOMPARE(rows->model()->index(0, GuideTreeModel::Visits).data().toString(),
                 QString::number(tree->nodes[0].visits));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("guide-tree")));

        // The chosen rule leads to the e-graph of the next iteration.
        const auto& model = static_cast<const GuideTreeModel&>(*rows->model());
        const QModelIndex chosen = model.principalLine()[1];
        Q_EMIT rows->activated(chosen);
        QVERIFY(shown.settle());
        QCOMPARE(egraph.tried().size(), 1);
        QVERIFY(shown.child<QLabel>("iterationLabel")->text().startsWith(QStringLiteral("Tried by the tree search")));
        QCOMPARE(egraph.snapshot()->classes.empty(), false);
        const std::size_t tried = egraph.snapshot()->nodes.size();
        egraph.showStep(1);
        QVERIFY(egraph.tried().isEmpty());
        QCOMPARE(egraph.snapshot()->nodes.size(), tried);
        QCOMPARE(tried, static_cast<std::size_t>(egraph.report().iterations[0].nodes));

        // Another program: the trees are gone.
        shown.window.document().openText(QStringLiteral("typed"), QLatin1String(test::FactorText));
        QVERIFY(shown.isOpen());
        Q_EMIT rows->activated(rows->model()->index(0, 0));
        QVERIFY(shown.settle());
    }
};

MITOS_TEST(TestGuideTree)

}  // namespace tst_guide_tree

#include "tst_guide_tree.moc"
