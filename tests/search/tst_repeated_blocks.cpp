// SPDX-License-Identifier: GPL-3.0-or-later
// Repeated parts of graphs: found, made programs, and rewritten everywhere at once.
#include "core/ir/repeats.h"
#include "core/ir/shared.h"
#include "core/rewrite/rewriter.h"
#include "core/rewrite/thread_parts.h"
#include "tests/dialects/random_graphs.h"
#include "tests/search/running.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <string>
#include <vector>

namespace tst_repeated_blocks {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;

namespace {

struct Fixture {
    ir::TermBank bank{dialects::makeRegistry()};
    rules::RuleBook book = load();

    static rules::RuleBook load() {
        Result<rules::RuleBook> loaded = rules::RuleBook::load("tensor-default", dialects::makeRegistry());
        if (!loaded) qFatal("%s", loaded.error().render().c_str());
        return *std::move(loaded);
    }
    ir::Program parse(const std::string& text) {
        const Result<ir::Program> parsed = dialects::parseProgram(bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        return *parsed;
    }
    SearchProblem problem(const ir::Program& program, std::uint64_t evaluations) const {
        const auto cost = cost::findCostModel("roofline:laptop", "tensor");
        if (!cost) qFatal("%s", cost.error().render().c_str());
        return {.bank = bank,
                .program = program,
                .rules = book.directions(),
                .cost = *cost,
                .budget = {.evaluations = evaluations},
                .parameters = {}};
    }
    /// The operators of each copy, as one line.
    std::vector<std::string> operators(const ir::RepeatedPart& part) const {
        std::vector<std::string> lines;
        for (const std::vector<ir::TermId>& copy : part.copies) {
            std::string& line = lines.emplace_back();
            for (const ir::TermId node : copy) line += std::string(bank.opName(node)) + " ";
        }
        return lines;
    }
};

/// Layers of six operators, each with weights of its own. The mask is computed within the first layer and used in all.
std::string layers(int count) {
    std::string weights;
    std::string body;
    std::string before = "x";
    for (int i = 1; i <= count; ++i) {
        weights += fmt::format("  weight w{0}: f32[8,8]\n  weight b{0}: f32[8]\n", i);
        body += fmt::format("  m{0} = MatMul({1}, w{0})\n", i, before);
        if (i == 1) body += "  n = Neg(mask)\n  k = Sqrt(n)\n";
        body += fmt::format(
            "  a{0} = Add(m{0}, b{0})\n  c{0} = Mul(a{0}, k)\n  r{0} = Relu(c{0})\n  s{0} = Relu(r{0})\n"
            "  o{0} = Add(s{0}, {1})\n",
            i, before);
        before = fmt::format("o{}", i);
    }
    return "graph f(x: f32[4,8], mask: f32[4,8])\n" + weights + body + "  return " + before + "\n";
}

}  // namespace

class TestRepeatedBlocks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Layers are equal parts, whatever weights they have, and a mask that all of them use belongs to none.
    void layersAreRepeated() {
        Fixture f;
        const ir::Program program = f.parse(layers(3));
        const std::vector<ir::RepeatedPart> parts = ir::repeatedParts(f.bank, program.root);
        QCOMPARE(parts.size(), 1U);
        const std::string layer = "MatMul Add Mul Relu Relu Add ";
        QCOMPARE(f.operators(parts.front()), (std::vector<std::string>{layer, layer, layer}));
    }

    /// Equal sequences of operators that are connected in another way are no copies.
    void edgesMustBeEqual() {
        Fixture f;
        const ir::Program other = f.parse(
            "graph f(x: f32[4,4])\n  a = Relu(x)\n  b = Exp(a)\n  c = Neg(b)\n  d = Add(c, a)\n"
            "  e = Relu(d)\n  g = Exp(e)\n  h = Neg(g)\n  i = Add(h, g)\n  return i\n");
        QVERIFY(ir::repeatedParts(f.bank, other.root).empty());
        const ir::Program equal = f.parse(
            "graph f(x: f32[4,4])\n  a = Relu(x)\n  b = Exp(a)\n  c = Neg(b)\n  d = Add(c, a)\n"
            "  e = Relu(d)\n  g = Exp(e)\n  h = Neg(g)\n  i = Add(h, e)\n  return i\n");
        QCOMPARE(ir::repeatedParts(f.bank, equal.root).size(), 1U);
    }

    void programsWithoutRepetitionHaveNoParts() {
        Fixture f;
        QVERIFY(ir::repeatedParts(f.bank, f.parse(layers(1)).root).empty());
        QVERIFY(ir::repeatedParts(f.bank, f.parse("graph f(x: f32[2])\n  return x\n").root).empty());
    }

    /// The first copy alone: its inputs and the mask are parameters, its weights stay, its end is the result.
    void aPartIsAProgram() {
        Fixture f;
        const ir::Program whole = f.parse(layers(3));
        const Result<ir::PartProgram> part =
            ir::programOf(f.bank, whole, ir::repeatedParts(f.bank, whole.root).front());
        QVERIFY(part.ok());
        QCOMPARE(f.bank.function(part->program.function).parameters.size(), 2U);
        QCOMPARE(f.bank.type(part->program.root), f.bank.type(whole.root));
        QCOMPARE(part->images.size(), 3U);
        for (const auto& images : part->images) QVERIFY(images.contains(part->program.root));
        QCOMPARE(part->images.back().at(part->program.root), whole.root);
    }

