// SPDX-License-Identifier: GPL-3.0-or-later
// The e-graph against a naive congruence closure, on random terms and unions; and its own invariants after every rebuild.
#include "core/base/random.h"
#include "tests/egraph/algebra.h"
#include "tests/support/test_program.h"

#include <map>
#include <numeric>
#include <set>

namespace tst_congruence {

using namespace mitos;
using namespace mitos::tests;
using egraph::EGraph;
using egraph::ENodeId;
using ir::TermId;

namespace {

const char* const Operators = "op f(x) -> 1\nop g(x, y) -> 1\nop h(x, y, z) -> 1\nrule r: f(f(x)) => f(f(x))\n";

/// All subterms of all terms in a union-find; congruence by comparing every pair until nothing changes.
class NaiveClosure {
public:
    explicit NaiveClosure(const ir::TermBank& bank) : m_bank(bank) {}

    void add(TermId term) {
        if (!m_parent.emplace(term, term).second) return;
        for (const TermId child : m_bank.children(term)) add(child);
    }
    TermId find(TermId term) {
        while (m_parent.at(term) != term) term = m_parent.at(term);
        return term;
    }
    void unite(TermId a, TermId b) { m_parent[find(a)] = find(b); }
    void close() {
        for (bool changed = true; changed;) {
            changed = false;
            for (const auto& [a, unusedA] : m_parent) {
                for (const auto& [b, unusedB] : m_parent) {
                    if (find(a) == find(b) || !areCongruent(a, b)) continue;
                    unite(a, b);
                    changed = true;
                }
            }
        }
    }
    [[nodiscard]] const std::map<TermId, TermId>& terms() const { return m_parent; }

private:
    bool areCongruent(TermId a, TermId b) {
        if (m_bank.op(a) != m_bank.op(b) || m_bank.payload(a) != m_bank.payload(b)) return false;
        for (std::size_t i = 0; i < m_bank.childCount(a); ++i) {
            if (find(m_bank.child(a, i)) != find(m_bank.child(b, i))) return false;
        }
        return true;
    }

