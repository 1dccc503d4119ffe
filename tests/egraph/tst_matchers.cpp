// SPDX-License-Identifier: GPL-3.0-or-later
// Three ways to match in an e-graph find the same: numbers (FlatPattern), the compiled matcher, and the paper's machine.
#include "core/egraph/egraph_view.h"
#include "core/egraph/flat_pattern.h"
#include "core/rules/graph_matcher.h"
#include "core/rules/machine.h"
#include "core/rules/multi_matcher.h"
#include "tests/egraph/algebra.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

#include <set>

using namespace mitos;
using namespace mitos::tests;

namespace {

constexpr const char* Rules = R"(use ks
op f(x)
op g(x, y)
rule c: x + y => y + x
rule a: x + (y + z) => (x + y) + z
rule d: x * (y + z) => x * y + x * z
rule one: x * 1 => x
rule ff: f(f(x)) => f(x)
rule p1: x + x => x
rule p2: (x + y) + (x + z) => x
rule p3: f(x) * f(x) => x
rule p4: g(x, g(x, y)) => x
rule p5: x * y + z => x
rule p6: x * 1 + y * 2 => x
rule p7: f(f(f(x + y))) => x
rule several: x + y, f(y) => y + x, f(y)
rule three: x + y, f(y), g(y, z) => y + x, f(y), g(y, z)
rule crossed: x * y, y + x => x * y, y + x
pattern Chain(x, F) = F(Chain(x, F))
pattern Chain(x, F) = F(x)
rule m1: F(x) => x
rule m2: f(Chain(x, F)) => x
rule m3: F(x, y) + z => z
rule m4: x + y => z + y with x <= f(z)
)";

using Found = std::set<std::vector<std::uint32_t>>;

/// The place, or the places of the roots, and the classes of the values.
std::vector<std::uint32_t> key(const egraph::EGraphView& view, std::vector<std::uint32_t> places,
                               const rules::CompiledRule& rule, const rules::Substitution& match) {
    for (std::size_t i = 0; i < match.values.size(); ++i) {
        if (rule.variables[i].kind != rules::VarKind::Term) continue;
        places.push_back(match.values[i].term.isValid() ? view.placeOf(match.values[i].term).value
                                                        : rules::PlaceId::Invalid);
    }
    return places;
}

/// The same of a flat match.
std::vector<std::uint32_t> key(const egraph::EGraph& graph, const egraph::FlatPattern& flat,
                               std::span<const std::uint32_t> match, const rules::CompiledRule& rule) {
    std::vector<std::uint32_t> result;
    for (std::size_t root = 0; root < flat.rootCount(); ++root) {
        result.push_back(graph.find(egraph::ENodeId(match[flat.rootOperator(root)])).value);
    }
    std::vector<std::uint32_t> values(rule.valueCount, rules::PlaceId::Invalid);
    for (const egraph::FlatPattern::VariableUse& use : flat.variables()) {
        values[use.variable] = graph.children(egraph::ENodeId(match[use.operatorNumber]))[use.place];
    }
    for (std::size_t i = 0; i < rule.valueCount; ++i) {
        if (rule.variables[i].kind == rules::VarKind::Term) result.push_back(values[i]);
    }
    return result;
}

}  // namespace

class TestMatchers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void allFindTheSame_data();
    void allFindTheSame();
};

void TestMatchers::allFindTheSame_data() {
    QTest::addColumn<QString>("term");
    QTest::addColumn<int>("iterations");
    QTest::newRow("sums") << QStringLiteral("(add a (add b (add (f b) (f a))))") << 3;
    QTest::newRow("products") << QStringLiteral("(add (mul (add a b) 1) (mul (f a) (add (f a) (mul 2 b))))") << 3;
    QTest::newRow("operators of the rules")
        << QStringLiteral("(g (f (f a)) (g (f a) (g (f (f (f (add a b)))) (add a a))))") << 2;
    QTest::newRow("all") << QStringLiteral("(g (add a (f b)) (g (mul a (add b b)) (add (mul a 1) (mul (f b) 2))))")
                         << 3;
}

void TestMatchers::allFindTheSame() {
    QFETCH(const QString, term);
    QFETCH(const int, iterations);
    Algebra algebra(Rules);
    egraph::EGraph graph(algebra.bank(), false);
    graph.add(algebra.term(term.toStdString()));
    auto rules = algebra.rules();
    // The first five make the graph.
    const std::vector growing(rules.begin(), rules.begin() + 5);
    egraph::SaturationOptions options;
    options.limits.iterations = static_cast<std::uint32_t>(iterations);
    options.limits.nodes = 400;
    saturate(graph, growing, options);
    QVERIFY(graph.isClean() && graph.classCount() < graph.nodeCount());
    const egraph::EGraphView view(graph);
    std::vector<rules::PlaceId> places;
    for (const std::uint32_t eclass : graph.index().classes) places.emplace_back(eclass);

    std::size_t matches = 0;
    for (const auto& rule : rules) {
        const rules::CompiledRule& compiled = rule->compiled();
        Found general;
        if (rule->hasSeveralRoots()) {
            const std::vector<std::vector<rules::PlaceId>> candidates(rule->parts().size(), places);
            const bool isComplete =
                rules::MultiMatcher(view, *rule->multi())
                    .run(
                        candidates,
                        [&](std::span<const rules::PlaceId> roots, const rules::Substitution& match) {
                            std::vector<std::uint32_t> where;
                            for (const rules::PlaceId root : roots) where.push_back(root.value);
                            general.insert(key(view, where, compiled, match));
                            return true;
                        },
                        [] { return true; });
            QVERIFY(isComplete);
        } else {
            rules::GraphMatcher all(view, compiled);
            rules::MatcherOver<rules::GraphView> raw(view, compiled);
            for (const rules::PlaceId place : places) {
                QVERIFY(all.run(place, [&](const rules::Substitution& match) {
                    general.insert(key(view, {place.value}, compiled, match));
                    return true;
                }));
                std::vector<rules::Substitution> byMatcher;
                raw.run(place, [&](const rules::Substitution& match) {
                    byMatcher.push_back(match);
                    return byMatcher.size() < 50;
                });
                std::vector<rules::Substitution> byMachine;
                rules::Machine machine(view, compiled, place);
                while (byMachine.size() < 50 && machine.run() == rules::Machine::Status::Success) {
                    byMachine.push_back(machine.state().values);
                    machine.step();
                }
                QVERIFY2(byMatcher == byMachine, rule->name().c_str());
            }
        }
        matches += general.size();
        if (!rule->flat()) {
            QVERIFY2(rule->name()[0] == 'm', "a rule that needs more than numbers");
            continue;
        }
        Found flat;
        rule->flat()->search(
            graph, 0,
            [&](std::span<const std::uint32_t> match) {
                flat.insert(key(graph, *rule->flat(), match, compiled));
                return true;
            },
            [](egraph::RootClass, egraph::RootClass) { return true; }, [] { return true; });
        QVERIFY2(flat == general,
                 fmt::format("{}: {} as numbers, {} as terms", rule->name(), flat.size(), general.size()).c_str());
    }
    QVERIFY(matches > 20);
}

MITOS_TEST(tst_matchers, TestMatchers)
#include "tst_matchers.moc"
