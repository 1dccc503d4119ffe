// SPDX-License-Identifier: GPL-3.0-or-later
// Three ways to match in an e-graph find the same matches: numbers (FlatPattern), the compiled matcher, and the machine of
// the PyPM paper.
#include "core/egraph/flat_pattern.h"
#include "core/egraph/internal/egraph_view.h"
#include "core/egraph/internal/rule_worker.h"
#include "core/ir/attributes.h"
#include "core/rules/matching/graph_matcher.h"
#include "core/rules/matching/machine.h"
#include "tests/dialects/random_graphs.h"
#include "tests/egraph/algebra.h"
#include "tests/egraph/graph_programs.h"
#include "tests/support/joint_matches.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

#include <limits>
#include <set>

namespace tst_matchers {

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

/// The places of the roots and the values of the variables, without the choices.
std::vector<std::uint32_t> key(std::vector<std::uint32_t> places, const rules::CompiledRule& rule,
                               const rules::Substitution& match) {
    for (std::size_t i = 0; i < match.values.size(); ++i) {
        if (i == rule.choices) continue;
        places.push_back(match.values[i].term.value);
        for (const ir::TermId element : match.values[i].sequence) places.push_back(element.value);
    }
    return places;
}

Found generalMatches(const egraph::EGraphView& view, const egraph::EGraphRule& rule,
                     const std::vector<rules::PlaceId>& places) {
    Found found;
    if (!rule.hasSeveralRoots()) {
        rules::MatchMemo memo(rule.compiled());
        rules::GraphMatcher matcher(view, rule.compiled(), memo);
        for (const rules::PlaceId place : places) {
            const bool isComplete = matcher.run(place, [&](const rules::Substitution& match) {
                found.insert(key({place.value}, rule.compiled(), match));
                return true;
            });
            if (!isComplete) qFatal("the matcher gave up");
        }
        return found;
    }
    const bool isComplete = forEachJointMatch(
        view, rule.rule(), places, [&](std::span<const rules::PlaceId> roots, const rules::Substitution& match) {
            std::vector<std::uint32_t> where;
            for (const rules::PlaceId root : roots) where.push_back(root.value);
            found.insert(key(where, rule.compiled(), match));
            return true;
        });
    if (!isComplete) qFatal("the matcher gave up");
    return found;
}

/// The flat matches whose condition holds.
Found flatMatches(egraph::EGraph& graph, const std::shared_ptr<const egraph::EGraphRule>& rule) {
    const egraph::FlatPattern& flat = *rule->flat();
    egraph::RuleWorker worker(graph, rule);
    Found found;
    const auto keep = [&](std::span<const std::uint32_t> match) {
        const rules::Substitution substitution = worker.substitution(match);
        const auto own = rule->rule().projections(graph.bank(), substitution);
        if (!own || !rule->parts().front()->guardHolds(graph.bank(), own->front())) return true;
        std::vector<std::uint32_t> where;
        for (std::size_t root = 0; root < flat.rootCount(); ++root) {
            where.push_back(graph.find(egraph::ENodeId(match[flat.rootOperator(root)])).value);
        }
        found.insert(key(where, rule->compiled(), substitution));
        return true;
    };
    egraph::FlatPattern::HeadMemo memo;
    flat.search(
        graph, 0, memo, keep, [](egraph::RootClass, egraph::RootClass) { return true; }, [] { return true; });
    return found;
}

/// Whether the compiled matcher and the machine find the same first matches, in the same order, at each place.
bool isAsByMachine(const egraph::EGraphView& view, const rules::CompiledRule& rule,
                   const std::vector<rules::PlaceId>& places) {
    constexpr std::size_t Compared = 50;
    rules::MatcherOver<rules::GraphView> matcher(view, rule);
    for (const rules::PlaceId place : places) {
        std::vector<rules::Substitution> byMatcher;
        matcher.run(place, [&](const rules::Substitution& match) {
            byMatcher.push_back(match);
            return byMatcher.size() < Compared;
        });
        std::vector<rules::Substitution> byMachine;
        rules::Machine machine(view, rule, place);
        while (byMachine.size() < Compared && machine.run() == rules::Machine::Status::Success) {
            byMachine.push_back(machine.state().values);
            machine.step();
        }
        if (byMatcher != byMachine) return false;
    }
    return true;
}

std::vector<rules::PlaceId> allPlaces(egraph::EGraph& graph) {
    std::vector<rules::PlaceId> places;
    for (const std::uint32_t eclass : graph.index().classes) places.emplace_back(eclass);
    return places;
}

}  // namespace

