// SPDX-License-Identifier: GPL-3.0-or-later
// Directed graph partitioning: which regions a pattern gives, the laws that they obey, and regions as programs of their own.
#include "core/eval/evaluator.h"
#include "core/ir/shared.h"
#include "core/networks/networks.h"
#include "tests/dialects/random_graphs.h"
#include "tests/partition/partition_fixture.h"
#include "tests/support/test_program.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <QTest>
#include <algorithm>
#include <array>
#include <optional>

namespace tst_partition {

using namespace mitos;
using namespace mitos::test;
using ir::TermId;
using partition::Law;
using partition::Partition;
using partition::Region;
using Lines = std::vector<std::string>;

namespace {

/// Why regions break a law, worked out from the definitions alone; empty if they do not.
std::string fault(const ir::TermBank& bank, TermId root, const Partition& parts) {
    absl::flat_hash_map<TermId, std::size_t> places;  // the node of the quotient that a node belongs to
    for (std::size_t i = 0; i < parts.regions.size(); ++i) {
        for (const TermId node : parts.regions[i].nodes) {
            if (!places.emplace(node, i).second) return "a node is in two regions";
        }
    }
    const ir::SharedNodes graph(bank, root);
    std::size_t count = parts.regions.size();
    for (const TermId node : graph) count += places.emplace(node, count).second ? 1 : 0;
    std::vector<absl::flat_hash_set<std::size_t>> needs(count);
    for (const TermId node : graph) {
        for (const TermId child : bank.children(node)) {
            if (places.at(child) != places.at(node)) needs[places.at(node)].insert(places.at(child));
        }
    }
    // Nodes that need nothing are taken away until none is left, or only a cycle.
    std::vector<bool> isGone(count, false);
    for (bool goesOn = true; goesOn;) {
        goesOn = false;
        for (std::size_t i = 0; i < count; ++i) {
            if (isGone[i] || !std::ranges::all_of(needs[i], [&](std::size_t other) { return isGone[other]; })) continue;
            isGone[i] = goesOn = true;
        }
    }
    if (std::ranges::find(isGone, false) != isGone.end()) return "there is a cycle";
    for (const Region& region : parts.regions) {
        const absl::flat_hash_set<TermId> inside(region.nodes.begin(), region.nodes.end());
        std::vector<TermId> outputs;
        for (const TermId node : region.nodes) {
            bool isUsed = node == root;
            for (const TermId user : graph) {
                const auto& children = bank.children(user);
                isUsed = isUsed || (!inside.contains(user) && std::ranges::find(children, node) != children.end());
            }
            if (isUsed) outputs.push_back(node);
        }
        if (outputs != region.outputs) return "the outputs are not what is used outside";
        if (!inside.contains(region.root)) return "the root is not in its region";
    }
    return {};
}

/// Why the programs of regions break a law: put back, they give the whole program.
std::string faultOfPrograms(ir::TermBank& bank, const ir::Program& whole, const Partition& parts) {
    for (const Region& region : parts.regions) {
        const auto program = partition::programOf(bank, whole, region);
        if (!program) return program.error().message;
        const ir::Function& function = bank.function(program->program().function);
        if (function.parameters.size() != region.inputs.size()) return "there is not a parameter for each input";
        for (std::size_t i = 0; i < region.inputs.size(); ++i) {
            if (function.parameters[i].type != bank.type(region.inputs[i])) return "a parameter has another type";
        }
        const auto back = partition::putBack(bank, whole, region, *program, program->program().root);
        if (!back) return back.error().message;
        if (*back != whole.root) return "another program was put back";
    }
    return {};
}

/// Whether each region's program has, on the values that its inputs have in the whole program, the values that its outputs have there.
std::string faultOfValues(ir::TermBank& bank, const ir::Program& whole, const Partition& parts, Random& random) {
    const auto inputs = eval::randomInputs(bank, bank.function(whole.function), random);
    if (!inputs) return inputs.error().message;
    const auto valueOf = [&](TermId node) { return eval::evaluate(bank, {whole.function, node}, *inputs); };
    for (const Region& region : parts.regions) {
        const auto program = partition::programOf(bank, whole, region);
        if (!program) return program.error().message;
        eval::Inputs own;
        for (const TermId input : region.inputs) {
            const auto value = valueOf(input);
            if (!value) return value.error().message;
            own.arguments.push_back(value->value);
        }
        const auto results = eval::evaluate(bank, program->program(), own);
        if (!results) return results.error().message;
        TermId outputs = region.outputs.front();
        if (region.outputs.size() > 1) outputs = bank.tuple(region.outputs);
        const auto expected = valueOf(outputs);
        if (!expected) return expected.error().message;
        if (eval::deviation(results->value, expected->value) != 0.0) return "a region has other values by itself";
    }
    return {};
}

}  // namespace

class PartitionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A product with all that follows it, from the end of the chain; the second product is the end of another region.
    void figure14() {
        PartitionFixture f;
        const ir::Program program = f.parse(
            "graph f(x: f32[4,4])\n  weight w: f32[4,4]\n  weight v: f32[4,4]\n"
            "  m = MatMul(x, w)\n  a = Relu(m)\n  b = Exp(a)\n  n = MatMul(b, v)\n  c = Tanh(n)\n  return c\n");
        const Partition parts = f.divided(program, "MatMulEpilog(a, b)");
        QCOMPARE(f.texts(parts), (Lines{"n c: b -> c", "m a b: x -> b"}));
        QVERIFY(parts.refused.empty());
        QVERIFY(parts.unfinished.empty());
        QCOMPARE(f.texts(f.divided(program, "MatMulEpilog(a, b)", {.leastNodes = 3})), (Lines{"m a b: x -> b"}));
        QVERIFY(f.divided(program, "Conv(x, y)").regions.empty());
    }

