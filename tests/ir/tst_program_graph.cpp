// SPDX-License-Identifier: GPL-3.0-or-later
// Programs as graphs: nodes, edges and identical subexpressions of small programs, written out by hand.
#include "core/dialects/dialects.h"
#include "core/ir/program_graph.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <numeric>

namespace tst_program_graph {

using namespace mitos;
using ir::NodeVocabulary;
using ir::ProgramGraph;
using ir::TermId;
using Numbers = std::vector<std::uint32_t>;

class TestProgramGraph : public QObject {
    Q_OBJECT

private:
    ir::TermBank m_bank{dialects::makeRegistry()};

    TermId term(const std::string& text) {
        const Result<ir::Program> parsed = dialects::parseProgram(m_bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        return parsed->root;
    }
    ProgramGraph graph(TermId root, ir::Sharing sharing = ir::Sharing::Tree) {
        const auto made = ir::programGraph(m_bank, root, sharing, NodeVocabulary::of(m_bank, {&root, 1}));
        if (!made) qFatal("%s", made.error().render().c_str());
        return *made;
    }
    ProgramGraph graph(const std::string& text) { return graph(term(text)); }
    /// "div add constant variable", by node.
    static std::string kinds(const ProgramGraph& graph, const NodeVocabulary& vocabulary) {
        std::string text;
        for (const std::uint32_t kind : graph.kinds) text += (text.empty() ? "" : " ") + vocabulary.names()[kind];
        return text;
    }
    /// "0-1a 0-2b": parent, child and place, of which d is Tuple.
    static std::string edges(const ProgramGraph& graph) {
        std::string text;
        for (const auto& [parent, child, place] : graph.edges) {
            text += (text.empty() ? "" : " ") + std::to_string(parent) + '-' + std::to_string(child) +
                    static_cast<char>('a' + static_cast<int>(place));
        }
        return text;
    }
    /// Directed edges between identical nodes.
    static std::size_t matches(const ProgramGraph& graph) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < graph.size(); ++i) {
            for (std::size_t j = 0; j < graph.size(); ++j)
                count += i != j && graph.values[i] == graph.values[j] ? 1 : 0;
        }
        return count;
    }

private Q_SLOTS:
    /// The paper's example, design/knossos-optimizer.md 3.5.
    void aFractionHasTenMatches() {
        const TermId root = term("(div (div 1.0 x) (add 1.0 (div 1.0 x)))");
        const NodeVocabulary vocabulary = NodeVocabulary::knossos();
        const auto made = ir::programGraph(m_bank, root, ir::Sharing::Tree, vocabulary);
        QVERIFY(made);
        QCOMPARE(kinds(*made, vocabulary), std::string("div div constant variable add constant div constant variable"));
        QCOMPARE(edges(*made), std::string("0-1a 0-4b 1-2a 1-3b 4-5a 4-6b 6-7a 6-8b"));
        QCOMPARE(made->values, (Numbers{0, 1, 2, 3, 4, 2, 1, 2, 3}));
        QCOMPARE(made->valueCount, 5U);
        QCOMPARE(matches(*made), 10U);
        Numbers own(9);
        std::iota(own.begin(), own.end(), 0U);
        QCOMPARE(made->binders, own);
        QVERIFY(made->terms.front() == root);
        QVERIFY(made->terms[1] == made->terms[6]);
    }

    void theVocabularyOfThePaper() {
        const NodeVocabulary vocabulary = NodeVocabulary::knossos();
        QCOMPARE(vocabulary.size(), 27U);
        QCOMPARE(vocabulary.kindOf(m_bank, term("1.0")), std::optional(0U));
        QCOMPARE(vocabulary.kindOf(m_bank, term("x")), std::optional(1U));
        QCOMPARE(vocabulary.kindOf(m_bank, term("(let (y (exp x)) y)")), std::optional(2U));
        QCOMPARE(vocabulary.kindOf(m_bank, term("(log x)")), std::optional(11U));
        QVERIFY(vocabulary == NodeVocabulary::knossos());
        // In alphabetical order, each once.
        const TermId root = term("(mul (exp x) (add 2.0 (exp y)))");
        const NodeVocabulary own = NodeVocabulary::of(m_bank, {&root, 1});
        QVERIFY(std::ranges::equal(own.names(), std::array{"add", "constant", "exp", "mul", "variable"}));
    }

    /// All operators that the paper names are there under the names that they have here.
    void thePapersOperatorsAreKnown() {
        const TermId root = term(
            "(def f Float ((v : Vec Float) (n : Integer) (x : Float) (y : Float))"
            "  (let (t (tuple (sub x y) (mul x y)))"
            "    (if (or (gt x y) (gte x (get$1$2 t)))"
            "        (sum (build n (lam (i : Integer) (div (index i v) (log (get$2$2 t))))))"
            "        (sumbuild n (lam (i : Integer)"
            "          (add (exp (index i (deltaVec n i x))) (if (eq i (size v)) 0.0 (index i (constVec n y)))))))))");
        QVERIFY(ir::programGraph(m_bank, root, ir::Sharing::Tree, NodeVocabulary::knossos()));
    }