class TestMatchers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void heightsOfLeftHandSides_data() {
        QTest::addColumn<QString>("rule");
        QTest::addColumn<quint32>("height");
        const quint32 unbounded = std::numeric_limits<quint32>::max();
        QTest::newRow("operators") << QStringLiteral("rule r: f(g(x, y)) => x") << 2U;
        QTest::newRow("two roots") << QStringLiteral("rule r: f(x), g(f(f(x)), y) => x, y") << 3U;
        QTest::newRow("a named pattern over a pattern")
            << QStringLiteral("pattern Twice(x) = f(f(x))\nrule r: g(Twice(f(x)), y) => x") << 4U;
        QTest::newRow("alternates") << QStringLiteral(
                                           "pattern Some(x) = f(x)\npattern Some(x) = f(f(x))\nrule r: Some(x) => x")
                                    << 2U;
        QTest::newRow("a pattern in a pattern")
            << QStringLiteral("pattern Twice(x) = f(f(x))\npattern Four(x) = Twice(Twice(x))\nrule r: Four(x) => x")
            << 4U;
        QTest::newRow("a recursive pattern")
            << QStringLiteral("pattern Chain(x) = f(Chain(x))\npattern Chain(x) = f(x)\nrule r: Chain(x) => x")
            << unbounded;
        QTest::newRow("a match constraint") << QStringLiteral("rule r: g(x, y) => x with x <= f(y)") << unbounded;
    }
    /// Saturation matches a class again only if something has changed within this many levels below it.
    void heightsOfLeftHandSides() {
        QFETCH(const QString, rule);
        QFETCH(const quint32, height);
        const Algebra algebra("op f(x)\nop g(x, y)\n" + rule.toStdString() + "\n");
        QCOMPARE(algebra.rules().front()->height(), height);
    }

    void allFindTheSame_data();
    void allFindTheSame();
    void tensorRulesFindTheSame_data();
    void tensorRulesFindTheSame();
    void attributesInRandomGraphs();
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
    const std::vector<rules::PlaceId> places = allPlaces(graph);
    std::size_t matches = 0;
    for (const auto& rule : rules) {
        const Found general = generalMatches(view, *rule, places);
        if (!rule->hasSeveralRoots()) QVERIFY2(isAsByMachine(view, rule->compiled(), places), rule->name().c_str());
        matches += general.size();
        if (!rule->flat()) {
            QVERIFY2(rule->name()[0] == 'm', "a rule that needs more than numbers");
            continue;
        }
        const Found flat = flatMatches(graph, rule);
        QVERIFY2(flat == general,
                 fmt::format("{}: {} as numbers, {} as terms", rule->name(), flat.size(), general.size()).c_str());
    }
    QVERIFY(matches > 20);
}

void TestMatchers::tensorRulesFindTheSame_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<int>("least");
    QTest::newRow("convolutions")
        << QStringLiteral(
               "graph f(x: f32[1,2,4,4])\n"
               "  weight u: f32[2,2,1,1]\n"
               "  weight v: f32[2,2,3,3]\n"
               "  weight c: f32[2]\n"
               "  a = Relu(Conv[strides=[1,1], pads=[0,0,0,0], dilations=[1,1], group=1](x, u))\n"
               "  b = Conv[strides=[1,1], pads=[1,1,1,1], dilations=[1,1], group=1](x, v, c)\n"
               "  d = Conv[strides=[1,1], pads=[1,1,1,1], dilations=[1,1], group=1](a, v)\n"
               "  return Concat[axis=1](Add(b, d), Relu(d))\n")
        << 30;
    QTest::newRow("products")
        << QStringLiteral(
               "graph f(x: f32[2,3])\n"
               "  weight v: f32[3,4]\n"
               "  weight w: f32[3,4]\n"
               "  weight b: f32[4]\n"
               "  p = MatMul(x, v)\n"
               "  q = Gemm[alpha=1.0, beta=1.0, transA=false, transB=false](x, w, b)\n"
               "  t = Transpose[perm=[1,0]](Transpose[perm=[1,0]](Add(p, q)))\n"
               "  r = Reshape[shape=[8]](Reshape[shape=[4,2]](t))\n"
               "  return (Softmax[axis=1](Add(p, q)), Relu(r), ReduceSum[axes=[0], keepdims=true](p))\n")
        << 30;
}