    /// Values inside that are used outside, or that the program returns, are further outputs.
    void innerValuesUsedOutsideAreOutputs() {
        PartitionFixture f;
        const ir::Program program = f.parse(
            "graph f(x: f32[4,4])\n  weight w: f32[4,4]\n  m = MatMul(x, w)\n  a = Relu(m)\n  b = Exp(a)\n"
            "  s = Add(a, x)\n  return (b, s, m)\n");
        const Partition parts = f.divided(program, "MatMulEpilog(a, b)");
        QCOMPARE(f.texts(parts), (Lines{"m a b: x -> m a b"}));
        QCOMPARE(faultOfPrograms(f.bank, program, parts), std::string());
        const auto region = partition::programOf(f.bank, program, parts.regions.front());
        QVERIFY(region.ok());
        QCOMPARE(region->outputs, (Lines{"m", "a", "b"}));
        QCOMPARE(dialects::printProgram(f.bank, region->program()).substr(0, 6), std::string("graph "));
        QCOMPARE(f.bank.text(f.bank.function(region->program().function).parameters.front().name),
                 std::string_view("x"));
    }

    /// The first root wins; the other match is refused because of the operator that it wants too, as long as none that is smaller fits.
    void overlappingMatchesAreRefused() {
        PartitionFixture f;
        const ir::Program program = f.parse(
            "graph f(x: f32[4,4])\n  weight w: f32[4,4]\n  m = MatMul(x, w)\n  a = Relu(m)\n  b = Exp(m)\n"
            "  return (a, b)\n");
        const Partition parts = f.divided(program, "MatMulEpilog(a, b)");
        QCOMPARE(f.texts(parts), (Lines{"m b: x -> m b"}));
        QCOMPARE(parts.refused.size(), 1U);
        QCOMPARE(f.nameOf(parts.refused.front().root), std::string("a"));
        QCOMPARE(parts.refused.front().law, Law::Disjoint);
        QCOMPARE(parts.refused.front().region, std::optional<std::size_t>(0));
        QCOMPARE(f.nameOf(parts.refused.front().node), std::string("m"));
        QVERIFY(!parts.refused.front().instead.has_value());

        const Partition smaller = f.divided(program, "Tree(x)");
        QVERIFY(smaller.refused.empty());  // a product is none of its operators
        QCOMPARE(f.texts(smaller), (Lines{"a: m -> a"}));
    }

    /// e leads out of the match and back into it; without the node below it the match is a region.
    void detoursAreRefused() {
        PartitionFixture f;
        const ir::Program program =
            f.parse("graph f(x: f32[4,4])\n  r = Relu(x)\n  e = Exp(r)\n  p = Mul(e, r)\n  return p\n");
        const Partition parts = f.divided(program, "Mul(y, Relu(x))");
        QVERIFY(parts.regions.empty());
        QCOMPARE(parts.refused.size(), 1U);
        QCOMPARE(parts.refused.front().law, Law::Acyclic);
        QCOMPARE(f.nameOf(parts.refused.front().node), std::string("e"));
        QVERIFY(!parts.refused.front().region.has_value());
        QCOMPARE(parts.refused.front().nodes, 2U);

        const Partition smaller = f.divided(program, "Tree(x)");
        QCOMPARE(f.texts(smaller), (Lines{"p: e r -> p", "r: x -> r"}));
        QCOMPARE(smaller.refused.size(), 1U);
        QCOMPARE(smaller.refused.front().instead, std::optional<std::size_t>(0));
    }

    /// Each match alone is convex, but both regions would need each other.
    void regionsThatNeedEachOtherAreRefused() {
        PartitionFixture f;
        const ir::Program program = f.parse(
            "graph f(x: f32[4], y: f32[4])\n  a = Relu(x)\n  b = Relu(a)\n  c = Relu(y)\n  d = Relu(c)\n"
            "  s = Add(a, d)\n  t = Add(b, c)\n  return (s, t)\n");
        const Partition parts = f.divided(program, "Pair(x, y)");
        QCOMPARE(f.texts(parts), (Lines{"c b t: y a -> c t"}));
        QCOMPARE(parts.refused.size(), 1U);
        QCOMPARE(f.nameOf(parts.refused.front().root), std::string("s"));
        QCOMPARE(parts.refused.front().law, Law::Acyclic);
        QCOMPARE(parts.refused.front().region, std::optional<std::size_t>(0));
        QCOMPARE(fault(f.bank, program.root, parts), std::string());
    }

