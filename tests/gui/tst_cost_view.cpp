// SPDX-License-Identifier: GPL-3.0-or-later
// The cost explanation: its sums, and what it follows.
#include "core/dialects/dialects.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/support/test_program.h"
#include "views/cost/cost_view.h"

#include <QComboBox>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <numeric>

namespace tst_cost_view {

using namespace mitos;
using namespace mitos::views;

namespace {

struct Shown {
    test::Desk desk;
    CostView view{desk.document, desk.selection, desk.jobs};
    QTableView* table = view.findChild<QTableView*>(QStringLiteral("costTable"));

    bool open(const QString& text) {
        view.resize(760, 260);
        view.show();
        return desk.open(text) && QTest::qWaitFor([this] { return view.isComplete(); }, 20'000);
    }
    [[nodiscard]] QString title() const { return view.findChild<QLabel*>(QStringLiteral("costTitle"))->text(); }
    [[nodiscard]] QString cell(int row, int column) const {
        return table->model()->index(row, column).data().toString();
    }
    [[nodiscard]] double sum(int column) const {
        double total = 0.0;
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            total += table->model()->index(row, column).data(CostTableModel::SortRole).toDouble();
        }
        return total;
    }
};

}  // namespace

class TestCostView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void partsAddUp() {
        test::Desk desk;
        QVERIFY(desk.open(QStringLiteral("(let (t (mul a (exp b))) (add (mul t t) (div t 2.0)))")));
        const ir::Program program = desk.document.current();
        const ir::TermId root = program.root;
        const ir::TermBank& bank = desk.document.bank();
        ExplainedCosts costs;
        costs.parts = desk.document.explainCost(root);
        std::size_t index = 0;
        ir::forEachSubterm(bank, root, [&](const ir::Path& path, ir::TermId) {
            [&] { QCOMPARE(partIndex(bank, program, path), index); }();
            const std::vector<CostRow> rows = operandRows(bank, program, path, costs);
            const double sum = std::accumulate(rows.begin(), rows.end(), 0.0,
                                               [](double all, const CostRow& row) { return all + row.inAll; });
            const cost::CostPart& part = costs.parts[index++];
            [&] { QVERIFY(qAbs(sum - part.total * part.times) < 1e-9); }();
            return true;
        });
        const std::vector<CostRow> expensive = mostExpensiveRows(bank, program, {}, costs, 3);
        QCOMPARE(expensive.size(), std::size_t(3));
        QCOMPARE(expensive[0].label, std::string("exp"));
        QVERIFY(expensive[1].inAll >= expensive[2].inAll);
    }

    void sharedNodesArePaidOnce() {
        ir::TermBank bank(dialects::makeRegistry());
        const Result<ir::Program> program = dialects::parseProgram(
            bank, "test", "graph f(x: f32[8,8])\n a = Exp(x)\n b = Relu(a)\n return Add(b, Tanh(a))\n");
        QVERIFY(program.ok());
        const auto model = cost::findCostModel("roofline", "tensor");
        ExplainedCosts costs;
        costs.parts = *(*model)->evaluator(bank, program->function)->explain(program->root);
        QCOMPARE(costs.parts.size(), std::size_t(5));
        const std::vector<CostRow> rows = operandRows(bank, *program, {}, costs);
        QCOMPARE(rows.size(), std::size_t(3));
        QVERIFY(!rows[1].isRest);
        QVERIFY(rows[2].isRest);  // Exp is paid with the first operand
        QVERIFY(rows[1].inAll > rows[2].inAll);
        const double sum = rows[0].inAll + rows[1].inAll + rows[2].inAll;
        QVERIFY(qAbs(sum - costs.parts[0].total) < 1e-9 * sum);
        QCOMPARE(mostExpensiveRows(bank, *program, ir::Path{1}, costs, 10).size(), std::size_t(2));
        QCOMPARE(rows[0].shares.size(), std::size_t(2));
        QCOMPARE(rows[0].shares[0].name, std::string_view("launch"));
        QVERIFY(qAbs(rows[0].shares[0].cost + rows[0].shares[1].cost - rows[0].once) < 1e-9);
        QCOMPARE(partIndex(bank, *program, {1, 0}), std::size_t(2));  // of Exp, at its other path
    }