    /// One step of the part becomes one step in each copy, and the copies keep their own weights.
    void stepsAreTakenEverywhere() {
        Fixture f;
        const ir::Program whole = f.parse(layers(4));
        Result<ir::PartProgram> part = ir::programOf(f.bank, whole, ir::repeatedParts(f.bank, whole.root).front());
        QVERIFY(part.ok());
        const rewrite::Rewriter rewriter(f.bank, f.book.directions(), ir::Sharing::Graph);
        const std::vector<rewrite::Rewrite> all = rewriter.all(part->program.root);
        const auto relu =
            std::ranges::find_if(all, [](const rewrite::Rewrite& r) { return r.step.name() == "tensor_relu_relu"; });
        QVERIFY(relu != all.end());
        const rewrite::Thread one{part->program, {relu->step}, {relu->result}};
        const rewrite::Thread four = rewrite::everywhere(f.bank, whole, {{*std::move(part), one}}, [] { return true; });
        QCOMPARE(four.steps.size(), 4U);
        QVERIFY(rewrite::check(f.bank, four).valid);
        const std::string text = dialects::printProgram(f.bank, four.end());
        QCOMPARE(std::ranges::count(text, '\n') + 4, std::ranges::count(dialects::printProgram(f.bank, whole), '\n'));
        for (int i = 1; i <= 4; ++i) QVERIFY(text.find(fmt::format("w{}", i)) != std::string::npos);
    }

    /// Any thread over a part is a thread of the whole that the checker confirms.
    void anyThreadIsValidEverywhere() {
        Random random(7);
        std::size_t steps = 0;
        for (int round = 0; round < 30; ++round) {
            Fixture f;
            const ir::Program whole = f.parse(layers(3 + round % 3));
            Result<ir::PartProgram> part = ir::programOf(f.bank, whole, ir::repeatedParts(f.bank, whole.root).front());
            QVERIFY(part.ok());
            const rewrite::Rewriter rewriter(f.bank, f.book.directions(), ir::Sharing::Graph);
            rewrite::Thread thread{part->program, {}, {}};
            for (int i = 0; i < 8; ++i) {
                const std::vector<rewrite::Rewrite> all = rewriter.successors(thread.end().root);
                if (all.empty()) break;
                const rewrite::Rewrite& chosen = all[random.below(all.size())];
                thread.steps.push_back(chosen.step);
                thread.states.push_back(chosen.result);
            }
            const rewrite::Thread everywhere =
                rewrite::everywhere(f.bank, whole, {{*std::move(part), thread}}, [] { return true; });
            QVERIFY(rewrite::check(f.bank, everywhere).valid);
            QVERIFY(everywhere.steps.size() <= thread.steps.size() * static_cast<std::size_t>(3 + round % 3));
            steps += everywhere.steps.size();
        }
        QVERIFY(steps > 100);
    }

    /// The search takes each step in all layers before the next one, within the budget, and ends where all layers are rewritten.
    void theSearchRepeatsWhatItFinds() {
        Fixture f;
        const ir::Program whole = f.parse(layers(5));
        Recorder recorder;
        const SearchResult result = searched(**findStrategy("blocks"), f.problem(whole, 400), recorder);
        QVERIFY(result.check.valid);
        QVERIFY(result.statistics.evaluations <= 400);
        QVERIFY(result.bestCost < result.initialCost);
        std::size_t repeated = 0;
        for (const rewrite::Step& step : result.thread.steps) repeated += step.name() == "tensor_relu_relu" ? 1 : 0;
        QCOMPARE(repeated, 5U);
        QVERIFY(recorder.events.front().is<Started>());
        QCOMPARE(recorder.events.front().best, result.initialCost);
        QCOMPARE(recorder.events.back().best, result.bestCost);
        QVERIFY(recorder.events.back().is<Finished>());
    }

    /// A program without repeated parts is searched as the strategy of the parts does it.
    void otherProgramsAreSearchedAsAWhole() {
        Fixture f;
        const ir::Program whole = f.parse(layers(1));
        SearchProblem problem = f.problem(whole, 100);
        const SearchResult plain = searched("greedy", problem);
        problem.parameters = {{"part", std::string("greedy")}};
        const SearchResult blocks = searched("blocks", problem);
        QCOMPARE(blocks.bestCost, plain.bestCost);
        QCOMPARE(blocks.thread.steps.size(), plain.thread.steps.size());
        QCOMPARE(blocks.statistics.evaluations, plain.statistics.evaluations);
    }

    void partsThatHoldOthersAreRefused() {
        Fixture f;
        SearchProblem problem = f.problem(f.parse(layers(2)), 100);
        Recorder recorder;
        for (const char* part : {"phases", "blocks", "portfolio", "greedy; mcts", "nothing", ""}) {
            problem.parameters = {{"part", std::string(part)}};
            QVERIFY2(!(*findStrategy("blocks"))->run(problem, {}, recorder).ok(), part);
        }
    }
};

MITOS_TEST(TestRepeatedBlocks)

}  // namespace tst_repeated_blocks

#include "tst_repeated_blocks.moc"