    /// The elements of an operator with several results belong to its region, and a tuple is no input.
    void tuplesStayInside() {
        PartitionFixture f;
        const ir::Program program = f.parse(
            "graph f(x: f32[4,4])\n  r = Relu(x)\n  s = Split[axis=0,sizes=[2,2]](r)\n  a = Exp(s[0])\n"
            "  b = Tanh(s[1])\n  return (a, b)\n");
        const Partition parts = f.divided(program, "Split(Relu(x))");
        QCOMPARE(parts.regions.size(), 1U);
        QCOMPARE(parts.regions.front().nodes.size(), 4U);
        QCOMPARE(parts.regions.front().outputs.size(), 2U);
        QCOMPARE(faultOfPrograms(f.bank, program, parts), std::string());
        const Partition torn = f.divided(program, "Exp(F(x))");
        QVERIFY(torn.regions.empty());
        QCOMPARE(torn.refused.size(), 2U - 1U);
        QCOMPARE(torn.refused.front().law, Law::Arrays);
    }

    /// A tree is refused, as are patterns with several roots; a program without operators has no regions.
    void whatIsNoGraphIsRefused() {
        PartitionFixture f;
        const ir::Program ks = f.parse("(def f Float ((x : Float)) (mul x (add x 1.0)))");
        const auto tree = partition::divide(f.bank, ks, *f.pattern("x * y"));
        QVERIFY(!tree.ok());
        QVERIFY(tree.error().message.starts_with("a ks program is not divided into regions"));
        const ir::Program empty = f.parse("graph g(x: f32[2])\n  return x\n");
        QVERIFY(f.divided(empty, "F(x)").regions.empty());
    }

    /// Too many matches at a root are not all looked at, and that is said.
    void manyMatches() {
        PartitionFixture f;
        std::string text = "graph f(x: f32[4])\n  a0 = Relu(x)\n";
        for (int i = 1; i < 40; ++i) text += fmt::format("  a{} = Exp(a{})\n", i, i - 1);
        const ir::Program program = f.parse(text + "  return a39\n");
        const Partition all = f.divided(program, "PwSubgraph(x)");
        QCOMPARE(all.regions.size(), 1U);
        QCOMPARE(all.regions.front().nodes.size(), 40U);
        QVERIFY(all.unfinished.empty());
        const Partition few = f.divided(program, "PwSubgraph(x)", {.mostMatches = 5});
        QCOMPARE(few.regions.front().nodes.size(), 40U);
        QCOMPARE(few.unfinished.front(), program.root);
    }

    void aStopEndsIt() {
        PartitionFixture f;
        const ir::Program program = f.parse("graph f(x: f32[4])\n  a = Relu(x)\n  return a\n");
        std::stop_source stop;
        stop.request_stop();
        const Partition parts = f.divided(program, "PwSubgraph(x)", {.stop = stop.get_token()});
        QVERIFY(parts.isStopped);
        QVERIFY(parts.regions.empty());
    }

    /// The laws hold for any pattern in any graph.
    void lawsHoldInRandomGraphs() {
        Random random(38);
        const std::array<const char*, 6> patterns{"Tree(x)",         "PwSubgraph(x)",   "Pair(x, y)",
                                                  "Mul(y, Relu(x))", "Add(Tree(x), y)", "F(G(x, y))"};
        std::size_t regions = 0;
        std::size_t refused = 0;
        std::size_t severalOutputs = 0;
        for (int round = 0; round < 300; ++round) {
            PartitionFixture f;
            const ir::Program program = randomGraph(f.bank, random, 5 + round % 40);
            const Partition parts = f.divided(program, patterns.at(static_cast<std::size_t>(round) % patterns.size()));
            const Partition again = f.divided(program, patterns.at(static_cast<std::size_t>(round) % patterns.size()));
            QCOMPARE(f.texts(again), f.texts(parts));
            QCOMPARE(fault(f.bank, program.root, parts), std::string());
            QCOMPARE(faultOfPrograms(f.bank, program, parts), std::string());
            QCOMPARE(faultOfValues(f.bank, program, parts, random), std::string());
            regions += parts.regions.size();
            refused += parts.refused.size();
            for (const Region& region : parts.regions) severalOutputs += region.outputs.size() > 1 ? 1 : 0;
        }
        QVERIFY(regions > 500);
        QVERIFY(refused > 50);
        QVERIFY(severalOutputs > 50);
    }

    void lawsHoldInNetworks() {
        for (const networks::Network& network : networks::allNetworks()) {
            PartitionFixture f;
            const auto model = networks::build(f.bank, network, networks::Style::Realistic);
            QVERIFY(model.ok());
            for (const char* const pattern : {"Tree(x)", "MatMulEpilog(a, b)"}) {
                const Partition parts = f.divided(model->program, pattern);
                QCOMPARE(faultOfPrograms(f.bank, model->program, parts), std::string());
            }
        }
    }
};

MITOS_TEST(PartitionTest)

}  // namespace tst_partition

#include "tst_partition.moc"