    void followsTheSelection() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::FactorText)));
        shown.desk.document.setCostModel(QStringLiteral("size"));
        QCOMPARE(shown.title(), QStringLiteral("The whole program: 7 nodes"));
        QCOMPARE(shown.table->model()->rowCount(), 3);
        QCOMPARE(shown.sum(CostTableModel::InAll), 7.0);
        shown.desk.selection.setSubterm(ir::Path{1});
        QVERIFY2(shown.title().contains(QLatin1String("(mul a c): 3 nodes, 42.9 % of 7")), qPrintable(shown.title()));
        QCOMPARE(shown.sum(CostTableModel::InAll), 3.0);
        // Enter on an operand goes there.
        const QModelIndex second = shown.table->model()->index(1, 0);
        Q_EMIT shown.table->activated(second);
        QCOMPARE(*shown.desk.selection.subterm(), (ir::Path{1, 0}));
    }

    void loopsCountAsOftenAsTheyTurn() {
        Shown shown;
        QVERIFY(
            shown.open(QStringLiteral("(def f (Vec n Float) ((v : (Vec n Float))) "
                                      "(build n (lam (i : Integer) (mul 2.0 (index i v)))))")));
        shown.desk.selection.setSubterm(ir::Path{1, 0});
        QVERIFY2(shown.title().contains(QStringLiteral("× 16 times")), qPrintable(shown.title()));
        QVERIFY(!shown.view.findChild<QLabel*>(QStringLiteral("costFormula"))->text().isEmpty());
    }

    void anotherModelStandsBeside() {
        Shown shown;
        QVERIFY(shown.open(QLatin1String(test::FactorText)));
        QVERIFY(shown.table->isColumnHidden(CostTableModel::Other));
        auto* other = shown.view.findChild<QComboBox*>(QStringLiteral("costOther"));
        other->setCurrentIndex(other->findData(QStringLiteral("size")));
        QVERIFY(!shown.table->isColumnHidden(CostTableModel::Other));
        QCOMPARE(shown.sum(CostTableModel::Other), 7.0);
        QVERIFY(shown.title().contains(QLatin1String("under size: 7")));
    }

    void columnsSort() {
        Shown shown;
        QVERIFY(shown.open(QStringLiteral("(add (exp a) (mul b 2.0))")));
        shown.view.findChild<QComboBox*>(QStringLiteral("costMode"))->setCurrentIndex(1);
        shown.table->sortByColumn(CostTableModel::InAll, Qt::AscendingOrder);
        QVERIFY(shown.cell(0, CostTableModel::Part).startsWith(QLatin1String("add")));
        shown.table->sortByColumn(CostTableModel::InAll, Qt::DescendingOrder);
        QVERIFY(shown.cell(0, CostTableModel::Part).startsWith(QLatin1String("exp")));
    }

    void largeProgramsAreExplainedElsewhere() {
        QString text = QStringLiteral("(mul x y)");
        for (int i = 1; i < 800; ++i) text = QStringLiteral("(add (mul x y) %1)").arg(text);
        Shown shown;
        QVERIFY(shown.open(text));
        QVERIFY(shown.desk.settle());
        QCOMPARE(shown.table->model()->rowCount(), 3);
        shown.view.findChild<QComboBox*>(QStringLiteral("costMode"))->setCurrentIndex(1);
        QCOMPARE(shown.table->model()->rowCount(), 200);
    }

    void pictures() {
        Shown shown;
        QVERIFY(shown.open(QStringLiteral("(let (t (mul a (exp b))) (add (mul t t) (div t 2.0)))")));
        QVERIFY(test::takePictures(shown.view, QStringLiteral("cost")));
    }
};

MITOS_TEST(TestCostView)

}  // namespace tst_cost_view

#include "tst_cost_view.moc"
