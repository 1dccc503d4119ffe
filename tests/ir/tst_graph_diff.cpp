// SPDX-License-Identifier: GPL-3.0-or-later
// Differences and outlines of programs that are graphs: known edits, laws over random graphs, and trees that
// are too large to write out.
#include "core/ir/diff.h"
#include "core/ir/draw.h"
#include "core/ir/shared.h"
#include "tests/dialects/random_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <set>

namespace tst_graph_diff {

using namespace mitos;
using ir::DiffMark;
using ir::TermId;

class TestGraphDiff : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ir::TermBank> m_bank;

    TermId term(const std::string& text) {
        const Result<ir::Program> parsed = dialects::parseProgram(*m_bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        return parsed->root;
    }
    /// "Add:k Relu:c x:k", in pre-order of first paths.
    [[nodiscard]] std::string marks(TermId root, const std::vector<DiffMark>& of) const {
        std::string text;
        std::size_t at = 0;
        ir::forEachShared(*m_bank, root, [&](const ir::Path&, TermId node) {
            const DiffMark mark = of.at(at++);
            text += (text.empty() ? "" : " ") + ir::nodeLabel(*m_bank, node, {}).substr(0, 4) + ':';
            text += mark == DiffMark::Kept ? 'k' : mark == DiffMark::Moved ? 'm' : 'c';
            return true;
        });
        return text;
    }
    void checkLaws(TermId before, TermId after) {
        const ir::Diff found = ir::diff(*m_bank, before, after, ir::Sharing::Graph);
        std::vector<TermId> mine;
        std::vector<TermId> theirs;
        const auto collect = [](std::vector<TermId>& into) {
            return [&into](const ir::Path&, TermId node) {
                into.push_back(node);
                return true;
            };
        };
        ir::forEachShared(*m_bank, before, collect(mine));
        ir::forEachShared(*m_bank, after, collect(theirs));
        QCOMPARE(found.before.size(), mine.size());
        QCOMPARE(found.after.size(), theirs.size());
        QCOMPARE(found.partner.size(), mine.size());
        std::set<std::uint32_t> taken;
        for (std::size_t i = 0; i < mine.size(); ++i) {
            const std::uint32_t partner = found.partner[i];
            QCOMPARE(found.before[i] == DiffMark::Kept, partner != ir::Diff::None);
            if (partner == ir::Diff::None) {
                QVERIFY(std::ranges::find(theirs, mine[i]) == theirs.end());  // what both have is kept
                continue;
            }
            QVERIFY(taken.insert(partner).second);  // one to one
            QCOMPARE(found.after[partner], DiffMark::Kept);
            QCOMPARE(m_bank->op(mine[i]), m_bank->op(theirs[partner]));
            QVERIFY(m_bank->payload(mine[i]) == m_bank->payload(theirs[partner]));
            QCOMPARE(m_bank->type(mine[i]), m_bank->type(theirs[partner]));
        }
        QCOMPARE(std::size_t(std::ranges::count(found.after, DiffMark::Kept)), taken.size());
        if (before == after) QVERIFY(found.isEmpty());
    }

private Q_SLOTS:
    void init() { m_bank = std::make_unique<ir::TermBank>(dialects::makeRegistry()); }

    void knownEdits_data() {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        QTest::addColumn<QString>("marks");
        const auto row = [](const char* name, const char* before, const char* after, const char* marks) {
            const QString head = QStringLiteral("graph f(x: f32[2,3], y: f32[2,3])\n return %1\n");
            QTest::newRow(name) << head.arg(QLatin1String(before)) << head.arg(QLatin1String(after))
                                << QString::fromLatin1(marks);
        };
        row("nothing", "Add(x, Relu(y))", "Add(x, Relu(y))", "Add:k x:k Relu:k y:k | Add:k x:k Relu:k y:k");
        row("an operator", "Tanh(Relu(x))", "Tanh(Exp(x))", "Tanh:k Relu:c x:k | Tanh:k Exp:c x:k");
        row("taken away", "Tanh(Neg(Neg(x)))", "Tanh(x)", "Tanh:k Neg:c Neg:c x:k | Tanh:k x:k");
        row("put around", "Tanh(x)", "Tanh(Relu(x))", "Tanh:k x:k | Tanh:k Relu:c x:k");
        row("in the middle, and above", "Tanh(Relu(Exp(x)))", "Relu(Exp(Neg(x)))",
            "Tanh:c Relu:k Exp:k x:k | Relu:k Exp:k Neg:c x:k");
        row("a shared node, once", "Add(Relu(Exp(x)), Tanh(Exp(x)))", "Add(Relu(Neg(x)), Tanh(Neg(x)))",
            "Add:k Relu:k Exp:c x:k Tanh:k | Add:k Relu:k Neg:c x:k Tanh:k");
        row("swapped operands change the node that has them", "Add(Relu(x), Exp(y))", "Add(Exp(y), Relu(x))",
            "Add:c Relu:k x:k Exp:k y:k | Add:c Exp:k y:k Relu:k x:k");
    }

    void knownEdits() {
        QFETCH(QString, before);
        QFETCH(QString, after);
        QFETCH(QString, marks);
        const TermId a = term(before.toStdString());
        const TermId b = term(after.toStdString());
        const ir::Diff found = ir::diff(*m_bank, a, b, ir::Sharing::Graph);
        QCOMPARE(QString::fromStdString(this->marks(a, found.before) + " | " + this->marks(b, found.after)), marks);
        checkLaws(a, b);
        checkLaws(b, a);
    }

    void marksNeverLieAboutRandomGraphs() {
        Random random(5);
        for (int round = 0; round < 300; ++round) {
            std::vector<TermId> nodes{test::parameter(*m_bank, "x"), test::parameter(*m_bank, "y")};
            for (int i = 0; i < 40; ++i) {
                const auto any = [&] { return nodes[random.below(nodes.size())]; };
                const std::array<const char*, 4> one{"Relu", "Exp", "Neg", "Tanh"};
                nodes.push_back(random.chance(0.5)
                                    ? test::node(*m_bank, one.at(random.below(one.size())), {any()})
                                    : test::node(*m_bank, random.chance(0.5) ? "Add" : "Mul", {any(), any()}));
            }
            const TermId before = nodes.back();
            const ir::SharedNodes graph(*m_bank, before);
            std::vector<TermId> inner(graph.begin(), graph.end());
            const TermId node = inner[random.below(inner.size())];
            checkLaws(before, ir::replaceShared(*m_bank, graph, node, test::node(*m_bank, "Sigmoid", {node})));
            checkLaws(before, nodes[nodes.size() - 2]);
            if (QTest::currentTestFailed()) return;
        }
    }

    void treesNobodyCouldWriteOut() {
        // 3,001 nodes; their tree has 2^3001 - 1.
        const TermId root = test::doublings(*m_bank, 3'000).root;
        const ir::SharedNodes graph(*m_bank, root);
        const TermId x = test::parameter(*m_bank, "x");
        const TermId other = ir::replaceShared(*m_bank, graph, x, test::node(*m_bank, "Relu", {x}));
        const ir::Diff found = ir::diff(*m_bank, root, other, ir::Sharing::Graph);
        QCOMPARE(std::ranges::count(found.before, DiffMark::Kept), std::ptrdiff_t(3'001));
        QCOMPARE(std::ranges::count(found.after, DiffMark::Changed), std::ptrdiff_t(1));
        QVERIFY(ir::diff(*m_bank, root, root, ir::Sharing::Graph).isEmpty());
    }

    void outlinesWriteEachNodeOnce() {
        const TermId root = term("graph f(x: f32[2,3])\n a = Relu(x)\n return Add(a, Add(a, x))\n");
        const auto columns = [](const ir::Path& path, TermId) { return ir::toString(path); };
        QCOMPARE(QString::fromStdString(ir::treeText(*m_bank, root, columns, ir::Sharing::Graph)),
                 QStringLiteral("Add               /\n"
                                "  Relu            /0\n"
                                "    x             /0/0\n"
                                "  Add             /1\n"
                                "    Relu (above)\n"
                                "    x\n"));
        const ir::TermId deep = test::doublings(*m_bank, 1'000).root;
        const std::string text = ir::treeText(*m_bank, deep, columns, ir::Sharing::Graph);
        QCOMPARE(std::ranges::count(text, '\n'), std::ptrdiff_t(2'001));  // a line an edge, and the root's
    }
};

MITOS_TEST(TestGraphDiff)

}  // namespace tst_graph_diff

#include "tst_graph_diff.moc"