    /// x is two terms, since it is one binder away and two; so is exp(x).
    void depthsDoNotMatter() {
        const ProgramGraph found = graph("(let (x (exp y)) (add (exp x) (let (z (log y)) (mul (exp x) z))))");
        // let, exp y, y, add, exp x, x, let, log y, y, mul, exp x, x, z
        QCOMPARE(found.values, (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 2, 8, 4, 5, 9}));
        QVERIFY(found.terms[4] != found.terms[10]);
        QCOMPARE(found.binders, (Numbers{0, 1, 2, 3, 4, 0, 6, 7, 8, 9, 10, 0, 6}));
        QCOMPARE(edges(found), std::string("0-1a 0-3b 1-2a 3-4a 3-6b 4-5a 6-7a 6-9b 7-8a 9-10a 9-12b 10-11a"));
    }

    /// One term twice, whose variable belongs to another binder.
    void differentBindersDiffer() {
        const ProgramGraph found = graph("(add (let (x (exp a)) (mul x x)) (let (x (log a)) (mul x x)))");
        // add, let, exp, a, mul, x, x, let, log, a, mul, x, x
        QVERIFY(found.terms[4] == found.terms[10]);
        QCOMPARE(found.values, (Numbers{0, 1, 2, 3, 4, 5, 5, 6, 7, 3, 8, 9, 9}));
        QCOMPARE(found.binders, (Numbers{0, 1, 2, 3, 4, 1, 1, 7, 8, 9, 10, 7, 7}));
    }

    /// Binders with all that they bind are identical if they are α-equivalent; what is below them is not, as its binder is another.
    void equalBindersAreIdentical() {
        const ProgramGraph found = graph("(add (let (x (exp a)) (mul x a)) (let (y (exp a)) (mul y a)))");
        // add, let, exp, a, mul, x, a, let, exp, a, mul, y, a
        QCOMPARE(found.values, (Numbers{0, 1, 2, 3, 4, 5, 3, 1, 2, 3, 6, 7, 3}));
    }

    /// exchanged: f(x, y) and f(y, x) are one form of two variables, and differ.
    void theOrderOfVariablesMatters() {
        const ProgramGraph found =
            graph("(let (x (exp a)) (let (y (log a)) (add (sub x y) (add (sub y x) (sub x y)))))");
        // let, exp, a, let, log, a, add, sub, x, y, add, sub, y, x, sub, x, y
        QCOMPARE(found.values, (Numbers{0, 1, 2, 3, 4, 2, 5, 6, 7, 8, 9, 10, 8, 7, 6, 7, 8}));
    }

    /// An inner function that uses variables of two binders, at two depths.
    void functionsCloseOverVariables() {
        const ProgramGraph found = graph(
            "(def f Float ((n : Integer) (a : Float))"
            "  (let (x (exp a)) (add (sumbuild n (lam (i : Integer) (mul x (to_float i))))"
            "    (let (y (log a)) (mul y (sumbuild n (lam (j : Integer) (mul x (to_float j)))))))))");
        // let, exp, a, add, sumbuild, n, lam, mul, x, to_float, i, let, log, a, mul, y, sumbuild, n, lam, mul, x, to_float, j
        QCOMPARE(found.size(), 23U);
        QCOMPARE(found.values[16], found.values[4]);
        QCOMPARE(found.values[18], found.values[6]);
        QVERIFY(found.values[19] != found.values[7]);  // i and j are different variables
        QCOMPARE(found.values[20], found.values[8]);
        QVERIFY(found.values[22] != found.values[10]);
        QCOMPARE(found.binders[10], 6U);
        QCOMPARE(found.binders[22], 18U);
        QCOMPARE(found.binders[20], 0U);
        QCOMPARE(found.binders[15], 11U);
    }

    /// More binders than a term knows exactly (TermBank::mayMention).
    void farBindersAreExact() {
        std::string text;
        for (int i = 0; i < 40; ++i) text.append("(let (x").append(std::to_string(i)).append(" (log a)) ");
        text.append("(add (exp x0) (let (w (log a)) (mul (exp x0) (exp x1))))").append(40, ')');
        const ProgramGraph found = graph(text);
        // 40 lets of three nodes each; add, exp, x0, let, log, a, mul, exp, x0, exp, x1
        QCOMPARE(found.size(), 131U);
        QCOMPARE(found.values[127], found.values[121]);
        QCOMPARE(found.values[128], found.values[122]);
        QVERIFY(found.values[129] != found.values[127]);
        QCOMPARE(found.binders[122], 0U);
        QCOMPARE(found.binders[128], 0U);
        QCOMPARE(found.binders[130], 3U);
    }

    void childrenOfTuplesHaveOnePlace() {
        const TermId root = term("(tuple a (if (gt a b) (tuple a b) (tuple b a)) c d)");
        const NodeVocabulary vocabulary = NodeVocabulary::knossos();
        const ProgramGraph found = *ir::programGraph(m_bank, root, ir::Sharing::Tree, vocabulary);
        QCOMPARE(kinds(found, vocabulary),
                 std::string("tuple variable if gt variable variable tuple variable variable tuple variable variable "
                             "variable variable"));
        QCOMPARE(edges(found), std::string("0-1d 0-2d 0-12d 0-13d 2-3a 2-6b 2-9c 3-4a 3-5b 6-7d 6-8d 9-10d 9-11d"));
        QCOMPARE(found.values, (Numbers{0, 1, 2, 3, 1, 4, 5, 1, 4, 6, 4, 1, 7, 8}));
    }

    void tensorProgramsHaveEachNodeOnce() {
        const TermId root = term(
            "graph f(x: f32[64,64], y: f32[64,64])\n"
            "  s = Relu(x)\n"
            "  t = MatMul(s, y)\n"
            "  return Add(Mul(t, s), Add(t, s))\n");
        const NodeVocabulary vocabulary = NodeVocabulary::of(m_bank, {&root, 1});
        QVERIFY(std::ranges::equal(vocabulary.names(), std::array{"Add", "MatMul", "Mul", "Relu", "variable"}));
        const ProgramGraph found = graph(root, ir::Sharing::Graph);
        QCOMPARE(kinds(found, vocabulary), std::string("Add Mul MatMul Relu variable variable Add"));
        // Each path is an edge: the inner sum leads to the nodes that the product has, too.
        QCOMPARE(edges(found), std::string("0-1a 0-6b 1-2a 1-3b 2-3a 2-5b 3-4a 6-2a 6-3b"));
        QCOMPARE(found.values, (Numbers{0, 1, 2, 3, 4, 5, 6}));
        QCOMPARE(found.valueCount, 7U);
        QCOMPARE(graph(root, ir::Sharing::Tree).size(), 15U);
    }

    void unknownKindsAreNamed() {
        const TermId root = term("(sin (add x 1.0))");
        const auto made = ir::programGraph(m_bank, root, ir::Sharing::Tree, NodeVocabulary::knossos());
        QVERIFY(!made);
        QCOMPARE(made.error().code, ErrorCode::Incompatible);
        QCOMPARE(made.error().message, std::string("the network does not know \"sin\""));
        QVERIFY(!made.error().hint.empty());
    }

    /// 2^100 occurrences; the limit is reached without visiting them.
    void largeProgramsAreRefused() {
        TermId root = term("(add x x)");
        QCOMPARE(graph(root).size(), 3U);
        const NodeVocabulary vocabulary = NodeVocabulary::knossos();
        const ir::OpId add = m_bank.op(root);
        for (int i = 0; i < 99; ++i) root = *m_bank.make(add, std::array{root, root});
        const auto made = ir::programGraph(m_bank, root, ir::Sharing::Tree, vocabulary);
        QVERIFY(!made);
        QCOMPARE(made.error().code, ErrorCode::Limit);
        QCOMPARE(made.error().message, std::string("the program has more than 20000 nodes"));
        QCOMPARE(ir::programGraph(m_bank, root, ir::Sharing::Graph, vocabulary)->size(), 101U);
        const TermId small = term("(add (exp x) y)");
        QVERIFY(ir::programGraph(m_bank, small, ir::Sharing::Tree, vocabulary, 4));
        QVERIFY(!ir::programGraph(m_bank, small, ir::Sharing::Tree, vocabulary, 3));
    }

    /// Chains of bindings as those of gradients: deep, each with many variables in sight.
    void deepProgramsAreFast() {
        constexpr int Depth = 2'000;
        TermId root = m_bank.bound(0, m_bank.types().floating());
        const ir::OpId add = m_bank.op(term("(add x y)"));
        for (std::uint32_t i = 0; i < 100; ++i)
            root = *m_bank.make(add, std::array{root, m_bank.bound(i * 19, m_bank.types().floating())});
        const TermId value = term("(exp x)");
        for (int i = 0; i < Depth; ++i) root = m_bank.let({}, value, root);
        const ProgramGraph found = graph(root);
        QCOMPARE(found.size(), 3U * Depth + 201U);
        // Each let, each sum, the 100 variables, exp(x) and x; the variable of the innermost let occurs twice.
        QCOMPARE(found.valueCount, Depth + 100U + 100U + 2U);
    }
};

MITOS_TEST(TestProgramGraph)

}  // namespace tst_program_graph

#include "tst_program_graph.moc"