/// The rules over arrays, most of which have attributes, in a graph that some of them have grown.
void TestMatchers::tensorRulesFindTheSame() {
    QFETCH(const QString, program);
    QFETCH(const int, least);
    GraphPrograms subject;
    const auto book = rules::RuleBook::load("tensor,tensor-multi", subject.registry);
    QVERIFY(book.ok());
    const auto rules = *egraph::prepareRules(book->directions());
    egraph::EGraph graph(subject.bank, false);
    graph.add(subject.parse(program.toStdString()).root);
    egraph::SaturationOptions options;
    options.limits.iterations = 2;
    options.limits.nodes = 300;
    saturated(graph, rules, options);
    const egraph::EGraphView view(graph);
    const std::vector<rules::PlaceId> places = allPlaces(graph);
    std::size_t matches = 0;
    std::size_t withAttributes = 0;
    for (const auto& rule : rules) {
        if (!rule->hasSeveralRoots()) QVERIFY2(isAsByMachine(view, rule->compiled(), places), rule->name().c_str());
        if (!rule->flat()) continue;
        if (!rule->flat()->attributes().empty()) ++withAttributes;
        const Found general = generalMatches(view, *rule, places);
        const Found flat = flatMatches(graph, rule);
        QVERIFY2(flat == general,
                 fmt::format("{}: {} as numbers, {} as terms", rule->name(), flat.size(), general.size()).c_str());
        if (!rule->flat()->attributes().empty()) matches += flat.size();
    }
    QVERIFY2(static_cast<int>(matches) >= least, fmt::format("{} matches", matches).c_str());
    // Terms of e-nodes are made without calling the type rules, which would give the same types.
    for (std::uint32_t id = 0; id < graph.idCount(); ++id) {
        const ir::TermId term = graph.term(egraph::ENodeId(id));
        const auto children = subject.bank.children(term);
        if (children.empty()) continue;
        const std::vector<ir::TermId> copy(children.begin(), children.end());
        QCOMPARE(*subject.bank.make(subject.bank.op(term), copy, subject.bank.payload(term)), term);
    }
    QCOMPARE(withAttributes, std::size_t(179));
}

/// Every form of an attribute in a pattern, in random graphs.
void TestMatchers::attributesInRandomGraphs() {
    constexpr const char* WithAttributes = R"(use ks
op f[a, b](x)
op g[a, b](x, y)
rule grow1: f[a=1, b=b](x) => f[a=b, b=1](x)
rule grow2: g[a=a, b=b](x, y) => g[a=a, b=b](y, x)
rule grow3: f[a=2, b=[1, 2]](x) => x
rule any: f(x) => x
rule one: f[a=1](x) => x
rule same: f[a=c, b=c](x) => x
rule nested: f[a=c, b=d](f[a=d, b=c](x)) => x
rule outer: f[a=c](f[b=c](x)) => x
rule word: g[a="left"](x, y) => x
rule list: f[b=[c, d]](x) => x
rule listed: f[a=c, b=[c, 2]](x) => x
rule elements: g[b=[c, c]](f[a=c](x), x) => x
rule truth: g[b=true](x, y) => y
rule guarded: f[a=c](x) => x where c > 1
rule computed: f[a=c, b=d](x) => f[a=d, b=c + 1](x) where c != 1
rule roots: f[a=c](x), g[b=c](x, y) => x, y
rule number: g[a=c](x, 1) => x
)";
    Random random(5);
    std::size_t matches = 0;
    for (int round = 0; round < 20; ++round) {
        Algebra algebra(WithAttributes);
        const auto rules = algebra.rules();
        ir::TermBank& bank = algebra.bank();
        const auto value = [&] {
            const std::array<std::string_view, 6> values{"1", "2", "left", "[1,2]", "[2,2]", "true"};
            return std::string(values.at(static_cast<std::size_t>(random.below(values.size()))));
        };
        std::vector<ir::TermId> terms{algebra.term("x"), algebra.term("y"), algebra.term("1")};
        const auto any = [&] { return terms.at(static_cast<std::size_t>(random.below(terms.size()))); };
        egraph::EGraph graph(bank, false);
        for (int i = 0; i < 40; ++i) {
            const bool isUnary = random.below(2) == 0;
            std::vector<ir::TermId> children{any()};
            if (!isUnary) children.push_back(any());
            const ir::Payload payload = ir::attributesPayload(bank, std::array{value(), value()});
            terms.push_back(*bank.make(bank.registry().find(isUnary ? "f" : "g"), children, payload));
            graph.add(terms.back());
        }
        egraph::SaturationOptions options;
        options.limits.iterations = 2;
        options.limits.nodes = 300;
        saturated(graph, {rules.begin(), rules.begin() + 3}, options);
        const egraph::EGraphView view(graph);
        const std::vector<rules::PlaceId> places = allPlaces(graph);
        for (const auto& rule : rules) {
            QVERIFY2(rule->flat(), rule->name().c_str());
            if (!rule->hasSeveralRoots()) QVERIFY2(isAsByMachine(view, rule->compiled(), places), rule->name().c_str());
            const Found general = generalMatches(view, *rule, places);
            const Found flat = flatMatches(graph, rule);
            QVERIFY2(flat == general,
                     fmt::format("{}: {} as numbers, {} as terms", rule->name(), flat.size(), general.size()).c_str());
            matches += flat.size();
        }
    }
    QVERIFY2(matches > 1000, fmt::format("{} matches", matches).c_str());
}

MITOS_TEST(TestMatchers)

}  // namespace tst_matchers

#include "tst_matchers.moc"