    const ir::TermBank& m_bank;
    std::map<TermId, TermId> m_parent;
};

TermId randomTerm(Algebra& algebra, Random& random, int depth) {
    ir::TermBank& bank = algebra.bank();
    if (depth == 0 || random.chance(0.25)) {
        return algebra.term(std::string(1, static_cast<char>('p' + random.below(4))));
    }
    const std::size_t arity = 1 + random.below(3);
    std::vector<TermId> children;
    for (std::size_t i = 0; i < arity; ++i) children.push_back(randomTerm(algebra, random, depth - 1));
    return *bank.make(bank.registry().find(arity == 1 ? "f" : arity == 2 ? "g" : "h"), children);
}

/// The invariants after rebuild.
void verifyInvariants(EGraph& graph) {
    std::set<std::vector<std::uint32_t>> seen;
    std::set<std::uint32_t> classes;
    std::size_t live = 0;
    for (std::uint32_t id = 0; id < graph.idCount(); ++id) {
        const ENodeId node(id);
        QVERIFY(graph.find(graph.find(node)) == graph.find(node));
        QVERIFY(graph.find(graph.best(node)) == graph.find(node));
        classes.insert(graph.find(node).value);
        if (!graph.isLive(node)) continue;
        ++live;
        std::vector<std::uint32_t> key{graph.headOf(node).value};
        for (const std::uint32_t child : graph.children(node)) {
            QCOMPARE(graph.find(ENodeId(child)).value, child);
            key.push_back(child);
            bool isUser = false;
            graph.forEachUse(ENodeId(child), [&](ENodeId user, std::uint32_t) { isUser = isUser || user == node; });
            QVERIFY(isUser);
        }
        QVERIFY(seen.insert(key).second);  // no two congruent nodes
    }
    QCOMPARE(live, graph.nodeCount());
    QCOMPARE(classes.size(), graph.classCount());
}

}  // namespace

class TestCongruence : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void againstNaiveClosure() {
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            Algebra algebra(Operators);
            Random random(seed);
            EGraph graph(algebra.bank(), seed % 2 == 0);
            NaiveClosure naive(algebra.bank());
            std::vector<TermId> terms;
            for (int round = 0; round < 4; ++round) {
                for (int i = 0; i < 6; ++i) {
                    const TermId term = randomTerm(algebra, random, 3);
                    terms.push_back(term);
                    naive.add(term);
                    if (i % 2 == 0) {
                        graph.addExactly(term);
                    } else {
                        graph.add(term);
                    }
                }
                for (int i = 0; i < 2; ++i) {
                    const TermId a = terms[random.below(terms.size())];
                    const TermId b = terms[random.below(terms.size())];
                    naive.unite(a, b);
                    graph.unite(graph.lookup(a), graph.lookup(b));
                }
                naive.close();
                graph.rebuild();
                verifyInvariants(graph);
                for (const auto& [a, unusedA] : naive.terms()) {
                    const ENodeId nodeA = graph.lookup(a);
                    QVERIFY(nodeA.isValid());
                    for (const auto& [b, unusedB] : naive.terms()) {
                        const bool isEqual = graph.find(nodeA) == graph.find(graph.lookup(b));
                        QVERIFY2(isEqual == (naive.find(a) == naive.find(b)),
                                 (std::to_string(seed) + ": " + algebra.text(a) + " and " + algebra.text(b)).c_str());
                    }
                }
            }
        }
    }

    /// A member stands for the term it was added for, whatever has become equal since.
    void membersKeepTheirTerms() {
        Algebra algebra(Operators);
        Random random(5);
        EGraph graph(algebra.bank());
        std::map<std::uint32_t, TermId> members;
        for (int i = 0; i < 200; ++i) {
            const TermId term = randomTerm(algebra, random, 3);
            members.emplace(graph.addExactly(term).value, term);
            if (i % 5 == 4) {
                graph.unite(ENodeId(members.begin()->first), graph.addExactly(randomTerm(algebra, random, 2)));
                graph.rebuild();
            }
        }
        for (const auto& [member, term] : members) {
            QCOMPARE(algebra.text(graph.term(ENodeId(member))), algebra.text(term));
            QVERIFY(graph.addExactly(term) == ENodeId(member));
        }
        verifyInvariants(graph);
    }

    /// Undoing leaves the graph as it was at the mark, tables included.
    void marksNest() {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            Algebra algebra(Operators);
            Random random(seed);
            EGraph graph(algebra.bank());
            for (int i = 0; i < 10; ++i) graph.add(randomTerm(algebra, random, 3));
            graph.rebuild();
            const auto partition = [&] {
                std::vector<std::uint32_t> leaders;
                for (std::uint32_t id = 0; id < graph.idCount(); ++id) leaders.push_back(graph.find(ENodeId(id)).value);
                return leaders;
            };
            const auto change = [&](int terms) {
                std::vector<ENodeId> added;
                for (int i = 0; i < terms; ++i) added.push_back(graph.add(randomTerm(algebra, random, 4)));
                graph.unite(added.front(), added.back());
                graph.unite(added[added.size() / 2], ENodeId(0));
                graph.rebuild();
            };
            const std::vector<std::uint32_t> before = partition();
            const EGraph::Mark outer = graph.mark();
            change(seed % 2 == 0 ? 5 : 1);
            const std::vector<std::uint32_t> between = partition();
            const EGraph::Mark inner = graph.mark();
            change(seed % 2 == 0 ? 60 : 600);  // the hash table grows
            graph.undoTo(inner);
            QVERIFY(partition() == between);
            verifyInvariants(graph);
            const EGraph::Mark kept = graph.mark();
            change(8);
            graph.release(kept);
            verifyInvariants(graph);
            graph.undoTo(outer);
            QVERIFY(partition() == before);
            verifyInvariants(graph);
            change(10);
            verifyInvariants(graph);
        }
    }
};

MITOS_TEST(TestCongruence)

}  // namespace tst_congruence

#include "tst_congruence.moc"
